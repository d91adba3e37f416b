"""The formula on a node: one text for one operation, whichever library's graph is drawn.

`python tests/viz/test_formulas.py` copies minigrad's formulas, where they have changed, into viz's table.
"""

import gc
import re
from functools import partial
from pathlib import Path

import pytest

import viz
from viz.language import data
from viz.model import formulas
from viz.model.formulas import formula

TABLE = Path(viz.__file__).parent / "model" / "formulas.txt"
GAP = "      "
CASES = data("model/slots.json")["cases"]


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
    """Lines of the table that minigrad says otherwise, each with what could stand there; a line may say more."""
    said = said_by_minigrad()
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        name, _, formula = line.partition(GAP)
        known = said.get(name.removesuffix("(1)"), [formula])
        if not f"{formula}{GAP}".startswith(tuple(f"{one}{GAP}" for one in known)):
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
        self.kind, _, case = name.removesuffix(")").partition("(")
        self._saved_alpha = 1 if case == "1" else None
        if case in CASES:
            setattr(self, f"_saved_{case}", 0 if CASES[case] is None else CASES[case])

    def name(self):
        return self.kind


def test_a_node_says_what_its_line_of_the_table_says():
    for kept in vars(formulas).values():  # the table is read again, as for the first picture
        getattr(kept, "cache_clear", bool)()
    lines = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert len(lines) > 100
    for line in lines:
        name, *said = line.split(GAP)
        assert formula(Named(name)) == tuple(said)


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
    volume = torch.rand(1, 1, 4, 4, 4, requires_grad=True)
    yield nn.Sequential(nn.AdaptiveAvgPool3d(2), nn.Upsample(scale_factor=2, mode="nearest-exact")), volume
    yield nn.MaxUnpool2d(2), *nn.MaxPool2d(2, return_indices=True)(picture.requires_grad_())
    yield torch.cdist, torch.rand(30, 2, requires_grad=True), torch.rand(30, 2, requires_grad=True)
    sparse = partial(torch.sparse_coo_tensor, [[0, 1], [1, 0]], size=(2, 2), check_invariants=False)
    yield (lambda values: sparse(values) @ torch.ones(2, 1)), volume[0, 0, 0, 0, :2]
    scaled = nn.functional.scaled_dot_product_attention
    yield (lambda given: scaled(given, given, given)), torch.rand(1, 2, 3, 8, requires_grad=True)


def test_operations_of_a_network_have_formulas():
    torch = pytest.importorskip("torch")
    for net, *given in networks(torch):
        loss = net(*given).mean()
        without = {n.label for n in viz.draw(loss).graph.nodes if n.kind == "op" and not n.formula}
        assert without <= {"ReshapeAliasBackward0", "ViewBackward0"}


def test_a_long_formula_stands_whole_on_its_node(torch):
    x = torch.ones(3, requires_grad=True)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(x, torch.ones(3))
    svg = viz.draw(loss, show="formula").svg
    drawn = " ".join(re.findall(r"<text [^>]*>([^<]*)", svg))
    assert "c = Σ cᵢ / n, cᵢ = -w (t ln σ(a) + (1 - t) ln(1 - σ(a))), σ the sigmoid, without overflow" in drawn


def test_a_sum_of_matrices_says_its_factors_where_there_are_any():
    torch = pytest.importorskip("torch")
    a = torch.ones(2, 2, requires_grad=True)
    given = ({}, {"beta": 2}, {"alpha": 3})
    plain, *weighed = (formula(torch.addmm(a, a, a, **factors).grad_fn) for factors in given)
    assert plain[0] == "C = D + A B"
    assert [said[:2] for said in weighed] == [("C = β D + α A B", "∂L/∂D = β G")] * 2


@pytest.mark.parametrize(("result", "told"), [("z", "∂loss/∂w = ∂loss/∂z · x"), ("", "∂loss/∂w = g · x")])
def test_a_derivative_is_told_in_the_programs_names_as_far_as_there_are_any(result, told):
    assert formulas.named("∂L/∂a = g · b", "loss", result, "w", {"b": "x"}) == told


@pytest.mark.parametrize("said", ["|a - 1/2| > 1/2 - ε", "c = 0", "k = 0", "|a| ≤ λ"])
def test_chinese_says_first_where_something_is_0(said):
    rules = [rule for row in formulas._table("formulas.txt").values() for rule in row if f"0 where {said}" in rule]
    assert rules
    assert all(f"；{said} 时为 0" in formulas.in_chinese(rule) for rule in rules)


