"""Losses: one number that says how far a prediction is from its target.

`reduction` is "mean", "sum" or "none"; n below is how many numbers a mean is taken over, and 1 for the others.
"""

from __future__ import annotations

import math

import numpy as np

from .activation import logsigmoid, sigmoid
from .errors import require_kind
from .indexing import put_along
from .primitive import op


def reduced(losses, reduction):
    """The losses of all elements, or their sum or mean."""
    return losses.mean() if reduction == "mean" else losses.sum() if reduction == "sum" else losses


def _each(grad, self, reduction):
    """The gradient of each element's loss, from that of the reduced one."""
    return grad / math.prod(self.shape) if reduction == "mean" else grad


@op(
    "MseLossBackward0",
    self=lambda grad, self, target, reduction: _each(grad, self, reduction) * 2 * (self - target),
    target=lambda grad, self, target, reduction: _each(grad, self, reduction) * -2 * (self - target),
)
def mse_loss(self, target, reduction):
    """c = (a - t)²      ∂L/∂a = g / n · 2 (a - t)      ∂L/∂t = -∂L/∂a"""
    require_kind(self, "f", "mse_cpu")
    return reduced((self - target) ** 2, reduction)


@op(
    "SmoothL1LossBackward0",
    self=lambda grad, self, target, reduction, beta: _each(grad, self, reduction) * _bent(self - target, beta) / beta,
    target=lambda grad, self, target, reduction, beta: (
        -_each(grad, self, reduction) * _bent(self - target, beta) / beta
    ),
)
def smooth_l1_loss(self, target, reduction, beta):
    """c = d² / 2β where |d| < β, else |d| - β/2, with d = a - t      ∂L/∂a = g / n · (d / β, but within ±1)"""
    require_kind(self, "f", "smooth_l1_cpu")
    distance = np.abs(self - target)
    return reduced(np.where(distance < beta, 0.5 * distance**2 / beta, distance - 0.5 * beta), reduction)


@op(
    "HuberLossBackward0",
    self=lambda grad, self, target, reduction, delta: _each(grad, self, reduction) * _bent(self - target, delta),
    target=lambda grad, self, target, reduction, delta: -_each(grad, self, reduction) * _bent(self - target, delta),
)
def huber_loss(self, target, reduction, delta):
    """c = d² / 2 where |d| ≤ δ, else δ · (|d| - δ/2), with d = a - t      ∂L/∂a = g / n · (d, but within ±δ)"""
    require_kind(self, "f", "huber_cpu")
    distance = np.abs(self - target)
    return reduced(np.where(distance <= delta, 0.5 * distance**2, delta * (distance - 0.5 * delta)), reduction)


def _bent(difference, limit):
    """The difference, but within ±limit: the slope of a parabola that goes on as a straight line."""
    return np.where(np.abs(difference) < limit, difference, limit * np.sign(difference))


@op(
    "SoftMarginLossBackward0",
    self=lambda grad, self, target, reduction: -_each(grad, self, reduction) * target * sigmoid(-target * self),
)
def soft_margin_loss(self, target, reduction):
    """c = ln(1 + exp(-t a)), t = ±1      ∂L/∂a = -g / n · t · σ(-t a)"""
    return reduced(-logsigmoid.forward(target * self), reduction)


# ---------------------------------------------------------------------------------------------------------------------
# Classes


@op(
    "NllLossBackward0",
    self=lambda grad, self, target, weight, reduction, ignore_index: nll_loss_backward(
        grad, self, target, weight, reduction, ignore_index
    ),
)
def nll_loss(self, target, weight, reduction, ignore_index):
    """c = -w · a[t], a the log-probabilities and t the right class      ∂L/∂a = -g · w / Σw at the right class, else 0

    A mean divides by the sum of the weights w, which are 1 by default and 0 where t is `ignore_index`.
    """
    require_kind(self, "f", "nll_loss_out_frame")
    dim = 1 if self.ndim > 1 else 0
    index, weights = _chosen(target, weight, ignore_index, self.dtype)
    losses = -np.take_along_axis(self, np.expand_dims(index, dim), dim).squeeze(dim) * weights
    if reduction == "mean":
        return np.true_divide(losses.sum(), weights.sum(), dtype=self.dtype)
    return reduced(losses, reduction)


