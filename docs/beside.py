"""Remake the pictures of the panel beside its notebook, and the film strip of a pass that plays by itself.

`python docs/beside.py` (a folder as its argument takes them all, at both sizes and in the cell, too, to be looked at)
needs jupyterlab, PyTorch, playwright, Pillow and a Chromium. Everything is photographed as it is shown: a real
JupyterLab for the first, a page with a panel in the midst of its motion for the second.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
FILM = HERE / "film.png"
sys.path.insert(0, str(HERE.parent))  # for tests/

README = """w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
z = w * 3 + b
loss = z**2
loss.backward()"""
NOTES = """class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * (input > 0)

x, y = torch.randn(64, 1000), torch.randn(64, 10)
w1 = torch.randn(1000, 100, requires_grad=True)
w2 = torch.randn(100, 10, requires_grad=True)
relu = MyReLU.apply
y_pred = relu(x.mm(w1)).mm(w2)
loss = (y_pred - y).pow(2).sum()
loss.backward()"""
RESIDUAL = """class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)

    def forward(self, x):
        return (self.second(self.first(x).relu()) + x).relu()

net = torch.nn.Sequential(Block(), Block(), torch.nn.Linear(8, 1))
x, y = torch.randn(4, 8), torch.randn(4, 1)
loss = (net(x) - y).pow(2).mean()
loss.backward()"""
TRANSFORMER = """layer = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
net = torch.nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
x = torch.randn(2, 5, 16)
loss = net(x).pow(2).mean()
loss.backward()"""
# name: library, cell, step that is shown, theme, language
DOCKED = {
    "readme": ("minigrad", README, 5, "light", "en"),
    "notes": ("minigrad", NOTES, 3, "light", "zh"),
    "residual": ("torch", RESIDUAL, 4, "dark", "en"),
    "transformer": ("torch", TRANSFORMER, 3, "dark", "zh"),
}
SIZES = ((1440, 900), (1280, 720))
FRAMES, ACROSS, WIDTH, HIGH = 10, 5, 470, 700


def picture_of(name: str) -> Path:
    """Where the picture of a panel beside its notebook is kept."""
    return HERE / f"docked-{name}.png"


def files() -> set[Path]:
    """Every picture that this remakes."""
    return {FILM, *map(picture_of, DOCKED)}


def smaller(shot: bytes, path: Path, colours: int = 128) -> None:
    """Writes a screenshot with few colours: a tenth of its size, and none the worse to read."""
    from PIL import Image

    picture = Image.open(io.BytesIO(shot)).convert("RGB")
    picture.quantize(colours, dither=Image.Dither.NONE).save(path, optimize=True)


def docked(everything: Path | None) -> None:
    """Runs each program in a JupyterLab, with the panel beside it."""
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import Notebook
    from tests.browser.lab import jupyterlab
    from tests.browsers import launch

    with tempfile.TemporaryDirectory() as folder, jupyterlab(Path(folder)) as address, sync_playwright() as p:
        chromium = launch(p)
        for name, (library, cell, step, theme, language) in DOCKED.items():
            opened = Notebook((address, Path(folder) / "work"), chromium, name, [])
            page = opened.page
            if theme == "dark":
                opened.command("apputils:change-theme", theme="JupyterLab Dark")
            opened.command("application:set-mode", mode="multiple-document")
            page.evaluate("jupyterapp.shell.collapseLeft()")
            named = "torch" if library == "torch" else f"{library} as torch"
            seed = f"import {named}, viz\ntorch.manual_seed(0)\nviz.options.language = {language!r}"
            opened.run(f"{seed}\npanel = viz.live()")
            opened.panel.wait_for()
            for size in SIZES if everything else SIZES[:1]:
                page.set_viewport_size({"width": size[0], "height": size[1]})
                opened.run(cell)
                page.wait_for_timeout(4500)  # until it has played
                if everything:
                    page.screenshot(path=everything / f"inline-{name}-{size[0]}.png")
                opened.panel.locator(".vl-dock").click()
                page.locator(".minigrad-dock .viz-live").wait_for()
                page.wait_for_timeout(1500)
                panel = page.locator(".minigrad-dock .viz-live")
                page.evaluate("async () => { await window.panel.content.scrollToItem(1, 'start'); }")
                panel.locator(".vl-slider").fill(str(step))
                page.wait_for_timeout(1500)
                shot = page.screenshot()
                if everything:
                    (everything / f"docked-{name}-{size[0]}.png").write_bytes(shot)
                if size == SIZES[0]:
                    smaller(shot, picture_of(name))
                panel.locator(".vl-dock").click()
                panel.wait_for(state="detached")
            if theme == "dark":
                opened.command("apputils:change-theme", theme="JupyterLab Light")
            assert opened.errors == [], opened.errors
            opened.context.close()
        chromium.close()


def film(path: Path) -> None:
    """Lets a pass come, and photographs what plays: every frame as it stood on the screen at that moment."""
    import json

    from PIL import Image
    from playwright.sync_api import sync_playwright

    from tests.browsers import launch, panels

    given = json.loads((HERE.parent / "tests/widget/fixtures/chain.json").read_text(encoding="utf-8"))
    state = {**given, "view": "pass", "step": 6, "speed": 1, "language": "en", "following": True, "height": 0}
    with sync_playwright() as p:
        chromium = launch(p)
        page = chromium.new_page(viewport={"width": WIDTH, "height": 900})
        page.set_content(panels([state]))
        page.locator(".viz-live svg.viz").wait_for()
        body = page.locator(".vl-body").bounding_box()
        part = {"x": body["x"], "y": body["y"], "width": body["width"], "height": HIGH}
        page.evaluate("models[0].set('trace', { ...models[0].get('trace') })")
        shots = []
        for _ in range(FRAMES):
            shots.append(page.screenshot(clip=part))
            page.wait_for_timeout(3400 / FRAMES - 60)
        chromium.close()
    frames = [Image.open(io.BytesIO(shot)).convert("RGB") for shot in shots]
    wide = frames[0].width
    strip = Image.new("RGB", (ACROSS * wide, -(-FRAMES // ACROSS) * HIGH), "white")
    for i, frame in enumerate(frames):
        strip.paste(frame, (i % ACROSS * wide, i // ACROSS * HIGH))
    strip.quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    film(FILM)
    docked(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
