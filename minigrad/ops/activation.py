"""Activations: functions that bend a straight line, element by element.

g in the docstrings is ∂L/∂c, the gradient of the result. Most of these derivatives are operations themselves, as in
PyTorch, with a derivative of their own, for which h stands for the gradient of theirs: ∂L/∂(∂L/∂a).
"""

from __future__ import annotations

import math

import numpy as np

from . import choice
from .errors import require_kind
from .placing import one_beside, zero_beside
from .pointwise import log1p
from .primitive import no_derivative, op, unary
from .special import erf


@op(
    "ThresholdBackwardBackward0",
    grad_output=lambda grad, output: relu_backward(grad, output),
    output=lambda grad: np.zeros_like(grad),
)
def relu_backward(grad_output, output):
    """g where c > 0, else 0      ∂L/∂g = the same of h      ∂L/∂c = 0"""
    if isinstance(output, np.generic):  # on single numbers np.where takes fifty times as long as the choice itself
        return grad_output.dtype.type(0) if output <= 0 else grad_output
    # not grad_output * (output > 0), which gives -0, and 0 for nan
    return choice.where(output <= 0, grad_output.dtype.type(0), grad_output)


@unary(
    "ReluBackward0",
    self=relu_backward,
    refuse_bool=RuntimeError("Boolean inputs not supported for relu"),
)
def relu(self):
    """c = max(a, 0)      ∂L/∂a = g where c > 0, else 0; so 0 at a = 0"""
    if isinstance(self, np.generic):
        return self.dtype.type(0) if self < 0 else self
    return np.maximum(self, zero_beside(self))


@op(
    "SigmoidBackwardBackward0",
    grad_output=lambda grad, output: sigmoid_backward(grad, output),
    output=lambda grad, grad_output, output: grad * grad_output * (-2 * output + 1),
)
def sigmoid_backward(grad_output, output):
    """g · (1 - c) · c      ∂L/∂g = h · (1 - c) · c      ∂L/∂c = h · g · (1 - 2c)"""
    return grad_output * ((one_beside(output) - output) * output)


@unary("SigmoidBackward0", self=sigmoid_backward, to_float=True)
def sigmoid(self):
    """c = 1 / (1 + e⁻ᵃ)      ∂L/∂a = g · (1 - c) · c"""
    one = one_beside(self)
    return np.true_divide(one, one + np.exp(-self))


@op(
    "TanhBackwardBackward0",
    grad_output=lambda grad, output: tanh_backward(grad, output),
    output=lambda grad, grad_output, output: grad * (-2 * output * grad_output),
)
def tanh_backward(grad_output, output):
    """g · (1 - c²)      ∂L/∂g = h · (1 - c²)      ∂L/∂c = -2 h · c · g"""
    return grad_output * (one_beside(output) - output * output)


@unary("TanhBackward0", self=tanh_backward, to_float=True)
def tanh(self):
    """c = tanh a      ∂L/∂a = g · (1 - c²)"""
    return np.tanh(self)


@unary("SiluBackward0", self=lambda grad, self: _silu_grad(grad, self, sigmoid(self)))
def silu(self):
    """c = a · σ(a), with σ the sigmoid      ∂L/∂a = g · σ(a) · (1 + a · (1 - σ(a)))"""
    require_kind(self, "f", "silu_cpu")
    return self / (1 + np.exp(-self))


def _silu_grad(grad, self, gate):
    return grad * gate * (1 + self * (1 - gate))


@op(
    "LogSigmoidBackwardBackward0",
    grad_output=lambda grad, self: log_sigmoid_backward(grad, self),
    self=lambda grad, grad_output, self: -sigmoid_backward(grad * grad_output, sigmoid(self)),
)
def log_sigmoid_backward(grad_output, self):
    """g · σ(-a)      ∂L/∂g = h · σ(-a)      ∂L/∂a = -h · g · σ(a) · (1 - σ(a))"""
    return grad_output * sigmoid.forward(-self)


