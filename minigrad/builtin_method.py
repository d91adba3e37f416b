"""Methods that look built in.

PyTorch's methods are C functions, and a learner who forgets the parentheses of `y.item()` is shown
`<built-in method item of Tensor object at 0x…>`. A method declared here shows the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any


class builtin_function_or_method(partial):  # type: ignore[type-arg]
    """A function bound to a tensor. The call itself is `functools.partial`'s, so it costs no extra Python frame."""

    __slots__ = ()

    @property
    def __name__(self) -> str:
        return self.func.__name__

    @property
    def __self__(self) -> Any:
        return self.args[0]

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self.func.__doc__

    def __repr__(self) -> str:
        owner = self.args[0]
        return f"<built-in method {self.func.__name__} of {type(owner).__name__} object at {hex(id(owner))}>"


builtin_function_or_method.__module__ = "builtins"


class method:
    """Declares a built-in-looking method in a class body: `exp = method(pointwise.exp)`, or as a decorator."""

    __slots__ = ("function",)

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self.function if instance is None else builtin_function_or_method(self.function, instance)


class method_later:
    """Stands in a class for a method until it is first asked for. `make(name)` then gives what takes its place.

    In a class body its names are known; otherwise the class and the name are told.
    """

    __slots__ = ("make", "names", "owner")

    def __init__(self, make: Callable[[str], Any], owner: type | None = None, *names: str) -> None:
        self.make, self.owner, self.names = make, owner, names

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner, self.names = owner, (*self.names, name)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        made = self.make(self.names[0])
        for name in self.names:
            setattr(self.owner, name, made)
        return made.__get__(instance, owner)
