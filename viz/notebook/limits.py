"""How much a `Follower` does: which graphs are small enough to be followed, when it works and when it rests, and what
it leaves for the pause between two cells."""

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from operator import itemgetter
from typing import Any

from ..language import Words, explained, message
from ..model.protocol import TENSOR, Lacks, listens, require, sequence_key, walk
from .pydevd_dont_trace import unseen

_LEAST = 100  # operations that are always followed
PAUSE = 0.1  # seconds between two pictures, at least
_PATIENCE = 0.3  # the same between two statements of a cell
_BETWEEN = 9  # times as long as a piece of work took, the next one after a statement or cell waits: there are few
_SHARE = 100  # the same between two passes, of which a loop has many
_COLD = 0.5  # seconds to rest at most after a first pass that took longer than the last one: the next take less
_handle = signal.signal  # now: Scalene puts a function in its place that warns of alarms


class Ceiling:
    """Tells which graphs are small enough to be followed: those of together at most `most` operations.

    Reading more takes longer than a reader waits. And PyTorch remembers of each node that Python has looked at it:
    where such a graph is let go, its nodes end one inside the other, and some 40,000 of them overrun the stack of the
    program. So what is too large is looked at no further than to find that out, and what has grown out of it no further
    than to there. One that grows on and on is looked at in vain again and again: `spare` is for how many more nodes.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.spare = 3 * most
        self._beyond: dict[tuple[int, str], int] = {}  # ends of graphs that were too large, and for how much room

    @property
    def room(self) -> int:
        """How many operations a graph may have by now."""
        return min(self.most, max(self.spare // 2, _LEAST))

    def parted(self, named: Iterable[tuple[str, Any]]) -> tuple[list[tuple[str, Any]], dict[str, Words | None]]:
        """Of (name, tensor) pairs those that can be followed; and why others cannot, by name: what an engine of the
        learner's own does not answer, or None where the graph is too large. The oldest graph counts first:
        what a later one is computed from is then known."""
        if kind := listens():
            raise Lacks(message("listens", kind=kind))
        named = list(named)
        refused: dict[str, Words | None] = {}
        rooted: list[tuple[int, str, Any]] = []
        seen: set[Any] = set()
        far: set[Any] = set()
        heard = {cls: listens(cls) for cls in {type(tensor) for _, tensor in named}}
        for name, tensor in named:
            try:
                if kind := heard[type(tensor)]:
                    raise Lacks(message("listens", kind=kind))
                require(tensor, TENSOR)
                rooted += [(node._sequence_nr(), name, node) for node, _ in islice(walk([tensor]), 1)]
            except (Lacks, RuntimeError) as error:  # a view may have lost its place: its memory was written elsewhere
                refused[name] = explained(error)
        for _, name, node in sorted(rooted, key=itemgetter(0)):
            try:
                if not self._takes_in(node, seen, far):
                    refused[name] = None
            except Lacks as error:
                refused[name] = explained(error)
        return [pair for pair in named if pair[0] not in refused], refused

    def _takes_in(self, root: Any, seen: set[Any], far: set[Any]) -> bool:
        """Adds the nodes of the graph that ends in `root` to those `seen`; or to those too `far` away, where they would
        become too many or one of them is there."""
        new: set[Any] = set()
        room = min(self.most - len(seen), self.room)
        for node, _ in walk([root], lambda node: node not in seen):
            if node in far or self._beyond.get(sequence_key(node), -1) >= room or len(new) == room:
                far |= {root, *new}
                self.spare -= len(new)
                self._beyond[sequence_key(root)] = room
                return False
            new.add(node)
        seen |= new
        return True


class Pace:
    """next: when the next pass may be recorded; statement: when a cell may be looked at between two statements; cell:
    when at its end at once, for cells that come sooner are a run of quick ones. All by `time.monotonic`."""

    def __init__(self) -> None:
        self.next = self.statement = self.cell = 0.0
        self._took = 0.0  # the last pass

    def begin(self) -> None:
        """A cell begins, which is looked at when it ends."""
        self.statement = max(self.statement, time.monotonic() + _PATIENCE)

    def rest(self, began: float) -> None:
        """Waits in proportion to the work that `began` then."""
        took = (now := time.monotonic()) - began
        self.next = now + max(PAUSE, _SHARE * took)
        self.cell = now + _BETWEEN * took
        self.statement = max(now + _PATIENCE, self.cell)

    def rest_from_pass(self, began: float, first: bool) -> None:
        """The same after a pass; the `first` of a cell may be a cold one."""
        self.rest(began)
        before, self._took = self._took, (now := time.monotonic()) - began
        if first and self._took > 1.5 * before:
            self.next = min(self.next, now + _COLD)


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
