"""What is done with all gradients, or all parameters, at once."""

from __future__ import annotations

from typing import Any

from .. import creation, functions
from ..autograd.grad_mode import no_grad
from ..autograd.variable import TensorBase
from ..hints import names_the_nearest

__all__ = ["clip_grad_norm_", "clip_grad_value_"]

__getattr__, __dir__ = names_the_nearest(__name__, __all__)


def _gradients(parameters: Any) -> list[Any]:
    parameters = [parameters] if isinstance(parameters, TensorBase) else parameters
    return [p.grad for p in parameters if p.grad is not None]


@no_grad()
def clip_grad_norm_(parameters: Any, max_norm: float, norm_type: float = 2.0, foreach: bool | None = None) -> Any:
    """Make all gradients smaller by one factor, so that the norm of them all is at most `max_norm`.

    Returns the norm that they had before.
    """
    grads = _gradients(parameters)
    if not grads:
        return creation.tensor(0.0)
    norms = functions.stack([functions.norm(grad, float(norm_type)) for grad in grads])
    total = functions.norm(norms, float(norm_type))
    factor = functions.clamp(max_norm / (total + 1e-6), max=1.0)
    for grad in grads:
        grad.mul_(factor)
    return total


@no_grad()
def clip_grad_value_(parameters: Any, clip_value: float, foreach: bool | None = None) -> None:
    """Bring each number in the gradients within ±clip_value."""
    for grad in _gradients(parameters):
        grad.clamp_(-float(clip_value), float(clip_value))
