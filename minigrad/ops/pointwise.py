"""Operations element by element: arithmetic, elementary functions, activations, comparisons.

Beside each forward stands its derivative; g in the docstrings is ∂L/∂c, the gradient of the result. A formula names
only the values it needs, for these are what the graph must keep until backward.
"""

from __future__ import annotations

import math
import operator

import numpy as np

from ..autograd.variable import TensorBase
from ..devices import move, refuse, special_functions
from ..hints import hinted
from ..memory import copied, in_order, order_of
from . import choice
from .errors import not_for, require_kind, told_apart
from .formulas import raw_of
from .primitive import binary, comparison, op, promoted, unary
from .second import straight


def flat(grad):
    """The formula of a staircase: its slope is 0."""
    return np.zeros_like(grad)


def smooth(name, self, public=False):
    """`unary` for functions of real numbers: integers are made floats first."""
    return unary(name, self=self, to_float=True, public=public)


# ---------------------------------------------------------------------------------------------------------------------
# Arithmetic


mul_number = unary("MulBackward1", self=lambda grad, other: grad * other)(
    lambda self, other: self * other, "c = a · k, for a number k inside an operation      ∂L/∂a = g · k"
)
div_number = unary("DivBackward1", self=lambda grad, other: grad / other)(
    lambda self, other: self / other, "c = a / k, for a number k inside an operation      ∂L/∂a = g / k"
)


@binary("AddBackward0", self=lambda grad: grad, other=lambda grad: grad)
def add(self, other):
    """c = a + b      ∂L/∂a = g      ∂L/∂b = g"""
    return self + other


add_scaled = op("AddBackward0", self=lambda grad: grad, other=lambda grad, alpha: grad * alpha)(
    lambda self, other, alpha: (self + other * alpha).astype(self.dtype, copy=False),
    "c = a + α · b, for a number α      ∂L/∂a = g      ∂L/∂b = g · α",
)
sub_scaled = op("SubBackward0", self=lambda grad: grad, other=lambda grad, alpha: -grad * alpha)(
    lambda self, other, alpha: self - other * alpha, "c = a - α · b, for a number α      ∂L/∂a = g      ∂L/∂b = -g · α"
)


def check_subtraction(a, b):
    """Raise PyTorch's error if one of two raw operands is bool."""
    bools = [np.result_type(x).kind == "b" for x in (a, b)]
    if all(bools):
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
            "operator instead."
        )
    if any(bools):
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a "
            "mask, use the `~` or `logical_not()` operator instead."
        )


@binary("SubBackward0", self=lambda grad: grad, other=lambda grad: -grad, check=check_subtraction)
def sub(self, other):
    """c = a - b      ∂L/∂a = g      ∂L/∂b = -g"""
    return self - other


rsub = unary("RsubBackward1", self=lambda grad: -grad)(
    lambda self, other: other - self, "c = k - a, for a number k      ∂L/∂a = -g"
)


@binary(
    "MulBackward0",
    self=lambda grad, other: grad * other,
    other=lambda grad, self: grad * self,
)
def mul(self, other):
    """c = a · b      ∂L/∂a = g · b      ∂L/∂b = g · a"""
    return self * other


@binary(
    "DivBackward0",
    self=lambda grad, other: grad / other,
    other=lambda grad, self, other: -grad * ((self / other) / other),
    to_float=True,
)
def div(self, other):
    """c = a / b      ∂L/∂a = g / b      ∂L/∂b = -g · a / b²"""
    return np.true_divide(self, other)


def check_division(a, b):
    """Raise PyTorch's error if one of two raw operands cannot be divided by the other with a rest."""
    kinds = np.result_type(a).kind + np.result_type(b).kind
    if kinds == "bb":
        raise not_for("div_floor_cpu", "Bool")
    if "f" not in kinds and np.size(a):
        refuse(np.equal(b, 0), lambda: RuntimeError("ZeroDivisionError"))


