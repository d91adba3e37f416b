"""What every test shares."""

import os
import tempfile
from pathlib import Path

from hypothesis import settings

# The same examples at every run: a red test stays red until it is mended, on every machine.
settings.register_profile("minigrad", deadline=None, derandomize=True, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "minigrad"))

# What the tests answer in exercises is nobody's progress. (Kernels inherit the variable.)
_elsewhere = tempfile.TemporaryDirectory()
os.environ["MINIGRAD_PROGRESS"] = str(Path(_elsewhere.name) / "progress.json")
