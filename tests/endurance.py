"""Whether anything grows or breaks when much is asked for long: `python -m tests.endurance`.

Each row runs in a process of its own, with Python's cycle collector off: what is dropped must be freed at once. Told
are the seconds, and the memory and the number of objects after a tenth of the rounds, three at least (the C library
keeps what a large table was in from the second on), and at the end; a row fails if it grows by more than a few MB, or
if its own check does. `--rounds 1000` asks for less than 100,000 rounds, `--only adam` for one row.
"""

from __future__ import annotations

import argparse
import gc
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import minigrad as torch
import viz

ROOT = Path(__file__).parent.parent
#: What may be added between a tenth of the rounds and the end: caches fill, memory is had in pieces.
MEGABYTES, OBJECTS = 8.0, 2_000
PICTURE = 3_000  # objects of a picture, which the panel may have drawn after one cell and not after another

Step = Callable[[int], Any]


class Row(NamedTuple):
    """What makes one step, the share of the rounds that it is asked for, and whether a notebook follows it."""

    make: Callable[[], Step]
    share: float = 1.0
    followed: bool = False


# -- what is asked for -----------------------------------------------------------------------------------------------


def by_hand() -> Step:
    """Linear regression as the notes write it."""
    x = torch.linspace(-1, 1, 8)
    w, b = (torch.zeros((), requires_grad=True) for _ in range(2))

    def step(number: int) -> float:
        nonlocal w, b
        loss = ((w * x + b - (3 * x + 1)) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
            b -= 0.1 * b.grad
        w.grad.zero_()
        b.grad.zero_()
        return loss.item()

    return step


def _model() -> tuple[Any, Any, Any, Any]:
    torch.manual_seed(0)
    x = torch.randn(8, 4)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    return model, torch.optim.Adam(model.parameters(), lr=1e-3), x, x.sum(1, keepdim=True)


def adam() -> Step:
    """A small network, Adam, and a schedule."""
    model, optimizer, x, y = _model()
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1000, gamma=0.9)

    def step(number: int) -> float:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        schedule.step()
        return loss.item()

    return step


def record() -> Step:
    """A recorded pass."""
    model, _, x, y = _model()

    def step(number: int) -> Any:
        loss = ((model(x) - y) ** 2).mean()
        with viz.record(loss) as run:
            loss.backward()
        return run.steps[-1]

    return step


def draw() -> Step:
    """A drawn graph: its text, which needs no layout."""
    w = torch.ones((), requires_grad=True)
    return lambda number: viz.draw((w * 2).exp(), names={"w": w}).text


def second_order() -> Step:
    """Gradients of gradients; `backward(create_graph=True)` would be a cycle, in PyTorch, too."""
    w = torch.ones(3, requires_grad=True)

    def step(number: int) -> Any:
        (grad,) = torch.autograd.grad((w**3).sum(), w, create_graph=True)
        return torch.autograd.grad(grad.sum(), w)

    return step


def hooks() -> Step:
    """Hooks on tensors and nodes, saved tensors packed and unpacked."""
    w = torch.ones(3, requires_grad=True)

    def step(number: int) -> Any:
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(force=True), torch.from_numpy):
            y = w.exp()
        y.register_hook(lambda grad: grad * 2)
        y.grad_fn.register_hook(lambda grads, outputs: None)
        y.sum().backward()
        w.grad = None

    return step


def refused() -> Step:
    """Errors: what a failed pass leaves behind."""
    w = torch.ones(3, requires_grad=True)

    def step(number: int) -> None:
        y = w.exp()
        y.mul_(2)
        try:
            y.sum().backward()
        except RuntimeError:
            return
        raise AssertionError("the write was not noticed")

    return step


def chain() -> Step:
    """A chain of a million operations: made, run, dropped."""

    def step(number: int) -> None:
        x = y = torch.ones((), requires_grad=True)
        for _ in range(1_000_000):
            y = y * 1.0
        y.backward()
        assert x.grad.item() == 1

    return step


def paths() -> Step:
    """2³⁰ paths from the result to the leaf."""

    def step(number: int) -> None:
        x = y = torch.ones((), requires_grad=True, dtype=torch.float64)
        for _ in range(30):
            y = y + y
        y.backward()
        assert x.grad.item() == 2.0**30

    return step


def views() -> Step:
    """Views of views, 3,000 deep, and a write through the last."""

    def step(number: int) -> None:
        x = torch.ones(4, requires_grad=True)
        y = base = x * 1
        for _ in range(3_000):
            y = y.view(4)
        y.mul_(3)
        base.sum().backward()
        assert x.grad.tolist() == [3.0] * 4

    return step


