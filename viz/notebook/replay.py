"""A recorded pass, replayed: from its first gradient and what the nodes had saved to each leaf's ``.grad``.

What arrives at a node has to be the sum of what was sent to it, what it sends what its derivative gives, and a leaf's
``.grad`` what it was and what arrived: all of it is computed here once more, in Python's own numbers.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from types import CodeType
from typing import Any

from ..language import Words, words
from ..model.formulas import RAISED, lowered
from ..model.protocol import op_name
from ..model.values import dtype_name, flat, numbers_of, size_of

_MOST = 256  # numbers of a gradient; of a larger one nothing is computed
_NODES = (
    *(ast.Expression, ast.Constant, ast.Name, ast.Load, ast.Call),
    *(ast.UnaryOp, ast.USub, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow),
)
_FUNCTIONS = {name: getattr(math, name) for name in ("sin", "cos", "sinh", "cosh", "exp", "trunc", "sqrt")}
_FUNCTIONS |= {"ln": math.log, "sign": lambda x: (x > 0) - (x < 0), "__builtins__": {}}
_ROUNDING = {"float64": 1e-6, "float32": 2e-3}
Numbers = list[float]


class Replay:
    """same, leaves: how many ``.grad`` came out the same, of how many; again, of: the same of the derivatives on the
    way. wrong: the first thing that came out otherwise; spoiled: the first step that made nan or inf of finite numbers.
    """

    def __init__(self) -> None:
        self.same = self.leaves = self.again = self.of = 0
        self.wrong: Words | None = None
        self.spoiled: Words | None = None
        self._sent: dict[Any, list[Numbers | None]] = {}  # to (node, number of its output)

    def arrives(self, node: Any, grads: Sequence[Any], first: bool) -> None:
        """What has arrived at `node`, which is about to run; `first`: it is where the pass begins."""
        for nr, grad in enumerate(grads):
            sent, got = self._sent.pop((node, nr), []), numbers(grad)
            whole = [one for one in sent if one is not None and got is not None and len(one) == len(got)]
            if got is None or first or len(whole) < len(sent):
                continue
            total = [_sum(each) for each in zip(*whole)] if whole else [0.0] * len(got)
            self._compare(got, total, grad, "replayedArrives", node, whole)

    def sends(
        self, node: Any, into: Sequence[Any], leads_to: Any, results: Sequence[Any], rules: Any, known: Any
    ) -> None:
        """What `node` has sent on of what came `into` it. `rules`: (number of an input, derivative, …); `known`: the
        numbers that its letters stand for."""
        by_input = {nr: rule for nr, rule, _ in rules}
        for nr, ((target, output_nr), result) in enumerate(zip(leads_to, results)):
            got = numbers(result)
            if target is None or result is None:
                continue
            self._sent.setdefault((target, output_nr), []).append(got)
            self.of += 1
            if got is None:
                continue
            if not all(map(math.isfinite, got)):
                self._spoils(node, into, got)
            again = computed(by_input[nr], known, len(got)) if nr in by_input else None
            if again is not None:
                self.again += 1
                self._compare(got, again, result, "replayedSends", node, [again])

    def adds(self, node: Any, before: Numbers | None, grad: Any) -> None:
        """A leaf's ``.grad``, after something was added to it."""
        added, after = numbers(grad), numbers(node.variable.grad)
        self.leaves += 1
        if added is None or after is None or len(after) != len(added) or (before and len(before) != len(added)):
            return
        self.same += 1
        total = [a + b for a, b in zip(before, added)] if before else added
        terms = [added, before] if before else [added]
        self._compare(after, total, node.variable.grad, "replayedLeaf", node, terms)

    @property
    def words(self) -> Words:
        """What the replay has shown."""
        if self.wrong is not None:
            return self.wrong
        rest = self.same < self.leaves or self.again < self.of
        key = "replayedPart" if rest else "replayed"
        return words(key, same=self.same, leaves=self.leaves, again=self.again, of=self.of)

    def _compare(self, got: Numbers, again: Numbers, like: Any, key: str, node: Any, terms: list[Numbers]) -> None:
        near = _ROUNDING.get(dtype_name(like), 0.05)
        largest = max((abs(n) for term in terms for n in term if math.isfinite(n)), default=0.0)
        for a, b in zip(got, again):
            same = math.isclose(a, b, rel_tol=near, abs_tol=near * largest)
            if self.wrong is None and not same and math.isfinite(a) and math.isfinite(b):
                self.wrong = words(key, node=op_name(node), a=f"{a:.4g}", b=f"{b:.4g}")

    def _spoils(self, node: Any, into: Sequence[Any], got: Numbers) -> None:
        came = [numbers(grad) for grad in into if grad is not None]
        if self.spoiled is None and all(one is not None and all(map(math.isfinite, one)) for one in came):
            what = "nan" if any(map(math.isnan, got)) else "inf"
            self.spoiled = words("spoiled", node=op_name(node), what=what)


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


def computed(rule: str, known: Mapping[str, Numbers], count: int) -> Numbers | None:
    """What a derivative gives, element by element; None where it is not of that kind, or a letter in it not `known`."""
    code, letters = _parsed(rule)
    if code is None or not known.keys() >= letters:
        return None
    rows = {letter: known[letter] for letter in letters}
    most = max((len(row) for row in rows.values()), default=1)
    wide = max(most, count)
    if any(len(row) not in (1, wide) for row in rows.values()) or count not in (1, wide):
        return None
    try:
        known_at = ({k: row[i % len(row)] for k, row in rows.items()} for i in range(wide))
        each = [float(eval(code, _FUNCTIONS, row)) for row in known_at]
    except (ArithmeticError, TypeError, ValueError):  # a number that the operation knows better: 0 · ln 0
        return None
    return each if count == wide else [_sum(each)]


@cache
def _parsed(rule: str) -> tuple[CodeType | None, frozenset[str]]:
    """The right side of a rule as Python runs it, and its letters; None where it is a sentence, or of matrices."""
    text = rule.partition(" = ")[2].replace("·", "*").replace("√(", "sqrt(")
    text = re.sub(f"[{''.join(RAISED)}]+", lambda found: f"**({lowered(found[0])})", text)
    text = re.sub(r"\b(sin|cos|sinh|cosh|ln|sign) (\w)", r"\1(\2)", text)
    text = re.sub(r"(?<![\w.])\d+(?![\w.])", r"\g<0>.0", text)  # no power of whole numbers takes for ever
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return None, frozenset()
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - _FUNCTIONS.keys()
    plain = all(isinstance(node, _NODES) for node in ast.walk(tree)) and all(len(name) == 1 for name in names)
    return (compile(tree, rule, "eval"), frozenset(names)) if plain else (None, frozenset())
