"""Lets another thread ask for something to be done in the main thread, between two of its bytecodes.

A graph must not be read from another thread: PyTorch runs and frees it without holding Python's lock.
"""

from __future__ import annotations

import ctypes
import signal
from collections.abc import Callable

_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


class Soon:
    """Calls `function` in the main thread soon after it was asked for; what it raises is lost, but for Ctrl-C."""

    def __init__(self, function: Callable[[], None]) -> None:
        self._function = function
        self._asked = False
        self._callback = _Callback(self._run)  # must live as long as Python may call it

    def ask(self) -> None:
        """From any thread. Asked for again before it was done, it is done once."""
        if not self._asked and hasattr(ctypes, "pythonapi"):
            self._asked = True
            self._asked = ctypes.pythonapi.Py_AddPendingCall(self._callback, None) == 0

    def _run(self, _: int | None) -> int:
        try:
            self._asked = False
            self._function()
        except KeyboardInterrupt:
            # It was meant for the program that runs. Python would raise it in here again, from where nothing can be
            # raised, if it were told at once: what tells it is itself done soon, when this has returned.
            api = ctypes.pythonapi
            api.Py_AddPendingCall(api.PyErr_SetInterruptEx, ctypes.c_void_p(signal.SIGINT))
        except Exception:
            pass
        return 0
