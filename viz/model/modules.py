"""Which operations belong to which module.

A node does not know the module that made it. Where the calls of modules were seen, a frame ``model.layer1.0()`` holds
what was computed in that call. Else nobody knows more than that parameters have names (``model.layer1.0.weight``): so a
frame ``model.layer1.0.*`` holds the operations that take parameters of these names, and what lies only between them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise, takewhile
from typing import NamedTuple

from .graph import OPERATIONS, Graph

_VIEWS = {"T", "Transpose", "Permute", "View", "Expand", "Squeeze", "Unsqueeze", "Select", "Slice", "Split", "ToCopy"}


class Call(NamedTuple):
    """A call of a module."""

    module: str  # its path
    before: int  # how many operations of the graph there were when it began
    results: tuple[str, ...]  # the ids of those that made what it gave


def with_calls(graph: Graph, seen: Iterable[Call]) -> Graph:
    """`graph` with the `calls` in which each operation was made; they were `seen` in the order in which they ended."""
    place = {node.id: node.forward for node in graph.nodes if node.forward}
    inside: dict[str, list[str]] = {}
    made: Counter[str] = Counter()
    for module, before, results in seen:
        held: set[str] = set()
        to_see = [*results]
        while to_see:
            node_id = to_see.pop()
            if node_id not in held and place.get(node_id, 0) > before:
                held.add(node_id)
                to_see += (e.target for e in graph.edges_from(node_id))
        made[module] += bool(held)
        name = f"{module}()" if made[module] == 1 else f"{module}() ({made[module]})"
        for node_id in held:
            inside.setdefault(node_id, []).insert(0, name)
    if not inside:
        return graph
    return replace(graph, nodes=tuple(replace(n, calls=tuple(inside.get(n.id, ()))) for n in graph.nodes))


def with_modules(graph: Graph) -> Graph:
    """`graph` with each node's `module` filled in, where calls, or parameters named by a module, tell it."""
    module, called = _owners(graph), {node.id: path_of(node.calls[-1]) for node in graph.nodes if node.calls}
    if not module and not called:
        return graph
    leads_to, comes_from = _reach(graph, module)
    operations = list(leads_to)
    owned = [i for i, node_id in enumerate(operations) if node_id in module]
    for before, after in pairwise(owned):
        shared = common([module[operations[before]], module[operations[after]]])
        for node_id in operations[before + 1 : after]:
            both = leads_to[node_id] & comes_from[node_id]
            module[node_id] = next((path for path in reversed(_around(shared)) if path in both), "")
    seen = set(called.values())  # of these modules nothing need be guessed
    module |= {node_id: "" for node_id in operations if any(holds(path, module.get(node_id, "")) for path in seen)}
    module |= called
    return replace(graph, nodes=tuple(replace(node, module=module.get(node.id, "")) for node in graph.nodes))


def _owners(graph: Graph) -> dict[str, str]:
    """The module whose parameters they are or take, by the ids of leaves, AccumulateGrad nodes and operations."""
    owners: dict[str, list[str]] = {}
    for node in graph.nodes:
        # ``model.fc`` for a parameter called ``model.fc.weight``; and none for `params['fc.weight']`
        if node.kind == "leaf" and node.names and (found := re.fullmatch(r"(\w+).*\.\w+", node.names[0])):
            paths = (name.rpartition(".")[0] for name in node.names)
            owners[node.id] = [path for path in paths if re.match(rf"{found[1]}\b", path)]
    held = Counter(path for paths in owners.values() for path in paths)
    # tied weights tell of neither module; a module that has two names has each of its parameters in both
    twice = {i for i, paths in owners.items() if len({held[path] for path in paths}) == 1 < held[paths[0]]}
    module = {i: paths[0] if i in twice else common(paths) for i, paths in owners.items()}
    # from the leaves up: a parameter seen in another way (a transposed weight) counts as that parameter
    parameter = set(module)
    for node in graph.nodes if module else ():
        taken = [module[edge.target] for edge in graph.edges_from(node.id) if edge.target in parameter]
        if taken:
            module[node.id] = common(taken)
            if node.kind == "accumulate" or node.label.removesuffix("Backward0") in _VIEWS:
                parameter.add(node.id)
    return module


