"""`minigrad.func`: derivatives as functions of functions, `grad(f)(x)`, and `vmap`, a function over a whole batch.

Everything is made of backward passes. One gives vᵀJ (`_pull`); with v a unit vector that is a row of the Jacobian, and
all rows together are the Jacobian itself (`jacrev`). Two passes give J v (`jvp`). Arguments may be nested in tuples,
lists and dicts. PyTorch runs `vmap` in one sweep and `jvp` forwards; here `vmap` is a loop. The numbers are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from . import autograd
from .autograd.grad_mode import enable_grad, inference_mode, mode, modes_kept
from .autograd.node import AccumulateGrad
from .autograd.variable import TensorBase
from .creation import ones_like, zeros, zeros_like
from .functions import stack
from .hints import names_the_nearest, tell_summaries

__all__ = ["functional_call", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "vjp", "vmap"]

__getattr__, __dir__ = names_the_nearest(__name__, __all__)


# ---------------------------------------------------------------------------------------------------------------------
# Tensors in tuples, lists and dicts


def _leaves(tree: Any) -> list[Any]:
    """Whatever stands in nested tuples, lists and dicts. (A generator left half way would swallow an interrupt.)"""
    if isinstance(tree, dict):
        tree = list(tree.values())
    return [leaf for each in tree for leaf in _leaves(each)] if isinstance(tree, tuple | list) else [tree]


def _map(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """The same nest with `function` of what stands there, and at the same place in the others."""
    if isinstance(tree, dict):
        return tree | {key: _map(function, *(each[key] for each in (tree, *others))) for key in tree}
    if isinstance(tree, tuple | list):
        mapped = [_map(function, *each) for each in zip(tree, *others, strict=True)]
        return type(tree)(*mapped) if hasattr(tree, "_fields") else type(tree)(mapped)
    return function(tree, *others)


def _nested_like(tree: Any, values: Sequence[Any]) -> Any:
    """Values in the places of a nest."""
    following = iter(values)
    return _map(lambda _: next(following), tree)


# ---------------------------------------------------------------------------------------------------------------------
# Derivatives


def _pull(outputs: Sequence[Any], inputs: Sequence[Any], v: Sequence[Any]) -> tuple[Any, ...]:
    """vᵀJ: for each input Σ vᵢ · ∂outputᵢ/∂input, recorded; zeros where no output depends on it.

    The graph is kept for the next v.
    """
    if len(v) != len(outputs):
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(outputs)} but got {len(v)}.")
    tracked = [(output, _usual(weight)) for output, weight in zip(outputs, v, strict=True) if output.requires_grad]
    found: Any = [None] * len(inputs)
    if tracked:
        ends, weights = zip(*tracked, strict=True)
        found = autograd.grad(ends, inputs, weights, create_graph=True, allow_unused=True)
    return tuple(zeros_like(x) if g is None else g for x, g in zip(inputs, found, strict=True))


def _push(outputs: Sequence[Any], inputs: Sequence[Any], v: Sequence[Any]) -> tuple[Any, ...]:
    """J v, the derivative in the direction v.

    uᵀJ is linear in u, and its derivative with respect to that u, in the direction v, is J v: so two backward passes
    give what one forward pass would.
    """
    u = [zeros_like(output, requires_grad=True) for output in outputs]
    return _pull(_pull(outputs, inputs, u), u, v)


def _by_rows(output: Any, inputs: Sequence[Any]) -> list[Any]:
    """J row by row: one tensor of shape (*output.shape, *input.shape) for each input."""
    rows = [_pull([output], inputs, [unit]) for unit in _units(output)]
    return [_joined([row[j] for row in rows], 0, output, x) for j, x in enumerate(inputs)]


def _by_columns(output: Any, inputs: Sequence[Any]) -> list[Any]:
    """The same column by column."""
    jacobians = []
    for x in inputs:
        columns = [_push([output], [x], [unit])[0] for unit in _units(x)]
        jacobians.append(_joined(columns, -1, output, x))
    return jacobians


def _joined(parts: list[Any], dim: int, output: Any, x: Any) -> Any:
    """Rows or columns side by side; nothing where there are no numbers to differentiate."""
    shape = (*output.shape, *x.shape)
    return stack(parts, dim).reshape(shape) if parts else x.new_zeros(shape)


def _tensors(call: str, tree: Any) -> Any:
    """What a function gave, if that is nothing but tensors."""
    found = _leaves(tree)
    if tree is None or not found:
        raise RuntimeError(f"{call}: Expected f to be a function that has non-empty output (got output = {found})")
    for each in found:
        if not isinstance(each, TensorBase):
            said = f"expected f(*primals) to return only tensors, got unsupported type {type(each)}"
            raise RuntimeError(f"{call}: {said}")
    return tree


def _without_aux(call: str, value: Any, has_aux: bool) -> Any:
    """What a function gave, without the more that `has_aux` announces."""
    if has_aux and not (isinstance(value, tuple) and len(value) == 2):
        raise RuntimeError(f"{call}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return value[0] if has_aux else value


def _units(like: Any) -> Iterator[Any]:
    """Tensors like this one with a single 1, at each place in turn."""
    for i in range(like.numel()):
        unit = zeros(like.numel(), dtype=like.dtype, device=like.device)
        unit[i] = 1
        yield unit.reshape(like.shape)


def _watched(tree: Any) -> Any:
    """The same tensors as inputs of their own. One with a history keeps it: its derivative may be wanted, too."""
    for x in _leaves(tree):
        if not isinstance(x, TensorBase):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")
    return _map(lambda x: x.view_as(x) if x.requires_grad else _usual(x.detach()).requires_grad_(), tree)


def _usual(x: Any) -> Any:
    """What may be recorded: of a tensor that was made in inference mode a copy, of all else itself."""
    return x.clone() if isinstance(x, TensorBase) and x.is_inference() else x


def _settled(tree: Any, inputs: Any) -> Any:
    """Results without the graph behind them, unless it leads to something else than the `inputs`."""
    own = {id(x) for x in _leaves(inputs)}
    return _map(lambda x: x if not isinstance(x, TensorBase) or _leads_elsewhere(x, own) else x.detach(), tree)


def _ended(inputs: Any) -> None:
    """Nobody asks for the derivatives of what a function was given for itself any more, nor does one around it."""
    for x in _leaves(inputs):
        if x.is_leaf:
            x.requires_grad_(False)


def _recording() -> Any:
    """`with _recording():` operations are recorded, as in PyTorch also where the caller is in inference mode."""
    return inference_mode(False) if mode.inference else enable_grad()


def _leads_elsewhere(tensor: Any, own: set[int]) -> bool:
    """Whether there is a leaf behind a tensor that is not among `own`: not for a caller who records nothing."""
    if not mode.enabled:
        return False
    if tensor.grad_fn is None:
        return tensor.requires_grad and id(tensor) not in own
    seen, waiting = set(), [tensor.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if isinstance(node, AccumulateGrad) and node.variable.requires_grad and id(node.variable) not in own:
            return True
        waiting.extend(child for child, _ in node.next_functions)
    return False


def _chosen(args: tuple[Any, ...], argnums: Any) -> tuple[Any, tuple[Any, ...]]:
    """The arguments to differentiate with respect to, watched, and all arguments with those in place."""
    places = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    for place in places:
        if not -len(args) <= place < len(args):
            raise RuntimeError(f"Got argnum={place}, but only {len(args)} positional inputs")
    watched = {place % len(args): _watched(args[place]) for place in places}
    if len(watched) < len(places):
        raise RuntimeError(f"argnums elements must be unique, got {tuple(place % len(args) for place in places)}")
    all_args = tuple(watched[i] if i in watched else _map(_usual, arg) for i, arg in enumerate(args))
    inputs = tuple(all_args[place] for place in places)
    return inputs[0] if isinstance(argnums, int) else inputs, all_args


def grad_and_value(func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that gives the gradient of `func`, as `grad`, and its value: `(gradient, value)`."""

    def both(*args: Any, **kwargs: Any) -> Any:
        with _recording():
            inputs, args = _chosen(args, argnums)
            value = func(*args, **kwargs)
            output = _without_aux("grad_and_value(f)(*args)", value, has_aux)
            if not isinstance(output, TensorBase):
                raise RuntimeError(
                    f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(output)}"
                )
            if output.dim():
                raise RuntimeError(
                    "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
                    f"{output.dim()} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
                )
            found = _pull([output], _leaves(inputs), [ones_like(output)])
        _ended(inputs)
        return _settled(_nested_like(inputs, found), inputs), _settled(value, inputs)

    return both


