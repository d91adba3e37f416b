"""The picture as SVG, drawn from a layout."""

import hashlib
import math
from collections.abc import Iterable, Mapping
from html import escape

from ..language import LANGUAGES, Words, words
from ..model.graph import Edge, Graph, Node
from ..strings import clean, width
from .cards import Card, edge_label
from .render import Curve, Frame, Layout, Point
from .text import by_node
from .theme import EDGE, LETTERS, LOOKS, MARK, PAPER, TAGS, Look, css, look_of

_ALIKE: Words = {}  # a text that is the same in each language
SIDE, MARGIN = 6.0, 9.0  # beside the picture, and above and below it
#: Pixels across that a lesson shows as a web page; and that a cell does beside a docked panel, in a small window.
WIDE, BESIDE = 820.0, 360.0
_CAPTIONS = {"right": "{} →    ← {}", "up": "↑ {}    ↓ {}", "down": "↓ {}    ↑ {}"}


def to_svg(graph: Graph, cards: Mapping[str, Card], layout: Layout, direction: str, text: str, lang: str) -> str:
    """A standalone SVG; `text`, the graph in words, is what a screen reader reads: its first line is the title."""
    ways, told = caption(graph, direction), by_node(graph, lang)
    wide, high, left = canvas(layout, ways)
    key = "viz-" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="viz" role="img" aria-labelledby="{key}-t {key}-d" '
        f'width="{wide:.0f}" height="{high:.0f}" viewBox="0 0 {wide:.1f} {high:.1f}" '
        'font-family="sans-serif">',
        f'<title id="{key}-t">{escape(text.partition(chr(10))[0])}</title>',
        f'<desc id="{key}-d">{escape(text)}</desc>',
        f"<style>{css()}</style>",
        f'<rect class="paper" width="{wide:.1f}" height="{high:.1f}" rx="8" fill="{PAPER[0]}"/>',  # Qt knows no 100%
        f'<g transform="translate({left:.1f},{MARGIN:g})">',
    ]
    parts += [_frame(name, frame, lang) for name, frame in layout.frames.items()]
    parts += [_edge(i, edge, layout.edges[i], lang) for i, edge in enumerate(graph.edges)]
    for node in graph.nodes:
        parts.append(_node(node, cards[node.id], layout.nodes[node.id], [*told[node.id], *node.formulas(lang)]))
    end = _text(ways[lang], "caption", MARGIN, high - MARGIN * 0.75, "start", ways)
    return "\n".join([*parts, "</g>", end, "</svg>"]) + "\n"


def caption(graph: Graph, direction: str) -> Words:
    """Which way the data and the gradients go, in each language."""
    data, grads = words("forwardWay"), words("backwardWay")
    return {lang: _CAPTIONS[direction].format(data[lang], grads[lang]) if graph.edges else "" for lang in LANGUAGES}


def canvas(layout: Layout, caption: Words) -> tuple[float, float, float]:
    """Width and height of the picture, and where the layout begins from the left; from the top it is `MARGIN`."""
    wide = max(layout.width, max(width(way, LETTERS["caption"].size) for way in caption.values())) + 2 * SIDE
    high = layout.height + 2 * MARGIN + (LETTERS["caption"].line if any(caption.values()) else 0)
    return wide, high, (wide - layout.width) / 2


def _frame(name: str, frame: Frame, lang: str) -> str:
    tooltip = words("frameCall" if "()" in name else "frame", n=clean(name, 200))[lang]
    wide, high = frame.right - frame.left, frame.bottom - frame.top
    border = _rect("border", frame.left + wide / 2, frame.top + high / 2, wide, high, 8, _paint("none", EDGE[0], 0.8))
    label = _text(clean(name), "note", frame.left + 9, frame.top + LETTERS["note"].line / 2 + 3, "start")
    return f'<g class="frame"><title>{escape(tooltip)}</title>{border}{label}</g>'


def _node(node: Node, card: Card, middle: Point, told: list[str]) -> str:
    kind = " ".join(dict.fromkeys((node.kind, look_of(node))))
    look = LOOKS[look_of(node)]
    x, y = middle
    tooltip = escape("\n".join(told))
    parts = [f'<g class="node {kind}" data-id="{node.id}"><title>{tooltip}</title>']
    parts.append(_outline(look, x, y, card.width, card.height))
    if node.stops:
        parts.append(_rect("mark", x, y, card.width + 8, card.height + 8, 8, _paint("none", MARK[0], 2.6)))
    if look.style == "stacked":  # the front plate stands a little aside
        x, y = x - 4, y + 4
    for a, b, c, d in card.rules:
        parts.append(f'<path class="rule" d="M{x + a:.1f} {y + b:.1f}l{c:.1f} {d:.1f}" stroke="{look.line[0]}"/>')
    for text in card.texts:
        if text.style in TAGS:
            (fill, _), (line, _) = TAGS[text.style]
            dashed = ' stroke-dasharray="3 2"' if text.style == "freed" else ""
            parts.append(_rect(f"tag {text.style}", x, y + text.y, text.width, 17, 2, _paint(fill, line, 1, dashed)))
        parts.append(_text(text.text, text.style, x + text.x, y + text.y, text.anchor, text.either))
    return "".join(parts) + "</g>"


