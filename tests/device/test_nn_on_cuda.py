"""Modules, losses and optimizers on the GPU, or its stand-in, beside PyTorch on the CPU: tests/core, a second time."""

import pytest

from tests.core.test_nn import *  # noqa: F403

pytestmark = pytest.mark.usefixtures("on_cuda")
