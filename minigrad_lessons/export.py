"""Lessons as pages of their own, which need no kernel and fetch nothing from anywhere.

The page is nbconvert's, in a template of ours (the folder `page`): formulas are MathML, which browsers draw by
themselves, and pictures are in the page. What a cell reveals is folded until it is asked for, or until what was
predicted is locked; an exercise gives its hints one by one. Without scripts all of it can still be read and unfolded.
"""

from __future__ import annotations

import ast
import base64
import copy
import importlib
import json
import mimetypes
import os
import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from minigrad_lessons.copies import folded
from minigrad_lessons.language import LANGUAGES, Says
from minigrad_lessons.mathml import mathml
from minigrad_lessons.predict import READABLE

_LOOKS = Path(__file__).with_name("page")
# Code stands first: what looks like a formula in it is none.
_FORMULA = re.compile(r"```.*?```|`[^`\n]+`|\$\$(?P<block>.+?)\$\$|\$(?P<inline>[^$\n]+?)\$", re.DOTALL)
_MARK = re.compile("\ue000(\\d+)\ue001")  # characters for private use: they stand in no lesson
_LINK = re.compile(
    r"```.*?```|`[^`\n]+`|"
    r"(?P<picture>!?)\[(?P<text>[^\]\n]*)\]\((?P<target>[^)\s#]+)(?P<place>#[^)\s]*)?\)(?P<next> · )?",
    re.DOTALL,
)
_TAG_PICTURE = re.compile(r"(?P<before>\b(?:src|srcset)=\")(?P<target>[^\"]+\.(?:png|svg))(?=\")")
_HEADING = re.compile(r'<h2 id="(?P<place>[^"]+)">(?P<title>.*?)<a class="anchor-link"', re.DOTALL)
# A sentence that was printed in both languages.
_BOTH = re.compile(r"^(?P<mark>[^\w\s<>\[(]+ )(?P<en>.*)\n {3}(?P<zh>.*[\u4e00-\u9fff].*)$", re.MULTILINE)
_SAYS = {
    "top": Says("Pages around this one", "前后页面"),
    "bottom": Says("Where to go on", "接下来"),
    "skip": Says("To the text", "跳到正文"),
    "theme": Says("light / dark", "浅色 / 深色"),
    "contents": Says("On this page", "本页内容"),
    "predict": Says("Your prediction", "你的预测"),
    "lock": Says("Lock it", "锁定"),
    "answer": Says("Show the answer", "看答案"),
    "hint": Says("Hint", "提示"),
    "play": Says("Play this backward pass", "播放这次反向传播"),
    "locked": Says("Locked: {}.", "已锁定：{}。"),
    "verdict": Says("You said: {}. Answer: {}.", "你的预测：{}。结果：{}。"),
    "nothing": Says("No prediction made yet.", "还没有作预测。"),
    "shown": Says("The answer has been shown; nothing was predicted.", "答案已经揭晓，没有作预测。"),
    "unreadable": READABLE,
    "absent": Says(
        "Nothing plays without viewer.js, which lies in this page's folder or above: pass on the whole folder.",
        "播放需要 viewer.js（在本页所在的文件夹或它的上一级）：请把整个文件夹一起转发。",
    ),
}


class NoNotebook(ValueError):
    """A file that does not hold a notebook."""


class Link(NamedTuple):
    """Where a link leads, seen from the page it stands on, and what it says, in which language."""

    address: str
    title: str
    lang: str = ""


@dataclass
class Around:
    """What a page is given beside its notebook: its language, its title, the pages around it, the way to the folder of
    all, and the passes that it plays, by the number of the cell that ran them."""

    lang: str
    title: str
    root: str = ""
    previous: Link | None = None
    home: Link | None = None
    following: Link | None = None
    other: Link | None = None
    passes: Mapping[int, Sequence[Any]] = field(default_factory=dict)
    open: bool = False  # whether its passes are seen at once


def export(notebooks: Iterable[Path], folder: Path) -> list[Path]:
    """Writes each notebook as a page into `folder` and returns the pages.

    Web pages that the notebooks link to, such as the cheat sheet, are copied beside them. Before anything is written,
    raises ImportError without nbconvert, and NoNotebook for a file that is none.
    """
    pages = {notebook: folder.resolve() / f"{name}.html" for notebook, name in _named(notebooks).items()}
    convert = converter(pages)
    books = {notebook: read(notebook) for notebook in pages}
    folder.mkdir(parents=True, exist_ok=True)
    for notebook, book in books.items():
        lang = language(notebook)
        pages[notebook].write_text(convert(notebook, book, Around(lang, title(book, notebook.stem))), encoding="utf-8")
    return list(pages.values())


