"""How far a learner is: read from the notebooks that they saved, which is the only place that knows."""

from __future__ import annotations

import json
from pathlib import Path


def finished(notebook: Path) -> bool:
    """Whether every exercise of a saved notebook was last seen to say ✅. One without exercises never is."""
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    except (OSError, ValueError, KeyError):
        return False  # missing, or cut off while it was saved
    exercises = [cell for cell in cells if "exercise" in cell["metadata"].get("tags", [])]
    return bool(exercises) and all(_holds(cell) for cell in exercises)


def _holds(exercise: dict) -> bool:
    printed = "".join("".join(output.get("text", "")) for output in exercise["outputs"])
    return "✅" in printed and "❌" not in printed and "⬜" not in printed


def first_unfinished(folder: Path) -> Path:
    """The notebook to go on with; the index (``00_…``) when there is nothing left to do."""
    index, *lessons = sorted(folder.glob("[0-9][0-9]_*.ipynb"))
    return next((lesson for lesson in lessons if not finished(lesson)), index)