def threads() -> Step:
    """Ten threads, each with a graph of its own over a shared leaf."""
    from threading import Thread

    def step(number: int) -> None:
        w, found = torch.ones(8, requires_grad=True), []

        def work(k: int) -> None:
            for _ in range(20):
                found.append(torch.autograd.grad((w * k).sum(), w)[0].tolist() == [float(k)] * 8)

        running = [Thread(target=work, args=(k,)) for k in range(10)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
        assert found == [True] * 200

    return step


def fork() -> Step:
    """A child of the process computes a gradient of its own."""
    import os

    def step(number: int) -> None:
        w = torch.ones(3, requires_grad=True)
        y = (w * w).sum()
        child = os.fork()
        if not child:
            y.backward()
            os._exit(0 if w.grad.tolist() == [2.0] * 3 else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert w.grad is None

    return step


def tasks() -> Step:
    """Tasks of asyncio that take turns in the middle of a forward pass."""
    import asyncio

    async def one(k: float) -> list[float]:
        w = torch.ones(2, requires_grad=True)
        y = w * k
        await asyncio.sleep(0)
        (y * y).sum().backward()
        return w.grad.tolist()

    async def several() -> list[list[float]]:
        return await asyncio.gather(*(one(float(k)) for k in range(10)))

    def step(number: int) -> None:
        assert asyncio.run(several()) == [[2.0 * k * k] * 2 for k in range(10)]

    return step


ROWS = {
    "by-hand": Row(by_hand),
    "by-hand-followed": Row(by_hand, followed=True),
    "adam": Row(adam),
    "adam-followed": Row(adam, followed=True),
    "record": Row(record, 0.02),
    "draw": Row(draw, 0.02),
    "second-order": Row(second_order),
    "hooks": Row(hooks, 0.5),
    "refused": Row(refused, 0.5),
    "chain": Row(chain, 1e-4),
    "paths": Row(paths, 0.01),
    "views": Row(views, 1e-4),
    "threads": Row(threads, 0.002),
    "fork": Row(fork, 0.002),
    "tasks": Row(tasks, 0.01),
}


# -- how it is asked for ---------------------------------------------------------------------------------------------


def megabytes() -> float:
    """The memory that this process has of the machine now."""
    import psutil

    return psutil.Process().memory_info().rss / 2**20


def parts(rounds: int) -> tuple[int, int]:
    """How many rounds come before the first look, and how many after it."""
    first = min(rounds, max(rounds // 10, 3))
    return first, rounds - first


def alone(row: Row, rounds: int) -> list[tuple[float, int]]:
    """Run a row; its memory and objects after the first rounds and at the end."""
    step = row.make()
    seen = []
    for part in parts(rounds):
        for number in range(part):
            step(number)
        seen.append((megabytes(), len(gc.get_objects())))
    return seen


def followed(row: Row, rounds: int) -> list[tuple[float, int]]:
    """The same in a notebook's cells, with the live panel on."""
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    shell.kernel = None  # type: ignore[attr-defined]  # what tells a notebook from a terminal
    shell.user_ns.update(torch=torch, viz=viz, step=row.make())
    seen = []
    assert shell.run_cell("panel = viz.live()").success
    for part in parts(rounds):
        assert shell.run_cell(f"for number in range({part}):\n    step(number)").success
        seen.append((megabytes(), len(gc.get_objects())))
    shell.user_ns["panel"].close()
    return seen


def run(name: str, rounds: int) -> bool:
    """Run a row here, print what it measured, and say whether it holds."""
    row = ROWS[name]
    rounds = max(1, round(rounds * row.share))
    gc.collect()
    gc.disable()
    began = time.perf_counter()
    (before, objects_before), (after, objects_after) = (followed if row.followed else alone)(row, rounds)
    holds = after - before < MEGABYTES and objects_after - objects_before < OBJECTS + PICTURE * row.followed
    print(
        f"{name:18} {rounds:>7,} rounds {time.perf_counter() - began:7.1f} s   {before:6.1f} → {after:6.1f} MB   "
        f"{objects_before:,} → {objects_after:,} objects   {'holds' if holds else 'GROWS'}",
        flush=True,
    )
    return holds


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.endurance", description=__doc__)
    parser.add_argument("--rounds", type=int, default=100_000)
    parser.add_argument("--only", choices=ROWS)
    parser.add_argument("--here", action="store_true", help="in this process, as each row is run")
    options = parser.parse_args()
    if options.here:
        return 0 if run(options.only, options.rounds) else 1
    failed = []
    for name in [options.only] if options.only else ROWS:
        command = [sys.executable, "-m", "tests.endurance", "--here", "--only", name, "--rounds", str(options.rounds)]
        if subprocess.run(command, cwd=ROOT).returncode:
            failed.append(name)
    print("all hold" if not failed else f"failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
