"""Other people's notebooks under PyTorch and under minigrad: `python -m tests.notebooks FOLDER …`.

Of each notebook, script and page of notes (.ipynb, .py, .md) in the folders that speaks of torch, the cells run in
IPython's shell, from the same seed: once with PyTorch, once with minigrad in its place; with `--panel` both times with
PyTorch, the second time followed by the live panel, which is to change nothing. Cells that end otherwise are printed.
What costs a cell more than `--seconds` stops, and the rest of that notebook is not compared. The exit status is 1 where
something ends otherwise, or a file could not be run at all, and 2 where there is none.

The code is run: have a look at it first. It begins in an empty folder, and Python's connections are refused.
"""

import argparse
import ast
import contextlib
import importlib
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from tests.core.parity import renamed
from tests.reference.programs import imported_as_torch
from tests.shells import notebook_shell

WAYS = ("torch", "minigrad", "torch and the panel")
_NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")
#: What prints something else each time.
_UNLIKE = re.compile(r"\btime|\bempty|Tensor\(\d|\bid\(|\bset\(|__version__|\bdir\(")
Seen = dict[str, Any]  # of a cell: its output, its error, the panel's note


class TooLong(BaseException):
    """A cell has had its time."""


def cells(path: Path) -> list[str]:
    """The code of a notebook, a script or a page, without the lines that are for the shell."""
    text = path.read_text(encoding="utf-8", errors="replace")
    found = [text]
    if path.suffix == ".ipynb":
        book = json.loads(text)
        found = ["".join(cell["source"]) for cell in book.get("cells", []) if cell["cell_type"] == "code"]
    elif path.suffix == ".md":
        found = re.findall(r"^```\W*(?:python|py)\b[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return ["\n".join(line for line in cell.splitlines() if not re.match(r"\s*[%!]", line)) for cell in found]


def run(way: str, path: Path, seconds: float) -> list[Seen]:
    """What each cell prints and raises, in this process."""

    def refuse(*address: Any, **options: Any) -> None:
        raise OSError("no network")

    connect = socket.socket.connect
    socket.create_connection = socket.getaddrinfo = refuse  # type: ignore[assignment]
    socket.socket.connect = lambda self, to: (  # type: ignore[assignment, method-assign]
        connect(self, to) if isinstance(to, str | bytes) else refuse()  # a process of its own may be spoken to
    )

    def late(number: int, frame: FrameType | None) -> None:
        raise TooLong

    signal.signal(signal.SIGALRM, late)
    library = importlib.import_module("minigrad" if way == "minigrad" else "torch")
    with imported_as_torch(library), notebook_shell() as shell, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        panel = None
        if way.endswith("panel"):
            panel = importlib.import_module("viz").live()
        shell.user_ns["display"] = lambda *shown, **options: None
        library.manual_seed(0)
        random.seed(0)
        np.random.seed(0)
        return [_seen(shell, cell, panel, seconds) for cell in cells(path)]


def _seen(shell: Any, cell: str, panel: Any, seconds: float) -> Seen:
    from IPython.utils.capture import capture_output

    error: BaseException | None = None
    with capture_output() as shown:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds)
            result = shell.run_cell(cell, store_history=True)
            error = result.error_before_exec or result.error_in_exec
        except TooLong as late:
            error = late
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    said = renamed(f"{type(error).__name__}: {error}".partition("\n")[0]) if error else ""
    note = panel.scene["note"]["en"] if panel and panel.scene else ""
    return {"error": said, "output": "" if error else renamed(shown.stdout), "note": note}


def differences(code: list[str], theirs: list[Seen], ours: list[Seen]) -> Iterator[tuple[str, int, str, str]]:
    """(kind, number of the cell, what was expected, what came) of a notebook, up to the first cell that was late."""
    broken = False  # a cell has failed: what it would have made is missed below
    for number, (cell, one, other) in enumerate(zip(code, theirs, ours)):
        if "This picture is old" in other["note"]:
            yield "panel", number, "", other["note"]
        if "TooLong" in one["error"] + other["error"]:
            return
        if broken and other["error"].startswith("NameError"):
            continue
        if one["error"] != other["error"]:
            broken = True
            yield "error", number, one["error"] or "no error", other["error"] or "no error"
        elif not broken and not _UNLIKE.search(cell) and not alike(one["output"], other["output"]):
            lines = zip(one["output"].splitlines(), other["output"].splitlines())
            first = next((pair for pair in lines if pair[0] != pair[1]), (one["output"], other["output"]))
            yield "output", number, *first


