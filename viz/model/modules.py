"""Which operations take the parameters of which module.

A node does not know the module that made it, and nobody has seen a module being called. But parameters have names
(``model.layer1.0.weight``): so a frame ``model.layer1.0.*`` holds the operations that take parameters of these names,
and what lies only between them.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import pairwise

from .graph import Graph, Node

_OPERATIONS = ("op", "custom", "folded")
_INPUTS = ("next", "variable", "untracked")
_VIEWS = {"T", "Transpose", "Permute", "View", "Expand", "Squeeze", "Unsqueeze", "Select", "Slice", "Split", "ToCopy"}


def with_modules(graph: Graph) -> Graph:
    """`graph` with each node's `module` filled in, where parameters named by a module tell it."""
    module = owners(graph)
    if not module:
        return graph
    operations = [node.id for node in graph.nodes if node.kind in _OPERATIONS]
    leads_to, comes_from = _reach(graph, module)
    owned = [i for i, node_id in enumerate(operations) if node_id in module]
    for before, after in pairwise(owned):
        around = _common([module[operations[before]], module[operations[after]]])
        for node_id in operations[before + 1 : after]:
            both = leads_to[node_id] & comes_from[node_id]
            module[node_id] = next((path for path in reversed(_steps("", around)) if path in both), "")
    nodes = (replace(node, module=module.get(node.id, "")) for node in graph.nodes)
    return Graph(tuple(nodes), graph.edges, graph.roots)


def owners(graph: Graph) -> dict[str, str]:
    """The module whose parameters they are or take, by the ids of leaves, AccumulateGrad nodes and operations."""
    module = {node.id: path for node in graph.nodes if node.kind == "leaf" and (path := _owner(node))}
    if not module:
        return {}
    # from the leaves up: a parameter seen in another way (a transposed weight) counts as that parameter
    parameter = set(module)
    for node in graph.nodes:
        inputs = [edge.target for edge in graph.edges_from(node.id) if edge.kind in _INPUTS]
        taken = [module[t] for t in inputs if t in parameter]
        if taken:
            module[node.id] = _common(taken)
            if node.kind == "accumulate" or node.label.removesuffix("Backward0") in _VIEWS:
                parameter.add(node.id)
    return module


def _reach(graph: Graph, module: dict[str, str]) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """Of each node, the modules, and those around them, of the operations that use it, near or far; and of those that
    it uses."""
    sets = {path: frozenset(_steps("", path)) for path in module.values()}
    operations = {node.id for node in graph.nodes if node.kind in _OPERATIONS}
    nothing: frozenset[str] = frozenset()
    leads_to, comes_from = dict.fromkeys(operations, nothing), dict.fromkeys(operations, nothing)
    edges = [(edge.source, edge.target) for node in graph.nodes for edge in graph.edges_from(node.id)]
    for found, pairs in ((comes_from, edges), (leads_to, [(to, user) for user, to in reversed(edges)])):
        for node_id, other in pairs:
            if node_id in operations and other in operations:
                found[node_id] |= found[other] | sets.get(module.get(other, ""), nothing)
    return leads_to, comes_from


@dataclass(eq=False)
class Stretch:
    """Operations recorded one after the other that take parameters of one module: its `path`, the `name` of the frame
    around them, the stretch around it, and the ids of the nodes that it holds and none inside it does."""

    path: str
    name: str
    outer: Stretch | None = None
    nodes: list[str] = field(default_factory=list)
    inside: list[Stretch] = field(default_factory=list)

    @property
    def around(self) -> Stretch:
        """The stretch around it; of the outermost, itself."""
        return self.outer or self


def stretches(graph: Graph) -> list[Stretch]:
    """What is drawn as frames, those that stand in no other; not the one that holds all.

    What lies between leads out of a frame and never back into it: so frames can be laid out one after the other. Where
    the parameters are taken once more, after others were, they get another frame, numbered.
    """
    top = Stretch("", "")
    made: Counter[str] = Counter()
    now = top
    at: dict[str, Stretch] = {}
    owner = owners(graph)
    for node in graph.nodes:
        if node.kind not in _OPERATIONS:
            continue
        if node.id not in owner:  # it begins and ends nothing
            at[node.id] = now
            while not _holds(at[node.id].path, node.module):
                at[node.id] = at[node.id].around
            at[node.id].nodes.append(node.id)
            continue
        while not _holds(now.path, node.module):
            now = now.around
        for path in _steps(now.path, node.module):
            made[path] += 1
            name = f"{path}.*" if made[path] == 1 else f"{path}.* ({made[path]})"
            now.inside.append(Stretch(path, name, now))
            now = now.inside[-1]
        at[node.id] = now
        now.nodes.append(node.id)
    _place_the_rest(graph, at)
    if len(top.inside) == 1:
        (top,) = top.inside
    return _worth_a_frame(top).inside


def lengths(graph: Graph, drawn: list[Stretch]) -> dict[int, int]:
    """By the numbers of the edges that lead out of a frame to another operation: how many rows that takes, if what
    follows shall stand below the frame and not beside it."""
    if not drawn:
        return {}
    around: dict[str, list[Stretch]] = {}  # of each node: the frames that it is in, from the outermost

    def enter(stretch: Stretch, outer: list[Stretch]) -> None:
        chain = [*outer, stretch]
        around.update((node_id, chain) for node_id in stretch.nodes)
        for other in stretch.inside:
            enter(other, chain)

    for stretch in drawn:
        enter(stretch, [])
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
            left = next((stretch for stretch in around.get(source, ()) if stretch not in mine), None)
            below = row[source] + 1
            if left is not None and node.kind in _OPERATIONS:
                below = found[number] = bottom[id(left)] + 1
                found[number] -= row[source]
            row[node.id] = max(row[node.id], below)
        for stretch in mine:
            bottom[id(stretch)] = max(bottom.get(id(stretch), 0), row[node.id])
    return found


def _place_the_rest(graph: Graph, at: dict[str, Stretch]) -> None:
    """Puts parameters and other inputs beside the first operation that uses them: a parameter into the frame of its
    module; what no gradient flows to, and nothing else uses, into the operation's."""
    users: dict[str, list[Stretch]] = {}
    for edge in graph.edges:
        if edge.source in at:
            users.setdefault(edge.target, []).append(at[edge.source])
    leads_on = {edge.source for edge in graph.edges if edge.kind == "cut"}
    for node in graph.nodes:
        if node.id not in users or node.id in leads_on:
            continue
        first, *others = users[node.id]
        if node.kind == "accumulate" and node.module:
            while not _holds(first.path, node.module):
                first = first.around
            leaves = [edge.target for edge in graph.edges_from(node.id)]
            first.nodes += [node.id, *leaves]
        elif node.kind == "untracked" and not others:
            first.nodes.append(node.id)


def _worth_a_frame(stretch: Stretch) -> Stretch:
    """`call` without the frames inside it that would stand around a single other one."""
    inside = []
    for child in stretch.inside:
        child = _worth_a_frame(child)
        while not child.nodes and len(child.inside) == 1:
            (child,) = child.inside
        inside.append(child)
    stretch.inside = inside
    return stretch


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
