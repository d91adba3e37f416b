"""What is written on each node, and how large a box that needs.

On each node stands what the program calls it, what made it, and `data` and `grad` in cells of their own, which are
filled as a pass comes by: wide and flat where the picture goes down, narrow and tall where it goes right.
"""

import math
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from textwrap import wrap

from ..language import Words, words
from ..model.graph import Edge, Graph, Node, Saved
from ..model.values import brief, by_hand
from ..strings import clean, width
from .theme import LETTERS, LOOKS, TAGS

# in pixels
TAG_PADDING = 9.0
_HEAD, _ROW, _PAD = 26.0, 23.0, 9.0
_GRAIN = 12.0  # widths come in steps: where numbers change, boxes keep their size and the picture its layout
_LONGEST = 20  # letters of a value; of a longer one its shape is shown


@dataclass(frozen=True)
class Text:
    """A text, its middle height at `y` below the card's middle; `either`: it in each language, where it is in words.

    `style`: one of the `LETTERS`; on a slip of paper where it is one of the `TAGS` (what an operation saved).
    """

    text: str
    style: str
    x: float = 0.0
    y: float = 0.0
    anchor: str = "middle"
    either: Words = field(default_factory=dict)

    @property
    def line(self) -> float:
        return LETTERS[self.style].line

    @property
    def width(self) -> float:
        size, _, _, bold, mono = LETTERS[self.style]
        wide = width(self.text, size, mono) * (1.06 if bold else 1.0)  # bold letters are a little wider
        return wide + (TAG_PADDING * 2 if self.style in TAGS else 0.0)


@dataclass(frozen=True)
class Card:
    """The texts on a node, its size in pixels, and `rules`: lines (x, y, dx, dy) between its cells."""

    texts: tuple[Text, ...]
    width: float
    height: float
    rules: tuple[tuple[float, float, float, float], ...] = ()

    @property
    def lines(self) -> list[str]:
        """What is written, line by line."""
        rows = groupby(sorted(self.texts, key=lambda text: (text.y, text.x)), key=lambda text: text.y)
        return [" ".join(text.text for text in row) for _, row in rows]


def card(node: Node, extras: Collection[str] = (), lang: str = "en", tall: bool = False) -> Card:
    """The card of `node`, with those `extras` on it that it has; large enough for the shape of its kind."""
    below = list(_extras(node, extras, lang))
    if node.kind not in ("accumulate", "untracked", "folded"):
        return _celled(node, below, tall, lang)
    texts = [*_briefly(node, lang), *below]
    across, down = LOOKS[node.kind].room
    wide = max(text.width for text in texts) + 2 * across
    high = sum(text.line for text in texts) + 2 * down
    return Card(tuple(_below(texts, down - high / 2)), round(max(wide, 44.0), 1), round(high, 1))


def _below(texts: Iterable[Text], y: float) -> Iterator[Text]:
    """The texts one below the other, from the height `y` on."""
    for text in texts:
        yield replace(text, y=y + text.line / 2)
        y += text.line


def _extras(node: Node, extras: Collection[str], lang: str) -> Iterator[Text]:
    """What was asked for besides; and where backward stops, and who watches."""
    if "formula" in extras:
        yield from (Text(clean(line, 60), "note") for part in node.formulas(lang) for line in wrap(part, 60))
    for saved in node.saved if "saved" in extras else ():
        yield Text(_saved_line(saved, lang), saved.state)
    if node.never_ran:
        shapes, _, said = node.error.partition("  ")  # told where it is of them that the error speaks
        key = "shapesDiffer" if "), (" in shapes and re.search("shape|size|dim", said) else "text_fails"
        yield _told(key, "stop", lang, "✕ ", n=shapes)
    elif node.stops:
        yield _told("stopsHere", "stop", lang, "✕ ")
        if node.error and "error" in extras:
            yield Text(clean(node.error if len(node.error) < 56 else f"{node.error[:55]}…", 56), "stop")
    for hook in node.hooks:
        yield _told("hook", "code", lang, n=clean(hook, 24))
    if "order" in extras and (node.forward or node.backward):
        numbers = [("→", node.forward), ("←", node.backward)]
        yield Text("  ".join(f"{arrow} {n}" for arrow, n in numbers if n), "code")


def _saved_line(saved: Saved, lang: str) -> str:
    """``other = x [2]``: the slot, what stands in it, and its version if that is not the first."""
    slot = clean(saved.slot, 24)
    if saved.state == "freed":
        return words("slotFreed", n=slot)[lang]
    version = f" v{saved.version}" if saved.version else ""
    if saved.state == "changed":
        return words("slotChanged", n=slot + version)[lang]
    name = f" = {clean(saved.names[0], 24)}" if saved.names else ""
    return f"{slot}{name} {_short(brief(saved.tensor), saved) if saved.tensor else ''}{version}"


def edge_label(edge: Edge, lang: str = "en") -> str:
    """What is written on an edge: which output it takes, where that is not the first."""
    return words("outputNr", n=edge.output_nr)[lang] if edge.output_nr else ""


