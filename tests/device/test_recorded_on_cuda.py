"""The recorded programs with the GPU, or its stand-in, as the default device: they say what PyTorch says on the CPU."""

from functools import cache
from pathlib import Path

import pytest

import minigrad
from tests.core.test_recorded import ENGINE_CASES, NOTE_CASES, SEED_CASES, TRAINING, TRAINING_TOLERANCE, numbers
from tests.core.test_recorded import comparable as comparable_on_cpu
from tests.device import machine
from tests.reference.programs import Answer, Case, answers, load

# Programs that cannot say the same there, and why.
SKIPPED = {
    "003 003-cuda guard": "asks whether there is a GPU, and whether moving to the CPU moves",
    "s3 1.3 CUDA": "prints only where there is a GPU: test_surface.py has what the notes print there",
    "modes: numpy": "numpy cannot see a GPU's memory",
    "modes: type names": "prints the device",
    "forum: numpy functions of a plain tensor": "numpy cannot see a GPU's memory",
    "numbers: numpy sees a tracked tensor where nothing is recorded": "numpy cannot see a GPU's memory",
    "forum: two devices": "names a GPU where there is none",
}

# What is wrong with numbers in a GPU's memory is told when the program next waits for it: these would fail later ones.
TOLD_LATER = {"forum: cross_entropy of a class too high", "forum: bce of scores"}


def programs(path: Path) -> list[Case]:
    return [case for case in load(path) if case.name not in TOLD_LATER]


def cases() -> list:
    return [
        pytest.param(path, index, id=case.name)
        for path in (SEED_CASES, NOTE_CASES, ENGINE_CASES)
        for index, case in enumerate(programs(path))
    ]


@cache
def given(path: Path) -> list[tuple[Case, Answer]]:
    """Programs share variables, so a whole file runs at once, in order."""
    with machine.gpu():
        return list(zip(programs(path), answers(programs(path), minigrad)))


def comparable(answer: Answer) -> Answer:
    """Without the name of the device, and the line breaks that it causes."""
    answer = comparable_on_cpu(answer)
    answer.stdout = machine.as_on_cpu(answer.stdout)
    if answer.error:
        answer.error = {key: machine.as_on_cpu(text) for key, text in answer.error.items()}
    return answer


@pytest.mark.parametrize(("path", "index"), cases())
def test_says_the_same(path: Path, index: int) -> None:
    case, answer = given(path)[index]
    expected, answer = comparable(case.answer), comparable(answer)
    if case.namespace == TRAINING:
        assert numbers(answer.stdout) == pytest.approx(numbers(expected.stdout), **TRAINING_TOLERANCE)
        answer.stdout = expected.stdout
    assert answer == expected, case.code
