"""The picture as PNG or PDF: the SVG's shapes, drawn by Graphviz's own renderer.

Graphviz draws an "xdot" text that stands behind a graph (its attribute ``_background``) as it is. Translated into that,
an SVG of ours becomes PNG or PDF with nothing installed but Graphviz, and every format shows the same picture. Only
what `svg` writes is understood here: translated groups, paths and lines of text.
"""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator

import graphviz

from .render import Point, run
from .theme import PAPER

_TAG = "{http://www.w3.org/2000/svg}"
_SHARPNESS = 192  # dots per inch of a PNG: two for each pixel of the SVG and a bit more
_FONTS = {"code": "Menlo" if sys.platform == "darwin" else "Monospace", "title": "Helvetica-Bold"}
_ARC = 0.5523  # where the handles of a Bézier curve lie that looks like a quarter circle
_RESET = "S 5 -solid"


def to_image(svg: str, format: str, engine: str, timeout: float) -> bytes:
    """`svg`, one of ours, as ``png`` or ``pdf``. Raises `LayoutError`."""
    root = ET.fromstring(svg)
    wide, high = (float(n) for n in root.get("viewBox", "").split()[2:])
    dot = graphviz.Digraph()
    dot.attr("graph", bgcolor=PAPER[0], pad="0", dpi=str(_SHARPNESS) if format == "png" else "72")
    dot.body.append(f"\t_background={_quoted(_operations(root, 0.0, 0.0, high))}\n")
    size = {"width": f"{wide / 72:.4f}", "height": f"{high / 72:.4f}", "fixedsize": "true"}
    dot.node("page", label="", shape="box", style="invis", pos=f"{wide / 2:.2f},{high / 2:.2f}", **size)
    return run(dot.source, format, engine, timeout, prog="nop2")


def _operations(element: ET.Element, dx: float, dy: float, high: float) -> Iterator[str]:
    """xdot operations of an element and what it holds; xdot's y grows upwards."""
    if move := re.match(r"translate\(([-\d.]+),([-\d.]+)\)", element.get("transform", "")):
        dx, dy = dx + float(move[1]), dy + float(move[2])
    if element.tag == f"{_TAG}path":
        yield from _path(element, dx, dy, high)
    elif element.tag == f"{_TAG}text":
        yield from _text(element, dx, dy, high)
    for child in element:
        yield from _operations(child, dx, dy, high)


def _quoted(operations: Iterator[str]) -> str:
    """The operations as a DOT string, written as a sum of strings: Graphviz reads none above 16 KB."""
    pieces = [""]
    for operation in operations:
        if len(pieces[-1]) + len(operation) > 4000:  # characters, of four bytes at most
            pieces.append("")
        pieces[-1] += operation.replace('"', '\\"') + " "
    return " + ".join(f'"{piece}"' for piece in pieces)


def _text(element: ET.Element, dx: float, dy: float, high: float) -> Iterator[str]:
    font = _FONTS.get(element.get("class", ""), "Helvetica")
    yield f"F {element.get('font-size')} {len(font)} -{font} c 7 -{element.get('fill')}"
    # DOT has no way to write a backslash before a quote: a space of no width keeps them apart
    text = (element.text or "").replace('\\"', '\\\u200b"')
    x, y = float(element.get("x", 0)) + dx, high - float(element.get("y", 0)) - dy
    side = {"start": -1, "end": 1}.get(element.get("text-anchor", "start"), 0)
    yield f"T {x:.1f} {y:.1f} {side} 0 {len(text.encode('utf-8'))} -{text}"


def _path(element: ET.Element, dx: float, dy: float, high: float) -> Iterator[str]:
    dashes = (element.get("stroke-dasharray") or "").split()
    style = "" if not dashes else "dotted" if float(dashes[0]) <= 1 else "dashed"
    pen = f"setlinewidth({element.get('stroke-width', '1')})"
    yield f"S {len(pen)} -{pen} c 7 -{element.get('stroke')}"
    yield f"S {len(style)} -{style}" if style else _RESET
    filled = element.get("fill", "none") != "none" and element.get("fill-opacity") != "0"
    if filled:
        yield f"C 7 -{element.get('fill')}"
    for i, points in enumerate(_curves(element.get("d", ""))):
        placed = " ".join(f"{x + dx:.1f} {high - y - dy:.1f}" for x, y in points)
        yield f"{'b' if filled and i == 0 else 'B'} {len(points)} {placed}"


def _curves(path: str) -> Iterator[list[Point]]:
    """Each piece of an SVG path as the points of one Bézier spline."""
    points: list[Point] = []
    for command, text in re.findall(r"([A-Za-z])([^A-Za-z]*)", path):
        n = [float(number) for number in re.findall(r"-?[\d.]+", text)]
        if command == "M":
            if len(points) > 1:
                yield points
            points = [(n[0], n[1])]
            continue
        x, y = points[-1]
        if command == "C":
            points += zip(n[::2], n[1::2])
        elif command == "a":  # a quarter circle, clockwise: it starts level where both steps have one sign
            ex, ey = n[5], n[6]
            level = ex * ey > 0
            start = (x + ex * _ARC, y) if level else (x, y + ey * _ARC)
            end = (x + ex, y + ey * (1 - _ARC)) if level else (x + ex * (1 - _ARC), y + ey)
            points += [start, end, (x + ex, y + ey)]
        else:
            match command:
                case "L":
                    to = (n[0], n[1])
                case "H":
                    to = (n[0], y)
                case "V":
                    to = (x, n[0])
                case "h":
                    to = (x + n[0], y)
                case "v":
                    to = (x, y + n[0])
                case _:  # z
                    to = points[0]
            points += [(x, y), to, to]
    yield points
