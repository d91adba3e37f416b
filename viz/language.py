"""Whose language: the reader's.

A kernel starts in the folder of its notebook, so a notebook in ``zh/`` has a Chinese reader, one in ``en/`` an
English one. The environment variable ``MINIGRAD_LANG`` (``en``, ``zh`` or ``both``) decides before that. Where neither
says anything, both languages are spoken, one after the other: more to read, and nobody is left out.
"""

import json
import os
import re
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from .strings import printable

LANGUAGES = ("en", "zh")
#: What brings everything that drawing and following need.
INSTALL = 'pip install "minigrad-lessons[viz]"'
Words = dict[str, str]  # a text by language


@cache
def data(name: str) -> Any:
    """What stands in a file of data of this package, such as ``words.json``, the catalogue of all that is said."""
    return json.loads((Path(__file__).parent / name).read_text(encoding="utf-8"))


def words(key: str, **values: object) -> Words:
    """A text of the catalogue in each language, with its values."""
    return {lang: data("words.json")[key][lang].format(**values) for lang in LANGUAGES}


class Said(str):
    """What an error says; `words`: the same in each language."""

    words: Words

    def __str__(self) -> str:  # an error that is printed raises none
        return printable(self)


def message(key: str, **values: object) -> str:
    """An error of the catalogue: what went wrong in one line, and what to do, in the reader's language, or in both. All
    of it is in the message itself, for not every notebook shows an error's notes."""
    row = {part: text.format(**values) for part, text in data("words.json")[f"error_{key}"].items()}
    said = Said("\n  → ".join(row[part] for part in ("what", *spoken())))
    said.words = {lang: row[lang] for lang in LANGUAGES} | {"en": f"{row['what']}. {row['en']}"}
    return said


def not_installed(error: ModuleNotFoundError, what: str) -> ModuleNotFoundError:
    """The same error, with `what` needs the missing package and the line that brings it."""
    return ModuleNotFoundError(message("notInstalled", what=what, name=error.name, install=INSTALL), name=error.name)


def first_line(error: BaseException) -> str:
    """``ValueError: …``: the type of an error and the first line that it says."""
    return f"{type(error).__name__}: {error}".partition("\n")[0]


def explained(error: BaseException) -> Words:
    """What an error of the catalogue says, in each language; of any other its first line."""
    said = error.args[0] if error.args else ""
    return said.words if isinstance(said, Said) else words("sentenceEnd", n=first_line(error).rstrip("."))


def spoken(language: str | None = None) -> tuple[str, ...]:
    """The languages to speak: `language` where it is one, else the reader's, else both, where Chinese can be shown."""
    folder = ""
    with suppress(OSError):  # the folder is gone
        folder = Path.cwd().name
    asked = re.split("[-_.]", os.environ.get("MINIGRAD_LANG", "").lower())[0]  # zh_CN.UTF-8 is Chinese, too
    for chosen in (language, asked, folder):
        if chosen in LANGUAGES:
            return (chosen,)
        if chosen == "both":
            break
    return LANGUAGES if printable("中") == "中" else LANGUAGES[:1]
