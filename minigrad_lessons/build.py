"""Build the notebooks: ``python -m minigrad_lessons.build``.

Each source is executed twice, in a fresh kernel with an English and one with a Chinese reader. The same source gives
the same bytes at each build: cell ids come from the cells' text, execution counts run from 1, and whatever belongs to
one machine or one moment (addresses, paths, colours of a traceback, live widgets) is left out.

    python -m minigrad_lessons.build                             build every lesson
    python -m minigrad_lessons.build 01_first_gradient           build one
    python -m minigrad_lessons.build --check                     fail when a notebook is not what its source gives
    python -m minigrad_lessons.build --translated 01_first_gradient
                                                        I have read this lesson's Chinese against its English
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import nbformat
from jupyter_client import AsyncKernelManager
from nbclient import NotebookClient

from minigrad_lessons import pictures, source
from minigrad_lessons.kernels import own_sockets
from minigrad_lessons.source import Code, Lesson, LessonError, Prose
from viz.browser import as_html

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = Path(__file__).resolve().parent
Outputs = list[dict[str, Any]]

# Written out instead of taken from the kernel, whose own answer holds the Python patch version.
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
    },
}
# A live widget needs a kernel; the static twin beside it does not.
LIVE = "application/vnd.jupyter.widget-view+json"
# Drawn by the Graphviz of this machine: --check compares the text twin instead.
DRAWN = ("image/svg+xml", "image/png", "text/html")

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")
# From the beginning of a word on: tried at every letter, a picture of 100,000 of them would take seconds.
_CELL_FILE = re.compile(r"(?<![^\s\"])[^\s\"]*ipykernel_\d+[/\\]\d+\.py:\d+")


def build(name: str, languages: Sequence[str] = source.LANGUAGES) -> dict[str, str]:
    """Execute one source for a reader of each language; the notebooks' text by language. Raises LessonError."""
    lesson = source.read(name)
    if found := source.problems(lesson):
        raise LessonError("\n".join(found))
    return {
        lang: write(
            lesson, execute([replace(c, source=c.for_reader(lang)) for c in lesson.code], name=name, lang=lang), lang
        )
        for lang in languages
    }


def execute(cells: Sequence[Code], *, name: str, lang: str = "en", first_on_path: Sequence[Path] = ()) -> list[Outputs]:
    """Run code cells in a fresh kernel, for a reader of `lang`, and return each one's outputs, cleaned.

    `first_on_path` goes before this repository on the kernel's path: that is how the tests run a lesson on PyTorch.
    Raises LessonError when a cell fails and is not tagged ``raises-exception``, or is tagged so and does not fail.
    """
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(c.source, metadata={"tags": list(c.tags)}) for c in cells]
    )
    # a new reader: nothing solved yet
    environment = {k: v for k, v in os.environ.items() if k not in ("MINIGRAD_LANG", "MINIGRAD_PROGRESS")}
    environment["PYTHONPATH"] = os.pathsep.join(map(str, [*first_on_path, ROOT]))
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as sockets:
        place = Path(folder, lang)  # by whose name the language is known
        place.mkdir()
        client = NotebookClient(
            notebook,
            km=AsyncKernelManager(kernel_name="python3", **own_sockets(sockets)),
            timeout=120,
            record_timing=False,
            store_widget_state=False,
            resources={"metadata": {"path": str(place)}},
        )
        try:
            client.execute(env=environment, cleanup_kc=True)  # ours: it ends with the lesson
        except Exception as error:
            raise LessonError(f"{name}: a cell failed\n{_COLOUR.sub('', str(error))}") from error
    cleaned = []
    for cell, ran in zip(cells, notebook.cells, strict=True):
        if ("raises-exception" in cell.tags) != any(o.output_type == "error" for o in ran.outputs):
            raise LessonError(f"{name}: this cell is tagged raises-exception and raised nothing:\n{cell.source}")
        cleaned.append(clean(ran.outputs))
        if leak := re.search(f"{re.escape(str(ROOT))}|{re.escape(sys.prefix)}|ipykernel_", str(cleaned[-1])):
            raise LessonError(f"{name}: an output holds a path of this machine ({leak[0]}):\n{cell.source}")
    return cleaned


def clean(outputs: Sequence[Any]) -> Outputs:
    """Leave out of a cell's outputs what belongs to this machine and this moment."""
    result: Outputs = []
    for output in outputs:
        kind = output["output_type"]
        if kind == "stream":
            text = _mask(output["text"])
            # The kernel cuts a stream where its buffer happened to flush.
            if result and result[-1].get("name") == output["name"]:
                result[-1]["text"] += text
            else:
                result.append({"output_type": kind, "name": output["name"], "text": text})
        elif kind == "error":
            plain = [_mask(_COLOUR.sub("", part)) for part in output["traceback"]]
            # The learner's own lines stay; frames inside libraries hold paths and line numbers of this machine.
            frames = [part for part in plain if not part.startswith("File ")]
            result.append(
                {
                    "output_type": kind,
                    "ename": output["ename"],
                    "evalue": _mask(output["evalue"]),
                    "traceback": frames,
                }
            )
        else:
            data = {mime: _mask(value) for mime, value in output["data"].items() if mime != LIVE}
            if "text/html" in data and "image/svg+xml" in data:
                data["text/html"] = _as_image(data["image/svg+xml"])
            result.append({"output_type": kind, "data": data, "metadata": {}})
    return result


