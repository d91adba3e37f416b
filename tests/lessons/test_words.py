"""PyTorch's words for wrong arguments are loaded when a call has failed: no lesson needs them, unless it shows that."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

#: Lessons in which a cell calls something wrongly on purpose, and goes on.
ON_PURPOSE: set[str] = set()

PROGRAM = """
import sys
from minigrad_lessons import source
from tests.lessons.conftest import _run

for name in source.names():
    lesson, namespace = source.read(name), {"__name__": "__main__"}
    for cell in lesson.code:
        try:
            _run(cell.source, namespace)
        except Exception:
            assert "raises-exception" in cell.tags, cell.source
            sys.modules.pop("minigrad.words", None)
        if sys.modules.pop("minigrad.words", None):
            print(name)
"""


def test_the_lessons_load_no_words_for_errors() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) == ON_PURPOSE
