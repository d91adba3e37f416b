"""The benchmark runs and everybody in it computes the same. How fast is no matter for a test."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.benchmarks import operations, report
from tests.benchmarks.contest import Row, WrongResult, compete
from tests.benchmarks.peers import Unavailable
from tests.browsers import CHROMIUM

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_every_row_runs_and_all_results_agree(tmp_path: Path) -> None:
    """Fails on a wrong result, never on a slow clock. `pytest -s` shows the ratios."""
    command = [sys.executable, "-m", "tests.benchmarks", "--smoke", "--out", str(tmp_path)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", env=os.environ | {"PYTHONUTF8": "1"}
    )
    print(done.stdout)  # the ratios
    assert done.returncode == 0, done.stderr
    rows = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["rows"]
    assert len(rows) == 15
    for row in rows:
        assert "minigrad" in row["samples"], row["name"]
        assert row["ratios"] or row["missing"], f"{row['name']} compares minigrad with nobody"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "inputs"), [(operations.OF_SMALL, operations.SMALL), (operations.OF_LARGE, operations.LARGE)]
)
def test_single_operations_agree_with_pytorch(text: str, inputs: dict[str, Any]) -> None:
    """On large arrays, too, where minigrad computes some of them in another way. `pytest -s` shows the ratios."""
    pytest.importorskip("torch", reason="PyTorch, the reference, is not installed")
    print(operations.compared("", text, inputs, smoke=True))


class Fixed:
    """Computes given numbers in a given time."""

    def __init__(self, numbers: list[float], seconds: float) -> None:
        self.numbers, self.seconds = numbers, seconds

    def result(self) -> list[np.ndarray]:
        return [np.array(self.numbers, np.float32)]

    def sample(self) -> float:
        return self.seconds


def row(**contestants: object) -> Row:
    made = {name: (lambda size, contestant=contestant: contestant) for name, contestant in contestants.items()}
    return Row("row", "work", "工作", made, {"peer": 0.5}, size=1, smoke_size=1, rounds=4)


def test_ratios_are_taken_and_held_against_the_target() -> None:
    outcome = compete(row(minigrad=Fixed([1, 2], 1.0), peer=Fixed([1, 2.0001], 2.5), slow=Fixed([1, 2], 100)))
    assert outcome.ratios("peer") == [0.4] * 4
    assert outcome.met("peer") is True
    assert outcome.met("slow") is None, "no target was set"


def test_a_missed_target_is_shown_and_is_no_error() -> None:
    assert compete(row(minigrad=Fixed([1], 2.0), peer=Fixed([1], 1.0))).met("peer") is False


@pytest.mark.parametrize("numbers", [[1, 2.1], [1, 2, 3], [1, float("nan")]])
def test_nothing_is_timed_when_results_differ(numbers: list[float]) -> None:
    with pytest.raises(WrongResult, match="row, result 0: minigrad and peer differ"):
        compete(row(minigrad=Fixed([1, 2], 1.0), peer=Fixed(numbers, 1.0)))


def test_a_missing_peer_is_named_with_the_reason() -> None:
    def absent(size: int) -> Fixed:
        raise Unavailable("not installed")

    with_absent = row(minigrad=Fixed([1], 1.0), peer=Fixed([1], 1.0))
    outcome = compete(Row(**{**vars(with_absent), "contestants": {**with_absent.contestants, "other": absent}}))
    assert outcome.missing == {"other": "not installed"}
    assert outcome.ratios("peer") == [1.0] * 4


def test_the_table_is_put_into_both_pages(tmp_path: Path) -> None:
    (tmp_path / "tests" / "benchmarks").mkdir(parents=True)
    (tmp_path / "docs").mkdir()
    for name in ("docs/speed.md", "docs/speed.zh.md"):
        before, _, rest = (ROOT / name).read_text(encoding="utf-8").partition(report.BEGIN)
        assert report.END in rest, f"{name} has no place for the table"
        (tmp_path / name).write_text(f"{before}{report.BEGIN}old{report.END}after", encoding="utf-8")
    report.publish([compete(row(minigrad=Fixed([1], 2.0), peer=Fixed([1], 1.0)))], tmp_path)
    for name, missed in (("docs/speed.md", "missed"), ("docs/speed.zh.md", "未达到")):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert missed in text
        assert "old" not in text.partition(report.BEGIN)[2]
        assert text.endswith(f"{report.END}after")


@pytest.mark.slow
def test_what_the_live_panel_costs_a_loop_is_measured() -> None:
    """`pytest -s` shows the ratios; so few turns say little."""
    pytest.importorskip("ipykernel")
    command = [sys.executable, "-m", "tests.benchmarks.viz.panel_overhead", "--turns", "2"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", env=os.environ | {"PYTHONUTF8": "1"}
    )
    print(done.stdout)
    assert done.returncode == 0, done.stderr
    ratios = [float(ratio) for ratio in re.findall(r": ([\d.]+), turns", done.stdout)]
    assert len(ratios) == 2
    assert all(0.02 < ratio < 50 for ratio in ratios)  # whatever else the machine does


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_how_long_it_takes_from_a_cell_to_pixels_is_measured() -> None:
    """`pytest -s` shows the parts; graphs as small as these say little."""
    pytest.importorskip("playwright")
    command = [sys.executable, "-m", "tests.benchmarks.viz.cell_to_pixels", "--rounds", "2"]
    done = subprocess.run(
        [*command, "--nodes", "12", "--steps", "12"], cwd=ROOT, capture_output=True, text=True, encoding="utf-8"
    )
    print(done.stdout)
    assert done.returncode == 0, done.stderr
    told = dict(re.findall(r"(?m)^  (\S.*?) +([\d.]+) ms", done.stdout))
    parts = {"read", "folded", "laid out", "painted as SVG", "packed", "unpacked", "made a part of the page"}
    assert told.keys() > parts
    assert all(0 <= float(took) < 60_000 for took in told.values())
