"""Draws autograd graphs: of PyTorch, of minigrad, of anything whose nodes speak PyTorch's public node protocol.

>>> viz.draw(loss)          # the picture, in a notebook
>>> print(viz.text(loss))   # the same graph in words
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from types import FrameType
from typing import Any

from .diff import Difference
from .errors import LayoutError
from .fold import View
from .graph import Edge, Graph, Node, Saved
from .live import live, load_ipython_extension, unload_ipython_extension
from .modules import with_modules
from .names import Names, caller_namespace, explicit_names, named_tensors
from .options import check
from .pause import collector_paused
from .picture import Picture
from .reader import Asked, read
from .record import Gradient, Step, record
from .watch import watch

__all__ = [
    "draw",
    "text",
    "diff",
    "live",
    "record",
    "watch",
    "Picture",
    "Difference",
    "Graph",
    "Node",
    "Edge",
    "Saved",
    "Step",
    "Gradient",
    "LayoutError",
    "load_ipython_extension",
    "unload_ipython_extension",
]


def draw(
    *outputs: Any,
    names: Any = None,
    shapes: bool = False,
    saved: bool = False,
    formula: bool = False,
    order: bool = False,
    source: bool = False,
    untracked: bool | None = None,
    watched: watch | None = None,
    around: str | None = None,
    depth: int | None = None,
    fold: bool = True,
    unfold: str | Collection[str] = (),
    max_nodes: int = 400,
    direction: str = "auto",
    engine: str = "auto",
    timeout: float = 20.0,
    language: str = "auto",
) -> Picture:
    """The picture of the graph that `outputs` came from; nodes that several outputs share are drawn once.

    outputs: tensors with a ``grad_fn``, or leaves that require grad.
    names: {"name": tensor} or a module; else tensors are named after the caller's variables.

    On the nodes, besides names, shapes, small values and gradients:
    shapes: what each operation gave, where its node tells (PyTorch's do).
    saved: the tensors that each operation keeps for its derivative: slot, version, whether they are freed, and where
        backward will stop because one was changed in place.
    formula: what each operation computes, and its derivatives.
    order: when each node was made (→) and when backward runs it (←).
    source: the line that made each node, if anomaly mode was on (``autograd.set_detect_anomaly(True)``).
    untracked: inputs that no gradient flows to; by default where the graph is small.
    watched: a backward pass that failed under `watch`: the node where, and what the error said.

    Of a large graph:
    fold: the parts of a long repetition (an unrolled loop, equal layers) are drawn as one between the first and the
        last, and counted; False draws each, unfold= (the id of such a group, or several) those of one.
    depth: only so many steps back from the outputs, or, with around= (a node's id or a variable's name), from there.
    max_nodes: a graph that is still larger shows its two ends, and one node for all between.
    (PyTorch 2.13 itself overflows the stack when a graph tens of thousands of operations deep is dropped after Python
    has read its ``next_functions``, as any drawing has to: keep such a graph. minigrad's may go.)

    direction: ``right`` (values flow left to right, gradients back), ``up`` (bottom to top), or ``auto``.
    engine: ``pygraphviz``, ``dot`` or ``auto``; timeout: seconds that laying out may take.
    language: of the title and description that a screen reader reads: ``en``, ``zh``, ``both``, or ``auto``: the
        reader's (``MINIGRAD_LANG`` where it is set; that of a notebook in a folder ``en`` or ``zh``; else both).

    Raises TypeError for what is no tensor, ValueError for a tensor without a graph.
    """
    flags = {"formula": formula, "order": order, "source": source}
    check(**flags)
    asked = Asked(untracked, saved, shapes, source, watched)
    graph = _graph(outputs, names, asked, _view(around, depth, fold, unfold, max_nodes), sys._getframe(1))
    extras = [flag for flag, wanted in flags.items() if wanted]
    return Picture(graph, extras=extras, direction=direction, engine=engine, timeout=timeout, language=language)


def diff(a: Any, b: Any) -> Difference:
    """Two graphs side by side, what differs marked: `a` and `b` are pictures, or tensors to be drawn.

    ``print`` shows the difference as text; its ``equal`` says whether there is none.
    """
    frame = sys._getframe(1)

    def picture(side: Any) -> Picture:
        if isinstance(side, Picture):
            return side
        return Picture(_graph((side,), None, Asked(), View(), frame))

    return Difference(picture(a), picture(b))


def text(
    *outputs: Any,
    names: Any = None,
    shapes: bool = False,
    saved: bool = False,
    source: bool = False,
    untracked: bool | None = None,
    watched: watch | None = None,
    around: str | None = None,
    depth: int | None = None,
    fold: bool = True,
    unfold: str | Collection[str] = (),
    max_nodes: int = 400,
) -> str:
    """The graph in words: what `draw` shows, stable from run to run, for terminals, tests and screen readers."""
    asked = Asked(untracked, saved, shapes, source, watched)
    view = _view(around, depth, fold, unfold, max_nodes)
    return Picture(_graph(outputs, names, asked, view, sys._getframe(1))).text


def _view(around: str | None, depth: int | None, fold: bool, unfold: str | Collection[str], max_nodes: int) -> View:
    check(unfold=unfold)
    return View(around, depth, fold, (unfold,) if isinstance(unfold, str) else tuple(unfold), max_nodes)


def _graph(outputs: tuple[Any, ...], names: Any, asked: Asked, view: View, frame: FrameType) -> Graph:
    known = Names(explicit_names(names), named_tensors(caller_namespace(frame)))
    with collector_paused():
        return with_modules(read(outputs, known, asked, view.of))
