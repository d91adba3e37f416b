"""Adding gradients: where several paths meet, and at the leaves.

A gradient on its way may only be added *into* when nobody else can see it (`may_write`); else a new one is made.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dtypes import from_numpy_dtype
from ..refusals import refused
from .variable import Edge, TensorBase, make_tensor, pair_of


def may_write(held: list[Any], i: int) -> bool:
    """Whether nobody but the list `held` refers to the array `held[i]`, nor to its memory. Python counts who does."""
    # (No name stands for the array: some Pythons would count that, too.)
    return sys.getrefcount(held[i]) == _ALONE and held[i].base is None


#: The count if only the list refers to it: at most 2, by version of Python. (`min`: a debugger that looks on adds one.)
_counted_at_once = getattr(sys, "_is_gil_enabled", lambda: True)()  # free-threaded Pythons count apart, and later
_ALONE = min(2, (lambda held, i: sys.getrefcount(held[i]))([object()], 0)) if _counted_at_once else 0


def add_into(arriving: dict[Any, list[Any]], edge: Edge, grad: Any, create_graph: bool) -> None:
    """Add `grad`, sent along `edge`, to what has arrived so far for the output that it is the gradient of."""
    node, output_nr = pair_of(edge)
    held = arriving.get(node) or arriving.setdefault(node, [None] * len(node._outputs))
    if grad is None:
        return
    if held[output_nr] is None:
        held[output_nr] = grad
    elif not create_graph and may_write(held, output_nr):
        held[output_nr] += grad
    else:  # a new object: others see it, or it is a tensor, whose sum must be recorded
        held[output_nr] = held[output_nr] + grad


#: Several threads may have a leaf in common: each adds when it is its turn, or one would add to what another replaces.
turn = threading.RLock()
if hasattr(os, "register_at_fork"):  # a forked child has no other threads: nobody there would let go
    os.register_at_fork(after_in_child=turn._at_fork_reinit)  # type: ignore[attr-defined]


def end_turn() -> None:
    """End this thread's turn, if an interrupt came before `accumulate` could: other threads would wait for ever."""
    while turn._is_owned():  # type: ignore[attr-defined]
        turn.release()


def accumulate(leaf: Any, grads: list[Any], create_graph: bool) -> None:
    """Add the gradient that has arrived at a leaf to its `.grad`; the first one becomes it."""
    with turn:
        if create_graph or (old := leaf._meta.grad) is None:
            leaf._meta.grad = _anew(leaf, grads, create_graph)
        # in place, as PyTorch, into writeable memory in C order, which an expanded gradient has not
        elif isinstance(old._value, np.ndarray) and old._value.flags.carray and old._value.shape == grads[0].shape:
            old._value += grads[0]
            old._version_counter[0] += 1
        else:
            old.add_(make_tensor(grads[0]))


def _anew(leaf: Any, grads: list[Any], create_graph: bool) -> Any:
    """The recorded sum; or the first: itself if nobody else sees it and it lies as the leaf, or a copy that does."""
    if leaf._meta.grad is not None:
        return leaf._meta.grad + grads[0]
    laid_out_alike = not create_graph and grads[0].strides == leaf._value.strides
    if laid_out_alike and (isinstance(grads[0], np.generic) or may_write(grads, 0)):
        return make_tensor(grads[0])
    grad = grads[0] if create_graph else make_tensor(grads[0])
    return make_tensor(np.empty_like(leaf._value, dtype=grad._value.dtype)).copy_(grad)


def conform(grad: Any, edge: Edge, sender: Any, sent: Sequence[Any]) -> Any:
    """`grad`, sent along `edge`, in the shape and dtype of the output that it belongs to.

    An operation may have broadcast its input: y = x + b with b of shape (3,) and x of (4, 3) uses each b[j] four times,
    so the four gradients are summed. For the error: `sender`, a node, sends all of `sent`.
    """
    node, output_nr = pair_of(edge)
    shape, dtype = node._outputs[output_nr]
    given = tuple(grad.shape)
    if given != shape:
        trailing = given[len(given) - len(shape) :]
        if len(given) < len(shape) or any(size not in (1, large) for size, large in zip(shape, trailing)):
            index = [each is grad for each in sent].index(True)
            sizes = {"given": list(given), "wanted": list(shape)}
            raise refused("sent in another shape", node=sender.name(), index=index, **sizes)
        grad = sum_to_size(grad, shape)
    if isinstance(grad, TensorBase):
        return grad if grad._value.dtype == dtype else grad.to(from_numpy_dtype(dtype))
    return grad if grad.dtype == dtype else grad.astype(dtype)


def sum_to_size(grad: Any, shape: tuple[int, ...]) -> Any:
    """Sum `grad` over the dimensions along which `shape` was broadcast: the transpose of broadcasting."""
    if not shape:
        return grad.sum()
    if leading := len(grad.shape) - len(shape):
        grad = grad.sum(axis=tuple(range(leading)))
    repeated = tuple([i for i, size in enumerate(shape) if size == 1 and grad.shape[i] != 1])
    return grad.sum(axis=repeated, keepdims=True) if repeated else grad
