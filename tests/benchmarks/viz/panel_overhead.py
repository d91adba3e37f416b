"""What the live panel costs a training loop: `python -m tests.benchmarks.viz.panel_overhead`.

One kernel runs the same loop by turns with the panel following and with the panel stopped; a ratio is taken within
each pair, where both met the same weather. Reported are the median of the ratios and their quartiles: of the time on
the wall, and of the time that the kernel computed, which other programs on the machine do not change. `--load 2` lets
two processes do nothing but work meanwhile. The target is 1.05.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from contextlib import ExitStack
from statistics import median, quantiles

from jupyter_client.manager import start_new_kernel

SETUP = """
import time, {library} as torch, viz
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
BLOCK = """
wall, computed = time.perf_counter(), time.process_time()
for _ in range({rounds}):
    loss = {loss}
    for p in model: p.grad = None
    loss.backward()
    with torch.no_grad():
        for p in model: p -= 0.01 * p.grad
print(time.perf_counter() - wall, time.process_time() - computed)
"""


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


def compare(kernel: Kernel, loss: str, pairs: int, seconds: float) -> tuple[list[float], list[float]]:
    """The ratios with the panel to without, of wall time and of computing time; a block takes about `seconds`."""

    def block(rounds: int, following: bool) -> list[float]:
        kernel.run("panel.start()" if following else "panel.stop()")
        return [float(n) for n in kernel.run(BLOCK.format(rounds=rounds, loss=loss)).split()]

    block(20, True)
    rounds = max(20, round(20 * seconds / block(20, False)[1]))
    wall, computed = [], []
    for turn in range(pairs):
        took = {following: block(rounds, following) for following in ((True, False) if turn % 2 else (False, True))}
        wall.append(took[True][0] / took[False][0])
        computed.append(took[True][1] / took[False][1])
    return wall, computed


def told(ratios: list[float]) -> str:
    low, _, high = quantiles(ratios, n=4, method="inclusive")
    return f"{median(ratios):.3f} [{low:.3f}-{high:.3f}]"


def main() -> None:
    parser = argparse.ArgumentParser(description="What the live panel costs a training loop.")
    parser.add_argument("--library", default="minigrad", help="minigrad or torch")
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=1.5, help="of one block")
    parser.add_argument("--load", type=int, default=0, help="processes that compute meanwhile")
    options = parser.parse_args()
    busy = f", load average {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"{options.library}, {os.cpu_count()} cores{busy}, {options.load} busy processes; with the panel / without:")
    with ExitStack() as ends:
        for _ in range(options.load):
            ends.callback(subprocess.Popen([sys.executable, "-c", "while True: pass"]).kill)
        for name, (setup, loss) in LOOPS.items():
            kernel = Kernel()
            ends.callback(kernel.close)
            kernel.run(SETUP.format(library=options.library) + setup)
            wall, computed = compare(kernel, loss, options.pairs, options.seconds)
            print(f"{name}: wall {told(wall)}, computing {told(computed)}", flush=True)


if __name__ == "__main__":
    main()
