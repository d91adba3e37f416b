"""The graph: nodes, and the edges between them.

    x ──► MulBackward0 ──► AddBackward0 ──► z        forward: each operation adds a node
    x ◄── MulBackward0 ◄── AddBackward0 ◄── z        backward: each node turns dL/d(output) into dL/d(inputs)

Only the backward arrows are stored: `node._edges`, which users see as `node.next_functions`. `engine.py` walks them.
"""

from __future__ import annotations

import abc
import itertools
from collections.abc import Callable, Sequence
from typing import Any
from weakref import ref

from .accumulate import accumulate
from .grad_mode import run
from .hooks import ForUsers, extras_of, saved_properties
from .variable import NO_EDGE, Edge, TensorBase, pair_of

# Nodes are numbered as they are made, and the engine runs the newest first. Negated: a heap gives the smallest first.
next_key = itertools.count(0, -1).__next__
one_of_each: dict[Any, Any] = {}  # nodes of one shape share one tuple: fewer objects for Python's garbage collector


class Node(ForUsers, abc.ABC):
    """One step of the backward pass: the derivative of one operation, and the values it needs.

    _edges: for each input of the operation, where its gradient goes (`variable.Edge`).
    _of_shape, _of_dtype: of the one output whose gradient this node receives; None if there are several.
    _saved: the values that the formulas need (`saved.py`).
    _key: the negated sequence number.
    _extras: several outputs, hooks and metadata, for the few nodes that have any of them (`hooks.py`).
    """

    __slots__ = ("_edges", "_extras", "_key", "_of_dtype", "_of_shape", "_saved")

    # What all nodes of one operation share:
    _name = "Node"
    _names_of_saved: tuple[str, ...] = ()
    _runs_on_nothing = False  # whether it wants to run even if no gradient has arrived

    @abc.abstractmethod
    def _apply(self, grads: Any, create_graph: bool) -> Sequence[Any]:
        """The gradients of the inputs, None for zero, from the list of those of the outputs.

        Raw arrays in an ordinary backward; tensors, recording, with `create_graph`.
        """

    @property
    def next_functions(self) -> tuple[Edge, ...]:
        """For each input of the operation `(node, output_nr)`: who receives its gradient; `(None, 0)` if nobody."""
        return tuple(map(pair_of, self._edges))

    def name(self) -> str:
        """PyTorch's name of this node, such as `AddBackward0`."""
        return self._name

    @property
    def _outputs(self) -> tuple[tuple[Any, Any], ...]:
        """The raw shape and dtype of each output of the operation, whose gradients this node receives."""
        return self._extras.outputs if self._of_shape is None else ((self._of_shape, self._of_dtype),)


#: What a node can do. The type of each operation's nodes, such as MulBackward0, gets a copy of all this: in PyTorch it
#: is derived from nothing (notes print its `__mro__`), and only registered as a Node, for `isinstance`.
_ALL = vars(ForUsers) | vars(Node)
_MEMBERS = {name: member for name, member in _ALL.items() if isinstance(member, property) or callable(member)}


def node_type(
    name: str, apply: Callable[..., Any], doc: str | None = None, names_of_saved: tuple[str, ...] = ()
) -> Any:
    """The type of the nodes of one operation."""
    # PyTorch's are built in, and print so: <MulBackward0 object at 0x…>.
    body = {**_MEMBERS, "__module__": "builtins", "__doc__": doc, "_name": name, "_apply": apply}
    body |= {"__slots__": Node.__slots__, "_names_of_saved": names_of_saved, "_runs_on_nothing": False}
    for i, saved in enumerate(names_of_saved):
        body |= saved_properties(i, saved)
    return Node.register(type(name.split("::")[-1], (), body))


def new_node(kind: Any, edges: tuple[Edge, ...], output: TensorBase, saved: tuple[Any, ...]) -> Any:
    """A node of the given type that receives the gradient of `output`."""
    node = kind()
    node._key = next_key()
    node._edges = edges
    value = output._value
    node._of_shape = one_of_each.setdefault(shape := value.shape, shape)
    node._of_dtype = value.dtype
    node._extras = None
    node._saved = saved
    return node


class AccumulateGrad(Node):
    """The end of every path back: adds the gradient that arrives at a leaf, its `variable`, to the `.grad` of that."""

    __slots__ = ("__weakref__", "variable")
    __module__ = "builtins"
    _name = "torch::autograd::AccumulateGrad"
    _runs_on_nothing = True  # for its post-accumulate hooks

    def __init__(self, variable: TensorBase) -> None:
        self.variable = variable
        self._of_shape = variable._value.shape
        self._of_dtype = variable._value.dtype
        self._edges = self._saved = ()
        self._key = -(1 << 62)  # before all others; users see another number
        self._extras = None

    def __lt__(self, other: object) -> bool:
        return False  # all leaves have one key: among them the heap decides, as in PyTorch

    def _sequence_nr(self) -> int:
        """The highest number there is: leaves are filled as soon as they can be."""
        return 2**64 - 1

    def _apply(self, grads: list[Any] | None, create_graph: bool) -> Sequence[Any]:
        leaf, meta = self.variable, self.variable._meta
        if leaf._edge is None and grads is not None and (meta.base is None or requires_grad(leaf)):
            accumulate(leaf, grads, create_graph)
        elif leaf._edge is not None and leaf._edge is not NO_EDGE and grads is not None:  # (NO_EDGE: needs none now)
            raise RuntimeError("leaf variable has been moved into the graph interior")
        if meta.post_accumulate_hooks:
            for hook in tuple(meta.post_accumulate_hooks.values()):
                if (given := run(hook, leaf, formula=False)) is not None and given is not leaf:  # as a lambda may
                    raise RuntimeError("Tensor post accumulate grad hooks should return None.")
        return ()


def gradient_edge(tensor: TensorBase) -> Edge:
    """Where the gradient of `tensor` must be sent; NO_EDGE if nowhere."""
    edge = tensor._edge
    return asked_edge(tensor) if edge is None else edge


def asked_edge(tensor: TensorBase) -> Edge:
    """`gradient_edge` of a view or a leaf; a leaf's is its AccumulateGrad, one and the same while any graph uses it."""
    meta: Any = tensor._meta
    if meta.base is not None and (edge := meta.edge_of(tensor)) is not None:
        return edge
    accumulator = meta.accumulator()
    if accumulator is None:
        accumulator = AccumulateGrad(tensor)
        meta.accumulator = ref(accumulator)
        if meta.hooks:
            extras_of(accumulator).tensor_hooks[0] = meta.hooks
    return accumulator


def requires_grad(tensor: TensorBase) -> bool:
    """Whether operations on `tensor` are recorded, so that a gradient can flow back to it."""
    if tensor._edge is not None:
        return tensor._edge is not NO_EDGE
    meta: Any = tensor._meta
    return meta.base is None or meta.edge is not NO_EDGE or requires_grad(meta.base)


def grad_fn(tensor: TensorBase) -> Node | None:
    """The node of the operation that made `tensor`; None for a leaf."""
    edge, meta = tensor._edge, tensor._meta
    if edge is None and meta.base is not None:
        edge = meta.edge_of(tensor)
    return pair_of(edge or NO_EDGE)[0]
