"""Each lesson in a real JupyterLab: it opens, runs from top to bottom, and its control moves.

Every other one is the Chinese one. The English lessons are operated by keyboard alone, the Chinese ones with the
mouse. Where ``MINIGRAD_SCREENSHOTS``
names a folder, every control is photographed there after it was moved, in the light theme and in the dark one.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from minigrad_lessons import source
from minigrad_lessons.build import path_of
from tests.browsers import needs_chromium, outside

from .lab import Tab, change_theme

playwright = pytest.importorskip("playwright.sync_api")
pytestmark = [*needs_chromium, pytest.mark.slow]
PHOTOS = os.environ.get("MINIGRAD_SCREENSHOTS")
SECONDS_TO_OPEN, BUSY = 2, 5  # of work; by the clock a busy machine may take some times as long


@pytest.fixture(scope="module")
def tab(lab, browser):
    """One tab for all lessons."""
    address, _ = lab
    page = browser.new_page(viewport={"width": 1100, "height": 1000})
    one = Tab(page, address)
    one.outside = outside(page)
    one.open("lessons/en/glossary.ipynb")  # JupyterLab loads its notebooks' code with the first one
    one.close()
    yield one
    assert one.outside == [], "a lesson in JupyterLab asks nobody but this machine"
    page.close()


class Hand:
    """Operates the controls in one cell's output: with the mouse, or by keyboard alone."""

    def __init__(self, cell: Any, keyboard: bool) -> None:
        self.cell, self.page, self.keyboard = cell, cell.page, keyboard
        self.output = cell.locator(".jp-OutputArea-output").first
        controls = self.output.locator("button, input, select, .noUi-handle, [role=button]")
        controls.filter(visible=True).first.wait_for()  # the panel hides a tab that leads nowhere yet
        if keyboard:  # the reader stands on the cell, its code is not being edited
            self.page.evaluate("() => { shown.content.mode = 'command'; shown.content.activeCell.node.focus(); }")

    def reach(self, control: Any) -> None:
        """Go to a control with the Tab key, as far as it takes; if that does not lead there, back."""
        for key in ["Tab"] * 40 + ["Shift+Tab"] * 80:
            if control.evaluate("control => control === document.activeElement"):
                return
            self.page.keyboard.press(key)
        raise AssertionError(f"the Tab key does not lead to {control}")

    def press(self, name: str) -> None:
        """A button, or a box to tick."""
        button = self.output.locator("button", has_text=re.compile(rf"^\s*{re.escape(name)}\s*$"))
        # Whichever is there, now or soon: the kernel names a button one message after the text that led to it.
        self.activate(button.or_(self.output.get_by_label(name, exact=True)))

    def activate(self, control: Any) -> None:
        """With a click, or with the space bar."""
        if self.keyboard:
            self.reach(control)
            self.page.keyboard.press("Space")
        else:
            control.click()

    def press_here(self) -> None:
        """Whatever has the focus now."""
        self.page.keyboard.press("Enter")

    def slide(self, number: int, *, presses: int, share: float) -> None:
        """Move a slider: by some presses of an arrow key (to the left if negative), or to a share of its way."""
        slider = self.output.locator(".noUi-target").nth(number)
        if self.keyboard:
            self.reach(slider.locator(".noUi-handle"))
            for _ in range(abs(presses)):
                self.page.keyboard.press("ArrowRight" if presses > 0 else "ArrowLeft")
        else:
            box = slider.bounding_box()
            slider.click(position={"x": box["width"] * share, "y": box["height"] / 2})

    def expect(self, words: str) -> None:
        """The output says this, now or soon."""
        playwright.expect(self.output).to_contain_text(words)

    def count(self, selector: str, number: int) -> None:
        """So many of these are drawn, now or soon."""
        playwright.expect(self.output.locator(selector)).to_have_count(number)


def first_gradient(hand: Hand, lang: str) -> None:
    hand.slide(0, presses=1, share=0.5)  # X = 1, 2, 3 and Y = 3, 5, 7
    # w = 1.1 misses by 1.9, 2.8, 3.7; w = 2 by 1, 1, 1
    hand.expect("w = 1.1,  loss = 25.14" if hand.keyboard else "w = 2,  loss = 3")


def tensors_and_views(hand: Hand, lang: str) -> None:
    where, number = hand.output.locator("select"), hand.output.locator("input")
    if hand.keyboard:
        hand.reach(where)
        hand.page.keyboard.press("End")
        hand.reach(number)
        hand.page.keyboard.press("ControlOrMeta+a")
        hand.page.keyboard.type("42")
    else:
        where.select_option("t[2, 1]")
        number.fill("42")
    hand.press({"en": "write", "zh": "写入"}[lang])
    hand.expect({"en": "storage 1: 1 2 3 4 5 42", "zh": "存储 1：1 2 3 4 5 42"}[lang])
    hand.count('text:text-is("42")', 4)  # in the storage, and in x, y and t


