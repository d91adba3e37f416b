"""Convolutions and pooling as functions, with PyTorch's arguments and errors; the formulas: `ops/convolution.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import functions
from ..autograd.variable import TensorBase as Tensor
from ..autograd.variable import make_tensor
from ..functions.arguments import same_dtype
from ..hints import hinted
from ..ops import convolution
from ..ops.errors import check_dim, cpp_name, require_kind

__all__ = ["adaptive_avg_pool2d", "avg_pool2d", "conv2d", "max_pool2d"]


def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0) -> Any:
    """Images (N, C, H, W), or one (C, H, W), convolved with kernels `weight` (out, C, height, width).

    `padding` is the width of a border of zeros.
    """
    if input._value.ndim not in (3, 4):
        said = f"Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: {list(input.shape)}"
        raise hinted(RuntimeError(said))
    if weight._value.ndim < 3:
        raise hinted(RuntimeError("weight should have at least three dimensions"))
    if weight._value.ndim != 4:
        raise RuntimeError(f"conv2d: weight is (out, channels, height, width), but has the size {list(weight.shape)}")
    if input._value.ndim == 3:
        return functions.squeeze(conv2d(functions.unsqueeze(input, 0), weight, bias, stride, padding), 0)
    stride, padding = pair("stride", stride), pair("padding", padding)
    _check_convolution(input, weight, bias, stride, padding)
    return convolution.convolution(input, weight, bias, stride, padding)


def pair(name: str, value: Any) -> tuple[int, int]:
    """A number for rows and one for columns."""
    if isinstance(value, str) and name == "padding":
        raise NotImplementedError(f"minigrad: a border is so many zeros wide, {value!r} says no number")
    if not isinstance(value, int | tuple | list):
        raise TypeError(f"{name} is a single int, or a tuple of two ints, for rows and columns, not {value!r}")
    values = (value,) if isinstance(value, int) else tuple(value)
    if len(values) not in (1, 2):
        raise RuntimeError(f"{name} is a single int, or a tuple of two ints, for rows and columns, not {values}")
    return (values[0], values[-1])


def _check_convolution(input: Any, weight: Any, bias: Any, stride: tuple[int, int], padding: tuple[int, int]) -> None:
    x, w = input._value, weight._value
    given = f"weight of size {list(w.shape)}"
    if min(padding) < 0 or min(stride) <= 0:
        raise RuntimeError(f"{'negative padding' if min(padding) < 0 else 'non-positive stride'} is not supported")
    if x.shape[1] != w.shape[1]:
        said = (
            f"Given groups=1, {given}, expected input{list(x.shape)} to have {w.shape[1]} channels, but got "
            f"{x.shape[1]} channels instead"
        )
        raise hinted(RuntimeError(said))
    if bias is not None and bias._value.shape != w.shape[:1]:
        raise RuntimeError(
            f"Given {given}, expected bias to be 1-dimensional with {w.shape[0]} elements, but "
            f"got bias of size {list(bias._value.shape)} instead"
        )
    padded = convolution.bordered_size(x.shape[-2:], padding)
    if padded[0] < w.shape[2] or padded[1] < w.shape[3]:
        shown = [" x ".join(map(str, size)) for size in (padded, w.shape[2:])]
        raise RuntimeError(
            f"Calculated padded input size per channel: ({shown[0]}). Kernel size: ({shown[1]}). Kernel size can't be "
            "greater than actual input size"
        )
    if bias is not None:
        same_dtype(input, bias, "Input type ({}) and bias type ({}) should be the same", cpp_name)
    require_kind(x, "fiu", "slow_conv2d_cpu")
    same_dtype(input, weight, "expected scalar type {} but found {}")


def max_pool2d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> Any:
    """The largest number of each window of images (N, C, H, W) or (C, H, W): side by side if no `stride` is given.

    With `ceil_mode` the last window may hang over the edge.
    """
    if input._value.ndim not in (3, 4):
        raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    if pair("dilation", dilation) != (1, 1):
        raise NotImplementedError("minigrad: pools have windows without gaps (dilation=1)")
    options = _pool(input, kernel_size, stride, padding, ceil_mode)
    require_kind(input._value, "fiu", "max_pool2d")
    return convolution.max_pool2d(input, make_tensor(convolution.pool_places(input._value, *options)))


def avg_pool2d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0) -> Any:
    """The mean of each window of images (N, C, H, W) or (C, H, W), zeros of the border included.

    Windows stand side by side if no `stride` is given.
    """
    check_dim(-3, input._value.ndim)
    kernel, stride, padding, _ = _pool(input, kernel_size, stride, padding)
    require_kind(input._value, "fiu", "avg_pool2d_out_frame")
    return convolution.avg_pool2d(input, kernel, stride, padding)


def _pool(
    input: Any, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool = False
) -> tuple[tuple[int, ...], ...]:
    """The options of a pool, for rows and columns. Raises PyTorch's errors for those that do not fit its input.

    The last is how far `ceil_mode` lets a window hang over: one that starts within the image, or before it.
    """
    kernel = pair("kernel_size", kernel_size)
    padding = pair("padding", padding)
    stride = kernel if stride is None else pair("stride", stride)
    if min(stride) < 1 or min(padding) < 0:
        said = f"pad must be non-negative, but got pad: {min(padding)}"
        raise RuntimeError(said if min(padding) < 0 else "stride should not be zero")
    for k, p in zip(kernel, padding, strict=True):
        if p > k // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and dilation=1"
            )
    shape = input._value.shape
    if len(shape) not in (3, 4) or 0 in shape[len(shape) - 3 :]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but got:"
            f"[{', '.join(map(str, shape))}]"
        )
    channels, *size = shape[-3:]
    bordered = convolution.bordered_size(size, padding)
    found: Sequence[int] = convolution.count_windows(bordered, kernel, stride)
    each = zip(found, bordered, kernel, stride, padding, strict=True)
    over = [(k - n) % s if ceil_mode and windows * s < n - p else 0 for windows, n, k, s, p in each]
    found = [n + (more > 0) for n, more in zip(found, over, strict=True)]
    if min(found) < 1:
        before, after = ("x".join(map(str, (channels, *s))) for s in (size, found))
        raise RuntimeError(f"Given input size: ({before}). Calculated output size: ({after}). Output size is too small")
    return kernel, stride, padding, tuple(over)


def adaptive_avg_pool2d(input: Tensor, output_size: int | Sequence[int]) -> Any:
    """The mean of each channel of images (N, C, H, W) or (C, H, W): the `output_size` is 1, and no other."""
    if input._value.ndim not in (3, 4):
        raise RuntimeError(f"adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got {list(input._value.shape)}")
    if pair("output_size", output_size) != (1, 1):
        raise NotImplementedError(
            f"minigrad: adaptive_avg_pool2d gives one mean, there is no output_size={output_size}"
        )
    return input.mean((-1, -2), keepdim=True)
