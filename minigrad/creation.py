"""Making tensors: from numbers, of zeros and ones, of ranges. (At random: `functions/drawing.py`.)

Each takes `dtype=`, `device=` and `requires_grad=`. What is made here is a leaf.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import index
from typing import Any

import numpy as np

from .autograd.grad_mode import mode
from .autograd.node import requires_grad
from .autograd.variable import TensorBase, make_alias, make_tensor, mark_inference, meta_of
from .devices import chosen, device, device_of, make, move, tensor_type, to_host
from .dtypes import default_numpy_dtype, dtype, fitting, from_numpy_dtype, promote_numpy, to_numpy_dtype
from .hints import type_name, with_hint
from .ops.errors import cpp_name
from .size import Size

__all__ = [
    "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "HalfTensor", "IntTensor", "LongTensor",
    "ShortTensor", "arange", "as_tensor", "asarray", "empty", "empty_like", "eye", "from_numpy", "full", "full_like",
    "linspace", "logspace", "ones", "ones_like", "tensor", "tril_indices", "triu_indices", "zeros", "zeros_like",
]  # fmt: skip


def leaf_of(array: Any, dtype_: Any = None, device_: Any = None, requires_grad: bool = False) -> Any:
    """A leaf tensor around a fresh array, in the wanted type and place; None stands for where it is."""
    if dtype_ is not None:
        array = array.astype(to_numpy_dtype(dtype_), copy=False)
    if device_ is not None:
        array = move(array, device(device_))
    tensor = make_tensor(array if array.shape else array[()])
    if mode.inference:
        mark_inference(tensor)
    if requires_grad:
        if array.dtype.kind != "f":
            raise with_hint(
                RuntimeError("Only Tensors of floating point and complex dtype can require gradients"),
                "A gradient is a small change divided by a small change; integers have no small changes. Use 1.0 "
                "instead of 1, or dtype=torch.float.",
                "梯度是微小变化之比，整数没有微小变化。请写 1.0 而不是 1，或者指定 dtype=torch.float。",
            )
        require_grad(tensor)
    return tensor


def require_grad(leaf: TensorBase) -> None:
    """Turn a tensor without history into a leaf whose gradient is wanted."""
    meta_of(leaf)
    leaf._edge = None


# ---------------------------------------------------------------------------------------------------------------------
# From data


def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """A tensor with a copy of `data`: numbers, nested lists, a numpy array or a tensor.

    Python floats become the default dtype (float32), integers int64, bools bool; a numpy array keeps its type.
    """
    import warnings

    if isinstance(data, TensorBase):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).",
            UserWarning,
            stacklevel=3,
        )
        array = data._value.copy()
        where = device if device is not None else device_of(array)
        return leaf_of(array, dtype, where, requires_grad)
    kind = None if dtype is None else checked_dtype("tensor", dtype)
    array = _to_array(data, kind)
    if kind is not None and kind.kind in "iu" and array.size:
        for extreme in (array.min(), array.max()):
            fitting(extreme.item(), kind, kind.name)
    return leaf_of(array, dtype, chosen(device), requires_grad)


def _to_array(data: Any, wanted: np.dtype | None = None) -> np.ndarray:
    """A fresh array with the numbers of `data`, in the `wanted` type or in the one that PyTorch infers."""
    if isinstance(data, np.ndarray | np.generic):
        array = np.array(_holdable(data))
        return array.astype(array.dtype.newbyteorder("="), copy=False)
    if isinstance(data, str | bytes):
        raise TypeError(f"new(): invalid data type '{type_name(data)}'")
    if isinstance(data, dict | set):
        raise _no_number(data, wanted)
    if isinstance(data, float):  # the numbers of every `x[0] = 1.5`
        return np.array(data, dtype=default_numpy_dtype() if wanted is None else np.float64)
    shape: list[int] = []
    _measure(data, shape, set())
    flat: list[Any] = []
    try:
        _flatten(data, 0, shape, flat, wanted)
    except _NoNumber as found:
        raise _no_number(found.args[0], wanted, data) from None
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


def _is_sequence(data: Any) -> bool:
    if isinstance(data, str | bytes | TensorBase):  # in a list a tensor is a number, if it is one
        return False
    if isinstance(data, np.ndarray):
        return len(data.shape) > 0
    return isinstance(data, Sequence) or hasattr(data, "__len__")


def _measure(data: Any, shape: list[int], seen: set[int]) -> None:
    while _is_sequence(data):
        if id(data) in seen:
            raise ValueError("too many dimensions: the list contains itself")
        seen.add(id(data))
        shape.append(len(data))
        if len(data) == 0:
            return
        data = data[0]
    if shape and isinstance(data, str):
        raise ValueError("too many dimensions 'str'")


class _NoNumber(Exception):
    """Something in a list that is no number."""


def _no_number(data: Any, wanted: np.dtype | None, among: Any = None) -> Exception:
    """PyTorch's error for an element that is no number, found somewhere in the list `among`."""
    name = type_name(data)
    if wanted is None and isinstance(data, str | bytes):
        return TypeError(f"new(): invalid data type '{name}'")
    if wanted is None and not isinstance(data, Sequence | np.ndarray):
        return RuntimeError(f"Could not infer dtype of {name}")
    real = _has_float(among) if wanted is None else wanted.kind == "f"
    if isinstance(data, np.ndarray):
        try:
            float(data) if real else index(data)
        except TypeError as error:
            return error
    if real:
        error = TypeError(f"must be real number, not {name}")
    else:
        error = TypeError(f"'{name}' object cannot be interpreted as an integer")
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        with_hint(
            error,
            "In one row of a tensor there are either numbers, or rows of the same length: not both.",
            "张量的同一行里要么全是数，要么全是等长的行，不能混用。",
        )
    return error