def grad(func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that gives the gradient of `func`, which returns one number.

    Args:
        func: a function of tensors, or of tuples, lists and dicts of them.
        argnums: which argument to differentiate with respect to, or a tuple of several.
        has_aux: `func` returns (number, something more), and the gradient function (gradient, something more).
    """
    both = grad_and_value(func, argnums, has_aux)

    def gradient(*args: Any, **kwargs: Any) -> Any:
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return gradient


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """(output, f): f(v) is vᵀJ, a tuple with one gradient for each of the `primals`.

    With `has_aux`, `func` returns (output, something more), and so does this: (output, f, something more).
    """
    with _recording():
        inputs = _watched(primals)
        value = func(*inputs)
    call = "vjp(f, *primals)"
    output = _tensors(call, _without_aux(call, value, has_aux))

    def pulled(cotangents: Any) -> Any:
        given, wanted = (str(_map(lambda _: "*", tree)).replace("'*'", "*") for tree in (cotangents, output))
        if given != wanted:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {given}, primal output: {wanted}"
            )
        with _recording():
            found = _pull(_leaves(output), _leaves(inputs), _leaves(cotangents))
        return _settled(_nested_like(inputs, found), inputs)

    shown = _settled(value, inputs)
    return (shown[0], pulled, shown[1]) if has_aux else (shown, pulled)


def jvp(func: Callable[..., Any], primals: Any, tangents: Any) -> Any:
    """(output, J v): the derivative in the direction `tangents`."""
    for name, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, tuple) or not all(isinstance(x, TensorBase) for x in _leaves(given)):
            raise RuntimeError(f"jvp(f, primals, tangents): Expected {name} to be a tuple of tensors: f(*primals).")
    with _recording():
        inputs = _watched(primals)
        output = _tensors("jvp(f, primals, tangents)", func(*inputs))
        pushed = _push(_leaves(output), _leaves(inputs), _leaves(tangents))
    _ended(inputs)
    return _settled(output, inputs), _settled(_nested_like(output, pushed), inputs)


def jacrev(func: Callable[..., Any], argnums: Any = 0) -> Callable[..., Any]:
    """A function that gives the Jacobian ∂output/∂input, of shape (*output.shape, *input.shape), row by row."""
    return _jacobian("vjp(f, *primals)", _by_rows, func, argnums)


def jacfwd(func: Callable[..., Any], argnums: Any = 0) -> Callable[..., Any]:
    """The same as `jacrev`, column by column: J v for each unit vector v."""
    return _jacobian("jvp(f, primals, tangents)", _by_columns, func, argnums)


def _jacobian(call: str, how: Callable[..., Any], func: Callable[..., Any], argnums: Any) -> Callable[..., Any]:
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        with _recording():
            inputs, args = _chosen(args, argnums)
            output = _tensors(call, func(*args, **kwargs))
            nested = _map(lambda each: _nested_like(inputs, how(each, _leaves(inputs))), output)
        _ended(inputs)
        return _settled(nested, inputs)

    return jacobian


def hessian(func: Callable[..., Any], argnums: Any = 0) -> Callable[..., Any]:
    """A function that gives the second derivatives: the Jacobian of the Jacobian."""
    return jacfwd(jacrev(func, argnums), argnums)


# ---------------------------------------------------------------------------------------------------------------------
# Batches, and modules as functions


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: int = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """A function that calls `func` for each sample of a batch, and stacks what it returns.

    Args:
        func: a function of one sample.
        in_dims: along which dimension of each argument the samples lie, None for an argument that is the same for all;
            one for all arguments or a tuple of one for each.
        out_dims: where the samples shall lie in what is returned.
        randomness, chunk_size: PyTorch's. Here each sample draws random numbers of its own, so "same" is refused.
    """
    name = getattr(func, "__name__", func)
    if randomness == "same" or not isinstance(out_dims, int):
        raise NotImplementedError("minigrad: vmap has one out_dims, and draws random numbers for each sample")

    @modes_kept
    def batched(*args: Any, **kwargs: Any) -> Any:
        if not args:
            raise ValueError(
                f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap "
                "over a function with no inputs. The latter is unsupported."
            )
        dims = in_dims if isinstance(in_dims, tuple | list) else (in_dims,) * len(args)
        count = _batch_size(f"vmap({name}, in_dims={in_dims}, ...)(<inputs>)", args, dims)
        outer, results = mode.more_to_come, []
        for i in range(count):
            mode.more_to_come = outer or i < count - 1
            results.append(func(*_sample(args, dims, i), **kwargs))
        for result in _leaves(results):
            if not isinstance(result, TensorBase):
                raise ValueError(
                    f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(result)}. Did you mean to "
                    "set out_dims= to None for output?"
                )
        return _map(lambda *each: stack(each, out_dims), *results)

    return batched


def _sample(args: tuple[Any, ...], dims: Sequence[Any], i: int) -> list[Any]:
    """The arguments for sample i of a batch."""
    sample = []
    for arg, dim in zip(args, dims, strict=True):
        sample.append(arg if dim is None else _map(lambda x, dim=dim: x.select(dim, i), arg))
    return sample


def _batch_size(call: str, args: tuple[Any, ...], dims: Sequence[Any]) -> int:
    """How many samples there are. Raises PyTorch's errors for arguments that are no batches, or of several sizes."""
    if len(dims) != len(args):
        raise ValueError(f"{call}: there are {len(dims)} in_dims for {len(args)} inputs")
    sizes = []
    for arg, dim in zip(args, dims, strict=True):
        if not isinstance(dim, int | None):
            raise NotImplementedError(f"minigrad: {call}: of each argument one dimension counts the samples")
        for x in _leaves(arg) if dim is not None else ():
            if not isinstance(x, TensorBase):
                raise ValueError(
                    f"{call}: Got in_dim={dim} for an input but the input is of type {type(x)}. We cannot vmap over "
                    "non-Tensor arguments, please use None as the respective in_dim"
                )
            if not -x.dim() <= dim < x.dim():
                raise ValueError(
                    f"{call}: Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {x.dim()} "
                    f"so expected in_dim to satisfy -{x.dim()} <= in_dim < {x.dim()}."
                )
            sizes.append(x.shape[dim])
    if not sizes:
        raise ValueError(f"{call}: got no mapped inputs")
    if min(sizes) != max(sizes):
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension"
        )
    if not sizes[0]:
        raise ValueError("minigrad: vmap is a loop, and of a batch without samples it cannot say what comes out")
    return sizes[0]


def functional_call(
    module: Any, parameter_and_buffer_dicts: Any, args: Any = None, kwargs: dict[str, Any] | None = None
) -> Any:
    """`module(*args)` with other parameters and buffers: a dict by their names, or several dicts."""
    several = isinstance(parameter_and_buffer_dicts, tuple | list)
    dicts = parameter_and_buffer_dicts if several else [parameter_and_buffer_dicts]
    given = {name: value for each in dicts for name, value in each.items()}
    instead: dict[int, Any] = {}  # by what it replaces, which may stand in several places
    for name, value in given.items():
        path, _, own = name.rpartition(".")
        owner = module.get_submodule(path)
        old = owner._parameters.get(own, owner._buffers.get(own))
        if old is not None:
            instead[id(old)] = value
    registries = [registry for part in module.modules() for registry in (part._parameters, part._buffers)]
    before = [(each, own, old) for each in registries for own, old in each.items() if id(old) in instead]
    try:
        for registry, own, old in before:
            registry[own] = instead[id(old)]
        args = () if args is None else args if isinstance(args, tuple) else (args,)
        return module(*args, **(kwargs or {}))
    finally:
        for registry, own, value in before:
            registry[own] = value


tell_summaries(__name__)
