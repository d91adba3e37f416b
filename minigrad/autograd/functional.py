"""Derivatives of functions: Jacobians, Hessians and their products with vectors.

A backward pass gives one row of the Jacobian at a time, vᵀJ with v a unit vector: that is how `jacobian` is made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .api import grad
from .grad_mode import enable_grad
from .node import requires_grad
from .variable import TensorBase


def jacobian(func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False) -> Any:
    """∂outputᵢ/∂inputⱼ, of shape (*output.shape, *input.shape).

    Args:
        func: a function of tensors that returns a tensor or a tuple of tensors.
        inputs: its argument, or a tuple of them.
        create_graph: record, so that the result can be differentiated.
        strict: raise an error if an output does not depend on an input, instead of giving zeros.

    Returns:
        One tensor; a tuple for several inputs or several outputs; a tuple of tuples for several of both.
    """
    with enable_grad():
        arguments, one_input = _prepare(inputs, create_graph)
        outputs, one_output = _call(func, arguments)
        rows = tuple(_jacobian_of(output, arguments, create_graph, strict) for output in outputs)
    rows = tuple(row[0] for row in rows) if one_input else rows
    return rows[0] if one_output else rows


def _jacobian_of(output: Any, arguments: tuple[Any, ...], create_graph: bool, strict: bool) -> tuple[Any, ...]:
    from ..functions import stack

    flat = output.reshape(-1)
    rows: list[tuple[Any, ...]] = []
    for i in range(flat.numel()):
        if not requires_grad(output):
            found: tuple[Any, ...] = (None,) * len(arguments)
        else:
            found = grad(flat[i], arguments, retain_graph=True, create_graph=create_graph, allow_unused=True)
        if strict and any(g is None for g in found):
            raise RuntimeError(
                f"Output {i} of the user-provided function is independent of input {found.index(None)}. This is not "
                "allowed in strict mode."
            )
        rows.append(
            tuple(a.detach().clone().zero_() if g is None else g for g, a in zip(found, arguments, strict=True))
        )
    return tuple(
        stack(column).reshape((*output.shape, *argument.shape))
        for column, argument in zip(zip(*rows, strict=True), arguments, strict=True)
    )


def hessian(func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False) -> Any:
    """∂²output/∂inputᵢ∂inputⱼ of a function with one-element output, of shape (*input.shape, *input.shape)."""
    one_input = isinstance(inputs, TensorBase)

    def gradient(*arguments: Any) -> Any:
        outputs, _ = _call(func, arguments)
        if len(outputs) != 1 or outputs[0].numel() != 1:
            raise RuntimeError("The Tensor returned by the function given to hessian should contain a single element")
        found = jacobian(func, arguments, create_graph=True)
        found = tuple(f.reshape(a.shape) for f, a in zip(found, arguments, strict=True))
        return found[0] if one_input else found

    return jacobian(gradient, inputs, create_graph, strict)


def vjp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """(output, vᵀJ): one backward pass with `v` as the gradient of the output; 1 for a one-element output."""
    with enable_grad():
        arguments, one_input = _prepare(inputs, create_graph)
        outputs, one_output = _call(func, arguments)
        weights = None if v is None else _as_tuple(v)
        found = grad(outputs, arguments, weights, create_graph=create_graph, allow_unused=True, materialize_grads=True)
    outputs = outputs if create_graph else tuple(o.detach() for o in outputs)
    return outputs[0] if one_output else outputs, found[0] if one_input else found


def jvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """(output, J v): the derivative in the direction v.

    vᵀJ is linear in v, and its derivative with respect to that v, times a direction, is J times the direction: so two
    backward passes give what one forward pass would.
    """
    with enable_grad():
        arguments, _ = _prepare(inputs, create_graph)
        outputs, one_output = _call(func, arguments)
        directions = tuple(a.detach().clone().fill_(1) for a in arguments) if v is None else _as_tuple(v)
        weights = tuple(o.detach().clone().zero_().requires_grad_(True) for o in outputs)
        rows = grad(outputs, arguments, weights, create_graph=True, allow_unused=True, materialize_grads=True)
        tracked = [(r, d) for r, d in zip(rows, directions, strict=True) if requires_grad(r)]
        if not tracked:
            found = tuple(o.detach().clone().zero_() for o in outputs)
        else:
            found = grad(
                [r for r, _ in tracked],
                weights,
                [d for _, d in tracked],
                create_graph=create_graph,
                allow_unused=True,
                materialize_grads=True,
            )
    outputs = outputs if create_graph else tuple(o.detach() for o in outputs)
    return outputs[0] if one_output else outputs, found[0] if one_output else found


def vhp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """(output, vᵀH) for a function with one-element output."""
    with enable_grad():
        arguments, one_input = _prepare(inputs, create_graph)
        outputs, _ = _call(func, arguments)
        gradient = grad(outputs, arguments, create_graph=True, allow_unused=True, materialize_grads=True)
        weights = tuple(a.detach().clone().fill_(1) for a in arguments) if v is None else _as_tuple(v)
        tracked = [(g, w) for g, w in zip(gradient, weights, strict=True) if requires_grad(g)]
        if tracked:
            found = grad(
                [g for g, _ in tracked],
                arguments,
                [w for _, w in tracked],
                create_graph=create_graph,
                allow_unused=True,
                materialize_grads=True,
            )
        else:
            found = tuple(a.detach().clone().zero_() for a in arguments)
    output = outputs[0] if create_graph else outputs[0].detach()
    return output, found[0] if one_input else found


def hvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """(output, H v). The Hessian is symmetric, so this is `vhp`."""
    return vhp(func, inputs, v, create_graph, strict)


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return (value,) if isinstance(value, TensorBase) else tuple(value)


def _prepare(inputs: Any, create_graph: bool) -> tuple[tuple[Any, ...], bool]:
    """The inputs as tensors that require grad, apart from those of the caller; and whether there was just one."""
    arguments = tuple(
        x.view_as(x) if create_graph and requires_grad(x) else x.detach().clone().requires_grad_(True)
        for x in _as_tuple(inputs)
    )
    return arguments, isinstance(inputs, TensorBase)


def _call(func: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[tuple[Any, ...], bool]:
    result = func(*arguments)
    return _as_tuple(result), isinstance(result, TensorBase)
