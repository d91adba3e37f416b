"""Reads a `Graph` from tensors of any library whose nodes speak the `protocol`."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from ..language import data, message
from .formulas import formula
from .graph import Edge, Graph, Node, Saved
from .identities import Identities
from .kept import Packed, saved, version_of
from .names import Names
from .protocol import (
    TENSOR,
    Functions,
    backward_order,
    is_accumulate,
    is_node,
    is_tensor,
    listens,
    node_of,
    op_name,
    require,
    walk,
)
from .values import TensorInfo, describe, dtype_name, shape_of

SMALL, _LARGE = 30, 1_000  # operations
_OFTEN = 4  # operations of a large graph that take the same input: more of its edges would cover the picture
# what an operation is given that next_functions has no place for; other `indices` are results, as those of `max`
_SELECTS = re.compile(r"\w+ (target|index|mask|condition)|(Embedding|EmbeddingBag|Index|IndexPut) indices(\[\d+\])?")
# Which input PyTorch's operations save under a name, by the order of their arguments in its derivatives.yaml; and the
# operations that have another order (none: no gradient is ever computed for it). What is saved under another name
# (`index`, `mask`, `result`) may be no input.
_PLACES: dict[str, int | None] = data("model/slots.json")["places"]


@dataclass(eq=False)
class Reader:
    """Walks once from the outputs; depth is no limit. Everything it meets stays alive until the graph is built, so `id`
    identifies."""

    outputs: tuple[Any, ...]
    names: Names
    untracked: bool = False  # inputs without gradient are read, also where there are many operations
    saved: bool = False  # what each operation saved is read, but for what hooks of the user's would have to unpack
    watched: Any = None  # a recording of a pass of this graph
    beside: Iterable[Any] = ()  # tensors that no gradient flows to, which stand beside it
    given: Identities = field(default_factory=Identities)  # gives the ids

    def __post_init__(self) -> None:
        self.inputs = dict(walk(self.outputs))
        order = backward_order(self.outputs, self.inputs)
        self.backward = {node: i for i, node in enumerate(order, 1)}
        self.ops = [node for node in reversed(order) if node in self.inputs]
        # each is a small box of its own: a help in a small graph, clutter in a large one, but for those with names
        self.untracked |= len(self.ops) <= SMALL
        self.named = len(self.ops) <= _LARGE
        self.nodes: list[Node] = []
        self.edges: list[Edge] = []
        self.ids: dict[int, str] = {}  # of a node or tensor, by address
        self.things: dict[str, Any] = {}  # what each id stands for, an autograd node or a tensor
        self.drawn: dict[Any, list[Any]] = {}  # of a node: those of its results that were asked for
        for output in self.outputs:
            if not is_node(output) and output.grad_fn is not None:
                self.drawn.setdefault(output.grad_fn, []).append(output)
        self._slots = cache(read_slots)  # a node is asked once
        steps = self.watched.steps if self.watched else ()
        self.arrived = {step.node: step.into for step in steps if step.kind == "op"}
        self.values: dict[Any, Any] = {}  # what an operation gave, by its node, where a saved tensor tells

    def graph(self, shown: Callable[[Graph], Graph] = lambda g: g) -> Graph:
        """The graph, as `shown` leaves it: that leaves out or folds what need not be seen, and values, formulas and
        source lines are read only of the rest, so that a hundred thousand nodes of which twenty are shown take little
        longer than walking them."""
        for i, op_id in enumerate(self.given.of_operations(self.ops, self.inputs, self.names)):
            self._add_op(self.ops[i], op_id, i + 1)
        ends = ((node_of(output), output) for output in self.outputs)
        roots = [self._add_leaf(leaf) if node is None else self._id_of(node) for node, leaf in ends]
        for tensor in self.beside:
            self._add_untracked(tensor)
        self._mark_where_backward_stops()
        uses = Counter(edge.target for edge in self.edges if edge.kind == "untracked" and not self.untracked)
        often = {node_id for node_id, n in uses.items() if n > _OFTEN}
        gone = often.difference(self.ids[id(tensor)] for tensor in self.beside)
        nodes, edges = (n for n in self.nodes if n.id not in gone), (e for e in self.edges if e.target not in often)
        graph = shown(Graph(tuple(nodes), tuple(edges), tuple(dict.fromkeys(roots))))
        for op in (self.things[node.id] for node in graph.nodes if node.kind in ("op", "custom")):
            for other, value in results_among(op, self.inputs[op], self._slots(op)):
                self.values.setdefault(other, value)
        return replace(graph, nodes=tuple(map(self._described, graph.nodes)))

    def _add(self, thing: Any, node: Node) -> None:
        self.ids[id(thing)], self.things[node.id] = node.id, thing
        self.nodes.append(node)

    def _described(self, node: Node) -> Node:
        thing: Any = self.things.get(node.id)
        if node.kind == "leaf":
            # a leaf may have become a result since: by detach_() and a write
            has_grad = (thing.is_leaf or thing.retains_grad) and thing.grad is not None
            grad = describe(thing.grad) if has_grad else None
            return replace(node, tensor=describe(thing), grad=grad, keeps=True, hooks=_hooks(thing))
        if node.kind not in ("op", "custom"):
            return node
        results = self._results(thing)
        given, told = results[0] if results else self.values.get(thing), None
        like = [TensorInfo(shape_of(m), dtype_name(m), None) for m in getattr(thing, "_input_metadata", ())]
        if given is not None:
            told = describe(given) if len({getattr(t, "output_nr", 0) for t in results}) < 2 else None
        elif self.watched and thing in self.watched.values:
            told = self.watched.values[thing]
        elif len(like) == 1 and like[0].shape:  # what comes to an only output that is no single number is like it
            told = like[0]
        # of complex numbers the derivatives are conjugated, which no row says
        conjugated = any("complex" in one.dtype for one in like)
        # .grad of a result that does not keep it would warn
        kept = [t.grad for t in results if getattr(t, "retains_grad", False)]
        return replace(
            node,
            formula=() if node.kind == "custom" else formula(thing)[: 1 if conjugated else None],
            tensor=told,
            grad=next((describe(grad) for grad in kept if grad is not None), None),
            keeps=bool(kept),
            passed=", ".join("0" if grad is None else grad.short for grad in self.arrived.get(thing, ())),
        )

    def _results(self, op: Any) -> list[Any]:
        """What is known of what an operation gave: the tensors that were asked for; else those that have names."""
        return self.drawn.get(op) or self.names.results(op)

    def _mark_where_backward_stops(self) -> None:
        """Where a watched pass failed; else the first node that it will reach whose saved tensors were changed."""
        failed = self.watched and self.ids.get(id(self.watched.failed))
        refusing = [n for n in self.nodes if n.backward and any(s.state == "changed" for s in n.saved)]
        found = [node for node in self.nodes if node.id == failed] or refusing
        if found:
            first = min(found, key=lambda node: node.backward or 0)
            first.stops, first.error = True, self.watched.error if failed else ""

    def _add_op(self, op: Any, op_id: str, forward: int) -> None:
        slots = self._slots(op) if self.saved or self.untracked or self.named else []
        # which tensors stand at the `None` inputs: the saved ones may tell, or told a recording before they were let go
        told = list(given_among(op, self.inputs[op], slots))
        seen = self.watched.untracked.get(op, ()) if self.watched else ()
        told += [(place, tensor) for place, known in seen if (tensor := known()) is not None]
        places = dict(told)
        for input_nr, (target, output_nr) in enumerate(self.inputs[op]):
            if target is not None:
                self.edges.append(Edge(op_id, self._id_of(target), "next", input_nr, output_nr))
            elif self.untracked or self.named:
                tensor = self.given.beside(op_id, input_nr, places.get(input_nr))
                if self.untracked or self._is_given(tensor):
                    ghost = self._add_untracked(tensor, f"{op_id}in{input_nr}")
                    self.edges.append(Edge(op_id, ghost, "untracked", input_nr))
        for place, tensor in told:
            if place < 0 and self._is_given(tensor):
                self.edges.append(Edge(op_id, self._add_untracked(tensor), "untracked", -1))
        results = self._results(op)
        named = {name: getattr(t, "output_nr", 0) for t in results for name in self.names.of_tensor(t)}
        node = Node(
            op_id,
            "custom" if hasattr(type(op), "saved_tensors") and "::" not in op.name() else "op",
            op_name(op),
            tuple(named),
            saved=tuple(self._saved(*slot) for slot in slots) if self.saved else (),
            hooks=tuple(name for tensor in results for name in _hooks(tensor)),
            forward=forward,
            backward=self.backward.get(op),
            result=op in self.drawn,
            outputs=tuple(named.values()),
        )
        self._add(op, node)

    def _saved(self, slot: str, tensor: Any, state: str) -> Saved:
        if tensor is None:
            changed = re.search(r"expected version (\d+)", state)
            return Saved(slot, "changed", version=int(changed[1])) if changed else Saved(slot, "freed")
        return Saved(slot, "kept", self.names.of_tensor(tensor), describe(tensor), version_of(tensor))

    def _id_of(self, node: Any) -> str:
        if id(node) not in self.ids:  # an AccumulateGrad: operations have theirs
            leaf_id = self._add_leaf(node.variable)
            acc_id = self.given.of_tensor(node.variable, "acc")
            names, words = self.names.of_tensor(node.variable), self.names.words(node.variable)
            order = self.backward.get(node)
            self._add(node, Node(acc_id, "accumulate", op_name(node), names, backward=order, words=words))
            self.edges.append(Edge(acc_id, leaf_id, "variable"))
        return self.ids[id(node)]

    def _add_leaf(self, leaf: Any) -> str:
        if id(leaf) not in self.ids:
            leaf_id, names = self.given.of_tensor(leaf, "leaf"), self.names.of_tensor(leaf)
            label, words = " = ".join(names) or leaf_id, self.names.words(leaf)
            self._add(leaf, Node(leaf_id, "leaf", label, names, words=words))
        return self.ids[id(leaf)]

    def _is_given(self, tensor: Any) -> bool:
        """Whether the program calls it by a name, and not only its module, whose parameters are frozen."""
        names = () if tensor is None else self.names.of_tensor(tensor)
        is_parameter = any(cls.__name__ == "Parameter" for cls in type(tensor).__mro__)
        return any("." not in name or not is_parameter for name in names)

    def _add_untracked(self, tensor: Any, place: str = "") -> str:
        """What no gradient flows to; None where nobody knows the tensor at that `place`."""
        if tensor is None:
            self.nodes.append(Node(place, "untracked", "None"))
            return place
        if id(tensor) not in self.ids:
            names, info, given = self.names.of_tensor(tensor), describe(tensor), self.given
            node_id = given.constants[place] if place and not names else given.of_tensor(tensor, "const")
            label = " = ".join(names) or (info.value if info.is_short else node_id) or node_id
            self._add(tensor, Node(node_id, "untracked", label, names, info))
        return self.ids[id(tensor)]


def read_slots(node: Any) -> list[tuple[str, Any, str]]:
    """(slot, tensor, "") of what the node saved; (slot, None, why) where the library refuses to give it back.

    What an unpack hook would have to give back is left out: it is the user's, and a checkpoint's computes the whole
    forward pass again, and refuses to do so twice.
    """
    found = []
    for attribute in sorted(a for a in dir(node) if a.startswith("_saved_") or a == "saved_tensors"):
        slot = attribute.removeprefix("_saved_").removeprefix("saved_tensors")
        try:
            value = saved(node, attribute)
        except Packed:
            continue
        except Exception as refusal:  # the library's
            found.append((slot or "tensors", None, str(refusal)))
            continue
        many = isinstance(value, (tuple, list))
        for i, item in enumerate(value if many else (value,)):
            if is_tensor(item):
                found.append((f"{slot}[{i}]" if many else slot, item, ""))
    return found


def results_among(op: Any, inputs: Any, slots: list[tuple[str, Any, str]]) -> Iterator[tuple[Any, Any]]:
    """(node, what it gave) of the tensors that `op` saved: its own result, and inputs that others computed."""
    for slot, tensor, _ in slots:
        place = place_of(op, slot)
        if tensor is not None and place == -1:
            yield op, tensor
        elif tensor is not None and place is not None and place < len(inputs):
            node, output_nr = inputs[place]
            if node is not None and output_nr == 0 and not is_accumulate(node):
                yield node, tensor


def given_among(op: Any, inputs: Functions, slots: list[tuple[str, Any, str]]) -> Iterator[tuple[int, Any]]:
    """(number of the input, tensor) of what `op` saved of what it was given, and no gradient flows to; -1 for what
    `next_functions` has no place for."""
    for slot, tensor, _ in slots:
        if tensor is not None and not listens(type(tensor)) and not tensor.requires_grad:
            place = place_of(op, slot)
            if place is not None and 0 <= place < len(inputs):
                yield place, tensor
            elif _SELECTS.fullmatch(f"{op_name(op).partition('Backward')[0]} {slot}"):
                yield -1, tensor


def place_of(op: Any, slot: str) -> int | None:
    """The number of the input that `op` saved as `slot`, -1 for its own result; None where its name does not tell."""
    kind, _, nr = op_name(op).rpartition("Backward")
    if not nr.isdecimal() or "Backward" in kind or kind.startswith("Foreach"):
        return None  # a derivative's own, and those of lists, count their inputs otherwise
    return _PLACES.get(f"{kind} {slot}", _PLACES.get(slot))


def _hooks(tensor: Any) -> tuple[str, ...]:
    """Names of the hooks on a tensor, as far as it shows them; not of those that are private, as variables may be."""
    where = ("_backward_hooks", "_post_accumulate_grad_hooks")
    hooks = (hook for attribute in where for hook in (getattr(tensor, attribute, None) or {}).values())
    names = (getattr(hook, "__name__", type(hook).__name__) for hook in hooks)
    return tuple(name for name in names if not name.startswith("_"))


def outputs_of(given: Iterable[Any]) -> tuple[Any, ...]:
    """The tensors and nodes among the `given` and in their lists and tuples. Refuses anything else (TypeError), and a
    tensor that has no graph (ValueError)."""
    found: list[Any] = []
    for one in given:
        found += one if isinstance(one, (list, tuple)) else [one]
    if not found:
        raise TypeError(message("nothingToDraw"))
    for output in found:
        if is_node(output):
            continue
        if is_tensor(output) or any(hasattr(output, part) for part in ("grad_fn", "grad")):
            require(output, TENSOR)
        if not is_tensor(output):
            raise TypeError(message("noTensor", kind=type(output).__name__))
        if output.grad_fn is None and not output.requires_grad:
            raise ValueError(message("noGraph"))
    return tuple(found)
