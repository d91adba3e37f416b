"""`viz.live()` follows a notebook: cells run here in IPython's own shell, and the widget's traits are the witness."""

import ast
import asyncio
import gc
import json
import os
import re
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path
from types import SimpleNamespace

import pytest
from comm import DummyComm

import viz

pytest.importorskip("ipykernel")
jsonschema = pytest.importorskip("jsonschema")

from viz.model.identities import Identities, weakly  # noqa: E402
from viz.model.written import inlined  # noqa: E402
from viz.notebook.passes import Passes  # noqa: E402
from viz.notebook.recording import Recording, hints_of  # noqa: E402
from viz.notebook.widget import still  # noqa: E402
from viz.picture.fold import View  # noqa: E402

SCHEMA = json.loads(
    (Path(viz.__file__).parent / "notebook" / "static" / "live.schema.json").read_text(encoding="utf-8")
)
# Made once: `jsonschema.validate` would hold the schema itself against the schema of schemas each time.
Validator = jsonschema.validators.validator_for(SCHEMA)
Validator.check_schema(SCHEMA)
AS_DESCRIBED = Validator(SCHEMA)
FIRST = """
w = torch.tensor(2., requires_grad=True)
b = torch.tensor(1., requires_grad=True)
x = torch.tensor(3.)
"""


class Notebook:
    """A notebook that `viz.live()` follows; `run` runs a cell."""

    def __init__(self, shell, torch):
        self.shell = shell
        shell.user_ns.update(torch=torch, viz=viz)
        self.panel = self.run("panel = viz.live()").user_ns["panel"]

    def run(self, cell, error=None):
        result = self.shell.run_cell(cell, store_history=True)
        assert (result.error_before_exec or result.error_in_exec) is None or error, result
        if error:
            assert isinstance(result.error_in_exec, error)
        if hasattr(self, "panel"):
            self.settle()
            state = {"scene": self.panel.scene, "trace": self.panel.trace, "losses": self.panel.losses}
            AS_DESCRIBED.validate(state)
        return self.shell

    def settle(self):
        """The picture of a cell right after another one comes a moment later, where a kernel's loop runs."""
        assert not self.panel.follower.soon.waits

    def nodes(self, *keys, kind=None):
        wanted = [node for node in self.panel.scene["nodes"] if kind in (None, node["kind"])]
        return [tuple(node[key] for key in keys) if len(keys) > 1 else node[keys[0]] for node in wanted]


def test_data_alone_is_called_a_graph_of_nothing(notebook):
    """As a lesson's first cell makes it; a screen reader reads this title, and the mouse shows it."""
    notebook.run("x = torch.tensor([1.0, 2.0, 3.0])")
    title = notebook.panel.scene["svg"].partition("<title")[2].partition("</title>")[0].partition(">")[2]
    assert title in ("Autograd graph: 0 operations, 0 leaves", "计算图：0 次运算，0 个叶子节点")


def test_the_graph_grows_as_cells_run(notebook):
    notebook.run(FIRST)
    assert notebook.nodes("label", "kind") == [("w", "leaf"), ("b", "leaf"), ("x", "untracked")]
    leaf = notebook.nodes("id")[0]
    notebook.run("z = w * x")
    ops = notebook.nodes("label", kind="op")
    assert ops == ["MulBackward0"]
    assert "AccumulateGrad" in notebook.nodes("label")
    notebook.run("y = z + b")
    assert notebook.nodes("label", kind="op") == ["MulBackward0", "AddBackward0"]
    assert leaf in notebook.nodes("id"), "a node must keep its id, or the picture jumps"


def test_a_constant_keeps_its_id_wherever_it_is_used(notebook):
    notebook.run(FIRST + "z = w * x")
    (before,) = notebook.nodes("id", kind="untracked")
    notebook.run("z = x * (w + 3)")
    assert (before, "x") in notebook.nodes("id", "label", kind="untracked"), "the picture jumps"


def test_what_has_no_name_is_called_what_was_written_for_it(notebook):
    notebook.run(FIRST)
    notebook.run("(w * x).sum().backward()")
    titles = [node["title"] for node in notebook.panel.trace["scene"]["nodes"] if node["kind"] == "op"]
    assert titles == ["w * x", "(w * x).sum()"]
    notebook.run("y = (2 * w + x * 3 - b) ** 2\ny.backward()")
    scene = notebook.panel.trace["scene"]
    assert [node["title"] for node in scene["nodes"] if node["kind"] == "op"] == [
        "2 * w",
        "2 * w + x * 3",
        "2 * w + x * 3 - b",
        "y",
    ]
    rules = [rule["rule"]["en"] for step in notebook.panel.trace["steps"] for rule in step.get("rules", ())]
    assert rules[0] == "∂y/∂(2 * w + x * 3 - b) = ∂y/∂y · 2 · (2 * w + x * 3 - b)"
    assert "∂y/∂w = ∂y/∂(2 * w) · 2" in rules


def test_each_result_of_an_operation_has_its_own_name_in_a_derivative(notebook):
    notebook.run("x = torch.arange(4.0, requires_grad=True)")
    for cell, told in (
        ("z = a * a * b", ["∂y/∂b = ∂y/∂z · (a * a)", "∂y/∂a += ∂y/∂(a * a) · a"]),
        ("b = b * 3\nz = a * b", ["∂y/∂a = ∂y/∂z · b", "∂y/∂(SplitBackward0[1]) = ∂y/∂b · 3"]),
    ):
        notebook.run(f"a, b = x.split(2)\n{cell}\ny = z.sum()\ny.backward()")
        rules = [rule["rule"]["en"] for step in notebook.panel.trace["steps"] for rule in step.get("rules", ())]
        assert {*told} <= {*rules}, rules


def test_an_operation_is_known_whatever_it_is_called(notebook):
    notebook.run("A = torch.ones(2, 2, requires_grad=True)\nv = torch.ones(2)")
    for written in ("A.matmul(v)", "torch.matmul(A, A)", "A.mm(A)", "A @ v", "torch.mv(A, v)", "-A"):
        notebook.run(f"({written}).sum().backward()")
        titles = [node["title"] for node in notebook.panel.trace["scene"]["nodes"] if node["kind"] == "op"]
        assert written in titles, titles


def test_what_was_written_is_a_name_up_to_forty_characters(notebook):
    notebook.run(FIRST)
    for last, shown in (("1.25", True), ("1.125", False)):
        written = f"w * x + w * x + w * x + w * x + b * {last}"
        assert len(written) == (40 if shown else 41)
        notebook.run(f"({written}).sum().backward()")
        titles = [node["title"] for node in notebook.panel.trace["scene"]["nodes"] if node["kind"] == "op"]
        assert f"b * {last}" in titles
        assert (written in titles) == shown


def test_what_stands_beside_a_call_of_a_function_is_known(notebook):
    notebook.run(FIRST + "net = lambda x: (x * w).exp()\nlr = 0.5\ny = torch.tensor(4.)")
    notebook.run("loss = ((net(x) - y) ** 2).mean() * lr\nloss.backward()")
    nodes = notebook.panel.trace["scene"]["nodes"]
    assert [n["title"] for n in nodes if n["kind"] == "op"][-5:] == [
        "net(x)",
        "net(x) - y",
        "(net(x) - y) ** 2",
        "((net(x) - y) ** 2).mean()",
        "loss",
    ]
    assert {n["title"] for n in nodes if n["kind"] == "untracked"} == {"x", "y", ""}
    notebook.run("u = float(w) * w\nu.backward()")
    (ghost,) = [n for n in notebook.panel.trace["scene"]["nodes"] if n["kind"] == "untracked"]
    assert ghost["title"] != "w", "w is the other one"


def test_what_an_attribute_an_element_or_an_unknown_call_gave_is_called_what_was_written(notebook):
    """A training line seldom has nothing but operators in it."""
    notebook.run("net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))\nx = torch.ones(3, 2)")
    for line, titles in {
        "loss = (net[1](net[0](x)).squeeze() - x[:, 0]).pow(2).sum()": {
            "net[1](net[0](x))",
            "net[1](net[0](x)).squeeze()",
        },
        "loss = (net[0].weight * x[0]).sum()": {"net[0].weight * x[0]"},
        "loss = torch.square(net(x) - 1).mean()": {"torch.square(net(x) - 1)"},
        "loss = (net[0].bias[0] * net[0].weight[0]).sum()": {"net[0].bias[0]", "net[0].weight[0]"},
    }.items():
        notebook.run(f"{line}\nloss.backward()")
        found = {n["title"] for n in notebook.panel.trace["scene"]["nodes"] if n["kind"] == "op"}
        assert titles <= found, found
    assert "net[0](x)" not in found


def test_an_input_without_gradient_is_known_after_the_pass_has_let_it_go_too(notebook):
    def beside():
        scene = notebook.panel.scene
        titles = {node["id"]: node["title"] for node in scene["nodes"] if node["kind"] == "untracked"}
        return sorted(titles[edge["target"]] for edge in scene["edges"] if edge["kind"] == "untracked")

    notebook.run("net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))\nx = torch.ones(3, 2)")
    notebook.run("y = torch.ones(3, 1)\nloss = torch.nn.MSELoss()(net(x), y)\nloss.backward()")
    assert beside() == ["x", "y"]
    notebook.run("for i in range(50):\n    loss = torch.nn.MSELoss()(net(x), y)\n    loss.backward()")
    assert beside() == ["x", "y"], "nobody saw the last round; but it runs the same line with the same tensors"
    notebook.run("z = torch.zeros(3, 2)\nfor i in (x, z):\n    loss = net(i).sum()\n    loss.backward()\ndel i")
    assert "x" not in beside(), "a batch may be another tensor each time"


def test_a_name_that_stands_for_another_tensor_now_is_not_put_into_a_line(notebook):
    notebook.run(FIRST)
    notebook.run("z = w\nfor i in range(2):\n    z = z * 2\nz.backward()")
    titles = [node["title"] for node in notebook.panel.trace["scene"]["nodes"] if node["kind"] == "op"]
    assert titles == ["", "z"], "z was another tensor when that line ran"


def test_what_an_operation_gave_is_shown_where_something_tells_it_and_only_there(notebook):
    notebook.run(FIRST)
    notebook.run("loss = (w * x + b) ** 2 * 1\nloss.backward()")
    scene = notebook.panel.trace["scene"]
    values = {node["title"] or node["label"]: node["value"] for node in scene["nodes"] if node["kind"] == "op"}
    assert values == {"w * x": None, "w * x + b": "7.", "(w * x + b) ** 2": None, "loss": "49."}, (
        "** keeps what it is given"
    )
    for text in ('class="data"', ">7<", ">49<", ">14<"):
        assert text in scene["svg"], "data and gradient stand on the node"


