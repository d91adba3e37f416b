"""Operations element by element: arithmetic, elementary functions, activations, comparisons.

Beside each forward stands its derivative; g in the docstrings is ∂L/∂c, the gradient of the result. A formula names
only the values it needs, for these are what the graph must keep until backward.
"""

from __future__ import annotations

import math

import numpy as np

from ..autograd.variable import TensorBase
from ..devices import move
from . import choice
from .errors import derivative_missing, no_formula, not_for, require_kind, shape_error, type_letter
from .formulas import scaled
from .indexing import masked_select
from .operands import promoted
from .placing import copied, in_order, zero_beside
from .primitive import binary, comparison, op, unary

__all__ = ["promoted"]

# ---------------------------------------------------------------------------------------------------------------------
# Arithmetic


@unary("AddBackward1", self=lambda grad: grad)
def add_number(self, other):
    """c = a + k, for a number k inside an operation      ∂L/∂a = g"""
    return self + other


@binary("AddBackward0", self=lambda grad: grad, other=lambda grad: grad, with_number=add_number, shown={"alpha": 1})
def add(self, other):
    """c = a + b      ∂L/∂a = g      ∂L/∂b = g"""
    return self + other


@op("AddBackward0", self=lambda grad: grad, other=lambda grad, alpha: grad * alpha)
def add_scaled(self, other, alpha):
    """c = a + α · b, for a number α      ∂L/∂a = g      ∂L/∂b = g · α"""
    return _fitting(np.add, self, other * alpha).astype(self.dtype, copy=False)


def _fitting(function, x, y):
    try:
        return function(x, y)
    except ValueError:
        raise shape_error(x, y) from None


@op("SubBackward0", self=lambda grad: grad, other=lambda grad, alpha: -grad * alpha)
def sub_scaled(self, other, alpha):
    """c = a - α · b, for a number α      ∂L/∂a = g      ∂L/∂b = -g · α"""
    return _fitting(np.subtract, self, other * alpha)


def check_subtraction(a, b):
    """Raise PyTorch's error if one of two raw operands is bool."""
    bools = [isinstance(x, bool) or (not isinstance(x, int | float) and x.dtype.kind == "b") for x in (a, b)]
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


@unary("SubBackward1", self=lambda grad: grad)
def sub_number(self, other):
    """c = a - k, for a number k inside an operation      ∂L/∂a = g"""
    return self - other


@binary(
    "SubBackward0",
    self=lambda grad: grad,
    other=lambda grad: -grad,
    check=check_subtraction,
    with_number=sub_number,
    shown={"alpha": 1},
)
def sub(self, other):
    """c = a - b      ∂L/∂a = g      ∂L/∂b = -g"""
    return self - other


@op("RsubBackward0", self=lambda grad, alpha: scaled(-grad, alpha), other=lambda grad: grad)
def rsub(self, other, alpha):
    """c = b - α · a, for a number α      ∂L/∂a = -g · α      ∂L/∂b = g"""
    return other - (self * alpha if alpha != 1 else self)


@unary("RsubBackward1", self=lambda grad, alpha: scaled(-grad, alpha))
def rsub_number(self, other, alpha):
    """c = k - α · a, for numbers k and α      ∂L/∂a = -g · α"""
    return other - (self * alpha if alpha != 1 else self)


@unary("MulBackward1", self=lambda grad, other: grad * other)
def mul_number(self, other):
    """c = a · k, for a number k inside an operation      ∂L/∂a = g · k"""
    return self * other


@binary(
    "MulBackward0",
    self=lambda grad, other: grad * other,
    other=lambda grad, self: grad * self,
    with_number=mul_number,
)
def mul(self, other):
    """c = a · b      ∂L/∂a = g · b      ∂L/∂b = g · a"""
    return self * other


@unary("DivBackward1", self=lambda grad, other: grad / other)
def div_number(self, other):
    """c = a / k, for a number k inside an operation      ∂L/∂a = g / k"""
    return self / other


@binary(
    "DivBackward0",
    self=lambda grad, other: grad / other,
    other=lambda grad, self, other: -grad * ((self / other) / other),
    to_float=True,
    with_number=div_number,
)
def div(self, other):
    """c = a / b      ∂L/∂a = g / b      ∂L/∂b = -g · a / b²"""
    return np.true_divide(self, other)


