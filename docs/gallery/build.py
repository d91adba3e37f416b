"""Makes gallery.ipynb, features.md and page.png from gallery.py and features.py: `python docs/gallery/build.py`.

features.md needs torchviz, torchlens and a `dot` program on the PATH, torchvista, playwright and a Chromium (CHROMIUM
names it); page.png needs the last two. What cannot be made stays as it is.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jupytext
import nbformat
import torch
from features import FEATURES, answers, page
from nbclient import NotebookClient

import viz
from tests.browsers import CHROMIUM, launch

FOLDER = Path(__file__).parent


def notebook() -> nbformat.NotebookNode:
    """The gallery, run from top to bottom."""
    book = jupytext.read(FOLDER / "gallery.py")
    book.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    for number, cell in enumerate(book.cells):
        cell.id = f"cell-{number}"
    NotebookClient(book, resources={"metadata": {"path": str(FOLDER.parents[1])}}).execute()
    for cell in book.cells:
        cell.metadata = {}
    return book


def main() -> None:
    """Writes the files beside this one."""
    book = notebook()
    nbformat.write(book, FOLDER / "gallery.ipynb")
    found = list(answers())
    if all(None not in (answer.torchviz, answer.torchlens, answer.torchvista) for answer in found):
        order = sorted(found, key=lambda answer: FEATURES.index(answer.feature))
        (FOLDER / "features.md").write_text(page(order), encoding="utf-8", newline="\n")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return
    if CHROMIUM is None:
        return
    with sync_playwright() as p:
        browser = launch(p)
        photograph_page(browser)
        browser.close()


def photograph_page(browser: Any) -> None:
    """page.png: the page that ``save("graph.html")`` writes, with a card open in it."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))
    loss = net(torch.ones(1, 2)).sum()
    with TemporaryDirectory() as folder:
        written = viz.draw(loss, names={"loss": loss, **dict(net.named_parameters(prefix="net"))})
        tab = browser.new_page(viewport={"width": 1100, "height": 930})
        tab.goto(written.save(Path(folder, "graph.html")).as_uri())
        tab.locator(".node.op").first.click()
        tab.mouse.move(1090, 920)  # off the node: else all but what belongs to it is pale
        tab.wait_for_timeout(1000)  # until nothing moves
        tab.evaluate("scrollTo(0, 0)")
        tab.screenshot(path=FOLDER / "page.png")


if __name__ == "__main__":
    main()
