"""How a function is called: what PyTorch says to wrong arguments, numpy's names for arguments, and `out=`.

Most of this happens when the function itself has failed; only then, or when an argument is of an unusual type, is
`signatures.py` loaded, which knows how PyTorch's functions are called. Before they run, the functions of every day look
at what is given by name only; the others at all types, once for each combination of them.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

from .. import ops
from ..autograd.grad_mode import mode
from ..autograd.node import requires_grad
from ..autograd.variable import TensorBase
from ..dtypes import dtype
from ..hints import with_hint
from ..layouts import contiguous_format, memory_format

#: What numpy calls an argument, and what PyTorch does.
NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}

#: What PyTorch calls the sizes or dimensions that may also be given one by one.
_SIZES = {"dims", "repeats", "shape", "size"}

#: By the names of arguments, the types that need no second look (PyTorch may take others: its parser knows).
_USUAL: dict[str, tuple[type, ...]] = {
    name: types
    for names, types in (
        (
            "accumulate as_tuple assume_unique ceil_mode copy count_include_pad descending equal_nan full "
            "hermitian implicit invert keepdim keepdims largest left log_input log_target non_blocking "
            "out_int32 pin_memory replacement requires_grad return_counts return_inverse right sorted stable "
            "swap training unbiased upper with_replacement wrap",
            (bool,),
        ),
        (
            "bins chunks decimals diagonal dim0 dim1 dim2 dimension end_dim ignore_index k length minlength n "
            "num_classes num_samples offset output_size r start_dim step steps",
            (int,),
        ),
        (
            "anchor batch1 batch2 boundaries index input input1 input2 mask mat1 mat2 negative positive "
            "sorted_sequence src target tensor tensor1 tensor2 vec vec1 vec2",
            (TensorBase,),
        ),
        ("bias pos_weight running_mean running_var weight", (TensorBase, type(None))),
        ("alpha atol beta delta eps label_smoothing margin momentum p rtol value", (int, float)),
        ("elements end other start test_elements", (TensorBase, int, float)),
        ("dim", (int, tuple, list, type(None))),
        ("dims shifts", (int, tuple, list)),
        ("dtype", (dtype, type(None))),
        ("memory_format", (memory_format,)),
        ("mode side reduce rounding_mode interpolation", (str, type(None))),
    )
    for name in names.split()
}
#: Called so often that their positional arguments are looked at only after an error.
_EVERYDAY = {
    "abs", "add", "addmm", "argmax", "bmm", "cat", "chunk", "clamp", "clone", "contiguous", "copy_",
    "cross_entropy", "detach", "div", "dot", "double", "empty", "eq", "expand", "fill_", "flatten", "float",
    "gather", "ge", "gt", "index_select", "int", "is_floating_point", "le", "linear", "log_softmax", "long", "lt",
    "matmul", "max", "maximum", "mean", "min", "minimum", "mm", "mse_loss", "mul", "mv", "narrow", "ne", "nll_loss",
    "numel", "ones", "ones_like", "permute", "pow", "relu", "reshape", "select", "softmax", "split", "square",
    "stack", "sub", "sum", "t", "tensor", "to", "transpose", "unbind", "unsqueeze", "view", "where",
    "zeros", "zeros_like",
}  # fmt: skip


def called(function: Callable[..., Any], name: str | None = None) -> Callable[..., Any]:
    """`function` as users call it: with PyTorch's errors, numpy's names for arguments, and `out=`.

    `name` is that of PyTorch's function; a method's has a dot in front: then the first argument is not counted.
    """
    name = name or function.__name__
    everyday = name.rpartition(".")[2] in _EVERYDAY
    known: set[tuple[Any, ...]] = set()

    def call(*args: Any, **options: Any) -> Any:
        if not everyday or (options and not _are_usual(options)):
            kinds = (*(() if everyday else map(type, args)), *options, *map(type, options.values()))
            if kinds not in known:
                names = () if everyday else ops.usual.argument_names(inspect.unwrap(function))
                if _look_at(name, names, args, options):
                    known.add(kinds)
        try:
            return function(*args, **options) if options else function(*args)
        except Exception as error:
            from .signatures import misfit

            if _is_scaled(name, args, options):
                return _scaled(call, *args)
            wrong = misfit(name, args, options)
            if wrong is not None:
                raise wrong from None
            if not isinstance(error, TypeError):
                raise
            return _again(call, name, args, options, error)

    return behind_usual_case(call, function, name)


def behind_usual_case(call: Callable[..., Any], function: Any, name: str) -> Callable[..., Any]:
    """`call`, which calls `function` whatever its arguments are, behind the usual case of it, if it names one."""
    made: list[Any] = [call]
    if hasattr(function, "usual_case"):
        operation, *rest = function.usual_case
        made.append(ops.usual.in_front(ops.usual.Front(name, *rest), operation, call))
    for one in made:
        one.__name__ = one.__qualname__ = name.rpartition(".")[2]
        one.__doc__, one.__wrapped__ = function.__doc__, function
    return made[-1]


def for_tensors(operation: Any) -> Any:
    """An operation of one tensor as users call it. The formulas run it on arrays as well; a user's are refused."""
    from .arguments import require_tensor

    def general(input: Any) -> Any:
        require_tensor(operation.__name__, "input", 1, input)
        return operation(input)

    function = ops.primitive.finish(ops.usual.in_front(None, operation, general), operation.forward)
    function.__module__ = __package__  # where it is found again by its name, as pickle asks
    return function