@op(
    "DivBackward2",
    self=lambda grad, other, rounding_mode: np.zeros_like(grad),  # saved as by PyTorch, which needs neither
    other=lambda grad, self, other, rounding_mode: np.zeros_like(grad),
)
def div_rounded(self, other, rounding_mode):
    """c = a / b rounded down ("floor") or toward zero ("trunc"): a staircase      ∂L/∂a = ∂L/∂b = 0"""
    if rounding_mode == "floor":
        return np.floor_divide(self, other)
    if self.dtype.kind == "f":
        return np.trunc(self / other)
    return (self - np.fmod(self, other)) // other


@unary("ReciprocalBackward0", self=lambda grad, result: -grad * (result * result), to_float=True)
def reciprocal(self):
    """c = 1 / a      ∂L/∂a = -g · c²"""
    return np.true_divide(1, self)


@unary(
    "NegBackward0",
    self=lambda grad: -grad,
    refuse_bool=RuntimeError(
        "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the "
        "`~` or `logical_not()` operator instead."
    ),
)
def neg(self):
    """c = -a      ∂L/∂a = -g"""
    return -self


@unary("FracBackward0", self=lambda grad: grad, refuse_bool=not_for("frac_cpu", "Bool"))
def frac(self):
    """c = a - trunc a      ∂L/∂a = g"""
    if self.dtype.kind in "iu":
        raise not_for("frac_cpu", type_letter(self))
    return self - np.trunc(self)


@unary("PowBackward0", self=lambda grad, self, exponent: _pow_grad(grad, self, exponent))
def pow_number(self, exponent):
    """c = aⁿ, for a number n      ∂L/∂a = g · n · aⁿ⁻¹"""
    if self.dtype.kind == "b":
        return self if exponent else np.ones_like(self)
    return copied(self) if exponent == 1 else _raised(self, exponent)


