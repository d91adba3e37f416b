"""Whose language: the reader's.

A kernel starts in the folder of its notebook, so a notebook in ``zh/`` has a Chinese reader, one in ``en/`` an
English one. The environment variable ``MINIGRAD_LANG`` (``en``, ``zh`` or ``both``) decides before that. Where neither
says anything, both languages are spoken, one after the other: more to read, and nobody is left out.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

LANGUAGES = ("en", "zh")


@dataclass(frozen=True)
class Says:
    """The same words in both languages."""

    en: str
    zh: str

    def __str__(self) -> str:
        """The words for this reader, for a button or a picture."""
        return " · ".join(self.lines())

    def lines(self) -> list[str]:
        """The same, each language that is spoken by itself."""
        return [getattr(self, lang) for lang in spoken()]


def spoken(lang: str | None = None) -> tuple[str, ...]:
    """The languages to speak: `lang` where it is one, else the reader's, else both."""
    for chosen in (lang, os.environ.get("MINIGRAD_LANG"), _folder()):
        if chosen in LANGUAGES:
            return (chosen,)
        if chosen == "both":
            break
    return LANGUAGES


def _folder() -> str:
    try:
        return Path.cwd().name
    except OSError:  # the folder is gone
        return ""


def speak(mark: str, says: Says, lang: str | None = None) -> None:
    """Print a sentence to the reader, each language that is spoken on a line of its own."""
    for number, language in enumerate(spoken(lang)):
        print(mark if number == 0 else "  ", getattr(says, language))
