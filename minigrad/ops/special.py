"""Functions that numpy does not have: the error function, the gamma function and what belongs to them."""

from __future__ import annotations

import math
from itertools import repeat

import numpy as np

from ..devices import special_functions
from .pointwise import smooth
from .primitive import unary


def _elementwise(function, theirs):
    """A function of Python numbers on arrays. On a GPU `theirs` is used instead: cupy's function of that name."""

    def compute(array, *numbers):
        library = special_functions(array)
        if library is None:
            each = map(function, array.ravel().tolist(), *map(repeat, numbers))
            return np.fromiter(each, array.dtype, array.size).reshape(array.shape)[()]
        value = getattr(library, theirs)(array) if isinstance(theirs, str) else theirs(library, array, *numbers)
        return value.astype(array.dtype, copy=False)  # of float16 cupy makes float64

    return compute


_TWO_BY_ROOT_PI = 2.0 / math.sqrt(math.pi)


erf = smooth("ErfBackward0", public=True, self=lambda grad, self: _TWO_BY_ROOT_PI * np.exp(-(self**2)) * grad)(
    _elementwise(math.erf, "erf"), "c = 2/√π · ∫₀ᵃ exp(-t²) dt      ∂L/∂a = g · 2/√π · exp(-a²)"
)
erfc = smooth("ErfcBackward0", public=True, self=lambda grad, self: -_TWO_BY_ROOT_PI * np.exp(-(self**2)) * grad)(
    _elementwise(math.erfc, "erfc"),
    "c = 1 - erf a, exact where erf a is close to 1      ∂L/∂a = -g · 2/√π · exp(-a²)",
)


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


erfinv = smooth(
    "ErfinvBackward0", public=True, self=lambda grad, self: 0.5 * math.sqrt(math.pi) * np.exp(erfinv(self) ** 2) * grad
)(_elementwise(_inverse_erf, "erfinv"), "c = the number whose erf is a      ∂L/∂a = g · √π/2 · exp(c²)")


# ---------------------------------------------------------------------------------------------------------------------
# The gamma function: Γ(n) = (n - 1)!


def _log_gamma(value):
    if value != value or math.isinf(value):
        return abs(value)
    try:
        return math.inf if value <= 0 and value == math.floor(value) else math.lgamma(value)
    except OverflowError:
        return math.inf


def _psi(value):
    if value == 0:
        return math.copysign(math.inf, -value)
    if value < 0:
        if math.isinf(value) or value == math.floor(value):
            return math.nan
        return _psi(1 - value) - math.pi / math.tan(math.pi * math.fmod(value, 1))
    shift = 0.0
    while value < 10:  # ψ(x) = ψ(x + 1) - 1/x
        shift -= 1 / value
        value += 1
    inverse = 1 / (value * value)
    series = inverse * (1 / 12 - inverse * (1 / 120 - inverse * (1 / 252 - inverse * (1 / 240 - inverse / 132))))
    return shift + math.log(value) - 0.5 / value - series


# The Bernoulli numbers B₂, B₄, … of the Euler–Maclaurin formula.
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def _psi_derivative(value, n):
    """(-1)ⁿ⁺¹ n! Σ 1 / (value + k)ⁿ⁺¹ over k = 0, 1, …: some terms one by one, the rest by Euler–Maclaurin."""
    sign = (-1) ** (n + 1)
    if value == -math.inf or (value <= 0 and value == math.floor(value)):  # poles
        return math.nan if n == 1 and value == -math.inf else sign * math.inf
    power, total = n + 1, 0.0
    while value < 12:
        total += math.prod([1 / value] * power)  # a product overflows to inf, a power fails
        value += 1
    total += value ** (1 - power) / (power - 1) + 0.5 * value**-power
    factor = power * value ** (-power - 1)
    for i, bernoulli in enumerate(_BERNOULLI, start=1):
        total += bernoulli / math.factorial(2 * i) * factor
        factor *= (power + 2 * i - 1) * (power + 2 * i) / (value * value)
    return sign * math.factorial(n) * total


def _by_zeta(library, array, n):
    """ψ⁽ⁿ⁾ on a GPU: that sum without signs and factorial is the Hurwitz zeta function."""
    return (-1) ** (n + 1) * math.factorial(n) * library.zeta(float(n + 1), array)


_digamma, _polygamma = _elementwise(_psi, "digamma"), _elementwise(_psi_derivative, _by_zeta)

lgamma = smooth("LgammaBackward0", public=True, self=lambda grad, self: grad * digamma(self))(
    _elementwise(_log_gamma, "gammaln"), "c = ln |Γ(a)|      ∂L/∂a = g · ψ(a), with ψ the digamma function"
)
digamma = smooth("DigammaBackward0", public=True, self=lambda grad, self: grad * polygamma(self, 1))(
    _digamma, "c = ψ(a) = d/da ln Γ(a)      ∂L/∂a = g · ψ′(a)"
)
polygamma = unary("PolygammaBackward0", self=lambda grad, self, n: grad * polygamma(self, n + 1))(
    lambda self, n: _polygamma(self, n) if n else _digamma(self),
    "c = ψ⁽ⁿ⁾(a), the n-th derivative of ψ      ∂L/∂a = g · ψ⁽ⁿ⁺¹⁾(a)",
)