def _raised(self, exponent):
    """aⁿ: for small n as PyTorch does it, and never numpy's way for negative a, fifty times as long as for others.

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
    if exponent % 1 or self.ndim == 0 or self.dtype.kind != "f":
        return self**exponent
    if exponent == -2:
        return 1 / (self * self)
    power = np.abs(self) ** exponent
    return np.copysign(power, self) if exponent % 2 else power


def _pow_grad(grad, self, exponent):
    if exponent == 0:
        return np.zeros_like(grad)
    return grad * (exponent * _raised(self, exponent - 1))


@op(
    "PowBackward1",
    self=lambda grad, self, exponent: np.where(exponent == 0, 0.0, grad * (exponent * self ** (exponent - 1))),
    exponent=lambda grad, self, exponent, result: (
        grad * np.where((self == 0) & (exponent >= 0), 0.0, result * np.log(self))
    ),
)
def pow_tensor(self, exponent):
    """c = aᵇ      ∂L/∂a = g · b · aᵇ⁻¹      ∂L/∂b = g · c · ln a"""
    return _power(self, exponent)


def _power(self, exponent):
    if getattr(self, "dtype", exponent.dtype).kind not in "iu" or exponent.dtype.kind not in "iu":
        return self**exponent
    # The inverse of an integer is 0, unless it is 1 or -1.
    self = exponent.dtype.type(self) if isinstance(self, int) else self
    negative = exponent < 0
    inverse = np.where(self == 1, 1, np.where(self == -1, 1 - 2 * (exponent % 2), 0))
    return np.where(negative, inverse, self ** np.where(negative, 0, exponent)).astype(exponent.dtype)


@op("PowBackward2", exponent=lambda grad, self, exponent, result: grad * _pow_slope(self, exponent, result))
def pow_of_number(self, exponent):
    """c = kᵃ, for a number k      ∂L/∂a = g · c · ln k"""
    return in_order(_power(self, exponent))


def _pow_slope(base, exponent, result):
    if base == 0:
        return np.where(exponent >= 0, 0.0, result * -math.inf)
    return result * (math.log(base) if base > 0 else math.nan)


@unary("RemainderBackward0", self=lambda grad: grad)
def remainder_number(self, other):
    """c = a - k · ⌊a / k⌋, with the sign of k      ∂L/∂a = g"""
    return remainder.forward(self, other)


@binary(
    "RemainderBackward1",
    self=lambda grad: grad,
    other=lambda grad, self, other: -grad * div_rounded(self, other, "floor"),
)
def remainder(self, other):
    """c = a - b · ⌊a / b⌋, with the sign of b      ∂L/∂a = g      ∂L/∂b = -g · ⌊a / b⌋"""
    rest = np.fmod(self, other)
    return np.where((rest != 0) & ((other < 0) != (rest < 0)), rest + other, rest)[()]


@unary("FmodBackward0", self=lambda grad: grad)
def fmod_number(self, other):
    """c = a - k · trunc(a / k), with the sign of a      ∂L/∂a = g"""
    return np.fmod(self, other)


@binary(
    "FmodBackward1",
    self=lambda grad: grad,
    other=lambda grad, self, other: -grad * div_rounded(self, other, "trunc"),
)
def fmod(self, other):
    """c = a - b · trunc(a / b), with the sign of a      ∂L/∂a = g      ∂L/∂b = -g · trunc(a / b)"""
    return np.fmod(self, other)


@binary(
    "torch::autograd::NotImplemented",
    self=lambda grad: derivative_missing("aten::floor_divide"),
    other=lambda grad: derivative_missing("aten::floor_divide"),
)
def floor_divide(self, other):
    """c = ⌊a / b⌋: a staircase, for which PyTorch gives no derivative"""
    return np.floor_divide(self, other)


@unary("torch::autograd::NotImplemented", self=lambda grad: derivative_missing("aten::floor_divide"))
def floor_divide_number(self, number, divides):
    """c = ⌊a / k⌋ if the number k `divides`, else ⌊k / a⌋: PyTorch gives no derivative"""
    return np.floor_divide(self, number) if divides else np.floor_divide(number, self)


@op("torch::autograd::NotImplemented", other=lambda grad: derivative_missing("aten::remainder"))
def remainder_of_number(self, other):
    """c = k - a · ⌊k / a⌋, for a number k: PyTorch gives no derivative"""
    return remainder.forward(self, other)


# ---------------------------------------------------------------------------------------------------------------------
# Elementary functions


@unary("ExpBackward0", self=lambda grad, result: grad * result, to_float=True)
def exp(self):
    """c = eᵃ      ∂L/∂a = g · c"""
    return np.exp(self)


@unary("LogBackward0", self=lambda grad, self: grad / self, to_float=True)
def log(self):
    """c = ln a      ∂L/∂a = g / a"""
    return np.log(self)


@unary("Log2Backward0", self=lambda grad, self: grad / (self * math.log(2)), to_float=True)
def log2(self):
    """c = log₂ a      ∂L/∂a = g / (a · ln 2)"""
    return np.log2(self)


@unary("Log10Backward0", self=lambda grad, self: grad / (self * math.log(10)), to_float=True)
def log10(self):
    """c = log₁₀ a      ∂L/∂a = g / (a · ln 10)"""
    return np.log10(self)


@unary("Log1PBackward0", self=lambda grad, self: grad / (self + 1), to_float=True)
def log1p(self):
    """c = ln(1 + a)      ∂L/∂a = g / (1 + a)"""
    return np.log1p(self)


@unary("Expm1Backward0", self=lambda grad, result: grad * (result + 1), to_float=True)
def expm1(self):
    """c = eᵃ - 1      ∂L/∂a = g · (c + 1)"""
    return np.expm1(self)


@unary("SqrtBackward0", self=lambda grad, result: grad / (2 * result), to_float=True)
def sqrt(self):
    """c = √a      ∂L/∂a = g / (2c)"""
    return np.sqrt(self)


@unary("RsqrtBackward0", self=lambda grad, result: -0.5 * grad * result**3, to_float=True)
def rsqrt(self):
    """c = 1 / √a      ∂L/∂a = -g · c³ / 2"""
    return np.true_divide(1, np.sqrt(self))


@unary("SinBackward0", self=lambda grad, self: grad * np.cos(self), to_float=True)
def sin(self):
    """c = sin a      ∂L/∂a = g · cos a"""
    return np.sin(self)


@unary("CosBackward0", self=lambda grad, self: grad * -np.sin(self), to_float=True)
def cos(self):
    """c = cos a      ∂L/∂a = -g · sin a"""
    return np.cos(self)


@unary("TanBackward0", self=lambda grad, result: grad * (1 + result**2), to_float=True)
def tan(self):
    """c = tan a      ∂L/∂a = g · (1 + c²)"""
    return np.tan(self)


@unary("AsinBackward0", self=lambda grad, self: grad * rsqrt(-self * self + 1), to_float=True)
def asin(self):
    """c = arcsin a      ∂L/∂a = g / √(1 - a²)"""
    return np.arcsin(self)


@unary("AcosBackward0", self=lambda grad, self: grad * -rsqrt(-self * self + 1), to_float=True)
def acos(self):
    """c = arccos a      ∂L/∂a = -g / √(1 - a²)"""
    return np.arccos(self)


@unary("AtanBackward0", self=lambda grad, self: grad / (self * self + 1), to_float=True)
def atan(self):
    """c = arctan a      ∂L/∂a = g / (a² + 1)"""
    return np.arctan(self)


@unary("SinhBackward0", self=lambda grad, self: grad * np.cosh(self), to_float=True)
def sinh(self):
    """c = sinh a      ∂L/∂a = g · cosh a"""
    return np.sinh(self)


@unary("CoshBackward0", self=lambda grad, self: grad * np.sinh(self), to_float=True)
def cosh(self):
    """c = cosh a      ∂L/∂a = g · sinh a"""
    return np.cosh(self)


@unary("AsinhBackward0", self=lambda grad, self: grad * rsqrt(self**2 + 1), to_float=True)
def asinh(self):
    """c = arsinh a      ∂L/∂a = g / √(a² + 1)"""
    return np.arcsinh(self)


@unary("AsinhBackward1", self=no_formula("inplace version of asinh"), to_float=True)
def asinh_written(self):
    """arsinh a in the place of a, for which PyTorch has no derivative"""
    return np.arcsinh(self)


@unary("AcoshBackward0", self=lambda grad, self: grad * rsqrt(self * self - 1), to_float=True)
def acosh(self):
    """c = arcosh a      ∂L/∂a = g / √(a² - 1)"""
    return np.arccosh(self)


@unary("AcoshBackward1", self=no_formula("inplace version of acosh"), to_float=True)
def acosh_written(self):
    """arcosh a in the place of a, for which PyTorch has no derivative"""
    return np.arccosh(self)


@unary("AtanhBackward0", self=lambda grad, self: grad * 1 / (1 - self**2), to_float=True)
def atanh(self):
    """c = artanh a      ∂L/∂a = g / (1 - a²)"""
    return np.arctanh(self)


@unary("AtanhBackward1", self=no_formula("inplace version of atanh"), to_float=True)
def atanh_written(self):
    """artanh a in the place of a, for which PyTorch has no derivative"""
    return np.arctanh(self)


@unary("Exp2Backward0", self=lambda grad, result: grad * result * math.log(2), to_float=True)
def exp2(self):
    """c = 2ᵃ      ∂L/∂a = g · c · ln 2"""
    return np.exp2(self)


@binary(
    "LogaddexpBackward0",
    self=lambda grad, self, other: grad / (1 + np.exp(other - self)),
    other=lambda grad, self, other: grad / (1 + np.exp(self - other)),
)
def logaddexp(self, other):
    """c = ln(eᵃ + eᵇ)      ∂L/∂a = g / (1 + eᵇ⁻ᵃ)      ∂L/∂b = g / (1 + eᵃ⁻ᵇ)"""
    require_kind(self, "f", "logaddexp_cpu")
    return np.logaddexp(self, other)


@binary(
    "Logaddexp2Backward0",
    self=lambda grad, self, other: grad / (1 + 2 ** (other - self)),
    other=lambda grad, self, other: grad / (1 + 2 ** (self - other)),
)
def logaddexp2(self, other):
    """c = log₂(2ᵃ + 2ᵇ)      ∂L/∂a = g / (1 + 2ᵇ⁻ᵃ)      ∂L/∂b = g / (1 + 2ᵃ⁻ᵇ)"""
    require_kind(self, "f", "logaddexp2_cpu")
    return np.logaddexp2(self, other)


@op(
    "LdexpBackward0",
    self=lambda grad, other: grad * 2.0**other,
    other=lambda grad, result: grad * result * math.log(2),
)
def ldexp(self, other):
    """c = a · 2ᵇ      ∂L/∂a = g · 2ᵇ      ∂L/∂b = g · c · ln 2"""
    return self * 2.0**other


@op(
    "HypotBackward0",
    self=lambda grad, self, result: grad * self / result,
    other=lambda grad, other, result: grad * other / result,
)
def hypot(self, other):
    """c = √(a² + b²)      ∂L/∂a = g · a / c      ∂L/∂b = g · b / c"""
    self, other = promoted(self, other)
    require_kind(self, "f", "hypot_cpu")
    return _fitting(np.hypot, self, other)


@unary("Rad2DegBackward0", self=lambda grad: grad * (180 / math.pi))
def rad2deg(self):
    """c = a · 180 / π: radians in degrees      ∂L/∂a = g · 180 / π"""
    return self * (180 / math.pi)


@unary("Deg2RadBackward0", self=lambda grad: grad * (math.pi / 180))
def deg2rad(self):
    """c = a · π / 180: degrees in radians      ∂L/∂a = g · π / 180"""
    return self * (math.pi / 180)


@unary("LogitBackward0", self=lambda grad, self, eps: _logit_grad(grad, self, eps))
def logit(self, eps):
    """c = ln(a / (1 - a)), the inverse of the sigmoid      ∂L/∂a = g / (a · (1 - a))

    With a number ε, a is first brought between ε and 1 - ε; outside the gradient is 0.
    """
    if eps is not None:
        self = np.clip(self, self.dtype.type(eps), self.dtype.type(1 - eps))
    return np.log(self / (1 - self))


def _logit_grad(grad, self, eps):
    low, otherwise = (0.0, math.nan) if eps is None else (eps, 0.0)
    return np.where((self >= low) & (self <= 1 - low), grad / (self * (1 - self)), otherwise)


@unary("SincBackward0", self=lambda grad, self: np.where(self == 0, 0.0, grad * _sinc_slope(self)), to_float=True)
def sinc(self):
    """c = sin(πa) / (πa), and 1 at 0      ∂L/∂a = g · (πa · cos πa - sin πa) / (πa²)"""
    return np.sinc(self)


def _sinc_slope(self):
    angle = self * math.pi
    return (angle * np.cos(angle) - np.sin(angle)) / (self * self * math.pi)


def _atan2_grads(grad, wanted, self, other):
    squares = self * self + other * other
    factor = masked_fill(reciprocal(squares), squares == 0, 0)
    return grad * other * factor if wanted[0] else None, grad * -self * factor if wanted[1] else None


@op("Atan2Backward0", inputs=("self", "other"), together=_atan2_grads)
def atan2(self, other):
    """c = the angle of the point (b, a)      ∂L/∂a = g · b / (a² + b²)      ∂L/∂b = -g · a / (a² + b²); 0 at (0, 0)"""
    return _fitting(np.arctan2, *promoted(self, other, to_float=True))


@unary("AbsBackward0", self=lambda grad, self: grad * sgn(self), refuse_bool=not_for("abs_cpu", "Bool"))
def abs(self):
    """c = |a|      ∂L/∂a = g · sign a"""
    return np.abs(self)


@unary("SgnBackward0", self=lambda grad: np.zeros_like(grad))
def sgn(self):
    """c = sign a      ∂L/∂a = 0"""
    return sign.forward(self)


@unary("SignBackward0", self=lambda grad: np.zeros_like(grad))
def sign(self):
    """c = -1, 0 or 1      ∂L/∂a = 0"""
    if self.dtype.kind == "b":
        return self.copy()
    return np.subtract(self > 0, self < 0, dtype=self.dtype)  # np.sign(nan) is nan, PyTorch's is 0


@unary("FloorBackward0", self=lambda grad: np.zeros_like(grad), refuse_bool=not_for("floor_vml_cpu", "Bool"))
def floor(self):
    """c = ⌊a⌋      ∂L/∂a = 0"""
    return np.floor(self)


@unary("CeilBackward0", self=lambda grad: np.zeros_like(grad), refuse_bool=not_for("ceil_vml_cpu", "Bool"))
def ceil(self):
    """c = ⌈a⌉      ∂L/∂a = 0"""
    return np.ceil(self)


@unary("RoundBackward0", self=lambda grad: np.zeros_like(grad), refuse_bool=not_for("round_vml_cpu", "Bool"))
def round(self):
    """c = the nearest integer, halves to even      ∂L/∂a = 0"""
    return np.round(self)


@unary("RoundBackward1", self=lambda grad: np.zeros_like(grad))
def round_decimals(self, decimals):
    """c = a rounded to some decimals      ∂L/∂a = 0"""
    require_kind(self, "f", "round_vml_cpu")
    if not -1000 < decimals < 1000:  # beyond every float: PyTorch computes inf / inf
        return self * self.dtype.type(np.nan)
    if decimals > 0:
        return np.round(self * self.dtype.type(10**decimals)) / self.dtype.type(10**decimals)
    return np.round(self / self.dtype.type(10**-decimals)) * self.dtype.type(10**-decimals)


@unary("TruncBackward0", self=lambda grad: np.zeros_like(grad), refuse_bool=not_for("trunc_vml_cpu", "Bool"))
def trunc(self):
    """c = a without its fraction      ∂L/∂a = 0"""
    return np.trunc(self)


@op(
    "CopysignBackward0",
    self=lambda grad, self, result: grad * _copied(self, result),
    other=lambda grad: np.zeros_like(grad),
)
def copysign(self, other):
    """c = |a| with the sign of b      ∂L/∂a = g · c / a, and 0 at 0      ∂L/∂b = 0"""
    return _fitting(np.copysign, *promoted(self, other, to_float=True))


@unary("CopysignBackward1", self=lambda grad, self, result: grad * _copied(self, result))
def copysign_number(self, other):
    """c = |a| with the sign of a number k      ∂L/∂a = g · c / a, and 0 at 0"""
    return np.copysign(self, self.dtype.type(other))


def _copied(self, result):
    return masked_fill(result / self, self == 0, 0)


@binary(
    "torch::autograd::NotImplemented",
    self=lambda grad: derivative_missing("aten::heaviside"),
    other=lambda grad: derivative_missing("aten::heaviside"),
)
def heaviside(self, other):
    """c = 0 where a < 0, b where a = 0, 1 where a > 0: a step, for which PyTorch gives no derivative"""
    return np.where(self == 0, other, (self > 0).astype(self.dtype))


@unary("NanToNumBackward0", self=lambda grad, self: grad * (np.abs(self) < math.inf))
def nan_to_num(self, nan, posinf, neginf):
    """c = a, with numbers in the place of nan, ∞ and -∞      ∂L/∂a = g where a is finite, else 0"""
    return np.nan_to_num(self, nan=nan, posinf=posinf, neginf=neginf)


@op(
    "AddcmulBackward0",
    self=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * (tensor2 * value),
    tensor2=lambda grad, tensor1, value: grad * (tensor1 * value),
)
def addcmul(self, tensor1, tensor2, value):
    """c = a + k · x · y, for a number k      ∂L/∂a = g      ∂L/∂x = g · k · y      ∂L/∂y = g · k · x"""
    return (self + value * tensor1 * tensor2).astype(self.dtype, copy=False)


@op(
    "AddcdivBackward0",
    self=lambda grad: grad,
    tensor1=lambda grad, tensor2, value: grad * (value / tensor2),
    tensor2=lambda grad, tensor1, tensor2, value: -grad * (value * tensor1 / (tensor2 * tensor2)),
)
def addcdiv(self, tensor1, tensor2, value):
    """c = a + k · x / y, for a number k      ∂L/∂a = g      ∂L/∂x = g · k / y      ∂L/∂y = -g · k · x / y²"""
    return self + value * (tensor1 / tensor2)


# ---------------------------------------------------------------------------------------------------------------------
# Choices


@unary("ClampBackward1", self=lambda grad, self, min, max: choice.where(_within(self, min, max), grad, 0.0))
def clamp(self, min, max):
    """c = a, but at least `min` and at most `max`      ∂L/∂a = g where min ≤ a ≤ max, the edges included, else 0"""
    return np.maximum(self, min or zero_beside(self)) if max is None else np.minimum(_at_least(self, min), max)


def _at_least(self, min):
    return self if min is None else np.maximum(self, min)


def _within(self, min, max):
    if max is None:
        return self >= min
    return self <= max if min is None else (self >= min) & (self <= max)


@unary("ClampMinBackward0", self=lambda grad, self, min: choice.where(self >= min, grad, 0.0))
def clamp_min(self, min):
    """c = a, but at least `min`      ∂L/∂a = g where a ≥ min, else 0"""
    return np.maximum(self, min)


@unary("ClampMaxBackward0", self=lambda grad, self, max: choice.where(self <= max, grad, 0.0))
def clamp_max(self, max):
    """c = a, but at most `max`      ∂L/∂a = g where a ≤ max, else 0"""
    return np.minimum(self, max)


@op(
    "ClampBackward0",
    self=lambda grad, self, min, max: choice.where(_within(self, min, max), grad, 0.0),
    min=lambda grad, self, min, max: choice.where(self < min if max is None else (self < min) & (min < max), grad, 0.0),
    max=lambda grad, self, min, max: choice.where(self > max if min is None else (self > max) | (max < min), grad, 0.0),
)
def clamp_between(self, min, max):
    """c = a, but at least b and at most d      g goes to whichever of a, b and d it is; to a at the edges"""
    self = self.astype((max if min is None else min).dtype)
    if min is not None:
        self = np.maximum(self, min)
    return self if max is None else np.minimum(self, max)


@op(
    "ClampMinBackward1",
    self=lambda grad, self, min: choice.where(self >= min, grad, 0.0),
    min=lambda grad, self, min: choice.where(self < min, grad, 0.0),
)
def clamp_min_tensor(self, min):
    """c = a, but at least b      g goes to whichever it is; to a where they are equal"""
    return np.maximum(self, min)


@op(
    "ClampMaxBackward1",
    self=lambda grad, self, max: choice.where(self <= max, grad, 0.0),
    max=lambda grad, self, max: choice.where(self > max, grad, 0.0),
)
def clamp_max_tensor(self, max):
    """c = a, but at most b      g goes to whichever it is; to a where they are equal"""
    return np.minimum(self, max)


@binary(
    "FmaxBackward0",
    self=lambda grad, self, other: masked_fill(grad, ~((self >= other) | (other != other)), 0),
    other=lambda grad, self, other: masked_fill(grad, (self >= other) | (other != other), 0),
)
def fmax(self, other):
    """c = the larger of a and b, and the other one where one is nan      its gradient goes to it; to a if equal"""
    return np.fmax(self, other)


@binary(
    "FminBackward0",
    self=lambda grad, self, other: masked_fill(grad, ~((self <= other) | (other != other)), 0),
    other=lambda grad, self, other: masked_fill(grad, (self <= other) | (other != other), 0),
)
def fmin(self, other):
    """c = the smaller of a and b, and the other one where one is nan      its gradient goes to it; to a if equal"""
    return np.fmin(self, other)


@binary(
    "MaximumBackward0",
    self=lambda grad, self, other: _to_the_chosen(grad, self == other, self < other),
    other=lambda grad, self, other: _to_the_chosen(grad, self == other, self > other),
)
def maximum(self, other):
    """c = the larger of a and b      its gradient goes to the larger; half to each where they are equal"""
    return np.maximum(self, other)


@binary(
    "MinimumBackward0",
    self=lambda grad, self, other: _to_the_chosen(grad, self == other, self > other),
    other=lambda grad, self, other: _to_the_chosen(grad, self == other, self < other),
)
def minimum(self, other):
    """c = the smaller of a and b      its gradient goes to the smaller; half to each where they are equal"""
    return np.minimum(self, other)


def _to_the_chosen(grad, tie, loses):
    return masked_fill(choice.where(tie, grad / 2, grad), loses, 0)


@binary(
    "XlogyBackward0",
    self=lambda grad, self, other: masked_fill(xlogy(grad, other), (self == 0) & (other <= 0), 0),
    other=lambda grad, self, other: grad * self / other,
    to_float=True,
)
def xlogy(self, other):
    """c = a · ln b, and 0 where a = 0 and b is no nan      ∂L/∂a = g · ln b      ∂L/∂b = g · a / b"""
    return np.where((self == 0) & (other == other), self.dtype.type(0), self * np.log(other))[()]


@op("XlogyBackward1", other=lambda grad, self, other: grad * self / other)
def xlogy_of_number(self, other):
    """c = k · ln a, for a number k, and 0 where k = 0      ∂L/∂a = g · k / a"""
    return self * np.log(other) if self else np.where(np.isnan(other), other, other.dtype.type(0))


@unary("XlogyBackward2", self=lambda grad, self, other: _xlogy_number_grad(grad, self, other))
def xlogy_number(self, other):
    """c = a · ln k, for a number k      ∂L/∂a = g · ln k"""
    return xlogy.forward(self, self.dtype.type(other))


def _xlogy_number_grad(grad, self, other):
    slope = xlogy_number(grad, other)
    return slope if other > 0 else masked_fill(slope, self == 0, 0)


@op(
    "WhereBackward0",
    self=lambda grad, condition: choice.where(condition, grad, 0.0),
    other=lambda grad, condition: choice.where(condition, 0.0, grad),
)
def where(condition, self, other):
    """c = a where the condition holds, else b      each element's gradient goes to where it came from"""
    return _choose(condition, *promoted(self, other))


