"""What autograd knows of a tensor: its numbers, its place in the graph, and how often its memory was written.

`Tensor` (in `minigrad/tensor.py`) adds the operations; nothing in `autograd/` needs them.

A tensor points *back* to the node that made it (its gradient edge) and never forward, and a node points back to the
nodes of its inputs. So the graph has no cycles, and it is freed the moment its last tensor is dropped.
"""

from __future__ import annotations

from typing import Any, TypeAlias
from weakref import ref

import numpy as np


class OutputEdge(tuple[Any, int]):
    """(node, which output of that node): the gradient edge of an output that is not the first."""

    __slots__ = ()

    #: What a node knows of its only output is not known here.
    shape = dtype = None


#: Where a gradient is sent: a node, which stands for its first output; or an OutputEdge. `pair_of` gives both parts.
#: (Nearly all nodes have one output, and a graph of a million nodes has a million edges: they need no objects.)
Edge: TypeAlias = Any

#: The gradient edge of a tensor that needs no gradient.
NO_EDGE: Edge = OutputEdge((None, 0))


class _Lost(OutputEdge):
    """Looks like NO_EDGE and is not equal to it."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__


#: The gradient edge of a view that was made without recording from a tensor that needs a gradient: operations on it
#: are recorded, but its gradient goes nowhere.
LOST_EDGE: Edge = _Lost((None, 0))


def edge_to(node: Any, output_nr: int) -> Edge:
    """The edge to an output of `node`."""
    return OutputEdge((node, output_nr)) if output_nr else node


def pair_of(edge: Edge) -> tuple[Any, int]:
    """The node that an edge leads to, and to which output of it; (None, 0) for none."""
    return (edge[0], edge[1]) if isinstance(edge, OutputEdge) else (edge, 0)


def node_of(edge: Edge) -> Any:
    """The node that an edge leads to; None for none."""
    return edge[0] if isinstance(edge, OutputEdge) else edge


class TensorBase:
    """A value with a gradient edge.

    Four fields are all that an ordinary result needs:

    _value             the numbers: an array, or, for the 0-dim result of a computation, a numpy scalar, which is
                       several times cheaper to compute with. A scalar has no memory that could be shared or written;
                       `_array` gives it memory when somebody needs that.
    _edge              where the gradient of this tensor must be sent: its grad_fn. NO_EDGE if it needs none;
                       None if it must be asked for (`node.gradient_edge`): a leaf, whose AccumulateGrad node is made
                       when first used, and a view, whose node changes when its base is written.
    _counter           a list of one integer, the number of in-place writes, shared by all tensors on this memory; None
                       until somebody writes or shares it, for most results are never written. `_version_counter` is the
                       list in any case.
    _meta              AutogradMeta, or None for the many tensors that need none.
    """

    __slots__ = ("__dict__", "__weakref__", "_counter", "_edge", "_meta", "_value")

    _value: Any
    _edge: Edge | None
    _counter: list[int] | None
    _meta: AutogradMeta | None

    @property
    def _array(self) -> Any:
        """The memory of this tensor, for whoever shares or writes it."""
        value = self._value
        if isinstance(value, np.generic):
            value = self._value = np.array(value)
        return value

    @property
    def _version_counter(self) -> Any:
        """The counter of this memory, made when it is first asked for."""
        counter = self._counter
        if counter is None:
            counter = self._counter = [0]
        return counter

    @_version_counter.setter
    def _version_counter(self, counter: Any) -> None:
        self._counter = counter

    @property
    def _version(self) -> int:
        """How many in-place operations have written this tensor's memory, through it or through any alias."""
        if self._meta is not None and self._meta.is_inference:
            raise RuntimeError("Inference tensors do not track version counter.")
        return 0 if self._counter is None else int(self._counter[0])


class DetachedCounter:
    """The version counter of a tensor after `detach_()`: a fraction of a step on.

    So a node that saved the tensor before notices; one that saves it afterwards sees no change, nor do aliases.
    """

    def __init__(self, before: Any) -> None:
        again = isinstance(before, DetachedCounter)
        self._counter: list[int] = before._counter if again else before
        self._fraction: float = (1 + before._fraction) / 2 if again else 0.5

    def __getitem__(self, index: int) -> float:
        return self._counter[0] + self._fraction

    def __setitem__(self, index: int, version: float) -> None:
        self._counter[0] = int(version)

    def saved_before(self, version: float) -> bool:
        """Whether a node that saved the tensor at `version` did so before `detach_()`."""
        return version % 1 < self._fraction


class AutogradMeta:
    """The rarer things autograd knows of a tensor: a leaf's gradient, a view's base. Most results need none."""

    __slots__ = (
        "accumulator",
        "base",
        "forbids_inplace",
        "grad",
        "hooks",
        "is_inference",
        "post_accumulate_hooks",
        "retains_grad",
        "view_edge",
        "view_version",
        "written_view",
    )

    def __init__(self) -> None:
        self.grad: TensorBase | None = None
        self.retains_grad = False
        # The leaf's AccumulateGrad, held weakly: it holds the leaf, and only the graph holds it.
        self.accumulator: ref[Any] | None = None
        self.hooks: dict[int, Any] = {}  # of a leaf; those of a result live on its node
        self.post_accumulate_hooks: dict[int, Any] = {}
        # Of a view: whose memory it shows, its edge, the version at which that edge was right.
        self.base: TensorBase | None = None
        self.view_edge: Edge | None = NO_EDGE  # None: this view is a leaf of its own
        self.view_version = 0
        self.forbids_inplace: str | None = None  # why this view must not be written while recording (`views.py`)
        self.is_inference = False
        # Of what a node has saved of its result, which was written into a view: that view, held weakly, and the key of
        # the node that it had.
        self.written_view: tuple[ref[TensorBase], int] | None = None


#: The class of every result: `Tensor`, which registers itself here so that autograd need not import it.
result_class: type[Any] = TensorBase

_new = object.__new__


def make_tensor(value: Any, edge: Edge | None = NO_EDGE) -> Any:
    """A tensor around a raw array, without any checks and without a copy."""
    tensor = _new(result_class)
    tensor._value = value
    tensor._edge = edge
    tensor._counter = tensor._meta = None
    return tensor


def make_alias(tensor: TensorBase) -> Any:
    """A tensor on the same memory as `tensor`, with the same version counter and no gradient edge."""
    alias = make_tensor(tensor._value)
    alias._version_counter = tensor._version_counter
    if tensor._meta is not None and tensor._meta.is_inference:
        meta_of(alias).is_inference = True
    return alias


def written_edge(saved: TensorBase) -> Edge | None:
    """The gradient edge of the view into which the result that is `saved` was written, as long as the view has it."""
    if saved._meta is None or saved._meta.written_view is None:
        return None
    view_ref, key = saved._meta.written_view
    view = view_ref()
    edge = None if view is None else view._meta.view_edge  # type: ignore[union-attr]
    node = None if edge is None else node_of(edge)
    return edge if node is not None and node.key == key else None


def meta_of(tensor: TensorBase) -> AutogradMeta:
    """The AutogradMeta of `tensor`, made when first needed."""
    meta = tensor._meta
    if meta is None:
        meta = tensor._meta = AutogradMeta()
    return meta


def mark_inference(result: TensorBase) -> None:
    """Remember that `result` was made in inference mode."""
    meta_of(result).is_inference = True
