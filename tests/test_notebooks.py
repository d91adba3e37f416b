"""What `python -m tests.notebooks` tells of somebody's notebook: what ends otherwise, and nothing else."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.notebooks import alike

ROOT = Path(__file__).parent.parent
CELLS = [
    "import torch\nx = torch.randn(2, requires_grad=True)\n(x * x).sum().backward()\nprint(x.grad)",
    "%matplotlib inline\nprint(torch.Size([1]), type(x))",
    "torch.ones(2).backward()",
    "from torch import nn\nnn.Linear(2, 1)(x)",
]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="a cell's time is measured by an alarm, as Unix has")
@pytest.mark.parametrize("panel", [False, True])
def test_only_what_ends_otherwise_is_told(panel: bool, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch, the reference, is not installed")
    cells = [{"cell_type": "code", "source": [cell]} for cell in [*CELLS, "nn.LSTM(2, 3)", "print('while it waits')"]]
    (tmp_path / "notes.ipynb").write_text(json.dumps({"cells": cells}), encoding="utf-8")
    (tmp_path / "slow.py").write_text("import torch\nwhile True: pass", encoding="utf-8")
    (tmp_path / "old.py").write_text("import torch\nprint 'as Python 2 writes it'", encoding="utf-8")
    (tmp_path / "other.md").write_text("```python\nprint('of something else')\n```", encoding="utf-8")
    asked = [sys.executable, "-m", "tests.notebooks", str(tmp_path), "--seconds", "3", *["--panel"] * panel]
    settings = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(asked, capture_output=True, text=True, cwd=ROOT, env=settings, timeout=200, check=False)
    assert done.stdout.count(", cell ") == (not panel), done.stdout + done.stderr
    assert ("no attribute 'LSTM'" in done.stdout) is not panel
    assert "2 files, {'cells': 7, 'not run': 0" in done.stdout
    assert done.returncode == (not panel)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("tensor([0.1234, 5.])", "tensor([0.1235, 5.])", True),
        ("tensor([0.1234, 5.])", "tensor([0.2234, 5.])", False),
        ("tensor([1.])", "tensor([1., 1.])", False),
        ("<object at 0x12ab>", "<object at 0xf0>", True),
        ("loss: nan", "loss: 1.0", False),
        ("step 10000 loss 0.1", "step 10000 loss 0.9", False),
    ],
)
def test_rounding_alone_is_no_difference(one: str, other: str, same: bool) -> None:
    assert alike(one, other) is same
