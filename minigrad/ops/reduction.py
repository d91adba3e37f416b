"""Operations that make many numbers one: sum, mean, extrema, norms, softmax.

`dim` is None for all dimensions, or a tuple of dimensions counted from the front (`normalize_dims`). The gradient of a
reduced result is spread back over what was reduced.
"""

from __future__ import annotations

import math

import numpy as np

from ..autograd.variable import TensorBase
from ..memory import expanded, grad_dtype, in_order
from . import choice
from .formulas import raw_of
from .pointwise import masked_fill, sgn, to_copy
from .primitive import unary


def spread(grad, self_sym_sizes, dim, keepdim):
    """The gradient of a sum: each element is repeated over what it summed up."""
    return expanded(restored(grad, self_sym_sizes, dim, keepdim), self_sym_sizes)


def restored(value, shape, dim, keepdim):
    """A reduced `value` with the dimensions `dim` of `shape`, of size 1 now; the result of all dimensions as it is."""
    if keepdim or dim is None or not shape:
        return value
    return value[tuple([None if i in dim else slice(None) for i in range(len(shape))])]


def everywhere(grad, self_sym_sizes):
    """A single number shown at each place of a shape, without copies."""
    if isinstance(grad, np.generic | np.ndarray):  # np.broadcast_to, which takes six times as long
        return np.ndarray(self_sym_sizes, grad.dtype, np.asarray(grad), strides=(0,) * len(self_sym_sizes))
    return np.broadcast_to(grad, self_sym_sizes)


def count(shape, dim):
    """How many elements each result of a reduction over `dim` comes from."""
    sizes = shape if dim is None else [shape[d] for d in dim]
    return math.prod(sizes)


# ---------------------------------------------------------------------------------------------------------------------
# Wider types. What is between the elements and the result may be too large or too small for their type, or lose digits;
# so PyTorch computes it in a wider one, and rounds once, at the end


def wide(array):
    """`array`, raw or a tensor, as float32 if it is float16: for sums of many small numbers, squares, and powers."""
    dtype = array._value.dtype if isinstance(array, TensorBase) else array.dtype
    return to_copy(array, wider(dtype)) if dtype.char == "e" else array


def wider(dtype):
    """The type for numbers that build on each other: float32 for float16, and float64 for float32."""
    return _WIDER.get(dtype.char, dtype)


_WIDER = {"e": np.dtype(np.float32), "f": np.dtype(np.float64)}


# ---------------------------------------------------------------------------------------------------------------------
# Sums


sum_all = unary("SumBackward0", self=everywhere)(lambda self, dtype: self.sum(dtype=dtype), "c = Σ aᵢ      ∂L/∂aᵢ = g")
sum_dim = unary("SumBackward1", self=spread)(
    lambda self, dim, keepdim, dtype: in_order(self.sum(axis=dim, keepdims=keepdim, dtype=dtype)),
    "c = Σ aᵢ over some dimensions      ∂L/∂aᵢ = g of the sum it is in",
)


@unary("MeanBackward0", self=lambda grad, self_sym_sizes: everywhere(grad, self_sym_sizes) / math.prod(self_sym_sizes))
def mean_all(self, dtype):
    """c = Σ aᵢ / n      ∂L/∂aᵢ = g / n"""
    if dtype.char == "e":
        return mean_all.forward(self, wider(dtype)).astype(dtype)
    return self.sum(dtype=dtype) / count(self.shape, None)


def _mean_grad(grad, self_sym_sizes, dim, keepdim):
    return spread(grad, self_sym_sizes, dim, keepdim) / count(self_sym_sizes, dim)


@unary("MeanBackward1", self=_mean_grad)
def mean_dim(self, dim, keepdim, dtype):
    """c = Σ aᵢ / n over some dimensions      ∂L/∂aᵢ = g / n"""
    if dtype.char == "e":
        return mean_dim.forward(self, dim, keepdim, wider(dtype)).astype(dtype)
    return in_order(self.sum(axis=dim, keepdims=keepdim, dtype=dtype)) / count(self.shape, dim)


