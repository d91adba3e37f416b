"""Arithmetic and other functions element by element."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..autograd.variable import TensorBase as Tensor
from ..devices import to_host
from ..dtypes import fitting, result_numpy_dtype, wrapped
from ..hints import Unfit
from ..ops import activation, pointwise  # noqa: F401 (it enters its rules into the table)
from ..ops.errors import cpp_name, not_for, require_kind, told_apart, type_letter
from ..ops.primitive import plain
from ..table import one_tensor, public, same, tensor_and_number, two_operands, two_tensors
from .arguments import beside, in_type_of, operands, promoted, same_dtype
from .indexing import nonzero

for _rule in (pointwise.atan2, pointwise.logical_and, pointwise.logical_or, pointwise.logical_xor):
    public(_rule, inplace=True, like=two_tensors)
for _rule in (pointwise.maximum, pointwise.minimum):
    public(_rule, like=two_tensors)
for _rule in (pointwise.eq, pointwise.ge, pointwise.gt, pointwise.le, pointwise.lt, pointwise.ne):
    public(_rule, like=tensor_and_number)
for _rule in (
    pointwise.bitwise_and, pointwise.bitwise_or, pointwise.bitwise_xor, pointwise.floor_divide, pointwise.remainder,
):  # fmt: skip
    public(_rule, inplace=True, like=two_operands)
public(pointwise.fmod, inplace=True, like=tensor_and_number)
public(pointwise.clone, like=one_tensor)
public(pointwise.mul, inplace=True, write=operator.imul, like=two_operands)
public(pointwise.div, inplace=True, write=operator.itruediv, like=two_operands)


@public(inplace=True, write=operator.iadd)
def add(input: Tensor | float, other: Tensor | float, *, alpha: float = 1) -> Tensor:
    """input + alpha · other."""
    if alpha != 1 or isinstance(alpha, bool):
        return pointwise.add_scaled(*_scaled(operands(input, other), alpha))
    return pointwise.add(input, other)


def _scaled(both: tuple[Any, Any], alpha: Any) -> tuple[Any, Any, Any]:
    """Two operands and the factor of the second. Raises PyTorch's error if they do not go together."""
    kind = both[0]._value.dtype.kind
    if isinstance(alpha, bool) and kind != "b":
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and kind != "f":
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    return *both, in_type_of(both[0], alpha)


@public(inplace=True, write=operator.isub)
def sub(input: Tensor | float, other: Tensor | float, *, alpha: float = 1) -> Tensor:
    """input - alpha · other."""
    if alpha != 1 or isinstance(alpha, bool):
        pointwise.check_subtraction(*(t._value if isinstance(t, Tensor) else t for t in (input, other)))
        return pointwise.sub_scaled(*_scaled(operands(input, other), alpha))
    return pointwise.sub(input, other)


@public(inplace=True)
def pow(input: Tensor | float, exponent: Tensor | float) -> Tensor:
    """input to the power of exponent; either may be a number."""
    if isinstance(exponent, int | float) and isinstance(input, Tensor):
        input = beside(input, exponent)
        if input._value.dtype.kind in "iu" and exponent < 0:
            raise RuntimeError("Integers to negative integer powers are not allowed.")
        return pointwise.pow_number(input, in_type_of(input, exponent))
    kind = result_numpy_dtype(*(t._value if isinstance(t, Tensor) else t for t in (input, exponent)))
    if kind.kind == "b":
        raise not_for("pow", "Bool")
    exponent = promoted(exponent, kind)
    if isinstance(input, Tensor):
        return pointwise.pow_tensor(promoted(input, kind), exponent)
    return pointwise.pow_of_number(input if kind.kind == "f" else wrapped(input, kind), exponent)


@public(inplace=True)
def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """The nearest integer, halves to even; with `decimals`, the nearest number with so many digits behind the point."""
    return pointwise.round_decimals(input, decimals) if decimals else pointwise.round(input)


@public(inplace=True)
def square(input: Tensor) -> Tensor:
    """input²."""
    return pow(input, 2)


@public(inplace=True)
def bitwise_not(input: Tensor) -> Tensor:
    """Each bit turned round; for bool, whether it is False."""
    require_kind(input._value, "biu", "bitwise_not_cpu")
    return plain(~input._value)


