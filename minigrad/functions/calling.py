"""How a function is called: what PyTorch says to wrong arguments, numpy's names for arguments, and `out=`.

None of this costs a right call more than a frame: it happens when the function itself has refused its arguments.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

from ..autograd.grad_mode import mode
from ..autograd.node import requires_grad
from ..autograd.variable import TensorBase
from ..hints import with_hint
from ..ops.errors import type_name
from ..ops.inplace import write_result

#: What numpy calls an argument, and what PyTorch does.
_NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}

#: What PyTorch calls the sizes or dimensions that may also be given one by one.
_SIZES = {"dims", "repeats", "shape", "size"}

#: Parameters of this name take tensors.
_TENSORS = {
    "input", "other", "mat", "mat1", "mat2", "vec", "vec1", "vec2", "batch1", "batch2", "tensor", "tensor1",
    "tensor2", "index", "indices", "mask", "source", "src", "end", "condition", "values", "boundaries",
    "sorted_sequence", "A", "B",
}  # fmt: skip

#: Functions that PyTorch lets be called in several ways: to wrong arguments it answers with the list of these.
_SEVERAL_WAYS = {
    "add", "all", "any", "bitwise_and", "bitwise_or", "bitwise_xor", "clamp", "clamp_max", "clamp_min", "clip",
    "copysign", "div", "divide", "eq", "expand", "float_power", "floor_divide", "fmod", "ge", "greater",
    "greater_equal", "gt", "index_fill", "isin", "le", "lerp", "less", "less_equal", "lt", "masked_fill", "max",
    "mean", "median", "min", "moveaxis", "movedim", "mul", "multiply", "nanmedian", "narrow", "ne", "not_equal",
    "pow", "prod", "quantile", "remainder", "rsub", "scatter", "searchsorted", "std", "sub", "subtract", "sum",
    "transpose", "true_divide", "var", "view", "where", "xlogy",
}  # fmt: skip


def called(function: Callable[..., Any], as_method: bool = False) -> Callable[..., Any]:
    """`function` as users call it: with PyTorch's errors, numpy's names for arguments, and `out=`.

    As a method it has its first argument, the tensor, from the dot; messages do not count that one.
    """

    def call(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except (TypeError, AttributeError) as error:
            return _again(function, args, options, as_method, error)

    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__ = function.__doc__
    call.__wrapped__ = function  # type: ignore[attr-defined]
    return call


def exported() -> dict[str, Callable[..., Any]]:
    """The functions of the namespace `minigrad`. Operations of one tensor look at their argument themselves."""
    from .. import creation, functions

    found = {name: getattr(module, name) for module in (creation, functions) for name in module.__all__}
    return {name: f if hasattr(f, "forward") else called(f) for name, f in found.items()}


def _again(
    function: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any], as_method: bool, error: Exception
) -> Any:
    """The call with the names that PyTorch uses, if other names were all that was wrong; otherwise PyTorch's error."""
    parameters = inspect.signature(function).parameters
    renamed = {
        _NUMPY_NAMES.get(name, name) if name not in parameters else name: value for name, value in options.items()
    }
    out = renamed.pop("out", None) if "out" not in parameters else None
    if any(p.kind is p.VAR_POSITIONAL for p in parameters.values()):  # `x.view(size=(2, 3))` for `x.view(2, 3)`
        args = (*args, *(renamed.pop(name) for name in _SIZES & renamed.keys()))
    if renamed.keys() == options.keys():
        raise _explained(function, args, options, as_method, error) from None
    result = called(function, as_method)(*args, **renamed)
    return result if out is None else _written(function.__name__, result, (args, renamed), out)


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


def _explained(
    function: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any], as_method: bool, error: Exception
) -> Exception:
    """PyTorch's error for arguments that do not fit; the one that the function raised if they do."""
    name, skipped = function.__name__, 1 if as_method else 0
    signature = inspect.signature(function)
    try:
        given = signature.bind(*args, **options).arguments
    except TypeError as misfit:
        if not re.search(r"\(\) (missing|takes|got)", str(error)):
            return error  # of a function that this one called
        return _misfit(name, signature, args[skipped:], options, str(misfit), skipped)
    if isinstance(error, AttributeError) and "_value" not in str(error):
        return error
    for position, (parameter, value) in enumerate(given.items(), start=1 - skipped):
        if parameter in _TENSORS and not isinstance(value, TensorBase):
            return with_hint(
                TypeError(
                    f"{name}(): argument '{parameter}' (position {position}) must be Tensor, not {type_name(value)}"
                ),
                "Make a tensor of it first: torch.tensor(…).",
                "请先把它转换成张量：torch.tensor(…)。",
            )
    if as_method and error.args:
        text = re.sub(r"\(position (\d+)\)", lambda m: f"(position {int(m[1]) - 1})", str(error.args[0]))
        error.args = (text, *error.args[1:])
    return error


def _misfit(
    name: str, signature: inspect.Signature, args: tuple[Any, ...], options: dict[str, Any], misfit: str, skipped: int
) -> Exception:
    """PyTorch's error for too few or too many arguments, or for one that there is not."""
    if name in _SEVERAL_WAYS:
        kinds = ", ".join([*map(type_name, args), *(f"{key}={type_name(value)}" for key, value in options.items())])
        ways = str(signature).replace("(input, ", "(").replace("(input", "(") if skipped else str(signature)
        return TypeError(
            f"{name}() received an invalid combination of arguments - got ({kinds}), but expected one of:\n * "
            + re.sub(r": 'Any'|: Any| -> .*", "", ways)
        )
    positional = [p for p in signature.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD][skipped:]
    missing = [
        p.name for i, p in enumerate(positional) if p.default is p.empty and i >= len(args) and p.name not in options
    ]
    unknown = re.search(r"unexpected keyword argument '(\w+)'", misfit)
    if missing:
        names = ", ".join(f'"{parameter}"' for parameter in missing)
        plural = "s" if len(missing) == 1 else ""  # PyTorch's grammar
        return TypeError(f"{name}() missing {len(missing)} required positional argument{plural}: {names}")
    if unknown:
        return TypeError(f"{name}() got an unexpected keyword argument '{unknown[1]}'")
    most, least = len(positional), sum(p.default is p.empty for p in positional)
    if len(args) > most:
        count = str(most) if most == least else f"from {least} to {most}"
        plural, were = "" if count == "1" else "s", "was" if len(args) == 1 else "were"
        return TypeError(f"{name}() takes {count} positional argument{plural} but {len(args)} {were} given")
    return TypeError(misfit)
