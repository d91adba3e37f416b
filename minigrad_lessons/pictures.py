"""The index's pictures: one small picture out of each lesson."""

from __future__ import annotations

import re

import nbformat

WIDTH, HEIGHT = 220, 110  # pixels, at most

# The cell whose picture says best what a lesson is about; elsewhere the first picture does.
CHOSEN = {
    "01_first_gradient": "slope-slider",
    "04_leaves": "flags",
    "06_accumulate": "filling",
    "07_jacobians": "jacobian",
    "08_stop_recording": "dead-end",
    "09_updating": "growing",
    "13_your_own_op": "quotient",
    "14_build_it": "spiral",
    "15_fix_it": "growing",
    "16_across_machines": "cut",
}


def picture(name: str, notebook: str) -> str | None:
    """A lesson's small picture as SVG, out of its notebook's text; None for the index and for a page without any."""
    chosen = CHOSEN.get(name)
    drawn = [
        output["data"]["image/svg+xml"]
        for cell in nbformat.reads(notebook, as_version=4).cells
        if chosen is None or cell.metadata.get("title") == chosen
        for output in cell.get("outputs", [])
        if "image/svg+xml" in output.get("data", {})
    ]
    return small(drawn[0]) if drawn and name != "00_index" else None


def small(svg: str) -> str:
    """The same drawing in a frame of at most WIDTH by HEIGHT pixels."""
    head = re.search(r"<svg\b[^>]*>", svg)
    width, height = map(float, re.search(r'viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"', head[0]).groups())
    scale = min(WIDTH / width, HEIGHT / height)
    bare = re.sub(r'\s(?:width|height)="[^"]*"', "", head[0])
    sized = bare.replace("<svg", f'<svg width="{width * scale:.0f}" height="{height * scale:.0f}"', 1)
    return sized + svg[head.end() :].rstrip() + "\n"
