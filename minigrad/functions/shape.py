"""Other shapes of the same numbers, and parts of them: mostly views."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from ..autograd.variable import TensorBase, make_alias
from ..dtypes import dtype
from ..ops import indexing, shape
from ..ops.errors import check_dim, normalize_dims, shape_error, type_letter
from ..ops.inplace import expand_error
from ..ops.pointwise import contiguous
from ..size import Size
from .arguments import ALL, counted, sizes


def _inferred(size: tuple[int, ...], numel: int) -> tuple[int, ...]:
    """`size` with a -1 replaced by what is left. Raises PyTorch's error if the elements do not fit."""
    if size.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if size and min(size) < -1:
        at, wrong = next((i, n) for i, n in enumerate(size) if n < -1)
        raise RuntimeError(f"invalid shape dimension {wrong} at index {at} of shape {list(size)}")
    wanted = size
    if -1 in size:
        rest = math.prod(n for n in size if n != -1)
        if rest == 0 and numel == 0:
            raise RuntimeError(
                f"cannot reshape tensor of 0 elements into shape {list(size)} because the unspecified dimension size "
                "-1 can be any value and is ambiguous"
            )
        if rest:
            size = tuple(numel // rest if n == -1 else n for n in size)
    if math.prod(size) != numel:
        raise RuntimeError(f"shape '{list(wanted)}' is invalid for input of size {numel}")
    return size


def view(input: Any, *size: Any) -> Any:
    """The same memory in another shape. Raises RuntimeError if that memory does not lie so that it can be."""
    if len(size) == 1 and isinstance(size[0], dtype):
        return to_dtype_view(input, size[0])
    return shape.view_as_shape(input, _inferred(sizes(size), input._value.size))


def to_dtype_view(input: Any, to: dtype) -> Any:
    """The same memory read as another type."""
    result = make_alias(input)
    result._value = input._array.view(to.numpy)
    return result


def reshape(input: Any, *size: Any) -> Any:
    """The same numbers in another shape: a view where possible, otherwise a copy."""
    size = _inferred(sizes(size), input._value.size)
    in_order = input._array.flags.c_contiguous
    try:
        return shape.view_as_shape(input, size) if in_order else shape.reshape_alias(input, size)
    except RuntimeError:
        return shape.unsafe_view(contiguous(input), size)


def flatten(input: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """The dimensions from start_dim to end_dim made one."""
    dims = input._value.shape
    start, end = check_dim(start_dim, len(dims)), check_dim(end_dim, len(dims))
    if not dims:
        return reshape(input, 1)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if start == end:
        return input
    return reshape(input, (*dims[:start], math.prod(dims[start : end + 1]), *dims[end + 1 :]))


def t(input: Any) -> Any:
    """A matrix transposed; a vector or a number as it is."""
    ndim = len(input._value.shape)
    if ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {ndim}D")
    return shape.t(input) if ndim == 2 else shape.t_small(input)


def transpose(input: Any, dim0: int, dim1: int) -> Any:
    """Two dimensions swapped."""
    ndim = len(input._value.shape)
    return shape.transpose(input, check_dim(dim0, ndim), check_dim(dim1, ndim))


def permute(input: Any, *dims: Any) -> Any:
    """The dimensions in the given order."""
    if not dims:
        raise TypeError('permute() missing 1 required positional arguments: "dims"')
    order = sizes(dims)
    ndim = len(input._value.shape)
    if len(order) != ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {ndim} is not equal to len(dims) = {len(order)}"
        )
    order = tuple(check_dim(d, ndim) for d in order)
    if len(set(order)) != ndim:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return shape.permute(input, order)


def squeeze(input: Any, dim: Any = ALL) -> Any:
    """Dimensions of size 1 removed: all, or those named."""
    return _squeezed(input, dim, shape.squeeze_all, shape.squeeze_dim, shape.squeeze_dims)


def squeezed_in_place(input: Any, dim: Any = ALL) -> Any:
    """`squeeze`, for `squeeze_`."""
    return _squeezed(input, dim, shape.squeeze_all_written, shape.squeeze_written, shape.squeeze_dims_written)


def _squeezed(input: Any, dim: Any, all_of_them: Any, one: Any, several: Any) -> Any:
    if dim is ALL:
        return all_of_them(input)
    ndim = len(input._value.shape)
    if isinstance(dim, tuple | list):
        return several(input, tuple(d for d in normalize_dims(dim, ndim) if input._value.shape[d] == 1))
    return one(input, check_dim(dim, ndim))


def unsqueeze(input: Any, dim: int) -> Any:
    """A new dimension of size 1 at `dim`."""
    return shape.unsqueeze(input, check_dim(dim, len(input._value.shape) + 1))


def expand(input: Any, *size: Any) -> Any:
    """Dimensions of size 1 repeated without a copy; -1 keeps a size."""
    wanted, have = sizes(size), input._value.shape
    padded = (None,) * (len(wanted) - len(have)) + tuple(have)
    for d, size in enumerate(wanted[: len(wanted) - len(have)]):
        if size == -1:
            raise RuntimeError(
                f"The expanded size of the tensor ({size}) isn't allowed in a leading, non-existing dimension {d}"
            )
    if len(wanted) >= len(have):
        wanted = tuple(h if w == -1 and h is not None else w for w, h in zip(wanted, padded, strict=True))
    try:
        return shape.expand(input, wanted)
    except ValueError:
        raise expand_error(input._value, wanted) from None


broadcast_to = expand


def expand_to_assign(value: Any, size: tuple[int, ...]) -> Any:
    """`value` in the size of what `x[…] = value` writes; leading dimensions of size 1 do not matter."""
    if value._value.shape == size:
        return value
    value = view(value, _without_leading_ones(value))
    return value if value._value.shape == size else expand(value, size)


def without_leading_ones(value: Any) -> Any:
    """`value` without leading dimensions of size 1."""
    return view(value, _without_leading_ones(value)) if value._value.shape[:1] == (1,) else value


def _without_leading_ones(value: Any) -> tuple[int, ...]:
    return tuple(itertools.dropwhile(lambda n: n == 1, value._value.shape))


def select(input: Any, dim: int, index: int) -> Any:
    """The slice at one position along a dimension."""
    size = input._value.shape
    if not size:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = check_dim(dim, len(size))
    if not -size[dim] <= index < size[dim]:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(size)} at dimension {dim}")
    return indexing.read_position(input, dim, index)


