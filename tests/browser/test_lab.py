"""viz.live() in JupyterLab, as a learner uses it."""

import json
import os
import re
import statistics
import time

import pytest

from tests.benchmarks.viz.cell_to_pixels import whole
from tests.browsers import needs_chromium

from .conftest import UNTIL_GO_ON
from .lab import SECONDS, change_theme

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = needs_chromium


@pytest.fixture(scope="module")
def notebook(open_notebook):
    """One notebook for most tests; each begins with other tensors."""
    opened = open_notebook("live")
    opened.run("import minigrad as torch, viz, time\npanel = viz.live()")
    opened.panel.wait_for()
    return opened


@pytest.fixture(scope="module")
def other(open_notebook):
    """A second one, with a kernel of its own; opening JupyterLab takes longer than most tests."""
    opened = open_notebook("other")
    opened.run("import minigrad as torch, viz\nruns = globals().get('runs', 0) + 1\npanel = viz.live()")
    opened.panel.wait_for()
    return opened


@pytest.fixture
def live(notebook):
    notebook.page.evaluate("() => jupyterapp.shell.activateById(panel.id)")
    notebook.run("get_ipython().run_line_magic('reset_selective', '-f ^[a-z]$|^loss$|^seen$'); panel.language = 'en'")
    yield notebook
    said, notebook.errors = notebook.errors, []  # the tests that follow are asked of what they do themselves
    assert said == []


def node(where, label):
    """A node by what a screen reader says of it first."""
    return where.locator(f'.node[aria-label^="{label}"]')


PASS = """
w = torch.tensor(2., requires_grad=True)
b = torch.tensor(1., requires_grad=True)
z = w * 3 + b
loss = z ** 2
"""


def backward(notebook):
    """The pass through that, and the panel has shown it: what is pressed before goes to what was there."""
    notebook.run("loss.backward()")
    expect(notebook.panel.locator(".vl-tab").last).to_have_attribute("aria-pressed", "true")
    notebook.panel.press("End")  # it plays, and a key ends that
    expect(notebook.panel.locator(".vl-count")).to_have_text("6 / 6")


def test_grows_while_the_cell_runs(live, shot):
    pieces = ["a = torch.tensor(1., requires_grad=True)", "b = a * 2", "c = b.sin()"]
    slowly = ("\n" + "time.sleep(0.3)\n" * 5).join([*pieces, ""])
    live.run(slowly + UNTIL_GO_ON, wait=False)
    seen = []
    for label in ("a,", "MulBackward0", "SinBackward0"):
        node(live.panel, label).wait_for()
        # (not the kernel's own status: what the panel asks meanwhile is answered by another thread, which then is idle)
        seen.append(live.page.locator(".jp-InputPrompt", has_text="[*]:").count())
        if label == "MulBackward0":
            expect(live.panel.locator(".vl-status")).to_contain_text("running")
    shot(live.panel, "busy")
    assert seen == [1, 1, 1], "the cell was still running each time"
    live.go_on()
    expect(live.panel.locator(".vl-status")).to_contain_text("following")


def test_a_rebound_name_is_seen_to_move(live, shot):
    live.run("w = torch.tensor(2., requires_grad=True)\nz = w * w")
    live.run("z.backward()")
    expect(node(live.panel, "w,").locator(".grad")).to_have_text("4")
    live.run("w = w - w.grad")
    expect(live.panel.locator(".vl-note")).to_contain_text("w now refers to another tensor")
    expect(live.panel.locator(".vl-moved")).to_have_count(1)
    live.top()
    live.page.wait_for_timeout(400)
    shot(live.page, "moved")


