"""Ctrl-C in a notebook that the panel follows, many times: `python -m tests.interrupts -n 400 --seed 7`.

One real kernel; each round runs a cell that trains for ever, and interrupts it at a random moment by a real signal.
Afterwards the numbers must be those of a step that is done or is not, the next gradient right, and the panel on. It
tells after how many a mode was left on, about one of a hundred: PyTorch, without a panel, leaves its own off after one
of ten in this loop.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from queue import Empty
from typing import Any

from minigrad_lessons.kernels import own_sockets

#: After `done` steps w is one of `path`: what an interrupt falls into is either done or not.
SETUP = """
import time
import minigrad as torch, viz
from minigrad.autograd import grad_mode
def step(w):
    w.grad = None
    ((w * w - 2) ** 2).sum().backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
w = torch.tensor([1.0, 3.0], requires_grad=True)
path = [w.tolist()]
for _ in range(20):
    step(w)
    path.append(w.tolist())
usual = grad_mode.mode.__dict__.copy()
panel = viz.live()
follower = panel.follower
show = follower._show_pass
def slowly(*given):
    time.sleep(0.2)
    show(*given)
"""
LOOPS = {
    "for ever": """
while True:
    w = torch.tensor([1.0, 3.0], requires_grad=True)
    for done in range(20):
        step(w)
""",
    "while the panel draws a pass": """
follower._show_pass = slowly
try:
    while True:
        w = torch.tensor([1.0, 3.0], requires_grad=True)
        for done in range(20):
            step(w)
finally:
    follower._show_pass = show
""",
    "until the panel draws": """
w = torch.tensor([1.0, 3.0], requires_grad=True)
for done in range(20):
    step(w)
""",
}
CHECK = """
left_on = grad_mode.mode.__dict__ != usual
grad_mode.restore(usual)
assert w.tolist() in path[done:done + 2] or w.tolist() == path[0], (done, w)
before = w.tolist()
v = torch.tensor([1.0, 2.0], requires_grad=True)
(v * v).sum().backward()
assert v.grad.tolist() == [2, 4]
assert panel.follower is not None
"""


@contextlib.contextmanager
def kernel() -> Iterator[tuple[Any, Any]]:
    """A kernel of one's own, and who asks it."""
    from jupyter_client.manager import KernelManager

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as sockets:
        running = KernelManager(kernel_name="python3", **own_sockets(sockets))
        running.start_kernel()
        client = running.client()
        client.start_channels()
        try:
            client.wait_for_ready(timeout=60)
            yield running, client
        finally:
            client.stop_channels()
            running.shutdown_kernel(now=True)


def run(client: Any, code: str) -> dict[str, Any]:
    """A cell, and what it gave: of `left_on`, too."""
    asked = {"left_on": "left_on", "drawn": "len(panel.scene['nodes'])"}
    return client.execute_interactive(code, user_expressions=asked, timeout=30, output_hook=lambda _: None)["content"]


def interrupted(running: Any, client: Any, count: int, seed: int) -> Counter[str]:
    """Interrupt so many cells: how many ended by it, and after how many a mode was left on. Anything else raises."""
    chance, tally = random.Random(seed), Counter[str]()
    assert run(client, SETUP)["status"] == "ok"
    for name in itertools.islice(itertools.cycle(LOOPS), count):
        begins = 'print("begun", flush=True)' + LOOPS[name]
        asked = client.execute(begins, stop_on_error=False)  # which would drop the next cell, too
        while client.get_iopub_msg(timeout=30)["msg_type"] != "stream":
            pass  # a busy machine takes its time until the cell runs
        time.sleep(chance.uniform(0.005, 0.1))
        running.interrupt_kernel()
        tally["signals"] += 1
        try:
            reply = client.get_shell_msg(timeout=30)
        except Empty:  # the cell has ended, and it fell into what Jupyter does then, which answers no more
            assert "until" in name
            continue
        assert reply["parent_header"]["msg_id"] == asked
        said = reply["content"]
        if "until" not in name or said["status"] != "ok":
            assert said["ename"] == "KeyboardInterrupt", said
            tally["ended by it"] += 1
        reply = run(client, CHECK)
        assert reply["status"] == "ok", reply.get("traceback")
        tally["a mode left on"] += reply["user_expressions"]["left_on"]["data"]["text/plain"] == "True"
    reply = run(client, "loss = (w * 2).sum(); loss.backward(); left_on = 0")
    end = time.monotonic() + 30
    while int(reply["user_expressions"]["drawn"]["data"]["text/plain"]) < 2:  # a busy machine draws it a little later
        assert time.monotonic() < end, "the panel goes on drawing"
        time.sleep(0.1)
        reply = run(client, "pass")
    return tally


def main() -> int:
    """The command: 1 if a mode was left on after more than one of 400."""
    parser = argparse.ArgumentParser(prog="python -m tests.interrupts", description=__doc__)
    parser.add_argument("-n", type=int, default=400, help="signals")
    parser.add_argument("--seed", type=int, default=None, help="a fresh one is taken, and printed, if none is given")
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    with kernel() as (running, client):
        tally = interrupted(running, client, options.n, seed)
    print(", ".join(f"{number} {what}" for what, number in tally.items()))
    return int(tally["a mode left on"] > max(3, options.n / 40))


if __name__ == "__main__":
    sys.exit(main())
