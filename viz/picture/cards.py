"""What is written on each node, and how large a box that needs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ..language import said
from ..model.graph import Edge, Graph, Node, Saved
from ..model.values import brief, shape_text
from ..strings import clean, width
from .theme import LOOKS

TITLE, CODE = 13.0, 11.0  # font sizes in pixels
TAGS = ("kept", "freed", "changed")
TAG_PADDING = 9.0
# heights
LINE = {"title": 18.0, "name": 17.0, **dict.fromkeys(("code", "grad", "note"), 15.0), "stop": 16.0}
LINE |= dict.fromkeys(TAGS, 20.0)
_PADDING = {"hexagon": (20.0, 7.0), "stacked": (17.0, 11.0)}  # room left of and above the text, for its outline
_BOX = (13.0, 7.0)


@dataclass(frozen=True)
class Line:
    """One line of text.

    `style` is ``title`` (bold), ``name``, ``code`` (small, monospaced), ``grad`` (the same, of a gradient), ``note``
    (small), ``stop`` (small, a warning),
    or a ``code`` line on a tag of its own: ``kept``, ``freed``, ``changed`` (what an operation saved).
    """

    text: str
    style: str

    @property
    def size(self) -> float:
        return TITLE if self.style in ("title", "name") else CODE

    @property
    def width(self) -> float:
        # bold letters are a little wider
        bold = 1.06 if self.style in ("title", "stop") else 1.0
        tag = TAG_PADDING * 2 if self.style in TAGS else 0.0
        return width(self.text, self.size, self.style in ("code", "grad", *TAGS)) * bold + tag


@dataclass(frozen=True)
class Card:
    """The lines on a node, its size in pixels, and the tooltip that says the rest."""

    lines: tuple[Line, ...]
    width: float
    height: float
    tooltip: str


def card(node: Node, extras: Collection[str] = (), lang: str = "en") -> Card:
    """The card of `node`, with those `extras` on it that it has; large enough for the shape of its kind."""
    lines = tuple(_lines(node, extras, lang))
    look = LOOKS[node.kind]
    across, down = _PADDING.get(look.shape) or _PADDING.get(look.style, _BOX)
    wide = max(line.width for line in lines) + 2 * across
    high = sum(LINE[line.style] for line in lines) + 2 * down
    return Card(lines, round(max(wide, 44.0), 1), round(high, 1), tooltip(node, lang))


def _lines(node: Node, extras: Collection[str], lang: str) -> Iterator[Line]:
    if node.kind in ("op", "custom"):
        yield Line(clean(node.label), "name")
        for name in node.names[:3]:
            yield Line(f"{clean(name, 24)}.grad_fn", "code")  # what a reader can type to get this very node
        if node.results:
            shapes = [brief(result) for result in node.results[:3]]
            yield Line(" ".join(shapes) + (" …" if len(node.results) > 3 else ""), "code")
    elif node.kind == "accumulate":
        name = clean(node.names[0], 24) if node.names else ""
        if node.module:  # the frame around it says the rest
            name = clean(node.names[0].removeprefix(f"{node.module}."), 24)
        yield Line(clean(node.label), "name")
        yield Line(f"{name}.grad += g", "code")
    elif node.kind == "folded":
        yield Line(clean(node.label), "title")
        for name, count in node.contents[:4]:
            yield Line(f"{clean(name)} ×{count:,}", "code")
        if len(node.contents) > 4:
            yield Line(said(lang, "moreKinds", n=len(node.contents) - 4), "code")
    elif node.tensor is None:
        yield Line(clean(node.label), "code")
    else:
        if node.names or node.kind != "untracked":
            yield Line(clean(node.label), "title")
        yield Line(brief(node.tensor), "code")
        if node.grad is not None:
            yield Line(f"grad {brief(node.grad, like=node.tensor)}", "grad")
        if not node.requires_grad:
            yield Line("requires_grad=False", "code")
    if "formula" in extras:
        for part in node.formula:
            yield Line(clean(part, 60), "note")
    if "source" in extras and (where := source_line(node)):
        yield Line(clean(where[1], 48), "code")
    for saved in node.saved:
        yield Line(_saved_line(saved, lang), saved.state)
    if node.stops:
        yield Line(said(lang, "stopsHere"), "stop")
        if node.error:
            yield Line(clean(node.error if len(node.error) < 56 else f"{node.error[:55]}…", 56), "stop")
    for hook in node.hooks:
        yield Line(said(lang, "hook", n=clean(hook, 24)), "code")
    if "order" in extras and (node.forward or node.backward):
        numbers = [("→", node.forward), ("←", node.backward)]
        yield Line("  ".join(f"{arrow} {n}" for arrow, n in numbers if n), "code")


def _saved_line(saved: Saved, lang: str) -> str:
    """``other = x [2.]``: the slot, what stands in it, and its version if that is not the first."""
    slot = clean(saved.slot, 24)
    if saved.state == "freed":
        return said(lang, "slotFreed", n=slot)
    version = f" v{saved.version}" if saved.version else ""
    if saved.state == "changed":
        return said(lang, "slotChanged", n=slot + version)
    name = f" = {clean(saved.names[0], 24)}" if saved.names else ""
    return f"{slot}{name} {brief(saved.tensor) if saved.tensor else ''}{version}"


def source_line(node: Node) -> tuple[str, str] | None:
    """(where, code) of the line that made a node, from the traceback that anomaly mode kept."""
    if not node.source:
        return None
    where, _, code = node.source[-1].strip().partition("\n")
    file = re.sub(r'(?<=^File ").*[/\\]', "", where.strip())  # its name: folders differ from machine to machine
    return file, code.strip().partition("\n")[0]


def tooltip(node: Node, lang: str = "en") -> str:
    """Everything known of a node, a line each."""
    kind = said(lang, f"kind_{node.kind}")
    lines = [said(lang, "tipNode", name=clean(node.label, 200), id=node.id, kind=kind)]
    if node.kind in ("op", "custom"):
        lines += [f"{clean(name, 200)}.grad_fn" for name in node.names]
    lines += [f"{clean(name, 200)} ×{count:,}" for name, count in node.contents[:40]]
    if node.tensor is not None:
        lines.append(said(lang, "tipTensor", shape=shape_text(node.tensor.shape), dtype=node.tensor.dtype))
        lines += [said(lang, "tipValue", n=node.tensor.value)] if node.tensor.value else []
    for nr, result in enumerate(node.results):
        lines.append(said(lang, "tipOutput", nr=nr, shape=shape_text(result.shape), dtype=result.dtype))
    for saved in node.saved:
        version = "" if saved.version is None else said(lang, "tipVersion", n=saved.version)
        state = said(lang, saved.state)
        lines.append(said(lang, "tipSaved", slot=clean(saved.slot, 60), state=state, version=version))
    lines += [clean(node.error, 400)] if node.error else []
    lines += [said(lang, "hook", n=clean(hook, 60)) for hook in node.hooks]
    if node.forward:
        lines.append(said(lang, "tipOrder", forward=node.forward, backward=node.backward))
    if where := source_line(node):
        lines += [clean(part, 200) for part in where]
    if node.kind == "leaf":
        grad = node.grad and (node.grad.value or shape_text(node.grad.shape))
        lines.append(said(lang, "tipGrad", n=grad))
    return "\n".join(lines)


def called(node: Node) -> str:
    """What a tensor is called; of an operation that stands for its result as well, what that is."""
    return (" = ".join(node.names) or node.written or node.label) if node.result else node.label


def describe(graph: Graph, lang: str = "en") -> str:
    """One sentence for readers who do not see the picture."""
    ops = sum(node.count for node in graph.nodes if node.kind in ("op", "custom", "folded"))
    roots = [clean(called(graph.node(root))) for root in graph.roots]
    shown = [clean(node.label) for node in graph.nodes if node.kind == "leaf"]
    leaves = len(shown) + sum(dict(node.contents).get("leaf", 0) for node in graph.nodes)
    listed = shown if len(shown) == leaves <= 8 else []
    between, around = ("、", "（{}）") if lang == "zh" else (", ", " ({})")
    tail = around.format(between.join(listed)) if listed else ""
    counts = {key: said(lang, key + "1" * (n == 1), n=f"{n:,}") for key, n in (("operations", ops), ("leaves", leaves))}
    return said(lang, "graphOf", roots=between.join(roots), ops=counts["operations"], leaves=counts["leaves"] + tail)


def edge_label(edge: Edge) -> str:
    """What is written on an edge: which output it takes, where that is not the first; a cut."""
    if edge.kind == "cut":
        return "detached"
    return f"output {edge.output_nr}" if edge.output_nr else ""


def gap(graph: Graph, direction: str, roomy: bool = False) -> float:
    """Inches between one row of nodes and the next. `roomy` leaves room for a gradient on each edge, which lies across
    the edges of a picture that goes right: one without brackets is short."""
    if not roomy:
        return 0.42
    if direction != "right":
        return 0.55
    return 1.9 if any(node.tensor.shape for node in graph.nodes if node.tensor) else 0.72
