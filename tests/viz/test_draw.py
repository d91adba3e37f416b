"""What a learner sees when drawing the graphs of the notes."""

import gc
import itertools
import json
import random
import re
import threading
import xml.etree.ElementTree as ET
from base64 import b64decode
from dataclasses import replace
from html import unescape

import graphviz
import pytest

import viz
from viz.model import kept
from viz.model.values import describe
from viz.picture.long import left_out
from viz.picture.render import layout
from viz.picture.theme import MARK

LINEAR = """\
Autograd graph of z: 2 operations, 2 leaves (w, b)
output z, shape (1,), float32, value [7.], grad_fn op2
op2 AddBackward0, z.grad_fn -> op1, AccumulateGrad(b)
op1 MulBackward0 -> AccumulateGrad(w), x
leaf w, shape (1,), float32, value [2.], grad None
input x, shape (1,), float32, value [3.], requires_grad False
leaf b, shape (1,), float32, value [1.], grad None"""


def linear(torch):
    w = torch.tensor([2.0], requires_grad=True)
    b = torch.tensor([1.0], requires_grad=True)
    x = torch.tensor([3.0])
    return w, b, x


def test_linear_graph_as_text(torch):
    w, b, x = linear(torch)
    z = w * x + b
    assert viz.text(z) == LINEAR
    assert repr(viz.draw(z)) == LINEAR


def test_dot_names_nodes_and_edges(torch):
    w, b, x = linear(torch)
    z = w * x + b
    source = viz.draw(z).source
    edges = re.findall(r"^\t(\w+ -> \w+)", source, re.MULTILINE)
    assert edges == [
        "acc1 -> leaf1",
        "op1 -> acc1",
        "op1 -> const1",
        "op2 -> op1",
        "acc2 -> leaf2",
        "op2 -> acc2",
    ]
    for label in (r'label="MulBackward0\ndata (1,)"', r'label="z\nAddBackward0\ndata [7]"', "label=AccumulateGrad"):
        assert label in source


def test_same_program_gives_same_dot_again(torch):
    def program():
        w, b, x = linear(torch)
        z = w * x + b
        return viz.draw(z).source

    assert program() == program()


def test_svg_is_xml_with_title_description_tooltips_and_both_themes(torch, monkeypatch):
    monkeypatch.setenv("MINIGRAD_LANG", "en")
    w, b, x = linear(torch)
    z = w * x + b
    picture = viz.draw(z)
    root = ET.fromstring(picture.svg)
    svg = "{http://www.w3.org/2000/svg}"
    assert root.find(f"{svg}title").text == "Autograd graph of z: 2 operations, 2 leaves (w, b)"
    assert root.find(f"{svg}desc").text == LINEAR
    nodes = [g for g in root.iter(f"{svg}g") if "node" in g.get("class", "")]
    assert len(nodes) == len(picture.graph.nodes) == 7
    assert all(g.find(f"{svg}title").text for g in nodes)
    style = root.find(f"{svg}style").text
    for rule in ("prefers-color-scheme:dark", '[data-jp-theme-light="false"]', '[data-jp-theme-light="true"]'):
        assert rule in style


def test_svg_touches_nothing_else_on_the_page(torch):
    """An inline style sheet is the whole page's: every rule must be about .viz."""
    w, b, x = linear(torch)
    z = w * x + b
    style = ET.fromstring(viz.draw(z).svg).find("{http://www.w3.org/2000/svg}style").text
    selectors = [rule.split("{")[0] for rule in re.sub(r"@(media|supports) [^{]*{", "", style).split("}")]
    assert [s for s in selectors if s and ".viz" not in s] == []


def test_programs_that_know_no_css_variables_are_shown_none(torch):
    """CairoSVG drew nothing, svglib failed, and in Inkscape and LibreOffice texts ran out of their boxes."""
    svg = "{http://www.w3.org/2000/svg}"
    w, b, x = linear(torch)
    root = ET.fromstring(viz.draw(w * x + b, show=("saved", "formula")).svg)
    style = root.find(f"{svg}style")
    block = re.fullmatch(r"@supports \(fill:var\([^{]*{(.*)}", style.text)[1]
    depths = itertools.accumulate({"{": 1, "}": -1}.get(letter, 0) for letter in block)
    assert min(depths) == 0, "it ends where the sheet ends"
    root.remove(style)
    assert not re.search(r"var\(|style=", ET.tostring(root, "unicode"))
    assert root.get("font-family") == "sans-serif"
    fonts = {text.get("class"): text.get("font-family") for text in root.iter(f"{svg}text")}
    assert (fonts["card"], fonts["data"], fonts["note"]) == ("monospace", "monospace", None)


