"""Random tensors of every type and shape print as PyTorch prints them, with every print option."""

import numpy as np
import pytest

import minigrad

torch = pytest.importorskip("torch", reason="PyTorch, the reference, is not installed")

TYPES = ["float32", "float64", "float16", "int64", "int32", "int16", "int8", "uint8", "bool"]
OPTIONS = [
    {}, {"precision": 2}, {"precision": 0}, {"sci_mode": True}, {"sci_mode": False}, {"linewidth": 40},
    {"threshold": 5},
    {"threshold": 5, "edgeitems": 1}, {"profile": "short"}, {"profile": "full"}, {"precision": 8, "linewidth": 120},
]  # fmt: skip


@pytest.fixture(autouse=True)
def _default_options():
    yield
    for library in (minigrad, torch):
        library.set_printoptions(profile="default")


def random_array(rng: np.random.Generator, kind: str) -> np.ndarray:
    """Numbers of one magnitude or of many, whole or not, with or without nan and inf; some arrays empty, some large."""
    large = rng.random() < 0.03
    shape = tuple(rng.choice([11, 40] if large else [0, 1, 2, 3, 5, 7]) for _ in range(rng.integers(0, 5 - 2 * large)))
    if kind == "bool":
        return np.asarray(rng.random(shape) < 0.5)
    if "int" in kind:
        low, high = (
            (0, 200) if kind == "uint8" else (-100, 100) if kind == "int8" else (-(10 ** rng.integers(0, 4)), 9999)
        )
        return np.asarray(rng.integers(low, high, shape)).astype(kind)
    values = rng.standard_normal(shape)
    spoiled = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], shape)
    values = [
        values, values * 10.0 ** rng.integers(-6, 7, shape), np.round(values * 10), np.round(values * 10) / 10,
        values * 1e5, values * 1e-5, np.where(rng.random(shape) < 0.3, spoiled, values),
        np.where(rng.random(shape) < 0.5, spoiled, np.round(values * 1e4)),
    ][rng.integers(8)]  # fmt: skip
    with np.errstate(over="ignore"):
        return np.asarray(values).astype(kind)


@pytest.mark.parametrize("kind", TYPES)
def test_random_tensors(kind: str) -> None:
    rng = np.random.default_rng(TYPES.index(kind))
    for _ in range(250):
        array, options = random_array(rng, kind), OPTIONS[rng.integers(len(OPTIONS))]
        texts = []
        for library in (minigrad, torch):
            library.set_printoptions(profile="default")
            library.set_printoptions(**options)
            tensor = library.from_numpy(array.copy())
            texts.append(repr(tensor.requires_grad_() if "float" in kind and array.size % 2 else tensor))
        assert texts[0].replace("minigrad", "torch") == texts[1], (array, options)
