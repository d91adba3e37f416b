"""`python -m tests.mutants.planted`: every wrong sign and every lost check is noticed."""

from pathlib import Path

import pytest

import minigrad
from tests.mutants import planted
from tests.mutants.wrong_engines import WRONG_ENGINES, Wrong


def test_every_wrong_sign_and_lost_check_is_noticed(capsys: pytest.CaptureFixture[str]) -> None:
    unnoticed = planted.main()
    assert not unnoticed, capsys.readouterr().out


@pytest.mark.parametrize("wrong", WRONG_ENGINES, ids=lambda wrong: wrong.what)
def test_a_known_wrong_engine_is_this_one_but_for_a_place(wrong: Wrong) -> None:
    """Else `python -m tests.mutants` would not know what to put where."""
    text = Path(minigrad.__file__).parent.joinpath(wrong.file).read_text(encoding="utf-8")
    assert wrong.right in text
