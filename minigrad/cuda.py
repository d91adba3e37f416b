"""`minigrad.cuda`: the GPUs that minigrad can compute on, through cupy.

Everything but the questions whether there is one raises PyTorch's AssertionError where there is none.
"""

from __future__ import annotations

from typing import Any

from .devices import array_module


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


def current_device() -> int:
    """The number of the GPU that "cuda" means now."""
    return int(array_module("cuda").cuda.Device().id)


def get_device_name(device: Any = None) -> str:
    """What the maker calls a GPU."""
    runtime = array_module("cuda").cuda.runtime
    number = current_device() if device is None else int(getattr(device, "index", device) or 0)
    return str(runtime.getDeviceProperties(number)["name"].decode())


def synchronize() -> None:
    """Wait until the GPU has done all that it was told to do."""
    array_module("cuda").cuda.Device().synchronize()


def memory_allocated() -> int:
    """How many bytes tensors take on the GPU; 0 where there is none."""
    return int(array_module("cuda").get_default_memory_pool().used_bytes()) if is_available() else 0


def empty_cache() -> None:
    """Give memory that no tensor uses back to the GPU; nothing happens where there is none."""
    if is_available():
        array_module("cuda").get_default_memory_pool().free_all_blocks()
