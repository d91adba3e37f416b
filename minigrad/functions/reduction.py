"""Reductions: sums, means, extrema, norms, softmax."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autograd.variable import TensorBase as Tensor
from ..dtypes import dtype, to_numpy_dtype
from ..hints import Unfit, with_hint
from ..ops import reduction
from ..ops.errors import check_dim, normalize_dims, require_kind, type_letter
from ..ops.pointwise import maximum, minimum
from ..ops.primitive import plain
from ..table import public
from .arguments import ALL, cast, dim_argument, pair
from .order import max_dim, min_dim


@public
def sum(
    input: Tensor, dim: int | Sequence[int] | None = ALL, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """Σ of all elements, or over the dimensions `dim`. Integers and bools are summed as int64."""
    kind = _kind(input, dtype)
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


def _kind(input: Any, dtype: Any) -> np.dtype:
    """The type of a sum: integers and bools are summed as int64, if nothing else is asked for."""
    if dtype is not None:
        return to_numpy_dtype(dtype)
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
def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Tensor:
    """Π of all elements, or along one dimension. Integers and bools are multiplied as int64."""
    kind = _kind(input, dtype)
    if dim is None:
        return reduction.prod_all(input, kind)
    return reduction.prod_dim(input, check_dim(dim, input.ndim), keepdim, kind)


def _running(rule: Any) -> Any:
    def running(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
        return rule(input, check_dim(dim, input.ndim), _kind(input, dtype))

    return running


public(_running(reduction.cumsum), name="cumsum", inplace=True, doc="Running sums along a dimension.")
public(_running(reduction.cumprod), name="cumprod", inplace=True, doc="Running products along a dimension.")


def _variance(rule: Any, gives: str = "Tensor") -> Any:
    def variance(
        input: Tensor,
        dim: bool | int | Sequence[int] | None = None,
        unbiased: bool = True,
        keepdim: bool = False,
        *,
        correction: float | None = None,
    ) -> Any:
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        if input._value.dtype.kind != "f":
            name = rule.__name__ if "_" in rule.__name__ else "std and var"
            raise RuntimeError(f"{name} only support floating point and complex dtypes")
        dim, correction = dim_argument(input, dim), int(unbiased) if correction is None else correction
        if reduction.count(input._value.shape, dim) <= correction:
            warnings.warn(
                f"{rule.__name__}(): degrees of freedom is <= 0. Correction should be strictly less than the "
                "reduction factor (input numel divided by output numel).",
                UserWarning,
                stacklevel=3,
            )
        return rule(input, dim, correction, keepdim)

    variance.__annotations__["return"] = gives
    return variance


_VARIANCE = "Σ (aᵢ - mean)² / (n - correction); the correction is 1 unless `unbiased=False`."
public(_variance(reduction.var), name="var", doc=_VARIANCE)
public(_variance(reduction.std), name="std", doc="√var.")


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
        raise RuntimeError(f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {letter}")
    order = 2 if p in ("fro", None) else p
    if input._value.size == 0 and (order < 0 or order == float("inf")):
        raise RuntimeError(f"norm: no elements have no {order} norm")
    return reduction.vector_norm(input, order, dim_argument(input, dim), keepdim, kind)


def _extremum(rule: Any, along: Any, of_two: Any, find: Any) -> Any:
    name = find.__name__.removeprefix("arg")

    def extremum(
        input: Tensor, dim: int | Tensor | None = None, keepdim: bool = False, *, other: Tensor | None = None
    ) -> Any:
        if isinstance(dim, Tensor) or other is not None:
            _refuse_keepdim(keepdim)
            return of_two(input, dim if other is None else other)
        array = input._value
        if dim is None:
            _refuse_nothing(name, array, None)
            return rule(input)
        dim = check_dim(dim, len(array.shape))
        _refuse_nothing(name, array, (dim,))
        indices = find(array, axis=dim, keepdims=keepdim) if array.shape else np.zeros_like(array, dtype=np.int64)
        return pair(along, input, dim, keepdim, plain(indices))

    return extremum


def _refuse_nothing(name: str, array: Any, dims: Any, error: type[Exception] = RuntimeError) -> None:
    """Raise PyTorch's error if one of no elements is to be chosen."""
    if dims is None and array.size == 0:
        more = " Specify the reduction dim with the 'dim' argument." if error is RuntimeError else ""
        raise error(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.{more}")
    for d in (dims or ()) if array.shape else ():
        if array.shape[d] == 0:
            raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")


_MORE = "element; with `dim`, (values, indices) along it; with a second tensor, the {} of each pair."
max = public(
    _extremum(reduction.max_all, max_dim, maximum, np.argmax),
    name="max",
    doc="The largest " + _MORE.format("larger"),
)
min = public(
    _extremum(reduction.min_all, min_dim, minimum, np.argmin),
    name="min",
    doc="The smallest " + _MORE.format("smaller"),
)


def _extreme(rule: Any) -> Any:
    def extreme(input: Tensor, dim: int | Sequence[int] | None = (), keepdim: bool = False) -> Tensor:
        dims = normalize_dims(() if dim is None else dim, input.ndim)
        _refuse_nothing(rule.__name__, input._value, None if dim in (None, ()) else dims)
        return rule(input, dims, keepdim)

    return extreme


public(_extreme(reduction.amax), name="amax", doc="The largest element over the dimensions `dim`, all by default.")
public(_extreme(reduction.amin), name="amin", doc="The smallest element over the dimensions `dim`, all by default.")


def _place(find: Any) -> Any:
    def place(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
        array, name = input._value, find.__name__
        if array.dtype.kind == "b":
            raise RuntimeError(f"{name}(): does not support bool input")
        dim = None if dim is None else check_dim(dim, len(array.shape))
        _refuse_nothing(name, array, None if dim is None else (dim,), IndexError)
        return plain(find(array, axis=dim if array.shape else None, keepdims=keepdim))

    return place


_WHERE = "Where the {} element stands: in the flattened tensor, or along `dim`. The first of several."
public(_place(np.argmax), name="argmax", doc=_WHERE.format("largest"))
public(_place(np.argmin), name="argmin", doc=_WHERE.format("smallest"))


def _truth(ask: Any) -> Any:
    def truth(input: Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False) -> Tensor:
        kind = np.uint8 if input._value.dtype == np.uint8 else bool  # from before there was a bool type
        return plain(ask(input._value, axis=dim_argument(input, dim), keepdims=keepdim).astype(kind))

    return truth


public(_truth(np.all), name="all", doc="Whether all elements are non-zero.")
public(_truth(np.any), name="any", doc="Whether some element is non-zero.")


def _softmax(rule: Any) -> Any:
    def softmax(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
        input = input if dtype is None else cast(input, to_numpy_dtype(dtype))
        dim = check_dim(dim, input.ndim)
        last = "_lastdim" if dim == input.ndim - 1 else ""
        require_kind(input._value, "f", f"{rule.__name__}{last}_kernel_impl")
        return rule(input, dim)

    return softmax


public(_softmax(reduction.softmax), name="softmax", doc="exp(aᵢ) / Σⱼ exp(aⱼ) along `dim`.")
public(_softmax(reduction.log_softmax), name="log_softmax", doc="ln softmax, without overflow.")
