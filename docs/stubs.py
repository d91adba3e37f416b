"""Write the stubs minigrad/*.pyi and minigrad/nn/*.pyi, which tell editors and type checkers what minigrad offers.

Functions and methods come from a table when minigrad is imported; an editor, which does not run it, reads them here.
`python docs/stubs.py` after a change of a name or a signature.
"""

import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

HOME = Path(__file__).parents[1] / "minigrad"
sys.path.insert(0, str(HOME.parent))

import minigrad  # noqa: E402
from minigrad import creation, functions  # noqa: E402
from minigrad.nn import applied  # noqa: E402

HEAD = '"""Written by docs/stubs.py."""\n\nimport builtins\nfrom collections.abc import Callable, Iterator, Sequence\n'
#: What gives something else than a tensor, and does not say so itself.
ANYTHING = {
    "max", "min", "median", "nanmedian", "mode", "sort", "topk", "kthvalue", "cummax", "cummin", "slogdet", "unique",
    "unique_consecutive", "nonzero", "where", "atleast_1d", "atleast_2d", "atleast_3d", "size", "stride", "storage",
    "untyped_storage", "item", "tolist", "numpy", "type", "__array__", "__deepcopy__", "__reduce_ex__",
}  # fmt: skip
NUMBERS = {"__float__": "builtins.float", "__int__": "builtins.int", "__index__": "builtins.int"}


def annotation(text: Any) -> str:
    """A type as it is called where `float` is a dtype or a method."""
    text = "Any" if text is inspect.Parameter.empty else str(text)
    text = re.sub(r"\b(bool|int|float|type)\b", r"builtins.\1", text)
    return re.sub(r"\b(dtype|device)\b", r"_\1", text)


def definition(name: str, function: Callable[..., Any], method: bool = False) -> str:
    """The line of a stub for a function, which gives a tensor unless it says otherwise."""
    shown, star = [], False
    for i, p in enumerate(inspect.signature(function).parameters.values()):
        if p.kind is p.KEYWORD_ONLY and not star:
            shown.append("*")
        star = star or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        mark = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        default = "" if p.default is p.empty else " = ..."
        shown.append("self" if method and i == 0 else f"{mark}{p.name}: {annotation(p.annotation)}{default}")
    given = annotation(inspect.signature(function).return_annotation)
    if method and re.fullmatch(r"[a-z]\w*_|__i(?!nt|nv|nd|te)\w+__", name):
        given = "Self"
    if given == "Any":
        given = "Any" if name in ANYTHING else NUMBERS.get(name, "Tensor")
    # A subclass of object gives something else for == than object does.
    ignored = "  # type: ignore[override]" if name in ("__eq__", "__ne__") else ""
    listed = ", ".join(shown)
    if not method:  # behind a function, sizes and dimensions stand together
        listed = re.sub(r"(?<=input: Tensor, )\*(\w+: )builtins.int \| ", r"\1", listed)
    return f"def {name}({listed}) -> {given}: ...{ignored}"


def tensor_stub() -> str:
    """minigrad/tensor.pyi: the class with all its methods."""
    lines = []
    for name, value in sorted(vars(minigrad.Tensor).items()):
        if isinstance(value, property) and value.fget is not None:
            given = annotation(value.fget.__annotations__.get("return", "Any"))
            lines += ["@property", f"def {name}(self) -> {given}: ..."]
            if value.fset is not None and value.fset.__name__ == name:
                lines += [f"@{name}.setter", f"def {name}(self, value: Any) -> None: ..."]
        elif name == "__new__":
            lines += ["def __new__(cls, *args: Any, **options: Any) -> Tensor: ..."]
        elif name == "__hash__":
            lines += ["def __hash__(self) -> builtins.int: ..."]
        elif inspect.isfunction(value) and name != "__getattr__":
            lines += [definition(name, value, method=True)]
    imports = """from typing import Any, Self

import numpy as np

from .autograd.hooks import RemovableHandle
from .autograd.node import Node
from .autograd.variable import TensorBase
from .devices import device as _device
from .dtypes import dtype as _dtype
from .size import Size

class Tensor(TensorBase):
    __array_priority__: builtins.int
"""
    return HEAD + imports + "".join(f"    {line}\n" for line in lines)


def package_stub() -> str:
    """minigrad/__init__.pyi: the imports of the package, and its functions."""
    lines = ["from math import e as e, inf as inf, nan as nan, pi as pi"]
    lines += ["from .tensor import Tensor as Tensor", "from . import autograd as autograd"]
    for module, names in minigrad._NOW.items():
        home = module.__name__.removeprefix("minigrad")
        own = [(name, f"{name}_" if hasattr(module, f"{name}_") else name) for name in names.split()]
        lines += [f"from {home} import {original} as {name}" for name, original in own]
    for home, names in minigrad._LATER.items():
        lines += [f"from {home} import {name} as {name}" for name in names.split()]
        lines += [] if names else [f"from . import {home[1:]} as {home[1:]}"]
    lines += [f"from . import {name} as {name}" for name in ("backends", "func", "random")]
    for home, name in (("devices", "device"), ("dtypes", "dtype")):
        lines += [f"from .{home} import {name} as _{name}"]
    for name in sorted({*creation.__all__, *functions.__all__}):
        value = getattr(minigrad, name)
        lines += [definition(name, value) if inspect.isfunction(value) else f"{name}: Any"]
    listed = "".join(f"    {name!r},\n".replace("'", '"') for name in minigrad.__all__)
    return f"{HEAD}from typing import Any\n\n" + "\n".join(lines) + f"\n\n__version__: str\n__all__ = [\n{listed}]\n"


def modules_stub() -> str:
    """minigrad/nn/applied.pyi: the modules that come from a table of functions."""
    lines = []
    for name in applied.__all__:
        module = getattr(applied, name)
        options = definition("__init__", module.__init__, method=True).replace("-> Self", "-> None")
        lines += [f"class {name}(Module):", f"    {options}"]
    listed = ", ".join(f'"{name}"' for name in applied.__all__)
    imports = "from typing import Any\n\nfrom ..tensor import Tensor\nfrom .module import Module\n"
    return f"{HEAD}{imports}\n__all__ = [{listed}]\n\n" + "\n".join(lines) + "\n"


PAGES = {"__init__.pyi": package_stub, "tensor.pyi": tensor_stub, "nn/applied.pyi": modules_stub}

if __name__ == "__main__":
    for name, stub in PAGES.items():
        (HOME / name).write_text(stub(), encoding="utf-8", newline="\n")