def _has_float(data: Any) -> bool:
    """Whether PyTorch, where no type is named, takes a list to be of floats: it holds one, or an empty list."""
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return not data or any(map(_has_float, data))
    return isinstance(data, float) or (isinstance(data, np.ndarray) and data.dtype.kind == "f")


def _number_of(tensor: TensorBase, wanted: np.dtype | None) -> Any:
    """The number of a tensor in a list. Raises PyTorch's error if it has not just one element."""
    warn_if_tracked(tensor)
    whole = tensor._value.dtype.kind != "f"
    if tensor._value.size == 1 and (whole or wanted is None or wanted.kind == "f"):
        return to_host(tensor._value).reshape(())[()]
    if whole if wanted is None else wanted.kind != "f":
        error: Exception = TypeError("only integer tensors of a single element can be converted to an index")
    else:
        error = ValueError("only one element tensors can be converted to Python scalars")
    raise with_hint(
        error,
        "In a list only numbers become a tensor. Tensors are joined by torch.stack([a, b]) or torch.cat([a, b]).",
        "torch.tensor 的列表里只能放数；要把几个张量合在一起，请用 torch.stack([a, b]) 或 torch.cat([a, b])。",
    )


def _flatten(data: Any, depth: int, shape: list[int], flat: list[Any], wanted: np.dtype | None) -> None:
    if depth == len(shape):
        if isinstance(data, TensorBase):
            data = _number_of(data, wanted)
        if not isinstance(data, int | float | np.generic):
            if isinstance(data, complex):
                raise with_hint(
                    TypeError("minigrad has no complex tensors"),
                    "Two real tensors, one for each part, do what a complex one does.",
                    "minigrad 没有复数张量：可以用两个实数张量分别表示实部和虚部。",
                )
            raise _NoNumber(data)
        flat.append(data)
        return
    if not _is_sequence(data):
        if isinstance(data, TensorBase):
            _number_of(data, wanted)
        raise TypeError("not a sequence")
    if isinstance(data, np.ndarray):
        _warn_of_arrays()
    if len(data) != shape[depth]:
        raise with_hint(
            ValueError(f"expected sequence of length {shape[depth]} at dim {depth} (got {len(data)})"),
            "All rows must be equally long.",
            "每一行的长度必须相同。",
        )
    for item in data:
        _flatten(item, depth + 1, shape, flat, wanted)


def _warn_of_arrays() -> None:
    import warnings

    warnings.warn(
        "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to a "
        "single numpy.ndarray with numpy.array() before converting to a tensor.",
        UserWarning,
        stacklevel=2,
    )


def warn_if_tracked(tensor: TensorBase) -> None:
    """PyTorch's warning for a tensor that requires grad and becomes a plain number."""
    import warnings

    if requires_grad(tensor):
        warnings.warn(
            "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
            "Consider using tensor.detach() first.",
            UserWarning,
            stacklevel=3,
        )


def assigned(value: Any, target: TensorBase) -> Any:
    """The tensor that `target[key] = value` writes for a number. Raises PyTorch's error for anything else."""
    if not isinstance(value, int | float | complex | np.integer):
        name, kind = type_name(value), tensor_type(target._value)
        raise with_hint(
            TypeError(f"can't assign a {name} to a {kind}"),
            "x[…] takes a number or a tensor: make one with torch.tensor(…) or torch.from_numpy(…).",
            "给 x[…] 赋的值只能是数或张量：请先用 torch.tensor(…) 或 torch.from_numpy(…) 把它变成张量。",
        )
    kind = target._value.dtype
    value = fitting(value, kind) if isinstance(value, int | float) else value
    return tensor(value, dtype=from_numpy_dtype(kind), device=device_of(target._value))


