"""Products of vectors and matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autograd.node import requires_grad
from ..autograd.variable import TensorBase as Tensor
from ..hints import hinted, not_operand, type_name
from ..memory import arange
from ..ops import linalg, pointwise, shape
from ..ops.errors import common_shape, cpp_name, require_kind, type_letter
from ..ops.pointwise import contiguous
from ..ops.primitive import unary
from ..table import public
from .arguments import given_tensors, same_dtype
from .reduction import sum as sum_over
from .shape import expand, reshape, squeeze, t, transpose, unsqueeze


def _fit(name: str, first: Any, second: Any, ranks: tuple[int, int], *others: Any) -> None:
    """Raise PyTorch's error unless two operands have so many dimensions, sizes that meet, and one type."""
    a, b = first._value.shape, second._value.shape
    if (len(a), len(b)) != ranks:
        wrong, number = ("self", 1) if len(a) != ranks[0] else ("mat2", 2)
        raise hinted(RuntimeError(_RANKS[ranks].format(wrong=wrong, number=number, a=len(a), b=len(b))))
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
            said = f"size mismatch, got input ({a[0]}), mat ({a[0]}x{a[-1]}), vec ({b[0]})"
        else:
            said = f"mat1 and mat2 shapes cannot be multiplied ({a[0]}x{a[1]} and {b[0]}x{b[1]})"
        raise hinted(RuntimeError(said), a=a, b=b)
    for other in others:
        same_dtype(other, second, "self and mat2 must have the same dtype, but got {} and {}")
    if others:
        same_dtype(first, second, "mat1 and mat2 must have the same dtype, but got {} and {}")
    same_dtype(first, second, *_TYPES[ranks])
    require_kind(first._value, "fiu", name)


#: What PyTorch says where two operands have other numbers of dimensions.
_RANKS = {
    (1, 1): "1D tensors expected, but got {a}D and {b}D tensors",
    (2, 1): "vector + matrix @ vector expected, got 1, {a}, {b}",
    (2, 2): "{wrong} must be a matrix",
    (3, 3): "batch{number} must be a 3D tensor",
}
#: And where they have other types.
_TYPES: dict[tuple[int, int], tuple[Any, ...]] = {
    (1, 1): ("dot : expected both vectors to have same dtype, but found {} and {}",),
    (2, 1): ("addmv input tensors must have the same dtype, but got {1}, {0}, and {1}",),
    (2, 2): ("expected m1 and m2 to have the same dtype, but got: {} != {}", cpp_name),
    (3, 3): ("expected scalar type {} but found {}",),
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
    same_dtype(input, tensor, *_TYPES[1, 1])
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
    a, b, c = mat1._value, mat2._value, input._value
    fits = a.ndim == b.ndim == 2 and a.shape[1] == b.shape[0] and c.shape == b.shape[1:]
    one_type = a.dtype is b.dtype and a.dtype is c.dtype and a.dtype.kind == "f"
    if not (fits and one_type):
        _fit("addmm", mat1, mat2, (2, 2), input)
        expand(input, (a.shape[0], b.shape[1]))  # raises PyTorch's error if it cannot be
    return linalg.addmm(input, mat1, mat2)


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
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.ndim}")
    return _trace(input)


@public
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """The matrix of all products aᵢ bⱼ."""
    for name, vector in (("self", input), ("vec2", vec2)):
        if vector.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {vector.ndim}-D")
    return pointwise.mul(reshape(input, (-1, 1)), vec2)


@public
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """The product of vectors, matrices, or batches of matrices, by numpy's rules of `@`."""
    return matmul_operator(input, other)


def matmul_operator(input: Any, other: Any) -> Any:
    """`matmul` as the operator `@`, which leaves it to Python to refuse what is not a tensor."""
    if not (isinstance(input, Tensor) and isinstance(other, Tensor)):
        return not_operand(other)
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
    batch = common_shape(input._value.shape[:-2], other._value.shape[:-2])
    of_rows = input._value.shape[-2:] if a > 1 else (1, *input._value.shape)
    columns = other if b > 1 else unsqueeze(other, 1)
    first = _batch(input, batch, of_rows)
    second = _batch(columns, batch, columns._value.shape[-2:])
    product = bmm(first, second)
    size = list(batch)
    if a > 1:
        size.append(input._value.shape[-2])
    if b > 1:
        size.append(other._value.shape[-1])
    return shape.unsafe_view(product if b > 1 else squeeze(product, -1), tuple(size))


