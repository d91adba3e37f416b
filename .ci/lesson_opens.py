"""Run a command that opens Lesson 1: JupyterLab must answer, with that lesson, and its cells must run in it.

Usage: python3 .ci/lesson_opens.py "COMMAND"   (standard library only; a process group of its own, ended here)

The command starts JupyterLab (`…/jupyter lab` or `…/minigrad lab`; it may install first) and opens a browser; only
the browser is left out. What a reader would then do by hand is done over JupyterLab's own doors: its page is
fetched, a kernel is started through its REST interface as a notebook tab does, and every code cell of the notebook
that it opened runs there, in order.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

LESSON = "01_first_gradient.ipynb"
MINUTES_TO_ANSWER = 10
SECONDS_PER_CELL = 60


def main(command: str) -> None:
    """Start the command, wait for JupyterLab, run the lesson in it, end it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as runtime:
        environment = os.environ | {
            "JUPYTER_RUNTIME_DIR": runtime,
            "BROWSER": "true",  # a program that does nothing
            "PYTHONUNBUFFERED": "1",
            "PYTHONUTF8": "1",  # what we print is UTF-8 in every pipe, on Windows too
        }
        log = Path(runtime, "lab.log")
        with log.open("wb") as output:
            lab = subprocess.Popen(
                command,
                shell=True,  # as it is typed: sh, and on Windows cmd
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            server = wait_for_server(lab, Path(runtime), log)
            path = opened(Path(runtime))
            assert path.endswith(LESSON), f"JupyterLab opened {path}, not {LESSON}"
            page = ask(server, f"lab/tree/{path}").decode()
            assert "jupyter-config-data" in page, f"JupyterLab's page for {path} is not JupyterLab"
            session = json.loads(
                ask(
                    server,
                    "api/sessions",
                    {"path": path, "name": path, "type": "notebook", "kernel": {"name": "python3"}},
                )
            )
            connection = Path(runtime, f"kernel-{session['kernel']['id']}.json")
            venv_python = re.search(r"(\S+[/\\])(?:jupyter|minigrad) lab", command).group(1) + "python"
            notebook = Path(server["root_dir"], path)
            subprocess.run([venv_python, __file__, "--cells", str(notebook), str(connection)], check=True)
        except BaseException:
            print(log.read_text(encoding="utf-8", errors="replace")[-8000:], file=sys.stderr)
            raise
        finally:
            end(lab)


def end(lab: subprocess.Popen) -> None:
    """End the command and all that it has started."""
    if os.name == "nt":
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(lab.pid)], capture_output=True, check=False)
        lab.wait()
        return
    with contextlib.suppress(ProcessLookupError):
        os.killpg(lab.pid, signal.SIGTERM)
    try:
        lab.wait(15)
    except subprocess.TimeoutExpired:
        os.killpg(lab.pid, signal.SIGKILL)


def wait_for_server(lab: subprocess.Popen, runtime: Path, log: Path) -> dict:
    """The running server's own description: url, token, root_dir."""
    until = time.monotonic() + 60 * MINUTES_TO_ANSWER
    while time.monotonic() < until:
        if lab.poll() is not None:
            raise SystemExit(f"the command ended by itself, with status {lab.returncode}")
        for description in runtime.glob("jpserver-*.json"):
            with contextlib.suppress(OSError, ValueError):
                server = json.loads(description.read_text(encoding="utf-8"))
                ask(server, "api/status")
                return server
        time.sleep(0.5)
    raise SystemExit(f"JupyterLab did not answer within {MINUTES_TO_ANSWER} minutes")


def opened(runtime: Path) -> str:
    """The notebook that the browser is sent to, as a path below the server's folder."""
    page = max(runtime.glob("jpserver-*-open.html"))  # `jupyter lab FILE` adds jpserver-file-to-run-…
    address = re.search(r'href="([^"]+)"', page.read_text(encoding="utf-8")).group(1)
    return urllib.parse.unquote(urllib.parse.urlsplit(address).path).partition("/lab/tree/")[2]


def ask(server: dict, path: str, body: dict | None = None) -> bytes:
    """GET, or POST where there is a body, with the server's token."""
    request = urllib.request.Request(
        f"{server['url']}{path}",
        data=json.dumps(body).encode() if body is not None else None,
        headers={"Authorization": f"token {server['token']}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.read()


def run_cells(notebook: str, connection: str) -> None:
    """In the lesson's own environment: every code cell runs in JupyterLab's kernel, and none fails."""
    from jupyter_client import BlockingKernelClient

    client = BlockingKernelClient(connection_file=connection)
    client.load_connection_file()
    client.start_channels(hb=False)  # without a heartbeat: one that is a second late is none, on a busy machine too
    client.wait_for_ready(timeout=2 * SECONDS_PER_CELL)
    cells = json.loads(Path(notebook).read_text(encoding="utf-8"))["cells"]
    ran = 0
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        source = "".join(cell["source"])
        reply = client.execute_interactive(source, timeout=SECONDS_PER_CELL, output_hook=lambda message: None)
        expected_to_fail = "raises-exception" in cell["metadata"].get("tags", [])
        if reply["content"]["status"] != "ok" and not expected_to_fail:
            raise SystemExit("\n".join([f"a cell of {notebook} fails:", source, *reply["content"]["traceback"]]))
        ran += 1
    assert ran, f"{notebook} has no code cells"
    print(f"JupyterLab answers, and the {ran} code cells of {Path(*Path(notebook).parts[-3:])} run in it")


if __name__ == "__main__":
    if sys.argv[1] == "--cells":
        run_cells(*sys.argv[2:])
    else:
        main(sys.argv[1])
