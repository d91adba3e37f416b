# ruff: noqa: D101 (the docstring of each is that of its function)
"""Losses as modules: `nn.MSELoss()(prediction, target)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import functional
from .applied import Applied

if TYPE_CHECKING:
    from dataclasses import KW_ONLY

    from ..tensor import Tensor

__all__ = [
    "MSELoss", "L1Loss", "SoftMarginLoss", "SmoothL1Loss", "HuberLoss", "NLLLoss", "CrossEntropyLoss", "BCELoss",
    "BCEWithLogitsLoss", "KLDivLoss", "PoissonNLLLoss", "GaussianNLLLoss", "HingeEmbeddingLoss", "MarginRankingLoss",
    "CosineEmbeddingLoss", "TripletMarginLoss",
]  # fmt: skip


class _Loss(Applied):
    _: KW_ONLY
    reduction: str = "mean"

    def extra_repr(self) -> str:
        """Nothing."""
        return ""


class MSELoss(_Loss, of=functional.mse_loss): ...


class L1Loss(_Loss, of=functional.l1_loss): ...


class SoftMarginLoss(_Loss, of=functional.soft_margin_loss): ...


class SmoothL1Loss(_Loss, of=functional.smooth_l1_loss):
    _: KW_ONLY
    beta: float = 1.0


class HuberLoss(_Loss, of=functional.huber_loss):
    reduction: str = "mean"
    delta: float = 1.0


class NLLLoss(_Loss, of=functional.nll_loss):
    weight: Tensor | None = None
    _: KW_ONLY
    ignore_index: int = -100


class CrossEntropyLoss(_Loss, of=functional.cross_entropy):
    weight: Tensor | None = None
    _: KW_ONLY
    ignore_index: int = -100
    label_smoothing: float = 0.0


class BCELoss(_Loss, of=functional.binary_cross_entropy):
    weight: Tensor | None = None


class BCEWithLogitsLoss(_Loss, of=functional.binary_cross_entropy_with_logits):
    weight: Tensor | None = None
    _: KW_ONLY
    pos_weight: Tensor | None = None


class KLDivLoss(_Loss, of=functional.kl_div):
    _: KW_ONLY
    log_target: bool = False


class PoissonNLLLoss(_Loss, of=functional.poisson_nll_loss):
    log_input: bool = True
    full: bool = False
    _: KW_ONLY
    eps: float = 1e-8


class GaussianNLLLoss(_Loss, of=functional.gaussian_nll_loss):
    _: KW_ONLY
    full: bool = False
    eps: float = 1e-6


class HingeEmbeddingLoss(_Loss, of=functional.hinge_embedding_loss):
    margin: float = 1.0


class MarginRankingLoss(_Loss, of=functional.margin_ranking_loss):
    margin: float = 0.0


class CosineEmbeddingLoss(_Loss, of=functional.cosine_embedding_loss):
    margin: float = 0.0


class TripletMarginLoss(_Loss, of=functional.triplet_margin_loss):
    margin: float = 1.0
    p: float = 2.0
    eps: float = 1e-6
    swap: bool = False
