"""What is written on each node, and how large a box that needs."""

from __future__ import annotations

from dataclasses import dataclass

from .graph import Graph, Node
from .strings import clean, width
from .theme import LOOKS
from .values import TensorInfo, shape_text

TITLE, CODE = 13.0, 11.0  # font sizes in pixels
LINE = {"title": 18.0, "name": 17.0, "code": 15.0}
_PADDING = {"hexagon": (20.0, 7.0), "stacked": (17.0, 11.0)}  # room left of and above the text, for its outline
_BOX = (13.0, 7.0)


@dataclass(frozen=True)
class Line:
    """One line of text; `style` is ``title`` (bold), ``name`` or ``code`` (small, monospaced)."""

    text: str
    style: str

    @property
    def size(self) -> float:
        return CODE if self.style == "code" else TITLE

    @property
    def width(self) -> float:
        # bold letters are a little wider
        return width(self.text, self.size, self.style == "code") * (1.06 if self.style == "title" else 1)


@dataclass(frozen=True)
class Card:
    """The lines on a node, its size in pixels, and the tooltip that says the rest."""

    lines: tuple[Line, ...]
    width: float
    height: float
    tooltip: str


def card(node: Node) -> Card:
    """The card of `node`, large enough for the shape that its kind is drawn in."""
    lines = tuple(_lines(node))
    look = LOOKS[node.kind]
    across, down = _PADDING.get(look.shape) or _PADDING.get(look.style, _BOX)
    wide = max(line.width for line in lines) + 2 * across
    high = sum(LINE[line.style] for line in lines) + 2 * down
    return Card(lines, round(max(wide, 44.0), 1), round(high, 1), tooltip(node))


def _lines(node: Node) -> list[Line]:
    if node.kind == "op" or node.kind == "custom":
        # the very expression a reader can type to get this node
        results = [Line(f"{clean(name, 24)}.grad_fn", "code") for name in node.names[:3]]
        return [Line(clean(node.label), "name"), *results]
    if node.kind == "accumulate":
        name = clean(node.names[0], 24) if node.names else ""
        return [Line(clean(node.label), "name"), Line(f"{name}.grad += g", "code")]
    if node.kind == "folded":
        kinds = [Line(f"{clean(name)} ×{count:,}", "code") for name, count in node.contents[:4]]
        more = [Line(f"… {len(node.contents) - 4} more kinds", "code")] if len(node.contents) > 4 else []
        return [Line(clean(node.label), "title"), *kinds, *more]
    if node.tensor is None:
        return [Line(clean(node.label), "code")]
    lines = [Line(clean(node.label), "title"), Line(_brief(node.tensor), "code")]
    if node.grad is not None:
        lines.append(Line(f"grad {_brief(node.grad, like=node.tensor)}", "code"))
    if not node.requires_grad:
        lines.append(Line("requires_grad=False", "code"))
    return lines


def _brief(tensor: TensorInfo, like: TensorInfo | None = None) -> str:
    """The numbers of a small tensor, the shape of a large one, the dtype where it is not the usual one."""
    dtype = "" if tensor.dtype == (like.dtype if like else "float32") else f" {tensor.dtype}"
    if tensor.value is not None and not tensor.value.startswith("mean") and len(tensor.value) <= 34:
        return tensor.value + dtype
    return (tensor.value or shape_text(tensor.shape)) if like else shape_text(tensor.shape) + dtype


def tooltip(node: Node) -> str:
    """Everything known of a node, a line each."""
    said = {
        "leaf": "leaf tensor",
        "output": "result",
        "op": "operation",
        "custom": "your own autograd.Function",
        "accumulate": "adds the gradient that arrives here to the leaf's .grad",
        "untracked": "no gradient flows here: (None, 0) in next_functions",
        "folded": "many nodes drawn as one; draw a part of the graph, or raise max_nodes, to see them",
    }
    lines = [f"{clean(node.label, 200)}  ({node.id}: {said[node.kind]})"]
    if node.kind in ("op", "custom"):
        lines += [f"{clean(name, 200)}.grad_fn" for name in node.names]
    lines += [f"{clean(name, 200)} ×{count:,}" for name, count in node.contents[:40]]
    if node.tensor is not None:
        lines.append(f"shape {shape_text(node.tensor.shape)}, dtype {node.tensor.dtype}")
        lines += [f"value {node.tensor.value}"] if node.tensor.value else []
    if node.kind == "leaf":
        lines.append(f"grad {node.grad.value or shape_text(node.grad.shape)}" if node.grad else "grad None")
    return "\n".join(lines)


def describe(graph: Graph) -> str:
    """One sentence for readers who do not see the picture."""
    kinds = [node.kind for node in graph.nodes]
    ops = sum(node.count for node in graph.nodes if node.kind in ("op", "custom", "folded"))
    names = ", ".join(clean(graph.node(root).label) for root in graph.roots)
    leaves = ", ".join(clean(node.label) for node in graph.nodes if node.kind == "leaf")
    return f"Autograd graph of {names}: {_count(ops, 'operation')}, {_count(kinds.count('leaf'), 'leaf')}" + (
        f" ({leaves})" if kinds.count("leaf") <= 8 else ""
    )


def _count(n: int, word: str) -> str:
    plural = "leaves" if word == "leaf" else word + "s"
    return f"{n:,} {word if n == 1 else plural}"
