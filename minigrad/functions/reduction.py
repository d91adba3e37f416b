"""What makes many numbers one: sums, means, extrema, norms, softmax.

`dim` is None for all dimensions, or a tuple of dimensions counted from the front (`normalize_dims`). The gradient of a
reduced result is spread back over what was reduced.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autograd.variable import TensorBase as Tensor
from ..dtypes import default_numpy_dtype, dtype, to_numpy_dtype
from ..hints import Unfit, hinted
from ..memory import expanded, in_order
from ..ops import choice
from ..ops.errors import check_dim, normalize_dims, require_kind, type_letter
from ..ops.formulas import raw_of
from ..ops.pointwise import masked_fill, maximum, minimum, sgn, to_copy, wide, wider
from ..ops.primitive import op, plain, unary
from ..ops.shape import along, places_along, put_along
from ..table import public
from .arguments import ALL, cast, dim_argument, pair


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
    if isinstance(grad, np.generic | np.ndarray):  # as np.broadcast_to, in a sixth of the time
        return np.ndarray(self_sym_sizes, grad.dtype, np.asarray(grad), strides=(0,) * len(self_sym_sizes))
    return np.broadcast_to(grad, self_sym_sizes)


def count(shape, dim):
    """How many elements each result of a reduction over `dim` comes from."""
    return math.prod(shape if dim is None else [shape[d] for d in dim])


# ---------------------------------------------------------------------------------------------------------------------
# Sums and means


sum_all = unary("SumBackward0", self=everywhere)(lambda self, dtype: self.sum(dtype=dtype), "c = Σ aᵢ      ∂L/∂aᵢ = g")
sum_dim = unary("SumBackward1", self=spread)(
    lambda self, dim, keepdim, dtype: in_order(self.sum(axis=dim, keepdims=keepdim, dtype=dtype)),
    "c = Σ aᵢ over some dimensions      ∂L/∂aᵢ = g of the sum it is in",
)


@public
def sum(
    input: Tensor, dim: int | Sequence[int] | None = ALL, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """Σ of all elements, or over the dimensions `dim`. Integers and bools are summed as int64."""
    kind = _kind(input, dtype)
    if dim is ALL:
        _refuse_keepdim(keepdim)
        return sum_all(input, kind)
    return sum_dim(input, dim_argument(input, dim), keepdim, kind)


def _refuse_keepdim(keepdim: bool) -> None:
    if keepdim:
        raise Unfit("keepdim is for dimensions that are named")


def _kind(input: Any, dtype: Any) -> np.dtype:
    """The type of a sum: integers and bools are summed as int64, if nothing else is asked for."""
    if dtype is not None:
        return to_numpy_dtype(dtype)
    return input._value.dtype if input._value.dtype.kind == "f" else np.dtype(np.int64)


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


@public
def mean(
    input: Tensor, dim: int | Sequence[int] | None = ALL, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """The mean of all elements, or over the dimensions `dim`. Only for floating-point tensors."""
    if dim is ALL:
        _refuse_keepdim(keepdim)
    kind = input._value.dtype if dtype is None else to_numpy_dtype(dtype)
    if kind.kind != "f":
        said = (
            f"mean(): could not infer output dtype. {'Input' if dtype is None else 'Optional'} dtype must be either a "
            f"floating point or complex dtype. Got: {type_letter(np.empty(0, kind))}"
        )
        raise hinted(RuntimeError(said))
    if dim is ALL:
        return mean_all(input, kind)
    return mean_dim(input, dim_argument(input, dim), keepdim, kind)


# ---------------------------------------------------------------------------------------------------------------------
# Products, and running sums


def _prod_grad(grad, self, dim, keepdim, result):
    if not self.shape:
        return grad
    kind = raw_of(grad).dtype
    self = self if raw_of(self).dtype == kind else to_copy(self, kind)
    grad = restored(grad, self.shape, (dim,), keepdim)
    if (raw_of(self) == 0).any():
        return grad * _products_of_others(self, dim)
    return grad * (restored(result, self.shape, (dim,), keepdim) / self)


def _products_of_others(self, dim):
    """The product of what stands before each element times that of what stands behind: right also where some are 0."""
    parts = [self[along(dim, i)] for i in range(self.shape[dim])]
    earlier = later = np.ones_like(parts[0])
    before, behind = [earlier], [later]
    for i in range(1, len(parts)):
        earlier = earlier * parts[i - 1]
        later = later * parts[-i]
        before.append(earlier)
        behind.append(later)
    return np.stack(before, dim) * np.stack(behind[::-1], dim)


@unary("ProdBackward0", self=lambda grad, self, result: _prod_all_grad(grad, self, result))
def prod_all(self, dtype):
    """c = Π aᵢ      ∂L/∂aᵢ = g · the product of all others, which is c / aᵢ where that is defined"""
    return self.prod(dtype=dtype)


def _prod_all_grad(grad, self, result):
    if not self.shape:
        return grad
    return _prod_grad(grad, self.reshape(-1), 0, True, result).reshape(self.shape)


prod_dim = unary("ProdBackward1", self=_prod_grad)(
    lambda self, dim, keepdim, dtype: in_order(self.prod(dim if self.ndim else None, dtype, keepdims=keepdim)),
    "c = Π aᵢ along one dimension      ∂L/∂aᵢ = g · the product of all others",
)


@public
def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Tensor:
    """Π of all elements, or along one dimension. Integers and bools are multiplied as int64."""
    kind = _kind(input, dtype)
    if dim is None:
        return prod_all(input, kind)
    return prod_dim(input, check_dim(dim, input.ndim), keepdim, kind)


@unary("CumsumBackward0", self=lambda grad, self_sym_dtype, dim: _summed_from_the_end(grad, self_sym_dtype, dim))
def _cumsum(self, dim, dtype):
    """cᵢ = a₁ + … + aᵢ      ∂L/∂aᵢ = gᵢ + … + gₙ"""
    if not self.ndim:
        return self.astype(dtype)
    sums = self.cumsum(dim, wider(dtype)) + 0  # PyTorch begins to add at 0: nothing begins with a -0.
    return in_order(sums.astype(dtype, copy=False))


def _summed_from_the_end(grad, dtype, dim):
    grad = grad if raw_of(grad).dtype == dtype else to_copy(grad, dtype)
    if not grad.shape:
        return grad
    return np.flip(_cumsum(np.flip(grad, dim), dim, dtype), dim)


@public(inplace=True)
def cumsum(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """Running sums along a dimension."""
    return _cumsum(input, check_dim(dim, input.ndim), _kind(input, dtype))


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
    away = self - (self.mean() if dim is None else self.mean(axis=dim, keepdims=True))
    if len(self.shape) > 1:
        grad = restored(grad, self.shape, dim, keepdim)
    factor = 2.0 / degrees if degrees else math.inf
    return factor * grad * away


def _std_grad(grad, self, dim, correction, keepdim, result):
    return _var_grad(masked_fill(grad / (result * 2), result == 0, 0), self, dim, correction, keepdim)


var = unary("VarBackward0", self=_var_grad)(
    lambda self, dim, correction, keepdim: _spread(self, dim, correction, keepdim).astype(self.dtype, copy=False),
    "c = Σ (aᵢ - mean)² / (n - correction)      ∂L/∂aᵢ = g · 2 (aᵢ - mean) / (n - correction)",
)


@unary("StdBackward0", self=_std_grad)
def std(self, dim, correction, keepdim):
    """c = √var      ∂L/∂aᵢ = g · (aᵢ - mean) / (c · (n - correction))"""
    variance = _spread(self, dim, correction, keepdim)
    return np.sqrt(variance).astype(self.dtype, copy=False)


def _variance(rule: Any) -> Any:
    def variance(
        input: Tensor,
        dim: bool | int | Sequence[int] | None = None,
        unbiased: bool = True,
        keepdim: bool = False,
        *,
        correction: float | None = None,
    ) -> Tensor:
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        if input._value.dtype.kind != "f":
            raise hinted(RuntimeError("std and var only support floating point and complex dtypes"))
        dim, correction = dim_argument(input, dim), int(unbiased) if correction is None else correction
        if count(input._value.shape, dim) <= correction:
            warnings.warn(
                f"{rule.__name__}(): degrees of freedom is <= 0. Correction should be strictly less than the "
                "reduction factor (input numel divided by output numel).",
                UserWarning,
                stacklevel=3,
            )
        return rule(input, dim, correction, keepdim)

    return variance


_VARIANCE = "Σ (aᵢ - mean)² / (n - correction); the correction is 1 unless `unbiased=False`."
public(_variance(var), name="var", doc=_VARIANCE)
public(_variance(std), name="std", doc="√var.")


# ---------------------------------------------------------------------------------------------------------------------
# Norms


def norm_grad(grad, self, ord, dim, keepdim, result):
    """The gradient of `vector_norm`, whose result was `result`."""
    grad = restored(grad, self.shape, dim, keepdim)
    result = restored(result, self.shape, dim, keepdim)
    if ord == 2:
        return grad * masked_fill(self / result, result == 0, 0)
    if ord == 1:
        return sgn(self) * grad
    size = np.abs(self)
    if ord == math.inf:
        hit = (size == result) | (size != size)
        return sgn(self) * (grad / hit.sum(axis=dim, keepdims=True) * hit)
    scale = masked_fill(grad / result ** (ord - 1), result == 0, 0)
    return sgn(self) * size ** (ord - 1) * scale


def _norm(self, ord, dim, keepdim, dtype):
    if dtype.char == "e":
        return _norm(self, ord, dim, keepdim, wider(dtype)).astype(dtype)
    size = np.abs(self.astype(dtype, copy=False))
    over = {"axis": dim, "keepdims": keepdim}
    if ord == 1 or count(self.shape, dim) == 1:  # a single element to the power of p might be inf or 0
        return size.sum(**over)
    if ord == 2:
        return np.sqrt((size * size).sum(**over))
    if ord == math.inf:
        return size.max(**over)
    return (size**ord).sum(**over) ** (1.0 / ord)


vector_norm = unary("LinalgVectorNormBackward0", self=norm_grad)(
    lambda self, ord, dim, keepdim, dtype: in_order(_norm(self, ord, dim, keepdim, dtype)),
    "c = (Σ |aᵢ|ᵖ)^(1/p), for a finite p other than 0      ∂L/∂aᵢ = g · sign(aᵢ) · (|aᵢ| / c)ᵖ⁻¹; 0 where c = 0",
)


@public(out=False)
def norm(
    input: Tensor,
    p: float | str | None = "fro",
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    dtype: dtype | None = None,
) -> Tensor:
    """(Σ |aᵢ|ᵖ)^(1/p), by default the Euclidean length."""
    kind = input._value.dtype if dtype is None else to_numpy_dtype(dtype)
    if input._value.dtype.kind != "f":
        letter = type_letter(input._value)
        said = f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {letter}"
        raise hinted(RuntimeError(said))
    order = 2 if p in ("fro", None) else p
    if isinstance(order, str) or order < 1:
        raise NotImplementedError(f"minigrad: a norm has an order of 1 or more, and not {order!r}")
    if input._value.size == 0 and order == math.inf:
        raise RuntimeError("norm: no elements have no inf norm")
    return vector_norm(input, order, dim_argument(input, dim), keepdim, kind)


# ---------------------------------------------------------------------------------------------------------------------
# Extrema


def evenly(grad, self, result):
    """`grad` to the elements that equal the result, the same share to each."""
    hit = self == result if result == result else self != self
    return choice.where(hit, grad / hit.sum(), 0.0)


def _evenly_dim(grad, self, dim, keepdim, result):
    grad = restored(grad, self.shape, dim, keepdim)
    hit = restored(result, self.shape, dim, keepdim) == self
    return grad / hit.sum(axis=dim, keepdims=True) * hit


def _chosen(self, dim, keepdim, indices):
    values = self[places_along(restored(indices, self.shape, (dim,), keepdim), dim)]
    return values if keepdim or not self.ndim else np.squeeze(values, dim)


def _at(grad, self_sym_sizes, dim, keepdim, indices):
    """`grad` at the `indices` that were taken, 0 elsewhere."""
    grad, indices = (restored(each, self_sym_sizes, (dim,), keepdim) for each in (grad, raw_of(indices)))
    return put_along(grad, self_sym_sizes, dim, indices)


def _refuse_nothing(name: str, array: Any, dims: Any, error: type[Exception] = RuntimeError) -> None:
    """Raise PyTorch's error if one of no elements is to be chosen."""
    if dims is None and array.size == 0:
        more = " Specify the reduction dim with the 'dim' argument." if error is RuntimeError else ""
        raise error(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.{more}")
    for d in (dims or ()) if array.shape else ():
        if array.shape[d] == 0:
            raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")


def _extremum(name: str, most: str, more: str, extreme: Any, find: Any, of_two: Any) -> None:
    """Enter `max`, `amax` and `argmax`, or the same of the smallest."""
    of_all = unary(f"{name.title()}Backward1", self=evenly)(
        lambda self: extreme(self), f"c = the {most} aᵢ      g goes to the {most}; split evenly where several are equal"
    )
    along = op(f"{name.title()}Backward0", self=_at)(
        _chosen,
        f"c = the {most} along one dimension, and where it stands      g goes to the first that is the {most}",
    )
    over = unary(f"A{name}Backward0", self=_evenly_dim)(
        lambda self, dim, keepdim: in_order(extreme(self, axis=dim, keepdims=keepdim)),
        f"c = the {most} over some dimensions      g is split evenly among those that are the {most}",
    )

    def extremum(
        input: Tensor, dim: int | Tensor | None = None, keepdim: bool = False, *, other: Tensor | None = None
    ) -> Any:
        if isinstance(dim, Tensor) or other is not None:
            _refuse_keepdim(keepdim)
            return of_two(input, dim if other is None else other)
        array = input._value
        if dim is None:
            _refuse_nothing(name, array, None)
            return of_all(input)
        dim = check_dim(dim, len(array.shape))
        _refuse_nothing(name, array, (dim,))
        indices = find(array, axis=dim, keepdims=keepdim) if array.shape else np.zeros_like(array, dtype=np.int64)
        return pair(along, input, dim, keepdim, plain(indices))

    def over_dims(input: Tensor, dim: int | Sequence[int] | None = (), keepdim: bool = False) -> Tensor:
        dims = normalize_dims(() if dim is None else dim, input.ndim)
        _refuse_nothing(f"a{name}", input._value, None if dim in (None, ()) else dims)
        return over(input, dims, keepdim)

    def place(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
        array = input._value
        if array.dtype.kind == "b":
            raise RuntimeError(f"arg{name}(): does not support bool input")
        dim = None if dim is None else check_dim(dim, len(array.shape))
        _refuse_nothing(f"arg{name}", array, None if dim is None else (dim,), IndexError)
        return plain(find(array, axis=dim if array.shape else None, keepdims=keepdim))

    pairs = f"with `dim`, (values, indices) along it; with a second tensor, the {more} of each pair."
    public(extremum, name=name, doc=f"The {most} element; {pairs}")
    public(over_dims, name=f"a{name}", doc=f"The {most} element over the dimensions `dim`, all by default.")
    where = "stands: in the flattened tensor, or along `dim`. The first of several."
    public(place, name=f"arg{name}", doc=f"Where the {most} element {where}")


_extremum("max", "largest", "larger", np.max, np.argmax, maximum)
_extremum("min", "smallest", "smaller", np.min, np.argmin, minimum)


def _truth(ask: Any) -> Any:
    def truth(input: Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False) -> Tensor:
        kind = np.uint8 if input._value.dtype == np.uint8 else bool  # from before there was a bool type
        dims = dim if dim == () else dim_argument(input, dim)  # over no dimension it is asked of each element
        return plain(ask(input._value, axis=dims, keepdims=keepdim).astype(kind, order="C"))

    return truth


public(_truth(np.all), name="all", doc="Whether all elements are non-zero.")
public(_truth(np.any), name="any", doc="Whether some element is non-zero.")


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
    total = np.exp(shifted).sum(axis=dim, keepdims=True)
    if dim == self.ndim - 1:  # here PyTorch rounds it
        total = total.astype(self.dtype, copy=False)
    return (shifted - np.log(wide(total))).astype(self.dtype, order="C", copy=False)


def _softmax(rule: Any) -> Any:
    def softmax(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
        input = input if dtype is None else cast(input, to_numpy_dtype(dtype))
        dim = check_dim(dim, input.ndim)
        last = "_lastdim" if dim == input.ndim - 1 else ""
        require_kind(input._value, "f", f"{rule.__name__}{last}_kernel_impl")
        return rule(input, dim)

    return softmax


public(_softmax(softmax), name="softmax", doc="exp(aᵢ) / Σⱼ exp(aⱼ) along `dim`.")
public(_softmax(log_softmax), name="log_softmax", doc="ln softmax, without overflow.")


def _logsumexp_grad(grad, self, dim, keepdim, result):
    grad = restored(grad, self.shape, dim, keepdim)
    result = restored(result, self.shape, dim, keepdim)
    return grad * np.exp(self - result)


@unary("LogsumexpBackward0", self=_logsumexp_grad)
def _logsumexp(self, dim, keepdim):
    """c = ln Σ exp(aᵢ)      ∂L/∂aᵢ = g · exp(aᵢ - c)"""
    top = (self.max if self.size else self.sum)(axis=dim, keepdims=True)
    top = np.where(np.isfinite(top), top, self.dtype.type(0))
    result = in_order(np.log(np.exp(self - top).sum(axis=dim, keepdims=True)) + top)
    return result if keepdim else np.squeeze(result, dim)


@public
def logsumexp(input: Tensor, dim: int | Sequence[int], keepdim: bool = False) -> Tensor:
    """ln Σ exp(aᵢ) over the dimensions `dim`, without overflow."""
    input = input if input._value.dtype.kind == "f" else cast(input, default_numpy_dtype())
    return _logsumexp(input, normalize_dims(dim, input.ndim), keepdim)
