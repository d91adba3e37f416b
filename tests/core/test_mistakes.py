"""Wrong calls end in PyTorch's error: class and first line.

Every expression of expressions.txt is tried with one argument wrong, missing or too many, in all ways (mistakes.py).
A tenth of the expressions are by default; `MISTAKES=all pytest tests/core/test_mistakes.py` tries all.
"""

import os
import random

import pytest

from tests.core.mistakes import differences, known, safe_expressions

torch = pytest.importorskip("torch", reason="PyTorch, the reference, is not installed")

EVERY = os.environ.get("MISTAKES") == "all"
EXPRESSIONS = safe_expressions()
TRIED = EXPRESSIONS if EVERY else random.Random(0).sample(EXPRESSIONS, len(EXPRESSIONS) // 10)


@pytest.mark.parametrize("expression", TRIED)
def test_mistakes_in(expression: str) -> None:
    found = differences(expression, torch)
    shown = "\n".join(f"{mistake}\n    minigrad: {ours}\n    PyTorch:  {theirs}" for mistake, ours, theirs in found)
    allowed = known().get(expression, 0)
    assert len(found) <= allowed, f"{len(found)} mistakes end otherwise, {allowed} did:\n{shown}"
    assert len(found) == allowed, "fewer mistakes end otherwise: run python -m tests.core.mistakes"


def test_only_expressions_that_there_are_may_differ() -> None:
    assert set(known()) <= set(EXPRESSIONS)
