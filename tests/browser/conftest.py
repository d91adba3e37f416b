"""A real browser, a real JupyterLab: started once for all tests of this folder, headless and on loopback.

- ``LIVE_KERNEL``: the Python whose kernel runs the notebooks (with another ipykernel, say); else this one.
- ``MINIGRAD_SCREENSHOTS``: a folder for pictures of what the tests see.
- ``LIVE_MINUTES``: how long the training loop runs; a few seconds if not given.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from tests.browsers import launch

from .lab import SECONDS, jupyterlab

SHOTS = os.environ.get("MINIGRAD_SCREENSHOTS")


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    playwright.expect.set_options(timeout=1000 * SECONDS)  # what is soon there on a machine that has nothing else to do
    with playwright.sync_playwright() as p:
        chromium = launch(p)
        yield chromium
        chromium.close()


@pytest.fixture
def shot():
    """Keeps a picture of a page or of a part of it."""

    def keep(what, name):
        if SHOTS:
            Path(SHOTS).mkdir(parents=True, exist_ok=True)
            what.screenshot(path=Path(SHOTS) / f"live-{name}.png")

    return keep


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """(address, folder of the notebooks) of a running JupyterLab."""
    pytest.importorskip("jupyterlab")
    folder = tmp_path_factory.mktemp("lab")
    with jupyterlab(folder, os.environ.get("LIVE_KERNEL", sys.executable)) as address:
        yield address, folder / "work"


# A cell's last lines: it runs until `go_on`, however slow the machine is.
UNTIL_GO_ON = """
import os
while not os.path.exists("go on"): time.sleep(0.05)
os.remove("go on")
"""


class Notebook:
    """A notebook open in JupyterLab, run through JupyterLab's own commands."""

    def __init__(self, lab, browser, name: str, cells: list[dict] | None = None, language: str = "en-US") -> None:
        address, self.folder = lab
        place = f"/lab/workspaces/{name}/tree/{name}.ipynb?"
        self.name, self.address = name, address.replace("/lab?", place)
        self.path = self.folder / f"{name}.ipynb"
        if cells is not None:
            self.save_as(cells)
        self.context = browser.new_context(viewport={"width": 1280, "height": 900}, locale=language)
        self.page = self.context.new_page()
        self.page.set_default_timeout(1000 * SECONDS)
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(error.stack or str(error)))
        self.open()

    def save_as(self, cells: list[dict]) -> None:
        spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        notebook = {"cells": cells, "metadata": {"kernelspec": spec}, "nbformat": 4, "nbformat_minor": 5}
        self.path.write_text(json.dumps(notebook), encoding="utf-8")

    def open(self) -> None:
        self.page.goto(self.address)
        self.page.wait_for_function(
            """name => {
                const panel = window.jupyterapp && [...jupyterapp.shell.widgets("main")]
                    .find(w => w.context && w.context.path === name);
                const kernel = panel && panel.sessionContext.session?.kernel;
                if (!panel?.content.model || kernel?.connectionStatus !== "connected") return false;
                window.panel = panel;
                return true;
            }""",
            arg=f"{self.name}.ipynb",
        )

    def write(self, code: str) -> None:
        """Writes the code into a new cell at the end."""
        self.page.evaluate(
            """source => {
                const { content } = panel, at = content.model.cells.length;
                jupyterapp.shell.activateById(panel.id);
                content.model.sharedModel.insertCell(at, { cell_type: "code", source });
                content.activeCellIndex = at;
                content.deselectAll();
            }""",
            code,
        )

    def run(self, code: str | None = None, wait: bool = True) -> None:
        """Runs the code in a new cell at the end, or the cell that was written last."""
        if code is not None:
            self.write(code)
        self.page.evaluate(
            """async wait => {
                const done = jupyterapp.commands.execute("notebook:run-cell");
                if (wait) await done;
            }""",
            wait,
        )

    def go_on(self) -> None:
        """Ends a cell that waits with `UNTIL_GO_ON`."""
        (self.folder / "go on").touch()
        self.idle()

    def say(self, code: str) -> str:
        """What the expression gives, as the cell prints it."""
        self.run(f"print({code})")
        return self.printed()

    def expect_to_say(self, code: str, text: str) -> None:
        """The kernel says this, now or when it has heard what the browser did."""
        until = time.monotonic() + SECONDS
        while (said := self.say(code)) != text:
            assert time.monotonic() < until, said
            self.page.wait_for_timeout(200)

    def printed(self) -> str:
        """What the last cell put out, as text."""
        return self.page.evaluate(
            """() => {
                const cells = panel.content.model.cells, outputs = cells.get(cells.length - 1).outputs.toJSON();
                return outputs.map(o => [o.text ?? o.traceback ?? ""].flat().join("")).join("").trim();
            }"""
        )

    def command(self, name: str, **arguments) -> None:
        self.page.evaluate("([name, args]) => jupyterapp.commands.execute(name, args)", [name, arguments])

    @property
    def panel(self):
        """The live panel."""
        return self.page.locator(".viz-live").first

    def idle(self, seconds: float = SECONDS) -> None:
        """Waits until no cell runs. (A kernel says that it is idle after a widget's message, too, which is answered
        while a cell runs.)"""
        self.page.wait_for_function(
            """() => panel.sessionContext.session.kernel.status === "idle" &&
                !panel.content.widgets.some(cell => cell.inputArea?.promptNode?.textContent.includes("*"))""",
            timeout=1000 * seconds,
        )

    def top(self) -> None:
        """Brings the panel's cell into sight."""
        self.page.evaluate("async () => { await panel.content.scrollToItem(1, 'start'); }")
        self.page.wait_for_timeout(150)


@pytest.fixture(scope="module")
def open_notebook(lab, browser):
    """Opens notebooks, and closes them when all tests are done."""
    opened: list[Notebook] = []

    def open_one(name, cells=(), **options):
        opened.append(Notebook(lab, browser, name, None if cells is None else list(cells), **options))
        return opened[-1]

    yield open_one
    for notebook in opened:
        notebook.context.close()
