"""From a cell to pixels, part by part: `python -m tests.benchmarks.viz.cell_to_pixels`.

A learner has a graph of 100 operations on the panel and runs a cell that adds one. What then passes: the kernel reads
the graph, folds it, lays it out, and paints and packs the scene; the page unpacks it, makes it a part of the page,
styles and paints it. And a step of a recorded pass through 500 nodes. The targets on a quiet machine: 100 ms from the
cell to pixels, 16 ms a step.

The kernel's parts and the page's are told by the clock, in the median of the rounds and, beside it, the least, which a
busy machine changes little; and by what this process and the page compute in all, which other programs do not add to
(Graphviz computes in a process of its own). What is between them, the kernel's messages and JupyterLab, is told with
`--whole`: from the end of the cell's last operation to the first frame in which it is drawn; on a quiet machine only.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import minigrad as torch
import viz
from viz.notebook.scene import Scenes
from viz.picture.fold import View

Times = dict[str, list[float]]  # milliseconds, of each part in every round
COMPUTED = "all that it computes"

# What the page does, in milliseconds by the clock: part by part, until a frame is there.
BEGUN = """async i => {
    const clock = [performance.now()], tick = () => clock.push(performance.now());
"""
PAINTED = """
    tick();
    document.querySelector("svg.viz").getBoundingClientRect();
    tick();
    await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
    tick();
    return clock.slice(1).map((at, i) => at - clock[i]);
}"""
SHOWN = f'{BEGUN}const scene = JSON.parse(messages[i]); tick(); models[0].set("scene", scene);{PAINTED}'
STEPPED = f'{BEGUN}models[0].set("step", i);{PAINTED}'
WATCH = """() => {
    window.painted = [];
    const note = () => painted.push((performance.timeOrigin + performance.now()) / 1000);
    window.watching = new MutationObserver(() => requestAnimationFrame(() => setTimeout(note)));
    watching.observe(document.querySelector(".viz-live .vl-canvas"), { childList: true });
}"""


class Timed(Scenes):
    """Scenes whose parts are timed."""

    def __init__(self, times: Times) -> None:
        super().__init__(View(fold=False, max_nodes=5000))
        self.times = times
        self._laid_out: Callable[..., Any] = self._timed("laid out", self._laid_out)

    def _timed(self, part: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def working(*given: Any) -> Any:
            with self.part(part):
                return work(*given)

        return working

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.times[name][-1] += 1000 * (time.perf_counter() - began)

    def _shown(self, *graph: Any) -> Any:
        with self.part("folded"):
            return super()._shown(*graph)

    def packed(self, named: list[tuple[str, Any]]) -> str:
        """The scene of these names, as the message that the page gets."""
        for part in ("read", "folded", "laid out", "painted as SVG", "packed"):
            self.times[part].append(0.0)
        began = time.process_time()
        with self.part("read"):
            read = self.read(named, cell=1)
        with self.part("painted as SVG"):
            scene = self.scene(read)
        with self.part("packed"):
            message = json.dumps(scene)
        self.times["painted as SVG"][-1] -= self.times["folded"][-1] + self.times["laid out"][-1]
        self.times[COMPUTED].append(1000 * (time.process_time() - began))
        return message


def chain(size: int) -> tuple[Any, Any]:
    """A leaf, and the result of so many operations on it."""
    w = result = torch.tensor([0.5, 0.25], requires_grad=True)
    for i in range(size):
        result = result * w if i % 2 else result.sin()
    return w, result


def kernel(size: int, rounds: int) -> tuple[Times, list[str]]:
    """What the kernel computes, cell by cell, and its messages."""
    times: Times = defaultdict(list)
    scenes, messages = Timed(times), []
    w, result = chain(size)
    for _ in range(rounds):
        result = result.sin()
        messages.append(scenes.packed([("w", w), ("result", result)]))
    return times, messages


def recorded(size: int) -> dict[str, Any]:
    """The state of a panel after a pass through so many nodes."""
    w, result = chain(size)
    loss = result.sum()
    with viz.record(loss) as run:
        loss.backward()
    scenes = Scenes(View(fold=False, max_nodes=5000))
    read = scenes.read([("w", w), ("loss", loss)], run, cell=1, call="loss.backward()")
    return {"scene": scenes.scene(read), "trace": scenes.trace(run, read)(), "losses": []}


class Page:
    """A page with a panel, whose processor time can be read."""

    def __init__(self, chromium: Any, state: dict[str, Any]) -> None:
        from tests.browsers import panels

        self.page = chromium.new_page(viewport={"width": 1280, "height": 900})
        given = {"view": "live", "step": 0, "speed": 4, "language": "en", "following": True, "height": 0, **state}
        self.page.set_content(panels([given]))
        self.page.locator(".viz-live").wait_for()
        self.page.wait_for_timeout(1000)
        self._session = self.page.context.new_cdp_session(self.page)
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def does(self, expression: str, given: int, parts: tuple[str, ...], times: Times) -> None:
        """Adds how long the page takes to do this, part by part, and what it computes for it."""
        before = self._computed()
        for part, took in zip(parts, self.page.evaluate(expression, given), strict=True):
            times[part].append(took)
        times[COMPUTED].append(1000 * (self._computed() - before))

    def _computed(self) -> float:
        metrics = self._session.send("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")


def shown(chromium: Any, messages: list[str]) -> Times:
    """How long the page takes to show each of the scenes."""
    times: Times = defaultdict(list)
    page = Page(chromium, {"scene": json.loads(messages[0]), "trace": None, "losses": []})
    page.page.evaluate("messages => { window.messages = messages; }", messages)
    for i in range(1, len(messages)):
        page.does(
            SHOWN,
            i,
            ("unpacked", "made a part of the page", "styled and laid out", "painted, by the next frame"),
            times,
        )
        page.page.wait_for_timeout(450)  # what comes sooner does not travel
    return times


def stepped(chromium: Any, size: int, rounds: int) -> Times:
    """How long the page takes for a step of a pass."""
    state = recorded(size)
    times: Times = defaultdict(list)
    page, middle = Page(chromium, {**state, "view": "pass"}), len(state["trace"]["steps"]) // 2
    for i in range(rounds + 1):
        page.does(
            STEPPED,
            middle + i,
            ("painted over the picture", "styled and laid out", "painted, by the next frame"),
            times,
        )
    return {part: took[1:] for part, took in times.items()}  # the first came from afar


def whole(notebook: Any, size: int, rounds: int) -> list[float]:
    """Seconds from the end of a cell's operation to the frame that shows it, in a notebook with a panel."""
    page, took = notebook.page, []
    notebook.run("panel.follower.scenes.view = viz.picture.fold.View(fold=False, max_nodes=2000)")
    notebook.run(f"a = torch.tensor(1., requires_grad=True)\nfor _ in range({size - 4}): a = a.sin()")
    page.evaluate(WATCH)
    for _ in range(rounds):
        notebook.write("a = a.sin(); done = time.time()")  # the cell that a learner runs is there already
        page.wait_for_timeout(900 + 8 * size)  # the panel rests some times as long as its last picture took
        page.evaluate("() => { painted.length = 0; }")
        notebook.run(wait=False)
        page.wait_for_timeout(400 + 2 * size)  # nobody asks the page anything meanwhile
        page.wait_for_function("() => painted.length > 0")
        took.append(page.evaluate("() => painted[0]") - float(notebook.say("done")))
    page.evaluate("() => watching.disconnect()")
    return took


