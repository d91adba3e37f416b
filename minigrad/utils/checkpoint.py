"""Checkpoints: of a part of a network keep the inputs alone, and compute what its nodes save again, going back."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from .. import random
from ..autograd import enable_grad
from ..autograd.grad_mode import mode, modes_kept
from ..autograd.graph import saved_tensors_hooks
from ..autograd.saved import check_version, version_of
from ..autograd.variable import TensorBase
from ..hints import names_the_nearest

__all__ = ["CheckpointError", "checkpoint"]

__getattr__, __dir__ = names_the_nearest(__name__, __all__)


class CheckpointError(RuntimeError):
    """What is computed again is not what was computed before."""


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """`function(*args)`, of which nothing is kept for backward but the arguments.

    Args:
        use_reentrant: False: the graph is that of the function, and what its nodes have saved is computed again when
            the first of them is reached. PyTorch's older kind, True, is computed in the same way.
        preserve_rng_state: draw the same random numbers when it is computed again.

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
    before = random.states() if preserve_rng_state else []

    def again(*arguments: Any) -> Any:
        with random.fork_rng(enabled=preserve_rng_state), enable_grad():
            for generator, state in before:
                generator.set_state(state)
            return function(*arguments, **kwargs)

    return _hooked(_forgotten(again, args), function, *args, **kwargs)


@modes_kept
def _hooked(hooks: saved_tensors_hooks, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    with hooks:
        return function(*args, **kwargs)


def _forgotten(again: Callable[..., Any], args: tuple[Any, ...]) -> saved_tensors_hooks:
    """Inside, of saved tensors only size and type are kept; the first that a pass needs makes all of them anew."""
    before: list[dict[str, Any]] = []
    inputs = [(x, version_of(x)) for x in args if isinstance(x, TensorBase)]
    made: dict[Any, dict[int, Any]] = {}  # by what stands for the pass

    def pack(tensor: Any) -> int:
        before.append(_described(tensor))
        return len(before) - 1

    def unpack(number: int) -> Any:
        running = mode.running[0]  # None: no pass runs, somebody looks at a saved tensor
        tensors = made.get(running) if running else None
        if tensors is None:
            for tensor, version in inputs:
                check_version(_CHECKPOINT, tensor, version, None)
            saved = _saved_again(again, args, len(before))
            _compare(before, saved)
            made.clear()
            tensors = made[running] = dict(enumerate(saved))
        if number not in tensors:
            raise CheckpointError(
                "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. If you "
                "are calling ctx.saved_tensors in backward, make sure to do so only once. Otherwise please open an "
                "issue with details on your use case."
            )
        return tensors.pop(number)

    return saved_tensors_hooks(pack, unpack)


#: What is said to have saved the arguments.
_CHECKPOINT = SimpleNamespace(name=lambda: "checkpoint")


class _EverythingSaved(Exception):
    """What comes after the last saved tensor need not be computed again."""


def _saved_again(again: Callable[..., Any], args: tuple[Any, ...], count: int) -> list[Any]:
    """The first `count` tensors that are saved when it is computed again; fewer if there are no more."""
    saved: list[Any] = []

    def keep(tensor: Any) -> Any:
        saved.append(tensor.detach())
        if len(saved) == count:
            raise _EverythingSaved
        return saved[-1]

    inputs = [x.detach().requires_grad_(x.requires_grad) if isinstance(x, TensorBase) else x for x in args]
    with contextlib.suppress(_EverythingSaved):
        _hooked(saved_tensors_hooks(keep, lambda tensor: tensor), again, *inputs)
    return saved


def _described(tensor: Any) -> dict[str, Any]:
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


def _compare(before: list[dict[str, Any]], made: list[Any]) -> None:
    """Raise CheckpointError if there are fewer tensors than before, or others."""
    if len(made) < len(before):
        raise CheckpointError(
            "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
            "recomputation.\n"
            f"Number of tensors saved during forward: {len(before)}\n"
            f"Number of tensors saved during recomputation: {len(made)}."
        )
    for i, (then, now) in enumerate(zip(before, map(_described, made), strict=False)):
        if then != now:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than "
                f"during the forward pass.\ntensor at position {i}:\nsaved metadata: {then}\nrecomputed metadata: {now}"
            )
