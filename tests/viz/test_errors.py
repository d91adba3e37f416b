"""What cannot be drawn is refused with a sentence that says what to do, in English and in Chinese."""

import inspect
import io
import itertools
import os
import re
import signal
import subprocess
import sys
import threading
import time

import pytest

import viz
from viz.notebook.recording import hints_of
from viz.picture import render
from viz.picture.long import left_out


def says(error, first_line):
    lines = str(error.value).splitlines()
    assert lines[0] == first_line
    assert len(lines) == 3
    assert not lines[1].isascii() or lines[1].strip().startswith("→")
    assert any("\u4e00" <= c <= "\u9fff" for c in lines[2]), "no Chinese"


@pytest.mark.parametrize("thing", [5, 2.5, None, "z"])
def test_not_a_tensor(thing):
    with pytest.raises(TypeError) as error:
        viz.draw(thing)
    says(error, f"cannot draw this: only a tensor has a graph, and it is of type {type(thing).__name__}")
    with pytest.raises(TypeError, match=f"it is of type {type(thing).__name__}"):  # what is wrong, not where it stands
        viz.draw([thing])


def test_nothing():
    with pytest.raises(TypeError) as error:
        viz.draw()
    says(error, "nothing to draw: give at least one tensor")
    with pytest.raises(TypeError) as error:
        viz.draw([])
    says(error, "nothing to draw: give at least one tensor")


def test_tensor_without_graph(torch):
    with pytest.raises(ValueError, match="no graph") as error:
        viz.draw(torch.ones(2))
    says(error, "this tensor has no graph: its grad_fn is None and requires_grad is False")


@pytest.mark.parametrize(("letters", "lines"), [("cp1252", 2), ("gbk", 3)])
def test_an_error_is_printed_in_the_letters_that_the_output_has(torch, monkeypatch, letters, lines):
    """A pipe on Windows: an English one has no →, and `print(error)` raised UnicodeEncodeError; nor has it Chinese."""
    monkeypatch.delenv("MINIGRAD_LANG", raising=False)
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), encoding=letters))
    with pytest.raises(ValueError, match="has no graph") as error:
        viz.draw(torch.ones(2))
    print(error.value)
    assert len(str(error.value).splitlines()) == lines
    assert "?" not in str(error.value)


def test_unknown_suffix(torch, tmp_path):
    w = torch.ones(1, requires_grad=True)
    for name, suffix in (("g.gif", "'.gif'"), ("g", "''")):
        with pytest.raises(ValueError, match="suffix") as error:
            viz.draw(w).save(tmp_path / name)
        says(error, f"cannot save {name!r}: unknown file suffix {suffix}")
    assert list(tmp_path.iterdir()) == []


def test_the_wrong_word_of_a_list_is_named(torch):
    with pytest.raises(ValueError, match="bogus") as error:
        viz.draw(torch.ones(1, requires_grad=True) * 2, show=["saved", "bogus"])
    says(error, "show= cannot be 'bogus'")


# What each option takes, and what it does not, by wrong type and by wrong value.
OBJECTS = [object(), ["op1", 5], {"a": 1}, b"op1", range(3), 1j, int, len, "\0<b>" * 9999]
OPTIONS = {
    "show": (
        ((), [], set(), "saved", ["formula", "order"], ("untracked", "repeats"), {"saved"}),
        (None, 0, True, 2.5, ["saved", 5], [None]),
        ("", "everything", "Saved", ["saved", "yes"], {"a": 1}, "fold1", ["module1"], OBJECTS[-1]),
    ),
    "around": (("op1", "w", None), (0, True, 2.5, *OBJECTS[:-1]), ("", "op99", OBJECTS[-1])),
    "depth": ((0, 1, 10**30, None), (True, 1.0, "1", *OBJECTS), (-1, -(10**30))),
    "modules": ((0, 1, 2, 10**30, None), (True, 1.0, "1", *OBJECTS), (-1,)),
    "max_nodes": ((1, 2, 10**30), (None, True, 1.0, "1", *OBJECTS), (0, -1)),
    "direction": (("auto", "right", "up"), (None, 0, True, ["up"], *OBJECTS[:-1]), ("", "sideways", "UP", OBJECTS[-1])),
}


def test_every_option_is_tried():
    assert set(inspect.signature(viz.draw).parameters) == {*OPTIONS, "names", "outputs"}


