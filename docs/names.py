"""Write docs/names.md, minigrad's public names beside PyTorch's signatures: `python docs/names.py` (needs PyTorch)."""

import contextlib
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
    "func": "Derivatives as functions of functions",
    "linalg": "Matrices",
    "nn": "Modules",
    "nn.functional": "Activations and losses",
    "nn.init": "Initial values",
    "optim": "Optimizers",
    "utils.data": "Data in batches",
    "utils.checkpoint": "Checkpoints",
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
    """How a function is called, in each of the ways that there are, or what kind of thing a name is."""
    if isinstance(value, property) or inspect.isdatadescriptor(value):
        return "attribute"
    if inspect.ismodule(value):
        return "module"
    ways = [re.sub(r"\s*=\s*", "=", without_types(text)) for text in ways_to_call(value)]
    if not any(ways):
        return "class" if inspect.isclass(value) else "function" if callable(value) else "value"
    return "<br>".join("`" + way.replace("|", "\\|") + "`" for way in dict.fromkeys(filter(None, ways)))


def without_types(text: str) -> str:
    """A signature without annotations, and without addresses, in memory or on a disk."""
    text = re.sub(r"<[^<>]* at 0x\w+>", "…", re.sub(r"<module '(\w+)'[^<>]*>", r"\1", text))
    return re.sub(r" -> .*$|: '[^']*'|: [\w\[\]., |]+(?==|,|\)|$)", "", text)


def ways_to_call(value: Any) -> list[str]:
    """The signatures of a function: Python's own; of PyTorch's built-in functions those that their documentation names.

    Where it names none, PyTorch still lists them when it is called with nothing that fits.
    """
    with contextlib.suppress(TypeError, ValueError):
        if not is_built_in(value):  # of which Python 3.14 says a little, and the documentation more
            how = inspect.signature(value)
            plain = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in how.parameters.values()]
            return [str(how.replace(parameters=plain, return_annotation=inspect.Signature.empty))]
    lines = (inspect.getdoc(value) or "").strip().split("\n")
    calls = [lines[0], *(line for line in lines[1:] if line.strip().startswith(".. function::"))]
    found = [match[0] for line in calls if (match := re.search(r"\(.*?\)(?=\s*->|\s*$)", line.strip()))]
    return found or listed_when_refused(value)


def is_built_in(value: Any) -> bool:
    """Whether it is a function or a method that is written in C."""
    return inspect.isbuiltin(value) or inspect.ismethoddescriptor(value)


def listed_when_refused(value: Any) -> list[str]:
    """What PyTorch says that it would have taken, to a call with nothing that fits."""
    if not is_built_in(value):
        return []
    import torch

    nothing = [torch.zeros(1)] if inspect.ismethoddescriptor(value) else []
    try:
        value(*nothing, *[object()] * 9)
    except Exception as error:
        ways = re.findall(r"^ \* (\(.*\))$", str(error), re.MULTILINE)
        return [re.sub(r"(?<=[(, ])[\w.\[\]:]+ (?=\w)", "", way).replace("!", "") for way in ways]
    return []


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
        own = signature(getattr(ours, name))
        if place != "Tensor":  # behind a function, sizes and dimensions stand together
            own = re.sub(r"(?<=\(input, )\*(?=\w)", "", own)
        lines.append(f"| `{name}` | {own} | {other} |")
    return "\n".join(lines)


def page() -> str:
    """The whole page."""
    import torch

    version = torch.__version__.split("+")[0]
    intro = (
        "# Names\n\nEach public name of minigrad beside the signature that PyTorch "
        f"{version} documents or declares for it. “—”: minigrad's own.\nMost functions also "
        "take `out=`, and numpy's names `axis` and `keepdims` for `dim` and `keepdim`.\n"
        "Written by `python docs/names.py`; a test keeps it true.\n"
    )
    return intro + "\n" + "\n\n".join(map(table, PLACES)) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
