"""The live panel beside its notebook, in JupyterLab; a pass that plays by itself; what a reader can read."""

import re

import pytest

from tests.browsers import needs_chromium

from .reading import OVERLAPS, TEXTS

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = needs_chromium

README = """import minigrad as torch, viz
viz.options.language = "{}"
panel = viz.live()"""
PASS = """w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
z = w * 3 + b
loss = z**2
loss.backward()"""


@pytest.fixture(scope="module")
def notebook(open_notebook):
    opened = open_notebook("dock")
    opened.run(README.format("en"))
    opened.panel.wait_for()
    return opened


def docked(notebook):
    return notebook.page.locator(".minigrad-dock .viz-live")


def test_a_pass_plays_by_itself_and_a_key_ends_it(notebook, shot):
    page, count = notebook.page, notebook.panel.locator(".vl-count")
    page.evaluate("""() => {
        window.seen = [];
        const count = document.querySelector(".viz-live .vl-count");
        const look = () => { if (seen.at(-1) !== count.textContent) seen.push(count.textContent); };
        new MutationObserver(look).observe(count, { childList: true, characterData: true, subtree: true });
    }""")
    notebook.run(PASS)
    expect(count).to_have_text("6 / 6")
    page.wait_for_timeout(300)
    seen = page.evaluate("seen")
    shown = [int(text.split()[0]) for text in seen if text.endswith("/ 6")]
    shown = shown[len(shown) - shown[::-1].index(min(shown)) - 1 :]  # since the pass began
    assert shown == sorted(shown), "it goes forward"
    assert len(shown) >= 4, "it plays, though a busy machine may leave out a step, and does not jump to its end"
    notebook.expect_to_say("panel.step", "6")
    for _ in range(3):  # a busy machine may be at the end before the key comes
        notebook.run(PASS, wait=False)
        page.wait_for_function("() => /^[1-4] /.test(document.querySelector('.viz-live .vl-count').textContent)")
        notebook.panel.press("x")
        stopped = count.text_content()
        page.wait_for_timeout(1500)
        if stopped != "6 / 6":
            break
    assert count.text_content() == stopped != "6 / 6"
    shot(notebook.panel, "film")
    assert notebook.errors == []


@pytest.mark.parametrize("size", [(1440, 900), (1280, 720)])
@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_all_can_be_read(notebook, shot, size, beside, language):
    page = notebook.page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    notebook.run(f"panel.language = {language!r}")
    notebook.top()
    if beside:
        notebook.panel.locator(".vl-dock").click()
        docked(notebook).wait_for()
    try:
        if beside:
            wide = {1440: 448, 1280: 420}[size[0]]  # two fifths of the place, but no less
            page.wait_for_function(f"Math.abs(document.querySelector('.minigrad-dock').clientWidth - {wide}) < 12")
        notebook.run(PASS)
        panel = docked(notebook) if beside else notebook.panel
        expect(panel.locator(".vl-count")).to_have_text("6 / 6")
        for step in (5, 2, 6):
            panel.locator(".vl-slider").fill(str(step))
            for _ in range(20):  # until what moves has come to rest
                page.wait_for_timeout(600)
                small = [each for each in page.evaluate(TEXTS) if each[0] < 10.99]
                overlaps = page.evaluate(OVERLAPS)
                if small == overlaps == []:
                    break
            assert small == []
            assert overlaps == []
        panel.locator(".vl-slider").fill("5")
        page.wait_for_timeout(600)
        shot(page, f"{'docked' if beside else 'inline'}-{size[0]}-{language}")
        if language == "en":
            said = panel.evaluate("e => e.textContent + [...e.querySelectorAll('title')].map(t => t.textContent)")
            assert not re.findall("[\u4e00-\u9fff].*", said.replace("中", ""))
    finally:
        if beside:
            docked(notebook).locator(".vl-dock").click()
            docked(notebook).wait_for(state="detached")
    assert notebook.errors == []


def test_beside_the_notebook_it_fills_its_pane_and_one_line_stays(notebook):
    page = notebook.page
    notebook.top()
    notebook.panel.locator(".vl-dock").click()
    docked(notebook).wait_for()
    inline = page.locator(".jp-Notebook .viz-live")
    assert inline.bounding_box()["height"] < 60
    pane, own = page.locator(".minigrad-dock").bounding_box(), docked(notebook).bounding_box()
    assert abs(own["height"] - pane["height"]) < 4
    assert abs(own["width"] - pane["width"]) < 4
    notebook.run(README.format("en"))  # a rerun shows the same panel, in the same tab
    page.wait_for_timeout(500)
    assert page.locator(".minigrad-dock").count() == 1
    notebook.write("beside = True")  # and from the tab, too, a cell is run by its key
    docked(notebook).press("Shift+Enter")
    notebook.expect_to_say("beside", "True")
    docked(notebook).locator(".vl-dock").press("Enter")
    docked(notebook).wait_for(state="detached")
    assert page.evaluate("panel.node.contains(document.activeElement)"), "the keyboard goes back with it"
    inline.first.locator(".vl-dock").press("Enter")
    docked(notebook).wait_for()
    inline.first.locator(".vl-dock").press("Enter")
    docked(notebook).wait_for(state="detached")
    expect(inline.first.locator(".vl-dock")).to_be_focused()
    assert inline.last.bounding_box()["height"] > 100
    assert notebook.errors == []


def test_in_the_simple_interface_it_goes_into_the_sidebar(open_notebook):
    """There is one page then, and no room beside it: the panel was folded away and seen nowhere."""
    opened = open_notebook("simple")
    opened.command("application:set-mode", mode="single-document")
    opened.run(README.format("en"))
    opened.panel.locator(".vl-dock").click()
    expect(docked(opened)).to_be_visible()
    docked(opened).locator(".vl-dock").click()
    expect(opened.page.locator(".minigrad-dock")).to_have_count(0)
    expect(opened.panel.locator(".vl-tabs")).to_be_visible()
    assert opened.errors == []