def test_what_holds_for_all_pictures(torch, monkeypatch):
    z = torch.ones(1, requires_grad=True) * 2
    for name in ("engine", "timeout", "language"):
        monkeypatch.setattr(viz.options, name, getattr(viz.options, name))  # put back afterwards
    viz.options.language = "zh"
    assert viz.draw(z).title.endswith("1 个叶子节点（leaf1）")
    for _ in range(300):
        z = z * 2 + z.exp()
    viz.options.timeout = 0.001
    with pytest.raises(viz.LayoutError, match="did not finish the layout in 0.001 s"):
        _ = viz.draw(z, show="repeats", max_nodes=10_000).svg
    wrong_ones = (("engine", "neato", ValueError), ("timeout", "1", TypeError), ("language", None, TypeError))
    for name, wrong, error in wrong_ones:
        with pytest.raises(error) as raised:
            setattr(viz.options, name, wrong)
        says(raised, f"{name}= cannot be {wrong!r}")
    with pytest.raises(AttributeError) as raised:
        viz.options.depth = 3
    says(raised, "viz.options has no 'depth'")


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_takes_what_it_says_and_nothing_else(torch, option):
    w = torch.ones(1, requires_grad=True)
    z = (w * 2).exp()
    good, wrong_type, wrong_value = OPTIONS[option]
    calls = [viz.draw, viz.text, *[viz.record] * (option == "modules")]
    for value, call in itertools.product(good, calls):
        assert call(z, **{option: value})
    if option in ("timeout", "max_nodes", "depth"):
        assert all(viz.draw(z, show="repeats", **{option: value}).svg for value in good)
    for error, values in ((TypeError, wrong_type), (ValueError, wrong_value)):
        for value, call in itertools.product(values, calls):
            with pytest.raises(error) as raised:
                call(z, **{option: value})
            says(raised, str(raised.value).splitlines()[0])
            assert re.search(rf"{option}\b|no node|no group", str(raised.value))
            assert len(str(raised.value)) < 500


def test_a_graph_refuses_what_is_not_in_it(torch):
    graph = viz.draw(torch.ones(1, requires_grad=True) * 2).graph
    for thing in (*OBJECTS, None, 3, "op9", ""):
        for look in (graph.node, graph.edges_from):
            with pytest.raises(ValueError, match="^there is no node") as error:
                look(thing)
            says(error, str(error.value).splitlines()[0])


@pytest.mark.parametrize("watched", [viz.record])
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
    monkeypatch.setattr(render, "_HAS_PYGRAPHVIZ", False)
    monkeypatch.setattr(render.shutil, "which", lambda name: None)
    w = torch.ones(1, requires_grad=True)
    picture = viz.draw(w)
    with pytest.raises(viz.LayoutError, match=re.escape('pip install "minigrad-lessons[viz]"')) as error:
        picture.svg
    says(error, "Graphviz is not installed, so the graph cannot be laid out")
    # the notebook still gets the text, and is told what to do
    bundle = picture._repr_mimebundle_()
    assert list(bundle) == ["text/plain"]
    assert bundle["text/plain"].startswith(picture.text)
    assert 'pip install "minigrad-lessons[viz]"' in bundle["text/plain"]


def test_slow_layout_is_stopped(torch, monkeypatch):
    render._worker.end()
    monkeypatch.setattr(render, "_CHILD", "import time; time.sleep(60)")
    w = torch.ones(1, requires_grad=True)
    monkeypatch.setattr(viz.options, "timeout", 0.2)
    with pytest.raises(viz.LayoutError) as error:
        viz.draw(w).svg
    says(error, "Graphviz did not finish the layout in 0.2 s")


def test_a_large_layout_is_stopped_and_the_text_stays(torch, monkeypatch):
    """Graphviz at work, in a process of its own: it is ended when the time is over, and nothing else is lost."""
    y = x = torch.tensor(1.0, requires_grad=True)
    for _ in range(1000):
        y = (y * 1.5).sin() + x
    picture = viz.draw(y, show="repeats", max_nodes=10_000)
    monkeypatch.setattr(viz.options, "timeout", 0.01)
    began = time.monotonic()
    with pytest.raises(viz.LayoutError) as error:
        picture.svg
    assert time.monotonic() - began < 60  # and not the minutes that a layout takes
    says(error, "Graphviz did not finish the layout in 0.01 s")
    text = picture._repr_mimebundle_()["text/plain"]
    assert text.startswith("Autograd graph of y: 3,000 operations")
    assert text.endswith("或延长时间：viz.options.timeout = 120。")


# few lines that Graphviz needs minutes for: each node is joined to the 28 before it
DENSE = "".join(f"n{i} -> n{j}\n" for j in range(80) for i in range(max(0, j - 28), j)).join(["digraph {\n", "}"])


def test_a_small_layout_is_stopped_and_the_next_one_comes():
    began = time.monotonic()
    with pytest.raises(viz.LayoutError) as error:
        render.layout(DENSE, timeout=0.3)
    assert time.monotonic() - began < 60
    says(error, "Graphviz did not finish the layout in 0.3 s")
    assert list(render.layout('digraph { a [label=""] }').nodes) == ["a"]


def test_what_graphviz_refuses_is_a_layout_error():
    with pytest.raises(viz.LayoutError, match="Graphviz failed: ") as error:
        render.layout("digraph { a [ }")
    says(error, str(error.value).splitlines()[0])
    assert list(render.layout('digraph { a [label=""] }').nodes) == ["a"]


