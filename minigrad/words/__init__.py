"""PyTorch's words for arguments that do not fit. Loaded when a call has failed, and never before.

As PyTorch's own parser does, the arguments are compared one by one with what the function says that it takes; the
first that does not fit is told. Where PyTorch lists several ways to call a function, here the one way is spoken of.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.node import requires_grad
from ..autograd.variable import TensorBase as Tensor
from ..functions.parameters import NUMPY_NAMES, Accepts, parameters_of
from ..hints import Unfit, hinted, is_pytorchs, no_such_argument, type_name


def wrong(
    name: str, function: Any, args: tuple[Any, ...], options: dict[str, Any], error: Exception | None
) -> Exception:
    """The error for arguments that `function` does not take.

    Args:
        name: that of PyTorch's function; a method's has a dot in front, that of one written in Python "nn.".
        function: minigrad's, whose annotations say what it takes.
        args: what was given.
        options: what was given by name.
        error: what Python, or the function itself, has said to them, if it has.
    """
    signature, parameters = parameters_of(function)
    if error is not None and name.startswith("nn.") and not isinstance(error, Unfit):
        said = TypeError(f"{name.removeprefix('nn.')}() {error}")
        return no_such_argument(said, signature.parameters) if "unexpected keyword" in str(error) else hinted(said)
    if name in _COMPARE_SIZES:
        for value in args[:2]:
            try:
                value.size()
            except (TypeError, AttributeError) as stumbled:
                return hinted(stumbled.with_traceback(None))
    said = _unparsed(name, [*parameters.values()], args, options)
    if said is None and error is None:
        given = ", ".join([*map(type_name, args), *(f"{key}={type_name(value)}" for key, value in options.items())])
        said = TypeError(f"{name.lstrip('.')}() received an invalid combination of arguments - got ({given})")
    return said or TypeError(*error.args)  # type: ignore[union-attr]


#: PyTorch's losses that first of all ask their arguments for their sizes, and stumble over what has none.
_COMPARE_SIZES = {"nn.mse_loss", "nn.l1_loss", "nn.binary_cross_entropy", "nn.binary_cross_entropy_with_logits"}


def _in_words(parameter: Accepts) -> str:
    """How PyTorch names what a parameter takes."""
    names = {"float": "Number", "Sequence[int]": "tuple of ints", "Sequence[Tensor]": "tuple of Tensors"}
    names |= {"Sequence[float]": "tuple of floats", "dtype": "torch.dtype"}
    kinds = [kind for kind in parameter.kinds if kind != "None"]
    kind = "Tensor" if "Tensor" in kinds else "Sequence[int]" if "Sequence[int]" in kinds else kinds[0]
    return names.get(kind, kind)


def _unparsed(name: str, parameters: list[Accepts], args: tuple[Any, ...], options: dict[str, Any]) -> Exception | None:
    """What PyTorch's parser says to these arguments; None if they fit."""
    is_method = name.startswith(".")
    name = name.removeprefix("nn.").removeprefix(".").replace("linalg.", "linalg_")
    if is_method:
        parameters, args = parameters[1:], args[1:]
    if is_method and not parameters and (args or options):
        return TypeError(
            f"TensorBase.{name}() takes no {'keyword arguments' if options else f'arguments ({len(args)} given)'}"
        )
    positional = [p for p in parameters if not p.must_be_named]
    most = len(positional)
    least = sum(not p.optional for p in parameters)
    if most == 1 and _in_words(positional[0]) == "tuple of ints" and args and _is_int(args[0]):
        args = (args,)
    if len(args) > most:
        count = str(most) if most == least else f"from {least} to {most}"
        plural = "" if count == "1" else "s"
        were = "was" if len(args) == 1 and most == least else "were"
        return TypeError(f"{name}() takes {count} positional argument{plural} but {len(args)} {were} given")
    open_ = {p.name for p in parameters[len(args) :]} - {*options}  # for which numpy's name will do
    rest = {NUMPY_NAMES[key] if NUMPY_NAMES.get(key) in open_ else key: value for key, value in options.items()}
    for position, parameter in enumerate(parameters):
        by_position = position < len(args)
        if not by_position and parameter.name not in rest:
            if not parameter.optional:
                return _missing(name, parameters, position, options)
            continue
        value = args[position] if by_position else rest.pop(parameter.name)
        fits = parameter.takes(value) or parameter.takes_number_of(value)
        if not fits or (parameter.several and position and not is_method and _is_int(value)):
            return _unfit(name, parameter, position + 1, by_position, value)
        sizes = value if _in_words(parameter) == "tuple of ints" and isinstance(value, tuple | list) else ()
        for i, each in enumerate(sizes, start=1):
            if not _is_int(each):  # PyTorch looks at the first number alone, and then stumbles over another
                said = f'"type must be tuple of ints,but got {type_name(each)}"'
                where = f"{name}(): argument '{parameter.name}'"
                return hinted(TypeError(f"{where} failed to unpack the object at pos {i} with error {said}"))
    for key in rest:
        if any(p.name == key for p in positional[: len(args)]):
            return TypeError(f"{name}() got multiple values for argument '{key}'")
        unexpected = TypeError(f"{name}() got an unexpected keyword argument '{key}'")
        return no_such_argument(unexpected, [p.name for p in parameters])
    return None


def _missing(name: str, parameters: list[Accepts], position: int, given: dict[str, Any]) -> Exception:
    names = [p.name for p in parameters[position:] if not p.optional and p.name not in given]
    plural = "s" if len(names) == 1 else ""  # PyTorch's grammar
    listed = ", ".join(f'"{each}"' for each in names)
    return TypeError(f"{name}() missing {len(names)} required positional argument{plural}: {listed}")


def _unfit(name: str, parameter: Accepts, position: int, by_position: bool, value: Any) -> Exception:
    where = f"argument '{parameter.name}'" + (f" (position {position})" if by_position else "")
    error = TypeError(f"{name}(): {where} must be {_in_words(parameter)}, not {type_name(value)}")
    return hinted(error, is_pytorchs(value) and "[PyTorch's]", name=name)


def _is_int(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value._value.shape == () and value._value.dtype.kind in "iu" and not requires_grad(value)
    return isinstance(value, int | np.integer)
