"""PyTorch's own networks: the picture has every node and every edge that a walk over `next_functions` finds."""

from collections import Counter
from dataclasses import dataclass

import pytest

import viz
from viz.model.graph import Edge, Graph, Node
from viz.model.modules import Call, with_calls

torch = pytest.importorskip("torch", reason="these are PyTorch's networks")
nn = torch.nn


def mlp():
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))(torch.ones(2, 3)).sum()


def cnn():
    body = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Flatten())
    return nn.functional.cross_entropy(nn.Linear(18, 3)(body(torch.rand(2, 1, 8, 8))), torch.tensor([0, 2]))


def lstm_unrolled():
    cell, state = nn.LSTMCell(3, 4), (torch.zeros(2, 4), torch.zeros(2, 4))
    for _ in range(5):
        state = cell(torch.ones(2, 3), state)
    return state[0].sum()


def gru():
    return nn.GRU(3, 4)(torch.ones(5, 1, 3))[0].sum()


def attention():
    return nn.MultiheadAttention(8, 2)(*[torch.rand(3, 1, 8)] * 3)[0].sum()


def transformer():
    return nn.TransformerEncoderLayer(8, 2, 16)(torch.rand(3, 1, 8)).sum()


def double_backward():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (g,) = torch.autograd.grad((x.exp() * x).sum(), x, create_graph=True)
    return (g * g).sum()


def views_and_copy_slices():
    x = torch.ones(3, 4, requires_grad=True)
    y = x * 2
    y[0].mul_(3)
    y.t()[1] = 5
    return y.view(-1)[::2].sum()


def custom_function_of_two_outputs():
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            return a + b, a - b

        @staticmethod
        def backward(ctx, g, h):
            return g + h, g - h

    total, difference = Both.apply(torch.ones(2, requires_grad=True), torch.ones(2))
    return (difference * total).sum()


def checkpointed():
    layer = nn.Linear(3, 3)
    x = torch.ones(1, 3, requires_grad=True)
    return torch.utils.checkpoint.checkpoint(layer, x, use_reentrant=True).sum()


def several_outputs():
    values, _ = torch.linalg.eigh(torch.eye(3, requires_grad=True) * 2)
    top, _ = values.sort()
    a, b, c = top.split(1)
    return a * c + b


NETWORKS = [
    mlp, cnn, lstm_unrolled, gru, attention, transformer, double_backward, views_and_copy_slices,
    custom_function_of_two_outputs, checkpointed, several_outputs,
]  # fmt: skip


def walked(output):
    """Counts of (name, input number, what it leads to, output number), by the plainest walk there is."""
    seen, found, stack = {output.grad_fn}, Counter(), [output.grad_fn]
    while stack:
        node = stack.pop()
        for nr, (target, output_nr) in enumerate(node.next_functions):
            found[short(node), nr, target and short(target), output_nr] += 1
            if target is not None and target not in seen:
                seen.add(target)
                stack.append(target)
    return Counter(map(short, seen)), found


def short(node):
    return node.name().rpartition("::")[2]


@pytest.mark.parametrize("network", NETWORKS, ids=lambda n: n.__name__)
def test_picture_holds_the_whole_graph(network):
    torch.manual_seed(0)
    output = network()
    nodes, edges = walked(output)
    picture = viz.draw(output, show=("repeats", "untracked", "saved", "formula", "order"))
    graph = picture.graph
    assert Counter(n.label for n in graph.nodes if n.kind in ("op", "custom", "accumulate")) == nodes
    drawn = Counter()
    for edge in graph.edges:
        if edge.kind in ("next", "untracked"):
            target = graph.node(edge.target).label if edge.kind == "next" else None
            drawn[graph.node(edge.source).label, edge.input_nr, target, edge.output_nr] += 1
    assert drawn == edges
    assert picture.svg.count('<g class="node ') == len(graph.nodes)