def _named(notebooks: Iterable[Path]) -> dict[Path, str]:
    """A name for each page: its notebook's, after as many of its folders' as tell it from all the others."""
    files = dict.fromkeys(notebook.resolve() for notebook in notebooks)
    for count in range(1, max((len(file.parts) for file in files), default=1) + 1):
        names = {file: "_".join([*file.parts[1:-1], file.stem][-count:]) for file in files}
        if len({name.casefold() for name in names.values()}) == len(files):
            break
    return names


def read(notebook: Path) -> Any:
    """A file's notebook. Raises NoNotebook, and OSError where the file cannot be read."""
    import nbformat

    try:
        return nbformat.read(notebook, as_version=4)
    except OSError:
        raise
    except Exception as error:  # a file can be wrong in many ways, and nbformat stumbles over each as it comes
        raise NoNotebook(notebook) from error


def language(notebook: Path) -> str:
    """The language of a notebook of ours is its folder's name, and English otherwise."""
    return notebook.parent.name if notebook.parent.name in LANGUAGES else "en"


def title(book: Any, otherwise: str) -> str:
    """What a notebook's first heading says."""
    headings = (
        re.search(r"^# (.+)$", cell.source, re.MULTILINE) for cell in book.cells if cell.cell_type == "markdown"
    )
    return next((found[1].replace("`", "") for found in headings if found), otherwise)


def converter(pages: Mapping[Path, Path]) -> Callable[[Path, Any, Around], str]:
    """From a notebook to the text of its page. `pages` says where the page of each file that has one will lie."""
    from jinja2 import DictLoader, pass_context
    from nbconvert import HTMLExporter

    class Pages(HTMLExporter):
        @pass_context
        def markdown2html(self, context: Any, source: str) -> str:
            source = with_pages(source, context["resources"]["source"], pages)
            without, formulas = without_tex(source)
            html = super().markdown2html(context, without)
            return _MARK.sub(lambda mark: formulas[int(mark[1])], html)

    look = {path.name: path.read_text(encoding="utf-8") for path in _LOOKS.iterdir() if path.is_file()}
    exporter = Pages(
        template_file="page.html.j2",
        extra_loaders=[DictLoader(look)],
        exclude_input_prompt=True,
        exclude_output_prompt=True,
    )

    def convert(source: Path, book: Any, around: Around) -> str:
        page = {
            **vars(around),
            "says": {name: getattr(says, around.lang) for name, says in _SAYS.items()},
            "style": look["page.css"],
            "script": look["page.js"],
        }
        resources = {"metadata": {"name": source.stem, "path": str(source.parent)}, "source": source, "page": page}
        html = exporter.from_notebook_node(prepared(book, around), resources=resources)[0]
        found = [(place["place"], place["title"]) for place in _HEADING.finditer(html)]
        return html if len(found) < 3 else html.replace("<!-- contents -->", _contents(found, page["says"]), 1)

    return convert


def _contents(headings: Iterable[tuple[str, str]], says: Mapping[str, str]) -> str:
    listed = "".join(f'<li><a href="#{place}">{title}</a></li>' for place, title in headings)
    return f'<details class="contents"><summary>{says["contents"]}</summary><ul>{listed}</ul></details>'


def prepared(book: Any, around: Around) -> Any:
    """The notebook with what its page knows more of each cell: forms for predictions, hints, passes to play.

    What is printed in both languages is printed in the page's, and the paragraph after an answer is folded as the
    answer is: it would give it away.
    """
    book = copy.deepcopy(book)
    truths, waiting = revealed(book), []
    checks = exercises(book, around.lang)
    for number, cell in enumerate(book.cells):
        if cell.cell_type != "code":
            continue
        for output in cell.outputs:
            if output.output_type == "stream":
                output.text = _BOTH.sub(lambda said: said["mark"] + said[around.lang], output.text)
        calls = _calls(cell.source)
        predicted = [(name, call) for name, call in calls.get("predict", ()) if name in truths]
        if predicted and len(predicted) == len(calls["predict"]):  # the page asks by itself
            cell.outputs = [output for output in cell.outputs if not output.get("text", "").startswith("⬜")]
        waiting += map(_inside, around.passes.get(number, ()))
        cell.metadata["page"] = {
            "predictions": [_prediction(call, truths[name]) for name, call in predicted],
            "reveals": [name for name, _ in calls.get("reveal", ())],
            "hints": [checks[name] for name in dict.fromkeys(calls.get("check", ())) if name in checks],
            "passes": [] if (later := waiting_for(book.cells, number, truths)) else waiting,
        }
        if not later:  # a pass between a prediction and its answer waits for the answer
            waiting = []
    return folded(book, around.lang)


def _inside(trace: Any) -> str:
    """A value as JSON inside a script element."""
    return json.dumps(trace, ensure_ascii=False).replace("<", "\\u003c")


