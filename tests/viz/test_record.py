"""`viz.record`: what happened in a backward pass, the same for minigrad and PyTorch."""

import contextlib
import gc
import io
import json
import random
import sys
import threading
import types
import weakref
from pathlib import Path

import jsonschema
import pytest

import viz
from viz.model.formulas import Letter, filled, in_chinese, letters, named
from viz.model.kept import Packed, saved
from viz.notebook.recording import gradient
from viz.notebook.replay import Replay, computed

STATIC = Path(viz.__file__).parent / "notebook" / "static"
SCHEMA = json.loads((STATIC / "live.schema.json").read_text(encoding="utf-8"))

# Programs that end with `loss`, the tensor whose backward pass is recorded.
PROGRAMS = {
    "first gradient": "w, b = leaf(2.), leaf(1.); x = const(3.); loss = (w * x + b) ** 2",
    "one leaf used twice": "w = leaf(3.); loss = w * w + w",
    "matrices": "A, B = leaf([[1., 2.], [3., 4.]]), leaf([[1.], [2.]]); loss = (A @ B).relu().mean()",
    "accumulated on top": "w = leaf(2.); (w * 3).backward(); loss = w * 4",
    "functions": "w = leaf([0.5, 1.]); loss = (w.exp() * w.sin() / w.log1p()).sum()",
    "a view": "w = leaf([1., 2., 3.]); loss = w[1:].prod() - w[0]",
    "two outputs of one node": "w = leaf([[1., 2.], [3., 4.]]); a, b = w.unbind(); loss = (a * b).sum()",
    "a long one": "w = leaf(1.)\ny = w\nfor i in range(40): y = y * 1.01 + 0.1\nloss = y",
}


def run(torch, program):
    namespace = {
        "torch": torch,
        "leaf": lambda data: torch.tensor(data, requires_grad=True),
        "const": torch.tensor,
    }
    exec(program, namespace)
    return namespace


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_recorded_pass_reads_the_same_under_both_libraries(libraries, program):
    texts = []
    for torch in libraries:
        loss = run(torch, program)["loss"]
        with viz.record(loss) as steps:
            loss.backward()
        texts.append(repr(steps))
    assert texts[0] == texts[-1], "a learner who changes the import would be told another story"


def test_a_pass_can_be_asked_for_by_its_node_too(torch):
    """As `draw` can: what stands for the graph is not always a tensor."""
    told = []
    for node_of in (lambda loss: loss, lambda loss: loss.grad_fn, lambda loss: [loss.grad_fn]):
        w = torch.tensor(2.0, requires_grad=True)
        loss = (w * 3) ** 2
        with viz.record(node_of(loss)) as recorded:
            loss.backward()
        told.append((recorded.text, recorded.missing, [node["names"] for node in recorded.trace["scene"]["nodes"]]))
    assert told[0] == told[1] == told[2]
    assert told[0][1] == ""


def test_the_steps_of_the_first_gradient(torch):
    names = run(torch, PROGRAMS["first gradient"])
    loss, w = names["loss"], names["w"]
    with viz.record(loss) as recorded:
        loss.backward()
    assert repr(recorded).splitlines() == [
        "start: PowBackward0 is given 1.",
        "PowBackward0: gets 1., passes on 14.",
        "    ∂L/∂a = g · n · aⁿ⁻¹: 1. · 2 · 7. = 14.",
        "AddBackward0: gets 14., passes on 14., 14.",
        "    ∂L/∂a = g: 14.",
        "    ∂L/∂b = g: 14.",
        "AccumulateGrad: names['b'].grad was None, 14. arrives, it is 14.",
        "MulBackward0: gets 14., passes on 42.",
        "    ∂L/∂a = g · b: 14. · 3. = 42.",
        "AccumulateGrad: w.grad was None, 42. arrives, it is 42.",
        "Computed once more, and it agrees: 2 of 2 .grad, 4 of 4 derivatives.",
    ]
    assert not recorded.retain_graph, "the saved tensors were let go, and the recording should say so"
    assert w.grad.item() == 42, "recording must not change the result"


def program(seed):
    """A random expression in three leaves: every value is used at least once, some more often."""
    chance = random.Random(seed)
    size = chance.choice([1, 3])
    values = [f"leaf({[round(chance.uniform(0.3, 2), 2) for _ in range(size)]})" for _ in range(3)]
    lines = [f"v{i} = {value}" for i, value in enumerate(values)]
    for i in range(3, 3 + chance.randint(2, 12)):
        a, b = f"v{i - 1}", f"v{chance.randrange(i)}"
        ways = ("{a} + {b}", "{a} * {b}", "{a} - {b}", "{a} / ({b} + 3)", "{a} ** 2", "({a} * 0.1).exp()", "{a}.sin()")
        more = ("{a}.relu() + {b}", "-{a}", "({a} * {a} + 1).log()", "{a}.tanh() * {b}", "{a} * {b}.mean()", "{a} + 2")
        lines.append(f"v{i} = {chance.choice(ways + more).format(a=a, b=b)}")
    return "\n".join([*lines, f"loss = v{i}.sum() + v0.sum()"])


@pytest.mark.parametrize("seed", range(40))
def test_a_random_pass_can_be_replayed_to_each_gradient(torch, seed):
    names = run(torch, program(seed))
    with viz.record(names["loss"]) as recorded:
        names["loss"].backward()
    replay = recorded.replay
    leaves = [names[f"v{i}"] for i in range(3)]
    assert replay.wrong is None, (program(seed), replay.wrong)
    assert replay.same == replay.leaves == sum(leaf.grad is not None for leaf in leaves)
    assert replay.again > replay.of / 2, "most of these derivatives are plain formulas"
    assert recorded.trace["replayed"] == recorded.replayed


