"""One record for each function that has a derivative: records.txt, and what its numpy halves need.

A record says how a function is called and what it means in plain numpy. Nobody's derivative stands there: the first
and the second are taken from the numpy half by differences, along a random direction.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from configparser import ConfigParser
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

# Numbers that separate: no two are alike, none is 0, 1 or whole, and no matrix is symmetric. None lies near a place
# where one of the functions has no derivative.
VALUES: dict[str, Any] = {
    "x": [[0.62, -1.37, 2.21, -0.58], [-0.83, 1.74, 0.27, -1.92], [1.45, -0.34, -2.63, 0.91]],
    "y": [[-1.18, 0.46, 1.63, 0.74], [0.38, -0.67, 2.44, -1.29], [-0.93, 1.56, -0.21, 2.07]],
    "z": [[0.57, 2.12, -0.76, 1.34], [-1.64, 0.88, 0.43, -0.29], [2.35, -1.15, 0.69, -2.26]],
    "p": [[0.64, 1.87, 2.31, 0.43], [3.12, 0.78, 1.26, 2.72], [1.53, 0.36, 4.14, 0.92]],
    "u": [[0.31, -0.62, 0.17, 0.73], [-0.24, 0.81, -0.46, 0.09], [0.56, -0.13, 0.38, -0.77]],
    "q": [[0.32, 0.61, 0.17, 0.74], [0.23, 0.86, 0.45, 0.09], [0.57, 0.14, 0.39, 0.78]],
    "A": [[2.31, -0.47, 0.83], [0.64, -1.92, 0.36], [-0.29, 1.13, 3.24]],
    "b": [[[0.41, -1.23, 0.87, 1.92], [-0.56, 2.13, -1.74, 0.34], [1.65, -0.28, 0.73, -2.36]],
          [[-1.47, 0.59, 2.24, -0.67], [0.18, -1.86, 1.37, 0.96], [-2.52, 0.79, -0.43, 1.28]]],
    "c": [[[1.34, -0.62, 0.29], [-0.87, 1.53, 2.16], [0.44, -1.95, 0.78], [2.37, 0.13, -1.41]],
          [[-0.36, 1.72, -2.28], [0.95, -1.14, 0.53], [1.81, 0.67, -0.49], [-1.58, 2.43, 0.24]]],
    "d": [[[0.73, -1.46], [1.28, 0.35], [-0.64, 2.17]], [[-1.83, 0.52], [0.94, -0.27], [1.69, -2.35]]],
    "v": [0.47, -1.62, 2.14, 0.86],
    "w": [1.34, -0.57, 0.78],
    "k": [[0.83], [-1.46], [2.27]],
    "s": 1.37,
}  # fmt: skip

#: Places and classes: whole numbers, which have no derivative.
PLACES: dict[str, Any] = {
    "n": [[2, 0, 1, 2], [1, 1, 0, 3], [0, 3, 2, 1]],
    "distinct": [[2, 0, 1, 3], [1, 2, 0, 3], [0, 3, 2, 1]],
    "rows": [2, 0, 2],
    "classes": [1, 3, 0],
}


class Record(NamedTuple):
    """A function's call, the same in numpy, and the section that it stands in."""

    section: str
    call: str
    truth: str


def records() -> list[Record]:
    """Those of records.txt."""
    tables = ConfigParser(allow_no_value=True, delimiters=(" = ",), comment_prefixes=("#",), strict=False)
    tables.optionxform = str  # type: ignore[assignment,method-assign]
    tables.read(Path(__file__).with_name("records.txt"), encoding="utf-8")
    return [
        Record(section, call, truth or call.replace("torch.", "np."))
        for section in tables.sections()
        for call, truth in tables[section].items()
    ]


def used(call: str) -> list[str]:
    """The names of VALUES in a call, as they come."""
    return [name for name in dict.fromkeys(compile(call, "call", "eval").co_names) if name in VALUES]