def _prod_grad(grad, self, result):
    if not self.shape:
        return grad
    self = _as(grad, self)
    if not _any_zero(self):
        return grad * (result / self)
    return (grad * _products_of_others(self.reshape(-1), 0)).reshape(self.shape)


def _prod_dim_grad(grad, self, dim, keepdim, result):
    if not self.shape:
        return grad
    self = _as(grad, self)
    grad, result = (restored(value, self.shape, (dim,), keepdim) for value in (grad, result))
    if not _any_zero(self):
        return grad * (result / self)
    return grad if self.shape[dim] == 1 else grad * _products_of_others(self, dim)


def _as(grad, self):
    """`self` in the type of `grad`, which is that of the result."""
    return self if grad_dtype(self) == grad_dtype(grad) else to_copy(self, grad_dtype(grad))


def _any_zero(self):
    return bool((raw_of(self) == 0).any())


def _products_of_others(self, dim):
    """The product of what stands before each element times that of what stands behind: right also where some are 0."""
    n = self.shape[dim]
    before = (slice(None),) * dim
    ones = np.ones_like(self, shape=(*self.shape[:dim], 1, *self.shape[dim + 1 :]))
    earlier = np.cumprod(np.concatenate([ones, self[(*before, slice(0, n - 1))]], dim), dim)
    later = np.cumprod(np.concatenate([ones, np.flip(self[(*before, slice(1, n))], dim)], dim), dim)
    return earlier * np.flip(later, dim)


prod_all = unary("ProdBackward0", self=_prod_grad)(
    lambda self, dtype: self.prod(dtype=dtype),
    "c = Π aᵢ      ∂L/∂aᵢ = g · the product of all others, which is c / aᵢ where that is defined",
)
prod_dim = unary("ProdBackward1", self=_prod_dim_grad)(
    lambda self, dim, keepdim, dtype: in_order(self.prod(dim if self.ndim else None, dtype, keepdims=keepdim)),
    "c = Π aᵢ along one dimension      ∂L/∂aᵢ = g · the product of all others",
)


def _cumulated(function, self, dim, dtype):
    if not self.ndim:
        return self.astype(dtype)
    result = self.astype(wider(dtype))
    return in_order(function(result, dim, out=result).astype(dtype, copy=False))


def _cumprod_grad(grad, self, dim, result):
    if math.prod(self.shape) <= 1 or self.shape[dim] == 1:
        return grad
    if not _any_zero(self):
        return _summed_from_the_end(result * grad, dim) / self
    # Without dividing, so that zeros do no harm: the product of the others among the first i, for each i.
    n = self.shape[dim]
    total = None
    for i in range(n):
        first = np.take(self, range(i + 1), dim)
        part = np.take(grad, [i], dim) * _products_of_others(first, dim)
        if i + 1 < n:
            part = np.concatenate([part, np.zeros_like(np.take(self, range(i + 1, n), dim))], dim)
        total = part if total is None else total + part
    return total


cumprod = unary("CumprodBackward0", self=_cumprod_grad)(
    lambda self, dim, dtype: _cumulated(np.cumprod, self, dim, dtype),
    "cᵢ = a₁ · … · aᵢ      ∂L/∂aₖ = Σ gᵢ · cᵢ / aₖ over i ≥ k",
)
cumsum = unary(
    "CumsumBackward0",
    self=lambda grad, self_sym_dtype, dim: _summed_from_the_end(
        grad if grad_dtype(grad) == self_sym_dtype else to_copy(grad, self_sym_dtype), dim
    ),
)(lambda self, dim, dtype: _cumulated(np.cumsum, self, dim, dtype), "cᵢ = a₁ + … + aᵢ      ∂L/∂aᵢ = gᵢ + … + gₙ")


