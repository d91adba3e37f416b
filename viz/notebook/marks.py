"""The additions to a cell's code that tell a `Follower` where it is, made by an AST transformer of IPython's.

They call one name with a tuple: before each statement of the cell ``_viz_live((statement, None))``; and
``loss.backward()`` becomes ``_viz_live((("loss.backward()", "In [3], line 2: …"), loss.backward))()``. Whatever gives
back the last item of a tuple can stand in for a `Follower`: `NOBODY` does.
"""

import ast
import re
from collections import Counter, deque
from collections.abc import Callable, Collection
from contextlib import suppress
from linecache import checkcache, getline
from operator import itemgetter
from pathlib import Path
from types import FrameType
from typing import Any

from ..model.identities import weakly
from ..model.protocol import is_accumulate, is_node, is_tensor, sequence_key, walk
from ..model.written import Makes, asked, is_pass, may_make, operation_of, parsed

NAME = "_viz_live"  # what the added code calls; a leading underscore keeps it out of the learner's variables
NOBODY = itemgetter(-1)
LIBRARIES = ("torch", "minigrad")  # whose functions can be watched
_ORIGINS = 200_000  # nodes whose line is remembered
_CELLS = 100  # whose code is
_UNKNOWN = (lambda: None), ""  # a tensor, and its line


Call = tuple[str, str]  # of a pass: the text of it, and where it stands
# Where a statement of a cell stands; the names that are assigned once in it, each with the line where; and what the
# lines inside it may have made: what code may hold.
Statement = tuple[str, tuple[tuple[str, str], ...], tuple[tuple[str, Makes], ...]]


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
        line += self._above
        code = self._lines[line - 1].strip() if line <= len(self._lines) else ""
        return f"In [{self._cell}], line {line}: {code}"

    def elsewhere(self, frame: FrameType) -> Call | None:
        """The call of ``backward`` that runs in code without marks, as a mark would say it, each time the same object;
        None where a library calls it for itself, or a lesson for what it shows."""
        code = frame.f_code
        # to hash code itself takes long, and another one may have its address later
        key = code.co_filename, code.co_firstlineno, frame.f_lasti
        if key not in self._elsewhere:
            line = frame.f_lineno
            checkcache(code.co_filename)  # it may have been edited, and loaded again
            text = getline(code.co_filename, line).strip()
            where = f"{Path(code.co_filename).name}, line {line}: {text}"
            call = text if asked(parsed(text)) else "backward()", where
            package = str(frame.f_globals.get("__name__")).partition(".")[0].removesuffix("_lessons")
            self._elsewhere[key] = None if package in LIBRARIES else call
        return self._elsewhere[key]

    def visit_Module(self, module: ast.Module) -> ast.Module:
        """Each statement is announced before it runs; the nodes inside are visited first."""
        if not self._tops:
            return module
        self._above = self._tops.pop(0)
        body: list[ast.stmt] = []
        for statement in module.body:
            match statement:
                case ast.Expr(ast.Constant()) | ast.ImportFrom("__future__"):  # only behind these is this one allowed
                    pass
                case _:
                    said = ast.Expr(_said(self._statement(statement), ast.Constant(None)))
                    body.append(ast.fix_missing_locations(ast.copy_location(said, statement)))
            with suppress(RecursionError):  # an expression that is nested too deep: its calls are not followed
                self.visit(statement)
            body.append(statement)
        module.body = body
        return module

    def _statement(self, statement: ast.stmt) -> Statement:
        lines: dict[str, int] = {}
        for part in ast.walk(statement):
            match part:
                case ast.Name(name, ast.Store()):  # which of two has run, nobody knows
                    lines[name] = statement.lineno if name in lines else part.lineno
                case ast.Call(ast.Attribute(ast.Name(name), written)) if re.search("[^_]_$", written):
                    lines[name] = statement.lineno  # in place
                case ast.Assign([ast.Name(name)]) | ast.AugAssign(ast.Name(name)) if part is not statement:
                    # of what calls who knows what, no one knows where that of the round before begins
                    used = (one.id for one in ast.walk(part) if isinstance(one, ast.Name))
                    if may_make(part) is None and (isinstance(part, ast.AugAssign) or Counter(used)[name] > 1):
                        lines[name] = statement.lineno
                case ast.For(target):
                    self.turns |= {name.id for name in ast.walk(target) if isinstance(name, ast.Name)}
                case ast.FunctionDef(name, decorator_list=[first, *_]) | (ast.FunctionDef(name) as first):
                    self.functions[name, first.lineno] = part
        in_order = sorted(lines.items(), key=itemgetter(1))
        here = self.of(statement.lineno)
        self.statements[here] = statement
        makes: dict[str, Makes] = {}
        for one in ast.walk(statement):
            if isinstance(one, ast.stmt) and one is not statement and not hasattr(one, "body"):
                before, made = makes.get(self.of(one.lineno), ()), may_make(one)
                makes[self.of(one.lineno)] = None if before is None or made is None else before + made
        return here, tuple((name, self.of(line)) for name, line in in_order), tuple(makes.items())

    def visit_Call(self, call: ast.Call) -> ast.AST:
        """A function whose name is ``backward`` or ``grad`` is handed over before it is called."""
        if not is_pass(call):
            return self.generic_visit(call)
        text = ast.unparse(call)
        self.generic_visit(call)
        function = _said((text, self.of(call.lineno)), call.func)
        instead = ast.Call(function, call.args, call.keywords)
        return ast.fix_missing_locations(ast.copy_location(instead, call))


