# ruff: noqa: D103 (the names are PyTorch's)
"""What PyTorch's `nn.functional` asks of its arguments and hands to C++: `functions/relays.py` for this module."""

from __future__ import annotations

from typing import Any

from .. import functions
from ..functions.relays import C
from .reductions import chosen_reduction

# ---------------------------------------------------------------------------------------------------------------------
# Layers


def batch_norm(
    input: Any, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None, training: Any = False,
    momentum: Any = 0.1, eps: Any = 1e-5,
) -> None:  # fmt: skip
    if training:
        size = input.size()
        count = size[0]
        for n in size[2:]:
            count *= n
        if count == 1:
            raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")
    if training and eps <= 0.0:
        raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    if not training and eps < 0.0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    C.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, True)


def layer_norm(input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> None:
    C.layer_norm(input, normalized_shape, weight, bias, eps, True)


def dropout(input: Any, p: Any = 0.5, training: Any = True, inplace: Any = False) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    (C.dropout_ if inplace else C.dropout)(input, p, training)


def embedding(
    input: Any, weight: Any, padding_idx: Any = None, max_norm: Any = None, norm_type: Any = 2.0,
    scale_grad_by_freq: Any = False, sparse: Any = False,
) -> None:  # fmt: skip
    if padding_idx is not None:
        if padding_idx > 0 and padding_idx >= weight.size(0):
            raise AssertionError("Padding_idx must be within num_embeddings")
        if padding_idx < 0:
            if padding_idx < -weight.size(0):
                raise AssertionError("Padding_idx must be within num_embeddings")
            padding_idx = weight.size(0) + padding_idx
    C.embedding(weight, input, -1 if padding_idx is None else padding_idx, scale_grad_by_freq, sparse)


def max_pool2d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: Any = False,
    return_indices: Any = False,
) -> None:  # fmt: skip
    function = C.max_pool2d_with_indices if return_indices else C.max_pool2d
    function(input, kernel_size, [] if stride is None else stride, padding, dilation, ceil_mode)


def adaptive_avg_pool2d(input: Any, output_size: Any) -> None:
    sizes = input.size()
    if not isinstance(output_size, int):
        if len(sizes) <= len(output_size):
            raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
        rest = sizes[-len(output_size) :]
        output_size = [n if n is not None else size for n, size in zip(output_size, rest)]
    C.adaptive_avg_pool2d(input, output_size)


def pad(input: Any, pad: Any, mode: Any = "constant", value: Any = None) -> None:
    C.pad(input, pad, mode, value)


def normalize(input: Any, p: Any = 2.0, dim: Any = 1, eps: Any = 1e-12, out: Any = None) -> None:
    input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)


# ---------------------------------------------------------------------------------------------------------------------
# Activations


def relu(input: Any, inplace: Any = False) -> None:
    (C.relu_ if inplace else C.relu)(input)


def relu6(input: Any, inplace: Any = False) -> None:
    (C.relu6_ if inplace else C.relu6)(input)


def silu(input: Any, inplace: Any = False) -> None:
    (C.silu_ if inplace else C.silu)(input)


def mish(input: Any, inplace: Any = False) -> None:
    (C.mish_ if inplace else C.mish)(input)


def hardsigmoid(input: Any, inplace: Any = False) -> None:
    (C.hardsigmoid_ if inplace else C.hardsigmoid)(input)


def hardswish(input: Any, inplace: Any = False) -> None:
    (C.hardswish_ if inplace else C.hardswish)(input)


def selu(input: Any, inplace: Any = False) -> None:
    (C.selu_ if inplace else C.selu)(input)


def celu(input: Any, alpha: Any = 1.0, inplace: Any = False) -> None:
    (C.celu_ if inplace else C.celu)(input, alpha)


def elu(input: Any, alpha: Any = 1.0, inplace: Any = False) -> None:
    (C.elu_ if inplace else C.elu)(input, alpha)


def leaky_relu(input: Any, negative_slope: Any = 0.01, inplace: Any = False) -> None:
    (C.leaky_relu_ if inplace else C.leaky_relu)(input, negative_slope)


def threshold(input: Any, threshold: Any, value: Any, inplace: Any = False) -> None:
    (C.threshold_ if inplace else C.threshold)(input, threshold, value)


def hardtanh(input: Any, min_val: Any = -1.0, max_val: Any = 1.0, inplace: Any = False) -> None:
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    (C.hardtanh_ if inplace else C.hardtanh)(input, min_val, max_val)


def glu(input: Any, dim: Any = -1) -> None:
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    C.glu(input, dim)


def softmax(input: Any, dim: Any = None, _stacklevel: Any = 3, dtype: Any = None) -> None:
    dim = _dim(input, dim)
    input.softmax(dim, **_given(dtype))


def log_softmax(input: Any, dim: Any = None, _stacklevel: Any = 3, dtype: Any = None) -> None:
    dim = _dim(input, dim)
    input.log_softmax(dim, **_given(dtype))


def softmin(input: Any, dim: Any = None, _stacklevel: Any = 3, dtype: Any = None) -> None:
    dim = _dim(input, dim)
    (-input).softmax(dim, **_given(dtype))


def _dim(input: Any, dim: Any) -> Any:
    if dim is not None:
        return dim
    return 0 if input.dim() in (0, 1, 3) else 1


