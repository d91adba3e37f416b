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
import inspect
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from ..devices import device_of, make
from ..hints import hinted, type_name
from ..refusals import refused
from .grad_mode import mode, modes_kept, no_grad, run, set_recording, unusual
from .graph import apply_modes
from .hooks import set_outputs
from .node import Node, gradient_edge, next_key, requires_grad
from .saved import unpack, version_of
from .variable import TensorBase, make_alias, make_tensor, meta_of
from .views import FUNCTION, SEVERAL, check_inplace, rebase_history


class FunctionCtx(Node):
    """What `forward` and `backward` share: the node of this call, whose class is named after the Function.

    Attributes:
        needs_input_grad: for each argument of `apply`, whether a gradient of it is wanted.
        saved_tensors: what `save_for_backward` was given. Raises RuntimeError if it has been freed, or written since.
    """

    function: type[Function]

    _runs_on_nothing = True
    _place: Any = None  # the device of the outputs
    _to_save: tuple[Any, ...] = ()
    _dirty: tuple[Any, ...] = ()
    _non_differentiable: tuple[Any, ...] = ()
    _materialize_grads = True
    needs_input_grad: tuple[bool, ...] = ()
    _raw_saved_tensors = property(lambda self: self._saved[::2])  # for a viewer: a user's hook is not asked

    def __init__(self) -> None:
        self._edges = self._saved = ()
        self._extras = self._of_shape = self._of_dtype = None
        self._key = 0

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors (or None) for `backward`. Unlike `ctx.x = x` this notices in-place writes and makes no cycle."""
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

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        return tuple(unpack(self, create_graph=True))

    def _apply(self, grads: Sequence[Any] | None, create_graph: bool) -> Sequence[Any]:
        """Call the user's `backward` on tensors, and check what it returns."""
        given = [
            self._nothing(i) if grad is None else grad if create_graph else make_tensor(grad)
            for i, grad in enumerate(grads or [None] * len(self._outputs))
        ]
        results = run(self.function.backward, self, *given, formula=False)
        results = results if isinstance(results, tuple) else (results,)
        wanted = len(self.needs_input_grad)
        if any(result is not None for result in results[wanted:]) or len(results) < wanted:
            raise refused("number of gradients", node=self.name(), wanted=wanted, given=len(results))
        sent = []
        for position, (result, is_tensor) in enumerate(zip(results, self._are_tensors), start=1):
            if is_tensor:
                if result is not None and not isinstance(result, TensorBase):
                    raise RuntimeError(f"expected Variable or None (got {type_name(result)})")
                sent.append(result if result is None or create_graph else result._value)
            elif result is not None:
                raise refused("gradient of no tensor", node=self.name(), position=position)
        return sent

    def _nothing(self, output_nr: int) -> Any:
        """What `backward` is given for an output that was not used."""
        shape, dtype = self._outputs[output_nr]
        if not self._materialize_grads or dtype is None:
            return None
        return make_tensor(make(self._place, "zeros", shape, dtype))


class Function:
    """Derive from it, write `forward` and `backward` as static methods, and call `YourFunction.apply(…)`.

    `forward(ctx, *args)` computes the result without being recorded; or `forward(*args)` with a separate
    `setup_context(ctx, inputs, output)`. `backward(ctx, *grad_outputs)` returns one gradient, or None, for each
    argument.
    """

    _node_class: type[FunctionCtx] = FunctionCtx
    _separate = False  # whether `forward` takes no ctx

    def __init_subclass__(cls) -> None:
        """Each Function has a type of node of its own, such as `SquareBackward`."""
        name = f"{cls.__name__}Backward"
        members = {"function": cls, "__module__": __name__, "_name": name, "__doc__": None}
        cls._node_class = type(name, (FunctionCtx,), members)
        cls._separate = cls.setup_context is not Function.setup_context

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(refused("instantiated", kind=type(self)), stacklevel=2)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise refused("called itself")

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """To be written by the derived class."""
        raise refused("no forward")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Where `forward` takes no ctx: save here what `backward` needs."""

    @staticmethod
    def backward(*args: Any, **kwargs: Any) -> Any:
        """To be written by the derived class, as `backward(ctx, *grad_outputs)`."""
        raise refused("no backward")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run `forward` and record it as one node.

        Only tensors that are arguments themselves take part in the graph, not those inside lists.
        """
        if cls._separate or kwargs:  # arguments by name, or left out, in the order in which `forward` takes them
            ctx = () if cls._separate else (None,)
            bound = inspect.signature(cls.forward).bind(*ctx, *args, **kwargs)
            if cls._separate:
                bound.apply_defaults()
            args = bound.args[len(ctx) :]
        node: Any = cls._node_class()
        node._are_tensors = [isinstance(arg, TensorBase) for arg in args]
        node.needs_input_grad = tuple([isinstance(arg, TensorBase) and requires_grad(arg) for arg in args])
        tracked = True in node.needs_input_grad and (not unusual or mode.enabled)
        if tracked:
            node._edges = tuple([gradient_edge(arg) for arg in args if isinstance(arg, TensorBase)])
            node._key = next_key()
        output = cls._run_forward(node, args)
        several = isinstance(output, tuple)
        results = _finish(node, args, output if several else (output,), tracked)
        return tuple(results) if several else results[0]

    @classmethod
    @modes_kept
    def _run_forward(cls, node: Any, args: tuple[Any, ...]) -> Any:
        set_recording(False)
        if not cls._separate:
            return cls.forward(node, *args)
        output = cls.forward(*args)
        cls.setup_context(node, args, output)
        return output


