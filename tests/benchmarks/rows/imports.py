"""How long `import minigrad` takes, in a fresh process, without the start of Python itself.

minigrad needs numpy: its own part is the rest.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial

from ..contest import CLOCK, Row
from ..peers import load

PROGRAM = "from time import {clock} as clock; start = clock(); import {library}; print(clock() - start)"


class Import:
    """`import library` in a new process. Nothing of ours is imported there: it would bring numpy along."""

    def __init__(self, library: str, size: int) -> None:
        load(library)
        self.command = [sys.executable, "-c", PROGRAM.format(clock=CLOCK.__name__, library=library)]
        # Installed packages come with their bytecode; minigrad in a source tree gets its own at the first import.
        self.environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}

    def result(self) -> None:
        """Nothing to compare; but the first import is not timed."""
        self.sample()

    def sample(self) -> float:
        done = subprocess.run(self.command, env=self.environment, capture_output=True, text=True, check=True)
        return float(done.stdout)


ROW = Row(
    name="import",
    work="import, in a fresh process",
    work_zh="在新进程里 import",
    contestants={
        "minigrad": partial(Import, "minigrad"),
        "numpy": partial(Import, "numpy"),
        "PyTorch": partial(Import, "torch"),
    },
    targets={"numpy": 2.0},
    size=1,
    smoke_size=1,
    rounds=21,
    not_in_smoke=("PyTorch",),
)