def test_no_font_of_the_machine_is_looked_at(tmp_path):
    """Each size is known beforehand. Graphviz's fontconfig would complain in red of settings newer than itself."""
    fonts = tmp_path / "fonts.conf"
    fonts.write_text("<?xml version='1.0'?><fontconfig><from-the-future/></fontconfig>", encoding="utf-8")
    code = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        "shell.kernel = None\n"
        "shell.run_cell('import minigrad, viz; panel = viz.live()')\n"
        "shell.run_cell('w = minigrad.ones(2, requires_grad=True); z = (w * w).sum(); z.backward()')\n"
        "assert shell.run_cell('viz.draw(z, show=\"formula\").svg').success\n"
        "print(len(shell.user_ns['panel'].trace['steps']), 'steps')\n"
    )
    env = os.environ | {"FONTCONFIG_FILE": str(fonts)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert "4 steps" in done.stdout
    assert done.stderr == ""


def test_each_node_knows_its_line(notebook):
    notebook.run(FIRST)
    cell = 3  # the panel, the leaves, and this
    notebook.run("z = w * x + b\nfor i in range(2):\n    z = z * 2\nloss = z ** 2")
    where = f"In [{cell}], line"
    assert notebook.nodes("label", "source", kind="op") == [
        ("MulBackward0", f"{where} 1: z = w * x + b"),
        ("AddBackward0", f"{where} 1: z = w * x + b"),
        ("MulBackward0", f"{where} 3: z = z * 2"),
        ("MulBackward0", f"{where} 3: z = z * 2"),
        ("PowBackward0", f"{where} 4: loss = z ** 2"),
    ]


def test_the_line_is_that_of_the_branch_that_ran(notebook):
    notebook.run(FIRST)
    notebook.run("if True:\n    y = (w * 3) + b\nelse:\n    y = (w * 5) + b")
    notebook.run("y.backward()")
    titles = [node["title"] for node in notebook.panel.trace["scene"]["nodes"] if node["kind"] == "op"]
    assert titles == ["w * 3", "y"]
    assert set(notebook.nodes("source", kind="op")) == {"In [3], line 2: y = (w * 3) + b"}
    notebook.run("for i in range(1):\n    y = w * 7\n    y = y + b\n    z = y * 2")
    assert notebook.nodes("label", "source", kind="op") == [
        ("MulBackward0", "In [5], line 2: y = w * 7"),
        ("AddBackward0", "In [5], line 3: y = y + b"),
        ("MulBackward0", "In [5], line 4: z = y * 2"),
    ]


@pytest.mark.parametrize(
    ("cell", "lines"),
    [
        ("l = w\nfor i in range(2):\n    l = (w * i - 1) ** 2\n    y = y + l", [3, 3, 3, 4, 3, 3, 3, 4]),
        ("y = w\nfor i in range(2):\n    prev = y\n    y = torch.tanh(prev * b)", [4, 4, 4, 4]),
        ("if True:\n    y.add_(1)\nelse:\n    y = w * 2", [0, 2]),
        ("if True:\n    _h = w * 3\n    y = _h * 2\n    del _h", [2, 3]),
        ("for i in range(2):\n    y = y + (lambda t: t.exp())(w)", [0, 2, 2, 2, 2]),
        ("for i in range(2):\n    y = (lambda t: t * 2)(w)\n    z = y.norm()", [2, 3]),
        ("for i in range(2):\n    y = (lambda t: t.exp())(w)\n    z = y * 2", [2, 3]),
        ("def step(t): return t * 2\nfor i in range(1):\n    l = step(w)\n    y = l * 3", [3, 4]),
        (
            "f, n = (lambda t: t + 1), 4\nfor i in range(2):\n    p = f(w) * b\n    y = (p - 1) ** 2 * (2 * n)",
            [3] * 2 + [4] * 3,
        ),
        ("if (q := w * 2 + b) > 0:\n    y = q * 3", [1, 1, 2]),
        ("if False:\n    y = w\nelif (q := w * 2) > 0:\n    y = q * 3", [3, 4]),
        ("i = 0\nwhile (q := w * 2 + i) > 0 and i < 2:\n    i += 1\ny = q * 1", [2, 2, 4]),
        ("i = 0\nwhile (q := w * 2 + i) > 0 and i < 2:\n    i += 1\n    if i:\n        continue\ny = q * 1", [2, 2, 6]),
        ("with torch.no_grad():\n    pass\ntry:\n    y = w * 2\n    1 / 0\nexcept Exception:\n    y = y * 3", [4, 7]),
        ("match 1:\n    case 1:\n        y = w * 2\n        y = y + 1", [3, 4]),
        ("for i in range(1500):\n    p = w * 2\n    y = p + i", [1, 1]),
    ],
)
def test_no_line_is_told_that_did_not_make_a_node(notebook, cell, lines):
    """Not in a loop, nor where one of two branches has run; after a thousand rounds the loop is what is told."""
    notebook.run(FIRST + "y = w * 1")
    notebook.run(cell)
    found = [re.match(r"In \[3\], line (\d+)", source) for source in notebook.nodes("source", kind="op")]
    assert [int(one[1]) if one else 0 for one in found][-len(lines) :] == lines


def test_the_last_pass_of_a_long_loop_knows_its_lines(notebook):
    """Though in most rounds nobody looks."""
    notebook.run(FIRST)
    notebook.run("for i in range(100):\n    y = w * b\n    for k in range(40):\n        y = y + k\n    y.backward()")
    scene = notebook.panel.trace["scene"]
    assert notebook.panel.trace["call"] == "y.backward()  #100"
    lines = {node["source"].partition(":")[0] for node in scene["nodes"] if node["kind"] == "op"}
    assert lines == {"In [3], line 2", "In [3], line 4"}


@pytest.mark.parametrize("cell", ["y = _h + 1", "y = f() + 1", "y = q.pop() + 1"])
def test_what_comes_into_sight_was_not_made_there(notebook, cell):
    """A name with an underscore, a closure, a deque: nobody sees what they hold until something is made of it."""
    notebook.run(FIRST + "from collections import deque")
    notebook.run("_h = w * 3; q = deque([_h]); f = (lambda h: lambda: h)(_h)")
    notebook.run(cell)
    assert notebook.nodes("label", "source", kind="op") == [
        ("MulBackward0", ""),
        ("AddBackward0", f"In [4], line 1: {cell}"),
    ]


@pytest.mark.parametrize(
    ("before", "cell", "false"),
    [
        ("h = w * 3", "h = x.exp() * (h + b)\nh.backward()", {"x.exp()", "h + b"}),
        ("X = torch.tensor([1., 2.])\nh = w", "h = X[1] * (h + b)\nh.backward()", {"X[1]", "h + b"}),
        ("y = w * 3", "y = b * y.mean()\ny.backward()", {"y.mean()"}),
        (
            "def f(a): return torch.exp(a)",
            "y = f(w) * 2\ny.backward()\ndef f(a): return torch.sin(a)",
            {"torch.sin(w)"},
        ),
        ("def f(a): return a.sin()\nif True:\n    def f(a): return a.cos()", "y = f(w) + 1\ny.backward()", {"w.sin()"}),
        ("k = 5\ndef f(a, *, k=2): return torch.exp(a * k)", "y = f(w) + 1\ny.backward()", {"w * k"}),
        ("h = w * 3", "h = torch.tanh(h) + torch.randn(1)\nh.sum().backward()", {"torch.randn(1)", "torch.tanh(h)"}),
        ("h = w * 3", "h = h.exp() * float(x)\nh.backward()", {"float(x)", "h.exp()"}),
        ("f, h = (lambda t: 3), w * 3", "h = -(h + x) * f(x)\nh.backward()", {"f(x)", "-(h + x)"}),
        ("mul = lambda p, q: q * p", "y = mul(w.exp(), b.sin())\ny.backward()", {"w.exp()", "b.sin()"}),
    ],
)
def test_no_expression_is_told_that_did_not_make_a_node(notebook, before, cell, false):
    notebook.run(FIRST + before)
    notebook.run(cell)
    titles = {node["title"] for node in notebook.panel.trace["scene"]["nodes"] if node["kind"] in ("op", "untracked")}
    assert false.isdisjoint(titles)


def test_a_function_that_a_magic_cell_defines_is_the_one_that_runs(notebook):
    notebook.run(FIRST + "def f(a): return a.exp()")
    notebook.run("%%time\ndef f(a): return a.sin()")
    notebook.run("y = f(w) * 2\ny.backward()")
    assert "w.exp()" not in {node["title"] for node in notebook.panel.trace["scene"]["nodes"]}


@pytest.mark.parametrize(
    ("later", "value"),
    [
        ("1", "3."),
        ("x = torch.tensor(100.)", None),
        ("x += 5", None),
        ("for i in range(2):\n    y = w + x; x = x * 2", None),
    ],
)
def test_no_value_is_told_that_an_operation_was_not_given(notebook, later, value):
    """`+` keeps neither of its operands: what has the name of one shows it, if it is the one."""
    notebook.run(FIRST + "y = w + x")
    assert dict(notebook.nodes("title", "value", kind="untracked")) == {"x": "3."}
    notebook.run(later)
    given = [e["target"] for e in notebook.panel.scene["edges"] if e["kind"] == "untracked"]
    assert {told for node, told in notebook.nodes("id", "value", kind="untracked") if node in given} == {value}


@pytest.mark.parametrize(
    "cell",
    [
        "def fit(h, w):\n    y = h * w\n    y.backward()",
        "def fit(h, w):\n    def run():\n        y = h * w\n        y.backward()\n    run()",
    ],
)
def test_what_a_function_calls_its_own_is_not_the_notebooks(notebook, cell):
    """A parameter of the name of a leaf moves no leaf."""
    notebook.run(FIRST + cell)
    notebook.run("fit(w * 2, b)")
    scene = notebook.panel.trace["scene"]
    assert scene["moved"] == []
    assert not [node["label"] for node in scene["nodes"] if node["words"] and "old" in node["words"]["en"]]


@pytest.mark.parametrize("magic", ["time", "capture"])
def test_the_lines_of_a_cell_below_a_magic_are_counted_from_its_top(notebook, magic):
    notebook.run(f"\n%%{magic}\n\nw = torch.tensor(2., requires_grad=True)\ny = w * 3\ny.backward()")
    assert notebook.panel.trace["line"] == "In [2], line 6: y.backward()"
    sources = dict(notebook.nodes("label", "source"))
    assert sources["w"] == "In [2], line 4: w = torch.tensor(2., requires_grad=True)"
    assert sources["MulBackward0"] == "In [2], line 5: y = w * 3"
    (code,) = notebook.panel.scene["code"]
    assert code["lines"][1] == f"%%{magic}"
    notebook.run("a = 1\n\n%time y = w * 4")
    assert notebook.nodes("source", kind="op") == ["In [3], line 3: %time y = w * 4"]


def test_a_backward_pass_is_held_step_by_step(notebook):
    notebook.run(FIRST)
    notebook.run("z = w * x + b\nloss = z ** 2")
    notebook.run("loss.backward()")
    trace, panel = notebook.panel.trace, notebook.panel
    assert (panel.view, panel.step) == ("pass", len(trace["steps"]))
    assert trace["call"] == "loss.backward()"
    assert trace["ended"]
    assert not trace["retain_graph"]
    labels = {node["id"]: node["label"] for node in trace["scene"]["nodes"]}
    assert [(step["kind"], labels[step["node"]]) for step in trace["steps"]] == [
        ("start", "PowBackward0"),
        ("op", "PowBackward0"),
        ("op", "AddBackward0"),
        ("accumulate", "AccumulateGrad"),
        ("op", "MulBackward0"),
        ("accumulate", "AccumulateGrad"),
    ]
    mul = trace["steps"][4]
    rule = "∂loss/∂w = ∂loss/∂(w * x) · x"
    assert mul["rules"] == [{"rule": {"en": rule, "zh": rule}, "filled": "14. · 3. = 42."}]
    assert "other" in mul["freed"]
    last = trace["steps"][-1]
    assert (last["name"], last["before"], last["after"]["short"]) == ("w", None, "42.")
    assert "x" in labels.values(), "the data is still named after the saved tensors were freed"


def test_a_rebound_name_is_seen_to_leave_the_leaf(notebook):
    notebook.run(FIRST + "loss = w * x")
    leaf = dict(notebook.nodes("label", "id"))["w"]
    notebook.run("loss.backward()")
    notebook.run("w = w - w.grad")
    (moved,) = notebook.panel.scene["moved"]
    assert moved["name"] == "w"
    assert moved["from"] == leaf
    assert moved["to"] != leaf
    assert {"en": "w (old)", "zh": "w（旧）"} in notebook.nodes("words")
    notebook.run("u = w * 2")
    assert notebook.panel.scene["moved"] == [], "it moved in the cell before"


def test_a_leaf_that_is_made_again_leaves_the_old_one_its_name(notebook):
    """A cell that was run once more: the loss still hangs on the leaf of before."""
    notebook.run(FIRST + "loss = w * x")
    leaf = dict(notebook.nodes("label", "id"))["w"]
    notebook.run("w = torch.tensor(5., requires_grad=True)")
    (moved,) = notebook.panel.scene["moved"]
    assert (moved["name"], moved["from"]) == ("w", None), "the one was not made of the other: no arrow"
    assert moved["to"] != leaf
    assert {"en": "w (old)", "zh": "w（旧）"} in notebook.nodes("words")
    notebook.run("loss.backward()")
    shown = {node["id"]: node for node in notebook.panel.trace["scene"]["nodes"]}
    assert shown[leaf]["words"] == {"en": "w (old)", "zh": "w（旧）"}
    notebook.run("for p in (w, b): pass")
    notebook.run("for p in (b, w): pass")
    assert notebook.panel.scene["moved"] == [], "a variable of a loop leaves nothing behind"
    notebook.run("loss = w * x")
    notebook.run("loss = w = torch.tensor(5., requires_grad=True)")
    assert notebook.panel.scene["moved"] == [], "nothing that is shown hangs on the old one"


def test_a_name_moves_also_within_one_cell(notebook):
    """As in the notes: ``x = x**2`` stands in the cell in which x was made."""
    notebook.run("x = torch.ones(2, requires_grad=True)\ny = x + 2\ny = y * y\nx = x**2")
    assert notebook.nodes("title", kind="op") == ["x + 2", "y", "x"], "and y's first value is what was written for it"
    (moved,) = notebook.panel.scene["moved"]
    old = dict(notebook.nodes("label", "id", kind="leaf"))
    assert list(old) == ["x"], "and not leaf1"
    assert (moved["name"], moved["from"]) == ("x", old["x"])
    assert {"en": "x (old)", "zh": "x（旧）"} in notebook.nodes("words")


@pytest.mark.parametrize("cell", ["w = 3", "del w"])
def test_a_leaf_whose_name_is_no_tensor_any_more_keeps_it(notebook, cell):
    notebook.run(FIRST + "loss = w * x")
    notebook.run(cell)
    assert {"en": "w (old)", "zh": "w（旧）"} in notebook.nodes("words")
    assert notebook.panel.scene["moved"] == [], "it refers to no tensor"


def test_what_comes_back_is_not_drawn_over_what_took_its_place(notebook):
    """y is computed again, and its pass shows it alone; then the picture has the old y, too, on which l hangs."""
    notebook.run("x = torch.tensor([2., 4.], requires_grad=True)\ny = 3 * (x + 2)**2\nl = y.mean()\nl.backward()")
    notebook.run("y = 3 * (x + 2)**2\ny.backward(torch.ones(2))")
    notebook.panel.follower._look()
    ids = notebook.nodes("id")
    assert len(ids) == len(set(ids))
    titles = dict(notebook.nodes("id", "title"))
    (mean,) = (node for node, title in titles.items() if title == "l")
    (under,) = (edge["target"] for edge in notebook.panel.scene["edges"] if edge["source"] == mean)
    assert titles[under] == "3 * (x + 2) ** 2", "and not y"


def test_a_picture_comes_together_with_the_view_that_it_is_shown_in(notebook):
    """So that the panel reads it aloud, and does not show it twice."""
    notebook.run(FIRST + "loss = w * x\nloss.backward()")
    panel, together = notebook.panel, []
    panel.observe(lambda change: together.append((change["name"], panel._holding_sync)), ["scene", "view"])
    notebook.run("y = w * 3")
    assert {("scene", True), ("view", True)} <= set(together)


def test_what_was_derived_last_stays_in_sight(notebook):
    """Else the cell after a pass would show whatever was made last."""
    notebook.run(FIRST + "z = w * x")
    notebook.run("v = torch.tensor(1., requires_grad=True)\nu = (v * 3).exp()")
    notebook.run("z.backward()")
    notebook.run("print(w.grad)")
    assert notebook.panel.view == "live"
    assert notebook.panel.scene["roots"] == [node for node, names in notebook.nodes("id", "names") if "z" in names]
    assert "u" in notebook.panel.scene["earlier"]["names"]
    notebook.run("t = v * 2")
    assert "t" in notebook.nodes("title")


LAST_STEP = [("before", "20."), ("added", "10."), ("after", "30.")]


@pytest.mark.parametrize("way", ["loop", "function"])
def test_a_loop_is_shown_with_its_last_pass(notebook, way):
    """The one that follows on all others: what was in ``.grad`` before it is what they have left there."""
    turn = "    y = w * x\n    y = y * 10 / 3\n    y.backward()\n"
    loops = {"loop": f"for _ in range(3):\n{turn}", "function": f"def turn():\n{turn}for _ in range(3): turn()"}
    notebook.run(FIRST + loops[way])
    trace = notebook.panel.trace
    assert (trace["call"], notebook.panel.view) == ("y.backward()  #3", "pass")
    assert (notebook.panel.step, trace["scene"]["busy"]) == (len(trace["steps"]), False)
    assert [(key, trace["steps"][-1][key]["short"]) for key, _ in LAST_STEP] == LAST_STEP
    assert [k for k, _ in notebook.panel.losses] == [1, 2, 3]


@pytest.fixture
def recorded(monkeypatch):
    """References to the passes that are recorded."""
    runs, enter = [], Recording.__enter__
    monkeypatch.setattr(Recording, "__enter__", lambda run: runs.append(weakref.ref(run)) or enter(run))
    return runs


def nothing_is_due(notebook):
    """On a slow machine a pass in the middle of a loop would be."""
    pace = notebook.panel.follower._pace
    pace.next, pace.rest, pace.rest_from_pass = time.monotonic() + 60, lambda *_: None, lambda *_, **__: None


@pytest.mark.parametrize(
    ("loop", "last"),
    [
        ("for t in range(500):", 500),
        ("for epoch in list(range(epochs)):", 200),
        ("for t in range(t0, 500):", 500),
        ("for t in range(2, epochs + 1):", 199),
        ("for t in range(10):\n  for s in range(20):", 200),
        ("for epoch in range(10):\n  for i, (row,) in enumerate(loader):", 200),
        ("for number, row in zip(numbers, tensor):", 150),
        ("for i in range(0, len(tensor), 1):", 160),
        ("for i in trange(150):", 150),
        ("for i in range(10):\n  for row in bar.tqdm(loader, leave=False):", 200),
        ("def turn(_):\n    (w * x).backward()\n[turn(i) for i in range(150)]\nfor i in ():", 150),
        ("for t in range(2):\n  for one in numbers:\n    torch.autograd.grad(w * x, [w])", 600),
        ("for rate in [0.1, 0.2]:\n  for number in numbers:", 300),
        ("for epoch in range(3):\n  for number in batches(3, numbers):", 150),
        ("for number in whole():", 200),
        ("for number in unknown(numbers):", 1),
        ("for t in range(500):\n    if t == 300: break", 1),
        ("for t in range(2):\n  for row in asked:", 1),
        ("for t in map(abs, range(200)):", 1),
        ("while w.grad is None or w.grad < 600:", 1),
    ],
)
def test_a_loop_that_says_how_long_it_is_ends_with_its_last_pass(notebook, recorded, loop, last):
    """And no other pass of it is recorded in vain, but for the first."""
    notebook.run(
        FIRST + "epochs, t0, numbers, tensor, lengths, trange = 200, 0, [1.5] * 150, torch.ones(160), [], range\n"
        "class bar: tqdm = staticmethod(lambda over, leave: over)\n"
        "def batches(size, data):\n  count, order = len(data), list(data)\n  count = len(data)\n"
        "  rows = list(data)\n  for i in range(0, count, size):\n    part = data[i : i + size]\n    yield part\n"
        "def whole():\n  for i in range(epochs):\n    yield i\n"
        "def unknown(data, size=epochs):\n  data = data[:120]\n  for one in data:\n    yield one\n"
        "rows = torch.utils.data.TensorDataset(torch.ones(60, 2))\n"
        "class Asked(list):\n    def __len__(self): lengths.append(1); return 100\n"
        "loader, asked = torch.utils.data.DataLoader(rows, batch_size=3), Asked([1.0] * 100)"
    )
    nothing_is_due(notebook)
    notebook.run(f"{loop}\n    (w * x).backward()\nprint(w.grad)")
    assert notebook.shell.user_ns["lengths"] == [], "no class of the program's is asked for its length"
    assert notebook.panel.trace["call"] == f"(w * x).backward()  #{last}"
    assert notebook.panel.view == ("pass" if last > 1 else "live")
    assert len(recorded) <= (3 if ".grad(" in loop else 2)
    assert sum(run() is not None for run in recorded) == 0, "and none is kept"
    first = 2 if ".grad(" in loop else 1  # the curve is that of `backward`
    assert [notebook.panel.losses[0][0], len(notebook.panel.losses) > 100] == [first, True]


def test_a_loop_that_is_short_beside_what_recording_takes_ends_without_its_last_pass(notebook, recorded):
    notebook.run(FIRST)
    nothing_is_due(notebook)
    notebook.panel.follower._pace._spent = 10.0  # seconds, as of a large network
    notebook.run("for i in range(150):\n    (w * x).backward()")
    assert len(recorded) == 1
    assert notebook.panel.view == "live", "the state that the loop has left"
    assert [notebook.panel.losses[0][0], notebook.panel.losses[-1][0]] == [1, 150]


TRAIN = """
def step(): (w * x).backward()
def train(data):
    for one in data: step()
def other(): (w * b).backward()
def gan(data):
    for one in data:
        step()
        other()
def either(data, how):
    for one in data:
        if how:
            (w * x).backward()
        else:
            (w * b).backward()
def warm_up_and_train(data):
    for i in range(9): (w * x).backward()
    train(data)
class Trainer:
    def fit(self):
        for epoch in range(self.epochs):
            for one in self.data: step()
trainer = Trainer()
trainer.data, trainer.epochs = [1.5] * 50, 3
"""


@pytest.mark.parametrize(
    ("call", "last", "most"),
    [
        ("train(numbers)", 150, 2),
        ("for epoch in range(3): train(numbers)", 450, 2),
        ("train(numbers)\ntrain(numbers[:20])", 170, 3),
        ("trainer.fit()", 150, 2),
        ("%%time\nfor one in numbers:\n    step()", 150, 2),
        ("gan(numbers)", 300, 3),
        ("gan(numbers)\ngan(numbers[:20])", 340, 4),
        ("for epoch in range(2): either(numbers, epochs)", 300, 2),
        ("warm_up_and_train(numbers)", 159, 4),
        ("warm_up_and_train(map(abs, numbers))", 10, 3),
    ],
)
def test_a_loop_in_a_function_ends_with_its_last_pass(notebook, recorded, call, last, most):
    """As ``train(loader, model)`` of all tutorials, which an other cell calls than the one that defines it."""
    notebook.run(FIRST + TRAIN + "numbers, epochs = [1.5] * 150, 0")
    nothing_is_due(notebook)
    notebook.run(call)
    assert notebook.panel.trace["call"].partition("#")[2] == f"{last}"
    assert notebook.panel.view == ("live" if last == 10 else "pass")
    assert len(recorded) <= most


def test_two_passes_that_take_turns_in_a_loop_both_run_by_themselves(notebook, monkeypatch):
    """As those of a GAN do: nothing is asked of most of them."""
    notebook.run(FIRST + "losses = []")
    begins, begun = notebook.panel.follower._begins, []
    monkeypatch.setattr(notebook.panel.follower, "_begins", lambda *call: begun.append(call[0]) or begins(*call))
    notebook.panel.follower._pace.next = time.monotonic() + 60
    notebook.run("for i in range(40):\n    one = w * i\n    one.backward()\n    two = b * i\n    two.backward()")
    assert notebook.panel.follower.cell.passes.count == 80
    assert len(begun) <= 9, begun
    assert float(notebook.shell.user_ns["w"].grad) == float(notebook.shell.user_ns["b"].grad) == sum(range(40))


LOOPS = {
    "a loop": "for i in range(700):\n    first()",
    "one that ends somewhere": "while True:\n    first()\n    if float(w.grad) >= 700 * 701 / 2: break",
    "two that take turns": "for i in range(400):\n    first()\n    second()",
    "the second one more often": "for i in range(300):\n    first()\n    second(); second()",
    "one loop after another": "for i in range(350): first()\nfor i in range(350): first()",
    "another one in the middle": "for i in range(700):\n    first()\n    if i == 500: second()",
    "two that end somewhere": "while len(ran) < 700:\n    first()\n    second()",
    "one that is now and then no tensor's": "for i in range(700):\n    either(i)",
    "one that another thread runs again": "t = Thread(target=train)\ntrain()\nt.start()\nt.join()",
}


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_the_losses_in_the_curve_of_a_long_loop_are_those_of_its_passes(notebook, monkeypatch, loop):
    """Most of its passes ask nothing: of those, too, the number is known, and how the last one ended."""
    looked, goes_on = [], Passes.goes_on
    monkeypatch.setattr(Passes, "goes_on", lambda *given: looked.append(given) or goes_on(*given))
    notebook.run(FIRST + "from threading import Thread\nfrom types import SimpleNamespace\nran = []")
    notebook.run("""
def first():  # its loss is the number of its pass
    ran.append("first")
    loss = w * 0.5 * len(ran)
    loss.backward()
def second():
    global there  # still, when the cell has ended
    ran.append("second")
    there = b * 3
    there.backward()
def either(i):
    ran.append("first")
    loss = w * 0.5 * len(ran)
    if i % 50 == 49: loss = SimpleNamespace(backward=lambda: ran.pop())
    loss.backward()
def train():
    n = 0
    while n < 500:
        n += 1
        first()
""")
    notebook.panel.follower._pace.next = time.monotonic() + 60
    notebook.run(loop)
    passes, ran = notebook.panel.follower.cell.passes, notebook.shell.user_ns["ran"]
    count = len(ran) // 2 if "Thread" in loop else len(ran)
    assert passes.count == count
    points = passes.curve.points
    assert all(number == loss for number, loss in points), points
    assert points[-1][0] > 0.99 * count
    assert len(looked) < 0.85 * count or "second" in loop, "each pass asks whether the panel is due"


SLOPE = "torch.autograd.grad(y, w)"  # as of a gradient penalty: what it starts from is no loss


@pytest.mark.parametrize(
    ("cell", "losses"),
    [
        ("y = w * 3\ny.backward()\nz = w * 100\nz.backward()", [6.0]),
        ("first = w * 100\nfirst.backward()\nfor i in range(1, 4):\n    y = w * i\n    y.backward()", [4.0, 6.0]),
        ("for i in range(3):\n    y = w * i\n    y.backward()\n    z = w * 100\n    z.backward()", [0.0, 2.0, 4.0]),
        (f"for i in range(3):\n    y = w * i\n    {SLOPE}\n    z = w * 100 + i\n    z.backward()", [200, 201, 202]),
        (f"y = w * 3\ny.backward()\nfor i in range(3):\n    y = w * i\n    {SLOPE}", [6.0]),
        (f"for i in range(3):\n    y = w * i\n    {SLOPE}", [0.0, 2.0, 4.0]),
    ],
)
def test_a_curve_is_of_one_call(notebook, cell, losses):
    """What two calls start from are two losses, and a line from the one to the other says nothing."""
    notebook.run(FIRST)
    notebook.run(cell)
    assert [loss for _, loss in notebook.panel.losses] == losses


def test_a_loop_that_runs_again_in_a_thread_is_not_taken_for_the_same(notebook):
    """As the check of an exercise runs the learner's: what the panel showed were the gradients of that."""
    notebook.run(FIRST + "from threading import Thread")
    notebook.run("def train():\n    for i in range(1, 41):\n        y = w * i\n        y.backward()")
    notebook.run(
        "def check():\n    train()\n    again = Thread(target=train)\n    again.start()\n    again.join()\n\ncheck()"
    )
    assert notebook.panel.follower.cell.passes.count == 40
    assert notebook.panel.losses[-1] == [40, 80.0]
    assert notebook.panel.trace["call"] == "y.backward()  #40"


def test_a_name_moves_also_where_cells_follow_at_once(notebook):
    """As *Run All* does: the picture of the cell before was still waiting."""

    async def run_all():
        notebook.panel.follower._pace.cell = time.monotonic() + 60
        notebook.shell.run_cell(FIRST + "z = w * x")
        assert notebook.panel.follower.soon.waits
        notebook.shell.run_cell("w = w - 1")
        while notebook.panel.follower.soon.waits:
            await asyncio.sleep(0.02)

    asyncio.run(run_all())
    (moved,) = notebook.panel.scene["moved"]
    assert moved["name"] == "w"
    assert {"en": "w (old)", "zh": "w（旧）"} in notebook.nodes("words")


def test_what_a_loop_calls_the_last_of_the_parameters_is_no_name_of_it(notebook):
    notebook.run(FIRST + "y = w * x + b\ny.backward()\nfor p in (w, b): p.grad = None\nfor kept in [w * 2]: pass")
    assert {"w", "b", "kept"} <= {name for names in notebook.nodes("names") for name in names}
    assert ["b"] in notebook.nodes("names", kind="leaf")
    notebook.run("for p in [w]: pass")
    assert notebook.panel.scene["moved"] == []


def test_detached_results_stand_beside_the_graph(notebook):
    notebook.run(FIRST + "z = w * x\nd = z.detach()\nwith torch.no_grad():\n    n = w * x")
    kinds = dict(notebook.nodes("label", "kind"))
    assert kinds["d"] == kinds["n"] == "untracked"
    assert [edge for edge in notebook.panel.scene["edges"] if edge["source"].startswith("const")] == []


def test_what_the_panel_saw_is_in_no_picture_that_the_reader_draws(notebook):
    """Law one: `viz.draw` shows after the backward pass what it shows where no panel looked before it."""
    program = (FIRST, "z = w * x", "z.backward()", "drawn = viz.text(z)")
    for cell in program:
        notebook.run(cell)
    followed = notebook.shell.user_ns["drawn"]
    assert "x" in [node["label"] for node in notebook.panel.trace["scene"]["nodes"]], "the panel did look"
    notebook.panel.stop()
    for cell in program:
        notebook.run(cell)
    assert followed == notebook.shell.user_ns["drawn"]


def test_a_graph_that_is_gone_leaves_the_picture_and_the_memory(notebook):
    notebook.run(FIRST + "z = w * x\nloss = z ** 2\nloss.backward()")
    gone = weakref.ref(notebook.shell.user_ns["z"])
    notebook.run("del z, loss")
    gc.collect()
    assert gone() is None, "the panel keeps a graph alive"
    assert notebook.nodes("label", kind="op") == []


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("loss = w ** 2; loss.backward(); loss.backward()", "second time"),
        ("for i in range(50):\n    loss = w ** 2\n    loss.backward()\nloss.backward()", "second time"),
        ("y = (w * x).exp(); loss = y * 1; y.detach().add_(1); loss.backward()", "inplace operation"),
        ("v = torch.ones(2) * w; v.backward()", "scalar outputs"),
    ],
)
def test_an_error_stops_the_pass_at_the_node_at_fault(notebook, cell, said):
    notebook.run(FIRST)
    notebook.run(cell, error=RuntimeError)
    last = notebook.panel.trace["steps"][-1]
    assert last["kind"] == "error"
    assert said in last["error"]
    assert last["hint"]["en"]
    assert last["hint"]["zh"]
    assert last["node"] in {node["id"] for node in notebook.panel.trace["scene"]["nodes"]}


