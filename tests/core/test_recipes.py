"""The recipes of CONTRIBUTING.md, followed to the letter in a copy of the project."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

RULE = '''

@unary("CubeBackward0", self=lambda grad, self: grad * 3 * self * self, public=True)
def cube(self):
    """c = a³      ∂L/∂a = g · 3a²"""
    return self**3
'''
TRY_RULE = """
import minigrad as torch
from minigrad.autograd import gradcheck, gradgradcheck
from viz.model.formulas import formula

x = torch.tensor([1.5, -2.0, 0.5], dtype=torch.float64, requires_grad=True)
assert torch.cube(x).tolist() == x.cube().tolist() == torch.cube(input=x).tolist() == [3.375, -8.0, 0.125]
y = x * 1
y.cube_()
assert y.tolist() == [3.375, -8.0, 0.125] and y.grad_fn.name() == "CubeBackward0"
out = torch.empty(3, dtype=torch.float64)
assert torch.cube(x.detach(), out=out) is out and out[1] == -8
assert gradcheck(torch.cube, x) and gradgradcheck(torch.cube, x)
assert gradcheck(lambda x: (x * 1).cube_(), x)
assert formula(x.cube().grad_fn) == ("c = a³", "∂L/∂a = g · 3a²")
assert {"cube"} <= set(dir(torch)) and {"cube", "cube_"} <= set(dir(x))
try:
    torch.cube([1.0])
except TypeError as error:
    assert str(error) == "cube(): argument 'input' (position 1) must be Tensor, not list"
else:
    raise AssertionError("a list is no tensor")
"""

MODULE = '''

class Cube(Module):
    """The third power, times a parameter."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = Parameter(creation.ones(1))

    def forward(self, input: Any) -> Any:
        """scale · input³."""
        return self.scale * input**3


__all__ += ["Cube"]
'''
TRY_MODULE = """
import minigrad as torch

cube = torch.nn.Cube()
cube(torch.tensor([2.0])).sum().backward()
assert cube.scale.grad.tolist() == [8.0] and "Cube" in dir(torch.nn) and repr(cube) == "Cube()"
"""

OPTIMIZER = '''

class SignSGD(Descent):
    """A step of one size against the sign of the gradient."""

    lr: float = 0.1

    def _update(self, parameter: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        parameter -= group["lr"] * grad.sign()
'''
TRY_OPTIMIZER = """
import minigrad as torch

w = torch.tensor([1.0, -1.0], requires_grad=True)
optimizer = torch.optim.SignSGD([w], lr=0.5)
(w * w).sum().backward()
optimizer.step()
assert w.tolist() == [0.5, -0.5] and "SignSGD" in dir(torch.optim)
"""


@pytest.mark.parametrize(
    ("file", "block", "listed", "program"),
    [
        ("ops/pointwise.py", RULE, None, TRY_RULE),
        ("nn/layers.py", MODULE, None, TRY_MODULE),
        ("optim/optimizers.py", OPTIMIZER, ("optim/__init__.py", "SignSGD", "optimizers"), TRY_OPTIMIZER),
    ],
    ids=["an op", "a module", "an optimizer"],
)
def test_what_contributing_says_is_all_there_is_to_do(tmp_path: Path, file, block, listed, program) -> None:
    """Each is one block in one file; an optimizer's name stands in `optim/__init__.py`, too."""
    for package in ("minigrad", "viz"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "minigrad" / file).open("a", encoding="utf-8") as source:
        source.write(block)
    if listed is not None:
        place, name, home = listed
        names = (tmp_path / "minigrad" / place).read_text(encoding="utf-8")
        names = names.replace("__all__ = [", f'from .{home} import {name}\n\n__all__ = ["{name}", ', 1)
        (tmp_path / "minigrad" / place).write_text(names, encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
