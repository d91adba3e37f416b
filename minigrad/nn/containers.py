"""Modules and parameters in lists and dictionaries."""

from __future__ import annotations

import copy
import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from .module import Module
from .parameter import Parameter, is_tensor


class Sequential(Module):
    """Modules one after the other: each gets what the one before has computed."""

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], OrderedDict) else enumerate(args)
        for name, module in named:
            self.add_module(str(name), module)

    def forward(self, input: Any) -> Any:
        """The last module of the one before … of the first of `input`."""
        for module in self:
            input = module(input)
        return input

    def append(self, module: Module) -> Sequential:
        """Put one more module at the end. Returns the whole."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Any) -> Any:
        """Put more modules at the end. Returns the whole."""
        for module in modules:
            self.append(module)
        return self

    __iadd__ = extend

    def insert(self, index: int, module: Module) -> Any:
        """Put a module before the one at a position. Returns the whole."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        modules = list(self)
        modules.insert(index, module)
        return self._renumbered(modules)

    def pop(self, index: int) -> Any:
        """Take out a module, and return it."""
        module = self[index]
        del self[index]
        return module

    def _renumbered(self, modules: list[Any]) -> Any:
        """The same container with other modules."""
        self._modules.clear()
        return self.extend(modules)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, _at(list(self._modules), index), module)

    def __delitem__(self, index: Any) -> None:
        modules = list(self)
        del modules[index]
        self._renumbered(modules)

    def __add__(self, other: Any) -> Any:
        return type(self)(*self, *other)

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")
        return type(self)(*(copy.deepcopy(module) for _ in range(other) for module in self))

    __rmul__ = __mul__

    def __getitem__(self, index: Any) -> Any:
        items = list(self._modules.items())
        return type(self)(OrderedDict(items[index])) if isinstance(index, slice) else _at(items, index)[1]


class ModuleList(Sequential):
    """A list of modules, so that their parameters are found."""

    def __init__(self, modules: Any = ()) -> None:
        super().__init__()
        self.extend(() if modules is None else modules)

    def forward(self, *input: Any) -> Any:
        """A list computes nothing."""
        return Module.forward(self)

    def extend(self, modules: Any) -> Any:
        """Put more modules at the end. Returns the whole."""
        if not isinstance(modules, Iterable):
            name = type(modules).__name__
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {name}")
        return super().extend(modules)

    __iadd__ = extend

    def insert(self, index: int, module: Module) -> None:
        """Put a module before the one at a position."""
        modules = list(self)
        modules.insert(index, module)
        self._renumbered(modules)

    def __add__(self, other: Any) -> ModuleList:
        return ModuleList([*self, *other])

    def __getitem__(self, index: Any) -> Any:
        return ModuleList(list(self)[index]) if isinstance(index, slice) else super().__getitem__(index)

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


class ModuleDict(Module):
    """A dictionary of modules, so that their parameters are found."""

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        self.update(modules or {})

    def update(self, modules: Any) -> None:
        """Put in more modules: a dictionary, or pairs of a name and a module."""
        for name, module in modules.items() if hasattr(modules, "items") else modules:
            self[name] = module

    def pop(self, key: str) -> Module:
        """Take out a module, and return it."""
        return self._modules.pop(key)

    def clear(self) -> None:
        """Take out all modules."""
        self._modules.clear()

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def keys(self) -> Any:
        """The names."""
        return self._modules.keys()

    def values(self) -> Any:
        """The modules."""
        return self._modules.values()

    def items(self) -> Any:
        """The names with the modules."""
        return self._modules.items()


class ParameterList(Module):
    """A list of parameters; tensors that are put in become parameters."""

    def __init__(self, values: Any = ()) -> None:
        super().__init__()
        self.extend(() if values is None else values)

    def append(self, value: Any) -> ParameterList:
        """Put one more at the end. Returns the whole."""
        self.register_parameter(str(len(self)), _parameter(value))
        return self

    def extend(self, values: Any) -> ParameterList:
        """Put more at the end. Returns the whole."""
        for value in values:
            self.append(value)
        return self

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parameters.values())

    def __getitem__(self, index: Any) -> Any:
        values = list(self)
        return ParameterList(values[index]) if isinstance(index, slice) else _at(values, index)

    def __setitem__(self, index: int, value: Any) -> None:
        setattr(self, _at(list(self._parameters), index), _parameter(value))

    def __call__(self, *input: Any, **named: Any) -> NoReturn:
        """Nothing: RuntimeError."""
        raise RuntimeError("ParameterList should not be called.")

    def extra_repr(self) -> str:
        """A line for each parameter."""
        return "\n".join(f"  ({i}): {_described(value, str(value.dtype))}" for i, value in enumerate(self))


class ParameterDict(Module):
    """A dictionary of parameters; tensors that are put in become parameters."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self.update(parameters or {})

    def update(self, parameters: Any) -> None:
        """Put in more: a dictionary, or pairs of a name and a parameter. What is in a plain dictionary is sorted."""
        pairs = parameters.items() if hasattr(parameters, "items") else parameters
        ordered = isinstance(parameters, OrderedDict | ParameterDict) or pairs is parameters
        for name, value in pairs if ordered else sorted(pairs):
            self[name] = value

    def __getitem__(self, key: str) -> Any:
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        self.register_parameter(key, _parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._parameters[key]

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __contains__(self, key: str) -> bool:
        return key in self._parameters

    def __call__(self, input: Any) -> NoReturn:
        """Nothing: RuntimeError."""
        raise RuntimeError("ParameterDict should not be called.")

    def keys(self) -> Any:
        """The names."""
        return self._parameters.keys()

    def values(self) -> Any:
        """The parameters."""
        return self._parameters.values()

    def items(self) -> Any:
        """The names with the parameters."""
        return self._parameters.items()

    def extra_repr(self) -> str:
        """A line for each parameter."""
        kinds = {name: f"torch.{value.dtype.tensor_type}" for name, value in self.items()}
        return "\n".join(f"  ({name}): {_described(value, kinds[name])}" for name, value in self.items())


def _at(items: list[Any], index: Any) -> Any:
    """The item at a position, which may be counted from the end. Raises PyTorch's errors."""
    position = operator.index(index)
    if not -len(items) <= position < len(items):
        raise IndexError(f"index {position} is out of range")
    return items[position]


def _parameter(value: Any) -> Any:
    return Parameter(value) if is_tensor(value) and not isinstance(value, Parameter) else value


def _described(value: Any, kind: str) -> str:
    return f"Parameter containing: [{kind} of size {'x'.join(map(str, value.shape))}]"
