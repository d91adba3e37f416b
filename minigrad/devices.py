"""Where a tensor's numbers live: `cpu` (numpy), or `cuda` (cupy)."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any

import numpy as np

from .hints import with_hint

# PyTorch lists every device type it was ever built for; its message is repeated here so that a search finds it.
_KNOWN = (
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, "
    "mtia, privateuseone"
)


class device:
    """A place for tensors: `device("cpu")`, `device("cuda")`, `device("cuda:1")` or `device("cuda", 1)`.

    Attributes:
        type: "cpu" or "cuda".
        index: the number of the GPU, or None where none was named.
    """

    __slots__ = ("index", "type")

    def __init__(self, type: str | device, index: int | None = None) -> None:
        if isinstance(type, device):
            type, index = type.type, type.index
        if not isinstance(type, str):
            raise TypeError(f"device(): argument 'type' (position 1) must be str, not {type.__class__.__name__}")
        match = re.fullmatch(r"([a-zA-Z_]+)(?::(0|[1-9]\d*))?", type)
        if match is None:
            raise RuntimeError(f"Invalid device string: '{type}'")
        name, number = match.groups()
        if name not in _KNOWN.split(", "):
            raise RuntimeError(f"Expected one of {_KNOWN} device type at start of device string: {name}")
        if number is not None and index is not None:
            raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {type}")
        self.type = name
        self.index = int(number) if number is not None else index

    def __repr__(self) -> str:
        if self.index is None:
            return f"device(type='{self.type}')"
        return f"device(type='{self.type}', index={self.index})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self) -> tuple[Any, ...]:
        return device, (str(self),)


CPU = device("cpu")


def array_module(where: device | str | None) -> ModuleType:
    """The module that makes arrays on a device: numpy, or cupy for "cuda".

    Raises AssertionError with PyTorch's own text where "cuda" is asked for and cannot be had.
    """
    if where is None:
        return np
    where = device(where)
    if where.type == "cpu":
        return np
    if where.type == "cuda":
        return _cupy()
    raise with_hint(
        RuntimeError(f"Could not run on device '{where}'"),
        "minigrad knows the devices 'cpu' and 'cuda'.",
        "minigrad 只支持 'cpu' 和 'cuda' 两种设备。",
    )


def _cupy() -> ModuleType:
    try:
        import cupy
    except ImportError:
        raise with_hint(
            AssertionError("Torch not compiled with CUDA enabled"),
            "NVIDIA GPUs are used through cupy: pip install 'minigrad-lessons[gpu]'. Without one, use device='cpu'.",
            "NVIDIA 显卡通过 cupy 使用：pip install 'minigrad-lessons[gpu]'。没有显卡时请用 device='cpu'。",
        ) from None
    return cupy


def move(array: Any, where: device) -> Any:
    """A raw array in another place. Raises as `array_module` does."""
    module = array_module(where)
    if module is np:
        return array if isinstance(array, np.ndarray | np.generic) else array.get()
    with module.cuda.Device(where.index or 0):
        return module.asarray(array)


def same_place(a: device, b: device) -> bool:
    """Whether both are the same place: "cuda" is the first GPU, as "cuda:0" is."""
    return (a.type, a.index or 0) == (b.type, b.index or 0)


def device_of(array: Any) -> device:
    """The device of a raw array: numpy's are on the CPU, cupy's say which GPU they are on."""
    if isinstance(array, np.ndarray | np.generic):
        return CPU
    return device("cuda", int(array.device.id))