@unary("LogSigmoidBackward0", self=log_sigmoid_backward, shown={"buffer": lambda self: np.exp(-np.abs(self))})
def logsigmoid(self):
    """c = ln σ(a), without overflow      ∂L/∂a = g · σ(-a)"""
    require_kind(self, "f", "log_sigmoid_cpu")
    return np.minimum(self, self.dtype.type(0)) - np.log1p(np.exp(-np.abs(self)))


@op(
    "GeluBackwardBackward0",
    grad_output=lambda grad, self, approximate: gelu_backward(grad, self, approximate),
    self=lambda grad, grad_output, self, approximate: grad * grad_output * _gelu_bend(self, approximate),
)
def gelu_backward(grad_output, self, approximate):
    """g · (Φ(a) + a · φ(a))      ∂L/∂g = the same of h      ∂L/∂a = h · g · φ(a) · (2 - a²)"""
    return grad_output * _gelu_slope(self, approximate)


@unary("GeluBackward0", self=gelu_backward)
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
    return 0.5 * (1 + erf(self / math.sqrt(2))) + self * _normal_density(self)


def _gelu_bend(self, approximate):
    """The second derivative of gelu."""
    if approximate == "tanh":
        bent = np.tanh(_gelu_argument(self))
        slope = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * self**2)
        bend = math.sqrt(2 / math.pi) * (6 * 0.044715) * self
        return (1 - bent**2) * (slope + 0.5 * self * (bend - 2 * bent * slope**2))
    return _normal_density(self) * (2 - self**2)


def _normal_density(self):
    return np.exp(-0.5 * self**2) / math.sqrt(2 * math.pi)


@op(
    "SoftplusBackwardBackward0",
    grad_output=lambda grad, self, beta, threshold: softplus_backward(grad, self, beta, threshold),
    self=lambda grad, grad_output, self, beta, threshold: (
        sigmoid_backward(grad * grad_output, sigmoid(self * beta)) * (self * beta < threshold) * beta
    ),
)
def softplus_backward(grad_output, self, beta, threshold):
    """g · σ(βa); g above the threshold      ∂L/∂g = the same of h      ∂L/∂a = h · g · β · σ(βa) · (1 - σ(βa))"""
    scaled = self * beta
    return choice.where(scaled > threshold, grad_output, grad_output * sigmoid.forward(scaled))


@unary("SoftplusBackward0", self=softplus_backward)
def softplus(self, beta, threshold):
    """c = ln(1 + exp(βa)) / β, and a itself where βa is above the threshold      ∂L/∂a = g · σ(βa); there g"""
    require_kind(self, "f", "softplus_cpu")
    scaled = self * beta
    return choice.where(scaled > threshold, self, np.log1p(np.exp(np.minimum(scaled, threshold))) / beta)


@op(
    "LeakyReluBackwardBackward0",
    grad_output=lambda grad, self, negative_slope: leaky_relu_backward(grad, self, negative_slope),
    self=lambda grad: np.zeros_like(grad),
)
def leaky_relu_backward(grad_output, self, negative_slope):
    """g where a > 0, else k · g      ∂L/∂g = the same of h      ∂L/∂a = 0"""
    return choice.where(self > 0, grad_output, grad_output * negative_slope)


@unary("LeakyReluBackward0", self=leaky_relu_backward)
def leaky_relu(self, negative_slope):
    """c = a where a > 0, else k · a      ∂L/∂a = g, or k · g"""
    require_kind(self, "f", "leaky_relu_cpu")
    return choice.where(self > 0, self, self * negative_slope)


@unary(
    "LeakyReluBackward1",
    self=lambda grad, result, negative_slope: leaky_relu_backward(grad, result, _not_negative(negative_slope)),
)
def leaky_relu_written(self, negative_slope):
    """`leaky_relu` in place      ∂L/∂a = g where c > 0, else k · g"""
    return leaky_relu.forward(self, negative_slope)


def _not_negative(slope):
    if slope < 0:  # then the sign of the result does not say that of the input
        raise RuntimeError(
            "In-place leakyReLu backward calculation is triggered with a negative slope which is not supported. This "
            "is caused by calling in-place forward function with a negative slope, please call out-of-place version "
            "instead. File an issue at https://github.com/pytorch/pytorch if you do require supporting in-place "
            "leakRelu backward calculation with negative slope"
        )
    return slope


