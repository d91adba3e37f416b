"""What a formula is given: the values that a node saves in forward and takes out again in backward.

A formula names what it needs by its parameters (`primitive.py` says which names there are). From these names follow
what the operation saves, how the formula is called, and what users see as `grad_fn._saved_…`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from ..autograd import variable
from ..autograd.node import check_version, freed_error
from ..autograd.saved import FREED, Freed, Packed, SavedTensor
from ..autograd.variable import NO_EDGE, TensorBase, make_alias, make_tensor, written_edge
from .placing import element_strides
from .usual import PROPERTIES, argument_names, holds_tensor, on_arrays, parameters, version_of, without_tensors

Formula = Callable[..., Any]


def needed_by(formulas: dict[str, Formula]) -> tuple[str, ...]:
    """The names of all values that `formulas` need."""
    return tuple(dict.fromkeys(n for formula in formulas.values() for n in parameters(formula)))


def plan(
    formulas: dict[str, Formula], arguments: tuple[str, ...]
) -> tuple[tuple[str, ...], Callable[..., Any], Callable[..., Any]]:
    """What nodes with these formulas save, by name; how they apply them; and what collects the values to save."""
    names = needed_by(formulas)
    return names, when_needed(formulas_applied, formulas, names), when_needed(saver, formulas, arguments, names)


def taking(formula: Formula, names: tuple[str, ...], function: Formula | None = None) -> Formula:
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


def formulas_applied(
    formulas: dict[str, Formula], saved_names: tuple[str, ...], sequence: bool = False
) -> Callable[..., Any]:
    """The `apply` of a node that has these formulas."""
    recorded = [taking(formula, saved_names) for formula in formulas.values()]
    on_raw = [taking(formula, saved_names, on_arrays(formula)) for formula in formulas.values()]
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


def applied_together(formula: Formula) -> Callable[..., Any]:
    """The same for one formula that gives the gradients of several inputs."""

    def apply(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
        wanted = [edge is not NO_EDGE for edge in node.edges]
        return formula(grads[0], wanted, *unpack(node, create_graph))

    return apply


def when_needed(make: Callable[..., Callable[..., Any]], *args: Any) -> Callable[..., Any]:
    """The function `make(*args)`, made when it is first called: most operations only ever do the usual case."""
    made: list[Callable[..., Any]] = []

    def call(*given: Any) -> Any:
        if not made:
            made.append(make(*args))
        return made[0](*given)

    return call


def saver(formulas: dict[str, Formula], arguments: tuple[str, ...], saved_names: tuple[str, ...]) -> Callable[..., Any]:
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
                version = 0 if arrays else version_of(value) if property_of is None else None
            saved += (value, version)
        return tuple(saved)

    return save


def _property(what: str) -> Callable[[Any], Any]:
    """What a formula asks for of an argument, as a function of it; of several tensors a list."""
    property_of = eval(f"lambda argument: {PROPERTIES[what].format('argument')}", {"element_strides": element_strides})
    return lambda argument: property_of(argument) if isinstance(argument, TensorBase) else [*map(property_of, argument)]


def kept_by(
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


# ---------------------------------------------------------------------------------------------------------------------
# Taking the saved values out again


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
    return reattached(node, value, is_result) if create_graph else value._value


def reattached(node: Any, value: Any, is_result: bool) -> Any:
    """A saved tensor. A result was saved without its grad_fn, which is `node` itself: that would be a cycle.

    If it was written into a view, and that is still as it was, it is a part of the base with its new history.
    """
    if is_result:
        edge = written_edge(value) or node
        value = make_alias(value)
        value._edge = edge
    return value


# ---------------------------------------------------------------------------------------------------------------------
# Showing them


#: What an operation saves as a tensor, though it is not differentiable. (The indices of `x[…]` are raw arrays.)
SAVED_AS_TENSORS = {"index", "mask", "condition", "target", "running_mean", "running_var", "pos_weight"}


def saved_properties(
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


def _raw_property(index: int) -> property:
    return property(lambda node: SavedTensor(node, index), doc="The slot itself, for `register_hooks`.")


def scaled(grad: Any, factor: float) -> Any:
    """For formulas: `grad` times a number that is most often 1."""
    return grad if factor == 1 else grad * factor
