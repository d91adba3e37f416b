"""Convolutions and pooling: a small window moves over the last dimensions, one for sequences, two for images.

A convolution is a product of matrices: the kernels times each window, written as a column. So is its derivative, and as
it is linear in the input and in the kernels, its second derivative is made of convolutions again.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from ..memory import arange, see
from .formulas import raw_of
from .layer import constant_pad
from .primitive import op
from .second import straight, tied
from .shape import put


def _bordered(input, padding, value=0.0):
    """The input with a border around its last dimensions."""
    if not any(padding):
        return input
    return constant_pad(input, tuple([p for n in reversed(padding) for p in (n, n)]), value)


@op(
    "Im2ColBackward0",
    input=lambda grad, input_sym_sizes, kernel, stride, dilation: put_windows(
        grad, input_sym_sizes[-len(kernel) :], stride, dilation
    ),
)
def windows_of(input, kernel, stride, dilation):
    """All windows of the size `kernel`: (…, *kernel, *places)      ∂L/∂a = g of each window added where it lies

    A view of the input. The places come last: in long rows copies are fast.
    """
    first, last = input.shape[: -len(kernel)], input.shape[-len(kernel) :]
    steps = input.strides[-len(kernel) :]
    places = [(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(last, kernel, stride, dilation)]
    strides = [step * d for step, d in zip(steps, dilation)] + [step * s for step, s in zip(steps, stride)]
    return see(input, (*first, *kernel, *places), (*input.strides[: -len(kernel)], *strides))


@op(
    "Col2ImBackward0",
    parts=lambda grad, parts_sym_sizes, stride, dilation: windows_of(
        grad, parts_sym_sizes[-2 * len(stride) : -len(stride)], stride, dilation
    ),
)
def put_windows(parts, size, stride, dilation):
    """Zeros with what stands in windows (…, *kernel, *places) added where these lie      ∂L/∂a = the windows of g"""
    rank = len(stride)
    kernel, places = parts.shape[-2 * rank : -rank], parts.shape[-rank:]
    result, all_places = np.zeros_like(parts, shape=(*parts.shape[: -2 * rank], *size)), (slice(None),) * rank
    if all(s > d * (k - 1) for s, d, k in zip(stride, dilation, kernel)):  # no two windows share a number
        windows_of(result, kernel, stride, dilation)[...] = parts
        return result
    slices = [
        [slice(o * d, o * d + s * (n - 1) + 1, s) for o in range(k)]
        for k, d, s, n in zip(kernel, dilation, stride, places)
    ]
    for offset, where in zip(product(*map(range, kernel)), product(*slices)):
        result[(..., *where)] += parts[(..., *offset, *all_places)]
    return result


def _inner(values, padding, size):
    """What is within the border."""
    return values[(..., *[slice(p, p + n) for p, n in zip(padding, size)])]


def _columns(input, kernel, stride, padding, dilation, groups):
    """Each window as a column: (N, groups, numbers in a window, places), and how many places along each dimension."""
    windows = windows_of(_bordered(input, padding), kernel, stride, dilation)
    count, channels = input.shape[0], input.shape[1] // groups
    places = windows.shape[2 + len(kernel) :]
    return windows.reshape((count, groups, channels * math.prod(kernel), math.prod(places))), places


def _matrix(weight, groups):
    """The kernels of each group as rows: (groups, out, numbers in a window)."""
    return weight.reshape((groups, weight.shape[0] // groups, math.prod(weight.shape[1:])))


def _convolution_grads(grad, wanted, input, weight, stride, padding, dilation, groups):
    count, out, *places = grad.shape
    rows = grad.reshape((count, groups, out // groups, math.prod(places)))
    of_input = of_weight = None
    if wanted[0]:
        parts = (_matrix(weight, groups).swapaxes(1, 2) @ rows).reshape(
            (count, weight.shape[1] * groups, *weight.shape[2:], *places)
        )
        size = input.shape[2:]
        bordered = put_windows(parts, [n + 2 * p for n, p in zip(size, padding)], stride, dilation)
        of_input = _inner(bordered, padding, size)
    if wanted[1]:
        columns, _ = _columns(input, weight.shape[2:], stride, padding, dilation, groups)
        of_weight = (rows @ columns.swapaxes(2, 3)).sum(axis=0).reshape(tuple(weight.shape))
    of_bias = grad.sum(axis=(0, *range(2, len(grad.shape)))) if wanted[2] else None
    return tied((of_input, of_weight, of_bias), input, weight)


@op("ConvolutionBackward0", inputs=("input", "weight", "bias"), together=_convolution_grads)
def convolution(input, weight, bias, stride, padding, dilation, groups):
    """c = w ∗ a + b      ∂L/∂a = g ∗ w, turned around      ∂L/∂w = a ∗ g      ∂L/∂b = Σ g

    cₚ = Σ wᵢ aₚ₊ᵢ + b at each place p, so each gₚ goes, times w, back to its window.
    """
    columns, places = _columns(input, weight.shape[2:], stride, padding, dilation, groups)
    result = (_matrix(weight, groups) @ columns).reshape(input.shape[0], weight.shape[0], *places)
    return result if bias is None else result + bias.reshape(-1, *(1,) * len(places))


# ---------------------------------------------------------------------------------------------------------------------
# Pooling: one number for each window


def pool_size(size, kernel, stride, padding):
    """How many windows there are along each dimension."""
    return [(n + 2 * p - k) // s + 1 for n, k, s, p in zip(size, kernel, stride, padding)]


def _each_window(input, kernel, stride, padding, border):
    """For windows of images with a `border`, one array per offset in the window: (…, *places)."""
    windows = windows_of(_bordered(input, padding, border), kernel, stride, (1, 1))
    return [windows[..., row, column, :, :] for row in range(kernel[0]) for column in range(kernel[1])]


def pool_places(input, kernel, stride, padding):
    """Where the largest number of each window stands in its image, numbered row by row."""
    low = -np.inf if input.dtype.kind == "f" else np.iinfo(input.dtype).min
    largest, *others = _each_window(input, kernel, stride, padding, low)
    where = np.zeros_like(largest, dtype=np.int64)
    for offset, value in enumerate(others, start=1):
        where = np.maximum(where, ((value > largest) | (value != value)) * offset)  # nan counts as the largest
        largest = np.maximum(largest, value)
    rows, columns = where // kernel[1] - padding[0], where % kernel[1] - padding[1]
    rows += arange(where.shape[-2], input)[:, None] * stride[0]
    columns += arange(where.shape[-1], input) * stride[1]
    # Where nothing in a window is larger than its border, it is the first element in the image.
    return np.maximum(rows, 0) * input.shape[-1] + np.maximum(columns, 0)


def _image_index(places):
    """An array index for the flattened images: at each place of `places` the element that it names."""
    flat = places.reshape(-1, places.shape[-2] * places.shape[-1])
    return arange(len(flat), flat)[:, None], flat


def _max_pool_grad(grad, self, result1):
    shape, index = (math.prod(self.shape[:-2]), self.shape[-2] * self.shape[-1]), _image_index(raw_of(result1))
    return straight(put(grad.reshape(index[1].shape), shape, index).reshape(self.shape), self)


@op("MaxPool2DWithIndicesBackward0", self=_max_pool_grad)
def max_pool2d(self, result1):
    """c = the largest a of each window      g goes there, to the first of several"""
    return self.reshape(-1, self.shape[-2] * self.shape[-1])[_image_index(result1)].reshape(result1.shape)


def _avg_pool_grad(grad, self, kernel_size, stride, padding):
    *images, rows, columns = grad.shape
    share = (grad / math.prod(kernel_size))[..., None, None, :, :]
    shares = np.broadcast_to(share, (*images, *kernel_size, rows, columns))
    size = [n + 2 * p for n, p in zip(self.shape[-2:], padding)]
    return straight(_inner(put_windows(shares, size, stride, (1, 1)), padding, self.shape[-2:]), self)


@op("AvgPool2DBackward0", self=_avg_pool_grad)
def avg_pool2d(self, kernel_size, stride, padding):
    """c = the mean of each window of n, zeros of the border included      each of its a gets g / n"""
    means = sum(_each_window(self, kernel_size, stride, padding, 0)) / math.prod(kernel_size)
    return means if self.dtype.kind == "f" else np.trunc(means).astype(self.dtype)
