"""What only tensors have: writing their memory, other types and places, new tensors like them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import creation, memory
from ..autograd.grad_mode import mode
from ..autograd.node import grad_fn, requires_grad
from ..autograd.variable import TensorBase as Tensor
from ..autograd.variable import make_tensor
from ..autograd.views import set_history, storage_offset
from ..devices import device as _device
from ..devices import device_of, same_place, tensor_type, to_host
from ..dtypes import ALL, dtype, fitting, from_numpy_dtype, to_numpy_dtype
from ..ops import inplace, pointwise
from ..ops import shape as views
from ..ops.errors import check_dim, existing_dim
from ..refusals import refused
from ..table import public
from .arguments import ALL as ALL_DIMS
from .shape import expand, reshape, squeeze, view


def _as_other(change: Any, doc: str) -> None:
    def as_other(input: Tensor, other: Tensor) -> Tensor:
        return change(input, other._value.shape)

    public(as_other, name=f"{change.__name__}_as", doc=doc, as_function=False)


_as_other(view, "The same memory in the shape of `other`.")
_as_other(reshape, "The same numbers in the shape of `other`.")
_as_other(expand, "Dimensions of size 1 repeated to the shape of `other`.")


# ---------------------------------------------------------------------------------------------------------------------
# What a tensor is


@public(as_function=False)
def size(input: Tensor, dim: int | None = None) -> Any:
    """The shape, or the size of one dimension."""
    return input.shape if dim is None else input._value.shape[existing_dim(dim, input.ndim)]


@public(as_function=False)
def dim(input: Tensor) -> int:
    """How many dimensions there are."""
    return len(input._value.shape)


@public(as_function=False)
def stride(input: Tensor, dim: int | None = None) -> Any:
    """How many elements to go on in memory for the next one along each dimension, or along one."""
    strides = memory.element_strides(input._array)
    return strides if dim is None else strides[existing_dim(dim, input.ndim)]


@public(as_function=False, name="storage_offset")
def offset(input: Tensor) -> int:
    """How many elements behind the start of the shared memory this tensor starts."""
    return storage_offset(input)


@public(as_function=False)
def data_ptr(input: Tensor) -> int:
    """The address of the first element. Tensors that share memory from the start have the same."""
    return memory.address(input._array)


class UntypedStorage:
    """The memory behind a tensor as bytes, which its views share."""

    def __init__(self, tensor: Tensor) -> None:
        array = tensor._array
        while getattr(array, "base", None) is not None and hasattr(array.base, "dtype"):
            array = array.base
        self._array: Any = array

    def data_ptr(self) -> int:
        """The address of the first byte. Tensors that share memory have the same."""
        return memory.address(self._array)

    def nbytes(self) -> int:
        """How many bytes there are."""
        return int(self._array.nbytes)

    size = __len__ = nbytes


@public(as_function=False)
def untyped_storage(input: Tensor) -> UntypedStorage:
    """The memory behind this tensor, which its views share."""
    return UntypedStorage(input)


@public(as_function=False)
def element_size(input: Tensor) -> int:
    """Bytes per element."""
    return input.itemsize


@public(as_function=False)
def is_contiguous(input: Tensor) -> bool:
    """Whether the elements lie in memory in the order in which they are printed."""
    return bool(input._array.flags.c_contiguous)


def T(input: Tensor) -> Tensor:
    """The dimensions in reverse order."""
    if input.ndim not in (0, 2):
        warnings.warn(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will "
            "throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
            "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
            UserWarning,
            stacklevel=2,
        )
    return views.permute(input, tuple(reversed(range(input.ndim))))


def mT(input: Tensor) -> Tensor:
    """The last two dimensions swapped."""
    ndim = input.ndim
    if ndim == 1:
        raise RuntimeError("tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.")
    return views.transpose(input, ndim - 2, ndim - 1) if ndim else input


# ---------------------------------------------------------------------------------------------------------------------
# Its numbers


@public(as_function=False)
def item(input: Tensor) -> Any:
    """The one element, as a Python number."""
    if input._value.size != 1:
        raise refused("several as a number", size=input._value.size)
    return to_host(input._value).item()


@public(as_function=False)
def tolist(input: Tensor) -> Any:
    """The elements as nested lists of Python numbers."""
    return to_host(input._value).tolist()


@public(as_function=False)
def numpy(input: Tensor, *, force: bool = False) -> Any:
    """The numbers as a numpy array on the same memory. While a gradient may be wanted of them, only with `force`."""
    if requires_grad(input) and mode.enabled and not force:
        raise refused("numbers of a graph")
    if input.is_cuda:
        if not force:
            raise TypeError(
                f"can't convert {input.device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to "
                "host memory first."
            )
        return to_host(input._value)
    return input._array.view()


# ---------------------------------------------------------------------------------------------------------------------
# Writing memory


@public(as_function=False)
def squeeze_(input: Tensor, dim: int | Sequence[int] = ALL_DIMS) -> Tensor:
    """Remove dimensions of size 1, all or those named, from this tensor itself."""
    if dim.__class__ is int:
        return _reshaped(input, views.squeeze_written(input, check_dim(dim, input.ndim)))
    return _reshaped(input, squeeze(input, dim))


@public(as_function=False)
def unsqueeze_(input: Tensor, dim: int) -> Tensor:
    """Give this tensor itself a new dimension of size 1."""
    return _reshaped(input, views.unsqueeze_written(input, check_dim(dim, input.ndim + 1)))


def _reshaped(tensor: Any, shown: Any) -> Any:
    """`tensor` itself, seen as the view `shown` of it."""
    inplace.check_inplace(tensor)
    node = grad_fn(shown)
    tensor._value = shown._array
    tensor._version_counter[0] += 1
    if node is not None:
        set_history(tensor, node)
    return tensor


@public(as_function=False)
def copy_(input: Tensor, other: Tensor | float, non_blocking: bool = False) -> Tensor:
    """Write the numbers of `other` into this tensor's memory. Returns the tensor itself."""
    if not isinstance(other, Tensor):
        other = make_tensor(np.array(other))
    if other is input and not (mode.enabled and requires_grad(input)):
        input._version_counter[0] += 1
        return input
    return inplace.copy_(input, other)


