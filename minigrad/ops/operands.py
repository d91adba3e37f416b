"""Two operands, tensors or numbers, in the one type that PyTorch computes in."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.variable import NO_EDGE, TensorBase
from ..dtypes import default_numpy_dtype, result_numpy_dtype, wrapped


def raw_operands(x: Any, y: Any, to_float: bool) -> tuple[Any, Any, Any, Any] | None:
    """The raw values and the edges of two operands of which one may be a number or an array; None if one is neither."""
    edge_x = edge_y = NO_EDGE
    if isinstance(y, np.generic) and isinstance(x, TensorBase):  # to a tensor a numpy number is a number
        y = y.item()
    if isinstance(x, np.generic) and isinstance(y, TensorBase):
        x = x.item()
    if isinstance(x, TensorBase):
        edge_x, x = x._edge, x._value
    if isinstance(y, TensorBase):
        edge_y, y = y._edge, y._value
    for operand in (x, y):
        if not (isinstance(operand, int | float) or hasattr(operand, "dtype")):
            return None
    x, y = promoted(x, y, to_float)
    return x, y, edge_x, edge_y


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
