"""How a forward and its derivatives become an operation that records itself.

An operation is a function on raw arrays, decorated with one formula for each input that has a derivative:

    @binary("MulBackward0", self=lambda grad, other: grad * other, other=lambda grad, self: grad * self)
    def mul(self, other):
        \"\"\"c = a · b      ∂L/∂a = ∂L/∂c · b      ∂L/∂b = ∂L/∂c · a\"\"\"
        return self * other

A formula gets the gradient of the output and, by their names, the values it needs: arguments of the operation, its
`result`, or `self_sym_sizes`, the shape of the argument `self` (`PROPERTIES`). Only these are saved, and only when the
input whose formula needs them needs a gradient; users see them as `grad_fn._saved_other`.

A formula does not care whether it is given raw arrays (an ordinary backward) or tensors (create_graph=True): operators,
methods and numpy functions mean the same on both, and an operation called on raw arrays is just its forward. Nor does
it care whether an input was broadcast or promoted: the engine sums and casts once for all.

A formula may be an operation itself. PyTorch has such operations for tanh and many others: with create_graph=True one
node, TanhBackwardBackward0, then stands for the whole formula, and has a derivative of its own:

    @unary("TanhBackward0", self=tanh_backward)

Its parameters say as above what it needs; one of the name `output` gets the `result` of the differentiated operation.

`unary` is for one operand (and constants), `binary` for two with operators and numbers, `op` for everything else. What
stands here is the general way, which cares for everything; most calls are nothing special, and are done by what
`usual.py` writes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import devices
from ..autograd import anomaly, grad_mode
from ..autograd.grad_mode import mode
from ..autograd.hooks import set_outputs
from ..autograd.node import NodeKind, check_version, freed_error, gradient_edge, new_node, requires_grad
from ..autograd.saved import inspect_saved
from ..autograd.variable import NO_EDGE, TensorBase, edge_to, make_alias, make_tensor, mark_inference
from ..dtypes import default_numpy_dtype
from ..hints import with_hint
from .errors import derivative_missing, refuse_operands, shape_error, told_apart
from .formulas import (
    SAVED_AS_TENSORS,
    Formula,
    applied_together,
    formulas_applied,
    kept_by,
    needed_by,
    plan,
    reattached,
    saved_properties,
    saver,
    taking,
    when_needed,
)
from .operands import raw_operands
from .places import at_home, meet
from .placing import zero_beside
from .usual import NUMBERS, Usual, argument_names, holds_tensor, on_arrays, parameters, raw_of, written_later


def record(result: TensorBase, kind: NodeKind, edges: tuple[Any, ...], saved: tuple[Any, ...]) -> Any:
    """Make the node of an operation and let `result` point to it."""
    node = new_node(kind, edges, result, saved)
    result._edge = node
    if anomaly.enabled:
        anomaly.remember_line(node)
    if grad_mode.special or grad_mode.inference_used:
        inspect_saved(node, {i: (result, 0) for i, name in enumerate(kind.saved_names) if name == "result"})
    return node


def usual(forward: Callable[..., Any], made: Callable[[Callable[..., Any]], Usual]) -> Any:
    """The operation that does the usual case by itself and leaves the rest to the general way (`usual.py`).

    All of it, `made(forward)`, is made when the operation is first called: most never are.
    """
    return finish(written_later(forward, made), forward)


def finish(operation: Any, forward: Callable[..., Any]) -> Any:
    """`operation` under the name and with the docstring of `forward`."""
    operation.__name__ = operation.__qualname__ = forward.__name__
    operation.__module__, operation.__doc__ = forward.__module__, forward.__doc__
    operation.__wrapped__ = operation.forward = forward
    return operation


# ---------------------------------------------------------------------------------------------------------------------
# One operand


def unary(
    name: str,
    *,
    self: Formula,
    to_float: bool = False,
    refuse_bool: Exception | None = None,
    shown: dict[str, Any] | None = None,
) -> Callable[[Callable[..., Any]], Any]:
    """Make an operation of a function of one array, and perhaps of constants such as a dimension, given its formula.

    With `to_float` an integer or bool input is first cast to the default float type, as for `exp`. `refuse_bool` is
    what PyTorch raises for a bool input. `shown` is as for `op`.
    """
    needs = parameters(self)

    def decorate(forward: Callable[..., Any]) -> Any:
        if forward.__code__.co_argcount > 1 or needs not in ((), ("self",), ("result",)):
            assert not to_float, "only for a function of nothing but one array"
            assert refuse_bool is None, "only for a function of nothing but one array"
            return usual(forward, lambda forward: _with_constants(name, self, forward, shown))
        return usual(forward, made)

    def made(forward: Callable[..., Any]) -> Usual:
        raw_formula = on_arrays(self)
        save_result = needs == ("result",)

        def apply(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
            if not needs:
                return (self(grads[0]),)
            if node.saved is None:
                raise freed_error(node)
            value, version = node.saved
            if value._version_counter[0] != version:
                check_version(node, value, version, as_output=save_result)
            if create_graph:
                return (self(grads[0], reattached(node, value, save_result)),)
            return (raw_formula(grads[0], value._value),)

        kind = NodeKind(name, apply, forward.__doc__, needs, lambda: saved_properties(needs, needs, shown=shown))

        def general(input):
            if not isinstance(input, TensorBase):
                return forward(input) if hasattr(input, "dtype") else refuse_operands(forward, input)
            value = input._value
            if refuse_bool is not None and value.dtype.kind == "b":
                raise type(refuse_bool)(*refuse_bool.args)
            if to_float and value.dtype.kind != "f":
                value = value.astype(default_numpy_dtype())
            value = forward(value)
            edge = input._edge
            if edge is not NO_EDGE and mode.enabled:
                edge = edge or gradient_edge(input)
                if edge is not NO_EDGE:
                    result = make_tensor(value)
                    kept = make_alias(result) if save_result else input  # its own history would be a cycle
                    record(result, kind, (edge,), (kept, kept._version_counter[0]) if needs else ())
                    return result
            result = make_tensor(value)
            if mode.inference:
                mark_inference(result)
            return result

        floats, renamed = to_float or refuse_bool is not None, {argument_names(forward)[0]: "input"}
        return Usual(general, forward, kind, {"self": self}, renamed, floats=floats, elementwise=True)

    return decorate


def _with_constants(name: str, formula: Formula, forward: Callable[..., Any], shown: dict[str, Any] | None) -> Usual:
    """The operation of a function of an array and of constants: `unary`, with more to save."""
    arguments = argument_names(forward)
    formulas = {arguments[0]: formula}
    needs, apply, save = plan(formulas, arguments)
    kind = NodeKind(name, apply, forward.__doc__, needs, lambda: saved_properties(needs, arguments[:1], shown=shown))
    kind.kept = kept_by(needs, formulas, plain=True)

    def general(input, *constants):
        if not isinstance(input, TensorBase):
            return forward(input, *constants)
        result = make_tensor(forward(input._value, *constants))
        edge = input._edge
        if edge is not NO_EDGE and mode.enabled and result._value.dtype.kind == "f":
            edge = edge or gradient_edge(input)
            if edge is not NO_EDGE:
                record(result, kind, (edge,), save((input, *constants), result, (edge,)))
        elif mode.inference:
            mark_inference(result)
        return result

    return Usual(general, forward, kind, formulas, {}, plain=True)


# ---------------------------------------------------------------------------------------------------------------------
# Two operands


def binary(
    name: str,
    *,
    self: Formula,
    other: Formula,
    to_float: bool = False,
    check: Callable[[Any, Any], None] | None = None,
    with_number: Callable[[Any, float], Any] | None = None,
    shown: dict[str, Any] | None = None,
) -> Callable[[Callable[..., Any]], Any]:
    """Make an operation of a function of two arrays, given the formula of each.

    Either operand may be a Python number. Operands of different types are promoted by PyTorch's rules; with `to_float`
    two integers give the default float type, as for division. An operand of any other type gives NotImplemented.
    `check` raises PyTorch's error for types that it refuses; two operands of one float type are not checked.
    `with_number` is the operation that a formula means when its second operand is a number (`grad_mode.in_formula`).
    `shown` is as for `op`.
    """

    def made(forward: Callable[[Any, Any], Any]) -> Usual:
        names = ("self", "other")
        self_formula, other_formula = taking(self, names), taking(other, names)
        # Which operand is needed by the formula of which.
        self_for_self, other_for_self = (n in parameters(self) for n in names)
        self_for_other, other_for_other = (n in parameters(other) for n in names)
        saves = self_for_self or other_for_self or self_for_other or other_for_other
        only_floats = to_float or check is not None  # for these, two operands of one type may need attention, too

        def apply(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
            if node.saved is None:
                raise freed_error(node)
            edge_a, edge_b = node.edges
            grad = grads[0]
            a = b = None
            if saves:  # the second operand first, as PyTorch does
                b = _operand(node, node.saved[2:], grad, create_graph)
                a = _operand(node, node.saved[:2], grad, create_graph)
            grad_b = None if edge_b is NO_EDGE else other_formula(grad, a, b)
            return None if edge_a is NO_EDGE else self_formula(grad, a, b), grad_b

        saved_names = names if saves else ()

        def was_kept(node: Any, name: str) -> bool:
            return any(
                name in parameters(formula) and edge is not NO_EDGE
                for formula, edge in zip((self, other), node.edges, strict=True)
            )

        properties = lambda: saved_properties(saved_names, names, was_kept, shown)  # noqa: E731
        kind = NodeKind(name, apply, forward.__doc__, saved_names, properties)

        def general(input, other):
            if type(other) in NUMBERS and isinstance(input, TensorBase) and input._value.dtype.kind == "f":
                if grad_mode.formula_used and mode.formula and with_number is not None:
                    return with_number(input, other)
                x, y, edge_x, edge_y = input._value, other, input._edge, NO_EDGE
            else:
                operands = raw_operands(input, other, to_float)
                if operands is None:
                    return NotImplemented
                x, y, edge_x, edge_y = operands
                if check is not None:
                    check(*(t._value if isinstance(t, TensorBase) else t for t in (input, other)))
                if not (isinstance(input, TensorBase) or isinstance(other, TensorBase)):
                    return forward(x, y)
            try:
                value = forward(x, y)
            except ValueError:
                for operand in (input, other):  # one that has lost its place in the graph is the first thing to say
                    if mode.enabled and isinstance(operand, TensorBase):
                        gradient_edge(operand)
                raise shape_error(x, y) from None
            except TypeError as error:
                return general(*meet(error, forward, (input, other)))
            if (edge_x is not NO_EDGE or edge_y is not NO_EDGE) and mode.enabled:
                if edge_x is None:
                    edge_x = gradient_edge(input)
                if edge_y is None:
                    edge_y = gradient_edge(other)
                if edge_x is not NO_EDGE or edge_y is not NO_EDGE:
                    saved = ()
                    if saves:
                        track_x, track_y = edge_x is not NO_EDGE, edge_y is not NO_EDGE
                        saved = (
                            *_saved_operand(input, (self_for_self and track_x) or (self_for_other and track_y)),
                            *_saved_operand(other, (other_for_self and track_x) or (other_for_other and track_y)),
                        )
                    own_kind = at_home(kind, (x, y)) if devices.gpu_used else kind
                    result = make_tensor(value)
                    record(result, own_kind, (edge_x, edge_y), saved)
                    return result
            result = make_tensor(value)
            if mode.inference:
                mark_inference(result)
            return result

        return Usual(
            general,
            forward,
            kind,
            {"self": self, "other": other},
            {argument_names(forward)[0]: "input"},
            one_type=True,
            numbers=True,
            floats=only_floats,
            last_first=True,
            elementwise=True,
        )

    return lambda forward: usual(forward, made)


def _saved_operand(operand: Any, needed: bool) -> tuple[Any, int]:
    """What is saved of an operand, a tensor or a number, if a formula needs it, and its version."""
    if not needed:
        return None, 0
    return operand, operand._version_counter[0] if isinstance(operand, TensorBase) else 0


def _operand(node: Any, saved: tuple[Any, int], grad: Any, create_graph: bool) -> Any:
    """A saved operand, raw or with `create_graph` a tensor. Raises PyTorch's error if it has been written since."""
    operand, version = saved
    if isinstance(operand, TensorBase):
        if operand._version_counter[0] != version:
            check_version(node, operand, version)
        return operand if create_graph else operand._value
    if create_graph and isinstance(operand, int | float):  # the 2 of `x * 2`, which PyTorch saves as a tensor
        return make_tensor(grad._value.dtype.type(operand))
    return operand


