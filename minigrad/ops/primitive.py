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

import re
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any, NoReturn

import numpy as np

from .. import devices
from ..autograd import anomaly, grad_mode, variable
from ..autograd.grad_mode import mode
from ..autograd.hooks import outputs_of, set_outputs
from ..autograd.node import NodeKind, check_version, freed_error, gradient_edge, new_node, requires_grad
from ..autograd.saved import FREED, Freed, Packed, SavedTensor, inspect_saved
from ..autograd.variable import (
    NO_EDGE,
    TensorBase,
    edge_to,
    make_alias,
    make_tensor,
    mark_inference,
    meta_of,
    written_edge,
)
from ..autograd.views import INFERENCE, NO_GRAD, SEVERAL
from ..dtypes import default_numpy_dtype, result_numpy_dtype, wrapped
from ..hints import with_hint
from .errors import refuse_operands
from .places import at_home, meet
from .placing import element_strides, zero_beside
from .usual import (
    NUMBERS,
    PROPERTIES,
    Usual,
    argument_names,
    holds_tensor,
    on_arrays,
    parameters,
    raw_of,
    version_of,
    without_tensors,
    written_later,
)

Formula = Callable[..., Any]


def record(result: TensorBase, kind: NodeKind, edges: tuple[Any, ...], saved: tuple[Any, ...]) -> Any:
    """Make the node of an operation and let `result` point to it."""
    node = new_node(kind, edges, result, saved)
    result._edge = node
    if anomaly.enabled:
        anomaly.remember_line(node)
    if grad_mode.special or grad_mode.inference_used:
        inspect_saved(node, {i: (result, 0) for i, name in enumerate(kind.saved_names) if name == "result"})
    return node


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
                return (self(grads[0], _reattached(node, value, save_result)),)
            return (raw_formula(grads[0], value._value),)

        kind = NodeKind(name, apply, forward.__doc__, needs, lambda: _saved_properties(needs, needs, shown=shown))

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
    needs = _needs(formulas)
    apply = _when_needed(_formulas_applied, formulas, needs)
    save = _when_needed(_saver, formulas, arguments, needs)
    kind = NodeKind(name, apply, forward.__doc__, needs, lambda: _saved_properties(needs, arguments[:1], shown=shown))
    kind.kept = _kept_by(needs, formulas, plain=True)

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
        self_formula, other_formula = _taking(self, names), _taking(other, names)
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

        properties = lambda: _saved_properties(saved_names, names, was_kept, shown)  # noqa: E731
        kind = NodeKind(name, apply, forward.__doc__, saved_names, properties)

        def general(input, other):
            if type(other) in NUMBERS and isinstance(input, TensorBase) and input._value.dtype.kind == "f":
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


def comparison(forward: Callable[[Any, Any], Any]) -> Any:
    """Make an operation without a derivative of a function of two arrays, promoted as by `binary`."""

    def operation(input, other):
        if type(other) in NUMBERS and isinstance(input, TensorBase) and input._value.dtype.kind == "f":
            x, y = input._value, other or zero_beside(input._value)
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