def legacy(kind: dtype | None, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """What `FloatTensor(…)` and the like make, of the type `kind`; `Tensor(…)` with the default one: None."""
    if options or len(args) > 1:
        _refuse_legacy(args, options)
    given: Any = Size(args) if len(args) > 1 else Size((0,))
    for given in args[:1] if len(args) == 1 else [options[n] for n in ("other", "size", "data") if n in options]:
        if isinstance(given, TensorBase):
            if kind is not None and kind.numpy != given._value.dtype:
                raise _other_type(kind, given)
            return make_alias(given)
    if "size" in options or (isinstance(given, int | np.integer) and not isinstance(given, bool)):
        given = Size(given if isinstance(given, tuple | list) else (given,))
    kind = from_numpy_dtype(default_numpy_dtype()) if kind is None else kind
    if isinstance(given, Size):
        return empty(given, dtype=kind)
    if not (hasattr(given, "__len__") and hasattr(given, "__getitem__")) or isinstance(given, dict):
        raise TypeError(f"new(): data must be a sequence (got {type_name(given)})")
    return tensor(given, dtype=kind)


def _refuse_legacy(args: tuple[Any, ...], options: dict[str, Any]) -> None:
    """Raise PyTorch's error for arguments that the old constructors do not take."""
    from .functions.signatures import unparsed

    wrong = unparsed("new", args, options)
    if wrong is None:
        return
    if {"dtype", "requires_grad"} & {*options}:
        with_hint(
            wrong,
            "torch.Tensor and torch.FloatTensor take neither dtype= nor requires_grad=; torch.tensor(…), with a small "
            "t, takes both.",
            "torch.Tensor 和 torch.FloatTensor 不接受 dtype= 和 requires_grad=；小写 t 的 torch.tensor(…) 两者都接受。",
        )
    raise wrong


def _other_type(kind: Any, given: TensorBase) -> Exception:
    """PyTorch's error for a tensor of another type."""
    names = cpp_name(np.empty(0, kind.numpy)), cpp_name(given._value)
    wanted, got = (
        f"TensorOptions(dtype={name}, device=cpu, layout=Strided, requires_grad=false (default), pinned_memory=false "
        "(default), memory_format=(nullopt))"
        for name in names
    )
    return with_hint(
        TypeError(f"expected {wanted} (got {got})"),
        f"To convert a tensor, write x.to(torch.{kind.name}).",
        f"要转换张量的类型，请写 x.to(torch.{kind.name})。",
    )


class OldType(type):
    """The class of `FloatTensor` and the like, whose instances are the tensors of one dtype."""

    dtype: dtype

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, TensorBase) and instance.dtype is cls.dtype


def _legacy(name: str, kind: dtype) -> Any:
    """`FloatTensor` and the like: as `Tensor`, but of a fixed type."""

    def make(cls: Any, *args: Any, **options: Any) -> Any:
        return legacy(kind, args, options)

    text = f"A {kind} tensor with the given numbers, or uninitialised of the given size."
    return OldType(name, (), {"__new__": make, "__doc__": text, "__module__": "minigrad", "dtype": kind})


FloatTensor, DoubleTensor, HalfTensor, LongTensor, IntTensor, ShortTensor, CharTensor, ByteTensor, BoolTensor = (
    _legacy(kind.tensor_type, kind)
    for kind in (from_numpy_dtype(np.dtype(n)) for n in ("f4", "f8", "f2", "i8", "i4", "i2", "i1", "u1", "?"))
)


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Any:
    """`data` as a tensor, without a copy where possible: a tensor as it is, a numpy array sharing its memory."""
    if isinstance(data, TensorBase):
        return data.to(dtype=dtype, device=device if device is not None else chosen(None))
    if isinstance(data, np.ndarray):
        return leaf_of(_holdable(data), dtype, chosen(device))
    return tensor(data, dtype=dtype, device=device)


