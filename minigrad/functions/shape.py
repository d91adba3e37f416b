"""Other shapes of the same numbers, and parts of them: mostly views."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

from ..autograd.variable import TensorBase as Tensor
from ..autograd.variable import make_alias
from ..devices import tensor_type
from ..hints import hinted
from ..ops import shape as rules
from ..ops.errors import check_dim, common_shape, existing_dim, normalize_dims
from ..ops.pointwise import contiguous
from ..table import public, same
from .arguments import ALL, given_tensors, sizes


def _inferred(size: tuple[int, ...], numel: int, dim: int | None = None) -> tuple[int, ...]:
    """`size` with a -1 replaced by what is left. Raises PyTorch's error if the elements, of that `dim`, do not fit."""
    if size and min(size) >= 0 and math.prod(size) == numel:
        return size
    if size.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if size and min(size) < -1:
        at = next(i for i, n in enumerate(size) if n < -1)
        raise RuntimeError(f"invalid shape dimension {size[at]} at index {at} of shape {list(size)}")
    wanted, rest = size, math.prod(n for n in size if n != -1)
    if -1 in size and not rest and not numel:
        why = "because the unspecified dimension size -1 can be any value and is ambiguous"
        raise RuntimeError(f"cannot reshape tensor of 0 elements into shape {list(size)} {why}")
    if -1 in size and rest:
        size = tuple(numel // rest if n == -1 else n for n in size)
    if math.prod(size) != numel:
        said = f"shape '{list(wanted)}' is invalid for input of size {numel}"
        if dim is not None:
            said = f"unflatten: Provided sizes {list(wanted)} don't multiply up to the size of dim {dim} ({numel})"
            said += " in the input tensor"
        raise hinted(RuntimeError(said))
    return size


@public(as_function=False)
def view(input: Tensor, *size: int | Sequence[int]) -> Tensor:
    """The same memory in another shape. Raises RuntimeError if that memory does not lie so that it can be."""
    wanted = _inferred(sizes(size), input._value.size)
    try:
        return rules.view_as_shape(input, wanted)
    except RuntimeError as error:
        hinted(error)  # here, and not where it is raised: reshape() asks there too, and then copies
        raise


@public(out=False)
def reshape(input: Tensor, *shape: int | Sequence[int]) -> Tensor:
    """The same numbers in another shape: a view where possible, otherwise a copy."""
    return reshaped(input, _inferred(sizes(shape), input._value.size))


def reshaped(input: Any, size: tuple[int, ...]) -> Any:
    """`reshape` to a size that fits."""
    in_order = input._value.flags.c_contiguous
    try:
        return rules.view_as_shape(input, size) if in_order else rules.reshape_alias(input, size)
    except RuntimeError:
        return rules.unsafe_view(contiguous(input), size)


@public(out=False)
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The dimensions from start_dim to end_dim made one."""
    dims = input._value.shape
    start = check_dim(start_dim, len(dims))
    end = check_dim(end_dim, len(dims))
    if not dims:
        return reshape(input, 1)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if start == end:
        return input
    return reshaped(input, (*dims[:start], math.prod(dims[start : end + 1]), *dims[end + 1 :]))


@public(out=False)
def t(input: Tensor) -> Tensor:
    """A matrix transposed; a vector or a number as it is."""
    ndim = input.ndim
    if ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {ndim}D")
    return rules.t(input) if ndim == 2 else rules.t_small(input)


@public(out=False)
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions swapped."""
    ndim = len(input._value.shape)
    return rules.transpose(input, check_dim(dim0, ndim), check_dim(dim1, ndim))


@public(out=False)
def permute(input: Tensor, *dims: int | Sequence[int]) -> Tensor:
    """The dimensions in the given order."""
    order = sizes(dims)
    ndim = len(input._value.shape)
    if len(order) != ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {ndim} is not equal to len(dims) = {len(order)}"
        )
    order = tuple([check_dim(d, ndim) for d in order])
    if len(set(order)) != ndim:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return rules.permute(input, order)


