"""Operations that rearrange: views of the same memory, and joins of several tensors.

A view shares the memory of its input, so its gradient is the same rearrangement backwards: the reshape is undone, the
transposition repeated, a selected part put back where it came from.
"""

from __future__ import annotations

import numpy as np

from ..autograd.accumulate import sum_to_size
from ..devices import module_of
from ..memory import arange, check_ndim, copied, expanded, in_order, see, zeros
from .formulas import raw_of
from .primitive import op, view, views

# ---------------------------------------------------------------------------------------------------------------------
# What is taken out, and what is put back: the derivative of each is the other


@op("IndexPutImplBackward0", values=lambda grad, indices: index(grad, indices))
def put(values, shape, indices):
    """Zeros, with values added at a place: slices, arrays of indices, a mask      ∂L/∂values = g there"""
    result = zeros(values, shape)
    kinds = {each.dtype.kind if hasattr(each, "shape") else "" for each in indices}
    if kinds <= {"", "b"} or result.dtype.kind == "b":  # each element is named once
        result[indices] = values
    else:  # (cupy answers to its own `at` alone, which adds no bools)
        module_of(result).add.at(result, indices, values)
    return result


@op("IndexBackward0", self=lambda grad, self_sym_sizes, indices: put(grad, self_sym_sizes, indices))
def index(self, indices):
    """The elements that arrays of indices or a mask name      g is added back there, 0 elsewhere"""
    found = self[indices]
    return found if found.flags.owndata and found.flags.c_contiguous else found.copy()


def along(dim, place):
    """The index of a place along one dimension: all of the dimensions before it and behind it."""
    return (*(slice(None),) * dim, place)


def places_along(index, dim):
    """The array index that picks, at each place of `index`, the element it names along `dim`."""
    return tuple(index if d == dim else positions(index, d) for d in range(index.ndim))


def put_along(grad, self_sym_sizes, dim, indices):
    """`grad` added back at the places that `indices` name along a dimension; 0 elsewhere."""
    return put(grad, self_sym_sizes, places_along(raw_of(indices), dim)) if self_sym_sizes else grad


def positions(array, dim):
    """0, 1, 2, … along a dimension of `array`, in a shape that broadcasts over the others."""
    size = array.shape[dim]
    return arange(size, array).reshape(size, *(1,) * (array.ndim - dim - 1))


# ---------------------------------------------------------------------------------------------------------------------
# Views


def in_old_shape(grad, self_sym_sizes):
    """The gradient of what only has another shape."""
    return grad.reshape(self_sym_sizes)


def _reshape_without_copy(self, size):
    if self.flags.c_contiguous:
        return self.reshape(size)
    try:
        return self.reshape(size, copy=False)
    except ValueError:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        ) from None


view_as_shape = view("ViewBackward0", self=in_old_shape)(
    _reshape_without_copy, "The same numbers in another shape      ∂L/∂a = g in the old shape"
)
reshape_alias = view("ReshapeAliasBackward0", self=in_old_shape)(
    _reshape_without_copy, "A view of memory that is not in order, in another shape      ∂L/∂a = g in the old shape"
)
unsafe_view = op("UnsafeViewBackward0", self=in_old_shape)(
    lambda self, size: self.reshape(size),
    "A fresh result in another shape: a view of which nobody knows the base      ∂L/∂a = g in the old shape",
)


def _put_diagonal(grad, self_sym_sizes, offset, dim1, dim2):
    """`grad`, whose last dimension is the diagonal of `dim1` and `dim2`, put there in zeros."""
    rows = arange(grad.shape[-1], grad) + max(-offset, 0)
    order = [*(d for d in range(len(self_sym_sizes)) if d not in (dim1, dim2)), dim1, dim2]
    placed = put(grad, tuple([self_sym_sizes[d] for d in order]), (..., rows, rows + offset))
    return np.transpose(placed, np.argsort(order).tolist())


@view("DiagonalBackward0", self=_put_diagonal)
def diagonal(self, offset, dim1, dim2):
    """The diagonal of two dimensions, which becomes the last one      g is put back there, 0 elsewhere"""
    shown = np.diagonal(self, offset, dim1, dim2)
    if type(shown) is np.ndarray:  # numpy forbids writing to it; here it is a view like others
        shown.flags.writeable = self.flags.writeable
    return shown