def test_what_stands_before_the_equals_sign_of_the_numbers_is_one_term():
    known = {letter: formulas.Letter(2.0) for letter in "agch"}
    for row in formulas._table("formulas.txt").values():
        rules = [part for part in row[1:] if part.startswith("∂L/∂")]
        texts = [re.sub(r"max\(.*\)", "", text) for _, _, text in formulas.filled(row, len(rules), known)]
        assert not [text for text in texts if "," in text]


def test_a_sum_keeps_apart_the_element_and_those_that_are_summed():
    rule, said = "∂L/∂aᵢ = cᵢ · (gᵢ - Σⱼ gⱼ cⱼ)", "∂loss/∂zᵢ = pᵢ · (∂loss/∂pᵢ - Σⱼ ∂loss/∂pⱼ pⱼ)"
    assert formulas.named(rule, "loss", "p", "z", {"c": "p"}) == said


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("∂L/∂a = g where c > 0, else 0", "∂loss/∂z where p > 0, else 0"),
        ("∂L/∂a = g ∗ w, turned around", "∂loss/∂z ∗ kernel, turned around"),
    ],
)
def test_an_everyday_rule_in_words_has_the_programs_names_too(rule, said):
    assert any(rule in row for row in formulas._table("formulas.txt").values())
    assert formulas.named(rule, "loss", "z", "x", {"c": "p", "w": "kernel"}) == f"∂loss/∂x = {said}"


@pytest.mark.parametrize("name", ["(SumBackward0)", "(net((x, y)))", "(-8.478)"])
def test_what_has_brackets_gets_no_others(name):
    assert formulas.named("∂L/∂a = g · exp(a)", "loss", "z", "w", {"a": name}) == f"∂loss/∂w = ∂loss/∂z · exp{name}"
    both = formulas.named("∂L/∂a = g / (a - b)", "loss", "z", "w", {"a": name, "b": name})
    assert both == f"∂loss/∂w = ∂loss/∂z / ({name} - {name})"
    each = formulas.named("∂L/∂aᵢ = gᵢ - exp(cᵢ) · Σⱼ gⱼ", "loss", "z", "w", {"c": name})
    assert f"exp({name}ᵢ)" in each


def test_few_numbers_are_put_in_and_of_more_the_shape(torch):
    few = formulas.FEW
    assert formulas.in_numbers("a", torch.ones(few)) == f"[{', '.join(['1.'] * few)}]"
    assert formulas.in_numbers("a", torch.ones(few + 1)) == f"a[{few + 1}]"


LOSSES = {
    "mse_loss": {},
    "binary_cross_entropy": {"weight": (1.0, 2.0, 3.0)},
    "binary_cross_entropy_with_logits": {"weight": (1.0, 2.0, 3.0), "pos_weight": (3.0, 2.0, 1.0)},
    "huber_loss": {},
    "smooth_l1_loss": {},
    "soft_margin_loss": {},
}


def value(text, torch, **known):
    """What a row says after its equals sign, computed with the numbers that its letters stand for."""
    text = re.sub(r"max\((.*), 10⁻¹²\)", r"(\1).clamp(1e-12)", text)
    text = re.split(" where |, (?!but)", text.partition(" = ")[2])[0]
    text = re.sub(r"\((\w.*?), but within ±1\)|\((\w), but within ±δ\)", r"(\1\2).clamp(-1, 1)", text)
    text = text.replace("·", "*").replace("²", "**2").replace("³", "**3").replace("2β", "2 / β")
    text = re.sub(r"ln ([^( ]+(?:\(a\))?)", r"ln(\1)", text)
    text = re.sub(r"(?<=[\w)]) (?=[\w(])", " * ", text)
    functions = {"σ": torch.sigmoid, "ln": torch.log, "exp": torch.exp, "Σ": torch.sum, "sqrt": torch.sqrt}
    return eval(text.replace("√(", "sqrt("), functions | {"π": torch.tensor(torch.pi)} | known)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_loss_and_its_derivative_are_those_of_its_reduction(loss, reduction):
    torch = pytest.importorskip("torch")
    a = torch.tensor([0.2, 0.7, 0.4], requires_grad=True)
    t = torch.tensor([1.0, 0.5, -1.0] if loss == "soft_margin_loss" else [1.0, 0.5, 0.0])
    given = {name: torch.tensor(numbers) for name, numbers in LOSSES[loss].items()}
    for options in ({}, given):
        c = getattr(torch.nn.functional, loss)(a, t, reduction=reduction, **options)
        head, slope = formula(c.grad_fn)[:2]
        over = {"mean": "c = Σ cᵢ / n, cᵢ = ", "sum": "c = Σ cᵢ, cᵢ = ", "none": "c = "}[reduction]
        known = {"a": a, "t": t, "n": 3, "d": a - t, "β": 1.0, "δ": 1.0, "p": options.get("pos_weight")}
        known["w"] = options.get("weight", torch.ones(3))
        assert head.startswith(over)
        each = value("c = " + head.removeprefix(over).replace("σ the", "").replace("|d|", "d"), torch, **known)
        whole = {"mean": torch.mean, "sum": torch.sum, "none": torch.clone}[reduction](each)
        torch.testing.assert_close(whole, c)
        g = torch.full_like(c, 2.0)
        (wanted,) = torch.autograd.grad(c, a, g, create_graph=True)
        torch.testing.assert_close(value(slope, torch, g=g, **known), wanted)
        said = formula(wanted.grad_fn)
        assert any("/ n" in part for part in said) is (reduction == "mean" and said[0].startswith(("g", "-g")))


