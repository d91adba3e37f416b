"""How a loss is reduced to one number: the argument `reduction`, and the two that it had instead before."""

from __future__ import annotations

import warnings
from typing import Any


def chosen_reduction(reduction: str, size_average: Any = None, reduce: Any = None, *others: str) -> str:
    """How a loss is to be reduced: `reduction`, unless the two old arguments for it are given."""
    reduction = old_reduction(size_average, reduce) or reduction
    if reduction not in ("none", "mean", "sum", *others):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


def old_reduction(size_average: Any, reduce: Any) -> str | None:
    """What the two old arguments for the reduction mean; None if they are not given."""
    if size_average is None and reduce is None:
        return None
    whole = reduce is None or reduce
    reduction = "mean" if (size_average is None or size_average) and whole else "sum" if whole else "none"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.",
        UserWarning,
        stacklevel=6,
    )
    return reduction
