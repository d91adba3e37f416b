"""The backward pass: walk the graph from the outputs to the leaves and apply the chain rule at each node.

A node may run once the gradients from *all* its users have arrived, for only then is their sum complete. So first the
users of each node are counted; then nodes run, newest first, and each sends its results along its edges. Nothing here
recurses, so the length of a chain and the number of paths through the graph do not matter. Gradients travel as raw
arrays; with `create_graph` as tensors, and the same formulas record themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from typing import Any

from .accumulate import add_into, conform
from .anomaly import NO_NAN, check_for_nan, explain_failure
from .grad_mode import mode, modes_kept, set_recording, unusual
from .hooks import run_with_hooks
from .node import Node
from .saved import freed
from .variable import Edge


@modes_kept
def run_backward(
    roots: Sequence[Edge],
    root_grads: Sequence[Any],
    keep_graph: bool,
    create_graph: bool,
    inputs: Sequence[tuple[Any, int]] | None = None,
    capture: bool = False,
) -> dict[Edge, Any]:
    """Send `root_grads` (raw arrays, or tensors with `create_graph`) back from `roots`.

    Every leaf that is reached gets its gradient added to `.grad`. With `inputs`, only nodes on a path to them run; with
    `capture`, the gradients that arrive there (None if none does) are returned, and no leaf's `.grad` is touched.
    """
    reachable, others = count_users(roots)
    needed = None if inputs is None else nodes_on_a_path_to(inputs, reachable)
    captured: dict[Edge, Any] = dict.fromkeys(inputs or ()) if capture else {}  # what arrives at `inputs`
    asked_at = {node for node, _ in captured}  # there `run_with_hooks` puts it into `captured`
    arriving: dict[Node, list[Any]] = {}  # what waits at a node for the gradients of its other users, by output
    ready: list[tuple[int, Node]] = []  # nodes that may run, a heap; `following` may, too: on a chain it is the next
    following = None
    set_recording(create_graph)
    mode.formula = create_graph  # whether numpy's functions, too, take tensors and record
    mode.running = (object(), reachable, needed, capture)  # for a hook on several tensors (`graph.py`)
    check_nan = NO_NAN in unusual
    node, edges, results = None, roots, root_grads  # the caller is the first to send gradients
    try:
        while True:
            i = -1  # counted by hand: with `zip` the pass over a chain takes 5 % longer
            for edge in edges:
                i, next_node, output_nr = i + 1, edge, 0
                if type(edge) is tuple:
                    next_node, output_nr = edge
                if next_node is None or (needed is not None and next_node not in needed):
                    continue
                if (grad := results[i]) is not None:
                    if grad.shape != (shape := next_node._output_shape) or grad.dtype is not next_node._output_dtype:
                        grad = conform(grad, edge, node, results)  # looks closer; always with create_graph
                    if next_node in arriving or shape is None:
                        add_into(arriving, next_node, output_nr, grad, create_graph)
                    else:
                        arriving[next_node] = [grad]
                if next_node in others and (left := others[next_node]):  # it must wait for these
                    others[next_node] = left - 1
                    continue
                if following is not None:
                    heappush(ready, (following._key, following))
                following = next_node
            results = grad = None  # what has been sent on must not be kept alive from here: `may_write` counts
            if ready:
                if following is not None:
                    heappush(ready, (following._key, following))
                _, following = heappop(ready)
            if following is None:
                return captured
            node, following = following, None
            edges, grads = node._edges, arriving.pop(node, None)
            if grads is None or node._extras is not None or node in asked_at:
                results = run_with_hooks(node, grads, create_graph, captured, needed)
                if not results:  # `grad` asked for what arrives here, not for what is behind
                    continue
            else:
                results = node._apply(grads, create_graph)
            if not keep_graph and (saved := node._saved):
                node._saved = freed(saved)
            if check_nan:
                check_for_nan(node, results, needed)
    except BaseException:
        explain_failure(node)
        raise


def count_users(roots: Sequence[Edge]) -> tuple[set[Node], dict[Node, int]]:
    """The nodes reached from `roots`; for those with several users (the caller is one) how many besides the first."""
    others: dict[Node, int] = {}
    reachable: set[Node] = set()
    edges = [*roots]
    for edge in edges:  # the loop itself adds to this list
        node = edge[0] if type(edge) is tuple else edge
        if node in reachable:
            others[node] = others.get(node, 0) + 1
        elif node is not None:
            reachable.add(node)
            edges += node._edges
    return reachable, others


def nodes_on_a_path_to(inputs: Sequence[Edge], reachable: Iterable[Node]) -> set[Node]:
    """The nodes of `reachable` that lead to one of `inputs`, these included: with a node all its users, as counted."""
    needed = {node for node, _ in inputs} - {None}  # None: of a view that was made under `no_grad`
    # What is made later points to what was made before: the oldest come first. (Leaves come last; they point nowhere.)
    for node in sorted(reachable, key=lambda node: node._key, reverse=True):
        if any(next_node in needed for next_node, _ in node.next_functions):
            needed.add(node)
    return needed
