"""A prediction is typed, locked, and then stands beside the truth; one that nobody makes neither fails nor counts."""

import contextlib
import io
import json
import re
import warnings
from fractions import Fraction

import pytest

import minigrad
from minigrad_lessons import export, predict, progress, source
from minigrad_lessons.build import path_of
from minigrad_lessons.source import Code, Prose

LESSONS = source.names()[1:]
PREDICTS = re.compile(r'^predict\("([\w-]+)", \.\.\.(?:, options=(\[.+\]))?\)$', re.MULTILINE)

#: Each prediction: what holds, and what most people expect instead.
ANSWERS = {
    "slope": (-40, [-3.86, -39.86, 40]),
    "which-way": ("up", ["down"]),
    "larger-rate": ("grows", ["faster"]),
    "nudges": (1001, [1000, 2000]),
    "sum-of-x": (7, [0]),
    "capital-t": (3, [1]),
    "plus-one": (0, [1]),
    "add-one": (1, [0]),
    "no-parentheses": ("a method", ["a number", "an error"]),
    "digits": ("0 0 0 0", ["0 1 2 3", "1 2 3 4"]),
    "untracked-input": (None, ["AccumulateGrad", "x"]),
    "leaf": (None, ["AccumulateGrad"]),
    "untracked-result": (None, ["AddBackward0", "MulBackward0"]),
    "define-by-run": (6, [2, 34]),
    "grad-of-x": (None, ["all 2", "all 4", "all 1"]),
    "computed-leaf": (True, [False]),
    "same-tensor": (False, [True]),
    "flag-of-a-result": ("runs", ["raises"]),
    "diamond": (60, [30]),
    "between": (None, [15]),
    "first-try": (30, [60]),
    "every-path": (4096, [12, 24, 48]),
    "three-then": (6, [3]),
    "settles": (False, [True]),
    "zero-grad": (None, [0]),
    "who-moves": ("0", ["neither", "both", "None"]),
    "after-rebinding": (None, [0]),
    "mean": (4.5, [18]),
    "quarter": (4, [1]),
    "no-scalar": ("runs", ["raises"]),
    "stretched-v": ("raises", ["runs"]),
    "doubled": (512, [256, 1, 18]),
    "broadcast": ([4, 4, 4], [[1, 1, 1], 4, [[1, 1, 1]] * 4]),
    "matmul": ("g @ B.t()", ["g @ B", "B @ g", "A.t() @ g"]),
    "detached": (True, [False]),
    "no-grad": ([True, True, False], [[True, False, False], [True, True, True]]),
    "backward-inside": (2, [None]),
    "overwritten": ("raises", ["runs"]),
    "through-data": (0, [18]),
    "rounds": (1, [3, 2]),
    "second-update": (81, [41]),
    "without-no-grad": ("raises", ["runs"]),
    "grad-times-w": (True, [False]),
    "add-twice": ("runs", ["raises"]),
    "multiply-twice": ("raises", ["runs"]),
    "which-factor": (3, [6, 2]),
    "retained": (None, [1]),
    "sin-then-add": ("runs", ["raises"]),
    "exp-then-add": ("raises", ["runs"]),
    "who-counts": (2, [3, 1, 0]),
    "copy-slices": ([0, 2, 2], [[2, 2, 2]]),
    "how-many-grads": (1, [3, 2]),
    "tenfold": (360, [36, 3600]),
    "three-for-one": ("raises", ["runs"]),
    "second": ([27, 18], [[27, 27], [9, 6]]),
    "own-second": ([27, 12], [[27, 18]]),
    "kink": ([1, 0], [[0, 0], [1, 1]]),
    "smaller-steps": (False, [True]),
    "one-leaf": (1, [3]),
    "handed-on": ([2, 2], [[1, 1]]),
    "nearest-first": (4, [12, 8]),
    "stretched": ([3, 4], [[3, 1], [1, 4]]),
    "product-shape": ([2, 4], [[2, 3], [4, 2]]),
    "overflow": ("nan, 0", ["1, 0", "inf, 0"]),
    "log-zero": ("nan", ["0", "-inf"]),
    "pulls": ([-0.5, 0.5], [[0.5, -0.5], [0.5, 0.5]]),
    "your-nodes": (4, [3, 5]),
    "apart": (0, [1, 1001]),
    "difference": ([8, 8], [[8], [8, 1]]),
    "blamed": ("PowBackward0", ["SqrtBackward0"]),
    "two-rounds": (11, [6, 12]),
    "whole": (-480, [-160, 480]),
    "plain-mean": (False, [True]),
    "cut": (4, [1, 7]),
    "loss-travels": (None, [-480]),
    "grad-travels": (None, [-480]),
    "last-digit": (False, [True]),
    "bytes": (640, [88640, 80, 160]),
    "again": (2, [1]),
}


