"""What the parameters of a function take, as its annotations say."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd.node import requires_grad
from ..autograd.variable import TensorBase as Tensor
from ..dtypes import dtype

#: What numpy calls an argument, and what PyTorch does.
NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}

_TYPES: dict[str, tuple[type, ...]] = {
    "Tensor": (Tensor,),
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "str": (str,),
    "None": (type(None),),
    "dtype": (dtype,),
    "Sequence[int]": (tuple, list),
    "Sequence[float]": (tuple, list),
    "Sequence[Tensor]": (tuple, list),
}
_ANY = (object,)


class Accepts:
    """What a parameter takes, as its annotation says."""

    def __init__(self, parameter: inspect.Parameter) -> None:
        self.name = parameter.name
        self.several = parameter.kind is parameter.VAR_POSITIONAL
        self.kinds = str(parameter.annotation).split(" | ")
        known = all(kind in _TYPES for kind in self.kinds)
        self.types = tuple(t for kind in self.kinds for t in _TYPES[kind]) if known else _ANY
        self.optional = parameter.default is not parameter.empty  # or several, of which there may be none; not sizes
        self.optional |= self.several and "Sequence[int]" not in self.kinds
        self.must_be_named = parameter.kind is parameter.KEYWORD_ONLY
        self.no_bool = "int" in self.kinds and not {"bool", "float"} & {*self.kinds}
        self.any_dtype = "dtype" in self.kinds

    def takes(self, value: Any) -> bool:
        """Whether a value is of a type that fits."""
        if isinstance(value, self.types) and not (self.types is not _ANY and isinstance(value, np.generic)):
            return not (self.no_bool and isinstance(value, bool))
        return self.any_dtype and (value is float or value is int or value is bool)

    def takes_number_of(self, value: Any) -> bool:
        """Whether a value is a number of numpy's, or a tensor, that may stand for its one number."""
        of_numpy = isinstance(value, np.generic)
        if not of_numpy and not (isinstance(value, Tensor) and value._value.shape == () and not requires_grad(value)):
            return False
        kind = value.dtype.kind if of_numpy else value._value.dtype.kind
        return (
            (kind in "fiub" and "float" in self.kinds)
            or (kind in "iu" and "int" in self.kinds)
            or (kind == "b" and of_numpy and "bool" in self.kinds)
        )


@functools.cache
def parameters_of(function: Callable[..., Any]) -> tuple[inspect.Signature, dict[str, Accepts]]:
    """The signature of a function, and what each of its parameters takes; `**options` take anything."""
    signature = inspect.signature(function)
    return signature, {
        name: Accepts(parameter)
        for name, parameter in signature.parameters.items()
        if parameter.kind is not parameter.VAR_KEYWORD
    }
