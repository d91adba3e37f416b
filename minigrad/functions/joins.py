"""Tensors joined, repeated, turned round."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autograd.variable import TensorBase as Tensor
from ..devices import on_host, refuse
from ..ops import indexing, pointwise, shape
from ..ops.errors import check_dim, normalize_dims
from ..ops.pointwise import clone_in_order
from ..ops.primitive import plain
from ..table import public, same
from .arguments import counted, promoted_together, require_tensors, sizes
from .shape import expand, flatten, reshape, unsqueeze, view


@public(as_method=False)
def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors one behind the other along an existing dimension. An empty vector does not count."""
    tensors = require_tensors(tensors)
    shapes = [tensor._value.shape for tensor in tensors]
    if not shapes or shapes[0] in ((), (0,)) or shapes.count(shapes[0]) < len(shapes):
        dim = _check_cat(tensors, dim)
        return shape.cat(promoted_together(tensors), dim)
    return shape.cat(promoted_together(tensors), check_dim(dim, len(shapes[0])))


def _check_cat(tensors: tuple[Any, ...], dim: int) -> int:
    """`dim`, counted from the front. Raises PyTorch's errors for tensors of several shapes that do not fit together."""
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    for i, tensor in enumerate(tensors):
        if not tensor._value.shape:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    counting = [x for x in tensors if x._value.shape != (0,)] or tensors
    first = counting[0]._value.shape
    for tensor in counting:
        if tensor.ndim != len(first):
            raise RuntimeError(f"Tensors must have same number of dimensions: got {len(first)} and {tensor.ndim}")
    dim = check_dim(dim, len(first))
    for i, tensor in enumerate(tensors):
        for d, (a, b) in enumerate(zip(first, tensor._value.shape, strict=False)):
            if d != dim and a != b and tensor._value.shape != (0,):
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected size {a} but got size {b} for "
                    f"tensor number {i} in the list."
                )
    return dim


@public(as_method=False)
def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors of one shape along a new dimension."""
    tensors = require_tensors(tensors)
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = tensors[0]._value.shape
    for i, tensor in enumerate(tensors):
        if tensor._value.shape != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                f"{list(tensor._value.shape)} at entry {i}"
            )
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


@public
def roll(input: Tensor, shifts: int | Sequence[int], dims: int | Sequence[int] | None = None) -> Tensor:
    """The elements moved along, those at the end to the front; over the flattened tensor without `dims`."""
    shifts, dims = sizes((shifts,)), () if dims is None else sizes((dims,))
    if not shifts or len(shifts) != (len(dims) or 1):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    return shape.roll(input, shifts, tuple(check_dim(d, input.ndim) for d in dims))


@public
def diff(
    input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """The differences of neighbours along a dimension, n times; first joined with `prepend` and `append` there."""
    dim = check_dim(dim, input.ndim)
    if prepend is not None or append is not None:
        input = cat([x for x in (prepend, input, append) if x is not None], dim)
    for _ in range(counted(n)):
        size = input._value.shape[dim]
        earlier, later = (indexing.slice_dim(input, dim, start, start + size - 1, 1) for start in (0, 1))
        input = pointwise.logical_xor(later, earlier) if input._value.dtype.kind == "b" else later - earlier
    return input


@public(as_method=False, out=False)
def meshgrid(*tensors: Tensor | Sequence[Tensor], indexing: str | None = None) -> tuple[Tensor, ...]:
    """For vectors of sizes m, n, … as many tensors of size (m, n, …), each repeating one of the vectors.

    With indexing="xy" the first two dimensions are swapped.
    """
    if len(tensors) == 1 and isinstance(tensors[0], tuple | list):
        tensors = tuple(tensors[0])
    if indexing is None:
        warnings.warn(
            "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.",
            UserWarning,
            stacklevel=3,
        )
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    for tensor in tensors:
        if tensor.ndim > 1:
            raise RuntimeError("torch.meshgrid: Expected 0D or 1D tensors in the tensor list")
    if len({tensor._value.dtype for tensor in tensors}) > 1:
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    order = list(range(len(tensors)))
    if indexing == "xy" and len(tensors) > 1:
        order[:2] = [1, 0]
    size = tuple(tensors[i]._value.size for i in order)
    grids = []
    for i, tensor in enumerate(tensors):
        place = order.index(i)
        grids.append(expand(view(tensor, tuple(-1 if d == place else 1 for d in range(len(size)))), size))
    return tuple(grids)


@public(out=False)
def tile(input: Tensor, *dims: int | Sequence[int]) -> Tensor:
    """Copies of the tensor side by side; fewer numbers than dimensions count from the last one."""
    times = sizes(dims)
    return repeat(input, (1,) * (input.ndim - len(times)) + times)


@public(out=False)
def repeat_interleave(
    input: Tensor, repeats: Tensor | int, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Each element `repeats` times in a row, a number or one for each: along `dim`, or of the flattened tensor."""
    if dim is None:
        input, dim = flatten(input), 0
    dim, size = check_dim(dim, input.ndim), input._value.shape
    if isinstance(repeats, Tensor):
        counts = repeats._value.reshape(-1)
        if counts.dtype.kind not in "iu" or counts.size not in (1, size[dim]):
            raise RuntimeError(f"repeats must be a whole number for each of {size[dim]}, but they are {repeats}")
        refuse(counts < 0, lambda: RuntimeError("repeats can not be negative"))
        index = on_host(lambda counts: np.repeat(np.arange(size[dim]), counts), counts)
        return indexing.index_select(input, dim, plain(index))
    if repeats < 0:
        raise RuntimeError("Repeats must be non-negative")
    wide = expand(unsqueeze(input, dim + 1), (*size[: dim + 1], repeats, *size[dim + 1 :]))
    return view(clone_in_order(wide), (*size[:dim], size[dim] * repeats, *size[dim + 1 :]))


same(concat="cat", concatenate="cat", row_stack="vstack")
