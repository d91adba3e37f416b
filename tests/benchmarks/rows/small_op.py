"""One small operation that is not recorded: how much a tensor adds to the bare numpy call."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np

from ..contest import Part, Row, Timed
from ..peers import load
from .chain import inputs


def as_torch(library: str, times: int) -> Part:
    """For PyTorch and for minigrad: `a * b` under no_grad, where b requires grad."""
    torch = load(library)

    def prepare() -> Callable[[], Any]:
        a, b = map(torch.from_numpy, inputs()[:2])
        b.requires_grad_()

        def step() -> Any:
            with torch.no_grad():
                for _ in repeat(None, times):
                    c = a * b
            return (c,)

        return step

    return Part(Timed(prepare), times)


def bare(times: int) -> Part:
    """`a * b` in numpy."""

    def prepare() -> Callable[[], Any]:
        a, b = inputs()[:2]

        def step() -> Any:
            for _ in repeat(None, times):
                c = np.multiply(a, b)
            return (c,)

        return step

    return Part(Timed(prepare), times)


ROW = Row(
    name="small-op",
    work="one small op (4×4 product) under no_grad",
    work_zh="no_grad 下的一个小运算（4×4 相乘）",
    contestants={
        "minigrad": partial(as_torch, "minigrad"),
        "numpy": bare,
        "PyTorch": partial(as_torch, "torch"),
    },
    targets={},
    size=1000,
    smoke_size=10,
    rounds=80,
)
