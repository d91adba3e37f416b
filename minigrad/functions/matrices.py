"""Square matrices, or batches of them: inverses, determinants, factorizations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autograd.variable import TensorBase as Tensor
from ..devices import module_of
from ..ops import linalg, pointwise
from ..ops.errors import type_letter
from ..ops.inplace import copy_
from ..ops.pointwise import clone
from ..ops.primitive import plain
from ..table import public
from .arguments import return_type, same_dtype
from .pointwise import where
from .products import matmul, mm
from .shape import unsqueeze, view


def _check_square(function: str, A: Any, any_kind: bool = False) -> None:
    size = A._value.shape
    if len(size) < 2:
        raise RuntimeError(f"{function}: The input tensor A must have at least 2 dimensions.")
    if size[-1] != size[-2]:
        raise RuntimeError(
            f"{function}: A must be batches of square matrices, but they are {size[-2]} by {size[-1]} matrices"
        )
    if not any_kind:
        _check_float(function, A)
        if A._value.dtype.itemsize < 4:
            raise RuntimeError(f"{function}: Low precision dtypes not supported. Got {type_letter(A._value)}")


def _check_float(function: str, A: Any) -> None:
    if A._value.dtype.kind != "f":
        letter = type_letter(A._value)
        raise RuntimeError(f"{function}: Expected a floating point or complex tensor as input. Got {letter}")


@public(name="inverse")
def inv(A: Tensor) -> Tensor:
    """The inverse of a square matrix, or of each of a batch."""
    _check_square("linalg.inv", A)
    return linalg.inv(A)


def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """The X for which A X = B; B is a matrix or a vector. With `left=False`, X A = B."""
    _check_float("linalg.solve", A)
    _check_square("linalg.solve", A)
    same_dtype(A, B, "linalg.solve: Expected A and B to have the same dtype, but found {} and {}")
    vector = B.ndim == 1 or (B.ndim == A.ndim - 1 and B.shape == A.shape[:-1])
    rows, columns = (B.shape[-1], 1) if vector else (B.shape[-2], B.shape[-1])
    if (rows if left else columns) != A.shape[-1]:
        n = A.shape[-1]
        raise RuntimeError(f"linalg.solve: Incompatible shapes of A and B ({n}x{n} and {rows}x{columns})")
    return linalg.solve(A, B, left, vector)


@public(out=False)
def det(A: Tensor) -> Tensor:
    """The determinant of a square matrix, or of each of a batch."""
    _check_square("linalg.det", A)
    return linalg.det(A)


@public(name="pinverse", out=False)
def pinv(A: Tensor, *, rtol: float | None = None) -> Tensor:
    """The pseudoinverse of a matrix, or of each of a batch. Singular values up to rtol · the largest count as 0."""
    if A._value.dtype not in (np.float32, np.float64) or A.ndim < 2:
        raise RuntimeError("linalg.pinv: expected a matrix, or a batch of them, of float or double")
    limits = np.finfo(A._value.dtype)
    return linalg.pinv(A, max(A.shape[-2:]) * limits.eps if rtol is None else rtol)


@public
def matrix_power(A: Tensor, n: int) -> Tensor:
    """A · A · … · A, n times; the inverse to the power of -n for a negative n."""
    _check_square("linalg.matrix_power", A, any_kind=True)
    if n == 0:
        return copy_(clone(A), plain(module_of(A).eye(A.shape[-1], dtype=A._value.dtype)))
    if n < 0:
        A, n = inv(A), -n
        if n == 1:
            return A
    if n == 3:  # as PyTorch does
        return matmul(matmul(A, A), A)
    power, result = A, None
    while n:  # by the binary digits of n
        if n & 1:
            result = power if result is None else matmul(result, power)
        n >>= 1
        power = matmul(power, power) if n else power
    return clone(result) if result is A else result


def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """The product of several matrices, in the order that needs the fewest multiplications.

    The first may be a row vector, the last a column vector.
    """
    tensors = list(tensors)
    if len(tensors) < 2:
        raise RuntimeError("multi_dot(): expected at least 2 tensors but got " + str(len(tensors)))
    first = tensors[0].ndim == 1
    last = tensors[-1].ndim == 1
    if first:
        tensors[0] = unsqueeze(tensors[0], 0)
    if last:
        tensors[-1] = unsqueeze(tensors[-1], -1)
    for i, x in enumerate(tensors):
        if x.ndim != 2:
            raise RuntimeError(f"multi_dot(): tensor {i} must be 2D but got {x.ndim}D")
    size = (() if first else (tensors[0].shape[0],)) + (() if last else (tensors[-1].shape[1],))
    return view(_cheapest_product(tensors), size)


def _cheapest_product(matrices: list[Any]) -> Any:
    """The matrix chain problem, solved from short chains to long ones."""
    sides, count = [*(m.shape[0] for m in matrices), matrices[-1].shape[1]], len(matrices)
    cost = {(i, i): (0, i) for i in range(count)}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            cost[i, j] = min(
                (cost[i, k][0] + cost[k + 1, j][0] + sides[i] * sides[k + 1] * sides[j + 1], k) for k in range(i, j)
            )

    def product(i: int, j: int) -> Any:
        k = cost[i, j][1]
        return matrices[i] if i == j else mm(product(i, k), product(k + 1, j))

    return product(0, count - 1)


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """Σ xᵢ yᵢ along a dimension."""
    _check_float("linalg.vecdot", x)
    same_dtype(x, y, "linalg.vecdot: Expected x and y to have the same dtype, but found x of type {} and y of type {}")
    return (x * y).sum(dim)


@public(out=False)
def logdet(input: Tensor) -> Tensor:
    """ln det A; nan where the determinant is negative."""
    _check_square("logdet", input)
    sign, logarithm = slogdet(input)
    return where(pointwise.eq(sign, -1.0), plain(np.full_like(sign._value, np.nan)), logarithm)


_slogdet_type = return_type("linalg_slogdet", "sign", "logabsdet")


@public
def slogdet(A: Tensor) -> Any:
    """(sign, logabsdet): the sign of the determinant and the logarithm of its absolute value."""
    _check_square("linalg.slogdet", A)
    return _slogdet_type(linalg.slogdet(A))


def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """The lower triangular L with L Lᵀ = A for a symmetric positive-definite A; with `upper` its transpose."""
    _check_square("linalg.cholesky", A)
    return linalg.cholesky(A, upper)
