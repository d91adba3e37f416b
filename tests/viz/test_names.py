"""Tensors are called what the program calls them."""

import dataclasses
import sys
from collections import OrderedDict, namedtuple

import pytest

import viz
from tests.shells import notebook_shell
from viz.model import names, protocol


def labels(picture, kind="leaf"):
    return [n.label for n in picture.graph.nodes if n.kind == kind]


def test_leaves_results_and_outputs_take_the_callers_variables(torch):
    weight = torch.ones(1, requires_grad=True)
    hidden = weight * 2
    loss = hidden.sum()
    picture = viz.draw(loss)
    assert labels(picture) == ["weight"]
    named = [(n.label, n.names, n.result) for n in picture.graph.nodes if n.kind == "op"]
    assert named == [("MulBackward0", ("hidden",), False), ("SumBackward0", ("loss",), True)]


def test_results_of_one_operation_are_not_said_to_be_equal(torch):
    a, b = torch.ones(2, requires_grad=True).unbind()
    (made,) = [n for n in viz.draw(a, b).graph.nodes if n.kind == "op"]
    assert (made.title, made.tensor) == ("a, b", None)
    (made,) = [n for n in viz.draw(b).graph.nodes if n.kind == "op"]
    assert (made.title, made.tensor.value) == ("b", "1.")


def test_two_names_for_one_tensor_are_both_shown(torch):
    w = torch.ones(1, requires_grad=True)
    bias = w
    assert labels(viz.draw(w * bias)) == ["w = bias"]


def test_explicit_names_win(torch):
    w = torch.ones(1, requires_grad=True)
    b = torch.ones(1, requires_grad=True)
    picture = viz.draw(w * b, names={"weight": w})
    assert labels(picture) == ["weight", "b"]


def test_unnamed_tensors_are_numbered(torch):
    picture = viz.draw(torch.ones(1, requires_grad=True) * 2)
    assert labels(picture) == ["leaf1"]


def test_names_inside_lists_and_dicts(torch):
    params = [torch.ones(1, requires_grad=True)]
    table = {"in": torch.ones(1, requires_grad=True)}
    assert labels(viz.draw(params[0] * table["in"])) == ["params[0]", "table['in']"]
    alone = params[0]  # a variable of its own is what the program calls it
    assert labels(viz.draw(alone * 1.0)) == ["alone"]


def test_names_inside_what_a_model_gives(torch):
    """As Hugging Face's models do: a dataclass of another module, which is a dictionary too; torchvision's give
    dictionaries and tuples of their own. What they answer themselves is not asked."""

    class Output(OrderedDict):
        def items(self):
            raise RuntimeError("an answer of its own")

    fields = dataclasses.make_dataclass("ModelOutput", ["loss", "states"], bases=(Output,))
    Output.__module__ = fields.__module__ = "transformers.utils"
    w = torch.ones(1, requires_grad=True)
    out, parts, both = fields(w.exp(), (w.sin(),)), Output(aux=w.cos()), namedtuple("Outputs", "first")(w.tanh())
    result = out.loss + out.states[0] + parts["aux"] + both.first
    named = {n.label.removesuffix("Backward0"): n.title for n in viz.draw(result).graph.nodes if n.kind == "op"}
    assert {named[kind] for kind in ("Exp", "Sin", "Cos", "Tanh")} == {
        "out.loss", "out.states[0]", "parts['aux']", "both[0]",
    }  # fmt: skip


def test_names_of_a_module():
    torch = pytest.importorskip("torch")
    model = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.ReLU())
    y = model(torch.ones(1, 2))
    assert sorted(labels(viz.draw(y))) == ["model.0.bias", "model.0.weight"]
    assert sorted(labels(viz.draw(y, names=model))) == ["0.bias", "0.weight"]