def test_a_class_loss_is_divided_by_the_weights_where_it_is_a_mean():
    torch = pytest.importorskip("torch")
    a = torch.zeros(2, 3, requires_grad=True)
    for reduction, over, slope in (("mean", "Σ cᵢ / Σw, cᵢ = ", " / Σw"), ("sum", "Σ cᵢ, cᵢ = ", ""), ("none", "", "")):
        c = torch.nn.functional.nll_loss(a, torch.tensor([0, 2]), reduction=reduction)
        said = formula(c.grad_fn)
        assert said[0].startswith(f"c = {over}-w · a[t], a the")
        assert said[1] == f"∂L/∂a = -g · w{slope} at the right class, else 0"


def test_a_loss_of_either_library_says_how_it_was_reduced(torch):
    x = torch.tensor([1.0, 3.0], requires_grad=True)
    loss = torch.nn.functional.mse_loss(x, torch.tensor([1.0, 2.0]))
    with viz.record(loss) as run:
        loss.backward()
    assert formula(loss.grad_fn)[0] == "c = Σ cᵢ / n, cᵢ = (a - t)²"
    assert "g / n · 2 (a - t): 1. / 2 · 2 ([1., 3.] - [1., 2.]) = [0., 1.]" in repr(run)
    assert "1 of 1 derivatives" in repr(run)


def test_a_pass_from_a_sure_and_wrong_answer_agrees(torch):
    """Neither library divides by less than 10⁻¹² there: no hook has changed it."""
    a = torch.tensor([-50.0, 0.3, 20.0], requires_grad=True)
    loss = torch.nn.functional.binary_cross_entropy(a.sigmoid(), torch.tensor([1.0, 0.5, 0.0]))
    with viz.record(loss) as run:
        loss.backward()
    assert run.replay.wrong is None
    assert "2 of 2 derivatives" in repr(run)


@pytest.mark.parametrize("kept", [True, False], ids=["kept", "let go"])
def test_the_weight_of_the_positive_is_in_the_formula_of_either_library(torch, kept):
    x, w = torch.ones(3, requires_grad=True), torch.tensor([1.0, 2.0, 3.0])
    for options, p in (({}, ""), ({"pos_weight": w}, "p ")):
        loss = torch.nn.functional.binary_cross_entropy_with_logits(x, torch.ones(3), **options)
        loss.backward(retain_graph=kept)
        assert f"-w ({p}t ln σ(a) + (1 - t)" in formula(loss.grad_fn)[0]


def test_a_weight_that_a_hook_keeps_is_not_asked_for():
    torch = pytest.importorskip("torch")
    asked, x = [], torch.ones(3, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: asked.append(t) or t):
        loss = torch.nn.functional.binary_cross_entropy_with_logits(x, torch.ones(3), pos_weight=torch.ones(3))
    assert "(p t ln" in formula(loss.grad_fn)[0]
    assert asked == []


