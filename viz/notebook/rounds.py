"""How often the loops of a statement run, as far as that is known before they do: then the last of their backward
passes is known when it comes."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from contextlib import suppress
from math import prod
from typing import Any

from ..model.protocol import listens

_KNOWN = ("builtins", "numpy", "torch", "minigrad")  # whose lengths ask nothing of the program's own classes
_HELD = ("dataset", "sampler", "batch_sampler")  # which a DataLoader asks for its own


def loops(statement: ast.stmt) -> tuple[str, ...]:
    """What the loops around a backward pass in it run over; where there is none, what its first loop does."""
    found = [loop for loop in ast.walk(statement) if isinstance(loop, ast.For | ast.comprehension)]
    around = [loop for loop in found if re.search(r"\b(backward|grad)\(", ast.unparse(loop))]
    return tuple(ast.unparse(loop.iter) for loop in around or found[:1])


def rounds(over: tuple[str, ...], variables: Mapping[str, Any]) -> int:
    """How often loops one inside the other run; 0 where nobody knows."""
    with suppress(Exception):
        if over and not listens():
            return prod(_length(ast.parse(one, mode="eval").body, variables) for one in over)
    return 0


def _length(over: ast.expr, variables: Mapping[str, Any]) -> int:
    match over:
        case ast.Call(ast.Name("range"), numbers):
            return len(range(*(_number(one, variables) for one in numbers)))
        case ast.Call(ast.Name("enumerate" | "list" | "reversed" | "tqdm"), [inside, *_]):
            return _length(inside, variables)
        case ast.Call(ast.Name("zip"), each):
            return min(_length(one, variables) for one in each)
        case ast.Name(name) if _is_known(value := variables[name]):
            if all(_is_known(getattr(value, part, None)) for part in _HELD):
                return len(value)
    raise ValueError(over)


def _number(written: ast.expr, variables: Mapping[str, Any]) -> int:
    match written:
        case ast.Constant(int(number)):
            return number
        case ast.Name(name) if type(variables[name]) is int:
            return variables[name]
        case ast.BinOp(left, ast.Add(), right):  # range(1, epochs + 1)
            return _number(left, variables) + _number(right, variables)
        case ast.Call(ast.Name("len"), [over]):
            return _length(over, variables)
    raise ValueError(written)


def _is_known(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] in _KNOWN