def test_a_gradient_that_a_hook_changed_is_told_by_the_replay(torch):
    w = torch.tensor(2.0, requires_grad=True)
    y = w * 3
    y.register_hook(lambda g: g * 2)
    z = y**2
    with viz.record(z) as recorded:
        z.backward()
    assert w.grad.item() == 72.0
    assert "what arrives at MulBackward0, which a hook may have changed" in recorded.text
    assert "is 24, computed again 12." in recorded.text


def test_a_gradient_that_is_not_the_sum_of_its_parts_is_told_by_the_replay(torch):
    w = torch.tensor(2.0, requires_grad=True)
    y = w * w
    with viz.record(y) as recorded:
        y.backward()
    assert recorded.replay.wrong is None
    recorded.steps[-1].into = recorded.steps[0].into
    assert "arrives" in Replay(recorded.steps, recorded.inputs, {y.grad_fn}).wrong["en"]


def test_a_derivative_that_is_not_its_formula_is_told_by_the_replay(torch):
    w = torch.tensor(2.0, requires_grad=True)
    y = w * w
    with viz.record(y) as recorded:
        y.backward()
    product = next(step for step in recorded.steps if step.kind == "op")
    for numbers, same in (([2.0], True), ([3.0], False)):
        product.again = {nr: [numbers] for nr in product.again}
        replay = Replay(recorded.steps, recorded.inputs, {y.grad_fn})
        assert (replay.wrong is None) is same
        assert replay.again == replay.of == 2


@pytest.mark.parametrize(
    ("rule", "known", "count", "gives"),
    [
        ("∂L/∂a = g · b", {"g": [2.0], "b": [3.0, 4.0]}, 2, [[6.0, 8.0]]),
        ("∂L/∂a = g · b", {"g": [2.0, 1.0], "b": [3.0, 4.0]}, 1, [[6.0], [4.0]]),  # it was broadcast
        ("∂L/∂a = g · n · aⁿ⁻¹", {"g": [2.0], "n": [3.0], "a": [2.0]}, 1, [[24.0]]),
        ("∂L/∂b = -g · a / b²", {"g": [1.0], "a": [8.0], "b": [2.0]}, 1, [[-2.0]]),
        ("∂L/∂a = g · cos a", {"g": [2.0], "a": [0.0]}, 1, [[2.0]]),
        ("∂L/∂a = g · b", {"g": [2.0]}, 1, None),
        ("∂L/∂a = g · ln k", {"g": [2.0], "k": [0.0]}, 1, None),
        ("∂L/∂A = G Bᵀ", {"G": [1.0], "B": [1.0]}, 1, None),
        ("∂L/∂a = g in the old shape", {"g": [1.0]}, 1, None),
        ("∂L/∂a = __import__('os')", {}, 1, None),
        ("∂L/∂a = (1).__class__", {}, 1, None),
        ("∂L/∂a = 9**9**9**9", {}, 1, None),
    ],
)
def test_a_rule_is_computed_where_it_is_arithmetic(rule, known, count, gives):
    assert computed(rule, known, count) == gives


def test_what_cancels_is_not_called_wrong(torch):
    """The gradient that goes through a mean is a sum that is 0 but for rounding."""
    for seed in range(10):
        torch.manual_seed(seed)
        x = torch.randn(9).requires_grad_()
        variance = ((x - x.mean()) ** 2).mean()
        with viz.record(variance) as recorded:
            variance.backward()
        assert recorded.replay.wrong is None
        (difference,) = (step for step in recorded.steps if step.kind == "op" and "Sub" in step.node.name())
        assert len(difference.again) == 2


@pytest.mark.parametrize(("dtype", "factor"), [("float32", 1e-12), ("float16", 1e-4)])
def test_gradients_that_vanish_are_told_as_they_are(torch, dtype, factor):
    w = torch.tensor(1.0, requires_grad=True, dtype=getattr(torch, dtype))
    y = w * factor * factor * factor * factor
    with viz.record(y) as recorded:
        y.backward()
    assert w.grad.item() == 0
    assert recorded.replay.wrong is None, recorded.replay.wrong


def begins(torch, w, way):
    """A pass, begun in another way than at the one result that is recorded."""
    z = w * 3
    y = z**2
    if way == "at a result and at what it was computed from":
        return (y, z), lambda: torch.autograd.backward([y, z])
    if way == "inside":
        return (y,), z.backward
    if way == "at another result":
        return (y,), (z**3).backward

    def meanwhile(grad):
        other = threading.Thread(target=lambda: (w * 100).backward())
        other.start()
        other.join()

    z.register_hook(meanwhile)
    return (y,), y.backward


@pytest.mark.parametrize(
    "way",
    ["at a result and at what it was computed from", "inside", "at another result", "in another thread as well"],
)
def test_a_pass_that_begins_elsewhere_is_not_called_wrong(torch, way):
    w = torch.tensor(2.0, requires_grad=True)
    outputs, backward = begins(torch, w, way)
    with viz.record(*outputs) as recorded:
        backward()
    assert recorded.steps
    assert recorded.replay.wrong is None, recorded.replay.wrong
    assert recorded.replay.same == recorded.replay.leaves > 0


def test_a_grad_that_a_hook_changed_is_told_by_the_replay(torch):
    w = torch.tensor(2.0, requires_grad=True)
    w.register_post_accumulate_grad_hook(lambda p: setattr(p, "grad", p.grad * 0))
    y = w * w
    with viz.record(y) as recorded:
        y.backward()
    assert "a leaf's .grad, which a hook may have changed, is 0, computed again 4." in recorded.text


def test_what_a_hook_of_the_node_changed_stands_in_no_equation(torch):
    w = torch.tensor(2.0, requires_grad=True)
    y = w * 3
    y.grad_fn.register_hook(lambda sent, came: (sent[0] * 10, None))
    with viz.record(y) as recorded:
        y.backward()
    assert "    ∂L/∂a = g · b: 1. · 3\n" in recorded.text
    assert "what MulBackward0 sends, which a hook may have changed, is 30, computed again 3." in recorded.text


