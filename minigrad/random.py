"""Random numbers: for the same seed, the same numbers as PyTorch's CPU generator.

Both draw from the Mersenne Twister mt19937 with the same seeding; numpy provides it. What must be repeated is how
PyTorch makes numbers of the raw bits:

    uniform float32   24 bits of one 32-bit word, times 2⁻²⁴
    uniform float64   53 bits of two words, times 2⁻⁵³
    normal            Box–Muller: two uniforms give two normals. Fewer than 16 numbers, and those for memory that is
                      not in order, are made one by one in double precision; 16 and more in blocks of 16 in the
                      precision of the tensor, eight cosines and eight sines.

What is drawn for a GPU is drawn so, too, and sent there (`drawn`): the same numbers as on the CPU, and not PyTorch's.
"""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from .autograd.variable import make_tensor
from .box_muller import box_muller
from .devices import device, get_default_device, move

_DEFAULT_SEED = 67280421310721  # that of a new Generator in PyTorch; its default one starts from another each time


class Generator:
    """A source of random numbers with its own state: `rand(3, generator=g)`.

    `Generator(device="cuda")` is one for tensors on a GPU. A generator draws for tensors of its own device only.
    """

    def __init__(self, device: Any = "cpu") -> None:
        self.device = _Device(device)
        self.manual_seed(_DEFAULT_SEED)

    def manual_seed(self, seed: int) -> Generator:
        """Start again from `seed`. Negative seeds count from 2⁶⁴ downwards. Returns the generator itself."""
        seed = int(seed)
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        self._seed = seed % 2**64
        self._next_normal: float | None = None
        self.__dict__.pop("_twister", None)
        return self

    @functools.cached_property
    def _twister(self) -> np.random.MT19937:
        # Made when first needed: numpy.random alone takes half as long to import as all the rest of numpy.
        twister = np.random.MT19937()
        twister._legacy_seeding(self._seed % 2**32)
        return twister

    def get_state(self) -> Any:
        """The state as a tensor of bytes that `set_state` takes back."""
        twister = self._twister.state["state"]
        normal = math.nan if self._next_normal is None else self._next_normal
        head = np.array([self._seed, np.float64(normal).view(np.uint64), twister["pos"]], np.uint64)
        return make_tensor(np.append(head, twister["key"]).view(np.uint8))

    def set_state(self, new_state: Any) -> Generator:
        """Continue from a state that `get_state` has returned. Returns the generator itself."""
        raw = new_state._value
        if raw.dtype != np.uint8 or raw.size != 8 * 627:
            raise RuntimeError("RNG state must be a torch.ByteTensor from get_rng_state()")
        numbers = np.frombuffer(raw.tobytes(), np.uint64)
        seed, normal, position = numbers[:3]
        self._seed, number = int(seed), float(normal.view(np.float64))
        self._next_normal = None if math.isnan(number) else number
        twister = {"key": numbers[3:].astype(np.uint32), "pos": int(position)}
        self._twister.state = {"bit_generator": "MT19937", "state": twister}
        return self

    def __repr__(self) -> str:
        return f"<minigrad._C.Generator object at {hex(id(self))}>"

    # What the creation functions draw from. All return numpy arrays.

    def words(self, count: int) -> np.ndarray:
        """`count` words of 32 random bits, as uint64."""
        return self._twister.random_raw(count)

    def long_words(self, count: int) -> np.ndarray:
        """`count` words of 64 random bits: the first of two short words is the upper half."""
        words = self.words(2 * count)
        return (words[0::2] << np.uint64(32)) | words[1::2]

    def uniform(self, count: int, dtype: np.dtype) -> np.ndarray:
        """Uniform in [0, 1)."""
        if dtype == np.float64:
            bits = self.long_words(count) & np.uint64(2**53 - 1)
            return bits * 2.0**-53
        bits = self.words(count) & np.uint64(2**24 - 1)
        draws = (bits * 2.0**-24).astype(dtype)
        if dtype == np.float16:
            draws[draws == 1] = 0  # rounded up to 1
        return draws

    def normal(self, count: int, dtype: np.dtype, one_by_one: bool = False) -> np.ndarray:
        """Standard normal, and as precise as PyTorch draws them before they get this type."""
        if one_by_one or count < 16:
            return np.array([self._one_normal() for _ in range(count)], np.float64)
        wide = np.dtype(np.float32) if dtype == np.float16 else dtype
        whole = count - count % 16
        draws = np.empty(count, wide)
        drawn = whole if dtype == np.float16 else count
        draws[:drawn] = self.uniform(drawn, wide)
        blocks = draws[:whole].reshape(-1, 16)
        draws[:whole] = box_muller(blocks).reshape(-1)
        if count % 16:  # the last 16 are drawn anew
            block = self.uniform(16, wide).reshape(1, 16)
            draws[-16:] = box_muller(block).reshape(-1)
        return draws

    def _one_normal(self) -> float:
        if self._next_normal is not None:
            value, self._next_normal = self._next_normal, None
            return value
        angle, length = self.uniform(2, np.dtype(np.float64)).tolist()
        radius = math.sqrt(-2.0 * math.log1p(-length))
        angle *= 2.0 * math.pi
        self._next_normal = radius * math.sin(angle)
        return radius * math.cos(angle)

    def integers(self, low: int, high: int, count: int) -> np.ndarray:
        """Uniform integers from low to high - 1."""
        span = high - low
        words = self.long_words(count) if span >= 2**28 else self.words(count)
        return (words % np.uint64(span)).astype(np.int64) + low

    def permutation(self, n: int) -> np.ndarray:
        """0 … n-1 in random order (Fisher–Yates)."""
        order = np.arange(n)
        for i, word in enumerate(self.words(max(n - 1, 0)).tolist()):
            j = i + word % (n - i)
            order[i], order[j] = order[j], order[i]
        return order


_Device = device  # for functions with an argument of that name


default_generator = Generator()
cuda_generator = Generator("cuda")


def drawn(where: Any, generator: Generator | None, distribution: str, *how: Any, **options: Any) -> Any:
    """Raw numbers of a distribution, which is one of a generator's methods, on a device, on the default one for None.

    Without a generator the default one of that device draws them. Raises PyTorch's RuntimeError for one of another's.
    """
    place = get_default_device() if where is None else _Device(where)
    if generator is None:
        generator = default_generator if place.type == "cpu" else cuda_generator
    elif generator.device.type != place.type:
        raise RuntimeError(f"Expected a '{place.type}' device type for generator but found '{generator.device.type}'")
    return move(getattr(generator, distribution)(*how, **options), place)


def manual_seed(seed: int) -> Generator:
    """Start the default generators of all devices again from `seed`, and return the CPU's."""
    cuda_generator.manual_seed(seed)
    return default_generator.manual_seed(seed)


def get_rng_state() -> Any:
    """The state of the default generator."""
    return default_generator.get_state()


def set_rng_state(new_state: Any) -> None:
    """Continue the default generator from a state that `get_rng_state` has returned."""
    default_generator.set_state(new_state)


def states() -> list[tuple[Generator, Any]]:
    """The default generators of all devices, each with its state."""
    return [(generator, generator.get_state()) for generator in (default_generator, cuda_generator)]


@contextlib.contextmanager
def fork_rng(devices: Any = None, enabled: bool = True) -> Iterator[None]:
    """`with fork_rng():` — what is drawn and seeded inside changes nothing for what is drawn afterwards."""
    before = states() if enabled else []
    try:
        yield
    finally:
        for generator, state in before:
            generator.set_state(state)
