"""The gallery's notebook is what its source says, run from top to bottom; nbval runs it again and compares."""

import json
from pathlib import Path

import pytest

jupytext = pytest.importorskip("jupytext")

FOLDER = Path(__file__).parents[2] / "docs" / "gallery"


def cells():
    book = json.loads((FOLDER / "gallery.ipynb").read_text(encoding="utf-8"))
    return [cell for cell in book["cells"] if cell["cell_type"] == "code"]


def test_notebook_is_built_from_its_source():
    """Where this fails, or nbval does: look at the new pictures, then run `python docs/gallery/build.py`."""
    source = jupytext.read(FOLDER / "gallery.py")
    assert ["".join(c["source"]) for c in cells()] == [c.source for c in source.cells if c.cell_type == "code"]


def test_every_cell_ran():
    """nbval passes a cell that never ran without looking."""
    numbers = [cell["execution_count"] for cell in cells()]
    assert numbers == list(range(1, len(numbers) + 1))
    empty = [cell["source"] for cell in cells() if not cell["outputs"]]
    assert len(empty) == 1, "only the imports show nothing"
