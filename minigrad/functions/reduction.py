"""Reductions: sums, means, extrema, norms, softmax."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autograd.variable import TensorBase as Tensor
from ..dtypes import default_numpy_dtype, dtype, to_numpy_dtype
from ..hints import Unfit, with_hint
from ..ops import order, reduction
from ..ops.errors import check_dim, normalize_dims, require_kind, type_letter
from ..ops.pointwise import maximum, minimum
from ..ops.primitive import plain
from ..table import public
from .arguments import ALL, cast, dim_argument, return_type


@public
def sum(
    input: Tensor, dim: int | Sequence[int] | None = ALL, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """Σ of all elements, or over the dimensions `dim`. Integers and bools are summed as int64."""
    kind = _sum_dtype(input) if dtype is None else to_numpy_dtype(dtype)
    if dim is ALL:
        _refuse_keepdim(keepdim)
        return reduction.sum_all(input, kind)
    return reduction.sum_dim(input, _dims_or_all(input, dim), keepdim, kind)


def _dims_or_all(input: Any, dim: Any) -> tuple[int, ...] | None:
    """The dimensions that are named, counted from the front; None if none are, for which all are summed."""
    none = dim is None or (isinstance(dim, tuple | list) and not dim)
    return None if none else normalize_dims(dim, len(input._value.shape))


def _refuse_keepdim(keepdim: bool) -> None:
    if keepdim:
        raise Unfit("keepdim is for dimensions that are named")


def _sum_dtype(input: Any) -> np.dtype:
    """Integers and bools are summed as int64."""
    return input._value.dtype if input._value.dtype.kind == "f" else np.dtype(np.int64)


@public
def mean(
    input: Tensor, dim: int | Sequence[int] | None = ALL, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """The mean of all elements, or over the dimensions `dim`. Only for floating-point tensors."""
    if dim is ALL:
        _refuse_keepdim(keepdim)
    kind = input._value.dtype if dtype is None else to_numpy_dtype(dtype)
    if kind.kind != "f":
        name = type_letter(input._value)
        raise with_hint(
            RuntimeError(
                "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
                f"Got: {name}"
            ),
            "Use x.float().mean().",
            "请写成 x.float().mean()。",
        )
    if dim is ALL:
        return reduction.mean_all(input, kind)
    return reduction.mean_dim(input, _dims_or_all(input, dim), keepdim, kind)


@public
def nansum(
    input: Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """Σ of all elements that are not nan, or over the dimensions `dim`."""
    if input._value.dtype.kind != "f":
        return sum(input, ALL if dim is None else dim, keepdim, dtype=dtype)
    kind = input._value.dtype if dtype is None else to_numpy_dtype(dtype)
    return reduction.nansum(input, dim_argument(input, dim), keepdim, kind)


@public
def nanmean(
    input: Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """The mean of all elements that are not nan, or over the dimensions `dim`."""
    if input._value.dtype.kind != "f":
        letter = type_letter(input._value)
        raise RuntimeError(f"nanmean(): expected input to have floating point or complex dtype but got {letter}")
    count = plain(np.sum(input._value == input._value, axis=dim_argument(input, dim), keepdims=keepdim))
    return nansum(input, dim, keepdim, dtype=dtype) / count


@public
def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Tensor:
    """Π of all elements, or along one dimension. Integers and bools are multiplied as int64."""
    kind = _sum_dtype(input) if dtype is None else to_numpy_dtype(dtype)
    if dim is None:
        return reduction.prod_all(input, kind)
    return reduction.prod_dim(input, check_dim(dim, len(input._value.shape)), keepdim, kind)


@public(inplace=True)
def cumsum(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """Running sums along a dimension."""
    kind = _sum_dtype(input) if dtype is None else to_numpy_dtype(dtype)
    return reduction.cumsum(input, check_dim(dim, len(input._value.shape)), kind)


@public(inplace=True)
def cumprod(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """Running products along a dimension."""
    kind = _sum_dtype(input) if dtype is None else to_numpy_dtype(dtype)
    return reduction.cumprod(input, check_dim(dim, len(input._value.shape)), kind)


@public
def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """ln of the running sums of exp(aᵢ) along a dimension, without overflow."""
    require_kind(input._value, "f", "logcumsumexp_out_cpu")
    return reduction.logcumsumexp(input, check_dim(dim, len(input._value.shape)))


@public
def var(
    input: Tensor,
    dim: bool | int | Sequence[int] | None = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> Tensor:
    """Σ (aᵢ - mean)² / (n - correction); the correction is 1 unless `unbiased=False`."""
    return _variance(reduction.var, input, dim, unbiased, keepdim, correction)


@public
def std(
    input: Tensor,
    dim: bool | int | Sequence[int] | None = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> Tensor:
    """√var."""
    return _variance(reduction.std, input, dim, unbiased, keepdim, correction)


@public(as_method=False, out=False)
def var_mean(
    input: Tensor,
    dim: bool | int | Sequence[int] | None = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> tuple[Tensor, ...]:
    """(var, mean)."""
    return _variance(reduction.var_mean, input, dim, unbiased, keepdim, correction)


@public(as_method=False, out=False)
def std_mean(
    input: Tensor,
    dim: bool | int | Sequence[int] | None = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> tuple[Tensor, ...]:
    """(std, mean)."""
    return _variance(reduction.std_mean, input, dim, unbiased, keepdim, correction)


def _variance(operation: Any, input: Any, dim: Any, unbiased: bool, keepdim: bool, correction: int | None) -> Any:
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if input._value.dtype.kind != "f":
        name = operation.__name__ if "_" in operation.__name__ else "std and var"
        raise RuntimeError(f"{name} only support floating point and complex dtypes")
    dim, correction = dim_argument(input, dim), int(unbiased) if correction is None else correction
    count = input._value.size if dim is None else math.prod(input._value.shape[d] for d in dim)
    if count <= correction:
        warnings.warn(
            f"{operation.__name__}(): degrees of freedom is <= 0. Correction should be strictly less than the "
            "reduction factor (input numel divided by output numel).",
            UserWarning,
            stacklevel=4,
        )
    return operation(input, dim, correction, keepdim)


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
        raise RuntimeError(
            f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {type_letter(input._value)}"
        )
    order = 2 if p in ("fro", None) else p
    if input._value.size == 0 and abs(order) == float("inf"):
        raise RuntimeError(
            f"linalg.vector_norm cannot compute the {order} norm on an empty tensor because the operation does not "
            "have an identity"
        )
    return reduction.vector_norm(input, order, dim_argument(input, dim), keepdim, kind)


_max_type, _min_type = (return_type(name, "values", "indices") for name in ("max", "min"))


@public
def max(input: Tensor, dim: int | Tensor | None = None, keepdim: bool = False, *, other: Tensor | None = None) -> Any:
    """The largest element; with `dim`, (values, indices) along it; with a second tensor, the larger of each pair."""
    if isinstance(dim, Tensor) or other is not None:
        _refuse_keepdim(keepdim)
        return maximum(input, dim if other is None else other)
    return _extremum(input, dim, keepdim, reduction.max_all, order.max_dim, np.argmax, _max_type)


@public
def min(input: Tensor, dim: int | Tensor | None = None, keepdim: bool = False, *, other: Tensor | None = None) -> Any:
    """The smallest element; with `dim`, (values, indices) along it; with a second tensor, the smaller of each pair."""
    if isinstance(dim, Tensor) or other is not None:
        _refuse_keepdim(keepdim)
        return minimum(input, dim if other is None else other)
    return _extremum(input, dim, keepdim, reduction.min_all, order.min_dim, np.argmin, _min_type)


def _extremum(input: Any, dim: Any, keepdim: bool, of_all: Any, along: Any, find: Any, pair: Any) -> Any:
    name, array = pair.__name__, input._value
    if dim is None:
        if array.size == 0:
            raise _needs_dim(name, RuntimeError)
        return of_all(input)
    dim = check_dim(dim, len(array.shape))
    if array.shape and array.shape[dim] == 0:
        raise IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")
    indices = find(array, axis=dim, keepdims=keepdim) if array.shape else np.zeros_like(array, dtype=np.int64)
    return pair(along(input, dim, keepdim, plain(indices)))


def _needs_dim(name: str, error: type[Exception]) -> Exception:
    more = " Specify the reduction dim with the 'dim' argument." if error is RuntimeError else ""
    return error(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.{more}")


@public
def amax(input: Tensor, dim: int | Sequence[int] | None = (), keepdim: bool = False) -> Tensor:
    """The largest element over the dimensions `dim`, all by default."""
    return _extreme("amax", reduction.amax, input, dim, keepdim)


@public
def amin(input: Tensor, dim: int | Sequence[int] | None = (), keepdim: bool = False) -> Tensor:
    """The smallest element over the dimensions `dim`, all by default."""
    return _extreme("amin", reduction.amin, input, dim, keepdim)


def _extreme(name: str, operation: Any, input: Any, dim: Any, keepdim: bool) -> Any:
    dims = normalize_dims(() if dim is None else dim, len(input._value.shape))
    if input._value.size == 0:
        if dim in (None, ()):
            raise _needs_dim(name, RuntimeError)
        for d in dims:
            if input._value.shape[d] == 0:
                raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")
    return operation(input, dims, keepdim)


@public
def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Where the largest element stands: in the flattened tensor, or along `dim`. The first of several."""
    return _place("argmax", np.argmax, input, dim, keepdim)


