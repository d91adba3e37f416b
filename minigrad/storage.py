"""The memory behind a tensor, which its views share: `x.untyped_storage()`, and in the old form `x.storage()`."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator
from typing import Any

from .autograd.variable import TensorBase
from .devices import device_of, to_host
from .dtypes import dtype, from_numpy_dtype
from .ops.strided import address


@functools.cache
def _warn() -> None:
    """PyTorch's warning, once in a program."""
    warnings.warn(
        "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage "
        "class. This should only matter to you if you are using storages directly.  To access UntypedStorage directly, "
        "use tensor.untyped_storage() instead of tensor.storage()",
        UserWarning,
        stacklevel=5,
    )


def _whole(tensor: TensorBase) -> Any:
    """The array that owns the memory a tensor shows."""
    array = tensor._array
    while getattr(array, "base", None) is not None and hasattr(array.base, "dtype"):
        array = array.base
    return array


class UntypedStorage:
    """The memory as bytes."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def data_ptr(self) -> int:
        """The address of the first byte. Tensors that share memory have the same."""
        return address(self._array)

    def nbytes(self) -> int:
        """How many bytes there are."""
        return int(self._array.nbytes)

    size = __len__ = nbytes

    @property
    def device(self) -> Any:
        """Where the memory is."""
        return device_of(self._array)


class TypedStorage:
    """The memory as numbers, in the order in which they lie there."""

    def __init__(self, array: Any) -> None:
        _warn()
        self._array = array

    @property
    def dtype(self) -> dtype:
        """The type of the numbers."""
        return from_numpy_dtype(self._array.dtype)

    def untyped(self) -> UntypedStorage:
        """The same memory as bytes."""
        return UntypedStorage(self._array)

    def data_ptr(self) -> int:
        """The address of the first number. Tensors that share memory have the same."""
        return address(self._array)

    def size(self) -> int:
        """How many numbers there are."""
        return int(self._array.size)

    __len__ = size

    def tolist(self) -> list[Any]:
        """The numbers."""
        return to_host(self._array).ravel(order="K").tolist()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __getitem__(self, index: Any) -> Any:
        return self.tolist()[index]

    def __repr__(self) -> str:
        numbers = "\n ".join(str(number) for number in self.tolist())
        return (
            f" {numbers}\n[minigrad.storage.TypedStorage(dtype={self.dtype}, device={device_of(self._array)}) of size "
            f"{self.size()}]"
        )


def untyped_storage(tensor: TensorBase) -> UntypedStorage:
    """The memory behind a tensor."""
    return UntypedStorage(_whole(tensor))


def storage(tensor: TensorBase) -> TypedStorage:
    """The memory behind a tensor, as numbers of its type."""
    return TypedStorage(_whole(tensor))