t = view("TBackward0", self=lambda grad: t(grad))(lambda self: self.T, "C = Aᵀ, of a matrix      ∂L/∂A = Gᵀ")
t_small = view("TBackward0", self=lambda grad: grad)(
    lambda self: self.view(), "The transpose of a vector or a number, which is itself      ∂L/∂a = g"
)
transpose = view("TransposeBackward0", self=lambda grad, dim0, dim1: transpose(grad, dim0, dim1))(
    lambda self, dim0, dim1: self.swapaxes(dim0, dim1) if self.ndim else self.view(),
    "Two dimensions swapped      ∂L/∂a = g with them swapped back",
)
permute = view("PermuteBackward0", self=lambda grad, dims: np.transpose(grad, np.argsort(dims).tolist()))(
    lambda self, dims: self.transpose(dims), "The dimensions in another order      ∂L/∂a = g in the old order"
)
alias = view("AliasBackward0", self=lambda grad: grad)(
    lambda self: self.view(), "The same tensor under a second name      ∂L/∂a = g"
)


# A part of it may be written: `check_own_memory` decides.
expand = view("ExpandBackward0", self=lambda grad, self_sym_sizes: sum_to_size(grad, self_sym_sizes))(
    lambda self, size: expanded(self, size),
    "Dimensions of size 1 repeated without a copy      ∂L/∂a = g summed over the repetitions",
)


def _unsqueezed(self, dim):
    check_ndim(self.ndim + 1)
    step = self.shape[dim] * self.strides[dim] if dim < self.ndim else self.itemsize  # as PyTorch has it
    shape, strides = list(self.shape), list(self.strides)
    shape.insert(dim, 1)
    strides.insert(dim, step)
    return see(self, shape, strides)


def _squeezed(self, dim):
    return np.squeeze(self, dim) if self.ndim and self.shape[dim] == 1 else self.view()


unsqueeze = view("UnsqueezeBackward0", self=in_old_shape)(
    _unsqueezed, "A new dimension of size 1      ∂L/∂a = g without it"
)
unsqueeze_written = view("UnsqueezeBackward1", self=in_old_shape)(
    _unsqueezed, "A new dimension of size 1, in place      ∂L/∂a = g without it"
)
squeeze_all = view("SqueezeBackward0", self=in_old_shape)(
    lambda self: np.squeeze(self), "All dimensions of size 1 removed      ∂L/∂a = g in the old shape"
)
squeeze_dim = view("SqueezeBackward1", self=in_old_shape)(
    _squeezed, "One dimension removed, if its size is 1      ∂L/∂a = g in the old shape"
)
squeeze_written = view("SqueezeBackward4", self=in_old_shape)(
    _squeezed, "One dimension removed in place, if its size is 1      ∂L/∂a = g in the old shape"
)
squeeze_dims = view("SqueezeBackward2", self=in_old_shape)(
    lambda self, dim: np.squeeze(self, dim), "Some dimensions of size 1 removed      ∂L/∂a = g in the old shape"
)


@views("UnbindBackward0", self=lambda grad, dim: np.stack(grad, dim))
def unbind(self, dim):
    """All positions along a dimension, each by itself      ∂L/∂a = their gradients, stacked"""
    return [self[(*along(dim, i), ...)] for i in range(self.shape[dim])]


# PyTorch's nodes remember the sizes, which the gradients tell, too.
@views("SplitBackward0", self=lambda grad, self_sym_sizes, split_size, dim: np.concatenate(grad, dim))
def split(self, split_size, dim):
    """Pieces of one size along a dimension      ∂L/∂a = their gradients, joined"""
    total = self.shape[dim]
    sizes = [min(split_size, total - i) for i in range(0, max(total, 1), split_size)] if split_size else [total]
    return split_with_sizes.forward(self, sizes, dim)


@views("SplitWithSizesBackward0", self=lambda grad, self_sym_sizes, split_sizes, dim: np.concatenate(grad, dim))
def split_with_sizes(self, split_sizes, dim):
    """Pieces of different sizes along a dimension      ∂L/∂a = their gradients, joined"""
    ends = np.cumsum(split_sizes).tolist()
    return [self[along(dim, slice(end - size, end))] for size, end in zip(split_sizes, ends, strict=True)]


