"""When a `Follower` works and when it rests, and what it leaves for the pause between two cells."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

PAUSE = 0.1  # seconds between two pictures, at least
_PATIENCE = 0.3  # the same between two statements of a cell
_BETWEEN = 9  # times as long as a piece of work took, the next one between two statements waits: there are few of them
_SHARE = 100  # the same between two passes, of which a loop has many
_COLD = 0.5  # seconds to rest at most after a first pass that took longer than the last one: the next take less


class Pace:
    """next: when the next pass may be recorded; statement: when a cell may be looked at between two statements. Both by
    `time.monotonic`."""

    def __init__(self) -> None:
        self.next = self.statement = 0.0
        self._took = 0.0  # the last pass

    def begin(self) -> None:
        """A cell begins, which is looked at when it ends."""
        self.statement = max(self.statement, time.monotonic() + _PATIENCE)

    def rest(self, began: float) -> None:
        """Waits in proportion to the work that `began` then."""
        took = (now := time.monotonic()) - began
        self.next = now + max(PAUSE, _SHARE * took)
        self.statement = now + max(_PATIENCE, _BETWEEN * took)

    def rest_from_pass(self, began: float, first: bool) -> None:
        """The same after a pass; the `first` of a cell may be a cold one."""
        self.rest(began)
        before, self._took = self._took, (now := time.monotonic()) - began
        if first and self._took > 1.5 * before:
            self.next = min(self.next, now + _COLD)


class Later:
    """Does `work` a little later, between two cells, in the thread that runs them: nothing else runs there then. Where
    no loop would do it, as in a terminal, it is done at once."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self._timer: asyncio.TimerHandle | None = None

    @property
    def waits(self) -> bool:
        """Whether there is something to be done."""
        return self._timer is not None

    def ask(self, seconds: float) -> None:
        """Does it so many seconds from now, and once, however often it was asked for."""
        self.drop()
        try:
            self._timer = asyncio.get_running_loop().call_later(seconds, self.now)
        except RuntimeError:
            self._work()

    def now(self) -> None:
        """Does it now."""
        self.drop()
        self._work()

    def drop(self) -> None:
        """Does it no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
