"""A class on one JupyterHub, really: `python -m tests.hub`.

A hub is started in a folder of its own; ten users log in, each gets a server, and the lessons by the file that stands
in docs/hub.md, opens Lesson 1 with the live panel and runs it, at the same moment. One then restarts their kernel, one
fills their disk. `minigrad report` reads their homes. Printed is what each learner took in memory (proportional set
size, so that shared pages count once) and in processor time, at rest and at work. Anything that does not hold ends the
program with the reason. All run under one account of the system: that one cannot read the other's files is the hub's
own matter, and not tried here. Linux only.

Needed beside `[lab]`, in the same environment: `pip install jupyterhub`, and its proxy, from npm: `npm install
configurable-http-proxy` (`--proxy` says where the program is). As root the full disk is a small one of its own; else
that step is left out, and said to be.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import datetime
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from minigrad_lessons import progress, teaching

LESSON = "01_first_gradient"
SECONDS = 120  # for a server to start, for a cell to run
TOKEN = secrets.token_hex(16)
CONFIG = """
import os, sys
c = get_config()
c.JupyterHub.bind_url = "http://127.0.0.1:{port}"
c.JupyterHub.hub_port = {hub_port}
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{api_port}"
c.ConfigurableHTTPProxy.command = [{proxy!r}]
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = {homes!r} + "/{{username}}"
c.Spawner.cmd = [sys.executable, "-m", "jupyterhub.singleuser"]
c.Spawner.args = ["--allow-root"] if os.geteuid() == 0 else []
c.Spawner.environment = {{
    "PYTHONPATH": os.environ.get("PYTHONPATH", ""), "PATH": os.environ["PATH"], "JUPYTER_CONFIG_PATH": {config!r}
}}
c.Spawner.start_timeout = c.Spawner.http_timeout = {seconds}
c.JupyterHub.concurrent_spawn_limit = 0
c.JupyterHub.services = [{{"name": "class", "api_token": {token!r}}}]
c.JupyterHub.load_roles = [{{
    "name": "class", "services": ["class"], "scopes": ["admin:users", "admin:servers", "access:servers"]
}}]
"""


def main() -> None:
    """Read the options and hold the class."""
    parser = argparse.ArgumentParser(prog="python -m tests.hub", description=__doc__.partition("\n")[0])
    parser.add_argument("--users", type=int, default=10)
    parser.add_argument(
        "--publish", action="store_true", help="put what is printed into docs/hub.md and docs/hub.zh.md"
    )
    parser.add_argument("--proxy", default="configurable-http-proxy", help="the program of that name")
    options = parser.parse_args()
    try:
        import jupyterhub
        import requests  # noqa: F401
        import websocket  # noqa: F401
    except ImportError as error:
        sys.exit(f"{error}: pip install jupyterhub")
    proxy = shutil.which(options.proxy)
    if proxy is None:
        sys.exit(f"There is no {options.proxy}: npm install configurable-http-proxy, and --proxy says where it is.")
    users = [f"learner{number:02}" for number in range(options.users)]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, small_disk(Path(folder), users) as full:
        hub = Hub(Path(folder), str(Path(proxy).absolute()))
        say(f"JupyterHub {jupyterhub.__version__}, {os.cpu_count()} cores, {len(users)} users, {datetime.date.today()}")
        with hub.running():
            hold(hub, users, full)
    if options.publish:
        publish()


SAID: list[str] = []


def say(line: str) -> None:
    """Print a line, and keep it."""
    print(line, flush=True)
    SAID.append(line)


def publish() -> None:
    """Put what was said where the pages have it."""
    said = "\n".join(["<!-- measured -->", "```text", *SAID, "```", "<!-- /measured -->"])
    for name in ("hub.md", "hub.zh.md"):
        page = Path(__file__).parents[1] / "docs" / name
        before, _, rest = page.read_text(encoding="utf-8").partition("<!-- measured -->")
        page.write_text(before + said + rest.partition("<!-- /measured -->")[2], encoding="utf-8")


@contextlib.contextmanager
def small_disk(folder: Path, users: list[str]) -> Iterator[str | None]:
    """The last user's home is a disk of its own, of 24 MB, where this process may mount one."""
    homes = folder / "homes"
    for user in users:
        (homes / user).mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(homes / users[-1])]
    mounted = os.geteuid() == 0 and subprocess.run(mount, capture_output=True, check=False).returncode == 0
    try:
        yield users[-1] if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(homes / users[-1])], check=False)


