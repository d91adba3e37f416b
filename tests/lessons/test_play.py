"""The slider, and what stands in its place where no kernel runs."""

import re
import threading
import xml.etree.ElementTree as ET

import pytest

import viz
from minigrad_lessons.choose import Choose
from minigrad_lessons.filling import BACKWARD, NONE, ZERO, Filling
from minigrad_lessons.flags import Flags
from minigrad_lessons.growing import Growing
from minigrad_lessons.jacobian import Jacobian
from minigrad_lessons.play import Play
from minigrad_lessons.quotient import ERROR, Curve, Quotient
from minigrad_lessons.source import CHINESE
from minigrad_lessons.storage import Storage
from minigrad_lessons.turns import Turns
from minigrad_lessons.walk import Walk


@pytest.fixture(params=["minigrad", "torch"])
def torch(request):
    return pytest.importorskip(request.param)


@pytest.fixture
def bowl() -> Play:
    return Play(lambda w: ((w - 2) ** 2, 2 * (w - 2)), w=(0.0, 4.0, 0.5), start=1.0)


def test_the_still_table_holds_what_the_slider_would_show(bowl):
    lines = repr(bowl).splitlines()
    assert lines[0].split() == ["w", "loss", "w.grad"]
    assert "  1     1      -2  <- here" in lines
    assert sum("<- here" in line for line in lines) == 1


def test_the_slider_moves_the_picture(bowl):
    slider, picture = bowl.widget().children
    before = picture.value
    slider.value = 3.0
    assert picture.value != before
    assert picture.value == bowl.picture(3.0)


@pytest.mark.parametrize("place", [0.0, 1.0, 2.0, 4.0, 17.0])
def test_the_picture_is_an_svg_that_says_what_it_shows(bowl, place):
    root = ET.fromstring(bowl.picture(place))
    title = root.find("{http://www.w3.org/2000/svg}title").text
    shown = min(place, 4.0)
    assert title == f"w = {shown:g},  loss = {(shown - 2) ** 2:g},  w.grad = {2 * (shown - 2):g}"
    assert root.attrib["aria-label"] == title


def test_the_picture_has_its_colours_where_a_program_knows_no_css_variables(bowl):
    """Inkscape and librsvg, which Word and LaTeX are given pictures by, drew no line of it."""
    svg = "{http://www.w3.org/2000/svg}"
    root = ET.fromstring(bowl.picture(1.0))
    style = root.find(f"{svg}style")
    assert re.fullmatch(r"@supports [^{]*{.*}}", style.text)
    root.remove(style)
    assert "var(" not in ET.tostring(root, "unicode")
    assert all(line.get("stroke").startswith("#") for line in root.iter(f"{svg}polyline"))


def test_the_tangent_stays_inside_the_frame():
    steep = Play(lambda w: (100 * w**2, 200 * w), w=(-1.0, 1.0, 0.1), start=-1.0)
    root = ET.fromstring(steep.picture(-1.0))
    dashed = next(
        line for line in root.iter("{http://www.w3.org/2000/svg}polyline") if "stroke-dasharray" in line.attrib
    )
    heights = [float(point.split(",")[1]) for point in dashed.attrib["points"].split()]
    assert all(0 <= height <= 280 for height in heights)


def test_a_span_may_be_typed_without_points(torch):
    def at(place):
        w = torch.tensor(place, requires_grad=True)
        (w * w).backward()
        return (w * w).item(), w.grad.item()

    assert Play(at, w=(0, 5, 1), start=1).values[2] == (4.0, 4.0)


def test_a_notebook_gets_the_widget_and_its_still_twin(bowl):
    bundle = bowl._repr_mimebundle_()
    assert {"text/plain", "image/svg+xml", "application/vnd.jupyter.widget-view+json"} <= set(bundle)
    assert bundle["text/plain"] == repr(bowl)


