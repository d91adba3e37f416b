"""Layers: a linear map with its parameters, and the activations as modules."""

from __future__ import annotations

import math
from typing import Any

from .. import creation, functions
from . import functional, init
from .module import Module
from .parameter import Parameter


class Linear(Module):
    """y = x · Wᵀ + b, with W (out_features, in_features) and b (out_features) uniform in ±1/√in_features at first."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(creation.empty(out_features, in_features, dtype=dtype, device=device))
        if bias:
            self.bias = Parameter(creation.empty(out_features, dtype=dtype, device=device))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new initial values."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Any) -> Any:
        """(…, in_features) to (…, out_features)."""
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The sizes."""
        bias = self.bias is not None
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={bias}"


class Embedding(Module):
    """A table of vectors: number i stands for row i. The rows are standard normal at first."""

    def __init__(self, num_embeddings: int, embedding_dim: int):
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.weight = Parameter(creation.empty(num_embeddings, embedding_dim))
        init.normal_(self.weight)

    def forward(self, input: Any) -> Any:
        """(…) to (…, embedding_dim)."""
        return functional.embedding(input, self.weight)

    def extra_repr(self) -> str:
        """The sizes."""
        return f"{self.num_embeddings}, {self.embedding_dim}"


class Dropout(Module):
    """While training, sets elements to 0 with probability p and divides the others by 1 - p."""

    def __init__(self, p: float = 0.5, inplace: bool = False):
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input: Any) -> Any:
        """Any shape to the same shape."""
        return functional.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        """The probability."""
        return f"p={self.p}, inplace={self.inplace}"


class Flatten(Module):
    """The dimensions from start_dim to end_dim made one."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Any) -> Any:
        """(N, …) to (N, product of …)."""
        return functions.flatten(input, self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """The dimensions."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Identity(Module):
    """Returns its input."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__()

    def forward(self, input: Any) -> Any:
        """Any shape to the same shape."""
        return input


class _Activation(Module):
    """A function of `functional` as a module; `_options` are what it was made with."""

    function: Any

    def __init__(self, **options: Any):
        super().__init__()
        for name, value in options.items():
            setattr(self, name, value)
        self._options = tuple(options)

    def forward(self, input: Any) -> Any:
        """Any shape to the same shape."""
        return type(self).function(input, **{name: getattr(self, name) for name in self._options})


class ReLU(_Activation):
    """max(a, 0)."""

    def __init__(self, inplace: bool = False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Any) -> Any:
        """Any shape to the same shape."""
        return input.relu_() if self.inplace else functional.relu(input)

    def extra_repr(self) -> str:
        """Nothing, unless it works in place."""
        return "inplace=True" if self.inplace else ""


class Sigmoid(_Activation):
    """1 / (1 + e⁻ᵃ)."""

    function = staticmethod(functional.sigmoid)


class Tanh(_Activation):
    """tanh a."""

    function = staticmethod(functional.tanh)


class SiLU(_Activation):
    """a · σ(a)."""

    function = staticmethod(functional.silu)


class GELU(_Activation):
    """a · Φ(a), with Φ the normal distribution function."""

    function = staticmethod(functional.gelu)

    def __init__(self, approximate: str = "none"):
        super().__init__(approximate=approximate)

    def extra_repr(self) -> str:
        """How Φ is computed."""
        return f"approximate={self.approximate!r}"


class Softplus(_Activation):
    """ln(1 + exp(beta · a)) / beta."""

    function = staticmethod(functional.softplus)

    def __init__(self, beta: float = 1.0, threshold: float = 20.0):
        super().__init__(beta=beta, threshold=threshold)

    def extra_repr(self) -> str:
        """The options."""
        return f"beta={self.beta}, threshold={self.threshold}"


class LeakyReLU(_Activation):
    """a where a > 0, else negative_slope · a."""

    function = staticmethod(functional.leaky_relu)

    def __init__(self, negative_slope: float = 0.01):
        super().__init__(negative_slope=negative_slope)

    def extra_repr(self) -> str:
        """The slope."""
        return f"negative_slope={self.negative_slope}"


class ELU(_Activation):
    """a where a > 0, else alpha · (eᵃ - 1)."""

    function = staticmethod(functional.elu)

    def __init__(self, alpha: float = 1.0):
        super().__init__(alpha=alpha)

    def extra_repr(self) -> str:
        """The factor."""
        return f"alpha={self.alpha}"


class Softmax(_Activation):
    """exp(aᵢ) / Σⱼ exp(aⱼ) along a dimension."""

    function = staticmethod(functional.softmax)

    def __init__(self, dim: int | None = None):
        super().__init__(dim=dim)

    def extra_repr(self) -> str:
        """The dimension."""
        return f"dim={self.dim}"


class LogSoftmax(Softmax):
    """ln softmax along a dimension."""

    function = staticmethod(functional.log_softmax)

    def extra_repr(self) -> str:
        """The dimension."""
        return f"dim={self.dim}"
