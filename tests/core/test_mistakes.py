"""Wrong calls fail: where PyTorch raises an error, minigrad raises one of the same type, in words of its own.

A fortieth of the expressions of expressions.txt are tried with one argument wrong, missing or too many, in all ways.
`MISTAKES=all pytest tests/core/test_mistakes.py` tries all, and shows what differs.
"""

import ast
import math
import os
import re
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any
from zlib import crc32

import pytest

import minigrad
from tests.core.parity import first_line
from tests.core.test_against_torch import expressions, inputs

torch = pytest.importorskip("torch", reason="PyTorch, the reference, is not installed")

#: What is put in the place of an argument.
WRONG = (
    "None", "'x'", "True", "1", "-5", "1.5", "math.nan", "2**64", "[]", "[1, 0]", "(0, 7)", "[1.5]", "['x']", "a", "n",
    "s", "torch.tensor(1)", "torch.ones(4)", "torch.ones(5, 7)", "[a, a]", "[a, 1]", "torch.float64", "{}", "object",
)  # fmt: skip

#: They change what comes after them, or ask for a device or for memory that the machine may have or not.
UNSAFE = re.compile(r"set_|manual_seed|seed\(|pickle|copy\.|cuda|\*\*53|\*\* 53")

_WRONG = [ast.parse(wrong, mode="eval").body for wrong in WRONG]
Outcome = tuple[str, str]


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
            return kind, re.sub(r"0x[0-9a-fA-F]+", "0x…", line)
    return None


#: What another library says in its own words.
_FOREIGN = re.compile(r"numpy|ufunc|could not be broadcast|axis|operands|\barray\b|NoneType' object has no")


def is_told(ours: Outcome | None, theirs: Outcome | None) -> bool:
    """Whether a mistake that PyTorch refuses is refused, by an error of the same type and in no foreign words."""
    if theirs is None:
        return True
    return (
        ours is not None and ours[0] == theirs[0] and not (_FOREIGN.search(ours[1]) and not _FOREIGN.search(theirs[1]))
    )


EVERY = os.environ.get("MISTAKES") == "all"
TRIED = [each for each in safe_expressions() if EVERY or crc32(each.encode()) % 40 == 0]
#: Of the mistakes in the fortieth that is tried, so many end otherwise. The number may only become smaller.
KNOWN = 90


def test_wrong_calls_fail_as_in_pytorch() -> None:
    found = []
    for expression in TRIED:
        for mistake in dict.fromkeys(mistakes(expression)):
            ours, theirs = outcome(minigrad, mistake), outcome(torch, mistake)
            if not is_told(ours, theirs):
                found.append(f"{mistake}\n    minigrad: {ours}\n    PyTorch:  {theirs}")
    shown = "\n".join(found)
    assert not EVERY, f"{len(found)} end otherwise:\n{shown}"
    assert len(found) <= KNOWN, f"{len(found)} mistakes end otherwise, {KNOWN} did:\n{shown}"


@pytest.mark.parametrize(
    "wrong",
    [
        "func.vjp(lambda x: x.sum().item(), x)", "func.vjp(lambda x: None, x)",
        "func.vjp(lambda x: x, x, has_aux=True)", "func.grad(lambda x: x.sum(), has_aux=True)(x)",
        "func.jvp(lambda x: (x, 3), (x,), (x,))", "func.jacfwd(lambda x: None)(x)",
        "func.jacrev(lambda x: x.tolist())(x)", "func.jacrev(lambda x: ())(x)",
        "autograd.functional.jvp(lambda x: x, x, 3)", "autograd.functional.hvp(lambda x: x.sum(), x, [1.0, 1.0])",
        "autograd.functional.jacobian(lambda x, y: x * y, (x, 3))", "autograd.functional.jacobian(lambda x: (x, 3), x)",
        "autograd.functional.vjp(lambda x: x.sum().item(), x)", "normal(x, -1)", "ones(2).type(float)",
        "set_grad_enabled('train')", "set_grad_enabled(x > 1)",
    ],
)  # fmt: skip
def test_what_is_of_another_type_is_refused_in_pytorchs_words(wrong: str) -> None:
    said = []
    for library in (minigrad, torch):
        with pytest.raises((RuntimeError, TypeError, ValueError)) as error:
            eval(f"library.{wrong}", {"library": library, "x": library.ones(2)})
        said.append((error.type, str(error.value)))
    assert said[0] == said[1]


@pytest.mark.parametrize("wrong", ["type(3)", "type(device('cpu'))", "to([1])"])
def test_what_is_no_type_is_refused(wrong: str) -> None:
    for library in (minigrad, torch):
        with pytest.raises(TypeError, match="dtype|combination"):
            eval(f"x.{wrong}", {"x": library.ones(2), "device": library.device})
