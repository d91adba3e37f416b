"""How a forward and its derivatives become an operation that records itself.

An operation is a function on raw arrays, decorated with one formula for each input that has a derivative:

    @binary("MulBackward0", self=lambda grad, other: grad * other, other=lambda grad, self: grad * self)
    def mul(self, other):
        \"\"\"c = a · b      ∂L/∂a = ∂L/∂c · b      ∂L/∂b = ∂L/∂c · a\"\"\"
        return self * other

A formula gets the gradient of the output and, by their names, the values it needs: arguments of the operation, its
`result`, or `self_sym_sizes`, the shape of the argument `self` (`formulas.PROPERTIES`). Only these are saved, and only
when the input whose formula needs them needs a gradient; users see them as `grad_fn._saved_other`.

A formula does not care whether it is given raw arrays (an ordinary backward) or tensors (create_graph=True): operators,
methods and numpy functions mean the same on both, and an operation called on raw arrays is just its forward. Nor does
it care whether an input was broadcast or promoted: the engine sums and casts once for all.

Where recording a formula would give wrong or coarser numbers, and where it writes into memory, which cannot be
recorded, it calls an operation with a derivative of its own, as `binary_cross_entropy` does: one node stands for that.

Where the forward is one expression, the rule is a row: the same with the forward, and then the equation that elsewhere
is its docstring.

    exp = unary("ExpBackward0", self=lambda grad, result: grad * result)(np.exp, "c = eᵃ      ∂L/∂a = g · c")

`unary` is for one operand (and constants), `binary` for two, either of which may be a number, `op` for all else. Each
makes one function that computes, and that makes the node if a gradient will be wanted; in it the everyday case stands
first, and what seldom happens (other types, errors, inference mode, a GPU) in the branches behind.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from .. import table
from ..autograd import variable
from ..autograd.grad_mode import mode, unusual
from ..autograd.graph import apply_modes
from ..autograd.hooks import set_outputs
from ..autograd.node import asked_edge, gradient_edge, new_node, node_type
from ..autograd.variable import NO_EDGE, TensorBase, make_tensor, meta_of
from ..autograd.views import SEVERAL, show
from ..dtypes import default_numpy_dtype, result_numpy_dtype, wrapped
from ..hints import not_operand
from ..memory import order_of, zero_beside
from .errors import not_for, told_apart, type_letter
from .formulas import (
    Formula,
    applied,
    applied_to_two,
    applied_together,
    argument_names,
    needed_by,
    parameters,
    raw_of,
    saver,
)
from .places import at_home, meet

_new = object.__new__


def record(result: TensorBase, kind: Any, edges: tuple[Any, ...], saved: tuple[Any, ...]) -> Any:
    """Make the node of an operation and let `result` point to it. (`unary`, `binary` and `view` do so themselves.)"""
    node = new_node(kind, edges, result, saved)
    result._edge = node
    if unusual:
        apply_modes(node, result)
    return node


def plain(value: Any) -> Any:
    """The result of a computation that is not recorded, such as a comparison."""
    result = make_tensor(value)
    if unusual and mode.inference:
        meta_of(result).is_inference = True
    return result


def finish(operation: Any, forward: Any, equation: str | None = None, name: str = "", formula: Any = None) -> Any:
    """`operation` under the name and with the docstring of `forward`, which may be an operation itself.

    A row, which has an `equation`, has the `name` of its node, clamp_min for ClampMinBackward0, and the module of its
    `formula`.
    """
    row = equation is not None and formula is not None
    named = re.sub("(?<=[a-z])(?=[A-Z])", "_", name.partition("Backward")[0]).lower() if row else forward.__name__
    operation.__name__ = operation.__qualname__ = named
    # (a function of numpy's own has no __module__ before numpy 2.2)
    operation.__module__ = formula.__module__ if row else getattr(forward, "__module__", "numpy")
    operation.__doc__ = equation or forward.__doc__
    operation.forward = getattr(forward, "forward", forward)
    if operation.forward.__name__ == "<lambda>":
        operation.forward.__name__ = named  # errors name it
    if inspect.isfunction(operation.forward):  # numpy's own functions have other arguments
        operation.__wrapped__ = operation.forward
    return operation


# ---------------------------------------------------------------------------------------------------------------------
# One operand


def unary(
    name: str,
    *,
    self: Formula,
    to_float: bool = False,
    kinds: str = "fiub",
    refusal: Exception | None = None,
    public: bool = False,
) -> Callable[[Callable[..., Any]], Any]:
    """Make an operation of a function of one array, and perhaps of constants such as a dimension, given its formula.

    With `to_float` an integer or bool input is first cast to the default float type, as for `exp`. `kinds` are numpy's
    kinds of types that PyTorch computes with, and `refusal` is what it raises for others. With `public` it is, as it
    stands, what users write: `torch.exp(x)`, `x.exp()`, `x.exp_()` and `out=`.
    """

    def decorate(forward: Callable[..., Any], equation: str | None = None) -> Any:
        arguments, needs = argument_names(forward), needed_by(self)
        kind = node_type(name, applied([self], needs), equation or forward.__doc__, needs)
        if len(arguments) > 1 or needs not in ((), ("self",), ("result",)):
            assert not to_float, "only for a function of nothing but one array"
            save = saver({arguments[0]: self}, arguments, needs)
            return finish(_with_constants(forward, kind, save, kinds), forward, equation, name, self)
        saves_result = needs == ("result",)

        def operation(input):
            if not isinstance(input, TensorBase):
                return forward(input)
            value = input._value
            if value.dtype.kind != "f":
                if value.dtype.kind not in kinds:
                    kernel = f"{forward.__name__}_cpu"
                    raise not_for(kernel, type_letter(value)) if refusal is None else type(refusal)(*refusal.args)
                value = value.astype(default_numpy_dtype()) if to_float else value
            result = _new(variable.result_class)  # `make_tensor`, written out, as in `binary`: fewer calls
            result._value = value = forward(value)
            result._edge = NO_EDGE
            result._counter = result._meta = None
            edge = input._edge
            if unusual and not mode.enabled:
                return plain(value)
            if edge is None:
                edge = (input._meta.base is None and input._meta.accumulator()) or asked_edge(input)  # (one step less)
            if edge is NO_EDGE:
                return result
            if saves_result:  # without its own history: that would be a cycle
                alias = make_tensor(value)  # `make_alias`, written out: 1 % of a chain with tanh
                alias._counter = result._counter = [0]
                saved = alias, 0
            else:
                saved = (input, 0 if input._counter is None else input._counter[0]) if needs else ()
            node = new_node(kind, (edge,), result, saved)
            result._edge = node
            if unusual:
                apply_modes(node, result)
            return result

        finish(operation, forward, equation, name, self)
        return table.public(operation, inplace=True, like=table.one_tensor) if public else operation

    return decorate


def _with_constants(forward: Callable[..., Any], kind: Any, save: Callable[..., Any], kinds: str) -> Any:
    """The operation of a function of an array and of constants."""

    def operation(input, *constants):
        if not isinstance(input, TensorBase):
            return forward(input, *constants)
        value = input._value
        if value.dtype.kind not in kinds:
            raise not_for(f"{forward.__name__}_cpu", type_letter(value))
        result = make_tensor(forward(value, *constants))
        edge = input._edge
        if unusual and not mode.enabled:
            return plain(result._value)
        if edge is None:
            edge = asked_edge(input)
        if edge is not NO_EDGE and result._value.dtype.kind == "f":
            record(result, kind, (edge,), save((input, *constants), result, (edge,)))
        return result

    return operation


def raw_operands(x: Any, y: Any, to_float: bool) -> tuple[Any, Any, Any, Any] | None:
    """The raw values and the edges of two operands, tensors or numbers; None if one is neither.

    Formulas compute with arrays as well. What a user's array is beside a tensor, `array_protocol.py` says.
    """
    if isinstance(y, np.generic) and isinstance(x, TensorBase):  # to a tensor a numpy number is a number
        y = y.item()
    arrays = mode.formula or not (isinstance(x, TensorBase) or isinstance(y, TensorBase))
    raw: list[Any] = []
    for operand in (x, y):
        if isinstance(operand, TensorBase):
            raw += operand._value, operand._edge
        elif isinstance(operand, int | float) or (arrays and hasattr(operand, "dtype")):
            raw += operand, NO_EDGE
        else:
            return None
    value_x, edge_x, value_y, edge_y = raw
    return *promoted(value_x, value_y, to_float), edge_x, edge_y


def promoted(x: Any, y: Any, to_float: bool = False) -> tuple[Any, Any]:
    """Two raw operands in the one type that PyTorch computes in. A number beside floats stays: numpy agrees."""
    # A numpy float64 is a Python float, too, but stands for a 0-dim tensor here.
    number_x, number_y = (isinstance(v, int | float) and not isinstance(v, np.generic) for v in (x, y))
    if number_y and not number_x and x.dtype.kind == "f":
        return x, y
    if number_x and not number_y and y.dtype.kind == "f":
        return x, y
    dtype = result_numpy_dtype(x, y)
    if to_float and dtype.kind != "f":
        dtype = default_numpy_dtype()
    return _cast(x, dtype), _cast(y, dtype)


def _cast(x: Any, dtype: np.dtype) -> Any:
    if isinstance(x, np.generic) or not isinstance(x, int | float):
        return x if x.dtype == dtype else x.astype(dtype, order=order_of(x))
    return wrapped(x, dtype)


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
    public: Callable[..., Any] | None = None,
) -> Callable[[Callable[..., Any]], Any]:
    """Make an operation of a function of two arrays, given the formula of each.

    Either operand may be a Python number. Operands of different types are promoted by PyTorch's rules; with `to_float`
    two integers give the default float type, as for division. An operand of any other type gives NotImplemented.
    `check` raises PyTorch's error for types that it refuses; two operands of one float type are not checked.
    `with_number` is the operation in its place where the second operand is a number.
    With `public` it is, as it stands, what users write, with the parameters of that function (`table.py`, at its end).
    """
    # Which operand is needed by the formula of which.
    self_for_self = "self" in parameters(self)
    other_for_self = "other" in parameters(self)
    self_for_other = "self" in parameters(other)
    other_for_other = "other" in parameters(other)
    saved_names = ("other", "self") if parameters(self) or parameters(other) else ()
    any_type = not to_float and check is None  # whether two operands of one type may always be computed with

    def decorate(forward: Callable[[Any, Any], Any], equation: str | None = None) -> Any:
        kind = node_type(name, applied_to_two(self, other), equation or forward.__doc__, saved_names)

        def operation(input, other):
            if isinstance(other, TensorBase) and isinstance(input, TensorBase):
                x, edge_x, counter_x = input._value, input._edge, input._counter
                y, edge_y, counter_y = other._value, other._edge, other._counter
                as_they_are = x.dtype is y.dtype and (any_type or x.dtype.kind == "f")
            elif (type(other) is float or type(other) is int) and isinstance(input, TensorBase):
                if with_number and input._value.dtype.kind == "f":
                    return with_number(input, other)
                x, edge_x, counter_x = input._value, input._edge, input._counter
                y, edge_y, counter_y = other, NO_EDGE, None
                as_they_are = x.dtype.kind == "f"
            else:
                as_they_are = False
            if not as_they_are:
                operands = raw_operands(input, other, to_float)
                if operands is None:
                    return not_operand(other)
                x, y, edge_x, edge_y = operands
                counter_x, counter_y = getattr(input, "_counter", None), getattr(other, "_counter", None)
                if check is not None:
                    check(raw_of(input), raw_of(other))
                if not (isinstance(input, TensorBase) or isinstance(other, TensorBase)):
                    return forward(x, y)
            try:
                value = forward(x, y)
            except (ValueError, TypeError) as error:
                return operation(*_put_right(error, forward, input, other, x, y))
            result = _new(variable.result_class)
            result._value = value
            result._edge = NO_EDGE
            result._counter = result._meta = None
            if unusual and not mode.enabled:
                return plain(value)
            if edge_x is None:
                edge_x = (input._meta.base is None and input._meta.accumulator()) or asked_edge(input)
            if edge_y is None:
                edge_y = (other._meta.base is None and other._meta.accumulator()) or asked_edge(other)
            if edge_x is NO_EDGE and edge_y is NO_EDGE:
                return result
            saved = ()
            if saved_names:
                needs_x, needs_y = edge_x is not NO_EDGE, edge_y is not NO_EDGE
                a = input if (needs_x and self_for_self) or (needs_y and self_for_other) else None
                b = other if (needs_x and other_for_self) or (needs_y and other_for_other) else None
                saved = b, counter_y[0] if counter_y else 0, a, counter_x[0] if counter_x else 0
            node = new_node(at_home(kind, (x, y)) if unusual else kind, (edge_x, edge_y), result, saved)
            result._edge = node
            if unusual:
                apply_modes(node, result)
            return result

        finish(operation, forward, equation, name, self)
        return table.public(operation, inplace=True, like=public) if public else operation

    return decorate


def _put_right(error: Any, forward: Callable[..., Any], input: Any, other: Any, x: Any, y: Any) -> Any:
    """The two operands of a function that has failed with `error`, so that it does not; or PyTorch's error."""
    if isinstance(error, TypeError):
        return meet(error, forward, (input, other))
    for operand in (input, other):  # one that has lost its place in the graph is the first thing to say
        if mode.enabled and isinstance(operand, TensorBase):
            gradient_edge(operand)
    raise told_apart(error, x, y) from None