def test_steps_forward_back_and_anywhere_show_what_was_recorded(live, shot):
    live.run(PASS + "seen = []\nz.register_hook(lambda g: seen.append(f'{float(g):g}.'))\nw.grad = torch.tensor(0.5)")
    backward(live)
    panel, count = live.panel, live.panel.locator(".vl-count")
    grads = {}
    for move in ("ArrowLeft",) * 6 + ("ArrowRight",) * 6:
        panel.press(move)
        step = count.text_content()
        texts = [node(panel, name).locator(".grad").text_content() for name in ("w,", "b,")]
        assert grads.setdefault(step, texts) == texts, "forward and back, a step shows the same"
    assert grads["0 / 6"] == ["0.5", "None"]
    assert grads["6 / 6"] == ["42.5", "14"]
    panel.locator(".vl-slider").fill("2")
    expect(count).to_have_text("2 / 6")
    assert node(panel, "PowBackward0").get_attribute("data-state") == "now"
    arrived = node(panel, "AddBackward0").locator(".grad").text_content()
    expect(panel.locator(".vl-rules")).to_contain_text("∂loss/∂z = ∂loss/∂loss · 2 · z")
    expect(panel.locator(".vl-rules")).to_contain_text("= 14")
    shot(live.page, "step")
    panel.press("End")
    expect(panel.locator(".vl-end")).to_be_visible()
    expect(panel.locator(".vl-call")).to_contain_text("loss.backward()")
    live.expect_to_say("seen[0], float(w.grad), float(b.grad), panel.step", "14. 42.5 14.0 6")
    assert arrived == "14"


def test_step_is_a_trait_that_both_sides_set(live):
    live.run(PASS)
    live.run("loss.backward()\npanel.step = 1")
    expect(live.panel.locator(".vl-count")).to_have_text("1 / 6")
    live.panel.press("ArrowRight")
    live.expect_to_say("panel.step", "2")


def test_a_slider_is_linked_to_the_step_in_the_browser(live):
    live.run(PASS)
    backward(live)
    live.run(
        "import ipywidgets\nslider = ipywidgets.IntSlider(max=6)\nlink = ipywidgets.jslink((panel, 'step'), "
        "(slider, 'value'))\nslider"
    )
    page, readout = live.page, live.page.locator(".widget-readout").last
    expect(readout).to_have_text("6")
    live.panel.press("ArrowLeft")  # back to the pass: the cell that made the slider shows the graph as it is now
    # (not the kernel's own status: it also tells of the panel's messages, which are answered while a cell runs)
    live.run("print('busy')" + UNTIL_GO_ON, wait=False)
    expect(page.locator(".jp-OutputArea-output").last).to_have_text("busy")
    live.panel.press("ArrowLeft")
    expect(readout).to_have_text("5")
    page.evaluate("() => document.querySelector('.noUi-handle').focus()")
    page.keyboard.press("ArrowLeft")
    expect(live.panel.locator(".vl-count")).to_have_text("4 / 6")
    assert page.locator(".jp-InputPrompt").last.text_content() == "[*]:", "the kernel had nothing to do with it"
    live.go_on()
    live.run("link.unlink(); slider.close()")
    live.expect_to_say("panel.step", "4")


def test_beside_the_notebook_in_a_sidecar(live, shot):
    if live.say("__import__('importlib.util').util.find_spec('sidecar') is not None") != "True":
        pytest.skip("sidecar is not installed")
    live.run(PASS)
    live.run("from sidecar import Sidecar\nside = Sidecar(title='live')\nwith side: display(panel)")
    beside = live.page.locator(".jupyterlab-sidecar .viz-live")
    beside.first.wait_for()
    backward(live)
    beside.first.press("Home")
    beside.first.press("ArrowRight")
    expect(live.page.locator(".jp-Notebook .viz-live .vl-count")).to_have_text("1 / 6")
    live.page.wait_for_timeout(400)
    shot(live.page, "sidecar")
    live.run("side.close()")
    expect(live.page.locator(".viz-live")).to_have_count(1)


def test_what_jupyter_dropped_is_sent_again(live):
    """Above a megabyte a second Jupyter drops what comes, the panel's messages among it."""
    live.run("print(get_ipython().kernel.shell.display_pub.__class__.__name__)")
    live.run("flood = torch.tensor(1., requires_grad=True).tan()\nfor _ in range(40): print('x' * 100_000)")
    node(live.panel, "TanBackward0").wait_for()
    expect(live.panel.locator(".vl-status")).to_contain_text("following")
    live.run("del flood")


