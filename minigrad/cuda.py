"""`minigrad.cuda`: the GPUs that minigrad can compute on, through cupy.

Questions whether there is one, and what does no harm without one, answer without one, too. Everything else raises
PyTorch's AssertionError there, with a hint how to install cupy.
"""

from __future__ import annotations

from typing import Any

from . import random
from .devices import array_module, gpu_count
from .devices import device as _place
from .hints import with_hint

__all__ = [
    "Event", "Stream", "current_device", "device", "device_count", "empty_cache", "get_device_capability",
    "get_device_name", "get_rng_state", "initial_seed", "is_available", "is_initialized", "manual_seed",
    "manual_seed_all", "mem_get_info", "memory_allocated", "memory_reserved", "seed", "seed_all", "set_device",
    "set_rng_state", "synchronize",
]  # fmt: skip


def is_available() -> bool:
    """Whether cupy is installed and finds an NVIDIA GPU."""
    return gpu_count() > 0


def is_initialized() -> bool:
    """Whether a GPU has been found: cupy needs no other beginning."""
    return is_available()


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


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """The generation of a GPU, as (major, minor)."""
    properties = array_module("cuda").cuda.runtime.getDeviceProperties(_number(device))
    return int(properties["major"]), int(properties["minor"])


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


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """How many bytes of the GPU's memory are free, and how many there are."""
    cuda = array_module("cuda").cuda
    with cuda.Device(_number(device)):
        free, total = cuda.runtime.memGetInfo()
    return int(free), int(total)


def empty_cache() -> None:
    """Give memory that no tensor uses back to the GPU; nothing happens where there is none."""
    if is_available():
        array_module("cuda").get_default_memory_pool().free_all_blocks()


# -- random numbers ----------------------------------------------------------------------------------------------------


def manual_seed(seed: int) -> None:
    """Start the GPU's default generator again from `seed`."""
    random.cuda_generator.manual_seed(seed)


def seed() -> None:
    """Start the GPU's default generator from a seed that nobody can foresee."""
    random.cuda_generator.seed()


manual_seed_all, seed_all = manual_seed, seed  # one generator serves all GPUs


def initial_seed() -> int:
    """The seed that the GPU's default generator was last started from."""
    array_module("cuda")
    return random.cuda_generator.initial_seed()


def get_rng_state(device: Any = "cuda") -> Any:
    """The state of the GPU's default generator, as 16 bytes on the CPU."""
    array_module("cuda")
    return random.cuda_generator.get_state()


def set_rng_state(new_state: Any, device: Any = "cuda") -> None:
    """Continue the GPU's default generator from a state that `get_rng_state` has returned."""
    random.cuda_generator.set_state(new_state)


# -- what there is not -------------------------------------------------------------------------------------------------


class Stream:
    """Not there: everything is done in the order in which it is written. Raises RuntimeError."""

    def __init__(self, *args: Any, **options: Any) -> None:
        raise with_hint(
            RuntimeError(f"torch.cuda.{type(self).__name__} requires CUDA support"),
            "minigrad has no streams and events: the GPU does one thing after the other. synchronize() waits for it.",
            "minigrad 没有 stream 和 event：显卡按顺序依次执行。需要等待时请用 synchronize()。",
        )


class Event(Stream):
    """Not there, as `Stream`. Raises RuntimeError."""
