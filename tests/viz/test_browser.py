"""The picture in a real browser: it unfolds into the page, follows the page's theme, and runs nobody else's code."""

import pytest

import viz
from tests.browsers import launch, needs_chromium

from .nasty import NASTY

playwright = pytest.importorskip("playwright.sync_api")
pytestmark = needs_chromium


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as p:
        chromium = launch(p)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser):
    page = browser.new_page()
    page.errors = []
    page.requests = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("dialog", lambda dialog: page.errors.append(dialog.message))
    page.on("request", lambda request: page.requests.append(request.url))
    yield page
    assert page.errors == []
    assert [url for url in page.requests if not url.startswith("data:") and url != page.url] == []
    page.close()


def picture(torch, names=None):
    w = torch.tensor([2.0], requires_grad=True)
    b = torch.tensor([1.0], requires_grad=True)
    z = w * 3 + b
    return viz.draw(z, names=names and {names: w})


def html(picture):
    return picture._repr_mimebundle_()["text/html"]


def test_image_unfolds_into_the_page(torch, page):
    page.set_content(html(picture(torch)))
    assert page.locator("img").count() == 0
    assert page.locator("svg g.node").count() == 7
    assert page.locator("svg g.leaf title").first.text_content().startswith("leaf w, shape (1,)")


# VS Code makes each script of an output anew, runs it at the end of that output, and takes it away again
AS_VS_CODE = """outputs => outputs.forEach(html => {
    const output = document.body.appendChild(document.createElement("div"));
    output.innerHTML = html;
    for (const old of output.querySelectorAll("script")) {
        const script = Object.assign(document.createElement("script"), { text: old.text });
        if (old.type) script.type = old.type;
        output.appendChild(script).remove();
    }
})"""


def test_in_vs_code_pictures_have_its_theme_and_passes_play(torch, page):
    """In its dark theme they stayed light images."""
    page.set_content("<body class='vscode-dark'>")
    page.evaluate(AS_VS_CODE, [html(picture(torch)), html(picture(torch)), html(recorded(torch))])
    page.locator(".viz-live g.node").first.wait_for()
    assert page.locator("img").count() == 0
    assert page.locator("div > svg g.node").count() >= 14
    papers = page.locator("svg .paper").evaluate_all("papers => papers.map(paper => getComputedStyle(paper).fill)")
    assert len(papers) == 3
    assert "rgb(255, 255, 255)" not in papers


