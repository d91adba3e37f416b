"""A stand-in for cupy, for machines without a GPU: arrays that speak cupy's protocols and refuse what cupy refuses.

An `Array` keeps its numbers in a hidden numpy array. Everything goes through the doors that cupy has (`cupy.json`, read
off cupy itself by `record_cupy.py`): operators, methods, `__array_ufunc__`, `__array_function__`. The rest is refused,
with cupy's own errors:

- turning an array into numpy's by itself (`np.asarray(a)`): only `a.get()` does it;
- an operation on arrays of both kinds;
- numpy functions, arguments, element types and `ufunc.at` that cupy does not have.

And what cupy does in another way, this does in cupy's way: a result with no dimensions is an array, an index out of
range wraps around, a singular matrix is noticed only if one asks for it. Whatever would make the program wait for the
GPU is counted in `waits`.
"""

import contextlib
import json
import math
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

CUPY = json.loads(Path(__file__).with_name("cupy.json").read_text(encoding="utf-8"))
FUNCTIONS, UFUNCS = CUPY["functions"], CUPY["ufuncs"]

#: What has made the program wait for the GPU, one entry each time.
waits: list[str] = []

# cupy functions that must know numbers before they can go on, such as how many elements a mask selects.
_WAITING = {"nonzero", "argwhere", "flatnonzero", "unique", "bincount", "compress", "repeat"}
# Functions of two arrays that give Python's True or False in numpy, and an array in cupy.
_VERDICTS = {"allclose", "array_equal", "array_equiv"}
# Functions whose second argument may come from the host: cupy copies it over.
_INDICES_FROM_HOST = {"take"}
# What cupy adds at the same place several times with: `add.at` needs an atomic addition.
_ATOMIC = {"add": ("int32", "int64", "float16", "float32", "float64", "uint32", "uint64")}


def wait(why: str) -> None:
    """Count one time that the program waits for the GPU."""
    waits.append(why)


@contextlib.contextmanager
def counted() -> Iterator[list[str]]:
    """`with counted() as waits:` — what has made the program wait inside."""
    waits.clear()
    yield waits


class Flags:
    """All that cupy says of an array's memory: there is no `writeable`."""

    def __init__(self, flags: Any) -> None:
        self.c_contiguous, self.f_contiguous = flags.c_contiguous, flags.f_contiguous
        self.owndata = flags.owndata


def refuse(value: Any) -> None:
    """Raise cupy's TypeError for what it does not compute with."""
    raise TypeError(f"Unsupported type {type(value)}")


def hidden(value: Any, host: bool = False) -> Any:
    """The numpy array in an `Array`; numbers as they are. numpy's own arrays only where cupy takes them (`host`)."""
    if isinstance(value, Array):
        return value._numpy
    if isinstance(value, tuple | list):
        return type(value)(hidden(v, host) for v in value)
    if isinstance(value, np.ndarray) and not host:
        refuse(value)
    return value


def wrapped(value: Any, sources: tuple[Any, ...] = ()) -> Any:
    """What numpy has computed as cupy gives it: also a single number as an array."""
    if isinstance(value, np.ndarray) and not value.flags.writeable:
        value.flags.writeable = root(value).flags.writeable  # cupy forbids nothing: a diagonal may be written
    if isinstance(value, np.ndarray | np.generic):
        return Array(value, sources)
    if isinstance(value, tuple | list):
        return (list if isinstance(value, list) else tuple)(wrapped(v, sources) for v in value)
    return value


