"""A long scalar expression: h ← relu(h · w + b) + x, the operations that micrograd has, too."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..contest import Row, Timed
from ..peers import load

X, W, B = 0.5, 0.75, -0.25


def expression(x: Any, w: Any, b: Any, steps: int) -> Any:
    """The expression, in the words that all libraries share."""
    h = x
    for _ in range(steps):
        h = (h * w + b).relu() + x
    return h


def as_torch(library: str, steps: int) -> Timed:
    """For PyTorch and for minigrad: the same lines, 0-dim float32 tensors."""
    torch = load(library)

    def prepare() -> Callable[[], Any]:
        x, w, b = (torch.tensor(value, requires_grad=True) for value in (X, W, B))

        def step() -> Any:
            x.grad = w.grad = b.grad = None
            h = expression(x, w, b, steps)
            h.backward()
            return h, x.grad, w.grad, b.grad

        return step

    return Timed(prepare)


def as_micrograd(steps: int) -> Timed:
    """For micrograd: Python floats, and gradients that start at 0."""
    Value = load("micrograd.engine").Value

    def prepare() -> Callable[[], Any]:
        x, w, b = Value(X), Value(W), Value(B)

        def step() -> Any:
            x.grad = w.grad = b.grad = 0
            h = expression(x, w, b, steps)
            h.backward()
            return h, x.grad, w.grad, b.grad

        return step

    return Timed(prepare)


ROW = Row(
    name="scalar",
    work="200-op scalar expression, forward + backward",
    work_zh="200 个运算的标量表达式，前向 + 反向",
    contestants={
        "minigrad": partial(as_torch, "minigrad"),
        "PyTorch": partial(as_torch, "torch"),
        "micrograd": as_micrograd,
    },
    targets={"PyTorch": 0.55},
    size=50,
    smoke_size=3,
    rounds=60,
)
