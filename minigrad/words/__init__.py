"""PyTorch's words for arguments that do not fit. Loaded when a call has failed, and never before.

PyTorch's own parser compares argument by argument; of several ways to call a function it speaks of the one that takes
so many arguments, or else of none. What learners meet is said in its very words, for which `signatures.txt` says how
PyTorch's function is called where that cannot be seen from minigrad's own; the rest in the same form.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..autograd.node import requires_grad
from ..autograd.variable import TensorBase as Tensor
from ..functions.parameters import NUMPY_NAMES, Accepts, parameters_of
from ..hints import Unfit, type_name, with_hint
from ..random import Generator

# ---------------------------------------------------------------------------------------------------------------------
# The ways to call


@dataclass
class Parameter:
    """One argument that PyTorch's function takes, and what it may be."""

    kind: str
    name: str
    optional: bool
    none_will_do: bool
    one_will_do: bool
    must_be_named: bool
    #: Of minigrad's own function: what it takes.
    accepts: Accepts | None = None


@dataclass
class Way:
    """One way in which PyTorch's function may be called."""

    text: str
    parameters: list[Parameter]

    @classmethod
    def parsed(cls, text: str) -> Way:
        """From a line of `signatures.txt`, such as `Tensor input, int? dim = None, *, Tensor out = None`."""
        parts = [part for part in re.split(r", (?![^\[]*\])", text) if part]
        found = []
        for i, part in enumerate(parts):
            if part not in ("*", "hidden"):
                declared, _, default = part.partition(" = ")
                kind, size, none, name = re.fullmatch(r"([\w. ]+?)(\[\d*\])?(\?)?(?: (\w+))", declared).groups()  # type: ignore[union-attr]
                found.append(
                    Parameter(
                        kind, name, bool(default), bool(none) or default in ("None", "[]"), bool(size), "*" in parts[:i]
                    )
                )
        return cls(text, found)

    @property
    def shown(self) -> str:
        """The way as PyTorch writes it, without the marks."""
        return re.sub(r"\[\d+\]|\?", "", self.text)

    @property
    def positional(self) -> list[Parameter]:
        """The parameters that need not be named."""
        return [p for p in self.parameters if not p.must_be_named]

    def takes(self, count: int) -> bool:
        """Whether so many arguments can be right."""
        least = sum(not p.optional for p in self.parameters)
        return self.text != "hidden" and least <= count <= len(self.parameters)