# ---------------------------------------------------------------------------------------------------------------------
# Any operands


def op(
    name: str,
    *,
    sequence: bool = False,
    inputs: tuple[str, ...] = (),
    together: Formula | None = None,
    **formulas: Formula,
) -> Callable[[Callable[..., Any]], Any]:
    """Make an operation of a function of any arguments, of which some are tensors.

    Each keyword names a differentiable argument and gives its formula. With `sequence` the first argument is a sequence
    of tensors and its formula returns a sequence of gradients.

    Where the gradients of several arguments have much in common, one formula gives them `together`: `inputs` names
    these arguments, and after the gradient it is told which of theirs are wanted.
    """

    def decorate(forward: Callable[..., Any], equation: str | None = None) -> Any:
        arguments = argument_names(forward)
        if together is not None:
            formulas.update(dict.fromkeys(inputs, together))
            saved_names = tuple(n for n in needed_by(together) if n != parameters(together)[0])
            apply = applied_together(together, saved_names, told=True)
        else:
            saved_names = needed_by(*formulas.values())
            [*each] = formulas.values()
            apply = applied_together(each[0], saved_names, told=False) if sequence else applied(each, saved_names)
        kind = node_type(name, apply, equation or forward.__doc__, saved_names)
        save = saver(formulas, arguments, saved_names)
        first, *others = [arguments.index(argument) for argument in formulas]
        differentiable = itemgetter(first, *others) if others else itemgetter(slice(first, first + 1))

        def operation(*args):
            raw, tensors = [], False
            for argument in args:
                if isinstance(argument, TensorBase):
                    argument, tensors = argument._value, True
                elif sequence and argument is args[0] and isinstance(argument[0], TensorBase):
                    argument, tensors = [one._value for one in argument], True
                raw.append(argument)
            if not tensors:
                return forward(*args)
            try:
                value = forward(*raw)
            except TypeError as error:
                return operation(*meet(error, forward, args))
            except ValueError as error:
                raise told_apart(error, *raw) from None
            result = make_tensor(value)
            if unusual and not mode.enabled:
                return plain(value)
            if value.dtype.kind != "f":
                return result
            edges, tracked = [], False
            for argument in args[0] if sequence else differentiable(args):
                edge = argument._edge if isinstance(argument, TensorBase) else NO_EDGE
                if edge is None:
                    edge = asked_edge(argument)
                if edge is not NO_EDGE:
                    tracked = True
                edges.append(edge)
            if tracked:
                values = raw[0] if sequence else differentiable(raw)
                home = at_home(kind, values) if unusual else kind
                record(result, home, tuple(edges), save(args, result, edges))
            return result

        return finish(operation, forward, equation, name, next(iter(formulas.values())))

    return decorate


