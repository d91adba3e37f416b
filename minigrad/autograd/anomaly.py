"""Anomaly mode: remember which line of the forward pass made each node, and name it when its backward fails."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np

from .grad_mode import unusual

#: Why operations do more than usual (`grad_mode.unusual`): nodes remember where they were made, and perhaps none may
#: send a nan back.
_ON, NO_NAN = "anomaly mode", "no nan"

#: Where the files of the package begin: a learner's may lie in a folder of the same name.
_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep


def remember_line(node: Any) -> None:
    """In anomaly mode, keep the stack of the code that made `node`. Costs far more than the operation itself."""
    if _ON not in unusual:
        return
    import traceback  # only here: it is slow to import

    frames = traceback.extract_stack()
    while frames and frames[-1].filename.startswith(_PACKAGE):
        frames.pop()
    node.metadata["traceback_"] = traceback.format_list(frames)


def check_for_nan(node: Any, results: Any, needed: Any) -> None:
    """Raise PyTorch's error if `node` sends a nan on, to one of those that are `needed`; None: to any."""
    for index, (grad, (to, _)) in enumerate(zip(results, node.next_functions)):
        raw = getattr(grad, "_value", grad)
        if raw is not None and (needed is None or to in needed) and bool(np.isnan(raw).any()):
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {index}th output.")


def explain_failure(node: Any) -> None:
    """Warn with the forward traceback of `node`, if anomaly mode has kept it."""
    if _ON not in unusual or node is None:
        return
    lines = node.metadata.get("traceback_")
    where = (
        "Traceback of forward call that caused the error:\n" + "".join(lines)
        if lines
        else "No forward pass information available. Enable detect anomaly during forward pass for more information."
    )
    warnings.warn(f"Error detected in {node.name()}. {where}", UserWarning, stacklevel=6)


class set_detect_anomaly:
    """Switch anomaly mode on or off; in a `with`, back at the end."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._previous = unusual & {_ON, NO_NAN}
        try:
            unusual.difference_update((_ON, NO_NAN))
            if mode:
                unusual.update((_ON, NO_NAN) if check_nan else (_ON,))
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc_info: object) -> None:
        unusual.difference_update({_ON, NO_NAN} - self._previous), unusual.update(self._previous)


class detect_anomaly(set_detect_anomaly):
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
        super().__init__(True, self._check_nan)


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on."""
    return _ON in unusual


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly mode, when it is on, makes an error of a nan."""
    return _ON not in unusual or NO_NAN in unusual


for _class in (set_detect_anomaly, detect_anomaly):  # where PyTorch says that they are
    _class.__module__ = "minigrad.autograd.anomaly_mode"
