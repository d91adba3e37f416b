"""PyTorch's own examples, run under two libraries: programs that minigrad's authors did not choose.

The lines behind `>>>` in the docstrings of the installed PyTorch are read where they stand, so none of its text is kept
here. `python -m tests.reference.docstrings` prints each difference; a name behind it chooses one docstring.
"""

import ast
import contextlib
import functools
import importlib
import inspect
import math
import os
import re
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from .programs import Answer, every_warning, imported_as_torch, run

# Where learners look for names; of a class its methods are read, too.
PLACES = [
    "", "Tensor", "autograd", "autograd.functional", "autograd.graph", "autograd.function", "autograd.forward_ad",
    "linalg", "nn", "nn.functional", "nn.init", "nn.utils", "nn.parameter", "optim", "optim.lr_scheduler", "random",
    "func", "utils.data", "utils.checkpoint",
]  # fmt: skip

# What PyTorch's examples take for granted: imports, and in those about training a model and its data.
GRANTED = """
import io, itertools, math
from collections import namedtuple
import numpy, numpy as np
from numpy import array
import torch
from torch import Tensor, autograd, linalg, nn, optim
import torch.nn.functional as F
from torch.autograd import Function
from torch.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp
from torch.optim.lr_scheduler import *
from torch.utils.data import default_collate, random_split

model = nn.Linear(3, 2)
input, target = torch.tensor([[1.0, -2.0, 0.5]]), torch.tensor([[1.0, 0.0]])
loss_fn = nn.MSELoss()
optimizer = optim.SGD(model.parameters(), lr=0.05)
weights = [torch.tensor([1.0, 2.0])]

def train(*_):
    optimizer.zero_grad()
    loss_fn(model(input), target).backward()
    optimizer.step()
    print(optimizer.param_groups[0]["lr"])

def validate(*_):
    return loss_fn(model(input), target).item()
"""


@dataclass
class Statement:
    """One statement of an example, what it assigns and what it reads."""

    code: str
    tree: ast.stmt
    writes: set[str] = field(init=False)
    reads: set[str] = field(init=False)

    def __post_init__(self) -> None:
        names = [node for node in ast.walk(self.tree) if isinstance(node, ast.Name)]
        inner = [n.name for n in ast.walk(self.tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)]
        self.writes = {node.id for node in names if isinstance(node.ctx, ast.Store)} | set(inner)
        self.reads = {node.id for node in names if isinstance(node.ctx, ast.Load)}


@dataclass
class Outcome:
    """What one statement said under both libraries, and how that compares."""

    number: int
    code: str
    verdict: str  # equal, different, "no …" for a name that minigrad does not have, or what it was skipped for
    given: str = ""
    expected: str = ""

    @property
    def compared(self) -> bool:
        """Whether both libraries ran the statement."""
        return self.verdict in ("equal", "different")


@functools.cache
def names() -> dict[str, str]:
    """Full names of whatever minigrad has and PyTorch explains with an example, each with the docstring; each once."""
    found: dict[str, str] = {}
    for place in PLACES:
        try:
            ours, theirs = at("minigrad", place), at("torch", place)
        except (ImportError, AttributeError):
            continue
        members(".".join(filter(None, ("torch", place))), ours, theirs, found)
    once = {text: name for name, text in reversed(found.items())}
    return {name: text for name, text in found.items() if once[text] == name}


def members(prefix: str, ours: Any, theirs: Any, found: dict[str, str]) -> None:
    """Add to `found` the members of a module or class that both libraries have, and those of its classes."""
    for name in sorted(set(dir(ours)) & set(dir(theirs))):
        if name.startswith("_"):
            continue
        mine, value = getattr(ours, name), getattr(theirs, name)
        if inspect.ismodule(value) or inspect.ismodule(mine):
            continue
        text = inspect.getdoc(value) or ""
        if ">>>" in text and text != inspect.getdoc(type(value)):
            found[f"{prefix}.{name}"] = text
        if inspect.isclass(value) and inspect.isclass(mine) and not prefix.endswith("Tensor"):
            members(f"{prefix}.{name}", mine, value, found)


def at(library: str, place: str) -> Any:
    """The module or class that `place` names in a library."""
    try:
        return importlib.import_module(f"{library}.{place}".rstrip("."))
    except ModuleNotFoundError:
        return getattr(importlib.import_module(library), place)