def gap(graph: Graph, direction: str) -> float:
    """Inches between one row of nodes and the next: room for a gradient on each edge, which lies across the edges of a
    picture that goes right, and is about as long as the values are."""
    if direction != "right":
        return 0.55
    letters = (len(_short(brief(node.tensor), node)) for node in graph.nodes if node.tensor)
    return 0.5 + 0.07 * max(letters, default=0)


def _briefly(node: Node, lang: str) -> Iterator[Text]:
    """What stands on a group, on an AccumulateGrad, and on what no gradient flows to."""
    if node.kind == "folded":
        yield _named(node, "title", lang, clean(f"{node.title} = {node.label}" if node.title else node.label))
        if node.tensor:
            yield Text(f"data {_short(brief(node.tensor), node)}", "code")
        for name, count in node.contents[:4]:
            n = f"{count:,}"
            yield _told("leafCount", "code", lang, n=n) if name == "leaf" else Text(f"{clean(name)} ×{n}", "code")
        if len(node.contents) > 4:
            yield _told("moreKinds" + "1" * (len(node.contents) == 5), "code", lang, n=len(node.contents) - 4)
        return
    if node.kind == "accumulate":
        yield Text(clean(node.label), "code")
        return
    value = ""
    if node.tensor is not None:
        number = node.tensor.is_short and not node.tensor.shape
        value = _short((node.tensor.value or "") if number else brief(node.tensor), node)
    name = node.title or value
    if name:
        yield Text(name, "card")
    if not name or value != name:
        yield from [Text(value, "code")] * bool(value)
        yield _told("notTracked", "note", lang)


def _celled(node: Node, extra: list[Text], tall: bool, lang: str) -> Card:
    label = clean(node.label.removeprefix("GeneratedBackwardFor_"))  # which leaves room for a custom operator's name
    name = _named(node, "card", lang, node.title or label)
    small = _told("leafWord", "note", lang) if node.kind == "leaf" else Text(label, "code") if node.title else None
    summary = (node.grad and len(node.grad_text) <= _LONGEST and node.grad.summary) or {}
    said = {one: by_hand(text) for one, text in summary.items()}
    told = {"data": node.tensor and brief(node.tensor), "grad": node.passed or said.get(lang) or node.grad_text}
    cells = [(key, _short(text, node)) for key, text in told.items() if text]
    keys = {key: Text(key, "key").width + 6 for key, _ in cells}
    room = {"data": 0.0, "grad": Text("None", "grad").width}  # what stands there before the pass
    needs = {key: keys[key] + max(Text(text, key).width, room[key]) + 3 for key, text in cells}
    rows = [[cell] for cell in cells] if tall else [cells] * bool(cells)
    across = [sum(needs[key] for key, _ in row) + 2 * _PAD * (len(row) - 1) for row in rows]
    beside = small.width if small else 0.0
    heads = [name.width, beside, 60.0] if tall else [name.width + beside + 12 * bool(small), 44.0]
    inner = max(*heads, *across, *(t.width for t in extra))
    wide = _GRAIN * math.ceil((inner + 2 * (_PAD + (6 if node.result else 0))) / _GRAIN)
    head = _HEAD + (16 if tall and small else 0)
    high = head + len(rows) * _ROW + sum(text.line for text in extra) + 6 * bool(extra)
    left, right, top = -inner / 2, inner / 2, -high / 2
    texts = [replace(name, x=left, y=top + _HEAD / 2 + 1, anchor="start")]
    if small:
        at, down, anchor = (left, _HEAD + 5, "start") if tall else (right, _HEAD / 2 + 1, "end")
        texts.append(replace(small, x=at, y=top + down, anchor=anchor))
    rules = []
    y = top + head
    for row, needed in zip(rows, across):
        rules.append((-wide / 2, y, wide, 0.0))
        x = left
        for key, text in row:
            if x > left:
                rules.append((x, y, 0.0, _ROW))
                x += _PAD
            texts.append(Text(key, "key", x, y + _ROW / 2, "start"))
            at, anchor = (right, "end") if tall else (x + keys[key], "start")
            either, style = said if text == said.get(lang) else {}, "grad none" if text == "None" else key
            texts.append(Text(text, style, at, y + _ROW / 2, anchor, either))
            x += needs[key] + (inner - needed) / len(row) + _PAD
        y += _ROW
    texts += _below(extra, y)
    return Card(tuple(texts), wide, round(high, 1), tuple(rules))


def _short(value: str, node: Node | Saved) -> str:
    """A value, with numbers as one writes them by hand, ``14`` for ``14.``; of a long one its shape, and its type where
    that is not the usual one."""
    if len(value) > _LONGEST and node.tensor is not None:
        return brief(replace(node.tensor, value=None))
    return by_hand(value)


def _named(node: Node, style: str, lang: str, name: str) -> Text:
    """What a node is called: its `name`, or words of the catalogue where it has such."""
    return _told(node.words[0], style, lang, n=clean(node.words[1])) if node.words else Text(name, style)


def _told(key: str, style: str, lang: str, mark: str = "", **values: object) -> Text:
    """A text of the catalogue."""
    either = {one: mark + text for one, text in words(key, **values).items()}
    return Text(either[lang], style, either=either)