@op(
    "EluBackwardBackward0",
    grad_output=lambda grad, self, alpha, scale, input_scale: elu_backward(grad, self, alpha, scale, input_scale),
    self=lambda grad, grad_output, self, alpha, scale, input_scale: (
        grad
        * grad_output
        * choice.where(
            self < 0, alpha * scale * input_scale**2 * np.exp(np.minimum(self, 0.0 * self) * input_scale), 0.0
        )
    ),
)
def elu_backward(grad_output, self, alpha, scale, input_scale):
    """g · s where a > 0, else g · s · α · k · eᵃᵏ      ∂L/∂g = the same of h      ∂L/∂a = h · k · ∂c/∂a where a < 0"""
    below = np.exp(np.minimum(self, self.dtype.type(0)) * input_scale)
    return grad_output * choice.where(self > 0, self.dtype.type(scale), alpha * scale * input_scale * below)


@unary("EluBackward0", self=elu_backward)
def elu(self, alpha, scale, input_scale):
    """c = s · a where a > 0, else s · α · (eᵃᵏ - 1)      ∂L/∂a = g · s, or g · s · α · k · eᵃᵏ

    ELU has s = k = 1, SELU an s and an α that keep mean and variance.
    """
    require_kind(self, "f", "elu_cpu")
    below = alpha * np.expm1(np.minimum(self, self.dtype.type(0)) * input_scale)
    return scale * choice.where(self > 0, self, below) if scale != 1 else choice.where(self > 0, self, below)


@unary(
    "EluBackward1",
    self=lambda grad, alpha, scale, input_scale, result: elu_backward_of_result(
        grad, result, alpha, scale, input_scale
    ),
)
def elu_written(self, alpha, scale, input_scale):
    """`elu` in place      ∂L/∂a = g · s where c > 0, else g · k · (c + s · α)"""
    return elu.forward(self, alpha, scale, input_scale)


@op(
    "EluBackwardBackward0",
    grad_output=lambda grad, output, alpha, scale, input_scale: elu_backward_of_result(
        grad, output, alpha, scale, input_scale
    ),
    output=lambda grad, grad_output, output, input_scale: (
        grad * grad_output * choice.where(output < 0, input_scale, 0.0)
    ),
)
def elu_backward_of_result(grad_output, output, alpha, scale, input_scale):
    """g · s where c > 0, else g · k · (c + s · α)      ∂L/∂g = the same of h      ∂L/∂c = h · g · k where c < 0"""
    below = input_scale * (output + alpha * scale)
    return grad_output * choice.where(output > 0, output.dtype.type(scale), below)


@unary("CeluBackward0", self=lambda grad, self, alpha: elu_backward(grad, self, alpha, 1.0, 1.0 / alpha))
def celu(self, alpha):
    """c = a where a > 0, else α · (exp(a / α) - 1)      ∂L/∂a = g, or g · exp(a / α)"""
    return elu.forward(self, alpha, 1.0, 1.0 / alpha)


@unary(
    "CeluBackward1",
    self=lambda grad, alpha, result: elu_backward_of_result(grad, result, alpha, 1.0, 1.0 / alpha),
)
def celu_written(self, alpha):
    """`celu` in place      ∂L/∂a = g where c > 0, else g · (c + α) / α"""
    return celu.forward(self, alpha)


@unary("MishBackward0", self=lambda grad, self: grad * _mish_slope(self))
def mish(self):
    """c = a · t with t = tanh(ln(1 + eᵃ))      ∂L/∂a = g · (t + a · σ(a) · (1 - t²))"""
    require_kind(self, "f", "mish_cpu")
    return self * np.tanh(np.logaddexp(self, self.dtype.type(0)))


def _mish_slope(self):
    bent = np.tanh(log1p(np.exp(self)))
    return bent + self * sigmoid(self) * (1 - bent * bent)


@no_derivative("aten::hardsigmoid_backward")
def hardsigmoid_backward(grad_output, self):
    """g / 6 where -3 < a < 3, else 0. PyTorch cannot differentiate it once more."""
    return choice.where((self > -3) & (self < 3), grad_output * _SIXTH, grad_output.dtype.type(0))