def test_storage_shows_who_shares_and_writes_through(torch):
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    shown = Storage(x=x, t=x.t(), copied=x.t().reshape(6))
    assert repr(shown).splitlines() == [
        "storage 1: 1 2 3 4 5 6",
        "  x: shape (2, 3), stride (3, 1), walks 0 1 2 3 4 5",
        "  t: shape (3, 2), stride (1, 3), walks 0 3 1 4 2 5",
        "storage 2: 1 4 2 5 3 6",
        "  copied: shape (6,), stride (1,), walks 0 1 2 3 4 5",
    ]
    controls, picture = shown.widget().children
    where, number, write = controls.children
    where.label, number.value = "t[2, 0]", 42
    write.click()
    assert x[0, 2].item() == 42
    assert shown.just_written == (1, 2)
    assert picture.value == shown.picture()
    assert min(_cells(shown)) == max(_cells(shown)) == 44


def _cells(shown: Storage) -> list[float]:
    """How wide the cells are."""
    boxes = ET.fromstring(shown.picture()).iter("{http://www.w3.org/2000/svg}rect")
    return [float(box.attrib["width"]) for box in boxes if box.get("fill") == "none"]


def test_a_long_number_does_not_run_into_its_neighbours(torch):
    x = torch.tensor([[1.0, 2.0], [-0.1234567, 1e9]])
    shown = Storage(x=x)
    assert "-0.123457" in shown.picture()
    assert min(_cells(shown)) > 9 * len("-0.123457")


def test_a_walk_names_every_way_and_its_buttons_go_there(torch):
    w = torch.tensor([2.0], requires_grad=True)
    z = w * 3 + w
    places = dict(Walk(z=z).places())
    assert len(places) == 5
    assert all(eval(expression, {"z": z}) == node for expression, node in places.items())
    here, ways, back = Walk(z=z).widget().children
    assert back.disabled
    ways.children[0].click()
    assert "z.grad_fn.next_functions[0][0]" in here.value
    assert "MulBackward0" in here.value
    ways.children[0].click()
    assert "AccumulateGrad" in here.value
    assert all(way.disabled for way in ways.children)
    back.click()
    back.click()
    assert "AddBackward0" in here.value
    ET.fromstring(Walk(z=z).picture())


def test_flags_show_every_case_and_draw_the_chosen_one(torch):
    flags = Flags(lambda w, x: w * x, w=torch.tensor(2.0, requires_grad=True), x=torch.tensor(3.0))
    assert [line.split() for line in repr(flags).splitlines()[1:]] == [
        ["True", "True", "True", "False", "MulBackward0"],
        ["True", "False", "True", "False", "MulBackward0"],
        ["False", "True", "True", "False", "MulBackward0"],
        ["False", "False", "False", "True", "None"],
    ]
    boxes, picture = flags.widget().children
    assert "<svg" in picture.value
    boxes.children[0].value = False
    assert "grad_fn is None" in picture.value


def test_of_two_quick_clicks_in_two_threads_the_later_one_is_shown_last(torch):
    """JupyterLab goes from the cells' thread to a subshell's while somebody clicks: the box that is switched off there
    must not be overtaken by the picture that is still being drawn here."""
    drawing, switched = threading.Event(), threading.Event()

    def product(w, x):
        if not w.requires_grad and x.requires_grad:  # the first click is being answered
            drawing.set()
            switched.wait(0.5)  # the second click's own answer would be there by now, and this one would follow it
        return w * x

    leaves = {name: torch.tensor(2.0, requires_grad=True) for name in "wx"}
    boxes, picture = Flags(product, **leaves).widget().children

    def click():
        drawing.wait(10)
        boxes.children[1].value = False
        switched.set()

    other = threading.Thread(target=click)
    other.start()
    boxes.children[0].value = False
    other.join()
    assert "grad_fn is None" in picture.value


def diamond(torch) -> Turns:
    x = torch.tensor(3.0, requires_grad=True)
    a, b = 2 * x, 5 * x
    y = a * b
    with viz.record(y) as run:
        y.backward()
    return Turns(run)


