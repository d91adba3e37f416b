"""Write SVG by hand: a few elements, in the colours of `viz`, readable in the light theme and in the dark one.

The style sheet goes into the picture, and behind everything lies a sheet of paper in the theme's colour: a stored
picture is shown as an image, which follows the system's theme and not the page's.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from viz.picture.theme import LOOKS, MARK, MUTED, PAPER, TEXT, css

# The colours of the light theme; what has one gets the theme's own where a program knows CSS variables.
INK, DARK, BLUE, ORANGE = MUTED[0], TEXT[0], LOOKS["leaf"].line[0], MARK[0]
_OWN = "".join(
    f'.viz [{part}="{colour}"]{{{part}:var(--viz-{name})}}'
    for colour, name in {INK: "muted", DARK: "text", BLUE: "leaf-line", ORANGE: "mark"}.items()
    for part in ("fill", "stroke")
)
WIDE = 7.8  # pixels that a letter of size 13 takes at most, a Chinese character twice as much
Point = tuple[float, float]


def svg(says: str, width: float, height: float, parts: Sequence[str], *, more: str = "") -> str:
    """A whole picture. `says` is its title, read aloud by a screen reader; `more` is what else there is to say."""
    words, size = escape(says), f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
    described = f"<desc>{escape(more)}</desc>" if more else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="viz" {size} role="img" aria-label="{words}" '
        f'font-family="sans-serif" style="max-width:100%;height:auto"><title>{words}</title>{described}'
        f"<style>{css(_OWN)}</style>"
        f'<rect class="paper" width="{width:g}" height="{height:g}" rx="8" fill="{PAPER[0]}"/>{"".join(parts)}</svg>'
    )


def text(
    x: float, y: float, words: str, *, at: str = "start", size: int = 13, colour: str = INK, bold: bool = False
) -> str:
    """Words whose start, middle or end stands at (x, y)."""
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{at}" font-size="{size}" fill="{colour}"{weight}>'
        f"{escape(words)}</text>"
    )


def line(points: Sequence[Point], *, colour: str = INK, width: float = 1, dashed: bool = False) -> str:
    """A broken line through points."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dashes = ' stroke-dasharray="7 4"' if dashed else ""
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{dashes}/>'


def box(
    x: float, y: float, width: float, height: float, *, colour: str = INK, thick: float = 1, tinted: bool = False
) -> str:
    """A rectangle, empty or with a tint of its colour."""
    inside = f'fill="{colour}" fill-opacity="0.35"' if tinted else 'fill="none"'
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" {inside} '
        f'stroke="{colour}" stroke-width="{thick}"/>'
    )


def dot(x: float, y: float) -> str:
    """A place on a curve."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="{ORANGE}"/>'


def table(says: str, rows: Sequence[Sequence[str]]) -> str:
    """Words in rows and columns, as SVG."""
    widths = [
        18 + WIDE * max(sum(1 if ord(letter) < 0x2E80 else 1.8 for letter in words) for words in column)
        for column in zip(*rows)
    ]
    parts, y = [], 8.0
    for row in rows:
        x = 14.0
        for words, width in zip(row, widths):
            parts.append(text(x, y + 16, words, colour=DARK))
            x += width
        y += 25
    return svg(says, 14 + sum(widths), y + 4, parts)
