"""The built notebooks: what a learner opens is what the sources say, the same lesson in both languages."""

import os
import re
import sys
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

import nbformat
import pytest
from markdown_it import MarkdownIt

from minigrad.cures import CURES
from minigrad_lessons import build, source
from minigrad_lessons.build import path_of

NAMES = source.names()
# Of work, which a busy machine does not add to; on a clock they may take some times as long there.
SECONDS_TO_RUN, SECONDS_TOGETHER, BUSY = 30, 180, 10
# The claims of the source notes that each lesson settles, by their numbers.
COVERS = {
    "00_index": set(),
    "01_first_gradient": {12, 23, 28},
    "02_tensors_and_views": {1, 26, 41, 42, 43},
    "03_the_graph": {6, 11, 15, 16, 17, 31, 34, 35, 36, 37, 45},
    "04_leaves": {1, 2, 3, 4, 12, 19, 20, 21, 23, 26, 33, 35, 42, 44, 45, 46},
    "05_backward": {12, 27, 53, 54},
    "06_accumulate": {32, 38},
    "07_jacobians": {7, 8, 18, 21, 48, 49, 50, 51, 52, 55},
    "08_stop_recording": {5, 13, 14, 22, 47},
    "09_updating": {5, 10, 14, 24, 29, 30, 38, 49, 54, 55},
    "10_saved_tensors": {21, 39},
    "11_in_place": {13, 41},
    "12_hooks": {25, 40, 57},
    "13_your_own_op": {2, 3, 7, 9, 12, 13, 20, 25, 26, 33, 35, 37, 39, 41, 42, 51, 56, 57},
    "14_build_it": {35, 37, 38, 53, 54, 55},
    "15_fix_it": {12, 13, 26, 30, 32, 39, 41, 55},
    "16_across_machines": {38},
}


class Built(NamedTuple):
    """The English notebook of a source, and how long its cells ran: by the clock, and in work."""

    notebook: str
    seconds: float
    work: float


@cache
def built(name: str) -> Built:
    """A build of now. Its kernel is a child of ours, and ended: its processor time is in `os.times`."""
    before, started = os.times(), time.perf_counter()
    notebook = build.build(name, ["en"])["en"]
    seconds, after = time.perf_counter() - started, os.times()
    work = after.children_user + after.children_system - before.children_user - before.children_system
    return Built(notebook, seconds, work)


def cells(name: str, lang: str, kind: str) -> list:
    notebook = nbformat.read(path_of(name, lang), as_version=4)
    return [cell for cell in notebook.cells if cell.cell_type == kind]


@pytest.mark.parametrize("name", NAMES)
def test_both_languages_share_code_and_tags_and_outputs_of_one_language(name):
    """What PyTorch and Python say is English everywhere; Chinese stands in Chinese notebooks alone."""
    english, chinese = cells(name, "en", "code"), cells(name, "zh", "code")
    both = ([(c.id, re.sub("#.*", "", c.source), c.metadata) for c in book] for book in (english, chinese))
    assert next(both) == next(both)  # but for comments
    said = [
        str(output.get("text") or output.get("data", {}).get("text/plain")) for c in english for output in c.outputs
    ]
    assert not [text for text in said if re.search("[\u4e00-\u9fff]", text)]  # a learner's "：" may be quoted


@pytest.mark.parametrize("name", NAMES)
def test_each_paragraph_says_the_same_code_formulas_links_and_headings(name):
    english, chinese = cells(name, "en", "markdown"), cells(name, "zh", "markdown")
    assert [cell.id for cell in english] == [cell.id for cell in chinese]
    for en, zh in zip(english, chinese, strict=True):
        assert source.differences(en.source, zh.source) == []
        assert source.CHINESE.search(zh.source), f"left untranslated: {zh.source!r}"


@pytest.mark.parametrize("name", NAMES)
def test_english_pages_hold_no_chinese_but_the_name_of_the_other_page(name):
    for cell in cells(name, "en", "markdown"):
        assert not source.CHINESE.search(cell.source.replace("[中文]", "")), cell.source


@pytest.mark.parametrize("name", NAMES)
def test_no_chinese_is_older_than_its_english(name):
    assert source.problems(source.read(name)) == []


@pytest.mark.parametrize("lang", source.LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_every_code_cell_has_run_in_order(name, lang):
    code = cells(name, lang, "code")
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))


@pytest.mark.parametrize("lang", source.LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name, lang):
    path = path_of(name, lang)
    for cell in cells(name, lang, "markdown"):
        for link in source.links(cell.source):
            if not re.match(r"[a-z]+:", link):
                assert (path.parent / link.partition("#")[0]).exists(), f"{link} in {path.name}"


