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
from ..functions.pointwise import is_tensor


def called(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`module.forward(*args, **kwargs)`, with all hooks of the module around it."""
    for hook in tuple(module._forward_pre_hooks.values()):
        changed = hook(module, args)
        if changed is not None:
            args = changed if isinstance(changed, tuple) else (changed,)
    leaving = None
    if module._backward_hooks:
        args, leaving = _entered(module, tuple(module._backward_hooks.values()), args)
    result = module.forward(*args, **kwargs)
    for hook in tuple(module._forward_hooks.values()):
        changed = hook(module, args, result)
        if changed is not None:
            result = changed
    return result if leaving is None else leaving(result)


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


def _entered(module: Any, hooks: tuple[Any, ...], args: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
    """The arguments behind the first node, and what leads the results through the second."""
    arrived: Any = None  # the gradients of the outputs, from when they are known until the hooks have been called

    def inputs_reached(_: Any, grads: tuple[Any, ...]) -> Any:
        nonlocal arrived
        if arrived is None:  # a gradient that came past the outputs, as in double backward
            return None
        for hook in hooks:
            changed = hook(module, grads, arrived)
            if changed is not None and len(changed) != len(grads):
                found = f"got {len(changed)}, but expected {len(grads)}"
                raise RuntimeError(f"Backward hook returned an invalid number of grad_input, {found}")
            grads = grads if changed is None else changed
        arrived = None
        return grads

    def outputs_reached(grads: tuple[Any, ...], _: Any) -> Any:
        nonlocal arrived
        arrived = grads
        if not through:  # the first node does not exist: the hooks are called now
            warnings.warn(_FIRING, stacklevel=4)
            for hook in hooks:
                changed = hook(module, (None,) * len(args), grads)
                if changed is not None and not (isinstance(changed, tuple) and all(each is None for each in changed)):
                    raise RuntimeError(
                        "Backward hook for Modules where no input requires gradient should always return None or None "
                        "for all gradients."
                    )
            arrived = None
        return grads

    def leaving(result: Any) -> Any:
        if isinstance(result, tuple):
            return _led_through_node(result, outputs_reached)[0]
        if not is_tensor(result):
            warnings.warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
                f"{type(result)}",
                stacklevel=4,
            )
        return _led_through_node((result,), outputs_reached)[0][0]

    entered, through = _led_through_node(args, inputs_reached)
    return entered, leaving


_FIRING = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs require "
    "gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module."
    "register_full_backward_hook for more details."
)


def _led_through_node(values: tuple[Any, ...], reached: Callable[..., Any]) -> tuple[tuple[Any, ...], bool]:
    """`values`, the tensors among them as results of one node; as they were, and False, if nothing is recorded.

    A pass that comes to the node calls `reached` with the gradients as they come, and as they go on: a tuple with None
    for each value that is no tensor.
    """
    places = [i for i, value in enumerate(values) if is_tensor(value)]
    tensors = [values[i] for i in places]
    if not (mode.enabled and any(tensor.requires_grad for tensor in tensors)):
        return values, False
    through = BackwardHookFunction.apply(*tensors)

    def placed(those: Sequence[Any]) -> tuple[Any, ...]:
        at = dict(zip(places, those))
        return tuple(at.get(i) for i in range(len(values)))

    def hook(grad_inputs: Any, grad_outputs: Any) -> Any:  # under the name that PyTorch's errors say
        changed = reached(placed(grad_outputs), placed(grad_inputs))
        return None if changed is None else tuple(changed[i] for i in places)

    node = next(t.grad_fn for t in through if t.grad_fn is not None)
    node.register_hook(hook)
    led = list(values)
    for i, tensor in zip(places, through):
        led[i] = tensor
    return (tuple(led) if type(values) is tuple else type(values)(*led)), True
