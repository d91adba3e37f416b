"""How often the loops of a statement run, as far as that is known before they do: then the last of their backward
passes is known when it comes."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from contextlib import suppress
from math import prod
from typing import Any

from ..model.protocol import listens

_KNOWN = ("builtins", "numpy", "torch", "minigrad")  # whose lengths ask nothing of the program's own classes
_PASSES = ("backward", "grad")
_HELD = ("dataset", "sampler", "batch_sampler")  # which a DataLoader asks for its own


def loops(statement: ast.stmt) -> tuple[tuple[str, ...], ...]:
    """What the loops around each backward pass in it run over; where there is none, what its first loop does."""
    found = [loop for loop in ast.walk(statement) if isinstance(loop, ast.For | ast.comprehension)]
    inside = [(ast.unparse(loop.iter), [part for part in ast.walk(loop) if is_pass(part)]) for loop in found]
    passes = {id(part): part for _, parts in inside for part in parts}.values()
    around = tuple(tuple(over for over, parts in inside if one in parts) for one in passes)
    return around or tuple((over,) for over, _ in inside[:1])


def is_pass(part: ast.AST) -> bool:
    """Whether it calls a function whose name is ``backward`` or ``grad``."""
    function = part.func if isinstance(part, ast.Call) else None
    return (function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")) in _PASSES


def rounds(over: tuple[tuple[str, ...], ...], variables: Mapping[str, Any]) -> int:
    """How many passes there are in all; 0 where nobody knows."""
    with suppress(Exception):
        if over and not listens():
            each = ([_length(ast.parse(one, mode="eval").body, variables) for one in around] for around in over)
            return sum(map(prod, each))
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
