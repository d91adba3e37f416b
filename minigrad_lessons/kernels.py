"""How the kernels that build and test the notebooks, and the doctor's, are reached."""

from __future__ import annotations

import os
from pathlib import Path
from uuid import uuid4


def own_sockets(folder: str | Path) -> dict[str, str]:
    """Options of a `KernelManager` whose kernel is reached through sockets in `folder`; none on Windows, without such.

    By default Jupyter looks for free TCP ports, closes them again and tells the kernel to open them. When many kernels
    start at the same time, now and then another has taken one meanwhile, and the kernel dies.
    """
    return {} if os.name == "nt" else {"transport": "ipc", "ip": str(Path(folder) / uuid4().hex)}
