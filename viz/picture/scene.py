"""A graph and its layout as the viewer in the browser is given them: ``notebook/static/live.schema.json`` says how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..language import LANGUAGES
from ..model.graph import Graph
from .cards import formula


def scene_of(graph: Graph, ways: Sequence[Mapping[str, Any]], text: str, **more: Any) -> dict[str, Any]:
    """The `graph`, drawn in one or two `ways`, or in none; `text` says the same in words.

    more: ``serial``, ``born``: which of several scenes it is, and in which each node came; ``cell``, ``busy``: the cell
    that made it, and whether it still runs; ``origins``: the line that made each node; ``moved``: which names stood for
    another node; ``note``: what is to be said of it; ``earlier``: the names of older results that are not in it, or,
    where it is ``open``, are; ``code``: the cells that made it.
    """
    born, origins, serial = more.pop("born", {}), more.pop("origins", {}), more.get("serial", 1)
    way, other = (*ways, None, None)[:2]
    nodes = []
    for node in graph.nodes:
        place = zip(("x", "y", "width", "height"), way["places"][node.id] if way else (0.0,) * 4)
        known = {"born": born.get(node.id, serial), "source": origins.get(node.id, "")}
        known["formula"] = {lang: formula(node, lang) for lang in LANGUAGES}
        nodes.append(node.to_dict() | dict(place) | known)
    empty = {"svg": "", "width": 0.0, "height": 0.0, "direction": "right"}
    usual = {"serial": 1, "cell": None, "busy": False, "moved": [], "note": {"en": "", "zh": ""}, "code": []}
    usual["earlier"] = {"names": [], "open": False}
    drawn = {key: (way or empty)[key] for key in empty} | {"other": other}
    return usual | drawn | graph.to_dict() | {"nodes": nodes, "text": text} | more
