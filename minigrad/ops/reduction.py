"""Operations that make many numbers one: sum, mean, extrema, norms, softmax.

`dim` is None for all dimensions, or a tuple of dimensions counted from the front (`normalize_dims`). The gradient of a
reduced result is spread back over what was reduced.
"""

from __future__ import annotations

import math

import numpy as np

from ..devices import on_host
from .indexing import masked_select
from .placing import expanded, grad_dtype, in_order
from .pointwise import masked_fill, sgn, to_copy
from .primitive import op, unary


def spread(value, shape, dim, keepdim):
    """A reduced `value` in the `shape` it was reduced from: each element repeated over what it summed up."""
    return expanded(restored(value, shape, dim, keepdim), shape)


def restored(value, shape, dim, keepdim):
    """A reduced `value` with the dimensions `dim` of `shape`, of size 1 now; the result of all dimensions as it is."""
    if keepdim or dim is None or not shape:
        return value
    return value[tuple([None if i in dim else slice(None) for i in range(len(shape))])]


def everywhere(number, shape):
    """A single number shown at each place of a shape, without copies."""
    if isinstance(number, np.generic | np.ndarray):  # np.broadcast_to, which takes six times as long
        return np.ndarray(shape, number.dtype, np.asarray(number), strides=(0,) * len(shape))
    return np.broadcast_to(number, shape)


def count(shape, dim):
    """How many elements each result of a reduction over `dim` comes from."""
    sizes = shape if dim is None else [shape[d] for d in dim]
    return math.prod(sizes)


# ---------------------------------------------------------------------------------------------------------------------
# Sums


@unary("SumBackward0", self=lambda grad, self_sym_sizes: everywhere(grad, self_sym_sizes))
def sum_all(self, dtype):
    """c = Σ aᵢ      ∂L/∂aᵢ = g"""
    return self.sum(dtype=dtype)


@unary(
    "SumBackward1",
    self=lambda grad, self_sym_sizes, dim, keepdim: spread(grad, self_sym_sizes, dim, keepdim),
)
def sum_dim(self, dim, keepdim, dtype):
    """c = Σ aᵢ over some dimensions      ∂L/∂aᵢ = g of the sum it is in"""
    return in_order(self.sum(axis=dim, keepdims=keepdim, dtype=dtype))


@unary(
    "MeanBackward0",
    self=lambda grad, self_sym_sizes, self_sym_numel: everywhere(grad, self_sym_sizes) / self_sym_numel,
)
def mean_all(self, dtype):
    """c = Σ aᵢ / n      ∂L/∂aᵢ = g / n"""
    return self.sum(dtype=dtype) / count(self.shape, None)


