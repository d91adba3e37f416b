"""A program that `viz.live()` follows goes on as if it were not followed: the same numbers, errors, time and end."""

import gc
import importlib
import json
import os
import pickle
import random
import signal
import subprocess
import sys
import time
import traceback
import types
from functools import partial
from itertools import pairwise

import pytest

import viz
from tests.viz.conftest import LIBRARIES
from tests.viz.test_live import FIRST

recorder = importlib.import_module("viz.notebook.recording")
sight = importlib.import_module("viz.notebook.sight")
GROWN = "w = torch.tensor(1., requires_grad=True)\ny = w\nfor i in range({}): y = y * 1.0001"


def note(notebook, lang="en"):
    return notebook.panel.scene["note"][lang]


# -- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "call"),
    [
        ("w = torch.tensor(2.); loss = w * 3; loss.backward()", "loss.backward()"),
        ("w = torch.tensor(2.); (w * 3).backward()", "(w * 3).backward()"),
        (
            "w = torch.tensor(2., requires_grad=True); loss = w.detach() * 3; torch.autograd.grad(loss, w)",
            "torch.autograd.grad(loss, w)",
        ),
    ],
)
def test_an_untracked_tensor_fails_with_its_own_error_and_is_shown(notebook, cell, call):
    notebook.run("p = torch.tensor(1., requires_grad=True); (p * 2).backward()")
    with pytest.raises(RuntimeError) as alone:
        exec(cell, {"torch": notebook.shell.user_ns["torch"]})
    followed = notebook.shell.run_cell(cell, store_history=True).error_in_exec
    assert type(followed) is alone.type
    assert str(followed) == str(alone.value), "the panel changes what the learner is told"
    assert getattr(followed, "__notes__", None) == getattr(alone.value, "__notes__", None)
    trace, panel = notebook.panel.trace, notebook.panel
    assert (panel.view, trace["call"]) == ("pass", call), "the panel shows the pass before, as if nothing had happened"
    nodes = {node["id"]: node for node in trace["scene"]["nodes"]}
    assert {node["kind"] for node in nodes.values()} == {"untracked"}
    assert trace["scene"]["edges"] == [], "no way leads back"
    (step,) = trace["steps"]
    assert step["kind"] == "error"
    assert nodes[step["node"]]["value"] == "6."
    assert step["hint"]["en"]
    assert "Nothing is tracked here" in trace["scene"]["note"]["en"]
    assert "没有记录" in trace["scene"]["note"]["zh"]


FROZEN = """
import dataclasses
@dataclasses.dataclass(frozen=True)
class Told(Exception): pass
def fails(grad): raise Told
w = torch.tensor(2., requires_grad=True)
w.register_hook(fails)
"""


@pytest.mark.parametrize("call", ["w.detach().backward()", "(w * 3).backward(1, 2, 3, 4, 5, 6)", "(w * 3).backward()"])
def test_no_line_of_the_panel_is_in_a_traceback(notebook, call):
    alone = {"torch": notebook.shell.user_ns["torch"]}
    exec(FROZEN, alone)
    with pytest.raises((RuntimeError, TypeError, alone["Told"])) as error:
        exec(call, alone)
    notebook.run(FROZEN)
    followed = notebook.shell.run_cell(call, store_history=True).error_in_exec
    assert type(followed).__name__ == error.type.__name__
    frames = [frame.name for frame in traceback.extract_tb(followed.__traceback__)]
    frames = [name for name in frames[frames.index("<module>") :] if name not in ("apply_hooks", "run_with_hooks")]
    expected = [frame.name for frame in traceback.extract_tb(error.tb)[1:]]
    assert "run_between" not in frames
    assert frames[:3] == expected[:3]


def test_an_interrupt_shows_the_learners_lines_alone(notebook, capsys):
    """Also where it comes while a mark of the cell's tells the panel something."""
    calls = iter(range(100))

    def interrupted():
        if next(calls) > 20:
            raise KeyboardInterrupt
        return False

    follower = notebook.panel.follower
    notebook.shell.events.register("pre_run_cell", lambda info: setattr(follower, "_compiles", interrupted))
    notebook.shell.run_cell("w = torch.tensor(2., requires_grad=True)")
    capsys.readouterr()
    notebook.shell.run_cell("for i in range(50):\n    (w * 3).backward()", store_history=True)
    shown = capsys.readouterr().out
    assert "KeyboardInterrupt" in shown
    assert "follow.py" not in shown


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_warning_is_told_of_the_learners_line(library):
    old = "torch.autograd.grad(w * 2, w, only_inputs=False)"  # PyTorch's own; minigrad warns of `create_graph`
    call = old if library == "torch" else "(w * 2).backward(create_graph=True)"
    done = followed(
        f"import {library} as torch\nw = torch.tensor(2., requires_grad=True)", f"for i in range(2): {call}"
    )
    assert done.stderr.count("Warning: ") == 1
    assert "<ipython-input-" in done.stderr.partition("Warning: ")[0]
    assert "follow.py" not in done.stderr


def test_no_cell_is_warned_of_once_more():
    """Of ``\\s`` in a text Python (from 3.12 on) warns where it reads the cell, and not where the panel does, too."""
    first = "import minigrad as torch\nw = torch.tensor(2., requires_grad=True)"
    label = 'def model(x):\n    label = "$\\sigma$", r"\\s\\"", b"\\\\\\s"\n    return w * x'
    done = followed(first, label, "loss = model(3.) ** 2\nloss.backward()\nprint(w.grad)", "print('\\s'); w.backward()")
    assert done.returncode == 0, done.stderr
    assert "<unknown>" not in done.stderr, done.stderr


def test_a_leaf_may_be_what_backward_is_called_on(notebook):
    notebook.run("w = torch.tensor(2., requires_grad=True); w.backward()")
    assert notebook.shell.user_ns["w"].grad.item() == 1
    notebook.run("v = torch.ones(2, requires_grad=True); v.backward()", error=RuntimeError)
    (step,) = notebook.panel.trace["steps"]
    labels = {node["id"]: node["label"] for node in notebook.panel.trace["scene"]["nodes"]}
    assert labels[step["node"]] == "v"
    assert "scalar outputs" in step["error"]


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("a = 1\nnope", "NameError: name 'nope' is not defined"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("if", "SyntaxError: invalid syntax"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("(w * x).backward(); nope", "NameError: name 'nope' is not defined"),
    ],
)
def test_a_cell_that_raises_leaves_its_mark(notebook, cell, said):
    notebook.run(FIRST)
    notebook.shell.run_cell(cell, store_history=True)
    notebook.settle()
    number = notebook.panel.follower.cell.number
    assert note(notebook).startswith(f"In [{number}] ended with {said}")
    assert note(notebook, "zh").startswith(f"In [{number}] 因错误中止：{said}")
    assert notebook.panel.view == "live"
    notebook.run("u = 1")
    assert note(notebook) == "", "the next cell went well"


