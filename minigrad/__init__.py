"""minigrad: PyTorch's autograd, small enough to read. `import minigrad as torch` and run your notes."""

import warnings as _warnings
from math import e, inf, nan, pi

# First, because importing the module `tensor` would later hide the function `tensor`.
from .tensor import Tensor  # isort: split

from . import autograd
from . import creation as _creation_module
from . import functions as _functions_module
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
from .functions import __all__ as _functions
from .functions.calling import called as _called
from .hints import loaded_later as _loaded_later
from .layouts import contiguous_format, layout, memory_format, preserve_format, strided
from .size import Size

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
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
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

globals().update(_functions_module.FUNCTIONS)
for _name in _creation:
    _function = getattr(_creation_module, _name)
    globals()[_name] = _function if isinstance(_function, type) else _called(_function, _name, out=True)

#: What is loaded when it is first asked for.
_LATER = {
    ".autograd.anomaly": "is_anomaly_check_nan_enabled is_anomaly_enabled",
    ".backends": "accelerator",
    ".cuda": "",
    ".files": "load save",
    ".func": "vmap",
    ".linalg": "",
    ".nn": "",
    ".optim": "",
    ".printing": "set_printoptions",
    ".random": "Generator get_rng_state initial_seed manual_seed seed set_rng_state",
    ".utils": "",
}
__getattr__, __dir__ = _loaded_later(__name__, __all__, _LATER)
