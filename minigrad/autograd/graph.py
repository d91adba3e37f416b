"""What PyTorch has under `torch.autograd.graph`: tools that look at nodes, at edges, and at what is saved.

with saved_tensors_hooks(lambda t: t.half(), lambda t: t.float()):  # pack_hook, unpack_hook
    y = x * x          # the node keeps what pack_hook returned: a slot of `node._saved` holds a `Packed`
"""

from __future__ import annotations

import contextlib
import functools
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from weakref import ref

from ..hints import type_name
from ..refusals import refused
from . import grad_mode
from .anomaly import remember_line
from .grad_mode import modes_kept, restore, run, set_recording, unusual
from .hooks import RemovableHandle
from .node import AccumulateGrad, Node, gradient_edge, next_key, requires_grad
from .saved import Absent, put_saved, result_nr
from .variable import NO_EDGE, Edge, TensorBase, make_alias, meta_of, pair_of

__all__ = [
    "GradientEdge",
    "Node",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]

#: Where a gradient is sent: a node, and which output of the operation it is the gradient of.
GradientEdge = namedtuple("GradientEdge", "node output_nr ownership_token", defaults=[None])

Node.__module__ = __name__  # where PyTorch says that it is


def get_gradient_edge(tensor: TensorBase) -> GradientEdge:
    """The gradient edge of a tensor that requires grad; for a leaf it leads to its AccumulateGrad."""
    if not requires_grad(tensor):
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge(*pair_of(gradient_edge(tensor)))


def _get_sequence_nr() -> int:
    """The sequence number that the next node will have; asked by who draws graphs. The counter tells it in its repr."""
    return -int(repr(next_key.__self__).strip("count()").partition(",")[0])  # type: ignore[attr-defined]


def increment_version(tensor: Any) -> None:
    """Say that the memory of a tensor, or of several, was written behind autograd's back."""
    for written in (tensor,) if isinstance(tensor, TensorBase) else tensor:
        written._version_counter[0] += 1


# ---------------------------------------------------------------------------------------------------------------------
# One hook on several tensors


class _MultiHandle(RemovableHandle):
    def __init__(self, handles: list[RemovableHandle]) -> None:
        self.handles = handles

    def remove(self) -> None:
        """Take the hook away from all tensors."""
        for handle in self.handles:
            handle.remove()


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
    tracked = [tensor for tensor in tensors if requires_grad(tensor)]
    nodes = [pair_of(gradient_edge(tensor))[0] for tensor in tracked]
    if mode == "all" and (len(tracked) < len(tensors) or None in nodes):  # None: of a view made under `no_grad`
        raise AssertionError("Expected gradient function to be set")
    passes: dict[object, tuple[int, list[Any]]] = {}  # how many are still to come, and those there are

    def at(index: int) -> Callable[[Any], None]:
        def inner_hook(grad: Any) -> None:
            this_pass = grad_mode.mode.running[0]
            if this_pass not in passes:
                passes[this_pass] = (sum(map(_will_run, nodes)) if mode == "all" else 1), [None] * len(nodes)
            missing, grads = passes[this_pass]
            passes[this_pass] = missing - 1, grads
            if mode == "all":
                grads[index] = grad
            if missing == 1:
                if mode == "all":
                    del passes[this_pass]
                fn(grads if mode == "all" else grad)

        return inner_hook if mode == "all" else functools.wraps(fn)(inner_hook)  # so PyTorch's are called

    return _MultiHandle([tensor.register_hook(at(i)) for i, tensor in enumerate(tracked)])


def _will_run(node: Any) -> bool:
    """Whether the backward pass that is running comes to `node`."""
    _, reachable, needed, capturing = grad_mode.mode.running
    runs = node in reachable and (needed is None or node in needed)
    if runs and capturing and isinstance(node, AccumulateGrad):
        raise RuntimeError(
            "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). This "
            "is currently not supported."
        )
    return runs


