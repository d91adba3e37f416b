"""The graph in Graphviz's language, written by the `graphviz` package: the one module that cannot be imported
without it."""

from collections.abc import Mapping
from html import escape

import graphviz

from ..model.graph import Graph, Node
from ..model.modules import frames
from ..settings import reader
from ..strings import clean, width
from .cards import Card, edge_label, gap
from .long import left_out, spans
from .text import by_node
from .theme import EDGE, LETTERS, LOOKS, MARK, TEXT, look_of

DIRECTIONS = {"right": "RL", "up": "TB", "down": "BT"}  # how values flow; edges point the other way, as gradients do
_HUGE = 400  # nodes
_BENT = 1_000  # rows that all edges together may pass: to bend longer ones around boxes takes too long
_STYLES = {"rounded": "rounded,filled", "pill": "rounded,filled", "double": "filled", "stacked": "filled"}


def to_dot(graph: Graph, cards: Mapping[str, Card], direction: str, words: bool = True) -> graphviz.Digraph:
    """The `graph` as Graphviz is given it: each node as large as its card, and the `words` on it, without which it is
    laid out in the same way and no fonts are needed.

    Without words the edges that `left_out` names are not there; with words they all are, as straight lines where many
    are long.
    """
    dot = graphviz.Digraph("autograd")
    # Small: inputs in their order. Large: a hundred rounds of Graphviz's polishing, which may otherwise take minutes.
    # Huge: none of where boxes stand in their rows; it would take hundreds to do any good, and makes the picture wide.
    rounds = f"{100 / len(graph.nodes):.6f}"
    places = rounds if len(graph.nodes) <= _HUGE else "0"
    care = {"nslimit": places, "nslimit1": rounds, "mclimit": rounds} if len(graph.nodes) > 30 else {"ordering": "out"}
    if words and sum(spans(graph)) > _BENT:
        care["splines"] = "line"
    rows = f"{gap(graph, direction):g}"
    fonts = {"fontname": "Helvetica,Arial,sans-serif", "fontsize": "11", "fontcolor": TEXT[0]} if words else {}
    dot.attr("graph", rankdir=DIRECTIONS[direction], nodesep="0.2", ranksep=rows, **care, **fonts)
    dot.attr("node", shape="box", fixedsize="true", label="", **fonts)
    dot.attr("edge", arrowsize="0.7", color=EDGE[0], **fonts)
    around = frames(graph)
    _enframe(dot, around, words, "b" if direction == "down" else "t")
    told = by_node(graph, reader()) if words else {}
    # rows down from the parameters of a node in its frame, as ``w.T``; and the same where there is nothing but those
    row, alone = dict[str, int](), dict[str, int]()
    for node in graph.nodes:  # what it leads to comes before it
        edges = graph.edges_from(node.id)
        near = [alone.get(e.target, 0) for e in edges if around.get(e.target) == around.get(node.id)]
        row[node.id] = 1 + max(near, default=0)
        if node.kind == "leaf" or (all(near) and 0 < len(near) == len(edges)):
            alone[node.id] = row[node.id]
        card = cards[node.id]
        said = _words(node, card, told[node.id]) if words else {}
        dot.node(node.id, width=f"{card.width / 72:.4f}", height=f"{card.height / 72:.4f}", **said)
    spared = () if words else left_out(graph)
    for number, edge in enumerate(graph.edges):
        if number in spared:
            continue
        attributes = {"id": str(number)}
        frame = around.get(edge.source, ()) if edge.kind == "next" and direction != "right" else ()
        if around.get(edge.target, ())[: len(frame)] != frame:
            attributes["minlen"] = str(row[edge.source])  # nothing of another frame stands beside its parameters
        if edge_label(edge):
            attributes["label"] = _sized(edge_label(edge), words, mono=True)
        if words and edge.kind == "untracked":
            attributes["style"] = "dashed"
        dot.edge(edge.source, edge.target, **attributes)
    return dot


def _words(node: Node, card: Card, told: list[str]) -> dict[str, str]:
    """What is written on a node, and how it looks."""
    look = LOOKS[look_of(node)]
    return {
        "label": graphviz.nohtml("\\n".join(map(_escape, card.lines))),
        "shape": look.shape,
        "style": _STYLES.get(look.style, f"{look.style},filled"),
        "peripheries": "2" if look.style == "double" else "1",
        "fillcolor": look.fill[0],
        "color": MARK[0] if node.stops else look.line[0],
        "tooltip": _escape("; ".join(told)),
    }


def _enframe(dot: graphviz.Digraph, chains: Mapping[str, tuple[str, ...]], words: bool, place: str) -> None:
    """The frames around nodes, by the ids of these; `place`: of their labels, as Graphviz has it before it turns the
    whole."""
    for name in dict.fromkeys(chain[0] for chain in chains.values() if chain):
        inside = {node_id: chain[1:] for node_id, chain in chains.items() if chain and chain[0] == name}
        with dot.subgraph(name=f"cluster {clean(name, limit=1000)}") as inner:
            label = _sized(clean(name), words)
            inner.attr(label=label, labelloc=place, labeljust="l", margin="9", style="rounded", color=EDGE[0])
            for node_id, chain in inside.items():
                if not chain:
                    inner.node(node_id)
            _enframe(inner, inside, words, place)


def _sized(text: str, words: bool, mono: bool = False) -> str:
    """A label as wide as `text` is on our pictures, with it or without: an HTML table, measured without fonts."""
    letters = LETTERS["code" if mono else "note"]
    size = f'WIDTH="{width(text, letters.size, mono) + 8:.0f}" HEIGHT="{letters.line:.0f}"'
    said = escape(text) if words else ""
    return f'<<TABLE BORDER="0" CELLPADDING="0" FIXEDSIZE="TRUE" {size}><TR><TD>{said}</TD></TR></TABLE>>'


def _escape(text: str) -> str:
    """`text` as Graphviz shall show it: no escape sequence, no HTML entity, no HTML label."""
    return graphviz.escape(text.replace("&", "&amp;"))