@pytest.mark.parametrize("network", [cnn, lstm_unrolled, transformer], ids=lambda n: n.__name__)
def test_order_numbers_are_the_engines(network):
    """A claim about the real engine: hooks on every node tell the order in which they ran."""
    torch.manual_seed(0)
    output = network()
    claimed = [n.label for n in sorted(viz.draw(output, show="repeats").graph.nodes, key=lambda n: n.backward or 0)]
    ran, seen, stack = [], set(), [output.grad_fn]
    while stack:
        node = stack.pop()
        if node is not None and node not in seen:
            seen.add(node)
            node.register_prehook(lambda *_, node=node: ran.append(short(node)))
            stack += [target for target, _ in node.next_functions]
    output.backward()
    assert [name for name in claimed if name in set(ran)] == ran


class Residual(nn.Module):
    """A block as a ResNet has, with modules in modules."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(2, 2, 3, padding=1), nn.BatchNorm2d(2), nn.ReLU())
        self.out = nn.Sequential(nn.Conv2d(2, 2, 1, bias=False), nn.BatchNorm2d(2))

    def forward(self, x):
        return torch.relu(self.out(self.body(x)) + x)


class Attention(nn.Module):
    """Three modules side by side."""

    def __init__(self):
        super().__init__()
        self.norm, self.q, self.k, self.v = nn.LayerNorm(4), nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        x = self.norm(x)
        return x + torch.softmax(self.q(x) @ self.k(x).mT, -1) @ self.v(x)


@pytest.mark.parametrize(
    ("network", "shape", "wide"),
    [
        (lambda: nn.Sequential(Residual(), Residual()), (1, 2, 4, 4), 1200),
        (lambda: nn.Sequential(nn.Linear(4, 4), Attention(), Attention()), (1, 3, 4), 2400),  # three side by side
    ],
    ids=["residual", "attention"],
)
def test_frames_in_frames_stand_one_below_the_other(network, shape, wide):
    torch.manual_seed(0)
    net = network()
    picture = viz.draw(net(torch.ones(shape)).sum(), direction="up")
    layout, frames = picture.layout, picture.layout.frames
    assert layout.width < wide
    for edge in picture.graph.edges:  # what runs upwards would have been laid out in a cycle of frames
        assert layout.nodes[edge.source][1] < layout.nodes[edge.target][1]
    for name, frame in frames.items():
        for other, inner in frames.items():
            across = min(frame.right, inner.right) - max(frame.left, inner.left)
            down = min(frame.bottom, inner.bottom) - max(frame.top, inner.top)
            if across > 0 and down > 0:
                assert name.startswith(other[:-1]) or other.startswith(name[:-1]), "two frames overlap"
    for node in picture.graph.nodes:
        for path, frame in frames.items():
            x, y = layout.nodes[node.id]
            inside = frame.left < x < frame.right and frame.top < y < frame.bottom
            if node.kind in ("accumulate", "leaf", "op"):
                assert inside == f"{node.module}.".startswith(path.removesuffix("*")), (node.id, path)


def test_frames_around_what_is_folded():
    block = lambda: nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2))  # noqa: E731
    net = nn.Sequential(*[block() for _ in range(40)], Residual().out[1])
    loss = net[:40](torch.ones(1, 2)).sum() + net[40](torch.ones(1, 2, 3, 3)).sum()
    for options in (
        {},
        {"max_nodes": 30},
        {"show": "repeats", "max_nodes": 50, "modules": 0},
        {"around": "net.20.0.bias", "depth": 3},
    ):
        picture = viz.draw(loss, direction="up", **options)
        assert picture.svg.count('<g class="node ') == len(picture.graph.nodes) < 60
        assert {n.module for n in picture.graph.nodes} > {""}
        assert picture.layout.frames


def test_a_frame_claims_what_was_seen_and_no_call(monkeypatch):
    """The parameters have the module's name; what its `forward` does besides nobody has seen."""
    net = nn.ModuleDict({"enc": nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2)), "other": nn.Linear(2, 2)})
    w = torch.ones(1, 2, requires_grad=True)
    hidden = net["enc"][0](torch.ones(1, 2)).tanh()
    aside = w.exp()  # recorded between two operations of net.enc, and no part of it
    hint = hidden.cos()  # taken from the middle of it, and used elsewhere
    z = (net["other"](net["enc"][2](hidden)) + aside * hint).sum()
    graph = viz.draw(z).graph
    modules = {n.label.removesuffix("Backward0"): n.module for n in graph.nodes if n.kind == "op"}
    assert modules["Tanh"] == "net.enc"
    assert [modules[name] for name in ("Exp", "Cos", "Add", "Mul", "Sum")] == [""] * 5
    frames = viz.draw(z, show="repeats").layout.frames
    assert set(frames) == {"net.enc.*", "net.enc.0.*", "net.enc.2.*", "net.other.*"}
    said = "<title>the operations that take parameters of net.enc.*, and what lies only between them</title>"
    monkeypatch.setenv("MINIGRAD_LANG", "en")
    assert said in viz.draw(z).svg
    monkeypatch.setenv("MINIGRAD_LANG", "zh")
    assert "<title>用到 net.enc.* 的参数的运算，以及只介于它们之间的运算</title>" in viz.draw(z).svg