def _calls(code: str) -> dict[str, list[Any]]:
    """The calls of predict, of reveal and of a lesson's checks in a cell, in order: what each is about, and for the
    first two the call itself."""
    found: dict[str, list[Any]] = {}
    try:
        nodes = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    except SyntaxError:  # a notebook may hold what is IPython's
        return found
    for call in sorted(nodes, key=lambda call: (call.lineno, call.col_offset)):
        match call:
            case ast.Call(func=ast.Name(id="predict" | "reveal" as what), args=[ast.Constant(value=str() as name), *_]):
                found.setdefault(what, []).append((name, call))
            case ast.Call(func=ast.Attribute(value=ast.Name(id="check"), attr=name)):
                found.setdefault("check", []).append(name)
    return found


def revealed(book: Any) -> dict[str, str]:
    """What each prediction of a notebook that has run turned out to be, as it was printed."""
    truths = {}
    for cell in book.cells:
        if cell.cell_type == "code":
            names = [name for name, _ in _calls(cell.source).get("reveal", ())]
            printed = "".join(output.text for output in cell.outputs if output.output_type == "stream")
            truths |= dict(zip(names, re.findall(r"^→ (.+)$", printed, re.MULTILINE)))
    return truths


def waiting_for(cells: Sequence[Any], number: int, truths: Mapping[str, str]) -> bool:
    """Whether, after the cell of that number, a prediction that was asked for is still to be answered."""
    asked: set[str] = set()
    for cell in cells[: number + 1]:
        if cell.cell_type == "code":
            calls = _calls(cell.source)
            asked |= {name for name, _ in calls.get("predict", ())} & truths.keys()
            asked -= {name for name, _ in calls.get("reveal", ())}
    return bool(asked)


def _prediction(call: ast.Call, truth: str) -> dict[str, Any]:
    """What the form of a prediction needs: its name, what is to be chosen from, and the truth as text and as value."""
    given = next((option.value for option in call.keywords if option.arg == "options"), None)
    options = [] if given is None else ast.literal_eval(given)
    return {
        "name": ast.literal_eval(call.args[0]),
        "options": [{"value": json.dumps(option), "text": repr(option)} for option in options],
        "truth": json.dumps({"text": truth, "value": plain(truth)}, ensure_ascii=False),
    }


def plain(text: str) -> Any:
    """The numbers of a value as it was printed, a tensor or not; the text itself where they cannot be read."""
    tensor = re.fullmatch(r"tensor\((.*?)(?:, \w+=.+)?\)", text)
    try:
        value = ast.literal_eval(tensor[1] if tensor else text)
    except (SyntaxError, ValueError):
        return text
    while isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    return value


def exercises(book: Any, lang: str) -> dict[str, list[str]]:
    """The hints of each exercise that a lesson's notebook checks, by name, in a language."""
    for cell in book.cells:
        asked = re.search(r"^from minigrad_lessons\.checks import (\w+) as check$", cell.source, re.MULTILINE)
        if cell.cell_type == "code" and asked and (_LOOKS.parent / "checks" / f"{asked[1]}.py").is_file():
            checks = vars(importlib.import_module(f"minigrad_lessons.checks.{asked[1]}"))
            return {
                name: [getattr(says, lang) for says in check.hints]
                for name, check in checks.items()
                if getattr(check, "hints", None)
            }
    return {}


def with_pages(markdown: str, source: Path, pages: Mapping[Path, Path]) -> str:
    """Markdown of the file `source` that holds its pictures, and whose links lead to other `pages`.

    A link to a file that has no page is left as plain words; one of several, as between languages, is left out.
    """
    page = pages[source]

    def rewritten(found: re.Match[str]) -> str:
        if found["target"] is None or re.match(r"[a-z]+:", found["target"]):
            return found[0]
        file = (source.parent / found["target"]).resolve()
        following = found["next"] or ""
        if found["picture"]:
            return f"![{found['text']}]({_embedded(file)}){following}"
        if file in pages:
            leads = pages[file]
        elif file.suffix == ".html" and file.is_file():
            beside = file.name if file.parent == source.parent else f"{file.parent.name}_{file.name}"
            leads = page.with_name(beside)
            shutil.copyfile(file, leads)
        else:
            return "" if following else found["text"]
        return f"[{found['text']}]({relative(leads, page)}{found['place'] or ''}){following}"

    def in_tag(found: re.Match[str]) -> str:
        return found["before"] + _embedded((source.parent / found["target"]).resolve())

    return _TAG_PICTURE.sub(in_tag, _LINK.sub(rewritten, markdown))


def relative(there: Path, page: Path) -> str:
    """The address of a page, seen from another."""
    return Path(os.path.relpath(there, page.parent)).as_posix()


def _embedded(file: Path) -> str:
    """A picture as an address that holds it."""
    kind = mimetypes.guess_type(file.name)[0] or "image/png"
    return f"data:{kind};base64,{base64.b64encode(file.read_bytes()).decode('ascii') if file.is_file() else ''}"


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
