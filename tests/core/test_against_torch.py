"""minigrad's operations against PyTorch's: value, dtype, printed form, graph, gradient, second gradient, error.

Every expression of expressions.txt is evaluated under both libraries, for every kind of number. PyTorch answers;
nothing here is picked by hand. Where PyTorch is not installed, its recorded answers are taken (answers.py).
"""

from configparser import ConfigParser
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import minigrad
from tests.batches import batches, each
from tests.core.parity import Seen, assert_alike, see

try:
    import torch
except ImportError:
    torch = None

# a, b: 2×3, with ties, zeros and negatives; p: 2×3, positive; u: 2×3, inside (-1, 1); r: a row; k: a column;
# s: 0-dim; e: empty; q: 3×2; c: 2×2×3; n: integers for indexing, never tracked; m: a mask.
VALUES = {
    "a": [[0.5, -1.0, 2.0], [2.0, 0.0, -3.5]],
    "b": [[1.5, -1.0, 0.25], [-2.0, 3.0, 0.5]],
    "p": [[0.5, 1.0, 2.0], [4.0, 0.25, 3.5]],
    "u": [[0.5, -0.25, 0.125], [-0.75, 0.0, 0.875]],
    "r": [1.0, -2.0, 0.5],
    "k": [[2.0], [-1.5]],
    "s": 1.5,
    "e": [],
    "q": [[1.0, -0.5], [0.25, 2.0], [-1.0, 3.0]],
    "c": [[[1.0, 2.0, -1.0], [0.5, 0.0, 3.0]], [[-2.0, 1.5, 1.0], [4.0, -0.5, 0.25]]],
}

# Each kind of number, and how far apart results may be: floats are summed and approximated differently.
KINDS = {"float32": 1e-5, "float64": 1e-12, "int64": 1e-5, "bool": 1e-5}


def expressions() -> list[Any]:
    tables = ConfigParser(allow_no_value=True, delimiters=("\0",), comment_prefixes=("#",))
    tables.optionxform = str
    tables.read(Path(__file__).with_name("expressions.txt"), encoding="utf-8")
    return [
        pytest.param(expression, kind, id=f"{table}-{kind}-{expression}")
        for table in tables.sections()
        for line in tables[table]
        for expression in line.split("   ")
        for kind in {"creation": ["float32"], "linalg": ["float32", "float64", "int64"]}.get(table, KINDS)
    ]


def inputs(library: ModuleType, kind: str) -> dict[str, Any]:
    dtype = getattr(library, kind)
    made = {
        name: library.tensor(values).to(dtype).requires_grad_(dtype.is_floating_point)
        for name, values in VALUES.items()
    }
    made["n"] = library.tensor([2, 0, 2])
    made["m"] = library.tensor([[True, False, True], [False, False, True]])
    return made


def agree(expression: str, kind: str, expected: Seen) -> None:
    """minigrad says of an expression what is expected.

    The graph behind the gradients has each library's own nodes, and a node saves what its formula needs: only of what
    both libraries save, under one name, must they hold the same.
    """
    given = see(minigrad, expression, lambda library: inputs(library, kind))
    if ".half()" in expression:  # recorded, a formula computes in float32, where PyTorch's second one is in float16
        assert_alike(given.second, expected.second, 0.02, f"{expression} second")
        given.second = expected.second
    if given.error and expected.error:  # in words of its own; those that learners meet are in first_inputs.txt
        given, expected = (replace(seen, error=seen.error[:1]) for seen in (given, expected))
    assert_alike(given, expected, KINDS[kind], expression)
    for slot in given.saved.keys() & expected.saved.keys():
        assert_alike(given.saved[slot], expected.saved[slot], KINDS[kind], slot)


@pytest.mark.filterwarnings("ignore")  # what is warned is compared in test_recorded.py
@pytest.mark.parametrize("batch", batches(expressions()))
def test_like_pytorch(batch: list[Any]) -> None:
    each(batch, like_pytorch)


def like_pytorch(expression: str, kind: str) -> None:
    if torch is None:
        from tests.core.answers import recorded

        agree(expression, kind, recorded(expression, kind))
    else:
        agree(expression, kind, see(torch, expression, lambda library: inputs(library, kind)))
