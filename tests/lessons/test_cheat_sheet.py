"""One page in each language, every line of code on it true."""

import re

import pytest

from minigrad_lessons import cheat_sheet, source
from tests.browsers import CHROMIUM

SHEET = source.read(cheat_sheet.NAME)


def test_every_line_gives_what_the_page_says(engine):
    namespace: dict = {}
    for cell in SHEET.code:
        for text, says, gave in cheat_sheet.run(cell.source, namespace):
            if says.partition(":")[0].endswith("Error"):
                assert gave.startswith(says), text
            else:
                assert gave == says, text


def test_a_line_that_is_wrong_is_found():
    gave = list(cheat_sheet.run("a = 1 + 1  # 3\na  # 2\na / 0  # 1\nb", {}))
    assert gave[:2] == [("a = 1 + 1", "3", "2"), ("a", "2", "2")]
    assert gave[2][2].startswith("ZeroDivisionError")
    assert gave[3] == ("b", "", "NameError: name 'b' is not defined")


def test_no_line_of_code_escapes_the_run():
    for cell in SHEET.code:
        lines = [line for text, _ in cheat_sheet.statements(cell.source) for line in text.splitlines() if line]
        assert lines == [line.partition(cheat_sheet.MARK)[0] for line in cell.source.splitlines() if line.strip()]


@pytest.mark.parametrize("lang", source.LANGUAGES)
def test_the_page_is_what_its_source_gives(lang):
    stored = cheat_sheet.path(lang).read_text(encoding="utf-8")
    assert stored == cheat_sheet.page(lang), "run `python -m minigrad_lessons.cheat_sheet`"
    assert "http" not in stored
    assert "$" not in stored
    assert bool(source.CHINESE.search(re.sub(r"<style>.*</style>", "", stored))) == (lang == "zh")


@pytest.mark.browser
@pytest.mark.parametrize("lang", source.LANGUAGES)
def test_it_prints_on_one_page(lang, tmp_path):
    pytest.importorskip("playwright")
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    cheat_sheet.to_pdf(lang, tmp_path / "sheet.pdf", CHROMIUM)
    pages = re.findall(rb"/Type\s*/Page\b", (tmp_path / "sheet.pdf").read_bytes())
    assert len(pages) == 1