def test_nothing_folds_across_modules_that_are_not_of_one_container():
    """Two equal blocks that are neighbours in the order of calls, `layer1.1` and `layer2.0`, are no repetition."""
    net = nn.ModuleDict({f"layer{i}": nn.Sequential(Residual(), Residual()) for i in range(1, 5)})
    y = torch.ones(1, 2, 4, 4)
    for layer in net.values():
        y = layer(y)
    picture = viz.draw(y.sum())
    owner = {n.id: n.module for n in viz.draw(y.sum(), show="repeats", modules=0).graph.nodes}
    for node in picture.graph.nodes:
        layers = {owner[m].split(".")[1] for m in node.members if owner[m].count(".")}
        assert len(layers) <= 1, f"{node.label} holds parts of {layers}"
    equal = nn.Sequential(*[nn.Linear(2, 2) for _ in range(40)])
    folded = [n for n in viz.draw(equal(torch.ones(1, 2)).sum()).graph.nodes if n.repeats > 1]
    assert [n.label for n in folded] == ["37 × repeated"]


def test_a_network_is_drawn_by_its_modules_and_opens():
    """The deepest that leave a picture of a screen or a few; it was all of 350 nodes, twenty screens high."""
    net = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 4)
    loss = net(torch.rand(3, 1, 8)).sum()
    picture, whole = viz.draw(loss), viz.draw(loss, show="repeats", modules=0)
    folded = {node.label: node for node in picture.graph.nodes if node.kind == "folded"}
    assert list(folded) == [f"net.layers.{i}.*" for i in range(4)]
    assert len(picture.graph.nodes) <= 40 < 60 < len(whole.graph.nodes)
    assert not any(node.kind == "folded" for node in whole.graph.nodes)
    second = folded["net.layers.1.*"]
    opened = {
        node.label: node.id for node in viz.draw(loss, show=second.id).graph.nodes if node.id.startswith("module")
    }
    inner = [f"net.layers.1.{name}.*" for name in ("self_attn", "linear1", "linear2", "norm1", "norm2")]
    assert set(opened) == {*folded, *inner} - {second.label}, "it is drawn by the modules in it; the others stay closed"
    assert opened["net.layers.1.norm2.*"].startswith(f"{second.id}.")
    both = viz.draw(loss, show=[folded["net.layers.0.*"].id, second.id, opened["net.layers.1.self_attn.*"]]).graph
    assert "net.layers.1.self_attn.in_proj_weight" in {node.label for node in both.nodes}
    for modules, kinds in ((None, {"folded", "op"}), (0, {"leaf", "accumulate", "op"})):
        with viz.record(loss, modules=modules) as run:
            loss.backward(retain_graph=True)
        assert {node["kind"] for node in run.trace["scene"]["nodes"]} - {"untracked"} == kinds


def test_what_repeats_opens_and_what_is_beside_it_stays_as_it_is():
    """All of it was folded anew, with the modules that had been open beside it."""
    block = lambda: nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2))  # noqa: E731
    net = nn.Sequential(*[block() for _ in range(30)])
    loss = net(torch.ones(1, 2)).sum()
    closed = viz.draw(loss).graph
    (many,) = (node.id for node in closed.nodes if node.repeats > 1)
    opened = viz.draw(loss, show=many).graph
    assert {node.id for node in closed.nodes} - {many} <= {node.id for node in opened.nodes}
    assert len([node for node in opened.nodes if node.id.startswith(f"{many}.module")]) == 28


