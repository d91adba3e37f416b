"""How a function is called: what PyTorch says to wrong arguments, numpy's names for arguments, and `out=`.

None of this costs a right call more than a frame: it happens when the function itself has failed. Only then is
`signatures.py` loaded, which knows how PyTorch's functions are called.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..autograd.grad_mode import mode
from ..autograd.node import requires_grad
from ..autograd.variable import TensorBase
from ..hints import with_hint
from ..layouts import contiguous_format
from ..ops.inplace import write_result

#: What numpy calls an argument, and what PyTorch does.
NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}

#: What PyTorch calls the sizes or dimensions that may also be given one by one.
_SIZES = {"dims", "repeats", "shape", "size"}


def called(function: Callable[..., Any], name: str | None = None) -> Callable[..., Any]:
    """`function` as users call it: with PyTorch's errors, numpy's names for arguments, and `out=`.

    `name` is that of PyTorch's function; a method's has a dot in front: then the first argument is not counted.
    """
    name = name or function.__name__

    def call(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except Exception as error:
            from .signatures import misfit

            wrong = misfit(name, args, options)
            if wrong is not None:
                raise wrong from None
            if not isinstance(error, TypeError):
                raise
            return _again(call, name, args, options, error)

    call.__name__ = call.__qualname__ = name.rpartition(".")[2]
    call.__doc__ = function.__doc__
    call.__wrapped__ = function  # type: ignore[attr-defined]
    return call


def exported() -> dict[str, Callable[..., Any]]:
    """The functions of the namespace `minigrad`. Operations of one tensor look at their argument themselves."""
    from .. import creation, functions

    found = {name: getattr(module, name) for module in (creation, functions) for name in module.__all__}
    return {name: f if hasattr(f, "forward") else called(f, name) for name, f in found.items()}


def _again(
    call: Callable[..., Any], name: str, args: tuple[Any, ...], options: dict[str, Any], error: Exception
) -> Any:
    """The call with the names that PyTorch uses, if other names were all that was wrong."""
    from .signatures import as_minigrad_calls_it

    parameters = inspect.signature(call).parameters
    renamed = {NUMPY_NAMES.get(key, key) if key not in parameters else key: value for key, value in options.items()}
    renamed = as_minigrad_calls_it(name, args, renamed, list(parameters.values()))
    out = renamed.pop("out", None) if "out" not in parameters else None
    in_rows = "memory_format" not in parameters and renamed.get("memory_format") is contiguous_format
    if in_rows:
        del renamed["memory_format"]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters.values()):  # `x.view(size=(2, 3))` for `x.view(2, 3)`
        args = (*args, *(renamed.pop(key) for key in _SIZES & renamed.keys()))
    if renamed.keys() == options.keys():
        raise error
    result = call(*args, **renamed)
    if in_rows:
        result._value = result._array.copy()
    return result if out is None else _written(call.__name__, result, (args, renamed), out)


def _written(name: str, result: Any, inputs: tuple[Any, dict[str, Any]], out: Any) -> Any:
    """`result`, written into the tensors `out`, which get its size."""
    if isinstance(result, tuple):
        return type(result)(_written(name, one, inputs, into) for one, into in zip(result, out, strict=True))
    args, options = inputs
    if mode.enabled and any(isinstance(t, TensorBase) and requires_grad(t) for t in (*args, *options.values(), out)):
        raise with_hint(
            RuntimeError(
                f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
                "arguments requires grad."
            ),
            "Leave out= away, or compute under torch.no_grad().",
            "去掉 out=，或者放进 torch.no_grad() 里计算。",
        )
    if out._value.shape != result._value.shape:
        out._value = out._value.dtype.type(0) * result._value.astype(out._value.dtype)
    write_result(out, result)
    return out
