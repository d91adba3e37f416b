"""Large graphs made small enough to read: what is left out becomes nodes that say how much they hold.

All of this happens before layout and takes time in proportion to the graph, so no graph is too large to be drawn.
"""

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import accumulate

from ..language import message, words
from ..model.graph import OPERATIONS, Edge, Graph, Node
from ..model.modules import beginning, common, frames, holds, path_of, with_modules
from ..strings import clean

MANY = 60  # nodes; from here on a reader is helped by folding what repeats
_SHOWN = 40  # nodes of a graph that is still too large: what a reader can take in
_LONGEST = 64  # operations in one part of a repetition
_SMALL = ("accumulate", "leaf", "untracked")
_BESIDE = 6  # inputs of one operation


@dataclass(eq=False)
class Group:
    """What is to be drawn as one node."""

    prefix: str  # its id begins so
    label: str = ""  # else it has that text of the catalogue, or is called by how many it holds
    key: str = ""
    repeats: int = 1  # of how many equal parts it is
    cut: bool = False  # a result of it is drawn by itself


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

    def of(self, graph: Graph, opened: tuple[str, ...] = ()) -> Graph:
        """`graph` with the module of each node, and what is not shown of it folded, but the groups `opened`."""
        if opened:
            return replace(self, unfold=(*self.unfold, *opened)).of(graph)
        graph, groups = with_modules(graph), list[str]()
        if self.around is not None or self.depth is not None:
            graph = grouped(graph, _rest(graph, self._near(graph)))
        modules = {node.module for node in graph.nodes}
        graph = contract(graph, self._folded(graph, groups))
        for asked in self.unfold:
            if asked not in groups and not any(holds(asked, module) for module in modules):
                known = ", ".join(groups) or "none"
                raise ValueError(message("noGroup", node_id=repr(clean(asked)), known=known))
        if len(graph.nodes) > self.max_nodes:  # its two ends stay
            end = min(self.max_nodes, _SHOWN) // 3
            ends = (*graph.nodes[:end], *graph.nodes[-end:]) if end else ()
            graph = grouped(graph, _rest(graph, {node.id for node in ends}))
        return graph

    def _folded(
        self, graph: Graph, groups: list[str], opened: Node | None = None, beyond: Collection[str] = ()
    ) -> dict[str, Node]:
        """What stands for the nodes of `graph`, by their ids, and its ids in `groups`. Where a group is `opened`, what
        it holds is folded in its turn, and no more than that: what is beside it stays as it is, and uses the results
        `beyond`."""
        inside, found = f"{opened.id}." if opened else "", dict[str, Node]()
        repeated = opened is not None and opened.repeats > 1
        level = self.modules if opened is None or repeated else None
        small = grouped(graph, of_modules(graph, levels(graph), level), inside, beyond) if level else graph
        if self.fold and not repeated and len(small.nodes) > MANY:
            small = grouped(small, of_repeats(small), inside, beyond)
        if level is None and len(small.nodes) > (MANY if small is graph else _SHOWN):
            small = grouped(small, self._parts(small), inside, beyond)
        for node in (one for one in small.nodes if one.id not in graph.by_id):
            groups.append(node.id)
            if self._opens(node, graph):
                held = {*node.members}
                edges = tuple(edge for edge in graph.edges if edge.source in held and edge.target in held)
                own = Graph(tuple(one for one in graph.nodes if one.id in held), edges, ())
                used = {edge.target for edge in graph.edges if edge.source not in held}
                found |= self._folded(own, groups, node, used.union(beyond))
            else:
                found |= dict.fromkeys(node.members, node)
        return found

    def _opens(self, group: Node, graph: Graph) -> bool:
        """Whether a group of `graph` is asked for: by its id; or by its module, or one inside that."""
        inner = {graph.by_id[member].module for member in group.members if self.unfold}
        around = (asked for asked in self.unfold if holds(group.module, asked))
        return group.id in self.unfold or any(holds(asked, module) for asked in around for module in inner)

    def _parts(self, graph: Graph) -> dict[str, Group]:
        """The deepest modules that leave few enough nodes, or some more where one around them holds nearly all; none
        where that would be one, and all can be drawn."""
        around = levels(graph)
        for level in range(max((at for chain in around.values() for at in chain.values()), default=0), 0, -1):
            groups = of_modules(graph, around, level)
            left = sum(node.kind != "untracked" for node in grouped(graph, groups).nodes)
            outer = Counter(name for chain in around.values() for name, at in chain.items() if at == level - 1)
            most = MANY if max(outer.values(), default=0) > 0.9 * len(graph.nodes) else _SHOWN
            if level == 1 and len(graph.nodes) > self.max_nodes:
                return groups
            if (level == 1 or left <= min(self.max_nodes, most)) and len(set(groups.values())) > 1:
                return groups
        return {}

    def _near(self, graph: Graph) -> set[str]:
        """What is at most `depth` steps from the outputs, backwards; or, in both directions, from what is `around`: the
        node of that id or variable, the nodes of that module."""
        at = self.around or "."  # the name of nothing
        near = {node.id for node in graph.nodes if at in (node.id, *node.names) or holds(at, node.module)}
        if self.around is None:
            near = set(graph.roots)
        elif not near:
            raise ValueError(message("noNode", given=clean(repr(self.around))))
        level = near
        for _ in range(min(2 if self.depth is None else self.depth, len(graph.nodes))):
            before = {edge.target for node_id in level for edge in graph.edges_from(node_id)}
            after = {edge.source for node_id in level for edge in graph.edges_to(node_id)}
            level = (before if self.around is None else before | after) - near
            near = near | level
        return near


