"""An engine of a learner's own: drawn and recorded where it answers what `viz.model.protocol` asks, and told in words
what it lacks where it does not. The engine is Lesson 14's, given one answer after the other."""

import importlib.util
import sys
from pathlib import Path

import pytest

import viz
from viz.model.protocol import HOOKS, NODE, TENSOR, Lacks

ENGINE = Path(__file__).parents[2] / "minigrad_lessons" / "engine.py"


@pytest.fixture
def engine(monkeypatch):
    """A copy of its own, for what is added to the classes would stay."""
    spec = importlib.util.spec_from_file_location("own_engine", ENGINE)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "own_engine", module)
    spec.loader.exec_module(module)
    return module


def answers(engine):
    """What has to be added to Lesson 14's classes: (class, name, value)."""
    Value, Node, Leaf = engine.Value, engine.Node, engine.AccumulateGrad
    return [
        (Value, "grad_fn", None),
        (Value, "requires_grad", False),
        (Value, "is_leaf", property(lambda self: self.grad_fn is None)),
        (Value, "shape", property(lambda self: self.data.shape)),
        (Value, "dtype", property(lambda self: self.data.dtype)),
        (Value, "tolist", lambda self: self.data.tolist()),
        (Node, "next_functions", ()),
        (Node, "name", lambda self: self.op.title() + "Backward0"),
        (Node, "_sequence_nr", lambda self: self.number),
        (Leaf, "name", lambda self: "AccumulateGrad"),
        (Leaf, "variable", None),
        (Leaf, "_sequence_nr", lambda self: 2**64 - 1),
    ]


def speaking(engine):
    for cls, name, value in answers(engine):
        setattr(cls, name, value)
    return engine


class Handle:
    def __init__(self, hooks, f):
        hooks.append(f)
        self.remove = lambda: hooks.remove(f)


def hooked(engine):
    """With hooks, and a backward that calls them, as docs/live.md has it."""
    speaking(engine)
    for cls in (engine.Node, engine.AccumulateGrad):
        cls.register_prehook = lambda self, f: Handle(self.__dict__.setdefault("before", []), f)
        cls.register_hook = lambda self, f: Handle(self.__dict__.setdefault("after", []), f)

    def backward(root):
        arrived = {root.grad_fn: engine.np.ones_like(root.data)}
        for node in engine.users_first(root.grad_fn):
            g = arrived.pop(node)
            for f in vars(node).get("before", ()):
                f((g,))
            sent = ()
            if isinstance(node, engine.AccumulateGrad):
                old = node.variable.grad
                node.variable.grad = g if old is None else old + g
            else:
                data = [value.data for value in node.inputs]
                sent = tuple(
                    vjp(g, *data) if to is not None else None
                    for (to, _), vjp in zip(node.next_functions, engine.RULES[node.op][1:])
                )
                for (to, _), grad in zip(node.next_functions, sent):
                    if to is not None:
                        arrived[to] = arrived.get(to, 0) + grad
            for f in vars(node).get("after", ()):
                f(sent, (g,))

    engine.backward = backward
    return engine


def made(engine):
    w = engine.Value(2.0, True)
    return w, (w * 3.0 + 1.0) * w


def test_each_missing_part_is_named_and_nothing_else_is_raised(engine):
    w, z = made(engine)
    asked = {"tolist"}  # without it the picture has no numbers
    for cls, name, value in answers(engine):
        if name not in asked:
            with pytest.raises(Lacks) as refused:
                viz.draw(z)
            english, chinese = str(refused.value).split("\n")[1:]
            assert cls.__name__ in str(refused.value)
            assert name in english
            assert name in chinese
        setattr(cls, name, value)
    assert viz.text(z, names={"w": w, "z": z}).splitlines()[-1] == "leaf w, shape (), float64, value 2., grad None"


@pytest.mark.parametrize("edge", [(None, 0, 1), [None, 0], "it"])
def test_an_edge_that_is_no_pair_is_refused(engine, edge):
    speaking(engine)
    z = engine.Value(2.0, requires_grad=True) * engine.Value(3.0)
    assert viz.text(z)
    z.grad_fn.next_functions = (edge,)
    with pytest.raises(Lacks, match="Node MulBackward0 lacks next_functions"):
        viz.text(z)


