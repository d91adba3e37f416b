"""Square matrices, or batches of them: inverses, determinants, factorizations."""

from __future__ import annotations

from typing import Any

from ..autograd.variable import make_tensor
from ..ops import linalg
from ..ops.errors import type_letter
from .arguments import return_type

__all__ = ["det", "inverse", "slogdet"]


def _check_square(function: str, A: Any) -> None:
    size = A._value.shape
    if len(size) < 2:
        raise RuntimeError(f"{function}: The input tensor A must have at least 2 dimensions.")
    if size[-1] != size[-2]:
        raise RuntimeError(
            f"{function}: A must be batches of square matrices, but they are {size[-2]} by {size[-1]} matrices"
        )
    _check_float(function, A)


def _check_float(function: str, A: Any) -> None:
    if A._value.dtype.kind != "f":
        letter = type_letter(A._value)
        raise RuntimeError(f"{function}: Expected a floating point or complex tensor as input. Got {letter}")


def inv(A: Any) -> Any:
    """The inverse of a square matrix, or of each of a batch."""
    _check_square("linalg.inv", A)
    return linalg.inv(A)


def solve(A: Any, B: Any) -> Any:
    """The X for which A X = B; B is a matrix or a vector."""
    _check_float("linalg.solve", A)
    _check_square("linalg.solve", A)
    vector = B.ndim == 1 or (B.ndim == A.ndim - 1 and B.shape == A.shape[:-1])
    rows, columns = (B.shape[-1], 1) if vector else (B.shape[-2], B.shape[-1])
    if rows != A.shape[-1]:
        n = A.shape[-1]
        raise RuntimeError(
            f"linalg.solve: Incompatible shapes of A and B for the equation AX = B ({n}x{n} and {rows}x{columns})"
        )
    return linalg.solve(A, B)


def det(A: Any) -> Any:
    """The determinant of a square matrix, or of each of a batch."""
    _check_square("linalg.det", A)
    return linalg.det(A)


_slogdet_type = return_type("linalg_slogdet", "sign", "logabsdet")


def slogdet(A: Any) -> Any:
    """(sign, logabsdet): the sign of the determinant and the logarithm of its absolute value."""
    _check_square("linalg.slogdet", A)
    logabsdet, sign = linalg.log_abs_det(A)
    return _slogdet_type((make_tensor(sign._value), logabsdet))


def cholesky(A: Any) -> Any:
    """The lower triangular L with L Lᵀ = A for a symmetric positive-definite A."""
    _check_square("linalg.cholesky", A)
    return linalg.cholesky(A)


inverse = inv
