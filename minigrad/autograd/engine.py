"""The backward pass: walk the graph from the outputs to the leaves and apply the chain rule at each node.

A node may run once the gradients from *all* its users have arrived, for only then is their sum complete. So first the
users of each node are counted, one for each edge that leads to it; then nodes run, newest first, and each sends its
results along its edges. Nothing here recurses: the length of a chain and the number of paths do not matter. Gradients
travel as raw arrays; with `create_graph` as tensors, and the same formulas record themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import Any

from .accumulate import add_into, conform, end_turn
from .anomaly import NO_NAN, explain_failure
from .grad_mode import modes_kept, set_recording, unusual
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
    reachable, waiting_for = count_users(roots)  # waiting_for[node]: for how many users after the next
    # `watched` nodes run in `run_with_hooks`: it puts what arrives at `inputs` into `captured`, and looks for nan.
    needed, captured, watched = None, {}, reachable if NO_NAN in unusual else ()
    if inputs is not None:
        needed = nodes_on_a_path_to(inputs, reachable)
        captured = dict.fromkeys(inputs if capture else ())
        watched = watched or {node for node, _ in captured}
    # What has arrived at nodes that wait for more; a heap of those that may run, with what has arrived, newest first.
    arriving, ready = {}, []
    set_recording(create_graph, formula=create_graph, running=(object(), reachable, needed, capture))
    node, edges, results, i = None, roots, root_grads, -1  # the caller is the first to send gradients
    try:
        while True:
            # Each result goes along its edge, to the node that made this input.
            for edge in edges:
                i, to = i + 1, edge[0] if type(edge) is tuple else edge  # (with `zip` a pass takes a tenth longer)
                if to is None or (needed is not None and to not in needed):
                    continue
                if (grad := results[i]) is not None and (grad.shape != to._of_shape or grad.dtype is not to._of_dtype):
                    grad = conform(grad, edge, node, results)  # looks closer; always at tensors, of no numpy dtype
                if to in waiting_for or edge is not to:  # several users or outputs: what comes is gathered
                    add_into(arriving, edge, grad, create_graph)
                    if to in waiting_for and (left := waiting_for[to]):  # it must wait for these
                        waiting_for[to] = left - 1
                        continue
                    heappush(ready, (to._key, to, arriving.pop(to)))
                else:
                    heappush(ready, (to._key, to, [grad]))
            if not ready:
                return captured
            # The newest node that may run applies its formulas.
            _, node, grads = heappop(ready)
            # (No name here may keep what was sent on: who adds gradients counts the references, see `may_write`.)
            edges, results, grad, i = node._edges, None, None, -1
            if grads[0] is None or node._extras is not None or node in watched:
                results = run_with_hooks(node, grads, keep_graph, create_graph, captured, needed)
                continue  # (it has freed what the node saved)
            results = node._apply(grads, create_graph)
            if not keep_graph and (saved := node._saved):
                node._saved = freed(saved)
    except BaseException:
        end_turn()
        explain_failure(node)
        raise


def count_users(roots: Sequence[Edge]) -> tuple[set[Node], dict[Node, int]]:
    """The nodes reached from `roots`; for those with several users (the caller is one) how many besides the first."""
    reachable, waiting_for, edges = {None}, {}, [*roots]  # None: where the gradients of untracked inputs would go
    for edge in edges:  # the loop itself adds to this list
        node = edge[0] if type(edge) is tuple else edge
        if node not in reachable:
            reachable.add(node)
            edges += node._edges
        elif node is not None:
            waiting_for[node] = waiting_for.get(node, 0) + 1
    return reachable, waiting_for


def nodes_on_a_path_to(inputs: Sequence[tuple[Any, int]], reachable: set[Node]) -> set[Node]:
    """`inputs`, and the nodes of `reachable` that lead to them: with a node all its users, so that the counts hold."""
    needed = {node for node, _ in inputs} - {None}  # None: of a view that was made under `no_grad`
    # What is made later points to what was made before: the oldest come first. (Leaves come last; they point nowhere.)
    for node in sorted(reachable - {None}, key=lambda node: node._key, reverse=True):
        if any(next_node in needed for next_node, _ in node.next_functions):
            needed.add(node)
    return needed
