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
    """What is needed now and then, such as json and zipfile for files, is loaded then; so are whole packages."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import numpy; before = set(sys.modules); import minigrad\n"
        "print(*(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", program, str(ROOT)], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    others = {name for name in loaded if not name.startswith("minigrad")}
    assert others <= {"__future__", "_heapq", "heapq", "threading"}
    now_and_then = ("cuda", "files", "func", "linalg", "nn", "optim", "utils", "words")
    assert loaded.isdisjoint(f"minigrad.{name}" for name in now_and_then)


def test_what_is_loaded_later_is_there_all_the_same() -> None:
    """Whichever way it is first asked for, each in a process of its own."""
    for program in (
        "import minigrad; minigrad.linalg.norm, minigrad.random.Generator, minigrad.nn.ReLU, minigrad.cuda.synchronize",
        "import minigrad; minigrad.Tensor.exp, minigrad.Tensor.add_",
        "import minigrad; assert {'linalg', 'randn', 'sort', 'vmap'} <= set(dir(minigrad))",
        "import minigrad; assert {'exp', 'add_', 'uniform_'} <= set(dir(minigrad.ones(1)))",
        "from minigrad import *; randn(2), linalg.norm, nn.Linear, load",
        "import minigrad.autograd.functional; minigrad.autograd.functional.jacobian, minigrad.autograd.Function",
        "from minigrad.tensor import Tensor; import minigrad; assert minigrad.tensor(Tensor([1.0])).item() == 1",
        "import minigrad, numpy; assert numpy.exp(minigrad.zeros(1)).item() == 1",
        "import minigrad, numpy; assert (minigrad.ones(1) * numpy.ones(1)).item() == 1",
        "import minigrad; assert (2 / minigrad.ones(1)).item() == 2",
        "import minigrad; assert (minigrad.ones(1) == 1).item() is True",
        "import minigrad; x = minigrad.ones(1); x += x; x[0] *= 2; assert x.item() == 4",
        "import copy, pickle, minigrad; copy.deepcopy(minigrad.ones(2)), pickle.loads(pickle.dumps(minigrad.ones(2)))",
        "import minigrad\nclass Own(minigrad.Tensor): pass\nassert Own([1.0]).exp().add_(1).item() > 3.7",
    ):
        subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)
