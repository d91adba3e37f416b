"""A lesson without a kernel, as `minigrad export`, `jupyter nbconvert --to html` or GitHub shows it: every picture,
every output."""

import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import nbformat
import pytest

from minigrad_lessons import command, source
from minigrad_lessons.build import path_of
from minigrad_lessons.export import without_tex
from minigrad_lessons.source import names
from tests.browsers import launch, needs_chromium, outside

playwright = pytest.importorskip("playwright.sync_api")
pytestmark = [*needs_chromium, pytest.mark.slow]
PICTURES = {"image/svg+xml", "image/png"}

# Of every output in the page: what it shows, and whether the browser could draw it.
LOOK = """() => [...document.querySelectorAll('.jp-OutputArea-output')].map(output => {
    const pictures = [...output.querySelectorAll('img, svg')];
    return {
        text: output.innerText.trim(),
        pictures: pictures.length,
        drawn: pictures.every(p => (p.tagName !== 'IMG' || (p.complete && p.naturalWidth > 0))
                                   && p.getBoundingClientRect().height > 10),
        wide: pictures.some(p => p.getBoundingClientRect().right > document.body.clientWidth + 1),
    };
})"""


class Exported(NamedTuple):
    """The page of each notebook, which command wrote them, and what its template asks the network for on any page."""

    way: str
    pages: dict[Path, Path]
    asks: set[str]


@pytest.fixture(scope="module", params=[("minigrad", "en"), ("nbconvert", "zh")])
def exported(request, page, tmp_path_factory):
    """All lessons of one language, exported by a command that a teacher would type."""
    way, lang = request.param
    folder = tmp_path_factory.mktemp(f"{way}-{lang}")
    notebooks = [path_of(name, lang) for name in names()]
    if way == "minigrad":
        assert command.main(["export", "--lang", lang, "--dir", str(folder)]) == 0
        pages, asks = [folder / f"{notebook.stem}.html" for notebook in notebooks], set()
    else:
        nbformat.write(nbformat.v4.new_notebook(), folder / "empty.ipynb")
        empty, *pages = nbconvert([folder / "empty.ipynb", *notebooks], folder)
        asks = asked(page, empty)
        assert asks, "nbconvert's template has changed: is `minigrad export` still needed?"
    return Exported(way, dict(zip(notebooks, pages, strict=True)), asks)


def nbconvert(notebooks: list[Path], folder: Path) -> list[Path]:
    """`jupyter nbconvert --to html`, as one types it."""
    convert = [sys.executable, "-m", "nbconvert", "--to", "html", "--log-level=WARN", f"--output-dir={folder}"]
    subprocess.run([*convert, *map(str, notebooks)], check=True)
    return [folder / f"{notebook.stem}.html" for notebook in notebooks]


def asked(page, html: Path) -> set[str]:
    """Open a page; what it asks the network for, in vain."""
    page.asked.clear()
    page.goto(html.as_uri(), wait_until="load")
    return set(page.asked)


@pytest.fixture(scope="module")
def chromium():
    with playwright.sync_playwright() as p:
        browser = launch(p)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def page(chromium):
    """A tab without the network: the lessons must show all they have without it."""
    page = chromium.new_page()
    page.context.set_offline(True)
    page.asked = outside(page)
    return page


@pytest.fixture(scope="module")
def bare(chromium):
    """A tab without network and without scripts: GitHub and its like run none that a notebook brings."""
    page = chromium.new_page(java_script_enabled=False)
    page.context.set_offline(True)
    page.asked = outside(page)
    return page


def test_every_output_and_every_picture_shows_without_a_kernel_and_without_network(exported, page):
    """(What nbconvert's template asks a CDN for, typesets formulas; without it they stay as they were typed.)"""
    for notebook, html in exported.pages.items():
        assert asked(page, html) == exported.asks, notebook.name
        all_shows(page, notebook, exported.way == "minigrad")


def test_every_output_and_every_picture_shows_without_any_script(exported, bare):
    for notebook, html in exported.pages.items():
        asked(bare, html)
        all_shows(bare, notebook, exported.way == "minigrad")


def test_the_gallery_shows_without_any_script(bare, tmp_path):
    notebook = Path(__file__).parents[2] / "docs" / "gallery" / "gallery.ipynb"
    (html,) = nbconvert([notebook], tmp_path)
    asked(bare, html)
    all_shows(bare, notebook)


