"""Arithmetic and other functions element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.variable import TensorBase
from ..devices import refuse
from ..dtypes import default_numpy_dtype, fitting, result_numpy_dtype, wrapped
from ..hints import type_name, with_hint
from ..layouts import contiguous_format, preserve_format
from ..layouts import memory_format as _memory_format
from ..ops import pointwise
from ..ops.errors import cpp_name, not_for, require_kind, shape_error, type_letter
from ..ops.pointwise import (
    abs,
    acos,
    acosh,
    acosh_written,
    asin,
    asinh,
    asinh_written,
    atan,
    atanh,
    atanh_written,
    neg,
    trunc,
)
from ..ops.primitive import plain
from .arguments import (
    as_operand,
    beside,
    cast,
    counted,
    in_type_of,
    operands,
    promoted,
    promoted_together,
    require_tensor,
    two_operands,
    two_tensors,
)
from .calling import mostly
from .indexing import nonzero

(
    atan2, fmax, fmin, gcd, heaviside, hypot, lcm, logaddexp, logaddexp2, logical_and, logical_or, logical_xor, maximum,
    minimum, _copysign, _xlogy,
) = map(
    two_tensors,
    (
        pointwise.atan2, pointwise.fmax, pointwise.fmin, pointwise.gcd, pointwise.heaviside, pointwise.hypot,
        pointwise.lcm, pointwise.logaddexp, pointwise.logaddexp2, pointwise.logical_and, pointwise.logical_or,
        pointwise.logical_xor, pointwise.maximum, pointwise.minimum, pointwise.copysign, pointwise.xlogy,
    ),
)  # fmt: skip
(
    bitwise_and, bitwise_left_shift, bitwise_or, bitwise_right_shift, bitwise_xor, eq, ge, gt, le, lt, mul,
    ne,
) = map(
    two_operands,
    (
        pointwise.bitwise_and, pointwise.bitwise_left_shift, pointwise.bitwise_or, pointwise.bitwise_right_shift,
        pointwise.bitwise_xor, pointwise.eq, pointwise.ge, pointwise.gt, pointwise.le,
        pointwise.lt, pointwise.mul, pointwise.ne,
    ),
)  # fmt: skip
_add, _sub, _div, _remainder, _fmod = map(
    two_operands, (pointwise.add, pointwise.sub, pointwise.div, pointwise.remainder, pointwise.fmod)
)


def clone(input: Any, *, memory_format: _memory_format | None = preserve_format) -> Any:
    """A copy, laid in memory as `input` is, or with `contiguous_format` row after row."""
    return pointwise.clone_in_order(input) if memory_format is contiguous_format else pointwise.clone(input)


def add(input: Any, other: Any, *, alpha: float = 1) -> Any:
    """input + alpha · other."""
    if alpha != 1 or isinstance(alpha, bool):
        return pointwise.add_scaled(*_scaled(operands("add", input, other), alpha))
    return _add(input, other)


def _scaled(both: tuple[Any, Any], alpha: Any) -> tuple[Any, Any, Any]:
    """Two operands and the factor of the second. Raises PyTorch's error if they do not go together."""
    kind = both[0]._value.dtype.kind
    if isinstance(alpha, bool) and kind != "b":
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and kind != "f":
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    return *both, in_type_of(both[0], alpha)


def sub(input: Any, other: Any, *, alpha: float = 1) -> Any:
    """input - alpha · other."""
    if alpha != 1 or isinstance(alpha, bool):
        pointwise.check_subtraction(*(t._value if isinstance(t, TensorBase) else t for t in (input, other)))
        return pointwise.sub_scaled(*_scaled(operands("sub", input, other), alpha))
    return _sub(input, other)


def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """input / other. With `rounding_mode` "floor" or "trunc" the quotient is rounded down or toward zero."""
    if rounding_mode is None:
        return _div(input, other)
    if rounding_mode not in ("floor", "trunc"):
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    both = operands("div", input, other)
    _check_integer_division(f"div_{rounding_mode}_cpu", *both)
    return pointwise.div_rounded(*both, rounding_mode)


def floor_divide(input: Any, other: Any) -> Any:
    """⌊input / other⌋. Raises RuntimeError for an integer division by zero."""
    divides = isinstance(input, TensorBase)
    if divides and isinstance(other, TensorBase):
        _check_integer_division("div_floor_cpu", input, other)
        return pointwise.floor_divide(*operands("floor_divide", input, other))
    tensor, number = operands("floor_divide", *((input, other) if divides else (other, input)))
    _check_integer_division("div_floor_cpu", *((tensor, number) if divides else (number, tensor)))
    return pointwise.floor_divide_number(tensor, number, divides)


