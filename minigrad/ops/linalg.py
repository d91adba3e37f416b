"""Products of vectors and matrices.

The rule to remember: for C = A B, ∂L/∂A = G Bᵀ and ∂L/∂B = Aᵀ G. The shapes leave no other way to write it.
"""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np

from ..autograd.variable import TensorBase
from ..devices import module_of, raising
from ..memory import in_order
from .formulas import raw_of
from .primitive import op
from .shape import t


@op(
    "MmBackward0",
    self=lambda grad, mat2, self_sym_strides: _first(grad, mat2, self_sym_strides),
    mat2=lambda grad, self, mat2_sym_strides: _second(grad, self, mat2_sym_strides),
)
def mm(self, mat2):
    """C = A B      ∂L/∂A = G Bᵀ      ∂L/∂B = Aᵀ G"""
    return self.dot(mat2)  # on small arrays it takes a third of the time of @


def product(A, B):
    """A B, of tensors or of raw arrays."""
    return mm(A, B) if isinstance(A, TensorBase) else A.dot(B)


def _first(grad, mat2, strides):
    """∂L/∂A = G Bᵀ. If A lies in memory column after column, the gradient is made to lie so, too: (B Gᵀ)ᵀ.

    Thus the gradient of a layer's weight W, which is used as Wᵀ, lies row after row, as W does.
    """
    return t(product(mat2, t(grad))) if strides[0] < strides[1] else product(grad, t(mat2))


def _second(grad, mat1, strides):
    """∂L/∂B = Aᵀ G, or (Gᵀ A)ᵀ: as for the first."""
    return t(product(t(grad), mat1)) if strides[0] < strides[1] else product(t(mat1), grad)


mv = op("MvBackward0", self=lambda grad, vec: grad.reshape(-1, 1) * vec, vec=lambda grad, self: t(self) @ grad)(
    lambda self, vec: self @ vec, "c = A v      ∂L/∂A = g vᵀ      ∂L/∂v = Aᵀ g"
)
dot = op("DotBackward0", self=lambda grad, tensor: grad * tensor, tensor=lambda grad, self: grad * self)(
    lambda self, tensor: self @ tensor, "c = Σ aᵢ bᵢ      ∂L/∂a = g · b      ∂L/∂b = g · a"
)
bmm = op(
    "BmmBackward0",
    self=lambda grad, mat2: bmm(grad, mat2.swapaxes(1, 2)),
    mat2=lambda grad, self: bmm(self.swapaxes(1, 2), grad),
)(lambda self, mat2: self @ mat2, "Cₖ = Aₖ Bₖ for each k      ∂L/∂Aₖ = Gₖ Bₖᵀ      ∂L/∂Bₖ = Aₖᵀ Gₖ")
addmm = op(
    "AddmmBackward0",
    self=lambda grad: grad,
    mat1=lambda grad, mat2, mat1_sym_strides: _first(grad, mat2, mat1_sym_strides),
    mat2=lambda grad, mat1, mat2_sym_strides: _second(grad, mat1, mat2_sym_strides),
)(lambda self, mat1, mat2: self + mat1.dot(mat2), "C = D + A B      ∂L/∂D = G      ∂L/∂A = G Bᵀ      ∂L/∂B = Aᵀ G")


# ---------------------------------------------------------------------------------------------------------------------
# Square matrices, or batches of them: their last two dimensions


class LinAlgError(RuntimeError):
    """A matrix that is singular, or not positive-definite, where it must not be."""


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"  # as PyTorch prints it


@contextmanager
def _refusing(words, A):
    """Where numpy refuses a matrix, PyTorch's error with these words."""
    try:
        with raising(A):
            yield
    except np.linalg.LinAlgError:
        raise LinAlgError(words) from None


def _t(matrix):
    return matrix.swapaxes(-1, -2)


def _by_columns(matrix):  # in memory, as LAPACK leaves it and PyTorch keeps it
    return _t(in_order(_t(matrix)))


@op("LinalgInvExBackward0", A=lambda grad, result: -(_t(result) @ (grad @ _t(result))))
def inv(A):
    """C = A⁻¹      ∂L/∂A = -Cᵀ G Cᵀ"""
    with _refusing("linalg.inv: The inversion could not be completed because the input matrix is singular.", A):
        return _by_columns(np.linalg.inv(A))


def _solve_grads(grad, wanted, A, result, vector):
    if vector:
        grad, result = grad[..., None], result[..., None]
    of_B = solve(_t(A), grad, False)
    return -(of_B @ _t(result)) if wanted[0] else None, of_B.squeeze(-1) if vector else of_B


@op("LinalgSolveExBackward0", inputs=("A", "B"), together=_solve_grads)
def solve(A, B, vector):
    """X = A⁻¹ B, so that A X = B      ∂L/∂B = A⁻ᵀ G      ∂L/∂A = -(∂L/∂B) Xᵀ"""
    with _refusing("torch.linalg.solve: The solver failed because the input matrix is singular.", A):
        return np.linalg.solve(A, B[..., None])[..., 0] if vector else _by_columns(np.linalg.solve(A, B))


@op("LinalgDetBackward0", A=lambda grad, A, result: _det_grad(grad, A, result))
def det(A):
    """c = det A      ∂L/∂A = g · c · A⁻ᵀ; 0 where A is singular"""
    return np.linalg.det(A)


def _det_grad(grad, A, result):
    of_each = (*A.shape[:-2], 1, 1)
    if A.shape[-1] == 1:
        return grad.reshape(of_each)
    slope = (grad * result).reshape(of_each)
    singular = (raw_of(result) == 0).reshape(of_each)
    if singular.any():
        unit = module_of(A).eye(A.shape[-1], dtype=raw_of(A).dtype)
        A = np.where(singular, unit, A)
    return slope * _t(inv(A))
