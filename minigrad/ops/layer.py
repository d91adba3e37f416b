"""What layers of networks are made of: normalization and padding."""

from __future__ import annotations

import numpy as np

from .errors import require_kind
from .placing import put_part
from .primitive import op, unary

# ---------------------------------------------------------------------------------------------------------------------
# Normalization: c = w · x + b with x = (a - mean) / √(var + ε), the mean and variance over some dimensions


def _standardized(self, dims, eps):
    centered = self - self.mean(axis=dims, keepdims=True)
    return centered / np.sqrt((centered * centered).mean(axis=dims, keepdims=True) + eps)


def _standardized_grad(grad, self, dims, eps):
    """The gradient of `_standardized`: g without what a shift or a stretch of all a would have changed in vain."""
    variance = ((self - self.mean(axis=dims, keepdims=True)) ** 2).mean(axis=dims, keepdims=True)
    x = _standardized(self, dims, eps)
    shift, stretch = grad.mean(axis=dims, keepdims=True), (grad * x).mean(axis=dims, keepdims=True)
    return (grad - shift - x * stretch) / np.sqrt(variance + eps)


def _last(self, normalized_shape):
    ndim = len(self.shape)
    return tuple(range(ndim - len(normalized_shape), ndim))


@op(
    "NativeLayerNormBackward0",
    input=lambda grad, input, normalized_shape, weight, eps: _standardized_grad(
        grad if weight is None else grad * weight, input, _last(input, normalized_shape), eps
    ),
    weight=lambda grad, input, normalized_shape, eps: grad * _standardized(input, _last(input, normalized_shape), eps),
    bias=lambda grad: grad,
)
def layer_norm(input, normalized_shape, weight, bias, eps):
    """c = w · x + b, x = (a - mean) / √(var + ε) over the last dimensions      ∂L/∂b = Σ g      ∂L/∂w = Σ g · x

    With h = g · w:  ∂L/∂a = (h - mean h - x · mean(h · x)) / √(var + ε)
    """
    require_kind(input, "f", "LayerNormKernelImpl")
    return _affine(_standardized(input, _last(input, normalized_shape), eps), weight, bias)


def _affine(x, weight, bias):
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


def _all_but_channels(self):
    return tuple(d for d in range(len(self.shape)) if d != 1)


def _beside_channels(self, values):
    """One value for each channel, to be broadcast along dimension 1."""
    return values.reshape((1, -1, *(1,) * (len(self.shape) - 2)))


def _normalized(input, running_mean, running_var, training, eps):
    if training:
        return _standardized(input, _all_but_channels(input), eps)
    mean, variance = (_beside_channels(input, v) for v in (running_mean, running_var))
    return (input - mean) / np.sqrt(variance + eps)


def _batch_norm_grad(grad, input, weight, running_var, training, eps):
    grad = grad if weight is None else grad * _beside_channels(input, weight)
    if training:
        return _standardized_grad(grad, input, _all_but_channels(input), eps)
    return grad / np.sqrt(_beside_channels(input, running_var) + eps)


@op(
    "NativeBatchNormBackward0",
    input=lambda grad, input, weight, running_var, training, eps: _batch_norm_grad(
        grad, input, weight, running_var, training, eps
    ),
    weight=lambda grad, input, running_mean, running_var, training, eps: (
        grad * _normalized(input, running_mean, running_var, training, eps)
    ).sum(axis=_all_but_channels(input)),
    bias=lambda grad, input: grad.sum(axis=_all_but_channels(input)),
)
def batch_norm(input, weight, bias, running_mean, running_var, training, eps):
    """c = w · x + b for each channel, x = (a - mean) / √(var + ε)      ∂L/∂b = Σ g      ∂L/∂w = Σ g · x

    While training, mean and variance are those of the batch, and with h = g · w
    ∂L/∂a = (h - mean h - x · mean(h · x)) / √(var + ε). Afterwards they are constants: ∂L/∂a = h / √(var + ε).
    """
    require_kind(input, "f", "batch_norm")
    x = _normalized(input, running_mean, running_var, training, eps)
    return _affine(x, *(v if v is None else _beside_channels(input, v) for v in (weight, bias)))


# ---------------------------------------------------------------------------------------------------------------------
# Padding. `pad` has two numbers for each dimension, before and behind, those of the last dimension first


@unary("ConstantPadNdBackward0", self=lambda grad, pad: constant_pad(grad, tuple(-n for n in pad), 0.0))
def constant_pad(self, pad, value):
    """A border of one number; a negative width cuts off      ∂L/∂a = g without the border"""
    widths = _by_dimension(pad, self.ndim)
    kept = self[tuple(slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(widths, self.shape, strict=True))]
    return np.pad(kept, [(max(a, 0), max(b, 0)) for a, b in widths], constant_values=value)


def _by_dimension(pad, ndim):
    pairs = [(pad[i], pad[i + 1]) for i in range(0, len(pad), 2)]
    return [(0, 0)] * (ndim - len(pairs)) + pairs[::-1]


def _mirroring(name, mode):
    """The operation that fills a border with elements of the tensor itself, by one of numpy's modes."""

    def pad_like(self, padding):
        return self[_places(self.shape, padding, mode)]

    pad_like.__doc__ = f"A border filled from the tensor itself ({mode})      ∂L/∂a = g, that of the border added"

    def spread_back(grad, self_sym_sizes, padding):
        return put_part(grad, self_sym_sizes, _places(self_sym_sizes, padding, mode))

    return unary(name, self=spread_back)(pad_like)


def _places(shape, padding, mode):
    widths = _by_dimension(padding, len(shape))
    return np.ix_(*(np.pad(np.arange(n), width, mode=mode) for n, width in zip(shape, widths, strict=True)))


#: By PyTorch's name of the mode and the number of padded dimensions.
PADS = {
    (mode, n): _mirroring(f"{name}Pad{n}DBackward0", numpy_mode)
    for mode, name, numpy_mode in (("reflect", "Reflection", "reflect"), ("replicate", "Replication", "edge"))
    for n in (1, 2, 3)
}
