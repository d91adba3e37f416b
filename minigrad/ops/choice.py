"""One of two numbers, element by element, for formulas on large arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

#: From so many elements on numpy's own `where` takes longer.
_LARGE = 3000


def where(condition: Any, chosen: Any, otherwise: Any) -> Any:
    """What `np.where` gives for tensors and raw arrays, several times as fast on a large array without a pattern.

    numpy asks at each element which of two ways to go, and a processor that guesses wrong half the time must wait. So
    here the bits of the floats, read as integers, go through one sum that is the same for all: c · (a - b) + b, with c
    1 or 0. Integers overflow and come back, so it is exact, also for ∞ and NaN.
    """
    array = chosen if type(chosen) is np.ndarray else otherwise
    if not (
        type(condition) is np.ndarray
        and condition.size >= _LARGE
        and type(array) is np.ndarray
        and array.dtype.kind == "f"
        and array.shape == condition.shape
    ):
        return np.where(condition, chosen, otherwise)
    bits = f"i{array.dtype.itemsize}"
    a, b = (np.asarray(part, array.dtype).view(bits) for part in (chosen, otherwise))
    result = a - b
    result *= condition
    result += b
    return result.view(array.dtype)
