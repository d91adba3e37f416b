"""Reductions: sums, means, extrema, norms, softmax. They accept numpy's `axis` and `keepdims`, too."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.variable import TensorBase, make_tensor
from ..dtypes import default_numpy_dtype, to_numpy_dtype
from ..hints import with_hint
from ..ops import reduction, shape
from ..ops.errors import check_dim, require_kind, type_letter
from ..ops.reduction import normalize_dims
from .arguments import cast, dim_argument, require_tensor, return_type
from .pointwise import maximum, minimum

__all__ = [
    "all", "amax", "amin", "any", "argmax", "argmin", "count_nonzero", "cumprod", "cumsum", "log_softmax", "logsumexp",
    "max", "mean", "median", "min", "norm", "prod", "softmax", "std", "sum", "var",
]  # fmt: skip


def sum(
    input: Any, dim: Any = None, keepdim: bool = False, *, axis: Any = None, keepdims: bool = False, dtype: Any = None
) -> Any:
    """Σ of all elements, or over the dimensions `dim`. Integers and bools are summed as int64."""
    require_tensor("sum", "input", 1, input)
    kind = _sum_dtype(input) if dtype is None else to_numpy_dtype(dtype)
    dim = dim_argument(input, axis if dim is None else dim)
    if dim is None and not (keepdim or keepdims):
        return reduction.sum_all(input, kind)
    dim = tuple(range(len(input._value.shape))) if dim is None else dim
    return reduction.sum_dim(input, dim, keepdim or keepdims, kind)


def _sum_dtype(input: Any) -> np.dtype:
    """Integers and bools are summed as int64."""
    return input._value.dtype if input._value.dtype.kind == "f" else np.dtype(np.int64)


def mean(
    input: Any, dim: Any = None, keepdim: bool = False, *, axis: Any = None, keepdims: bool = False, dtype: Any = None
) -> Any:
    """The mean of all elements, or over the dimensions `dim`. Only for floating-point tensors."""
    require_tensor("mean", "input", 1, input)
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
    dim = dim_argument(input, axis if dim is None else dim)
    if dim is None and not (keepdim or keepdims):
        return reduction.mean_all(input, kind)
    dim = tuple(range(len(input._value.shape))) if dim is None else dim
    return reduction.mean_dim(input, dim, keepdim or keepdims, kind)


def prod(input: Any, dim: int | None = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Π of all elements, or along one dimension."""
    if dtype is not None:
        input = cast(input, to_numpy_dtype(dtype))
    if dim is None:
        return reduction.prod_all(input)
    return reduction.prod_dim(input, check_dim(dim, len(input._value.shape)), keepdim)


def cumsum(input: Any, dim: int) -> Any:
    """Running sums along a dimension."""
    return reduction.cumsum(input, check_dim(dim, len(input._value.shape)))


def cumprod(input: Any, dim: int) -> Any:
    """Running products along a dimension."""
    return reduction.cumprod(input, check_dim(dim, len(input._value.shape)))


def var(
    input: Any, dim: Any = None, unbiased: bool = True, keepdim: bool = False, *, correction: int | None = None
) -> Any:
    """Σ (aᵢ - mean)² / (n - correction); the correction is 1 unless `unbiased=False`."""
    return _variance(reduction.var, input, dim, unbiased, keepdim, correction)


def std(
    input: Any, dim: Any = None, unbiased: bool = True, keepdim: bool = False, *, correction: int | None = None
) -> Any:
    """√var."""
    return _variance(reduction.std, input, dim, unbiased, keepdim, correction)


def _variance(operation: Any, input: Any, dim: Any, unbiased: bool, keepdim: bool, correction: int | None) -> Any:
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if input._value.dtype.kind != "f":
        raise RuntimeError("std and var only support floating point and complex dtypes")
    return operation(input, dim_argument(input, dim), int(unbiased) if correction is None else correction, keepdim)


def norm(input: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False) -> Any:
    """(Σ |aᵢ|ᵖ)^(1/p), by default the Euclidean length."""
    order = 2 if p in ("fro", None) else p
    if input._value.dtype.kind != "f":
        raise RuntimeError(
            f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {type_letter(input._value)}"
        )
    return reduction.vector_norm(input, order, dim_argument(input, dim), keepdim)


def median(input: Any) -> Any:
    """The middle element; the lower one of two."""
    require_kind(input._value, "fiu", "median_cpu")
    return reduction.median_all(input)


