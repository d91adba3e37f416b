"""Lessons as pages of their own: nbconvert's page, but nothing in it is fetched from anywhere.

nbconvert's template asks a CDN for require.js, MathJax and Mermaid. Here formulas are written as MathML, which browsers
draw by themselves, pictures are in the page, and the rest is left out: a lesson needs none of it. What a cell reveals
is folded until it is asked for. The page is light, and so are its pictures. On paper nobody can scroll: code is smaller
there, and a line that is still too long goes on in the next.
"""

from __future__ import annotations

import base64
import copy
import mimetypes
import re
import shutil
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any

from minigrad_lessons.copies import folded
from minigrad_lessons.mathml import mathml

_TEMPLATE = """{% extends "lab/index.html.j2" %}
{% block html_head_js %}{% endblock %}
{% block html_head_js_mathjax %}{% endblock %}
{% block html_head_js_mermaidjs %}{% endblock %}
{% block html_head_css %}<style>
:root { color-scheme: light; }
@media print { .highlight pre { font-size: 11px; white-space: pre-wrap !important; overflow-wrap: anywhere; } }
details summary { cursor: pointer; } details.answer summary { margin: 4px 0 4px 80px; }
@media print { details::details-content { content-visibility: visible; } }
</style>{% endblock %}
{% block output_group %}{% if "reveal(" in cell.source %}<details class="answer">
<summary>{{ "看答案" if resources.language_code == "zh" else "Show the answer" }}</summary>
{{ super() }}</details>{% else %}{{ super() }}{% endif %}{% endblock %}
"""
# Code stands first: what looks like a formula in it is none.
_FORMULA = re.compile(r"```.*?```|`[^`\n]+`|\$\$(?P<block>.+?)\$\$|\$(?P<inline>[^$\n]+?)\$", re.DOTALL)
_MARK = re.compile("\ue000(\\d+)\ue001")  # characters for private use: they stand in no lesson
_LINK = re.compile(
    r"```.*?```|`[^`\n]+`|"
    r"(?P<picture>!?)\[(?P<text>[^\]\n]*)\]\((?P<target>[^)\s#]+)(?P<place>#[^)\s]*)?\)(?P<next> · )?",
    re.DOTALL,
)


class NoNotebook(ValueError):
    """A file that does not hold a notebook."""


def export(notebooks: Iterable[Path], folder: Path) -> list[Path]:
    """Writes each notebook as a page into `folder` and returns the pages.

    Web pages that the notebooks link to, such as the cheat sheet, are copied beside them. Before anything is written,
    raises ImportError without nbconvert, and NoNotebook for a file that is none.
    """
    notebooks = [notebook.resolve() for notebook in notebooks]
    convert = converter(notebooks, folder)
    books = {notebook: read(notebook) for notebook in notebooks}
    folder.mkdir(parents=True, exist_ok=True)
    pages = []
    for notebook, book in books.items():
        written = folder / f"{notebook.stem}.html"
        written.write_text(convert(notebook, book), encoding="utf-8")
        pages.append(written)
    return pages


def read(notebook: Path) -> Any:
    """A file's notebook. Raises NoNotebook, and OSError where the file cannot be read."""
    import nbformat

    try:
        return nbformat.read(notebook, as_version=4)
    except OSError:
        raise
    except Exception as error:  # a file can be wrong in many ways, and nbformat stumbles over each as it comes
        raise NoNotebook(notebook) from error


def converter(exported: Collection[Path], folder: Path) -> Callable[[Path, Any], str]:
    """From a notebook to the text of its page, which will lie in `folder` beside those of all that are `exported`."""
    from jinja2 import DictLoader, pass_context
    from nbconvert import HTMLExporter

    class Pages(HTMLExporter):
        @pass_context
        def markdown2html(self, context: Any, source: str) -> str:
            home = Path(context["resources"]["metadata"]["path"])
            without, formulas = without_tex(with_pages(source, home, exported, folder))
            html = super().markdown2html(context, without)
            return _MARK.sub(lambda mark: formulas[int(mark[1])], html)

    loaders = [DictLoader({"page.html.j2": _TEMPLATE})]
    exporter = Pages(template_file="page.html.j2", extra_loaders=loaders)

    def convert(notebook: Path, book: Any) -> str:
        exporter.language_code = "zh" if notebook.resolve().parent.name == "zh" else "en"
        names = {"metadata": {"name": notebook.stem, "path": str(notebook.resolve().parent)}}
        return exporter.from_notebook_node(folded(copy.deepcopy(book), exporter.language_code), resources=names)[0]

    return convert


def with_pages(markdown: str, home: Path, exported: Collection[Path], folder: Path) -> str:
    """Markdown of a notebook in `home` that holds its pictures, and whose links lead to what lies in `folder`.

    A link to a file that is not there is left as plain words; one of several, as between languages, is left out.
    """

    def rewritten(found: re.Match[str]) -> str:
        if found["target"] is None or re.match(r"[a-z]+:", found["target"]):
            return found[0]
        file = (home / found["target"]).resolve()
        following = found["next"] or ""
        if found["picture"]:
            kind = mimetypes.guess_type(file.name)[0] or "image/png"
            data = base64.b64encode(file.read_bytes()).decode("ascii") if file.is_file() else ""
            return f"![{found['text']}](data:{kind};base64,{data}){following}"
        if file in exported:
            name = f"{file.stem}.html"
        elif file.suffix == ".html" and file.is_file():
            name = file.name if file.parent == home else f"{file.parent.name}_{file.name}"
            shutil.copyfile(file, folder / name)
        else:
            return "" if following else found["text"]
        return f"[{found['text']}]({name}{found['place'] or ''}){following}"

    return _LINK.sub(rewritten, markdown)


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
