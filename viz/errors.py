"""Errors that say what to do, in English and in Chinese.

Everything a reader needs is in the message itself (not in notes), because not every notebook shows notes.
"""

from __future__ import annotations


class LayoutError(RuntimeError):
    """Graphviz is missing, failed, or took too long; the graph and its text are still there."""


def message(what: str, do: str, zh: str) -> str:
    """`what` went wrong in one line; what to `do`; the same in Chinese (`zh`)."""
    return f"{what}\n  → {do}\n  → {zh}"