reciprocal = smooth("ReciprocalBackward0", public=True, self=lambda grad, result: -grad * (result * result))(
    lambda self: np.true_divide(1, self), "c = 1 / a      ∂L/∂a = -g · c²"
)
neg = unary(
    "NegBackward0",
    self=lambda grad: -grad,
    kinds="fiu",
    refusal=RuntimeError(
        "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the "
        "`~` or `logical_not()` operator instead."
    ),
    public=True,
)(lambda self: -self, "c = -a      ∂L/∂a = -g")


@unary("PowBackward0", self=lambda grad, self, exponent: _pow_grad(grad, self, exponent))
def pow_number(self, exponent):
    """c = aⁿ, for a number n      ∂L/∂a = g · n · aⁿ⁻¹"""
    if self.dtype.kind == "b":
        return copied(self) if exponent else np.ones_like(self)
    return copied(self) if exponent == 1 else _raised(self, exponent)


def _raised(self, exponent):
    """aⁿ: for small n as PyTorch does it. Numpy's way takes fifty times as long for a negative a.

    a¹ is a itself.
    """
    if isinstance(self, TensorBase):
        return self**exponent
    if exponent == 1:
        return self
    if exponent == 2:
        return self * self
    if exponent == 3:
        return self * self * self
    if exponent in (0.5, -0.5) and self.dtype.char != "e":  # which differs from a power at -0 and -∞
        return np.sqrt(self) if exponent > 0 else 1 / np.sqrt(self)
    if exponent % 1 or self.ndim == 0 or self.dtype.kind != "f":
        return np.power(self, exponent)  # not **, which takes numpy's roots
    if exponent == -2:
        return 1 / (self * self)
    power = np.abs(self) ** exponent
    return np.copysign(power, self) if exponent % 2 else power


def _pow_grad(grad, self, exponent):
    if exponent == 0:
        return np.zeros_like(grad)
    return grad * mul_number(_raised(self, exponent - 1), exponent)


pow_tensor = op(
    "PowBackward1",
    self=lambda grad, self, exponent: np.where(exponent == 0, 0.0, grad * (exponent * self ** (exponent - 1))),
    exponent=lambda grad, self, exponent, result: (
        grad * np.where((self == 0) & (exponent >= 0), 0.0, result * np.log(self))
    ),
)(lambda self, exponent: _power(self, exponent), "c = aᵇ      ∂L/∂a = g · b · aᵇ⁻¹      ∂L/∂b = g · c · ln a")


def _power(self, exponent):
    if getattr(self, "dtype", exponent.dtype).kind not in "iu" or exponent.dtype.kind not in "iu":
        return np.power(self, exponent)  # which takes no root for a power of 0.5: of -inf and -0 they differ
    # The inverse of an integer is 0, unless it is 1 or -1: these have the powers of 0 and 1 again.
    negative = exponent < 0
    power = np.power(self, np.where(negative, exponent % 2, exponent))
    return np.where(negative & (np.abs(self) != 1), 0, power).astype(exponent.dtype)


pow_of_number = op(
    "PowBackward2", exponent=lambda grad, self, exponent, result: grad * _pow_slope(self, exponent, result)
)(lambda self, exponent: in_order(_power(self, exponent)), "c = kᵃ, for a number k      ∂L/∂a = g · c · ln k")


def _pow_slope(base, exponent, result):
    if base == 0:
        return np.where(exponent >= 0, 0.0, result * -math.inf)
    return result * (math.log(base) if base > 0 else math.nan)


remainder_number = unary("RemainderBackward0", self=lambda grad: grad)(
    lambda self, other: remainder.forward(self, other), "c = a - k · ⌊a / k⌋, with the sign of k      ∂L/∂a = g"
)
fmod_number = unary("FmodBackward0", self=lambda grad: grad)(
    np.fmod, "c = a - k · trunc(a / k), with the sign of a      ∂L/∂a = g"
)


