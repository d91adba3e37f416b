"""Sees which modules a notebook calls, and backward passes that code without marks runs, as that of an imported module:
on Python 3.12 and newer, which tell where one function begins and returns.

Those are functions of a library's, such as PyTorch's ``Module.__call__`` and ``Tensor.backward``. Nothing is added to
modules: hooks would be heeded by compilers and fast paths.
"""

import sys
import threading
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from types import CodeType, FrameType
from typing import Any

from ..model.identities import weakly
from ..model.modules import Call
from ..model.names import held
from ..model.protocol import is_tensor, listens, sequence_key
from ..model.reader import Reader
from .importlib_bootstrap import Ends
from .limits import FOLLOWED, no_alarm
from .marks import LIBRARIES, counters

_TOOL = 4  # of the numbers from 0 to 5 that Python has for tools one that has no other use
_MOST = 1_000  # calls that are seen before it sleeps: a loop goes on as if nobody looked
_KEPT = 5_000  # calls that are remembered
_ITEMS = 100  # of what a module gives that are looked at
_monitoring: Any = getattr(sys, "monitoring", None)  # not before Python 3.12


class Calls:
    """Remembers the calls of modules while it watches, and tells of each pass: `begins` gets the frame of ``backward``
    and may give what is to be called when that ends. It keeps neither modules nor tensors alive."""

    def __init__(self, begins: Callable[[FrameType], Ends | None]) -> None:
        self._pass_begins = begins
        self.names: Mapping[int, str] = {}  # what the modules are called, by their addresses
        self._room = 0
        self._watched: set[CodeType] = set()
        # of what calls modules, all else that is watched being ``backward``: what gives the number of the next node; by
        # the address of its code, for to hash code itself takes long
        self._numbers: dict[int, Callable[[], int]] = {}
        self._ends: dict[int, Ends] = {}  # of passes, by the frame that runs
        self.is_marked = False  # the next pass has a mark, which has told of it
        self._begun: dict[int, int] = {}  # by the frame that runs: that number when it began
        self.ended: list[tuple[int, Any, list[Any]]] = []

    def watch(self, on: bool) -> bool:
        """Sees the calls from now on, or no more; whether it had seen so many that it slept, and is awake again."""
        if _monitoring is None:
            return False
        modules = _modules()
        self._numbers = {id(code): number for code, number in modules.items()}
        slept, self._room, self.is_marked = not modules.keys() <= self._watched, _MOST, False
        self._watch(modules.keys() | _backward() if on else set())
        return slept and modules.keys() <= self._watched

    def _watch(self, codes: set[CodeType]) -> None:
        if codes == self._watched:
            return
        try:
            if _monitoring.get_tool(_TOOL) != "viz":
                _monitoring.use_tool_id(_TOOL, "viz")
            events = _monitoring.events
            told = {events.PY_START: self._begins, events.PY_RETURN: self._returns, events.PY_UNWIND: self._fails}
            for event, callback in told.items():
                _monitoring.register_callback(_TOOL, event, callback if codes else None)
            for code in codes ^ self._watched:
                # the end of a pass is asked for only where it is recorded: most are not
                ends = events.PY_RETURN if id(code) in self._numbers else 0
                _monitoring.set_local_events(_TOOL, code, (events.PY_START | ends) * (code in codes))
            if not codes:
                self._ends.clear()  # of a pass in which the panel stops
                _monitoring.set_events(_TOOL, 0)
                _monitoring.free_tool_id(_TOOL)
        except ValueError:  # another tool has that number
            codes = set()
        self._watched = codes

    def _begins(self, code: CodeType, offset: int) -> None:
        number = self._numbers.get(id(code))
        if number is None:
            seen = not self.is_marked and threading.get_ident() in FOLLOWED
            ends = self._pass_begins(sys._getframe(1)) if seen else None
            self.is_marked = False
            if ends is not None:
                self._ends[id(sys._getframe(1))] = ends
                _monitoring.set_local_events(_TOOL, code, _monitoring.events.PY_START | _monitoring.events.PY_RETURN)
                _monitoring.set_events(_TOOL, _monitoring.events.PY_UNWIND)  # which no function can be asked for
            return
        try:
            self._room -= 1  # also of another thread's, and of those that fail: they are not to be slower either
            if self._room < 0:
                self._watch(_backward())
            elif threading.get_ident() in FOLLOWED:
                self._begun[id(sys._getframe(1))] = number()
        except RecursionError:  # what is called may need less room than this
            pass

    def _returns(self, code: CodeType, offset: int, result: Any) -> None:
        if self._ends:
            self._pass_ended(code, sys._getframe(1), None)
        began = self._begun.pop(id(sys._getframe(1)), None)
        if began is None or threading.get_ident() not in FOLLOWED:
            return
        try:
            with no_alarm(), suppress(Exception):  # the program is the learner's, and goes on
                self.ended.append((began, weakly(sys._getframe(1).f_locals["self"]), _made_by(result)))
                if len(self.ended) > _KEPT:
                    self.ended.clear()
                    self._begun.clear()
        except RecursionError:  # in what the panel calls, as above
            pass

    def _fails(self, code: CodeType, offset: int, error: BaseException) -> None:
        self._pass_ended(code, sys._getframe(1), error)

    def _pass_ended(self, code: CodeType, frame: FrameType, error: BaseException | None) -> None:
        ends = self._ends.pop(id(frame), None)
        if ends is not None and frame.f_back is not None:
            _monitoring.set_local_events(_TOOL, code, _monitoring.events.PY_START)
            _monitoring.set_events(_TOOL, 0)
            ends(error, frame.f_back)

    def seen(self, reader: Reader) -> Iterator[Call]:
        """The calls that gave something of a graph, of modules that have `names`."""
        ids = {sequence_key(op): reader.ids[id(op)] for op in reader.ops}
        numbers = [op._sequence_nr() for op in reader.ops]  # of one thread's: ascending
        for began, module, results in self.ended:
            found = tuple(ids[key] for key in results if key in ids)
            if found and (name := self.names.get(id(module()))):
                yield Call(name, bisect_left(numbers, began), found)


def profiled() -> bool:
    """Whether a profiler measures the program, and nothing else is to be in what it finds."""
    return bool(sys.getprofile() or (_monitoring and _monitoring.get_tool(_monitoring.PROFILER_ID)))


def _modules() -> dict[CodeType, Callable[[], int]]:
    """What calls the modules of each library; and what gives the number that its next node will have."""
    codes = {_code(f"{library}.nn", "Module", "__call__"): number for library, number in counters().items()}
    return {code: number for code, number in codes.items() if code}


def _backward() -> set[CodeType]:
    """What begins a pass, of each library."""
    return {code for library in LIBRARIES if (code := _code(library, "Tensor", "backward"))}


def _code(package: str, cls: str, function: str) -> CodeType | None:
    """The code of a function, if its package is there."""
    return getattr(getattr(getattr(sys.modules.get(package), cls, None), function, None), "__code__", None)


def _made_by(result: Any) -> list[Any]:
    """What tells the nodes of the tensors in what a module gave."""
    found, things = [], [result]
    for thing in things:
        if not is_tensor(thing):
            things += (part for _, part in held(thing, None, _ITEMS - len(things))[1])
        elif not listens(type(thing)) and (node := thing.grad_fn) is not None:
            found.append(sequence_key(node))
    return found
