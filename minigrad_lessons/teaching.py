"""For a teacher: the lessons with their exercises solved, and who of a class is where."""

from __future__ import annotations

import csv
import fnmatch
import functools
import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import chain
from pathlib import Path
from typing import Any

from minigrad_lessons import progress
from minigrad_lessons.language import Says

_KEPT = ("minigrad-lessons", "lessons")  # where `minigrad lab` puts them, below what a learner calls theirs
_STRANGE = "backslashreplace"  # how a folder's name is written that is no UTF-8: archives from Windows bring such


def solutions(lesson: str) -> dict[str, str]:
    """The cell of each exercise as a lesson gives it → the first of its solutions, as the lesson's source has them."""
    found: dict[str, str] = {}
    asked = ""
    for head, code in progress.cells(lesson):
        if 'tags=["exercise"' in head:
            asked = code.strip("\n")
        elif 'tags=["solution"]' in head:
            found.setdefault(asked, code.strip("\n"))
    return found


def solve(lesson: str, book: dict[str, Any]) -> None:
    """Put the solutions in the place of what the exercises ask for."""
    answers = solutions(lesson)
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            source = "".join(cell["source"])
            cell["source"] = answers.get(source, source).splitlines(keepends=True)


@dataclass(frozen=True)
class Learner:
    """Somebody whose lessons lie in a folder: what it is called, the exercises that said ✅ there, the predictions
    that did not hold at first, with what was said instead, and what the exercises that said ❌ last said."""

    name: str
    solved: frozenset[str]
    missed: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def next(self) -> str | None:
        """The first exercise that is open."""
        return next((name for name in _course() if name not in self.solved), None)


def learners(folders: Sequence[Path]) -> list[Learner]:
    """Everybody whose lessons lie in or below `folders`, in the order of their names."""
    found: dict[tuple[Path, str], Learner] = {}  # two homes below one name are one learner's, who has begun twice
    seen = set()
    for folder in folders:
        for home in _homes(folder):
            if home in seen:
                continue
            seen.add(home)
            own = progress.kept_in(progress.beside(home))  # whatever place the teacher has named for theirs
            missed = {
                name: str(one.get("said")) for name, one in own["predictions"].items() if one.get("right") is False
            }
            name = _name(folder, home, several=len(folders) > 1)
            now = Learner(name, frozenset(own["solved"]), missed, own["refused"])
            first = found.get((folder, name), now)
            found[folder, name] = Learner(
                name, first.solved | now.solved, {**now.missed, **first.missed}, {**now.refused, **first.refused}
            )
    return sorted(found.values(), key=lambda learner: learner.name)


def overlooked(folders: Sequence[Path]) -> list[Path]:
    """Files that look like somebody's progress and cannot be read: under another name, as a second download has, or
    damaged. And folders that may not be read, as the homes of others."""
    closed: set[Path] = set()

    def refused(error: OSError) -> None:
        closed.add(Path(error.filename))

    found = (_visible(folder.resolve(), "*minigrad-progress*.json", refused) for folder in folders)
    files = {file.resolve() for file in chain.from_iterable(found)}
    unread = {file for file in files if file != progress.beside(file.parent) or not progress.can_be_read(file)}
    return sorted(unread | closed)


def _visible(folder: Path, pattern: str, refused: Callable[[OSError], None] | None = None) -> Iterator[Path]:
    """The files below a folder, but for those in a hidden one, such as an environment or what was thrown away;
    `refused` is told of each folder that may not be read."""
    for at, below, files in os.walk(folder, onerror=refused):
        below[:] = [name for name in below if not name.startswith(".")]
        yield from (Path(at, name) for name in fnmatch.filter([*below, *files], pattern) if not name.startswith("."))


def _homes(folder: Path) -> list[Path]:
    """The folders that hold progress, or lessons of which no exercise is solved yet: not a package that nobody has
    worked in, and no lessons whose progress is kept in a folder above them.
    """
    homes = set()
    for name in ("minigrad-progress.json", "01_first_gradient.ipynb"):
        for file in _visible(folder, name):
            home = progress.beside(file.parent).parent
            if progress.beside(home).exists() or not (home / "__init__.py").exists():
                homes.add(home)
    kept = {home for home in homes if progress.beside(home).exists()}
    return sorted(home for home in homes if home in kept or (kept - {folder}).isdisjoint(home.parents))


def _name(folder: Path, home: Path, *, several: bool) -> str:
    """What lies between the two, without the folders that `minigrad lab` makes; else the folder's own name. Of several
    folders each is somebody's: its name comes first."""
    folder = folder.resolve()
    while not home.is_relative_to(folder):  # one language's lessons alone
        folder = folder.parent
    parts = list(home.relative_to(folder).parts)
    while parts and parts[-1] in _KEPT:  # twice, where it was started inside of what it had made
        parts.pop()
    if parts and several:
        parts.insert(0, folder.name)
    while not parts and folder.name in _KEPT:
        folder = folder.parent
    return "/".join(parts) or folder.name or str(folder)


@functools.cache
def _lessons() -> dict[str, list[str]]:
    """The exercises of each lesson that has any, in order."""
    names = sorted(path.stem for path in progress.SOURCES.glob("[0-9][0-9]_*.py"))
    return {name: exercises for name in names if (exercises := progress.exercises(name))}


def _course() -> list[str]:
    """Every exercise, in the order of the lessons."""
    return [name for exercises in _lessons().values() for name in exercises]


