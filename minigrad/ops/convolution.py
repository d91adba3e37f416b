"""Convolutions and pooling: a small window moves over images, which are the last two dimensions.

A convolution is a product of matrices: the kernels times each window, written as a column. So is its derivative, and as
it is linear in the input and in the kernels, its second derivative is made of convolutions again.
"""

from __future__ import annotations

import math

import numpy as np

from ..memory import arange, images_in_order, see
from .formulas import raw_of
from .primitive import op
from .second import straight, tied
from .shape import put

# ---------------------------------------------------------------------------------------------------------------------
# Borders, and windows


def bordered_size(size, padding):
    """The height and the width of an image with a border."""
    height, width = size
    rows, columns = padding
    return height + 2 * rows, width + 2 * columns


def _inner(image, padding):
    """What is within the border."""
    height, width = image.shape[-2:]
    rows, columns = padding
    return image[..., rows : height - rows, columns : width - columns]


def _bordered(image, padding, value):
    """An image with a border of one number, if there is to be one."""
    return _with_border(image, padding, value) if any(padding) else image


@op("ConstantPadNdBackward0", self=lambda grad, padding: _inner(grad, padding))
def _with_border(self, padding, value):
    """A border of one number      ∂L/∂a = g without the border"""
    rows, columns = padding
    others = [(0, 0)] * (self.ndim - 2)
    return np.pad(self, [*others, (rows, rows), (columns, columns)], constant_values=value)


def count_windows(size, kernel, stride):
    """How many windows there are in an image of this size: one below the other, and side by side."""
    height, width = size
    return (height - kernel[0]) // stride[0] + 1, (width - kernel[1]) // stride[1] + 1


@op("Im2ColBackward0", input=lambda grad, input_sym_sizes, stride: put_windows(grad, input_sym_sizes[-2:], stride))
def windows_of(input, kernel, stride):
    """All windows of the size `kernel`: (…, *kernel, *places)      ∂L/∂a = g of each window added where it lies

    A view of the input. The places come last: in long rows copies are fast.
    """
    *of_images, down, right = input.strides
    places = count_windows(input.shape[-2:], kernel, stride)
    shape = (*input.shape[:-2], *kernel, *places)
    return see(input, shape, (*of_images, down, right, down * stride[0], right * stride[1]))


@op("Col2ImBackward0", parts=lambda grad, parts_sym_sizes, stride: windows_of(grad, parts_sym_sizes[-4:-2], stride))
def put_windows(parts, size, stride):
    """Zeros with what stands in windows (…, *kernel, *places) added where these lie      ∂L/∂a = the windows of g"""
    *images, height, width, rows, columns = parts.shape
    result = np.zeros_like(parts, shape=(*images, *size))
    for row in range(height):
        for column in range(width):
            down = slice(row, row + stride[0] * rows, stride[0])
            right = slice(column, column + stride[1] * columns, stride[1])
            result[..., down, right] += parts[..., row, column, :, :]
    return result


# ---------------------------------------------------------------------------------------------------------------------
# Convolution


def _columns(input, kernel, stride, padding):
    """Each window as a column: (N, numbers in a window, places)."""
    windows = windows_of(_bordered(input, padding, 0.0), kernel, stride)
    numbers = math.prod(windows.shape[1:4])
    places = math.prod(windows.shape[4:])
    return windows.reshape((windows.shape[0], numbers, places))


def _matrix(weight):
    """The kernels as rows: (out, numbers in a window)."""
    return weight.reshape((weight.shape[0], math.prod(weight.shape[1:])))


def _convolution_grads(grad, wanted, input, weight, stride, padding):
    count, out, *places = grad.shape
    rows = grad.reshape((count, out, math.prod(places)))
    of_input = of_weight = of_bias = None
    if wanted[0]:
        columns = _matrix(weight).swapaxes(0, 1) @ rows
        parts = columns.reshape((count, *weight.shape[1:], *places))
        images = put_windows(parts, bordered_size(input.shape[-2:], padding), stride)
        of_input = _inner(images, padding)
    if wanted[1]:
        columns = _columns(input, weight.shape[2:], stride, padding)
        of_each = rows @ columns.swapaxes(1, 2)
        of_weight = of_each.sum(axis=0).reshape(weight.shape)
    if wanted[2]:
        of_bias = grad.sum(axis=(0, 2, 3))
    return tied((of_input, of_weight, of_bias), input, weight)


