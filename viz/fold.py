"""Large graphs made small enough to read: what is left out becomes nodes that say how much they hold."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import replace

from .graph import Edge, Graph, Node

_SHOWN = 40  # nodes of a graph that is too large: what a reader can still take in


def fold(graph: Graph, max_nodes: int) -> Graph:
    """`graph` itself where it has at most `max_nodes` nodes; else its two ends, what was drawn and what came first,
    and the rest folded. Linear in the size of the graph."""
    if len(graph.nodes) <= max_nodes:
        return graph
    shown = min(max_nodes, _SHOWN)
    keep = _near(list(graph.roots), _towards_leaves(graph), shown // 2)
    tensors = _tensors_of(graph)
    for node in graph.nodes:
        if len(keep) >= shown * 3 // 4:
            break
        if node.kind in ("op", "custom"):
            keep |= _near([node.id], tensors, 8)
    return contract(graph, _components(graph, keep))


def contract(graph: Graph, group_of: dict[str, int]) -> Graph:
    """Draws each group of `group_of` (node id → group number) as one node, at the place of its last member."""
    members: dict[int, list[Node]] = {}
    for node in graph.nodes:
        if node.id in group_of:
            members.setdefault(group_of[node.id], []).append(node)
    ids = {group: f"fold{i}" for i, group in enumerate(members, 1)}
    last = {nodes[-1].id: group for group, nodes in members.items()}
    nodes = []
    for node in graph.nodes:
        if node.id not in group_of:
            nodes.append(node)
        elif node.id in last:
            nodes.append(_folded(ids[last[node.id]], members[last[node.id]]))
    where = {node_id: ids[group] for node_id, group in group_of.items()}
    edges: dict[tuple[str, str], Edge] = {}
    for edge in graph.edges:
        source, target = where.get(edge.source, edge.source), where.get(edge.target, edge.target)
        if (source, target) == (edge.source, edge.target):
            edges[source, f"{target} {edge.input_nr}"] = edge
        elif source != target:
            edges.setdefault((source, target), replace(edge, source=source, target=target, output_nr=0))
    return Graph(tuple(nodes), tuple(edges.values()), graph.roots)


def _folded(node_id: str, members: list[Node]) -> Node:
    ops = Counter(node.label for node in members if node.kind in ("op", "custom"))
    leaves = sum(node.kind == "leaf" for node in members)
    contents = (*ops.most_common(), *([("leaf", leaves)] if leaves else []))
    names = tuple(name for node in members if node.kind in ("op", "custom", "leaf") for name in node.names)
    return Node(
        node_id, "folded", f"{sum(ops.values()) or leaves:,} nodes", names, count=sum(ops.values()), contents=contents
    )


def _near(start: list[str], next_to: dict[str, list[str]], limit: int) -> set[str]:
    """The `limit` nodes nearest to `start`, breadth first."""
    seen, queue = set(start), deque(start)
    while queue:
        for node_id in next_to.get(queue.popleft(), ()):
            if node_id not in seen and len(seen) < limit:
                seen.add(node_id)
                queue.append(node_id)
    return seen


def _towards_leaves(graph: Graph) -> dict[str, list[str]]:
    next_to: dict[str, list[str]] = {}
    for edge in graph.edges:
        next_to.setdefault(edge.source, []).append(edge.target)
    return next_to


def _tensors_of(graph: Graph) -> dict[str, list[str]]:
    """From each op to its AccumulateGrad nodes and untracked inputs, from those to their leaves."""
    small = {node.id for node in graph.nodes if node.kind in ("accumulate", "leaf", "untracked")}
    return {source: [t for t in targets if t in small] for source, targets in _towards_leaves(graph).items()}


def _components(graph: Graph, keep: set[str]) -> dict[str, int]:
    """Groups the nodes outside `keep`: what hangs together, and pieces that touch the same kept nodes."""
    parent = {node.id: node.id for node in graph.nodes if node.id not in keep}

    def root(node_id: str) -> str:
        while parent[node_id] != node_id:
            parent[node_id] = parent[parent[node_id]]
            node_id = parent[node_id]
        return node_id

    for edge in graph.edges:
        if edge.source in parent and edge.target in parent:
            parent[root(edge.source)] = root(edge.target)
    touches: dict[str, set[str]] = {}
    for edge in graph.edges:
        for inside, outside in ((edge.source, edge.target), (edge.target, edge.source)):
            if inside in parent and outside in keep:
                touches.setdefault(root(inside), set()).add(outside)
    numbers: dict[frozenset[str], int] = {}
    return {node_id: numbers.setdefault(frozenset(touches.get(root(node_id), ())), len(numbers)) for node_id in parent}
