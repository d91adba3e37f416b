"""Element types: PyTorch's names over numpy's, and PyTorch's rules for mixing them.

numpy and PyTorch disagree on what `int32 + float32` is (numpy says float64, PyTorch float32), so numpy is never
asked: operands are first brought to the one type that `result_numpy_dtype` gives, and only then computed with.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from .hints import hinted, type_name

_BOOL, _INTEGER, _FLOAT = 0, 1, 2


class dtype:
    """An element type such as `minigrad.float32`. There is one object per type, so compare with `==` or `is`.

    Attributes:
        numpy: the numpy dtype that stores it.
        itemsize: bytes per element.
        is_floating_point: True for float16, float32 and float64; only these can require gradients.
        tensor_type: the old type name, such as `FloatTensor`, that PyTorch still prints in messages.
    """

    __slots__ = ("is_floating_point", "itemsize", "name", "numpy", "tensor_type")

    def __init__(self, name: str, category: int, tensor_type: str) -> None:
        self.name = name
        self.numpy = np.dtype(name)
        self.itemsize = self.numpy.itemsize
        self.is_floating_point = category == _FLOAT
        self.tensor_type = tensor_type

    def __repr__(self) -> str:
        return f"minigrad.{self.name}"

    def __reduce__(self) -> str:
        # Pickled by name, so that `is` still holds for the type that comes back.
        return {"bool": "bool_"}.get(self.name, self.name)


dtype.__name__ = "minigrad.dtype"  # so that Python's own messages name it as they name PyTorch's


float64: Final = dtype("float64", _FLOAT, "DoubleTensor")
float32: Final = dtype("float32", _FLOAT, "FloatTensor")
float16: Final = dtype("float16", _FLOAT, "HalfTensor")
int64: Final = dtype("int64", _INTEGER, "LongTensor")
int32: Final = dtype("int32", _INTEGER, "IntTensor")
int16: Final = dtype("int16", _INTEGER, "ShortTensor")
int8: Final = dtype("int8", _INTEGER, "CharTensor")
uint8: Final = dtype("uint8", _INTEGER, "ByteTensor")
bool_: Final = dtype("bool", _BOOL, "BoolTensor")

double, float_, half = float64, float32, float16
long, int_, short = int64, int32, int16

ALL: Final = (float64, float32, float16, int64, int32, int16, int8, uint8, bool_)
_BY_NUMPY: Final = {t.numpy: t for t in ALL}
_default = float32


def from_numpy_dtype(numpy_dtype: Any) -> dtype:
    """The minigrad type of a numpy dtype. Raises TypeError, as PyTorch does, for one that tensors do not have."""
    if numpy_dtype in _BY_NUMPY:
        return _BY_NUMPY[numpy_dtype]
    native = np.dtype(numpy_dtype).newbyteorder("=")
    if native in _BY_NUMPY:
        return _BY_NUMPY[native]
    supported = "float64, float32, float16, int64, int32, int16, int8, uint8, and bool"
    kind = "numpy.object_" if native.kind == "O" else f"numpy.{native.type.__name__}"
    said = f"can't convert np.ndarray of type {kind}. The only supported types are: {supported}."
    raise hinted(TypeError(said), kind == "numpy.object_" and "[no numbers]")


def to_numpy_dtype(value: Any, call: str = "") -> np.dtype:
    """The numpy dtype for `dtype=value`: a minigrad dtype, or Python's float, int or bool. Else TypeError."""
    if isinstance(value, dtype):
        return value.numpy
    by_python_type = {float: float64, int: int64, bool: bool_}
    if isinstance(value, type) and value in by_python_type:
        return by_python_type[value].numpy
    raise TypeError(f"{call}argument 'dtype' must be torch.dtype, not {type_name(value)}")


def get_default_dtype() -> dtype:
    """The type of new tensors made from Python floats: float32 unless `set_default_dtype` changed it."""
    return _default