@public(inplace=True)
def clamp(input: Tensor, min: float | None = None, max: float | None = None) -> Tensor:
    """`input`, but nowhere below `min` and nowhere above `max`; either may be None."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    input = beside(input, min, max)
    require_kind(input._value, "fiu", "clamp_scalar_cpu")
    return pointwise.clamp(input, in_type_of(input, min), in_type_of(input, max))


@public(inplace=True)
def clamp_min(input: Tensor, min: float) -> Tensor:
    """`input`, but nowhere below `min`."""
    input = beside(input, min)
    return pointwise.clamp_min(input, in_type_of(input, min))


def _where(input: Tensor, condition: Tensor, other: Tensor | float) -> Any:
    """This tensor where the condition holds, else `other`."""
    return where(condition, input, other)


@public(method=_where)
def where(condition: Tensor, input: Tensor | float | None = None, other: Tensor | float | None = None) -> Any:
    """`input` where `condition` holds, else `other`. With the condition alone: the indices where it holds."""
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    if input is None or other is None:
        raise Unfit("where() takes the condition alone, or with two values")
    kind = condition._value.dtype
    if kind.kind != "b" and kind != np.uint8:
        letter = type_letter(condition._value)
        raise RuntimeError(f"where expected condition to be a boolean tensor, but got a tensor with dtype {letter}")
    if not (isinstance(input, Tensor) and isinstance(other, Tensor)):
        common = result_numpy_dtype(*(t._value if isinstance(t, Tensor) else t for t in (input, other)))
        if common.kind in "iu":
            input, other = (t if isinstance(t, Tensor) else fitting(t, common) for t in (input, other))
    return pointwise.where(condition, input, other)


@public(out=False, inplace=True)
def masked_fill(input: Tensor, mask: Tensor, value: float) -> Tensor:
    """`value` where `mask` is True; `input` elsewhere."""
    if mask._value.dtype.kind != "b":
        name = cpp_name(mask._value)
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {name}")
    return pointwise.masked_fill(input, mask, in_type_of(input, value))


@public(inplace=True)
def lerp(input: Tensor, end: Tensor, weight: Tensor | float) -> Tensor:
    """input + weight · (end - input)."""
    of_tensor = isinstance(weight, Tensor)
    for name, tensor in (("end", end), ("weight", weight))[: 1 + of_tensor]:
        same_dtype(input, tensor, f"expected dtype {{}} for `{name}` but got dtype {{}}", cpp_name)
    require_kind(input._value, "f", "lerp_kernel")
    return (pointwise.lerp if of_tensor else pointwise.lerp_number)(input, end, weight)


# ---------------------------------------------------------------------------------------------------------------------
# Questions, which are answered with True or False, or a number


@public(as_method=False, out=False, plain=True)
def is_tensor(obj: Any) -> bool:
    """Whether `obj` is a tensor."""
    return isinstance(obj, Tensor)


def _asking(question: Any, name: str, doc: str, **options: Any) -> None:
    """A question about each element."""

    def answer(input: Tensor) -> Tensor:
        return plain(question(input._value))

    public(answer, name=name, doc=doc, **options)


_asking(np.logical_not, "logical_not", "Whether it is zero.", inplace=True)
_asking(np.isnan, "isnan", "Where `input` is nan.")
_asking(np.isinf, "isinf", "Where `input` is infinite.")
_asking(np.isfinite, "isfinite", "Where `input` is neither nan nor infinite.", out=False)


@public(out=False)
def isclose(input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    """Where |input - other| ≤ atol + rtol · |other|. Both are of one type."""
    return plain(_isclose(input, other, rtol, atol, equal_nan))


def _isclose(input: Any, other: Any, rtol: float, atol: float, equal_nan: bool) -> Any:
    same_dtype(input, other, "{} did not match {}")
    try:
        return np.isclose(input._value, other._value, rtol, atol, equal_nan)
    except ValueError as error:
        raise told_apart(error, input._value, other._value) from None


@public(out=False)
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Whether |input - other| ≤ atol + rtol · |other| everywhere. Both are of one type."""
    return bool(to_host(np.all(_isclose(input, other, rtol, atol, equal_nan))))


@public(out=False)
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether both have the same shape and the same elements."""
    return bool(input._value.shape == other._value.shape and to_host(np.all(input._value == other._value)))


@public(out=False)
def numel(input: Tensor) -> int:
    """How many elements there are."""
    return int(input._value.size)


public(numel, name="nelement", as_function=False, out=False)


@public(out=False)
def is_floating_point(input: Tensor) -> bool:
    """Whether the element type is a float."""
    return input._value.dtype.kind == "f"


same(
    absolute="abs", arccos="acos", arccosh="acosh", arcsin="asin", arcsinh="asinh", arctan="atan", arctan2="atan2",
    arctanh="atanh", clip="clamp", divide="div", fix="trunc", greater="gt", greater_equal="ge", less="lt",
    less_equal="le", multiply="mul", negative="neg", not_equal="ne", subtract="sub", true_divide="div",
)  # fmt: skip
