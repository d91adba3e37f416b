"""The hooks of a module: functions of the user's that are called when it runs, and when a gradient passes through it.

Hooks on the way forward only need the call itself (`called`). For those on the way back each tensor that enters the
module, and each that leaves it, is led through a node that changes nothing:

    x ──► BackwardHookFunction ──► forward ──► BackwardHookFunction ──► y

Back from y the second node meets the gradients of the outputs first, and remembers them; the first node then has those
of the inputs as well, and the hooks are called with both.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from ..autograd.function import Function
from ..autograd.grad_mode import mode
from .parameter import is_tensor


def called(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`module.forward(*args, **kwargs)`, with all hooks of the module around it."""
    for hook in tuple(module._forward_pre_hooks.values()):
        changed = hook(module, args)
        if changed is not None:
            args = changed if isinstance(changed, tuple) else (changed,)
    around = None
    if module._backward_hooks:
        around = _BackwardHooks(module)
        args = around.entering(args)
    result = module.forward(*args, **kwargs)
    for hook in tuple(module._forward_hooks.values()):
        changed = hook(module, args, result)
        if changed is not None:
            result = changed
    return result if around is None else around.leaving(result)


# ---------------------------------------------------------------------------------------------------------------------
# On the way back


class BackwardHookFunction(Function):
    """Its inputs, unchanged: a node between a module and what is outside of it."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        ctx.mark_non_differentiable(*[arg for arg in args if not arg.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *args: Any) -> Any:
        return args


class _BackwardHooks:
    """The two nodes around one call of a module."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.hooks = tuple(module._backward_hooks.values())
        self.grad_outputs: Any = None  # once they are known, until the hooks have been called
        self.input_count = 0
        self.inputs_at: list[int] | None = None  # which arguments are tensors; None if none of them needs a gradient

    def entering(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        self.input_count = len(args)
        args, self.inputs_at = _led_through_node(args, self._inputs_reached)
        return args

    def leaving(self, result: Any) -> Any:
        if isinstance(result, tuple):
            return _led_through_node(result, self._outputs_reached)[0]
        if not is_tensor(result):
            warnings.warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
                f"{type(result)}",
                stacklevel=4,
            )
        return _led_through_node((result,), self._outputs_reached)[0][0]

    def _outputs_reached(self, grads: tuple[Any, ...], _: Any) -> Any:
        self.grad_outputs = grads
        if self.inputs_at is None:
            self._call_without_inputs()
        return grads

    def _call_without_inputs(self) -> None:
        """The first node does not exist: the hooks are called now."""
        warnings.warn(
            "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs "
            "require gradients. See "
            "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module."
            "register_full_backward_hook for more details.",
            stacklevel=5,
        )
        for hook in self.hooks:
            changed = hook(self.module, (None,) * self.input_count, self.grad_outputs)
            if changed is not None and not (isinstance(changed, tuple) and all(each is None for each in changed)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None or None for "
                    "all gradients."
                )
        self.grad_outputs = None

    def _inputs_reached(self, _: Any, grads: tuple[Any, ...]) -> Any:
        if self.grad_outputs is None:  # a gradient that came past the outputs, as in double backward
            return None
        for hook in self.hooks:
            changed = hook(self.module, grads, self.grad_outputs)
            if changed is not None and len(changed) != len(grads):
                found = f"got {len(changed)}, but expected {len(grads)}"
                raise RuntimeError(f"Backward hook returned an invalid number of grad_input, {found}")
            grads = grads if changed is None else changed
        self.grad_outputs = None
        return grads


def _led_through_node(values: tuple[Any, ...], reached: Callable[..., Any]) -> tuple[tuple[Any, ...], list[int] | None]:
    """`values`, the tensors among them as results of one node, and their places.

    A pass that comes to the node calls `reached` with the gradients as they come, and as they go on: a tuple with None
    for each value that is no tensor. They are as they were, with None for the places, if nothing is to be recorded.
    """
    places = [i for i, value in enumerate(values) if is_tensor(value)]
    if not (mode.enabled and any(values[i].requires_grad for i in places)):
        return values, None
    through = BackwardHookFunction.apply(*[values[i] for i in places])

    def hook(grad_inputs: Any, grad_outputs: Any) -> Any:  # under the name that PyTorch's errors say
        changed = reached(_placed(places, grad_outputs, len(values)), _placed(places, grad_inputs, len(values)))
        return None if changed is None else tuple(changed[i] for i in places)

    next(t.grad_fn for t in through if t.grad_fn is not None).register_hook(hook)
    changed = list(values)
    for place, tensor in zip(places, through, strict=True):
        changed[place] = tensor
    return (tuple(changed) if type(values) is tuple else type(values)(*changed)), places


def _placed(places: Sequence[int], values: Sequence[Any], count: int) -> tuple[Any, ...]:
    """`count` times None, but the values at their places."""
    result = [None] * count
    for place, value in zip(places, values, strict=True):
        result[place] = value
    return tuple(result)
