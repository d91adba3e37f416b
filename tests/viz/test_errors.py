"""What cannot be drawn is refused with a sentence that says what to do, in English and in Chinese."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import viz
from viz import render


def says(error, first_line):
    lines = str(error.value).splitlines()
    assert lines[0] == first_line
    assert len(lines) == 3
    assert not lines[1].isascii() or lines[1].strip().startswith("→")
    assert any("\u4e00" <= c <= "\u9fff" for c in lines[2]), "no Chinese"


@pytest.mark.parametrize("thing", [5, 2.5, None, "z", [1, 2]])
def test_not_a_tensor(thing):
    with pytest.raises(TypeError) as error:
        viz.draw(thing)
    says(error, f"cannot draw a {type(thing).__name__}: only a tensor has a graph")


def test_nothing():
    with pytest.raises(TypeError) as error:
        viz.draw()
    says(error, "nothing to draw: give at least one tensor")


def test_tensor_without_graph(torch):
    with pytest.raises(ValueError, match="no graph") as error:
        viz.draw(torch.ones(2))
    says(error, "this tensor has no graph: its grad_fn is None and requires_grad is False")


def test_unknown_suffix(torch, tmp_path):
    w = torch.ones(1, requires_grad=True)
    for name, suffix in (("g.gif", "'.gif'"), ("g", "''")):
        with pytest.raises(ValueError, match="suffix") as error:
            viz.draw(w).save(tmp_path / name)
        says(error, f"cannot save a picture as {name!r}: unknown file suffix {suffix}")
    assert list(tmp_path.iterdir()) == []


def test_unknown_engine_and_direction(torch):
    w = torch.ones(1, requires_grad=True)
    with pytest.raises(ValueError, match="direction"):
        viz.draw(w, direction="sideways")
    with pytest.raises(ValueError, match="engine"):
        viz.draw(w, engine="neato").svg


def test_names_must_map_names_to_tensors(torch):
    w = torch.ones(1, requires_grad=True)
    for names in ("w", {w: "w"}, {"w": 5}, 7):
        with pytest.raises(TypeError) as error:
            viz.draw(w, names=names)
        says(error, "names= must map each name to a tensor")


def test_no_graphviz_at_all(torch, monkeypatch):
    monkeypatch.setattr(render.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(render.shutil, "which", lambda name: None)
    w = torch.ones(1, requires_grad=True)
    picture = viz.draw(w)
    with pytest.raises(viz.LayoutError, match="pip install pygraphviz") as error:
        picture.svg
    says(error, "Graphviz is not installed, so the graph cannot be laid out")
    # the notebook still gets the text, and is told what to do
    bundle = picture._repr_mimebundle_()
    assert list(bundle) == ["text/plain"]
    assert bundle["text/plain"].startswith(picture.text)
    assert "pip install pygraphviz" in bundle["text/plain"]


def test_slow_layout_is_stopped(torch, monkeypatch):
    monkeypatch.setattr(render, "_SMALL", 0)
    monkeypatch.setattr(render, "_CHILD", "import time; time.sleep(60)")
    w = torch.ones(1, requires_grad=True)
    with pytest.raises(viz.LayoutError) as error:
        viz.draw(w, timeout=0.2).svg
    says(error, "Graphviz did not finish the layout in 0.2 s")


def test_sources_name_no_tensor_library():
    for path in Path(viz.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert {name.partition(".")[0] for name in names}.isdisjoint({"torch", "minigrad", "numpy"}), path


def test_import_needs_no_tensor_library():
    """viz must work where only PyTorch, or only minigrad, is installed; and importing it must stay light."""
    code = "import sys, viz; print(sorted({'torch', 'minigrad', 'numpy', 'pygraphviz'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
