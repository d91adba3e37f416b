"""Modules by the calls that were seen: what the panel frames then; and that the program notices nothing of it."""

import gc
import operator
import signal
import sys
import weakref

import pytest

import viz
from viz.model.graph import Edge, Graph, Node
from viz.model.modules import Call, frames, with_calls, with_modules
from viz.notebook import calls, follow

seen = pytest.mark.skipif(not hasattr(sys, "monitoring"), reason="Python tells of calls since 3.12")
NET = """
class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2, self.act = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2), torch.nn.ReLU()
    def forward(self, x):
        return self.act(x + self.fc2(self.act(self.fc1(x))))
net, x = torch.nn.Sequential(Block(), Block()), torch.ones(3, 2)
"""


def framed(notebook):
    """The frames of the picture, from the outermost, each with the operations right in it."""
    found: dict[str, list[str]] = {}
    for node in notebook.panel.scene["nodes"]:
        if node["kind"] == "op":
            found.setdefault(node["module"], []).append(node["label"].removesuffix("Backward0"))
    return found


def chain(*labels):
    """A graph of operations, each of which uses the one before."""
    nodes = tuple(Node(f"op{i}", "op", label, forward=i + 1) for i, label in enumerate(labels))
    return Graph(nodes, tuple(Edge(f"op{i}", f"op{i - 1}", "next") for i in range(1, len(labels))), (nodes[-1].id,))


def test_calls_inside_calls():
    graph = with_calls(chain("Mul", "Addmm", "Tanh", "Sum"), [Call("net.fc", 0, ("op1",)), Call("net", 0, ("op2",))])
    assert [node.calls for node in graph.nodes] == [("net()", "net.fc()"), ("net()", "net.fc()"), ("net()",), ()]


def test_what_there_was_before_is_not_of_a_call():
    graph = with_calls(chain("Tanh", "Tanh", "Tanh"), [Call("cell", n, (f"op{n}",)) for n in range(3)])
    assert [node.calls for node in graph.nodes] == [("cell()",), ("cell() (2)",), ("cell() (3)",)]


def test_a_module_that_gives_what_it_was_given_has_made_nothing():
    graph = with_calls(chain("Tanh", "Sum"), [Call("same", 1, ("op0",)), Call("net", 1, ("op1",))])
    assert [node.calls for node in graph.nodes] == [(), ("net()",)]


def test_a_frame_is_left_out_only_where_it_holds_all_others():
    graph = with_calls(chain("Addmm", "Exp", "Sum"), [Call("net.fc", 0, ("op0",)), Call("net", 0, ("op1",))])
    assert frames(with_modules(graph)) == {"op0": ("net.fc()",)}


def test_a_folded_group_stands_in_the_frames_of_its_members():
    """Sixty equal layers of one call are folded; the frame of the call is there all the same."""
    graph = chain(*["Addmm", "Tanh"] * 60, "Exp")
    seen = [Call(f"net.{i}", 2 * i, (f"op{2 * i + 1}",)) for i in range(60)]
    graph = with_modules(with_calls(graph, [*seen, Call("net", 0, ("op119",))]))
    assert graph.node("op119").module == "net.59"
    group = viz.picture.fold.View().of(graph)
    folded = next(node for node in group.nodes if node.kind == "folded")
    assert folded.calls == ("net()",)
    assert folded.module == "net"
    assert frames(group)["op118"] == ("net.59()",)


