"""Elements taken from, and written to, places that integers, slices, tensors of indices or masks name.

An integer, a slice, None or … gives a view; a list, a tensor or a mask gives a copy. `x[1:, 0]` is done step by step,
one view for each entry, as PyTorch does it: the graph shows a SliceBackward0 and a SelectBackward0. Writing
`x[...] = v` is an in-place operation on such a view (`ops/inplace.py`).
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..autograd.variable import TensorBase as Tensor
from ..autograd.views import check_inplace
from ..creation import assigned
from ..devices import device_of, first, move, refuse, to_host
from ..hints import Unfit, hinted, type_name
from ..memory import check_ndim, in_order
from ..ops import inplace
from ..ops.errors import check_dim, existing_dim
from ..ops.formulas import raw_of
from ..ops.primitive import op, plain
from ..ops.shape import alias, along, index, places_along, put_along, select, slice_dim, unsqueeze
from ..ops.shape import put as put_back
from ..table import public
from .arguments import in_type_of
from .shape import expand_to_assign, flatten, without_leading_ones

gather_at = op(
    "GatherBackward0",
    self=lambda grad, self, dim, index: put_along(grad, self.shape, dim, index),
)(
    lambda self, dim, index: in_order(self[places_along(index, dim)]),
    "cᵢⱼ = aᵢₖ with k = indexᵢⱼ (where `dim` is 1)      g is added back there",
)


@public
def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """At each place of `index` the element that it names along `dim`."""
    return gather_at(input, _checked_dim("gather", input, dim, index), index)


def _checked_dim(name: str, input: Any, dim: int, index: Any) -> int:
    """`dim`, counted from the front. Raises PyTorch's errors for an `index` that does not fit the input."""
    if index._value.dtype not in (np.int64, np.int32):
        raise hinted(RuntimeError(f"{name}(): Expected dtype int32/int64 for index"))
    if index.ndim != input.ndim:
        own = "input" if name == "gather" else "self"
        raise RuntimeError(f"Index tensor must have the same number of dimensions as {own} tensor")
    dim = check_dim(dim, input.ndim)
    size = input._value.shape
    count = size[dim] if size else 1
    for d, (wanted, there) in enumerate(zip(index._value.shape, size, strict=True)):
        if d != dim and wanted > there:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index {list(index.shape)} to be no larger than self "
                f"{list(size)} apart from dimension {dim}"
            )
    bad = (index._value < 0) | (index._value >= count)
    where = f"is out of bounds for dimension {dim} with size {count}"
    refuse(bad, lambda: RuntimeError(f"index {first(index._value, bad)} {where}"))
    return dim


_selected = op(
    "IndexSelectBackward0",
    self=lambda grad, self_sym_sizes, dim, index: put_back(grad, self_sym_sizes, along(dim, raw_of(index))),
)(
    lambda self, dim, index: in_order(self[along(dim, index)]),
    "The positions `index` along a dimension      each gets the sum of g where it was taken",
)


@public
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """A copy of the slices along `dim` that the numbers in a vector name."""
    dim = existing_dim(dim, input.ndim)
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if index._value.dtype not in (np.int64, np.int32):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    check_rows(index._value, input._value.shape[dim])
    return _selected(input, dim, flatten(index))


def check_rows(index: Any, count: int) -> None:
    """Raise PyTorch's error for a number in a raw array that names none of `count` rows."""
    wrong = (index < 0) | (index >= count)
    refuse(wrong, lambda: hinted(IndexError("index out of range in self"), last=count - 1))


def _embedding_grad(grad, indices, weight_sym_argsize_0):
    indices = raw_of(indices)
    size = (weight_sym_argsize_0, *grad.shape[indices.ndim :])
    return put_back(grad, size, (indices,))


@op("EmbeddingBackward0", weight=_embedding_grad)
def embedding(weight, indices):
    """The rows that the numbers in `indices` name      each row gets the sum of g where it was taken"""
    return weight[np.asarray(indices) if isinstance(indices, np.generic) else indices]  # by an array: a copy


