"""Elements taken from, and written to, places that tensors of indices or masks name."""

from __future__ import annotations

from operator import gt
from typing import Any

import numpy as np

from ..autograd.variable import TensorBase as Tensor
from ..autograd.views import check_inplace
from ..creation import assigned
from ..devices import first, refuse
from ..memory import in_order
from ..ops import indexing, inplace
from ..ops import shape as views
from ..ops.errors import check_dim
from ..ops.primitive import plain
from ..table import public
from .arguments import in_type_of
from .shape import expand_to_assign, without_leading_ones


@public
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The positions `index` along a dimension."""
    dim = check_dim(dim, input.ndim)
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if index._value.dtype not in (np.int64, np.int32):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    size = (input._value.shape or (1,))[dim]
    refuse((index._value < 0) | (index._value >= size), lambda: indexing.out_of_range())
    return indexing.index_select(input, dim, index)


@public
def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """At each place of `index` the element that it names along `dim`."""
    if index._value.dtype not in (np.int64, np.int32):
        raise RuntimeError("gather(): Expected dtype int32/int64 for index")
    if index.ndim != input.ndim:
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    dim = check_dim(dim, input.ndim)
    _refuse_outside(index._value, dim, input._value.shape)
    for d, (wanted, there) in enumerate(zip(index._value.shape, input._value.shape, strict=True)):
        if d != dim and wanted > there:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index {list(index.shape)} to be no larger than self "
                f"{list(input.shape)} apart from dimension {dim}"
            )
    return indexing.gather(input, dim, index)


@public
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The indices of the elements that are not zero: a row for each, or a tuple with a vector for each dimension."""
    found = np.nonzero(np.atleast_1d(input._value))
    if not input._value.shape and not as_tuple:
        return plain(np.empty_like(found[0], shape=(len(found[0]), 0)))
    return tuple([plain(in_order(places)) for places in found]) if as_tuple else plain(np.stack(found, axis=1))


@public(inplace=True, writing={"apart": True})
def scatter(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor | float | None = None,
    *,
    value: float | None = None,
) -> Tensor:
    """`input` with the elements of `src`, or a number, written where `index` names places along `dim`."""
    src = value if src is None else src
    dim = _check_scatter(input, dim, index, src)
    if isinstance(src, Tensor):
        return indexing.scatter(input, dim, index, src)
    return indexing.scatter_number(input, dim, index, in_type_of(input, src))


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
    _refuse_outside(index._value, dim, sizes)
    return dim


def _refuse_outside(index: Any, dim: int, size: tuple[int, ...]) -> None:
    """Raise PyTorch's error for a position out of bounds."""
    count = size[dim] if size else 1
    bad = (index < 0) | (index >= count)
    where = f"is out of bounds for dimension {dim} with size {count}"
    refuse(bad, lambda: RuntimeError(f"index {first(index, bad)} {where}"))


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
    return views.index(part, arrays)


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