def test_names_inside_ones_own_objects(torch):
    """A class written in the notebook holds its parameters as attributes."""
    program = (
        "class Net:\n"
        "    def __init__(self):\n"
        "        self.w = torch.ones(1, requires_grad=True)\n"
        "    def forward(self):\n"
        "        return viz.draw(self.w * 2)\n"
        "net = Net()\n"
        "outside, inside = viz.draw(net.w * 2), net.forward()\n"
    )
    namespace = {"torch": torch, "viz": viz, "__name__": "__main__"}
    exec(program, namespace)
    assert labels(namespace["outside"]) == ["net.w"]
    assert labels(namespace["inside"]) == ["net.w = self.w"]


def test_names_inside_a_network_of_ones_own_classes(torch):
    """As they stand in tutorials: layers in a list, in an object; and what a module forgot to register."""
    program = (
        "class Layer:\n"
        "    __slots__ = ('__dict__', 'extra')\n"
        "    def __init__(self):\n"
        "        self.w, self.numbers = torch.ones(1, requires_grad=True), [0.5] * 300\n"
        "class Net:\n"
        "    def __init__(self):\n"
        "        self.layers, self.me = [Layer(), Layer()], self\n"
        "        self.by = {'scale': (torch.ones(1, requires_grad=True),)}\n"
        "class Module(torch.nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.own = torch.nn.Parameter(torch.ones(1))\n"
        "        self.forgotten = [torch.nn.Parameter(torch.ones(1))]\n"
        "        self.plain = torch.ones(1, requires_grad=True)\n"
        "        self.inner = [torch.nn.Linear(1, 1)]\n"
        "net, module = Net(), Module()\n"
        "params = [layer.w for layer in net.layers]\n"
        "rows = [[0.5] * 100 for _ in range(100)] + [[torch.ones(1)]]\n"
    )
    namespace = {"torch": torch, "__name__": "__main__"}
    exec(program, namespace)
    found = dict(names.named_tensors(namespace))
    assert found.keys() == {
        "net.layers[0].w",
        "net.layers[1].w",
        "net.by['scale'][0]",
        "module.own",
        "module.forgotten[0]",
        "module.plain",
        "module.inner[0].weight",
        "module.inner[0].bias",
        "params[0]",
        "params[1]",
    }, "and what stands behind thousands of numbers is not looked for"
    assert found["net.layers[1].w"] is namespace["net"].layers[1].w
    assert names.Names([], list(found.items())).of_tensor(found["params[1]"]) == ("net.layers[1].w",)


def test_globals_of_the_caller_are_seen(torch):
    """As in a notebook, whose variables are its globals; here in a plain script."""
    program = "w = torch.ones(1, requires_grad=True)\nz = w * 2\n_hidden = w\ntext = viz.text(z)\n"
    namespace = {"torch": torch, "viz": viz}
    exec(program, namespace)
    assert "leaf w," in namespace["text"]
    assert "output z," in namespace["text"]


def test_names_in_ipython(torch):
    with notebook_shell() as shell:
        shell.push({"torch": torch, "viz": viz})
        shell.run_cell("w = torch.ones(1, requires_grad=True)").raise_error()
        shell.run_cell("w * 2").raise_error()  # Out[2], _ and _2 now name it too
        shell.run_cell("loss = w * 2\ntext = viz.text(loss)").raise_error()
        assert "leaf w," in shell.user_ns["text"]
        assert "output loss," in shell.user_ns["text"]


def test_objects_with_hostile_attributes_are_left_alone(torch):
    class Lazy:
        def __getattr__(self, name):
            raise AssertionError(f"drawing touched .{name} of a variable that is no tensor")

    lazy = Lazy()
    w = torch.ones(1, requires_grad=True)
    assert labels(viz.draw(w)) == ["w"]
    assert lazy is not None


def test_what_a_function_keeps_in_its_locals_stays_there(torch):
    w = torch.ones(1, requires_grad=True)

    def f(a):
        exec("z = 5")
        viz.text(w * a)
        return locals().get("z"), a

    assert f(2) == ((5, 2) if sys.version_info < (3, 13) else (None, 2))


