"""Losses and distances as functions, with PyTorch's arguments and errors; the formulas: `ops/loss.py`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .. import functions
from ..autograd.variable import TensorBase as Tensor
from ..devices import first, refuse
from ..functions.arguments import promoted, promoted_together, same_dtype
from ..hints import hinted
from ..ops import loss, pointwise
from ..ops.errors import not_for, require_castable, require_constants, require_kind, type_letter
from ..ops.pointwise import check_subtraction

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy", "l1_loss", "mse_loss", "nll_loss",
]  # fmt: skip


def _check(reduction: str) -> None:
    """Raise PyTorch's error for what is no way to make one number of many."""
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")


def _same_size(input: Any, target: Any) -> tuple[Any, Any]:
    """Both broadcast to each other, with PyTorch's warning where that was necessary."""
    sizes = input._value.shape, target._value.shape
    if sizes[0] == sizes[1]:
        return input, target
    warnings.warn(
        f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). This will "
        "likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
        UserWarning,
        stacklevel=4,
    )
    return tuple(functions.broadcast_tensors(input, target))


def mse_loss(input: Tensor, target: Tensor, *, reduction: str = "mean") -> Any:
    """(input - target)², its mean, its sum, or each ("none")."""
    _check(reduction)
    input, target = promoted_together(_same_size(input, target))
    return loss.mse_loss(input, target, reduction)


def l1_loss(input: Tensor, target: Tensor, *, reduction: str = "mean") -> Any:
    """|input - target|, its mean, its sum, or each ("none")."""
    _check(reduction)
    input, target = _same_size(input, target)
    return loss.reduced((input - target).abs(), reduction)


def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, *, ignore_index: int = -100, reduction: str = "mean"
) -> Any:
    """-input[target], for log-probabilities (C), (N, C) or (N, C, …) and class numbers (), (N) or (N, …).

    A mean is weighted by `weight` (C). Targets equal to `ignore_index` do not count.
    """
    _check(reduction)
    size, target_size = input._value.shape, target._value.shape
    if len(size) > 1 and size[:1] != target_size[:1]:
        got = target_size[0] if target_size else 0
        raise hinted(ValueError(f"Expected input batch_size ({size[0]}) to match target batch_size ({got})."))
    if len(size) > 2:  # of images and sequences: each place counts as a sample
        places = size[:1] + size[2:]
        if target_size != places:
            raise hinted(RuntimeError(f"Expected target size {list(places)}, got {list(target_size)}"))
        if target._value.dtype == np.uint8:  # as a mask that was read from a picture
            raise hinted(RuntimeError("expected scalar type Long but found Byte"), "expected target dtype to be Long")
        classes_last = functions.permute(input, (0, *range(2, len(size)), 1))
        rows = functions.flatten(classes_last, 0, -2)
        target = functions.flatten(target)
        losses = nll_loss(rows, target, weight, ignore_index=ignore_index, reduction=reduction)
        return functions.reshape(losses, target_size) if reduction == "none" else losses
    if len(target_size) > 1:
        raise hinted(RuntimeError("0D or 1D target tensor expected, multi-target not supported"))
    if len(size) == 1 and target_size not in ((), (1,)):
        raise hinted(ValueError(f"For 1D input, 1D target must have size 1, but got target size: {target_size[0]}"))
    if target._value.dtype not in _CLASS_NUMBERS:
        letter = type_letter(target._value)
        raise hinted(RuntimeError(f"expected target dtype to be Long or Byte, but got {letter}"))
    classes = size[1] if len(size) > 1 else size[0]
    _check_weight(weight, classes)
    unsigned = target._value if target._value.dtype == np.uint8 else target._value.view(np.uint64)  # -1 is huge
    wrong = (unsigned >= classes) & (target._value != ignore_index)
    last = classes - 1
    refuse(wrong, lambda: hinted(IndexError(f"Target {first(target._value, wrong)} is out of bounds."), last=last))
    if weight is not None:
        same_dtype(input, weight, "expected scalar type {} but found {}")
    require_constants("nll_loss_forward", weight=weight)
    return loss.nll_loss(input, target, weight, reduction, ignore_index)