# -- hooks -----------------------------------------------------------------------------------------------------------


def test_an_error_deep_in_a_network_says_of_which_module(notebook):
    """A traceback shows the line of `Block.forward`, and not which of the blocks it was."""
    notebook.run(
        "class Block(torch.nn.Module):\n    def __init__(self, wide):\n        super().__init__()\n"
        "        self.a, self.b = torch.nn.Linear(2, 3), torch.nn.Linear(wide, 2)\n"
        "    def forward(self, x):\n        return self.b(torch.relu(self.a(x)))\n"
        "net = torch.nn.Sequential(Block(3), Block(4), Block(3))"
    )
    result = notebook.shell.run_cell("y = net(torch.ones(1, 2))", store_history=True)
    number = notebook.panel.follower.cell.number
    raised = type(result.error_in_exec).__name__
    assert note(notebook).startswith(f"In [{number}], net.1.b() ended with {raised}: ")
    assert f"In [{number}] 在 net.1.b() 里因错误中止：{raised}: " in notebook.panel.scene["note"]["zh"]


@pytest.mark.parametrize(
    ("cell", "of"),
    [
        ("net(x, 3)", ", net()"),
        (
            "class Own(torch.nn.Linear):\n    def forward(s, x): return x + torch.ones(5)\nown = Own(2, 2)\nown(x)",
            ", own()",
        ),
        ("def forward(): raise ValueError\nforward()", ""),
    ],
)
def test_a_call_that_fails_names_its_module_however_it_is_written(notebook, cell, of):
    notebook.run("net = torch.nn.Linear(2, 3)\nx = torch.ones(2)")
    notebook.shell.run_cell(cell, store_history=True)
    assert note(notebook).startswith(f"In [{notebook.panel.follower.cell.number}]{of} ended with ")


def test_an_error_outside_of_forward_is_of_no_module(notebook):
    """`load_state_dict`, and what a class of one's own has beside `forward`, calls no module."""
    notebook.run("net = torch.nn.Linear(2, 3)")
    notebook.shell.run_cell("net.load_state_dict({})", store_history=True)
    assert note(notebook).startswith(f"In [{notebook.panel.follower.cell.number}] ended with RuntimeError: ")


def test_the_panel_unpacks_nothing(notebook):
    notebook.run(
        "class Square(torch.autograd.Function):\n"
        "    forward = staticmethod(lambda ctx, x: ctx.save_for_backward(x) or x**2)\n"
        "    backward = staticmethod(lambda ctx, grad: grad * 2 * ctx.saved_tensors[0])\n"
        "unpacked = []\nx = torch.tensor([1., 2.], requires_grad=True)\n"
        "with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: unpacked.append(t) or t):\n"
        "    loss = (x.exp() * Square.apply(x)).sum()\nother = 1"
    )
    notebook.run("panel.follower._look()")
    viz.draw(notebook.shell.user_ns["loss"], show="saved")
    assert not notebook.shell.user_ns["unpacked"], "the user's own hook ran for a picture"
    notebook.run("loss.backward()")
    assert len(notebook.shell.user_ns["unpacked"]) == 4


def test_a_checkpoint_is_not_computed_for_the_panel(notebook):
    notebook.run(
        "import importlib\n"
        "checkpoint = importlib.import_module(torch.__name__ + '.utils.checkpoint').checkpoint\n"
        "forwards = []\n"
        "class Layer(torch.nn.Module):\n"
        "    def forward(self, x):\n"
        "        forwards.append(1)\n"
        "        return (x * 2).exp()\n"
        "layer = Layer()\n"
        "loss = checkpoint(layer, torch.ones(3, 2, requires_grad=True), use_reentrant=False).sum()\n"
        "other = 1"
    )
    notebook.run("panel.follower._look()")
    assert len(notebook.shell.user_ns["forwards"]) == 1, "the panel computes the forward pass again"
    notebook.run("loss.backward()")
    assert len(notebook.shell.user_ns["forwards"]) == 2


def test_a_batch_norm_under_a_checkpoint_counts_its_own_batches():
    torch = pytest.importorskip("torch")
    done = followed(
        "import torch",
        "from torch.utils.checkpoint import checkpoint",
        "layer = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))",
        "loss = checkpoint(layer, torch.ones(3, 2, requires_grad=True), use_reentrant=False).sum()",
        "panel.follower._look()",
        "print('batches', layer[1].num_batches_tracked.item())",
    )
    assert "batches 1\n" in done.stdout, torch.__version__


LISTENS = """
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
heard = []
class Functions(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        heard.append(func)
        return func(*args, **(kwargs or {}))
class Dispatched(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        heard.append(func)
        return func(*args, **(kwargs or {}))
class Logged(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        heard.append(func)
        return super().__torch_function__(func, types, args, kwargs or {})
"""


