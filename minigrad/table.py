"""The one table of what users may write.

A function is entered where it is defined:

    @public(inplace=True)
    def clamp(input: Tensor, min: float | None = None, max: float | None = None) -> Tensor:

From this row follow `torch.clamp(x, 0)`, `x.clamp(0)`, `x.clamp_(0)` and `torch.clamp(x, 0, out=y)`, what Tab and `?`
show, the stubs for editors and the page of all names. The types of the arguments are those that are written there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from .autograd.variable import TensorBase as Tensor


class Row(NamedTuple):
    """One name, and how it may be written: what `public` was told."""

    function: Callable[..., Any]
    like: Callable[..., Any]
    as_function: bool
    as_method: bool
    method: Callable[..., Any] | None
    out: bool
    #: What computes the result that `x.name_()` writes, if there is such a method.
    twin: Callable[..., Any] | None
    write: Callable[[Any, Any], Any] | None
    plain: bool


#: By its name, what users may write.
TABLE: dict[str, Row] = {}


def public(
    function: Any = None,
    *,
    name: str | None = None,
    as_function: bool = True,
    as_method: bool = True,
    method: Callable[..., Any] | None = None,
    out: bool = True,
    inplace: bool | Callable[..., Any] = False,
    write: Callable[[Any, Any], Any] | None = None,
    like: Callable[..., Any] | None = None,
    plain: bool = False,
    doc: str | None = None,
) -> Any:
    """Enter a function into the table.

    Args:
        function: that function; without it, this is a decorator.
        name: what users call it, if not as it is called itself.
        as_function: whether there is `torch.f(x)`.
        as_method: whether there is `x.f()`.
        method: what `x.f()` does, if its arguments stand in another order.
        out: whether `torch.f(x, out=y)` writes the result into y.
        inplace: whether there is `x.f_()`; a function, if its result is another than that of `x.f()`.
        write: `write(array, other)` writes the result into the array, where that is all there is to do.
        plain: whether it looks at its arguments itself, and is what users call as it stands.
        like: a function with the parameters that users are shown, if they are not those of this one.
        doc: what `?` says, if the function is one of a family that differ in a name.
    """
    options = {name: value for name, value in locals().items() if name != "function"}
    if function is None:
        return partial(public, **options)
    if doc is not None:  # one of several that a factory makes
        function.__name__, function.__doc__ = name, doc
    twin = inplace if callable(inplace) else function if inplace else None
    row = Row(function, like or function, as_function, as_method, method, out, twin, write, plain)
    TABLE[name or function.__name__] = row
    return function


def same(**names: str) -> None:
    """Enter other names: `same(absolute="abs")`."""
    for name, original in names.items():
        TABLE[name] = TABLE[original]


# ---------------------------------------------------------------------------------------------------------------------
# The parameters of rules that are a function as they stand


def one_tensor(input: Tensor) -> Tensor:
    """Of a rule of one tensor."""


def two_tensors(input: Tensor, other: Tensor) -> Tensor:
    """Of a rule of two tensors."""


def tensor_and_number(input: Tensor, other: Tensor | float) -> Tensor:
    """Of a rule of two tensors, of which the second may be a number."""


def two_operands(input: Tensor | float, other: Tensor | float) -> Tensor:
    """Of a rule of two tensors, either of which may be a number."""
