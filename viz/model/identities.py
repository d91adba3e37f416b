"""The ids of nodes and tensors: they count, and last from scene to scene, so that a panel can show what moved, what
came and what left."""

import weakref
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from .names import Names
from .protocol import Inputs, is_tensor, sequence_key


class Identities:
    """Gives ids that count, operations' in the order of the forward pass, all others' as they are met: for one graph,
    or for the life of a panel. Keeps nothing alive.

    A loop makes its graph anew each time round. An operation that stands where one of the last scene stood, reached in
    the same way, takes over its id, if that one is gone: to a reader it is the same node with other numbers.
    """

    def __init__(self) -> None:
        self._counts = Counter[str]()
        self._taken: Collection[str] = ()  # the program's own names
        self._ops: dict[tuple[int, str, int], str] = {}
        self._older: dict[tuple[int, str, int], str] = {}
        self._places: dict[tuple[str, int, str], str] = {}
        # what no gradient flows to and no variable holds, by its place: each time a pass runs it is another tensor
        self.constants = defaultdict[str, str](partial(self._next, "const"))
        self._beside: dict[str, dict[int, Callable[[], Any]]] = {}
        self.spoken_of: Collection[int] = ()  # addresses of tensors that the program's lines give to operations
        self._tensors: dict[tuple[str, int], tuple[Callable[[], Any], str]] = {}

    def _next(self, kind: str) -> str:
        self._counts[kind] += 1
        own = f"{kind}{self._counts[kind]}"
        return self._next(kind) if own in self._taken else own

    def of_operations(self, ops: Sequence[Any], inputs: Inputs, names: Names) -> list[str]:
        """The ids of these operations, in their order."""
        self._taken = names.known
        alike = Counter[tuple[int, str]]()  # each thread of PyTorch's counts for itself
        keys: dict[Any, tuple[int, str, int]] = {}
        for op in ops:
            own = sequence_key(op)
            alike[own] += 1
            keys[op] = (*own, alike[own])
        newer = set(self._ops.values())  # an id that another operation has taken over is that one's
        known = {key: own for key, own in self._older.items() if own not in newer} | self._ops
        ids = {op: known[key] for op, key in keys.items() if key in known}
        taken = set(ids.values())
        # by its name, or else as which input of the operation that uses it last
        reached: dict[Any, tuple[Any, int]] = {}

        def place(op: Any) -> tuple[str, int, str]:
            before, input_nr = reached[op]
            return before if isinstance(before, str) else ids.get(before, ""), input_nr, keys[op][1]

        for op in reversed(ops):  # what uses an operation comes behind it
            if results := names.results(op):
                reached[op] = names.of_tensor(results[0])[0], 0
            if op in reached:
                old = self._places.get(place(op))
                if op not in ids and old and old not in taken:
                    ids[op] = old
                    met = self._beside.get(old, {})  # only what the lines name is surely the same again
                    self._beside[old] = {nr: ref for nr, ref in met.items() if id(ref()) in self.spoken_of}
                    taken.add(old)
                for input_nr, (target, _) in enumerate(inputs[op]):
                    reached.setdefault(target, (op, input_nr))
        for op in ops:
            if op not in ids:
                ids[op] = self._next("op")
        self._older, self._ops = self._ops, {key: ids[op] for op, key in keys.items()}
        self._places = {place(op): ids[op] for op in ops if op in reached}
        kept = {*self._older.values(), *ids.values()}
        self._beside = {op_id: met for op_id, met in self._beside.items() if op_id in kept}
        self._tensors = {key: pair for key, pair in self._tensors.items() if pair[0]() is not None}
        return [ids[op] for op in ops]

    def beside(self, op_id: str, input_nr: int, tensor: Any) -> Any:
        """What stands at an input that no gradient flows to: `tensor`, or for None what was known of it before a pass
        let go what told of it."""
        met = self._beside.setdefault(op_id, {})
        if tensor is not None:
            met[input_nr] = weakly(tensor)
            return tensor
        return met[input_nr]() if input_nr in met else None

    def of_tensor(self, tensor: Any, kind: str = "leaf") -> str:
        """The id of a ``leaf``, of its AccumulateGrad (``acc``), or of a ``const``, which no gradient flows to."""
        known = self._tensors.get((kind, id(tensor)))
        if known is None or known[0]() is not tensor:  # an address is used again
            known = self._tensors[kind, id(tensor)] = (weakly(tensor), self._next(kind))
        return known[1]

    def adopt(self, nodes: Iterable[Mapping[str, Any]], variables: Mapping[str, Any]) -> None:
        """What is one of the `variables` has the id that the node of its name has in a scene."""
        kinds = {"leaf": "leaf", "accumulate": "acc", "untracked": "const"}
        for node in nodes:
            tensor = variables.get(node["names"][0]) if node["names"] else None
            if node["kind"] in kinds and is_tensor(tensor):
                self._tensors[kinds[node["kind"]], id(tensor)] = (weakly(tensor), node["id"])

    def tensor(self, node_id: str) -> Any:
        """The tensor with that id, if it still lives."""
        return next((ref() for ref, known in self._tensors.values() if known == node_id), None)


def weakly(tensor: Any) -> Callable[[], Any]:
    """Gives back the tensor as long as it lives; never one of a class that allows no such reference."""
    try:
        return weakref.ref(tensor)
    except TypeError:
        return lambda: None
