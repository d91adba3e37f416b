"""What every test shares."""

import os

import pytest
from hypothesis import settings

# The same examples at every run: a red test stays red until it is mended, on every machine.
settings.register_profile("minigrad", deadline=None, derandomize=True, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "minigrad"))


@pytest.hookimpl(optionalhook=True)  # who debugs runs with `-p no:xdist`
def pytest_xdist_auto_num_workers() -> int:
    """A worker more than there are cores: one that drives a browser or a kernel waits for it half of the time."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long modules that compute all the time go along with those that wait for a browser, which come first: among the
    last ones each would keep one worker busy when the others have nothing left."""
    items.sort(key=lambda item: item.path.name not in ("test_unharmed.py", "test_live.py"))
