"""Products of vectors and matrices.

The rule to remember: for C = A B, ∂L/∂A = G Bᵀ and ∂L/∂B = Aᵀ G. The shapes leave no other way to write it.
"""

from __future__ import annotations

import numpy as np

from .primitive import op


@op(
    "MmBackward0",
    self=lambda grad, mat2: grad @ mat2.swapaxes(0, 1),
    mat2=lambda grad, self: self.swapaxes(0, 1) @ grad,
)
def mm(self, mat2):
    """C = A B      ∂L/∂A = G Bᵀ      ∂L/∂B = Aᵀ G"""
    return self @ mat2


@op(
    "MvBackward0",
    self=lambda grad, vec: grad.reshape(-1, 1) * vec.reshape(1, -1),
    vec=lambda grad, self: self.swapaxes(0, 1) @ grad,
)
def mv(self, vec):
    """c = A v      ∂L/∂A = g vᵀ      ∂L/∂v = Aᵀ g"""
    return self @ vec


@op("DotBackward0", self=lambda grad, tensor: grad * tensor, tensor=lambda grad, self: grad * self)
def dot(self, tensor):
    """c = Σ aᵢ bᵢ      ∂L/∂a = g · b      ∂L/∂b = g · a"""
    return np.asarray(self @ tensor)[()]


@op(
    "BmmBackward0",
    self=lambda grad, mat2: grad @ mat2.swapaxes(1, 2),
    mat2=lambda grad, self: self.swapaxes(1, 2) @ grad,
)
def bmm(self, mat2):
    """Cₖ = Aₖ Bₖ for each k      ∂L/∂Aₖ = Gₖ Bₖᵀ      ∂L/∂Bₖ = Aₖᵀ Gₖ"""
    return self @ mat2


@op(
    "AddmmBackward0",
    self=lambda grad: grad,
    mat1=lambda grad, mat2: grad @ mat2.swapaxes(0, 1),
    mat2=lambda grad, mat1: mat1.swapaxes(0, 1) @ grad,
)
def addmm(self, mat1, mat2):
    """C = D + A B      ∂L/∂D = G      ∂L/∂A = G Bᵀ      ∂L/∂B = Aᵀ G"""
    return self + mat1 @ mat2


@op("TraceBackward0", self=lambda grad, self_sym_sizes: grad * np.eye(*self_sym_sizes, dtype=grad_dtype(grad)))
def trace(self):
    """c = Σ aᵢᵢ      ∂L/∂A = g on the diagonal, 0 elsewhere"""
    return self.trace(dtype=None if self.dtype.kind == "f" else np.int64)


def grad_dtype(grad):
    """The numpy dtype of a gradient, raw or tensor."""
    return getattr(grad, "_value", grad).dtype
