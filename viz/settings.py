"""What the options of `draw` and of its like may be, and what holds where they are not given. Anything else is refused
at once, in words that say what fits."""

import os
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from .language import message, spoken, words
from .strings import clean

#: What `show=` puts on the nodes; and what it shows that is else left out.
ON_NODES = ("saved", "formula", "order")
SHOWN = (*ON_NODES, "untracked", "repeats")
_GROUP = re.compile(r"((fold|module)\d+(\.|$))+|\w+(\.\w+)+")  # or a module
_NOT_NEEDED = {"around", "modules", "depth"}  # may be None
_WORDS = {
    "show": SHOWN,
    "direction": ("auto", "right", "up", "down"),
    "language": ("auto", "en", "zh"),
    "engine": ("auto", "pygraphviz", "dot", "wasm"),
}
_LEAST = {"modules": 0, "depth": 0, "max_nodes": 1}  # whole numbers


def check(**options: Any) -> None:
    """Refuses what an option of that name cannot be: TypeError for a wrong type, ValueError for a wrong value."""
    for name, value in options.items():
        many = name == "show" and isinstance(value, Collection) and not isinstance(value, str)
        for one in value if many else (value,):  # what is wrong in a list is said of that word
            if error := _wrong(name, one):
                plain = one is None or type(one) in (bool, int, float, str)  # else its type: a long text helps nobody
                shown = clean(repr(one)) if plain else f"a {type(one).__name__}"
                raise error(message("wrongOption", name=name, shown=shown, **words(f"rule_{name}")))


def _wrong(name: str, value: Any) -> type[Exception] | None:
    """Which error an option's value is; None where it is none."""
    whole = hasattr(type(value), "__index__") and not isinstance(value, bool)
    text = isinstance(value, str)
    if value is None and name in _NOT_NEEDED:
        return None
    if name in _LEAST:
        return TypeError if not whole else ValueError if value < _LEAST[name] else None
    if name == "timeout":
        return TypeError if not whole and not isinstance(value, float) else None if value > 0 else ValueError
    if name == "show" and text and _GROUP.fullmatch(value):
        return None
    return TypeError if not text else ValueError if value not in _WORDS.get(name, (value,)) else None


@dataclass
class Options:
    """What holds for every picture that is not told otherwise:

    >>> viz.options.language = "zh"

    engine: ``pygraphviz``, ``dot``, ``wasm`` or ``auto``, the first of them that is there. timeout: seconds that laying
    out may take. language: of all that is written on a picture or read aloud: ``en``, ``zh``, or ``auto``: the
    reader's (``MINIGRAD_LANG`` where it is set; that of a notebook in a folder ``en`` or ``zh``; else English).
    """

    engine: str = "auto"
    timeout: float = 20.0
    language: str = "auto"

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in Options.__annotations__:
            raise AttributeError(message("noSuchOption", name=repr(clean(name))))
        check(**{name: value})
        super().__setattr__(name, value)


options = Options()


def docks() -> bool:
    """Whether a panel goes beside its notebook, so that a cell is narrow."""
    return bool(os.environ.get("MINIGRAD_DOCK"))


def reader(unknown: str = "en") -> str:
    """The language of what is shown in one alone: the reader's; `unknown` where none is known."""
    known = spoken(options.language)
    return known[0] if len(known) == 1 else unknown
