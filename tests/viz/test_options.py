"""What can be asked of a picture beyond the default."""

import json
import re
import shutil
import subprocess
import sys
import warnings
import weakref
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import pytest

import viz
from viz.model import reader
from viz.picture import render


def nodes(picture, *kinds):
    return [n for n in picture.graph.nodes if n.kind in kinds]


def test_saved_tensors_by_slot(torch):
    w = torch.tensor([2.0, 3.0], requires_grad=True)
    y = w * w
    z = y.exp()
    slots = {
        n.label: [(s.slot, s.state, s.names, s.version) for s in n.saved]
        for n in nodes(viz.draw(z, show="saved"), "op")
    }
    assert slots["MulBackward0"] == [("other", "kept", ("w",), 0), ("self", "kept", ("w",), 0)]
    assert slots["ExpBackward0"] == [("result", "kept", ("z",), 0)]
    picture = viz.draw(z, show="saved")
    assert ">self = w [2, 3]<" in picture.svg
    assert "saved self = w, shape (2,), version 0, kept" in picture.text
    assert "saved" not in viz.text(z)


def test_saved_tensors_are_freed_by_backward(torch):
    w = torch.tensor([2.0, 3.0], requires_grad=True)
    z = (w * w).sum()
    z.backward()
    (mul,) = [n for n in nodes(viz.draw(z, show="saved"), "op") if n.label == "MulBackward0"]
    assert [s.state for s in mul.saved] == ["freed", "freed"]
    assert ">self: freed<" in viz.draw(z, show="saved").svg


def test_saved_tensor_changed_in_place(torch):
    """The picture shows before backward what backward will complain about."""
    w = torch.tensor([2.0], requires_grad=True)
    y = w * w
    with torch.no_grad():
        w += 1
    z = y.exp()
    mul, exp = nodes(viz.draw(z, show="saved"), "op")
    assert [(s.state, s.version) for s in mul.saved] == [("changed", 0), ("changed", 0)]
    assert (mul.stops, exp.stops) == (True, False)
    assert ">self: changed since<" in viz.draw(z, show="saved").svg
    assert "backward stops here" in viz.text(z, show="saved")
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()


def test_shapes_of_results(torch):
    w = torch.ones(2, 3, requires_grad=True)
    y = (w * 2).sum(1).double()
    made = [(n.tensor.shape, n.tensor.dtype, n.tensor.value) for n in nodes(viz.draw(y), "op")]
    assert made == [((2, 3), "float32", None), ((2,), "float32", None), ((2,), "float64", "[6., 6.]")]
    assert ">(2, 3)<" in viz.draw(y).svg


def test_saved_tensors_of_a_custom_function(torch):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return a * a

        @staticmethod
        def backward(ctx, g):
            (a,) = ctx.saved_tensors
            return 2 * a * g

    w = torch.tensor([2.0], requires_grad=True)
    z = Square.apply(w)
    (square,) = nodes(viz.draw(z, show="saved"), "custom")
    assert [(s.names, s.state) for s in square.saved] == [(("w",), "kept")]


def test_order_of_forward_and_backward_is_the_engines(torch):
    """The numbers are a claim about the engine: hooks check it."""
    x = torch.tensor(3.0, requires_grad=True)
    a = x * 2
    b = x.exp()
    c = a * b
    d = a + c
    picture = viz.draw(d, show="order")
    ran = []
    for node in (t.grad_fn for t in (a, b, c, d)):
        node.register_hook(lambda *_, node=node: ran.append(node.name()))
    d.backward()
    expected = sorted(nodes(picture, "op"), key=lambda n: n.backward)
    assert [n.label for n in expected] == ran
    assert [n.label for n in sorted(nodes(picture, "op"), key=lambda n: n.forward)] == [
        "MulBackward0",
        "ExpBackward0",
        "MulBackward0",
        "AddBackward0",
    ]
    assert ">→ 4  ← 1<" in picture.svg


def test_the_order_of_leaves_is_the_engines(torch):
    """All their nodes are as young; a heap decides, as in `cat` of parameters, or in an LSTM."""
    leaves = {name: torch.ones(1, requires_grad=True) for name in "abcdefg"}
    a, b, *others = leaves.values()
    loss = (torch.cat([torch.stack([a, b, a]).sum(0), *others]) * torch.cat([b, *others])).sum()
    drawn = nodes(viz.draw(loss, show="order", names=leaves), "accumulate")
    arrived = []
    for name, leaf in leaves.items():
        leaf.register_hook(lambda grad, name=name: arrived.append(name))
    loss.backward()
    assert [node.names[0] for node in sorted(drawn, key=lambda node: node.backward)] == arrived != sorted(arrived)


