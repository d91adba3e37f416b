"""Tensors of random numbers."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from .. import random
from ..autograd.variable import TensorBase as Tensor
from ..autograd.variable import make_tensor
from ..creation import checked_dtype, checked_size, leaf_of, made_like
from ..devices import device_of
from ..dtypes import dtype, from_numpy_dtype, to_numpy_dtype
from ..ops import drawing, inplace
from ..ops.errors import not_for, require_kind
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
    if kind == np.float32:  # PyTorch multiplies and adds with a single rounding
        return leaf_of((draws.astype(np.float64) * float(b - a) + float(a)).astype(kind))
    return leaf_of(draws * (b - a) + a)


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


def exponential(size: Any, rate: float, dtype: Any, generator: Any = None, device: Any = None) -> Any:
    """Exponential with the given rate: how long one waits for what happens `rate` times in a unit of time."""
    size = tuple(size)
    draws = random.generator_for(device, generator).uniform(int(np.prod(size)), np.dtype(np.float64))
    return leaf_of((-np.log1p(-draws) / rate).astype(to_numpy_dtype(dtype)).reshape(size))


@public
def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Tensor:
    """Positions drawn with the probabilities, or any weights, of a vector, or of each row of a matrix.

    With `replacement` one may be drawn several times.
    """
    weights = input._value
    if weights.dtype.kind != "f" or weights.ndim not in (1, 2):
        raise RuntimeError("multinomial takes the weights as a vector or a matrix of floats")
    if num_samples <= 0 or not (replacement or num_samples <= weights.shape[-1]):
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if not np.isfinite(weights).all() or (weights < 0).any() or (weights.sum(axis=-1) == 0).any():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0, or only zeros")
    if not replacement or num_samples == 1:  # whose exponential waiting time is over first is drawn first
        kind, place = from_numpy_dtype(weights.dtype), device_of(weights)
        waiting = exponential(weights.shape, 1.0, kind, generator, place)._value
        order = np.argsort(-(weights / waiting), axis=-1, kind="stable")
        return make_tensor(order[..., :num_samples])
    draw = random.generator_for(device_of(weights), generator).uniform
    rows = weights.reshape(-1, weights.shape[-1])
    sums = np.cumsum(rows, axis=1)
    sums = sums / sums[:, -1:]
    chosen = [np.searchsorted(row, draw(num_samples, np.dtype(np.float64))) for row in sums]
    return make_tensor(np.stack(chosen).reshape(*weights.shape[:-1], num_samples))


@public(as_method=False)
def normal(
    mean: Any,
    std: Any = 1.0,
    size: Sequence[int] | None = None,
    *,
    generator: Any = None,
    device: Any = None,
) -> Tensor:
    """Normal with the given mean and standard deviation; either may be a tensor, then it gives size and place."""
    tensors = [t._value for t in (mean, std) if isinstance(t, Tensor)]
    if not np.all((std._value if isinstance(std, Tensor) else std) >= 0):
        raise RuntimeError("normal expects all elements of std >= 0.0")
    if not tensors:
        return leaf_of(randn(tuple(size), generator=generator, device=device)._value * std + mean)
    kind = tensors[0].dtype
    require_kind(tensors[0], "f", "normal_kernel_cpu")
    shape = np.broadcast_shapes(*(t.shape for t in tensors))
    draws = randn(shape, generator=generator, dtype=from_numpy_dtype(kind), device=device_of(tensors[0]))
    if len(tensors) == 2:
        return drawing.normal(mean, std, draws)
    return (drawing.normal_around if isinstance(mean, Tensor) else drawing.normal_wide)(mean, std, draws)


@public
def bernoulli(input: Tensor, p: float | None = None, *, generator: Any = None) -> Tensor:
    """1 with the probability that `input` gives, or with probability p, else 0."""
    if p is None:
        return drawing.bernoulli(input, bernoulli_draws(input, input, generator))
    return drawing.bernoulli_everywhere(input, p, bernoulli_draws(input, p, generator))


def bernoulli_draws(like: Any, p: Any, generator: Any) -> Any:
    """Uniform numbers to be compared with the probabilities p, a number or a tensor. Raises PyTorch's errors."""
    where = device_of(like._value)
    if not isinstance(p, Tensor):
        if not 0 <= p <= 1:
            raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
        return rand(
            tuple(like._value.shape), dtype=from_numpy_dtype(np.dtype(np.float64)), generator=generator, device=where
        )
    require_kind(p._value, "f", "bernoulli_tensor_cpu_p_")
    if not ((p._value >= 0) & (p._value <= 1)).all():
        raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.")
    source = random.generator_for(where, generator)
    return make_tensor(source.uniform(like._value.size, p._value.dtype).reshape(like._value.shape))


# ---------------------------------------------------------------------------------------------------------------------
# Written into a tensor


@public(as_function=False)
def uniform_(input: Tensor, a: float = 0.0, b: float = 1.0, *, generator: Any = None) -> Tensor:
    """Write uniform random numbers from [a, b). Returns the tensor itself."""
    inplace.check_inplace(input)
    require_kind(input._value, "f", "check_uniform_bounds")
    return drawing.uniform_(input, uniform(input.shape, a, b, input.dtype, generator, input.device))


@public(as_function=False)
def normal_(input: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Tensor:
    """Write normal random numbers. Returns the tensor itself."""
    inplace.check_inplace(input)
    require_kind(input._value, "f", "normal_kernel_cpu")
    draws = randn(input.shape, dtype=input.dtype, generator=generator, device=input.device)
    return drawing.normal_(input, draws * std + mean)
