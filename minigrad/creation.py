"""Making tensors: from numbers, of zeros and ones, of ranges. (At random: `functions/drawing.py`.)

Each takes `dtype=`, `device=` and `requires_grad=`. What is made here is a leaf.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import index
from typing import Any
from warnings import warn

import numpy as np

from . import memory
from .autograd.grad_mode import mode
from .autograd.node import grad_fn, requires_grad
from .autograd.variable import TensorBase as Tensor
from .autograd.variable import make_tensor, meta_of
from .devices import chosen, device, device_of, get_default_device, make, move, tensor_type, to_host
from .dtypes import (
    ALL,
    default_numpy_dtype,
    dtype,
    fitting,
    from_numpy_dtype,
    get_default_dtype,
    promote_numpy,
    to_numpy_dtype,
)
from .hints import Unfit, hinted, is_pytorchs, type_name
from .refusals import refused
from .size import Size

__all__ = [
    "arange", "as_tensor", "empty", "empty_like", "eye", "from_numpy", "full", "full_like", "linspace", "ones",
    "ones_like", "scalar_tensor", "tensor", "zeros", "zeros_like",
]  # fmt: skip
__all__ += [kind.tensor_type for kind in ALL]


_NUMBERS = (int, float, np.generic)


def leaf_of(array: Any, dtype_: Any = None, device_: Any = None, requires_grad: bool = False) -> Any:
    """A leaf tensor around a fresh array, in the wanted type and place; None stands for where it is."""
    if dtype_ is not None:
        array = array.astype(to_numpy_dtype(dtype_), copy=False)
    if device_ is not None:
        array = move(array, device(device_))
    value = array if array.shape else array[()]
    tensor = make_tensor(value)
    if mode.inference:
        meta_of(tensor).is_inference = True
    if requires_grad:
        if array.dtype.kind != "f":
            raise hinted(RuntimeError("Only Tensors of floating point and complex dtype can require gradients"))
        require_grad(tensor)
    return tensor


def require_grad(leaf: Tensor) -> None:
    """Turn a tensor without history into a leaf whose gradient is wanted."""
    meta_of(leaf)
    leaf._edge = None


# ---------------------------------------------------------------------------------------------------------------------
# From data


def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """A tensor with a copy of `data`: numbers, nested lists, a numpy array or a tensor.

    Python floats become the default dtype (float32), integers int64, bools bool; a numpy array keeps its type.
    """
    if isinstance(data, Tensor):
        warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).",
            UserWarning,
            stacklevel=3,
        )
        array = memory.copied(data._value)
        where = device if device is not None else device_of(array)
        return leaf_of(array, dtype, where, requires_grad)
    kind = None if dtype is None else checked_dtype("tensor", dtype)
    array = _to_array(data, kind)
    if kind is not None and kind.kind in "iu" and array.size and not isinstance(data, np.ndarray):
        for extreme in (array.min(), array.max()):
            fitting(extreme.item(), kind, kind.name)
    return leaf_of(array, dtype, chosen(device), requires_grad)


def _to_array(data: Any, wanted: np.dtype | None = None) -> np.ndarray:
    """A fresh array with the numbers of `data`, in the `wanted` type or in the one that PyTorch infers."""
    if isinstance(data, np.ndarray | np.generic):
        return np.array(_holdable(data))
    if isinstance(data, float):  # the numbers of every `x[0] = 1.5`
        return np.array(data, dtype=default_numpy_dtype() if wanted is None else np.float64)
    shape, flat = _shape_of(data), []
    _flatten(data, shape, 0, flat, wanted)
    kind = reduce(promote_numpy, map(_dtype_of, set(map(type, flat)))) if flat else default_numpy_dtype()
    if wanted is not None and "f" in (kind.kind, wanted.kind):  # not by way of the narrower default type
        kind = np.dtype(np.float64)
    try:
        return np.array(flat, dtype=kind).reshape(shape)
    except OverflowError:
        raise ValueError("Overflow when unpacking long long") from None


def _dtype_of(kind: type) -> np.dtype:
    """As what a number of this type stands in a list: a Python number as PyTorch's default, one of numpy's as it is."""
    if issubclass(kind, np.generic):
        return from_numpy_dtype(np.dtype(kind)).numpy
    return default_numpy_dtype() if issubclass(kind, float) else np.dtype(np.bool_ if kind is bool else np.int64)


def _is_row(data: Any) -> bool:
    """Whether this is a row of a list, and no number. A tensor in a list is a number, if it is one."""
    if isinstance(data, np.ndarray):
        return data.ndim > 0
    return hasattr(data, "__len__") and not isinstance(data, str | bytes | dict | set | Tensor)


def _shape_of(data: Any) -> list[int]:
    """The sizes of nested lists, by the first of each."""
    shape: list[int] = []
    while _is_row(data):
        try:
            shape.append(len(data))
        except TypeError as error:
            raise hinted(error, is_pytorchs(data) and "[PyTorch's]") from None
        if len(data) == 0:
            break
        if len(shape) > 128:  # a list that contains itself, or numpy's matrix, whose rows are matrices
            raise ValueError(f"too many dimensions '{type_name(data)}'")
        data = data[0]
    return shape


def _flatten(data: Any, shape: list[int], depth: int, flat: list[Any], wanted: np.dtype | None) -> None:
    """Add the numbers in nested lists of this shape to `flat`. Raises PyTorch's errors for what is none."""
    if depth == len(shape):
        flat.append(_number(data, flat, wanted, depth))
        return
    if not _is_row(data):
        raise hinted(TypeError("not a sequence"))
    if isinstance(data, np.ndarray):
        warn(
            "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list "
            "to a single numpy.ndarray with numpy.array() before converting to a tensor.",
            UserWarning,
            stacklevel=2,
        )
    if len(data) != shape[depth]:
        raise hinted(ValueError(f"expected sequence of length {shape[depth]} at dim {depth} (got {len(data)})"))
    innermost = depth + 1 == len(shape)
    for item in data:
        if innermost and isinstance(item, _NUMBERS):
            flat.append(item)
        else:
            _flatten(item, shape, depth + 1, flat, wanted)


