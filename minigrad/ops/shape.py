"""Operations that rearrange: views of the same memory, and joins of several tensors.

A view shares the memory of its input, so its gradient is the same rearrangement backwards: the reshape is undone, the
transposition repeated, a selected part put back where it came from.
"""

from __future__ import annotations

import numpy as np

from .placing import put_part
from .primitive import op, view, views

# ---------------------------------------------------------------------------------------------------------------------
# Views


@view("ViewBackward0", self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes))
def view_as_shape(self, size):
    """The same numbers in another shape      ∂L/∂a = g in the old shape"""
    return _reshape_without_copy(self, size)


def _reshape_without_copy(array, size):
    shown = array.view()
    try:
        shown.shape = size
    except AttributeError:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        ) from None
    return shown


@view("ReshapeAliasBackward0", self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes))
def reshape_alias(self, size):
    """A view of memory that is not in order, in another shape      ∂L/∂a = g in the old shape"""
    return _reshape_without_copy(self, size)


@view(
    "DiagonalBackward0",
    self=lambda grad, self_sym_sizes, offset, dim1, dim2: _put_diagonal(grad, self_sym_sizes, offset, dim1, dim2),
)
def diagonal(self, offset, dim1, dim2):
    """The diagonal of two dimensions, which becomes the last one      g is put back there, 0 elsewhere"""
    return np.diagonal(self, offset, dim1, dim2)


def _put_diagonal(grad, shape, offset, dim1=0, dim2=1):
    rows = np.arange(grad.shape[-1]) + max(-offset, 0)
    others = [d for d in range(len(shape)) if d not in (dim1, dim2)]
    order = [*others, dim1, dim2]
    placed = put_part(grad, tuple(shape[d] for d in order), (..., rows, rows + offset))
    return placed if not others and dim1 < dim2 else np.transpose(placed, tuple(map(order.index, range(len(shape)))))


@view("TBackward0", self=lambda grad: grad.swapaxes(0, 1))
def t(self):
    """C = Aᵀ, of a matrix      ∂L/∂A = Gᵀ"""
    return self.swapaxes(0, 1)


@view("TransposeBackward0", self=lambda grad, dim0, dim1: grad.swapaxes(dim0, dim1))
def transpose(self, dim0, dim1):
    """Two dimensions swapped      ∂L/∂a = g with them swapped back"""
    return self.swapaxes(dim0, dim1)


@view("PermuteBackward0", self=lambda grad, dims: np.transpose(grad, tuple(dims.index(i) for i in range(len(dims)))))
def permute(self, dims):
    """The dimensions in another order      ∂L/∂a = g in the old order"""
    return self.transpose(dims)


@view("ExpandBackward0", self=lambda grad: grad)
def expand(self, size):
    """Dimensions of size 1 repeated without a copy      ∂L/∂a = g summed over the repetitions"""
    repeated = np.broadcast_to(self, size)
    # broadcast_to forbids writing; here `check_own_memory` decides, for a part of it may be written.
    return np.lib.stride_tricks.as_strided(self, repeated.shape, repeated.strides)


@view("UnsqueezeBackward0", self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes))
def unsqueeze(self, dim):
    """A new dimension of size 1      ∂L/∂a = g without it"""
    return np.expand_dims(self, dim)


@view("SqueezeBackward0", self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes))
def squeeze_all(self):
    """All dimensions of size 1 removed      ∂L/∂a = g in the old shape"""
    return np.squeeze(self)


@view("SqueezeBackward1", self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes))
def squeeze_dim(self, dim):
    """One dimension removed, if its size is 1      ∂L/∂a = g in the old shape"""
    return np.squeeze(self, dim) if self.ndim and self.shape[dim] == 1 else self.view()


@view("SqueezeBackward4", self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes))
def squeeze_dims(self, dims):
    """Some dimensions of size 1 removed      ∂L/∂a = g in the old shape"""
    return np.squeeze(self, dims)


@view("TBackward0", self=lambda grad: grad)
def t_small(self):
    """The transpose of a vector or a number, which is itself      ∂L/∂a = g"""
    return self.view()


@view("AliasBackward0", self=lambda grad: grad)
def alias(self):
    """The same tensor under a second name      ∂L/∂a = g"""
    return self.view()


@views("UnbindBackward0", self=lambda grad, dim: np.stack(grad, dim))
def unbind(self, dim):
    """All positions along a dimension, each by itself      ∂L/∂a = their gradients, stacked"""
    before = (slice(None),) * dim
    return [self[(*before, i, ...)] for i in range(self.shape[dim])]


