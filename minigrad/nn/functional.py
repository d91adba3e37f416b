"""`minigrad.nn.functional`: activations and losses as functions, with PyTorch's arguments and errors.

The formulas stand in `ops/activation.py` and `ops/loss.py`.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .. import functions
from ..autograd.variable import make_tensor
from ..functions import relu, sigmoid, tanh
from ..functions.arguments import promoted_together
from ..hints import with_hint
from ..ops import activation, indexing, loss, pointwise, shape
from ..ops.activation import logsigmoid, silu
from ..ops.errors import type_letter
from ..ops.primitive import shape_error
from ..random import default_generator

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy", "dropout", "elu", "embedding", "gelu",
    "hardtanh", "huber_loss", "kl_div", "l1_loss", "leaky_relu", "linear", "log_softmax", "logsigmoid", "mse_loss",
    "nll_loss", "normalize", "one_hot", "relu", "relu6", "sigmoid", "silu", "smooth_l1_loss", "softmax", "softplus",
    "softsign", "tanh",
]  # fmt: skip

# ---------------------------------------------------------------------------------------------------------------------
# Layers


def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """input · weightᵀ + bias, with input (…, in), weight (out, in), bias (out)."""
    ndim = len(input._value.shape)
    if bias is None or len(weight._value.shape) == 1:
        product = functions.matmul(input, functions.t(weight))
        return product if bias is None else product + bias
    transposed = functions.t(weight)
    if ndim == 2:
        return functions.addmm(bias, input, transposed)
    rows = functions.view(input, (-1, input._value.shape[-1]))
    sizes = (*input._value.shape[:-1], weight._value.shape[0])
    return functions.view(functions.addmm(bias, rows, transposed), sizes)


def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """While training, each element becomes 0 with probability p, and the others are divided by 1 - p."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0 or input._value.size == 0:
        return input
    kind = input._value.dtype
    if kind.kind != "f" and p < 1:
        raise RuntimeError(f"result type Float can't be cast to the desired output type {type_letter(input._value)}")
    if p == 1:
        noise = np.zeros((), kind)
    else:
        draws = default_generator.uniform(input._value.size, np.dtype(np.float64)).reshape(input._value.shape)
        noise = (draws < 1 - p).astype(kind) / kind.type(1 - p)
    return input.mul_(make_tensor(noise)) if inplace else pointwise.mul(input, make_tensor(noise))


def one_hot(tensor: Any, num_classes: int = -1) -> Any:
    """For each class number a row of zeros with a 1 at that class."""
    classes = tensor._value
    if classes.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if classes.size == 0 and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if classes.size and classes.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(classes.max()) + 1
    elif num_classes < 1:
        raise RuntimeError("num_classes should be positive")
    elif classes.size and classes.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return make_tensor((classes[..., None] == np.arange(num_classes)).astype(np.int64))


def embedding(input: Any, weight: Any) -> Any:
    """The rows of `weight` that the numbers in `input` name."""
    return indexing.embedding(weight, input)


def normalize(input: Any, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Any:
    """input / max(its norm along `dim`, eps)."""
    length = functions.clamp_min(functions.norm(input, p, dim, keepdim=True), eps)
    return pointwise.div(input, shape.expand(length, input._value.shape))


# ---------------------------------------------------------------------------------------------------------------------
# Activations


def softmax(input: Any, dim: int | None = None, dtype: Any = None) -> Any:
    """exp(aᵢ) / Σⱼ exp(aⱼ) along `dim`."""
    return functions.softmax(input, _chosen_dim("softmax", input, dim), dtype=dtype)


def log_softmax(input: Any, dim: int | None = None, dtype: Any = None) -> Any:
    """ln softmax, without overflow."""
    return functions.log_softmax(input, _chosen_dim("log_softmax", input, dim), dtype=dtype)


def _chosen_dim(name: str, input: Any, dim: int | None) -> int:
    if dim is not None:
        return dim
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        UserWarning,
        stacklevel=3,
    )
    return 0 if len(input._value.shape) in (0, 1, 3) else 1


