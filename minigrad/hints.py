"""Errors teach: PyTorch's own words first, then a hint in the reader's language."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from inspect import signature
from itertools import islice
from linecache import getline
from operator import attrgetter
from types import TracebackType
from typing import Any, NoReturn, TypeVar

_Error = TypeVar("_Error", bound=BaseException)


def with_hint(error: _Error, english: str, chinese: str) -> _Error:
    """`error` with a note under its message: what happened and what to do, in the reader's language.

    The message itself stays PyTorch's, so that `str(error)` and a search engine see what they know. A notebook in a
    folder ``zh`` or ``en`` has a reader of that language, unless MINIGRAD_LANG says otherwise; where nothing says
    it, both languages are spoken. Both are kept in `error._hints`, for who shows the error elsewhere.
    """
    known: Any = error
    known._hints = [*getattr(error, "_hints", ()), (english, chinese)]
    lines = {"en": f"minigrad: {english}", "zh": f"minigrad：{chinese}"}
    error.add_note(lines.get(_reader()) or "\n".join(lines.values()))
    return error


def hinted(error: _Error, row: Any = "", **values: Any) -> _Error:
    """`error` with its hint in cures.py, if there is one: by the words of its message, or of `row` in their place."""
    from .cures import CURES  # when something has failed

    message = row or str(error)
    for words, hint in CURES.items():
        if words in message:
            return with_hint(error, *(text.format(**values) for text in hint))
    return error


def _reader() -> str:
    if asked := os.environ.get("MINIGRAD_LANG"):
        return asked.lower()[:2]  # zh_CN is Chinese, too
    try:
        return os.path.basename(os.getcwd())
    except OSError:  # the folder is gone
        return ""


def tell_warnings() -> None:
    """From now on a Chinese reader finds under a warning of PyTorch's a line that says it in Chinese."""
    shown = warnings.formatwarning

    def told(message: Any, *where: Any, **line: Any) -> str:
        text = shown(message, *where, **line)
        said = (chinese for words, chinese in _rows("warnings") if words in str(message))
        return text + "".join(f"minigrad：{chinese}\n" for chinese in said)

    if _reader() == "zh":
        warnings.formatwarning = told


def tell_summaries(module: str) -> None:
    """A Chinese reader finds above the docstrings of what the lessons use a line that says it in Chinese.

    Each package that is loaded later tells its own: ``nn:Linear`` in the table is the row of `Linear` in minigrad.nn.
    """
    for name, chinese in _rows("summaries") if _reader() == "zh" else ():
        home, _, own = name.rpartition(":")
        if module.partition(".")[2] == home:
            thing = attrgetter(own)(sys.modules[module])
            thing.__doc__ = f"{chinese}\n\n{thing.__doc__ or ''}".rstrip()


def _rows(table: str) -> list[tuple[str, str]]:
    """The rows of a table in ``words/``: what it speaks of, and the Chinese."""
    with open(os.path.join(os.path.dirname(__file__), "words", f"{table}.zh.txt"), encoding="utf-8") as file:
        text = file.read()
    rows = (line.partition(" " * 6) for line in text.splitlines() if not line.startswith("#"))
    return [(key, chinese) for key, _, chinese in rows]


def no_such_argument(error: _Error, names: Collection[str]) -> _Error:
    """`error` about an argument that there is not, with its hint in cures.py, or one of which `names` there are."""
    if hasattr(hinted(error), "_hints"):
        return error
    from difflib import get_close_matches

    near = get_close_matches(str(error).split("'")[1], names, 1)
    asked = (f"Do you mean {near[0]}? ", f"是不是想写 {near[0]}？") if near else ("", "")
    english = f"It takes {', '.join(names)}; a few of PyTorch's are left out on purpose: docs/differences.md."
    chinese = f"它的参数有：{'、'.join(names)}；PyTorch 的少数参数有意没有收录，见 docs/differences.zh.md。"
    return with_hint(error, asked[0] + english, asked[1] + chinese)


class Unfit(TypeError):
    """What a function raises for an argument whose type only it can judge; PyTorch's words come in its place."""