@views("SplitBackward0", self=lambda grad, dim: np.concatenate(grad, dim))
def split(self, sizes, dim):
    """Pieces of given sizes along a dimension      ∂L/∂a = their gradients, joined"""
    ends = np.cumsum(sizes).tolist()
    before = (slice(None),) * dim
    return [self[(*before, slice(end - size, end))] for size, end in zip(sizes, ends, strict=True)]


@views("SplitWithSizesBackward0", self=lambda grad, dim: np.concatenate(grad, dim))
def split_with_sizes(self, sizes, dim):
    """Pieces of different sizes along a dimension      ∂L/∂a = their gradients, joined"""
    return split.forward(self, sizes, dim)


@op("UnsafeViewBackward0", self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes))
def unsafe_view(self, size):
    """A fresh result in another shape: a view of which nobody knows the base      ∂L/∂a = g in the old shape"""
    return self.reshape(size)


# ---------------------------------------------------------------------------------------------------------------------
# Joins


@op(
    "CatBackward0",
    sequence=True,
    tensors=lambda grad, tensors_sym_sizes, dim: _cut(grad, [shape[dim] for shape in tensors_sym_sizes], dim),
)
def cat(tensors, dim):
    """Tensors one behind the other along a dimension      each gets its part of g"""
    return np.concatenate(tensors, axis=dim)


def _cut(grad, sizes, dim):
    ends = np.cumsum(sizes).tolist()
    before = (slice(None),) * dim
    return [grad[(*before, slice(end - size, end))] for size, end in zip(sizes, ends, strict=True)]


@op(
    "StackBackward0",
    sequence=True,
    tensors=lambda grad, tensors_sym_sizes, dim: [
        grad[(*(slice(None),) * dim, i)] for i in range(len(tensors_sym_sizes))
    ],
)
def stack(tensors, dim):
    """Tensors of one shape along a new dimension      each gets its slice of g"""
    return np.stack(tensors, axis=dim)


@op("RepeatBackward0", self=lambda grad, self_sym_sizes, repeats: _sum_repeats(grad, self_sym_sizes, repeats))
def repeat(self, repeats):
    """Copies of the tensor side by side      ∂L/∂a = the sum of g over the copies"""
    return np.tile(self, repeats)


def _sum_repeats(grad, shape, repeats):
    padded = (1,) * (len(repeats) - len(shape)) + tuple(shape)
    split = [n for pair in zip(repeats, padded, strict=True) for n in pair]
    return grad.reshape(tuple(split)).sum(axis=tuple(range(0, len(split), 2))).reshape(shape)


@op("FlipBackward0", self=lambda grad, dims: np.flip(grad, dims))
def flip(self, dims):
    """The order along some dimensions reversed      ∂L/∂a = g, reversed again"""
    return np.flip(self, dims).copy()


# ---------------------------------------------------------------------------------------------------------------------
# Parts of matrices


@op("TrilBackward0", self=lambda grad, diagonal: tril(grad, diagonal))
def tril(self, diagonal):
    """The lower triangle, 0 above      ∂L/∂a = the lower triangle of g"""
    return np.tril(self, diagonal)


@op("TriuBackward0", self=lambda grad, diagonal: triu(grad, diagonal))
def triu(self, diagonal):
    """The upper triangle, 0 below      ∂L/∂a = the upper triangle of g"""
    return np.triu(self, diagonal)


@op("DiagonalBackward0_copy", self=lambda grad, self_sym_sizes, offset: _put_diagonal(grad, self_sym_sizes, offset))
def diagonal_copy(self, offset):
    """The diagonal of a matrix, copied      g is put back there, 0 elsewhere"""
    return np.diagonal(self, offset).copy()


@op("DiagEmbedBackward0", self=lambda grad, offset: diagonal_copy(grad, offset))
def diag_embed(self, offset):
    """A matrix with these elements on its diagonal, 0 elsewhere      ∂L/∂a = the diagonal of g"""
    n = self.shape[0] + abs(offset)
    return _put_diagonal(self, (n, n), offset)


@op("RollBackward0", self=lambda grad, shifts, dims: roll(grad, tuple(-s for s in shifts), dims))
def roll(self, shifts, dims):
    """The elements moved along, those at the end to the front      ∂L/∂a = g moved back"""
    return np.roll(self, shifts, dims)