def test_two_results_are_no_single_one_in_the_formulas(torch):
    w = torch.tensor(2.0, requires_grad=True)
    a = w * 3
    b = w * 4
    with viz.record(a, b) as recorded:
        torch.autograd.backward([a, b])
    assert sorted(rules(recorded)) == ["∂L/∂w += ∂L/∂a · 3", "∂L/∂w += ∂L/∂b · 4"]  # each is a part of it


def rules(recorded):
    return [rule["rule"]["en"] for step in recorded.trace["steps"] for rule in step.get("rules", ())]


def test_what_has_no_name_is_called_as_in_the_picture_and_not_by_a_name_of_the_programs(torch):
    a = torch.tensor(2.0, requires_grad=True)
    g = a * 3
    loss = (g.sin() * g).exp()
    with viz.record(loss) as recorded:
        loss.backward()
    assert rules(recorded) == [
        "∂loss/∂(MulBackward0) = ∂loss/∂loss · loss",
        "∂loss/∂(SinBackward0) = ∂loss/∂(MulBackward0) · g",
        "∂loss/∂g += ∂loss/∂(MulBackward0) · (SinBackward0)",
        "∂loss/∂g += ∂loss/∂(SinBackward0) · cos g",
        "∂loss/∂a = ∂loss/∂g · 3",
    ]


def test_two_of_a_kind_without_names_are_told_in_the_letters_of_the_rule(torch):
    w = torch.tensor(2.0, requires_grad=True)
    loss = (w.exp() * 3 * 4).sin()
    with viz.record(loss) as recorded:
        loss.backward()
    assert "∂L/∂a = g · 4" in rules(recorded)


@pytest.mark.parametrize("first", [2.0, [1.0, 3.0]])
def test_a_pass_that_does_not_start_with_1_is_of_no_result_alone(torch, first):
    x = torch.ones_like(torch.tensor(first)).requires_grad_()
    y = x * 2
    with viz.record(y) as recorded:
        y.backward(torch.tensor(first))
    assert rules(recorded) == ["∂L/∂x = ∂L/∂y · 2"]  # ∂y/∂y would be 1


def test_the_page_without_scripts_speaks_the_readers_language(torch, tmp_path, monkeypatch):
    w = torch.tensor(2.0, requires_grad=True)
    y = w * 3
    with viz.record(y) as recorded:
        y.backward()
    monkeypatch.setattr(viz.options, "language", "zh")
    kept = recorded.save(tmp_path / "pass.html").read_text(encoding="utf-8")
    assert 'alt="开始：给 MulBackward0 的梯度是' in kept


def test_of_complex_gradients_no_rule_is_told_which_knows_no_conjugate():
    torch = pytest.importorskip("torch")
    c = torch.tensor(1 + 2j, requires_grad=True)
    y = c * torch.tensor(3 - 1j)
    with viz.record(y) as recorded:
        y.backward(torch.tensor(1j))
    assert rules(recorded) == []


def test_what_was_changed_in_place_is_not_called_freed(torch):
    w = torch.tensor(2.0, requires_grad=True)
    y = w * w
    with viz.record(y) as recorded:
        y.backward(retain_graph=True)
        with torch.no_grad():
            w -= 0.1 * w.grad
    assert [step.freed for step in recorded.steps] == [[]] * 3
    assert recorded.retain_graph


def test_what_a_step_frees_is_called_as_in_the_picture(torch):
    """Of several tensors in one slot the library says afterwards only that the slot is empty."""

    class Own(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            return a * b

        @staticmethod
        def backward(ctx, g):
            a, b = ctx.saved_tensors
            return g * b, g * a

    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    loss = Own.apply(x, x[torch.tensor([0, 1, 1])]).sum()
    with viz.record(loss) as run:
        loss.backward()
    drawn = {node["id"]: {slot["slot"] for slot in node["saved"]} for node in run.trace["scene"]["nodes"]}
    freed = {step["node"]: {*step["freed"]} for step in run.trace["steps"] if "freed" in step}
    assert {"tensors"} in freed.values()
    assert freed == {node: slots for node, slots in drawn.items() if slots}


def test_a_function_frees_what_it_saved(torch):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 2 * x

    for retain in (True, False):
        w = torch.tensor(2.0, requires_grad=True)
        y = Square.apply(w)
        with viz.record(y) as recorded:
            y.backward(retain_graph=retain)
            with torch.no_grad():
                w *= 2
        assert recorded.retain_graph is retain


def test_a_recording_holds_one_pass_and_says_so(torch):
    w = torch.tensor(2.0, requires_grad=True)
    y = w * w
    with viz.record(y) as recorded:
        y.backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="this recording holds a pass already"), recorded:
        y.backward()
    assert w.grad.item() == 4


def test_a_recording_is_entered_once(torch):
    w = torch.tensor(2.0, requires_grad=True)
    loss = w * w
    with viz.record(loss) as recorded:
        with pytest.raises(RuntimeError, match="this recording holds a pass already"):
            recorded.__enter__()
        loss.backward()
    assert [step.kind for step in recorded.steps] == ["start", "op", "accumulate"]


def test_what_waits_is_counted_anew_where_a_second_pass_is_recorded_too(torch):
    w = torch.tensor(2.0, requires_grad=True)
    y = (w * 3) ** 2
    with viz.record(y) as recorded:
        y.backward(retain_graph=True)
        y.backward()
    assert [list(step.pending.values()) for step in recorded.steps] == [[], [0], [0], []] * 2


def test_the_first_nan_is_told(torch):
    w = torch.tensor([0.0, 1.0], requires_grad=True)
    loss = (w.sqrt() * 0.0).sum()
    with viz.record(loss) as recorded:
        loss.backward()
    assert "SqrtBackward0 turns finite gradients into nan." in recorded.text
    assert "nan" in recorded.trace["scene"]["note"]["zh"]