def _choose(condition, chosen, otherwise):
    try:
        return choice.where(condition, chosen, otherwise)
    except ValueError:
        together = condition if np.ndim(chosen) == 0 else _broadcast(condition, chosen)
        raise shape_error(together, otherwise) from None


def _broadcast(x, y):
    try:
        return np.broadcast_to(x, np.broadcast_shapes(x.shape, y.shape))
    except ValueError:
        raise shape_error(x, y) from None


@op(
    "MaskedFillBackward1",
    self=lambda grad, mask: masked_fill(grad, mask, 0),
    value=lambda grad, mask: masked_select(grad, mask).sum(),
)
def masked_fill_tensor(self, mask, value):
    """c = b where the mask is True, else a, for a 0-dim b      ∂L/∂a = 0 there, else g      ∂L/∂b = Σ g there"""
    return in_order(_choose(mask, value.astype(self.dtype), self))


@op("MaskedFillBackward0", self=lambda grad, mask: masked_fill(grad, mask, 0))
def masked_fill(self, mask, value):
    """c = k where the mask is True, else a      ∂L/∂a = 0 where the mask is True, else g"""
    return in_order(_choose(mask, self.dtype.type(value), self))


@op(
    "LerpBackward0",
    self=lambda grad, weight: grad * (1 - weight),
    end=lambda grad, weight: grad * weight,
)
def lerp_number(self, end, weight):
    """c = a + w · (b - a), for a number w      ∂L/∂a = g · (1 - w)      ∂L/∂b = g · w"""
    return self + weight * (end - self) if weight < 0.5 else end - (end - self) * (1 - weight)


