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
from ..ops.errors import check_dim, cpp_name, refuse_operands, require_kind, shape_error, type_letter
from ..ops.inplace import expand_error
from ..ops.pointwise import contiguous
from ..ops.primitive import unary
from ..table import public
from .arguments import require_tensors, same_dtype
from .reduction import sum as sum_over
from .shape import expand, flatten, permute, reshape, squeeze, t, transpose, unsqueeze, view


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
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta · input + alpha · (mat1 @ mat2)."""
    a, b, kind = mat1._value.shape, mat2._value.shape, mat1._value.dtype
    one_type = mat2._value.dtype is kind and input._value.dtype is kind and kind.kind == "f"
    if not (one_type and len(a) == 2 and len(b) == 2 and a[1] == b[0] and input._value.shape == b[1:]):
        _fit("addmm", mat1, mat2, (2, 2), input)
        if not _expands(input._value.shape, (a[0], b[1])):
            raise expand_error(input._value, (a[0], b[1]))
    if beta != 1 or alpha != 1:
        return linalg.addmm_scaled(input, mat1, mat2, beta, alpha)
    return linalg.addmm(input, mat1, mat2)


def _expands(have: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    return all(n in (1, m) for n, m in zip(reversed(have), reversed(wanted), strict=False))


def _two_vectors(name: str, *vectors: Any) -> None:
    for vec in vectors:
        if vec.ndim != 1:
            raise RuntimeError(f"{name}: expected two vectors, but got a {vec.ndim}-D tensor")


@public(as_method=False, out=False)
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """Σ over some dimensions of both: the last `dims` of a and the first of b, or two lists of dimensions."""
    same_dtype(a, b, "both inputs should have same dtype")
    if isinstance(dims, int):
        if not 0 <= dims <= min(a.ndim, b.ndim):
            raise RuntimeError(f"tensordot expects 0 <= dims <= the dimensions of both, but got dims={dims}")
        dims = (range(-dims, 0), range(dims))
    if len(dims[0]) != len(dims[1]):
        raise RuntimeError("both dimension lists should have same length")
    for d, e in zip(*dims, strict=True):
        if b.shape[e] == 1:  # it is broadcast: what meets it may be summed at once
            a = a.sum(d, keepdim=True)
        elif a.shape[d] == 1:
            b = b.sum(e, keepdim=True)
        elif a.shape[d] != b.shape[e]:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {a.shape[d]} in dim {d} and second has size "
                f"{b.shape[e]} in dim {e}"
            )
    of_a, of_b = ([check_dim(d, x.ndim) for d in ds] for x, ds in zip((a, b), dims, strict=True))
    rest_a, rest_b = ([d for d in range(x.ndim) if d not in ds] for x, ds in ((a, of_a), (b, of_b)))
    summed = math.prod(a.shape[d] for d in of_a)
    left, right = permute(a, (*rest_a, *of_a)), permute(b, (*of_b, *rest_b))
    if not rest_a and not rest_b:
        return reshape(dot(flatten(left), flatten(right)), ())
    rows, columns = (math.prod(x.shape[d] for d in rest) for x, rest in ((a, rest_a), (b, rest_b)))
    product = mm(reshape(left, (rows, summed)), reshape(right, (summed, columns)))
    return reshape(product, (*(a.shape[d] for d in rest_a), *(b.shape[d] for d in rest_b)))


@public
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """input × other of vectors with three elements: along `dim`, or the first dimension of that size."""
    dims = range(input.ndim) if dim is None else [check_dim(dim, input.ndim)]
    dim = next((d for d in dims if input.shape[d] == 3), None)
    if dim is None or input.ndim != other.ndim or other.shape[dim] != 3:
        raise RuntimeError(f"cross: {list(input.shape)} and {list(other.shape)} must have 3 elements along {dim}")
    same_dtype(input, other, "expected scalar type {} but found {}")
    return linalg.cross(input, other, dim)


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
    _two_vectors("outer", input, vec2)
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
# `einsum`: the operands are brought to one order of indices (those of the result first), then multiplied two at a time.
# An index that no other operand needs is summed at once, by a product of batches of matrices


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
