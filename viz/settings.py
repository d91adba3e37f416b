"""What the options of `draw` and of its like may be, and what holds where they are not given. Anything else is refused
at once, in words that say what fits."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from .language import message, said
from .strings import clean


@dataclass(frozen=True)
class _Rule:
    """The types and the values that an option may have; the catalogue says both in words, or these are all `words`."""

    of_type: Callable[[Any], bool]
    allowed: Callable[[Any], bool] = lambda value: True
    words: tuple[str, ...] = ()


def _is_whole(value: Any) -> bool:
    return hasattr(type(value), "__index__") and not isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_shown(words: Any) -> bool:
    return all(word in SHOWN or _GROUP.fullmatch(word) for word in ([words] if _is_text(words) else words))


def _from(least: int) -> _Rule:
    return _Rule(_is_whole, lambda value: value >= least)


def _one_of(*words: str) -> _Rule:
    return _Rule(_is_text, words.__contains__, words)


#: What `show=` puts on the nodes; and what it shows that is else left out.
ON_NODES = ("saved", "formula", "order")
SHOWN = (*ON_NODES, "untracked", "repeats")
_GROUP = re.compile(r"(fold|module)\d+")
_NOT_NEEDED = {"around", "modules", "depth", "height"}  # may be None
_RULES = {
    "show": _Rule(lambda v: _is_text(v) or (isinstance(v, Collection) and all(map(_is_text, v))), _are_shown),
    "around": _Rule(_is_text),
    "modules": _from(1),
    "depth": _from(0),
    "max_nodes": _from(1),
    "timeout": _Rule(lambda value: isinstance(value, float) or _is_whole(value), lambda seconds: seconds > 0),
    "direction": _one_of("auto", "right", "up", "down"),
    "language": _one_of("auto", "en", "zh", "both"),
    "engine": _one_of("auto", "pygraphviz", "dot", "wasm"),
}
# a panel shows one language at a time
OF_A_PANEL = {**_RULES, "language": _one_of("auto", "en", "zh"), "height": _from(1)}


def check(rules: Mapping[str, _Rule] = _RULES, /, **options: Any) -> None:
    """Refuses what an option of that name cannot be: TypeError for a wrong type, ValueError for a wrong value."""
    for name, value in options.items():
        rule = rules[name]
        if (value is None and name in _NOT_NEEDED) or (rule.of_type(value) and rule.allowed(value)):
            continue
        error = ValueError if rule.of_type(value) else TypeError
        *first, last = map(repr, rule.words or SHOWN)
        key = "rule_one" if rule.words else f"rule_{name}"
        fits = {lang: said(lang, key, first=gap.join(first), last=last) for lang, gap in (("en", ", "), ("zh", "、"))}
        raise error(message("wrongOption", name=name, shown=_shown(value), **fits))


def _shown(value: Any) -> str:
    """A short plain value as it is written; else its type, for a long text helps nobody."""
    plain = value is None or type(value) in (bool, int, float, str)
    return clean(repr(value)) if plain else f"a {type(value).__name__}"


class Options:
    """What holds for every picture that is not told otherwise:

    >>> viz.options.language = "zh"

    engine: ``pygraphviz``, ``dot``, ``wasm`` or ``auto``, the first of them that is there. timeout: seconds that laying
    out may take. language: of the title and description that a screen reader reads: ``en``, ``zh``, ``both``, or
    ``auto``: the reader's (``MINIGRAD_LANG`` where it is set; that of a notebook in a folder ``en`` or ``zh``; else
    both).
    """

    engine: str = "auto"
    timeout: float = 20.0
    language: str = "auto"

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in Options.__annotations__:
            raise AttributeError(message("noSuchOption", name=repr(clean(name))))
        check(**{name: value})
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={getattr(self, name)!r}" for name in Options.__annotations__)
        return f"viz.options({said})"


options = Options()