@op("ConvolutionBackward0", inputs=("input", "weight", "bias"), together=_convolution_grads)
def convolution(input, weight, bias, stride, padding):
    """c = w ∗ a + b      ∂L/∂a = g ∗ w, turned around      ∂L/∂w = a ∗ g      ∂L/∂b = Σ g

    cₚ = Σ wᵢ aₚ₊ᵢ + b at each place p, so each gₚ goes, times w, back to its window.
    """
    kernel = weight.shape[2:]
    places = count_windows(bordered_size(input.shape[-2:], padding), kernel, stride)
    columns = _columns(input, kernel, stride, padding)
    result = (_matrix(weight) @ columns).reshape(input.shape[0], weight.shape[0], *places)
    return result if bias is None else result + bias.reshape(-1, 1, 1)


# ---------------------------------------------------------------------------------------------------------------------
# Pooling: one number for each window


def _each_window(input, kernel, stride, padding, border):
    """For windows of images with a `border`, one array per offset in the window: (…, *places)."""
    windows = windows_of(_bordered(input, padding, border), kernel, stride)
    return [windows[..., row, column, :, :] for row in range(kernel[0]) for column in range(kernel[1])]


def pool_places(input, kernel, stride, padding, over=(0, 0)):
    """Where the largest number of each window stands in its image, numbered row by row.

    The last windows hang `over` the lower and the right edge by so many rows and columns.
    """
    low = -np.inf if input.dtype.kind == "f" else np.iinfo(input.dtype).min
    others = [(0, 0)] * (input.ndim - 2)
    whole = np.pad(input, [*others, *((0, more) for more in over)], constant_values=low) if any(over) else input
    largest, *others = _each_window(whole, kernel, stride, padding, low)
    where = np.zeros_like(largest, dtype=np.int64)
    for offset, value in enumerate(others, start=1):
        larger = (value > largest) | (value != value)  # nan counts as the largest
        where = np.maximum(where, larger * offset)
        largest = np.maximum(largest, value)
    rows = where // kernel[1] - padding[0]
    rows += arange(where.shape[-2], input)[:, None] * stride[0]
    columns = where % kernel[1] - padding[1]
    columns += arange(where.shape[-1], input) * stride[1]
    # Where nothing in a window is larger than its border, it is the first element in the image.
    return np.maximum(rows, 0) * input.shape[-1] + np.maximum(columns, 0)


def _flattened(image):
    """An image, or several, as one row of numbers for each."""
    *images, height, width = image.shape
    return image.reshape((math.prod(images), height * width))


def _image_index(places):
    """An array index for the flattened images: at each place of `places` the element that it names."""
    flat = _flattened(places)
    return arange(len(flat), flat)[:, None], flat


def _max_pool_grad(grad, self, result1):
    *images, height, width = self.shape
    places = _image_index(raw_of(result1))
    spread = put(_flattened(grad), (math.prod(images), height * width), places)
    return straight(spread.reshape(self.shape), self)


@op("MaxPool2DWithIndicesBackward0", self=_max_pool_grad)
def max_pool2d(self, result1):
    """c = the largest a of each window      g goes there, to the first of several"""
    return _flattened(self)[_image_index(result1)].reshape(result1.shape)


def _avg_pool_grad(grad, self, kernel_size, stride, padding):
    *images, rows, columns = grad.shape
    share = (grad / math.prod(kernel_size))[..., None, None, :, :]
    shares = np.broadcast_to(share, (*images, *kernel_size, rows, columns))
    spread = put_windows(shares, bordered_size(self.shape[-2:], padding), stride)
    return straight(_inner(spread, padding), self)


@op("AvgPool2DBackward0", self=_avg_pool_grad)
def avg_pool2d(self, kernel_size, stride, padding):
    """c = the mean of each window of n, zeros of the border included      each of its a gets g / n"""
    means = images_in_order(sum(_each_window(self, kernel_size, stride, padding, 0)) / math.prod(kernel_size))
    return means if self.dtype.kind == "f" else np.trunc(means).astype(self.dtype)
