"""`python -m tests.mutants.planted`: every wrong sign and every lost check is noticed."""

import pytest

from tests.mutants import planted


def test_every_wrong_sign_and_lost_check_is_noticed(capsys: pytest.CaptureFixture[str]) -> None:
    unnoticed = planted.main()
    assert not unnoticed, capsys.readouterr().out
