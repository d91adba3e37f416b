"""What users may write for an argument, and what the operations are given for it."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from operator import index, itemgetter
from typing import Any

import numpy as np

from ..autograd.node import gradient_edge
from ..autograd.variable import TensorBase as Tensor
from ..dtypes import fitting, result_numpy_dtype, wrapped
from ..hints import Unfit, hinted, is_pytorchs, type_name
from ..memory import check_ndim
from ..ops import pointwise
from ..ops.errors import normalize_dims, type_letter
from ..ops.primitive import plain


class _All:
    """Stands for a `dim` that is not given, where PyTorch does not take None for that."""

    def __repr__(self) -> str:
        return "..."


ALL: Any = _All()


def require_tensors(tensors: Any) -> tuple[Any, ...]:
    """A list or tuple of tensors as a tuple. Raises PyTorch's TypeError if something else is in it."""
    for i, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            error = TypeError(f"expected Tensor as element {i} in argument 0, but got {type_name(tensor)}")
            raise hinted(error, is_pytorchs(tensor) and "[PyTorch's]")
    return tuple(tensors)


def given_tensors(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The tensors of `f(a, b)`, or of `f([a, b])`."""
    listed = len(args) == 1 and isinstance(args[0], _SEVERAL)
    return require_tensors(args[0] if listed else args)


def operands(input: Any, other: Any) -> tuple[Any, Any]:
    """Two operands, one of them or both a tensor, in their common type."""
    kind = result_numpy_dtype(*(t._value if isinstance(t, Tensor) else t for t in (input, other)))
    if not isinstance(other, Tensor):
        return promoted(input, kind), other if kind.kind == "f" else wrapped(other, kind)
    return promoted(input, kind) if isinstance(input, Tensor) else plain(wrapped(input, kind)), promoted(other, kind)


def cast(tensor: Any, numpy_dtype: np.dtype) -> Any:
    """A tensor in another type; itself if it has that type."""
    return tensor if tensor._value.dtype == numpy_dtype else pointwise.to_copy(tensor, numpy_dtype)


def promoted(tensor: Any, numpy_dtype: np.dtype) -> Any:
    """A tensor as an operand in another type: the same tensor to the graph, and to whoever looks for writes."""
    if tensor._value.dtype == numpy_dtype:
        return tensor
    operand = plain(tensor._value.astype(numpy_dtype))
    operand._edge, operand._counter = gradient_edge(tensor), tensor._version_counter
    return operand


def beside(tensor: Any, *numbers: float | None) -> Any:
    """A tensor in the type in which PyTorch computes with it and `numbers`. To floats, numbers make no difference."""
    if tensor._value.dtype.kind == "f":
        return tensor
    return cast(tensor, result_numpy_dtype(tensor._value, *(number for number in numbers if number is not None)))


def in_type_of(tensor: Any, number: Any) -> Any:
    """A number in the element type of a tensor, None as it is. Raises PyTorch's RuntimeError if it is out of range."""
    return None if number is None else fitting(number, tensor._value.dtype)


def dim_argument(input: Any, dim: Any) -> tuple[int, ...] | None:
    """The dimensions to reduce, counted from the front; None for all."""
    return None if dim is None else normalize_dims(dim, input.ndim)


def same_dtype(a: Any, b: Any, message: str, name: Any = type_letter) -> None:
    """Raise RuntimeError, with both types in the message, if two tensors differ in type."""
    if a._value.dtype != b._value.dtype:
        raise hinted(RuntimeError(message.format(name(a._value), name(b._value))))


_SEVERAL = (tuple, list)


def sizes(args: Sequence[Any]) -> tuple[int, ...]:
    """The sizes meant by `f(2, 3)`, `f((2, 3))`, `f([2, 3])` or `f(Size([2, 3]))`."""
    if len(args) == 1 and isinstance(args[0], _SEVERAL):
        args = args[0]
    check_ndim(len(args))
    try:
        return tuple(map(index, args))
    except TypeError as error:
        raise Unfit(*error.args) from None


def promoted_together(tensors: tuple[Any, ...]) -> tuple[Any, ...]:
    """Tensors as operands in their common type."""
    kind = tensors[0]._value.dtype
    for tensor in tensors:
        if tensor._value.dtype is not kind:
            break
    else:
        return tensors
    common = result_numpy_dtype(*(t._value for t in tensors))
    return tuple(promoted(t, common) for t in tensors)


def pair(rule: Any, *args: Any) -> Any:
    """(values, indices), what a rule that chooses gives and where it stands, its last argument, in a named tuple."""
    return return_type(rule.__name__, "values", "indices")((rule(*args), args[-1]))


@functools.cache
def return_type(operation: str, *fields: str) -> Any:
    """The class of the named tuple that an operation with several results returns; it prints as PyTorch's does."""

    def __repr__(self: Any) -> str:
        shown = ",\n".join(f"{name}={value!r}" for name, value in zip(fields, self))
        return f"minigrad.return_types.{operation}(\n{shown})"

    named = {name: property(itemgetter(i)) for i, name in enumerate(fields)}
    own = {"__slots__": (), "__repr__": __repr__, "__module__": "minigrad.return_types"}
    return type(operation, (tuple,), own | named)