def type_name(value: Any) -> str:
    """How PyTorch names the type of a wrong argument."""
    kind = type(value)
    name, module = kind.__name__, kind.__module__
    if module == "minigrad.return_types":
        return f"torch.return_types.{name}"
    if module.partition(".")[0] == "minigrad":
        return f"torch.{kind.__qualname__}" if kind.__qualname__ in _BUILT_IN else kind.__qualname__
    return name if module == "builtins" or kind.__flags__ & _MADE_BY_PYTHON else f"{module}.{name}"


#: Types that PyTorch has written in C. All types from C call themselves by their full names, such as numpy.ndarray.
_BUILT_IN = ("dtype", "device", "Size", "Generator")
#: The mark of Python on a class that a `class` statement made.
_MADE_BY_PYTHON = 1 << 9


def is_pytorchs(value: Any) -> bool:
    """Whether it comes from the real PyTorch: a learner who left one `import torch` as it was mixes the two."""
    return type(value).__module__.partition(".")[0] == "torch"


def not_operand(value: Any) -> Any:
    """What an operator answers to an operand that it does not know: that it may know itself, unless it is PyTorch's."""
    if is_pytorchs(value):
        raise hinted(TypeError("minigrad: the other operand is a tensor of the real PyTorch's"))
    return NotImplemented


def unknown_name(owner: str, prefix: str, name: str, names: Iterable[str]) -> AttributeError:
    """The error for a name that does not exist; its hint is the nearest of the `names` that do.

    Args:
        owner: how Python names what was asked, such as "module 'minigrad.nn'".
        prefix: what a learner writes before the name, such as "minigrad.nn.".
    """
    from difflib import get_close_matches  # when it is needed: `import minigrad` stays fast

    error = AttributeError(f"{owner} has no attribute '{name}'")
    with open(os.path.join(os.path.dirname(__file__), "words", "left_out.txt"), encoding="utf-8") as file:
        if prefix.partition(".")[2] + name in file.read().split():
            return hinted(error, f"{error} [left out]")
    if prefix == "minigrad." and name[0] != "_" and callable(getattr(_tensors, name, None)):
        return with_hint(error, f"It is a method of tensors: x.{name}(…).", f"这是张量的方法：x.{name}(…)。")
    shown = [] if name.startswith("_") else [each for each in names if not each.startswith("_")]
    near = [n for n in shown if n.lower() == name.lower()] or get_close_matches(name, shown, 1, 0.7)
    if near:
        with_hint(error, f"Do you mean {prefix}{near[0]}?", f"是不是想写 {prefix}{near[0]}？")
    return error


#: The class of tensors, once there is one: it stands above this file.
_tensors: Any = ()
#: The errors that IPython lets minigrad show, where nobody else shows errors.
SHOWN = (Exception,)


def name_the_nearest_of(tensors: Any) -> None:
    """Let a wrong name of a tensor, as in `x.bakward()`, be answered with the nearest one.

    A class can be asked for what it does not have, by its `__getattr__`. But before Python 3.12 that makes all of its
    attributes three times as slow to read. There the hint is added when IPython shows the error.
    """
    global _tensors
    _tensors = tensors
    if sys.version_info >= (3, 12):
        tensors.__getattr__ = _refuse


def _refuse(tensor: Any, name: str) -> NoReturn:
    raise _unknown_name_of(tensor, name)


def _unknown_name_of(tensor: Any, name: str) -> AttributeError:
    owner = f"'{type(tensor).__name__}' object"
    known = hinted(AttributeError(f"{owner} has no attribute '{name}'"))
    return known if hasattr(known, "_hints") else unknown_name(owner, "x.", name, dir(type(tensor)))


def shorten_tracebacks(ours: tuple[str, ...] = (os.path.dirname(__file__),), way_in: bool = True) -> None:
    """Let the notebook that this is imported in, if it is one, show errors by `shortened`; `%tb` shows all of it."""

    def show(shell: Any, kind: type, error: Exception, traceback: Any, tb_offset: int | None = None) -> None:
        with suppress(Exception):  # whatever goes wrong here, the error is shown
            add_nearest(error)
        shorter = shortened(traceback, ours, way_in) or traceback
        shell.showtraceback((kind, error, shorter), tb_offset=tb_offset)
        sys.last_traceback = traceback

    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is not None and (not shell.custom_exceptions or shell.custom_exceptions is SHOWN):
        shell.set_custom_exc(SHOWN, show)


