"""What is written on each node, and how large a box that needs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ..model.formulas import in_chinese
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


#: What stands on a node and in its tooltip, in Chinese.
_CHINESE = {
    "… {} more kinds": "…… 另有 {} 种",
    "backward stops here": "反向传播在此出错",
    "{}: freed": "{}：已释放",
    "{}: changed since": "{}：之后被改动",
    "hook {}": "钩子 {}",
    "leaf tensor": "叶子张量",
    "result": "运算结果",
    "operation": "运算",
    "your own autograd.Function": "你自己写的 autograd.Function",
    "adds the gradient that arrives here to the leaf's .grad": "把到达这里的梯度累加到叶子的 .grad",
    "no gradient flows here: (None, 0) in next_functions": "梯度不往这里传：next_functions 里是 (None, 0)",
    "many nodes drawn as one; draw a part of the graph, or raise max_nodes, to see them": (
        "许多节点合成的一个：只画计算图的一部分，或调大 max_nodes，就能看到它们"
    ),
    "{}  ({}: {})": "{}（{}：{}）",
    "shape {}, dtype {}": "形状 {}，dtype {}",
    "value {}": "值 {}",
    "output {}: shape {}, dtype {}": "第 {} 个输出：形状 {}，dtype {}",
    "grad_fn._saved_{}: {}{}": "grad_fn._saved_{}：{}{}",
    ", version {}": "，版本 {}",
    "kept": "保留着",
    "freed": "已释放",
    "changed": "之后被改动",
    "forward {}, backward {}": "前向第 {} 个，反向第 {} 个",
    "grad {}": "梯度 {}",
    "detached": "已分离",
    "output {}": "输出 {}",
    ": the same memory, but no gradient flows (detach)": "：内存相同，但梯度不往这里传（detach）",
}


def said(lang: str, english: str, *values: object) -> str:
    """A text of a node in the reader's language, with its values."""
    return (_CHINESE[english] if lang == "zh" else english).format(*values)


def named(node: Node, lang: str) -> str:
    """The label of a node; of several that are drawn as one, in the reader's language."""
    if lang == "zh" and node.kind == "folded":
        return re.sub(r"^([\d,]+) nodes$", r"\1 个节点", re.sub(r"^([\d,]+) × repeated$", r"重复 \1 次", node.label))
    return node.label


def formula(node: Node, lang: str) -> list[str]:
    """The formulas of an operation, their words in the reader's language."""
    return [in_chinese(part) if lang == "zh" else part for part in node.formula]


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
        yield Line(clean(named(node, lang)), "title")
        for name, count in node.contents[:4]:
            yield Line(f"{clean(name)} ×{count:,}", "code")
        if len(node.contents) > 4:
            yield Line(said(lang, "… {} more kinds", len(node.contents) - 4), "code")
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
        for part in formula(node, lang):
            yield Line(clean(part, 60), "note")
    if "source" in extras and (where := source_line(node)):
        yield Line(clean(where[1], 48), "code")
    for saved in node.saved:
        yield Line(_saved_line(saved, lang), saved.state)
    if node.stops:
        yield Line(said(lang, "backward stops here"), "stop")
        if node.error:
            yield Line(clean(node.error if len(node.error) < 56 else f"{node.error[:55]}…", 56), "stop")
    for hook in node.hooks:
        yield Line(said(lang, "hook {}", clean(hook, 24)), "code")
    if "order" in extras and (node.forward or node.backward):
        numbers = [("→", node.forward), ("←", node.backward)]
        yield Line("  ".join(f"{arrow} {n}" for arrow, n in numbers if n), "code")


def _saved_line(saved: Saved, lang: str) -> str:
    """``other = x [2.]``: the slot, what stands in it, and its version if that is not the first."""
    slot = clean(saved.slot, 24)
    if saved.state == "freed":
        return said(lang, "{}: freed", slot)
    version = f" v{saved.version}" if saved.version else ""
    if saved.state == "changed":
        return said(lang, "{}: changed since", slot + version)
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
    kind = {
        "leaf": "leaf tensor",
        "output": "result",
        "op": "operation",
        "custom": "your own autograd.Function",
        "accumulate": "adds the gradient that arrives here to the leaf's .grad",
        "untracked": "no gradient flows here: (None, 0) in next_functions",
        "folded": "many nodes drawn as one; draw a part of the graph, or raise max_nodes, to see them",
    }[node.kind]
    lines = [said(lang, "{}  ({}: {})", clean(named(node, lang), 200), node.id, said(lang, kind))]
    if node.kind in ("op", "custom"):
        lines += [f"{clean(name, 200)}.grad_fn" for name in node.names]
    lines += [f"{clean(name, 200)} ×{count:,}" for name, count in node.contents[:40]]
    if node.tensor is not None:
        lines.append(said(lang, "shape {}, dtype {}", shape_text(node.tensor.shape), node.tensor.dtype))
        lines += [said(lang, "value {}", node.tensor.value)] if node.tensor.value else []
    for nr, result in enumerate(node.results):
        lines.append(said(lang, "output {}: shape {}, dtype {}", nr, shape_text(result.shape), result.dtype))
    for saved in node.saved:
        version = "" if saved.version is None else said(lang, ", version {}", saved.version)
        lines.append(said(lang, "grad_fn._saved_{}: {}{}", clean(saved.slot, 60), said(lang, saved.state), version))
    lines += [clean(node.error, 400)] if node.error else []
    lines += [said(lang, "hook {}", clean(hook, 60)) for hook in node.hooks]
    lines += [said(lang, "forward {}, backward {}", node.forward, node.backward)] if node.forward else []
    if where := source_line(node):
        lines += [clean(part, 200) for part in where]
    if node.kind == "leaf":
        lines.append(said(lang, "grad {}", (node.grad.value or shape_text(node.grad.shape)) if node.grad else None))
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
    if lang == "zh":
        tail = f"（{'、'.join(listed)}）" if listed else ""
        return f"{'、'.join(roots)} 的计算图：{ops:,} 次运算，{leaves:,} 个叶子节点{tail}"
    tail = f" ({', '.join(listed)})" if listed else ""
    return f"Autograd graph of {', '.join(roots)}: {_count(ops, 'operation')}, {_count(leaves, 'leaf')}{tail}"


def _count(n: int, word: str) -> str:
    plural = "leaves" if word == "leaf" else word + "s"
    return f"{n:,} {word if n == 1 else plural}"


def edge_label(edge: Edge, lang: str = "en") -> str:
    """What is written on an edge: which output it takes, where that is not the first; a cut."""
    if edge.kind == "cut":
        return said(lang, "detached")
    return said(lang, "output {}", edge.output_nr) if edge.output_nr else ""


def gap(graph: Graph, direction: str, roomy: bool = False) -> float:
    """Inches between one row of nodes and the next. `roomy` leaves room for a gradient on each edge, which lies across
    the edges of a picture that goes right: one without brackets is short."""
    if not roomy:
        return 0.42
    if direction != "right":
        return 0.55
    return 1.9 if any(node.tensor.shape for node in graph.nodes if node.tensor) else 0.72
