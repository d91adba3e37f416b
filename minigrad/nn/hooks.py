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
    so_far: dict[str, Any] = {"args": args, "kwargs": kwargs, "result": None}
    done: set[int] = set()
    try:
        return _run(module, so_far, done)
    except Exception:
        for number in tuple(module._forward_hooks):
            if number in module._forward_hooks_always_called and number not in done:
                try:
                    _after_forward(module, number, so_far)
                except Exception as error:
                    warnings.warn(
                        "module forward hook with ``always_call=True`` raised an exception that was silenced as "
                        f"another error was raised in forward: {error}",
                        stacklevel=3,
                    )
        raise


def _run(module: Any, so_far: dict[str, Any], done: set[int]) -> Any:
    """`called`, without what is done after an error; `so_far` is what it has come to, `done` which hooks it called."""
    hooks, is_full = tuple(module._backward_hooks.values()), module._is_full_backward_hook
    pre_hooks = tuple(module._backward_pre_hooks.values())
    for number in tuple(module._forward_pre_hooks):
        _before_forward(module, number, so_far)
    around = None
    if (hooks and is_full) or pre_hooks:
        around = _BackwardHooks(module, hooks if is_full else (), pre_hooks)
        so_far["args"] = around.entering(so_far["args"])
    so_far["result"] = module.forward(*so_far["args"], **so_far["kwargs"])
    for number in tuple(module._forward_hooks):
        done.add(number)
        _after_forward(module, number, so_far)
    if around is not None:
        if not isinstance(so_far["result"], tuple) and not is_tensor(so_far["result"]):
            warnings.warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
                f"{type(so_far['result'])}",
                stacklevel=4,
            )
        so_far["result"] = around.leaving(so_far["result"])
    if hooks and not is_full:
        _hook_last_node(module, hooks, so_far["args"], so_far["result"])
    return so_far["result"]


def _before_forward(module: Any, number: int, so_far: dict[str, Any]) -> None:
    hook = module._forward_pre_hooks[number]
    if number not in module._forward_pre_hooks_with_kwargs:
        changed = hook(module, so_far["args"])
        if changed is not None:
            so_far["args"] = changed if isinstance(changed, tuple) else (changed,)
        return
    changed = hook(module, so_far["args"], so_far["kwargs"])
    if changed is None:
        return
    if not isinstance(changed, tuple) or len(changed) != 2:
        raise RuntimeError(
            f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}."
        )
    so_far["args"], so_far["kwargs"] = changed


