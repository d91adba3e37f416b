"""Automatic differentiation: `backward`, `grad`, custom `Function`s, and the modes that switch recording off and on.

The heart, in the order in which to read it:

variable.py     what a tensor remembers: its numbers, its edge into the graph, how often its memory was written
node.py         the graph: nodes, and the edges between them
engine.py       the backward pass: count the users of each node, then run the nodes, newest first
accumulate.py   where gradients add up: at nodes with several users, and at the leaves
saved.py        what a node saves for its derivative: kept, checked, taken out again, let go

and then, as you need it:

grad_mode.py    the modes of each thread: recording, inference, …; and, of all threads, what is not as usual (`unusual`)
views.py        tensors on the memory of others, what a write through one means for the graph, what may be written
hooks.py        what you may see of a node, and who sees gradients on their way: functions of yours, and `grad`
function.py     operations of your own
api.py          `backward` and `grad`: their arguments

How a forward and its derivative become an operation that records itself is in `ops/primitive.py`, the `_apply` of its
nodes in `ops/formulas.py`; what errors say, in `refusals.py`. Tools beside the heart: graph.py (hooks on what is saved,
and on several tensors), anomaly.py, gradcheck.py, functional.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..hints import loaded_later
from . import graph
from .anomaly import detect_anomaly, set_detect_anomaly
from .api import backward, grad
from .grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled
from .gradcheck import gradcheck, gradgradcheck
from .graph import _get_sequence_nr as _get_sequence_nr
from .variable import Variable

if TYPE_CHECKING:  # loaded later
    from . import functional
    from .function import Function

__all__ = [
    "Function",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
]

_LATER = {".function": "Function", ".functional": ""}
__getattr__, __dir__ = loaded_later(__name__, __all__, _LATER)
