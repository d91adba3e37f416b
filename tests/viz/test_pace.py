"""When the live panel looks and when it records; its clock where no thread can be had, as in WebAssembly."""

import asyncio
import threading
import time
from itertools import pairwise

import pytest

from viz.notebook.pace import Clock, Pace


@pytest.mark.parametrize("step", [0.1, 0.5, 1.0, 2.0, 7.0])
@pytest.mark.parametrize("took", [0.01, 0.05, 0.2])
def test_in_a_loop_of_even_steps_looks_and_passes_take_turns(monkeypatch, step, took):
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    pace = Pace()
    turns = []
    for _ in range(round(200 / step)):
        ends = now + step
        while pace.look() <= ends:
            now = max(now, pace.look())
            began, now = now, now + took
            pace.rest(began, 0)
            turns.append(("look", now))
        now = max(now, ends)
        if pace.due():
            began, now = now, now + took
            pace.rest(began, 0, kept=True)
            turns.append(("pass", now))
    passes = [at for kind, at in turns if kind == "pass"]
    assert max(b - a for a, b in pairwise(passes)) <= 2 * max(40 * took, 0.3) + 2 * (step + took)
    assert any(kind == "look" for kind, _ in turns) or step < 0.3


def test_a_cell_whose_passes_have_ended_is_looked_in_on_again(monkeypatch):
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    pace = Pace()
    for _ in range(5):
        now += 2.0
        pace.due()
    pace.rest(now, 0)
    assert pace.look() == now + 4.0, "a pass may still come"
    now += 4.0
    pace.rest(now, 0)
    assert pace.look() < now + 0.5


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
