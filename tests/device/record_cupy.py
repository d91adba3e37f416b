"""Write down anew what cupy has: `python -m tests.device.record_cupy`, where cupy is installed. No GPU is needed.

The stand-in (`stand_in.py`) refuses what cupy would refuse. It knows from `cupy.json`, which this writes: the functions
that numpy's protocol can reach and their arguments, the loops of each ufunc, and the attributes of an array.
"""

import inspect
import json
from pathlib import Path
from types import ModuleType
from typing import Any

FILE = Path(__file__).with_name("cupy.json")

# The modules in which cupy looks for a numpy function: `numpy.linalg.inv` is `cupy.linalg.inv`.
MODULES = ("", "linalg", "lib.stride_tricks")


def arguments(function: Any) -> list[str] | None:
    """The names of a function's arguments; None where nobody can say."""
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return None


def functions(cupy: ModuleType) -> dict[str, list[str] | None]:
    """All functions of cupy's own, by their path in numpy."""
    found: dict[str, list[str] | None] = {}
    for path in MODULES:
        module: Any = cupy
        for name in filter(None, path.split(".")):
            module = getattr(module, name)
        for name in sorted(vars(module)):
            thing = getattr(module, name)
            its_module = str(getattr(thing, "__module__", ""))
            if not name.startswith("_") and callable(thing) and not inspect.isclass(thing) and "cupy" in its_module:
                found[f"{path}.{name}".lstrip(".")] = arguments(thing)
    return found


def ufuncs(cupy: ModuleType) -> dict[str, dict[str, Any]]:
    """All ufuncs: their loops, as "ff->f", and whether `ufunc.at` works."""
    return {
        name: {"loops": list(thing.types), "at": getattr(thing, "_scatter_op", None) is not None}
        for name, thing in sorted(vars(cupy).items())
        if isinstance(thing, cupy.ufunc)
    }


def main() -> None:
    """Write the file, a line for each name, so that a diff can be read."""
    import cupy

    found = {
        "functions": functions(cupy),
        "ufuncs": ufuncs(cupy),
        "array": {name: None for name in dir(cupy.ndarray) if not name.startswith("_") or name.startswith("__")},
    }
    sections = [
        f'"{section}": {{\n' + ",\n".join(f" {json.dumps(k)}: {json.dumps(v)}" for k, v in entries.items()) + "\n}"
        for section, entries in found.items()
    ]
    text = f'{{"version": "{cupy.__version__}",\n' + ",\n".join(sections) + "}\n"
    FILE.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
