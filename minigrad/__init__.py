"""minigrad: PyTorch's autograd, small enough to read. `import minigrad as torch` and run your notes."""

import warnings as _warnings
from math import e, inf, nan, pi

# First, because importing the module `tensor` would later hide the function `tensor`.
from .tensor import Tensor  # isort: split

from . import autograd
from . import creation as _creation
from . import devices as _devices
from . import dtypes as _dtypes
from . import functions as _functions
from . import size as _size
from .autograd import grad_mode as _grad_mode
from .functions.calling import called as _called
from .hints import loaded_later as _loaded_later
from .hints import shorten_tracebacks as _shorten_tracebacks
from .hints import tell_summaries as _tell_summaries
from .hints import tell_warnings as _tell_warnings

__version__ = "0.1.0"

# PyTorch computes 1/0 = inf and 0/0 = nan without a word, and so does minigrad. Only warnings from its own modules are
# silenced, and those of `array.sum()` and `.prod()`, which name a file of numpy's; numpy used by others warns as ever.
_warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigrad\.")
_warnings.filterwarnings("ignore", ".* encountered in reduce$", RuntimeWarning, r"numpy\._core\._methods$")
_tell_warnings()
_shorten_tracebacks()

#: What of other files is for users; Python's own `bool`, `float` and `int` are types there under another name.
_NOW = {
    _devices: "device get_default_device set_default_device",
    _dtypes: """
        bool double dtype float float16 float32 float64 get_default_dtype half int int8 int16
        int32 int64 long set_default_dtype short uint8""",
    _grad_mode: """enable_grad inference_mode is_grad_enabled is_inference_mode_enabled no_grad set_grad_enabled""",
    _size: "Size",
}
#: What is loaded when it is first asked for.
_LATER = {
    ".autograd.anomaly": "is_anomaly_check_nan_enabled is_anomaly_enabled",
    ".backends": "accelerator version",
    ".cuda": "",
    ".files": "load save",
    ".func": "vmap",
    ".linalg": "",
    ".nn": "",
    ".optim": "",
    ".printing": "set_printoptions",
    ".random": "Generator get_rng_state manual_seed set_rng_state",
    ".utils": "",
}
for _home, _names in _NOW.items():
    globals().update({name: getattr(_home, f"{name}_", None) or getattr(_home, name) for name in _names.split()})
globals().update(_functions.FUNCTIONS)
for _name in _creation.__all__:
    _function = getattr(_creation, _name)
    globals()[_name] = _function if isinstance(_function, type) else _called(_function, _name, out=True)

__all__ = ["Tensor", "autograd", "backends", "e", "func", "inf", "nan", "pi", *_creation.__all__, *_functions.__all__]
__all__ += [name for names in _NOW.values() for name in names.split()]
__all__ += [name for home, names in _LATER.items() for name in names.split() or [home[1:]]]
__all__.sort()

__getattr__, __dir__ = _loaded_later(__name__, __all__, _LATER)
_tell_summaries(__name__)
