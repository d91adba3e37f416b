"""Programs that nobody thought of: hypothesis writes them, PyTorch says what they must do.

A program is a list of lines, run one by one as a learner runs cells: an error ends its line, not the notebook. After
every line all that can be seen of every variable must be the same under both libraries.

`RANDOM_PROGRAMS=2000 pytest tests/core/test_random_programs.py -k writes` runs 2,000 instead of 200.
"""

import itertools
import os
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import minigrad
from tests.core.parity import first_line, graph, renamed
from tests.reference.programs import masked

torch = pytest.importorskip("torch", reason="PyTorch, the reference, is not installed")

many = settings(
    max_examples=int(os.environ.get("RANDOM_PROGRAMS", "200")), deadline=None, suppress_health_check=list(HealthCheck)
)


@dataclass
class Step:
    """What is to be seen after a line: its error, and every variable."""

    line: str
    error: tuple[str, str] | None
    variables: list[str]


def states(library: ModuleType, lines: list[str], show: Callable[[Any], str] | None = None) -> list[Step]:
    """What is to be seen after each line."""
    variables: dict[str, Any] = {"torch": library}
    seen = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for line in lines:
            if undefined(line, {n: v for n, v in variables.items() if isinstance(v, library.Tensor)}):
                break
            error = None
            try:
                exec(line, variables)
            except Exception as raised:
                error = first_line(raised)
            tensors = {n: v for n, v in variables.items() if isinstance(v, library.Tensor)}
            shown = []
            for name, tensor in tensors.items():
                try:
                    shown.append(f"    {name} = {description(tensor, tensors, show or numbers)}")
                except RuntimeError as raised:  # a view whose memory was written where it must not be
                    shown.append(f"    {name}: {first_line(raised)}")
            seen.append(Step(line, error, shown))
    return seen


def undefined(line: str, tensors: dict[str, Any]) -> bool:
    """Whether a line may read numbers while it writes them: PyTorch looks for this only where memory has no gaps."""
    used = [tensors[name] for name in re.findall(r"\b[wxyz]\b", line) if name in tensors]
    return any(
        place(one) != place(other) and overlap(one, other) and not (gapless(one) and gapless(other))
        for one, other in itertools.combinations(used, 2)
    )


def place(tensor: Any) -> tuple:
    return tensor.data_ptr(), tuple(tensor.shape), tensor.stride()


def span(tensor: Any) -> int:
    """How many elements of memory lie between the first and the last, these included."""
    return 1 + sum((size - 1) * step for size, step in zip(tensor.shape, tensor.stride())) if tensor.numel() else 0


def gapless(tensor: Any) -> bool:
    return span(tensor) == tensor.numel() and not any(s == 0 < n - 1 for s, n in zip(tensor.stride(), tensor.shape))


def overlap(one: Any, other: Any) -> bool:
    first, second = sorted((one, other), key=lambda tensor: tensor.data_ptr())
    return second.data_ptr() < first.data_ptr() + span(first) * first.element_size()


def alike(one: Step, other: Step, messages: bool = True) -> bool:
    """Whether two libraries agree after a line.

    When a line has two mistakes, one of them about shared memory, which of the two is named first is an accident.
    """
    if one.variables != other.variables or (one.error is None) != (other.error is None):
        return False
    if one.error is None or one.error == other.error:
        return True
    about_memory = [
        [words in message for words in ("unsupported operation", "broadcast", "modified inplace")]
        for _, message in (one.error, other.error)
    ]
    return about_memory[0] != about_memory[1] or (not messages and one.error[0] == other.error[0])


def description(tensor: Any, tensors: dict[str, Any], show: Callable[[Any], str]) -> str:
    base = next((name for name, other in tensors.items() if other is tensor._base), tensor._base is not None)
    grad = show(tensor.grad) if (tensor.is_leaf or tensor.retains_grad) and tensor.grad is not None else None
    text = f"{show(tensor)} leaf={tensor.is_leaf} version={tensor._version} view_of={base} grad={grad}"
    names = {id(other): name for name, other in tensors.items()}
    nodes = graph([tensor.grad_fn], names) if tensor.requires_grad else ["untracked"]
    return masked(renamed("\n        ".join([text, *nodes])))


