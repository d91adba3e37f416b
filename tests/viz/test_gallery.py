"""The gallery's notebook shows what its cells give today."""

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the gallery draws PyTorch's graphs too")
jupytext = pytest.importorskip("jupytext")
interactiveshell = pytest.importorskip("IPython.core.interactiveshell")

FOLDER = Path(__file__).parents[2] / "docs" / "gallery"


def cells():
    book = json.loads((FOLDER / "gallery.ipynb").read_text(encoding="utf-8"))
    return [cell for cell in book["cells"] if cell["cell_type"] == "code"]


def shown(cell):
    """The text that a stored cell printed or gave."""
    for output in cell["outputs"]:
        yield "".join(output["text"] if output["output_type"] == "stream" else output["data"]["text/plain"])


def test_notebook_is_built_from_its_source():
    source = jupytext.read(FOLDER / "gallery.py")
    assert ["".join(c["source"]) for c in cells()] == [c.source for c in source.cells if c.cell_type == "code"]


def test_every_cell_gives_what_the_notebook_shows(capsys):
    """Where this fails, look at the new pictures, then run `python docs/gallery/build.py`."""
    shell = interactiveshell.InteractiveShell()
    for cell in cells():
        code = "".join(cell["source"])
        result = shell.run_cell(code)
        result.raise_error()
        printed = capsys.readouterr().out
        said = printed if result.result is None else repr(result.result)
        assert said.strip() == "".join(shown(cell)).strip(), code
