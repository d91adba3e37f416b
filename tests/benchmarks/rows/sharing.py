"""Values that are used more than once: the number of paths through a graph must not matter, only the number of edges.

A diamond: h ← h/2 + h/2, thirty times, has 2^30 paths from the end to the beginning. And one leaf in 100,000 places,
whose gradient is a sum of 100,000: each term must cost the same, however many came before.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..contest import Part, Row, Timed
from ..peers import load


def diamonds(library: str, fraction: int, levels: int) -> Part:
    """Time per level; with `fraction` above 1, of a tower that is lower by this factor."""
    torch = load(library)
    levels //= fraction

    def prepare() -> Callable[[], Any]:
        x = torch.ones(4, 4, requires_grad=True)
        seed = torch.ones(4, 4)

        def step() -> Any:
            x.grad = None
            h = x
            for _ in range(levels):
                h = h * 0.5 + h * 0.5
            h.backward(seed)
            return h, x.grad

        return step

    return Part(Timed(prepare), levels)


def uses_of_a_leaf(library: str, fraction: int, uses: int) -> Part:
    """Time per use of a leaf of 1,000 numbers; with `fraction` above 1, for fewer uses by this factor."""
    torch = load(library)
    uses //= fraction

    def prepare() -> Callable[[], Any]:
        w = torch.ones(1000, requires_grad=True)
        start, seed = torch.zeros(1000), torch.ones(1000)

        def step() -> Any:
            w.grad = None
            total = start
            for _ in range(uses):
                total = total + w
            total.backward(seed)
            return total, w.grad

        return step

    return Part(Timed(prepare), uses, comparable=fraction == 1)


DIAMOND = Row(
    name="diamond",
    work="diamond with 2^30 paths, forward + backward; per level",
    work_zh="有 2^30 条路径的菱形图，前向 + 反向；每层",
    contestants={
        "minigrad": partial(diamonds, "minigrad", 1),
        "minigrad, 2^10 paths": partial(diamonds, "minigrad", 3),
        "PyTorch": partial(diamonds, "torch", 1),
    },
    targets={"minigrad, 2^10 paths": 1.3},
    size=30,
    smoke_size=6,
    rounds=60,
)

LEAF = Row(
    name="shared-leaf",
    work="a leaf used 100,000 times, forward + backward; per use",
    work_zh="一个叶子用 100,000 次，前向 + 反向；每次",
    contestants={
        "minigrad": partial(uses_of_a_leaf, "minigrad", 1),
        "minigrad, 10,000 uses": partial(uses_of_a_leaf, "minigrad", 10),
        "PyTorch": partial(uses_of_a_leaf, "torch", 1),
    },
    targets={"minigrad, 10,000 uses": 1.3},
    size=100_000,
    smoke_size=1000,
    rounds=9,
)
