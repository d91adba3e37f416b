"""Modules and parameters in lists and dictionaries, so that they are found."""

from __future__ import annotations

import itertools
import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, MutableMapping, MutableSequence
from typing import Any

from ..functions.pointwise import is_tensor
from .module import Module
from .parameter import Parameter

__all__ = ["Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict"]


class _Container(Module):
    """What holds modules, each under a name; parameters, if it is of `_Parameters`, too."""

    __eq__, __hash__ = object.__eq__, object.__hash__
    _held = property(operator.attrgetter("_modules"))
    _put = Module.add_module

    def __len__(self) -> int:
        return len(self._held)


class _List(_Container, MutableSequence):
    """What it holds has the names "0", "1", …."""

    def append(self, value: Any) -> Any:
        """Put one more at the end. Returns the whole."""
        self._put(str(len(self)), value)
        return self

    def extend(self, values: Any) -> Any:
        """Put more at the end. Returns the whole."""
        if not isinstance(values, Iterable) or is_tensor(values):
            name = type(self).__name__
            raise TypeError(f"{name}.extend should be called with an iterable, but got {type(values).__name__}")
        for value in list(values):
            self.append(value)
        return self

    def insert(self, index: int, value: Any) -> Any:
        """Put one more before the one at a position. Returns the whole."""
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        values = list(self.append(value))  # refuses what cannot be held, before anything is moved
        values.insert(index, values.pop())
        return self._renumbered(values)

    def _renumbered(self, values: list[Any]) -> Any:
        """The same container with other values."""
        self._held.clear()
        return self.extend(values)

    def _like(self, items: list[tuple[str, Any]]) -> Any:
        """A container of this kind with some of the values."""
        return type(self)([value for _, value in items])  # type: ignore[call-arg]

    def _name(self, index: Any) -> str:
        """Under which name a value stands, perhaps counted from the end. Raises PyTorch's IndexError."""
        position = operator.index(index)
        if not -len(self) <= position < len(self):
            raise IndexError(f"index {position} is out of range")
        return list(self._held)[position]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._held.values())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._like(list(self._held.items())[index])
        return self._held[self._name(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        self._put(self._name(index), value)

    def __delitem__(self, index: Any) -> None:
        for name in list(self._held)[index] if isinstance(index, slice) else [self._name(index)]:
            del self._held[name]
        self._renumbered(list(self))


class Sequential(_List):
    """Modules one after the other: each gets what the one before has computed."""

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], OrderedDict) else enumerate(args)
        for name, module in named:
            self.add_module(str(name), module)

    def forward(self, input: Any) -> Any:
        """The last module of the one before … of the first of `input`."""
        for module in self._modules.values():
            input = module(input)
        return input

    def _like(self, items: list[tuple[str, Any]]) -> Any:
        return type(self)(OrderedDict(items))

    def __add__(self, other: Any) -> Sequential:
        return Sequential(*self, *other)


class ModuleList(_List):
    """A list of modules, so that their parameters are found."""

    def __init__(self, modules: Any = ()) -> None:
        super().__init__()
        self.extend(() if modules is None else modules)

    def __add__(self, other: Any) -> ModuleList:
        return ModuleList([*self, *other])

    def __repr__(self) -> str:
        # Equal modules one behind the other are printed once: "(0-2): 3 x Linear(…)".
        lines, first = [], 0
        for text, equal in itertools.groupby(map(repr, self)):
            count = len(list(equal))
            name = f"  ({first}): " if count == 1 else f"  ({first}-{first + count - 1}): {count} x "
            lines.append(name + text.replace("\n", "\n  "))
            first += count
        return "ModuleList()" if not lines else "ModuleList(\n" + "\n".join(lines) + "\n)"


class _Dict(_Container, MutableMapping):
    """What it holds has the names that it is given under."""

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        self.update(modules or {})

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __getitem__(self, key: str) -> Any:
        return self._held[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._put(key, value)

    def __delitem__(self, key: str) -> None:
        del self._held[key]


class ModuleDict(_Dict):
    """A dictionary of modules, so that their parameters are found."""


class _Parameters(_Container):
    """Parameters in the place of modules; a tensor becomes one."""

    _held = property(operator.attrgetter("_parameters"))

    def _put(self, name: str, value: Any) -> None:
        if is_tensor(value) and not isinstance(value, Parameter):
            value = Parameter(value)
        self.register_parameter(name, value)

    def extra_repr(self) -> str:
        """The type and the size of each."""
        lines = []
        for name, parameter in self.named_parameters(remove_duplicate=False):
            kind = parameter.type() if isinstance(self, _Dict) else parameter.dtype
            size = "x".join(map(str, parameter.shape))
            lines.append(f"  ({name}): Parameter containing: [{kind} of size {size}]")
        return "\n".join(lines)


class ParameterList(_Parameters, _List):
    """A list of parameters, so that they are found."""

    def __init__(self, values: Any = ()) -> None:
        super().__init__()
        self.extend(() if values is None else values)


class ParameterDict(_Parameters, _Dict):
    """A dictionary of parameters, so that they are found."""

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The parameter of that name; where there is none, it is made of `default`."""
        super().setdefault(key, default)
        return self[key]