def _check_integer_division(kernel: str, input: Any, other: Any) -> None:
    dividend, divisor = (v._value if isinstance(v, TensorBase) else np.asarray(v) for v in (input, other))
    kinds = dividend.dtype.kind + divisor.dtype.kind
    if kinds == "bb":
        raise not_for(kernel, "Bool")
    if "f" not in kinds:
        refuse(divisor == 0, lambda: RuntimeError("ZeroDivisionError"))


def remainder(input: Any, other: Any) -> Any:
    """The rest of input / other, with the sign of `other`, as Python's %."""
    if not isinstance(input, TensorBase) and isinstance(input, int | float):
        tensor, number = operands("remainder", other, input)
        _check_integer_division("remainder_cpu", number, tensor)
        return pointwise.remainder_of_number(number, tensor)
    if isinstance(other, int | float):
        input, other = operands("remainder", input, other)
    _check_integer_division("remainder_cpu", input, other)
    return (_remainder if isinstance(other, TensorBase) else pointwise.remainder_number)(input, other)


def fmod(input: Any, other: Any) -> Any:
    """The rest of input / other, with the sign of `input`, as in C."""
    if isinstance(other, int | float):
        input, other = operands("fmod", input, other)
    _check_integer_division("fmod_cpu", input, other)
    return (_fmod if isinstance(other, TensorBase) else pointwise.fmod_number)(input, other)


@mostly(
    pointwise.pow_number,
    "input exponent",
    self="input",
    only="(dtype is float32 or dtype.kind == 'f') and type(exponent) in NUMBERS and -60000 < exponent < 60000",
)
def pow(input: Any, exponent: Any) -> Any:
    """input to the power of exponent; either may be a number."""
    input, exponent = as_operand(input), as_operand(exponent)
    if isinstance(exponent, bool) and isinstance(input, TensorBase) and input._value.dtype.kind != "b":
        exponent = int(exponent)
    if isinstance(exponent, int | float) and isinstance(input, TensorBase):
        input = beside(input, exponent)
        if input._value.dtype.kind in "iu" and exponent < 0:
            raise RuntimeError("Integers to negative integer powers are not allowed.")
        return pointwise.pow_number(input, in_type_of(input, exponent))
    for name, position, operand in (("input", 1, input), ("exponent", 2, exponent)):
        if not isinstance(operand, TensorBase | int | float):
            require_tensor("pow", name, position, operand)
    if not isinstance(input, TensorBase) and not isinstance(exponent, TensorBase):
        require_tensor("pow", "input", 1, input)
    kind = result_numpy_dtype(*(t._value if isinstance(t, TensorBase) else t for t in (input, exponent)))
    if kind.kind == "b":
        raise not_for("pow", "Bool")
    exponent = promoted(exponent, kind)
    if isinstance(input, TensorBase):
        return pointwise.pow_tensor(promoted(input, kind), exponent)
    return pointwise.pow_of_number(input if kind.kind == "f" else wrapped(input, kind), exponent)


def copysign(input: Any, other: Any) -> Any:
    """|input| with the sign of `other`, a tensor or a number."""
    if isinstance(other, int | float):
        return pointwise.copysign_number(_as_float(input), other)
    return _copysign(input, other)


def xlogy(input: Any, other: Any) -> Any:
    """input · ln other, and 0 where input is 0; either may be a number."""
    if isinstance(other, int | float) and isinstance(input, TensorBase):
        return pointwise.xlogy_number(_as_float(input), other)
    if isinstance(input, int | float) and isinstance(other, TensorBase):
        return pointwise.xlogy_of_number(input, _as_float(other))
    return _xlogy(input, other)


def float_power(input: Any, exponent: Any) -> Any:
    """input to the power of exponent, computed in float64."""
    float64 = np.dtype(np.float64)
    return pow(*(cast(t, float64) if isinstance(t, TensorBase) else t for t in (input, exponent)))


def ldexp(input: Any, other: Any) -> Any:
    """input · 2 to the power of other."""
    return pointwise.ldexp(*promoted_together((_as_float(input), other)))


def logit(input: Any, eps: float | None = None) -> Any:
    """ln(input / (1 - input)); with `eps`, input is first brought between eps and 1 - eps."""
    return pointwise.logit(_as_float(input), eps)