def alike(one: str, other: str) -> bool:
    """Whether two outputs say the same, but for how numbers are rounded."""
    one, other = (re.sub(r"0x[0-9a-fA-F]+", "0x", text) for text in (one, other))
    if one == other:
        return True
    shapes = ["".join(_NUMBER.sub("#", text).split()) for text in (one, other)]
    numbers = [[float(n) for n in _NUMBER.findall(text)] for text in (one, other)]
    return shapes[0] == shapes[1] and np.allclose(*numbers, rtol=2e-3, atol=1e-4)


def apart(way: str, path: Path, seconds: float) -> list[Seen]:
    """`run`, in a process of its own."""
    asked = [sys.executable, "-m", "tests.notebooks", "--way", way, "--seconds", str(seconds), str(path)]
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    settings = {**os.environ, **one_thread, "MPLBACKEND": "Agg", "TQDM_DISABLE": "1", "MINIGRAD_LANG": "en"}
    ours = str(Path(__file__).parents[1])
    settings["PYTHONPATH"] = os.pathsep.join(filter(None, [ours, os.environ.get("PYTHONPATH")]))
    with contextlib.suppress(subprocess.TimeoutExpired, ValueError), tempfile.TemporaryDirectory() as empty:
        done = subprocess.run(asked, capture_output=True, env=settings, cwd=empty, timeout=300)
        return json.loads(done.stdout.rpartition(b"\n")[2])
    return []


def is_about_torch(path: Path) -> bool:
    """Whether it is a notebook, a script or a page of notes that names torch, and can be read."""
    if path.suffix not in (".ipynb", ".py", ".md") or not path.is_file():
        return False
    with contextlib.suppress(ValueError, KeyError, SyntaxError):
        return "torch" in (code := "\n".join(cells(path))) and (path.suffix != ".py" or bool(ast.parse(code)))
    return False


def main() -> int:
    """Runs what the command line says; 1 where something ends otherwise."""
    parser = argparse.ArgumentParser(prog="python -m tests.notebooks", description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--panel", action="store_true", help="PyTorch, with the live panel and without it")
    parser.add_argument("--seconds", type=float, default=4.0, help="that a cell may take")
    parser.add_argument("-j", type=int, default=os.cpu_count() or 1, help="how many at a time")
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.way:
        seen = run(given.way, given.folders[0].resolve(), given.seconds)
        sys.__stdout__.write("\n" + json.dumps(seen))  # type: ignore[union-attr]
        sys.__stdout__.flush()  # type: ignore[union-attr]
        os._exit(0)  # what the notebook has begun does not hold it up
    found = [path for folder in given.folders for path in ([folder] if folder.is_file() else sorted(folder.rglob("*")))]
    books = [path.resolve() for path in found if is_about_torch(path)]
    if not books:
        parser.error("no notebook, script or page there speaks of torch")
    ways, began, count = (WAYS[0], WAYS[2] if given.panel else WAYS[1]), time.monotonic(), Counter[str]()
    with ThreadPoolExecutor(given.j) as pool:
        for path, theirs, ours in pool.map(lambda one: (one, *(apart(way, one, given.seconds) for way in ways)), books):
            count["cells"] += min(len(theirs), len(ours))
            count["not run"] += not (theirs and ours)
            for kind, number, one, other in differences(cells(path), theirs, ours):
                count[kind] += 1
                print(f"{path}, cell {number}\n    {ways[0]}: {one[:200]}\n    {ways[1]}: {other[:200]}")
    print(f"{len(books)} files, {dict(count)}, {time.monotonic() - began:.0f} s")
    return 1 if count["error"] + count["output"] + count["panel"] + count["not run"] else 0


if __name__ == "__main__":
    sys.exit(main())
