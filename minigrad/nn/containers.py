"""Modules in lists, so that their parameters are found."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, MutableSequence
from typing import Any

from .module import Module

__all__ = ["Sequential", "ModuleList"]


class _List(Module, MutableSequence):
    """What it holds has the names "0", "1", …."""

    __eq__, __hash__ = object.__eq__, object.__hash__

    def __len__(self) -> int:
        return len(self._modules)

    def append(self, value: Any) -> Any:
        """Put one more at the end. Returns the whole."""
        self.add_module(str(len(self)), value)
        return self

    def extend(self, values: Any) -> Any:
        """Put more at the end. Returns the whole."""
        if not isinstance(values, Iterable):
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
        self._modules.clear()
        return self.extend(values)

    def _like(self, items: list[tuple[str, Any]]) -> Any:
        """A container of this kind with some of the values."""
        return type(self)([value for _, value in items])  # type: ignore[call-arg]

    def _name(self, index: Any) -> str:
        """Under which name a value stands, perhaps counted from the end. Raises PyTorch's IndexError."""
        position = operator.index(index)
        if not -len(self) <= position < len(self):
            raise IndexError(f"index {position} is out of range")
        return list(self._modules)[position]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._like(list(self._modules.items())[index])
        return self._modules[self._name(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.add_module(self._name(index), value)

    def __delitem__(self, index: Any) -> None:
        for name in list(self._modules)[index] if isinstance(index, slice) else [self._name(index)]:
            del self._modules[name]
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
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return Sequential(*self, *other)

    def __mul__(self, other: int) -> Sequential:
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")
        return Sequential(*list(self) * other)

    __rmul__ = __mul__


class ModuleList(_List):
    """A list of modules, so that their parameters are found."""

    def __init__(self, modules: Any = ()) -> None:
        super().__init__()
        self.extend(() if modules is None else modules)

    def __add__(self, other: Any) -> ModuleList:
        return ModuleList([*self, *other])

    def __repr__(self) -> str:
        # Equal modules one behind the other are printed once: "(0-2): 3 x Linear(…)".
        texts = [repr(module) for module in self]
        runs: list[list[int]] = []
        for i, text in enumerate(texts):
            if runs and texts[runs[-1][0]] == text:
                runs[-1][1] = i
            else:
                runs.append([i, i])
        lines = []
        for first, last in runs:
            name = f"({first}): " if first == last else f"({first}-{last}): {last - first + 1} x "
            lines.append("  " + name + texts[first].replace("\n", "\n  "))
        return "ModuleList()" if not lines else "ModuleList(\n" + "\n".join(lines) + "\n)"