def test_what_is_seldom_meant_is_said_in_words_too(torch):
    w = torch.ones(1, requires_grad=True)
    loss = ((torch.ones(3, 1) * w - torch.ones(3)) ** 2).mean()
    with viz.record(loss) as recorded:
        loss.backward()
    assert "SubBackward0 gives (3, 3) where (3, 1) came in: that was broadcast." in recorded.text
    scores = torch.zeros(2, 3, requires_grad=True)
    loss = torch.nn.functional.cross_entropy(scores.softmax(1), torch.tensor([0, 2]))
    with viz.record(loss) as recorded:
        loss.backward()
    assert "is given is a softmax already" in recorded.text


def test_infinite_gradients_are_recorded_and_replayed(torch):
    w = torch.tensor([0.0, 0.0], requires_grad=True)
    loss = (w.sqrt() - w.sqrt() * 2 + w).sum()
    with viz.record(loss) as recorded:
        loss.backward()
    assert recorded.missing == ""
    assert recorded.replay.wrong is None
    assert "SqrtBackward0 turns finite gradients into inf." in recorded.text
    assert recorded.replayed is not None


def test_what_waits_for_its_other_users_is_counted(torch):
    names = run(torch, "w = leaf(3.); y = w * 2; loss = y + y * y")
    with viz.record(names["loss"]) as recorded:
        names["loss"].backward()
    y = names["y"].grad_fn
    assert recorded.pending[y] == 3
    assert [step.pending[y] for step in recorded.steps if y in step.pending][-1] == 0


def test_a_gradient_that_is_added_to_the_last_one(torch):
    names = run(torch, PROGRAMS["accumulated on top"])
    with viz.record(names["loss"]) as recorded:
        names["loss"].backward()
    last = recorded.steps[-1]
    assert (last.before.short, last.into[0].short, last.after.short) == ("3.", "4.", "7.")


@pytest.mark.parametrize(
    ("program", "said", "node"),
    [
        ("w = leaf(2.); loss = w ** 2; loss.backward()", "second time", "PowBackward0"),
        ("w = leaf([1., 2.]); y = w.exp(); loss = y.sum(); y.detach().add_(1)", "inplace operation", "ExpBackward0"),
        ("w = leaf([1., 2.]); loss = w * 2", "implicitly created only for scalar", "MulBackward0"),
    ],
)
def test_an_error_is_the_last_step_at_the_node_at_fault(torch, program, said, node):
    loss = run(torch, program)["loss"]
    with pytest.raises(RuntimeError, match=said), viz.record(loss) as recorded:
        loss.backward()
    last = recorded.steps[-1]
    assert last.kind == "error"
    assert last.node.name() == node
    assert said in last.error
    english, chinese = last.hints
    assert english.isascii() or "ᵀ" in english, "a learner should be told what to do, in English"
    assert any("\u4e00" <= char <= "\u9fff" for char in chinese), "and in Chinese"


def test_what_anomaly_detection_refuses_is_the_node_that_it_names(torch):
    loss = run(torch, "w = leaf([-1., 4.]); loss = w.sqrt().sum()")["loss"]
    refused = pytest.raises(RuntimeError, match="returned nan")
    with torch.autograd.set_detect_anomaly(True), refused, viz.record(loss) as recorded:
        loss.backward()
    assert recorded.failed.name() == "SqrtBackward0"
    assert "op1 SqrtBackward0 -> AccumulateGrad(leaf1)\n  backward stops here" in viz.draw(recorded).text


@pytest.mark.parametrize(
    ("lang", "said"),
    [("en", "stopped at PowBackward0: the program caught the error"), ("zh", "停在 PowBackward0：程序自己捕获了")],
)
def test_an_error_that_the_program_catches_is_no_success(torch, monkeypatch, lang, said):
    monkeypatch.setattr(viz.options, "language", lang)
    loss = torch.tensor(2.0, requires_grad=True) ** 2
    loss.backward()
    with viz.record(loss) as recorded, contextlib.suppress(RuntimeError):
        loss.backward()
    assert recorded.steps[-1].kind == "error"
    assert said in str(recorded)
    assert "agrees" not in str(recorded)
    assert "结果一致" not in str(recorded)


@pytest.mark.parametrize("program", ["no_such_name", "loss.backward(); no_such_name", "grad(loss, w); no_such_name"])
def test_an_error_beside_the_pass_is_none_of_its_own(torch, program):
    names = run(torch, "w = leaf(2.); h = w * 3; loss = h ** 2")
    with pytest.raises(NameError), viz.record(names["loss"]) as recorded:
        exec(program, {**names, "grad": lambda loss, w: torch.autograd.grad(loss, names["h"])})
    assert (recorded.error, recorded.failed) == ("", None)
    assert "stop" not in recorded.text + viz.draw(recorded).text
    assert (recorded.replayed is None) is (program == "no_such_name")


def test_recording_ends_with_the_pass(torch):
    names = run(torch, "w = leaf(2.); loss = w ** 2")
    with viz.record(names["loss"]) as recorded:
        names["loss"].backward(retain_graph=True)
    assert recorded.retain_graph
    steps = len(recorded.steps)
    names["loss"].backward()
    assert len(recorded.steps) == steps, "a hook was left behind"


def test_a_recording_lets_results_go(torch):
    names = run(torch, "w = leaf([2.]); y = w * w; loss = y.sum()")
    with viz.record(names["loss"]) as recorded:
        names["loss"].backward()
    y = weakref.ref(names.pop("y"))
    del recorded, names
    assert y() is None


