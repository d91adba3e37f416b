"""Tensors of random numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import random
from ..autograd.variable import TensorBase as Tensor
from ..autograd.variable import make_tensor
from ..creation import checked_dtype, checked_size, empty, empty_like, leaf_of
from ..devices import device_of
from ..dtypes import dtype, fitting
from ..hints import Unfit, type_name
from ..memory import copied, see
from ..ops.errors import require_kind, type_letter
from ..ops.inplace import assign, inplace
from ..ops.pointwise import flat
from ..ops.primitive import op
from ..table import public


def _standard(name: str, distribution: str, kernel: str, doc: str) -> Any:
    """The function that makes a tensor of numbers of a distribution, as a generator draws them."""

    def drawn(
        *size: int | Sequence[int],
        generator: Any = None,
        dtype: dtype | None = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Tensor:
        size, kind = checked_size(name, size), checked_dtype(name, dtype)
        require_kind(kind.type(), "f", kernel)
        draws = random.drawn(device, generator, distribution, int(np.prod(size)), kind)
        return leaf_of(draws.reshape(size).astype(kind, copy=False), requires_grad=requires_grad)

    return public(drawn, name=name, doc=doc, as_method=False)


rand = _standard("rand", "uniform", "check_uniform_bounds", "Uniform in [0, 1).")
randn = _standard("randn", "normal", "normal_kernel_cpu", "Standard normal: mean 0, variance 1.")


def draws_for(array: Any, distribution: str, kind: np.dtype, generator: Any = None, **how: bool) -> Any:
    """Raw random numbers for the places of `array`: as in PyTorch, one after the other as these lie in memory."""
    draws = random.drawn(device_of(array), generator, distribution, array.size, kind, **how)
    return see(draws, array.shape, np.empty_like(array, draws.dtype).strides)


def _uniform(array: Any, a: float, b: float, generator: Any) -> Any:
    require_kind(array, "f", "check_uniform_bounds")
    if not a <= b:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={a:g} > to={b:g}")
    draws, kind = draws_for(array, "uniform", array.dtype, generator), array.dtype.type
    start, span = kind(a), kind(b) - kind(a)
    if kind is np.float32:  # PyTorch multiplies and adds with a single rounding
        draws, start, span = draws.astype(np.float64), float(start), float(span)
    return (draws * span + start).astype(kind, copy=False)


def _check_deviation(std: float) -> None:
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")


def _normal(array: Any, mean: float, std: float, generator: Any) -> Any:
    _check_deviation(std)
    require_kind(array, "f", "normal_kernel_cpu")
    draws = draws_for(array, "normal", array.dtype, generator, one_by_one=not array.flags.c_contiguous)
    mean, std = map(float, map(draws.dtype.type, (mean, std)))
    return (draws.astype(np.float64) * std + mean).astype(array.dtype)


@public(as_method=False)
def randint(
    low: int = 0,
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
        high, size = None, high
    if not isinstance(size, tuple | list):
        raise Unfit(f"randint(): argument 'size' (position 2) must be tuple of ints, not {type_name(size)}")
    if high is None:
        low, high = 0, low
    if high <= low:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    size, kind = checked_size("randint", (size,)), checked_dtype("randint", int if dtype is None else dtype)
    largest = 1 if kind.kind == "b" else int((np.finfo if kind.kind == "f" else np.iinfo)(kind).max)
    if high - 1 > largest or low < (0 if kind.kind in "bu" else -largest - 1):
        raise RuntimeError(f"{'to - 1' if high - 1 > largest else 'from'} is out of bounds for {kind.name}")
    draws = random.drawn(device, generator, "integers", low, high, int(np.prod(size)))
    return leaf_of(draws.reshape(size), dtype, None, requires_grad)


@public(as_method=False)
def randperm(
    n: int, *, generator: Any = None, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """0 … n-1 in random order."""
    checked_size("randperm", (n,))
    fitting(n - 1, checked_dtype("randperm", int if dtype is None else dtype))
    return leaf_of(random.drawn(device, generator, "permutation", n), dtype, None, requires_grad)


@public
def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Tensor:
    """Numbers of places, each as likely as `input` says: drawn from one row (C), or from each of several (N, C)."""
    weights = copied(input._value)
    if weights.dtype.kind != "f":
        got = type_letter(weights)
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {got}")
    if not 1 <= weights.ndim <= 2:
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > weights.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if not ((weights >= 0) & (weights < np.inf)).all():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if (weights.sum(-1) <= 0).any():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")

    how = "uniform", np.dtype(np.float64), generator
    if replacement and num_samples > 1:  # where a number from [0, 1) falls among the shares, laid end to end
        shares = np.cumsum(weights, -1, weights.dtype).reshape(-1, weights.shape[-1])
        draws = draws_for(np.empty_like(shares, order="C", shape=(len(shares), num_samples)), *how)
        found = [np.searchsorted(row / row[-1], at) for row, at in zip(shares, draws, strict=True)]
        return make_tensor(np.stack(found).reshape(*weights.shape[:-1], num_samples))
    # Of waiting times that are exponential, the shorter the likelier, the first to end is as likely as its weight.
    waits = -np.log1p(-draws_for(weights, *how))
    order = np.argsort(-(weights / waits.astype(weights.dtype)), -1, kind="stable")
    return make_tensor(order[..., :num_samples].copy())


def _like(drawn: Any, numbers: Any) -> Any:
    def like(
        input: Tensor,
        *,
        generator: Any = None,
        dtype: dtype | None = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Tensor:
        array = empty_like(input, dtype=dtype, device=device)._value
        return leaf_of(numbers(array, 0, 1, generator), requires_grad=requires_grad)

    doc = f"{drawn.__doc__[:-1]}, in the size, type and place of `input`."
    return public(like, name=f"{drawn.__name__}_like", doc=doc, as_method=False, out=False)


_like(rand, _uniform)
randn_like = _like(randn, _normal)


@public(as_method=False)
def normal(
    mean: Any, std: Any = 1, size: Sequence[int] | None = None, *, generator: Any = None,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Normal with the given mean and standard deviation; without a size, those of each number stand in a tensor."""
    if size is None:
        if not (isinstance(mean, Tensor) or isinstance(std, Tensor)):
            raise Unfit('normal() missing 1 required positional arguments: "size"')
        if not isinstance(std, Tensor):
            _check_deviation(std)
        return (randn_like((mean + std).contiguous(), generator=generator) * std + mean).detach()
    return leaf_of(_normal(empty(tuple(size), device=device)._value, mean, std, generator), requires_grad=requires_grad)


# ---------------------------------------------------------------------------------------------------------------------
# Written into a tensor: random numbers are the same whatever stood in their place


def _written(name):
    @op(name, self=flat)
    def draw(self, draws):
        """c = random numbers in the place of a      ∂L/∂a = 0"""
        return draws.astype(self.dtype)

    return inplace(draw, assign)


_normal_, _uniform_ = map(_written, ("NormalBackward0", "UniformBackward0"))


@public(as_function=False)
def uniform_(input: Tensor, a: float = 0.0, b: float = 1.0, *, generator: Any = None) -> Tensor:
    """Write uniform random numbers from [a, b). Returns the tensor itself."""
    return _uniform_(input, make_tensor(_uniform(input._value, a, b, generator)))


@public(as_function=False)
def normal_(input: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Tensor:
    """Write normal random numbers. Returns the tensor itself."""
    return _normal_(input, make_tensor(_normal(input._value, mean, std, generator)))