@public(out=False)
def squeeze(input: Tensor, dim: int | Sequence[int] = ALL) -> Tensor:
    """Dimensions of size 1 removed: all, or those named."""
    if dim is ALL:
        return rules.squeeze_all(input)
    if isinstance(dim, tuple | list):
        dims = normalize_dims(dim, input.ndim) if dim else ()
        return rules.squeeze_dims(input, tuple(d for d in dims if input._value.shape[d] == 1))
    return rules.squeeze_dim(input, check_dim(dim, input.ndim))


@public(out=False)
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A new dimension of size 1 at `dim`."""
    return rules.unsqueeze(input, check_dim(dim, len(input._value.shape) + 1))


@public(as_function=False)
def expand(input: Tensor, *size: int | Sequence[int]) -> Tensor:
    """Dimensions of size 1 repeated without a copy; -1 keeps a size."""
    wanted, have = sizes(size), input._value.shape
    new = len(wanted) - len(have)
    if wanted and min(wanted) < 0:
        if -1 in wanted[: max(new, 0)] or min(wanted) < -1:
            raise RuntimeError(f"expand(): {list(wanted)}: -1 keeps a size that is there, and no size is negative")
        wanted = tuple(have[d - new] if n == -1 and new >= 0 else n for d, n in enumerate(wanted))
    try:
        return rules.expand(input, wanted)
    except ValueError:
        if new < 0:
            raise RuntimeError(
                f"expand({tensor_type(input._value)}{{{list(have)}}}, size={list(wanted)}): the number of sizes "
                f"provided ({len(wanted)}) must be greater or equal to the number of dimensions in the tensor "
                f"({len(have)})"
            ) from None
        dim = next(d for d in reversed(range(new, len(wanted))) if have[d - new] not in (1, wanted[d]))
        said = (
            f"The expanded size of the tensor ({wanted[dim]}) must match the existing size ({have[dim - new]}) at "
            f"non-singleton dimension {dim}.  Target sizes: {list(sizes(size))}.  Tensor sizes: {list(have)}"
        )
        raise hinted(RuntimeError(said)) from None


@public(out=False)
def broadcast_to(input: Tensor, *size: int | Sequence[int]) -> Tensor:
    """Dimensions of size 1 repeated to this size, without a copy."""
    return expand(input, *size)


def expand_to_assign(value: Any, size: tuple[int, ...]) -> Any:
    """`value` in the size of what `x[…] = value` writes; leading dimensions of size 1 do not matter."""
    if value._value.shape == size:
        return value
    value = view(value, _without_leading_ones(value))  # where there are none, too: it is a node in PyTorch's graph
    return value if value._value.shape == size else expand(value, size)


def without_leading_ones(value: Any) -> Any:
    """`value` without leading dimensions of size 1."""
    return view(value, _without_leading_ones(value)) if value._value.shape[:1] == (1,) else value


def _without_leading_ones(value: Any) -> tuple[int, ...]:
    return tuple(itertools.dropwhile(lambda n: n == 1, value._value.shape))


@public(out=False)
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """The slice at one position along a dimension."""
    size = input._value.shape
    if not size:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = check_dim(dim, len(size))
    if not -size[dim] <= index < size[dim]:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(size)} at dimension {dim}")
    return rules.select(input, dim, index % size[dim])


@public(out=False)
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The slices along a dimension, as a tuple."""
    return rules.unbind(input, existing_dim(dim, input.ndim))


def _split(input: Tensor, split_size: int | Sequence[int] | Tensor, dim: int = 0) -> Any:
    """Views of parts of that size, or of those sizes, along a dimension."""
    return split(input, split_size, dim)