def test_the_gelu_by_tanh_has_its_own_derivatives():
    torch = pytest.importorskip("torch")
    a = torch.linspace(-3, 3, 7, dtype=torch.float64, requires_grad=True)
    c = torch.nn.functional.gelu(a, approximate="tanh")
    g, h = torch.full_like(a, 2.0).requires_grad_(), torch.full_like(a, 3.0)
    (slope,) = torch.autograd.grad(c, a, g, create_graph=True)
    for_g, bent = torch.autograd.grad(slope, (g, a), h)
    root = (2 / torch.pi) ** 0.5
    known = {"a": a, "g": g, "h": h, "s": torch.tanh(root * (a + 0.044715 * a**3)), "v": root * (1 + 0.134145 * a**2)}
    known["u"] = value("u = (1 + s + a · (1 - s²) · v) / 2", torch, **known)
    said, twice = formula(c.grad_fn), formula(slope.grad_fn)
    assert said[0] == "c = a / 2 · (1 + s), s = tanh u, u = √(2/π) · (a + 0.044715 a³)"
    for text, wanted in zip((*said, *twice[1:]), (c, slope, for_g, bent), strict=True):
        torch.testing.assert_close(value(text.replace("2/π", "2 / π"), torch, **known), wanted)


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("kind", ["batch", "eval", "layer", "group"])
def test_what_is_brought_to_one_scale_has_a_derivative_by_its_input(kind, affine):
    torch = pytest.importorskip("torch")
    a = torch.randn(4, 6, 5, dtype=torch.float64, requires_grad=True)
    shape = (6, 5) if kind == "layer" else (6,)
    w, b = (torch.randn(shape, dtype=torch.float64) for _ in "wb") if affine else (None, None)
    mean, var = torch.rand(6, dtype=torch.float64), torch.rand(6, dtype=torch.float64)
    functions = torch.nn.functional
    c, over, split = {
        "batch": lambda: (functions.batch_norm(a, None, None, w, b, True), (0, 3), (4, 6, 1, 5)),
        "eval": lambda: (functions.batch_norm(a, mean, var, w, b), None, (4, 6, 1, 5)),
        "layer": lambda: (functions.layer_norm(a, (6, 5), w, b), (2, 3), (4, 1, 6, 5)),
        "group": lambda: (functions.group_norm(a, 2, w, b), (2, 3), (4, 2, 3, 5)),
    }[kind]()
    g = torch.randn_like(c)
    (wanted,) = torch.autograd.grad(c, a, g)
    along = (w if kind == "layer" else w[:, None]) if affine else torch.ones(())
    u, parts = (g * along).reshape(split), a.detach().reshape(split)
    known = {"ε": 1e-5, "g": u, "w": 1, "u": u, "mean": lambda numbers: numbers.mean(over, keepdim=True)}
    if over:
        spread = parts.var(over, correction=0, keepdim=True)
        known |= {"var": spread, "x": (parts - known["mean"](parts)) / (spread + 1e-5).sqrt()}
    else:
        known["var"] = var[:, None, None]
    said = formula(c.grad_fn)
    assert said[3].endswith(", u = g · w") is bool(over)
    torch.testing.assert_close(value(said[3], torch, **known).reshape(a.shape), wanted)


def test_flags_of_a_node_choose_its_row():
    torch = pytest.importorskip("torch")
    functions, picture = torch.nn.functional, torch.rand(1, 1, 4, 4, requires_grad=True)
    rows, A = torch.rand(3, 2, requires_grad=True), torch.eye(2, requires_grad=True)
    at = torch.tensor([0, 1])
    for made, said in (
        (functions.embedding(at, rows, padding_idx=0), "padding_idx"),
        (functions.embedding(at, rows, scale_grad_by_freq=True), "the mean of g where it was taken"),
        (functions.embedding(at, rows), "the sum of g where it was taken"),
        (functions.avg_pool2d(picture, 2), "included"),
        (functions.avg_pool2d(picture, 2, count_include_pad=False), "without the border"),
        (functions.avg_pool2d(picture, 2, divisor_override=3), "divisor_override"),
        (functions.conv_transpose2d(picture, torch.ones(1, 1, 2, 2)), "c = b + a ∗ w, turned around"),
        (functions.conv2d(picture, torch.ones(1, 1, 2, 2)), "c = w ∗ a + b"),
        (torch.linalg.solve(A, A, left=False), "X A = B"),
        (torch.linalg.solve(A, A), "A X = B"),
        (rows.index_put((at,), torch.ones(2, 2), accumulate=True), "added"),
        (rows.index_put((at,), torch.ones(2, 2)), "written"),
    ):
        assert said in " ".join(formula(made.grad_fn)), made.grad_fn.name()


