"""The usual case of an operation, written out as Python text.

An operation must care for much that seldom happens: arrays beside tensors, types to promote, operands on two devices,
inference mode, anomaly mode, hooks on what is saved. `primitive.py` says, once for all operations, how that is done.
But most often the arguments are just tensors, and then there is little to do. This module writes that little down, for
each operation without a loop and without a question whose answer is known, and passes on to the general way whatever is
not usual. The text is written when the operation is first called; to read it:

    print(minigrad.tanh.usual().text())
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from ..autograd import grad_mode, variable
from ..autograd.grad_mode import mode
from ..autograd.node import NodeKind, PlainNode, asked_edge, next_key
from ..autograd.saved import FREED, Packed, refuse_inference_tensors
from ..autograd.variable import LOST_EDGE, NO_EDGE, TensorBase
from ..autograd.views import show
from .placing import element_strides


class Usual:
    """What the text of an operation is written from.

    Attributes:
        general: the operation for any arguments.
        forward: its function on raw arrays.
        kind: of its nodes.
        formulas: the formula of each differentiable argument.
        renamed: arguments that users know by another name than `forward` does.
        plain: whether the other arguments never hold a tensor.
        floats: whether an input of another type is not usual.
        one_type: whether two operands of different types are not.
        numbers: whether the second operand may be a Python number beside floats.
        last_first: whether backward runs the formula of the last input first.
        elementwise: whether the result has the common shape of the operands, and every gradient that of the result.
        view: whether the result shows the memory of the first argument.
        front: how users call the function of which this is the usual case; None for the operation itself.
    """

    front: Front | None = None

    def __init__(
        self,
        general: Callable[..., Any],
        forward: Callable[..., Any],
        kind: NodeKind,
        formulas: Mapping[str, Callable[..., Any]],
        renamed: Mapping[str, str],
        *,
        plain: bool = False,
        floats: bool = False,
        one_type: bool = False,
        numbers: bool = False,
        last_first: bool = False,
        elementwise: bool = False,
        view: bool = False,
    ) -> None:
        self.general, self.forward, self.kind, self.formulas, self.renamed = general, forward, kind, formulas, renamed
        self.plain, self.floats, self.one_type = plain, floats, one_type
        self.numbers, self.last_first, self.elementwise, self.view = numbers, last_first, elementwise, view
        self.general_apply = kind.apply

    def write(self, operation: Any) -> None:
        """Let `operation` be what is written here, and so the backward of its nodes."""
        # For tracebacks: the name of a file beside this one, so that its lines are known to be minigrad's.
        name = self.front.name if self.front else self.forward.__name__
        text, file = self.text(), f"{__file__.removesuffix('usual.py')}<{name}>"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        names = operation.__globals__
        names.update(_NAMES, **self.used, Tensor=variable.result_class, kind=self.kind)
        names.update(general=self.general, general_apply=self.general_apply)
        exec(compile(text, file, "exec"), names)
        for part in ("__code__", "__defaults__", "__kwdefaults__"):
            setattr(operation, part, getattr(names["operation"], part))
        self.kind.apply = names["apply"]
        if self.kind.kept is without_tensors:
            self.kind.kept = names["kept"]

    def behind(self, front: Front | None, general: Callable[..., Any]) -> Usual:
        """The same as the usual case of a function that users call, as `front` says if not as the operation itself;
        `general` is that function for any arguments."""
        usual = Usual.__new__(Usual)
        renamed = {**self.renamed, **front.values} if front else self.renamed
        vars(usual).update(vars(self), front=front, general=general, numbers=False, renamed=renamed)
        return usual

    def text(self) -> str:
        """The operation and its backward as they would be written by hand."""
        self.used: dict[str, Any] = {}
        inputs = tuple(self.formulas)
        parts = [self._operation("operation", inputs, self.plain)]
        if self.numbers:
            parts.append(self._operation("with_number", inputs[:1], True))
        names = self.kind.saved_names
        slots = _tuple(f"{name}_{part}" for name in names for part in ("", "version"))
        unpacked = _lines(4, [f"{slots} = node.saved", *(line for name in names for line in self._unpack(name))])
        kept = _tuple(part for name in names for part in (self._keep(name), f"{name}_version"))
        or_freed = " or node.saved is None" if names else ""
        parts.append(
            _APPLY.format(or_freed=or_freed, unpacked=unpacked if names else "", gradients=_lines(4, self._gradients()))
        )
        parts.append(_KEPT.format(slots=slots, kept=kept) if names else "def kept(saved):\n    return saved\n")
        lines = "\n\n".join(parts).splitlines()
        return "\n".join(line for line in lines if line.strip() or not line) + "\n"  # without places left empty

    # -- the operation ------------------------------------------------------------------------------------------------

    def _operation(self, function: str, inputs: Sequence[str], plain: bool) -> str:
        """The function that does the operation where `inputs` are tensors, and the other arguments, if `plain`, not."""
        arguments = given = ", ".join(map(self._known_as, argument_names(self.forward)))
        if self.front:
            arguments, given = self.front.arguments(), self.front.given()
        known_as = {name: self._known_as(name) for name in inputs}
        raws = [
            f"_{name}" if name in inputs else self._known_as(name) if plain else f"raw_of({name})"
            for name in argument_names(self.forward)
        ]
        prepared, saved = self._saves(inputs, plain)
        others = []
        if len(inputs) < len(self.formulas):
            unusual_types = [_NO_FLOAT]
        else:
            unusual_types = [f"dtype is not _{name}.dtype" for name in inputs[1:]] if self.one_type else []
            if self.floats:
                unusual_types.append(f"({_NO_FLOAT})" if unusual_types else _NO_FLOAT)
            if self.numbers:
                number = self._known_as(argument_names(self.forward)[1])
                others = [
                    f"if type({number}) in NUMBERS and not (grad_mode.formula_used and mode.formula):",
                    f"    return with_number({given})",
                ]
        general = f"return general({given})"
        no_edge = " and ".join(f"edge_{name} is NO_EDGE" for name in inputs)
        some_edge = " or ".join(f"edge_{name} is not NO_EDGE" for name in inputs)
        if self.front:
            unusual_types.append(f"not ({self.front.only})")
        types = [f"dtype = _{inputs[0]}.dtype", f"if {' or '.join(unusual_types)}:", f"    {general}"]
        shapes, shape, fits = [], "new_value.shape", "False"
        if self.elementwise and len(self.formulas) == 1:
            shape, fits = f"edge_{inputs[0]}.shape or new_value.shape", f"edge_{inputs[0]}.shape is not None"
        elif self.elementwise:
            shape, fits = "shape", f"not shape or ({' and '.join(map(_FITS.format, inputs, ('is', '==')))})"
            shapes = _SHARED_SHAPE.format(inputs[0]).splitlines()
        return _OPERATION.format(
            function=function,
            arguments=arguments,
            are_tensors="".join(f"{_is_tensor(argument)} and " for argument in list(known_as.values())[1:])
            + ("not (more or named) and " if self.front else ""),
            values=_lines(
                12,
                (f"_{name} = {argument}.{'_array' if self.view else '_value'}" for name, argument in known_as.items()),
            ),
            types=_lines(8, types if unusual_types else []),
            result=_lines(12, [f"new_result = show({known_as[inputs[0]]}, new_value)"] if self.view else _RESULT),
            own_edge="_meta.view_edge" if self.view else "_edge",
            no_edge="" if self.view else "new_result._edge = NO_EDGE",
            computed=self._called("forward", self.forward, dict(zip(argument_names(self.forward), raws, strict=True))),
            edges=_lines(16, (f"edge_{name} = {argument}._edge" for name, argument in known_as.items())),
            tracked=some_edge if unusual_types else f"({some_edge}) and new_value.dtype.kind == 'f'",
            known_edges=_lines(
                20,
                (
                    line
                    for name, argument in known_as.items()
                    for line in (
                        f"if edge_{name} is None:",
                        f"    edge_{name} = asked_edge({argument})",
                        f"    if edge_{name} is LOST_EDGE: {general}",
                        f"    if {no_edge}: return {'new_result' if self.view else 'untracked(new_result)'}",
                    )
                ),
            ),
            saves=_lines(20, prepared),
            all_edges=_tuple(f"edge_{name}" if name in inputs else "NO_EDGE" for name in self.formulas),
            saved=_tuple(saved),
            shapes=_lines(20, shapes),
            shape=shape,
            dtype="dtype" if self.elementwise and unusual_types else "new_value.dtype",
            fits=fits,
            others=_lines(
                4,
                [
                    *others,
                    *(self.front.passed_on() if self.front else ()),
                    general,
                ],
            ),
            general=general,
        )

    def _called(self, name: str, function: Callable[..., Any], arguments: Mapping[str, str]) -> str:
        """What `function` gives for these arguments, as text: what stands in it where that is an expression, or a call.

        What the text names besides is put into `used`.
        """
        expression = expression_of(function)
        if expression is not None:
            found = used_by(function)
            if function is not self.forward:  # a formula: the operations that it calls are given arrays
                found = {each: on_arrays(value) if f"{each}(" in expression else value for each, value in found.items()}
            if not found.keys() & (_NAMES.keys() | _WORDS) and all(
                self.used.get(each, value) is value for each, value in found.items()
            ):
                self.used.update(found)
                names = "|".join(arguments)
                return re.sub(rf"(?<![.\w])({names})(?!\w|\s*=[^=])", lambda m: arguments[m[1]], expression)
        self.used[name] = function
        return f"{name}({', '.join(arguments.values())})"

    def _known_as(self, name: str) -> str:
        return self.renamed.get(name, name)

    def _saves(self, inputs: Sequence[str], plain: bool) -> tuple[list[str], list[str]]:
        """How values are saved: lines that prepare them; and each and its version."""
        lines, saved = [], []
        later: dict[str, dict[str, str]] = {}  # by a condition: what is saved only then, by name
        for name in self.kind.saved_names:
            own_lines, parts = self._save(name, inputs, plain)
            users = [user for user in inputs if name in parameters(self.formulas[user])]
            if not users:
                parts = "None", "None"
            elif len(users) == len(inputs):
                lines += own_lines
            else:
                needed = " or ".join(f"edge_{user} is not NO_EDGE" for user in users)
                values = {f"saved_{name}": parts[0], f"version_{name}": parts[1]}
                values = {variable: value for variable, value in values.items() if value != "None"}
                later.setdefault(needed, {}).update(dict.fromkeys(own_lines, "") | values)
                parts = f"saved_{name}", "None" if parts[1] == "None" else f"version_{name}"
            saved += parts
        for needed, values in later.items():
            lines.append(f"{' = '.join(variable for variable, value in values.items() if value)} = None")
            lines.append(f"if {needed}:")
            lines += [f"    {variable} = {value}" if value else f"    {variable}" for variable, value in values.items()]
        return lines, saved

    def _save(self, name: str, inputs: Sequence[str], plain: bool) -> tuple[list[str], tuple[str, str]]:
        """How a value is saved: lines that prepare it; and it and its version, None for what is surely no tensor."""
        argument, _, what = name.partition("_sym_")
        argument = self._known_as(argument)
        lines: list[str] = []
        if name == "result":
            lines, value, version = [*_RESULT_KEPT], "new_copy", "0"
        elif what:
            value, version = PROPERTIES[what].format(argument), "None"
        elif name in inputs:
            value, version = argument, f"0 if {argument}._counter is None else {argument}._counter[0]"
        else:
            value, version = argument, "None" if plain else f"version_of({argument})"
            if name == "indices":  # arrays
                version += " or 0"
        return lines, (value, version)

    # -- its backward -------------------------------------------------------------------------------------------------

    def _unpack(self, name: str) -> list[str]:
        """Lines that make a raw value of a saved one; what is not usual goes to the general way."""
        pass_on = "return general_apply(node, grads, create_graph)"
        differentiable = self._is_tensor(name)
        if not differentiable and (self.plain or "_sym_" in name):
            return []
        return [
            f"if {_is_tensor(name + '_')}:",
            f"    if {name}_._counter is not None and {name}_._counter[0] != {name}_version: {pass_on}",
            f"    {name}_ = {name}_._value",
            f"elif {f'{name}_ is FREED' if differentiable else f'{name}_version is not None'}: {pass_on}",
        ]

    def _keep(self, name: str) -> str:
        """What stays of a saved value when the tensors are freed."""
        if self._is_tensor(name):
            return f"FREED if {name}_version is not None else None"
        if self.plain or "_sym_" in name:
            return f"{name}_"
        return f"FREED if {name}_version is not None and holds_tensor({name}_) else {name}_"

    def _is_tensor(self, name: str) -> bool:
        return name in self.formulas or name in ("result", "indices")

    def _gradients(self) -> list[str]:
        calls = {}
        for name, formula in self.formulas.items():
            values = ("grads[0]", *(f"{need}_" for need in parameters(formula)))
            function = on_arrays(formula)
            given = dict(zip(argument_names(function), values, strict=True))
            calls[name] = self._called(f"grad_of_{name}", function, given)
        # numpy computes in the memory of a large array that nothing refers to. So let the last who needs the gradient
        # take it out of the list.
        taking = {name: "grads.pop()".join(call.rsplit("grads[0]", 1)) for name, call in calls.items()}
        taking = {name: call if call != "grads.pop()" else "grads[0]" for name, call in taking.items()}
        *others, last = reversed(calls) if self.last_first else calls
        if not others:
            return [f"return ({taking[last]},)"]
        lines = [f"{', '.join(f'edge_{name}' for name in calls)} = node.edges"]
        unless = f"None if edge_{last} is NO_EDGE else "
        if len(others) == 1:  # one of two is needed, or there would be no node
            alone = {others[0]: taking[others[0]], last: "None"}
            lines += [f"if edge_{last} is NO_EDGE:", f"    return {', '.join(map(alone.get, calls))}"]
            unless = ""
        lines += [f"grad_{name} = None if edge_{name} is NO_EDGE else {calls[name]}" for name in others]
        lines.append(f"grad_{last} = {unless}{taking[last]}")
        return [*lines, f"return {', '.join(f'grad_{name}' for name in calls)}"]


class Front:
    """How users call a function, most calls of which are the usual case of one operation.

    Attributes:
        name: of the function or, with a dot in front, of the method.
        positional: the arguments that are given by position.
        named: those that are given by name. Whatever is given otherwise is not usual.
        only: what must hold of the arguments, as text: that `dtype` is one of floats, and more. Of a tensor that the
            operation calls `self` the raw value is `_self`.
        values: for arguments of the operation that are called otherwise or not given at all, what stands for them.
    """

    def __init__(self, name: str, positional: str, named: str, only: str, values: Mapping[str, str]) -> None:
        self.name, self.positional, self.named = name, positional.split(), named.split()
        self.only, self.values = only, values

    def arguments(self) -> str:
        """What the function takes, as text."""
        positional = "".join(f"{name}=MISSING, " for name in self.positional)
        return f"{positional}/, *more, {''.join(f'{name}=MISSING, ' for name in self.named)}**named"

    def passed_on(self) -> list[str]:
        """Lines for what is not usual, but of the arguments here those by position are given and those by name not."""
        here = [*(f"{name} is not MISSING" for name in self.positional), *(f"{name} is MISSING" for name in self.named)]
        return [f"if {' and '.join(here)}:", f"    return general({', '.join(self.positional)}, *more, **named)"]

    def given(self) -> str:
        """What it was given, as text."""
        positional = ", ".join(f"_{i}={name}" for i, name in enumerate(self.positional))
        named = "".join(f"**present({name}={name}), " for name in self.named)
        return f"*present({positional}).values(), *more, {named}**named"


_OPERATION = """\
def {function}({arguments}):
    if {are_tensors}not grad_mode.special:
        try:
            {values}
        except AttributeError:
            {general}
        {types}
        try:
            new_value = {computed}
        except (TypeError, ValueError):
            pass  # the general way, below, tells what is wrong
        else:
            {result}
            if not grad_mode.off or mode.enabled:
                {edges}
                if {tracked}:
                    {known_edges}
                    {saves}
                    new_node = PlainNode()
                    new_node.key = next_key()
                    new_node.kind = kind
                    new_node.edges = {all_edges}
                    {shapes}
                    new_node.shape = {shape}
                    new_node.dtype = {dtype}
                    new_node.fits = {fits}
                    new_node.extras = None
                    new_node.saved = {saved}
                    if grad_mode.inference_used:
                        refuse_inference_tensors(new_node.saved)
                    new_result.{own_edge} = new_node
                    return new_result
            {no_edge}
            return new_result
    {others}
