"""Activations: functions that bend a straight line, element by element.

g in the docstrings is ∂L/∂c, the gradient of the result.
"""

from __future__ import annotations

import math

import numpy as np

from ..memory import one_beside, zero_beside
from . import choice
from .pointwise import erf, smooth, wide
from .primitive import unary
from .second import straight


def _relu_grad(grad, result):
    if isinstance(result, np.generic):  # on single numbers np.where takes fifty times as long as the choice itself
        return grad.dtype.type(0) if result <= 0 else grad
    # not grad * (result > 0), which gives -0, and 0 for nan
    return straight(choice.where(result <= 0, 0.0, grad), result)


@unary(
    "ReluBackward0",
    public=True,
    self=_relu_grad,
    kinds="fiu",
    refusal=RuntimeError("Boolean inputs not supported for relu"),
)
def relu(self):
    """c = max(a, 0)      ∂L/∂a = g where c > 0, else 0"""
    if isinstance(self, np.generic):
        return self.dtype.type(0) if self < 0 else self
    return np.maximum(self, zero_beside(self))


@smooth("SigmoidBackward0", public=True, self=lambda grad, result: grad * ((one_beside(result) - result) * result))
def sigmoid(self):
    """c = 1 / (1 + e⁻ᵃ)      ∂L/∂a = g · (1 - c) · c"""
    one = one_beside(self)
    return np.true_divide(one, one + np.exp(-self))


tanh = smooth("TanhBackward0", public=True, self=lambda grad, result: grad * (one_beside(result) - result * result))(
    np.tanh, "c = tanh a      ∂L/∂a = g · (1 - c²)"
)


def _silu_grad(grad, self):
    gate = sigmoid(self)
    return grad * gate * (1 + self * (1 - gate))


silu = unary("SiluBackward0", self=_silu_grad, kinds="f")(
    lambda self: self / (1 + np.exp(-self)),
    "c = a · σ(a), with σ the sigmoid      ∂L/∂a = g · σ(a) · (1 + a · (1 - σ(a)))",
)


logsigmoid = unary("LogSigmoidBackward0", self=lambda grad, self: grad * sigmoid(-self), kinds="f")(
    lambda self: np.minimum(self, self.dtype.type(0)) - np.log1p(np.exp(-np.abs(self))),
    "c = ln σ(a), without overflow      ∂L/∂a = g · σ(-a)",
)


@unary("GeluBackward0", self=lambda grad, self, approximate: grad * _gelu_slope(self, approximate), kinds="f")
def gelu(self, approximate):
    """c = a · Φ(a), φ = Φ', with Φ the normal distribution function      ∂L/∂a = g · (Φ(a) + a · φ(a))

    approximate="tanh" is PyTorch's faster Φ(a) ≈ (1 + tanh u) / 2 with u = √(2/π) · (a + 0.044715 a³).
    """
    if approximate == "tanh":
        return 0.5 * self * (1 + np.tanh(_gelu_argument(self)))
    return 0.5 * self * (1 + erf.forward(self / math.sqrt(2)))


def _gelu_argument(self):
    return math.sqrt(2 / math.pi) * (self + 0.044715 * self**3)


def _gelu_slope(self, approximate):
    if approximate == "tanh":
        bent = np.tanh(_gelu_argument(self))
        slope = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * self**2)
        return 0.5 * (1 + bent) + 0.5 * self * (1 - bent**2) * slope
    below = 0.5 * (1 + erf(self / math.sqrt(2)))
    density = np.exp(-0.5 * self**2) / math.sqrt(2 * math.pi)
    return below + self * density


def _softplus_grad(grad, self, beta, threshold):
    scaled = self * beta
    curved = choice.where(scaled >= threshold, float(threshold), scaled)  # at the threshold itself it is straight
    return choice.where(scaled > threshold, grad, grad * sigmoid(curved))


@unary("SoftplusBackward0", self=_softplus_grad, kinds="f")
def softplus(self, beta, threshold):
    """c = ln(1 + exp(βa)) / β, and a itself where βa is above the threshold      ∂L/∂a = g · σ(βa); there g"""
    scaled = wide(self) * beta
    bent = np.log1p(np.exp(np.minimum(scaled, threshold))) / beta
    return choice.where(scaled > threshold, self, bent.astype(self.dtype, copy=False))


def _leaky_relu_grad(grad, self, negative_slope):
    return straight(choice.where(self > 0, grad, grad * negative_slope), self)


leaky_relu = unary("LeakyReluBackward0", self=_leaky_relu_grad, kinds="f")(
    lambda self, negative_slope: choice.where(self > 0, self, self * negative_slope),
    "c = a where a > 0, else k · a      ∂L/∂a = g, or k · g",
)


def _elu_grad(grad, self, alpha, scale, input_scale):
    # not np.minimum, which bends half at 0
    below = alpha * scale * input_scale * np.exp(choice.where(self < 0, self, 0.0) * input_scale)
    return grad * choice.where(self <= 0, below, float(scale))


@unary("EluBackward0", self=_elu_grad, kinds="f")
def elu(self, alpha, scale, input_scale):
    """c = s · a where a > 0, else s · α · (eᵃᵏ - 1)      ∂L/∂a = g · s, or g · s · α · k · eᵃᵏ

    ELU has s = k = 1, SELU an s and an α that keep mean and variance.
    """
    below = alpha * np.expm1(np.minimum(self, self.dtype.type(0)) * input_scale)
    bent = choice.where(self >= 0, self, below)
    return bent if scale == 1 else scale * bent


def _hardtanh_grad(grad, self, min_val, max_val):
    return straight(choice.where((self <= min_val) | (self >= max_val), 0.0, grad), self)


hardtanh = unary("HardtanhBackward0", self=_hardtanh_grad)(
    lambda self, min_val, max_val: np.clip(self, self.dtype.type(min_val), self.dtype.type(max_val)),
    "c = a, but at least `min_val` and at most `max_val`      ∂L/∂a = g strictly between them, else 0",
)