def test_blocks_that_are_alike_are_drawn_alike():
    """The first stage has a frame less than the second: around its blocks there is nothing else in it. A module that is
    drawn as one node has no frame of another around it that holds nothing else."""
    pair = lambda: nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2))  # noqa: E731
    block = lambda: nn.Sequential(pair(), nn.Tanh(), pair())  # noqa: E731
    stage = lambda **more: nn.ModuleDict({"blocks": nn.Sequential(block(), block()), **more})  # noqa: E731
    net = nn.ModuleDict({"one": stage(), "two": stage(down=nn.Linear(2, 2)), "three": stage(down=nn.Linear(2, 2))})
    x = torch.ones(1, 2)
    for part in net.values():
        x = part["blocks"](part["down"](x) if "down" in part else x)
    picture = viz.draw(x.sum(), modules=3)
    labels = [node.label for node in picture.graph.nodes if node.kind == "folded"]
    assert labels == [
        "net.one.blocks.0.*", "net.one.blocks.1.*",
        "net.two.down.*", "net.two.blocks.0.*", "net.two.blocks.1.*",
        "net.three.down.*", "net.three.blocks.0.*", "net.three.blocks.1.*",
    ]  # fmt: skip
    for name in picture.layout.frames:
        assert len([label for label in labels if label.startswith(name[:-1])]) > 1


def test_a_custom_operator_is_called_by_its_own_name():
    """PyTorch's name for it is so long that the operator's fell to the three dots."""
    with torch.library._scoped_library("vizlibrary", "FRAGMENT"):
        double = torch.library.custom_op(
            "vizlibrary::double_it", lambda x: x * 2, mutates_args=(), schema="(Tensor x) -> Tensor"
        )
        double.register_fake(torch.empty_like)
        double.register_autograd(lambda ctx, grad: grad * 2)
        picture = viz.draw(double(torch.ones(3, requires_grad=True)))
    (node,) = (node for node in picture.graph.nodes if node.kind == "custom")
    assert node.label == "GeneratedBackwardFor_vizlibrary_double_it_defaultBackward", "as its grad_fn is called"
    assert ">vizlibrary_double_it_defaultBackward<" in picture.svg


def test_a_module_that_is_one_node_has_the_name_of_what_it_gave():
    first, second = nn.Linear(2, 2), nn.Linear(2, 2)
    hidden = first(torch.ones(1, 2))
    out = second(hidden.relu())
    loss = out.sum()
    picture = viz.draw(loss, modules=1)
    groups = [(node.label, *node.names) for node in picture.graph.nodes if node.kind == "folded"]
    assert groups == [("first.*", "hidden"), ("second.*", "out")]
    assert ">out = second.*<" in picture.svg
    assert "second.*, out.grad_fn: " in picture.text
    square = second.weight**2
    penalty = square.sum()
    loss = out.sum() + penalty
    groups = [(n.label, *n.names) for n in viz.draw(loss, modules=1).graph.nodes if n.kind == "folded"]
    assert groups == [("first.*", "hidden"), ("second.*",)], "two things go on from the second: no name tells which"


def test_labels_are_told_in_words_as_an_input_beside_the_next_functions():
    net, y = nn.Linear(2, 3), torch.tensor([0, 1])
    loss = nn.functional.cross_entropy(net(torch.ones(2, 2)), y)
    assert "op4 NllLossBackward0, loss.grad_fn -> op3, input y\n" in viz.draw(loss).text