def test_notebook_bundle_has_picture_and_text(torch, monkeypatch):
    monkeypatch.setenv("MINIGRAD_LANG", "en")
    w, b, x = linear(torch)
    z = w * x + b
    bundle = viz.draw(z)._repr_mimebundle_()
    assert viz.draw(z)._repr_html_() == bundle["image/svg+xml"], "which is all that sphinx-gallery asks for"
    assert bundle["image/svg+xml"].startswith("<svg ")
    image = re.search(
        r'<img class="viz-image" alt="([^"]*)" src="data:image/svg\+xml;base64,([^"]*)" [^>]*>', bundle["text/html"]
    )
    assert unescape(image[1]) == LINEAR
    assert b64decode(image[2]).decode("utf-8") == bundle["image/svg+xml"]
    assert bundle["text/plain"] == LINEAR


def test_gradients_appear_after_backward_and_accumulate(torch):
    w, b, x = linear(torch)
    (w * x + b).backward()
    z = w * x + b
    z.backward()
    text = viz.text(z)
    assert "leaf w, shape (1,), float32, value [2.], grad [6.]" in text
    assert "leaf b, shape (1,), float32, value [1.], grad [2.]" in text
    assert "grad [6.]" in viz.draw(z).svg


def test_drawing_changes_nothing(torch):
    w, b, x = linear(torch)
    z = w * x + b
    viz.draw(z).svg
    assert w.grad is None
    z.backward()
    assert w.grad.item() == 3


def test_shared_nodes_and_several_outputs_are_drawn_once(torch):
    x = torch.tensor(3.0, requires_grad=True)
    h = x * x
    a, b = h + 1, h * 2
    graph = viz.draw(a, b).graph
    labels = [n.label for n in graph.nodes]
    assert labels.count("MulBackward0") == 2  # h, shared, and b
    assert labels.count("AccumulateGrad") == 1
    assert graph.roots == ("op2", "op3")
    assert [e.target for e in graph.edges if e.source == "op1"] == ["acc1", "acc1"]  # both inputs of x * x


def test_what_other_threads_made_is_told_apart(torch):
    """PyTorch counts operations in each thread for itself."""
    w = torch.tensor(2.0, requires_grad=True)
    made = {}
    for factor in (3, 5, 7):
        thread = threading.Thread(target=lambda factor=factor: made.update({factor: w * factor}))
        thread.start()
        thread.join()
    graph = viz.draw(made[3] + made[5] * made[7]).graph
    names = {node.id: node.names for node in graph.nodes if node.kind == "op"}
    assert len(names) == 5
    assert {("made[3]",), ("made[5]",), ("made[7]",)} < set(names.values())


def test_two_threads_that_draw_leave_the_garbage_collector_on(monkeypatch):
    """The one begins while the other draws, which ends between the one's question and what it does about the answer."""
    paused = kept.collector_paused()
    paused.__enter__()

    class Meanwhile:
        enable, disable = staticmethod(gc.enable), staticmethod(gc.disable)

        def isenabled(self):
            was_on = gc.isenabled()
            paused.__exit__(None, None, None)
            return was_on

    monkeypatch.setattr(kept, "gc", Meanwhile())
    try:
        with kept.collector_paused():
            monkeypatch.undo()
        assert gc.isenabled()
    finally:
        gc.enable()


def test_which_output_an_edge_takes(torch):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    first, _, third = x.unbind()
    y = third * first
    graph = viz.draw(y).graph
    assert [(e.target, e.output_nr) for e in graph.edges if e.source == "op2"] == [("op1", 2), ("op1", 0)]
    assert "op1[2], op1" in viz.text(y)
    assert ">output 2<" in viz.draw(y).svg


def test_custom_function_is_told_apart(torch):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return a * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = torch.tensor([1.0], requires_grad=True)
    y = Double.apply(x)
    graph = viz.draw(y).graph
    assert [(n.kind, n.label) for n in graph.nodes if n.id == "op1"] == [("custom", "DoubleBackward")]


def test_many_truth_values_have_no_mean(torch):
    a = torch.ones(4, 4, requires_grad=True)
    for given, value in ((a.detach() > 0, ""), (a.detach() * 3, "value mean 3., largest 3., ")):
        (line,) = [line for line in viz.text((a * given).sum()).splitlines() if line.startswith("input ")]
        dtype = str(given.dtype).rpartition(".")[2]
        assert line == f"input given, shape (4, 4), {dtype}, {value}requires_grad False"


