"""Operands in two places: what PyTorch allows, and the error for the rest.

All tensors of an operation must be on one device. A CPU tensor without dimensions may stand beside a GPU's, as a number
may; its gradient is brought home to the CPU.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..autograd.node import gradient_edge
from ..autograd.variable import TensorBase, make_alias
from ..devices import CPU, OF_NUMPY, device_of, move
from ..hints import hinted
from .formulas import argument_names

#: Where the operations stand whose tensors PyTorch checks all at once, and not one argument after the other.
_ELEMENTWISE = ("pointwise", "activation", "primitive", "loss", "numpy", "_operator")

#: What PyTorch calls some of the others in its message.
_METHODS = {"nll_loss": "nll_loss_forward", "stack": "cat"}


def meet(error: TypeError, forward: Callable[..., Any], args: Sequence[Any]) -> list[Any]:
    """The arguments of an operation that has failed with `error`, with CPU tensors without dimensions as numbers.

    Raises PyTorch's RuntimeError if the arguments cannot be computed with together, and `error` itself if their places
    are not the reason.
    """
    tensors = list(_tensors(args, argument_names(forward)))
    places = [device_of(tensor._value) for _, tensor in tensors]
    on_gpu = [place for place in places if place.type != "cpu"]
    if not on_gpu or all(place == on_gpu[0] for place in places):
        raise error
    met = [_as_number(arg) for arg in args]
    stays = any(place == CPU and tensor._value.shape != () for place, (_, tensor) in zip(places, tensors))
    if stays or all(a is b for a, b in zip(args, met)):
        raise _two_places(forward, tensors, places, on_gpu[0]) from None
    return met


def _tensors(args: Sequence[Any], names: Sequence[str]) -> Iterator[tuple[str, TensorBase]]:
    """All tensors among the arguments, each with the name of its argument."""
    for name, arg in zip(names, args):
        for item in arg if isinstance(arg, tuple | list) else (arg,):
            if isinstance(item, TensorBase):
                yield name, item


def _as_number(arg: Any) -> Any:
    """A CPU tensor without dimensions as a number, at its place in the graph; anything else as it is."""
    if not isinstance(arg, TensorBase) or not isinstance(arg._value, np.ndarray) or arg._value.shape != ():
        return arg
    number = make_alias(arg)
    number._value, number._edge = arg._value[()], gradient_edge(arg)
    return number


def _two_places(forward: Any, tensors: Sequence[Any], places: Sequence[Any], gpu: Any) -> RuntimeError:
    message = "Expected all tensors to be on the same device, but "
    name = forward.__name__
    if forward.__module__.rpartition(".")[2] in _ELEMENTWISE and name not in _METHODS:
        message += f"found at least two devices, {gpu} and {next(p for p in places if p != gpu)}!"
    else:
        odd = next(i for i, place in enumerate(places) if place != places[0])
        message += (
            f"got {tensors[odd][0]} is on {places[odd]}, different from other tensors on {places[0]} (when checking "
            f"argument in method wrapper_CUDA_{_METHODS.get(name, name)})"
        )
    return hinted(RuntimeError(message))


def at_home(kind: Any, values: Sequence[Any]) -> Any:
    """`kind`, or its twin that brings gradients of CPU numbers home, where others of the raw `values` are on a GPU."""
    on_cpu = tuple(i for i, value in enumerate(values) if isinstance(value, OF_NUMPY) and value.shape == ())
    on_gpu = any(hasattr(value, "dtype") and not isinstance(value, OF_NUMPY) for value in values)
    return _twin(kind, on_cpu) if on_cpu and on_gpu else kind


@functools.cache
def _twin(kind: Any, on_cpu: tuple[int, ...]) -> Any:
    def apply(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
        results = list(kind._apply(node, grads, create_graph))
        for i in on_cpu:
            there = None if results[i] is None else device_of(getattr(results[i], "_value", results[i]))
            if there not in (None, CPU):
                summed = results[i].sum()
                results[i] = summed.cpu() if create_graph else move(summed, CPU)
        return results

    return type(
        kind.__name__, (kind,), {"__slots__": (), "__module__": "builtins", "__doc__": kind.__doc__, "_apply": apply}
    )