def rad2deg(input: Any) -> Any:
    """Radians in degrees."""
    return pointwise.rad2deg(_as_float(input))


def deg2rad(input: Any) -> Any:
    """Degrees in radians."""
    return pointwise.deg2rad(_as_float(input))


def _as_float(input: Any) -> Any:
    return input if input._value.dtype.kind == "f" else cast(input, default_numpy_dtype())


def polygamma(n: int, input: Any) -> Any:
    """The n-th derivative of the digamma function."""
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    from ..ops import special  # rarely asked for

    return special.polygamma(_as_float(input), n) if n else special.digamma(input)


def round(input: Any, *, decimals: int = 0) -> Any:
    """The nearest integer, halves to even; with `decimals`, the nearest number with so many digits behind the point."""
    return pointwise.round_decimals(input, counted(decimals)) if decimals else pointwise.round(input)


def square(input: Any) -> Any:
    """input²."""
    return pointwise.pow_number(input, 2) if input._value.dtype.kind == "f" else pow(input, 2)


def logical_not(input: Any) -> Any:
    """Whether it is zero."""
    return plain(np.logical_not(input._value))


def bitwise_not(input: Any) -> Any:
    """Each bit turned round; for bool, whether it is False."""
    require_kind(input._value, "biu", "bitwise_not_cpu")
    return plain(~input._value)


@mostly(
    pointwise.clamp,
    "input",
    "min",
    self="input",
    max="None",
    only="(dtype is float32 or dtype.kind == 'f') and type(min) in NUMBERS and -60000 < min < 60000",
)
def clamp(input: Any, min: Any = None, max: Any = None) -> Any:
    """`input`, but nowhere below `min` and nowhere above `max`; either may be None, a number or a tensor."""
    numbers = type(min) in _PLAIN_BOUNDS and type(max) in _PLAIN_BOUNDS and max is not min
    if numbers and isinstance(input, TensorBase) and input._value.dtype.kind == "f":
        return pointwise.clamp(input, in_type_of(input, min), in_type_of(input, max))
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    min, max = as_operand(min), as_operand(max)
    if isinstance(min, TensorBase) or isinstance(max, TensorBase):
        given = [bound for bound in (min, max) if bound is not None]
        if not all(isinstance(bound, TensorBase) for bound in given):
            got = ", ".join(type_name(bound) for bound in given)
            raise with_hint(
                TypeError(f"clamp() received an invalid combination of arguments - got ({got}), but expected one of:"),
                "Both bounds are numbers, or both are tensors.",
                "上下界要么都是数，要么都是张量。",
            )
        given = list(promoted_together((input, *given)))[1:]
        return pointwise.clamp_between(input, *(bound if bound is None else given.pop(0) for bound in (min, max)))
    input = beside(input, min, max)
    require_kind(input._value, "fiu", "clamp_scalar_cpu")
    return pointwise.clamp(input, in_type_of(input, min), in_type_of(input, max))


_PLAIN_BOUNDS = {int, float, type(None)}


def _bounded(input: Any, bound: Any) -> tuple[Any, Any]:
    """A tensor and a number on one side of which it is to lie, of one type."""
    input = beside(input, bound)
    require_kind(input._value, "fiu", "clamp_scalar_cpu")
    return input, in_type_of(input, bound)


def where(condition: Any, input: Any = None, other: Any = None) -> Any:
    """`input` where `condition` holds, else `other`. With the condition alone: the indices where it holds."""
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    kind = condition._value.dtype
    if kind.kind != "b" and kind != np.uint8:
        letter = type_letter(condition._value)
        raise RuntimeError(f"where expected condition to be a boolean tensor, but got a tensor with dtype {letter}")
    if not (isinstance(input, TensorBase) and isinstance(other, TensorBase)):
        input, other = as_operand(input), as_operand(other)
        common = result_numpy_dtype(*(t._value if isinstance(t, TensorBase) else t for t in (input, other)))
        if common.kind in "iu":
            input, other = (t if isinstance(t, TensorBase) else fitting(t, common) for t in (input, other))
    return pointwise.where(condition, input, other)


