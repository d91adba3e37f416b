"""Draw a curve as SVG: small, without a plotting library, readable on white and on black.

The colours are mid-tones, so one picture serves the light and the dark theme: a notebook shows a stored SVG as an
image, which cannot know the page's theme.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

INK, CURVE, SLOPE = "#737b85", "#3b7dd8", "#d2691e"
WIDTH, HEIGHT = 440, 280
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 40, 44
COLUMN, LINE = 72, 18

Point = tuple[float, float]
Row = Sequence[str]


def tangent(curve: Sequence[Point], place: float, height: float, slope: float, names: Row, rows: Sequence[Row]) -> str:
    """A curve, the point (place, height) on it, and the line of that slope through it; beside it a table. As SVG.

    `names` are the horizontal variable, the vertical one and the slope's; `rows` hold the same three as text.
    """
    variable, value, derivative = names
    across, up = _scales(curve)
    line = _within(curve, place, height, slope)
    says = f"{variable} = {place:g},  {value} = {height:g},  {derivative} = {slope:g}"
    return _svg(
        says,
        [
            _axes(curve, across, up, variable, value),
            f'<polyline points="{_points(curve, across, up)}" fill="none" stroke="{CURVE}" stroke-width="2.5"/>',
            f'<polyline points="{_points(line, across, up)}" fill="none" stroke="{SLOPE}" stroke-width="2.5" '
            'stroke-dasharray="7 4"/>',
            f'<circle cx="{across(place):.1f}" cy="{up(height):.1f}" r="6" fill="{SLOPE}"/>',
            f'<text x="{LEFT}" y="22" font-size="15" fill="{INK}">{escape(says)}</text>',
            _table([names, *rows], here=f"{place:g}"),
        ],
    )


def _scales(curve: Sequence[Point]) -> tuple[Callable[[float], float], Callable[[float], float]]:
    """Functions from data to pixels: left to right, and bottom to top."""
    left, right = min(x for x, _ in curve), max(x for x, _ in curve)
    low, high = min(0.0, *(y for _, y in curve)), max(y for _, y in curve)

    def across(x: float) -> float:
        return LEFT + (x - left) / (right - left) * (WIDTH - LEFT - RIGHT)

    def up(y: float) -> float:
        return HEIGHT - BOTTOM - (y - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    return across, up


def _within(curve: Sequence[Point], place: float, height: float, slope: float) -> list[Point]:
    """Two ends of the tangent: a fifth of the width to each side, cut where it would leave the frame."""
    reach = (curve[-1][0] - curve[0][0]) / 5
    floor, top = min(0.0, *(y for _, y in curve)), max(y for _, y in curve)
    ends = []
    for side in (-1, 1):
        room = (top if side * slope > 0 else floor) - height
        run = min(reach, abs(room / slope)) if slope else reach
        run = min(run, place - curve[0][0] if side < 0 else curve[-1][0] - place)
        ends.append((place + side * run, height + side * run * slope))
    return ends


def _points(points: Sequence[Point], across: Callable, up: Callable) -> str:
    return " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in points)


def _axes(curve: Sequence[Point], across: Callable, up: Callable, variable: str, value: str) -> str:
    floor = HEIGHT - BOTTOM
    top = max(y for _, y in curve)
    marks = [f'<text x="{across(x):.1f}" y="{floor + 18}" text-anchor="middle">{x:g}</text>' for x in _ends(curve)]
    marks += [f'<text x="{LEFT - 8}" y="{up(y) + 4:.1f}" text-anchor="end">{y:g}</text>' for y in (0.0, top)]
    return (
        f'<path d="M{LEFT} {TOP}V{floor}H{WIDTH - RIGHT}" fill="none" stroke="{INK}"/>'
        f'<g font-size="13" fill="{INK}">{"".join(marks)}'
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{floor + 32}" text-anchor="middle">{escape(variable)}</text>'
        f'<text x="{LEFT - 8}" y="{(TOP + floor) / 2}" text-anchor="end">{escape(value)}</text></g>'
    )


def _ends(curve: Sequence[Point]) -> tuple[float, float]:
    return curve[0][0], curve[-1][0]


def _table(rows: Sequence[Row], here: str) -> str:
    """Rows of numbers right of the plot; the one where the point is now is bold and marked."""
    parts = []
    for number, row in enumerate(rows):
        y = TOP + LINE * number
        mark = row[0] == here
        style = f'fill="{SLOPE}" font-weight="bold"' if mark else f'fill="{INK}"'
        cells = [
            f'<text x="{WIDTH + COLUMN * column + 48}" y="{y}" text-anchor="end">{escape(cell)}</text>'
            for column, cell in enumerate(row)
        ]
        if mark:
            cells.append(f'<text x="{WIDTH + 8}" y="{y}">▸</text>')
        parts.append(f'<g font-size="13" {style}>{"".join(cells)}</g>')
    return "".join(parts)


def _svg(says: str, parts: Sequence[str]) -> str:
    width = WIDTH + 3 * COLUMN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" width="{width}" height="{HEIGHT}" '
        f'role="img" aria-label="{escape(says)}" font-family="system-ui, sans-serif">'
        f"<title>{escape(says)}</title>{''.join(parts)}</svg>"
    )
