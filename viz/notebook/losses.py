"""The losses of the passes of a cell, for a curve."""

from __future__ import annotations

from math import isfinite
from typing import Any

_MOST = 600


def note(losses: list[list[Any]], nr: int, tensor: Any) -> None:
    """Adds (number of the pass, the one number in `tensor`), if it has one that is finite: JSON has no other. Of many
    passes every second, fourth, … is kept; the last always."""
    try:
        loss = float(tensor.item())
    except Exception:  # more than one number, or none that can be read
        return
    if not isfinite(loss):
        return
    every = 1 << (nr // _MOST).bit_length()
    if losses and (losses[-1][0] - 1) % every:
        losses.pop()
    if len(losses) >= _MOST:
        losses[:] = [pair for pair in losses if (pair[0] - 1) % every == 0]
    losses.append([nr, loss])
