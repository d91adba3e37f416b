"""`minigrad lab` as it is typed in a terminal: what it prints can be clicked, and one Ctrl+C ends it."""

import contextlib
import html
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from minigrad_lessons import command
from minigrad_lessons.language import LANGUAGES
from tests.browsers import launch, needs_chromium

pytest.importorskip("jupyterlab")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="its terminals are others, and Ctrl+C is no signal there"),
]
SECONDS = 60  # for a busy machine
ADDRESS = re.compile(r"http://\S+\?token=\w+")
BROWSER = "import sys; open({seen!r}, 'w').write(sys.argv[1])"  # what it is asked to open
# The shown notebook once its kernel has answered: that is when JupyterLab writes down which kernel it is.
SHOWN = """async () => {
    const panel = jupyterapp.shell.currentWidget;
    await panel.sessionContext.ready;
    await panel.sessionContext.session.kernel.info;
    await new Promise(done => setTimeout(done, 2000));
    const cells = panel.content.widgets.filter(cell => cell.model.type === "code").map(cell => cell.model);
    return {
        path: panel.context.path,
        changed: panel.context.model.dirty,
        cells: cells.length,
        ran: cells.filter(cell => cell.executionCount || cell.outputs.length).length,
    };
}"""


class Lab:
    """A running `minigrad lab`, and what it has printed on its terminal."""

    def __init__(self, process: subprocess.Popen, terminal: int, folder: Path) -> None:
        self.process, self.folder, self._printed = process, folder, bytearray()
        self._reader = threading.Thread(target=self._read, args=[terminal], daemon=True)
        self._reader.start()

    def _read(self, terminal: int) -> None:
        with contextlib.suppress(OSError):  # Linux' way to say that nobody writes any more
            while more := os.read(terminal, 4096):
                self._printed += more

    @property
    def printed(self) -> str:
        return self._printed.decode(errors="replace")

    def reads_to_its_end(self) -> None:
        self._reader.join(SECONDS)

    def wait_for(self, what: str, found: Callable[[], Any]) -> Any:
        until = time.monotonic() + SECONDS
        while time.monotonic() < until and self.process.poll() is None:
            if it := found():
                return it
            time.sleep(0.1)
        raise AssertionError(f"no {what}:\n{self.printed}")

    def addresses(self) -> list[str]:
        """Those that it prints: that of the file that sends a browser on, then the same for the reader's own."""
        self.wait_for("address", lambda: ADDRESS.search(self.printed))
        return ADDRESS.findall(self.printed)


@pytest.fixture
def lab(tmp_path) -> Iterator[Callable[..., Lab]]:
    """Types `minigrad lab` with these options in a terminal. It touches nobody's settings."""
    pty = pytest.importorskip("pty")
    script = tmp_path / "browser.py"
    script.write_text(BROWSER.format(seen=str(tmp_path / "asked")), encoding="utf-8")
    places = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    environment = os.environ | {name: str(tmp_path / name.lower()) for name in places}
    environment |= {
        "PYTHONPATH": str(command.PACKAGE.parent),
        "BROWSER": f"{shlex.quote(sys.executable)} {shlex.quote(str(script))} %s",
    }
    with contextlib.ExitStack() as ends:

        def typed(*options: str) -> Lab:
            terminal, theirs = pty.openpty()
            ends.callback(os.close, terminal)
            command = [
                sys.executable,
                "-m",
                "minigrad_lessons.command",
                "lab",
                "--dir",
                str(tmp_path / "work"),
                "--port=0",
            ]
            process = subprocess.Popen(
                [*command, *options],
                env=environment, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
            )  # fmt: skip
            ends.callback(stop, process)
            os.close(theirs)
            return Lab(process, terminal, tmp_path)

        yield typed