def called(library: ModuleType, call: str, arrays: dict[str, np.ndarray], **others: Any) -> tuple[Any, list[Any]]:
    """What a call gives under a library, and the tensors that it was given, which need gradients."""
    leaves = {name: library.tensor(array, **others).requires_grad_() for name, array in arrays.items()}
    places = {name: library.tensor(values) for name, values in PLACES.items()}
    return eval(call, {"torch": library, "F": library.nn.functional, **leaves, **places}), list(leaves.values())


def meant(truth: str, arrays: dict[str, np.ndarray]) -> np.ndarray:
    """What the numpy half of a record gives."""
    places = {name: np.array(values) for name, values in PLACES.items()}
    return np.asarray(eval(truth, HELPERS | places | arrays))


def slopes(along: Callable[[float], Any]) -> tuple[Any, Any]:
    """The first and the second derivative at 0 of a function of one number.

    Central differences of five steps, from which Richardson's extrapolation takes the errors of orders 2 to 8.
    """
    steps = [0.008 / 2**i for i in range(5)]
    middle = along(0.0)
    ends = [(along(h), along(-h)) for h in steps]
    first = [(after - before) / (2 * h) for (after, before), h in zip(ends, steps, strict=True)]
    second = [((after - middle) + (before - middle)) / h**2 for (after, before), h in zip(ends, steps, strict=True)]
    for order in range(1, 5):
        for table in (first, second):
            table[:] = [(4**order * b - a) / (4**order - 1) for a, b in pairwise(table)]
    return first[0], second[0]


# ---------------------------------------------------------------------------------------------------------------------
# What the numpy halves use besides numpy


def normed(x: np.ndarray, axis: int, eps: float) -> np.ndarray:
    """Of mean 0 and variance 1."""
    return (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + eps)


def added(x: np.ndarray, rows: np.ndarray, y: np.ndarray) -> np.ndarray:
    """x, to whose rows those of y have been added."""
    x = x.copy()
    for row, values in zip(rows, y, strict=True):
        x[row] += values
    return x


def scattered(x: np.ndarray, places: np.ndarray, y: np.ndarray, add: bool = False) -> np.ndarray:
    """x, with y's numbers at places of its rows."""
    x = x.copy()
    for i, j in np.ndindex(*places.shape):
        x[i, places[i, j]] = y[i, j] + (x[i, places[i, j]] if add else 0)
    return x


def convolved(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, high: int, wide: int) -> np.ndarray:
    """Each window, times the weights, summed."""
    x = np.pad(x, ((0, 0), (0, 0), (high, high), (wide, wide)))
    rows, columns = weight.shape[2:]
    windows = np.lib.stride_tricks.sliding_window_view(x, (rows, columns), (2, 3))
    return np.einsum("nchwij,ocij->nohw", windows, weight) + bias[:, None, None]


def embedding_loss(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """1 - cos where the label is 1, cos (if positive) where it is -1; the labels are 1, -1, 1."""
    cosine = (x * y).sum(1) / np.sqrt((x * x).sum(1) * (y * y).sum(1))
    return np.array([1 - cosine[0], np.maximum(0, cosine[1]), 1 - cosine[2]]).mean()


def cross_entropy(x: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Against probabilities."""
    return -(target * (x - np.log(np.exp(x).sum(1, keepdims=True)))).sum(1).mean()


def each(function: Callable[[float], float]) -> Callable[[np.ndarray], np.ndarray]:
    """A function of Python's library, of each number."""
    return np.vectorize(function, otypes=[float])


HELPERS: dict[str, Any] = {
    "np": np, "la": np.linalg, "erf": each(math.erf),
    "normed": normed, "added": added,
    "scattered": scattered, "scattered_added": lambda x, places, y: scattered(x, places, y, add=True),
    "convolved": convolved, "embedding_loss": embedding_loss, "cross_entropy": cross_entropy,
}  # fmt: skip