def _number(data: Any, before: list[Any], wanted: np.dtype | None, depth: int) -> Any:
    """An element of a list, which must be a number. `before` are the numbers that stand in front of it."""
    if isinstance(data, _NUMBERS):
        return data
    row = (data if len(data) else [0.0]) if _is_row(data) else []  # an empty list is one of floats
    real = any(isinstance(each, float) for each in (*before, *row)) if wanted is None else wanted.kind == "f"
    if isinstance(data, Tensor):
        return _number_of(data, real if wanted is not None else data._value.dtype.kind == "f")
    if isinstance(data, complex):
        raise hinted(TypeError("minigrad has no complex tensors"))
    name = type_name(data)
    if isinstance(data, str) and depth and not before:
        raise hinted(ValueError("too many dimensions 'str'"))
    if isinstance(data, str | bytes) and (wanted is None or not depth):
        raise hinted(TypeError(f"new(): invalid data type '{name}'"))
    if wanted is None and not _is_row(data):
        raise hinted(RuntimeError(f"Could not infer dtype of {name}"))
    said = f"must be real number, not {name}" if real else f"'{name}' object cannot be interpreted as an integer"
    raise hinted(TypeError(said))


def _number_of(tensor: Tensor, real: bool) -> Any:
    """The number of a tensor in a list. Raises PyTorch's error if it has not just one element."""
    warn_if_tracked(tensor)
    if tensor._value.size == 1 and (real or tensor._value.dtype.kind != "f"):
        return to_host(tensor._value).reshape(())[()]
    if real:
        raise hinted(ValueError("only one element tensors can be converted to Python scalars"))
    raise hinted(TypeError("only integer tensors of a single element can be converted to an index"))


def warn_if_tracked(tensor: Tensor) -> None:
    """PyTorch's warning for a tensor that requires grad and becomes a plain number."""
    if requires_grad(tensor):
        warn(
            "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
            "Consider using tensor.detach() first.",
            UserWarning,
            stacklevel=3,
        )


def assigned(value: Any, target: Tensor) -> Any:
    """The tensor that `target[key] = value` writes for a number. Raises PyTorch's error for anything else."""
    if not isinstance(value, int | float | np.integer):
        name, kind = type_name(value), tensor_type(target._value)
        raise hinted(TypeError(f"can't assign a {name} to a {kind}"))
    kind = target._value.dtype
    as_it_is = not isinstance(value, int | float) or kind == np.float16  # there a large number becomes inf
    number = value if as_it_is else fitting(value, kind)
    return make_tensor(move(np.array(number, kind), device_of(target._value)))


# ---------------------------------------------------------------------------------------------------------------------
# As programs of long ago do it: `Tensor([1, 2])`, `Tensor(2, 3)`, `LongTensor([1, 2])`


