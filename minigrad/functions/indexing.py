"""Elements taken from, and written to, places that tensors of indices or masks name."""

from __future__ import annotations

from collections.abc import Sequence
from operator import gt
from typing import Any

import numpy as np

from ..autograd.variable import TensorBase as Tensor
from ..autograd.views import check_inplace
from ..creation import assigned
from ..devices import first, refuse
from ..hints import with_hint
from ..memory import in_order
from ..ops import indexing, inplace
from ..ops.errors import check_dim, type_letter
from ..ops.primitive import plain
from ..table import public
from .arguments import in_type_of, same_dtype
from .shape import expand, expand_to_assign, reshape, without_leading_ones


@public
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The positions `index` along a dimension."""
    dim, kind = check_dim(dim, input.ndim), index._value.dtype
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if kind not in (np.int64, np.int32):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    size = (input._value.shape or (1,))[dim]
    if not size and index._value.size and input.ndim > 1:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    refuse(
        (index._value < 0) | (index._value >= size),
        lambda: with_hint(
            indexing.out_of_range(),
            f"There are {size} positions along dimension {dim}, numbered from 0 to {size - 1}.",
            f"第 {dim} 维只有 {size} 个位置，编号从 0 到 {size - 1}。",
        ),
    )
    return indexing.index_select(input, dim, index)


@public
def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """At each place of `index` the element that it names along `dim`."""
    if index._value.dtype not in (np.int64, np.int32):
        raise RuntimeError("gather(): Expected dtype int32/int64 for index")
    if index.ndim != input.ndim:
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    dim = check_dim(dim, input.ndim)
    _refuse_outside(index._value, dim, input._value.shape, RuntimeError)
    for d, (wanted, there) in enumerate(zip(index._value.shape, input._value.shape, strict=True)):
        if d != dim and wanted > there:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index {list(index.shape)} to be no larger than self "
                f"{list(input.shape)} apart from dimension {dim}"
            )
    return indexing.gather(input, dim, index)


@public
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """As `gather`, with both broadcast to each other but for `dim`; without `dim`, of the flattened tensor."""
    if dim is None:
        return gather(reshape(input, -1), 0, reshape(indices, -1))
    dims = input.ndim, indices.ndim
    if dims[0] != dims[1]:
        raise RuntimeError("torch.take_along_dim(): input and indices should have the same number of dimensions")
    if indices._value.dtype != np.int64:
        letter = type_letter(indices._value)
        raise RuntimeError(f"torch.take_along_dim(): dtype of indices should be Long but got {letter}")
    if not input._value.shape:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    dim = check_dim(dim, input.ndim)
    indices = indices % input._value.shape[dim]  # one below 0 counts from the end, one too high goes on from the start
    common = np.broadcast_shapes(
        *(tuple(1 if d == dim else n for d, n in enumerate(t._value.shape)) for t in (input, indices))
    )
    input_size, indices_size = (
        tuple(t._value.shape[dim] if d == dim else n for d, n in enumerate(common)) for t in (input, indices)
    )
    return gather(expand(input, input_size), dim, expand(indices, indices_size))


@public
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where the mask is True, as a vector."""
    if mask._value.dtype.kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    return indexing.masked_select(input, mask)


@public
def take(input: Tensor, index: Tensor) -> Tensor:
    """The elements at `index` of the flattened tensor."""
    if index._value.dtype != np.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {type_letter(index._value)}")
    size = input._value.size
    outside = (index._value < -size) | (index._value >= size)
    refuse(
        outside,
        lambda: IndexError(
            f"out of range: tried to access index {first(index._value, outside)} on a tensor of {size} elements."
        ),
    )
    return indexing.take(input, index)


