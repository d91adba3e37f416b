"""Messages that several operations share."""

from __future__ import annotations

from typing import Any, NoReturn

from ..autograd.variable import TensorBase


def type_name(value: Any) -> str:
    """How PyTorch names the type of a wrong argument."""
    return "Tensor" if isinstance(value, TensorBase) else type(value).__name__


def refuse_operands(operation: Any, *operands: Any) -> NoReturn:
    """Raise PyTorch's TypeError for an operand that is not a tensor."""
    names = ("input", "other")
    for position, (name, operand) in enumerate(zip(names, operands, strict=False), start=1):
        if not isinstance(operand, TensorBase):
            raise TypeError(
                f"{operation.__name__}(): argument '{name}' (position {position}) must be Tensor, "
                f"not {type_name(operand)}"
            )
    raise AssertionError("all operands are tensors")


def check_dim(dim: int, ndim: int) -> int:
    """`dim` counted from the front. Raises PyTorch's IndexError if there is no such dimension."""
    size = max(ndim, 1)
    if not -size <= dim < size:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-size}, {size - 1}], but got {dim})")
    return dim % size
