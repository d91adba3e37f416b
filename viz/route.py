"""The curves of a large graph's edges, drawn between the rows in which Graphviz has put the nodes.

Graphviz bends each edge of a small graph around whatever is near, with care and in a time that grows fast. Rows make
it simple: a curve may do anything in the free space between two rows; where it has to pass a row, it goes straight
through the nearest gap between two boxes that no other edge has taken.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from .cards import Card
from .dot import edge_label
from .graph import Graph
from .render import Curve, Layout, Point

_CLEAR = 7.0  # pixels between an edge and a box, or another edge, that it passes
_ARROW = 8.0


class _Row:
    """One row: from `top` to `bottom` lie boxes; `taken` are the stretches of it that a new edge may not cross."""

    def __init__(self) -> None:
        self.top, self.bottom = float("inf"), float("-inf")
        self.taken: list[tuple[float, float]] = []

    def add(self, x: float, y: float, wide: float, high: float) -> None:
        self.top, self.bottom = min(self.top, y - high / 2), max(self.bottom, y + high / 2)
        insort(self.taken, (x - wide / 2 - _CLEAR, x + wide / 2 + _CLEAR))

    def gap_near(self, x: float) -> float:
        """The free place nearest to `x`; taken from now on."""
        left = right = x
        at = bisect_left(self.taken, (x, float("inf")))
        for start, end in reversed(self.taken[:at]):
            if start < left < end:
                left = start
        for start, end in self.taken[max(at - 1, 0) :]:
            if start < right < end:
                right = end
        found = left if x - left < right - x else right
        insort(self.taken, (found - _CLEAR / 2, found + _CLEAR / 2))
        return found


def route(graph: Graph, cards: Mapping[str, Card], layout: Layout, direction: str) -> Layout:
    """`layout` with a curve for each edge, and large enough for them."""
    turned = direction == "right"  # then edges run from right to left, and the rows are columns

    def turn(point: Point) -> Point:
        return (point[1], -point[0]) if turned else point

    def turn_back(point: Point) -> Point:
        return (-point[1], point[0]) if turned else point

    middles = {node_id: turn(point) for node_id, point in layout.nodes.items()}
    rows: dict[float, _Row] = {}
    half: dict[str, float] = {}
    for node_id, (x, y) in middles.items():
        card = cards[node_id]
        wide, high = (card.height, card.width) if turned else (card.width, card.height)
        rows.setdefault(round(y), _Row()).add(x, y, wide, high)
        half[node_id] = high / 2
    levels = sorted(rows)
    curves = []
    for edge in graph.edges:
        # a frame may hold its nodes so close together that an edge has to run against the others: found from its end
        against = middles[edge.source][1] > middles[edge.target][1]
        upper, lower = (edge.target, edge.source) if against else (edge.source, edge.target)
        (x0, y0), (x1, y1) = middles[upper], middles[lower]
        end = y1 - half[lower] - (0 if against else _ARROW)
        stops = [(x0, y0 + half[upper] + (_ARROW if against else 0)), (x0, rows[round(y0)].bottom + _ARROW)]
        for level in levels[bisect_left(levels, round(y0) + 1) : bisect_left(levels, round(y1))]:
            row, (x, y) = rows[level], stops[-1]
            x = row.gap_near(x + (x1 - x) * (level - y) / (end - y))
            stops += [(x, row.top), (x, row.bottom)]
        stops += [(x1, min(end, rows[round(y1)].top - _ARROW)), (x1, end)]
        tip = (x0, y0 + half[upper]) if against else (x1, y1 - half[lower])
        points = [turn_back(stop) for stop in (reversed(stops) if against else stops)]
        curves.append(_curve(points, turn_back(tip), turned, bool(edge_label(edge))))
    return _grown(replace(layout, edges=tuple(curves)))


def _curve(stops: list[Point], tip: Point, turned: bool, labelled: bool) -> Curve:
    """A Bézier spline through `stops` that crosses each row at a right angle."""
    points = [stops[0]]
    for (ax, ay), (bx, by) in pairwise(stops):
        mid = (ax + bx) / 2 if turned else (ay + by) / 2
        points += [(mid, ay), (mid, by), (bx, by)] if turned else [(ax, mid), (bx, mid), (bx, by)]
    (ax, ay), (bx, by) = stops[1], stops[2]
    return Curve(tuple(points), tip, ((ax + bx) / 2, (ay + by) / 2) if labelled else None)


def _grown(layout: Layout) -> Layout:
    """`layout` moved and enlarged so that no curve leaves it."""
    xs = [x for curve in layout.edges for x, _ in curve.points]
    ys = [y for curve in layout.edges for _, y in curve.points]
    left, top = min(0.0, *xs), min(0.0, *ys)
    right, bottom = max(layout.width, *xs), max(layout.height, *ys)

    def move(point: Point) -> Point:
        return point[0] - left, point[1] - top

    return Layout(
        right - left,
        bottom - top,
        {node_id: move(point) for node_id, point in layout.nodes.items()},
        tuple(
            Curve(tuple(map(move, curve.points)), move(curve.tip), curve.label and move(curve.label))
            for curve in layout.edges
        ),
        {
            name: replace(f, left=f.left - left, top=f.top - top, right=f.right - left, bottom=f.bottom - top)
            for name, f in layout.frames.items()
        },
    )
