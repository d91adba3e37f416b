"""Sorting and choosing: each result is one of the elements, and its gradient goes back to where that stood.

Which one it is, the `indices`, is found first and given to the rule, in the shape of the result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.variable import TensorBase as Tensor
from ..memory import order_of
from ..ops.errors import check_dim
from ..ops.primitive import op, plain
from ..ops.shape import along, places_along, put_along
from ..table import public
from .arguments import pair


def _taken(name: str, equation: str) -> Any:
    """The rule of the elements that stand at `indices` along a dimension."""
    return op(name, self=put_along)(lambda self, dim, indices: self[places_along(indices, dim)], equation)


_sort = _taken("SortBackward0", "The elements in order along a dimension      g goes back to where they stood")
_topk = _taken("TopkBackward0", "The k largest along a dimension      g goes back to where they stand")


@public
def sort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool | None = None) -> Any:
    """(values, indices): the elements in order along a dimension, and where they stood."""
    dim = check_dim(dim, input.ndim)
    indices = plain(_order(input._value, dim, descending))
    return pair(_sort, input, dim, indices)


@public
def argsort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Tensor:
    """Where the elements in order along a dimension stand."""
    return plain(_order(input._value, check_dim(dim, input.ndim), descending))


def _order(array: Any, dim: int, descending: bool) -> Any:
    order = np.zeros_like(array, dtype=np.int64, order=order_of(array))  # in memory, too, as the array
    if array.shape and not descending:
        order[...] = np.argsort(array, axis=dim, kind="stable")
    elif array.shape:
        backwards = np.argsort(np.flip(array, dim), axis=dim, kind="stable")
        order[...] = array.shape[dim] - 1 - np.flip(backwards, dim)
    return order


@public
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """(values, indices) of the k largest along a dimension, the largest first."""
    dim = check_dim(dim, input.ndim)
    if input._value.dtype.kind == "b":
        raise RuntimeError("topk does not support bool dtypes on CPU")
    if not 0 <= k <= (input._value.shape or (1,))[dim]:
        raise RuntimeError("selected index k out of range")
    indices = _order(input._value, dim, largest)
    if indices.shape:
        indices = indices[along(dim, slice(k))].copy()
    return pair(_topk, input, dim, plain(indices))
