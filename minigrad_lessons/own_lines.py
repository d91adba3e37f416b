"""What an error shows in a running lesson: the learner's own lines and the message, as on the saved page.

Between the two stand dozens of minigrad's lines, which say nothing to somebody who is just learning what a graph is.
`%tb` after an error shows them all.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import TracebackType
from typing import Any

_OURS = tuple(str(Path(__file__).resolve().parents[1] / package) for package in ("minigrad", "viz", "minigrad_lessons"))


def without_ours(traceback: TracebackType | None) -> TracebackType | None:
    """`traceback` without the frames of minigrad, viz and lessons; all of it if nothing else is there."""
    return (_hints() and _hints().shortened(traceback, _OURS, way_in=False)) or traceback


def show_own_lines() -> None:
    """Let the notebook that runs this, if one does, show errors so. Another handler of errors is left in its place."""
    try:
        from IPython import get_ipython
    except ImportError:
        return
    shell: Any = get_ipython()
    if shell is not None and (not shell.custom_exceptions or shell.custom_exceptions is getattr(_hints(), "SHOWN", ())):
        shell.set_custom_exc((Exception,), _show)


def _hints() -> Any:
    """minigrad's hints, which are asked for the nearest name. A lesson can also be run on PyTorch: then it has none."""
    return sys.modules.get("minigrad.hints")


def _show(shell: Any, kind: type, error: Exception, traceback: TracebackType, tb_offset: int | None = None) -> None:
    if _hints() is not None:
        _hints().add_nearest(error)
    shell.showtraceback((kind, error, without_ours(traceback)), tb_offset=tb_offset)
    sys.last_traceback = traceback  # for %tb
