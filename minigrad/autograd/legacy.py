"""`Variable`, which programs from before PyTorch 0.4 wrap around tensors. Every tensor is one now."""

from __future__ import annotations

import warnings
from typing import Any

from ..hints import type_name
from .variable import TensorBase


class _EveryTensor(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, TensorBase)


class Variable(metaclass=_EveryTensor):
    """`Variable(x, requires_grad=True)` is a leaf on the memory of x; `isinstance(t, Variable)` is true of tensors."""

    def __new__(cls, data: Any = None, requires_grad: bool | None = None, volatile: bool | None = None) -> Any:
        from ..creation import empty

        if volatile:
            warnings.warn(
                "volatile was removed and now has no effect. Use `with torch.no_grad():` instead.",
                UserWarning,
                stacklevel=2,
            )
        if data is None:
            data = empty(0)
        if not isinstance(data, TensorBase):
            raise TypeError(f"Variable data has to be a tensor, but got {type_name(data)}")
        return data.detach().requires_grad_(bool(requires_grad))


Variable.__module__ = "minigrad.autograd.variable"  # where PyTorch says that it is