def numbers(tensor: Any) -> str:
    """The values. The sign of a zero is dropped: that of `clamp` and `max` depends on the processor's instructions."""
    values = tensor.detach().reshape(-1).tolist()
    return f"{[v + 0.0 if isinstance(v, float) else v for v in values]} {tuple(tensor.shape)} {tensor.dtype}"


def assert_same_states(lines: list[str], show: Callable[[Any], str] | None = None, messages: bool = True) -> None:
    """After every line both libraries show the same; with `messages` errors have the same words, not just one type."""
    ours, theirs = (states(library, lines, show) for library in (minigrad, torch))
    for number, (given_state, expected) in enumerate(zip(ours, theirs)):
        program = "\n".join(lines[: number + 1])
        same = alike(given_state, expected, messages)
        assert same, f"after the last line of\n{program}\nminigrad: {given_state}\nPyTorch: {expected}"


# ---------------------------------------------------------------------------------------------------------------------
# Views, in-place writes and backward, in any order

NAMES = ["w", "x", "y", "z"]
name = st.sampled_from(NAMES)
KINDS = {
    "view": """
        {a}[0]   {a}[1]   {a}[:, 1:]   {a}[..., 0]   {a}.t()   {a}.view(-1)   {a}.view(3, 2)   {a}.unsqueeze(0)
        {a}.transpose(0, 1)   {a}[None]   {a}.squeeze()   {a}.detach()   {a}.data   {a}[0:1]   {a}.unbind()[0]
        {a}.unbind(1)[1]   {a}.split(1)[0]   {a}.chunk(2)[1]   {a}.expand(2, *{a}.shape)   {a}.diagonal()
        {a}.narrow(0, 0, 1)   {a}.view_as({a})   {a}.select(0, 1)   {a}.flatten()   {a}.reshape(-1)   {a}[...]
        {a}.permute(*range({a}.dim())[::-1])   {a}[::2]
        """,
    "result": """
        {a} * {b}   {a} + {b}   {a} - 1   {a} * 2   -{a}   {a}.sum()   {a} * {a}   {a}.clone()   {a}.relu()   {a}.sum(0)
        {a}.max()   {a} ** 2   {a}.clamp(min=0)   {a}.reciprocal()   {a}.square()   {a} / 2   {a}.mean()   {a}.abs()
        {a}[[0, 1]]   {a}[{a} > 0]   torch.cat([{a}, {b}])   torch.stack([{a}, {b}])   torch.where({a} > 0, {a}, {b})
        {a} + {a}   {a}.repeat(2, 1)   {a}.detach().clone()   {a}.masked_fill({b} > 0, 1)   torch.maximum({a}, {b})
        """,
    "write": """
        {a}.add_({b})   {a}.mul_(2)   {a} += 1   {a} -= {b}   {a} *= {b}   {a}.zero_()   {a}.copy_({b} * 2)   {a}[0] = 3
        {a}[:, 1] = {b}   {a}.fill_(2)   {a}.neg_()   {a}[{a} > 0] = 0   {a}[0].mul_(3)   {a}.reciprocal_()
        {a}.relu_()   {a}.square_()   {a}.pow_(2)   {a}.mul_({a})   {a}[0] = {b}[1]   {a}[0, 1] = {b}.sum()
        {a}.t()[0] = 1   {a}.view(-1)[1:3] *= 2   {a}.unbind()[0].add_(1)   {a}.add_({b}, alpha=2)   {a}.clamp_(min=0)
        {a} /= 2   {a}[[0, -1]] = {b}   {a}.masked_fill_({a} > 0, 1)   {a}.fill_({b}.sum())   {a}.abs_()
        {a}.copy_({b})   {a}.detach().mul_(2)   {a}.data.add_(1)   {a}.data[0] = 0   {a}.sub_(1).mul_(2)
        {a}.squeeze().add_(1)   {a}.unsqueeze_(0)   {a}.squeeze_()   {a}.t_()   {a}.transpose_(0, 1)   {a}.squeeze_(0)
        """,
    "other": """
        {a}.requires_grad_()   {a}.requires_grad = False   {a}.detach_()   {a}.detach_()   {a}.retain_grad()
        {a}.grad = None   {a}.sum().backward()   {a}.sum().backward(retain_graph=True)   ({a} * {a}).sum().backward()
        {a}.register_hook(lambda g: g * 2)   {a}.backward()   {a}.grad.zero_()   {a}.data = {a}.data   del {a}
        torch.autograd.grad({a}.sum(), {b})   torch.autograd.grad(({a} * {a}).sum(), w, retain_graph=True)
        ({a} * {b}).sum().backward(retain_graph=True)   {a}.sum().backward(inputs=[w])   {a}.grad_fn
        torch.autograd.backward([{a}.sum(), {b}.sum()])   {a} = {b}   w.grad.add_(1)
        """,
}
TEMPLATES = {
    kind: [text.strip() for text in re.split(r" {3,}|\n", texts) if text.strip()] for kind, texts in KINDS.items()
}