@view("SelectBackward0", self=lambda grad, self_sym_sizes, dim, index: put(grad, self_sym_sizes, along(dim, index)))
def select(self, dim, index):
    """One position along a dimension, which disappears      g is put back there, 0 elsewhere"""
    return self[index, ...] if dim == 0 else self[(*(slice(None),) * dim, index, ...)]


slice_dim = view(
    "SliceBackward0",
    self=lambda grad, self_sym_sizes, dim, start, end, step: put(
        grad, self_sym_sizes, along(dim, slice(start, end, step))
    ),
)(
    lambda self, dim, start, end, step: self[(*(slice(None),) * dim, slice(start, end, step))],
    "Some positions along a dimension      g is put back there, 0 elsewhere",
)


# ---------------------------------------------------------------------------------------------------------------------
# Joins


def _cut(grad, tensors_sym_sizes, dim):
    parts, end = [], 0
    for shape in tensors_sym_sizes:
        if shape == (0,):
            parts.append(np.zeros_like(grad, shape=shape))
            continue
        start, end = end, end + shape[dim]
        parts.append(slice_dim(grad, dim, start, end, 1))
    return parts


@op("CatBackward0", sequence=True, tensors=_cut)
def cat(tensors, dim):
    """Tensors one behind the other along a dimension      each gets its part of g"""
    try:
        return in_order(np.concatenate(tensors, axis=dim))
    except ValueError:  # an empty vector does not count
        return in_order(np.concatenate([x for x in tensors if x.shape != (0,)], axis=dim))


stack = op(
    "StackBackward0",
    sequence=True,
    tensors=lambda grad, tensors_sym_sizes, dim: [select(grad, dim, i) for i in range(len(tensors_sym_sizes))],
)(
    lambda tensors, dim: in_order(np.stack(tensors, dim)),
    "Tensors of one shape along a new dimension      each gets its slice of g",
)


def _sum_repeats(grad, self_sym_sizes, repeats):
    if 0 in repeats:
        return np.zeros_like(grad, shape=self_sym_sizes)
    sizes = (1,) * (len(repeats) - len(self_sym_sizes)) + self_sym_sizes
    # Each dimension as two: which copy it is, and where in the copy.
    apart = [n for count, size in zip(repeats, sizes, strict=True) for n in (count, size)]
    summed = grad.reshape(apart).sum(axis=tuple(range(0, len(apart), 2)))
    return summed.reshape(self_sym_sizes)


repeat = op("RepeatBackward0", self=_sum_repeats)(
    lambda self, repeats: in_order(np.tile(self, repeats)),
    "Copies of the tensor side by side      ∂L/∂a = the sum of g over the copies",
)
flip = op("FlipBackward0", self=lambda grad, dims: np.flip(grad, dims))(
    lambda self, dims: copied(np.flip(self, dims)),
    "The order along some dimensions reversed      ∂L/∂a = g, reversed again",
)
roll = op("RollBackward0", self=lambda grad, shifts, dims: roll(grad, tuple(-n for n in shifts), dims))(
    lambda self, shifts, dims: in_order(np.roll(self, shifts, dims or None)),
    "The elements moved along, those at the end to the front      ∂L/∂a = g moved back",
)


# ---------------------------------------------------------------------------------------------------------------------
# Parts of matrices


tril = op("TrilBackward0", self=lambda grad, diagonal: tril(grad, diagonal))(
    lambda self, diagonal: in_order(np.tril(self, diagonal)),
    "The lower triangle, 0 above      ∂L/∂a = the lower triangle of g",
)
triu = op("TriuBackward0", self=lambda grad, diagonal: triu(grad, diagonal))(
    lambda self, diagonal: in_order(np.triu(self, diagonal)),
    "The upper triangle, 0 below      ∂L/∂a = the upper triangle of g",
)
diagonal_copy = op(
    "DiagonalBackward0_copy",
    self=lambda grad, self_sym_sizes, offset: _put_diagonal(grad, self_sym_sizes, offset, 0, 1),
)(
    lambda self, offset: np.diagonal(self, offset).copy(),
    "The diagonal of a matrix, copied      g is put back there, 0 elsewhere",
)


@op("DiagEmbedBackward0", self=lambda grad, offset: diagonal(grad, offset, 0, 1))
def diag_embed(self, offset):
    """Matrices with the last dimension on their diagonals, 0 elsewhere      ∂L/∂a = the diagonals of g"""
    n = len(self) + abs(offset)
    return _put_diagonal(self, (n, n), offset, 0, 1)