def set_default_dtype(d: dtype) -> None:
    """Let new tensors made from Python floats have type `d`, which must be a floating-point type."""
    global _default
    if not isinstance(d, dtype) or not d.is_floating_point:
        wrong = "" if isinstance(d, dtype) else "invalid dtype object: "
        raise TypeError(f"{wrong}only floating-point types are supported as the default type")
    _default = d


def default_numpy_dtype() -> np.dtype:
    """The numpy dtype of `get_default_dtype()`."""
    return _default.numpy


def category(numpy_dtype: np.dtype) -> int:
    """0 for bool, 1 for integers, 2 for floats: the order in which PyTorch's promotion ranks types."""
    kind = numpy_dtype.kind
    return _FLOAT if kind == "f" else _BOOL if kind == "b" else _INTEGER


def promote_numpy(a: np.dtype, b: np.dtype) -> np.dtype:
    """The smallest type that holds both, by PyTorch's table.

    Unlike numpy, a float type keeps its width beside any integer: int64 with float16 is float16.
    """
    rank_a, rank_b = category(a), category(b)
    if rank_a != rank_b:
        return a if rank_a > rank_b else b
    return np.promote_types(a, b)


def result_numpy_dtype(*operands: Any) -> np.dtype:
    """The numpy dtype of an operation on `operands`: raw arrays and Python numbers.

    PyTorch ranks operands in three classes: arrays with dimensions, 0-dim arrays, and Python numbers. A lower class
    only matters when it is of a higher category (bool < integer < float), so `tensor([1.0]) * tensor(2.0, float64)`
    stays float32 while `tensor([1]) * 2.5` becomes the default float type.
    """
    classes: list[np.dtype | None] = [None, None, None]
    for operand in operands:
        if hasattr(operand, "dtype"):
            rank = 1 if operand.shape == () else 0
            kind = operand.dtype
        else:
            rank = 2
            kind = bool_.numpy if isinstance(operand, bool) else int64.numpy
            if isinstance(operand, float):
                kind = _default.numpy
        before = classes[rank]
        classes[rank] = kind if before is None else promote_numpy(before, kind)
    present = [kind for kind in classes if kind is not None]
    return max(present, key=category)  # the first of the highest category


def wrapped(number: Any, numpy_dtype: np.dtype) -> Any:
    """A Python number in an element type; one that is out of range wraps around, as in PyTorch's arithmetic."""
    return np.array(_as_scalar(number)).astype(numpy_dtype)[()]


def fitting(number: Any, numpy_dtype: np.dtype, name: str | None = None) -> Any:
    """A Python number in an element type, where PyTorch converts it one by one: to write it, or to compare with it.

    Raises PyTorch's RuntimeError, which calls the type `name`, for one that is out of range. Negative integers wrap
    around in uint8.
    """
    if type(number) in (int, float) and numpy_dtype.kind == "f" and -60000 < number < 60000:  # as nearly always
        return number
    number = _as_scalar(number)
    if not _is_in_range(number, numpy_dtype):
        name = name or C_NAMES.get(numpy_dtype.name, f"{numpy_dtype.name}_t")
        raise RuntimeError(f"value cannot be converted to type {name} without overflow")
    return number if numpy_dtype.kind == "f" else np.array(number).astype(numpy_dtype)[()]


#: What C++ calls some of the types.
C_NAMES: Final = {"int32": "int", "float16": "c10::Half", "float32": "float", "float64": "double"}


def _is_in_range(number: Any, numpy_dtype: np.dtype) -> bool:
    if numpy_dtype.kind == "b":
        return True
    if numpy_dtype.kind == "f":
        return abs(number) <= float(np.finfo(numpy_dtype).max) or not math.isfinite(number)
    limits = np.iinfo(numpy_dtype)
    low = -limits.max if numpy_dtype.kind == "u" and isinstance(number, int) else limits.min
    return bool(low <= number <= limits.max)  # nan is not


def _as_scalar(number: Any) -> Any:
    if isinstance(number, int) and not -(2**63) <= number < 2**64:
        raise OverflowError("int too big to convert" if number > 0 else "can't convert negative int to unsigned")
    return number