@public
def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Where the smallest element stands: in the flattened tensor, or along `dim`. The first of several."""
    return _place("argmin", np.argmin, input, dim, keepdim)


def _place(name: str, find: Any, input: Any, dim: int | None, keepdim: bool) -> Any:
    array = input._value
    if array.dtype.kind == "b":
        raise RuntimeError(f"{name}(): does not support bool input")
    dim = None if dim is None else check_dim(dim, len(array.shape))
    if array.size == 0:
        if dim is None:
            raise _needs_dim(name, IndexError)
        if array.shape[dim] == 0:
            raise IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")
    return plain(find(array, axis=dim if array.shape else None, keepdims=keepdim))


@public
def all(input: Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False) -> Tensor:
    """Whether all elements are non-zero."""
    return _truth(np.all, input, dim, keepdim)


@public
def any(input: Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False) -> Tensor:
    """Whether some element is non-zero."""
    return _truth(np.any, input, dim, keepdim)


def _truth(ask: Any, input: Any, dim: Any, keepdim: bool) -> Any:
    kind = np.uint8 if input._value.dtype == np.uint8 else bool  # from before there was a bool type
    return plain(ask(input._value, axis=dim_argument(input, dim), keepdims=keepdim).astype(kind))


@public
def softmax(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """exp(aᵢ) / Σⱼ exp(aⱼ) along `dim`."""
    input = input if dtype is None else cast(input, to_numpy_dtype(dtype))
    return reduction.softmax(input, _softmax_dim("softmax", input, dim))


@public
def log_softmax(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """ln softmax, without overflow."""
    input = input if dtype is None else cast(input, to_numpy_dtype(dtype))
    return reduction.log_softmax(input, _softmax_dim("log_softmax", input, dim))


def _softmax_dim(function: str, input: Any, dim: int) -> int:
    ndim = len(input._value.shape)
    dim = check_dim(dim, ndim)
    last = "_lastdim" if dim == ndim - 1 else ""
    require_kind(input._value, "f", f"{function}{last}_kernel_impl")
    return dim


@public
def logsumexp(input: Tensor, dim: int | Sequence[int], keepdim: bool = False) -> Tensor:
    """ln Σ exp(aᵢ) over the dimensions `dim`, without overflow."""
    if input._value.dtype.kind != "f":
        input = cast(input, default_numpy_dtype())
    return reduction.logsumexp(input, normalize_dims(dim, len(input._value.shape)), keepdim)


@public(out=False)
def count_nonzero(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """How many elements are not zero: in all, or along the dimensions `dim`."""
    return plain((input._value != 0).sum(axis=dim_argument(input, dim), dtype=np.int64))
