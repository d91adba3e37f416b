"""The operation of a learner's that raised an error: what is written there, and the tensors that it was given."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from types import FrameType
from typing import Any

from ..language import first_line
from ..model.graph import Edge, Graph, Node
from ..model.protocol import is_tensor
from ..model.values import shape_of, shape_text
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
    from executing import Source  # IPython brings it, which a recording does without

    at, inner = error.__traceback__ if error else None, None
    while at is not None:
        inner = at if at.tb_frame.f_globals is notebook else inner
        at = at.tb_next
    with suppress(RecursionError):  # an expression that is nested too deep
        written = Source.executing(inner).node if inner else None
        if error is not None and inner is not None and isinstance(written, ast.expr):
            return Failed(written, inner.tb_frame, error), inner.tb_frame
    return None, None
