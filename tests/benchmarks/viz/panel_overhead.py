"""What the live panel costs a training loop: `python -m tests.benchmarks.viz.panel_overhead`.

In one cell the same loop runs by turns as the panel follows it and as code that nothing of it sees, a tenth of a second
each, so that both meet the same weather. Told are the time with the panel by the time without, all turns together, and
the median and quartiles of the turns: most have no pass that is shown, few have one. The panel's rest does not go on
while the other code runs. `--load 2` lets two processes do nothing but work meanwhile. The target is 1.05.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from contextlib import ExitStack
from statistics import median, quantiles
from textwrap import indent

from jupyter_client.manager import start_new_kernel

SETUP = """
import json, time, {library} as torch, viz
torch.set_default_device("{device}")
torch.manual_seed(0)
panel = viz.live()
panel.follower.scenes.view = viz.picture.fold.View(fold=False, max_nodes=2000)
x = torch.randn(16, 4)
y = x * x
"""
# One round of each: few large steps for the panel to follow, and many nodes to draw.
LOOPS = {
    "an MLP of two layers": (
        "model = [torch.randn(4, 16, requires_grad=True), torch.randn(16, 4, requires_grad=True)]",
        "((x @ model[0]).tanh() @ model[1] - y).pow(2).mean()",
    ),
    "100 operations deep": (
        "model = [torch.full((4,), 1.0, requires_grad=True)]\n"
        "def deep(h):\n    for _ in range(50): h = (h * model[0]).tanh()\n    return h",
        "(deep(x) - y).pow(2).mean()",
    ),
}
LOOP = """
for _ in range(rounds):
    loss = {loss}
    for p in model: p.grad = None
    loss.backward()
    with torch.no_grad():
        for p in model: p -= 0.01 * p.grad
"""
TURNS = """
rounds, took = {rounds}, [[], []]
unseen = compile({loop!r}, "unseen", "exec")
for turn in range({turns}):
    for followed in (turn % 2, 1 - turn % 2):
        panel.follower._calls.watch(bool(followed))
        began = time.perf_counter()
        if followed:
{indented}
        else:
            exec(unseen)
        took[followed].append(time.perf_counter() - began)
        if not followed:
            panel.follower._pace.next += took[0][-1]
print(json.dumps(took))
"""
TURN = 0.1  # seconds


class Kernel:
    """A kernel of this Python, with a notebook's panel in it."""

    def __init__(self) -> None:
        self.manager, self.client = start_new_kernel()

    def run(self, code: str) -> str:
        """Runs a cell; what it printed."""
        said: list[str] = []

        def hear(message: dict) -> None:
            if message["msg_type"] == "stream":
                said.append(message["content"]["text"])

        reply = self.client.execute_interactive(code, output_hook=hear, timeout=600)["content"]
        if reply["status"] != "ok":
            raise RuntimeError("\n".join(reply["traceback"]))
        return "".join(said)

    def close(self) -> None:
        """Ends it."""
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def compare(kernel: Kernel, loss: str, turns: int) -> tuple[float, list[float]]:
    """The time with the panel by the time without: of all turns together, and of each."""

    def timed(rounds: int, turns: int) -> list[list[float]]:
        loop = LOOP.format(loss=loss)
        return json.loads(
            kernel.run(TURNS.format(rounds=rounds, turns=turns, loop=loop, indented=indent(loop, " " * 12)))
        )

    unseen, _ = timed(20, 10)
    unseen, followed = timed(max(5, round(20 * TURN / median(unseen))), turns)
    return sum(followed) / sum(unseen), [one / other for one, other in zip(followed, unseen, strict=True)]


def told(ratios: list[float]) -> str:
    low, _, high = quantiles(ratios, n=4, method="inclusive")
    return f"{median(ratios):.3f} [{low:.3f}-{high:.3f}]"


def main() -> None:
    parser = argparse.ArgumentParser(description="What the live panel costs a training loop.")
    parser.add_argument("--library", default="minigrad", help="minigrad or torch")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--turns", type=int, default=300, help=f"of {TURN} s, each way")
    parser.add_argument("--load", type=int, default=0, help="processes that compute meanwhile")
    options = parser.parse_args()
    busy = f", load average {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    busy += f", {options.load} busy processes"
    print(f"{options.library} on {options.device}, {os.cpu_count()} cores{busy}; with the panel / without:")
    with ExitStack() as ends:
        for _ in range(options.load):
            ends.callback(subprocess.Popen([sys.executable, "-c", "while True: pass"]).kill)
        for name, (setup, loss) in LOOPS.items():
            kernel = Kernel()
            ends.callback(kernel.close)
            kernel.run(SETUP.format(library=options.library, device=options.device) + setup)
            together, ratios = compare(kernel, loss, options.turns)
            print(f"{name}: {together:.3f}, turns {told(ratios)}", flush=True)


if __name__ == "__main__":
    main()
