"""Write SVG by hand: a few elements, readable on white and on black.

The colours are mid-tones, so one picture serves the light and the dark theme: a notebook shows a stored SVG as an
image, which cannot know the page's theme.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

INK, BLUE, ORANGE = "#737b85", "#3b7dd8", "#d2691e"
Point = tuple[float, float]


def svg(says: str, width: float, height: float, parts: Sequence[str]) -> str:
    """A whole picture. `says` is its title, read aloud by a screen reader."""
    words, size = escape(says), f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{words}" '
        f'font-family="system-ui, sans-serif"><title>{words}</title>{"".join(parts)}</svg>'
    )


def text(
    x: float, y: float, words: str, *, at: str = "start", size: int = 13, colour: str = INK, bold: bool = False
) -> str:
    """Words whose start, middle or end stands at (x, y)."""
    style = f'font-size="{size}" fill="{colour}"' + (' font-weight="bold"' if bold else "")
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{at}" {style}>{escape(words)}</text>'


def line(points: Sequence[Point], *, colour: str = INK, width: float = 1, dashed: bool = False) -> str:
    """A broken line through points."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dashes = ' stroke-dasharray="7 4"' if dashed else ""
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{dashes}/>'


def box(x: float, y: float, width: float, height: float, *, colour: str = INK, thick: float = 1) -> str:
    """An empty rectangle."""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="none" '
        f'stroke="{colour}" stroke-width="{thick}"/>'
    )
