"""What `?` and Shift-Tab show is how a function can be called, under PyTorch's names."""

import inspect
import pickle
import re
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import pytest

import minigrad as torch
from minigrad import linalg
from minigrad.nn import functional
from minigrad.table import TABLE
from tests.core.test_names import names as page

_FUNCTIONS = {
    f"{prefix}{name}": getattr(place, name)
    for prefix, place in (("", torch), ("nn.functional.", functional), ("linalg.", linalg))
    for name in place.__all__
    if inspect.isfunction(getattr(place, name))
}
_METHODS = {
    f".{name}": getattr(torch.Tensor, name)
    for name in dir(torch.Tensor)
    if not name.startswith("_") and inspect.isfunction(getattr(torch.Tensor, name))
}
_ALL = {**_FUNCTIONS, **_METHODS}
#: What PyTorch's pages and minigrad call otherwise than PyTorch's parser does; its names are understood as well.
_OTHERWISE = {
    "A", "x",  # of torch.linalg
    "indices_or_sections", "axis0", "dim0", "dim1", "src", "rtol",
    "a", "b", "from_",  # of x.uniform_ and x.random_: `from` is a word of Python's
    "inplace", "other", "as_tuple", "requires_grad",
}  # fmt: skip


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    return list(inspect.signature(function).parameters.values())


def test_there_are_enough() -> None:
    assert len(_FUNCTIONS) > 220
    assert len(_METHODS) > 250


@pytest.mark.parametrize("name", _ALL)
def test_no_inner_name_is_shown(name: str) -> None:
    shown = str(inspect.signature(_ALL[name]))
    assert "<" not in shown, shown
    assert " = all" not in shown, shown
    assert not [word for word in shown.replace("'", " ").replace("(", " ").split() if word.startswith("_")], shown


def _schemas(operator: str) -> list[Any]:
    """The ways to call an operator that PyTorch has declared for its compiler."""
    reference = pytest.importorskip("torch", reason="PyTorch, the reference, is not installed")
    return reference._C._jit_get_schemas_for_operator(f"aten::{operator}")


@pytest.mark.parametrize("name", _ALL)
def test_the_names_shown_are_pytorchs(name: str) -> None:
    reference = pytest.importorskip("torch", reason="PyTorch, the reference, is not installed")
    theirs = attrgetter(f"Tensor{name}" if name.startswith(".") else name)(reference)
    told = {"input", *(argument.name for schema in _schemas(name.rpartition(".")[2]) for argument in schema.arguments)}
    told |= {word for way in page.ways_to_call(theirs) for word in re.findall(r"\w+", way)}
    shown = [p.name for p in _parameters(_ALL[name]) if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    if not told or "kwargs" in told:
        pytest.skip("PyTorch does not say")
    assert set(shown[name.startswith(".") :]) <= told | _OTHERWISE


def _of_one_tensor() -> list[str]:
    return [
        name
        for name, function in _FUNCTIONS.items()
        if [p.name for p in _parameters(function) if p.default is p.empty] in (["input"], ["A"], ["x"])
    ]


@pytest.mark.filterwarnings("ignore:Implicit dimension")
@pytest.mark.parametrize("name", _of_one_tensor())
def test_a_function_takes_its_tensor_by_the_name_that_is_shown(name: str) -> None:
    function = _FUNCTIONS[name]
    first = _parameters(function)[0].name
    x = torch.tensor([[1.5, 1.25], [1.125, 1.75]])
    answers = []
    for call in (lambda: function(x), lambda: function(**{first: x})):
        torch.manual_seed(1)
        try:
            answers.append(repr(call()))
        except Exception as error:
            answers.append(type(error))
    assert answers[0] == answers[1] or name == "empty_like"


_UNARY = [
    name
    for name, function in _FUNCTIONS.items()
    if [p.name for p in _parameters(function)] == ["input"] and name in TABLE and TABLE[name].out
]


@pytest.mark.parametrize("name", _UNARY)
def test_what_a_function_gives_can_be_written_into_out(name: str) -> None:
    x = torch.tensor([[1, 2], [3, 4]]) if name == "bitwise_not" else torch.tensor([[1.5, 1.25], [1.125, 1.75]])
    expected = _FUNCTIONS[name](x)
    out = torch.empty(2, 2, dtype=expected.dtype)
    assert _FUNCTIONS[name](x, out=out) is out
    assert repr(out) == repr(expected)  # nan too


def test_out_that_is_no_tensor_is_refused_in_pytorchs_words() -> None:
    with pytest.raises(TypeError, match=r"exp\(\): argument 'out' must be Tensor, not int"):
        torch.exp(torch.ones(2), out=3)
    with pytest.raises(RuntimeError, match=r"functions with out=\.\.\. arguments don't support automatic"):
        torch.exp(torch.ones(2, requires_grad=True), out=torch.empty(2))


def test_a_wrong_call_of_a_function_of_one_tensor_is_told_in_pytorchs_words() -> None:
    x = torch.ones(2)
    for wrong, words in (
        (lambda: torch.exp(), 'missing 1 required positional arguments: "input"'),
        (lambda: torch.exp(x, x), "takes 1 positional argument but 2 were given"),
        (lambda: torch.exp(self=x), 'missing 1 required positional arguments: "input"'),
        (lambda: torch.exp([1.0]), "argument 'input' (position 1) must be Tensor, not list"),
    ):
        with pytest.raises(TypeError) as caught:
            wrong()
        assert words in str(caught.value)
    assert torch.equal(torch.relu(input=x), x)
    assert torch.equal(torch.absolute(a=-x), x)  # numpy's name
    assert pickle.loads(pickle.dumps(torch.exp)) is torch.exp