def test_a_training_that_runs_away_is_followed(notebook):
    """JSON knows neither inf nor nan: Jupyter would complain in the learner's cell."""
    notebook.run(FIRST)
    for factor in ("1e20", "1e200", "float('nan')"):
        notebook.run(f"loss = (w * x * {factor}) ** 2; loss.backward()")
        panel = notebook.panel
        json.dumps([panel.scene, panel.trace, panel.losses], allow_nan=False)
    assert panel.trace["steps"], "the pass itself is shown"


def test_what_makes_a_gradient_nan_comes_with_what_to_do(notebook):
    notebook.run(
        "w = torch.zeros(2, requires_grad=True)\nloss = torch.where(w > 0, w.sqrt(), w).sum()\nloss.backward()"
    )
    note = notebook.panel.trace["scene"]["note"]
    assert "SqrtBackward0 turns finite gradients into nan. Either a derivative is infinite there" in note["en"]
    assert "(x + 1e-12).sqrt()" in note["zh"]


@pytest.mark.parametrize(("rate", "says"), [(1.0, "too large, or is there a nan in the data"), (0.001, "")])
def test_a_curve_that_ends_before_the_loss_is_no_number_says_so(notebook, rate, says):
    notebook.run(FIRST)
    step = f"with torch.no_grad(): w -= {rate} * w.grad; w.grad = None"
    notebook.run(
        f"for i in range(60):\n    loss = (w * 20 - b) ** 2\n    loss.backward()\n    b.grad = None\n    {step}"
    )
    assert says in notebook.panel.scene["note"]["en"] if says else notebook.panel.scene["note"]["en"] == ""
    assert all(loss == loss for _, loss in notebook.panel.losses)


