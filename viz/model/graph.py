"""The graph that a picture shows: plain values, made by `reader`.

A `Graph` is a snapshot: it keeps no tensor alive, and two runs of one program give equal graphs, because ids count in
the order of the forward pass and are never addresses.

Nodes, by `kind`:
    op          a node that the library records for one of its own operations, and what that gave
    custom      a node of a user's own ``autograd.Function``
    accumulate  an ``AccumulateGrad`` node; its edge goes to the leaf whose ``.grad`` it adds to
    leaf        a leaf tensor
    untracked   an input that no gradient flows to: ``(None, 0)`` in ``next_functions``, or not there
    folded      several nodes drawn as one

Edges, by `kind`: ``next`` (op → next function), ``variable`` (accumulate → leaf) and ``untracked`` (op → input without
gradient). All point the way a gradient flows, or would.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from ..language import LANGUAGES, message, words
from ..strings import clean
from .formulas import in_chinese
from .values import TensorInfo, brief, shape_text

OPERATIONS = ("op", "custom", "folded")  # kinds of nodes
_PLAIN = ("id", "kind", "label", "title", "count", "forward", "backward", "stops", "error")


@dataclass(frozen=True)
class Saved:
    """A tensor that an operation keeps for its derivative, under the name `slot` (``grad_fn._saved_<slot>``).

    `state` is ``kept``; ``freed`` after a backward that did not retain the graph; or ``changed`` where the tensor was
    written in place since, so that backward will refuse. `version` is the one it was saved at; `names` and `tensor`
    describe it. What is no longer known is None.
    """

    slot: str
    state: str
    names: tuple[str, ...] = ()
    tensor: TensorInfo | None = None
    version: int | None = None

    @property
    def text(self) -> str:
        """What is kept, and what it is called: ``w = [2.]``."""
        name = f"{self.names[0]} = " if self.names else ""
        return name + brief(self.tensor) if self.tensor else ""


@dataclass(unsafe_hash=True)  # as good as frozen, and made in a third of the time: a large graph has half a million
class Node:
    """One node of the picture, never changed. What does not apply to its kind, or was not asked for, is empty.

    label: what it is called: an op's ``name()``, a tensor's variable or else its id.
    names: the variables bound to it (for an op: to its results).
    tensor, grad: the value and the gradient of a leaf, of an untracked input, or of what an op or a group gave; keeps:
        it has a ``.grad``, or will have one after the next pass.
    formula: an op's value and derivatives, as far as they are known.
    saved: what an op keeps for its derivative.
    stops: backward failed here, and `error` is the first line it said; or will, because a saved tensor was changed.
    hooks: names of the functions that watch or change the gradient of this tensor or result, but for private ones.
    forward, backward: positions in the order of the forward pass and of the backward pass, from 1.
    module: the path of the module whose call made it, or whose parameters it is, takes, or lies between; calls: of the
        modules in whose calls it was made, as far as they were seen, from the outermost: ``net()``, ``net.fc()``.
    count, contents: how many ops a folded node holds, and how many of each name; repeats: of how many equal parts;
        members: the ids of all nodes that it stands for.
    written: what the program wrote for it, such as ``w * 3``; passed: the gradient that a recorded pass brought it;
        result: what the op gave is what was drawn; outputs: of each of an op's names the number of the result it is of.
    words: (key, n) of the catalogue's text that says its label, or name, in the reader's language.
    """

    id: str
    kind: str
    label: str
    names: tuple[str, ...] = ()
    tensor: TensorInfo | None = None
    grad: TensorInfo | None = None
    keeps: bool = False
    formula: tuple[str, ...] = ()
    saved: tuple[Saved, ...] = ()
    stops: bool = False
    error: str = ""
    hooks: tuple[str, ...] = ()
    forward: int | None = None
    backward: int | None = None
    module: str = ""
    calls: tuple[str, ...] = ()
    count: int = 1
    contents: tuple[tuple[str, int], ...] = ()
    repeats: int = 1
    members: tuple[str, ...] = ()
    written: str = ""
    passed: str = ""
    result: bool = False
    outputs: tuple[int, ...] = ()
    words: tuple[str, str] | None = None

    @property
    def never_ran(self) -> bool:
        """Whether it stands for an operation that raised an error instead of giving a result."""
        return self.stops and self.kind == "op" and self.forward is None

    def output(self, nr: int) -> Self:
        """Itself, called as its result of that number."""
        names = tuple(name for name, of in zip(self.names, self.outputs) if of == nr) if self.outputs else self.names
        at = f"[{nr}]" if nr else ""
        return replace(self, names=names, label=self.label + at, written=self.written and self.written + at)

    @property
    def title(self) -> str:
        """What the program calls it: its name, else what it wrote for it."""
        return clean((", " if len({*self.outputs}) > 1 else " = ").join(self.names[:3]) or self.written)

    def called(self, lang: str) -> str:
        """Its label, in the reader's language where it is in words."""
        return words(self.words[0], n=self.words[1])[lang] if self.words else self.label

    @property
    def grad_text(self) -> str:
        """Its ``.grad``, in short; empty where none is kept."""
        return brief(self.grad, like=self.tensor) if self.grad else "None" if self.keeps else ""

    def formulas(self, lang: str) -> list[str]:
        """`formula`, its words in the reader's language."""
        return [in_chinese(part) if lang == "zh" else part for part in self.formula]

    def to_dict(self) -> dict[str, Any]:
        """What ``notebook/static/live.schema.json`` says of a node, but for where it stands in a picture."""
        return {key: getattr(self, key) for key in _PLAIN} | {
            "words": words(self.words[0], n=self.words[1]) if self.words else None,
            "module": self.calls[-1] if self.calls else self.module and f"{self.module}.*",
            "names": list(self.names),
            "formula": {lang: self.formulas(lang) for lang in LANGUAGES},
            "shape": shape_text(self.tensor.shape) if self.tensor else None,
            "dtype": self.tensor.dtype if self.tensor else None,
            "value": self.tensor.value if self.tensor else None,
            "grad": self.grad_text or None,
            "saved": [{"slot": s.slot, "state": s.state, "version": s.version, "text": s.text} for s in self.saved],
            "hooks": list(self.hooks),
        }


