"""A learner's answers: the solution is accepted, a wrong one is refused with a reason, no answer is no mistake."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons import source
from lessons.checks import (
    accumulate,
    backward,
    first_gradient,
    functions,
    graph,
    leaves,
    recording,
    saved,
    tensors_and_views,
    versions,
)
from lessons.checks.exercise import Exercise
from lessons.padlocks import saved_tensors
from tests.lessons.conftest import Learner

LESSONS = [source.read(name) for name in source.names()]
EXERCISES = [(lesson, cell) for lesson in LESSONS for cell in lesson.code if "exercise" in cell.tags]
MARKS = ("⬜", "✅", "❌")


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
    assert marks(Learner(lesson).runs(cell, answer)) == ["✅"]


@pytest.mark.parametrize(("lesson", "cell", "answer"), cases("wrong"))
def test_a_wrong_answer_is_refused_with_a_hint_to_ask_for(engine, lesson, cell, answer):
    printed = Learner(lesson).runs(cell, answer)
    assert marks(printed) == ["❌"]
    assert ".hint(1)" in printed


@pytest.mark.parametrize(("lesson", "cell"), EXERCISES, ids=[cell.title for _, cell in EXERCISES])
def test_each_mistake_is_told_apart(engine, lesson, cell):
    """At least three wrong answers are tried, and no two get the same words."""
    assert cell.solutions
    replies = [Learner(lesson).runs(cell, answer) for answer in cell.wrong]
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
        said = large_numbers(Learner(lesson).runs(cell, wrong))
        assert not said & answer - large_numbers(wrong), wrong  # what the learner said may be said again


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


def checks() -> list[Exercise]:
    import importlib
    import pkgutil

    import lessons.checks

    modules = [
        importlib.import_module(f"lessons.checks.{m.name}") for m in pkgutil.iter_modules(lessons.checks.__path__)
    ]
    found = [value for module in modules for value in vars(module).values() if isinstance(value, Exercise)]
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


@pytest.mark.parametrize("expression", tensors_and_views.SHARES)
def test_the_sharing_that_lesson_2_expects_is_the_engines(engine, expression):
    x = engine.zeros(2, 3)
    eval(expression, {"x": x}).add_(99)
    assert (x.sum().item() != 0) == tensors_and_views.SHARES[expression]


@pytest.mark.parametrize("expression", graph.NAMES)
def test_the_names_that_lesson_3_expects_are_the_engines(engine, expression):
    x = engine.ones(2, requires_grad=True)
    assert eval(expression, {"x": x}).grad_fn.name() == graph.NAMES[expression]


@pytest.mark.parametrize("expression", leaves.LEAVES)
def test_the_leaves_that_lesson_4_expects_are_the_engines(engine, expression):
    w, x = engine.ones(2, requires_grad=True), engine.ones(2)
    assert eval(expression, {"w": w, "x": x}).is_leaf == leaves.LEAVES[expression]


def last_value(line: str, namespace: dict) -> object:
    *statements, last = line.split("; ")
    for statement in statements:
        exec(statement, namespace)
    return eval(last, namespace)


@pytest.mark.parametrize("line", accumulate.NONE_OR_ZERO)
def test_the_clearing_that_lesson_6_expects_is_the_engines(engine, line):
    w = engine.tensor([2.0], requires_grad=True)
    assert last_value(line, {"w": w}) == accumulate.NONE_OR_ZERO[line]


@pytest.mark.parametrize("line", recording.DETACHED)
def test_the_detaching_that_lesson_8_expects_is_the_engines(engine, line):
    x = engine.ones(2, requires_grad=True)
    assert last_value(line, {"x": x}) == recording.DETACHED[line]


@pytest.mark.parametrize("expression", saved.SAVES)
def test_the_saving_that_lesson_10_expects_is_the_engines(engine, expression):
    x, c = engine.tensor([2.0], requires_grad=True), engine.tensor([5.0])
    result = eval(expression, {"x": x, "c": c})
    node = result.grad_fn
    values = [getattr(node, name).item() for name in saved_tensors(node)]
    names = {x.item(): "x", c.item(): "c", result.item(): "result"}
    assert [names[value] for value in values] == [name for name in [saved.SAVES[expression]] if name != "nothing"]


@pytest.mark.parametrize("line", versions.WORKS)
def test_the_backwards_that_lesson_11_expects_to_work_do(engine, line):
    namespace = {"x": engine.tensor([0.5], requires_grad=True)}
    exec(line, namespace)
    output = namespace.get("b", namespace["a"])
    if versions.WORKS[line]:
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