def legacy(kind: dtype | None, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """What `LongTensor(…)` makes, of the type `kind`; `Tensor(…)`, with the default one, if that is None.

    Sizes make memory as it is found, a list makes a tensor of its numbers, and a tensor stands for itself.
    """
    sizes = all(isinstance(n, int | np.integer) and not isinstance(n, bool) for n in args)
    if options or (len(args) > 1 and not sizes):
        got = ", ".join([*map(type_name, args), *(f"{name}={type_name(value)}" for name, value in options.items())])
        said = f"new() received an invalid combination of arguments - got ({got}), but expected one of:"
        raise hinted(TypeError(said))
    if args and isinstance(args[0], Tensor):
        if kind is not None and kind.numpy != args[0]._value.dtype:
            error = TypeError(f"expected a tensor of type {kind.name}, and got {args[0].dtype.name}")
            raise hinted(error, kind=kind.name)
        return args[0][...]  # in the graph, too
    kind = kind or get_default_dtype()
    if sizes or isinstance(args[0], Size):
        return empty(*(args or (0,)), dtype=kind)
    if not _is_row(args[0]) and not isinstance(args[0], str | np.ndarray):
        raise TypeError(f"new(): data must be a sequence (got {type_name(args[0])})")
    return tensor(args[0], dtype=kind)


class OldType(type):
    """The class of `FloatTensor` and the like, whose instances are the tensors of one dtype."""

    dtype: dtype

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype

    def __call__(cls, *args: Any, **options: Any) -> Any:
        return legacy(cls.dtype, args, options)


for _kind in ALL:
    _members = {"__module__": "minigrad", "dtype": _kind, "__doc__": f"As `Tensor`, of {_kind}."}
    globals()[_kind.tensor_type] = OldType(_kind.tensor_type, (), _members)

# ---------------------------------------------------------------------------------------------------------------------
# From what there is


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Any:
    """`data` as a tensor, without a copy where possible: a tensor as it is, a numpy array sharing its memory."""
    if isinstance(data, np.ndarray):
        data = from_numpy(data)
    if isinstance(data, Tensor):
        return data.to(dtype=dtype, device=device if device is not None else chosen(None))
    return tensor(data, dtype=dtype, device=device)


def from_numpy(ndarray: Any) -> Any:
    """A tensor on the memory of a numpy array: writing one changes the other."""
    if not isinstance(ndarray, np.ndarray):
        raise hinted(TypeError(f"expected np.ndarray (got {type_name(ndarray)})"))
    tensor = leaf_of(_holdable(ndarray))
    tensor._value = np.asarray(ndarray)  # a single number keeps its memory, too
    return tensor


def _holdable(array: Any) -> Any:
    """A numpy array or number itself. Raises PyTorch's error for one that a tensor cannot hold."""
    from_numpy_dtype(array.dtype)
    if not array.dtype.isnative or any(step % array.itemsize for step in array.strides):
        raise ValueError("given numpy array has another byte order, or its elements lie askew: copy it first")
    if any(step < 0 for step in array.strides):
        said = (
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
            "currently supported. (You can probably work around this by making a copy of your array  with "
            "array.copy().) "
        )
        raise hinted(ValueError(said))
    return np.asarray(array)  # a plain one: a matrix multiplies in its own way, and a masked array leaves out


# ---------------------------------------------------------------------------------------------------------------------
# Filled


def checked_size(function: str, args: Sequence[Any]) -> tuple[int, ...]:
    """The size that is given in one, `zeros((2, 3))`, or number by number, `zeros(2, 3)`."""
    if not args:
        raise Unfit(f"{function}() needs a size")
    given = args[0] if len(args) == 1 and isinstance(args[0], tuple | list) else args
    try:
        size = tuple(map(index, given))
    except TypeError as error:
        raise Unfit(f"{function}(): argument 'size' must be tuple of ints: {error}") from None
    memory.check_ndim(len(size))
    for n in size:
        if n < 0 and function == "zeros":
            raise RuntimeError("zeros: Dimension size must be non-negative.")
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(size)}")
    return size


def checked_dtype(function: str, value: Any) -> np.dtype:
    if value is None:
        return default_numpy_dtype()
    return to_numpy_dtype(value, f"{function}(): ")


