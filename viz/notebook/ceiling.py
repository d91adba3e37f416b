"""Which graphs are small enough to be followed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..model.order import sequence_key, walk


class Ceiling:
    """Tells which graphs are small enough to be followed: those of together at most `most` operations.

    Reading more takes longer than a reader waits. And PyTorch remembers of each node that Python has looked at it:
    where such a graph is let go, its nodes end one inside the other, and some 40,000 of them overrun the stack of the
    program. So what is too large is looked at no further than to find that out.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._beyond: dict[tuple[int, str], int] = {}  # ends of graphs that were too large, and for how much room

    def parted(self, named: Iterable[tuple[str, Any]]) -> tuple[list[tuple[str, Any]], list[str]]:
        """Of (name, tensor) pairs those that can be followed, and the names of the others. The oldest graph counts
        first: what a later one is computed from is then known."""
        named, names = list(named), []
        seen: set[Any] = set()
        far: set[Any] = set()
        rooted = [(node._sequence_nr(), i, node) for i, (_, t) in enumerate(named) if (node := t.grad_fn) is not None]
        left_out = set()
        for _, i, node in sorted(rooted, key=lambda each: each[:2]):
            room = self.most - len(seen)
            if room > self._beyond.get(sequence_key(node), -1) and self._takes_in(node, seen, far):
                continue
            far.add(node)
            names.append(named[i][0])
            left_out.add(i)
            if len(self._beyond) > self.most:
                self._beyond.clear()
            self._beyond[sequence_key(node)] = room
        return [pair for i, pair in enumerate(named) if i not in left_out], names

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
