"""A chain of a million operations: built, gone through backward, and dropped.

h ← h · w, h ← h + b on 4×4, where w and b require grad. What may go wrong: recursion, work that grows faster than the
chain, memory, and a graph with cycles, which would wait for the garbage collector. Each contestant runs in a process
of its own: `python -m tests.benchmarks.rows.million LIBRARY OPERATIONS REPEATS`.
"""

from __future__ import annotations

import gc
import statistics
from functools import partial
from typing import Any

import numpy as np

from ..contest import CLOCK, FreshProcess, Part, Row, answer
from ..peers import as_arrays, load, peak_memory


def live_through(torch: Any, operations: int) -> list[np.ndarray]:
    """Build the chain, go backward, drop everything but the gradients."""
    w = torch.ones(4, 4, requires_grad=True)
    b = torch.full((4, 4), 1e-6, requires_grad=True)
    h = torch.zeros(4, 4)
    for _ in range(operations // 2):
        h = h * w
        h = h + b
    h.backward(torch.full((4, 4), 1 / operations))
    return as_arrays((w.grad, b.grad))


def objects_left_per_operation(torch: Any, operations: int) -> int:
    """How many objects of each operation only the garbage collector would find. There should be none."""
    live_through(torch, operations)  # libraries load some modules only when they are used
    gc.collect()
    gc.disable()
    before = len(gc.get_objects())
    live_through(torch, operations)
    left = len(gc.get_objects()) - before
    gc.enable()
    return left // operations


def measure(library: str, operations: int, repeats: int) -> dict[str, Any]:
    """Seconds for the whole life of a chain, what it adds to the peak memory, and its gradients."""
    torch = load(library)
    left = objects_left_per_operation(torch, 1000)
    seconds = []
    before = peak_memory()
    for _ in range(repeats):
        start = CLOCK()
        gradients = live_through(torch, operations)
        seconds.append(CLOCK() - start)
    return {
        "seconds": statistics.median(seconds),
        "bytes": peak_memory() - before,
        "result": [*(gradient.ravel().tolist() for gradient in gradients), [left]],
    }


def seconds_per_operation(library: str, size: int) -> Part:
    """The long chain, once."""
    return Part(FreshProcess(__name__, library, size, 1, quantity="seconds"), size)


def seconds_per_operation_in_short(library: str, size: int) -> Part:
    """A hundredth of it; as often as takes half a second."""
    return Part(FreshProcess(__name__, library, size // 100, 15, quantity="seconds"), size // 100, comparable=False)


def peak(library: str, size: int) -> FreshProcess:
    """The memory of the long chain."""
    return FreshProcess(__name__, library, size, 1, quantity="bytes")


TIME = Row(
    name="million",
    work="chain of 1,000,000 ops: build, backward, release; per op",
    work_zh="1,000,000 个运算的链：构建、反向、释放；每个运算",
    contestants={
        "minigrad": partial(seconds_per_operation, "minigrad"),
        "minigrad, 10,000 ops": partial(seconds_per_operation_in_short, "minigrad"),
        "PyTorch": partial(seconds_per_operation, "torch"),
        "PyTorch, 10,000 ops": partial(seconds_per_operation_in_short, "torch"),
    },
    targets={"PyTorch": 0.6},
    size=1_000_000,
    smoke_size=10_000,
    rounds=3,
)

MEMORY = Row(
    name="million-memory",
    work="the same: peak memory",
    work_zh="同上：内存峰值",
    contestants={"minigrad": partial(peak, "minigrad"), "PyTorch": partial(peak, "torch")},
    targets={"PyTorch": 0.5},
    size=1_000_000,
    smoke_size=10_000,
    rounds=2,
    unit="B",
)

if __name__ == "__main__":
    answer(lambda library, operations, repeats: measure(library, int(operations), int(repeats)))
