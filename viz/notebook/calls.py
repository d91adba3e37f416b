"""Sees which modules a notebook calls, and backward passes that code without marks runs, as that of an imported module:
on Python 3.12 and newer, which tell where one function begins and returns.

Those are functions of a library's, such as PyTorch's ``Module.__call__`` and ``Tensor.backward``. Nothing is added to
modules: hooks would be heeded by compilers and fast paths.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from types import CodeType, FrameType
from typing import Any

from ..model.identities import weakly
from ..model.modules import Call
from ..model.protocol import is_tensor, listens, sequence_key
from ..model.reader import Reader
from .importlib_bootstrap import Ends
from .marks import LIBRARIES

_TOOL = 4  # of the numbers from 0 to 5 that Python has for tools one that has no other use
_MOST = 1_000  # calls that are seen before it sleeps: a loop goes on as if nobody looked
_KEPT = 5_000  # calls that are remembered
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
        self._begun: dict[int, int] = {}  # by the frame that runs: how many calls had ended
        self._ended: list[tuple[int, Any, list[Any], list[Any]]] = []

    def watch(self, on: bool) -> bool:
        """Sees the calls from now on, or no more; whether it had seen so many that it slept, and is awake again."""
        modules, passes = _codes(_MODULES), _codes(_PASSES)
        self._passes = set(map(id, passes))
        slept, self._room = not modules <= self._watched, _MOST
        self._watch(modules | passes if on else set())
        return slept and modules <= self._watched

    def _watch(self, codes: set[CodeType]) -> None:
        if _monitoring is None or codes == self._watched:
            return
        with suppress(ValueError):  # another tool has that number
            if not self._watched:
                _monitoring.use_tool_id(_TOOL, "viz")
            events, both = _monitoring.events, _monitoring.events.PY_START | _monitoring.events.PY_RETURN
            told = {events.PY_START: self._begins, events.PY_RETURN: self._returns, events.PY_UNWIND: self._fails}
            for event, callback in told.items():
                _monitoring.register_callback(_TOOL, event, callback if codes else None)
            for code in codes ^ self._watched:
                _monitoring.set_local_events(_TOOL, code, both * (code in codes))
            if not codes:
                _monitoring.free_tool_id(_TOOL)
            self._watched = codes

    def _begins(self, code: CodeType, offset: int) -> None:
        if threading.get_ident() != self._thread:
            return
        frame = sys._getframe(1)
        if id(code) not in self._passes:
            self._begun[id(frame)] = len(self._ended)
        elif ends := self._pass_begins(frame):
            self._ends[id(frame)] = ends
            _monitoring.set_events(_TOOL, _monitoring.events.PY_UNWIND)  # which no single function can be asked for

    def _returns(self, code: CodeType, offset: int, result: Any) -> None:
        if id(code) in self._passes:
            if self._ends:
                self._pass_ended(sys._getframe(1), None)
            return
        with suppress(Exception):  # the program is the learner's, and goes on
            frame = sys._getframe(1)
            began = self._begun.pop(id(frame), None)
            if began is None or threading.get_ident() != self._thread or listens():
                return
            called = frame.f_locals
            given = _made_by((*called["args"], *called["kwargs"].values()))
            self._ended.append((began, weakly(called["self"]), _made_by([result]), given))
            self._room -= 1
            if not self._room:
                self._watch(_codes(_PASSES))
            if len(self._ended) > _KEPT:
                self._ended.clear()
                self._begun.clear()

    def _fails(self, code: CodeType, offset: int, error: BaseException) -> None:
        self._pass_ended(sys._getframe(1), error)

    def _pass_ended(self, frame: FrameType, error: BaseException | None) -> None:
        ends = self._ends.pop(id(frame), None)
        if ends is not None and frame.f_back is not None:
            _monitoring.set_events(_TOOL, 0)
            ends(error, frame.f_back)

    def seen(self, reader: Reader) -> Iterator[Call]:
        """The calls of modules whose parameters have names, those that gave something of a graph."""
        ids = {sequence_key(op): reader.ids[id(op)] for op in reader.ops}
        for began, ref, results, given in self._ended:
            module, found = ref(), [ids[key] for key in results if key in ids]
            path, parameter = next(iter(module.named_parameters()), ("", None)) if module and found else ("", None)
            names = reader.names.of_tensor(parameter) if path else ()
            owner = next((name.removesuffix(f".{path}") for name in names if name.endswith(f".{path}")), "")
            yield Call(owner, began, tuple(found), tuple(ids[key] for key in given if key in ids))


def _codes(functions: Iterable[tuple[str, str, str]]) -> set[CodeType]:
    """The code of those functions whose package is there."""
    classes = ((getattr(sys.modules.get(package), name, None), function) for package, name, function in functions)
    return {getattr(cls, function).__code__ for cls, function in classes if cls}


def _made_by(things: Any) -> list[Any]:
    """What tells the nodes of the tensors among these, and in their lists and dicts."""
    inner = (x.values() if isinstance(x, dict) else x for x in things if isinstance(x, (tuple, list, dict)))
    tensors = (x for x in chain(things, *inner) if is_tensor(x) and not listens(type(x)))
    return [sequence_key(node) for node in (x.grad_fn for x in tensors) if node is not None]
