"""One expression under minigrad and under PyTorch: everything about its result that a user can see, side by side."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import pytest


@dataclass
class Seen:
    """What a user sees of an expression: its results, their graph, the gradients, or the error."""

    error: tuple[str, str] | None = None
    results: list["Numbers"] = field(default_factory=list)
    graph: list[str] = field(default_factory=list)
    saved: dict[tuple[str, str], list[Any]] = field(default_factory=dict)
    grads: dict[str, "Numbers | None"] = field(default_factory=dict)
    second_graph: list[str] = field(default_factory=list)
    second: dict[str, "Numbers | None"] = field(default_factory=dict)


@dataclass
class Numbers:
    """A tensor, or a plain Python value, as plain values."""

    kind: str
    shape: tuple[int, ...]
    values: list
    text: str


def see(library: ModuleType, expression: str, make_inputs: Callable[[ModuleType], dict[str, Any]]) -> Seen:
    """Evaluate `expression` over fresh inputs, then differentiate it once and twice, as far as it is differentiable."""
    inputs = make_inputs(library)
    seen = Seen()
    try:
        value = eval(expression, {"torch": library, "math": math, **inputs})
        outputs = list(value) if isinstance(value, tuple | list) else [value]
        seen.results = [numbers(library, output) for output in outputs]
        differentiate(library, outputs, inputs, seen)
    except Exception as error:
        seen.error = first_line(error)
    if "einsum" in expression:  # each library gets there by its own steps, of which the last is printed
        seen.graph, seen.saved = [], {}
        for result in seen.results:
            result.text = ""
    return seen


def differentiate(library: ModuleType, outputs: list[Any], inputs: dict[str, Any], seen: Seen) -> None:
    """Add to `seen` the graphs behind the outputs and behind their gradients, and the first and second gradients."""
    leaves = {name: leaf for name, leaf in inputs.items() if isinstance(leaf, library.Tensor) and leaf.requires_grad}
    leaf_names = {id(leaf): name for name, leaf in leaves.items()}
    tracked = [output for output in outputs if isinstance(output, library.Tensor) and output.requires_grad]
    seen.saved = saved(library, [output.grad_fn for output in tracked])
    for step, its_graph in ((seen.grads, seen.graph), (seen.second, seen.second_graph)):
        its_graph += graph([output.grad_fn for output in tracked], leaf_names)
        if not tracked:
            return
        directions = [direction(library, output) for output in tracked]
        grads = library.autograd.grad(tracked, list(leaves.values()), directions, create_graph=True, allow_unused=True)
        step.update({name: numbers(library, grad, text=False) for name, grad in zip(leaves, grads)})
        tracked = [grad for grad in grads if grad is not None and grad.requires_grad]


def direction(library: ModuleType, output: Any) -> Any:
    """A gradient to send back whose entries all differ, so that no two places can be confused; the graph shows it."""
    values = [1 + k / 4 for k in range(math.prod(output.shape))]
    return library.tensor(values, dtype=output.dtype).reshape(tuple(output.shape)).requires_grad_()


def numbers(library: ModuleType, value: Any, text: bool = True) -> Numbers | None:
    """What a tensor (or a plain value, or None) holds, and how it prints."""
    if value is None:
        return None
    if not isinstance(value, library.Tensor):
        plain = isinstance(value, int | float)
        return Numbers(type(value).__qualname__, (), [value] if plain else [], "" if plain else renamed(str(value)))
    # PyTorch has gradients that are zero without memory, and will not list them.
    zero = hasattr(value, "_is_zerotensor") and value._is_zerotensor()
    return Numbers(
        renamed(str(value.dtype)),
        tuple(value.shape),
        [0.0] * value.numel() if zero else value.detach().reshape(-1).tolist(),
        renamed(repr(value)) if text else "",
    )


def printed(value: Numbers, exact: bool) -> str:
    """The printed form; where the numbers differ in their last bits, so may the digits, but nothing else."""
    return value.text if exact else re.sub(r"[\s\d.e+-]+", "#", value.text)


def graph(roots: list[Any], leaf_names: dict[int, str]) -> list[str]:
    """Each node once, in the order a reader following next_functions meets it, with the edges that leave it."""
    numbered = {node: number for number, node in enumerate(nodes(roots))}
    return [
        f"{number} {node.name()}"
        + (f" of {leaf_names.get(id(node.variable), '?')}" if hasattr(node, "variable") else "")
        + "".join(f" -> {numbered.get(child)}:{output_nr}" for child, output_nr in node.next_functions)
        for node, number in numbered.items()
    ]


def nodes(roots: list[Any]) -> list[Any]:
    """The nodes behind `roots`, in the order a reader following next_functions meets them."""
    found: dict[Any, None] = {}
    waiting = list(reversed(roots))
    while waiting:
        node = waiting.pop()
        if node is None or node in found:
            continue
        found[node] = None
        waiting.extend(child for child, _ in reversed(node.next_functions))
    return list(found)


def saved(library: ModuleType, roots: list[Any]) -> dict[tuple[str, str], list[Any]]:
    """By the name of a node and of what it saved, `_saved_self`: the tensors that were; of anything else only its name.

    PyTorch shows sizes and numbers in C's terms, a dimension -1 as 18446744073709551615.
    """
    found: dict[tuple[str, str], list[Any]] = {}
    for node in nodes(roots):
        for name in dir(node):
            if name.startswith("_saved_"):
                value = getattr(node, name)
                many = isinstance(value, tuple | list)
                tensors = [v for v in (value if many else [value]) if isinstance(v, library.Tensor)]
                found.setdefault((node.name(), name), []).append([numbers(library, t, text=False) for t in tensors])
    return found


def first_line(error: Exception) -> tuple[str, str]:
    """An error's type and the first line of its message, without the names of PyTorch's kernels."""
    line = renamed((str(error).splitlines() or [""])[0])
    return type(error).__name__, re.sub(r'^"\w+" (?=not implemented for)', "", line)


def untriggered(text: str) -> str:
    """A warning of PyTorch's without the line of its C++ that gave it."""
    return re.sub(r" \(Triggered internally at .*?\)", "", text)


