"""Every expression of tests/core/expressions.txt on the GPU or its stand-in: all that a user can see is as on the CPU.

The CPU's answers are PyTorch's: that is tested beside them.
"""

from typing import Any

import pytest

import minigrad
from tests.batches import batches, each
from tests.core.parity import Seen, assert_alike, see
from tests.core.test_against_torch import KINDS, expressions, inputs
from tests.device import machine

#: The first moves there, the second names the device.
APART = ("a.to('cpu')", "a.device")
CASES = [case for case in expressions() if not any(apart in case.values[0] for apart in APART)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("batch", batches(CASES))
def test_like_the_cpu(batch: list[Any], request: pytest.FixtureRequest) -> None:
    on_cpu = {case.id: seen(*case.values) for case in batch}
    request.getfixturevalue("on_cuda")
    each([pytest.param(*case.values, on_cpu[case.id], id=case.id) for case in batch], like_the_cpu)


def seen(expression: str, kind: str) -> Seen:
    minigrad.manual_seed(0)
    return see(minigrad, expression, lambda library: inputs(library, kind))


def like_the_cpu(expression: str, kind: str, expected: Seen) -> None:
    given = seen(expression, kind)
    for numbers in [*given.results, *expected.results]:
        if numbers is not None:
            numbers.text = machine.as_on_cpu(numbers.text)
    assert_alike(given, expected, KINDS[kind], expression)
