"""The operation of a learner's that raised an error: what is written there, and the tensors that it was given."""

from __future__ import annotations

import ast
import linecache
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

from ..language import first_line
from ..model.graph import Edge, Graph, Node
from ..model.protocol import is_tensor
from ..model.values import shape_of, shape_text
from ..strings import clean

_LONGEST = 40  # letters of an expression


@dataclass(frozen=True)
class Failed:
    """What is written, the tensors that it was given, as far as they have names, and the error's first line."""

    text: str
    tensors: tuple[Any, ...]
    error: str

    def drawn(self, graph: Graph, ids: list[str]) -> Graph:
        """`graph` with the operation in it that did not come about; `ids` are those of its tensors."""
        shapes = ", ".join(shape_text(shape_of(tensor)) for tensor in self.tensors)
        node = Node("failed", "op", self.text, stops=True, error=f"{shapes}  {self.error}")
        known = [(nr, target) for nr, target in enumerate(ids) if target]
        edges = tuple(Edge(node.id, target, "untracked", nr) for nr, target in known)
        return replace(graph, nodes=(*graph.nodes, node), edges=(*graph.edges, *edges), roots=(*graph.roots, node.id))


@dataclass(frozen=True)
class Place:
    """Where a learner's program was when it raised an `error`: the `frame`, and what is `written` there."""

    error: BaseException
    frame: FrameType
    written: ast.expr

    @property
    def is_pass(self) -> bool:
        """Whether it is a backward pass that failed."""
        called = ast.unparse(self.written.func) if isinstance(self.written, ast.Call) else ""
        return called.rpartition(".")[2] in ("backward", "grad")


def where_raised(error: BaseException | None, notebook: Mapping[str, Any]) -> Place | None:
    """Where in the `notebook` an error was raised; None where that is not known."""
    if error is None:
        return None
    walked = zip(traceback.walk_tb(error.__traceback__), traceback.extract_tb(error.__traceback__))
    inner = [(frame, at) for (frame, _), at in walked if frame.f_globals is notebook]
    written = _written(inner[-1][1]) if inner else None
    return Place(error, inner[-1][0], written) if written is not None else None


def failed(place: Place | None) -> Failed | None:
    """The operation that raised an error; None where that is a pass, or was given no tensor."""
    if place is None or place.is_pass:
        return None
    names: list[ast.expr] = []
    match place.written:
        case ast.BinOp(left, _, right):
            names = [left, right]
        case ast.Call(function, arguments):
            names = [*([function.value] if isinstance(function, ast.Attribute) else []), *arguments]
    known = {**place.frame.f_globals, **place.frame.f_locals}
    tensors = tuple(t for name in names if isinstance(name, ast.Name) and is_tensor(t := known.get(name.id)))
    text = clean(ast.unparse(place.written), _LONGEST)
    return Failed(text, tensors, first_line(place.error)) if tensors else None


def _written(at: traceback.FrameSummary) -> ast.expr | None:
    """The expression that was computed there; None where it goes over several lines."""
    if at.lineno is None or at.lineno != at.end_lineno or at.colno is None:
        return None
    text = linecache.getline(at.filename, at.lineno).encode()[at.colno : at.end_colno].decode(errors="replace")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None
