"""What the live panel is given, as ``static/live.schema.json`` describes it: the graph as the variables reach it now,
and a recorded backward pass.

A scene is a snapshot in plain values. Its ids are those of `Identities`: a node keeps its id from scene to scene, so
that the panel can show what moved, what came and what left.
"""

import ast
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any

from ..language import LANGUAGES, Words, explained
from ..model.formulas import in_chinese, named
from ..model.graph import Graph, Node
from ..model.identities import Identities
from ..model.modules import Call, with_calls
from ..model.names import Names
from ..model.protocol import Functions, is_accumulate, node_of, result_key, sequence_key, walk
from ..model.reader import Reader
from ..model.values import TensorInfo
from ..model.written import Failed, asked, assigned, calls_of, inlined, parsed, with_written
from ..picture.fold import View
from ..picture.picture import Picture
from ..picture.render import LayoutError, layout
from .recording import Recording
from .replay import Step

_GHOSTS = 6  # tensors that stand beside the graph, and leaves of which nothing was made: a notebook has many
_TOGETHER = 12  # nodes of the newest results and of older ones that stand with them
_LAYOUTS = 24  # remembered
_LINES, _LETTERS = 200, 200  # of code


@dataclass(frozen=True)
class Read:
    """A graph as it was when it was read, nothing of it folded: in plain values, but for the addresses."""

    graph: Graph
    ids: dict[int, str]  # the lasting id of each autograd node and tensor, by its address
    said: dict[str, Any]  # what else stands in its scene
    notes: list[Words]  # what is to be said of it
    call: str  # what asked for the pass

    def at(self, thing: Any) -> Node | None:
        """What stands for an autograd node or a tensor."""
        return self.graph.by_id.get(self.ids.get(id(thing), ""))

    def called(self, leaf: Any) -> str:
        """What the picture calls a leaf."""
        node = self.at(leaf)
        return node.label if node else ""


