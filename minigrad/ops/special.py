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


@unary(
    "ErfinvBackward0",
    self=lambda grad, result: grad * (math.sqrt(math.pi) / 2) * np.exp(result * result),
    to_float=True,
)
def erfinv(self):
    """c = the number whose erf is a      ∂L/∂a = g · √π/2 · exp(c²)"""
    return np.asarray(_erfinv(self), dtype=self.dtype)[()]


def _inverse_erf(value):
    """A good guess, then Newton's method until the last digit: each step doubles how many are right."""
    if not -1 < value < 1:
        return math.copysign(math.inf, value) if value in (-1, 1) else math.nan
    logarithm = math.log1p(-value * value)
    part = 2 / (math.pi * 0.147) + logarithm / 2
    root = math.copysign(math.sqrt(math.sqrt(part * part - logarithm / 0.147) - part), value)
    for _ in range(3):
        # Near ±1 the difference of two erf would have no digits left; that of two erfc has.
        error = (1 - abs(value)) - math.erfc(abs(root)) if abs(value) > 0.5 else math.erf(abs(root)) - abs(value)
        root -= math.copysign(error, error * root) * math.sqrt(math.pi) / 2 * math.exp(root * root)
    return root


_erfinv = np.frompyfunc(_inverse_erf, 1, 1)


# ---------------------------------------------------------------------------------------------------------------------
# The gamma function: Γ(n) = (n - 1)!


@unary("LgammaBackward0", self=lambda grad, self: grad * digamma(self), to_float=True)
def lgamma(self):
    """c = ln |Γ(a)|      ∂L/∂a = g · ψ(a), with ψ the digamma function"""
    return np.asarray(_lgamma(self), dtype=self.dtype)[()]


def _log_gamma(value):
    if value != value or math.isinf(value):
        return abs(value)
    return math.inf if value <= 0 and value == math.floor(value) else math.lgamma(value)


_lgamma = np.frompyfunc(_log_gamma, 1, 1)


@unary("DigammaBackward0", self=lambda grad, self: grad * polygamma(self, 1), to_float=True)
def digamma(self):
    """c = ψ(a) = d/da ln Γ(a)      ∂L/∂a = g · ψ′(a)"""
    return np.asarray(_digamma(self), dtype=self.dtype)[()]


def _psi(value):
    if value == 0:
        return math.copysign(math.inf, -value)
    if value < 0:
        if value == math.floor(value):
            return math.nan
        return _psi(1 - value) - math.pi / math.tan(math.pi * (value % 1))
    shift = 0.0
    while value < 10:  # ψ(x) = ψ(x + 1) - 1/x
        shift -= 1 / value
        value += 1
    inverse = 1 / (value * value)
    series = inverse * (1 / 12 - inverse * (1 / 120 - inverse * (1 / 252 - inverse * (1 / 240 - inverse / 132))))
    return shift + math.log(value) - 0.5 / value - series


_digamma = np.frompyfunc(_psi, 1, 1)


@unary("PolygammaBackward0", self=lambda grad, self, n: grad * polygamma(self, n + 1))
def polygamma(self, n):
    """c = ψ⁽ⁿ⁾(a), the n-th derivative of ψ, for n ≥ 1      ∂L/∂a = g · ψ⁽ⁿ⁺¹⁾(a)"""
    return np.asarray(_polygamma(self, n), dtype=self.dtype)[()]


# The Bernoulli numbers B₂, B₄, … of the Euler–Maclaurin formula.
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def _psi_derivative(value, n):
    """(-1)ⁿ⁺¹ n! Σ 1 / (value + k)ⁿ⁺¹ over k = 0, 1, …: some terms one by one, the rest by Euler–Maclaurin."""
    if value <= 0 and value == math.floor(value):
        return math.inf
    power, total = n + 1, 0.0
    while value < 12:
        total += value**-power
        value += 1
    total += value ** (1 - power) / (power - 1) + 0.5 * value**-power
    factor = power * value ** (-power - 1)
    for i, bernoulli in enumerate(_BERNOULLI, start=1):
        total += bernoulli / math.factorial(2 * i) * factor
        factor *= (power + 2 * i - 1) * (power + 2 * i) / (value * value)
    return (-1) ** (n + 1) * math.factorial(n) * total


_polygamma = np.frompyfunc(_psi_derivative, 2, 1)