def test_a_recording_of_a_large_graph_keeps_no_mask(torch):
    """Twenty dropouts of a large batch: memory that the pass lets go step by step."""
    w, x = torch.tensor(2.0, requires_grad=True), torch.ones(3)
    loss = (w * x).sum()
    for _ in range(20):
        loss = loss + (w * torch.ones(3)).sum()
    with viz.record(loss) as run:
        loss.backward()
    kept = {id(known()) for given in run.untracked.values() for _, known in given} - {id(None)}
    assert kept == {id(x)}
    assert [node.label for node in viz.draw(run, show="repeats").graph.nodes if node.kind == "untracked"] == ["x"]


def test_a_recording_is_freed_as_soon_as_it_is_dropped(torch):
    """Nothing is left for the collector, which may come late: a loop that records each step would grow until then."""

    def step():
        names = run(torch, "w = leaf([2.]); y = w * w; loss = y.sum()")
        with viz.record(names["loss"]) as recorded:
            names["loss"].backward()
        assert recorded.steps
        assert recorded.trace
        return [weakref.ref(thing) for thing in (recorded, recorded._scenes, recorded._read, recorded.replay)]

    gc.disable()
    try:
        assert [ref() for ref in step()] == [None] * 4
    finally:
        gc.enable()


def test_the_collector_does_not_run_where_a_pass_is_told_of():
    """With a large library loaded each look of its takes a tenth of a second."""
    torch = pytest.importorskip("torch")
    x = torch.ones(20, 30, requires_grad=True)
    loss = (x.exp() * x).sum()
    inside = []

    def looks(phase, info):
        frame = sys._getframe()
        while frame := frame.f_back:
            inside.extend(name for name in ("_starts", "_ran") if frame.f_code.co_name == name)

    often = gc.get_threshold()
    gc.set_threshold(1)
    gc.callbacks.append(looks)
    try:
        with viz.record(loss) as recorded:
            loss.backward()
    finally:
        gc.callbacks.remove(looks)
        gc.set_threshold(*often)
    assert len(recorded.steps) > 3
    assert not inside
    assert gc.isenabled()


def test_many_numbers_are_read_in_one_row():
    """Lists in lists take ten times as long; what has no `flatten` is read as it is."""

    class Table:
        shape, dtype = (20, 30), "x.float32"

        def tolist(self):
            return [[1.0, -3.0] * 15] * 20

    class Flat(Table):
        asked = False

        def flatten(self):
            Flat.asked = True
            return types.SimpleNamespace(tolist=lambda: [1.0, -3.0] * 300)

    assert gradient(Table()).full == gradient(Flat()).full == "mean -1., largest 3."
    assert gradient(Flat()).size == 2
    assert Flat.asked


def test_what_is_not_known_stays_a_letter():
    assert filled(("c", "∂L/∂a = gᵢ · qⱼ"), 1, {"g": Letter(2.0)}) == [(0, "∂L/∂a = gᵢ · qⱼ", "2. · qⱼ")]
    known = letters({"self_sym_numel": 6, "self": None}, None, lambda slot: None)
    assert {letter: what.value for letter, what in known.items()} == {"n": 6}
    assert letters({}, None, lambda slot: None) == {}


def test_large_gradients_are_told_by_their_shape(torch):
    told = gradient(torch.ones(3, 4))
    assert (told.short, told.shape) == ("(3, 4)", (3, 4))
    assert told.full == "[[1., 1., 1., 1.],\n [1., 1., 1., 1.],\n [1., 1., 1., 1.]]"
    assert gradient(torch.ones(100, 100)).full == "mean 1., largest 1."


def test_a_viewer_unpacks_nothing(torch):
    """An unpack hook is the user's: it may read a file, or compute the forward pass again, and that only once."""
    unpacked = []
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: unpacked.append(t) or t):
        loss = (x.exp() * x).sum()
    viz.draw(loss)
    with viz.record(loss) as run:
        assert not unpacked
        loss.backward()
    assert len(unpacked) == 3, "as often as the pass itself asks: for the result of exp and both factors"
    assert "ExpBackward0: [2.718, 7.389]" not in repr(run)
    assert [step.kind for step in run.steps].count("op") == 3


def test_a_hook_that_a_library_does_not_tell_of_is_stopped_as_it_begins():
    """PyTorch before 2.10 has no `unpack_hook`: only to ask for what is saved shows whether there is one."""

    class Node:
        _raw_saved_self = _raw_saved_other = type("SavedTensor", (), {"register_hooks": None})()
        _saved_self = "a tensor"
        _saved_other = property(lambda node: unpacked.append(node))

    unpacked, profiled = [], []
    assert saved(Node(), "_saved_self") == "a tensor"
    with pytest.raises(Packed):
        saved(Node(), "_saved_other")
    assert sys.getprofile() is None
    sys.setprofile(own := lambda *what: profiled.append(what))
    try:
        with pytest.raises(Packed):
            saved(Node(), "_saved_self")
        assert sys.getprofile() is own, "the program's own profiler goes on"
    finally:
        sys.setprofile(None)
    assert not unpacked


def test_a_leaf_that_was_made_in_inference_mode_is_recorded():
    """PyTorch counts no versions of it, and refuses to be asked."""
    torch = pytest.importorskip("torch")
    with torch.inference_mode():
        leaf = torch.ones(2, requires_grad=True)
    loss = leaf.add(torch.ones(2, requires_grad=True)).sum()
    with viz.record(loss) as run:
        loss.backward()
    assert (run.missing, [step.kind for step in run.steps][-1]) == ("", "accumulate")


def test_a_checkpoint_is_recorded():
    torch = pytest.importorskip("torch")
    from torch.utils.checkpoint import checkpoint

    layer = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    loss = checkpoint(layer, torch.ones(3, 2, requires_grad=True), use_reentrant=False).sum()
    viz.draw(loss)
    with viz.record(loss):
        loss.backward()
    assert layer[0].weight.grad is not None
    assert layer[1].num_batches_tracked == 2, "once forward, once again in backward, and not for the picture"


