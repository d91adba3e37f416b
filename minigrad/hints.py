"""Errors teach: PyTorch's own words first, then a hint in English and Chinese."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from sys import modules, version_info
from typing import Any, NoReturn, TypeVar

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


def names_the_nearest_of(tensors: Any) -> None:
    """Let a wrong name of a tensor, as in `x.bakward()`, be answered with the nearest one.

    The class asks a `__getattr__` for what it does not have. Before Python 3.12 one such method makes all attributes of
    a class three times as slow to read. There the hint is added when IPython shows the error; Python itself, too, then
    says "Did you mean".
    """

    def unknown(tensor: Any, name: str) -> NoReturn:
        raise unknown_name(f"'{type(tensor).__name__}' object", "x.", name, dir(type(tensor)))

    if version_info >= (3, 12):
        tensors.__getattr__ = unknown
        return
    shell = modules["IPython"].get_ipython() if "IPython" in modules else None
    if shell is None or shell.custom_exceptions:  # somebody else shows errors
        return

    def show(shell: Any, kind: Any, error: Any, trace: Any, tb_offset: int | None = None) -> None:
        if isinstance(error.obj, tensors):
            try:
                unknown(error.obj, error.name)
            except AttributeError as hinted:
                for note in getattr(hinted, "__notes__", ()):
                    error.add_note(note)
        shell.showtraceback((kind, error, trace), tb_offset=tb_offset, running_compiled_code=True)

    shell.set_custom_exc((AttributeError,), show)


def names_the_nearest(module: str, names: Sequence[str]) -> Callable[[str], NoReturn]:
    """A module's `__getattr__`: it says which of its `names` is nearest to the one that there is not."""

    def __getattr__(name: str) -> NoReturn:
        raise unknown_name(f"module '{module}'", f"{module}.", name, names)

    return __getattr__


def loaded_later(
    module: str, names: Sequence[str], homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of a module that loads some of its names when they are first asked for.

    So `import minigrad` is fast. `homes` says what is where: {".files": "load save", ".nn": ""} are two names, and the
    modules `files` and `nn`. For a name that does not exist it is said which of `names` is nearest.
    """
    nearest = names_the_nearest(module, names)

    def __getattr__(name: str) -> Any:
        for home, found_there in homes.items():
            if name in found_there.split():
                value = getattr(import_module(home, module), name)
                vars(modules[module])[name] = value
                return value
        return import_module(f".{name}", module) if f".{name}" in homes else nearest(name)

    return __getattr__, lambda: sorted({*vars(modules[module]), *names})
