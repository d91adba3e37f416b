"""How large minigrad is and how dense: `python -m tests.shape`, after the size table of tinygrad.

For each file: its lines as they stand (data files too; type stubs that docs/stubs.py writes are not counted), its lines
that hold code, and tokens per line of code. The last is a guard against golf: fewer lines with more on each of them
would be no gain. Then the budgets, and whether each is met.

With `--run` also how much of it is there for learners: of the lines inside functions, those that the lessons, the notes
and the seed programs run (about two minutes).
"""

from __future__ import annotations

import json
import sys
import tempfile
import token
import tokenize
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "minigrad"

#: What stands in `autograd/` beside the heart: tools that use it.
TOOLS = {"anomaly.py", "functional.py", "gradcheck.py", "graph.py"}
#: What a learner reads first, in the order of `autograd/__init__.py`, behind its variable.py.
FIRST_SITTING = ("node.py", "engine.py", "accumulate.py", "saved.py")
#: What was there when the budget was made: no file may be saved by putting more on a line.
TOKENS_A_LINE = 9.9

_NOT_CODE = {token.COMMENT, token.NL, token.NEWLINE, token.INDENT, token.DEDENT, token.ENCODING, token.ENDMARKER}


class Size(NamedTuple):
    """Of one file: all lines, lines of code, tokens."""

    lines: int
    code: int
    tokens: int

    @property
    def density(self) -> float:
        """Tokens on a line of code."""
        return self.tokens / self.code if self.code else 0.0


def size(path: Path) -> Size:
    """What a file measures. Docstrings and comments are lines, but no code."""
    lines = len(path.read_text(encoding="utf-8").splitlines())
    if path.suffix != ".py":
        return Size(lines, 0, 0)
    with tokenize.open(path) as file:
        found = [t for t in tokenize.generate_tokens(file.readline) if t.type not in _NOT_CODE]
    # A string that is a whole statement is a docstring.
    found = [t for t in found if not (t.type == token.STRING and t.line.lstrip().startswith(('"""', 'r"""')))]
    return Size(lines, len({line for t in found for line in range(t.start[0], t.end[0] + 1)}), len(found))


def sizes() -> dict[str, Size]:
    """Every file of minigrad by its path, code and data."""
    paths = [path for path in sorted(PACKAGE.rglob("*")) if path.suffix in {".py", ".txt"}]
    return {path.relative_to(PACKAGE).as_posix(): size(path) for path in paths}


def budgets(measured: dict[str, Size]) -> dict[str, tuple[float, float]]:
    """What is counted, with what it measures and what it may."""
    lines = {path: one.lines for path, one in measured.items()}
    heart = {p: n for p, n in lines.items() if p.startswith("autograd/") and p.split("/")[1] not in TOOLS}
    code, tokens = (sum(getattr(one, what) for one in measured.values()) for what in ("code", "tokens"))
    return {
        "minigrad/, lines": (sum(lines.values()), 15_000),
        "the heart and tensor.py, lines": (sum(heart.values()) + lines["tensor.py"], 2_000),
        "the first sitting, lines": (sum(lines.get(f"autograd/{name}", 0) for name in FIRST_SITTING), 500),
        "autograd/engine.py, lines": (lines["autograd/engine.py"], 120),
        "tokens on a line of code": (round(tokens / code, 2), TOKENS_A_LINE),
    }


# -- what is run -----------------------------------------------------------------------------------------------------

Line = tuple[str, int]

#: Set going in a lesson's kernel before its first cell, and written down after its last.
_START, _STOP = "from tests import shape\nlines = shape.Lines()\nlines.start()", "lines.write({!r})"


class Lines:
    """The lines of minigrad that run, those of a function's body only."""

    def __init__(self) -> None:
        self.met: set[Line] = set()

    def start(self) -> None:
        sys.settrace(self._call)

    def write(self, path: str) -> None:
        sys.settrace(None)
        Path(path).write_text(json.dumps(sorted(self.met)), encoding="utf-8")

    def _call(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(str(PACKAGE)):
            return None
        met, file = self.met, frame.f_code.co_filename

        def line(frame: FrameType, event: str, argument: Any) -> Any:
            if event == "line":
                met.add((file, frame.f_lineno))
            return line

        return line


def _functions(code: CodeType) -> Iterator[CodeType]:
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            if inner.co_flags & 0x02:  # CO_NEWLOCALS: a function, not the body of a class
                yield inner
            yield from _functions(inner)


def inside_functions() -> set[Line]:
    """All lines that a debugger can stop at in a function."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for code in _functions(compile(path.read_text(encoding="utf-8"), str(path), "exec")):
            found |= {(str(path), line) for *_, line in code.co_lines() if line and line != code.co_firstlineno}
    return found


def learners_lines() -> set[Line]:
    """Those that the lessons, the notes and the seed programs run."""
    import minigrad
    from minigrad_lessons import source
    from minigrad_lessons.build import execute
    from tests.reference import programs

    lines = Lines()
    for kind in ("note", "seed"):
        lines.start()
        programs.answers(programs.load(programs.FOLDER / f"{kind}-cases.json"), minigrad)
        sys.settrace(None)
    met = set(lines.met)
    with tempfile.TemporaryDirectory() as folder:
        for name in source.names():
            path = Path(folder, name)
            cells = source.read(name).code
            execute([source.Code(_START), *cells, source.Code(_STOP.format(str(path)))], name=name)
            met |= {(file, line) for file, line in json.loads(path.read_text(encoding="utf-8"))}
    return met


def main() -> None:
    """Print the table, folders with their sums, and the budgets."""
    measured = sizes()
    folder = None
    for path, one in sorted(measured.items(), key=lambda item: (item[0].count("/") == 0, item[0])):
        if path.rpartition("/")[0] != folder:
            folder = path.rpartition("/")[0]
            inside = [s for p, s in measured.items() if p.rpartition("/")[0] == folder]
            print(f"\n{folder or '.'}/: {len(inside)} files, {sum(s.lines for s in inside):,} lines")
        print(f"  {path:32} {one.lines:6,} lines {one.code:6,} of code {one.density:6.1f} tokens each")
    print()
    for what, (found, allowed) in budgets(measured).items():
        print(f"{what:34} {found:>10,}   at most {allowed:>7,}   {'met' if found <= allowed else 'NOT MET'}")
    if "--run" in sys.argv:
        lines = inside_functions()
        share = len(learners_lines() & lines) / len(lines)
        met = "met" if share >= 0.45 else "NOT MET"
        print(f"{'run by lessons, notes and seeds':34} {share:>10.0%}   at least {0.45:>6.0%}   {met}")


if __name__ == "__main__":
    sys.exit(main())
