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
from ..hints import type_name, with_hint
from . import anomaly
from .grad_mode import in_formula, mode, modes_kept, no_grad, set_recording, unusual
from .hooks import set_outputs
from .node import Node, gradient_edge, new_node, next_key, node_type, requires_grad
from .saved import unpack, version_of
from .saved_hooks import inspect_saved
from .variable import NO_EDGE, TensorBase, make_alias, make_tensor
from .views import FUNCTION, SEVERAL, check_inplace, rebase_history


class FunctionCtx:
    """What `forward` and `backward` share: the node of this call.

    Attributes:
        needs_input_grad: for each argument of `apply`, whether a gradient of it is wanted.
        saved_tensors: what `save_for_backward` was given. Raises RuntimeError if it has been freed, or written since.
    """

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors (or None) for `backward`. Unlike `ctx.x = x` this notices in-place writes and makes no cycle."""
        self._to_save = tensors

    def mark_dirty(self, *tensors: Any) -> None:
        """Say that `forward` has written these inputs in place. They must be among its outputs."""
        self._dirty, self._marked = _tensors("mark_dirty can only accept variables, but argument ", tensors), True

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Say that these outputs need no gradient, such as indices."""
        refusal = "mark_non_differentiable only accepts variable arguments, but got "
        self._non_differentiable, self._marked = _tensors(refusal, tensors), True

    def set_materialize_grads(self, value: bool) -> None:
        """Whether `backward` gets zeros (the default) or None for an output that was not used."""
        self._materialize_grads = value

    _to_save: tuple[Any, ...] = ()
    _dirty: tuple[Any, ...] = ()
    _non_differentiable: tuple[Any, ...] = ()
    _marked = False  # whether there are any of the two
    _materialize_grads = True
    needs_input_grad: tuple[bool, ...] = ()


def _tensors(refusal: str, marked: tuple[Any, ...]) -> tuple[Any, ...]:
    if not all(isinstance(tensor, TensorBase) for tensor in marked):
        raise RuntimeError(refusal)
    return marked


#: What a Function has saved that saved nothing: freed all the same.
_NOTHING = (object(), 0)


class BackwardNode(FunctionCtx, Node):
    """The node of a custom Function: its class is named after the Function, such as `MyReLUBackward`."""

    function: type[Function]

    _runs_on_nothing = True

    def __init__(self) -> None:
        self._edges = self._saved = ()
        self._extras = self._output_shape = self._output_dtype = None
        self._key = 0

    _are_tensors: Sequence[bool] = ()  # for each argument of `apply`; nothing if all are
    _place: Any = None  # the device of the outputs; None while there is only one

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        return () if self._saved is _NOTHING else tuple(unpack(self, create_graph=True))

    @property
    def _raw_saved_tensors(self) -> tuple[Any, ...]:
        return self._saved[::2]

    def _apply(self, grads: Sequence[Any] | None, create_graph: bool) -> Sequence[Any]:
        """Call the user's `backward` on tensors, and check what it returns."""
        given = [
            self._nothing(i) if grad is None else grad if create_graph else make_tensor(grad)
            for i, grad in enumerate(grads or [None] * len(self._outputs))
        ]
        function = self.function
        backward = function.backward if function.vjp is Function.vjp else self._vjp()
        if create_graph:
            with in_formula(False):
                results = backward(self, *given)
        else:
            results = backward(self, *given)
        results = results if isinstance(results, tuple) else (results,)
        expected = len(self.needs_input_grad)
        if len(results) > expected and all(r is None for r in results[expected:]):
            results = results[:expected]
        if len(results) != expected:
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected {expected}, got "
                f"{len(results)})"
            )
        sent = []
        are_tensors = self._are_tensors or (True,) * expected
        for index, (result, is_tensor) in enumerate(zip(results, are_tensors, strict=True)):
            if not is_tensor:
                if result is not None:
                    raise RuntimeError(
                        f"function {self.name()} returned a gradient different than None at position {index + 1}, "
                        "but the corresponding forward input was not a Variable"
                    )
                continue
            if result is not None and not isinstance(result, TensorBase):
                raise RuntimeError(f"expected Variable or None (got {type_name(result)})")
            sent.append(result if result is None or create_graph else result._value)
        return sent

    def _vjp(self) -> Callable[..., Any]:
        if self.function.backward is not Function.backward:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                "implement one of them."
            )
        return self.function.vjp

    def _nothing(self, output_nr: int) -> Any:
        """What `backward` is given for an output that was not used."""
        shape, dtype = self._outputs[output_nr]
        if not self._materialize_grads or dtype is None:
            return None
        return make_tensor(make(self._place, "zeros", shape, dtype))


