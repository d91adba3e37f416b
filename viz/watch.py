"""Where a backward pass failed.

An error says what went wrong, not at which node. Hooks on the nodes, which both libraries have, tell it: the node that
was entered and not left; or, where a tensor's own hook raised, which runs before its node is entered, the next in turn.
"""

from __future__ import annotations

from typing import Any

from .errors import first_line
from .options import check_outputs
from .order import backward_order, walk


class watch:
    """Watches one backward pass of `outputs`, whose error it lets through:

    >>> with viz.watch(loss) as run:
    ...     loss.backward()
    >>> viz.draw(loss, watched=run)  # the node where it failed is marked, with the error's first line

    failed: that node, or None; error: ``ValueError: …``, the first line, or an empty text; inputs: the operations of
    the pass, each with its next functions.
    """

    def __init__(self, *outputs: Any) -> None:
        self.failed: Any = None
        self.error = ""
        check_outputs(outputs)
        self.inputs = walk(outputs)
        self._order = backward_order(outputs, self.inputs)

    def __enter__(self) -> watch:
        self._waiting = dict.fromkeys(self._order)  # in the order in which they will run
        self._entered: list[Any] = []
        self._handles = []
        for node in self._order:
            self._handles.append(node.register_prehook(lambda grads, node=node: self._entered.append(node)))
            self._handles.append(node.register_hook(lambda into, out, node=node: self._waiting.pop(node, None)))
        return self

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        for handle in self._handles:
            handle.remove()
        if error is not None:
            inside = [node for node in self._entered if node in self._waiting]
            self.failed = (inside or list(self._waiting) or [None])[0]
            self.error = first_line(error)
        self._order, self._handles, self._entered, self._waiting = [], [], [], {}