def test_a_training_loop_keeps_its_nodes_and_shows_its_loss(notebook):
    notebook.run("W = torch.ones(4, 1, requires_grad=True); X = torch.eye(4); Y = X.sum(1, keepdim=True) * 3")
    loop = """
import time
for i in range(300):
    loss = ((X @ W - Y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        W -= 0.1 * W.grad
        W.grad = None
    time.sleep(0.1)  # an even rhythm, which the panel's looks must not fall into
    if len(panel.losses) > 3 and "#" in panel.trace["call"]:
        break
"""
    notebook.run(loop)
    losses = notebook.panel.losses
    assert len(losses) > 3, "the panel does not follow the loop"
    assert losses[0][0] == 1
    assert [value for _, value in losses] == sorted((value for _, value in losses), reverse=True)
    before = set(notebook.nodes("id", kind="op"))
    notebook.run(loop)
    assert set(notebook.nodes("id", kind="op")) == before, "each round looks like a new graph"
    assert "#" in notebook.panel.trace["call"]
    ids = notebook.panel.follower.scenes.ids
    assert max(len(ids._ops), len(ids._older), len(ids._tensors)) < 30, "memory grows with the rounds"


def test_a_click_that_comes_in_another_thread_waits_for_the_thread_of_the_cells(notebook, monkeypatch):
    """A kernel with subshells gives messages to a thread of their own; a graph must not be read there while a cell
    runs."""
    follower, looks = notebook.panel.follower, []
    read = follower.scenes.read

    def seen(*args, **options):
        looks.append((threading.current_thread() is threading.main_thread(), options.get("busy")))
        return read(*args, **options)

    monkeypatch.setattr(follower.scenes, "read", seen)

    async def kernel():
        notebook.shell.run_cell("panel.stop(); panel.start()")
        notebook.shell.run_cell(FIRST + "y = w * x")
        notebook.shell.user_ns["click"] = lambda: follower._message(notebook.panel, {"type": "fold"}, None)
        while follower.soon.waits:
            await asyncio.sleep(0.02)
        looks.clear()
        notebook.shell.run_cell(
            "import threading\nasking = threading.Thread(target=click)\nasking.start()\nasking.join()"
        )
        during = list(looks)
        while not looks[len(during) :] or follower.soon.waits:
            await asyncio.sleep(0.02)
        return during

    assert all(main for main, _ in asyncio.run(kernel()))
    assert (True, False) in looks, "it is answered between two cells, in their thread"
    assert all(main for main, _ in looks)


def from_the_browser(panel, **state):
    """A thread that hears what the browser has set, as a subshell of the kernel does."""
    message = {"content": {"data": {"method": "update", "state": state}}, "buffers": []}
    return threading.Thread(target=panel.comm.handle_msg, args=[message])


def test_what_the_browser_sets_in_another_thread_does_not_cross_what_the_cells_set(notebook):
    """Both sides then show the same step: what is sent last is what the kernel has."""
    panel, shown, heard = notebook.panel, [], threading.Event()

    class Browser(DummyComm):
        def publish_msg(self, kind, data=None, **more):
            if kind == "comm_msg" and "step" in data["state"]:
                shown.append(data["state"]["step"])
            if kind == "comm_msg" and data["method"] == "echo_update":  # the browser's step is half set
                heard.set()
                time.sleep(0.05)

    panel.comm = Browser()
    (hearing := from_the_browser(panel, step=1)).start()
    heard.wait(10)
    with panel.hold_sync():
        panel.step = 5
    hearing.join()
    assert (panel.step, shown[-1]) == (5, 5)
    with panel.hold_sync():
        panel.step = 2
        (hearing := from_the_browser(panel, step=3)).start()
        hearing.join(0.05)
    hearing.join()
    assert (panel.step, shown[-1]) == (3, 3)


def test_what_observes_the_panel_in_another_thread_may_wait_for_the_cell(notebook):
    panel, begun, done = notebook.panel, threading.Event(), threading.Event()
    panel.observe(lambda change: (begun.set(), done.wait(60)), "speed")
    (hearing := from_the_browser(panel, speed=2.0)).start()
    begun.wait(10)
    began = time.monotonic()
    notebook.run(FIRST + "y = w * x\ny.backward()")
    took = time.monotonic() - began
    done.set()
    hearing.join()
    assert panel.trace["ended"], "followed all the same"
    assert took < 30


@pytest.mark.parametrize(
    ("option", "wrong", "error"),
    [
        ("direction", "left", ValueError),
        ("modules", -1, ValueError),
        ("max_nodes", 0, ValueError),
    ],
)
def test_a_wrong_option_is_refused_at_once_and_the_panel_goes_on(notebook, option, wrong, error):
    panel = notebook.panel
    for _ in range(2):  # where there is a panel, and where there is none
        with pytest.raises(
            error, match=rf"^{option}= cannot be {wrong!r}\n  → {option}= takes .*\n  → .*应为"
        ) as raised:
            viz.live(**{option: wrong})
        assert raised.value.__context__ is sys.exception(), "nothing of the panel's stands behind it"
        notebook.run(FIRST + "z = w * x" if panel.comm else "pass")
        assert panel.scene["note"] == {"en": "", "zh": ""}
        panel.close()


def test_a_function_that_runs_shows_its_variables(notebook):
    notebook.run(FIRST)
    notebook.run("""
import weakref
def grow():
    h = w * x
    ref = weakref.ref(h)
    h.backward()
    del h
    return ref()
def own():
    mine = locals()
    mine["more"] = 1
    (w * 3).backward()
    return mine
def kept():
    exec("z = 5")
    (w * 2).backward()
    return locals().get("z")
left = grow()
mine = own()
z = kept()
""")
    assert notebook.shell.user_ns["z"] == (5 if sys.version_info < (3, 13) else None)
    assert notebook.shell.user_ns["left"] is None, "the panel keeps what a function has let go"
    assert notebook.shell.user_ns["mine"]["more"] == 1, "locals() belongs to the function"
    assert "h" not in notebook.nodes("title"), "the function has ended"
    notebook.run("def step():\n    inner = w * x\n    inner.backward()\nstep()")
    scene = notebook.panel.trace["scene"]
    assert "inner" in [node["title"] for node in scene["nodes"]]


@pytest.mark.parametrize("body", ["f{0}(x) * f{0}(x)", "f{0}(f{0}(x))", "f{0}(x) + 1"])
def test_functions_that_call_each_other_again_and_again_do_not_hold_the_notebook_up(notebook, body):
    """What a function computes is put in place of its call as far as that stays short: forty may mean 2**40 of them."""
    notebook.run(
        "def f0(x): return x * 1\n" + "\n".join(f"def f{i + 1}(x): return {body.format(i)}" for i in range(40))
    )
    began = time.process_time()
    calls = [ast.parse(f"f{n}(x)", mode="eval").body for n in (0, 1, 3, 40)]
    found = [ast.unparse(inlined(call, notebook.panel.follower.scenes.codes.values())) for call in calls]
    assert time.process_time() - began < 2
    assert found[0] == "x * 1"
    assert "f" not in found[1]
    assert all(len(text) < 1000 for text in found)


def test_a_rule_names_what_stands_in_a_group(notebook):
    """A parameter and the loss have their names also where a module is one node, and what leads into it has its own."""
    notebook.panel.follower.scenes.view = View(modules=1)
    notebook.run(
        "net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))\n"
        "loss = net(torch.ones(4, 2)).pow(2).mean()\nloss.backward()"
    )
    said = [rule["rule"]["en"] for step in notebook.panel.trace["steps"] for rule in step.get("rules", ())]
    assert "∂loss/∂net.2.bias = ∂loss/∂(net(torch.ones(4, 2)))" in said
    assert not [rule for rule in said if "∂L" in rule or " · a" in rule]


def test_a_group_opens_in_the_pass_that_is_shown(notebook):
    """At the step that is shown, with what has flowed inside, long after the pass has let its nodes go."""
    panel, follower = notebook.panel, notebook.panel.follower
    follower.scenes.view = View(modules=1)
    notebook.run(
        "net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))\n"
        "loss = net(torch.ones(4, 2)).pow(2).mean()\nloss.backward()"
    )
    closed = panel.trace
    inside = [step for step in closed["steps"] if "member" in step]
    assert {step["node"] for step in inside} == {"module1", "module2"}
    notebook.shell.run_cell("del net, loss")
    panel.view, panel.step = "pass", 4
    follower._message(panel, {"type": "unfold", "id": "module2"}, [])
    opened = panel.trace
    assert (panel.view, panel.step, opened["call"]) == ("pass", 4, "loss.backward()")
    assert len(opened["steps"]) == len(closed["steps"])
    assert {step["node"] for step in opened["steps"] if "member" in step} == {"module1"}
    shown = {node["id"]: node["label"] for node in opened["scene"]["nodes"]}
    here = [shown[step["node"]] for step in opened["steps"] if step["node"] != "module1" and step["kind"] == "op"]
    assert here == ["MeanBackward0", "PowBackward0", "AddmmBackward0", "TBackward0", "ReluBackward0"]
    (bias,) = (step for step in opened["steps"] if step["kind"] == "accumulate" and step["name"] == "net.2.bias")
    assert (shown[bias["leaf"]], bias["after"]) == ("net.2.bias", next(s["after"] for s in inside if "after" in s))
    assert panel.scene["nodes"] != opened["scene"]["nodes"], "the variables are what they are"
    panel.view = "live"
    follower._message(panel, {"type": "fold"}, [])
    assert panel.view == "live", "all is closed there, too"
    assert [panel.trace[key] for key in ("steps", "pending")] == [closed[key] for key in ("steps", "pending")]
    follower._message(panel, {"type": "unfold", "id": "no such"}, [])
    assert panel.trace["steps"] == closed["steps"]


def test_a_pass_through_a_group_says_what_fires_inside(notebook):
    notebook.run(
        "many = [torch.tensor(1.01, requires_grad=True) for _ in range(40)]\n"
        "y = w = torch.tensor(2.0, requires_grad=True)\nfor p in many:\n    y = y * p * w"
    )
    notebook.run("y.backward()")
    trace = notebook.panel.trace
    groups = [node for node in trace["scene"]["nodes"] if node["kind"] == "folded"]
    assert groups
    assert all(step["node"] for step in trace["steps"]), "a step that is nowhere in the picture"
    inside = [step for step in trace["steps"] if "member" in step]
    assert {step["node"] for step in inside} == {group["id"] for group in groups}
    ops = [step for step in inside if step["kind"] == "op"]
    assert len(ops) == sum(group["count"] for group in groups)
    assert {step["member"]["label"].partition(" ")[0] for step in ops} == {"MulBackward0"}
    assert all(step["member"]["source"].endswith("y = y * p * w") for step in ops)
    added = [step for step in inside if step["kind"] == "accumulate"]
    assert "many[20]" in {step["name"] for step in added}
    assert all(step["leaf"] is None and step["after"] for step in added)
    assert not set(trace["pending"]) & {group["id"] for group in groups}


def test_a_panel_that_missed_something_is_told_again(notebook, monkeypatch):
    notebook.run(FIRST + "loss = w * x\nloss.backward()")
    panel, sent = notebook.panel, []
    monkeypatch.setattr(panel, "send_state", lambda key=None: sent.extend(key))
    monkeypatch.setattr(panel, "send", lambda content: sent.append(content["type"]))
    now = {"type": "check", "scene": panel.scene["serial"], "trace": panel.trace["serial"]}
    panel.follower._message(panel, now, [])
    assert sent == ["here"]
    panel.follower._message(panel, now | {"scene": 0}, [])
    assert sent == ["here", "scene", "view", "here"]
    panel.follower._message(panel, now | {"trace": 0}, [])
    assert set(sent[4:-1]) == {"trace", "losses", "view", "step"}


def test_gradients_asked_for_by_name_are_recorded(notebook):
    notebook.run(FIRST + "loss = w * x")
    notebook.run("g, = torch.autograd.grad(loss, w)")
    assert notebook.panel.trace["call"] == "torch.autograd.grad(loss, w)"
    notebook.run("loss = w * x\ntorch.autograd.backward([loss])")
    assert notebook.panel.trace["steps"][-1]["after"]["short"] == "3."
    notebook.run("class Door:\n    def backward(self, how): return how\nsaid = Door().backward('slowly')")
    assert notebook.shell.user_ns["said"] == "slowly", "a method that only shares the name"


