"""How far a learner is: what the exercises said and what was predicted, in one small file beside the notebooks.

The file, ``minigrad-progress.json``, holds names of exercises, such as ``first_gradient.slope``, under "solved"; under
"refused" how often an exercise said ❌, the last hint that had been read, and its last words; under "predictions" what
was said the first time, whether it held, and how often it was tried. Delete it to start over. Nothing in it leaves the
machine. The environment variable ``MINIGRAD_PROGRESS`` names another place.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from minigrad_lessons.copies import replace
from minigrad_lessons.language import Says, speak

SOURCES = Path(__file__).parent / "src"
_BROKEN = (ValueError, RecursionError)  # what a file raises that is no JSON, or all brackets


def place(folder: Path | None = None) -> Path:
    """Where the progress of the notebooks in `folder` (default: here) is kept: one file for both languages."""
    named = os.environ.get("MINIGRAD_PROGRESS")
    return Path(named).expanduser() if named else beside(folder or Path())


def beside(folder: Path) -> Path:
    """Where it is kept if nobody names another place."""
    folder = folder.resolve()
    return (folder.parent if folder.name in ("en", "zh") else folder) / "minigrad-progress.json"


def kept_in(file: Path) -> dict[str, Any]:
    """What a file of progress holds; nothing when it is missing or holds something else."""
    try:
        found = _as_written(file)
    except (OSError, *_BROKEN):
        found = {}
    return _understood(found)


def can_be_read(file: Path) -> bool:
    """Whether a file of progress is there and holds JSON."""
    try:
        _as_written(file)
    except (OSError, *_BROKEN):
        return False
    return True


def _as_written(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8-sig"))  # an editor may put its mark before what it saves


def _understood(found: Any) -> dict[str, Any]:
    """What is meant in what a file holds."""
    if isinstance(found, list):  # how it was written before there were predictions
        found = {"solved": found}
    found = found if isinstance(found, dict) else {}
    names = found.get("solved")
    kept: dict[str, Any] = {
        "solved": sorted({name for name in names if isinstance(name, str)}) if isinstance(names, list) else []
    }
    for key in ("predictions", "refused"):
        said = found.get(key)
        kept[key] = said if isinstance(said, dict) and all(isinstance(one, dict) for one in said.values()) else {}
    return kept


def solved(folder: Path | None = None) -> set[str]:
    """The exercises that have said ✅."""
    return set(_own(folder)["solved"])


def predictions(folder: Path | None = None) -> dict[str, dict[str, Any]]:
    """By name: what was ``said`` the first time, whether it was ``right``, and how many ``attempts`` there were."""
    return _own(folder)["predictions"]


def _own(folder: Path | None) -> dict[str, Any]:
    try:
        return kept_in(place(folder))
    except OSError:  # the folder that the kernel runs in is gone
        return _understood({})


def record(exercise: str) -> None:
    """Keep that an exercise said ✅."""
    _change(lambda kept: {"solved": sorted({*kept["solved"], exercise})})


def refused(exercise: str, said: Says, hint: int) -> None:
    """Keep that an exercise said ❌: how often by now, the last hint that had been read (0: none), and what it said."""
    _one_more("refused", exercise, {}, {"hint": hint, "en": said.en[:300], "zh": said.zh[:300]})


def predicted(name: str, said: str, right: bool) -> None:
    """Keep a prediction: the first one, and how many there were."""
    _one_more("predictions", name, {"said": said, "right": right}, {})


def _one_more(kind: str, name: str, first: dict[str, Any], latest: dict[str, Any]) -> None:
    """Keep one more attempt: of the first what it was, of the latest what it is, and how many there were."""

    def counted(kept: dict[str, Any]) -> dict[str, Any]:
        before = kept[kind].get(name, first)
        attempts = before.get("attempts", 0)
        one = before | latest | {"attempts": attempts + 1 if isinstance(attempts, int) else 1}
        return {kind: kept[kind] | {name: one}}

    _change(counted)


def _change(change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Write what changes. Where that cannot be, nothing is kept, which is said once: what the learner reads matters
    more. A file that holds something else, as after a comma too many, is put aside and not written over.
    """
    try:
        with _alone(file := place()):
            try:
                found = _as_written(file)
            except FileNotFoundError:
                found = {}
            except _BROKEN:
                aside = (file.with_name(f"{file.name}{n or ''}.broken") for n in itertools.count())
                file.replace(next(path for path in aside if not path.exists()))
                found = {}
            kept = _understood(found)
            if (now := kept | change(kept)) != found:
                replace(file, (json.dumps(now, indent=0, ensure_ascii=False) + "\n").encode(errors="replace"))
    except OSError as error:
        _not_kept(os.environ.get("MINIGRAD_PROGRESS", "minigrad-progress.json"), error.strerror or "")