@op(
    "NllLoss2DBackward0",
    self=lambda grad, self, target, weight, reduction, ignore_index: nll_loss_backward(
        grad, self, target, weight, reduction, ignore_index
    ),
)
def nll_loss2d(self, target, weight, reduction, ignore_index):
    """c = -w · a[t] for each pixel      ∂L/∂a = -g · w / Σw at the right class, else 0"""
    return nll_loss.forward(self, target, weight, reduction, ignore_index)


def _chosen(target, weight, ignore_index, dtype):
    """For each target the class to look at, and its weight."""
    ignored = target == ignore_index
    index = np.where(ignored, 0, target)
    weights = np.ones_like(target, dtype=dtype) if weight is None else weight[index]
    return index, np.where(ignored, dtype.type(0), weights)


@op(
    "NllLossBackwardBackward0",
    grad=lambda grad, target, weight, reduction, ignore_index: nll_loss(grad, target, weight, reduction, ignore_index),
    self=lambda grad: grad * 0.0,
)
def nll_loss_backward(grad, self, target, weight, reduction, ignore_index):
    """-g · w / Σw at the right class, else 0      linear in a: its own derivative with respect to g is the loss"""
    dim = 1 if self.ndim > 1 else 0
    index, weights = _chosen(target, weight, ignore_index, self.dtype)
    share = -weights / weights.sum() if reduction == "mean" else -weights
    return put_along(np.expand_dims(grad * share, dim), self.shape, dim, np.expand_dims(index, dim))


# ---------------------------------------------------------------------------------------------------------------------
# Yes or no


@op(
    "BinaryCrossEntropyBackward0",
    self=lambda grad, self, target, weight, reduction: (
        _weighted(_each(grad, self, reduction), weight) * (self - target) / np.maximum((1 - self) * self, 1e-12)
    ),
    target=lambda grad, self, weight, reduction: (
        _weighted(_each(grad, self, reduction), weight) * (np.log(1 - self) - np.log(self))
    ),
)
def binary_cross_entropy(self, target, weight, reduction):
    """c = -w (t ln a + (1 - t) ln(1 - a)), a logarithm at least -100      ∂L/∂a = g / n · w (a - t) / (a (1 - a))"""
    losses = (target - 1) * np.maximum(np.log1p(-self), -100) - target * np.maximum(np.log(self), -100)
    return reduced(_weighted(losses, weight), reduction).astype(self.dtype)


@op(
    "BinaryCrossEntropyWithLogitsBackward0",
    self=lambda grad, self, target, weight, pos_weight, reduction: (
        _weighted(_each(grad, self, reduction), weight) * _logits_slope(self, target, pos_weight)
    ),
    target=lambda grad, self, weight, pos_weight, reduction: (
        _weighted(_each(grad, self, reduction), weight)
        * (-self if pos_weight is None else logsigmoid(-self) - pos_weight * logsigmoid(self))
    ),
)
def binary_cross_entropy_with_logits(self, target, weight, pos_weight, reduction):
    """c = -w (t ln σ(a) + (1 - t) ln(1 - σ(a))), σ the sigmoid, without overflow      ∂L/∂a = g / n · w (σ(a) - t)

    With `pos_weight` p, t ln σ(a) counts p times.
    """
    log_probability = logsigmoid.forward(self)
    if pos_weight is not None:
        log_probability = log_probability * ((pos_weight - 1) * target + 1)
    return reduced(_weighted((1 - target) * self - log_probability, weight), reduction)


def _logits_slope(self, target, pos_weight):
    if pos_weight is None:
        return sigmoid(self) - target
    positive = pos_weight * target
    return (positive + 1 - target) * sigmoid(self) - positive


def _weighted(losses, weight):
    return losses if weight is None else losses * weight