def test_what_was_broadcast_gets_a_sum(torch):
    w, x = torch.tensor([-1.0], requires_grad=True), torch.tensor([1.0, 2.0, 3.0])
    loss = (w * x).sum()
    with viz.record(loss) as run:
        loss.backward()
    assert "∂L/∂a = g · b: Σ [1., 1., 1.] · [1., 2., 3.] = [6.]" in repr(run)
    a, b = torch.ones(2, 3, requires_grad=True), torch.ones(3, 2, requires_grad=True)
    loss = (a @ b).sum()
    with viz.record(loss) as run:
        loss.backward()
    assert "Σ [" not in repr(run), "a matrix product has its sum already"
    loss = (torch.ones(3, 2, requires_grad=True) @ torch.ones(2, requires_grad=True)).sum()
    with viz.record(loss) as run:
        loss.backward()
    assert "Σ [" not in repr(run), "nor has one with a vector a second one"
    x, weight, bias = (torch.ones(*shape, requires_grad=True) for shape in ((3, 2), (1, 2), (1,)))
    loss = torch.nn.functional.linear(x, weight, bias).sum()
    with viz.record(loss) as run:
        loss.backward()
    assert "∂L/∂D = G: Σ [[1.], [1.], [1.]] = [3.]" in repr(run), "a bias is added to each row"
    loss = torch.ones(0, requires_grad=True).sum()
    with viz.record(loss) as run:
        loss.backward()
    assert "∂L/∂aᵢ = g: 1. = []" in repr(run), "nothing is no sum of something"


def test_numbers_are_equal_to_numbers(torch):
    """Where few stand on the left, no shape stands on the right, and nothing is equal to itself."""
    x = torch.tensor([[-0.4861], [-0.0722], [0.8454], [0.2708]], requires_grad=True)
    y = x.exp()
    loss = (y * 2 - 1).pow(2).sum()
    with viz.record(loss) as run:
        loss.backward()
    told = [text for step in run.steps for _, _, text in step.rules]
    assert not [text for text in told if "(4, 1)" in text], told
    assert not [text for text in told if len({*(parts := text.split(" = "))}) < len(parts)], "a difference sends on"
    assert "1. = [[1.], [1.], [1.], [1.]]" in told, "one number to each"


def test_a_number_that_was_raised_to_a_power_is_put_in(torch):
    loss = 2 ** torch.tensor(3.0, requires_grad=True)
    with viz.record(loss) as run:
        loss.backward()
    assert "g · c · ln k: 1. · 8. · ln 2 = 5.545" in repr(run)
    assert run.replay.again == 1


def test_each_element_of_a_running_sum_has_another_gradient(torch):
    loss = torch.ones(3, requires_grad=True).cumsum(0).sum()
    with viz.record(loss) as run:
        loss.backward()
    assert "CumsumBackward0: gets [1., 1., 1.], passes on [3., 2., 1.]\nAccumulateGrad" in repr(run)


def test_the_factors_of_a_product_that_is_added_are_put_in():
    torch = pytest.importorskip("torch")  # minigrad leaves it out
    d, A, v = (torch.ones(*shape, requires_grad=True) for shape in ((2,), (2, 3), (3,)))
    loss = torch.addmv(d, A, v, beta=2, alpha=3).sum()
    with viz.record(loss) as run:
        loss.backward()
    assert "∂L/∂d = β g: 2 [1., 1.] = [2., 2.]" in repr(run)
    assert "∂L/∂v = α Aᵀ g: 3 [[1., 1., 1.], [1., 1., 1.]]ᵀ [1., 1.] = [6., 6., 6.]" in repr(run)


def test_a_mean_over_a_dimension_divides_by_its_size(torch):
    a = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True)
    for dim, n in ((0, 3), (-1, 2), ((0, 1), 6)):
        loss = a.mean(dim).sum()
        with viz.record(loss) as run:
            loss.backward()
        assert f" / {n} = " in repr(run)
    for dim in (0, -1):  # of one number, too
        loss = torch.tensor(2.0, requires_grad=True).mean(dim)
        with viz.record(loss) as run:
            loss.backward()
        assert "1. / 1 = 1." in repr(run)


def test_numbers_are_given_to_the_input_that_the_rule_speaks_of(torch):
    """Where a formula tells of some inputs alone, or of the last one first."""
    x, w, b = (torch.tensor(v, requires_grad=True) for v in ([[1.0, 2.0], [3.0, 5.0]], [1.0, 1.0], [0.0, 0.0]))
    loss = torch.nn.functional.batch_norm(x, None, None, w, b, True).sum()
    with viz.record(loss) as run:
        loss.backward()
    assert "∂L/∂b" not in repr(run).partition("BatchNormBackward0")[2].partition("AccumulateGrad")[0]
    A, B = torch.tensor([[2.0, 0.0], [0.0, 4.0]], requires_grad=True), torch.tensor([[1.0], [1.0]], requires_grad=True)
    loss = torch.linalg.solve(A, B).sum()
    with viz.record(loss) as run:
        loss.backward()
    (step,) = (step for step in run.steps if step.kind == "op" and "Solve" in step.node.name())
    wanted = {"B": B.grad, "A": A.grad}
    for _, rule, text in step.rules:
        letter = rule.removeprefix("∂L/∂")[0]
        assert not text or text.endswith(gradient(wanted[letter]).short)


