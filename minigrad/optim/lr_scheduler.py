"""Schedules of the learning rate: after each epoch, `scheduler.step()` sets it for the next.

Each computes the rate from the one before, as PyTorch's do, so that a rate that was changed by hand stays changed.
"""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

from ..hints import names_the_nearest
from ..options import Listed
from .optimizers import Descent, Optimizer

if TYPE_CHECKING:
    from dataclasses import KW_ONLY

__all__ = ["CosineAnnealingLR", "ExponentialLR", "LRScheduler", "StepLR"]

__getattr__, __dir__ = names_the_nearest(__name__, __all__)
_GET_LAST = "To get the last learning rate computed by the scheduler, please use `get_last_lr()`."


class LRScheduler(Listed):
    """What all schedules share. Most multiply the rate by a factor that depends on the epoch alone.

    Attributes:
        base_lrs: the learning rate of each group when its first schedule was made.
        last_epoch: how many steps were taken.
    """

    optimizer: Optimizer
    _: KW_ONLY
    last_epoch: int = -1

    def _set(self, optimizer: Optimizer, last_epoch: int, **options: Any) -> None:
        vars(self).update(options)
        LRScheduler.__init__(self, optimizer, last_epoch)

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(f"param 'initial_lr' is not specified in param_groups[{i}]: load the optimizer's state")
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._step_count = 0
        self._is_initial = True  # during this step, which must not take one that is resumed further
        optimizer.has_schedule = True
        self.step()
        self._is_initial = False

    def get_lr(self) -> list[float]:
        """What `step()` sets: the rates before, changed once more where someone else asks. See `get_last_lr`."""
        if not self._get_lr_called_within_step:
            warnings.warn(_GET_LAST, stacklevel=2)
        return self._changed()

    def _changed(self) -> list[float]:
        """The learning rate of each group for this epoch: the one before, times a factor."""
        factor = self._factor(self.last_epoch)
        return [lr * factor for lr in self._rates()]

    def _factor(self, epoch: int) -> float:
        """What the rates are multiplied by at an epoch."""
        raise NotImplementedError

    def get_last_lr(self) -> list[float]:
        """The learning rates that were last set."""
        return self._last_lr

    def step(self) -> None:
        """Set the learning rates for the next epoch."""
        if self._step_count == 1 and isinstance(self.optimizer, Descent) and not self.optimizer.has_stepped:
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you "
                "should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to "
                "do this will result in PyTorch skipping the first value of the learning rate schedule. See more "
                "details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate",
                UserWarning,
                stacklevel=2,
            )
        self._step_count += 1
        self.last_epoch += 1
        self._get_lr_called_within_step = True
        for group, lr in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
            group["lr"] = lr
        self._get_lr_called_within_step = False
        self._last_lr = self._rates()

    def _rates(self) -> list[Any]:
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """All that is needed to continue, but the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from what `state_dict()` returned."""
        self.__dict__.update(state_dict)


_LRScheduler = LRScheduler  # its name in older programs


class StepLR(LRScheduler):
    """The rate times gamma, every step_size epochs."""

    step_size: int
    gamma: float = 0.1

    def _factor(self, epoch: int) -> float:
        return self.gamma if epoch and epoch % self.step_size == 0 else 1


class ExponentialLR(LRScheduler):
    """The rate times gamma, every epoch."""

    gamma: float

    def _factor(self, epoch: int) -> float:
        return 1 if self._is_initial else self.gamma


class CosineAnnealingLR(LRScheduler):
    """The rate goes down to eta_min in T_max epochs along half a cosine wave."""

    T_max: int
    eta_min: float = 0.0

    def _changed(self) -> list[float]:
        """The rate before, moved along the wave."""
        if self._is_initial:
            return self._rates()
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # from the lowest point upwards
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            return [lr + (base - self.eta_min) * rise for lr, base in zip(self._rates(), self.base_lrs, strict=True)]
        now = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        before = 1 + math.cos(math.pi * (self.last_epoch - 1) / self.T_max)
        return [now / before * (lr - self.eta_min) + self.eta_min for lr in self._rates()]