@public
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The indices of the elements that are not zero: a row for each, or a tuple with a vector for each dimension."""
    found = np.nonzero(np.atleast_1d(input._value))
    if as_tuple:
        return tuple(plain(in_order(places)) for places in found)
    if not input._value.shape:
        return plain(np.empty_like(found[0], shape=(len(found[0]), 0)))
    return plain(np.stack(found).T)


# ---------------------------------------------------------------------------------------------------------------------
# A copy, written at some places


@op("ScatterBackward1", self=lambda grad, dim, index: _scatter(grad, dim, index, 0))
def _scatter(self, dim, index, value):
    """c = a with a number written at k = indexᵢⱼ (where `dim` is 1)      ∂L/∂a = g, 0 there"""
    result = np.array(self) if isinstance(self, np.generic) else self.copy()
    result[places_along(index, dim)] = value
    return result


@public(inplace=True)
def scatter(input: Tensor, dim: int, index: Tensor, src: float | None = None, *, value: float | None = None) -> Tensor:
    """`input` with a number, `src` or `value`, written where `index` names places along `dim`."""
    number = value if src is None else src
    if number is None:
        raise Unfit("scatter() writes a number")
    if input.ndim == 1 and index.ndim == 0:  # one place, as in zeros(10).scatter_(0, torch.tensor(label), value=1)
        index = index.reshape(1)
    return _scatter(input, _checked_dim("scatter", input, dim, index), index, in_type_of(input, number))


# ---------------------------------------------------------------------------------------------------------------------
# x[…]


def get(self: Any, key: Any) -> Any:
    """`x[key]`: a view of what integers and slices name, a copy of what lists, tensors and masks do."""
    if type(key) is int and self._value.shape:  # by far the commonest
        return read_position(self, 0, key)
    part, arrays = read(self, key)
    if arrays is None:
        return part
    check_arrays(part, arrays)
    return index(part, arrays)


def put(self: Any, key: Any, value: Any) -> None:
    """`x[key] = value`: a write in place into that part."""
    part, arrays = read(self, key, to_write=True)
    value = value if isinstance(value, Tensor) else assigned(value, self)
    if arrays is not None:
        check_inplace(part, value)
        check_arrays(part, arrays)
        inplace.put_at(part, arrays, value if isinstance(key, bool) else without_leading_ones(value))
    elif value._value.shape == () != part._value.shape:
        part.fill_(value)
    else:
        part.copy_(expand_to_assign(value, part._value.shape))


def read(self, key, to_write=False):
    """`self[key]` for any key, in two parts: the view that its integers, slices, None and … give, and its index arrays.

    The arrays are None if there are none. A view that would be the tensor itself is made an alias of it, unless it is
    there to be written.
    """
    mask = getattr(key, "_value", None)  # a mask alone, as in x[x < 0] = 0, is its own index
    if mask is not None and mask.dtype.kind == "b" and 0 < len(mask.shape) <= len(self._value.shape):
        return self, (mask.copy(),)  # see `_entry`
    original = self
    dim, arrays, shift = 0, [], 0  # dim + shift counts what has been indexed so far, None included
    for entry in _entries(self, key):
        if entry is None:
            self = unsqueeze(self, dim)
            dim += 1
        elif isinstance(entry, slice):
            self = _read_slice(self, dim, entry, always=isinstance(key, slice) and not to_write)
            dim += 1
        elif isinstance(entry, int):
            self = read_position(self, dim, entry, dim + shift)
            shift += 1
        else:
            if entry.ndim == 0:  # True or False adds a dimension that it keeps or empties
                self, entry = unsqueeze(self, dim), entry.reshape(1).nonzero()[0]
            arrays.append((dim, entry))
            dim += _covers(entry)
    index = _array_index(arrays)
    whole = self is original and index is None and not to_write
    return (alias(self) if whole else self), index


def _entries(self, key):
    """`key` as a list of int, slice, None and raw index arrays, with … written out. Raises PyTorch's errors."""
    if type(key) is tuple and len(key) <= len(self._value.shape) and {*map(type, key)} <= _PLAIN:
        return key
    place = device_of(self._value)
    entries = [_entry(e, place) for e in (key if isinstance(key, tuple) else (key,))]
    used = sum(_covers(e) for e in entries if e is not None and e is not Ellipsis)
    ndim = len(self.shape)
    if ndim == 0 and not isinstance(key, tuple) and any(isinstance(e, int | slice) for e in entries):
        if isinstance(entries[0], slice):
            raise IndexError("slice() cannot be applied to a 0-dim tensor.")
        if entries[0] != 0:
            raise IndexError(f"index {entries[0]} is out of bounds for dimension 0 with size 0")
        said = (
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
            "0-dim tensor to a number"
        )
        raise hinted(IndexError(said))
    if used > ndim:
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    dots = [i for i, e in enumerate(entries) if e is Ellipsis]
    for i in reversed(dots):  # behind the first one nothing is left to stand for
        entries[i : i + 1] = [slice(None)] * (ndim - used if i == dots[0] else 0)
    return entries


_PLAIN = {int, slice}


