"""What PyTorch has under `torch.autograd.graph`: nodes, edges between them, hooks on what they save."""

from __future__ import annotations

from .multi_grad import register_multi_grad_hook
from .node import GradientEdge, Node, get_gradient_edge, increment_version
from .saved_hooks import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks

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