def levels(graph: Graph) -> dict[str, dict[str, int]]:
    """How deep the frames around a node stand, by its id: 1 for the outermost, and the others by the dots in their
    names, for the blocks of a network are alike where some have one more frame around them."""
    chains = frames(graph)
    dots = {name: path_of(name).count(".") for name in {name for chain in chains.values() for name in chain}}
    least = min(dots.values(), default=0)
    found: dict[str, dict[str, int]] = {}
    for node_id, chain in chains.items():
        deep = (1, *(dots[name] - least + 1 for name in chain[1:]))
        found[node_id] = dict(zip(chain, accumulate(deep, lambda around, own: max(around + 1, own))))
    return found


def of_modules(graph: Graph, around: dict[str, dict[str, int]], level: int) -> dict[str, Group]:
    """A group for each frame of that `level`, of the `levels` around the nodes, or above it where none is in it; but
    not where backward stops."""
    cuts = {node_id: [name for name, at in chain.items() if at <= level] for node_id, chain in around.items()}
    apart = {name for cut in cuts.values() for name in cut[:-1]}
    apart |= {cuts[node.id][-1] for node in graph.nodes if node.stops and node.id in cuts}
    ends = {cuts[root][-1] for root in graph.roots if root in cuts}
    groups = {cut[-1]: Group("module", cut[-1], cut=cut[-1] in ends) for cut in cuts.values()}
    group_of = {node_id: groups[cut[-1]] for node_id, cut in cuts.items() if cut[-1] not in apart}
    # what a module is given has a name, and is no part of it
    given = {node.id for node in graph.nodes if node.kind == "untracked" and node.names}
    return {node_id: group for node_id, group in _of_their_own(graph, group_of).items() if node_id not in given}