@dataclass(eq=False)
class Scenes:
    """Makes the scenes and traces of one panel."""

    view: View  # how much of a large graph is shown
    direction: str = "auto"  # as for `viz.draw`
    timeout: float | None = None  # seconds that laying out may take
    origin: Callable[[Any], str] = lambda thing: ""  # which notebook line made an autograd node or a tensor, if known
    held: Callable[[Any, Any], bool] = lambda tensor, op: True  # whether it was as it is when that operation ran
    calls: Callable[[Reader], Iterable[Call]] = lambda reader: ()  # those of modules that made a graph
    codes: Mapping[int | None, list[str]] = field(default_factory=dict)  # the lines of the cells, by number

    def __post_init__(self) -> None:
        self.ids = Identities()
        self.serial = 0
        # the groups that are opened, in the picture of all variables and in that of a pass
        self.unfolded: dict[str, tuple[str, ...]] = {"live": (), "pass": ()}
        self.is_open = False  # the earlier results are shown, too
        self.traces = 0
        # in a loop the same picture comes again and again with other numbers in it
        self._laid_out = lru_cache(_LAYOUTS)(partial(layout, timeout=self.timeout))
        self._leaves: dict[str, str] = {}  # the leaves that names stood for when the last cell ended
        self._moved_from: dict[str, str] = {}  # leaf id -> the name it lost
        self._derived: dict[tuple[int, str], int] = {}  # of what the last pass was, and its cell

    def remember(self, named: Iterable[tuple[str, Any]], ended: bool = True) -> None:
        """A cell has `ended`, or a statement of it: a name that stands for a leaf now may move on."""
        leaves = {name: self.ids.of_tensor(t) for name, t in named if t.requires_grad and t.grad_fn is None}
        self._leaves = leaves if ended else self._leaves | leaves

    def read(
        self,
        named: list[tuple[str, Any]],
        run: Recording | None = None,
        *,
        own: Collection[str] = (),  # names of the function's that runs: the notebook's are not moved by them
        beside: Iterable[Any] = (),  # tensors that no gradient flows to, which stand beside that of a pass
        cell: int | None = None,
        busy: bool = False,  # the cell still runs
        notes: Iterable[Words] = (),  # what is to be said of it
        call: str = "",  # what asked for the pass
        failed: Failed | None = None,  # the operation that the cell ended with
    ) -> Read:
        """Reads the graph of the pass that `run` recorded, or of all that the (name, tensor) pairs `named` reach."""
        bound, now = {id(tensor) for _, tensor in named}, dict(named)
        was = [(name, before, now.get(name)) for name, before in self._leaves.items() if name not in own]
        # names that stand for a result, another leaf, or no tensor
        moved = [one for one in was if _computed(one[2]) or id(self.ids.tensor(one[1])) not in bound]
        if run is None:
            lines = [self.origin(t.grad_fn).partition(": ")[2] for _, t in named]
            spoken_of = set(re.findall(r"\w+", " ".join(lines)))
            self.ids.spoken_of = {id(tensor) for name, tensor in named if name in spoken_of}
            if not busy:
                self.remember(named)
        self._moved_from.update((before, name) for name, before, _ in moved)
        given: tuple[Any, ...] = failed.tensors if failed else ()
        beside = tuple(beside) if run else ghosts(named)
        beside = once(*beside, *(tensor for tensor in given if not tensor.requires_grad))
        lost = {i: (name, t) for i, name in self._moved_from.items() if (t := self.ids.tensor(i)) is not None}
        self._moved_from = {i: name for i, (name, _) in lost.items()}  # a leaf that is gone is not missed
        names = Names([], named, [pair for pair in lost.values() if id(pair[1]) not in bound])
        if run is not None:
            roots, whole, last = run.outputs, run.outputs, 0
            nodes = (node for node in map(node_of, roots) if node is not None)
            self._derived = {sequence_key(node): cell or 0 for node in nodes}
        else:
            whole = ends(tensor for _, tensor in named if tensor.grad_fn is not None or tensor.requires_grad)
            roots, last = newest(whole, self._cell_of, cell if failed else None)
        roots = once(*roots, *(tensor for tensor in given if tensor.requires_grad))
        shown = set(map(id, roots))
        older = [root for root in whole if id(root) not in shown]
        earlier = [names.of_tensor(tensor)[0] for tensor in older]
        roots = (*older, *roots) if self.is_open else roots
        reader = Reader(roots, names, saved=True, watched=run, beside=beside, given=self.ids)
        graph = reader.graph()
        calls = list(self.calls(reader))
        graph = with_calls(graph, calls)
        origins = {node_id: self.origin(thing) for node_id, thing in reader.things.items()}
        kept = {node_id for node_id, line in origins.items() if cell_of(line) >= last}
        kept |= {reader.ids[id(tensor)] for tensor in given if id(tensor) in reader.ids}
        graph = with_written(graph, self._made_by(graph, origins, call, calls))
        graph = _with_few_beside(graph, kept, lambda node, op: self.held(reader.things[node], reader.things[op]))
        here = graph.by_id

        def place(tensor: Any) -> str | None:
            """Where a tensor stands in the graph, or what made it."""
            found = (reader.ids.get(id(thing)) for thing in (tensor, tensor.grad_fn))
            return next((node_id for node_id in found if node_id in here), None)

        if failed is not None:
            graph = failed.drawn(graph, map(place, given))
            origins[graph.roots[-1]] = failed.origin
        to = [
            {"name": name, "from": before if _computed(tensor) else None, "to": after}
            for name, before, tensor in moved
            if tensor is not None and (after := place(tensor)) and (before in here or _computed(tensor))
        ]
        told = {*(cell_of(origins.get(node_id, "")) for node_id in here), cell if call or failed else 0}
        said: dict[str, Any] = {
            "cell": cell,
            "busy": busy,
            "origins": origins,
            "moved": to,
            "earlier": {"names": earlier, "open": self.is_open},
            "code": self._code(told),
        }
        return Read(graph, reader.ids, said, run.notes if run else list(notes), call)

    def scene(self, read: Read, graph: Graph | None = None) -> dict[str, Any]:
        """What the panel is given of a graph that was read: of all of it, or of what is left of it as `graph`."""
        graph = self._shown(read.graph, "live") if graph is None else graph
        self.serial += 1
        here, picture = graph.by_id, Picture(graph, direction=self.direction, lay_out=self._laid_out)
        moved = [m | {"from": m["from"] if m["from"] in here else None} for m in read.said["moved"] if m["to"] in here]
        said = read.said | {"serial": self.serial, "moved": moved, "note": together(read.notes)}
        try:
            return picture.scene(**said)
        except LayoutError as error:
            return picture.scene(False, **said | {"note": together([explained(error), *read.notes])})

    def _cell_of(self, root: Any) -> int:
        """The cell that made a tensor, or that of the last pass, if that is of it and later."""
        passed = self._derived.get(sequence_key(root.grad_fn), 0) if _computed(root) else 0
        return max(cell_of(self.origin(root)), passed)

    def trace(self, run: Recording, read: Read, line: str = "") -> Callable[..., dict[str, Any]]:
        """What gives the pass that `run` recorded through the graph that was `read`, as often as groups are opened in
        it, or with those of some ids; it keeps nothing of the program's alive."""
        ids, roots = read.ids, read.graph.roots
        starts = [grad and grad.numbers for step in run.steps if step.kind == "start" for grad in step.into]
        # of several results it is their sum that is derived; and of what starts with other than 1, no result
        root = read.graph.node(roots[0]) if len(roots) == 1 and starts == [[1.0]] else None
        uses = Counter(edge for leads_to in run.inputs.values() for edge in leads_to)

        def counts(pending: Mapping[Any, int]) -> dict[str, int]:
            return {own: n for node, n in pending.items() if (own := ids.get(id(node)))}

        steps = []
        for step in run.steps:
            data: dict[str, Any] = {"kind": step.kind, "node": ids.get(id(step.node))}
            if step.kind == "accumulate":
                told = [step.before, *(step.into or [None])[:1], step.after]
                data |= {"leaf": ids.get(id(step.node.variable)), "name": read.called(step.node.variable)}
                data |= zip(("before", "added", "after"), _gradients(told))
            sent = [(nr, ids.get(id(to)), *_gradients([grad])) for nr, to, grad in step.out]
            more = {
                "into": _gradients(step.into),
                "rules": step.rules and _rules(step, read, run.inputs[step.node], uses, root),
                "out": [dict(zip(("input_nr", "target", "gradient"), one)) for one in sent],
                "pending": counts(step.pending),
                "freed": step.freed,
                "error": step.error,
                "hint": step.error and dict(zip(LANGUAGES, step.hints)),
            }
            steps.append(data | {key: value for key, value in more.items() if value})
        whole = {
            "call": read.call,
            "cell": read.said["cell"],
            "line": line,
            "retain_graph": run.retain_graph,
            "pending": counts(run.pending),
            "steps": steps,
            "replayed": run.replayed,
            "leaves": {},
            "ended": not any(step.kind == "error" for step in run.steps),
        }
        return partial(self._pass, read, whole)

    def _pass(self, read: Read, whole: dict[str, Any], opened: tuple[str, ...] = ()) -> dict[str, Any]:
        """The `whole` pass with its picture, where what is inside a group is told of that."""
        self.traces += 1
        graph, origins = read.graph, read.said["origins"]
        graph = self.view.of(graph, opened) if opened else self._shown(graph, "pass")
        groups = {member: node.id for node in graph.nodes for member in node.members}

        def apart(told: dict[str, Any]) -> dict[str, Any]:
            """A group's members wait for gradients one by one: of it no count is given; nor is a leaf in it drawn."""
            found = {"pending": {own: n for own, n in told.get("pending", {}).items() if own not in groups}}
            return told | found | ({"leaf": None} if told.get("leaf") in groups else {})

        def inside(sent: dict[str, Any]) -> dict[str, Any]:
            to = sent["target"]
            return sent | {"target": groups[to], "member": _called(read.graph.node(to))} if to in groups else sent

        def grouped(step: dict[str, Any]) -> dict[str, Any]:
            own, found = step["node"], apart(step)
            if "out" in step:
                found["out"] = list(map(inside, step["out"]))
            if own in groups:
                found["node"] = groups[own]
                found["member"] = {"label": _called(read.graph.node(own)), "source": origins.get(own, "")}
            return found

        if groups:
            whole = apart(whole) | {"steps": list(map(grouped, whole["steps"]))}
        return {"serial": self.traces, "scene": self.scene(read, graph)} | whole

    def _code(self, cells: set[int | None]) -> list[dict[str, Any]]:
        """The code of these cells, as far as it is known and not too long: then that of the last ones."""
        found: list[dict[str, Any]] = []
        room = _LINES
        for cell in sorted((c for c in cells if c and c in self.codes), reverse=True):
            lines = [line[:_LETTERS] for line in self.codes[cell]]
            room -= len(lines)
            if room < 0:
                break
            found.insert(0, {"cell": cell, "lines": lines})
        return found

    def _made_by(
        self, graph: Graph, origins: Mapping[str, str], call: str, calls: list[Call]
    ) -> Iterator[tuple[str, Any]]:
        """(id, expression) of the operations of which the line that made them, a call of a module in it, or the call of
        the pass tells it."""
        made = [(one.module, origins[one.results[0]], one.results[0]) for one in calls]
        alike = Counter((module, line) for module, line, _ in made)
        for module, line, result in made:
            if alike[module, line] == 1:
                written = calls_of(module, line.partition(": ")[2])
                yield from [(result, written[0])] if len(written) == 1 else ()
        ops = [node for node in graph.nodes if node.kind in ("op", "custom") and origins.get(node.id)]
        last = {origins[node.id]: node for node in sorted(ops, key=lambda node: node.forward or 0)}
        for node in ops:
            found = assigned(origins[node.id].partition(": ")[2])
            # what has lost its name since, as `y = x + 2` where `y = y * y` follows, is the last that its line made
            unnamed = not node.names and last[origins[node.id]] is node
            if found and (found[0] in node.names or (unnamed and isinstance(found[1], ast.BinOp))):
                yield node.id, found[1]
                cell = cell_of(origins[node.id])
                known = (lines for number, lines in self.codes.items() if number and number <= cell)
                if (computed := inlined(found[1], known)) is not found[1]:
                    yield node.id, computed
        root = graph.node(graph.roots[0]) if len(graph.roots) == 1 else None
        if root and root.result and (expression := asked(parsed(call))) is not None:
            yield root.id, expression

    def _shown(self, graph: Graph, view: str) -> Graph:
        try:
            return self.view.of(graph, self.unfolded[view])
        except ValueError:  # a group that was opened is no longer there
            self.unfolded[view] = ()
            return self.view.of(graph)