# ---------------------------------------------------------------------------------------------------------------------
# Any operands


def op(
    name: str,
    *,
    outputs: int = 1,
    sequence: bool = False,
    all_outputs: bool = False,
    inputs: tuple[str, ...] = (),
    together: Formula | None = None,
    shown: dict[str, Any] | None = None,
    **formulas: Formula,
) -> Callable[[Callable[..., Any]], Any]:
    """Make an operation of a function of any arguments, of which some are tensors.

    Each keyword names a differentiable argument and gives its formula. With `sequence` the first argument is a sequence
    of tensors and its formula returns a sequence of gradients. With `outputs` above 1 the forward returns a tuple, of
    which only the first element is differentiable; or with `all_outputs` each that is not None: then the formulas get
    the list of their gradients, None for those that were not used.

    Where the gradients of several arguments have much in common, one formula gives them `together`: `inputs` names
    these arguments, and after the gradient it is told which of theirs are wanted.

    `shown` says where PyTorch's names of what is saved are others: {"result": "inverse"} shows the saved result as
    `_saved_inverse`, {"dim": None} does not show the saved dim, and {"alpha": 1}, where no alpha is saved, shows 1;
    a function, of what is saved, shows its result.
    """

    def decorate(forward: Callable[..., Any]) -> Any:
        if outputs > 1 or sequence or together is not None:
            return finish(made(forward).general, forward)
        return usual(forward, made)

    def made(forward: Callable[..., Any]) -> Usual:
        arguments = argument_names(forward)
        if together is not None:
            formulas.update(dict.fromkeys(inputs, together))
            saved_names, apply_to_one = parameters(together)[1:], applied_together(together)
        else:
            saved_names = needed_by(formulas)
            apply_to_one = when_needed(formulas_applied, formulas, saved_names, sequence)

        def apply_to_all(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
            return apply_to_one(node, [grads], create_graph)

        apply = apply_to_all if all_outputs else apply_to_one
        save = when_needed(saver, formulas, arguments, saved_names)
        kind = NodeKind(
            name,
            apply,
            forward.__doc__,
            saved_names,
            lambda: saved_properties(saved_names, {*formulas, *SAVED_AS_TENSORS}, shown=shown),
        )
        kind.kept = kept_by(saved_names, formulas)
        positions = [arguments.index(argument) for argument in formulas]

        def general(*args):
            raw, tensors = [], False
            for argument in args:
                if isinstance(argument, TensorBase):
                    argument, tensors = argument._value, True
                elif type(argument) is tuple or type(argument) is list:
                    argument = raw_of(argument)
                raw.append(argument)
            if not (tensors or (sequence and holds_tensor(args[0]))):
                return forward(*args)
            try:
                value = forward(*raw)
            except TypeError as error:
                return general(*meet(error, forward, args))
            except ValueError as error:
                raise told_apart(error) from None
            if outputs > 1:
                results = tuple([None if each is None else _given(each, args) for each in value])
                result = next(each for each in results if each is not None)
            else:
                result = make_tensor(value)
                results = (result,)
            if mode.inference:
                for each in results:
                    mark_inference(each)
            elif mode.enabled and result._value.dtype.kind == "f":
                differentiable = args[0] if sequence else [args[i] for i in positions]
                edges, tracked = [], False
                for argument in differentiable:
                    edge = argument._edge if isinstance(argument, TensorBase) else NO_EDGE
                    if edge is not NO_EDGE:
                        edge = edge or gradient_edge(argument)
                        tracked = tracked or edge is not NO_EDGE
                    edges.append(edge)
                if tracked:
                    own_kind = at_home(kind, [raw_of(a) for a in differentiable]) if devices.gpu_used else kind
                    node = record(result, own_kind, tuple(edges), save(args, result, edges))
                    if all_outputs:
                        share(node, results)
            return results if outputs > 1 else result

        return Usual(general, forward, kind, formulas, {})

    return decorate


def _given(value: Any, args: Sequence[Any]) -> Any:
    """The tensor around `value`, one of several results: an argument if it is one, such as the places of maxima."""
    for argument in args:
        if isinstance(argument, TensorBase) and argument._value is value:
            return argument
    return make_tensor(value)


def share(node: Any, results: Sequence[TensorBase]) -> None:
    """Let `node` be the one that made each of `results`."""
    set_outputs(node, [((), None) if r is None else (r._value.shape, r._value.dtype) for r in results])
    for output_nr, result in enumerate(results):
        if result is not None:
            result._edge = edge_to(node, output_nr)


# ---------------------------------------------------------------------------------------------------------------------
# Without a derivative


def comparison(forward: Callable[[Any, Any], Any]) -> Any:
    """Make an operation without a derivative of a function of two arrays, promoted as by `binary`."""

    def operation(input, other):
        if type(other) in NUMBERS and isinstance(input, TensorBase) and input._value.dtype.kind == "f":
            x, y = input._value, other or zero_beside(input._value)
        else:
            operands = raw_operands(input, other, False)
            if operands is None:
                return NotImplemented
            x, y, _, _ = operands
        try:
            value = forward(x, y)
        except ValueError:
            raise shape_error(x, y) from None
        except TypeError as error:
            return operation(*meet(error, forward, (input, other)))
        if not (isinstance(input, TensorBase) or isinstance(other, TensorBase)):
            return value
        result = make_tensor(value)
        if mode.inference:
            mark_inference(result)
        return result

    return finish(operation, forward)


def plain(value: Any) -> Any:
    """The result of a computation through which no gradient goes, such as a comparison."""
    result = make_tensor(value)
    if mode.inference:
        mark_inference(result)
    return result


def constant(function: str, *names: str) -> Callable[[Any], Any]:
    """Let an operation, `function` in PyTorch, refuse tensors that need a gradient for these of its arguments."""

    def decorate(operation: Any) -> Any:
        positions = [argument_names(operation.forward).index(name) for name in names]

        def checked(*args):
            for name, position in zip(names, positions, strict=True):
                if mode.enabled and isinstance(args[position], TensorBase) and requires_grad(args[position]):
                    raise with_hint(
                        RuntimeError(
                            f"The function '{function}' is not differentiable with respect to argument '{name}'. "
                            "This input cannot have requires_grad True."
                        ),
                        f"Pass {name}.detach(): it is taken as a constant.",
                        f"请传入 {name}.detach()：它在这里只当常数用。",
                    )
            return operation(*args)

        return finish(checked, operation.forward)

    return decorate


def no_derivative(name: str) -> Callable[[Callable[..., Any]], Any]:
    """Make an operation, `name` in PyTorch, that PyTorch cannot differentiate: its node only raises an error."""

    def refuse(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
        derivative_missing(name)

    def decorate(forward: Callable[..., Any]) -> Any:
        kind = NodeKind("torch::autograd::NotImplemented", refuse, forward.__doc__)

        def operation(*args):
            result = make_tensor(forward(*map(raw_of, args)))
            if mode.enabled:
                edges = [gradient_edge(a) for a in args if isinstance(a, TensorBase) and a._edge is not NO_EDGE]
                edges = [edge for edge in edges if edge is not NO_EDGE]
                if edges:
                    record(result, kind, tuple(edges), ())
            return result

        return finish(operation, forward)

    return decorate
