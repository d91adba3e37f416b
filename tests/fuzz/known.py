"""Differences that are understood and stand in docs/differences.md: they are counted, and fail nothing."""

from __future__ import annotations

import re

from tests.fuzz.programs import Difference

# A pattern that the reduced program contains, the kind of difference it excuses, and the reason.
KNOWN: list[tuple[str, str, str]] = [
    (r"(tensor\(\[\]|zeros\(0)[\s\S]*(torch\.func|\.diff\()", "value", "whether a result of nothing needs a gradient"),
    (r"(tensor\(\[\]|zeros\(0)[\s\S]*torch\.func", "error", "whether a result of nothing needs a gradient"),
    (r"register_multi_grad_hook", "value", "PyTorch does not count the tensor that backward begins with"),
    (
        r"unfold\([\s\S]*_\(|unfold\([\s\S]* [-+*]= ",
        "value",
        "PyTorch leaves open what a write into shared memory gives",
    ),
    (r"clip_grad_value_", "error", "PyTorch raises an internal error where no parameter has a gradient"),
    (r"torch\.func|autograd\.functional", "graph", "minigrad computes what torch.func returns by other operations"),
]


def known(lines: list[str], difference: Difference) -> str | None:
    """Why a difference is no news, or None."""
    program = "\n".join(lines)
    return next(
        (why for pattern, kind, why in KNOWN if kind == difference.kind and re.search(pattern, program)),
        None,
    )