def free_port() -> int:
    """One that nobody listens at."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


@dataclass
class Hub:
    """A JupyterHub in a folder of its own."""

    folder: Path
    proxy: str
    port: int = field(default_factory=free_port)

    @property
    def homes(self) -> Path:
        return self.folder / "homes"

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Start it, wait until it answers; end it, with its proxy and the users' servers."""
        page = (Path(__file__).parents[1] / "docs" / "hub.md").read_text(encoding="utf-8")
        (lessons,) = re.findall(r"<!-- jupyter_server_config.py -->\n```python\n(.*?)```", page, re.DOTALL)
        (self.folder / "jupyter_server_config.py").write_text(lessons, encoding="utf-8")
        names = {"port": self.port, "hub_port": free_port(), "api_port": free_port(), "proxy": self.proxy}
        config = self.folder / "jupyterhub_config.py"
        config.write_text(
            CONFIG.format(**names, homes=str(self.homes), config=str(self.folder), seconds=SECONDS, token=TOKEN)
        )
        log = (self.folder / "hub.log").open("wb")
        environment = os.environ | {"CONFIGPROXY_AUTH_TOKEN": secrets.token_hex(16)}
        command = [sys.executable, "-m", "jupyterhub", "-f", str(config)]
        self.process = subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log, env=environment)
        try:
            wait(lambda: self.ask("GET", "hub/api/").ok, "the hub answers")
            yield
        except BaseException:
            print((self.folder / "hub.log").read_text(errors="replace")[-6000:], file=sys.stderr)
            raise
        finally:
            self.process.terminate()
            self.process.wait(60)
            log.close()

    def ask(self, method: str, path: str, **more: Any) -> Any:
        """A request with the class's token."""
        import requests

        headers = {"Authorization": f"token {TOKEN}"}
        return requests.request(
            method, f"http://127.0.0.1:{self.port}/{path}", headers=headers, timeout=SECONDS, **more
        )


