"""`minigrad.cuda`: the GPUs that minigrad can compute on, through cupy.

Questions whether there is one, and what does no harm without one, answer without one, too. Everything else raises
PyTorch's AssertionError there, with a hint how to install cupy.
"""

from __future__ import annotations

from typing import Any

from . import random
from .devices import array_module, gpu_count
from .devices import device as _place
from .hints import names_the_nearest

__all__ = [
    "current_device", "device", "device_count", "empty_cache", "get_device_name", "is_available", "manual_seed",
    "manual_seed_all", "memory_allocated", "memory_reserved", "set_device", "synchronize",
]  # fmt: skip

__getattr__, __dir__ = names_the_nearest(__name__, __all__)


def is_available() -> bool:
    """Whether cupy is installed and finds an NVIDIA GPU."""
    return gpu_count() > 0


def device_count() -> int:
    """How many GPUs there are."""
    return gpu_count()


def _number(device: Any) -> int:
    """The number of a GPU, named by a number, a text or a `device`; the current one for None."""
    cuda = array_module("cuda").cuda
    if device is None:
        return int(cuda.Device().id)
    if isinstance(device, int):
        return device
    place = _place(device)
    if place.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {place}")
    return int(cuda.Device().id) if place.index is None else place.index


def current_device() -> int:
    """The number of the GPU that "cuda" means now."""
    return _number(None)


def set_device(device: Any) -> None:
    """Let "cuda" mean this GPU from now on."""
    array_module("cuda").cuda.Device(_number(device)).use()


class device:
    """`with cuda.device(1):` — inside, "cuda" means this GPU."""

    def __init__(self, device: Any) -> None:
        self._device = device

    def __enter__(self) -> None:
        self._outer = current_device()
        set_device(self._device)

    def __exit__(self, *error: object) -> None:
        set_device(self._outer)


def get_device_name(device: Any = None) -> str:
    """What the maker calls a GPU."""
    name = array_module("cuda").cuda.runtime.getDeviceProperties(_number(device))["name"]
    return str(name.decode())


def synchronize(device: Any = None) -> None:
    """Wait until the GPU has done all that it was told to do."""
    array_module("cuda").cuda.Device(_number(device)).synchronize()


# -- memory ------------------------------------------------------------------------------------------------------------


def memory_allocated(device: Any = None) -> int:
    """How many bytes tensors take on the GPU; 0 where there is none."""
    return int(array_module("cuda").get_default_memory_pool().used_bytes()) if is_available() else 0


def memory_reserved(device: Any = None) -> int:
    """How many bytes cupy keeps, for tensors and for those to come; 0 where there is no GPU."""
    return int(array_module("cuda").get_default_memory_pool().total_bytes()) if is_available() else 0


def empty_cache() -> None:
    """Give memory that no tensor uses back to the GPU; nothing happens where there is none."""
    if is_available():
        array_module("cuda").get_default_memory_pool().free_all_blocks()


# -- random numbers ----------------------------------------------------------------------------------------------------


def manual_seed(seed: int) -> None:
    """Start the GPU's default generator again from `seed`."""
    random.cuda_generator.manual_seed(seed)


manual_seed_all = manual_seed  # one generator serves all GPUs
