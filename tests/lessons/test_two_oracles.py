"""One import changed: what the page then prints is what PyTorch prints. (All lessons: test_with_the_panel.py.)"""

from dataclasses import replace
from importlib.util import find_spec

import nbformat
import pytest

from minigrad_lessons import source
from minigrad_lessons.build import DRAWN, execute, path_of
from tests.core.parity import uncalled, untriggered

pytestmark = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed")


def said(output: dict) -> dict:
    """An output without its pictures, without library frames, and without the name of the module."""
    if output["output_type"] == "error":
        return {"ename": output["ename"], "evalue": output["evalue"].replace("minigrad.", "torch.")}
    if output["output_type"] == "stream":
        text = untriggered(output["text"]).replace("minigrad.", "torch.")
        return {"name": output["name"], "text": uncalled(text)}
    return {mime: value.replace("minigrad.", "torch.") for mime, value in output["data"].items() if mime not in DRAWN}


def stored(name, without):
    """Code cells of an English notebook, and what minigrad has printed in each; nbval holds that it still does."""
    book = nbformat.read(path_of(name, "en"), as_version=4)
    outputs = [cell.outputs for cell in book.cells if cell.cell_type == "code"]
    both = zip(source.read(name).code, outputs, strict=True)
    return [(replace(cell, source=cell.for_reader("en")), output) for cell, output in both if without not in cell.tags]


def test_one_changed_import_trains_the_notes_network_on_pytorch():
    """As the learner does it: the first line of the page becomes `import torch`, nothing else."""
    pairs = stored("13_your_own_op", without="exercise")
    cells = [cell for cell, _ in pairs]
    changed = [replace(cell, source=cell.source.replace("import minigrad as torch", "import torch")) for cell in cells]
    assert [a.source == b.source for a, b in zip(cells, changed, strict=True)].count(False) == 1
    theirs = execute(changed, name="torch")
    for (cell, mine), reference in zip(pairs, theirs, strict=True):
        assert [said(o) for o in mine] == [said(o) for o in reference], cell.source
    by_title = {cell.title: output for cell, output in zip(cells, theirs, strict=True)}
    assert "MyReLUBackward" in by_title["network"][0]["data"]["text/plain"]
    losses = [float(line.split()[1]) for line in by_title["training"][0]["text"].splitlines()]
    assert len(losses) == 5
    assert losses == sorted(losses, reverse=True)
    (curve,) = (output for cell, output in zip(cells, theirs, strict=True) if cell.source.startswith("Curve("))
    assert "image/svg+xml" in curve[0]["data"]
