"""Whether ``import viz`` brings what the lessons mean: a file of the same name beside a notebook comes before it, and
so may another package."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable
from pathlib import Path

from minigrad_lessons.language import Says

HOME = Path(__file__).resolve().parents[1]
OURS = ("minigrad", "viz")  # beside this package, wherever that is installed


def beside(folders: Iterable[Path]) -> list[Path]:
    """The files in `folders` that a notebook there would import in place of what the lessons mean."""
    found = [
        file.resolve()
        for folder in folders
        for name in (*OURS, "minigrad_lessons", "numpy", "torch")
        for file in (folder / f"{name}.py", folder / name / "__init__.py")
        if file.is_file()
    ]
    return [file for file in dict.fromkeys(found) if file.parent.parent != HOME]


def imported() -> list[Path]:
    """What this very Python imports by our names, where that is not ours."""
    found = []
    for name in OURS:
        if module := sys.modules.get(name):  # a module of another name stands in on purpose, as PyTorch may
            file = getattr(module, "__file__", None) if module.__name__ == name else None
        else:
            spec = importlib.util.find_spec(name)
            file = spec.origin if spec else None
        if file and Path(file).resolve().parent != HOME / name:
            found.append(Path(file).resolve())
    return found


def taken(*folders: Path) -> list[Path]:
    """What stands in the way of notebooks in `folders`."""
    return list(dict.fromkeys([*beside(folders), *imported()]))


def in_the_way(file: Path) -> Says:
    """What a file does there, and what to do about it."""
    name = file.parent.name if file.name == "__init__.py" else file.stem
    if "site-packages" in file.parts:
        return Says(
            f"`import {name}` brings another package's {file}: uninstall that package, then install minigrad-lessons "
            "again.",
            f"`import {name}` 导入的是别的包的 {file}：请卸载那个包，再重新安装 minigrad-lessons。",
        )
    return Says(
        f"`import {name}` brings {file} in place of the package: rename that file, and restart the kernel.",
        f"`import {name}` 导入的是 {file}，而不是同名的包：请给这个文件改名，然后重启内核。",
    )


def refuse() -> None:
    """Raise ImportError for the first that is in the way of the notebook that runs here."""
    for file in taken(Path()):
        says = in_the_way(file)
        raise ImportError(f"{says.en}\n{says.zh}")  # both: which the reader speaks is viz' to say, and viz may be gone
