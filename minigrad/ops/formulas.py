"""What a formula is given: the values that a node saves in forward and takes out again in backward.

A formula names what it needs by its parameters (`primitive.py` says which names there are). From these names follow
what the operation saves, how the formula is called, and what users see as `grad_fn._saved_…`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from ..autograd.saved import take_out, unpack, version_of
from ..autograd.variable import NO_EDGE, TensorBase, make_alias, make_tensor
from ..memory import element_strides

Formula = Callable[..., Any]


def argument_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the arguments of a plain function, or of one written in C, which takes operands."""
    if not inspect.isfunction(function):
        return ("self", "other")[: getattr(function, "nin", 2)]
    named = inspect.signature(function).parameters.values()
    return tuple(p.name for p in named if p.kind is p.POSITIONAL_OR_KEYWORD)


def parameters(formula: Formula) -> tuple[str, ...]:
    """What a formula needs besides the gradient: the names of its parameters after the first."""
    return argument_names(formula)[1:]


def needed_by(*formulas: Formula) -> tuple[str, ...]:
    """The names of all values that `formulas` need, in PyTorch's order: inputs by name, then the result."""
    names = {name for formula in formulas for name in parameters(formula)}
    return tuple(sorted(names, key=lambda name: (name == "result", name)))


def places_of(names: Sequence[str], saved_names: tuple[str, ...]) -> list[int]:
    """Where among the saved values those with these names are."""
    return [saved_names.index(name) for name in names]


def applied(formulas: Sequence[Formula], saved_names: tuple[str, ...]) -> Callable[..., Any]:
    """The `_apply` of a node whose inputs have these formulas, one each."""
    if len(formulas) == 1 and len(saved_names) <= 1:
        return _applied_to_one(formulas[0], saved_names)
    each = [(formula, places_of(parameters(formula), saved_names)) for formula in formulas]

    def apply(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
        values = unpack(node, create_graph)
        results = []
        for (formula, needs), edge in zip(each, node._edges):
            if edge is NO_EDGE:
                results.append(None)
            else:
                results.append(formula(grads[0], *[values[i] for i in needs]))
        return results

    return apply


# `applied`, written out for the commonest cases. Asked first: is it a tensor that nobody has written since? One
# without a counter was never written.


def _applied_to_one(formula: Formula, saved_names: tuple[str, ...]) -> Callable[..., Any]:
    """The `_apply` of a node with one formula that needs one value, or none."""
    if not saved_names:
        return lambda node, grads, create_graph: (formula(grads[0]),)

    def apply(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
        value, version = node._saved
        if not create_graph and isinstance(value, TensorBase) and ((n := value._counter) is None or n[0] == version):
            return (formula(grads[0], value._value),)
        return (formula(grads[0], value if version is None else take_out(node, 0, value, version, create_graph)),)

    return apply


def _applied_to_neither(self: Formula, other: Formula) -> Callable[..., Any]:
    """The `_apply` of a node of two operands, of which it saves neither."""

    def apply(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
        edge_a, edge_b = node._edges
        grad_a = None if edge_a is NO_EDGE else self(grads[0])
        return grad_a, None if edge_b is NO_EDGE else other(grads[0])

    return apply


def applied_to_two(self: Formula, other: Formula) -> Callable[..., Any]:
    """The `_apply` of a node of two operands. It saves `other` and `self`, None where not needed; or nothing."""
    if not (parameters(self) or parameters(other)):
        return _applied_to_neither(self, other)
    if "other" not in parameters(self) or "self" not in parameters(other):
        return applied([self, other], ("other", "self"))
    a_for_a, b_for_b = "self" in parameters(self), "other" in parameters(other)  # as well

    def apply(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
        (grad,), (edge_a, edge_b) = grads, node._edges
        b, version_b, a, version_a = node._saved
        if not create_graph and isinstance(b, TensorBase) and ((n := b._counter) is None or n[0] == version_b):
            b = b._value
        elif b is not None:
            b = take_out(node, 0, b, version_b, create_graph)
            if create_graph and isinstance(b, int | float):  # the 2 of `x * 2`, which PyTorch saves as a tensor
                b = make_tensor(grad._value.dtype.type(b))
        if not create_graph and isinstance(a, TensorBase) and ((n := a._counter) is None or n[0] == version_a):
            a = a._value
        elif a is not None:
            a = take_out(node, 1, a, version_a, create_graph)
        grad_a = grad_b = None
        if edge_b is not NO_EDGE:
            grad_b = other(grad, a, b) if b_for_b else other(grad, a)
        if edge_a is not NO_EDGE:
            grad_a = self(grad, a, b) if a_for_a else self(grad, b)
        return grad_a, grad_b

    return apply


def applied_together(formula: Formula, saved_names: tuple[str, ...], told: bool) -> Callable[..., Any]:
    """The `_apply` of a node with one formula for all its inputs, which may be `told` whose gradients are wanted."""
    names = parameters(formula)
    needs = places_of(names[1:] if told else names, saved_names)

    def apply(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
        values = unpack(node, create_graph)
        needed = [values[i] for i in needs]
        if told:
            needed.insert(0, [edge is not NO_EDGE for edge in node._edges])
        return formula(grads[0], *needed)

    return apply


#: What a formula may ask for of an argument, instead of it: `self_sym_sizes`, `self_sym_strides`, `self_sym_dtype`, and
#: `self_sym_argsize_0` for the size of its first dimension.
PROPERTIES: dict[str, Callable[[Any], Any]] = {
    "sizes": attrgetter("_value.shape"),
    "strides": lambda argument: element_strides(argument._value),
    "dtype": attrgetter("_value.dtype"),
    "argsize_0": lambda argument: argument._value.shape[0],
}


#: Types of what is saved as it is; a tuple of such has no version, either.
NUMBERS = frozenset({bool, int, float})


def saver(formulas: dict[str, Formula], arguments: tuple[str, ...], saved_names: tuple[str, ...]) -> Callable[..., Any]:
    """A function that collects what a node must save: what the formulas of the inputs that need a gradient name."""
    # What to save under each name: the result, a property of an argument, or the argument itself; and for which inputs.
    plan = []
    for name in saved_names:
        argument, _, what = name.partition("_sym_")
        position = None if name == "result" else arguments.index(argument)
        needed_for = [i for i, formula in enumerate(formulas.values()) if name in parameters(formula)]
        number = 0 if argument in formulas else None  # the version of a number; 0 where users must see a tensor
        plan.append((position, PROPERTIES[what] if what else None, needed_for if len(formulas) > 1 else None, number))

    def save(args: Sequence[Any], result: TensorBase, edges: Sequence[Any]) -> tuple[Any, ...]:
        saved: list[Any] = []
        for position, property_of, needed_for, number in plan:
            value = version = None
            if needed_for is not None and all(edges[i] is NO_EDGE for i in needed_for):
                pass  # nobody will ask for it
            elif position is None:
                value, version = make_alias(result), 0
            elif property_of is not None:
                value = args[position]
                value = property_of(value) if isinstance(value, TensorBase) else [*map(property_of, value)]
            else:
                value = args[position]
                if value.__class__ in NUMBERS:
                    version = number
                elif value.__class__ is not tuple or not NUMBERS.issuperset(map(type, value)):
                    version = version_of(value)
            saved += value, version
        return tuple(saved)

    return save


def raw_of(argument: Any) -> Any:
    """An argument as `forward` takes it: an array for a tensor."""
    return argument._value if isinstance(argument, TensorBase) else argument
