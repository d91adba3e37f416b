"""Hooks on saved tensors: `pack` is asked what to keep when a node saves a tensor, `unpack` gives it back.

    with saved_tensors_hooks(pack=lambda t: t.half(), unpack=lambda t: t.float()):
        y = x * x          # the node keeps what pack returned

A slot of `node.saved` then holds a `Packed`, and the node is of a kind that first unpacks: nodes without hooks know
nothing of all this.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any
from weakref import ref

from ..hints import type_name, with_hint
from . import grad_mode
from .node import AccumulateGrad, NodeKind, gradient_edge
from .variable import NO_EDGE, Edge, TensorBase, edge_to, make_alias, meta_of


class Freed:
    """Stands in `node.saved` where a tensor was, beside values that outlive it."""


FREED = Freed()


class _Hooks(threading.local):
    """The hooks that are on in this thread, the innermost last."""

    def __init__(self) -> None:
        self.pairs: list[tuple[Any, Any]] = []
        self.refusal: str | None = None  # the message of disable_saved_tensors_hooks
        self.written: Any = None  # the tensor that an in-place operation is about to write


_hooks = _Hooks()


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
        _check_callable("_push_saved_tensors_default_hooks", self.pack_hook, self.unpack_hook)
        if _hooks.refusal is not None:
            raise RuntimeError(_hooks.refusal)
        _hooks.pairs.append((self.pack_hook, self.unpack_hook))
        grad_mode.be_special(1)

    def __exit__(self, *exc_info: object) -> None:
        _hooks.pairs.pop()
        grad_mode.be_special(-1)


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
    if _hooks.pairs:
        raise RuntimeError(error_message)
    previous, _hooks.refusal = _hooks.refusal, error_message
    try:
        yield
    finally:
        _hooks.refusal = previous


# ---------------------------------------------------------------------------------------------------------------------
# Packing


class Packed:
    """What a pack hook returned, in the place of a saved tensor, and that tensor's place in the graph."""

    __slots__ = ("content", "edge", "output_nr", "unpack_hook")

    def __init__(self, pair: tuple[Any, Any], tensor: TensorBase, edge: Edge, output_nr: int | None = None) -> None:
        """Pack `tensor`, of this gradient edge, or result number `output_nr` of the node that saves it."""
        pack_hook, self.unpack_hook = pair
        # A result's edge would lead to the node that holds this: a cycle.
        self.edge, self.output_nr = (edge if output_nr is None else NO_EDGE), output_nr
        version = tensor._version_counter[0]
        with grad_mode.no_grad():
            self.content = pack_hook(tensor)
        if tensor._version_counter[0] != version:
            raise with_hint(
                RuntimeError(
                    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook "
                    "cannot be modified by in-place operations as this can lead to unexpected side-effects. Please "
                    "open an issue if you need to perform in-place operations on the input to a pack hook."
                ),
                "Compute a new tensor in the hook: return t * 2 instead of t.mul_(2).",
                "请在钩子里算出一个新张量，例如写 return t * 2，而不是 t.mul_(2)。",
            )

    def unpacked(self, node: Any) -> Any:
        """The tensor again, at its place in the graph; `node` is the one that saved it."""
        with grad_mode.in_formula(False):
            given = self.unpack_hook(self.content)
        if not isinstance(given, TensorBase):
            raise TypeError(
                f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type_name(given)}"
            )
        tensor = make_alias(given)
        if isinstance(self.edge, AccumulateGrad):
            tensor._edge = None
            meta_of(tensor).accumulator = ref(self.edge)
        else:
            tensor._edge = self.edge if self.output_nr is None else edge_to(node, self.output_nr)
        return tensor


def inspect_saved(node: Any, results: dict[int, tuple[TensorBase, int]]) -> None:
    """Look at what `node` is about to save: refuse inference tensors, and pack the others if hooks are on.

    `results` says which slots hold results of the operation: the tensor, and which output of the node it is.
    """
    refuse_inference_tensors(node.saved)
    if not _hooks.pairs:
        return
    for i in _slots(node):
        value = node.saved[2 * i]
        if i in results:
            tensor, output_nr = results[i]
            if _hooks.written is None:
                _pack(node, i, Packed(_hooks.pairs[-1], tensor, NO_EDGE, output_nr))
        elif isinstance(value, TensorBase):
            value = value.clone() if value is _hooks.written else value  # type: ignore[attr-defined]
            _pack(node, i, Packed(_hooks.pairs[-1], value, gradient_edge(value)))


@contextlib.contextmanager
def about_to_write(tensor: TensorBase) -> Iterator[None]:
    """Inside, an operation runs whose result will be written into `tensor`.

    Hooks are then given a copy of `tensor`, and the result only when it is in its place (`pack_written`).
    """
    previous, _hooks.written = _hooks.written, tensor
    try:
        yield
    finally:
        _hooks.written = previous