def mostly(
    operation: Any, positional: str, named: str = "", *, only: str, **values: str
) -> Callable[[Callable[..., Any]], Any]:
    """Say of a function that most calls of it are the usual case of an operation, as `usual.Front` describes it."""

    def decorate(function: Any) -> Any:
        function.usual_case = operation, positional, named, only, values
        return function

    return decorate


def _are_usual(options: dict[str, Any]) -> bool:
    for name, value in options.items():
        usual = _USUAL.get(name)
        if usual is not None and type(value) not in usual:
            return False
    return True


def _look_at(name: str, names: tuple[str, ...], args: tuple[Any, ...], options: dict[str, Any]) -> bool:
    """Whether all arguments are of usual types. Raises PyTorch's error if they are not, and wrong."""
    for argument, value in (*zip(names, args), *options.items()):
        usual = _USUAL.get(argument)
        if usual and type(value) not in usual and not (TensorBase in usual and isinstance(value, TensorBase)):
            from .signatures import misfit

            wrong = misfit(name, args, options)
            if wrong is not None:
                raise wrong from None
            return not isinstance(value, TensorBase | tuple | list)  # of these not only the type matters
    return True


def exported(name: str) -> Callable[..., Any]:
    """A function of the namespace `minigrad`."""
    from .. import creation, functions

    function = getattr(creation if name in creation.__all__ else functions, name)
    return function if isinstance(function, type) or is_operation(function, name) else called(function, name)


def is_operation(function: Callable[..., Any], name: str) -> bool:
    """Whether a function is an operation of one tensor, under its own name."""
    return hasattr(function, "forward") and function.__name__ == name


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
    result = call.__wrapped__(*args, **renamed)  # type: ignore[attr-defined]
    if in_rows and result is not args[0]:
        result._value = result._array.copy()
    return result if out is None else _written(call.__name__, result, (args, renamed), out)


def _is_scaled(name: str, args: tuple[Any, ...], options: dict[str, Any]) -> bool:
    """Whether the factor stands before the tensor, as in old programs: `w.add_(-lr, w.grad)`."""
    if name.strip("._") not in ("add", "sub") or len(args) != 3 or options:
        return False
    return isinstance(args[1], int | float) and isinstance(args[2], TensorBase)


def _scaled(call: Callable[..., Any], input: Any, alpha: Any, other: Any) -> Any:
    name = call.__name__
    warnings.warn(
        f"This overload of {name} is deprecated:\n\t{name}(Number alpha, Tensor other)\nConsider using one of the "
        f"following signatures instead:\n\t{name}(Tensor other, *, Number alpha = 1)",
        stacklevel=4,
    )
    return call(input, other, alpha=alpha)


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
    ops.inplace.write_result(out, result)
    return out
