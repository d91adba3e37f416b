"""The long edges of a large graph, which Graphviz is spared.

For Graphviz an edge that passes a hundred rows is a hundred nodes more: a weight that each step of an unrolled loop
uses would make the layout take a time that grows with the square of the steps. Left out, such an edge moves no row,
for each node keeps an edge from the row right above it. It is drawn here all the same, as an arc beside the picture.
"""

from collections.abc import Mapping
from dataclasses import replace

from ..model.graph import Graph
from .cards import Card
from .render import Curve, Layout, Point

_LONG = 12  # rows: a shorter edge helps Graphviz to put together what belongs together
_MANY = 60  # nodes
_FAR = 300  # rows that all edges together pass
_ARROW, _BESIDE = 8.0, 48.0  # pixels: of an arrow, and as far as arcs go


def is_large(graph: Graph) -> bool:
    """Whether Graphviz would take long for the edges: a few edges of many nodes, or many of few nodes, as where each
    value is used in all that come after it."""
    return len(graph.nodes) > _MANY or sum(spans(graph)) > _FAR


def left_out(graph: Graph) -> set[int]:
    """The numbers of the long edges of a large graph."""
    return {number for number, span in enumerate(spans(graph)) if span > _LONG} if is_large(graph) else set()


def spans(graph: Graph) -> list[int]:
    """How many rows each edge passes, where each node stands as far down as the longest way to it."""
    row = dict.fromkeys((node.id for node in graph.nodes), 0)
    for node in reversed(graph.nodes):  # what uses a node comes behind it
        for edge in graph.edges_from(node.id):
            row[edge.target] = max(row[edge.target], row[node.id] + 1)
    return [row[edge.target] - row[edge.source] - 1 for edge in graph.edges]


def with_long(graph: Graph, cards: Mapping[str, Card], layout: Layout, direction: str) -> Layout:
    """`layout` with the edges that were `left_out`, as large as it is with them."""
    missing = [number for number in range(len(graph.edges)) if number not in layout.edges]
    if not missing:
        return layout

    def turned(x: float, y: float) -> Point:  # arcs run beside a picture; below one that goes right
        return (y, x) if direction == "right" else (x, y)

    across, along = turned(layout.width, layout.height)
    edge = across + _BESIDE
    edges = dict(layout.edges)
    for number in missing:
        ends = (graph.edges[number].source, graph.edges[number].target)
        (x0, y0), (x1, y1) = (turned(*layout.nodes[node_id]) for node_id in ends)
        half0, half1 = (turned(cards[node_id].width, cards[node_id].height)[0] / 2 for node_id in ends)
        points = (x0 + half0, y0), (edge, y0), (edge, y1), (x1 + half1 + _ARROW, y1)
        edges[number] = Curve(tuple(turned(*point) for point in points), turned(x1 + half1, y1), None)
    width, height = turned(edge, along)
    return replace(layout, edges=dict(sorted(edges.items())), width=width, height=height)
