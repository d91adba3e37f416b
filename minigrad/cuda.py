"""`minigrad.cuda`: the GPUs that minigrad can compute on, through cupy.

Questions whether there is one, and what does no harm without one, answer without one, too. Everything else raises
PyTorch's AssertionError there, with a hint how to install cupy.
"""

from __future__ import annotations

from typing import Any

from . import random
from .devices import device as _place
from .devices import gpu_count, gpu_module
from .hints import names_the_nearest

__all__ = ["device_count", "get_device_name", "is_available", "manual_seed", "manual_seed_all", "synchronize"]

__getattr__, __dir__ = names_the_nearest(__name__, __all__)


def is_available() -> bool:
    """Whether cupy is installed and finds an NVIDIA GPU."""
    return gpu_count() > 0


def _number(device: Any) -> int:
    """The number of a GPU, named by a number, a text or a `device`; the current one for None."""
    cuda = gpu_module().cuda
    place = _place("cuda" if device is None else device)
    if place.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {place}")
    return int(cuda.Device().id) if place.index is None else place.index


def get_device_name(device: Any = None) -> str:
    """What the maker calls a GPU."""
    name = gpu_module().cuda.runtime.getDeviceProperties(_number(device))["name"]
    return str(name.decode())


def synchronize(device: Any = None) -> None:
    """Wait until the GPU has done all that it was told to do."""
    gpu_module().cuda.Device(_number(device)).synchronize()


def manual_seed(seed: int) -> None:
    """Start the GPU's default generator again from `seed`."""
    random.cuda_generator.manual_seed(seed)


manual_seed_all = manual_seed  # one generator serves all GPUs
device_count = gpu_count