def test_by_keyboard_alone_and_the_notebook_hears_nothing(live, shot):
    live.run(PASS)
    backward(live)
    page, panel = live.page, live.panel
    cells = page.evaluate("() => panel.content.model.cells.length")
    panel.focus()
    for key in ("Home", "ArrowRight", "ArrowRight", "b", "d", "d", "x", "a", "m", "ArrowRight"):
        page.keyboard.press(key)
    expect(panel.locator(".vl-count")).to_have_text("3 / 6")
    assert page.evaluate("() => panel.content.model.cells.length") == cells
    assert "Step 3 of 6" in panel.locator("[role=status]").text_content()
    focused = "document.activeElement.closest?.('.node')?.getAttribute('aria-label') ?? ''"
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate(focused):
            break
    assert page.evaluate(focused).startswith("PowBackward0 (loss)"), "Tab comes to the result"
    walked = set()
    for key in ("ArrowUp", "ArrowLeft", "ArrowUp", "ArrowLeft"):  # whichever way the picture goes
        page.keyboard.press(key)
        walked.add(page.evaluate(focused).split(",")[0])
    assert len(walked) >= 3, "and the arrows go from node to node"
    expect(panel.locator(".vl-count")).to_have_text("3 / 6")
    page.keyboard.press("Enter")
    expect(panel.locator(".vl-card")).to_be_visible()
    shot(page, "card")
    page.keyboard.press("Escape")
    expect(panel.locator(".vl-card")).to_be_hidden()
    page.keyboard.press("Escape")
    page.keyboard.press("Home")
    page.keyboard.press(" ")
    expect(panel.locator(".vl-count")).to_have_text("6 / 6")


def test_a_cell_is_run_by_its_keys_after_a_click_in_the_panel(other):
    for runs, key in enumerate(("Shift+Enter", "Control+Enter"), 2):
        other.run(PASS + "loss.backward()")
        expect(other.panel.locator(".vl-count")).to_have_text("6 / 6")
        other.top()
        other.panel.get_by_role("button", name="One step back").click()
        expect(other.panel.locator(".vl-count")).to_have_text("5 / 6")
        other.page.keyboard.press(key)
        other.page.wait_for_timeout(300)
        other.idle()
        other.expect_to_say("runs", str(runs))
        other.expect_to_say("panel.step", "5")
    assert other.errors == []


def test_a_card_tells_the_line_of_its_node(live):
    live.run(PASS)
    mul = node(live.panel, "MulBackward0")
    mul.click()
    expect(live.panel.locator(".vl-card")).to_contain_text("line 4: z = w * 3 + b")
    live.panel.press("Escape")


def test_language_and_theme(live, shot):
    live.run(PASS)
    backward(live)
    panel = live.panel
    paper = panel.evaluate("e => getComputedStyle(e).backgroundColor")
    panel.locator(".vl-language").click()
    expect(panel.locator(".vl-brand")).to_have_text("实时计算图")
    assert panel.get_attribute("lang") == "zh-CN"
    change_theme(live.page, "Dark")
    expect(panel).not_to_have_css("background-color", paper)
    expect(panel.locator(".leaf .shape").first).to_have_css("fill", "rgb(16, 41, 59)")
    panel.press("ArrowLeft")
    shot(live.page, "dark-zh")
    change_theme(live.page, "Light")
    live.expect_to_say("panel.language", "zh")


def test_an_error_stops_on_its_node(live, shot):
    live.run(PASS)
    backward(live)
    live.run("loss.backward()")
    steps = live.panel.locator(".vl-steps")
    expect(steps).to_contain_text("a second time")
    expect(steps).to_contain_text("retain_graph=True")
    assert node(live.panel, "PowBackward0").get_attribute("data-state") == "failed"
    live.top()
    shot(live.page, "error")
    live.panel.locator(".vl-language").click()
    expect(steps).to_contain_text("怎么办")


def test_a_leaf_is_moved_and_the_picture_follows(live, shot):
    live.run(PASS)
    backward(live)
    node(live.panel, "w,").click()
    slider = live.panel.locator(".vl-move input")
    live.top()
    shot(live.page, "leaf-to-move")
    slider.focus()
    for _ in range(10):
        live.page.keyboard.press("ArrowRight")
    moved = live.panel.locator(".vl-move span").inner_text()
    assert float(moved) > 2
    expect(live.panel.locator(".vl-note")).to_contain_text(f"w = {moved}")
    gives = 2 * (float(moved) * 3 + 1) * 3
    expect(node(live.panel, "w,").locator("text.grad")).to_have_text(f"{gives:.4g}")
    expect(live.panel.locator(".vl-count")).to_have_text("6 / 6")
    live.top()
    shot(live.page, "leaf-moved")
    assert live.say("w.item(), w.grad.item()") == "2.0 42.0"


