"""What the live panel is given, as ``static/live.schema.json`` describes it: the graph as the variables reach it now,
and a recorded backward pass.

A scene is a snapshot in plain values. Its ids are those of `Identities`: a node keeps its id from scene to scene, so
that the panel can show what moved, what came and what left.
"""

from __future__ import annotations

import weakref
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from .cards import brief
from .errors import LayoutError
from .fold import View
from .graph import Graph, Node
from .modules import with_modules
from .names import Names, is_tensor
from .order import is_accumulate
from .picture import Picture
from .reader import Asked, op_name, read_objects
from .record import Gradient, record
from .render import Layout, layout
from .svg import MARGIN, canvas
from .values import TensorInfo, shape_text

VERSION = 1
_GHOSTS = 12  # tensors that stand beside the graph; a notebook of data has many
_LAYOUTS = 24  # remembered
_TYPED = 300  # characters of an expression that anyone would type; of a long chain they would add up to megabytes


class Identities:
    """Ids of nodes and tensors for the life of a panel. Keeps nothing alive.

    A loop makes its graph anew each time round. An operation that stands where one of the last scene stood, reached by
    the same expression, takes over its id, if that one is gone: to a reader it is the same node with other numbers.
    """

    def __init__(self) -> None:
        self._counts = Counter[str]()
        self._ops: dict[tuple[int, str], str] = {}
        self._older: dict[tuple[int, str], str] = {}
        self._places: dict[tuple[str, str], str] = {}
        self._tensors: dict[int, tuple[weakref.ref[Any], str]] = {}

    def of(self, graph: Graph, objects: Mapping[str, Any]) -> dict[str, str]:
        """The lasting id of each thing in `objects`, by its id in `graph`."""
        ops = {k: key_of(thing) for k, thing in objects.items() if _is_op(thing)}
        known = {**self._older, **self._ops}
        now = {key: known[key] for key in ops.values() if key in known}
        taken = set(now.values())
        places = {k: (text, graph.node(k).label) for k, text in expressions_of(graph).items() if k in ops}
        for node_id, key in ops.items():
            if key not in now:
                before = self._places.get(places.get(node_id, ("", "")))
                now[key] = before if before and before not in taken else self._new("op")
                taken.add(now[key])
        self._older, self._ops = self._ops, now
        self._places = {place: now[ops[k]] for k, place in places.items()}
        self._tensors = {address: pair for address, pair in self._tensors.items() if pair[0]() is not None}
        return {k: now[ops[k]] if k in ops else self._of_other(k, thing) for k, thing in objects.items()}

    def _of_other(self, node_id: str, thing: Any) -> str:
        if not is_tensor(thing):
            return "acc" + self.of_tensor(thing.variable).removeprefix("leaf")
        if thing.grad_fn is not None:
            return f"out_{self._ops[key_of(thing.grad_fn)]}_{getattr(thing, 'output_nr', 0)}"
        return self.of_tensor(thing, "leaf" if node_id.startswith("leaf") else "const")

    def of_tensor(self, tensor: Any, prefix: str = "leaf") -> str:
        """The id of a tensor: a leaf, or one that no gradient flows to."""
        known = self._tensors.get(id(tensor))
        if known is None or known[0]() is not tensor:  # an address is used again
            known = self._tensors[id(tensor)] = (weakref.ref(tensor), self._new(prefix))
        return known[1]

    def tensor(self, node_id: str) -> Any:
        """The tensor with that id, if it still lives."""
        return next((ref() for ref, known in self._tensors.values() if known == node_id), None)

    def _new(self, prefix: str) -> str:
        self._counts[prefix] += 1
        return f"{prefix}{self._counts[prefix]}"


def key_of(node: Any) -> tuple[int, str]:
    """What tells an operation's node from all others, dead ones too: its sequence number and name."""
    return node._sequence_nr(), op_name(node)


def _is_op(thing: Any) -> bool:
    return not is_tensor(thing) and not is_accumulate(thing)


@dataclass(frozen=True)
class Places:
    """Where autograd nodes and tensors stand in a scene.

    ids: the lasting id of each, by its address; folded: of those that are drawn as part of a group, by that id: the
    group's id and the node itself.
    """

    ids: dict[int, str]
    folded: dict[str, tuple[str, Node]] = field(default_factory=dict)

    def of(self, thing: Any) -> str | None:
        """The id in the scene of a node or tensor, or of the group that it is drawn in."""
        own = self.ids.get(id(thing))
        return self.folded[own][0] if own in self.folded else own

    def within(self, thing: Any) -> Node | None:
        """What the group hides of it, where it is drawn as part of one."""
        return self.folded.get(self.ids.get(id(thing), ""), (None, None))[1]


