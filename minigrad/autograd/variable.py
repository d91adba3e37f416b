"""What autograd knows of a tensor: its numbers, its place in the graph, and how often its memory was written.

A tensor points *back* to the node that made it (its gradient edge) and never forward, and a node points back to the
nodes of its inputs. So the graph has no cycles, and it is freed the moment its last tensor is dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

#: Where a gradient is sent: a node, for most have one output; or `(node, output_nr)`, for the gradient of that output.
Edge: TypeAlias = Any

#: The gradient edge of a tensor that needs no gradient: always this object, so `is` tells.
NO_EDGE: Edge = (None, 0)


def pair_of(edge: Edge) -> tuple[Any, int]:
    """An edge as users see it: `(node, output_nr)`."""
    return edge if type(edge) is tuple else (edge, 0)


class TensorBase:
    """A value with a gradient edge. `Tensor` (in `minigrad/tensor.py`) adds the operations.

    _value      the numbers: an array, or, for the 0-dim result of a computation, a numpy scalar, which is several times
                cheaper to compute with. A scalar has no memory that could be shared or written; `_array` gives it some.
    _edge       where the gradient of this tensor must be sent: its grad_fn as a rule. NO_EDGE if it needs none; None if
                it must be asked for (`node.gradient_edge`; then there is a `_meta`): of a leaf that needs one, whose
                AccumulateGrad is made when first used, and of a view, whose node changes when its base is written.
    _counter    a list of one number, how many in-place writes there were (`detach_` adds a fraction), shared by all
                tensors on this memory; None until somebody writes or shares it. `_version_counter` is the list always.
    _meta       AutogradMeta, or None for the many tensors that need none.
    """

    __slots__ = ("__dict__", "__weakref__", "_counter", "_edge", "_meta", "_value")

    @property
    def _array(self) -> Any:
        """The memory of this tensor, for whoever shows it to others or writes it."""
        if isinstance(self._value, np.generic):
            self._value = np.array(self._value)
        return self._value

    @property
    def _version_counter(self) -> Any:
        """The counter of this memory, made when it is first asked for."""
        if self._counter is None:
            self._counter: Any = [0]
        return self._counter

    @property
    def _version(self) -> int:
        """How many in-place operations have written this tensor's memory, through it or through any alias."""
        if self._meta is not None and self._meta.is_inference:
            raise RuntimeError("Inference tensors do not track version counter.")
        return 0 if self._counter is None else int(self._counter[0])


nothing = type(None)  # gives None when it is called; a function would become a method of AutogradMeta


class AutogradMeta:
    """The rarer things autograd knows of a tensor, as a leaf's gradient. Most results need none."""

    grad: TensorBase | None = None
    retains_grad = False
    #: Gives the leaf's AccumulateGrad, None while there is none. A weak reference: only the graph holds it.
    accumulator: Callable[[], Any] = nothing
    #: Of a leaf (a view may be one); those of a result live on its node.
    hooks: dict[int, Any] | None = None
    post_accumulate_hooks: dict[int, Any] | None = None
    is_inference = False
    #: Of a view: whose memory it shows (`views.ViewMeta`).
    base: TensorBase | None = None


#: The class of every result: `Tensor`, which registers itself here so that autograd need not import it.
result_class: type[Any] = TensorBase

_new = object.__new__


def make_tensor(value: Any, edge: Edge | None = NO_EDGE) -> Any:
    """A tensor around a raw array, without any checks and without a copy."""
    tensor = _new(result_class)
    tensor._value = value
    tensor._edge = edge
    tensor._counter = tensor._meta = None
    return tensor


def make_alias(tensor: TensorBase, edge: Edge = NO_EDGE) -> Any:
    """A tensor on the memory of `tensor` (of a scalar: its number), with its version counter and an edge of its own."""
    alias = make_tensor(tensor._value, edge)
    alias._counter = tensor._version_counter
    if tensor._meta is not None and tensor._meta.is_inference:
        meta_of(alias).is_inference = True
    return alias


def meta_of(tensor: TensorBase) -> AutogradMeta:
    """The AutogradMeta of `tensor`, made when first needed."""
    if tensor._meta is None:
        tensor._meta: Any = AutogradMeta()
    return tensor._meta


class _EveryTensor(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, TensorBase)


class Variable(metaclass=_EveryTensor):
    """`Variable(x, requires_grad=True)`, from before PyTorch 0.4: a leaf on the memory of x. Every tensor is one."""

    def __new__(cls, data: Any, requires_grad: bool = False) -> Any:
        return data.detach().requires_grad_(requires_grad)