# ---------------------------------------------------------------------------------------------------------------------
# Hooks on saved tensors


class Packed(Absent):
    """What a pack hook returned, in the place of a saved tensor: of one with the given gradient edge.

    Or of result number `output_nr` of the node that saves it.
    """

    def __init__(self, content: Any, unpack_hook: Callable[[Any], Any], edge: Edge, output_nr: int | None) -> None:
        self.content, self.unpack_hook, self.edge, self.output_nr = content, unpack_hook, edge, output_nr

    def unpacked(self, node: Any) -> Any:
        given = run(self.unpack_hook, self.content, formula=False)
        if not isinstance(given, TensorBase):
            raise TypeError(
                f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type_name(given)}"
            )
        tensor = make_alias(given, self.edge if self.output_nr is None else (node, self.output_nr))
        if isinstance(self.edge, AccumulateGrad):  # a leaf
            tensor._edge, meta_of(tensor).accumulator = None, ref(self.edge)
        return tensor


class saved_tensors_hooks:
    """Inside this `with`, keep `pack_hook(tensor)` instead of each tensor that is saved for backward.

    Args:
        pack_hook: called with the tensor when it is saved; what it returns, of any type, is kept.
        unpack_hook: called with that whenever the saved tensor is needed; must return a tensor with the same numbers.

    Of nested ones the innermost holds. To avoid a reference cycle, pack must not return the very tensor it is given.
    """

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self) -> None:
        mode = grad_mode.mode
        if not (callable(self.pack_hook) and callable(self.unpack_hook)):
            raise TypeError("saved_tensors_hooks wants two functions: pack_hook and unpack_hook")
        if mode.refusal is not None:
            raise RuntimeError(mode.refusal)
        unusual.add(mode.thread)
        mode.hooks = (*mode.hooks, (self.pack_hook, self.unpack_hook))

    def __exit__(self, *exc_info: object) -> None:
        grad_mode.mode.hooks = grad_mode.mode.hooks[:-1]
        restore({})


class save_on_cpu(saved_tensors_hooks):
    """Inside this `with`, keep in the computer's own memory what is saved for backward on a GPU.

    Args:
        pin_memory: PyTorch's; without meaning here.
        device_type: the kind of device that the tensors are on.
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda x: (x.device, x.cpu()), lambda kept: kept[1].to(kept[0]))


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Inside this `with`, using `saved_tensors_hooks` raises a RuntimeError with this message."""
    mode = grad_mode.mode
    if mode.hooks:
        raise RuntimeError(error_message)
    previous, mode.refusal = mode.refusal, error_message
    try:
        yield
    finally:
        mode.refusal = previous


def apply_modes(node: Any, *results: TensorBase) -> None:
    """What modes that are not as usual (`grad_mode.unusual`) want of a new node, whose outputs are `results`.

    Anomaly mode remembers where it was made. Of what it saves inference tensors are refused, and hooks pack the rest.
    """
    remember_line(node)
    for value in node._saved:
        if isinstance(value, TensorBase) and value._meta is not None and value._meta.is_inference:
            raise refused("inference saved")
    if not grad_mode.mode.hooks:
        return
    for i, value in enumerate(node._saved[::2]):
        if isinstance(value, TensorBase):
            output_nr = result_nr(node, i)
            edge, shown = (gradient_edge(value), value) if output_nr is None else (NO_EDGE, results[output_nr])
            put_saved(node, i, _packed(shown, edge, output_nr))


@modes_kept
def _packed(tensor: TensorBase, edge: Edge, output_nr: int | None = None) -> Packed:
    """What the innermost hooks keep of `tensor`."""
    pack_hook, unpack_hook = grad_mode.mode.hooks[-1]
    version = tensor._version_counter[0]
    set_recording(False)
    content = run(pack_hook, tensor, formula=False)
    if tensor._version_counter[0] != version:
        raise refused("pack writes")
    return Packed(content, unpack_hook, edge, output_nr)
