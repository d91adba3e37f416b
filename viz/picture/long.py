"""The long edges of a large graph, which Graphviz is spared.

For Graphviz an edge that passes a hundred rows is a hundred nodes more: a weight that each step of an unrolled loop
uses would make the layout take a time that grows with the square of the steps. An edge can be left out without moving
any row, as long as each node keeps one that comes from the row right above it; `route` draws it all the same.
"""

from __future__ import annotations

from collections import Counter

from ..model.graph import Graph

LONG = 8  # rows: a shorter edge helps Graphviz to put together what belongs together
SEVERAL = 3  # long edges to one node: they run together, so that none needs a place of its own
_MOST = 4000  # rows that all edges together may pass
_MANY = 60  # nodes
_FAR = 300  # rows that all edges together pass


def is_large(graph: Graph) -> bool:
    """Whether Graphviz would take long for the edges, so that `route` draws them: a few edges of many nodes, or many
    of few nodes, as where each value is used in all that come after it."""
    return len(graph.nodes) > _MANY or passed(graph) > _FAR


def left_out(graph: Graph) -> set[int]:
    """The numbers of the edges that are long and lead where several long ones do; then the longest of the rest, until
    what remains passes few rows."""
    row = rows(graph)
    spans = {number: row[edge.target] - row[edge.source] for number, edge in enumerate(graph.edges)}
    longs = [number for number, span in spans.items() if span > LONG]
    together = Counter(graph.edges[number].target for number in longs)
    out = {number for number in longs if together[graph.edges[number].target] >= SEVERAL}
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
