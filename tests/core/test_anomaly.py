"""Anomaly mode names the learner's line, also where their file lies in a folder called minigrad."""

import subprocess
import sys
from pathlib import Path

PROGRAM = """\
import warnings

import minigrad as torch

x = torch.tensor([-1.0], requires_grad=True)
with warnings.catch_warnings(record=True) as caught, torch.autograd.detect_anomaly():
    warnings.simplefilter("always")
    y = x.sqrt()  # the learner's line
    try:
        y.backward()
    except RuntimeError as error:
        print(error)
print([str(warning.message) for warning in caught if "Error detected" in str(warning.message)][0])
"""


def test_a_learner_s_file_in_a_folder_of_that_name_is_theirs(tmp_path: Path) -> None:
    lesson = tmp_path / "minigrad" / "lesson.py"
    lesson.parent.mkdir()
    lesson.write_text(PROGRAM, encoding="utf-8")
    root = Path(__file__).parents[2]
    run = [sys.executable, "-c", f"import runpy; runpy.run_path({str(lesson)!r}, run_name='__main__')"]
    said = subprocess.run(run, cwd=root, capture_output=True, text=True, encoding="utf-8", check=True).stdout
    assert "Function 'SqrtBackward0' returned nan values" in said
    traceback = said.partition("Traceback of forward call")[2]
    assert str(lesson) in traceback
    assert "y = x.sqrt()  # the learner's line" in traceback.rstrip().splitlines()[-1]
