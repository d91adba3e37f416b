"""One look for every picture: colours, shapes and fonts, light and dark.

Why these. A kind of node is told apart three times: by its shape, by its outline (solid, double, dashed), and by what
is written on it; colour comes fourth, so a reader who sees no colour, or prints in grey, loses nothing. The hues are
Okabe and Ito's, chosen to stay distinct in every common kind of colour blindness: blue for leaves (what you made),
green for AccumulateGrad (where gradients arrive), amber for outputs (where backward starts), reddish purple for your
own Functions, vermilion for what is wrong or differs. The library's own operations, which are most of any picture,
stay neutral, so that the ends of the chain stand out. Fills are pale tints, outlines carry the hue, and text keeps a
contrast of at least 7:1 on every fill, in both themes.

One SVG serves both themes: colours are CSS variables; the dark values apply where the page says so (JupyterLab, VS
Code, Sphinx themes) or, with no page around it, where the system prefers dark. The light colours are written into the
shapes too, for programs that do not know CSS variables.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

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


LOOKS = {
    "leaf": Look("box", "rounded", ("#e4f1fb", "#10293b"), ("#0072b2", "#5cb8ec")),
    "accumulate": Look("hexagon", "solid", ("#e0f5ec", "#0d2d23"), ("#00855f", "#34c79c"), (20.0, 7.0)),
    "op": Look("box", "solid", ("#f4f5f8", "#242933"), ("#7b8494", "#8f9aab")),
    "custom": Look("box", "double", ("#fbebf4", "#36192b"), ("#a8437d", "#e697c4")),
    "output": Look("box", "pill", ("#fff3da", "#382a08"), ("#b87500", "#f2b632")),
    "untracked": Look("box", "dashed", ("#ffffff", "#16191f"), ("#868e9c", "#7d8796")),
    "folded": Look("box", "stacked", ("#f4f5f8", "#242933"), ("#7b8494", "#8f9aab"), (17.0, 11.0)),
}


def look_of(node: Node) -> str:
    """Which of the `LOOKS` a node has: what was drawn looks like an output."""
    return "output" if node.result and node.kind == "op" else node.kind


# Tags on an operation: what it saved for its derivative. Yellow paper with a folded corner while kept; an empty dashed
# outline once freed; vermilion where it was changed behind the operation's back.
TAGS = {
    "kept": (("#fdf6c9", "#2c290b"), ("#8a7d00", "#d9cc52")),
    "freed": (("#ffffff", "#16191f"), ("#868e9c", "#7d8796")),
    "changed": (("#fdebdf", "#40200c"), ("#c24e00", "#ff9a5c")),
}

PAPER = ("#ffffff", "#16191f")
TEXT = ("#1c2230", "#eceff4")
MUTED = ("#4a5365", "#b4bdcb")
MARK = ("#c24e00", "#ff9a5c")  # vermilion: what differs
FLOW = ("#4a30c4", "#c3b7ff")  # violet: a gradient, wherever it stands
EDGE = ("#6a7385", "#8a94a6")


class Letters(NamedTuple):
    """How a text is set: the size of its letters and the height of its line, in pixels."""

    size: float
    line: float
    color: Pair
    bold: bool = False
    mono: bool = False


#: ``card``: the name on a node; ``title``: that of a group; ``data`` and ``grad``: what stands in cells; ``none``: no
#: gradient; ``code``, ``key``, ``note`` and ``caption`` are small, as are ``stop``, a warning, and the tags.
LETTERS = {
    "card": Letters(14.0, 17.0, TEXT, bold=True, mono=True),
    "title": Letters(13.0, 18.0, TEXT, bold=True),
    "data": Letters(13.0, 17.0, TEXT, mono=True),
    "grad": Letters(13.0, 17.0, FLOW, bold=True, mono=True),
    "grad none": Letters(13.0, 17.0, MUTED, mono=True),
    "code": Letters(11.0, 15.0, MUTED, mono=True),
    "key": Letters(11.0, 15.0, MUTED),
    "note": Letters(11.0, 15.0, MUTED),
    "caption": Letters(11.0, 15.0, MUTED),
    "stop": Letters(11.0, 16.0, MARK, bold=True),
    **dict.fromkeys(TAGS, Letters(11.0, 20.0, MUTED, mono=True)),
}


_NAMED = {"paper": PAPER, "text": TEXT, "muted": MUTED, "mark": MARK, "edge": EDGE, "flow": FLOW}
_FILLED = {kind: (look.fill, look.line) for kind, look in LOOKS.items()} | TAGS


def variables(theme: int) -> str:
    """The CSS variables of the light (0) or dark (1) theme."""
    filled = {f"{kind}-{part}": pair for kind, pairs in _FILLED.items() for part, pair in zip(("fill", "line"), pairs)}
    return "".join(f"--viz-{name}:{pair[theme]};" for name, pair in (_NAMED | filled).items())


# What says "this page is dark" or "light" on the pages a picture may stand in: JupyterLab, Sphinx themes, VS Code.
_LIGHT_PAGE = ('[data-jp-theme-light="true"]', '[data-theme="light"]', ".vscode-light")
_DARK_PAGE = ('[data-jp-theme-light="false"]', '[data-theme="dark"]', ".vscode-dark")


@cache
def css() -> str:
    """The style sheet of a picture. Every rule is inside ``.viz``, so that it touches nothing else on the page."""
    light = ",".join(f"{page} .viz" for page in _LIGHT_PAGE)
    dark = ",".join(f"{page} .viz" for page in _DARK_PAGE)
    rules = [
        f".viz{{{variables(0)}}}",
        f"@media (prefers-color-scheme:dark){{.viz{{{variables(1)}}}}}",
        f"{light}{{{variables(0)}}}",
        f"{dark}{{{variables(1)}}}",
        *Path(__file__).with_name("picture.css").read_text(encoding="utf-8").splitlines(),
    ]
    rules += [f".viz .{kind} .rule{{stroke:var(--viz-{kind}-line)}}" for kind in LOOKS]
    for kind in _FILLED:
        part = f".tag.{kind}" if kind in TAGS else f".{kind} .shape"
        rules.append(f".viz {part}{{fill:var(--viz-{kind}-fill);stroke:var(--viz-{kind}-line)}}")
    return "".join(rules)