class _FunctionMeta(type):
    """Gives each Function class its own type of node."""

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        super().__init__(name, bases, namespace)
        node_name = f"{name}Backward"
        members = {"function": cls, "__module__": __name__, "_name": node_name, "__doc__": None}
        cls._node_class = type(node_name, (BackwardNode,), members)
        cls._separate = bool(bases) and cls.setup_context is not Function.setup_context


class Function(metaclass=_FunctionMeta):
    """Derive from it, write `forward` and `backward` as static methods, and call `YourFunction.apply(…)`.

    `forward(ctx, *args)` computes the result without being recorded; or `forward(*args)` with a separate
    `setup_context(ctx, inputs, output)`. `backward(ctx, *grad_outputs)` returns one gradient, or None, for each
    argument.
    """

    _node_class: type[BackwardNode]
    _separate: bool  # whether `forward` takes no ctx

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
    def backward(ctx: Any, *grad_outputs: Any, **options: Any) -> Any:
        """To be written by the derived class."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """The derivative in forward mode, which minigrad does not have."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    generate_vmap_rule = False

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """How the Function acts on a whole batch, for `vmap`, which minigrad does not have."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set "
            "generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run `forward` and record it as one node.

        Only tensors that are arguments themselves take part in the graph, not those inside lists.
        """
        if cls._separate:
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args = bound.args
        elif kwargs:
            args = _in_order(cls.forward, args, kwargs)
        node: Any = cls._node_class()
        node.needs_input_grad = tuple([isinstance(arg, TensorBase) and requires_grad(arg) for arg in args])
        tracked = True in node.needs_input_grad and (not unusual or mode.enabled)
        if tracked:
            node._key = next_key()
            node._edges = tuple([gradient_edge(arg) for arg in args if isinstance(arg, TensorBase)])
            if len(node._edges) < len(args):
                node._are_tensors = [isinstance(arg, TensorBase) for arg in args]
        output = cls._run_forward(node, args)
        # As nearly always, one tensor that was made just now? Then there is little to do.
        new = isinstance(output, TensorBase) and output._meta is None and output._edge is NO_EDGE
        if not new or node._marked or unusual or _index_of(output, args) is not None:
            several = isinstance(output, tuple)
            results = _finish(node, args, output if several else (output,), tracked)
            return tuple(results) if several else results[0]
        if tracked and output._value.dtype.kind == "f":
            node._output_shape, node._output_dtype = output._value.shape, output._value.dtype
            output._edge = node
            _save(node, (output,), (output,))
        return output

    @classmethod
    @modes_kept
    def _run_forward(cls, node: Any, args: tuple[Any, ...]) -> Any:
        set_recording(False)
        mode.asked = False
        if not cls._separate:
            return cls.forward(node, *args)
        output = cls.forward(*args)
        cls.setup_context(node, args, output)
        return output