def root(array: np.ndarray) -> np.ndarray:
    """The numpy array that owns the memory of `array`."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


class Array:
    """What cupy.ndarray is to minigrad."""

    __slots__ = ("__weakref__", "_numpy", "base")
    __array_priority__ = 100
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Any, sources: tuple[Any, ...] = ()) -> None:
        array = value if isinstance(value, np.ndarray) else np.asarray(value)
        if array.dtype.kind not in "biufc":
            raise ValueError(f"Unsupported dtype {array.dtype}")
        self._numpy = array
        self.base: Array | None = None
        for source in sources:
            if isinstance(source, Array) and root(array) is root(source._numpy):
                self.base = source if source.base is None else source.base

    # -- what it is -------------------------------------------------------------------------------------------------

    shape = property(lambda self: self._numpy.shape)
    dtype = property(lambda self: self._numpy.dtype)
    ndim = property(lambda self: self._numpy.ndim)
    size = property(lambda self: self._numpy.size)
    itemsize = property(lambda self: self._numpy.itemsize)
    nbytes = property(lambda self: self._numpy.nbytes)
    strides = property(lambda self: self._numpy.strides)
    flags = property(lambda self: Flags(self._numpy.flags))
    data = property(lambda self: SimpleNamespace(ptr=self._numpy.ctypes.data))
    device = property(lambda self: Device(0))
    T = property(lambda self: wrapped(self._numpy.T, (self,)))

    def __len__(self) -> int:
        return len(self._numpy)

    def __iter__(self) -> Iterator[Any]:
        if not self.shape:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self)))

    # -- to the host: every way there waits ---------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy array "
            "explicitly."
        )

    def get(self) -> np.ndarray:
        """A copy on the host."""
        wait("get")
        return self._numpy.copy()

    def item(self) -> Any:
        """The one number."""
        wait("item")
        return self._numpy.item()

    def tolist(self) -> Any:
        """Nested lists of numbers."""
        wait("tolist")
        return self._numpy.tolist()

    def tobytes(self) -> bytes:
        """The memory."""
        wait("tobytes")
        return self._numpy.tobytes()

    def __bool__(self) -> bool:
        wait("bool")
        return bool(self._numpy)

    def __int__(self) -> int:
        wait("int")
        return int(self._numpy)

    def __float__(self) -> float:
        wait("float")
        return float(self._numpy)

    def __format__(self, spec: str) -> str:
        wait("format")
        return format(self._numpy, spec)

    def __repr__(self) -> str:
        wait("repr")
        return repr(self._numpy)

    # -- protocols ----------------------------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        for value in inputs:
            if not isinstance(value, int | float | np.generic | Array | np.ndarray | tuple | list | slice):
                return NotImplemented
        if method == "at" or (ufunc.__name__ not in UFUNCS and ufunc is not np.matmul):  # (`cupy.add.at` would do)
            return NotImplemented
        return apply(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        path = ".".join([*function.__module__.split(".")[1:], function.__name__])
        if path in UFUNCS and path not in FUNCTIONS:
            return apply(getattr(np, path), "__call__", args, options)
        if path not in FUNCTIONS or not all(issubclass(t, Array | np.ndarray) for t in types):
            return NotImplemented
        return call(path, function, args, options)

    # -- reading and writing ------------------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        key, advanced = places(self, key)
        if not advanced and Ellipsis not in key:
            key = (*key, Ellipsis)  # a single element, too, is an array
        return wrapped(self._numpy[key], (self,))

    def __setitem__(self, key: Any, value: Any) -> None:
        key, advanced = places(self, key)
        if isinstance(value, np.ndarray) and value.ndim and not advanced:
            raise ValueError("non-scalar numpy.ndarray cannot be used for fill")
        self._numpy[key] = hidden(value)

    def fill(self, value: Any) -> None:
        """One value everywhere. cupy looks whether it is 0."""
        if isinstance(value, Array):
            wait("fill")
        self._numpy.fill(hidden(value))


def places(array: Array, key: Any) -> tuple[tuple[Any, ...], bool]:
    """An index for numpy, and whether there are arrays in it. Masks wait; named out of range wrap around."""
    found: list[Any] = []
    axis, advanced = 0, False
    entries = key if isinstance(key, tuple) else (key,)
    used = sum(_dimensions(entry) for entry in entries)
    for entry in entries:
        if isinstance(entry, Array | np.ndarray | list):
            named = np.asarray(hidden(entry, host=True))
            named = named.astype(np.int32) if isinstance(entry, list) and not entry else named
            advanced = True
            if named.dtype.kind == "b":
                wait("mask")
            elif named.dtype.kind not in "iu":
                raise IndexError("arrays used as indices must be of integer or boolean type")
            elif array.shape[axis]:
                named = named % array.shape[axis]
            found.append(named)
        elif isinstance(entry, int | np.integer | slice) or entry is None or entry is Ellipsis:
            found.append(entry)
        else:
            raise IndexError(
                "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays "
                f"are valid indices, not {type(entry)}"
            )
        axis += array.ndim - used if entry is Ellipsis else _dimensions(entry)
    return tuple(found), advanced


def _dimensions(entry: Any) -> int:
    """How many dimensions an entry of an index speaks of."""
    if entry is None or entry is Ellipsis:
        return 0
    is_mask = isinstance(entry, Array | np.ndarray) and entry.dtype.kind == "b"
    return entry.ndim if is_mask else 1


def apply(ufunc: Any, method: str, inputs: Any, options: dict[str, Any]) -> Any:
    """What a cupy ufunc would do."""
    name = ufunc.__name__
    if not set(options) <= {"out", "dtype", "casting"} | ({"axis", "keepdims"} if method == "reduce" else set()):
        raise TypeError(f"cupy's {name} does not take {sorted(options)}")
    if method in ("reduce", "accumulate", "reduceat") and name not in ("add", "multiply"):
        raise NotImplementedError(f"`{name}.{method}` is not supported yet")
    if method == "at":
        target, key, *values = inputs
        if not UFUNCS[name]["at"]:
            raise NotImplementedError(f"`{name}.at` is not supported yet")
        if target.dtype.name not in _ATOMIC[name]:
            raise TypeError(f"cupy.{name}.at only supports {_ATOMIC[name]} as data type, not {target.dtype.name}")
        ufunc.at(target._numpy, places(target, key)[0], *map(hidden, values))
        return None
    if any(isinstance(x, tuple | list | slice) for x in inputs):
        refuse(inputs)
    if name in ("greater", "greater_equal", "less", "less_equal", "equal", "not_equal"):
        inputs = [x.item() if isinstance(x, np.ndarray) and x.ndim == 0 else x for x in inputs]
    if ufunc is not np.matmul:
        check_loops(name, inputs)
    options = {key: hidden(value) for key, value in options.items()}
    out = options.get("out")
    with np.errstate(all="ignore"):  # a GPU says nothing about 1 / 0
        result = getattr(ufunc, method)(*map(hidden, inputs), **options)
    return wrapped(result, tuple(x for x in inputs if out is not None))


def check_loops(name: str, inputs: Any) -> None:
    """Raise TypeError if cupy has no loop for these element types."""
    kinds = [x.dtype for x in inputs if isinstance(x, Array)]
    for loop in UFUNCS[name]["loops"]:
        wanted = [np.dtype(char) for x, char in zip(inputs, loop, strict=False) if isinstance(x, Array)]
        if all(np.can_cast(kind, to) for kind, to in zip(kinds, wanted, strict=True)):
            return
    raise TypeError(f"Wrong type ({kinds}) of arguments for cupy_{name}")


def call(path: str, function: Any, args: Any, options: dict[str, Any]) -> Any:
    """What the cupy function at `path` would do."""
    name, known = path.split(".")[-1], FUNCTIONS[path]
    if known is not None and "args" not in known and "kwargs" not in known:
        unknown = [key for key in options if key not in known]
        if unknown or len(args) > len(known):
            raise TypeError(f"cupy.{path}{tuple(known)} does not take {unknown or args}")
    if name == "where" and not hasattr(args[0], "astype"):
        raise AttributeError(f"{type(args[0])} has no attribute 'astype'")
    if name == "where" and isinstance(args[0], np.ndarray):
        refuse(args[0])
    if name == "repeat" and isinstance(args[1], Array):
        raise ValueError("cupy.repeat wants a number or a list")
    if name in _WAITING or (name == "where" and len(args) == 1):
        wait(name)
    if name.endswith("_like") and options.get("shape") == ():
        options = {**options, "shape": args[0].shape}  # cupy takes it for no shape at all
    sources = tuple(x for x in args if isinstance(x, Array))
    if path.startswith("linalg.") and any(x.dtype == np.float16 for x in sources):
        raise TypeError("float16 is unsupported in linalg")
    from_host = name in _INDICES_FROM_HOST
    given = [hidden(x, from_host and i == 1) for i, x in enumerate(args)]
    if from_host:  # an index out of range wraps around
        options = {**options, "mode": "wrap"}
    if name == "take_along_axis" and given[1].size:
        given[1] = given[1] % given[0].shape[given[2]]
    options = {key: hidden(value) for key, value in options.items()}
    try:
        with np.errstate(all="ignore"):
            result = function(*given, **options)
    except np.linalg.LinAlgError:
        if _errors["linalg"] == "raise":
            wait(name)
            raise
        return wrapped(np.full_like(given[-1], np.nan))
    if _errors["linalg"] == "raise" and path.startswith("linalg."):
        wait(name)
    return Array(result) if name in _VERDICTS else wrapped(result, sources)


# ---------------------------------------------------------------------------------------------------------------------
# Operators and methods, of those that cupy's arrays have


def _operator(ufunc: Any, reflected: bool = False) -> Any:
    def operate(self: Array, other: Any) -> Any:
        if not isinstance(other, Array):  # as cupy does: numpy decides whose protocol is asked
            if getattr(other, "__array_ufunc__", True) is None:
                return NotImplemented
            return ufunc(other, self) if reflected else ufunc(self, other)
        return apply(ufunc, "__call__", (self, other), {})

    return operate


def _in_place(ufunc: Any) -> Any:
    def operate(self: Array, other: Any) -> Any:
        apply(ufunc, "__call__", (self, other), {"out": self})
        return self

    return operate


_BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "floordiv": np.floor_divide,
    "mod": np.remainder, "pow": np.power, "matmul": np.matmul, "and": np.bitwise_and, "or": np.bitwise_or,
    "xor": np.bitwise_xor, "lshift": np.left_shift, "rshift": np.right_shift,
}  # fmt: skip
_COMPARISONS = {
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal,
}  # fmt: skip
_METHODS = [
    "all", "any", "argmax", "argmin", "argsort", "astype", "clip", "copy", "cumprod", "cumsum", "diagonal", "dot",
    "flatten", "max", "mean", "min", "nonzero", "prod", "ravel", "repeat", "reshape", "round", "searchsorted",
    "squeeze", "std", "sum", "swapaxes", "take", "trace", "transpose", "var", "view",
]  # fmt: skip


def _method(name: str) -> Any:
    def method(self: Array, *args: Any, **options: Any) -> Any:
        if not set(options) <= {"axis", "dtype", "keepdims", "copy", "order", "kind", "casting", "side"}:
            raise TypeError(f"cupy's {name}() does not take {sorted(options)}")
        if name in _WAITING:
            wait(name)
        given = [hidden(x, name == "take") for x in args]
        with np.errstate(all="ignore"):
            result = getattr(self._numpy, name)(*given, **{k: hidden(v) for k, v in options.items()})
        return wrapped(result, (self,))

    return method


def _dress() -> None:
    for name, ufunc in {**_BINARY, **_COMPARISONS}.items():
        setattr(Array, f"__{name}__", _operator(ufunc))
        if name in _BINARY:
            setattr(Array, f"__r{name}__", _operator(ufunc, reflected=True))
            setattr(Array, f"__i{name}__", _in_place(ufunc))
    for name, ufunc in {"neg": np.negative, "pos": np.positive, "abs": np.abs, "invert": np.invert}.items():
        setattr(Array, f"__{name}__", lambda self, ufunc=ufunc: apply(ufunc, "__call__", (self,), {}))
    for name in _METHODS:
        setattr(Array, name, _method(name))
    del Array.__imatmul__  # type: ignore[attr-defined]
    foreign = {name for name in vars(Array) if name not in CUPY["array"]} - {
        "__slots__", "_numpy", "__doc__", "__weakref__", "__annotations__", "__static_attributes__",
        "__firstlineno__", "__annotations_cache__", "__annotate__", "__annotate_func__",
    }  # fmt: skip
    assert not foreign, f"cupy's arrays have no {foreign}"


_dress()

# ---------------------------------------------------------------------------------------------------------------------
# The modules `cupy` and `cupyx`, as far as minigrad uses them

_errors = {"linalg": "ignore"}


@contextlib.contextmanager
def errstate(*, linalg: str) -> Iterator[None]:
    """Whether cupy looks if a factorization has failed, for which it must wait."""
    before, _errors["linalg"] = _errors["linalg"], linalg
    try:
        yield
    finally:
        _errors["linalg"] = before


class Device:
    """The one GPU."""

    def __init__(self, number: int = 0) -> None:
        self.id = number

    def __enter__(self) -> "Device":
        if self.id != 0:
            raise CUDARuntimeError("cudaErrorInvalidDevice: invalid device ordinal")
        return self

    def __exit__(self, *error: object) -> None:
        pass

    use = __enter__

    def synchronize(self) -> None:
        """Wait for the GPU."""
        wait("synchronize")


class CUDARuntimeError(RuntimeError):
    """As cupy's."""


