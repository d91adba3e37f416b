"""Reads a `Graph` from tensors through the public node protocol.

The protocol is what PyTorch's nodes answer: ``name()``, ``next_functions``, ``_sequence_nr()``, ``_saved_*``,
``metadata``, ``AccumulateGrad.variable``. Nothing here imports a tensor library, so one reader serves every library
that speaks it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any
from weakref import ref

from .formulas import formula
from .graph import Edge, Graph, Node, Saved
from .names import Names, is_tensor
from .options import check, check_outputs
from .order import backward_order, forward_order, is_accumulate, walk
from .values import TensorInfo, describe, dtype_name, shape_of
from .watch import watch

_SMALL = 30  # operations
_POSITIONS = {"self": 0, "other": 1}  # of the input that an operation of two saves under these names
_SEEN = "viz_untracked"  # in a node's metadata: what a picture showed at its inputs without gradient


@dataclass(frozen=True)
class Asked:
    """What is read besides names, edges, values and gradients.

    untracked: inputs without gradient; by default where there are few operations.
    saved: what each operation saved. Asking a node for it runs the reader's own unpack hooks, if there are any.
    shapes: the shape and dtype of what each operation gave, where its node tells (``_input_metadata``).
    source: where each operation was called, if anomaly mode was on.
    watched: where the backward pass that this watched failed.
    """

    untracked: bool | None = None
    saved: bool = False
    shapes: bool = False
    source: bool = False
    watched: watch | None = None

    def __post_init__(self) -> None:
        check(untracked=self.untracked, saved=self.saved, shapes=self.shapes, source=self.source, watched=self.watched)


def read(outputs: Iterable[Any], names: Names, asked: Asked, shown: Callable[[Graph], Graph] = lambda g: g) -> Graph:
    """Reads the graph of the tensors `outputs`; shared nodes appear once. Iterative: depth is no limit.

    `shown` leaves out or folds what need not be seen; values, formulas and source lines are read only of the rest, so
    that a hundred thousand nodes of which twenty are shown take little longer than walking them.
    """
    outputs = tuple(outputs)
    check_outputs(outputs)
    reader = _Reader(outputs, names, asked)
    return reader.described(shown(reader.structure()))


def read_objects(
    outputs: Iterable[Any],
    names: Names,
    asked: Asked,
    shown: Callable[[Graph], Graph],
    beside: Iterable[Any] = (),
) -> tuple[Graph, dict[str, Any]]:
    """As `read`, also of nothing, with the tensors `beside` that no gradient flows to standing beside the graph; and
    what each id stands for: an autograd node or a tensor."""
    reader = _Reader(tuple(outputs), names, asked, tuple(beside))
    graph = reader.described(shown(reader.structure()))
    things = (*reader.ops, *reader.alive, *reader.read.values(), *reader.outputs)
    met = {id(thing): thing for thing in things}
    return graph, {node_id: met[address] for address, node_id in reader.ids.items()}


@dataclass(frozen=True)
class _Seen:
    """An input as a picture showed it: the tensor, while the program has it, and what it held, which stays true of
    one that the program let go. Keeps no tensor alive."""

    tensor: ref[Any]
    info: TensorInfo


class _Reader:
    """Walks once from the outputs; everything it meets stays alive until the graph is built, so `id` identifies."""

    def __init__(self, outputs: tuple[Any, ...], names: Names, asked: Asked, beside: tuple[Any, ...] = ()) -> None:
        self.outputs = outputs
        self.beside = beside
        self.names = names
        self.asked = asked
        self.inputs = walk(outputs)
        self.ops = forward_order(self.inputs)
        self.backward = {node: i for i, node in enumerate(backward_order(outputs, self.inputs), 1)}
        # each is a small box of its own: a help in a small graph, clutter in a large one
        self.untracked = len(self.ops) <= _SMALL if asked.untracked is None else asked.untracked
        self.nodes: list[Node] = []
        self.edges: list[Edge] = []
        self.ids: dict[int, str] = {}  # of a node or tensor, by address
        self.read: dict[str, Any] = {}  # operations and leaves, by id
        self.alive: list[Any] = []
        self.counts = Counter[str]()

    def structure(self) -> Graph:
        """Every node with its name and edges."""
        for i, op in enumerate(self.ops, 1):
            op_id = self.ids[id(op)] = f"op{i}"
            self.read[op_id] = op
        for i, op in enumerate(self.ops, 1):
            self._add_op(op, i)
        roots = [self._add_output(tensor) for tensor in self.outputs]
        for tensor in self.beside:
            self._add_untracked_tensor(tensor)
        self._mark_where_backward_stops()
        return Graph(tuple(self.nodes), tuple(self.edges), tuple(dict.fromkeys(roots)))

    def described(self, graph: Graph) -> Graph:
        """`graph` with what its operations and leaves say of themselves."""
        return Graph(tuple(map(self._described, graph.nodes)), graph.edges, graph.roots)

    def _described(self, node: Node) -> Node:
        thing = self.read.get(node.id)
        if node.kind == "leaf":
            # a leaf may have become a result since: by detach_() and a write
            has_grad = (thing.is_leaf or thing.retains_grad) and thing.grad is not None
            grad = describe(thing.grad) if has_grad else None
            return replace(node, tensor=describe(thing), grad=grad, hooks=_hooks(thing))
        if node.kind not in ("op", "custom"):
            return node
        return replace(
            node,
            formula=() if node.kind == "custom" else formula(thing),
            results=_results(thing) if self.asked.shapes else (),
            source=tuple(thing.metadata.get("traceback_", ())) if self.asked.source else (),
        )

    def _mark_where_backward_stops(self) -> None:
        """Where a watched pass failed; else the first node that it will reach whose saved tensors were changed."""
        failed = self.asked.watched and self.ids.get(id(self.asked.watched.failed))
        refusing = [n for n in self.nodes if n.backward and any(s.state == "changed" for s in n.saved)]
        if failed:
            first = next(node for node in self.nodes if node.id == failed)
        elif refusing:
            first = min(refusing, key=lambda node: node.backward)
        else:
            return
        error = self.asked.watched.error if failed else ""
        self.nodes[self.nodes.index(first)] = replace(first, stops=True, error=error)

    def _next(self, prefix: str) -> str:
        self.counts[prefix] += 1
        return f"{prefix}{self.counts[prefix]}"

    def _add_op(self, op: Any, forward: int) -> None:
        op_id, inputs = self.ids[id(op)], self.inputs[op]
        ghosts = self.untracked and any(n is None for n, _ in inputs)
        slots = read_slots(op, packed=self.asked.saved) if ghosts or self.asked.saved else []
        unknown = self._untracked_inputs(op, slots + self._seen_by_watch(op)) if ghosts else {}
        for input_nr, (target, output_nr) in enumerate(inputs):
            if target is None:
                if self.untracked:
                    ghost = self._add_untracked(op_id, input_nr, unknown.get(input_nr), _freed(slots, input_nr))
                    self.edges.append(Edge(op_id, ghost, "untracked", input_nr))
            else:
                target_id = self._add_accumulate(target) if is_accumulate(target) else self.ids[id(target)]
                self.edges.append(Edge(op_id, target_id, "next", input_nr, output_nr))
        custom = hasattr(type(op), "saved_tensors")
        self.nodes.append(
            Node(
                op_id,
                "custom" if custom else "op",
                op_name(op),
                self.names.of_results(op),
                saved=tuple(self._saved(*slot) for slot in slots) if self.asked.saved else (),
                hooks=tuple(name for tensor in self.names.results(op) for name in _hooks(tensor)),
                forward=forward,
                backward=self.backward.get(op),
            )
        )

    def _seen_by_watch(self, op: Any) -> list[tuple[str, Any, str]]:
        """The inputs without gradient that a recording saw before the node let them go."""
        return getattr(self.asked.watched, "untracked", {}).get(op, [])

    def _saved(self, slot: str, tensor: Any, state: str) -> Saved:
        if tensor is None:
            changed = re.search(r"expected version (\d+)", state)
            return Saved(slot, "changed", version=int(changed[1])) if changed else Saved(slot, "freed")
        return Saved(slot, "kept", self.names.of_tensor(tensor), describe(tensor), getattr(tensor, "_version", None))

    def _add_accumulate(self, node: Any) -> str:
        if id(node) not in self.ids:
            leaf_id = self._add_leaf(node.variable)
            acc_id = self.ids[id(node)] = "acc" + leaf_id.removeprefix("leaf")
            self.alive.append(node)
            names = self.names.of_tensor(node.variable)
            self.nodes.append(Node(acc_id, "accumulate", op_name(node), names, backward=self.backward.get(node)))
            self.edges.append(Edge(acc_id, leaf_id, "variable"))
        return self.ids[id(node)]

    def _add_leaf(self, leaf: Any) -> str:
        if id(leaf) not in self.ids:
            leaf_id = self.ids[id(leaf)] = self._next("leaf")
            self.read[leaf_id] = leaf
            names = self.names.of_tensor(leaf)
            self.nodes.append(Node(leaf_id, "leaf", _title(names, leaf_id), names))
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

    def _untracked_inputs(self, op: Any, slots: list[tuple[str, Any, str]]) -> dict[int, Any]:
        """Which tensors stand at the `None` inputs, as far as the op's saved tensors tell: ``self`` is input 0 and
        ``other`` input 1 of an operation of two; a tensor that the program has a name for fills the next free one.
        Once they are freed, what an earlier picture showed there tells it."""
        free = [i for i, (n, _) in enumerate(self.inputs[op]) if n is None]
        known, rest = {}, []
        for slot, tensor, _ in slots:
            if tensor is None or tensor.requires_grad:
                continue
            position = _POSITIONS.get(slot)
            if position in free:
                known[position] = tensor
            elif self.names.of_tensor(tensor):
                rest.append(tensor)
        for position in free:
            if position not in known and rest:
                known[position] = rest.pop(0)
        seen = op.metadata.get(_SEEN, {})
        if known:
            op.metadata[_SEEN] = seen | {position: _Seen(ref(t), describe(t)) for position, t in known.items()}
        for position, before in seen.items():
            tensor = before.tensor()
            known.setdefault(position, before if tensor is None else tensor)
        return known

    def _add_untracked(self, op_id: str, input_nr: int, tensor: Any, freed: tuple[Saved, ...]) -> str:
        if is_tensor(tensor):
            return self._add_untracked_tensor(tensor)
        node_id, info = f"{op_id}in{input_nr}", tensor and tensor.info
        label = "None" if info is None else info.value or node_id
        self.nodes.append(Node(node_id, "untracked", label, tensor=info, requires_grad=False, saved=freed))
        return node_id

    def _add_untracked_tensor(self, tensor: Any) -> str:
        if id(tensor) not in self.ids:
            node_id = self.ids[id(tensor)] = self._next("const")
            self.alive.append(tensor)
            names = self.names.of_tensor(tensor)
            info = describe(tensor)
            label = _title(names, info.value or node_id)
            self.nodes.append(Node(node_id, "untracked", label, names, info, requires_grad=False))
            self._add_cut(node_id, tensor)
        return self.ids[id(tensor)]

    def _add_cut(self, node_id: str, tensor: Any) -> None:
        """A dotted line to the tracked tensor that this untracked one was detached from, if it is in the picture."""
        for other in self.names.sharing_memory(tensor):
            owner = other if other.grad_fn is None else other.grad_fn
            if id(owner) in self.ids:
                self.edges.append(Edge(node_id, self.ids[id(owner)], "cut"))
                return


def op_name(node: Any) -> str:
    """``node.name()`` without the C++ namespace: ``AccumulateGrad``, ``CopySlices``, ``MulBackward0``."""
    return str(node.name()).rpartition("::")[2]


def read_slots(node: Any, packed: bool = False) -> list[tuple[str, Any, str]]:
    """(slot, tensor, "") of what the node saved; (slot, None, why) where the library refuses to give it back.

    What an unpack hook would have to give back is left out unless `packed`: a checkpoint's computes the whole forward
    pass again, and refuses to do so twice.
    """
    found = []
    for attribute in sorted(a for a in dir(node) if a.startswith("_saved_") or a == "saved_tensors"):
        if not packed and is_packed(node, attribute):
            continue
        slot = attribute.removeprefix("_saved_").removeprefix("saved_tensors")
        try:
            value = getattr(node, attribute)
        except Exception as refusal:  # the library's, or that of an unpack hook of the user's
            found.append((slot or "tensors", None, str(refusal)))
            continue
        many = isinstance(value, (tuple, list))
        for i, item in enumerate(value if many else (value,)):
            if is_tensor(item):
                found.append((f"{slot}[{i}]" if many else slot, item, ""))
    return found


def is_packed(node: Any, attribute: str) -> bool:
    """Whether what the node saved there is kept by hooks of the user's, or of a checkpoint."""
    try:
        raw = getattr(node, f"_raw{attribute}" if attribute.startswith("_") else f"_raw_{attribute}")
    except Exception:  # it keeps something else than tensors, or has let it go
        return False
    return any(getattr(one, "unpack_hook", None) for one in (raw if isinstance(raw, tuple) else (raw,)))


def _freed(slots: list[tuple[str, Any, str]], input_nr: int) -> tuple[Saved, ...]:
    """Where an input was kept of which nothing more is known: under this name, until backward freed it."""
    gone = [slot for slot, tensor, why in slots if tensor is None and "expected version" not in why]
    return tuple(Saved(slot, "freed") for slot in gone if _POSITIONS.get(slot) == input_nr)


def _results(node: Any) -> tuple[TensorInfo, ...]:
    """Shape and dtype of each output of the operation: what the node's incoming gradients must be like."""
    known = getattr(node, "_input_metadata", ())
    return tuple(TensorInfo(shape_of(meta), dtype_name(meta), None) for meta in known)


def _hooks(tensor: Any) -> tuple[str, ...]:
    """Names of the hooks on a tensor, as far as it shows them."""
    hooks = []
    for attribute in ("_backward_hooks", "_post_accumulate_grad_hooks"):
        hooks += (getattr(tensor, attribute, None) or {}).values()
    return tuple(getattr(hook, "__name__", type(hook).__name__) for hook in hooks)


def _title(names: tuple[str, ...], otherwise: str) -> str:
    return " = ".join(names) if names else otherwise
