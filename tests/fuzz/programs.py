"""A program, run under two libraries: what it leaves behind, where they differ, of what kind that is, and why.

A program is a list of lines that are run one by one as a learner runs cells: an error ends its line, not the program.
At the end everything that can be seen is compared: the errors, every variable, its gradient, its graph.
"""

from __future__ import annotations

import itertools
import math
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType
from typing import Any

from tests.core.parity import first_line, graph, renamed
from tests.fuzz.functions import functions
from tests.reference.programs import masked

# From the worst to what is given up. `error`: one of the two raises, the other goes on; `type` and `words`: both raise,
# but not the same. `rounding`: in float64 the two agree, and in the program's own types ours is about as near to that
# as theirs is.
KINDS = ("value", "error", "type", "graph", "words", "rounding")
TOLERANCE = {"float64": 1e-6, "float32": 2e-4, "float16": 2e-2}

DOUBLE = [(r"\bfloat16\b|\bfloat32\b", "float64"), (r"\.half\(\)|\.float\(\)", ".double()")]


@dataclass
class Left:
    """What a program left: the error of each line, and what each variable is at the end."""

    errors: list[tuple[str, str] | None]
    values: dict[str, Any]
    graphs: dict[str, str] = field(default_factory=dict)


@dataclass
class Difference:
    """Where the two libraries part: what kind of difference it is, and both answers."""

    kind: str
    where: str
    ours: Any
    theirs: Any


def run(library: ModuleType, lines: list[str], double: bool = False) -> Left:
    """Run `lines`, with `double` in float64 wherever a float is made, and look at everything they left."""
    if double:
        lines = [re.sub(*DOUBLE[0], re.sub(*DOUBLE[1], line)) for line in lines]
    variables: dict[str, Any] = {"math": math, "log": [], **given(library)}
    errors = []
    # of the CPU alone: torch.manual_seed keeps a traceback for each kind of device that may yet be asked for
    getattr(library, "default_generator", library).manual_seed(0)
    before = library.get_default_dtype()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if double:
                library.set_default_dtype(library.float64)
            for line in lines:
                try:
                    exec(line, variables)
                    errors.append(None)
                except Exception as error:
                    errors.append(first_line(error))
            recording = library.is_grad_enabled()
            shown = {name: value for name, value in variables.items() if re.fullmatch(r"[a-z]\d*|log", name)}
            left = Left(errors, {name: look(library, value) for name, value in shown.items()})
            left.values["is_grad_enabled()"] = recording
            tensors = {n: v for n, v in shown.items() if isinstance(left.values[n], dict)}
            leaves = {id(value): name for name, value in tensors.items() if value.is_leaf}
            for name, value in tensors.items():
                if value.grad_fn is not None:
                    left.graphs[name] = masked(renamed("\n".join(graph([value.grad_fn], leaves))))
    finally:
        library.set_default_dtype(before)
        library.set_grad_enabled(True)
    return left


@cache
def given(library: ModuleType) -> dict[str, Any]:
    """What a program finds defined: the library, and Functions."""
    return functions(library)


def look(library: ModuleType, value: Any, deep: int = 8) -> Any:
    """A value as plain data: of a tensor its type, shape, flags, numbers, gradient, whose gradient, and so on: so many
    (two tensors may be the gradients of each other)."""
    if isinstance(value, library.Tensor):
        try:
            flags = (str(value.dtype), tuple(value.shape), value.requires_grad, value.is_leaf)
            grad = value.grad if deep and (value.is_leaf or value.retains_grad) else None
            return {"tensor": renamed(str(flags)), "numbers": flat(value), "grad": look(library, grad, deep - 1)}
        except RuntimeError as error:  # a view whose memory was written where it must not be
            return first_line(error)
    if isinstance(value, tuple | list):
        return [look(library, part) for part in value]
    if isinstance(value, bool | str | None):
        return value
    return float(value) if isinstance(value, int | float) else None


def flat(tensor: Any) -> list[float]:
    if getattr(tensor, "_is_zerotensor", bool)():  # PyTorch has zeros without memory, and will not list them
        return [0.0] * tensor.numel()
    return [float(number) for number in tensor.detach().reshape(-1).tolist()]


def compared(ours: ModuleType, theirs: ModuleType, lines: list[str]) -> Difference | None:
    """The worst difference that a program shows, or None."""
    one, other = run(ours, lines), run(theirs, lines)
    found = min(differences(one, other), key=lambda d: KINDS.index(d.kind), default=None)
    if found is None or found.kind != "value":
        return found
    # Differences only in numbers may be rounding: float64 decides.
    if any(d.kind == "value" and d.where.endswith("(not its numbers)") for d in differences(one, other)):
        return found
    exact_ours, exact = run(ours, lines, double=True), run(theirs, lines, double=True)
    wide = {d.where: gap(d) for d in differences(one, other) if d.kind == "value"}
    # What shrinks with the rounding of the type is rounding, however much the program makes of it.
    apart = {
        d.where
        for d in differences(exact_ours, exact)
        if d.kind == "value" and not gap(d) < 1e-6 * wide.get(d.where, 0.0)
    }
    if apart:
        # Unless it is the program's: one that leaves other numbers where its own are moved by next to nothing (the
        # sign of a sum that is 0 but for rounding: each step is one more throw).
        for step in (1e-8, -3e-8, 5e-8, -7e-8, 9e-8):
            moved = differences(run(theirs, nudged(lines, step), double=True), exact)
            if apart <= {d.where for d in moved if d.kind == "value"}:
                return Difference("rounding", found.where, found.ours, found.theirs)
        return found
    if all(as_near(a, b, truth) for a, b, truth in parallel_numbers(one.values, other.values, exact.values)):
        return Difference("rounding", found.where, found.ours, found.theirs)
    # The next numbers of float16 are further away.
    unit = 3e-4 if any(re.search(r"float16|half\(", line) for line in lines) else 1e-7
    for step in (3, -5, 9, -13, 17):
        if any(
            d.kind == "value" and d.where == found.where
            for d in differences(run(theirs, nudged(lines, step * unit)), other)
        ):
            return Difference("rounding", found.where, found.ours, found.theirs)
    return found