"""

#: Names that the text uses for itself.
_WORDS = {"Tensor", "general", "general_apply", "kind", "operation", "with_number", "apply", "kept", "node", "grads"}

_NO_FLOAT = "dtype is not float32 and dtype.kind != 'f'"  # by far the commonest need not tell its kind

_FITS = "(edge_{0}.shape {1} shape or edge_{0} is NO_EDGE)"

_SHARED_SHAPE = """\
shape = new_value.shape
if edge_{0}.shape == shape:
    shape = edge_{0}.shape  # one object for all nodes of this shape"""

_RESULT = (
    "new_result = new(Tensor)",
    "new_result._value = new_value",
    "new_result._counter = new_result._meta = None",
)

_RESULT_KEPT = (
    "new_copy = new(Tensor)  # without the history of the result: that would be a cycle",
    "new_copy._value = new_value",
    "new_copy._edge = NO_EDGE",
    "new_copy._counter = new_result._counter = [0]",
    "new_copy._meta = None",
)

_APPLY = """\
def apply(node, grads, create_graph):
    if create_graph{or_freed}:
        return general_apply(node, grads, create_graph)
    {unpacked}
    {gradients}
"""

_KEPT = """\
def kept(saved):
    {slots} = saved
    return {kept}
"""


def _is_tensor(name: str) -> str:
    return f"(type({name}) is Tensor or isinstance({name}, Tensor))"


