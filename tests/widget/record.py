"""What the panel's tests in JavaScript are shown: `python tests/widget/record.py` records it anew.

Each program is run with minigrad under `viz.record`, as the panel does it, and its state is kept as JSON of
live.schema.json. tests/widget/test_widget.py holds the files to what is recorded now.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import minigrad as torch
import viz
from viz.model.protocol import is_tensor
from viz.notebook.scene import Scenes
from viz.picture.fold import View

HERE = Path(__file__).parent / "fixtures"


def chain(show: Show) -> None:
    """The smallest whole pass; the cell that made it is known."""
    w = torch.tensor(2.0, requires_grad=True)
    x = torch.tensor(3.0)
    b = torch.tensor(1.0, requires_grad=True)
    z = w * x + b
    loss = z**2
    code = inspect.getsource(chain).splitlines()[2:7]
    made = {w: 1, x: 2, b: 3, z.grad_fn.next_functions[0][0]: 4, z.grad_fn: 4, loss.grad_fn: 5}
    show.scenes.codes = {2: [line.strip() for line in code], 3: ["loss.backward()"]}
    show.scenes.origin = lambda it: f"In [2], line {made[it]}: {code[made[it] - 1].strip()}" if it in made else ""
    show.scene(w=w, x=x, b=b, z=z, loss=loss)
    show.backward(loss, "loss.backward()", w=w, x=x, b=b, z=z, loss=loss)


def twice(show: Show) -> None:
    """A node that waits for two gradients, a leaf whose .grad has something in it, vectors."""
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    (w * 10).sum().backward()
    y = w.exp()
    s = (y * y + y).sum()
    show.backward(s, "s.backward()", w=w, y=y, s=s)
    show.losses += [[1, 4.0], [2, 2.0], [3, 2.5], [4, 0.125]]


def error(show: Show) -> None:
    """A second pass through a graph whose saved tensors are freed."""
    w = torch.tensor(2.0, requires_grad=True)
    y = w.sin()
    loss = y * y + 1
    loss.backward()
    show.backward(loss, "loss.backward()", w=w, y=y, loss=loss)


def moved(show: Show) -> None:
    """A name that is bound to another tensor."""
    w = torch.tensor(2.0, requires_grad=True)
    (w * w).backward()
    show.scene(w=w)
    show.scene(w=w - w.grad)


def folded(show: Show) -> None:
    """A long chain, whose middle is drawn as one node, and a pass through it."""
    x = y = torch.tensor(0.5, requires_grad=True)
    for _ in range(32):
        y = (y * x).sin()
    show.scene(x=x, y=y)
    show.backward(y, "y.backward()", x=x, y=y)


class _Kept(torch.autograd.Function):
    """Keeps the gradient of its second argument for itself."""

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        return a * b

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad, None


def nothing(show: Show) -> None:
    """A leaf and a result to which no gradient comes."""
    a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
    c = b * 2
    loss = _Kept.apply(a, c)
    show.backward(loss, "loss.backward()", a=a, b=b, c=c, loss=loss)


PROGRAMS = (chain, twice, error, moved, folded, nothing)


class Show:
    """Collects what a panel would be given."""

    def __init__(self) -> None:
        self.scenes = Scenes(View())
        self.last: dict[str, Any] | None = None
        self.trace: dict[str, Any] | None = None
        self.losses: list[list[float]] = []
        self.kept: list[Any] = []  # ids are those of living tensors

    def scene(self, **names: Any) -> None:
        """The scene of these variables."""
        self.kept.append(names)
        self.last = self.scenes.scene(self.scenes.read(list(names.items()), cell=2))

    def backward(self, root: Any, call: str, /, **names: Any) -> None:
        """The scene and trace of ``root.backward()``."""
        self.kept.append(names)
        run = viz.record(root)
        try:
            with run:
                root.backward()
        except RuntimeError:
            pass  # is in the recording
        named = [(name, value) for name, value in names.items() if is_tensor(value)]
        read = self.scenes.read(named, run, cell=3, call=call)
        self.trace = self.scenes.trace(run, read, f"In [3], line 1: {call}")()
        if self.last is None:
            self.last = self.scenes.scene(self.scenes.read(named, cell=3))

    @property
    def state(self) -> dict[str, Any]:
        """What the panel is given."""
        return {"scene": self.last, "trace": self.trace, "losses": self.losses}


def recorded(program: Callable[[Show], None]) -> str:
    """The JSON text of a program's state."""
    show = Show()
    program(show)
    return json.dumps(show.state, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    for program in PROGRAMS:
        (HERE / f"{program.__name__}.json").write_text(recorded(program), encoding="utf-8")
