"""`minigrad.cuda`: whether there is a GPU that minigrad can compute on, through cupy."""

from __future__ import annotations


def is_available() -> bool:
    """Whether cupy is installed and finds an NVIDIA GPU."""
    return device_count() > 0


def device_count() -> int:
    """How many GPUs there are."""
    try:
        import cupy
    except ImportError:
        return 0
    try:
        return int(cupy.cuda.runtime.getDeviceCount())
    except cupy.cuda.runtime.CUDARuntimeError:
        return 0
