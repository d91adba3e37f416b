"""Writing a tensor's memory: `x += y`, `x.mul_(2)`, `x[0] = 1`.

The result of an in-place operation is computed as that of its ordinary twin and then written into the memory. The
version counter goes up, so that a node that has saved the old numbers notices. If a gradient is to be recorded, the
tensor gets the new node as its history, and if it is a view, its base does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd.grad_mode import mode, unusual
from ..autograd.node import grad_fn, gradient_edge, requires_grad
from ..autograd.saved import put_saved
from ..autograd.variable import NO_EDGE, TensorBase, make_alias, make_tensor
from ..autograd.views import check_inplace, rebase_history
from ..devices import device_of, move
from ..hints import hinted
from ..memory import address, copied, is_dense, repeats
from .errors import common_shape, require_castable, type_letter
from .pointwise import clone, to_device
from .primitive import op
from .shape import index


def inplace(operation: Callable[..., Any], write: Callable[[Any, Any], Any] | None = None) -> Callable[..., Any]:
    """The in-place twin of an operation.

    Where nothing is recorded and nothing can go wrong, `write(array, other)`, such as operator.iadd, does without a
    copy.
    """

    def operate(self, *args, **options):
        other = args[0] if len(args) == 1 and not options else None
        if write is not None and other is not None and is_free(self, other):
            array = self._value
            if isinstance(other, TensorBase):
                read = other._value
                fits = type(read) is _ndarray and read.dtype is array.dtype and read.shape == array.shape
            else:
                read, fits = other, type(other) is float or type(other) is int
            if fits:
                write(array, read)
                self._version_counter[0] += 1
                return self
        check_inplace(self, *args)
        for arg in args:
            check_overlap(self, arg)
        # A hook on saved tensors may keep what will be overwritten: it is given a copy, at the same place in the graph.
        read = make_tensor(copied(self._array), gradient_edge(self)) if mode.hooks else self
        result = operation(read, *args, **options)
        if result is NotImplemented:
            return result
        write_result(self, result)
        return self

    operate.__name__ = operate.__qualname__ = operation.__name__ + "_"
    operate.__wrapped__ = operation  # type: ignore[attr-defined]
    operate.__doc__ = f"`{operation.__name__}`, written into the memory of the tensor itself, which is returned."
    return operate


_ndarray = np.ndarray


def is_free(self: TensorBase, other: Any = None) -> bool:
    """Whether the floats of `self` may just be written with what comes of `other`, as nearly always.

    Then nothing is to be recorded, `other` is no other part of the memory, and each element has its own.
    """
    if unusual and (mode.enabled or mode.inference or mode.hooks or len(unusual) > 1):
        return False
    of_tensor = isinstance(other, TensorBase)
    if mode.enabled:
        if self._edge is not NO_EDGE or (of_tensor and other._edge is not NO_EDGE):
            return False
        if self._meta is not None and self._meta.base is not None:
            return False
    if of_tensor and other._counter is not None and other._counter is self._counter and other is not self:
        return False
    array = self._value
    if type(array) is not _ndarray or array.dtype.kind != "f" or array.ndim == 0 or 0 in array.strides:
        return False
    return array.flags.writeable


def write_result(self: TensorBase, result: TensorBase, constant: bool = False) -> None:
    """Write `result`, computed from `self`, into the memory of `self`, and let its history become that of `self`.

    One that is `constant` may be written to elements that are the same memory.
    """
    target, value = self._array, result._value
    if value.shape != target.shape:
        raise RuntimeError(
            f"output with shape {list(target.shape)} doesn't match the broadcast shape {list(value.shape)}"
        )
    require_castable(value.dtype, target)
    node = grad_fn(result)
    if node is not None:
        _keep_what_is_overwritten(node, self)
    check_own_memory(target, constant)
    if target.size:  # numpy may have made what holds nothing read-only
        target[...] = value
    self._version_counter[0] += 1
    if node is not None:
        node._of_dtype = target.dtype  # which a wider operand leaves as it is
        rebase_history(self, node)
        if "result" in node._names_of_saved and not mode.hooks:  # hooks have been given the result itself
            nr = node._names_of_saved.index("result")  # it is now in the memory of `self`: a later write is noticed
            put_saved(node, nr, make_alias(self), self._version_counter[0])


_SHARED = "unsupported operation: {} single memory location. Please clone() the tensor before performing the operation."


def check_own_memory(target: Any, constant: bool = False) -> None:
    """Raise PyTorch's error if several elements are the same memory, as after `expand`, which may become `constant`."""
    if target.size and not constant and repeats(target):
        raise hinted(RuntimeError(_SHARED.format("more than one element of the written-to tensor refers to a")))
    if target.size and not getattr(target.flags, "writeable", True):  # cupy's always are
        raise hinted(RuntimeError("minigrad: this is the memory of a numpy array that may only be read"))