def stop(process: subprocess.Popen) -> None:
    """End it with its kernels, if it has not ended by itself."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def answer(address: str) -> bytes:
    """JupyterLab's page at an address that it has printed; empty as long as it does not listen yet."""
    try:
        with urllib.request.urlopen(address, timeout=SECONDS) as page:
            return page.read()
    except urllib.error.URLError:
        return b""


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_it_prints_and_what_the_browser_is_sent_to_is_the_lesson_and_one_ctrl_c_ends_it(lab, lang):
    typed = lab("--lang", lang)
    wanted = f"/lab/tree/lessons/{lang}/01_first_gradient.ipynb?token="
    for address in typed.addresses():
        assert wanted in address
    assert b"jupyter-config-data" in typed.wait_for("answer", lambda: answer(typed.addresses()[0]))
    asked = typed.folder / "asked"
    page = typed.wait_for("browser", lambda: asked.exists() and asked.read_text(encoding="utf-8"))
    text = Path(urllib.request.url2pathname(urllib.parse.urlsplit(page).path)).read_text(encoding="utf-8")
    assert wanted in html.unescape(text)
    assert "Ctrl+C" in typed.printed
    os.killpg(typed.process.pid, signal.SIGINT)  # as a terminal does at Ctrl+C
    try:
        assert typed.process.wait(SECONDS) == 0
    except subprocess.TimeoutExpired:
        pytest.fail(f"one Ctrl+C did not end it:\n{typed.printed}")
    assert "Traceback" not in typed.printed
    assert "[n]" not in typed.printed, "it has asked back"


@pytest.mark.browser
@needs_chromium[1]
def test_without_a_browser_the_printed_address_opens_the_lesson_with_no_answers_and_no_change(lab):
    """As over SSH: whoever clicks the address stands in Lesson 1, and may close it again without being asked."""
    playwright = pytest.importorskip("playwright.sync_api")
    typed = lab("--lang", "en", "--no-browser", "--LabApp.expose_app_in_browser=True")
    address = typed.addresses()[-1]
    with playwright.sync_playwright() as p:
        browser = launch(p)
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.goto(address)
        page.wait_for_function(
            "() => window.jupyterapp?.shell.currentWidget?.context?.path.endsWith('.ipynb')", timeout=1000 * SECONDS
        )
        shown = page.evaluate(SHOWN)
        page.wait_for_function("document.querySelector('.jp-NotebookPanel h1')?.innerText.includes('First gradient')")
        assert page.locator(".jp-NotebookPanel .jp-OutputArea-output").count() == 0
        browser.close()
    assert shown.pop("cells") > 5
    assert shown == {"path": "lessons/en/01_first_gradient.ipynb", "changed": False, "ran": 0}


def test_it_prints_where_the_lessons_are_the_address_and_how_to_stop_and_no_log(lab):
    """Each kernel that starts, and each page that is not there, was a warning."""
    typed = lab("--lang", "en", "--no-browser")
    address = typed.addresses()[-1]
    typed.wait_for("server", lambda: answer(address))
    server, token = re.fullmatch(r"(http://[^/]+)/.*token=(\w+)", address).groups()
    ask = urllib.request.Request(f"{server}/api/kernels", b"{}", {"Authorization": f"token {token}"})
    assert urllib.request.urlopen(ask, timeout=SECONDS).status == 201
    time.sleep(5)  # until the kernel has said what it says
    said = typed.printed
    assert str(typed.folder / "work") in said
    assert "Ctrl+C ends it" in said
    assert re.findall(r"\[[IWD] |WARNING|Skipped|extension", said) == []


def test_what_fails_is_still_said(lab):
    typed = lab("--lang", "en", "--no-browser", "--port=7")  # which the fixture has given already
    assert typed.process.wait(SECONDS) != 0
    typed.reads_to_its_end()
    assert "got 2" in typed.printed


def test_the_whole_log_can_be_had(lab):
    typed = lab("--lang", "en", "--no-browser", "--log-level=INFO")
    typed.addresses()
    assert re.search(r"\[I .*ServerApp\]", typed.printed)
