"""Where a tensor's numbers live: `cpu` (numpy), or `cuda` (cupy).

The operations do not know. Their formulas are written with numpy's functions, and a cupy array answers these through
numpy's own protocols (NEP 13 and 18). Only what makes arrays, moves them or looks at their numbers comes here.

A GPU works behind the program: an operation only orders work, and the program goes on. Looking at a number waits for
all that was ordered. So nothing in an operation may look (`bool`, `float`, `item`, a mask's length), and a check of
numbers is left with the GPU until somebody looks anyway (`refuse`).
"""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from .dtypes import from_numpy_dtype
from .hints import hinted, type_name

#: What numpy computes with: its arrays, and its single numbers.
OF_NUMPY = (np.ndarray, np.generic)

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

    def __init__(self, type: str | int | device, index: int | None = None) -> None:
        if isinstance(type, device):
            type, index = type.type, type.index
        if isinstance(type, int) and not isinstance(type, bool):
            if not gpu_count():
                raise hinted(RuntimeError("Cannot access accelerator device when none is available."))
            type, index = "cuda", type
        if not isinstance(type, str):
            raise TypeError(f"device() takes the name of a device, such as 'cuda:0', and not {type_name(type)}")
        if not type:
            raise RuntimeError("Device string must not be empty")
        name, number = type, None
        if type != "cpu":
            match = re.fullmatch(r"([a-zA-Z_]+)(?::(0|[1-9]\d*))?", type)
            if match is None:
                raise RuntimeError(f"Invalid device string: '{type}'")
            name, number = match.groups()
        if name not in _KNOWN.split(", "):
            raise hinted(RuntimeError(f"Expected one of {_KNOWN} device type at start of device string: {name}"))
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

# ---------------------------------------------------------------------------------------------------------------------
# Where new tensors are made

_default: device | None = None


def set_default_device(device: Any) -> None:
    """Let new tensors be made there from now on, unless they are told otherwise. None means the CPU again."""
    global _default
    _default = None if device is None else _Device(device)


def get_default_device() -> device:
    """Where new tensors are made: the CPU unless `set_default_device` changed it."""
    if _default is None or _default.type == "cpu":
        return CPU
    if _default.index is not None:
        return _default
    return device(_default.type, int(gpu_module().cuda.Device().id))


_Device = device  # for functions with an argument of that name


def chosen(where: Any) -> device | None:
    """The device for something new: as the user names it, or the default one if that is None. None for the CPU."""
    where = _default if where is None else _Device(where)
    return None if where is None or where.type == "cpu" else where


def make(where: Any, function: str, *args: Any) -> Any:
    """`numpy.zeros(…)` and the like on a device; on the default device if it is None.

    Args:
        where: the device, as the user names it.
        function: zeros, ones, empty, full, eye or arange.
        args: its arguments, as numpy has them.
    """
    where = chosen(where)
    if where is None:
        return getattr(np, function)(*args)
    with on(where) as module:
        return getattr(module, function)(*args)


# ---------------------------------------------------------------------------------------------------------------------
# The two array libraries


def module_of(like: Any) -> ModuleType:
    """The module that made a raw array or the array of a tensor: for the few functions that make an array of nothing,
    which numpy's protocols do not reach (`arange`, `eye`, `lib.stride_tricks.as_strided`).
    """
    if isinstance(getattr(like, "_value", like), OF_NUMPY):
        return np
    return gpu_module()


_found: ModuleType | None = None  # cupy, once it has found a GPU
when_found: list[Callable[[], None]] = []  # called then, by those who must know that operands may be in two places


def gpu_module() -> ModuleType:
    """cupy. Raises AssertionError with PyTorch's own text where it is not installed, RuntimeError without a GPU."""
    global _found
    try:
        import cupy
    except ImportError:
        raise hinted(AssertionError("Torch not compiled with CUDA enabled")) from None
    if cupy is not _found:
        try:
            count = cupy.cuda.runtime.getDeviceCount()
        except cupy.cuda.runtime.CUDARuntimeError:
            said = (
                "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a "
                "driver from http://www.nvidia.com/Download/index.aspx"
            )
            raise hinted(RuntimeError(said)) from None
        if count == 0:
            raise RuntimeError("No CUDA GPUs are available")
        _found = cupy
        for tell in when_found:
            tell()
    return cupy


