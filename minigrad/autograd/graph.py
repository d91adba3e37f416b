"""What PyTorch has under `torch.autograd.graph`: nodes, edges between them, hooks on what they save."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from .multi_grad import register_multi_grad_hook
from .node import Node, gradient_edge, requires_grad
from .saved_hooks import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks
from .variable import TensorBase, pair_of

Node.__module__ = __name__  # where PyTorch says that it is

__all__ = [
    "GradientEdge",
    "Node",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]


class GradientEdge(namedtuple("GradientEdge", "node output_nr ownership_token", defaults=[None])):
    """Where a gradient is sent: a node, and which output of the operation it is the gradient of."""

    __slots__ = ()


def get_gradient_edge(tensor: TensorBase) -> GradientEdge:
    """The gradient edge of a tensor that requires grad; for a leaf it leads to its AccumulateGrad."""
    if not requires_grad(tensor):
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge(*pair_of(gradient_edge(tensor)))


def increment_version(tensor: Any) -> None:
    """Say that the memory of a tensor, or of several, was written behind autograd's back."""
    for written in (tensor,) if isinstance(tensor, TensorBase) else tensor:
        written._version_counter[0] += 1