@pytest.fixture(autouse=True)
def kept(tmp_path, monkeypatch):
    """Where progress is kept; English is spoken."""
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.setenv("MINIGRAD_LANG", "en")
    return tmp_path / "progress.json"


def names(lesson: str) -> list[str]:
    return [name for cell in source.read(lesson).code for name, _ in PREDICTS.findall(cell.source)]


def said(lesson: str, answers: dict[str, object]) -> str:
    """What a learner reads who runs a lesson from the top and has typed these predictions."""
    namespace, printed = {"__name__": "__main__"}, io.StringIO()
    for cell in source.read(lesson).code:
        if {"minigrad-only", "long"} & {*cell.tags}:  # no prediction is about either
            continue
        typed = re.sub(
            r'predict\("([\w-]+)", \.\.\.', lambda found: found[0][:-3] + repr(answers[found[1]]), cell.source
        )
        provoked = (Exception,) if "raises-exception" in cell.tags else ()
        with warnings.catch_warnings(), contextlib.redirect_stdout(printed), contextlib.suppress(*provoked):
            warnings.simplefilter("ignore")  # some lessons provoke one on purpose
            exec(typed, namespace)
    return printed.getvalue()


def test_the_table_has_every_prediction_once():
    asked = [name for lesson in LESSONS for name in names(lesson)]
    assert asked == list(ANSWERS)
    assert all(len(names(lesson)) >= 2 for lesson in LESSONS)


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_prediction_comes_before_the_cell_that_answers_it(lesson):
    cells = source.read(lesson).cells
    for number, cell in enumerate(cells):
        found = PREDICTS.findall(cell.source) if isinstance(cell, Code) else []
        assert isinstance(cell, Prose) or found or 'predict("' not in cell.source
        for name, options in found:
            after = [later.source for later in cells[number + 1 :] if isinstance(later, Code)]
            assert sum(f'reveal("{name}"' in later for later in after) == 1
            first = next(index for index, later in enumerate(after) if f'reveal("{name}"' in later)
            assert first <= 2
            right, wrong = ANSWERS[name]
            if options:  # every choice is the right one or foreseen
                assert sorted(map(repr, eval(options))) == sorted(map(repr, [right, *wrong]))
            if first == 0:
                assert isinstance(cells[number - 1], Prose)
                assert "Predict first" in cells[number - 1].en
                assert "先预测" in cells[number - 1].zh


@pytest.mark.parametrize("lesson", LESSONS)
def test_what_holds_is_confirmed(lesson, engine):
    asked = names(lesson)
    page = said(lesson, {name: ANSWERS[name][0] for name in asked})
    assert page.count("✅ You said:") == len(asked)
    assert {name: one["right"] for name, one in progress.predictions().items()} == dict.fromkeys(asked, True)


@pytest.mark.parametrize("lesson", LESSONS)
def test_what_most_people_expect_stands_beside_what_holds(lesson):
    asked = names(lesson)
    page = said(lesson, {name: ANSWERS[name][1][0] for name in asked})
    assert page.count("🔎 You said:") == len(asked)
    assert "✅ You said:" not in page


@pytest.mark.parametrize("name", ANSWERS)
def test_nothing_that_most_people_expect_passes_for_what_holds(name):
    right, wrong = ANSWERS[name]
    assert not [one for one in wrong if predict._same(one, right)]


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_page_that_nobody_edits_shows_the_truth_alone(lesson, kept):
    page = said(lesson, dict.fromkeys(names(lesson), ...)).replace("Ellipsis", "...")
    assert page.count("No prediction made") == len(names(lesson)) == len(re.findall(r"^→ ", page, re.MULTILINE))
    assert "You said" not in page
    assert not progress.kept_in(kept)["predictions"]


class _Closed:
    """Holds numbers, and does not give them."""

    def tolist(self):
        raise ValueError


def test_a_prediction_is_locked(capsys):
    predict.predict("slope", -3)
    predict.predict("slope", -40)
    predict.reveal("slope", -40)
    predict.predict("slope", -40)
    predict.reveal("slope", -40)
    first, second, third, fourth, _ = capsys.readouterr().out.splitlines()
    assert first == "🔒 Locked: -3. Now run the next cell."
    assert second.startswith("🔒 Locked already: -3.")
    assert third == "🔎 You said: -3. Answer: -40."
    assert fourth.startswith("🔒 The answer has been shown; your prediction stays -3.")


def test_who_has_seen_the_answer_no_longer_predicts(capsys, kept):
    predict.predict("slope", ...)
    predict.reveal("slope", -40)
    predict.predict("slope", -40)
    predict.reveal("slope", -40)
    assert "nothing was predicted" in capsys.readouterr().out
    assert not kept.exists()


