"""Read a bilingual lesson source.

A source is a jupytext *percent* script. Prose comes in adjacent pairs; code is shared, but for its comments, which say
both: ``# English | 中文``. ::

    # %% [markdown] lang="en"
    # A slope says how steep the loss is.

    # %% [markdown] lang="zh" of="3f9a01bc"
    # 斜率说明损失有多陡。

    # %% first-backward covers=[28]
    loss.backward()

`of` is the fingerprint of the English that the Chinese was last read against. Change the English and the
lesson no longer builds until somebody has read the Chinese again
(``python -m minigrad_lessons.build --translated NAME``).

An exercise is a code cell tagged ``exercise``. The cells tagged ``solution`` and ``wrong`` that follow are whole
replacements for it: they never reach a notebook, the tests put them in its place.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import jupytext

from minigrad_lessons.language import LANGUAGES as LANGUAGES

SOURCES = Path(__file__).parent / "src"

CHINESE = re.compile(r"[\u2e80-\u303f\u31c0-\u9fff\uf900-\ufaff\uff00-\uffef]")
_FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_FORMULA = re.compile(r"\$\$.+?\$\$|\$[^$\n]+?\$", re.DOTALL)
_SPAN = re.compile(r"`[^`\n]+`")
_LINK = re.compile(r"\]\(([^)\s]+)[^)]*\)")
_COMMENT = re.compile(rf"# (?P<en>[^|\n]+) \| (?P<zh>[^|\n]*{CHINESE.pattern}[^|\n]*)$", re.MULTILINE)
_HEADING = re.compile(r"^(#{1,6}) ", re.MULTILINE)


class LessonError(Exception):
    """A lesson source that cannot become two notebooks, and what to do about it."""


@dataclass(frozen=True)
class Prose:
    """One paragraph, said twice."""

    en: str
    zh: str
    of: str | None

    @property
    def up_to_date(self) -> bool:
        """Whether the Chinese was read against the English as it stands now."""
        return self.of == fingerprint(self.en)


@dataclass(frozen=True)
class Code:
    """One code cell, the same in both notebooks but for its comments."""

    source: str
    title: str | None = None
    tags: tuple[str, ...] = ()
    covers: tuple[int, ...] = ()
    solutions: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def for_reader(self, lang: str) -> str:
        """The source with its comments in one language."""
        return _COMMENT.sub(rf"# \g<{lang}>", self.source)


@dataclass(frozen=True)
class Lesson:
    """A lesson: its file name without suffix, and its cells in order."""

    name: str
    cells: list[Prose | Code]

    @property
    def prose(self) -> list[Prose]:
        return [cell for cell in self.cells if isinstance(cell, Prose)]

    @property
    def code(self) -> list[Code]:
        return [cell for cell in self.cells if isinstance(cell, Code)]

    @property
    def covers(self) -> set[int]:
        """The numbers of the concepts that this lesson's cells name."""
        return {number for cell in self.code for number in cell.covers}


def names() -> list[str]:
    """Every lesson's name, in order."""
    return sorted(path.stem for path in SOURCES.glob("[0-9][0-9]_*.py"))


def pages() -> list[str]:
    """Every source that becomes a notebook: the lessons, the glossary, and the errata of the notes."""
    return [*names(), "glossary", "errata"]


def read(name: str) -> Lesson:
    """Read one source. Raises LessonError when its cells do not pair up."""
    path = SOURCES / f"{name}.py"
    if not path.exists():
        raise LessonError(f"no lesson {name!r} in {SOURCES.name}/: there are {', '.join(names())}")
    return _lesson(name, path.read_text(encoding="utf-8"))


@cache
def _lesson(name: str, text: str) -> Lesson:
    """The lesson that a text is: asked for far more often than it changes."""
    return Lesson(name, list(_cells(name, jupytext.reads(text, fmt="py:percent").cells)))


