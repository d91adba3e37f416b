"""The graph: nodes, the edges between them, and the values they save.

    x ──► MulBackward0 ──► AddBackward0 ──► z        forward: each operation adds a node
    x ◄── MulBackward0 ◄── AddBackward0 ◄── z        backward: each node turns dL/d(output) into dL/d(inputs)

Only the backward arrows are stored: `node.next_functions` names, for each input of the operation, the node that wants
that input's gradient and which output of that node it is. `engine.py` walks them.
"""

from __future__ import annotations

import abc
import itertools
import re
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any
from weakref import ref

from ..devices import tensor_type
from ..dtypes import from_numpy_dtype
from ..hints import with_hint
from .grad_mode import in_formula
from .hooks import RemovableHandle, extras_of, outputs_of
from .variable import (
    LOST_EDGE,
    NO_EDGE,
    DetachedCounter,
    Edge,
    TensorBase,
    edge_to,
    meta_of,
    node_of,
    pair_of,
    written_edge,
)
from .views import refused

# Nodes are numbered as they are made. The engine runs ready nodes from the highest number down, so the graph is walked
# in the reverse of the order in which it was built. Stored negated: a heap gives the smallest first.
next_key = itertools.count(0, -1).__next__

# AccumulateGrad nodes go before all others, in the order in which they become ready.
_next_leaf_key = itertools.count(-(1 << 62)).__next__

_LEAF_SEQUENCE_NR = 2**64 - 1


# (Not of `typing.NamedTuple`: that costs as much of `import minigrad` as all operations of arithmetic.)
class InputMetadata(namedtuple("InputMetadata", "shape dtype")):
    """What a node knows of a gradient before it arrives."""

    __slots__ = ()


class Node(metaclass=abc.ABCMeta):  # noqa: B024 (ABCMeta for `register`; nothing is abstract)
    """One step of the backward pass: the derivative of one operation, and the values it needs.

    Every `grad_fn` is an instance of this class. As in PyTorch the node types, such as MulBackward0, are registered
    here and not derived from it (`type(node).__mro__` is just the type and `object`).

    Nodes are made as `PlainNode`s whatever their operation: code that only ever meets one class runs fastest. A node
    takes its own type when somebody looks at it (`revealed`).

    Attributes:
        kind: what all nodes of the operation share: their type, and the derivative; None for an AccumulateGrad.
        edges: for each input of the operation, where its gradient goes; NO_EDGE for an input that needs none.
        shape, dtype: of the one output whose gradient this node receives; None for a node with several outputs.
        saved: the values that the formulas need, flat: value, version, value, version, … (a version of None: surely no
            tensor); `()` if none are needed; None once they have been freed.
        fits: whether each gradient that this node sends is known to have the shape and type that its receiver wants.
        key: the negated sequence number.
        extras: several outputs, hooks and metadata, for the few nodes that have any of them.
    """

    # No __weakref__: Python could not change the class of an object that had it.
    __slots__ = ("dtype", "edges", "extras", "fits", "key", "kind", "saved", "shape")

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """For each input of the operation `(node, output_nr)`: who receives the input's gradient, and as which output.

        `(None, 0)` stands for an input that needs none.
        """
        pairs = tuple([pair_of(edge) for edge in self.edges])
        for node, _ in pairs:
            revealed(node)
        return pairs

    def __init__(self) -> None:
        raise TypeError("Can't instantiate abstract class Node: nodes are made by operations")

    def __dir__(self) -> list[str]:
        return [name for name in object.__dir__(self) if name not in Node.__slots__]

    def name(self) -> str:
        """PyTorch's name of this node, such as `AddBackward0`. The digit numbers variants of one operation."""
        return self.kind.name

    def _sequence_nr(self) -> int:
        """The position of this node in the order in which nodes were made."""
        return -self.key

    @property
    def metadata(self) -> dict[str, Any]:
        """A dictionary for notes about this node; anomaly mode keeps the forward traceback here."""
        return extras_of(self).metadata

    @property
    def _input_metadata(self) -> tuple[InputMetadata, ...]:
        """The shape and dtype of each output of the operation, whose gradients this node receives."""
        return tuple(InputMetadata(list(shape), from_numpy_dtype(dtype)) for shape, dtype in outputs_of(self))

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(grad_inputs, grad_outputs)` after this node has run; what it returns replaces grad_inputs."""
        return RemovableHandle(extras_of(self).post_hooks, hook)

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(grad_outputs)` before this node runs; what it returns replaces grad_outputs."""
        return RemovableHandle(extras_of(self).pre_hooks, hook)

    def __call__(self, *grads: TensorBase | None) -> Any:
        """Run this node alone on tensors. One gradient comes back by itself, several as a tuple."""
        results = tuple(apply_recorded(self, grads))
        return results[0] if len(results) == 1 else results


_NODE_METHODS = {
    key: value
    for key, value in vars(Node).items()
    if key != "__init__" and (callable(value) or isinstance(value, property))
}


def _node_type(name: str, members: dict[str, Any]) -> Any:
    """A type of nodes. PyTorch's are built in, and print so: <MulBackward0 object at 0x…>."""
    own = {"__slots__": Node.__slots__, "__qualname__": name, "__module__": "builtins"}
    return Node.register(type(name, (), {**_NODE_METHODS, **members, **own}))


