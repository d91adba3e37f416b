"""JupyterLab with the lessons in it, as Binder opens them, and a tab in which one is opened and run."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from minigrad_lessons.command import extensions
from minigrad_lessons.copies import PACKAGE, copy_lessons

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60  # to start, to run a lesson: for a busy machine


@contextmanager
def jupyterlab(folder: Path, kernel: str = sys.executable) -> Iterator[str]:
    """The address of a JupyterLab that serves a copy of the lessons on loopback, and touches nobody's settings;
    `kernel` is the Python that runs the notebooks. They have their outputs, as those of a clone have."""
    for copied in copy_lessons(folder / "work").new:
        if copied.suffix == ".ipynb":
            shutil.copy(PACKAGE / copied.relative_to(folder / "work" / "lessons"), copied)
    argv = [kernel, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = folder / "first" / "kernels" / "python3" / "kernel.json"
    spec.parent.mkdir(parents=True)
    spec.write_text(json.dumps({"argv": argv, "display_name": "Python 3", "language": "python"}), encoding="utf-8")
    settings = folder / "config" / "labconfig" / "default_setting_overrides.json"
    settings.parent.mkdir(parents=True)
    quiet = {"fetchNews": "false", "checkForUpdates": False}
    settings.write_text(json.dumps({"@jupyterlab/apputils-extension:notification": quiet}), encoding="utf-8")
    places = {
        "JUPYTER_PATH": "first",
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_CONFIG_PATH": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "IPYTHONDIR": "ipython",
    }
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MINIGRAD_")}
    environment |= {name: str(folder / place) for name, place in places.items()} | {"PYTHONPATH": str(ROOT)}
    options = [
        "--allow-root",
        "--no-browser",
        "--ServerApp.ip=127.0.0.1",
        "--ServerApp.port=0",
        f"--ServerApp.root_dir={folder / 'work'}",
        "--LabApp.expose_app_in_browser=True",
        f"--LabApp.extra_labextensions_path={extensions()}",
    ]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            yield _address(server, folder)
        finally:
            server.send_signal(signal.SIGTERM)  # JupyterLab ends its kernels, too
            try:
                server.wait(15)
            except subprocess.TimeoutExpired:
                server.kill()


def _address(server: subprocess.Popen, folder: Path) -> str:
    until = time.monotonic() + SECONDS
    while time.monotonic() < until and server.poll() is None:
        for description in (folder / "runtime").glob("jpserver-*.json"):
            try:
                said = json.loads(description.read_text(encoding="utf-8"))
            except ValueError:  # half written
                continue
            return f"{said['url']}lab?token={said['token']}"
        time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start:\n{(folder / 'log').read_text(encoding='utf-8')}")


# The shown notebook's code cells: whether each has run, how it is tagged, what it put out.
CELLS = """() => shown.content.widgets.filter(cell => cell.model.type === "code").map(cell => ({
    source: cell.model.sharedModel.getSource(),
    count: cell.model.executionCount,
    tags: cell.model.getMetadata("tags") || [],
    outputs: cell.model.outputs.toJSON(),
}))"""


def change_theme(page: Any, name: str) -> None:
    """To ``Light`` or ``Dark``, until JupyterLab's splash is away: it fails to take that away twice."""
    page.evaluate("name => jupyterapp.commands.execute('apputils:change-theme', {theme: `JupyterLab ${name}`})", name)
    page.wait_for_function(
        """light => document.body.dataset.jpThemeLight === light && !document.getElementById("jupyterlab-splash")""",
        arg=str(name == "Light").lower(),
    )


class Tab:
    """One browser tab with JupyterLab in it, that shows one notebook at a time."""

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self._devtools = page.context.new_cdp_session(page)
        self._devtools.send("Performance.enable")
        page.set_default_timeout(1000 * SECONDS)
        page.goto(address)
        page.wait_for_function("window.jupyterapp")
        page.evaluate("jupyterapp.restored.then(() => jupyterapp.shell.collapseLeft())")

    def work(self) -> float:
        """The processor time, in seconds, that the page has taken up to now."""
        metrics = self._devtools.send("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "ProcessTime")

    def open(self, path: str) -> tuple[float, float]:
        """Open a notebook; return the seconds until its text and the pictures in sight are there: by the clock, and
        of the page's work, which other programs do not add to."""
        started, before = time.perf_counter(), self.work()
        self.page.evaluate(
            """async path => {
                window.shown = await jupyterapp.commands.execute("docmanager:open", {path, factory: "Notebook"});
                await shown.revealed;
            }""",
            path,
        )
        self.page.wait_for_function(
            """shown.node.querySelector(".jp-RenderedMarkdown h1") &&
               [...shown.node.querySelectorAll("img")].every(image => image.complete && image.naturalWidth)"""
        )
        seconds, work = time.perf_counter() - started, self.work() - before
        self.page.evaluate("shown.context.sessionContext.ready")
        return seconds, work

    def run_all(self) -> list[dict]:
        """What *Run All Cells* does; return the code cells when each of them has run.

        The command itself answers when the first cell has failed, though the kernel goes on after those that may.
        """
        self.page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells').then(() => null)")
        self.page.wait_for_function(
            """shown.content.widgets.every(cell => cell.model.type !== "code" || cell.model.executionCount &&
                   !cell.inputArea?.promptNode?.textContent.includes("*")) &&
               shown.context.sessionContext.session.kernel.status === "idle" """
        )
        return self.page.evaluate(CELLS)

    def cell(self, title: str) -> Any:
        """The cell with this title, scrolled into sight: a locator."""
        number = self.page.evaluate(
            """async title => {
                const number = shown.content.widgets.findIndex(cell => cell.model.getMetadata("title") === title);
                shown.content.activeCellIndex = number;
                await shown.content.scrollToItem(number, "start");
                return number;
            }""",
            title,
        )
        return self.page.locator(f'.jp-Notebook-cell[data-windowed-list-index="{number}"]:visible')

    def close(self) -> None:
        """End the notebook's kernel and close it, unsaved."""
        self.page.evaluate("shown.context.sessionContext.shutdown().then(() => shown.dispose())")