@op(
    "LerpBackward1",
    self=lambda grad, weight: grad * (1 - weight),
    end=lambda grad, weight: grad * weight,
    weight=lambda grad, self, end: grad * (end - self),
)
def lerp(self, end, weight):
    """c = a + w · (b - a)      ∂L/∂a = g · (1 - w)      ∂L/∂b = g · w      ∂L/∂w = g · (b - a)"""
    return choice.where(weight < 0.5, self + weight * (end - self), end - (end - self) * (1 - weight))


# ---------------------------------------------------------------------------------------------------------------------
# Comparisons and logic: True or False has no derivative


@comparison
def eq(self, other):
    """a = b, element by element"""
    return self == other


@comparison
def ne(self, other):
    """a ≠ b, element by element"""
    return self != other


@comparison
def lt(self, other):
    """a < b, element by element"""
    return self < other


@comparison
def le(self, other):
    """a ≤ b, element by element"""
    return self <= other


@comparison
def gt(self, other):
    """a > b, element by element"""
    return self > other


@comparison
def ge(self, other):
    """a ≥ b, element by element"""
    return self >= other


@comparison
def bitwise_and(self, other):
    """Bit by bit, or logical for bool: both"""
    _require_bits("bitwise_and_cpu", self, other)
    return self & other


@comparison
def bitwise_or(self, other):
    """Bit by bit, or logical for bool: at least one"""
    _require_bits("bitwise_or_cpu", self, other)
    return self | other