@seen
def test_a_block_holds_all_that_its_call_computed(notebook):
    """Also what comes after its last parameter: the sum of a residual block, and its ReLU."""
    notebook.run(NET + "loss = net(x).sum()")
    assert framed(notebook) == {
        "net.0.fc1()": ["T", "Addmm"],
        "net.0.fc2()": ["T", "Addmm"],
        "net.0()": ["Relu", "Add", "Relu"],
        "net.1.fc1()": ["T", "Addmm"],
        "net.1.fc2()": ["T", "Addmm"],
        "net.1()": ["Relu", "Add", "Relu"],
        "": ["Sum"],
    }
    assert "<title>what the call net.0() computed</title>" in notebook.panel.scene["svg"]
    leaf = next(node for node in notebook.panel.scene["nodes"] if node["names"] == ["net.0.fc1.weight"])
    assert leaf["module"] == "net.0.fc1.*"
    notebook.run("loss.backward()")
    assert ">net.1()<" in notebook.panel.trace["scene"]["svg"]


@seen
def test_each_call_of_a_module_has_its_frame(notebook):
    notebook.run("cell, h = torch.nn.Linear(2, 2), torch.ones(1, 2)\nfor _ in range(3): h = cell(h).tanh()")
    assert framed(notebook)["cell() (3)"] == ["T", "Addmm"]
    assert framed(notebook)[""] == ["Tanh"] * 3, "between two calls nothing was called"


@seen
def test_an_unrolled_cell_is_one_node_a_step(notebook):
    """Of two hundred nodes 58 were left, half of them in the first step and in the last: no line could be followed."""
    notebook.run(
        "class Cell(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.w, self.u = (torch.nn.Parameter(torch.rand(3, 3)) for _ in 'wu')\n"
        "    def forward(self, x, h):\n        z = (x @ self.w + h @ self.u).sigmoid()\n"
        "        n = (x @ self.w + (h @ self.u) * z).tanh()\n        return z * h + (1 - z) * n\n"
        "cell, x, h = Cell(), torch.rand(12, 1, 3), torch.zeros(1, 3)"
    )
    notebook.run("for one in x:\n    h = cell(one, h)\nloss = h.sum()")
    labels = notebook.nodes("label")
    assert len(labels) < 10
    assert {"cell()", "cell() (12)"} < set(labels)
    assert any("repeated" in label for label in labels)


@seen
def test_what_a_module_gave_is_called_what_was_written(notebook):
    """Also where it is given to a function, of which nobody knows what it does with it."""
    notebook.run(NET + "y, criterion = torch.zeros(3, 2), torch.nn.MSELoss()\nloss = criterion(net(x), y)")
    assert ("net(x)", "ReluBackward0") in notebook.nodes("title", "label")
    notebook.run("loss = criterion(net(x), net(y))")
    assert "net(x)" not in notebook.nodes("title"), "nobody knows which is which"


@seen
def test_only_what_was_computed_in_a_call_is_in_its_frame(notebook):
    """Not what the module found: in a variable, in itself, or in what only it can look into."""
    notebook.run(
        "from types import SimpleNamespace\nw = torch.ones(2, requires_grad=True)\nscale = w.exp()\n"
        "class Scaled(torch.nn.Linear):\n"
        "    def forward(self, batch): return super().forward(batch.x) * scale + self.state\n"
        "net = Scaled(2, 2)\nnet.state = w.sin()\nbatch = SimpleNamespace(x=w.cos())"
    )
    notebook.run("loss = net(batch).sum()")
    assert sorted(framed(notebook)[""]) == ["Cos", "Exp", "Sin", "Sum"]
    assert framed(notebook)["net()"][-2:] == ["Mul", "Add"]


@seen
@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("(0, (y, 1))", "[1][0]"),
        ("{'y': [y]}", "['y'][0]"),
        ("{('paper', 'cites'): y}", "['paper', 'cites']"),
        ("{'y': y} | dict.fromkeys(range(200))", "['y']"),
        ("Out(y)", ".y"),
        ("Pair(1, y)", ".y"),
    ],
)
def test_what_a_module_gives_is_found(notebook, given, taken):
    notebook.run(
        "from collections import namedtuple\nfrom dataclasses import dataclass\nPair = namedtuple('Pair', 'x y')\n"
        "@dataclass\nclass Out: y: object\n"
        f"class Net(torch.nn.Linear):\n    def forward(self, x):\n        y = super().forward(x).exp()\n"
        f"        return {given}\nnet = Net(2, 2)\nloss = net(torch.ones(1, 2)){taken}.sum()"
    )
    assert framed(notebook)["net()"] == ["T", "Addmm", "Exp"]


