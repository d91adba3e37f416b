"""numpy functions on tensors: `np.cos(t)` is the recorded `cos`.

The formulas are written with numpy's functions. In an ordinary backward they are given arrays. With `create_graph=True`
they are given tensors; numpy then asks the tensor, through `__array_ufunc__` and `__array_function__` (NEP 13 and 18),
and the tables below say which operation is meant. That is how the derivative of a derivative comes for free.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import functions
from ..autograd.variable import TensorBase, make_tensor
from . import activation, indexing, pointwise

_UFUNCS: dict[Any, Any] = {
    np.add: pointwise.add,
    np.subtract: pointwise.sub,
    np.multiply: pointwise.mul,
    np.true_divide: pointwise.div,
    np.negative: pointwise.neg,
    np.power: functions.pow,
    np.exp: pointwise.exp,
    np.log: pointwise.log,
    np.sqrt: pointwise.sqrt,
    np.sin: pointwise.sin,
    np.cos: pointwise.cos,
    np.sinh: pointwise.sinh,
    np.cosh: pointwise.cosh,
    np.tanh: activation.tanh,
    np.abs: pointwise.abs,
    np.sign: pointwise.sgn,
    np.floor: pointwise.floor,
    np.trunc: pointwise.trunc,
    np.maximum: pointwise.maximum,
    np.minimum: pointwise.minimum,
    np.greater: pointwise.gt,
    np.greater_equal: pointwise.ge,
    np.less: pointwise.lt,
    np.less_equal: pointwise.le,
    np.equal: pointwise.eq,
    np.not_equal: pointwise.ne,
    np.matmul: functions.matmul,
}

_FUNCTIONS: dict[Any, Any] = {
    np.where: lambda condition, x, y: functions.where(_tensor(condition), x, y),
    np.broadcast_to: functions.expand,
    np.expand_dims: functions.unsqueeze,
    np.squeeze: functions.squeeze,
    np.transpose: lambda x, axes: functions.permute(x, axes),
    np.flip: functions.flip,
    np.cumsum: functions.cumsum,
    np.cumprod: functions.cumprod,
    np.concatenate: lambda arrays, axis=0: functions.cat(tuple(map(_tensor, arrays)), axis),
    np.stack: lambda arrays, axis=0: functions.stack(tuple(map(_tensor, arrays)), axis),
    np.take: lambda x, indices, axis: indexing.index_select(x, axis, np.array(list(indices))),
    np.zeros_like: lambda x, order="K", shape=None: make_tensor(np.zeros_like(x._value, order=order, shape=shape)),
    np.ones_like: lambda x, shape=None: make_tensor(np.ones_like(x._value, shape=shape)),
    np.ndim: lambda x: x.ndim,
}


def array_ufunc(self: Any, ufunc: Any, kind: str, *inputs: Any, **kwargs: Any) -> Any:
    """What numpy calls for `np.cos(tensor)` and for `array * tensor`."""
    operation = _UFUNCS.get(ufunc)
    if operation is not None and kind == "__call__" and not kwargs:
        return operation(*map(_tensor, inputs))
    # Everything else is numpy's own business, on the numbers, as for PyTorch.
    arrays = [x.numpy() if isinstance(x, TensorBase) else x for x in inputs]
    return getattr(ufunc, kind)(*arrays, **kwargs)


def array_function(self: Any, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """What numpy calls for `np.where(condition, tensor, 0.0)`."""
    operation = _FUNCTIONS.get(function)
    if operation is not None:
        return operation(*args, **kwargs)
    return function(*(_array(a) for a in args), **{k: _array(v) for k, v in kwargs.items()})


def _tensor(value: Any) -> Any:
    is_array = hasattr(value, "dtype") and not isinstance(value, TensorBase | np.generic)
    return make_tensor(value) if is_array else value


def _array(value: Any) -> Any:
    if isinstance(value, TensorBase):
        return value.numpy()  # type: ignore[attr-defined]
    return type(value)(map(_array, value)) if isinstance(value, tuple | list) else value
