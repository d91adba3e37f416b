"""Which test runs which line, as a plugin of pytest: `-p tests.mutants.lines`, and $LINES says where to write it."""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import coverage
import pytest

PACKAGES = ["minigrad", "viz"]
measured = coverage.Coverage(data_file=None, source=PACKAGES)
measured.start()
took: dict[str, float] = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: Any) -> Iterator[None]:
    """What runs from here on is this test's."""
    measured.switch_context(item.nodeid)
    began = time.perf_counter()
    try:
        yield
    finally:
        took[item.nodeid] = time.perf_counter() - began
        measured.switch_context("")


def pytest_sessionfinish() -> None:
    """Of each line the tests that run it, the shortest first."""
    measured.stop()
    found: dict[str, dict[int, list[str]]] = defaultdict(dict)
    data = measured.get_data()
    for path in data.measured_files():
        for line, contexts in data.contexts_by_lineno(path).items():
            found[str(Path(path).relative_to(Path.cwd()))][line] = sorted({*contexts} & {*took}, key=took.__getitem__)
    Path(os.environ["LINES"]).write_text(json.dumps(found), encoding="utf-8")
