"""Operations of your own: a `Function` with a `forward` and a `backward`.

    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            return grad_output * 2 * x

    y = Square.apply(x)          # y.grad_fn is a SquareBackward, and it is the very ctx of both methods

`ctx` is the node. What `forward` stores on it is there in `backward`.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..hints import with_hint
from . import anomaly
from .grad_mode import mode, no_grad
from .graph import Node, NodeKind, check_version, freed_error, gradient_edge, new_node, next_key
from .variable import NO_EDGE, TensorBase, make_alias, make_tensor


class FunctionCtx:
    """What `forward` and `backward` share: the node of this call.

    Attributes:
        needs_input_grad: for each argument of `apply`, whether a gradient of it is wanted.
        saved_tensors: what `save_for_backward` was given. Raises RuntimeError if it has been freed, or written since.
    """

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors (or None) for `backward`. Unlike `ctx.x = x` this notices in-place writes and makes no cycle."""
        for index, tensor in enumerate(tensors):
            if tensor is not None and not isinstance(tensor, TensorBase):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument {index} is of type "
                    f"{type(tensor).__name__}"
                )
        self._to_save = tensors

    def mark_dirty(self, *tensors: Any) -> None:
        """Say that `forward` has written these inputs in place. They must be among its outputs."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Say that these outputs need no gradient, such as indices."""
        self._non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether `backward` gets zeros (the default) or None for an output that was not used."""
        self._materialize_grads = value

    _to_save: tuple[Any, ...] = ()
    _dirty: tuple[Any, ...] = ()
    _non_differentiable: tuple[Any, ...] = ()
    _materialize_grads = True
    needs_input_grad: tuple[bool, ...] = ()


class BackwardNode(FunctionCtx):
    """The node of a custom Function: its class is named after the Function, such as `MyReLUBackward`."""

    function: type[Function]
    kind: NodeKind

    def __init__(self) -> None:
        self.key = next_key()
        self.edges: tuple[Any, ...] = ()
        self.extras = None
        self.shape: Any = None
        self.dtype: Any = None
        self.outputs: Any = None
        self.saved: Any = ()

    next_functions = Node.next_functions
    name = Node.name
    _sequence_nr = Node._sequence_nr
    metadata = Node.metadata
    _input_metadata = Node._input_metadata
    register_hook = Node.register_hook
    register_prehook = Node.register_prehook
    __call__ = Node.__call__

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        if self.saved is None:
            raise freed_error(self)
        found = []
        for tensor, version, output_nr in self.saved:
            if tensor is not None:
                if tensor._version_counter[0] != version:
                    check_version(self, tensor, version, as_output=output_nr is not None)
                if output_nr is not None:  # an output was saved without its grad_fn, which is this node
                    tensor = make_alias(tensor)
                    tensor._edge = (self, output_nr)
            found.append(tensor)
        return tuple(found)

    def run(self, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
        """Call the user's `backward` on tensors, and check what it returns."""
        if self.saved is None:
            raise freed_error(self)
        given = [self._given(grad, i) for i, grad in enumerate(grads)]
        results = self.function.backward(self, *given)
        results = tuple(results) if isinstance(results, tuple | list) else (results,)
        expected = len(self._is_tensor)
        if len(results) > expected and all(r is None for r in results[expected:]):
            results = results[:expected]
        if len(results) != expected:
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected {expected}, got "
                f"{len(results)})"
            )
        sent = []
        for index, (result, is_tensor) in enumerate(zip(results, self._is_tensor, strict=True)):
            if not is_tensor:
                if result is not None:
                    raise RuntimeError(
                        f"function {self.name()} returned a gradient different from None at position {index + 1}, "
                        "but the corresponding forward input was not a Variable"
                    )
                continue
            if result is not None and not isinstance(result, TensorBase):
                raise RuntimeError(f"expected Variable or None (got {type(result).__name__})")
            sent.append(result if result is None or create_graph else result._value)
        return sent

    def _given(self, grad: Any, output_nr: int) -> Any:
        if grad is None:
            if not self._materialize_grads:
                return None
            shape, dtype = (self.shape, self.dtype) if self.outputs is None else self.outputs[output_nr]
            return make_tensor(np.zeros(shape, dtype))
        return grad if isinstance(grad, TensorBase) else make_tensor(grad)