def _raw_operands(x: Any, y: Any, to_float: bool) -> tuple[Any, Any, Any, Any] | None:
    """The raw values and the edges of two operands of which one may be a number or an array; None if one is neither."""
    edge_x = edge_y = NO_EDGE
    if isinstance(y, np.generic) and isinstance(x, TensorBase):  # to a tensor a numpy number is a number
        y = y.item()
    if isinstance(x, np.generic) and isinstance(y, TensorBase):
        x = x.item()
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
        if outputs > 1 or sequence or together is not None:
            return finish(made(forward).general, forward)
        return usual(forward, made)

    def made(forward: Callable[..., Any]) -> Usual:
        arguments = argument_names(forward)
        if together is not None:
            formulas.update(dict.fromkeys(inputs, together))
            saved_names, apply_to_one = parameters(together)[1:], _applied_together(together)
        else:
            saved_names = _needs(formulas)
            apply_to_one = _when_needed(_formulas_applied, formulas, saved_names, sequence)

        def apply_to_all(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
            return apply_to_one(node, [grads], create_graph)

        apply = apply_to_all if all_outputs else apply_to_one
        save = _when_needed(_saver, formulas, arguments, saved_names)
        kind = NodeKind(
            name,
            apply,
            forward.__doc__,
            saved_names,
            lambda: _saved_properties(saved_names, {*formulas, *_TENSORS}, shown=shown),
        )
        kind.kept = _kept_by(saved_names, formulas)
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
                        _share(node, results)
            return results if outputs > 1 else result

        return Usual(general, forward, kind, formulas, {})

    return decorate


def _needs(formulas: dict[str, Formula]) -> tuple[str, ...]:
    """The names of all values that `formulas` need."""
    return tuple(dict.fromkeys(n for formula in formulas.values() for n in parameters(formula)))


def _given(value: Any, args: Sequence[Any]) -> Any:
    """The tensor around `value`, one of several results: an argument if it is one, such as the places of maxima."""
    for argument in args:
        if isinstance(argument, TensorBase) and argument._value is value:
            return argument
    return make_tensor(value)


def _formulas_applied(
    formulas: dict[str, Formula], saved_names: tuple[str, ...], sequence: bool = False
) -> Callable[..., Any]:
    """The `apply` of a node that has these formulas."""
    recorded = [_taking(formula, saved_names) for formula in formulas.values()]
    on_raw = [_taking(formula, saved_names, on_arrays(formula)) for formula in formulas.values()]
    alone = len(recorded) == 1

    def apply(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
        values = unpack(node, create_graph)
        in_order = recorded if create_graph else on_raw
        if sequence:
            return in_order[0](grads[0], *values)
        if alone:
            return (in_order[0](grads[0], *values),)
        return [None if edge is NO_EDGE else formula(grads[0], *values) for formula, edge in zip(in_order, node.edges)]

    return apply


def _applied_together(formula: Formula) -> Callable[..., Any]:
    """The same for one formula that gives the gradients of several inputs."""

    def apply(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
        wanted = [edge is not NO_EDGE for edge in node.edges]
        return formula(grads[0], wanted, *unpack(node, create_graph))

    return apply


def _when_needed(make: Callable[..., Callable[..., Any]], *args: Any) -> Callable[..., Any]:
    """The function `make(*args)`, made when it is first called: most operations only ever do the usual case."""
    made: list[Callable[..., Any]] = []

    def call(*given: Any) -> Any:
        if not made:
            made.append(make(*args))
        return made[0](*given)

    return call


def _saver(
    formulas: dict[str, Formula], arguments: tuple[str, ...], saved_names: tuple[str, ...]
) -> Callable[..., Any]:
    """A function that collects what a node must save: what the formulas of the inputs that need a gradient name."""
    # What to save under each name: the result, a property of an argument, or the argument itself; and for which inputs.
    plan = []
    for name in saved_names:
        argument, _, what = name.partition("_sym_")
        position = None if name == "result" else arguments.index(argument)
        user, *others = [i for i, formula in enumerate(formulas.values()) if name in parameters(formula)]
        property_of = _property(what) if what else None
        arrays = name == "indices"  # of x[…], raw; freed like tensors
        plan.append((position, property_of, user if len(formulas) > 1 else None, others, arrays))

    def save(args: Sequence[Any], result: TensorBase, edges: Sequence[Any]) -> tuple[Any, ...]:
        saved: list[Any] = []
        for position, property_of, user, others, arrays in plan:
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
                version = 0 if arrays else version_of(value)
            saved += (value, version)
        return tuple(saved)

    return save


def _property(what: str) -> Callable[[Any], Any]:
    """What a formula asks for of an argument, as a function of it; of several tensors a list."""
    property_of = eval(f"lambda argument: {PROPERTIES[what].format('argument')}", {"element_strides": element_strides})
    return lambda argument: property_of(argument) if isinstance(argument, TensorBase) else [*map(property_of, argument)]


def _kept_by(
    saved_names: tuple[str, ...], formulas: dict[str, Formula], plain: bool = False
) -> Callable[..., Any] | None:
    """`NodeKind.kept`: nothing if all that is saved are tensors, all if nothing is, else what is no tensor.

    With `plain` what is not differentiable is surely no tensor.
    """
    tensors = {*formulas, "result", "indices"}
    if all(name not in tensors and (plain or "_sym_" in name) for name in saved_names):
        return lambda saved: saved
    if tensors.issuperset(saved_names) and not any(tensors.isdisjoint(parameters(f)) for f in formulas.values()):
        return None
    return without_tensors


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


# ---------------------------------------------------------------------------------------------------------------------
# Views


def view(name: str, *, self: Formula, shown: dict[str, Any] | None = None) -> Callable[[Callable[..., Any]], Any]:
    """Make an operation whose result shows (part of) the memory of its first argument, as `x.t()` does.

    `shown` is as for `op`.
    """

    def decorate(forward: Callable[..., Any]) -> Any:
        arguments = argument_names(forward)
        formulas = {arguments[0]: self}
        saved_names = _needs(formulas)
        apply = _when_needed(_formulas_applied, formulas, saved_names)
        save = _when_needed(_saver, formulas, arguments, saved_names)
        kind = NodeKind(
            name, apply, forward.__doc__, saved_names, lambda: _saved_properties(saved_names, formulas, shown=shown)
        )
        kind.kept = _kept_by(saved_names, formulas, plain=True)

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

        return finish(operation, forward)

    return decorate


def views(name: str, *, self: Formula) -> Callable[[Callable[..., Any]], Any]:
    """Make an operation whose results are several views of its first argument, as those of `x.unbind()`.

    They share one node. Its formula gets the list of all their gradients, zeros for those that were not used.
    """

    def decorate(forward: Callable[..., Any]) -> Any:
        arguments = argument_names(forward)
        formulas = {arguments[0]: self}
        saved_names = _needs(formulas)
        apply_all = _when_needed(_formulas_applied, formulas, saved_names)
        save = _when_needed(_saver, formulas, arguments, saved_names)

        def apply(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
            like = next(grad for grad in grads if grad is not None)
            filled = [
                np.zeros_like(like, shape=shape) if grad is None else grad
                for grad, (shape, _) in zip(grads, outputs_of(node), strict=True)
            ]
            return apply_all(node, [filled], create_graph)

        kind = NodeKind(name, apply, forward.__doc__, saved_names, lambda: _saved_properties(saved_names, formulas))
        kind.kept = _kept_by(saved_names, formulas, plain=True)

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

        return finish(operation, forward)

    return decorate


def _share(node: Any, results: Sequence[TensorBase]) -> None:
    """Let `node` be the one that made each of `results`."""
    set_outputs(node, [((), None) if r is None else (r._value.shape, r._value.dtype) for r in results])
    for output_nr, result in enumerate(results):
        if result is not None:
            result._edge = edge_to(node, output_nr)


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
        if isinstance(value, tuple | list) and holds_tensor(value):
            return type(value)(_unpack_one(node, name, v, getattr(v, "_version", 0), create_graph) for v in value)
        return value
    is_result = name == "result"
    if value._version_counter[0] != version:
        check_version(node, value, version, as_output=is_result)
    return _reattached(node, value, is_result) if create_graph else value._value


def _reattached(node: Any, value: Any, is_result: bool) -> Any:
    """A saved tensor. A result was saved without its grad_fn, which is `node` itself: that would be a cycle.

    If it was written into a view, and that is still as it was, it is a part of the base with its new history.
    """
    if is_result:
        edge = written_edge(value) or node
        value = make_alias(value)
        value._edge = edge
    return value


def _saved_properties(
    names: Sequence[str],
    tensors: Iterable[str],
    was_kept: Callable[[Any, str], bool] | None = None,
    shown: dict[str, Any] | None = None,
) -> dict[str, property]:
    """The properties `_saved_…` of a kind of node, and `_raw_saved_…` of those `names` that are `tensors`.

    `was_kept(node, name)` says of a node whose values have been freed whether it had saved this one. `shown` is as for
    `op`.
    """
    shown, tensors = shown or {}, {*tensors, "result"}
    public = [(shown.get(name, name), name, i) for i, name in enumerate(names) if shown.get(name, name) is not None]
    members = {f"_saved_{seen}": _saved_property(name, i, name in tensors, was_kept) for seen, name, i in public}
    raw = {f"_raw_saved_{seen}": _raw_property(i) for seen, name, i in public if name in tensors}
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


#: What an operation saves as a tensor, though it is not differentiable. (The indices of `x[…]` are raw arrays.)
_TENSORS = {"index", "mask", "condition", "target", "running_mean", "running_var", "pos_weight"}


def _raw_property(index: int) -> property:
    return property(lambda node: SavedTensor(node, index), doc="The slot itself, for `register_hooks`.")


def plain(value: Any) -> Any:
    """The result of a computation through which no gradient goes, such as a comparison."""
    result = make_tensor(value)
    if mode.inference:
        mark_inference(result)
    return result


# ---------------------------------------------------------------------------------------------------------------------
# Formulas


def _taking(formula: Formula, names: tuple[str, ...], function: Formula | None = None) -> Formula:
    """`formula`, or a `function` with its parameters, as one of `(grad, *names)`, whichever of the names it needs."""
    needs, formula = parameters(formula), function or formula
    if needs == names:
        return formula
    if not needs:
        return lambda grad, *_: formula(grad)
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


def derivative_missing(name: str) -> NoReturn:
    """Raise PyTorch's error for an operation that it cannot differentiate."""
    raise with_hint(RuntimeError(f"derivative for {name} is not implemented"), *_NO_FORMULA)


_NO_FORMULA = ("PyTorch has no formula for this derivative.", "PyTorch 没有这个导数的公式。")


def scaled(grad: Any, factor: float) -> Any:
    """For formulas: `grad` times a number that is most often 1."""
    return grad if factor == 1 else grad * factor


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
