"""Do the tests notice? Each engine that is wrong in one place must make them fail: `python -m tests.mutants`.

First the known wrong engines (`wrong_engines.py`), then, with `-n`, so many mutants drawn at random from each of
`--files`: a comparison turned round, a sign, `and` for `or`, a condition negated, a number one higher, a statement left
out. A mutant that no test notices is printed; some of these mean the same as what they replace: a reader decides, and
writes them into `equivalent.txt`, with the reason. `--finally` tries each `finally` of the files, and nothing else: its
lines run after those of its `try`, and not after an error.

Nothing is written: the tests are collected once; for each mutant a forked process puts its code into the functions that
are there, and runs the tests that lead through the line, the shortest of each file first, until one fails. What runs
only while modules are imported is put in place at the import, in a process of its own. Which tests these are is found
out at the beginning (with `coverage`, from PyPI), and with `--lines FILE` kept for another time. A test that fails
has noticed nothing if it fails without the mutant, too, after the same tests: so each is tried both ways.
"""

from __future__ import annotations

import argparse
import ast
import gc
import importlib.machinery
import inspect
import json
import mmap
import os
import random
import resource
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice, zip_longest
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import coverage
import pytest
from _pytest.runner import runtestprotocol

from tests.mutants.wrong_engines import WRONG_ENGINES

ROOT = Path(__file__).parents[2]
#: The heart, where nothing may go unnoticed.
HEART = tuple(f"minigrad/autograd/{name}.py" for name in ("engine", "accumulate", "saved", "node", "views"))
#: What means the same: "file: why it does", then the lines that are gone, with a "-", and those instead, with a "+".
EQUIVALENT = Path(__file__).with_name("equivalent.txt").read_text(encoding="utf-8").split("\n\n")
#: Of the tests that lead through a line, so many at most must let a mutant pass.
AT_MOST = 200
#: How many tests the forked process has begun.
BEGUN = memoryview(mmap.mmap(-1, 8)).cast("q")

SWAPS: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


class Mutant(NamedTuple):
    """What is changed, in which file, at which lines; and the file's code with the change."""

    what: str
    file: str
    lines: Iterable[int]
    code: Callable[[], CodeType]


def mutants(file: str, only_finally: bool = False) -> Iterator[Mutant]:
    """Each mutant of a file."""
    text = (ROOT / file).read_text(encoding="utf-8")
    for number, node in enumerate(ast.walk(ast.parse(text))):
        for change in without_finally(node) if only_finally else changes(node):
            line = getattr(node, "lineno", 0)
            # A line within an expression may not be told apart from the one that it begins with.
            yield Mutant(
                f"line {line}", file, range(line, max(line - 8, 0), -1), partial(changed, file, text, number, change)
            )


def changed(file: str, text: str, number: int, change: Callable[[ast.AST, ast.AST], bool]) -> CodeType:
    """The code of a file with a change at one of its nodes."""
    tree = ast.parse(text)
    assert change(tree, next(islice(ast.walk(tree), number, None)))
    return compile(ast.fix_missing_locations(tree), ROOT / file, "exec", dont_inherit=True)


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
                body[body.index(gone)] = ast.copy_location(ast.Pass(), gone)
                return True
    return False


def known() -> Iterator[Mutant]:
    """The wrong engines."""
    for wrong in WRONG_ENGINES:
        file = f"minigrad/{wrong.file}"
        text = (ROOT / file).read_text(encoding="utf-8")
        assert wrong.right in text, f"{wrong.what}: {file} has changed"
        first = text[: text.index(wrong.right)].count("\n") + 1
        code = partial(compile, text.replace(wrong.right, wrong.wrong), ROOT / file, "exec", dont_inherit=True)
        yield Mutant(wrong.what, file, range(first, first + wrong.right.count("\n") + 1), code)


# ---------------------------------------------------------------------------------------------------------------------
# Wrong code in the place of the right one


