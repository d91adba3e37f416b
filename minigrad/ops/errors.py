"""Messages that several operations share."""

from __future__ import annotations

import re
from operator import index
from typing import Any, NoReturn

import numpy as np

from ..autograd.grad_mode import mode
from ..autograd.node import requires_grad
from ..autograd.variable import TensorBase
from ..dtypes import category, from_numpy_dtype
from ..hints import Unfit, hinted


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


def shape_error(x: Any, y: Any) -> RuntimeError:
    """PyTorch's error for two shapes that do not broadcast."""
    a, b = x.shape, y.shape
    for back in range(1, min(len(a), len(b)) + 1):
        if a[-back] != b[-back] and 1 not in (a[-back], b[-back]):
            dimension = max(len(a), len(b)) - back
            said = (
                f"The size of tensor a ({a[-back]}) must match the size of tensor b ({b[-back]}) at non-singleton "
                f"dimension {dimension}"
            )
            return hinted(RuntimeError(said), a=tuple(a), b=tuple(b))
    raise AssertionError("these shapes do broadcast")


def told_apart(error: ValueError, *operands: Any) -> Exception:
    """PyTorch's error if numpy's says that shapes do not broadcast, in the order of `operands`; otherwise the same."""
    found = re.findall(r"\(([\d, ]*)\)", str(error)) if "could not be broadcast" in str(error) else []
    if len(found) != 2:
        return error
    shapes = [tuple(int(n) for n in shape.split(",") if n.strip()) for shape in found]
    order = [getattr(operand, "shape", None) for operand in operands]  # a formula may name the second one first
    shapes.sort(key=lambda shape: order.index(shape) if shape in order else -1)
    return shape_error(*(np.broadcast_to(0, shape) for shape in shapes))


def require_constants(function: str, **tensors: Any) -> None:
    """Raise PyTorch's error for a tensor that needs a gradient where `function` takes it as a constant."""
    for name, tensor in tensors.items():
        if mode.enabled and isinstance(tensor, TensorBase) and requires_grad(tensor):
            said = (
                f"The function '{function}' is not differentiable with respect to argument '{name}'. This input "
                "cannot have requires_grad True."
            )
            raise hinted(RuntimeError(said), name=name)


def derivative_missing(name: str) -> NoReturn:
    """Raise PyTorch's error for an operation that it cannot differentiate."""
    raise hinted(RuntimeError(f"derivative for {name} is not implemented"))
