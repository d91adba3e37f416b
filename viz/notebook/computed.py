"""A derivative as the picture writes it, computed: where it is arithmetic, in Python's own numbers."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping
from functools import cache
from types import CodeType

from ..model.formulas import RAISED

Numbers = list[float]
_NODES = (
    *(ast.Expression, ast.Constant, ast.Name, ast.Load, ast.Call),
    *(ast.UnaryOp, ast.USub, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow),
)
_FUNCTIONS = {name: getattr(math, name) for name in ("sin", "cos", "sinh", "cosh", "exp", "trunc", "sqrt")}
_FUNCTIONS |= {"ln": math.log, "sign": lambda x: (x > 0) - (x < 0), "__builtins__": {}}


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
    text = re.sub(f"[{''.join(RAISED)}]+", lambda found: f"**({''.join(RAISED[c] for c in found[0])})", text)
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
