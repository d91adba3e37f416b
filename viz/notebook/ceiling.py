"""Which graphs are small enough to be followed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..language import first_line
from ..model.protocol import TENSOR, Lacks, require, sequence_key, walk


class Ceiling:
    """Tells which graphs are small enough to be followed: those of together at most `most` operations.

    Reading more takes longer than a reader waits. And PyTorch remembers of each node that Python has looked at it:
    where such a graph is let go, its nodes end one inside the other, and some 40,000 of them overrun the stack of the
    program. So what is too large is looked at no further than to find that out.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._spoken: set[type] = set()  # classes that answer what is asked of them
        self._beyond: dict[tuple[int, str], int] = {}  # ends of graphs that were too large, and for how much room

    def parted(self, named: Iterable[tuple[str, Any]]) -> tuple[list[tuple[str, Any]], dict[str, str]]:
        """Of (name, tensor) pairs those that can be followed; and why others cannot, by name: what an engine of the
        learner's own does not answer, or an empty text where the graph is too large. The oldest graph counts first:
        what a later one is computed from is then known."""
        named = list(named)
        refused = {name: why for name, tensor in named if (why := self._lack(tensor))}
        seen: set[Any] = set()
        far: set[Any] = set()
        rooted = [(name, t.grad_fn) for name, t in named if name not in refused and t.grad_fn is not None]
        for name, node in sorted(rooted, key=lambda pair: pair[1]._sequence_nr()):
            room = self.most - len(seen)
            try:
                if room > self._beyond.get(sequence_key(node), -1) and self._takes_in(node, seen, far):
                    continue
                refused[name] = ""
            except Lacks as error:
                refused[name] = first_line(error)
            far.add(node)
            if len(self._beyond) > self.most:
                self._beyond.clear()
            self._beyond[sequence_key(node)] = room
        return [pair for pair in named if pair[0] not in refused], refused

    def _lack(self, tensor: Any) -> str:
        """What a tensor and the node that made it do not answer of what is asked of them."""
        met = type(tensor), type(tensor.grad_fn)
        if not self._spoken.issuperset(met):
            try:
                require(tensor, TENSOR)
                next(walk([tensor]), None)
            except Lacks as error:
                return first_line(error)
            self._spoken.update(met)
        return ""

    def _takes_in(self, root: Any, seen: set[Any], far: set[Any]) -> bool:
        """Adds the nodes of the graph that ends in `root` to those `seen`; or to those too `far` away, where they would
        become too many or one of them is there."""
        new: set[Any] = set()
        for node, _ in walk([root], lambda node: node not in seen):
            new.add(node)
            if node in far or len(seen) + len(new) > self.most:
                far |= new
                return False
        seen |= new
        return True