def statements(docstring: str) -> list[Statement]:
    """The example's statements: of the whole where that is Python, else of each group of lines that is.

    PyTorch writes the second line of a loop behind `>>>` as well as behind `...`.
    """
    groups: list[list[str]] = [[]]
    for line in docstring.expandtabs().split("\n"):
        if match := re.match(r"\s*(?:>>>|\.\.\.) ?(.*)", line):
            groups[-1].append(match[1])
        elif groups[-1]:
            groups.append([])
    whole = parsed("\n".join("\n".join(group) for group in groups))
    return whole if whole is not None else [s for group in groups for s in parsed("\n".join(group)) or []]


def parsed(source: str) -> list[Statement] | None:
    """The statements of a program, None if it is not Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trees = ast.parse(inspect.cleandoc("\n" + source)).body
    except SyntaxError:
        return None
    return [Statement(ast.unparse(tree), tree) for tree in trees]


class Showing(ast.NodeTransformer):
    """Expressions that stand alone, in loops too, show their value as they do at Python's prompt."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr:
        call = ast.Call(ast.Name("show", ast.Load()), [node.value], [])
        return ast.copy_location(ast.Expr(call), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        return node


def show(value: Any) -> None:
    """Print a value as Python's prompt does."""
    if value is not None:
        print(repr(value))


class Notebook:
    """One library's side of an example."""

    def __init__(self, library: ModuleType) -> None:
        self.library = library
        self.variables: dict[str, Any] = {"__name__": "__main__", "show": show}
        with self.on():
            exec(GRANTED, self.variables)
        self.before = self.state()

    @contextlib.contextmanager
    def on(self) -> Iterator[None]:
        """While this library is the one that programs mean by `torch`."""
        with imported_as_torch(self.library), every_warning(self.library):
            yield

    def says(self, statement: Statement) -> tuple[Answer, dict[str, str]]:
        """Run a statement: what it said, and how the variables print that it changed."""
        tree = Showing().visit(ast.parse(statement.code))
        with self.on():
            answer = run(ast.fix_missing_locations(tree), self.variables, "<example>")
        after = self.state()
        changed = {name: text for name, text in after.items() if self.before.get(name) != text}
        self.before = after
        return answer, changed

    def state(self) -> dict[str, str]:
        """How each variable that holds a tensor prints, and its gradient."""
        texts = {}
        for name, value in self.variables.items():
            with contextlib.suppress(Exception), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                many = value if isinstance(value, tuple | list) else [value]
                if many and all(isinstance(one, self.library.Tensor | bool | int | float) for one in many):
                    texts[name] = repr(value)
                    if isinstance(value, self.library.Tensor) and value.is_leaf and value.grad is not None:
                        texts[f"{name}.grad"] = repr(value.grad)
        return texts


def outcomes(name: str, docstring: str, minigrad: ModuleType, torch: ModuleType) -> list[Outcome]:
    """Run an example under both libraries, statement by statement, and compare what they say."""
    with fresh(torch), fresh(minigrad), elsewhere():
        ours, theirs = Notebook(minigrad), Notebook(torch)
        lost: set[str] = set()
        found = []
        for number, statement in enumerate(statements(docstring)):
            if "empty" not in name:
                statement = without_empty(statement)
            expected, changed = theirs.says(statement)
            outcome = Outcome(number, statement.code, unfit(statement, expected, lost))
            if not outcome.verdict:
                given, changed_here = ours.says(statement)
                loose = "empty" in statement.code
                equal = same(given, expected, loose) and (loose or alike(str(changed_here), str(changed)))
                outcome.verdict = "equal" if equal else missing(given) or "different"
                outcome.given, outcome.expected = described(given, changed_here), described(expected, changed)
            found.append(outcome)
            if outcome.compared:
                lost -= statement.writes - statement.reads
            else:
                lost |= statement.writes | touched(statement)
                torch.manual_seed(number)
                minigrad.manual_seed(number)
        return found


def without_empty(statement: Statement) -> Statement:
    """The statement with zeros for memory that nobody has set, which may hold anything."""
    return parsed(re.sub(r"\bempty\b", "zeros", statement.code))[0]


def unfit(statement: Statement, expected: Answer, lost: set[str]) -> str:
    """Why a statement says nothing about minigrad; empty if it does."""
    kind, message = (expected.error["type"], expected.error["message"]) if expected.error else ("", "")
    if any(isinstance(node, ast.Constant) and isinstance(node.value, complex) for node in ast.walk(statement.tree)):
        return "complex numbers"
    if re.search(r"CUDA|cuda|not compiled", message) or re.search(r"cuda", statement.code):
        return "a GPU"
    if kind in ("NameError", "ModuleNotFoundError", "FileNotFoundError"):
        return "an example that is not whole"
    return "what rests on a skipped statement" if statement.reads & lost else ""


def missing(given: Answer) -> str:
    """Which name minigrad lacks, if that is what a statement failed for; else empty."""
    kind, message = (given.error["type"], given.error["message"].split("\n")[0]) if given.error else ("", "")
    if kind in ("AttributeError", "ModuleNotFoundError", "ImportError") and (
        match := re.search(r"has no attribute '(\w+)'|No module named '([\w.]+)'|cannot import name '(\w+)'", message)
    ):
        return f"no {next(filter(None, match.groups()))}"
    return ""


def touched(statement: Statement) -> set[str]:
    """The variables that a statement may change without assigning them: `x.mul_(2)`, `x[0] = 1`."""
    whole = [node.value for node in ast.walk(statement.tree) if isinstance(node, ast.Subscript | ast.Attribute)]
    return {node.id for node in whole if isinstance(node, ast.Name)} - {"torch", "nn", "F", "optim", "math"}


def same(given: Answer, expected: Answer, loose: bool) -> bool:
    """Whether two answers agree: printed text, the error and the warnings by class and first line."""
    if (given.error is None) != (expected.error is None):
        return False
    if given.error and expected.error:
        return given.error["type"] == expected.error["type"] and first_lines(given) == first_lines(expected)
    return loose or (alike(given.stdout, expected.stdout) and first_lines(given) == first_lines(expected))


def first_lines(answer: Answer) -> list[str]:
    """The first line of each message."""
    scripted = re.compile(r"`torch\.jit\.script` is (deprecated|not supported in Python)")  # whom PyTorch itself calls
    messages = [w["message"] for w in answer.warnings if not scripted.search(w["message"])]
    messages += [answer.error["message"]] if answer.error else []
    return [renamed(message.partition(" (Triggered")[0].split("\n")[0]) for message in messages]


NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?!\w)")