@public
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The indices of the elements that are not zero: a row for each, or a tuple with a vector for each dimension."""
    found = np.nonzero(np.atleast_1d(input._value))
    if not input._value.shape and not as_tuple:
        return plain(np.empty_like(found[0], shape=(len(found[0]), 0)))
    return tuple([plain(in_order(places)) for places in found]) if as_tuple else plain(np.stack(found, axis=1))


@public(out=False)
def argwhere(input: Tensor) -> Tensor:
    """The indices of the elements that are not zero, a row for each."""
    return nonzero(input)


@public(inplace=True, writing={"apart": True})
def scatter(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor | float | None = None,
    *,
    value: float | None = None,
    reduce: str | None = None,
) -> Tensor:
    """`input` with the elements of `src`, or a number, written where `index` names places along `dim`.

    With `reduce="add"` or `"multiply"` what is there is added to or multiplied, for which there is no derivative.
    """
    src = value if src is None else src
    if reduce not in (None, "add", "multiply"):
        raise RuntimeError("reduce argument must be either add or multiply.")
    dim = _check_scatter(input, dim, index, src)
    if reduce is not None:
        if not isinstance(src, Tensor):
            src = np.full_like(input._value, in_type_of(input, src), shape=index._value.shape)
        return indexing.scatter_onto(input, dim, index, src, reduce)
    if isinstance(src, Tensor):
        return indexing.scatter(input, dim, index, src)
    return indexing.scatter_number(input, dim, index, in_type_of(input, src))


@public(inplace=True, writing={"apart": True})
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """`input` with the elements of `src` added where `index` names places along `dim`."""
    return indexing.scatter_add(input, _check_scatter(input, dim, index, src), index, src)


def _check_scatter(input: Any, dim: int, index: Any, src: Any) -> int:
    dim = check_dim(dim, input.ndim)
    if index._value.dtype.kind not in "iu":
        raise RuntimeError("scatter(): Expected dtype int32/int64 for index")
    if isinstance(src, Tensor) and src._value.dtype != input._value.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if index.ndim != input.ndim:
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    sizes, wanted = input._value.shape, index._value.shape
    given = src._value.shape if isinstance(src, Tensor) else wanted
    if any(n > there for d, (n, there) in enumerate(zip(wanted, sizes)) if d != dim) or any(map(gt, wanted, given)):
        raise RuntimeError(
            f"Expected index {list(wanted)} to be no larger than self {list(sizes)} or src {list(given)}"
        )
    _refuse_outside(index._value, dim, sizes, RuntimeError)
    return dim


@public(inplace=True, writing={"apart": True})
def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1) -> Tensor:
    """`input` with alpha · source added at the positions `index` along a dimension."""
    return indexing.index_add(input, _check_written("index_add", input, dim, index, source), index, source, alpha)


@public(inplace=True, writing={"apart": True})
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """`input` with `source` at the positions `index` along a dimension."""
    return indexing.index_copy(input, _check_written("index_copy", input, dim, index, source), index, source)


def _check_written(name: str, input: Any, dim: int, index: Any, source: Any) -> int:
    """The dimension counted from the front. Raises PyTorch's errors if `source` does not fit the places `index`."""
    dim, size, part = check_dim(dim, input.ndim), input._value.shape, source._value.shape
    shapes = RuntimeError if name == "index_add" else IndexError
    if index.ndim > 1:
        raise IndexError(f"{name}_(): Index is supposed to be a vector")
    if index._value.dtype not in (np.int64, *([np.int32] if name == "index_add" else [])):
        raise RuntimeError(f"{name}_(): Expected dtype int64 for index but got: {type_letter(index._value)}")
    if len(part) != len(size) and ((part and size) or name == "index_add"):
        raise shapes(f"{name}_(): source and destination have different numbers of dimensions")
    same_dtype(input, source, name + "_(): self and source must have the same dtype, but have {} and {}")
    if part and size[:dim] + size[dim + 1 :] != part[:dim] + part[dim + 1 :]:
        raise RuntimeError(f"{name}_(): the slices of {list(size)} and of the source {list(part)} differ")
    if index._value.size != (part[dim] if part else 1):
        raise shapes(f"{name}_(): {index._value.size} indices, but {part[dim] if part else 1} positions of the source")
    if name == "index_add" and len(size) < 2:
        refuse((index._value < 0) | (index._value >= (size or (1,))[0]), indexing.out_of_range)
    _refuse_outside(index._value, dim, size, shapes)
    return dim