@pytest.mark.parametrize("rounds", [16, 3])
def test_what_a_loop_takes_again_and_again_does_not_cover_the_picture(rounds):
    """A dashed line from each round to one box went right through all the others."""
    x, a = torch.linspace(-1, 1, 5), torch.randn(16, requires_grad=True)
    y = a[0] * 1
    for k in range(16):
        y = y * (x if k < rounds else 2.0) + a[k]
    loss = y.sum()
    drawn = [node.names for node in viz.draw(loss).graph.nodes if node.kind == "untracked"]
    assert drawn == ([("x",)] if rounds == 3 else [])
    assert ("x",) in [node.names for node in viz.draw(loss, show="untracked").graph.nodes]


def test_inside_an_opened_group_what_goes_out_of_it_counts():
    """The last of its modules had neither the name nor the shape of what it gave."""
    kinds = (nn.Tanh, nn.ReLU, nn.Sigmoid, nn.ELU)
    net = nn.ModuleDict({"head": nn.Linear(4, 2), "stage": nn.Sequential()})
    for k in kinds:
        net["stage"].append(nn.Sequential(*(m for _ in range(4) for m in (k(), nn.Linear(4, 4)))))
    hidden = net["stage"](torch.ones(3, 4))
    loss = net["head"](hidden).sum()
    nodes = viz.draw(loss, modules=1, show="module1").graph.nodes
    last = [node for node in nodes if node.kind == "folded"][-2]
    assert (last.label, last.names, last.tensor and last.tensor.shape) == ("net.stage.3.7.*", ("hidden",), (3, 4))


def test_a_network_that_is_one_module_is_no_single_box():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.weights = nn.ParameterList([nn.Parameter(torch.ones(2, 2)) for _ in range(20)])

        def forward(self, x):
            for i, weight in enumerate(self.weights):
                x = x @ weight if i % 3 else (x * weight).tanh() if i % 2 else (x + weight).sin()
            return x

    net = Net()
    loss = net(torch.ones(2, 2)).sum()
    assert len(viz.draw(loss, show="repeats").graph.nodes) > 60
    assert not any(node.id.startswith("module") for node in viz.draw(loss).graph.nodes)


def test_parameters_that_are_taken_twice_have_two_frames():
    net = nn.ModuleDict({"twice": nn.Linear(2, 2), "once": nn.Linear(2, 2)})
    picture = viz.draw(net["twice"](net["once"](net["twice"](torch.ones(1, 2)).tanh()).tanh()).sum())
    assert sorted(picture.layout.frames) == ["net.once.*", "net.twice.*", "net.twice.* (2)"]
    assert [n.label for n in picture.graph.nodes if n.module == "net"] == ["TanhBackward0", "TanhBackward0"]
    assert ">net.twice.* (2)<" in picture.svg


def test_a_frame_that_would_hold_all_is_none():
    """So `modules=1` are the layers of an encoder, which hang on it in a list, with calls that were seen as without."""
    net = nn.ModuleDict({"layers": nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))})
    loss = net["layers"](torch.ones(1, 2)).sum()
    assert set(viz.draw(loss).layout.frames) == {"net.layers.0.*", "net.layers.1.*"}
    folded = [n.label for n in viz.draw(loss, modules=1).graph.nodes if n.kind == "folded"]
    assert folded == ["net.layers.0.*", "net.layers.1.*"]


def test_an_embedding_is_no_parameter():
    """What a layer computes from one parameter alone is a value like any other; only views of it stand for it."""
    net = nn.ModuleDict({"emb": nn.Embedding(5, 2), "norm": nn.LayerNorm(2), "out": nn.Linear(2, 2, bias=False)})
    picture = viz.draw(net["out"](net["norm"](net["emb"](torch.tensor([1, 2])))).sum())
    modules = {n.label: n.module for n in picture.graph.nodes if n.kind == "op"}
    assert modules == {
        "EmbeddingBackward0": "net.emb",
        "NativeLayerNormBackward0": "net.norm",
        "TBackward0": "net.out",
        "MmBackward0": "net.out",
        "SumBackward0": "",
    }


def test_a_key_with_a_dot_is_no_module():
    """A dictionary of weights, as `state_dict()` gives: the part before the dot stands in quotes."""
    params = {name: torch.ones(2, requires_grad=True) for name in ("fc1.weight", "fc1.bias", "fc2.weight")}
    y = (params["fc1.weight"] * 2 + params["fc1.bias"]).sum() * params["fc2.weight"]
    picture = viz.draw(y)
    assert not picture.layout.frames
    assert ">params[&#x27;fc1.weight&#x27;]<" in picture.svg


