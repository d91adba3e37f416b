"""All that there is to read, in both languages, as one folder of pages: ``minigrad export``.

It opens from the disk, by a double click on its index.html: predictions are made, hints asked for and recorded passes
played without a kernel and without a network.
"""

from __future__ import annotations

import re
import shutil
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from minigrad_lessons import source
from minigrad_lessons.build import path_of
from minigrad_lessons.cheat_sheet import TITLE as SHEET
from minigrad_lessons.copies import PACKAGE
from minigrad_lessons.export import Around, Link, converter, language, read, relative, title
from minigrad_lessons.language import LANGUAGES
from minigrad_lessons.passes import record_all

DOCS = PACKAGE.parent / "docs"  # in a clone; an installed package has none
NAMES = {"en": "English", "zh": "中文"}
WELCOME = """# minigrad: watch autograd think · 看自动求导如何思考

Every page here works without a network and without Python: predict and lock, ask for hints, play the recorded passes.
Here is the first lesson's: press ▶, or step with ← and →.

这里的每一页都不需要联网，也不需要 Python：先预测并锁定答案，需要时逐条看提示，播放录下的反向传播。下面是第一课的计算图：点 ▶，或者用 ← → 逐步查看。
"""
FIRST = """import minigrad as torch

X = torch.tensor([1.0, 2.0, 3.0])
Y = torch.tensor([3.0, 5.0, 7.0])
w = torch.tensor([1.0], requires_grad=True)
loss = ((Y - w * X) ** 2).sum()
loss.backward()"""


class _Page(NamedTuple):
    file: Path  # where it comes from
    place: str  # where it goes, in the site
    lang: str
    book: Any  # its notebook


def write_site(folder: Path) -> list[Path]:
    """Writes the site into `folder` and returns its pages, the first one first.

    Raises ImportError without nbconvert or what records, before anything is written.
    """
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
    from viz import browser

    folder = folder.resolve()
    lessons = source.names()[1:]
    found = [_Page(path_of(name, lang), f"{lang}/{_place(name)}", lang, None) for lang in LANGUAGES for name in source.pages()]
    found += [_Page(file, _doc(file), "zh" if ".zh." in file.name else "en", None) for file in _docs()]
    found = [page._replace(book=_book(page.file)) for page in found if page.file.is_file()]
    sheets = {PACKAGE / lang / "cheat_sheet.html": f"{lang}/cheat_sheet.html" for lang in LANGUAGES}
    pages = {page.file: folder / page.place for page in found} | {file: folder / place for file, place in sheets.items()}
    home = PACKAGE / "index.md"  # which is written here, and stands nowhere
    pages[home] = folder / "index.html"
    convert = converter(pages)

    books = {page.file: page.book for page in found}
    code = {name: [(i, cell.source) for i, cell in enumerate(books[path_of(name, "en")].cells) if cell.cell_type == "code"] for name in lessons}
    recorded = record_all({**code, "": [(1, FIRST)]})

    def played(name: str, lang: str) -> dict[int, list[Any]]:
        return {cell: [browser.state(None, one, lang) for one in passes] for cell, passes in recorded.get(name, {}).items()}

    def link(there: Path, here: Path, says: str = "", lang: str = "") -> Link:
        return Link(relative(pages[there], pages[here]), says or title(books[there], there.stem), lang)

    written = {}
    for file, place, lang, book in found:
        around = Around(lang, title(book, file.stem), root=relative(folder, pages[file]) + "/")
        index = path_of("00_index", lang)
        if file != index:
            around.home = link(index, file)
        else:
            around.home = Link("../index.html", "minigrad")
        if file.stem in lessons and file.parent == PACKAGE / lang:
            number = lessons.index(file.stem)
            before, after = lessons[:number][-1:], lessons[number + 1 :][:1]
            around.previous = next((link(path_of(name, lang), file) for name in before), None)
            around.following = next((link(path_of(name, lang), file) for name in after), None)
            around.passes = played(file.stem, lang)
        other = next(it for it in LANGUAGES if it != lang)
        twin = next((page.file for page in found if page.lang == other and _twins(page.place, place)), None)
        around.other = link(twin, file, NAMES[other], other) if twin else None
        written[file] = convert(file, book, around)

    cells = [new_markdown_cell(WELCOME), new_code_cell(FIRST), new_markdown_cell(_table(found, sheets))]
    first = Around("en", "minigrad", passes=played("", "auto"), open=True)
    written[home] = convert(home, new_notebook(cells=cells), first)

    for parent in {page.parent for page in pages.values()}:  # all of them before the first file
        parent.mkdir(parents=True, exist_ok=True)
    for file, text in written.items():
        pages[file].write_text(text, encoding="utf-8", newline="\n")
    for file in sheets:
        shutil.copyfile(file, pages[file])
    (folder / "viewer.js").write_text(browser.classic(), encoding="utf-8", newline="\n")
    return [pages[home], *(pages[page.file] for page in found), *(pages[file] for file in sheets)]


def _place(name: str) -> str:
    return "index.html" if name == "00_index" else f"{name}.html"


def _docs() -> list[Path]:
    """The pages of the folder docs, where there is one, with what stands in the gallery."""
    return [*sorted(DOCS.glob("*.md")), *sorted((DOCS / "gallery").glob("*.md")), *(DOCS / "gallery").glob("*.ipynb")]


def _doc(file: Path) -> str:
    return f"docs/{file.name.removesuffix(file.suffix)}.html"


def _twins(one: str, other: str) -> bool:
    """Whether two places are those of a page in its two languages."""
    return re.sub(r"^(en|zh)/|\.zh(?=\.html$)", "", one) == re.sub(r"^(en|zh)/|\.zh(?=\.html$)", "", other)


def _book(file: Path) -> Any:
    """A notebook; one that holds the text of a file that is none."""
    if file.suffix == ".ipynb":
        return read(file)
    from nbformat.v4 import new_markdown_cell, new_notebook

    return new_notebook(cells=[new_markdown_cell(file.read_text(encoding="utf-8"))])


def _table(found: list[_Page], sheets: dict[Path, str]) -> str:
    """Markdown with a link to every page, each language in a column of its own."""
    columns = []
    for lang in LANGUAGES:
        links = [(page.place, title(page.book, page.file.stem)) for page in found if page.lang == lang]
        links += [(place, SHEET[lang]) for place in sheets.values() if place.startswith(lang)]
        columns.append([f"[{says.replace('|', ' ')}]({place})" for place, says in links])
    rows = zip_longest(*columns, fillvalue="")
    return "\n".join([f"| {' | '.join(NAMES.values())} |", "|--|--|", *(f"| {' | '.join(row)} |" for row in rows)])
