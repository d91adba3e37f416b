"""Differences that are understood and stand in docs/differences.md: they are counted, and fail nothing."""

from __future__ import annotations

import re

from tests.fuzz.programs import Difference

# A pattern that the reduced program and both answers contain, the kinds of difference it excuses, and the reason.
KNOWN: list[tuple[str, str, str]] = [
    (r"(tensor\(\[\]|zeros\(0)[\s\S]*(torch\.func|\.diff\()", "value", "whether a result of nothing needs a gradient"),
    (r"(tensor\(\[\]|zeros\(0)[\s\S]*torch\.func", "error", "whether a result of nothing needs a gradient"),
    (r"register_multi_grad_hook", "value", "PyTorch does not count the tensor that backward begins with"),
    (
        r"unfold\([\s\S]*_\(|unfold\([\s\S]* [-+*]= ",
        "value",
        "PyTorch leaves open what a write into shared memory gives",
    ),
    (
        r"torch\.func\.(jac|hess)[\s\S]*is the output of a function that returns multiple views",
        "value|error",
        "PyTorch gives parts of one tensor, which may not be written",
    ),
    (r"unfold\([\s\S]*torch\.func\.(jac|hess)", "value", "PyTorch puts the ones of overlapping parts elsewhere"),
    (r"(\[1:\]|masked_select)[\s\S]*torch\.func\.(jac|hess)", "value", "whether a result of nothing needs a gradient"),
    (
        r"autograd\.grad\([\s\S]*more than one element",
        "error",
        "PyTorch's gradient of a sum may be one number, shown often",
    ),
    (r"autograd\.grad\([\s\S]*(_\(| [-+*]= )", "value", "PyTorch's gradient of a sum may be one number, shown often"),
    (
        r"register_multi_grad_hook",
        "error",
        "PyTorch forgets the hook when the gradient of a leaf by itself is asked for",
    ),
    (r"\.data\b[\s\S]*_\(", "value", "a write through .data is seen by no derivative"),
    (
        r"\.data\b[\s\S]*single memory location",
        "error",
        "the memory of a transpose is told by numpy, and added rightly",
    ),
    (r"[\s\S]*output 0 of Pow", "error", "PyTorch checks a saved power that it does not use"),
    (r"einsum[\s\S]*expected scalar type", "error", "PyTorch does not look at the types of tensors with no elements"),
    (r"cosine_similarity[\s\S]*nan", "value", "its eps is 0 in float16: PyTorch divides 0 by 0"),
    (r"expand\([\s\S]*tri[lu]_\(", "error", "PyTorch writes the triangle of what is shown more than once"),
    (
        r"Lazy\.apply[\s\S]*modified by an inplace",
        "error",
        "PyTorch checks what a node saved to which no gradient comes",
    ),
    (
        r"torch\.func\.(jac|hess)[\s\S]*flatten\(",
        "value",
        "whether the flattened result is a copy: its memory is another",
    ),
    (r"slogdet|torch\.cross\((\w), \1|sign\(", "value", "the sign of what is 0 but for rounding"),
    (r"logsumexp[\s\S]*(var|std)_mean", "value", "the mean beside an infinite variance"),
    (r"clip_grad_value_", "error", "PyTorch raises an internal error where no parameter has a gradient"),
    (r"torch\.func|autograd\.functional", "graph", "minigrad computes what torch.func returns by other operations"),
]


def known(lines: list[str], difference: Difference) -> str | None:
    """Why a difference is no news, or None."""
    program = "\n".join([*lines, str(difference.ours), str(difference.theirs)])
    return next(
        (why for pattern, kind, why in KNOWN if difference.kind in kind.split("|") and re.search(pattern, program)),
        None,
    )
