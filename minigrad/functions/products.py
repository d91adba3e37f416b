"""Products of vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..hints import with_hint
from ..ops import linalg, pointwise, shape
from ..ops.errors import require_kind, type_letter
from .arguments import require_tensor, same_dtype
from .shape import expand, reshape, squeeze, unsqueeze

__all__ = [
    "addmm", "bmm", "dot", "ger", "matmul", "mm", "mv", "outer", "trace",
]  # fmt: skip


def mm(input: Any, mat2: Any) -> Any:
    """The matrix product of two matrices."""
    require_tensor("mm", "input", 1, input)
    require_tensor("mm", "mat2", 2, mat2)
    a, b = input._value.shape, mat2._value.shape
    if len(a) != 2:
        raise RuntimeError("self must be a matrix")
    if len(b) != 2:
        raise RuntimeError("mat2 must be a matrix")
    _check_matrices(a, b)
    if input._value.dtype is not mat2._value.dtype:
        same_dtype(input, mat2, "expected m1 and m2 to have the same dtype, but got: {} != {}")
    if input._value.dtype.kind != "f":
        require_kind(input._value, "fiu", "addmm_impl_cpu_")
    return linalg.mm(input, mat2)


def _check_matrices(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    if a[1] != b[0]:
        raise with_hint(
            RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({a[0]}x{a[1]} and {b[0]}x{b[1]})"),
            f"The columns of the first ({a[1]}) must be as many as the rows of the second ({b[0]}); perhaps one "
            "needs .t().",
            f"第一个矩阵的列数（{a[1]}）必须等于第二个矩阵的行数（{b[0]}）；也许其中一个需要 .t() 转置。",
        )


def mv(input: Any, vec: Any) -> Any:
    """The product of a matrix and a vector."""
    a, b = input._value.shape, vec._value.shape
    if len(a) != 2 or len(b) != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {len(a)}, {len(b)}")
    if a[1] != b[0]:
        raise RuntimeError(f"size mismatch, got input ({a[0]}), mat ({a[0]}x{a[1]}), vec ({b[0]})")
    same_dtype(input, vec, "expected scalar type {} but found {}")
    require_kind(input._value, "fiu", "addmv_impl_cpu")
    return linalg.mv(input, vec)


def dot(input: Any, tensor: Any) -> Any:
    """Σ aᵢ bᵢ of two vectors."""
    a, b = input._value.shape, tensor._value.shape
    if len(a) != 1 or len(b) != 1:
        raise RuntimeError(f"1D tensors expected, but got {len(a)}D and {len(b)}D tensors")
    if a != b:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{a[0]}] and src [{b[0]}] to have the same number of "
            f"elements, but got {a[0]} and {b[0]} elements respectively"
        )
    same_dtype(input, tensor, "dot : expected both vectors to have same dtype, but found {} and {}")
    require_kind(input._value, "fiu", "dot")
    return linalg.dot(input, tensor)


def bmm(input: Any, mat2: Any) -> Any:
    """The products of two batches of matrices."""
    if len(input._value.shape) != 3 or len(mat2._value.shape) != 3:
        raise RuntimeError(
            "batch1 must be a 3D tensor" if len(input._value.shape) != 3 else "batch2 must be a 3D tensor"
        )
    require_kind(input._value, "fiu", "bmm")
    return linalg.bmm(input, mat2)


def addmm(input: Any, mat1: Any, mat2: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    """beta · input + alpha · (mat1 @ mat2)."""
    if beta != 1 or alpha != 1:
        return beta * input + alpha * mm(mat1, mat2)
    _check_matrices(mat1._value.shape, mat2._value.shape)
    same_dtype(input, mat2, "self and mat2 must have the same dtype, but got {} and {}", type_letter)
    require_kind(mat1._value, "fiu", "addmm_impl_cpu_")
    return linalg.addmm(input, mat1, mat2)


def trace(input: Any) -> Any:
    """The sum of the diagonal."""
    if len(input._value.shape) != 2:
        raise RuntimeError("trace: expected a matrix")
    require_kind(input._value, "fiu", "trace")
    return linalg.trace(input)


def outer(input: Any, vec2: Any) -> Any:
    """The matrix of all products aᵢ bⱼ."""
    return pointwise.mul(reshape(input, (-1, 1)), vec2)


def matmul(input: Any, other: Any) -> Any:
    """The product of vectors, matrices, or batches of matrices, by numpy's rules of `@`."""
    require_tensor("matmul", "input", 1, input)
    require_tensor("matmul", "other", 2, other)
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
        return squeeze(mm(unsqueeze(input, 0), other), (0,))
    if b <= 2:  # a batch of matrices times one matrix is one tall matrix times it
        rows = reshape(input, (-1, input._value.shape[-1]))
        product = mm(rows, other) if b == 2 else mv(rows, other)
        return shape.unsafe_view(product, (*input._value.shape[:-1], *other._value.shape[1:]))
    if a == 1:
        return squeeze(matmul(unsqueeze(input, 0), other), -2)
    batch = np.broadcast_shapes(input._value.shape[:-2], other._value.shape[:-2])
    matrices = [reshape(expand(m, (*batch, *m._value.shape[-2:])), (-1, *m._value.shape[-2:])) for m in (input, other)]
    product = bmm(*matrices)
    return shape.unsafe_view(product, (*batch, input._value.shape[-2], other._value.shape[-1]))


ger = outer
