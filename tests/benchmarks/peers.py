"""The libraries that minigrad is measured beside: which are here, what they are called, how their values are read."""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

#: Import name → the name people know it by.
NAMES = {
    "numpy": "numpy",
    "torch": "PyTorch",
    "autograd": "HIPS/autograd",
    "mygrad": "MyGrad",
    "micrograd": "micrograd",
    "tinygrad": "tinygrad",
}


class Unavailable(Exception):
    """A peer cannot take part; the message says why."""


def load(module: str) -> Any:
    """Import `module` of one of the libraries; Unavailable, with the reason, if that does not work here."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        if module.partition(".")[0] == "minigrad":
            raise
        raise Unavailable("not installed") from None
    except ImportError as error:  # installed, but for another numpy or another Python
        raise Unavailable(f"does not import: {error}") from error


def versions() -> dict[str, str]:
    """The version of each library that is installed."""
    found = {}
    for module, name in NAMES.items():
        try:
            found[name] = importlib.metadata.version(module)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def as_arrays(values: Sequence[Any]) -> list[np.ndarray]:
    """Any library's results as numpy arrays. Python's floats, all that micrograd has, count as float32."""
    return [_as_array(value) for value in values]


def _as_array(value: Any) -> np.ndarray:
    if isinstance(value, np.ndarray | np.generic):
        return np.asarray(value)
    if hasattr(value, "detach"):  # minigrad, PyTorch, tinygrad
        return value.detach().numpy()
    value = getattr(value, "data", value)  # MyGrad, micrograd
    return np.float32(value)[...] if isinstance(value, float) else np.asarray(value)


def peak_memory() -> int:
    """The most memory this process has had at one time, in bytes; Unavailable where the system does not say."""
    status = Path("/proc/self/status")
    if status.exists():
        # Not getrusage: Linux lets its maximum start at that of the process that started this one.
        line = next(line for line in status.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    try:
        import resource
    except ImportError:
        raise Unavailable("this system does not tell a process its peak memory") from None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
