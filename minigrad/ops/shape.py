"""Operations that rearrange: views of the same memory, and joins of several tensors.

A view shares the memory of its input, so its gradient is the same rearrangement backwards: the reshape is undone, the
transposition repeated, a selected part put back where it came from.
"""

from __future__ import annotations

import numpy as np

from ..autograd.accumulate import sum_to_size
from .placing import arange, copied, embed, expanded, in_order, see
from .primitive import op
from .views import view, views

# ---------------------------------------------------------------------------------------------------------------------
# Views


@view("ViewBackward0", self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes))
def view_as_shape(self, size):
    """The same numbers in another shape      ∂L/∂a = g in the old shape"""
    return _reshape_without_copy(self, size)


def _reshape_without_copy(array, size):
    try:
        return array.reshape(size, copy=False)
    except ValueError:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        ) from None


@view("ReshapeAliasBackward0", self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes))
def reshape_alias(self, size):
    """A view of memory that is not in order, in another shape      ∂L/∂a = g in the old shape"""
    return _reshape_without_copy(self, size)


@view(
    "DiagonalBackward0",
    self=lambda grad, self_sym_sizes, offset, dim1, dim2: diagonal_backward(grad, self_sym_sizes, offset, dim1, dim2),
)
def diagonal(self, offset, dim1, dim2):
    """The diagonal of two dimensions, which becomes the last one      g is put back there, 0 elsewhere"""
    shown = np.diagonal(self, offset, dim1, dim2)
    if not shown.size:
        return shown
    # numpy forbids writing to it; here it is a view like others.
    start = [slice(None)] * self.ndim
    start[dim1], start[dim2] = slice(max(-offset, 0), None), slice(max(offset, 0), None)
    return see(self[tuple(start)], shown.shape, shown.strides)


@op("DiagonalBackwardBackward0", grad_output=lambda grad, offset, dim1, dim2: diagonal(grad, offset, dim1, dim2))
def diagonal_backward(grad_output, input_sizes, offset, dim1, dim2):
    """g on the diagonal of two dimensions, 0 elsewhere      ∂L/∂g = the diagonal of h"""
    return _put_diagonal(grad_output, input_sizes, offset, dim1, dim2)


def _put_diagonal(grad, shape, offset, dim1, dim2):
    rows = arange(grad.shape[-1], grad) + max(-offset, 0)
    others = [d for d in range(len(shape)) if d not in (dim1, dim2)]
    order = [*others, dim1, dim2]
    placed = embed(grad, tuple(shape[d] for d in order), (..., rows, rows + offset))
    return placed if not others and dim1 < dim2 else np.transpose(placed, tuple(map(order.index, range(len(shape)))))


@view("TBackward0", self=lambda grad: t(grad))
def t(self):
    """C = Aᵀ, of a matrix      ∂L/∂A = Gᵀ"""
    return self.T


@view("TransposeBackward0", self=lambda grad, dim0, dim1: transpose(grad, dim0, dim1))
def transpose(self, dim0, dim1):
    """Two dimensions swapped      ∂L/∂a = g with them swapped back"""
    return self.swapaxes(dim0, dim1) if self.ndim else self.view()


@view("PermuteBackward0", self=lambda grad, dims: np.transpose(grad, tuple(dims.index(i) for i in range(len(dims)))))
def permute(self, dims):
    """The dimensions in another order      ∂L/∂a = g in the old order"""
    return self.transpose(dims)


@view("ExpandBackward0", self=lambda grad, self_sym_sizes: sum_to_size(grad, self_sym_sizes))
def expand(self, size):
    """Dimensions of size 1 repeated without a copy      ∂L/∂a = g summed over the repetitions"""
    repeated = expanded(self, size)
    # broadcast_to forbids writing; here `check_own_memory` decides, for a part of it may be written.
    return see(self, repeated.shape, repeated.strides)


@view("UnsqueezeBackward0", self=lambda grad, dim: grad.squeeze(dim))
def unsqueeze(self, dim):
    """A new dimension of size 1      ∂L/∂a = g without it"""
    step = self.shape[dim] * self.strides[dim] if dim < self.ndim else self.itemsize  # as PyTorch has it
    return see(self, (*self.shape[:dim], 1, *self.shape[dim:]), (*self.strides[:dim], step, *self.strides[dim:]))


