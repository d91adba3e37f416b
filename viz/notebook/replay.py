"""A recorded pass, replayed: from its first gradient, by what each step sent, to each leaf's ``.grad``.

What arrives at a node has to be the sum of what was sent to it, and a leaf's ``.grad`` what it was and what arrived:
all of it is added up here once more, in Python's own numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from ..language import Words, words
from ..model.protocol import op_name
from ..model.values import dtype_name, flat, numbers_of, size_of

_MOST = 256  # numbers of a gradient; of a larger one nothing is computed
_ROUNDING = {"float64": 1e-6, "float32": 2e-3}
Numbers = list[float]


class Replay:
    """same, leaves: how many ``.grad`` came out the same, of how many. wrong: the first thing that came out otherwise;
    spoiled: the first step that made nan or inf of finite numbers."""

    def __init__(self) -> None:
        self.same = self.leaves = 0
        self.wrong: Words | None = None
        self.spoiled: Words | None = None
        self._sent: dict[Any, list[Numbers | None]] = {}  # to (node, number of its output)

    def arrives(self, node: Any, grads: Sequence[Any], first: bool) -> None:
        """What has arrived at `node`, which is about to run; `first`: it is where the pass begins."""
        for nr, grad in enumerate(grads):
            sent, got = self._sent.pop((node, nr), []), numbers(grad)
            whole = [one for one in sent if one is not None and got is not None and len(one) == len(got)]
            if got is not None and not first and len(whole) == len(sent):
                self._compare(got, whole or [[0.0] * len(got)], grad, "replayedArrives", node)

    def sends(self, node: Any, into: Sequence[Any], leads_to: Any, results: Sequence[Any]) -> None:
        """What `node` has sent on of what came `into` it."""
        for (target, output_nr), result in zip(leads_to, results):
            if target is None or result is None:
                continue
            got = numbers(result)
            self._sent.setdefault((target, output_nr), []).append(got)
            if got is not None and self.spoiled is None and not all(map(math.isfinite, got)):
                came = [numbers(grad) for grad in into if grad is not None]
                if all(one is not None and all(map(math.isfinite, one)) for one in came):
                    what = "nan" if any(map(math.isnan, got)) else "inf"
                    self.spoiled = words("spoiled", node=op_name(node), what=what)

    def adds(self, node: Any, before: Numbers | None, grad: Any) -> None:
        """A leaf's ``.grad``, after something was added to it."""
        added, after = numbers(grad), numbers(node.variable.grad)
        self.leaves += 1
        if added is not None and after is not None and len(after) == len(added) == len(before or added):
            self.same += 1
            self._compare(after, [added, before] if before else [added], node.variable.grad, "replayedLeaf", node)

    @property
    def words(self) -> Words:
        """What the replay has shown."""
        key = "replayedPart" if self.same < self.leaves else "replayed"
        return self.wrong or words(key, same=self.same, leaves=self.leaves)

    def _compare(self, got: Numbers, terms: list[Numbers], like: Any, key: str, node: Any) -> None:
        """Whether the `terms` come to what was `got`, as far as numbers of that type tell."""
        near = _ROUNDING.get(dtype_name(like), 0.05)
        largest = max((abs(n) for term in terms for n in term if math.isfinite(n)), default=0.0)
        for a, b in zip(got, map(_sum, zip(*terms))):
            same = math.isclose(a, b, rel_tol=near, abs_tol=near * largest)
            if self.wrong is None and not same and math.isfinite(a) and math.isfinite(b):
                self.wrong = words(key, node=op_name(node), a=f"{a:.4g}", b=f"{b:.4g}")


def numbers(value: Any) -> Numbers | None:
    """The real numbers in a tensor or a number, in a row; None where they are too many, or none that can be read."""
    try:
        if hasattr(type(value), "shape") and not size_of(value) <= _MOST:
            return None
        return [float(n) for n in flat([numbers_of(value) if hasattr(value, "tolist") else value])]
    except Exception:  # nothing there, complex numbers, or a tensor that gives none
        return None


def _sum(terms: Iterable[float]) -> float:
    try:
        return math.fsum(terms)
    except (OverflowError, ValueError):  # inf - inf
        return math.nan