@pytest.mark.parametrize("notebook", [name for name in LIBRARIES if name == "torch"], indirect=True)
def test_what_listens_to_every_operation_hears_the_program_alone(notebook):
    space = notebook.shell.user_ns
    program = [
        "with Functions():\n    y = w * 3\n    y.backward()\n    z = w * 2",
        "with Dispatched():\n    for i in range(3): (w * i).backward()",
        "v = w.as_subclass(Logged)\ny = v * 3\ny.backward()\ny @ torch.ones(3)",
        "y @ v",
        "v.grad + 1",
    ]
    notebook.run("w = torch.tensor(2., requires_grad=True)" + LISTENS)
    alone = {"torch": space["torch"], "w": space["w"].detach().requires_grad_()}
    exec(LISTENS, alone)
    for cell in program:
        alone["heard"].clear()
        space["heard"].clear()
        errors = []
        try:
            exec(cell, alone)
        except (RuntimeError, TypeError) as error:
            errors.append(str(error))
        followed = notebook.shell.run_cell(cell, store_history=True).error_in_exec
        assert [str(followed)] * bool(followed) == errors
        assert [str(one) for one in space["heard"]] == [str(one) for one in alone["heard"]], cell
    assert "not looked at: Logged would be called for it" in note(notebook)
    assert "没有查看：一查看张量就会触发 Logged" in note(notebook, "zh")
    notebook.run("from torch.profiler import profile\nwith profile() as seen: (w * 2).backward()")
    assert "aten::detach" not in {event.key for event in space["seen"].key_averages() if event.count > 1}
    notebook.run("del v, y\nmode = Functions()\nx = mode.__enter__()")
    assert note(notebook) == "This picture is old: Lacks: not looked at: Functions would be called for it"
    notebook.run("x = mode.__exit__(None, None, None)\ntorch.set_default_device('cpu')\nu = w * 5\nu.backward()")
    assert notebook.panel.trace["call"] == "u.backward()", "a default device is no listener"
    notebook.run("torch.set_default_device(None)")


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="no alarms")
def test_an_alarm_of_the_programs_is_not_lost(notebook, monkeypatch):
    """It rings while the panel works: as it counts a loop, in a hook of the pass, and while the picture is made."""
    notebook.run(
        "import signal\nclass Late(Exception): pass\ndef late(*given): raise Late\n"
        "before = signal.signal(signal.SIGALRM, late)\n" + FIRST
    )
    recording, counting, drawing = recorder.Recording, viz.notebook.rounds, viz.notebook.scene.Scenes
    for owner, name in (recording, "_starts"), (counting, "caller_namespace"), (drawing, "trace"):
        real, rung = getattr(owner, name), []

        def rings(*given, real=real, rung=rung):
            if not rung:
                rung.append(signal.raise_signal(signal.SIGALRM))
            return real(*given)

        with monkeypatch.context() as patched:
            patched.setattr(owner, name, rings)
            notebook.run("caught = 0\ntry:\n    (w * x).backward()\nexcept Late: caught = 1")
        assert rung
        assert notebook.shell.user_ns["caught"] == 1, name
        assert signal.getsignal(signal.SIGALRM) is notebook.shell.user_ns["late"]
        notebook.run("(w * x).backward()")
        assert notebook.panel.trace["ended"]
    notebook.run("signal.signal(signal.SIGALRM, before)")


class Odd(Exception):
    """What no code of ours raises."""


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="no alarms")
def test_what_handles_the_programs_alarms_hears_of_its_own_alone(notebook, monkeypatch):
    """A profiler that has put a function in the place of `signal.signal`, and rings."""
    asked, real = [], signal.signal
    before = signal.signal(signal.SIGALRM, lambda *given: None)
    monkeypatch.setattr(signal, "signal", lambda *given: asked.append(given) or real(*given))
    notebook.run(FIRST + "(w * x).backward()")
    monkeypatch.undo()
    signal.signal(signal.SIGALRM, before)
    assert notebook.panel.trace["ended"]
    assert not asked


def test_what_a_recording_stumbles_over_stays_out_of_the_pass(notebook, monkeypatch):
    def fails(grad):
        raise Odd("no words for this")

    monkeypatch.setattr(recorder, "gradient", fails)
    notebook.run(FIRST + "loss = w * x + b\nloss.backward()\ngot = w.grad")
    assert notebook.shell.user_ns["got"].item() == 3
    panel = notebook.panel
    assert panel.view == "pass"
    assert [step["kind"] for step in panel.trace["steps"]].count("op") == 2, "what is known is still told"
    assert "could not be recorded: Odd: no words for this" in panel.trace["scene"]["note"]["en"]
    assert "没能录下来" in panel.trace["scene"]["note"]["zh"]


def test_a_failing_helper_does_not_reach_a_recorded_pass(torch, monkeypatch):
    for helper in ("read_slots", "filled", "letters", "_equation", "is_accumulate"):
        w = torch.tensor(2.0, requires_grad=True)
        loss = (w * 3) ** 2
        with monkeypatch.context() as patched:

            def fails(*args, helper=helper):
                raise Odd(helper)

            run = viz.record(loss)
            with run:
                patched.setattr(recorder, helper, fails)
                loss.backward()
        assert w.grad.item() == 36
        assert f"not all of it was recorded: Odd: {helper}" in repr(run)


class Refusing:
    """What a class of tensors of the user's own may do."""

    requires_grad = is_leaf = True

    @property
    def grad_fn(self):
        raise Odd("not to be asked")


def test_a_variable_that_cannot_be_asked_is_passed_over(torch):
    w = torch.tensor(2.0, requires_grad=True)
    lost, _ = (base := w * torch.ones(2)).unbind()
    base.mul_(2)  # in PyTorch, `lost` does not know any more what made it
    refusing = Refusing()
    loss = w * 3
    assert "AccumulateGrad(w)" in viz.draw(loss).text
    with viz.record(loss) as run:
        loss.backward()
    assert run.missing == ""
    assert run.gradients["w"].short == "3."
    del lost, refusing


