"""A long chain of small operations: what the library itself costs, for the arithmetic is next to nothing.

h ← tanh(h · w + b) - x, from h = x on: four operations a step. w and b are leaves that require grad, x is data.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..contest import Row, Timed
from ..peers import load

SHAPE = (4, 4)


def inputs() -> tuple[np.ndarray, ...]:
    """x, w, b, and the gradient of the last h."""
    rng = np.random.default_rng(0)
    x, w, b = (rng.uniform(-1, 1, SHAPE).astype(np.float32) for _ in range(3))
    return x, w, b, np.ones(SHAPE, np.float32)


def chain(tanh: Callable[[Any], Any], x: Any, w: Any, b: Any, steps: int) -> Any:
    """The chain, in the words that all libraries share."""
    h = x
    for _ in range(steps):
        h = tanh(h * w + b) - x
    return h


def leaves(torch: Any) -> tuple[Any, ...]:
    """The inputs as tensors of PyTorch or of minigrad."""
    x, w, b, seed = map(torch.from_numpy, inputs())
    return x, w.requires_grad_(), b.requires_grad_(), seed


def as_torch(library: str, steps: int) -> Timed:
    """For PyTorch and for minigrad: the same lines."""
    torch = load(library)

    def prepare() -> Callable[[], Any]:
        x, w, b, seed = leaves(torch)

        def step() -> Any:
            w.grad = b.grad = None
            h = chain(torch.tanh, x, w, b, steps)
            h.backward(seed)
            return h, w.grad, b.grad

        return step

    return Timed(prepare)


def as_autograd(steps: int) -> Timed:
    """For HIPS/autograd, which differentiates functions."""
    make_vjp, tanh = load("autograd").make_vjp, load("autograd.numpy").tanh

    def prepare() -> Callable[[], Any]:
        x, w, b, seed = inputs()
        chain_and_vjp = make_vjp(lambda leaves: chain(tanh, x, *leaves, steps))

        def step() -> Any:
            vjp, h = chain_and_vjp((w, b))
            return h, *vjp(seed)

        return step

    return Timed(prepare)


def as_mygrad(steps: int) -> Timed:
    """For MyGrad, whose arrays are constants and whose tensors are leaves."""
    mygrad = load("mygrad")

    def prepare() -> Callable[[], Any]:
        x, w, b, seed = inputs()
        w, b = mygrad.tensor(w), mygrad.tensor(b)

        def step() -> Any:
            h = chain(mygrad.tanh, x, w, b, steps)
            h.backward(seed)
            return h, w.grad, b.grad

        return step

    return Timed(prepare)


ROW = Row(
    name="chain",
    work="200-op chain on 4×4 float32, forward + backward",
    work_zh="4×4 float32 上 200 个运算的链，前向 + 反向",
    contestants={
        "minigrad": partial(as_torch, "minigrad"),
        "PyTorch": partial(as_torch, "torch"),
        "HIPS/autograd": as_autograd,
        "MyGrad": as_mygrad,
    },
    targets={"PyTorch": 0.7},
    size=50,
    smoke_size=3,
    rounds=60,
)