def test_without_script_the_image_stays(torch, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_content(html(picture(torch)))
    image = page.locator("img.viz-image")
    assert image.get_attribute("alt") == picture(torch).alt
    assert image.bounding_box()["width"] > 300
    context.close()


TEXTS = """() => [...document.querySelectorAll("svg text")].map(text => {
    const svg = text.closest("svg");
    return parseFloat(getComputedStyle(text).fontSize) * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
})"""


@pytest.mark.parametrize("wide", [360, 700, 1300])
def test_in_a_narrow_cell_a_wide_picture_scrolls_and_stays_legible(torch, page, wide):
    page.set_viewport_size({"width": wide, "height": 700})
    a = torch.ones(2, requires_grad=True)
    row = viz.draw((((a * 2).exp() + 1).log().sin() * a).sum(), direction="right")
    page.set_content(html(row))
    assert row.layout.width > 700
    assert min(page.evaluate(TEXTS)) >= 10.99
    assert page.evaluate("document.documentElement.scrollWidth") <= wide, "the page itself does not"
    page.emulate_media(media="print")
    assert page.locator("svg").bounding_box()["width"] <= wide, "on paper nothing scrolls"


@pytest.mark.parametrize("system", ["light", "dark"])
@pytest.mark.parametrize(
    ("attribute", "dark"),
    [
        ("", None),
        ('data-jp-theme-light="true"', False),
        ('data-jp-theme-light="false"', True),
        ('data-theme="dark"', True),
        ('class="vscode-light"', False),
        ('class="light"', False),  # MyST, which is Jupyter Book 2
        ('class="dark"', True),
        ('class="quarto-dark"', True),
        ('data-md-color-scheme="slate"', True),  # Material for MkDocs
    ],
)
def test_theme_is_the_pages_else_the_systems(torch, page, system, attribute, dark):
    page.emulate_media(color_scheme=system)
    # MyST has JupyterLab's light colours, on dark pages too
    named = "" if "data-jp" in attribute else "<style>:root { --jp-layout-color1: white }</style>"
    page.set_content(f"{named}<body {attribute}>{html(picture(torch))}{html(recorded(torch))}</body>")
    page.locator(".viz-live").wait_for()
    papers = [
        page.locator("div > svg .paper").first.evaluate("e => getComputedStyle(e).fill"),
        page.locator(".viz-live").evaluate("e => getComputedStyle(e).backgroundColor"),
    ]
    is_dark = system == "dark" if dark is None else dark
    assert papers == ["rgb(22, 25, 31)" if is_dark else "rgb(255, 255, 255)"] * 2


SPHINX = """<style>html[data-theme="dark"] .bd-content div.cell_output .text_html:not(:has(table.dataframe))
    { background-color: #ced6dd; color: #14181e } html { color: #ced6dd; background: #14181e }</style>
    <div class="bd-content"><div class="cell_output">"""


def test_the_light_ground_of_a_dark_sphinx_page_is_taken_away(torch, page):
    """Its theme lays one under all HTML, which as a rule knows no dark: dark pictures stood in light boxes."""
    output = '<div class="text_html">{}<p>In [2]</p></div>'
    page.set_content(
        f'<html data-theme="dark">{SPHINX}{output.format(html(picture(torch)))}{output.format("<b>x</b>")}'
    )
    shown = "es => es.map(e => [getComputedStyle(e).backgroundColor, getComputedStyle(e).color])"
    ours, other = page.locator(".text_html").evaluate_all(shown)
    assert ours == ["rgba(0, 0, 0, 0)", "rgb(206, 214, 221)"]
    assert other == ["rgb(206, 214, 221)", "rgb(20, 24, 30)"]


def test_a_pass_plays_in_a_page_made_from_markdown(torch, page):
    """As `nbconvert --to markdown` writes it, for what reads CommonMark: the HTML ended in the midst of the script."""
    markdown = pytest.importorskip("markdown_it").MarkdownIt("commonmark", {"html": True})
    outputs = [html(shown) for shown in (picture(torch), recorded(torch), picture(torch))]
    page.set_content(markdown.render("# One\n\n" + "\n\n## Two\n\n".join(outputs)))
    page.locator(".viz-live g.node").first.wait_for()
    assert page.locator("div > svg g.node").count() == 21
    assert "globalThis" not in page.locator("body").inner_text()


def test_on_a_slide_the_play_bar_is_in_sight(torch, page):
    """A slide of reveal.js is 700 high and does not scroll; above are a heading and the code of the cell."""
    page.set_viewport_size({"width": 1280, "height": 720})
    w = y = torch.tensor(2.0, requires_grad=True)
    for _ in range(6):
        y = (y * w).sin()
    with viz.record(y) as run:
        y.backward()
    page.set_content(f'<div class="reveal" style="width:790px;margin-top:225px">{html(run)}</div>')
    bar = page.locator(".vl-player").bounding_box()
    assert bar["y"] + bar["height"] <= 700


def test_text_fits_its_box(torch, page):
    """Widths are estimated without fonts; here a browser with fonts measures them."""
    w = torch.tensor([2.0, -1.5], requires_grad=True)
    权重 = torch.tensor([1.0], requires_grad=True)
    MMMWWW = torch.tensor([1.0], requires_grad=True)
    损失函数的值 = ((w * 权重).sigmoid() + MMMWWW).sum()
    page.set_content(html(viz.draw(损失函数的值, show=("saved", "order"))))
    overflow = page.evaluate(
        """() => [...document.querySelectorAll("g.node")].flatMap(node => {
            const shape = node.querySelector(".shape").getBoundingClientRect();
            return [...node.querySelectorAll("text")].filter(text => {
                const box = text.getBoundingClientRect();
                return box.left < shape.left + 2 || box.right > shape.right - 2 ||
                       box.top < shape.top - 1 || box.bottom > shape.bottom + 1;
            }).map(text => text.textContent);
        })"""
    )
    assert overflow == []


@pytest.mark.parametrize("name", NASTY.values(), ids=NASTY.keys())
def test_names_run_nothing_and_stay_in_their_place(torch, page, name):
    drawn = picture(torch, names=name or " ")
    page.set_content(html(drawn))
    assert page.locator("svg").count() == 1
    assert page.locator("svg script, svg image, svg foreignObject, svg a, body > img").count() == 0
    assert page.locator("g.node").count() == 7
    assert page.locator("g.node").first.is_visible()  # no style sheet of theirs hid it


def test_page_can_be_searched_and_fits(torch, page, tmp_path):
    path = picture(torch).save(tmp_path / "g.html")
    page.goto(path.as_uri())
    canvas = page.locator(".viz-live svg g.node").first
    canvas.wait_for()
    assert page.evaluate("window.find('MulBackward0')"), "the browser's own search finds what stands in the picture"
    whole, shown = page.locator("svg.viz").bounding_box(), page.locator(".vl-stage").bounding_box()
    assert whole["height"] <= shown["height"], "it uses its page"


@pytest.mark.parametrize(("width", "height"), [(1280, 400), (390, 844)])
def test_a_saved_picture_runs_the_way_that_its_page_is_long(torch, page, tmp_path, width, height):
    page.set_viewport_size({"width": width, "height": height})
    chain = torch.tensor([2.0], requires_grad=True).exp().sin().sqrt()
    page.goto(viz.draw(chain).save(tmp_path / "g.html").as_uri())
    page.locator(".viz-live svg g.node").first.wait_for()
    drawn = page.locator("svg.viz").bounding_box()
    assert (drawn["width"] > drawn["height"]) == (width > height)


def recorded(torch, **names):
    w = torch.tensor(2.0, requires_grad=True)
    loss = (w * 3 + 1) ** 2
    with viz.record(loss) as run:
        loss.backward()
    return run


def test_a_saved_pass_plays_without_kernel_or_network(torch, page, tmp_path):
    page.goto(recorded(torch).save(tmp_path / "pass.html").as_uri())
    page.locator("g.node").first.wait_for()
    story = page.get_by_role("main").locator(".viz-live")
    assert page.get_by_role("heading", level=1).text_content() == page.title()
    assert story.get_by_role("heading", level=2).text_content() == "Computation graph"
    page.locator(".vl-count").get_by_text("5 / 5").wait_for()  # by itself, once
    story.press("Home")
    assert "0 / 5" in story.inner_text()
    for step in range(1, 6):
        page.get_by_role("button", name="One step forward").click()
        assert f"{step} / 5" in story.inner_text()
    assert "42" in page.locator("g.leaf").text_content()


def stages(torch):
    """A network of two stages of two blocks."""
    nn = torch.nn
    block = lambda: nn.Sequential(*(layer for _ in range(8) for layer in (nn.Linear(2, 2), nn.Tanh())))  # noqa: E731
    return nn.Sequential(*(nn.Sequential(block(), block()) for _ in range(2)))


@pytest.mark.parametrize("kind", ["picture", "pass"])
def test_the_groups_of_a_saved_page_open_and_close(torch, page, tmp_path, kind):
    """There is no kernel to ask for what is inside them."""
    net = stages(torch)
    loss = net(torch.ones(1, 2)).sum()
    saved = drawn = viz.draw(loss, modules=1, show="order")
    if kind == "pass":
        with viz.record(loss, modules=1) as saved:
            loss.backward()
    page.set_viewport_size({"width": 1000, "height": 500})
    page.goto(saved.save(tmp_path / "page.html").as_uri())
    groups, story = page.locator(".node.folded"), page.locator(".viz-live")
    groups.first.wait_for()
    whole = groups.count()
    assert whole == sum(node.kind == "folded" for node in drawn.graph.nodes) > 1
    if kind == "pass":
        story.press("End")  # from there a new pass would play
    step = page.locator(".vl-count").text_content()
    group = groups.nth(1)
    opened = group.get_attribute("data-id")
    known = ", ".join(f"[data-id='{g.get_attribute('data-id')}']" for g in page.locator("g.node").all())
    group.scroll_into_view_if_needed()
    group.dblclick()
    inner = page.locator(f".node.folded[data-id^='{opened}.']").first
    inner.wait_for()
    assert page.locator(f".node[data-id='{opened}']").count() == 0
    came, stage = page.locator(f"g.node:not({known})").first.bounding_box(), page.locator(".vl-stage").bounding_box()
    for at, long in (("x", "width"), ("y", "height")):
        assert stage[at] <= came[at] <= stage[at] + stage[long] - came[long], "it is not in view"
    page.wait_for_timeout(300)
    assert page.locator(".vl-count").text_content() == step, "the pass has moved on"
    inner.focus()
    inner.press("Enter")
    page.get_by_role("button", name="Open this group").click()
    page.locator("g.node", has_text="TanhBackward0").first.wait_for()
    page.get_by_role("button", name="Close opened groups").click()
    page.wait_for_function("n => document.querySelectorAll('.node.folded').length === n", arg=whole)
    assert page.get_by_role("button", name="Close opened groups").is_hidden()


def test_the_view_goes_to_the_group_that_is_opened_and_not_to_one_that_closes(torch, page, tmp_path):
    """In a page one is open at a time: the first that came was the other, closed again, at the far end."""
    net = torch.nn.Sequential(*(stages(torch) for _ in range(3)))
    saved = viz.draw(net(torch.ones(1, 2)).sum(), modules=1)
    page.set_viewport_size({"width": 1000, "height": 400})
    page.goto(saved.save(tmp_path / "page.html").as_uri())
    page.locator(".node.folded").first.wait_for()
    for group in ("module1", "module3"):
        node = page.locator(f".node[data-id='{group}']")
        node.scroll_into_view_if_needed()
        node.dblclick()
        page.locator(f".node[data-id^='{group}.']").first.wait_for()
    page.wait_for_timeout(600)
    stage, seen = page.locator(".vl-stage").bounding_box(), []
    known = {f"module{i}" for i in (1, 2, 3)} | {node.id for node in saved.graph.nodes}
    for node in page.locator("g.node").all():
        box = node.bounding_box()
        if stage["y"] <= box["y"] and box["y"] + box["height"] <= stage["y"] + stage["height"]:
            seen.append(node.get_attribute("data-id"))
    assert {*seen} - known, f"nothing of what it holds is in view, but {seen}"


def test_a_card_is_seen_where_what_is_said_of_the_step_has_been_scrolled(torch, page, tmp_path):
    w = torch.arange(40.0).requires_grad_()
    loss = (w * w).sum()
    with viz.record(loss) as run:
        loss.backward()
    page.set_viewport_size({"width": 390, "height": 500})
    page.goto(run.save(tmp_path / "pass.html").as_uri())
    page.locator(".viz-live").press("End")
    page.locator(".viz-live").press("ArrowLeft")
    assert page.locator(".vl-side").evaluate("side => (side.scrollTop = 60, side.scrollTop)") > 0
    page.locator("g.node").first.press("Enter")
    assert page.locator(".vl-side").evaluate("side => side.scrollTop") == 0
    assert page.locator(".vl-card h3").is_visible()


def test_a_pass_plays_in_the_output_of_a_cell(torch, page):
    """The output as it stands in a saved or exported notebook, more than one of them on a page."""
    outputs = [recorded(torch)._repr_mimebundle_() for _ in range(2)]
    page.set_content("<main>" + "".join(f"<div class=cell>{o['text/html']}</div>" for o in outputs) + "</main>")
    page.locator(".viz-live g.node").first.wait_for()
    assert outputs[0]["text/plain"].startswith("start: PowBackward0 is given 1.")
    page.wait_for_function("document.querySelectorAll('.viz-live g.node').length == 14")
    assert page.locator(".viz-live").count() == 2
    assert page.locator("img.viz-image").count() == 0
    assert "vizLive" in recorded(torch)._repr_html_(), "which is all that sphinx-gallery asks for"


def test_without_script_a_pass_is_its_picture(torch, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_content(recorded(torch)._repr_mimebundle_()["text/html"])
    image = page.locator("img.viz-image")
    assert image.get_attribute("alt").startswith("start: PowBackward0 is given 1.")
    assert image.bounding_box()["height"] > 100
    context.close()


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "</title><script>alert(2)</script>", "$svg ${title}"])
def test_page_runs_no_name(torch, page, tmp_path, name):
    path = picture(torch, names=name).save(tmp_path / "g.html")
    page.set_content(path.read_text(encoding="utf-8"))
    assert page.locator("g.node").count() == 7


