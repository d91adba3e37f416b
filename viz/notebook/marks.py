"""The additions to a cell's code that tell a `Follower` where it is, made by an AST transformer of IPython's.

They call one name with a tuple: before each statement of the cell ``_viz_live(("In [3], line 1: …", ""))``; and
``loss.backward()`` becomes ``_viz_live((("loss.backward()", "In [3], line 2: …"), loss.backward))()``. Whatever gives
back the last item of a tuple can stand in for a `Follower`: `NOBODY` does. Inside a loop a statement is announced where
that is asked for: ``if _viz_asks: …`` takes a hundred-millionth of a second.
"""

import ast
import re
import sys
from bisect import bisect_right
from collections.abc import Callable
from contextlib import suppress
from itertools import groupby
from linecache import checkcache, getline
from operator import itemgetter
from pathlib import Path
from types import FrameType
from typing import Any

from ..model.identities import weakly
from ..model.kept import version_of
from ..model.names import library_of
from ..model.protocol import is_accumulate, is_node, is_tensor, sequence_key, walk
from ..model.written import asked, is_pass, parsed
from .pydevd_dont_trace import debugger

NAME = "_viz_live"  # what the added code calls; a leading underscore keeps it out of the learner's variables
ASKS = "_viz_asks"  # whether it announces what is inside a loop, too
NOBODY = itemgetter(-1)
LIBRARIES = ("torch", "minigrad")  # whose functions can be watched
_ORIGINS, _BEGUN = 200_000, 2_000  # nodes whose line is remembered; statements that it may be
_CELLS = 100  # whose code is
_UNKNOWN = (lambda: None), "", None, dict[str, int]()  # a tensor


Call = tuple[str, str]  # of a pass: the text of it, and where it stands