class Scenes:
    """Makes the scenes and traces of one panel.

    view: how much of a large graph is shown; direction, engine, timeout: as for `viz.draw`; origin: which notebook
    line made an autograd node, as far as the caller knows.
    """

    def __init__(
        self,
        view: View,
        direction: str = "auto",
        engine: str = "auto",
        timeout: float = 5.0,
        origin: Callable[[Any], str] = lambda node: "",
    ) -> None:
        self.view, self.direction, self.engine, self.timeout, self.origin = view, direction, engine, timeout, origin
        self.ids = Identities()
        self.serial = 0
        self.traces = 0
        self._born: dict[str, int] = {}
        self._layouts: OrderedDict[str, Layout] = OrderedDict()
        self._moved_from: dict[str, str] = {}  # leaf id -> the name it lost

    def scene(
        self,
        named: list[tuple[str, Any]],
        *,
        outputs: Iterable[Any] | None = None,
        moved: Iterable[tuple[str, str, Any]] = (),
        watched: record | None = None,
        cell: int | None = None,
        busy: bool = False,
    ) -> tuple[dict[str, Any], Places]:
        """The scene of `outputs`, or of all that the (name, tensor) pairs `named` reach; and where in it everything is.
        `moved`: (name, id of the leaf it stood for, the tensor now)."""
        moved = tuple(moved)
        self._moved_from.update((before, name) for name, before, _ in moved)
        pairs = [pair for pair in named if pair[1].grad_fn is not None or pair[1].requires_grad]
        beside = [] if outputs is not None else _ghosts(named)
        left = [
            (f"{name} (old 旧)", t) for i, name in self._moved_from.items() if (t := self.ids.tensor(i)) is not None
        ]
        bound = {id(tensor) for _, tensor in named}
        names = Names([], named + [(name, tensor) for name, tensor in left if id(tensor) not in bound])
        roots = tuple(outputs) if outputs is not None else ends(tensor for _, tensor in pairs)
        whole = Graph((), (), ())

        def shown(graph: Graph) -> Graph:
            nonlocal whole
            whole = graph
            return self._shown(graph)

        graph, objects = read_objects(roots, names, Asked(saved=True, watched=watched), shown, beside)
        ids = self.ids.of(graph, objects)
        folded = {ids[m]: (node.id, whole.node(m)) for node in graph.nodes for m in node.members if m in ids}
        graph = with_modules(renamed(graph, ids))
        self.serial += 1
        self._born = {node.id: self._born.get(node.id, self.serial) for node in graph.nodes}
        by_address = {id(thing): ids[node_id] for node_id, thing in objects.items()}
        to = [(name, before, by_address.get(id(t)) or by_address.get(id(t.grad_fn), "")) for name, before, t in moved]
        origins = {ids[node_id]: self._origin_of(thing) for node_id, thing in objects.items()}
        return self._described(graph, to, origins, cell, busy), Places(by_address, folded)

    def trace(
        self,
        run: record,
        scene: dict[str, Any],
        places: Places,
        call: str = "",
        cell: int | None = None,
        line: str = "",
    ) -> dict[str, Any]:
        """The pass that `run` recorded, with the graph it ran through as `scene`; `places`: where things are in it."""
        self.traces += 1
        shown = {node["id"]: node for node in scene["nodes"]}

        def id_of(thing: Any) -> str | None:
            return found if (found := places.of(thing)) in shown else None

        def counts(pending: Mapping[Any, int]) -> dict[str, int]:
            """A group's members wait for gradients one by one: of it no count is given."""
            alone = {node: n for node, n in pending.items() if places.within(node) is None}
            return {node_id: n for node, n in alone.items() if (node_id := id_of(node))}

        starts = {e["target"]: e["source"] for e in scene["edges"] if shown[e["source"]]["kind"] == "output"}
        steps = []
        for step in run.steps:
            node = id_of(step.node)
            data: dict[str, Any] = {"kind": step.kind, "node": node}
            if inside := places.within(step.node):
                data["member"] = {"label": _called(inside), "source": self._origin_of(step.node)}
            if step.kind == "start":
                data |= {"node": starts.get(node, node), "into": _gradients(step.into)}
            elif step.kind == "op":
                data |= {
                    "into": _gradients(step.into),
                    "rules": [{"rule": rule, "filled": text} for rule, text in step.rules],
                    "out": [_sent(nr, id_of(to), places.within(to), grad) for nr, to, grad in step.out],
                    "pending": counts(step.pending),
                    "freed": step.freed,
                }
            elif step.kind == "accumulate":
                variable = step.node.variable
                leaf, hidden = id_of(variable), places.within(variable)
                unnamed = places.ids.get(id(variable), "")
                name = (hidden.names or (unnamed,))[0] if hidden else shown[leaf]["label"] if leaf else ""
                data |= {"into": _gradients(step.into), "leaf": None if hidden else leaf, "name": name}
                data |= {"before": _gradient(step.before), "added": _gradient(step.into[0] if step.into else None)}
                data |= {"after": _gradient(step.after)}
            else:
                data |= {"error": step.error, "hint": dict(zip(("en", "zh"), step.hints))}
            steps.append(data)
        return {
            "serial": self.traces,
            "scene": scene,
            "call": call,
            "cell": cell,
            "line": line,
            "retain_graph": run.retain_graph,
            "pending": counts(run.pending),
            "steps": steps,
            "ended": not any(step.kind == "error" for step in run.steps),
        }

    def _origin_of(self, thing: Any) -> str:
        return self.origin(thing) if _is_op(thing) else ""

    def _shown(self, graph: Graph) -> Graph:
        try:
            return self.view.of(graph)
        except ValueError:  # a group that was opened is no longer there
            self.view = replace(self.view, unfold=())
            return self.view.of(graph)

    def _laid_out(self, dot: str, engine: str, timeout: float) -> Layout:
        """In a loop the same picture comes again and again with other numbers in it."""
        if dot not in self._layouts:
            self._layouts[dot] = layout(dot, engine, timeout)
            if len(self._layouts) > _LAYOUTS:
                self._layouts.popitem(last=False)
        return self._layouts[dot]

    def _described(
        self,
        graph: Graph,
        moved: Iterable[tuple[str, str, str]],
        origins: Mapping[str, str],
        cell: int | None,
        busy: bool,
    ) -> dict[str, Any]:
        nodes = tuple(replace(node, saved=()) if node.saved else node for node in graph.nodes)
        bare = Graph(nodes, graph.edges, graph.roots)
        picture = Picture(
            bare,
            direction=self.direction,
            engine=self.engine,
            timeout=self.timeout,
            lay_out=self._laid_out,
            roomy=True,
        )
        folded = sum(node.count for node in graph.nodes if node.kind == "folded")
        note = {"en": "", "zh": ""}
        if not graph.nodes:
            svg, wide, high, places = "", 0.0, 0.0, {}
        else:
            try:
                svg = picture.svg
                wide, high, left = canvas(bare, picture.layout, picture.direction)
                places = {k: (round(x + left, 1), round(y + MARGIN, 1)) for k, (x, y) in picture.layout.nodes.items()}
                if folded:
                    note["en"] = f"{folded:,} operations are folded into groups."
                    note["zh"] = f"有 {folded:,} 个运算节点折叠成了组。"
            except LayoutError as error:
                svg, wide, high, places = "", 0.0, 0.0, {}
                what, english, chinese = (*str(error).split("\n  → "), "", "")[:3]
                note = {"en": f"{what}. {english}", "zh": chinese}
        expressions = {k: text for k, text in expressions_of(graph).items() if len(text) <= _TYPED and " " not in text}
        nodes = []
        for node in graph.nodes:
            x, y = places.get(node.id, (0.0, 0.0))
            card = picture.cards[node.id]
            nodes.append(
                {
                    "id": node.id,
                    "kind": node.kind,
                    "label": node.label,
                    "names": list(node.names),
                    "x": x,
                    "y": y,
                    "width": card.width,
                    "height": card.height,
                    "born": self._born[node.id],
                    "expression": expressions.get(node.id, ""),
                    "formula": list(node.formula),
                    "shape": shape_text(node.tensor.shape) if node.tensor else None,
                    "dtype": node.tensor.dtype if node.tensor else None,
                    "value": node.tensor.value if node.tensor else None,
                    "grad": _grad_text(node),
                    "saved": [
                        {"slot": s.slot, "state": s.state, "text": _saved_text(s.names, s.tensor)} for s in node.saved
                    ],
                    "hooks": list(node.hooks),
                    "source": origins.get(node.id, ""),
                    "module": node.module,
                    "count": node.count,
                }
            )
        here = {node.id for node in graph.nodes}
        return {
            "serial": self.serial,
            "cell": cell,
            "busy": busy,
            "svg": svg,
            "width": wide,
            "height": high,
            "direction": picture.direction if graph.nodes else "right",
            "nodes": nodes,
            "edges": [dict(vars(edge)) for edge in graph.edges],
            "roots": list(graph.roots),
            "text": picture.alt if graph.nodes else "",
            "moved": [
                {"name": name, "from": before if before in here else None, "to": after}
                for name, before, after in moved
                if after in here
            ],
            "note": note,
        }


