"""Which module each part of a graph belongs to, and which of its parts one call of a module made.

A node does not know the module that made it. The parameters do, by their names (``model.layer1.0.weight``): the
operations that use a module's parameters are that module's. And since a call of a module records its operations one
after the other, what was recorded between two operations of one module is inside it too.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import pairwise

from .graph import Graph, Node

_OPERATIONS = ("op", "custom", "folded")
_VIEWS = {"T", "Transpose", "Permute", "View", "Expand", "Squeeze", "Unsqueeze", "Select", "Slice", "Split", "ToCopy"}


def with_modules(graph: Graph) -> Graph:
    """`graph` with each node's `module` filled in, where parameters named by a module tell it."""
    module = {node.id: _owner(node) for node in graph.nodes if node.kind == "leaf"}
    if not any(module.values()):
        return graph
    operations = [node.id for node in graph.nodes if node.kind in _OPERATIONS]
    # from the leaves up: a parameter seen in another way (a transposed weight) counts as that parameter
    parameter = {node_id for node_id, path in module.items() if path}
    for node in graph.nodes:
        inputs = [edge.target for edge in graph.edges_from(node.id) if edge.kind in ("next", "variable", "untracked")]
        owners = [module[t] for t in inputs if t in parameter]
        if owners:
            module[node.id] = _common(owners)
            if node.kind == "accumulate" or node.label.removesuffix("Backward0") in _VIEWS:
                parameter.add(node.id)
    owned = [i for i, node_id in enumerate(operations) if node_id in module]
    for before, after in pairwise(owned):
        path = _common([module[operations[before]], module[operations[after]]])
        module.update((operations[i], path) for i in range(before + 1, after))
    nodes = (replace(node, module=module.get(node.id, "")) for node in graph.nodes)
    return Graph(tuple(nodes), graph.edges, graph.roots)


@dataclass(eq=False)
class Call:
    """One call of a module: its `path`, the `name` of its frame, the call around it, and the ids of the nodes that it
    holds and no call inside it does."""

    path: str
    name: str
    around: Call | None
    nodes: list[str] = field(default_factory=list)
    inside: list[Call] = field(default_factory=list)


def calls(graph: Graph) -> list[Call]:
    """The calls of modules that are drawn as frames, those that stand in no other; not the one that holds all.

    A call leads out of its frame and, being recorded in one stretch, never back into it: so frames can be laid out
    one after the other. A module that is called again gets another frame, numbered.
    """
    top = Call("", "", None)
    made: Counter[str] = Counter()
    now, at = top, {}
    for node in graph.nodes:
        if node.kind not in _OPERATIONS:
            continue
        while not _holds(now.path, node.module):
            now = now.around
        for path in _steps(now.path, node.module):
            made[path] += 1
            name = path if made[path] == 1 else f"{path} ({made[path]})"
            now.inside.append(Call(path, name, now))
            now = now.inside[-1]
        at[node.id] = now
        now.nodes.append(node.id)
    _place_the_rest(graph, at)
    if len(top.inside) == 1:
        (top,) = top.inside
    return _worth_a_frame(top).inside


def lengths(graph: Graph, drawn: list[Call]) -> dict[int, int]:
    """By the numbers of the edges that lead out of a frame to another operation: how many rows that takes, if what
    follows shall stand below the frame and not beside it."""
    if not drawn:
        return {}
    around: dict[str, list[Call]] = {}  # of each node: the frames that it is in, from the outermost

    def enter(call: Call, outer: list[Call]) -> None:
        chain = [*outer, call]
        around.update((node_id, chain) for node_id in call.nodes)
        for other in call.inside:
            enter(other, chain)

    for call in drawn:
        enter(call, [])
    leading: dict[str, list[int]] = {}
    for number, edge in enumerate(graph.edges):
        leading.setdefault(edge.target, []).append(number)
    row: dict[str, int] = {}
    bottom: dict[int, int] = {}
    found: dict[int, int] = {}
    for node in reversed(graph.nodes):  # what uses a node comes behind it
        row[node.id] = 0
        mine = around.get(node.id, [])
        for number in leading.get(node.id, ()):
            source = graph.edges[number].source
            if source not in row:  # a folded node stands where its last operation was, and may be used before
                continue
            left = next((call for call in around.get(source, ()) if call not in mine), None)
            below = row[source] + 1
            if left is not None and node.kind in _OPERATIONS:
                below = found[number] = bottom[id(left)] + 1
                found[number] -= row[source]
            row[node.id] = max(row[node.id], below)
        for call in mine:
            bottom[id(call)] = max(bottom.get(id(call), 0), row[node.id])
    return found


def _place_the_rest(graph: Graph, at: dict[str, Call]) -> None:
    """Puts parameters and other inputs beside the first operation that uses them: a parameter into the frame of its
    module; what no gradient flows to, and nothing else uses, into the operation's."""
    users: dict[str, list[Call]] = {}
    for edge in graph.edges:
        if edge.source in at:
            users.setdefault(edge.target, []).append(at[edge.source])
    leads_on = {edge.source for edge in graph.edges if edge.kind == "cut"}
    for node in graph.nodes:
        first, *others = users.get(node.id, [None])
        if first is None or node.id in leads_on:
            continue
        if node.kind == "accumulate" and node.module:
            while not _holds(first.path, node.module):
                first = first.around
            leaves = [edge.target for edge in graph.edges_from(node.id)]
            first.nodes += [node.id, *leaves]
        elif node.kind == "untracked" and not others:
            first.nodes.append(node.id)


def _worth_a_frame(call: Call) -> Call:
    """`call` without the frames inside it that would stand around a single other one."""
    inside = []
    for child in call.inside:
        child = _worth_a_frame(child)
        while not child.nodes and len(child.inside) == 1:
            (child,) = child.inside
        inside.append(child)
    call.inside = inside
    return call


def _holds(path: str, inner: str) -> bool:
    """Whether a module's path is that of another or of one around it."""
    return not path or f"{inner}.".startswith(f"{path}.")


def _steps(path: str, inner: str) -> list[str]:
    """``["a.b", "a.b.c"]``: the modules from `path` (``a``), without it, to `inner` (``a.b.c``)."""
    parts = inner.split(".") if inner else []
    return [".".join(parts[:i]) for i in range((path.count(".") + 1 if path else 0) + 1, len(parts) + 1)]


def _owner(leaf: Node) -> str:
    """``model.fc`` for a parameter called ``model.fc.weight``."""
    found = re.fullmatch(r"(.+)\.\w+", leaf.names[0]) if leaf.names else None  # and none for `params['fc.weight']`
    return found[1] if found else ""


def _common(paths: list[str]) -> str:
    """``model.layer1`` for ``model.layer1.0`` and ``model.layer1.1``."""
    parts = list(paths[0].split("."))
    for path in paths[1:]:
        same = [a == b for a, b in zip(parts, path.split("."))]
        parts = parts[: [*same, False].index(False)]
    return ".".join(parts)
