"""Messages that several operations share."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

from ..autograd.grad_mode import mode
from ..autograd.node import requires_grad
from ..autograd.variable import TensorBase
from ..dtypes import C_NAMES, category, from_numpy_dtype
from ..hints import Unfit, hinted


def type_letter(array: Any) -> str:
    """`Long` for int64: how PyTorch names an element type in a message."""
    return _letter(array.dtype)


def _letter(kind: Any) -> str:
    return from_numpy_dtype(kind).tensor_type.removesuffix("Tensor")


def cpp_name(array: Any) -> str:
    """`long int` for int64: what C++ calls an element type, in other messages."""
    name = from_numpy_dtype(array.dtype).name
    return _INTEGERS.get(name) or C_NAMES.get(name, name)


_INTEGERS = {"int64": "long int", "int16": "short int", "int8": "signed char", "uint8": "unsigned char"}


def not_for(kernel: str, kind: str, row: str = "") -> NotImplementedError:
    """PyTorch's error for an element type that an operation is not written for; `row` as of `hinted`."""
    return hinted(NotImplementedError(f"\"{kernel}\" not implemented for '{kind}'"), row)


def require_kind(array: Any, kinds: str, kernel: str) -> None:
    """Raise `not_for` unless the elements are of one of numpy's `kinds`: f, i, u, b."""
    if array.dtype.kind not in kinds:
        raise not_for(kernel, type_letter(array))


def require_castable(kind: Any, target: Any) -> None:
    """Raise PyTorch's error if numbers of a numpy dtype are to be written into an array of a lesser category.

    Integers cannot hold floats, nor truth values integers.
    """
    if category(kind) > category(target.dtype):
        wanted = type_letter(target)
        raise hinted(RuntimeError(f"result type {_letter(kind)} can't be cast to the desired output type {wanted}"))


def check_dim(dim: int, ndim: int) -> int:
    """`dim` counted from the front. Raises PyTorch's IndexError if there is no such dimension."""
    if dim.__class__ is not int:
        if dim.__class__ is bool:
            raise Unfit("a dimension is a number")
        try:
            dim = index(dim)  # of a tensor that holds one number
        except TypeError as error:
            raise Unfit(*error.args) from None
    size = ndim or 1
    if not -size <= dim < size:
        said = f"Dimension out of range (expected to be in range of [{-size}, {size - 1}], but got {dim})"
        raise hinted(IndexError(said))
    return dim % size


def existing_dim(dim: int, ndim: int) -> int:
    """The same where a number, which has none, is refused; elsewhere it counts as a vector of one element."""
    if not ndim:
        raise hinted(IndexError(f"Dimension specified as {dim} but tensor has no dimensions"))
    return check_dim(dim, ndim)


def normalize_dims(dim: Any, ndim: int) -> tuple[int, ...]:
    """`dim` as a sorted tuple of dimensions counted from the front. Raises PyTorch's errors for a bad one."""
    if dim.__class__ is int and -ndim <= dim < ndim:
        return (dim % ndim,)
    dims = tuple(dim) if isinstance(dim, tuple | list) else (dim,)
    if not dims:
        return tuple(range(ndim))
    result = tuple(check_dim(d, ndim) for d in dims)
    for i, d in enumerate(result):
        if d in result[:i]:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return tuple(sorted(result)) if ndim else ()


def common_shape(*shapes: Sequence[int]) -> tuple[int, ...]:
    """The shape that arrays of these have together. Raises PyTorch's error for the first that does not broadcast."""
    together: tuple[int, ...] = ()
    for shape in shapes:
        ndim = max(len(together), len(shape))
        a, b = ((1,) * (ndim - len(each)) + tuple(each) for each in (together, shape))
        for dim in reversed(range(ndim)):
            if a[dim] != b[dim] and 1 not in (a[dim], b[dim]):
                said = (
                    f"The size of tensor a ({a[dim]}) must match the size of tensor b ({b[dim]}) at non-singleton "
                    f"dimension {dim}"
                )
                raise hinted(RuntimeError(said), a=together, b=tuple(shape)) from None
        together = tuple([n if m == 1 else m for m, n in zip(a, b)])
    return together


def told_apart(error: ValueError, *operands: Any) -> Exception:
    """PyTorch's error if numpy's says that raw operands do not broadcast; otherwise the same."""
    if "broadcast" in str(error):
        try:
            common_shape(*(getattr(operand, "shape", ()) for operand in operands))
        except RuntimeError as in_pytorchs_words:
            return in_pytorchs_words.with_traceback(None)
    return error


def require_constants(function: str, **tensors: Any) -> None:
    """Raise PyTorch's error for a tensor that needs a gradient where `function` takes it as a constant."""
    for name, tensor in tensors.items():
        if mode.enabled and isinstance(tensor, TensorBase) and requires_grad(tensor):
            said = (
                f"The function '{function}' is not differentiable with respect to argument '{name}'. This input "
                "cannot have requires_grad True."
            )
            raise hinted(RuntimeError(said), name=name)
