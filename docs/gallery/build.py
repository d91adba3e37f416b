"""Makes gallery.ipynb, light.png and dark.png from gallery.py: `python docs/gallery/build.py`.

The sheets of pictures need playwright and a Chromium (CHROMIUM names it); without them only the notebook is made.
"""

from __future__ import annotations

import os
import shutil
from html import escape
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient

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


def sheet(book: nbformat.NotebookNode) -> str:
    """One page of all pictures, each under the code that makes it."""
    figures = []
    for cell in book.cells:
        for output in cell.get("outputs", []):
            if svg := output.get("data", {}).get("image/svg+xml"):
                last = cell.source.rstrip().splitlines()[-1]
                figures.append(f"<figure><figcaption>{escape(last)}</figcaption>{svg}</figure>")
    style = (
        ":root{color-scheme:light dark}body{columns:2;margin:16px;column-gap:16px}"
        "figure{margin:0 0 16px;break-inside:avoid}figcaption{font:13px monospace;margin-bottom:4px}"
    )
    return f"<!doctype html><style>{style}</style>{''.join(figures)}"


def main() -> None:
    """Writes the files beside this one."""
    book = notebook()
    pictures = sheet(book)
    for cell in book.cells:
        for output in cell.get("outputs", []):
            output.get("data", {}).pop("image/svg+xml", None)  # text/html holds the same once more
    nbformat.write(book, FOLDER / "gallery.ipynb")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        return
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            page = browser.new_page(color_scheme=scheme, viewport={"width": 1500, "height": 600})
            page.set_content(pictures)
            page.screenshot(path=FOLDER / f"{scheme}.png", full_page=True)
        browser.close()


if __name__ == "__main__":
    main()
