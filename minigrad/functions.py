"""PyTorch's signatures over the operations of `ops/`: what `minigrad.sum`, `minigrad.where` and most methods are.

An operation in `ops/` is one formula on normalized arguments. Here stand the many ways in which a user may write it:
defaults, keywords, negative dimensions, numbers in the place of tensors, and the errors for what PyTorch refuses.
Operations that need none of this are themselves the function: `exp` is `ops.pointwise.exp`.
"""

from __future__ import annotations

import builtins
import math
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .autograd.variable import TensorBase, make_alias, make_tensor
from .dtypes import default_numpy_dtype, dtype, from_numpy_dtype, result_numpy_dtype, to_numpy_dtype
from .hints import with_hint
from .ops import indexing, linalg, pointwise, reduction, shape
from .ops.errors import check_dim, not_for, require_kind, type_letter, type_name
from .ops.inplace import expand_error
from .ops.inplace import index_put as index_put_written
from .ops.pointwise import (
    abs,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    ceil,
    clone,
    cos,
    cosh,
    eq,
    erf,
    erfc,
    exp,
    exp2,
    expm1,
    floor,
    frac,
    ge,
    gt,
    le,
    log,
    log1p,
    log2,
    log10,
    lt,
    ne,
    neg,
    reciprocal,
    relu,
    round,
    rsqrt,
    sgn,
    sigmoid,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    trunc,
)
from .ops.primitive import shape_error
from .ops.reduction import normalize_dims
from .printing import tensor_text

__all__ = [
    "abs", "absolute", "acos", "acosh", "add", "addcdiv", "addcmul", "addmm", "all", "allclose", "amax", "amin",
    "any", "arccos", "arcsin", "arctan", "arctan2", "argmax", "argmin", "argsort", "argwhere", "asin", "asinh",
    "atan", "atan2", "atanh", "bincount", "bitwise_and", "bitwise_or", "bitwise_xor", "bmm", "broadcast_tensors",
    "broadcast_to", "cat", "ceil", "chunk", "clamp", "clamp_max", "clamp_min", "clip", "clone", "column_stack",
    "concat", "cos", "cosh", "count_nonzero", "cumprod", "cumsum", "det", "detach", "diag", "diagonal", "diff", "div",
    "divide", "dot", "dstack", "einsum", "eq", "equal", "erf", "erfc", "exp", "exp2", "expm1", "flatten", "flip",
    "fliplr", "flipud", "floor", "floor_divide", "fmod", "frac", "gather", "ge", "ger", "greater", "greater_equal",
    "gt", "hstack", "index_add", "index_copy", "index_fill", "index_put", "index_select", "inverse", "is_complex",
    "is_floating_point", "is_nonzero", "is_tensor", "isclose", "isfinite", "isinf", "isnan", "le", "lerp", "less",
    "less_equal", "log", "log10", "log1p", "log2", "log_softmax", "logaddexp", "logical_and", "logical_not",
    "logical_or", "logical_xor", "logsumexp", "lt", "masked_fill", "masked_select", "matmul", "max", "maximum",
    "mean", "median", "meshgrid", "min", "minimum", "mm", "moveaxis", "movedim", "mul", "multiply", "mv",
    "nan_to_num", "narrow", "ne", "neg", "negative", "nonzero", "norm", "not_equal", "numel", "outer", "permute",
    "positive", "pow", "prod", "ravel", "reciprocal", "relu", "remainder", "repeat_interleave", "reshape", "roll",
    "round", "rsqrt", "rsub", "scatter", "scatter_add", "select", "sgn", "sigmoid", "sign", "sin", "sinh", "slogdet",
    "softmax", "sort", "split", "sqrt", "square", "squeeze", "stack", "std", "sub", "subtract", "sum", "swapaxes",
    "swapdims", "t", "take", "take_along_dim", "tan", "tanh", "tile", "topk", "trace", "transpose", "tril", "triu",
    "true_divide", "trunc", "unbind", "unflatten", "unique", "unsqueeze", "var", "vstack", "where", "xlogy",
]  # fmt: skip


def is_tensor(obj: Any) -> bool:
    """Whether `obj` is a tensor."""
    return isinstance(obj, TensorBase)


def _require_tensor(function: str, name: str, position: int, value: Any) -> None:
    if not isinstance(value, TensorBase):
        raise with_hint(
            TypeError(f"{function}(): argument '{name}' (position {position}) must be Tensor, not {type_name(value)}"),
            "Make a tensor of it first: torch.tensor(…).",
            "请先把它转换成张量：torch.tensor(…)。",
        )


def _as_operand(value: Any) -> Any:
    """A number as it is, a tensor as it is; a numpy number as Python's."""
    return value.item() if isinstance(value, np.generic) else value


def _binary(function: str, operation: Any, input: Any, other: Any) -> Any:
    result = operation(_as_operand(input), _as_operand(other))
    if result is NotImplemented or not isinstance(result, TensorBase):
        if not isinstance(input, TensorBase | int | float):
            _require_tensor(function, "input", 1, input)
        _require_tensor(function, "input", 1, input) if isinstance(other, int | float) else None
        _require_tensor(function, "other", 2, other)
    return result


def _operands(function: str, input: Any, other: Any) -> tuple[Any, Any]:
    """Two operands, cast to their common type."""
    _require_tensor(function, "input", 1, input)
    other = _as_operand(other)
    if not isinstance(other, TensorBase | int | float):
        _require_tensor(function, "other", 2, other)
    kind = result_numpy_dtype(*(t._value if isinstance(t, TensorBase) else t for t in (input, other)))
    return _cast(input, kind), _cast(other, kind) if isinstance(other, TensorBase) else other


# ---------------------------------------------------------------------------------------------------------------------
# Arithmetic


def add(input: Any, other: Any, *, alpha: float = 1) -> Any:
    """input + alpha · other."""
    if alpha != 1:
        return pointwise.add_scaled(*_operands("add", input, other), alpha)
    return _binary("add", pointwise.add, input, other)


def sub(input: Any, other: Any, *, alpha: float = 1) -> Any:
    """input - alpha · other."""
    if alpha != 1:
        pointwise.check_subtraction(*(t._value if isinstance(t, TensorBase) else t for t in (input, other)))
        return pointwise.sub_scaled(*_operands("sub", input, other), alpha)
    return _binary("sub", pointwise.sub, input, other)