def _filled(name: str, what: str) -> tuple[Any, Any]:
    """`zeros` and `zeros_like`, or the same of ones, or of nothing."""

    def filled(*size: int | Sequence[int], dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
        array = make(device, name, checked_size(name, size), checked_dtype(name, dtype))
        return leaf_of(array, requires_grad=requires_grad)

    def like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
        return _made_like(like.__name__, input, dtype, device, requires_grad)

    filled.__name__ = name
    filled.__doc__ = f"{what} of the given size: `{name}(2, 3)` or `{name}((2, 3))`."
    like.__name__ = f"{name}_like"
    like.__doc__ = f"{what} in the size, type and place of `input`."
    return filled, like


zeros, zeros_like = _filled("zeros", "Zeros")
ones, ones_like = _filled("ones", "Ones")
empty, empty_like = _filled("empty", "Memory as it is found")


def scalar_tensor(s: float, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """A 0-dim tensor with this number, in the default float type if none is given."""
    return full((), s, dtype=dtype or get_default_dtype(), device=device, requires_grad=requires_grad)


def full(
    size: Sequence[int], fill_value: float, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Any:
    """`fill_value` everywhere; its type decides the dtype if none is given."""
    kind = _dtype_of(type(fill_value)) if dtype is None else checked_dtype("full", dtype)
    value = fitting(fill_value, kind)
    return leaf_of(make(device, "full", checked_size("full", (size,)), value, kind), requires_grad=requires_grad)


def eye(n: int, m: int | None = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """Ones on the diagonal, zeros elsewhere."""
    for name, value in (("n", n), ("m", m)):
        if value is not None and value < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {value}")
    return leaf_of(make(device, "eye", n, m, 0, checked_dtype("eye", dtype)), requires_grad=requires_grad)


def arange(
    start: float | None = None,
    end: float | None = None,
    step: float = 1,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    """start, start + step, … below end. int64 if all are integers, otherwise the default float type."""
    if end is None:
        if start is None:
            raise Unfit("arange() needs an end")
        start, end = 0, start
    start = 0 if start is None else start
    if not abs(end - start) < np.inf:
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    integers = all(isinstance(v, int) for v in (start, end, step))
    kind = np.dtype(np.int64) if dtype is None and integers else checked_dtype("arange", dtype)
    if kind == np.int64:
        start, end, step = int(start), int(end), int(step)
    if not abs(step) > 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    count = int(np.ceil((end - start) / step))
    if kind.kind in "iu":  # of other whole numbers how many there are is told before
        start, step = int(start), int(step)
    values = start + step * make(device, "arange", count)
    return leaf_of(values.astype(kind), requires_grad=requires_grad)


def linspace(
    start: float, end: float, steps: int, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Any:
    """`steps` numbers at equal distances from start to end, both included."""
    kind = checked_dtype("linspace", dtype)
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    if steps == 1:
        return leaf_of(make(device, "full", (1,), start, kind), requires_grad=requires_grad)
    # PyTorch counts up from the start in the first half and down from the end in the second, and rounds once; integers
    # are cut off.
    start, end = kind.type(start), kind.type(end)
    exact = np.dtype(np.float64) if kind.kind in "iu" else kind
    wide = np.longdouble if exact == np.float64 else np.float64  # which no GPU has
    step = wide((exact.type(end) - exact.type(start)) / max(steps - 1, 1))
    forwards = np.arange(steps)
    up = (start + step * forwards).astype(exact)
    down = (end - step * (steps - 1 - forwards)).astype(exact)
    numbers = np.where(forwards < steps // 2, up, down).astype(kind)
    return leaf_of(numbers, None, device or get_default_device(), requires_grad)


def _made_like(name: str, input: Any, dtype: Any, device: Any, requires_grad: bool, *fill_value: Any) -> Any:
    """A new tensor in the size, type and place of another, and as that one lies in memory."""
    array = input._value
    kind = array.dtype if dtype is None else checked_dtype(name, dtype)
    value = [fitting(number, kind) for number in fill_value]
    made = getattr(np, name)(array, *value, dtype=kind, order=memory.order_of(array))
    return leaf_of(made, None, device, requires_grad)


def full_like(
    input: Tensor, fill_value: float, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Any:
    """`fill_value` in the size, type and place of `input`."""
    return _made_like("full_like", input, dtype, device, requires_grad, fill_value)


# ---------------------------------------------------------------------------------------------------------------------
# Copies by `copy.deepcopy` and `pickle`


def copied_deeply(self: Any, memo: dict[int, Any]) -> Any:
    """A leaf like this one with memory of its own, in one `deepcopy` always the same; the gradient is copied, too."""
    if grad_fn(self) is not None:
        raise refused("result copied")
    from copy import deepcopy  # loaded by whoever calls this, and not with minigrad

    copy = make_tensor(memory.copied(self._value))
    copy._version_counter[0] = 1  # PyTorch writes the numbers into an empty tensor
    memo[id(self)] = copy
    if requires_grad(self):
        require_grad(copy)
    if self._meta is not None and self._meta.grad is not None:
        meta_of(copy).grad = deepcopy(self._meta.grad, memo)
    copy.__dict__.update(deepcopy(self.__dict__, memo))
    return copy


def rebuilt(
    numbers: bytes, kind: Any, shape: tuple[int, ...], wants_grad: bool, place: str, parameter: Any = None,
    *, instead: device | None = None,
) -> Any:  # fmt: skip
    """A leaf of that `kind` of numbers from what a pickle holds: at its `place`, or `instead`. With the class of
    parameters, one of these."""
    array = np.frombuffer(numbers, kind.numpy.newbyteorder("<")).astype(kind.numpy).reshape(shape)
    home = device(place) if instead is None else instead
    try:
        tensor = make_tensor(move(array, home))
    except Exception as error:
        raise hinted(RuntimeError(f"minigrad.load: a tensor of the file goes to {home} ({error})")) from error
    return tensor.requires_grad_(wants_grad) if parameter is None else parameter(tensor, wants_grad)
