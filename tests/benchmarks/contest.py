"""How two libraries are timed side by side so that the ratio can be believed.

Other programs use the machine too, its clock rate changes, caches warm up. So the contestants take turns: in each round
every one of them does the same work once, a few milliseconds of it, in an order that rotates. A ratio is taken within a
round, where both met the same weather; reported are the median of the rounds' ratios and the quartiles around it.

Nothing is timed before the results have been compared.
"""

from __future__ import annotations

import gc
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any, ClassVar, Protocol

import numpy as np

from .peers import Unavailable, as_arrays

#: What every ratio compares with its peers.
SUBJECT = "minigrad"

#: The time that this process computes, without the time it waits while others do: with one thread that is what the work
#: takes. Where this clock is coarse, as on Windows, the one on the wall.
CLOCK = time.process_time if time.get_clock_info("process_time").resolution < 1e-6 else time.perf_counter

#: How long one sample of quick work should take: the clock is then exact to a thousandth, a time slice is longer.
SAMPLE_SECONDS = 4e-3


class WrongResult(Exception):
    """Two contestants computed different numbers: their times mean nothing."""


class Contestant(Protocol):
    """Somebody who does a row's work."""

    def result(self) -> Sequence[np.ndarray] | None:
        """What the work computes, to be compared; None where nobody else computes the same."""

    def sample(self) -> float:
        """What doing it once costs, in the row's unit."""


@dataclass(frozen=True)
class Row:
    """One line of the table: some work, who does it, and how minigrad should compare.

    Attributes:
        name: for `--only`.
        work, work_zh: what is done, in the words of the table.
        contestants: makes each contestant for a size; raises `Unavailable` where the library is missing.
        targets: for some peers the median ratio that minigrad must not exceed.
        size, smoke_size: how much work; `smoke_size` is for seeing quickly that it runs and that the results agree.
        rounds: how often everybody's turn comes.
        not_in_smoke: who is left out of the quick run, for it takes seconds to start.
        unit: of the samples: "s" or "B".
    """

    name: str
    work: str
    work_zh: str
    contestants: Mapping[str, Callable[[int], Contestant]]
    targets: Mapping[str, float]
    size: int
    smoke_size: int
    rounds: int
    unit: str = "s"
    not_in_smoke: Sequence[str] = ()


@dataclass
class Outcome:
    """What came out for one row: each contestant's samples round by round, and why the absent are absent."""

    row: Row
    samples: dict[str, list[float]] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)

    def ratios(self, peer: str) -> list[float]:
        """minigrad's sample over the peer's, for each round."""
        return [own / other for own, other in zip(self.samples[SUBJECT], self.samples[peer], strict=True)]

    def met(self, peer: str) -> bool | None:
        """Whether the median ratio, to the two decimals that are shown, is within the target; None without a target."""
        if peer not in self.row.targets or peer not in self.samples:
            return None
        return round(statistics.median(self.ratios(peer)), 2) <= self.row.targets[peer]


def compete(row: Row, smoke: bool = False) -> Outcome:
    """Run one row. Raises WrongResult if a contestant's numbers differ from minigrad's."""
    outcome = Outcome(row)
    contestants: dict[str, Contestant] = {}
    results: dict[str, Sequence[np.ndarray] | None] = {}
    for name, make in row.contestants.items():
        try:
            if smoke and name in row.not_in_smoke:
                raise Unavailable("not in the smoke run")
            contestants[name] = make(row.smoke_size if smoke else row.size)
            results[name] = contestants[name].result()
        except Unavailable as reason:
            outcome.missing[name] = str(reason)
            contestants.pop(name, None)
    for name, result in results.items():
        if result is not None:
            _compare(row.name, name, results[SUBJECT], result)

    names = list(contestants)
    if smoke:
        outcome.samples = {name: [contestants[name].sample()] for name in names}
        return outcome
    outcome.samples = {name: [] for name in names}
    # The collector stays on, as in a learner's program; but what the libraries themselves left on the heap when they
    # were imported is nobody's work and must not be searched again and again.
    gc.collect()
    gc.freeze()
    for turn in range(row.rounds):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            outcome.samples[name].append(contestants[name].sample())
    gc.unfreeze()
    return outcome


