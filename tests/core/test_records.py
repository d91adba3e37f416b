"""Every function with a derivative against plain numpy: values, first and second derivative, broadcasting, dtypes.

PyTorch is not asked: a mistake that minigrad and its recorded answers shared would be seen here.
"""

import re
import zlib
from typing import Any

import numpy as np
import pytest

import minigrad
import minigrad.nn.functional as F
from minigrad.table import TABLE
from tests.core.records import VALUES, Record, called, meant, records, slopes, used

RECORDS = [pytest.param(record, id=record.call) for record in records()]

#: What has no derivative by its nature: truths, places, counts, types, random numbers, constants, and what is asked
#: of a tensor.
WITHOUT = set(
    """
    all allclose any argmax argmin argsort bitwise_and bitwise_not bitwise_or
    bitwise_xor bool byte char copy_ cpu cuda detach eq equal fill_ float ge greater
    greater_equal gt half floor_divide int is_floating_point is_tensor isclose isfinite isinf isnan le less
    less_equal logical_and logical_not logical_or logical_xor long lt ne new_empty new_full new_ones new_tensor
    multinomial new_zeros nonzero normal normal_ not_equal numel rand rand_like randint randn randn_like randperm
    short squeeze_ uniform_ unsqueeze_ zero_ dropout dropout2d one_hot LinAlgError data_ptr dim element_size
    is_contiguous item nelement new numpy size storage_offset stride tolist untyped_storage
    """.split()  # noqa: SIM905
)


#: As in PyTorch, none in float16.
NO_HALF = re.compile(r"linalg|inverse|det\(|float64|double")


def test_every_function_has_a_record() -> None:
    """A rule without a record fails here: write its line, or its name above if it has no derivative."""
    recorded = " ".join(record.call for record in records())
    functions = [*TABLE, *(n for n in dir(F) + dir(minigrad.linalg) if not n.startswith("_"))]
    missing = {name for name in functions if not re.search(rf"\b{name}\b", recorded)} - WITHOUT
    assert not missing
    assert not {name for name in WITHOUT if name not in functions}, "they are no functions any more"


def arrays_of(record: Record, dtype: type = np.float64) -> dict[str, np.ndarray]:
    return {name: np.array(VALUES[name], dtype) for name in used(record.call)}


def compared(record: Record, arrays: dict[str, np.ndarray]) -> None:
    """The value, and the first and second derivative of it along a line, weighted at random."""
    result, leaves = called(minigrad, record.call, arrays)
    value = meant(record.truth, arrays)
    np.testing.assert_allclose(result.numpy(force=True), value, rtol=1e-11, atol=1e-11, err_msg="its value")
    assert result.shape == value.shape
    draw = np.random.default_rng(zlib.crc32(record.call.encode()))
    weights = draw.uniform(-1, 1, value.shape)
    lines = {name: draw.uniform(-1, 1, array.shape) for name, array in arrays.items()}

    def along(t: float) -> float:
        return float((weights * meant(record.truth, {n: a + t * lines[n] * 0.3 for n, a in arrays.items()})).sum())

    first, second = slopes(along)
    loss = (result * minigrad.tensor(weights)).sum()
    grads = minigrad.autograd.grad(loss, leaves, create_graph=True, materialize_grads=True)
    slope = sum((g * minigrad.tensor(lines[n] * 0.3)).sum() for n, g in zip(arrays, grads, strict=True))
    assert slope.item() == pytest.approx(first, rel=1e-9, abs=1e-9), "its derivative"
    bent = 0.0
    if slope.requires_grad:
        twice = minigrad.autograd.grad(slope, leaves, materialize_grads=True)
        bent = sum(float((g * minigrad.tensor(lines[n] * 0.3)).sum()) for n, g in zip(arrays, twice, strict=True))
    assert bent == pytest.approx(second, rel=1e-7, abs=1e-7), "its second derivative"


@pytest.mark.parametrize("record", RECORDS)
def test_it_is_what_numpy_says(record: Record) -> None:
    compared(record, arrays_of(record))


