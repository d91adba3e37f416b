"""The recorded answers of PyTorch are those that it gives, and minigrad agrees with them, too."""

import random
from typing import Any

import pytest

from tests.batches import batches, each
from tests.core.answers import everything, key, recorded
from tests.core.parity import assert_alike, see
from tests.core.test_against_torch import KINDS, agree, expressions, inputs

EVERY = expressions()
SOME = random.Random(0).sample(EVERY, len(EVERY) // 10)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("batch", batches(SOME))
def test_recorded(batch: list[Any]) -> None:
    each(batch, answered)


def answered(expression: str, kind: str) -> None:
    answer = recorded(expression, kind)
    agree(expression, kind, answer)
    torch = pytest.importorskip("torch", reason="PyTorch, which would answer, is not installed")
    now = see(torch, expression, lambda library: inputs(library, kind))
    assert_alike(answer, now, KINDS[kind], expression)
    assert answer.second_graph == now.second_graph


def test_every_expression_is_answered() -> None:
    asked = {key(*parameter.values) for parameter in EVERY}
    assert asked == everything().keys(), "run python -m tests.core.answers"