def _unsqueezed(grad, shape, dims):
    """`grad` with those of `dims` again that were removed because their size in `shape` was 1."""
    key = tuple([None if d in dims and n == 1 else slice(None) for d, n in enumerate(shape)])
    return grad[key] if None in key else grad


@view(
    "SqueezeBackward0",
    self=lambda grad, self_sym_sizes: _unsqueezed(grad, self_sym_sizes, range(len(self_sym_sizes))),
)
def squeeze_all(self):
    """All dimensions of size 1 removed      ∂L/∂a = g in the old shape"""
    return np.squeeze(self)


@view("SqueezeBackward1", self=lambda grad, self_sym_sizes, dim: _unsqueezed(grad, self_sym_sizes, (dim,)))
def squeeze_dim(self, dim):
    """One dimension removed, if its size is 1      ∂L/∂a = g in the old shape"""
    return np.squeeze(self, dim) if self.ndim and self.shape[dim] == 1 else self.view()


@view(
    "SqueezeBackward2",
    self=lambda grad, self_sym_sizes, dims: _unsqueezed(grad, self_sym_sizes, dims),
    shown={"dims": "dim"},
)
def squeeze_dims(self, dims):
    """Some dimensions of size 1 removed      ∂L/∂a = g in the old shape"""
    return np.squeeze(self, dims)


@view(
    "SqueezeBackward3",
    self=lambda grad, self_sym_sizes: _unsqueezed(grad, self_sym_sizes, range(len(self_sym_sizes))),
)
def squeeze_all_written(self):
    """All dimensions of size 1 removed in place      ∂L/∂a = g in the old shape"""
    return np.squeeze(self)


@view(
    "SqueezeBackward5",
    self=lambda grad, self_sym_sizes, dims: _unsqueezed(grad, self_sym_sizes, dims),
    shown={"dims": "dim"},
)
def squeeze_dims_written(self, dims):
    """Some dimensions of size 1 removed in place      ∂L/∂a = g in the old shape"""
    return np.squeeze(self, dims)


@view("SqueezeBackward4", self=lambda grad, self_sym_sizes, dim: _unsqueezed(grad, self_sym_sizes, (dim,)))
def squeeze_written(self, dim):
    """One dimension removed in place, if its size is 1      ∂L/∂a = g in the old shape"""
    return squeeze_dim.forward(self, dim)


@view("UnsqueezeBackward1", self=lambda grad, dim: grad.squeeze(dim))
def unsqueeze_written(self, dim):
    """A new dimension of size 1, in place      ∂L/∂a = g without it"""
    return unsqueeze.forward(self, dim)


@view("TBackward1", self=lambda grad: t(grad) if len(grad.shape) > 1 else t_small(grad))
def t_written(self):
    """A matrix transposed in place; a vector or a number as it is      ∂L/∂A = Gᵀ"""
    return self.swapaxes(0, 1) if self.ndim > 1 else self.view()


@view("TransposeBackward1", self=lambda grad, dim0, dim1: grad.swapaxes(dim0, dim1))
def transpose_written(self, dim0, dim1):
    """Two dimensions swapped in place      ∂L/∂a = g with them swapped back"""
    return self.swapaxes(dim0, dim1)


@view("TBackward0", self=lambda grad: t_small(grad))
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
    before = (slice(None),) * dim
    return [self[(*before, slice(end - size, end))] for size, end in zip(split_sizes, ends, strict=True)]


@op("UnsafeViewBackward0", self=lambda grad, self_sym_sizes: grad.reshape(self_sym_sizes))
def unsafe_view(self, size):
    """A fresh result in another shape: a view of which nobody knows the base      ∂L/∂a = g in the old shape"""
    return self.reshape(size)


@op(
    "SelectBackwardBackward0",
    shown={"place": "index"},  # elsewhere an index is a tensor
    grad_output=lambda grad, dim, place: select(grad, dim, place),
)
def select_backward(grad_output, input_sizes, dim, place):
    """g at one position along a dimension, 0 elsewhere      ∂L/∂g = h at that position"""
    return embed(grad_output, input_sizes, (*(slice(None),) * dim, place))