def test_on_paper_a_saved_pass_is_whole(torch, page, tmp_path):
    """What scrolls on a screen was cut off in print."""
    w = y = torch.tensor([0.5, 0.25], requires_grad=True)
    for k in range(12):
        y = (y * w + k).sin()
    loss = y.sum()
    with viz.record(loss) as run:
        loss.backward()
    page.goto(run.save(tmp_path / "pass.html").as_uri())
    page.locator(".viz-live svg.viz").wait_for()
    cut = """() => [...document.querySelectorAll(".vl-stage, .vl-main, .vl-side, .vl-body, .viz-live")]
        .filter(e => e.scrollHeight > e.clientHeight + 1 || e.scrollWidth > e.clientWidth + 1).map(e => e.className)"""
    assert "vl-stage" in page.evaluate(cut), "this picture is too small to say anything"
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 718, "height": 900})
    assert page.evaluate(cut) == []
    assert page.locator(".vl-player").is_hidden()


def test_code_in_the_output_of_a_cell_has_no_ground_of_its_own(torch, page):
    """JupyterLab gives all code in an output a ground and a padding."""
    w = torch.tensor(2.0, requires_grad=True)
    loss = w * 3
    with viz.record(loss) as run:
        loss.backward()
    rule = ".jp-ThemedContainer .jp-RenderedHTMLCommon :not(pre) > code { background: #eee; padding: 1px 5px; }"
    page.set_content(
        f'<style>{rule}</style><body class="jp-ThemedContainer"><div class="jp-RenderedHTMLCommon">{html(run)}</div>'
    )
    code = page.locator(".vl-sum code").first
    code.wait_for()
    shown = code.evaluate("e => [getComputedStyle(e).backgroundColor, getComputedStyle(e).padding]")
    assert shown == ["rgba(0, 0, 0, 0)", "0px"]