def _refuse_outside(index: Any, dim: int, size: tuple[int, ...], error: Any, from_the_end: bool = False) -> None:
    """Raise PyTorch's error for a position out of bounds; one below 0 counts from the end if `from_the_end`."""
    count = size[dim] if size else 1
    bad = (index < (-count if from_the_end else 0)) | (index >= count)
    where = f"is out of bounds for dimension {dim} with size {count}"
    refuse(bad, lambda: error(f"index {first(index, bad)} {where}"))


@public(out=False, inplace=True)
def index_fill(input: Tensor, dim: int, index: Tensor, value: Tensor | float) -> Tensor:
    """`input` with a number at the positions `index` along a dimension."""
    dim = check_dim(dim, input.ndim)
    if index._value.dtype.kind not in "iu":
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    _refuse_outside(index._value, dim, input._value.shape, IndexError, from_the_end=True)
    if not isinstance(value, Tensor):
        return indexing.index_fill(input, dim, index, in_type_of(input, value))
    if value._value.shape:
        raise RuntimeError(f"index_fill_ only supports a 0-dimensional value tensor, not {value.ndim} dimensions")
    return indexing.index_fill_tensor(input, dim, index, value)


@public(inplace=True, writing={"expanded": inplace.INDEX_PUT_EXPANDED})
def index_put(input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: bool = False) -> Tensor:
    """`input` with `values` written at arrays of indices; with `accumulate` they are added instead."""
    arrays = tuple(i._value for i in indices)
    if any(array.dtype.kind not in "biu" for array in arrays):
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    if len(arrays) > input.ndim:
        raise IndexError(f"too many indices for tensor of dimension {input.ndim} (got {len(arrays)})")
    indexing.check_arrays(input, arrays)
    same_dtype(input, values, "Index put requires the source and destination dtypes match, got {} and {}")
    return (indexing.index_put_added if accumulate else inplace.index_put)(input, arrays, values)


# ---------------------------------------------------------------------------------------------------------------------
# x[…]


def get(self: Any, key: Any) -> Any:
    """`x[key]`: a view of what integers and slices name, a copy of what lists, tensors and masks do."""
    if type(key) is int and self._value.shape:  # by far the commonest
        return indexing.read_position(self, 0, key)
    part, arrays = indexing.read(self, key)
    if arrays is None:
        return part
    indexing.check_arrays(part, arrays)
    return indexing.index(part, arrays)


def put(self: Any, key: Any, value: Any) -> None:
    """`x[key] = value`: a write in place into that part."""
    if isinstance(key, Tensor) and (type(value) is int or type(value) is float) and inplace.is_free(self):
        mask = key._value
        if mask.dtype.kind == "b" and mask.shape == self._value.shape:  # by far the commonest: `x[x < 0] = 0`
            inplace.put_number(self._value, mask, value)
            inplace.count_write(self)
            return
    part, arrays = indexing.read(self, key, to_write=True)
    if arrays is not None:
        check_inplace(part, value)
        indexing.check_arrays(part, arrays)
    if inplace.writes_directly(part, value) and not isinstance(value, Tensor):
        check_inplace(part)
        if arrays is None:
            inplace.check_own_memory(part._array)
        else:
            inplace.warn_if_expanded(part, arrays, one_value=True)
        inplace.put_number(part._array, arrays, value)
        part._version_counter[0] += 1
        return
    if not isinstance(value, Tensor):
        value = assigned(value, self)
    if arrays is not None:
        value = value if isinstance(key, bool) else without_leading_ones(value)
        inplace.put_at(part, arrays, value)
    elif value._value.shape == () != part._value.shape:
        part.fill_(value)
    else:
        part.copy_(expand_to_assign(value, part._value.shape))