def gpu_count() -> int:
    """How many GPUs there are; 0 where cupy is missing."""
    try:
        return int(gpu_module().cuda.runtime.getDeviceCount())
    except (AssertionError, RuntimeError):
        return 0


@contextlib.contextmanager
def on(where: device) -> Any:
    """`with on(device) as module:` — make arrays there, by the module's functions."""
    if where.type != "cuda":
        raise hinted(RuntimeError(f"Could not run on device '{where}'"))
    module = gpu_module()
    if where.index is None:
        yield module
        return
    if where.index >= gpu_count():
        raise hinted(RuntimeError("CUDA error: invalid device ordinal"), count=gpu_count())
    with module.cuda.Device(where.index):
        yield module


def special_functions(array: Any) -> ModuleType | None:
    """The module that has the functions which numpy lacks, such as erf; None for an array of numpy's."""
    if isinstance(array, OF_NUMPY):
        return None
    import cupyx.scipy.special

    return cupyx.scipy.special


def raising(array: Any) -> Any:
    """`with raising(a):` — a factorization that fails raises numpy's LinAlgError, also on a GPU, which waits for it."""
    if isinstance(array, OF_NUMPY):
        return contextlib.nullcontext()
    import cupyx

    return cupyx.errstate(linalg="raise")


# ---------------------------------------------------------------------------------------------------------------------
# Between them


def device_of(array: Any) -> device:
    """The device of a raw array: numpy's are on the CPU, cupy's say which GPU they are on."""
    if isinstance(array, OF_NUMPY):
        return CPU
    return _gpu(int(array.device.id))


@functools.cache
def _gpu(number: int) -> device:
    return device("cuda", number)


def tensor_type(array: Any) -> str:
    """The old name of the type of a raw array, as `torch.cuda.FloatTensor`, that PyTorch still prints in messages."""
    name = from_numpy_dtype(array.dtype).tensor_type
    return f"torch.{name}" if device_of(array) is CPU else f"torch.cuda.{name}"


def same_place(a: device, b: device) -> bool:
    """Whether both are the same place: "cuda" is the first GPU, as "cuda:0" is."""
    return a.type == b.type and (a.type == "cpu" or (a.index or 0) == (b.index or 0))


def move(array: Any, where: device) -> Any:
    """A raw array in another place. Raises as `gpu_module` does."""
    if where.type == "cpu":
        return to_host(array)
    with on(where) as module:
        return module.asarray(array)


def to_host(array: Any) -> Any:
    """A raw array as numpy's. Of a GPU's array that is a copy, and the program waits for it."""
    if isinstance(array, OF_NUMPY):
        return array
    if _unanswered:
        _answer()
    return array.get()


def refuse(bad: Any, error: Callable[[], Exception]) -> None:
    """Raise `error()` if any element of the raw bool array `bad` is True.

    On the CPU at once. A GPU is asked, and not waited for: the error comes when the program next waits. (PyTorch leaves
    it to the GPU, too, which then stops for good: "device-side assert triggered".)
    """
    if isinstance(bad, OF_NUMPY):
        if bad.any():
            raise error()
        return
    if len(_unanswered) == 1000:  # nobody has looked for long
        _answer()
    _unanswered.append((bad.any(), error))


def first(array: Any, where: Any) -> Any:
    """The first element of a raw array where a raw bool array is True, as Python's number: for messages."""
    return to_host(array)[to_host(where)].flat[0].item()


_unanswered: list[tuple[Any, Callable[[], Exception]]] = []


def _answer() -> None:
    questions = list(_unanswered)
    _unanswered.clear()
    for bad, error in questions:
        if bool(bad.get()):
            raise hinted(error(), "[found late by a GPU]")
