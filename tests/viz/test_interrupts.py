"""Ctrl-C in a notebook that the panel follows: the program is where it would be without a panel."""

import itertools
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Empty
from types import FrameType
from typing import Any

import pytest

from viz.notebook import follow
from viz.notebook.steps import Recording

manager = pytest.importorskip("jupyter_client.manager", reason="no Jupyter kernel to interrupt")

#: After `done` steps w is one of `path`: what an interrupt falls into is either done or not.
SETUP = """
import time
import minigrad as torch, viz
from minigrad.autograd import grad_mode
def step(w):
    w.grad = None
    ((w * w - 2) ** 2).sum().backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
w = torch.tensor([1.0, 3.0], requires_grad=True)
path = [w.tolist()]
for _ in range(20):
    step(w)
    path.append(w.tolist())
usual = grad_mode.mode.__dict__.copy()
panel = viz.live()
follower = panel.follower
show = follower._show_pass
def slowly(*given):
    time.sleep(0.2)
    show(*given)
"""
LOOPS = {
    "for ever": """
while True:
    w = torch.tensor([1.0, 3.0], requires_grad=True)
    for done in range(20):
        step(w)
""",
    "while the panel draws a pass": """
follower._show_pass = slowly
try:
    while True:
        w = torch.tensor([1.0, 3.0], requires_grad=True)
        for done in range(20):
            step(w)
finally:
    follower._show_pass = show
""",
    "until the panel draws": """
w = torch.tensor([1.0, 3.0], requires_grad=True)
for done in range(20):
    step(w)
""",
}
CHECK = """
left_on = grad_mode.mode.__dict__ != usual
grad_mode.restore(usual)
assert w.tolist() in path[done:done + 2] or w.tolist() == path[0], (done, w)
before = w.tolist()
v = torch.tensor([1.0, 2.0], requires_grad=True)
(v * v).sum().backward()
assert v.grad.tolist() == [2, 4]
assert panel.follower is not None
"""


@pytest.fixture
def kernel() -> Iterator[Any]:
    running, client = manager.start_new_kernel(startup_timeout=60)
    try:
        yield running, client
    finally:
        client.stop_channels()
        running.shutdown_kernel(now=True)


def run(client: Any, code: str) -> dict[str, Any]:
    """A cell, and what it gave: of `left_on`, too."""
    asked = {"left_on": "left_on", "drawn": "len(panel.scene['nodes'])"}
    return client.execute_interactive(code, user_expressions=asked, timeout=30, output_hook=lambda _: None)["content"]


def test_an_interrupted_cell_leaves_the_program_as_it_would_be_without_the_panel(kernel: Any) -> None:
    running, client = kernel
    chance = random.Random(0)
    assert run(client, SETUP)["status"] == "ok"
    left_on = ended = 0
    for name in itertools.islice(itertools.cycle(LOOPS), 24):
        begins = 'print("begun", flush=True)' + LOOPS[name]
        asked = client.execute(begins, stop_on_error=False)  # which would drop the next cell, too
        while client.get_iopub_msg(timeout=30)["msg_type"] != "stream":
            pass  # a busy machine takes its time until the cell runs
        time.sleep(chance.uniform(0.005, 0.1))
        running.interrupt_kernel()
        try:
            reply = client.get_shell_msg(timeout=30)
        except Empty:  # the cell has ended, and it fell into what Jupyter does then, which answers no more
            assert "until" in name
            continue
        assert reply["parent_header"]["msg_id"] == asked
        said = reply["content"]
        if "until" not in name or said["status"] != "ok":
            assert said["ename"] == "KeyboardInterrupt", said
            ended += 1
        reply = run(client, CHECK)
        assert reply["status"] == "ok", reply.get("traceback")
        left_on += reply["user_expressions"]["left_on"]["data"]["text/plain"] == "True"
    assert ended >= 16
    assert left_on <= 1, "PyTorch leaves a mode on after one of 400"
    reply = run(client, "loss = (w * 2).sum(); loss.backward(); left_on = 0")
    end = time.monotonic() + 30
    while int(reply["user_expressions"]["drawn"]["data"]["text/plain"]) < 2:  # a busy machine draws it a little later
        assert time.monotonic() < end, "the panel goes on drawing"
        time.sleep(0.1)
        reply = run(client, "pass")


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
