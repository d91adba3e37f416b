"""What PyTorch's derivatives of derivatives depend on, though their formulas, recorded, do not."""

from __future__ import annotations

import numpy as np

from ..autograd.node import requires_grad
from ..autograd.variable import TensorBase
from .primitive import op


@op("StraightBackward0", slope=lambda grad: grad, of=lambda grad: np.zeros_like(grad))
def straight(slope, of):
    """A slope that stays as it is while a changes a little      ∂L/∂a = 0, which is what PyTorch gives, and not None"""
    return slope


def tied(grads, input, weight):
    """The gradients of a layer: in PyTorch each of them needs a gradient wherever the input or the weight does."""
    loose = [isinstance(grad, TensorBase) and not requires_grad(grad) for grad in grads]
    return [_tied(grad, input, weight) if alone else grad for grad, alone in zip(grads, loose, strict=True)]


@op("TiedBackward0", grad=lambda grad: grad, input=lambda grad: None, weight=lambda grad: None)
def _tied(grad, input, weight):
    """∂L/∂a, ∂L/∂w or ∂L/∂b as it is"""
    return grad