def test_turns_let_a_node_run_when_all_that_it_is_owed_has_come(torch):
    turns = diamond(torch)
    assert repr(turns).splitlines() == [
        "y: 1. arrives, 15. goes to a, 6. goes to b.",
        "b: 6. arrives, 30. goes to x.",
        "a: 15. arrives, 30. goes to x.",
        "x: 30. + 30. arrives and is kept.",
    ]
    at = {turns.called[node]: node for node in turns.steps}
    ran: list[str] = []
    assert turns.turn(at["x"], ran).en == "Not yet: x still waits for what b and a will send."
    for name in ("y", "a"):  # not the order of the engine, and good as well
        turns.turn(at[name], ran)
    assert turns.turn(at["x"], ran).zh == "还不行：x 还没有收到 b 传来的梯度。"
    assert "already" in turns.turn(at["a"], ran).en
    assert "tensor" in turns.turn("leaf1", ran).en
    assert ran == [at["y"], at["a"]]


def test_a_click_reaches_turns_and_is_answered(torch):
    turns = diamond(torch)
    clicked = turns.widget()
    assert [mark for mark in re.findall(r'data-id="([^"]+)"', clicked.svg) if mark in turns.steps]
    for node in turns.steps:
        clicked._handle_custom_msg({"node": node}, [])
    assert clicked.ran == [*turns.steps, *turns.leaves.values()]
    assert len(clicked.says) == len(turns.steps) + 1


def test_filling_shows_what_each_action_leaves(torch):
    w = torch.tensor([2.0])
    filling = Filling(lambda w: (3 * w).sum(), w=w)
    assert filling.history([BACKWARD, BACKWARD, ZERO, BACKWARD, NONE, ZERO]) == [
        (BACKWARD, 3.0),
        (BACKWARD, 6.0),
        (ZERO, 0.0),
        (BACKWARD, 3.0),
        (NONE, None),
        (ZERO, None),
    ]
    assert w.grad is None
    buttons, picture = filling.widget().children
    for _ in range(9):
        buttons.children[0].click()
    assert ">27<" in picture.value
    ET.fromstring(filling.picture())


def test_a_jacobian_is_that_of_the_function_and_follows_v(torch):
    x = torch.tensor([2.0, 5.0])
    shown = Jacobian(lambda x: torch.stack([x[0] ** 2, x[0] * x[1], 3 * x[1]]), x=x, v=torch.tensor([1.0, 1.0, -1.0]))
    assert shown.matrix == [[4.0, 0.0], [5.0, 2.0], [0.0, 3.0]]
    assert shown.gradient([1.0, 1.0, -1.0]) == [9.0, -1.0]
    assert not x.requires_grad
    *sliders, picture = shown.widget().children
    sliders[2].value = 2.0
    assert "x.grad = [9.0, 8.0]" in picture.value
    ET.fromstring(picture.value)


def test_a_choice_changes_the_graph_and_the_gradient(torch):
    def square(way, w):
        h = 3 * w
        return h * h if way == "whole" else h * h.detach() if way == "half" else (h * h).detach()

    choose = Choose(square, ["whole", "half", "none"], w=torch.tensor(2.0))
    assert repr(choose).splitlines() == [
        "whole  result: 36  w.grad: 36",
        "half   result: 36  w.grad: 18",
        "none   result: 36  w.grad: None",
    ]
    buttons, picture = choose.widget().children
    whole = picture.value
    buttons.value = "half"
    assert "<svg" in picture.value
    assert picture.value != whole
    buttons.value = "none"
    assert "grad_fn is None" in picture.value


def test_growing_counts_the_nodes_of_each_step(torch):
    def after(steps):
        w = torch.tensor([1.0], requires_grad=True)
        for _ in range(steps):
            w = w - 1
        return w

    growing = Growing(after, steps=3)
    assert repr(growing).splitlines() == [f"steps: {n}   nodes: {n + 1}" for n in (1, 2, 3)]
    slider, picture = growing.widget().children
    assert picture.value.count(">SubBackward0<") == 3
    slider.value = 1
    assert picture.value.count(">SubBackward0<") == 1