def wait(holds: Any, what: str) -> None:
    """Until something holds; SystemExit where it does not."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        with contextlib.suppress(OSError):
            if holds():
                return
        time.sleep(0.3)
    raise SystemExit(f"not within {SECONDS} s: {what}")


class Learner:
    """Somebody with a browser: logs in, gets a server, opens a lesson, runs its cells."""

    def __init__(self, hub: Hub, name: str) -> None:
        self.hub, self.name, self.kernel, self.socket = hub, name, "", None
        self.followed = False  # whether the panel was sent a pass

    def log_in(self) -> None:
        """The form of the hub's page, with its cookies; what the browser does then starts the server."""
        import requests

        browser, at = requests.Session(), f"http://127.0.0.1:{self.hub.port}/hub"
        browser.get(f"{at}/login", timeout=SECONDS)
        form = {"username": self.name, "password": "any", "_xsrf": browser.cookies.get("_xsrf", path="/hub/")}
        answer = browser.post(f"{at}/login", data=form, timeout=SECONDS)
        assert answer.ok, f"{self.name} cannot log in: {answer.status_code}"
        browser.get(f"{at}/spawn", timeout=SECONDS)
        asked = f"hub/api/users/{self.name}"
        wait(lambda: self.hub.ask("GET", asked).json()["servers"].get("", {}).get("ready"), f"{self.name}'s server")
        page = browser.get(f"{at}/user-redirect/lab/tree/{self.path()}", timeout=SECONDS)  # the link of docs/hub.md
        assert page.ok, f"{self.name} gets no page: {page.status_code}"
        assert page.url.endswith(f"/user/{self.name}/lab/tree/{self.path()}"), page.url
        assert "jupyter-config-data" in page.text, f"{self.name}'s page is not JupyterLab"

    def path(self, lesson: str = LESSON) -> str:
        return f"minigrad-lessons/lessons/en/{lesson}.ipynb"

    def ask(self, method: str, path: str, **more: Any) -> Any:
        return self.hub.ask(method, f"user/{self.name}/api/{path}", **more)

    def open(self) -> None:
        """The lesson's tab: its content, a kernel in its folder."""
        self.notebook = self.ask("GET", f"contents/{self.path()}").json()
        body = {"path": self.path(), "name": self.path(), "type": "notebook", "kernel": {"name": "python3"}}
        self.kernel = self.ask("POST", "sessions", json=body).json()["kernel"]["id"]
        self.connect()

    def connect(self) -> None:
        import websocket

        address = f"ws://127.0.0.1:{self.hub.port}/user/{self.name}/api/kernels/{self.kernel}/channels"
        self.socket = websocket.create_connection(address, timeout=SECONDS, header=[f"Authorization: token {TOKEN}"])

    def run(self, code: str) -> tuple[str, str]:
        """Run a cell: how it ended (`ok` or an error's name), and what it printed."""
        asked = uuid.uuid4().hex
        header = {"msg_id": asked, "username": self.name, "session": self.name, "msg_type": "execute_request"}
        content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False}
        message = {"header": header | {"version": "5.3"}, "parent_header": {}, "metadata": {}, "content": content}
        self.socket.send(json.dumps(message | {"channel": "shell", "buffers": []}))
        printed, status, idle = "", "", False
        while not (status and idle):
            said = self.socket.recv()
            if isinstance(said, bytes):  # with buffers: a widget's
                continue
            said = json.loads(said)
            if said["parent_header"].get("msg_id") != asked:
                continue
            kind, content = said["header"]["msg_type"], said["content"]
            if kind == "stream":
                printed += content["text"]
            elif kind == "comm_msg":
                self.followed |= bool(content["data"].get("state", {}).get("trace"))
            elif kind == "execute_reply":
                status = content["status"] if content["status"] == "ok" else content["ename"]
            elif kind == "status":
                idle = content["execution_state"] == "idle"
        return status, printed

    def study(self, solved: int) -> None:
        """Every cell in order, with the panel open; so many of its exercises are answered."""
        answers = list(teaching.solutions(LESSON).items())[:solved]
        status, _ = self.run("import viz\npanel = viz.live()")
        assert status == "ok", f"{self.name}: the panel fails with {status}"
        for cell in self.notebook["content"]["cells"]:
            if cell["cell_type"] == "code":
                code = dict(answers).get(cell["source"], cell["source"])
                status, printed = self.run(code)
                fails = "raises-exception" in cell["metadata"].get("tags", [])
                assert (status == "ok") or fails, f"{self.name}: {status} in {code}"
                assert code == cell["source"] or printed.startswith("✅"), printed
        assert self.followed, f"{self.name}: the panel has seen no pass"

    def processes(self) -> list[Path]:
        """Theirs: the server, the kernel, what lays out graphs."""
        mine = f"JUPYTERHUB_USER={self.name}".encode()
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if mine in (process / "environ").read_bytes().split(b"\0"):
                    found.append(process)
        return found

    def memory(self) -> float:
        """MB."""
        lines = [line for process in self.processes() for line in (process / "smaps_rollup").read_text().splitlines()]
        return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1000

    def processor(self) -> float:
        """Seconds so far."""
        ticks = 0
        for process in self.processes():
            ticks += sum(map(int, (process / "stat").read_text().rpartition(")")[2].split()[11:13]))
        return ticks / os.sysconf("SC_CLK_TCK")


