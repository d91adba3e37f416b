"""Losses as modules: `nn.MSELoss()(prediction, target)`."""

from __future__ import annotations

from typing import Any

from . import functional
from .module import Module


class _Loss(Module):
    """A loss of `functional` with its options, which are attributes, as PyTorch's."""

    function: Any

    def __init__(self, reduction: str = "mean", **options: Any):
        super().__init__()
        self.reduction = reduction
        self._options = ("reduction", *options)
        for name, value in options.items():
            if name.endswith("weight"):
                self.register_buffer(name, value)
            else:
                setattr(self, name, value)

    def forward(self, input: Any, target: Any) -> Any:
        """The loss of `input` against `target`."""
        return type(self).function(input, target, **{name: getattr(self, name) for name in self._options})


class MSELoss(_Loss):
    """The mean of (input - target)²."""

    function = staticmethod(functional.mse_loss)

    def __init__(self, size_average: Any = None, reduce: Any = None, reduction: str = "mean"):
        super().__init__(reduction)


class L1Loss(_Loss):
    """The mean of |input - target|."""

    function = staticmethod(functional.l1_loss)

    def __init__(self, size_average: Any = None, reduce: Any = None, reduction: str = "mean"):
        super().__init__(reduction)


class SmoothL1Loss(_Loss):
    """The mean of d² / 2β where d = |input - target| < β, else d - β/2."""

    function = staticmethod(functional.smooth_l1_loss)

    def __init__(self, size_average: Any = None, reduce: Any = None, reduction: str = "mean", beta: float = 1.0):
        super().__init__(reduction, beta=beta)


class HuberLoss(_Loss):
    """The mean of d² / 2 where d = |input - target| ≤ delta, else delta · (d - delta/2)."""

    function = staticmethod(functional.huber_loss)

    def __init__(self, reduction: str = "mean", delta: float = 1.0):
        super().__init__(reduction, delta=delta)


class NLLLoss(_Loss):
    """The mean of -input[target] for log-probabilities."""

    function = staticmethod(functional.nll_loss)

    def __init__(
        self,
        weight: Any = None,
        size_average: Any = None,
        ignore_index: int = -100,
        reduce: Any = None,
        reduction: str = "mean",
    ):
        super().__init__(reduction, weight=weight, ignore_index=ignore_index)


class CrossEntropyLoss(_Loss):
    """The mean of -ln of the probability that softmax(input) gives the target. It wants scores, not probabilities."""

    function = staticmethod(functional.cross_entropy)

    def __init__(
        self,
        weight: Any = None,
        size_average: Any = None,
        ignore_index: int = -100,
        reduce: Any = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ):
        super().__init__(reduction, weight=weight, ignore_index=ignore_index, label_smoothing=label_smoothing)


class BCELoss(_Loss):
    """The mean of -(t ln p + (1 - t) ln(1 - p)) for probabilities p."""

    function = staticmethod(functional.binary_cross_entropy)

    def __init__(self, weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean"):
        super().__init__(reduction, weight=weight)


class BCEWithLogitsLoss(_Loss):
    """BCELoss of sigmoid(input), without overflow. It wants scores, not probabilities."""

    function = staticmethod(functional.binary_cross_entropy_with_logits)

    def __init__(
        self,
        weight: Any = None,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
        pos_weight: Any = None,
    ):
        super().__init__(reduction, weight=weight, pos_weight=pos_weight)
