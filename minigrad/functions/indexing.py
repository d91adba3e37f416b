"""Elements taken from, and written to, places that tensors of indices or masks name."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.variable import TensorBase, make_tensor
from ..devices import first, refuse
from ..hints import with_hint
from ..ops import indexing
from ..ops.errors import check_dim, type_letter
from ..ops.inplace import index_put as index_put_written
from .arguments import in_type_of
from .shape import expand, reshape

__all__ = [
    "argwhere", "gather", "index_add", "index_copy", "index_fill", "index_put", "index_select", "masked_select",
    "nonzero", "scatter", "scatter_add", "take", "take_along_dim",
]  # fmt: skip


def index_select(input: Any, dim: int, index: Any) -> Any:
    """The positions `index` along a dimension."""
    dim, kind = check_dim(dim, len(input._value.shape)), index._value.dtype
    if len(index._value.shape) > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if kind not in (np.int64, np.int32):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    size = (input._value.shape or (1,))[dim]
    refuse(
        (index._value < 0) | (index._value >= size),
        lambda: with_hint(
            indexing.out_of_range(),
            f"There are {size} positions along dimension {dim}, numbered from 0 to {size - 1}.",
            f"第 {dim} 维只有 {size} 个位置，编号从 0 到 {size - 1}。",
        ),
    )
    return indexing.index_select(input, dim, index)


def gather(input: Any, dim: int, index: Any) -> Any:
    """At each place of `index` the element that it names along `dim`."""
    if index._value.dtype not in (np.int64, np.int32):
        raise RuntimeError("gather(): Expected dtype int32/int64 for index")
    if len(index._value.shape) != len(input._value.shape):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    dim = check_dim(dim, len(input._value.shape))
    _check_places(index._value, dim, (input._value.shape or (1,))[dim])
    for d, (wanted, there) in enumerate(zip(index._value.shape, input._value.shape, strict=True)):
        if d != dim and wanted > there:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index {list(index._value.shape)} to be no larger than "
                f"self {list(input._value.shape)} apart from dimension {dim}"
            )
    return indexing.gather(input, dim, index)


def _check_places(index: Any, dim: int, size: int) -> None:
    """Raise PyTorch's RuntimeError for a place out of bounds."""
    outside = (index < 0) | (index >= size)
    refuse(
        outside,
        lambda: RuntimeError(f"index {first(index, outside)} is out of bounds for dimension {dim} with size {size}"),
    )


def take_along_dim(input: Any, indices: Any, dim: int | None = None) -> Any:
    """As `gather`, with both broadcast to each other but for `dim`; without `dim`, of the flattened tensor."""
    if dim is None:
        return gather(reshape(input, -1), 0, reshape(indices, -1))
    dim = check_dim(dim, len(input._value.shape))
    common = np.broadcast_shapes(
        *(tuple(1 if d == dim else n for d, n in enumerate(t._value.shape)) for t in (input, indices))
    )
    input_size, indices_size = (
        tuple(t._value.shape[dim] if d == dim else n for d, n in enumerate(common)) for t in (input, indices)
    )
    return gather(expand(input, input_size), dim, expand(indices, indices_size))


def masked_select(input: Any, mask: Any) -> Any:
    """The elements where the mask is True, as a vector."""
    if mask._value.dtype.kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    return indexing.masked_select(input, mask)


def take(input: Any, index: Any) -> Any:
    """The elements at `index` of the flattened tensor."""
    size = input._value.size
    outside = (index._value < -size) | (index._value >= size)
    refuse(
        outside,
        lambda: IndexError(
            f"out of range: tried to access index {first(index._value, outside)} on a tensor of {size} elements."
        ),
    )
    return indexing.take(input, index)


def nonzero(input: Any, *, as_tuple: bool = False) -> Any:
    """The indices of the elements that are not zero: a row for each, or a tuple with a vector for each dimension."""
    found = np.nonzero(np.atleast_1d(input._value))
    if not input._value.shape and not as_tuple:
        return make_tensor(np.empty_like(found[0], shape=(len(found[0]), 0)))
    return tuple(map(make_tensor, found)) if as_tuple else make_tensor(np.stack(found, axis=1))


def argwhere(input: Any) -> Any:
    """The indices of the elements that are not zero, a row for each."""
    return nonzero(input)


def scatter(input: Any, dim: int, index: Any, src: Any = None, *, value: float | None = None) -> Any:
    """`input` with the elements of `src`, or a number, written where `index` names places along `dim`."""
    src = value if src is None else src
    dim = _check_scatter("scatter", input, dim, index, src)
    if isinstance(src, TensorBase):
        return indexing.scatter(input, dim, index, src)
    return indexing.scatter_number(input, dim, index, in_type_of(input, src))


def scatter_add(input: Any, dim: int, index: Any, src: Any) -> Any:
    """`input` with the elements of `src` added where `index` names places along `dim`."""
    return indexing.scatter_add(input, _check_scatter("scatter_add", input, dim, index, src), index, src)


def _check_scatter(function: str, input: Any, dim: int, index: Any, src: Any) -> int:
    dim = check_dim(dim, len(input._value.shape))
    if index._value.dtype.kind not in "iu":
        raise RuntimeError(f"{function}(): Expected dtype int32/int64 for index")
    if isinstance(src, TensorBase) and src._value.dtype != input._value.dtype:
        raise RuntimeError(f"{function}(): Expected self.dtype to be equal to src.dtype")
    if len(index._value.shape) != len(input._value.shape):
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    size = input._value.shape[dim]
    _check_places(index._value, dim, size)
    return dim


def index_add(input: Any, dim: int, index: Any, source: Any, *, alpha: float = 1) -> Any:
    """`input` with alpha · source added at the positions `index` along a dimension."""
    return indexing.index_add(input, _check_index(input, dim, index), index, source, alpha)


def index_fill(input: Any, dim: int, index: Any, value: Any) -> Any:
    """`input` with a number at the positions `index` along a dimension."""
    dim = _check_index(input, dim, index)
    if not isinstance(value, TensorBase):
        return indexing.index_fill(input, dim, index, in_type_of(input, value))
    if value._value.shape:
        raise RuntimeError(
            f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s)."
        )
    return indexing.index_fill_tensor(input, dim, index, value)


def index_copy(input: Any, dim: int, index: Any, source: Any) -> Any:
    """`input` with `source` at the positions `index` along a dimension."""
    return indexing.index_copy(input, _check_index(input, dim, index), index, source)


def _check_index(input: Any, dim: int, index: Any) -> int:
    dim = check_dim(dim, len(input._value.shape))
    size = input._value.shape[dim]
    refuse((index._value < -size) | (index._value >= size), indexing.out_of_range)
    return dim


def index_put(input: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """`input` with `values` written at arrays of indices; with `accumulate` they are added instead."""
    arrays = tuple(i._value for i in indices)
    indexing.check_arrays(input, arrays)
    if values._value.dtype != input._value.dtype:
        letters = type_letter(input._value), type_letter(values._value)
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got {} for the destination and {} for the "
            "source.".format(*letters)
        )
    return (indexing.index_put_added if accumulate else index_put_written)(input, arrays, values)