def gap(difference: Difference) -> float:
    """How far the numbers of a difference are apart: inf if one is not finite, or if they are not numbers."""
    both = [one if isinstance(one, list) else [one] for one in (difference.ours, difference.theirs)]
    if not all(isinstance(number, float) and math.isfinite(number) for numbers in both for number in numbers):
        return math.inf
    return max((abs(a - b) for a, b in zip(*both)), default=0.0)


def nudged(lines: list[str], step: float) -> list[str]:
    """The program with each number of its tensors made larger by a very small part of it, no two by the same.

    Of numbers at the edge only the largest are: what they leave when they cancel is anybody's guess.
    """
    parts = itertools.cycle([1, 1.25, 1.5, 1.75, 2])

    def moved(number: re.Match[str]) -> str:
        return f"{float(number[0]) * (1 + step * next(parts)):.13g}"

    return [
        re.sub(r"(?<=[\[ ,(-])\d+\.\d+\b(?!')|(?<=['-])[\d.]+e\d+(?=')", moved, line)
        if re.match(r"\w+ = torch\.tensor\(", line)
        else line
        for line in lines
    ]


def differences(one: Left, other: Left) -> Iterator[Difference]:
    """Every difference, line by line and variable by variable."""
    for number, (error, expected) in enumerate(zip(one.errors, other.errors), 1):
        if error != expected:
            kind = "error" if not (error and expected) else "words" if error[0] == expected[0] else "type"
            yield Difference(kind, f"line {number}", error, expected)
    if any((a is None) != (b is None) for a, b in zip(one.errors, other.errors)):
        return  # one of them did something that the other did not: what follows is not to be compared
    for name in other.values:
        yield from unlike(one.values.get(name), other.values[name], name)
        if one.graphs.get(name) != other.graphs.get(name):
            yield Difference("graph", f"the graph of {name}", one.graphs.get(name), other.graphs.get(name))


def unlike(one: Any, other: Any, where: str) -> Iterator[Difference]:
    if isinstance(one, dict) and isinstance(other, dict):
        if one["tensor"] != other["tensor"]:
            yield Difference("value", f"{where} (not its numbers)", one["tensor"], other["tensor"])
        elif not near(one["numbers"], other["numbers"], tolerance(other["tensor"])):
            yield Difference("value", where, one["numbers"], other["numbers"])
        yield from unlike(one["grad"], other["grad"], f"{where}.grad")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (part, expected) in enumerate(zip(one, other)):
            yield from unlike(part, expected, f"{where}[{index}]")
    elif isinstance(one, float) and isinstance(other, float):
        if not near([one], [other], TOLERANCE["float32"]):
            yield Difference("value", where, one, other)
    elif one != other:
        yield Difference("value", f"{where} (not its numbers)", one, other)


def tolerance(described: str) -> float:
    return next((allowed for name, allowed in TOLERANCE.items() if name in described), 0.0)


def near(ours: list[float], theirs: list[float], allowed: float) -> bool:
    """Equal but for what is lost by rounding, relative to the largest number of the tensor."""
    scale = max([1.0, *(abs(number) for number in theirs if math.isfinite(number))])
    return all(
        a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= allowed * scale for a, b in zip(ours, theirs)
    )


def parallel_numbers(one: Any, other: Any, exact: Any) -> Iterator[tuple[list[float], list[float], list[float]]]:
    """The numbers of every tensor that two runs and an exact one left, side by side."""
    if isinstance(one, dict) and isinstance(other, dict) and isinstance(exact, dict):
        if "tensor" in other:
            yield one["numbers"], other["numbers"], exact["numbers"]
            yield from parallel_numbers(one["grad"], other["grad"], exact["grad"])
        else:
            for name in other:
                yield from parallel_numbers(one[name], other[name], exact.get(name))
    elif isinstance(one, list) and isinstance(other, list) and isinstance(exact, list):
        for parts in zip(one, other, exact):
            yield from parallel_numbers(*parts)


def as_near(ours: list[float], theirs: list[float], truth: list[float]) -> bool:
    """Whether ours is about as near to the truth as theirs is: then the difference is nobody's fault."""
    if len(truth) != len(theirs):
        return True
    apart = [(a, b, t) for a, b, t in zip(ours, theirs, truth) if not near([a], [t], TOLERANCE["float64"])]
    if any(math.isfinite(a) != math.isfinite(b) for a, b, _ in apart):
        return False
    finite = [(a, b, t) for a, b, t in apart if math.isfinite(a) and math.isfinite(t)]
    theirs_is_off = max((abs(b - t) for _, b, t in finite), default=0.0)  # in one number by chance not, and in the next
    return all(abs(a - t) <= 30 * theirs_is_off + 0.02 * max(1.0, abs(t)) for a, _, t in finite)


def reduced(lines: list[str], same: Callable[[list[str]], bool]) -> list[str]:
    """The program without the lines that the difference does not need, from large pieces of it to single lines."""
    size = len(lines)
    while size:
        start = 0
        while start < len(lines):
            shorter = lines[:start] + lines[start + size :]
            if shorter and same(shorter):
                lines = shorter
            else:
                start += size
        size //= 2
    return lines
