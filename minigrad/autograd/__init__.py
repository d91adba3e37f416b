"""Automatic differentiation: `backward`, `grad`, custom `Function`s, and the modes that switch recording off and on.

Reading order for the curious: `variable.py` (what a tensor remembers), `node.py` (nodes and edges), `engine.py` (the
backward pass), `accumulate.py` (where gradients add up), `function.py` (operations of your own).
"""

from __future__ import annotations

from ..hints import loaded_later
from .anomaly import detect_anomaly, set_detect_anomaly
from .api import backward, grad
from .grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled, set_multithreading_enabled
from .gradcheck import gradcheck, gradgradcheck

__all__ = [
    "Function",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
]

_LATER = {".function": "Function", ".functional": "", ".graph": "", ".legacy": "Variable"}
__getattr__, __dir__ = loaded_later(__name__, __all__, _LATER)