#: What nodes are until somebody looks at them.
PlainNode = _node_type("PlainNode", {})


class NodeKind:
    """What all nodes of one operation share.

    Attributes:
        name: PyTorch's name; a few keep PyTorch's C++ namespace, as `torch::autograd::CopySlices`.
        type: the class of these nodes once they are looked at; made then, for in most programs most never are.
        apply: `apply(node, grads, create_graph)` gives the gradients of the inputs from those of the outputs, on raw
            arrays in an ordinary backward, on tensors, recording, with `create_graph`. None stands for zero. Raw ones
            come in a list, and may be taken out of it: numpy reuses the memory of an array that nobody else holds.
        saved_names: the names of the saved values, in the order of `node.saved`.
        _members: gives what the type has beside a node's methods: the properties `_saved_…`.
        kept: what is left of `node.saved` after backward, as a function of it; None if nothing is.
        runs_on_nothing: whether `apply` wants to run even if no gradient has arrived.
    """

    __slots__ = ("_doc", "_made", "_members", "apply", "kept", "name", "runs_on_nothing", "saved_names")

    def __init__(
        self,
        name: str,
        apply: Callable[..., Sequence[Any]],
        doc: str | None = None,
        saved_names: tuple[str, ...] = (),
        members: Callable[[], dict[str, Any]] = dict,
    ) -> None:
        self.name, self.apply, self.saved_names = name, apply, saved_names
        self.kept: Callable[[tuple[Any, ...]], tuple[Any, ...]] | None = None
        self.runs_on_nothing = False
        self._members, self._doc = members, doc
        self._made: list[Any] = []  # the type, once it is made; a list, because a copied kind has the same type

    @property
    def type(self) -> Any:
        if not self._made:
            self._made.append(_node_type(self.name.split("::")[-1], {**self._members(), "__doc__": self._doc}))
        return self._made[0]


def new_node(kind: NodeKind, edges: tuple[Edge, ...], output: TensorBase, saved: tuple[Any, ...]) -> Any:
    """A node of the given kind that receives the gradient of `output`."""
    node = PlainNode()
    node.key = next_key()
    node.kind = kind
    node.edges = edges
    node.shape = output._value.shape
    node.dtype = output._value.dtype
    node.extras = None
    node.fits = False
    node.saved = saved
    return node


def apply_recorded(node: Any, grads: Any) -> Sequence[Any]:
    """The gradients of the inputs of `node`, as tensors: the formulas run on tensors and are themselves recorded."""
    with in_formula():
        return node.kind.apply(node, grads, True)


def revealed(node: Any) -> Any:
    """`node`, as an instance of its own type from now on. Call it before a node is shown to anybody."""
    if node.__class__ is PlainNode:
        node.__class__ = node.kind.type
    return node


# ---------------------------------------------------------------------------------------------------------------------
# Edges


def gradient_edge(tensor: TensorBase) -> Edge:
    """Where the gradient of `tensor` must be sent; NO_EDGE if nowhere.

    For a leaf that requires grad this is its AccumulateGrad node, always the same one while any graph uses it.
    """
    edge = tensor._edge
    return asked_edge(tensor) if edge is None else edge


def asked_edge(tensor: TensorBase) -> Edge:
    """The gradient edge of a leaf or a view, which has to be asked for."""
    meta: Any = tensor._meta
    if meta.base is not None:
        edge = view_edge(tensor)
        if edge is not None:
            return edge
    accumulator = meta.accumulator
    if accumulator is not None:
        accumulator = accumulator()
    if accumulator is None:
        accumulator = AccumulateGrad(tensor)
        meta.accumulator = ref(accumulator)
    return accumulator


class GradientEdge(namedtuple("GradientEdge", "node output_nr ownership_token", defaults=[None])):
    """Where a gradient is sent: a node, and which output of the operation it is the gradient of."""

    __slots__ = ()


def get_gradient_edge(tensor: TensorBase) -> GradientEdge:
    """The gradient edge of a tensor that requires grad; for a leaf it leads to its AccumulateGrad."""
    if not requires_grad(tensor):
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    node, output_nr = pair_of(gradient_edge(tensor))
    return GradientEdge(revealed(node), output_nr)