@comparison
def bitwise_xor(self, other):
    """Bit by bit, or logical for bool: exactly one"""
    _require_bits("bitwise_xor_cpu", self, other)
    return self ^ other


def _require_bits(kernel, *operands, kinds="biu"):
    for operand in operands:
        if hasattr(operand, "dtype") and operand.dtype.kind not in kinds:
            np.broadcast_shapes(*(np.shape(each) for each in operands))  # their shapes are the first thing to say
            require_kind(operand, kinds, kernel)


@comparison
def bitwise_left_shift(self, other):
    """a · 2ᵇ, by moving bits"""
    _require_bits("lshift_cpu", self, other, kinds="iu")
    return self << other


@comparison
def bitwise_right_shift(self, other):
    """⌊a / 2ᵇ⌋, by moving bits"""
    _require_bits("rshift_cpu", self, other, kinds="iu")
    return self >> other


@comparison
def gcd(self, other):
    """The greatest common divisor"""
    _require_bits("gcd_cpu", self, other, kinds="iu")
    return np.gcd(self, other)


@comparison
def lcm(self, other):
    """The least common multiple"""
    _require_bits("lcm_cpu", self, other, kinds="iu")
    return np.lcm(self, other)


@comparison
def logical_and(self, other):
    """Whether both are non-zero"""
    return np.logical_and(self, other)


