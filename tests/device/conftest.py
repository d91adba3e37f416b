"""What the tests of devices share."""

import sys
from collections.abc import Iterator

import pytest

from tests.core import parity
from tests.device import machine


@pytest.fixture
def on_cuda(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The GPU, or its stand-in, is the default device, and texts are compared without its name."""
    renamed = parity.renamed
    for module in [parity, *filter(None, map(sys.modules.get, SAYING))]:
        monkeypatch.setattr(module, "renamed", lambda text: machine.as_on_cpu(renamed(text)))
    with machine.gpu():
        yield


# Modules of tests that compare texts with `renamed`, each with the name under which it was imported.
SAYING = [f"tests.core.{name}" for name in ("test_nn", "test_files", "test_random_programs")]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests that a module's SKIPPED names, for the reason that it gives."""
    for item in items:
        for name, reason in getattr(getattr(item, "module", None), "SKIPPED", {}).items():
            if name in item.name:
                item.add_marker(pytest.mark.skip(reason=reason))
