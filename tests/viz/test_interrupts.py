"""Ctrl-C in a notebook that the panel follows: the program is where it would be without a panel."""

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.interrupts import interrupted, kernel
from viz.notebook import follow
from viz.notebook.recording import Recording

pytest.importorskip("jupyter_client.manager", reason="no Jupyter kernel to interrupt")


def test_an_interrupted_cell_leaves_the_program_as_it_would_be_without_the_panel() -> None:
    """`python -m tests.interrupts` sends hundreds."""
    with kernel() as (running, client):
        tally = interrupted(running, client, count=24, seed=0)
    assert tally["ended by it"] >= 16
    assert tally["a mode left on"] <= 3, "one of a hundred; PyTorch leaves its own off after one of ten"


HERE = str(Path(follow.__file__).parent)
STEP = """
with ctrl_c:
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    v = w * 3
"""


class CtrlC:
    """Raises KeyboardInterrupt before the first line of the panel's that it has not been raised before, once."""

    def __init__(self) -> None:
        self.before: set[tuple[str, int]] = set()
        self.where: tuple[str, int] | None = None

    def __enter__(self) -> None:
        self.where, self.tracer = None, sys.gettrace()
        sys.settrace(self.call)

    def __exit__(self, *exc_info: object) -> None:
        sys.settrace(self.tracer)

    def call(self, frame: FrameType, event: str, arg: object) -> Any:
        return self.line if frame.f_code.co_filename.startswith(HERE) else None

    def line(self, frame: FrameType, event: str, arg: object) -> Any:
        here = frame.f_code.co_filename, frame.f_lineno
        if event == "line" and self.where is None and here not in self.before:
            self.where = here
            self.before.add(here)
            raise KeyboardInterrupt
        return self.line


def test_an_interrupt_at_any_line_of_the_panel_leaves_nothing_on_the_learners_graph(
    notebook: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gradients are right afterwards, no hook of the panel's is left on a node, and the panel goes on."""
    shell, ctrl_c = notebook.shell, CtrlC()
    monkeypatch.setattr(shell, "showtraceback", lambda *args, **options: None)  # which takes long
    told: list[Any] = []
    tell = Recording._safely
    monkeypatch.setattr(Recording, "_safely", lambda self, *what: told.append(what) or tell(self, *what))
    shell.user_ns["ctrl_c"] = ctrl_c
    notebook.run("w = torch.tensor([1.0, 2.0], requires_grad=True)\nloss = (w * w).sum()")
    recording = shell.user_ns["torch"].is_grad_enabled
    while True:
        error = shell.run_cell(STEP).error_in_exec
        if ctrl_c.where is None:
            break
        assert isinstance(error, KeyboardInterrupt), f"the interrupt at {ctrl_c.where} was swallowed"
        assert recording()
        told.clear()
        w, loss = shell.user_ns["w"], shell.user_ns["loss"]
        w.grad = None
        loss.backward(retain_graph=True)
        assert w.grad.tolist() == [2, 4], ctrl_c.where
        assert not told, f"after an interrupt at {ctrl_c.where} the pass is still listened to"
    assert error is None
    assert len(ctrl_c.before) > 100
    notebook.run("y = w * 5\ny.sum().backward()")
    assert "y.sum()" in [node["title"] for node in notebook.panel.trace["scene"]["nodes"]]
