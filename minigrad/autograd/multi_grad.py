"""One hook on several tensors: called when the gradients of all of them, or of the first, have been computed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from .grad_mode import mode
from .hooks import RemovableHandle
from .node import AccumulateGrad, gradient_edge, requires_grad
from .variable import pair_of


class _MultiHandle(RemovableHandle):
    """Removes the hook from all tensors."""

    def __init__(self, handles: tuple[RemovableHandle, ...]) -> None:
        self.handles = handles

    def remove(self) -> None:
        """Take the hook away."""
        for handle in self.handles:
            handle.remove()


_MultiHandle.__module__ = "minigrad.autograd.graph"  # as PyTorch prints it


def register_multi_grad_hook(tensors: Sequence[Any], fn: Callable[..., Any], *, mode: str = "all") -> RemovableHandle:
    """Call `fn` once per backward pass.

    Args:
        tensors: each requires grad.
        fn: with mode="all" it is given a list with the gradient of each tensor, once all have been computed; None for
            a tensor that the pass does not reach. With mode="any" it is given the gradient that is there first.

    Returns:
        A handle whose `remove()` takes the hook away.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    register = _register_all if mode == "all" else _register_any
    return _MultiHandle(register(tensors, fn))


def _register_all(tensors: Sequence[Any], fn: Callable[..., Any]) -> tuple[RemovableHandle, ...]:
    if not all(map(requires_grad, tensors)):
        raise AssertionError("Expected gradient function to be set")
    nodes = [pair_of(gradient_edge(tensor))[0] for tensor in tensors]
    passes: dict[object, tuple[int, list[Any]]] = {}  # how many are still to come, and those there are

    def at(index: int) -> Callable[[Any], None]:
        def inner_hook(grad: Any) -> None:
            this_pass = mode.running[0]
            if this_pass not in passes:
                passes[this_pass] = (sum(map(_will_run, nodes)), [None] * len(nodes))
            missing, grads = passes[this_pass]
            grads[index] = grad
            passes[this_pass] = (missing - 1, grads)
            if missing == 1:
                del passes[this_pass]
                fn(grads)

        return inner_hook

    return tuple(tensor.register_hook(at(i)) for i, tensor in enumerate(tensors))


def _register_any(tensors: Sequence[Any], fn: Callable[..., Any]) -> tuple[RemovableHandle, ...]:
    done: set[object] = set()

    @functools.wraps(fn)
    def arrived(grad: Any) -> None:
        this_pass = mode.running[0]
        if this_pass not in done:
            done.add(this_pass)
            fn(grad)

    return tuple(tensor.register_hook(arrived) for tensor in tensors if requires_grad(tensor))


def _will_run(node: Any) -> bool:
    """Whether the backward pass that is running comes to `node`."""
    _, reachable, needed, capturing = mode.running
    if node not in reachable or (needed is not None and node not in needed):
        return False
    if capturing and isinstance(node, AccumulateGrad):
        raise RuntimeError(
            "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). This "
            "is currently not supported."
        )
    return True
