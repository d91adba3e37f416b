"""What docs/peers.md says of other libraries, found by running them; each is looked at where it is installed."""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ABILITIES = "second derivatives, hooks, writing in place"
PAGE = (Path(__file__).parents[1] / "docs" / "peers.md").read_text(encoding="utf-8")


def row(name: str) -> dict[str, str]:
    """A library's line of the table, by column."""
    head = next(line for line in PAGE.splitlines() if line.startswith("| | works on |"))
    line = next(line for line in PAGE.splitlines() if line.startswith((f"| [{name}](", f"| **{name}** |")))
    keys, cells = ([cell.strip() for cell in each.strip("|").split("|")] for each in (head, line))
    assert len(keys) == len(cells)
    return dict(zip(keys, cells, strict=True))


def test_minigrad() -> None:
    import minigrad as torch

    said = row("minigrad")
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (first,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    assert second.tolist() == [6.0, 12.0]
    y = x * 1
    y[0] = 5.0
    seen = []
    y.register_hook(seen.append)
    (y**2).sum().backward()
    assert x.grad.tolist() == [0.0, 4.0]
    assert len(seen) == 1
    assert said[ABILITIES] == "all three"


def test_mygrad() -> None:
    mg = pytest.importorskip("mygrad")
    graphs = pytest.importorskip("mygrad.computational_graph")
    said = row("MyGrad")
    x = mg.tensor([1.0, 2.0])
    y = x * 1
    y[:1] = 5.0
    (y**2).sum().backward()
    assert x.grad.tolist() == [0.0, 4.0]
    assert isinstance(x.grad, np.ndarray), "no graph leads on from a gradient"
    assert not [name for name in dir(x) if "hook" in name and not name.startswith("__")]
    assert said[ABILITIES] == "writing in place"
    assert "digraph" in graphs.build_graph(x * 2, {"x": x}).source
    assert said["draws the graph"] == "yes"


def test_autograd() -> None:
    autograd = pytest.importorskip("autograd")
    import autograd.numpy as anp

    said = row("Autograd")
    assert autograd.grad(autograd.grad(lambda x: x**3))(2.0) == 12.0

    def writes(x: anp.ndarray) -> float:
        y = x * 1
        y[0] = 3.0
        return anp.sum(y)

    with pytest.raises(TypeError, match="does not support item assignment"):
        autograd.grad(writes)(anp.ones(3))
    assert said[ABILITIES] == "second derivatives"


def test_micrograd() -> None:
    engine = pytest.importorskip("micrograd.engine")
    said = row("micrograd")
    assert said["the engine"].startswith(f"{len(inspect.getsource(engine).splitlines())} lines of Python")
    a = engine.Value(2.0)
    (a * a * a).backward()
    assert a.grad == 12.0
    assert isinstance(a.grad, float), "no graph leads on from a gradient"
    assert not hasattr(a, "register_hook")
    before = a
    a += 1
    assert a is not before, "what looks like writing in place makes a new one"
    assert said[ABILITIES] == "none"


PICTURE = {
    "torchviz": "x = torch.ones(2, requires_grad=True); torchviz.make_dot(x * 2).render('g', format='svg')",
    "torchlens": "torchlens.trace(torch.nn.Linear(2, 1), torch.ones(1, 2)).draw(vis_outpath='g')",
}


def run_without_dot(code: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """In a process of its own, which finds no program."""
    environment = os.environ | {"PATH": str(folder)}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8")


@pytest.mark.parametrize("name", PICTURE)
def test_what_draws_pytorch_needs_graphviz(name: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip(name)
    done = run_without_dot(f"import torch, {name}\n{PICTURE[name]}", tmp_path)
    assert done.returncode != 0
    assert "Graphviz" in done.stderr
    assert row(name)["draws the graph"].startswith("yes")
    assert "needs a Graphviz program as well" in PAGE


def test_torchvista_needs_a_browser_alone(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("torchvista")
    code = "torchvista.trace_model(torch.nn.Linear(2, 1), torch.ones(1, 2), export_path='g.html')"
    done = run_without_dot(f"import torch, torchvista\n{code}", tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "g.html").read_text(encoding="utf-8")
    assert "Viz.instance()" in page
    assert "graphviz" in page
    assert not re.search(r"""<(script|link)[^>]+(src|href)=["']?http""", page)
    assert row("torchvista")["draws the graph"].startswith("yes, the forward pass, as a page")
    assert "and for torchvista, whose page brings Graphviz along" in PAGE
