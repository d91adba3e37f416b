"""The backward pass: walk the graph from the outputs to the leaves and apply the chain rule at each node.

A node may run once the gradients from *all* its users have arrived, for only then is their sum complete. So first the
users of each node are counted; then nodes run, newest first, and each sends its results along its edges. Nothing here
recurses, so the length of a chain and the number of paths through the graph do not matter.

Gradients travel as raw arrays. With `create_graph` they travel as tensors, and the same formulas record themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush, heapreplace
from itertools import count
from typing import Any

from . import anomaly
from .accumulate import accumulate, add_into, conform, conform_all
from .grad_mode import mode, set_recording
from .hooks import run_post_hooks, run_pre_hooks, run_tensor_hooks
from .node import apply_recorded
from .variable import NO_EDGE, Edge, node_of, pair_of

_next_pass = count(1).__next__


def run_backward(
    roots: Sequence[Edge],
    root_grads: Sequence[Any],
    *,
    keep_graph: bool,
    create_graph: bool,
    inputs: Sequence[Edge] | None = None,
    capture: bool = False,
) -> list[Any]:
    """Send `root_grads` (raw arrays, or tensors with `create_graph`) back from `roots`.

    Every leaf that is reached gets its gradient added to `.grad`. With `inputs`, only nodes on a path to one of these
    edges run. With `capture`, the gradients arriving at `inputs` are returned in order, None for one that was not
    reached, and no `.grad` is touched.
    """
    nan_check = anomaly.enabled and anomaly.check_nan
    users = count_users(roots)
    needed = None if inputs is None else nodes_on_a_path_to(inputs, users)
    captured: dict[Edge, Any] = dict.fromkeys(inputs) if capture else {}
    capturing = set(map(node_of, captured)) if capture else ()
    looks_closer = capture or nan_check  # otherwise only nodes with hooks need more than to be run

    # Gradients that wait at a node for those of its other users; per node, one for each of its outputs.
    arriving: dict[Any, list[Any]] = {}
    for root, (edge, grad) in enumerate(zip(roots, root_grads, strict=True)):
        node, output_nr = pair_of(edge)
        add_into(arriving, node, output_nr, conform(grad, node, output_nr, None, root))
    # The nodes that may run, with their gradients; of these `following` is outside the heap, for on a chain it is next.
    ready: list[tuple[int, Any, list[Any] | None]] = []
    for node in tuple(arriving):
        if users[node] == 0 and (needed is None or node in needed):
            heappush(ready, (node.key, node, arriving.pop(node)))
    if needed is not None:
        users.update((node, 0) for node in users if node not in needed)
    following = following_grads = None

    node = None
    previous_mode = set_recording(bool(create_graph))
    previous_pass, mode.running = mode.running, (_next_pass(), users, needed, capture)
    try:
        while True:
            if following is None:
                if not ready:
                    break
                _, node, grads = heappop(ready)
            elif ready and ready[0][0] < following.key:
                _, node, grads = heapreplace(ready, (following.key, following, following_grads))
            else:
                node, grads = following, following_grads
            following = None

            kind = node.kind  # None: the end of a path, a leaf's AccumulateGrad
            if looks_closer or node.extras is not None or (kind is None and node.variable._meta.hooks):
                if node in capturing:
                    goes_on = any(node_of(edge) in needed for edge in node.edges)
                    if not goes_on:
                        grads = run_tensor_hooks(node, grads)
                    for edge in captured:
                        if node_of(edge) is node:
                            captured[edge] = grads and grads[pair_of(edge)[1]]
                    if not goes_on:
                        continue
                grads = run_pre_hooks(node, grads)
                if node.extras is not None and node.extras.post_hooks:
                    arrived = grads and tuple(grads)  # the node itself may use them up
            if kind is None:
                accumulate(node, grads, create_graph)
                if node.extras is not None and node.extras.post_hooks:
                    run_post_hooks(node, (), arrived)
                continue

            edges = node.edges
            if grads is not None or kind.runs_on_nothing:
                apply = kind.apply  # Python looks longer for `kind.apply(…)`: there it expects a method
                results = apply_recorded(node, grads) if create_graph else apply(node, grads, False)
            else:
                results = (None,) * len(edges)
            fits = node.fits
            if node.extras is not None and node.extras.post_hooks:
                results = run_post_hooks(node, conform_all(results, node), arrived)
            if not keep_graph and node.saved:
                node.saved = None if kind.kept is None else kind.kept(node.saved)
            if nan_check:
                anomaly.check_for_nan(node, results)

            for next_node, grad in zip(edges, results):
                if next_node is NO_EDGE:
                    continue
                output_nr = 0
                try:
                    waiting_for = users[next_node]
                except KeyError:  # not a node, but the edge to another output than its first
                    next_node, output_nr = next_node
                    if next_node is None:
                        continue
                    waiting_for = users[next_node]
                if not (
                    fits
                    or grad is None
                    or (not create_graph and grad.shape == next_node.shape and grad.dtype is next_node.dtype)
                ):
                    grad = conform(grad, next_node, output_nr, node)
                if waiting_for == 1:
                    if following is not None:
                        heappush(ready, (following.key, following, following_grads))
                    following = next_node
                    if next_node in arriving or next_node.shape is None:
                        if grad is not None:
                            add_into(arriving, next_node, output_nr, grad)
                        following_grads = arriving.pop(next_node, None)
                    else:
                        following_grads = None if grad is None else [grad]
                elif waiting_for:  # 0: its gradient is not asked for
                    users[next_node] = waiting_for - 1
                    if grad is not None:
                        add_into(arriving, next_node, output_nr, grad)
            results = grad = None  # what has been sent on must not be kept alive from here
    except BaseException:
        if node is not None:
            anomaly.explain_failure(node)
        raise
    finally:
        set_recording(previous_mode)
        mode.running = previous_pass
    return [captured[edge] for edge in inputs] if capture else []


def count_users(roots: Sequence[Edge]) -> dict[Any, int]:
    """For each node that can be reached from `roots`, how many edges lead to it."""
    users: dict[Any, int] = dict.fromkeys(map(node_of, roots), 0)
    unvisited = list(users)
    for node in unvisited:  # grows while it is gone through
        for next_node in node.edges:
            if next_node in users:
                users[next_node] += 1
            elif next_node.shape is not None:  # an ordinary node, met for the first time
                users[next_node] = 1
                unvisited.append(next_node)
            elif (next_node := node_of(next_node)) is not None:  # one with several outputs
                if next_node not in users:
                    unvisited.append(next_node)
                users[next_node] = users.get(next_node, 0) + 1
    return users


def nodes_on_a_path_to(inputs: Sequence[Edge], reachable: dict[Any, int]) -> set[Any]:
    """The nodes of `reachable` from which one of `inputs` can be reached, these included."""
    needed = {node_of(edge) for edge in inputs} - {None}
    # A node is made after the nodes it points to, so going from the oldest to the newest meets those first.
    for node in sorted(reachable, key=lambda node: node.key, reverse=True):
        if any(node_of(edge) in needed for edge in node.edges):
            needed.add(node)
    return needed
