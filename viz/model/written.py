"""What the program wrote for each operation: ``w * 3`` for the node that that made, and for one that raised an error.

A line of code says it, where its outermost operation is known to have made a node: then what it is computed from is
known, too, as far as the names of the nodes and of the tensors agree with what is written.
"""

import ast
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from types import FrameType
from typing import Any

from ..language import Words, first_line, words
from ..strings import clean
from .graph import Edge, Graph, Node
from .names import caller_namespace, named_tensors
from .protocol import listens, op_name
from .values import shape_of, shape_text

_SIGNS = {ast.Add: ("add",), ast.Sub: ("sub", "rsub"), ast.Mult: ("mul",), ast.Div: ("div",), ast.Pow: ("pow",)}
_PRODUCTS = ("mm", "mv", "dot", "bmm", "unsafeview")
_TURNS = ("t", "transpose", "permute", "numpyt")
_LONGEST = 40  # letters of an expression
_LARGEST = 100  # parts of what stands for a call, and calls for which something does


def assigned(code: str) -> tuple[str, ast.expr] | None:
    """The name and the expression of ``name = expression``."""
    match parsed(code):
        case [ast.Assign([ast.Name(name), *_], value)]:
            return name, value
    return None


def asked(body: list[ast.stmt]) -> ast.expr | None:
    """``y.sum()`` of ``y.sum().backward()``."""
    match body:
        case [ast.Expr(ast.Call(ast.Attribute(value, "backward")))]:
            return value
    return None


def is_pass(part: ast.AST) -> bool:
    """Whether it calls a function whose name is ``backward`` or ``grad``."""
    match part:
        case ast.Call(ast.Attribute(_, name) | ast.Name(name)):
            return name in ("backward", "grad")
    return False


def calls_of(function: str, code: str) -> list[ast.Call]:
    """Where it is called in some code: ``net(x)`` of ``loss = criterion(net(x), y)``."""
    found = (node for statement in parsed(code) for node in ast.walk(statement) if isinstance(node, ast.Call))
    return [node for node in found if ast.unparse(node.func) == function]


