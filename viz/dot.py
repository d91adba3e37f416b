"""The graph in Graphviz's language, written by the `graphviz` package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import graphviz

from .cards import CODE, LINE, Card
from .graph import Edge, Graph
from .long import left_out
from .strings import clean, width
from .theme import EDGE, LOOKS, TEXT

DIRECTIONS = {"right": "RL", "up": "TB"}  # how values flow; edges point the other way, as gradients do
_MANY = 60  # nodes
_STYLES = {"rounded": "rounded,filled", "pill": "rounded,filled", "double": "filled", "stacked": "filled"}


def is_large(graph: Graph) -> bool:
    """Whether Graphviz would take long for the edges, so that `route` draws them."""
    return len(graph.nodes) > _MANY


def to_dot(
    graph: Graph, cards: Mapping[str, Card], direction: str, for_layout: bool = False, roomy: bool = False
) -> str:
    """DOT of `graph`; `roomy` leaves room for a gradient on each edge.

    Read by people and by any Graphviz program as it is; `for_layout` leaves out the text and gives each node the
    size of its card instead, so that laying out needs no fonts.
    """
    dot = graphviz.Digraph("autograd")
    # Small: inputs in their order. Large: less of Graphviz's polishing, which may otherwise take minutes.
    limit = f"{100 / len(graph.nodes):.2f}"
    care = {"ordering": "out"} if len(graph.nodes) <= 30 else {"nslimit": limit, "nslimit1": limit, "mclimit": limit}
    if for_layout and is_large(graph):
        care["splines"] = "none"
    gap = "0.72" if roomy and direction == "right" else "0.42"
    dot.attr("graph", rankdir=DIRECTIONS[direction], nodesep="0.28", ranksep=gap, **care)
    dot.attr("node", fontname="Helvetica,Arial,sans-serif", fontsize="12", margin="0.16,0.08")
    dot.attr("edge", arrowsize="0.7", color=EDGE[0])
    if for_layout:  # before any node is named: defaults hold from there on
        dot.attr("node", label="", shape="box", fixedsize="true")
    frames = clusters(graph)
    for path, inside in frames.items():
        parents = [p for p in frames if path.startswith(f"{p}.")]
        _cluster(dot, path, parents, inside, for_layout)
    if for_layout:
        dot.body += _boxes(graph, cards)
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


def _boxes(graph: Graph, cards: Mapping[str, Card]) -> Iterator[str]:
    """Lines of DOT: each node as a box of its card's size, and the edges that Graphviz shall mind. They hold nothing
    but our own ids and numbers, so nothing needs to be quoted."""
    for node in graph.nodes:
        card = cards[node.id]
        yield f"\t{node.id} [width={card.width / 72:.4f} height={card.height / 72:.4f}]\n"
    spared = left_out(graph) if is_large(graph) else ()
    for number, edge in enumerate(graph.edges):
        if number not in spared:
            room = "" if is_large(graph) else _room(edge)
            yield f"\t{edge.source} -> {edge.target} [id={number}{room}]\n"


def clusters(graph: Graph) -> dict[str, list[str]]:
    """The modules that are drawn as frames, by path, with the ids of their nodes: not the one that holds all."""
    inside: dict[str, list[str]] = {}
    for node in graph.nodes:
        if node.module:
            inside.setdefault(node.module, []).append(node.id)
    several = len({path.partition(".")[0] for path in inside}) > 1
    return {path: inside[path] for path in sorted(inside) if several or "." in path}


def _cluster(dot: graphviz.Digraph, path: str, parents: list[str], inside: list[str], for_layout: bool) -> None:
    """A frame around the nodes of a module, inside the frames of the modules that it is part of."""
    inner = graphviz.Digraph(f"cluster {path}")
    label = _empty(width(path, CODE) + 8) if for_layout else _escape(clean(path))
    inner.attr(label=label, labeljust="l", margin="9", style="rounded", color=EDGE[0])
    for node_id in inside:
        inner.node(node_id)
    for parent in sorted(parents, key=len, reverse=True):
        outer = graphviz.Digraph(f"cluster {parent}")
        outer.subgraph(inner)
        inner = outer
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