@view(
    "SelectBackward0", self=lambda grad, self_sym_sizes, dim, index: select_backward(grad, self_sym_sizes, dim, index)
)
def select(self, dim, index):
    """One position along a dimension, which disappears      g is put back there, 0 elsewhere"""
    return self[(*(slice(None),) * dim, index, ...)]


@op("SliceBackwardBackward0", grad_output=lambda grad, dim, start, end, step: slice_dim(grad, dim, start, end, step))
def slice_backward(grad_output, input_sizes, dim, start, end, step):
    """g at some positions along a dimension, 0 elsewhere      ∂L/∂g = h at these positions"""
    return embed(grad_output, input_sizes, (*(slice(None),) * dim, slice(start, end, step)))


@view(
    "SliceBackward0",
    self=lambda grad, self_sym_sizes, dim, start, end, step: slice_backward(
        grad, self_sym_sizes, dim, start, end, step
    ),
)
def slice_dim(self, dim, start, end, step):
    """Some positions along a dimension      g is put back there, 0 elsewhere"""
    return self[(*(slice(None),) * dim, slice(start, end, step))]


# ---------------------------------------------------------------------------------------------------------------------
# Joins


@op(
    "CatBackward0",
    sequence=True,
    shown={"tensors_sym_sizes": None},
    tensors=lambda grad, tensors_sym_sizes, dim: _cut(grad, tensors_sym_sizes, dim),
)
def cat(tensors, dim):
    """Tensors one behind the other along a dimension      each gets its part of g"""
    counting = [x for x in tensors if x.shape != (0,)] or tensors  # an empty vector does not count
    return in_order(np.concatenate(counting, axis=dim))


def _cut(grad, shapes, dim):
    parts, end = [], 0
    for shape in shapes:
        if shape == (0,):
            parts.append(np.zeros_like(grad, shape=shape))
            continue
        start, end = end, end + shape[dim]
        parts.append(slice_dim(grad, dim, start, end, 1))
    return parts


@op(
    "StackBackward0",
    sequence=True,
    shown={"tensors_sym_sizes": None},
    tensors=lambda grad, tensors_sym_sizes, dim: [select(grad, dim, i) for i in range(len(tensors_sym_sizes))],
)
def stack(tensors, dim):
    """Tensors of one shape along a new dimension      each gets its slice of g"""
    return in_order(np.stack(tensors, axis=dim))


@op("RepeatBackward0", self=lambda grad, self_sym_sizes, repeats: _sum_repeats(grad, self_sym_sizes, repeats))
def repeat(self, repeats):
    """Copies of the tensor side by side      ∂L/∂a = the sum of g over the copies"""
    return np.tile(self, repeats)


def _sum_repeats(grad, shape, repeats):
    if 0 in repeats:
        return np.zeros_like(grad, shape=shape)
    new = len(repeats) - len(shape)
    for _ in range(new):
        grad = grad.sum(axis=0)
    split, copies = [], []
    for count, size in zip(repeats[new:], shape, strict=True):
        if count != 1:
            copies.append(len(split))
            split.append(count)
        split.append(size)
    return grad.reshape(tuple(split)).sum(axis=tuple(copies)) if copies else grad


@op("Rot90Backward0", self=lambda grad, k, dims: rot90(grad, -k, dims))
def rot90(self, k, dims):
    """Turned by 90° k times in the plane of two dimensions      ∂L/∂a = g, turned back"""
    return np.rot90(self, k, dims).copy()


@op(
    "BlockDiagBackward0",
    sequence=True,
    shown={"tensors_sym_sizes": None},
    tensors=lambda grad, tensors_sym_sizes: _cut_blocks(grad, tensors_sym_sizes),
)
def block_diag(tensors):
    """A matrix with the given matrices on its diagonal, 0 elsewhere      each gets its part of g"""
    blocks = [x.reshape(_as_rows(x.shape)) for x in tensors]
    total = np.zeros_like(blocks[0], shape=tuple(sum(x.shape[d] for x in blocks) for d in (0, 1)))
    for place, block in zip(_cut_blocks(total, [x.shape for x in blocks]), blocks, strict=True):
        place[...] = block
    return total