def _summed_from_the_end(grad, dim):
    if math.prod(grad.shape) <= 1 or grad.shape[dim] == 1:
        return grad
    return np.flip(cumsum(np.flip(grad, dim), dim, grad_dtype(grad)), dim)


# ---------------------------------------------------------------------------------------------------------------------
# Spread


def _spread(self, dim, correction, keepdim):
    """The variance in a wider type."""
    with np.errstate(divide="ignore", invalid="ignore"):
        centered = self.astype(wider(self.dtype))
        centered -= centered.mean(axis=dim, keepdims=True)
        centered *= centered
        total = in_order(centered.sum(axis=dim, keepdims=keepdim))
        return total / total.dtype.type(max(count(self.shape, dim) - correction, 0))


def _var_grad(grad, self, dim, correction, keepdim):
    degrees = count(self.shape, dim) - correction
    if dim is None and degrees <= 0:
        return grad * np.where(self == self.mean(), math.nan, math.inf)
    mean = self.mean() if dim is None else self.mean(axis=dim, keepdims=True)
    grad = restored(grad, self.shape, dim, keepdim) if len(self.shape) > 1 else grad
    return (2.0 / degrees if degrees else math.inf) * grad * (self - mean)


def _std_grad(grad, self, dim, correction, keepdim, result):
    return _var_grad(masked_fill(grad / (result * 2), result == 0, 0), self, dim, correction, keepdim)


var = unary("VarBackward0", self=_var_grad)(
    lambda self, dim, correction, keepdim: _spread(self, dim, correction, keepdim).astype(self.dtype, copy=False),
    "c = Σ (aᵢ - mean)² / (n - correction)      ∂L/∂aᵢ = g · 2 (aᵢ - mean) / (n - correction)",
)
std = unary("StdBackward0", self=_std_grad)(
    lambda self, dim, correction, keepdim: np.sqrt(_spread(self, dim, correction, keepdim)).astype(
        self.dtype, copy=False
    ),
    "c = √var      ∂L/∂aᵢ = g · (aᵢ - mean) / (c · (n - correction))",
)


# ---------------------------------------------------------------------------------------------------------------------
# Norms


def norm_grad(grad, self, ord, dim, keepdim, result):
    """The gradient of `vector_norm`, whose result was `result`."""
    if ord == 0:
        return None  # it counts: a staircase
    grad, result = (restored(value, self.shape, dim, keepdim) for value in (grad, result))
    if ord == 2:
        return grad * masked_fill(self / result, result == 0, 0)
    if ord == 1:
        return sgn(self) * grad
    if abs(ord) == math.inf:
        size = np.abs(self)
        hit = (size == result) | (size != size)
        return sgn(self) * (grad / hit.sum(axis=dim, keepdims=True) * hit)
    if ord < 1:
        return sgn(self) * masked_fill(np.abs(self) ** (ord - 1), self == 0, 0) * grad * result ** (1 - ord)
    scale = masked_fill(grad / result ** (ord - 1), result == 0, 0)
    if ord < 2:
        return sgn(self) * np.abs(self) ** (ord - 1) * scale
    return self * np.abs(self) ** (ord - 2) * scale


@unary("LinalgVectorNormBackward0", self=norm_grad)
def vector_norm(self, ord, dim, keepdim, dtype):
    """c = (Σ |aᵢ|ᵖ)^(1/p)      ∂L/∂aᵢ = g · sign(aᵢ) · (|aᵢ| / c)ᵖ⁻¹; 0 where c = 0"""
    if dtype.char == "e":
        return vector_norm.forward(self, ord, dim, keepdim, wider(dtype)).astype(dtype)
    size = np.abs(self.astype(dtype, copy=False))
    over = {"axis": dim, "keepdims": keepdim}
    if ord == 1 or (ord and count(self.shape, dim) == 1):  # a single element to the power of p might be inf or 0
        return size.sum(**over)
    if ord == 2:
        return np.sqrt((size * size).sum(**over))
    if abs(ord) == math.inf:
        return size.max(**over) if ord > 0 else size.min(**over)
    if ord == 0:
        return (size != 0).sum(**over).astype(dtype)
    return (size**ord).sum(**over) ** (1.0 / ord)


