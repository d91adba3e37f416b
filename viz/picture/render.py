"""Where everything goes: Graphviz lays the graph out.

The `pygraphviz` wheel carries it inside; else a `dot` program on the PATH serves, or in a browser, where Python is
WebAssembly, the page's own: `docs/jupyterlite.md`. The wheel's library cannot be interrupted, and holds Python up while
it works: so it lives in a process of its own, which waits for the next graph, and is ended where one takes too long.
"""

import atexit
import importlib.util
import json
import os
import pickle
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, NamedTuple

from ..language import INSTALL, first_line, message
from ..settings import options

_LONGEST = 1e6  # seconds; no system waits much longer
_HAS_PYGRAPHVIZ = importlib.util.find_spec("pygraphviz") is not None  # asked now: a cell may change `sys.path`

_CHILD = """
import pickle, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the program that draws
while True:
    try:
        dot, format = pickle.load(sys.stdin.buffer)
    except EOFError:  # that program has ended
        break
    try:
        import pygraphviz
        answer = pygraphviz.AGraph(string=dot).draw(format=format, prog="dot"), ""
    except Exception as error:
        answer = None, f"{type(error).__name__}: {error}"
    pickle.dump(answer, sys.stdout.buffer)
    sys.stdout.buffer.flush()
"""

Point = tuple[float, float]


class LayoutError(RuntimeError):
    """Graphviz is missing, failed, or took too long; the graph and its text are still there."""


class Curve(NamedTuple):
    """An edge."""

    points: tuple[Point, ...]  # of a Bézier spline from its source to where the arrow begins
    tip: Point  # of the arrow
    label: Point | None  # the middle of it


class Frame(NamedTuple):
    """The box of a cluster."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True)
class Layout:
    """Pixels, y downwards: the size of the whole, each node's middle by id, the edges by number, the frames by name."""

    width: float
    height: float
    nodes: dict[str, Point]
    edges: dict[int, Curve]
    frames: dict[str, Frame]


def layout(dot: str, timeout: float | None = None) -> Layout:
    """Lays out DOT made without words. Raises `LayoutError`."""
    graph = json.loads(run(dot, "json0", timeout=timeout))
    _, _, width, height = map(float, graph["bb"].split(","))

    def point(text: str) -> Point:  # Graphviz's y grows upwards, a screen's downwards
        x, y = map(float, text.split(","))
        return x, height - y

    def curve(edge: dict[str, str]) -> Curve:  # written ``e,x,y x,y x,y …``: the arrow's tip, then the spline
        tip, *points = (point(p.removeprefix("e,")) for p in edge["pos"].split(" "))
        return Curve(tuple(points), tip, point(edge["lp"]) if "lp" in edge else None)

    def frame(box: str) -> Frame:
        left, bottom, right, top = map(float, box.split(","))
        return Frame(left, height - top, right, height - bottom)

    objects = graph.get("objects", [])
    nodes = {o["name"]: point(o["pos"]) for o in objects if "pos" in o}
    edges = {int(edge["id"]): curve(edge) for edge in graph.get("edges", []) if "pos" in edge}
    frames = {o["name"].removeprefix("cluster "): frame(o["bb"]) for o in objects if o["name"].startswith("cluster ")}
    return Layout(width, height, nodes, dict(sorted(edges.items())), frames)


def run(dot: str, format: str, timeout: float | None = None) -> bytes:
    """What Graphviz makes of `dot`. Raises `LayoutError` where it is missing, fails or outlasts `timeout` seconds."""
    timeout = options.timeout if timeout is None else timeout
    try:
        return _engine(options.engine)(dot, format, min(timeout, _LONGEST))
    except subprocess.TimeoutExpired:
        raise LayoutError(message("tooSlow", timeout=timeout)) from None
    except OSError as error:
        raise _failed(first_line(error)) from None


