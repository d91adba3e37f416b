"""Do the tests notice? Each engine that is wrong in one place must make them fail: `python -m tests.mutants`.

First the known wrong engines (`wrong_engines.py`), then, with `-n`, so many mutants drawn at random from the files
named (`--files`, of minigrad/): a comparison turned round, a sign, `and` for `or`, a condition negated, a number one
higher, a statement left out. A mutant that no test notices is printed; some of these mean the same as what they
replace, and a reader decides. Each runs the tests that lead through its line, in a copy of the project, until one
fails; which these are is found out once (with `coverage`, from PyPI). `--finally` tries each `finally` of the files,
and nothing else: its lines run after those of its `try`, and not after an error.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from tests.mutants.wrong_engines import WRONG_ENGINES

ROOT = Path(__file__).parents[2]
#: The heart, where nothing may go unnoticed.
HEART = ("autograd/engine.py", "autograd/accumulate.py", "autograd/saved.py", "autograd/node.py", "autograd/views.py")
#: What a mutant has to get past, the tests that notice most in the shortest time first.
TESTS = (
    "core/test_records.py",
    "core/test_answers.py",
    "core/test_recorded.py",
    "core/test_engine_guarantees.py",
    "core/test_mistakes.py",
    "core/test_interrupts.py",
    "core/test_anomaly.py",
)
#: The shortest tests of a line, at most so many; after these all tests.
AT_MOST = 120

SWAPS: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


def mutants(text: str, only_finally: bool = False) -> Iterator[tuple[int, Callable[[], str]]]:
    """Each mutant of a module: the line that differs, and what writes the module's text."""
    for number, node in enumerate(ast.walk(ast.parse(text))):
        for change in without_finally(node) if only_finally else changes(node):
            yield getattr(node, "lineno", 0), partial(changed, text, number, change)


def changed(text: str, number: int, change: Callable[[ast.AST, ast.AST], bool]) -> str:
    """The text of a module with a change at one of its nodes."""
    tree = ast.parse(text)
    assert change(tree, next(islice(ast.walk(tree), number, None)))
    return ast.unparse(ast.fix_missing_locations(tree))