def the_graph(hand: Hand, lang: str) -> None:
    hand.press("[0] MulBackward0")
    hand.expect("z.grad_fn.next_functions[0][0]")
    if hand.keyboard:
        hand.press_here()  # the next way on has the focus already
    else:
        hand.press("[0] AccumulateGrad")
    hand.expect("z.grad_fn.next_functions[0][0].next_functions[0][0]")
    hand.expect("tensor([2.], requires_grad=True)")


def leaves(hand: Hand, lang: str) -> None:
    hand.count("g.leaf", 2)
    hand.press("x.requires_grad")
    hand.count("g.leaf", 3)
    for name in "wxb":
        hand.press(f"{name}.requires_grad")
    hand.expect("result.grad_fn is None")


def backward(hand: Hand, lang: str) -> None:
    for node in ("op3", "acc1", "op1", "op2"):  # y, x too early, a, b
        hand.activate(hand.output.locator(f'[data-id="{node}"]'))
        if node == "acc1":
            hand.expect({"en": "x still waits for what b and a will send", "zh": "x 还没有收到 b、a 传来的梯度"}[lang])
    hand.activate(hand.output.locator('[data-id="acc1"]'))
    hand.expect("30. + 30.")
    hand.expect({"en": "Every node has run", "zh": "所有节点都运行过了"}[lang])


def accumulate(hand: Hand, lang: str) -> None:
    hand.press("backward()")
    hand.press("backward()")
    hand.expect("backward(): 3.0; backward(): 6.0")
    hand.press("w.grad.zero_()")
    hand.press("w.grad = None")
    hand.expect("w.grad.zero_(): 0.0; w.grad = None: None")


def jacobians(hand: Hand, lang: str) -> None:
    hand.slide(0, presses=1, share=0.5)  # the first row of J is 4, 0; it begins with v[0] = 1 and x.grad = 9, -1
    hand.expect("x.grad = [10.0, -1.0]" if hand.keyboard else "x.grad = [5.0, -1.0]")


def stop_recording(hand: Hand, lang: str) -> None:
    hand.expect("grad 36.")
    hand.press("h * h.detach()")
    hand.expect("grad 18.")
    hand.press("no_grad: h * h")
    hand.expect("result.grad_fn is None")


def updating(hand: Hand, lang: str) -> None:
    hand.count('g.node text:text-is("SubBackward0")', 4)
    hand.slide(0, presses=-1, share=0.67)
    hand.count('g.node text:text-is("SubBackward0")', 3)


def saved_tensors(hand: Hand, lang: str) -> None:
    panel = hand.output.locator(".viz-live")
    panel.press("Home")
    hand.expect("SumBackward0")
    panel.press("End")
    hand.expect("None + [42] = [42]")


def in_place(hand: Hand, lang: str) -> None:
    added = 'g.node text:text-is("AddBackward0")'
    hand.count(added, 0)
    hand.press("a.add_(1); b = a**2")
    hand.count(added, 1)


def hooks(hand: Hand, lang: str) -> None:
    hand.expect("grad 36.")
    hand.press("grad * 10")
    hand.expect("grad 360.")
    hand.press("grad * 10, remove()")
    hand.expect("grad 36.")


def your_own_op(hand: Hand, lang: str) -> None:
    hand.slide(0, presses=4, share=0.3)
    says = 'svg > text:text-matches("^e = 1e-05 ")'
    hand.count(says, 1)
    said = re.search(r"e = 1e-05\D+([\d.]+)", hand.output.locator(says).text_content())
    assert abs(float(said[1]) - 12) < 1e-8


def build_it(hand: Hand, lang: str) -> None:
    hand.expect({"en": "step 1000: loss 0.0", "zh": "第 1000 步：损失 0.0"}[lang])
    hand.slide(0, presses=-3, share=0.02)
    hand.expect({"en": "step 0: loss 1", "zh": "第 0 步：损失 1"}[lang])
    hand.count("path.dots", 3)


def fix_it(hand: Hand, lang: str) -> None:
    hand.count('g.node text:text-is("SumBackward0")', 4)
    hand.slide(0, presses=-1, share=0.67)
    hand.count('g.node text:text-is("SumBackward0")', 3)


def across_machines(hand: Hand, lang: str) -> None:
    hand.slide(0, presses=1, share=0.5)
    hand.expect("(2 A + 6 B) / 8" if hand.keyboard else "(4 A + 4 B) / 8")