def test_stop_takes_everything_back(notebook):
    shell = notebook.shell
    notebook.run(FIRST + "def step():\n    loss = w * x\n    loss.backward()")
    notebook.run("panel.stop()")
    assert not shell.ast_transformers
    assert not any(
        "Follower" in repr(f) for event in ("pre_run_cell", "post_run_cell") for f in shell.events.callbacks[event]
    )
    serial = notebook.panel.scene["serial"]
    notebook.run("step(); z = w * 2")  # was written while the panel followed
    assert notebook.panel.scene["serial"] == serial
    assert not notebook.panel.following
    notebook.run("panel.start()")
    notebook.run("q = w * 2")
    assert "q" in notebook.nodes("title")
    assert notebook.panel.following


def test_where_no_widgets_are_shown_it_says_so(notebook, capsys):
    """A console shows the text of what is displayed, or at most a picture."""
    capsys.readouterr()
    notebook.run("viz.live()")
    said = capsys.readouterr().out
    assert "the panel cannot be shown: it needs widgets" in said
    assert "显示不了实时面板" in said


def test_the_same_panel_again(notebook, capsys):
    notebook.run("viz.options.language = 'zh'\nagain = viz.live()\nviz.options.language = 'auto'")
    assert notebook.shell.user_ns["again"] is notebook.panel
    assert notebook.panel.language == "zh"
    assert notebook.shell.ast_transformers.count(notebook.panel.follower._transformer) == 1
    capsys.readouterr()
    notebook.run("viz.live()")
    assert capsys.readouterr().out.count("LivePanel()") == 1, "shown by the call, and again as the cell's result"
    notebook.run("panel")
    assert capsys.readouterr().out.count("LivePanel()") == 1
    notebook.run("panel.close()\npanel = viz.live()")
    assert notebook.shell.user_ns["panel"] is not notebook.panel, "a closed panel cannot be shown again"
    notebook.panel = notebook.shell.user_ns["panel"]


def test_cells_mean_what_they_meant(notebook, capsys):
    notebook.run("from __future__ import annotations\n'a docstring'\nassert True")
    notebook.run("%%time\nw = torch.tensor(1., requires_grad=True)\nv = w * 2")
    assert "v" in notebook.nodes("title")
    notebook.run("async def f():\n    return 1\nr = await f()")
    capsys.readouterr()
    notebook.run("w * 0 + 7")
    assert "7" in capsys.readouterr().out, "the last expression is no longer shown"
    notebook.run("1 / 0", error=ZeroDivisionError)
    assert "line 1" in capsys.readouterr().out
    assert "_viz_live" not in notebook.shell.run_line_magic("who_ls", "")


def test_a_drawing_that_fails_does_not_harm_the_program(notebook, monkeypatch):
    notebook.run(FIRST)

    def fails(*args, **kwargs):
        raise ValueError("no picture today")

    monkeypatch.setattr(notebook.panel.follower.scenes, "read", fails)
    notebook.run("loss = w * x\nloss.backward()\ngot = w.grad")
    assert notebook.shell.user_ns["got"].item() == 3
    assert "no picture today" in notebook.panel.scene["note"]["en"], "an old picture must say that it is old"


def test_groups_open_and_close(notebook):
    notebook.run("w = torch.tensor(1., requires_grad=True)\ny = w\nfor i in range(100): y = y * 2 + 1")
    (group,) = notebook.nodes("id", kind="folded")
    assert notebook.panel.scene["folded"]["en"]
    assert notebook.panel.scene["folded"]["zh"]
    notebook.panel.follower._message(notebook.panel, {"type": "unfold", "id": group}, [])
    assert not notebook.nodes("id", kind="folded")
    notebook.panel.follower._message(notebook.panel, {"type": "fold"}, [])
    assert notebook.nodes("id", kind="folded") == [group]
    notebook.panel.follower._message(notebook.panel, {"type": "unfold", "id": "no such"}, [])


def test_what_is_left_without_a_kernel(notebook):
    notebook.run(FIRST + "z = w * x")
    left = still(notebook.panel.scene)
    assert "MulBackward0" in left["text/plain"]
    assert left["image/svg+xml"].startswith("<svg")
    assert 'class="viz-twin"' in left["text/html"]


def test_where_nobody_sees_the_panel_the_picture_is_kept_at_once(notebook):
    """As where nbconvert runs a notebook: of what is shown between two cells it keeps nothing."""
    twin, kept = notebook.panel._twin, []
    twin.update = lambda shown, raw: kept.append(shown["text/plain"])
    notebook.run(FIRST)
    assert kept


def test_a_notebook_that_nbconvert_runs_keeps_the_last_state_however_quick_its_cells_are(tmp_path, kernel_manager):
    """What its kernel sends between two cells is lost, and nobody is there to see it."""
    nbformat, nbclient = pytest.importorskip("nbformat.v4"), pytest.importorskip("nbclient")
    quick = "panel.follower._pace.cell = float('inf')"  # sooner than the panel would look
    cells = ["import viz, minigrad as torch\npanel = viz.live()", FIRST, f"{quick}\nz = w * x\nz.backward()", quick]
    book = nbformat.new_notebook(cells=[nbformat.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(book, km=kernel_manager, resources={"metadata": {"path": tmp_path}}).execute()
    widgets = book.metadata["widgets"]["application/vnd.jupyter.widget-state+json"]["state"].values()
    (panel,) = (widget["state"] for widget in widgets if "trace" in widget["state"])
    assert "MulBackward0" in panel["scene"]["text"]
    assert panel["trace"]["call"] == "z.backward()"
    assert "MulBackward0" in book.cells[0].outputs[1]["data"]["text/plain"]


@pytest.mark.parametrize("shell", [None, SimpleNamespace(kernel=None)], ids=["a script", "Solara"])
def test_the_panel_needs_a_notebook(monkeypatch, shell):
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    with pytest.raises(RuntimeError, match=r"follows a Jupyter notebook, and this is not one\n.*\n.*笔记本"):
        viz.live()


def test_a_leaf_without_a_name_is_called_the_same_everywhere(notebook):
    """Its AccumulateGrad may have another number: a leaf that was drawn alone has none."""
    notebook.run("alone = torch.ones(1, requires_grad=True)")
    notebook.run("z = torch.ones(1, requires_grad=True) * 2")
    (leaf,) = [n for n in notebook.panel.scene["nodes"] if n["kind"] == "leaf" and not n["names"]]
    assert f"AccumulateGrad({leaf['id']})" in notebook.panel.scene["text"]


def test_old_results_are_folded_behind_the_newest(notebook):
    notebook.run(FIRST + "old = w * x\nolder = (b * 3).exp()")
    assert set(notebook.panel.scene["earlier"]["names"]) == set()
    notebook.run("v = torch.tensor(5., requires_grad=True)")
    assert {"old", "older", "v"} <= set(notebook.nodes("title")), "a leaf is no result yet"
    notebook.run("new = v * v")
    scene = notebook.panel.scene
    assert [n["title"] for n in scene["nodes"] if n["kind"] in ("op", "leaf")] == ["v", "new"]
    assert scene["earlier"] == {"names": ["old", "older"], "open": False}
    notebook.run("more = w * 3")
    assert set(notebook.nodes("title", kind="op")) == {"old", "more"}, "what has a leaf in common stands beside it"
    assert notebook.panel.scene["earlier"]["names"] == ["older", "new"]
    notebook.panel.follower._message(notebook.panel, {"type": "earlier"}, [])
    assert set(notebook.nodes("title", kind="op")) >= {"old", "older", "new", "more"}
    assert notebook.panel.scene["earlier"] == {"names": ["older", "new"], "open": True}
    notebook.panel.follower._message(notebook.panel, {"type": "earlier"}, [])
    assert notebook.panel.scene["earlier"]["open"] is False
    notebook.run("del more, old, older, new")
    assert notebook.panel.scene["earlier"]["names"] == []


def test_the_newest_leaves_are_seen_though_their_name_is_old(notebook):
    """As the parameters of a second ``net`` are, beside those of a model that came between."""
    notebook.run("net = torch.nn.Linear(2, 2)")
    notebook.run("model = torch.nn.Sequential(*(torch.nn.Linear(1, 1) for _ in range(4)))")
    notebook.run("net = torch.nn.Linear(3, 3)")
    assert {"net.weight", "net.bias"} <= set(notebook.nodes("title"))
    assert {name.partition(".")[0] for name in notebook.panel.scene["earlier"]["names"]} == {"model"}


def test_old_results_are_folded_where_all_cells_run_at_once(notebook):
    """As *Run All* does: one picture of many cells."""
    notebook.panel.follower._pace.cell = time.monotonic() + 60
    for i in range(4):
        notebook.shell.run_cell(
            f"v{i} = torch.tensor(2., requires_grad=True)\nr{i} = (v{i} * 2).exp()", store_history=True
        )
    notebook.panel.follower._look()
    assert [n["title"] for n in notebook.panel.scene["nodes"] if n["names"] and n["kind"] == "op"] == ["r3"]
    assert notebook.panel.scene["earlier"]["names"] == ["r0", "r1", "r2"]


def test_the_code_of_what_is_shown_comes_with_it(notebook):
    notebook.run(FIRST)
    notebook.run("print('nothing is made here')")
    notebook.run("z = w * x\n\nz.backward()")
    scene = notebook.panel.trace["scene"]
    assert [(c["cell"], c["lines"][-1]) for c in scene["code"]] == [(2, "x = torch.tensor(3.)"), (4, "z.backward()")]
    sources = {node["title"]: node["source"] for node in scene["nodes"] if node["kind"] != "accumulate"}
    assert sources == {
        "w": "In [2], line 2: w = torch.tensor(2., requires_grad=True)",
        "x": "In [2], line 4: x = torch.tensor(3.)",
        "z": "In [4], line 1: z = w * x",
    }
    for cell in scene["code"]:
        for source in sources.values():
            if source.startswith(f"In [{cell['cell']}]"):
                line, text = source.partition("line ")[2].split(": ", 1)
                assert cell["lines"][int(line) - 1] == text
    notebook.run("#" + "\n" * 300 + "u = w * x")
    assert [cell["cell"] for cell in notebook.panel.scene["code"]] == [], "code longer than a screen takes is not sent"


def test_what_was_there_before_has_no_line(notebook):
    notebook.panel.stop()
    notebook.run("before = torch.tensor(1., requires_grad=True)\nafter = before * 2")
    notebook.panel.start()
    notebook.run("other = before + 1\nafter = after + 1")
    sources = {node["title"] or node["label"]: node["source"] for node in notebook.panel.scene["nodes"]}
    assert sources["before"] == "", "the line that runs did not make it"
    assert sources["MulBackward0"] == ""
    assert sources["after"].endswith("line 2: after = after + 1")


@pytest.mark.parametrize(
    ("cell", "text", "line"),
    [
        ("x @ w", "x @ w", 1),
        ("y = x + 1\nz = (y * 2).sum() + torch.mm(y, w)", "torch.mm(y, w)", 2),
        ("def f(a):\n    return a.matmul(w)\n\nf(x)", "a.matmul(w)", 4),
        ("y = torch.mm(\n    x,\n    w,\n)", "torch.mm(x, w)", 1),
    ],
)
def test_an_operation_that_does_not_fit_stands_in_the_picture(notebook, cell, text, line):
    notebook.run("x = torch.ones(2, 3)\nw = torch.ones(4, 5, requires_grad=True)")
    notebook.run(cell, error=RuntimeError)
    (failed,) = [node for node in notebook.panel.scene["nodes"] if node["stops"]]
    assert failed["label"] == text
    assert failed["source"].startswith(f"In [3], line {line}: "), "the code is opened there"
    assert "✕ shapes (2, 3), (4, 5)" in notebook.panel.scene["svg"]
    targets = {edge["target"] for edge in notebook.panel.scene["edges"] if edge["source"] == failed["id"]}
    assert len(targets) == 2, "what it was given has to be seen"
    notebook.run("v = w * 2")
    assert not any(node["stops"] for node in notebook.panel.scene["nodes"]), "the next cell is another one"


@pytest.mark.filterwarnings("ignore:The .grad attribute:UserWarning")  # PyTorch's, of the learner's own question
@pytest.mark.parametrize(
    ("cell", "text", "of", "reason"),
    [
        ("w = w - 0.1 * w.grad", "0.1 * w.grad", "w", "w.grad is None: no backward() has come to this tensor yet"),
        (
            "for _ in range(2):\n    (w * w).backward()\n    w = w - 0.1 * w.grad",
            "0.1 * w.grad",
            "w",
            "(of SubBackward0)",
        ),
        (
            "y = w * 2\ny.retain_grad()\ny.grad.zero_()",
            "y.grad.zero_()",
            "y",
            "y.grad is None: no backward() has come to this tensor yet",
        ),
        (
            "(w * w).backward()\nwith torch.no_grad(): w = w - w.grad\nw.grad.data.zero_()",
            "w.grad.data.zero_()",
            "w",
            "no_grad",
        ),
        (
            "def f(p): print(torch.abs(p.grad))\nf(w)",
            "torch.abs(p.grad)",
            "w",
            "p.grad is None: no backward() has come to this tensor yet",
        ),
        (
            "net = torch.nn.Linear(1, 1)\nnet.bias.grad.norm()",
            "net.bias.grad.norm()",
            "net.bias",
            "net.bias.grad is None: no backward()",
        ),
        (
            "net = torch.nn.Sequential(torch.nn.Linear(1, 1))\nnet[0].bias.grad.norm()",
            "net[0].bias.grad.norm()",
            "net.0.bias",
            "net[0].bias.grad is None: no backward()",
        ),
    ],
)
def test_why_a_gradient_is_none_is_said_where_the_program_stumbles_over_it(notebook, cell, text, of, reason):
    notebook.run("w = torch.tensor(2., requires_grad=True)")
    notebook.run(cell, error=(AttributeError, TypeError))
    scene = notebook.panel.scene
    (failed,) = [node for node in scene["nodes"] if node["stops"]]
    assert failed["label"] == text
    (target,) = [edge["target"] for edge in scene["edges"] if edge["source"] == failed["id"]]
    (asked,) = [node for node in scene["nodes"] if node["id"] == target]
    assert of in asked["names"]
    assert (asked["kind"] == "op") == (of == "y" or "for" in cell)
    assert reason in scene["note"]["en"]
    assert ".grad 是 None：" in scene["note"]["zh"]


@pytest.mark.filterwarnings("ignore:The .grad attribute:UserWarning")
@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("w.grad", "w.grad is None: no backward() has come to this tensor yet"),
        ("z = y * 2\nprint('y', y.grad)", "y.grad is None: y is a result (of MulBackward0)"),
        ("x.grad is None", "x.grad is None: x does not require grad. If you want its gradient, set "),
        ("y.backward()\nw.grad, y.grad", "y.grad is None: y is a result"),
        ("y.backward()\nw.grad", ""),
        ("y.backward()\nw.requires_grad_(False)\nprint(w.grad)", ""),
        ("w.grad = None", ""),
        ("w.grad_fn", "w.grad_fn is None: w is a leaf"),
        ("print(x.grad_fn)", "x.grad_fn is None: x is not tracked"),
        ("y.grad_fn", ""),
        ("y.retain_grad()\ny.backward()\ny.grad", ""),
        ("g = w.grad", ""),
        ("w.nothing = 1; w.nothing", ""),
        ("(y * 2).backward()\nprint(w.grad)\ny.grad", "y.grad is None: y is a result"),
        ("v = torch.ones(3, requires_grad=True)\nv.sum().backward()\nprint(v[0].grad)", "Look at v.grad[0]"),
        ("v = torch.ones(3)\nprint(v[0].grad, v[:2].grad)", ""),
        ("vs = [torch.ones(3, requires_grad=True)]\nvs[0].sum().backward()\nprint(vs[0].grad)", ""),
        ("w = torch.tensor(2., requires_grad=True)\ny.backward()\nprint('w:', w.grad)", "was it made anew"),
        ("v = torch.tensor(y.item(), requires_grad=True)\nv.backward()\nw.grad", "item() or torch.tensor(…)"),
        ("print(w.grad)\ny.backward()\nw.grad", ""),
        ("v = torch.ones(3, requires_grad=True) / 9\nv.sum().backward()\nv.grad", "requires_grad_() comes last"),
        ("y.backward()\nprint(w.grad)\nw.grad = None", ""),
        ("%precision\nw.grad", "w.grad is None: no backward() has come to this tensor yet"),
        ("print(net[0].weight.grad)", "net[0].weight.grad is None: no backward() has come to this tensor yet"),
    ],
)
def test_why_a_gradient_is_none_is_said_where_a_cell_asks_for_it(notebook, cell, said):
    notebook.run("w = torch.tensor(2., requires_grad=True)\nx = torch.tensor(1.)\ny = w * 3")
    notebook.run("net = torch.nn.Sequential(torch.nn.Linear(1, 1))")
    notebook.run(cell)
    note = notebook.panel.scene["note"]
    assert said in note["en"]
    assert ("is None" in note["en"]) == (" 是 None：" in note["zh"]) == bool(said)
    notebook.run("z = y")
    assert "None" not in notebook.panel.scene["note"]["en"], "the next cell is another one"


