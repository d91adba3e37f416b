"""Activations: functions that bend a straight line, element by element.

g in the docstrings is ∂L/∂c, the gradient of the result.
"""

from __future__ import annotations

import math

import numpy as np

from .errors import require_kind
from .primitive import op, unary
from .special import erf


@op("ThresholdBackwardBackward0", grad=lambda grad, result: relu_backward(grad, result), result=lambda grad: grad * 0.0)
def relu_backward(grad, result):
    """g where c > 0, else 0      its own derivative with respect to g is the same again"""
    if isinstance(result, np.generic):  # on single numbers np.where takes fifty times as long as the choice itself
        return grad if result > 0 else grad.dtype.type(0)
    return np.where(result > 0, grad, grad.dtype.type(0))  # not grad * (result > 0), which gives -0


@unary(
    "ReluBackward0",
    self=lambda grad, result: relu_backward(grad, result),
    refuse_bool=RuntimeError("Boolean inputs not supported for relu"),
)
def relu(self):
    """c = max(a, 0)      ∂L/∂a = g where c > 0, else 0; so 0 at a = 0"""
    if isinstance(self, np.generic):
        return self.dtype.type(0) if self < 0 else self
    return np.maximum(self, 0)


@unary("SigmoidBackward0", self=lambda grad, result: grad * ((1 - result) * result), to_float=True)
def sigmoid(self):
    """c = 1 / (1 + e⁻ᵃ)      ∂L/∂a = g · (1 - c) · c"""
    return np.true_divide(1, 1 + np.exp(-self))


@unary("TanhBackward0", self=lambda grad, result: grad * (1 - result * result), to_float=True)
def tanh(self):
    """c = tanh a      ∂L/∂a = g · (1 - c²)"""
    return np.tanh(self)


@unary("SiluBackward0", self=lambda grad, self: _silu_grad(grad, self, sigmoid(self)))
def silu(self):
    """c = a · σ(a), with σ the sigmoid      ∂L/∂a = g · σ(a) · (1 + a · (1 - σ(a)))"""
    require_kind(self, "f", "silu_cpu")
    return self / (1 + np.exp(-self))


def _silu_grad(grad, self, gate):
    return grad * (gate * (1 + self * (1 - gate)))


@unary("LogSigmoidBackward0", self=lambda grad, self: grad * sigmoid(-self))
def logsigmoid(self):
    """c = ln σ(a), without overflow      ∂L/∂a = g · σ(-a)"""
    require_kind(self, "f", "log_sigmoid_cpu")
    return np.minimum(self, self.dtype.type(0)) - np.log1p(np.exp(-np.abs(self)))


@unary("GeluBackward0", self=lambda grad, self, approximate: grad * _gelu_slope(self, approximate))
def gelu(self, approximate):
    """c = a · Φ(a), with Φ the normal distribution function      ∂L/∂a = g · (Φ(a) + a · φ(a)), φ = Φ'

    approximate="tanh" is PyTorch's faster Φ(a) ≈ (1 + tanh u) / 2 with u = √(2/π) · (a + 0.044715 a³).
    """
    require_kind(self, "f", "GeluKernelImpl")
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
    density = np.exp(-0.5 * self**2) / math.sqrt(2 * math.pi)
    return 0.5 * (1 + erf(self / math.sqrt(2))) + self * density


@unary(
    "SoftplusBackward0",
    self=lambda grad, self, beta, threshold: np.where(self * beta > threshold, grad, grad * sigmoid(self * beta)),
)
def softplus(self, beta, threshold):
    """c = ln(1 + exp(βa)) / β, and a itself where βa is above the threshold      ∂L/∂a = g · σ(βa); there g"""
    require_kind(self, "f", "softplus_cpu")
    scaled = self * beta
    return np.where(scaled > threshold, self, np.log1p(np.exp(np.minimum(scaled, threshold))) / beta)


@op(
    "LeakyReluBackwardBackward0",
    grad=lambda grad, self, negative_slope: leaky_relu_backward(grad, self, negative_slope),
    self=lambda grad: grad * 0.0,
)
def leaky_relu_backward(grad, self, negative_slope):
    """g where a > 0, else k · g      its own derivative with respect to g is the same again"""
    return np.where(self > 0, grad, grad * negative_slope)


@unary("LeakyReluBackward0", self=lambda grad, self, negative_slope: leaky_relu_backward(grad, self, negative_slope))
def leaky_relu(self, negative_slope):
    """c = a where a > 0, else k · a      ∂L/∂a = g, or k · g"""
    require_kind(self, "f", "leaky_relu_cpu")
    return np.where(self > 0, self, self * negative_slope)


@unary(
    "EluBackward0",
    self=lambda grad, self, alpha, scale, input_scale: (
        grad
        * np.where(self > 0, scale, alpha * scale * input_scale * np.exp(np.where(self < 0, self, 0.0) * input_scale))
    ),
)
def elu(self, alpha, scale, input_scale):
    """c = s · a where a > 0, else s · α · (eᵃᵏ - 1)      ∂L/∂a = g · s, or g · s · α · k · eᵃᵏ

    ELU has s = k = 1, SELU an s and an α that keep mean and variance.
    """
    require_kind(self, "f", "elu_cpu")
    below = alpha * np.expm1(np.minimum(self, self.dtype.type(0)) * input_scale)
    return scale * np.where(self > 0, self, below) if scale != 1 else np.where(self > 0, self, below)


