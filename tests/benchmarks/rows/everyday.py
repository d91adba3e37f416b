"""What people write every day: a step of training with `nn` and an optimizer, and the small calls between the large."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np

from ..contest import Part, Row, Timed
from ..peers import load

CALLS = 7


def step_of_training(library: str, batch: int) -> Timed:
    """For PyTorch and for minigrad: one step of SGD on a small `nn.Sequential`."""
    torch = load(library)

    def prepare() -> Callable[[], Any]:
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(10, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
        chance = np.random.default_rng(0)
        x = torch.from_numpy(chance.standard_normal((batch, 10), dtype=np.float32))
        y = torch.from_numpy(chance.standard_normal((batch, 1), dtype=np.float32))

        def step() -> Any:
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(net(x), y)
            loss.backward()
            optimizer.step()
            return loss, *net.parameters()

        return step

    return Timed(prepare)


def small_calls(library: str, times: int) -> Part:
    """For PyTorch and for minigrad: views, means, `cat` and `zeros` of a tensor that is tracked; seconds a call."""
    torch = load(library)

    def prepare() -> Callable[[], Any]:
        w = torch.from_numpy(np.arange(12, dtype=np.float32).reshape(4, 3)).requires_grad_()

        def step() -> Any:
            for _ in repeat(None, times):
                results = (w.t(), w.reshape(12), w[0], w.mean(0), w.mean(), torch.cat((w, w)), torch.zeros(4, 3))
            return results

        return step

    return Part(Timed(prepare), times * CALLS)


NN = Row(
    name="nn-step",
    work="a training step of nn.Sequential (10, 32, 1) with SGD, batch of 16",
    work_zh="nn.Sequential（10、32、1）加 SGD 的一步训练，每批 16 个样本",
    contestants={
        "minigrad": partial(step_of_training, "minigrad"),
        "PyTorch": partial(step_of_training, "torch"),
    },
    targets={"PyTorch": 1.0},
    size=16,
    smoke_size=4,
    rounds=80,
)

CALL = Row(
    name="small-calls",
    work="an everyday call: t, reshape, [0], mean(0), mean, cat, zeros on 4×3, on average",
    work_zh="日常的一次调用：4×3 上的 t、reshape、[0]、mean(0)、mean、cat、zeros，取平均",
    contestants={
        "minigrad": partial(small_calls, "minigrad"),
        "PyTorch": partial(small_calls, "torch"),
    },
    targets={"PyTorch": 2.0},
    size=200,
    smoke_size=5,
    rounds=60,
)
