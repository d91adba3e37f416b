"""`Size`: the shape of a tensor."""

from __future__ import annotations

import math
from typing import Any, NoReturn

from .hints import hinted


class Size(tuple[int, ...]):
    """A shape: a tuple of sizes that prints as `minigrad.Size([2, 3])`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"minigrad.Size({list(self)})"

    def numel(self) -> int:
        """How many elements a tensor of this shape has."""
        return math.prod(self)

    def __call__(self, *args: Any) -> NoReturn:
        # Python would leave out the module; PyTorch's type, which is written in C, does not.
        raise hinted(TypeError("'minigrad.Size' object is not callable"))

    def __getitem__(self, index: Any) -> Any:
        part = super().__getitem__(index)
        return Size(part) if isinstance(index, slice) else part

    def __add__(self, other: Any) -> Any:
        return Size(super().__add__(other))

    def __radd__(self, other: Any) -> Any:
        return Size((*other, *self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times: Any) -> Any:
        return Size(super().__mul__(times)) if hasattr(times, "__index__") else NotImplemented

    __rmul__ = __mul__


Size.__module__ = "minigrad"
