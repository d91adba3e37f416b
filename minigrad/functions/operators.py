"""What Python's own syntax calls: `a + b`, `a += b`, `len(x)`, `if x:`, `f"{x:.2f}"`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..autograd.variable import TensorBase, make_tensor
from ..creation import warn_if_tracked
from ..devices import to_host
from ..hints import hinted, not_operand
from ..ops import pointwise
from ..ops.inplace import inplace
from ..refusals import refused
from . import indexing
from .pointwise import pow
from .products import matmul_operator
from .shape import unbind

_NUMBERS = (int, float)
_OPERANDS = (TensorBase, int, float, np.generic)


def _operator(function: Callable[..., Any], reflected: bool = False) -> Callable[..., Any]:
    """A function of two operands as an operator, `reflected` for a tensor on the right: `2 ** x`.

    Other values are asked whether they know what to do; a number of numpy's becomes Python's.
    """

    def operate(self: Any, other: Any) -> Any:
        if not isinstance(other, _OPERANDS):
            return not_operand(other)
        other = other.item() if isinstance(other, np.generic) else other
        return function(other, self) if reflected else function(self, other)

    operate.__name__ = function.__name__
    return operate


def _rsub(self: Any, other: Any) -> Any:
    if not isinstance(other, _NUMBERS):
        return not_operand(other)
    if isinstance(other, bool) or self._value.dtype.kind != "f":
        return pointwise.sub(other, self)
    return pointwise.rsub(self, other)


def _rdiv(self: Any, other: Any) -> Any:
    return pointwise.mul(pointwise.reciprocal(self), other)


#: By its name in Python: the function, that for a tensor on the right, and what lets numpy write. A function without
#: the second takes tensors and numbers in either place, and has to be asked what else it takes.
_OF_TWO: dict[str, tuple[Any, Any, Any]] = {
    "add": (pointwise.add, pointwise.add, operator.iadd),
    "sub": (pointwise.sub, _rsub, operator.isub),
    "mul": (pointwise.mul, pointwise.mul, operator.imul),
    "truediv": (pointwise.div, _rdiv, operator.itruediv),
    "pow": (pow, None, None),
    "floordiv": (pointwise.floor_divide, None, None),
    "mod": (pointwise.remainder, None, None),
    "and": (pointwise.bitwise_and, pointwise.bitwise_and, None),
    "or": (pointwise.bitwise_or, pointwise.bitwise_or, None),
    "xor": (pointwise.bitwise_xor, pointwise.bitwise_xor, None),
}


def _pos(self: Any) -> Any:
    if self._value.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return self


def _invert(self: Any) -> Any:
    if self._value.dtype.kind == "f":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return make_tensor(~self._value)


def _len(self: Any) -> int:
    if self.ndim == 0:
        raise hinted(TypeError("len() of a 0-d tensor"))
    return int(self._value.shape[0])


def _iter(self: Any) -> Iterator[Any]:
    if self.ndim == 0:
        raise hinted(TypeError("iteration over a 0-d tensor"))
    return iter(unbind(self, 0))


def _contains(self: Any, element: Any) -> bool:
    if not isinstance(element, _OPERANDS):
        raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")
    return bool((element == self if isinstance(element, TensorBase) else self == element).any().item())


def _number(self: Any) -> Any:
    if self._value.size != 1:
        raise hinted(ValueError("only one element tensors can be converted to Python scalars"), "[one number]")
    return to_host(self._value).item()


def _bool(self: Any) -> bool:
    if self._value.size == 0:
        raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
    if self._value.size > 1:
        raise refused("several as a truth")
    return bool(_number(self))


def _float(self: Any) -> Any:
    warn_if_tracked(self)
    return float(_number(self))


def _int(self: Any) -> Any:
    return int(_number(self))


def _index(self: Any) -> Any:
    if self._value.dtype.kind == "f" or self._value.size != 1:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(_number(self))


def _format(self: Any, spec: str) -> str:
    return format(_number(self), spec) if self.ndim == 0 else object.__format__(self, spec)


#: By its name, without the underscores, what the class of tensors answers to.
_OTHERS: dict[str, Any] = {
    "neg": pointwise.neg, "abs": pointwise.abs, "pos": _pos, "invert": _invert, "matmul": matmul_operator,
    "eq": pointwise.eq, "ne": pointwise.ne, "lt": pointwise.lt, "le": pointwise.le, "gt": pointwise.gt,
    "ge": pointwise.ge, "getitem": indexing.get, "setitem": indexing.put, "len": _len, "iter": _iter,
    "contains": _contains, "bool": _bool, "float": _float, "int": _int, "index": _index, "format": _format,
}  # fmt: skip

OPERATORS = {f"__{name}__": function for name, function in _OTHERS.items()}
for _name, (_function, _reflected, _write) in _OF_TWO.items():
    OPERATORS[f"__{_name}__"] = _function if _reflected else _operator(_function)
    OPERATORS[f"__r{_name}__"] = _reflected or _operator(_function, reflected=True)
    OPERATORS[f"__i{_name}__"] = inplace(OPERATORS[f"__{_name}__"], _write)