def increment_version(tensor: Any) -> None:
    """Say that the memory of a tensor, or of several, was written behind autograd's back."""
    for written in (tensor,) if isinstance(tensor, TensorBase) else tensor:
        written._version_counter[0] += 1


def view_edge(view: TensorBase) -> Edge | None:
    """The gradient edge of a view, remade if its memory was written since it was last asked for. None for a leaf.

    A write through any alias gives the base a new history, and the view is then a part of *that* base.
    """
    meta = view._meta
    version = view._version_counter[0]
    if meta.view_version != version and ((meta.view_edge or NO_EDGE) is not NO_EDGE or requires_grad(meta.base)):
        if meta.forbids_inplace is not None:
            raise refuse_write(view, through_alias=True)
        old, meta.view_edge = meta.view_edge, remake_view_edge(view)
        meta.view_version = version
        _retain_at(view, old or NO_EDGE, meta.view_edge)
    if meta.view_edge is NO_EDGE and requires_grad(meta.base):
        return LOST_EDGE
    return meta.view_edge


def remake_view_edge(view: TensorBase) -> Edge:
    """The edge of a view whose base has a new history: `ops/strided.py` puts the real function here."""
    raise NotImplementedError


def rebase_through_view(view: TensorBase, node: Any) -> None:
    """Give the base of a written view a new history: `ops/strided.py` puts the real function here."""
    raise NotImplementedError


def refuse_write(view: TensorBase, through_alias: bool = False) -> RuntimeError:
    """PyTorch's error for a write to a view that forbids it, or for its use after a write through an alias."""
    node, output_nr = pair_of(view._meta.view_edge or NO_EDGE)
    return refused(view._meta.forbids_inplace, node and short_name(node), output_nr, through_alias)


def rebase_history(tensor: TensorBase, node: Any, output_nr: int = 0) -> None:
    """Make `node` the history of `tensor` after a write in place; of its base, if it is a view."""
    if tensor._meta is not None and tensor._meta.base is not None:
        rebase_through_view(tensor, node)
    else:
        set_history(tensor, node, output_nr)


def set_history(tensor: TensorBase, node: Any, output_nr: int = 0) -> None:
    """Make `node` the one that computed `tensor`, after a write in place. A gradient that is retained stays so.

    Of a view only the shape has changed, so the history of its base is as it was.
    """
    meta, edge = tensor._meta, edge_to(node, output_nr)
    if meta is not None and meta.base is not None:
        old, meta.view_edge = meta.view_edge or NO_EDGE, edge
        meta.view_version = tensor._version_counter[0]
    else:
        old = NO_EDGE if grad_fn(tensor) is None else gradient_edge(tensor)
        tensor._edge = edge
    _retain_at(tensor, old, edge)


def _retain_at(tensor: TensorBase, old: Edge, new: Edge) -> None:
    """Let the gradient of `tensor`, if it is to be retained, be caught at another node."""
    if tensor._meta is not None and tensor._meta.retains_grad and node_of(old) is not None:
        (node, output_nr), (old_node, old_nr) = pair_of(new), pair_of(old)
        extras_of(node).retaining[output_nr] = extras_of(old_node).retaining.pop(old_nr)


def requires_grad(tensor: TensorBase) -> bool:
    """Whether operations on `tensor` are recorded, so that a gradient can flow back to it."""
    edge = tensor._edge
    if edge is not None:
        return edge is not NO_EDGE
    base = tensor._meta.base
    return base is None or tensor._meta.view_edge is not NO_EDGE or requires_grad(base)


def grad_fn(tensor: TensorBase) -> Node | None:
    """The node of the operation that made `tensor`; None for a leaf."""
    edge = tensor._edge
    if edge is None:
        meta = tensor._meta
        edge = NO_EDGE if meta.base is None else view_edge(tensor) or NO_EDGE
    return node_of(edge)


def was_made(tensor: TensorBase) -> bool:
    """Whether a recorded operation made `tensor`, as far as is known: a view is not asked if it has been written."""
    edge = tensor._edge
    if edge is None:
        edge = NO_EDGE if tensor._meta.base is None else tensor._meta.view_edge or NO_EDGE
    return node_of(edge) is not None


