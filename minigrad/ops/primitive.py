"""How a forward and its derivatives become an operation that records itself.

An operation is a function on raw arrays, decorated with one formula for each input that has a derivative:

    @binary("MulBackward0", self=lambda grad, other: grad * other, other=lambda grad, self: grad * self)
    def mul(self, other):
        \"\"\"c = a · b      ∂L/∂a = ∂L/∂c · b      ∂L/∂b = ∂L/∂c · a\"\"\"
        return self * other

A formula gets the gradient of the output and, by their names, the values it needs: arguments of the operation, its
`result`, or `self_sym_sizes`, the shape of the argument `self` (`_PROPERTIES`). Only these are saved, and only when the
input whose formula needs them needs a gradient; users see them as `grad_fn._saved_other`.

A formula does not care whether it is given raw arrays (an ordinary backward) or tensors (create_graph=True): operators,
methods and numpy functions mean the same on both, and an operation called on raw arrays is just its forward. Nor does
it care whether an input was broadcast or promoted: the engine sums and casts once for all.

A formula may be an operation itself. PyTorch has such operations for tanh and many others: with create_graph=True one
node, TanhBackwardBackward0, then stands for the whole formula, and has a derivative of its own:

    @unary("TanhBackward0", self=tanh_backward)

Its parameters say as above what it needs; one of the name `output` gets the `result` of the differentiated operation.

`unary` and `binary` are the hot path, written out for one operand (and constants) and for two. `op` is for everything
else.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from .. import devices
from ..autograd import anomaly, grad_mode, variable
from ..autograd.grad_mode import mode
from ..autograd.node import Node, NodeKind, check_version, freed_error, gradient_edge, new_node, next_key, requires_grad
from ..autograd.saved import FREED, Freed, Packed, SavedTensor, inspect_saved
from ..autograd.variable import NO_EDGE, TensorBase, make_alias, make_tensor, meta_of
from ..autograd.views import INFERENCE, NO_GRAD, SEVERAL
from ..dtypes import default_numpy_dtype, result_numpy_dtype, wrapped
from ..hints import with_hint
from .errors import refuse_operands
from .places import at_home, meet

Formula = Callable[..., Any]


def record(result: TensorBase, kind: NodeKind, edges: tuple[Any, ...], saved: tuple[Any, ...]) -> Any:
    """Make the node of an operation and let `result` point to it."""
    node = new_node(kind, edges, result, saved)
    result._edge = (node, 0)
    if anomaly.enabled or grad_mode.saved_inspected:
        _look_at(node, result)
    return node


def _look_at(node: Any, result: TensorBase) -> None:
    if anomaly.enabled:
        anomaly.remember_line(node)
    if grad_mode.saved_inspected:
        inspect_saved(node, {i: (result, 0) for i, name in enumerate(node.kind.saved_names) if name == "result"})


def recorded(value: Any, kind: NodeKind, edges: tuple[Any, ...], saved: tuple[Any, ...]) -> Any:
    """The result of an operation, with its node: `record(make_tensor(value), …)`.

    Written out in one piece, for this is half of what a small operation costs: calling the three functions instead
    takes 3 % more instructions for an operation and its share of backward.
    """
    node = _new(Node)
    node.key = next_key()
    node.kind = kind
    node.edges = edges
    node.shape = value.shape
    node.dtype = value.dtype
    node.outputs = node.extras = None
    node.saved = saved
    result = _new(variable.result_class)
    result._value = value
    result._edge = (node, 0)
    result._version_counter = [0]
    result._meta = None
    if anomaly.enabled or grad_mode.saved_inspected:
        _look_at(node, result)
    return result


_new = object.__new__


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
    needs = _parameters(self)
    on_arrays = _on_arrays(self)
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
            return (self(grads[0], _reattached(node, value, save_result)),)
        return (on_arrays(grads[0], value._value),)

    def decorate(forward: Callable[..., Any]) -> Any:
        if forward.__code__.co_argcount > 1 or needs not in ((), ("self",), ("result",)):
            assert not to_float, "only for a function of nothing but one array"
            assert refuse_bool is None, "only for a function of nothing but one array"
            return _with_constants(name, self, forward, shown)
        kind = NodeKind(name, own_code(apply), forward.__doc__, needs, _saved_properties(needs, shown=shown))

        def operation(input):
            if not isinstance(input, TensorBase):
                return forward(input) if hasattr(input, "dtype") else refuse_operands(operation, input)
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
                    if not save_result:
                        return recorded(value, kind, (edge,), (input, input._version_counter[0]) if needs else ())
                    kept = make_tensor(value)  # without the history of the result: that would be a cycle
                    result = recorded(value, kind, (edge,), (kept, 0))
                    result._version_counter = kept._version_counter
                    return result
            result = make_tensor(value)
            if grad_mode.inference_used and mode.inference:
                mark_inference(result)
            return result

        return finish(operation, forward, kind)

    return decorate


def _with_constants(name: str, formula: Formula, forward: Callable[..., Any], shown: dict[str, Any] | None) -> Any:
    """The operation of a function of an array and of constants: `unary`, with more to save."""
    arguments = argument_names(forward)
    needs, apply = _formulas_applied({arguments[0]: formula})
    save = _saver({arguments[0]: formula}, arguments, needs)
    kind = NodeKind(name, own_code(apply), forward.__doc__, needs, _saved_properties(needs, shown=shown))

    def operation(input, *constants):
        if not isinstance(input, TensorBase):
            return forward(input, *constants)
        result = make_tensor(forward(input._value, *constants))
        edge = input._edge
        if edge is not NO_EDGE and mode.enabled and result._value.dtype.kind == "f":
            edge = edge or gradient_edge(input)
            if edge is not NO_EDGE:
                record(result, kind, (edge,), save((input, *constants), result, (edge,)))
        elif grad_mode.inference_used and mode.inference:
            mark_inference(result)
        return result

    return finish(operation, forward, kind)


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
    names = ("self", "other")
    self_formula, other_formula = _taking(self, names), _taking(other, names)
    # Which operand is needed by the formula of which.
    self_for_self, other_for_self = (n in _parameters(self) for n in names)
    self_for_other, other_for_other = (n in _parameters(other) for n in names)
    saves = self_for_self or other_for_self or self_for_other or other_for_other
    only_floats = to_float or check is not None  # for these, two operands of one type may need attention, too

    def apply(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
        if node.saved is None:
            raise freed_error(node)
        a, a_version, b, b_version = node.saved
        edge_a, edge_b = node.edges
        grad = grads[0]
        if isinstance(a, TensorBase):
            if a._version_counter[0] != a_version:
                check_version(node, a, a_version)
            if not create_graph:
                a = a._value
        elif create_graph:
            a = _as_tensor(a, grad)
        if isinstance(b, TensorBase):
            if b._version_counter[0] != b_version:
                check_version(node, b, b_version)
            if not create_graph:
                b = b._value
        elif create_graph:
            b = _as_tensor(b, grad)
        grad_b = None if edge_b is NO_EDGE else other_formula(grad, a, b)  # first, as PyTorch does
        return None if edge_a is NO_EDGE else self_formula(grad, a, b), grad_b

    def apply_without_saved(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
        edge_a, edge_b = node.edges
        grad = grads[0]
        grad_b = None if edge_b is NO_EDGE else other(grad)
        return None if edge_a is NO_EDGE else self(grad), grad_b

    saved_names = names if saves else ()

    def was_kept(node: Any, name: str) -> bool:
        return any(
            name in _parameters(formula) and edge is not NO_EDGE
            for formula, edge in zip((self, other), node.edges, strict=True)
        )

    def decorate(forward: Callable[[Any, Any], Any]) -> Any:
        properties = _saved_properties(saved_names, True, was_kept, shown)
        run = own_code(apply if saves else apply_without_saved)
        kind = NodeKind(name, run, forward.__doc__, saved_names, properties)

        def operation(input, other):
            tensor_class = variable.result_class
            tensors = type(input) is tensor_class and type(other) is tensor_class
            if tensors:
                x, y = input._value, other._value
                if x.dtype is not y.dtype or (only_floats and x.dtype.kind != "f"):
                    if check is not None:
                        check(x, y)
                    x, y = promoted(x, y, to_float)
                edge_x, edge_y = input._edge, other._edge
            elif type(other) in _NUMBERS and type(input) is tensor_class and input._value.dtype.kind == "f":
                if grad_mode.formula_used and mode.formula and with_number is not None:
                    return with_number(input, other)
                x, y, edge_x, edge_y = input._value, other, input._edge, NO_EDGE
            else:
                operands = _raw_operands(input, other, to_float)
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
                return operation(*meet(error, forward, (input, other)))
            if (edge_x is not NO_EDGE or edge_y is not NO_EDGE) and mode.enabled:
                if edge_x is None:
                    edge_x = gradient_edge(input)
                if edge_y is None:
                    edge_y = gradient_edge(other)
                if edge_x is not NO_EDGE or edge_y is not NO_EDGE:
                    saved = ()
                    if saves:
                        track_x, track_y = edge_x is not NO_EDGE, edge_y is not NO_EDGE
                        saved_x = saved_y = None
                        version_x = version_y = 0
                        if (self_for_self and track_x) or (self_for_other and track_y):
                            saved_x = input
                            if tensors or isinstance(input, TensorBase):
                                version_x = input._version_counter[0]
                        if (other_for_self and track_x) or (other_for_other and track_y):
                            saved_y = other
                            if tensors or isinstance(other, TensorBase):
                                version_y = other._version_counter[0]
                        saved = (saved_x, version_x, saved_y, version_y)
                    own_kind = at_home(kind, (x, y)) if devices.gpu_used else kind
                    return recorded(value, own_kind, (edge_x, edge_y), saved)
            result = make_tensor(value)
            if grad_mode.inference_used and mode.inference:
                mark_inference(result)
            return result

        return finish(operation, forward, kind)

    return decorate


def _as_tensor(operand: Any, grad: TensorBase) -> Any:
    """The saved number of `x * 2` as PyTorch saves it, as a tensor; an array or None as it is."""
    return make_tensor(grad._value.dtype.type(operand)) if isinstance(operand, int | float) else operand


def comparison(forward: Callable[[Any, Any], Any]) -> Any:
    """Make an operation without a derivative of a function of two arrays, promoted as by `binary`."""

    def operation(input, other):
        if type(other) in _NUMBERS and isinstance(input, TensorBase) and input._value.dtype.kind == "f":
            x, y = input._value, other
        else:
            operands = _raw_operands(input, other, False)
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


#: Beside floats these need no promotion; a bool may be refused, and is looked at more closely.
_NUMBERS = (int, float)


def _raw_operands(x: Any, y: Any, to_float: bool) -> tuple[Any, Any, Any, Any] | None:
    """The raw values and the edges of two operands of which one may be a number or an array; None if one is neither."""
    edge_x = edge_y = NO_EDGE
    if isinstance(x, TensorBase):
        edge_x, x = x._edge, x._value
    if isinstance(y, TensorBase):
        edge_y, y = y._edge, y._value
    for operand in (x, y):
        if not (isinstance(operand, int | float) or hasattr(operand, "dtype")):
            return None
    x, y = promoted(x, y, to_float)
    return x, y, edge_x, edge_y


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
        return x if x.dtype == dtype else x.astype(dtype)
    return wrapped(x, dtype)


def shape_error(x: Any, y: Any) -> RuntimeError:
    """PyTorch's error for two shapes that do not broadcast."""
    a, b = x.shape, y.shape
    for back in range(1, min(len(a), len(b)) + 1):
        if a[-back] != b[-back] and 1 not in (a[-back], b[-back]):
            dimension = max(len(a), len(b)) - back
            return with_hint(
                RuntimeError(
                    f"The size of tensor a ({a[-back]}) must match the size of tensor b ({b[-back]}) at non-singleton "
                    f"dimension {dimension}"
                ),
                f"The shapes are {tuple(a)} and {tuple(b)}. Compared from the right, two sizes must be equal, or one "
                "of them 1.",
                f"两个张量的形状是 {tuple(a)} 和 {tuple(b)}。从右往左逐维比较：两个大小必须相等，或者其中一个是 1。",
            )
    raise AssertionError("these shapes do broadcast")


