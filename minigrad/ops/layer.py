"""What layers of networks are made of: normalization and padding."""

from __future__ import annotations

import numpy as np

from .errors import require_kind
from .placing import embed
from .primitive import constant, op, unary

# ---------------------------------------------------------------------------------------------------------------------
# Normalization: c = w · x + b with x = (a - mean) / √(var + ε), the mean and variance over some dimensions


def _standardized(self, dims, eps):
    """x = (a - mean) / s, and s = √(var + ε)."""
    centered = self - self.mean(axis=dims, keepdims=True)
    scale = np.sqrt((centered * centered).mean(axis=dims, keepdims=True) + eps)
    return centered / scale, scale


def _standardized_grad(grad, x, scale, dims):
    """The gradient of x: g without what a shift or a stretch of all a would have changed in vain."""
    shift, stretch = grad.mean(axis=dims, keepdims=True), (grad * x).mean(axis=dims, keepdims=True)
    return (grad - shift - x * stretch) / scale


def _last(self, normalized_shape):
    ndim = len(self.shape)
    return tuple(range(ndim - len(normalized_shape), ndim))


def _bend(grads, input, grad, weight, dims, eps):
    """The derivative of what `layer_norm_backward` gives, with respect to g, to a, and to w wherever it is used.

    `grads` are the gradients u, v, b of ∂L/∂a, ∂L/∂w and ∂L/∂b, in a shape that fits that of a. P stands for
    `_standardized_grad`, which is linear in its first argument and its own transpose, s for √(var + ε), h for g · w.
    ∂/∂g = w · P(u) + v · x + b      ∂/∂w = g · P(u)
    ∂/∂a = P(v · g - (u · mean(h · x) + h · mean(u · x)) / s) - x · mean(u · P(h)) / s
    """
    of_input, of_weight, of_bias = grads
    x, scale = _standardized(input, dims, eps)
    slope = 0.0 if of_weight is None else of_weight * grad
    each = 0.0 if of_weight is None else of_weight * x
    each = each if of_bias is None else each + of_bias
    if of_input is None:
        return each, _standardized_grad(slope + 0.0 * x, x, scale, dims), None
    back, weighted = _standardized_grad(of_input, x, scale, dims), grad if weight is None else grad * weight
    mean_h, mean_u = ((v * x).mean(axis=dims, keepdims=True) for v in (weighted, of_input))
    slope = slope - (of_input * mean_h + weighted * mean_u) / scale
    turned = (of_input * _standardized_grad(weighted, x, scale, dims)).mean(axis=dims, keepdims=True)
    return (
        each + (back if weight is None else back * weight),
        _standardized_grad(slope, x, scale, dims) - x * turned / scale,
        grad * back,
    )


def _layer_norm_bend(grads, wanted, grad_out, input, weight, normalized_shape, eps):
    of_grad, of_input, of_weight = _bend(grads, input, grad_out, weight, _last(input, normalized_shape), eps)
    return of_grad, of_input, None, None, of_weight, None


@op(
    "NativeLayerNormBackwardBackward0",
    outputs=3,
    all_outputs=True,
    inputs=("grad_out", "input", "mean", "rstd", "weight", "bias"),
    together=_layer_norm_bend,
)
def layer_norm_backward(grad_out, input, mean, rstd, weight, bias, normalized_shape, eps, wanted):
    """∂L/∂a, ∂L/∂w and ∂L/∂b of `layer_norm`, those that are wanted. Unlike PyTorch it finds mean and 1 / √var anew."""
    dims, leading = _last(input, normalized_shape), tuple(range(input.ndim - len(normalized_shape)))
    weighted = grad_out if weight is None else grad_out * weight
    x, scale = _standardized(input, dims, eps)
    return (
        _standardized_grad(weighted, x, scale, dims) if wanted[0] else None,
        (grad_out * x).sum(axis=leading) if wanted[1] else None,
        grad_out.sum(axis=leading) if wanted[2] else None,
    )


def _mean(input, normalized_shape):
    return input.mean(axis=_last(input, normalized_shape), keepdims=True)


def _inverse_scale(input, normalized_shape, eps):
    return 1 / _standardized(input, _last(input, normalized_shape), eps)[1]


@op(
    "NativeLayerNormBackward0",
    shown={"eps": None, "result1": _mean, "result2": _inverse_scale},
    inputs=("input", "weight", "bias"),
    together=lambda grad, wanted, input, normalized_shape, weight, bias, eps: layer_norm_backward(
        grad, input, None, None, weight, bias, normalized_shape, eps, wanted
    ),
)
def layer_norm(input, normalized_shape, weight, bias, eps):
    """c = w · x + b, x = (a - mean) / √(var + ε) over the last dimensions      ∂L/∂b = Σ g      ∂L/∂w = Σ g · x

    With h = g · w:  ∂L/∂a = (h - mean h - x · mean(h · x)) / √(var + ε)
    """
    require_kind(input, "f", "LayerNormKernelImpl")
    return _affine(_standardized(input, _last(input, normalized_shape), eps)[0], weight, bias)


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