@st.composite
def line(draw: st.DrawFn) -> str:
    kind = draw(st.sampled_from(["view", "result", "write", "write", "other"]))
    template = draw(st.sampled_from(TEMPLATES[kind]))
    text = template.format(a=draw(name), b=draw(name))
    if kind in ("view", "result"):
        text = f"{draw(name)} = {text}"
    if kind in ("view", "write") and draw(st.integers(0, 4)) == 0:
        text = f"with torch.no_grad(): {text}"
    return text


START = [
    "w = torch.tensor([[1.0, -2.0, 3.0], [0.0, 4.0, -1.0]], requires_grad=True)",
    "x = torch.tensor([[2.0, 1.0, -1.0], [1.0, 0.0, 2.0]])",
    "y = w * 2",
    "z = w.clone()",
]


@many
@given(st.lists(line(), min_size=1, max_size=10))
def test_views_writes_and_backward(lines: list[str]) -> None:
    assert_same_states(START + lines)


RECORDED = [t for t in TEMPLATES["view"] + TEMPLATES["result"] if "detach" not in t and ".data" not in t]


@many
@given(st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from(RECORDED), name, name), min_size=1, max_size=8))
def test_second_pass(steps: list[tuple[str, str, str, str]]) -> None:
    """With create_graph=True a gradient has a graph of its own. (· 1: PyTorch has written some gradients in place.)"""
    lines = [f"{target} = {template.format(a=a, b=b)}" for target, template, a, b in steps]
    assert_same_states([*START, *lines, "x = torch.autograd.grad((z * z).sum(), w, create_graph=True)[0] * 1"])


# ---------------------------------------------------------------------------------------------------------------------
# Indexing

integer = st.integers(-3, 3)
part = st.one_of(
    integer.map(str),
    st.tuples(
        st.one_of(st.just(""), integer.map(str)), st.one_of(st.just(""), integer.map(str)), st.integers(1, 2)
    ).map(lambda s: f"{s[0]}:{s[1]}:{s[2]}"),
    st.sampled_from([":", "...", "None", "[0, 1]", "[1, -1, 0]", "torch.tensor([0, 1])", "torch.tensor(1)", "True"]),
    st.sampled_from(["torch.tensor([[0], [1]])", "torch.tensor([True, False])", "torch.tensor([False, True, True])"]),
)


@many
@given(st.lists(part, min_size=1, max_size=4).filter(lambda parts: parts.count("...") < 2), st.booleans())
def test_indexing(parts: list[str], write: bool) -> None:
    """Beside `None`, `...` or a tensor, PyTorch's messages count dimensions of its own making: types only."""
    index = ", ".join(parts)
    lines = [
        "w = (torch.arange(12.0).reshape(2, 3, 2) - 5).requires_grad_()",
        "y = w * 1",
        f"y[{index}] = y[{index}] * 3" if write else f"z = y[{index}]",
        "(y * y).sum().backward()" if write else "(z * z).sum().backward()",
    ]
    assert_same_states(lines, messages=not any("[" in part or part in ("True", "...", "None") for part in parts))


# ---------------------------------------------------------------------------------------------------------------------
# Broadcasting

shape = st.lists(st.sampled_from([1, 1, 2, 3]), max_size=3).map(tuple)


@many
@given(shape, shape, st.sampled_from(["x + y", "x - y", "x * y", "(x * y) * x", "torch.max(x, y)"]))
def test_broadcasting(one: tuple, other: tuple, expression: str) -> None:
    lines = [
        f"x = (torch.arange({numel(one)}).reshape({one}) - 2.0).requires_grad_()",
        f"y = (torch.arange({numel(other)}).reshape({other}) * 2.0 - 3).requires_grad_()",
        f"z = {expression}",
        "(z * z).sum().backward()",
    ]
    assert_same_states(lines)


