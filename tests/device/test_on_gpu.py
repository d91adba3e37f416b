"""The script for a machine with a GPU runs through: here on the stand-in, so that no minute there is lost to a slip."""

import json
from pathlib import Path

import pytest

from tests.device import machine, on_gpu

pytest.importorskip("torch", reason="the script compares with PyTorch")


@pytest.mark.skipif(machine.is_real(), reason="there is a GPU: run the script itself")
def test_it_runs_through_on_the_stand_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = on_gpu.main(["--stand-in", "--out", str(tmp_path)])
    assert "broken" not in report
    assert {name: row["minigrad"] for name, row in report["waits"].items()} == dict.fromkeys(on_gpu.TRAININGS, 0)
    assert report["parity"]["differ"] == {}
    assert report["parity"]["expressions"] > 20
    assert set(report["times"]) == set(on_gpu.WORK)
    assert report["suite"]["exit"] == 0
    assert json.loads((tmp_path / "gpu.json").read_text(encoding="utf-8")) == report
    assert capsys.readouterr().out.strip() == (tmp_path / "gpu.md").read_text(encoding="utf-8").strip()


@pytest.mark.skipif(machine.is_real(), reason="there is a GPU")
def test_without_a_gpu_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        on_gpu.main([])
    assert "there is no GPU" in capsys.readouterr().err
