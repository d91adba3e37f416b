"""How a forward becomes an operation whose results show the memory of its input, as `primitive.py` makes the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..autograd.grad_mode import mode, unusual
from ..autograd.node import asked_edge, gradient_edge, new_node, node_type
from ..autograd.variable import NO_EDGE, TensorBase
from ..autograd.views import SEVERAL, show
from .formulas import Formula, applied, argument_names, needed_by, saver
from .primitive import finish, look_at, record, share


def view(name: str, *, self: Formula) -> Callable[[Callable[..., Any]], Any]:
    """Make an operation whose result shows (part of) the memory of its first argument, as `x.t()` does."""

    def decorate(forward: Callable[..., Any], equation: str | None = None) -> Any:
        arguments, needs = argument_names(forward), needed_by(self)
        kind = node_type(name, applied([self], needs), equation or forward.__doc__, needs)
        save = saver({arguments[0]: self}, arguments, needs)

        def operation(input, *args):
            if not isinstance(input, TensorBase):
                return forward(input, *args)
            result = show(input, forward(input._array, *args))
            edge = input._edge
            if edge is NO_EDGE or result._edge is NO_EDGE or (unusual and not mode.enabled):
                return result
            if edge is None:
                edge = asked_edge(input)
                if edge is NO_EDGE:
                    return result
            node = new_node(kind, (edge,), result, save((input, *args), result, (edge,)))
            result._meta.edge = node
            if unusual:
                look_at(node, result)
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
            filled = [
                np.zeros_like(like, shape=shape) if grad is None else grad
                for grad, (shape, _) in zip(grads, node._outputs, strict=True)
            ]
            return apply_all(node, [filled], create_graph)

        kind = node_type(name, apply, forward.__doc__, needs)
        save = saver({arguments[0]: self}, arguments, needs)

        def operation(input, *args):
            results = [show(input, array) for array in forward(input._array, *args)]
            edge = gradient_edge(input) if mode.enabled else NO_EDGE
            for result in results:
                if mode.enabled and result._meta is not None and result._meta.base is not None:
                    result._meta.forbids_inplace = SEVERAL
            if edge is not NO_EDGE and results:
                share(record(results[0], kind, (edge,), save((input, *args), results[0], (edge,))), results)
                for result in results:
                    result._meta.edge, result._edge = result._edge, None
            return tuple(results)

        return finish(operation, forward)

    return decorate