def asarray(
    obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None, requires_grad: bool | None = None
) -> Any:
    """`obj` as a tensor: without a copy where possible, or always with one, or never (`copy=True`, `copy=False`)."""
    if not isinstance(obj, TensorBase):
        made = tensor(obj, dtype=dtype, device=device) if copy else as_tensor(obj, dtype, device)
        if copy is False and not isinstance(obj, np.ndarray):
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        return made.requires_grad_() if requires_grad else made
    result = as_tensor(obj, dtype, device)
    if requires_grad is None and obj.requires_grad:
        import warnings

        warnings.warn(
            "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. Pass "
            "requires_grad=False explicitly to get the old behavior and silence this warning.",
            UserWarning,
            stacklevel=3,
        )
    if copy is False and result is not obj:
        kinds = [d.tensor_type.removesuffix("Tensor") for d in (obj.dtype, result.dtype)]
        raise ValueError("can't alias tensor with dtype '{}' into dtype '{}'.".format(*kinds))
    if copy and result is obj:
        result = obj.clone()
    if requires_grad is False and obj.requires_grad:
        return result.detach()
    return result.requires_grad_() if requires_grad else result


def from_numpy(ndarray: Any) -> Any:
    """A tensor on the memory of a numpy array: writing one changes the other."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type_name(ndarray)})")
    return make_tensor(_holdable(ndarray))


def _holdable(array: Any) -> Any:
    """A numpy array or number itself. Raises PyTorch's error for one that a tensor cannot hold."""
    from_numpy_dtype(array.dtype)
    if any(step < 0 for step in array.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
            "currently supported. (You can probably work around this by making a copy of your array  with "
            "array.copy().) "
        )
    return array


# ---------------------------------------------------------------------------------------------------------------------
# Filled


def checked_size(function: str, args: Sequence[Any]) -> tuple[int, ...]:
    if not args:
        several = "received an invalid combination of arguments - got (), but expected one of:\n * (*size)"
        missing = 'missing 1 required positional arguments: "size"'
        raise TypeError(f"{function}() {several if function in ('empty', 'rand', 'randn') else missing}")
    if len(args) == 1 and isinstance(args[0], tuple | list):
        args = args[0]
    for position, value in enumerate(args, start=1):
        if isinstance(value, bool) or not isinstance(value, int | np.integer | TensorBase):
            raise TypeError(
                f"{function}(): argument 'size' (position {position}) must be tuple of ints, not {type_name(value)}"
            )
        if isinstance(value, TensorBase) and value._value.dtype.kind not in "iu":
            raise TypeError(f"{function}(): argument 'size' (position {position}) must be tuple of ints, not Tensor")
    size = tuple(int(n) for n in args)
    for n in size:
        if n < 0 and function == "zeros":
            raise RuntimeError("zeros: Dimension size must be non-negative.")
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(size)}")
    return size


def checked_dtype(function: str, value: Any) -> np.dtype:
    if value is None:
        return default_numpy_dtype()
    if not isinstance(value, dtype) and value not in (float, int, bool):
        raise TypeError(f"{function}(): argument 'dtype' must be torch.dtype, not {type_name(value)}")
    return to_numpy_dtype(value)