@binary(
    "RemainderBackward1",
    with_number=remainder_number,
    self=lambda grad: grad,
    other=lambda grad, self, other: -grad * straight(np.floor_divide(raw_of(self), raw_of(other)), self + other),
    check=check_division,
)
def remainder(self, other):
    """c = a - b · ⌊a / b⌋, with the sign of b      ∂L/∂a = g      ∂L/∂b = -g · ⌊a / b⌋"""
    rest = np.fmod(self, other)
    return np.where((rest != 0) & ((other < 0) != (rest < 0)), rest + other, rest)[()]


fmod = binary(
    "FmodBackward1",
    with_number=fmod_number,
    self=lambda grad: grad,
    other=lambda grad, self, other: -grad * straight(np.trunc(raw_of(self) / raw_of(other)), self + other),
    check=check_division,
)(np.fmod, "c = a - b · trunc(a / b), with the sign of a      ∂L/∂a = g      ∂L/∂b = -g · trunc(a / b)")


def _no_slope(grad):
    raise hinted(RuntimeError("derivative for aten::floor_divide is not implemented"))


floor_divide_number = unary("torch::autograd::NotImplemented", self=_no_slope)(
    np.floor_divide, "c = ⌊a / k⌋: a staircase, for which PyTorch gives no derivative"
)


@binary(
    "torch::autograd::NotImplemented",
    with_number=floor_divide_number,
    self=_no_slope,
    other=_no_slope,
    check=check_division,
)
def floor_divide(self, other):
    """c = ⌊a / b⌋: a staircase, for which PyTorch gives no derivative"""
    return np.floor_divide(self, other)


# ---------------------------------------------------------------------------------------------------------------------
# Elementary functions

exp = smooth("ExpBackward0", public=True, self=lambda grad, result: grad * result)(np.exp, "c = eᵃ      ∂L/∂a = g · c")
log = smooth("LogBackward0", public=True, self=lambda grad, self: grad / self)(np.log, "c = ln a      ∂L/∂a = g / a")
log2 = smooth("Log2Backward0", public=True, self=lambda grad, self: grad / (self * math.log(2)))(
    np.log2, "c = log₂ a      ∂L/∂a = g / (a · ln 2)"
)
log10 = smooth("Log10Backward0", public=True, self=lambda grad, self: grad / (self * math.log(10)))(
    np.log10, "c = log₁₀ a      ∂L/∂a = g / (a · ln 10)"
)
log1p = smooth("Log1PBackward0", public=True, self=lambda grad, self: grad / (self + 1))(
    np.log1p, "c = ln(1 + a)      ∂L/∂a = g / (1 + a)"
)
expm1 = smooth("Expm1Backward0", public=True, self=lambda grad, result: grad * (result + 1))(
    np.expm1, "c = eᵃ - 1      ∂L/∂a = g · (c + 1)"
)
sqrt = smooth("SqrtBackward0", public=True, self=lambda grad, result: grad / (2 * result))(
    np.sqrt, "c = √a      ∂L/∂a = g / (2 · c)"
)
rsqrt = smooth("RsqrtBackward0", public=True, self=lambda grad, result: -0.5 * grad * result**3)(
    lambda self: np.true_divide(1, np.sqrt(self)), "c = 1 / √a      ∂L/∂a = -g · c³ / 2"
)
sin = smooth("SinBackward0", public=True, self=lambda grad, self: grad * np.cos(self))(
    np.sin, "c = sin a      ∂L/∂a = g · cos a"
)
cos = smooth("CosBackward0", public=True, self=lambda grad, self: grad * -np.sin(self))(
    np.cos, "c = cos a      ∂L/∂a = -g · sin a"
)
tan = smooth("TanBackward0", public=True, self=lambda grad, result: grad * (1 + result**2))(
    np.tan, "c = tan a      ∂L/∂a = g · (1 + c²)"
)
asin = smooth("AsinBackward0", public=True, self=lambda grad, self: grad * rsqrt(-self * self + 1))(
    np.arcsin, "c = arcsin a      ∂L/∂a = g / √(1 - a²)"
)
acos = smooth("AcosBackward0", public=True, self=lambda grad, self: grad * -rsqrt(-self * self + 1))(
    np.arccos, "c = arccos a      ∂L/∂a = -g / √(1 - a²)"
)
atan = smooth("AtanBackward0", public=True, self=lambda grad, self: grad / (self * self + 1))(
    np.arctan, "c = arctan a      ∂L/∂a = g / (a² + 1)"
)
sinh = smooth("SinhBackward0", public=True, self=lambda grad, self: grad * np.cosh(self))(
    np.sinh, "c = sinh a      ∂L/∂a = g · cosh a"
)
cosh = smooth("CoshBackward0", public=True, self=lambda grad, self: grad * np.sinh(self))(
    np.cosh, "c = cosh a      ∂L/∂a = g · sinh a"
)
asinh = smooth("AsinhBackward0", public=True, self=lambda grad, self: grad * rsqrt(self**2 + 1))(
    np.arcsinh, "c = arsinh a      ∂L/∂a = g / √(a² + 1)"
)
acosh = smooth("AcoshBackward0", public=True, self=lambda grad, self: grad * rsqrt(self * self - 1))(
    np.arccosh, "c = arcosh a      ∂L/∂a = g / √(a² - 1)"
)
atanh = smooth("AtanhBackward0", public=True, self=lambda grad, self: grad / (1 - self**2))(
    np.arctanh, "c = artanh a      ∂L/∂a = g / (1 - a²)"
)
exp2 = smooth("Exp2Backward0", public=True, self=lambda grad, result: grad * result * math.log(2))(
    np.exp2, "c = 2ᵃ      ∂L/∂a = g · c · ln 2"
)