def test_a_recording_that_is_interrupted_as_it_begins_leaves_no_hook(torch, monkeypatch):
    w = torch.tensor(2.0, requires_grad=True)
    loss = (w * 3) ** 2
    run, hooks = viz.record(loss), []

    def interrupted(*what):
        if len(hooks) == 4:
            raise KeyboardInterrupt
        hooks.append(what)
        return partial(*what)

    monkeypatch.setattr(recorder, "partial", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run.__enter__()
    monkeypatch.undo()
    loss.backward()
    assert w.grad.item() == 36
    assert run.steps == []


def test_a_recording_without_a_graph_says_so(torch, monkeypatch):
    def fails(*args):
        raise Odd("no graph")

    monkeypatch.setattr(viz.notebook.scene.Scenes, "read", fails)
    w = torch.tensor(2.0, requires_grad=True)
    loss = w * 3
    with viz.record(loss) as run:
        loss.backward()
    assert w.grad.item() == 3
    assert run._repr_mimebundle_() == {"text/plain": repr(run)}
    assert "not all of it was recorded: Odd: no graph" in repr(run)
    with pytest.raises(RuntimeError, match="no backward pass was recorded"):
        _ = run.gradients


def test_sizes_that_are_not_known_do_not_fail_the_pass():
    torch = pytest.importorskip("torch")
    for layout in (torch.strided, torch.jagged):
        parts = [torch.ones(2, 3), torch.ones(4, 3)]
        nested = torch.nested.nested_tensor(parts, layout=layout, requires_grad=True)
        loss = (torch.nested.to_padded_tensor(nested * 2, 0.0) * 3).sum()
        run = viz.record(loss)
        with run:
            loss.backward()
        assert nested.grad is not None
        assert run.missing == ""
        assert [step.kind for step in run.steps][-1] == "accumulate"


# -- size ------------------------------------------------------------------------------------------------------------


def followed(*lines):
    """Runs each line as a cell of a program of its own, which `viz.live()` follows; it fails where it says so."""
    code = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        "shell.kernel = None\n"
        f"for cell in ('import viz; panel = viz.live()', *{lines!r}):\n"
        "    assert shell.run_cell(cell, store_history=True).success != ('# fails' in cell), cell\n"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8")


def test_a_cell_may_change_where_python_looks_for_modules():
    """As the first cells of notes for Colab do. From there on the panel said that no Graphviz is installed."""
    wrong = "w = torch.tensor(1., requires_grad=True); w.backwards()  # fails"
    changed = "import sys, minigrad as torch; sys.path = [path for path in sys.path if 'site-packages' not in path]"
    done = followed(changed, wrong, "print('note:', panel.scene['note']['en'])")
    assert done.returncode == 0, done.stderr[-2000:]
    assert "note: In [3] ended with AttributeError: 'Tensor' object has no attribute 'backwards'" in done.stdout


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_graph_of_60000_operations_may_be_made_and_dropped(library):
    done = followed(
        f"import {library} as torch\n" + GROWN.format(60_000),
        "z = y * 2",
        "z.backward()",
        "del y, z",
        "y = w\nfor i in range(60_000): y = y * 1.0001\ny.backward()\ndel y",
        "total = w * 0\nfor i in range(10_000):\n    total = total + w * i\n    if i % 500 == 0: (w * 2).backward()",
        "del total\nprint('all dropped')",
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "all dropped" in done.stdout


def test_a_graph_that_is_too_large_is_said_to_be_and_left_alone(notebook, monkeypatch):
    notebook.run("small = torch.tensor(3., requires_grad=True) * 2\n" + GROWN.format(6_000))
    assert note(notebook) == "Too large to follow, with more than 5,000 operations: y."
    assert "不再跟随：y" in note(notebook, "zh")
    assert "small" in notebook.nodes("title"), "what is small is still followed"
    assert "w" in notebook.nodes("label")
    met = []
    walk = sight.walk
    monkeypatch.setattr(sight, "walk", lambda *args: (met.append(step) or step for step in walk(*args)))
    notebook.run("a = 1\nb = 2\ny = y * 1.0001")
    assert met, "the small one is read"
    assert len(met) < 50, "it is walked again and again"
    notebook.run("y.backward()")
    assert notebook.panel.view == "live"
    assert "y.backward()" in note(notebook)
    notebook.run("y = w * 2")
    assert note(notebook) == ""
    assert "y" in notebook.nodes("title"), "a name that stands for something small again"


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_large_graph_that_an_operation_fails_on_may_be_dropped(library):
    done = followed(
        f"import {library} as torch\n" + GROWN.format(100_000),
        "try: y + torch.ones(3) @ y\nexcept Exception: pass",
        "get_ipython().run_cell('y @ torch.ones(3)')",
        "del y\nprint('dropped', panel.scene['note']['en'])",
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "dropped Too large" in done.stdout


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_graph_that_grows_for_many_cells_may_be_dropped(library):
    done = followed(
        f"import {library} as torch\n" + GROWN.format(4_800),
        *["for i in range(4_800): y = y * 1.0001"] * 24,
        "print(panel.scene['note']['en'])",
        "del y\nprint('dropped')",
        "y = w\nfor i in range(4_800): y = y * 1.0001",
        "print('folded', panel.scene['folded'])",
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "more than 100 operations: y.\ndropped\n" in done.stdout
    assert "folded {'en': '4,798 operations are folded" in done.stdout, "a small one is followed again"


def test_what_grows_by_many_names_or_in_a_function_is_not_looked_at_on_and_on(notebook, monkeypatch):
    met = []
    walk = sight.walk
    monkeypatch.setattr(sight, "walk", lambda *args: (met.append(step[0]) or step for step in walk(*args)))
    monkeypatch.setattr(sight, "_FOLLOWED", 1_000)
    notebook.run(GROWN.format(0) + "\ndef longer(y):\n    for _ in range(990): y = y * 1\n    return y")
    names = [f"y{i}" for i in range(13)]
    for i, name in enumerate(names):
        notebook.run(f"{name} = longer({names[i - 1] if i else 'w'})")
    assert 1_000 < len(set(met)) < 1_000 + 3_000 + 12 * 100, "of 12,870"
    notebook.run(f"del {', '.join(names)}")
    met.clear()
    grows = "y = longer(y); y.backward(retain_graph=True); panel.follower._pace.next = 0"
    notebook.run(f"y = w\nfor i in range(12): {grows}\ndel y")
    assert 1_000 < len(set(met)) < 3_100, "of 11,880"


def test_a_recording_of_too_much_is_refused_before_it_looks_at_all(torch):
    w = y = torch.tensor(1.0, requires_grad=True)
    for _ in range(10_001):
        y = y * 1
    with pytest.raises(ValueError, match=r"cannot record a pass through more than 10,000 operations\n  → .*\n  → "):
        viz.record(y)
    y = w * 2
    with viz.record(y) as run:
        y.backward()
    assert run.missing == ""


@pytest.mark.parametrize("count", [3_000, 10_001])
def test_a_long_pass_costs_little_and_is_not_recorded(notebook, count):
    notebook.run(FIRST + "(w * x).backward()")  # the first one is a cold one
    notebook.run(GROWN.format(count))
    # Counted, not timed: a busy machine takes its time over the same calls. (And not by a profiler, which it heeds.)
    assert notebook.shell.run_cell(
        "import sys\ncalls = 0\npanel.follower._pace.next = 0\n"
        "def count(frame, event, _):\n"
        "    global calls\n"
        "    calls += event == 'call' and frame.f_globals['__name__'].startswith('viz.')\n"
        "sys.settrace(count)\ny.backward(retain_graph=True)\nsys.settrace(None)"
    ).success
    allowed = 30 * count if count <= 5_000 else 1_000  # what is too large is not touched
    assert 0 < notebook.shell.user_ns["calls"] < allowed, "calls of the panel while the pass runs"
    panel = notebook.panel
    assert len(json.dumps([panel.scene, panel.trace])) < 1_000_000
    assert panel.trace["call"] == "(w * x).backward()", "the long one is not recorded"
    assert (panel.view, len(panel.losses)) == ("live", 1)
    if count <= 5_000:
        assert "y.backward(retain_graph=True) goes through 3,000 operations" in note(notebook)
        assert "3,000 个运算节点" in note(notebook, "zh")
    notebook.run("0")
    assert "goes through" not in note(notebook)


def test_a_view_that_has_lost_its_place_does_not_stop_the_panel(notebook):
    notebook.run("x = torch.ones(3, requires_grad=True) * 1\na, b, c = x.unbind()\nx.mul_(2)")
    assert note(notebook).startswith("RuntimeError: Output 0 of Unbind")
    assert note(notebook).endswith("out-of-place one.")
    notebook.run("w = torch.tensor(2., requires_grad=True)\ny = w * 3")
    assert "y" in notebook.nodes("title")
    notebook.run("a.sum().backward()", error=RuntimeError)
    notebook.run("y.backward()")
    assert notebook.panel.trace["call"] == "y.backward()"


# -- time ------------------------------------------------------------------------------------------------------------


def test_timeit_times_the_learners_code_alone(notebook):
    notebook.run("many = [torch.ones(2) for _ in range(500)]\na = torch.ones(2)\nb = a")
    notebook.run(
        "import sys\nmet = []\n"
        "def count(frame, event, _):\n"
        "    if event == 'call' and frame.f_globals['__name__'].startswith('viz.'): met.append(frame.f_code.co_name)\n"
        "%timeit -q -n 300 -r 5 sys.settrace(count); a + 1; a * 2; sys.settrace(None)"
    )
    space = notebook.shell.user_ns
    assert not any("a + 1" in origin for origin in notebook.panel.follower._origins.lines.values())
    assert space["met"] == [], "the panel is timed with it"
    notebook.run("%%timeit -n 1 -r 1\nw = torch.ones(1, requires_grad=True)\n(w * 2).backward()")
    assert notebook.panel.trace is None, "a pass was recorded in the timed loop"


def test_time_times_the_learners_code_alone(notebook):
    notebook.run(
        "import sys\nmet = []\n"
        "def count(frame, event, _):\n"
        "    if event == 'call' and frame.f_globals['__name__'].startswith('viz.'): met.append(frame.f_code.co_name)\n"
    )
    notebook.run("%time sys.settrace(count); a = 1; b = 2; sys.settrace(None)")
    assert (notebook.shell.user_ns["b"], notebook.shell.user_ns["met"]) == (2, [])


TRAIN = FIRST + "def train(times):\n    for i in range(times):\n        loss = w * i\n        loss.backward()\n"


@pytest.mark.parametrize(
    "cell",
    [
        "%timeit -q -n 2 -r 1 train(9)",
        "for i in range(2):\n    %timeit -q -n 2 -r 1 train(9)",
        "t = %timeit -q -o -n 2 -r 1 train(9)",
        "%prun -q train(9)",
        "%time train(9)",
        "import timeit\ntimeit.timeit('train(9)', globals=globals(), number=1)",
        "import timeit\ntook = timeit.repeat(lambda: train(9), number=1)",
    ],
)
def test_what_a_cell_defines_is_measured_alone(notebook, capsys, cell):
    """A pass that was recorded there took a hundred times as long, and made most of the profile."""
    notebook.run(TRAIN + cell)
    assert notebook.panel.trace is None
    notebook.run("train(9)")
    assert notebook.panel.trace["call"] == "loss.backward()  #9"


@pytest.mark.parametrize(
    "measured", ["profile.runcall(train, 9)", "profile.enable()\nz = w * 2\ntrain(9)\nprofile.disable()"]
)
def test_a_profile_that_a_cell_makes_is_of_the_program_alone(notebook, measured):
    notebook.run(f"{TRAIN}import cProfile, pstats\nprofile = cProfile.Profile()\n{measured}\nafter = w * 3")
    exec("found = pstats.Stats(profile).stats", space := notebook.shell.user_ns)
    ours = [name for (file, _, name), _ in space["found"].items() if os.sep + "viz" + os.sep in file]
    assert notebook.panel.trace is None
    assert {"_begins", "_pass_ended", "named", "_look"}.isdisjoint(ours)
    assert len(ours) < 30, "what tells that there is a profiler"
    assert "after = w * 3" in notebook.nodes("source", kind="op")[-1]
    assert "z" not in space or any(source.endswith(": z = w * 2") for source in notebook.nodes("source"))


@pytest.mark.parametrize("steps", ["s s", "s s s s s s", "s s r s s s"])
def test_a_debugger_of_ipythons_steps_into_the_program_alone(notebook, steps):
    """`ipdb`, `breakpoint()` and `%debug` in a notebook."""
    notebook.run(
        "import io\nfrom IPython.core.debugger import Pdb\nout = io.StringIO()\ndef f(x):\n    y = x * 3\n"
        f"    Pdb(stdin=io.StringIO({steps.replace(' ', chr(10))!r} + '\\nc\\n'), stdout=out).set_trace()\n"
        "    y.backward()\n    return y\nw = torch.tensor(2., requires_grad=True)\nf(w)\nz = w * 2"
    )
    told = notebook.shell.user_ns["out"].getvalue()
    assert "--Call--" in told
    assert "def backward" in told
    assert "notebook/" not in told.replace(os.sep, "/")
    assert notebook.panel.trace["call"] == "y.backward()"


def test_what_else_transforms_cells_meets_the_program_alone(notebook, recwarn):
    """A transformer of the learner's own, or of a package's, that came before the panel or after it."""
    notebook.run(
        "import ast\nclass Names(ast.NodeTransformer):\n    def visit_Name(self, name):\n"
        "        names.append(name.id)\n        return ast.Name(name.id, name.ctx)\n"
        "    def visit_Module(self, module):\n        self.generic_visit(module)\n"
        "        module.body.append(ast.Expr(ast.Call(ast.Name('len', ast.Load()), [ast.Constant('')], [])))\n"
        "        return module\nnames = []\nget_ipython().ast_transformers.append(Names())" + FIRST
    )
    notebook.run("for i in range(2):\n    y = w * x\n    y.backward()")
    assert notebook.shell.user_ns["names"] == ["i", "range", "y", "w", "x", "y"]
    assert not recwarn
    assert notebook.panel.trace["line"] == "In [3], line 3: y.backward()"
    notebook.shell.ast_transformers.clear()


def test_what_compiles_a_function_reads_it_as_it_is_written(notebook):
    """Numba reads its code: a name there that it cannot compile is an error."""
    notebook.run(
        "def jit(function):\n    names.append(function.__code__.co_names)\n    return function\nnames = []\n"
        "grad = abs\n@jit\ndef step(x):\n    if x > 1:\n        x = x - grad(x)\n    return x\nassert step(3.) == 0"
    )
    assert notebook.shell.user_ns["names"] == [("grad",)]


def test_a_cell_may_say_what_it_is_before_its_imports_from_the_future(notebook):
    notebook.run('%%time\n"""What it is."""\nfrom __future__ import annotations\nx: nowhere = 1')
    assert notebook.shell.user_ns["x"] == 1


@pytest.mark.parametrize("written", ["+".join(["w"] * 700), "w" + ".add(1)" * 300])
def test_an_expression_that_is_nested_deep_is_followed_as_others_are(notebook, capsys, written):
    notebook.run(FIRST + "z = w * x")
    notebook.run(f"y = {written}\nz.backward()")
    assert "unregistered" not in capsys.readouterr().err
    assert "is old" not in note(notebook)
    assert notebook.panel.trace["call"] == "z.backward()"
    notebook.run(f"y = {written} + torch.ones(2) @ torch.ones(3)", error=RuntimeError)
    assert "ended with RuntimeError" in note(notebook)
    notebook.run("u = w * x")
    assert "In [5], line 1: u = w * x" in notebook.nodes("source", kind="op")


def test_a_panel_that_was_taken_out_of_the_shell_can_be_stopped(notebook):
    notebook.shell.ast_transformers.clear()
    notebook.panel.stop()
    assert not notebook.panel.following


@pytest.mark.parametrize("line", ["%reset -f", "del globals()['_viz_live']"])
def test_a_cell_goes_on_where_all_variables_were_deleted(notebook, line):
    torch = notebook.shell.user_ns["torch"]
    notebook.run(f"w = 1\n{line}\nw = 2\ndef f(l): l.backward()")
    assert notebook.shell.user_ns["w"] == 2
    notebook.panel.stop()
    notebook.shell.user_ns |= {"torch": torch}
    notebook.run("%reset -f")
    assert notebook.shell.run_cell("w = 3").success


def test_what_is_no_function_is_called_in_vain_and_no_more(notebook):
    notebook.run(FIRST + "y = w * x\ntry: w.grad()\nexcept TypeError as error: told = str(error)\nz = w * b")
    assert notebook.shell.user_ns["told"] == "'NoneType' object is not callable"
    assert note(notebook) == ""
    assert notebook.nodes("source", kind="op")[-1].endswith("z = w * b")


def test_an_object_of_the_learners_is_asked_nothing(notebook):
    """Nor is one that stands for another, and makes it when it is asked: isinstance would ask its ``__class__``."""
    notebook.run(
        "asked = []\nclass Lazy:\n    __class__ = property(lambda self: asked.append('class') or object)\n"
        "    def __call__(self, *args): return torch.autograd.grad(*args)\n"
        "    def __getattr__(self, name): asked.append(name); raise KeyError(name)\n"
        "grad = Lazy()\n" + FIRST
    )
    notebook.run("(g,) = grad(w * 2, w)\nwith_it = lambda grad, of: grad(of)\nwith_it(id, grad)")
    notebook.run("(w * 3).backward()")
    assert notebook.shell.user_ns["g"].item() == 2
    assert notebook.shell.user_ns["asked"] == []


def test_functions_of_a_followed_cell_can_be_sent_away(notebook):
    cloudpickle = pytest.importorskip("cloudpickle")
    notebook.run(
        "def gradient_at(torch, value):\n"
        "    w = torch.tensor(value, requires_grad=True)\n"
        "    loss = w ** 2\n"
        "    loss.backward()\n"
        "    return w.grad.item()\n"
    )
    data = cloudpickle.dumps(notebook.shell.user_ns["gradient_at"])
    assert b"viz.notebook" not in data, "who opens it would have to have viz installed"
    torch = notebook.shell.user_ns["torch"]
    assert pickle.loads(data)(torch, 3.0) == 6.0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_forked_process_is_not_followed(library):
    done = followed(
        f"import os, {library} as torch\nw = torch.tensor(2., requires_grad=True)\n(w * 1).backward()",
        "if not os.fork():\n    (w * 2).backward(); print(w.grad, panel.trace['call'], flush=True); os._exit(0)\n"
        "os.wait()\n(w * 3).backward(); print(panel.trace['call'])",
    )
    said = done.stdout.splitlines()
    assert "tensor(3.) (w * 1).backward()" in said, "the panel of the parent goes on in the child"
    assert "(w * 3).backward()" in said


def test_cells_inside_cells_do_not_confuse_it(notebook):
    notebook.run("get_ipython().run_cell('inner = 1')\nfirst = 2\nsecond = 3\nthird = 4")
    assert notebook.shell.user_ns["third"] == 4
    assert note(notebook) == ""


def test_a_function_of_the_learners_own_is_no_pass(notebook):
    notebook.run("def grad(x): return 2 * x\nx = torch.tensor(2.)\nfor i in range(4): x = x - 0.1 * grad(x)")
    notebook.run("w = torch.tensor(2., requires_grad=True)\ng = grad(w * 1)")
    assert (notebook.panel.losses, notebook.panel.trace) == ([], None)
    notebook.run("def backward(loss): loss.backward()\nbackward(w * 3)")
    assert notebook.panel.trace["call"] == "loss.backward()"
    assert notebook.panel.trace["line"] == "In [4], line 1: def backward(loss): loss.backward()"


def test_a_function_of_somebody_elses_is_a_pass_where_it_runs_one(notebook):
    notebook.shell.user_ns["other"] = other = types.ModuleType("other")
    exec(
        "def grad(x): return 2 * x\ndef backward(loss): loss.backward()\ndef fails(x): raise ValueError(x)", vars(other)
    )
    notebook.run("w = torch.tensor(2., requires_grad=True)\nfor i in range(4): g = other.grad(w * i)")
    other.grad = other.fails
    notebook.run("other.grad(w * 2)", error=ValueError)
    assert (notebook.panel.losses, notebook.panel.trace) == ([], None)
    notebook.run("other.backward(w * 2)\nother.backward(w * 3)")
    assert notebook.panel.trace["call"].startswith("other.backward(w * ")
    assert notebook.panel.losses[0] == [1, 4.0]
    assert notebook.shell.user_ns["w"].grad.item() == 5


def test_a_function_of_the_learners_own_is_called_from_where_it_stands(notebook, recwarn):
    notebook.run(
        "import sys, warnings\ndef grad(x):\n"
        "    warnings.warn('old', DeprecationWarning, stacklevel=2)\n"
        "    return sys._getframe(1).f_globals is globals()\n"
        "from_here = grad(torch.tensor(1.))"
    )
    assert notebook.shell.user_ns["from_here"]
    assert [w.filename.startswith("<ipython-input") for w in recwarn if str(w.message) == "old"] == [True]


# -- loops and slow cells --------------------------------------------------------------------------------------------


def test_every_loss_is_in_the_curve_and_the_last_state_is_shown(notebook):
    notebook.run(
        "import time\nw = torch.tensor(1., requires_grad=True)\n"
        "for i in range(100):\n"
        "    loss = (w - 5) ** 2\n"
        "    w.grad = None\n"
        "    loss.backward()\n"
        "    with torch.no_grad(): w -= 0.01 * w.grad\n"
        "    time.sleep(0.002)"
    )
    panel, space = notebook.panel, notebook.shell.user_ns
    assert [nr for nr, _ in panel.losses] == list(range(1, 101)), "passes that are not recorded have a loss, too"
    assert panel.losses[-1][1] == space["loss"].item()
    if panel.follower.cell.passes.shown != 100:
        assert panel.view == "live", "an old pass is shown, with its old gradients"
    grads = dict(notebook.nodes("label", "grad"))
    assert grads["w"] == recorder.gradient(space["w"].grad).short


def test_a_pass_of_a_loop_that_fails_is_shown(notebook):
    """It was not due, so that nothing stood between the loop and it."""
    notebook.run("w = torch.tensor(1., requires_grad=True)\nloss = w * w\npanel.follower._pace.next = 1e18")
    notebook.run("for _ in range(3):\n    loss.backward()", error=RuntimeError)
    panel = notebook.panel
    assert panel.view == "pass"
    assert panel.trace["steps"][-1]["kind"] == "error"
    assert "second time" in panel.trace["steps"][-1]["error"]
    notebook.run("loss = w * w\nfor i in range(3):\n    loss.backward(retain_graph=True)\n[][0]", error=IndexError)
    assert panel.view == "live"
    assert [nr for nr, _ in panel.losses] == [1, 2, 3]


def test_the_last_loss_is_that_of_the_last_pass(notebook):
    notebook.run("w = torch.tensor(1., requires_grad=True)\npace, kept = panel.follower._pace, []")
    notebook.run(
        "while len(kept) < 5:\n    pace.next = 0 if len(kept) == 3 else 1e18\n"
        "    kept.append(w * len(kept))\n    kept[-1].backward()"  # the third runs by itself, the last two are seen
    )
    assert notebook.panel.losses[-1] == [5, 4.0]


def test_a_long_curve_is_thinned_out_evenly(notebook):
    notebook.run("w = torch.tensor(1., requires_grad=True)\nfor i in range(2_001):\n    (w * i).backward()")
    numbers = [nr for nr, _ in notebook.panel.losses]
    assert len(numbers) <= 300
    assert (numbers[0], numbers[-1]) == (1, 2_001)
    assert {b - a for a, b in pairwise(numbers)} == {8}


def test_the_first_pass_does_not_hold_up_the_next(notebook):
    follower = notebook.panel.follower
    notebook.run("w = torch.tensor(1., requires_grad=True)\nkept = []")
    slow = follower.scenes.trace

    def trace(*args):
        time.sleep(0.2)
        return slow(*args)

    follower.scenes.trace = trace
    notebook.run("import time\n(w * 2).backward()\nkept.append(panel.follower._pace.next - time.monotonic())")
    assert notebook.shell.user_ns["kept"][0] <= 0.5, "one cold pass, and the panel sleeps for seconds"


def test_the_time_of_a_slow_pass_is_not_taken_for_the_panels_own(notebook):
    """Of the first pass of a cell nobody knows how long it takes by itself; a second one was recorded for it."""
    notebook.run("import time\nw = torch.tensor(1., requires_grad=True)\ny = w * 2")
    notebook.run(
        "slow = y.register_hook(lambda grad: time.sleep(2))\ny.backward()\n"
        "waits = panel.follower._pace.cell - time.monotonic()"
    )
    assert notebook.panel.trace["steps"], "the pass was recorded"
    assert notebook.shell.user_ns["waits"] < 9 * 2


def test_the_garbage_collector_rests_while_a_pass_is_shown(notebook, monkeypatch):
    """With a large library loaded a look through all objects takes a tenth of a second or more."""
    follower, on = notebook.panel.follower, []
    show = follower._show_pass
    monkeypatch.setattr(follower, "_show_pass", lambda *given: on.append(gc.isenabled()) or show(*given))
    notebook.run(FIRST + "(w * x).backward()")
    assert on == [False]
    assert gc.isenabled()


def test_a_slow_cell_grows_statement_by_statement(notebook):
    notebook.run(FIRST + "(w * x).backward()")
    seen, scenes = [], notebook.panel.follower.scenes
    read = scenes.read
    scenes.read = lambda *args, **options: time.sleep(0.05) or read(*args, **options)  # as on a slower machine
    notebook.panel.observe(lambda change: seen.append(change.new), names="scene")
    wait = "while time.monotonic() < panel.follower._pace.statement: time.sleep(0.02)\n"
    notebook.run("import time\n" + "".join(f"y{i} = w * x\n{wait}" for i in range(4)))
    growing = [[n["title"] for n in s["nodes"] if n["title"].startswith("y")] for s in seen if s["busy"]]
    assert all(names == [f"y{i}" for i in range(len(names))] for names in growing)
    assert len({len(names) for names in growing}) >= 3, "it grows all at once, at the end"


def test_many_quick_statements_do_not_wait_for_the_panel(notebook, monkeypatch):
    notebook.run(FIRST)
    follower, met = notebook.panel.follower, []
    find = follower.sight.named
    monkeypatch.setattr(sys.modules["viz.notebook.follow"], "_MARKS", 0.5)  # what a busy machine cannot use up
    monkeypatch.setattr(follower.sight, "named", lambda *args: met.append(1) or time.sleep(0.1) or find(*args))
    notebook.run("first = w * x\n" + "\n".join(f"a{i} = {i}" for i in range(40)) + "\nlast = first + b")
    assert len(met) < 10, "it looks at each of 42 statements for 100 ms"
    lines = dict(notebook.nodes("title", "source", kind="op"))
    assert lines == {"first": "In [3], line 1: first = w * x", "last": "In [3], line 42: last = first + b"}


def test_a_leaf_that_is_gone_is_not_remembered(notebook):
    notebook.run("for_ever = []\nw = torch.tensor(1., requires_grad=True)")
    for _ in range(3):
        notebook.run("w = w * 2")
        notebook.run("w = torch.tensor(1., requires_grad=True)")
    notebook.run("import gc; n = gc.collect()")
    notebook.run("0")
    assert len(notebook.panel.follower.scenes._moved_from) <= 1


# -- PyTorch's own ways of looking on ----------------------------------------------------------------------------------

WATCHED = """
from torch.utils._python_dispatch import TorchDispatchMode
from torch.overrides import TorchFunctionMode
class Counting(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        told.append(str(func)); return func(*args, **(kwargs or {}))
class Hearing(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        told.append(str(func)); return func(*args, **(kwargs or {}))
class Logging(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        told.append(str(func)); return super().__torch_function__(func, types, args, kwargs or {})
w = torch.tensor([2., 3.], requires_grad=True)
y = (w * w).sum()
for mode in (Counting(), Hearing()):
    with mode: y.backward(retain_graph=True)
own = torch.tensor([1.]).as_subclass(Logging)
v = own * 2
with torch.autograd.profiler.profile() as profile: y.backward()
told += sorted(event.name for event in profile.function_events)
"""


def test_what_looks_on_in_pytorch_is_told_of_the_program_alone(notebook):
    if notebook.shell.user_ns["torch"].__name__ != "torch":
        pytest.skip("they are PyTorch's")
    alone = {"torch": notebook.shell.user_ns["torch"], "told": []}
    exec(WATCHED, alone)
    notebook.shell.user_ns["told"] = []
    notebook.run(WATCHED)
    assert notebook.shell.user_ns["told"] == alone["told"]


COMPILED = """
@torch.compile(backend="eager", fullgraph=True)
def slope(x): return torch.autograd.grad((x ** 2).sum(), x)[0]
@torch.compile(backend="eager")
def step(x):
    (x ** 2).sum().backward()
    return x.grad
"""


@pytest.mark.parametrize("notebook", [name for name in LIBRARIES if name == "torch"], indirect=True)
def test_the_compiler_sees_the_learners_code_alone(notebook):
    compiler = pytest.importorskip("torch._dynamo.utils")
    notebook.run("import torch\nx = torch.ones(2, requires_grad=True)" + COMPILED)
    compiler.counters.clear()
    error = notebook.shell.run_cell("slope(x)").error_in_exec  # it may not be able to
    assert "follow.py" not in str(error)
    notebook.run("step(x); step(x)")
    assert notebook.shell.user_ns["x"].grad.tolist() == [4, 4]
    assert compiler.counters["stats"]["unique_graphs"] <= 1, "it compiles the panel"


# -- any program -----------------------------------------------------------------------------------------------------

# What a line of a program may be. Some are refused, at once or in the pass: then with the panel, too.
LINES = (
    "a = a * b + 0.5",
    "b = (a * c).sum() * b",
    "c = c.detach() * 2",
    "a = a.exp().clamp(max=3.0)",
    "with torch.no_grad(): b = b * 0.5",
    "a.sum().backward()",
    "b.sum().backward(retain_graph=True)",
    "c.sum().backward()",
    "a.backward()",
    "told += [g.tolist() for g in torch.autograd.grad((a * c).sum(), [c])]",
    "for _ in range(3): (c * c * b.detach()).sum().backward()",
    "y = c * 2; y.detach().add_(1); (y * y).sum().backward()",
    "y = (c * 2).exp(); y.detach().add_(1); y.sum().backward()",
    "c = torch.ones(2, requires_grad=True)",
    "told += [None if t.grad is None else t.grad.tolist() for t in (p, q) if t.is_leaf]",
    "told += [a.tolist(), b.tolist(), c.tolist()]",
    "missing",
)
BEGIN = (
    "p = a = torch.tensor([1., 2.], requires_grad=True)\n"
    "q = b = torch.tensor(0.5, requires_grad=True)\n"
    "c = torch.ones(2, requires_grad=True)"
)


@pytest.mark.parametrize("seed", range(6))
def test_any_program_gives_the_same_numbers_and_errors(notebook, seed):
    chosen = random.Random(seed)
    program = [BEGIN] + ["\n".join(chosen.choices(LINES, k=chosen.randint(1, 3))) for _ in range(12)]
    space = notebook.shell.user_ns
    alone = {"torch": space["torch"], "told": []}
    space["told"] = []
    for cell in program:
        error = None
        try:
            exec(cell, alone)
        except Exception as raised:
            error = raised
        followed = notebook.shell.run_cell(cell, store_history=True).error_in_exec
        assert (type(followed), str(followed)) == (type(error), str(error)), cell
        assert space["told"] == alone["told"], cell
    assert any(alone["told"]), "a program that tells nothing proves nothing"
    assert "old" not in note(notebook), "the panel itself has stumbled"


def test_a_leaf_that_has_become_a_result_is_not_asked_for_its_gradient(torch, recwarn):
    """It would warn."""
    w = torch.tensor(2.0, requires_grad=True)
    z = w * 3
    w.requires_grad_(False)
    w *= torch.tensor(1.0, requires_grad=True)
    assert viz.text(z)
    assert not recwarn.list


def test_a_pass_of_nothing_is_the_librarys_to_answer(notebook):
    try:
        said = notebook.shell.user_ns["torch"].autograd.backward([])
    except Exception as error:
        said = error
    result = notebook.shell.run_cell("torch.autograd.backward([])", store_history=True)
    assert repr(result.error_in_exec) == repr(said)


@pytest.mark.parametrize("own", ["Rows()", "torch.ones(6), sampler=Rows()"])
def test_a_loader_is_not_asked_for_the_length_of_data_of_ones_own(notebook, own):
    notebook.run(
        FIRST + "lengths = []\nclass Rows(torch.utils.data.Dataset):\n"
        "    def __len__(self): lengths.append(1); return 6\n    def __getitem__(self, i): return i\n"
        "    def __iter__(self): return iter(range(6))\n"
        f"loader = torch.utils.data.DataLoader({own})\nlengths.clear()"
    )
    notebook.run("panel.follower._pace.next = 1e18\nfor one in loader:\n    (w * x).backward()\nasked = len(lengths)")
    plain = notebook.shell.user_ns
    exec("lengths.clear()\nfor one in loader: pass\nbefore = len(lengths)", plain)
    assert plain["asked"] == plain["before"]


def test_an_error_in_a_function_that_is_called_forward_is_of_no_module(notebook):
    notebook.run(FIRST + "def forward(x): raise ValueError('no')")
    notebook.run("forward(w)", error=ValueError)
    assert notebook.panel.scene["note"]["en"].startswith("In [3] ended with ValueError: no")


def test_a_cell_that_gives_no_result_is_looked_at(notebook):
    """As where a Ctrl-C comes in IPython's own code."""
    from IPython.core.interactiveshell import ExecutionInfo

    notebook.run(FIRST)
    events = notebook.shell.events
    events.trigger("pre_run_cell", ExecutionInfo("z = w * x", True, False, True, None))
    exec("z = w * x", notebook.shell.user_ns)
    events.trigger("post_run_cell", None)
    assert notebook.panel.scene["note"]["en"] == ""
    assert "z" in notebook.nodes("title")
