"""Many small cases in one test: what pytest spends on a test is a multiple of what an expression takes.

    @pytest.mark.parametrize("batch", batches(expressions()))
    def test_like_pytorch(batch):
        each(batch, agrees)

A case is a `pytest.param` with an id. A failing test tells every case of its batch that failed, by that id.
"""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from minigrad.autograd.grad_mode import unusual

SIZE = 40


def batches(cases: Sequence[Any]) -> list[Any]:
    """The cases in lists of `SIZE`, each a parameter that is called after its first case."""
    lists = [cases[start : start + SIZE] for start in range(0, len(cases), SIZE)]
    return [pytest.param(batch, id=f"{batch[0].id} …") for batch in lists]


def each(batch: Sequence[Any], check: Callable[..., None]) -> None:
    """Check each case as a session of its own does: an inference mode that one of them used would close the everyday
    ways to the next."""
    failed = []
    for case in batch:
        unusual.intersection_update({"a GPU"})
        try:
            check(*case.values)
        except Exception as error:
            error.add_note(f"in the case {case.id}")
            failed.append(error)
    if failed:
        raise ExceptionGroup(f"{len(failed)} of {len(batch)} cases", failed)