# What to do with each lesson's control: with the cell that is tagged as one that moves.
CONTROLS: dict[str, Callable[[Hand, str], None]] = {
    "01_first_gradient": first_gradient,
    "02_tensors_and_views": tensors_and_views,
    "03_the_graph": the_graph,
    "04_leaves": leaves,
    "05_backward": backward,
    "06_accumulate": accumulate,
    "07_jacobians": jacobians,
    "08_stop_recording": stop_recording,
    "09_updating": updating,
    "10_saved_tensors": saved_tensors,
    "11_in_place": in_place,
    "12_hooks": hooks,
    "13_your_own_op": your_own_op,
    "14_build_it": build_it,
    "15_fix_it": fix_it,
    "16_across_machines": across_machines,
}


def test_every_lesson_has_its_control():
    assert list(CONTROLS) == source.names()[1:]


def title_of_control(name: str) -> str:
    """The title of the one cell of a lesson that moves."""
    (title,) = [cell.title for cell in source.read(name).code if "moves" in cell.tags]
    return title


@pytest.mark.parametrize(("name", "lang"), [*zip(source.names(), itertools.cycle(source.LANGUAGES), strict=False)])
def test_a_lesson_opens_runs_and_moves(tab, name, lang, record_property):
    seconds, work = tab.open(f"lessons/{lang}/{name}.ipynb")
    record_property("seconds until a lesson's pictures are there", seconds)
    record_property("seconds of work until they are", work)
    try:
        if name in CONTROLS:  # before anything runs: the picture that stands still
            twin = tab.cell(title_of_control(name)).locator("img")
            assert twin.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
            assert bool(source.CHINESE.search(twin.get_attribute("alt"))) == (lang == "zh")
        for cell in tab.run_all():
            failed = [output for output in cell["outputs"] if output["output_type"] == "error"]
            assert bool(failed) == ("raises-exception" in cell["tags"]), f"{cell['source']}\n{failed}"
            if "exercise" in cell["tags"]:
                (said,) = [output["text"] for output in cell["outputs"] if output.get("name") == "stdout"]
                assert said.startswith("⬜"), said
                assert bool(re.search("[\u4e00-\u9fff]", said)) == (lang == "zh"), said  # "：" may be quoted
        if name in CONTROLS:
            cell = tab.cell(title_of_control(name))
            CONTROLS[name](Hand(cell, keyboard=lang == "en"), lang)
            photograph(tab, cell, f"{lang}-{name}")
    finally:
        tab.close()
    assert work < SECONDS_TO_OPEN
    assert seconds < BUSY * SECONDS_TO_OPEN


# What the kernel asks is seen by Python itself.
WITH_PANEL = """import sys
import viz
asked = []
def note(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        asked.append(str(arguments))
sys.addaudithook(note)
viz.live()"""


@pytest.mark.parametrize("lang", source.LANGUAGES)
def test_a_lesson_beside_the_live_panel_asks_nobody_but_this_machine(tab, lab, lang):
    _, folder = lab
    path = f"lessons/{lang}/with_panel.ipynb"
    book = nbformat.read(path_of("05_backward", lang), as_version=4)
    book.cells.insert(0, nbformat.v4.new_code_cell(WITH_PANEL))
    book.cells.append(nbformat.v4.new_code_cell("print(asked)"))
    nbformat.write(book, folder / path)
    tab.open(path)
    try:
        *_, last = tab.run_all()
        assert last["outputs"][0]["text"] == "[]\n"
        tab.page.evaluate("shown.content.scrollToItem(0, 'start')")
        panel = tab.page.locator('[data-windowed-list-index="0"] .viz-live:visible')  # below it the lesson's own pass
        panel.locator(".node").nth(3).wait_for()  # the panel has followed the lesson, and draws when it has time to
        assert tab.page.evaluate("navigator.language").startswith("en"), "the folder decides, not the browser"
        assert panel.get_attribute("lang") == {"en": "en", "zh": "zh-CN"}[lang]
        said = panel.locator("svg.viz").first.get_attribute("aria-label")
        assert said.startswith("The graph has") if lang == "en" else "计算图" in said
        panel.press("ArrowLeft")
        photograph(tab, panel, f"{lang}-with_panel")
    finally:
        tab.close()
    assert tab.outside == []
    tab.page.evaluate("fetch('https://cdn.example/widget.js').catch(() => null)")
    assert tab.outside == ["https://cdn.example/widget.js"], "what is asked is seen"
    tab.outside.clear()


def photograph(tab: Tab, cell: Any, name: str) -> None:
    """Keep what the cell looks like, in both themes, where a folder is given."""
    if not PHOTOS:
        return
    Path(PHOTOS).mkdir(parents=True, exist_ok=True)
    for theme in ("Dark", "Light"):
        change_theme(tab.page, theme)
        cell.screenshot(path=str(Path(PHOTOS, f"{name}-{theme.lower()}.png")))