_max_type, _min_type = (return_type(name, "values", "indices") for name in ("max", "min"))


def max(input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """The largest element; with `dim`, (values, indices) along it; with a second tensor, the larger of each pair."""
    if isinstance(dim, TensorBase) or other is not None:
        return maximum(input, dim if other is None else other)
    return _extremum(input, dim, keepdim, reduction.max_all, reduction.max_dim, np.argmax, _max_type)


def min(input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """The smallest element; with `dim`, (values, indices) along it; with a second tensor, the smaller of each pair."""
    if isinstance(dim, TensorBase) or other is not None:
        return minimum(input, dim if other is None else other)
    return _extremum(input, dim, keepdim, reduction.min_all, reduction.min_dim, np.argmin, _min_type)


def _extremum(input: Any, dim: Any, keepdim: bool, of_all: Any, along: Any, find: Any, pair: Any) -> Any:
    if input._value.size == 0 and dim is None:
        name = of_all.__name__.removesuffix("_all")
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
            "with the 'dim' argument."
        )
    if dim is None:
        return of_all(input)
    ndim = len(input._value.shape)
    dim = check_dim(dim, ndim)
    if ndim == 0:
        return pair((shape.alias(input), make_tensor(np.array(0))))
    indices = make_tensor(np.expand_dims(find(input._value, axis=dim), dim))
    values, places = along(input, dim, keepdim, indices)
    return pair((values, make_tensor(places._value)))


def amax(input: Any, dim: Any = (), keepdim: bool = False) -> Any:
    """The largest element over the dimensions `dim`, all by default."""
    return reduction.amax(input, normalize_dims(dim, len(input._value.shape)), keepdim)


def amin(input: Any, dim: Any = (), keepdim: bool = False) -> Any:
    """The smallest element over the dimensions `dim`, all by default."""
    return reduction.amin(input, normalize_dims(dim, len(input._value.shape)), keepdim)


def argmax(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """Where the largest element stands: in the flattened tensor, or along `dim`. The first of several."""
    if input._value.dtype.kind == "b":
        raise RuntimeError("argmax(): does not support bool input")
    return make_tensor(np.asarray(np.argmax(input._value, axis=dim, keepdims=keepdim and dim is not None)))


def argmin(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """Where the smallest element stands: in the flattened tensor, or along `dim`. The first of several."""
    if input._value.dtype.kind == "b":
        raise RuntimeError("argmin(): does not support bool input")
    return make_tensor(np.asarray(np.argmin(input._value, axis=dim, keepdims=keepdim and dim is not None)))


def all(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Whether all elements are non-zero."""
    return make_tensor(np.asarray(np.all(input._value, axis=dim_argument(input, dim), keepdims=keepdim)))


def any(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Whether some element is non-zero."""
    return make_tensor(np.asarray(np.any(input._value, axis=dim_argument(input, dim), keepdims=keepdim)))


def softmax(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """exp(aᵢ) / Σⱼ exp(aⱼ) along `dim`."""
    input = input if dtype is None else cast(input, to_numpy_dtype(dtype))
    return reduction.softmax(input, _softmax_dim("softmax", input, dim))


def log_softmax(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """ln softmax, without overflow."""
    input = input if dtype is None else cast(input, to_numpy_dtype(dtype))
    return reduction.log_softmax(input, _softmax_dim("log_softmax", input, dim))


def _softmax_dim(function: str, input: Any, dim: int) -> int:
    ndim = len(input._value.shape)
    dim = check_dim(dim, ndim)
    last = "_lastdim" if dim == ndim - 1 else ""
    require_kind(input._value, "f", f"{function}{last}_kernel_impl")
    return dim


def logsumexp(input: Any, dim: Any, keepdim: bool = False) -> Any:
    """ln Σ exp(aᵢ) over the dimensions `dim`, without overflow."""
    if input._value.dtype.kind != "f":
        input = cast(input, default_numpy_dtype())
    return reduction.logsumexp(input, normalize_dims(dim, len(input._value.shape)), keepdim)


def count_nonzero(input: Any, dim: Any = None) -> Any:
    """How many elements are not zero: in all, or along the dimensions `dim`."""
    return make_tensor(np.asarray(np.count_nonzero(input._value, axis=dim_argument(input, dim))))
