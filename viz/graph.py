"""The graph that a picture shows, read from `grad_fn` through the public node protocol.

The protocol is what PyTorch's nodes answer: ``name()``, ``next_functions``, ``_sequence_nr()``, ``_saved_*``,
``AccumulateGrad.variable``. Nothing here imports a tensor library, so one reader serves every library that speaks it.

A `Graph` is a snapshot of plain values: it keeps no tensor alive, and two runs of one program give equal graphs,
because ids count in the order of the forward pass and are never addresses.

Nodes, by `kind`:

==============  ===================================================================================
``output``      a tensor that was drawn; its edge goes to its ``grad_fn``
``op``          a node that the library records for one of its own operations
``custom``      a node of a user's own ``autograd.Function``
``accumulate``  an ``AccumulateGrad`` node; its edge goes to the leaf whose ``.grad`` it adds to
``leaf``        a leaf tensor
``untracked``   an input that no gradient flows to: ``(None, 0)`` in ``next_functions``
``folded``      several nodes drawn as one
==============  ===================================================================================

Edges, by `kind`: ``grad_fn`` (output → op), ``next`` (op → next function), ``variable`` (accumulate → leaf) and
``untracked`` (op → input without gradient). All point the way a gradient flows.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from .errors import message
from .names import Names, is_tensor
from .values import TensorInfo, describe

_SMALL = 30  # operations


@dataclass(frozen=True)
class Node:
    """One node of the picture. `label` is what it is called: an op's ``name()``, a tensor's variable or its id.

    `names` are the variables bound to it (for an op: to its result). `tensor` and `grad` describe a leaf's, an
    output's or an untracked input's value and gradient, where known. `count` is how many operations a folded node
    holds, `contents` how many of each name.
    """

    id: str
    kind: str
    label: str
    names: tuple[str, ...] = ()
    tensor: TensorInfo | None = None
    grad: TensorInfo | None = None
    requires_grad: bool = True
    count: int = 1
    contents: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Edge:
    """From node id `source` to node id `target`, as a gradient flows.

    `input_nr` is the position in the source's ``next_functions``; `output_nr` tells which output of the target's
    operation that input was.
    """

    source: str
    target: str
    kind: str
    input_nr: int = 0
    output_nr: int = 0


@dataclass(frozen=True)
class Graph:
    """`nodes` in forward order, `edges` in the order of their sources' slots, `roots`: ids of what was drawn."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    roots: tuple[str, ...]
    _index: dict[str, Node] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._index.update((node.id, node) for node in self.nodes)

    def node(self, node_id: str) -> Node:
        """The node with that id. Raises KeyError."""
        return self._index[node_id]

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts and lists of the graph, ready for `json.dumps`."""
        return {
            "nodes": [asdict(node) for node in self.nodes],
            "edges": [asdict(edge) for edge in self.edges],
            "roots": list(self.roots),
        }


def read(outputs: Iterable[Any], names: Names, untracked: bool | None = None) -> Graph:
    """Reads the graph of the tensors `outputs`; shared nodes appear once. Iterative: depth is no limit."""
    outputs = tuple(outputs)
    _check(outputs)
    return _Reader(outputs, names, untracked).graph()


def _check(outputs: tuple[Any, ...]) -> None:
    if not outputs:
        raise TypeError(
            message(
                "nothing to draw: give at least one tensor",
                "Call viz.draw(loss) with the result whose graph you want to see.",
                "没有可画的东西：请传入想看其计算图的结果张量，例如 viz.draw(loss)。",
            )
        )
    for output in outputs:
        if not is_tensor(output):
            raise TypeError(
                message(
                    f"cannot draw a {type(output).__name__}: only a tensor has a graph",
                    "Give the tensor itself, not a number taken from it (.item()) or a list: "
                    "viz.draw(loss), viz.draw(a, b).",
                    f"无法绘制 {type(output).__name__}：只有张量才有计算图。请直接传入张量（不是 .item() 得到的数，"
                    "也不是列表）：viz.draw(loss)、viz.draw(a, b)。",
                )
            )
        if output.grad_fn is None and not output.requires_grad:
            raise ValueError(
                message(
                    "this tensor has no graph: its grad_fn is None and requires_grad is False",
                    "Create a leaf with requires_grad=True, compute with it outside no_grad(), do not detach() the "
                    "result, and draw that result.",
                    "这个张量没有计算图：grad_fn 为 None，requires_grad 为 False。"
                    "请用 requires_grad=True 创建叶子张量，在 no_grad() 之外用它计算，"
                    "不要对结果调用 detach()，再绘制这个结果。",
                )
            )


def is_accumulate(node: Any) -> bool:
    """Whether an autograd node is an AccumulateGrad: only that has a ``variable``."""
    return hasattr(type(node), "variable")


class _Reader:
    """Walks once from the outputs; everything it meets stays alive until the graph is built, so `id` identifies."""

    def __init__(self, outputs: tuple[Any, ...], names: Names, untracked: bool | None) -> None:
        self.outputs = outputs
        self.names = names
        self.inputs: dict[int, tuple[tuple[Any, int], ...]] = {}  # node -> its next_functions
        self.ops: list[Any] = self._forward_order(self._walk())
        # each is a small box of its own: a help in a small graph, clutter in a large one
        self.untracked = len(self.ops) <= _SMALL if untracked is None else untracked
        self.nodes: list[Node] = []
        self.edges: list[Edge] = []
        self.ids: dict[int, str] = {}  # of a node or leaf tensor, by address
        self.alive: list[Any] = []
        self.counts = Counter[str]()

    def _walk(self) -> list[Any]:
        """Every op reachable from the outputs, each once."""
        found, stack = [], [t.grad_fn for t in reversed(self.outputs) if t.grad_fn is not None]
        while stack:
            node = stack.pop()
            if id(node) in self.inputs:
                continue
            edges = self.inputs[id(node)] = tuple(node.next_functions)
            found.append(node)
            stack.extend(n for n, _ in reversed(edges) if n is not None and not is_accumulate(n))
        return found

    def _forward_order(self, found: list[Any]) -> list[Any]:
        """Inputs before results, and among what could come next, what was recorded first.

        Sequence numbers alone would do for one thread; nodes made by another thread (a backward on a device) count
        on their own.
        """
        waiting, users = {}, {}
        for node in found:
            before = {id(n) for n, _ in self.inputs[id(node)] if n is not None and not is_accumulate(n)}
            waiting[id(node)] = len(before)
            for key in before:
                users.setdefault(key, []).append(node)
        ready = [(node._sequence_nr(), i, node) for i, node in enumerate(found) if not waiting[id(node)]]
        heapq.heapify(ready)
        order, tie = [], len(found)
        while ready:
            node = heapq.heappop(ready)[2]
            order.append(node)
            for user in users.get(id(node), ()):
                waiting[id(user)] -= 1
                if not waiting[id(user)]:
                    heapq.heappush(ready, (user._sequence_nr(), tie, user))
                    tie += 1
        return order

    def graph(self) -> Graph:
        for i, op in enumerate(self.ops, 1):
            self.ids[id(op)] = f"op{i}"
        for op in self.ops:
            self._add_op(op)
        roots = [self._add_output(tensor) for tensor in self.outputs]
        return Graph(tuple(self.nodes), tuple(self.edges), tuple(dict.fromkeys(roots)))

    def _add_op(self, op: Any) -> None:
        op_id = self.ids[id(op)]
        inputs = self.inputs[id(op)]
        unknown = self._untracked_inputs(op) if self.untracked and any(n is None for n, _ in inputs) else {}
        for input_nr, (target, output_nr) in enumerate(inputs):
            if target is None:
                if self.untracked:
                    ghost = self._add_untracked(op_id, input_nr, unknown.get(input_nr))
                    self.edges.append(Edge(op_id, ghost, "untracked", input_nr))
            else:
                target_id = self._add_accumulate(target) if is_accumulate(target) else self.ids[id(target)]
                self.edges.append(Edge(op_id, target_id, "next", input_nr, output_nr))
        kind = "custom" if hasattr(type(op), "saved_tensors") else "op"
        self.nodes.append(Node(op_id, kind, op_name(op), self.names.of_results(op)))

    def _next(self, prefix: str) -> str:
        self.counts[prefix] += 1
        return f"{prefix}{self.counts[prefix]}"

    def _add_accumulate(self, node: Any) -> str:
        if id(node) not in self.ids:
            leaf_id = self._add_leaf(node.variable)
            self.ids[id(node)] = "acc" + leaf_id.removeprefix("leaf")
            self.alive.append(node)
            names = self.names.of_tensor(node.variable)
            self.nodes.append(Node(self.ids[id(node)], "accumulate", op_name(node), names))
            self.edges.append(Edge(self.ids[id(node)], leaf_id, "variable"))
        return self.ids[id(node)]

    def _add_leaf(self, leaf: Any) -> str:
        if id(leaf) not in self.ids:
            leaf_id = self.ids[id(leaf)] = self._next("leaf")
            self.alive.append(leaf)
            names = self.names.of_tensor(leaf)
            grad = None if leaf.grad is None else describe(leaf.grad)
            self.nodes.append(Node(leaf_id, "leaf", _title(names, leaf_id), names, describe(leaf), grad))
        return self.ids[id(leaf)]

    def _add_output(self, tensor: Any) -> str:
        if tensor.grad_fn is None:
            return self._add_leaf(tensor)
        if id(tensor) not in self.ids:
            out_id = self.ids[id(tensor)] = self._next("out")
            names = self.names.of_tensor(tensor)
            # .grad of a result that does not keep it would warn
            grad = tensor.grad if getattr(tensor, "retains_grad", False) else None
            info = None if grad is None else describe(grad)
            self.nodes.append(Node(out_id, "output", _title(names, out_id), names, describe(tensor), info))
            output_nr = getattr(tensor, "output_nr", 0)
            self.edges.append(Edge(out_id, self.ids[id(tensor.grad_fn)], "grad_fn", 0, output_nr))
        return self.ids[id(tensor)]

    def _untracked_inputs(self, op: Any) -> dict[int, Any]:
        """Which tensors stand at the `None` slots, as far as the op's saved tensors tell: ``self`` is input 0 and
        ``other`` input 1 of an operation of two; a tensor that the program has a name for fills the next free slot."""
        slots = [i for i, (n, _) in enumerate(self.inputs[id(op)]) if n is None]
        known, rest = {}, []
        for slot, tensor in saved_tensors(op):
            if tensor is None or tensor.requires_grad:
                continue
            position = {"self": 0, "other": 1}.get(slot)
            if position in slots:
                known[position] = tensor
            elif self.names.of_tensor(tensor):
                rest.append(tensor)
        for position in slots:
            if position not in known and rest:
                known[position] = rest.pop(0)
        return known

    def _add_untracked(self, op_id: str, input_nr: int, tensor: Any) -> str:
        if tensor is None:
            node_id = f"{op_id}in{input_nr}"
            self.nodes.append(Node(node_id, "untracked", "None", requires_grad=False))
            return node_id
        if id(tensor) not in self.ids:
            node_id = self.ids[id(tensor)] = self._next("const")
            self.alive.append(tensor)
            names = self.names.of_tensor(tensor)
            self.nodes.append(
                Node(node_id, "untracked", _title(names, node_id), names, describe(tensor), requires_grad=False)
            )
        return self.ids[id(tensor)]


def op_name(node: Any) -> str:
    """``node.name()`` without the C++ namespace: ``AccumulateGrad``, ``CopySlices``, ``MulBackward0``."""
    return str(node.name()).rpartition("::")[2]


def saved_tensors(node: Any) -> list[tuple[str, Any]]:
    """(slot, tensor) of what the node saved, in slot order; the tensor is None where it was freed already."""
    found = []
    for attribute in sorted(a for a in dir(node) if a.startswith("_saved_")):
        try:
            value = getattr(node, attribute)
        except RuntimeError:  # freed, or changed in place since
            found.append((attribute.removeprefix("_saved_"), None))
            continue
        if is_tensor(value):
            found.append((attribute.removeprefix("_saved_"), value))
    return found


def _title(names: tuple[str, ...], node_id: str) -> str:
    return " = ".join(names) if names else node_id