def _compare(row: str, name: str, own: Sequence[np.ndarray] | None, other: Sequence[np.ndarray]) -> None:
    assert own is not None, f"{row}: {SUBJECT} must give a result where its peers do"
    if len(own) != len(other):
        raise WrongResult(f"{row}: {SUBJECT} gives {len(own)} results, {name} {len(other)}")
    for index, (a, b) in enumerate(zip(own, other, strict=True)):
        where = f"{row}, result {index}: {SUBJECT} and {name} differ"
        if a.shape != b.shape or a.dtype != b.dtype:
            raise WrongResult(f"{where}: {a.dtype}{a.shape} and {b.dtype}{b.shape}")
        # The order of additions differs between matrix products: float32 agrees to about 1e-6 of the largest value.
        error, scale = float(np.max(np.abs(a - b))), float(np.max(np.abs(b)))
        if not error <= 1e-4 * scale:
            raise WrongResult(f"{where} by {error:.3g} where the largest value is {scale:.3g}")


class Timed:
    """Work done in this process: `prepare()` makes the inputs and returns the step that is timed.

    A sample repeats the step for about SAMPLE_SECONDS, always from freshly prepared inputs: training must not drift.
    The first step is not timed, for it finds the processor's caches full of the others' things.
    """

    def __init__(self, prepare: Callable[[], Callable[[], Any]]) -> None:
        self.prepare = prepare
        self.repeats = 0

    def result(self) -> Sequence[np.ndarray]:
        return as_arrays(self.prepare()())

    def sample(self) -> float:
        if not self.repeats:
            self._seconds(1)
            self.repeats = max(1, round(SAMPLE_SECONDS / min(self._seconds(1) for _ in range(3))))
        return self._seconds(self.repeats)

    def _seconds(self, repeats: int) -> float:
        step = self.prepare()
        step()
        turns = repeat(None, repeats)
        start = CLOCK()
        for _ in turns:
            step()
        return (CLOCK() - start) / repeats


class Part:
    """One part of a step that many equal parts make up, such as one operation of a chain."""

    def __init__(self, whole: Contestant, parts: int, comparable: bool = True) -> None:
        self.whole, self.parts, self.comparable = whole, parts, comparable

    def result(self) -> Sequence[np.ndarray] | None:
        result = self.whole.result()
        return result if self.comparable else None

    def sample(self) -> float:
        return self.whole.sample() / self.parts


class FreshProcess:
    """Work done in a process of its own, for what this one would blur: peak memory, import times, a million objects.

    `python -m module argument…` is run, which ends in `answer(…)`: of the dictionary that comes back, `quantity` is the
    sample, and `result`, a list of lists of numbers, what can be compared. Rows that take two quantities of the same
    work share the first run.
    """

    first_runs: ClassVar[dict[tuple[str, ...], dict[str, Any]]] = {}

    def __init__(self, module: str, *arguments: object, quantity: str) -> None:
        self.command = [sys.executable, "-m", module, *map(str, arguments)]
        self.quantity = quantity
        self.first = False  # whether the first run, whose result was compared, is still to be counted as a sample

    def result(self) -> Sequence[np.ndarray] | None:
        command = tuple(self.command)
        if command not in self.first_runs:
            self.first_runs[command] = self._run()
        self.first = True
        return [np.array(values, np.float32) for values in self.first_runs[command]["result"]]

    def sample(self) -> float:
        run = self.first_runs[tuple(self.command)] if self.first else self._run()
        self.first = False
        return run[self.quantity]

    def _run(self) -> dict[str, Any]:
        done = subprocess.run(self.command, capture_output=True, text=True, encoding="utf-8", check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(self.command)} failed:\n{done.stderr}")
        answer = json.loads(done.stdout)
        if "unavailable" in answer:
            raise Unavailable(answer["unavailable"])
        return answer


def answer(work: Callable[..., dict[str, Any]]) -> None:
    """The other end of `FreshProcess`: do the work on the arguments of the command line and print what it returns."""
    try:
        done = work(*sys.argv[1:])
    except Unavailable as reason:
        done = {"unavailable": str(reason)}
    print(json.dumps(done))
