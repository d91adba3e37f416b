"""When the live panel looks and when it records; its clock where no thread can be had, as in WebAssembly."""

import asyncio
import random
import threading
import time
from itertools import pairwise

import pytest

from viz.notebook.pace import Clock, Pace


class Loop:
    """A cell in which a step of so many seconds ends with a pass, and the clock looks in when it may; a simulation."""

    def __init__(self, monkeypatch, took):
        self.now, self.took = 100.0, took
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        self.pace = Pace()
        self.done = {"look": [], "pass": []}

    def works(self, kind):
        began, self.now = self.now, self.now + self.took
        self.pace.rest(began, 0)
        self.done[kind].append(self.now)

    def computes(self, seconds):
        until = self.now + seconds
        while self.pace.look() <= until:
            self.now = max(self.now, self.pace.look())
            self.works("look")
        self.now = max(self.now, until)

    def asks(self, large=False):
        if self.pace.due() or not self.done["pass"]:  # the first is always recorded
            self.works("pass")
            self.pace.recorded = not large


@pytest.mark.parametrize("step", [0.1, 0.5, 1.0, 2.0, 7.0])
@pytest.mark.parametrize("took", [0.01, 0.05, 0.2])
def test_in_a_loop_of_even_steps_passes_are_recorded(monkeypatch, step, took):
    loop = Loop(monkeypatch, took)
    for nr in range(round(200 / step)):
        loop.computes(step)
        loop.asks()
        if nr < 2:  # how far passes are apart is not known yet
            loop.done["look"].clear()
    apart = [b - a for a, b in pairwise(loop.done["pass"])]
    assert max(apart) <= max(40 * took, 0.3) + 2 * (step + took)
    assert not loop.done["look"], "it would hold the loop up, and show what the pass shows"


def test_on_a_busy_machine_a_quick_loop_still_has_its_passes_recorded(monkeypatch):
    """Another program holds the processor now and then, for longer than many rounds of the loop take."""
    loop, chance = Loop(monkeypatch, 0.1), random.Random(0)
    for nr in range(20_000):
        loop.computes(0.0005 if chance.random() < 0.9 else chance.uniform(0.01, 0.1))
        loop.asks()
        if nr < 2:
            loop.done["look"].clear()
    assert not loop.done["look"], "the panel shows a pass, in which a look changes nothing"
    apart = [b - a for a, b in pairwise(loop.done["pass"])]
    assert max(apart) <= 3.0 + 2 * (0.1 + 0.1)


@pytest.mark.parametrize("took", [0.01, 0.1, 0.5])
def test_a_loop_waits_for_the_panel_for_a_twentieth_of_its_time_at_most(monkeypatch, took):
    loop = Loop(monkeypatch, took)
    while loop.now < 300:
        loop.computes(0.01)
        loop.asks()
    assert 2 < len(loop.done["pass"]) * took <= 0.05 * 200 + 2 * took


def test_a_cell_whose_passes_have_ended_is_looked_in_on_again(monkeypatch):
    loop = Loop(monkeypatch, 0.01)
    for _ in range(5):
        loop.computes(2.0)
        loop.asks()
    assert loop.pace.look() == pytest.approx(loop.now + 4.0, abs=0.1), "a pass may still come"
    loop.done["look"].clear()
    loop.computes(10.0)
    assert len(loop.done["look"]) > 5


def test_a_loop_whose_passes_are_too_large_is_looked_in_on(monkeypatch):
    loop = Loop(monkeypatch, 0.01)
    for _ in range(100):
        loop.computes(0.1)
        loop.asks(large=True)
    assert loop.done["look"]


def test_without_a_thread_the_loop_of_the_kernel_does_what_is_due(monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    done: list[float] = []

    async def notebook():
        at = time.monotonic() + 0.2
        clock = Clock(lambda: None if done else at, lambda: done.append(time.monotonic()))
        clock.start()
        assert not done
        await asyncio.sleep(1)
        assert len(done) == 1
        assert done[0] >= at
        done.clear()
        clock.stop()
        await asyncio.sleep(0.3)
        assert not done

    asyncio.run(notebook())
