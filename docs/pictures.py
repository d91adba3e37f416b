"""Remake the pictures of README and live.md by running their own code: `python docs/pictures.py`.

The live panel's need playwright, Pillow and a Chromium (CHROMIUM names it); without, they stay as they are.
"""

import contextlib
import io
import os
import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
FIRST = HERE / "first-gradient.svg"
sys.path.insert(0, str(HERE.parent))  # for tests/


def program(page: str) -> list[str]:
    """The lines of a page's first piece of Python."""
    text = (HERE.parent / page).read_text(encoding="utf-8")
    return re.search(r"```python\n(.*?)```", text, re.DOTALL).group(1).strip().splitlines()


def first_gradient() -> None:
    """Run the README's example and save what its last line, `viz.draw(loss)`, shows."""
    *setup, drawing = program("README.md")
    variables: dict = {}
    exec("\n".join(setup), variables)
    eval(drawing, variables).save(FIRST)


SETUP = """
w = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
x = torch.tensor(3.0)
"""
TRAIN = """
import time
W = torch.zeros(2, 1, requires_grad=True)
X = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
Y = torch.tensor([[1.0], [2.0], [3.0]])
for _ in range(30):
    loss = ((X @ W - Y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        W -= 0.3 * W.grad
        W.grad = None
    time.sleep(0.05)
"""
DEEP = """
w = torch.tensor(0.9, requires_grad=True)
h = torch.tensor(0.5)
for _ in range(40):
    h = (h * w).tanh()
loss = (h - 1) ** 2
"""
NONE = """
for step in range(3):
    loss = (w * x - 1) ** 2
    loss.backward()
    w = w - 0.1 * w.grad
"""
SUMMED = """
w = torch.tensor([1.0], requires_grad=True)
x, y = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([3.0, 5.0, 7.0])
for step in range(4):
    loss = ((y - w * x) ** 2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.03 * w.grad
"""
# name of the picture, library, cells, traits of the panel, and a node to click
LIVE = (
    ("growing", "minigrad", [SETUP, "z = w * x + b"], {}, None),
    ("rebound", "minigrad", [SETUP + "loss = w * x + b", "loss.backward()", "w = w - w.grad"], {}, None),
    ("error", "minigrad", [SETUP + "loss = (w * x + b) ** 2", "loss.backward()", "loss.backward()"], {}, None),
    ("none", "torch", [SETUP.replace("b = torch.tensor(1.0, requires_grad=True)\n", "") + NONE], {}, None),
    ("card", "minigrad", [SETUP + "z = w * x + b"], {}, "op1"),
    ("training", "torch", [TRAIN], {}, None),
    ("rounds", "torch", [SUMMED], {}, None),
    ("group", "minigrad", [DEEP, "loss.backward()"], {"step": 12}, None),
)


def live_cells(library: str, cells: list[str]) -> dict:
    """The traits of the live panel after `cells` have run in a notebook of `library`."""
    import importlib

    from IPython.core.interactiveshell import InteractiveShell

    import viz

    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance()
    shell.kernel = None  # what tells a notebook from a terminal
    shell.user_ns["torch"] = importlib.import_module(library)
    with contextlib.redirect_stdout(io.StringIO()):  # what a terminal shows instead of pictures
        panel = viz.live()
        for cell in cells:
            shell.run_cell(cell.strip(), store_history=True)
        panel.stop()  # what comes a moment after a cell, comes now
        state = {name: getattr(panel, name) for name in ("scene", "trace", "losses", "view", "step")}
        panel.close()
    return state | {"speed": 1.5, "height": 0, "following": True}


def live_file(name: str, suffix: str) -> Path:
    """Where a picture of the panel is kept; the suffix is ``.zh`` for the Chinese one."""
    return HERE / (f"live-{name}{suffix}.png" if name else f"live{suffix}.png")


def files() -> set[Path]:
    """Every picture that this remakes."""
    names = ["", "dark", *(name for name, *_ in LIVE)]
    return {FIRST, *(live_file(name, suffix) for name in names for suffix in ("", ".zh"))}


def live_panel() -> None:
    """Run live.md's example, and photograph the panel in the middle of its backward pass, in both languages; then what
    else it shows."""
    from playwright.sync_api import sync_playwright

    from tests.browsers import launch, panels

    lines = [line for line in program("docs/live.md") if not line.startswith("viz.")]
    first = ("minigrad", ["\n".join(lines[:-1]), lines[-1]], {"step": 5, "height": 400}, None)
    pictures = [("", *first), ("dark", *first), *LIVE]
    with sync_playwright() as p:
        chromium = launch(p)
        for name, library, cells, traits, click in pictures:
            state = live_cells(library, cells) | traits
            for language, suffix in (("en", ""), ("zh", ".zh")):
                size = {"width": 1180, "height": 640} if name in ("", "dark") else {"width": 960, "height": 900}
                page = chromium.new_page(viewport=size, reduced_motion="reduce")
                page.set_content(panels([state | {"language": language}], "dark" if name == "dark" else "light"))
                page.wait_for_timeout(1000)  # until nothing moves
                if click:
                    page.locator(f'[data-id="{click}"]').click()
                    page.mouse.move(0, 0)  # it lights what it points at
                shot = page.locator(".viz-live").screenshot(path=live_file(name, suffix))
                if name in ("", "dark"):
                    moving(page, shot, live_file(name, suffix))
                page.close()
        chromium.close()


def moving(page: Any, still: bytes, file: Path) -> None:
    """Write the whole pass as an animated PNG, played three times; who shows no animations shows the still one."""
    from PIL import Image

    def picture(shot: bytes, **colours: Any) -> Image.Image:
        return Image.open(io.BytesIO(shot)).convert("RGB").quantize(dither=Image.Dither.NONE, **colours)

    first = picture(still, colors=128)  # one palette for all
    frames = []
    for step in range(page.evaluate("models[0].get('trace').steps.length") + 1):
        page.evaluate("step => { models[0].set('step', step); models[0].save_changes(); }", step)
        page.wait_for_timeout(900)  # until nothing moves
        frames.append(picture(page.locator(".viz-live").screenshot(), palette=first))
    times = [*[1400] * (len(frames) - 1), 4000]
    first.save(file, save_all=True, default_image=True, append_images=frames, duration=times, loop=3, optimize=True)


if __name__ == "__main__":
    os.environ["MINIGRAD_LANG"] = "en"  # one picture stands in both READMEs
    first_gradient()
    live_panel()
