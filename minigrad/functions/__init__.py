"""PyTorch's signatures over the operations of `ops/`: what `minigrad.sum`, `minigrad.where` and most methods are.

An operation in `ops/` is one formula on normalized arguments. Here stand the many ways in which a user may write it:
defaults, keywords, negative dimensions, numbers in the place of tensors, and the errors for what PyTorch refuses.
Operations that need none of this are themselves the function: `exp` is `ops.pointwise.exp`.
"""

from __future__ import annotations

from . import comparison, contraction, indexing, joins, matrices, order, pointwise, products, reduction, shape
from .comparison import *  # noqa: F403
from .contraction import *  # noqa: F403
from .indexing import *  # noqa: F403
from .joins import *  # noqa: F403
from .joins import repeat as repeat
from .matrices import *  # noqa: F403
from .order import *  # noqa: F403
from .pointwise import *  # noqa: F403
from .products import *  # noqa: F403
from .reduction import *  # noqa: F403
from .shape import *  # noqa: F403
from .shape import expand as expand
from .shape import unfold as unfold
from .shape import view as view

# `repeat`, `expand`, `unfold` and `view` are methods only.
__all__ = [
    name
    for module in (comparison, contraction, indexing, joins, matrices, order, pointwise, products, reduction, shape)
    for name in module.__all__
]