def hold(hub: Hub, users: list[str], full: str | None) -> None:
    """The lesson, all at once, and what may go wrong in it."""
    learners = [Learner(hub, user) for user in users]
    count = len(progress.exercises(LESSON)) + 1
    with ThreadPoolExecutor(len(learners)) as at_once:
        began = time.monotonic()
        list(at_once.map(Learner.log_in, learners))
        say(f"all have logged in and have a server after {time.monotonic() - began:.0f} s")
        at_rest = [learner.memory() for learner in learners]
        say(f"memory of a learner with a server: {told(at_rest, 'MB')}")
        began = time.monotonic()
        list(at_once.map(Learner.open, learners))
        before = [learner.processor() for learner in learners]
        list(at_once.map(Learner.study, learners, (number % count for number in range(len(learners)))))
        say(f"all have run Lesson 1, panel open, after {time.monotonic() - began:.0f} s more")
    took = [learner.processor() - b for learner, b in zip(learners, before)]
    say(f"processor time of a learner for the lesson: {told(took, 's')}")
    working = [learner.memory() for learner in learners]
    say(f"memory of a learner with the lesson open: {told(working, 'MB')}")
    before = [learner.processor() for learner in learners]
    time.sleep(20)
    idle = [(learner.processor() - b) / 20 * 100 for learner, b in zip(learners, before)]
    say(f"of one core, while a learner reads: {told(idle, '%')}")
    restart(learners[0], learners[1])
    fill(next((learner for learner in learners if learner.name == full), None), learners[0])
    report(hub, learners, count)
    each = max(working)
    say(f"16 GB, 2 of them left to the system and the hub: {int(14_000 / each)} learners at {each:.0f} MB each")


def told(figures: list[float], unit: str) -> str:
    """The middle, and the largest."""
    return f"{sorted(figures)[len(figures) // 2]:.1f} {unit}, at most {max(figures):.1f} {unit}"


def restart(one: Learner, other: Learner) -> None:
    """A kernel begins anew, and its lesson runs again; nobody else notices."""
    other.run("mine = 1")
    one.run("mine = 1")
    assert one.ask("POST", f"kernels/{one.kernel}/restart").ok
    one.socket.close()
    one.connect()
    assert one.run("mine")[0] == "NameError"
    one.followed = False
    one.study(0)
    assert other.run("print(mine)") == ("ok", "1\n")
    say(f"{one.name} has restarted the kernel and run the lesson again; {other.name} has noticed nothing")


def fill(one: Learner | None, other: Learner) -> None:
    """On a full disk the lesson still runs; what cannot be saved is refused, and what lies there stays."""
    if one is None:
        say("left out: the full disk (only root can mount a small one)")
        return
    kept = (one.hub.homes / one.name / one.path()).read_bytes()
    status, _ = one.run("with open('filling', 'wb') as file:\n    while True: file.write(bytes(100_000))")
    assert status == "OSError", status
    one.followed = False
    one.study(len(progress.exercises(LESSON)))
    cells = [
        dict(cell, source=cell["source"] + "\n" + "#" * 5_000_000) for cell in one.notebook["content"]["cells"][:1]
    ]
    content = one.notebook["content"] | {"cells": cells}
    saved = one.ask("PUT", f"contents/{one.path()}", json={"type": "notebook", "content": content})
    assert saved.status_code >= 400, "a full disk has taken a notebook"
    assert (one.hub.homes / one.name / one.path()).read_bytes() == kept, "what could not be saved has cost what was"
    assert other.ask("PUT", f"contents/{other.path()}", json={"type": "notebook", "content": content}).ok
    assert one.run("import os\nos.remove('filling')")[0] == "ok"
    saved = one.ask("PUT", f"contents/{one.path()}", json={"type": "notebook", "content": one.notebook["content"]})
    assert saved.ok, f"with room again it cannot be saved: {saved.status_code}"
    say(f"{one.name} has filled the disk: the lesson ran, saving was refused, nothing was lost, and then it was saved")


def report(hub: Hub, learners: list[Learner], count: int) -> None:
    """`minigrad report` over the homes says who has solved how much."""
    command = [sys.executable, "-m", "minigrad", "report", str(hub.homes), "--dir", str(hub.folder / "report")]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with (hub.folder / "report" / "report.csv").open(encoding="utf-8-sig", newline="") as file:
        found = {row["name"]: int(row["solved"]) for row in csv.DictReader(file)}
    wanted = {learner.name: number % count for number, learner in enumerate(learners)}
    least = {name: found.get(name, -1) for name in wanted}
    assert all(least[name] >= solved for name, solved in wanted.items()), f"{least}, and it should be {wanted}"
    say(f"minigrad report: {len(found)} people, {sum(found.values())} exercises solved")


if __name__ == "__main__":
    main()
