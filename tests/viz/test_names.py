"""Tensors are called what the program calls them."""

import pytest

import viz


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


def test_globals_of_the_caller_are_seen(torch):
    """As in a notebook, whose variables are its globals; here in a plain script."""
    program = "w = torch.ones(1, requires_grad=True)\nz = w * 2\n_hidden = w\ntext = viz.text(z)\n"
    namespace = {"torch": torch, "viz": viz}
    exec(program, namespace)
    assert "leaf w," in namespace["text"]
    assert "output z," in namespace["text"]


def test_names_in_ipython(torch):
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
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
