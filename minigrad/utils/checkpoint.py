"""Checkpoints: of a part of a network keep the inputs alone, and compute what its nodes save again, going back."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ..autograd import Function, backward, enable_grad, no_grad
from ..autograd.graph import saved_tensors_hooks
from ..autograd.variable import TensorBase
from ..hints import names_the_nearest
from ..random import get_rng_state, set_rng_state

__all__ = ["CheckpointError", "checkpoint"]

__getattr__ = names_the_nearest(__name__, __all__)


class CheckpointError(RuntimeError):
    """What is computed again is not what was computed before."""


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    determinism_check: str = "default",
    **kwargs: Any,
) -> Any:
    """`function(*args)`, of which nothing is kept for backward but the arguments.

    Args:
        use_reentrant: False: the graph is that of the function, and what its nodes have saved is computed again when
            the first of them is reached. True: the function is one node, whose backward runs a pass of its own.
        preserve_rng_state: draw the same random numbers when it is computed again.
        determinism_check: "none": do not compare sizes and types of what is computed again with those of before.

    Raises CheckpointError in backward if, computed again, the function saves less than before, or other tensors.
    """
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, "
            "calling checkpoint without use_reentrant will raise an exception. use_reentrant=False is recommended, but "
            "if you need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for "
            "more details on the differences between the two variants.",
            stacklevel=2,
        )
        use_reentrant = True
    state = get_rng_state() if preserve_rng_state else None

    def again(*arguments: Any) -> Any:
        now = get_rng_state()
        if state is not None:
            set_rng_state(state)
        try:
            with enable_grad():
                return function(*arguments, **kwargs)
        finally:
            set_rng_state(now)

    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        return CheckpointFunction.apply(function, again, *args)
    with _forgotten(again, args, compared=determinism_check != "none"):
        return function(*args, **kwargs)


def _forgotten(again: Callable[..., Any], args: tuple[Any, ...], compared: bool) -> saved_tensors_hooks:
    """Inside, of saved tensors only size and type are kept; the first that is needed makes all of them anew."""
    before: list[dict[str, Any]] = []
    made: list[Any] = []

    def pack(tensor: Any) -> int:
        before.append(_described(tensor))
        return len(before) - 1

    def keep(tensor: Any) -> int:
        made.append(tensor.detach())
        return len(made) - 1

    def unpack(number: int) -> Any:
        if not made:
            with saved_tensors_hooks(keep, made.__getitem__):
                again(*(x.detach().requires_grad_(x.requires_grad) if isinstance(x, TensorBase) else x for x in args))
            _compare(before, made, compared)
        return made[number]

    return saved_tensors_hooks(pack, unpack)


def _described(tensor: Any) -> dict[str, Any]:
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


def _compare(before: list[dict[str, Any]], made: list[Any], compared: bool) -> None:
    """Raise CheckpointError if there are fewer tensors than before, or others. What comes after them is not asked."""
    if len(made) < len(before):
        raise CheckpointError(
            "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
            "recomputation.\n"
            f"Number of tensors saved during forward: {len(before)}\n"
            f"Number of tensors saved during recomputation: {len(made)}."
        )
    others = [
        f"tensor at position {i}:\nsaved metadata: {then}\nrecomputed metadata: {now}"
        for i, (then, now) in enumerate(zip(before, map(_described, made), strict=False))
        if then != now
    ]
    if compared and others:
        raise CheckpointError(
            "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than during "
            "the forward pass.\n" + "\n".join(others)
        )


class CheckpointFunction(Function):
    """The whole function as one node."""

    @staticmethod
    def forward(ctx: Any, function: Callable[..., Any], again: Callable[..., Any], *args: Any) -> Any:
        """The results, computed without recording."""
        tensors = [x for x in args if isinstance(x, TensorBase)]
        if not any(x.requires_grad for x in tensors):
            warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=4)
        ctx.again, ctx.args = again, [None if isinstance(x, TensorBase) else x for x in args]
        ctx.save_for_backward(*tensors)
        with no_grad():
            return function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Compute it again, recorded, and go back through that."""
        tensors = iter([x.detach().requires_grad_(x.requires_grad) for x in ctx.saved_tensors])
        args = [next(tensors, None) if x is None else x for x in ctx.args]
        results = ctx.again(*args)
        results = results if isinstance(results, tuple) else (results,)
        tracked = [(r, g) for r, g in zip(results, grads) if isinstance(r, TensorBase) and r.requires_grad]
        backward([r for r, _ in tracked], [g for _, g in tracked])
        return None, None, *(x.grad if isinstance(x, TensorBase) else None for x in args)