@contextmanager
def following(chromium: Any) -> Iterator[Any]:
    """A notebook with a panel in it, in a JupyterLab of its own."""
    from tests.browser.conftest import Notebook
    from tests.browser.lab import jupyterlab

    with tempfile.TemporaryDirectory() as folder, jupyterlab(Path(folder)) as address:
        notebook = Notebook((address, Path(folder) / "work"), chromium, "latency", [])
        notebook.run("import time, minigrad as torch, viz\npanel = viz.live()")
        notebook.panel.wait_for()
        yield notebook


def tell(title: str, times: Times) -> None:
    """Prints each part, and their sum."""
    print(f"\n{title}")
    rows = {part: (statistics.median(took), min(took)) for part, took in times.items()}
    clocked = [row for part, row in rows.items() if part != COMPUTED]
    computed = rows.pop(COMPUTED)
    for part, (median, least) in {**rows, "together": tuple(map(sum, zip(*clocked))), COMPUTED: computed}.items():
        print(f"  {part:<28}{median:8.1f} ms   least{least:7.1f} ms", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="From a cell to pixels, part by part.")
    parser.add_argument("--nodes", type=int, default=100, help="of the graph that a cell adds to")
    parser.add_argument("--steps", type=int, default=500, help="nodes of the pass that is stepped through")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--whole", action="store_true", help="in JupyterLab, too, by the clock")
    options = parser.parse_args()

    from playwright.sync_api import sync_playwright

    from tests.browsers import launch

    busy = f", load average {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"{os.cpu_count()} cores{busy}; the median of {options.rounds} rounds:")
    times, messages = kernel(options.nodes, options.rounds + 1)
    tell(f"the kernel, {options.nodes} nodes (the message: {len(messages[-1]) / 1000:.0f} kB)", times)
    with ExitStack() as ends:
        chromium = launch(ends.enter_context(sync_playwright()))
        ends.callback(chromium.close)
        tell(f"the page, {options.nodes} nodes", shown(chromium, messages))
        tell(
            f"the page, a step of a pass through {options.steps} nodes",
            stepped(chromium, options.steps, options.rounds),
        )
        if options.whole:
            notebook = ends.enter_context(following(chromium))
            took = [1000 * seconds for seconds in whole(notebook, options.nodes, options.rounds)]
            print(f"\nfrom the cell to pixels in JupyterLab, by the clock: {statistics.median(took):.0f} ms", end=", ")
            print(f"least {min(took):.0f}, worst {max(took):.0f}")


if __name__ == "__main__":
    main()