def test_of_many_names_three_are_said(torch):
    w = torch.ones(2, requires_grad=True)
    (leaf,) = [n for n in viz.draw(w * 2, names=dict.fromkeys("wvut", w)).graph.nodes if n.kind == "leaf"]
    assert leaf.title == "w = v = u"


def test_a_large_gradient_is_summed_up_on_its_leaf(torch, monkeypatch):
    w = torch.ones(4, 4, requires_grad=True)
    (w * 3).sum().backward()
    (leaf,) = [n for n in viz.draw(w * 2).graph.nodes if n.kind == "leaf"]
    assert leaf.to_dict()["grad"] == "mean 3., largest 3."
    for language, said in {"en": "mean 3, largest 3", "zh": "平均 3，最大 3"}.items():
        monkeypatch.setattr(viz.options, "language", language)
        assert f">{said}</text>" in viz.draw(w * 2).svg


@pytest.mark.parametrize("count", [30, 31])
def test_what_needs_no_gradient_and_has_no_name_is_shown_up_to_thirty_operations(torch, count):
    y = torch.ones(2, requires_grad=True)
    for _ in range(count):
        y = y * torch.ones(2)
    kinds = {node.kind for node in viz.draw(y).graph.nodes}
    assert ("untracked" in kinds) == (count == 30)


def test_complex_numbers_are_written_as_pytorch_writes_them():
    torch = pytest.importorskip("torch")
    x = torch.tensor([1 + 0.5j, 2 - 0.25j, 3 + 0j, complex(0, float("nan"))], requires_grad=True)
    assert "value [1.+0.5j, 2.-0.25j, 3.+0.j, 0.+nanj]" in viz.text(x)


def test_of_a_complex_number_that_nobody_holds_no_derivative_is_told():
    torch = pytest.importorskip("torch")
    c = torch.tensor(1 + 2j, requires_grad=True)
    loss = (c * torch.tensor(3j) * c).real
    told = [node.formula for node in viz.draw(loss, show="formula").graph.nodes if node.label == "MulBackward0"]
    assert told == [("c = a · b",)] * 2


def test_leaf_alone_is_drawn(torch):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    assert viz.text(w) == (
        "Autograd graph of w: 0 operations, 1 leaf (w)\nleaf w, shape (2,), float32, value [1., 2.], grad None"
    )
    assert "<svg" in viz.draw(w).svg


def test_direction_follows_length(torch):
    w = torch.tensor([1.0], requires_grad=True)
    y = w * 2
    assert viz.draw(y).direction == "right"
    for _ in range(20):
        y = y * 2
    assert viz.draw(y).direction == "down"
    assert viz.draw(y, direction="right").direction == "right"


def test_beside_a_docked_panel_a_picture_goes_down_where_it_would_be_cut_off(torch, monkeypatch):
    """As in `minigrad lab`: in a window of 1280 pixels a cell is 360 wide, and showed the leaves alone."""
    z = linear(torch)[0] * 3 + 1
    assert viz.draw(z).direction == "right"
    monkeypatch.setenv("MINIGRAD_DOCK", "1")
    assert viz.draw(z).direction == "down"
    assert viz.draw(torch.ones(1, requires_grad=True)).direction == "right"


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf", "dot", "txt", "json"])
def test_save(torch, tmp_path, suffix):
    w, b, x = linear(torch)
    z = w * x + b
    data = viz.draw(z).save(tmp_path / f"图.{suffix}").read_bytes()
    start = {"svg": b"<svg ", "png": b"\x89PNG", "pdf": b"%PDF", "dot": b"digraph", "txt": b"Autograd", "json": b"{"}
    assert data.startswith(start[suffix])
    if suffix == "json":
        assert [n["id"] for n in json.loads(data)["nodes"]] == [n.id for n in viz.draw(z).graph.nodes]


def test_only_where_many_edges_are_long_a_png_has_straight_ones(torch):
    """To bend those of 200 nodes around the boxes took a quarter of a minute."""
    w = torch.tensor([0.5], requires_grad=True)
    chain = loop = w * 1
    for _ in range(100):
        chain, loop = (chain * 2).exp(), (loop * w).tanh()
    assert "splines=line" in viz.draw(loop, show="repeats").source
    for _ in range(100):
        chain = (chain * 2).exp()
    picture = viz.draw(chain, show="repeats", max_nodes=500)
    assert len(picture.graph.nodes) > 400
    assert "splines" not in picture.source


