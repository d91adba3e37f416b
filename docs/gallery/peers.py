"""What torchlens and torchvista make of a model, as text in which features.py looks for signs.

`python docs/gallery/peers.py torchlens` needs a `dot` program on the PATH, `… torchvista` playwright and a Chromium.
Each runs in a process of its own: they put functions of their own in the place of PyTorch's.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import torch

sys.path.insert(0, str(Path(__file__).parents[2]))  # for tests/
from tests.browsers import launch


class Cube(torch.autograd.Function):
    """A Function of one's own."""

    @staticmethod
    def forward(ctx: Any, t: Any) -> Any:
        ctx.save_for_backward(t)
        return t**3

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (t,) = ctx.saved_tensors
        return 3 * t**2 * g


class Model(torch.nn.Module):
    """Does what the cells of the gallery do."""

    def __init__(self) -> None:
        super().__init__()
        self.w = torch.nn.Parameter(torch.tensor([2.0]))
        self.layers = torch.nn.Sequential(torch.nn.Linear(1, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))
        self.equal = torch.nn.Sequential(*(torch.nn.Sequential(torch.nn.Linear(1, 1)) for _ in range(10)))

    def forward(self, given: Any) -> Any:
        c = (self.w * given["权重"]).detach()
        with torch.no_grad():
            c = c / 10
        h = self.equal(self.layers(c.view(1, 1))).sum() * self.w
        if h.requires_grad:  # torchvista runs all of it under no_grad()
            h.register_hook(double)
        for _ in range(10):
            h = (h * self.w).tanh()
        h = h.clone()
        h[0] *= 2
        h = Cube.apply(h)
        return {"my result": h.sum(), "other": h.mean()}


class Fails(torch.nn.Module):
    """Two shapes that do not fit."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.other = torch.nn.Linear(1, 2), torch.nn.Linear(3, 1)

    def forward(self, x: Any) -> Any:
        return self.other(self.one(x).tanh())


class Loop(torch.nn.Module):
    """Three operations, so many times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    def forward(self, c: Any) -> Any:
        v = c
        for _ in range(self.times):
            v = (v * c + c).sin()
        return v


def double(grad: Any) -> Any:
    """A hook."""
    return 2 * grad


def given() -> dict[str, Any]:
    """What the model gets."""
    return {"权重": torch.tensor([3.0])}


def hostile() -> torch.nn.Module:
    """A model with a part whose name is no mere word."""
    model = torch.nn.Sequential()
    model.add_module("</script><script>alert(1)//", torch.nn.Linear(1, 1))
    return model


def torchlens(folder: Path) -> Iterator[str]:
    """All that torchlens draws, as DOT, and what its other answers say."""
    import torchlens as tl

    def drawn(of: Any = None, **options: Any) -> str:
        return (of or trace).draw(vis_outpath=str(folder / "drawing"), vis_save_only=True, **options)

    trace = tl.trace(Model(), [given()])
    yield drawn(show_saved_for_backward=True, show_redundant_args=True)
    yield drawn(vis_mode="rolled", fold_repeats=True)
    yield drawn(node_mode="profiling")
    yield drawn(vis_call_depth=1)
    yield f"the code beside it: {'register_hook' in drawn(code_panel=True)}"
    yield f"the same again: {drawn() == drawn(tl.trace(Model(), [given()]))}"
    for kind in ("svg", "dot", "png", "pdf", "json"):
        drawn(vis_fileformat=kind)
        yield f"wrote {kind}: {(folder / f'drawing.{kind}').exists()}"
    page = tl.export.html(trace, folder / "drawing.html").read_text(encoding="utf-8")
    yield "wrote html: True"
    yield f"of the network: {re.findall('https?://(?!www.w3.org)[^ <]*', page)}"
    yield f"the page listens to: {re.findall('addEventListener..([a-z]+)|on(?:click|toggle)=', page)}"
    yield drawn(tl.trace(hostile(), [torch.ones(1, 1)]))
    try:
        tl.trace(Fails(), [torch.ones(1, 1)])
    except RuntimeError as error:
        yield drawn(error.partial_log)
    with mock.patch.dict(os.environ, PATH=""):
        yield f"without dot: {_error(drawn)}"
    trace.log_backward(trace[trace.output_layers[0]].out)
    yield trace.draw_backward(vis_outpath=str(folder / "drawing"), vis_save_only=True)


