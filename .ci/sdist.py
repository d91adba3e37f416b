"""`python .ci/sdist.py FILE`: from an unpacked sdist, the tests that need neither PyTorch nor a browser nor a network.

Left out: the comparisons with real PyTorch, the browser tests, the notebooks and what builds or installs; all of them
are in the sdist and run where their needs are installed. The environment needs `[test]`.
"""

import os
import subprocess
import sys
import tarfile
import tempfile

TESTS = ("tests/test_readme.py", "tests/core/test_recorded.py", "tests/viz", "tests/lessons/test_exercises.py")

with tempfile.TemporaryDirectory() as folder:
    with tarfile.open(sys.argv[1]) as archive:
        archive.extractall(folder, filter="data")
    (root,) = os.scandir(folder)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "auto",
        "-p",
        "no:cacheprovider",
        "-m",
        "not browser",
        *TESTS,
    ]
    sys.exit(subprocess.run(command, cwd=root.path, env=os.environ | {"PYTHONPATH": root.path}).returncode)
