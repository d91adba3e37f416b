"""What the panel sees of a notebook: its tensors by name, but for those whose graph is too large."""

from collections.abc import Iterable
from itertools import islice
from operator import itemgetter
from types import FrameType
from typing import Any

from ..language import Words, explained, message, words
from ..model.names import caller_namespace, named_modules, named_tensors
from ..model.protocol import TENSOR, Lacks, listens, require, sequence_key, walk
from .calls import Calls
from .marks import Marks, Origins

_FOLLOWED = 5_000  # operations: half a second to read, and far from what overruns a stack (see `Ceiling`)
_LEAST = 100  # operations that are always followed


class Ceiling:
    """Tells which graphs are small enough to be followed: those of together at most `most` operations.

    Reading more takes longer than a reader waits. And PyTorch remembers of each node that Python has looked at it:
    where such a graph is let go, its nodes end one inside the other, and some 40,000 of them overrun the stack of the
    program. So what is too large is looked at no further than to find that out, and what has grown out of it no further
    than to there. One that grows on and on is looked at in vain again and again: `spare` is for how many more nodes.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.spare = 3 * most
        self._beyond: dict[tuple[int, str], int] = {}  # ends of graphs that were too large, and for how much room

    @property
    def room(self) -> int:
        """How many operations a graph may have by now."""
        return min(self.most, max(self.spare // 2, _LEAST))

    def parted(self, named: Iterable[tuple[str, Any]]) -> tuple[list[tuple[str, Any]], dict[str, Words | None]]:
        """Of (name, tensor) pairs those that can be followed; and why others cannot, by name: what an engine of the
        learner's own does not answer, or None where the graph is too large. The oldest graph counts first:
        what a later one is computed from is then known."""
        if kind := listens():
            raise Lacks(message("listens", kind=kind))
        named = list(named)
        refused: dict[str, Words | None] = {}
        rooted: list[tuple[int, str, Any]] = []
        seen: set[Any] = set()
        far: set[Any] = set()
        heard = {cls: listens(cls) for cls in {type(tensor) for _, tensor in named}}
        for name, tensor in named:
            try:
                if kind := heard[type(tensor)]:
                    raise Lacks(message("listens", kind=kind))
                require(tensor, TENSOR)
                rooted += [(node._sequence_nr(), name, node) for node, _ in islice(walk([tensor]), 1)]
            except (Lacks, RuntimeError) as error:  # a view may have lost its place: its memory was written elsewhere
                refused[name] = explained(error)
        for _, name, node in sorted(rooted, key=itemgetter(0)):
            try:
                if not self._takes_in(node, seen, far):
                    refused[name] = None
            except Lacks as error:
                refused[name] = explained(error)
        return [pair for pair in named if pair[0] not in refused], refused

    def _takes_in(self, root: Any, seen: set[Any], far: set[Any]) -> bool:
        """Adds the nodes of the graph that ends in `root` to those `seen`; or to those too `far` away, where they would
        become too many or one of them is there."""
        new: set[Any] = set()
        room = min(self.most - len(seen), self.room)
        for node, _ in walk([root], lambda node: node not in seen):
            if node in far or self._beyond.get(sequence_key(node), -1) >= room or len(new) == room:
                far |= {root, *new}
                self.spare -= len(new)
                self._beyond[sequence_key(root)] = room
                return False
            new.add(node)
        seen |= new
        return True


class Sight:
    """What is seen in the notebook of a `shell`. runs: the cell, as IPython tells of it, or None. refused: what calls
    were asked of that cannot be followed, by their texts, and why: None where it is too large."""

    def __init__(self, shell: Any, marks: Marks, origins: Origins, calls: Calls) -> None:
        self._shell, self._marks, self._origins, self._calls = shell, marks, origins, calls
        self._ceiling = Ceiling(_FOLLOWED)
        self.begin()

    def begin(self, runs: Any = None) -> None:
        """What IPython says of it `runs` now: a cell, in which nothing has been refused yet."""
        self.runs = runs
        self._unseen: dict[str, Words | None] = {}  # the same of variables, by name
        self.refused: dict[str, Words | None] = {}

    def named(self, running: FrameType | None = None) -> list[tuple[str, Any]]:
        """The tensors by name, as a function sees them which is `running`; which line made what is new among them is
        found out."""
        variables = caller_namespace(running) if running else dict(self._shell.user_ns)
        # after `for p in parameters`, or `for layer in net`, the last of them has another name
        turns = {name: variables.pop(name) for name in self._marks.turns & variables.keys()}
        turns["__name__"] = variables.get("__name__")
        named = named_tensors(variables)
        held = {id(tensor) for _, tensor in named}
        named += (pair for pair in named_tensors(turns) if id(pair[1]) not in held)
        self._calls.names = named_modules(turns) | named_modules(variables) if self._calls.ended else {}
        if not self.runs:
            self._unseen = {}
        # a graph that grows while a cell runs is not looked at again and again
        named, unseen = self._ceiling.parted(pair for pair in named if pair[0] not in self._unseen)
        self._unseen |= unseen
        if not (self.runs or self._unseen or self.refused):
            self._ceiling = Ceiling(_FOLLOWED)  # what was too large is gone
        self._origins.mark(named)
        return named

    def is_large(self, outputs: Iterable[Any], call: str) -> bool:
        """Whether the graph of `outputs`, which a `call` is asked of, is too large, or does not answer."""
        if call not in self.refused:  # nor is one that grows looked at again and again
            self.refused |= self._ceiling.parted((call, output) for output in outputs)[1]
        return call in self.refused

    @property
    def notes(self) -> list[Words]:
        """What is to be said of what is not seen."""
        refused = self._unseen | self.refused
        notes = list({why["en"]: why for why in refused.values() if why}.values())  # each once
        if large := [name for name, why in refused.items() if not why]:
            names = ", ".join(large[:3]) + ", …" * (len(large) > 3)
            notes.append(words("tooLarge", most=f"{self._ceiling.room:,}", names=names))
        return notes
