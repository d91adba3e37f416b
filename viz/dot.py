"""The graph in Graphviz's language, written by the `graphviz` package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import graphviz

from .cards import CODE, LINE, Card
from .graph import Edge, Graph
from .long import left_out, passed
from .modules import Call, calls, lengths
from .strings import clean, width
from .theme import EDGE, LOOKS, TEXT

DIRECTIONS = {"right": "RL", "up": "TB"}  # how values flow; edges point the other way, as gradients do
_MANY, _HUGE = 60, 400  # nodes
_LONG = 300  # rows that all edges together pass
_STYLES = {"rounded": "rounded,filled", "pill": "rounded,filled", "double": "filled", "stacked": "filled"}


def is_large(graph: Graph) -> bool:
    """Whether Graphviz would take long for the edges, so that `route` draws them: a few edges of many nodes, or many
    of few nodes, as where each value is used in all that come after it."""
    return len(graph.nodes) > _MANY or passed(graph) > _LONG


def gap(graph: Graph, direction: str, roomy: bool = False) -> float:
    """Inches between one row of nodes and the next. `roomy` leaves room for a gradient on each edge, which lies across
    the edges of a picture that goes right: one without brackets is short."""
    if not roomy or direction != "right":
        return 0.42
    return 1.9 if any(node.tensor.shape for node in graph.nodes if node.tensor) else 0.72


def to_dot(
    graph: Graph, cards: Mapping[str, Card], direction: str, for_layout: bool = False, roomy: bool = False
) -> str:
    """DOT of `graph`; `roomy`: see `gap`.

    Read by people and by any Graphviz program as it is; `for_layout` leaves out the text and gives each node the
    size of its card instead, so that laying out needs no fonts.
    """
    dot = graphviz.Digraph("autograd")
    # Small: inputs in their order. Large: a hundred rounds of Graphviz's polishing, which may otherwise take minutes.
    # Huge: none of where boxes stand in their rows; it would take hundreds to do any good, and makes the picture wide.
    rounds = f"{100 / len(graph.nodes):.6f}"
    places = rounds if len(graph.nodes) <= _HUGE else "0"
    care = {"nslimit": places, "nslimit1": rounds, "mclimit": rounds} if len(graph.nodes) > 30 else {"ordering": "out"}
    if for_layout and is_large(graph):
        care["splines"] = "none"
    rows = f"{gap(graph, direction, roomy):g}"
    dot.attr("graph", rankdir=DIRECTIONS[direction], nodesep="0.28", ranksep=rows, **care)
    dot.attr("node", fontname="Helvetica,Arial,sans-serif", fontsize="12", margin="0.16,0.08")
    dot.attr("edge", arrowsize="0.7", color=EDGE[0])
    if for_layout:  # before any node is named: defaults hold from there on
        dot.attr("node", label="", shape="box", fixedsize="true")
    frames = calls(graph)
    for call in frames:
        _cluster(dot, call, for_layout)
    if for_layout:
        dot.body += _boxes(graph, cards, lengths(graph, frames) if direction == "up" else {})
        return dot.source
    for node in graph.nodes:
        look, card = LOOKS[node.kind], cards[node.id]
        dot.node(
            node.id,
            label=_label(card),
            shape=look.shape,
            style=_STYLES.get(look.style, f"{look.style},filled"),
            peripheries="2" if look.style == "double" else "1",
            fillcolor=look.fill[0],
            color=look.line[0],
            fontcolor=TEXT[0],
            tooltip=_escape(card.tooltip.replace("\n", "; ")),
        )
    for edge in graph.edges:
        label = {"label": edge_label(edge)} if edge_label(edge) else {}
        dashed = {"style": style} if (style := {"untracked": "dashed", "cut": "dotted"}.get(edge.kind)) else {}
        dot.edge(edge.source, edge.target, **label, **dashed)
    return dot.source


def _boxes(graph: Graph, cards: Mapping[str, Card], rows: Mapping[int, int]) -> Iterator[str]:
    """Lines of DOT: each node as a box of its card's size, and the edges that Graphviz shall mind. They hold nothing
    but our own ids and numbers, so nothing needs to be quoted."""
    for node in graph.nodes:
        card = cards[node.id]
        yield f"\t{node.id} [width={card.width / 72:.4f} height={card.height / 72:.4f}]\n"
    spared = left_out(graph) if is_large(graph) else ()
    for number, edge in enumerate(graph.edges):
        if number not in spared:
            room = "" if is_large(graph) else _room(edge)
            room += f" minlen={rows[number]}" if number in rows else ""
            yield f"\t{edge.source} -> {edge.target} [id={number}{room}]\n"


def _cluster(dot: graphviz.Digraph, call: Call, for_layout: bool) -> None:
    """A frame around what a call of a module holds, and the frames in it."""
    inner = graphviz.Digraph(f"cluster {call.name}")
    label = _empty(width(call.name, CODE) + 8) if for_layout else _escape(clean(call.name))
    inner.attr(label=label, labeljust="l", margin="9", style="rounded", color=EDGE[0])
    for node_id in call.nodes:
        inner.node(node_id)
    for other in call.inside:
        _cluster(inner, other, for_layout)
    dot.subgraph(inner)


def edge_label(edge: Edge) -> str:
    """What is written on an edge: which output it takes, where that is not the first; a cut."""
    if edge.kind == "cut":
        return "detached"
    return f"output {edge.output_nr}" if edge.output_nr else ""


def _room(edge: Edge) -> str:
    """Room for an edge's label."""
    label = edge_label(edge)
    return f" label={_empty(width(label, CODE, mono=True) + 8)}" if label else ""


def _empty(wide: float) -> str:
    """An empty label of a given width: an HTML table, because that needs no font to be measured."""
    size = f'WIDTH="{wide:.0f}" HEIGHT="{LINE["code"]:.0f}"'
    return f'<<TABLE BORDER="0" FIXEDSIZE="TRUE" {size}><TR><TD></TD></TR></TABLE>>'


def _label(card: Card) -> str:
    return graphviz.nohtml("\\n".join(_escape(line.text) for line in card.lines))


def _escape(text: str) -> str:
    """`text` as Graphviz shall show it: no escape sequence, no HTML entity, no HTML label."""
    return graphviz.nohtml(text.replace("&", "&amp;").replace("\\", "\\\\"))