def test_the_first_prediction_is_kept_and_the_attempts_are_counted(kept):
    for answer in (-3.86, -40):
        predict.forget()  # a new kernel
        predict.predict("slope", answer)
        for _ in range(2):  # a cell that runs twice is no attempt
            predict.reveal("slope", -40)
    assert json.loads(kept.read_text())["predictions"] == {"slope": {"said": "-3.86", "right": False, "attempts": 2}}


def test_both_languages(monkeypatch, capsys):
    monkeypatch.setenv("MINIGRAD_LANG", "zh")
    predict.predict("slope", 3)
    predict.reveal("slope", [3.0])
    assert capsys.readouterr().out == "🔒 已锁定：3。请运行下一个单元格。\n✅ 你的预测：3。结果：[3.0]。\n"


def test_a_list_may_come_without_its_brackets(capsys):
    predict.predict("second", 27, 18)
    predict.reveal("second", [27.0, 18.0])
    assert capsys.readouterr().out.splitlines()[-1].startswith("✅ You said: [27, 18].")


@pytest.mark.parametrize("answer", ["forty", object(), {}, print, [1, "two"]])
def test_an_answer_of_another_kind_is_refused_and_may_be_given_again(answer, capsys):
    predict.predict("slope", answer)
    assert capsys.readouterr().out.startswith("❌ You gave")
    predict.predict("slope", -40)
    assert capsys.readouterr().out.startswith("🔒 Locked: -40")


def test_a_choice_is_one_of_the_options(capsys):
    predict.predict("typo", 0, options=[True, False])  # which Python takes for False
    assert capsys.readouterr().out == "❌ Choose one of True, False.\n"


@pytest.mark.parametrize(
    ("typed", "meant", "options"),
    [
        (" Up。", "up", ["up", "down"]),
        ("「Up」", "up", ["up", "down"]),
        ("NaN，0", "nan, 0", ["1, 0", "nan, 0", "inf, 0"]),
        ("none", None, [0, None]),
        (None, "None", ["0", "None", "both", "neither"]),
        ("True", True, [True, False]),
        ("g@B.t()", "g @ B.t()", ["g @ B", "g @ B.t()", "B @ g"]),
    ],
)
def test_a_choice_may_be_typed_in_other_ways(typed, meant, options):
    predict.predict("choice", typed, options=options)
    predict.reveal("choice", meant)
    assert progress.predictions()["choice"]["right"] is True


@pytest.mark.parametrize("answer", [_Closed(), minigrad.Tensor, 10**400])
def test_no_answer_makes_a_prediction_raise(answer, capsys):
    predict.predict("typo", answer, options=["up", "down"])
    predict.predict("slope", answer)
    predict.reveal("slope", 3.0)
    assert "❌ Choose one of 'up', 'down'." in capsys.readouterr().out


def test_the_outcome_of_some_lines_and_their_error():
    predict.predict("twice", "runs", options=["runs", "raises"])
    with pytest.raises(ZeroDivisionError), predict.reveal("twice"):
        _ = 1 / 0
    assert progress.predictions()["twice"]["right"] is False


def test_true_is_not_one_and_rounding_is_no_error():
    assert predict._same(-40, [-40.0])
    assert predict._same([1, 2.0], (1.0001, 2))
    assert predict._readable(Fraction(9, 2))
    assert predict._same(Fraction(9, 2), 4.5)
    assert not predict._same(True, 1)
    assert not predict._same(0, None)
    assert not predict._same([1, 1, 1], [1])


def test_an_exported_page_folds_the_answer(tmp_path):
    pytest.importorskip("nbconvert")
    for lang, words in (("en", "Show the answer"), ("zh", "看答案")):
        (page,) = export.export([path_of("01_first_gradient", lang)], tmp_path / lang)
        text = page.read_text(encoding="utf-8")
        assert text.count(f"<summary>{words}</summary>") == len(names("01_first_gradient"))
        assert text.count('<form class="predict"') == len(names("01_first_gradient"))
        assert not re.search(r"<pre>⬜ (No prediction made|没有作预测)", text)  # the field above it asks already
        folded = "".join(re.findall(r'<details class="answer">.*?</details>', text, re.DOTALL))
        assert "→ tensor([-40.])" in folded
        assert text.count("→ tensor([-40.])") == folded.count("→ tensor([-40.])")
        why, told = {"en": ("Why?", "Minus forty: "), "zh": ("为什么？", "负 40：")}[lang]
        assert re.search(rf"<details><summary>{re.escape(why)}</summary>\s*<p>{told}[^\n]*</p>\s*</details>", text)


def test_a_tensor_may_be_predicted(engine):
    predict.predict("broadcast", engine.tensor([4.0, 4.0, 4.0]))
    predict.reveal("broadcast", engine.full((3,), 4.0, requires_grad=True))
    assert progress.predictions()["broadcast"]["right"] is True