def _as_image(svg: str) -> str:
    """A drawing as an <img>: Jupyter shows that, and not an inline drawing, in a notebook it does not trust yet.

    What the drawing says to who does not see it goes with it: its description, or else its title.
    """
    inside = {part.tag.rpartition("}")[2]: part.text or "" for part in ElementTree.fromstring(svg)}
    return as_html(svg, inside.get("desc") or inside.get("title", ""), unfold=False)


def _mask(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return _CELL_FILE.sub("cell.py:1", _ADDRESS.sub("0x...", value))


def write(lesson: Lesson, outputs: Sequence[Outputs], lang: str) -> str:
    """Return the text of one language's notebook."""
    cells, count, seen = [], 0, {}
    for cell in lesson.cells:
        key = cell.en if isinstance(cell, Prose) else cell.source
        digest = hashlib.sha256(key.encode()).hexdigest()[:12]
        seen[digest] = seen.get(digest, 0) + 1
        identity = digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"
        if isinstance(cell, Prose):
            cells.append(nbformat.v4.new_markdown_cell(getattr(cell, lang), id=identity))
            continue
        metadata: dict[str, Any] = {}
        if cell.title:
            metadata["title"] = cell.title
        if cell.tags:
            metadata["tags"] = list(cell.tags)
        if cell.covers:
            metadata["covers"] = list(cell.covers)
        numbered = []
        for output in outputs[count]:
            counted = {"execution_count": count + 1} if output["output_type"] == "execute_result" else {}
            numbered.append(nbformat.from_dict({**output, **counted}))
        count += 1
        cells.append(
            nbformat.v4.new_code_cell(
                cell.for_reader(lang), id=identity, metadata=metadata, execution_count=count, outputs=numbered
            )
        )
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=METADATA)
    notebook.nbformat_minor = 5
    nbformat.validate(notebook)
    return nbformat.writes(notebook) + "\n"


def path_of(name: str, lang: str) -> Path:
    """Where a lesson's notebook lies."""
    return NOTEBOOKS / lang / f"{name}.ipynb"


def picture_of(name: str) -> Path:
    """Where the index's small picture of a lesson lies."""
    return NOTEBOOKS / "pictures" / f"{name}.svg"


def comparable(text: str) -> list[Any]:
    """What --check compares: everything but what another Graphviz or IPython would draw differently, or Python says
    since 3.14."""
    cells = nbformat.reads(text.replace(" (missed __exit__ method)", ""), as_version=4).cells
    for cell in cells:
        for output in cell.get("outputs", []):
            if "traceback" in output:  # the hints alone: IPython's ways to show the rest differ
                output["traceback"] = [part for part in output["traceback"] if part.startswith("minigrad")]
            for mime in DRAWN:
                if mime in output.get("data", {}):
                    output["data"][mime] = "drawn"
    return cells


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 0 when every lesson is built, or fresh."""
    parser = argparse.ArgumentParser(
        prog="python -m minigrad_lessons.build", description="Build the lessons' notebooks."
    )
    parser.add_argument("names", nargs="*", help="lessons to build, such as 01_first_gradient (default: all)")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a notebook is stale")
    parser.add_argument(
        "--translated", action="store_true", help="record that the Chinese was read against the English of today"
    )
    options = parser.parse_args(arguments)
    failed = False
    for name in options.names or source.pages():
        try:
            if options.translated:
                print(f"{name}: {source.stamp(name)} paragraphs recorded as translated")
            failed |= not (_check(name) if options.check else _build(name))
        except LessonError as error:
            print(error, file=sys.stderr)
            failed = True
    return int(failed)


def _build(name: str) -> bool:
    texts = build(name)
    for lang, text in texts.items():
        path = path_of(name, lang)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        print(f"{lang}/{path.name}")
    if drawn := pictures.picture(name, texts["en"]):
        path = picture_of(name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(drawn, encoding="utf-8", newline="\n")
    return True


def _check(name: str) -> bool:
    fresh = True
    for lang, text in build(name).items():
        path = path_of(name, lang)
        stored = path.read_text(encoding="utf-8") if path.exists() else None
        if stored == text:
            print(f"{lang}/{path.name}: fresh")
        elif stored is not None and comparable(stored) == comparable(text):
            print(f"{lang}/{path.name}: fresh, though its pictures would now be drawn differently")
        else:
            print(f"{lang}/{path.name}: stale. Run `python -m minigrad_lessons.build {name}`.", file=sys.stderr)
            fresh = False
    return fresh


if __name__ == "__main__":
    sys.exit(main())