def check_overlap(written: TensorBase, read: Any, same_part_too: bool = False) -> None:
    """Raise PyTorch's error if `read` is a part of the same memory, but (unless `same_part_too`) not the same part."""
    if not isinstance(read, TensorBase) or (read is written and not same_part_too):
        return
    if read._version_counter is not written._version_counter and not same_part_too:  # quick; forgets x.data = y.data
        return
    a, b = written._array, read._array
    steps = [[stride for stride, size in zip(x.strides, x.shape) if size > 1] for x in (a, b)]
    same = a.shape == b.shape and steps[0] == steps[1] and address(a) == address(b) and not same_part_too
    if read is written or (not same and is_dense(a) and is_dense(b) and np.may_share_memory(a, b)):
        which = "some elements of the input tensor and the written-to tensor refer to a"
        raise hinted(RuntimeError(_SHARED.format(which)))


def _keep_what_is_overwritten(node: Any, self: TensorBase) -> None:
    """Where `node` has saved `self`, let it keep a copy of the numbers that are about to be lost."""
    if "self" not in node._names_of_saved:
        return
    i = 2 * node._names_of_saved.index("self")
    saved = node._saved[i]
    if saved is self:
        put_saved(node, i // 2, clone(self), 0)
    elif isinstance(saved, TensorBase) and saved._version_counter is self._version_counter:
        saved._counter = [0]  # its numbers in another type: a copy already
        put_saved(node, i // 2, saved, 0)


# ---------------------------------------------------------------------------------------------------------------------
# Operations that exist to be done in place


@op(
    "torch::autograd::CopyBackwards",
    self=lambda grad: np.zeros_like(grad),
    src=lambda grad, here, there: grad if here == there else to_device(grad, there, here),
)
def copy(self, src, here, there):
    """c = b in the place of a      ∂L/∂a = 0      ∂L/∂b = g

    b may be `there`, on another device than a, `here`; its gradient is brought back.
    """
    src = src if here == there else move(src, here)
    return np.broadcast_to(src, common_shape(self.shape, src.shape)).astype(self.dtype)


def _copy_over(self, src):
    return copy(self, src, device_of(self._value), device_of(src._value))


def assign(array, value):
    """`array[...] = value`, brought from another device."""
    array[...] = value if value.__class__ is array.__class__ else move(value, device_of(array))


_copy_over.__name__ = "copy"
copy_ = inplace(_copy_over, assign)


@op("FillBackward2", self=lambda grad: np.zeros_like(grad))
def fill(self, value):
    """c = k everywhere      ∂L/∂a = 0"""
    return np.full_like(self, value)


@op("FillBackward3", self=lambda grad: np.zeros_like(grad), value=lambda grad: grad.sum())
def fill_with_tensor(self, value):
    """c = b everywhere, for a 0-dim b      ∂L/∂a = 0      ∂L/∂b = Σ g"""
    if value.shape != ():
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.")
    return np.full_like(self, value)


@op("ZeroBackward0", self=lambda grad: np.zeros_like(grad))
def zero(self):
    """c = 0 everywhere      ∂L/∂a = 0"""
    return np.zeros_like(self)


@op(
    "IndexPutBackward0",
    self=lambda grad, indices: index_put(grad, indices, grad.dtype.type(0) if hasattr(grad, "strides") else 0.0),
    values=lambda grad, indices: index(grad, indices),
)
def index_put(self, indices, values):
    """c = a with b written at arrays of indices or at a mask      ∂L/∂a = g, 0 there      ∂L/∂b = g there"""
    result = copied(self)
    _put(result, indices, values)
    return result


def _put(array, indices, values):
    try:
        array[indices] = values
    except (ValueError, TypeError):  # numpy has another one for a mask
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to indexing result of "
            f"shape {list(array[indices].shape)}"
        ) from None


def put_at(self: TensorBase, indices: tuple[Any, ...], values: TensorBase) -> None:
    """`self[indices] = values`, where the indices are arrays or a mask."""
    fills = len(indices) == 1 and indices[0].dtype.kind == "b" and values._value.size == 1  # where a mask is True
    if not fills:
        check_overlap(self, values, same_part_too=True)
    check_own_memory(self._array)
    if values._value.dtype != self._value.dtype and not fills:
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {type_letter(self._value)} for the "
            f"destination and {type_letter(values._value)} for the source."
        )
    if mode.enabled and (requires_grad(self) or requires_grad(values)):
        write_result(self, index_put(self, indices, values))
        return
    _put(self._array, indices, move(values._value, device_of(self._value)))
    self._version_counter[0] += 1
