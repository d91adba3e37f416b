"""Every expression of tests/core/expressions.txt on the GPU or its stand-in: all that a user can see is as on the CPU.

The CPU's answers are PyTorch's: that is tested beside them.
"""

from functools import cache
from typing import Any

import pytest

import minigrad
from tests.core.parity import Seen, assert_alike, see
from tests.core.test_against_torch import KINDS, expressions, inputs
from tests.device import machine

SKIPPED = {"a.to('cpu')": "moves, there", "a.device": "names the device"}


@cache
def _on_cpu(expression: str, kind: str) -> Seen:
    return see(minigrad, expression, lambda library: inputs(library, kind))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("expression", "kind"), expressions())
def test_like_the_cpu(expression: str, kind: str, request: Any) -> None:
    minigrad.manual_seed(0)
    expected = _on_cpu(expression, kind)
    minigrad.manual_seed(0)
    request.getfixturevalue("on_cuda")
    given = see(minigrad, expression, lambda library: inputs(library, kind))
    for numbers in [*given.results, *expected.results]:
        if numbers is not None:
            numbers.text = machine.as_on_cpu(numbers.text)
    assert_alike(given, expected, KINDS[kind], expression)
