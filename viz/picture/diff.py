"""Two graphs side by side, what differs marked: two libraries, or one program before and after a change."""

from __future__ import annotations

import difflib
from collections.abc import Hashable
from dataclasses import dataclass
from html import escape

from ..language import said, spoken
from ..model.graph import Graph
from ..settings import options
from ..strings import clean
from .picture import Picture, Shown
from .svg import side_by_side


@dataclass(frozen=True)
class Pairs:
    """Which nodes of two graphs correspond: `same` maps ids of the first to ids of the second; the rest differ."""

    same: dict[str, str]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]


def pair(a: Graph, b: Graph) -> Pairs:
    """Pairs the nodes that are equal in kind, name, shape and value and lead to paired nodes, in forward order."""
    words_a, words_b = _words(a), _words(b)
    same: dict[str, str] = {}
    matcher = difflib.SequenceMatcher(None, words_a, words_b, autojunk=False)
    for block in matcher.get_matching_blocks():
        for i in range(block.size):
            same[a.nodes[block.a + i].id] = b.nodes[block.b + i].id
    while wrong := [x for x, y in same.items() if not _same_inputs(a, b, x, y, same)]:
        for node_id in wrong:
            del same[node_id]
    found = set(same.values())
    return Pairs(
        same,
        tuple(node.id for node in a.nodes if node.id not in same),
        tuple(node.id for node in b.nodes if node.id not in found),
    )


def _words(graph: Graph) -> list[Hashable]:
    """What a node is, without its id, which counts and so changes where a node is added before it."""
    return [
        (n.kind, n.label if n.label != n.id else n.kind, n.names, n.tensor, n.grad, n.saved, n.hooks, n.contents)
        for n in graph.nodes
    ]


def _same_inputs(a: Graph, b: Graph, x: str, y: str, same: dict[str, str]) -> bool:
    """Whether x's edges in a lead to the partners of where y's edges in b lead."""
    edges_a = [(same.get(e.target), e.kind, e.input_nr, e.output_nr) for e in a.edges_from(x)]
    edges_b = [(e.target, e.kind, e.input_nr, e.output_nr) for e in b.edges_from(y)]
    return edges_a == edges_b


class Difference(Shown):
    """What `diff` gives: shown by a notebook as two pictures with the nodes that differ marked, printed as text."""

    def __init__(self, a: Picture, b: Picture) -> None:
        self.pairs = pair(a.graph, b.graph)
        self._a = a.marked(self.pairs.only_a)
        self._b = b.marked(self.pairs.only_b)

    @property
    def equal(self) -> bool:
        """Whether the graphs are the same: nodes, names, edges, values."""
        return not self.pairs.only_a and not self.pairs.only_b

    @property
    def text(self) -> str:
        """One line if the graphs are equal, else the lines that differ, as in a unified diff."""
        if self.equal:
            return self._title("en")
        lines = [self._title("en")]
        for sign, graph, ids in (("-", self._a.graph, self.pairs.only_a), ("+", self._b.graph, self.pairs.only_b)):
            for node_id in ids:
                node = graph.node(node_id)
                value = f" {node.tensor.value or node.tensor.shape}" if node.tensor else ""
                value = "" if value.strip() == node.label else value
                grad = f" grad {node.grad.value or node.grad.shape}" if node.grad else ""
                targets = ", ".join(
                    clean(graph.node(e.target).label) + (f"[{e.output_nr}]" if e.output_nr else "")
                    for e in graph.edges_from(node_id)
                )
                arrow = f" -> {targets}" if targets else ""
                op = node.kind in ("op", "custom")
                results = "".join(f", {clean(name)}.grad_fn" for name in node.names) if op else ""
                lines.append(f"{sign} {node_id} {clean(node.label)}{results}{value}{grad}{arrow}")
        return "\n".join(lines)

    @property
    def told(self) -> str:
        """The same in the reader's language; in English where none is known."""
        return self.alt if len(spoken(options.language)) == 1 else self.text

    @property
    def alt(self) -> str:
        """What `text` says, in the reader's language: the first line in both where none is known."""
        title = " · ".join(map(self._title, spoken(options.language)))
        return f"{title}\n{self.text.partition(chr(10))[2]}".rstrip()

    def _title(self, lang: str) -> str:
        if self.equal:
            return said(lang, "equalGraphs", n=len(self._a.graph.nodes))
        return said(lang, "graphsDiffer", a=len(self.pairs.only_a), b=len(self.pairs.only_b))

    @property
    def svg(self) -> str:
        """Both pictures in one SVG. Raises `LayoutError`."""
        return side_by_side([("a", self._a.svg), ("b", self._b.svg)], escape(self.alt))