def test_an_operation_that_does_not_fit_is_seen(live, shot):
    live.run("x = torch.ones(2, 3)\nw = torch.ones(4, 5, requires_grad=True)\nh = w * 2")
    live.run("y = x @ h")
    failed = node(live.panel, "x @ h")
    expect(failed).to_contain_text("✕ shapes (2, 3), (4, 5)")
    live.top()
    shot(live.page, "does-not-fit")
    live.panel.locator(".vl-language").click()
    expect(failed).to_contain_text("✕ 形状 (2, 3), (4, 5)")
    live.run("w = torch.ones(3, requires_grad=True)")
    expect(failed).to_have_count(0)


def test_a_new_view_beside_the_notebook_goes_along(live, shot):
    live.run(PASS)
    backward(live)
    live.page.evaluate(
        """() => {
            const { content } = panel, { cells } = content.model;
            for (let i = 0; i < cells.length; i++) {
                if (cells.get(i).sharedModel.getSource().includes("viz.live")) { content.activeCellIndex = i; break; }
            }
            return jupyterapp.commands.execute("notebook:create-output-view");
        }"""
    )
    views = live.page.locator(".viz-live")
    expect(views).to_have_count(2)
    beside = live.page.locator(".jp-LinkedOutputView .viz-live")
    beside.wait_for()
    beside.press("Home")
    beside.press("ArrowRight")
    expect(live.page.locator(".jp-Notebook .viz-live .vl-count")).to_have_text("1 / 6")
    live.page.wait_for_timeout(500)
    shot(live.page, "beside")
    live.run("q = torch.tensor(5., requires_grad=True) * 2", wait=True)
    for i in (0, 1):
        expect(views.nth(i).locator(".vl-tab").first).to_have_attribute("aria-pressed", "true")
    live.page.evaluate(
        "() => [...jupyterapp.shell.widgets('main')].filter(w => w.title.label === 'Output View').map(w => w.close())"
    )
    expect(views).to_have_count(1)


def test_the_page_is_loaded_again(live):
    live.run(PASS)
    backward(live)
    live.panel.press("Home")
    live.panel.press("ArrowRight")
    # what it answers then, it answers after it has heard of the step; a cell would end the step
    live.page.evaluate("() => panel.sessionContext.session.kernel.requestKernelInfo().then(() => null)")
    live.command("docmanager:save")
    live.open()
    live.panel.wait_for()
    expect(live.panel.locator(".vl-count")).to_have_text("1 / 6")
    live.run("again = torch.tensor(3., requires_grad=True).exp()")
    node(live.panel, "ExpBackward0").wait_for()


def test_cleared_and_shown_late(live):
    live.page.evaluate("() => jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")
    expect(live.page.locator(".viz-live")).to_have_count(0)
    live.run("late = torch.tensor(1., requires_grad=True).cos()")
    live.run("viz.live()")
    node(live.panel, "CosBackward0").wait_for()
    live.run("later = late.tanh()")
    node(live.panel, "TanhBackward0").wait_for()


LOOP = """
model = [torch.randn(1, 8, requires_grad=True), torch.randn(8, 1, requires_grad=True)]
began, rounds, scenes = time.time(), 0, panel.follower.scenes
passes, looks = scenes.traces, scenes.serial
while {more}:
    x = torch.randn(16, 1)
    loss = ((x @ model[0]).tanh() @ model[1] - x * x).pow(2).mean()
    for p in model: p.grad = None
    loss.backward()
    with torch.no_grad():
        for p in model: p -= 0.05 * p.grad
    rounds += 1
passes = scenes.traces - passes
looks = scenes.serial - looks - passes
"""


