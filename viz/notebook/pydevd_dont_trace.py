"""What the panel does between the program's statements and cells, unseen by JupyterLab's debugger: who steps through a
cell steps past it.

The file has this name for the sake of `debugpy`, which stops in none of its own files, and knows them by their names;
what is called from here it does not trace at all.
"""

import sys
from collections.abc import Callable
from typing import Any


def debugger() -> Any:
    """What steps through the notebook's code; None where nobody is there to."""
    debugpy = sys.modules.get("debugpy")
    return debugpy if getattr(debugpy, "is_client_connected", bool)() else None


def unseen(work: Callable[..., Any], /, *given: Any) -> Any:
    """Does `work`, in which no debugger stops."""
    stepping = debugger()
    if stepping is None:
        return work(*given)
    stepping.trace_this_thread(False)
    try:
        return work(*given)
    finally:
        stepping.trace_this_thread(True)
