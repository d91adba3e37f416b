"""Operations that choose: each result is one of the elements, and its gradient goes back to where that stood.

Which one it is, the `indices`, is found beforehand and given to the operation, in the shape of the result.
"""

from __future__ import annotations

import numpy as np

from ..memory import arange, laid_out_like
from .errors import no_formula
from .formulas import raw_of
from .indexing import places_along
from .primitive import op, unary
from .reduction import evenly, restored
from .shape import put

# ---------------------------------------------------------------------------------------------------------------------
# One along a dimension


def _choosing(name, equation):
    return op(name, outputs=2, self=_at)(_chosen, equation)


def _chosen(self, dim, keepdim, indices):
    values = self[places_along(restored(indices, self.shape, (dim,), keepdim), dim)]
    return values if keepdim or not self.ndim else np.squeeze(values, dim), indices


def _at(grad, self_sym_sizes, dim, keepdim, indices):
    """`grad` at the `indices` that were taken, 0 elsewhere."""
    if not self_sym_sizes:
        return grad
    grad, indices = (restored(value, self_sym_sizes, (dim,), keepdim) for value in (grad, raw_of(indices)))
    places = arange(self_sym_sizes[dim], indices).reshape([-1 if d == dim else 1 for d in range(len(self_sym_sizes))])
    return np.where(indices == places, grad, 0.0)


max_dim = _choosing(
    "MaxBackward0",
    "c = the largest along one dimension, and where it stands      g goes to the first that is the largest",
)
min_dim = _choosing(
    "MinBackward0",
    "c = the smallest along one dimension, and where it stands      g goes to the first that is the smallest",
)
median_dim = _choosing(
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


sort = op("SortBackward0", outputs=2, self=_back)(
    _ordered, "The elements in order along a dimension, and where they stood      g goes back to where they stood"
)
topk = op("TopkBackward0", outputs=2, self=_back)(
    _found, "The k largest along a dimension, and where they stand      g goes back to where they stand"
)


# ---------------------------------------------------------------------------------------------------------------------
# Some of all


unique = op("Unique2Backward0", self=no_formula("_unique2"))(
    lambda self, values: values,
    "The elements, or slices, that differ. Which they are jumps, and PyTorch has no derivative for it",
)