def test_a_training_loop_at_full_rate_leaves_no_memory_behind(live, shot, request):
    """As long as LIVE_MINUTES says; a few seconds otherwise, and on a busy machine until the picture has moved."""
    seconds = 60 * float(os.environ.get("LIVE_MINUTES", "0.3"))
    page, panel = live.page, live.panel
    page.evaluate(
        """() => { window.redrawn = 0;
            window.watching = new MutationObserver(all => { if (all.some(m => m.type === "childList")) redrawn++; });
            watching.observe(document.querySelector(".viz-live .vl-canvas"), { childList: true }); }"""
    )
    session = page.context.new_cdp_session(page)

    def size():
        session.send("HeapProfiler.collectGarbage")
        counted = session.send("Memory.getDOMCounters")
        return counted["nodes"], counted["jsEventListeners"], page.evaluate("() => performance.memory.usedJSHeapSize")

    rss = "int(open('/proc/self/statm').read().split()[1]) * 4096 if __import__('os').path.exists('/proc') else 0"
    live.run(LOOP.format(more="time.time() < began + 2"))
    kernel_before = int(live.say(rss))
    live.run("import os\n" + LOOP.format(more="not os.path.exists('go on')"), wait=False)
    began = time.monotonic()
    page.wait_for_timeout(3000)
    live.top()
    before = size()  # while it runs: the next cell would count as well
    page.evaluate("() => { redrawn = 0; }")
    shown, redrawn = set(), 0
    # A panel that is starved is not helped by more time: one that lives has moved long before that.
    while (took := time.monotonic() - began) < seconds - 2 or (took < SECONDS and (redrawn < 2 or len(shown) < 2)):
        shown.add(panel.locator(".vl-loss code").text_content())
        redrawn = page.evaluate("() => redrawn")
        page.wait_for_timeout(200)
    page.evaluate("() => watching.disconnect()")
    after = size()
    shot(page, "loop")
    (live.folder / "go on").touch()
    live.idle()
    os.remove(live.folder / "go on")
    kernel_after = int(live.say(rss))
    rounds, passes, looks = map(int, live.say("rounds, passes, looks").split())
    print(
        f"\n{took:.0f} s: {rounds:,} rounds, {passes} passes recorded, {looks} looks; "
        f"{redrawn} redrawings, {len(shown)} losses; "
        f"nodes {before[0]} → {after[0]}, listeners {before[1]} → {after[1]}, "
        f"heap {before[2] / 1e6:.1f} → {after[2] / 1e6:.1f} MB, "
        f"kernel {kernel_before / 1e6:.0f} → {kernel_after / 1e6:.0f} MB"
    )
    assert len(shown) >= 2, "the loss moves while the loop runs"
    assert redrawn >= 2, "the picture moves while the loop runs"
    assert redrawn <= 12 * took
    assert looks <= 1 + passes / 4, "the picture shows a pass: a look takes its turn, and moves nothing"
    assert after[0] < before[0] * 1.2 + 500
    assert after[1] < before[1] + 200
    assert after[2] < before[2] + 12e6
    assert kernel_after < kernel_before + 30e6


@pytest.mark.parametrize("size", [100, 500])
def test_from_operation_to_pixels(live, size):
    """Printed, not asserted by the clock, but for an order of magnitude."""
    took = whole(live, size, 10 if "LIVE_MINUTES" in os.environ else 2)
    median, least, worst = statistics.median(took) * 1000, min(took) * 1000, max(took) * 1000
    print(
        f"\n{size} nodes: operation to pixels {median:.0f} ms in the median (least {least:.0f}, worst {worst:.0f} ms)"
    )
    assert median < 20_000


def test_pytorch_itself(open_notebook, shot):
    pytest.importorskip("torch")
    opened = open_notebook("pytorch")
    opened.run("import torch, viz\nviz.options.language = 'zh'\npanel = viz.live()")
    if opened.say("'panel' in globals()") != "True":
        pytest.skip("the notebook's kernel has no PyTorch")
    opened.run(PASS)
    backward(opened)
    opened.panel.press("Home")
    for _ in range(4):
        opened.panel.press("ArrowRight")
    expect(opened.panel.locator(".vl-count")).to_have_text("4 / 6")
    opened.panel.press("End")
    assert node(opened.panel, "w，").locator(".grad").text_content() == "42"
    shot(opened.page, "pytorch-zh")
    assert opened.say("float(w.grad), torch.__name__") == "42.0 torch"
    assert opened.errors == []


