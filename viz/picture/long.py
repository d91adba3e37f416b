"""The long edges of a large graph, which Graphviz is spared.

For Graphviz an edge that passes a hundred rows is a hundred nodes more: a weight that each step of an unrolled loop
uses would make the layout take a time that grows with the square of the steps. An edge can be left out without moving
any row, as long as each node keeps one that comes from the row right above it; it is drawn here all the same, down a
rail beside the picture that it shares with the others to the same node.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from ..model.graph import Graph
from .cards import Card
from .render import Curve, Layout, Point

_LONG = 8  # rows: a shorter edge helps Graphviz to put together what belongs together
_SEVERAL = 3  # long edges to one node
_MOST = 4000  # rows that all edges together may pass
_MANY = 60  # nodes
_FAR = 300  # rows that all edges together pass
_ARROW, _RAIL = 8.0, 14.0  # pixels: of an arrow, and from one rail to the next


def is_large(graph: Graph) -> bool:
    """Whether Graphviz would take long for the edges: a few edges of many nodes, or many of few nodes, as where each
    value is used in all that come after it."""
    return len(graph.nodes) > _MANY or passed(graph) > _FAR


def left_out(graph: Graph) -> set[int]:
    """The numbers of the edges of a large graph that are long and lead where several long ones do; then the longest of
    the rest, until what remains passes few rows."""
    if not is_large(graph):
        return set()
    row = rows(graph)
    spans = {number: row[edge.target] - row[edge.source] for number, edge in enumerate(graph.edges)}
    longs = [number for number, span in spans.items() if span > _LONG]
    together = Counter(graph.edges[number].target for number in longs)
    out = {number for number in longs if together[graph.edges[number].target] >= _SEVERAL}
    passed = sum(span for number, span in spans.items() if number not in out)
    for number in sorted(set(longs) - out, key=spans.__getitem__, reverse=True):
        if passed <= _MOST:
            break
        out.add(number)
        passed -= spans[number]
    return out


def passed(graph: Graph) -> int:
    """How many rows all edges together pass, each of which would be a node to Graphviz."""
    row = rows(graph)
    return sum(row[edge.target] - row[edge.source] - 1 for edge in graph.edges)


def rows(graph: Graph) -> dict[str, int]:
    """For each node the length of the longest way to it from a node that nothing uses."""
    row = dict.fromkeys((node.id for node in graph.nodes), 0)
    for node in reversed(graph.nodes):  # what uses a node comes behind it
        for edge in graph.edges_from(node.id):
            row[edge.target] = max(row[edge.target], row[node.id] + 1)
    return row


def with_long(graph: Graph, cards: Mapping[str, Card], layout: Layout, direction: str, gap: float) -> Layout:
    """`layout` with the edges that were `left_out`, as large as it is with them; `gap`: pixels from row to row."""
    missing = [number for number in range(len(graph.edges)) if number not in layout.edges]
    if not missing:
        return layout
    right = direction == "right"  # then edges run to the left, and the rails lie below
    rails = list(dict.fromkeys(graph.edges[number].target for number in missing))
    along = 1 if direction == "up" or right else -1
    edges = dict(layout.edges)

    def turn(x: float, y: float) -> Point:
        return (-y, x) if right else (x, y * along)

    def start(node_id: str) -> tuple[float, float, float]:
        (x, y), card = layout.nodes[node_id], cards[node_id]
        return (y, -x, card.width / 2) if right else (x, y * along, card.height / 2)

    for number in missing:
        edge = graph.edges[number]
        (x0, y0, half0), (x1, y1, half1) = start(edge.source), start(edge.target)
        rail = (layout.height if right else layout.width) + _RAIL * (rails.index(edge.target) + 1)
        top, bottom, turns = y0 + half0, y1 - half1, gap / 2
        points = [(x0, top), (x0, top + turns), (rail, top), (rail, top + gap)]
        points += [(rail, top + gap), (rail, bottom - gap), (rail, bottom - gap)]
        points += [(rail, bottom - _ARROW), (x1, bottom - turns - _ARROW), (x1, bottom - _ARROW)]
        edges[number] = Curve(tuple(turn(*point) for point in points), turn(x1, bottom), None)
    beside = _RAIL * (len(rails) + 1)
    return replace(
        layout,
        edges=dict(sorted(edges.items())),
        width=layout.width + beside * (not right),
        height=layout.height + beside * right,
    )