#: The types that numbers of classes may have.
_CLASS_NUMBERS = {np.dtype(np.int64), np.dtype(np.uint8)}


def _check_weight(weight: Any, classes: int, prefix: str = "") -> None:
    """Raise PyTorch's error for weights of which there is not one for each class."""
    if weight is not None and weight._value.shape != (classes,):
        raise RuntimeError(
            f"{prefix}weight tensor should be defined either for all {classes} classes or no classes but got weight "
            f"tensor of shape: {list(weight._value.shape)}"
        )


def cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, *, ignore_index: int = -100, reduction: str = "mean"
) -> Any:
    """-ln of the probability that softmax(input) gives the target: log_softmax, then nll_loss.

    `input` are scores (C), (N, C) or (N, C, …); `target` class numbers, or probabilities of the shape of `input`.
    """
    _check(reduction)
    dim = 1 if input.ndim > 1 else 0
    if input._value.dtype.kind != "f" and target._value.ndim > input.ndim:
        raise not_for("log_softmax_lastdim_kernel_impl", type_letter(input._value), "[target first]")
    if target._value.shape == input._value.shape:
        if target._value.dtype.kind != "f":
            letter = type_letter(target._value)
            error = RuntimeError(f"Expected floating point type for target with class probabilities, got {letter}")
            rows_of_scores = dim > 0 and input._value.shape[1] > 1 and input._value.dtype.kind == "f"
            raise hinted(error, not rows_of_scores and "[argmax before the loss]")
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        classes = input._value.shape[dim]
        _check_weight(weight, classes, "cross_entropy: ")
        weighted = functions.log_softmax(input, dim) * target
        if weight is not None:
            behind = [1] * (input.ndim - 1 - dim)
            weighted = weighted * functions.view(weight, (-1, *behind))
        if reduction == "none":
            return -weighted.sum(dim)
        count = input._value.size / classes
        return -weighted.sum() if reduction == "sum" else pointwise.div_number(-weighted.sum(), count)
    scores = functions.log_softmax(input, dim)
    return nll_loss(scores, target, weight, ignore_index=ignore_index, reduction=reduction)


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, *, reduction: str = "mean"
) -> Any:
    """-(t ln p + (1 - t) ln(1 - p)) for probabilities p and targets t between 0 and 1."""
    _check(reduction)
    if target._value.shape != input._value.shape:
        said = (
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}) is "
            "deprecated. Please ensure they have the same size."
        )
        raise hinted(ValueError(said))
    if input._value.dtype != target._value.dtype:
        raise hinted(RuntimeError(f"Found dtype {type_letter(target._value)} but expected {type_letter(input._value)}"))
    require_kind(input._value, "f", "binary_cross_entropy")
    for name, each in (("input", input._value), ("target", target._value)):
        refuse(
            ~((each >= 0) & (each <= 1)),
            lambda name=name: hinted(RuntimeError(f"all elements of {name} should be between 0 and 1")),
        )
    require_constants("binary_cross_entropy", weight=weight)
    return loss.binary_cross_entropy(input, target, weight, reduction)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Any:
    """binary_cross_entropy of sigmoid(input), without overflow. `pos_weight` is how often a positive target counts."""
    _check(reduction)
    if target._value.shape != input._value.shape:
        raise hinted(ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})"))
    kind = input._value.dtype
    if kind.kind == "f":
        check_subtraction(target._value, target._value)
        require_castable(kind, target._value)
        weight, pos_weight = (
            promoted(w, kind) if w is not None and w._value.dtype.kind != "f" else w for w in (weight, pos_weight)
        )
    require_constants("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    return loss.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)
