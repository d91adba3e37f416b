"""What the options of `draw` and of its like may be, and what holds where they are not given. Anything else is refused
at once, in words that say what fits."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, SupportsIndex

from .errors import message
from .strings import clean


@dataclass(frozen=True)
class _Rule:
    """The types and the values that an option may have, and both in words."""

    of_type: Callable[[Any], bool]
    allowed: Callable[[Any], bool]
    en: str
    zh: str


def _is_whole(value: Any) -> bool:
    return isinstance(value, SupportsIndex) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or _is_whole(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_texts(value: Any) -> bool:
    return _is_text(value) or (isinstance(value, Collection) and all(map(_is_text, value)))


def _or_none(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or fits(value)


def _one_of(*words: str) -> _Rule:
    *first, last = map(repr, words)
    return _Rule(_is_text, words.__contains__, f"{', '.join(first)} or {last}", f"{'、'.join(first)} 或 {last}")


#: What `show=` puts on the nodes; and what it shows that is else left out.
ON_NODES = ("saved", "formula", "shapes", "order", "source")
SHOWN = (*ON_NODES, "untracked", "repeats")
_GROUP = re.compile(r"(fold|module)\d+")
_RULES = {
    "show": _Rule(
        _are_texts,
        lambda words: all(word in SHOWN or _GROUP.fullmatch(word) for word in ([words] if _is_text(words) else words)),
        f"one or several of {', '.join(map(repr, SHOWN))}, and ids of folded groups ('fold1')",
        f"{'、'.join(map(repr, SHOWN))} 中的一个或几个，或折叠组的编号（如 'fold1'）",
    ),
    "around": _Rule(
        _or_none(_is_text),
        lambda name: True,
        "the id of a node, as viz.text() lists them ('op3'), or the name of a variable",
        "节点编号（viz.text() 里列出的，如 'op3'）或变量名",
    ),
    "modules": _Rule(
        _or_none(_is_whole),
        lambda level: level is None or level >= 1,
        "a whole number, 1 (the outermost frames) or more, or None",
        "不小于 1 的整数（1 指最外层的框），或 None",
    ),
    "depth": _Rule(
        _or_none(_is_whole),
        lambda depth: depth is None or depth >= 0,
        "a whole number of steps, 0 or more, or None",
        "步数：不小于 0 的整数，或 None",
    ),
    "max_nodes": _Rule(_is_whole, lambda most: most >= 1, "a whole number, 1 or more", "不小于 1 的整数"),
    "timeout": _Rule(_is_number, lambda seconds: seconds > 0, "a number of seconds above 0", "大于 0 的秒数"),
    "direction": _one_of("auto", "right", "up", "down"),
    "language": _one_of("auto", "en", "zh", "both"),
    "engine": _one_of("auto", "pygraphviz", "dot", "wasm"),
}
OF_A_PANEL = {
    **_RULES,
    "language": _one_of("auto", "en", "zh"),  # it shows one at a time
    "height": _Rule(
        lambda pixels: pixels is None or _is_whole(pixels),
        lambda pixels: pixels is None or pixels >= 1,
        "a whole number of pixels, 1 or more, or None",
        "像素数：正整数，或 None",
    ),
}


def check(rules: Mapping[str, _Rule] = _RULES, /, **options: Any) -> None:
    """Refuses what an option of that name cannot be: TypeError for a wrong type, ValueError for a wrong value."""
    for name, value in options.items():
        rule = rules[name]
        if rule.of_type(value) and rule.allowed(value):
            continue
        error = ValueError if rule.of_type(value) else TypeError
        raise error(
            message(
                f"{name}= cannot be {_shown(value)}",
                f"{name}= takes {rule.en}.",
                f"{name}= 应为：{rule.zh}。",
            )
        )


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
            raise AttributeError(
                message(
                    f"viz.options has no {clean(name)!r}",
                    "It has engine, timeout and language; all else is told to viz.draw.",
                    "viz.options 只有 engine、timeout 和 language；其余的写在 viz.draw 的参数里。",
                )
            )
        check(**{name: value})
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={getattr(self, name)!r}" for name in Options.__annotations__)
        return f"viz.options({said})"


options = Options()
