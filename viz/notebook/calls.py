"""Sees which modules a notebook calls, on Python 3.12 and newer, which tell where one function begins and returns.

That is the one function of a library's with which all modules are called, such as PyTorch's ``Module.__call__``.
Nothing is added to modules: hooks would be heeded by compilers and fast paths.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from types import CodeType
from typing import Any

from ..model.identities import weakly
from ..model.modules import Call
from ..model.protocol import is_tensor, listens, sequence_key
from ..model.reader import Reader

_TOOL = 4  # of the numbers from 0 to 5 that Python has for tools one that has no other use
_MOST = 1_000  # calls that are seen before it sleeps: a loop goes on as if nobody looked
_KEPT = 5_000  # calls that are remembered
_LIBRARIES = ("torch.nn", "minigrad.nn")
_monitoring: Any = getattr(sys, "monitoring", None)  # not before Python 3.12


class Calls:
    """Remembers the calls of modules while it watches. It keeps neither modules nor tensors alive."""

    def __init__(self) -> None:
        self._room = 0
        self._thread = threading.main_thread().native_id
        self._codes: set[CodeType] = set()  # that are watched
        self._begun: dict[int, int] = {}  # by the frame that runs: how many calls had ended
        self._ended: list[tuple[int, Any, list[Any], list[Any]]] = []

    def watch(self, on: bool) -> bool:
        """Sees the calls from now on, or no more; whether it had seen so many that it slept, and is awake again."""
        slept, self._room = not self._codes, _MOST
        self._listen(on)
        return slept and bool(self._codes)

    def _listen(self, on: bool) -> None:
        modules = (getattr(sys.modules.get(name), "Module", None) for name in _LIBRARIES * on)
        codes = {cls.__call__.__code__ for cls in modules if cls}
        if _monitoring is None or codes == self._codes:
            return
        with suppress(ValueError):  # another tool has that number
            if not self._codes:
                _monitoring.use_tool_id(_TOOL, "viz")
            both = {_monitoring.events.PY_START: self._begins, _monitoring.events.PY_RETURN: self._returns}
            for event, callback in both.items():
                _monitoring.register_callback(_TOOL, event, callback if codes else None)
            for code in codes ^ self._codes:
                _monitoring.set_local_events(_TOOL, code, sum(both) * (code in codes))
            if not codes:
                _monitoring.free_tool_id(_TOOL)
            self._codes = codes

    def _begins(self, code: CodeType, offset: int) -> None:
        if threading.get_native_id() == self._thread:
            self._begun[id(sys._getframe(1))] = len(self._ended)

    def _returns(self, code: CodeType, offset: int, result: Any) -> None:
        with suppress(Exception):  # the program is the learner's, and goes on
            began = self._begun.pop(id(sys._getframe(1)), None)
            if began is None or threading.get_native_id() != self._thread or listens():
                return
            called = sys._getframe(1).f_locals
            given = _made_by((*called["args"], *called["kwargs"].values()))
            self._ended.append((began, weakly(called["self"]), _made_by([result]), given))
            self._room -= 1
            if not self._room:
                self._listen(False)
            if len(self._ended) > _KEPT:
                self._ended.clear()
                self._begun.clear()

    def seen(self, reader: Reader) -> Iterator[Call]:
        """The calls of modules whose parameters have names, those that gave something of a graph."""
        ids = {sequence_key(op): reader.ids[id(op)] for op in reader.ops}
        for began, ref, results, given in self._ended:
            module, found = ref(), [ids[key] for key in results if key in ids]
            path, parameter = next(iter(module.named_parameters()), ("", None)) if module and found else ("", None)
            names = reader.names.of_tensor(parameter) if path else ()
            owner = next((name.removesuffix(f".{path}") for name in names if name.endswith(f".{path}")), "")
            yield Call(owner, began, tuple(found), tuple(ids[key] for key in given if key in ids))


def _made_by(things: Any) -> list[Any]:
    """What tells the nodes of the tensors among these, and in their lists and dicts."""
    inner = (x.values() if isinstance(x, dict) else x for x in things if isinstance(x, (tuple, list, dict)))
    tensors = (x for x in chain(things, *inner) if is_tensor(x) and not listens(type(x)))
    return [sequence_key(node) for node in (x.grad_fn for x in tensors) if node is not None]
