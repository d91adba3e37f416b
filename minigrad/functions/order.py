"""Sorting, choosing by rank, and counting."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.variable import TensorBase as Tensor
from ..ops import order
from ..ops.errors import check_dim, require_kind
from ..ops.primitive import plain
from ..table import public
from .arguments import pair

# ---------------------------------------------------------------------------------------------------------------------
# In order


@public
def sort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool | None = None) -> Any:
    """(values, indices): the elements in order along a dimension, and where they stood."""
    dim = check_dim(dim, input.ndim)
    indices = plain(_order(input._value, dim, descending))
    return pair(order.sort, input, dim, indices)


@public
def argsort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Tensor:
    """Where the elements in order along a dimension stand."""
    return plain(_order(input._value, check_dim(dim, input.ndim), descending))


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
    dim, array = check_dim(dim, input.ndim), input._value
    indices = _order(array, dim, False)
    if array.shape:
        if array.shape[dim] == 0:
            raise IndexError(f"median(): Expected reduction dim {dim} to have non-zero size.")
        nans = array != array
        middle = np.take(indices, [(array.shape[dim] - 1) // 2], dim)
        indices = np.where(nans.any(dim, keepdims=True), np.expand_dims(np.argmax(nans, dim), dim), middle)
        indices = indices if keepdim else np.squeeze(indices, dim)
    return pair(order.median_dim, input, dim, keepdim, plain(indices))


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
    values = order.unique(input, values)
    more = [*([inverse] if return_inverse else []), *([counts] if return_counts else [])]
    return (values, *map(plain, more)) if more else values
