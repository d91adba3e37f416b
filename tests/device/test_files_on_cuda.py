"""Tensors of the GPU, or its stand-in, in files: the tests of tests/core, a second time."""

import pytest

from tests.core.test_files import *  # noqa: F403

pytestmark = pytest.mark.usefixtures("on_cuda")
