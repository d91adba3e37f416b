"""What the engine promises holds on the GPU, or its stand-in, too: the tests of tests/core, a second time."""

import pytest

from tests.core.test_engine_guarantees import *  # noqa: F403

LONG = "time: how long a chain the engine can walk is not a matter of the device"
SKIPPED = {
    "test_a_long_chain": LONG,
    "test_second_derivative_of_a_long_chain": LONG,
    "test_a_leaf_used_very_often": LONG,
    "test_backward_frees_saved_arrays": "looks at the memory through numpy",
    "test_gradients_of_two_leaves_share_no_memory": "looks at the memory through numpy",
}

pytestmark = pytest.mark.usefixtures("on_cuda")
