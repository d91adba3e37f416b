"""What an error shows in a running lesson: the learner's own lines and the message, as on the saved page.

Between the two stand dozens of minigrad's lines, which say nothing to somebody who is just learning what a graph is.
`%tb` after an error shows them all.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

OURS = tuple(str(Path(__file__).resolve().parents[1] / package) for package in ("minigrad", "viz", "minigrad_lessons"))


def show_own_lines() -> None:
    """Let the notebook that runs this, if one does, show errors so. A lesson that is run on PyTorch shows all lines."""
    hints: Any = sys.modules.get("minigrad.hints")
    if hints is not None:
        hints.shorten_tracebacks(OURS, way_in=False)
