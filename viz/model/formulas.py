"""The formula of an operation: from its node's docstring where the library writes one, else from ``formulas.txt``; its
words in Chinese from ``formulas.zh.txt``. And its derivatives with the numbers of one backward pass put in: ``g · b``
becomes ``1. · 3.``."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ..language import data
from ..strings import RAISED
from .kept import saved
from .protocol import is_tensor, op_name
from .values import FEW, describe, number, shape_of, size_of

# What a node saves, by the letter that formulas have for it; a capital letter is the same as a matrix. And the slots
# that rows name in brackets, with what a node has there for which such a row holds; null: whatever it is.
_SLOTS: dict[str, list[str]] = data("model/slots.json")["letters"]
_CASES: dict[str, Any] = data("model/slots.json")["cases"]
_NUMBERS = "knαβ"  # the others stand for tensors
_SUBSCRIPTS = "ᵢⱼₖₙ₁"
_FUNCTIONS = {"sin", "cos", "tan", "ln", "exp", "sign", "max", "min", "trunc", "det"}
_LETTER = re.compile(rf"(?<![A-Za-z∂])([A-Za-zαβ])([{_SUBSCRIPTS}]*)([{''.join(RAISED)}]*)(?![A-Za-z(])")


def formula(node: Any) -> tuple[str, ...]:
    """What `node`'s operation computes, then its derivatives; empty where it is not known."""
    doc = (type(node).__doc__ or "").strip().partition("\n")[0]
    said = tuple(filter(None, re.split(r"\s{3,}", doc))) if " = " in doc else ()
    name, table = op_name(node), _table("formulas.txt")
    factor = "1" if all(getattr(node, f"_saved_{one}", 1) == 1 for one in ("alpha", "beta")) else "k"
    case = next((slot for slot in _CASES if f"{name}({slot})" in table and _holds(node, slot)), factor)
    row = table.get(f"{name}({case})") or table.get(name, ())
    if case != factor or row[: len(said)] == said:  # of what a docstring leaves out
        said = row
    how, over = getattr(node, "_saved_reduction", None), re.search(r" / (n|Σw)\b", " ".join(said[1:]))
    if over and how in (0, 2, "none", "sum"):  # a loss of which no mean is taken
        said = tuple(re.sub(r" / (n|Σw)\b", "", part) for part in said)
    if over and how in (1, 2, "mean", "sum"):
        said = (re.sub("^c = ", f"c = Σ cᵢ{over[0] * (how in (1, 'mean'))}, cᵢ = ", said[0]), *said[1:])
    return said


def _holds(node: Any, slot: str) -> bool:
    """Whether the row for that slot does. What a hook keeps, or was let go, is there, and is not asked for."""
    try:
        kept = saved(node, f"_saved_{slot}")
    except RuntimeError:
        kept = "not known"
    return is_tensor(kept) or (kept not in (None, 2**64 - 1) and _CASES[slot] in (None, kept))


@cache
def in_chinese(formula: str) -> str:
    """A formula, or a part of it, with its words in Chinese."""
    words = _table("formulas.zh.txt")
    longest_first = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.sub(longest_first, lambda found: words[found[0]][0], formula)


@cache
def _table(file: str) -> dict[str, tuple[str, ...]]:
    """What stands behind the first part of each line, by that."""
    lines = (Path(__file__).parent / file).read_text(encoding="utf-8").splitlines()
    rows = (line.split(" " * 6) for line in lines if not line.startswith("#"))
    return {first: tuple(others) for first, *others in rows}


class Letter(NamedTuple):
    """What a letter of a node's derivatives stands for: its `value`; the number of the input that this is, -1 for the
    node's own result, None where it is neither."""

    value: Any
    place: int | None = None


