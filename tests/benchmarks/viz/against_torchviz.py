"""How long drawing takes, beside torchviz: `python tests/benchmarks/viz/against_torchviz.py`.

The same PyTorch graphs, drawn to SVG: an MLP of n layers, a loop that uses one weight in each step, and a graph where
nothing repeats; by viz as it comes (what repeats is folded) and with every node. torchviz needs `pip install torchviz`
and a `dot` program on the PATH; what is missing is left out. Times are the best of several runs, taken in turns, in
milliseconds, from a tensor to an SVG text: on the clock and, in brackets, of the processor, child processes included,
which other work on the machine hardly changes; "> 30 s" was stopped. torchlens is not here: it draws what it sees while
it runs a model itself, not the graph that a tensor already has. The last figures stand in against_torchviz.txt.
"""

from __future__ import annotations

import datetime
import os
import platform
import random
import resource
import shutil
import subprocess
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

LIMIT = 30.0  # seconds for one drawing


def layers(operations: int) -> torch.Tensor:
    """An MLP: about `operations` operations, two and a transposed weight for each layer."""
    modules = [m for _ in range(operations // 3) for m in (torch.nn.Linear(4, 4), torch.nn.Tanh())]
    return torch.nn.Sequential(*modules)(torch.ones(1, 4)).sum()


def loop(operations: int) -> torch.Tensor:
    """A loop unrolled: `operations` operations, half of which use the same weight."""
    h = weight = torch.tensor(0.5, requires_grad=True)
    for _ in range(operations // 2):
        h = (h * weight).tanh()
    return h


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
    viz.options.timeout = LIMIT
    return viz.draw(output, show="repeats", max_nodes=sys.maxsize).svg


def with_torchviz(output: torch.Tensor) -> Any:
    """What ``make_dot(output).pipe(format="svg")`` does, but stopped after a while."""
    source = torchviz.make_dot(output).source.encode()
    return subprocess.run(["dot", "-Tsvg"], input=source, capture_output=True, check=True, timeout=LIMIT).stdout


def processor() -> float:
    """Seconds that this process and its children have computed."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def milliseconds(draws: dict[str, Callable[[torch.Tensor], Any]], output: torch.Tensor) -> dict[str, str]:
    best = dict.fromkeys(draws, (float("inf"), float("inf")))
    failed: dict[str, str] = {}
    stop = time.perf_counter() + 3
    for _ in range(7):
        for name in draws.keys() - failed.keys():
            start, computed = time.perf_counter(), processor()
            try:
                draws[name](output)
            except RecursionError:
                failed[name] = "RecursionError"
            except (viz.LayoutError, subprocess.TimeoutExpired):
                failed[name] = f"> {LIMIT:.0f} s"
            took = time.perf_counter() - start, processor() - computed
            best[name] = tuple(map(min, best[name], took))
        if time.perf_counter() > stop:
            break
    return {name: failed.get(name, f"{clock * 1000:,.0f} ({cpu * 1000:,.0f})") for name, (clock, cpu) in best.items()}


def main() -> None:
    draws = {"viz": with_viz, "viz, every node": with_viz_in_full}
    if torchviz and shutil.which("dot"):
        draws["torchviz"] = with_torchviz
    busy = f", load average {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"{datetime.date.today()}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores{busy}")
    print(f"Python {platform.python_version()}, torch {torch.__version__}\n")
    print("graph     operations " + "".join(f"{name:>17}" for name in draws))
    for make in (layers, loop, tangle):
        for operations in (20, 100, 500, 2000):
            times = milliseconds(draws, make(operations))
            print(
                f"{make.__name__:<9} {operations:>10,} " + "".join(f"{took:>17}" for took in times.values()), flush=True
            )
    outputs = []
    for make in (layers, loop, tangle):
        outputs.append(make(100_000))
        times = milliseconds({"viz": with_viz}, outputs[-1])
        print(f"{make.__name__:<9} {100_000:>10,} {times['viz']:>17}", flush=True)
    # PyTorch 2.13 overflows the stack when it drops a graph this deep whose nodes Python has looked at, be it by
    # `next_functions` alone: they live until the process ends.
    os._exit(0)


if __name__ == "__main__":
    main()