@functools.cache
def _table() -> dict[str, str]:
    lines = Path(__file__).with_name("signatures.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split(": ", 1) for line in lines if ": " in line and not line.startswith("#"))


def ways_of(name: str) -> list[Way]:
    """How PyTorch's function, or (.name) method, is called; [] if that is not known."""
    texts = _table().get(name)
    if texts is not None or not name.startswith("."):
        return [Way.parsed(text) for text in texts.split(" | ")] if texts else []
    function = name[1:].removesuffix("_")
    if name.endswith("_") and f".{function}" in _table():
        return ways_of(f".{function}")
    # As a method, the function is called without its first argument and without `out`.
    texts = re.sub(r"(, \*)?, (Tensor|tuple of Tensors) out = None", "", _table().get(function, ""))
    ways = [text for text in texts.split(" | ") if text.startswith("Tensor input") or text == "hidden"]
    return [Way.parsed(text.removeprefix("Tensor input").removeprefix(", ")) for text in ways]


# ---------------------------------------------------------------------------------------------------------------------
# What is wrong with the arguments


def wrong(
    name: str, function: Any, args: tuple[Any, ...], options: dict[str, Any], error: Exception | None
) -> Exception:
    """The error for arguments that `function` does not take.

    Args:
        name: that of PyTorch's function; a method's has a dot in front, that of one written in Python "nn.".
        function: minigrad's, whose annotations say what it takes.
        args: what was given.
        options: what was given by name.
        error: what Python, or the function itself, has said to them, if it has.
    """
    if error is not None and name.startswith("nn.") and not isinstance(error, Unfit):
        return TypeError(f"{name.removeprefix('nn.')}(): {error}")
    if name in _COMPARE_SIZES:
        for value in args[:2]:
            try:
                value.size()
            except (TypeError, AttributeError) as stumbled:
                return stumbled.with_traceback(None)
    said = unparsed(name, args, options) or _from(name, _own_ways(name, function), args, options)
    if said is None and error is None:
        given = ", ".join([*map(type_name, args), *(f"{key}={type_name(value)}" for key, value in options.items())])
        said = TypeError(f"{name.lstrip('.')}() received an invalid combination of arguments - got ({given})")
    return said or TypeError(*error.args)  # type: ignore[union-attr]


#: PyTorch's losses that first of all ask their arguments for their sizes, and stumble over what has none.
_COMPARE_SIZES = {
    "nn.mse_loss", "nn.l1_loss", "nn.smooth_l1_loss", "nn.huber_loss", "nn.binary_cross_entropy",
    "nn.binary_cross_entropy_with_logits",
}  # fmt: skip


def _own_ways(name: str, function: Any) -> list[Way]:
    """How minigrad's function is called, as PyTorch would say it."""
    signature, accepts = parameters_of(function)
    found = [
        Parameter(
            _in_words(accepts[p.name]), p.name, p.default is not p.empty or _may_be_none(accepts[p.name]), False, False,
            p.kind is p.KEYWORD_ONLY, accepts[p.name],
        )
        for p in signature.parameters.values()
        if p.name in accepts
    ]  # fmt: skip
    found = found[name.startswith(".") :]
    return [Way(name if found else "", found)]


def _may_be_none(accepts: Accepts) -> bool:
    """Whether nothing may stand for a parameter of several arguments; for sizes something must."""
    return accepts.several and "Sequence[int]" not in accepts.kinds


def _in_words(accepts: Accepts) -> str:
    """How PyTorch names what a parameter takes."""
    names = {"float": "Number", "Sequence[int]": "tuple of ints", "Sequence[Tensor]": "tuple of Tensors"}
    names |= {"Sequence[float]": "tuple of floats", "dtype": "torch.dtype", "memory_format": "torch.memory_format"}
    kinds = [kind for kind in accepts.kinds if kind != "None"]
    kind = "Tensor" if "Tensor" in kinds else "Sequence[int]" if "Sequence[int]" in kinds else kinds[0]
    return names.get(kind, kind)


def unparsed(name: str, args: tuple[Any, ...], options: dict[str, Any]) -> Exception | None:
    """What PyTorch's parser says to arguments; None if they fit, or if nothing is known about the function."""
    return _from(name, ways_of(name), args, options)


def _from(name: str, ways: list[Way], args: tuple[Any, ...], options: dict[str, Any]) -> Exception | None:
    """What PyTorch's parser says to arguments for these ways to call; None if they fit one."""
    if not ways:
        return None
    shown = name.removeprefix("nn.").removeprefix(".").replace("linalg.", "linalg_")
    args = args[1:] if name.startswith(".") else args
    errors = [_wrong(shown, way, args, options) for way in ways if way.text != "hidden"]
    if None in errors:
        return None
    if name.startswith(".") and [way.text for way in ways] == [""]:
        given = "keyword arguments" if options else f"arguments ({len(args)} given)"
        return TypeError(f"TensorBase.{shown}() takes no {given}")
    for error in errors:
        if "unpack" in str(error):  # for PyTorch this way did fit
            return error
    plausible = [way for way in ways if way.takes(len(args) + len(options))]
    if len(ways) == 1:
        return errors[0]
    if len(plausible) == 1:
        return _wrong(shown, plausible[0], args, options)
    named = [f"{key}={type_name(value)}" for key, value in reversed(options.items())]
    got = ", ".join([*map(type_name, args), *named]) + (", " if named and not args else "")
    told = [way for way in ways if way.text != "hidden"]
    unknown = [key for key in options if all(p.name != key for p in told[0].parameters)]
    if len(told) == 1 and unknown:
        got = f"got unrecognized keyword arguments: {', '.join(unknown)}"
        return TypeError(f"{shown}() received an invalid combination of arguments - {got}")
    texts = [f"({way.shown})" for way in told]
    expected = texts[0] if len(texts) == 1 else "one of:\n" + "".join(f" * {text}\n" for text in texts)
    return TypeError(f"{shown}() received an invalid combination of arguments - got ({got}), but expected {expected}")


def _wrong(name: str, way: Way, args: tuple[Any, ...], options: dict[str, Any]) -> Exception | None:
    """What PyTorch's parser says to these arguments for one way to call; None if they fit."""
    most, least = len(way.positional), sum(not p.optional for p in way.parameters)
    several_numbers = most == 1 and way.positional[0].kind == "tuple of ints"
    if several_numbers and args and _is_int(args[0]):
        args = (args,)
    if len(args) > most:
        count = str(most) if most == least else f"from {least} to {most}"
        plural, were = "" if count == "1" else "s", "was" if len(args) == 1 and most == least else "were"
        return TypeError(f"{name}() takes {count} positional argument{plural} but {len(args)} {were} given")
    unpacked = None
    open_ = {p.name for p in way.parameters[len(args) :]} - {*options}  # for which numpy's name will do
    rest = {NUMPY_NAMES[key] if NUMPY_NAMES.get(key) in open_ else key: value for key, value in options.items()}
    for position, parameter in enumerate(way.parameters):
        by_position = position < len(args)
        if not by_position and parameter.name not in rest:
            if not parameter.optional:
                return _missing(name, way, position, options)
            continue
        value = args[position] if by_position else rest.pop(parameter.name)
        if (value is None and parameter.none_will_do) or _fits(name, parameter, value):
            if parameter.kind == "tuple of ints" and isinstance(value, tuple | list):
                unpacked = unpacked or _not_unpacked(name, parameter, value)
            continue
        return _unfit(name, parameter, None if not by_position else position + 1, position, value)
    for key in rest:
        if any(p.name == key for p in way.positional[: len(args)]):
            return TypeError(f"{name}() got multiple values for argument '{key}'")
        return TypeError(f"{name}() got an unexpected keyword argument '{key}'")
    return unpacked


def _not_unpacked(name: str, parameter: Parameter, value: Any) -> Exception | None:
    """PyTorch looks at the first number alone to see what it is given, and then stumbles over another."""
    for position, each in enumerate(value, start=1):
        if not _is_int(each) and not isinstance(each, bool):
            return TypeError(
                f"{name}(): argument '{parameter.name}' failed to unpack the object at pos {position} with error "
                f'"type must be tuple of ints,but got {type_name(each)}"'
            )
    return None


def _missing(name: str, way: Way, position: int, given: dict[str, Any]) -> Exception:
    names = [p.name for p in way.parameters[position:] if not p.optional and p.name not in given]
    plural = "s" if len(names) == 1 else ""  # PyTorch's grammar
    listed = ", ".join(f'"{each}"' for each in names)
    return TypeError(f"{name}() missing {len(names)} required positional argument{plural}: {listed}")


def _unfit(name: str, parameter: Parameter, position: int | None, number: int, value: Any) -> Exception:
    where = f"argument '{parameter.name}'" + ("" if position is None else f" (position {position})")
    if parameter.kind == "tuple of Tensors" and isinstance(value, tuple | list):
        i, wrong = next((i, v) for i, v in enumerate(value) if not isinstance(v, Tensor))
        return TypeError(f"expected Tensor as element {i} in argument {number}, but got {type_name(wrong)}")
    error = TypeError(f"{name}(): {where} must be {parameter.kind}, not {type_name(value)}")
    if parameter.kind == "Tensor":
        return with_hint(
            error, "Make a tensor of it first: torch.tensor(…).", "请先把它转换成张量：torch.tensor(…)。"
        )  # fmt: skip
    if parameter.kind == "tuple of Tensors":
        return with_hint(
            error,
            f"The tensors stand in a list: torch.{name}([a, b]).",
            f"要把张量放在一个列表里：torch.{name}([a, b])。",
        )
    return error


#: Functions of two tensors, either of which may be a number.
_TAKE_NUMBERS = re.compile(r"(add|sub|subtract|mul|multiply|div|divide|true_divide|floor_divide|copy)_?")


def _fits(name: str, parameter: Parameter, value: Any) -> bool:
    kind = parameter.kind
    if parameter.accepts is not None:
        return parameter.accepts.takes(value) or parameter.accepts.takes_number_of(value)
    if kind == "Tensor":
        return isinstance(value, Tensor) or (_is_number(value) and bool(_TAKE_NUMBERS.fullmatch(name)))
    if kind in ("Number", "float"):
        return _is_number(value) or _is_single(value, "fiub")
    if kind == "int":
        return _is_int(value)
    if kind == "tuple of ints":
        if isinstance(value, tuple | list):
            return not value or _is_int(value[0]) or isinstance(value[0], bool)
        return parameter.one_will_do and _is_int(value)
    return type_name(value) == kind or isinstance(value, _TYPES.get(kind, ()))


#: What else fits where PyTorch names a type.
_TYPES: dict[str, Any] = {"torch.dtype": type, "torch.device": (str, int), "torch.Generator": Generator}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number | np.bool_)


def _is_int(value: Any) -> bool:
    if isinstance(value, int | np.integer):
        return not isinstance(value, bool)
    return _is_single(value, "iu")


def _is_single(value: Any, kinds: str) -> bool:
    if not isinstance(value, Tensor):
        return False
    return value._value.shape == () and value._value.dtype.kind in kinds and not requires_grad(value)
