"""Do the tests notice? Each engine that is wrong in one place must make them fail: `python -m tests.mutants`.

First the known wrong engines (`wrong_engines.py`), then, with `-n`, so many mutants drawn at random from the files
named (`--files`, of minigrad/): a comparison turned round, a sign, `and` for `or`, a condition negated, a number one
higher, a statement left out. A mutant that no test notices is printed; some of these mean the same as what they
replace, and a reader decides. Each runs the tests in a copy of the project until one fails.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.mutants.wrong_engines import WRONG_ENGINES

ROOT = Path(__file__).parents[2]
#: The heart, where nothing may go unnoticed.
HEART = ("autograd/engine.py", "autograd/accumulate.py", "autograd/saved.py", "autograd/node.py", "autograd/views.py")
#: What a mutant has to get past, the tests that notice most in the shortest time first.
TESTS = (
    "test_recorded.py",
    "test_records.py",
    "test_engine_guarantees.py",
    "test_interrupts.py",
    "test_answers.py",
    "test_anomaly.py",
)

SWAPS: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


def mutants(text: str) -> Iterator[tuple[int, str]]:
    """Each mutant of a module: the line that differs, and the module's text."""
    for number, node in enumerate(ast.walk(ast.parse(text))):
        for change in changes(node):
            tree = ast.parse(text)
            twin = next(other for at, other in enumerate(ast.walk(tree)) if at == number)
            if change(tree, twin):
                yield getattr(node, "lineno", 0), ast.unparse(ast.fix_missing_locations(tree))


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
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not slow", *tests]
    environment = os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        ended = subprocess.run(command, cwd=copy, env=environment, capture_output=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return True
    return ended.returncode != 0


def main() -> int:
    """The command: 1 if a known wrong engine, or a mutant, goes unnoticed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("-n", type=int, default=0, help="mutants to be drawn besides")
    parser.add_argument("--seed", type=int, default=None, help="a fresh one is taken, and printed, if none is given")
    parser.add_argument("--files", nargs="+", default=HEART, help="of minigrad/, from which they are drawn")
    parser.add_argument("--seconds", type=float, default=300, help="for each, at most")
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if options.seed is None else options.seed
    unnoticed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "minigrad"
        ignored = shutil.ignore_patterns(".git", ".venv", "__pycache__", "*.ipynb", "*.png")
        shutil.copytree(ROOT, copy, ignore=ignored)
        tests = [f"tests/core/{name}" for name in TESTS]
        if noticed(copy, tests, options.seconds):
            print("the tests fail without any change")
            return 2
        drawn = [(each.what, each.file, 0, None) for each in WRONG_ENGINES]
        if options.n:
            found = [
                (f"line {line}", file, line, text)
                for file in options.files
                for line, text in mutants((ROOT / "minigrad" / file).read_text(encoding="utf-8"))
            ]
            print(f"seed {seed}, {len(found)} mutants of {', '.join(options.files)}")
            drawn += random.Random(seed).sample(found, min(options.n, len(found)))
        for number, (what, file, _, text) in enumerate(drawn):
            path = copy / "minigrad" / file
            right = path.read_text(encoding="utf-8")
            if text is None:
                wrong = WRONG_ENGINES[number]
                assert right.count(wrong.right) >= 1, f"{what}: {file} has changed"
                text = right.replace(wrong.right, wrong.wrong)
            path.write_text(text, encoding="utf-8")
            seen = noticed(copy, tests, options.seconds)
            path.write_text(right, encoding="utf-8")
            unnoticed += not seen
            print("noticed  " if seen else "UNNOTICED", file, what, flush=True)
            if not seen and number >= len(WRONG_ENGINES):
                known = {*ast.unparse(ast.parse(right)).splitlines()}
                changed = [line for line in text.splitlines() if line not in known]
                print(*(f"          {line.strip()}" for line in changed), sep="\n", flush=True)
    print(f"{len(drawn) - unnoticed} of {len(drawn)} noticed")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