MOVING = {
    "storage": lambda torch: Storage(x=torch.zeros(2)),
    "walk": lambda torch: Walk(z=torch.ones(1, requires_grad=True) * torch.ones(1)),
    "growing": lambda torch: Growing(lambda steps: torch.ones(1, requires_grad=True) * steps, steps=2),
    "turns": diamond,
    "quotient": lambda torch: Quotient(lambda x: x * x * x, x=2.0, slope=12.0),
}


def words(widget) -> str:
    """Everything that a widget says."""
    children = "".join(words(child) for child in getattr(widget, "children", ()))
    options = "".join(str(option) for option in getattr(widget, "_options_labels", ()))
    value = str(getattr(widget, "value", "")) + "".join(getattr(widget, "says", ()))
    said = children + options + str(getattr(widget, "description", "")) + value
    return re.sub(' data-(en|zh)="[^"]*"', "", said)  # what the live panel would say instead, and nobody reads here


@pytest.mark.parametrize("moving", MOVING.values(), ids=MOVING)
def test_a_widget_speaks_the_language_of_the_notebook_s_folder(torch, moving, tmp_path, monkeypatch):
    monkeypatch.delenv("MINIGRAD_LANG", raising=False)
    said = {}
    for lang in ("en", "zh", "elsewhere"):
        (tmp_path / lang).mkdir()
        monkeypatch.chdir(tmp_path / lang)
        said[lang] = words(moving(torch).widget())
        monkeypatch.setenv("MINIGRAD_LANG", "zh")
        assert CHINESE.search(words(moving(torch).widget()))
        monkeypatch.delenv("MINIGRAD_LANG", raising=False)
    assert not CHINESE.search(said["en"])
    assert CHINESE.search(said["zh"])
    assert said["zh"] != said["elsewhere"]
    assert repr(moving(torch)) == repr(moving(torch))
    assert not CHINESE.search(repr(moving(torch)))  # the words in a stored output are the same in both notebooks


def test_a_quotient_is_best_at_a_middling_step():
    quotient = Quotient(lambda x: x * x * x, x=2.0, slope=12.0)
    best = min(range(len(quotient.steps)), key=quotient.errors.__getitem__)
    assert 1e-8 < quotient.steps[best] < 1e-4
    slider, picture = quotient.widget().children
    slider.value = best + 1
    assert f"{ERROR} {quotient.errors[best]:.0e}" in picture.value
    ET.fromstring(picture.value)


def test_a_curve_says_where_it_starts_and_ends():
    curve = Curve(loss=[1000.0, 10.0, 0.1])
    assert repr(curve) == "loss: 3 values, from 10^3 to 10^-1"
    assert curve.words("zh") == "loss：3 个值，从 10^3 到 10^-1"
    ET.fromstring(curve._repr_mimebundle_()["image/svg+xml"])


@pytest.mark.parametrize("losses", [[29.0, 1e7, 1e22, float("inf"), float("nan")], [float("nan")]])
def test_a_curve_of_a_training_that_ran_away_ends_there(losses):
    """Too large a learning rate is what a learner tries first."""
    curve = Curve(loss=losses)
    known = len(losses) - (2 if len(losses) > 1 else 1)
    assert f"value {known + 1} is no longer a finite number" in repr(curve)
    assert f"从第 {known + 1} 个值起" in curve.words("zh")
    root = ET.fromstring(curve._repr_mimebundle_()["image/svg+xml"])
    written = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert f"{losses[known]:g}" in written


@pytest.mark.parametrize("losses", [[], [3.0], [0.0, 0.0], [10.0, 10.0]])
def test_a_curve_without_height_or_length_is_drawn(losses):
    assert repr(Curve(loss=losses)).startswith(f"loss: {len(losses)} values")
    ET.fromstring(Curve(loss=losses).picture())


def test_a_quotient_that_is_never_wrong_is_drawn():
    quotient = Quotient(lambda x: x * 0, x=0.0, slope=0.0)
    assert set(quotient.errors) == {0.0}
    ET.fromstring(quotient.picture())