def test_of_a_result_a_gradient_stands_there_if_it_is_kept(notebook):
    notebook.run("w = torch.tensor(2., requires_grad=True)\ny = w * 3\ny.retain_grad()\nz = y * 5")
    assert notebook.nodes("title", "grad", kind="op") == [("y", "None"), ("z", None)]
    assert notebook.nodes("title", "grad", kind="leaf") == [("w", "None")]
    notebook.run("z.backward()")
    assert notebook.nodes("title", "grad", kind="op") == [("y", "5."), ("z", None)]
    assert notebook.nodes("title", "grad", kind="leaf") == [("w", "15.")]


@pytest.mark.parametrize(
    ("left", "right", "says"),
    [
        ("x * w", "y", "(4, 4) where (4, 1) came in"),
        ("y", "x * w", "(4, 4) where (4, 1) came in"),
        ("x * w", "x", ""),
        ("y * w", "x", "(4, 4) where (4,) came in"),
        ("x * w * torch.ones(4)", "x * w", ""),
        ("x * w", "x[:1, 0]", ""),
        ("w", "y[0]", ""),
    ],
)
def test_a_difference_that_was_broadcast_is_named(notebook, left, right, says):
    notebook.run("w = torch.tensor(2., requires_grad=True)\nx, y = torch.ones(4, 1), torch.ones(4)")
    notebook.run(f"loss = (({left} - {right}) ** 2).mean()\nloss.backward()")
    note = notebook.panel.trace["scene"]["note"]
    assert says in note["en"] if says else note["en"] == ""
    assert bool(note["zh"]) == bool(says)


@pytest.mark.parametrize(
    ("loss", "what"),
    [
        ("nn.functional.cross_entropy(x.softmax(1), torch.tensor([0, 1]))", "softmax"),
        ("nn.functional.cross_entropy(x, torch.tensor([0, 1]))", ""),
        ("nn.functional.nll_loss(x.softmax(1).log(), torch.tensor([0, 1]))", ""),
        ("nn.functional.nll_loss(x.log_softmax(1), torch.tensor([0, 1]))", ""),
        ("nn.functional.binary_cross_entropy_with_logits(x.sigmoid(), torch.ones(2, 3))", "sigmoid"),
        ("nn.functional.binary_cross_entropy_with_logits(x, torch.ones(2, 3))", ""),
        ("nn.functional.binary_cross_entropy(x.sigmoid(), torch.ones(2, 3))", ""),
    ],
)
def test_a_softmax_of_a_softmax_is_named(notebook, loss, what):
    """It trains, slowly and worse, and raises nothing."""
    notebook.run("nn, x = torch.nn, torch.tensor([[1., 2., 3.], [3., 1., 0.]], requires_grad=True)")
    notebook.run(f"loss = {loss}\nloss.backward()")
    note = notebook.panel.trace["scene"]["note"]
    assert f"takes the {what} itself" in note["en"] if what else note["en"] == ""
    assert what in note["zh"]


def test_probabilities_in_place_of_their_logarithms_are_named(notebook):
    """The loss is negative, and falls."""
    notebook.run("x = torch.tensor([[1., 2., 3.], [3., 1., 0.]], requires_grad=True)\np = x.softmax(1)")
    notebook.run("loss = torch.nn.functional.nll_loss(p, torch.tensor([0, 1]))\nloss.backward()")
    note = notebook.panel.trace["scene"]["note"]
    assert note["en"].startswith("NllLossBackward0 takes logarithms of probabilities")
    assert "log_softmax" in note["zh"]


FORGOTTEN = "for i in range(4):\n    {0}\n    opt.zero_grad()\n    loss.backward()\n    opt.step()"


@pytest.mark.parametrize(
    ("loss", "says"),
    [
        ("loss = (net(x).detach() * w).sum()", "opt.step() changes nothing that this loss depends on"),
        ("loss = (other(x) * w).sum()", "opt.step() changes nothing that this loss depends on"),
        ("loss = (net(x) * w).sum()", ""),
        ("loss = (net(x).sign() * w - 3).sum()", "the gradients of everything that opt updates are 0"),
        ("loss = (net(x) - 1e9).relu().sum()", ""),
        ("loss = net(x).sum().detach()\n    loss.requires_grad = True", "only makes it a leaf"),
        ("loss = torch.tensor(net(x).sum().item(), requires_grad=True)", "only makes it a leaf"),
        ("loss = net(x).sum()\n    loss.retain_grad()", ""),
    ],
)
def test_a_step_that_finds_no_gradient_is_named(notebook, loss, says):
    notebook.run(
        "torch.manual_seed(0)\nnet, other = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)\nx = torch.rand(4, 2)"
    )
    notebook.run("w = torch.tensor(2., requires_grad=True)\nopt = torch.optim.SGD(net.parameters(), lr=0.01)")
    notebook.run(FORGOTTEN.format(loss))
    note = notebook.panel.scene["note"]
    assert says in note["en"] if says else note["en"] == ""
    assert bool(note["zh"]) == bool(says)


@pytest.mark.parametrize(
    "loop",
    [
        "for i in range(3):\n    image = image.detach().requires_grad_()\n    loss = (net(image) ** 2).sum()\n"
        "    loss.backward()\n    image = image + 0.1 * image.grad.sign()",
        "for i in range(7):\n    opt.zero_grad(); critic.zero_grad()\n    judge(net(image).detach()).sum().backward()\n"
        "    critic.step()\n    if i % 5 == 0:\n        judge(net(image)).sum().backward(); opt.step()",
        "for i in range(4):\n    loss = (net(image) * i).sum() / 4\n    loss.backward()\nopt.step()",
    ],
)
def test_of_gradients_that_are_meant_to_be_so_nothing_is_said(notebook, loop):
    """An image is moved and no weight; two optimizers take turns; gradients of parts are added up, for one step."""
    notebook.run("net, judge = torch.nn.Linear(2, 1), torch.nn.Linear(1, 1)\nimage = torch.rand(1, 2)")
    notebook.run("opt, critic = (torch.optim.SGD(one.parameters(), lr=0.01) for one in (net, judge))")
    notebook.run(loop)
    assert notebook.panel.scene["note"]["en"] == ""


LOOP = "for i in range(4):\n    loss = (w * x * w) ** 2\n    loss.backward()\n"


@pytest.mark.parametrize(
    ("rest", "says"),
    [
        ("    with torch.no_grad(): w -= 0.1 * w.grad", "The 4 backward passes of this cell were all added up in"),
        ("    total += torch.zeros(())", "The 4 backward passes of this cell were all added up in"),
        ("    w.grad.data = torch.zeros(())", ""),
        ("    w.grad = None", ""),
        ("    w.grad.zero_()", ""),
        ("    w.grad.data.zero_()", ""),
        ("    opt.step(); opt.zero_grad()", ""),
        ("    opt.zero_grad(); total += loss", "total keeps the graphs of all the passes"),
        ("    opt.zero_grad(); total+=loss", "total keeps the graphs of all the passes"),
        ("    opt.zero_grad(); total = total + loss", "total keeps the graphs of all the passes"),
        ("    opt.step(); opt.zero_grad(); total = total + loss.item()", ""),
        ("    opt.zero_grad(); losses.append(loss)", "Where the numbers are enough, take loss.item()"),
        ("    opt.step(); opt.zero_grad(); losses.append(loss.item())", ""),
        ("    opt.step(); opt.zero_grad(); losses.append(i)", ""),
        ("    opt.step(); opt.zero_grad(); total += loss.item()", ""),
        ("    opt.step(); opt.zero_grad(); total += loss.detach()", ""),
        ("    opt.zero_grad(); opt.step()", "opt.zero_grad() comes after backward() and before opt.step()"),
        ("    opt.zero_grad()  # clear\n    opt.step()  # move", "opt.zero_grad() comes after backward()"),
        ("    opt.step(); w.grad = None", ""),
        ("    opt.step(); clear()\ndef clear(): opt.zero_grad()\ndef move(): opt.step()", ""),
        ("    opt.zero_grad()", "The loss has been the same in all 4 passes"),
        ("    opt.zero_grad(); step()", ""),
        ("    opt.step(); opt.zero_grad(set_to_none=False)", ""),
        ("    w.grad.detach().zero_()", ""),
        ("    with torch.no_grad(): w -= 0.001 * w.grad\n    opt.zero_grad()", ""),
        ("    w.grad.mul_(0.5)", ""),
        ("    w.grad /= 2", ""),
        ("    torch.nn.utils.clip_grad_norm_([w], 1.)", ""),
        ("    opt.zero_grad()\n    # opt.step()", "The loss has been the same in all 4 passes"),
        ("    opt.step(); opt.zero_grad()  # total += loss", ""),
        ("    old.step(); w.grad = None", "old.step() changes nothing that this loss depends on"),
        ("    with torch.no_grad(): w.mul_(0.9)\nopt.step()", ""),
        ("    opt.step(); opt.zero_grad\nopt.zero_grad()", "A name without parentheses calls nothing"),
        ("    w.grad = None; opt.step", "A name without parentheses calls nothing"),
        ("    w.grad = None\nopt.step", ""),
        ("    w.require_grad = True; w.grad = None", "It is spelt requires_grad"),
        ("    w.requires_grad = True; w.grad = None", ""),
        ("    for p in [w]: p = p - 0.1 * p.grad\n    w.grad = None", "p = p - … only makes the loop's p refer"),
        ("    for p in [w]:\n        p = p - 0.1 * p.grad\n        losses.append(p.data)\n    w.grad = None", ""),
        ("    opt.step(); clip_grad_norm_([w], 1.); opt.zero_grad()", "clip between backward() and step()"),
        ("    clip_grad_norm_([w], 1.); opt.step(); opt.zero_grad()", ""),
    ],
)
def test_what_a_loop_forgets_is_said(notebook, rest, says):
    notebook.run(FIRST + "total, losses = 0, []\nold = torch.optim.SGD([w], lr=0.1)")
    notebook.run("w = torch.tensor(2., requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.001)")
    notebook.run(
        "def step(): opt.step()\ndef clear(): opt.zero_grad()\nclip_grad_norm_ = torch.nn.utils.clip_grad_norm_"
    )
    notebook.run(LOOP + rest)
    note = notebook.panel.scene["note"]
    assert says in note["en"] if says else note["en"] == ""
    assert bool(note["zh"]) == bool(says)


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("net.requires_grad = False", "net.requires_grad_(False), with an underscore"),
        ("net.requires_grad_(False)\nnet.weight.requires_grad = True", ""),
        ("for p in net.parameters(): p.require_grad = False", "It is spelt requires_grad"),
        ("w.requries_grad = True", "It is spelt requires_grad"),
        ("for p in net.parameters(): p.requires_grad = False  # not .require_grad", ""),
        (
            "for i in range(2):\n    opt.zero_grad()\n    loss = net(w).sum()\n    opt.step()",
            "There is no loss.backward()",
        ),
        ("def train():\n    opt.zero_grad()\n    loss = follow(w)\n    opt.step()", ""),
        ("opt.zero_grad()\nloss = net(w).sum()\nloss.backward()\nopt.step()", ""),
        ("for i in range(3): opt.step()", ""),
    ],
)
def test_what_a_cell_without_a_pass_forgets_is_said(notebook, cell, says):
    notebook.run("net, w = torch.nn.Linear(1, 1), torch.ones(1)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)")
    notebook.run(cell)
    note = notebook.panel.scene["note"]
    assert says in note["en"] if says else note["en"] == ""
    assert bool(note["zh"]) == bool(says)