def gelu(input: Any, approximate: str = "none") -> Any:
    """a · Φ(a), with Φ the normal distribution function, or its approximation by "tanh"."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return activation.gelu(input, approximate)


def softplus(input: Any, beta: float = 1, threshold: float = 20) -> Any:
    """ln(1 + exp(beta · a)) / beta; a itself where beta · a is above the threshold."""
    return activation.softplus(input, beta, threshold)


def leaky_relu(input: Any, negative_slope: float = 0.01, inplace: bool = False) -> Any:
    """a where a > 0, else negative_slope · a."""
    return activation.leaky_relu(input, negative_slope)


def elu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """a where a > 0, else alpha · (eᵃ - 1)."""
    return activation.elu(input, alpha, 1.0, 1.0)


def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Any:
    """a, but at least min_val and at most max_val."""
    if input._value.dtype.kind == "b":
        raise RuntimeError("Bool inputs not supported for hardtanh")
    return activation.hardtanh(input, min_val, max_val)


def relu6(input: Any, inplace: bool = False) -> Any:
    """a, but at least 0 and at most 6."""
    return hardtanh(input, 0.0, 6.0)


def softsign(input: Any) -> Any:
    """a / (1 + |a|)."""
    return pointwise.div(input, pointwise.add(pointwise.abs(input), 1))


# ---------------------------------------------------------------------------------------------------------------------
# Losses


def _check_reduction(reduction: str) -> None:
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")


def _same_size(input: Any, target: Any) -> tuple[Any, Any]:
    """Both broadcast to each other, with PyTorch's warning where that was necessary."""
    if input._value.shape == target._value.shape:
        return input, target
    warnings.warn(
        f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). This will "
        "likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
        UserWarning,
        stacklevel=3,
    )
    try:
        size = np.broadcast_shapes(input._value.shape, target._value.shape)
    except ValueError:
        raise shape_error(input._value, target._value) from None
    return tuple(t if t._value.shape == size else shape.expand(t, size) for t in (input, target))


