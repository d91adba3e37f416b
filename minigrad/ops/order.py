"""Operations that choose: each result is one of the elements, and its gradient goes back to where that stood.

Which one it is, the `indices`, is found beforehand and given to the operation, in the shape of the result.
"""

from __future__ import annotations

import numpy as np

from .errors import no_formula
from .indexing import gather, places_along, put_along
from .placing import arange, embed, laid_out_like
from .primitive import op, unary
from .reduction import evenly, restored

# ---------------------------------------------------------------------------------------------------------------------
# One along a dimension


def _choosing(name):
    return op(
        name,
        outputs=2,
        self=lambda grad, self_sym_sizes, dim, keepdim, indices: _at(grad, self_sym_sizes, dim, keepdim, indices),
    )


def _chosen(self, dim, keepdim, indices):
    values = self[places_along(restored(indices, self.shape, (dim,), keepdim), dim)]
    return values if keepdim or not self.ndim else np.squeeze(values, dim), indices


def _at(grad, shape, dim, keepdim, indices):
    """`grad` at the `indices` that were taken, 0 elsewhere."""
    grad, indices = (restored(value, shape, (dim,), keepdim) for value in (grad, indices))
    return put_chosen(None, grad, shape, dim, indices)


@op("ScatterBackward0", self=lambda grad: grad, src=lambda grad, dim, index: gather(grad, dim, index))
def put_chosen(self, src, shape, dim, index):
    """Zeros (`self` is None), with b where `index` names different places along a dimension      ∂L/∂b = g there"""
    if not shape:
        return src
    if index.shape[dim] != 1:
        return embed(src, shape, places_along(index, dim))
    places = arange(shape[dim], index).reshape([-1 if d == dim else 1 for d in range(len(shape))])
    return np.where(index == places, src, src.dtype.type(0))


@_choosing("MaxBackward0")
def max_dim(self, dim, keepdim, indices):
    """c = the largest along one dimension, and where it stands      g goes to the first that is the largest"""
    return _chosen(self, dim, keepdim, indices)


@_choosing("MinBackward0")
def min_dim(self, dim, keepdim, indices):
    """c = the smallest along one dimension, and where it stands      g goes to the first that is the smallest"""
    return _chosen(self, dim, keepdim, indices)


@_choosing("MedianBackward1")
def median_dim(self, dim, keepdim, indices):
    """c = the middle along one dimension, the lower of two, and where it stands      g goes to where it stands"""
    return _chosen(self, dim, keepdim, indices)


@_choosing("NanmedianBackward1")
def nanmedian_dim(self, dim, keepdim, indices):
    """c = the middle of what is not nan along one dimension, and where it stands      g goes to where it stands"""
    return _chosen(self, dim, keepdim, indices)


@_choosing("KthvalueBackward0")
def kthvalue(self, dim, keepdim, indices):
    """c = the k-th smallest along one dimension, and where it stands      g goes to where it stands"""
    return _chosen(self, dim, keepdim, indices)


@_choosing("ModeBackward0")
def mode(self, dim, keepdim, indices):
    """c = the most frequent along one dimension, and where it stands      g goes to where it stands"""
    return _chosen(self, dim, keepdim, indices)


# ---------------------------------------------------------------------------------------------------------------------
# One of all


@unary("MedianBackward0", self=lambda grad, self, result: evenly(grad, self, result))
def median_all(self):
    """c = the middle element, the lower of two      g goes to it; split evenly where several are equal"""
    return _middle(np.sort(self.reshape(-1)), self)


@unary("NanmedianBackward0", self=lambda grad, self, result: evenly(grad, self, result))
def nanmedian_all(self):
    """c = the middle of the elements that are not nan      g goes to it; split evenly where several are equal"""
    return _middle(np.sort(self[self == self]), self)


def _middle(ordered, self):
    if ordered.size == 0 or ordered[-1] != ordered[-1]:
        return self.dtype.type(np.nan) if self.dtype.kind == "f" else np.iinfo(self.dtype).min
    return ordered[(ordered.size - 1) // 2]


# ---------------------------------------------------------------------------------------------------------------------
# Many along a dimension


def _placing(name):
    return op(
        name,
        outputs=2,
        self=lambda grad, self_sym_sizes, dim, indices: put_chosen(None, grad, self_sym_sizes, dim, indices),
    )


def _cumulating(name):
    return op(
        name,
        outputs=2,
        self=lambda grad, self, dim, indices: put_along(None, grad, self.shape, dim, indices),
    )


@_placing("SortBackward0")
def sort(self, dim, indices):
    """The elements in order along a dimension, and where they stood      g goes back to where they stood"""
    return laid_out_like(self[places_along(indices, dim)], self), indices


@_placing("SortBackward1")
def sort_stable(self, dim, indices):
    """As `sort`; of those that are equal, the first comes first      g goes back to where they stood"""
    return laid_out_like(self[places_along(indices, dim)], self), indices


@_placing("TopkBackward0")
def topk(self, dim, indices):
    """The k largest along a dimension, and where they stand      g goes back to where they stand"""
    return self[places_along(indices, dim)], indices


@_cumulating("CummaxBackward0")
def cummax(self, dim, indices):
    """cᵢ = the largest of a₁ … aᵢ, and where it stands      g goes to where it stands"""
    return self[places_along(indices, dim)], indices


@_cumulating("CumminBackward0")
def cummin(self, dim, indices):
    """cᵢ = the smallest of a₁ … aᵢ, and where it stands      g goes to where it stands"""
    return self[places_along(indices, dim)], indices


# ---------------------------------------------------------------------------------------------------------------------
# Some of all


def _different(name, derivative):
    @op(name, self=no_formula(derivative))
    def keep(self, values):
        """The elements, or slices, that differ. Which they are jumps, and PyTorch has no derivative for it"""
        return values

    return keep


unique, unique_dim, unique_consecutive = map(
    _different,
    ("Unique2Backward0", "UniqueDimBackward0", "UniqueConsecutiveBackward0"),
    ("_unique2", "unique_dim", "unique_consecutive"),
)
