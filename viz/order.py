"""The nodes of an autograd graph, found and put in order: as the forward pass made them, as backward runs them."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable
from typing import Any

Inputs = dict[Any, tuple[tuple[Any, int], ...]]  # of each node: its next_functions


def is_accumulate(node: Any) -> bool:
    """Whether an autograd node is an AccumulateGrad: only that has a ``variable``."""
    return hasattr(type(node), "variable")


def walk(outputs: Iterable[Any]) -> Inputs:
    """Every operation that the tensors `outputs` came from, each once, with its next functions. Iterative."""
    inputs: Inputs = {}
    stack = [t.grad_fn for t in reversed(tuple(outputs)) if t.grad_fn is not None]
    while stack:
        node = stack.pop()
        if node not in inputs:
            inputs[node] = tuple(node.next_functions)
            stack.extend(n for n, _ in reversed(inputs[node]) if n is not None and not is_accumulate(n))
    return inputs


def forward_order(inputs: Inputs) -> list[Any]:
    """Inputs before results, and among what could come next, what was recorded first.

    Sequence numbers alone would do for one thread; nodes made by another thread (a backward on a device) count on
    their own.
    """
    waiting, users = {}, {}
    for node, edges in inputs.items():
        before = {n for n, _ in edges if n in inputs}
        waiting[node] = len(before)
        for other in before:
            users.setdefault(other, []).append(node)
    ready = [(node._sequence_nr(), i, node) for i, node in enumerate(inputs) if not waiting[node]]
    heapq.heapify(ready)
    order, tie = [], len(inputs)
    while ready:
        node = heapq.heappop(ready)[2]
        order.append(node)
        for user in users.get(node, ()):
            waiting[user] -= 1
            if not waiting[user]:
                heapq.heappush(ready, (user._sequence_nr(), tie, user))
                tie += 1
    return order


def backward_order(outputs: Iterable[Any], inputs: Inputs) -> list[Any]:
    """As the engine runs them: a node is ready when all its users ran, and of those ready the youngest goes first;
    AccumulateGrad nodes, which count as youngest of all, go at once."""
    waiting = Counter(n for edges in inputs.values() for n, _ in edges if n is not None)
    roots = dict.fromkeys(t.grad_fn for t in outputs if t.grad_fn is not None)
    ready = [(-node._sequence_nr(), i, node) for i, node in enumerate(roots) if not waiting[node]]
    heapq.heapify(ready)
    order, tie = [], len(roots)
    while ready:
        node = heapq.heappop(ready)[2]
        order.append(node)
        for target, _ in inputs.get(node, ()):
            if target is None:
                continue
            waiting[target] -= 1
            if not waiting[target]:
                heapq.heappush(ready, (-target._sequence_nr(), tie, target))
                tie += 1
    return order
