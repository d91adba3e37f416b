"""A learner's answers: the solution is accepted, a wrong one is refused with a reason, no answer is no mistake."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import minigrad
from minigrad_lessons import progress, source
from minigrad_lessons.checks import (
    accumulate,
    backward,
    first_gradient,
    fix_it,
    functions,
    graph,
    leaves,
    recording,
    saved,
    tensors_and_views,
    versions,
)
from minigrad_lessons.checks.exercise import Exercise, Table
from tests.lessons.conftest import Learner

LESSONS = [source.read(name) for name in source.names()]
EXERCISES = [(lesson, cell) for lesson in LESSONS for cell in lesson.code if "exercise" in cell.tags]
MARKS = ("⬜", "✅", "❌")


@pytest.fixture(autouse=True)
def _another_learner(monkeypatch):
    """Nothing is kept of the thousands of answers: what was refused would be written anew with each, longer and longer.
    (What is kept, test_progress.py asks.)"""
    monkeypatch.setattr(progress, "_change", lambda change: None)
    nothing_has_been_asked_or_missed()


def nothing_has_been_asked_or_missed():
    for check in checks():
        check.hinted = 0
    for table in checks(Table):
        table.missed.clear()


#: What a learner read who gave an answer: several tests look at the same words.
READ: dict[tuple[str, ...], str] = {}


def reply(engine, lesson, cell, answer) -> str:
    """What is printed for an answer when nothing has been answered before."""
    key = engine.__name__, lesson.name, cell.title, answer
    if key not in READ:
        nothing_has_been_asked_or_missed()
        READ[key] = Learner(lesson).runs(cell, answer)
    return READ[key]


def marks(printed: str) -> list[str]:
    return [mark for line in printed.splitlines() for mark in MARKS if line.startswith(mark)]


def cases(kind: str) -> list:
    return [
        pytest.param(lesson, cell, answer, id=f"{cell.title}-{number}")
        for lesson, cell in EXERCISES
        for number, answer in enumerate(getattr(cell, kind))
    ]


@pytest.mark.parametrize(("lesson", "cell"), EXERCISES, ids=[cell.title for _, cell in EXERCISES])
def test_an_untouched_stub_is_not_called_wrong(engine, lesson, cell):
    assert marks(Learner(lesson).runs(cell, cell.source)) == ["⬜"]


@pytest.mark.parametrize(("lesson", "cell", "answer"), cases("solutions"))
def test_a_solution_is_accepted(engine, lesson, cell, answer):
    assert marks(reply(engine, lesson, cell, answer)) == ["✅"]


@pytest.mark.parametrize(("lesson", "cell", "answer"), cases("wrong"))
def test_a_wrong_answer_is_refused_with_a_hint_to_ask_for(engine, lesson, cell, answer):
    printed = reply(engine, lesson, cell, answer)
    assert marks(printed) == ["❌"]
    assert ".hint(1)" in printed


@pytest.mark.parametrize(("lesson", "cell"), EXERCISES, ids=[cell.title for _, cell in EXERCISES])
def test_each_mistake_is_told_apart(engine, lesson, cell):
    """At least three wrong answers are tried, and no two get the same words."""
    assert cell.solutions
    replies = [reply(engine, lesson, cell, answer) for answer in cell.wrong]
    assert len(replies) >= 3
    assert len(set(replies)) == len(replies)


@pytest.mark.parametrize("lesson", LESSONS[1:], ids=lambda lesson: lesson.name)
def test_a_lesson_has_three_exercises(lesson):
    assert sum("exercise" in cell.tags for cell in lesson.code) >= 3


def test_a_refusal_does_not_give_the_answer_away(capsys):
    for answer in (14.0, -7, -10, -13, "minus fourteen", 3):
        first_gradient.slope(answer, _Numbers(1.0, 2.0), _Numbers(4.0, 4.0))
    assert "-14" not in capsys.readouterr().out


def large_numbers(*texts: str) -> set[float]:
    """Those of two digits and more, without their signs: a small one also counts something else."""
    return {float(found) for text in texts for found in re.findall(r"(?<![\d.])\d{2,}(?:\.\d+)?(?![\d.])", text)}


@pytest.mark.parametrize(("lesson", "cell"), EXERCISES, ids=[cell.title for _, cell in EXERCISES])
def test_no_refusal_says_a_number_that_is_the_answer(lesson, cell):
    answer = large_numbers(*cell.solutions) - large_numbers(cell.source)
    for wrong in cell.wrong:
        told = large_numbers(reply(minigrad, lesson, cell, wrong))
        assert not told & answer - large_numbers(wrong), wrong  # what the learner said may be said again


W, B = "torch.tensor([1.0], requires_grad=True)", "torch.tensor([0.0], requires_grad=True)"
LOSS, LINE = "((Y - w * X) ** 2).sum()", "((Y - (w * X + b)) ** 2).sum()"


def function(name: str, takes: str, *lines: str) -> str:
    """The definition of a function; a line may begin with the blanks that it needs."""
    return "\n".join([f"def {name}({takes}):", *(f"    {line}" for line in lines), ""])


def loop(*lines: str, rounds: int = 30, before: str = "pass", after: str = "return w") -> str:
    return function("train", "w", before, f"for _ in range({rounds}):", *(f"    {line}" for line in lines), after)


def line(*lines: str, rounds: int = 2000, before: str = "pass", after: str = "return w, b") -> str:
    return function("fit", "w, b", before, f"for _ in range({rounds}):", *(f"    {line}" for line in lines), after)


def step(*names: str, rate: float = 0.03) -> tuple[str, ...]:
    return ("with torch.no_grad():", *(f"    {name} -= {rate} * {name}.grad" for name in names))


def cube(backward: str, forward: str = "x**3") -> str:
    return (
        "class Cube(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
        f"        ctx.save_for_backward(x)\n        return {forward}\n\n    @staticmethod\n"
        "    def backward(ctx, grad_output):\n        (x,) = ctx.saved_tensors\n"
        f"        return {backward}\n\n\ncheck.cube(Cube, torch.tensor([1.0, 2.0, -3.0]))"
    )


TRAIN, REPAIR, LOOP = (f"check.{name}(train, {W})" for name in ("train", "repair", "loop"))
FIT, BUG = f"check.fit(fit, {W}, {B})", "check.bug(my_loss, torch.tensor([1.0]))"
CONSTANT = "train = lambda w: torch.tensor([34 / 14], requires_grad=True)\n"
FORMULA = "(X * Y).sum() / (X * X).sum()"
BACK = (f"{LOSS}.backward()",)
SECOND, STEER = "check.second(second, torch.tensor(2.0))", "check.steer(steer, torch.tensor([1.0, -2.0, 5.0]))"
VALUE_OF = "check.slope_at(slope_at)"
TWO = f"check.two_faults(train, {W}, {B})"
BY_HAND = ("no gradient led to them", "没有用到梯度")

# What a check must not call right: the exercise, the answer, and what is said of it in each language.
NONSENSE = [
    ("functions.cube", cube("2 * 3 * x**2"), "you gave", "你给出的是"),
    ("functions.cube", cube("grad_output.sum() * x**2"), "you gave", "你给出的是"),
    ("functions.cube", cube("grad_output * torch.tensor([3.0, 12.0, 27.0])"), "you gave", "你给出的是"),
    ("functions.cube", cube("3 * x**2"), "factor grad_output is missing", "上游传来的梯度没有用上"),
    ("updating.fit", line(f"{LINE}.backward()", *step("w", "b"), "w.grad.zero_()") + FIT, "b.grad", "b.grad 里还留着"),
    (
        "updating.fit",
        line(f"{LINE}.backward()", *step("w", "b", rate=0.02), "b.grad.zero_()") + FIT,
        "found -40 in w.grad",
        "w.grad 里还留着",
    ),
    (
        "updating.fit",
        f"check.fit(lambda w, b: (torch.tensor(2.), torch.tensor(1.)), {W}, {B})",
        *BY_HAND,
    ),
    (
        "updating.repair",
        loop(*BACK, "w = (w - 0.03 * w.grad).detach().requires_grad_()") + REPAIR,
        "another leaf",
        "另一个叶子",
    ),
    ("updating.repair", CONSTANT + REPAIR, "another leaf", "另一个叶子"),
    (
        "updating.repair",
        function("train", "w", "with torch.no_grad():", f"    w.copy_({FORMULA})", "return w") + REPAIR,
        *BY_HAND,
    ),
    ("accumulate.train", CONSTANT + TRAIN, *BY_HAND),
    ("accumulate.train", f"check.train(lambda w: {FORMULA}, {W})", *BY_HAND),
    (
        "accumulate.train",
        loop(*BACK, *step("w", rate=0.003), rounds=20_000) + TRAIN,
        "Backward number 2 found -40 in w.grad",
        "第 2 次反向传播时，w.grad 里还留着之前的 -40",
    ),
    ("saved.loop", CONSTANT + LOOP, *BY_HAND),
    ("saved.loop", f"check.loop(lambda w: 34 / 14, {W})", *BY_HAND),
    (
        "graph.build",
        "check.build(((torch.tensor([2.0], requires_grad=True) - 5) ** 2).mean(), w)",
        "ends at another leaf",
        "另一个叶子",
    ),
    ("graph.build", "check.build(((b - 5) ** 2).mean(), w)", "ends at another leaf", "另一个叶子"),
    (
        "recording.bug",
        "my_loss = lambda w, b: (w * -40 + b * -18 + 69).sum()\n" + BUG,
        "At w = 0.5, b = 2",
        "w = 0.5、b = 2 时",
    ),
    ("functions.culprit", 'check.culprit("Product")', "check.culprit(name, numerical, analytical)", "你这次传了"),
    ("functions.culprit", 'check.culprit("Product", 1.0, 1.0)', "gradcheck finds other numbers", "不是这两个数"),
    (
        "versions.repair",
        "check.repair(lambda x: (x * torch.tensor([1.0, 0.0])).sum() + 2 + torch.ones(()).exp() + 1, "
        "torch.tensor([0.0, 1.0]))",
        "x.grad is",
        "x.grad 是",
    ),
]

NONSENSE += [
    (
        "functions.cube",
        "class Cube:\n    apply = staticmethod(lambda x: x**3)\n\ncheck.cube(Cube, torch.tensor([1.0, 2.0]))",
        "never comes to your backward",
        "用不到你写的 backward",
    ),
    (
        "recording.slips",
        "check.slips('prediction = torch.tensor(10.0)\\nh = torch.tensor(7.5)', torch)",
        "With w = -1.5",
        "w = -1.5 时",
    ),
    (
        "build_it.rows",  # the rule fits the forward, and neither is exp
        "RULES |= {'exp': (lambda a: a, lambda g, a: g)}\ncheck.rows(RULES)",
        "does not compute exp",
        "已经不是 exp",
    ),
]

# A gradient is computed, and then not used.
NONSENSE += [
    (
        "first_gradient.train",
        function("mine", "X, Y", "w = torch.zeros(1, requires_grad=True)", *BACK, f"return {FORMULA}")
        + "check.train(mine, X)",
        "do not come from a gradient that backward() computed",
        "没有用到 backward() 求出的梯度",
    ),
    (
        "first_gradient.train",  # there is a gradient, only not backward's
        function(
            "mine",
            "X, Y",
            "p = 0.0",
            "for _ in range(20):",
            "    p -= 0.03 * (-2 * X * (Y - p * X)).sum().item()",
            "return p",
        )
        + "check.train(mine, X)",
        "do not come from a gradient that backward() computed",
        "没有用到 backward() 求出的梯度",
    ),
    *(
        (
            exercise,
            function("train", "w", *BACK, f"w.data.fill_({FORMULA})", "w.grad = None", "return w") + call,
            *BY_HAND,
        )
        for exercise, call in (("accumulate.train", TRAIN), ("updating.repair", REPAIR), ("saved.loop", LOOP))
    ),
    ("updating.fit", function("fit", "w, b", f"{LINE}.backward()", "return 2.0, 1.0") + FIT, *BY_HAND),
    ("updating.two_faults", function("train", "w, b", f"{LINE}.backward()", "return 2.0, 1.0") + TWO, *BY_HAND),
    (
        "leaves.slope_at",
        function(
            "slope_at",
            "f, at",
            "x = torch.tensor(float(at), requires_grad=True)",
            "f(x).backward()",
            "low, high = (f(torch.tensor(at + step, dtype=torch.double)) for step in (-0.001, 0.001))",
            "return (high - low).item() / 0.002",
        )
        + VALUE_OF,
        *BY_HAND,
    ),
    (
        "hooks.capture",
        "check.capture(lambda h, loss: 2 * h if loss < 100 else 3 * h * h, torch.tensor(2.0))",
        *BY_HAND,
    ),
    (
        "hooks.second",
        function("second", "f, x", "x, e = x.detach().double(), 1e-3", "return (f(x + e) - 2 * f(x) + f(x - e)) / e**2")
        + SECOND,
        *BY_HAND,
    ),
    (
        "fix_it.learn",
        "from minigrad_lessons.checks import fix_it\n"
        + function(
            "learn",
            "x, y, *leaves",
            "start = [fix_it.np.array(one.tolist()) for one in (x, y, *leaves)]",
            "leaves[0].requires_grad_().sum().backward()",
            "for leaf, end in zip(leaves, fix_it._learnt(*start)[0]): leaf.data.copy_(leaf.new_tensor(end.tolist()))",
            "return 0.0",
        )
        + "check.learn(learn, x)",
        *BY_HAND,
    ),
]

# What is right, said otherwise than the solutions in the lessons say it.
OTHERWISE = [
    ("functions.cube", cube("(3 * x * x * grad_output,)", forward="x * x * x")),
    ("functions.cube", cube("torch.mul(3 * x.pow(2), grad_output)", forward="x.pow(3)")),
    ("functions.cube", cube("sum(grad_output * x * x for _ in range(3))")),
    ("updating.fit", line(f"{LINE}.backward()", *step("w", "b"), "w.grad = b.grad = None") + FIT),
    (
        "updating.fit",
        line("opt.zero_grad()", f"{LINE}.backward()", "opt.step()", before="opt = torch.optim.SGD([w, b], lr=0.03)")
        + FIT,
    ),
    (
        "updating.fit",
        line(
            f"dw, db = torch.autograd.grad({LINE}, (w, b))",
            "w = (w - 0.03 * dw).detach().requires_grad_()",
            "b = (b - 0.03 * db).detach().requires_grad_()",
        )
        + FIT,
    ),
    (
        "updating.fit",  # one sample at a time, added up: that is what adding up is for
        line(
            "w.grad = b.grad = None",
            "for x, y in zip(X, Y):",
            "    ((y - (w * x + b)) ** 2).backward()",
            *step("w", "b"),
        )
        + FIT,
    ),
    (
        "updating.fit",
        line(
            f"{LINE}.backward()", *step("w", "b"), "w.grad.zero_(); b.grad.zero_()", after="return [w.item(), b.item()]"
        )
        + FIT,
    ),
    ("updating.repair", loop("w.grad = None", *BACK, *step("w")) + REPAIR),
    ("accumulate.train", loop(f"(w.grad,) = torch.autograd.grad({LOSS}, w)", *step("w")) + TRAIN),  # nothing is added
    (
        "updating.repair",
        loop(f"(g,) = torch.autograd.grad({LOSS}, w)", "with torch.no_grad():", "    w -= 0.03 * g") + REPAIR,
    ),
    (
        "updating.repair",
        loop("opt.zero_grad()", *BACK, "opt.step()", before="opt = torch.optim.SGD([w], lr=0.03)") + REPAIR,
    ),
    ("updating.repair", loop(*BACK, "w.data -= 0.03 * w.grad", "w.grad.zero_()") + REPAIR),
    ("accumulate.train", loop(*BACK, "w.data = w.data - 0.03 * w.grad", "w.grad = None", rounds=20) + TRAIN),
    (
        "accumulate.train",
        loop(*BACK, *step("w"), "w.grad.zero_()", before="w = w.detach().clone().requires_grad_()") + TRAIN,
    ),
    ("accumulate.train", loop(*BACK, "w = (w - 0.03 * w.grad).detach().requires_grad_()", rounds=20) + TRAIN),
    ("saved.loop", loop("w.grad = None", *BACK, *step("w"), rounds=200) + LOOP),
    (
        "updating.repair",
        loop(
            "opt.zero_grad()",
            *BACK,
            "opt.step()",
            rounds=400,
            before="opt = torch.optim.SGD([w], lr=0.01, momentum=0.9)",
        )
        + REPAIR,
    ),
    (
        "updating.fit",
        line("opt.zero_grad()", f"{LINE}.backward()", "opt.step()", before="opt = torch.optim.Adam([w, b], lr=0.1)")
        + FIT,
    ),
    (
        "updating.repair",
        loop(*BACK, "w.requires_grad_(False)", "w -= 0.03 * w.grad", "w.requires_grad_(True)", "w.grad.zero_()")
        + REPAIR,
    ),
    ("saved.loop", loop(f"{LOSS}.backward(retain_graph=True)", *step("w"), "w.grad.zero_()") + LOOP),
    ("saved.loop", loop("opt.zero_grad()", *BACK, "opt.step()", before="opt = torch.optim.SGD([w], lr=0.03)") + LOOP),
    ("graph.build", "check.build(torch.mean(torch.pow(w - 1.5, 2)), w)"),
    ("graph.build", "check.build(((w - b.detach()) ** 2).mean(), w)"),
    ("graph.build", "check.build(w.sub(x).pow(3).mean(), w)"),
    ("recording.bug", "my_loss = lambda w, b: ((Y - w * X - b) * (Y - w * X - b)).sum()\n" + BUG),
    ("recording.bug", "my_loss = lambda w, b: sum((y - (w * x + b)) ** 2 for x, y in zip(X, Y))\n" + BUG),
    ("recording.bug", function("my_loss", "w, b", "p = torch.mul(X, w)", "return (Y - b - p).pow(2).sum()") + BUG),
    ("functions.culprit", 'check.culprit("Product", y[0], x[0])'),
    ("functions.culprit", 'check.culprit("Product", 0.9999999999, 0.5)'),
    ("functions.culprit", 'check.culprit("Product", torch.tensor(1.0), 1 / 2)'),
    (
        "jacobians.row",
        (
            "def my_row(f, x, i):\n    e = 1e-3\n    d = torch.zeros_like(x)\n    row = torch.zeros_like(x)\n"
            "    for j in range(len(x)):\n        d.zero_()\n        d[j] = e\n"
            "        row[j] = (f(x + d)[i] - f(x - d)[i]) / (2 * e)\n    return row\n"
            "check.row(my_row, torch.tensor([1.0, 2.0, 4.0]))"
        ),
    ),
    ("graph.names", "check.names({k: f'<{v}>' for k, v in " + repr(graph.NAMES) + ".items()})"),
    (
        "graph.names",
        "x = torch.ones(2, requires_grad=True)\ncheck.names({k: repr(eval(k).grad_fn) for k in "
        + repr(list(graph.NAMES))
        + "})",
    ),
]

# What is wrong, and what exactly: the exercise, the answer, and what is said of it in each language.
DIAGNOSES = [
    ("graph.walk", "check.walk(z.grad_fn.next_functions[0][0].next_functions[1][0], w)", "(None, 0)", "请换另一对"),
    (
        "graph.names",
        "check.names({**" + repr(graph.NAMES) + ", 'x + 1': 'addbackward0'})",
        "capitals and small letters",
        "大小写",
    ),
    ("graph.names", "check.names({**" + repr(graph.NAMES) + ", 'x + 1': 0})", "text in quotes", "带引号的字符串"),
    (
        "first_gradient.typo",
        "a, b, c = (torch.tensor([v], requires_grad=True) for v in (0.0, 1.0, 0.0))\n"
        "((Y - (a * X**2 + b * X + c)) ** 2).mean().backward()\ncheck.typo(a, b, c)",
        "That is a third",
        "正好是三分之一",
    ),
    (
        "first_gradient.typo",
        "a, b, c = (torch.tensor([v], requires_grad=True) for v in (0.0, 1.0, 0.0))\n"
        "for _ in range(3): ((Y - (a * X**2 + b * X + c)) ** 2).sum().backward()\ncheck.typo(a, b, c)",
        "3 times as much",
        "正好是 3 倍",
    ),
    (
        "first_gradient.typo",
        "a, b, c = (torch.tensor([v], requires_grad=True) for v in (0.0, 1.0, 0.0))\n"
        "((Y - (a * X + b * X + c)) ** 2).sum().backward()\ncheck.typo(a, b, c)",
        "Is it the same loss",
        "总和吗",
    ),
    (
        "first_gradient.typo",
        "a, b, c = (torch.Tensor([v]) for v in (0.0, 1.0, 0.0))\na.requires_gard = b.requires_grad = True\n"
        "c.requires_gradd = True\n((Y - (a * X**2 + b * X + c)) ** 2).sum().backward()\ncheck.typo(a, b, c)",
        "a is still not tracked",
        "a 还未被追踪",
    ),
    ("updating.repair", loop(*BACK, *step("w"), "w.grad.zero_()", rounds=3) + REPAIR, "too few steps", "步数太少"),
    (
        "updating.repair",
        loop(*BACK, *step("w"), rounds=40) + REPAIR,
        "Backward number 2 found -40 in w.grad",
        "第 2 次反向传播时，w.grad 里还留着之前的 -40",
    ),
    ("updating.repair", loop(*BACK, "w.grad = None", *step("w")) + REPAIR, "Something here is None", "有个值是 None"),
    ("updating.repair", loop(*BACK, *step("w", rate=0.3), "w.grad = None") + REPAIR, "diverged", "训练发散了"),
    (
        "updating.repair",
        loop(f"({LOSS} + w ** 2).backward()", *step("w"), "w.grad = None", after="return w.item()") + REPAIR,
        "has its bottom there",
        "不是题目里的损失",
    ),
    ("saved.loop", loop(*BACK, *step("w"), rounds=20) + LOOP, "found -40 in w.grad", "还留着之前的 -40"),
    ("saved.loop", loop(*BACK, *step("w"), "w.grad = None", rounds=3) + LOOP, "too few steps", "步数太少"),
    (
        "saved.loop",
        loop("loss.backward(retain_graph=True)", *step("w", rate=0.001), "w.grad = None", before=f"loss = {LOSS}")
        + LOOP,
        "the graph of an old loss",
        "旧损失的计算图",
    ),
    (
        "accumulate.train",
        loop(*BACK, *step("w", rate=0.3), "w.grad.zero_()", rounds=20) + TRAIN,
        "diverged",
        "训练发散了",
    ),
    (
        "accumulate.train",
        loop(*BACK, *step("w", rate=0.08), "w.grad.zero_()", rounds=3) + TRAIN,
        "diverged",
        "训练发散了",
    ),
    (
        "updating.fit",
        line(f"{LINE}.backward()", *step("w", "b", rate=0.07), "w.grad = b.grad = None", rounds=10) + FIT,
        "diverged",
        "训练发散了",
    ),
    (
        "recording.freeze",
        function("my_function", "w", "c = w**2", "c.requires_grad = False", "return c * 5 * w")
        + "check.freeze(my_function, torch.tensor(2.0))",
        "use var_no_grad = var.detach().",
        "use var_no_grad = var.detach().",
    ),
    *(
        (exercise, loop(*BACK, *step("w", rate=-0.03), "w.grad = None") + call, "uphill", "上坡")
        for exercise, call in (("accumulate.train", TRAIN), ("updating.repair", REPAIR), ("saved.loop", LOOP))
    ),
    (
        "updating.fit",
        line(f"{LINE}.backward()", *step("w", "b", rate=-0.001), "w.grad = b.grad = None") + FIT,
        "uphill",
        "上坡",
    ),
    ("accumulate.train", loop("w.grad.zero_()", *BACK, *step("w")) + TRAIN, "Something here is None", "有个值是 None"),
    (
        "saved.twice",
        "check.twice(lambda loss: loss.backward(), torch.tensor([2.0]))",
        "ran once only",
        "只反向传播了一次",
    ),
    (
        "accumulate.train",
        loop(f"loss = {LOSS}", "loss.backward()", *step("w"), "w.grad = None", after="return loss") + TRAIN,
        "that is not w",
        "它不是 w",
    ),
    ("updating.fit", line(f"{LINE}.backward()", after="pass") + FIT, "end it with return w, b", "最后写上 return w, b"),
    (
        "jacobians.row",
        function("my_row", "f, x, i", "x.requires_grad_()", "f(x)[i].backward()", "return x.grad")
        + "check.row(my_row, torch.tensor([1.0, 2.0, 4.0]))",
        "These are rows 0 to 1 added up",
        "这是第 0 到第 1 行之和",
    ),
    ("saved.twice", "check.twice(lambda loss: None, torch.tensor([2.0]))", "did not run", "一次反向传播也没有"),
    (
        "updating.fit",
        f"check.fit(lambda w, b: ('w', 'b'), {W}, {B})",
        "Your function returned 'w'",
        "你的函数返回的是 'w'",
    ),
    (
        "hooks.scale",
        "check.scale(lambda h: h.register_hook(lambda g: 1 / 0), torch.tensor(2.0))",
        "ZeroDivisionError",
        "报错",
    ),
    ("hooks.scale", "check.scale(lambda h: h.detach_(), torch.tensor(2.0))", "does not require grad", "报错"),
    (
        "accumulate.train",
        loop(*BACK) + "check.train(train, torch.tensor([1.0]))",
        "should be a tracked leaf",
        "应当是被追踪的叶子",
    ),
]

SORTED = (
    function(
        "classify",
        "x, y, w",
        "w.requires_grad = True",
        "for _ in range(50):",
        "    e = {}",
        "    p = e[torch.arange(len(y)), y] / e.sum(dim=1)",
        "    (-{}.log().mean()).backward()",
        *(f"    {line}" for line in step("w", rate=0.1)),
        "    w.grad = None",
        "return w",
    )
    + "check.classify(classify, x)"
)

DIAGNOSES += [
    (
        "fix_it.classify",  # no overflow, and another loss
        SORTED.format("((x @ w) / 1000).exp()", "p"),
        "Is it still the same loss",
        "损失还是原来的损失吗",
    ),
    (
        "fix_it.classify",  # where the label is wrong, there is no gradient
        SORTED.format("(x @ w).clamp(max=80).exp()", "(p + 1e-9)"),
        "Is it still the same loss",
        "损失还是原来的损失吗",
    ),
    (
        "saved.twice",
        "check.twice(lambda loss: (2 * loss).backward(), torch.tensor([2.0]))",
        "the graph was walked once",
        "计算图只走了 1 遍",
    ),
    (
        "updating.two_faults",
        function(
            "train",
            "w, b",
            "for _ in range(300):",
            f"    ({LINE} / 3).backward()",
            "    with torch.no_grad():",
            "        b -= 0.1 * b.grad",
            "    w.grad = b.grad = None",
            "return w, b",
        )
        + TWO,
        "w = 1, b = 3, with a loss of 0.6667",
        "w = 1、b = 3，损失还有 0.6667",
    ),
    (
        "recording.slips",
        "check.slips('with torch.no_grad: prediction = w * 4\\nh = (w * 3).detach()', torch)",
        "Your code raised an error",
        "你的代码运行时报错了",
    ),
    (
        "leaves.slope_at",
        "check.slope_at(lambda f, at: ((f(torch.tensor(at + 0.001)) - f(torch.tensor(float(at)))) / 0.001).item())",
        "only comes near it",
        "只能接近斜率",
    ),
    (
        "leaves.in_place",
        "check.in_place(lambda: (torch.ones(2, requires_grad=True) * 2).add_(1))",
        "a result may be written into",
        "运算结果可以写入",
    ),
    (
        "recording.slips",
        "check.slips('with torch.no_grad(): prediction = w * 4\\nh = (w * 3).item()', torch)",
        "should be a tensor of 7.5",
        "应当是值为 7.5 的张量",
    ),
    (
        "updating.so_far",
        "check.so_far({**check.SO_FAR, '(x * x).backward(); (x * x).backward()': 12.5})",
        "where you said 12.5",
        "你写的是 12.5",
    ),
    (
        "functions.reached",
        "check.reached(lambda loss, parameters: None, torch.tensor([2.0, 3.0]))",
        "Your function returned None",
        "你的函数返回的是 None",
    ),
    (
        "across_machines.travel",
        "check.travel(lambda x, y, w: lambda: w, lambda arrived, w: None, X, Y)",
        "Your function raised an error",
        "你的函数运行时报错了",
    ),
    (
        "build_it.softmax",
        "check.softmax(lambda z, target: None, lambda g, z, target: z)",
        "Your function returned None",
        "你的函数返回的是 None",
    ),
    (
        "build_it.unbroadcast",
        "check.unbroadcast(lambda g, shape: None, backward, apply, Value)",
        "Your function returned None",
        "你的函数返回的是 None",
    ),
    (
        "build_it.order",  # level by level: the time grows with the paths, but each of them costs little
        function(
            "mine",
            "root",
            "depth, level = {}, [root]",
            "while level:",
            "    depth |= dict.fromkeys(level, max(depth.values(), default=0) + 1)",
            "    level = [to for node in level for to, _ in node.next_functions if to is not None]",
            "return sorted(depth, key=depth.get)",
        )
        + "check.order(mine, backward, apply, Value)",
        "it follows every path",
        "它把每条路径都走了一遍",
    ),
    ("build_it.remember", "check.remember(lambda op, *inputs: None, Value)", "returns nothing", "没有返回值"),
    (
        "fix_it.follow",
        function(
            "mine",
            "days, w",
            "level = 0",
            "for rain, _ in days:",
            "    level += (w * rain).sum() ** 2",
            "    level.backward()",
        )
        + "check.follow(mine, x)",
        "goes on into the first day's graph",
        "走进了第一天的图",
    ),
    (
        "fix_it.follow",
        function("mine", "days, w", "for rain, _ in days:", "    return 3.0") + "check.follow(mine, x)",
        "has finished 0",
        "只走完了 0 天",
    ),
    (
        "updating.repair",
        loop("with torch.no_grad():", f"    {LOSS}.backward()", "    w -= 0.03 * w.grad", "    w.grad.zero_()")
        + REPAIR,
        "is the loss computed under no_grad(), too",
        "是不是把算损失那一行也写进了 no_grad()",
    ),
    (
        "hooks.capture",
        function("g", "h, loss", "loss.backward()", "h.retain_grad()", "return h.grad")
        + "check.capture(g, torch.tensor(2.0))",
        "call it first, then backward()",
        "要先调用它，再调用 backward()",
    ),
    (
        "functions.cube",
        cube("setattr(x, 'grad', grad_output * 3 * x**2)"),
        "backward returned nothing",
        "backward 什么也没有返回",
    ),
    (
        "functions.reached",
        function(
            "mine", "loss, parameters", "return [name for name, one in parameters.items() if one.grad is not None]"
        )
        + "check.reached(mine, torch.tensor([2.0, 3.0]))",
        "you return []",
        "你返回了 []",
    ),
    (
        "functions.reached",
        function(
            "mine",
            "loss, parameters",
            "nodes = [loss.grad_fn]",
            "for node in nodes:",
            "    nodes += [to for to, _ in node.next_functions]",
            "return []",
        )
        + "check.reached(mine, torch.tensor([2.0, 3.0]))",
        "next_functions has (None, 0)",
        "next_functions 里是 (None, 0)",
    ),
    *(
        (
            "build_it.remember",
            function(
                "__init__", "self, op, inputs", "self.op, self.inputs = op, inputs", f"self.next_functions = {ways}"
            )
            + "Node.__init__ = __init__\ncheck.remember(apply, Value)",
            "a pair `(node, 0)` for each of the two inputs",
            "就要有两个二元组",
        )
        for ways in (
            "[value.node for value in inputs]",
            "((value.node, 0) for value in inputs)",
            "tuple((value.node, 0) for value in inputs if value.requires_grad)",
        )
    ),
    (
        "build_it.unbroadcast",
        function(
            "mine",
            "root",
            "arrived = {root.grad_fn: np.ones_like(root.data)}",
            "for node in users_first(root.grad_fn):",
            "    unbroadcast(arrived.pop(node), valeu.data.shape)",
        )
        + "check.unbroadcast(unbroadcast, mine, apply, Value)",
        "name 'valeu' is not defined",
        "name 'valeu' is not defined",
    ),
]

# What is edited and as wrong as before: ❌, not ⬜.
EDITED = [
    (
        "versions.repair",
        function("my_loss", "x", "a = x.exp()", "a += 1", "return a.sum()")
        + "check.repair(my_loss, torch.tensor([0.0, 1.0]))",
        "is a write, too",
        "也是写入",
    ),
    (
        "saved.twice",
        function("backward_twice", "loss", "loss.backward()", "loss.backward(retain_graph=True)")
        + "check.twice(backward_twice, torch.tensor([2.0]))",
        "Backward number 2 finds the saved values gone",
        "第 2 次反向传播时，保存的值已经不在了",
    ),
    (
        "recording.bug",
        function(
            "my_loss",
            "w, b",
            "with torch.no_grad():",
            "    prediction = w * X",
            "prediction.requires_grad_()",
            "return ((Y - (prediction + b)) ** 2).sum()",
        )
        + BUG,
        "starting point; what lies before it",
        "新的起点",
    ),
    ("saved.loop", loop("loss.backward()", *step("w"), before=f"loss = {LOSS}", rounds=20) + LOOP, "gone", "释放了"),
    ("updating.repair", loop(*BACK, "w = w - 0.01 * w.grad") + REPAIR, "no longer the leaf", "不再是那个叶子"),
    ("accumulate.train", loop(*BACK, *step("w"), rounds=21) + TRAIN, "found -40", "还留着之前的 -40"),
    (
        "leaves.in_place",
        function("my_mistake", "", "w = torch.ones(2, requires_grad=True)", "w.requires_grad = False", "return ...")
        + "check.in_place(my_mistake)",
        "without an error",
        "没有报错",
    ),
]


PARABOLA = "((Y - (a * X**2 + b * X + c)) ** 2).sum().backward()\n"
ABC = "a, b, c = (torch.tensor([{}], requires_grad=True) for _ in range(3))\n"
REFUSED = "w = torch.ones(2, requires_grad=True)"
NODES = '{"a": a.grad_fn, "b": b.grad_fn, "c": c.grad_fn, "y": y.grad_fn}'
TRAVEL = "check.travel(there, here, X, Y)"
SHARE = function("there", "x, y, w", "return gradient(x, y, w)")

#: Beside the lesson's own solutions: every exercise has three right answers.
OTHERWISE += [
    ("first_gradient.slope", "check.slope(sum(-2 * x * (y - x) for x, y in zip(X1.tolist(), Y1.tolist())), X1, Y1)"),
    ("first_gradient.flat", "check.flat(torch.tensor([4.0, 2.0, 2.0]), X)"),
    ("first_gradient.typo", ABC.format("0.0") + PARABOLA + "check.typo(a, b, c)"),
    ("tensors_and_views.item", "check.item(float(x[4, 2]), x)"),
    ("tensors_and_views.item", "check.item(x.tolist()[-1][-1], x)"),
    (
        "graph.walk",
        "node = z.grad_fn\nwhile node.next_functions:\n    node = node.next_functions[0][0]\ncheck.walk(node, w)",
    ),
    ("graph.walk", "check.walk(y.grad_fn.next_functions[0][0], w)"),
    ("leaves.in_place", function("wrong", "", REFUSED, "w.add_(1)") + "check.in_place(wrong)"),
    (
        "leaves.flag_of_a_result",
        function("wrong", "", REFUSED, "y = w + 1", "y.requires_grad_(False)") + "check.flag_of_a_result(wrong)",
    ),
    (
        "leaves.leaf_of",
        "leaf_of = lambda t: (t if t.is_leaf else t.clone().detach()).requires_grad_(True)\n"
        "check.leaf_of(leaf_of, torch.tensor([1.5, 2.0, 4.0]))",
    ),
    (
        "leaves.slope_at",
        function(
            "slope_at",
            "f, at",
            "x = torch.tensor(float(at), requires_grad=True)",
            "return float(torch.autograd.grad(f(x), x)[0])",
        )
        + VALUE_OF,
    ),
    ("backward.order", f'check.order(("y", "c", "b", "a"), {NODES})'),
    ("backward.order", f'check.order(list("ycba"), {NODES})'),
    ("backward.paths", "check.paths(torch.tensor(51.0))"),
    ("backward.paths", "check.paths(27 + 18 + 6.0)"),
    ("backward.paths", "my_gradient = 51,\ncheck.paths(my_gradient)"),  # a comma too many
    ("backward.doublings", "check.doublings([2**10, 10])"),
    ("backward.doublings", "check.doublings(torch.tensor([1024, 10]))"),
    ("backward.doublings", "check.doublings((1024.0, 10.0))"),
    ("accumulate.sequence", "check.sequence([6.0, 12.0, 0.0, 6.0])"),
    ("accumulate.sequence", "check.sequence(torch.tensor([6.0, 12.0, 0.0, 6.0]) + 1e-6)"),  # as measured
    ("jacobians.weights", "v = torch.zeros(2, 2)\nv[0, 0], v[1, 1] = 2, -1\ncheck.weights(v)"),
    ("jacobians.weights", "check.weights(torch.diag(torch.tensor([2.0, -1.0])))"),
    ("jacobians.broadcast", "check.broadcast(torch.full((2, 1), 10.0))"),
    ("jacobians.broadcast", "check.broadcast(2 * torch.ones(2, 5).sum(dim=1, keepdim=True))"),
    (
        "jacobians.refused",
        function("wrong", "", "y = torch.ones(3, requires_grad=True) * 2", "y.backward(torch.ones(3, 1))")
        + "check.refused(wrong)",
    ),
    ("jacobians.formula", "check.formula(r'\\frac{\\partial l}{\\partial x_{i}} = J^\\mathsf{T} v')"),
    ("jacobians.formula", "check.formula(r'\\frac{∂l}{∂x} = J^\\mathsf{T} v')"),
    ("updating.twice", "check.twice([68.0, 136.0])"),
    ("updating.twice", "import numpy as np\ncheck.twice(np.array([68, 136]))"),
    ("updating.twice", "check.twice((0 + 68, 0 + 68 + 68))"),
    (
        "updating.two_faults",
        function(
            "train",
            "w, b",
            "for _ in range(300):",
            f"    loss = {LINE} / 3",
            "    by_w, by_b = torch.autograd.grad(loss, (w, b))",
            "    w.data -= 0.1 * by_w",
            "    b.data -= 0.1 * by_b",
            "return w, b",
        )
        + TWO,
    ),
    (
        "saved.twice",
        function("both", "loss", "for keep in (True, False):", "    loss.backward(retain_graph=keep)")
        + "check.twice(both, torch.tensor([2.0]))",
    ),
    (
        "saved.twice",
        function("both", "loss", "torch.autograd.backward(loss, retain_graph=True)", "loss.backward()")
        + "check.twice(both, torch.tensor([2.0]))",
    ),
    ("versions.count", "check.count(4)"),
    ("versions.count", "check.count(1 + 1 + 1 + 1)"),
    ("versions.repair", "check.repair(lambda x: (x.exp() + 1).sum(), torch.tensor([0.0, 1.0]))"),
    (
        "hooks.capture",
        function("seen", "h, loss", "kept = []", "h.register_hook(kept.append)", "loss.backward()", "return kept[0]")
        + "check.capture(seen, torch.tensor(2.0))",
    ),
    (
        "hooks.scale",
        function("ten", "h", "def scaled(grad):", "    return 10 * grad", "h.register_hook(scaled)")
        + "check.scale(ten, torch.tensor(2.0))",
    ),
    ("hooks.scale", "check.scale(lambda h: h.register_hook(lambda g: sum([g] * 10)), torch.tensor(2.0))"),
    (
        "hooks.second",
        function(
            "second",
            "f, x",
            "y = torch.autograd.grad(f(x), x, create_graph=True)[0]",
            "return torch.autograd.grad(y.sum(), x)[0]",
        )
        + SECOND,
    ),
    (
        "hooks.second",
        function(
            "second",
            "f, x",
            "x = x.detach().requires_grad_()",
            "f(x).backward(create_graph=True)",
            "return torch.autograd.grad(x.grad, x)[0]",
        )
        + SECOND,
    ),
    ("hooks.steer", function("steer", "w, target", "w.grad = ((w - target) / 0.1).detach()") + STEER),
    (
        "functions.reached",
        function(
            "reached",
            "loss, parameters",
            "found, waiting = set(), {loss.grad_fn}",
            "while waiting:",
            "    node = waiting.pop()",
            "    found |= {n for n, t in parameters.items() if getattr(node, 'variable', None) is t}",
            "    waiting |= {way for way, _ in node.next_functions if way is not None}",
            "return [n for n in parameters if n in found]",
        )
        + "check.reached(reached, torch.tensor([2.0, 3.0]))",
    ),
    (
        "across_machines.total",
        "check.total(lambda parts, w: torch.stack([gradient(x, y, w) for x, y in parts]).sum(), X, Y)",
    ),
    (
        "across_machines.combine",
        function("combine", "gradients, sizes", "return sum(g * (n / sum(sizes)) for g, n in zip(gradients, sizes))")
        + "check.combine(combine, X, Y)",
    ),
    ("across_machines.travel", SHARE + function("here", "arrived, w", "w.grad = torch.stack(arrived).sum(0)") + TRAVEL),
]
# With a function of the learner's own for the gradient.
OTHERWISE += [
    (
        "first_gradient.train",  # and a price that goes on from where the last rides left it
        function(
            "mine",
            "X, Y",
            "global price",
            "for _ in range(60):",
            "    w = torch.tensor([price], requires_grad=True)",
            f"    {LOSS}.backward()",
            "    price -= 0.03 * w.grad.item()",
            "return price",
        )
        + "price = 0.0\ncheck.train(mine, X)",
    ),
    (
        "first_gradient.train",
        function(
            "slope",
            "price, X, Y",
            "w = torch.tensor([price], requires_grad=True)",
            f"{LOSS}.backward()",
            "return w.grad",
        )
        + function(
            "mine", "X, Y", "p = 0.0", "for _ in range(20):", "    p -= 0.03 * slope(p, X, Y).item()", "return p"
        )
        + "check.train(mine, X)",
    ),
    (
        "leaves.history",
        function("slope", "n", "x = v = torch.tensor(float(n), requires_grad=True)", "while v != 1:")
        + "        v = v / 2 if v % 2 == 0 else 3 * v + 1\n    v.backward()\n    return x.grad.item()\n"
        + function("mine", "n", "g, halved, tripled = slope(n), 0, 0", "while g % 1: g, halved = 2 * g, halved + 1")
        + "    while g > 1: g, tripled = g / 3, tripled + 1\n    return halved, tripled\ncheck.history(mine)",
    ),
    (
        "functions.reached",
        function(
            "leaves",
            "node",
            "yield getattr(node, 'variable', None)",
            "for way, _ in node.next_functions if node else (): yield from leaves(way)",
        )
        + "mine = lambda loss, all: {n for n in all for leaf in leaves(loss.grad_fn) if leaf is all[n]}\n"
        + "check.reached(mine, torch.tensor([2.0, 3.0]))",
    ),
    # As typed, computed or copied: the case, blanks, a full stop, a NumPy bool and a node are no mistakes.
    ("saved.saves", "check.saves({k: f' {v.title()}。' for k, v in check.SAVES.items()})"),
    ("fix_it.steep", "check.steep({k: float(v) for k, v in check.STEEP.items()})"),
    ("fix_it.reach", "check.reach({k: v.upper().replace('NONE', 'None') for k, v in check.LOST.items()})"),
    ("functions.nine", "check.nine({k: v + ' ' for k, v in check.NINE.items()})"),
    ("functions.culprit", 'check.culprit("product", 1.0, 0.5)'),
    ("functions.culprit", "check.culprit(Product, 1.0, 0.5)"),
    ("tensors_and_views.dtypes", "check.dtypes({k: f' torch.{v} ' for k, v in check.DTYPES.items()})"),
    ("tensors_and_views.shares", "check.shares({k: torch.tensor(v) for k, v in check.SHARES.items()})"),
    ("leaves.leaves", "import numpy as np\ncheck.leaves({k: np.bool_(v) for k, v in check.LEAVES.items()})"),
    (
        "graph.names",
        "x = torch.ones(2, requires_grad=True)\ncheck.names({k: eval(k).grad_fn for k in check.NAMES})",
    ),
    ("build_it.axes", "check.axes({k: np.array(v, dtype=int) for k, v in check.AXES.items()})"),
    ("build_it.axes", 'check.axes({"(3,)": {0}, "(2, 1)": -1, "(1, 3)": -2, "()": range(2), "(2, 3)": []})'),
    ("build_it.axes", 'check.axes({"(3,)": 0, "(2, 1)": [-1], "(1, 3)": (0,), "()": [1, 0], "(2, 3)": ()})'),
    ("recording.slips", "check.slips('  prediction = w.detach() * 4\\n  h = (w * 3).detach()', torch)"),
    *(
        ("jacobians.formula", f"check.formula({formula!r})")
        for formula in (
            r"\( \frac{\partial l}{\partial x} = J^{\mathrm{T}} v \)",
            r"\frac{\partial l}{\partial x} = J^T \, v.",
            r"\frac{\partial l}{\partial x} = J^T \cdot v，",
            r"\frac{\partial l}{\partial x}=J^{\mathsf{T}}v",
            r"$\frac{\partial{l}}{\partial{x}} = J^\top v$",
            r"\frac{ \partial l }{ \partial x_i } = J^{T} v",
        )
    ),
]


HALF = "torch.tensor([0.5], requires_grad=True)"
SLIPPED = ("with torch.no_grad():", "    w -= 0.03 * w.grad", "    b -= 0.03 * w.grad", "w.grad = b.grad = None")
DAY = (
    "level = 0.5 * level + (w * rain).sum()", "loss = (level - measured) ** 2", "loss.backward({})",
    *step("w", rate=0.01), "w.grad = None", "level = level.detach()", "total += loss.item()",
)  # fmt: skip


def follow(*more: str, before: str = "pass", retain: str = "") -> str:
    lines = [f"    {one}".replace("{}", retain) for one in (*DAY, *more)]
    head = ("level, total = torch.zeros(()), 0.0", before, "for rain, measured in days:")
    return function("follow", "days, w", *head, *lines, "return total") + "check.follow(follow, x)"


# What three learners wrote: one at length, one who knows PyTorch, one who measures and calculates.
OTHERWISE += [
    ("first_gradient.slope", "check.slope([-14.0], X1, Y1)"),  # as tolist() gives it
    ("tensors_and_views.dtypes", "check.dtypes({k: f'“torch.{v}”。' for k, v in check.DTYPES.items()})"),
    (
        "tensors_and_views.dtypes",
        "import numpy as np\ncheck.dtypes({k: getattr(np, v) for k, v in check.DTYPES.items()})",
    ),
    *(
        ("graph.names", f"x = torch.ones(2, requires_grad=True)\ncheck.names({{k: {said} for k in check.NAMES}})")
        for said in ("type(eval(k).grad_fn)", "f'grad_fn={eval(k).grad_fn}'", "f'「{eval(k).grad_fn.name()}」。'")
    ),
    ("backward.order", f"check.order([' Y', 'c，', 'B', 'a'], {NODES})"),
    ("backward.paths", "y = lambda x: 3 * x * (4 * x + 1)\ncheck.paths((y(2.0001) - y(2)) / 0.0001)"),
    ("updating.so_far", "check.so_far({k: v + 1e-6 for k, v in check.SO_FAR.items()})"),
    ("saved.saves", "check.saves({k: f'「{v}」' for k, v in check.SAVES.items()})"),
    (
        "hooks.scale",
        function("ten", "h", "for _ in range(2):", "    h.register_hook(lambda g: g * 10**0.5)")
        + "check.scale(ten, torch.tensor(2.0))",
    ),
    ("functions.culprit", "check.culprit(Product.apply, 1.0, 0.5)"),
    ("build_it.axes", "check.axes({**check.AXES, '(2, 1)': np.int64(1)})"),
    *(
        ("jacobians.formula", f"check.formula({formula!r})")
        for formula in (
            r"\[ \tfrac{\partial\,l}{\partial\,x} = J^\intercal v \]",
            r"\frac{\partial l}{\partial x} = J^{\intercal} v",
        )
    ),
]
ALREADY = ("has been through backward() already", "已经做过反向传播了")
# What was refused with a reason that does not hold.
MISJUDGED = [
    (
        "first_gradient.typo",  # where the true gradient is 0
        "a, b, c = (torch.tensor([v], requires_grad=True) for v in (0.0, 2.0, 1.0))\n"
        "(Y - (a * X**2 + b * X + c)).sum().backward()\ncheck.typo(a, b, c)",
        "Is it the same loss",
        "总和吗",
    ),
    (
        "tensors_and_views.dtypes",  # Python's own float is no dtype
        "check.dtypes({**check.DTYPES, 'torch.tensor([1, 2]) / 2': float})",
        "the default floating-point dtype",
        "默认的浮点类型",
    ),
    ("backward.paths", "check.paths(51.12)", "by about 1.0224, not by 1.02", "变化约 1.0224，实际却变化了 1.02"),
    (
        "accumulate.sequence",
        function(
            "kept",
            "x, found",
            "for clear in (False, False, True, False):",
            "    x.grad.zero_() if clear else (x**2).backward()",
            "    found.append(x.grad)",
            "return found",
        )
        + "check.sequence(kept(torch.tensor(3.0, requires_grad=True), []))",
        "All four are one tensor",
        "同一个张量",
    ),
    ("jacobians.formula", 'check.formula("\\frac{\\\\partial l}{\\\\partial x} = J^T v")', "Keep the r", "引号前的 r"),
    (
        "updating.repair",
        loop(f"loss = {LOSS}", "loss.backward()", *step("w"), "w.grad = None", after="return loss") + REPAIR,
        "end with return w",
        "最后写 return w",
    ),
    ("updating.repair", loop(*BACK, *step("w", rate=1.0), "w.grad = None", rounds=99) + REPAIR, "diverged", "发散了"),
    *(
        (exercise, function("mine", takes, f"loss = {loss}", "loss.backward()", "return loss") + call, *ALREADY)
        for exercise, takes, loss, call in (
            ("recording.bug", "w, b", LINE, "check.bug(mine, torch.tensor([1.0]))"),
            ("versions.repair", "x", "(x.exp() + 1).sum()", "check.repair(mine, torch.tensor([0.0, 1.0]))"),
        )
    ),
    (
        "build_it.rules",
        function(
            "mine",
            "root",
            "nodes = [root.grad_fn]",
            "for node in nodes:",
            "    nodes += [to for to, _ in node.next_functions if to.inputs]",
        )
        + "check.rules(mine, apply, Value)",
        "A node here is None",
        "这里有个节点是 None",
    ),
    ("functions.culprit", "check.culprit(Square, 1.0, 0.5)", "You gave <class", "你给出的是 <class"),
    ("build_it.axes", "check.axes({**check.AXES, '(2, 3)': None})", "You gave None", "你给出的是 None"),
    (
        "fix_it.follow",
        follow("history.append(loss)", before="history = []"),
        "or its graph is kept in a list",
        "还留在某个列表里",
    ),
    (
        "hooks.second",
        "check.second(lambda f, x: 12.3, torch.tensor(2.0))",
        "changes there by about 12.0",
        "斜率大约变化 12.0",
    ),
]

# What mutants of the solutions were taken for, and is not.
MUTANTS = [
    (
        "leaves.leaf_of",
        function("leaf_of", "t", "return (t if t.is_leaf else t.detach_().clone()).requires_grad_()")
        + "check.leaf_of(leaf_of, torch.tensor([1.5, 2.0, 4.0]))",
        "your function changes t itself",
        "你的函数改动了 t 本身",
    ),
    (
        "hooks.steer",
        function("steer", "w, target", "(w.grad,) = torch.autograd.grad(5 * ((w - target) ** 2).sum(), w)") + STEER,
        "by a backward pass",
        "用了反向传播",
    ),
    (
        "hooks.steer",
        function("steer", "w, target", "w.grad = (w.detach_() - target) * 10") + STEER,
        "no longer tracked",
        "不再被追踪",
    ),
    (
        "updating.fit",  # from (1, 0) it would come to (2, 1) all the same
        line(f"{LINE}.backward()", *SLIPPED) + f"check.fit(fit, {W}, {HALF})",
        "and 0.001 is wanted",
        "应小于 0.001",
    ),
    (
        "saved.twice",
        function("backward_twice", "loss", "loss.backward(create_graph=True)", "loss.backward()")
        + "check.twice(backward_twice, torch.tensor([2.0]))",
        "create_graph=True has given w.grad a graph",
        "create_graph=True 给 w.grad 又留下了一张图",
    ),
    (
        "updating.repair",
        loop(f"loss = {LOSS}", *step("w")[:1], "    w -= 0.0") + REPAIR,
        "no backward",
        "没有一次反向传播",
    ),
    ("updating.repair", loop(*BACK, "w.grad.zero_()", *step("w")) + REPAIR, "w never moved", "一动没动"),
    (
        "updating.repair",
        loop("((Y - w * X) * 2).sum().backward()", *step("w"), "w.grad = None") + REPAIR,
        "the loss is a straight line",
        "损失是一条直线",
    ),
    (
        "updating.repair",
        loop("((Y + w * X) ** 2).sum().backward()", *step("w"), "w.grad = None") + REPAIR,
        "not this exercise's loss",
        "不是题目里的损失",
    ),
    (
        "updating.repair",
        loop(*BACK, *step("w"), "w.grad = None", after="return w.detach()") + REPAIR,
        "end with return w",
        "最后写 return w",
    ),
    (
        "functions.cube",
        "class Cube(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        x**3\n\n"
        "    @staticmethod\n    def backward(ctx, grad_output):\n        return grad_output\n\n\ncheck.cube(Cube, x)",
        "forward returned nothing",
        "forward 什么也没有返回",
    ),
    *(
        ("fix_it.follow", follow(more, before=before), "still linked to the day before", "每一天都还连着前一天")
        for before, more in (
            ("history = []", "history.append((level, loss))"),
            ("log = {'losses': []}", "log['losses'].append(loss)"),
        )
    ),
    ("fix_it.follow", follow(retain="retain_graph=True"), "retain_graph=True is still there", "retain_graph=True 还在"),
]
OTHERWISE.append(("fix_it.follow", follow(before="loud = True", retain="retain_graph=False")))


def answered(exercise: str, answer: str) -> str:
    """What a learner reads who gives `answer` to an exercise such as ``graph.build``."""
    module, _, name = exercise.partition(".")
    (found,) = [
        (lesson, cell)
        for lesson, cell in EXERCISES
        if f"check.{name}(" in cell.source and any(f"import {module} as check" in code.source for code in lesson.code)
    ]
    return Learner(found[0]).runs(found[1], answer)


def numbered(answers: list) -> list:
    return [pytest.param(*answer, id=f"{number}-{answer[0]}") for number, answer in enumerate(answers)]


@pytest.mark.parametrize(
    ("exercise", "answer", "english", "chinese"), numbered(NONSENSE + DIAGNOSES + EDITED + MUTANTS + MISJUDGED)
)
def test_a_mistake_is_not_praised_and_is_named(engine, exercise, answer, english, chinese):
    printed = answered(exercise, answer)
    assert marks(printed) == ["❌"], printed
    assert english in printed
    assert chinese in printed


@pytest.mark.parametrize(("exercise", "answer"), numbered(OTHERWISE))
def test_a_right_answer_in_another_style_is_accepted(engine, exercise, answer):
    printed = answered(exercise, answer)
    assert marks(printed) == ["✅"], printed


@pytest.mark.parametrize(("lesson", "cell"), EXERCISES, ids=[cell.title for _, cell in EXERCISES])
def test_every_exercise_declares_three_right_answers_and_four_wrong_ones(lesson, cell):
    """A table has one right answer, however it is written."""
    page = "\n".join(code.source for code in lesson.code)
    module, name = (
        re.search(r"import (\w+) as check$", page, re.M)[1],
        re.findall(r"^check\.(\w+)", cell.source, re.M)[-1],
    )
    called = f"{module}.{name}"
    right, wrong = (
        sum(name == called for name, *_ in declared) for declared in (OTHERWISE, NONSENSE + DIAGNOSES + EDITED)
    )
    assert right + len(cell.solutions) >= (1 if "{\n" in cell.source else 3)
    assert wrong + len(cell.wrong) >= 4


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_librarys_own_hint_is_shown_whole_and_in_the_readers_language(lang, monkeypatch):
    monkeypatch.setenv("MINIGRAD_LANG", lang)
    answer = function("my_function", "w", "c = w**2", "c.requires_grad = False", "return c * 5 * w")
    printed = answered("recording.freeze", answer + "check.freeze(my_function, torch.tensor(2.0))")
    assert ("Lesson 4." in printed) == (lang == "en")
    assert ("参见第 4 课" in printed) == (lang == "zh")
    slip = answered("accumulate.train", loop("w.zero_gard()") + TRAIN)
    assert {"en": "Do you mean x.zero_?", "zh": "是不是想写 x.zero_？"}[lang] in slip


def test_a_loop_without_retain_graph_is_not_told_about_it(engine):
    clean, kept = (
        answered("saved.loop", loop(f"{LOSS}.backward({flag})", *step("w"), "w.grad = None") + LOOP)
        for flag in ("", "retain_graph=True")
    )
    assert "retain_graph" not in clean
    assert "You can remove retain_graph=True" in kept
    assert "retain_graph=True 可以去掉" in kept


def test_writing_through_data_is_accepted_with_a_comment(engine):
    printed = answered("updating.repair", loop(*BACK, "w.data -= 0.03 * w.grad", "w.grad.zero_()") + REPAIR)
    assert marks(printed) == ["✅"]
    assert "would go unnoticed" in printed
    assert "自动求导察觉不到" in printed


def test_a_stub_with_a_comment_and_a_blank_line_is_still_untouched(engine):
    stub = next(cell for _, cell in EXERCISES if "check.train(train, " in cell.source)
    printed = answered("accumulate.train", stub.source.replace("loss.backward()", "\n        loss.backward()  # here?"))
    assert marks(printed) == ["⬜"]
    assert "Not changed yet" in printed
    assert "和开始时一样" in printed


def test_a_second_function_that_is_a_stub_still_is_not_called_wrong(engine):
    printed = answered("across_machines.travel", SHARE + function("here", "arrived, w", "w.grad = ...") + TRAVEL)
    assert marks(printed) == ["⬜"]


@pytest.mark.parametrize(
    ("exercise", "answer"),
    [
        ("first_gradient.flat", "check.flat([..., ..., ...], X)"),
        ("tensors_and_views.columns", "check.columns(lambda t: ..., torch.ones(2, 3))"),
        ("leaves.leaf_of", "check.leaf_of(lambda t: ..., torch.ones(2))"),
        ("leaves.slope_at", "check.slope_at(lambda f, at: ...)"),
        ("leaves.history", "check.history(lambda n: (..., 0))"),
        ("accumulate.sequence", "check.sequence([6, ..., ..., ...])"),
        ("functions.reached", "check.reached(lambda loss, parameters: ..., torch.tensor([2.0, 3.0]))"),
        ("build_it.rules", 'RULES["relu"] = (RULES["relu"][0], lambda g, a: ...)\ncheck.rules(backward, apply, Value)'),
        (
            "build_it.remember",
            function("start", "self, *given", "begin(self, *given)", "self.node = self.grad_fn or ...")
            + "begin, Value.__init__ = Value.__init__, start\ncheck.remember(apply, Value)",
        ),
    ],
)
def test_what_still_holds_the_three_dots_is_not_called_wrong(engine, exercise, answer):
    printed = answered(exercise, answer)
    assert marks(printed) == ["⬜"], printed


def test_a_second_refusal_leads_to_the_next_hint(capsys):
    for wanted in (1, 2, 3, 3):
        for _ in range(2):  # who has not read it is sent to the same
            backward.paths(7, lang="en")
            assert f"check.paths.hint({wanted})" in capsys.readouterr().out
        backward.paths.hint(lang="en")
        assert f"Hint {wanted} of 3" in capsys.readouterr().out


@pytest.mark.parametrize(("lesson", "cell"), EXERCISES, ids=[cell.title for _, cell in EXERCISES])
def test_a_right_answer_is_told_why(lesson, cell):
    """More than that it is right: a lucky guess learns something, too."""
    for answer in cell.solutions:
        english, *_, chinese = reply(minigrad, lesson, cell, answer).splitlines()
        assert len(re.findall(r"\w+", english)) >= 8, english
        assert len(source.CHINESE.findall(chinese)) >= 8, chinese


def test_the_numbers_that_lesson_13_expects_are_those_of_gradcheck_above_the_exercise(engine):
    """In a scratch cell there: no `y` of an earlier section may get in."""
    said = answered(
        "functions.culprit",
        "try:\n    torch.autograd.gradcheck(Product.apply, (x, y))\nexcept RuntimeError as error:\n    print(error)",
    )
    found = [float(number) for number in re.findall(r"ical:tensor\(\[\[ *([\d.]+)", said)]
    assert found == [functions.NUMERICAL, functions.ANALYTICAL]


class _Numbers:
    def __init__(self, *values: float) -> None:
        self.values = list(values)

    def tolist(self) -> list[float]:
        return self.values


class _Hostile:
    """An answer whose every question raises."""

    def __getattr__(self, name):
        raise ValueError(name)

    def __repr__(self):
        raise ValueError("repr")

    def __float__(self):
        raise ValueError("float")

    def __eq__(self, other):
        raise ValueError("eq")

    def __bool__(self):
        raise ValueError("bool")

    def __iter__(self):
        raise ValueError("iter")

    def __call__(self):
        raise ValueError("call")

    __hash__ = None


def checks(kind: type = Exercise) -> list:
    import importlib
    import pkgutil

    import minigrad_lessons.checks

    modules = [
        importlib.import_module(f"minigrad_lessons.checks.{m.name}")
        for m in pkgutil.iter_modules(minigrad_lessons.checks.__path__)
    ]
    found = [value for module in modules for value in vars(module).values() if isinstance(value, kind)]
    assert found
    return found


ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.binary(max_size=5),
    st.lists(st.floats(), max_size=4),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
    st.lists(st.floats(), max_size=4).map(lambda values: _Numbers(*values)),
    st.sampled_from([..., _Hostile(), _Hostile, len, object(), 10**400, [[1], [2, 3]], 1j]),
)


@given(answers=st.lists(ANYTHING, max_size=4), lang=st.sampled_from([None, "en", "zh", "fr", 3]))
def test_a_check_never_raises(answers, lang):
    import contextlib
    import io

    for check in checks():
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            assert check(*answers, lang=lang) is None
            check.hint(*answers[:1], lang=lang)
        assert len(marks(printed.getvalue())) == 1


def test_a_check_called_otherwise_than_in_its_cell_says_how(capsys):
    """A right answer alone must not be told that it is of the wrong kind."""
    first_gradient.slope(-14, lang="en")
    versions.count(4, 5, lang="en")
    accumulate.train(lambda w: w, lang="en")
    printed = capsys.readouterr().out
    assert marks(printed) == ["❌"] * 3
    for call in ("check.slope(answer, X, Y)", "check.count(answer)", "check.train(function, w)"):
        assert call in printed
    assert "You gave" not in printed
    assert "raised" not in printed
    assert repr(backward.doublings) == "check.doublings(answer)"


def test_who_misses_a_line_is_asked_another(capsys):
    said = []
    for more in ({"w": False}, {"x * 2": False}, {}, {"(w * 2).detach()": True}, leaves.LEAVES.spare):
        leaves.leaves({**leaves.LEAVES, **more}, lang="en")
        said.append(capsys.readouterr().out)
    assert [text[0] for text in said] == ["❌", "❌", "⬜", "⬜", "✅"]
    assert '"(w * 2).detach()": ...' in said[2]
    assert '"x + w.detach()": ...' in said[3]


def test_a_table_with_a_line_less_says_which(capsys):
    leaves.leaves(dict.fromkeys(list(leaves.LEAVES)[1:], True), lang="en")
    assert f"`{next(iter(leaves.LEAVES))}` is missing" in capsys.readouterr().out


@pytest.mark.parametrize("check", checks(), ids=lambda check: check.__name__)
def test_the_reader_chooses_the_language(check, capsys, monkeypatch):
    def printed(**options) -> str:
        check(0, 0, 0, **options)
        check.hint(1, **options)
        return capsys.readouterr().out

    monkeypatch.delenv("MINIGRAD_LANG", raising=False)
    both = printed()
    assert printed(lang="en") + printed(lang="zh") != both  # both speak, one after the other
    assert not source.CHINESE.search(printed(lang="en"))
    assert all(source.CHINESE.search(line) for line in printed(lang="zh").splitlines())
    monkeypatch.setenv("MINIGRAD_LANG", "zh")
    assert printed() == printed(lang="zh")
    assert printed(lang="en") != printed()


@pytest.mark.parametrize("check", checks(), ids=lambda check: check.__name__)
def test_hints_go_from_a_push_to_a_recipe(check, capsys):
    for number in (1, 2, 3):
        check.hint(number, lang="en")
    hints = capsys.readouterr().out.splitlines()
    assert len(set(hints)) == 3
    assert all(f"Hint {number} of" in hint for number, hint in enumerate(hints, 1))


@pytest.mark.parametrize("expression", tensors_and_views.DTYPES)
def test_the_dtypes_that_lesson_2_expects_are_the_engines(engine, expression):
    found = eval(expression, {"torch": engine}).dtype
    assert str(found).rpartition(".")[2] == tensors_and_views.DTYPES[expression]


@pytest.mark.parametrize("expression", tensors_and_views.SHARES.all())
def test_the_sharing_that_lesson_2_expects_is_the_engines(engine, expression):
    x = engine.zeros(2, 3)
    eval(expression, {"x": x}).add_(99)
    assert (x.sum().item() != 0) == tensors_and_views.SHARES.all()[expression]


@pytest.mark.parametrize("expression", graph.NAMES)
def test_the_names_that_lesson_3_expects_are_the_engines(engine, expression):
    x = engine.ones(2, requires_grad=True)
    assert eval(expression, {"x": x}).grad_fn.name() == graph.NAMES[expression]


@pytest.mark.parametrize("expression", leaves.LEAVES.all())
def test_the_leaves_that_lesson_4_expects_are_the_engines(engine, expression):
    w, x = engine.ones(2, requires_grad=True), engine.ones(2)
    assert eval(expression, {"w": w, "x": x}).is_leaf == leaves.LEAVES.all()[expression]


def last_value(line: str, namespace: dict) -> object:
    *statements, last = line.split("; ")
    for statement in statements:
        exec(statement, namespace)
    return eval(last, namespace)


@pytest.mark.parametrize("line", accumulate.NONE_OR_ZERO.all())
def test_the_clearing_that_lesson_6_expects_is_the_engines(engine, line):
    w = engine.tensor([2.0], requires_grad=True)
    assert last_value(line, {"torch": engine, "w": w}) == accumulate.NONE_OR_ZERO.all()[line]


@pytest.mark.parametrize("line", recording.DETACHED.all())
def test_the_detaching_that_lesson_8_expects_is_the_engines(engine, line):
    x = engine.ones(2, requires_grad=True)
    assert last_value(line, {"x": x}) == recording.DETACHED.all()[line]


@pytest.mark.parametrize("expression", saved.SAVES)
def test_the_saving_that_lesson_10_expects_is_the_engines(engine, expression):
    x, c = engine.tensor([2.0], requires_grad=True), engine.tensor([5.0])
    result = eval(expression, {"x": x, "c": c})
    node = result.grad_fn
    kept = [getattr(node, name) for name in sorted(dir(node)) if name.startswith("_saved_")]
    values = [value.item() for value in kept if hasattr(value, "tolist")]
    names = {x.item(): "x", c.item(): "c", result.item(): "result"}
    assert [names[value] for value in values] == [name for name in [saved.SAVES[expression]] if name != "nothing"]


@pytest.mark.parametrize("line", versions.WORKS.all())
def test_the_backwards_that_lesson_11_expects_to_work_do(engine, line):
    namespace = {"x": engine.tensor([0.5], requires_grad=True)}
    exec(line, namespace)
    output = namespace.get("b", namespace["a"])
    if versions.WORKS.all()[line]:
        output.backward()
    else:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            output.backward()


@pytest.mark.parametrize("expression", functions.AT_ZERO)
def test_the_slopes_at_the_kink_that_lesson_13_expects_are_the_engines(engine, expression):
    (lesson,) = (lesson for lesson in LESSONS if lesson.name == "13_your_own_op")
    (my_relu,) = (cell for cell in lesson.code if cell.title == "my-relu")
    namespace = {"torch": engine}
    exec(my_relu.source.partition("\n\n\n")[0], namespace)
    x = engine.zeros(1, requires_grad=True)
    eval(expression, {**namespace, "x": x}).sum().backward()
    assert x.grad.item() == functions.AT_ZERO[expression]


@pytest.mark.parametrize("expression", fix_it.LOST)
def test_the_paths_that_lesson_15_expects_are_the_engines(engine, expression):
    x = engine.ones(3, 1)
    leaves = {"v": engine.ones(1, 4), "w": engine.ones(4, 1), "b": engine.zeros(1)}
    for leaf in leaves.values():
        leaf.requires_grad_()
    eval(expression, {**leaves, "x": x, "h": (x @ leaves["v"]).tanh()}).sum().backward()
    assert [name for name, leaf in leaves.items() if leaf.grad is None] == [
        name for name in [fix_it.LOST[expression]] if name != "none"
    ]


@pytest.mark.parametrize("expression", fix_it.STEEP)
def test_the_slopes_at_0_that_lesson_15_expects_are_the_engines(engine, expression):
    x = engine.tensor(0.0, requires_grad=True)
    eval(expression, {"torch": engine, "x": x}).backward()
    assert f"{x.grad.item():g}" == fix_it.STEEP[expression]


@pytest.mark.parametrize("line", fix_it.GROWS.all())
def test_the_growing_that_lesson_15_expects_is_measured(engine, line):
    names = {"torch": engine, "w": engine.tensor([1.0], requires_grad=True), "history": []}
    names |= {"total": engine.zeros(()), "level": engine.zeros(()), "best": engine.tensor(float("inf"))}
    held = []
    for target in (5.0, 4.0, 3.0, 2.0):  # each round is better than the one before
        names["loss"] = ((target - 2 * names["w"]) ** 2).sum()
        exec(line, names)
        held.append(fix_it._held({key: value for key, value in names.items() if key != "loss"}))
    assert (held[-1] > held[-2] > held[-3]) is fix_it.GROWS.all()[line]
