"""Random numbers in a graph. They are the same whatever stood in their place, so their gradients are 0.

The numbers themselves, `draws`, are drawn beforehand (`functions/drawing.py`).
"""

from __future__ import annotations

from ..devices import device_of, move
from .inplace import inplace
from .pointwise import flat
from .primitive import no_derivative, op


def _put(array, draws):
    array[...] = move(draws, device_of(array))


def _written(name):
    @op(name, self=flat)
    def draw(self, draws):
        """c = random numbers in the place of a      ∂L/∂a = 0"""
        return draws.astype(self.dtype)

    return inplace(draw, _put)


normal_, uniform_, exponential_, bernoulli_ = map(
    _written, ("NormalBackward0", "UniformBackward0", "ExponentialBackward0", "BernoulliBackward2")
)


bernoulli = op("BernoulliBackward0", self=flat)(
    lambda self, draws: (draws < self).astype(self.dtype),
    "c = 1 with the probability a, else 0      ∂L/∂a = 0: a step has no slope",
)


@no_derivative("aten::bernoulli")
def bernoulli_everywhere(self, p, draws):
    """c = 1 with the probability p, else 0, in the size of a"""
    return (draws < p).astype(self.dtype)


def _around(name, *random):
    return op(name, **dict.fromkeys(random, flat))(
        lambda mean, std, draws: mean + std * draws,
        "c = m + s · random numbers      ∂L/∂m = ∂L/∂s = 0, as in PyTorch: write m + s * randn(…)",
    )


normal, normal_around, normal_wide = (
    _around("NormalBackward3", "mean", "std"),
    _around("NormalBackward1", "mean"),
    _around("NormalBackward2", "std"),
)
