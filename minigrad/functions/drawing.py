"""Tensors of random numbers."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from .. import random
from ..autograd.variable import TensorBase as Tensor
from ..creation import checked_dtype, checked_size, leaf_of, made_like
from ..devices import device_of, move
from ..dtypes import dtype, from_numpy_dtype, to_numpy_dtype
from ..ops.errors import not_for, require_kind
from ..ops.inplace import check_inplace, inplace
from ..ops.pointwise import flat
from ..ops.primitive import op
from ..table import public


def _standard(name: str, distribution: str, doc: str) -> Any:
    """The function that makes a tensor of numbers of a distribution, as a generator draws them."""

    def drawn(
        *size: int | Sequence[int],
        generator: Any = None,
        dtype: dtype | None = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Tensor:
        size, kind = checked_size(name, size), checked_dtype(name, dtype)
        draws = getattr(random.generator_for(device, generator), distribution)(int(np.prod(size)), kind)
        return leaf_of(draws.reshape(size), requires_grad=requires_grad)

    return public(drawn, name=name, doc=doc, as_method=False)


rand = _standard("rand", "uniform", "Uniform in [0, 1).")
randn = _standard("randn", "normal", "Standard normal: mean 0, variance 1.")


def uniform(size: Any, a: float, b: float, dtype: Any, generator: Any = None, device: Any = None) -> Any:
    """Uniform in [a, b)."""
    kind = to_numpy_dtype(dtype)
    a, b = kind.type(a), kind.type(b)
    draws = rand(size, dtype=dtype, generator=generator, device=device)._value
    if kind != np.float32:
        return leaf_of(draws * (b - a) + a)
    exact = draws.astype(np.float64) * float(b - a) + float(a)  # PyTorch multiplies and adds with a single rounding
    return leaf_of(exact.astype(kind))


@public(as_method=False)
def randint(
    low: int,
    high: int | Sequence[int] | None = None,
    size: Sequence[int] | None = None,
    *,
    generator: Any = None,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Uniform integers from low (0 if left out) to high - 1: `randint(10, (3,))` or `randint(5, 10, (3,))`."""
    if size is None:
        low, high, size = 0, low, high
    if isinstance(low, Tensor) or isinstance(high, Tensor):
        low, high = index(low), index(high)
    if high <= low:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    size = checked_size("randint", (size,))
    draws = random.generator_for(device, generator).integers(low, high, int(np.prod(size)))
    return leaf_of(draws.reshape(size), dtype, None, requires_grad)


@public(as_method=False)
def randperm(
    n: int, *, generator: Any = None, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """0 … n-1 in random order."""
    return leaf_of(random.generator_for(device, generator).permutation(n), dtype, None, requires_grad)


def _like(drawn: Any) -> None:
    def like(
        input: Tensor,
        *,
        generator: Any = None,
        dtype: dtype | None = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Tensor:
        kind = input._value.dtype if dtype is None else to_numpy_dtype(dtype)
        if kind.kind != "f":
            raise not_for("check_uniform_bounds", from_numpy_dtype(kind).tensor_type.removesuffix("Tensor"))
        return made_like(drawn, input, dtype, device, requires_grad, generator=generator)

    doc = f"{drawn.__doc__[:-1]}, in the size, type and place of `input`."
    public(like, name=f"{drawn.__name__}_like", doc=doc, as_method=False, out=False)


_like(rand)
_like(randn)


@public(as_method=False)
def normal(mean: float, std: float, size: Sequence[int], *, generator: Any = None, device: Any = None) -> Tensor:
    """Normal with the given mean and standard deviation."""
    if std < 0:
        raise RuntimeError("normal expects all elements of std >= 0.0")
    return leaf_of(randn(tuple(size), generator=generator, device=device)._value * std + mean)


# ---------------------------------------------------------------------------------------------------------------------
# Written into a tensor: random numbers are the same whatever stood in their place


def _put(array, draws):
    array[...] = move(draws, device_of(array))


def _written(name):
    @op(name, self=flat)
    def draw(self, draws):
        """c = random numbers in the place of a      ∂L/∂a = 0"""
        return draws.astype(self.dtype)

    return inplace(draw, _put)


_normal_, _uniform_ = map(_written, ("NormalBackward0", "UniformBackward0"))


@public(as_function=False)
def uniform_(input: Tensor, a: float = 0.0, b: float = 1.0, *, generator: Any = None) -> Tensor:
    """Write uniform random numbers from [a, b). Returns the tensor itself."""
    check_inplace(input)
    require_kind(input._value, "f", "check_uniform_bounds")
    return _uniform_(input, uniform(input.shape, a, b, input.dtype, generator, input.device))


@public(as_function=False)
def normal_(input: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Tensor:
    """Write normal random numbers. Returns the tensor itself."""
    check_inplace(input)
    require_kind(input._value, "f", "normal_kernel_cpu")
    draws = randn(input.shape, dtype=input.dtype, generator=generator, device=input.device)
    return _normal_(input, draws * std + mean)
