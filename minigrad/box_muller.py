"""Uniform numbers made normal, sixteen at a time, to the last bit as PyTorch does it.

Box and Muller (1958): if u and v are uniform in (0, 1], then √(-2 ln u) · cos 2πv and √(-2 ln u) · sin 2πv are two
independent normal numbers.

For float32 PyTorch computes the logarithm, the cosine and the sine by the single-precision polynomials of S. Moshier's
Cephes library, with fused multiply-adds (its AVX2 code). They differ from numpy's in the last digit, so they are
repeated here.
"""

from __future__ import annotations

import numpy as np

_f = np.float32

_LOG = (1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1,
        3.3333331174e-1)  # fmt: skip


def box_muller(uniforms: np.ndarray) -> np.ndarray:
    """Normal numbers from uniform ones in [0, 1), of shape (blocks, 16): eight cosines, then eight sines a row."""
    kind = uniforms.dtype.type
    u = kind(1) - uniforms[:, :8]
    angle = kind(2 * np.pi) * uniforms[:, 8:]
    if kind is np.float32:
        logarithm, cosine, sine = _log(u), _sine(angle, 2), _sine(angle, 0)
    else:
        logarithm, cosine, sine = np.log(u), np.cos(angle), np.sin(angle)
    radius = np.sqrt(kind(-2) * logarithm)
    return np.concatenate([radius * cosine, radius * sine], axis=1)


def _fma(x: np.ndarray, y: np.ndarray | np.float32, z: np.ndarray | np.float32) -> np.ndarray:
    """x · y + z, rounded once. A product of two float32 is exact in float64."""
    return (np.float64(x) * np.float64(y) + np.float64(z)).astype(_f)


def _polynomial(x: np.ndarray, first: float, *coefficients: float) -> np.ndarray:
    """first · xⁿ + …, by Horner's rule."""
    result = np.full_like(x, first)
    for coefficient in coefficients:
        result = _fma(result, x, _f(coefficient))
    return result


def _log(x: np.ndarray) -> np.ndarray:
    """ln x: x = m · 2ᵉ with m in [√½, √2), and a polynomial for ln m."""
    mantissa, exponent = np.frexp(x)  # mantissa in [½, 1)
    small = mantissa < _f(0.707106781186547524)
    e = exponent.astype(_f) - small.astype(_f)
    m = mantissa - _f(1) + np.where(small, mantissa, _f(0))
    square = m * m
    y = _polynomial(m, 7.0376836292e-2, -1.1514610310e-1, *_LOG) * m
    # ln 2 is added in two parts, of which the larger has few bits, so that e times it is exact.
    y = _fma(y, square, e * _f(-2.12194440e-4))
    y = _fma(square, _f(-0.5), y)
    return _fma(e, _f(0.693359375), m + y)


def _octant(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which even multiple of π/4 is nearest to x ≥ 0, and what is left of x."""
    j = ((x * _f(4 / np.pi)).astype(np.int32) + 1) & ~1
    times = j.astype(_f)
    for part in (-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8):  # -π/4 in three parts
        x = _fma(times, _f(part), x)
    return j, x


def _sine(x: np.ndarray, shift: int) -> np.ndarray:
    """sin(x + shift · π/4), so with a shift of 2 the cosine."""
    j, rest = _octant(x)
    j, square = j + shift, rest * rest
    sine = _polynomial(square, -1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1) * square
    sine = _fma(sine, rest, rest)
    cosine = _polynomial(square, 2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2) * square
    cosine = _fma(cosine, square, -(square * _f(0.5))) + _f(1)
    value = np.where(j & 2, cosine, sine)
    return np.where(j & 4, -value, value)