def _batch(matrices: Any, batch: tuple[int, ...], of_each: tuple[int, ...]) -> Any:
    """Matrices of one size, repeated to the sizes `batch` and numbered along one dimension."""
    return reshape(expand(matrices, (*batch, *of_each)), (math.prod(batch), *of_each))


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
    if other.ndim > input.ndim:  # A B is (Bᵀ Aᵀ)ᵀ
        one = t(input) if input.ndim == 2 else input
        product = _folded(transpose(other, -1, -2), one)
        return contiguous(transpose(product, -1, -2)) if input.ndim == 2 else product
    *batch, columns = input._value.shape
    tall = reshape(input, (math.prod(batch), columns))
    product = mm(tall, other) if other.ndim == 2 else mv(tall, other)
    return shape.unsafe_view(product, (*batch, *other._value.shape[1:]))


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
        said = f"{function}: Expected a floating point or complex tensor as input. Got {type_letter(A._value)}"
        raise hinted(RuntimeError(said))


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
# `einsum`: operands are multiplied two at a time, as batches of matrices. Each dimension has its letter for a name


@public(as_method=False, out=False)
def einsum(equation: Any, *operands: Tensor | Sequence[Tensor]) -> Tensor:
    """Sums of products: `einsum("bij,bjk->bik", x, y)`.

    Without "->" the result has the indices that occur once, in alphabetical order.
    """
    if not isinstance(equation, str):
        raise TypeError(f"einsum(): argument 'equation' (position 1) must be str, not {type_name(equation)}")
    tensors = given_tensors(operands)
    inputs, arrow, output = equation.replace(" ", "").partition("->")
    labels = inputs.split(",")
    if not arrow:
        output = "".join(letter for letter in sorted(inputs) if letter.isalpha() and inputs.count(letter) == 1)
    _check_subscripts(tensors, labels, output)
    result, names = tensors[0], labels[0]
    for number in range(1, len(tensors)):
        later = "".join(labels[number + 1 :])
        result, names = _product(result, names, tensors[number], labels[number], output + later)
    in_order = "".join(sorted(names, key=(output + names).index))
    if names != in_order or result is tensors[0]:
        result = shape.permute(result, tuple(map(names.index, in_order)))
    return _summed(result, in_order, output)[0]


def _check_subscripts(tensors: Sequence[Any], labels: list[str], output: str) -> None:
    """Raise PyTorch's RuntimeError unless each dimension has one letter, and each letter one size."""
    if len(labels) != len(tensors):
        more = "more" if len(tensors) > len(labels) else "fewer"
        raise RuntimeError(f"einsum(): {more} operands were provided than specified in the equation")
    sizes: dict[str, int] = {}
    for number, (x, letters) in enumerate(zip(tensors, labels, strict=True)):
        if letters and not (letters.isalpha() and letters.isascii() and len({*letters}) == len(letters)):
            raise RuntimeError(f"einsum(): invalid subscripts {letters!r}: they are letters [a-zA-Z], each once")
        if len(letters) != x.ndim:
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({len(letters)}) does not match the number of "
                f"dimensions ({x.ndim}) for operand {number} and no ellipsis was given"
            )
        for letter, size in zip(letters, x.shape, strict=True):
            if sizes.setdefault(letter, size) != size:
                raise RuntimeError(
                    f"einsum(): subscript {letter} has size {size} for operand {number} which does not broadcast with "
                    f"previously seen size {sizes[letter]}"
                )
    for letter in output:
        if output.count(letter) > 1:
            raise RuntimeError(f"einsum(): output subscript {letter} appears more than once in the output")
        if letter not in sizes:
            raise RuntimeError(
                f"einsum(): output subscript {letter} does not appear in the equation for any input operand"
            )


def _summed(x: Any, names: str, kept: str) -> tuple[Any, str]:
    """An operand summed over the dimensions that are not `kept`."""
    dims = [d for d, name in enumerate(names) if name not in kept]
    if not dims:
        return x, names
    return sum_over(x, dims), "".join(name for name in names if name in kept)


def _product(left: Any, of_left: str, right: Any, of_right: str, wanted: str) -> tuple[Any, str]:
    """Two operands multiplied as batches of matrices, and summed over what is not `wanted` any more."""
    left, of_left = _summed(left, of_left, of_right + wanted)
    right, of_right = _summed(right, of_right, of_left + wanted)
    letters = dict.fromkeys(wanted)
    batch = "".join(name for name in letters if name in of_left and name in of_right)
    summed = "".join(name for name in of_left if name in of_right and name not in wanted)
    rows = "".join(name for name in letters if name in of_left and name not in of_right)
    columns = "".join(name for name in letters if name in of_right and name not in of_left)
    if columns and wanted.find(rows[:1]) > wanted.find(columns[-1]):  # so it lies in order
        return _product(right, of_right, left, of_left, wanted)
    first = _matrices(left, of_left, batch, rows, summed)
    second = _matrices(right, of_right, batch, summed, columns)
    sizes = {**dict(zip(of_left, left.shape)), **dict(zip(of_right, right.shape))}
    names = batch + rows + columns
    return reshape(bmm(first, second), [sizes[name] for name in names]), names


def _matrices(x: Any, names: str, *groups: str) -> Any:
    """A tensor with three dimensions, of which each stands for a group of its own."""
    sizes = dict(zip(names, x.shape))
    in_order = shape.permute(x, tuple(map(names.index, "".join(groups))))
    return reshape(in_order, [math.prod(sizes[name] for name in group) for group in groups])
