"""The operation of a learner's that raised an error: what is written there, and the tensors that it was given."""

from __future__ import annotations

import ast
import linecache
import traceback
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import FrameType
from typing import Any

from ..language import first_line
from ..model.graph import Edge, Graph, Node
from ..model.protocol import is_tensor
from ..model.values import shape_of, shape_text
from ..model.written import parsed
from ..strings import clean

_LONGEST = 40  # letters of an expression


class Failed:
    """`text`: what is written; `is_pass`: that is a backward pass; `tensors`: that it was given, as far as they have
    names; `error`: its first line."""

    def __init__(self, written: ast.expr, frame: FrameType, error: BaseException) -> None:
        self.text, self.error = clean(ast.unparse(written), _LONGEST), first_line(error)
        self.is_pass, given = False, list[ast.expr]()
        match written:
            case ast.BinOp(left, _, right):
                given = [left, right]
            case ast.Call(function, arguments):
                self.is_pass = ast.unparse(function).rpartition(".")[2] in ("backward", "grad")
                given = [function.value, *arguments] if isinstance(function, ast.Attribute) else arguments
        known = {**frame.f_globals, **frame.f_locals}
        self.tensors = tuple(t for n in given if isinstance(n, ast.Name) and is_tensor(t := known.get(n.id)))

    def drawn(self, graph: Graph, ids: Iterable[str | None]) -> Graph:
        """`graph` with the operation in it that did not come about; `ids` are those of its tensors."""
        shapes = ", ".join(shape_text(shape_of(tensor)) for tensor in self.tensors)
        node = Node("failed", "op", self.text, stops=True, error=f"{shapes}  {self.error}")
        edges = tuple(Edge(node.id, target, "untracked", nr) for nr, target in enumerate(ids) if target)
        return replace(graph, nodes=(*graph.nodes, node), edges=(*graph.edges, *edges), roots=(*graph.roots, node.id))


def failed(error: BaseException | None, notebook: Mapping[str, Any]) -> tuple[Failed | None, FrameType | None]:
    """What in the `notebook` raised `error`, and the frame that it ran in; None where that is not known."""
    if error is None:
        return None, None
    walked = zip(traceback.walk_tb(error.__traceback__), traceback.extract_tb(error.__traceback__))
    inner = [(frame, at) for (frame, _), at in walked if frame.f_globals is notebook]
    match parsed(_written(inner[-1][1])) if inner else []:
        case [ast.Expr(written)]:
            return Failed(written, inner[-1][0], error), inner[-1][0]
    return None, None


def _written(at: traceback.FrameSummary) -> str:
    """What was computed there; empty where it goes over several lines."""
    if at.lineno is None or at.lineno != at.end_lineno or at.colno is None:
        return ""
    return linecache.getline(at.filename, at.lineno).encode()[at.colno : at.end_colno].decode(errors="replace").strip()
