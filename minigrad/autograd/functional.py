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

_REVERSE = "reverse-mode"


def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = _REVERSE,
) -> Any:
    """∂outputᵢ/∂inputⱼ, of shape (*output.shape, *input.shape).

    Args:
        func: a function of tensors that returns a tensor or a tuple of tensors.
        inputs: its argument, or a tuple of them.
        create_graph: record, so that the result can be differentiated.
        strict: raise an error if an output does not depend on an input, instead of giving zeros.
        vectorize, strategy: how PyTorch computes it, which changes nothing in the result.

    Returns:
        One tensor; a tuple for several inputs or several outputs; a tuple of tuples for several of both.
    """
    if strategy not in (_REVERSE, "forward-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs '
            'than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    if strategy != _REVERSE and not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for "
            "`vectorize=True`."
        )
    with enable_grad():
        arguments, one_input = _prepare("jacobian", inputs, create_graph)
        outputs, one_output = _call("jacobian", func, arguments, strict)
        rows = tuple(_jacobian_of(i, output, arguments, create_graph, strict) for i, output in enumerate(outputs))
    rows = tuple(row[0] for row in rows) if one_input else rows
    return rows[0] if one_output else rows


def _jacobian_of(
    number: int, output: Any, arguments: tuple[Any, ...], create_graph: bool, strict: bool
) -> tuple[Any, ...]:
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
                f"Output {number} of the user-provided function is independent of input {found.index(None)}. This is "
                "not allowed in strict mode."
            )
        for argument, g in enumerate(found):
            if strict and create_graph and not requires_grad(g):
                raise RuntimeError(
                    f"The jacobian of the user-provided function is independent of input {argument}. This is not "
                    "allowed in strict mode when create_graph=True."
                )
        rows.append(
            tuple(a.detach().clone().zero_() if g is None else g for g, a in zip(found, arguments, strict=True))
        )
    return tuple(
        stack(column).reshape((*output.shape, *argument.shape))
        for column, argument in zip(zip(*rows, strict=True), arguments, strict=True)
    )


def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = _REVERSE,
) -> Any:
    """∂²output/∂inputᵢ∂inputⱼ of a function with one-element output, of shape (*input.shape, *input.shape)."""
    _as_tuple("hessian", "inputs", inputs)
    one_input = isinstance(inputs, TensorBase)

    def gradient(*arguments: Any) -> Any:
        found = jacobian(
            lambda *given: _one_element("hessian", func, given, strict).squeeze(), arguments, create_graph=True
        )
        found = tuple(f.reshape(a.shape) for f, a in zip(found, arguments, strict=True))
        _check_twice(found, strict)
        return found[0] if one_input else found

    return jacobian(gradient, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)


def vjp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """(output, vᵀJ): one backward pass with `v` as the gradient of the output; 1 for a one-element output."""
    with enable_grad():
        arguments, one_input = _prepare("vjp", inputs, create_graph)
        outputs, one_output = _call("vjp", func, arguments, strict)
        if v is None and (len(outputs) != 1 or outputs[0].numel() != 1):
            raise RuntimeError(
                "The vector v can only be None if the user-provided function returns a single Tensor with a single "
                "element."
            )
        weights = None if v is None else _vectors("vjp", v, outputs, one_output)
        if not any(map(requires_grad, outputs)):
            outputs = tuple(o.detach().requires_grad_() for o in outputs)
        found = grad(outputs, arguments, weights, create_graph=create_graph, allow_unused=True, materialize_grads=True)
    outputs = outputs if create_graph else tuple(o.detach() for o in outputs)
    return outputs[0] if one_output else outputs, found[0] if one_input else found


def jvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """(output, J v): the derivative in the direction v.

    vᵀJ is linear in v, and its derivative with respect to that v, times a direction, is J times the direction: so two
    backward passes give what one forward pass would.
    """
    with enable_grad():
        arguments, one_input = _prepare("jvp", inputs, create_graph)
        directions = _directions("jvp", v, arguments, one_input)
        outputs, one_output = _call("jvp", func, arguments, strict)
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
    return _hessian_product("vhp", func, inputs, v, create_graph, strict)


def hvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """(output, H v). The Hessian is symmetric, so this is `vhp`."""
    return _hessian_product("hvp", func, inputs, v, create_graph, strict)