def test_modules_are_drawn_as_one_node_each(torch):
    torch.manual_seed(0)
    block = lambda: torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh(), torch.nn.Linear(4, 4))  # noqa: E731
    net = torch.nn.Sequential(block(), torch.nn.ReLU(), block())
    x = torch.ones(2, 4)
    loss = net(x).sum()
    picture = viz.draw(loss, modules=1)
    assert not picture.layout.frames, "a module that is one node is not drawn once more around it"
    (given,) = picture.graph.edges_from("module1")
    assert picture.graph.node(given.target).names == ("x",), "what the first module was given is still seen"
    folded = {n.id: n.label for n in picture.graph.nodes if n.kind == "folded"}
    assert folded == {"module1": "net.0.*", "module2": "net.2.*"}
    assert [n.label for n in picture.graph.nodes if n.kind == "op"] == ["ReluBackward0", "SumBackward0"]
    assert sorted(dict(picture.graph.node("module1").contents).items())[-1] == ("leaf", 4)
    assert ">net.0.*<" in picture.svg
    assert [n.label for n in viz.draw(loss, modules=2).graph.nodes if n.kind == "folded"] == [
        f"net.{i}.{j}.*" for i in (0, 2) for j in (0, 2)
    ]
    opened = viz.draw(loss, modules=1, show="module2")
    assert [n.label for n in opened.graph.nodes if n.kind == "folded"] == ["net.0.*"]
    assert "cluster net.2.2.*" in opened.source
    with pytest.raises(ValueError, match="no group 'module7' to unfold; this graph has module1, module2"):
        viz.draw(loss, modules=1, show="module7")
    assert viz.draw(loss, modules=9).graph.nodes, "a level that nothing is as deep as folds the innermost"
    for asked in ("net.2", "net.2.0"):  # a module by its name, also inside of one that is folded
        assert viz.draw(loss, modules=1, show=asked).text == opened.text
    assert viz.draw(loss, modules=0, show="net.2").text == viz.draw(loss, modules=0).text, "it is shown already"
    alone = viz.draw(loss, around="net.2", depth=0).graph
    assert [n.label for n in alone.nodes if n.kind == "op"].count("AddmmBackward0") == 2
    assert {n.names[0].rpartition(".")[0] for n in alone.nodes if n.kind == "leaf"} == {"net.2.0", "net.2.2"}
    after = [n for n in viz.draw(loss, around="net.0", depth=0).graph.nodes if n.kind == "folded"]
    assert [("TBackward0", 2) in n.contents for n in after] == [True], "weights of what comes after come after, too"
    with pytest.raises(ValueError, match="no group 'net.7' to unfold"):
        viz.draw(loss, modules=1, show="net.7")
    with pytest.raises(ValueError, match="no node 'net.7'"):
        viz.draw(loss, around="net.7")


def test_modules_that_repeat_are_folded_with_what_lies_between_them(torch):
    """Else what lies between them is one node, and each of them hangs on it, side by side."""
    layer = lambda: torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 2))  # noqa: E731
    net = torch.nn.Sequential(*[layer() for _ in range(30)])
    loss = net(torch.ones(1, 2)).sum()
    folded = [n for n in viz.draw(loss, modules=2).graph.nodes if n.kind == "folded"]
    (many,) = [n for n in folded if n.repeats > 1]
    assert many.repeats == 27
    assert dict(many.contents)["leaf"] == 27 * 4
    assert len(folded) == 1 + 3 * 2, "those of the first two and of the last are seen"
    opened = viz.draw(loss, modules=2, show="fold1").graph.nodes
    assert len([n for n in opened if n.kind == "folded"]) == 60


def drawn_boxes(picture):
    """(left, top, right, bottom) of each node."""
    cards, places = picture.cards, picture.layout.nodes
    return {
        own: (x - cards[own].width / 2, y - cards[own].height / 2, x + cards[own].width / 2, y + cards[own].height / 2)
        for own, (x, y) in places.items()
    }