def alike(given: str, expected: str) -> bool:
    """The same text, but for the last digits of floats: two libraries add in different orders."""
    given, expected = renamed(given), renamed(expected)
    if given == expected:
        return True
    frames = [re.sub(r"\s+", "", NUMBER.sub("#", text)) for text in (given, expected)]
    ours, theirs = (NUMBER.findall(text) for text in (given, expected))
    exact = [(a, b) for a, b in zip(ours, theirs) if a != b and not ("." in a and "." in b)]
    close = [math.isclose(float(a), float(b), rel_tol=2e-4, abs_tol=2e-4) for a, b in zip(ours, theirs)]
    return frames[0] == frames[1] and len(ours) == len(theirs) and not exact and all(close)


def renamed(text: str) -> str:
    """The one difference allowed in text: the module's own name."""
    return re.sub(r"0xADDR|0x[0-9a-fA-F]+", "0x", re.sub(r"\bminigrad\b", "torch", text))


def described(answer: Answer, changed: dict[str, str]) -> str:
    """An answer for a reader."""
    error = [f"{answer.error['type']}: {answer.error['message']}"] if answer.error else []
    warned = [f"{w['category']}: {w['message']}" for w in answer.warnings]
    return "\n".join([answer.stdout, *error, *warned, *(f"{name} = {text}" for name, text in changed.items())]).strip()


@contextlib.contextmanager
def fresh(library: ModuleType) -> Iterator[None]:
    """A library as it is just after import, and again afterwards."""
    library.manual_seed(0)
    try:
        yield
    finally:
        library.set_default_dtype(library.float32)
        library.set_default_device(None)
        library.set_printoptions(profile="default")
        library.set_grad_enabled(True)
        library.autograd.set_detect_anomaly(False)


@contextlib.contextmanager
def elsewhere() -> Iterator[None]:
    """In an empty folder: examples write files."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def main(*wanted: str) -> None:
    """Print what differs, and how much was compared; with names, of these docstrings alone, what was skipped, too."""
    import torch

    import minigrad

    counts: Counter[str] = Counter()
    for name, docstring in names().items():
        if wanted and name not in wanted:
            continue
        for outcome in outcomes(name, docstring, minigrad, torch):
            counts[outcome.verdict] += 1
            if outcome.verdict == "different" or outcome.verdict.startswith("no ") or wanted:
                print(f"\n{name} {outcome.number}: {outcome.verdict}\n{outcome.code}")
                print(f"--- minigrad\n{outcome.given}\n--- PyTorch\n{outcome.expected}")
    for verdict, count in counts.most_common():
        print(f"{count:5} {verdict}")


if __name__ == "__main__":
    main(*sys.argv[1:])