def _reach(graph: Graph, module: dict[str, str]) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """Of each operation, the modules, and those around them, of the operations that use it, near or far; and of those
    that it uses."""
    sets = {path: frozenset(_around(path)) for path in ("", *module.values())}
    operations = [node.id for node in graph.nodes if node.kind in OPERATIONS]
    leads_to, comes_from = dict.fromkeys(operations, sets[""]), dict.fromkeys(operations, sets[""])
    edges = [(edge.source, edge.target) for node_id in operations for edge in graph.edges_from(node_id)]
    for found, pairs in ((comes_from, edges), (leads_to, [(to, user) for user, to in reversed(edges)])):
        for node_id, other in pairs:
            if node_id in found and other in found:
                found[node_id] |= found[other] | sets[module.get(other, "")]
    return leads_to, comes_from


def frames(graph: Graph) -> dict[str, tuple[str, ...]]:
    """By the ids of the nodes in frames: the names of the frames around it, from the outermost; not that of one that
    holds all, nor of one that would stand around a single other.

    A frame holds what a call made that was seen; else operations recorded one after the other. For another call, or
    where the parameters are taken once more after others were, there is another frame, numbered; a parameter stands in
    the first one.
    """
    found: dict[str, list[str]] = {}
    first: dict[str, list[str]] = {}  # by the path of a module
    now: list[tuple[str, str]] = [("", "")]  # (path, name) of the frames that are open
    made: Counter[str] = Counter()
    for node in graph.nodes:
        if node.kind not in OPERATIONS:
            continue
        if not node.calls and not holds(node.module, now[-1][0]):  # else it begins and ends nothing
            while not holds(now[-1][0], node.module):
                now.pop()
            for path in _around(node.module)[len(now) - 1 :]:
                made[path] += 1
                now.append((path, f"{path}.*" if made[path] == 1 else f"{path}.* ({made[path]})"))
        chain = [(path_of(call), call) for call in node.calls] or [f for f in now[1:] if holds(f[0], node.module)]
        names = [name for _, name in chain]
        # a module that is drawn as one node has its name, and no frame
        names = names[: names.index(node.label) if node.label in names else None]
        for i, (path, _) in enumerate(chain, 1):
            first.setdefault(path, names[:i])
        found[node.id] = names
    found |= {n.id: first.get(n.module, []) for n in graph.nodes if n.kind in ("accumulate", "leaf") and n.module}
    found = {node_id: chain for node_id, chain in found.items() if chain}
    held = Counter(name for chain in found.values() for name in chain)
    needless = {*beginning(found.values())}
    needless |= {below for chain in found.values() for name, below in pairwise(chain) if held[name] == held[below]}
    kept = {node_id: tuple(name for name in chain if name not in needless) for node_id, chain in found.items()}
    return {node_id: chain for node_id, chain in kept.items() if chain}


def common(paths: list[str]) -> str:
    """``model.layer1`` for ``model.layer1.0`` and ``model.layer1.1``."""
    return ".".join(beginning([path.split(".") for path in paths]))


def beginning(rows: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """What all of the rows begin with."""
    return tuple(level[0] for level in takewhile(lambda level: len(set(level)) == 1, zip(*rows)))


def path_of(frame: str) -> str:
    """``model.layer1`` of ``model.layer1() (2)`` and of ``model.layer1.* (2)``."""
    return frame.partition("()")[0].partition(".*")[0]


def holds(path: str, inner: str) -> bool:
    """Whether a module's path is that of another or of one around it."""
    return not path or f"{inner}.".startswith(f"{path}.")


def _around(path: str) -> list[str]:
    """``["a", "a.b", "a.b.c"]``: the modules around ``a.b.c``, and itself."""
    return list(accumulate(path.split("."), "{}.{}".format)) if path else []