def test_a_picture_is_drawn_where_the_process_of_graphviz_was_ended(torch):
    w = torch.ones(1, requires_grad=True)
    assert viz.draw(w * 2).svg
    render._worker._process.kill()
    render._worker._process.wait()
    assert viz.draw(w * 3).svg


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
def test_a_forked_process_draws_by_itself(torch):
    """Two that ask one process at a time would get each other's answers."""
    w = torch.ones(1, requires_grad=True)
    assert viz.draw(w).svg
    mine = render._worker._process.pid
    child = os.fork()
    if child == 0:
        drawn = viz.draw(w * 2).svg
        os._exit(0 if "MulBackward0" in drawn and render._worker._process.pid != mine else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert viz.draw(w).svg
    assert render._worker._process.pid == mine


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="only there a signal can be sent to a thread")
def test_ctrl_c_ends_a_layout_and_the_next_one_is_right(torch):
    """The answer that nobody waited for must not be taken for that to the next question."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    w = torch.ones(1, requires_grad=True)
    right = viz.draw(w * 2).svg
    threading.Timer(0.3, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        render.layout(DENSE)
    signal.signal(signal.SIGINT, before)
    assert viz.draw(w * 2).svg == right


def test_edges_past_many_rows_are_not_left_to_graphviz(torch):
    """Few values, each used by all that come after: Graphviz would bend their lines for minutes."""
    pool = [torch.ones(1, requires_grad=True)]
    for _ in range(27):
        pool.append(torch.stack(pool).sum(0))
    picture = viz.draw(pool[-1], show="repeats")
    assert len(picture.graph.nodes) < 60 < 400 < len(picture.graph.edges)
    assert left_out(picture.graph)
    assert picture.svg.count('class="link"') == len(picture.graph.edges)


def test_import_needs_no_tensor_library():
    """viz must work where only PyTorch, or only minigrad, is installed; and importing it must stay light."""
    code = "import sys, viz; print(sorted({'torch', 'minigrad', 'numpy', 'pygraphviz'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


TOO_FEW = """
class Own(torch.autograd.Function):
    forward = staticmethod(lambda ctx, a, k: a * k)
    backward = staticmethod(lambda ctx, g: g)
Own.apply(w, 2).backward()
"""


def test_without_a_gpu_the_notes_code_for_one_has_advice():
    assert "leave .cuda() out" in hints_of(AssertionError("Torch not compiled with CUDA enabled"))[0]


@pytest.mark.parametrize(
    ("found", "cure"), [("Long but found Float", "y.long()"), ("Double but found Float", "x.float()")]
)
def test_what_pytorch_said_until_2_9_has_advice(found, cure):
    assert cure in hints_of(RuntimeError(f"expected scalar type {found}"))[0]


@pytest.mark.parametrize(
    ("program", "cure"),
    [
        ("torch.autograd.grad(w * 2, x)", "No path leads"),
        ("torch.tensor([1, 2], requires_grad=True)", "x.float()"),
        ("torch.tensor([1, 2]).requires_grad_()", "x.float()"),
        ("(x * 2).backward(torch.ones(2))", "the result's own shape"),
        ("torch.optim.SGD([w * 2], lr=0.1)", "updates leaves"),
        ("torch.nn.Linear(3, 2)(torch.ones(2, 3, dtype=torch.float64))", "convert the data"),
        ("torch.mv(torch.ones(2, 3, dtype=torch.float64), x)", "layer.float()"),
        ("x.sum().item().backward()", "call backward() on the tensor"),
        ("x.backward()", "single number"),
        ("torch.autograd.grad(w * 2, torch.tensor(1.0))", "x.requires_grad_()"),
        ("(w * 2).numpy()", "x.detach().numpy()"),
        ("torch.optim.SGD(w, lr=0.1)", "SGD([w]"),
        ("torch.optim.SGD([], lr=0.1)", "nn.ModuleList"),
        ("torch.nn.functional.cross_entropy(torch.ones(1, 2), torch.tensor([0.0]))", "y.long()"),
        ("if x == x: pass", ".all()"),
        ("x.item()", "tolist()"),
        ("iter(torch.utils.data.DataLoader(x)).next()", "next(dataiter)"),
        ("x.sum().data[0]", "loss.item()"),
        ("torch.nn.Linear(4, 2)(torch.ones(2, 2, 2))", "x.flatten(1)"),
        ("w.detach().backward()", "requires_grad=True"),
        ("w.add_(1)", "no_grad()"),
        ("(w * 2).requires_grad_(False)", "detach()"),
        ("h = w * w; h.backward(); (h * w).backward()", "h = h.detach()"),
        ("h = w * w; h.exp().backward(); h.sin().backward()", "(a + b).backward()"),
        ("h, w.grad = w * w, x.detach().sum()\ntorch.optim.SGD([w], lr=0.1).step()\nh.backward()", "step()"),
        (TOO_FEW, "None for what needs none"),
    ],
)
def test_what_to_do_about_an_error_of_pytorchs_is_known_by_its_words(program, cure):
    torch = pytest.importorskip("torch")
    variables = {"torch": torch, "w": torch.tensor(1.0, requires_grad=True), "x": torch.ones(3, requires_grad=True)}
    with pytest.raises((AttributeError, RuntimeError, ValueError, TypeError, IndexError)) as error:
        exec(program, variables)
    assert cure in hints_of(error.value)[0]
