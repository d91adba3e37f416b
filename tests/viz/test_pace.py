"""When the live panel records a pass, and what it leaves for the pause between two cells."""

import asyncio
import time
from itertools import pairwise

import pytest

from viz.notebook.limits import Later, Pace
from viz.notebook.sight import Ceiling


class Loop:
    """A cell in which a step of so many seconds ends with a pass; a simulation."""

    def __init__(self, monkeypatch, took, spent=0.0):
        self.now, self.took, self.spent = 100.0, took, spent
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        self.pace = Pace()
        self.done = []

    def step(self, seconds):
        self.now += seconds
        if self.now >= self.pace.next or not self.done:  # the first is always recorded
            began, self.now = self.now, self.now + self.took
            self.pace.rest_from_pass(began, self.spent, first=not self.done)
            self.done.append(self.now)


@pytest.mark.parametrize("step", [0.001, 0.1, 0.5, 1.0, 2.0, 7.0])
@pytest.mark.parametrize("took", [0.01, 0.05, 0.2])
def test_in_a_loop_of_even_steps_passes_are_recorded(monkeypatch, step, took):
    loop = Loop(monkeypatch, took)
    for _ in range(round(200 / step)):
        loop.step(step)
    apart = [b - a for a, b in pairwise(loop.done)]
    assert max(apart) <= max(100 * took, 0.1) + 2 * (step + took)


@pytest.mark.parametrize("took", [0.01, 0.1, 0.5])
def test_a_loop_waits_for_the_panel_for_a_twentieth_of_its_time_at_most(monkeypatch, took):
    """On a busy machine, too, where all that the panel does takes longer by the clock."""
    loop = Loop(monkeypatch, took)
    while loop.now < 400:
        loop.step(0.01)
    assert 2 < len(loop.done) * took <= 0.05 * 300 + 2 * took


def test_a_pass_that_takes_long_to_tell_comes_when_the_loop_has_run_a_hundred_times_as_long(monkeypatch):
    """A large one: in seconds of training a transformer, two more passes were a quarter of its time."""
    loop = Loop(monkeypatch, 0.25, spent=0.1)
    while loop.now < 109:
        assert not loop.pace.is_long(100.0) or not loop.done
        loop.step(0.01)
    assert len(loop.done) == 1
    while loop.now < 111:
        loop.step(0.01)
    assert loop.pace.is_long(100.0)
    assert len(loop.done) == 2


def test_the_last_pass_of_a_small_network_always_comes(monkeypatch):
    loop = Loop(monkeypatch, 0.05)
    loop.step(0.01)
    assert loop.pace.is_long(100.0)


@pytest.mark.parametrize("took", [0.01, 0.04, 0.2])
def test_what_a_learner_runs_a_moment_later_is_shown_at_once(monkeypatch, took):
    """The panel waits before a cell only where cells follow so quickly that it would take more of their time than 10 %;
    a loop with many passes in it waits longer."""
    loop = Loop(monkeypatch, took)
    began, loop.now = loop.now, loop.now + took
    loop.pace.rest(began)
    assert loop.now < loop.pace.cell <= loop.now + 10 * took
    assert loop.pace.cell < loop.pace.next
    loop.pace.begin()
    assert loop.pace.cell <= loop.now + 10 * took, "a cell that begins puts nothing off"


def test_what_comes_later_comes_once_between_two_cells():
    done: list[float] = []

    async def notebook():
        later = Later(lambda: done.append(time.monotonic()))
        asked = time.monotonic()
        for _ in range(3):
            later.ask(0.2)
        assert later.waits
        assert not done
        while later.waits:
            await asyncio.sleep(0.01)
        assert len(done) == 1
        assert done[0] >= asked + 0.19  # a loop's clock is a little coarser
        later.ask(0.01)
        later.drop()
        await asyncio.sleep(0.1)
        assert len(done) == 1
        later.ask(60)
        later.now()
        assert len(done) == 2
        assert not later.waits

    asyncio.run(notebook())


def test_where_no_loop_would_do_it_later_it_is_done_at_once():
    done: list[int] = []
    later = Later(lambda: done.append(1))
    later.ask(60)
    assert done == [1]
    assert not later.waits


def test_where_nobody_is_there_it_is_done_at_once():
    done = []

    async def notebook():
        later = Later(lambda: done.append(1), lambda: False)
        later.ask(60)
        assert done == [1]
        assert not later.waits

    asyncio.run(notebook())


def test_what_grew_out_of_a_large_graph_is_followed_no_further_than_to_there(torch):
    inner = torch.ones(1, requires_grad=True)
    for _ in range(200):
        inner = inner + 1
    middle = inner
    for _ in range(50):
        inner = inner + 1
    ceiling = Ceiling(100)
    spare = ceiling.spare
    _, refused = ceiling.parted([("large", inner), ("beside", middle * 2)])
    assert list(refused) == ["large", "beside"]
    assert ceiling.spare == spare - 101