_SIXTH = float(np.float32(1) / np.float32(6))  # PyTorch has it in float32, whatever the type of g


@unary("HardsigmoidBackward0", self=hardsigmoid_backward)
def hardsigmoid(self):
    """c = (a + 3) / 6, but within 0 and 1      ∂L/∂a = g / 6 strictly between them, else 0"""
    require_kind(self, "f", "hardsigmoid_cpu")
    return np.clip(self + 3, self.dtype.type(0), self.dtype.type(6)) / 6


@op(
    "HardswishBackwardBackward0",
    grad_output=lambda grad, self: hardswish_backward(grad, self),
    self=lambda grad, grad_output, self: choice.where((self > -3) & (self < 3), grad * grad_output / 3, 0.0),
)
def hardswish_backward(grad_output, self):
    """g · (a / 3 + 1/2) where -3 < a < 3; 0 below, g above      ∂L/∂g = the same of h      ∂L/∂a = h · g / 3, or 0"""
    zero, one = self.dtype.type(0), self.dtype.type(1)
    return grad_output * choice.where(self <= -3, zero, choice.where(self < 3, self / 3 + 0.5, one))


@unary("HardswishBackward0", self=hardswish_backward)
def hardswish(self):
    """c = a · (a + 3) / 6 between -3 and 3; 0 below, a above      ∂L/∂a = g · (a / 3 + 1/2); 0 below, g above"""
    require_kind(self, "f", "hardswish_cpu")
    return self * np.clip(self + 3, self.dtype.type(0), self.dtype.type(6)) / 6


@op(
    "ThresholdBackwardBackward0",
    grad_output=lambda grad, self, threshold: threshold_backward(grad, self, threshold),
    self=lambda grad: np.zeros_like(grad),
)
def threshold_backward(grad_output, self, threshold):
    """g where a is above the threshold, else 0      ∂L/∂g = the same of h      ∂L/∂a = 0"""
    return choice.where(self <= threshold, grad_output.dtype.type(0), grad_output)


@unary("ThresholdBackward0", self=threshold_backward)
def threshold(self, threshold, value):
    """c = a where a is above the threshold, else k      ∂L/∂a = g there, else 0"""
    return choice.where(self <= threshold, self.dtype.type(value), self)


_threshold = threshold  # for functions with an argument of that name


@unary("ThresholdBackward1", self=threshold_backward)
def threshold_written(self, threshold, value):
    """`threshold` in place      ∂L/∂a = g where a was above the threshold, else 0"""
    return _threshold.forward(self, threshold, value)


def _shrink_backward(name):
    """The derivative of hardshrink and softshrink, which is the same: only PyTorch's name of it is not."""

    def shrink_backward(grad_output, self, lambd):
        """g where |a| > λ, else 0      ∂L/∂g = the same of h      ∂L/∂a = 0"""
        return choice.where((self >= -lambd) & (self <= lambd), grad_output.dtype.type(0), grad_output)

    operation = op(
        name,
        grad_output=lambda grad, self, lambd: operation(grad, self, lambd),
        self=lambda grad: np.zeros_like(grad),
    )(shrink_backward)
    return operation


@unary("HardshrinkBackward0", self=_shrink_backward("HardshrinkBackwardBackward0"))
def hardshrink(self, lambd):
    """c = a where |a| > λ, else 0      ∂L/∂a = g there, else 0"""
    require_kind(self, "f", "hardshrink_cpu")
    return choice.where((self >= -lambd) & (self <= lambd), self.dtype.type(0), self)


@unary("SoftshrinkBackward0", self=_shrink_backward("SoftshrinkBackwardBackward0"))
def softshrink(self, lambd):
    """c = a brought nearer to 0 by λ, and 0 where |a| ≤ λ      ∂L/∂a = g where |a| > λ, else 0"""
    require_kind(self, "f", "softshrink_cpu")
    return np.sign(self) * np.maximum(np.abs(self) - self.dtype.type(lambd), self.dtype.type(0))