def ends(tensors: Iterable[Any]) -> tuple[Any, ...]:
    """The tensors that no other of them was computed from: what a picture of all of them starts at."""
    by_place: dict[Any, Any] = {}
    for tensor in tensors:
        node = tensor.grad_fn
        by_place.setdefault(id(tensor) if node is None else (node, getattr(tensor, "output_nr", 0)), tensor)
    reached, leaves = set(), set()
    unvisited = [key[0] for key in by_place if isinstance(key, tuple)]
    seen = set(unvisited)
    while unvisited:
        for target, output_nr in unvisited.pop().next_functions:
            if target is None:
                continue
            if is_accumulate(target):
                leaves.add(id(target.variable))
                continue
            reached.add((target, output_nr))
            if target not in seen:
                seen.add(target)
                unvisited.append(target)
    return tuple(tensor for key, tensor in by_place.items() if key not in reached and key not in leaves)


def renamed(graph: Graph, ids: Mapping[str, str]) -> Graph:
    """`graph` with other ids."""
    # an untracked input that nothing is known of is called after its operation
    more = {
        node.id: f"{ids[op]}in{nr}"
        for node in graph.nodes
        if node.id not in ids and (op := node.id.rpartition("in")[0]) in ids and (nr := node.id.rpartition("in")[2])
    }
    to = {**ids, **more}

    def now(node_id: str) -> str:
        return to.get(node_id, node_id)

    def title(node: Node) -> str:
        """A leaf without a name is called by its lasting id; the lasting id of a result says nothing to a reader."""
        return now(node.label) if node.label == node.id and node.kind != "output" else node.label

    return Graph(
        tuple(
            replace(node, id=now(node.id), label=title(node), members=tuple(map(now, node.members)))
            for node in graph.nodes
        ),
        tuple(replace(edge, source=now(edge.source), target=now(edge.target)) for edge in graph.edges),
        tuple(map(now, graph.roots)),
    )