def test_hooks_are_named(torch):
    def double(grad):
        return grad * 2

    def _seen(grad):
        """Private, as that of an exercise's check on the learner's leaf: who has written no hook is told of none."""

    w = torch.tensor([2.0], requires_grad=True)
    w.register_hook(double)
    w.register_hook(_seen)
    z = w * 2
    assert "hook double" in viz.text(z)
    assert "_seen" not in viz.text(z)
    assert ">hook double<" in viz.draw(z).svg


def test_formula(torch):
    w = torch.tensor([2.0], requires_grad=True)
    z = w * w
    assert ">∂L/∂a = g · b<" in viz.draw(z, show="formula").svg
    (double,) = nodes(viz.draw(torch.add(w, w, alpha=2)), "op")
    assert double.formula == ("c = a + α · b, for a number α", "∂L/∂a = g", "∂L/∂b = g · α")
    assert "∂L" not in viz.draw(z).svg.split("</desc>")[1].replace("<title>", "").split("<text")[0]


def test_retained_gradient_of_a_result(torch):
    w = torch.tensor([2.0], requires_grad=True)
    z = w * 3
    z.retain_grad()
    z.backward()
    (made,) = nodes(viz.draw(z), "op")
    assert made.grad.value == "[1.]"


def test_unnamed_constant_shows_its_value(torch):
    w = torch.tensor([2.0], requires_grad=True)
    z = w * 4
    (ghost,) = nodes(viz.draw(z), "untracked")
    assert ghost.label == "4"
    for _ in range(40):
        z = z * 5
    assert nodes(viz.draw(z), "untracked") == [], "a help in a small graph, clutter in a large one"
    assert len(nodes(viz.draw(z, show=("untracked", "repeats")), "untracked")) == 41


def test_an_input_known_by_a_saved_value_alone_is_lost_with_it(torch):
    """Only the node's saved tensor told which tensor the input was: afterwards nobody knows."""
    w, x = torch.tensor([2.0], requires_grad=True), torch.tensor([4.0])
    z = w * x + 1
    z.backward()
    after, one = nodes(viz.draw(z), "untracked")
    assert (after.label, one.label) == ("None", "None")
    assert ">other: freed<" in viz.draw(z, show="saved").svg


def test_no_tensor_stands_in_the_place_of_another(torch):
    """Where the node does not tell which tensor an input was, the picture leaves it open: a condition or an index
    is none that has a place there, and a saved factor is not the bias."""
    w, bias0, x0 = torch.ones(2, 2, requires_grad=True), torch.ones(2), torch.ones(3, 2)
    cond, other = torch.tensor([True, False]), torch.zeros(2, 2)
    idx, src, value = torch.tensor([[0, 1]]), torch.ones(1, 2), torch.tensor(7.0)
    programs = {
        "where": (lambda: torch.where(cond, w, other), {1: "None", -1: "cond"}),
        "addmm": (lambda: torch.addmm(bias0, x0, w), {0: "None", 1: "x0"}),
        "mm": (lambda: x0 @ w, {0: "x0"}),
        "mv": (lambda: w @ bias0, {1: "bias0"}),
        "mse_loss": (lambda: torch.nn.functional.mse_loss(w, other), {1: "other"}),
        "lerp": (lambda: torch.lerp(w, other, value), {1: "None", 2: "value"}),
    }
    if torch.__name__ == "torch":  # minigrad's takes a number there
        programs["scatter"] = (lambda: w.scatter(0, idx, src), {1: "None", -1: "idx"})
    for name, (program, expected) in programs.items():
        result = program()
        graph = viz.draw(result).graph
        drawn = {e.input_nr: graph.node(e.target).label for e in graph.edges if e.kind == "untracked"}
        assert drawn == expected, name