def _in_order(forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Arguments of which some are named, in the order in which `forward(ctx, …)` takes them."""
    _, *parameters = inspect.signature(forward).parameters.values()
    names = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    for name in kwargs:
        if name not in names:
            raise TypeError(f"forward() got an unexpected keyword argument '{name}'")
        if name in names[: len(args)]:
            raise TypeError(f"forward() got multiple values for argument '{name}'")
    for position in range(len(args), max(map(names.index, kwargs)) + 1):
        if names[position] not in kwargs:
            raise TypeError(f"forward() missing required argument: '{names[position]}' (position {position})")
        args = (*args, kwargs[names[position]])
    return args


def _finish(node: Any, args: Sequence[Any], outputs: Sequence[Any], tracked: bool) -> list[Any]:
    """The results of `forward`, with `node` as the history of those that have a gradient. Raises PyTorch's errors."""
    for tensor in node._dirty:
        if _index_of(tensor, args) is None:
            warnings.warn(
                "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated "
                "should be passed to ctx.mark_dirty().",
                UserWarning,
                stacklevel=3,
            )
        if _index_of(tensor, outputs) is None:
            raise with_hint(
                RuntimeError(
                    "Some elements marked as dirty during the forward method were not returned as output. The inputs "
                    "that are modified inplace must all be outputs of the Function."
                ),
                "Return the tensor that you marked with ctx.mark_dirty(…).",
                "用 ctx.mark_dirty(…) 标记过的张量必须作为 forward 的返回值。",
            )
    specs: list[tuple[Any, Any]] = []
    differentiable = []
    for output in outputs:
        value = output._value if isinstance(output, TensorBase) else None
        specs.append(((), None) if value is None else (value.shape, value.dtype))
        constant = value is None or value.dtype.kind != "f" or _index_of(output, node._non_differentiable) is not None
        differentiable.append(tracked and not constant)
        if node._place is None and value is not None:
            node._place = device_of(value)
    if len(specs) == 1:
        node._output_shape, node._output_dtype = specs[0]
    else:
        set_outputs(node, specs)
    results = []
    for output_nr, output in enumerate(outputs):
        if isinstance(output, TensorBase):
            is_input, written = (_index_of(output, tensors) is not None for tensors in (args, node._dirty))
            if differentiable[output_nr]:
                output = _connected(node, output_nr, output, is_input, written)
            else:
                output = _constant(output, is_input, written)
            if output._base is not None and not written:
                # Several results with a gradient come from one node, which cannot be rewritten for one of them.
                output._meta.forbids_inplace = SEVERAL if sum(differentiable) > 1 else FUNCTION
        results.append(output)
    for tensor in node._dirty:  # only now: a view asks for its new place in the graph when its version has changed
        tensor._version_counter[0] += 1
    if tracked:
        _save(node, outputs, results)
        if anomaly.enabled:
            anomaly.remember_line(node)
    return results


def _connected(node: Any, output_nr: int, output: Any, is_input: bool, written: bool) -> Any:
    """A tensor that `forward` returned, as `apply` returns it: `node` has made it."""
    if written:
        if output._edge is None and output._base is None:
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
        check_inplace(output)
        if output._base is not None and len(node._outputs) > 1:
            raise RuntimeError(
                "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot "
                "return more than one Tensor. This is not supported by the current autograd engine. You should either "
                "make sure the input is not a view (using .clone() for example) or make your Function only return one "
                "Tensor (potentially splitting it into two Functions: one doing the inplace that returns a single "
                "Tensor and a second one that does the other operations). You can ask on the forum "
                "https://discuss.pytorch.org/ if you need help to do this change."
            )
        rebase_history(output, node, output_nr)
        return output
    if is_input:  # returned as it is, it would otherwise get a second history
        output = _shown(output)
    if output._base is not None:
        output._meta.edge, output._edge = (node, output_nr), None
    else:
        output._edge = node, output_nr
    return output


def _constant(output: Any, is_input: bool, written: bool) -> Any:
    """A tensor that `forward` returned and that has no gradient."""
    if not requires_grad(output):
        return _shown(output) if is_input and not written else output
    if is_input:
        return output.detach()
    return output if output._base is not None else output.detach_()


@no_grad()
def _shown(tensor: Any) -> Any:
    return tensor.view_as(tensor)


def _save(node: Any, outputs: Sequence[Any], results: Sequence[Any]) -> None:
    """Keep what `save_for_backward` was given; an output without its grad_fn, which would be a cycle."""
    saved: list[Any] = []
    names = []
    for i, tensor in enumerate(node._to_save):
        if tensor is not None and not isinstance(tensor, TensorBase):
            raise TypeError(
                f"save_for_backward can only save variables, but argument {i} is of type {type_name(tensor)}"
            )
        output_nr = None if tensor is None else _index_of(tensor, outputs)
        names.append("" if output_nr is None else f"result{output_nr}")
        saved += (tensor if output_nr is None else make_alias(tensor)), version_of(tensor)
    node._saved, node._names_of_saved, node._to_save = tuple(saved) or _NOTHING, names, ()
    if unusual:
        inspect_saved(node, results)


def _index_of(tensor: Any, others: Sequence[Any]) -> int | None:
    """Where among `others` this very tensor is."""
    for i, other in enumerate(others):
        if tensor is other:
            return i
    return None


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """For a `backward` that cannot itself be differentiated: its results refuse a second derivative."""

    @functools.wraps(backward)
    def wrapper(ctx: Any, *grads: Any) -> Any:
        with no_grad():
            results = backward(ctx, *grads)
        if not mode.enabled or not any(isinstance(g, TensorBase) and requires_grad(g) for g in grads):
            return results
        several = isinstance(results, tuple)
        refused = _refusing(results if several else (results,))
        return refused if several else refused[0]

    return wrapper


def _refuse(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
    raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


_Error = node_type(
    "torch::autograd::Error", _refuse, "Stands where a second derivative would be needed and is not known."
)


def _refusing(results: Sequence[Any]) -> tuple[Any, ...]:
    """The same results, but as those of a node that cannot be run. As in PyTorch, copies of them are its leaves."""
    leaves = [None if r is None else r.detach().requires_grad_() for r in results]
    refusing = [None if leaf is None else make_alias(leaf) for leaf in leaves]
    tensors = [r for r in refusing if r is not None]
    node = new_node(_Error, tuple(gradient_edge(leaf) for leaf in leaves if leaf is not None), tensors[0], ())
    set_outputs(node, [(t._value.shape, t._value.dtype) for t in tensors])
    for output_nr, tensor in enumerate(tensors):
        tensor._edge = node, output_nr
    return tuple(refusing)