def _after_forward(module: Any, number: int, so_far: dict[str, Any]) -> None:
    given = [so_far["args"], so_far["result"]]
    if number in module._forward_hooks_with_kwargs:
        given.insert(1, so_far["kwargs"])
    changed = module._forward_hooks[number](module, *given)
    if changed is not None:
        so_far["result"] = changed


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

    def __init__(self, module: Any, hooks: Sequence[Callable[..., Any]], pre_hooks: Sequence[Callable[..., Any]]):
        self.module, self.hooks, self.pre_hooks = module, hooks, pre_hooks
        self.grad_outputs: Any = None  # once they are known, until the hooks have been called
        self.input_count = self.output_count = 0
        self.inputs_at: list[int] | None = None  # which arguments are tensors; None if none of them needs a gradient
        self.outputs_at: list[int] | None = None

    def entering(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        self.input_count = len(args)
        args, self.inputs_at = _led_through_node(args, self._inputs_reached)
        return args

    def leaving(self, result: Any) -> Any:
        several = isinstance(result, tuple)
        results = result if several else (result,)
        self.output_count = len(results)
        results, self.outputs_at = _led_through_node(results, self._outputs_reached)
        return results if several else results[0]

    def _outputs_reached(self, _: Any, grads: tuple[Any, ...]) -> Any:
        assert self.outputs_at is not None
        self.grad_outputs = _placed(self.outputs_at, grads, self.output_count)
        for pre_hook in self.pre_hooks:
            changed = pre_hook(self.module, self.grad_outputs)
            if changed is None:
                continue
            if len(changed) != len(self.grad_outputs):
                raise RuntimeError(
                    f"Backward pre hook returned an invalid number of grad_output, got {len(changed)}, but expected "
                    f"{len(self.grad_outputs)}"
                )
            self.grad_outputs = changed
        grad_outputs = self.grad_outputs
        if self.inputs_at is None:
            self._call_without_inputs()
        return tuple(grad_outputs[i] for i in self.outputs_at)

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

    def _inputs_reached(self, grads: tuple[Any, ...], _: Any) -> Any:
        if self.grad_outputs is None:  # a gradient that came past the outputs, as in double backward
            return None
        assert self.inputs_at is not None
        grad_inputs = _placed(self.inputs_at, grads, self.input_count)
        for hook in self.hooks:
            changed = hook(self.module, grad_inputs, self.grad_outputs)
            if changed is None:
                continue
            if len(changed) != len(grad_inputs):
                raise RuntimeError(
                    f"Backward hook returned an invalid number of grad_input, got {len(changed)}, but expected "
                    f"{len(grad_inputs)}"
                )
            grad_inputs = changed
        self.grad_outputs = None
        return tuple(grad_inputs[i] for i in self.inputs_at)


def _led_through_node(values: tuple[Any, ...], reached: Callable[..., Any]) -> tuple[tuple[Any, ...], list[int] | None]:
    """`values`, the tensors among them as results of one node with the hook `reached`, and their places.

    They are as they were, with None for the places, if no gradient is to be recorded.
    """
    places = [i for i, value in enumerate(values) if is_tensor(value)]
    if not (mode.enabled and any(values[i].requires_grad for i in places)):
        return values, None
    through = BackwardHookFunction.apply(*[values[i] for i in places])

    def hook(grad_inputs: Any, grad_outputs: Any) -> Any:  # under the name that PyTorch's errors say
        return reached(grad_inputs, grad_outputs)

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


# ---------------------------------------------------------------------------------------------------------------------
# The older kind, of `register_backward_hook`: it only sees the last node of the module


def _hook_last_node(module: Any, hooks: Sequence[Callable[..., Any]], args: Any, result: Any) -> None:
    first = result
    while not is_tensor(first):
        first = next(v for v in first.values() if is_tensor(v)) if isinstance(first, dict) else first[0]
    if first.grad_fn is None:
        return
    for hook in hooks:
        first.grad_fn.register_hook(lambda *grads, hook=hook: hook(module, *grads))
    problem = _what_is_missed(args, result, first.grad_fn)
    if problem:
        warnings.warn(problem, FutureWarning, stacklevel=5)


_INSTEAD = " Please use register_full_backward_hook to get the documented behavior."
_MISSED = "Using {} is deprecated and will be removed in future versions. This hook will be missing some {}."


def _what_is_missed(args: Any, result: Any, node: Any) -> str | None:
    """PyTorch's warning where the last node does not know the gradients of all inputs and outputs."""
    results = (result,) if is_tensor(result) else result
    for values, does, grads in (
        (results, "return a single Tensor or a tuple of Tensors", "of the grad_output"),
        (args, "take as input a single Tensor or a tuple of Tensors", "of the grad_input"),
    ):
        if not (isinstance(values, tuple) and all(map(is_tensor, values))):
            return _MISSED.format(f"non-full backward hooks on a Module that does not {does}", grads) + _INSTEAD
    makers = {r.grad_fn for r in results} - {None}
    if node not in makers:
        how = "a non-full backward hook when outputs are nested in python data structure"
        return _MISSED.format(how, "grad_output")
    if len(makers) > 1:
        how = "a non-full backward hook when outputs are generated by different autograd Nodes"
        return _MISSED.format(how, "grad_output") + _INSTEAD
    if {a.grad_fn for a in args} - {None} != {next_node for next_node, _ in node.next_functions}:
        how = "a non-full backward hook when the forward contains multiple autograd Nodes"
        return _MISSED.format(how, "grad_input") + _INSTEAD
    return None
