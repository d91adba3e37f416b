"""`minigrad.utils`: what training programs use beside tensors: batches of data, and checkpoints."""

from __future__ import annotations

from ..hints import names_the_nearest
from . import checkpoint, data

__all__ = ["checkpoint", "data"]

__getattr__, __dir__ = names_the_nearest(__name__, __all__)