def _outline(look: Look, x: float, y: float, wide: float, high: float) -> str:
    dashed = ' stroke-dasharray="4 3"' if look.style == "dashed" else ""
    paint = _paint(look.fill[0], look.line[0], 1.4, dashed)
    if look.shape == "hexagon":
        half, up, side = wide / 2, high / 2, min(9.0, wide / 4)
        upper = [(x - half, y), (x - half + side, y - up), (x + half - side, y - up), (x + half, y)]
        return _path("shape", _through([*upper, (x + half - side, y + up), (x - half + side, y + up)]), paint)
    if look.style == "double":
        inner = _rect("shape", x, y, wide - 6, high - 6, 3, paint + ' fill-opacity="0"')
        return _rect("shape", x, y, wide, high, 5, paint) + inner
    if look.style == "stacked":
        return "".join(_rect("shape", x + d, y - d, wide - 8, high - 8, 4, paint) for d in (4, 0, -4))
    radius = {"rounded": 10.0, "pill": min(high / 2, 26.0), "dashed": 10.0}.get(look.style, 3.0)
    return _rect("shape", x, y, wide, high, radius, paint)


def _text(text: str, style: str, x: float, y: float, anchor: str = "middle", either: Words = _ALIKE) -> str:
    """A line of text whose middle height is `y`; `either`: the same in each language, which the panel can change."""
    letters = LETTERS[style]
    size, face = letters.size, ' font-weight="600"' * letters.bold + ' font-family="monospace"' * letters.mono
    told = "".join(f' data-{lang}="{escape(words)}"' for lang, words in either.items())
    return (
        f'<text class="{"code" if style in TAGS else style}" x="{x:.1f}" y="{y + size * 0.35:.1f}" '
        f'text-anchor="{anchor}" font-size="{size:g}"{face} fill="{letters.color[0]}"{told}>{escape(text)}</text>'
    )


def _paint(fill: str, stroke: str, wide: float, more: str = "") -> str:
    return f'fill="{fill}" stroke="{stroke}" stroke-width="{wide:g}"{more}'


def _path(style: str, path: str, paint: str) -> str:
    return f'<path class="{style}" d="{path}" {paint}/>'


def _rect(style: str, x: float, y: float, wide: float, high: float, radius: float, paint: str) -> str:
    """A box around the middle x, y."""
    at = f'x="{x - wide / 2:.1f}" y="{y - high / 2:.1f}" width="{wide:.1f}" height="{high:.1f}"'
    return f'<rect class="{style}" {at} rx="{radius:g}" {paint}/>'


def _through(points: Iterable[Point]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + "z"


def _edge(position: int, edge: Edge, curve: Curve, lang: str) -> str:
    color = LOOKS["accumulate"].line[0] if edge.kind == "variable" else EDGE[0]
    start, *rest = (f"{x:.1f} {y:.1f}" for x, y in curve.points)
    dashed = ' stroke-dasharray="3 3"' if edge.kind == "untracked" else ""
    number = f": next_functions[{edge.input_nr}]" if edge.kind != "variable" and edge.input_nr >= 0 else ""
    title = ", ".join(filter(None, [f"{edge.source} → {edge.target}{number}", edge_label(edge, lang)]))
    line = _path(f"edge {edge.kind}", f"M{start}C{' '.join(rest)}", _paint("none", color, 1.4, dashed))
    (x, y), (dx, dy) = curve.tip, (curve.tip[0] - curve.points[-1][0], curve.tip[1] - curve.points[-1][1])
    length = max(math.hypot(dx, dy), 1e-6) / 8
    dx, dy = dx / length, dy / length
    point = _through([(x, y), (x - dx - dy * 0.42, y - dy + dx * 0.42), (x - dx + dy * 0.42, y - dy - dx * 0.42)])
    arrow = _path(f"arrow {edge.kind}", point, _paint(color, color, 1, ' stroke-linejoin="round"'))
    label = _text(edge_label(edge, lang), "code", *curve.label) if curve.label else ""
    return f'<g class="link" data-edge="{position}"><title>{escape(title)}</title>{line}{arrow}{label}</g>'