def ends(tensors: Iterable[Any]) -> tuple[Any, ...]:
    """The tensors that no other of them was computed from: what a picture of all of them starts at."""
    by_key: dict[Any, Any] = {}
    for tensor in tensors:
        by_key.setdefault(result_key(tensor), tensor)
    reached: set[Any] = set()
    for _, leads_to in walk(by_key.values()):
        used = ((node, nr) for node, nr in leads_to if node is not None)
        reached.update(id(node.variable) if is_accumulate(node) else (node, nr) for node, nr in used)
    return tuple(tensor for key, tensor in by_key.items() if key not in reached)


def newest(roots: tuple[Any, ...], cell_of: Callable[[Any], int], failed: int | None) -> tuple[tuple[Any, ...], int]:
    """Of the `ends` of all graphs those to be seen: an old graph beside it makes the new one small.

    Seen are the results of the last cell that made any, or derived one, or that `failed`; older ones that have
    something in common with them, as long as all is small; and the leaves of that cell and of later ones. The number of
    that cell is returned, too; 0 where there is none, and the last leaves are seen.
    """

    def reached(tensor: Any) -> set[Any]:
        return {n for node, leads_to in walk([tensor]) for n in (node, *(to for to, _ in leads_to if to is not None))}

    results = sorted((root for root in roots if root.grad_fn is not None), key=cell_of, reverse=True)
    leaves = sorted((root for root in roots if root.grad_fn is None), key=cell_of)
    last = failed or max(map(cell_of, results), default=0)
    leaves = [root for root in leaves if cell_of(root) >= last] if last else leaves[-_GHOSTS:]
    seen = [root for root in results if cell_of(root) == last]
    nodes = set().union(*map(reached, seen))
    for root in results[len(seen) :]:
        own = reached(root)
        if not own.isdisjoint(nodes) and len(own | nodes) <= _TOGETHER:
            nodes |= own
            seen.append(root)
    shown = set(map(id, (*leaves, *seen)))
    return tuple(root for root in roots if id(root) in shown), last