@public(out=False, method=_split)
def split(tensor: Tensor, split_size_or_sections: int | Sequence[int] | Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Pieces along a dimension: of one size (the last may be smaller), or of the given sizes."""
    if not tensor._value.shape:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    dim = check_dim(dim, tensor.ndim)
    total = tensor._value.shape[dim]
    if isinstance(split_size_or_sections, Tensor) and split_size_or_sections._value.size == 1:
        split_size_or_sections = int(split_size_or_sections)
    if isinstance(split_size_or_sections, int):
        piece = split_size_or_sections
        if piece < 0:
            raise RuntimeError(f"split expects split_size be non-negative, but got split_size={piece}")
        if piece == 0 and total:
            raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {total}")
        return rules.split(tensor, piece, dim)
    pieces = tuple(split_size_or_sections)
    if sum(pieces) != total:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {total} (input tensor's size at dimension "
            f"{dim}), but got split_sizes={list(pieces)}"
        )
    return rules.split_with_sizes(tensor, pieces, dim)


@public(out=False)
def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Pieces of the given sizes along a dimension, as `split` gives them."""
    return split(input, tuple(split_sizes), dim)


@public(out=False)
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` pieces of equal size along a dimension."""
    if chunks < 1:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    if not input._value.shape:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    total = input._value.shape[check_dim(dim, input.ndim)]
    return split(input, -(-total // chunks) if total else [0] * chunks, dim)


def _triangle(rule: Any, what: str) -> None:
    def triangle(input: Tensor, diagonal: int = 0) -> Tensor:
        if input.ndim < 2:
            raise RuntimeError(f"{rule.__name__}: input tensor must have at least 2 dimensions")
        return rule(input, diagonal)

    public(triangle, name=rule.__name__, doc=f"The {what} the given diagonal.", inplace=True)


_triangle(rules.tril, "lower triangle; 0 above")
_triangle(rules.triu, "upper triangle; 0 below")


@public(out=False)
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The diagonal of two dimensions, as a view; it becomes the last dimension."""
    first = check_dim(dim1, input.ndim)
    second = check_dim(dim2, input.ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return rules.diagonal(input, offset, first, second)


@public
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """The diagonal of a matrix; of a vector, the matrix that has it as its diagonal."""
    ndim = input.ndim
    if ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D")
    return rules.diag_embed(input, diagonal) if ndim == 1 else rules.diagonal_copy(input, diagonal)


@public(out=False)
def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """One dimension made several, of the given sizes; one of them may be -1."""
    size = input._value.shape
    dim = existing_dim(dim, len(size))
    parts = _inferred(tuple(sizes), size[dim], dim)
    return view(input, (*size[:dim], *parts, *size[dim + 1 :]))


@public(out=False)
def ravel(input: Tensor) -> Tensor:
    """All elements as one vector: a view of this tensor, or of a copy of it that is in order."""
    return view(contiguous(input), -1)


@public(as_method=False, out=False)
def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """The tensors expanded to their common size."""
    size = common_shape(*(x._value.shape for x in tensors))
    return tuple(x if x._value.shape == size else expand(x, size) for x in tensors)


@public(as_method=False, out=False)
def meshgrid(*tensors: Tensor | Sequence[Tensor], indexing: str = "ij") -> tuple[Tensor, ...]:
    """The coordinates of the points of a grid, a tensor for each axis; with "xy" the first axis goes to the right."""
    tensors = given_tensors(tensors)
    if any(vector.ndim > 1 for vector in tensors):
        raise RuntimeError("torch.meshgrid: Expected 0D or 1D tensor in the tensor list")
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    others = list(reversed(range(len(tensors))))  # so many axes stand behind that of each
    if indexing == "xy":
        others[:2] = reversed(others[:2])
    apart = [view(vector, (-1, *[1] * behind)) for vector, behind in zip(tensors, others)]
    size = common_shape(*(x._value.shape for x in apart))
    return tuple(expand(x, size) for x in apart)


@public(out=False)
def detach(input: Tensor) -> Tensor:
    """The same memory as a tensor that needs no gradient."""
    input._array  # noqa: B018  (a scalar result gets memory, for now it is shared)
    return make_alias(input)


same(swapaxes="transpose", swapdims="transpose")