# ---------------------------------------------------------------------------------------------------------------------
# Without a derivative


def comparison(forward: Callable[[Any, Any], Any], meaning: str | None = None) -> Any:
    """Make an operation without a derivative of a function of two arrays, promoted as by `binary`."""

    def operation(input, other):
        if type(other) in (int, float) and isinstance(input, TensorBase) and input._value.dtype.kind == "f":
            x, y = input._value, other or zero_beside(input._value)
        else:
            operands = raw_operands(input, other, False)
            if operands is None:
                return NotImplemented
            x, y, _, _ = operands
        try:
            value = forward(x, y)
        except ValueError as error:
            raise told_apart(error, x, y) from None
        except TypeError as error:
            return operation(*meet(error, forward, (input, other)))
        if not (isinstance(input, TensorBase) or isinstance(other, TensorBase)):
            return value
        return plain(value)

    return finish(operation, forward, meaning)


# ---------------------------------------------------------------------------------------------------------------------
# Views of the first operand


def view(name: str, *, self: Formula) -> Callable[[Callable[..., Any]], Any]:
    """Make an operation whose result shows (part of) the memory of its first argument, as `x.t()` does."""

    def decorate(forward: Callable[..., Any], equation: str | None = None) -> Any:
        arguments, needs = argument_names(forward), needed_by(self)
        kind = node_type(name, applied([self], needs), equation or forward.__doc__, needs)
        save = saver({arguments[0]: self}, arguments, needs)

        def operation(input, *args):
            if not isinstance(input, TensorBase):
                return forward(input, *args)
            memory = input._value
            if memory.__class__ is not np.ndarray:  # a number
                memory = input._array
            result = show(input, forward(memory, *args))
            edge = input._edge
            if edge is NO_EDGE or (unusual and not mode.enabled):
                return result
            if edge is None:
                edge = (input._meta.base is None and input._meta.accumulator()) or asked_edge(input)
                if edge is NO_EDGE:
                    return result
            node = new_node(kind, (edge,), result, save((input, *args), result, (edge,)))
            result._meta.edge = node
            if unusual:
                apply_modes(node, result)
            return result

        return finish(operation, forward, equation, name, self)

    return decorate


