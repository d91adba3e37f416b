"""Derivatives of functions: Jacobians, Hessians and their products with vectors.

Everything is made of backward passes. One gives vᵀJ (`pull`); with v a unit vector that is a row of the Jacobian, and
all rows together are the Jacobian itself (`by_rows`). Two passes give J v (`push`). PyTorch has two sets of
functions over these three: the ones here, of a tensor or a tuple of tensors, and those of `torch.func` (`func.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..creation import ones_like, zeros, zeros_like
from ..functions import stack
from ..hints import names_the_nearest
from .api import grad
from .grad_mode import enable_grad
from .node import requires_grad
from .variable import TensorBase

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

__getattr__, __dir__ = names_the_nearest(__name__, __all__)

# ---------------------------------------------------------------------------------------------------------------------
# vᵀJ, J v and J, of outputs that have been computed from inputs


def pull(outputs: Sequence[Any], inputs: Sequence[Any], v: Sequence[Any], create_graph: bool) -> tuple[Any, ...]:
    """vᵀJ: for each input Σ vᵢ · ∂outputᵢ/∂input; zeros where no output depends on it.

    The graph is kept for the next v.
    """
    tracked = [i for i, output in enumerate(outputs) if requires_grad(output)]
    found: Any = [None] * len(inputs)
    if tracked:
        ends, weights = [outputs[i] for i in tracked], [v[i] for i in tracked]
        found = grad(ends, inputs, weights, retain_graph=True, create_graph=create_graph, allow_unused=True)
    return tuple(zeros_like(x) if g is None else g for x, g in zip(inputs, found, strict=True))


def push(outputs: Sequence[Any], inputs: Sequence[Any], v: Sequence[Any], create_graph: bool) -> tuple[Any, ...]:
    """J v, the derivative in the direction v.

    uᵀJ is linear in u, and its derivative with respect to that u, in the direction v, is J v: so two backward passes
    give what one forward pass would.
    """
    u = tuple(zeros_like(output, requires_grad=True) for output in outputs)
    return pull(pull(outputs, inputs, u, True), u, v, create_graph)


def by_rows(outputs: Sequence[Any], inputs: Sequence[Any], create_graph: bool) -> list[Any]:
    """J row by row, for each output a tuple with one tensor of shape (*output.shape, *input.shape) for each input."""
    found = []
    for output in outputs:
        rows = [pull([output], inputs, [unit], create_graph) for unit in _units(output)]
        found.append(tuple(_joined([row[j] for row in rows], 0, output, x) for j, x in enumerate(inputs)))
    return found


def by_columns(outputs: Sequence[Any], inputs: Sequence[Any], create_graph: bool) -> list[Any]:
    """The same column by column."""
    found = []
    for x in inputs:
        columns = [push(outputs, [x], [unit], create_graph) for unit in _units(x)]
        found.append([_joined([column[i] for column in columns], -1, y, x) for i, y in enumerate(outputs)])
    return list(zip(*found, strict=True))


def _joined(parts: list[Any], dim: int, output: Any, x: Any) -> Any:
    """Rows or columns side by side; nothing where there are no numbers to differentiate."""
    shape = (*output.shape, *x.shape)
    return stack(parts, dim).reshape(shape) if parts else x.new_zeros(shape)


def _units(like: Any) -> Iterator[Any]:
    """Tensors like this one with a single 1, at each place in turn."""
    for i in range(like.numel()):
        unit = zeros(like.numel(), dtype=like.dtype, device=like.device)
        unit[i] = 1
        yield unit.reshape(like.shape)


# ---------------------------------------------------------------------------------------------------------------------
# The same of functions of a tensor or a tuple of tensors. `create_graph`: record, so that the result can be
# differentiated. v may be left out where it is one number, 1.


def jacobian(func: Callable[..., Any], inputs: Any, create_graph: bool = False, vectorize: bool = False) -> Any:
    """∂outputᵢ/∂inputⱼ, of shape (*output.shape, *input.shape).

    Args:
        func: a function of tensors that returns a tensor or a tuple of tensors.
        inputs: its argument, or a tuple of them.
        create_graph: record, so that the result can be differentiated.
        vectorize: how PyTorch computes it, which changes nothing in the result.

    Returns:
        One tensor; a tuple for several inputs or several outputs; a tuple of tuples for several of both.
    """
    with enable_grad():
        arguments = _watched("jacobian", inputs, create_graph)
        result, outputs = _called("jacobian", func, arguments)
        rows = tuple(_like(inputs, each) for each in by_rows(outputs, arguments, create_graph))
    return _like(result, rows)


def hessian(func: Callable[..., Any], inputs: Any, create_graph: bool = False, vectorize: bool = False) -> Any:
    """∂²output/∂inputᵢ∂inputⱼ of a function with one-element output, of shape (*input.shape, *input.shape)."""

    def gradient(*arguments: Any) -> Any:
        output = _one_element("hessian", func, arguments)
        return _like(inputs, pull([output], arguments, [ones_like(output)], True))

    return jacobian(gradient, inputs, create_graph)


def vjp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False) -> Any:
    """(output, vᵀJ): one backward pass with `v` as the gradient of the output."""
    with enable_grad():
        arguments = _watched("vjp", inputs, create_graph)
        result, outputs = _called("vjp", func, arguments)
        found = pull(outputs, arguments, _vectors("vjp", v, outputs, "user-provided function returns"), create_graph)
    return _settled(result, create_graph), _like(inputs, found)


def jvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False) -> Any:
    """(output, J v): the derivative in the direction v, by two backward passes."""
    with enable_grad():
        arguments = _watched("jvp", inputs, create_graph)
        directions = _vectors("jvp", v, arguments, "input to the user-provided function is")
        result, outputs = _called("jvp", func, arguments)
        found = push(outputs, arguments, directions, create_graph)
    return _settled(result, create_graph), _like(result, found)


def vhp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False) -> Any:
    """(output, vᵀH) for a function with one-element output: the gradient of its gradient, weighted by v."""
    with enable_grad():
        arguments = _watched("vhp", inputs, create_graph)
        weights = _vectors("vhp", v, arguments, "input to the user-provided function is")
        output = _one_element("vhp", func, arguments)
        gradient = pull([output], arguments, [ones_like(output)], True)
        found = pull(gradient, arguments, weights, create_graph)
    return _settled(output, create_graph), _like(inputs, found)


hvp = vhp  # (output, H v): the Hessian is symmetric


# ---------------------------------------------------------------------------------------------------------------------
# What the user gives, and PyTorch's errors for what does not fit


def _as_tuple(name: str, what: str, value: Any) -> tuple[Any, ...]:
    """A tensor or a tuple of tensors as a tuple."""
    values = value if isinstance(value, tuple) else (value,)
    for i, each in enumerate(values):
        if not isinstance(each, TensorBase):
            where = f"given {what}" if values is not value else f"value at index {i}"
            raise TypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the {where} has type "
                f"{type(each)}."
            )
    return values


def _like(given: Any, values: tuple[Any, ...]) -> Any:
    """A tuple for a tuple, the one value for a single tensor."""
    return values if isinstance(given, tuple) else values[0]


def _watched(name: str, inputs: Any, create_graph: bool) -> tuple[Any, ...]:
    """The inputs as tensors that require grad, apart from those of the caller."""
    return tuple(
        x.view_as(x) if create_graph and requires_grad(x) else x.detach().clone().requires_grad_(True)
        for x in _as_tuple(name, "inputs", inputs)
    )


def _settled(result: Any, create_graph: bool) -> Any:
    """What the function returned, without its graph unless that is wanted."""
    if create_graph:
        return result
    return tuple(x.detach() for x in result) if isinstance(result, tuple) else result.detach()


def _called(name: str, func: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, Any]:
    """What the function returns, as it is and as a tuple."""
    result = func(*arguments)
    return result, _as_tuple(name, "outputs of the user-provided function", result)


def _one_element(name: str, func: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    result, _ = _called(name, func, arguments)
    if isinstance(result, tuple):
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if result.numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a single element")
    return result


def _vectors(name: str, v: Any, like: tuple[Any, ...], of_what: str) -> tuple[Any, ...]:
    """The `v` that the user gives, a tensor for each of `like`, of its size; 1 for a single number."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(f"The vector v can only be None if the {of_what} a single Tensor with a single element.")
        return (ones_like(like[0]),)
    vectors = _as_tuple(name, "v", v)
    if len(vectors) != len(like):
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(vectors)}.")
    for vector, other in zip(vectors, like, strict=True):
        if vector.shape != other.shape:
            sizes = [f"torch.Size({list(x.shape)})" for x in (other, vector)]
            raise RuntimeError("v has invalid size: should be {} but got {}.".format(*sizes))
    return vectors
