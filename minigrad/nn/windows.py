"""Convolutions and pooling as functions, with PyTorch's arguments and errors; the formulas: `ops/convolution.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import functions
from ..autograd.variable import TensorBase as Tensor
from ..autograd.variable import make_tensor
from ..hints import with_hint
from ..ops import convolution
from ..ops.errors import check_dim, cpp_name, require_kind, type_letter

__all__ = ["adaptive_avg_pool2d", "avg_pool2d", "conv2d", "max_pool2d"]


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """Images (N, C, H, W), or one (C, H, W), convolved with kernels `weight` (out, C / groups, height, width).

    `padding` is the width of a border of zeros; with `dilation` the numbers of a window stand so far apart; with
    `groups` channels meet only those of their own group.
    """
    if len(weight._value.shape) < 3:
        raise RuntimeError("weight should have at least three dimensions")
    if len(input._value.shape) not in (3, 4):
        raise RuntimeError(
            "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: "
            f"{list(input._value.shape)}"
        )
    if len(input._value.shape) == 3:
        one = functions.unsqueeze(input, 0)
        return functions.squeeze(conv2d(one, weight, bias, stride, padding, dilation, groups), 0)
    kernel = tuple(weight._value.shape[2:])
    stride, dilation = _for_each("stride", stride, kernel), _for_each("dilation", dilation, kernel)
    padding = _for_each("padding", padding, kernel)
    _check_convolution(input, weight, bias, stride, padding, dilation, groups)
    return convolution.convolution(input, weight, bias, stride, padding, dilation, groups)


def each(value: Any) -> tuple[int, ...]:
    """A number for rows and one for columns, or the numbers that are given."""
    if isinstance(value, str):
        raise NotImplementedError(f"minigrad: a border is so many zeros wide, {value!r} says no number")
    return (value, value) if isinstance(value, int) else tuple(value)


def _for_each(name: str, value: Any, kernel: tuple[int, ...]) -> tuple[int, ...]:
    """One number for each dimension of the kernels."""
    values = each(value)
    if len(values) not in (1, len(kernel)):
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {len(kernel)} values to match the convolution "
            f"dimensions, but got {name}={list(values)}"
        )
    return values * len(kernel) if len(values) == 1 else values


def _check_convolution(
    input: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> None:
    x, w = input._value, weight._value
    given, sizes = f"Given groups={groups}", f"weight of size {list(w.shape)}"
    if groups <= 0 or min(padding) < 0 or min(stride) <= 0 or min(dilation) <= 0 or w.shape[0] % groups:
        raise RuntimeError(f"{given}, stride={stride}, padding={padding}, dilation={dilation}, {sizes}: that cannot be")
    if x.ndim != w.ndim or x.shape[1] != w.shape[1] * groups:
        raise with_hint(
            RuntimeError(
                f"{given}, {sizes}, expected input{list(x.shape)} to have "
                f"{w.shape[1] * groups} channels, but got {x.shape[1]} channels instead"
            ),
            "An input is (N, channels, …): dimension 1 counts the channels.",
            "输入的形状是 (N, 通道数, …)：第 1 维是通道数。",
        )
    if bias is not None and bias._value.shape != w.shape[:1]:
        raise RuntimeError(
            f"Given {sizes}, expected bias to be 1-dimensional with {w.shape[0]} elements, but "
            f"got bias of size {list(bias._value.shape)} instead"
        )
    padded = [n + 2 * p for n, p in zip(x.shape[2:], padding, strict=True)]
    window = [d * (k - 1) + 1 for k, d in zip(w.shape[2:], dilation, strict=True)]
    if any(n < k for n, k in zip(padded, window, strict=True)):
        shown = [" x ".join(map(str, sizes)) for sizes in (padded, window)]
        raise RuntimeError(
            f"Calculated padded input size per channel: ({shown[0]}). Kernel size: ({shown[1]}). Kernel size can't be "
            "greater than actual input size"
        )
    if bias is not None and bias._value.dtype != x.dtype:
        kinds = (cpp_name(t._value) for t in (input, bias))
        raise RuntimeError("Input type ({}) and bias type ({}) should be the same".format(*kinds))
    require_kind(x, "fiu", "slow_conv2d_cpu")
    if x.dtype != w.dtype:
        raise RuntimeError(f"expected scalar type {type_letter(x)} but found {type_letter(w)}")


def max_pool2d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> Any:
    """The largest number of each window of images (N, C, H, W) or (C, H, W): side by side if no `stride` is given."""
    if input._value.ndim not in (3, 4):
        raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    if _pair(dilation) != (1, 1) or ceil_mode:
        raise NotImplementedError("minigrad: pools have windows without gaps (dilation=1), and no ceil_mode")
    kernel, stride, padding = _pool(input, kernel_size, stride, padding)
    require_kind(input._value, "fiu", "max_pool2d")
    return convolution.max_pool2d(input, make_tensor(convolution.pool_places(input._value, kernel, stride, padding)))


def avg_pool2d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0) -> Any:
    """The mean of each window of images (N, C, H, W) or (C, H, W), zeros of the border included.

    Windows stand side by side if no `stride` is given.
    """
    check_dim(-3, input._value.ndim)
    kernel, stride, padding = _pool(input, kernel_size, stride, padding)
    require_kind(input._value, "fiu", "avg_pool2d_out_frame")
    return convolution.avg_pool2d(input, kernel, stride, padding)


def _pair(value: Any) -> tuple[int, int]:
    """A number for rows and one for columns."""
    values = each(value)
    if len(values) not in (1, 2):
        raise RuntimeError(f"a pool has a single int, or a tuple of two ints, for rows and columns, not {values}")
    return (values[0], values[-1])


def _pool(input: Any, kernel_size: Any, stride: Any, padding: Any) -> tuple[tuple[int, int], ...]:
    """The options of a pool, for rows and columns. Raises PyTorch's errors for those that do not fit its input."""
    kernel, padding = _pair(kernel_size), _pair(padding)
    stride = kernel if stride is None else _pair(stride)
    if min(stride) < 1 or min(padding) < 0:
        raise RuntimeError(f"a pool cannot have stride={stride}, padding={padding}")
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
    found = convolution.pool_size(size, kernel, stride, padding)
    if min(found) < 1:
        before, after = ("x".join(map(str, (channels, *s))) for s in (size, found))
        raise RuntimeError(f"Given input size: ({before}). Calculated output size: ({after}). Output size is too small")
    return kernel, stride, padding


def adaptive_avg_pool2d(input: Tensor, output_size: int | Sequence[int]) -> Any:
    """The mean of each channel of images (N, C, H, W) or (C, H, W): the `output_size` is 1, and no other."""
    if input._value.ndim not in (3, 4):
        raise RuntimeError(f"adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got {list(input._value.shape)}")
    if _pair(output_size) != (1, 1):
        raise NotImplementedError(
            f"minigrad: adaptive_avg_pool2d gives one mean, there is no output_size={output_size}"
        )
    return input.mean((-1, -2), keepdim=True)