def test_linear_layers_stand_one_below_the_other_as_a_column():
    """The ReLU before each stood beside its weight: a staircase, 1.5 times as wide as a cell."""
    net = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8))
    picture = viz.draw(net(torch.ones(1, 8)).sum(), direction="down")
    boxes, frames = drawn_boxes(picture), picture.layout.frames
    first, second = [n.id for n in picture.graph.nodes if n.label == "ReluBackward0"]
    assert boxes[first][3] < frames["net.2.*"].top
    assert boxes[second][3] < frames["net.4.*"].top


def test_no_room_is_left_for_parameters_that_are_folded_away():
    net = nn.Sequential(*[nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2)) for _ in range(3)])
    picture = viz.draw(net(torch.ones(1, 2)).sum(), modules=2, direction="down")
    boxes = drawn_boxes(picture)
    gaps = [boxes[edge.source][1] - boxes[edge.target][3] for edge in picture.graph.edges if edge.kind == "next"]
    assert len(picture.layout.frames) == 3
    assert max(gaps) < 90, "it was three rows, in which nothing stood"


def test_a_large_network_shows_the_batch_that_it_was_given():
    """Above thirty operations nothing told where the input comes in, nor where the labels do."""
    emb, net = nn.Embedding(9, 4), nn.Sequential(*[nn.Sequential(nn.Linear(4, 4), nn.Tanh()) for _ in range(12)])
    images, tokens, labels = torch.rand(2, 4), torch.tensor([1, 2]), torch.tensor([0, 3])
    loss = nn.functional.cross_entropy(net(images * 2) + net(images) + emb(tokens), labels)
    graph = viz.draw(loss, show="repeats", modules=0).graph
    takes = {graph.node(e.target).label: graph.node(e.source).label for e in graph.edges if e.kind == "untracked"}
    assert takes.pop("images") in ("MulBackward0", "AddmmBackward0")
    assert takes == {"tokens": "EmbeddingBackward0", "labels": "NllLossBackward0"}, "and nothing without a name"
    picture = viz.draw(loss)
    assert {"images", "tokens", "labels"} <= {node.label for node in picture.graph.nodes}
    assert "next_functions[-1]" not in picture.svg


def test_frozen_parameters_of_a_large_network_are_not_what_it_was_given():
    """Each stood beside its layer, in a box of its own: a frozen network was 11,000 pixels wide."""
    net = nn.Sequential(*[nn.Sequential(nn.Conv1d(1, 1, 1), nn.Tanh()) for _ in range(20)]).requires_grad_(False)
    image, scale = torch.rand(1, 1, 4, requires_grad=True), nn.Parameter(torch.rand(1), requires_grad=False)
    graph = viz.draw((net(image) * scale).sum(), show="repeats").graph
    assert [node.label for node in graph.nodes if node.kind == "untracked"] == ["scale"]


def test_an_index_that_an_operation_gave_is_not_what_it_was_given():
    w, rows = torch.rand(4, 3, requires_grad=True), torch.tensor([0, 2])
    best, idx = w[rows].topk(1)
    top, where = w.max(1)
    graph = viz.draw(best.sum() + top.sum() + w.gather(1, idx).sum()).graph
    takes = {(graph.node(e.source).label, graph.node(e.target).label) for e in graph.edges if e.kind == "untracked"}
    assert takes == {("IndexBackward0", "rows"), ("GatherBackward0", "idx")}
    assert where.shape == (4,)


def test_tied_weights_belong_to_neither_of_the_two_modules():
    """A language model's head was framed as `net.emb.* (2)`, a second call of its embedding."""
    net = nn.ModuleDict({"emb": nn.Embedding(5, 2), "mid": nn.Linear(2, 2), "head": nn.Linear(2, 5, bias=False)})
    net["head"].weight = net["emb"].weight
    picture = viz.draw(net["head"](net["mid"](net["emb"](torch.tensor([1, 2]))).tanh()).sum())
    assert set(picture.layout.frames) == {"net.mid.*"}
    assert "net.emb.weight = net.head.weight" in {node.label for node in picture.graph.nodes}


