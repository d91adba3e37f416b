"""The tests of viz run the same programs under every library that speaks the node protocol."""

import importlib
import importlib.util

import pytest

from tests.shells import notebook_shell


def _installed(name):
    spec = importlib.util.find_spec(name)
    return spec is not None and spec.origin is not None


LIBRARIES = [name for name in ("minigrad", "torch") if _installed(name)]


@pytest.fixture(params=LIBRARIES)
def torch(request):
    """A library with PyTorch's names: minigrad, and the real one where it is installed."""
    return importlib.import_module(request.param)


@pytest.fixture
def libraries():
    """minigrad and PyTorch, to be compared; a library that is not installed is left out."""
    return [importlib.import_module(name) for name in LIBRARIES]


@pytest.fixture(params=LIBRARIES)
def notebook(request):
    """A notebook that `viz.live()` follows, with a library in it."""
    from .test_live import Notebook

    with notebook_shell() as shell:
        opened = Notebook(shell, importlib.import_module(request.param))
        yield opened
        opened.panel.close()
