"""Write docs/names.md, minigrad's public names beside PyTorch's signatures: `python docs/names.py` (needs PyTorch)."""

import importlib
import inspect
import re
import sys
from pathlib import Path
from typing import Any

PAGE = Path(__file__).with_suffix(".md")
sys.path.insert(0, str(PAGE.parents[1]))

# Where learners look for names, and what each place holds.
PLACES = {
    "": "Functions, types and creation",
    "Tensor": "Methods and attributes of a tensor",
    "autograd": "Differentiation",
    "autograd.functional": "Derivatives of functions",
    "autograd.graph": "The graph",
    "autograd.function": "Operations of one's own",
    "linalg": "Matrices",
    "nn": "Modules",
    "nn.functional": "Activations and losses",
    "nn.init": "Initial values",
    "optim": "Optimizers",
    "cuda": "GPU",
}

# Modules that the engine is written in: of their names only these are for users.
FOR_USERS = {
    "autograd.function": ["Function", "FunctionCtx", "once_differentiable"],
}


def at(library: str, place: str) -> Any:
    """The module or class that `place` names in a library."""
    try:
        return importlib.import_module(f"{library}.{place}".rstrip("."))
    except ModuleNotFoundError:
        return getattr(importlib.import_module(library), place)


def public_names(place: str) -> list[str]:
    """What minigrad offers in a place: `__all__`, or what is defined there."""
    here = at("minigrad", place)
    names = FOR_USERS.get(place, getattr(here, "__all__", None))
    if names is None:
        own = inspect.ismodule(here)
        names = [
            name for name, value in vars(here).items() if not own or getattr(value, "__module__", None) == here.__name__
        ]
    return sorted({name for name in names if not name.startswith("_")}, key=lambda name: (name.lower(), name))


def signature(value: Any) -> str:
    """How a function is called, or what kind of thing a name is."""
    if isinstance(value, property) or inspect.isdatadescriptor(value):
        return "attribute"
    if inspect.ismodule(value):
        return "module"
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        first = (inspect.getdoc(value) or "").strip().split("\n")[0]
        found = re.search(r"\(.*?\)(?= ->|$)", first)
        text = found[0] if found else ""
    text = re.sub(r" -> .*$|: '[^']*'|: [\w\[\]., |]+(?==|,|\)|$)", "", text)
    text = re.sub(r"\s*=\s*", "=", text)
    if not text:
        return "class" if inspect.isclass(value) else "function" if callable(value) else "value"
    return "`" + text.replace("|", "\\|") + "`"


def table(place: str) -> str:
    """One place as a table in Markdown."""
    ours, theirs = at("minigrad", place), at("torch", place)
    lines = [
        f"## {('minigrad.' + place).rstrip('.')}: {PLACES[place]}",
        "",
        "| Name | minigrad | PyTorch |",
        "|---|---|---|",
    ]
    for name in public_names(place):
        other = signature(getattr(theirs, name)) if hasattr(theirs, name) else "—"
        lines.append(f"| `{name}` | {signature(getattr(ours, name))} | {other} |")
    return "\n".join(lines)


def page() -> str:
    """The whole page."""
    import torch

    version = torch.__version__.split("+")[0]
    intro = (
        "# Names\n\nEach public name of minigrad beside the signature that PyTorch "
        f"{version} documents or declares for it. “—”: minigrad's own.\n"
        "Written by `python docs/names.py`; a test keeps it true.\n"
    )
    return intro + "\n" + "\n\n".join(map(table, PLACES)) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