def test_of_an_optimizer_of_ones_own_that_clears_through_data_nothing_is_said(notebook):
    notebook.run(
        FIRST + "class Own:\n"
        "    def zero_grad(self):\n"
        "        for p in (w, b):\n"
        "            if p.grad is not None: p.grad.data.zero_()\n"
        "    def step(self):\n"
        "        for p in (w, b): p.data -= 0.001 * p.grad\n"
        "opt = Own()"
    )
    notebook.run(
        "for i in range(5):\n    opt.zero_grad()\n    loss = (w * x + b) ** 2\n    loss.backward()\n    opt.step()"
    )
    assert notebook.panel.scene["note"]["en"] == ""


def test_of_two_loops_that_clear_their_gradients_nothing_is_said(notebook):
    """Each gradient is changed as often as there are passes in all: once by each pass, and once where it is cleared."""
    notebook.run(FIRST)
    for clear in ("{n}.grad.zero_()", "clear({n})"):
        notebook.run("def clear(leaf): leaf.grad.zero_()")
        loop = "for i in range(3):\n    loss = ({n} * x) ** 2\n    loss.backward()\n    " + clear
        notebook.run("\n".join(loop.format(n=n) for n in "wb"))
        assert notebook.panel.scene["note"]["en"] == ""


def test_passes_between_which_the_gradient_is_dropped_are_not_added_up(notebook):
    notebook.run(FIRST + "(w * 2).backward()\nw.grad = None\n(w * w).backward()")
    assert notebook.panel.scene["note"]["en"] == "", "two uses have counted up what is a new gradient"


def test_an_optimizer_of_another_model_of_the_notebook_is_no_slip(notebook):
    notebook.run(FIRST + "v = torch.tensor(1., requires_grad=True)\nopt = torch.optim.SGD([v], lr=0.1)")
    notebook.run("loss = w * x\nloss.backward()\nopt.step()")
    assert notebook.panel.scene["note"]["en"] == ""
    notebook.run("class Own:\n    param_groups = iter([1])\n    def step(self): pass\nopt = Own()")
    notebook.run("loss = w * x\nloss.backward()\nopt.step()")
    assert notebook.panel.scene["note"]["en"] == ""
    assert notebook.run("left = list(opt.param_groups)").user_ns["left"] == [1], "nothing of it was asked"


@pytest.mark.parametrize("cell", ["None.grad", "w.nothing", "print(w.grad, 1 / 0)", "w.grad + 'a'"])
def test_of_an_error_that_no_missing_gradient_made_none_is_spoken(notebook, cell):
    notebook.run("w = torch.tensor(2., requires_grad=True)\n(w * w).backward()")
    notebook.run(cell, error=(AttributeError, TypeError, ZeroDivisionError))
    assert ".grad is None" not in notebook.panel.scene["note"]["en"]


@pytest.mark.parametrize(
    ("cell", "cure"),
    [("w += 1", "torch.no_grad()"), ("w[0] = 1", "torch.no_grad()"), ("y.requires_grad_(False)", "detach()")],
)
def test_what_no_shape_is_to_blame_for_names_none_and_says_what_to_do(notebook, cell, cure):
    notebook.run("w = torch.ones(2, requires_grad=True)\ny = w * 2\nother = torch.ones(2, requires_grad=True) * 3")
    notebook.run(cell, error=RuntimeError)
    scene = notebook.panel.scene
    assert "✕ fails" in scene["svg"]
    assert [node["label"] for node in scene["nodes"] if node["stops"]] == [cell]
    assert "other" in scene["earlier"]["names"], "it has nothing to do with it"
    assert cure in scene["note"]["en"].partition("→ ")[2]
    assert cure in scene["note"]["zh"].partition(" → ")[2]


STUMBLES = r"""
h = (x * w).exp(); h.sum().backward(); h.mean().backward() ? discriminator's loss / 判别器
(h := x * w).sum().backward(); (h * w.exp()).sum().backward(); (h * w).sum().backward() ? target
out = torch.zeros(3); out[1] = out[0] * w; out[2] = out[1] * w; out.sum().backward() ? torch.stack
out = torch.zeros(2, requires_grad=True); out[0] = w ? without requires_grad=True / 就不要写 requires_grad=True
loss = torch.tensor([w * 2, w * 3]).sum(); loss.backward() ? torch.stack([a, b])
with torch.no_grad(): w = w - 0.1\nw.backward() ? write w -= / 要写 w -=
x.requires_grad_(); u = net(x); torch.autograd.grad(u.sum(), x[:, 0:1]) ? x[:, 0:1]
nn.MSELoss(net(x), x) ? nn.MSELoss()(a, b)
if x > 0: pass ? .all()
(0).backward() ? item()
[w * 2, w * 3].backward() ? sum(losses).backward()
for p in net.parameters(): p.grad.norm() ? .grad
for p in net.parameters(): p.data -= 0.1 * p.grad ? .grad
w.requires_grad(True) ? requires_grad_(True)
w.grad = w.detach(); w.grad.zeros_() ? zero_()
optim.SGD(net.parameters() + net.parameters(), lr=0.1) ? [*a.parameters(), *b.parameters()]
optim.SGD([net.parameters(), net.parameters()], lr=0.1) ? [*a.parameters(), *b.parameters()]
optim.SGD(net.parameters, lr=0.1) ? model.parameters()
net.last = net(x); copy.deepcopy(net) ? self.out
net.weight = torch.zeros(1, 2) ? nn.Parameter
Own() ? super().__init__()
nn.Module()(x) ? def forward(self, x):
Times()(x) ? apply(x)
Times.apply(w, 3) ? ctx.n = n
Times.apply(w, w).backward() ? save_for_backward(x)
with torch.inference_mode(): h = net(x)\n(h * w).sum() ? no_grad()
for row in (x * w): row += 1 ? clone()
x.retain_grad() ? requires_grad=True
w.detach().register_hook(print) ? requires_grad=True
w.grad = torch.zeros(2) ? zeros_like
torch.autograd.functional.hessian(lambda v: v * 2, x) ? .sum()
torch.func.grad(lambda v: v * 2)(x) ? .sum()
torch.func.grad(lambda v: v.sum().item())(x) ? item()
x.t().view(6) ? reshape
x.view(4, -1) ? -1
x + torch.ones(4) ? 1
F.cross_entropy(x, torch.ones(3, 2).long()) ? target.float()
F.cross_entropy(x.argmax(1), torch.tensor([0, 1, 0])) ? argmax()
F.cross_entropy(x, torch.tensor([[0], [1], [0]])) ? squeeze(1)
F.cross_entropy(x, torch.tensor([1, 2, 1])) ? target - 1
F.cross_entropy(net(x), torch.tensor([0, 1, 0])) ? BCEWithLogitsLoss
F.binary_cross_entropy(net(x).sigmoid(), torch.ones(3)) ? squeeze(1)
F.binary_cross_entropy_with_logits(net(x), torch.ones(3)) ? squeeze(1)
F.binary_cross_entropy(x * 9, x) ? BCEWithLogitsLoss
F.binary_cross_entropy(x.sigmoid(), x * 9) ? CrossEntropyLoss
F.binary_cross_entropy_with_logits(x, x.long()) ? x.float()
F.embedding(torch.tensor([5]), x) ? 0
F.embedding(torch.tensor([0.0]), x) ? x.long()
x.gather(1, x) ? x.long()
nn.BatchNorm1d(2)(torch.ones(1, 2)) ? net.eval()
raise RuntimeError("Expected all tensors to be on the same device") ? x = x.to(device)
raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 MiB") ? loss.item()
"""
BEFORE = """
import copy
nn, optim, F = torch.nn, torch.optim, torch.nn.functional
w, x, net = torch.tensor(2., requires_grad=True), torch.ones(3, 2), nn.Linear(2, 1)
class Own(nn.Module):
    def __init__(self): self.layer = nn.Linear(1, 1)
class Times(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, n):
        if not isinstance(n, torch.Tensor): ctx.save_for_backward(n)
        return x * n
    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return grad * x, None
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("asked", STUMBLES.strip().splitlines())
def test_what_an_error_of_pytorchs_asks_for_is_said(asked):
    space = {"torch": pytest.importorskip("torch")}
    program, _, cures = asked.replace(r"\n", "\n").rpartition(" ? ")
    exec(BEFORE, space)
    with pytest.raises((RuntimeError, ValueError, TypeError, AttributeError, LookupError)) as error:
        exec(program, space)
    english, _, chinese = cures.partition(" / ")
    said = hints_of(error.value)
    assert english in said[0]
    assert (chinese or english) in said[1]


def test_the_leaves_of_an_object_are_not_called_as_a_loop_over_them_called_the_last(notebook):
    notebook.run("class Line: pass")
    notebook.run("m = Line()\nm.w, m.b = (torch.tensor(2.0, requires_grad=True) for _ in 'ab')\nloss = m.w * 3 + m.b")
    notebook.run("for p in (m.w, m.b): p.grad = None")
    assert [title.split(" = ")[0] for title in notebook.nodes("title", kind="leaf")] == ["m.w", "m.b"]


@pytest.mark.parametrize("layers", ["[{}, {}]", "torch.nn.Sequential({}, {})"])
def test_layers_are_not_called_as_a_loop_over_them_called_the_last(notebook, layers):
    notebook.run("layer = None\nX = torch.ones(1, 2)\nlayers = " + layers.replace("{}", "torch.nn.Linear(2, 2)"))
    notebook.run("for layer in layers: X = layer(X)\nX.sum().backward()")
    for scene in (notebook.panel.scene, notebook.panel.trace["scene"]):
        assert not [node["label"] for node in scene["nodes"] if re.search(r"\blayer\b", node["label"])]
        assert not {node["module"] for node in scene["nodes"] if re.match(r"layer\b", node["module"])}
        assert any(node["module"].startswith("layers") for node in scene["nodes"])
    notebook.run("for layer in [torch.nn.Linear(2, 2)]: X = layer(X)")
    assert "layer.weight" in notebook.nodes("label"), "it has no other name"


NOTES = """X = torch.tensor([1.0, 2.0, 3.0])
Y = torch.tensor([3.0, 5.0, 7.0])
def forward(w, X, Y):
    out = (Y - w * X) ** 2
    return torch.sum(out)
