"""Every type beside every other, as a tensor with and without dimensions and as a number: PyTorch's result types."""

import operator
from itertools import product
from types import ModuleType
from typing import Any

import pytest

import minigrad

torch = pytest.importorskip("torch", reason="PyTorch, the reference, is not installed")

TYPES = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"]
OPERATIONS = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "lt": operator.lt,
    "eq": operator.eq, "and": operator.and_, "or": operator.or_,
    "maximum": lambda a, b: a.maximum(b), "add_": lambda a, b: a.clone().add_(b),
    "mul_": lambda a, b: a.clone().mul_(b),
    "div_": lambda a, b: a.clone().div_(b), "copy_": lambda a, b: a.clone().copy_(b),
    "logical_and": lambda a, b: a.logical_and(b), "rdiv": lambda a, b: b / a,
    "bitwise_and": lambda a, b: a.bitwise_and(b),
}  # fmt: skip


def operands(library: ModuleType) -> list[Any]:
    """A vector and a 0-dim tensor of each type."""
    return [library.tensor(data).to(getattr(library, kind)) for kind in TYPES for data in ([1, 0, 1], 1)]


def outcome(operation: Any, a: Any, b: Any) -> tuple[Any, ...]:
    """Type, shape and numbers of a result; the type of an error."""
    try:
        result = operation(a, b)
    except Exception as error:
        return (type(error).__name__,)
    return str(result.dtype).split(".")[1], tuple(result.shape), result.tolist()


@pytest.mark.parametrize("name", OPERATIONS)
def test_result_types(name: str) -> None:
    ours, theirs = operands(minigrad), operands(torch)
    numbers = [2, 2.5, True]
    for i, j in product(range(len(ours)), range(len(ours) + len(numbers))):
        given, expected = (outcome(OPERATIONS[name], side[i], (side + numbers)[j]) for side in (ours, theirs))
        assert str(given) == str(expected), (theirs[i], (theirs + numbers)[j])
