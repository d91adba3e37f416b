# ruff: noqa: F403 (each file says in `__all__` what is for users)
"""`minigrad.nn`: modules, which are functions with parameters, as small as they can be.

It stands on the tensors and on `nn.functional` alone; the engine knows nothing of it.
"""

from __future__ import annotations

from ..hints import names_the_nearest, tell_summaries
from . import applied, containers, functional, init, layers, utils
from .applied import *
from .containers import *
from .layers import *
from .module import Module
from .parameter import Parameter

__all__ = ["Module", "Parameter", "functional", "init", "utils"]
__all__ += applied.__all__ + containers.__all__ + layers.__all__

__getattr__, __dir__ = names_the_nearest(__name__, __all__)
tell_summaries(__name__)