@seen
def test_a_call_has_the_name_of_its_own_module(notebook):
    """Not of another one with the same parameters."""
    notebook.run(
        "fc, x = torch.nn.Linear(2, 2), torch.ones(1, 2)\n"
        "a, b = torch.nn.Sequential(fc, torch.nn.ReLU()), torch.nn.Sequential(fc, torch.nn.Tanh())\n"
        "tied = torch.nn.Linear(2, 2, bias=False)\ntied.weight = fc.weight\nloss = tied(b(x)).sum()"
    )
    assert framed(notebook) == {"fc()": ["T", "Addmm"], "b()": ["Tanh"], "tied()": ["T", "Mm"], "": ["Sum"]}


@seen
def test_nothing_of_the_programs_own_runs(notebook):
    """Neither where it is empty, nor what it answers when it is asked for its class or for what is in it."""
    notebook.run(
        "said = []\n"
        "class Own(list):\n    __class__ = property(lambda self: said.append('class'))\n"
        "    def __iter__(self): said.append('iter')\n"
        "class Net(torch.nn.Linear):\n    def __len__(self): return 0\n    def __bool__(self): said.append('bool')\n"
        "    def forward(self, x, own): return super().forward(x).exp(), own\n"
        "net = Net(2, 2)\nloss = net(torch.ones(1, 2), Own())[0].sum()"
    )
    assert framed(notebook)["net()"] == ["T", "Addmm", "Exp"]
    assert notebook.shell.user_ns["said"] == []


@seen
def test_modules_are_drawn_as_one_node_each(notebook):
    notebook.run(NET + "viz.live(modules=1)\nloss = net(x).sum()")
    assert list(notebook.nodes("label", kind="folded")) == ["net.0()", "net.1()"]
    notebook.run("loss = net(x).pow(2).sum()\nloss.backward()")
    said = [rule["rule"]["en"] for step in notebook.panel.trace["steps"] for rule in step.get("rules", ())]
    assert "∂loss/∂(net(x)) = ∂loss/∂(net(x).pow(2)) · 2 · (net(x))" in said, "what stands in a node has its name"


@seen
@pytest.mark.parametrize("sees", [2, 1000])
def test_a_loop_goes_on_unseen_and_its_pictures_have_their_frames(notebook, monkeypatch, sees):
    """After so many calls nobody looks; where a pass is due again, that wakes it, and the next pass is recorded."""
    monkeypatch.setattr(calls, "_MOST", sees)
    notebook.run(NET + "follower, shown = panel.follower, []")
    notebook.run(
        "for i in range(40):\n    if i % 10 == 5: follower._pace.next = 0\n"
        "    loss = net(x).sum()\n    loss.backward()\n"
        "    shown.append((panel.trace['call'], panel.trace['scene']['svg'].count('()</text>')))"
    )
    recorded = dict(notebook.shell.user_ns["shown"])
    assert len(recorded) >= 4
    assert sees == 2 or set(recorded.values()) == {6}, recorded
    assert notebook.panel.follower._calls._watched == set(), "between two cells nothing is watched"


@seen
def test_calls_that_repeat_are_said_to(notebook):
    """They were one node more, `step.*`, for what repeats has no call for a frame."""
    notebook.run(
        "class Step(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.a, self.b, self.c, self.d, self.e = (torch.nn.Linear(2, 2) for _ in range(5))\n"
        "    def forward(self, h): return self.e(self.d(self.c(self.b(self.a(h).tanh()).sin()).cos()).exp()).exp()\n"
        "step, h = Step(), torch.ones(1, 2)\nfor _ in range(31): h = step(h)\nloss = h.sum()"
    )
    labels = [*notebook.nodes("label", kind="folded")]
    assert [label for label in labels if "()" not in label] == ["28 × repeated"]


