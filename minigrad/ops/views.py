"""How a forward becomes an operation whose results show the memory of its input, as `primitive.py` makes the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..autograd.grad_mode import mode
from ..autograd.hooks import outputs_of
from ..autograd.node import NodeKind, gradient_edge
from ..autograd.variable import NO_EDGE, TensorBase
from ..autograd.views import SEVERAL, show
from .formulas import Formula, kept_by, plan, saved_properties
from .primitive import finish, record, share, usual
from .usual import Usual, argument_names


def view(name: str, *, self: Formula, shown: dict[str, Any] | None = None) -> Callable[[Callable[..., Any]], Any]:
    """Make an operation whose result shows (part of) the memory of its first argument, as `x.t()` does.

    `shown` is as for `op`.
    """

    def made(forward: Callable[..., Any]) -> Usual:
        arguments = argument_names(forward)
        formulas = {arguments[0]: self}
        saved_names, apply, save = plan(formulas, arguments)
        kind = NodeKind(
            name, apply, forward.__doc__, saved_names, lambda: saved_properties(saved_names, formulas, shown=shown)
        )
        kind.kept = kept_by(saved_names, formulas, plain=True)

        def general(input, *args):
            if not isinstance(input, TensorBase):
                return forward(input, *args)
            result = show(input, forward(input._array, *args))
            if mode.enabled and result._edge is None:
                edge = gradient_edge(input)
                if edge is not NO_EDGE:
                    record(result, kind, (edge,), save((input, *args), result, (edge,)))
                    result._meta.view_edge, result._edge = result._edge, None
            return result

        return Usual(general, forward, kind, formulas, {}, plain=True, view=True)

    return lambda forward: usual(forward, made)


def views(name: str, *, self: Formula) -> Callable[[Callable[..., Any]], Any]:
    """Make an operation whose results are several views of its first argument, as those of `x.unbind()`.

    They share one node. Its formula gets the list of all their gradients, zeros for those that were not used.
    """

    def decorate(forward: Callable[..., Any]) -> Any:
        arguments = argument_names(forward)
        formulas = {arguments[0]: self}
        saved_names, apply_all, save = plan(formulas, arguments)

        def apply(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
            like = next(grad for grad in grads if grad is not None)
            filled = [
                np.zeros_like(like, shape=shape) if grad is None else grad
                for grad, (shape, _) in zip(grads, outputs_of(node), strict=True)
            ]
            return apply_all(node, [filled], create_graph)

        kind = NodeKind(name, apply, forward.__doc__, saved_names, lambda: saved_properties(saved_names, formulas))
        kind.kept = kept_by(saved_names, formulas, plain=True)

        def operation(input, *args):
            results = [show(input, array) for array in forward(input._array, *args)]
            edge = gradient_edge(input) if mode.enabled else NO_EDGE
            for result in results:
                if mode.enabled:
                    result._meta.forbids_inplace = SEVERAL
            if edge is not NO_EDGE and results:
                node = record(results[0], kind, (edge,), save((input, *args), results[0], (edge,)))
                share(node, results)
                for result in results:
                    result._meta.view_edge, result._edge = result._edge, None
            return tuple(results)

        return finish(operation, forward)

    return decorate
