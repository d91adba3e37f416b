"""Losses: one number that says how far a prediction is from its target.

`reduction` is "mean", "sum" or "none"; n below is how many numbers a mean is taken over, and 1 for the others.
"""

from __future__ import annotations

import math

import numpy as np

from ..memory import arange
from . import choice
from .activation import logsigmoid, sigmoid
from .errors import require_kind
from .formulas import raw_of
from .primitive import op
from .second import straight


def reduced(losses, reduction):
    """The losses of all elements, or their sum or mean."""
    return losses.mean() if reduction == "mean" else losses.sum() if reduction == "sum" else losses


def _each(grad, self, reduction):
    """The gradient of each element's loss, from that of the reduced one."""
    return grad / math.prod(self.shape) if reduction == "mean" else grad


def _mse_grad(grad, self, target, reduction):
    return _each(grad, self, reduction) * 2 * (self - target)


@op(
    "MseLossBackward0",
    self=_mse_grad,
    target=lambda grad, self, target, reduction: _mse_grad(grad, target, self, reduction),
)
def mse_loss(self, target, reduction):
    """c = (a - t)²      ∂L/∂a = g / n · 2 (a - t)      ∂L/∂t = -∂L/∂a"""
    require_kind(self, "f", "mse_cpu")
    return reduced((self - target) ** 2, reduction)


# ---------------------------------------------------------------------------------------------------------------------
# Classes


def _nll_grad(grad, self, target, weight, reduction, ignore_index):
    target, weight = raw_of(target), raw_of(weight)
    index, weights = _chosen(target, weight, ignore_index, raw_of(self).dtype)
    if weights is None:
        share = -1 / index.size if reduction == "mean" else -1
    else:
        share = -weights / weights.sum() if reduction == "mean" else -weights
        share = choice.where(target == ignore_index, 0.0, share)  # also if all are ignored
    classes = arange(self.shape[-1], index)
    slope = grad * share
    if slope.shape:
        slope = np.expand_dims(slope, -1)
    return straight(choice.where(np.expand_dims(index, -1) == classes, slope, 0.0), self)


@op("NllLossBackward0", self=_nll_grad)
def nll_loss(self, target, weight, reduction, ignore_index):
    """c = -w · a[t], a the log-probabilities and t the right class      ∂L/∂a = -g · w / Σw at the right class, else 0

    A mean divides by the sum of the weights w, which are 1 by default and 0 where t is `ignore_index`.
    """
    require_kind(self, "f", "nll_loss_out_frame")
    index, weights = _chosen(target, weight, ignore_index, self.dtype)
    losses = -self[index if self.ndim == 1 else (arange(len(index), index), index)]  # of the right classes
    if weights is not None:
        losses = np.where(target == ignore_index, weights, losses * weights)  # 0 of an ignored one, nan or not
    if reduction == "mean":
        total = index.size if weights is None else weights.sum()
        return np.true_divide(losses.sum(), total, dtype=self.dtype)
    return reduced(losses, reduction)


def _chosen(target, weight, ignore_index, dtype):
    """For each target the class to look at, and its weight; None for the weights if all are 1."""
    counts = target != ignore_index
    if weight is None and isinstance(counts, np.ndarray | np.generic) and counts.size and counts.all():
        return target, None
    index = target * counts
    return index, counts.astype(dtype) if weight is None else weight[index] * counts


# ---------------------------------------------------------------------------------------------------------------------
# Yes or no


# Recorded, it would be steep at 0 and 1, by the floor under a (1 - a), also where PyTorch has 0: for a right answer.
@op(
    "BinaryCrossEntropyBackwardBackward0",
    grad_output=lambda grad, self, target, weight, reduction: binary_cross_entropy_backward(
        grad, self, target, weight, reduction
    ),
    self=lambda grad, grad_output, self, target, weight, reduction: (
        _each(_weighted(grad * grad_output, weight), self, reduction)
        * (self * self - 2 * self * target + target)
        / _spread(self) ** 2
    ),
    target=lambda grad, grad_output, self, weight, reduction: (
        -_each(_weighted(grad * grad_output, weight), self, reduction) / _spread(self)
    ),
)
def binary_cross_entropy_backward(grad_output, self, target, weight, reduction):
    """g / n · w (a - t) / (a (1 - a))      ∂L/∂g = the same of h      ∂L/∂t = -h · g / n · w / (a (1 - a))

    ∂L/∂a = h · g / n · w (a² - 2 a t + t) / (a (1 - a))²
    """
    slope = (self - target) / np.maximum((1 - self) * self, self.dtype.type(1e-12))
    return _weighted(_each(grad_output, self, reduction), weight) * slope


def _spread(self):
    return (self + 1e-12) * (1 - self + 1e-12)


@op(
    "BinaryCrossEntropyBackward0",
    self=lambda grad, self, target, weight, reduction: binary_cross_entropy_backward(
        grad, self, target, weight, reduction
    ),
    target=lambda grad, self, weight, reduction: (
        _weighted(_each(grad, self, reduction), weight) * (np.log(1 - self) - np.log(self))
    ),
)
def binary_cross_entropy(self, target, weight, reduction):
    """c = -w (t ln a + (1 - t) ln(1 - a)), a logarithm at least -100

    ∂L/∂a = g / n · w (a - t) / max(a (1 - a), 10⁻¹²)
    """
    losses = (target - 1) * np.maximum(np.log1p(-self), -100) - target * np.maximum(np.log(self), -100)
    return reduced(_as_many(_weighted(losses, weight), self), reduction).astype(self.dtype)


@op(
    "BinaryCrossEntropyWithLogitsBackward0",
    self=lambda grad, self, target, weight, pos_weight, reduction: _each(
        _weighted(_logits_slope(self, target, pos_weight) * grad, weight), self, reduction
    ),
    target=lambda grad, self, weight, pos_weight, reduction: _each(
        _weighted(_target_slope(self, pos_weight) * grad, weight), self, reduction
    ),
)
def binary_cross_entropy_with_logits(self, target, weight, pos_weight, reduction):
    """c = -w (t ln σ(a) + (1 - t) ln(1 - σ(a))), σ the sigmoid, without overflow      ∂L/∂a = g / n · w (σ(a) - t)

    With `pos_weight` p, t ln σ(a) counts p times.
    """
    require_kind(self, "f", "log_sigmoid_cpu")
    log_probability = logsigmoid.forward(self)
    if pos_weight is not None:
        log_probability = log_probability * ((pos_weight - 1) * target + 1)
    losses = _as_many(_weighted((1 - target) * self - log_probability, weight), self)
    return reduced(losses.astype(target.dtype, copy=False), reduction)  # PyTorch writes them into 1 - target


def _logits_slope(self, target, pos_weight):
    if pos_weight is None:
        return sigmoid(self) - target
    positive = pos_weight * target
    return (positive + 1 - target) * sigmoid(self) - positive


def _target_slope(self, pos_weight):
    return -self if pos_weight is None else logsigmoid(-self) - pos_weight * logsigmoid(self)


def _weighted(losses, weight):
    return losses if weight is None else losses * weight


def _as_many(losses, self):
    """The losses. Raises PyTorch's error where weights have made more of them than there are answers."""
    if losses.shape != self.shape:
        sizes = list(self.shape), list(losses.shape)
        raise RuntimeError("output with shape {} doesn't match the broadcast shape {}".format(*sizes))
    return losses
