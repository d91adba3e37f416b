"""`einsum`: sums of products, written with an index for each dimension, as "ij,jk->ik" for a matrix product.

The operands are brought to one order of indices (those of the result first), then multiplied two at a time. An index
that no other operand needs is summed at once, by a product of batches of matrices.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..autograd.variable import TensorBase as Tensor
from ..hints import type_name
from ..ops import shape
from ..table import public
from .arguments import require_tensors
from .products import bmm
from .reduction import sum as sum_over
from .shape import reshape, view


@public(as_method=False, out=False)
def einsum(equation: Any, *operands: Tensor | Sequence[Tensor]) -> Tensor:
    """Sums of products: `einsum("bij,bjk->bik", x, y)`. `...` stands for any leading dimensions.

    Without "->" the result has the indices that occur once, in alphabetical order.
    """
    if not isinstance(equation, str):
        raise TypeError(f"einsum(): argument 'equation' (position 1) must be str, not {type_name(equation)}")
    operands = require_tensors(
        operands[0] if len(operands) == 1 and isinstance(operands[0], tuple | list) else operands
    )
    inputs, arrow, output = equation.replace(" ", "").replace("...", "…").partition("->")
    labels = inputs.split(",")
    if len(labels) != len(operands):
        more = "more" if len(operands) > len(labels) else "fewer"
        raise RuntimeError(f"einsum(): {more} operands were provided than specified in the equation")
    _check(labels, operands)
    counts = {label: inputs.count(label) for label in sorted(set("".join(labels)) - {"…"})}
    if not arrow:
        output = ("…" if "…" in inputs else "") + "".join(label for label in counts if counts[label] == 1)
    for label in output:
        if output.count(label) > 1:
            raise RuntimeError(f"einsum(): output subscript {label} appears more than once in the output")
        if label not in inputs:
            raise RuntimeError(f"einsum(): output subscript {label} is in no operand of the equation")
    # Every index has its place: those of the result, then those to be summed. … may be several dimensions.
    pairs = list(zip(labels, operands, strict=True))
    covered = [len(operand.shape) - len(letters) + 1 for letters, operand in pairs if "…" in letters]
    ellipsis = [f"…{i}" for i in range(max(covered, default=0))]
    order = [name for label in output for name in (ellipsis if label == "…" else [label])]
    kept = len(order)
    order += [label for label in counts if label not in output]
    if "…" not in output:
        order += ellipsis
    aligned = [_align(operand, letters, ellipsis, order) for letters, operand in pairs]
    return _contract(aligned, kept)


def _check(labels: list[str], operands: tuple[Any, ...]) -> None:
    """Raise PyTorch's error for letters that are none, too many or too few, or name sizes that do not broadcast."""
    seen: dict[str, int] = {}
    for number, (letters, operand) in enumerate(zip(labels, operands, strict=True)):
        names = letters.replace("…", "")
        if any(not (letter.isascii() and letter.isalpha()) for letter in names):
            raise RuntimeError(f"einsum(): invalid subscripts {letters!r}: they are letters, [a-zA-Z]")
        if len(names) > operand.ndim or (names == letters and len(names) < operand.ndim):
            raise RuntimeError(f"einsum(): operand {number} has {operand.ndim} dimensions, but {len(names)} subscripts")
        for letter, size in zip(letters, operand.shape) if names == letters else ():
            before = seen.get(letter, 1)
            if before != 1 and size not in (1, before):
                raise RuntimeError(f"einsum(): subscript {letter} has size {size} in operand {number}, before {before}")
            seen[letter] = max(before, size)


def _align(operand: Any, letters: str, ellipsis: list[str], order: list[str]) -> Any:
    """`operand` with a dimension for each name in `order`, of size 1 for those that it does not have."""
    place: dict[str, int] = {}
    position = 0
    dims = len(operand.shape) - len(letters) + 1
    for letter in letters:
        if letter == "…":
            for _ in range(len(ellipsis) - dims):
                operand = shape.unsqueeze(operand, position)
            place.update({name: position + i for i, name in enumerate(ellipsis)})
            position += len(ellipsis)
        elif letter in place:  # a repeated index: only the diagonal counts
            operand = shape.diagonal(operand, 0, place[letter], position)
            dims = [*range(len(operand.shape) - 1)]
            operand = shape.permute(operand, (*dims[: place[letter]], len(dims), *dims[place[letter] :]))
        else:
            place[letter] = position
            position += 1
    for name in order:
        if name not in place:
            operand = shape.unsqueeze(operand, position)
            place[name] = position
            position += 1
    return shape.permute(operand, tuple(place[name] for name in order))


def _contract(operands: list[Any], kept: int) -> Any:
    """The sum over all dimensions from `kept` on of the product of aligned operands."""
    total = len(operands[0].shape)
    users = {d: sum(op.shape[d] != 1 for op in operands) for d in range(kept, total)}
    several = len(operands) > 1
    while len(operands) > 1:
        left, right, *rest = operands
        both, left_only, right_only = [], [], []
        for d in range(kept, total):
            if left.shape[d] != 1 and right.shape[d] != 1:
                users[d] -= 1
                if users[d] == 1:
                    both.append(d)
                    users[d] = 0
            elif users[d] == 1 and (left.shape[d] != 1 or right.shape[d] != 1):
                (left_only if left.shape[d] != 1 else right_only).append(d)
                users[d] = 0
        if left_only:
            left = sum_over(left, left_only, True)
        if right_only:
            right = sum_over(right, right_only, True)
        operands = [_multiply_and_sum(left, right, both) if both else left * right, *rest]
    (result,) = operands
    if total == kept:
        return result
    if several:
        return view(result, tuple(result.shape[:kept]))
    return sum_over(result, tuple(range(kept, total)))


def _multiply_and_sum(left: Any, right: Any, summed: list[int]) -> Any:
    """left · right summed over some dimensions, which remain with size 1: a product of batches of matrices."""
    rest = [d for d in range(len(left.shape)) if d not in summed]
    batch = [d for d in rest if left.shape[d] != 1 and right.shape[d] != 1]
    rows = [d for d in rest if left.shape[d] != 1 and right.shape[d] == 1]
    columns = [d for d in rest if left.shape[d] == 1]
    if rows and columns and columns[-1] < rows[0]:  # the other way round the product needs no transposing
        left, right, rows, columns = right, left, columns, rows

    def size(operand: Any, dims: list[int]) -> int:
        return math.prod(operand.shape[d] for d in dims)

    a = shape.permute(left, (*batch, *rows, *summed, *columns))
    b = shape.permute(right, (*batch, *summed, *columns, *rows))
    a = reshape(a, (size(left, batch), size(left, rows), size(left, summed)))
    b = reshape(b, (size(left, batch), size(right, summed), size(right, columns)))
    names = [*batch, *rows, *summed, *columns]
    sizes = [1 if d in summed else (right if d in columns else left).shape[d] for d in names]
    product = view(bmm(a, b), tuple(sizes))
    return shape.permute(product, tuple(map(names.index, range(len(names)))))
