"""Large graphs made small enough to read: what is left out becomes nodes that say how much they hold.

All of this happens before layout and takes time in proportion to the graph, so no graph is too large to be drawn.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import pairwise

from ..language import message, said
from ..model.graph import Edge, Graph, Node, no_node
from ..model.modules import Stretch, owners, stretches, with_modules
from ..strings import clean

MANY = 60  # nodes; from here on a reader is helped by folding what repeats
_SHOWN = 40  # nodes of a graph that is still too large: what a reader can take in
_LONGEST = 64  # operations in one part of a repetition


@dataclass(eq=False)
class Group:
    """What is to be drawn as one node: how its id begins; its label, or else a text of the catalogue, and of how
    many equal parts it is."""

    prefix: str
    label: str = ""
    key: str = "severalNodes"
    repeats: int = 1


@dataclass(frozen=True)
class View:
    """How much of a graph is shown: the options of `viz.draw` of these names; fold: whether what repeats is folded, but
    for the groups `unfold`."""

    around: str | None = None
    depth: int | None = None
    modules: int | None = None
    fold: bool = True
    unfold: tuple[str, ...] = ()
    max_nodes: int = 400

    def of(self, graph: Graph) -> Graph:
        """`graph`, what is not shown of it folded."""
        graph = keep_near(graph, self.around, self.depth)
        groups: list[str] = []
        if self.modules is not None:
            graph = with_modules(graph)
            graph = contract(graph, of_modules(graph, self.modules), self.unfold, groups)
        if self.fold and len(graph.nodes) > MANY:
            graph = contract(graph, of_repeats(graph), self.unfold, groups)
        for node_id in self.unfold:
            if node_id not in groups:
                known = ", ".join(groups) or "none"
                raise ValueError(message("noGroup", node_id=repr(clean(node_id)), known=known))
        return fold_middle(graph, self.max_nodes)


def keep_near(graph: Graph, around: str | None, depth: int | None) -> Graph:
    """Only what is at most `depth` steps from the outputs, backwards; or, in both directions, from the node `around`
    (an id or a variable's name). The rest is folded."""
    if around is None and depth is None:
        return graph
    keep = set(graph.roots)
    if around is not None:
        keep = {node.id for node in graph.nodes if around == node.id or around in node.names}
        if not keep:
            raise ValueError(no_node(around))
    next_to: dict[str, set[str]] = {}
    for edge in graph.edges:
        next_to.setdefault(edge.source, set()).add(edge.target)
        if around is not None:
            next_to.setdefault(edge.target, set()).add(edge.source)
    level = keep
    for _ in range(min(2 if depth is None else depth, len(graph.nodes))):
        level = set().union(*(next_to.get(node_id, ()) for node_id in level)) - keep
        keep = keep | level
    keep |= set(graph.roots) | _stopping(graph)
    return contract(graph, _components(graph, keep))


def of_modules(graph: Graph, level: int) -> dict[str, Group]:
    """A group for each frame of that `level`, 1 for the outermost; but not where backward stops."""

    def inside(frame: Stretch) -> list[str]:
        return [*frame.nodes, *(node_id for other in frame.inside for node_id in inside(other))]

    frames = stretches(graph)
    for _ in range(min(level, len(graph.nodes)) - 1):
        frames = [inner for frame in frames for inner in (frame.inside or [frame])]
    apart = _stopping(graph)
    named = [(Group("module", frame.name), inside(frame)) for frame in frames]
    return {i: group for group, ids in named if apart.isdisjoint(ids) for i in ids if i not in graph.roots}


def of_repeats(graph: Graph) -> dict[str, Group]:
    """A group for every run of four or more equal parts: operations that, in forward order, repeat in name, number of
    inputs and the module whose parameters they take, which may differ in a number: equal entries of a container. The
    first and the last part stay. Linear in the size of the graph."""
    ops = [node for node in graph.nodes if node.kind in ("op", "custom")]
    inputs = Counter(edge.source for edge in graph.edges)
    module = owners(graph)
    letters: dict[tuple[str, int, str], str] = {}
    # One letter for each kind of operation turns "repeats" into a question that regular expressions answer fast.
    kinds = ((op.label, inputs[op.id], re.sub(r"\.\d+(?![^.])", ".#", module.get(op.id, ""))) for op in ops)
    word = "".join(letters.setdefault(kind, chr(0x4E00 + len(letters))) for kind in kinds)
    group_of: dict[str, Group] = {}
    for run in re.finditer(rf"(.{{1,{_LONGEST}}}?)\1{{3,}}", word):
        period = len(run[1])
        first, last = run.start() + period, run.end() - period
        # a part that has something to show of itself, a hook, an error or a result, is not folded away
        kept = (i for i in range(first, last) if ops[i].hooks or ops[i].stops or ops[i].id in graph.roots)
        shown = {(i - first) // period for i in kept}
        ends = [-1, *sorted(shown), (last - first) // period]
        for before, after in pairwise(ends):
            inside = ops[first + (before + 1) * period : first + after * period]
            if len(inside) >= 2:
                group = Group("fold", key="repeatedParts", repeats=after - before - 1)
                group_of.update((op.id, group) for op in inside)
    _take_along(graph, group_of)
    return group_of


def _take_along(graph: Graph, group_of: dict[str, Group]) -> None:
    """Adds to each group the leaves, AccumulateGrad nodes and untracked inputs that nothing else uses."""
    small = {node.id for node in graph.nodes if node.kind in ("accumulate", "untracked")}
    user: dict[str, Group | None] = {}  # the one group that uses a node; None where others do
    for edge in graph.edges:
        if edge.kind == "cut" or (edge.target in small and edge.kind != "variable"):
            group = group_of.get(edge.source)
            if user.setdefault(edge.target, group) != group:
                user[edge.target] = None
    group_of.update((node_id, group) for node_id, group in user.items() if group is not None and node_id in small)
    for edge in graph.edges:  # a leaf goes with its AccumulateGrad, unless it was drawn or detached
        group = group_of.get(edge.source) if edge.kind == "variable" else None
        if group is not None and user.get(edge.target, group) == group and edge.target not in graph.roots:
            group_of[edge.target] = group


def fold_middle(graph: Graph, max_nodes: int) -> Graph:
    """A graph of more than `max_nodes` nodes keeps its two ends, what was made last and what came first; the rest is
    folded. Linear in the size of the graph."""
    if len(graph.nodes) <= max_nodes:
        return graph
    end = min(max_nodes, _SHOWN) // 3
    ends = {node.id for node in (*graph.nodes[:end], *graph.nodes[-end:])} if end else set()
    return contract(graph, _components(graph, ends | set(graph.roots) | _stopping(graph)))


def contract(
    graph: Graph, group_of: dict[str, Group], unfold: Collection[str] = (), groups: list[str] | None = None
) -> Graph:
    """Draws each group of `group_of` (by the ids of its nodes) as one node, at the place of its last member, unless
    `unfold` holds the id it would get, which are added to `groups`."""
    members: dict[Group, list[Node]] = {}
    for node in graph.nodes:
        if node.id in group_of:
            members.setdefault(group_of[node.id], []).append(node)
    taken = Counter(node.id.rstrip("0123456789") for node in graph.nodes if node.kind == "folded")
    ids = {group: f"{group.prefix}{i + taken[group.prefix]}" for i, group in enumerate(members, 1)}
    if groups is not None:
        groups += ids.values()
    where = {i: ids[group] for i, group in group_of.items() if ids[group] not in unfold}
    last = {nodes[-1].id: _folded(ids[group], group, nodes) for group, nodes in members.items()}
    edges: dict[tuple[str, str], Edge] = {}
    for edge in graph.edges:
        source, target = where.get(edge.source), where.get(edge.target)
        if source is target is None:
            edges[edge.source, f"{edge.target} {edge.input_nr}"] = edge
        elif source != target:
            source, target = source or edge.source, target or edge.target
            edges.setdefault((source, target), replace(edge, source=source, target=target, output_nr=0))
    seen = (node for node in graph.nodes if node.id not in where or node.id in last)
    nodes = tuple(last[node.id] if node.id in where else node for node in seen)
    return Graph(nodes, tuple(edges.values()), graph.roots)


def _folded(node_id: str, group: Group, members: list[Node]) -> Node:
    contents = Counter(node.label for node in members if node.kind in ("op", "custom"))
    for node in members:
        contents.update(dict(node.contents))
    ops = sum(node.count for node in members if node.kind in ("op", "custom", "folded"))
    if leaves := sum(node.kind == "leaf" for node in members):
        contents["leaf"] += leaves
    n = f"{group.repeats if group.repeats > 1 else ops or leaves:,}"
    return Node(
        node_id,
        "folded",
        group.label or said("en", group.key, n=n),
        tuple(name for node in members if node.kind in ("op", "custom", "leaf") for name in node.names),
        count=ops,
        contents=tuple(contents.most_common()),
        repeats=group.repeats,
        members=tuple(node_id for node in members for node_id in (node.members or (node.id,))),
        words=None if group.label else (group.key, n),
    )


def _stopping(graph: Graph) -> set[str]:
    """Where backward stops is never left out."""
    return {node.id for node in graph.nodes if node.stops}


def _components(graph: Graph, keep: set[str]) -> dict[str, Group]:
    """Groups the nodes outside `keep`: operations that hang together with what only they use; then, of what is left,
    the pieces that touch the same nodes. A leaf stays with its AccumulateGrad, and a lonely node as it is."""
    keep |= {edge.target for edge in graph.edges if edge.kind == "variable" and edge.source in keep}
    parent = {node.id: node.id for node in graph.nodes if node.id not in keep}
    small = {node.id for node in graph.nodes if node.kind in ("accumulate", "leaf", "untracked")}

    def root(node_id: str) -> str:
        while parent[node_id] != node_id:
            parent[node_id] = parent[parent[node_id]]
            node_id = parent[node_id]
        return node_id

    # A parameter that two parts use must not make them one: it would tie what comes first to what comes last.
    for edge in graph.edges:
        inside = edge.source in parent and edge.target in parent
        if inside and (edge.kind == "variable" or edge.target not in small):
            parent[root(edge.source)] = root(edge.target)
    touches: dict[str, set[str]] = {}
    for edge in graph.edges:
        ends = [root(end) if end in parent else end for end in (edge.source, edge.target)]
        if ends[0] != ends[1]:
            for end, other in (ends, reversed(ends)):
                touches.setdefault(end, set()).add(other)
    for node in graph.nodes:
        if node.id in small and node.id in parent and len(users := touches.get(root(node.id), set())) == 1:
            (user,) = users
            if user in parent and root(node.id) != user:
                parent[root(node.id)] = user
    pieces: dict[object, list[str]] = {}
    for node_id in parent:
        alike = frozenset(touches.get(root(node_id), ())) if root(node_id) in small else root(node_id)
        pieces.setdefault(alike, []).append(node_id)
    large = [ids for ids in pieces.values() if sum(node_id not in small for node_id in ids) > 1 or len(ids) > 2]
    return {node_id: group for ids in large for group in [Group("rest")] for node_id in ids}