def mul(input: Any, other: Any) -> Any:
    """input · other, element by element."""
    return _binary("mul", pointwise.mul, input, other)


def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """input / other. With `rounding_mode` "floor" or "trunc" the quotient is rounded down or toward zero."""
    if rounding_mode is None:
        return _binary("div", pointwise.div, input, other)
    if rounding_mode == "floor":
        return floor_divide(input, other)
    if rounding_mode == "trunc":
        return trunc(_binary("div", pointwise.div, input, other))
    raise RuntimeError(f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'")


def floor_divide(input: Any, other: Any) -> Any:
    """⌊input / other⌋. Raises RuntimeError for an integer division by zero."""
    _check_integer_division("div_floor_cpu", input, other)
    if isinstance(input, TensorBase) and isinstance(other, TensorBase):
        return pointwise.floor_divide(*_operands("floor_divide", input, other))
    number, tensor = (other, input) if isinstance(input, TensorBase) else (input, other)
    tensor = _cast(tensor, result_numpy_dtype(tensor._value, number))
    return pointwise.floor_divide_number(tensor, number, isinstance(input, TensorBase))


def _check_integer_division(kernel: str, input: Any, other: Any) -> None:
    dividend, divisor = (v._value if isinstance(v, TensorBase) else np.asarray(v) for v in (input, other))
    kinds = dividend.dtype.kind + divisor.dtype.kind
    if kinds == "bb":
        raise not_for(kernel, "Bool")
    if "f" not in kinds and not np.all(divisor):
        raise RuntimeError("ZeroDivisionError")


def remainder(input: Any, other: Any) -> Any:
    """The rest of input / other, with the sign of `other`, as Python's %."""
    _check_integer_division("remainder_cpu", input, other)
    if not isinstance(input, TensorBase) and isinstance(input, int | float):
        return pointwise.remainder_of_number(input, _cast(other, result_numpy_dtype(input, other._value)))
    if isinstance(other, int | float):
        return pointwise.remainder_number(_cast(input, result_numpy_dtype(input._value, other)), other)
    return _binary("remainder", pointwise.remainder, input, other)


def fmod(input: Any, other: Any) -> Any:
    """The rest of input / other, with the sign of `input`, as in C."""
    if isinstance(input, TensorBase) and isinstance(other, int | float):
        return pointwise.fmod_number(input, other)
    return _binary("fmod", pointwise.fmod, input, other)


def pow(input: Any, exponent: Any) -> Any:
    """input to the power of exponent; either may be a number."""
    input, exponent = _as_operand(input), _as_operand(exponent)
    for name, position, operand in (("input", 1, input), ("exponent", 2, exponent)):
        if not isinstance(operand, TensorBase | int | float):
            _require_tensor("pow", name, position, operand)
    if not isinstance(input, TensorBase) and not isinstance(exponent, TensorBase):
        _require_tensor("pow", "input", 1, input)
    kind = result_numpy_dtype(*(t._value if isinstance(t, TensorBase) else t for t in (input, exponent)))
    if isinstance(exponent, TensorBase):
        if kind.kind == "b":
            raise not_for("pow", "Bool")
        exponent = _cast(exponent, kind)
        if isinstance(input, TensorBase):
            return pointwise.pow_tensor(_cast(input, kind), exponent)
        return pointwise.pow_of_number(input, exponent)
    if kind.kind in "iu" and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return pointwise.pow_number(_cast(input, kind), exponent)


def square(input: Any) -> Any:
    """input²."""
    return pow(input, 2)


def _cast(tensor: Any, numpy_dtype: np.dtype) -> Any:
    return tensor if tensor._value.dtype == numpy_dtype else pointwise.to_copy(tensor, numpy_dtype)


def atan2(input: Any, other: Any) -> Any:
    """The angle of the point (other, input)."""
    return _binary("atan2", pointwise.atan2, input, other)


def maximum(input: Any, other: Any) -> Any:
    """The larger of each pair of elements."""
    return _binary("maximum", pointwise.maximum, input, other)


def minimum(input: Any, other: Any) -> Any:
    """The smaller of each pair of elements."""
    return _binary("minimum", pointwise.minimum, input, other)


def logical_and(input: Any, other: Any) -> Any:
    """Whether both are non-zero."""
    return _binary("logical_and", pointwise.logical_and, input, other)


def logical_or(input: Any, other: Any) -> Any:
    """Whether at least one is non-zero."""
    return _binary("logical_or", pointwise.logical_or, input, other)


def logical_not(input: Any) -> Any:
    """Whether it is zero."""
    return _untracked(np.logical_not(input._value))


def _untracked(value: Any) -> Any:
    return make_tensor(value)


def clamp(input: Any, min: Any = None, max: Any = None) -> Any:
    """`input`, but nowhere below `min` and nowhere above `max`; either may be None, a number or a tensor."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if isinstance(min, TensorBase) or isinstance(max, TensorBase):
        result = input if min is None else maximum(input, min)
        return result if max is None else minimum(result, max)
    min, max = _as_operand(min), _as_operand(max)
    return pointwise.clamp(_cast(input, _clamped(input, min, max)), min, max)


def _clamped(input: Any, *bounds: Any) -> np.dtype:
    return result_numpy_dtype(input._value, *(bound for bound in bounds if bound is not None))


def where(condition: Any, input: Any = None, other: Any = None) -> Any:
    """`input` where `condition` holds, else `other`. With the condition alone: the indices where it holds."""
    if input is None and other is None:
        return tuple(make_tensor(indices) for indices in np.nonzero(condition._value))
    return pointwise.where(condition, input, other)


def masked_fill(input: Any, mask: Any, value: Any) -> Any:
    """`value` where `mask` is True, `input` elsewhere."""
    if mask._value.dtype.kind != "b":
        raise RuntimeError(
            "masked_fill only supports boolean masks, but got dtype " + from_numpy_dtype(mask._value.dtype).name
        )
    return pointwise.masked_fill(input, mask, value.item() if isinstance(value, TensorBase) else value)


def lerp(input: Any, end: Any, weight: Any) -> Any:
    """input + weight · (end - input)."""
    require_kind(input._value, "f", f"lerp_kernel_{'tensor' if isinstance(weight, TensorBase) else 'scalar'}")
    return (
        pointwise.lerp(input, end, weight)
        if isinstance(weight, TensorBase)
        else pointwise.lerp_number(input, end, weight)
    )


def isnan(input: Any) -> Any:
    """Where `input` is nan."""
    return _untracked(np.isnan(input._value))


def isinf(input: Any) -> Any:
    """Where `input` is infinite."""
    return _untracked(np.isinf(input._value))


def isfinite(input: Any) -> Any:
    """Where `input` is neither nan nor infinite."""
    return _untracked(np.isfinite(input._value))


def isclose(input: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Where |input - other| ≤ atol + rtol · |other|."""
    return _untracked(np.isclose(input._value, other._value, rtol, atol, equal_nan))


def allclose(input: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Whether |input - other| ≤ atol + rtol · |other| everywhere."""
    return bool(np.allclose(input._value, other._value, rtol, atol, equal_nan))


def equal(input: Any, other: Any) -> bool:
    """Whether both have the same shape and the same elements."""
    _require_tensor("equal", "input", 1, input)
    _require_tensor("equal", "other", 2, other)
    return bool(np.array_equal(input._value, other._value))


# ---------------------------------------------------------------------------------------------------------------------
# Reductions. PyTorch accepts numpy's `axis` and `keepdims`, too.


def _dim_argument(input: Any, dim: Any) -> tuple[int, ...] | None:
    return None if dim is None else normalize_dims(dim, len(input._value.shape))


def sum(
    input: Any, dim: Any = None, keepdim: bool = False, *, axis: Any = None, keepdims: bool = False, dtype: Any = None
) -> Any:
    """Σ of all elements, or over the dimensions `dim`. Integers and bools are summed as int64."""
    _require_tensor("sum", "input", 1, input)
    kind = _sum_dtype(input) if dtype is None else to_numpy_dtype(dtype)
    dim = _dim_argument(input, axis if dim is None else dim)
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
    _require_tensor("mean", "input", 1, input)
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
    dim = _dim_argument(input, axis if dim is None else dim)
    if dim is None and not (keepdim or keepdims):
        return reduction.mean_all(input, kind)
    dim = tuple(range(len(input._value.shape))) if dim is None else dim
    return reduction.mean_dim(input, dim, keepdim or keepdims, kind)


def prod(input: Any, dim: int | None = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Π of all elements, or along one dimension."""
    if dtype is not None:
        input = _cast(input, to_numpy_dtype(dtype))
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
    return operation(input, _dim_argument(input, dim), int(unbiased) if correction is None else correction, keepdim)


def norm(input: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False) -> Any:
    """(Σ |aᵢ|ᵖ)^(1/p), by default the Euclidean length."""
    order = 2 if p in ("fro", None) else p
    if input._value.dtype.kind != "f":
        raise RuntimeError(
            f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {type_letter(input._value)}"
        )
    return reduction.vector_norm(input, order, _dim_argument(input, dim), keepdim)


class _Extremum(NamedTuple):
    values: Any
    indices: Any


def _return_type(operation: str) -> Any:
    """The named pair that `max(dim=…)` returns, printed as PyTorch prints it."""
    pair = type(operation, (_Extremum,), {"__slots__": ()})

    def __repr__(self: Any) -> str:
        return f"minigrad.return_types.{operation}(\nvalues={self.values!r},\nindices={self.indices!r})"

    pair.__repr__ = __repr__
    return pair


_max_type, _min_type, _sort_type, _topk_type = map(_return_type, ("max", "min", "sort", "topk"))


def median(input: Any) -> Any:
    """The middle element; the lower one of two."""
    require_kind(input._value, "fiu", "median_cpu")
    return reduction.median_all(input)


def sort(input: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """(values, indices): the elements in order along a dimension, and where they stood."""
    dim = check_dim(dim, len(input._value.shape))
    indices = make_tensor(_order(input._value, dim, descending))
    return _sort_type(*reduction.sort(input, dim, indices))


def argsort(input: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """Where the elements in order along a dimension stand."""
    return make_tensor(_order(input._value, check_dim(dim, len(input._value.shape)), descending))


def topk(input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """(values, indices) of the k largest along a dimension, the largest first."""
    dim = check_dim(dim, len(input._value.shape))
    if input._value.dtype.kind == "b":
        raise RuntimeError("topk does not support bool dtypes on CPU")
    if not 0 <= k <= input._value.shape[dim]:
        raise RuntimeError("selected index k out of range")
    indices = np.take(_order(input._value, dim, largest), range(k), dim)
    return _topk_type(*reduction.topk(input, dim, make_tensor(indices)))


def _order(array: Any, dim: int, descending: bool) -> Any:
    if not descending:
        return np.argsort(array, axis=dim, kind="stable")
    backwards = np.argsort(np.flip(array, dim), axis=dim, kind="stable")
    return array.shape[dim] - 1 - np.flip(backwards, dim)


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
        return pair(shape.alias(input), make_tensor(np.array(0)))
    indices = make_tensor(np.expand_dims(find(input._value, axis=dim), dim))
    values, places = along(input, dim, keepdim, indices)
    return pair(values, make_tensor(places._value))


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
    return _untracked(np.asarray(np.argmax(input._value, axis=dim, keepdims=keepdim and dim is not None)))


def argmin(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """Where the smallest element stands: in the flattened tensor, or along `dim`. The first of several."""
    if input._value.dtype.kind == "b":
        raise RuntimeError("argmin(): does not support bool input")
    return _untracked(np.asarray(np.argmin(input._value, axis=dim, keepdims=keepdim and dim is not None)))


def all(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Whether all elements are non-zero."""
    return _untracked(np.asarray(np.all(input._value, axis=_dim_argument(input, dim), keepdims=keepdim)))


def any(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Whether some element is non-zero."""
    return _untracked(np.asarray(np.any(input._value, axis=_dim_argument(input, dim), keepdims=keepdim)))


def softmax(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """exp(aᵢ) / Σⱼ exp(aⱼ) along `dim`."""
    input = input if dtype is None else _cast(input, to_numpy_dtype(dtype))
    return reduction.softmax(input, _softmax_dim("softmax", input, dim))


def log_softmax(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """ln softmax, without overflow."""
    input = input if dtype is None else _cast(input, to_numpy_dtype(dtype))
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
        input = _cast(input, default_numpy_dtype())
    return reduction.logsumexp(input, normalize_dims(dim, len(input._value.shape)), keepdim)


# ---------------------------------------------------------------------------------------------------------------------
# Products


def mm(input: Any, mat2: Any) -> Any:
    """The matrix product of two matrices."""
    _require_tensor("mm", "input", 1, input)
    _require_tensor("mm", "mat2", 2, mat2)
    a, b = input._value.shape, mat2._value.shape
    if len(a) != 2:
        raise RuntimeError("self must be a matrix")
    if len(b) != 2:
        raise RuntimeError("mat2 must be a matrix")
    _check_matrices(a, b)
    _same_dtype(input, mat2, "expected m1 and m2 to have the same dtype, but got: {} != {}")
    require_kind(input._value, "fiu", "addmm_impl_cpu_")
    return linalg.mm(input, mat2)


def _check_matrices(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    if a[1] != b[0]:
        raise with_hint(
            RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({a[0]}x{a[1]} and {b[0]}x{b[1]})"),
            f"The columns of the first ({a[1]}) must be as many as the rows of the second ({b[0]}); perhaps one "
            "needs .t().",
            f"第一个矩阵的列数（{a[1]}）必须等于第二个矩阵的行数（{b[0]}）；也许其中一个需要 .t() 转置。",
        )


def _c_name(d: dtype) -> str:
    names = {"float32": "float", "float64": "double", "float16": "c10::Half", "int64": "long long", "int32": "int"}
    return names.get(d.name, d.name)


def _c_name_of(array: Any) -> str:
    return _c_name(from_numpy_dtype(array.dtype))


def _same_dtype(a: Any, b: Any, message: str, name: Any = _c_name_of) -> None:
    if a._value.dtype != b._value.dtype:
        raise RuntimeError(message.format(name(a._value), name(b._value)))


def mv(input: Any, vec: Any) -> Any:
    """The product of a matrix and a vector."""
    a, b = input._value.shape, vec._value.shape
    if len(a) != 2 or len(b) != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {len(a)}, {len(b)}")
    if a[1] != b[0]:
        raise RuntimeError(f"size mismatch, got input ({a[0]}), mat ({a[0]}x{a[1]}), vec ({b[0]})")
    _same_dtype(input, vec, "expected scalar type {} but found {}")
    require_kind(input._value, "fiu", "addmv_impl_cpu")
    return linalg.mv(input, vec)


def dot(input: Any, tensor: Any) -> Any:
    """Σ aᵢ bᵢ of two vectors."""
    a, b = input._value.shape, tensor._value.shape
    if len(a) != 1 or len(b) != 1:
        raise RuntimeError(f"1D tensors expected, but got {len(a)}D and {len(b)}D tensors")
    if a != b:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{a[0]}] and src [{b[0]}] to have the same number of "
            f"elements, but got {a[0]} and {b[0]} elements respectively"
        )
    _same_dtype(input, tensor, "dot : expected both vectors to have same dtype, but found {} and {}")
    require_kind(input._value, "fiu", "dot")
    return linalg.dot(input, tensor)


def bmm(input: Any, mat2: Any) -> Any:
    """The products of two batches of matrices."""
    if len(input._value.shape) != 3 or len(mat2._value.shape) != 3:
        raise RuntimeError(
            "batch1 must be a 3D tensor" if len(input._value.shape) != 3 else "batch2 must be a 3D tensor"
        )
    require_kind(input._value, "fiu", "bmm")
    return linalg.bmm(input, mat2)


def addmm(input: Any, mat1: Any, mat2: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    """beta · input + alpha · (mat1 @ mat2)."""
    if beta != 1 or alpha != 1:
        return beta * input + alpha * mm(mat1, mat2)
    _check_matrices(mat1._value.shape, mat2._value.shape)
    _same_dtype(input, mat2, "self and mat2 must have the same dtype, but got {} and {}", type_letter)
    require_kind(mat1._value, "fiu", "addmm_impl_cpu_")
    return linalg.addmm(input, mat1, mat2)


def trace(input: Any) -> Any:
    """The sum of the diagonal."""
    if len(input._value.shape) != 2:
        raise RuntimeError("trace: expected a matrix")
    require_kind(input._value, "fiu", "trace")
    return linalg.trace(input)


def outer(input: Any, vec2: Any) -> Any:
    """The matrix of all products aᵢ bⱼ."""
    return pointwise.mul(reshape(input, (-1, 1)), vec2)


def matmul(input: Any, other: Any) -> Any:
    """The product of vectors, matrices, or batches of matrices, by numpy's rules of `@`."""
    _require_tensor("matmul", "input", 1, input)
    _require_tensor("matmul", "other", 2, other)
    a, b = len(input._value.shape), len(other._value.shape)
    if a == 0 or b == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a}D and {b}D")
    if a == 1 and b == 1:
        return dot(input, other)
    if a == 2 and b == 2:
        return mm(input, other)
    if a == 2 and b == 1:
        return mv(input, other)
    if a == 1 and b == 2:
        return squeeze(mm(unsqueeze(input, 0), other), (0,))
    if b <= 2:  # a batch of matrices times one matrix is one tall matrix times it
        rows = reshape(input, (-1, input._value.shape[-1]))
        product = mm(rows, other) if b == 2 else mv(rows, other)
        return shape.unsafe_view(product, (*input._value.shape[:-1], *other._value.shape[1:]))
    if a == 1:
        return squeeze(matmul(unsqueeze(input, 0), other), -2)
    batch = np.broadcast_shapes(input._value.shape[:-2], other._value.shape[:-2])
    matrices = [reshape(expand(m, (*batch, *m._value.shape[-2:])), (-1, *m._value.shape[-2:])) for m in (input, other)]
    product = bmm(*matrices)
    return shape.unsafe_view(product, (*batch, input._value.shape[-2], other._value.shape[-1]))


# ---------------------------------------------------------------------------------------------------------------------
# Shapes


def sizes(args: Sequence[Any]) -> tuple[int, ...]:
    """The sizes meant by `f(2, 3)`, `f((2, 3))`, `f([2, 3])` or `f(Size([2, 3]))`."""
    if len(args) == 1 and isinstance(args[0], tuple | list):
        args = args[0]
    return tuple(int(size) for size in args)


def _inferred(size: tuple[int, ...], numel: int) -> tuple[int, ...]:
    """`size` with a -1 replaced by what is left. Raises PyTorch's error if the elements do not fit."""
    bad = RuntimeError(f"shape '{list(size)}' is invalid for input of size {numel}")
    if size.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if builtins.any(n < -1 for n in size):
        raise RuntimeError(f"invalid shape dimension {builtins.min(size)}")
    if -1 in size:
        rest = math.prod(n for n in size if n != -1)
        if rest == 0 or numel % rest:
            raise bad
        size = tuple(numel // rest if n == -1 else n for n in size)
    if math.prod(size) != numel:
        raise bad
    return size


def view(input: Any, *size: Any) -> Any:
    """The same memory in another shape. Raises RuntimeError if that memory does not lie so that it can be."""
    if len(size) == 1 and isinstance(size[0], dtype):
        return to_dtype_view(input, size[0])
    return shape.view_as_shape(input, _inferred(sizes(size), input._value.size))


def to_dtype_view(input: Any, to: dtype) -> Any:
    """The same memory read as another type."""
    result = make_alias(input)
    result._value = input._array.view(to.numpy)
    return result


def reshape(input: Any, *size: Any) -> Any:
    """The same numbers in another shape: a view where possible, otherwise a copy."""
    size = _inferred(sizes(size), input._value.size)
    in_order = input._array.flags.c_contiguous
    try:
        return shape.view_as_shape(input, size) if in_order else shape.reshape_alias(input, size)
    except RuntimeError:
        return shape.unsafe_view(clone(input), size)


def flatten(input: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """The dimensions from start_dim to end_dim made one."""
    dims = input._value.shape
    if not dims:
        return reshape(input, 1)
    start, end = check_dim(start_dim, len(dims)), check_dim(end_dim, len(dims))
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if start == end:
        return input
    return reshape(input, (*dims[:start], math.prod(dims[start : end + 1]), *dims[end + 1 :]))


def t(input: Any) -> Any:
    """A matrix transposed; a vector or a number as it is."""
    ndim = len(input._value.shape)
    if ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {ndim}D")
    return shape.t(input) if ndim == 2 else shape.t_small(input)


def transpose(input: Any, dim0: int, dim1: int) -> Any:
    """Two dimensions swapped."""
    ndim = len(input._value.shape)
    return shape.transpose(input, check_dim(dim0, ndim), check_dim(dim1, ndim))


def permute(input: Any, *dims: Any) -> Any:
    """The dimensions in the given order."""
    order = sizes(dims)
    ndim = len(input._value.shape)
    if len(order) != ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {ndim} is not equal to len(dims) = {len(order)}"
        )
    order = tuple(check_dim(d, ndim) for d in order)
    if len(set(order)) != ndim:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return shape.permute(input, order)


def squeeze(input: Any, dim: Any = None) -> Any:
    """Dimensions of size 1 removed: all, or those named."""
    if dim is None:
        return shape.squeeze_all(input)
    ndim = len(input._value.shape)
    if isinstance(dim, tuple | list):
        dims = tuple(d for d in normalize_dims(dim, ndim) if input._value.shape[d] == 1)
        return shape.squeeze_dims(input, dims)
    return shape.squeeze_dim(input, check_dim(dim, ndim))


def unsqueeze(input: Any, dim: int) -> Any:
    """A new dimension of size 1 at `dim`."""
    return shape.unsqueeze(input, check_dim(dim, len(input._value.shape) + 1))


def expand(input: Any, *size: Any) -> Any:
    """Dimensions of size 1 repeated without a copy; -1 keeps a size."""
    wanted, have = sizes(size), input._value.shape
    padded = (None,) * (len(wanted) - len(have)) + tuple(have)
    if len(wanted) >= len(have):
        wanted = tuple(h if w == -1 and h is not None else w for w, h in zip(wanted, padded, strict=True))
    try:
        return shape.expand(input, wanted)
    except ValueError:
        raise expand_error(input._value, wanted) from None


broadcast_to = expand


def expand_to_assign(value: Any, size: tuple[int, ...]) -> Any:
    """`value` in the size of what `x[…] = value` writes; leading dimensions of size 1 do not matter."""
    if value._value.shape == size:
        return value
    rest = list(value._value.shape)
    while rest and rest[0] == 1:
        rest.pop(0)
    return expand(view(value, rest), size)


def select(input: Any, dim: int, index: int) -> Any:
    """The slice at one position along a dimension."""
    return indexing.read_position(input, check_dim(dim, len(input._value.shape)), index)


def unbind(input: Any, dim: int = 0) -> Any:
    """The slices along a dimension, as a tuple."""
    if not input._value.shape:
        raise RuntimeError("unbind(): Dimension specified as 0 but tensor has no dimensions")
    return shape.unbind(input, check_dim(dim, len(input._value.shape)))


def split(tensor: Any, split_size_or_sections: Any, dim: int = 0) -> Any:
    """Pieces along a dimension: of one size (the last may be smaller), or of the given sizes."""
    dim = check_dim(dim, len(tensor._value.shape))
    total = tensor._value.shape[dim]
    if isinstance(split_size_or_sections, int):
        piece = split_size_or_sections
        pieces = [builtins.min(piece, total - i) for i in range(0, total, piece)] if piece else [total]
        return shape.split(tensor, tuple(pieces), dim)
    pieces = tuple(split_size_or_sections)
    if builtins.sum(pieces) != total:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {total} (input tensor's size at dimension "
            f"{dim}), but got split_sizes={list(pieces)}"
        )
    return shape.split_with_sizes(tensor, pieces, dim)


def chunk(input: Any, chunks: int, dim: int = 0) -> Any:
    """At most `chunks` pieces of equal size along a dimension."""
    total = input._value.shape[check_dim(dim, len(input._value.shape))]
    return split(input, builtins.max(1, -(-total // chunks)), dim)


def cat(tensors: Any, dim: int = 0) -> Any:
    """Tensors one behind the other along an existing dimension."""
    tensors = tuple(tensors)
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    ndim = len(tensors[0]._value.shape)
    for i, tensor in enumerate(tensors):
        if len(tensor._value.shape) != ndim:
            raise RuntimeError(
                f"Tensors must have same number of dimensions: got {ndim} and {len(tensor._value.shape)}"
            )
        if ndim == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    dim = check_dim(dim, ndim)
    first = tensors[0]._value.shape
    for i, tensor in enumerate(tensors):
        for d, (a, b) in enumerate(zip(first, tensor._value.shape, strict=True)):
            if d != dim and a != b:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected size {a} but got size {b} for "
                    f"tensor number {i} in the list."
                )
    return shape.cat(promoted_together(tensors), dim)


def stack(tensors: Any, dim: int = 0) -> Any:
    """Tensors of one shape along a new dimension."""
    tensors = tuple(tensors)
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = tensors[0]._value.shape
    for i, tensor in enumerate(tensors):
        if tensor._value.shape != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                f"{list(tensor._value.shape)} at entry {i}"
            )
    return shape.stack(promoted_together(tensors), check_dim(dim, len(first) + 1))


def promoted_together(tensors: tuple[Any, ...]) -> tuple[Any, ...]:
    """Tensors cast to their common type."""
    common = result_numpy_dtype(*(t._value for t in tensors))
    return tuple(_cast(t, common) for t in tensors)


def hstack(tensors: Any) -> Any:
    """Tensors side by side: along dimension 1, or 0 for vectors."""
    tensors = tuple(reshape(x, 1) if not x._value.shape else x for x in tensors)
    return cat(tensors, 0 if len(tensors[0]._value.shape) == 1 else 1)


def vstack(tensors: Any) -> Any:
    """Tensors one below the other: along dimension 0, vectors as rows."""
    return cat(tuple(x if len(x._value.shape) > 1 else reshape(x, (1, -1)) for x in tensors), 0)


def flip(input: Any, *dims: Any) -> Any:
    """The order along the given dimensions reversed."""
    return shape.flip(input, normalize_dims(sizes(dims), len(input._value.shape)))


def repeat(input: Any, *repeats: Any) -> Any:
    """Copies of the tensor side by side."""
    times = sizes(repeats)
    if len(times) < len(input._value.shape):
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    return shape.repeat(input, times)


def roll(input: Any, shifts: Any, dims: Any = None) -> Any:
    """The elements moved along, those at the end to the front; over the flattened tensor without `dims`."""
    shifts = (shifts,) if isinstance(shifts, int) else tuple(shifts)
    if dims is None:
        return reshape(shape.roll(reshape(input, -1), shifts, (0,)), input.shape)
    dims = (dims,) if isinstance(dims, int) else tuple(dims)
    return shape.roll(input, shifts, tuple(check_dim(d, len(input._value.shape)) for d in dims))


def movedim(input: Any, source: Any, destination: Any) -> Any:
    """Dimensions moved to other positions, the others in their order."""
    ndim = len(input._value.shape)
    source, destination = (
        tuple(check_dim(d, ndim) for d in ((dims,) if isinstance(dims, int) else dims))
        for dims in (source, destination)
    )
    order = [d for d in range(ndim) if d not in source]
    for target, origin in sorted(zip(destination, source, strict=True)):
        order.insert(target, origin)
    return shape.permute(input, tuple(order))


def narrow(input: Any, dim: int, start: int, length: int) -> Any:
    """The positions start … start + length - 1 along a dimension."""
    dim = check_dim(dim, len(input._value.shape))
    size = input._value.shape[dim]
    start = start + size if start < 0 else start
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return indexing.slice_dim(input, dim, start, start + length, 1)


def tril(input: Any, diagonal: int = 0) -> Any:
    """The lower triangle; 0 above the given diagonal."""
    return shape.tril(input, diagonal)


def triu(input: Any, diagonal: int = 0) -> Any:
    """The upper triangle; 0 below the given diagonal."""
    return shape.triu(input, diagonal)


def diagonal(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """The diagonal of two dimensions, as a view; it becomes the last dimension."""
    ndim = len(input._value.shape)
    return shape.diagonal(input, offset, check_dim(dim1, ndim), check_dim(dim2, ndim))


def diag(input: Any, diagonal: int = 0) -> Any:
    """The diagonal of a matrix; of a vector, the matrix that has it as its diagonal."""
    ndim = len(input._value.shape)
    if ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D")
    return shape.diag_embed(input, diagonal) if ndim == 1 else shape.diagonal_copy(input, diagonal)


def index_select(input: Any, dim: int, index: Any) -> Any:
    """The positions `index` along a dimension."""
    return indexing.index_select(input, check_dim(dim, len(input._value.shape)), index)


def gather(input: Any, dim: int, index: Any) -> Any:
    """At each place of `index` the element that it names along `dim`."""
    if index._value.dtype != np.int64:
        raise RuntimeError("gather(): Expected dtype int32/int64 for index")
    if len(index._value.shape) != len(input._value.shape):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    dim = check_dim(dim, len(input._value.shape))
    size = input._value.shape[dim]
    outside = index._value[(index._value < 0) | (index._value >= size)]
    if outside.size:
        raise RuntimeError(f"index {outside[0]} is out of bounds for dimension {dim} with size {size}")
    return indexing.gather(input, dim, index)


def take_along_dim(input: Any, indices: Any, dim: int) -> Any:
    """As `gather`, with both broadcast to each other in the other dimensions."""
    dim = check_dim(dim, len(input._value.shape))
    common = np.broadcast_shapes(
        *(tuple(1 if d == dim else n for d, n in enumerate(t._value.shape)) for t in (input, indices))
    )
    input_size, indices_size = (
        tuple(t._value.shape[dim] if d == dim else n for d, n in enumerate(common)) for t in (input, indices)
    )
    return gather(expand(input, input_size), dim, expand(indices, indices_size))


def masked_select(input: Any, mask: Any) -> Any:
    """The elements where the mask is True, as a vector."""
    if mask._value.dtype.kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    return indexing.masked_select(input, mask)


def take(input: Any, index: Any) -> Any:
    """The elements at `index` of the flattened tensor."""
    return indexing.take(input, index)


def nonzero(input: Any, *, as_tuple: bool = False) -> Any:
    """The indices of the elements that are not zero: a row for each, or a tuple with a vector for each dimension."""
    found = np.nonzero(input._value)
    return tuple(map(make_tensor, found)) if as_tuple else make_tensor(np.stack(found, axis=1))


def clamp_min(input: Any, min: Any) -> Any:
    """`input`, but nowhere below `min`."""
    return pointwise.clamp_min(_cast(input, _clamped(input, min)), min)


def clamp_max(input: Any, max: Any) -> Any:
    """`input`, but nowhere above `max`."""
    return pointwise.clamp_max(_cast(input, _clamped(input, max)), max)


def numel(input: Any) -> int:
    """How many elements there are."""
    return int(input._value.size)


def is_floating_point(input: Any) -> bool:
    """Whether the element type is a float."""
    return input._value.dtype.kind == "f"


def detach(input: Any) -> Any:
    """The same memory as a tensor that needs no gradient."""
    input._array  # noqa: B018  (a scalar result gets memory, for now it is shared)
    return make_alias(input)


def rsub(input: Any, other: Any) -> Any:
    """other - input."""
    if isinstance(other, TensorBase):
        return sub(other, input)
    other = _as_operand(other)
    pointwise.check_subtraction(other, input._value)
    kind = result_numpy_dtype(input._value, other)
    return pointwise.rsub(_cast(input, kind), other)


# ---------------------------------------------------------------------------------------------------------------------
# Less frequent


def logaddexp(input: Any, other: Any) -> Any:
    """ln(exp(input) + exp(other)), without overflow."""
    return _binary("logaddexp", pointwise.logaddexp, input, other)


def xlogy(input: Any, other: Any) -> Any:
    """input · ln other, and 0 where input is 0."""
    return _binary("xlogy", pointwise.xlogy, input, other)


def logical_xor(input: Any, other: Any) -> Any:
    """Whether exactly one is non-zero."""
    return _binary("logical_xor", pointwise.logical_xor, input, other)


def bitwise_and(input: Any, other: Any) -> Any:
    """Bit by bit, or logical for bool: both."""
    return _binary("bitwise_and", pointwise.bitwise_and, input, other)


def bitwise_or(input: Any, other: Any) -> Any:
    """Bit by bit, or logical for bool: at least one."""
    return _binary("bitwise_or", pointwise.bitwise_or, input, other)


def bitwise_xor(input: Any, other: Any) -> Any:
    """Bit by bit, or logical for bool: exactly one."""
    return _binary("bitwise_xor", pointwise.bitwise_xor, input, other)


def addcmul(input: Any, tensor1: Any, tensor2: Any, *, value: float = 1) -> Any:
    """input + value · tensor1 · tensor2."""
    tensors = promoted_together((input, tensor1, tensor2))
    require_kind(tensors[0]._value, "fiu", "addcmul_cpu_out")
    return pointwise.addcmul(*tensors, value if tensors[0]._value.dtype.kind == "f" else int(value))


def addcdiv(input: Any, tensor1: Any, tensor2: Any, *, value: float = 1) -> Any:
    """input + value · tensor1 / tensor2."""
    if tensor1._value.dtype.kind != "f" and tensor2._value.dtype.kind != "f":
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a "
            "true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value "
            "* torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / "
            "tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: (input + value "
            "* tensor1 / tensor2), for all dtypes."
        )
    return pointwise.addcdiv(*promoted_together((input, tensor1, tensor2)), value)


def nan_to_num(input: Any, nan: float | None = None, posinf: float | None = None, neginf: float | None = None) -> Any:
    """`input` with numbers in the place of nan (0), inf and -inf (the largest and smallest of its type)."""
    return pointwise.nan_to_num(input, nan or 0.0, posinf, neginf)


def count_nonzero(input: Any, dim: Any = None) -> Any:
    """How many elements are not zero: in all, or along the dimensions `dim`."""
    return _untracked(np.asarray(np.count_nonzero(input._value, axis=_dim_argument(input, dim))))


def positive(input: Any) -> Any:
    """`input` itself."""
    return +input


def is_nonzero(input: Any) -> bool:
    """Whether the one element is not zero."""
    if input._value.size != 1:
        what = "no values" if input._value.size == 0 else "more than one value"
        raise RuntimeError(f"Boolean value of Tensor with {what} is ambiguous")
    return bool(input._value.item())


def is_complex(input: Any) -> bool:
    """False: minigrad has no complex tensors."""
    return False


def diff(input: Any, n: int = 1, dim: int = -1) -> Any:
    """The differences of neighbours along a dimension, n times."""
    dim = check_dim(dim, len(input._value.shape))
    for _ in range(n):
        size = input._value.shape[dim]
        later, earlier = (indexing.slice_dim(input, dim, start, start + size - 1, 1) for start in (1, 0))
        input = pointwise.logical_xor(later, earlier) if input._value.dtype.kind == "b" else later - earlier
    return input


def unflatten(input: Any, dim: int, sizes: Any) -> Any:
    """One dimension made several, of the given sizes; one of them may be -1."""
    dim, shape_ = check_dim(dim, len(input._value.shape)), input._value.shape
    sizes = tuple(sizes)
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    known = math.prod(n for n in sizes if n != -1)
    if (-1 not in sizes and known != shape_[dim]) or (-1 in sizes and (known == 0 or shape_[dim] % known)):
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} ({shape_[dim]}) in "
            "the input tensor"
        )
    return view(input, (*shape_[:dim], *_inferred(sizes, shape_[dim]), *shape_[dim + 1 :]))


def ravel(input: Any) -> Any:
    """All elements as one vector."""
    return reshape(input, -1)


def meshgrid(*tensors: Any, indexing: str | None = None) -> Any:
    """For vectors of sizes m, n, … as many tensors of size (m, n, …), each repeating one of the vectors.

    With indexing="xy" the first two dimensions are swapped.
    """
    if len(tensors) == 1 and isinstance(tensors[0], tuple | list):
        tensors = tuple(tensors[0])
    if indexing is None:
        warnings.warn(
            "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.",
            UserWarning,
            stacklevel=2,
        )
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    for tensor in tensors:
        if len(tensor._value.shape) > 1:
            raise RuntimeError(
                f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {tensor_text(tensor)}"
            )
    order = list(range(len(tensors)))
    if indexing == "xy" and len(tensors) > 1:
        order[:2] = [1, 0]
    size = tuple(tensors[i]._value.size for i in order)
    grids = []
    for i, tensor in enumerate(tensors):
        place = order.index(i)
        grids.append(expand(view(tensor, tuple(-1 if d == place else 1 for d in range(len(size)))), size))
    return tuple(grids)


def tile(input: Any, dims: Any) -> Any:
    """Copies of the tensor side by side; fewer numbers than dimensions count from the last one."""
    dims = tuple(dims)
    return repeat(input, (1,) * (len(input._value.shape) - len(dims)) + dims)


def repeat_interleave(input: Any, repeats: int, dim: int | None = None) -> Any:
    """Each element `repeats` times in a row: along `dim`, or of the flattened tensor."""
    if dim is None:
        input, dim = flatten(input), 0
    dim, size = check_dim(dim, len(input._value.shape)), input._value.shape
    wide = expand(unsqueeze(input, dim + 1), (*size[: dim + 1], repeats, *size[dim + 1 :]))
    return view(clone(wide), (*size[:dim], size[dim] * repeats, *size[dim + 1 :]))


def fliplr(input: Any) -> Any:
    """The order of the columns reversed."""
    if len(input._value.shape) < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, 1)


def flipud(input: Any) -> Any:
    """The order of the rows reversed."""
    if len(input._value.shape) < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(input, 0)


def dstack(tensors: Any) -> Any:
    """Tensors one behind the other: along dimension 2, vectors and matrices with a new last dimension."""
    deep = []
    for x in tensors:
        if len(x._value.shape) < 2:
            x = unsqueeze(x if x._value.shape else reshape(x, 1), 0)
        deep.append(unsqueeze(x, 2) if len(x._value.shape) == 2 else x)
    return cat(deep, 2)


def column_stack(tensors: Any) -> Any:
    """Tensors side by side, vectors as columns."""
    return cat([x if len(x._value.shape) > 1 else reshape(x, (-1, 1)) for x in tensors], 1)


def broadcast_tensors(*tensors: Any) -> Any:
    """The tensors expanded to their common size."""
    try:
        size = np.broadcast_shapes(*(x._value.shape for x in tensors))
    except ValueError:
        raise shape_error(*(x._value for x in tensors)) from None
    return tuple(x if x._value.shape == size else expand(x, size) for x in tensors)


def argwhere(input: Any) -> Any:
    """The indices of the elements that are not zero, a row for each."""
    return nonzero(input)


def unique(input: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False) -> Any:
    """The different elements in ascending order; on request also where each element is among them, and how often."""
    values, inverse, counts = np.unique(input._value, return_inverse=True, return_counts=True)
    wanted = [values]
    if return_inverse:
        wanted.append(inverse.reshape(input._value.shape))
    if return_counts:
        wanted.append(counts)
    return make_tensor(values) if len(wanted) == 1 else tuple(map(make_tensor, wanted))


def bincount(input: Any, weights: Any = None, minlength: int = 0) -> Any:
    """How often each of the numbers 0, 1, 2, … occurs; with `weights` the sum of their weights."""
    if input._value.ndim != 1 or input._value.dtype.kind not in "iu" or (input._value < 0).any():
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    return make_tensor(np.bincount(input._value, None if weights is None else weights._value, minlength))


def scatter(input: Any, dim: int, index: Any, src: Any = None, *, value: float | None = None) -> Any:
    """`input` with the elements of `src`, or a number, written where `index` names places along `dim`."""
    src = value if src is None else src
    dim = _check_scatter("scatter", input, dim, index, src)
    if isinstance(src, TensorBase):
        return indexing.scatter(input, dim, index, src)
    return indexing.scatter_number(input, dim, index, src)


def scatter_add(input: Any, dim: int, index: Any, src: Any) -> Any:
    """`input` with the elements of `src` added where `index` names places along `dim`."""
    return indexing.scatter_add(input, _check_scatter("scatter_add", input, dim, index, src), index, src)


def _check_scatter(function: str, input: Any, dim: int, index: Any, src: Any) -> int:
    dim = check_dim(dim, len(input._value.shape))
    if index._value.dtype.kind not in "iu":
        raise RuntimeError(f"{function}(): Expected dtype int32/int64 for index")
    if isinstance(src, TensorBase) and src._value.dtype != input._value.dtype:
        raise RuntimeError(f"{function}(): Expected self.dtype to be equal to src.dtype")
    if len(index._value.shape) != len(input._value.shape):
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    size = input._value.shape[dim]
    outside = index._value[(index._value < 0) | (index._value >= size)]
    if outside.size:
        raise RuntimeError(f"index {outside[0]} is out of bounds for dimension {dim} with size {size}")
    return dim


def index_add(input: Any, dim: int, index: Any, source: Any, *, alpha: float = 1) -> Any:
    """`input` with alpha · source added at the positions `index` along a dimension."""
    return indexing.index_add(input, _check_index(input, dim, index), index, source, alpha)


def index_fill(input: Any, dim: int, index: Any, value: Any) -> Any:
    """`input` with a number at the positions `index` along a dimension."""
    value = value.item() if isinstance(value, TensorBase) else value
    return indexing.index_fill(input, _check_index(input, dim, index), index, value)


def index_copy(input: Any, dim: int, index: Any, source: Any) -> Any:
    """`input` with `source` at the positions `index` along a dimension."""
    return indexing.index_copy(input, _check_index(input, dim, index), index, source)


def _check_index(input: Any, dim: int, index: Any) -> int:
    dim = check_dim(dim, len(input._value.shape))
    size = input._value.shape[dim]
    if ((index._value < -size) | (index._value >= size)).any():
        raise IndexError("index out of range in self")
    return dim


def index_put(input: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """`input` with `values` written at arrays of indices; with `accumulate` they are added instead."""
    arrays = tuple(i._value for i in indices)
    indexing.check_arrays(input, arrays)
    if values._value.dtype != input._value.dtype:
        letters = type_letter(input._value), type_letter(values._value)
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got {} for the destination and {} for the "
            "source.".format(*letters)
        )
    return (indexing.index_put_added if accumulate else index_put_written)(input, arrays, values)


def inverse(input: Any) -> Any:
    """The inverse of a square matrix."""
    from .linalg import inv

    return inv(input)


def det(input: Any) -> Any:
    """The determinant of a square matrix."""
    from .linalg import det

    return det(input)


def slogdet(input: Any) -> Any:
    """(sign, logabsdet) of the determinant of a square matrix."""
    from .linalg import slogdet

    return slogdet(input)


def einsum(equation: str, *operands: Any) -> Any:
    """Sums of products: `einsum("bij,bjk->bik", x, y)`."""
    from .contraction import einsum

    return einsum(equation, *operands)


clip, concat, multiply, divide, true_divide, subtract, negative, greater, less, ger = (
    clamp, cat, mul, div, div, sub, neg, gt, lt, outer,
)  # fmt: skip
absolute, arccos, arcsin, arctan, arctan2, greater_equal, less_equal, not_equal, moveaxis, swapaxes, swapdims = (
    abs, acos, asin, atan, atan2, ge, le, ne, movedim, transpose, transpose,
)  # fmt: skip