def test_what_cannot_be_searched_stops_no_drawing(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            pass

    class Slotted:
        __slots__ = ("d",)

        def __getattr__(self, name):
            raise KeyError(name)

    class Silent:
        def __repr__(self):
            raise ValueError("no words")

    w = torch.ones(1, requires_grad=True)
    namespace = {"net": Net(), "slotted": Slotted(), "by": {w: w, Silent(): w, (1, 2): w, 3: w}, "__name__": __name__}
    assert names.named_tensors(namespace) == [("by[3]", w)], "a name is what a reader could type"


def test_a_getattr_of_the_readers_own_does_not_run(torch):
    asked = []

    class Mine:
        def __init__(self):
            self.w = torch.ones(1, requires_grad=True)

        def __getattribute__(self, name):
            asked.append(name)
            return object.__getattribute__(self, name)

    mine = Mine()
    asked.clear()
    assert [name for name, _ in names.named_tensors({"mine": mine, "__name__": __name__})] == ["mine.w"]
    assert asked == []


def test_a_dictionary_that_another_thread_changes_is_searched(torch):
    w = torch.ones(1, requires_grad=True)

    class Changing(type):
        """A class that is asked whether it is a tensor: just then the dictionary changes."""

        def __getattr__(cls, name):
            table[len(table)] = w
            raise AttributeError(name)

    table = {}
    table |= {"number": Changing("Number", (), {})(), "w": w}
    assert names.named_tensors({"table": table})[0] == ("table['w']", w)


def test_a_thousand_numbers_are_not_asked_one_by_one(torch, monkeypatch):
    met = []
    monkeypatch.setattr(names, "is_tensor", lambda value: met.append(value) or protocol.is_tensor(value))
    w = torch.ones(1, requires_grad=True)
    assert names.named_tensors({"many": [0.5] * 900 + [w]}) == [("many[900]", w)]
    assert len(met) == 4  # one number, and the tensor when it is found and when it is taken


def test_what_a_loop_called_a_modules_parameter_is_no_name_of_it(torch):
    net = torch.nn.Linear(2, 1)
    for p in net.parameters():
        p.grad = None
    text = viz.text(net(torch.ones(1, 2)).sum())
    assert "leaf net.weight, " in text
    assert "leaf net.bias, " in text


def test_modules_in_containers_and_in_objects_name_their_parameters(torch):
    class Trainer:
        def __init__(self):
            self.model = torch.nn.Linear(2, 1)

        def fit(self):
            return viz.text(self.model(torch.ones(1, 2)).sum())

    Trainer.__module__ = __name__
    assert "leaf self.model.weight, " in Trainer().fit()
    models = [torch.nn.Linear(2, 1)]
    assert "leaf models[0].bias, " in viz.text(models[0](torch.ones(1, 2)).sum())
    first = models[0]
    assert "leaf first.bias, " in viz.text(first(torch.ones(1, 2)).sum())


def test_tied_weights_have_both_names(torch):
    net = torch.nn.Module()
    net.emb, net.out = torch.nn.Embedding(3, 2), torch.nn.Linear(2, 3, bias=False)
    net.out.weight = net.emb.weight
    assert "leaf net.emb.weight = net.out.weight, " in viz.text(net.out(net.emb(torch.tensor([1]))).sum())
    assert "leaf emb.weight = out.weight, " in viz.text(net.out(net.emb(torch.tensor([1]))).sum(), names=net)


def test_parameters_of_a_module_of_ones_own(torch):
    class Net:
        def __init__(self):
            self.w = torch.ones(1, requires_grad=True)

        def named_parameters(self):
            yield "w", self.w

    net = Net()
    y = net.w * 2
    assert labels(viz.draw(y)) == ["net.w"]
    assert labels(viz.draw(y, names=net)) == ["w"]
