"""The notes' programs say under minigrad what they say under PyTorch: `pytest -k seed`.

Two recorded files: 105 programs that probe every claim of the notes, and the notes' own cells. Each runs
under minigrad, and where PyTorch is installed under PyTorch too, so that the recording itself is proven.
"""

import functools
import importlib
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.reference.programs import FOLDER, Answer, Case, answers, load, oracle

SEED_CASES = FOLDER / "seed-cases.json"
NOTE_CASES = FOLDER / "note-cases.json"

# 500 steps of training multiply the rounding of x.mm(w1): numpy's BLAS adds in another order than PyTorch's,
# and PyTorch itself in another order on another processor. Losses agree to this relative difference.
TRAINING = "s0_training"
TRAINING_TOLERANCE = 1e-3

needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch, the reference, is not installed")


def params(path: Path) -> list:
    return [
        pytest.param(library, path, index, id=f"{library}-{case.namespace}-{case.title}", marks=marks)
        for library, marks in (("minigrad", ()), ("torch", needs_torch))
        for index, case in enumerate(load(path))
    ]


@functools.cache
def recorded_and_given(library: str, path: Path) -> list[tuple[Case, Answer]]:
    """Programs share variables, so a whole file runs at once, in order; each is then judged alone."""
    cases = load(path)
    module = importlib.import_module(library)
    if library == "torch" and module.__version__.split("+")[0] not in oracle(path):
        pytest.skip(f"recorded from {oracle(path)}, installed is {module.__version__}")
    return list(zip(cases, answers(cases, module)))


@pytest.mark.parametrize(("library", "path", "index"), params(SEED_CASES) + params(NOTE_CASES))
def test_seed(library: str, path: Path, index: int) -> None:
    case, given = recorded_and_given(library, path)[index]
    expected = comparable(case.answer)
    given = comparable(given)
    if case.namespace == TRAINING:
        assert numbers(given.stdout) == pytest.approx(numbers(expected.stdout), rel=TRAINING_TOLERANCE)
        given.stdout = expected.stdout
    assert given == expected, f"{library} does not say what PyTorch says to:\n{case.code}"


def comparable(answer: Answer) -> Answer:
    """Without what may differ: the module's name, and where in its C++ files PyTorch raised a warning."""

    def renamed(text: str) -> str:
        return re.sub(r"\bminigrad\b", "torch", text)

    return Answer(
        renamed(answer.stdout),
        {key: renamed(text) for key, text in answer.error.items()} if answer.error else None,
        [{**w, "message": renamed(w["message"].partition(" (Triggered internally")[0])} for w in answer.warnings],
    )


def numbers(text: str) -> list[float]:
    return [float(word) for word in text.split()]


@needs_torch
def test_recording_is_what_pytorch_says_now() -> None:
    """`python -m tests.reference.record` would change nothing (the training's last digits aside)."""
    torch = importlib.import_module("torch")
    if torch.__version__.split("+")[0] not in oracle(SEED_CASES):
        pytest.skip(f"recorded from {oracle(SEED_CASES)}, installed is {torch.__version__}")
    record = importlib.import_module("tests.reference.record")
    assert record.seed_cases() == load(SEED_CASES)

    def without_training(cases: list[Case]) -> list[Case]:
        return [case for case in cases if case.namespace != TRAINING]

    assert without_training(record.note_cases()) == without_training(load(NOTE_CASES))
