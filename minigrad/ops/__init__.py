"""The operations: each forward beside its derivative.

A module of them is loaded when it is first asked for.
"""

from __future__ import annotations

from ..hints import loaded_later

__all__ = [
    "activation",
    "array_protocol",
    "convolution",
    "drawing",
    "errors",
    "formulas",
    "indexing",
    "inplace",
    "layer",
    "linalg",
    "loss",
    "operands",
    "order",
    "places",
    "placing",
    "pointwise",
    "primitive",
    "reduction",
    "shape",
    "special",
    "strided",
    "usual",
    "views",
]

__getattr__, __dir__ = loaded_later(__name__, __all__, {f".{name}": "" for name in __all__})
