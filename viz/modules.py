"""Which module each part of a graph belongs to.

A node does not know the module that made it. The parameters do, by their names (``model.layer1.0.weight``): the
operations that use a module's parameters are that module's, and what lies between operations of one module is inside
it too.
"""

from __future__ import annotations

from dataclasses import replace

from .graph import Graph, Node


def with_modules(graph: Graph) -> Graph:
    """`graph` with each node's `module` filled in, where parameters named by a module tell it."""
    module = {node.id: _owner(node) for node in graph.nodes if node.kind == "leaf"}
    if not any(module.values()):
        return graph
    targets: dict[str, list[str]] = {}
    users: dict[str, list[str]] = {}
    for edge in graph.edges:
        if edge.kind in ("next", "variable", "untracked"):
            targets.setdefault(edge.source, []).append(edge.target)
            users.setdefault(edge.target, []).append(edge.source)
    # from the leaves up: what is computed from one parameter alone (a transposed weight) counts as that parameter
    parameter = {node_id for node_id, path in module.items() if path}
    for node in graph.nodes:
        inputs = targets.get(node.id, [])
        owners = [module[t] for t in inputs if t in parameter]
        if owners:
            module[node.id] = _common(owners)
            if len(inputs) == 1 and node.kind != "output":
                parameter.add(node.id)
    for node in graph.nodes:
        if node.kind in ("op", "custom", "folded") and node.id not in module:
            before = [module[t] for t in targets.get(node.id, []) if module.get(t)]
            after = [module[u] for u in users.get(node.id, []) if module.get(u)]
            module[node.id] = _common(before + after) if before and after else ""
    nodes = (replace(node, module=module.get(node.id, "")) for node in graph.nodes)
    return Graph(tuple(nodes), graph.edges, graph.roots)


def _owner(leaf: Node) -> str:
    """``model.fc`` for a parameter called ``model.fc.weight``."""
    return leaf.names[0].rpartition(".")[0] if leaf.names else ""


def _common(paths: list[str]) -> str:
    """``model.layer1`` for ``model.layer1.0`` and ``model.layer1.1``."""
    parts = list(paths[0].split("."))
    for path in paths[1:]:
        same = [a == b for a, b in zip(parts, path.split("."))]
        parts = parts[: [*same, False].index(False)]
    return ".".join(parts)