class _FunctionMeta(type):
    """Gives each Function class its own type of node."""

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        super().__init__(name, bases, namespace)
        node_name = f"{name}Backward"
        node_class = Node.register(type(node_name, (BackwardNode,), {"function": cls, "__module__": __name__}))
        node_class.kind = NodeKind(node_name, BackwardNode.run)
        cls._node_class = node_class


class Function(metaclass=_FunctionMeta):
    """Derive from it, write `forward` and `backward` as static methods, and call `YourFunction.apply(…)`.

    `forward(ctx, *args)` computes the result without being recorded; or `forward(*args)` with a separate
    `setup_context(ctx, inputs, output)`. `backward(ctx, *grad_outputs)` returns one gradient, or None, for each
    argument.
    """

    _node_class: type[BackwardNode]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should "
            "invoke them on the class itself. Instantiating an autograd function will raise an error in a future "
            "version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise with_hint(
            RuntimeError(
                "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
                "function with static forward method. (Example: "
                "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
            ),
            "Make forward and backward static methods and call YourFunction.apply(x). Lesson 13.",
            "请把 forward 和 backward 写成静态方法，并用 YourFunction.apply(x) 调用。参见第 13 课。",
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """To be written by the derived class."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Where `forward` takes no ctx: save here what `backward` needs."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """To be written by the derived class."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run `forward` and record it as one node."""
        node = cls._node_class()
        node._is_tensor = tuple(isinstance(a, TensorBase) for a in args)
        tensors = [a for a in args if isinstance(a, TensorBase)]
        edges = tuple(gradient_edge(t) for t in tensors) if mode.enabled else ()
        tracked = any(edge is not NO_EDGE for edge in edges)
        by_tensor = iter(edges or (NO_EDGE,) * len(tensors))
        node.needs_input_grad = tuple(is_tensor and next(by_tensor) is not NO_EDGE for is_tensor in node._is_tensor)
        with no_grad():
            if cls.setup_context is Function.setup_context:
                output = cls.forward(node, *args)
            else:
                output = cls.forward(*args)
                cls.setup_context(node, args, output)
        outputs = output if isinstance(output, tuple) else (output,)
        if tracked:
            outputs = cls._record(node, edges, args, outputs)
        return tuple(outputs) if isinstance(output, tuple) else outputs[0]

    @classmethod
    def _record(cls, node: Any, edges: Any, args: Sequence[Any], outputs: Sequence[Any]) -> list[Any]:
        node.edges = edges
        specs, results = [], []
        for tensor in node._dirty:
            tensor._version_counter[0] += 1
        for output in outputs:
            if not isinstance(output, TensorBase):
                results.append(output)
                continue
            if any(output is a for a in args) and not any(output is d for d in node._dirty):
                output = output.view_as(output)  # an input returned as it is would otherwise get a second history
                output._meta = None
            differentiable = output._value.dtype.kind == "f" and not any(output is t for t in node._non_differentiable)
            if differentiable:
                output._edge = (node, len(specs))
            specs.append((output._value.shape, output._value.dtype))
            results.append(output)
        if len(specs) == 1:
            node.shape, node.dtype = specs[0]
        else:
            node.outputs = tuple(specs)
        saved = []
        for tensor in node._to_save:
            number = next((i for i, o in enumerate(outputs) if o is tensor), None)
            kept = tensor if number is None or tensor is None else make_alias(tensor)
            saved.append(
                (kept, 0 if tensor is None else tensor._version_counter[0], number if tensor is not None else None)
            )
        node.saved, node._to_save = tuple(saved), ()
        if anomaly.enabled:
            anomaly.remember_line(node)
        return results


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """For a `backward` that cannot itself be differentiated: its results refuse a second derivative."""

    @functools.wraps(backward)
    def wrapper(ctx: Any, *grads: Any) -> Any:
        with no_grad():
            results = backward(ctx, *grads)
        if not mode.enabled or not any(isinstance(g, TensorBase) and gradient_edge(g) is not NO_EDGE for g in grads):
            return results
        several = isinstance(results, tuple)
        refused = tuple(map(_refusing, results if several else (results,)))
        return refused if several else refused[0]

    return wrapper


def _refuse(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
    raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


_Error = NodeKind("Error", _refuse, "Stands where a second derivative would be needed and is not known.")


def _refusing(result: Any) -> Any:
    if not isinstance(result, TensorBase):
        return result
    refusing = make_alias(result)
    refusing._edge = (new_node(_Error, (), result, ()), 0)
    return refusing