@pytest.mark.parametrize("lang", source.LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_no_asterisk_is_left_where_something_should_be_bold(name, lang):
    """Markdown takes **“so”** for bold only where a blank or a punctuation mark stands beside it: Chinese has none."""
    for cell in cells(name, lang, "markdown"):
        without_formulas = re.sub(r"\$\$.+?\$\$|\$[^$\n]+?\$", "", cell.source, flags=re.DOTALL)
        for block in MarkdownIt("commonmark").enable("table").parse(without_formulas):
            assert [part.content for part in block.children or () if part.type == "text" and "*" in part.content] == []


@pytest.mark.parametrize("lang", source.LANGUAGES)
def test_the_index_leads_to_every_lesson(lang):
    linked = {link for cell in cells("00_index", lang, "markdown") for link in source.links(cell.source)}
    assert {f"{name}.ipynb" for name in NAMES} - {"00_index.ipynb"} <= linked


@pytest.mark.parametrize("lang", source.LANGUAGES)
def test_the_index_says_what_to_do_about_what_a_new_kernel_says_first(lang):
    """After a restart, or where a hub has ended an idle server: a learner goes on at the exercise, not at the top."""
    stub = next(cell.source for cell in source.read("01_first_gradient").code if "exercise" in cell.tags)
    with pytest.raises(NameError) as raised:
        exec(stub, {})
    index = path_of("00_index", lang).read_text(encoding="utf-8")
    assert "`NameError`" in index
    assert str(raised.value) in index
    assert "Run All Above Selected Cell" in index


def test_each_lesson_names_the_concepts_it_covers():
    assert {name: source.read(name).covers for name in NAMES} == COVERS


def test_together_the_lessons_cover_every_concept():
    assert set().union(*COVERS.values()) == set(range(1, 58))


@pytest.mark.parametrize("lang", source.LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_the_machine_that_built_it_is_left(name, lang):
    text = path_of(name, lang).read_text(encoding="utf-8")
    assert not re.search(r"0x[0-9a-fA-F]{6,}|ipykernel_\d|site-packages|widget-view|iopub|/home/|/tmp/", text)
    assert nbformat.reads(text, as_version=4).metadata == build.METADATA


@pytest.mark.parametrize("name", NAMES)
def test_the_notebooks_are_what_their_source_gives(name):
    """Fails when a source or the core changed and nobody ran `python -m minigrad_lessons.build`.

    Of the Chinese notebook this holds the cells; what they print is compared by nbval.
    """
    stored = {lang: path_of(name, lang).read_text(encoding="utf-8") for lang in source.LANGUAGES}
    again = {
        "en": built(name).notebook,
        "zh": build.write(source.read(name), [cell.outputs for cell in cells(name, "zh", "code")], "zh"),
    }
    for lang, text in again.items():
        assert build.comparable(stored[lang]) == build.comparable(text), (
            f"run `python -m minigrad_lessons.build {name}`"
        )


def advice(name, lang):
    """The hints under the errors that a built notebook shows."""
    outputs = (output for cell in cells(name, lang, "code") for output in cell.outputs)
    parts = (part for output in outputs for part in output.get("traceback", ()))
    return [re.split("[:：] ?", part, maxsplit=1)[1] for part in parts if part.startswith("minigrad")]


def test_the_advice_under_an_error_is_todays_in_chinese_too():
    """What nbval does not look at; the English is compared with a build of now, above."""
    rows = [[re.sub(r"\\\{\w*\\\}", ".*", re.escape(text)) for text in row] for row in CURES.values()]
    known = 0
    for english, chinese in (
        pair for name in NAMES for pair in zip(advice(name, "en"), advice(name, "zh"), strict=True)
    ):
        fitting = [row[1] for row in rows if re.fullmatch(row[0], english)]
        known += bool(fitting)
        assert not fitting or any(re.fullmatch(each, chinese) for each in fitting), chinese
    assert known >= 15


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_runs_in_half_a_minute(name, record_property):
    _, seconds, work = built(name)
    record_property("seconds that a lesson runs", seconds)
    record_property("seconds of work in a lesson", work)
    assert work < SECONDS_TO_RUN
    assert seconds < BUSY * SECONDS_TO_RUN
    assert work > 0.1 or sys.platform == "win32", "a kernel that ran has worked"


def test_all_lessons_in_both_languages_run_in_three_minutes():
    """One after the other, on one core."""
    assert 2 * sum(built(name).work for name in NAMES) < SECONDS_TOGETHER


def test_no_notebook_is_left_without_a_source():
    stored = {path for lang in source.LANGUAGES for path in (build.NOTEBOOKS / lang).glob("*.ipynb")}
    assert stored == {path_of(name, lang) for name in source.pages() for lang in source.LANGUAGES}


def test_two_builds_give_the_same_bytes():
    assert build.build(NAMES[1], ["en"])["en"] == built(NAMES[1]).notebook


def test_check_reports_a_stale_notebook(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(build, "NOTEBOOKS", tmp_path)
    monkeypatch.setattr(build, "build", cache(build.build))  # what stands in files is compared here, not two builds
    assert build.main(["00_index"]) == 0
    assert build.main(["00_index", "--check"]) == 0
    notebook: Path = tmp_path / "zh" / "00_index.ipynb"
    notebook.write_text(notebook.read_text(encoding="utf-8").replace("minigrad as torch", "torch"), encoding="utf-8")
    assert build.main(["00_index", "--check"]) == 1
    assert "python -m minigrad_lessons.build 00_index" in capsys.readouterr().err


def test_a_failing_cell_stops_the_build():
    cell = source.Code("1 / 0")
    with pytest.raises(source.LessonError, match="ZeroDivisionError"):
        build.execute([cell], name="test")


def test_a_cell_that_should_fail_and_does_not_stops_the_build():
    with pytest.raises(source.LessonError, match="raised nothing"):
        build.execute([source.Code("1", tags=("raises-exception",))], name="test")


def test_a_path_of_this_machine_stops_the_build():
    with pytest.raises(source.LessonError, match="path of this machine"):
        build.execute([source.Code("import minigrad_lessons; print(minigrad_lessons.__file__)")], name="test")