norm = unary(
    "NormBackward1",
    self=lambda grad, self, p, dim, keepdim, result: norm_grad(grad, self, p, dim, keepdim, result),
)(
    lambda self, p, dim, keepdim: vector_norm.forward(self, p, dim, keepdim, self.dtype),
    "c = (Σ |aᵢ|ᵖ)^(1/p), as the distance of two tensors computes it      ∂L/∂a as for `vector_norm`",
)


# ---------------------------------------------------------------------------------------------------------------------
# Extrema


def evenly(grad, self, result):
    """`grad` to the elements that equal the result, the same share to each."""
    hit = self == result if result == result else self != self
    return choice.where(hit, grad / hit.sum(), 0.0)


def _evenly_dim(grad, self, dim, keepdim, result):
    if not keepdim and self.shape:
        kept = tuple([1 if dim is None or i in dim else n for i, n in enumerate(self.shape)])
        grad, result = grad.reshape(kept), result.reshape(kept)
    hit = result == self
    return grad / hit.sum(axis=dim, keepdims=True) * hit


max_all = unary("MaxBackward1", self=evenly)(
    lambda self: self.max(), "c = the largest aᵢ      g goes to the largest; split evenly where several are equal"
)
min_all = unary("MinBackward1", self=evenly)(
    lambda self: self.min(), "c = the smallest aᵢ      g goes to the smallest; split evenly where several are equal"
)
amax = unary("AmaxBackward0", self=_evenly_dim)(
    lambda self, dim, keepdim: in_order(self.max(axis=dim, keepdims=keepdim)),
    "c = the largest over some dimensions      g is split evenly among those that are the largest",
)
amin = unary("AminBackward0", self=_evenly_dim)(
    lambda self, dim, keepdim: in_order(self.min(axis=dim, keepdims=keepdim)),
    "c = the smallest over some dimensions      g is split evenly among those that are the smallest",
)


# ---------------------------------------------------------------------------------------------------------------------
# Softmax


def _softmax_grad(grad, dim, result):
    grad, result = wide(grad), wide(result)
    return result * (grad - (grad * result).sum(axis=dim, keepdims=True))


@unary("SoftmaxBackward0", self=_softmax_grad)
def softmax(self, dim):
    """cᵢ = exp(aᵢ) / Σⱼ exp(aⱼ)      ∂L/∂aᵢ = cᵢ · (gᵢ - Σⱼ gⱼ cⱼ)"""
    if not self.size:
        return self.copy()
    values = wide(self)
    exps = np.exp(values - values.max(axis=dim, keepdims=True))
    return (exps / exps.sum(axis=dim, keepdims=True)).astype(self.dtype, order="C", copy=False)


def _log_softmax_grad(grad, dim, result):
    grad = wide(grad)
    return grad - np.exp(wide(result)) * grad.sum(axis=dim, keepdims=True)


@unary("LogSoftmaxBackward0", self=_log_softmax_grad)
def log_softmax(self, dim):
    """cᵢ = aᵢ - ln Σⱼ exp(aⱼ)      ∂L/∂aᵢ = gᵢ - exp(cᵢ) · Σⱼ gⱼ"""
    if not self.size:
        return self.copy()
    values = wide(self)
    shifted = values - values.max(axis=dim, keepdims=True)
    total = np.exp(shifted).sum(axis=dim, keepdims=True).astype(self.dtype, copy=False)  # PyTorch rounds this one
    return (shifted - np.log(wide(total))).astype(self.dtype, order="C", copy=False)
