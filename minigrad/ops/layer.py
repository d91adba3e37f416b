"""What layers of networks are made of: normalization."""

from __future__ import annotations

import numpy as np

from ..memory import images_in_order, in_order
from .errors import require_kind
from .pointwise import wide
from .primitive import op
from .second import tied

# ---------------------------------------------------------------------------------------------------------------------
# Normalization: c = w · x + b with x = (a - mean) / √(var + ε), the mean and variance over some dimensions


def _standardized(self, dims, eps):
    """x = (a - mean) / s, and s = √(var + ε); of float16 as float32, to be rounded when all is done."""
    self = wide(self)
    centered = self - self.mean(axis=dims, keepdims=True)
    variance = (centered * centered).mean(axis=dims, keepdims=True)
    scale = np.sqrt(variance + (variance - variance) + eps)  # nan where it is too large, as in PyTorch
    return centered / scale, scale


def _standardized_grad(grad, x, scale, dims):
    """The gradient of x: g without what a shift or a stretch of all a would have changed in vain."""
    shift = grad.mean(axis=dims, keepdims=True)
    stretch = (grad * x).mean(axis=dims, keepdims=True)
    return (grad - shift - x * stretch) / scale


def _last(self, normalized_shape):
    ndim = len(self.shape)
    return tuple(range(ndim - len(normalized_shape), ndim))


def _layer_norm_grads(grad, wanted, input, normalized_shape, weight, bias, eps):
    dims = _last(input, normalized_shape)
    x, scale = _standardized(input, dims, eps)
    weighted = grad if weight is None else grad * weight
    grads = (  # of w and b: summed where these are used
        _standardized_grad(weighted, x, scale, dims) if wanted[0] else None,
        grad * x if wanted[1] else None,
        grad if wanted[2] else None,
    )
    return tied(grads, input, weight)


@op("NativeLayerNormBackward0", inputs=("input", "weight", "bias"), together=_layer_norm_grads)
def layer_norm(input, normalized_shape, weight, bias, eps):
    """c = w · x + b, x = (a - mean) / √(var + ε) over the last dimensions      ∂L/∂b = Σ g      ∂L/∂w = Σ g · x

    With h = g · w:  ∂L/∂a = (h - mean h - x · mean(h · x)) / √(var + ε)
    """
    require_kind(input, "f", "LayerNormKernelImpl")
    x, _ = _standardized(input, _last(input, normalized_shape), eps)
    return in_order(_affine(x, weight, bias).astype(input.dtype, copy=False))


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
    scale = np.sqrt(variance + eps)
    return (input - mean) / scale, scale


def _batch_norm_grads(grad, wanted, input, weight, running_mean, running_var, training, eps):
    dims = _all_but_channels(input)
    x, scale = _normalized(input, running_mean, running_var, training, eps)
    weighted = grad if weight is None else grad * _beside_channels(input, weight)
    of_input = None
    if wanted[0]:
        of_input = _standardized_grad(weighted, x, scale, dims) if training else weighted / scale
    of_weight = (grad * x).sum(axis=dims) if wanted[1] else None
    of_bias = grad.sum(axis=dims) if wanted[2] else None
    return tied((of_input, of_weight, of_bias), input, weight)


@op("NativeBatchNormBackward0", inputs=("input", "weight", "bias"), together=_batch_norm_grads)
def batch_norm(input, weight, bias, running_mean, running_var, training, eps):
    """c = w · x + b for each channel, x = (a - mean) / √(var + ε)      ∂L/∂b = Σ g      ∂L/∂w = Σ g · x

    While training, mean and variance are those of the batch, and with h = g · w
    ∂L/∂a = (h - mean h - x · mean(h · x)) / √(var + ε). Afterwards they are constants: ∂L/∂a = h / √(var + ε).
    """
    x, _ = _normalized(input, running_mean, running_var, training, eps)
    weight, bias = (v if v is None else _beside_channels(input, v) for v in (weight, bias))
    return images_in_order(_affine(x, weight, bias).astype(input.dtype, copy=False))