def changes(node: ast.AST) -> Iterator:
    """What can be done to a node: functions of the tree and of the node in it, which say whether anything was done."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        yield lambda _, twin: twin.ops.__setitem__(0, SWAPS[type(twin.ops[0])]()) is None
    if isinstance(node, ast.BinOp | ast.AugAssign | ast.BoolOp) and type(node.op) in SWAPS:
        yield lambda _, twin: setattr(twin, "op", SWAPS[type(twin.op)]()) is None
    if isinstance(node, ast.If | ast.While | ast.IfExp) and not isinstance(node.test, ast.Constant):
        yield lambda _, twin: setattr(twin, "test", ast.UnaryOp(ast.Not(), twin.test)) is None
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield lambda _, twin: setattr(twin, "value", twin.value + 1) is None
    if isinstance(node, ast.AugAssign | ast.Continue | ast.Raise) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ):
        yield left_out


def without_finally(node: ast.AST) -> Iterator:
    """What stands in a `finally` runs after what stands in its `try`, if that has gone well."""
    if isinstance(node, ast.Try) and node.finalbody:

        def change(tree: ast.AST, twin: ast.AST) -> bool:
            twin.orelse += twin.finalbody
            twin.finalbody = []
            twin.handlers = twin.handlers or [ast.parse("try: 0\nexcept RuntimeWarning: raise").body[0].handlers[0]]
            return True

        yield change


def left_out(tree: ast.AST, gone: ast.AST) -> bool:
    """Put `pass` in the place of a statement."""
    for parent in ast.walk(tree):
        for _, body in ast.iter_fields(parent):
            if isinstance(body, list) and gone in body:
                body[body.index(gone)] = ast.Pass()
                return True
    return False


def noticed(copy: Path, tests: list[str], seconds: float) -> bool:
    """Whether a test fails in the copy of the project; one that does not end has noticed, too."""
    try:
        return run(copy, ["-x", *tests], timeout=seconds).returncode != 0
    except subprocess.TimeoutExpired:
        return True


def run(copy: Path, arguments: list[str], timeout: float | None = None, **environment: str) -> Any:
    """pytest in the copy."""
    environment |= {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", *arguments]
    return subprocess.run(command, cwd=copy, env=os.environ | environment, capture_output=True, timeout=timeout)


def covering(copy: Path, tests: list[str]) -> dict[str, dict[str, list[str]]]:
    """The tests that run each line of each file; and whether they pass is seen here, too."""
    found = copy.parent / "lines.json"
    ended = run(copy, ["-p", "tests.mutants.lines", *tests], LINES=str(found))
    if ended.returncode:
        sys.exit("the tests fail without any change:\n" + ended.stdout.decode()[-2000:])
    return json.loads(found.read_text(encoding="utf-8"))


def main() -> int:
    """The command: 1 if a known wrong engine, or a mutant, goes unnoticed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("-n", type=int, default=0, help="mutants to be drawn besides")
    parser.add_argument("--seed", type=int, default=None, help="a fresh one is taken, and printed, if none is given")
    parser.add_argument("--files", nargs="+", default=HEART, help="of minigrad/, from which they are drawn")
    parser.add_argument("--finally", dest="finally_", action="store_true", help="each `finally` of the files")
    parser.add_argument("--package", default="minigrad", help="or viz")
    parser.add_argument("--tests", nargs="+", default=TESTS, help="of tests/, which must notice")
    parser.add_argument("--known", action=argparse.BooleanOptionalAction, default=True, help="the known wrong engines")
    parser.add_argument("--seconds", type=float, default=300, help="for each, at most")
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if options.seed is None else options.seed
    unnoticed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "minigrad"
        ignored = shutil.ignore_patterns(".git", ".venv", "__pycache__", "*.ipynb", "*.png")
        shutil.copytree(ROOT, copy, ignore=ignored)
        tests = [f"tests/{name}" for name in options.tests]
        lines = covering(copy, tests)
        known = WRONG_ENGINES if options.known else []
        drawn: list[tuple[str, str, int, Any]] = [(each.what, each.file, 0, None) for each in known]
        if options.n or options.finally_:
            found = [
                (f"line {line}", file, line, write)
                for file in options.files
                for line, write in mutants(
                    (ROOT / options.package / file).read_text(encoding="utf-8"), options.finally_
                )
            ]
            print(f"seed {seed}, {len(found)} mutants of {', '.join(options.files)}")
            drawn += found if options.finally_ else random.Random(seed).sample(found, min(options.n, len(found)))
        for number, (what, file, line, write) in enumerate(drawn):
            path = copy / options.package / file
            these = lines.get(f"{options.package}/{file}", {})
            right = path.read_text(encoding="utf-8")
            if write is None:
                wrong = known[number]
                assert right.count(wrong.right) >= 1, f"{what}: {file} has changed"
                text = right.replace(wrong.right, wrong.wrong)
                before = right[: right.index(wrong.right)].count("\n") + 1
                within = range(before, before + wrong.right.count("\n") + 1)
                found = [test for at in within for test in these.get(str(at), [])]
            else:
                text = write()
                # A line within an expression may not be told apart from the one that it begins with.
                found = next((these[str(at)] for at in range(line, max(line - 8, 0), -1) if str(at) in these), [])
            found = list(dict.fromkeys(found))[: None if options.finally_ else AT_MOST]
            path.write_text(text, encoding="utf-8")
            seen = bool(found and noticed(copy, found, options.seconds)) or noticed(copy, tests, options.seconds)
            path.write_text(right, encoding="utf-8")
            unnoticed += not seen
            print("noticed  " if seen else "UNNOTICED", file, what, flush=True)
            if not seen and number >= len(known):
                old = {*ast.unparse(ast.parse(right)).splitlines()}
                changed = [line for line in text.splitlines() if line not in old]
                print(*(f"          {line.strip()}" for line in changed), sep="\n", flush=True)
    print(f"{len(drawn) - unnoticed} of {len(drawn)} noticed")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