def numel(of: tuple) -> int:
    product = 1
    for size in of:
        product *= size
    return product


# ---------------------------------------------------------------------------------------------------------------------
# dtypes

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]
operand = st.one_of(
    st.tuples(st.sampled_from(DTYPES), st.sampled_from(["[1, 0, 1]", "1", "[[1], [0]]"])).map(
        lambda of: f"torch.tensor({of[1]}, dtype=torch.{of[0]})"
    ),
    st.sampled_from(["2", "2.5"]),
)


@many
@given(operand, operand, st.sampled_from(["+", "-", "*", "/", "**", "==", "<"]))
def test_dtype_promotion(one: str, other: str, operator: str) -> None:
    assert_same_states([f"x = {one}", f"y = {other}", f"z = x {operator} y"])


# ---------------------------------------------------------------------------------------------------------------------
# Printing

number = st.one_of(
    st.integers(-5, 5).map(float),
    st.floats(width=32),
    st.floats(-1000, 1000, width=32),
    st.sampled_from([1e-5, 1e5, 0.1, 123456.789, 1e8, 1e-8, -0.0, float("inf"), float("-inf"), float("nan")]),
)


@many
@given(
    st.lists(number, min_size=1, max_size=24),
    st.sampled_from(["float32", "float64", "float16"]),
    st.sampled_from(
        ["x", "x.reshape(-1, 1)", "x.reshape(1, 1, -1)", "x.reshape(2, -1)", "x.reshape(2, 2, -1)", "x[0]"]
    ),
    st.booleans(),
)
def test_printing_floats(values: list[float], dtype: str, view: str, tracked: bool) -> None:
    text = ", ".join(f'float("{value}")' for value in values)
    assert_same_states(
        [f"x = torch.tensor([{text}], dtype=torch.{dtype}, requires_grad={tracked})", f"y = {view}"], repr
    )


@many
@given(
    st.lists(st.integers(-(10**6), 10**6), max_size=30),
    st.sampled_from(["int64", "int32", "bool", "uint8"]),
    st.sampled_from(["x", "x.reshape(-1, 1)", "x.reshape(2, -1)", "x[0]"]),
)
def test_printing_integers(values: list[int], dtype: str, view: str) -> None:
    assert_same_states([f"x = torch.tensor({values}).to(torch.{dtype})", f"y = {view}"], repr)


@many
@given(st.lists(st.integers(0, 40), min_size=1, max_size=4), st.booleans())
def test_printing_large(sizes: list[int], integers: bool) -> None:
    """Long tensors are summarised with dots, in every dimension."""
    size = tuple(sizes)
    assert_same_states([f"x = torch.arange({numel(size)}{'' if integers else '.0'}).reshape({size})"], repr)


# ---------------------------------------------------------------------------------------------------------------------
# The seeded generator

size = st.lists(st.integers(0, 9), max_size=3).map(tuple)
draws = st.one_of(
    st.tuples(st.sampled_from(["rand", "randn"]), size, st.sampled_from(["float32", "float64"])).map(
        lambda d: f"torch.{d[0]}({d[1]}, dtype=torch.{d[2]})"
    ),
    st.tuples(st.integers(-9, 0), st.integers(1, 50), size).map(lambda d: f"torch.randint({d[0]}, {d[1]}, {d[2]})"),
    st.integers(1, 40).map(lambda n: f"torch.randperm({n})"),
)


@many
@given(st.integers(0, 2**63), st.lists(draws, min_size=1, max_size=5))
def test_same_seed_same_numbers(seed: int, calls: list[str]) -> None:
    """Bit for bit; but `randn` of 16 numbers and more only to a few last bits.

    For those PyTorch takes logarithm and cosine from a vector library of the processor it runs on, and itself gives
    other last bits on another processor.
    """

    def drawn(library: ModuleType) -> list:
        library.manual_seed(seed)
        return [eval(call, {"torch": library}).reshape(-1).tolist() for call in calls]

    for call, given_numbers, expected in zip(calls, drawn(minigrad), drawn(torch)):
        if "randn" in call and len(expected) >= 16:
            expected = pytest.approx(expected, rel=1e-5, abs=1e-6)
        assert given_numbers == expected, call
