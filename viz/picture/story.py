"""What the panel writes on each node: its name, what made it, and `data` and `grad` in cells of their own, which the
panel fills as a pass comes by. Wide and flat where the picture goes down, narrow and tall where it goes right."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from ..model.graph import Node
from ..model.values import brief
from ..strings import clean, width
from .cards import Card, card, tooltip

NAME, CODE, VALUE = 14.0, 11.0, 13.0  # font sizes
_HEAD, _ROW, _PAD = 26.0, 23.0, 9.0
_GRAIN = 12.0  # widths come in steps: where numbers change, boxes keep their size and the picture its layout
_LONGEST = 20  # letters of a value; of a longer one its shape is shown


@dataclass(frozen=True)
class Text:
    """A text, its middle height at `y` below the card's middle; `zh`: the same in Chinese, where it is in words."""

    text: str
    style: str
    x: float
    y: float
    size: float
    anchor: str = "start"
    zh: str = ""

    @property
    def width(self) -> float:
        return _wide(self.text, self.style, self.size)


@dataclass(frozen=True)
class StoryCard(Card):
    """A card of texts with places of their own, and `rules`: lines (x, y, dx, dy) between its cells."""

    texts: tuple[Text, ...] = ()
    rules: tuple[tuple[float, float, float, float], ...] = ()


def story_card(node: Node, tall: bool, lang: str = "en") -> Card:
    """The card of `node`."""
    if node.kind == "accumulate":
        return _centred(node, [Text(clean(node.label), "code", 0, 0, CODE, "middle"), *_stop(node)], 5.0, lang)
    if node.kind == "untracked":
        value = (
            _short((node.tensor.value or "") if _is_number(node) else brief(node.tensor), node) if node.tensor else ""
        )
        name = node.title or value or clean(node.label)
        texts = [Text(name, "card", 0, 0, NAME, "middle")]
        if value and value != name:
            texts.append(Text(value, "code", 0, 0, CODE, "middle"))
        if name != value:
            texts.append(Text("not tracked", "note", 0, 0, CODE, "middle", "不追踪"))
        return _centred(node, texts, 0.0, lang)
    if node.kind == "folded":
        return card(node, lang=lang)
    return _celled(node, tall, lang)


def _is_number(node: Node) -> bool:
    return node.tensor is not None and node.tensor.is_short and not node.tensor.shape


def _celled(node: Node, tall: bool, lang: str) -> StoryCard:
    name, made_by = node.title, clean(node.label) if node.kind in ("op", "custom") else ""
    if not name:
        name, made_by = clean(node.label), ""
    small = Text("leaf", "note", 0, 0, CODE, "end", "叶子") if node.kind == "leaf" else None
    if made_by:
        small = Text(made_by, "code", 0, 0, CODE, "end")
    value = _short(brief(node.tensor), node) if node.tensor else ""
    grad = _grad(node)
    cells = [("data", value)] * bool(value) + [("grad", grad)] * bool(grad)
    extra = [*_stop(node), *_hooks(node)]
    keys = {key: _wide(key, "key", CODE) + 6 for key, _ in cells}
    room = {"data": 0.0, "grad": _wide("None", "grad", VALUE)}  # what stands there before the pass
    needs = {key: keys[key] + max(_wide(text, key, VALUE), room[key]) + 3 for key, text in cells}
    name_wide = _wide(name, "card", NAME)
    small_wide = small.width if small else 0.0
    if tall:
        inner = max(name_wide, small_wide, *needs.values(), *(t.width for t in extra), 60.0)
    else:
        inner = max(name_wide + (small_wide + 12 if small else 0), sum(needs.values()) + 2 * _PAD * (len(cells) > 1))
        inner = max(inner, *(t.width for t in extra), 44.0)
    wide = _GRAIN * math.ceil((inner + 2 * (_PAD + (6 if node.result else 0))) / _GRAIN)
    rows = len(cells) if tall else bool(cells)
    head = _HEAD + (16 if tall and small else 0)
    high = head + rows * _ROW + 17 * len(extra)
    left, right, top = -inner / 2, inner / 2, -high / 2
    zh = name.replace(" (old)", "（旧）") if name.endswith(" (old)") else ""
    texts = [Text(name, "card", left, top + _HEAD / 2 + 1, NAME, "start", zh)]
    if small and tall:
        texts.append(Text(small.text, small.style, left, top + _HEAD + 5, CODE, "start", small.zh))
    elif small:
        texts.append(Text(small.text, small.style, right, top + _HEAD / 2 + 1, CODE, "end", small.zh))
    rules = []
    y = top + head
    spare = (inner - sum(needs.values()) - 2 * _PAD * (len(cells) > 1)) / max(len(cells), 1)
    x = left
    for i, (key, text) in enumerate(cells):
        if tall or i == 0:
            rules.append((-wide / 2, y, wide, 0.0))
        texts.append(Text(key, "key", x, y + _ROW / 2, CODE))
        if tall:
            texts.append(Text(text, _cell(key, text), right, y + _ROW / 2, VALUE, "end"))
            y += _ROW
        else:
            texts.append(Text(text, _cell(key, text), x + keys[key], y + _ROW / 2, VALUE))
            x += needs[key] + spare + _PAD
            if i + 1 < len(cells):
                rules.append((x, y, 0.0, _ROW))
            x += _PAD
    y = top + head + rows * _ROW
    for line in extra:
        texts.append(Text(line.text, line.style, 0, y + 8, CODE, "middle", line.zh))
        y += 17
    return StoryCard((), wide, round(high, 1), tooltip(node, lang), tuple(texts), tuple(rules))


def _centred(node: Node, texts: list[Text], side: float, lang: str) -> StoryCard:
    wide = max(text.width for text in texts) + 2 * (_PAD + side)
    high = 17.0 * len(texts) + 9
    placed = [
        Text(t.text, t.style, 0, -high / 2 + 4.5 + 17 * i + 8.5, t.size, "middle", t.zh) for i, t in enumerate(texts)
    ]
    return StoryCard((), round(max(wide, 44.0), 1), round(high, 1), tooltip(node, lang), tuple(placed))


def _cell(key: str, text: str) -> str:
    return "grad none" if text == "None" else key


def _grad(node: Node) -> str:
    if node.kind == "leaf":
        return _short(brief(node.grad, like=node.tensor), node) if node.grad is not None else "None"
    if node.passed:
        return _short(node.passed, node)
    return "" if node.grad is None else _short(brief(node.grad, like=node.tensor), node)


def _short(value: str, node: Node) -> str:
    return plain(value) if len(value) <= _LONGEST or node.tensor is None else str(tuple(node.tensor.shape))


def plain(text: str) -> str:
    """Numbers as one writes them by hand: ``14.`` is 14."""
    return re.sub(r"(?<=\d)\.(?![\de])", "", text)


def _stop(node: Node) -> list[Text]:
    if not node.stops:
        return []
    if node.never_ran:
        shapes = node.error.partition("  ")[0]
        return [Text(f"✕ shapes {shapes}", "stop", 0, 0, CODE, "middle", f"✕ 形状 {shapes}")]
    return [Text("✕ backward stops here", "stop", 0, 0, CODE, "middle", "✕ 反向传播停在这里")]


def _hooks(node: Node) -> list[Text]:
    named = (clean(hook, 24) for hook in node.hooks)
    return [Text(f"hook {name}", "code", 0, 0, CODE, "middle", f"钩子 {name}") for name in named]


def _wide(text: str, style: str, size: float) -> float:
    return width(text, size, style not in ("note", "key", "stop")) * (1.04 if style in ("card", "grad") else 1.0)
