"""Two operands, tensors or numbers, in the one type that PyTorch computes in."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.grad_mode import mode
from ..autograd.variable import NO_EDGE, TensorBase
from ..dtypes import default_numpy_dtype, result_numpy_dtype, wrapped


def raw_operands(x: Any, y: Any, to_float: bool) -> tuple[Any, Any, Any, Any] | None:
    """The raw values and the edges of two operands, tensors or numbers; None if one is neither.

    Formulas compute with arrays as well. What a user's array is beside a tensor, `array_protocol.py` says.
    """
    if isinstance(y, np.generic) and isinstance(x, TensorBase):  # to a tensor a numpy number is a number
        y = y.item()
    if isinstance(x, np.generic) and isinstance(y, TensorBase):
        x = x.item()
    arrays = mode.formula or not (isinstance(x, TensorBase) or isinstance(y, TensorBase))
    raw: list[Any] = []
    for operand in (x, y):
        if isinstance(operand, TensorBase):
            raw += operand._value, operand._edge
        elif isinstance(operand, int | float) or (arrays and hasattr(operand, "dtype")):
            raw += operand, NO_EDGE
        else:
            return None
    value_x, edge_x, value_y, edge_y = raw
    return *promoted(value_x, value_y, to_float), edge_x, edge_y


def promoted(x: Any, y: Any, to_float: bool = False) -> tuple[Any, Any]:
    """Two raw operands in the one type that PyTorch computes in. A number beside floats stays: numpy agrees."""
    # A numpy float64 is a Python float, too, but stands for a 0-dim tensor here.
    number_x, number_y = (isinstance(v, int | float) and not isinstance(v, np.generic) for v in (x, y))
    if number_y and not number_x and x.dtype.kind == "f":
        return x, y
    if number_x and not number_y and y.dtype.kind == "f":
        return x, y
    dtype = result_numpy_dtype(x, y)
    if to_float and dtype.kind != "f":
        dtype = default_numpy_dtype()
    return _cast(x, dtype), _cast(y, dtype)


def _cast(x: Any, dtype: np.dtype) -> Any:
    if isinstance(x, np.generic) or not isinstance(x, int | float):
        return x if x.dtype == dtype else x.astype(dtype)
    return wrapped(x, dtype)
