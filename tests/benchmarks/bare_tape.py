"""What a tape in Python costs at the very least for the notes' network: a floor under minigrad's time.

PyTorch's spelling and the chain rule, and nothing else of what PyTorch promises: no versions of saved values, no
freeing, no order by sequence number, no shapes or dtypes of gradients, no views, hooks, devices or errors; and a value
that is used twice is gone through twice. It is a yardstick of the benchmark and is used nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

#: A formula that turns the gradient of a result into those of its inputs, and the nodes of these inputs; of a leaf the
#: tensor alone.
Node = tuple[Callable[[Any], tuple[Any, ...]] | None, Any]

_recording = True


class no_grad:
    """Nothing is recorded inside."""

    def __enter__(self) -> None:
        global _recording
        _recording = False

    def __exit__(self, *error: object) -> None:
        global _recording
        _recording = True


class Tensor:
    """An array, and the node that its gradient is sent to."""

    __slots__ = ("data", "grad", "node")

    def __init__(self, data: Any) -> None:
        self.data = data
        self.grad: Tensor | None = None
        self.node: Node | None = None

    def requires_grad_(self) -> Tensor:
        self.node = None, self
        return self

    def mm(self, other: Tensor) -> Tensor:
        a, b = self.data, other.data
        result = Tensor(a @ b)
        if _recording:
            to_a, to_b = self.node, other.node
            result.node = lambda g: (g @ b.T if to_a else None, a.T @ g if to_b else None), (to_a, to_b)
        return result

    def __sub__(self, other: Tensor) -> Tensor:
        result = Tensor(self.data - other.data)
        if _recording:
            to_b = other.node
            result.node = lambda g: (g, -g if to_b else None), (self.node, to_b)
        return result

    def pow(self, exponent: int) -> Tensor:
        a = self.data
        result = Tensor(np.square(a) if exponent == 2 else a**exponent)
        if _recording:
            result.node = lambda g: (g * (exponent * a ** (exponent - 1)),), (self.node,)
        return result

    def sum(self) -> Tensor:
        a = self.data
        result = Tensor(a.sum())
        if _recording:
            result.node = lambda g: (np.full_like(a, g),), (self.node,)
        return result

    def backward(self) -> None:
        waiting: list[tuple[Any, Any]] = [(self.node, np.float32(1))]
        while waiting:
            (formula, receivers), grad = waiting.pop()
            if formula is not None:
                for node, part in zip(receivers, formula(grad), strict=True):
                    if node is not None:
                        waiting.append((node, part))
            elif receivers.grad is None:
                receivers.grad = Tensor(grad)
            else:
                receivers.grad.data += grad

    # What the notes' function and their update of the weights do outside of the graph.

    def clamp(self, min: float) -> Tensor:
        return Tensor(np.maximum(self.data, min))

    def clone(self) -> Tensor:
        return Tensor(self.data.copy())

    def __lt__(self, number: float) -> Tensor:
        return Tensor(self.data < number)

    def __setitem__(self, mask: Tensor, number: float) -> None:
        self.data[mask.data] = number

    def __rmul__(self, number: float) -> Tensor:
        return Tensor(number * self.data)

    def __isub__(self, other: Tensor) -> Tensor:
        self.data -= other.data
        return self

    def zero_(self) -> Tensor:
        self.data.fill(0)
        return self


class Function:
    """A user's own forward and backward, of one input."""

    def save_for_backward(self, *tensors: Tensor) -> None:
        self.saved_tensors = tensors

    @classmethod
    def apply(cls, input: Tensor) -> Tensor:
        ctx: Any = Function()
        with no_grad():
            result = cls.forward(ctx, input)  # type: ignore[attr-defined]

        def formula(grad: Any) -> tuple[Any]:
            with no_grad():
                return (cls.backward(ctx, Tensor(grad)).data,)  # type: ignore[attr-defined]

        result.node = formula, (input.node,)
        return result


autograd = SimpleNamespace(Function=Function)
from_numpy = Tensor
