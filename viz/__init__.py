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
        tuples of them; or a pass that was recorded (see `record`): the graph it ran through, the node where it failed
        marked, with what the error said.
    names: {"name": tensor} or a module; else tensors are named after the caller's variables.

    show: one of these words, or several, ``show=("saved", "order")``. On the nodes, besides names, small values and
        gradients:
        ``saved``: the tensors that each operation keeps for its derivative: slot, version, whether they are freed, and
        where backward will stop because one was changed in place;
        ``formula``: what each operation computes, and its derivatives;
        ``order``: when each node was made (→) and when backward runs it (←).
        Of a large graph, what is else left out or folded:
        ``untracked``: inputs that no gradient flows to; by themselves up to 30 operations, with a name up to 1,000, but
        for the frozen parameters of a module, and for what more than four operations take;
        ``repeats``: each of the parts of a long repetition (an unrolled loop, equal layers), of which else the first
        and the last are drawn, and one node that counts those between; the id of such a group (``fold1``) shows it, as
        a module's name (``net.layer1``) or id does.

    depth: only so many steps back from the outputs, or, with around= (a node's id, or the name of a variable or of a
        module: around="net.layer1", depth=0 shows that alone), from there.
    modules: of the frames that hold what takes a module's parameters, those of this level, 1 for the outermost, are one
        node each; their ids (``module1``) in show= open them. If not given: of a graph of more than 60 nodes the
        deepest ones that leave no more than 40, or 60 where one around them holds nearly all; with 0 none is.
    max_nodes: a graph that is still larger shows its two ends, and one node for all between.
    (PyTorch 2.13 itself overflows the stack when a graph tens of thousands of operations deep is dropped after Python
    has read its ``next_functions``, as any drawing has to: keep such a graph. minigrad's may go.)

    direction: ``right`` (values flow left to right, gradients back), ``down`` (top to bottom), ``up``, or ``auto``:
        right where that fits a cell, of which a docked panel leaves a part.
    What lays out, for how long, and the language of all pictures: `options`.

    Raises TypeError for what is no tensor, ValueError for a tensor without a graph, an option that cannot be, and a
    node that is not there.
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
    formulas and the order stand on pictures alone."""
    return draw(*outputs, **as_drawn).alt


def __dir__() -> list[str]:  # what is for users, for Tab
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
