"""Random programs under minigrad and PyTorch: `python -m tests.fuzz --area tensors -n 10000 --seed 7`.

The same seed writes the same programs; `--only 123` runs the one of that number. A program that ends otherwise is
printed reduced, with both answers, and the exit status is 1 if a value, a gradient, an error or a graph is wrong.

A thousand programs at a time run in a process of their own: PyTorch itself may crash. The program that did it is named,
and the next one follows.
"""

import argparse
import contextlib
import faulthandler
import multiprocessing
import random
import sys
import time
from collections import Counter
from typing import Any

import torch

import minigrad
from tests.fuzz import tensors, training, values
from tests.fuzz.known import known
from tests.fuzz.programs import KINDS, Difference, compared, reduced

AREAS = {"tensors": tensors.program, "training": training.program, "values": values.program}
WRONG = ("value", "error", "graph")
#: So many programs run in one process.
TOGETHER = 1000


def find(area: str, seed: int, number: int) -> tuple[list[str], Difference | None]:
    """The program of a number, and how the two libraries differ over it."""
    lines = AREAS[area](random.Random(f"{area} {seed} {number}"), torch)
    return lines, compared(minigrad, torch, lines)


def smallest(lines: list[str], difference: Difference) -> tuple[list[str], Difference]:
    """The program reduced to what the difference needs."""

    def same(shorter: list[str]) -> bool:
        found = compared(minigrad, torch, shorter)
        if found is None or found.kind != difference.kind:
            return False
        # An undefined name is a mistake that reducing made.
        return "NameError" not in str((found.ours, found.theirs))

    lines = reduced(lines, same)
    found = compared(minigrad, torch, lines)
    assert found is not None, "the program that was reduced showed the difference"
    return lines, found


def told(lines: list[str], difference: Difference) -> str:
    """A difference for a reader: the program line by line, and both answers."""
    program = "\n".join(f"    {line}" for line in lines)
    return f"{program}\n  {difference.where}\n    minigrad {difference.ours}\n    PyTorch  {difference.theirs}"


def fuzz(
    area: str, seed: int, count: int, seconds: float, show: tuple[str, ...], first: int = 0, progress: Any = None
) -> Counter[str]:
    """Run programs until their number or the time is reached; print what differs; how many of each kind.

    `progress` is told what is found as it is found, for whoever looks on from another process.
    """
    tally: Counter[str] = Counter()
    end = time.monotonic() + seconds
    for number in range(first, first + count):
        if time.monotonic() > end:
            break
        tally["programs"] += 1
        if progress is not None:
            progress.send(tally)
        lines, difference = find(area, seed, number)
        if difference is None:
            continue
        kind = difference.kind
        if kind in show or kind in WRONG:
            lines, difference = smallest(lines, difference)
            reason = known(lines, difference)
            if reason:
                kind = "known"
            if kind in show or (kind in WRONG and tally[kind] < 20):
                print(f"\n{kind}: --area {area} --seed {seed} --only {number}", reason or "")
                print(told(lines, difference), flush=True)
        tally[kind] += 1
    if progress is not None:
        progress.send(tally)
    return tally


def apart(area: str, seed: int, count: int, seconds: float, show: tuple[str, ...], first: int = 0) -> Counter[str]:
    """`fuzz`, in processes that may crash: such a program is named, and counts as one that crashed."""
    total: Counter[str] = Counter()
    fork = multiprocessing.get_context("fork")
    end, last = time.monotonic() + seconds, first + count
    while first < last and (left := end - time.monotonic()) > 0:
        here, there = fork.Pipe(duplex=False)
        child = fork.Process(target=fuzz, args=(area, seed, min(TOGETHER, last - first), left, show, first, there))
        child.start()
        there.close()
        tally: Counter[str] = Counter()
        with contextlib.suppress(EOFError):  # it has ended, in whatever way
            while True:
                tally = here.recv()
        child.join()
        first += max(tally["programs"], 1)
        if child.exitcode:
            tally["crashed"] += 1
            print(f"\ncrashed ({child.exitcode}): --area {area} --seed {seed} --only {first - 1}", flush=True)
        total += tally
    return total


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--area", choices=[*AREAS, "all"], default="all")
    parser.add_argument("--seed", type=int, default=None, help="a fresh one is taken, and printed, if none is given")
    parser.add_argument("-n", type=int, default=10**9, help="programs of each area, at most")
    parser.add_argument("--minutes", type=float, default=1.0, help="for each area, at most")
    parser.add_argument("--only", type=int, help="the program of this number alone")
    parser.add_argument("--show", default="", help=f"kinds to be shown besides the wrong ones, of {', '.join(KINDS)}")
    options = parser.parse_args()
    faulthandler.enable()
    torch.set_num_threads(1)  # see conftest.py
    seed = random.SystemRandom().randrange(10**6) if options.seed is None else options.seed
    wrong = 0
    for area in AREAS if options.area == "all" else [options.area]:
        first, count = (0, options.n) if options.only is None else (options.only, 1)
        print(f"{area}: seed {seed}", flush=True)
        tally = apart(area, seed, count, options.minutes * 60, tuple(options.show.split(",")), first)
        print(f"{area}: seed {seed}, " + ", ".join(f"{number} {kind}" for kind, number in tally.items()), flush=True)
        wrong += sum(tally[kind] for kind in WRONG)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
