"""Draws autograd graphs: of PyTorch, of minigrad, of anything whose nodes speak PyTorch's public node protocol.

>>> viz.draw(loss)          # the picture, in a notebook
>>> print(viz.text(loss))   # the same graph in words
"""

import sys
from collections.abc import Collection
from functools import partial
from typing import Any

from .model.graph import Edge, Graph, Node, Saved
from .model.kept import collector_paused
from .model.names import Names, caller_namespace, explicit_names, named_tensors
from .model.reader import Reader, outputs_of
from .model.values import TensorInfo
from .notebook.live import live
from .notebook.record import play, record
from .notebook.replay import Step
from .picture.fold import View
from .picture.picture import Picture
from .picture.render import LayoutError
from .settings import ON_NODES, SHOWN, check, options

__all__ = [
    "draw",
    "text",
    "live",
    "record",
    "play",
    "Picture",
    "Graph",
    "Node",
    "Edge",
    "Saved",
    "Step",
    "LayoutError",
    "TensorInfo",
    "options",
]

_WHOLE = 1_000  # operations: of a larger graph nothing is read that a picture does not show


def draw(
    *outputs: Any,
    names: Any = None,
    show: str | Collection[str] = (),
    around: str | None = None,
    depth: int | None = None,
    modules: int | None = None,
    max_nodes: int = 400,
    direction: str = "auto",
) -> Picture:
    """The picture of the graph that `outputs` came from; nodes that several outputs share are drawn once.

    outputs: tensors with a ``grad_fn``, leaves that require grad, autograd nodes (a ``grad_fn`` itself), lists and
        tuples of them; or a recorded pass (see `record`): the graph it ran through, with a mark on the node where it
        failed, and what the error said.
    names: {"name": tensor} or a module; else tensors are named after the caller's variables.

    show: one of these words, or several, ``show=("saved", "order")``. On the nodes, besides names, small values and
        gradients:
        ``saved``: the tensors that each operation keeps for its derivative: slot, version, whether they are freed, and
        where backward will stop because one was changed in place;
        ``formula``: what each operation computes, and its derivatives;
        ``order``: when each node was made (→) and when backward runs it (←).
        What is otherwise left out of a large graph, or folded:
        ``untracked``: inputs that no gradient flows to; without this word, all of them up to 30 operations, and up to
        1,000 those with a name, except a module's frozen parameters and what more than four operations take;
        ``repeats``: every part of a long repetition (an unrolled loop, equal layers); without it, the first, the last,
        and one node that counts those between. The id of such a group (``fold1``) opens that group alone, and so does
        a module's name (``net.layer1``) or id.

    depth: only so many steps back from the outputs, or, with around= (a node's id, or the name of a variable or of a
        module: around="net.layer1", depth=0 shows that alone), from there.
    modules: the level at which each module's frame becomes one node, 1 for the outermost, 0 for none; their ids
        (``module1``) in show= open them. If not given, a graph of more than 60 nodes takes the deepest level that
        leaves at most 40, or 60 where one module holds nearly all of them.
    max_nodes: a graph that is still larger shows its two ends, and one node for everything between.
    (PyTorch 2.13 itself overflows the stack when a graph tens of thousands of operations deep is dropped after Python
    has read its ``next_functions``, as any drawing has to: keep such a graph. minigrad's may go.)

    direction: ``right`` (values flow left to right, gradients back), ``down`` (top to bottom), ``up``, or ``auto``:
        right where that fits a cell, which is narrower beside a docked panel.
    The program that lays pictures out, its time limit, and the language: see `options`.

    Raises TypeError for what is not a tensor, ValueError for a tensor without a graph, for an option that cannot be,
    and for a node that is not there.
    """
    check(show=show, around=around, depth=depth, modules=modules, max_nodes=max_nodes)
    words = (show,) if isinstance(show, str) else tuple(show)
    run = outputs[0] if len(outputs) == 1 and isinstance(outputs[0], record) else None
    view = View(around, depth, modules, "repeats" not in words, tuple(w for w in words if w not in SHOWN), max_nodes)
    frame = sys._getframe(1)
    if frame.f_code is text.__code__ and frame.f_back:
        frame = frame.f_back
    known = Names(explicit_names(names), named_tensors(caller_namespace(frame)))
    with collector_paused():
        drawn = outputs_of(run.outputs if run else outputs)
        reader = Reader(drawn, known, untracked="untracked" in words, saved="saved" in words, watched=run)
        whole = reader.graph() if len(reader.ops) <= _WHOLE else None
        graph = view.of(whole) if whole else reader.graph(view.of)
    extras = ["error", *(word for word in ON_NODES if word in words)]
    return Picture(graph, extras=extras, direction=direction, opening=partial(view.of, whole or graph))


def text(*outputs: Any, **as_drawn: Any) -> str:
    """The graph in words, in the reader's language: stable from run to run, for terminals and screen readers. (What
    programs compare is ``draw(…).text``, which stays English.) The options are those of `draw`;
    only pictures have formulas and the order."""
    return draw(*outputs, **as_drawn).alt


def __dir__() -> list[str]:  # what is for users, for Tab
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