def ghosts(named: list[tuple[str, Any]]) -> tuple[Any, ...]:
    """Tensors with a plain name that no gradient flows to: data, and what detach() and no_grad() gave."""
    plain = (t for name, t in named if name.isidentifier() and not t.requires_grad and t.grad_fn is None)
    return once(*plain)[-_GHOSTS:]


def _computed(tensor: Any) -> bool:
    return tensor is not None and tensor.grad_fn is not None


def once(*tensors: Any) -> tuple[Any, ...]:
    """The tensors, each once."""
    return tuple({id(tensor): tensor for tensor in tensors}.values())


def cell_of(origin: str) -> int:
    """The number of the cell that a line is in; 0 where that is not known."""
    return int(found[1]) if (found := re.match(r"In \[(\d+)\]", origin)) else 0


def together(notes: Iterable[Words]) -> Words:
    """One text of all notes, in each language."""
    notes = list(notes)
    return {lang: gap.join(note[lang] for note in notes) for lang, gap in (("en", " "), ("zh", ""))}


def _with_few_beside(graph: Graph, kept: Collection[str], held: Callable[[str, str], bool]) -> Graph:
    """`graph` with those tensors alone beside it that are `kept`, by their ids, and of which the code does not say that
    an operation was given them: those stand there, with what is in them if it was in them then, as `held` says."""
    linked = {edge.target for edge in graph.edges}
    beside = [node for node in graph.nodes if node.id not in linked and node.kind == "untracked"]
    by_name = {name: node for node in beside for name in node.names}
    written = {node.written for node in graph.nodes if node.kind == "untracked"}
    gone = {node.id for node in beside if node.id not in kept or not written.isdisjoint(node.names)}

    def told(node: Node) -> Node:
        named = by_name.get(node.written) if node.kind == "untracked" and node.tensor is None else None
        known = named and all(held(named.id, edge.source) for edge in graph.edges_to(node.id))
        return replace(node, tensor=named.tensor) if named and known else node

    return replace(graph, nodes=tuple(told(node) for node in graph.nodes if node.id not in gone))


