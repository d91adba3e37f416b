"""`minigrad.linalg`: norms, inverses, determinants, factorizations."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import functions
from .autograd.variable import make_tensor
from .functions import norm as _norm
from .ops import linalg
from .ops.errors import type_letter
from .ops.linalg import LinAlgError

__all__ = [
    "LinAlgError", "cholesky", "det", "inv", "matrix_norm", "norm", "slogdet", "solve", "vector_norm",
]  # fmt: skip


def vector_norm(x: Any, ord: float = 2, dim: Any = None, keepdim: bool = False) -> Any:
    """(Σ |aᵢ|ᵖ)^(1/p) over all elements, or over the dimensions `dim`."""
    return _norm(x, ord, dim, keepdim)


def matrix_norm(A: Any, ord: Any = "fro", dim: tuple[int, int] = (-2, -1), keepdim: bool = False) -> Any:
    """The norm of the matrices in two dimensions: "fro", the root of the sum of squares; 1 or inf, the largest sum of
    absolute values of a column or of a row, -1 and -inf the smallest. The singular values (2, "nuc") are not there.
    """
    if A._value.dtype.kind != "f":
        letter = type_letter(A._value)
        raise RuntimeError(f"linalg.matrix_norm: Expected a floating point or complex tensor as input. Got {letter}")
    if ord == "fro":
        return _norm(A, 2, dim, keepdim)
    if ord not in (1, -1, float("inf"), -float("inf")):
        raise NotImplementedError(f"minigrad.linalg.matrix_norm: no norm of order {ord!r}, which needs singular values")
    rows, columns = (d % A.ndim for d in dim)
    summed, rest = (rows, columns) if abs(ord) == 1 else (columns, rows)
    rest -= rest > summed and not keepdim
    sums = _norm(A, 1, summed, keepdim)
    return (functions.amax if ord > 0 else functions.amin)(sums, rest, keepdim)


def norm(A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False) -> Any:
    """The Euclidean length of all elements; with `ord`, the norm of a vector or matrix, or of those along `dim`."""
    if ord is not None and ((isinstance(dim, tuple) and len(dim) == 2) or (dim is None and A.ndim == 2)):
        return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim)
    return _norm(A, 2 if ord is None else ord, dim, keepdim)


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


class slogdet_result(NamedTuple):
    """What `slogdet` returns."""

    sign: Any
    logabsdet: Any

    def __repr__(self) -> str:
        return f"minigrad.return_types.linalg_slogdet(\nsign={self.sign!r},\nlogabsdet={self.logabsdet!r})"


def slogdet(A: Any) -> Any:
    """(sign, logabsdet): the sign of the determinant and the logarithm of its absolute value."""
    _check_square("linalg.slogdet", A)
    logabsdet, sign = linalg.log_abs_det(A)
    return slogdet_result(make_tensor(sign._value), logabsdet)


def cholesky(A: Any) -> Any:
    """The lower triangular L with L Lᵀ = A for a symmetric positive-definite A."""
    _check_square("linalg.cholesky", A)
    return linalg.cholesky(A)