@unary(
    "MeanBackward1",
    self=lambda grad, self_sym_sizes, self_sym_numel, dim, keepdim: (
        spread(grad, self_sym_sizes, dim, keepdim) / (self_sym_numel // max(math.prod(grad.shape), 1))
    ),
)
def mean_dim(self, dim, keepdim, dtype):
    """c = Σ aᵢ / n over some dimensions      ∂L/∂aᵢ = g / n"""
    return in_order(self.sum(axis=dim, keepdims=keepdim, dtype=dtype)) / count(self.shape, dim)


@unary(
    "NansumBackward0",
    self=lambda grad, self, dim, keepdim: spread(grad, self.shape, dim, keepdim) * (self == self),
)
def nansum(self, dim, keepdim, dtype):
    """c = Σ aᵢ over all that is not nan      ∂L/∂aᵢ = g, and 0 for nan"""
    return in_order(np.nansum(self, axis=dim, keepdims=keepdim, dtype=dtype))


@unary("ProdBackward0", self=lambda grad, self, result: _prod_grad(grad, self, result))
def prod_all(self, dtype):
    """c = Π aᵢ      ∂L/∂aᵢ = g · the product of all others, which is c / aᵢ where that is defined"""
    return self.prod(dtype=dtype)


def _prod_grad(grad, self, result):
    if not self.shape:
        return grad
    self = _as(grad, self)
    if not _any_zero(self):
        return grad * (result / self)
    return (grad * _products_of_others(self.reshape(-1), 0)).reshape(self.shape)


def _as(grad, self):
    """`self` in the type of `grad`, which is that of the result."""
    return self if grad_dtype(self) == grad_dtype(grad) else to_copy(self, grad_dtype(grad))


def _any_zero(self):
    return bool((getattr(self, "_value", self) == 0).any())


def _products_of_others(self, dim):
    """The product of what stands before each element times that of what stands behind: right also where some are 0."""
    n = self.shape[dim]
    before = (slice(None),) * dim
    ones = np.ones_like(self, shape=(*self.shape[:dim], 1, *self.shape[dim + 1 :]))
    earlier = np.cumprod(np.concatenate([ones, self[(*before, slice(0, n - 1))]], dim), dim)
    later = np.cumprod(np.concatenate([ones, np.flip(self[(*before, slice(1, n))], dim)], dim), dim)
    return earlier * np.flip(later, dim)


@unary("ProdBackward1", self=lambda grad, self, dim, keepdim, result: _prod_dim_grad(grad, self, dim, keepdim, result))
def prod_dim(self, dim, keepdim, dtype):
    """c = Π aᵢ along one dimension      ∂L/∂aᵢ = g · the product of all others"""
    return in_order(self.prod(axis=dim if self.ndim else None, keepdims=keepdim, dtype=dtype))


def _prod_dim_grad(grad, self, dim, keepdim, result):
    if not self.shape:
        return grad
    self = _as(grad, self)
    grad, result = (restored(value, self.shape, (dim,), keepdim) for value in (grad, result))
    if not _any_zero(self):
        return grad * (result / self)
    return grad if self.shape[dim] == 1 else grad * _products_of_others(self, dim)


@unary("CumprodBackward0", self=lambda grad, self, dim, result: _cumprod_grad(grad, self, dim, result))
def cumprod(self, dim, dtype):
    """cᵢ = a₁ · … · aᵢ      ∂L/∂aₖ = Σ gᵢ · cᵢ / aₖ over i ≥ k"""
    return in_order(np.cumprod(self, dim, dtype=dtype)) if self.ndim else self.astype(dtype)


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


@unary(
    "CumsumBackward0",
    shown={"self_sym_dtype": None},
    self=lambda grad, self_sym_dtype, dim: _summed_from_the_end(
        grad if grad_dtype(grad) == self_sym_dtype else to_copy(grad, self_sym_dtype), dim
    ),
)
def cumsum(self, dim, dtype):
    """cᵢ = a₁ + … + aᵢ      ∂L/∂aᵢ = gᵢ + … + gₙ"""
    return in_order(np.cumsum(self, dim, dtype=dtype)) if self.ndim else self.astype(dtype)


def _summed_from_the_end(grad, dim):
    if math.prod(grad.shape) <= 1 or grad.shape[dim] == 1:
        return grad
    return np.flip(np.cumsum(np.flip(grad, dim), dim), dim)


@unary("LogcumsumexpBackward0", self=lambda grad, self, dim, result: _logcumsumexp_grad(grad, self, dim, result))
def logcumsumexp(self, dim):
    """cᵢ = ln(exp a₁ + … + exp aᵢ), without overflow      ∂L/∂aₖ = Σ gᵢ · exp(aₖ - cᵢ) over i ≥ k"""
    return on_host(lambda array: np.logaddexp.accumulate(array, axis=dim), self) if self.ndim else self.copy()


def _logcumsumexp_grad(grad, self, dim, result):
    if not self.shape:
        return grad
    # Σ gᵢ · exp(-cᵢ) · exp(aₖ), summed as logarithms, those of the positive gᵢ apart from those of the negative ones.
    least = float(np.finfo(grad_dtype(grad)).min)
    logarithm = np.log(np.abs(grad))
    positive, negative = np.where(grad > 0, logarithm, least), np.where(grad < 0, logarithm, least)
    return np.exp(_from_the_end(positive - result, dim) + self) - np.exp(_from_the_end(negative - result, dim) + self)


def _from_the_end(values, dim):
    return np.flip(logcumsumexp(np.flip(values, dim), dim), dim)


# ---------------------------------------------------------------------------------------------------------------------
# Spread


@unary(
    "VarBackward0",
    self=lambda grad, self, dim, correction, keepdim: _var_grad(grad, self, dim, correction, keepdim),
)
def var(self, dim, correction, keepdim):
    """c = Σ (aᵢ - mean)² / (n - correction)      ∂L/∂aᵢ = g · 2 (aᵢ - mean) / (n - correction)"""
    with np.errstate(divide="ignore", invalid="ignore"):
        centered = self - self.mean(axis=dim, keepdims=True)
        return in_order((centered * centered).sum(axis=dim, keepdims=keepdim)) / self.dtype.type(
            max(count(self.shape, dim) - correction, 0)
        )


def _var_grad(grad, self, dim, correction, keepdim):
    degrees = count(self.shape, dim) - correction
    if dim is None and degrees <= 0:
        return grad * np.where(self == self.mean(), math.nan, math.inf)
    mean = self.mean() if dim is None else self.mean(axis=dim, keepdims=True)
    grad = restored(grad, self.shape, dim, keepdim) if len(self.shape) > 1 else grad
    return (2.0 / degrees if degrees else math.inf) * grad * (self - mean)


@unary(
    "StdBackward0",
    self=lambda grad, self, dim, correction, keepdim, result: _var_grad(
        masked_fill(grad / (result * 2), result == 0, 0), self, dim, correction, keepdim
    ),
)
def std(self, dim, correction, keepdim):
    """c = √var      ∂L/∂aᵢ = g · (aᵢ - mean) / (c · (n - correction))"""
    return np.sqrt(var.forward(self, dim, correction, keepdim))


@op(
    "VarMeanBackward0",
    outputs=2,
    all_outputs=True,
    self=lambda grads, self, dim, correction, keepdim: _spread_mean_grad(
        grads[0], grads[1], self, dim, correction, keepdim
    ),
)
def var_mean(self, dim, correction, keepdim):
    """The variance and the mean      ∂L/∂aᵢ = what the gradient of each gives"""
    return var.forward(self, dim, correction, keepdim), self.mean(axis=dim, keepdims=keepdim)


@op(
    "StdMeanBackward0",
    shown={"result": "result0"},
    outputs=2,
    all_outputs=True,
    self=lambda grads, self, dim, correction, keepdim, result: _spread_mean_grad(
        grads[0] if grads[0] is None else masked_fill(grads[0] / (result * 2), result == 0, 0),
        grads[1],
        self,
        dim,
        correction,
        keepdim,
    ),
)
def std_mean(self, dim, correction, keepdim):
    """The standard deviation and the mean      ∂L/∂aᵢ = what the gradient of each gives"""
    return std.forward(self, dim, correction, keepdim), self.mean(axis=dim, keepdims=keepdim)


def _spread_mean_grad(grad, mean_grad, self, dim, correction, keepdim):
    parts = []
    if grad is not None:
        parts.append(_var_grad(grad, self, dim, correction, keepdim))
    if mean_grad is not None:
        parts.append(spread(mean_grad, self.shape, dim, keepdim) / count(self.shape, dim))
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]


