"""Functions that numpy does not have: the error function, the gamma function and what belongs to them."""

from __future__ import annotations

import math

import numpy as np

from .primitive import unary


@unary("ErfBackward0", self=lambda grad, self: 2.0 / math.sqrt(math.pi) * np.exp(-(self * self)) * grad, to_float=True)
def erf(self):
    """c = 2/√π · ∫₀ᵃ exp(-t²) dt      ∂L/∂a = g · 2/√π · exp(-a²)"""
    return np.asarray(_erf(self), dtype=self.dtype)[()]


@unary(
    "ErfcBackward0", self=lambda grad, self: -2.0 / math.sqrt(math.pi) * np.exp(-(self * self)) * grad, to_float=True
)
def erfc(self):
    """c = 1 - erf a, exact where erf a is close to 1      ∂L/∂a = -g · 2/√π · exp(-a²)"""
    return np.asarray(_erfc(self), dtype=self.dtype)[()]


# numpy has no erf; Python's is exact to the last digit.
_erf, _erfc = np.frompyfunc(math.erf, 1, 1), np.frompyfunc(math.erfc, 1, 1)