@functools.cache  # once is enough
def _not_kept(file: str, why: str) -> None:
    en = f"Your progress cannot be kept in {file}: {why}. Set MINIGRAD_PROGRESS to a file that you may write."
    zh = f"无法把学习进度保存到 {file}：{why}。请把环境变量 MINIGRAD_PROGRESS 设为一个可以写入的文件。"
    speak("⚠️", Says(en, zh))


@contextlib.contextmanager
def _alone(file: Path) -> Iterator[None]:
    """Let one notebook write after the other: both would write what they had read, without what the other adds."""
    lock = file.with_name(f"{file.name}.lock")
    for _ in range(100):  # a kernel that was killed may have left its lock: then go on after a second
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            time.sleep(0.01)
        except OSError:  # nothing can be written there
            break
        else:
            break
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)


def _text(lesson: str) -> str:
    """A page's source; empty where there is none."""
    try:
        return (SOURCES / f"{lesson}.py").read_text(encoding="utf-8")
    except OSError:
        return ""


def cells(lesson: str) -> list[tuple[str, str]]:
    """Each cell of a page's source: what its first line says of it, and what it holds."""
    return re.findall(r"^# %%(.*)\n((?:(?!# %%).*\n?)*)", _text(lesson), re.MULTILINE)


def _stubs(lesson: str) -> dict[str, str]:
    """The exercises of a lesson, in order, each with what its cell holds before anybody has answered."""
    text = _text(lesson)
    module = re.search(r"^from minigrad_lessons\.checks import (\w+) as check$", text, re.MULTILINE)
    stubs = [code for head, code in cells(lesson) if 'tags=["exercise"' in head]
    return {f"{module[1]}.{name}": code for code in stubs if module for name in re.findall(r"\bcheck\.(\w+)\(", code)}


def lessons() -> list[str]:
    """The sources that are lessons, in order; the index is none."""
    return sorted(path.stem for path in SOURCES.glob("[0-9][0-9]_*.py") if not path.stem.startswith("00"))


def exercises(lesson: str) -> list[str]:
    """The exercises of a lesson, such as ``01_first_gradient``, in order; none for a page that is no lesson."""
    return list(_stubs(lesson))


def asked(lesson: str) -> list[str]:
    """The predictions that a lesson asks for, in order."""
    return re.findall(r'^predict\("([\w-]+)"', _text(lesson), re.MULTILINE)


def stub(exercise: str) -> str:
    """What the cell of an exercise, such as ``updating.repair``, holds before anybody has answered; else nothing."""
    return next((stubs[exercise] for stubs in map(_stubs, lessons()) if exercise in stubs), "")


def titles(lesson: str) -> list[Says]:
    """What a lesson and, after it, each of its exercises is called, as its headings say."""
    headings = re.findall(r"^# (?:# \d+ · |### (?:Exercise|练习) \d+(?:: |：))(.+)$", _text(lesson), re.MULTILINE)
    return [Says(en, zh) for en, zh in zip(headings[::2], headings[1::2], strict=True)]


def finished(notebook: Path) -> bool:
    """Whether every exercise of a notebook has said ✅. One without exercises never is."""
    wanted = set(exercises(notebook.stem))
    return bool(wanted) and wanted <= solved(notebook.parent)


def first_unfinished(folder: Path) -> Path:
    """The notebook to go on with; the index (``00_…``) when there is nothing left to do."""
    notebooks = (folder / f"{lesson}.ipynb" for lesson in lessons())  # and not the copies that a learner has made
    return next((one for one in notebooks if one.exists() and not finished(one)), folder / "00_index.ipynb")


def to_review(most: int = 3) -> list[str]:
    """The lessons to look at again: those in which most was predicted wrongly and not tried since, a few at a time."""
    missed = {name for name, one in predictions().items() if one.get("right") is False and one.get("attempts") == 1}
    counts = {lesson: len(missed & set(asked(lesson))) for lesson in lessons()}
    return sorted((lesson for lesson in lessons() if counts[lesson]), key=lambda lesson: -counts[lesson])[:most]


def show() -> None:
    """Print each lesson's exercises, ✅ or ⬜, in the reader's language."""
    done = solved()
    for lesson in lessons():
        if names := exercises(lesson):
            title, *called = titles(lesson)
            marks = ("✅" if name in done else "⬜" for name in names)
            print(f"{int(lesson[:2]):2}  {title}")
            print("   ", "   ".join(f"{mark} {exercise}" for mark, exercise in zip(marks, called, strict=True)))
    if made := predictions():
        held = sum(one.get("right") is True for one in made.values())
        print(Says(f"{len(made)} predictions, {held} right", f"{len(made)} 次预测，对了 {held} 次"))
    if again := to_review():
        en, zh = zip(
            *(
                (f"{int(lesson[:2])} {titles(lesson)[0].en}", f"{int(lesson[:2])} {titles(lesson)[0].zh}")
                for lesson in again
            )
        )
        print(Says(f"To review today: {', '.join(en)}", f"今天该复习：{'、'.join(zh)}"))
