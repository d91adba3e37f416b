"""The fuzzers find what is wrong, name its kind, reduce it, and find nothing wrong in minigrad today."""

import random
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch, the reference, is not installed")

import minigrad  # noqa: E402
from tests.fuzz.__main__ import AREAS, WRONG, fuzz, smallest, told  # noqa: E402
from tests.fuzz.known import known  # noqa: E402
from tests.fuzz.programs import compared, reduced  # noqa: E402

CASES = Path(__file__).with_name("cases.txt").read_text(encoding="utf-8")


class WrongSine(torch.autograd.Function):
    """sin with the sign of its derivative turned round."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return -grad * ctx.saved_tensors[0].cos()


def refused(*_: Any) -> Any:
    raise ValueError("not today")


class Changed(ModuleType):
    """PyTorch, but for a few functions of its own."""

    def __init__(self, **own: Any) -> None:
        super().__init__("torch")
        self.__dict__.update(own)

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)


@pytest.mark.parametrize(
    ("kind", "own"),
    [
        (None, {}),
        ("value", {"sin": WrongSine.apply}),
        ("value", {"sin": lambda x: x.sin() * 1.01}),
        ("error", {"sin": lambda x: x.sin().detach()}),
        ("value", {"sin": lambda x: x.sin().double()}),
        ("error", {"sin": refused}),
        ("graph", {"sin": lambda x: x.sin() * 1}),
    ],
)
def test_a_planted_mistake_is_found_and_named(kind: str | None, own: dict[str, Any]) -> None:
    lines = ["a = torch.tensor([0.5, -1.25], requires_grad=True)", "v1 = torch.sin(a)", "v1.sum().backward()"]
    difference = compared(Changed(**own), torch, lines)
    assert (difference and difference.kind) == kind


def test_other_words_are_no_wrong_error() -> None:
    def other_words(*_: Any) -> Any:
        raise RuntimeError("no")

    difference = compared(Changed(mm=other_words), torch, ["torch.mm(torch.ones(2, 3), torch.ones(2, 3))"])
    assert difference is not None
    assert difference.kind == "words"


@pytest.mark.parametrize(
    "lines",
    [
        ["a = torch.tensor([0.5, -1.25])", "v1 = torch.neg(a.sign())"],
        ["a = torch.tensor([float('3e38'), float('1.0')])", "v1 = torch.neg(a.std())"],
        ["a = torch.tensor([float('3e38'), float('1.0')])", "v1 = torch.neg(a) * a.sum() / a.sum()"],
        ["a = torch.tensor([float('nan'), float('-0.0')])", "v1 = torch.neg(a * 0 + 1) ** 3"],
        [
            "a = torch.tensor(0.5, requires_grad=True)",
            "torch.autograd.graph.register_multi_grad_hook([a], lambda g: log.append(1))",
            "v1 = torch.neg(a)",
            "v1.backward()",
        ],
    ],
)
def test_what_is_known_excuses_nothing_else(lines: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake in the same program as something known is news."""
    wrong = Changed(neg=lambda x: x * 1.0)
    monkeypatch.setattr("tests.fuzz.known.minigrad", wrong)
    difference = compared(wrong, torch, lines)
    assert difference is not None
    assert difference.kind == "value"
    assert known(lines, difference) is None


def test_the_last_bits_of_a_number_are_rounding_and_more_is_not() -> None:
    """(1e4 + 1) - 1e4 in float32, squared away from it: what one bit grows to."""
    lines = ["a = torch.tensor([1.37, 2.41], requires_grad=True)", "v1 = torch.exp(a)", "v2 = (v1 * 1e6) % 1"]
    one_bit = Changed(
        exp=lambda x: torch.nextafter(x.exp(), torch.ones_like(x) * 100) if x.dtype == torch.float32 else x.exp()
    )
    found = compared(one_bit, torch, lines)
    assert found is None or found.kind == "rounding"
    off = compared(Changed(exp=lambda x: x.exp() * (1 + 1e-3)), torch, lines)
    assert off is not None
    assert off.kind == "value"


def test_a_program_is_reduced_to_the_lines_that_matter() -> None:
    """What a learner would have to read: three lines of eight."""
    lines = [
        "a = torch.tensor([0.5, -1.25], requires_grad=True)",
        "b = torch.tensor([2.0, 3.0])",
        "v1 = a * b",
        "v2 = torch.sin(a)",
        "v3 = v1.sum()",
        "v4 = b.exp()",
        "v2.sum().backward()",
        "v5 = v4 + 1",
    ]
    wrong = Changed(sin=WrongSine.apply)

    def still(shorter: list[str]) -> bool:
        found = compared(wrong, torch, shorter)
        return found is not None and found.kind == "value"

    assert reduced(lines, still) == [lines[0], lines[3], lines[6]]


@pytest.mark.parametrize("area", AREAS)
def test_the_same_seed_writes_the_same_programs(area: str) -> None:
    """A number that a failing run prints brings its program back."""
    one, again = (AREAS[area](random.Random(f"{area} 5 7"), torch) for _ in range(2))
    assert one == again
    assert len(one) > 1


@pytest.mark.parametrize("area", AREAS)
def test_nothing_is_wrong(area: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A few hundred programs; `python -m tests.fuzz` runs as many others as there is time for."""
    tally = fuzz(area, seed=2026, count={"training": 60, "tensors": 150}.get(area, 250), seconds=120, show=())
    assert not any(tally[kind] for kind in WRONG), capsys.readouterr().out
    assert tally["programs"] > 20


@pytest.mark.parametrize("program", [case for case in CASES.split("\n\n") if case.strip()])
def test_what_was_found_stays_mended(program: str) -> None:
    """Programs that once ended otherwise than under PyTorch."""
    lines = [line for line in program.splitlines() if not line.startswith("#")]
    difference = compared(minigrad, torch, lines)
    if difference is not None and difference.kind in WRONG:
        shorter = smallest(lines, difference)
        assert known(*shorter), told(*shorter)
