"""Calls with one mistake in them: every expression of expressions.txt with one argument wrong, missing or too many.

`python -m tests.core.mistakes` lists all those that minigrad answers otherwise than PyTorch, and rewrites mistakes.txt.
"""

import ast
import math
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import minigrad
from tests.core.parity import first_line
from tests.core.test_against_torch import expressions, inputs

#: What is put in the place of an argument.
WRONG = (
    "None", "'x'", "True", "1", "-5", "1.5", "math.nan", "2**64", "[]", "[1, 0]", "(0, 7)", "[1.5]", "['x']", "a", "n",
    "s", "torch.tensor(1)", "torch.ones(4)", "torch.ones(5, 7)", "[a, a]", "[a, 1]", "torch.float64", "{}", "object",
)  # fmt: skip

#: They change what comes after them, or ask for a device or for memory that the machine may have or not.
UNSAFE = re.compile(r"set_|manual_seed|seed\(|pickle|copy\.|cuda|\*\*53|\*\* 53")

_WRONG = [ast.parse(wrong, mode="eval").body for wrong in WRONG]
Outcome = tuple[str, str]
Difference = tuple[str, Outcome | None, Outcome | None]

FILE = Path(__file__).with_suffix(".txt")
HEAD = """\
# In how many of the mistakes in an expression minigrad does not do what PyTorch does, without a reason in mistakes.py.
# Written by `python -m tests.core.mistakes`. A number may only become smaller.
"""

#: What is not to be mended, and why; with what minigrad and PyTorch say.
REASONS = {
    "operations of one tensor are called without a frame that could put PyTorch's words in the place of Python's": (
        r"\('TypeError', .*(takes|missing|unexpected keyword).*",
        r"\('TypeError', .*(takes|missing|unexpected keyword).*",
    ),
    "in which order PyTorch lists named arguments is an accident of its hash table": (
        r".*invalid combination of arguments - got \(.*=.*",
        r".*invalid combination of arguments - got \(.*=.*",
    ),
    "Size does not look at what it is given: every x.shape makes one": (
        ".*",
        r".*torch\.Size\(\) takes an iterable.*",
    ),
    "an integer beyond 64 bits is a number for numpy; to look at each would cost every x * 2": (
        ".*",
        r"\('OverflowError', 'int too big to convert'\)",
    ),
}


def safe_expressions() -> list[str]:
    """The expressions in which mistakes are made."""
    found = dict.fromkeys(p.values[0] for p in expressions() if p.values[1] == "float32")
    return [expression for expression in found if not UNSAFE.search(expression)]


def mistakes(expression: str) -> Iterator[str]:
    """The expression with one mistake, in as many ways as there are."""
    tree = ast.parse(expression, mode="eval")
    original = ast.unparse(tree)
    for node in list(ast.walk(tree)):
        for _ in _changes(node):
            text = ast.unparse(tree)
            if text != original:
                yield text


def _changes(node: ast.AST) -> Iterator[None]:
    """Change a part of the tree in one way after the other; in the end it is as it was."""
    places: list[tuple[Any, Any]] = []
    if isinstance(node, ast.Call):
        places += [(node.args, i) for i in range(len(node.args))]
        places += [(vars(keyword), "value") for keyword in node.keywords]
        for arguments, one in ((node.args, _WRONG[0]), (node.keywords, ast.keyword("foo", _WRONG[0]))):
            arguments.append(one)
            yield
            arguments.pop()
            for i in range(len(arguments)):
                left_out = arguments.pop(i)
                yield
                arguments.insert(i, left_out)
    elif isinstance(node, ast.BinOp):
        places += [(vars(node), "left"), (vars(node), "right")]
    elif isinstance(node, ast.Compare):
        places.append((node.comparators, 0))
    elif isinstance(node, ast.Subscript):
        places.append((vars(node), "slice"))
    for container, key in places:
        right = container[key]
        for text, wrong in zip(WRONG, _WRONG, strict=True):
            if text == "2**64" and isinstance(getattr(node, "op", None), ast.Pow | ast.LShift):
                continue  # Python would try to
            container[key] = wrong
            yield
        container[key] = right


def outcome(library: ModuleType, expression: str) -> Outcome | None:
    """The error that an expression ends in, its type and the first line of its message; None if there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            eval(expression, {"torch": library, "math": math, **inputs(library, "float32")})
        except Exception as error:
            kind, line = first_line(error)
            return kind, re.sub(r"0x[0-9a-f]+", "0x…", line)
    return None


def known() -> dict[str, int]:
    """In how many mistakes in each expression minigrad still differs from PyTorch."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return {line[5:]: int(line[:5]) for line in lines if not line.startswith("#")}


def differences(expression: str, reference: ModuleType) -> list[Difference]:
    """The mistakes in an expression that minigrad answers otherwise than PyTorch, but for those with a reason."""
    found = []
    for mistake in dict.fromkeys(mistakes(expression)):
        ours, theirs = outcome(minigrad, mistake), outcome(reference, mistake)
        if ours != theirs and reason(ours, theirs) is None:
            found.append((mistake, ours, theirs))
    return found


def reason(ours: Outcome | None, theirs: Outcome | None) -> str | None:
    """Why two outcomes differ and will go on to, if it is one of `REASONS`."""
    both = str(ours), str(theirs)
    return next((why for why, expected in REASONS.items() if all(map(re.fullmatch, expected, both))), None)


if __name__ == "__main__":
    import torch

    found = {each: differences(each, torch) for each in safe_expressions()}
    unlike = {text: (ours, theirs) for each in found.values() for text, ours, theirs in each}
    for text, (our_outcome, their_outcome) in unlike.items():
        print(f"{text}\n    minigrad: {our_outcome}\n    PyTorch:  {their_outcome}")
    print(len(unlike), "of", len({text for each in found for text in mistakes(each)}), "differ without a reason")
    lines = [f"{len(each):4} {expression}\n" for expression, each in found.items() if each]
    FILE.write_text(HEAD + "".join(lines), encoding="utf-8", newline="\n")