def _entry(given, place):
    entry = given._value if isinstance(given, Tensor) else given
    if getattr(entry, "shape", None) == () and entry.dtype.kind == "i":
        return int(to_host(entry))
    if isinstance(given, Tensor) and place.type == "cpu" and device_of(entry).type != "cpu":
        raise RuntimeError("indices should be either on cpu or on the same device as the indexed tensor (cpu)")
    if entry is None or entry is Ellipsis or isinstance(entry, slice):
        return entry
    if isinstance(entry, bool | np.bool_):
        return move(np.array(entry), place)
    if isinstance(given, int | np.integer):
        return int(entry)
    if isinstance(entry, list | tuple | range):
        entry = _index_of_list(entry)
    if isinstance(entry, str):
        raise TypeError("new(): invalid data type 'str'")
    if not hasattr(entry, "shape") or isinstance(given, np.generic):
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
            f"{type_name(entry)})"
        )
    if entry.dtype.kind not in "ib":
        raise hinted(IndexError("tensors used as indices must be long, int, byte or bool tensors"))
    return move(entry.copy(), place)  # the derivative wants these places, whatever is written into the index since


def _index_of_list(entries):
    """The index array that a list means."""
    arrays = [to_host(e._value) if isinstance(e, Tensor) else e for e in entries]
    if any(isinstance(e, str) for e in arrays):
        raise TypeError("new(): invalid data type 'str'")
    if any(hasattr(e, "dtype") and e.dtype.kind == "f" for e in arrays):
        raise hinted(IndexError("tensors used as indices must be long, int, byte or bool tensors"))
    array = np.array(arrays)
    if array.dtype.kind == "O" or array.dtype == np.uint64:
        raise ValueError("Overflow when unpacking long long")
    return array.astype(np.int64) if array.size == 0 or array.dtype.kind == "f" else array


def _is_mask(entry):
    return hasattr(entry, "shape") and entry.dtype.kind == "b"


def _covers(entry):
    """How many dimensions of the tensor an entry speaks of."""
    return entry.ndim if _is_mask(entry) else 1


def read_position(self, dim, position, named_dim=None):
    """The slice at one position along a dimension; `named_dim` is what an error calls that dimension."""
    size = self._value.shape[dim]
    if not -size <= position < size:
        if not -(2**63) <= position < 2**63:
            raise ValueError("Overflow when unpacking long long")
        named_dim = dim if named_dim is None else named_dim
        raise hinted(IndexError(f"index {position} is out of bounds for dimension {named_dim} with size {size}"))
    return select(self, dim, position % size)


def _read_slice(self, dim, entry, always):
    step = 1 if entry.step is None else _bound(entry.step)
    if step <= 0:
        raise hinted(ValueError("step must be greater than zero" if step else "slice step cannot be zero"))
    start, end, _ = slice(_bound(entry.start), _bound(entry.stop), step).indices(self.shape[dim])
    # As PyTorch does, leave out a slice that is written as the whole dimension: `:`, but not `-3:` of size 3.
    whole = entry.start in (None, 0) and (entry.stop is None or entry.stop >= self.shape[dim]) and step == 1
    if whole and not always:
        return self
    return slice_dim(self, dim, start, max(start, end), step)


def _bound(value):
    """A number of a slice. Raises Python's error for what is none, as in `x[: len(x) / 2]`."""
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, Tensor):
        return operator.index(value)
    try:
        return operator.index(value)
    except TypeError:
        raise hinted(TypeError("slice indices must be integers or None or have an __index__ method")) from None


def _array_index(arrays):
    """The raw index for the entries that are arrays, at their dimensions; None if there are none."""
    index, covered = [], 0
    for dim, entry in arrays:
        index += [*[slice(None)] * (dim - covered), entry]
        covered = dim + _covers(entry)
    return tuple(index) or None


def check_arrays(self, arrays):
    """Raise PyTorch's IndexError for a mask of the wrong shape, an index out of bounds, and two that do not fit."""
    shape = self._value.shape
    dim, named, found = 0, 0, []  # so many dimensions have arrays, and of these sizes
    for entry in arrays:
        if isinstance(entry, slice):
            dim += 1
            continue
        if _is_mask(entry):
            for d, size in enumerate(entry.shape):
                if shape[dim + d] != size:
                    raise IndexError(
                        f"The shape of the mask {list(entry.shape)} at index {d} does not match the shape of the "
                        f"indexed tensor {list(shape)} at index {dim + d}"
                    )
            covered = entry.ndim
            size = (int(entry.sum()) if len(arrays) > 1 else 1,)
        else:
            _check_places(entry, dim, shape[dim])
            covered, size = 1, entry.shape
        dim, named, found = dim + covered, named + covered, [*found, size]
    check_ndim(len(shape) - named + max(map(len, found)))
    if len({*found}) > 1:
        try:
            np.broadcast_shapes(*found)
        except ValueError:
            given = ", ".join(str([*size]) for size in found)
            words = f"shape mismatch: indexing tensors could not be broadcast together with shapes {given}"
            raise IndexError(words) from None


def _check_places(index, dim, size):
    if not size and index.size:
        raise IndexError("index is out of bounds for dimension with size 0")
    bad = (index < -size) | (index >= size)
    refuse(
        bad,
        lambda: hinted(IndexError(f"index {first(index, bad)} is out of bounds for dimension {dim} with size {size}")),
    )
