"""What helps is said under an error's own words, in both languages: hints.txt, block by block."""

import re
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import minigrad
from minigrad.cures import CURES
from minigrad.hints import hinted
from tests.core.parity import renamed

try:
    import torch
except ImportError:
    torch = None

#: What some programs use beside the library: functions of one's own, which are wrong.
OWN = """
def function(forward, backward):
    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("Times", (torch.autograd.Function,), methods)

Times = function(lambda ctx, x, n: x * n, lambda ctx, grad: (grad, None))
Few = function(lambda ctx, x, n: x * n, lambda ctx, grad: grad)
Many = function(lambda ctx, x, n: x * n, lambda ctx, grad: (grad, grad))
Wrong = function(lambda ctx, x: x * 1, lambda ctx, grad: grad.sum())
Dirty = function(lambda ctx, x, w: ctx.mark_dirty(x) or x * w, lambda ctx, grad: (grad, grad))
nn, optim, F = torch.nn, torch.optim, torch.nn.functional
x, net = torch.ones(2, requires_grad=True), nn.Linear(2, 2)
"""

#: What is said where a GPU is asked for or used: no program here does that.
OF_A_GPU = {
    "Torch not compiled with CUDA", "Cannot access accelerator device", "Found no NVIDIA driver",
    "invalid device ordinal", "to be on the same device", "[found late by a GPU]",
    "minigrad.load: a tensor of the file goes to",
}  # fmt: skip

#: What IPython alone can add, to an error that is not minigrad's own: test_names.py.
IN_A_NOTEBOOK = {"[minigrad's]", "has no attribute 'register_hooks'", "No module named 'minigrad."}
IN_A_NOTEBOOK |= {"'generator' object has no attribute 'next'"}


def blocks() -> list[Any]:
    text = Path(__file__).with_name("hints.txt").read_text(encoding="utf-8")
    found = []
    for block in text.strip().split("\n\n")[1:]:
        program, same, line, words = re.fullmatch(r"(.*)\n([!=]) (.*)\n\? (.*)", block, re.DOTALL).groups()
        found.append(pytest.param(program, same == "!", line, words.split(" / "), id=f"{program} ? {words}"))
    return found


def ended(library: ModuleType, program: str, folder: Path = Path("no folder")) -> tuple[str, list[tuple[str, str]]]:
    """The first line of the error that a program ends in, and the hints in both languages."""
    read_only = np.ones(2)
    read_only.flags.writeable = False
    known = {"torch": library, "real": torch, "np": np, "read_only": read_only}
    known |= {"path": folder / "a.pth", "damaged": Path(__file__)}
    library.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(OWN, known)
        try:
            exec(program, known)
        except Exception as error:
            line = f"{type(error).__name__}: {str(error).splitlines()[0]}".replace(str(Path(__file__)), "a.pth")
            return line, getattr(error, "_hints", [])
    return "no error", []


@pytest.mark.parametrize(("program", "same", "line", "words"), blocks())
def test_what_helps(program: str, same: bool, line: str, words: list[str], tmp_path: Path) -> None:
    if "real" in program and torch is None:
        pytest.skip("PyTorch, which the program mixes in, is not installed")
    said, hints = ended(minigrad, program, tmp_path)
    assert (renamed(said) if same else said) == line
    assert len(hints) == 1
    for hint, word in zip(hints[0], words * 2):
        assert word in hint
    if same and torch is not None:
        assert renamed(ended(torch, program, tmp_path)[0]) == line


@pytest.mark.skipif(torch is None, reason="PyTorch, which some programs mix in, is not installed")
def test_every_row_is_called_for(tmp_path: Path) -> None:
    """And what stands in braces there is given by whoever raises the error."""
    waiting = {english: words for words, (english, _) in CURES.items() if words not in OF_A_GPU | IN_A_NOTEBOOK}
    for block in blocks():
        for english, _ in ended(minigrad, block.values[0], tmp_path)[1]:
            said = [row for row in waiting if re.fullmatch(re.sub(r"\\{.*?\\}", ".*", re.escape(row)), english)]
            for row in said:
                del waiting[row]
    assert list(waiting.values()) == []


def test_no_row_hides_another() -> None:
    """The first that fits is taken: the words of each row lead to that row."""
    given = dict.fromkeys(("node", "shape", "name", "kind", "order"), "")
    given |= {"a": (1, 1), "b": (1, 1), "last": 1, "count": 0}
    for words, (english, chinese) in CURES.items():
        (hint,) = hinted(ValueError(words), **given)._hints
        assert hint == (english.format(**given), chinese.format(**given)), words


def test_what_has_no_row_stays_as_it_is() -> None:
    assert not hasattr(hinted(ValueError("as nothing else says")), "_hints")