def masked_fill(input: Any, mask: Any, value: Any) -> Any:
    """`value`, a number or a 0-dim tensor, where `mask` is True; `input` elsewhere."""
    if mask._value.dtype.kind != "b":
        _must_broadcast(mask, input)
        name = cpp_name(mask._value)
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {name}")
    if not isinstance(value, TensorBase):
        return pointwise.masked_fill(input, mask, in_type_of(input, value))
    if value._value.shape != ():
        raise RuntimeError(
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{len(value._value.shape)} dimension(s)."
        )
    return pointwise.masked_fill_tensor(input, mask, value)


def _must_broadcast(input: Any, mask: Any) -> None:
    """Raise PyTorch's error if two tensors do not broadcast to each other."""
    try:
        np.broadcast_shapes(input._value.shape, mask._value.shape)
    except ValueError:
        raise shape_error(input._value, mask._value) from None


def masked_fill_written(input: Any, mask: Any, value: Any) -> Any:
    """`masked_fill` in place, for which the shapes are compared the other way round."""
    _must_broadcast(input, mask)
    return masked_fill(input, mask, value)


masked_fill_written.__name__ = "masked_fill"


def lerp(input: Any, end: Any, weight: Any) -> Any:
    """input + weight · (end - input)."""
    for name, tensor in (("end", end), ("weight", weight)):
        if isinstance(tensor, TensorBase) and tensor._value.dtype != input._value.dtype:
            wanted, got = (cpp_name(t._value) for t in (input, tensor))
            raise RuntimeError(f"expected dtype {wanted} for `{name}` but got dtype {got}")
    require_kind(input._value, "f", f"lerp_kernel_{'tensor' if isinstance(weight, TensorBase) else 'scalar'}")
    if isinstance(weight, TensorBase):
        return pointwise.lerp(input, end, weight)
    return pointwise.lerp_number(input, end, weight)


def clamp_min(input: Any, min: Any) -> Any:
    """`input`, but nowhere below `min`, a number or a tensor."""
    if isinstance(min, TensorBase):
        return pointwise.clamp_min_tensor(*promoted_together((input, min)))
    return pointwise.clamp_min(*_bounded(input, min))


def clamp_max(input: Any, max: Any) -> Any:
    """`input`, but nowhere above `max`, a number or a tensor."""
    if isinstance(max, TensorBase):
        return pointwise.clamp_max_tensor(*promoted_together((input, max)))
    return pointwise.clamp_max(*_bounded(input, max))


def rsub(input: Any, other: Any, *, alpha: float = 1) -> Any:
    """other - alpha · input."""
    if isinstance(other, TensorBase | bool) or input._value.dtype.kind == "b":
        pointwise.check_subtraction(*(t._value if isinstance(t, TensorBase) else t for t in (other, input)))
    input, other = operands("rsub", input, other)
    return (pointwise.rsub if isinstance(other, TensorBase) else pointwise.rsub_number)(input, other, alpha)


def addcmul(input: Any, tensor1: Any, tensor2: Any, *, value: float = 1) -> Any:
    """input + value · tensor1 · tensor2."""
    tensors = promoted_together((input, tensor1, tensor2))
    require_kind(tensors[0]._value, "fiu", "addcmul_cpu_out")
    return pointwise.addcmul(*tensors, in_type_of(tensors[0], value))


def addcdiv(input: Any, tensor1: Any, tensor2: Any, *, value: float = 1) -> Any:
    """input + value · tensor1 / tensor2."""
    if tensor1._value.dtype.kind != "f" and tensor2._value.dtype.kind != "f":
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a "
            "true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value "
            "* torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / "
            "tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: (input + value "
            "* tensor1 / tensor2), for all dtypes."
        )
    return pointwise.addcdiv(*promoted_together((input, tensor1, tensor2)), value)


def nan_to_num(input: Any, nan: float | None = None, posinf: float | None = None, neginf: float | None = None) -> Any:
    """`input` with numbers in the place of nan (0), inf and -inf (the largest and smallest of its type)."""
    return pointwise.nan_to_num(input, nan or 0.0, posinf, neginf)


def positive(input: Any) -> Any:
    """`input` itself."""
    return +input


clip, multiply, divide, true_divide, subtract, negative = clamp, mul, div, div, sub, neg
greater, greater_equal, less, less_equal, not_equal = gt, ge, lt, le, ne
absolute, fix = abs, trunc
arccos, arccosh, arcsin, arcsinh, arctan, arctan2, arctanh = acos, acosh, asin, asinh, atan, atan2, atanh
arccosh_written, arcsinh_written, arctanh_written = acosh_written, asinh_written, atanh_written