def _atan2_grads(grad, wanted, self, other):
    squares = self * self + other * other
    factor = masked_fill(reciprocal(squares), squares == 0, 0)
    return grad * other * factor if wanted[0] else None, grad * -self * factor if wanted[1] else None


atan2 = op("Atan2Backward0", inputs=("self", "other"), together=_atan2_grads)(
    lambda self, other: np.arctan2(*promoted(self, other, to_float=True)),
    "c = the angle of the point (b, a)      ∂L/∂a = g · b / (a² + b²)      ∂L/∂b = -g · a / (a² + b²); 0 at (0, 0)",
)
abs = unary("AbsBackward0", public=True, self=lambda grad, self: grad * sgn(self), kinds="fiu")(
    np.abs, "c = |a|      ∂L/∂a = g · sign a"
)
sgn = unary("SgnBackward0", public=True, self=flat)(lambda self: sign.forward(self), "c = sign a      ∂L/∂a = 0")


@unary("SignBackward0", public=True, self=flat)
def sign(self):
    """c = -1, 0 or 1      ∂L/∂a = 0"""
    if self.dtype.kind == "b":
        return self.copy()
    return np.subtract(self > 0, self < 0, dtype=self.dtype)  # np.sign(nan) is nan, PyTorch's is 0


floor = unary("FloorBackward0", public=True, self=flat, kinds="fiu")(np.floor, "c = ⌊a⌋      ∂L/∂a = 0")
ceil = unary("CeilBackward0", public=True, self=flat, kinds="fiu")(np.ceil, "c = ⌈a⌉      ∂L/∂a = 0")
round = unary("RoundBackward0", self=flat, kinds="fiu")(
    lambda self: np.round(self), "c = the nearest integer, halves to even      ∂L/∂a = 0"
)