def torchvista(folder: Path) -> Iterator[str]:
    """All that torchvista's pages show in a browser without a network, and what they do there."""
    import torchvista as tv
    from playwright.sync_api import sync_playwright

    def page(name: str, model: torch.nn.Module, inputs: Any, **options: Any) -> str:
        path = folder / f"{name}.html"
        with suppress(RuntimeError), mock.patch.dict(os.environ, PATH=""), redirect_stdout(StringIO()):
            tv.trace_model(model, inputs, export_path=str(path), show_module_attr_names=True, **options)
        return path.as_uri()

    with sync_playwright() as p:
        browser = launch(p)
        tab = browser.new_context(offline=True).new_page()
        asked: list[str] = []
        tab.on("request", lambda request: asked.append(request.url))

        def drawn(address: str) -> str:
            tab.goto(address)
            tab.wait_for_selector("g[class^=node_]")
            return picture()

        def picture() -> str:
            return re.sub(r"_[0-9a-f-]{36}", "", tab.locator("[id^=graph_] > svg").evaluate("svg => svg.outerHTML"))

        yield drawn(page("all", Model(), given(), collapse_modules_after_depth=99))
        for button in tab.locator("circle[class^=info-button_]").all():
            button.dispatch_event("click")
            yield "card: " + " ".join(tab.locator("[id^=popup_]").first.inner_text().split())
        before = tab.locator("[id^=graph_] > svg > g").get_attribute("transform")
        tab.mouse.move(300, 300)
        tab.mouse.wheel(0, -300)
        tab.wait_for_timeout(300)
        yield f"zooms: {before != tab.locator('[id^=graph_] > svg > g').get_attribute('transform')}"
        closed = drawn(page("closed", Model(), given(), collapse_modules_after_depth=0))
        yield f"layers as one node: {'>layers<' in closed and 'boundary-box' not in closed}"
        tab.locator("g[class*=module_] circle[class^=collapse-button_]").first.dispatch_event("click")
        tab.wait_for_selector("g[class^=boundary-box_]")
        yield f"opens: {len(picture()) > len(closed)}"
        yield drawn(page("fails", Fails(), torch.ones(1, 1)))
        yield f"of the network: {[url for url in asked if not url.startswith(('file:', 'blob:'))]}"
        tab.goto(page("named", hostile(), torch.ones(1, 1)))
        tab.wait_for_timeout(2000)
        yield f"a name with tags: {tab.locator('g[class^=node_]').count()} nodes"
        yield f"wrote html: {Path(folder, 'all.html').exists()}"
        for kind in ("svg", "png"):  # no file: a link in the page
            with mock.patch.object(tv.render, "display") as shown:
                tv.trace_model(Loop(1), torch.tensor(0.5), export_format=kind)
            Path(folder, "link.html").write_text(shown.call_args.args[0].data, encoding="utf-8")
            tab.goto(Path(folder, "link.html").as_uri())
            tab.wait_for_selector("a[download]")
            yield f"wrote {kind}: {tab.locator(f'a[download$={kind}]').count() == 1}"
        yield "parameters: " + " ".join(inspect.signature(tv.trace_model).parameters)
        # 3,000 operations are too many already; a hundred thousand end the same way, after a minute.
        yield f"large: {_error(lambda: tv.trace_model(Loop(1000), torch.tensor(0.5), export_path=str(folder / 'x')))}"
        yield "compressed:" + drawn(
            page("compressed", Model(), given(), collapse_modules_after_depth=99, show_compressed_view=True)
        )
        browser.close()


def _error(act: Callable[[], Any]) -> str:
    try:
        with redirect_stdout(StringIO()):
            act()
    except Exception as error:
        return type(error).__name__
    return "none"


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    with TemporaryDirectory() as scratch:
        for part in {"torchlens": torchlens, "torchvista": torchvista}[sys.argv[1]](Path(scratch)):
            print(part)
