"""Adding gradients: where several paths meet, and at the leaves.

A gradient may only be added *into* when nobody else can see it. Python knows who can: an array that is not a view of
another and that one single place refers to is ours, and is written in place; any other is left alone and a new one
made.
"""

from __future__ import annotations

from collections.abc import Sequence
from sys import getrefcount
from typing import Any

import numpy as np

from ..hints import with_hint
from .hooks import no_grads, outputs_of
from .node import AccumulateGrad, requires_grad
from .variable import TensorBase, edge_to, make_tensor, node_of, pair_of

#: Sums of these are new objects: numpy scalars cannot be written, and tensors must be recorded.
_NEW_SUMS = (np.generic, TensorBase)

_ndarray, _float32 = np.ndarray, np.float32  # by far the commonest


def _references_if_alone() -> tuple[int, int]:
    held = [object()]
    alone = getrefcount(held[0])
    named = held[0]
    return alone, getrefcount(named)


#: What `getrefcount(held[i])` gives for an object that only the list holds, and `getrefcount(name)` if besides only a
#: name stands for it; these differ between Python versions.
_ALONE, _ALONE_BUT_FOR_A_NAME = _references_if_alone()


def add_into(arriving: dict[Any, list[Any]], node: Any, output_nr: int, grad: Any) -> None:
    """Add `grad` to what has arrived so far for one output of `node`."""
    held = arriving.get(node)
    if held is None:
        held = arriving[node] = [None] if node.shape is not None else no_grads(node)
    waiting = held[output_nr]
    if waiting is None:
        held[output_nr] = grad
    elif type(waiting) is not _ndarray and (type(waiting) is _float32 or isinstance(waiting, _NEW_SUMS)):
        held[output_nr] = waiting + grad
    elif getrefcount(waiting) == _ALONE_BUT_FOR_A_NAME and waiting.base is None:
        waiting += grad
    else:
        held[output_nr] = waiting + grad


def accumulate(node: AccumulateGrad, grads: list[Any] | None, create_graph: bool) -> None:
    """Add the gradient that has arrived at a leaf, if any, to its `.grad`; the first one becomes it."""
    variable = node.variable
    meta = variable._meta
    if grads is not None and requires_grad(variable):  # the flag may have been taken back since
        if variable._edge is not None:
            raise RuntimeError("leaf variable has been moved into the graph interior")
        old = meta.grad
        if create_graph:
            if old is None:
                meta.grad = make_tensor(_memory_for(variable._value, grads[0]._value)).copy_(grads[0])
            else:
                meta.grad = old + grads[0]
        elif old is None:
            ours = getrefcount(grads[0]) == _ALONE and grads[0].base is None
            if isinstance(grads[0], np.generic) or (ours and _lies_well(grads[0], variable._value)):
                meta.grad = make_tensor(grads[0])
            else:
                copy = make_tensor(_memory_for(variable._value, grads[0]))
                if grads[0].shape == copy._value.shape:  # what `copy_` does, without its questions
                    copy._value[...] = grads[0]
                    copy._counter = [1]
                else:  # of a leaf that was given other data since
                    copy.copy_(make_tensor(grads[0]))
                meta.grad = copy
        else:
            if isinstance(old._value, np.generic):
                old._value = old._value + grads[0]
            else:
                old._value += grads[0]
            old._version_counter[0] += 1
    if meta.post_accumulate_hooks:
        for hook in tuple(meta.post_accumulate_hooks.values()):
            result = hook(variable)
            if result is not None and result is not variable:  # as of `lambda p: p.zero_()`
                from .hooks import checked

                checked(variable, result, hook)
                raise RuntimeError("Tensor post accumulate grad hooks should return None.")


def conform(grad: Any, node: Any, output_nr: int, sender: Any, root: int = 0) -> Any:
    """`grad` in the shape and dtype of the output of `node` that it belongs to.

    An operation may have broadcast its input: y = x + b with b of shape (3,) and x of (4, 3) uses each b[j] four times,
    so the four gradients are summed. Raises PyTorch's RuntimeError if `grad` cannot be brought to the shape. `sender`
    is the node that sends it; None stands for the caller of backward, whose gradient of root number `root` it is.
    """
    shape, dtype = outputs_of(node)[output_nr]
    raw = grad._value if isinstance(grad, TensorBase) else grad
    if raw.shape == shape and raw.dtype is dtype:
        return grad
    got = raw.shape
    if got != shape:
        if not _expands_to(shape, got):
            where = f"invalid gradient at index {root}"
            if sender is not None:
                index = sender.edges.index(edge_to(node, output_nr))
                where = f"Function {sender.name()} returned an invalid gradient at index {index}"
            raise with_hint(
                RuntimeError(f"{where} - got {list(got)} but expected shape compatible with {list(shape)}"),
                "The gradient of an input has the shape of that input.",
                "某个输入的梯度，形状必须与该输入相同。",
            )
        grad = sum_to_size(grad, shape)
    if isinstance(grad, TensorBase):
        return grad if grad._value.dtype == dtype else grad._cast(dtype)
    return grad if grad.dtype == dtype else grad.astype(dtype)


def conform_all(grads: Sequence[Any], sender: Any) -> list[Any]:
    """All gradients that `sender` sends, each in the form that its receiver wants; as it is where nobody does."""
    return [
        grad if grad is None or node_of(edge) is None else conform(grad, *pair_of(edge), sender)
        for grad, edge in zip(grads, sender.edges)
    ]


def sum_to_size(grad: Any, shape: tuple[int, ...]) -> Any:
    """Sum `grad` over the dimensions along which `shape` was broadcast: the transpose of broadcasting."""
    if not shape:
        return grad.sum()
    leading = len(grad.shape) - len(shape)
    axes = [
        *range(leading),
        *(leading + i for i, size in enumerate(shape) if size == 1 and grad.shape[leading + i] != 1),
    ]
    if axes:
        grad = grad.sum(axis=tuple(axes), keepdims=True)
    return grad.reshape(shape) if leading else grad


def _expands_to(shape: tuple[int, ...], larger: tuple[int, ...]) -> bool:
    if len(shape) > len(larger):
        return False
    return all(size in (1, large) for size, large in zip(reversed(shape), reversed(larger), strict=False))


# PyTorch lets a gradient lie in memory as its leaf does if that fills its memory, and row after row if not.


def _lies_well(grad: Any, leaf: Any) -> bool:
    """Whether an array that owns its memory lies there as the gradient of the array `leaf` should."""
    if grad.strides == leaf.strides:
        return True
    if not is_dense(leaf):
        return bool(grad.flags.c_contiguous)
    return all(size == 1 or own == other for size, own, other in zip(grad.shape, grad.strides, leaf.strides))


def _memory_for(leaf: Any, grad: Any) -> Any:
    """Memory for a copy of the array `grad`, laid out as the gradient of the array `leaf` should be."""
    return np.empty_like(leaf, grad.dtype, order="K" if is_dense(leaf) else "C")


def is_dense(array: Any) -> bool:
    """Whether the elements fill one block of memory, each its own place."""
    if array.flags.c_contiguous:
        return True
    last = sum((size - 1) * step for size, step in zip(array.shape, array.strides))
    return not repeats(array) and last + array.itemsize == array.nbytes


def repeats(array: Any) -> bool:
    """Whether elements share their memory, as after `expand`."""
    if 0 not in array.strides or not array.size:
        return False
    return any(step == 0 and size > 1 for step, size in zip(array.strides, array.shape))
