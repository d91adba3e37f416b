"""Sorting and counting."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.variable import make_tensor
from ..ops import reduction
from ..ops.errors import check_dim
from .arguments import return_type

__all__ = [
    "argsort", "bincount", "sort", "topk", "unique",
]  # fmt: skip

_sort_type, _topk_type = (return_type(name, "values", "indices") for name in ("sort", "topk"))


def sort(input: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """(values, indices): the elements in order along a dimension, and where they stood."""
    dim = check_dim(dim, len(input._value.shape))
    indices = make_tensor(_order(input._value, dim, descending))
    return _sort_type(reduction.sort(input, dim, indices))


def argsort(input: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """Where the elements in order along a dimension stand."""
    return make_tensor(_order(input._value, check_dim(dim, len(input._value.shape)), descending))


def topk(input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """(values, indices) of the k largest along a dimension, the largest first."""
    dim = check_dim(dim, len(input._value.shape))
    if input._value.dtype.kind == "b":
        raise RuntimeError("topk does not support bool dtypes on CPU")
    if not 0 <= k <= input._value.shape[dim]:
        raise RuntimeError("selected index k out of range")
    indices = np.take(_order(input._value, dim, largest), range(k), dim)
    return _topk_type(reduction.topk(input, dim, make_tensor(indices)))


def _order(array: Any, dim: int, descending: bool) -> Any:
    if not descending:
        return np.argsort(array, axis=dim, kind="stable")
    backwards = np.argsort(np.flip(array, dim), axis=dim, kind="stable")
    return array.shape[dim] - 1 - np.flip(backwards, dim)


def unique(input: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False) -> Any:
    """The different elements in ascending order; on request also where each element is among them, and how often."""
    values, inverse, counts = np.unique(input._value, return_inverse=True, return_counts=True)
    wanted = [values]
    if return_inverse:
        wanted.append(inverse.reshape(input._value.shape))
    if return_counts:
        wanted.append(counts)
    return make_tensor(values) if len(wanted) == 1 else tuple(map(make_tensor, wanted))


def bincount(input: Any, weights: Any = None, minlength: int = 0) -> Any:
    """How often each of the numbers 0, 1, 2, … occurs; with `weights` the sum of their weights."""
    if input._value.ndim != 1 or input._value.dtype.kind not in "iu" or (input._value < 0).any():
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    return make_tensor(np.bincount(input._value, None if weights is None else weights._value, minlength))
