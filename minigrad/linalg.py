"""`minigrad.linalg`: norms."""

from __future__ import annotations

from typing import Any

from .functions import norm as _norm

__all__ = ["norm", "vector_norm"]


def vector_norm(x: Any, ord: float = 2, dim: Any = None, keepdim: bool = False) -> Any:
    """(Σ |aᵢ|ᵖ)^(1/p) over all elements, or over the dimensions `dim`."""
    return _norm(x, ord, dim, keepdim)


def norm(A: Any, ord: float | None = None, dim: Any = None, keepdim: bool = False) -> Any:
    """The Euclidean length of all elements; with `ord`, the norm of a vector, or of the vectors along `dim`."""
    if ord is not None and dim is None and A.ndim > 1:
        raise NotImplementedError(
            "minigrad.linalg.norm: matrix norms are not implemented; leave out `ord`, or give a `dim`"
        )
    return _norm(A, 2 if ord is None else ord, dim, keepdim)
