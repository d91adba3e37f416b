"""A drawn graph: shown by a notebook, saved to a file, printed as text."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

from .cards import Card, card, describe
from .dot import gap, is_large, to_dot
from .errors import LayoutError, message
from .graph import Graph
from .html import as_html, as_page
from .image import to_image
from .language import spoken
from .mermaid import to_mermaid
from .options import check
from .pause import collector_paused
from .render import Layout, layout
from .route import route
from .svg import WIDE, to_svg
from .text import to_text


class Shown:
    """Something with a `text` and an `svg`: how a notebook and `print` show it."""

    text: str  # in English, so that equal programs give equal text
    alt: str  # in the reader's language, for who does not see the picture
    svg: str

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        try:
            svg = self.svg
        except LayoutError as error:
            return {"text/plain": f"{self.text}\n\n{error}"}
        return {"text/html": as_html(svg, self.alt), "image/svg+xml": svg, "text/plain": self.text}


class Picture(Shown):
    """The picture of a `graph`, with `extras` (``formula``, ``order``, ``source``) on its nodes.

    Laying out happens when the picture is first shown or saved, by `lay_out` of DOT text, engine and timeout;
    `roomy` leaves room for a gradient on each edge. `language` is that of its title and description: ``"en"``,
    ``"zh"``, ``"both"``, or ``"auto"``, the reader's (see `viz.language`).

    `text` (also what `print` and `repr` give) and `source`, its DOT text, need no Graphviz; `svg` does.
    """

    def __init__(
        self,
        graph: Graph,
        *,
        extras: Collection[str] = (),
        marks: Collection[str] = (),
        direction: str = "auto",
        engine: str = "auto",
        timeout: float = 20.0,
        lay_out: Callable[[str, str, float], Layout] = layout,
        roomy: bool = False,
        language: str = "auto",
    ) -> None:
        check(graph=graph, direction=direction, engine=engine, timeout=timeout, language=language)
        self.graph = graph
        self._extras = tuple(extras)
        self._marks = frozenset(marks)
        self._direction = direction
        self._engine = engine
        self._timeout = timeout
        self._lay_out = lay_out
        self._roomy = roomy
        self._language = language

    @cached_property
    def text(self) -> str:
        """The graph in words; equal programs give equal text."""
        return to_text(self.graph)

    @property
    def title(self) -> str:
        """The graph in one sentence, in the reader's language."""
        return " · ".join(describe(self.graph, lang) for lang in spoken(self._language))

    @property
    def alt(self) -> str:
        """What `text` says, in the reader's language: in both, one after the other, where none is known."""
        return "\n\n".join(to_text(self.graph, lang) for lang in spoken(self._language))

    @cached_property
    def cards(self) -> dict[str, Card]:
        """What is written on each node, by its id."""
        return {node.id: card(node, self._extras) for node in self.graph.nodes}

    @cached_property
    def direction(self) -> str:
        """``right`` where the picture then fits a notebook's width, else ``up``."""
        if self._direction != "auto":
            return self._direction
        between = 72 * gap(self.graph, "right", self._roomy)
        return "right" if _length(self.graph, self.cards, between) <= WIDE else "up"

    @cached_property
    def source(self) -> str:
        """The picture as DOT text, for any Graphviz program; equal programs give equal text."""
        return to_dot(self.graph, self.cards, self.direction)

    @cached_property
    def mermaid(self) -> str:
        """The picture as Mermaid text."""
        return to_mermaid(self.graph, self.cards, self.direction)

    @cached_property
    def layout(self) -> Layout:
        """Where Graphviz put everything. Raises `LayoutError`."""
        with collector_paused():
            dot = to_dot(self.graph, self.cards, self.direction, for_layout=True, roomy=self._roomy)
            placed = self._lay_out(dot, self._engine, self._timeout)
            return route(self.graph, self.cards, placed, self.direction) if is_large(self.graph) else placed

    @cached_property
    def svg(self) -> str:
        """The picture as standalone SVG. Raises `LayoutError`."""
        with collector_paused():
            return to_svg(self.graph, self.cards, self.layout, self.direction, self.title, self.alt, self._marks)

    def marked(self, ids: Collection[str]) -> Picture:
        """The same picture with the nodes `ids` marked."""
        return Picture(
            self.graph,
            extras=self._extras,
            marks=ids,
            direction=self._direction,
            engine=self._engine,
            timeout=self._timeout,
            language=self._language,
        )

    def save(self, path: str | PathLike[str]) -> Path:
        """Writes the picture; the suffix chooses the format: .svg .png .pdf .html .dot .mmd
        (Mermaid) .txt .json. Returns the path."""
        check(path=path)
        path = Path(path)
        write = self._formats().get(path.suffix.lower())
        if write is None:
            known = " ".join(self._formats())
            raise ValueError(
                message(
                    f"cannot save a picture as {path.name!r}: unknown file suffix {path.suffix!r}",
                    f'Use one of {known}, for example picture.save("graph.svg").',
                    f'不认识的文件后缀 {path.suffix!r}。可用：{known}，例如 picture.save("graph.svg")。',
                )
            )
        path.write_bytes(write())
        return path

    def _formats(self) -> dict[str, Callable[[], bytes]]:
        return {
            ".svg": lambda: self.svg.encode("utf-8"),
            ".png": lambda: self._image("png"),
            ".pdf": lambda: self._image("pdf"),
            ".dot": lambda: self.source.encode("utf-8"),
            ".mmd": lambda: self.mermaid.encode("utf-8"),
            ".html": lambda: as_page(self.svg, self.title).encode("utf-8"),
            ".txt": lambda: (self.text + "\n").encode("utf-8"),
            ".json": lambda: json.dumps(self.graph.to_dict(), ensure_ascii=False, indent=1).encode(
                "utf-8",
                "backslashreplace",  # a lone surrogate, which UTF-8 refuses, as JSON writes it
            ),
        }

    def _image(self, format: str) -> bytes:
        return to_image(self.svg, format, self._engine, self._timeout)


def _length(graph: Graph, cards: dict[str, Card], between: float) -> float:
    """Pixels along the longest path from an output to a leaf, laid out in a row with so many between the nodes."""
    forward = {node.id: i for i, node in enumerate(graph.nodes)}
    longest = {node.id: cards[node.id].width for node in graph.nodes}
    outgoing: dict[str, list[str]] = {}
    for edge in graph.edges:
        outgoing.setdefault(edge.source, []).append(edge.target)
    for node_id in sorted(forward, key=forward.__getitem__):
        after = [longest[target] for target in outgoing.get(node_id, ())]
        longest[node_id] += max(after, default=-between) + between
    return max(longest.values())
