"""The operation of a learner's that raised an error: what is written there, and the tensors that it was given."""

from __future__ import annotations

import ast
import linecache
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, replace
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


def failed(error: BaseException | None, notebook: Mapping[str, Any]) -> Failed | None:
    """The operation of the `notebook` that raised `error`; None where that is not known, or it was given no tensor."""
    if error is None:
        return None
    walked = zip(traceback.walk_tb(error.__traceback__), traceback.extract_tb(error.__traceback__))
    inner = [(frame, at) for (frame, _), at in walked if frame.f_globals is notebook]
    written = _written(inner[-1][1]) if inner else None
    if written is None:
        return None
    frame, names = inner[-1][0], []
    match written:
        case ast.BinOp(left, _, right):
            names = [left, right]
        case ast.Call(function, arguments):
            names = [*([function.value] if isinstance(function, ast.Attribute) else []), *arguments]
    if isinstance(written, ast.Call) and ast.unparse(written.func).rpartition(".")[2] in ("backward", "grad"):
        return None  # that is a pass
    known = {**frame.f_globals, **frame.f_locals}
    tensors = tuple(t for name in names if isinstance(name, ast.Name) and is_tensor(t := known.get(name.id)))
    return Failed(clean(ast.unparse(written), _LONGEST), tensors, first_line(error)) if tensors else None


def _written(at: traceback.FrameSummary) -> ast.expr | None:
    """The expression that was computed there; None where it goes over several lines."""
    if at.lineno is None or at.lineno != at.end_lineno or at.colno is None:
        return None
    text = linecache.getline(at.filename, at.lineno).encode()[at.colno : at.end_colno].decode(errors="replace")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None