@seen
@pytest.mark.parametrize("called", ["loss.backward()", "train(loss)"])
def test_the_last_pass_of_a_loop_has_its_frames(notebook, monkeypatch, called):
    """It is recorded whenever it is known to be the last, however many calls came before it."""
    monkeypatch.setattr(calls, "_MOST", 20)
    notebook.run(NET + "def train(loss): loss.backward()")
    notebook.run(f"for i in range(40):\n    loss = net(x).sum()\n    {called}")
    assert notebook.panel.trace["call"] == "loss.backward()  #40"
    assert notebook.panel.trace["scene"]["svg"].count("()</text>") == 6
    assert notebook.panel.scene["svg"].count("()</text>") == 6


@seen
def test_a_loop_in_a_thread_and_one_of_calls_that_fail_go_on_unseen(notebook, monkeypatch):
    monkeypatch.setattr(calls, "_MOST", 10)
    for loop in (
        "from threading import Thread\nthread = Thread(target=lambda: [net(x) for _ in range(5)])\n"
        "if True:\n    thread.start()\n    thread.join()\n    codes = names()",
        "for _ in range(20):\n    try: net(0)\n    except Exception: codes = names()",
    ):
        notebook.shell.user_ns["names"] = lambda: {code.co_name for code in notebook.panel.follower._calls._watched}
        notebook.run(NET + loop)
        assert notebook.shell.user_ns["codes"] == {"backward"}


@seen
def test_what_measures_time_is_not_watched(notebook):
    notebook.run(NET)
    notebook.run("%timeit -n 3 -r 1 net(x)")
    notebook.run("%time y = net(x)")
    notebook.run("%%timeit -n 3 -r 1\nnet(x)")
    assert notebook.panel.follower._calls.ended == []


@seen
def test_a_module_that_fails_and_one_that_tells_nothing(notebook):
    notebook.run(NET + "net(x)")
    before = len(notebook.panel.follower._calls.ended)
    notebook.run("net(torch.ones(3, 5))", error=RuntimeError)
    notebook.run("with torch.no_grad(): print(net(x).shape)")
    notebook.run("loss = net(x).sum()")
    assert framed(notebook)["net.1()"] == ["Relu", "Add", "Relu"]
    assert len(notebook.panel.follower._calls.ended) > before


@seen
def test_what_was_called_is_let_go(notebook):
    notebook.run(NET + "y = net(x)")
    dies = [weakref.ref(notebook.shell.user_ns[name]) for name in ("net", "y")]
    notebook.run("del net, y, Block")
    notebook.shell.run_cell("_ = __ = ___ = None")
    gc.collect()
    assert [ref() for ref in dies] == [None, None]


@seen
def test_an_alarm_of_the_programs_is_not_lost(notebook, monkeypatch):
    """What its handler raises while a call is noted reaches the program."""
    if not hasattr(signal, "setitimer"):
        pytest.skip("no alarms here")
    made_by = calls._made_by
    monkeypatch.setattr(calls, "_made_by", lambda result: (signal.raise_signal(signal.SIGALRM), made_by(result))[1])
    before = signal.signal(signal.SIGALRM, lambda *given: 1 / 0)
    try:
        notebook.run(NET + "net(x)", error=ZeroDivisionError)
    finally:
        signal.signal(signal.SIGALRM, before)