def letters(slots: Mapping[str, Any], grad: Any, place: Callable[[str], int | None]) -> dict[str, Letter]:
    """The letters that stand for something known. `slots`: what the node saved; `place`: of a slot, see `Letter`."""
    found = {} if grad is None else dict.fromkeys("h" if "grad_output" in slots else "gG", Letter(grad))
    if (sizes := slots.get("self_sym_sizes")) is not None:
        dim = slots.get("dim")
        dims = dim if isinstance(dim, (tuple, list)) else [dim]
        # as Python counts them: PyTorch keeps -1 as the largest number of 64 bits
        counted = [dim - 2**64 if dim >= 2**63 else dim for dim in dims if dim is not None]
        found["n"] = Letter(math.prod(sizes[dim] for dim in counted or range(len(sizes))) if sizes else 1)
    elif (count := slots.get("self_sym_numel")) is not None:
        found["n"] = Letter(count)
    elif is_tensor(slots.get("target")) and is_tensor(kept := slots.get("self")) and size_of(kept) > 0:
        found |= {"n": Letter(size_of(kept)), "w": Letter(1)}  # a loss; a weight that it has is found below
    for letter, names in _SLOTS.items():
        there = [name for name in names if slots.get(name) is not None]
        if slot := next((s for s in there if letter == "w" or is_tensor(slots[s]) is (letter not in _NUMBERS)), None):
            found[letter] = Letter(slots[slot], place(slot) if is_tensor(slots[slot]) else None)
    return found


def filled(formula: Sequence[str], inputs: int, known: Mapping[str, Letter]) -> list[tuple[int, str, str]]:
    """(input number, the rule as written, its right side with numbers) for each derivative that `formula` gives.

    `inputs` is how many the node has. A letter that stands for nothing known stays; a large tensor stands as its letter
    and shape. Where the right side is in words, or nothing in it is known, the last text is empty.
    """
    rules = [part for part in formula[1:] if part.startswith("∂L/∂")]
    of = "".join(rule[len("∂L/∂")].lower() for rule in rules)
    if len(rules) > inputs or 1 < len(rules) < inputs or of == "bwa":  # of which inputs they speak is not known
        return []
    texts = {letter: in_numbers(letter, what.value) for letter, what in known.items()}
    return [(1 - nr if of == "ba" else nr, rule, _right_side(rule, texts)) for nr, rule in enumerate(rules)]


def named(
    rule: str, loss: str, result: str, input_name: str, by_letter: Mapping[str, str], partly: bool = False
) -> str:
    """A derivative in the program's own names: ``∂L/∂a = g · b`` is ``∂loss/∂w = ∂loss/∂z · x``; with ``+=`` where
    it is a part of it."""
    of, _, right = rule.removeprefix("∂L/∂").partition(" = ")
    given = "h" if re.search(r"\bh[ᵢ ]|\bh$", right) else "gG"  # of a derivative, whose own input is g
    known = {**by_letter, **dict.fromkeys(given if result else "", f"∂{loss}/∂{result}")}
    at = "Σⱼ" in right  # one element is told apart from those that are summed
    of = input_name + of[1:] * at if input_name else of
    told = _right_side(rule, known, at, "where else turned around") or right
    return f"∂{loss}/∂{of} {'+=' if partly else '='} {told}"


def _right_side(rule: str, by_letter: Mapping[str, str], at: bool = False, words: str = "") -> str:
    right = rule.partition(" = ")[2]
    if "…" in right or not {*_FUNCTIONS, *words.split()}.issuperset(re.findall(r"[A-Za-z]{2,}", right)):
        return ""  # a row of elements, of which each is another; a sentence: its "a" is an article

    def put_in(match: re.Match[str]) -> str:
        letter, place, raised = match.groups()
        if letter not in by_letter and letter != "e":
            return match[0]
        base = by_letter.get(letter, letter) + place * at
        if base[0] + base[-1] == right[match.start() - 1] + right[match.end() :][:1] == "()":
            base = base[1:-1]  # those of the rule are enough
        plain = not any(c in "ⁿᵇᵃᵏᵖ" for c in raised)
        return base + (raised if plain else _power("".join(by_letter.get(RAISED[c], RAISED[c]) for c in raised)))

    return "" if (text := _LETTER.sub(put_in, right)) == right else text


def _power(text: str) -> str:
    """``2-1``, where a rule has its exponent so, is no power at all; ``3-1`` is a small 2."""
    if less := re.fullmatch(r"(-?\d+)\.?-1", text):
        text = str(int(less[1]) - 1)
    if text == "1":
        return ""
    raised = {plain: small for small, plain in RAISED.items()}
    return "".join(raised[c] for c in text) if set(text) <= set("-0123456789") else f"^({text})"


def in_numbers(letter: str, value: Any) -> str:
    """The numbers of a value; of a large tensor its letter and shape."""
    if not is_tensor(value):
        text = number(value)
    elif not size_of(value) > FEW:
        text = describe(value).value or letter
    else:
        return f"{letter}[{'×'.join(map(str, shape_of(value)))}]"
    return f"({text})" if text.startswith("-") else text
