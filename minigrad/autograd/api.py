"""`backward` and `grad`: the two questions one can ask a graph. Checks the arguments, then runs the engine."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..hints import type_name
from ..refusals import refused
from .engine import run_backward
from .grad_mode import mode, run
from .node import gradient_edge, requires_grad
from .variable import NO_EDGE, Edge, TensorBase, make_tensor, pair_of


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    *,
    inputs: Any = None,
) -> None:
    """Add to `.grad` of each leaf the gradient of Σ grad_tensorsᵢ · tensorsᵢ with respect to it.

    Args:
        tensors: one tensor or several.
        grad_tensors: for each its ∂L/∂tensor, of its shape; None for a tensor with one element means 1.
        retain_graph, create_graph, inputs: as of `Tensor.backward`.

    Raises:
        RuntimeError: a tensor needs no gradient, has more than one element and no grad_tensor, or a shape differs.
    """
    of_one = grad_tensors is None and inputs is None and not create_graph and isinstance(tensors, TensorBase)
    if of_one and isinstance(value := tensors._value, np.generic) and tensors._edge not in (None, NO_EDGE):
        # `loss.backward()`, as nearly always
        run_backward([tensors._edge], [type(value)(1)], keep_graph=retain_graph or False, create_graph=False)
        return
    roots, grads = _roots(_as_tuple(tensors), grad_tensors, create_graph)
    targets = None
    if inputs is not None:
        inputs = _as_tuple(inputs)
        targets = _targets(inputs, "backward()")
        for tensor in inputs:
            tensor.retain_grad()  # where it is a result
    if create_graph:
        warnings.warn(refused("create_graph"), stacklevel=3)
    keep_graph = create_graph if retain_graph is None else retain_graph
    run_backward(roots, grads, keep_graph, create_graph, targets)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """The gradients of Σ grad_outputsᵢ · outputsᵢ with respect to `inputs`, as a tuple. No `.grad` is touched.

    Args:
        outputs, inputs: one tensor or several each.
        grad_outputs: as grad_tensors of `backward`.
        retain_graph, create_graph: as for `backward`. only_inputs: of older programs; it changes nothing.
        allow_unused: give None for an input that the outputs do not depend on, instead of an error.
        is_grads_batched: grad_outputs have one more dimension in front; the gradients of each are stacked.
        materialize_grads: give zeros instead of None.
    """
    inputs = _as_tuple(inputs)
    if materialize_grads and allow_unused is False:
        raise refused("unused made zeros")
    if is_grads_batched:
        options = {"allow_unused": allow_unused, "materialize_grads": materialize_grads}
        rows, found = [*zip(*_as_tuple(grad_outputs), strict=True)], []
        for i, row in enumerate(rows, start=1):
            keep_graph = i < len(rows) or retain_graph  # all rows go through one graph
            found.append(grad(outputs, inputs, row, keep_graph, create_graph, **options))
        columns = zip(*found, strict=True)
        return tuple(None if column[0] is None else run(np.stack, column, formula=True) for column in columns)
    roots, grads = _roots(_as_tuple(outputs), grad_outputs, create_graph)
    targets = _targets(inputs, "grad()")
    keep_graph = (create_graph or mode.more_to_come) if retain_graph is None else retain_graph
    arrived = run_backward(roots, grads, keep_graph, create_graph, targets, capture=True)
    found = []
    for index, (tensor, target) in enumerate(zip(inputs, targets, strict=True)):
        gradient = arrived[target]
        if gradient is not None:
            found.append(gradient if create_graph else make_tensor(gradient.copy()))
        elif materialize_grads:
            found.append(make_tensor(np.zeros_like(tensor._value)).requires_grad_(create_graph))
        elif allow_unused:
            found.append(None)
        else:
            raise refused("unused", index=index)
    return tuple(found)


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return (value,) if isinstance(value, TensorBase) else tuple(value)


def _targets(inputs: Sequence[Any], function: str) -> list[Edge]:
    """Where the gradients of `inputs` are sent. Raises PyTorch's errors."""
    if not inputs:
        raise RuntimeError(f"`inputs` argument to `{function}` cannot be empty.")
    for tensor in inputs:
        if not isinstance(tensor, TensorBase):
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type_name(tensor)}")
        if gradient_edge(tensor) is NO_EDGE:
            raise refused("no grad asked")
    return [pair_of(gradient_edge(tensor)) for tensor in inputs]


def _roots(outputs: Sequence[Any], given: Any, create_graph: bool) -> tuple[list[Edge], list[Any]]:
    """The edges to start from, and the gradient at each, 1 if none is given. Raises PyTorch's errors."""
    grads = []
    given = (None,) * len(outputs) if given is None else _as_tuple(given)
    for index, (output, grad) in enumerate(zip(outputs, given)):  # as PyTorch, ignore gradients beyond the outputs
        if not isinstance(output, TensorBase):
            raise AssertionError("Expected output to be a torch.Tensor")
        value = output._value
        if grad is None:
            if value.size != 1 and requires_grad(output):
                raise refused("not a scalar", shape=value.shape)
            grad = make_tensor(np.ones_like(value))
        elif not isinstance(grad, TensorBase):
            raise refused("no tensor as a grad", given=type(grad).__name__)
        elif grad._value.shape != value.shape:
            raise refused("grad of another shape", index=index, given=list(grad.shape), wanted=list(value.shape))
        grads.append(grad if create_graph else grad._value)
    if len(grads) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(grads)} gradients")
    roots = [*map(gradient_edge, outputs)]
    for index, edge in enumerate(roots):
        if pair_of(edge)[0] is None:
            raise refused("no graph", index=index)
    return roots, grads
