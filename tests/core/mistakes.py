"""Calls with one mistake in them: every expression of expressions.txt with one argument wrong, missing or too many.

`python -m tests.core.mistakes` lists all those that minigrad answers otherwise than PyTorch.
"""

import ast
import math
import re
import warnings
from collections.abc import Iterator
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

#: They change what comes after them, or ask for a device that the machine may have or not.
UNSAFE = re.compile(r"set_|manual_seed|seed\(|pickle|copy\.|cuda")

_WRONG = [ast.parse(wrong, mode="eval").body for wrong in WRONG]
Outcome = tuple[str, str]


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


def all_mistakes() -> list[str]:
    """The mistakes in all expressions, each once."""
    found = dict.fromkeys(
        mistake
        for parameter in expressions()
        if parameter.values[1] == "float32" and not UNSAFE.search(parameter.values[0])
        for mistake in mistakes(parameter.values[0])
    )
    return list(found)


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


if __name__ == "__main__":
    import torch

    found = all_mistakes()
    differ = 0
    for mistake in found:
        ours, theirs = outcome(minigrad, mistake), outcome(torch, mistake)
        if ours != theirs:
            differ += 1
            print(f"{mistake}\n    minigrad: {ours}\n    PyTorch:  {theirs}")
    print(f"{differ} of {len(found)} differ")
