"""Where everything goes: Graphviz lays the graph out.

The `pygraphviz` wheel carries Graphviz inside and needs nothing else installed; a `dot` program on the PATH serves
where the wheel is missing. A small graph is laid out in this process, in milliseconds. A large one is given to
another process that can be stopped, because Graphviz itself cannot be interrupted.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
import threading
from dataclasses import dataclass

from .errors import LayoutError, message
from .options import check

_SMALL = 2400  # lines of DOT: about as many nodes and edges, few of them long; Graphviz takes 5 to 300 ms for them
_LONGEST = 1e6  # seconds; no system waits much longer
_ONE_AT_A_TIME = threading.Lock()  # Graphviz's library is not made for threads

_CHILD = """
import sys
import pygraphviz
data = pygraphviz.AGraph(string=sys.stdin.buffer.read().decode("utf-8")).draw(format=sys.argv[1], prog=sys.argv[2])
sys.stdout.buffer.write(data)
"""

Point = tuple[float, float]


@dataclass(frozen=True)
class Curve:
    """An edge: the points of a Bézier spline from its source to where the arrow begins, the arrow's tip, and the
    middle of its label. One that runs into another edge to the same node, which has the arrow, has no tip."""

    points: tuple[Point, ...]
    tip: Point | None
    label: Point | None


@dataclass(frozen=True)
class Frame:
    """A cluster: its box (left, top, right, bottom)."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True)
class Layout:
    """Pixels, y downwards: the size of the whole, the middle of each node by id, the edges, the frames by name."""

    width: float
    height: float
    nodes: dict[str, Point]
    edges: tuple[Curve, ...]
    frames: dict[str, Frame]


def layout(dot: str, engine: str = "auto", timeout: float = 20.0) -> Layout:
    """Lays out DOT made with ``for_layout=True``; edges are left to `route` where the DOT says so. Raises
    `LayoutError`."""
    graph = json.loads(run(dot, "json0", engine, timeout))
    _, _, width, height = (float(n) for n in graph["bb"].split(","))
    objects = graph.get("objects", [])
    nodes = {o["name"]: _flip(o["pos"], height) for o in objects if "pos" in o}
    edges = {int(e["id"]): _curve(e, height) for e in graph.get("edges", []) if "pos" in e}
    frames = {
        o["name"].removeprefix("cluster "): Frame(*_flip_box(o["bb"], height))
        for o in objects
        if o["name"].startswith("cluster ")
    }
    return Layout(width, height, nodes, tuple(edges[i] for i in range(len(edges))), frames)


def run(dot: str, format: str, engine: str = "auto", timeout: float = 20.0, prog: str = "dot") -> bytes:
    """What Graphviz makes of `dot`. Raises `LayoutError` where it is missing, fails or outlasts `timeout` seconds."""
    engine, timeout = _choose(engine), min(timeout, _LONGEST)
    if engine == "pygraphviz" and format == "json0" and dot.count("\n") <= _SMALL:
        return _here(dot, format, prog)
    if engine == "pygraphviz":
        command = [sys.executable, "-c", _CHILD, format, prog]
    else:
        command = ["dot", f"-K{prog}", f"-T{format}"]
    try:
        done = subprocess.run(command, input=dot.encode("utf-8"), capture_output=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise LayoutError(
            message(
                f"Graphviz did not finish the layout in {timeout:g} s",
                "Draw fewer nodes (max_nodes=, a smaller part of the graph), or give it longer: timeout=120.",
                "Graphviz 未能在限定时间内完成布局：请减少节点（max_nodes=，或只画一部分），或延长时间：timeout=120。",
            )
        ) from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise LayoutError(
            message(
                f"Graphviz failed: {said}",
                "Please report this with the picture's .source; viz.text() still shows the graph.",
                "Graphviz 出错：请附上图的 .source 反馈；viz.text() 仍可查看计算图。",
            )
        )
    return done.stdout


def _choose(engine: str) -> str:
    check(engine=engine)
    if engine in ("auto", "pygraphviz") and importlib.util.find_spec("pygraphviz"):
        return "pygraphviz"
    if engine in ("auto", "dot") and shutil.which("dot"):
        return "dot"
    raise LayoutError(
        message(
            "Graphviz is not installed, so the graph cannot be laid out",
            "Run  pip install pygraphviz  (its wheel carries Graphviz) and restart the kernel, or install "
            "Graphviz's dot program. viz.text() and .source work without.",
            "未安装 Graphviz，无法排版：请运行 pip install pygraphviz（自带 Graphviz）并重启内核，"
            "或安装 Graphviz 的 dot 程序。viz.text() 和 .source 不需要它。",
        )
    )


def _here(dot: str, format: str, prog: str) -> bytes:
    import pygraphviz

    graph = pygraphviz.AGraph(string=dot)
    graph.number_of_nodes = lambda: 0  # above a thousand, draw() says on stderr that it may take long
    with _ONE_AT_A_TIME:
        return graph.draw(format=format, prog=prog)


def _flip(pos: str, height: float) -> Point:
    """Graphviz's y grows upwards, a screen's downwards."""
    x, y = pos.split(",")
    return float(x), height - float(y)


def _flip_box(box: str, height: float) -> tuple[float, float, float, float]:
    left, bottom, right, top = (float(n) for n in box.split(","))
    return left, height - top, right, height - bottom


def _curve(edge: dict[str, str], height: float) -> Curve:
    """Graphviz writes ``e,x,y x,y x,y …``: the arrow's tip, then the spline."""
    tip, *points = (_flip(p.removeprefix("e,"), height) for p in edge["pos"].split(" "))
    return Curve(tuple(points), tip, _flip(edge["lp"], height) if "lp" in edge else None)
