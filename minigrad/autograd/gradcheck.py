"""Checking a gradient by its definition: (f(x + ε) - f(x - ε)) / 2ε, entry by entry."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..devices import to_host
from .api import grad
from .node import requires_grad
from .variable import TensorBase


class GradcheckError(RuntimeError):
    """What `gradcheck` raises when the two gradients differ."""


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    fast_mode: bool = False,
) -> bool:
    """Whether the gradients that `func` computes agree with small differences of its values.

    Args:
        func: a function of tensors that returns a tensor or several.
        inputs: its arguments. Those that require grad are checked. They should be float64: float32 has too few digits.
        eps: how far each entry is moved.
        atol, rtol: |analytical - numerical| ≤ atol + rtol · |numerical| must hold.
        raise_exception: raise GradcheckError where it does not hold, instead of returning False.
        nondet_tol, check_undefined_grad, check_grad_dtypes, fast_mode: PyTorch's. Here every entry is always compared.
    """
    inputs = (inputs,) if isinstance(inputs, TensorBase) else tuple(inputs)
    checked = _tracked(inputs)
    if not checked:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )
    for index, x in enumerate(inputs):
        if any(x is each for each in checked) and x._value.dtype != np.float64:
            warnings.warn(
                f"Input #{index} requires gradient and is not a double precision floating point or complex. This "
                "check will likely fail if all the inputs are not of double precision floating point or complex. ",
                stacklevel=2,
            )
    for i, output in enumerate(_outputs(func, inputs)):
        for j, x in enumerate(checked):
            numerical = _numerical_jacobian(func, inputs, x, i, eps)
            analytical = _analytical_jacobian(output, x)
            if np.allclose(analytical, numerical, rtol, atol):
                continue
            if not raise_exception:
                return False
            raise GradcheckError(
                f"Jacobian mismatch for output {i} with respect to input {j},\n"
                f"numerical:{x.new_tensor(numerical)!r}\nanalytical:{x.new_tensor(analytical)!r}\n"
            )
    return True


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    fast_mode: bool = False,
) -> bool:
    """`gradcheck` of the gradient of `func`: whether the second derivatives are right.

    `grad_outputs` are the weights of the outputs, random if left out; the rest is as for `gradcheck`.
    """
    inputs = (inputs,) if isinstance(inputs, TensorBase) else tuple(inputs)
    outputs = _outputs(func, inputs)
    if grad_outputs is None:
        draws = np.random.default_rng(0)
        weights = [output.new_tensor(draws.uniform(-1, 1, output.shape), requires_grad=True) for output in outputs]
    else:
        weights = [grad_outputs] if isinstance(grad_outputs, TensorBase) else list(grad_outputs)

    def gradient(*args: Any) -> tuple[Any, ...]:
        arguments, given = args[: len(inputs)], args[len(inputs) :]
        found = grad(_outputs(func, arguments), _tracked(arguments), given, create_graph=True, allow_unused=True)
        return _tracked(found)

    return gradcheck(gradient, (*inputs, *weights), eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception)


def _outputs(func: Callable[..., Any], inputs: Sequence[Any]) -> tuple[Any, ...]:
    result = func(*inputs)
    results = result if isinstance(result, tuple | list) else (result,)
    return _tracked(results) or tuple(x for x in results if isinstance(x, TensorBase) and x._value.dtype.kind == "f")


def _tracked(values: Sequence[Any]) -> tuple[Any, ...]:
    """Those that are tensors and require grad."""
    return tuple(x for x in values if isinstance(x, TensorBase) and requires_grad(x))


def _numerical_jacobian(
    func: Callable[..., Any], inputs: Sequence[Any], x: Any, output_index: int, eps: float
) -> np.ndarray:
    """∂output/∂x with one row for each entry of x."""
    rows = []
    array = x._array
    for place in np.ndindex(array.shape):
        here = array[place].item()
        values = []
        for step in (eps, -eps):
            array[place] = here + step
            values.append(np.array(to_host(_outputs(func, inputs)[output_index]._value), dtype=np.float64).reshape(-1))
        array[place] = here
        rows.append((values[0] - values[1]) / (2 * eps))
    return np.array(rows)


def _analytical_jacobian(output: Any, x: Any) -> np.ndarray:
    """The same from backward: one column for each entry of the output."""
    columns = []
    for place in np.ndindex(output._value.shape):
        one = output.detach().clone().zero_()
        one._array[place] = 1.0
        (result,) = grad(output, x, one, retain_graph=True, allow_unused=True) if requires_grad(output) else (None,)
        columns.append(np.zeros(x._value.size) if result is None else to_host(result._value).reshape(-1))
    return np.stack(columns, axis=1) if columns else np.zeros((x._value.size, 0))
