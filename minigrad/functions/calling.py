"""How a function of the table is called: types that fit, numpy's names for arguments, and `out=`.

The arguments are looked at once for each combination of their types, by what the function's own annotations say. What
does not fit is refused in PyTorch's words, which `words/` holds and which are loaded only then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd.grad_mode import mode
from ..autograd.node import requires_grad
from ..autograd.variable import TensorBase as Tensor
from ..hints import Unfit, hinted, type_name
from ..ops.inplace import write_result
from ..ops.primitive import finish
from ..table import one_tensor
from .parameters import NUMPY_NAMES, Accepts, parameters_of

#: What PyTorch's parser calls an argument otherwise than PyTorch's pages.
_OTHER_NAMES = {"input": "A", "sections": "indices_or_sections", "indices": "indices_or_sections"}

#: What PyTorch takes almost everywhere and minigrad knows one way of: it may be said.
_AS_IT_IS = {"pin_memory": (False, None), "sparse_grad": (False,)}


def called(
    function: Callable[..., Any], name: str | None = None, out: bool = False, like: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """`function` as users call it.

    Args:
        function: what is called when the arguments fit.
        name: that of PyTorch's function; a method's has a dot in front: then the first argument is not counted.
        out: whether the result can be written into `out=`.
        like: a function with the parameters that users are shown, if they are not those of `function`.
    """
    name = name or function.__name__
    shown = like or function
    known: set[Any] = set()

    def call(*args: Any, **options: Any) -> Any:
        if options:
            kinds = (*map(type, args), *options, *map(type, options.values()))
        elif len(args) == 2:  # written out, for most calls have one argument or two
            kinds = args[0].__class__, args[1].__class__
        else:
            kinds = args[0].__class__ if len(args) == 1 else tuple(map(type, args))
        if kinds not in known:  # the first call with these types; in a debugger step over `_fitted`
            given = args, options
            args, options, into = _fitted(shown, name, args, options, out)
            if into is not None:
                return _written(call.__name__, function(*args, **options), into)
            if (args, options) is given or (args is given[0] and options is given[1]):
                known.add(kinds)
        try:
            return function(*args, **options) if options else function(*args)
        except Unfit as error:
            raise _unfit(name, shown, args, options, error) from None

    call.__name__ = call.__qualname__ = name.rpartition(".")[2]
    call.__doc__ = function.__doc__  # type: ignore[attr-defined]
    call.__wrapped__ = shown
    return call


def of_one(operation: Any, name: str, like: Callable[..., Any] = one_tensor) -> Callable[..., Any]:
    """A rule of one tensor as users call it: at once, if it is given a tensor. (Formulas run it on arrays, too.)"""
    otherwise = called(operation, name, out=True, like=like)

    def function(input: Any = ..., *more: Any, **options: Any) -> Any:
        if isinstance(input, Tensor) and not more and not options:
            return operation(input)
        return otherwise(*(() if input is ... else (input, *more)), **options)

    finish(function, operation)
    function.__name__ = function.__qualname__ = name
    function.__module__ = __package__  # where it is found again by its name, as pickle asks
    function.__wrapped__ = like  # type: ignore[attr-defined]
    return function


def _fitted(
    function: Callable[..., Any], name: str, args: tuple[Any, ...], options: dict[str, Any], takes_out: bool
) -> tuple[tuple[Any, ...], dict[str, Any], Any]:
    """The arguments as `function` takes them, and what stands behind `out=`. Raises PyTorch's error if they are wrong.

    They are the same objects if nothing had to be changed.
    """
    signature, parameters = parameters_of(function)
    given, into = (args, options), None
    if any(key not in parameters or parameters[key].several for key in options):
        open_ = [*parameters.values()][len(args) :]
        options, rest, into = _renamed(open_, parameters, options, {} if name.startswith("nn.") else NUMPY_NAMES)
        args = (*args, *rest)
        if into is not None and not takes_out:
            options["out"], into = into, None
        if into is not None and not isinstance(into, Tensor | tuple):
            raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type_name(into)}")
    try:
        bound = signature.bind(*args, **options).arguments
    except TypeError as error:
        raise _unfit(name, function, *given, error) from None
    for key, value in bound.items():
        accepts = parameters.get(key)
        if accepts is None:
            continue
        for each in value if accepts.several else (value,):
            if accepts.takes(each):
                continue
            if not accepts.takes_number_of(each):
                raise _unfit(name, function, *given, None)
            number = each.item()  # of numpy, or a tensor that stands for its number
            args = tuple(number if arg is each else arg for arg in args)
            options = {k: number if v is each else v for k, v in options.items()}
    sizes = [key for key, accepts in parameters.items() if accepts.several and "Sequence[int]" in accepts.kinds]
    wanted = [key for key in bound if key in parameters and "Tensor" in parameters[key].kinds]
    none_given = wanted and not any(isinstance(bound[key], Tensor | tuple | list) for key in wanted)
    in_one = wanted and not name.startswith(".")  # x.flip(0, 1), but torch.flip(x, (0, 1))
    if none_given or any(key not in bound or (in_one and not isinstance(bound[key][0], tuple | list)) for key in sizes):
        raise _unfit(name, function, *given, None)
    return args, options, into


def _unfit(name: str, function: Callable[..., Any], args: Any, options: Any, error: Exception | None) -> Exception:
    """PyTorch's error for these arguments."""
    from ..words import wrong

    return wrong(name, function, args, options, error)


def _renamed(
    open_: list[Accepts], parameters: dict[str, Accepts], options: dict[str, Any], numpy: dict[str, str]
) -> tuple[dict[str, Any], tuple[Any, ...], Any]:
    """Named arguments under PyTorch's names, those that may also be given one by one, and what stands behind `out=`."""
    found, rest = {}, ()
    free = {accepts.name for accepts in open_} - {*options}
    for key, value in options.items():
        if key not in parameters:
            other = numpy.get(key) or _OTHER_NAMES.get(key)
            if key == "self" and isinstance(value, int | float):  # a number comes first: `pow(self=2, exponent=x)`
                other = "input"
            key = other if other in free else key
        if key in parameters and parameters[key].several and isinstance(value, tuple | list):
            rest = (value,)
        elif key in parameters or not any(value is one for one in _AS_IT_IS.get(key, ())):
            found[key] = value
    return found, rest, found.pop("out", None)


# ---------------------------------------------------------------------------------------------------------------------
# out=


def _written(name: str, result: Any, out: Any) -> Any:
    """`result`, written into the tensors `out`, which get its size."""
    if isinstance(result, tuple):
        return type(result)(_written(name, one, into) for one, into in zip(result, out, strict=True))
    if requires_grad(result) or (mode.enabled and requires_grad(out)):
        said = (
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )
        raise hinted(RuntimeError(said))
    if out._value.shape != result._value.shape:
        out._value = out._value.dtype.type(0) * result._value.astype(out._value.dtype)
    write_result(out, result)
    return out