def test_a_name_that_is_no_method_is_refused(engine):
    _, z = made(speaking(engine))
    engine.Node.name = "MulBackward0"
    with pytest.raises(Lacks, match=r"Node lacks name\b"):
        viz.draw(z)


def test_without_hooks_a_pass_cannot_be_recorded_and_this_is_said(engine):
    w, z = made(speaking(engine))
    with pytest.raises(Lacks, match="Node MulBackward0 lacks register_prehook, register_hook"), viz.record(z):
        raise AssertionError("the block does not run")
    engine.backward(z)
    assert w.grad == 13.0


def test_its_pass_is_recorded_and_plays(engine):
    engine = hooked(engine)
    w, z = made(engine)
    with viz.record(z) as run:
        engine.backward(z)
    assert w.grad == 13.0
    assert run.missing == ""
    assert [step.kind for step in run.steps] == ["start", "op", "op", "op", "accumulate"]
    assert run.gradients["w"].short == "13."
    assert "vizLive" in run._repr_mimebundle_()["text/html"]
    assert viz.draw(run).svg.startswith("<svg")


def test_the_panel_says_what_is_missing_and_leaves_the_program_alone(notebook, engine):
    own = notebook
    own.run("import own_engine as e\nw = e.Value(2., True); z = (w * 3. + 1.) * w")
    own.run("e.backward(z); print(w.grad)")
    engine.Value.grad_fn, engine.Value.requires_grad = None, False
    engine.Value.is_leaf = property(lambda self: self.grad_fn is None)
    own.run("e.backward(z)")
    assert own.shell.user_ns["w"].grad == 26.0
    note = own.panel.scene["note"]
    assert "Value lacks shape, dtype" in note["en"]
    assert "：Value 还需要 shape（" in note["zh"]
    assert "cannot" not in note["zh"]
    speaking(engine)
    own.run("w.grad = None\ne.backward(z)")
    note = own.panel.scene["note"]
    assert note["en"].startswith("e.backward(z) cannot be played")
    assert note["zh"].startswith("e.backward(z) 不能逐步播放")
    hooked(engine)
    own.run("w.grad = None\ne.backward(z)")
    assert own.panel.scene["note"]["zh"] == ""
    assert own.shell.user_ns["w"].grad == 13.0
    assert own.panel.trace["steps"][-1]["after"]["short"] == "13."


def test_a_constant_that_it_saved_is_an_input_and_nothing_more(engine):
    engine = speaking(engine)
    w, c = engine.Value(2.0, True), engine.Value(3.0)
    z = w * c
    z.grad_fn._saved_self, z.grad_fn._saved_other = w, c
    text = viz.text(z, names={"w": w, "c": c, "z": z})
    assert "input c, shape (), float64, value 3., requires_grad False" in text.splitlines()


def test_the_page_lists_what_is_asked():
    for page in ("live.md", "live.zh.md"):
        text = (Path(__file__).parents[2] / "docs" / page).read_text(encoding="utf-8")
        for part in (*TENSOR, *NODE, "variable", *HOOKS):
            assert f"`{part}" in text or f"`.{part}" in text, (page, part)


def test_a_node_with_fewer_inputs_than_its_formula_speaks_of_is_recorded(engine):
    """Its engine may leave out what needs no gradient."""
    engine = hooked(engine)
    z = engine.Value(2.0, True) * 3.0
    z.grad_fn.next_functions = z.grad_fn.next_functions[:1]
    with viz.record(z) as run:
        engine.backward(z)
    assert run.missing == ""


def test_the_panel_says_what_a_node_further_down_is_missing(notebook, engine):
    speaking(engine)
    del engine.AccumulateGrad.variable
    notebook.run("import own_engine as e\nw = e.Value(2., True); z = (w * 3. + 1.) * w\nv = torch.ones(1)")
    assert "v" in notebook.nodes("title"), "the others are followed"
    assert "AccumulateGrad lacks variable" in notebook.panel.scene["note"]["en"]


def test_what_a_class_of_nodes_says_of_itself_is_no_formula(engine):
    speaking(engine).Node.__doc__ = "An operation that ran."
    out = engine.Value(3.0, requires_grad=True) * engine.Value(2.0, requires_grad=True)
    assert not any("ran" in part for node in viz.draw(out).graph.nodes for part in node.formula)