def _engine(name: str) -> Callable[[str, str, float], bytes]:
    """What lays out; for ``auto`` the first that is there."""
    if name in ("auto", "pygraphviz") and _HAS_PYGRAPHVIZ:
        return _draw_with_pygraphviz
    if name in ("auto", "dot") and shutil.which("dot"):
        return _draw_with_dot
    if name in ("auto", "wasm") and _of_the_page() is not None:
        return _draw_with_wasm
    raise missing()


def missing() -> LayoutError:
    """What to install to draw."""
    return LayoutError(message("noGraphviz", install=INSTALL))


def _failed(said: str) -> LayoutError:
    return LayoutError(message("graphvizFailed", said=said))


def _draw_with_pygraphviz(dot: str, format: str, timeout: float) -> bytes:
    """Its wheel takes a few libraries from the system, such as glib, which a slim container lacks."""
    drawn, said = _worker.draw(dot, format, timeout)
    if drawn is not None:
        return drawn
    if not said.startswith("ImportError: "):
        raise _failed(said.partition("\n")[0])
    if options.engine == "auto" and shutil.which("dot"):
        return _draw_with_dot(dot, format, timeout)
    raise LayoutError(message("noLibrary", said=said.removeprefix("ImportError: ")))


def _draw_with_dot(dot: str, format: str, timeout: float) -> bytes:
    done = subprocess.run(["dot", f"-T{format}"], input=dot.encode("utf-8"), capture_output=True, timeout=timeout)
    if done.returncode:
        raise _failed(done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2])
    return done.stdout


def _of_the_page() -> Any:
    """The Graphviz that a page has put beside Pyodide as `globalThis.graphviz`: @hpcc-js/wasm-graphviz."""
    if sys.platform != "emscripten":
        return None
    import js  # Pyodide's own: the names of JavaScript

    return getattr(js, "graphviz", None)


def _draw_with_wasm(dot: str, format: str, timeout: float) -> bytes:
    """Nothing here can stop it after `timeout`."""
    try:
        return _of_the_page().layout(dot, format, "dot").encode("utf-8")
    except Exception as error:  # JavaScript's
        raise _failed(first_line(error)) from None


class _Worker:
    """The process that Graphviz's library lives in: started with the first picture, ended with this one, or where
    anything went wrong."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """As if there had been no process yet."""
        self.lock = threading.Lock()  # one graph at a time
        self._process: subprocess.Popen[bytes] | None = None

    def draw(self, dot: str, format: str, timeout: float) -> tuple[bytes | None, str]:
        """What the library makes of it; or None, and what it said."""
        with self.lock:
            if self._process is None or self._process.poll() is not None:
                self.end()
                # -P: a file of the user's called `signal.py` is not ours; PurePath: to that debugpy adds nothing, with
                # which the process would wait for a debugger
                self._process = subprocess.Popen(
                    [PurePath(sys.executable), "-P", "-c", _CHILD],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
                )
            process, late = self._process, time.monotonic() + timeout
            clock = threading.Timer(timeout, process.kill)
            clock.daemon = True
            clock.start()
            try:
                assert process.stdin is not None
                assert process.stdout is not None
                pickle.dump((dot, format), process.stdin)
                process.stdin.flush()
                return pickle.load(process.stdout)
            except (EOFError, OSError, pickle.UnpicklingError):  # it has ended, by itself or by the clock
                self.end()
                if time.monotonic() >= late:
                    raise subprocess.TimeoutExpired("Graphviz", timeout) from None
                return None, f"its process ended with exit code {process.returncode}"
            except BaseException:  # Ctrl-C: the answer would be taken for that to the next question
                self.end()
                raise
            finally:
                clock.cancel()
                clock.join()

    def end(self) -> None:
        """Ends the process; the next graph starts another."""
        if self._process is not None:
            self._process.kill()
            with suppress(OSError), self._process:  # closes the pipes, where something may wait to be sent; waits
                pass
            self._process = None


_worker = _Worker()
atexit.register(_worker.end)
if hasattr(os, "register_at_fork"):  # a forked process needs one of its own
    os.register_at_fork(after_in_child=_worker.begin)
