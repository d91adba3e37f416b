"""A learner with nothing but numpy can `import minigrad` and differentiate."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

# Everything that is neither the standard library, numpy nor minigrad is refused, as if it were not installed.
PROGRAM = """
import sys

class NotInstalled:
    def find_spec(self, name, path=None, target=None):
        package = name.partition(".")[0]
        if package not in sys.stdlib_module_names | {"numpy", "minigrad"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, NotInstalled())
sys.path.insert(0, sys.argv[1])
try:
    import hypothesis
except ModuleNotFoundError:
    pass
else:
    raise SystemExit("this test refuses nothing")

import minigrad as torch

w = torch.tensor([1.0], requires_grad=True)
loss = ((torch.tensor([3.0, 5.0, 7.0]) - w * torch.tensor([1.0, 2.0, 3.0])) ** 2).sum()
loss.backward()
print(w.grad)
"""


def test_import_and_backward_with_numpy_alone() -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-c", PROGRAM, str(ROOT)], capture_output=True, text=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "tensor([-40.])\n"


def test_import_is_quick_for_it_loads_little_beside_numpy() -> None:
    """What is needed now and then, such as json and zipfile for files, is loaded then."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import numpy; before = set(sys.modules); import minigrad\n"
        "print(*(name for name in set(sys.modules) - before if not name.startswith('minigrad')))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", program, str(ROOT)], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= {"__future__", "_heapq", "copy", "heapq", "threading"}
