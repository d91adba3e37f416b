"""Sees which modules a notebook calls, and backward passes that code without marks runs, as that of an imported module:
on Python 3.12 and newer, which tell where one function begins and returns.

Those are functions of a library's, such as PyTorch's ``Module.__call__`` and ``Tensor.backward``. Nothing is added to
modules: hooks would be heeded by compilers and fast paths.
"""

from __future__ import annotations

import sys
import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from types import CodeType, FrameType
from typing import Any

from ..model.identities import weakly
from ..model.modules import Call
from ..model.protocol import is_tensor, listens, sequence_key
from ..model.reader import Reader
from .importlib_bootstrap import Ends
from .limits import no_alarm
from .marks import LIBRARIES

_TOOL = 4  # of the numbers from 0 to 5 that Python has for tools one that has no other use
_MOST = 1_000  # calls that are seen before it sleeps: a loop goes on as if nobody looked
_KEPT = 5_000  # calls that are remembered
_ITEMS = 100  # of what a module gives that are looked at
_NUMBERS = {"torch": "torch._C._autograd", "minigrad": "minigrad.autograd.node"}  # of nodes: what gives them
_INSIDE = {tuple: tuple.__iter__, list: list.__iter__, dict: dict.values}  # past what the program's own classes answer
_MODULES = [(f"{library}.nn", "Module", "__call__") for library in LIBRARIES]
_PASSES = [(library, "Tensor", "backward") for library in LIBRARIES]
_monitoring: Any = getattr(sys, "monitoring", None)  # not before Python 3.12


class Calls:
    """Remembers the calls of modules while it watches, and tells of each pass: `begins` gets the frame of ``backward``
    and may give what is to be called when that ends. It keeps neither modules nor tensors alive."""

    def __init__(self, begins: Callable[[FrameType], Ends | None]) -> None:
        self._pass_begins = begins
        self._room = 0
        self._thread = threading.main_thread().ident
        self._watched: set[CodeType] = set()
        self._passes: set[int] = set()  # addresses of the code of ``backward``: to hash code itself takes long
        self._ends: dict[int, Ends] = {}  # of passes, by the frame that runs
        self._numbers: dict[int, Callable[[], int]] = {}  # by the code for modules: what the next node's will be
        self._begun: dict[int, int] = {}  # by the frame that runs: that number when it began
        self._ended: list[tuple[int, Any, list[Any]]] = []

    def watch(self, on: bool) -> bool:
        """Sees the calls from now on, or no more; whether it had seen so many that it slept, and is awake again."""
        modules, passes = _codes(_MODULES), _codes(_PASSES)
        self._passes, self._numbers = set(map(id, passes)), dict(_numbers())
        slept, self._room = not modules <= self._watched, _MOST
        self._watch(modules | passes if on else set())
        return slept and modules <= self._watched

    def _watch(self, codes: set[CodeType]) -> None:
        if _monitoring is None or codes == self._watched:
            return
        try:
            if _monitoring.get_tool(_TOOL) != "viz":
                _monitoring.use_tool_id(_TOOL, "viz")
            events, both = _monitoring.events, _monitoring.events.PY_START | _monitoring.events.PY_RETURN
            told = {events.PY_START: self._begins, events.PY_RETURN: self._returns, events.PY_UNWIND: self._fails}
            for event, callback in told.items():
                _monitoring.register_callback(_TOOL, event, callback if codes else None)
            for code in codes ^ self._watched:
                _monitoring.set_local_events(_TOOL, code, both * (code in codes))
            if not codes:
                _monitoring.free_tool_id(_TOOL)
        except ValueError:  # another tool has that number
            codes = set()
        self._watched = codes

    def _begins(self, code: CodeType, offset: int) -> None:
        frame = sys._getframe(1)
        if id(code) in self._passes:
            if threading.get_ident() == self._thread and (ends := self._pass_begins(frame)):
                self._ends[id(frame)] = ends
                _monitoring.set_events(_TOOL, _monitoring.events.PY_UNWIND)  # which no function can be asked for
            return
        try:
            self._room -= 1  # also of another thread's, and of those that fail: they are not to be slower either
            if self._room < 0:
                self._watch(_codes(_PASSES))
            elif threading.get_ident() == self._thread and (number := self._numbers.get(id(code))):
                self._begun[id(frame)] = number()
        except RecursionError:  # what is called may need less room than this
            pass

    def _returns(self, code: CodeType, offset: int, result: Any) -> None:
        if id(code) in self._passes:
            if self._ends:
                self._pass_ended(sys._getframe(1), None)
            return
        began = self._begun.pop(id(sys._getframe(1)), None)
        if began is None or threading.get_ident() != self._thread:
            return
        try:
            with no_alarm(), suppress(Exception):  # the program is the learner's, and goes on
                self._ended.append((began, weakly(sys._getframe(1).f_locals["self"]), _made_by(result)))
                if len(self._ended) > _KEPT:
                    self._ended.clear()
                    self._begun.clear()
        except RecursionError:  # in what the panel calls, as above
            pass

    def _fails(self, code: CodeType, offset: int, error: BaseException) -> None:
        self._pass_ended(sys._getframe(1), error)

    def _pass_ended(self, frame: FrameType, error: BaseException | None) -> None:
        ends = self._ends.pop(id(frame), None)
        if ends is not None and frame.f_back is not None:
            _monitoring.set_events(_TOOL, 0)
            ends(error, frame.f_back)

    def seen(self, reader: Reader, modules: Callable[[], Mapping[int, str]]) -> Iterator[Call]:
        """The calls that gave something of a graph, those of `modules` with parameters: their names by address."""
        ids = {sequence_key(op): reader.ids[id(op)] for op in reader.ops}
        numbers = [op._sequence_nr() for op in reader.ops]  # of one thread's: ascending
        names: Mapping[int, str] | None = None
        for began, ref, results in self._ended:
            found = tuple(ids[key] for key in results if key in ids)
            if found and (module := ref()) is not None:
                names = modules() if names is None else names
                if (name := names.get(id(module))) and _has_parameters(module):
                    yield Call(name, bisect_left(numbers, began), found)


def _codes(functions: Iterable[tuple[str, str, str]]) -> set[CodeType]:
    """The code of those functions whose package is there."""
    classes = ((getattr(sys.modules.get(package), name, None), function) for package, name, function in functions)
    found = {getattr(getattr(cls, function), "__code__", None) for cls, function in classes if cls}
    return found - {None}


def _numbers() -> Iterator[tuple[int, Callable[[], int]]]:
    """By the address of the code that calls a library's modules: what number its next node will have."""
    for package, name, function in _MODULES:
        number = getattr(sys.modules.get(_NUMBERS[package.partition(".")[0]]), "_get_sequence_nr", None)
        yield from ((id(code), number) for code in _codes([(package, name, function)]) if number)


def _has_parameters(module: Any) -> bool:
    with suppress(Exception):  # it may have a function of its own that gives them
        return next(iter(module.parameters()), None) is not None
    return False


def _made_by(result: Any) -> list[Any]:
    """What tells the nodes of the tensors in what a module gave."""
    found, things = [], [result]
    for thing in things:
        cls = type(thing)
        if not is_tensor(thing):
            inside = next((of for kind, of in _INSIDE.items() if issubclass(cls, kind)), None)
            if inside is None and hasattr(cls, "__dataclass_fields__"):
                inside, thing = dict.values, object.__getattribute__(thing, "__dict__")
            things += islice(inside(thing), max(0, _ITEMS - len(things))) if inside else ()
        elif not listens(cls) and (node := thing.grad_fn) is not None:
            found.append(sequence_key(node))
    return found
