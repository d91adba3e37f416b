"""Differences that are understood and stand in docs/differences.md: they are counted, and fail nothing.

A pattern excuses whatever else is wrong in a program that it fits. So where PyTorch can be kept from what is known of
it, it is: `INSTEAD` says how, and the difference is known if it is then gone. So it is with `MILDER` and `EDGES`, where
both libraries are given other numbers.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from typing import Any

import torch

import minigrad
from tests.fuzz.programs import TOLERANCE, Difference, differences, given, near, run

# A pattern that the reduced program and both answers contain, the kinds of difference it excuses, and the reason.
KNOWN: list[tuple[str, str, str]] = [
    (
        r"(tensor\(\[\]|zeros\(\(?0)[\s\S]*(torch\.func|\.diff\()",
        "value",
        "whether a result of nothing needs a gradient",
    ),
    (r"(tensor\(\[\]|zeros\(0)[\s\S]*torch\.func", "error", "whether a result of nothing needs a gradient"),
    (
        r"torch\.func\.(jac|hess)[\s\S]*'torch\.\w+', \((\d+, )*0\b",
        "value",
        "whether a result of nothing needs a gradient",
    ),
    (r"tensor\(\[\][\s\S]*create_graph=True", "value", "whether a result of nothing needs a gradient"),
    (r"functional\.jacobian[\s\S]*a non-empty TensorList", "error", "the Jacobian of nothing has no rows"),
    (
        r"tensor\(\[\][\s\S]*\[(k|\[[01], [01]\])[\s\S]*index 1 is out of bounds",
        "error",
        "PyTorch reads and writes no element, wherever it is",
    ),
    (r"inputs=[\s\S]*INTERNAL ASSERT FAILED", "error", "PyTorch fails of itself"),
    (r"multi_grad_hook[\s\S]*Expected gradient function to be set", "error", "PyTorch fails of itself"),
    (r"tensor\(\[\][\s\S]*has been detached in-place", "error", "PyTorch uses no saved tensor without elements"),
    (
        r"detach_\(\)[\s\S]*has been detached in-place.*\nNone$",
        "error",
        "PyTorch refuses what was detached, but not what else shares its memory",
    ),
    (r"tensor\(\[\][\s\S]*modified by an inplace", "error", "PyTorch checks a saved tensor without elements"),
    (
        r"(func|functional)\.(jac|hess)[\s\S]*(returns multiple views|detach views in-place|view size is not)",
        "value|error",
        "PyTorch gives parts of one tensor, which may not be written",
    ),
    (
        r"(\[1:\]|zeros\(\(?0|tensor\(\[\])[\s\S]*torch\.func\.(jac|hess)",
        "value|error",
        "whether a result of nothing needs a gradient",
    ),
    (
        r"\.data\b[\s\S]*single memory location",
        "error",
        "the memory of a transpose is told by numpy, and added rightly",
    ),
    (r"[\s\S]*output 0 of Pow", "error", "PyTorch checks a saved power that it does not use"),
    (
        r"einsum[\s\S]*(expected scalar type|to have the same dtype)",
        "error",
        "PyTorch does not look at the types of tensors with no elements",
    ),
    (r"expand\([\s\S]*tri[lu]_\(", "error", "PyTorch writes the triangle of what is shown more than once"),
    (
        r"(Lazy|Part)\.apply[\s\S]*(modified by an inplace|a second time)",
        "error",
        "PyTorch checks what a node saved to which no gradient comes",
    ),
    (
        r"torch\.func\.(jac|hess)[\s\S]*(flatten\(|reshape\(|contiguous\(|_\()",
        "value|error",
        "whether the flattened result is a copy: its memory is another",
    ),
    (r"Low precision dtypes|Got Half", "error", "linear algebra in float16 is refused"),
    (r"hessian\([\s\S]*'NoneType' object", "error", "whether a result of nothing needs a gradient"),
    (
        r"> 0\][\s\S]*hessian\([\s\S]*does not require grad and does not have a grad_fn.*\nNone$",
        "error",
        "the same, where nothing is left of what was chosen",
    ),
    (r"a batch without samples", "error|type", "vmap is a loop, which needs a sample to see what comes out"),
    (r"zeros\(\(0[\s\S]*(batch_norm|cross_entropy|conv[12]d)\(", "value|error|graph", "what it is of no elements"),
    (r"batch_norm\(a, r\.detach\(\), r, training=True\)", "value", "the running mean is written before r is refused"),
    (r"layer_norm\([\s\S]*\[\w+ [<>]=? 0\]", "value", "numbers all alike are normalised to 0, but for a rounding"),
    (r"LayerNorm[\s\S]*\bnan\b", "value", "layer_norm of numbers as large as 1e20"),
    (r"BatchNorm1d\([^()]*\), nn\.BatchNorm", "value", "what goes back through two of them is 0 but for rounding"),
    (r"clip_grad_value_", "error", "PyTorch raises an internal error where no parameter has a gradient"),
    (
        r"\.(requires_grad|detach)_\(\)[\s\S]*torch\.func",
        "value|error",
        "of a view that was made before its base needed a gradient, or while it still did",
    ),
    (
        r"torch\.func\.\w+\([\s\S]*\.requires_grad_\(\)[\s\S]*, True, True\)\n.*, False, True\)$",
        "value",
        "of a view of what torch.func gave, which may be a view of a sum",
    ),
    (
        r"(expand|broadcast|autograd\.grad)\w*\([\s\S]*more than one element of the written-to",
        "error",
        "refused, as other writes are",
    ),
    (r"linalg\.(inv|solve)[\s\S]*\bnan\b", "value", "how far a nan spreads in an inverse"),
    (
        r"(expand|broadcast)\w*\([\s\S]*T\b[\s\S]*(dropout|randn?_like|normal_|uniform_)\(",
        "value",
        "random numbers in the order of memory that is expanded as well as transposed",
    ),
    (
        r"(torch\.func|\.grad\b|autograd\.functional)[\s\S]*(dropout|randn?_like|normal_|uniform_)\(",
        "value|error",
        "numbers are drawn in the order of memory, in which these lie otherwise",
    ),
    (r"torch\.func|autograd\.functional", "graph", "minigrad computes what torch.func returns by other operations"),
    (r"create_graph=True", "graph", "what is recorded of a backward pass"),
    (r"use_reentrant=True", "graph", "there is one checkpoint, without a node of its own"),
    (r"float16[\s\S]*\.prod\([\s\S]*inf", "value", "products in half precision that overflow midway"),
    (r"einsum\([\s\S]*detach_\([\s\S]*Can't detach views", "error", "the result of einsum may be a view of a product"),
    (r"einsum\([\s\S]*register_hook[\s\S]*_\(", "error", "the result of einsum may be a view of a product"),
    (
        r"torch\.autograd\.functional[\s\S]*function that returns multiple views",
        "error",
        "a view of the input is made, which fails where the input itself would",
    ),
    (
        r"(split|chunk|unbind)\([\s\S]*\.(long|requires_grad_|retain_grad)\(\)"
        r"[\s\S]*that returns multiple views[\s\S]*\nNone$",
        "error",
        "of a part whose base was written PyTorch still gives the whole numbers, and asks for its gradient",
    ),
    (r"einsum\(", "graph", "einsum is computed by other operations"),
    (
        r"(T\)?|swapaxes\(.*|permute\(.*)\n[\s\S]*(ReshapeAlias|UnsafeView)",
        "graph",
        "how what two give lies that lie differently",
    ),
    (r"einsum\(\): subscript \w has size (1 for|\d+ for .* seen size 1')", "error", "einsum repeats no size of 1"),
    (
        r"autograd\.grad\([\s\S]*(flatten|reshape)\([\s\S]*UnsafeViewBackward0",
        "graph",
        "how a gradient lies in memory, which decides whether what is computed from it can be seen flat",
    ),
]


# What PyTorch does of its own accord, where (a pattern of the program), what is written in its place, and the reason.
INSTEAD: list[tuple[str, str, str, str]] = [
    ("", r"use_reentrant=True", "use_reentrant=False", "there is one checkpoint"),
    (
        "",
        r"(torch\.autograd\.grad\(.*\)\[0\])",
        r"\1.clone()",
        "PyTorch's gradient of a sum may be one number, shown often",
    ),
    (
        "",
        r"log\.append\(o\[0\]\)",
        "log.append(o[0].clone())",
        "PyTorch may add the next gradient to one that a hook has kept",
    ),
    (
        "",
        r"(?<!lambda x, )(?<=[\[ ])([km])(?=[,\]])",
        r"\1.clone()",
        "PyTorch keeps an index itself, and refuses when it was written since",
    ),
    (
        r"a leaf Variable that requires grad",
        r"^(v\d+)\.(\w+_\()",
        r"[\1, \1.grad_fn][0].\2",
        "PyTorch looks where a view comes from whose base was written when it is asked",
    ),
    (
        "register_multi_grad_hook",
        r"\b(\w+)(\.backward\()|(?<=torch\.autograd\.grad\()(\w+)(,)",
        r"\1\3.clone()\2\4",
        "PyTorch does not count the tensor that backward begins with",
    ),
]
# The same, where both libraries are given a milder form.
MILDER = [
    (r"e-308\b", "e-30", "a sum of gradients that overflows midway"),
    (r"\.data\b", ".detach().clone()", "whether what a node saved sees a write through .data"),
    (
        r"linalg\.inv\(([^()]+)\)",
        r"linalg.inv((\1) + torch.arange((\1).numel()).reshape((\1).shape).sin())",
        "whether a matrix is singular, but for rounding",
    ),
    (r"nn\.Hardtanh\([^()]*\)(?=.*BatchNorm)", "nn.Tanh()", "the sign of what a batch that is all alike differs by"),
    (r"(BatchNorm.*)nn\.MaxPool2d", r"\1nn.AvgPool2d", "which is the largest of what two samples are made to, 1 or -1"),
    (r"\.(relu\(\w*\)|clamp\([^()]*\))", r".\1.add(0.0)", "the sign of what is left of -0"),
    (r"\.relu_\(\)", ".relu_().add_(0.0)", "the sign of what is left of -0"),
    (r"\.sign(_?)\(\)", r".mul\1(1e4).round\1().sign\1()", "the sign of what is 0 but for rounding"),
]
# With numbers at the edge of what there is these may be off by as much as the largest of their products: a difference
# is known if it is gone with ordinary numbers.
CANCELS = {
    "det|inv|inverse|solve": lambda numbers: True,
    r"\w+_norm": lambda numbers: any(1e20 <= number < math.inf for number in numbers),  # a weight
    "prod": lambda numbers: min(numbers, default=1) < 1e-3,  # what underflows midway
}
# What other functions make of such numbers: the same, if one of the two is inf or nan wherever the two differ, too.
EDGES = [
    ("det|inv|inverse|solve", "value|error", "factorizations of such numbers"),
    (r"\w+_norm", "value", "what cancels is multiplied by a large weight, or overflows midway"),
    (r"std|var|nll_loss|(binary_)?cross_entropy(_with_logits)?|addmm|lerp|gelu", "value", "it overflows midway"),
    (r"mm|bmm|mv|matmul|@|linear|einsum|add|sub|sum|mean", "value", "it overflows midway, in another order"),
    (r"\w*avg_pool2d|conv[12]d", "value", "0 · inf in the parts that a window does not reach"),
    ("prod", "value", "products that overflow or underflow midway, or 0 · inf"),
    (r"pow|\*\*", "value", "numpy takes the root for a power of 0.5"),
]


def known(lines: list[str], difference: Difference) -> str | None:
    """Why a difference is no news, or None."""
    program = "\n".join([*lines, str(difference.ours), str(difference.theirs)])
    for pattern, kind, why in KNOWN:
        if difference.kind in kind.split("|") and re.search(pattern, program):
            return why
    if difference.kind == "graph":
        return None
    if reads_what_it_writes(lines):
        return "what is written is read by the same line"
    if writes_out_of_range(lines):
        return "PyTorch writes until it meets an index out of range"
    for where, pattern, instead, why in INSTEAD:
        kept = [re.sub(pattern, instead, line) for line in lines]
        if kept != lines and re.search(where, program) and agree(lines, kept):
            return why
    for pattern, instead, why in MILDER:
        milder = [re.sub(pattern, instead, line) for line in lines]
        if milder != lines and agree(milder, milder):
            return why
    for names, kinds, why in EDGES:
        named = re.search(rf"(?<!\w)({names})_?[( ]", "\n".join(lines))
        if named and difference.kind in kinds.split("|") and only_at_the_edge(lines, CANCELS.get(names)):
            return why
    return None


def only_at_the_edge(lines: list[str], cancels: Callable[[list[float]], bool] | None) -> bool:
    """Whether nothing differs with ordinary numbers, and at the edge all `cancels`, or it is not finite."""
    mild = itertools.cycle((0.7, 1.3, -0.9, 1.6, -1.2))  # no two neighbours the same

    def ordinary(number: re.Match[str]) -> str:
        return number[0] if 1e-3 <= abs(float(number[1])) <= 100 else str(next(mild))

    milder = [re.sub(r"float\('(.*?)'\)", ordinary, line) for line in lines]
    if milder == lines or not agree(milder, milder):
        return False
    if cancels and cancels([abs(float(number)) for number in re.findall(r"float\('(.*?)'\)", "\n".join(lines))]):
        return True
    allowed = TOLERANCE["float16" if "float16" in "\n".join(lines) else "float32"]
    for one in differences(run(minigrad, lines), run(torch, lines)):
        if one.kind != "value":
            continue
        pairs = [*zip(*(side if isinstance(side, list) else [side] for side in (one.ours, one.theirs)))]
        if not all(isinstance(number, float) for pair in pairs for number in pair):
            return False
        finite = [pair for pair in pairs if all(map(math.isfinite, pair))]
        if finite and not near(*zip(*finite), allowed):
            return False
    return True


def agree(ours: list[str], theirs: list[str]) -> bool:
    """Whether minigrad leaves of one program what PyTorch leaves of another."""
    found = differences(run(minigrad, ours), run(torch, theirs))
    return all(difference.kind in ("graph", "words") for difference in found)


def writes_out_of_range(lines: list[str]) -> bool:
    """Whether a write at indices is refused for one of them."""
    refused = [error[1] for line, error in zip(lines, run(torch, lines).errors) if error and "] = " in line]
    return any("out of bounds" in said for said in refused)


def reads_what_it_writes(lines: list[str]) -> bool:
    """Whether a line writes memory from which it reads at another place: PyTorch calls what comes of it undefined."""
    variables: dict[str, Any] = {"log": [], **given(torch)}

    def tensor(name: str) -> Any:
        found = variables.get(name)
        return found if isinstance(found, torch.Tensor) and found.numel() else None

    for line in lines:
        write = re.match(r"(?:with [^:]*: )?(\w+)(.*?)(?:\.\w+_\(| [-+*]= |\] = )(.*)", line)
        target = tensor(write[1]) if write else None
        for other in map(tensor, re.findall(r"\w+", write[3])) if write and target is not None else ():
            if other is not None and other.untyped_storage().data_ptr() == target.untyped_storage().data_ptr():
                places = {(t.data_ptr(), t.shape, t.stride()) for t in (target, other)}
                if write[2] or len(places) > 1:
                    return True
        try:
            exec(line, variables)
        except Exception:
            continue
    return False