def test_a_module_that_two_names_have_is_framed():
    net = nn.ModuleDict({"body": nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2))})
    net["first"] = net["body"][0]
    picture = viz.draw(net["body"](torch.ones(1, 2)).sum())
    assert set(picture.layout.frames) == {"net.body.0.*", "net.body.2.*"}


def test_a_module_that_is_one_node_has_the_shape_of_what_it_gave():
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 5)))
    loss = net(torch.ones(7, 2)).sum()
    picture = viz.draw(loss, modules=1)
    assert [n.tensor.shape for n in picture.graph.nodes if n.kind == "folded"] == [(7, 3), (7, 5)]
    assert ">data (7, 5)<" in picture.svg
    with viz.record(loss, modules=1) as run:
        loss.backward()
    assert [n["shape"] for n in run.trace["scene"]["nodes"] if n["kind"] == "folded"] == ["(7, 3)", "(7, 5)"]
    hidden = net[0](torch.ones(7, 2))
    square = net[0].weight ** 2
    both = viz.draw(net[2](hidden).sum() + square.sum(), modules=1).graph.nodes
    assert [n.tensor is None for n in both if n.kind == "folded"] == [True, False], "two things go on from the first"


def test_a_module_whose_result_is_drawn_by_itself_has_no_shape_of_another():
    """The head of a network that is drawn without a loss had that of its transposed weight."""
    body, head = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 6)), nn.Linear(6, 3)
    picture = viz.draw(head(body(torch.ones(2, 4))), modules=1)
    groups = [(n.label, n.tensor and n.tensor.shape) for n in picture.graph.nodes if n.kind == "folded"]
    assert groups == [("body.*", (2, 6)), ("head.*", None)]


def test_a_stage_that_holds_nearly_all_is_drawn_by_what_is_in_it():
    """Of a Swin transformer all stages were one node, `model.features.*`."""
    block = lambda: nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2))  # noqa: E731
    net = nn.ModuleDict({"features": nn.Sequential(*[block() for _ in range(9)]), "head": nn.Linear(2, 2)})
    y = torch.ones(1, 2)
    for i, part in enumerate(net["features"]):
        y = part(y).tanh().exp().cos().sin() if i % 3 else part(y).cos().sin().tanh().exp()
    graph = viz.draw(net["head"](y).sum()).graph
    labels = [node.label for node in graph.nodes if node.id.startswith("module")]
    assert labels == [*(f"net.features.{i}.*" for i in range(9)), "net.head.*"]
    assert 40 < len(graph.nodes) <= 60


def test_a_large_graph_shows_the_batch_that_an_object_holds():
    @dataclass
    class Batch:
        images: object

    batch, w = Batch(torch.ones(1)), torch.ones(1, requires_grad=True)
    y = batch.images * w
    for _ in range(40):
        y = y.sin() + 1
    graph = viz.draw(y, show="repeats").graph
    assert [node.label for node in graph.nodes if node.kind == "untracked"] == ["batch.images"]


def test_a_pass_that_stops_beside_a_network_is_drawn():
    net = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 1))
    x = torch.ones(1, 2, requires_grad=True)
    loss = (x * x).exp().sum() * net(x).sum()
    loss.backward()
    with pytest.raises(RuntimeError), viz.record(loss) as run:
        loss.backward()
    graph = viz.draw(run, modules=1).graph
    assert [node.kind for node in graph.nodes if node.stops] == ["op"]
    assert "module" in {node.id.rstrip("0123456789") for node in graph.nodes}


def test_what_a_call_made_is_found_once_however_many_ways_lead_to_it():
    nodes = tuple(Node(f"op{i}", "op", "AddBackward0", forward=i) for i in range(1, 60))
    edges = tuple(Edge(f"op{i + 1}", f"op{i}", "next", nr) for i in range(1, 59) for nr in (0, 1))
    graph = with_calls(Graph(nodes, edges, ("op59",)), [Call("net", 0, ("op59",))])
    assert all(node.calls == ("net()",) for node in graph.nodes)
