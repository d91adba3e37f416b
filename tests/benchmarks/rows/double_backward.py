"""The gradient of a gradient, through the chain of `chain.py`: d/d(w, b) of Σ d(Σ h)/dw."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..contest import Row, Timed
from ..peers import load
from .chain import chain, inputs, leaves


def as_torch(library: str, steps: int) -> Timed:
    """For PyTorch and for minigrad: the same lines."""
    torch = load(library)

    def prepare() -> Callable[[], Any]:
        x, w, b, seed = leaves(torch)

        def step() -> Any:
            w.grad = b.grad = None
            h = chain(torch.tanh, x, w, b, steps)
            (slope,) = torch.autograd.grad(h, w, seed, create_graph=True)
            slope.backward(seed)
            return slope, w.grad, b.grad

        return step

    return Timed(prepare)


def as_autograd(steps: int) -> Timed:
    """For HIPS/autograd: a vjp of a vjp."""
    make_vjp, tanh = load("autograd").make_vjp, load("autograd.numpy").tanh

    def prepare() -> Callable[[], Any]:
        x, w, b, seed = inputs()

        def slope_of(leaves: Any) -> Any:
            w, b = leaves
            vjp, _ = make_vjp(lambda w: chain(tanh, x, w, b, steps))(w)
            return vjp(seed)

        def step() -> Any:
            vjp, slope = make_vjp(slope_of)((w, b))
            return slope, *vjp(seed)

        return step

    return Timed(prepare)


ROW = Row(
    name="double-backward",
    work="double backward of the 200-op chain",
    work_zh="对 200 个运算的链求二阶导数",
    contestants={
        "minigrad": partial(as_torch, "minigrad"),
        "PyTorch": partial(as_torch, "torch"),
        "HIPS/autograd": as_autograd,
    },
    targets={},
    size=50,
    smoke_size=3,
    rounds=40,
)