def all_shows(page, notebook: Path, asks_itself: bool = False) -> None:
    """In the page that is open, every output of the notebook is there, every picture drawn and inside the page. A page
    that asks for predictions by itself leaves out that none was made."""
    code = [cell for cell in nbformat.read(notebook, as_version=4).cells if cell.cell_type == "code"]
    outputs = [
        output
        for cell in code
        for output in cell.outputs
        if not (asks_itself and "predict(" in cell.source and output.get("text", "").startswith("⬜"))
    ]
    page.evaluate(
        "document.querySelectorAll('details').forEach(answer => { answer.open = true; })"
    )  # as who asks for it
    shown = page.evaluate(LOOK)
    assert len(shown) == len(outputs), notebook.name
    for output, look in zip(outputs, shown, strict=True):
        where = f"{notebook.parent.name}/{notebook.name}: {str(output)[:200]}"
        if has_picture(output):
            assert look["pictures"], f"no picture is shown for {where}"
            assert look["drawn"], f"the browser cannot draw {where}"
            assert not look["wide"], f"a picture runs out of the page: {where}"
        else:
            assert look["text"] or look["pictures"], f"nothing is shown for {where}"


def has_picture(output) -> bool:
    data = output.get("data", {})
    return bool(PICTURES & set(data)) or "<img" in "".join(data.get("text/html", ""))


def test_our_own_pages_draw_every_formula(exported, page):
    if exported.way != "minigrad":
        pytest.skip("nbconvert's own template asks a CDN for MathJax")
    for notebook, html in exported.pages.items():
        page.goto(html.as_uri(), wait_until="load")
        prose = [cell.source for cell in nbformat.read(notebook, as_version=4).cells if cell.cell_type == "markdown"]
        written = sum(len(source.formulas(text)) for text in prose)
        shown = "e.checkVisibility() ? e.getBoundingClientRect().height : 9"  # not what is in a closed answer
        heights = page.evaluate(f"[...document.querySelectorAll('math')].map(e => {shown})")
        assert len(heights) == written, notebook.name
        assert all(height > 5 for height in heights), notebook.name
        left = page.evaluate("[...document.querySelectorAll('.jp-MarkdownOutput')].map(e => e.innerText).join('')")
        assert "\\frac" not in left, notebook.name
        assert page.evaluate("document.documentElement.lang") == notebook.parent.name
        links = page.evaluate("[...document.querySelectorAll('a')].map(a => a.getAttribute('href') || '')")
        local = [link.partition("#")[0] for link in links if not re.match("[a-z]+:|#", link)]
        assert local, notebook.name
        assert [link for link in local if not (html.parent / link).is_file()] == [], f"dead links in {notebook.name}"
        small = "[...document.images].filter(i => !i.naturalWidth || i.getBoundingClientRect().height < 20)"
        assert page.evaluate(f"{small}.map(i => i.alt || i.src.slice(0, 80))") == [], f"broken in {notebook.name}"
        pictured = page.evaluate("document.querySelectorAll('.jp-MarkdownOutput img').length")
        assert pictured == sum(len(re.findall(r"!\[", text)) for text in prose), notebook.name


def test_on_paper_nothing_is_cut_off(exported, chromium):
    """A4 between its margins: what runs out of its box could be scrolled to on a screen."""
    if exported.way != "minigrad":
        pytest.skip("nbconvert's own template cuts long lines of code off")
    paper = chromium.new_page(viewport={"width": 718, "height": 1000})
    paper.emulate_media(media="print")
    cut = "e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 50 && getComputedStyle(e).overflowX !== 'visible'"
    for html in exported.pages.values():
        paper.goto(html.as_uri(), wait_until="load")
        assert paper.evaluate("document.querySelectorAll('.highlight pre, .jp-RenderedMarkdown').length")
        lost = paper.evaluate(f"[...document.querySelectorAll('*')].filter({cut}).map(e => e.textContent.trim())")
        assert lost == [], html.name
    paper.close()


def test_what_is_no_formula_stays():
    for text in ("`$x$` costs $5", "```\na = '$x$'\n```", r"$\unknown{x}$"):
        assert without_tex(text) == (text, [])
    assert without_tex("so $x_i^2$.")[1][0].startswith("<math><msubsup>")


def test_notebooks_of_one_name_have_pages_of_their_own(tmp_path):
    """Thirty people hand in the same lesson."""
    for name in ("anna", "bo"):
        (tmp_path / name / "en").mkdir(parents=True)
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(f"# {name}")])
        nbformat.write(book, tmp_path / name / "en" / "mine.ipynb")
    found = sorted(tmp_path.rglob("mine.ipynb"))
    assert command.main(["export", "--lang", "en", "--dir", str(tmp_path / "out"), *map(str, found)]) == 0
    pages = {page.name: page.read_text(encoding="utf-8") for page in (tmp_path / "out").iterdir()}
    assert sorted(pages) == ["anna_en_mine.html", "bo_en_mine.html"]
    assert all(f"<title>{name.partition('_')[0]}" in page for name, page in pages.items())