def _given(dtype: Any) -> dict[str, Any]:
    return {} if dtype is None else {"dtype": dtype}


def softsign(input: Any) -> None:
    input / (input.abs() + 1)


def tanhshrink(input: Any) -> None:
    input - input.tanh()


# ---------------------------------------------------------------------------------------------------------------------
# Losses


def _same_size(input: Any, target: Any) -> None:
    if target.size() != input.size():
        C.broadcast_tensors((input, target))
        functions.broadcast_tensors(input, target)
    C.broadcast_tensors((input, target))


def mse_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: Any = "mean", weight: Any = None
) -> None:
    _same_size(input, target)
    chosen_reduction(reduction, size_average, reduce)


def l1_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: Any = "mean", weight: Any = None
) -> None:
    _same_size(input, target)
    chosen_reduction(reduction, size_average, reduce)


def smooth_l1_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: Any = "mean", beta: Any = 1.0
) -> None:
    _same_size(input, target)
    chosen_reduction(reduction, size_average, reduce)
    if beta != 0.0:
        C.smooth_l1_loss(input, target, 1, beta)


def huber_loss(input: Any, target: Any, reduction: Any = "mean", delta: Any = 1.0, weight: Any = None) -> None:
    _same_size(input, target)
    chosen_reduction(reduction)
    C.huber_loss(input, target, 1, delta)


def nll_loss(
    input: Any, target: Any, weight: Any = None, size_average: Any = None, ignore_index: Any = -100,
    reduce: Any = None, reduction: Any = "mean",
) -> None:  # fmt: skip
    chosen_reduction(reduction, size_average, reduce)
    C.nll_loss_nd(input, target, weight, 1, ignore_index)


def cross_entropy(
    input: Any, target: Any, weight: Any = None, size_average: Any = None, ignore_index: Any = -100,
    reduce: Any = None, reduction: Any = "mean", label_smoothing: Any = 0.0,
) -> None:  # fmt: skip
    chosen_reduction(reduction, size_average, reduce)
    C.cross_entropy_loss(input, target, weight, 1, ignore_index, label_smoothing)


def binary_cross_entropy(
    input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: Any = "mean"
) -> None:
    chosen_reduction(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size."
        )
    if weight is not None:
        weight = weight.expand(target.size())
    C.binary_cross_entropy(input, target, weight, 1)


def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None,
    reduction: Any = "mean", pos_weight: Any = None,
) -> None:  # fmt: skip
    chosen_reduction(reduction, size_average, reduce)
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    C.binary_cross_entropy_with_logits(input, target, weight, pos_weight, 1)


def cosine_embedding_loss(
    input1: Any, input2: Any, target: Any, margin: Any = 0, size_average: Any = None, reduce: Any = None,
    reduction: Any = "mean",
) -> None:  # fmt: skip
    chosen_reduction(reduction, size_average, reduce)
    C.cosine_embedding_loss(input1, input2, target, margin, 1)


def hinge_embedding_loss(
    input: Any, target: Any, margin: Any = 1.0, size_average: Any = None, reduce: Any = None, reduction: Any = "mean"
) -> None:
    chosen_reduction(reduction, size_average, reduce)
    C.hinge_embedding_loss(input, target, margin, 1)


def margin_ranking_loss(
    input1: Any, input2: Any, target: Any, margin: Any = 0, size_average: Any = None, reduce: Any = None,
    reduction: Any = "mean",
) -> None:  # fmt: skip
    chosen_reduction(reduction, size_average, reduce)
    if input1.dim() != input2.dim() or input1.dim() != target.dim():
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    C.margin_ranking_loss(input1, input2, target, margin, 1)


def soft_margin_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: Any = "mean"
) -> None:
    chosen_reduction(reduction, size_average, reduce)
    C.soft_margin_loss(input, target, 1)


def triplet_margin_loss(
    anchor: Any, positive: Any, negative: Any, margin: Any = 1.0, p: Any = 2, eps: Any = 1e-6, swap: Any = False,
    size_average: Any = None, reduce: Any = None, reduction: Any = "mean",
) -> None:  # fmt: skip
    chosen_reduction(reduction, size_average, reduce)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    C.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, 1)


def poisson_nll_loss(
    input: Any, target: Any, log_input: Any = True, full: Any = False, size_average: Any = None, eps: Any = 1e-8,
    reduce: Any = None, reduction: Any = "mean",
) -> None:  # fmt: skip
    reduction = chosen_reduction(reduction, size_average, reduce)
    C.poisson_nll_loss(input, target, log_input, full, eps, 1)


def kl_div(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: Any = "mean",
    log_target: Any = False,
) -> None:  # fmt: skip
    if reduction != "batchmean":
        chosen_reduction(reduction, size_average, reduce)
    C.kl_div(input, target, 1, log_target=log_target)


def gaussian_nll_loss(
    input: Any, target: Any, var: Any, full: Any = False, eps: Any = 1e-6, reduction: Any = "mean"
) -> None:
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * functions.clone(input)
    else:
        C.any(var < 0)
        if (var < 0).any():
            raise ValueError("var has negative entry/entries")
    if var.size() != input.size() and input.size()[:-1] != var.size():
        pairs = [(n, m) for n, m in zip(input.size(), var.size()) if n != m]
        if input.ndim != var.ndim or sum(m for _, m in pairs) != 1:
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not valid")
    (input - target) ** 2 / var.clamp(min=eps)
