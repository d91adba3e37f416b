"""Errors that say what to do, in English and in Chinese.

Everything a reader needs is in the message itself (not in notes), because not every notebook shows notes.
"""

from __future__ import annotations

from .language import catalogue

#: What brings everything that drawing and following need.
INSTALL = 'pip install "minigrad-lessons[viz]"'


class LayoutError(RuntimeError):
    """Graphviz is missing, failed, or took too long; the graph and its text are still there."""


class NoSuchNode(KeyError):
    """A graph has no node of that id."""

    def __str__(self) -> str:
        return str(self.args[0])  # a KeyError would show its message in quotes, on one line


def first_line(error: BaseException) -> str:
    """``ValueError: …``: the type of an error and the first line that it says."""
    return f"{type(error).__name__}: {error}".partition("\n")[0]


def not_installed(error: ModuleNotFoundError, what: str) -> ModuleNotFoundError:
    """The same error, with what needs the missing package and the line that brings it."""
    return ModuleNotFoundError(
        message("notInstalled", what=what, name=error.name, install=INSTALL),
        name=error.name,
    )


def message(key: str, **values: object) -> str:
    """An error of the catalogue: what went wrong in one line, what to do, and the same in Chinese."""
    row = catalogue()[f"error_{key}"]
    return "\n  → ".join(row[part].format(**values) for part in ("what", "en", "zh"))
