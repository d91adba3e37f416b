"""Anomaly mode: remember which line of the forward pass made each node, and name it when its backward fails."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .grad_mode import be_special
from .hooks import extras_of

#: Whether nodes remember where they were made, and whether their gradients are checked for nan.
enabled = False
check_nan = True


def remember_line(node: Any) -> None:
    """Keep the stack of the code that made `node` in its metadata. Costs far more than the operation itself."""
    import traceback  # only here: it is slow to import

    frames = traceback.extract_stack()
    own = __name__.split(".")[0]
    while frames and f"{own}" in frames[-1].filename.replace("\\", "/").split("/")[-3:-1]:
        frames.pop()
    extras_of(node).metadata["traceback_"] = traceback.format_list(frames)


def check_for_nan(node: Any, results: Any) -> None:
    """Raise PyTorch's error if `node` made a nan."""
    for index, grad in enumerate(results):
        raw = getattr(grad, "_value", grad)
        if raw is not None and bool(np.isnan(raw).any()):
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {index}th output.")


def explain_failure(node: Any) -> None:
    """Warn with the forward traceback of `node`, if anomaly mode has kept it."""
    if not enabled:
        return
    lines = node.metadata.get("traceback_")
    where = (
        "Traceback of forward call that caused the error:\n" + "".join(lines)
        if lines
        else "No forward pass information available. Enable detect anomaly during forward pass for more information."
    )
    warnings.warn(f"Error detected in {node.name()}. {where}", UserWarning, stacklevel=5)


class set_detect_anomaly:
    """Switch anomaly mode on or off; in a `with`, back at the end."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._previous = (enabled, globals()["check_nan"])
        _set(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc_info: object) -> None:
        _set(*self._previous)


class detect_anomaly:
    """`with detect_anomaly():` — a failing backward names the forward line; a nan gradient is an error.

    Slow: for finding a fault, not for training.
    """

    def __init__(self, check_nan: bool = True) -> None:
        self._check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
            stacklevel=2,
        )

    def __enter__(self) -> None:
        self._previous = (enabled, globals()["check_nan"])
        _set(True, self._check_nan)

    def __exit__(self, *exc_info: object) -> None:
        _set(*self._previous)


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on."""
    return enabled


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly mode, when it is on, makes an error of a nan."""
    return check_nan


for _class in (set_detect_anomaly, detect_anomaly):  # where PyTorch says that they are
    _class.__module__ = "minigrad.autograd.anomaly_mode"


def _set(mode: bool, nan: bool) -> None:
    global enabled, check_nan
    be_special(int(mode) - int(enabled))
    enabled, check_nan = mode, nan
