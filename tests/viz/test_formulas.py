"""The formula on a node: one text for one operation, whichever library's graph is drawn.

`python tests/viz/test_formulas.py` copies minigrad's formulas, where they have changed, into viz's table.
"""

import gc
import re
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


def networks(torch):
    """Networks of PyTorch whose operations minigrad does not have, too, each with what it is given."""
    nn, picture = torch.nn, torch.rand(2, 4, 8, 8)
    yield nn.Sequential(
        nn.Conv2d(4, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(18, 3), nn.LayerNorm(3), nn.GELU(), nn.LogSoftmax(1),
    ), picture  # fmt: skip
    yield (
        nn.Sequential(nn.PixelShuffle(2), nn.Conv2d(1, 2, 1), nn.GroupNorm(1, 2), nn.Upsample(scale_factor=2)),
        picture,
    )
    yield nn.Sequential(nn.Conv2d(4, 2, 1), nn.Upsample(scale_factor=2, mode="bilinear")), picture
    yield nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 1), torch.rand(3, 2, 8)
    for layer in (nn.LSTM(3, 4), nn.GRU(3, 4)):
        yield (lambda given, layer=layer: layer(given)[0]), torch.rand(2, 1, 3)
    yield nn.EmbeddingBag(4, 3), torch.tensor([[1, 2]])
    scaled = nn.functional.scaled_dot_product_attention
    yield (lambda given: scaled(given, given, given)), torch.rand(1, 2, 3, 8, requires_grad=True)


def test_operations_of_a_network_have_formulas():
    torch = pytest.importorskip("torch")
    for net, given in networks(torch):
        loss = net(given).mean()
        without = {n.label for n in viz.draw(loss).graph.nodes if n.kind == "op" and not n.formula}
        assert without <= {"ReshapeAliasBackward0", "ViewBackward0"}


def test_a_long_formula_stands_whole_on_its_node(torch):
    x = torch.ones(3, requires_grad=True)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(x, torch.ones(3))
    svg = viz.draw(loss, show="formula").svg
    drawn = " ".join(re.findall(r"<text [^>]*>([^<]*)", svg))
    assert "c = -w (t ln σ(a) + (1 - t) ln(1 - σ(a))), σ the sigmoid, without overflow" in drawn


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
