"""`python -m tests.endurance` at a hundredth of its length: the command runs, and would say that something grows."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests import endurance

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize("name", ["adam-followed", "second-order", "refused", "threads", "tasks"])
def test_a_row_holds(name: str) -> None:
    pytest.importorskip("psutil")
    command = [sys.executable, "-m", "tests.endurance", "--here", "--only", name, "--rounds", "1000"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "holds" in done.stdout


def test_what_grows_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("psutil")
    kept: list[list[int]] = []
    leak = endurance.Row(lambda: lambda number: kept.append([number]))
    monkeypatch.setitem(endurance.ROWS, "leak", leak)
    monkeypatch.setattr("gc.disable", lambda: None)  # of this process, which goes on
    assert not endurance.run("leak", 5_000)
    assert "GROWS" in capsys.readouterr().out
