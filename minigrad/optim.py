"""Optimizers: they read `.grad` of the parameters and change their values, out of sight of autograd."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .autograd.grad_mode import no_grad
from .autograd.graph import grad_fn
from .autograd.variable import TensorBase


class Optimizer:
    """What all optimizers share: the parameters, and clearing their gradients."""

    def __init__(self, params: Iterable[Any], lr: float) -> None:
        if isinstance(params, TensorBase):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                f"{type(params).__module__}.{type(params).__name__}"
            )
        self.params = list(params)
        if not self.params:
            raise ValueError("optimizer got an empty parameter list")
        for parameter in self.params:
            if not isinstance(parameter, TensorBase):
                raise TypeError(
                    f"optimizer can only optimize Tensors, but one of the params is {type(parameter).__name__}"
                )
            if grad_fn(parameter) is not None:
                raise ValueError("can't optimize a non-leaf Tensor")
        if lr < 0:
            raise ValueError(f"Invalid learning rate: {lr}")
        self.lr = lr

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients: set them to None, or to zero."""
        for parameter in self.params:
            if set_to_none:
                parameter.grad = None
            elif parameter.grad is not None:
                parameter.grad = parameter.grad.detach().zero_()

    @no_grad()
    def step(self) -> None:
        """Change each parameter that has a gradient."""
        for parameter in self.params:
            if parameter.grad is not None:
                self._update(parameter, parameter.grad)

    def _update(self, parameter: Any, grad: Any) -> None:
        raise NotImplementedError


class SGD(Optimizer):
    """Gradient descent: p ← p - lr · g; with momentum, p ← p - lr · v where v ← momentum · v + g."""

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-3, momentum: float = 0.0, weight_decay: float = 0.0
    ) -> None:
        super().__init__(params, lr)
        self.momentum, self.weight_decay = momentum, weight_decay
        self._velocity: dict[int, Any] = {}

    def _update(self, parameter: Any, grad: Any) -> None:
        if self.weight_decay:
            grad = grad + self.weight_decay * parameter
        if self.momentum:
            previous = self._velocity.get(id(parameter))
            grad = grad.clone() if previous is None else self.momentum * previous + grad
            self._velocity[id(parameter)] = grad
        parameter -= self.lr * grad


class Adam(Optimizer):
    """Adam (Kingma and Ba, 2015): steps scaled by running means of g and g²."""

    def __init__(
        self, params: Iterable[Any], lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8
    ) -> None:
        super().__init__(params, lr)
        self.betas, self.eps = betas, eps
        self._state: dict[int, tuple[int, Any, Any]] = {}

    def _update(self, parameter: Any, grad: Any) -> None:
        beta1, beta2 = self.betas
        step, mean, square = self._state.get(id(parameter), (0, grad * 0, grad * 0))
        step, mean, square = step + 1, beta1 * mean + (1 - beta1) * grad, beta2 * square + (1 - beta2) * grad * grad
        self._state[id(parameter)] = step, mean, square
        root = (square / (1 - beta2**step)).sqrt() + self.eps
        parameter -= self.lr * (mean / (1 - beta1**step)) / root