def _tuple(items: Iterable[str]) -> str:
    items = list(items)
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"


def _lines(indent: int, lines: Iterable[str]) -> str:
    return ("\n" + " " * indent).join(lines)


def written_later(forward: Callable[..., Any], make: Callable[[Callable[..., Any]], Usual]) -> Any:
    """The operation of a function on raw arrays, which is written, from `make(forward)`, when it is first called."""
    operation: Any = FunctionType(_unwritten.__code__, {"__name__": forward.__module__}, None, forward.__defaults__)
    operation.__kwdefaults__ = {"operation": operation}
    made = operation.__dict__
    # The same for two threads that ask at once: their nodes are of one kind.
    operation.usual = lambda: made.get("made") or made.setdefault("made", make(forward))
    return operation


def in_front(front: Front | None, operation: Any, general: Callable[..., Any]) -> Any:
    """The function that users call: the usual case of `operation`, and `general` for any other arguments."""
    return written_later(operation.forward, lambda _: operation.usual().behind(front, general))


def _unwritten(*args: Any, operation: Any, **options: Any) -> Any:
    operation.usual().write(operation)
    return operation(*args, **options)


# ---------------------------------------------------------------------------------------------------------------------
# Formulas


def argument_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the arguments of a plain function."""
    code = function.__code__
    return code.co_varnames[: code.co_argcount]


def parameters(formula: Callable[..., Any]) -> tuple[str, ...]:
    """What a formula needs besides the gradient: the names of its parameters after the first."""
    names = argument_names(on_arrays(formula))[1:]
    if formula is on_arrays(formula):
        return names
    # In an operation `result` is its own, so that of the differentiated one is called `output`.
    return tuple("result" if name == "output" else name for name in names)


def expression_of(function: Callable[..., Any]) -> str | None:
    """What a function returns, as its source says it, if it is one expression and nothing else; or None."""
    code = function.__code__
    line, last_line, left, right = list(code.co_positions())[-2]  # of what is returned
    if line is None or last_line is None or code.co_freevars:
        return None
    lines = [linecache.getline(code.co_filename, number).encode() for number in range(line, last_line + 1)]
    lines[-1] = lines[-1][:right]
    lines[0] = lines[0][left:]
    expression = re.sub(r"(?<=[(\[{]) | (?=[)\]}])", "", " ".join(part.decode().strip() for part in lines))
    arguments = ", ".join(argument_names(function))
    if function.__name__ == "<lambda>":
        text = f"again = lambda {arguments}: {expression}"
    else:
        text = f"def again({arguments}):\n    {function.__doc__!r}\n    return {expression}"
    modules = {name: value for name, value in used_by(function).items() if isinstance(value, ModuleType)}
    imports = [f"import {module.__name__} as {name}" for name, module in modules.items()]
    names: dict[str, Any] = {}
    try:
        exec("\n".join([*imports, text]), names)  # of a module that was imported Python calls functions in another way
    except SyntaxError:  # without source, or a part of a statement
        return None
    again = names["again"].__code__
    same = all(getattr(again, part) == getattr(code, part) for part in ("co_code", "co_consts", "co_names"))
    return expression if same and '"' not in expression else None


def used_by(function: Callable[..., Any]) -> dict[str, Any]:
    """What a function knows by the names of its module."""
    known = function.__globals__
    return {name: known[name] for name in function.__code__.co_names if name in known}


def on_arrays(formula: Callable[..., Any]) -> Callable[..., Any]:
    """What a formula is on raw arrays: of an operation just its forward."""
    return getattr(formula, "forward", formula)


# ---------------------------------------------------------------------------------------------------------------------
# What the text may use


class _Missing:
    """Stands for an argument that was not given."""


MISSING = _Missing()


def present(**arguments: Any) -> dict[str, Any]:
    """Those arguments that were given."""
    return {name: value for name, value in arguments.items() if value is not MISSING}


def raw_of(argument: Any) -> Any:
    """An argument as `forward` takes it: arrays for tensors, also for those in a tuple or a list."""
    if type(argument) in _PLAIN:
        return argument
    if isinstance(argument, TensorBase):
        return argument._value
    if isinstance(argument, tuple | list) and not _PLAIN.issuperset(map(type, argument)):
        return type(argument)(map(raw_of, argument))
    return argument


_PLAIN = frozenset({bool, int, float, str, type(None)})


def version_of(argument: Any) -> int | None:
    """The version at which an argument is saved; 0 for what may hold tensors, None for what surely does not."""
    if isinstance(argument, TensorBase):
        return argument._version_counter[0]
    several = isinstance(argument, tuple | list) and not _PLAIN.issuperset(map(type, argument))
    return 0 if several else None


def holds_tensor(value: Any) -> bool:
    """Whether a saved value is a tensor or an array, or holds one."""
    if isinstance(value, TensorBase | Packed) or hasattr(value, "strides"):  # or an array, numpy's or cupy's
        return True
    return isinstance(value, (tuple, list)) and any(map(holds_tensor, value))


def untracked(result: TensorBase) -> TensorBase:
    """A result that needs no gradient."""
    result._edge = NO_EDGE
    return result


def without_tensors(saved: tuple[Any, ...]) -> tuple[Any, ...]:
    """What is left of saved values when the tensors among them have been freed."""
    kept = list(saved)
    for i, (value, version) in enumerate(zip(saved[::2], saved[1::2], strict=True)):
        if version is not None and holds_tensor(value):
            kept[2 * i] = FREED
    return tuple(kept)


#: What a formula may ask for of an argument, instead of it: `self_sym_sizes`, `self_sym_strides`, `self_sym_numel`, and
#: `self_sym_argsize_0` for the size of one dimension. As text, in which {} is the argument.
PROPERTIES = {
    "sizes": "{}._value.shape",
    "strides": "element_strides({}._value)",
    "numel": "{}._value.size",
    "dtype": "{}._value.dtype",
    **{f"argsize_{dim}": f"{{}}._value.shape[{dim}]" for dim in range(3)},
}

#: Beside floats these need no promotion; a bool may be refused, and is looked at more closely.
NUMBERS = (int, float)

_NAMES: dict[str, Any] = {
    "asked_edge": asked_edge,
    "FREED": FREED,
    "LOST_EDGE": LOST_EDGE,
    "NO_EDGE": NO_EDGE,
    "float32": np.dtype(np.float32),
    "untracked": untracked,
    "NUMBERS": NUMBERS,
    "PlainNode": PlainNode,
    "grad_mode": grad_mode,
    "MISSING": MISSING,
    "present": present,
    "holds_tensor": holds_tensor,
    "mode": mode,
    "new": object.__new__,
    "next_key": next_key,
    "raw_of": raw_of,
    "refuse_inference_tensors": refuse_inference_tensors,
    "show": show,
    "element_strides": element_strides,
    "version_of": version_of,
}