# ---------------------------------------------------------------------------------------------------------------------
# Norms


@unary(
    "LinalgVectorNormBackward0",
    self=lambda grad, self, ord, dim, keepdim, result: norm_grad(grad, self, ord, dim, keepdim, result),
)
def vector_norm(self, ord, dim, keepdim, dtype):
    """c = (Σ |aᵢ|ᵖ)^(1/p)      ∂L/∂aᵢ = g · sign(aᵢ) · (|aᵢ| / c)ᵖ⁻¹; 0 where c = 0"""
    self = self.astype(dtype, copy=False)
    if ord == 2:
        return np.sqrt((self * self).sum(axis=dim, keepdims=keepdim))
    if ord == 1:
        return np.abs(self).sum(axis=dim, keepdims=keepdim)
    if ord == float("inf"):
        return np.abs(self).max(axis=dim, keepdims=keepdim)
    if ord == -float("inf"):
        return np.abs(self).min(axis=dim, keepdims=keepdim)
    if ord == 0:
        return (self != 0).sum(axis=dim, keepdims=keepdim).astype(self.dtype)
    return (np.abs(self) ** ord).sum(axis=dim, keepdims=keepdim) ** (1.0 / ord)


@unary(
    "NormBackward1",
    self=lambda grad, self, p, dim, keepdim, result: norm_grad(grad, self, p, dim, keepdim, result),
)
def norm(self, p, dim, keepdim):
    """c = (Σ |aᵢ|ᵖ)^(1/p), as the distance of two tensors computes it      ∂L/∂a as for `vector_norm`"""
    return vector_norm.forward(self, p, dim, keepdim, self.dtype)


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


# ---------------------------------------------------------------------------------------------------------------------
# Extrema


@unary("MaxBackward1", self=lambda grad, self, result: evenly(grad, self, result))
def max_all(self):
    """c = the largest aᵢ      g goes to the largest; split evenly where several are equal"""
    return self.max()


@unary("MinBackward1", self=lambda grad, self, result: evenly(grad, self, result))
def min_all(self):
    """c = the smallest aᵢ      g goes to the smallest; split evenly where several are equal"""
    return self.min()


def evenly(grad, self, result):
    """`grad` to the elements that equal the result, the same share to each."""
    hit = self == result if result == result else self != self
    return put_number(None, hit, grad / hit.sum())


@op("MaskedFillBackward1", self=lambda grad: grad, value=lambda grad, mask: masked_select(grad, mask).sum())
def put_number(self, mask, value):
    """Zeros (`self` is None), with b where the mask is True      ∂L/∂b = Σ g there"""
    return in_order(np.where(mask, value, value.dtype.type(0)))


@unary("AmaxBackward0", self=lambda grad, self, dim, keepdim, result: _evenly_dim(grad, self, dim, keepdim, result))
def amax(self, dim, keepdim):
    """c = the largest over some dimensions      g is split evenly among those that are the largest"""
    return in_order(self.max(axis=dim, keepdims=keepdim))


