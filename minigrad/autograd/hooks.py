"""What users see of nodes, and hang on them: functions that the engine calls with the gradients on their way.

Order at one node, as in PyTorch: the hooks of the tensors that are its outputs, then `retain_grad` and `grad`, then the
node's prehooks; the node runs; then its hooks. A leaf's post-accumulate hooks come last, when `.grad` is complete.
"""

from __future__ import annotations

import itertools
import re
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any
from weakref import ref

import numpy as np

from ..devices import tensor_type
from ..dtypes import from_numpy_dtype
from ..hints import type_name
from .accumulate import conform, end_turn
from .anomaly import NO_NAN, check_for_nan
from .grad_mode import run, unusual
from .saved import freed, take_out
from .variable import NO_EDGE, Edge, TensorBase, make_tensor, meta_of


class RemovableHandle:
    """What registering a hook returns: `remove()` takes the hook away. Also a context manager."""

    _next_id = itertools.count().__next__

    def __init__(self, hooks: Any, hook: Callable[..., Any]) -> None:
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


RemovableHandle.__module__ = "minigrad.utils.hooks"  # where PyTorch says that it is


class NodeExtras:
    """What few nodes have: several outputs, hooks, tensors that retain their gradient, metadata."""

    def __init__(self) -> None:
        self.outputs: tuple[tuple[Any, Any], ...] = ()  # if there are several: the shape and dtype of each
        self.tensor_hooks: dict[int, dict[int, Any]] = {}  # by output number: hooks of the tensor that is that output
        self.retaining: dict[int, ref[TensorBase]] = {}  # by output number: the tensor whose .grad is wanted
        self.pre_hooks: dict[int, Any] = {}
        self.post_hooks: dict[int, Any] = {}
        self.metadata: dict[str, Any] | None = None  # made when first asked for


def extras_of(node: Any) -> NodeExtras:
    """The NodeExtras of `node`, made when first needed."""
    if node._extras is None:
        node._extras = NodeExtras()
    return node._extras


#: What a node knows of a gradient before it arrives.
InputMetadata = namedtuple("InputMetadata", "shape dtype")