def _as_rows(shape):
    return (1,) * (2 - len(shape)) + tuple(shape)


def _cut_blocks(grad, shapes):
    row = column = 0
    blocks = []
    for shape in shapes:
        height, width = _as_rows(shape)
        block = slice_dim(slice_dim(grad, 0, row, row + height, 1), 1, column, column + width, 1)
        blocks.append(
            block if len(shape) == 2 else squeeze_dim(block, 1) if len(shape) else block.squeeze(-1).squeeze(-1)
        )
        row, column = row + height, column + width
    return blocks


@op("FlipBackward0", self=lambda grad, dims: np.flip(grad, dims))
def flip(self, dims):
    """The order along some dimensions reversed      ∂L/∂a = g, reversed again"""
    return copied(np.flip(self, dims))


# ---------------------------------------------------------------------------------------------------------------------
# Parts of matrices


@op("TrilBackward0", self=lambda grad, diagonal: tril(grad, diagonal))
def tril(self, diagonal):
    """The lower triangle, 0 above      ∂L/∂a = the lower triangle of g"""
    return in_order(np.tril(self, diagonal))


@op("TriuBackward0", self=lambda grad, diagonal: triu(grad, diagonal))
def triu(self, diagonal):
    """The upper triangle, 0 below      ∂L/∂a = the upper triangle of g"""
    return np.triu(self, diagonal)


@op(
    "DiagonalBackward0_copy",
    shown={"dim1": 0, "dim2": 1},
    self=lambda grad, self_sym_sizes, offset: diagonal_backward(grad, self_sym_sizes, offset, 0, 1),
)
def diagonal_copy(self, offset):
    """The diagonal of a matrix, copied      g is put back there, 0 elsewhere"""
    return np.diagonal(self, offset).copy()


@op("DiagEmbedBackward0", self=lambda grad, offset, dim1, dim2: diagonal(grad, offset, dim1, dim2))
def diag_embed(self, offset, dim1, dim2):
    """Matrices with the last dimension on their diagonals, 0 elsewhere      ∂L/∂a = the diagonals of g"""
    n = self.shape[-1] + abs(offset)
    rest = list(self.shape[:-1])
    for dim in sorted((dim1, dim2)):
        rest.insert(dim, n)
    return in_order(_put_diagonal(self, tuple(rest), offset, dim1, dim2))


@view(
    "UnfoldBackward0",
    shown={"dim": "dimension"},
    self=lambda grad, self_sym_sizes, dim, size, step: unfold_backward(grad, self_sym_sizes, dim, size, step),
)
def unfold(self, dim, size, step):
    """Windows along a dimension, which may overlap; a window is the last dimension      g is added back there"""
    if not self.ndim:
        return np.expand_dims(self, 0)[:size]
    sizes, strides = list(self.shape), list(self.strides)
    sizes[dim], strides[dim] = (sizes[dim] - size) // step + 1, strides[dim] * step
    return see(self, (*sizes, size), (*strides, self.strides[dim]))


@op("UnfoldBackwardBackward0", grad_in=lambda grad, dim, size, step: unfold(grad, dim, size, step))
def unfold_backward(grad_in, input_sizes, dim, size, step):
    """g of each window added where the window lies      ∂L/∂g = the windows of h"""
    grad, shape = grad_in, input_sizes
    if not shape:
        return grad.reshape(shape)
    places = arange(grad.shape[dim], grad)[:, None] * step + arange(size, grad)
    moved = np.transpose(grad, (*(d for d in range(len(shape)) if d != dim), dim, len(shape)))
    order = [d for d in range(len(shape)) if d != dim] + [dim]
    placed = embed(moved, tuple(shape[d] for d in order), (..., places))
    return in_order(np.transpose(placed, tuple(order.index(d) for d in range(len(shape)))))


@op("RollBackward0", self=lambda grad, shifts, dims: roll(grad, tuple(-s for s in shifts), dims))
def roll(self, shifts, dims):
    """The elements moved along, those at the end to the front      ∂L/∂a = g moved back"""
    return np.roll(self, shifts, dims or None)
