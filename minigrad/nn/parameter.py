"""A tensor that a module is to learn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import creation
from ..autograd.node import requires_grad as _requires_grad
from ..autograd.variable import NO_EDGE, TensorBase
from ..hints import hinted, type_name
from ..tensor import Tensor


class Parameter(Tensor):
    """A leaf on the memory of `data` that requires grad. As an attribute of a module it is one of its parameters."""

    __slots__ = ()

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        data = creation.empty(0) if data is None else data
        if not isinstance(data, TensorBase):
            raise hinted(AttributeError(f"'{type_name(data)}' object has no attribute 'detach'"))
        parameter = object.__new__(cls)
        parameter._value, parameter._edge, parameter._meta = data._array, NO_EDGE, None
        parameter._counter = data._version_counter
        if requires_grad and data._value.dtype.kind != "f":
            raise hinted(RuntimeError("Only Tensors of floating point and complex dtype can require gradients"))
        if requires_grad:
            parameter.requires_grad_()
        return parameter

    __format__ = object.__format__  # of no dimensions, too, it is shown as a parameter

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return type(self)(self.detach().clone(), _requires_grad(self))


def forget_gradients(parameters: Iterable[Any], set_to_none: bool) -> None:
    """Set the gradients of all parameters to None, or to zero."""
    for parameter in parameters:
        if set_to_none:
            parameter.grad = None
        elif parameter.grad is not None:
            grad = parameter.grad
            (grad.requires_grad_(False) if grad.grad_fn is None else grad.detach_()).zero_()  # a view has no detach_


Parameter.__module__ = "minigrad.nn.parameter"
