"""A small program that a panel shows, run once more with other numbers in its leaves: apart from the notebook, whose
variables stay what they are.

Only programs of plain arithmetic that need nothing from outside are run: assignments and calls of the functions listed
here, which print, draw and change nothing but what the program itself has made.
"""

import ast
from collections.abc import Callable, Collection, Mapping
from types import ModuleType
from typing import Any

from ..model.written import asked, parsed
from .marks import place
from .recording import Recording

_STATEMENTS, _NUMBERS = 40, 4
_WORDS = """
    tensor float32 float64 ones zeros full arange linspace eye ones_like zeros_like stack cat
    exp log sin cos tan tanh sqrt abs relu sigmoid softmax log_softmax square
    add sub mul div pow neg matmul mm mv dot maximum minimum clamp where
    sum mean prod max min norm item detach clone view reshape squeeze unsqueeze
    T grad data shape t transpose expand backward requires_grad_ retain_grad
"""
_PLAIN = frozenset(_WORDS.split())
_NODES = (
    *(ast.Module, ast.Assign, ast.Expr, ast.Name, ast.Load, ast.Store, ast.Constant, ast.List, ast.Tuple, ast.BinOp),
    *(ast.UnaryOp, ast.operator, ast.unaryop, ast.Call, ast.Attribute, ast.keyword, ast.Subscript, ast.Slice),
)


class Program:
    """The cells that made a graph, those `shown` and those between them that name the same, and the last call of
    ``backward`` in them.

    codes: the lines of all cells, by number. library: whose functions it may call. leaves: the numbers of each leaf
    that is written as ``w = torch.tensor(2., requires_grad=True)``, to be changed; none where the program may not be
    run again.
    """

    def __init__(
        self, codes: Mapping[int | None, list[str]], shown: Collection[int], namespace: Mapping[str, Any], library: str
    ) -> None:
        self.leaves: dict[str, list[float]] = {}
        modules = {name: value for name, value in namespace.items() if issubclass(type(value), ModuleType)}
        cells = {n: parsed("\n".join(codes[n])) for n in codes if n and min(shown) <= n <= max(shown)}
        self._lines = {id(one): place(n, one.lineno, codes[n]) for n, cell in cells.items() for one in cell}
        named = _names([one for n in shown for one in cells[n]]) - modules.keys()
        body: list[ast.stmt] = []
        for n, cell in sorted(cells.items()):
            if n in shown or not cell or not named.isdisjoint(_names(cell)):
                named |= _names(cell) - modules.keys()
                body += [one for one in cell or [ast.Pass()] if not _is_aside(one)]
        last = max((i for i, one in enumerate(body) if asked([one])), default=-1)
        self._body = body[: last + 1]
        self._given = {name: value for name, value in modules.items() if value.__name__.partition(".")[0] == library}
        if len(body) <= _STATEMENTS and self._is_whole() and all(map(_is_plain, self._body)):
            self.leaves = dict(found for one in self._body if (found := _leaf(one)))

    def _is_whole(self) -> bool:
        """Whether no name is used before it is assigned."""
        known = set(self._given)
        for statement in self._body:
            names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
            if not known.issuperset(node.id for node in names if isinstance(node.ctx, ast.Load)):
                return False
            known.update(node.id for node in names if isinstance(node.ctx, ast.Store))
        return True

    def run(self, begins: Callable[[str], None]) -> tuple[Recording, dict[str, Any], str]:
        """What its last pass recorded with the numbers that `leaves` has now, its variables, and the call. `begins` is
        told the line of each statement before it runs."""
        for statement in self._body:
            if (found := _leaf(statement)) and (row := self.leaves.get(found[0])):
                arguments = statement.value.args  # type: ignore[attr-defined]
                now = row if isinstance(arguments[0], ast.List) else row[0]
                arguments[0] = ast.parse(repr(now), mode="eval").body
        *before, call = self._body
        output, text, space = asked([call]), ast.unparse(call), dict[str, Any](self._given)
        for statement in before:
            begins(self._lines[id(statement)])
            exec(ast.unparse(statement), space)
        begins(self._lines[id(call)])
        space["_output"] = eval(ast.unparse(output), space)  # type: ignore[arg-type]
        with Recording(space["_output"]) as run:
            exec(text.replace(ast.unparse(output), "_output", 1), space)  # type: ignore[arg-type]
        return run, space, text


def _names(statements: list[ast.stmt]) -> set[str]:
    return {node.id for one in statements for node in ast.walk(one) if isinstance(node, ast.Name)}


def _is_aside(statement: ast.stmt) -> bool:
    """Whether it computes nothing: an import, a name, ``viz.live()``, ``print(loss)``."""
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.Expr(ast.Name() | ast.Attribute()):
            return True
        case ast.Expr(ast.Call(function)):
            return ast.unparse(function) in ("print", "viz.live", "viz.draw")
    return False


def _is_plain(statement: ast.stmt) -> bool:
    for node in ast.walk(statement):
        match node:
            case ast.Attribute(_, word) if word not in _PLAIN:
                return False
            case ast.Assign(to) if any(type(t) is not ast.Name and getattr(t, "attr", "") != "grad" for t in to):
                return False  # w.grad is forgotten between two passes
        if not isinstance(node, _NODES):
            return False
    return True


def _leaf(statement: ast.stmt) -> tuple[str, list[float]] | None:
    """The name and the numbers of ``w = torch.tensor([1., 2.], requires_grad=True)``."""
    match statement:
        case ast.Assign([ast.Name(name)], ast.Call(ast.Attribute(_, "tensor"), [written], keywords)):
            options = {one.arg: ast.unparse(one.value) for one in keywords}
            try:
                found = ast.literal_eval(written)
            except ValueError:
                return None
            numbers = found if isinstance(found, list) else [found]
            plain = all(type(n) in (int, float) for n in numbers)
            if plain and options.get("requires_grad") == "True" and 0 < len(numbers) <= _NUMBERS:
                return name, [float(n) for n in numbers]
    return None