def mse_loss(input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> Any:
    """(input - target)², its mean, its sum, or each ("none")."""
    _check_reduction(reduction)
    input, target = promoted_together(_same_size(input, target))
    return loss.mse_loss(input, target, reduction)


def l1_loss(input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean") -> Any:
    """|input - target|, its mean, its sum, or each ("none")."""
    _check_reduction(reduction)
    input, target = _same_size(input, target)
    losses = pointwise.abs(pointwise.sub(input, target))
    return losses if reduction == "none" else losses.mean() if reduction == "mean" else losses.sum()


def smooth_l1_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean", beta: float = 1.0
) -> Any:
    """d² / 2β where d = |input - target| is below β, else d - β/2."""
    _check_reduction(reduction)
    input, target = promoted_together(_same_size(input, target))
    return (
        l1_loss(input, target, reduction=reduction)
        if beta == 0
        else loss.smooth_l1_loss(input, target, reduction, beta)
    )


def huber_loss(input: Any, target: Any, reduction: str = "mean", delta: float = 1.0) -> Any:
    """d² / 2 where d = |input - target| is at most delta, else delta · (d - delta/2)."""
    _check_reduction(reduction)
    return loss.huber_loss(*_same_size(input, target), reduction, delta)


def nll_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """-input[target], for log-probabilities (C), (N, C) or (N, C, …) and class numbers (), (N) or (N, …).

    A mean is weighted by `weight` (C). Targets equal to `ignore_index` do not count.
    """
    _check_reduction(reduction)
    size, target_size = input._value.shape, target._value.shape
    if len(size) > 1 and size[0] != target_size[:1][0]:
        raise ValueError(f"Expected input batch_size ({size[0]}) to match target batch_size ({target_size[0]}).")
    if target._value.dtype not in (np.int64, np.uint8):
        letter = type_letter(target._value)
        raise with_hint(
            RuntimeError(f"expected target dtype to be Long or Byte, but got {letter}"),
            "The targets are class numbers: target.long(). Probabilities have the shape of the input.",
            "target 是类别编号，请用 target.long()；如果是概率，形状必须与 input 相同。",
        )
    classes = size[1] if len(size) > 1 else size[0]
    wrong = target._value[(target._value != ignore_index) & ((target._value < 0) | (target._value >= classes))]
    if wrong.size:
        raise with_hint(
            IndexError(f"Target {wrong.reshape(-1)[0]} is out of bounds."),
            f"There are {classes} classes, so a target is a number from 0 to {classes - 1}.",
            f"一共有 {classes} 个类别，所以 target 只能是 0 到 {classes - 1}。",
        )
    if len(size) <= 2:
        return loss.nll_loss(input, target, weight, reduction, ignore_index)
    if len(size) == 4:
        return loss.nll_loss2d(input, target, weight, reduction, ignore_index)
    images = functions.view(input, (*size[:2], 1, -1))
    result = loss.nll_loss2d(
        images, make_tensor(target._value.reshape(size[0], 1, -1)), weight, reduction, ignore_index
    )
    return functions.view(result, target_size) if reduction == "none" else result


def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """-ln of the probability that softmax(input) gives the target: log_softmax, then nll_loss.

    `input` are scores (C), (N, C) or (N, C, …); `target` class numbers, or probabilities of the shape of `input`.
    With `label_smoothing` s the target is (1 - s) of its own and s of all classes alike.
    """
    _check_reduction(reduction)
    dim = 1 if len(input._value.shape) > 1 else 0
    log_probabilities = functions.log_softmax(input, dim)
    classes = input._value.shape[dim]
    if target._value.shape == input._value.shape and target._value.dtype.kind == "f":
        if label_smoothing:
            target = target * (1 - label_smoothing) + label_smoothing / classes
        weighted = log_probabilities * target if weight is None else log_probabilities * target * _along(weight, input)
        if reduction == "none":
            return -weighted.sum(dim)
        count = input._value.size / classes
        return -weighted.sum() if reduction == "sum" else pointwise.div_number(-weighted.sum(), count)
    plain = nll_loss(log_probabilities, target, weight, None, ignore_index, None, reduction)
    if not label_smoothing:
        return plain
    weighted = log_probabilities if weight is None else log_probabilities * _along(weight, input)
    smooth = -weighted.sum(dim)
    ignored = make_tensor(target._value == ignore_index)
    smooth = functions.masked_fill(smooth, ignored, 0.0)
    if reduction == "mean":
        counted = target._value[~ignored._value]
        total = counted.size if weight is None else weight._value[counted].sum()
        smooth = smooth.sum() / make_tensor(input._value.dtype.type(total))
    elif reduction == "sum":
        smooth = smooth.sum()
    return pointwise.mul_number(plain, 1 - label_smoothing) + pointwise.mul_number(smooth, label_smoothing / classes)


def _along(weight: Any, input: Any) -> Any:
    """The weights of the classes, to be broadcast along dimension 1 of `input`."""
    ndim = len(input._value.shape)
    return weight if ndim == 1 else functions.view(weight, (1, -1, *(1,) * (ndim - 2)))


def binary_cross_entropy(
    input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Any:
    """-(t ln p + (1 - t) ln(1 - p)) for probabilities p and targets t between 0 and 1."""
    _check_reduction(reduction)
    if target._value.shape != input._value.shape:
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size."
        )
    if input._value.dtype != target._value.dtype:
        letters = type_letter(target._value), type_letter(input._value)
        raise RuntimeError("Found dtype {} but expected {}".format(*letters))
    if input._value.size and not (np.all(input._value >= 0) and np.all(input._value <= 1)):
        raise with_hint(
            RuntimeError("all elements of input should be between 0 and 1"),
            "It wants probabilities. For scores use binary_cross_entropy_with_logits.",
            "它需要的是概率；如果是未经 sigmoid 的分数，请用 binary_cross_entropy_with_logits。",
        )
    return loss.binary_cross_entropy(input, target, weight, reduction)


def binary_cross_entropy_with_logits(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    pos_weight: Any = None,
) -> Any:
    """binary_cross_entropy of sigmoid(input), without overflow. `pos_weight` is how often a positive target counts."""
    _check_reduction(reduction)
    if target._value.shape != input._value.shape:
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    return loss.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


def kl_div(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Any:
    """target · (ln target - input), for log-probabilities `input`; with `log_target` the target is a logarithm, too."""
    if input._value.dtype.kind != "f":
        raise RuntimeError("kl_div: Integral inputs not supported.")
    if log_target:
        losses = functions.exp(target) * (target - input)
    else:
        losses = pointwise.xlogy(target, target) - target * input
    if reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides "
            "only by the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the "
            "same as 'batchmean' in the next major release.",
            UserWarning,
            stacklevel=2,
        )
        return losses.mean()
    if reduction == "batchmean":
        return losses.sum() / input._value.shape[0]
    return losses.sum() if reduction == "sum" else losses