def of_repeats(graph: Graph) -> dict[str, Group]:
    """A group for every run of four or more equal parts: operations that, in forward order, repeat in name (modules
    that are drawn as one node, in what they hold), number of inputs and module, which may differ in a number: equal
    entries of a container. The first and the last part stay, and what has something to show of itself: a hook, an
    error, a result. Linear in the size of the graph."""
    ops = [node for node in graph.nodes if node.kind in OPERATIONS]
    inputs = Counter(edge.source for edge in graph.edges)
    apart = {op.id for op in ops if op.hooks or op.stops or (op.id in graph.roots and op is not ops[-1])}
    letters = dict[object, str]()
    # One letter for each kind of operation turns "repeats" into a question that regular expressions answer fast.
    called = (op.id if op.id in apart else op.contents or op.label for op in ops)
    kinds = ((name, inputs[op.id], re.sub(r"\.\d+(?![^.])", ".#", op.module)) for name, op in zip(called, ops))
    word = "".join(letters.setdefault(kind, chr(0x4E00 + len(letters))) for kind in kinds)
    group_of: dict[str, Group] = {}
    for run in re.finditer(rf"(.{{1,{_LONGEST}}}?)\1{{3,}}", word):
        period = len(run[1])
        group = Group("fold", key="repeatedParts", repeats=len(run[0]) // period - 2)
        group_of.update((op.id, group) for op in ops[run.start() + period : run.end() - period])
    return _of_their_own(graph, group_of)


def _of_their_own(graph: Graph, group_of: dict[str, Group]) -> dict[str, Group]:
    """The same without the results, and with those leaves, AccumulateGrad nodes and untracked inputs that nothing
    outside a group uses."""
    taken = {node_id: group for node_id, group in group_of.items() if node_id not in graph.roots}
    for node in reversed(graph.nodes):  # what uses a node comes behind it
        if node.kind in _SMALL and node.id not in graph.roots:
            group, *others = {taken.get(edge.source) for edge in graph.edges_to(node.id)} or {None}
            if group is not None and not others:
                taken[node.id] = group
    return taken


def _rest(graph: Graph, keep: set[str]) -> dict[str, Group]:
    """All but what is to be kept, in two groups: what that was computed from, and what came after. Kept are also
    results, where backward stops, and the few inputs that an operation has for itself."""
    used = set(keep)
    for node in reversed(graph.nodes):  # what uses a node comes behind it
        used |= {edge.target for edge in graph.edges_from(node.id) if node.id in used}
    keep = keep | set(graph.roots) | {node.id for node in graph.nodes if node.stops}
    small = {node.id for node in graph.nodes if node.kind in _SMALL}
    for node_id in list(keep):
        beside = [edge.target for edge in graph.edges_from(node_id) if edge.target in small]
        keep |= set(beside if len(beside) <= _BESIDE else ())
    keep |= {edge.target for edge in graph.edges if edge.kind == "variable" and edge.source in keep}
    before, after = Group("rest"), Group("rest")
    group_of = {node.id: before if node.id in used else after for node in graph.nodes if node.id not in keep}
    group_of = _of_their_own(graph, group_of)
    lonely = {group for group, n in Counter(group_of.values()).items() if n == 1}
    return {node_id: group for node_id, group in group_of.items() if group not in lonely}


def grouped(graph: Graph, group_of: dict[str, Group], inside: str = "", beyond: Collection[str] = ()) -> Graph:
    """`graph` with one node for each group of `group_of`. The ids of these begin with that of the group that they are
    `inside` of, out of which go the results `beyond`."""
    members: dict[Group, list[Node]] = {}
    for node in graph.nodes:
        if node.id in group_of:
            members.setdefault(group_of[node.id], []).append(node)
    # what repeats is told by how often
    members = {group: nodes for group, nodes in members.items() if [node.kind for node in nodes] != ["folded"]}
    taken = Counter(node.id.rstrip("0123456789") for node in graph.nodes if node.kind == "folded")
    begins = [inside + group.prefix for group in members]
    ids = [f"{begin}{i + taken[begin]}" for i, begin in enumerate(begins, 1)]
    used = {edge.target for edge in graph.edges if group_of.get(edge.target) is not group_of.get(edge.source)}
    used.update(beyond)
    made = [_folded(node_id, group, nodes, used) for node_id, (group, nodes) in zip(ids, members.items())]
    return contract(graph, {node.id: one for one, nodes in zip(made, members.values()) for node in nodes})


def contract(graph: Graph, group_of: dict[str, Node]) -> Graph:
    """Draws each group as the one node that `group_of` has for the ids of its members, at the place of the last."""
    last = {group_of[node.id].id: node.id for node in graph.nodes if node.id in group_of}
    edges: dict[tuple[str, str], Edge] = {}
    for edge in graph.edges:
        source, target = (group_of[i].id if i in group_of else None for i in (edge.source, edge.target))
        if source is target is None:
            edges[edge.source, f"{edge.target} {edge.input_nr}"] = edge
        elif source != target:
            source, target = source or edge.source, target or edge.target
            edges.setdefault((source, target), replace(edge, source=source, target=target, output_nr=0))
    seen = ((node, group_of.get(node.id)) for node in graph.nodes)
    nodes = tuple(group or node for node, group in seen if group is None or last[group.id] == node.id)
    return Graph(nodes, tuple(edges.values()), graph.roots)


def _folded(node_id: str, group: Group, members: list[Node], used: set[str]) -> Node:
    """The one node that is drawn for these; `used`: by which others go on."""
    own = [node for node in members if node.kind in ("op", "custom", "leaf")]
    contents = Counter("leaf" if node.kind == "leaf" else node.label for node in own)
    for node in members:
        contents.update(dict(node.contents))
    ops = sum(node.count for node in members if node.kind in ("op", "custom", "folded"))
    held = group.repeats if group.repeats > 1 else ops or contents["leaf"]
    key, n = group.key or ("operations" if ops else "leaves") + "1" * (held == 1), f"{held:,}"
    gave = [node for node in members if node.id in used and node.kind in OPERATIONS]
    result = gave[0] if len(gave) == 1 == group.repeats and not group.cut else Node("", "", "")
    return Node(
        node_id,
        "folded",
        group.label or words(key, n=n)["en"],
        result.names,
        result.tensor,
        count=ops,
        contents=tuple(contents.most_common()),
        repeats=group.repeats,
        module=common([node.module for node in members]),
        calls=beginning(node.calls for node in members if node.kind in OPERATIONS),
        outputs=result.outputs,
        members=tuple(node_id for node in members for node_id in (node.members or (node.id,))),
        words=None if group.label else (key, n),
    )
