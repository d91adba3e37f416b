"""The formula on a node: one text for one operation, whichever library's graph is drawn.

`python tests/viz/test_formulas.py` copies minigrad's formulas, where they have changed, into viz's table.
"""

import gc
from pathlib import Path

import pytest

import viz
from viz.model import formulas

TABLE = Path(viz.__file__).parent / "model" / "formulas.txt"
GAP = "      "


def said_by_minigrad():
    """Of each name that a node of minigrad's can have: the formulas in the docstrings of such nodes."""
    import minigrad.nn
    from minigrad.autograd.graph import Node

    for place in (minigrad, minigrad.Tensor):  # operations are loaded when they are first asked for
        for name in dir(place):
            getattr(place, name, None)
    said = {}
    for kind in gc.get_objects():
        if issubclass(type(kind), type) and issubclass(kind, Node):  # (a weak proxy of a class says that it is one)
            said.setdefault(kind.__name__, []).append((kind.__doc__ or "").strip().partition("\n")[0])
    return said


def stale():
    """Lines of the table that minigrad says otherwise, each with what could stand there."""
    said = said_by_minigrad()
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        name, _, formula = line.partition(GAP)
        known = said.get(name.removesuffix("(1)"), [formula])
        if formula not in known:
            yield line, [f"{name}{GAP}{other}" for other in known]


def test_table_says_what_minigrad_says():
    pytest.importorskip("minigrad")
    shared = {line.partition(GAP)[0] for line in TABLE.read_text(encoding="utf-8").splitlines()} & {*said_by_minigrad()}
    assert len(shared) > 100
    assert list(stale()) == [], "run `python tests/viz/test_formulas.py`"


class Named:
    """A node of a library that writes no formulas."""

    __doc__ = None

    def __init__(self, name):
        self.kind, _, once = name.partition("(")
        self._saved_alpha = 1 if once == "1)" else None

    def name(self):
        return self.kind


def test_a_node_says_what_its_line_of_the_table_says():
    for kept in vars(formulas).values():  # the table is read again, as for the first picture
        getattr(kept, "cache_clear", bool)()
    lines = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert len(lines) > 100
    for line in lines:
        name, *said = line.split(GAP)
        assert formulas.formula(Named(name)) == tuple(said)


def test_operations_of_a_network_have_formulas():
    torch = pytest.importorskip("torch")
    net = torch.nn.Sequential(
        torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
        torch.nn.Flatten(), torch.nn.Linear(18, 3), torch.nn.LayerNorm(3), torch.nn.GELU(), torch.nn.LogSoftmax(1),
    )  # fmt: skip
    loss = net(torch.rand(2, 1, 8, 8)).mean()
    without = {n.label for n in viz.draw(loss).graph.nodes if n.kind == "op" and not n.formula}
    assert without <= {"ReshapeAliasBackward0", "ViewBackward0"}


def test_a_sum_of_matrices_says_its_factors_where_there_are_any():
    torch = pytest.importorskip("torch")
    a = torch.ones(2, 2, requires_grad=True)
    given = ({}, {"beta": 2}, {"alpha": 3})
    plain, *weighed = (formulas.formula(torch.addmm(a, a, a, **factors).grad_fn) for factors in given)
    assert plain[0] == "C = D + A B"
    assert [said[:2] for said in weighed] == [("C = β D + α A B", "∂L/∂D = β G")] * 2


if __name__ == "__main__":
    text = TABLE.read_text(encoding="utf-8")
    for line, (first, *_) in stale():
        text = text.replace(line, first)
    TABLE.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(("result", "told"), [("z", "∂loss/∂w = ∂loss/∂z · x"), ("", "∂loss/∂w = g · x")])
def test_a_derivative_is_told_in_the_programs_names_as_far_as_there_are_any(result, told):
    assert formulas.named("∂L/∂a = g · b", "loss", result, "w", {"b": "x"}) == told


def test_few_numbers_are_put_in_and_of_more_the_shape(torch):
    few = formulas.FEW
    assert formulas.in_numbers("a", torch.ones(few)) == f"[{', '.join(['1.'] * few)}]"
    assert formulas.in_numbers("a", torch.ones(few + 1)) == f"a[{few + 1}]"
