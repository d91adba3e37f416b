"""Products of vectors and matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autograd.node import requires_grad
from ..autograd.variable import TensorBase as Tensor
from ..hints import type_name, with_hint
from ..memory import arange
from ..ops import linalg, pointwise, shape
from ..ops.errors import cpp_name, refuse_operands, require_kind, shape_error, type_letter
from ..ops.inplace import expand_error
from ..ops.pointwise import contiguous
from ..ops.primitive import unary
from ..table import public
from .arguments import require_tensors, same_dtype
from .reduction import sum as sum_over
from .shape import expand, reshape, squeeze, t, transpose, unsqueeze


def _fit(name: str, first: Any, second: Any, ranks: tuple[int, int], *others: Any) -> None:
    """Raise PyTorch's error unless two operands have so many dimensions, sizes that meet, and one type."""
    a, b = first._value.shape, second._value.shape
    if (len(a), len(b)) != ranks:
        wrong = "self" if len(a) != ranks[0] else "mat2"
        raise RuntimeError(_RANKS[ranks].format(wrong=wrong, a=len(a), b=len(b)))
    if len(a) == 3 and (a[0] != b[0] or a[2] != b[1]):
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{a[0]}, {a[2]}] but got: "
            f"[{b[0]}, {b[1]}]."
        )
    if a[-1] != b[-2:][0]:
        if ranks == (1, 1):
            raise RuntimeError(
                f"inconsistent tensor size, expected tensor [{a[0]}] and src [{b[0]}] to have the same number of "
                f"elements, but got {a[0]} and {b[0]} elements respectively"
            )
        if ranks == (2, 1):
            raise RuntimeError(f"size mismatch, got input ({a[0]}), mat ({a[0]}x{a[-1]}), vec ({b[0]})")
        raise with_hint(
            RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({a[0]}x{a[1]} and {b[0]}x{b[1]})"),
            f"The columns of the first ({a[1]}) must be as many as the rows of the second ({b[0]}); perhaps one "
            "needs .t().",
            f"第一个矩阵的列数（{a[1]}）必须等于第二个矩阵的行数（{b[0]}）；也许其中一个需要 .t() 转置。",
        )
    for other in others:
        same_dtype(other, second, "self and mat2 must have the same dtype, but got {} and {}")
    if others:
        same_dtype(first, second, "mat1 and mat2 must have the same dtype, but got {} and {}")
    same_dtype(first, second, "expected m1 and m2 to have the same dtype, but got: {} != {}", cpp_name)
    require_kind(first._value, "fiu", name)


#: What PyTorch says where two operands have other numbers of dimensions.
_RANKS = {
    (1, 1): "1D tensors expected, but got {a}D and {b}D tensors",
    (2, 1): "vector + matrix @ vector expected, got 1, {a}, {b}",
    (2, 2): "{wrong} must be a matrix",
    (3, 3): "batch1 and batch2 must be 3D tensors",
}


@public
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The matrix product of two matrices."""
    a, b = input._value, mat2._value
    if not (a.ndim == b.ndim == 2 and a.shape[1] == b.shape[0] and a.dtype is b.dtype and a.dtype.kind == "f"):
        _fit("mm", input, mat2, (2, 2))
    return linalg.mm(input, mat2)


@public
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """The product of a matrix and a vector."""
    _fit("mv", input, vec, (2, 1))
    return linalg.mv(input, vec)


@public
def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """Σ aᵢ bᵢ of two vectors."""
    _fit("dot", input, tensor, (1, 1))
    return linalg.dot(input, tensor)


@public
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The products of two batches of matrices."""
    _fit("bmm", input, mat2, (3, 3))
    return linalg.bmm(input, mat2)


@public(inplace=True)
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor) -> Tensor:
    """input + mat1 @ mat2."""
    a, b, kind = mat1._value.shape, mat2._value.shape, mat1._value.dtype
    one_type = mat2._value.dtype is kind and input._value.dtype is kind and kind.kind == "f"
    if not (one_type and len(a) == 2 and len(b) == 2 and a[1] == b[0] and input._value.shape == b[1:]):
        _fit("addmm", mat1, mat2, (2, 2), input)
        if not _expands(input._value.shape, (a[0], b[1])):
            raise expand_error(input._value, (a[0], b[1]))
    return linalg.addmm(input, mat1, mat2)