def _finish(node: Any, args: Sequence[Any], outputs: Sequence[Any], tracked: bool) -> list[Any]:
    """The results of `forward`, with `node` as the history of those that have a gradient. Raises PyTorch's errors."""
    if any(not _among(tensor, outputs) for tensor in node._dirty):
        raise refused("dirty not returned")
    values = [output._value if isinstance(output, TensorBase) else None for output in outputs]
    differentiable = [
        tracked and value is not None and value.dtype.kind == "f" and not _among(output, node._non_differentiable)
        for value, output in zip(values, outputs)
    ]
    node._place = next((device_of(value) for value in values if value is not None), None)
    set_outputs(node, [((), None) if value is None else (value.shape, value.dtype) for value in values])
    try:
        results = [_result(node, nr, output, args, differentiable) for nr, output in enumerate(outputs)]
    finally:  # even if a write was refused; not before `_result`, or a view would see a new version and remake its edge
        for tensor in node._dirty:
            tensor._version_counter[0] += 1
    if tracked:
        _save(node, outputs)
        if unusual:
            apply_modes(node, *results)
    return results


def _result(node: Any, output_nr: int, output: Any, args: Sequence[Any], differentiable: Sequence[bool]) -> Any:
    """What `forward` returned, as `apply` returns it: if it is differentiable, `node` has made it."""
    if not isinstance(output, TensorBase):
        return output
    is_input, written = _among(output, args), _among(output, node._dirty)
    if not differentiable[output_nr]:
        if is_input and not written and not requires_grad(output):
            with no_grad():
                return output.view_as(output)
        return output.detach() if requires_grad(output) else output
    if written:
        check_inplace(output)
        if output._base is not None and len(node._outputs) > 1:
            raise refused("dirty view")
        rebase_history(output, node, output_nr)
        meta_of(output).grad = None  # a gradient kept before was of the old numbers
        return output
    if is_input:  # returned as it is, it would otherwise get a second history
        with no_grad():
            output = output.view_as(output)
    if output._base is None:
        output._edge = node, output_nr
    else:
        meta, output._edge = output._meta, None
        meta.edge, meta.version = (node, output_nr), int(output._version_counter[0])  # `forward` may have written it
        # Several results with a gradient come from one node, which cannot be rewritten for one of them.
        meta.forbids_inplace = SEVERAL if sum(differentiable) > 1 else FUNCTION
    return output


def _save(node: Any, outputs: Sequence[Any]) -> None:
    """Keep what `save_for_backward` was given; an output without its grad_fn, which would be a cycle."""
    saved: list[Any] = []
    names = []
    for i, tensor in enumerate(node._to_save):
        if tensor is not None and not isinstance(tensor, TensorBase):
            said = f"save_for_backward can only save variables, but argument {i} is of type {type_name(tensor)}"
            raise hinted(TypeError(said))
        output_nr = next((nr for nr, output in enumerate(outputs) if output is tensor is not None), None)
        names.append("" if output_nr is None else f"result{output_nr}")
        saved += (tensor if output_nr is None else make_alias(tensor)), version_of(tensor)
    node._saved, node._names_of_saved, node._to_save = tuple(saved), names, ()


def _among(tensor: Any, others: Sequence[Any]) -> bool:
    """Whether one of `others` is this very tensor."""
    return id(tensor) in map(id, others)


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """For a `backward` that cannot itself be differentiated: its results refuse a second derivative."""

    class Once(Function):
        @staticmethod
        def forward(_: Any, ctx: Any, *grads: Any) -> Any:
            return backward(ctx, *grads)

        @staticmethod
        def backward(_: Any, *grads: Any) -> Any:
            raise refused("not differentiable again")

    return functools.wraps(backward)(lambda ctx, *grads: Once.apply(ctx, *grads))
