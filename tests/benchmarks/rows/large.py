"""A short chain on large arrays: here memory traffic is everything, and a needless copy shows.

y = (tanh(x · w) · w - x) · w: five operations; w requires grad and is used three times, x is data.
Time is taken in this process. For the peak memory each contestant runs in a process of its own:
`python -m tests.benchmarks.rows.large LIBRARY SIZE`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from ..contest import FreshProcess, Row, Timed, answer
from ..peers import as_arrays, load, peak_memory


@cache
def inputs(size: int) -> tuple[np.ndarray, ...]:
    """x, w, and the gradient of y."""
    rng = np.random.default_rng(0)
    x, w = (rng.standard_normal((size, size), np.float32) for _ in range(2))
    return x, w, np.ones((size, size), np.float32)


def as_torch(library: str, size: int) -> Timed:
    """For PyTorch and for minigrad: the same lines."""
    torch = load(library)

    def prepare() -> Callable[[], Any]:
        x, w, seed = map(torch.from_numpy, inputs(size))
        w.requires_grad_()

        def step() -> Any:
            w.grad = None
            y = (torch.tanh(x * w) * w - x) * w
            y.backward(seed)
            return y, w.grad

        return step

    return Timed(prepare)


def by_hand(size: int) -> Timed:
    """In numpy, the derivatives worked out on paper."""

    def prepare() -> Callable[[], Any]:
        x, w, grad_y = inputs(size)

        def step() -> Any:
            t = np.tanh(x * w)
            s = t * w - x
            y = s * w

            grad_w = grad_y * s
            grad_s = grad_y * w
            grad_w += grad_s * t
            grad_t = grad_s * w
            grad_w += grad_t * (1 - t * t) * x
            return y, grad_w

        return step

    return Timed(prepare)


IN_THIS_PROCESS = {
    "minigrad": partial(as_torch, "minigrad"),
    "numpy": by_hand,
    "torch": partial(as_torch, "torch"),
}


def peak_of_a_step(library: str, size: int) -> dict[str, Any]:
    """What a step adds to the peak memory of a process that has the library and the inputs."""
    make = IN_THIS_PROCESS[library]
    make(2).result()  # whatever is loaded only when it is used
    step = make(size).prepare()
    before = peak_memory()
    results = step()
    return {"bytes": peak_memory() - before, "result": [array[0].tolist() for array in as_arrays(results)]}


TIME = Row(
    name="large",
    work="4096×4096 elementwise chain of 5, forward + backward",
    work_zh="4096×4096 上 5 个逐元素运算，前向 + 反向",
    contestants={
        "minigrad": IN_THIS_PROCESS["minigrad"],
        "numpy": by_hand,
        "PyTorch": IN_THIS_PROCESS["torch"],
    },
    targets={},
    size=4096,
    smoke_size=64,
    rounds=15,
)


def in_fresh_process(library: str, size: int) -> FreshProcess:
    """The same step where nothing else uses memory."""
    return FreshProcess(__name__, library, size, quantity="bytes")


MEMORY = Row(
    name="large-memory",
    work="the same: peak memory",
    work_zh="同上：内存峰值",
    contestants={
        "minigrad": partial(in_fresh_process, "minigrad"),
        "numpy": partial(in_fresh_process, "numpy"),
        "PyTorch": partial(in_fresh_process, "torch"),
    },
    targets={"PyTorch": 1.0},
    size=4096,
    smoke_size=512,
    rounds=2,
    unit="B",
    not_in_smoke=("PyTorch",),
)

if __name__ == "__main__":
    answer(lambda library, size: peak_of_a_step(library, int(size)))
