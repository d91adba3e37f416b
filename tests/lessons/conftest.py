"""Run a lesson's cells inside the test process, on minigrad or on PyTorch."""

import contextlib
import importlib
import io
import linecache
import sys
import warnings

import pytest

from minigrad_lessons import predict
from minigrad_lessons.source import SOURCES, Code, Lesson

ENGINE = SOURCES.parent / "engine.py"  # what the exercises of lesson 14 lead to


@pytest.fixture(autouse=True)
def _no_prediction():
    """Each test has a kernel of its own, as far as predictions go."""
    predict.forget()


class Learner:
    """Somebody who runs a lesson's cells from the top, and types something else into one of them."""

    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson

    def runs(self, exercise: Code, source: str) -> str:
        """What is printed when `source` stands in place of the exercise's cell."""
        namespace: dict = {"__name__": "__main__"}
        for cell in self.lesson.code:
            if cell is exercise:
                if "builds" in cell.tags:  # on what the exercises before it gave, and what it has given itself
                    exec(ENGINE.read_text(encoding="utf-8"), namespace)
                return _run(source, namespace)
            if {"minigrad-only", "long"} & {*cell.tags}:  # minigrad's own source; a training that no exercise builds on
                continue
            raised = False
            try:
                _run(cell.source, namespace)
            except Exception:
                raised = True
                if "raises-exception" not in cell.tags:
                    raise
            assert raised == ("raises-exception" in cell.tags)
        raise AssertionError("the exercise is no cell of this lesson")


def _run(source: str, namespace: dict) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # lessons 4 and 5 provoke one on purpose
        # A notebook keeps the text of its cells where Python looks for that of a function.
        name = f"<cell {len(linecache.cache)}>"
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        exec(compile(source, name, "exec"), namespace)
    return printed.getvalue()


LIBRARIES = ("minigrad", "torch")


def minigrad_is(library, patch):
    """`import minigrad` gives that library, which is returned, as long as the patch lasts."""
    module = pytest.importorskip(library)
    if library == "torch":
        for part in ("", ".autograd"):
            patch.setitem(sys.modules, f"minigrad{part}", importlib.import_module(f"torch{part}"))
    return module


@pytest.fixture(params=LIBRARIES)
def engine(request, monkeypatch):
    """`import minigrad` gives minigrad, then PyTorch: a check must work on the tensors of both."""
    return minigrad_is(request.param, monkeypatch)
