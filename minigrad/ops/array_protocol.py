"""numpy functions on tensors.

The formulas are written with numpy's functions. In an ordinary backward they are given arrays. With `create_graph=True`
they are given tensors; numpy then asks the tensor, through `__array_ufunc__` and `__array_function__` (NEP 13 and 18),
and the tables below say which operation is meant: there `np.cos(t)` is the recorded `cos`. That is how the derivative
of a derivative comes for free.

For users `np.cos(t)` and `t * array` are numpy's, as in PyTorch, on the tensor's numbers, which it does not hand out
while it needs a gradient; what comes of it is a tensor again, and of other functions (`np.cumsum(t)`) an array.
`array * t` is refused, and with it `np.multiply(array, t)`, which PyTorch computes: numpy does not say which it was.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .. import functions
from ..autograd.grad_mode import mode
from ..autograd.node import requires_grad
from ..autograd.variable import TensorBase, make_tensor
from ..hints import hinted
from ..refusals import REFUSALS
from . import activation, pointwise

#: A rule of one array that is a function of numpy's stands for it, as `exp` for np.exp.
_UFUNCS: dict[Any, Any] = {
    rule.forward: rule
    for rule in (*vars(pointwise).values(), activation.tanh)
    if getattr(getattr(rule, "forward", None), "nin", 0) == 1
}
_UFUNCS |= {
    np.add: pointwise.add,
    np.subtract: pointwise.sub,
    np.multiply: pointwise.mul,
    np.true_divide: pointwise.div,
    np.floor_divide: pointwise.floor_divide,
    np.remainder: pointwise.remainder,
    np.negative: pointwise.neg,
    np.power: functions.pow,
    np.sign: pointwise.sgn,
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
    np.where: lambda *arguments: functions.where(*map(_tensor, arguments)),
    np.broadcast_to: functions.expand,
    np.expand_dims: functions.unsqueeze,
    np.squeeze: functions.squeeze,
    np.transpose: lambda x, axes: functions.permute(x, axes),
    np.flip: functions.flip,
    np.concatenate: lambda arrays, axis: functions.cat(tuple(map(_tensor, arrays)), axis),
    np.stack: lambda arrays, axis=0: functions.stack(tuple(map(_tensor, arrays)), axis),
    np.zeros_like: lambda x, order="K", shape=None: make_tensor(np.zeros_like(x._value, order=order, shape=shape)),
    np.ones_like: lambda x, shape=None: make_tensor(np.ones_like(x._value, shape=shape)),
}


#: What reads `k - a`, with a number first, as PyTorch's graph does.
_WRITTEN = {np.subtract: operator.sub, np.true_divide: operator.truediv}

#: How Python writes what it asks of an array first, and then of a tensor.
_SIGNS = {
    np.add: "+", np.subtract: "-", np.multiply: "*", np.power: "**", np.matmul: "@", np.remainder: "%",
    np.floor_divide: "//",
}  # fmt: skip


_CONCATENATION = (
    "Concatenation operation is not implemented for NumPy arrays, use np.concatenate() instead. Please do not rely on "
    "this error; it may not be given on all Python implementations."
)


def array_ufunc(self: Any, ufunc: Any, kind: str, *inputs: Any, **kwargs: Any) -> Any:
    """What numpy calls for `np.cos(tensor)` and for `array * tensor`."""
    operation = _UFUNCS.get(ufunc)
    if kind == "__call__" and not kwargs and operation is not None:
        if mode.formula or ufunc is np.equal:
            return operation(*map(_tensor, inputs))
        numbers = [_is_number(x, ufunc) for x in inputs]
        if any(numbers):  # beside a tensor as Python's are
            operation = _WRITTEN.get(ufunc, operation)
            return operation(*(x.item() if number else x for x, number in zip(inputs, numbers)))
    in_place = "out" in kwargs and kwargs["out"][0] is inputs[0]
    if kind == "__call__" and ufunc in _SIGNS and isinstance(inputs[0], np.ndarray) and (in_place or not kwargs):
        raise hinted(TypeError(_no_operator(ufunc, in_place)), "[numpy beside a tensor]")
    if mode.enabled and any(isinstance(x, np.ndarray) for x in inputs) and any(map(_needs_gradient, inputs)):
        raise hinted(RuntimeError(REFUSALS["numbers of a graph"][1]), "[numpy beside a tensor]")
    options = {name: _array(value) for name, value in kwargs.items()}
    result = getattr(ufunc, kind)(*map(_array, inputs), **options)
    return _each_a_tensor(result) if kind == "__call__" and "out" not in kwargs else result


def _no_operator(ufunc: Any, in_place: bool) -> str:
    """What PyTorch says to `array * tensor`."""
    if ufunc is np.add:  # here numpy answers first
        return _CONCATENATION
    sign = _SIGNS[ufunc]
    if in_place:
        sign += "="
    elif ufunc is np.power:
        sign += " or pow()"
    return f"unsupported operand type(s) for {sign}: 'numpy.ndarray' and 'Tensor'"


def _is_number(value: Any, ufunc: Any) -> bool:
    """Whether it is a numpy number, of which numpy makes an array to compare it."""
    compared = ufunc.types[0].endswith("?")
    return isinstance(value, np.generic) or (compared and isinstance(value, np.ndarray) and value.ndim == 0)


def array_function(self: Any, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """What numpy calls for `np.where(condition, tensor, 0.0)`."""
    operation = _FUNCTIONS.get(function)
    if mode.formula and operation is not None:
        return operation(*args, **kwargs)
    return function(*map(_array, args), **{name: _array(value) for name, value in kwargs.items()})


def _needs_gradient(value: Any) -> bool:
    return isinstance(value, TensorBase) and requires_grad(value)


def _tensor(value: Any) -> Any:
    is_array = hasattr(value, "dtype") and not isinstance(value, TensorBase | np.generic)
    return make_tensor(value) if is_array else value


def _each_a_tensor(result: Any) -> Any:
    if isinstance(result, tuple):  # such as the two of np.modf
        return tuple(map(_each_a_tensor, result))
    return make_tensor(np.asarray(result)) if isinstance(result, np.generic) else _tensor(result)


def _array(value: Any) -> Any:
    if isinstance(value, TensorBase):
        return value.numpy()  # type: ignore[attr-defined]
    return type(value)(map(_array, value)) if isinstance(value, tuple | list) else value
