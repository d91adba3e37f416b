"""What a tensor and a node must answer to be drawn, and a node to be recorded: PyTorch's do, and a learner's own may.

The first of each are asked of the class, so that nothing of the reader's runs where a notebook is searched for tensors.
All else that PyTorch has (``_saved_*``, ``metadata``, ``output_nr``, ``_version``) is shown where it is there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..language import message, said
from ..strings import clean

OF_THE_CLASS = ("grad_fn", "requires_grad", "is_leaf", "next_functions", "variable")
TENSOR = ("grad_fn", "requires_grad", "is_leaf", "grad", "shape", "dtype")
NODE = ("next_functions", "name", "_sequence_nr")
HOOKS = ("register_prehook", "register_hook")
_CALLED = ("name", "_sequence_nr", *HOOKS)


class Lacks(TypeError):
    """A tensor or a node has not all that is asked of it."""


def require(thing: Any, parts: Iterable[str]) -> None:
    """Refuses, in words, a tensor or node that lacks some of the `parts`."""
    missing = [part for part in parts if not _has(thing, part)]
    if not missing:
        return
    kind = type(thing).__name__
    name = f" {clean(thing.name())}" if _has(thing, "name") and thing.name() != kind else ""
    en = "; ".join(f"{_place(part, ', asked of the class')} ({said('en', f'part_{part}')})" for part in missing)
    zh = "；".join(f"{_place(part, '，写在类里')}（{said('zh', f'part_{part}')}）" for part in missing)
    raise Lacks(message("lacks", kind=clean(kind), name=name, missing=", ".join(missing), en=en, zh=zh))


def require_each(nodes: Iterable[Any], parts: Iterable[str]) -> None:
    """The same of nodes, of each class once."""
    parts = tuple(parts)
    for node in {type(node): node for node in nodes}.values():
        require(node, parts)


def _has(thing: Any, part: str) -> bool:
    # the class first: to ask a result for its .grad would warn
    if not hasattr(type(thing), part) and (part in OF_THE_CLASS or not hasattr(thing, part)):
        return False
    if part == "next_functions":
        return all(isinstance(pair, tuple) and len(pair) == 2 for pair in thing.next_functions)
    return part not in _CALLED or callable(getattr(thing, part))


def _place(part: str, in_class: str) -> str:
    return part + "()" * (part in _CALLED) + in_class * (part in OF_THE_CLASS)
