"""Optimizers, which read gradients and change parameters, and schedules of their learning rates."""

from __future__ import annotations

from ..hints import names_the_nearest, tell_summaries
from . import lr_scheduler
from .optimizers import SGD, Adam, AdamW, Optimizer, RMSprop

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]

__getattr__, __dir__ = names_the_nearest(__name__, __all__)
tell_summaries(__name__)
