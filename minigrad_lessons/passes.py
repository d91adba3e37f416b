"""The backward passes of a lesson, recorded while it runs: what a page without a kernel plays.

The lesson runs in a process of its own, from top to bottom as in a notebook: a cell that raises ends there, the next
one goes on. Only what ships with this package is run, never a stranger's notebook.
"""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

Cells = Sequence[tuple[int, str]]  # numbers and code of a notebook's cells


def record_all(lessons: Mapping[str, Cells]) -> dict[str, dict[int, list[Any]]]:
    """Of each lesson, by its name, the passes of each cell that ran some, as ``static/live.schema.json`` of viz
    describes them."""
    with (
        tempfile.TemporaryDirectory() as nobody,
        ProcessPoolExecutor(
            os.cpu_count(), get_context("spawn"), _apart, (str(Path(nobody, "progress.json")),), max_tasks_per_child=1
        ) as processes,
    ):
        return dict(zip(lessons, processes.map(record, lessons.values())))


def _apart(progress: str) -> None:
    """What is answered here is nobody's progress."""
    os.environ["MINIGRAD_PROGRESS"] = progress


def record(cells: Cells) -> dict[int, list[Any]]:
    """The passes of one lesson, by the number of the cell."""
    import viz

    viz.live = lambda *_, **__: None  # follows a notebook, and this is not one
    recorded: list[Any] = []
    recorder = viz.record

    def noted(*tensors: Any) -> Any:
        recorded.append(recorder(*tensors))
        return recorded[-1]

    def watch(tensor: Any) -> Any:
        try:
            return noted(tensor)
        except TypeError:  # an engine of the learner's own that says too little of itself
            return contextlib.nullcontext()

    viz.record = noted  # what a lesson records itself
    namespace = {"__name__": "__main__", "display": lambda *_: None, _Watch.name: watch}
    found = {}
    for number, code in cells:
        recorded.clear()
        with _unheard(), contextlib.suppress(Exception):
            file = f"<cell {number}>"
            linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
            exec(compile(_Watch().visit(ast.parse(code)), file, "exec"), namespace)
        if passes := [run.trace for run in recorded if run.steps]:
            found[number] = passes
    return found


@contextlib.contextmanager
def _unheard() -> Iterator[None]:
    """Nobody reads what a lesson prints here."""
    nowhere = io.StringIO()
    with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        yield


class _Watch(ast.NodeTransformer):
    """Puts ``loss.backward()`` into ``with viz.record(loss):``, where the cell itself says it: one in a loop or in a
    function runs many times, and once is enough to see."""

    name = "__watch"

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        match node.value:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=tensor), attr="backward")):
                watched = ast.parse(f"with {self.name}({tensor}): pass").body[0]
                watched.body = [node]
                return ast.fix_missing_locations(ast.copy_location(watched, node))
        return node

    def visit_With(self, node: ast.With) -> ast.AST:
        records = any("viz.record(" in ast.unparse(item.context_expr) for item in node.items)
        return node if records else self.generic_visit(node)

    def _as_it_is(self, node: ast.AST) -> ast.AST:
        return node

    visit_For = visit_While = visit_FunctionDef = visit_ClassDef = _as_it_is
