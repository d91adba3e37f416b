"""A recorded pass, replayed: from its first gradient and what the nodes had saved to each leaf's ``.grad``.

What arrives at a node has to be the sum of what was sent to it, what it sends what its derivative gives, and a leaf's
``.grad`` what it was and what arrived: all of it is computed here once more, in Python's own numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..language import Words, words
from ..model.protocol import op_name
from ..model.values import TensorInfo
from .computed import Numbers, computed

if TYPE_CHECKING:
    from .steps import Step

_ROUNDING = {"float64": 1e-6, "float32": 2e-3}


class Replay:
    """same, leaves: how many ``.grad`` came out the same, of how many; again, of: the same of the derivatives on the
    way. wrong: the first thing that came out otherwise; spoiled: the first step that made nan or inf of finite numbers.
    """

    def __init__(self, steps: Sequence[Step], leads_to: Mapping[Any, Any]) -> None:
        self.same = self.leaves = self.again = self.of = 0
        self.wrong: Words | None = None
        self.spoiled: Words | None = None
        sent: dict[Any, list[Numbers | None]] = {}  # to (node, number of its output)
        roots = {step.node for step in steps if step.kind == "start"}
        for step in steps:
            if step.kind in ("op", "accumulate"):
                for nr, grad in enumerate(step.into):
                    came = sent.pop((step.node, nr), [])
                    if grad is not None and step.node not in roots:
                        self._compare(grad, came or [[0.0] * len(grad.numbers or ())], "replayedArrives", step.node)
            rules = {nr: rule for nr, rule, _ in step.rules}
            for nr, target, grad in step.out:
                if grad is not None:
                    sent.setdefault((target, leads_to[step.node][nr][1]), []).append(grad.numbers)
                    self._look_at(grad, step)
                    self.of += 1
                    again = computed(rules.get(nr, ""), step.known, len(grad.numbers)) if grad.numbers else None
                    if again is not None:
                        self.again += self._compare(grad, [again], "replayedSends", step.node)
            if step.kind == "accumulate" and step.after is not None:
                self.leaves += 1
                terms = [grad.numbers for grad in (*step.into, step.before) if grad is not None]
                self.same += self._compare(step.after, terms, "replayedLeaf", step.node)

    @property
    def words(self) -> Words:
        """What the replay has shown."""
        key = "replayedPart" if self.same < self.leaves or self.again < self.of else "replayed"
        return self.wrong or words(key, same=self.same, leaves=self.leaves, again=self.again, of=self.of)

    def _compare(self, like: TensorInfo, terms: list[Numbers | None], key: str, node: Any) -> bool:
        """Whether it could be seen if the `terms` come to those numbers, as far as numbers of that type tell."""
        got, known = like.numbers, [term for term in terms if term is not None]
        if got is None or any(len(term) != len(got) for term in known) or len(known) < len(terms):
            return False
        near = _ROUNDING.get(like.dtype, 0.05)
        largest = max((abs(n) for term in known for n in term if math.isfinite(n)), default=0.0)
        for a, b in zip(got, map(_sum, zip(*known))):
            same = math.isclose(a, b, rel_tol=near, abs_tol=near * largest)
            if self.wrong is None and not same and math.isfinite(a) and math.isfinite(b):
                self.wrong = words(key, node=op_name(node), a=f"{a:.4g}", b=f"{b:.4g}")
        return True

    def _look_at(self, sent: TensorInfo, step: Step) -> None:
        """Whether the step made nan or inf of finite numbers."""
        came = [grad.numbers or [math.nan] for grad in step.into if grad is not None]
        if self.spoiled is None and not _finite(sent.numbers or ()) and all(map(_finite, came)):
            what = "nan" if any(map(math.isnan, sent.numbers or ())) else "inf"
            self.spoiled = words("spoiled", node=op_name(step.node), what=what)


def _finite(numbers: Iterable[float]) -> bool:
    return all(map(math.isfinite, numbers))


def _sum(terms: Iterable[float]) -> float:
    try:
        return math.fsum(terms)
    except (OverflowError, ValueError):  # inf - inf
        return math.nan
