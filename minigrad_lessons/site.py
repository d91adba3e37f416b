"""All that there is to read, in both languages, as one folder of pages: ``minigrad export``.

It opens from the disk, by a double click on its index.html: predictions are made, hints asked for and recorded passes
played without a kernel and without a network.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from minigrad_lessons import progress
from minigrad_lessons.copies import PACKAGE
from minigrad_lessons.export import Around, Link, converter, read, relative, title
from minigrad_lessons.language import LANGUAGES
from minigrad_lessons.passes import record_all

DOCS = PACKAGE.parent / "docs"  # in a clone; an installed package has none
NAMES = {"en": "English", "zh": "中文"}
WELCOME = """# minigrad: watch autograd think · 看得见的自动求导

Every page here works without a network and without Python: predict and lock, ask for hints, play the recorded passes.
Here is the first lesson's: press ▶, or step with ← and →.

这里的每一页都不需要联网，也不需要 Python：先预测并锁定答案，卡住时逐条看提示，播放录下的反向传播。
下面就是第 1 课里的那一次：点 ▶ 播放，或者用 ← → 一步一步看。
"""
BESIDE = "## For teachers, and about minigrad · 给老师，以及关于 minigrad"
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
    book: Any  # its notebook; None for a page that is copied as it is
    title: str


def write_site(folder: Path) -> list[Path]:
    """Writes the site into `folder` and returns its pages, the first one first.

    Raises ImportError without nbconvert or without what records, before anything is written.
    """
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

    from viz import browser

    folder, lessons = folder.resolve(), progress.lessons()
    found = _pages()
    by_place = {page.place: page for page in found}
    home = _Page(PACKAGE / "index.md", "index.html", "en", None, "minigrad")
    places = {page.file: folder / page.place for page in (home, *found)}
    convert = converter(places)
    recorded = record_all({name: _code(by_place[f"en/{name}.html"].book) for name in lessons} | {"": [(1, FIRST)]})

    def played(name: str, lang: str) -> dict[int, list[Any]]:
        passes = recorded.get(name, {}).items()
        return {cell: [{**browser.state(None, one), "language": lang} for one in some] for cell, some in passes}

    def link(here: _Page, there: _Page | None, says: str = "") -> Link | None:
        return there and Link(relative(places[there.file], places[here.file]), says or there.title, there.lang)

    written = {}
    for page in found:
        if page.book is None:
            continue
        lang, other = page.lang, next(lang for lang in LANGUAGES if lang != page.lang)
        twin = next((it for it in found if it.lang == other and _either(it) == _either(page)), None)
        around = Around(lang, page.title, relative(folder, places[page.file]) + "/")
        around.home = link(page, home if page.place == f"{lang}/index.html" else by_place[f"{lang}/index.html"])
        around.other = link(page, twin, NAMES[other])
        if (name := page.file.stem) in lessons and page.place.startswith(lang):
            before, after = _beside(lessons, name)
            around.previous = link(page, by_place.get(f"{lang}/{before}.html"))
            around.following = link(page, by_place.get(f"{lang}/{after}.html"))
            around.passes = played(name, lang)
        written[page.file] = convert(page.file, page.book, around)
    beside = [page for page in found if page.place.startswith("docs/")]
    tables = [_table([page for page in found if not page.place.startswith("docs/")])]
    tables += [f"{BESIDE}\n\n{_table(beside)}"] * bool(beside)
    cells = [new_markdown_cell(WELCOME), new_code_cell(FIRST), *map(new_markdown_cell, tables)]
    first = Around("en", home.title, passes=played("", "auto"), open=True)
    written[home.file] = convert(home.file, new_notebook(cells=cells), first)

    for parent in {page.parent for page in places.values()}:  # all of them before the first file
        parent.mkdir(parents=True, exist_ok=True)
    for file, page in places.items():
        if file in written:
            page.write_text(written[file], encoding="utf-8", newline="\n")
        else:
            shutil.copyfile(file, page)
    (folder / "viewer.js").write_text(_viewer(), encoding="utf-8", newline="\n")
    return list(places.values())


def _viewer() -> str:
    """The viewer as a script beside all pages, which even a page opened from the disk may load."""
    from viz import browser

    look = f"{{ textContent: {json.dumps(browser.viewer('widget.css'))} }}"
    styled = f'document.head.append(Object.assign(document.createElement("style"), {look}));'
    return f"(() => {{\n{browser.without_exports()}\n{styled}\n}})();\n"


def _sheet(file: Path) -> str:
    """The title of a cheat sheet."""
    return re.search("<title>(.*?)</title>", file.read_text(encoding="utf-8"))[1]


def _pages() -> list[_Page]:
    """Every page but the first: the lessons and what stands beside them, and in a clone what docs/ holds."""
    books = [file for lang in LANGUAGES for file in sorted((PACKAGE / lang).glob("*.ipynb"))]
    named = [(file, file.stem.replace("00_index", "index"), file.parent.name) for file in books]
    files = [(file, f"{lang}/{name}.html", lang) for file, name, lang in named]
    docs = [*sorted(DOCS.glob("*.md")), *sorted((DOCS / "gallery").glob("*.md")), *(DOCS / "gallery").glob("*.ipynb")]
    files += [(file, f"docs/{file.stem}.html", "zh" if file.stem.endswith(".zh") else "en") for file in docs]
    found = []
    for file, place, lang in files:
        book = _book(file)
        found.append(_Page(file, place, lang, book, title(book, file.stem)))
    sheets = ((lang, PACKAGE / lang / "cheat_sheet.html") for lang in LANGUAGES)
    return [*found, *(_Page(file, f"{lang}/{file.name}", lang, None, _sheet(file)) for lang, file in sheets)]


def _book(file: Path) -> Any:
    """A notebook; one that holds the text of a file that is none."""
    if file.suffix == ".ipynb":
        return read(file)
    from nbformat.v4 import new_markdown_cell, new_notebook

    return new_notebook(cells=[new_markdown_cell(file.read_text(encoding="utf-8"))])


def _code(book: Any) -> list[tuple[int, str]]:
    return [(number, cell.source) for number, cell in enumerate(book.cells) if cell.cell_type == "code"]


def _beside(names: Sequence[str], name: str) -> tuple[str | None, str | None]:
    """The names before and after one."""
    around = [None, *names, None]
    number = around.index(name)
    return around[number - 1], around[number + 1]


def _either(page: _Page) -> str:
    """What the places of a page's two languages have in common."""
    return re.sub(r"^(en|zh)/|\.zh(?=\.html$)", "", page.place)


def _table(found: Sequence[_Page]) -> str:
    """Markdown with a link to every page, a page's two languages side by side."""
    rows: dict[str, Mapping[str, str]] = {}
    for page in found:
        says = f"[{page.title}]({relative(page.file, PACKAGE / 'index.md')})"
        rows[_either(page)] = {**rows.get(_either(page), {}), page.lang: says}
    lines = (" | ".join(row.get(lang, "") for lang in LANGUAGES) for row in rows.values())
    return "\n".join(f"| {line} |" for line in (" | ".join(NAMES.values()), "--|--", *lines))
