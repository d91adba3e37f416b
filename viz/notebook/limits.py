"""When a `Follower` works and when it rests, and what it leaves for the pause between two cells."""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from .pydevd_dont_trace import unseen

PAUSE = 0.1  # seconds between two pictures, at least
_PATIENCE = 0.3  # the same between two statements of a cell
_BETWEEN = 9  # times as long as a piece of work took, the next one after a statement or cell waits: there are few
_SHARE = 100  # the same between two passes, of which a loop has many
_COLD = 0.5  # seconds to rest after a first pass that took longer than the last one, unless telling alone took long
_handle = signal.signal  # now: Scalene puts a function in its place that warns of alarms

FOLLOWED = {threading.main_thread().ident}  # the thread whose passes and calls count: none of a forked process
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=FOLLOWED.clear)


class Pace:
    """next: when the next pass may be recorded; statement: when a cell may be looked at between two statements; cell:
    when at its end at once, for cells that come sooner are a run of quick ones. All by `time.monotonic`."""

    def __init__(self) -> None:
        self.next = self.statement = self.cell = 0.0
        self._took = self._spent = 0.0  # the last pass; and telling it, without showing it, where it is a large one

    def begin(self) -> None:
        """A cell begins, which is looked at when it ends."""
        self.statement = max(self.statement, time.monotonic() + _PATIENCE)

    def is_long(self, began: float) -> bool:
        """Whether a cell that `began` then has run for so long that its last pass may be told, too."""
        return time.monotonic() - began >= _SHARE * self._spent

    def rest(self, began: float) -> None:
        """Waits in proportion to the work that `began` then."""
        took = (now := time.monotonic()) - began
        self.next = now + max(PAUSE, _SHARE * took)
        self.cell = now + _BETWEEN * took
        self.statement = max(now + _PATIENCE, self.cell)

    def rest_from_pass(self, began: float, spent: float, first: bool) -> None:
        """The same after a pass, telling which took `spent` seconds, 0 for a small one: on a busy machine that may take
        long by the clock. The `first` of a cell may be a cold one."""
        self.rest(began)
        before, self._took, self._spent = self._took, (now := time.monotonic()) - began, spent
        if first and self._took > 1.5 * before:
            self.next = min(self.next, now + max(_COLD, _SHARE * spent))


class Later:
    """Does `work` a little later, between two cells, in the thread that runs them: nothing else runs there then. Where
    no loop would do it, as in a terminal, or it `may` not wait, it is done at once. waits: what will do it, or None."""

    def __init__(self, work: Callable[[], None], may: Callable[[], bool] = lambda: True) -> None:
        self._work, self._may = work, may
        self.waits: asyncio.TimerHandle | None = None

    def ask(self, seconds: float) -> None:
        """Does it so many seconds from now, and once, however often it was asked for."""
        self.drop()
        with suppress(RuntimeError):
            self.waits = asyncio.get_running_loop().call_later(seconds, unseen, self.now) if self._may() else None
        if not self.waits:
            self._work()

    def now(self) -> None:
        """Does it now."""
        self.drop()
        self._work()

    def drop(self) -> None:
        """Does it no more."""
        if self.waits is not None:
            self.waits.cancel()
            self.waits = None


@contextmanager
def no_alarm() -> Iterator[None]:
    """An alarm of the program's waits until this is done: what its handler raises would be lost among our errors."""
    number: Any = getattr(signal, "SIGALRM", None)  # not on Windows
    handler = number and signal.getsignal(number)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[Any] = []
    try:
        _handle(number, lambda *given: came.append(given))
        yield
    finally:
        _handle(number, handler)
        if came:
            signal.raise_signal(number)