@unary("RoundBackward1", self=flat, kinds="f")
def round_decimals(self, decimals):
    """c = a rounded to some decimals      ∂L/∂a = 0"""
    kind, wide = self.dtype, np.result_type(self.dtype, np.float32)  # 10ⁿ times a float16 may be more than there is
    factor = wide.type(10 ** max(decimals, -decimals))
    scaled = np.round(self * factor) / factor if decimals > 0 else np.round(self / factor) * factor
    return scaled.astype(kind, copy=False)


trunc = unary("TruncBackward0", public=True, self=flat, kinds="fiu")(
    np.trunc, "c = a without its fraction      ∂L/∂a = 0"
)


@smooth("ErfBackward0", public=True, self=lambda grad, self: (2.0 / math.sqrt(math.pi)) * np.exp(-(self**2)) * grad)
def erf(self):
    """c = 2/√π · ∫₀ᵃ exp(-t²) dt      ∂L/∂a = g · 2/√π · exp(-a²)"""
    library = special_functions(self)
    if library is not None:
        return library.erf(self).astype(self.dtype, copy=False)  # of float16 cupy makes float64
    result = np.empty_like(self, order=order_of(self))
    result.flat = list(map(math.erf, self.ravel().tolist()))
    return result[()]


# ---------------------------------------------------------------------------------------------------------------------
# Choices


clamp = unary("ClampBackward1", self=lambda grad, self, min, max: choice.where(_within(self, min, max), grad, 0.0))(
    lambda self, min, max: np.clip(self, min, max),
    "c = a, but at least `min` and at most `max`      ∂L/∂a = g where min ≤ a ≤ max, the edges included, else 0",
)


def _within(self, min, max):
    if max is None:
        return self >= min
    return self <= max if min is None else (self >= min) & (self <= max)


clamp_min = unary("ClampMinBackward0", self=lambda grad, self, min: choice.where(self >= min, grad, 0.0))(
    lambda self, min: np.maximum(self, min), "c = a, but at least `min`      ∂L/∂a = g where a ≥ min, else 0"
)
maximum = binary(
    "MaximumBackward0",
    self=lambda grad, self, other: _to_the_chosen(grad, self == other, self < other),
    other=lambda grad, self, other: _to_the_chosen(grad, self == other, self > other),
)(np.maximum, "c = the larger of a and b      its gradient goes to the larger; half to each where they are equal")
minimum = binary(
    "MinimumBackward0",
    self=lambda grad, self, other: _to_the_chosen(grad, self == other, self > other),
    other=lambda grad, self, other: _to_the_chosen(grad, self == other, self < other),
)(np.minimum, "c = the smaller of a and b      its gradient goes to the smaller; half to each where they are equal")


def _to_the_chosen(grad, tie, loses):
    return masked_fill(choice.where(tie, grad / 2, grad), loses, 0)


where = op(
    "WhereBackward0",
    self=lambda grad, condition: choice.where(condition, grad, 0.0),
    other=lambda grad, condition: choice.where(condition, 0.0, grad),
)(
    lambda condition, self, other: _choose(condition, *promoted(self, other)),
    "c = a where the condition holds, else b      each element's gradient goes to where it came from",
)


def _choose(condition, chosen, otherwise):
    try:
        return choice.where(condition, chosen, otherwise)
    except ValueError as error:
        raise told_apart(error, condition, chosen, otherwise) from None


masked_fill = op("MaskedFillBackward0", self=lambda grad, mask: masked_fill(grad, mask, 0))(
    lambda self, mask, value: in_order(_choose(mask, self.dtype.type(value), self)),
    "c = k where the mask is True, else a      ∂L/∂a = 0 where the mask is True, else g",
)
lerp_number = op(
    "LerpBackward0",
    self=lambda grad, weight: grad * (1 - weight),
    end=lambda grad, weight: grad * weight,
)(
    lambda self, end, weight: self + weight * (end - self) if weight < 0.5 else end - (end - self) * (1 - weight),
    "c = a + w · (b - a), for a number w      ∂L/∂a = g · (1 - w)      ∂L/∂b = g · w",
)