def _expands(have: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    return all(n in (1, m) for n, m in zip(reversed(have), reversed(wanted), strict=False))


def _on_diagonal(grad, self_sym_sizes):
    places = arange(min(self_sym_sizes), grad)
    return shape.put(np.broadcast_to(grad, places.shape), self_sym_sizes, (places, places))


_trace = unary("TraceBackward0", self=_on_diagonal)(
    lambda self: self.trace(dtype=None if self.dtype.kind == "f" else np.int64),
    "c = Σ aᵢᵢ      ∂L/∂A = g on the diagonal, 0 elsewhere",
)


@public
def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal."""
    require_kind(input._value, "fiu", "trace")
    if input.ndim != 2:
        raise RuntimeError("trace: expected a matrix")
    return _trace(input)


@public
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """The matrix of all products aᵢ bⱼ."""
    if input.ndim != 1 or vec2.ndim != 1:
        raise RuntimeError(f"outer: expected two vectors, but got {input.ndim}-D and {vec2.ndim}-D tensors")
    return pointwise.mul(reshape(input, (-1, 1)), vec2)


@public
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """The product of vectors, matrices, or batches of matrices, by numpy's rules of `@`."""
    product = matmul_operator(input, other)
    return refuse_operands(matmul, input, other) if product is NotImplemented else product


def matmul_operator(input: Any, other: Any) -> Any:
    """`matmul` as the operator `@`, which leaves it to Python to refuse what is not a tensor."""
    if not (isinstance(input, Tensor) and isinstance(other, Tensor)):
        return NotImplemented
    a, b = len(input._value.shape), len(other._value.shape)
    if a == 0 or b == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a}D and {b}D")
    if a == 1 and b == 1:
        return dot(input, other)
    if a == 2 and b == 2:
        return mm(input, other)
    if a == 2 and b == 1:
        return mv(input, other)
    if a == 1 and b == 2:
        return mm(unsqueeze(input, 0), other).squeeze_(0)
    if _folds(input, other):
        return _folded(input, other)
    if a == b == 3 and input._value.shape[0] != other._value.shape[0]:  # one matrix for all of the other's
        if input._value.shape[0] == 1 and requires_grad(input):
            return matmul(squeeze(input, 0), other)
        if other._value.shape[0] == 1 and requires_grad(other):
            return matmul(input, squeeze(other, 0))
    try:
        batch = np.broadcast_shapes(input._value.shape[:-2], other._value.shape[:-2])
    except ValueError:
        raise shape_error(*(m._value[..., 0, 0] for m in (input, other))) from None
    rows = input._value.shape[-2:] if a > 1 else (1, *input._value.shape)
    columns = other._value.shape[-2:] if b > 1 else (*other._value.shape, 1)
    first = reshape(expand(input, (*batch, *rows)), (math.prod(batch), *rows))
    second = reshape(expand(other if b > 1 else unsqueeze(other, 1), (*batch, *columns)), (math.prod(batch), *columns))
    product = bmm(first, second)
    size = (*batch, *rows[:-1] * (a > 1), *columns[1:] * (b > 1))
    return shape.unsafe_view(product if b > 1 else squeeze(product, -1), size)


def _folds(input: Any, other: Any) -> bool:
    """Whether a batch of matrices times one matrix or vector is computed as one tall matrix times it, as in PyTorch.

    It is where that needs no copy, or where the gradient would otherwise be found for each of the batch, then summed.
    """
    a, b = input.ndim, other.ndim
    many, one = (input, other) if a >= b else (other, input)
    if many.ndim < 3 or one.ndim > 2:
        return False
    if requires_grad(one):
        return True
    array = many._value if a >= b else many._value.swapaxes(-1, -2)
    return a != 2 and (
        array.size == 0
        or all(array.strides[d] == array.strides[d + 1] * array.shape[d + 1] for d in range(array.ndim - 2))
    )


def _folded(input: Any, other: Any) -> Any:
    turned = other.ndim > input.ndim  # A B is (Bᵀ Aᵀ)ᵀ
    many = transpose(other, -1, -2) if turned else input
    one = (t(input) if input.ndim == 2 else input) if turned else other
    size = (*many._value.shape[:-1], *one._value.shape[1:])
    tall = reshape(many, (math.prod(many._value.shape[:-1]), many._value.shape[-1]))
    product = shape.unsafe_view(mm(tall, one) if one.ndim == 2 else mv(tall, one), size)
    return contiguous(transpose(product, -1, -2)) if turned and one.ndim == 2 else product


# ---------------------------------------------------------------------------------------------------------------------
# Square matrices, or batches of them


def _check_square(function: str, A: Any) -> None:
    size, kind = A._value.shape, A._value.dtype
    if len(size) < 2:
        raise RuntimeError(f"{function}: The input tensor A must have at least 2 dimensions.")
    if size[-1] != size[-2]:
        by = f"{size[-2]} by {size[-1]}"
        raise RuntimeError(f"{function}: A must be batches of square matrices, but they are {by} matrices")
    if kind.kind != "f" or kind.itemsize < 4:
        letter = type_letter(A._value)
        raise RuntimeError(f"{function}: Expected a floating point or complex tensor as input. Got {letter}")


@public(name="inverse")
def inv(A: Tensor) -> Tensor:
    """The inverse of a square matrix, or of each of a batch."""
    _check_square("linalg.inv", A)
    return linalg.inv(A)


