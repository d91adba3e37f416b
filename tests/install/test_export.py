"""A lesson without a kernel, as `jupyter nbconvert --to html` or GitHub shows it: every picture, every output."""

import subprocess
import sys

import nbformat
import pytest

from lessons.build import path_of
from lessons.source import LANGUAGES, names
from tests.browsers import launch, needs_chromium

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


@pytest.fixture(scope="module", params=LANGUAGES)
def exported(request, tmp_path_factory):
    """All lessons of one language, exported by the command that a teacher would type."""
    folder = tmp_path_factory.mktemp(request.param)
    notebooks = [path_of(name, request.param) for name in names()]
    convert = [sys.executable, "-m", "nbconvert", "--to", "html", "--log-level=WARN", f"--output-dir={folder}"]
    subprocess.run([*convert, *map(str, notebooks)], check=True)
    return dict(zip(notebooks, (folder / f"{notebook.stem}.html" for notebook in notebooks), strict=True))


@pytest.fixture(scope="module")
def page():
    with playwright.sync_playwright() as p:
        chromium = launch(p)
        page = chromium.new_page()
        # nbconvert's own template asks a CDN for MathJax; the lessons must show their pictures without it.
        page.route("http*://**", lambda route: route.abort())
        yield page
        chromium.close()


def test_every_output_and_every_picture_shows_without_a_kernel(exported, page):
    for notebook, html in exported.items():
        page.goto(html.as_uri(), wait_until="load")
        cells = nbformat.read(notebook, as_version=4).cells
        outputs = [output for cell in cells if cell.cell_type == "code" for output in cell.outputs]
        shown = page.evaluate(LOOK)
        assert len(shown) == len(outputs), notebook.name
        for output, look in zip(outputs, shown, strict=True):
            where = f"{notebook.parent.name}/{notebook.name}: {str(output)[:200]}"
            if PICTURES & set(output.get("data", {})):
                assert look["pictures"], f"no picture is shown for {where}"
                assert look["drawn"], f"the browser cannot draw {where}"
                assert not look["wide"], f"a picture runs out of the page: {where}"
            else:
                assert look["text"] or look["pictures"], f"nothing is shown for {where}"