class Origins:
    """Remembers which line of a notebook made each autograd node, and each tensor that has a name and no history."""

    def __init__(self) -> None:
        self.lines: dict[tuple[int, str], str] = {}
        self._tensors: dict[int, tuple[Callable[[], Any], str]] = {}

    def of(self, thing: Any) -> str:
        """The line that made a node or tensor; empty where that is not known."""
        node = thing.grad_fn if is_tensor(thing) else thing
        if is_node(node) and not is_accumulate(node):
            return self.lines.get(sequence_key(node), "")
        ref, where = self._tensors.get(id(thing), _UNKNOWN)
        return where if ref() is thing else ""

    def mark(self, named: list[tuple[str, Any]], statement: Statement | None) -> None:
        """What is new among what the (name, tensor) pairs reach was made by `statement`, which has just run or runs;
        nobody knows by what where there is none."""
        if len(self.lines) > _ORIGINS:
            self.lines.clear()
        by_name = dict(reversed(named))
        here, assigned, makes = statement or ("", (), ())
        inside = dict(makes)
        told = {operation for made in inside.values() for operation in made or ()}
        new = [sequence_key(node) for node, _ in walk(by_name.values(), self._is_new)]
        for name, where in assigned:
            if name in by_name:
                self._mark_from(by_name[name], where, inside.get(where, ()) if makes and where != here else None, told)
        for key in new:  # else it is of a line that alone can have made it, such as one of an earlier round
            lines = [where for where, made in makes if made is None or operation_of(key[1]) in made]
            self.lines.setdefault(key, lines[0] if len(lines) == 1 and inside[lines[0]] else here)
        for tensor in by_name.values():
            self._mark_leaf(tensor, here)
        self._tensors = {key: known for key, known in self._tensors.items() if known[0]() is not None}

    def _is_new(self, node: Any) -> bool:
        return sequence_key(node) not in self.lines

    def _mark_from(self, tensor: Any, where: str, made: Makes, told: Collection[str]) -> None:
        """What it was computed from by the line `where`: no more operations than that has `made`; where it calls who
        knows what, none that another line is `told` to make."""
        left = None if made is None else Counter(made)

        def enter(node: Any) -> bool:
            key = sequence_key(node)
            operation = operation_of(key[1])
            mine = key not in self.lines and (operation not in told if left is None else left[operation] > 0)
            if mine:
                self.lines[key] = where
                if left is not None:
                    left[operation] -= 1
            return mine

        deque(walk([tensor], enter), maxlen=0)
        self._mark_leaf(tensor, where)

    def _mark_leaf(self, tensor: Any, where: str) -> None:
        ref, _ = self._tensors.get(id(tensor), _UNKNOWN)
        if tensor.grad_fn is None and ref() is not tensor:  # an address is used again
            self._tensors[id(tensor)] = weakly(tensor), where


def _said(key: tuple[Any, ...], what: ast.expr) -> ast.Call:
    known = ast.Constant(key)  # type: ignore[arg-type]  # one object, as long as the code lives
    return ast.Call(ast.Name(NAME, ast.Load()), [ast.Tuple([known, what], ast.Load())], [])
