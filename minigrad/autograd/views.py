"""Views: a tensor on the memory of another. Some must not be written: why, and what PyTorch says when it is tried."""

from __future__ import annotations

from typing import Any

from ..hints import with_hint
from .grad_mode import mode
from .variable import AutogradMeta, TensorBase, make_tensor

# How a view came about: the reason why a write to its memory cannot be recorded.
NO_GRAD = "no_grad"
INFERENCE = "inference"
SEVERAL = "one of several views made by one operation"
FUNCTION = "result of a custom Function"

_AMBIGUOUS = (
    " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both "
    "the view and the inplace either both inside the {mode} block (if you don't want the inplace to be tracked) or "
    "both outside (if you want the inplace to be tracked)."
)
_REASONS = {
    NO_GRAD: _AMBIGUOUS.format(mode="no_grad"),
    INFERENCE: _AMBIGUOUS.format(mode="inference_mode"),
    SEVERAL: " This view is the output of a function that returns multiple views. Such functions do not allow the "
    "output views to be modified inplace. You should replace the inplace operation by an out-of-place one.",
    FUNCTION: " This view was created inside a custom Function (or because an input was returned as-is) and the "
    "autograd logic to handle view+inplace would override the custom backward associated with the custom Function, "
    "leading to incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom "
    "Function.",
}
_MODES = {
    NO_GRAD: ("created in no_grad mode", "with grad mode enabled"),
    INFERENCE: ("created in inference mode", "in normal mode"),
}


def show(base: TensorBase, array: Any) -> Any:
    """A tensor on `array`, which is a part of the memory of `base`: they share one version counter."""
    result = make_tensor(array)
    result._counter = base._version_counter
    result._meta = meta = AutogradMeta()
    base_meta = base._meta
    if base_meta is not None and base_meta.is_inference:
        meta.is_inference = True
        return result
    meta.base = base
    meta.view_version = result._counter[0]
    if not mode.enabled:
        meta.forbids_inplace = INFERENCE if mode.inference else NO_GRAD
    if base_meta is not None and base_meta.base is not None:
        meta.base = base_meta.base
        if meta.forbids_inplace is None:
            meta.forbids_inplace = base_meta.forbids_inplace
    if array.dtype.kind == "f":
        result._edge = None
    return result


def refused(reason: str, made_by: str | None, output_nr: int, through_alias: bool) -> RuntimeError:
    """PyTorch's error for a write to a view, or (`through_alias`) for a view whose memory was written elsewhere.

    `made_by` is the short name of the operation that made the view, None if it was not recorded.
    """
    written = "and its base or another view of its base has been" if through_alias else "and is being"
    created, now = _MODES.get(reason, _MODES[NO_GRAD])
    if made_by is None:
        first = f"A view was {created} {written} modified inplace {now}."
    elif reason in _MODES:
        first = (
            f"Output {output_nr} of {made_by} is a view of a view which was {created} {written} modified inplace {now}."
        )
    else:
        first = f"Output {output_nr} of {made_by} is a view {written} modified inplace."
    return with_hint(
        RuntimeError(first + _REASONS[reason]),
        "A view shares the memory of its base. Write into a copy instead: view.clone(), or compute a new tensor. "
        "Lesson 11.",
        "视图与原张量共用同一块内存。请改写它的副本（view.clone()），或者直接算出一个新张量。参见第 11 课。",
    )