@seen
def test_a_call_at_the_limit_of_recursion(notebook):
    """Where the module has just enough room, it does not matter that the panel has too little."""
    cell = (
        "import sys\nclass Deep(torch.nn.Module):\n    def forward(self, n): return self(n - 1) if n else 0\n"
        "deep, old = Deep(), sys.getrecursionlimit()\nsys.setrecursionlimit(400)\nfits = []\n"
        "for n in range(400):\n    try: fits.append(deep(n))\n    except RecursionError: break\n"
        "sys.setrecursionlimit(old)"
    )
    notebook.run(cell)
    with_panel = len(notebook.shell.user_ns["fits"])
    notebook.panel.stop()
    notebook.run(cell)
    assert with_panel == len(notebook.shell.user_ns["fits"])


@seen
def test_a_library_whose_modules_are_called_in_another_way(notebook, monkeypatch):
    monkeypatch.setattr(notebook.shell.user_ns["torch"].nn.Module, "__call__", operator.methodcaller("forward", 1))
    notebook.run("w = torch.ones(1, requires_grad=True)")
    notebook.run("for _ in range(3):\n    panel.follower._pace.next = 0\n    (w * 2).sum().backward()")
    assert notebook.panel.trace["steps"]


@seen
def test_a_tool_number_that_was_lost_is_taken_again(notebook):
    notebook.run(NET + f"import sys\nsys.monitoring.free_tool_id({calls._TOOL})")
    notebook.run("loss = net(x).sum()")
    assert ">net.0()<" in notebook.panel.scene["svg"]


@seen
def test_another_tool_goes_on(notebook):
    """Python has few numbers for tools: where another has this one, frames are told by the parameters."""
    sys.monitoring.use_tool_id(calls._TOOL, "another")
    try:
        notebook.run(NET + "loss = net(x).sum()")
        assert ">net.0.*<" in notebook.panel.scene["svg"]
        notebook.panel.stop()
        assert sys.monitoring.get_tool(calls._TOOL) == "another"
    finally:
        sys.monitoring.free_tool_id(calls._TOOL)


@seen
def test_nothing_is_left_when_the_panel_stops(notebook):
    notebook.run(NET + "loss = net(x).sum()\npanel.stop()\nloss = net(x).sum()")
    assert sys.monitoring.get_tool(calls._TOOL) is None
    notebook.run("panel.start()")
    notebook.run("loss = net(x).sum()")
    assert ">net.0()<" in notebook.panel.scene["svg"]


TRAIN = """
def train(net, x, steps=1):
    for _ in range(steps):
        loss = net(x).pow(2).mean()
        loss.backward()
    return loss

def fails(w):
    twice = (w * w).exp()
    twice.backward()
    twice.backward()
"""


@pytest.fixture
def imported(notebook, tmp_path, monkeypatch):
    """A notebook beside which a file `training.py` lies."""
    (tmp_path / "training.py").write_text(TRAIN, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "training", raising=False)
    notebook.run("from training import train, fails\nnet, x = torch.nn.Linear(2, 1), torch.ones(3, 2)")
    return notebook


@seen
def test_a_pass_of_an_imported_module_is_recorded(imported):
    """A learner's own `train.py`, or a book's package: its passes are played as those of a cell are."""
    imported.run("last = train(net, x)")
    trace = imported.panel.trace
    assert (trace["call"], trace["line"]) == ("loss.backward()", "training.py, line 5: loss.backward()")
    assert [step["kind"] for step in trace["steps"]].count("accumulate") == 2
    names = [node["names"][0] for node in trace["scene"]["nodes"] if node["names"]]
    assert {"net.weight", "net.bias", "loss"} <= set(names), "as the function calls them"
    imported.run("last = train(net, x, 300)")
    assert imported.panel.losses[-1][0] == 300, "each of them is counted"
    imported.run("last = train(net, x, 703)")
    assert imported.panel.losses[-1] == [703, imported.shell.user_ns["last"].item()], "the last one always stands there"
    gradient = imported.shell.user_ns["net"].bias.grad.clone()
    imported.run("net.zero_grad()\npanel.stop()\nlast = train(net, x, 1004)")
    assert imported.shell.user_ns["net"].bias.grad.tolist() == gradient.tolist()