def unbind(input: Any, dim: int = 0) -> Any:
    """The slices along a dimension, as a tuple."""
    dim = check_dim(dim, len(input._value.shape))
    if not input._value.shape:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return shape.unbind(input, dim)


def split(tensor: Any, split_size_or_sections: Any, dim: int = 0) -> Any:
    """Pieces along a dimension: of one size (the last may be smaller), or of the given sizes."""
    if not tensor._value.shape:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    dim = check_dim(dim, len(tensor._value.shape))
    total = tensor._value.shape[dim]
    if isinstance(split_size_or_sections, TensorBase) and split_size_or_sections._value.size == 1:
        split_size_or_sections = int(split_size_or_sections)
    if isinstance(split_size_or_sections, int):
        piece = counted(split_size_or_sections)
        if piece < 0:
            raise RuntimeError(f"split expects split_size be non-negative, but got split_size={piece}")
        if piece == 0 and total:
            raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {total}")
        return shape.split(tensor, piece, dim)
    pieces = tuple(split_size_or_sections)
    if sum(pieces) != total:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {total} (input tensor's size at dimension "
            f"{dim}), but got split_sizes={list(pieces)}"
        )
    return shape.split_with_sizes(tensor, pieces, dim)


def chunk(input: Any, chunks: int, dim: int = 0) -> Any:
    """At most `chunks` pieces of equal size along a dimension."""
    if counted(chunks) < 1:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    if not input._value.shape:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    total = input._value.shape[check_dim(dim, len(input._value.shape))]
    return split(input, -(-total // chunks) if total else [0] * chunks, dim)


def movedim(input: Any, source: Any, destination: Any) -> Any:
    """Dimensions moved to other positions, the others in their order."""
    ndim = len(input._value.shape)
    source, destination = (
        tuple(check_dim(d, ndim) for d in (dims if isinstance(dims, tuple | list) else (dims,)))
        for dims in (source, destination)
    )
    if not ndim:
        return shape.alias(input)
    order = [d for d in range(ndim) if d not in source]
    for target, origin in sorted(zip(destination, source, strict=True)):
        order.insert(target, origin)
    return shape.permute(input, tuple(order))


def narrow(input: Any, dim: int, start: int, length: int) -> Any:
    """The positions start … start + length - 1 along a dimension."""
    if not input._value.shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    dim = check_dim(dim, len(input._value.shape))
    size = input._value.shape[dim]
    start = start + size if start < 0 else start
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return indexing.slice_dim(input, dim, start, start + length, 1)


def tril(input: Any, diagonal: int = 0) -> Any:
    """The lower triangle; 0 above the given diagonal."""
    return shape.tril(_matrix("tril", input), diagonal)


def triu(input: Any, diagonal: int = 0) -> Any:
    """The upper triangle; 0 below the given diagonal."""
    return shape.triu(_matrix("triu", input), diagonal)


def _matrix(function: str, input: Any) -> Any:
    if len(input._value.shape) < 2:
        raise RuntimeError(f"{function}: input tensor must have at least 2 dimensions")
    return input


def diagonal(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """The diagonal of two dimensions, as a view; it becomes the last dimension."""
    ndim = len(input._value.shape)
    first, second = check_dim(dim1, ndim), check_dim(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return shape.diagonal(input, offset, first, second)


def diag(input: Any, diagonal: int = 0) -> Any:
    """The diagonal of a matrix; of a vector, the matrix that has it as its diagonal."""
    ndim = len(input._value.shape)
    if ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D")
    return shape.diag_embed(input, diagonal, 0, 1) if ndim == 1 else shape.diagonal_copy(input, diagonal)


def diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Matrices, in the dimensions dim1 and dim2, that have the vectors of the last dimension as their diagonals."""
    ndim = len(input._value.shape) + 1
    first, second = check_dim(dim1, ndim), check_dim(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return shape.diag_embed(input, offset, first, second)


def diagflat(input: Any, offset: int = 0) -> Any:
    """The matrix that has all elements as its diagonal."""
    return diag(reshape(input, -1), offset)


def atleast_1d(*tensors: Any) -> Any:
    """Each tensor with at least one dimension."""
    return _each(tensors, lambda x: reshape(x, 1) if not x._value.shape else x)


def atleast_2d(*tensors: Any) -> Any:
    """Each tensor with at least two dimensions, vectors as rows."""
    return _each(tensors, _two)


def atleast_3d(*tensors: Any) -> Any:
    """Each tensor with at least three dimensions: a vector of n becomes (1, n, 1), (m, n) becomes (m, n, 1)."""
    return _each(tensors, _three)


def _two(x: Any) -> Any:
    ndim = len(x._value.shape)
    return reshape(x, (1, 1)) if ndim == 0 else unsqueeze(x, 0) if ndim == 1 else x


def _three(x: Any) -> Any:
    ndim = len(x._value.shape)
    if ndim == 0:
        return reshape(x, (1, 1, 1))
    return unsqueeze(unsqueeze(x, 0), -1) if ndim == 1 else unsqueeze(x, -1) if ndim == 2 else x


def _each(tensors: tuple[Any, ...], function: Any) -> Any:
    """`f(x)` for f(x); the tuple of results for f(), f(x, y) and f([x, y])."""
    if not tensors:
        return ()
    if len(tensors) == 1 and not isinstance(tensors[0], tuple | list):
        return function(tensors[0])
    return tuple(map(function, tensors[0] if isinstance(tensors[0], tuple | list) else tensors))


def unfold(input: Any, dimension: int, size: int, step: int) -> Any:
    """Windows of `size` elements along a dimension, each `step` further on; the window is the last dimension."""
    dim, total = check_dim(dimension, len(input._value.shape)), (input._value.shape or (1,))[dimension]
    if size > total:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {total} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return shape.unfold(input, dim, size, step)


def tensor_split(input: Any, indices_or_sections: Any, dim: int = 0) -> Any:
    """Pieces along a dimension: so many of about equal size, or between the given positions."""
    if not input._value.shape:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    dim = check_dim(dim, len(input._value.shape))
    total, where = input._value.shape[dim], indices_or_sections
    if isinstance(where, TensorBase):
        if where._value.dtype != np.int64:
            letter = type_letter(where._value)
            raise RuntimeError(
                f"tensor_split expected tensor_indices_or_sections to have dtype of long, but got {letter}"
            )
        where = where.tolist()
    if isinstance(where, int):
        if counted(where) < 1:
            raise RuntimeError(f"number of sections must be larger than 0, got {where}")
        size, rest = divmod(total, where)
        where = [i * size + min(i, rest) for i in range(1, where)]
    starts, ends = [0, *where], [*where, total]
    return tuple(_range(input, dim, start, end) for start, end in zip(starts, ends, strict=True))


def _range(input: Any, dim: int, start: int, end: int) -> Any:
    start, end, _ = slice(start, end).indices(input._value.shape[dim])
    return indexing.slice_dim(input, dim, start, max(start, end), 1)


def hsplit(input: Any, indices_or_sections: Any) -> Any:
    """Pieces side by side: along dimension 1, or 0 for a vector."""
    ndim = len(input._value.shape)
    return _equal_split("hsplit", 1, input, indices_or_sections, 0 if ndim == 1 else 1)


def vsplit(input: Any, indices_or_sections: Any) -> Any:
    """Pieces one below the other: along dimension 0."""
    return _equal_split("vsplit", 2, input, indices_or_sections, 0)


def dsplit(input: Any, indices_or_sections: Any) -> Any:
    """Pieces one behind the other: along dimension 2."""
    return _equal_split("dsplit", 3, input, indices_or_sections, 2)


def _equal_split(function: str, least: int, input: Any, where: Any, dim: int) -> Any:
    size = input._value.shape
    if len(size) < least:
        raise RuntimeError(
            f"torch.{function} requires a tensor with at least {least} dimension, but got a tensor with {len(size)} "
            "dimensions!"
        )
    if isinstance(where, int) and (where < 1 or size[dim] % where):
        raise RuntimeError(
            f"torch.{function} attempted to split along dimension {dim}, but the size of the dimension {size[dim]} is "
            f"not divisible by the split_size {where}!"
        )
    return tensor_split(input, where, dim)


def adjoint(input: Any) -> Any:
    """The last two dimensions swapped."""
    return transpose(input, -2, -1)


def unflatten(input: Any, dim: int, sizes: Any) -> Any:
    """One dimension made several, of the given sizes; one of them may be -1."""
    dim, shape_ = check_dim(dim, len(input._value.shape)), input._value.shape
    sizes = tuple(sizes)
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    known = math.prod(n for n in sizes if n != -1)
    if (-1 not in sizes and known != shape_[dim]) or (-1 in sizes and (known == 0 or shape_[dim] % known)):
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} ({shape_[dim]}) in "
            "the input tensor"
        )
    return view(input, (*shape_[:dim], *_inferred(sizes, shape_[dim]), *shape_[dim + 1 :]))


def ravel(input: Any) -> Any:
    """All elements as one vector: a view of this tensor, or of a copy of it that is in order."""
    return view(contiguous(input), -1)


def broadcast_shapes(*shapes: Any) -> Size:
    """The common size that tensors of these shapes are broadcast to."""
    sizes = [(shape,) if isinstance(shape, int) else tuple(shape) for shape in shapes]
    ndim = max(map(len, sizes), default=0)
    common = [1] * ndim
    for number, size in enumerate(sizes):
        for place in range(-1, -1 - len(size), -1):
            if size[place] < 0:
                raise ValueError("Attempting to broadcast a dimension with negative length!")
            if common[place] == 1:
                common[place] = size[place]
            elif size[place] not in (1, common[place]):
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {size[place]} at {place}! Mismatching argument at "
                    f"index {number} had {size}; but expected shape should be broadcastable to {common}"
                )
    return Size(common)


def broadcast_tensors(*tensors: Any) -> Any:
    """The tensors expanded to their common size."""
    try:
        size = np.broadcast_shapes(*(x._value.shape for x in tensors))
    except ValueError:
        raise shape_error(*(x._value for x in tensors)) from None
    return tuple(x if x._value.shape == size else expand(x, size) for x in tensors)


def detach(input: Any) -> Any:
    """The same memory as a tensor that needs no gradient."""
    input._array  # noqa: B018  (a scalar result gets memory, for now it is shared)
    return make_alias(input)


moveaxis, swapaxes, swapdims = movedim, transpose, transpose
