# ruff: noqa: D101 (the docstring of each is that of its function)
"""The activations of `functional` as modules."""

from __future__ import annotations

from typing import Any

from .. import creation
from . import functional
from .applied import Applied
from .module import Module
from .parameter import Parameter

__all__ = [
    "ReLU", "ReLU6", "SiLU", "SELU", "Mish", "Hardsigmoid", "Hardswish", "Sigmoid", "Tanh", "LogSigmoid", "Softsign",
    "Tanhshrink", "ELU", "CELU", "LeakyReLU", "Hardtanh", "Threshold", "Softplus", "GELU", "Softmax", "LogSoftmax",
    "Softmin", "GLU", "Hardshrink", "Softshrink", "PReLU",
]  # fmt: skip


class _InPlace(Applied):
    inplace: bool = False


class ReLU(_InPlace, of=functional.relu):
    def forward(self, input: Any) -> Any:
        """Any shape to the same shape. It is so common that it does without the detour over the options."""
        return functional.relu(input, self.inplace)


class ReLU6(_InPlace, of=functional.relu6): ...


class SiLU(_InPlace, of=functional.silu): ...


class SELU(_InPlace, of=functional.selu): ...


class Mish(_InPlace, of=functional.mish): ...


class Hardsigmoid(_InPlace, of=functional.hardsigmoid): ...


class Hardswish(_InPlace, of=functional.hardswish): ...


class Sigmoid(Applied, of=functional.sigmoid): ...


class Tanh(Applied, of=functional.tanh): ...


class LogSigmoid(Applied, of=functional.logsigmoid): ...


class Softsign(Applied, of=functional.softsign): ...


class Tanhshrink(Applied, of=functional.tanhshrink): ...


class ELU(Applied, of=functional.elu):
    alpha: float = 1.0
    inplace: bool = False


class CELU(Applied, of=functional.celu):
    alpha: float = 1.0
    inplace: bool = False


class LeakyReLU(Applied, of=functional.leaky_relu):
    negative_slope: float = 0.01
    inplace: bool = False


class Hardtanh(Applied, of=functional.hardtanh):
    min_val: float = -1.0
    max_val: float = 1.0
    inplace: bool = False

    def __post_init__(self) -> None:
        """Raise AssertionError for bounds that leave nothing between them."""
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})")


class Threshold(Applied, of=functional.threshold):
    threshold: float
    value: float
    inplace: bool = False


class Softplus(Applied, of=functional.softplus):
    beta: float = 1.0
    threshold: float = 20.0


class GELU(Applied, of=functional.gelu):
    approximate: str = "none"


class _AlongDim(Applied):
    dim: int | None = None


class Softmax(_AlongDim, of=functional.softmax): ...


class LogSoftmax(_AlongDim, of=functional.log_softmax): ...


class Softmin(_AlongDim, of=functional.softmin): ...


class GLU(Applied, of=functional.glu):
    dim: int = -1


class _Shrink(Applied):
    lambd: float = 0.5

    def extra_repr(self) -> str:
        """The width."""
        return str(self.lambd)


class Hardshrink(_Shrink, of=functional.hardshrink): ...


class Softshrink(_Shrink, of=functional.softshrink): ...


class PReLU(Module):
    """a where a > 0, else weight · a; the weight is learned, one or one for each channel."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None):
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = Parameter(creation.full((num_parameters,), init, device=device, dtype=dtype))

    def forward(self, input: Any) -> Any:
        """Any shape to the same shape."""
        return functional.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """How many weights."""
        return f"num_parameters={self.num_parameters}"