def parsed(code: str) -> list[ast.stmt]:
    """The statements of some code; none where it is no Python, as a magic is. Nothing is warned of anew."""
    try:
        return ast.parse(re.sub(r"""(\\[\r\n"'\\abfnrtvxuUN0-7])|\\""", lambda found: found[1] or r"\\", code)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


@lru_cache(100)  # cells
def _defined(code: str) -> list[tuple[str, ast.FunctionDef | None]]:
    """The names that the statements of a cell give to functions, and those that they give to anything else."""
    found: list[tuple[str, ast.FunctionDef | None]] = []
    for statement in parsed(re.sub(r"(?m)^\s*[%!].*", "", code)):  # without magics
        match statement:
            case ast.FunctionDef(name, ast.arguments([], _, None, [], _, None, []), decorator_list=[]):
                found.append((name, statement))
            case ast.FunctionDef(name) | ast.ClassDef(name):
                found.append((name, None))
            case _:
                for part in ast.walk(statement):
                    match part:
                        case ast.Name(name, ast.Store()) | ast.FunctionDef(name) | ast.alias(_, str(name)):
                            found.append((name, None))
                        case ast.alias(name):
                            found.append((name.partition(".")[0], None))
    return found


def inlined(expression: ast.expr, cells: Iterable[list[str]]) -> ast.expr:
    """`expression`, its calls of functions that the `cells` define as `Inlined` has them; itself where it has none."""
    calls = (part for part in ast.walk(expression) if isinstance(part, ast.Call) and isinstance(part.func, ast.Name))
    if _is_small(expression) and any(calls):
        functions: dict[str, ast.FunctionDef | None] = {}
        for name, function in (pair for lines in cells for pair in _defined("\n".join(lines))):
            known = functions.setdefault(name, function)
            if known is None or function is None or ast.dump(known) != ast.dump(function):
                functions[name] = None  # which of them has run, nobody knows
        with suppress(RecursionError):  # each of many functions calls the next one
            return Inlined(functions).visit(_copy(expression))
    return expression


def _copy(expression: ast.expr) -> ast.expr:
    """The same anew; `copy` would take along what hangs on the nodes: `executing` hangs their parents on them."""
    return ast.parse(ast.unparse(expression), mode="eval").body


def _is_small(expression: ast.expr) -> bool:
    return sum(1 for _ in islice(ast.walk(expression), _LARGEST)) < _LARGEST


class Inlined(ast.NodeTransformer):
    """Puts in place of a call what the function computes, ``(w * x) ** 2`` for ``forward(w)``, where one of the
    `functions` is called whose body is plain: names, and a result. Not of too many calls, nor where it becomes too
    large: each of a chain of functions may call the one before twice."""

    def __init__(self, functions: Mapping[str, ast.FunctionDef | None]) -> None:
        self.functions = functions
        self.names: dict[str, ast.expr] = {}
        self.left = iter(range(_LARGEST))  # calls

    def visit_Name(self, name: ast.Name) -> ast.expr:
        return self.names.get(name.id, name)

    def visit_Call(self, call: ast.Call) -> ast.expr:
        self.generic_visit(call)
        function = self.functions.get(call.func.id) if isinstance(call.func, ast.Name) else None
        if function is None or len(function.args.args) != len(call.args):
            return call
        # it may call others, but not itself
        inside = Inlined({name: other for name, other in self.functions.items() if other is not function})
        inside.names = {given.arg: value for given, value in zip(function.args.args, call.args)}
        inside.left = self.left
        for statement in function.body if next(self.left, None) is not None else ():
            match statement:
                case ast.Assign([ast.Name(name)], value) if _is_small(value):
                    inside.names[name] = inside.visit(_copy(value))
                case ast.Return(ast.expr() as value) if _is_small(value):
                    found = inside.visit(_copy(value))
                    return found if _is_small(found) else call
                case ast.Expr(ast.Constant()):
                    pass
                case _:
                    break
        return call


def with_written(graph: Graph, known: Iterable[tuple[str, ast.expr]]) -> Graph:
    """`graph`, its nodes with what was `written` for them; `known`: (id of an op, what it was made by)."""
    texts: dict[str, str] = {}
    for node_id, expression in known:
        with suppress(RecursionError):  # an expression that is nested too deep
            texts |= _texts(graph, graph.node(node_id), expression) or {}
    return replace(graph, nodes=tuple(replace(n, written=texts[n.id]) if n.id in texts else n for n in graph.nodes))


def _texts(graph: Graph, node: Node, expression: ast.expr) -> dict[str, str] | None:
    """What is written, by node, if `expression` can have made `node`; None where it cannot."""
    if isinstance(expression, ast.Name) and node.kind != "untracked":
        return {} if expression.id in node.names else None
    text = ast.unparse(expression)
    here = {node.id: text} if len(text) <= _LONGEST else {}
    if node.kind == "untracked":
        tracked = any(text in other.names for other in graph.nodes if other.kind != "untracked")
        if tracked or (node.names and text not in node.names):
            return None
        return {} if node.tensor is not None else here
    if node.kind not in ("op", "custom"):  # a leaf has its name
        return {} if _known_as(text, node.names) else None
    inputs = {}
    for edge in (one for one in graph.edges_from(node.id) if one.input_nr >= 0):
        to = graph.node(edge.target)  # behind an AccumulateGrad stands a leaf
        inputs[edge.input_nr] = graph.node(graph.edges_from(to.id)[0].target) if to.kind == "accumulate" else to
    fitting, made = [], node.label.rpartition("Backward")[0].lower()
    for operands in _operands(expression, made):
        pairs = [(inputs[nr], operand) for nr, operand in enumerate(operands) if nr in inputs]
        turned = isinstance(expression, ast.BinOp) and operands[0] is expression.right
        derived = [nr for nr, one in inputs.items() if one.kind != "untracked"]
        fits = len(pairs) >= len(inputs) and (not turned or derived == [0])  # only a number is put behind the tensor
        found = [_texts(graph, *pair) for pair in pairs] if fits else [None]
        if None not in found:
            fitting.append(({k: text for one in found if one for k, text in one.items()} | here, turned))
    if fitting:
        texts, turned = fitting[0]
        left: Any = getattr(expression, "left", None)
        number = left.operand if isinstance(left, ast.UnaryOp) else left  # -2
        sure = not turned or made == "rsub" or isinstance(number, ast.Constant | ast.Name)
        return texts if len(fitting) == 1 and sure else here  # else which is which, nobody knows
    # of a function no more is known; and one that was given a name is not given what has that name now
    plain = isinstance(expression, ast.Call | ast.Subscript) and not _names_later(graph, node, expression)
    return here if plain else None


def _names_later(graph: Graph, node: Node, expression: ast.expr) -> bool:
    """Whether a name in it is that of a result which `node` was not computed from."""
    spoken = {part.id for part in ast.walk(expression) if isinstance(part, ast.Name)}
    later = {one.id for one in graph.nodes if one.kind in ("op", "custom") and not spoken.isdisjoint(one.names)}
    before, to_see = set[str](), [node.id] * bool(later)
    for node_id in to_see:
        new = {edge.target for edge in graph.edges_from(node_id)} - before
        before |= new
        to_see += new
    return not later <= before


def _operands(expression: ast.expr, made: str) -> Iterator[list[ast.expr]]:
    """What `expression` is computed from, if it is an operation of the kind `made`, in the orders that may be."""
    match expression:
        case ast.BinOp(left, op, right) if made in _SIGNS.get(type(op), _PRODUCTS):
            if made != "rsub":
                yield [left, right]
            if made in ("add", "mul", "rsub"):  # a number first: 2 * w
                yield [right, left]
        case ast.UnaryOp(ast.USub(), operand) if made == "neg":
            yield [operand]
        case ast.Attribute(value, "T" | "mT") if made in _TURNS:
            yield [value]
        case ast.Call(ast.Attribute(value, name), arguments) if _is_called(name, made):
            yield [value, *arguments]  # x.sum()
            yield list(arguments)  # torch.sum(x)


def _is_called(name: str, made: str) -> bool:
    return name.replace("_", "") == made or (name in ("matmul", "mm") and made in _PRODUCTS)


class Failed:
    """The operation of a learner's that raised an error."""

    def __init__(self, written: ast.AST, frame: FrameType, error: BaseException, origin: str) -> None:
        known = {name: t for name, t in named_tensors(caller_namespace(frame)) if not listens(type(t))}
        given: list[ast.expr] = []
        self.origin = origin  # which line of the cell it is
        self.text, self.error = clean(ast.unparse(written), _LONGEST), first_line(error)
        self.is_pass = is_pass(written)
        match written:
            case ast.BinOp(left, _, right) | ast.AugAssign(left, _, right):
                given = [left, right]
            case ast.Call(function, arguments):
                given = [function.value, *arguments] if isinstance(function, ast.Attribute) else arguments
            case ast.Subscript(value) | ast.Assign([ast.Subscript(value), *_]):
                given = [value]
        names = [next((name for path in _paths(n) if (name := _known_as(path, known))), "") for n in given]
        self.tensors = tuple(known[name] for name in names if name)  # that it was given, as far as they have names
        self.hint = why_none(written, known) if "NoneType" in self.error else None  # why a ``.grad`` in it is None
        all_known = all(isinstance(n, ast.Name | ast.Constant) for n in given)
        self.shapes = ", ".join(shape_text(shape_of(tensor)) for tensor in self.tensors) if all_known else ""

    def drawn(self, graph: Graph, ids: Iterable[str | None]) -> Graph:
        """`graph` with the operation in it that did not come about; `ids` are those of its tensors."""
        node = Node("failed", "op", self.text, stops=True, error=f"{self.shapes}  {self.error}")
        edges = tuple(Edge(node.id, target, "untracked", nr) for nr, target in enumerate(ids) if target)
        return replace(graph, nodes=(*graph.nodes, node), edges=(*graph.edges, *edges), roots=(*graph.roots, node.id))


def _paths(expression: ast.expr) -> Iterator[str]:
    """``w.grad.data``, ``w.grad``, ``w``: what an expression may be a part of."""
    yield ast.unparse(expression)
    if isinstance(expression, ast.Attribute):
        yield from _paths(expression.value)


def _known_as(text: str, names: Container[str]) -> str:
    """Which of the `names` it is, if any: ``net[0].weight`` and ``net['0'].weight`` are called net.0.weight."""
    inside = re.sub(r"""\[(['"]?)(\w+)\1\]""", r".\2", text)
    return next((name for name in (text, inside) if name in names), "")


def why_none(code: ast.AST, known: Mapping[str, Any]) -> Words | None:
    """Why a ``.grad`` or ``.grad_fn`` that some `code` asks of a tensor is None; None where it is not. `known`: the
    tensors by name."""
    asked = ((ast.unparse(part.value), part.attr) for part in ast.walk(code) if isinstance(part, ast.Attribute))
    # another one's: of a comprehension, of a lambda
    own = {part.id for part in ast.walk(code) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    own |= {part.arg for part in ast.walk(code) if isinstance(part, ast.arg)}
    for written, attribute in asked:
        if re.match(r"\w*", written)[0] in own:  # type: ignore[index]
            continue
        whole, _, index = written.partition("[")
        is_leaf = whole in known and _reason("grad_fn", known[whole]) == "madeByNone"
        if is_leaf and attribute == "grad" and index.endswith("]"):
            return words("nonePart", n=written, whole=whole, index=index)
        if (name := _known_as(written, known)) and (key := _reason(attribute, known[name])):
            made = known[name].grad_fn
            return words(key, n=written, node="" if made is None else op_name(made))
    return None


def _reason(attribute: str, tensor: Any) -> str:
    """The key of the text that says why the `attribute` of a tensor is None; empty where it is not."""
    match attribute:
        case "grad_fn" if tensor.grad_fn is None:
            return "madeByNone" if tensor.requires_grad else "madeUntracked"
        case "grad" if not (tensor.is_leaf or getattr(tensor, "retains_grad", False)):  # it would warn if it were asked
            return "noneResult"
        case "grad" if tensor.grad is None:
            return "noneYet" if tensor.requires_grad else "noneUntracked"
    return ""


def failed(
    error: BaseException | None, notebook: Mapping[str, Any], origin: Callable[[int], str], executing: Any
) -> tuple[Failed | None, FrameType | None]:
    """What in the `notebook` raised `error`, and the frame that it ran in; None where that is not known. `origin` says
    which line of the cell a line is, `executing` what runs in a traceback, as the package of that name does."""
    at, inner, line = error.__traceback__ if error else None, None, 0
    while at is not None:
        if at.tb_frame.f_globals is notebook:
            inner, line = at, line or at.tb_lineno
        at = at.tb_next
    with suppress(RecursionError):  # an expression that is nested too deep
        written: Any = executing(inner).node if inner else None
        while isinstance(written, ast.Attribute):
            around: Any = getattr(written, "parent", None)
            if not isinstance(around, ast.Attribute | ast.Call) or written in getattr(around, "args", ()):
                break
            written = around  # None has no `zero_`: what failed is ``w.grad.zero_()``
        if isinstance(written, ast.Subscript) and isinstance(written.ctx, ast.Store):
            written = getattr(written, "parent", written)  # ``w[0] = 1.``
        if error is not None and inner is not None and isinstance(written, ast.expr | ast.AugAssign | ast.Assign):
            return Failed(written, inner.tb_frame, error, origin(line)), inner.tb_frame
    return None, None