def _hessian_product(
    name: str, func: Callable[..., Any], inputs: Any, v: Any, create_graph: bool, strict: bool
) -> tuple[Any, Any]:
    with enable_grad():
        arguments, one_input = _prepare(name, inputs, create_graph)
        weights = _directions(name, v, arguments, one_input)
        output = _one_element(name, func, arguments, strict)
        gradient = grad(output, arguments, create_graph=True, allow_unused=True, materialize_grads=True)
        _check_twice(gradient, strict)
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
    return output if create_graph else output.detach(), found[0] if one_input else found


# ---------------------------------------------------------------------------------------------------------------------
# What the user gives, and PyTorch's errors for what does not fit


def _as_tuple(name: str, what: str, value: Any) -> tuple[Any, ...]:
    """A tensor or a tuple of tensors as a tuple."""
    if isinstance(value, TensorBase):
        return (value,)
    given = "outputs of the user-provided function" if what == "outputs" else what
    must = f"The {given} given to {name} must be either a Tensor or a tuple of Tensors but the "
    if not isinstance(value, tuple):
        raise TypeError(f"{must}given {given} has type {type(value)}.")
    for i, each in enumerate(value):
        if not isinstance(each, TensorBase):
            raise TypeError(f"{must}value at index {i} has type {type(each)}.")
    return value


def _prepare(name: str, inputs: Any, create_graph: bool) -> tuple[tuple[Any, ...], bool]:
    """The inputs as tensors that require grad, apart from those of the caller; and whether there was just one."""
    arguments = tuple(
        x.view_as(x) if create_graph and requires_grad(x) else x.detach().clone().requires_grad_(True)
        for x in _as_tuple(name, "inputs", inputs)
    )
    return arguments, isinstance(inputs, TensorBase)


def _call(
    name: str, func: Callable[..., Any], arguments: tuple[Any, ...], strict: bool
) -> tuple[tuple[Any, ...], bool]:
    result = func(*arguments)
    outputs = _as_tuple(name, "outputs", result)
    for i, output in enumerate(outputs):
        if strict and not requires_grad(output):
            raise RuntimeError(
                f"Output {i} of the user-provided function does not require gradients. The outputs must be computed in "
                "a differentiable manner from the input when running in strict mode."
            )
    return outputs, isinstance(result, TensorBase)


def _one_element(name: str, func: Callable[..., Any], arguments: tuple[Any, ...], strict: bool) -> Any:
    outputs, one_output = _call(name, func, arguments, strict)
    if not one_output:
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a single element")
    return outputs[0]


def _check_twice(gradient: Any, strict: bool) -> None:
    for i, g in enumerate(gradient):
        if strict and not requires_grad(g):
            raise RuntimeError(
                "While computing the hessian, found that the jacobian of the user-provided function with respect to "
                f"input {i} is independent of the input. This is not allowed in strict mode. You should ensure that "
                "your function is twice differentiable and that the jacobian depends on the inputs (this would be "
                "violated by a linear function for example)."
            )


def _directions(name: str, v: Any, arguments: tuple[Any, ...], one_input: bool) -> tuple[Any, ...]:
    """A direction for each input; 1 for a one-element input."""
    if v is not None:
        return _vectors(name, v, arguments, one_input)
    if len(arguments) != 1 or arguments[0].numel() != 1:
        raise RuntimeError(
            "The vector v can only be None if the input to the user-provided function is a single Tensor with a single "
            "element."
        )
    return tuple(a.detach().clone().fill_(1) for a in arguments)


def _vectors(name: str, v: Any, like: tuple[Any, ...], only_one: bool) -> tuple[Any, ...]:
    """The `v` that the user gives, a tensor for each of `like`, of its size."""
    vectors = _as_tuple(name, "v", v)
    if len(vectors) != len(like):
        if only_one:
            raise RuntimeError("The given v should contain a single Tensor.")
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(vectors)}.")
    for i, (vector, other) in enumerate(zip(vectors, like, strict=True)):
        if vector.shape != other.shape:
            entry = "" if len(like) == 1 else f"Entry {i} in "
            raise RuntimeError(
                f"{entry}v has invalid size: should be torch.Size({list(other.shape)}) but got "
                f"torch.Size({list(vector.shape)})."
            )
    return vectors
