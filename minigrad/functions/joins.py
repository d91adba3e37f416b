"""Tensors joined, repeated, turned round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..autograd.variable import TensorBase as Tensor
from ..hints import hinted
from ..memory import check_ndim
from ..ops import shape
from ..ops.errors import check_dim, normalize_dims
from ..ops.pointwise import clone
from ..table import public, same
from .arguments import promoted_together, require_tensors, sizes
from .shape import expand, flatten, reshape, unsqueeze


@public(as_method=False)
def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors one behind the other along an existing dimension. An empty vector does not count."""
    tensors = require_tensors(tensors)
    shapes = [tensor._value.shape for tensor in tensors]
    alike = shapes and shapes[0] not in ((), (0,)) and shapes.count(shapes[0]) == len(shapes)
    dim = check_dim(dim, len(shapes[0])) if alike else _check_cat(tensors, dim)
    return shape.cat(promoted_together(tensors), dim)


def _check_cat(tensors: tuple[Any, ...], dim: int) -> int:
    """`dim`, counted from the front. Raises PyTorch's errors for tensors of several shapes that do not fit together."""
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    for i, tensor in enumerate(tensors):
        if not tensor._value.shape:
            raise hinted(RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated"))
    counting = [x for x in tensors if x._value.shape != (0,)] or tensors
    first = counting[0]._value.shape
    for tensor in counting:
        if tensor.ndim != len(first):
            raise RuntimeError(f"Tensors must have same number of dimensions: got {len(first)} and {tensor.ndim}")
    dim = check_dim(dim, len(first))
    for i, tensor in enumerate(tensors):
        for d, (a, b) in enumerate(zip(first, tensor._value.shape, strict=False)):
            if d != dim and a != b and tensor._value.shape != (0,):
                said = (
                    f"Sizes of tensors must match except in dimension {dim}. Expected size {a} but got size {b} for "
                    f"tensor number {i} in the list."
                )
                raise hinted(RuntimeError(said))
    return dim


@public(as_method=False)
def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors of one shape along a new dimension."""
    tensors = require_tensors(tensors)
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = tensors[0]._value.shape
    check_ndim(len(first) + 1)
    for i, tensor in enumerate(tensors):
        if tensor._value.shape != first:
            said = (
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                f"{list(tensor._value.shape)} at entry {i}"
            )
            raise hinted(RuntimeError(said))
    return shape.stack(promoted_together(tensors), check_dim(dim, len(first) + 1))


@public(as_method=False)
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors side by side: along dimension 1, or 0 for vectors."""
    tensors = [x if x.ndim else reshape(x, 1) for x in require_tensors(tensors)]
    return cat(tensors, 0 if tensors and tensors[0].ndim == 1 else 1)


@public(as_method=False)
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors one below the other: along dimension 0, vectors as rows."""
    rows = [unsqueeze(x, 0) if x.ndim == 1 else x for x in require_tensors(tensors)]
    return cat([x if x.ndim else reshape(x, (1, 1)) for x in rows], 0)


@public
def flip(input: Tensor, *dims: int | Sequence[int]) -> Tensor:
    """The order along the given dimensions reversed."""
    reversed_ = sizes(dims)
    return shape.flip(input, normalize_dims(reversed_, input.ndim) if reversed_ else ())


@public(out=False)
def roll(input: Tensor, shifts: int | Sequence[int], dims: int | Sequence[int] = ()) -> Tensor:
    """The elements moved along the dimensions `dims`, or all in one row; those at the end come to the front."""
    steps, axes = sizes((shifts,)), sizes((dims,))
    if len(steps) != (len(axes) or 1):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(steps)}, dims:{len(axes)}")
    return shape.roll(input, steps, tuple(check_dim(dim, input.ndim) for dim in axes))


@public(as_function=False)
def repeat(input: Tensor, *repeats: int | Sequence[int]) -> Tensor:
    """Copies of the tensor side by side."""
    times = sizes(repeats)
    if len(times) < input.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    if any(count < 0 for count in times):
        size = [count * n for count, n in zip(times, (*(1,) * (len(times) - input.ndim), *input.shape), strict=True)]
        wrong = next((n for n in size if n < 0), 0)
        raise RuntimeError(f"Trying to create tensor with negative dimension {wrong}: {size}")
    return shape.repeat(input, times)


@public(out=False)
def repeat_interleave(input: Tensor, repeats: int, dim: int | None = None) -> Tensor:
    """Each element, or each slice along `dim`, so many times in a row."""
    if repeats < 0:
        raise RuntimeError("Repeats must be non-negative")
    if dim is None:
        input, dim = flatten(input), 0
    dim = check_dim(dim, input.ndim)
    apart = unsqueeze(input, dim + 1)
    size = list(apart._value.shape)
    size[dim + 1] = repeats
    return flatten(clone(expand(apart, size)), dim, dim + 1)


same(concat="cat", concatenate="cat", row_stack="vstack")