def test_the_name_of_a_node_counts_without_its_namespace():
    torch = pytest.importorskip("torch")
    base = torch.zeros(3, requires_grad=True) * 1
    base[0] = torch.ones((), requires_grad=True)
    assert base.grad_fn.name() == "torch::autograd::CopySlices"
    assert "through a view" in formula(base.grad_fn)[0]


def test_what_a_derivative_is_given_is_not_what_it_was_made_from():
    torch = pytest.importorskip("torch")
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    (slope,) = torch.autograd.grad((a.tanh() * torch.tensor([2.0, 3.0])).sum(), a, create_graph=True)
    loss = (slope * slope).sum()
    with viz.record(loss) as run:
        loss.backward()
    assert "∂L/∂c = -2 h · c · g: -2 [1.68, 0.4239] · [0.7616, 0.964] · [2., 3.] = " in repr(run)
    assert formulas.named("∂L/∂c = -2 h · c · g", "loss", "z", "y", {}) == "∂loss/∂y = -2 ∂loss/∂z · c · g"


def test_the_result_that_a_derivative_has_kept_is_not_its_own(torch):
    """Those of tanh and sigmoid keep what tanh and sigmoid gave."""
    for kept in (torch.tanh, torch.sigmoid):
        a = torch.tensor([1.0, 2.0], requires_grad=True)
        (slope,) = torch.autograd.grad(kept(a).sum(), a, create_graph=True)
        loss, node = (2 * slope).sum(), slope.grad_fn
        with viz.record(loss) as run:
            loss.backward()
        assert node not in run.values
        rules = [rule["rule"]["en"] for step in run.trace["steps"] for rule in step.get("rules", ())]
        assert " · slope" not in " ".join(rules)
        assert any("∂loss/∂slope · " in rule for rule in rules)


def test_each_derivative_of_the_table_has_a_right_side():
    """What stands before it is put in the program's own names, and nothing else."""
    rules = [part for row in formulas._table("formulas.txt").values() for part in row[1:] if part.startswith("∂L/∂")]
    assert [rule for rule in rules if " = " not in rule] == []


def test_a_number_stands_apart_from_a_letter_that_becomes_one():
    """`2c`, where c is 0.73, would be 20.73."""
    rows = [row for row in formulas._table("formulas.txt").values() if len(row) > 1]
    known = {letter: formulas.Letter(0.73) for letter in "abcgh"}
    texts = [text for row in rows for _, _, text in formulas.filled(row, len(row) - 1, known)]
    assert [text for text in texts if re.search(r"\d0\.73", text)] == []


def test_a_gradient_that_a_loss_of_classes_sends_to_its_own_is_told_of_no_hook(torch):
    a = torch.tensor([[1.0, 0.0], [0.0, 2.0]], requires_grad=True)
    loss = torch.nn.functional.cross_entropy(a, torch.tensor([0, 1]))
    (slope,) = torch.autograd.grad(loss * loss, a, create_graph=True)
    with viz.record(slope) as run:
        slope.sum().backward()
    assert run.replay.wrong is None


def test_a_convolution_has_its_sum_already():
    torch = pytest.importorskip("torch")
    a, w = torch.ones(1, 1, 3, 3, requires_grad=True), torch.ones(1, 1, 2, 2, requires_grad=True)
    for name in ("conv2d", "conv_transpose2d"):
        result = getattr(torch.nn.functional, name)(a, w)
        with viz.record(result) as run:
            result.backward(torch.ones_like(result))
        assert " ∗ " in run.text
        assert "Σ" not in run.text


#: What Chinese leaves as it is: functions, and names in code.
PLAIN = """
    exp ln tanh sinh cosh sin cos tan arccos arcosh arcsin arsinh arctan artanh erf log sign det trunc diag max min mean
    var sigmoid digamma softmax index correction nan kernel places part values edge reflect da dt True floor
    PyTorch GRU LSTM
"""


def test_every_word_of_a_row_is_said_in_chinese():
    for line in TABLE.read_text(encoding="utf-8").splitlines()[2:]:
        for part in line.split(GAP)[1:]:
            left = re.findall(r"[A-Za-z]{2,}", re.sub("`[^`]*`", "", formulas.in_chinese(part)))
            assert {*left} <= {*PLAIN.split()}, (part, formulas.in_chinese(part))


if __name__ == "__main__":
    text = TABLE.read_text(encoding="utf-8")
    for line, (first, *_) in stale():
        text = text.replace(line, first)
    TABLE.write_text(text, encoding="utf-8")
