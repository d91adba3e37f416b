"""Sorting, choosing by rank, and counting."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..autograd.variable import TensorBase as Tensor
from ..devices import device_of, move, on_host, refuse, to_host
from ..ops import order, pointwise, shape
from ..ops.errors import check_dim, require_kind
from ..ops.primitive import no_derivative, plain
from ..table import public
from .arguments import pair
from .indexing import gather
from .shape import flatten, transpose, unsqueeze, view

# ---------------------------------------------------------------------------------------------------------------------
# In order


@public
def sort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool | None = None) -> Any:
    """(values, indices): the elements in order along a dimension, and where they stood."""
    dim = check_dim(dim, input.ndim)
    indices = plain(_order(input._value, dim, descending))
    return pair(order.sort if stable is None else order.sort_stable, input, dim, indices)


@public
def argsort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Tensor:
    """Where the elements in order along a dimension stand."""
    return plain(_order(input._value, check_dim(dim, input.ndim), descending))


@public
def msort(input: Tensor) -> Tensor:
    """The elements in order along the first dimension."""
    return sort(input, 0)[0]


def _order(array: Any, dim: int, descending: bool) -> Any:
    if not array.shape:
        return np.zeros_like(array, dtype=np.int64)
    if not descending:
        return np.argsort(array, axis=dim, kind="stable")
    backwards = np.argsort(np.flip(array, dim), axis=dim, kind="stable")
    return array.shape[dim] - 1 - np.flip(backwards, dim)


@public
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """(values, indices) of the k largest along a dimension, the largest first."""
    dim = check_dim(dim, input.ndim)
    if input._value.dtype.kind == "b":
        raise RuntimeError("topk does not support bool dtypes on CPU")
    if not 0 <= k <= (input._value.shape or (1,))[dim]:
        raise RuntimeError("selected index k out of range")
    ranks = _order(input._value, dim, largest)
    chosen = ranks[(*(slice(None),) * dim, slice(k))].copy() if ranks.shape else ranks
    return pair(order.topk, input, dim, plain(chosen))


# ---------------------------------------------------------------------------------------------------------------------
# One by its rank


@public
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The middle element, the lower of two; with `dim`, (values, indices) along it."""
    require_kind(input._value, "fiu", "median_cpu")
    if dim is None:
        return order.median_all(input)

    def middle(array: Any, ranks: Any, dim: int) -> Any:
        indices, nans = np.take(ranks, [(ranks.shape[dim] - 1) // 2], dim), array != array
        first_nan = np.expand_dims(np.argmax(nans, dim), dim)
        return np.where(nans.any(dim, keepdims=True), first_nan, indices)

    return _one("median", order.median_dim, input, dim, keepdim, middle)


@public
def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The middle of the elements that are not nan; with `dim`, (values, indices) along it."""
    require_kind(input._value, "fiu", "median_cpu")
    if dim is None:
        return order.nanmedian_all(input)

    def middle(array: Any, ranks: Any, dim: int) -> Any:
        count = (array == array).sum(dim, keepdims=True)  # nan stands behind all others
        return np.take_along_axis(ranks, np.maximum(count - 1, 0) // 2, dim)

    return _one("nanmedian", order.nanmedian_dim, input, dim, keepdim, middle)


@public
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """(values, indices) of the k-th smallest along a dimension, counted from 1."""
    require_kind(input._value, "fiu", "kthvalue_cpu")
    size = (input._value.shape or (1,))[check_dim(dim, input.ndim)]
    if size and not 1 <= k <= size:
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {dim}")
    return _one("kthvalue", order.kthvalue, input, dim, keepdim, lambda array, ranks, dim: np.take(ranks, [k - 1], dim))


@public
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    """(values, indices) of the most frequent element along a dimension, the smallest of several; where it is last."""

    def last_of_most_frequent(row: Any) -> Any:
        values, counts = np.unique(row, return_counts=True)
        return np.flatnonzero(row == values[np.argmax(counts)])[-1:]

    def find(array: Any, ranks: Any, dim: int) -> Any:
        if not ranks.size:
            return np.take(ranks, [0], dim)
        return on_host(lambda array: np.apply_along_axis(last_of_most_frequent, dim, array), array)

    return _one("mode", order.mode, input, dim, keepdim, find)


def _one(name: str, rule: Any, input: Any, dim: int, keepdim: bool, find: Any) -> Any:
    """(values, indices) of one element along a dimension, found in the array, with the places of all in order."""
    dim, array = check_dim(dim, input.ndim), input._value
    if array.shape and array.shape[dim] == 0:
        raise IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")
    ranks = _order(array, dim, False)
    indices = find(array, ranks, dim) if array.shape else ranks
    return pair(rule, input, dim, keepdim, plain(indices if keepdim or not array.shape else np.squeeze(indices, dim)))


@public
def quantile(
    input: Tensor, q: Tensor | float, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Tensor:
    """The value below which a share `q` of the elements lies; `q` may be a vector. Between two elements, by a line.

    `interpolation` may also be "lower", "higher", "midpoint" or "nearest".
    """
    kind, size = input._value.dtype, input._value.shape
    shares = q._value if isinstance(q, Tensor) else move(np.array(q, kind), device_of(input._value))
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise RuntimeError("quantile() interpolation must be one of linear, lower, higher, midpoint or nearest")
    if kind not in (np.float32, np.float64) or shares.dtype != kind:
        raise RuntimeError("quantile() input and q must be of one type, float or double")
    if shares.ndim > 1 or input._value.size == 0:
        raise RuntimeError("quantile() q must be a scalar or 1D tensor, and input tensor must be non-empty")
    refuse(~((shares >= 0) & (shares <= 1)), lambda: RuntimeError(f"quantile() q must be in the range [0, 1], not {q}"))
    dim = None if dim is None else check_dim(dim, len(size))
    if dim is None:
        ordered, rest = sort(flatten(input))[0], [1] * len(size) if keepdim else []
    else:
        rest = [1 if d == dim else n for d, n in enumerate(size) if d != dim or keepdim]
        last = dim == len(size) - 1 or not size
        ordered = sort(input if last else transpose(unsqueeze(input, -1), dim, -1))[0]
    count = input._value.size if dim is None else (size or (1,))[dim]
    ordered = view(ordered, *rest, count)
    ranks = np.broadcast_to(shares.reshape(-1) * (count - 1), (*rest, shares.size))
    unknown = np.isnan(ordered._value[..., -1:])  # a nan comes last, and makes the quantile nan
    values = _at_ranks(ordered, np.where(unknown, ranks.dtype.type(count - 1), ranks), interpolation)
    if shares.ndim == 0:
        return shape.squeeze_written(values, len(rest))
    values = shape.transpose_written(shape.unsqueeze_written(values, 0), 0, len(rest) + 1)
    return shape.squeeze_written(values, len(rest) + 1)


def _at_ranks(ordered: Any, ranks: Any, interpolation: str) -> Any:
    """The elements at the places `ranks` along the last dimension, and in between what `interpolation` says."""
    rounded = {"lower": np.floor, "higher": np.ceil, "nearest": np.round}
    if interpolation in rounded:
        return gather(ordered, -1, plain(rounded[interpolation](ranks).astype(np.int64)))
    below = np.floor(ranks)
    weight = np.full_like(ranks, 0.5) if interpolation == "midpoint" else ranks - below
    low, high = (gather(ordered, -1, plain(r.astype(np.int64))) for r in (below, np.ceil(ranks)))
    return pointwise.lerp(low, high, plain(weight))


# ---------------------------------------------------------------------------------------------------------------------
# The best so far


def _best(rule: Any, choose: Any, doc: str) -> None:
    def best(input: Tensor, dim: int) -> Any:
        dim, array = check_dim(dim, input.ndim), input._value

        def places(array: Any) -> Any:
            best = choose.accumulate(array, axis=dim)
            places = np.arange(array.shape[dim]).reshape([-1 if d == dim else 1 for d in range(array.ndim)])
            here = (array == best) | (array != array)
            return np.maximum.accumulate(np.where(here, places, 0), axis=dim)

        found = on_host(places, array) if array.shape else np.zeros_like(array, dtype=np.int64)
        return pair(rule, input, dim, plain(found))

    public(best, name=rule.__name__, doc=doc)


_best(order.cummax, np.maximum, "(values, indices) of the largest so far along a dimension.")
_best(order.cummin, np.minimum, "(values, indices) of the smallest so far along a dimension.")


# ---------------------------------------------------------------------------------------------------------------------
# Counting and searching


@public(out=False)
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The different elements, or slices along `dim`, in ascending order.

    On request also where each element is among them (`return_inverse`), and how often each occurs (`return_counts`).
    """
    values, inverse, counts = np.unique(input._value, False, True, True, dim, equal_nan=False)
    inverse = inverse.reshape(input._value.shape if dim is None else -1)
    values = (order.unique if dim is None else order.unique_dim)(input, values)
    return _asked_for(values, inverse, counts, return_inverse, return_counts)


@public(out=False)
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Of each run of equal elements, or of equal slices along `dim`, the first; with what `unique` gives on request."""
    array = input._value.reshape(-1) if dim is None else np.moveaxis(input._value, dim, 0)
    rows = array.reshape(len(array), math.prod(array.shape[1:]))
    starts = np.ones_like(rows, shape=len(rows), dtype=np.bool_)
    starts[1:] = (rows[1:] != rows[:-1]).any(1)
    inverse = np.cumsum(starts) - 1
    values = array[starts] if dim is None else np.moveaxis(array[starts], 0, dim)
    counts = np.diff(np.append(np.flatnonzero(starts), len(rows)))  # (cupy appends a number, too)
    inverse = inverse.reshape(input._value.shape) if dim is None else inverse
    values = order.unique_consecutive(input, values)
    return _asked_for(values, inverse, counts, return_inverse, return_counts)


def _asked_for(values: Any, inverse: Any, counts: Any, return_inverse: bool, return_counts: bool) -> Any:
    more = [*([inverse] if return_inverse else []), *([counts] if return_counts else [])]
    return (values, *map(plain, more)) if more else values


@public
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each of the numbers 0, 1, 2, … occurs; with `weights` the sum of their weights."""
    wrong = RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    require_kind(input._value, "biu", "bincount_cpu")
    if input._value.ndim != 1 or input._value.dtype.kind not in "iu":
        raise wrong
    refuse(input._value < 0, lambda: wrong)
    if weights is None:
        return plain(np.bincount(input._value, None, minlength))
    return _weighted_count(input, weights, minlength)


@no_derivative("aten::bincount")
def _weighted_count(input, weights, minlength):
    """The sum of the weights of each of the numbers 0, 1, 2, …"""
    return np.bincount(input, weights, minlength).astype(weights.dtype if weights.dtype == np.float32 else np.float64)


@public
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements fall in each of `bins` equal parts of [min, max]; of their own range if both are 0."""
    require_kind(input._value, "f", "histogram_cpu")
    low, high = float(min), float(max)
    if low == high == 0 and input._value.size:
        low, high = (float(to_host(end)) for end in (input._value.min(), input._value.max()))
    if low == high:
        low, high = low - 1, high + 1
    if not np.isfinite([low, high]).all():
        raise RuntimeError(f"torch.histc: range of [{low:g}, {high:g}] is not finite")
    array = input._value[(input._value >= low) & (input._value <= high)]
    places = np.floor((array - low) * bins / (high - low))
    places = np.clip(np.nan_to_num(places), 0, bins - 1).astype(
        np.int64
    )  # where the range is more than the largest number
    return plain(np.bincount(places, minlength=bins).astype(array.dtype))


@public(as_method=False)
def isin(
    elements: Tensor | float, test_elements: Tensor, *, assume_unique: bool = False, invert: bool = False
) -> Tensor:
    """Which elements are among the test elements; either may be a number."""
    raw = (t._value if isinstance(t, Tensor) else t for t in (elements, test_elements))
    return plain(np.isin(*raw, assume_unique=assume_unique, invert=invert))


@public(as_method=False)
def searchsorted(
    sorted_sequence: Tensor,
    input: Tensor | float,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
) -> Tensor:
    """Where each value would have to be inserted so that the sequence stays in order; with `right`, behind equal ones.

    `sorted_sequence` is a vector, or has the shape of `input` but for the last dimension: then row by row.
    """
    sequence = sorted_sequence._value
    values = input._value if isinstance(input, Tensor) else move(np.array(input), device_of(sequence))
    if side is not None and side != ("right" if right else "left") and right:
        raise RuntimeError("torch.searchsorted(): side and right can't be set to opposites")
    side = side or ("right" if right else "left")
    kind = np.int32 if out_int32 else np.int64
    if sequence.ndim == 1:
        return plain(np.searchsorted(sequence, values, side).astype(kind))
    if sequence.shape[:-1] != values.shape[:-1]:
        raise RuntimeError("torch.searchsorted(): all dimensions but the last must match")

    def row_by_row(sequence: Any, values: Any) -> Any:
        rows = zip(sequence.reshape(-1, sequence.shape[-1]), values.reshape(-1, values.shape[-1]), strict=True)
        return np.array([np.searchsorted(*row, side) for row in rows], kind).reshape(values.shape)

    return plain(on_host(row_by_row, sequence, values))


@public(as_method=False)
def bucketize(input: Tensor | float, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """In which of the intervals between the boundaries each value lies."""
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)
