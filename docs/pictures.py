"""Remake the pictures of README and live.md by running their own code: `python docs/pictures.py`.

The live panel's need playwright and a Chromium (CHROMIUM names it); without, they stay as they are.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
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
    eval(drawing, variables).save(HERE / "first-gradient.svg")


def live_panel() -> None:
    """Run live.md's example, and photograph the panel in the middle of its backward pass, in both languages."""
    from playwright.sync_api import sync_playwright

    import viz
    from tests.browsers import launch, panels
    from viz.fold import View
    from viz.scene import Scenes

    *setup, call = (line for line in program("docs/live.md") if not line.startswith("viz."))
    variables: dict = {}
    exec("\n".join(setup), variables)
    with viz.record(variables["loss"]) as run:
        exec(call, variables)
    scenes = Scenes(View())
    scene, ids = scenes.scene(viz.names.named_tensors(variables), outputs=run.outputs, watched=run, cell=3)
    trace = scenes.trace(run, scene, ids, call, 3, f"In [3], line 1: {call}")
    state = {"scene": None, "trace": trace, "losses": [], "view": "pass", "step": 5, "speed": 1.5, "height": 400}
    with sync_playwright() as p:
        chromium = launch(p)
        for language, name in (("en", "live.png"), ("zh", "live.zh.png")):
            page = chromium.new_page(viewport={"width": 1180, "height": 520})
            page.set_content(panels([state | {"language": language, "following": True}]))
            page.wait_for_timeout(1000)  # until nothing moves
            page.locator(".viz-live").screenshot(path=HERE / name)
        chromium.close()


if __name__ == "__main__":
    first_gradient()
    live_panel()
