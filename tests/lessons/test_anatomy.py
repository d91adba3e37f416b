"""What each lesson is made of: a question, predictions, code, pictures that say what they show, something to move."""

import html
import re
from collections.abc import Iterator

import nbformat
import pytest

from minigrad_lessons import source
from minigrad_lessons.build import path_of
from minigrad_lessons.source import Code, Prose
from tests.lessons.measure import measure

LESSONS = source.names()[1:]
LONGEST = 25  # lines of a cell


def ran(name: str, lang: str = "en") -> list:
    """The cells of a notebook, with their outputs."""
    return nbformat.read(path_of(name, lang), as_version=4).cells


def alts(cell) -> list[str]:
    """What each picture of a cell says to who does not see it."""
    shown = [output["data"]["text/html"] for output in cell.get("outputs", []) if "text/html" in output.get("data", {})]
    return [html.unescape(alt) for page in shown for alt in re.findall(r'<img [^>]*alt="([^"]*)"', page)]


def printed(cell) -> str:
    return "".join(output.get("text", "") for output in cell.get("outputs", []))


def sections(name: str) -> Iterator[list[tuple[Prose | Code, object]]]:
    """A lesson's cells with what they became in the notebook, from one heading to the next."""
    section: list = []
    for cell, became in zip(source.read(name).cells, ran(name), strict=True):
        if isinstance(cell, Prose) and re.match(r"## ", cell.en):
            yield section
            section = []
        section.append((cell, became))
    yield section


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_opens_with_a_question_that_a_learner_asks(name):
    opening = source.read(name).prose[0]
    for text, quotes in ((opening.en, '""'), (opening.zh, "“”")):
        (question,) = re.findall(r"^> (.+)$", text, re.MULTILINE)
        assert (question[0], question[-1]) == tuple(quotes)
        assert re.search("[?？]", question)


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_asks_for_predictions_and_then_runs_what_was_asked(name):
    cells = source.read(name).cells
    asked = [n for n, cell in enumerate(cells) if isinstance(cell, Prose) and "Predict first" in cell.en]
    assert len(asked) >= 2
    for number in asked:
        assert "先预测" in cells[number].zh
        following = cells[number + 1 : number + 4]
        assert any(isinstance(cell, Code) and "exercise" not in cell.tags for cell in following), cells[number].en


@pytest.mark.parametrize("name", source.names())
def test_cells_are_short(name):
    for cell in source.read(name).code:
        assert len(cell.source.splitlines()) <= LONGEST, cell.source


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_is_done_more_than_it_is_read(name):
    assert measure(name).holds, measure(name)


@pytest.mark.parametrize("name", LESSONS)
def test_every_formula_stands_beside_the_code_that_computes_it_and_the_picture_that_shows_it(name):
    for section in sections(name):
        if any(isinstance(cell, Prose) and "$$" in cell.en for cell, _ in section):
            heading = section[0][0].en.splitlines()[0]
            assert any(isinstance(cell, Code) and "exercise" not in cell.tags for cell, _ in section), heading
            assert any(alts(became) for _, became in section), heading


@pytest.mark.parametrize("lang", source.LANGUAGES)
@pytest.mark.parametrize("name", source.pages())
def test_every_picture_says_what_it_shows_in_the_language_of_its_page(name, lang):
    pictures = 0
    for cell in ran(name, lang):
        drawn = [output for output in cell.get("outputs", []) if "image/svg+xml" in output.get("data", {})]
        assert len(alts(cell)) == len(drawn)
        for alt in alts(cell):
            assert lang == "zh" or re.search(r"[a-z]{3,} [a-z]{2,}", alt), alt
            assert bool(source.CHINESE.search(alt)) == (lang == "zh"), alt
            pictures += 1
        for text in re.findall(r"!\[([^\]]*)\]", cell.source if cell.cell_type == "markdown" else ""):
            assert text
    assert pictures or name in ("glossary", "errata")


@pytest.mark.parametrize("name", LESSONS)
def test_where_nothing_runs_the_still_twin_says_all_that_the_control_would(name):
    cells = ran(name)
    (number,) = (n for n, cell in enumerate(cells) if "moves" in cell.metadata.get("tags", ()))
    _before, control, after = cells[number - 1 : number + 2]
    lesson = source.read(name)
    (move,) = (pair for pair in lesson.prose if "static page" in pair.en)
    assert "没有运行内核" in move.zh
    (output,) = control.outputs
    (picture,) = alts(control)
    words = output["data"]["text/plain"]
    assert len(words.splitlines()) >= 3
    assert words in picture or words in printed(after)