@pytest.mark.filterwarnings("ignore:Using a target size")
@pytest.mark.parametrize("shape", ["row", "column", "number"])
@pytest.mark.parametrize("record", [p for p in RECORDS if p.values[0].section == "of two numbers each"])
def test_what_is_broadcast_gets_the_sum(record: Record, shape: str) -> None:
    """The second operand, and then the first, as one row, one column, one number."""
    if "detach" in record.call:
        pytest.skip("a label")
    part = {"row": np.s_[1], "column": np.s_[:, 2:3], "number": np.s_[2, 1]}[shape]
    whole = arrays_of(record)
    for name in whole:
        arrays = whole | {name: whole[name][part]}
        try:
            meant(record.truth, arrays)
        except ValueError:  # numpy's half cannot do it
            continue
        compared(record, arrays)


@pytest.mark.parametrize("record", [p for p in RECORDS if p.values[0].section == "of one number each"])
def test_it_takes_no_numbers_and_any_shape(record: Record) -> None:
    for shape in ((), (0,), (2, 0, 3), (2, 1, 2)):
        count = int(np.prod(shape))
        arrays = {name: array.ravel()[:count].reshape(shape) for name, array in arrays_of(record).items()}
        compared(record, arrays)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("record", RECORDS)
def test_smaller_floats_round_the_same_numbers(record: Record, dtype: type) -> None:
    """The value, and its gradients, keep the type and are as near as it allows."""
    if dtype is np.float16 and NO_HALF.search(record.call):
        pytest.skip("not for float16")
    small = {name: array.astype(dtype) for name, array in arrays_of(record).items()}
    result, leaves = called(minigrad, record.call, small)
    exact, exact_leaves = called(minigrad, record.call, {n: a.astype(np.float64) for n, a in small.items()})
    if not re.search(r"float_power|float64|double", record.call):
        assert result.numpy(force=True).dtype == dtype
    near = {np.float32: 2e-5, np.float16: 2e-2}[dtype]
    scale = max(1.0, float(np.abs(exact.detach().numpy()).max(initial=0)))
    np.testing.assert_allclose(result.numpy(force=True), exact.numpy(force=True), rtol=near, atol=near * scale)
    if result.requires_grad:
        result.sum().backward()
        exact.sum().backward()
        for leaf, other in zip(leaves, exact_leaves, strict=True):
            if leaf.grad is None:
                assert other.grad is None
                continue
            assert leaf.grad.numpy().dtype == dtype
            size = max(1.0, float(np.abs(other.grad.numpy()).max(initial=0)))
            np.testing.assert_allclose(leaf.grad.numpy(), other.grad.numpy(), rtol=near, atol=4 * near * size)


def unchecked(record: Record) -> list[str]:
    """Which saved values backward uses without looking at their version."""
    found, number = [], 0
    while True:
        result, _ = called(minigrad, record.call, arrays_of(record))
        slots = [(node, i) for node in nodes(result) for i in range(len(node._names_of_saved))]
        slots = [(node, i) for node, i in slots if isinstance(node._saved[2 * i], minigrad.Tensor)]
        if number >= len(slots):
            return found
        node, i = slots[number]
        written = [*node._saved]
        written[2 * i + 1] = written[2 * i]._version_counter[0] - 1  # of this slot alone: others may hold the same
        node._saved = tuple(written)
        try:
            result.sum().backward()
            found.append(f"{node._names_of_saved[i]} of {node.name()}")
        except RuntimeError as error:
            if "modified by an inplace operation" not in str(error):
                raise
        number += 1


def nodes(result: minigrad.Tensor) -> list[Any]:
    """The nodes of operations behind a result."""
    found, waiting = [], [result.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found and hasattr(node, "_names_of_saved"):
            found.append(node)
            waiting += [following for following, _ in node.next_functions]
    return found


@pytest.mark.parametrize("record", RECORDS)
def test_what_it_saved_may_not_be_written(record: Record) -> None:
    assert not unchecked(record)