def _maker(name: str) -> Any:
    function = getattr(np, name)

    def make(*args: Any, **options: Any) -> Array:
        unknown = [key for key in options if key not in FUNCTIONS[name]]
        if unknown or len(args) > len(FUNCTIONS[name]):
            raise TypeError(f"cupy.{name}{tuple(FUNCTIONS[name])} does not take {unknown or args}")
        return Array(function(*args, **options))

    return make


def _as_strided(x: Array, shape: Any = None, strides: Any = None) -> Array:
    if not isinstance(x, Array):
        refuse(x)
    return Array(np.lib.stride_tricks.as_strided(x._numpy, shape, strides))  # as in cupy, its base is None


def _special(function: Any) -> Any:
    """A function of cupyx.scipy.special, made of one of Python numbers."""

    def apply_to(*args: Any) -> Array:
        of_each = np.frompyfunc(function, len(args), 1)
        kind = args[-1].dtype
        return Array(np.asarray(of_each(*map(hidden, args)), dtype=np.float64 if kind == np.float16 else kind))

    return apply_to


def modules() -> dict[str, ModuleType]:
    """What `import cupy` and `import cupyx` shall give, by name."""
    cupy, cupyx, special = ModuleType("cupy"), ModuleType("cupyx"), ModuleType("cupyx.scipy.special")
    cupy.__version__ = f"{CUPY['version']} (stand-in)"
    cupy.ndarray = Array
    for name in ("zeros", "ones", "empty", "full", "eye", "arange"):
        setattr(cupy, name, _maker(name))
    cupy.add = SimpleNamespace(at=lambda *inputs: apply(np.add, "at", inputs, {}))
    cupy.asarray = lambda array: array if isinstance(array, Array) else Array(np.array(array))
    pool = SimpleNamespace(used_bytes=lambda: 0, total_bytes=lambda: 0, free_all_blocks=lambda: None)
    cupy.get_default_memory_pool = lambda: pool
    properties = {"name": b"Stand-in", "major": 0, "minor": 0, "totalGlobalMem": 0, "multiProcessorCount": 0}
    runtime = SimpleNamespace(
        getDeviceCount=lambda: 1,
        getDeviceProperties=lambda number: properties,
        memGetInfo=lambda: (0, 0),
        CUDARuntimeError=CUDARuntimeError,
    )
    cupy.cuda = SimpleNamespace(Device=Device, runtime=runtime)
    cupy.lib = SimpleNamespace(stride_tricks=SimpleNamespace(as_strided=_as_strided))
    cupyx.errstate = errstate
    special.erf = _special(math.erf)
    scipy = ModuleType("cupyx.scipy")
    scipy.special = special
    cupyx.scipy = scipy
    return {"cupy": cupy, "cupyx": cupyx, "cupyx.scipy": scipy, "cupyx.scipy.special": special}
