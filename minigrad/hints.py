"""Errors teach: PyTorch's own words first, then a hint in English and Chinese."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NoReturn, TypeVar

_Error = TypeVar("_Error", bound=BaseException)


def with_hint(error: _Error, english: str, chinese: str) -> _Error:
    """`error` with a note under its message: what happened and what to do, in two languages.

    The message itself stays PyTorch's, so that `str(error)` and a search engine see what they know.
    """
    error.add_note(f"minigrad: {english}\nminigrad：{chinese}")
    return error


def unknown_name(owner: str, prefix: str, name: str, names: Iterable[str]) -> AttributeError:
    """The error for a name that does not exist; its hint is the nearest of the `names` that do.

    Args:
        owner: how Python names what was asked, such as "module 'minigrad.nn'".
        prefix: what a learner writes before the name, such as "minigrad.nn.".
    """
    from difflib import get_close_matches  # when it is needed: `import minigrad` stays fast

    error = AttributeError(f"{owner} has no attribute '{name}'")
    near = [] if name.startswith("_") else get_close_matches(name, [n for n in names if not n.startswith("_")], 1)
    if near:
        with_hint(error, f"Do you mean {prefix}{near[0]}?", f"是不是想写 {prefix}{near[0]}？")
    return error


def names_the_nearest(module: str, names: Sequence[str]) -> Callable[[str], NoReturn]:
    """A module's `__getattr__`: it says which of its `names` is nearest to the one that there is not."""

    def __getattr__(name: str) -> NoReturn:
        raise unknown_name(f"module '{module}'", f"{module}.", name, names)

    return __getattr__