@op(
    "LerpBackward1",
    self=lambda grad, weight: grad * (1 - weight),
    end=lambda grad, weight: grad * weight,
    weight=lambda grad, self, end: grad * (end - self),
)
def lerp(self, end, weight):
    """c = a + w · (b - a)      ∂L/∂a = g · (1 - w)      ∂L/∂b = g · w      ∂L/∂w = g · (b - a)"""
    from_start = self + weight * (end - self)
    from_end = end - (end - self) * (1 - weight)
    return choice.where(weight < 0.5, from_start, from_end)


# ---------------------------------------------------------------------------------------------------------------------
# Comparisons and logic: True or False has no derivative

eq = comparison(operator.eq, "a = b, element by element")
ne = comparison(operator.ne, "a ≠ b, element by element")
lt = comparison(operator.lt, "a < b, element by element")
le = comparison(operator.le, "a ≤ b, element by element")
gt = comparison(operator.gt, "a > b, element by element")
ge = comparison(operator.ge, "a ≥ b, element by element")


def _bitwise(function, meaning):
    """A comparison of whole numbers: numpy's `function`, after a look at what it is given."""

    def forward(self, other):
        for operand in (self, other):
            if hasattr(operand, "dtype"):
                require_kind(operand, "biu", f"{function.__name__}_cpu")
        return function(self, other)

    forward.__name__ = function.__name__
    return comparison(forward, f"Bit by bit, or logical for bool: {meaning}")


bitwise_and = _bitwise(np.bitwise_and, "both")
bitwise_or = _bitwise(np.bitwise_or, "at least one")
bitwise_xor = _bitwise(np.bitwise_xor, "exactly one")
logical_and = comparison(np.logical_and, "Whether both are non-zero")
logical_or = comparison(np.logical_or, "Whether at least one is non-zero")
logical_xor = comparison(np.logical_xor, "Whether exactly one is non-zero")


# ---------------------------------------------------------------------------------------------------------------------
# Copies


@unary("CloneBackward0", self=lambda grad: grad)
def clone(self):
    """c = a copy of a      ∂L/∂a = g

    Its dimensions lie in memory in the same order.
    """
    return copied(self)


# The elements along the last dimension lie next to each other in memory.
clone_in_order = unary("CloneBackward0", self=lambda grad: grad)(
    lambda self: self.copy(), "c = a copy of a      ∂L/∂a = g"
)


def contiguous(input):
    """`input`, raw or a tensor, if its memory is in order, otherwise a copy that is."""
    in_order = getattr(input, "_array", input).flags.c_contiguous
    return input if in_order else clone_in_order(input)


to_device = unary("ToCopyBackward0", self=lambda grad, home: to_device(grad, home, home))(
    lambda self, where, home: move(self, where), "c = a in another type or place      ∂L/∂a = g, brought back"
)
to_copy = unary("ToCopyBackward0", self=lambda grad: grad)(
    lambda self, dtype: self.astype(dtype, order=order_of(self)),
    "c = a in another type or place      ∂L/∂a = g, brought back",
)


# ---------------------------------------------------------------------------------------------------------------------
# Wider types. What is between the elements and the result may be too large or too small for their type, or lose digits;
# so PyTorch computes it in a wider one, and rounds once, at the end


def wide(array):
    """`array`, raw or a tensor, as float32 if it is float16: for sums of many small numbers, squares, and powers."""
    dtype = array._value.dtype if isinstance(array, TensorBase) else array.dtype
    return to_copy(array, wider(dtype)) if dtype.char == "e" else array


def wider(dtype):
    """The type for numbers that build on each other: float32 for float16, and float64 for float32."""
    return _WIDER.get(dtype.char, dtype)


_WIDER = {"e": np.dtype(np.float32), "f": np.dtype(np.float64)}
