"""The operation of a learner's that raised an error: what is written there, and the tensors that it was given."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from types import FrameType, TracebackType
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
    inner = list(_frames(error.__traceback__ if error else None, notebook))
    written = _written(*inner[-1]) if inner else None
    if error is None or written is None:
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


def _frames(traceback: TracebackType | None, notebook: Mapping[str, Any]) -> Iterator[tuple[FrameType, int]]:
    """The frames of the notebook's own code, the innermost last, and which instruction each is at."""
    while traceback is not None:
        if traceback.tb_frame.f_globals is notebook:
            yield traceback.tb_frame, traceback.tb_lasti
        traceback = traceback.tb_next


def _written(frame: FrameType, at: int) -> ast.expr | None:
    code = frame.f_code
    line, last, start, end = next(islice(code.co_positions(), at // 2, None), (None,) * 4)
    if line is None or line != last or start is None:
        return None
    text = linecache.getline(code.co_filename, line).encode()[start:end].decode(errors="replace")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None
