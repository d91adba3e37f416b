"""The graph in Mermaid's language, which many sites and editors draw (GitHub, GitLab, JupyterLab)."""

from __future__ import annotations

from collections.abc import Mapping

from ..model.graph import Graph
from .cards import Card, edge_label
from .theme import LOOKS, TEXT

_SHAPES = {
    "leaf": '("{}")',
    "accumulate": '{{{{"{}"}}}}',
    "op": '["{}"]',
    "custom": '[["{}"]]',
    "output": '(["{}"])',
    "untracked": '("{}")',
    "folded": '[["{}"]]',
}
_ARROWS = {"untracked": "-.->", "cut": "-.->"}


def to_mermaid(graph: Graph, cards: Mapping[str, Card], direction: str) -> str:
    """A Mermaid flowchart of `graph`."""
    lines = [f"flowchart {'RL' if direction == 'right' else 'TB'}"]
    for node in graph.nodes:
        label = "<br/>".join(_escape(line.text) for line in cards[node.id].lines)
        lines.append(f"  {node.id}{_SHAPES[node.kind].format(label)}:::{node.kind}")
    for edge in graph.edges:
        label = f"|{edge_label(edge)}|" if edge_label(edge) else ""
        lines.append(f"  {edge.source} {_ARROWS.get(edge.kind, '-->')}{label} {edge.target}")
    for kind, look in LOOKS.items():
        dashed = ",stroke-dasharray:4 3" if look.style == "dashed" else ""
        lines.append(f"  classDef {kind} fill:{look.fill[0]},stroke:{look.line[0]},color:{TEXT[0]}{dashed}")
    return "\n".join(lines) + "\n"


def _escape(text: str) -> str:
    """Mermaid reads ``#60;`` as a character's number; letters and digits of any language need none."""
    return "".join(c if c.isalnum() or c in " _.,+=()" else f"#{ord(c)};" for c in text)