@unary(
    "CeluBackward0",
    self=lambda grad, self, alpha: grad * np.where(self > 0, 1.0, np.exp(np.where(self < 0, self, 0.0) / alpha)),
)
def celu(self, alpha):
    """c = a where a > 0, else α · (exp(a / α) - 1)      ∂L/∂a = g, or g · exp(a / α)"""
    return elu.forward(self, alpha, 1.0, 1.0 / alpha)


@unary("MishBackward0", self=lambda grad, self: grad * _mish_slope(self))
def mish(self):
    """c = a · t with t = tanh(ln(1 + eᵃ))      ∂L/∂a = g · (t + a · σ(a) · (1 - t²))"""
    require_kind(self, "f", "mish_cpu")
    return self * np.tanh(np.logaddexp(self, self.dtype.type(0)))


def _mish_slope(self):
    bent = tanh(softplus(self, 1.0, 20.0))
    return bent + self * sigmoid(self) * (1 - bent * bent)


@unary("HardsigmoidBackward0", self=lambda grad, self: np.where((self > -3) & (self < 3), grad / 6, 0.0))
def hardsigmoid(self):
    """c = (a + 3) / 6, but within 0 and 1      ∂L/∂a = g / 6 strictly between them, else 0"""
    require_kind(self, "f", "hardsigmoid_cpu")
    return np.clip(self + 3, self.dtype.type(0), self.dtype.type(6)) / 6


@unary(
    "HardswishBackward0",
    self=lambda grad, self: grad * np.where(self < -3, 0.0, np.where(self < 3, self / 3 + 0.5, 1.0)),
)
def hardswish(self):
    """c = a · (a + 3) / 6 between -3 and 3; 0 below, a above      ∂L/∂a = g · (a / 3 + 1/2); 0 below, g above"""
    require_kind(self, "f", "hardswish_cpu")
    return self * np.clip(self + 3, self.dtype.type(0), self.dtype.type(6)) / 6


@unary("ThresholdBackward0", self=lambda grad, self, threshold: np.where(self > threshold, grad, 0.0))
def threshold(self, threshold, value):
    """c = a where a is above the threshold, else k      ∂L/∂a = g there, else 0"""
    return np.where(self > threshold, self, self.dtype.type(value))


@unary("HardshrinkBackward0", self=lambda grad, self, lambd: np.where((self >= -lambd) & (self <= lambd), 0.0, grad))
def hardshrink(self, lambd):
    """c = a where |a| > λ, else 0      ∂L/∂a = g there, else 0"""
    require_kind(self, "f", "hardshrink_cpu")
    return np.where((self >= -lambd) & (self <= lambd), self.dtype.type(0), self)


@unary("SoftshrinkBackward0", self=lambda grad, self, lambd: np.where((self >= -lambd) & (self <= lambd), 0.0, grad))
def softshrink(self, lambd):
    """c = a brought nearer to 0 by λ, and 0 where |a| ≤ λ      ∂L/∂a = g where |a| > λ, else 0"""
    require_kind(self, "f", "softshrink_cpu")
    return np.sign(self) * np.maximum(np.abs(self) - self.dtype.type(lambd), self.dtype.type(0))


@op(
    "PreluKernelBackward0",
    self=lambda grad, self, weight: np.where(self > 0, grad, weight * grad),
    weight=lambda grad, self: np.where(self > 0, 0.0, self * grad),
)
def prelu(self, weight):
    """c = a where a > 0, else w · a      ∂L/∂a = g, or w · g      ∂L/∂w = 0, or a · g"""
    require_kind(self, "f", "prelu_cpu")
    return np.where(self > 0, self, weight * self)


@unary("GluBackward0", self=lambda grad, self, dim: _glu_grad(grad, self, dim))
def glu(self, dim):
    """c = a · σ(b), a and b the halves along a dimension      ∂L/∂a = g · σ(b)      ∂L/∂b = g · a · σ(b) · σ(-b)"""
    require_kind(self, "f", "glu_cpu")
    kept, gate = np.split(self, 2, dim)
    return kept / (1 + np.exp(-gate))


def _glu_grad(grad, self, dim):
    half = self.shape[dim] // 2
    kept, gate = np.take(self, range(half), dim), sigmoid(np.take(self, range(half, 2 * half), dim))
    return np.concatenate([grad * gate, grad * kept * gate * (1 - gate)], dim)


@op(
    "HardtanhBackwardBackward0",
    grad=lambda grad, self, min, max: hardtanh_backward(grad, self, min, max),
    self=lambda grad: grad * 0.0,
)
def hardtanh_backward(grad, self, min, max):
    """g strictly between `min` and `max`, else 0      its own derivative with respect to g is the same again"""
    return np.where((self > min) & (self < max), grad, grad.dtype.type(0))


@unary("HardtanhBackward0", self=lambda grad, self, min, max: hardtanh_backward(grad, self, min, max))
def hardtanh(self, min, max):
    """c = a, but at least `min` and at most `max`      ∂L/∂a = g strictly between them, else 0"""
    return np.clip(self, self.dtype.type(min), self.dtype.type(max))
