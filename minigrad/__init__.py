"""minigrad: PyTorch's autograd, small enough to read. `import minigrad as torch` and run your notes."""

import warnings as _warnings
from math import e, inf, nan, pi

# First, because importing the module `tensor` would later hide the function `tensor`.
from .tensor import Tensor  # isort: split

from . import autograd, cuda, linalg
from .autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .creation import __all__ as _creation
from .determinism import are_deterministic_algorithms_enabled, use_deterministic_algorithms
from .devices import device, get_default_device, set_default_device
from .dtypes import bool_ as bool
from .dtypes import (
    can_cast,
    double,
    dtype,
    finfo,
    float16,
    float32,
    float64,
    get_default_dtype,
    half,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    long,
    promote_types,
    result_type,
    set_default_dtype,
    short,
    uint8,
)
from .dtypes import float_ as float
from .dtypes import int_ as int
from .files import load, save
from .functions import __all__ as _functions
from .functions.calling import exported as _exported
from .hints import unknown_name as _unknown_name
from .layouts import contiguous_format, layout, memory_format, preserve_format, strided
from .printing import set_printoptions
from .random import Generator, get_rng_state, initial_seed, manual_seed, seed, set_rng_state
from .size import Size

globals().update(_exported())

__version__ = "0.1.0"

# PyTorch computes 1/0 = inf and 0/0 = nan without a word, and so does minigrad. Only warnings from its own modules are
# silenced; numpy used by others warns as ever.
_warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigrad\.")

__all__ = [
    "accelerator",
    "backends",
    "Generator",
    "Size",
    "Tensor",
    "are_deterministic_algorithms_enabled",
    "autograd",
    "bool",
    "can_cast",
    "contiguous_format",
    "cuda",
    "device",
    "double",
    "dtype",
    "e",
    "enable_grad",
    "finfo",
    "float",
    "float16",
    "float32",
    "float64",
    "func",
    "get_default_device",
    "get_default_dtype",
    "get_rng_state",
    "half",
    "iinfo",
    "inf",
    "inference_mode",
    "initial_seed",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "layout",
    "linalg",
    "load",
    "long",
    "manual_seed",
    "memory_format",
    "nan",
    "nn",
    "no_grad",
    "optim",
    "pi",
    "preserve_format",
    "promote_types",
    "result_type",
    "save",
    "seed",
    "set_default_device",
    "set_default_dtype",
    "set_grad_enabled",
    "set_printoptions",
    "set_rng_state",
    "short",
    "strided",
    "uint8",
    "use_deterministic_algorithms",
    "utils",
    "vmap",
    *_creation,
    *_functions,
]


_ELSEWHERE = {"accelerator": ".backends", "vmap": ".func"}


def __getattr__(name: str) -> object:
    """Load `nn` and others when they are first asked for; for a name that does not exist say which one is nearest."""
    from importlib import import_module

    if name in ("backends", "func", "nn", "optim", "utils"):
        return import_module(f".{name}", __name__)
    if name in _ELSEWHERE:
        return getattr(import_module(_ELSEWHERE[name], __name__), name)
    raise _unknown_name(f"module '{__name__}'", f"{__name__}.", name, __all__)