def uncalled(text: str) -> str:
    """`text` where a method without its parentheses looks alike: PyTorch's are C functions, minigrad's are Python's."""
    text = re.sub(r"<built-in method (\w+) of Tensor object at 0x[^>]*>", r"<method \1>", text)
    text = re.sub(r"<bound method (?:Tensor\.)?(\w+) of .*?\)>", r"<method \1>", text, flags=re.DOTALL)
    return re.sub(r"'(builtin_function_or_method|function|method)'", "'method'", text)


def renamed(text: str) -> str:
    """The one difference allowed in text: the module's own name."""
    return re.sub(r"\bminigrad\b", "torch", text)


def assert_alike(given: Any, expected: Any, tolerance: float, where: str = "") -> None:
    """Equal in everything but the last bits of numbers.

    Two libraries add in different orders and use different approximations of exp, so floats agree to `tolerance`
    relative to the largest entry of their tensor, or to 1e-4 where that is larger: what should be 0 is not quite.
    """
    if isinstance(expected, Numbers) and isinstance(given, Numbers):
        assert (given.kind, given.shape) == (expected.kind, expected.shape), where
        exact = given.values == expected.values
        assert printed(given, exact) == printed(expected, exact), where
        scale = max([1e-4, *(abs(v) for v in expected.values if isinstance(v, float) and math.isfinite(v))])
        assert given.values == pytest.approx(expected.values, rel=tolerance, abs=tolerance * scale, nan_ok=True), where
    elif isinstance(expected, Seen):
        for name in ("error", "graph", "results", "grads", "second"):
            assert_alike(getattr(given, name), getattr(expected, name), tolerance, f"{where} {name}")
    elif isinstance(expected, dict) and given.keys() == expected.keys():
        for key in expected:
            assert_alike(given[key], expected[key], tolerance, f"{where} of {key}")
    elif isinstance(expected, list) and len(given) == len(expected) and not all(isinstance(e, str) for e in expected):
        for index, (one, other) in enumerate(zip(given, expected)):
            assert_alike(one, other, tolerance, f"{where}[{index}]")
    else:
        assert given == expected, where