def _batch_norm_bend(grads, wanted, grad_out, input, weight, running_mean, running_var, training, eps):
    of_input, of_weight, of_bias = grads
    beside = [v if v is None else _beside_channels(input, v) for v in (of_weight, of_bias, weight)]
    dims = _all_but_channels(input)
    if training:
        results = _bend((of_input, *beside[:2]), input, grad_out, beside[2], dims, eps)
        of_grad, of_values, of_weights = results
    else:
        x, scale = _normalized(input, running_mean, running_var, training, eps)
        of_grad = 0.0 * x if of_weight is None else beside[0] * x
        of_grad = of_grad if of_bias is None else of_grad + beside[1]
        of_values = None if of_weight is None else beside[0] * grad_out / scale
        of_weights = None
        if of_input is not None:
            of_grad = of_grad + (of_input if weight is None else of_input * beside[2]) / scale
            of_weights = of_input * grad_out / scale
    of_weights = None if of_weights is None or weight is None else of_weights.sum(axis=dims)
    return of_grad, of_values, of_weights, None, None


@op(
    "NativeBatchNormBackwardBackward0",
    outputs=3,
    all_outputs=True,
    inputs=("grad_out", "input", "weight", "save_mean", "save_invstd"),
    together=_batch_norm_bend,
)
def batch_norm_backward(
    grad_out, input, weight, running_mean, running_var, save_mean, save_invstd, training, eps, wanted
):
    """∂L/∂a, ∂L/∂w and ∂L/∂b of `batch_norm`, those that are wanted. Unlike PyTorch it finds the mean and all anew."""
    dims = _all_but_channels(input)
    weighted = grad_out if weight is None else grad_out * _beside_channels(input, weight)
    x, scale = _normalized(input, running_mean, running_var, training, eps)
    of_input = None
    if wanted[0]:
        of_input = _standardized_grad(weighted, x, scale, dims) if training else weighted / scale
    return (
        of_input,
        (grad_out * x).sum(axis=dims) if wanted[1] else None,
        grad_out.sum(axis=dims) if wanted[2] else None,
    )


def _batch_mean(input, training):
    return input.mean(axis=_all_but_channels(input)) if training else np.empty_like(input, shape=0)


def _inverse_batch_scale(input, training, eps):
    if not training:
        return np.empty_like(input, shape=0)
    return (1 / _standardized(input, _all_but_channels(input), eps)[1]).reshape(-1)


@constant("native_batch_norm", "running_mean", "running_var")
@op(
    "NativeBatchNormBackward0",
    shown={"result1": _batch_mean, "result2": _inverse_batch_scale},
    inputs=("input", "weight", "bias"),
    together=lambda grad, wanted, input, weight, running_mean, running_var, training, eps: batch_norm_backward(
        grad, input, weight, running_mean, running_var, None, None, training, eps, wanted
    ),
)
def batch_norm(input, weight, bias, running_mean, running_var, training, eps):
    """c = w · x + b for each channel, x = (a - mean) / √(var + ε)      ∂L/∂b = Σ g      ∂L/∂w = Σ g · x

    While training, mean and variance are those of the batch, and with h = g · w
    ∂L/∂a = (h - mean h - x · mean(h · x)) / √(var + ε). Afterwards they are constants: ∂L/∂a = h / √(var + ε).
    """
    x, _ = _normalized(input, running_mean, running_var, training, eps)
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

    def spread_back(grad_output, self_sym_sizes, padding):
        return embed(grad_output, self_sym_sizes, _places(self_sym_sizes, padding, mode))

    spread_back.__doc__ = "g of the border added to where it came from      ∂L/∂g = h with such a border"
    backward = op(name.replace("Backward0", "BackwardBackward0"), grad_output=lambda grad, padding: pad(grad, padding))(
        spread_back
    )
    pad = unary(name, self=lambda grad, self_sym_sizes, padding: backward(grad, self_sym_sizes, padding))(pad_like)
    return pad


def _places(shape, padding, mode):
    widths = _by_dimension(padding, len(shape))
    return np.ix_(*(np.pad(np.arange(n), width, mode=mode) for n, width in zip(shape, widths, strict=True)))


#: By PyTorch's name of the mode and the number of padded dimensions.
PADS = {
    (mode, n): _mirroring(f"{name}Pad{n}DBackward0", numpy_mode)
    for mode, name, numpy_mode in (("reflect", "Reflection", "reflect"), ("replicate", "Replication", "edge"))
    for n in (1, 2, 3)
}
