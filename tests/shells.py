"""A notebook's shell in this process."""

import atexit
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def notebook_shell() -> Iterator:
    """IPython's shell as a kernel has it. Nothing of it is left: else IPython keeps it, all that its cells have made
    and a thread until Python ends, and looks through all of memory once for each of a hundred shells."""
    shells = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell
    shells.clear_instance()
    config = pytest.importorskip("traitlets.config").Config()
    config.HistoryManager.enabled = False  # nor is anything written to the history of who runs the tests
    shell = shells.instance(config=config)
    shell.kernel = None  # what tells a notebook from a terminal
    try:
        yield shell
    finally:
        shells.clear_instance()
        atexit.unregister(shell.atexit_operations)