def told_apart(error: ValueError) -> Exception:
    """PyTorch's error if numpy's says that shapes do not broadcast; otherwise the same."""
    shapes = re.findall(r"\(([\d, ]*)\)", str(error)) if "could not be broadcast" in str(error) else []
    if len(shapes) != 2:
        return error
    return shape_error(*(np.broadcast_to(0, [int(n) for n in shape.split(",") if n.strip()]) for shape in shapes))


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
        arguments = argument_names(forward)
        if together is not None:
            formulas.update(dict.fromkeys(inputs, together))
            saved_names, apply_to_one = _applied_together(together)
        else:
            saved_names, apply_to_one = _formulas_applied(formulas, sequence)

        def apply_to_all(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
            return apply_to_one(node, [grads], create_graph)

        apply = apply_to_all if all_outputs else apply_to_one
        save = _saver(formulas, arguments, saved_names)
        kind = NodeKind(name, apply, forward.__doc__, saved_names, _saved_properties(saved_names, shown=shown))
        positions = [arguments.index(argument) for argument in formulas]

        def operation(*args):
            raw, tensors = [], False
            for argument in args:
                if isinstance(argument, TensorBase):
                    argument, tensors = argument._value, True
                elif type(argument) is tuple or type(argument) is list:
                    argument = _raw(argument)
                raw.append(argument)
            if not (tensors or (sequence and _holds_tensor(args[0]))):
                return forward(*args)
            try:
                value = forward(*raw)
            except TypeError as error:
                return operation(*meet(error, forward, args))
            except ValueError as error:
                raise told_apart(error) from None
            if outputs > 1:
                results = tuple([None if each is None else make_tensor(each) for each in value])
                result = next(each for each in results if each is not None)
            else:
                result = make_tensor(value)
                results = (result,)
            if grad_mode.inference_used and mode.inference:
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
                    own_kind = at_home(kind, [_raw(a) for a in differentiable]) if devices.gpu_used else kind
                    node = record(result, own_kind, tuple(edges), save(args, result, edges))
                    if all_outputs:
                        _share(node, results)
            return results if outputs > 1 else result

        return finish(operation, forward, kind)

    return decorate


def _formulas_applied(
    formulas: dict[str, Formula], sequence: bool = False
) -> tuple[tuple[str, ...], Callable[..., Any]]:
    """The names of all values that `formulas` need, and the `apply` of a node that has these formulas."""
    saved_names = tuple(dict.fromkeys(n for formula in formulas.values() for n in _parameters(formula)))
    recorded = [_taking(formula, saved_names) for formula in formulas.values()]
    on_arrays = [_taking(formula, saved_names, _on_arrays(formula)) for formula in formulas.values()]
    alone = len(recorded) == 1

    def apply(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
        values = unpack(node, create_graph)
        in_order = recorded if create_graph else on_arrays
        if sequence:
            return in_order[0](grads[0], *values)
        if alone:
            return (in_order[0](grads[0], *values),)
        return [None if edge is NO_EDGE else formula(grads[0], *values) for formula, edge in zip(in_order, node.edges)]

    return saved_names, apply


def _applied_together(formula: Formula) -> tuple[tuple[str, ...], Callable[..., Any]]:
    """The same for one formula that gives the gradients of several inputs."""

    def apply(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
        wanted = [edge is not NO_EDGE for edge in node.edges]
        return formula(grads[0], wanted, *unpack(node, create_graph))

    return _parameters(formula)[1:], apply


def _saver(
    formulas: dict[str, Formula], arguments: tuple[str, ...], saved_names: tuple[str, ...]
) -> Callable[..., Any]:
    """A function that collects what a node must save: what the formulas of the inputs that need a gradient name."""
    if not saved_names:
        return lambda args, result, edges: ()
    # What to save under each name: the result, a property of an argument, or the argument itself; and for which inputs.
    plan = []
    for name in saved_names:
        argument, _, what = name.partition("_sym_")
        position = None if name == "result" else arguments.index(argument)
        user, *others = [i for i, formula in enumerate(formulas.values()) if name in _parameters(formula)]
        plan.append((position, _PROPERTIES.get(what), user if len(formulas) > 1 else None, others))

    # Only these are surely tensors.
    mixed = not set(saved_names) <= {*formulas, "result"}
    has_arrays = "indices" in saved_names  # of x[…], raw; freed like tensors

    def save(args: Sequence[Any], result: TensorBase, edges: Sequence[Any]) -> tuple[Any, ...]:
        saved: list[Any] = []
        holds_tensor = False
        for position, property_of, user, others in plan:
            value = version = None
            if (
                user is None
                or edges[user] is not NO_EDGE
                or (others and any(edges[other] is not NO_EDGE for other in others))
            ):
                if position is None:
                    value = make_alias(result)
                elif property_of is not None:
                    value = property_of(args[position])
                elif position < len(args):
                    value = args[position]
                    if has_arrays or type(value) is tuple or type(value) is list:
                        version = 0  # there may be tensors in it
                if isinstance(value, TensorBase):
                    version, holds_tensor = value._version_counter[0], True
            saved += (value, version)
        holds_tensor = holds_tensor or has_arrays
        return (Mixed if mixed else tuple)(saved) if holds_tensor else Constants(saved)

    return save


class Mixed(tuple[Any, ...]):
    """Saved values of which some are tensors, and freed, and some are not: a power remembers its exponent."""

    __slots__ = ()

    def freed(self) -> Constants:
        """What is left after backward."""
        kept: list[Any] = []
        for value, version in zip(self[::2], self[1::2], strict=True):
            kept += (FREED if version is not None and _holds_tensor(value) else value, version)
        return Constants(kept)


def _holds_tensor(value: Any) -> bool:
    if isinstance(value, TensorBase | Packed) or hasattr(value, "strides"):  # or an array, numpy's or cupy's
        return True
    return isinstance(value, (tuple, list)) and any(map(_holds_tensor, value))


class Constants(tuple[Any, ...]):
    """Saved values that are never freed, for none of them is a tensor: a sum remembers only a shape.

    False as a condition, like `()`: there is nothing to free.
    """

    __slots__ = ()

    def __bool__(self) -> bool:
        return False


def _sizes(argument: Any) -> Any:
    if isinstance(argument, TensorBase):
        return argument._value.shape
    return [_sizes(a) for a in argument]


def _strides(argument: TensorBase) -> tuple[int, ...]:
    array = argument._value
    size = array.itemsize
    return tuple([step // size for step in array.strides])


def _numel(argument: TensorBase) -> int:
    return argument._value.size


def _size_of(dim: int) -> Callable[[TensorBase], int]:
    return lambda argument: argument._value.shape[dim]


#: What a formula may ask for of an argument, instead of it: `self_sym_sizes`, `self_sym_strides`, `self_sym_numel`, and
#: `self_sym_argsize_0` for the size of one dimension.
_PROPERTIES = {
    "sizes": _sizes,
    "strides": _strides,
    "numel": _numel,
    **{f"argsize_{dim}": _size_of(dim) for dim in range(3)},
}


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

        return finish(checked, operation.forward, operation.kind)

    return decorate


def no_derivative(name: str) -> Callable[[Callable[..., Any]], Any]:
    """Make an operation, `name` in PyTorch, that PyTorch cannot differentiate: its node only raises an error."""

    def refuse(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
        raise with_hint(RuntimeError(f"derivative for {name} is not implemented"), *_NO_FORMULA)

    def decorate(forward: Callable[..., Any]) -> Any:
        kind = NodeKind("torch::autograd::NotImplemented", refuse, forward.__doc__)

        def operation(*args):
            result = make_tensor(forward(*map(_raw, args)))
            if mode.enabled:
                edges = [gradient_edge(a) for a in args if isinstance(a, TensorBase) and a._edge is not NO_EDGE]
                edges = [edge for edge in edges if edge is not NO_EDGE]
                if edges:
                    record(result, kind, tuple(edges), ())
            return result

        return finish(operation, forward, kind)

    return decorate


# ---------------------------------------------------------------------------------------------------------------------
# Views


def view(name: str, *, self: Formula, shown: dict[str, Any] | None = None) -> Callable[[Callable[..., Any]], Any]:
    """Make an operation whose result shows (part of) the memory of its first argument, as `x.t()` does.

    `shown` is as for `op`.
    """

    def decorate(forward: Callable[..., Any]) -> Any:
        arguments = argument_names(forward)
        formulas = {arguments[0]: self}
        saved_names, apply = _formulas_applied(formulas)
        save = _saver(formulas, arguments, saved_names)
        kind = NodeKind(name, apply, forward.__doc__, saved_names, _saved_properties(saved_names, shown=shown))

        def operation(input, *args):
            if not isinstance(input, TensorBase):
                return forward(input, *args)
            result = show(input, forward(input._array, *args))
            if mode.enabled and result._edge is None:
                edge = gradient_edge(input)
                if edge is not NO_EDGE:
                    record(result, kind, (edge,), save((input, *args), result, (edge,)))
                    result._meta.view_edge, result._edge = result._edge, None
            return result

        return finish(operation, forward, kind)

    return decorate


def views(name: str, *, self: Formula) -> Callable[[Callable[..., Any]], Any]:
    """Make an operation whose results are several views of its first argument, as those of `x.unbind()`.

    They share one node. Its formula gets the list of all their gradients, zeros for those that were not used.
    """

    def decorate(forward: Callable[..., Any]) -> Any:
        arguments = argument_names(forward)
        formulas = {arguments[0]: self}
        saved_names, apply_all = _formulas_applied(formulas)
        save = _saver(formulas, arguments, saved_names)

        def apply(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
            like = next(grad for grad in grads if grad is not None)
            filled = [
                np.zeros_like(like, shape=shape) if grad is None else grad
                for grad, (shape, _) in zip(grads, node.outputs, strict=True)
            ]
            return apply_all(node, [filled], create_graph)

        kind = NodeKind(name, apply, forward.__doc__, saved_names, _saved_properties(saved_names))

        def operation(input, *args):
            results = [show(input, array) for array in forward(input._array, *args)]
            edge = gradient_edge(input) if mode.enabled else NO_EDGE
            for result in results:
                if mode.enabled:
                    result._meta.forbids_inplace = SEVERAL
            if edge is not NO_EDGE and results:
                node = record(results[0], kind, (edge,), save((input, *args), results[0], (edge,)))
                _share(node, results)
                for result in results:
                    result._meta.view_edge, result._edge = result._edge, None
            return tuple(results)

        return finish(operation, forward, kind)

    return decorate


def _share(node: Any, results: Sequence[TensorBase]) -> None:
    """Let `node` be the one that made each of `results`."""
    node.outputs = tuple(((), None) if r is None else (r._value.shape, r._value.dtype) for r in results)
    node.shape = node.dtype = None
    for output_nr, result in enumerate(results):
        if result is not None:
            result._edge = (node, output_nr)


def show(base: TensorBase, array: Any) -> Any:
    """A tensor on `array`, which is a part of the memory of `base`: they share one version counter."""
    result = make_tensor(array)
    result._version_counter = base._version_counter
    meta = meta_of(result)
    base_meta = base._meta
    if base_meta is not None and base_meta.is_inference:
        meta.is_inference = True
        return result
    is_base = base_meta is None or base_meta.base is None
    meta.base = base if is_base else base_meta.base
    meta.view_version = base._version_counter[0]
    meta.forbids_inplace = None if mode.enabled else INFERENCE if mode.inference else NO_GRAD
    if not is_base and meta.forbids_inplace is None:
        meta.forbids_inplace = base_meta.forbids_inplace
    if array.dtype.kind == "f":
        result._edge = None
    return result


# ---------------------------------------------------------------------------------------------------------------------
# Saved values


def unpack(node: Any, create_graph: bool) -> list[Any]:
    """The values `node` saved, in the order of its `saved_names`: raw, or tensors with `create_graph`.

    Raises PyTorch's errors if they have been freed, or written since.
    """
    saved = node.saved
    if saved is None:
        raise freed_error(node)
    values = list(saved[::2])
    for i, version in enumerate(saved[1::2]):
        if version is None:  # a number, a shape: no tensor
            continue
        value = values[i]
        if type(value) is variable.result_class and not create_graph and value._version_counter[0] == version:
            values[i] = value._value
        elif isinstance(value, _MAY_HOLD_TENSORS):
            values[i] = _unpack_one(node, node.kind.saved_names[i], value, version, create_graph)
    return values


_MAY_HOLD_TENSORS = (TensorBase, tuple, list, Freed)


def _unpack_one(node: Any, name: str, value: Any, version: int, create_graph: bool) -> Any:
    if not isinstance(value, TensorBase):
        if value is FREED:
            raise freed_error(node)
        if isinstance(value, tuple | list) and _holds_tensor(value):
            return type(value)(_unpack_one(node, name, v, getattr(v, "_version", 0), create_graph) for v in value)
        return value
    is_result = name == "result"
    if value._version_counter[0] != version:
        check_version(node, value, version, as_output=is_result)
    return _reattached(node, value, is_result) if create_graph else value._value


def _reattached(node: Any, value: Any, is_result: bool) -> Any:
    """A saved tensor. A result was saved without its grad_fn, which is `node` itself: that would be a cycle."""
    if is_result:
        value = make_alias(value)
        value._edge = (node, 0)
    return value


def _saved_properties(
    names: Sequence[str],
    wrap_numbers: bool = False,
    was_kept: Callable[[Any, str], bool] | None = None,
    shown: dict[str, Any] | None = None,
) -> dict[str, property]:
    """The properties `_saved_…` and `_raw_saved_…` of a kind of node.

    `was_kept(node, name)` says of a node whose values have been freed whether it had saved this one. `shown` is as for
    `op`.
    """
    shown = shown or {}
    public = [(shown.get(name, name), name, i) for i, name in enumerate(names) if shown.get(name, name) is not None]
    members = {f"_saved_{seen}": _saved_property(name, i, wrap_numbers, was_kept) for seen, name, i in public}
    raw = {f"_raw_saved_{seen}": _raw_property(i) for seen, name, i in public if name in _TENSORS}
    others = {f"_saved_{name}": _computed(value, names) for name, value in shown.items() if name not in names}
    return members | raw | others


def _computed(value: Any, names: Sequence[str]) -> property:
    """What PyTorch saves and minigrad does not: a constant, or a function of what is saved, called when it is asked."""
    if not callable(value):
        return property(lambda node: value, doc="The same for every node of this kind.")

    def read(node: Any) -> Any:
        saved = dict(zip(names, unpack(node, False), strict=True))
        result = value(*[saved[name] for name in argument_names(value)])
        return make_tensor(result) if hasattr(result, "dtype") else result

    return property(read, doc="Computed from what was saved; raises RuntimeError once that has been freed.")


def _saved_property(name: str, index: int, wrap_number: bool, was_kept: Callable[[Any, str], bool] | None) -> property:
    def read(node: Any) -> Any:
        if node.saved is None:
            if was_kept is None or was_kept(node, name):
                raise freed_error(node)
            return None
        value, version = node.saved[2 * index : 2 * index + 2]
        if isinstance(value, Packed):
            return value.unpacked(node)
        if isinstance(value, TensorBase) and int(value._version_counter[0]) == int(version):
            version = value._version_counter[0]  # one that was detached in place may still be looked at
        value = _unpack_one(node, name, value, version, True)
        if wrap_number and isinstance(value, int | float):
            value = make_tensor(np.array(value))
        return _index_tensors(value) if name == "indices" else value

    return property(read, doc=f"What was saved of `{name}`; raises RuntimeError once it has been freed.")


def _index_tensors(indices: Any) -> Any:
    """The raw arrays that `x[…]` was given, as a tuple of tensors; None stands for a slice, as in PyTorch."""
    if isinstance(indices, TensorBase):
        return indices
    arrays = indices if isinstance(indices, tuple) else (indices,)
    return tuple([None if isinstance(array, slice) else make_tensor(array) for array in arrays])


#: Arguments that are saved as tensors: these slots can have hooks of their own.
_TENSORS = {"self", "other", "result"}


def _raw_property(index: int) -> property:
    return property(lambda node: SavedTensor(node, index), doc="The slot itself, for `register_hooks`.")


def plain(value: Any) -> Any:
    """The result of a computation through which no gradient goes, such as a comparison."""
    result = make_tensor(value)
    if mode.inference:
        mark_inference(result)
    return result


def mark_inference(result: TensorBase) -> None:
    """Remember that `result` was made in inference mode."""
    meta_of(result).is_inference = True


# ---------------------------------------------------------------------------------------------------------------------
# Formulas


def argument_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the arguments of a plain function."""
    code = function.__code__
    return code.co_varnames[: code.co_argcount]


def _parameters(formula: Formula) -> tuple[str, ...]:
    """What a formula needs besides the gradient: the names of its parameters after the first."""
    names = argument_names(_on_arrays(formula))[1:]
    if formula is _on_arrays(formula):
        return names
    # In an operation `result` is its own, so that of the differentiated one is called `output`.
    return tuple("result" if name == "output" else name for name in names)


def _on_arrays(formula: Formula) -> Formula:
    """What a formula is on raw arrays: of an operation just its forward."""
    return getattr(formula, "forward", formula)


def _taking(formula: Formula, names: tuple[str, ...], function: Formula | None = None) -> Formula:
    """`formula`, or a `function` with its parameters, as one of `(grad, *names)`, whichever of the names it needs."""
    needs, formula = _parameters(formula), function or formula
    if needs == names:
        return formula
    if not needs:
        return lambda grad, *_: formula(grad)
    if len(names) == 2 and len(needs) == 1:  # the hot path of `binary`
        return own_code((lambda g, a, b: formula(g, a)) if needs[0] == names[0] else (lambda g, a, b: formula(g, b)))
    if len(needs) == 1:
        index = names.index(needs[0])
        return lambda grad, *values: formula(grad, values[index])
    chosen = itemgetter(*map(names.index, needs))
    return lambda grad, *values: formula(grad, *chosen(values))


def no_formula(of: str) -> Formula:
    """In the place of a formula that PyTorch does not have: what raises its error."""

    def formula(grad: Any) -> Any:
        raise with_hint(NotImplementedError(f"the derivative for '{of}' is not implemented."), *_NO_FORMULA)

    return formula


_NO_FORMULA = ("PyTorch has no formula for this derivative.", "PyTorch 没有这个导数的公式。")


def scaled(grad: Any, factor: float) -> Any:
    """For formulas: `grad` times a number that is most often 1."""
    return grad if factor == 1 else grad * factor


def _raw(argument: Any) -> Any:
    if isinstance(argument, TensorBase):
        return argument._value
    if isinstance(argument, tuple | list) and any(isinstance(a, TensorBase) for a in argument):
        return type(argument)(map(_raw, argument))
    return argument


def finish(operation: Any, forward: Callable[..., Any], kind: NodeKind | None = None) -> Any:
    """`operation` under the name and with the docstring of `forward`; `.kind` is what its nodes are of."""
    functools.update_wrapper(operation, forward)
    operation.forward, operation.kind = forward, kind
    return own_code(operation)


def own_code(function: Any) -> Any:
    """Give a function its own copy of its instructions.

    CPython fits each instruction to the types it meets. The operations made by one factory share their instructions
    and would spoil them for each other; each having its own makes a small operation about a tenth faster.
    """
    function.__code__ = function.__code__.replace()
    return function