def zeros(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """Zeros of the given size: `zeros(2, 3)` or `zeros((2, 3))`."""
    return leaf_of(
        make(device, "zeros", checked_size("zeros", size), checked_dtype("zeros", dtype)), requires_grad=requires_grad
    )


def ones(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """Ones of the given size."""
    array = make(device, "ones", checked_size("ones", size), checked_dtype("ones", dtype))
    return leaf_of(array, requires_grad=requires_grad)


def empty(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """Memory of the given size as it is found: any numbers."""
    return leaf_of(
        make(device, "empty", checked_size("empty", size), checked_dtype("empty", dtype)), requires_grad=requires_grad
    )


def full(size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """`fill_value` everywhere; its type decides the dtype if none is given."""
    if isinstance(size, int):
        raise TypeError("full(): argument 'size' (position 1) must be tuple of ints, not int")
    if isinstance(fill_value, TensorBase):
        raise TypeError("full(): argument 'fill_value' (position 2) must be Number, not Tensor")
    kind = _to_array(fill_value).dtype if dtype is None else checked_dtype("full", dtype)
    value = fitting(fill_value, kind)
    return leaf_of(make(device, "full", checked_size("full", (size,)), value, kind), requires_grad=requires_grad)


def eye(n: int, m: int | None = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """Ones on the diagonal, zeros elsewhere."""
    for name, value in (("n", n), ("m", m)):
        if value is not None and value < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {value}")
    return leaf_of(make(device, "eye", n, m, 0, checked_dtype("eye", dtype)), requires_grad=requires_grad)


def _as_number(value: Any) -> Any:
    """A number, or that of a 0-dim tensor that needs no gradient. (`called` says in PyTorch's words what is wrong.)"""
    if isinstance(value, TensorBase) and requires_grad(value):
        raise TypeError("must be Number, not Tensor")
    return value.item() if isinstance(value, TensorBase) else value


def arange(
    start: Any = None,
    end: Any = None,
    step: Any = 1,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    """start, start + step, … below end. int64 if all are integers, otherwise the default float type."""
    if end is None:
        start, end = 0, start
    start = 0 if start is None else start
    start, end, step = map(_as_number, (start, end, step))
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    integers = all(isinstance(v, int) for v in (start, end, step))
    kind = (
        checked_dtype("arange", dtype)
        if dtype is not None
        else np.dtype(np.int64)
        if integers
        else default_numpy_dtype()
    )
    count = int(np.ceil((end - start) / step))
    values = start + step * make(device, "arange", count)
    return leaf_of(values.astype(kind), requires_grad=requires_grad)


def _ends(function: str, start: Any, end: Any, steps: int) -> tuple[Any, Any]:
    """The first and the last number, which may be tensors. Raises PyTorch's error for what cannot be one."""
    for name, value in (("start", start), ("end", end)):
        if isinstance(value, TensorBase) and value._value.shape:
            raise RuntimeError(
                f"{function} only supports 0-dimensional start and end tensors, but got {name} with "
                f"{len(value._value.shape)} dimension(s)."
            )
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    return tuple(to_host(v._value).item() if isinstance(v, TensorBase) else v for v in (start, end))  # type: ignore


def linspace(
    start: float, end: float, steps: int, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Any:
    """`steps` numbers at equal distances from start to end, both included."""
    kind = checked_dtype("linspace", dtype)
    start, end = _ends("linspace", start, end, steps)
    if steps == 1:
        return leaf_of(make(device, "full", (1,), start, kind), requires_grad=requires_grad)
    # PyTorch counts up from the start in the first half and down from the end in the second; integers are cut off.
    exact = np.dtype(np.float32) if kind.kind in "iu" else kind
    step = exact.type((end - start) / (steps - 1)) if steps > 1 else exact.type(0)
    i = make(device, "arange", steps)
    up, down = exact.type(start) + step * i.astype(exact), exact.type(end) - step * (steps - 1 - i).astype(exact)
    return leaf_of(np.where(i < steps // 2, up, down).astype(kind), requires_grad=requires_grad)


def made_like(function: Any, input: Any, dtype: Any, device: Any, requires_grad: bool, *args: Any, **rest: Any) -> Any:
    """A new tensor in the size, type and place of another, and as that one lies in memory."""
    dtype = from_numpy_dtype(input._value.dtype) if dtype is None else dtype
    device = device_of(input._value) if device is None else device
    order = _memory_order(input._value)
    size = tuple([input._value.shape[d] for d in order])
    result = function(size, *args, dtype=dtype, device=device, requires_grad=requires_grad, **rest)
    if list(order) != sorted(order):
        result._value = result._value.transpose([order.index(d) for d in range(len(order))])
    return result


def _memory_order(array: Any) -> Sequence[int]:
    """The dimensions of an array, that with the largest steps in memory first; as they are if some are expanded."""
    dims = range(array.ndim)
    if array.flags.c_contiguous or 0 in array.strides:
        return dims
    return sorted(dims, key=lambda d: -array.strides[d])


def logspace(
    start: float,
    end: float,
    steps: int,
    base: float = 10.0,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    """The powers of the base with `steps` exponents at equal distances from start to end."""
    exponents = linspace(start, end, steps, dtype=from_numpy_dtype(np.dtype(np.float64)))._value
    return leaf_of((base**exponents).astype(checked_dtype("logspace", dtype)), None, device, requires_grad)


def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None) -> Any:
    """The (row, column) of each element of the lower triangle, one below the other: (2, count)."""
    return leaf_of(np.stack(np.tril_indices(row, offset, col)), dtype, device)


def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None) -> Any:
    """The (row, column) of each element of the upper triangle, one below the other: (2, count)."""
    return leaf_of(np.stack(np.triu_indices(row, offset, col)), dtype, device)


def zeros_like(input: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """Zeros in the size, type and place of `input`."""
    return made_like(zeros, input, dtype, device, requires_grad)


def ones_like(input: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """Ones in the size, type and place of `input`."""
    return made_like(ones, input, dtype, device, requires_grad)


def empty_like(input: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """Memory in the size, type and place of `input`, as it is found."""
    return made_like(empty, input, dtype, device, requires_grad)


def full_like(
    input: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Any:
    """`fill_value` in the size, type and place of `input`."""
    return made_like(full, input, dtype, device, requires_grad, fill_value)
