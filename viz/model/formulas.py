"""The formula of an operation: from its node's docstring where the library writes one, else from ``formulas.txt``.

``formulas.zh.txt`` has the words in them in Chinese."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any


def formula(node: Any) -> tuple[str, ...]:
    """What `node`'s operation computes, then its derivatives; empty where it is not known."""
    doc = (type(node).__doc__ or "").strip().partition("\n")[0]
    if doc:
        return _parts(doc)
    name = str(node.name())
    plain = f"{name}(1)" if getattr(node, "_saved_alpha", None) == 1 else name
    return _table().get(plain) or _table().get(name, ())


def in_chinese(formula: str) -> str:
    """A formula, or a part of it, with its words in Chinese."""
    pattern, words = _chinese()
    return pattern.sub(lambda found: words[found[0]], formula)


@cache
def _table() -> dict[str, tuple[str, ...]]:
    return {name: tuple(parts) for name, *parts in map(_parts, _lines("formulas.txt"))}


@cache
def _chinese() -> tuple[re.Pattern[str], dict[str, str]]:
    words = {
        english: chinese for english, _, chinese in (line.partition(" " * 6) for line in _lines("formulas.zh.txt"))
    }
    return re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True)))), words


def _lines(file: str) -> list[str]:
    text = (Path(__file__).parent / file).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]


def _parts(line: str) -> tuple[str, ...]:
    return tuple(part for part in re.split(r"\s{3,}", line.strip()) if part)
