"""The lessons as a learner has them: copied from the package, brought up to date where nobody has edited them.

What was copied is known by its fingerprint, in ``.minigrad-lessons.json`` beside the folder of the lessons: a notebook
that has run is the same notebook, one in which a cell says something else is the learner's.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from minigrad_lessons.language import LANGUAGES

PACKAGE = Path(__file__).resolve().parent
RECORD = ".minigrad-lessons.json"
_BESIDE = re.compile(r"\]\((\.\./[^)#\s]+)")  # a link out of its folder, such as one to the engine's source


class Copied(NamedTuple):
    """What was written that was not there; what nobody had edited and is as it now comes; what was edited and stays,
    although it now comes otherwise."""

    new: list[Path]
    refreshed: list[Path]
    kept: list[Path]


def copy_lessons(folder: Path, answered: Callable[[str, dict[str, Any]], None] | None = None) -> Copied:
    """Put the notebooks under `folder`/lessons, and what they link to beside them.

    A file that a learner has edited stays as it is. The notebooks have not run: who is to predict a result must not
    read it below. `answered` may change each, by its name without suffix.
    """
    targets = {folder / place: source for place, source in _wanted().items()}
    known = _read(folder / RECORD)
    for parent in {target.parent for target in targets}:  # all of them before the first file
        parent.mkdir(parents=True, exist_ok=True)
    copied, now = Copied([], [], []), dict(known)
    for target, source in targets.items():
        content, name = _as_it_comes(source, answered), target.relative_to(folder).as_posix()
        comes = fingerprint(target.suffix, _as_it_comes(source, None) if answered else content)  # answers are edits
        if _write_new(target, content):
            copied.new.append(target)
        elif (theirs := fingerprint(target.suffix, target.read_bytes())) != comes:
            if theirs == known.get(name):
                replace(target, content)
                copied.refreshed.append(target)
            elif known.get(name) != comes:
                copied.kept.append(target)
        now[name] = comes
    if now != known:
        replace(folder / RECORD, (json.dumps(now, indent=0, sort_keys=True) + "\n").encode())
    return copied


def fingerprint(suffix: str, content: bytes) -> str:
    """Of a notebook, what its cells say, whether they have run or not; of any other file, every byte."""
    if suffix == ".ipynb":
        try:
            cells = [[cell["cell_type"], "".join(cell["source"])] for cell in json.loads(content)["cells"]]
            # JupyterLab adds an empty cell below the last one that is run
            content = json.dumps([cell for cell in cells if cell[1].strip()]).encode()
        except (ValueError, LookupError, TypeError):  # no notebook any more
            pass
    return hashlib.sha256(content).hexdigest()[:16]


def _wanted() -> dict[Path, Path]:
    """Where each file is to lie, below the learner's folder → the file of the package."""
    wanted = {Path("lessons", lang, path.name): path for lang in LANGUAGES for path in (PACKAGE / lang).glob("*.ipynb")}
    for place, notebook in list(wanted.items()):
        for linked in _BESIDE.findall(notebook.read_text(encoding="utf-8")):
            wanted[Path(os.path.normpath(place.parent / linked))] = (notebook.parent / linked).resolve()
    return dict(sorted(wanted.items()))


def _as_it_comes(source: Path, answered: Callable[[str, dict[str, Any]], None] | None) -> bytes:
    if source.suffix != ".ipynb":
        return source.read_bytes()
    book = json.loads(source.read_text(encoding="utf-8"))
    if answered:
        answered(source.stem, book)
    folded(book, source.parent.name)
    return as_before_its_run(book).encode("utf-8")


def _read(record: Path) -> dict[str, str]:
    try:
        known = json.loads(record.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _write_new(target: Path, content: bytes) -> bool:
    """Write a file that is not there, or is empty, as one whose copying was killed; False where it is."""
    try:
        file = target.open("xb")
    except FileExistsError:
        if empty := not target.stat().st_size:
            replace(target, content)
        return empty
    try:
        with file:
            file.write(content)
    except BaseException:  # half a file would be taken for the learner's own
        target.unlink()
        raise
    return True


def replace(target: Path, content: bytes) -> None:
    """Write a file in the place of another, all of it or nothing; two programs may do so at the same moment."""
    half = target.with_name(f"{target.name}.{os.getpid()}")
    try:
        half.write_bytes(content)
        half.replace(target)
    except BaseException:
        half.unlink(missing_ok=True)
        raise


def folded(book: Any, lang: str) -> Any:
    """The notebook, with the paragraph below each cell that reveals an answer folded: it would give it away."""
    summary = {"zh": "为什么？"}.get(lang, "Why?")
    for cell, following in itertools.pairwise(book["cells"]):
        first, blank, rest = "".join(following["source"]).partition("\n\n")
        asks = re.match("#|>", first) or "redict first" in first or "先预测" in first
        if "reveal(" in "".join(cell["source"]) and following["cell_type"] == "markdown" and not asks:
            text = f"<details><summary>{summary}</summary>\n\n{first}\n\n</details>{blank}{rest}"
            as_lines = isinstance(following["source"], list)  # as they stand in a file
            following["source"] = text.splitlines(keepends=True) if as_lines else text
    return book


def as_before_its_run(book: dict[str, Any]) -> str:
    """A notebook's text without outputs and numbers of runs; what its cells say stays to the letter.

    As its kernel it names the one that JupyterLab will start, in JupyterLab's words: it would write them at once, and
    ask at the end whether to save a notebook that nobody has touched.
    """
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
    book["metadata"].update(_kernel())
    return json.dumps(book, ensure_ascii=False, indent=1) + "\n"


@functools.cache
def _kernel() -> dict[str, Any]:
    try:
        from ipykernel.ipkernel import IPythonKernel
        from jupyter_client.kernelspec import get_kernel_spec

        spec = get_kernel_spec("python3")
    except (ImportError, KeyError):  # no such kernel: `minigrad doctor` says so
        return {}
    named = {"display_name": spec.display_name, "language": spec.language, "name": "python3"}
    return {"kernelspec": named, "language_info": IPythonKernel.language_info}