def views(name: str, *, self: Formula) -> Callable[[Callable[..., Any]], Any]:
    """Make an operation whose results are several views of its first argument, as those of `x.unbind()`.

    They share one node. Its formula gets the list of all their gradients, zeros for those that were not used.
    """

    def decorate(forward: Callable[..., Any]) -> Any:
        arguments, needs = argument_names(forward), needed_by(self)
        apply_all = applied([self], needs)

        def apply(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
            like = next(grad for grad in grads if grad is not None)
            filled = list(grads)
            for i, (shape, _) in enumerate(node._outputs):
                if filled[i] is None:
                    filled[i] = np.zeros_like(like, shape=shape)
            return apply_all(node, [filled], create_graph)

        kind = node_type(name, apply, forward.__doc__, needs)
        save = saver({arguments[0]: self}, arguments, needs)

        def operation(input, *args):
            results = [show(input, array) for array in forward(input._array, *args)]
            edge = gradient_edge(input) if mode.enabled else NO_EDGE
            for result in results if mode.enabled else ():
                result._meta.forbids_inplace = SEVERAL
            if edge is not NO_EDGE and results:
                node = record(results[0], kind, (edge,), save((input, *args), results[0], (edge,)))
                set_outputs(node, [(result._value.shape, result._value.dtype) for result in results])
                for output_nr, result in enumerate(results):
                    result._meta.edge, result._edge = (node, output_nr), None
            return tuple(results)

        return finish(operation, forward)

    return decorate
