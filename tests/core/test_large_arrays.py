"""On large arrays some operations go another way, for numpy's usual one is slow there. The numbers are the same."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest

import minigrad as torch

F = torch.nn.functional
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 6.0, -6.0, 5.9999, 1e-30, -1e-30, 3.0, -3.0, 0.5]
ELEMENTWISE = [
    "x.relu()", "F.leaky_relu(x, 0.3)", "x.clamp(-1, 1)", "x.clamp(min=0)", "x.clamp(max=0.5)", "F.elu(x)",
    "F.hardtanh(x)",
    "torch.where(x > 0, x, y)", "torch.where(x > 0, x, 2.0)", "torch.where(x > 0, 0.0, x)", "x.masked_fill(x < 0, 7)",
    "torch.maximum(x, y)", "F.softplus(x)", "x.abs()", "x ** 2", "x ** 3",
    "x ** 4", "x ** 5", "x ** -2", "x ** -3", "x.erf()", "F.gelu(x)",
]  # fmt: skip


def numbers(dtype: str, size: int = 12_345) -> np.ndarray:
    rng = np.random.default_rng(0)
    values = rng.standard_normal(size) * 10.0 ** rng.integers(-3, 2, size)
    values[: len(SPECIAL)] = SPECIAL
    return values.astype(dtype)


def bits(array: np.ndarray) -> np.ndarray:
    """The bits of the floats, of which every nan has the same."""
    return np.where(np.isnan(array), array.dtype.type(np.nan), array).view(f"i{array.itemsize}")


def value_and_gradients(expression: str, x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    names: dict[str, Any] = {"torch": torch, "F": F}
    names |= {name: torch.tensor(array, requires_grad=True) for name, array in (("x", x), ("y", y))}
    result = eval(expression, names)
    result.backward(torch.tensor(y))
    return [array.detach().numpy() for array in (result, names["x"].grad, names["y"].grad) if array is not None]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("expression", ELEMENTWISE)
def test_a_large_array_gets_what_its_parts_get(expression: str, dtype: str) -> None:
    x, y = numbers(dtype), numbers(dtype)[::-1].copy()
    whole = value_and_gradients(expression, x, y)
    parts = [value_and_gradients(expression, x[i : i + 64], y[i : i + 64]) for i in range(0, x.size, 64)]
    for got, expected in zip(whole, (np.concatenate(each) for each in zip(*parts, strict=True)), strict=True):
        differ = bits(got) != bits(expected)
        assert not differ.any(), f"of x = {x[differ][:5]}: {got[differ][:5]}, alone {expected[differ][:5]}"


@pytest.mark.parametrize("sizes", [*permutations([(60, 70), (60, 1), (70,)])], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "int64", "bool"])
def test_a_choice_among_many_is_broadcast_as_one_among_few(sizes: Any, dtype: str) -> None:
    """The condition, too, may be the small one; of integers and truth values the result is of their own kind."""
    rng = np.random.default_rng(2)
    condition, x, y = (rng.integers(-1, 2, size) for size in sizes)
    condition, x, y = condition > 0, x.astype(dtype), y.astype(dtype)
    expected = np.where(condition, x, y)
    tracked = dtype == "float32"
    a, b = (torch.tensor(each, requires_grad=tracked) for each in (x, y))
    result = torch.where(torch.tensor(condition), a, b)
    assert result.detach().numpy().dtype == expected.dtype
    assert np.array_equal(result.detach().numpy(), expected)
    if tracked:
        result.sum().backward()
        for leaf, chosen in ((a, condition), (b, ~condition)):
            whole = np.broadcast_to(chosen, expected.shape)
            small = [d - 2 for d in range(2) if d < 2 - leaf.ndim or leaf.shape[d - 2] == 1]
            assert np.array_equal(leaf.grad.numpy().ravel(), whole.sum(tuple(small)).ravel())


@pytest.mark.parametrize("size", [(40, 30), (7, 500), (2000,)])
def test_what_is_read_several_times_gets_all_its_gradients(size: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    x = torch.zeros(size, requires_grad=True)
    rows = rng.integers(-size[0], size[0], 900)
    grad = rng.integers(-9, 9, (900, *size[1:])).astype(np.float32)
    x[torch.tensor(rows)].backward(torch.tensor(grad))
    expected = np.zeros(size, np.float32)
    for row, each in zip(rows, grad, strict=True):
        expected[row] += each
    assert np.array_equal(x.grad.numpy(), expected)
    if len(size) == 2:
        columns = rng.integers(-size[1], size[1], 900)
        x.grad = None
        x[torch.tensor(rows), torch.tensor(columns)].backward(torch.tensor(grad[:, 0].copy()))
        expected = np.zeros(size, np.float32)
        for row, column, each in zip(rows, columns, grad[:, 0], strict=True):
            expected[row, column] += each
        assert np.array_equal(x.grad.numpy(), expected)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize(
    "taken", ["x[i]", "x[i, j]", "x[i[:, None], j[None, :40]]", "x[None, i]", "x[:, j]", "F.embedding(k, x)"]
)
def test_gradients_put_back_are_added_in_their_order(taken: str, dtype: str) -> None:
    rng = np.random.default_rng(2)
    i, j = torch.tensor(rng.integers(-30, 30, 900)), torch.tensor(rng.integers(-50, 50, 900))
    x = torch.zeros(30, 50, dtype=getattr(torch, dtype), requires_grad=True)
    result = eval(taken, {"x": x, "i": i, "j": j, "k": i.abs() % 30, "F": F})
    grad = rng.standard_normal(tuple(result.shape)).astype(dtype)
    result.backward(torch.tensor(grad))
    places = eval(taken, {"x": torch.arange(1500).reshape(30, 50), "i": i, "j": j, "k": i.abs() % 30, "F": F})
    expected = np.zeros(1500, dtype)
    for place, each in zip(places.flatten().tolist(), grad.ravel(), strict=True):
        expected[place] += each
    assert np.array_equal(x.grad.numpy().ravel(), expected)