def _prelu_of_grad(grads, self, weight):
    of_self, of_weight = grads
    if of_weight is None:
        return choice.where(self >= 0, of_self, of_self * weight)
    if of_self is None:
        return choice.where(self >= 0, 0.0, of_weight * self)
    return choice.where(self >= 0, of_self, of_self * weight + of_weight * self)


@op(
    "PreluKernelBackwardBackward0",
    outputs=2,
    all_outputs=True,
    grad_output=_prelu_of_grad,
    self=lambda grads, grad_output, self: (
        np.zeros_like(self) if grads[1] is None else choice.where(self >= 0, 0.0, grad_output * grads[1])
    ),
    weight=lambda grads, grad_output, self: (
        np.zeros_like(self) if grads[0] is None else choice.where(self >= 0, 0.0, grad_output * grads[0])
    ),
)
def prelu_backward(grad_output, self, weight):
    """∂L/∂a = g where a > 0, else w · g      ∂L/∂w = 0 where a > 0, else a · g"""
    above, zero = self > 0, self.dtype.type(0)
    return choice.where(above, grad_output, weight * grad_output), choice.where(above, zero, self * grad_output)


@op(
    "PreluKernelBackward0",
    inputs=("self", "weight"),
    together=lambda grad, wanted, self, weight: prelu_backward(grad, self, weight),
)
def prelu(self, weight):
    """c = a where a > 0, else w · a      ∂L/∂a = g, or w · g      ∂L/∂w = 0, or a · g"""
    require_kind(self, "f", "prelu_cpu")
    return choice.where(self > 0, self, weight * self)


@op(
    "GluBackwardBackward0",
    grad_output=lambda grad, self, dim: _glu_of_grad(grad, self, dim),
    self=lambda grad, grad_output, self, dim: _glu_bend(grad, grad_output, self, dim),
)
def glu_backward(grad_output, self, dim):
    """∂L/∂a = g · σ(b) and ∂L/∂b = g · a · σ(b) · σ(-b), one behind the other"""
    kept, gate = _glu_halves(self, dim)
    return np.concatenate([grad_output * gate, grad_output * kept * gate * (1 - gate)], dim)


def _glu_halves(self, dim):
    half = self.shape[dim] // 2
    return np.take(self, range(half), dim), sigmoid(np.take(self, range(half, 2 * half), dim))


def _glu_of_grad(grad, self, dim):
    kept, gate = _glu_halves(self, dim)
    half = self.shape[dim] // 2
    of_kept, of_gate = np.take(grad, range(half), dim), np.take(grad, range(half, 2 * half), dim)
    return of_kept * gate + of_gate * kept * gate * (1 - gate)


def _glu_bend(grad, grad_output, self, dim):
    kept, gate = _glu_halves(self, dim)
    half = self.shape[dim] // 2
    of_kept, of_gate = np.take(grad, range(half), dim), np.take(grad, range(half, 2 * half), dim)
    slope = grad_output * gate * (1 - gate)
    return np.concatenate([of_gate * slope, of_kept * slope + of_gate * kept * slope * (1 - 2 * gate)], dim)


@unary("GluBackward0", self=glu_backward)
def glu(self, dim):
    """c = a · σ(b), a and b the halves along a dimension      ∂L/∂a = g · σ(b)      ∂L/∂b = g · a · σ(b) · σ(-b)"""
    require_kind(self, "f", "glu_cpu")
    kept, gate = np.split(self, 2, dim)
    return kept / (1 + np.exp(-gate))


@op(
    "HardtanhBackwardBackward0",
    grad_output=lambda grad, self, min, max: hardtanh_backward(grad, self, min, max),
    self=lambda grad: np.zeros_like(grad),
)
def hardtanh_backward(grad_output, self, min, max):
    """g strictly between `min` and `max`, else 0      ∂L/∂g = the same of h      ∂L/∂a = 0"""
    return choice.where((self <= min) | (self >= max), grad_output.dtype.type(0), grad_output)


@unary("HardtanhBackward0", self=hardtanh_backward, shown={"min": "min_val", "max": "max_val"})
def hardtanh(self, min, max):
    """c = a, but at least `min` and at most `max`      ∂L/∂a = g strictly between them, else 0"""
    return np.clip(self, self.dtype.type(min), self.dtype.type(max))