@unary("AminBackward0", self=lambda grad, self, dim, keepdim, result: _evenly_dim(grad, self, dim, keepdim, result))
def amin(self, dim, keepdim):
    """c = the smallest over some dimensions      g is split evenly among those that are the smallest"""
    return in_order(self.min(axis=dim, keepdims=keepdim))


def _evenly_dim(grad, self, dim, keepdim, result):
    if not keepdim and self.shape:
        kept = tuple([1 if dim is None or i in dim else n for i, n in enumerate(self.shape)])
        grad, result = grad.reshape(kept), result.reshape(kept)
    hit = result == self
    return grad / hit.sum(axis=dim, keepdims=True) * hit


# ---------------------------------------------------------------------------------------------------------------------
# Softmax


@op(
    "SoftmaxBackwardDataBackward0",
    grad_output=lambda grad, output, dim: softmax_backward(grad, output, dim),
    output=lambda grad, grad_output, output, dim: (
        grad_output * grad
        - (output * grad_output).sum(axis=dim, keepdims=True) * grad
        - grad_output * (output * grad).sum(axis=dim, keepdims=True)
    ),
)
def softmax_backward(grad_output, output, dim):
    """cᵢ · (gᵢ - Σⱼ gⱼ cⱼ)      ∂L/∂gᵢ = the same of h      ∂L/∂cᵢ = gᵢ hᵢ - hᵢ · Σⱼ gⱼ cⱼ - gᵢ · Σⱼ hⱼ cⱼ"""
    grad, wide = _wide(grad_output), _wide(output)
    return (wide * (grad - (grad * wide).sum(axis=dim, keepdims=True))).astype(output.dtype, copy=False)


@unary("SoftmaxBackward0", self=softmax_backward)
def softmax(self, dim):
    """cᵢ = exp(aᵢ) / Σⱼ exp(aⱼ)      ∂L/∂aᵢ = cᵢ · (gᵢ - Σⱼ gⱼ cⱼ)"""
    if not self.size:
        return self.copy()
    wide = _wide(self)
    exps = np.exp(wide - wide.max(axis=dim, keepdims=True))
    return (exps / exps.sum(axis=dim, keepdims=True)).astype(self.dtype, order="C", copy=False)


def _wide(array):
    """float16 as float32, for sums of many small numbers."""
    return array.astype(np.float32) if array.dtype.char == "e" else array


@op(
    "LogSoftmaxBackwardDataBackward0",
    grad_output=lambda grad, output, dim: grad - (grad * np.exp(output)).sum(axis=dim, keepdims=True),
    output=lambda grad, grad_output, output, dim: -grad_output.sum(axis=dim, keepdims=True) * np.exp(output) * grad,
)
def log_softmax_backward(grad_output, output, dim):
    """gᵢ - exp(cᵢ) · Σⱼ gⱼ      ∂L/∂gᵢ = hᵢ - Σⱼ hⱼ exp(cⱼ)      ∂L/∂cᵢ = -hᵢ · exp(cᵢ) · Σⱼ gⱼ"""
    grad = _wide(grad_output)
    return (grad - np.exp(_wide(output)) * grad.sum(axis=dim, keepdims=True)).astype(output.dtype, copy=False)


@unary("LogSoftmaxBackward0", self=log_softmax_backward)
def log_softmax(self, dim):
    """cᵢ = aᵢ - ln Σⱼ exp(aⱼ)      ∂L/∂aᵢ = gᵢ - exp(cᵢ) · Σⱼ gⱼ"""
    if not self.size:
        return self.copy()
    wide = _wide(self)
    shifted = wide - wide.max(axis=dim, keepdims=True)
    total = np.exp(shifted).sum(axis=dim, keepdims=True).astype(self.dtype, copy=False)  # PyTorch rounds this one
    return (shifted - np.log(_wide(total))).astype(self.dtype, order="C", copy=False)


@unary(
    "LogsumexpBackward0",
    self=lambda grad, self, dim, keepdim, result: (
        restored(grad, self.shape, dim, keepdim) * np.exp(self - restored(result, self.shape, dim, keepdim))
    ),
)
def logsumexp(self, dim, keepdim):
    """c = ln Σ exp(aᵢ)      ∂L/∂aᵢ = g · exp(aᵢ - c)"""
    with np.errstate(divide="ignore"):
        if not self.size:
            return np.log(self.sum(axis=dim, keepdims=keepdim))
        top = self.max(axis=dim, keepdims=True)
        top = np.where(np.isfinite(top), top, self.dtype.type(0))
        result = np.log(np.exp(self - top).sum(axis=dim, keepdims=True)) + top
    return result if keepdim else result.reshape(np.max(self, axis=dim).shape)