@seen
def test_a_pass_that_runs_among_the_notebooks_own_names_is_recorded_too(imported, tmp_path):
    """`%run -i`, a notebook that another one runs, and the cells of Spyder's editor run there, and have no marks."""
    path = tmp_path / "own.py"
    path.write_text("loss = (w * 3) ** 2\nloss.backward()\n", encoding="utf-8")
    imported.run("w = torch.tensor(2., requires_grad=True)")
    for cell, call, line in (
        (f'%run -i "{path.as_posix()}"', "loss.backward()", "own.py, line 2: loss.backward()"),
        ("exec('(w * 5).backward()')", "backward()", "In [5], line 1: exec('(w * 5).backward()')"),
        ("getattr(w * 7, 'backward')()", "backward()", "In [6], line 1: getattr(w * 7, 'backward')()"),
    ):
        imported.run(cell)
        assert (imported.panel.trace["call"], imported.panel.trace["line"]) == (call, line)
        assert imported.panel.follower.cell.passes.count == 1
    imported.run("for _ in range(40):\n    exec('(w * 5).backward()')\n    (w * 3).backward()")
    assert imported.panel.follower.cell.passes.count == 80, "each once"
    assert imported.shell.user_ns["w"].grad == 36 + 5 + 7 + 40 * 8


@seen
def test_passes_of_a_cell_and_of_an_imported_module_by_turns(imported):
    """A loop that has both is counted right: neither is taken for the other."""
    imported.run("for _ in range(200):\n    (net.bias * 2).sum().backward()\n    last = train(net, x)")
    assert imported.panel.follower.cell.passes.count == 400


@seen
def test_a_pass_of_an_imported_module_that_fails_is_the_one_that_is_shown(imported):
    imported.run("w = torch.tensor(2., requires_grad=True)\nfails(w)", error=RuntimeError)
    trace = imported.panel.trace
    assert trace["call"].startswith("twice.backward()")
    assert trace["steps"][-1]["kind"] == "error"
    assert not trace["ended"]
    assert imported.panel.view == "pass"
    assert imported.panel.follower._calls._ends == {}
    assert imported.panel.follower._begun is None
    imported.run("w.grad = None\n(w * 3).backward()\nassert w.grad == 3")
    assert imported.panel.trace["ended"]


@seen
def test_a_library_that_calls_backward_for_itself_is_no_lesson(notebook):
    """What minigrad or PyTorch do inside, as when gradients are checked; and what measures time."""
    notebook.run("w = torch.ones(2, dtype=torch.float64, requires_grad=True)")
    notebook.run("torch.autograd.gradcheck(lambda w: w * w, (w,))")
    notebook.run("%timeit -n 2 -r 1 (w * w).sum().backward()")
    notebook.run(
        "from minigrad_lessons.jacobian import Jacobian\nJacobian(lambda x: x * x, x=w[:1].detach(), v=w.detach()[:1])"
    )
    assert notebook.panel.trace is None


@seen
def test_an_alarm_of_the_programs_goes_through_where_a_pass_begins(imported, monkeypatch):
    if not hasattr(signal, "setitimer"):
        pytest.skip("no alarms here")
    asked = follow.outputs_of
    monkeypatch.setattr(follow, "outputs_of", lambda *given: (signal.raise_signal(signal.SIGALRM), asked(*given))[1])
    before = signal.signal(signal.SIGALRM, lambda *given: 1 / 0)
    try:
        imported.run("last = train(net, x)", error=ZeroDivisionError)
    finally:
        signal.signal(signal.SIGALRM, before)


