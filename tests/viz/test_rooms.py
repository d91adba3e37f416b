"""The floors of viz: a graph knows nothing of its picture, a picture nothing of the notebook it stands in."""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import viz

HOME = Path(viz.__file__).parent
UPSTAIRS = {"": ("model", "picture", "notebook"), "model": ("picture", "notebook"), "picture": ("notebook",)}
LIBRARIES = {"torch", "minigrad", "numpy", "minigrad_lessons"}


def imports(path: Path) -> Iterator[str]:
    """The modules that a file imports, by their full names; those inside functions and TYPE_CHECKING too."""
    package = ("viz", *path.relative_to(HOME).parent.parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join((*above, *filter(None, [node.module])))
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("room", UPSTAIRS)
def test_no_room_looks_upstairs(room):
    """What all rooms share, at the top, uses no room at all; only `viz` itself puts them together."""
    files = [path for path in (HOME / room).glob("*.py") if path != HOME / "__init__.py"]
    assert files
    for path in files:
        met = {name.split(".")[1] for name in imports(path) if name.startswith("viz.")}
        assert met.isdisjoint(UPSTAIRS[room]), path


def test_no_two_files_need_each_other():
    """Who reads one file has to go down alone, never up again; what only a type checker imports counts, too."""
    files = {".".join(("viz", *path.relative_to(HOME).with_suffix("").parts)): path for path in HOME.rglob("*.py")}
    needs = {name: {other for other in imports(path) if other in files} for name, path in files.items()}
    in_order = list(TopologicalSorter(needs).static_order())  # raises CycleError, which names the circle
    assert in_order.index("viz.model.graph") < in_order.index("viz.notebook.follow")


def test_no_tensor_library_is_named():
    for path in HOME.rglob("*.py"):
        assert {name.partition(".")[0] for name in imports(path)}.isdisjoint(LIBRARIES), path
