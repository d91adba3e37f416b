"""JupyterLab's debugger in a notebook that the panel follows: who steps through a cell meets the program alone."""

import sys
import time
from pathlib import Path
from queue import Empty
from typing import Any

import pytest

from tests.interrupts import kernel

pytest.importorskip("jupyter_client.manager", reason="no Jupyter kernel to debug")
pytest.importorskip("debugpy", reason="what JupyterLab's debugger is made of")

FIRST = "import minigrad as torch, viz\nw = torch.tensor(3., requires_grad=True)\nz = w * 2\n{panel}"
BEFORE = "def derive(loss):\n    loss.backward()"  # with the panel's marks
CELL = """\
def double(a):
    return a * 2
x = w * 2
for i in range(2):
    y = double(x)
loss = y * y
loss.backward()
w.grad
"""


class Debugged:
    """A kernel and its debugger, as JupyterLab speaks with them."""

    def __init__(self, client: Any) -> None:
        self.client, self.asked, self.stops = client, 0, list[dict[str, Any]]()

    def ask(self, command: str, **arguments: Any) -> dict[str, Any]:
        self.asked += 1
        content = {"seq": self.asked, "type": "request", "command": command, "arguments": arguments}
        message = self.client.session.msg("debug_request", content)
        self.client.control_channel.send(message)
        while True:
            answer = self.client.get_control_msg(timeout=30)
            if answer["parent_header"].get("msg_id") == message["header"]["msg_id"]:
                return answer["content"].get("body", {})

    def stopped(self) -> int | None:
        """The thread that has stopped at a line; None where the cell has ended."""
        until = time.monotonic() + 30
        while time.monotonic() < until:
            try:
                told = self.client.get_iopub_msg(timeout=1)
            except Empty:
                continue
            content = told["content"]
            if told["msg_type"] == "debug_event" and content["event"] == "stopped":
                return content["body"]["threadId"]
            if content.get("execution_state") == "idle" and told["parent_header"].get("msg_id") == self.cell:
                return None
        raise TimeoutError("neither a stop nor an end")

    def begin(self) -> None:
        self.ask("initialize", clientID="test", adapterID="", pathFormat="path", linesStartAt1=True)
        self.ask("attach")

    def steps(self, kind: str, code: str, line: int, most: int) -> list[tuple[str, int]]:
        """(file, line) of where `most` steps of a `kind` lead, from that line of a cell."""
        self.begin()
        path = self.ask("dumpCell", code=code)["sourcePath"]
        self.ask("setBreakpoints", source={"path": path}, breakpoints=[{"line": line}], sourceModified=False)
        self.ask("configurationDone")
        self.cell = self.client.execute(code)
        found = []
        while len(found) < most and (thread := self.stopped()) is not None:
            frame = self.ask("stackTrace", threadId=thread)["stackFrames"][0]
            file = frame["source"]["path"]
            found.append(("cell" if file == path else Path(file).name, frame["line"]))
            self.ask(kind, threadId=thread)
        return found


@pytest.mark.parametrize(
    ("kind", "code", "line", "most"),
    [("next", CELL, 3, 30), ("stepIn", CELL, 3, 12), ("stepIn", "derive(z)\n", 1, 4)],
    ids=["over", "into", "into a pass"],
)
def test_a_debugger_steps_through_the_program_alone(kind: str, code: str, line: int, most: int) -> None:
    """Each line once, into no line of the panel's, also at the end of the cell."""
    found = []
    for panel in ("panel = viz.live()", ""):
        with kernel() as (_, client):
            for cell in (FIRST.format(panel=panel), BEFORE):
                client.execute_interactive(cell, timeout=60, output_hook=lambda message: None)
            found.append(Debugged(client).steps(kind, code, line, most))
    with_panel, alone = found
    assert with_panel == alone
    assert alone[0] == ("cell", line)
    assert len(alone) == most or len(alone) > 8
    assert kind == "stepIn" or {file for file, _ in alone} == {"cell"}


@pytest.mark.skipif(sys.platform == "win32", reason="there debugpy reads the whole command as one text")
def test_a_panel_that_opens_under_a_debugger_draws() -> None:
    """Graphviz has a process of its own, which is no part of the program that is debugged."""
    with kernel() as (_, client):
        debugged = Debugged(client)
        debugged.begin()
        debugged.ask("configurationDone")
        opened = FIRST.format(panel="panel = viz.live()")
        told = client.execute_interactive(
            opened, timeout=60, user_expressions={"drawn": "bool(panel.scene['svg'])"}, output_hook=lambda message: None
        )
    assert told["content"]["user_expressions"]["drawn"]["data"]["text/plain"] == "True"