def shortened(traceback: Any, ours: tuple[str, ...], way_in: bool = True) -> Any:
    """A traceback without the frames of files in the folders `ours`, but, with `way_in`, the first that others call."""
    folders, frames, inside = tuple(folder + os.sep for folder in ours), [], False
    while traceback is not None:
        was_inside, inside = inside, traceback.tb_frame.f_code.co_filename.startswith(folders)
        if not inside or (way_in and not was_inside):
            frames.append(traceback)
        traceback = traceback.tb_next
    for frame in reversed(frames):
        traceback = TracebackType(traceback, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    return traceback


#: How PyTorch refuses a tensor of minigrad's: a learner left one import as it was.
_MIXED = r"must be Tensor, not (Tensor|Parameter)|expected Tensor as element .*, but got Tensor|params is minigrad\."


def add_nearest(error: BaseException) -> None:
    """Add the hint to an error that has none yet: about a wrong name, or of PyTorch about a tensor of minigrad's."""
    said = str(error)
    if hasattr(error, "__notes__"):
        return
    if isinstance(error, AttributeError) and isinstance(error.obj, _tensors):
        for english, chinese in getattr(_unknown_name_of(error.obj, error.name), "_hints", ()):
            with_hint(error, english, chinese)
    name, is_called, _ = said.partition("() got an unexpected keyword argument")
    called = _called(error.__traceback__) if is_called and error.__traceback__ else None
    if called is not None and getattr(called, "__qualname__", "") == name.removesuffix(".__init__"):
        given = signature(called).parameters.values()
        no_such_argument(error, [one.name for one in given if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)])
    elif re.match("No module named 'minigrad.|'generator' object has no attribute 'next'", said):
        hinted(error)
    elif isinstance(error, TypeError) and re.search(_MIXED, said):
        hinted(error, "[minigrad's]")


def _called(traceback: Any) -> Any:
    """What of minigrad's the program called last, if it has a plain name there, such as ``optim.SGD``; else None."""
    last = traceback
    while (traceback := traceback.tb_next) is not None:
        last = last if traceback.tb_frame.f_globals.get("__name__", "").startswith("minigrad.") else traceback
    frame, code = last.tb_frame, last.tb_frame.f_code
    line, _, start, _ = next(islice(code.co_positions(), last.tb_lasti // 2, None))
    text = getline(code.co_filename, line or 0).encode()[start:].decode()  # columns are counted in bytes
    first, *path = text.partition("(")[0].split(".")
    called = {**frame.f_globals, **frame.f_locals}.get(first)
    for name in path:
        called = getattr(called, name, None)
    return called if str(getattr(called, "__module__", "")).startswith("minigrad.") else None


#: The `__getattr__` and the `__dir__` of a module.
_OfModule = tuple[Callable[[str], Any], Callable[[], list[str]]]


def names_the_nearest(module: str, names: Sequence[str]) -> _OfModule:
    """The `__getattr__` and `__dir__` of a module: its `names`, and which is nearest to one that there is not.

    So Tab offers what is for users, and none of what the module itself imports.
    """

    def __getattr__(name: str) -> Any:
        raise unknown_name(f"module '{module}'", f"{module}.", name, names)

    def __dir__() -> list[str]:
        own = [name for name in vars(sys.modules[module]) if name.startswith("__")]
        return sorted({*names, *own})

    return __getattr__, __dir__


def loaded_later(module: str, names: Sequence[str], homes: Mapping[str, str]) -> _OfModule:
    """The `__getattr__` and `__dir__` of a module that loads some of its names when they are first asked for.

    So `import minigrad` is fast. `homes` says what is where: {".files": "load save", ".nn": ""} are two names, and the
    modules `files` and `nn`. For a name that does not exist it is said which of `names` is nearest.
    """
    nearest, listed = names_the_nearest(module, names)

    def __getattr__(name: str) -> Any:
        for home, found_there in homes.items():
            if name in found_there.split():
                value = getattr(import_module(home, module), name)
                vars(sys.modules[module])[name] = value
                return value
        return import_module(f".{name}", module) if f".{name}" in homes else nearest(name)

    return __getattr__, listed