@comparison
def logical_or(self, other):
    """Whether at least one is non-zero"""
    return np.logical_or(self, other)


@comparison
def logical_xor(self, other):
    """Whether exactly one is non-zero"""
    return np.logical_xor(self, other)


# ---------------------------------------------------------------------------------------------------------------------
# Copies


@unary("CloneBackward0", self=lambda grad: grad)
def clone(self):
    """c = a copy of a      ∂L/∂a = g

    Its dimensions lie in memory in the same order.
    """
    return copied(self)


@unary("CloneBackward0", self=lambda grad: grad)
def clone_in_order(self):
    """c = a copy of a      ∂L/∂a = g

    The elements along the last dimension lie next to each other in memory.
    """
    return self.copy()


def contiguous(input):
    """`input`, raw or a tensor, if its memory is in order, otherwise a copy that is."""
    in_order = getattr(input, "_array", input).flags.c_contiguous
    return input if in_order else clone_in_order(input)


@unary("ToCopyBackward0", self=lambda grad, home: to_device(grad, home, home))
def to_device(self, where, home):
    """c = a in another place      ∂L/∂a = g, brought home"""
    return move(self, where)


@unary("ToCopyBackward0", self=lambda grad: grad)
def to_copy(self, dtype):
    """c = a in another type      ∂L/∂a = g, cast back"""
    return self.astype(dtype, order="C" if 0 in self.strides else "K")
