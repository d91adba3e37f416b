"""The steps of a recorded pass, and the pass replayed from them: from its first gradient and what the nodes had saved
to each leaf's ``.grad``.

What arrives at a node has to be the sum of what was sent to it, what it sends what its derivative gives, and a leaf's
``.grad`` what it was and what arrived: all of it is computed here once more, in Python's own numbers; a derivative as
the picture writes it, where that is arithmetic.
"""

import ast
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import CodeType
from typing import Any

from ..language import Words, words
from ..model.protocol import op_name
from ..model.values import TensorInfo, shape_text
from ..strings import lowered

Numbers = list[float]
Rule = tuple[int, str, str]  # the number of an input, a derivative as written, the same with numbers
# What a derivative is made of that can be computed.
_NODES = (
    *(ast.Expression, ast.Constant, ast.Name, ast.Load, ast.Call),
    *(ast.UnaryOp, ast.USub, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow),
)
_FUNCTIONS = {name: getattr(math, name) for name in ("sin", "cos", "sinh", "cosh", "exp", "trunc", "sqrt")}
_FUNCTIONS |= {"ln": math.log, "sign": lambda x: (x > 0) - (x < 0), "max": max, "__builtins__": {}}
# What takes a softmax or a sigmoid of its first input itself; or needs a logarithm where that is a softmax.
_TAKES = {"LogSoftmax": "softmax", "BinaryCrossEntropyWithLogits": "sigmoid", "NllLoss": "softmax"}
# By type: how far a number may be off, as a part of it, and how much further with each that is added; and the smallest
# that has all its digits.
_ROUNDING = {"float64": (1e-6, 1e-16, 2e-308), "float32": (2e-3, 6e-8, 1e-38), "float16": (0.05, 5e-4, 6e-5)}


@dataclass
class Step:
    """One step of a pass.

    kind: ``start`` (a gradient is put at a root), ``op`` (an operation's node runs), ``accumulate`` (an AccumulateGrad
        node adds to its leaf's `.grad`) or ``error`` (the pass stops here).
    node: the node that fires.
    into: the gradient that arrived for each output of the operation; None where none came, which stands for zero.
    rules: (number of the input, derivative as written, the same with numbers) for each that a gradient goes to;
        letters: for each letter which input it is (see `Letter`) and its numbers in a text; known: these numbers;
        again: what a derivative gives with them, by the number of the input, as terms to be added up.
    out: (number of the input, the node it leads to, the gradient sent).
    pending: how many gradients the nodes that it sent to still wait for.
    freed: slots whose tensors were let go with this step.
    before, after: the leaf's `.grad`; None where that was None.
    error: type and first line of the message; hints: (English, Chinese).
    """

    kind: str
    node: Any
    into: list[TensorInfo | None] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    letters: dict[str, tuple[int | None, str]] = field(default_factory=dict)
    known: dict[str, Numbers] = field(default_factory=dict)
    again: dict[int, list[Numbers]] = field(default_factory=dict)
    out: list[tuple[int, Any, TensorInfo | None]] = field(default_factory=list)
    pending: dict[Any, int] = field(default_factory=dict)
    freed: list[str] = field(default_factory=list)
    before: TensorInfo | None = None
    after: TensorInfo | None = None
    error: str = ""
    hints: tuple[str, ...] = ("", "")


class Replay:
    """What came of computing a pass once more."""

    def __init__(self, steps: Sequence[Step], leads_to: Mapping[Any, Any], roots: Collection[Any]) -> None:
        self.same = self.leaves = 0  # how many ``.grad`` came out the same, of how many
        self.again = self.of = 0  # the same of the derivatives on the way
        self.wrong: Words | None = None  # the first thing that came out otherwise
        self.spoiled: Words | None = None  # the first step that made nan or inf of finite numbers
        self.odd: Words | None = None  # what is said of an operation that raises no error and is seldom meant
        sent: dict[Any, list[Numbers | None]] = {}  # to (node, number of its output)
        for step in steps:
            for nr, grad in enumerate(step.into):
                came = sent.pop((step.node, nr), [])
                # at a root the first gradient, too; what nothing was sent to was begun by another pass
                if grad is not None and came and step.node not in roots:
                    self._compare(grad, came, "replayedArrives", step.node)
            for nr, target, grad in step.out:
                if grad is not None:
                    sent.setdefault((target, leads_to[step.node][nr][1]), []).append(grad.numbers)
                    self._look_at(grad, step)
                    self.of += 1
                    if nr in step.again:
                        self.again += self._compare(grad, step.again[nr], "replayedSends", step.node)
            self.odd = _odd(step) or self.odd
            if step.after is not None:
                self.leaves += 1
                terms = [grad.numbers for grad in (*step.into, step.before) if grad is not None]
                self.same += self._compare(step.after, terms, "replayedLeaf", step.node)

    @property
    def words(self) -> Words:
        """What the replay has shown."""
        whole = self.same == self.leaves and self.again == self.of
        if self.again:  # `autograd.grad` fills no .grad
            key = "replayedWay" if not self.leaves else "replayed" if whole else "replayedPart"
        else:
            key = "replayed" if whole else "replayedSums" if self.same else "replayedNone"
        return self.wrong or words(key, same=self.same, leaves=self.leaves, again=self.again, of=self.of)

    def _compare(self, like: TensorInfo, terms: Sequence[Numbers | None], key: str, node: Any) -> bool:
        """Whether it could be seen if the `terms` come to those numbers."""
        found = unlike(like, terms)
        if found and self.wrong is None:
            a, b = found[0]
            self.wrong = words(key, node=op_name(node), a=f"{a:.4g}", b=f"{b:.4g}")
        return found is not None

    def _look_at(self, sent: TensorInfo, step: Step) -> None:
        """Whether the step made nan or inf of finite numbers."""
        came = [n for grad in step.into if grad is not None for n in grad.numbers or [math.nan]]
        odd = [n for n in sent.numbers or () if not math.isfinite(n)]
        if self.spoiled is None and odd and all(map(math.isfinite, came)):
            self.spoiled = words("spoiled", node=op_name(step.node), what="nan" if any(map(math.isnan, odd)) else "inf")