def expressions_of(graph: Graph) -> dict[str, str]:
    """What a reader can type to reach each node from a variable: the shortest of its kind. Where the name holds a
    space, as ``loss in train()``, it is a place and not for typing."""
    found: dict[str, str] = {}
    queue: deque[str] = deque()
    for node in graph.nodes:
        if node.names and node.kind in ("leaf", "output", "untracked"):
            found[node.id] = node.names[0]
        elif node.names and node.kind in ("op", "custom"):
            found[node.id] = f"{node.names[0]}.grad_fn"
            queue.append(node.id)
    for node in graph.nodes:
        if node.kind == "output" and node.names:
            queue.append(node.id)
    while queue:
        source = queue.popleft()
        for edge in graph.edges_from(source):
            steps = {"grad_fn": ".grad_fn", "next": f".next_functions[{edge.input_nr}][0]", "variable": ".variable"}
            if edge.kind in steps and edge.target not in found and graph.node(edge.target).kind != "folded":
                found[edge.target] = found[source] + steps[edge.kind]
                queue.append(edge.target)
    return found


def _ghosts(named: list[tuple[str, Any]]) -> list[Any]:
    """Tensors with a plain name that no gradient flows to: data, and what detach() and no_grad() gave."""
    found = {id(t): t for name, t in named if name.isidentifier() and not t.requires_grad and t.grad_fn is None}
    return list(found.values())[:_GHOSTS]


def _grad_text(node: Node) -> str | None:
    if node.grad is not None:
        return brief(node.grad, like=node.tensor)
    return "None" if node.kind == "leaf" else None


def _saved_text(names: tuple[str, ...], tensor: TensorInfo | None) -> str:
    name = f"{names[0]} = " if names else ""
    return name + brief(tensor) if tensor else ""


def _gradient(grad: Gradient | None) -> dict[str, str] | None:
    return grad and asdict(grad)


def _gradients(grads: Iterable[Gradient | None]) -> list[dict[str, str] | None]:
    return [_gradient(grad) for grad in grads]


def _sent(nr: int, to: str | None, inside: Node | None, grad: Gradient | None) -> dict[str, Any]:
    sent = {"input_nr": nr, "target": to, "gradient": _gradient(grad)}
    return sent | {"member": _called(inside)} if inside else sent


def _called(node: Node) -> str:
    """As the panel calls a node: by its label, and the variable it belongs to."""
    own = node.names[0] if node.names else ""
    return f"{node.label} ({own})" if own and own not in node.label else node.label
