"""Jacobians, Hessians and their products with vectors, of a function of one tensor or of several.

They are those of `torch.func` (`func.py`), which give functions; these here give the numbers at once. In all of them
`func` takes tensors and returns one or a tuple of them, `inputs` are its argument or a tuple of them, and what comes
back is a tuple where these are. With `create_graph` it is recorded, so that it can be differentiated again. `v` may be
left out where it is one number, 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import func as transforms
from ..creation import ones_like
from ..hints import names_the_nearest
from .grad_mode import enable_grad
from .variable import TensorBase

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

__getattr__, __dir__ = names_the_nearest(__name__, __all__)


@enable_grad()
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
    found = transforms.jacrev(_of_tensors("jacobian", func), _all(inputs))(*_watched("jacobian", inputs, create_graph))
    return _settled(found, create_graph)


@enable_grad()
def hessian(func: Callable[..., Any], inputs: Any, create_graph: bool = False, vectorize: bool = False) -> Any:
    """∂²output/∂inputᵢ∂inputⱼ of a function with one-element output, of shape (*input.shape, *input.shape)."""
    second = transforms.hessian(_of_one_number("hessian", func), _all(inputs))
    return _settled(second(*_watched("hessian", inputs, create_graph)), create_graph)


@enable_grad()
def vjp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False) -> Any:
    """(output, vᵀJ): one backward pass with `v` as the gradient of the output."""
    output, pulled = transforms.vjp(_of_tensors("vjp", func), *_watched("vjp", inputs, create_graph))
    found = pulled(_vector("vjp", v, output, "user-provided function returns"))
    return _settled((output, _like(inputs, found)), create_graph)


@enable_grad()
def jvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False) -> Any:
    """(output, J v): the derivative in the direction v, by two backward passes."""
    arguments = _watched("jvp", inputs, create_graph)
    v = _vector("jvp", v, inputs)
    found = transforms.jvp(_of_tensors("jvp", func), arguments, v if isinstance(v, tuple) else (v,))
    return _settled(found, create_graph)


def vhp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False) -> Any:
    """(output, vᵀH) for a function with one-element output: the gradient of its gradient, weighted by v."""
    return _hessian_product("vhp", func, inputs, v, create_graph)


def hvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False) -> Any:
    """(output, H v) for a function with one-element output: as `vhp`, for the Hessian is symmetric."""
    return _hessian_product("hvp", func, inputs, v, create_graph)


@enable_grad()
def _hessian_product(name: str, func: Callable[..., Any], inputs: Any, v: Any, create_graph: bool) -> Any:
    both = transforms.grad_and_value(_of_one_number(name, func), _all(inputs))
    _, pulled, output = transforms.vjp(both, *_watched(name, inputs, create_graph), has_aux=True)
    return _settled((output, _like(inputs, pulled(_vector(name, v, inputs)))), create_graph)


def _watched(name: str, inputs: Any, create_graph: bool) -> tuple[Any, ...]:
    """The inputs as a tuple; with `create_graph` each requires grad, so that a graph leads back to it."""
    _check("inputs", name, inputs)
    given = inputs if isinstance(inputs, tuple) else (inputs,)
    return tuple(x if create_graph and x.requires_grad else x.detach().requires_grad_(create_graph) for x in given)


def _all(inputs: Any) -> Any:
    """The numbers of the arguments to differentiate with respect to: all of them."""
    return tuple(range(len(inputs))) if isinstance(inputs, tuple) else 0


def _like(inputs: Any, values: tuple[Any, ...]) -> Any:
    """A tuple for a tuple, the one value for a single tensor."""
    return values if isinstance(inputs, tuple) else values[0]


def _vector(name: str, v: Any, like: Any, of_what: str = "input to the user-provided function is") -> Any:
    """The `v` that the user gives, of the size of `like`, or 1 where that is all it can be."""
    single = isinstance(like, TensorBase)
    if v is None:
        if not single or like.numel() != 1:
            raise RuntimeError(f"The vector v can only be None if the {of_what} a single Tensor with a single element.")
        return ones_like(like)
    _check("v", name, v)
    if single and isinstance(v, tuple):
        raise RuntimeError("The given v should contain a single Tensor.")
    if single and v.shape != like.shape:
        sizes = [f"torch.Size({list(x.shape)})" for x in (like, v)]
        raise RuntimeError("v has invalid size: should be {} but got {}.".format(*sizes))
    return v


def _check(what: str, name: str, given: Any) -> None:
    """Raise PyTorch's TypeError for what is neither a tensor nor a tuple of tensors."""
    said = f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the "
    if not isinstance(given, TensorBase | tuple):
        raise TypeError(f"{said}given {what} has type {type(given)}.")
    for i, each in enumerate(given if isinstance(given, tuple) else ()):
        if not isinstance(each, TensorBase):
            raise TypeError(f"{said}value at index {i} has type {type(each)}.")


def _of_tensors(name: str, func: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, which must return tensors."""

    def checked(*arguments: Any) -> Any:
        output = func(*arguments)
        _check("outputs of the user-provided function", name, output)
        return output

    return checked


def _of_one_number(name: str, func: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, whose result has one element, with a result without dimensions."""

    def checked(*arguments: Any) -> Any:
        output = _of_tensors(name, func)(*arguments)
        if isinstance(output, tuple):
            raise RuntimeError(f"The function given to {name} should return a single Tensor")
        if output.numel() != 1:
            raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a single element")
        return output.reshape(()) if output.dim() else output

    return checked


def _settled(result: Any, create_graph: bool) -> Any:
    """Nested results, without their graph unless that is wanted."""
    return result if create_graph else transforms._map(lambda x: x.detach(), result)