def add_tensor_hook(tensor: TensorBase, hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(grad)` when the gradient of `tensor` has been computed; what it returns replaces it."""
    node, output_nr = pair_of(gradient_edge(tensor))
    if node is None or isinstance(node, AccumulateGrad):
        return RemovableHandle(meta_of(tensor).hooks, hook)
    hooks = extras_of(node).tensor_hooks
    meta = tensor._meta
    if meta is not None and meta.base is not None:
        # As in PyTorch, the hooks of a view stay at the node that it had when the first was registered.
        if not meta.hooks:
            hooks[output_nr] = meta.hooks
        return RemovableHandle(meta.hooks, hook)
    return RemovableHandle(hooks.setdefault(output_nr, {}), hook)


# ---------------------------------------------------------------------------------------------------------------------
# Leaves


class AccumulateGrad:
    """The end of every path back: adds the gradient that arrives to `variable.grad`.

    Attributes:
        variable: the leaf tensor.
    """

    __slots__ = (*Node.__slots__, "__weakref__", "variable")

    def __init__(self, variable: TensorBase) -> None:
        self.variable = variable
        self.shape = variable._value.shape
        self.dtype = variable._value.dtype
        self.edges = self.saved = ()
        self.key = _next_leaf_key()
        self.kind = self.extras = None

    def name(self) -> str:
        """PyTorch's name of this node, which keeps its C++ namespace."""
        return "torch::autograd::AccumulateGrad"

    def _sequence_nr(self) -> int:
        """The highest number there is: leaves are filled as soon as they can be."""
        return _LEAF_SEQUENCE_NR

    next_functions = Node.next_functions
    metadata = Node.metadata
    _input_metadata = Node._input_metadata
    register_hook = Node.register_hook
    register_prehook = Node.register_prehook


AccumulateGrad.__module__ = "builtins"
Node.register(AccumulateGrad)


# ---------------------------------------------------------------------------------------------------------------------
# Saved values


def check_version(node: Any, tensor: TensorBase, version: int, as_output: bool = False) -> None:
    """Raise PyTorch's error if `tensor` has been written since `node` saved it at `version`."""
    counter = tensor._version_counter
    if isinstance(counter, DetachedCounter) and counter.saved_before(version):
        raise with_hint(
            RuntimeError(
                "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not "
                "supported, please use out-of-place `.detach()` instead"
            ),
            f"{node.name()} saved this tensor, and detach_() has taken it out of the graph since. Lesson 8.",
            f"{node.name()} 保存了这个张量，之后它被 detach_() 移出了计算图。参见第 8 课。",
        )
    current = int(counter[0])
    if current == version:
        return
    from . import anomaly  # which is made of nodes

    if as_output:
        maker, output_nr = pair_of(written_edge(tensor) or node)
    else:
        maker, output_nr = grad_fn(tensor), pair_of(tensor._edge or NO_EDGE)[1]
    made_by = ""
    if maker is not None:
        made_by = f", which is output {output_nr} of {short_name(maker)},"
    kind = f"{tensor_type(tensor._value)} {list(tensor._value.shape)}"
    raise with_hint(
        RuntimeError(
            "one of the variables needed for gradient computation has been modified by an inplace operation: "
            f"[{kind}]{made_by} is at version {current}; expected version {int(version)} instead. Hint: "
            + (
                "the backtrace further above shows the operation that failed to compute its gradient. The variable in "
                "question was changed in there or anywhere later. Good luck!"
                if anomaly.enabled
                else "enable anomaly detection to find the operation that failed to compute its gradient, with "
                "torch.autograd.set_detect_anomaly(True, check_nan=False)."
            )
        ),
        f"{node.name()} saved this tensor in the forward pass, and something has overwritten it since "
        f"(x += 1, x[0] = 1, x.add_(1), or a write through detach() or a view). Write x = x + 1 instead, or change a "
        "copy: x.clone(). Lesson 11 shows it.",
        f"{node.name()} 在前向传播时保存了这个张量，之后它被原地修改了（例如 x += 1、x[0] = 1、x.add_(1)，"
        "或者通过 detach() 或视图写入）。请改写成 x = x + 1，或者先用 x.clone() 复制一份再改。参见第 11 课。",
    )


def freed_error(node: Any) -> RuntimeError:
    """PyTorch's error for a second use of saved values."""
    return with_hint(
        RuntimeError(
            "Trying to backward through the graph a second time (or directly access saved tensors after they have "
            "already been freed). Saved intermediate values of the graph are freed when you call .backward() or "
            "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or if "
            "you need to access saved tensors after calling backward."
        ),
        f"{node.name()} has already used and freed the values it saved. Compute the loss again before each backward(), "
        "or call the first one as backward(retain_graph=True). Lesson 10 shows it.",
        f"{node.name()} 保存的值已经用过并释放了。请在每次 backward() 之前重新计算 loss，"
        "或者第一次调用时写 backward(retain_graph=True)。参见第 10 课。",
    )


def short_name(node: Any) -> str:
    """`Mul` for MulBackward0, `Max1` for MaxBackward1: how PyTorch names an operation in a message."""
    return re.sub(r"Backward(0$|(?=\d*$))", "", node.name())
