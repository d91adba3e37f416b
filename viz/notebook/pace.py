"""When a `Follower` works and when it rests, the clock that wakes it, and how it gets into the main thread."""

from __future__ import annotations

import asyncio
import ctypes
import signal
import threading
import time
from collections.abc import Callable
from math import inf

PAUSE = 0.1  # seconds between two pictures, at least
PATIENCE = 0.3  # seconds without a backward pass after which the clock looks in on a running cell
_SHARE = 40  # times as long as a piece of work took, the next one waits
_LEAST = 20  # the same where the panel would else stand still for more than so many seconds, as on a busy machine:
_STILL = 3.0  # the program then waits for it for 5 % of its time
_BYTES = 400_000  # a second
_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


class Pace:
    """next: when the next picture may be made; sendable: when, if the kernel has nothing else to do; looked, took: when
    the last piece of work ended, and how many seconds it took. All by `time.monotonic`. recorded: whether the last pass
    of the cell that was due has been."""

    def __init__(self) -> None:
        self.next = self.sendable = self.looked = self.took = 0.0
        self.begin()

    def begin(self) -> None:
        """A cell begins."""
        self.looked = time.monotonic()
        self._asked = self._between = 0.0  # when it last asked for a pass, and how long after the one before
        self.recorded = False

    def due(self) -> bool:
        """Whether the pass that begins now may be recorded."""
        now = time.monotonic()
        self._between = now - self._asked if self._asked else 0.0
        self._asked = now
        return now >= self.next

    def look(self) -> float:
        """When a cell that runs may be looked in on. A look leaves the next pass its turn, for as long as one may still
        be expected: in a loop of even steps all turns would else be those of looks. (A quick one is expected for longer
        than the loop takes: what holds the processor meanwhile may be another program.)"""
        turn = self._asked + max(PATIENCE, 2 * self._between) if self.recorded else 0.0
        return max(self.next, self.looked + PATIENCE, turn)

    def rest(self, began: float, size: int, most: float = inf) -> None:
        """Waits in proportion to the work that `began` then, but `most` seconds at most; and for the bytes it sends."""
        now = time.monotonic()
        self.looked, self.took = now, now - began
        share = min(_SHARE * self.took, max(_LEAST * self.took, _STILL))
        self.next = now + max(PAUSE, min(share, most), size / _BYTES)
        self.sendable = now + size / _BYTES / 2


class Clock:
    """A thread that does `work` when it is `due`, and sleeps until then: each time it wakes, the program stops for a
    moment."""

    def __init__(self, due: Callable[[], float | None], work: Callable[[], None]) -> None:
        self._due, self._work = due, work
        self._awake = threading.Event()  # there may be something to wait for
        self._ended = threading.Event()  # of the thread that runs now

    def start(self) -> None:
        """Starts the thread. In WebAssembly there are none: the kernel's own loop does the work between cells."""
        self._ended = threading.Event()
        try:
            threading.Thread(target=self._run, args=(self._ended,), name="viz.live", daemon=True).start()
        except RuntimeError:
            # kept here, for the loop keeps no task itself
            self._task = asyncio.get_running_loop().create_task(self._turn(self._ended))

    def stop(self) -> None:
        """Ends the thread."""
        self._ended.set()
        self._awake.set()

    def wake(self) -> None:
        """Something else is due, or at another time."""
        self._awake.set()

    async def _turn(self, ended: threading.Event) -> None:
        while not ended.is_set():
            due = self._due()
            if due is not None and due <= time.monotonic():
                self._work()
            await asyncio.sleep(PAUSE / 2)

    def _run(self, ended: threading.Event) -> None:
        while not ended.is_set():
            due = self._due()
            left = None if due is None else due - time.monotonic()
            if left is None or left > 0:
                self._awake.wait(left)
                self._awake.clear()
                continue
            self._work()
            time.sleep(PAUSE / 2)


class Soon:
    """Calls `function` in the main thread soon after it was asked for; what it raises is lost, but for Ctrl-C.

    A graph must not be read from another thread: PyTorch runs and frees it without holding Python's lock.
    """

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
