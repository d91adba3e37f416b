"""Layers: maps with what they learn, and with what they remember of the batches they have seen."""

from __future__ import annotations

import math
from typing import Any

from .. import creation
from ..functions.calling import called
from . import functional, init
from .module import Module
from .parameter import Parameter
from .windows import pair

__all__ = ["Linear", "Conv2d", "Embedding", "LayerNorm", "BatchNorm1d", "BatchNorm2d", "Identity"]

_empty = called(creation.empty)  # with PyTorch's words for `nn.Linear(7 * 7 / 2, 10)`


class _Weighted(Module):
    """What linear layers and convolutions learn."""

    def _learn(self, size: tuple[Any, ...], bias: bool, device: Any, dtype: Any) -> None:
        """A weight of this size and, if wanted, a bias for each of its rows."""
        self.weight = Parameter(_empty(size, dtype=dtype, device=device))
        self.register_parameter("bias", Parameter(_empty(size[0], dtype=dtype, device=device)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new initial values: uniform in ±1/√n, where n numbers of the input go into one of the output."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            count = math.prod(self.weight.shape[1:])
            bound = 1 / math.sqrt(count) if count else 0
            init.uniform_(self.bias, -bound, bound)


class Linear(_Weighted):
    """y = x · Wᵀ + b, with W (out_features, in_features) and b (out_features) uniform in ±1/√in_features at first."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self._learn((out_features, in_features), bias, device, dtype)

    def forward(self, input: Any) -> Any:
        """(…, in_features) to (…, out_features)."""
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The sizes."""
        bias = self.bias is not None
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={bias}"


class Conv2d(_Weighted):
    """Convolution of images (N, in_channels, H, W).

    Kernels (out_channels, in_channels, *kernel_size) and bias are uniform at first, in ±1/√(numbers in a window).
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        *,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ):
        super().__init__()
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = pair("kernel_size", kernel_size)
        self.stride = pair("stride", stride)
        self.padding = pair("padding", padding)
        self._learn((out_channels, in_channels, *self.kernel_size), bias, device, dtype)

    def forward(self, input: Any) -> Any:
        """(N, in_channels, H, W) to (N, out_channels, …)."""
        return functional.conv2d(input, self.weight, self.bias, self.stride, self.padding)

    def extra_repr(self) -> str:
        """The sizes, and what is not as usual."""
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        if self.padding != (0, 0):
            text += f", padding={self.padding}"
        return text + (", bias=False" if self.bias is None else "")


class Embedding(Module):
    """A table of vectors: number i stands for row i. The rows are standard normal at first."""

    def __init__(self, num_embeddings: int, embedding_dim: int, *, device: Any = None, dtype: Any = None):
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.weight = Parameter(_empty((num_embeddings, embedding_dim), device=device, dtype=dtype))
        self.reset_parameters()

    @classmethod
    def from_pretrained(cls, embeddings: Any, freeze: bool = True) -> Embedding:
        """A table of vectors that there are: they stay as they are, unless `freeze=False`."""
        table = cls(0, embeddings.shape[1])
        table.num_embeddings = embeddings.shape[0]
        table.weight = Parameter(embeddings, requires_grad=not freeze)
        return table

    def reset_parameters(self) -> None:
        """Draw new initial values."""
        init.normal_(self.weight)

    def forward(self, input: Any) -> Any:
        """(…) to (…, embedding_dim)."""
        return functional.embedding(input, self.weight)

    def extra_repr(self) -> str:
        """The sizes."""
        return f"{self.num_embeddings}, {self.embedding_dim}"


class _Normalization(Module):
    """What is learned behind a normalization: a weight, which is 1 at first, and a bias, which is 0."""

    def _learn(self, size: Any, weight: bool, bias: bool, **made: Any) -> None:
        self.register_parameter("weight", Parameter(_empty(size, **made)) if weight else None)
        self.register_parameter("bias", Parameter(_empty(size, **made)) if weight and bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Weight 1 and bias 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)


class LayerNorm(_Normalization):
    """(a - mean) / √(var + eps) over the last dimensions, of the size `normalized_shape`, times weight, plus bias."""

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._learn(self.normalized_shape, elementwise_affine, bias, device=device, dtype=dtype)

    def forward(self, input: Any) -> Any:
        """(…, *normalized_shape) to the same shape."""
        return functional.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The size and the options."""
        affine, bias = self.elementwise_affine, self.bias is not None
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={affine}, bias={bias}"


class _BatchNorm(_Normalization):
    """(a - mean) / √(var + eps) of each channel (dimension 1), times weight, plus bias.

    While training, mean and variance are those of the batch; afterwards the running ones that training has left.
    """

    dims: tuple[int, ...]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        for name in ("running_mean", "running_var"):
            buffer = _empty(num_features, device=device, dtype=dtype) if track_running_stats else None
            self.register_buffer(name, buffer)
        counted = creation.tensor(0, device=device) if track_running_stats else None
        self.register_buffer("num_batches_tracked", counted)
        self._learn(num_features, affine, bias, device=device, dtype=dtype)

    def reset_running_stats(self) -> None:
        """Forget what training has left: mean 0, variance 1, no batch."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Weight 1 and bias 0, and no running statistics."""
        self.reset_running_stats()
        super().reset_parameters()

    def forward(self, input: Any) -> Any:
        """(N, C, …) to the same shape."""
        if input.dim() not in self.dims:
            wanted = " or ".join(f"{n}D" for n in self.dims)
            raise ValueError(f"expected {wanted} input (got {input.dim()}D input)")
        momentum = self.momentum
        if self.training and self.track_running_stats:
            self.num_batches_tracked.add_(1)
            momentum = 1 / self.num_batches_tracked.item() if momentum is None else momentum
        of_batch = self.training or self.running_mean is None
        running = (self.running_mean, self.running_var) if not of_batch or self.track_running_stats else (None, None)
        return functional.batch_norm(input, *running, self.weight, self.bias, of_batch, momentum or 0.0, self.eps)

    def extra_repr(self) -> str:
        """The size and the options."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    """Batch normalization of (N, C) or (N, C, L)."""

    dims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalization of images (N, C, H, W)."""

    dims = (4,)


class Identity(Module):
    """Returns its input."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__()

    def forward(self, input: Any) -> Any:
        """Any shape to the same shape."""
        return input
