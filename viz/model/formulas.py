"""The formula of an operation: from its node's docstring where the library writes one, else from ``formulas.txt``."""

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


@cache
def _table() -> dict[str, tuple[str, ...]]:
    text = (Path(__file__).parent / "formulas.txt").read_text(encoding="utf-8")
    rows = (_parts(line) for line in text.splitlines() if not line.startswith("#"))
    return {name: tuple(parts) for name, *parts in rows}


def _parts(line: str) -> tuple[str, ...]:
    return tuple(part for part in re.split(r"\s{3,}", line.strip()) if part)