class Marks(ast.NodeTransformer):
    """Adds to a cell's code what tells a `Follower` where it is."""

    def __init__(self) -> None:
        self.codes: dict[int | None, list[str]] = {}
        self.turns: set[str] = set()  # names that loops give to one thing after the other
        self.functions: dict[tuple[str, int], ast.AST] = {}  # of the cells, by their names and first lines
        self.begin("", None)

    def begin(self, code: str, cell: int | None) -> None:
        """The next code to visit is that of `cell`; one like ``%%time`` brings what is below it once more. Code that
        comes in another way, as from ``%time`` and ``%timeit``, is measured, and knows no line."""
        self._lines, self._cell = code.splitlines(), cell
        self._elsewhere: dict[tuple[str, int, int], Call | None] = {}
        self.statements: dict[str, ast.stmt] = {}
        self.codes[cell] = self._lines
        if len(self.codes) > _CELLS:
            del self.codes[next(iter(self.codes))]
        # IPython takes empty lines off the top before it counts
        full = [i for i, line in enumerate(self._lines) if line.strip()]
        self._above, self._tops = 0, full[: 1 + bool(full and re.match(r"\s*%%(?!timeit)", self._lines[full[0]]))]

    def of(self, line: int) -> str:
        """Where that line of the cell is, in words."""
        return place(self._cell, line + self._above, self._lines)

    def elsewhere(self, frame: FrameType, cell: str) -> Call | None:
        """The call of ``backward`` that runs in code without marks, as a mark would say it, each time the same object;
        None where a library calls it for itself, or a lesson for what it shows. Code of no file stands at `cell`."""
        code = frame.f_code
        # to hash code itself takes long, and another one may have its address later
        key = code.co_filename, code.co_firstlineno, frame.f_lasti
        if key not in self._elsewhere:
            line = frame.f_lineno
            checkcache(code.co_filename)  # it may have been edited, and loaded again, with other lines by `%autoreload`
            text = getline(code.co_filename, line).strip()
            file = Path(code.co_filename)
            where = file.name + f", line {line}: {text}" * ("backward" in text) if file.is_file() else cell
            call = text if asked(parsed(text)) else "backward()", where
            package = str(frame.f_globals.get("__name__")).partition(".")[0].removesuffix("_lessons")
            self._elsewhere[key] = None if package in LIBRARIES else call
        return self._elsewhere[key]

    def visit_Module(self, module: ast.Module) -> ast.Module:
        """Each statement is announced before it runs; to a debugger that would be a line more."""
        if not self._tops or debugger():
            return module
        ast.fix_missing_locations(module)  # of what another transformer has added
        self._above = self._tops.pop(0)
        for part in ast.walk(module):
            match part:
                case ast.For(target):
                    self.turns |= {name.id for name in ast.walk(target) if isinstance(name, ast.Name)}
                case ast.FunctionDef(name, decorator_list=[first, *_]) | (ast.FunctionDef(name) as first):
                    self.functions[name, first.lineno] = part
        for statement in module.body:
            with suppress(RecursionError):  # an expression that is nested too deep: its calls are not followed
                self.visit(statement)
        self._announce(module.body)
        return module

    def _announce(self, block: list[ast.stmt], nested: bool = False, loop: str = "") -> None:
        """Adds to a block of statements what announces each, and those in it; `loop`: the line of the loop around."""
        announced: list[ast.stmt] = []
        for statement in block:
            where = self.of(statement.lineno)
            match statement:
                case ast.Expr(ast.Constant()) | ast.ImportFrom("__future__"):  # only behind these is this one allowed
                    pass
                case ast.Continue():  # to what stands at the head of the loop
                    announced.append(_announcement(loop, nested, statement))
                case _:
                    announced.append(_announcement(where, nested, statement))
            announced.append(statement)
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            is_loop = isinstance(statement, ast.For | ast.AsyncFor | ast.While)
            for part in (statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
                for name in ("body", "orelse", "finalbody"):
                    with suppress(RecursionError):  # of `elif` behind `elif`
                        inner = getattr(part, name, [])
                        self._announce(inner, True, where if is_loop and name == "body" else loop)
            match statement:
                case ast.For(_, ast.Call(ast.Name("range"))):  # makes nothing between two rounds
                    pass
                case ast.For() | ast.AsyncFor() | ast.While():
                    statement.body.append(_announcement(where, True, statement))
            if not nested:
                self.statements[where] = statement
        block[:] = announced

    def visit_FunctionDef(self, function: ast.FunctionDef) -> ast.AST:
        """What Numba compiles is read by it, too."""
        compiled = any("jit" in ast.unparse(decorator) for decorator in function.decorator_list)
        return function if compiled else self.generic_visit(function)

    def visit_Call(self, call: ast.Call) -> ast.AST:
        """A function whose name is ``backward`` or ``grad`` is handed over before it is called."""
        if not is_pass(call):
            return self.generic_visit(call)
        text = ast.unparse(call)
        self.generic_visit(call)
        function = _said((text, self.of(call.lineno)), call.func)
        instead = ast.Call(function, call.args, call.keywords)
        return ast.fix_missing_locations(ast.copy_location(instead, call))


def place(cell: int | None, line: int, lines: list[str]) -> str:
    """Where a line of the cell of these `lines` is, in words."""
    return f"In [{cell}], line {line}: {lines[line - 1].strip() if line <= len(lines) else ''}"


class Origins:
    """Remembers which line of a notebook made each autograd node, and each tensor that has a name and no history."""

    def __init__(self) -> None:
        self.lines: dict[tuple[int, str], str] = {}
        # which statements have begun since all was marked, each with the numbers that the next nodes had then, by
        # library; and the line of the one that is not nested, if that was one alone
        self.begun: list[tuple[dict[str, int], str]] = []
        self.here = ""
        # by address: a tensor and its line; and its version and the numbers that came next when it was first seen
        self._tensors: dict[int, tuple[Callable[[], Any], str, int | None, dict[str, int]]] = {}

    def of(self, thing: Any) -> str:
        """The line that made a node or tensor; empty where that is not known."""
        node = thing.grad_fn if is_tensor(thing) else thing
        if is_node(node) and not is_accumulate(node):
            return self.lines.get(sequence_key(node), "")
        ref, where, _, _ = self._tensors.get(id(thing), _UNKNOWN)
        return where if ref() is thing else ""

    def held(self, tensor: Any, op: Any) -> bool:
        """Whether a tensor was there when an operation ran, and has not been written since."""
        ref, _, version, numbers = self._tensors.get(id(tensor), _UNKNOWN)
        seen = numbers.get(library_of(tensor), op._sequence_nr() + 1)
        return ref() is tensor and seen <= op._sequence_nr() and version == version_of(tensor)

    def begin(self, where: str, nested: bool = False) -> None:
        """The statement of that line begins; `nested`: in another one, which goes on."""
        if not nested:
            self.here = "" if self.begun else where
        self.begun.append((_numbers(), where))
        del self.begun[:-_BEGUN]

    def rest(self) -> None:
        """Nothing runs."""
        self.here = ""
        self.begun.clear()

    def mark(self, named: list[tuple[str, Any]]) -> None:
        """Finds out what made that which is new among what the (name, tensor) pairs reach."""
        if len(self.lines) > _ORIGINS:
            self.lines.clear()
        tensors, now = dict(reversed(named)).values(), _numbers()
        for library, own in groupby(sorted(tensors, key=library_of), library_of):
            begun = [(numbers[library], where) for numbers, where in self.begun if library in numbers]
            for node, _ in walk(own, self._is_new):
                key = sequence_key(node)
                at = bisect_right(begun, key[0], key=itemgetter(0)) - 1
                # what is older was not in sight until now
                self.lines[key] = begun[at][1] if at >= 0 else "" if begun else self.here
        for tensor in tensors:
            ref = self._tensors.get(id(tensor), _UNKNOWN)[0]
            if tensor.grad_fn is None and ref() is not tensor:  # an address is used again
                self._tensors[id(tensor)] = weakly(tensor), self.here, version_of(tensor), now
        self._tensors = {key: known for key, known in self._tensors.items() if known[0]() is not None}
        self.begun = self.begun[-1:]

    def _is_new(self, node: Any) -> bool:
        return sequence_key(node) not in self.lines


def counters() -> dict[str, Callable[[], int]]:
    """What gives the number that the next node of a library will have, by its name."""
    known = {one: getattr(sys.modules.get(f"{one}.autograd"), "_get_sequence_nr", None) for one in LIBRARIES}
    return {library: number for library, number in known.items() if number}


def _numbers() -> dict[str, int]:
    return {library: number() for library, number in counters().items()}


def _announcement(where: str, nested: bool, statement: ast.stmt) -> ast.stmt:
    """What announces a statement."""
    said: ast.stmt = ast.Expr(_said(where, ast.Constant(nested)))
    if nested:
        said = ast.If(ast.Name(ASKS, ast.Load()), [said], [])
    return ast.fix_missing_locations(ast.copy_location(said, statement))


def _said(key: str | Call, what: ast.expr) -> ast.Call:
    known = ast.Constant(key)  # type: ignore[arg-type]  # one object, as long as the code lives
    return ast.Call(ast.Name(NAME, ast.Load()), [ast.Tuple([known, what], ast.Load())], [])