@functools.cache
def _called() -> dict[str, Says]:
    """What each exercise is called: the number of its lesson, and its own heading."""
    called = {}
    for lesson, names in _lessons().items():
        for name, title in zip(names, progress.titles(lesson)[1:], strict=True):
            called[name] = Says(f"{int(lesson[:2])} · {title.en}", f"{int(lesson[:2])} · {title.zh}")
    return called


def as_csv(found: Sequence[Learner]) -> bytes:
    """One line for each learner, one column for each exercise; with the mark by which Excel knows UTF-8."""
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(["name", "solved", "of", "next", *_course()])
    for learner in found:
        # what begins so would be computed, as a formula, by whoever opens the table
        name = f"'{learner.name}" if learner.name.startswith(tuple("=+-@\t\r")) else learner.name
        solved = [int(name in learner.solved) for name in _course()]
        writer.writerow([name, sum(solved), len(solved), learner.next or "", *solved])
    return table.getvalue().encode("utf-8-sig", _STRANGE)


_PAGE = """<!DOCTYPE html>
<html lang="{lang}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }}
body {{ margin: 2rem; }}
table {{ border-collapse: collapse; margin: 1rem 0 2.5rem; }}
th, td {{ padding: .25rem .6rem; text-align: left; border-bottom: 1px solid #8886; vertical-align: top; }}
th.n, td.n {{ text-align: center; padding-inline: .35rem; font-variant-numeric: tabular-nums; }}
td.all {{ background: #2a9d5a55; }} td.some {{ background: #e9a82055; }}
</style>
<h1>{title}</h1>
{where}
<h2>{stops}</h2>
{who}
<h2>{surprised}</h2>
{said}
</html>
"""


def as_page(found: Sequence[Learner], lang: str) -> bytes:
    """Who is where, a lesson a column; then each exercise that is somebody's next, that of the most people first, with
    how often it has said ❌ and what it said to most; and the predictions that most people got wrong, with what they
    said most often."""
    zh = lang == "zh"
    lessons = _lessons()
    head = ["姓名", "做完", "下一道练习"] if zh else ["who", "solved", "next exercise"]
    rows = [_cells("th", *head) + [f'<th class="n">{int(lesson[:2])}</th>' for lesson in lessons]]
    waiting: dict[str, list[str]] = {}
    for learner in found:
        cells = []
        for names in lessons.values():
            count = len(learner.solved.intersection(names))
            look = "all" if count == len(names) else "some" if count else ""
            cells.append(f'<td class="n {look}">{count}/{len(names)}</td>')
        next_one = getattr(_called()[learner.next], lang) if learner.next else ("全部完成" if zh else "all done")
        solved = len(learner.solved.intersection(_course()))
        rows.append(_cells("td", learner.name, f"{solved}/{len(_course())}", next_one) + cells)
        if learner.next:
            waiting.setdefault(learner.next, []).append(learner.name)
    head = (
        ["练习", "人数", "谁", "共错几次", "最常见的错误"]
        if zh
        else ["exercise", "how many", "who", "❌ in all", "said most"]
    )
    stopping = [_cells("th", *head)]
    for name, who in sorted(waiting.items(), key=lambda item: -len(item[1])):
        times, words = _mistakes(found, name, lang)
        people = ("、" if zh else ", ").join(who)
        stopping.append(_cells("td", getattr(_called()[name], lang), len(who), people, times, words))
    head = ["预测", "说错的人数", "最常见的答案"] if zh else ["prediction", "how many", "said most"]
    surprising = [_cells("th", *head)]
    for name, said in _surprising(found):
        surprising.append(_cells("td", name, len(said), max(said, key=said.count)))
    return _PAGE.format(
        lang="zh-Hans" if zh else "en",
        title=f"{len(found)} 位学习者" if zh else f"{len(found)} learner{'s' * (len(found) != 1)}",
        stops="谁卡在哪道练习" if zh else "Which exercise stops whom",
        where=_table(rows),
        who=_table(stopping),
        surprised="哪些预测最出人意料" if zh else "Which predictions surprised most",
        said=_table(surprising),
    ).encode(errors=_STRANGE)


def _mistakes(found: Sequence[Learner], exercise: str, lang: str) -> tuple[int, str]:
    """How often an exercise has said ❌ to these people, and what it last said to most of them."""
    refusals = [learner.refused[exercise] for learner in found if exercise in learner.refused]
    times = sum(n for one in refusals if isinstance(n := one.get("attempts"), int))
    words = [str(one.get(lang, "")) for one in refusals]
    return times, max(words, key=words.count, default="")


def _surprising(found: Sequence[Learner]) -> list[tuple[str, list[str]]]:
    """Each prediction that somebody got wrong, after the number of its lesson, with what was said; the worst first."""
    named = {name: f"{int(lesson[:2])} · {name}" for lesson in progress.lessons() for name in progress.asked(lesson)}
    said = {says: [learner.missed[name] for learner in found if name in learner.missed] for name, says in named.items()}
    return sorted(((name, one) for name, one in said.items() if one), key=lambda item: -len(item[1]))


def _cells(tag: str, *said: object) -> list[str]:
    """Cells of a row: headings (``th``) or data (``td``)."""
    return [f"<{tag}>{escape(str(one))}</{tag}>" for one in said]


def _table(rows: Sequence[Sequence[str]]) -> str:
    return "<table>\n" + "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows) + "\n</table>"