def test_what_is_asked_for_stands_on_the_picture_in_both_directions(torch):
    """A page shows the one that fits it: there the formulas were gone."""
    w = torch.tensor([1.0], requires_grad=True)
    scene = viz.draw(w * 2, show="formula").scene()
    assert all("∂L/∂a = g · b" in way["svg"] for way in (scene, scene["other"]))


def test_nothing_is_printed(torch, capfd, tmp_path):
    权重 = torch.tensor([1.0], requires_grad=True)
    损失 = 权重 * 2
    picture = viz.draw(损失)
    picture._repr_mimebundle_()
    picture.save(tmp_path / "a.png")
    assert capfd.readouterr() == ("", "")


def test_chain_of_ten_thousand_is_summarised(torch):
    y = x = torch.tensor(1.0, requires_grad=True)
    for _ in range(5000):
        y = y * 1.0 + x
    picture = viz.draw(y)
    assert len(picture.graph.nodes) <= 60
    assert sum(n.count for n in picture.graph.nodes if n.kind in ("op", "folded")) == 10_000
    folded = [n for n in picture.graph.nodes if n.kind == "folded"]
    assert {name for n in folded for name, _ in n.contents} == {"MulBackward0", "AddBackward0"}
    assert "×" in picture.svg


def test_edges_touch_the_boxes_they_join(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    a, b = (x * 2).unbind()
    z = (a * b).exp() + a.detach() * b
    for direction in ("right", "up"):
        picture = viz.draw(z, show=("saved", "order"), direction=direction)
        for edge, curve in zip(picture.graph.edges, picture.layout.edges.values()):
            for point, node_id in ((curve.points[0], edge.source), (curve.tip, edge.target)):
                (x0, y0), card = picture.layout.nodes[node_id], picture.cards[node_id]
                gap = max(abs(point[0] - x0) - card.width / 2, abs(point[1] - y0) - card.height / 2)
                assert abs(gap) < 1.5, f"{edge} ends {gap:.1f} px from {node_id}"


def busy(torch, operations):
    """A graph in which nothing repeats and many edges pass several rows."""
    choose = random.Random(0)
    pool = [torch.tensor(1.0, requires_grad=True) for _ in range(3)]
    for _ in range(operations):
        operation = choose.choice([torch.add, torch.mul, torch.sub, torch.maximum])
        pool.append(operation(pool[-1], choose.choice(pool[-9:])))
    return pool[-1]


@pytest.mark.parametrize("direction", ["right", "up"])
def test_edges_of_a_large_graph_pass_no_box(torch, direction):
    """They end at their boxes and cross no other."""
    picture = viz.draw(busy(torch, 90), direction=direction, show="repeats")
    assert len(picture.graph.nodes) > 90
    boxes = {n: (picture.layout.nodes[n], c.width / 2, c.height / 2) for n, c in picture.cards.items()}
    for edge, curve in zip(picture.graph.edges, picture.layout.edges.values()):
        for t, start in itertools.product((0.0, 0.25, 0.5, 0.75), range(0, len(curve.points) - 1, 3)):
            x, y = bezier(curve.points[start : start + 4], t)
            for node_id, ((x0, y0), half_wide, half_high) in boxes.items():
                inside = abs(x - x0) < half_wide - 2 and abs(y - y0) < half_high - 2
                assert not inside, f"{edge} passes through {node_id}"
        (x0, y0), half_wide, half_high = boxes[edge.target]
        assert max(abs(curve.tip[0] - x0) - half_wide, abs(curve.tip[1] - y0) - half_high) == pytest.approx(0, abs=1.5)


def bezier(points, t):
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    return tuple(sum(w * p[i] for w, p in zip(weights, points)) for i in (0, 1))


def test_what_is_too_large_and_repeats_nothing_is_drawn(torch):
    picture = viz.draw(busy(torch, 500))
    assert sum(n.count for n in picture.graph.nodes if n.kind in ("op", "folded")) == 500
    assert picture.svg.count('<g class="node ') == len(picture.graph.nodes) < 60


def test_long_edges_to_one_node_run_together(torch):
    """An unrolled loop uses its weight in every step: all arcs go as far beside the picture."""
    h = w = torch.tensor(0.5, requires_grad=True)
    for _ in range(100):
        h = (h * w).tanh()
    picture = viz.draw(h, show="repeats")
    long = left_out(picture.graph)
    assert len(long) > 90
    assert {picture.graph.edges[number].target for number in long} == {"acc1"}
    assert len({round(picture.layout.edges[number].points[1][0]) for number in long}) == 1
    assert all(curve.points[1][0] <= picture.layout.width for curve in picture.layout.edges.values())
    assert len(picture.svg) < 300_000


@pytest.mark.parametrize("folded", [True, False])
def test_a_long_loop_is_drawn_and_not_waited_for(torch, folded):
    """Its lines to the weight pass half a million rows: were each a node to Graphviz, it would take minutes."""
    h = w = torch.tensor(0.5, requires_grad=True)
    for _ in range(1000):
        h = (h * w).tanh()
    picture = viz.draw(h, show=() if folded else "repeats", max_nodes=10_000)
    assert picture.svg.count('<g class="node ') == len(picture.graph.nodes) == (7 if folded else 2002)


def test_lists_and_nodes_are_drawn_as_tensors_are(torch):
    w = torch.tensor(2.0, requires_grad=True)
    a, b = w * 3, w.exp()
    names = {"w": w, "a": a, "b": b}
    both = viz.text(a, b, names=names)
    assert viz.text([a, b], names=names) == viz.text((a, b), names=names) == viz.text(a, [b], names=names) == both
    node = viz.draw(a.grad_fn, names=names).graph
    assert node.roots == ("op1",)
    drawn = viz.draw(a, names=names).graph
    assert drawn == replace(node, nodes=tuple(replace(n, result=n.id == "op1") for n in node.nodes))
    adds = a.grad_fn.next_functions[0][0]
    assert [n.kind for n in viz.draw(adds, names=names).graph.nodes] == ["leaf", "accumulate"]
    with viz.record([a.grad_fn, b]) as run:
        (a + b).backward()
    assert [step.kind for step in run.steps].count("start") == 2


@pytest.mark.parametrize("direction", ["right", "up"])
def test_the_digraph_is_what_was_laid_out(torch, direction):
    a, b = (torch.ones(2, requires_grad=True) * 2).unbind()
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    picture = viz.draw(net(torch.ones(3, 4)).sum() + a * b, direction=direction)
    digraph = picture.digraph
    assert isinstance(digraph, graphviz.Digraph)
    assert digraph.source == picture.source
    placed, drawn = layout(digraph.source), picture.layout
    assert (placed.nodes, placed.frames) == (drawn.nodes, drawn.frames), "the words on it move nothing"
    assert (placed.width, placed.height) == (drawn.width, drawn.height)
    digraph.attr("graph", bgcolor="black")
    assert picture.digraph.source == picture.source, "it is the reader's own"


def test_a_value_that_is_too_long_keeps_its_type(torch):
    z = torch.tensor([1.23456789, 2.3456789], dtype=torch.float64, requires_grad=True)
    cards = viz.draw((z * z).sum()).cards.values()
    assert any("data (2,) float64" in line for card in cards for line in card.lines)


def test_two_results_without_names_are_not_told_as_one(torch):
    """`viz.draw(*x.chunk(2))`: the values of the first alone are not what the operation gave."""
    drawn = viz.draw(*(torch.ones(4, requires_grad=True) * 2).chunk(2))
    (split,) = [node for node in drawn.graph.nodes if node.label == "SplitBackward0"]
    assert split.tensor is None


def test_rows_of_nothing_have_a_text(torch):
    assert describe(torch.zeros(20, 0)).full.count("[]") == 20


def test_the_arcs_of_a_picture_that_goes_right_lie_below_it(torch):
    w = torch.tensor(1.0, requires_grad=True)
    y = w
    for _ in range(70):
        y = (y * w).sin()
    picture = viz.draw(y, show="repeats", direction="right")
    whole = picture.layout
    lowest = max(y for x, y in whole.nodes.values())
    arcs = [curve for curve in whole.edges.values() if any(y > lowest + 20 for _, y in curve.points)]
    assert arcs
    assert all(x <= whole.width and y <= whole.height for curve in arcs for x, y in curve.points)


def test_the_dot_text_marks_where_a_pass_stopped(torch):
    w = torch.tensor(2.0, requires_grad=True)
    loss = w * w
    loss.backward()
    with pytest.raises(RuntimeError), viz.record(loss) as run:
        loss.backward()
    assert f'color="{MARK[0]}"' in viz.draw(run).source
