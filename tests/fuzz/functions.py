"""Functions of one's own, for random programs; `torch` is either library, put there by who runs this file's text.

Two outputs of which one may be unused, a result that is written in place, an output without a gradient, gradients that
are None, and arguments that are no tensors. And a `with` in which a tensor holds half of itself.
"""

from __future__ import annotations

import contextlib
from types import ModuleType
from typing import Any

import numpy


def functions(torch: ModuleType) -> dict[str, Any]:
    """The Functions made for one library, by name, and numpy."""
    np, checkpoint = numpy, torch.utils.checkpoint.checkpoint

    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x, y)
            return x * y, x + y

        @staticmethod
        def backward(ctx, product, total):
            x, y = ctx.saved_tensors
            return product * y + total, product * x + total

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    class Part(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor, other=None):
            ctx.factor = factor
            mask = x > 0
            ctx.mark_non_differentiable(mask)
            return x * factor, mask

        @staticmethod
        def backward(ctx, grad, _):
            return grad * ctx.factor, None, None

    class Lazy(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.set_materialize_grads(False)
            return x * 2, y * 3

        @staticmethod
        def backward(ctx, one, other):
            return None if one is None else one * 2, None if other is None else other * 3

    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x**3

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 3 * x**2

    class Shaped(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.shape, ctx.dtype = x.shape, x.dtype
            return x.sum()

        @staticmethod
        def backward(ctx, grad):
            return grad.expand(ctx.shape).to(ctx.dtype)

    @contextlib.contextmanager
    @torch.no_grad()
    def halved(x):
        x.mul_(0.5)
        try:
            yield
        finally:
            x.mul_(2)

    return locals()