def _rules(step: Step, read: Read, leads_to: Functions, uses: Counter[Any], root: Node | None) -> list[dict[str, Any]]:
    """The derivatives of a step in the program's own names, as far as it has any, and with numbers. `leads_to`: its
    next functions; `uses`: how often each result is used in the pass."""
    own, graph = read.at(step.node), read.graph
    edges = graph.edges_from(own.id) if own else ()
    places: dict[int | None, Node | None] = {edge.input_nr: graph.node(edge.target) for edge in edges}
    places[-1] = own  # the inputs by their numbers, and itself
    for nr, to, _ in step.out:
        there = read.at(to)
        places[nr] = there and there.output(leads_to[nr][1])
    found = []
    for nr, rule, text in step.rules:
        said = {}
        for lang in LANGUAGES:
            known = ((k, _sign(places.get(at), lang) or value * (at != -1)) for k, (at, value) in step.letters.items())
            by_letter = {letter: name for letter, name in known if name}
            result, given = _sign(places.get(-1), lang), _sign(places.get(nr), lang)
            if result == given:  # two of a kind, that nothing tells apart: the rule stands in its own letters
                result = given = ""
            signs = (result and _sign(root, lang)) or "L", result, given
            own_words = in_chinese(rule) if lang == "zh" else rule
            said[lang] = named(own_words, *signs, by_letter, uses[leads_to[nr]] > 1)
        found.append({"rule": said, "filled": text})
    return found


def _sign(node: Node | None, lang: str) -> str:
    """What a formula calls a node: by its name, by what was written for it, or as the picture does: the letters that a
    rule has, ``a`` and ``g``, may well be names of the program's."""
    if node is None:
        return ""
    plain = node.title if node.kind != "accumulate" else "".join(node.names[:1])
    if not plain and node.kind in ("op", "custom"):
        return f"({node.label})"
    name = node.called(lang) if node.words else plain
    return name if re.fullmatch(r"[\w.…\[\]]*", name) else f"({name})"


def _gradients(grads: Iterable[TensorInfo | None]) -> list[dict[str, Any] | None]:
    return [None if grad is None else grad.to_dict() for grad in grads]


def _called(node: Node) -> str:
    """As the panel calls a node: by its label, and the variable it belongs to."""
    own = node.names[0] if node.names else ""
    return f"{node.label} ({own})" if own else node.label