@pytest.mark.parametrize(
    ("formula", "slots", "text"),
    [
        ("c = a / b|∂L/∂a = g / b|∂L/∂b = -g · a / b²", {"self": 6.0, "other": 2.0}, ["10. / 2.", "-10. · 6. / 2.²"]),
        ("c = kᵃ, for a number k|∂L/∂a = g · c · ln k", {"result": 8.0, "self": 2}, ["10. · 8. · ln 2"]),
        ("c = k · ln a, for a number k|∂L/∂a = g · k / a", {"self": 2, "other": 3.0}, ["10. · 2 / a"]),
        ("c = Σ aᵢ / n|∂L/∂aᵢ = g / n", {"self_sym_sizes": (2, 3)}, ["10. / 6"]),
        ("c = max(a, 0)|∂L/∂a = g where c > 0, else 0", {"result": 1.0}, [""]),
        ("c = a · b|∂L/∂a = g · b", {"other": -3.0}, ["10. · (-3.)"]),
        ("c = a · b|∂L/∂a = g · b", {}, ["10. · b"]),
        ("c = (a - t)²|∂L/∂a = g · 2 (a - t)|∂L/∂t = -∂L/∂a", {"self": 3.0}, ["10. · 2 (3. - t)", ""]),
        ("c = Σ aᵢ / n|∂L/∂aᵢ = g / n", {"self_sym_sizes": (2, 3), "dim": (2**64 - 1,)}, ["10. / 3"]),
        *(
            ("c = aⁿ, for a number n|∂L/∂a = g · n · aⁿ⁻¹", {"self": 2.0, "exponent": n}, [f"10. · {n} · {power}"])
            for n, power in ((3, "2.²"), (2, "2."), (12, "2.¹¹"), (0.5, "2.^(0.5-1)"), (0, "2.⁻¹"))
        ),
    ],
)
def test_numbers_stand_where_the_letters_stood(torch, formula, slots, text):
    kept = {k: torch.tensor(v) if isinstance(v, float) and k != "exponent" else v for k, v in slots.items()}
    parts, known = formula.split("|"), letters(kept, 10.0, lambda slot: None)
    assert [right for _, _, right in filled(parts, len(parts) - 1, known)] == text


def test_where_a_derivative_holds_is_said_in_the_programs_own_names_too():
    rule, names = "∂L/∂a = g where c > 0, else 0", {"c": "y"}
    assert named(rule, "loss", "y", "x", names) == "∂loss/∂x = ∂loss/∂y where y > 0, else 0"
    assert named(in_chinese(rule), "loss", "y", "x", names) == "∂loss/∂x = ∂loss/∂y，当 y > 0；否则 0"
    assert named("∂L/∂a = g for a > 0", "loss", "y", "x", names).endswith("g for a > 0"), "a sentence stays"


def test_a_run_is_a_value(torch, tmp_path):
    w = torch.tensor(2.0, requires_grad=True)
    x = torch.tensor(3.0)
    loss = (w * x) ** 2
    with viz.record(loss) as run:
        loss.backward()
    w.grad = None  # what happens later is not in it
    assert run.text == repr(run)
    assert {name: grad.short for name, grad in run.gradients.items()} == {"w": "36."}
    assert "trace" not in vars(run), "names need no layout"
    assert {node.name(): slots for node, slots in run.saved.items()} == {
        "PowBackward0": {"self": 0},
        "MulBackward0": {"other": 0},
    }
    (leaf,) = [n for n in run.trace["scene"]["nodes"] if n["kind"] == "leaf"]
    assert (leaf["label"], leaf["grad"]) == ("w", "36.")
    jsonschema.validate({"scene": run.trace["scene"], "trace": run.trace, "losses": []}, SCHEMA)
    for name, start in (("pass.html", "<!doctype html>"), ("pass.json", "{"), ("pass.txt", "start: PowBackward0")):
        assert run.save(tmp_path / name).read_text(encoding="utf-8").startswith(start)
    with pytest.raises(ValueError, match="cannot save 'pass.png': unknown file suffix '.png'"):
        run.save(tmp_path / "pass.png")
    with pytest.raises(TypeError, match="PathLike"):
        run.save(5)


def test_leaves_that_were_changed_after_the_pass_are_told(torch):
    w = torch.ones(2, requires_grad=True)
    loss = (w * 3).sum()
    with viz.record(loss) as run:
        loss.backward(retain_graph=True)
    assert "changed after the pass" not in run.trace["scene"]["note"]["en"]
    with viz.record(loss) as run:
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
    assert "changed after the pass" in run.trace["scene"]["note"]["en"]


def test_a_recording_in_which_no_pass_ran_says_so_on_its_page(torch):
    with viz.record(torch.ones(1, requires_grad=True) * 2) as run:
        pass
    assert run.trace["scene"]["note"]["en"] == "no backward pass was recorded"


def test_what_was_not_asked_for_has_no_rule(torch):
    w, x = (torch.tensor([2.0], requires_grad=True) for _ in range(2))
    y = w * x
    with viz.record(y) as run:
        y.backward(inputs=[w])
    (step,) = (step for step in run.steps if step.kind == "op")
    assert [rule[0] for rule in step.rules] == [nr for nr, _, gradient in step.out if gradient is not None]


def test_a_run_that_has_not_run_says_so(torch):
    run = viz.record(torch.ones(1, requires_grad=True) * 2)
    assert run.text == "no backward pass was recorded"
    assert run._repr_mimebundle_() == {"text/plain": run.text}
    with pytest.raises(RuntimeError, match="no backward pass was recorded yet"):
        _ = run.gradients
    with pytest.raises(RuntimeError, match="no backward pass was recorded yet"):
        run.save("pass.html")


def test_only_a_run_can_be_played(torch, capsys):
    w = torch.tensor(2.0, requires_grad=True)
    with pytest.raises(TypeError, match="cannot play this: it is of type Tensor, and no recorded pass"):
        viz.play(w)
    loss = w * w
    with viz.record(loss) as run:
        loss.backward()
    viz.play(run)
    assert capsys.readouterr().out.startswith("start: MulBackward0 is given 1.")


