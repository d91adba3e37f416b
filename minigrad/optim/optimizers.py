"""Optimizers: they read `.grad` of the parameters and change their values, out of sight of autograd."""

from __future__ import annotations

import copy
import math
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..autograd.grad_mode import enable_grad, no_grad
from ..autograd.node import grad_fn
from ..autograd.variable import TensorBase, make_tensor
from ..creation import zeros_like
from ..devices import tensor_type
from ..hints import hinted
from ..nn.module import type_told
from ..nn.parameter import forget_gradients
from ..options import Listed

if TYPE_CHECKING:
    from dataclasses import KW_ONLY

ByName = dict[str, Any]  # the options of a group, what is remembered of a parameter


class Optimizer:
    """What all optimizers share: the parameters with their options, clearing gradients, saving.

    Attributes:
        param_groups: dictionaries with the parameters ("params") and their options ("lr", …), which may be changed.
        state: for each parameter, what the optimizer remembers of it.
    """

    def __init__(self, params: Iterable[Any], defaults: ByName) -> None:
        if isinstance(params, TensorBase):
            said = "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
            raise hinted(TypeError(f"{said}{tensor_type(params._value)}"))
        self.defaults = defaults
        self.has_schedule = self.has_stepped = False  # has it stepped since its first schedule was made?
        self.state: dict[Any, ByName] = defaultdict(dict)
        self.param_groups: list[ByName] = []
        try:
            groups = list(params)
        except TypeError as error:
            hinted(error)
            raise
        if not groups:
            raise hinted(ValueError("optimizer got an empty parameter list"))
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: ByName) -> None:
        """More parameters: {"params": …}, with options of their own; with their names, if they come in pairs."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                "will change between runs. Please use a list instead."
            )
        params = [params] if isinstance(params, TensorBase) else list(params)
        names = [each[0] for each in params if isinstance(each, tuple)]
        if names and len(names) < len(params):
            raise ValueError("all optimizer params should be with/without names. Some param names are missing")
        if names:
            params, param_group["param_names"] = [each[1] for each in params], names
        param_group["params"] = params  # of an iterator nothing is left
        for parameter in params:
            if not isinstance(parameter, TensorBase):
                told = f"optimizer can only optimize Tensors, but one of the params is {type_told(parameter)}"
                raise hinted(TypeError(told))
            if grad_fn(parameter) is not None and not parameter.retains_grad:
                raise hinted(ValueError("can't optimize a non-leaf Tensor"))
        if len(params) != len({id(parameter) for parameter in params}):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=3,
            )
        for group in self.param_groups:
            if any(parameter is p for parameter in params for p in group["params"]):
                raise ValueError("some parameters appear in more than one parameter group")
        for name, value in self.defaults.items():
            param_group.setdefault(name, value)
        self.param_groups.append(param_group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients: set them to None, or to zero."""
        for group in self.param_groups:
            forget_gradients(group["params"], set_to_none)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters: to be written by the derived class."""
        raise NotImplementedError

    def state_dict(self) -> ByName:
        """The options and what is remembered of each parameter, by its number."""
        parameters = [p for group in self.param_groups for p in group["params"]]
        number = {id(p): i for i, p in enumerate(parameters)}
        groups = []
        for group in self.param_groups:
            options = {name: value for name, value in group.items() if name != "params"}
            groups.append(options | {"params": [number[id(p)] for p in group["params"]]})
        state = {number[id(p)]: dict(state) for p, state in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: ByName) -> None:
        """Continue from what `state_dict()` returned."""
        groups = state_dict["param_groups"]
        if len(groups) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(own["params"]) != len(new["params"]) for own, new in zip(self.param_groups, groups, strict=True)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        parameters, self.state = {}, defaultdict(dict)
        for i, (own, new) in enumerate(zip(self.param_groups, groups, strict=True)):
            parameters |= zip(new["params"], own["params"], strict=True)
            # What was saved may have no names: they stay; and not all options: the rest are the usual ones.
            names = {"param_names": own["param_names"]} if "param_names" in own else {}
            self.param_groups[i] = self.defaults | names | copy.deepcopy(new) | {"params": own["params"]}
        for number, state in state_dict["state"].items():
            parameter = parameters[number]
            self.state[parameter] = {
                name: value.to(parameter.device, parameter.dtype)
                if isinstance(value, TensorBase) and name != "step"
                else value
                for name, value in state.items()
            }

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines += [""] if number else []
            options = sorted((name, value) for name, value in group.items() if name != "params")
            lines += [f"Parameter Group {number}", *(f"    {name}: {value}" for name, value in options)]
        return "\n".join([*lines, ")"])


#: Options that must not be negative, and what PyTorch calls them.
_NOT_NEGATIVE = {name: f"{name} value" for name in ("momentum", "weight_decay", "alpha")}
_NOT_NEGATIVE |= {"lr": "learning rate", "eps": "epsilon value"}


class Descent(Listed, Optimizer):
    """What minigrad's own optimizers share: they list their options, and change one parameter after the other."""

    params: Iterable[Any]
    _: KW_ONLY
    maximize: bool = False
    foreach: bool | None = None

    def _set(self, params: Iterable[Any], **options: Any) -> None:
        if isinstance(options["lr"], TensorBase) and options["lr"].numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        least = 0.0
        for name, value in options.items():
            if name in _NOT_NEGATIVE and not least <= value:
                raise ValueError(f"Invalid {_NOT_NEGATIVE[name]}: {value}")
        for index in range(2) if "betas" in options else ():
            if not 0.0 <= options["betas"][index] < 1.0:
                raise ValueError(f"Invalid beta parameter at index {index}: {options['betas'][index]}")
        if options.get("nesterov") and (options["momentum"] <= 0 or options["dampening"] != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        Optimizer.__init__(self, params, options)

    @no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change each parameter that has a gradient. `closure`, if given, computes the loss and gradients first."""
        self.has_stepped, loss = self.has_schedule, None
        if closure is not None:
            with enable_grad():
                loss = closure()
        for group in self.param_groups:
            if isinstance(group["lr"], TensorBase):
                group = {**group, "lr": group["lr"].item()}
            decay = not group.get("decoupled_weight_decay") and group.get("weight_decay")
            for parameter in group["params"]:
                grad = parameter.grad
                if grad is None:
                    continue
                if group["maximize"]:
                    grad = -grad
                if decay:
                    grad = grad.add(parameter, alpha=decay)
                state = self.state.get(parameter, {})
                self._update(parameter, grad, state, group)
                if state:
                    self.state[parameter] = state
        return loss

    def _update(self, parameter: Any, grad: Any, state: ByName, group: ByName) -> None:
        """Change one parameter: the formula of the optimizer."""
        raise NotImplementedError


def _count(state: ByName, parameter: Any, **wanted: Any) -> None:
    """Count a step, in a tensor as PyTorch does. The first finds zeros where there will be what is `wanted`."""
    if not state:
        state["step"] = make_tensor(np.array(0.0, np.float32))
        state |= {name: zeros_like(parameter) for name, used in wanted.items() if used}
    state["step"] += 1


class SGD(Descent):
    """Gradient descent: p ← p - lr · g; with momentum, p ← p - lr · v where v ← momentum · v + (1 - dampening) · g.

    `weight_decay` λ adds λ · p to the gradient. With `nesterov`, the step is lr · (g + momentum · v).
    """

    lr: float = 1e-3
    momentum: float = 0
    dampening: float = 0
    weight_decay: float = 0
    nesterov: bool = False
    _: KW_ONLY
    differentiable: bool = False
    fused: bool | None = None

    def _update(self, parameter: Any, grad: Any, state: ByName, group: ByName) -> None:
        momentum, lr = group["momentum"], group["lr"]
        if momentum:
            velocity = state.get("momentum_buffer")
            if velocity is None:
                velocity = state["momentum_buffer"] = grad.detach().clone()
            else:
                velocity.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
            grad = grad.add(velocity, alpha=momentum) if group["nesterov"] else velocity
        parameter.add_(grad * -lr)


class Adam(Descent):
    """Adam (Kingma and Ba, 2015): steps scaled by running means of g and g².

    m ← β₁ m + (1 - β₁) g,   v ← β₂ v + (1 - β₂) g²,   p ← p - lr · m̂ / (√v̂ + eps)   with m̂ = m / (1 - β₁ᵗ), v̂ alike.
    """

    lr: float = 1e-3
    betas: tuple[float, float] = (0.9, 0.999)
    eps: float = 1e-8
    weight_decay: float = 0
    amsgrad: bool = False
    _: KW_ONLY
    capturable: bool = False
    differentiable: bool = False
    fused: bool | None = None
    decoupled_weight_decay: bool = False

    def _update(self, parameter: Any, grad: Any, state: ByName, group: ByName) -> None:
        (beta1, beta2), lr = group["betas"], group["lr"]
        _count(state, parameter, exp_avg=True, exp_avg_sq=True, max_exp_avg_sq=group["amsgrad"])
        step = state["step"].item()
        if group["decoupled_weight_decay"]:
            parameter.mul_(1 - lr * group["weight_decay"])
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.copy_(mean.lerp(grad, 1 - beta1))
        square.mul_(beta2).add_(grad * grad * (1 - beta2))
        if group["amsgrad"]:
            largest = state["max_exp_avg_sq"]
            square = largest.copy_(largest.maximum(square))
        root = square.sqrt() / math.sqrt(1 - beta2**step) + group["eps"]
        rate = lr / (1 - beta1**step)
        parameter.add_(mean / root * -rate)


class AdamW(Adam):
    """Adam with weight decay apart from the gradient (Loshchilov and Hutter, 2019): p ← p · (1 - lr · λ) first."""

    weight_decay: float = 1e-2
    _: KW_ONLY
    decoupled_weight_decay: bool = True


class RMSprop(Descent):
    """Steps divided by the root of a running mean of g²: s ← α s + (1 - α) g²,   p ← p - lr · g / (√s + eps).

    With `centered`, the mean of g is first taken out of s; `momentum` as for SGD. Due to G. Hinton's lectures, 2012.
    """

    lr: float = 1e-2
    alpha: float = 0.99
    eps: float = 1e-8
    weight_decay: float = 0
    momentum: float = 0
    centered: bool = False
    capturable: bool = False
    _: KW_ONLY
    differentiable: bool = False

    def _set(self, params: Iterable[Any], **options: Any) -> None:
        order = ("lr", "momentum", "alpha", "eps", "centered", "weight_decay", "capturable", "foreach")  # in a group
        super()._set(params, **{name: options[name] for name in order} | options)

    def _update(self, parameter: Any, grad: Any, state: ByName, group: ByName) -> None:
        _count(state, parameter, square_avg=True, momentum_buffer=group["momentum"], grad_avg=group["centered"])
        rest = 1 - group["alpha"]
        spread = state["square_avg"].mul_(group["alpha"]).add_(grad * rest * grad)
        if group["centered"]:
            mean = state["grad_avg"].lerp_(grad, rest)
            spread = spread - mean * mean
        step = grad / (spread.sqrt() + group["eps"])
        if group["momentum"]:
            step = state["momentum_buffer"].mul_(group["momentum"]).add_(step)
        parameter.add_(step, alpha=-group["lr"])
