"""`minigrad.linalg`: norms, inverses, determinants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .autograd.variable import TensorBase as Tensor
from .functions import norm as _norm
from .functions.calling import called
from .functions.products import det, inv, solve
from .hints import names_the_nearest
from .ops.linalg import LinAlgError

__all__ = ["LinAlgError", "det", "inv", "norm", "solve", "vector_norm"]

__getattr__, __dir__ = names_the_nearest(__name__, __all__)


def vector_norm(
    x: Tensor, ord: float = 2, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """(Σ |aᵢ|ᵖ)^(1/p) over all elements, or over the dimensions `dim`."""
    return _norm(x, ord, dim, keepdim, dtype)


def norm(
    A: Tensor,
    ord: float | str | None = None,
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
) -> Tensor:
    """The Euclidean length of all elements; with `ord`, the norm of a vector or matrix, or of those along `dim`."""
    if ord is not None and dim is None and A.ndim not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {A.ndim}D."
        )
    if isinstance(ord, str) and A.ndim < 2:
        raise RuntimeError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    of_matrix = A.ndim == 2 if dim is None else isinstance(dim, tuple) and len(dim) == 2
    if ord is not None and of_matrix != isinstance(ord, str):
        raise NotImplementedError("minigrad.linalg.norm: of a matrix there is the norm 'fro', and no other")
    return _norm(A, 2 if ord in (None, "fro") else ord, dim, keepdim, dtype)


globals().update({name: called(globals()[name], f"linalg.{name}") for name in __all__ if name != "LinAlgError"})
