"""Write SVG by hand: a few elements, in the colours of `viz`, readable in the light theme and in the dark one.

The style sheet goes into the picture, and behind everything lies a sheet of paper in the theme's colour: a stored
picture is shown as an image, which follows the system's theme and not the page's.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from viz.picture.theme import LOOKS, MARK, MUTED, PAPER, TEXT, css

# Each a CSS variable of the theme, with its light value for programs that know none.
INK, DARK = f"var(--viz-muted,{MUTED[0]})", f"var(--viz-text,{TEXT[0]})"
BLUE, ORANGE = f"var(--viz-leaf-line,{LOOKS['leaf'].line[0]})", f"var(--viz-mark,{MARK[0]})"
WIDE = 7.8  # pixels that a letter of size 13 takes at most, a Chinese character twice as much
Point = tuple[float, float]


def svg(says: str, width: float, height: float, parts: Sequence[str], *, more: str = "") -> str:
    """A whole picture. `says` is its title, read aloud by a screen reader; `more` is what else there is to say."""
    words, size = escape(says), f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
    described = f"<desc>{escape(more)}</desc>" if more else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="viz" {size} role="img" aria-label="{words}" '
        f'style="max-width:100%;height:auto"><title>{words}</title>{described}<style>{css()}</style>'
        f'<rect class="paper" width="100%" height="100%" rx="8" fill="{PAPER[0]}"/>{"".join(parts)}</svg>'
    )


def text(
    x: float, y: float, words: str, *, at: str = "start", size: int = 13, colour: str = INK, bold: bool = False
) -> str:
    """Words whose start, middle or end stands at (x, y)."""
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{at}" font-size="{size}" style="fill:{colour}"{weight}>'
        f"{escape(words)}</text>"
    )


def line(points: Sequence[Point], *, colour: str = INK, width: float = 1, dashed: bool = False) -> str:
    """A broken line through points."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dashes = ' stroke-dasharray="7 4"' if dashed else ""
    return f'<polyline points="{path}" fill="none" style="stroke:{colour}" stroke-width="{width}"{dashes}/>'


def box(x: float, y: float, width: float, height: float, *, colour: str = INK, thick: float = 1) -> str:
    """An empty rectangle."""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="none" '
        f'style="stroke:{colour}" stroke-width="{thick}"/>'
    )


def dot(x: float, y: float) -> str:
    """A place on a curve."""
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" style="fill:{ORANGE}"/>'


def padlock(x: float, y: float, *, closed: bool, colour: str = DARK) -> str:
    """A padlock 12 wide and 16 high, its shackle up and aside when it is open."""
    shackle = "M2.5 7V5a3.5 3.5 0 0 1 7 0v2" if closed else "M2.5 7V3.5a3.5 3.5 0 0 1 7 0"
    return (
        f'<g class="padlock {"closed" if closed else "open"}" transform="translate({x:.1f} {y:.1f})">'
        f'<path d="{shackle}" fill="none" style="stroke:{colour}" stroke-width="1.6"/>'
        f'<rect x="0.5" y="7" width="11" height="8" rx="1.5" stroke-width="1.2" '
        f'style="stroke:{colour};fill:{colour if closed else "none"}"/></g>'
    )


def table(
    says: str,
    rows: Sequence[Sequence[str]],
    *,
    header: bool = True,
    locks: Sequence[Sequence[bool | None]] | None = None,
) -> str:
    """Words in rows and columns; a cell may have several lines. As SVG.

    header: whether the first row is one.
    locks: for each cell a closed padlock before it (True), an open one (False) or none.
    """

    def lines(cell: str) -> list[str]:
        return cell.split("\n")

    locks = locks or [[None] * len(row) for row in rows]
    widths = [
        max(
            WIDE * max(sum(1 if ord(letter) < 0x2E80 else 1.8 for letter in words) for words in lines(row[column]))
            + 18 * (lock[column] is not None)
            for row, lock in zip(rows, locks)
        )
        + 18
        for column in range(len(rows[0]))
    ]
    parts, y, across = [], 8.0, 14 + sum(widths)
    for number, (row, lock) in enumerate(zip(rows, locks)):
        x = 14.0
        for cell, closed, width in zip(row, lock, widths):
            if closed is not None:
                parts.append(padlock(x, y + 3, closed=closed))
            parts += [
                text(x + 18 * (closed is not None), y + 16 + 17 * down, words, colour=DARK, bold=header and number == 0)
                for down, words in enumerate(lines(cell))
            ]
            x += width
        y += 8 + 17 * max(len(lines(cell)) for cell in row)
        if header and number == 0:
            parts.append(line([(12, y - 2), (across - 8, y - 2)]))
            y += 2
    return svg(says, across, y + 4, parts)
