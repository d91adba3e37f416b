"""Watching a backward pass from outside, event by event. `viz` draws from these; the engine works without them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from .anomaly import explain_failure
from .node import revealed
from .variable import Edge


class Observer(Protocol):
    """Who watches. Gradients are raw arrays, or tensors with `create_graph`; None stands for zero.

    A watcher must not change what it is given.
    """

    def backward_started(self, roots: Sequence[Edge], grads: Sequence[Any]) -> None:
        """A backward pass starts with `grads` at `roots`."""

    def node_starts(self, node: Any, grads: Sequence[Any] | None) -> None:
        """`node` is about to run on `grads`, one for each of its outputs."""

    def node_ran(self, node: Any, grads: Sequence[Any]) -> None:
        """`node` has run and sends `grads`, one for each of its inputs."""

    def saved_freed(self, node: Any) -> None:
        """`node` has dropped the values it saved."""

    def accumulated(self, node: Any, before: Any, after: Any) -> None:
        """AccumulateGrad `node` has changed its leaf's `.grad` from `before` (a copy, or None) to `after`."""

    def backward_ended(self) -> None:
        """The pass is complete."""

    def backward_failed(self, node: Any, error: BaseException) -> None:
        """The pass has stopped at `node` with `error`."""


_observer: Observer | None = None


def set_observer(observer: Observer | None) -> Observer | None:
    """Let `observer` watch every backward pass from now on, or nobody with None. Returns the one before."""
    global _observer
    previous, _observer = _observer, observer
    return previous


def current_observer() -> Observer | None:
    """Who is watching."""
    return _observer


def report_failure(node: Any, error: BaseException, watch: Observer | None) -> None:
    """Tell whoever wants to know that a backward pass has failed at `node`."""
    if node is not None:
        explain_failure(node)
    if watch is not None:
        watch.backward_failed(revealed(node), error)
