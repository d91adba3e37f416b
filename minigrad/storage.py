"""The memory behind a tensor, which its views share: `x.untyped_storage()`."""

from __future__ import annotations

from typing import Any

from .autograd.variable import TensorBase
from .memory import address


class UntypedStorage:
    """The memory as bytes."""

    def __init__(self, tensor: TensorBase) -> None:
        array = tensor._array
        while getattr(array, "base", None) is not None and hasattr(array.base, "dtype"):
            array = array.base
        self._array: Any = array

    def data_ptr(self) -> int:
        """The address of the first byte. Tensors that share memory have the same."""
        return address(self._array)

    def nbytes(self) -> int:
        """How many bytes there are."""
        return int(self._array.nbytes)

    size = __len__ = nbytes
