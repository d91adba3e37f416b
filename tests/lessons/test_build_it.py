"""Lesson 14: the numbers are PyTorch's, the engine of sixty lines passes, and what stands on it is drawn and trains."""

import ast
import json
from typing import Any

import numpy as np
import pytest

from minigrad_lessons import source, spiral
from minigrad_lessons.checks import build_it
from tests.lessons import recorded
from tests.lessons.conftest import ENGINE, _run
from tests.lessons.test_exercises import answered, marks

CALLS = {
    name: f"check.{name}({', '.join(answers)})"
    for name, answers in ((step.__name__, answers) for step, answers in build_it._STEPS)
}


def body(name: str, old: str, new: str) -> str:
    """One function of the engine, with another line in it."""
    text = ENGINE.read_text(encoding="utf-8")
    (found,) = (part for part in ast.parse(text).body if getattr(part, "name", "") == name)
    said = ast.get_source_segment(text, found)
    assert old in said
    return said.replace(old, new)


PATHS = """
def backward(root):
    waiting = [(root.grad_fn, np.ones_like(root.data))]
    while waiting:
        node, g = waiting.pop()
        if isinstance(node, AccumulateGrad):
            node.variable.grad = g if node.variable.grad is None else node.variable.grad + g
            continue
        data = [value.data for value in node.inputs]
        for (to, _), rule in zip(node.next_functions, RULES[node.op][1:]):
            if to is not None:
                waiting.append((to, rule(g, *data)))

"""
SUMS = "np.log(np.exp(z).sum(axis=1, keepdims=True))"
KEEPS = "node.variable.grad = g if node.variable.grad is None else node.variable.grad + g"
IN_PLACE = "\n            ".join(
    ["if node.variable.grad is not None:", "    node.variable.grad += g", "else:", "    node.variable.grad = g"]
)

# The exercise, the mistake that its step is about, and the words that must appear in each language.
TRAPS = [
    (
        "remember",
        body(
            "Node", "value.node,", "AccumulateGrad(value) if value.requires_grad and not value.grad_fn else value.node,"
        ),
        "`is` says that yours are two",
        "你的是两个",
    ),
    ("remember", body("apply", "if tracked else None", ""), "PyTorch has no node here", "PyTorch 在这里没有节点"),
    (
        "remember",
        body("Node", "(value.node, 0)", "(value.node or AccumulateGrad(value), 0)"),
        "x is data",
        "x 是数据",
    ),
    (
        "rules",
        PATHS.replace(KEEPS, IN_PLACE),
        "written into an array that two nodes share",
        "两个节点共用的数组",
    ),
    ("rules", body("backward", "node.variable.grad + g", "g"), "replaces what was there", "把原来的值替换掉了"),
    ("rules", "RULES['relu'] = (RULES['relu'][0], lambda g, a: g)\n", "sum(relu(a * c) * b)", "sum(relu(a * c) * b)"),
    ("order", PATHS, "it follows every path", "每条路径都走了一遍"),
    (
        "order",
        body("users_first", "return order", "return found"),
        "Breadth first passes the diamond and fails here",
        "广度优先能通过菱形",
    ),
    ("order", body("users_first", "return order", "return order[::-1]"), "comes before", "前面"),
    ("order", body("users_first", "return order", "return order + order"), "each to appear once", "每个只出现一次"),
    (
        "order",
        body("backward", "arrived.get(to, 0) + ", ""),
        "PyTorch's x.grad is 60.0",
        "PyTorch 的 x.grad 是 60.0",
    ),
    (
        "unbroadcast",
        body("unbroadcast", ", keepdims=True", ""),
        "an axis of size 1 is gone",
        "少了大小为 1 的轴",
    ),
    (
        "unbroadcast",
        "def unbroadcast(g, shape):\n    return g.sum(axis=tuple(range(g.ndim - len(shape))))\n",
        "was stretched, too",
        "也被扩展过",
    ),
    (
        "unbroadcast",
        body("backward", "unbroadcast(vjp(g, *data), value.data.shape)", "vjp(g, *data)"),
        "does not call it yet",
        "还没有用它",
    ),
    (
        "matmul",
        "RULES['matmul'] = (np.matmul, lambda g, a, b: g @ b.T, lambda g, a, b: g @ a)\n",
        "a wrong order raises no error",
        "方阵的顺序写错了也不会报错",
    ),
    (
        "matmul",  # right for square ones only
        "RULES['matmul'] = (np.matmul, lambda g, a, b: g @ b.T, lambda g, a, b: a.T @ g if len(g) == 3 else g @ a)\n",
        "the rule for b raised ValueError",
        "b 的规则报错 ValueError",
    ),
    (
        "matmul",
        "RULES['matmul'] = (np.matmul, lambda g, a, b: g @ b.T)\n",
        "each of its inputs (2)",
        "每个输入各一个函数",
    ),
    ("softmax", body("cross_entropy", "np.log(", "np.log(1e-9 + "), "They differ in later digits", "更后面的位数"),
    ("softmax", body("cross_entropy", "z = z - z.max(axis=1, keepdims=True)", "pass"), "exp(1000) is inf", "是 inf"),
    (
        "softmax",
        body("cross_entropy", f"z - {SUMS}", "np.log(np.exp(z) / np.exp(z).sum(axis=1, keepdims=True))"),
        "0 times log 0 is nan",
        "0 乘 log 0 是 nan",
    ),
    ("softmax", body("cross_entropy_vjp", " / len(z)", ""), "4 times too large", "应有值的 4 倍"),
    ("softmax", body("cross_entropy_vjp", "g * ", ""), "that arrives, g, is missing", "上游传来的 g 没有用上"),
]


