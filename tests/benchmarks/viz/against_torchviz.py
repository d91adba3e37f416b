"""How long drawing takes, beside torchviz: `python tests/benchmarks/viz/against_torchviz.py`.

The same PyTorch graphs, drawn to SVG: an MLP of n layers (its picture here folds the equal layers), the same unfolded,
and a graph where nothing repeats. torchviz needs `pip install torchviz` and a `dot` program on the PATH; what is
missing is left out. Times are the best of several runs, taken in turns, in milliseconds, from a tensor to an SVG text.
torchlens is not here: it draws what it sees while it runs a model itself, not the graph that a tensor already has.
"""

from __future__ import annotations

import random
import shutil
import sys
import time
from collections.abc import Callable
from typing import Any

import torch

import viz

try:
    import torchviz
except ImportError:
    torchviz = None

LIMIT = 60.0  # seconds for one drawing


def layers(operations: int) -> torch.Tensor:
    """An MLP: about `operations` operations, two and a transposed weight for each layer."""
    modules = [m for _ in range(operations // 3) for m in (torch.nn.Linear(4, 4), torch.nn.Tanh())]
    return torch.nn.Sequential(*modules)(torch.ones(1, 4)).sum()


def tangle(operations: int) -> torch.Tensor:
    """`operations` operations in which nothing repeats."""
    choose = random.Random(0)
    pool = [torch.tensor(1.0, requires_grad=True) for _ in range(5)]
    for _ in range(operations - 1):
        operation = choose.choice([torch.add, torch.mul, torch.sub, torch.maximum])
        pool.append(operation(pool[-1], choose.choice(pool[-12:])))
    return pool[-1].sum()


def with_viz(output: torch.Tensor) -> Any:
    return viz.draw(output).svg


def with_viz_in_full(output: torch.Tensor) -> Any:
    return viz.draw(output, fold=False, max_nodes=sys.maxsize, timeout=LIMIT).svg


def with_torchviz(output: torch.Tensor) -> Any:
    return torchviz.make_dot(output).pipe(format="svg")


def milliseconds(draws: dict[str, Callable[[torch.Tensor], Any]], output: torch.Tensor) -> dict[str, str]:
    best: dict[str, float | str] = dict.fromkeys(draws, float("inf"))
    stop = time.perf_counter() + 3
    for _ in range(7):
        for name, draw in draws.items():
            start = time.perf_counter()
            try:
                draw(output)
            except (viz.LayoutError, RecursionError) as error:
                best[name] = type(error).__name__
                continue
            best[name] = min(best[name], time.perf_counter() - start)
        if time.perf_counter() > stop:
            break
    return {name: took if isinstance(took, str) else f"{took * 1000:.0f}" for name, took in best.items()}


def main() -> None:
    draws = {"viz": with_viz, "viz, unfolded": with_viz_in_full}
    if torchviz and shutil.which("dot"):
        draws["torchviz"] = with_torchviz
    print("graph     operations " + "".join(f"{name:>15}" for name in draws))
    for make in (layers, tangle):
        for operations in (20, 100, 500, 2000):
            output = make(operations)
            times = "".join(f"{took:>15}" for took in milliseconds(draws, output).values())
            print(f"{make.__name__:<9} {operations:>10} {times}", flush=True)


if __name__ == "__main__":
    main()
