"""Sorting and choosing: each result is one of the elements, and its gradient goes back to where that stood.

Which one it is, the `indices`, is found first and given to the rule, in the shape of the result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.variable import TensorBase as Tensor
from ..memory import laid_out_like
from ..ops.errors import check_dim, no_formula, require_kind
from ..ops.formulas import raw_of
from ..ops.indexing import places_along
from ..ops.primitive import op, plain, unary
from ..ops.shape import put
from ..table import public
from .arguments import pair
from .reduction import choosing, evenly

# ---------------------------------------------------------------------------------------------------------------------
# One along a dimension


median_dim = choosing(
    "MedianBackward1",
    "c = the middle along one dimension, the lower of two, and where it stands      g goes to where it stands",
)


# ---------------------------------------------------------------------------------------------------------------------
# One of all


median_all = unary("MedianBackward0", self=evenly)(
    lambda self: _middle(np.sort(self.reshape(-1)), self),
    "c = the middle element, the lower of two      g goes to it; split evenly where several are equal",
)


def _middle(ordered, self):
    if ordered.size == 0 or ordered[-1] != ordered[-1]:
        return self.dtype.type(np.nan) if self.dtype.kind == "f" else np.iinfo(self.dtype).min
    return ordered[(ordered.size - 1) // 2]


# ---------------------------------------------------------------------------------------------------------------------
# Many along a dimension


def _back(grad, self_sym_sizes, dim, indices):
    return put(grad, self_sym_sizes, places_along(raw_of(indices), dim)) if self_sym_sizes else grad


def _found(self, dim, indices):
    return self[places_along(indices, dim)], indices


def _ordered(self, dim, indices):
    return laid_out_like(self[places_along(indices, dim)], self), indices


_sort = op("SortBackward0", outputs=2, self=_back)(
    _ordered, "The elements in order along a dimension, and where they stood      g goes back to where they stood"
)
_topk = op("TopkBackward0", outputs=2, self=_back)(
    _found, "The k largest along a dimension, and where they stand      g goes back to where they stand"
)


# ---------------------------------------------------------------------------------------------------------------------
# Some of all


_unique = op("Unique2Backward0", self=no_formula("_unique2"))(
    lambda self, values: values,
    "The elements, or slices, that differ. Which they are jumps, and PyTorch has no derivative for it",
)


# ---------------------------------------------------------------------------------------------------------------------
# In order


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
    return pair(_topk, input, dim, plain(chosen))


# ---------------------------------------------------------------------------------------------------------------------
# One by its rank


@public
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The middle element, the lower of two; with `dim`, (values, indices) along it."""
    require_kind(input._value, "fiu", "median_cpu")
    if dim is None:
        return median_all(input)
    dim, array = check_dim(dim, input.ndim), input._value
    indices = _order(array, dim, False)
    if array.shape:
        if array.shape[dim] == 0:
            raise IndexError(f"median(): Expected reduction dim {dim} to have non-zero size.")
        nans = array != array
        middle = np.take(indices, [(array.shape[dim] - 1) // 2], dim)
        indices = np.where(nans.any(dim, keepdims=True), np.expand_dims(np.argmax(nans, dim), dim), middle)
        indices = indices if keepdim else np.squeeze(indices, dim)
    return pair(median_dim, input, dim, keepdim, plain(indices))


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
    """The different elements, or slices along `dim`, in ascending

    On request also where each element is among them (`return_inverse`), and how often each occurs (`return_counts`).
    """
    values, inverse, counts = np.unique(input._value, False, True, True, dim, equal_nan=False)
    inverse = inverse.reshape(input._value.shape if dim is None else -1)
    values = _unique(input, values)
    more = [*([inverse] if return_inverse else []), *([counts] if return_counts else [])]
    return (values, *map(plain, more)) if more else values
