"""A graph and its layout as the viewer in the browser is given them: ``notebook/static/live.schema.json`` says how."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..language import LANGUAGES, Words
from ..model.graph import Graph
from .cards import formula


def scene_of(
    graph: Graph,
    ways: Sequence[Mapping[str, Any]],
    *,
    text: str,
    serial: int = 1,
    cell: int | None = None,
    busy: bool = False,
    born: Mapping[str, int] = {},
    origins: Mapping[str, str] = {},
    moved: Iterable[tuple[str, str, str]] = (),
    note: Words | None = None,
    earlier: Mapping[str, Any] | None = None,
    code: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """The `graph`, drawn in one or two `ways`, or in none; `text` says the same in words.

    serial, born: which of several scenes it is, and in which each node came; cell, busy: the cell that made it, and
    whether it still runs; origins: the line that made each node; moved: (name, the id that it stood for, and stands
    for); note: what is to be said of it; earlier: the names of older results that are not in it, or, where it is
    ``open``, are; code: the cells that made it.
    """
    here = {node.id for node in graph.nodes}
    way, other = (*ways, None, None)[:2]
    places = way["places"] if way else {}
    nodes = []
    for node in graph.nodes:
        place = dict(zip(("x", "y", "width", "height"), places.get(node.id, (0.0, 0.0, 0.0, 0.0))))
        said = {"formula": {lang: formula(node, lang) for lang in LANGUAGES}}
        known = {"born": born.get(node.id, serial), "source": origins.get(node.id, "")}
        nodes.append(node.to_dict() | said | place | known)
    return {
        "serial": serial,
        "cell": cell,
        "busy": busy,
        "svg": way["svg"] if way else "",
        "width": way["width"] if way else 0.0,
        "height": way["height"] if way else 0.0,
        "direction": way["direction"] if way else "right",
        "other": other,
        **graph.to_dict(),
        "nodes": nodes,
        "text": text,
        "moved": [
            {"name": name, "from": before if before in here else None, "to": after}
            for name, before, after in moved
            if after in here
        ],
        "note": note or {"en": "", "zh": ""},
        "earlier": earlier or {"names": [], "open": False},
        "code": list(code),
    }
