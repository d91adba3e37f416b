"""Messages that several operations share."""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import Any, NoReturn

from ..autograd.variable import TensorBase
from ..dtypes import category, from_numpy_dtype
from ..hints import type_name


def refuse_operands(operation: Any, *operands: Any) -> NoReturn:
    """Raise PyTorch's TypeError for an operand that is not a tensor."""
    names = ("input", "other")
    for position, (name, operand) in enumerate(zip(names, operands, strict=False), start=1):
        if not isinstance(operand, TensorBase):
            raise TypeError(
                f"{operation.__name__}(): argument '{name}' (position {position}) must be Tensor, "
                f"not {type_name(operand)}"
            )
    raise AssertionError("all operands are tensors")


def type_letter(array: Any) -> str:
    """`Long` for int64: how PyTorch names an element type in a message."""
    return _letter(array.dtype)


def _letter(kind: Any) -> str:
    return from_numpy_dtype(kind).tensor_type.removesuffix("Tensor")


def cpp_name(array: Any) -> str:
    """`long int` for int64: what C++ calls an element type, in other messages."""
    name = from_numpy_dtype(array.dtype).name
    names = {"float32": "float", "float64": "double", "float16": "c10::Half", "int64": "long int", "int32": "int"}
    return names.get(name, name)


def not_for(kernel: str, kind: str) -> NotImplementedError:
    """PyTorch's error for an element type that an operation is not written for."""
    return NotImplementedError(f"\"{kernel}\" not implemented for '{kind}'")


def require_kind(array: Any, kinds: str, kernel: str) -> None:
    """Raise `not_for` unless the elements are of one of numpy's `kinds`: f, i, u, b."""
    if array.dtype.kind not in kinds:
        raise not_for(kernel, type_letter(array))


def require_castable(kind: Any, target: Any, name: Callable[[Any], str] = type_letter) -> None:
    """Raise PyTorch's error if numbers of a numpy dtype are to be written into an array of a lesser category.

    Integers cannot hold floats, nor truth values integers. `name` tells the type of the array.
    """
    if category(kind) > category(target.dtype):
        raise RuntimeError(f"result type {_letter(kind)} can't be cast to the desired output type {name(target)}")


def check_dim(dim: int, ndim: int) -> int:
    """`dim` counted from the front. Raises PyTorch's IndexError if there is no such dimension."""
    if dim.__class__ is bool:
        raise TypeError("a dimension is a number")  # the caller's name is in what the user sees
    size = max(ndim, 1)
    if not -size <= dim < size:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-size}, {size - 1}], but got {dim})")
    return dim % size


def normalize_dims(dim: Any, ndim: int) -> tuple[int, ...]:
    """`dim` as a sorted tuple of dimensions counted from the front. Raises PyTorch's errors for a bad one."""
    if isinstance(dim, int):
        dims = (dim,)
    else:
        dims = tuple(dim) if isinstance(dim, tuple | list) else (index(dim),)
    if not dims:
        return tuple(range(ndim))
    result = tuple(check_dim(d, ndim) for d in dims)
    for i, d in enumerate(result):
        if d in result[:i]:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return tuple(sorted(result)) if ndim else ()
