"""Questions about tensors and their elements, which are answered with True or False, or a number."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.variable import TensorBase as Tensor
from ..devices import to_host
from ..ops.errors import told_apart, type_letter
from ..ops.primitive import plain
from ..table import public


@public(as_method=False, out=False, plain=True)
def is_tensor(obj: Any) -> bool:
    """Whether `obj` is a tensor."""
    return isinstance(obj, Tensor)


def _asking(question: Any, name: str, doc: str, out: bool = True) -> None:
    """A question about each element."""

    def answer(input: Tensor) -> Tensor:
        return plain(question(input._value))

    public(answer, name=name, doc=doc, out=out)


_asking(np.isnan, "isnan", "Where `input` is nan.")
_asking(np.isinf, "isinf", "Where `input` is infinite.")
_asking(np.isfinite, "isfinite", "Where `input` is neither nan nor infinite.", out=False)


@public(out=False)
def isclose(input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    """Where |input - other| ≤ atol + rtol · |other|. Both are of one type."""
    return plain(_isclose(input, other, rtol, atol, equal_nan))


def _isclose(input: Any, other: Any, rtol: float, atol: float, equal_nan: bool) -> Any:
    if input._value.dtype != other._value.dtype:
        raise RuntimeError(f"{type_letter(input._value)} did not match {type_letter(other._value)}")
    try:
        return np.isclose(input._value, other._value, rtol, atol, equal_nan)
    except ValueError as error:
        raise told_apart(error) from None


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


@public(out=False)
def is_floating_point(input: Tensor) -> bool:
    """Whether the element type is a float."""
    return input._value.dtype.kind == "f"
