"""Losses as modules: `nn.MSELoss()(prediction, target)`."""

from __future__ import annotations

from typing import Any

from . import functional
from .module import Module, own_copies
from .reductions import old_reduction


class _Loss(Module):
    """A loss of `functional` with its options, which are attributes, as PyTorch's."""

    function: Any

    def __init__(self, size_average: Any = None, reduce: Any = None, reduction: str = "mean"):
        super().__init__()
        self.reduction = old_reduction(size_average, reduce) or reduction
        self._options: tuple[str, ...] = ("reduction",)

    def _take(self, **options: Any) -> None:
        """Remember the options that one loss has and others do not."""
        self._options += tuple(options)
        for name, value in options.items():
            if name.endswith("weight"):
                self.register_buffer(name, value)
            else:
                setattr(self, name, value)

    def forward(self, input: Any, target: Any) -> Any:
        """The loss of the input against the target: `loss(input, target)`."""
        return self._of(input, target)

    def _of(self, *inputs: Any) -> Any:
        return type(self).function(*inputs, **{name: getattr(self, name) for name in self._options})


class MSELoss(_Loss):
    """The mean of (input - target)²."""

    function = staticmethod(functional.mse_loss)


class L1Loss(_Loss):
    """The mean of |input - target|."""

    function = staticmethod(functional.l1_loss)


class SmoothL1Loss(_Loss):
    """The mean of d² / 2β where d = |input - target| < β, else d - β/2."""

    function = staticmethod(functional.smooth_l1_loss)

    def __init__(self, size_average: Any = None, reduce: Any = None, reduction: str = "mean", beta: float = 1.0):
        super().__init__(size_average, reduce, reduction)
        self._take(beta=beta)


class HuberLoss(_Loss):
    """The mean of d² / 2 where d = |input - target| ≤ delta, else delta · (d - delta/2)."""

    function = staticmethod(functional.huber_loss)

    def __init__(self, reduction: str = "mean", delta: float = 1.0):
        super().__init__(reduction=reduction)
        self._take(delta=delta)


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
        super().__init__(size_average, reduce, reduction)
        self._take(weight=weight, ignore_index=ignore_index)


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
        super().__init__(size_average, reduce, reduction)
        self._take(weight=weight, ignore_index=ignore_index, label_smoothing=label_smoothing)


class BCELoss(_Loss):
    """The mean of -(t ln p + (1 - t) ln(1 - p)) for probabilities p."""

    function = staticmethod(functional.binary_cross_entropy)

    def __init__(self, weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean"):
        super().__init__(size_average, reduce, reduction)
        self._take(weight=weight)


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
        super().__init__(size_average, reduce, reduction)
        self._take(weight=weight, pos_weight=pos_weight)


class KLDivLoss(_Loss):
    """target · (ln target - input), for log-probabilities `input`."""

    function = staticmethod(functional.kl_div)

    def __init__(self, size_average: Any = None, reduce: Any = None, reduction: str = "mean", log_target: bool = False):
        super().__init__(size_average, reduce, reduction)
        self._take(log_target=log_target)


class SoftMarginLoss(_Loss):
    """ln(1 + exp(-target · input)), target ±1."""

    function = staticmethod(functional.soft_margin_loss)


class HingeEmbeddingLoss(_Loss):
    """The distance `input` where target is 1, and max(0, margin - input) where it is -1."""

    function = staticmethod(functional.hinge_embedding_loss)

    def __init__(self, margin: float = 1.0, size_average: Any = None, reduce: Any = None, reduction: str = "mean"):
        super().__init__(size_average, reduce, reduction)
        self._take(margin=margin)


class PoissonNLLLoss(_Loss):
    """exp(input) - target · input; without `log_input`, input - target · ln(input + eps)."""

    function = staticmethod(functional.poisson_nll_loss)

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: Any = None,
        eps: float = 1e-8,
        reduce: Any = None,
        reduction: str = "mean",
    ):
        super().__init__(size_average, reduce, reduction)
        self._take(log_input=log_input, full=full, eps=eps)


class GaussianNLLLoss(_Loss):
    """(ln var + (input - target)² / var) / 2."""

    function = staticmethod(functional.gaussian_nll_loss)

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean"):
        super().__init__(reduction=reduction)
        self._take(full=full, eps=eps)

    def forward(self, input: Any, target: Any, var: Any) -> Any:
        """The loss of the input, with the variance `var`, against the target."""
        return self._of(input, target, var)


class MarginRankingLoss(_Loss):
    """max(0, margin - target · (input1 - input2)), target ±1."""

    function = staticmethod(functional.margin_ranking_loss)

    def __init__(self, margin: float = 0.0, size_average: Any = None, reduce: Any = None, reduction: str = "mean"):
        super().__init__(size_average, reduce, reduction)
        self._take(margin=margin)

    def forward(self, input1: Any, input2: Any, target: Any) -> Any:
        """The loss of two scores, the first of which is to be larger where target is 1."""
        return self._of(input1, input2, target)


class CosineEmbeddingLoss(_Loss):
    """1 - cos where target is 1, and max(0, cos - margin) where it is -1."""

    function = staticmethod(functional.cosine_embedding_loss)

    def __init__(self, margin: float = 0.0, size_average: Any = None, reduce: Any = None, reduction: str = "mean"):
        super().__init__(size_average, reduce, reduction)
        self._take(margin=margin)

    def forward(self, input1: Any, input2: Any, target: Any) -> Any:
        """The loss of two vectors that are to point the same way where target is 1."""
        return self._of(input1, input2, target)


class TripletMarginLoss(_Loss):
    """max(0, margin + the distance of anchor and positive - that of anchor and negative)."""

    function = staticmethod(functional.triplet_margin_loss)

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
    ):
        super().__init__(size_average, reduce, reduction)
        self._take(margin=margin, p=p, eps=eps, swap=swap)

    def forward(self, anchor: Any, positive: Any, negative: Any) -> Any:
        """The loss of an anchor that is to be nearer to `positive` than to `negative`."""
        return self._of(anchor, positive, negative)


own_copies(_Loss.__subclasses__(), "forward")