@dataclass(unsafe_hash=True)
class Edge:
    """From node id `source` to node id `target`, as a gradient flows.

    `input_nr` is the position in the source's ``next_functions``, -1 for what has none there: labels, indices, a mask;
    `output_nr` tells which output of the target's operation that input was.
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

    @cached_property
    def by_id(self) -> dict[str, Node]:
        """The nodes by their ids."""
        return {node.id: node for node in self.nodes}

    @cached_property
    def _edges_of(self) -> dict[str, tuple[list[Edge], list[Edge]]]:
        """The edges that leave each node, and those that reach it."""
        found: dict[str, tuple[list[Edge], list[Edge]]] = {node.id: ([], []) for node in self.nodes}
        for edge in self.edges:
            found[edge.source][0].append(edge)
            found[edge.target][1].append(edge)
        return found

    def node(self, node_id: str) -> Node:
        """The node with that id. Raises ValueError."""
        try:
            return self.by_id[node_id]
        except (KeyError, TypeError):
            raise ValueError(message("noNode", given=clean(repr(node_id)))) from None

    def edges_from(self, node_id: str) -> tuple[Edge, ...]:
        """The edges that leave a node, in the order of its inputs. Raises ValueError."""
        return tuple(self._edges_of[self.node(node_id).id][0])

    def edges_to(self, node_id: str) -> tuple[Edge, ...]:
        """The edges that reach a node, from what uses it. Raises ValueError."""
        return tuple(self._edges_of[self.node(node_id).id][1])

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts and lists of the graph, ready for `json.dumps`: what ``notebook/static/live.schema.json`` says of
        nodes and edges, but for where they stand in a picture."""
        return {
            "nodes": [node.to_dict() for node in self.nodes],
            "edges": [dict(vars(edge)) for edge in self.edges],
            "roots": list(self.roots),
        }
