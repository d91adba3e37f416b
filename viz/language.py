"""Whose language: the reader's.

A kernel starts in the folder of its notebook, so a notebook in ``zh/`` has a Chinese reader, one in ``en/`` an
English one. The environment variable ``MINIGRAD_LANG`` (``en``, ``zh`` or ``both``) decides before that. Where neither
says anything, both languages are spoken, one after the other: more to read, and nobody is left out.
"""

from __future__ import annotations

import os
from pathlib import Path

LANGUAGES = ("en", "zh")


def spoken(language: str | None = None) -> tuple[str, ...]:
    """The languages to speak: `language` where it is one, else the reader's, else both."""
    for chosen in (language, os.environ.get("MINIGRAD_LANG"), _folder()):
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