def _cells(name: str, raw: list) -> Iterator[Prose | Code]:
    waiting: str | None = None  # an English paragraph whose Chinese has not come yet
    exercise: Code | None = None
    for cell in raw:
        cell.source = cell.source.strip("\n")  # a formatter may set a definition off with blank lines
        lang = cell.metadata.get("lang")
        where = f"{name}: the cell that begins {cell.source[:50]!r}"
        if waiting is not None and lang != "zh":
            raise LessonError(f"{where} stands where the Chinese of {waiting[:50]!r} should be")
        if cell.cell_type == "markdown":
            if lang == "en":
                waiting = cell.source
            elif lang == "zh" and waiting is not None:
                yield Prose(waiting, cell.source, cell.metadata.get("of"))
                waiting = None
            else:
                raise LessonError(f'{where} needs lang="en", followed by its pair with lang="zh"')
            continue
        tags = tuple(cell.metadata.get("tags", ()))
        if "solution" in tags or "wrong" in tags:
            if exercise is None:
                raise LessonError(f"{where} is an answer, but no exercise stands before it")
            (exercise.solutions if "solution" in tags else exercise.wrong).append(cell.source)
            continue
        code = Code(cell.source, cell.metadata.get("title"), tags, tuple(cell.metadata.get("covers", ())))
        exercise = code if "exercise" in tags else None
        yield code
    if waiting is not None:
        raise LessonError(f"{name}: the last English paragraph has no Chinese: {waiting[:50]!r}")


def fingerprint(english: str) -> str:
    """Eight hex digits that change when the English changes."""
    return hashlib.sha256(english.strip().encode()).hexdigest()[:8]


def code_spans(text: str) -> list[str]:
    """Inline code and fenced blocks: what a learner could paste."""
    fences = _FENCE.findall(text)
    return sorted(fences + _SPAN.findall(_FENCE.sub("", text)))


def formulas(text: str) -> list[str]:
    """TeX formulas, code left out."""
    return sorted(_FORMULA.findall(_SPAN.sub("", _FENCE.sub("", text))))


def links(text: str) -> list[str]:
    """Targets of links and pictures."""
    return sorted(_LINK.findall(_FENCE.sub("", text)))


def headings(text: str) -> list[int]:
    """Levels of the headings, in order."""
    return [len(marks) for marks in _HEADING.findall(_FENCE.sub("", text))]


SAME_IN_BOTH: dict[str, Callable[[str], list]] = {
    "code spans": code_spans,
    "formulas": formulas,
    "links": links,
    "heading levels": headings,
}


def differences(en: str, zh: str) -> list[str]:
    """How a Chinese paragraph's code, formulas, links and headings differ from the English one's."""
    return [
        f"{what} differ: English {extract(en)}, Chinese {extract(zh)}"
        for what, extract in SAME_IN_BOTH.items()
        if extract(en) != extract(zh)
    ]


def problems(lesson: Lesson) -> list[str]:
    """Everything that keeps a lesson from being built, in words its author can act on."""
    found = []
    for pair in lesson.prose:
        start = f"{lesson.name}: the paragraph {pair.en[:60]!r}"
        found += [f"{start}: {difference}" for difference in differences(pair.en, pair.zh)]
        if not pair.up_to_date:
            found.append(
                f"{start}: its English changed after the Chinese was written. Read the Chinese again, then run "
                f"`python -m minigrad_lessons.build --translated {lesson.name}`"
            )
    for cell in lesson.code:
        english = cell.for_reader("en")
        if CHINESE.search(english.replace("\uff1a", "")):  # a full-width colon is a slip that lesson 8 shows
            found.append(f"{lesson.name}: Chinese in a code cell, which both notebooks share: {cell.source[:60]!r}")
        alone = "#" in re.sub(r"\"[^\"\n]*\"|'[^'\n]*'", "", cell.source) and english == cell.source
        if alone and lesson.name != "cheat_sheet":  # its comments are what Python prints
            found.append(f"{lesson.name}: a comment in one language alone: {cell.source[:60]!r}")
        if cell.covers and not cell.title:
            found.append(f"{lesson.name}: a cell that covers {list(cell.covers)} has no title: {cell.source[:60]!r}")
    return found


def stamp(name: str) -> int:
    """Record in a source that its Chinese says what its English says now; return how many pairs changed."""
    path = SOURCES / f"{name}.py"
    pairs = iter(read(name).prose)
    changed = 0

    def marker(match: re.Match) -> str:
        nonlocal changed
        pair = next(pairs)
        changed += not pair.up_to_date
        return f'# %% [markdown] lang="zh" of="{fingerprint(pair.en)}"'

    text = re.sub(r'^# %% \[markdown\] lang="zh".*$', marker, path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    path.write_text(text, encoding="utf-8", newline="\n")
    return changed
