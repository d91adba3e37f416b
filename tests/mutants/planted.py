"""A wrong sign in every derivative, a lost check of every saved value: `python -m tests.mutants.planted`.

Nothing is written into files: the apply of one type of node at a time is put in the place of a wrong one, and the
records that lead through such a node must fail. What goes unnoticed is printed, and the exit status is 1. What no
record reaches is printed, too: nodes of Functions, views and the engine's own, which other tests know.
"""

from __future__ import annotations

import gc
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import minigrad
from minigrad.autograd.saved import version_of
from tests.core.records import Record, called, records
from tests.core.test_records import arrays_of, compared, unchecked


def kinds() -> list[type]:
    """The types of nodes that operations make."""
    return [one for one in gc.get_objects() if issubclass(type(one), type) and "_names_of_saved" in vars(one)]


def nodes_of(start: Any) -> Iterator[Any]:
    """The nodes of a graph."""
    seen, waiting = set(), [start]
    while waiting:
        node = waiting.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        waiting += [following for following, _ in node.next_functions]


def reached(record: Record) -> tuple[dict[type, int], dict[type, int]]:
    """The types of the nodes that a record leads through, with how many edges they have: its own, and with those of its
    gradient.
    """
    result, leaves = called(minigrad, record.call, arrays_of(record))
    if not result.requires_grad:
        return {}, {}
    first = {type(node): len(node.next_functions) for node in nodes_of(result.grad_fn)}
    grads = minigrad.autograd.grad(result.sum(), leaves, create_graph=True, materialize_grads=True)
    both = first | {type(node): len(node.next_functions) for g in grads for node in nodes_of(g.grad_fn)}
    return first, both


@contextmanager
def planted(kind: Any, wrong: Callable[..., Any]) -> Iterator[None]:
    """`kind` with a wrong apply."""
    right = kind._apply
    kind._apply = wrong
    try:
        yield
    finally:
        kind._apply = right


def with_sign(kind: Any, edge: int, met: list[bool]) -> Callable[..., Any]:
    """The apply of a type of node, with the sign of one gradient turned round; `met` becomes true if that is not 0."""
    right = kind._apply

    def apply(node: Any, grads: Any, create_graph: bool) -> Any:
        found = list(right(node, grads, create_graph))
        if edge < len(found) and found[edge] is not None and node.next_functions[edge][0] is not None:
            raw = found[edge]._value if isinstance(found[edge], minigrad.Tensor) else found[edge]
            met[0] |= bool(np.any(raw != 0))
            found[edge] = -found[edge]
        return found

    return apply


def without_check(kind: Any, slot: int, met: list[bool]) -> Callable[..., Any]:
    """The apply of a type of node that takes what it saved in one slot at whatever version it is."""
    right = kind._apply

    def apply(node: Any, grads: Any, create_graph: bool) -> Any:
        saved = list(node._saved)
        if saved and saved[2 * slot + 1] is not None and isinstance(saved[2 * slot], minigrad.Tensor):
            met[0] = True
            saved[2 * slot + 1] = version_of(saved[2 * slot])
            node._saved = tuple(saved)
        return right(node, grads, create_graph)

    return apply


def fails(check: Callable[[Record], Any], those: list[Record]) -> bool:
    """Whether a record does not pass."""
    for record in those:
        try:
            if check(record):
                return True
        except Exception:
            return True
    return False


def main() -> int:
    """The command."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return plant()


def plant() -> int:
    """Each in turn: 1 if one goes unnoticed."""
    first, both = defaultdict(list), defaultdict(list)
    edges: dict[type, int] = {}
    for record in records():
        one, all_ = reached(record)
        edges |= all_
        for kind in one:
            first[kind].append(record)
        for kind in all_:
            both[kind].append(record)
    unnoticed, counts = [], defaultdict(int)
    for kind in sorted(kinds(), key=lambda kind: kind._name):
        if kind not in both:
            print("no record", kind._name)
            continue
        for edge in range(edges[kind]):
            met = [False]
            with planted(kind, with_sign(kind, edge, met)):
                seen = fails(lambda record: compared(record, arrays_of(record)), both[kind])
            counts["signs"] += met[0]
            if met[0] and not seen:
                unnoticed.append(f"sign of gradient {edge} of {kind._name}")
        for slot, name in enumerate(kind._names_of_saved):
            met = [False]
            with planted(kind, without_check(kind, slot, met)):
                seen = fails(unchecked, first[kind])
            counts["checks"] += met[0]
            if met[0] and not seen:
                unnoticed.append(f"check of {name}, saved by {kind._name}")
    print(*(f"UNNOTICED {what}" for what in unnoticed), sep="\n")
    planted_ = counts["signs"] + counts["checks"]
    print(
        f"{counts['signs']} wrong signs and {counts['checks']} lost checks in {len(both)} types of nodes: "
        f"{planted_ - len(unnoticed)} noticed, {len(unnoticed)} not"
    )
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
