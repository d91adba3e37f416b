"""A drawn graph: shown by a notebook, saved to a file, printed as text."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import browser
from ..language import words
from ..model.graph import Graph
from ..settings import check, docks, reader
from .cards import Card, card, gap
from .fold import View
from .long import is_large, with_long
from .render import Layout, LayoutError, layout, missing, run
from .svg import BESIDE, MARGIN, WIDE, canvas, caption, to_svg
from .text import to_text
from .theme import PAPER

if TYPE_CHECKING:
    from graphviz import Digraph

_NO_WORDS = {"en": "", "zh": ""}
_NOTHING: dict[str, Any] = {"moved": [], "code": [], "earlier": {"names": [], "open": False}, "cell": None}
_NOT_DRAWN: dict[str, Any] = {"svg": "", "width": 0.0, "height": 0.0, "direction": "right", "places": {}}


class Picture:
    """The picture of a `graph`, with `extras` (``saved``, ``formula``, ``order``, ``error``) on its nodes.

    Laying out happens when the picture is first shown or saved, by `lay_out` of DOT text. `opening` gives the graph
    with groups of these ids opened, for a page.

    `text`, and `alt`, what `print` and `repr` give, need nothing installed, `source`, its DOT text, the `graphviz`
    package, `svg` Graphviz itself.
    """

    def __init__(
        self,
        graph: Graph,
        *,
        extras: Collection[str] = (),
        direction: str = "auto",
        lay_out: Callable[[str], Layout] = layout,
        opening: Callable[[tuple[str, ...]], Graph] | None = None,
    ) -> None:
        check(direction=direction)
        self.graph = graph
        self._extras = tuple(extras)
        self._direction = direction
        self._lay_out = lay_out
        self._opening = opening or partial(View().of, graph)
        self._lang = reader()

    @cached_property
    def text(self) -> str:
        """The graph in words; equal programs give equal text."""
        return to_text(self.graph)

    @cached_property
    def alt(self) -> str:
        """What `text` says, in the reader's language; in English where none is known."""
        return to_text(self.graph, self._lang)

    @property
    def title(self) -> str:
        """The same in one sentence."""
        return self.alt.partition("\n")[0]

    @cached_property
    def cards(self) -> dict[str, Card]:
        """What is written on each node, by its id."""
        tall = self.direction == "right"
        return {node.id: card(node, self._extras, self._lang, tall) for node in self.graph.nodes}

    @cached_property
    def direction(self) -> str:
        """``right`` where the picture then fits a cell's width, else ``down``."""
        if self._direction != "auto":
            return self._direction
        room = BESIDE if docks() else WIDE
        between = 72 * gap(self.graph, "right")
        longest: dict[str, float] = {}  # of the ways from each node to a leaf, laid out in a row
        for node in self.graph.nodes:  # what it leads to comes before it
            after = [longest[edge.target] for edge in self.graph.edges_from(node.id) if edge.target in longest]
            wide = card(node, self._extras, self._lang, tall=True).width
            longest[node.id] = wide + max(after, default=-between) + between
            if longest[node.id] > room:
                return "down"
        return "right"

    @property
    def digraph(self) -> Digraph:
        """What Graphviz lays out, as a new `graphviz.Digraph`, to be changed at will: its ``source`` is that package's,
        as are ``pipe`` and ``render``, which need a ``dot`` program. Graphviz's are the places of boxes, frames and (of
        all but large graphs) edges; the shapes, colours and letters of ``svg`` are ours."""
        return self._digraph()

    def _digraph(self, words: bool = True) -> Digraph:
        try:
            from .dot import to_dot  # only now: the text of a graph needs no `graphviz` package
        except ModuleNotFoundError:
            raise missing() from None
        return to_dot(self.graph, self.cards, self.direction, words)

    @cached_property
    def source(self) -> str:
        """The picture as DOT text, for any Graphviz program; equal programs give equal text."""
        return self.digraph.source

    @cached_property
    def layout(self) -> Layout:
        """Where Graphviz put everything. Raises `LayoutError`."""
        placed = self._lay_out(self._digraph(words=False).source)
        return with_long(self.graph, self.cards, placed, self.direction)

    def scene(self, drawn: bool = True, **more: Any) -> dict[str, Any]:
        """The graph as ``notebook/static/live.schema.json`` describes it for the viewer in the browser; `more` is what
        else stands there. A small graph is drawn in two ways, of which a page shows the one that fits it. Raises
        `LayoutError`, unless it is not to be `drawn`."""
        way, other = dict(self._placed if drawn and self.graph.nodes else _NOT_DRAWN), None
        places = way.pop("places")
        if places and self._direction == "auto" and not is_large(self.graph):
            direction = "down" if self.direction == "right" else "right"
            other = self._like(self.graph, direction)._placed
        origins, scene = more.pop("origins", {}), self.graph.to_dict()
        for node in scene["nodes"]:
            place = places.get(node["id"], (0.0,) * 4)
            node |= dict(zip(("x", "y", "width", "height"), place)) | {"source": origins.get(node["id"], "")}
        text = self.alt if self.graph.nodes else ""
        count = sum(node.count for node in self.graph.nodes if node.kind == "folded")
        folded = words("foldedNote", n=f"{count:,}") if count else _NO_WORDS
        told = {"serial": 1, "busy": False, "note": _NO_WORDS, "folded": folded, "text": text, "other": other}
        return _NOTHING | way | scene | told | more

    @property
    def _placed(self) -> dict[str, Any]:
        """The picture and where in it the nodes are and how large, as a ``way`` of live.schema.json."""
        wide, high, left = canvas(self.layout, caption(self.graph, self.direction))
        places = {
            k: [round(x + left, 1), round(y + MARGIN, 1), self.cards[k].width, self.cards[k].height]
            for k, (x, y) in self.layout.nodes.items()
        }
        return {"direction": self.direction, "svg": self.svg, "width": wide, "height": high, "places": places}

    @cached_property
    def svg(self) -> str:
        """The picture as standalone SVG. Raises `LayoutError`."""
        return to_svg(self.graph, self.cards, self.layout, self.direction, self.alt, self._lang)

    def __repr__(self) -> str:
        return self.alt

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        try:
            svg = self.svg
        except LayoutError as error:
            return {"text/plain": f"{self.alt}\n\n{error}"}
        return {"text/html": browser.as_html(svg, self.alt), "image/svg+xml": svg, "text/plain": self.alt}

    def _repr_html_(self) -> str | None:  # for who asks for HTML alone, as sphinx-gallery
        return self._repr_mimebundle_().get("image/svg+xml")

    def save(self, path: str | PathLike[str]) -> Path:
        """Writes the picture; the suffix chooses the format: .svg .png .pdf .html .dot .txt .json. Returns the path."""
        formats: dict[str, Callable[[], Any]] = {
            ".svg": lambda: self.svg,
            ".png": lambda: self._drawn("png"),
            ".pdf": lambda: self._drawn("pdf"),
            ".html": lambda: browser.page(self._opened, self.title, browser.as_html(self.svg, self.alt, unfold=False)),
            ".dot": lambda: self.source,
            ".txt": lambda: self.text + "\n",
            ".json": self.graph.to_dict,
        }
        return browser.save(path, formats, 'picture.save("graph.svg")')

    def _like(self, graph: Graph, direction: str) -> Picture:
        return Picture(graph, extras=self._extras, direction=direction, lay_out=self._lay_out)

    def _opened(self, groups: tuple[str, ...]) -> dict[str, Any]:
        picture = self._like(self._opening(groups), self._direction) if groups else self
        return browser.state(picture.scene())

    def _drawn(self, format: str) -> bytes:
        """By Graphviz itself, in the colours of the light theme."""
        digraph = self.digraph
        way = caption(self.graph, self.direction)[self._lang]
        dpi = 72.0
        if format == "png":
            width, height = self.layout.width, self.layout.height
            most = dpi * min((2e7 / (width * height)) ** 0.5, 3e4 / max(width, height))  # a larger one takes for ever
            dpi = min(192.0, most)
        digraph.attr("graph", bgcolor=PAPER[0], pad="0.2", dpi=f"{dpi:.0f}", label=way)
        return run(digraph.source, format)
