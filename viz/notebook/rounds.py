"""How often the loops around a backward pass run, as far as that is known before they do: then the last of the passes
is known when it comes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from contextlib import suppress
from math import prod
from types import FrameType
from typing import Any, NamedTuple

from ..model.names import caller_namespace
from ..model.protocol import listens

_KNOWN = ("builtins", "numpy", "torch", "minigrad")  # whose lengths ask nothing of the program's own classes
_PASSES = ("backward", "grad")
_HELD = ("dataset", "sampler", "batch_sampler")  # which a DataLoader asks for its own


class Scope(NamedTuple):
    """What runs in one frame, a statement of a cell or a function: its loops, each with its first and last line and
    what it runs over, and the lines of its backward passes."""

    loops: list[tuple[range, ast.expr]]
    passes: list[int]


def scope_of(code: ast.AST) -> Scope:
    """The `Scope` of a statement or function."""
    loops, passes = list[tuple[range, ast.expr]](), list[int]()
    for part in ast.walk(code):
        lines = range(getattr(part, "lineno", 0), (getattr(part, "end_lineno", None) or 0) + 1)
        for loop in [part] if isinstance(part, ast.For) else getattr(part, "generators", ()):
            loops.append((lines, loop.iter))
        if is_pass(part):
            passes.append(lines[0])
    return Scope(loops, passes)


def is_pass(part: ast.AST) -> bool:
    """Whether it calls a function whose name is ``backward`` or ``grad``."""
    match part:
        case ast.Call(ast.Attribute(_, name) | ast.Name(name)):
            return name in _PASSES
    return False


def rounds(frame: FrameType | None, scope: Callable[[FrameType], Scope | None]) -> int:
    """How many passes there will be, with the one that begins in that frame; 0 where nobody knows. `scope`: what runs
    in a frame of the notebook's, as far as that is known."""
    count, is_inner = 1, True
    with suppress(Exception):
        if listens():
            return 0
        while frame is not None:
            if here := scope(frame):
                variables = caller_namespace(frame)
                lines = (is_inner and here.passes) or [frame.f_lineno]
                around = ([_length(over, variables) for of, over in here.loops if line in of] for line in lines)
                count, is_inner = count * sum(map(prod, around)), False
            frame = frame.f_back
        return count
    return 0


def _length(over: ast.expr, variables: Mapping[str, Any]) -> int:
    match over:
        case ast.Call(ast.Name("range" | "trange"), numbers):
            return len(range(*(_number(one, variables) for one in numbers)))
        case ast.Call(ast.Name("enumerate" | "list" | "reversed" | "tqdm") | ast.Attribute(_, "tqdm"), [inside, *_]):
            return _length(inside, variables)
        case ast.Call(ast.Name("zip"), each):
            return min(_length(one, variables) for one in each)
    value = _value(over, variables)
    if _is_known(value) and all(_is_known(getattr(value, part, None)) for part in _HELD):
        return len(value)
    raise ValueError(over)


def _number(written: ast.expr, variables: Mapping[str, Any]) -> int:
    match written:
        case ast.Constant(int(number)):
            return number
        case ast.BinOp(left, ast.Add(), right):  # range(1, epochs + 1)
            return _number(left, variables) + _number(right, variables)
        case ast.Call(ast.Name("len"), [over]):
            return _length(over, variables)
    if type(value := _value(written, variables)) is int:
        return value
    raise ValueError(written)


def _value(written: ast.expr, variables: Mapping[str, Any]) -> Any:
    """Of a variable, or of ``self.loader``; nothing of the program's is called."""
    match written:
        case ast.Attribute(ast.Name(name), part):
            return object.__getattribute__(variables[name], "__dict__")[part]
    return variables[ast.unparse(written)]


def _is_known(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] in _KNOWN