def solve(A: Tensor, B: Tensor) -> Tensor:
    """The X for which A X = B; B is a matrix or a vector."""
    _check_square("linalg.solve", A)
    same_dtype(A, B, "linalg.solve: Expected A and B to have the same dtype, but found {} and {}")
    vector = B.ndim == 1 or (B.ndim == A.ndim - 1 and B.shape == A.shape[:-1])
    rows, columns = (B.shape[-1], 1) if vector else B.shape[-2:]
    if rows != A.shape[-1]:
        n = A.shape[-1]
        raise RuntimeError(f"linalg.solve: Incompatible shapes of A and B ({n}x{n} and {rows}x{columns})")
    return linalg.solve(A, B, vector)


@public(out=False)
def det(A: Tensor) -> Tensor:
    """The determinant of a square matrix, or of each of a batch."""
    _check_square("linalg.det", A)
    return linalg.det(A)


# ---------------------------------------------------------------------------------------------------------------------
# `einsum`: operands are multiplied two at a time, as batches of matrices. Each dimension of each has its letter for a
# name; those that `...` stands for are numbered

_UNNAMED = "0123456789"


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
    inputs, arrow, output = equation.replace(" ", "").partition("->")
    labels = inputs.split(",")
    if len(labels) != len(operands):
        more = "more" if len(operands) > len(labels) else "fewer"
        raise RuntimeError(f"einsum(): {more} operands were provided than specified in the equation")
    factors = [_with_names(x, letters, number) for number, (x, letters) in enumerate(zip(operands, labels))]
    if not arrow:
        output = "..." + "".join(letter for letter in sorted(inputs) if letter.isalpha() and inputs.count(letter) == 1)
    unnamed = max(sum(name in _UNNAMED for name in names) for _, names in factors)
    output = output.replace("...", _UNNAMED[:unnamed][::-1])
    for letter in output:
        if output.count(letter) > 1:
            raise RuntimeError(f"einsum(): output subscript {letter} appears more than once in the output")
        if all(letter not in names for _, names in factors):
            raise RuntimeError(f"einsum(): output subscript {letter} is in no operand of the equation")
    result, names = factors[0]
    for number, factor in enumerate(factors[1:], start=2):
        result, names = _product(result, names, *factor, output + "".join(names for _, names in factors[number:]))
    result, names = _summed(result, names, output)
    return result if len(factors) > 1 and names == output else shape.permute(result, tuple(map(names.index, output)))


def _with_names(x: Any, letters: str, number: int) -> tuple[Any, str]:
    """An operand, and the names of its dimensions. Of an index that is repeated only the diagonal counts."""
    unnamed = x.ndim - len(letters.replace("...", ""))
    if unnamed < 0 or (unnamed and "..." not in letters):
        raise RuntimeError(f"einsum(): operand {number} has {x.ndim} dimensions, but the subscripts are {letters!r}")
    if not letters.replace("...", "a", 1).isalpha() or not letters.isascii():
        raise RuntimeError(f"einsum(): invalid subscripts {letters!r}: they are letters, [a-zA-Z]")
    names = letters.replace("...", _UNNAMED[:unnamed][::-1])
    for name in names:
        if names.count(name) > 1:
            first, second = names.index(name), names.rindex(name)
            x = shape.diagonal(x, 0, first, second)
            names = names[:first] + names[first + 1 : second] + names[second + 1 :] + name
    return x, names


def _summed(x: Any, names: str, kept: str) -> tuple[Any, str]:
    """An operand summed over the dimensions that are not `kept`."""
    dims = [d for d, name in enumerate(names) if name not in kept]
    return (sum_over(x, dims), "".join(name for name in names if name in kept)) if dims else (x, names)


def _product(left: Any, of_left: str, right: Any, of_right: str, wanted: str) -> tuple[Any, str]:
    """Two operands multiplied, and summed over what is not `wanted` any more."""
    for name in {*of_left} & {*of_right}:
        n, m = left.shape[of_left.index(name)], right.shape[of_right.index(name)]
        if n != m and 1 not in (n, m):
            raise RuntimeError(f"einsum(): subscript {name} has size {m} in one operand, before {n}")
        if n != m:  # one of them is broadcast: it need not have this dimension
            left, of_left = _summed(left, of_left, of_left.replace(name, "") if n == 1 else of_left)
            right, of_right = _summed(right, of_right, of_right.replace(name, "") if m == 1 else of_right)
    left, of_left = _summed(left, of_left, of_right + wanted)
    right, of_right = _summed(right, of_right, of_left + wanted)
    both = [name for name in of_left if name in of_right]
    batch, summed = ("".join(name for name in both if (name in wanted) is kept) for kept in (True, False))
    rows, columns = ("".join(name for name in names if name not in both) for names in (of_left, of_right))
    sizes = {**dict(zip(of_left, left.shape)), **dict(zip(of_right, right.shape))}

    def matrices(x: Any, names: str, *groups: str) -> Any:
        in_order = shape.permute(x, tuple(map(names.index, "".join(groups))))
        return reshape(in_order, [math.prod(sizes[name] for name in group) for group in groups])

    product = bmm(matrices(left, of_left, batch, rows, summed), matrices(right, of_right, batch, summed, columns))
    names = batch + rows + columns
    return reshape(product, [sizes[name] for name in names]), names