class ForUsers:
    """What a node has for users, and the engine does not need."""

    __slots__ = ()

    @property
    def metadata(self) -> dict[str, Any]:
        """A dictionary for notes about this node; anomaly mode keeps the forward traceback here."""
        extras = extras_of(self)
        extras.metadata = {} if extras.metadata is None else extras.metadata
        return extras.metadata

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(grad_inputs, grad_outputs)` after this node has run; what it returns replaces grad_inputs."""
        return RemovableHandle(extras_of(self).post_hooks, hook)

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(grad_outputs)` before this node runs; what it returns replaces grad_outputs."""
        return RemovableHandle(extras_of(self).pre_hooks, hook)

    def __call__(self, *grads: TensorBase | None) -> Any:
        """Run this node alone on tensors. One gradient comes back by itself, several as a tuple."""
        if len(grads) != (wanted := len(self._outputs)):  # type: ignore[attr-defined]
            raise TypeError(f"expected {wanted} arguments, got {len(grads)} instead")
        try:
            results = tuple(run(self._apply, grads, True, formula=True))  # type: ignore[attr-defined]
        finally:
            end_turn()
        return results[0] if len(results) == 1 else results

    def _sequence_nr(self) -> int:
        """The position of this node in the order in which nodes were made."""
        return -self._key  # type: ignore[attr-defined]

    @property
    def _input_metadata(self) -> tuple[InputMetadata, ...]:
        """The shape and dtype of each output of the operation, whose gradients this node receives."""
        outputs = self._outputs  # type: ignore[attr-defined]
        return tuple(InputMetadata(list(shape), from_numpy_dtype(dtype)) for shape, dtype in outputs)

    def _short_name(self) -> str:
        """`Mul` for MulBackward0, `Max1` for MaxBackward1: how PyTorch names an operation in a message."""
        return re.sub(r"Backward(0$|(?=\d*$))", "", self.name())  # type: ignore[attr-defined]


def saved_properties(i: int, name: str) -> dict[str, property]:
    """`node._saved_…` and `node._raw_saved_…`: slot `i` as users see it, and as it is kept.

    What a user's hook has packed has its `unpack_hook` there, and a viewer leaves it alone.
    """

    def read(node: Any) -> Any:
        value, version = node._saved[2 * i : 2 * i + 2]
        if version is None:
            return value
        if isinstance(value, TensorBase) and int(value._version_counter[0]) == int(version):
            version = value._version_counter[0]  # only backward refuses what detach_() has taken out of the graph
        return _shown(take_out(node, i, value, version, True))

    doc = f"What was saved of `{name}`; raises RuntimeError once it has been freed."
    raw = property(lambda node: node._saved[2 * i])
    return {f"_saved_{name}": property(read, doc=doc), f"_raw_saved_{name}": raw}


def _shown(value: Any) -> Any:
    """A number as a tensor, the indices of `x[1:, i]` as (None, tensor)."""
    if value is None or isinstance(value, TensorBase | slice):
        return value if isinstance(value, TensorBase) else None
    if isinstance(value, tuple | list):
        return tuple(map(_shown, value))
    return make_tensor(value if hasattr(value, "strides") else np.array(value))


def set_outputs(node: Any, outputs: Sequence[tuple[Any, Any]]) -> None:
    """Let `node` receive the gradients of one output or several, each of some shape and dtype."""
    if len(outputs) == 1:
        node._of_shape, node._of_dtype = outputs[0]
    else:
        node._of_shape = node._of_dtype = None
        extras_of(node).outputs = tuple(outputs)


def run_with_hooks(
    node: Any, grads: list[Any], keep_graph: bool, create_graph: bool, captured: dict[Edge, Any], needed: Any
) -> Sequence[Any]:
    """Run a node that has `_extras`, that `grad` or anomaly mode watches, or at which nothing has arrived; and free it.

    Returns what it sends on; `()` if it need not run: then no edge of it leads to what was asked for, nor is followed.
    """
    extras = extras_of(node)
    if not any(vars(extras).values()) and extras.metadata is None:
        node._extras = None  # it had none, or its hooks were taken away: the passes to come need not ask
    asked_for = {(node, nr): grad for nr, grad in enumerate(grads) if (node, nr) in captured}
    _show_to_tensors(extras, grads)
    if asked_for and not any(next_node in needed for next_node, _ in node.next_functions):
        captured.update({edge: grads[edge[1]] for edge in asked_for})  # as PyTorch: here, what hooks have made of it
        return ()
    captured.update(asked_for)
    for hook in tuple(extras.pre_hooks.values()):
        grads = _replaced(grads, run(hook, _as_tensors(grads), formula=False), hook)
    arrived = tuple(grads) if node._edges or extras.post_hooks else ()  # (a leaf's gradient must have no second holder)
    results: Sequence[Any] = (None,) * len(node._edges)
    some_arrived = any(grad is not None for grad in grads)
    if some_arrived or node._runs_on_nothing:
        results = node._apply(grads if some_arrived else None, create_graph)
    results = [
        grad if grad is None or edge == NO_EDGE else conform(grad, edge, node, results)
        for grad, edge in zip(results, node._edges)
    ]
    for hook in tuple(extras.post_hooks.values()):
        results = _replaced(results, run(hook, _as_tensors(results), _as_tensors(arrived), formula=False), hook)
    if not keep_graph:
        node._saved = freed(node._saved)
    if NO_NAN in unusual:
        check_for_nan(node, results, needed)
    return results


def _show_to_tensors(extras: NodeExtras, grads: list[Any]) -> None:
    """Show its gradients to the outputs of a node: to their hooks, which may replace them, then to `retain_grad`."""
    for output_nr, hooks in tuple(extras.tensor_hooks.items()):  # a hook may hang one on another output
        for hook in tuple(hooks.values()):
            shown = _as_tensor(grads[output_nr])
            replacement = run(hook, shown, formula=False)
            if replacement is not None:
                grads[output_nr] = _checked(grads[output_nr], replacement, hook)
            elif shown is not grads[output_nr]:  # a hook may have written into what it was shown: `g *= 10`
                grads[output_nr] = shown._value
    for output_nr, tensor_ref in extras.retaining.items():
        tensor, arrived = tensor_ref(), _as_tensor(grads[output_nr])
        if tensor is not None and arrived is not None:
            meta = meta_of(tensor)
            meta.grad = arrived.clone() if meta.grad is None else meta.grad + arrived


def _replaced(grads: Any, replacements: Any, hook: Any) -> list[Any]:
    """The gradients, or what a hook of a node wants instead. Raises PyTorch's errors."""
    if replacements is None:
        return grads
    if not isinstance(replacements, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type_name(replacements)}'")
    if len(replacements) != len(grads):
        raise RuntimeError(
            f"hook '{_name(hook)}' has returned an incorrect number of values "
            f"(got {len(replacements)}, but expected {len(grads)})"
        )
    return [_checked(grad, new, hook) for grad, new in zip(grads, replacements, strict=True)]


def _checked(grad: Any, replacement: Any, hook: Any) -> Any:
    """What a hook returned, in the form in which `grad` travels: raw, or a tensor. Raises PyTorch's errors."""
    if replacement is None:
        return None
    if grad is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(replacement, TensorBase):
        raise TypeError(f"expected Variable, but hook returned '{type_name(replacement)}'")
    old = tensor_type(getattr(grad, "_value", grad))
    new = tensor_type(replacement._value)
    if old != new:
        raise RuntimeError(f"hook '{_name(hook)}' has changed the type of value (was {old} got {new})")
    if replacement._value.shape != tuple(grad.shape):
        raise RuntimeError(f"hook '{_name(hook)}' has changed the size of value")
    return replacement if isinstance(grad, TensorBase) else replacement._value


def _name(hook: Any) -> str:
    return getattr(hook, "__name__", "<unknown>")


def _as_tensor(grad: Any) -> Any:
    return grad if grad is None or isinstance(grad, TensorBase) else make_tensor(grad)


def _as_tensors(grads: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(map(_as_tensor, grads))
