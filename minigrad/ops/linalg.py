"""Products of vectors and matrices.

The rule to remember: for C = A B, ∂L/∂A = G Bᵀ and ∂L/∂B = Aᵀ G. The shapes leave no other way to write it.
"""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np

from ..autograd.variable import TensorBase
from ..devices import module_of, raising
from ..memory import arange, grad_dtype, in_order
from .errors import no_formula, not_for
from .formulas import raw_of, scaled
from .pointwise import sgn
from .primitive import op, unary
from .reduction import norm_grad, vector_norm
from .shape import diag_embed, put, t


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

    So that of a layer's weight W, which is used as Wᵀ, lies row after row, as W does.
    """
    return t(product(mat2, t(grad))) if strides[0] < strides[1] else product(grad, t(mat2))


def _second(grad, mat1, strides):
    """∂L/∂B = Aᵀ G, or (Gᵀ A)ᵀ: as for the first."""
    return t(product(t(grad), mat1)) if strides[0] < strides[1] else product(t(mat1), grad)


mv = op("MvBackward0", self=lambda grad, vec: _outer_product(grad, vec), vec=lambda grad, self: t(self) @ grad)(
    lambda self, vec: self @ vec, "c = A v      ∂L/∂A = g vᵀ      ∂L/∂v = Aᵀ g"
)


def _outer_product(u, v):
    return u.reshape(-1, 1) * v


dot = op("DotBackward0", self=lambda grad, tensor: grad * tensor, tensor=lambda grad, self: grad * self)(
    lambda self, tensor: self @ tensor, "c = Σ aᵢ bᵢ      ∂L/∂a = g · b      ∂L/∂b = g · a"
)
vdot = op("VdotBackward0", self=lambda grad, other: grad * other, other=lambda grad, self: grad * self)(
    lambda self, other: dot.forward(self, other), "c = Σ aᵢ bᵢ      ∂L/∂a = g · b      ∂L/∂b = g · a"
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


addmm_scaled = op(
    "AddmmBackward0",
    self=lambda grad, beta: scaled(grad, beta),
    mat1=lambda grad, mat2, mat1_sym_strides, alpha: scaled(_first(grad, mat2, mat1_sym_strides), alpha),
    mat2=lambda grad, mat1, mat2_sym_strides, alpha: scaled(_second(grad, mat1, mat2_sym_strides), alpha),
)(
    lambda self, mat1, mat2, beta, alpha: _scaled_sum(self, mat1.dot(mat2), beta, alpha),
    "C = β D + α A B      ∂L/∂D = β G      ∂L/∂A = α G Bᵀ      ∂L/∂B = α Aᵀ G",
)


def _scaled_sum(self, product, beta, alpha):
    if self.dtype.kind != "f":
        beta, alpha = int(beta), int(alpha)
    return (self * beta + product * alpha).astype(self.dtype)


addmv = op(
    "AddmvBackward0",
    self=lambda grad, beta: scaled(grad, beta),
    mat=lambda grad, vec, alpha: scaled(_outer_product(grad, vec), alpha),
    vec=lambda grad, mat, alpha: scaled(t(mat) @ grad, alpha),
)(
    lambda self, mat, vec, beta, alpha: _scaled_sum(self, mat @ vec, beta, alpha),
    "c = β d + α A v      ∂L/∂d = β g      ∂L/∂A = α g vᵀ      ∂L/∂v = α Aᵀ g",
)
addr = op(
    "AddrBackward0",
    self=lambda grad, beta: scaled(grad, beta),
    vec1=lambda grad, vec2, alpha: scaled(grad @ vec2, alpha),
    vec2=lambda grad, vec1, alpha: scaled(t(grad) @ vec1, alpha),
)(
    lambda self, vec1, vec2, beta, alpha: _scaled_sum(self, vec1.reshape(-1, 1) * vec2, beta, alpha),
    "C = β D + α u vᵀ      ∂L/∂D = β G      ∂L/∂u = α G v      ∂L/∂v = α Gᵀ u",
)
baddbmm = op(
    "BaddbmmBackward0",
    self=lambda grad, beta: scaled(grad, beta),
    batch1=lambda grad, batch2, alpha: scaled(bmm(grad, batch2.swapaxes(1, 2)), alpha),
    batch2=lambda grad, batch1, alpha: scaled(bmm(batch1.swapaxes(1, 2), grad), alpha),
)(
    lambda self, batch1, batch2, beta, alpha: _scaled_sum(self, batch1 @ batch2, beta, alpha),
    "Cₖ = β Dₖ + α Aₖ Bₖ for each k      ∂L/∂D = β G      ∂L/∂Aₖ = α Gₖ Bₖᵀ      ∂L/∂Bₖ = α Aₖᵀ Gₖ",
)
addbmm = op(
    "AddbmmBackward0",
    self=lambda grad, beta: scaled(grad, beta),
    batch1=lambda grad, batch2, alpha: scaled(grad @ batch2.swapaxes(1, 2), alpha),
    batch2=lambda grad, batch1, alpha: scaled(batch1.swapaxes(1, 2) @ grad, alpha),
)(
    lambda self, batch1, batch2, beta, alpha: _scaled_sum(self, (batch1 @ batch2).sum(axis=0), beta, alpha),
    "C = β D + α Σ Aₖ Bₖ      ∂L/∂D = β G      ∂L/∂Aₖ = α G Bₖᵀ      ∂L/∂Bₖ = α Aₖᵀ G",
)
cross = op(
    "LinalgCrossBackward0",
    self=lambda grad, other, dim: cross(other, grad, dim),
    other=lambda grad, self, dim: cross(grad, self, dim),
)(
    lambda self, other, dim: in_order(np.cross(self, other, axis=dim)),
    "c = a × b, at right angles to both      ∂L/∂a = b × g      ∂L/∂b = g × a",
)
dist = op(
    "DistBackward0",
    self=lambda grad, self, other, p, result: norm_grad(grad, self - other, p, None, False, result),
    other=lambda grad, self, other, p, result: -norm_grad(grad, self - other, p, None, False, result),
)(
    lambda self, other, p: vector_norm.forward(self - other, p, None, False, self.dtype),
    "c = the p-norm of a - b      ∂L/∂a = the gradient of the norm      ∂L/∂b = -∂L/∂a",
)


@op("CdistBackwardBackward0", **dict.fromkeys(("grad", "x1", "x2", "cdist"), no_formula("_cdist_backward")))
def cdist_backward(grad, x1, x2, p, cdist):
    """Σⱼ of gᵢⱼ times the gradient of the norm of aᵢ - bⱼ. PyTorch cannot differentiate it once more."""
    differences = _differences(x1, x2)
    if p == 0:
        return np.zeros_like(x1)
    if p == np.inf:  # unlike the norm, each of several largest differences gets all of g
        largest = np.abs(differences) == cdist[..., None]
        return (grad[..., None] * sgn(differences) * largest).sum(axis=-2)
    return norm_grad(grad, differences, p, (differences.ndim - 1,), False, cdist).sum(axis=-2)


@op(
    "CdistBackward0",
    x1=lambda grad, x1, x2, p, result: cdist_backward(grad, x1, x2, p, result),
    x2=lambda grad, x1, x2, p, result: cdist_backward(_t(grad), x2, x1, p, _t(result)),
)
def cdist(x1, x2, p):
    """cᵢⱼ = the p-norm of aᵢ - bⱼ, for rows aᵢ and bⱼ      ∂L/∂aᵢ = Σⱼ of gᵢⱼ times the gradient of the norm"""
    if x1.dtype.char == "e":
        raise not_for("cdist", "Half")
    return vector_norm.forward(_differences(x1, x2), p, (-1,), False, x1.dtype)


def _differences(x1, x2):
    return np.expand_dims(x1, -2) - np.expand_dims(x2, -3)


def _on_diagonal(grad, self_sym_sizes):
    places = arange(min(self_sym_sizes), grad)
    return put(np.broadcast_to(grad, places.shape), self_sym_sizes, (places, places))


trace = unary("TraceBackward0", self=_on_diagonal)(
    lambda self: self.trace(dtype=None if self.dtype.kind == "f" else np.int64),
    "c = Σ aᵢᵢ      ∂L/∂A = g on the diagonal, 0 elsewhere",
)


def _eye(grad, shape):
    return module_of(grad).eye(*shape, dtype=grad_dtype(grad))


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


def _by_columns(matrix):
    """A raw matrix laid in memory column after column, as PyTorch lays the results of these operations."""
    return _t(_t(matrix).copy())


@op("LinalgInvExBackward0", A=lambda grad, result: -(_t(result) @ (grad @ _t(result))))
def inv(A):
    """C = A⁻¹      ∂L/∂A = -Cᵀ G Cᵀ"""
    with _refusing("linalg.inv: The inversion could not be completed because the input matrix is singular.", A):
        return _by_columns(np.linalg.inv(A))


def _solve_grads(grad, wanted, A, result, left, vector):
    if vector:
        grad, result = grad[..., None], result[..., None]
    of_B = solve(_t(A), grad, left, False)
    of_A = (-(of_B @ _t(result)) if left else -(_t(result) @ of_B)) if wanted[0] else None
    return of_A, of_B.squeeze(-1) if vector else of_B


@op(
    "LinalgSolveExBackward0",
    inputs=("A", "B"),
    together=_solve_grads,
)
def solve(A, B, left, vector):
    """X = A⁻¹ B, so that A X = B      ∂L/∂B = A⁻ᵀ G      ∂L/∂A = -(∂L/∂B) Xᵀ

    Unless `left` is true, X = B A⁻¹, likewise.
    """
    with _refusing("torch.linalg.solve: The solver failed because the input matrix is singular.", A):
        if vector:
            return np.linalg.solve(A, B[..., None])[..., 0]
        return _by_columns(np.linalg.solve(A, B)) if left else in_order(_t(np.linalg.solve(_t(A), _t(B))))


det = op(
    "LinalgDetBackward0",
    A=lambda grad, A, result: _det_grad(grad, A, result),
)(lambda A: np.linalg.det(A), "c = det A      ∂L/∂A = g · c · A⁻ᵀ; the matrix of cofactors where A is singular")


def _det_grad(grad, A, result):
    singular = raw_of(result) == 0
    if not singular.any():
        return _times_inverse(grad * result, A)
    regular = _times_inverse(grad * result, _made_regular(A, singular))
    if A.shape[-1] > 1 and raw_of(grad) is grad:
        return regular  # PyTorch gives 0 for a singular matrix, unless the backward pass is itself recorded
    return np.where(_beside(singular), _beside(grad) * _cofactors(A), regular)


slogdet = op(
    "LinalgSlogdetBackward0",
    outputs=2,
    all_outputs=True,
    A=lambda grads, A, result: None if grads[1] is None else _log_det_grad(grads[1], A, result),
)(
    lambda A: tuple(np.linalg.slogdet(A)),
    "The sign of det A, and c = ln |det A|      ∂L/∂A = g · A⁻ᵀ with g = ∂L/∂c; the sign has no slope",
)


def _log_det_grad(grad, A, sign):
    """g · A⁻ᵀ; where A is singular, what infinity and nan PyTorch gives: its cofactors divided by 0."""
    singular = raw_of(sign) == 0
    if not singular.any():
        return _times_inverse(grad, A)
    regular = _times_inverse(grad, _made_regular(A, singular))
    return np.where(_beside(singular), _beside(grad) * (_cofactors(A) / _beside(sign)), regular)


def _times_inverse(grad, A):
    """g · A⁻ᵀ, as the solution X of Aᵀ X = g · I."""
    dim = len(A.shape) - 2
    return solve(_t(A), _t(diag_embed(np.broadcast_to(grad[..., None], A.shape[:-1]), 0, dim, dim + 1)), True, False)


def _made_regular(A, singular):
    """A, with the identity in the place of singular matrices."""
    n = A.shape[-1]
    return np.where(_beside(singular), _eye(A, (n, n)), A)


def _cofactors(A):
    """∂det A / ∂A without dividing: each entry the determinant of what is left without its row and column."""
    n, rows_dim, columns_dim = A.shape[-1], len(A.shape) - 2, len(A.shape) - 1
    if n == 1:
        return np.ones_like(A)
    others = [[k for k in range(n) if k != i] for i in range(n)]
    rows = []
    for i in range(n):
        rest = np.take(A, others[i], rows_dim)
        rows.append(np.stack([det(np.take(rest, others[j], columns_dim)) * (-1.0) ** (i + j) for j in range(n)], -1))
    return np.stack(rows, -2)


pinv = unary("LinalgPinvBackward0", self=lambda grad, self, result: _pinv_grad(grad, self, result))(
    lambda self, rtol: np.linalg.pinv(self, rcond=rtol),
    "C = A⁺, the pseudoinverse: A A⁺ A = A      ∂L/∂A = -C ᵀ G Cᵀ + what changes with the space that A misses",
)


def _pinv_grad(grad, A, C):
    transposed, turned = _t(C), _t(grad)
    if A.shape[-2] <= A.shape[-1]:
        part = turned @ C
        within = part @ transposed
        return -_t(C @ part) + within - (A @ C) @ within + (transposed @ C) @ (turned - part @ A)
    part = C @ turned
    within = transposed @ part
    return -_t(part @ C) + ((turned - A @ part) @ C) @ transposed + within - (within @ C) @ A


def _beside(grad):
    """`grad` with two dimensions more, to be multiplied with matrices."""
    return grad.reshape((*grad.shape, 1, 1))


@op(
    "LinalgCholeskyExBackward0",
    A=lambda grad, result, upper: _cholesky_grad(*map(_t, (grad, result))) if upper else _cholesky_grad(grad, result),
)
def cholesky(A, upper):
    """L Lᵀ = A, L lower triangular      ∂L/∂A = (S + Sᵀ) / 2 with S = L⁻ᵀ Φ(Lᵀ G) L⁻¹

    Φ keeps the lower triangle and halves the diagonal. With `upper` the result is Lᵀ.
    """
    with _refusing("linalg.cholesky: The input is not positive-definite.", A):
        lower = np.linalg.cholesky(A)
        return _t(lower.copy()) if upper else _by_columns(lower)


def _cholesky_grad(grad, L):
    n = L.shape[-1]
    eye = _eye(grad, (n, n))
    inner = (_t(L) @ grad) * (np.tril(np.ones_like(eye)) - eye / 2)
    inverse = inv(L)
    outer = _t(inverse) @ inner @ inverse
    return (outer + _t(outer)) / 2