def _odd(step: Step) -> Words | None:
    """What is said of a softmax too many, or without its logarithm, and of a difference of ``(n, n)`` numbers that is
    one of ``(n, 1)`` and ``(n,)``; None of any other step."""
    name = op_name(step.node)
    takes = _TAKES.get(name.removesuffix("Backward0"))
    if takes and step.out and op_name(step.out[0][1]) == f"{takes.title()}Backward0":
        return words("noLogarithm" if name.startswith("Nll") else "twice", node=name, what=takes)
    sent = [grad.shape for _, _, grad in step.out if grad is not None]
    if not sent or not name.startswith("Sub"):
        return None
    n, a = sent[-1][:1], sent[-1]
    square = [n * 2] == [grad.shape for grad in step.into if grad is not None]
    if not square or n in ((), (1,)) or not {*sent} <= {n, (*n, 1)}:
        return None
    return words("spread", node=name, a=shape_text(a), b=shape_text(n * 2))


def unlike(like: TensorInfo, terms: Sequence[Numbers | None]) -> list[tuple[float, float]] | None:
    """The numbers in `like` that are not the sum of the `terms`, as far as numbers of that type tell, each with that
    sum; None where it cannot be seen."""
    got, known = like.numbers, [term for term in terms if term is not None]
    if got is None or any(len(term) != len(got) for term in known) or len(known) < len(terms):
        return None
    near, each, least = _ROUNDING.get(like.dtype, (0.05, 4e-3, 1e-38))
    near += each * len(known)
    largest = max((abs(n) for term in known for n in term if math.isfinite(n)), default=0.0)
    pairs = [(a, b) for a, b in zip(got, map(_sum, zip(*known))) if math.isfinite(b) and not math.isinf(a)]
    return [(a, b) for a, b in pairs if not math.isclose(a, b, rel_tol=near, abs_tol=near * largest + least)]


def _sum(terms: Iterable[float]) -> float:
    try:
        return math.fsum(terms)
    except (OverflowError, ValueError):  # inf - inf
        return math.nan


def computed(rule: str, known: Mapping[str, Numbers], count: int) -> list[Numbers] | None:
    """The terms whose sum are the `count` numbers that a derivative gives: several where an input was broadcast; None
    where it is no arithmetic, or a letter in it is not `known`."""
    code, letters = _parsed(rule)
    if code is None or not known.keys() >= letters:
        return None
    rows = {letter: known[letter] for letter in letters}
    wide = max(count, *map(len, rows.values()), 1)
    if any(len(row) not in (1, wide) for row in rows.values()) or count not in (1, wide):
        return None
    try:
        known_at = ({k: row[i % len(row)] for k, row in rows.items()} for i in range(wide))
        each = [float(eval(code, _FUNCTIONS, row)) for row in known_at]
        return [each] if count == wide else [[term] for term in each]
    except (ArithmeticError, TypeError, ValueError):  # a number that the operation knows better: 0 · ln 0
        return None


@cache
def _parsed(rule: str) -> tuple[CodeType | None, frozenset[str]]:
    """The right side of a rule as Python runs it, and its letters; None where it is a sentence, or of matrices."""
    text = rule.partition(" = ")[2].replace("·", "*").replace("√(", "sqrt(")
    text = lowered(text, "**")
    text = re.sub(r"\b(sin|cos|sinh|cosh|ln|sign) (\w)", r"\1(\2)", text)
    text = re.sub(r"((?<![\w.])\w|\)) \(", r"\1 * (", text)  # or Python takes 2 (a - t) for a call
    text = re.sub(r"(?<![\w.])\d+(?![\w.])", r"\g<0>.0", text)  # no power of whole numbers takes for ever
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return None, frozenset()
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - _FUNCTIONS.keys()
    plain = all(isinstance(node, _NODES) for node in ast.walk(tree)) and all(len(name) == 1 for name in names)
    return (compile(tree, rule, "eval"), frozenset(names)) if plain else (None, frozenset())
