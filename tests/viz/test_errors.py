"""What cannot be drawn is refused with a sentence that says what to do, in English and in Chinese."""

import ast
import inspect
import itertools
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import viz
from viz import dot, render


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


# What each option takes, and what it does not, by wrong type and by wrong value.
OBJECTS = [object(), ["op1", 5], {"a": 1}, b"op1", range(3), 1j, int, len, "\0<b>" * 9999]
FLAGS = (None, 0, 1, "yes", "", 2.5, *OBJECTS)
OPTIONS = {
    **dict.fromkeys(("shapes", "saved", "formula", "order", "source", "fold"), ((True, False), FLAGS, ())),
    "untracked": ((True, False, None), FLAGS[1:], ()),
    "watched": ((None,), (0, True, "w", 2.5, *OBJECTS), ()),
    "around": (("op1", "w", None), (0, True, 2.5, *OBJECTS[:-1]), ("", "op99", OBJECTS[-1])),
    "depth": ((0, 1, 10**30, None), (True, 1.0, "1", *OBJECTS), (-1, -(10**30))),
    "unfold": (((), [], set()), (None, 0, True, 2.5, ["op1", 5], [None]), ("fold1", ["op1"], {"a": 1})),
    "max_nodes": ((1, 2, 10**30), (None, True, 1.0, "1", *OBJECTS), (0, -1)),
    "direction": (("auto", "right", "up"), (None, 0, True, ["up"], *OBJECTS[:-1]), ("", "sideways", "UP", OBJECTS[-1])),
    "language": (("auto", "en", "zh", "both"), (None, 0, True, ["en"], *OBJECTS[:-1]), ("", "fr", OBJECTS[-1])),
    "engine": (("auto", "pygraphviz"), (None, 0, True, ["dot"], *OBJECTS[:-1]), ("", "neato", OBJECTS[-1])),
    "timeout": ((20, 0.5, float("inf"), 10**9), (None, True, "1", *OBJECTS), (0, -1, 0.0, float("nan"), -float("inf"))),
}
NOT_OF_TEXT = ("formula", "order", "direction", "engine", "timeout", "language")


def test_every_option_is_tried():
    of_draw, of_text = (set(inspect.signature(f).parameters) - {"outputs"} for f in (viz.draw, viz.text))
    assert of_draw == {*OPTIONS, "names"}
    assert of_text == of_draw - set(NOT_OF_TEXT)


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_takes_what_it_says_and_nothing_else(torch, option):
    w = torch.ones(1, requires_grad=True)
    z = (w * 2).exp()
    good, wrong_type, wrong_value = OPTIONS[option]
    calls = [viz.draw] if option in NOT_OF_TEXT else [viz.draw, viz.text]
    for value, call in itertools.product(good, calls):
        assert call(z, **{option: value})
    if option in ("timeout", "max_nodes", "depth"):
        assert all(viz.draw(z, fold=False, **{option: value}).svg for value in good)
    for error, values in ((TypeError, wrong_type), (ValueError, wrong_value)):
        for value, call in itertools.product(values, calls):
            with pytest.raises(error) as raised:
                call(z, **{option: value})
            says(raised, str(raised.value).splitlines()[0])
            assert re.search(rf"{option}\b|no node|no group", str(raised.value))
            assert len(str(raised.value)) < 500


@pytest.mark.parametrize("thing", [*OBJECTS, None, 3, "z", (), []])
def test_only_tensors_and_pictures_can_be_compared(torch, thing):
    z = torch.ones(1, requires_grad=True) * 2
    for a, b in ((thing, z), (z, thing), (viz.draw(z), thing)):
        with pytest.raises(TypeError) as error:
            viz.diff(a, b)
        says(error, f"cannot draw a {type(thing).__name__}: only a tensor has a graph")
    with pytest.raises(ValueError, match="no graph"):
        viz.diff(z, torch.ones(1))


def test_a_graph_refuses_what_is_not_in_it(torch):
    graph = viz.draw(torch.ones(1, requires_grad=True) * 2).graph
    for thing in (*OBJECTS, None, 3, "op9", ""):
        for look in (graph.node, graph.edges_from):
            with pytest.raises(KeyError) as error:
                look(thing)
            says(error, str(error.value).splitlines()[0])
    for part in ("nodes", "edges", "roots"):
        for thing in (None, [], "op1", 5):
            with pytest.raises(TypeError) as error:
                replace(graph, **{part: thing})
            says(error, f"a Graph's {part} cannot be a {type(thing).__name__}")


def test_a_picture_is_of_a_whole_graph(torch, tmp_path):
    graph = viz.draw(torch.ones(1, requires_grad=True) * 2).graph
    assert viz.Picture(graph).svg
    broken = [
        replace(graph, nodes=graph.nodes[1:]),
        replace(graph, roots=("out9",)),
        replace(graph, nodes=(replace(graph.nodes[0], kind="knot"), *graph.nodes[1:])),
    ]
    for thing in (None, 5, "z", graph.to_dict(), *broken):
        with pytest.raises(ValueError if thing in broken else TypeError) as error:
            viz.Picture(thing)
        says(error, str(error.value).splitlines()[0])
    for thing in (None, 5, ["g.svg"]):
        with pytest.raises(TypeError) as error:
            viz.Picture(graph).save(thing)
        says(error, str(error.value).splitlines()[0])


@pytest.mark.parametrize("watched", [viz.watch, viz.record])
def test_only_what_has_a_graph_is_watched(torch, watched):
    for things, error in (((), TypeError), ((5,), TypeError), ((torch.ones(1),), ValueError)):
        with pytest.raises(error) as raised:
            watched(*things)
        says(raised, str(raised.value).splitlines()[0])


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


def test_a_large_layout_is_stopped_and_the_text_stays(torch):
    """Graphviz at work, in a process of its own: it is ended when the time is over, and nothing else is lost."""
    y = x = torch.tensor(1.0, requires_grad=True)
    for _ in range(1000):
        y = (y * 1.5).sin() + x
    picture = viz.draw(y, fold=False, max_nodes=10_000, timeout=0.01)
    began = time.monotonic()
    with pytest.raises(viz.LayoutError) as error:
        picture.svg
    assert time.monotonic() - began < 10  # and not the time that a layout takes
    says(error, "Graphviz did not finish the layout in 0.01 s")
    text = picture._repr_mimebundle_()["text/plain"]
    assert text.startswith("Autograd graph of y: 3,000 operations")
    assert text.endswith("或延长时间：timeout=120。")


def test_edges_past_many_rows_are_not_left_to_graphviz(torch):
    """Few values, each used by all that come after: Graphviz, in this process, would bend their lines for minutes."""
    pool = [torch.ones(1, requires_grad=True)]
    for _ in range(27):
        pool.append(torch.stack(pool).sum(0))
    picture = viz.draw(pool[-1], fold=False)
    assert len(picture.graph.nodes) < 60 < 400 < len(picture.graph.edges)
    assert dot.is_large(picture.graph)
    source = dot.to_dot(picture.graph, picture.cards, picture.direction, for_layout=True)
    assert "splines=none" in source
    assert picture.svg.count('class="link"') == len(picture.graph.edges)


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