@public(as_function=False)
def fill_(input: Tensor, value: Tensor | float) -> Tensor:
    """Write `value` everywhere. Returns the tensor itself."""
    inplace.check_inplace(input, value)
    if isinstance(value, Tensor):
        inplace.write_result(input, inplace.fill_with_tensor(input, value))
    else:
        inplace.write_result(input, inplace.fill(input, fitting(value, input._value.dtype)), constant=True)
    return input


@public(as_function=False)
def zero_(input: Tensor) -> Tensor:
    """Write 0 everywhere. Returns the tensor itself."""
    if inplace.is_free(input):
        input._value.fill(0)
        input._version_counter[0] += 1
        return input
    inplace.check_inplace(input)
    inplace.write_result(input, inplace.zero(input), constant=True)
    return input


# ---------------------------------------------------------------------------------------------------------------------
# Other types and places


@public(as_function=False)
def contiguous(input: Tensor) -> Tensor:
    """This tensor if its memory is in order, otherwise a copy that is."""
    return pointwise.contiguous(input)


@public(as_function=False)
def to(
    input: Tensor,
    *args: Any,
    dtype: dtype | None = None,
    device: Any = None,
    copy: bool = False,
    non_blocking: bool = False,
) -> Tensor:
    """This tensor in another type or place: `to(float64)`, `to("cuda")`, `to(other)`. Itself, if nothing changes.

    A gradient comes back in the type and to the place of this tensor.
    """
    for arg in args:
        if isinstance(arg, Tensor):
            dtype = from_numpy_dtype(arg._value.dtype)
            device = device_of(arg._value)
        elif isinstance(arg, str | int | _device):
            device = arg
        elif arg is not None:
            dtype = arg
    result, here = input, device_of(input._value)
    place = None if device is None else _device(device)
    if place is not None and not same_place(place, here):
        result = pointwise.to_device(input, place, here)
    if dtype is not None and to_numpy_dtype(dtype) != input._value.dtype:
        result = pointwise.to_copy(result, to_numpy_dtype(dtype))
    return pointwise.clone(input) if copy and result is input else result


@public(as_function=False, name="type")
def type_(input: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """Without an argument the name of this tensor's type, such as 'torch.FloatTensor'; otherwise `to(dtype)`."""
    if dtype is None:
        return tensor_type(input._value)
    if isinstance(dtype, type) and not isinstance(dtype, creation.OldType):  # Python's float, int and bool, too
        raise ValueError(f"invalid type: {dtype.__name__!r}")
    return to(input, dtype=dtype.dtype if isinstance(dtype, creation.OldType) else dtype)


@public(as_function=False)
def type_as(input: Tensor, other: Tensor) -> Tensor:
    """This tensor in the type of `other`."""
    return to(input, from_numpy_dtype(other._value.dtype))


def _in_type(kind: Any) -> None:
    """The method that gives a tensor in this type: `x.long()` for what once was a LongTensor."""

    def convert(input: Tensor) -> Tensor:
        return to(input, kind)

    name = kind.tensor_type.removesuffix("Tensor").lower()
    public(convert, name=name, doc=f"This tensor in the type {kind}.", as_function=False)


for _kind in ALL:
    _in_type(_kind)


@public(as_function=False)
def cpu(input: Tensor) -> Tensor:
    """This tensor in the computer's own memory."""
    return to(input, device="cpu")


@public(as_function=False)
def cuda(input: Tensor, device: Any = None, non_blocking: bool = False) -> Tensor:
    """This tensor on a GPU: the current one, or the one named."""
    place = _device("cuda" if device is None else device)
    if place.type != "cuda":
        raise RuntimeError("Invalid device, must be cuda device")
    return to(input, device=place)


# ---------------------------------------------------------------------------------------------------------------------
# New tensors like one


def _like(input: Tensor, options: dict[str, Any]) -> dict[str, Any]:
    """The options of a creation function, with the type and the place of a tensor where they are left out."""
    given = {name: value for name, value in options.items() if value is not None}
    return {"dtype": from_numpy_dtype(input._value.dtype), "device": device_of(input._value), **given}


def _new(create: Any, what: str) -> None:
    def new(input: Tensor, *size: int | Sequence[int], **options: Any) -> Tensor:
        return create(*size, **_like(input, options))

    public(new, name=f"new_{create.__name__}", doc=f"{what} in this tensor's type and place.", as_function=False)


_new(creation.zeros, "Zeros")
_new(creation.ones, "Ones")
_new(creation.empty, "Memory as it is found,")


@public(as_function=False)
def new_full(input: Tensor, size: Sequence[int], fill_value: float, **options: Any) -> Tensor:
    """`fill_value` everywhere, in the type and the place of this tensor."""
    return creation.full(size, fill_value, **_like(input, options))


@public(as_function=False)
def new_tensor(input: Tensor, data: Any, **options: Any) -> Tensor:
    """`data` as a tensor in the type and the place of this tensor."""
    return creation.tensor(data, **_like(input, options))


@public(as_function=False)
def new(input: Tensor, *args: Any) -> Any:
    """`Tensor(…)` in the type of this tensor, in programs of long ago."""
    return creation.legacy(from_numpy_dtype(input._value.dtype), args, {})