def test_the_table_of_inputs_is_pytorchs_own():
    """PyTorch brings derivatives.yaml along, which its nodes are made from: no slot is taken for another input."""
    torchgen = pytest.importorskip("torchgen")
    pytest.importorskip("yaml")
    packaged = Path(torchgen.__file__).parent / "packaged"
    code = f"""
import json, sys
sys.path.insert(0, {str(packaged)!r})
from autograd.load_derivatives import load_derivatives
native = [{str(packaged)!r} + "/ATen/native/" + name for name in ("native_functions.yaml", "tags.yaml")]
infos, _ = load_derivatives({str(packaged)!r} + "/autograd/derivatives.yaml", *native)
infos = [next(iter(by_key.values())) for by_key in infos.values()]
print(json.dumps([[
    info.op,
    [a.name for a in info.args_with_derivatives],
    [str(s.nctype.name) for s in info.all_saved_inputs if "Tensor" in str(s.nctype.type)],
] for info in infos if info.op]))
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    told = 0
    for name, inputs, saved in json.loads(said):
        node = SimpleNamespace(name=lambda name=name: name)
        for slot in saved:
            place = reader.place_of(node, slot)
            right = inputs.index(slot) if slot in inputs else None
            told += place == right is not None
            # `other` of a number and a tensor: the node has one input, and so none in place 1
            assert place in (None, right) or place >= len(inputs), (name, slot, inputs)
    assert told > 300


def test_drawing_keeps_no_tensor_alive(torch):
    def program():
        w, x = torch.tensor([2.0], requires_grad=True), torch.ones(1000)
        z = (w * x).sum()
        assert "input x, shape (1000,)" in viz.text(z)
        z.backward()
        return weakref.ref(x), z

    x, _ = program()
    assert x() is None


def test_of_two_that_share_memory_none_is_said_to_come_from_the_other(torch):
    """Either may have been made of the other: a parameter of a plain tensor, a constant of a tracked one."""
    init = torch.tensor([1.0, 2.0])
    w = torch.nn.Parameter(init)
    z = w * init
    assert {edge.kind for edge in viz.draw(z).graph.edges} == {"next", "variable", "untracked"}
    assert "input init, shape (2,), float32, value [1., 2.], requires_grad False\n" in viz.text(z) + "\n"


def test_unrolled_loop_is_folded_and_counted(torch):
    w = torch.tensor(0.5, requires_grad=True)
    h = w
    for _ in range(100):
        h = (h * w).tanh()
    picture = viz.draw(h)
    (folded,) = nodes(picture, "folded")
    assert folded.repeats == 98
    assert dict(folded.contents) == {"MulBackward0": 98, "TanhBackward0": 98}
    assert len(nodes(picture, "op")) == 4  # the first and the last part
    assert ">98 × repeated<" in picture.svg
    assert len(nodes(viz.draw(h, show="repeats", max_nodes=1000), "op")) == 200


def test_what_has_something_to_show_is_not_folded_away(torch):
    w = torch.tensor(0.5, requires_grad=True)
    h = w
    for step in range(100):
        h = (h * w).tanh()
        if step == 40:
            h.register_hook(print)
            hooked = h
    picture = viz.draw(h)
    assert [n.repeats for n in nodes(picture, "folded")] == [38, 57]  # its neighbours stay, too
    assert [n.label for n in nodes(picture, "op") if n.hooks] == ["TanhBackward0"]
    assert "hooked.grad_fn" in picture.text, hooked


def test_where_backward_stops_is_not_folded_away(torch):
    w = torch.tensor([0.5], requires_grad=True)
    h = w
    for step in range(100):
        h = (h * w).tanh()
        if step == 40:
            early = h
    with torch.no_grad():
        early += 1
    for options in ({}, {"depth": 3}, {"show": ("saved", "repeats"), "max_nodes": 50}):
        stopped = [n.label for n in viz.draw(h, **{"show": "saved", **options}).graph.nodes if n.stops]
        assert stopped == ["MulBackward0"], options


def test_short_graphs_are_never_folded(torch):
    w = torch.tensor(0.5, requires_grad=True)
    h = w
    for _ in range(20):
        h = h * w
    assert nodes(viz.draw(h), "folded") == []


def test_depth_and_around(torch):
    w = torch.tensor(0.5, requires_grad=True)
    h = w
    for _ in range(6):
        h = h.exp()
        h = h.tanh()
    near = viz.draw(h, depth=2)
    assert [n.label for n in nodes(near, "op")] == ["TanhBackward0", "ExpBackward0", "TanhBackward0"]
    around = viz.draw(h, around="op6", depth=1)
    assert [n.id for n in nodes(around, "op")] == ["op5", "op6", "op7", "op12"]  # and what was drawn
    assert [n.id for n in nodes(viz.draw(h, around="h", depth=1), "op")] == ["op11", "op12"]
    with pytest.raises(ValueError, match="no node 'op99'"):
        viz.draw(h, around="op99")


def test_what_is_left_out_says_how_many_operations_it_holds(torch):
    w = torch.tensor(0.5, requires_grad=True)
    (rest,) = nodes(viz.draw((w * w).exp(), depth=0), "folded")
    assert (rest.called("en"), rest.called("zh"), rest.contents) == (
        "1 operation",
        "1 次运算",
        (("leaf", 1), ("MulBackward0", 1)),
    )


def test_a_name_of_the_programs_is_no_id(torch):
    leaf2, other, op1 = (torch.tensor(n, requires_grad=True) for n in (2.0, 3.0, 4.0))
    loss = other * op1 * leaf2
    names = {"leaf2": leaf2, "op1": op1}
    del other
    picture = viz.draw(loss, names=names)
    assert [n.label for n in nodes(picture, "leaf")] == ["leaf1", "op1", "leaf2"]
    assert [n.id for n in picture.graph.nodes if n.id in names] == []
    with viz.record(loss) as run:
        loss.backward()
    assert {name: grad.short for name, grad in run.gradients.items()} == {"leaf1": "8.", "op1": "6.", "leaf2": "12."}


def test_max_nodes(torch):
    leaves = [torch.tensor(float(i), requires_grad=True) for i in range(50)]
    total = leaves[0]
    for i, leaf in enumerate(leaves[1:]):
        total = [total.exp(), total.tanh(), total.sin()][i % 3 if i % 7 else 0] * leaf
    picture = viz.draw(total, max_nodes=30)
    assert len(picture.graph.nodes) <= 40
    assert sum(n.count for n in nodes(picture, "op", "folded")) == 98
    text = picture.text
    assert "98 operations, 50 leaves" in text


def test_json_is_the_documented_schema(torch):
    w = torch.tensor([2.0], requires_grad=True)
    z = w * 2
    data = json.loads(json.dumps(viz.draw(z, show="saved").graph.to_dict()))
    assert set(data) == {"nodes", "edges", "roots"}
    ids = {n["id"] for n in data["nodes"]}
    assert set(data["roots"]) <= ids
    for edge in data["edges"]:
        assert {edge["source"], edge["target"]} <= ids
    static = Path(viz.__file__).parent / "notebook" / "static"
    definitions = json.loads((static / "live.schema.json").read_text(encoding="utf-8"))["$defs"]
    in_a_picture = {"x": 0, "y": 0, "width": 1, "height": 1, "source": "", "formula": {"en": [], "zh": []}}
    for kind, things in (("node", [n | in_a_picture for n in data["nodes"]]), ("edge", data["edges"])):
        for thing in things:
            jsonschema.validate(thing, {"$ref": f"#/$defs/{kind}", "$defs": definitions})


def test_modules_are_framed():
    torch = pytest.importorskip("torch")
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))
    loss = net(torch.ones(1, 2)).sum()
    picture = viz.draw(loss)
    modules = {n.label: n.module for n in picture.graph.nodes if n.kind == "leaf"}
    assert modules == {"net.0.weight": "net.0", "net.0.bias": "net.0", "net.2.weight": "net.2", "net.2.bias": "net.2"}
    assert [n.module for n in picture.graph.nodes if n.label == "AddmmBackward0"] == ["net.0", "net.2"]
    assert ">net.0.*<" in picture.svg
    assert 'subgraph "cluster net.2.*"' in picture.source


def test_nested_tensors_have_no_sizes_and_are_drawn():
    torch = pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch says that they are a prototype
        parts = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], requires_grad=True)
        jagged = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], requires_grad=True, layout=torch.jagged)
    assert "leaf parts, shape (?,), float32, grad None" in viz.text(parts * 2)
    assert "leaf jagged, shape (2, ?), float32, grad None" in viz.text(jagged * 2)


@pytest.mark.skipif(shutil.which("dot") is None, reason="no dot program on the PATH")
def test_engines_draw_the_same_things(torch, tmp_path, monkeypatch):
    w = torch.tensor([2.0], requires_grad=True)
    a, b = (w * 2).exp(), w.tanh()
    z = a + b
    program, wheel = viz.draw(z), ids(viz.draw(z).svg)
    monkeypatch.setattr(viz.options, "engine", "dot")
    assert ids(program.svg) == wheel
    assert program.save(tmp_path / "g.png").read_bytes().startswith(b"\x89PNG")


def test_in_a_browser_the_graphviz_of_the_page_lays_out(torch, monkeypatch):
    """The page's names are a module called `js` there. `python -m tests.jupyterlite` runs the real one."""
    z = torch.tensor([2.0], requires_grad=True).exp()
    wheel, page = ids(viz.draw(z).svg), SimpleNamespace()
    wasm = viz.draw(z)
    monkeypatch.setattr(viz.options, "engine", "wasm")
    monkeypatch.setitem(sys.modules, "js", page)
    monkeypatch.setattr(sys, "platform", "emscripten")
    with pytest.raises(viz.LayoutError, match="not installed"):
        assert wasm.svg
    page.graphviz = SimpleNamespace(
        layout=lambda dot, format, prog: render._draw_with_pygraphviz(dot, format, 60).decode("utf-8")
    )
    assert ids(wasm.svg) == wheel
    with pytest.raises(viz.LayoutError, match="Graphviz failed"):
        render.run("digraph {", "json0")


