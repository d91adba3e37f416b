"""Lessons as pages of their own: nbconvert's page, but nothing in it is fetched from anywhere.

nbconvert's template asks a CDN for require.js, MathJax and Mermaid. Here formulas are written as MathML, which browsers
draw by themselves, pictures are in the page, and the rest is left out: a lesson needs none of it. The page is light,
and so are its pictures.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from lessons.mathml import mathml

_TEMPLATE = """{% extends "lab/index.html.j2" %}
{% block html_head_js %}{% endblock %}
{% block html_head_js_mathjax %}{% endblock %}
{% block html_head_js_mermaidjs %}{% endblock %}
{% block html_head_css %}<style>:root { color-scheme: light; }</style>{% endblock %}
"""
# Code stands first: what looks like a formula in it is none.
_FORMULA = re.compile(r"```.*?```|`[^`\n]+`|\$\$(?P<block>.+?)\$\$|\$(?P<inline>[^$\n]+?)\$", re.DOTALL)
_MARK = re.compile("\ue000(\\d+)\ue001")  # characters for private use: they stand in no lesson
_TO_LESSON = re.compile(r"(?<=\]\()([\w-]+)\.ipynb(?=[)#])")


def export(notebooks: Iterable[Path], folder: Path) -> list[Path]:
    """Writes each notebook as a page into `folder` and returns the pages. Raises ImportError without nbconvert."""
    pages = []
    folder.mkdir(parents=True, exist_ok=True)
    convert = converter()
    for notebook in notebooks:
        written = folder / f"{notebook.stem}.html"
        written.write_text(convert(notebook), encoding="utf-8")
        pages.append(written)
    return pages


def converter() -> Callable[[Path], str]:
    """From a notebook to the text of its page."""
    import nbformat
    from jinja2 import DictLoader, pass_context
    from nbconvert import HTMLExporter

    class Pages(HTMLExporter):
        @pass_context
        def markdown2html(self, context: Any, source: str) -> str:
            without, formulas = without_tex(_TO_LESSON.sub(r"\1.html", source))
            html = super().markdown2html(context, without)
            return _MARK.sub(lambda mark: formulas[int(mark[1])], html)

    loaders = [DictLoader({"page.html.j2": _TEMPLATE})]
    exporter = Pages(template_file="page.html.j2", extra_loaders=loaders, embed_images=True)

    def convert(notebook: Path) -> str:
        book = nbformat.read(notebook, as_version=4)
        exporter.language_code = "zh" if notebook.resolve().parent.name == "zh" else "en"
        names = {"metadata": {"name": notebook.stem, "path": str(notebook.resolve().parent)}}
        return exporter.from_notebook_node(book, resources=names)[0]

    return convert


def without_tex(markdown: str) -> tuple[str, list[str]]:
    """Markdown with a mark in the place of each formula, and the formulas as MathML: Markdown's own rules are not for
    them. One in TeX that `mathml` does not know stays as it is."""
    formulas: list[str] = []

    def marked(found: re.Match[str]) -> str:
        tex = found["block"] or found["inline"]
        if tex is None:
            return found[0]
        try:
            formulas.append(mathml(tex, block=found["block"] is not None))
        except ValueError:
            return found[0]
        return f"\ue000{len(formulas) - 1}\ue001"

    return _FORMULA.sub(marked, markdown), formulas