@seen
def test_a_compiled_function_is_compiled_alone(imported):
    """Where it calls backward, PyTorch's compiler stays on, and would compile what the panel does, and warn of it."""
    if not hasattr(imported.shell.user_ns["torch"], "compile"):
        pytest.skip("minigrad compiles nothing")
    imported.run("from torch._dynamo import reset, utils\nfound = []")
    for panel in ("", "panel.stop()"):
        imported.run(
            f"{panel}\nreset()\nutils.counters.clear()\nlast = torch.compile(train, backend='eager')(net, x)\n"
            "found.append(utils.counters['frames']['total'])"
        )
    with_panel, without = imported.shell.user_ns["found"]
    assert with_panel == without > 0


@seen
def test_each_pass_has_its_own_line(imported, tmp_path):
    """Also where the code before it is gone, and its address used again; and where a file was edited."""
    paths = [tmp_path / f"{name}.py" for name in "ab"]
    for path in paths:
        path.write_text(f"{path.stem} = w * w\n{path.stem}.backward()\n", encoding="utf-8")
    imported.shell.user_ns["paths"], imported.shell.user_ns["lines"] = paths * 2, []
    imported.run(
        "w = torch.tensor(2., requires_grad=True)\n"
        "for path in paths:\n    panel.follower._pace.next = 0\n"
        "    exec(compile(path.read_text(), path, 'exec'), {'w': w})\n    lines.append(panel.trace['line'])"
    )
    assert imported.shell.user_ns["lines"] == ["a.py, line 2: a.backward()", "b.py, line 2: b.backward()"] * 2
    paths[0].write_text("\n\nloss = w * w\nloss.backward()\n", encoding="utf-8")
    imported.run("exec(compile(paths[0].read_text(), paths[0], 'exec'), {'w': w})")
    assert imported.panel.trace["line"] == "a.py, line 4: loss.backward()"


@seen
def test_a_line_that_runs_no_pass_is_not_said_to(imported, tmp_path):
    """`%autoreload` compiles a function that was edited alone, so that its lines are counted from its own first one."""
    path = tmp_path / "edited.py"
    path.write_text("size = 3\n\n\ndef step(w):\n    loss = w * size\n    loss.backward()\n", encoding="utf-8")
    code = "def step(w):\n    loss = w * 3\n    loss.backward()\nstep(w)"
    imported.run("w = torch.tensor(2., requires_grad=True)")
    imported.run(f"exec(compile({code!r}, {str(path)!r}, 'exec'), {{'w': w}})")
    assert imported.panel.trace["line"] == "edited.py"


@seen
def test_a_profile_is_of_the_program_alone(imported, tmp_path):
    (tmp_path / "timed.py").write_text("train(net, x)", encoding="utf-8")
    imported.run("%prun -q train(net, x)")
    imported.run("%%prun -q\ntrain(net, x)")
    imported.run(f'%run -i -t "{(tmp_path / "timed.py").as_posix()}"')
    assert imported.panel.trace is None


@seen
def test_the_passes_of_the_cell_that_opens_the_panel_are_recorded(notebook):
    """Many put everything into one cell. It had no marks when it began: only its lines are not known."""
    loop = "w = torch.tensor(2., requires_grad=True)\nfor _ in range(5):\n    loss = w * w\n    loss.backward()"
    for opens in ("panel.close()\npanel = viz.live()\n", "panel.stop()\npanel.start()\n"):
        notebook.panel = notebook.run(opens + loop).user_ns["panel"]
        trace = notebook.panel.trace
        assert [step["kind"] for step in trace["steps"]] == ["start", "op", "accumulate"]
        assert trace["call"].startswith("loss.backward()")
        assert len(notebook.panel.losses) == 5


@seen
def test_where_the_panel_stops_within_a_pass_no_hook_is_left(imported):
    imported.run("w = torch.tensor(2., requires_grad=True)\nw.register_hook(lambda g: panel.stop())")
    imported.run("twice = w * w\nfrom training import train\ntrain(lambda x: w * w, x)")
    follower = imported.panel.follower
    assert follower._begun is None
    assert follower._calls._ends == {}
    assert sys.monitoring.get_tool(calls._TOOL) is None