def ids(svg):
    return re.findall(r'data-id="([^"]+)"', svg)


class Refuses(Exception):
    pass


def failing(torch, how):
    """(what to run, the name of the node where it fails, the first line of the error)"""

    class Bad(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def backward(ctx, g):
            raise Refuses("no good\nsecond line")

    def refuse(grad):
        raise Refuses("not this one")

    w = torch.tensor([2.0, 1.0], requires_grad=True)
    if how == "own function":
        return Bad.apply(w * 3).exp().sum(), "BadBackward", "Refuses: no good"
    z = (w * w).tanh().sum()
    if how == "second backward":
        z.backward()
        return z, "TanhBackward0", "RuntimeError: Trying to backward through the graph a second time"
    if how == "hook of a leaf":
        w.register_hook(refuse)
        return z, "AccumulateGrad", "Refuses: not this one"
    y = w * 2
    y.register_hook(refuse)
    return (y * w).exp().sum(), "MulBackward0", "Refuses: not this one"


@pytest.mark.parametrize("how", ["own function", "second backward", "hook of a leaf", "hook of a result"])
def test_where_backward_failed(torch, how):
    loss, name, first_line = failing(torch, how)
    known = "no good|second time|not this one"
    with pytest.raises((Refuses, RuntimeError), match=known) as error, viz.record(loss) as watched:
        loss.backward()
    assert error.type.__name__ in first_line  # the error goes on to the reader
    picture = viz.draw(watched)
    (stopped,) = [n for n in picture.graph.nodes if n.stops]
    assert stopped.label == name
    assert stopped.error.startswith(first_line)
    assert f"backward stops here: {first_line}" in picture.text
    assert ">✕ backward stops here<" in picture.svg
    assert f">{first_line[:30]}" in picture.svg
    if how == "hook of a result":  # of the two multiplications the one whose result it hangs on
        assert stopped.forward == 1


def test_watch_of_a_pass_that_succeeds(torch):
    w = torch.tensor([2.0], requires_grad=True)
    z = (w * w).sum()
    before = viz.draw(z, names={"w": w})
    with viz.record(z) as watched:
        z.backward()
    assert (watched.failed, watched.error) == (None, "")
    after = viz.draw(watched, names={"w": w})
    assert [n for n in after.graph.nodes if n.stops] == []
    assert [after.cards[n.id].lines[-1] for n in after.graph.nodes if n.kind == "op"] == ["grad [1]", "grad 1"]
    assert w.grad.item() == 4
    assert before.text.replace("grad None", "grad [4.]") == after.text


def test_one_group_is_unfolded(torch):
    w = torch.tensor(0.5, requires_grad=True)
    h = w
    for _ in range(30):
        h = (h * w).tanh()
    for _ in range(30):
        h = (h + w).sin().exp()
    groups = {n.id: n.repeats for n in nodes(viz.draw(h), "folded")}
    assert groups == {"fold1": 28, "fold2": 28}
    opened = viz.draw(h, show="fold1")
    assert {n.id: n.repeats for n in nodes(opened, "folded")} == {"fold2": 28}
    assert len(nodes(opened, "op")) == 30 * 2 + 2 * 3
    assert nodes(viz.draw(h, show=["fold1", "fold2"]), "folded") == []
    with pytest.raises(ValueError, match="no group 'fold9' to unfold; this graph has fold1, fold2"):
        viz.draw(h, show="fold9")
    with pytest.raises(ValueError, match="this graph has none"):
        viz.draw(w * 2, show="fold1")


def test_a_network_that_is_too_large_is_drawn_by_its_modules(torch):
    """And not as its two ends with one box between them."""
    nn = torch.nn
    kinds = (nn.ReLU, nn.Tanh, nn.Sigmoid, nn.Softplus, nn.SiLU, nn.ReLU)  # what repeats would be folded before
    net = nn.Sequential(
        *(nn.Sequential(nn.Linear(3, 3), *(kind() for kind in kinds[i:]), nn.Linear(3, 3)) for i in range(6))
    )
    picture = viz.draw(net(torch.ones(2, 3)).sum(), max_nodes=20)
    assert [node.label for node in picture.graph.nodes if node.kind == "folded"] == [f"net.{i}.*" for i in range(6)]
    opened = viz.draw(net(torch.ones(2, 3)).sum(), max_nodes=20, show="module2")
    assert "net.1.*" not in {node.label for node in opened.graph.nodes}
