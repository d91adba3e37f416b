"""`backward` and `grad`: the two questions one can ask a graph. Checks the arguments, then runs the engine."""

from __future__ import annotations

import math
import warnings
from collections import namedtuple
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..hints import type_name
from ..refusals import refused
from .engine import run_backward
from .grad_mode import mode, modes_kept
from .node import AccumulateGrad, gradient_edge, requires_grad
from .variable import NO_EDGE, Edge, TensorBase, make_tensor, pair_of

#: Where a gradient is sent: a node, and which output of the operation it is the gradient of.
GradientEdge = namedtuple("GradientEdge", "node output_nr ownership_token", defaults=[None])


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
        tensors: one tensor or several; a `GradientEdge` stands for the tensor whose gradient it is.
        grad_tensors: for each its ∂L/∂tensor, of its shape; None for a tensor with one element means 1.
        retain_graph: keep what the nodes have saved; by default as `create_graph`.
        create_graph: record the backward pass itself.
        inputs: add only to the `.grad` of these tensors, which may also be edges.

    Raises:
        RuntimeError: a tensor needs no gradient, has more than one element and no grad_tensor, or a shape differs.
    """
    if grad_tensors is None and inputs is None and not create_graph and is_one_number(tensors):
        # `loss.backward()`, as nearly always
        run_backward([tensors._edge], [type(tensors._value)(1)], keep_graph=retain_graph or False, create_graph=False)
        return
    wanted = None if inputs is None else _inputs(inputs, "backward()")
    roots, grads = _roots(_as_tuple(tensors), grad_tensors)
    for tensor in wanted or ():
        if isinstance(tensor, TensorBase) and not isinstance(gradient_edge(tensor), AccumulateGrad):
            tensor.retain_grad()
    if create_graph:
        warnings.warn(refused("create_graph"), stacklevel=3)
    run_backward(
        roots,
        grads if create_graph else [g._value for g in grads],
        keep_graph=create_graph if retain_graph is None else retain_graph,
        create_graph=create_graph,
        inputs=None if wanted is None else [*map(_target, wanted)],
    )


def is_one_number(output: Any) -> bool:
    """Whether this is the 0-dim result of a recorded operation."""
    if not isinstance(output, TensorBase) or not isinstance(output._value, np.generic):
        return False
    return output._edge is not None and output._edge is not NO_EDGE


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    *,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """The gradients of Σ grad_outputsᵢ · outputsᵢ with respect to `inputs`, as a tuple. No `.grad` is touched.

    Args:
        outputs, inputs: one tensor or several each; a `GradientEdge` stands for the tensor whose gradient it is.
        grad_outputs: as grad_tensors of `backward`.
        retain_graph, create_graph: as for `backward`.
        allow_unused: give None for an input that the outputs do not depend on, instead of an error.
        is_grads_batched: grad_outputs have one more dimension in front; the gradients of each are stacked.
        materialize_grads: give zeros instead of None.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    wanted = _inputs(inputs, "grad()")
    if is_grads_batched:
        options = {"allow_unused": allow_unused, "materialize_grads": materialize_grads}
        return _batched(outputs, wanted, grad_outputs, retain_graph, create_graph, options)
    roots, grads = _roots(_as_tuple(outputs), grad_outputs)
    targets = [_target(tensor) for tensor in wanted]
    arrived = run_backward(
        roots,
        grads if create_graph else [g._value for g in grads],
        keep_graph=create_graph or mode.more_to_come if retain_graph is None else retain_graph,
        create_graph=create_graph,
        inputs=targets,
        capture=True,
    )
    found = tuple(g if g is None or create_graph else make_tensor(g.copy()) for g in map(arrived.get, targets))
    unused = [index for index, gradient in enumerate(found) if gradient is None]
    if unused and not (materialize_grads if allow_unused is None else allow_unused):
        raise refused("unused", index=unused[0])
    if materialize_grads:
        return tuple(_zeros(x, create_graph) if g is None else g for g, x in zip(found, wanted, strict=True))
    return found


@modes_kept
def _batched(
    outputs: Any, inputs: Any, given: Any, retain_graph: bool | None, create_graph: bool, options: dict[str, Any]
) -> Any:
    """The gradients for each of the first dimension of `given`, stacked."""
    given = _as_tuple(given)
    last = len(given[0]) - 1
    rows = [
        grad(outputs, inputs, [g[i] for g in given], True if i < last else retain_graph, create_graph, **options)
        for i in range(last + 1)
    ]
    mode.formula = True  # `np.stack` takes tensors, and is recorded
    return tuple(None if column[0] is None else np.stack(column) for column in zip(*rows, strict=True))


def _zeros(like: Any, requires_grad: bool) -> Any:
    if isinstance(like, GradientEdge):
        raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
    return make_tensor(np.zeros_like(like._value)).requires_grad_(requires_grad)


# ---------------------------------------------------------------------------------------------------------------------
# Arguments


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return (value,) if isinstance(value, TensorBase | GradientEdge) else tuple(value)


def _inputs(inputs: Any, function: str) -> tuple[Any, ...]:
    """The inputs one by one. Raises PyTorch's errors."""
    wanted = _as_tuple(inputs)
    if not wanted:
        raise RuntimeError(f"`inputs` argument to `{function}` cannot be empty.")
    return wanted


def _edge(tensor: Any) -> tuple[Any, int]:
    """Where the gradient of a tensor is sent; or the edge that was given in the place of one."""
    return tensor[:2] if isinstance(tensor, GradientEdge) else pair_of(gradient_edge(tensor))


def _target(tensor: Any) -> Edge:
    if not isinstance(tensor, TensorBase | GradientEdge):
        raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type_name(tensor)}")
    edge = _edge(tensor)
    if edge is NO_EDGE:
        raise refused("no grad asked")
    return edge


def _roots(outputs: Sequence[Any], given: Any) -> tuple[list[Edge], list[Any]]:
    """The edges to start from, and the gradient at each, as a tensor: 1 if none is given. Raises PyTorch's errors."""
    grads = []
    given = (None,) * len(outputs) if given is None else _as_tuple(given)
    for index, (output, grad) in enumerate(zip(outputs, given)):  # as PyTorch, ignore gradients beyond the outputs
        if not isinstance(output, TensorBase | GradientEdge):
            raise AssertionError("Expected output to be a torch.Tensor")
        is_edge = isinstance(output, GradientEdge)
        like = np.empty(*output.node._outputs[output.output_nr]) if is_edge else output._value
        if grad is None:
            if math.prod(like.shape) != 1 and (is_edge or requires_grad(output)):
                raise refused("not a scalar", shape=tuple(like.shape))
            grad = make_tensor(np.ones_like(like))
        elif not isinstance(grad, TensorBase):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(grad).__name__}")
        elif grad._value.shape != like.shape:
            raise refused("grad of another shape", index=index, given=list(grad._value.shape), wanted=list(like.shape))
        elif grad._value.dtype != like.dtype:
            grad = grad._cast(like.dtype)
        grads.append(grad)
    if len(grads) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(grads)} gradients")
    roots = [_edge(output) for output in outputs]
    for index, edge in enumerate(roots):
        if edge[0] is None:
            raise refused("no graph", index=index)
    return roots, grads
