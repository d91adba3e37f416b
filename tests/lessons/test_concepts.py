"""Every claim of the course is exercised: a learner answers it, predicts it or runs into it, not only reads it."""

import ast
import contextlib
import re
import warnings

import pytest

from minigrad_lessons import progress, source
from minigrad_lessons.checks import functions, graph, leaves, updating
from tests.lessons.concepts import CONCEPTS, ERRORS

LESSONS = [source.read(name) for name in source.names()]


def done() -> dict[str, set[int]]:
    """Each exercise and each prediction, with the concepts that its cell, or the one that reveals it, covers."""
    found: dict[str, set[int]] = {}
    for lesson in LESSONS:
        stubs = {code.strip(): name for name, code in progress._stubs(lesson.name).items()}
        for cell in lesson.code:
            if "exercise" in cell.tags:
                found[stubs[cell.source.strip()]] = set(cell.covers)
            for name in re.findall(r'reveal\("([\w-]+)"', cell.source):
                found[f"predict {name}"] = set(cell.covers)
    return found


@pytest.mark.parametrize("number", range(1, 58))
def test_a_concept_has_an_exercise_or_a_prediction(number):
    claim, where = CONCEPTS[number]
    assert claim.endswith(".")
    assert where
    for name in where:
        covered = done()[name]
        assert number in covered, f"{name} covers {covered}"


def test_there_are_57_concepts_and_nine_errors():
    assert list(CONCEPTS) == list(range(1, 58))
    assert set(ERRORS) == set(functions.NINE.values()) - {"runs"}
    assert len(ERRORS) == 9
    assert {name for where in ERRORS.values() for name in where} <= set(done())


def test_an_exercise_that_says_what_it_covers_stands_in_the_table():
    table = {(name, number) for number, (_, where) in CONCEPTS.items() for name in where}
    for name in {name for name, _ in table if not name.startswith("predict ")}:
        assert any((name, number) in table for number in done()[name])


def typed(answer: str) -> int:
    """How many statements a solution has, the call of the check and the head of a function aside."""
    tree = ast.parse(answer)
    inner = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    return len([node for node in inner if not isinstance(node, (ast.FunctionDef, ast.ClassDef))]) - 1


def test_at_least_a_third_of_the_exercises_ask_for_more_than_a_line():
    exercises = [cell for lesson in LESSONS for cell in lesson.code if "exercise" in cell.tags]
    long = [cell for cell in exercises if min(map(typed, cell.solutions)) > 1]
    assert len(long) / len(exercises) > 1 / 3, f"{len(long)} of {len(exercises)}"


def evaluated(line: str, **names) -> object:
    """What a line of an exercise gives: its last expression, or the first words of its error."""
    *before, last = (part.strip() for part in line.split(";"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for statement in before:
            exec(statement, names)
        try:
            return eval(compile(last, line, "eval"), names)
        except SyntaxError:
            return exec(last, names)


@pytest.mark.parametrize("line", functions.NINE)
def test_the_nine_refusals_are_those_of_the_library(engine, line):
    refused = functions.NINE[line] != "runs"
    with pytest.raises(RuntimeError, match=functions.NINE[line]) if refused else contextlib.nullcontext():
        evaluated(line, torch=engine, w=engine.ones(2, requires_grad=True))


@pytest.mark.parametrize("line", leaves.SO_FAR)
def test_the_six_lines_of_lesson_4_are_measured(engine, line):
    found = evaluated(line, torch=engine, w=engine.ones(6, requires_grad=True), x=engine.arange(6.0))
    assert found is leaves.SO_FAR[line]


@pytest.mark.parametrize("line", graph.FACTS.all())
def test_the_facts_of_lesson_3_are_measured(engine, line):
    w, b = (engine.tensor([value], requires_grad=True) for value in (2.0, 1.0))
    x = engine.tensor([3.0])
    assert evaluated(line, torch=engine, w=w, b=b, x=x, z=w * x + b) is graph.FACTS.all()[line]


@pytest.mark.parametrize("line", updating.SO_FAR)
def test_the_five_gradients_of_lesson_9_are_measured(engine, line):
    x = engine.tensor(3.0, requires_grad=True)
    evaluated(line, torch=engine, x=x)
    assert x.grad.item() == updating.SO_FAR[line]
