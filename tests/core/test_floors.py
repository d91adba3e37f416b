"""Which file may import which: a file uses what stands below it or beside it, never what stands above, and never in a
circle. Imports inside functions count as others do; those for a type checker alone do not.

`python -m tests.core.test_floors` prints what climbs today, in the form of `KNOWN` and `CIRCLES`. These lists may only
become shorter, and an entry that no longer holds must go.
"""

import ast
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]

#: The house from the ground up. A folder stands for all files in it but those that are named elsewhere.
FLOORS = (
    "cures hints refusals options size dtypes devices box_muller memory",
    "autograd",
    "ops table",
    "creation random printing words functions ops.array_protocol",
    "tensor linalg cuda backends autograd.functional func",
    "nn files",
    "optim utils",
    "",  # minigrad itself
    "__main__",
)

#: Loaded by name, when first asked for: whole modules by their package's `__getattr__`, and what need not be installed.
LATER = {"cupy", "cupyx", "IPython"}

#: Who climbs today, and to what.
KNOWN: set[tuple[str, str]] = set()

#: Files that import each other today, by way of one another.
CIRCLES: set[frozenset[str]] = set()


@cache
def files(package: str) -> dict[str, Path]:
    """The modules of a package, `ops.shape` for minigrad/ops/shape.py; the package itself is the empty name."""
    found = {}
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT / package).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def statements(path: Path) -> list[ast.Import | ast.ImportFrom]:
    """All imports of a file, those inside functions too, but not those under `if TYPE_CHECKING:`."""
    found, waiting = [], [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append(node)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting += node.orelse
        else:
            waiting += ast.iter_child_nodes(node)
    return found


@cache
def imported(module: str) -> frozenset[str]:
    """What a module of minigrad imports of minigrad."""
    package, known = "minigrad", files("minigrad")
    home = module if known[module].name == "__init__.py" else module.rpartition(".")[0]
    found = set()
    for statement in statements(known[module]):
        if isinstance(statement, ast.Import):
            full = [alias.name for alias in statement.names]
        else:
            above = home.split(".") if home else []
            start = ".".join([package, *above[: len(above) + 1 - statement.level]]) if statement.level else ""
            base = ".".join(filter(None, [start, statement.module or ""]))
            full = [f"{base}.{alias.name}" for alias in statement.names]
        for name in full:
            parts = name.split(".")
            if parts[0] != package:
                continue
            own = ".".join(parts[1:])
            found.add(own if own in known else own.rpartition(".")[0])
    return frozenset(found - {module})


@cache
def floor(module: str) -> int:
    """On which floor a module stands: as it is named itself, or else its folder."""
    named = {name: height for height, names in enumerate(FLOORS) for name in names.split() or [""]}
    name = module
    while name not in named:
        name, _, _ = name.rpartition(".")
        assert name, f"say in FLOORS where minigrad/{module} stands"
    return named[name]


@cache
def climbing() -> set[tuple[str, str]]:
    """Who imports what stands above."""
    return {
        (module, other) for module in files("minigrad") for other in imported(module) if floor(other) > floor(module)
    }


@cache
def circles() -> set[frozenset[str]]:
    """The largest sets of files of which each leads to each other one."""
    reach: dict[str, set[str]] = {}
    for module in files("minigrad"):
        seen, waiting = set(), [module]
        while waiting:
            for other in imported(waiting.pop()) - seen:
                seen.add(other)
                waiting.append(other)
        reach[module] = seen
    return {
        frozenset(other for other in reach[module] if module in reach[other])
        for module in reach
        if module in reach[module]
    }


def test_nobody_climbs() -> None:
    assert sorted(climbing() - KNOWN) == [], "these import what stands above them"
    assert sorted(KNOWN - climbing()) == [], "these no longer climb: take them out of KNOWN"


def test_no_circles() -> None:
    assert sorted(map(sorted, circles() - CIRCLES)) == [], "these import each other: see the floors"
    assert sorted(map(sorted, CIRCLES - circles())) == [], "these circles are open: take them out of CIRCLES"


def packages_used(folder: Path) -> set[str]:
    """The packages that the files of a folder import."""
    found = set()
    for path in folder.rglob("*.py"):
        for statement in statements(path):
            names = [a.name for a in statement.names] if isinstance(statement, ast.Import) else [statement.module or ""]
            if isinstance(statement, ast.Import) or not statement.level:
                found |= {name.partition(".")[0] for name in names}
    return found


def test_the_houses_stand_apart() -> None:
    """The picture knows no library, the library no picture; and nobody needs the lessons."""
    assert not packages_used(ROOT / "viz") & {"minigrad", "torch", "minigrad_lessons", "tests"}
    assert not packages_used(ROOT / "minigrad") & {"viz", "torch", "minigrad_lessons", "tests"}


def test_numpy_is_all_that_is_needed() -> None:
    assert packages_used(ROOT / "minigrad") - set(sys.stdlib_module_names) - LATER == {"numpy"}


if __name__ == "__main__":
    print("KNOWN:", *(f"    {pair}," for pair in sorted(climbing())), sep="\n")
    print("CIRCLES:", *(f"    frozenset({sorted(circle)})," for circle in circles()), sep="\n")