@pytest.mark.parametrize(("numbers", "size"), [([6.0], 6), ([3.0, -5.0], 4), ([], 0), ([float("inf"), 1.0], None)])
def test_the_size_of_a_gradient_is_its_mean_magnitude(torch, numbers, size):
    """An edge is as wide as that."""
    leaf = torch.zeros(len(numbers), requires_grad=True)
    with viz.record(result := leaf * 1) as run:
        result.backward(torch.tensor(numbers))
    assert run.steps[-1].after.size == size


def last_line(run):
    return str(run).splitlines()[-1]


def test_a_loss_of_which_no_mean_is_taken_is_divided_by_nothing(torch, recwarn):
    w, target = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([0.0, 7.0])
    for reduction, rule in (("mean", "g / n · 2 (a - t)"), ("sum", "g · 2 (a - t)")):
        loss = torch.nn.functional.mse_loss(w, target, reduction=reduction)
        with viz.record(loss) as run:
            loss.backward()
        assert f"∂L/∂a = {rule}: " in str(run)
        assert not run.missing
    assert not recwarn.list, "a rule that is read is no code of the reader's that Python may warn of"


def test_a_hook_that_makes_nan_is_told_of(torch):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    h = w * 3
    h.register_hook(lambda grad: grad * float("nan"))
    s = h.sum()
    with viz.record(s) as run:
        s.backward()
    assert last_line(run).startswith("Computed once more, and not the same: what arrives at MulBackward0")
    assert "is nan, computed again 1." in last_line(run)


def test_many_gradients_in_half_precision_are_the_same_as_far_as_that_tells(torch):
    w = torch.tensor([1.0], dtype=torch.float16, requires_grad=True)
    loss = sum(w * 1.001 for _ in range(3_000))
    with viz.record(loss) as run:
        loss.backward()
    assert "not the same" not in str(run)


def test_an_error_of_another_pass_stops_no_node_of_this_graph(torch):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    other, mine = w.exp().sum(), (w * w).sum()
    other.backward()

    def backward(loss):
        raise RuntimeError("before any pass")

    several = w * w
    with pytest.raises(RuntimeError), viz.record(several) as run:
        bool(several)  # of the recorded tensor itself, and no pass
    assert (run.failed, run.error) == (None, "")
    for fails in (other.backward, lambda: backward(mine)):
        with pytest.raises(RuntimeError), viz.record(mine) as run:
            fails()
        assert (run.failed, run.error) == (None, "")
        assert str(run) == "no backward pass was recorded"


def test_a_pass_that_saved_nothing_retained_nothing(torch):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    s = (w + 1).sum()
    with viz.record(s) as run:
        s.backward()
    assert not run.retain_graph


def test_names_are_those_of_whoever_enters_it_by_a_stack(torch):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * w).sum()
    with contextlib.ExitStack() as stack:
        run = stack.enter_context(viz.record(loss))
        loss.backward()
    assert list(run.gradients) == ["w"]


def test_numbers_that_are_not_kept_are_not_said_to_agree(torch):
    w = torch.ones(60, 60, requires_grad=True)
    loss = (w @ w).mean()
    with viz.record(loss) as run:
        loss.backward()
    assert last_line(run) == "Not computed once more: the numbers of these tensors are not kept."


def test_a_pass_of_another_graph_with_the_same_leaves_is_told_of(torch):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    mine, other = (w * w).sum(), (w * 3).sum()
    with viz.record(mine) as run:
        other.backward()
    assert last_line(run) == (
        "not all of it was recorded: the pass that ran was that of another graph, with leaves of this one"
    )
    assert run.gradients["w"].short == "[3., 3.]"
    leaf = torch.tensor(1.0, requires_grad=True)
    with viz.record(leaf) as run:
        leaf.backward()
    assert not run.missing, "a leaf's own pass is nothing but that"


def test_a_pass_that_fills_no_grad_does_not_speak_of_it(torch):
    x = torch.tensor(2.0, requires_grad=True)
    loss = x.exp() * 3
    with viz.record(loss) as run:
        torch.autograd.grad(loss, x)
    assert ".grad" not in run.text
    assert "agrees: 2 of 2 derivatives" in run.text


def test_where_no_derivative_is_computed_again_none_is_said_to_agree(torch):
    w = torch.ones(2, 2, requires_grad=True)
    y = torch.ones(2, 2) @ w
    with viz.record(y) as run:
        y.backward(torch.ones(2, 2))
    added = "Added up once more, and it agrees: 1 of 1 .grad. The derivatives themselves were not computed again."
    assert last_line(run) == added


def test_a_pass_is_printed_also_where_the_output_has_no_letter_for_a_derivative(torch, monkeypatch):
    """A pipe of a Chinese Windows, as an editor's that collects what a script prints: it raised UnicodeEncodeError."""
    w = torch.tensor([[3.0]], requires_grad=True)
    loss = (torch.ones(1, 1) @ w).pow(3).sum()
    with viz.record(loss) as run:
        loss.backward()
    assert "∂L/∂a = g · n · aⁿ⁻¹" in repr(run)
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), encoding="gbk"))
    print(run)
    assert "dL/da = g · n · a^(n-1): " in repr(run)
    assert "dL/dB = A.T G: " in repr(run)
    assert "dL/dai = g: " in repr(run)
    assert "?" not in repr(run)


def test_a_result_that_no_gradient_came_to_is_told_of(torch):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    first, _ = w.unbind()
    with viz.record(first) as run:
        first.backward()
    assert run.missing == ""
    assert "UnbindBackward0: gets 1., None, passes on [1., 0.]" in run.text


def test_a_gradient_that_was_cleared_before_the_recording_ended_is_missed(torch):
    w = torch.tensor(2.0, requires_grad=True)
    loss = w * 3
    with viz.record(loss) as run:
        loss.backward()
        w.grad = None
    assert "changed after the pass" in run.trace["scene"]["note"]["en"]
