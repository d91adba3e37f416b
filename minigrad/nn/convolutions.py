# ruff: noqa: D101 (the docstring of a pool is that of its function)
"""Layers for sequences and images: convolutions and pooling."""

from __future__ import annotations

from typing import Any

from . import functional
from .applied import Applied
from .layers import Weighted
from .windows import each

__all__ = ["Conv1d", "Conv2d", "MaxPool2d", "AvgPool2d", "AdaptiveAvgPool2d"]

_PADDING_MODES = ("zeros", "replicate", "circular", "reflect")


class _Convolution(Weighted):
    """The kernels and the options of a convolution over `rank` dimensions.

    Kernels (out_channels, in_channels / groups, *kernel_size) and bias are uniform at first, in ±1/√(numbers in a
    window).
    """

    rank: int
    function: Any

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ):
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}")
            if padding == "same" and any(step != 1 for step in each(stride, self.rank)):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in _PADDING_MODES:
            modes = ", ".join(map(repr, _PADDING_MODES))
            raise ValueError(f"padding_mode must be one of {{{modes}}}, but got {padding_mode=}")
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.dilation = (
            each(value, self.rank) for value in (kernel_size, stride, dilation)
        )
        self.padding = padding if isinstance(padding, str) else each(padding, self.rank)
        self.padding_mode = padding_mode
        self._learn((out_channels, in_channels // groups, *self.kernel_size), bias, device, dtype)

    def forward(self, input: Any) -> Any:
        """(N, in_channels, …) to (N, out_channels, …)."""
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = functional.pad(input, self._borders(), mode=self.padding_mode), 0
        options = (self.stride, padding, self.dilation, self.groups)
        return type(self).function(input, self.weight, self.bias, *options)

    def _borders(self) -> list[int]:
        """The widths before and behind each dimension, the last first."""
        widths = []
        for i in reversed(range(self.rank)):
            border = self.dilation[i] * (self.kernel_size[i] - 1) if self.padding == "same" else 0
            before = self.padding[i] if not isinstance(self.padding, str) else border // 2
            widths += [before, before if not isinstance(self.padding, str) else border - before]
        return widths

    def extra_repr(self) -> str:
        """The sizes, and what is not as usual."""
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        for name, usual in (("padding", (0,) * self.rank), ("dilation", (1,) * self.rank), ("groups", 1)):
            if getattr(self, name) != usual:
                text += f", {name}={getattr(self, name)}"
        text += ", bias=False" if self.bias is None else ""
        return text if self.padding_mode == "zeros" else f"{text}, padding_mode={self.padding_mode}"


class Conv1d(_Convolution):
    """Convolution of sequences (N, in_channels, L)."""

    rank = 1
    function = staticmethod(functional.conv1d)


class Conv2d(_Convolution):
    """Convolution of images (N, in_channels, H, W)."""

    rank = 2
    function = staticmethod(functional.conv2d)


class _Pool(Applied):
    kernel_size: Any
    stride: Any = None
    padding: Any = 0

    def __post_init__(self) -> None:
        """Windows stand side by side if no stride is given."""
        if self.stride is None:
            self.stride = self.kernel_size


class MaxPool2d(_Pool, of=functional.max_pool2d):
    dilation: Any = 1
    return_indices: bool = False
    ceil_mode: bool = False

    def extra_repr(self) -> str:
        """The options."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, dilation={self.dilation}, "
            f"ceil_mode={self.ceil_mode}"
        )


class AvgPool2d(_Pool, of=functional.avg_pool2d):
    ceil_mode: bool = False
    count_include_pad: bool = True
    divisor_override: int | None = None

    def extra_repr(self) -> str:
        """The options."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AdaptiveAvgPool2d(Applied, of=functional.adaptive_avg_pool2d):
    output_size: Any
