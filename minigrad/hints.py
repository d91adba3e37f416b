"""Errors teach: PyTorch's own words first, then a hint in English and Chinese."""

from __future__ import annotations

from typing import TypeVar

_Error = TypeVar("_Error", bound=BaseException)


def with_hint(error: _Error, english: str, chinese: str) -> _Error:
    """`error` with a note under its message: what happened and what to do, in two languages.

    The message itself stays PyTorch's, so that `str(error)` and a search engine see what they know.
    """
    error.add_note(f"minigrad: {english}\nminigrad：{chinese}")
    return error