def test_kernel_restarted_panel_closed_notebook_without_kernel(open_notebook, shot):
    opened = open_notebook("ends")
    opened.run("import minigrad as torch, viz\npanel = viz.live()")
    opened.run(PASS)
    node(opened.panel, "PowBackward0").wait_for()
    opened.run("panel.stop()")
    expect(opened.panel.locator(".vl-status")).to_contain_text("no longer following")
    opened.run("panel.start()")
    expect(opened.panel.locator(".vl-status")).to_contain_text("following")
    opened.command("docmanager:save")
    saved = json.loads(opened.path.read_text(encoding="utf-8"))

    opened.page.evaluate("() => panel.sessionContext.restartKernel()")
    expect(opened.panel.locator(".vl-status")).to_contain_text("old")
    expect(node(opened.panel, "PowBackward0")).to_be_visible()
    opened.panel.press("+")
    shot(opened.page, "old")

    opened.page.wait_for_timeout(500)
    opened.run("import os, minigrad as torch, viz\npanel = viz.live()")
    opened.run("fresh = torch.tensor(1., requires_grad=True).exp()")
    newest = opened.page.locator(".viz-live").last
    node(newest, "ExpBackward0").wait_for()
    expect(newest.locator(".vl-status")).to_contain_text("following")
    opened.run("panel.close()")
    expect(opened.page.locator(".viz-live")).to_have_count(1)
    opened.run("after = fresh * 2")
    assert opened.say("float(after)").startswith("5.4")

    opened.run("panel = viz.live()")
    newest = opened.page.locator(".viz-live").last
    node(newest, "ExpBackward0").wait_for()
    opened.run("os.kill(os.getpid(), 9)", wait=False)  # a crash
    expect(newest.locator(".vl-status")).to_contain_text("old")
    assert opened.errors == []

    (opened.folder / "reopened.ipynb").write_text(json.dumps(saved), encoding="utf-8")
    reopened = open_notebook("reopened", None)
    picture = reopened.page.locator(".viz-twin svg, .viz-twin img").first
    picture.wait_for()
    assert picture.bounding_box()["width"] > 200
    expect(reopened.page.locator(".viz-twin p")).to_contain_text("As it was after In [2]")
    shot(reopened.page, "reopened")
    assert re.search(r"PowBackward0", reopened.path.read_text(encoding="utf-8"))


def test_a_panel_saved_with_the_notebook_says_that_it_is_old(other, open_notebook, shot):
    """JupyterLab can save the state of widgets; opened again, the panel is there, but no kernel knows it."""
    other.page.evaluate(
        """() => jupyterapp.serviceManager.settings.save("@jupyter-widgets/jupyterlab-manager:plugin",
                                                       '{"saveState": true}')"""
    )
    opened = open_notebook("keeping")
    opened.run("import minigrad as torch, viz\npanel = viz.live()")
    opened.run(PASS)
    backward(opened)
    opened.command("docmanager:save")
    assert "widgets" in json.loads(opened.path.read_text(encoding="utf-8"))["metadata"]
    opened.page.evaluate("() => panel.sessionContext.shutdown()")
    expect(opened.panel.locator(".vl-status")).to_contain_text("old")

    opened.open()
    # On a busy machine JupyterLab may draw outputs before it has restored their widgets, and says "model not found",
    # where it draws that at all: it may also hide it.
    not_found = opened.page.get_by_text("Error displaying widget: model not found")
    opened.panel.or_(not_found).first.wait_for(state="attached")
    if not_found.count():
        opened.open()
    status = opened.panel.locator(".vl-status")
    expect(status).to_contain_text("old")
    opened.panel.press("Home")
    opened.panel.press("ArrowRight")
    expect(opened.panel.locator(".vl-count")).to_have_text("1 / 6")
    opened.page.wait_for_timeout(500)
    expect(status).to_contain_text("old")
    shot(opened.page, "saved-and-old")
    opened.run("import minigrad as torch, viz\npanel = viz.live()")
    newest = opened.page.locator(".viz-live").last
    expect(newest.locator(".vl-status")).to_contain_text("following")
    assert opened.errors == []


def test_two_notebooks_do_not_disturb_each_other(live, other):
    other.run("only_here = torch.tensor(1., requires_grad=True)")
    node(other.panel, "only_here").wait_for()
    live.run("only_there = torch.tensor(1., requires_grad=True)")
    node(live.panel, "only_there").wait_for()
    time.sleep(0.5)
    assert node(other.panel, "only_there").count() == node(live.panel, "only_here").count() == 0
