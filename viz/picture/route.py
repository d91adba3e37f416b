"""The curves of a large graph's edges, drawn between the rows in which Graphviz has put the nodes.

Graphviz bends each edge of a small graph around whatever is near, with care and in a time that grows fast. Rows make
it simple: a curve may do anything in the free space between two rows; where it has to pass a row, it goes straight
through the nearest gap between two boxes that no other edge has taken. Where several long edges lead to one node, as
from each step of a loop to its weight, the longest goes all the way and the others run into it.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import accumulate, pairwise

from ..model.graph import Edge, Graph
from .cards import Card, edge_label
from .long import LONG, SEVERAL
from .render import Curve, Layout, Point

_CLEAR = 7.0  # pixels between an edge and a box, or another edge, that it passes
_ARROW = 8.0
_MOST = 30_000  # rows that all edges together pass through gaps; beyond that the longest run straight, behind the boxes


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
        for i in range(at - 1, -1, -1):
            start, end = self.taken[i]
            if end <= left:
                break
            left = min(left, start)
        for i in range(max(at - 1, 0), len(self.taken)):
            start, end = self.taken[i]
            if start >= right:
                break
            right = max(right, end)
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
    by_level: dict[float, _Row] = {}
    half: dict[str, float] = {}
    for node_id, (x, y) in middles.items():
        card = cards[node_id]
        wide, high = (card.height, card.width) if turned else (card.width, card.height)
        by_level.setdefault(round(y), _Row()).add(x, y, wide, high)
        half[node_id] = high / 2
    levels = sorted(by_level)
    rows = [by_level[level] for level in levels]
    floor = {node_id: bisect_left(levels, round(y)) for node_id, (_, y) in middles.items()}
    joins, straight = _shortened(graph, floor)

    def whole_way(number: int, edge: Edge) -> list[Point]:
        """Where the edge leaves its upper box and that box's row, enters and leaves each row, and ends."""
        upper, lower = _ends(edge, floor)
        against = upper != edge.source
        (x0, y0), (x1, y1) = middles[upper], middles[lower]
        end = y1 - half[lower] - (0 if against else _ARROW)
        stops = [(x0, y0 + half[upper] + (_ARROW if against else 0)), (x0, rows[floor[upper]].bottom + _ARROW)]
        for row, level in () if number in straight else _between(rows, levels, floor[upper], floor[lower]):
            x, y = stops[-1]
            x = row.gap_near(x + (x1 - x) * (level - y) / (end - y))
            stops += [(x, row.top), (x, row.bottom)]
        return [*stops, (x1, min(end, rows[floor[lower]].top - _ARROW)), (x1, end)]

    def join(edge: Edge, other: int) -> list[Point]:
        """Where the edge leaves its box and its row, and where it runs into the `other`."""
        at, (x, y) = floor[edge.source], middles[edge.source]
        start = (x, y + half[edge.source]), (x, rows[at].bottom + _ARROW)
        return [*start, ways[other][2 + 2 * (at - floor[graph.edges[other].source])]]

    ways = {number: whole_way(number, edge) for number, edge in enumerate(graph.edges) if number not in joins}
    curves = []
    for number, edge in enumerate(graph.edges):
        stops = join(edge, joins[number]) if number in joins else ways[number]
        upper, lower = _ends(edge, floor)
        against = upper != edge.source
        (x0, y0), (x1, y1) = middles[upper], middles[lower]
        tip = turn_back((x0, y0 + half[upper]) if against else (x1, y1 - half[lower]))
        points = [turn_back(stop) for stop in (reversed(stops) if against else stops)]
        curves.append(_curve(points, None if number in joins else tip, turned, bool(edge_label(edge))))
    return _grown(replace(layout, edges=tuple(curves)))


def _ends(edge: Edge, floor: Mapping[str, int]) -> tuple[str, str]:
    """The upper and the lower end of an edge. A frame may hold its nodes so close together that an edge has to run
    against the others: it is drawn from its end."""
    against = floor[edge.source] > floor[edge.target]
    return (edge.target, edge.source) if against else (edge.source, edge.target)


def _between(rows: list[_Row], levels: list[float], upper: int, lower: int) -> Iterator[tuple[_Row, float]]:
    return zip(rows[upper + 1 : lower], levels[upper + 1 : lower])


def _shortened(graph: Graph, floor: Mapping[str, int]) -> tuple[dict[int, int], set[int]]:
    """By their numbers: the edges that run into another, and into which; the edges that run straight."""
    spans = {number: floor[edge.target] - floor[edge.source] for number, edge in enumerate(graph.edges)}
    long: dict[str, list[int]] = {}
    for number, span in spans.items():
        if span > LONG:
            long.setdefault(graph.edges[number].target, []).append(number)
    joins: dict[int, int] = {}
    for numbers in long.values():
        if len(numbers) >= SEVERAL:
            longest = max(numbers, key=spans.__getitem__)
            joins.update((number, longest) for number in numbers if number != longest)
    alone = sorted(spans.keys() - joins.keys(), key=lambda number: abs(spans[number]))
    passed = accumulate(abs(spans[number]) for number in alone)
    return joins, {number for number, total in zip(alone, passed) if total > _MOST} - set(joins.values())


def _curve(stops: list[Point], tip: Point | None, turned: bool, labelled: bool) -> Curve:
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
            Curve(tuple(map(move, curve.points)), curve.tip and move(curve.tip), curve.label and move(curve.label))
            for curve in layout.edges
        ),
        {
            name: replace(f, left=f.left - left, top=f.top - top, right=f.right - left, bottom=f.bottom - top)
            for name, f in layout.frames.items()
        },
    )
