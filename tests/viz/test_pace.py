"""The clock of the live panel where no thread can be had, as in WebAssembly."""

import asyncio
import threading
import time

from viz.notebook.pace import Clock


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