def pack_written(node: Any, i: int, tensor: TensorBase) -> None:
    """Pack the result that `node` saves in slot `i`, now that it has been written into `tensor`."""
    if _hooks.pairs:
        _pack(node, i, Packed(_hooks.pairs[-1], tensor, NO_EDGE, 0))


def _slots(node: Any) -> Sequence[int]:
    """The slots of `node.saved` in PyTorch's order: the inputs by name, then the results."""
    names = node.kind.saved_names
    return sorted(range(len(node.saved) // 2), key=lambda i: (names[i].startswith("result"), names[i]) if names else i)


def put_saved(node: Any, i: int, value: Any, version: int) -> None:
    """Let `value` be what `node` has saved in slot `i`."""
    node.saved = type(node.saved)((*node.saved[: 2 * i], value, version, *node.saved[2 * i + 2 :]))


def _pack(node: Any, i: int, packed: Packed) -> None:
    put_saved(node, i, packed, 0)
    if node.kind.saved_names:  # a custom Function unpacks in `saved_tensors`
        node.kind = _unpacking(node.kind)


@functools.cache
def _unpacking(kind: NodeKind) -> NodeKind:
    """`kind`, with an `apply` that unpacks first."""
    if kind in _unpacking_kinds:
        return kind

    def apply(node: Any, grads: Any, create_graph: bool) -> Any:
        packed = node.saved
        if packed is not None:
            values = list(packed)
            for i in _slots(node):
                if isinstance(packed[2 * i], Packed):
                    tensor = packed[2 * i].unpacked(node)
                    values[2 * i : 2 * i + 2] = tensor, tensor._version_counter[0]
            node.saved = type(packed)(values)
        try:
            return kind.apply(node, grads, create_graph)
        finally:
            node.saved = packed

    from copy import copy  # rarely needed

    twin = copy(kind)
    twin.apply = apply
    _unpacking_kinds.add(twin)
    return twin


_unpacking_kinds: set[NodeKind] = set()


class SavedTensor:
    """One slot of what a node has saved, such as `grad_fn._raw_saved_self`."""

    def __init__(self, node: Any, i: int) -> None:
        self._node, self._slot = node, i

    @property
    def unpack_hook(self) -> Callable[[Any], Any] | None:
        """What is called for the tensor, where a pack hook's result is kept instead of it."""
        saved = self._node.saved
        value = None if saved is None else saved[2 * self._slot]
        return value.unpack_hook if isinstance(value, Packed) else None

    def register_hooks(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        """Keep `pack_hook(tensor)` instead of this tensor, and call `unpack_hook` with it when it is needed."""
        _check_callable("register_hooks", pack_hook, unpack_hook, self)
        saved = self._node.saved
        value = None if saved is None else saved[2 * self._slot]
        if saved is None or value is FREED:
            raise RuntimeError(
                "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the "
                "graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need "
                "to backward through the graph a second time or if you need to access saved variables after calling "
                "backward."
            )
        if value is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        if isinstance(value, Packed):
            raise RuntimeError(
                "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of "
                "hooks is allowed at a time."
            )
        names = self._node.kind.saved_names
        output_nr = result_number(names[self._slot]) if names else self._node._saved_outputs.get(self._slot)
        packed = Packed((pack_hook, unpack_hook), make_alias(value), gradient_edge(value), output_nr)
        _pack(self._node, self._slot, packed)


def result_number(name: str) -> int | None:
    """Which output of the operation the saved value `name` is: 0 for `result`, n for `resultn`, None for an input."""
    return int(name.removeprefix("result") or 0) if name.startswith("result") else None


def refuse_inference_tensors(saved: Iterable[Any]) -> None:
    """Raise PyTorch's error if a tensor made in inference mode is about to be saved."""
    for value in saved:
        if isinstance(value, TensorBase) and value._meta is not None and value._meta.is_inference:
            raise with_hint(
                RuntimeError(
                    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference "
                    "mode in computation tracked by autograd. To work around this, you can make a clone to get a "
                    "normal tensor and use it in autograd, or use `torch.no_grad()` instead of "
                    "`torch.inference_mode()`."
                ),
                "A tensor made inside inference_mode() can never take part in a recorded computation.",
                "在 inference_mode() 里创建的张量不能参与需要求导的计算。",
            )


def _check_callable(function: str, pack_hook: Any, unpack_hook: Any, *owner: Any) -> None:
    if callable(pack_hook) and callable(unpack_hook):
        return
    own = "self: torch._C._autograd.SavedTensor, " if owner else ""
    given = ", ".join(map(repr, (*owner, pack_hook, unpack_hook)))
    raise TypeError(
        f"{function}(): incompatible function arguments. The following argument types are supported:\n    1. ({own}"
        "arg0: collections.abc.Callable, arg1: collections.abc.Callable) -> None\n\nInvoked with: " + given
    )
