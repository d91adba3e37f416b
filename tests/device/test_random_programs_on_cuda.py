"""Random programs on the GPU, or its stand-in, beside PyTorch on the CPU: tests of tests/core, a second time."""

import pytest

# Before the import: a module that has skipped itself once is, for whoever imports it next, one that lacks its tests.
pytest.importorskip("torch", reason="PyTorch, the reference, is not installed")

from tests.core.test_random_programs import (  # noqa: F401
    test_broadcasting,
    test_dtype_promotion,
    test_indexing,
    test_views_writes_and_backward,
)

pytestmark = pytest.mark.usefixtures("on_cuda")
