"""Hooks: functions of the user's that the engine calls with the gradients on their way.

Order at one node, as in PyTorch: the hooks of the tensors that are its outputs, then `retain_grad`, then the node's
prehooks; the node runs; then its hooks. A leaf's post-accumulate hooks come last, when `.grad` is complete.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any
from weakref import ref

from .variable import TensorBase, make_tensor, meta_of


class RemovableHandle:
    """What registering a hook returns: `remove()` takes the hook away. Also a context manager."""

    _next_id = itertools.count().__next__

    def __init__(self, hooks: dict[int, Any], hook: Callable[..., Any]) -> None:
        self.id = RemovableHandle._next_id()
        self._hooks = hooks
        hooks[self.id] = hook

    def remove(self) -> None:
        """Take the hook away. Doing so twice does no harm."""
        self._hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.remove()


class NodeExtras:
    """What few nodes have: hooks, tensors that retain their gradient, metadata."""

    __slots__ = ("metadata", "post_hooks", "pre_hooks", "retaining", "tensor_hooks")

    def __init__(self) -> None:
        self.tensor_hooks: dict[int, dict[int, Any]] = {}  # by output number: hooks of the tensor that is that output
        self.retaining: dict[int, ref[TensorBase]] = {}  # by output number: the tensor whose .grad is wanted
        self.pre_hooks: dict[int, Any] = {}
        self.post_hooks: dict[int, Any] = {}
        self.metadata: dict[str, Any] = {}


def extras_of(node: Any) -> NodeExtras:
    """The NodeExtras of `node`, made when first needed."""
    if node.extras is None:
        node.extras = NodeExtras()
    return node.extras


def run_pre_hooks(node: Any, grads: list[Any] | None) -> list[Any] | None:
    """The gradients that `node` receives, after all hooks that come before it have seen and replaced them."""
    if grads is None:
        return None
    leaf = getattr(node, "variable", None)
    if leaf is not None and leaf._meta.hooks:
        grads[0] = _call_each(leaf._meta.hooks, grads[0])
    extras = node.extras
    if extras is None:
        return grads
    for output_nr, hooks in extras.tensor_hooks.items():
        if grads[output_nr] is not None:
            grads[output_nr] = _call_each(hooks, grads[output_nr])
    for output_nr, tensor_ref in extras.retaining.items():
        tensor = tensor_ref()
        if tensor is not None and grads[output_nr] is not None:
            meta = meta_of(tensor)
            arrived = _as_tensor(grads[output_nr])
            meta.grad = arrived if meta.grad is None else meta.grad + arrived
    for hook in tuple(extras.pre_hooks.values()):
        replaced = hook(tuple(map(_as_tensor, grads)))
        if replaced is not None:
            grads = [_like(grad, new) for grad, new in zip(grads, _as_tuple(replaced), strict=True)]
    return grads


def run_post_hooks(node: Any, results: Sequence[Any], grads: list[Any] | None) -> Sequence[Any]:
    """The gradients that `node` sends on, after its hooks have seen and replaced them."""
    grad_outputs = (None,) if grads is None else tuple(map(_as_tensor, grads))
    for hook in tuple(node.extras.post_hooks.values()):
        replaced = hook(tuple(map(_as_tensor, results)), grad_outputs)
        if replaced is not None:
            results = [_like(grad, new) for grad, new in zip(results, _as_tuple(replaced), strict=True)]
    return results


def _call_each(hooks: dict[int, Any], grad: Any) -> Any:
    for hook in tuple(hooks.values()):
        replaced = hook(_as_tensor(grad))
        if replaced is None:
            continue
        if not isinstance(replaced, TensorBase):
            raise TypeError(f"expected Variable, but hook returned '{type(replaced).__name__}'")
        if replaced._value.shape != grad.shape:
            raise RuntimeError(f"hook '{getattr(hook, '__name__', hook)}' has changed the size of value")
        grad = _like(grad, replaced)
    return grad


def _as_tensor(grad: Any) -> Any:
    return grad if grad is None or isinstance(grad, TensorBase) else make_tensor(grad)


def _like(grad: Any, replaced: Any) -> Any:
    """What a hook returned, in the form in which `grad` travels: raw, or a tensor."""
    if replaced is None or isinstance(grad, TensorBase):
        return replaced
    return replaced._value


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, tuple | list) else (value,)