@pytest.mark.parametrize(("exercise", "mistake", "english", "chinese"), TRAPS)
def test_the_trap_of_each_step_fails_first_and_is_named(exercise, mistake, english, chinese):
    printed = answered(f"build_it.{exercise}", f"{mistake}\n\n{CALLS[exercise]}")
    assert marks(printed) == ["❌"], printed
    assert english in printed
    assert chinese in printed


@pytest.mark.parametrize("exercise", CALLS)
def test_the_engine_of_sixty_lines_passes_every_check(exercise):
    assert marks(answered(f"build_it.{exercise}", CALLS[exercise])) == ["✅"]


def test_it_has_sixty_lines():
    """Blank ones, imports and the sentence on top not counted."""
    tree = ast.parse(ENGINE.read_text(encoding="utf-8"))
    lines = [line for line in ENGINE.read_text(encoding="utf-8").splitlines() if line.strip()]
    imports = [part for part in tree.body if isinstance(part, (ast.Import, ast.ImportFrom))]
    assert [len(imports), len(lines)] == [2, 65]
    assert {name.name for part in imports for name in part.names} == {"count", "numpy"}


def test_the_numbers_are_what_pytorch_says():
    pytest.importorskip("torch")

    def same(mine: Any, theirs: Any) -> bool:
        if isinstance(mine, dict):
            return mine.keys() == theirs.keys() and all(same(mine[key], theirs[key]) for key in mine)
        return mine == theirs if isinstance(mine, str) else np.allclose(mine, theirs, rtol=1e-13, atol=1e-13)

    stored, now = json.loads(recorded.FILE.read_text(encoding="utf-8")), recorded.record()
    assert stored.keys() == now.keys()
    for step in now:
        assert len(stored[step]) == len(now[step])
        assert all(map(same, stored[step], now[step])), f"run `python -m tests.lessons.recorded`: {step}"


def finished() -> dict[str, Any]:
    """The notebook of somebody who has done all six exercises, before what comes after them."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    lesson = source.read("14_build_it")
    _run(lesson.code[0].source, namespace)
    _run(ENGINE.read_text(encoding="utf-8"), namespace)
    return namespace


def test_each_step_needs_only_what_came_before():
    """The solutions that a teacher gets, from the top, each in its cell of the page."""
    cells, namespace = source.read("14_build_it").code, {"__name__": "__main__"}
    said = "".join(_run(cell.solutions[0] if cell.solutions else cell.source, namespace) for cell in cells)
    assert [mark for mark in marks(said) if mark != "⬜"] == ["✅"] * 9  # (⬜: nothing was predicted)
    assert namespace["engine"].backward is namespace["backward"]


def after(namespace: dict[str, Any]) -> dict[str, str]:
    """What each of the titled cells after the exercises prints."""
    cells = source.read("14_build_it").code
    first = next(number for number, cell in enumerate(cells) if cell.title == "protocol")
    return {cell.title or "": _run(cell.source, namespace) for cell in cells[first:]}


def test_a_learners_own_engine_is_drawn_and_trains():
    namespace = finished()
    printed = after(namespace)
    assert marks(printed["protocol"]) == ["✅"]
    assert namespace["engine"].Value is namespace["Value"]
    graph = repr(namespace["viz"].draw(namespace["y"]))
    assert "3 operations, 1 leaf" in graph
    assert "grad 60." in graph
    assert printed["agree"].strip().endswith("0"), "steps at which the two losses are apart"
    assert namespace["losses"][-1] < 0.1 < namespace["losses"][0]


@pytest.mark.parametrize("missing", ["Value", "backward", "unbroadcast"])
def test_until_then_ours_works_and_says_so(missing):
    namespace = finished()
    del namespace[missing]
    assert "of 6 exercises of the engine are solved" in after(namespace)["protocol"]
    assert namespace["engine"].Value is not namespace.get("Value")


def test_a_mistake_in_one_step_is_not_taken_for_an_engine():
    namespace = finished()
    _run(body("cross_entropy_vjp", "g * ", ""), namespace)
    assert "5 of 6 exercises of the engine are solved" in _run("engine = check.engine(globals())", namespace)


def test_the_film_says_and_draws_every_moment():
    points, arms, target = spiral.spiral()
    assert points.shape == (300, 2)
    assert (target.argmax(axis=1) == arms).all()
    film = spiral.Film(points, arms)
    film.keep(0, 1.5, lambda x: np.tile([0.0, 0.0, 1.0], (len(x), 1)))
    film.keep(7, 0.25, lambda x: np.eye(3)[(x[:, 0] > 0).astype(int)])
    right = int((arms == (points[:, 0] > 0)).sum())
    assert repr(film).splitlines() == [
        "step 0: loss 1.50, 100 of 300 right",
        f"step 7: loss 0.25, {right} of 300 right",
    ]
    assert "第 7 步：损失 0.25" in film.words("zh")
    assert film.picture().count('class="dots"') == 6
    slider, picture = film.widget().children
    assert slider.value == 1
    before = picture.value
    slider.value = 0
    assert "step 0: loss 1.50" in picture.value
    assert picture.value != before
    assert picture.value.count('class="dots"') == 3
