"""What the tests must not take from, or leave with, whoever runs them; and what they measured, at the end."""

import os
import tempfile
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

from minigrad_lessons.kernels import own_sockets

# The gallery draws PyTorch's graphs too.
collect_ignore = [] if find_spec("torch") else ["docs/gallery/gallery.ipynb"]

# What tests compute is small: threads of PyTorch's and of BLAS's would only wait for one another.
os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

# Kernels inherit all these variables. What the tests answer in exercises is nobody's progress.
_elsewhere = tempfile.TemporaryDirectory()
_progress = Path(_elsewhere.name) / "progress.json"
os.environ["MINIGRAD_PROGRESS"] = str(_progress)

# What a process that a test starts prints is UTF-8 in every pipe, on Windows too.
os.environ["PYTHONUTF8"] = "1"

# A notebook's folder says which language its stored outputs speak; elsewhere both are spoken.
os.environ.pop("MINIGRAD_LANG", None)

with suppress(ImportError):  # who tests on a GPU runs no notebooks
    import nbval.kernel

    # See `own_sockets`: two kernels that start at the same moment must not want the same port.
    _KernelManager = nbval.kernel.KernelManager
    nbval.kernel.KernelManager = lambda **options: _KernelManager(**own_sockets(_elsewhere.name), **options)


@pytest.fixture
def kernel_manager():
    """Of a kernel for an nbclient: with sockets of its own, as nbval's."""
    jupyter_client = pytest.importorskip("jupyter_client")
    return jupyter_client.AsyncKernelManager(kernel_name="python3", **own_sockets(_elsewhere.name))


def pytest_runtest_setup():
    """What one test answered is not the progress of the next: the index shows an empty list, whatever ran before it."""
    _progress.unlink(missing_ok=True)


def pytest_terminal_summary(terminalreporter):
    """Say what tests have measured: properties that they recorded under a name that begins with "seconds"."""
    measured = {}
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            if name.startswith("seconds"):
                measured.setdefault(name, []).append((value, report.nodeid.rpartition("::")[2]))
    for name, values in measured.items():
        longest, where = max(values)
        together = sum(value for value, _ in values)
        terminalreporter.write_line(
            f"{name}: {together / len(values):.1f} on average, {longest:.1f} at most ({where}), {together:.0f} in all"
        )
