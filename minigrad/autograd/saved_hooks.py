"""Hooks on saved tensors: `pack` is asked what to keep when a node saves a tensor, `unpack` gives it back.

    with saved_tensors_hooks(pack=lambda t: t.half(), unpack=lambda t: t.float()):
        y = x * x          # the node keeps what pack returned

A slot of `node._saved` then holds a `Packed`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from weakref import ref

from ..hints import type_name
from ..refusals import refused
from .grad_mode import by_user, mode, modes_kept, restore, set_recording, unusual
from .node import gradient_edge
from .saved import Freed, result_nr
from .variable import NO_EDGE, Edge, TensorBase, make_alias, meta_of


class Packed(Freed):
    """What a pack hook returned, in the place of a saved tensor, and that tensor's place in the graph."""

    __slots__ = ("content", "edge", "output_nr", "unpack_hook")

    def __init__(self, content: Any, unpack_hook: Callable[[Any], Any], edge: Edge, output_nr: int | None) -> None:
        """Of a tensor with this gradient edge; or of result number `output_nr` of the node that saves it."""
        self.content, self.unpack_hook = content, unpack_hook
        self.edge, self.output_nr = (edge if output_nr is None else NO_EDGE), output_nr

    def unpacked(self, node: Any) -> Any:
        given = by_user(self.unpack_hook, self.content)
        if not isinstance(given, TensorBase):
            raise TypeError(
                f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type_name(given)}"
            )
        tensor = make_alias(given)
        tensor._edge = self.edge if self.output_nr is None else (node, self.output_nr)
        if hasattr(self.edge, "variable"):  # a leaf
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
        if not (callable(self.pack_hook) and callable(self.unpack_hook)):
            raise TypeError("saved_tensors_hooks wants two functions: pack_hook and unpack_hook")
        if mode.refusal is not None:
            raise RuntimeError(mode.refusal)
        unusual.add(mode.thread)
        mode.hooks = (*mode.hooks, (self.pack_hook, self.unpack_hook))

    def __exit__(self, *exc_info: object) -> None:
        mode.hooks = mode.hooks[:-1]
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
    if mode.hooks:
        raise RuntimeError(error_message)
    previous, mode.refusal = mode.refusal, error_message
    try:
        yield
    finally:
        mode.refusal = previous


def inspect_saved(node: Any, results: Iterable[TensorBase]) -> None:
    """Look at what `node` is about to save: refuse inference tensors, and pack the others if hooks are on.

    `results` are the outputs of the node, with their place in the graph.
    """
    for value in node._saved:
        if isinstance(value, TensorBase) and value._meta is not None and value._meta.is_inference:
            raise refused("inference saved")
    if not mode.hooks:
        return
    results = tuple(results)
    for i, value in enumerate(node._saved[::2]):
        if not isinstance(value, TensorBase):
            continue
        output_nr = result_nr(node, i)
        edge, shown = (gradient_edge(value), value) if output_nr is None else (NO_EDGE, results[output_nr])
        put_saved(node, i, _packed(shown, edge, output_nr))


def _packed(tensor: TensorBase, edge: Edge, output_nr: int | None = None) -> Packed:
    """What the innermost hooks keep of `tensor`."""
    pack_hook, unpack_hook = mode.hooks[-1]
    version = tensor._version_counter[0]
    content = _unrecorded(pack_hook, tensor)
    if tensor._version_counter[0] != version:
        raise refused("pack writes")
    return Packed(content, unpack_hook, edge, output_nr)


@modes_kept
def _unrecorded(function: Callable[..., Any], *args: Any) -> Any:
    set_recording(False)
    return function(*args)


def put_saved(node: Any, i: int, value: Any, version: int = 0) -> None:
    """Let `value` be what `node` has saved in slot `i`."""
    node._saved = (*node._saved[: 2 * i], value, version, *node._saved[2 * i + 2 :])
