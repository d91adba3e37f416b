"""The lesson's cells about block 44 of the notes say the same on a machine with a GPU, or its stand-in, and without."""

import contextlib
import io

import pytest

from tests.device import machine

pytest.importorskip("jupytext", reason="reads the lessons")

LESSON = "04_leaves"


def said(cells: list[str]) -> str:
    """What the cells print, one after the other, as in a notebook."""
    variables: dict = {}
    exec("import minigrad as torch", variables)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for code in cells:
            exec(code, variables)
    return printed.getvalue()


@pytest.mark.skipif(machine.is_real(), reason="there is no machine without a GPU here")
def test_block_44_says_the_same_with_and_without_a_gpu() -> None:
    from minigrad_lessons import source

    cells = [
        cell.source
        for cell in source.read(LESSON).cells
        if isinstance(cell, source.Code) and 44 in cell.covers and "exercise" not in cell.tags
    ]
    assert any('torch.device("cuda")' in code for code in cells)
    without = said(cells)
    with machine.gpu(default=False):
        assert said(cells) == without
