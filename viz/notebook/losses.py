"""The losses of the passes of a cell, for a curve."""

from __future__ import annotations

from math import isfinite
from typing import Any

_MOST = 600


class Losses:
    """(number of the pass, loss) of the passes of a cell: thinned out evenly where there are many, the last always
    there."""

    def __init__(self) -> None:
        self._kept: list[list[Any]] = []
        self._every = 1
        self._last: list[list[Any]] = []

    def add(self, nr: int, loss: float | None) -> None:
        if loss is None:
            return
        self._last = [[nr, loss]]
        if (nr - 1) % self._every == 0:
            self._kept += self._last
        if len(self._kept) >= _MOST:
            self._every *= 2
            self._kept = [pair for pair in self._kept if (pair[0] - 1) % self._every == 0]

    def so_far(self) -> list[list[Any]]:
        return list(self._kept) if self._kept[-1:] == self._last else self._kept + self._last


def number_in(tensor: Any) -> float | None:
    """The one number in a tensor; None for more than one, none that can be read, and inf and nan: JSON has no such."""
    try:
        value = float(tensor.item())
    except Exception:
        return None
    return value if isfinite(value) else None
