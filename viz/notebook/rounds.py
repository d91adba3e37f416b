"""How often the loops around a backward pass run, as far as that is known before they do: then the last of the passes
is known when it comes."""

import ast
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import CodeType, FrameType, FunctionType
from typing import Any

from ..model.names import caller_namespace
from ..model.protocol import listens

_KNOWN = ("builtins", "numpy", "torch", "minigrad")  # whose lengths ask nothing of the program's own classes
_HELD = ("dataset", "sampler", "batch_sampler")  # which a DataLoader asks for its own
# gives what stands in the notebook where that code runs, with those globals: a statement, a function, or None
Written = Callable[[CodeType, Mapping[str, Any]], Any]


def rounds(frame: FrameType | None, written: Written) -> int:
    """How often the call that has begun in that frame will run, with this time; 0 where nobody knows."""
    count = 1
    with suppress(Exception):
        if listens():
            return 0
        while frame is not None:
            if code := written(frame.f_code, frame.f_globals):
                variables = caller_namespace(frame)
                for part in ast.walk(code):
                    for loop in [part] if isinstance(part, ast.For) else getattr(part, "generators", ()):
                        if getattr(part, "lineno", 0) <= frame.f_lineno <= getattr(part, "end_lineno", 0):
                            count *= _length(loop.iter, variables, written)
            frame = frame.f_back if code is None or type(code) is ast.FunctionDef else None  # above it, `%%time` runs
        return count
    return 0


def _length(over: ast.expr, variables: Mapping[str, Any], written: Written) -> int:
    match over:
        case ast.Call(ast.Name("range" | "trange"), numbers):
            return len(range(*(_number(one, variables, written) for one in numbers)))
        case ast.Call(ast.Name("enumerate" | "list" | "reversed" | "tqdm") | ast.Attribute(_, "tqdm"), [inside, *_]):
            return _length(inside, variables, written)
        case ast.Call(ast.Name("zip"), each):
            return min(_length(one, variables, written) for one in each)
        case ast.Call(ast.Name(name), given, []) if isinstance(made := variables[name], FunctionType):
            space, names = made.__globals__, made.__code__.co_varnames
            local = dict.fromkeys(names) | {name: _value(one, variables) for name, one in zip(names, given)}
            return _yields(written(made.__code__, space), {**space, **local}, written)
        case ast.List(each) | ast.Tuple(each):
            return len(each)
    value = _value(over, variables)
    if _is_known(value) and all(_is_known(getattr(value, part, None)) for part in _HELD):
        return len(value)
    raise ValueError(over)


def _yields(function: Any, variables: dict[str, Any], written: Written) -> int:
    """How often a generator does, which ends each round of a loop so, and computes before it how long that is."""
    for part in function.body:
        match part:
            case ast.Assign([ast.Name(name)], value):
                variables[name] = None
                with suppress(Exception):
                    variables[name] = _number(value, variables, written)
            case ast.For(_, over, [*_, ast.Expr(ast.Yield())]):
                return _length(over, variables, written)
    raise ValueError(function)


def _number(one: ast.expr, variables: Mapping[str, Any], written: Written) -> int:
    match one:
        case ast.BinOp(left, ast.Add(), right):  # range(1, epochs + 1)
            return _number(left, variables, written) + _number(right, variables, written)
        case ast.Call(ast.Name("len"), [over]):
            return _length(over, variables, written)
    if type(value := _value(one, variables)) is int:
        return value
    raise ValueError(one)


def _value(one: ast.expr, variables: Mapping[str, Any]) -> Any:
    """Of a variable, or of ``self.loader``; nothing of the program's is called."""
    match one:
        case ast.Constant(value):
            return value
        case ast.Attribute(ast.Name(name), part):
            return object.__getattribute__(variables[name], "__dict__")[part]
    return variables[ast.unparse(one)]


def _is_known(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] in _KNOWN
