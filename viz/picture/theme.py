"""One look for every picture: ``theme.json``, light and dark.

A kind of node is told apart by its shape, its outline and what is written on it; colour comes fourth, so that who sees
none loses nothing. The hues are Okabe and Ito's, which stay distinct in every common kind of colour blindness; most
nodes are the library's own operations and stay neutral, so that the ends of the chain stand out. Text keeps a contrast
of at least 7:1. Colours are CSS variables, so that one SVG serves both themes; the light ones are written into the
shapes too, for programs that know no variables.
"""

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ..language import data
from ..model.graph import Node

Pair = tuple[str, str]  # a colour, light and dark


class Look(NamedTuple):
    """How a kind of node is drawn: `shape` is Graphviz's name for it, `style` its outline; `room` is left of and above
    its texts."""

    shape: str
    style: str
    fill: Pair
    line: Pair
    room: tuple[float, float] = (13.0, 7.0)


class Letters(NamedTuple):
    """How a text is set: the size of its letters and the height of its line, in pixels."""

    size: float
    line: float
    color: Pair
    bold: bool = False
    mono: bool = False


_DATA: dict[str, dict[str, Any]] = data("picture/theme.json")
LOOKS = {kind: Look(**row) for kind, row in _DATA["looks"].items()}
#: (fill, line) of what an operation saved for its derivative: yellow paper while kept, an empty dashed outline once
#: freed, vermilion where it was changed behind the operation's back.
TAGS: dict[str, tuple[Pair, Pair]] = {state: (row["fill"], row["line"]) for state, row in _DATA["tags"].items()}
COLORS: dict[str, Pair] = _DATA["colors"]
PAPER, TEXT, MUTED, MARK, EDGE = (COLORS[name] for name in ("paper", "text", "muted", "mark", "edge"))
#: ``card``: the name on a node; ``title``: that of a group; ``data`` and ``grad``: what stands in cells; ``grad none``:
#: no gradient; ``code``, ``key``, ``note`` and ``caption`` are small, as are ``stop``, a warning, and the tags.
LETTERS = {style: Letters(**row | {"color": COLORS[row["color"]]}) for style, row in _DATA["letters"].items()}


def look_of(node: Node) -> str:
    """Which of the `LOOKS` a node has: what was drawn looks like an output."""
    return "output" if node.result and node.kind == "op" else node.kind


_FILLED = {kind: (look.fill, look.line) for kind, look in LOOKS.items()} | TAGS


def variables(theme: int) -> str:
    """The CSS variables of the light (0) or dark (1) theme."""
    filled = {f"{kind}-{part}": pair for kind, pairs in _FILLED.items() for part, pair in zip(("fill", "line"), pairs)}
    return "".join(f"--viz-{name}:{pair[theme]};" for name, pair in (COLORS | filled).items())


@cache
def css(more: str = "") -> str:
    """The style sheet of a picture, with `more` rules: all of ``.viz``, so that nothing else on a page is touched."""
    # It says, too, what tells that the page is light or dark (JupyterLab, Sphinx, MyST, Quarto, MkDocs, VS Code), and
    # takes away the light ground that a dark Sphinx theme puts under a picture.
    text = Path(__file__).with_name("picture.css").read_text(encoding="utf-8")
    rules = text.replace("@light@", variables(0)).replace("@dark@", variables(1)).splitlines()
    rules += [f".viz .{kind} .rule{{stroke:var(--viz-{kind}-line)}}" for kind in LOOKS]
    for kind in _FILLED:
        part = f".tag.{kind}" if kind in TAGS else f".{kind} .shape"
        rules.append(f".viz {part}{{fill:var(--viz-{kind}-fill);stroke:var(--viz-{kind}-line)}}")
    return f"@supports (fill:var(--viz-paper)){{{''.join(rules)}{more}}}"