def inside(code: CodeType) -> Iterator[CodeType]:
    """A code and all that is defined in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from inside(constant)


def text_of(code: CodeType) -> tuple:
    """What a code does, but for what is defined in it."""
    return code.co_code, [c for c in code.co_consts if not isinstance(c, CodeType)], code.co_names


def place(code: CodeType) -> tuple:
    return code.co_qualname, tuple(code.co_positions())


def swapped(mutant: Mutant) -> list[tuple[FunctionType, CodeType]] | None:
    """The functions there are that must run other code, or None if the module is to be run anew."""
    right = compile((ROOT / mutant.file).read_text(encoding="utf-8"), ROOT / mutant.file, "exec", dont_inherit=True)
    both = [list(inside(code)) for code in (right, mutant.code())]
    if len(both[0]) != len(both[1]):
        return None
    pairs = list(zip(*both))
    if any(text_of(old) != text_of(new) and not old.co_flags & inspect.CO_OPTIMIZED for old, new in pairs):
        return None
    wanted = {place(old): new for old, new in pairs if old != new}
    there = [f for f in gc.get_objects() if type(f) is FunctionType and f.__code__.co_filename == right.co_filename]
    found = [(f, wanted[place(f.__code__)]) for f in there if place(f.__code__) in wanted]
    return found if all(old.co_freevars == new.co_freevars for old, new in pairs) else None


def at_import(mutant: Mutant) -> None:
    """From here on, whoever imports the file gets the mutant."""
    loader, code, path = importlib.machinery.SourceFileLoader, mutant.code(), str(ROOT / mutant.file)
    right = loader.get_code
    loader.get_code = lambda self, name: code if self.path == path else right(self, name)


def noticed(run: Callable[[bool, int], bool], seconds: float) -> bool:
    """Whether a test fails with a mutant, and those up to it pass without."""
    if not ended(partial(run, True, sys.maxsize), seconds):
        return False
    return not ended(partial(run, False, BEGUN[0]), seconds)


def ended(run: Callable[[], bool], seconds: float) -> bool:
    """Whether a test fails in a process of its own; one that does not end has noticed, too."""
    BEGUN[0] = 0
    pid = os.fork()
    if not pid:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
        resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))
        status = True
        try:
            status = run()
        finally:
            os._exit(status)
    end = time.monotonic() + 8 * seconds
    while time.monotonic() < end:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return status != 0
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return True


# ---------------------------------------------------------------------------------------------------------------------
# The tests


def fails(items: list[Any]) -> bool:
    """Whether one of these tests fails."""
    for item, following in zip(items, [*items[1:], None]):
        BEGUN[0] += 1
        if any(report.failed for report in runtestprotocol(item, log=False, nextitem=following)):
            return True
    return False


def covering(items: list[Any], measured: coverage.Coverage) -> dict[str, Any]:
    """Of each line of each file the tests that run it, the shortest of each file of tests first."""
    took: dict[str, float] = {}
    tracer = sys.gettrace()
    for number, item in enumerate(items):
        measured.switch_context(str(number))
        began = time.perf_counter()
        if not fails([item]):
            took[str(number)] = time.perf_counter() - began
        if sys.gettrace() is not tracer:  # some tests trace, too
            measured.stop()
            measured.start()
    measured.switch_context("")
    measured.stop()
    found: dict[str, Any] = {"unusable": [item.nodeid for n, item in enumerate(items) if str(n) not in took]}
    data = measured.get_data()
    for path in data.measured_files():
        of_file = found[str(Path(path).relative_to(ROOT))] = {}
        for line, contexts in data.contexts_by_lineno(path).items():
            rank: Counter[Any] = Counter()
            order = []
            for test in sorted({*contexts} & {*took}, key=took.__getitem__):
                rank[items[int(test)].path] += 1
                order.append((took[test] > 0.5, rank[items[int(test)].path], took[test], items[int(test)].nodeid))
            of_file[line] = ["" in contexts, [order[-1] for order in sorted(order)[:AT_MOST]]]
    return found


class UpTo:
    """The plugin of pytest that counts the tests, and runs so many at most."""

    def __init__(self, most: int) -> None:
        self.most = most

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        del items[self.most :]

    def pytest_runtest_logstart(self) -> None:
        BEGUN[0] += 1


class Trial:
    """The plugin of pytest that runs the tests once for each mutant, instead of once."""

    def __init__(self, drawn: list[Mutant], options: argparse.Namespace) -> None:
        self.drawn, self.options = drawn, options
        self.later: list[tuple[int, list[str]]] = []
        self.tally: dict[str, Counter[str]] = defaultdict(Counter)
        self.out = os.fdopen(os.dup(1), "w")
        self.measured = coverage.Coverage(data_file=None, source=["minigrad", "viz"])
        self.kept, self.left = Path(options.lines), Path(f"{options.lines}.left")
        if not self.kept.exists():
            self.measured.start()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """All that there is to do."""
        if not self.kept.exists():

            def cover() -> bool:
                self.kept.write_text(json.dumps(covering(session.items, self.measured)), encoding="utf-8")
                return False

            ended(cover, 3600)
            self.measured.stop()
        lines = json.loads(self.kept.read_text(encoding="utf-8"))
        print(f"{len(session.items)} tests, of which not used: {lines['unusable']}", file=self.out, flush=True)
        items = {item.nodeid: item for item in session.items}
        for number, mutant in enumerate(self.drawn):
            known_lines = lines.get(mutant.file, {})
            ran = [known_lines[str(line)] for line in mutant.lines if str(line) in known_lines]
            if mutant.what.startswith("line"):
                ran = ran[:1]
            tests = list(dict.fromkeys(test for _, tests in ran for test in tests if test in items))
            # Those that lead through the file: of each line the first, then of each the second, and so on.
            each = zip_longest(*(those for _, those in known_lines.values()))
            of_file = [test for test in dict.fromkeys(chain.from_iterable(each)) if test in items]
            if len(tests) >= AT_MOST:  # if these let it pass
                tests = list(dict.fromkeys([*tests, *of_file]))
            new = swapped(mutant)
            if not new or not tests:
                if not new or any(at for at, _ in ran):  # it runs while modules are imported
                    tests = tests or of_file
                self.later.append((number, tests[:AT_MOST]))
                continue

            def run(wrong: bool, up_to: int, new: Any = new, tests: list[str] = tests) -> bool:
                for function, code in new if wrong else ():
                    function.__code__ = code
                return fails([items[test] for test in tests[:up_to]])

            seen = noticed(run, self.options.seconds)
            if not seen and any(at for at, _ in ran):  # it has run while modules were imported, too
                self.later.append((number, [*dict.fromkeys([*tests, *of_file])][:AT_MOST]))
                continue
            self.say(mutant, seen, len(tests))
        self.left.write_text(json.dumps([self.tally, self.later]), encoding="utf-8")
        return True

    def say(self, mutant: Mutant, seen: bool, tests: int) -> None:
        """Count a mutant, and print it if no test notices it."""
        changed = difference(mutant)
        found = "noticed" if seen else "the same" if means_the_same(mutant.file, changed) else "UNNOTICED"
        self.tally[str(Path(mutant.file).parent)][found] += 1
        text = "" if seen else f" ({tests} tests)\n{changed}"
        print(f"{found:9}", mutant.file, mutant.what + text, file=self.out, flush=True)


def difference(mutant: Mutant) -> str:
    """What the mutant has written otherwise."""
    if not isinstance(mutant.code, partial) or mutant.code.func is not changed:
        return ""
    _, text, number, change = mutant.code.args
    tree = ast.parse(text)
    change(tree, next(islice(ast.walk(tree), number, None)))
    old, new = (ast.unparse(one).splitlines() for one in (ast.parse(text), ast.fix_missing_locations(tree)))
    return "\n".join(
        f"          {sign} {line.strip()}"
        for sign, a, b in (("-", old, new), ("+", new, old))
        for line in a
        if a.count(line) > b.count(line)
    )


def means_the_same(file: str, changed: str) -> bool:
    """Whether a reader has found that a mutant means the same."""
    lines = [line.strip() for line in changed.splitlines()]
    return any(
        case.startswith(f"{file}: ") and [line for line in case.splitlines() if line[0] in "+-"] == lines
        for case in EQUIVALENT
    )


def main() -> int:
    """The command: 1 if a known wrong engine, or a mutant, goes unnoticed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("-n", type=int, default=0, help="mutants to be drawn besides, of each file")
    parser.add_argument("--seed", type=int, default=None, help="a fresh one is taken, and printed, if none is given")
    parser.add_argument("--files", nargs="+", default=HEART, help="from which they are drawn")
    parser.add_argument("--finally", dest="finally_", action="store_true", help="each `finally` of the files")
    parser.add_argument("--tests", nargs="+", default=["tests/core"], help="which must notice")
    parser.add_argument("--known", action=argparse.BooleanOptionalAction, default=True, help="the known wrong engines")
    parser.add_argument("--seconds", type=float, default=60, help="of computing for each, at most")
    parser.add_argument("--lines", default=f"/tmp/lines-{os.getpid()}.json", help="where to keep who runs which line")
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if options.seed is None else options.seed
    drawn = list(known()) if options.known else []
    for file in options.files if options.n or options.finally_ else []:
        found = list(mutants(file, options.finally_))
        chosen = random.Random(f"{seed} {file}").sample(found, min(options.n or len(found), len(found)))
        print(f"seed {seed}: {len(chosen)} of {len(found)} mutants of {file}", flush=True)
        drawn += sorted(chosen, key=lambda mutant: mutant.what)
    arguments = ["-q", "-p", "no:cacheprovider", "-m", "not slow and not browser"]
    trial = Trial(drawn, options)
    # What is left for later must find a process that has imported nothing yet.
    ended(lambda: bool(pytest.main([*arguments, *options.tests], plugins=[trial])), 1e5)
    tally, later = json.loads(trial.left.read_text(encoding="utf-8"))
    for number, tests in later:

        def run(wrong: bool, up_to: int, mutant: Mutant = drawn[number], tests: list[str] = tests) -> bool:
            if wrong:
                at_import(mutant)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            return pytest.main([*arguments, "-x", *tests], plugins=[UpTo(up_to)]) not in (0, 5)  # 5: there are none

        trial.say(drawn[number], bool(tests) and noticed(run, options.seconds), len(tests))
    tally = {name: Counter(tally.get(name, {})) + trial.tally[name] for name in {*tally, *trial.tally}}
    for name, counts in sorted(tally.items()):
        same = counts["the same"]
        print(f"{name}: {counts['noticed']} of {counts.total() - same} noticed, and {same} that mean the same")
    return int(any(counts["UNNOTICED"] for counts in tally.values()))


if __name__ == "__main__":
    sys.exit(main())
