"""The site that `minigrad export` writes, opened from the disk in a browser that has no network: predictions, hints,
recorded passes, the ways between its pages.

Where ``MINIGRAD_SCREENSHOTS`` names a folder, the first page and lesson 1 are photographed there.
"""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from minigrad_lessons import command, source
from minigrad_lessons.language import LANGUAGES
from tests.browsers import launch, needs_chromium, outside
from tests.lessons.test_predict import ANSWERS

playwright = pytest.importorskip("playwright.sync_api")
bs4 = pytest.importorskip("bs4")  # nbconvert brings it
pytestmark = [*needs_chromium, pytest.mark.slow]
PHOTOS = os.environ.get("MINIGRAD_SCREENSHOTS")
LESSONS = source.names()[1:]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder, as a teacher's one command writes it."""
    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MINIGRAD_LANG", "en")
        assert command.main(["export", "--dir", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def chromium():
    with playwright.sync_playwright() as p:
        browser = launch(p)
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium):
    """A tab without the network; what fails in a page fails the test."""
    page = chromium.new_context(offline=True).new_page()
    page.set_default_timeout(90_000)
    asked, failed = outside(page), []
    page.on("pageerror", lambda error: failed.append(str(error)))
    yield page
    assert (asked, failed) == ([], [])
    page.context.close()


def every_page(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def test_it_is_small_and_both_languages_are_there(site):
    assert sum(file.stat().st_size for file in site.rglob("*") if file.is_file()) < 15e6
    for lang in LANGUAGES:
        there = {file.stem for file in (site / lang).iterdir()}
        assert there == {*LESSONS, "index", "glossary", "errata", "cheat_sheet"}


def test_every_link_leads_to_a_page_and_to_a_place_in_it(site):
    places, links = {}, []
    for file in every_page(site):
        page = bs4.BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser")
        assert page.title.text, file
        places[file] = {tag["id"] for tag in page.find_all(id=True)}
        links += [(file, urlsplit(urljoin(file.as_uri(), tag["href"]))) for tag in page.find_all("a", href=True)]
    dead = []
    for file, link in links:
        there, spoken = places.get(Path(unquote(link.path))), {link.fragment, unquote(link.fragment)}
        if link.scheme == "file" and (there is None or (link.fragment and not spoken & there)):
            dead.append((file.name, unquote(link.path), unquote(link.fragment)))
    assert len(links) > 1000
    assert dead == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_lesson_leads_to_the_next_and_to_itself_in_the_other_language(site, tab, lang):
    other = next(it for it in LANGUAGES if it != lang)
    tab.goto((site / lang / f"{LESSONS[0]}.html").as_uri())
    for before, name in pairwise(LESSONS):
        tab.locator("header [rel=next]").click()
        tab.wait_for_url(f"**/{lang}/{name}.html")
        assert tab.locator("header [rel=prev]").get_attribute("href") == f"{before}.html"
    assert tab.locator("[rel=next]").count() == 0
    middle = tab.locator(".jp-Cell").nth(12)
    place = middle.get_attribute("id")
    middle.evaluate("cell => cell.scrollIntoView()")
    tab.locator("header .other").evaluate("link => link.click()")
    tab.wait_for_url(f"**/{other}/{name}.html#{place}")
    assert tab.locator("html").get_attribute("lang") == other


def test_a_prediction_is_typed_or_chosen_with_the_mouse(site, tab):
    tab.goto((site / "en" / "01_first_gradient.html").as_uri())
    typed, chosen = (tab.locator(f".predict[data-name={name}]") for name in ("slope", "which-way"))
    typed.locator("input").fill(repr(ANSWERS["slope"][0]))
    typed.locator("button").click()
    chosen.get_by_text(repr(ANSWERS["which-way"][0]), exact=True).click()
    chosen.locator("button").click()
    assert tab.locator(".predict fieldset:disabled").count() == 2
    for name in ("slope", "which-way"):
        assert "✅" in tab.locator(f".verdict[data-names~={name}]").text_content()


# Makes every prediction of a page, one after the other; what there is to see of each, before and afterwards.
PREDICT = """said => [...document.querySelectorAll(".predict")].map(form => {
    const { name } = form.dataset, answer = document.querySelector(`.answer:has([data-names~="${name}"])`);
    const field = form.querySelector("input:not([type=radio])"), button = form.querySelector("button");
    const before = { open: answer.open, offered: button.checkVisibility() && !button.matches(":disabled") };
    if (field) field.value = said[name];
    else [...form.querySelectorAll("label")].find(choice => choice.textContent.trim() === said[name]).click();
    button.click();
    const [told, ...more] = [...answer.querySelectorAll(".verdict")].map(it => it.textContent);
    return { name, ...before, told, more, locked: form.querySelectorAll("fieldset:disabled").length };
})"""


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_prediction_is_locked_and_then_the_truth_unfolds(site, tab, lang):
    """Every one of every lesson: what holds, and what most people expect."""
    made = 0
    for name in LESSONS:
        for right, mark in ((True, "✅"), (False, "🔎")):
            tab.goto((site / lang / f"{name}.html").as_uri())
            said = {asked: repr(holds if right else others[0]) for asked, (holds, others) in ANSWERS.items()}
            for seen in tab.evaluate(PREDICT, said):
                asked = seen.pop("name")
                assert mark in seen.pop("told"), (name, asked, said[asked], seen)
                assert seen == {"open": False, "offered": True, "more": [], "locked": 1}, (name, asked)
                made += 1
            assert tab.evaluate("[...document.querySelectorAll('.answer')].every(it => it.open)"), name
    assert made >= 2 * 2 * len(LESSONS)


def test_what_is_no_prediction_is_not_locked(site, tab):
    tab.goto((site / "en" / "01_first_gradient.html").as_uri())
    form = tab.locator(".predict[data-name=slope]")
    for typed, says in (("", "⬜"), ("minus forty", "❌"), ("alert(1)", "❌"), ("[1, None", "❌")):
        form.locator("input").fill(typed)
        form.locator("button").click()
        assert form.locator("output").inner_text().startswith(says), typed
    assert form.locator("fieldset:disabled").count() == 0
    tab.locator(".answer:has([data-names=slope]) > summary").click()  # who looks first predicts no more
    form.locator("fieldset:disabled").wait_for()
    assert "nothing was predicted" in form.locator("output").inner_text()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_hints_come_one_by_one(site, tab, lang):
    tab.goto((site / lang / "01_first_gradient.html").as_uri())
    outer = tab.locator("main > .hint").first
    steps = outer.locator("summary")
    assert steps.count() == 3
    for number in range(3):
        assert [step.is_visible() for step in steps.all()] == [one <= number for one in range(3)]
        steps.nth(number).click()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_recorded_pass_plays_to_its_end(site, tab, lang):
    played = 0
    for name in LESSONS:
        tab.goto((site / lang / f"{name}.html").as_uri())
        tab.evaluate("document.querySelectorAll('.answer, .pass').forEach(it => { it.open = true; })")
        for one in tab.locator(".pass").all():
            panel = one.locator(".viz-live")
            panel.wait_for()
            slider = one.locator("input[type=range]")
            steps = int(slider.get_attribute("max"))
            assert steps >= 1
            slider.press("End")
            assert slider.input_value() == str(steps), name
            assert slider.evaluate("it => getComputedStyle(it).padding") == "0px", "its thumb is at the end, too"
            played += 1
        if tab.locator(".pass").count():
            assert tab.locator(".viz-live").first.get_attribute("lang").startswith(lang)
    assert played >= 20


def test_the_keyboard_alone_predicts_and_plays(site, tab):
    tab.goto((site / "en" / "01_first_gradient.html").as_uri())

    def reach(wanted):
        for _ in range(200):
            tab.keyboard.press("Tab")
            if tab.evaluate("it => document.activeElement?.matches(it)", wanted):
                return
        raise AssertionError(f"the Tab key does not lead to {wanted}")

    reach(".predict[data-name=slope] input")
    tab.keyboard.type("-40")
    tab.keyboard.press("Enter")
    assert "✅" in tab.locator(".verdict[data-names=slope]").inner_text()
    reach(".pass summary")
    tab.keyboard.press("Enter")
    tab.locator(".viz-live").wait_for()
    reach(".pass[open] input[type=range]")
    tab.keyboard.press("ArrowRight")
    assert tab.locator(".pass[open] input[type=range]").input_value() == "1"


PAPER = {"light": "rgb(255, 255, 255)", "dark": "rgb(22, 25, 31)"}
BACKGROUND = "getComputedStyle(document.body).backgroundColor"


def test_a_telephone_shows_all_of_it(site, tab):
    """420 pixels: nothing runs out of the page, no text is below 11 pixels, and the theme is the one asked for."""
    tab.set_viewport_size({"width": 420, "height": 900})
    for file in every_page(site):
        if file.stem == "cheat_sheet":
            continue  # a sheet of paper
        tab.goto(file.as_uri())
        assert tab.evaluate("document.documentElement.scrollWidth") <= 420, file
        for theme, paper in PAPER.items():
            tab.emulate_media(color_scheme=theme)
            assert tab.evaluate(BACKGROUND) == paper, file
        sizes = tab.evaluate(
            "[...document.querySelectorAll('main p, main li, main code, main pre, summary, button, td')]"
            ".map(it => parseFloat(getComputedStyle(it).fontSize))"
        )
        assert min(sizes) >= 11, file


def test_a_verdict_and_an_error_are_read_without_scrolling_sideways(site, tab):
    """As JupyterLab shows them; a verdict was a line of its own, and ran out of its page on every screen."""
    tab.set_viewport_size({"width": 1280, "height": 900})
    for name in LESSONS:
        tab.goto((site / "en" / f"{name}.html").as_uri())
        wide = "it => it.checkVisibility() && it.scrollWidth > it.clientWidth + 1"
        said = f"[...document.querySelectorAll('.jp-OutputArea-output pre')].filter({wide}).map(it => it.textContent)"
        assert tab.evaluate(said) == [], name


@pytest.mark.parametrize("theme", PAPER)
def test_a_button_changes_the_theme(site, tab, theme):
    tab.set_viewport_size({"width": 420, "height": 900})
    tab.emulate_media(color_scheme=theme)
    for name in ("index", "en/01_first_gradient", "zh/01_first_gradient") if PHOTOS else ("zh/01_first_gradient",):
        tab.goto((site / f"{name}.html").as_uri())
        if PHOTOS:
            tab.screenshot(path=Path(PHOTOS) / f"site-{name.replace('/', '-')}-{theme}.png", full_page=True)
    tab.locator(".theme").click()
    assert tab.evaluate(BACKGROUND) != PAPER[theme]


def test_without_scripts_all_of_it_can_be_unfolded(site, chromium):
    bare = chromium.new_page(java_script_enabled=False)
    bare.goto((site / "zh" / "01_first_gradient.html").as_uri())
    assert not bare.locator(".predict").first.is_visible()  # a form that could do nothing
    answer = bare.locator(".answer").first
    answer.locator("summary").first.click()
    assert "→ tensor([-40.])" in answer.inner_text()
    bare.close()
