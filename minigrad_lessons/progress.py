"""How far a learner is: the exercises that said ✅, in one small file beside the notebooks.

The file, ``minigrad-progress.json``, is a list of names such as ``first_gradient.slope``. Delete it to start over.
Nothing in it leaves the machine. The environment variable ``MINIGRAD_PROGRESS`` names another place.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from minigrad_lessons.language import Says

SOURCES = Path(__file__).parent / "src"


def place(folder: Path | None = None) -> Path:
    """Where the progress of the notebooks in `folder` (default: here) is kept: one file for both languages."""
    if named := os.environ.get("MINIGRAD_PROGRESS"):
        return Path(named)
    folder = (folder or Path()).resolve()
    return (folder.parent if folder.name in ("en", "zh") else folder) / "minigrad-progress.json"


def solved(folder: Path | None = None) -> set[str]:
    """The exercises that have said ✅; none when the file is missing or holds something else."""
    try:
        names = json.loads(place(folder).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return set()
    return {name for name in names if isinstance(name, str)} if isinstance(names, list) else set()


def record(exercise: str) -> None:
    """Keep that an exercise said ✅. Where nothing can be written, nothing is kept: the verdict matters more."""
    names = solved()
    if exercise in names:
        return
    target = place()
    half = target.with_name(f"{target.name}.{os.getpid()}")  # two notebooks may be answered at the same moment
    try:
        half.write_text(json.dumps(sorted(names | {exercise}), indent=0) + "\n", encoding="utf-8")
        half.replace(target)
    except OSError:
        half.unlink(missing_ok=True)


def _text(lesson: str) -> str:
    """A page's source; empty where there is none."""
    try:
        return (SOURCES / f"{lesson}.py").read_text(encoding="utf-8")
    except OSError:
        return ""


def _stubs(lesson: str) -> dict[str, str]:
    """The exercises of a lesson, in order, each with what its cell holds before anybody has answered."""
    text = _text(lesson)
    module = re.search(r"^from minigrad_lessons\.checks import (\w+) as check$", text, re.MULTILINE)
    cells = re.findall(r"^# %%(.*)\n((?:(?!# %%).*\n?)*)", text, re.MULTILINE)
    stubs = [code for head, code in cells if 'tags=["exercise"' in head]
    return {f"{module[1]}.{name}": code for code in stubs if module for name in re.findall(r"\bcheck\.(\w+)\(", code)}


def exercises(lesson: str) -> list[str]:
    """The exercises of a lesson, such as ``01_first_gradient``, in order; none for a page that is no lesson."""
    return list(_stubs(lesson))


def stub(exercise: str) -> str:
    """What the cell of an exercise, such as ``updating.repair``, holds before anybody has answered; else nothing."""
    lessons = sorted(path.stem for path in SOURCES.glob("[0-9][0-9]_*.py"))
    return next((stubs[exercise] for stubs in map(_stubs, lessons) if exercise in stubs), "")


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
    index, *lessons = sorted(folder.glob("[0-9][0-9]_*.ipynb"))
    return next((lesson for lesson in lessons if not finished(lesson)), index)


def show() -> None:
    """Print each lesson's exercises, ✅ or ⬜, in the reader's language."""
    done = solved()
    for lesson in sorted(path.stem for path in SOURCES.glob("[0-9][0-9]_*.py")):
        if names := exercises(lesson):
            title, *called = titles(lesson)
            marks = ("✅" if name in done else "⬜" for name in names)
            print(f"{int(lesson[:2]):2}  {title}")
            print("   ", "   ".join(f"{mark} {exercise}" for mark, exercise in zip(marks, called, strict=True)))