w = torch.tensor([1.0], requires_grad=True)"""


def test_what_a_function_of_the_notebook_computes_is_called_as_it_is_written_there(notebook):
    """As in the notes; a parameter stands for what it is given."""
    notebook.run(NOTES)
    notebook.run("weight = w\ndel w\ny = forward(weight, X, Y)\ny.backward()")
    titles = notebook.nodes("title", kind="op")
    assert titles == ["weight * X", "Y - weight * X", "(Y - weight * X) ** 2", "y"]
    rules = [rule["rule"]["en"] for step in notebook.panel.trace["steps"] for rule in step.get("rules", ())]
    assert rules[1] == "∂y/∂(Y - weight * X) = ∂y/∂((Y - weight * X) ** 2) · 2 · (Y - weight * X)"
    beside = {
        node["title"] or node["label"] for node in notebook.panel.trace["scene"]["nodes"] if node["kind"] == "untracked"
    }
    assert beside == {"X", "Y"}, "each stands at its operation"


@pytest.mark.parametrize(
    "body",
    [
        "def forward(w, X, Y):\n    if X is None: return w\n    return (w * 2).sum()",
        "def forward(w, X, Y):\n    return w.mul(2).add(1).sum()\nsame = forward",
        "forward = lambda w, X, Y: (w * 2).sum()",
        "@torch.no_grad()\n@torch.enable_grad()\ndef forward(w, X, Y):\n    return (w * 2).sum()",
        "def forward(w, X, Y):\n    return (w * 2).sum() if Y is None else forward(w, X, None)",
        "def forward(w, X, Y):\n" + "    w = w * w\n" * 40 + "    return w",
    ],
)
def test_what_a_function_computes_that_is_not_plain_is_not_guessed(notebook, body):
    notebook.run(NOTES)
    notebook.run(body + "\ny = forward(w, X, Y)\nz = y * 2")
    assert not [title for title in notebook.nodes("title", kind="op") if "Y - w" in title or "w * w" in title]


def test_a_leaf_that_a_loop_has_left_behind_has_its_name_in_a_pass(notebook):
    notebook.run("w = torch.tensor(2., requires_grad=True)")
    notebook.run("for i in range(2): w = w * 3\nw.backward()")
    assert [step["name"] for step in notebook.panel.trace["steps"] if step["kind"] == "accumulate"] == ["w"]
    (leaf,) = [node for node in notebook.panel.trace["scene"]["nodes"] if node["kind"] == "leaf"]
    assert leaf["words"] == {"en": "w (old)", "zh": "w（旧）"}


def test_a_number_in_a_formula_has_no_dot_at_its_end(notebook):
    notebook.run("w = torch.tensor(3., requires_grad=True)\nloss = w**2.\nloss.backward()")
    rule = next(step["rules"] for step in notebook.panel.trace["steps"] if step["kind"] == "op")[0]["rule"]["en"]
    assert rule == "∂loss/∂w = ∂loss/∂loss · 2 · w"


def test_the_shapes_of_an_operation_that_failed_are_told_if_all_are_known(notebook):
    """``shapes (4,)`` alone would say nothing of what does not fit it."""
    notebook.run("w = torch.ones(3, requires_grad=True)\nb = torch.ones(4)")
    notebook.run("w * 2 + b", error=RuntimeError)
    assert "✕ fails" in notebook.panel.scene["svg"]
    notebook.run("w + b", error=RuntimeError)
    assert "✕ shapes (3,), (4,)" in notebook.panel.scene["svg"]


def test_a_long_name_stands_in_a_formula_without_parentheses(notebook):
    name = "the_intermediate_representation_before_normalisation"
    notebook.run(FIRST + f"{name} = w * x\nloss = {name} * 3\nloss.backward()")
    rule = next(step["rules"] for step in notebook.panel.trace["steps"] if step["kind"] == "op")[0]["rule"]["en"]
    assert rule == "∂loss/∂the_intermediate_represent…normalisation = ∂loss/∂loss · 3"


def test_a_result_without_a_graph_and_a_name_is_called_what_was_written(notebook):
    notebook.run("p = torch.tensor(1.)")
    notebook.run("(p * 2).backward()", error=RuntimeError)
    (stopped,) = [node for node in notebook.panel.trace["scene"]["nodes"] if node["stops"]]
    assert stopped["title"] == "p * 2", "its value says nothing"


def test_an_error_without_a_tensor_draws_no_operation(notebook):
    notebook.run(FIRST)
    notebook.run("1 / 0", error=ZeroDivisionError)
    notebook.run("torch.tensor(1.).backward()", error=RuntimeError)
    assert not any(node["id"] == "failed" for node in notebook.panel.scene["nodes"])


MOVED = """
w = torch.tensor(2., requires_grad=True)
b = torch.tensor([1., -1.], requires_grad=True)
z = w * 3 + b
loss = (z**2).sum()
loss.backward()
"""


def test_a_group_that_is_opened_in_a_pass_that_was_tried_does_not_hide_that(notebook):
    """And the pass is sent again where it has changed, and not where groups are opened beside it."""
    panel, follower = notebook.panel, notebook.panel.follower
    notebook.run("w = torch.tensor(2., requires_grad=True)\ny = w\n" + "y = y * 1 + 1\n" * 36 + "y.backward()")
    (leaf,) = (node["id"] for node in panel.trace["scene"]["nodes"] if node["kind"] == "leaf")
    follower._message(panel, {"type": "move", "leaves": {leaf: [5.0]}}, [])
    tried = panel.trace
    (group,) = (node["id"] for node in tried["scene"]["nodes"] if node["kind"] == "folded")
    panel.view = "live"
    follower._message(panel, {"type": "unfold", "id": group}, [])
    assert panel.trace["serial"] == tried["serial"]
    panel.view = "pass"
    follower._message(panel, {"type": "unfold", "id": group}, [])
    assert panel.trace["serial"] > tried["serial"]
    assert not [node for node in panel.trace["scene"]["nodes"] if node["kind"] == "folded"]
    assert ": w = 5" in panel.trace["scene"]["note"]["en"]
    assert [panel.trace["scene"]["code"], panel.trace["leaves"]] == [tried["scene"]["code"], {leaf: [5.0]}]


def test_a_leaf_that_is_moved_is_tried_apart_from_the_notebook(notebook):
    notebook.run(MOVED)
    before = notebook.panel.trace
    (w, b) = (node["id"] for node in before["scene"]["nodes"] if node["kind"] == "leaf")
    assert before["leaves"] == {w: [2.0], b: [1.0, -1.0]}
    notebook.panel.step = 3
    for values in ({w: [5.0]}, {b: [0.0, 1.0]}):
        notebook.panel.follower._message(notebook.panel, {"type": "move", "leaves": values}, [])
        trace = notebook.panel.trace
        AS_DESCRIBED.validate({"scene": notebook.panel.scene, "trace": trace, "losses": []})
        assert trace["serial"] > before["serial"]
    assert trace["leaves"] == {w: [5.0], b: [0.0, 1.0]}, "what was moved before stays moved"
    assert notebook.panel.step == 3
    ids = [[n["id"] for n in it["scene"]["nodes"] if n["kind"] != "untracked"] for it in (before, trace)]
    assert ids[0] == ids[1], "a node must keep its id, or the picture jumps"
    grads = {step["name"]: step["after"]["short"] for step in trace["steps"] if step["kind"] == "accumulate"}
    assert grads == {"w": "186.", "b": "[30., 32.]"}
    assert "w = 5," in trace["scene"]["note"]["en"]
    names = notebook.shell.user_ns
    assert (names["w"].item(), names["w"].grad.item(), names["loss"].item()) == (2.0, 72.0, 74.0)
    notebook.run("y = w * 2")
    assert dict(notebook.nodes("title", "value", kind="leaf"))["w"] == "2."


@pytest.mark.parametrize(
    ("between", "gives"),
    [("x += 1", None), ("c = x * 5", "6."), ("def f():\n    x.add_(1)", None), ("c = [1]\nfor i in c: pass", "6.")],
)
def test_a_trial_runs_the_cells_between_those_shown_that_say_something_of_it(notebook, between, gives):
    """What happened to a plain variable in a cell that made no node of the graph is part of the program, too."""
    for cell in (FIRST, between, "y = w * x\ny.backward()\nw.grad = None", "z = w * x\nz.backward()"):
        notebook.run(cell)
    assert [cell["cell"] for cell in notebook.panel.trace["scene"]["code"]] == [2, 5]
    leaves = notebook.panel.trace["leaves"]
    assert bool(leaves) is bool(gives)
    if gives:
        notebook.panel.follower._message(notebook.panel, {"type": "move", "leaves": leaves}, [])
        assert {node["title"]: node["value"] for node in notebook.panel.trace["scene"]["nodes"]}["z"] == gives


def test_a_trial_runs_the_call_that_is_shown(notebook):
    """What the call stands on is computed once: another graph's nodes would not run."""
    notebook.run("w = torch.tensor(2., requires_grad=True)\n(w * w).sum().backward()")
    before = notebook.panel.trace
    (leaf,) = before["leaves"]
    notebook.panel.follower._message(notebook.panel, {"type": "move", "leaves": {leaf: [5.0]}}, [])
    trace = notebook.panel.trace
    assert [step["kind"] for step in trace["steps"]] == [step["kind"] for step in before["steps"]]
    assert [step["after"]["short"] for step in trace["steps"] if step["kind"] == "accumulate"] == ["10."]
    assert trace["call"] == "(w * w).sum().backward()"


@pytest.mark.parametrize(
    "change",
    [
        ("z = w", "open('x', 'w')\nz = w"),
        ("z = w", "torch.manual_seed(0)\nz = w"),
        ("z = w", "c = torch.rand(2)\nz = w"),
        ("z = w", "for i in range(2): pass\nz = w"),
        ("w * 3", "w * outer"),
        ("z = w", "outer.append(w)\nz = w"),
    ],
)
def test_what_might_do_harm_when_it_runs_again_is_not_run_again(notebook, change):
    notebook.shell.user_ns.update(open=lambda *given: None, outer=[] if "append" in change[1] else 2)
    notebook.run(MOVED.replace(*change))
    assert notebook.panel.trace["leaves"] == {}
    serial = notebook.panel.trace["serial"]
    notebook.panel.follower._message(notebook.panel, {"type": "move", "leaves": {"leaf1": [1.0]}}, [])
    assert notebook.panel.trace["serial"] == serial
    assert len(notebook.shell.user_ns["outer"] if "append" in change[1] else [0]) == 1


def test_old_data_and_old_leaves_make_room_for_what_is_new(notebook):
    notebook.run("old = torch.ones(2)\nleaf = torch.ones(2, requires_grad=True)")
    assert {"old", "leaf"} <= set(notebook.nodes("title"))
    notebook.run("w = torch.tensor(2., requires_grad=True)\ny = w * 3\nx = torch.ones(3)")
    assert {"old", "leaf"}.isdisjoint(notebook.nodes("title"))
    assert {"w", "y", "x"} <= set(notebook.nodes("title"))
    assert "leaf" in notebook.panel.scene["earlier"]["names"]


def test_the_first_pass_of_many_says_that_it_is_the_first(notebook):
    notebook.run("w = torch.tensor(2., requires_grad=True)\nfor _ in range(50): (w * w).backward()")
    assert "  #" in notebook.panel.trace["call"]
    notebook.run("(w * w).backward()")
    assert "  #" not in notebook.panel.trace["call"]


@pytest.mark.parametrize("call", ["times(w, other=x)", "times(*pair)"])
def test_a_call_that_is_not_by_position_stands_as_it_is_written(call):
    cells = [["def times(one, other): return one * other"]]
    assert ast.unparse(inlined(ast.parse(call, mode="eval").body, cells)) == call


def test_what_is_selected_from_is_called_as_it_is_written(notebook):
    notebook.run("w, i = torch.ones(2, requires_grad=True), torch.tensor([1])\ny = (w * 2).gather(0, i)")
    assert "w * 2" in notebook.nodes("title")


@pytest.mark.parametrize("cell", ["print([w.grad for w in (v,)])", "print((lambda w: w.grad)(v))"])
def test_of_a_name_that_an_expression_has_for_itself_nothing_is_said(notebook, cell):
    notebook.run(
        "w = torch.tensor(2., requires_grad=True)\nv = torch.tensor(3., requires_grad=True)\n(v * v).backward()"
    )
    notebook.run(cell)
    assert notebook.panel.scene["note"]["en"] == ""


def test_what_failed_is_no_more_than_what_failed(notebook):
    notebook.run("w = torch.tensor(2., requires_grad=True)\ny = w * 2")
    notebook.run("print(w.grad.shape)", error=AttributeError)
    assert not any(notebook.nodes("stops")), "print is no operation, and None has no shape"


def test_what_several_results_start_from_is_no_one_loss(notebook):
    notebook.run(FIRST + "for _ in range(20): torch.autograd.backward([w * x, b * x])")
    assert notebook.panel.losses == []


def test_a_pass_of_a_long_cell_is_shown(notebook):
    """Not with its code, of which there is too much; so it cannot be tried with other numbers."""
    notebook.run("# \n" * 250 + MOVED)
    assert notebook.panel.trace["ended"]
    assert notebook.panel.trace["leaves"] == {}
    assert notebook.panel.scene["note"]["en"] == ""


def test_a_leaf_that_is_not_what_the_code_says_is_not_to_be_moved(notebook):
    notebook.run("def change():\n    with torch.no_grad(): globals()['w'].add_(1)")
    notebook.run("w = torch.tensor(2., requires_grad=True)")
    notebook.run("change()")
    notebook.run("loss = w * 3\nloss.backward()")
    assert notebook.panel.trace["leaves"] == {}


def test_gradients_asked_for_by_keywords_are_recorded(notebook):
    notebook.run(FIRST + "loss = w * x\ng, = torch.autograd.grad(outputs=loss, inputs=w)")
    assert notebook.panel.trace["call"] == "torch.autograd.grad(outputs=loss, inputs=w)"


def test_a_pass_that_was_not_due_and_does_not_begin_is_shown(notebook):
    notebook.run("w = torch.ones(2, requires_grad=True)\npanel.follower._pace.next = 1e18\nloss = (w * w).sum()")
    notebook.run(
        "for i in range(9):\n    loss.backward(retain_graph=True)\n    if i == 2: loss = w * w", error=RuntimeError
    )
    step = notebook.panel.trace["steps"][-1]
    (failed,) = [node for node in notebook.panel.trace["scene"]["nodes"] if node["stops"]]
    assert (step["kind"], step["node"]) == ("error", failed["id"])
    assert "scalar outputs" in step["error"]


def test_an_optimizer_of_tensors_that_nobody_knows_is_no_slip(notebook):
    notebook.run(
        FIRST + "def made():\n    return torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)\nopt = made()"
    )
    rounds = "for i in range(3):\n    loss = (w * x + i) ** 2\n    loss.backward()\n    w.grad = None\n"
    notebook.run(rounds + "    opt.zero_grad(); opt.step()")
    assert "comes after backward()" not in notebook.panel.scene["note"]["en"]


def test_an_optimizer_that_runs_the_pass_itself_is_no_slip(notebook):
    notebook.run(
        FIRST + "opt = torch.optim.SGD([w], lr=0.01)\n"
        "def closure():\n    loss = (w * x + b) ** 2\n    loss.backward()\n    return loss"
    )
    notebook.run("for i in range(3):\n    b.grad = None\n    opt.zero_grad(); opt.step(closure)")
    assert "comes after backward()" not in notebook.panel.scene["note"]["en"]


@pytest.mark.parametrize(
    "change",
    [
        ("torch.tensor([1., -1.], r", "torch.tensor([1., -1., 1., -1., 1.], r"),
        ("torch.tensor([1., -1.], r", "torch.tensor([[1., -1.]], r"),
        ("torch.tensor([1., -1.], r", "torch.tensor([], r"),
    ],
)
def test_a_leaf_of_more_than_a_few_numbers_is_not_moved(notebook, change):
    notebook.run(MOVED.replace(*change).replace("(z**2)", "(z**2)"))
    names = {node["id"]: node["title"] for node in notebook.panel.trace["scene"]["nodes"]}
    assert [names[leaf] for leaf in notebook.panel.trace["leaves"]] == ["w"]


def test_a_magic_between_may_have_changed_anything(notebook):
    for cell in (FIRST, "%who_ls", "z = w * x\nz.backward()"):
        notebook.run(cell)
    assert notebook.panel.trace["leaves"] == {}


def test_a_tensor_at_the_address_of_another_one_has_an_id_of_its_own():
    class Thing:
        __slots__ = ("__weakref__",)

    ids, first = Identities(), Thing()
    seen, address = ids.of_tensor(first), id(first)
    del first
    others = []
    while not others or id(others[-1]) != address:
        others.append(Thing())
        assert len(others) < 1000
    assert ids.of_tensor(others[-1]) != seen


def test_a_leaf_that_is_computed_is_not_to_be_moved(notebook):
    notebook.run("a = 2.\nw = torch.tensor(a, requires_grad=True)\nloss = w * 3\nloss.backward()")
    assert notebook.panel.trace["leaves"] == {}
    assert notebook.panel.scene["note"]["en"] == ""


def test_a_trial_keeps_the_ids_of_data_too(notebook):
    notebook.run(FIRST + "z = w * x\nz.backward()")
    before = {node["title"]: node["id"] for node in notebook.panel.trace["scene"]["nodes"]}
    leaves = notebook.panel.trace["leaves"]
    notebook.panel.follower._message(notebook.panel, {"type": "move", "leaves": leaves}, [])
    assert {node["title"]: node["id"] for node in notebook.panel.trace["scene"]["nodes"]} == before, "the picture jumps"


def test_what_allows_no_weak_reference_is_not_kept():
    assert weakly(object())() is None


def test_a_group_that_was_opened_and_is_gone_is_forgotten(notebook):
    notebook.run("w = torch.tensor(2., requires_grad=True)\ny = w\nfor _ in range(100): y = y * 2")
    group = notebook.nodes("id", kind="folded")[0]
    notebook.panel.follower._message(notebook.panel, {"type": "unfold", "id": group}, [])
    assert len(notebook.nodes("id")) > 50
    notebook.run("y = w * 3")
    assert notebook.nodes("title", kind="op") == ["y"]
    assert notebook.panel.scene["note"]["en"] == ""
