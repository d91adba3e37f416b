"""The cheat sheet: ``python -m minigrad_lessons.cheat_sheet`` writes one page in each language, from one source.

    python -m minigrad_lessons.cheat_sheet                       en/cheat_sheet.html and zh/cheat_sheet.html
    python -m minigrad_lessons.cheat_sheet --pdf FOLDER          and prints them, with an installed Chromium

Its source, ``src/cheat_sheet.py``, is written like a lesson's. After two spaces and ``#`` a line of code says what it
gives; `run` finds out whether it does.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt

from minigrad_lessons import source
from minigrad_lessons.build import NOTEBOOKS
from minigrad_lessons.source import LessonError, Prose

NAME = "cheat_sheet"
MARK = "  # "
TITLE = {"en": "Autograd on one page", "zh": "一页纸自动求导"}
STYLE = """
@page { size: A4; margin: 10mm; }
:root { color-scheme: light dark; }
body { font: 9.2pt/1.35 system-ui, "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif; max-width: 190mm;
  margin: 0 auto; padding: 8px; }
h1 { font-size: 15pt; margin: 0; }
h2 { font-size: 10.2pt; margin: 0; }
p { margin: 1pt 0 3pt; }
main { margin-top: 6pt; columns: 2 78mm; column-gap: 6mm; }
section { break-inside: avoid; border-top: 1px solid #8888; padding-top: 3pt; margin-bottom: 6pt; }
code, pre { font: 8.2pt/1.35 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
pre { margin: 0; padding: 3pt 5pt; background: #8881; white-space: pre-wrap; }
pre i { color: light-dark(#0a6640, #7fd6a8); font-style: normal; }
em:lang(zh) { font-style: normal; font-weight: bold; }
@media print { :root { color-scheme: light; } body { font-size: 8.6pt; padding: 0; } code, pre { font-size: 7.7pt; } }
"""
# The one formula of the page, in characters: a page that needs no script.
PLAIN = {r"$J^\mathsf{T} v$": "<i>J</i><sup>T</sup><i>v</i>"}


def statements(code: str) -> Iterator[tuple[str, str]]:
    """Each statement of a cell, and what its last line says it gives ("" where it says nothing)."""
    lines = code.splitlines()
    for statement in ast.parse(code).body:
        first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))])
        *before, last = lines[first - 1 : statement.end_lineno]
        last, _, says = last.partition(MARK)
        yield "\n".join([*before, last]), says


def run(code: str, namespace: dict) -> Iterator[tuple[str, str, str]]:
    """Run a cell; yield each statement that says what it gives, what it says, and what it gave."""
    for text, says in statements(code):
        try:
            yield text, says, _gives(text, namespace) if says else exec(text, namespace) or ""
        except Exception as error:
            yield text, says, f"{type(error).__name__}: {error}"


def _gives(text: str, namespace: dict) -> str:
    """What an expression gives, or the value that an assignment gave to its name."""
    statement = ast.parse(text).body[0]
    if isinstance(statement, ast.Expr):
        return repr(eval(text, namespace))
    exec(text, namespace)
    return repr(eval(ast.unparse(statement.targets[0]), namespace))


def page(lang: str) -> str:
    """One language's page, as HTML. Raises LessonError where the two languages differ or the Chinese is old."""
    sheet = source.read(NAME)
    if found := source.problems(sheet):
        raise LessonError("\n".join(found))
    starts = [number for number, cell in enumerate(sheet.cells) if isinstance(cell, Prose)]
    parts = [_part(sheet.cells[start:end], lang) for start, end in pairwise([*starts, len(sheet.cells)])]
    sections = "\n".join(f"<section>\n{part}</section>" for part in parts[1:])
    return (
        f'<!DOCTYPE html>\n<html lang="{lang}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{TITLE[lang]}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<header>\n{parts[0]}</header>\n<main>\n{sections}\n</main>\n</body>\n</html>\n"
    )


def _part(cells: Sequence, lang: str) -> str:
    words = MarkdownIt().render(getattr(cells[0], lang))
    for formula, plain in PLAIN.items():
        words = words.replace(formula, plain)
    codes = ["\n".join(map(_line, cell.source.splitlines())) for cell in cells[1:]]
    return words + "".join(f"<pre>{code}</pre>\n" for code in codes)


def _line(line: str) -> str:
    code, mark, says = line.partition(MARK)
    return escape(code) + (f"{mark}<i>{escape(says)}</i>" if mark else "")


def path(lang: str) -> Path:
    """Where one language's page lies."""
    return NOTEBOOKS / lang / f"{NAME}.html"


def to_pdf(lang: str, target: Path, chromium: str | None = None) -> None:
    """Print one language's page to a PDF file with Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium)
        tab = browser.new_page()
        tab.goto(path(lang).as_uri())
        tab.pdf(path=str(target), prefer_css_page_size=True)
        browser.close()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m minigrad_lessons.cheat_sheet", description="Write the cheat sheet."
    )
    parser.add_argument("--pdf", type=Path, metavar="FOLDER", help="print it there, too")
    parser.add_argument("--chromium", help="the browser to print with (default: playwright's own)")
    options = parser.parse_args(arguments)
    for lang in source.LANGUAGES:
        path(lang).write_text(page(lang), encoding="utf-8", newline="\n")
        print(f"{lang}/{path(lang).name}")
        if options.pdf:
            to_pdf(lang, options.pdf / f"{NAME}-{lang}.pdf", options.chromium)
            print(options.pdf / f"{NAME}-{lang}.pdf")


if __name__ == "__main__":
    main()
