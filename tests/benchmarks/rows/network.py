"""The notes' network at its real size, 64×1000×100×10 with their own MyReLU: a training step, and the forward alone.

Here the matrix products should be nearly everything: numpy by hand shows what they cost without any library around.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..contest import Row, Timed
from ..peers import Unavailable, load

D_IN, HIDDEN, D_OUT = 1000, 100, 10
LEARNING_RATE = 1e-6


def inputs(batch: int) -> tuple[np.ndarray, ...]:
    """x, y, w1, w2."""
    rng = np.random.default_rng(0)
    sizes = ((batch, D_IN), (batch, D_OUT), (D_IN, HIDDEN), (HIDDEN, D_OUT))
    return tuple(rng.standard_normal(size).astype(np.float32) for size in sizes)


def my_relu(torch: Any) -> Any:
    """The notes' custom function, in PyTorch or in minigrad."""

    class MyReLU(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, input: Any) -> Any:
            ctx.save_for_backward(input)
            return input.clamp(min=0)

        @staticmethod
        def backward(ctx: Any, grad_output: Any) -> Any:
            (input,) = ctx.saved_tensors
            grad_input = grad_output.clone()
            grad_input[input < 0] = 0
            return grad_input

    return MyReLU.apply


# ---------------------------------------------------------------------------------------------------------------------
# One training step


def train_as_torch(library: str, batch: int) -> Timed:
    """For PyTorch, for minigrad and for the bare tape: the notes' lines."""
    torch = load(library)
    relu = my_relu(torch)

    def prepare() -> Callable[[], Any]:
        x, y, w1, w2 = map(torch.from_numpy, inputs(batch))
        w1.requires_grad_()
        w2.requires_grad_()

        def step() -> Any:
            nonlocal w1, w2
            y_pred = relu(x.mm(w1)).mm(w2)
            loss = (y_pred - y).pow(2).sum()
            loss.backward()
            with torch.no_grad():
                w1 -= LEARNING_RATE * w1.grad
                w2 -= LEARNING_RATE * w2.grad
                w1.grad.zero_()
                w2.grad.zero_()
            return loss, w1, w2

        return step

    return Timed(prepare)


def train_by_hand(batch: int) -> Timed:
    """In numpy, the derivatives worked out on paper. As in the notes' loop, gradients are added up and then zeroed."""

    def prepare() -> Callable[[], Any]:
        x, y, w1, w2 = inputs(batch)
        grad_w1, grad_w2 = np.zeros_like(w1), np.zeros_like(w2)

        def step() -> Any:
            nonlocal w1, w2, grad_w1, grad_w2
            h = x @ w1
            h_relu = np.maximum(h, 0)
            difference = h_relu @ w2 - y
            loss = np.square(difference).sum()

            grad_y_pred = 2 * difference
            grad_w2 += h_relu.T @ grad_y_pred
            grad_h = grad_y_pred @ w2.T
            grad_h[h < 0] = 0
            grad_w1 += x.T @ grad_h
            w1 -= LEARNING_RATE * grad_w1
            w2 -= LEARNING_RATE * grad_w2
            grad_w1.fill(0)
            grad_w2.fill(0)
            return loss, w1, w2

        return step

    return Timed(prepare)


def train_as_tinygrad(batch: int) -> Timed:
    """For tinygrad, which collects operations and compiles them when it is told to compute, here at each step's end."""
    Tensor, device = load("tinygrad").Tensor, load("tinygrad").Device
    try:
        assert device.DEFAULT
    except RuntimeError as error:
        raise Unavailable(f"{error} (on a CPU it needs clang)") from error

    def prepare() -> Callable[[], Any]:
        x, y, w1, w2 = (Tensor(array).realize() for array in inputs(batch))

        def step() -> Any:
            nonlocal w1, w2
            w1.grad = w2.grad = None
            y_pred = x.matmul(w1).relu().matmul(w2)
            loss = (y_pred - y).square().sum()
            loss.backward()
            new_w1 = (w1.detach() - LEARNING_RATE * w1.grad).contiguous()
            new_w2 = (w2.detach() - LEARNING_RATE * w2.grad).contiguous()
            Tensor.realize(loss, new_w1, new_w2)
            w1, w2 = new_w1, new_w2
            return loss, w1, w2

        return step

    return Timed(prepare)


TRAIN = Row(
    name="train",
    work="the notes' MyReLU network (64×1000×100×10), one training step",
    work_zh="笔记里的 MyReLU 网络（64×1000×100×10），一步训练",
    contestants={
        "minigrad": partial(train_as_torch, "minigrad"),
        "numpy": train_by_hand,
        "a bare tape": partial(train_as_torch, "tests.benchmarks.bare_tape"),
        "PyTorch": partial(train_as_torch, "torch"),
        "tinygrad, no TinyJit": train_as_tinygrad,
    },
    targets={"PyTorch": 0.9},
    size=64,
    smoke_size=4,
    rounds=80,
    not_in_smoke=("tinygrad, no TinyJit",),
)


# ---------------------------------------------------------------------------------------------------------------------
# The forward alone


def forward_as_torch(library: str, batch: int) -> Timed:
    """For PyTorch and for minigrad: the notes' lines under no_grad."""
    torch = load(library)
    relu = my_relu(torch)

    def prepare() -> Callable[[], Any]:
        x, _, w1, w2 = map(torch.from_numpy, inputs(batch))
        w1.requires_grad_()
        w2.requires_grad_()

        def step() -> Any:
            with torch.no_grad():
                return (relu(x.mm(w1)).mm(w2),)

        return step

    return Timed(prepare)


def forward_by_hand(batch: int) -> Timed:
    """In numpy."""

    def prepare() -> Callable[[], Any]:
        x, _, w1, w2 = inputs(batch)
        return lambda: (np.maximum(x @ w1, 0) @ w2,)

    return Timed(prepare)


FORWARD = Row(
    name="forward",
    work="the same network's forward under no_grad",
    work_zh="同一网络在 no_grad 下的前向",
    contestants={
        "minigrad": partial(forward_as_torch, "minigrad"),
        "numpy": forward_by_hand,
        "PyTorch": partial(forward_as_torch, "torch"),
    },
    targets={},
    size=64,
    smoke_size=4,
    rounds=80,
)
