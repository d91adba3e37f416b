"""What users may write: PyTorch's signatures over the rules of `ops/`.

A rule is one formula on normalized arguments. Here stand the many ways in which a user may write it: defaults,
keywords, negative dimensions, numbers in the place of tensors, and the errors for what PyTorch refuses. Each function
enters itself into the one `table`; what `torch.` and `x.` offer is made of its rows. A rule that needs none of this is
the function.
"""

from __future__ import annotations

from typing import Any

from ..ops.inplace import inplace
from ..table import TABLE, Row, one_tensor
from . import (  # noqa: F401 (each enters its functions into the table)
    drawing,
    indexing,
    joins,
    methods,
    order,
    pointwise,
    products,
    reduction,
    shape,
)
from .calling import called, of_one

__all__ = [name for name, row in TABLE.items() if row.as_function]

#: The functions themselves, for modules of minigrad that call one: `functions.sum`.
globals().update({name: row.function for name, row in TABLE.items()})


def _built(name: str, row: Row) -> tuple[Any, Any]:
    """The function and the method of a row, None where there is none."""
    if row.like is one_tensor:
        function = method = of_one(row.function, name, row.like)
    elif row.plain:
        function, method = row.function, None
    else:
        function = called(row.function, name, row.out, row.like) if row.as_function else None
        own = {"function": row.method} if row.method else {"function": row.function, "like": row.like}
        method = called(name=f".{name}", **own) if row.as_method else None
    if function is not None:
        function.__module__ = "minigrad"  # where pickle finds it again
    return function, method


def _twin(name: str, row: Row) -> Any:
    """The method that writes: `x.exp_()`."""
    twin = inplace(row.twin, row.write)
    return called(twin, f".{name}_", like=row.like)


_BUILT = {name: _built(name, row) for name, row in TABLE.items()}
#: What `torch.` offers, and what `x.` does.
FUNCTIONS = {name: function for name, (function, _) in _BUILT.items() if function is not None}
METHODS = {name: method for name, (_, method) in _BUILT.items() if method is not None}
METHODS |= {f"{name}_": _twin(name, row) for name, row in TABLE.items() if row.twin is not None}
for _name, _method in METHODS.items():
    if _name not in FUNCTIONS or FUNCTIONS[_name] is not _method:
        _method.__qualname__ = f"Tensor.{_name}"
