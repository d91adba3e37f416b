"""Write down anew how PyTorch's built-in functions are called: `python -m tests.reference.signatures`.

PyTorch says it itself: a function that can be called in several ways lists them when it is called with nonsense, and of
one that can be called in one way, the schema of its operator says which.
"""

import inspect
import re
from pathlib import Path

import torch

import minigrad
from minigrad import creation, functions
from minigrad.functions.signatures import ways_of

PACKAGE = Path(minigrad.__file__).parent
# Where PyTorch's functions in Python hand their arguments to functions in C++.
RELAYS = [PACKAGE / path for path in ("functions/relays.py", "nn/relays.py", "nn/functional.py")]
TABLE = Path(minigrad.__file__).parent / "functions" / "signatures.txt"
HEAD = """\
# How PyTorch's built-in functions are called, as PyTorch says it; written by `python -m tests.reference.signatures`.
# Behind a type `?` means that None will do, `[1]` that one number will. "hidden": a way that PyTorch does not tell.
# Methods (.name) stand here where they are not called as the function without its first argument and without `out`,
# and those in place (.name_) where they are not called as the method.
"""
TYPES = {
    "Tensor": "Tensor", "Tensor[]": "tuple of Tensors", "int": "int", "SymInt": "int", "int[]": "tuple of ints",
    "SymInt[]": "tuple of ints", "float": "float", "Scalar": "Number", "bool": "bool", "str": "str",
    "ScalarType": "torch.dtype", "Generator": "torch.Generator", "float[]": "tuple of floats", "Device": "torch.device",
    "Layout": "torch.layout", "MemoryFormat": "torch.memory_format",
}  # fmt: skip
OPTIONS = (
    "Tensor out = None, torch.dtype? dtype = None, torch.layout? layout = None, torch.device? device = None, "
    "bool pin_memory = False, bool requires_grad = False"
)
# Without a schema, or with one that is for TorchScript only.
BY_HAND = {
    "tensor": [
        "object data, *, torch.dtype? dtype = None, torch.device? device = None, bool pin_memory = False, "
        "bool requires_grad = False"
    ],
    "nonzero": ["Tensor input, *, bool as_tuple = False, Tensor out = None"],
    "asarray": [
        "object obj, *, torch.dtype? dtype = None, torch.device? device = None, bool? copy = None, "
        "bool requires_grad = False"
    ],
    "as_tensor": ["object data, *, torch.dtype? dtype = None, torch.device? device = None"],
    ".numpy": ["*, bool force = False"],
    ".is_contiguous": ["*, torch.memory_format memory_format = torch.contiguous_format"],
    ".new_tensor": [
        "object data, *, torch.dtype? dtype = None, torch.device? device = None, bool requires_grad = False"
    ],
    ".size": ["int? dim = None"],
    ".stride": ["int? dim = None"],
    **{
        f".{name}": ["*, torch.memory_format? memory_format = None"]
        for name in ("double", "float", "half", "long", "int", "short", "char", "byte", "bool", "cpu")
    },
}


def parameters(way: str) -> list[str]:
    """`Tensor input`, `int dim = 0`, … of a way to call."""
    return [part for part in re.split(r", (?![^\[]*\])", way) if part]


def bare(way: str) -> list[str]:
    """The parameters without `out`, defaults and marks."""
    return [re.sub(r" = .*|\[\d*\]|\?", "", p) for p in parameters(way) if " out" not in p and p != "*"]


def from_schemas(operator: str, as_method: bool) -> list[str]:
    """The ways in which an operator may be called, as its schemas say."""
    found, with_out = [], []
    for schema in torch._C._jit_get_schemas_for_operator(f"aten::{operator}"):
        inside = str(schema).split("(", 1)[1].rsplit(") ->", 1)[0]
        shown = [_parameter(argument) for argument in parameters(re.sub(r"\(\w+ -> \*\)", "", inside))]
        if None in shown:
            continue
        written = [p for p in shown if p.startswith("!")]
        way = ", ".join(p for p in shown if not p.startswith("!")).removesuffix(", *").removesuffix("*")
        if "pin_memory" in way:
            laid = ", torch.memory_format? memory_format = None" if "memory_format" in way else ""
            way = re.sub(r"torch.dtype\? dtype.*", OPTIONS + laid, way)
        if as_method:
            first, _, way = way.partition(", ")
            if first != "Tensor input":
                continue
        if written:
            with_out.append(bare(way))
        elif as_method or "Tensor" in way or "pin_memory" in way:
            found.append(way)
    if as_method:
        return found
    return [
        way + (", " if "*" in way else ", *, ") + "Tensor out = None" if bare(way) in with_out else way for way in found
    ]


def _parameter(argument: str) -> str | None:
    """One argument of a schema as PyTorch's Python shows it; with "!" in front if it is where the result goes."""
    if argument == "*":
        return argument
    kind, _, name = argument.partition(" ")
    name, _, default = name.partition("=")
    parts = re.fullmatch(r"(\w+)(\(\w!?\))?(\[\d*\])?(\?)?(\[\])?", kind)
    base = parts and TYPES.get(parts[1] + ("[]" if parts[3] or parts[5] else ""))
    if not base or name in ("a", "b") or (name == "self" and base not in ("Tensor", "Number")):
        return None  # an operator of TorchScript alone
    if (parts[2] or "").endswith("!)") and name != "self":
        return "!" + name
    size = parts[3] if parts[3] not in (None, "[]") else ""
    mark = "?" if parts[4] and not parts[5] else ""
    return f"{base}{size}{mark} {'input' if name == 'self' else name}" + (f" = {default}" if default else "")


def listed(function: object, as_method: bool) -> list[str]:
    """The ways that PyTorch itself lists when it is called with nonsense; [] if there is only one."""
    try:
        function(*([torch.ones(1)] if as_method else []), *[object()] * 19)
    except Exception as error:
        one = re.search(r"but expected \((.*)\)$", str(error))
        return [one[1], "hidden"] if one else re.findall(r"^ \* \((.*)\)$", str(error), re.MULTILINE)
    return []


def takes_nothing(method: object) -> bool:
    """Whether PyTorch says of a method that it takes no arguments."""
    try:
        method(torch.ones(2), None)
    except Exception as error:
        return "takes no arguments" in str(error)
    return False


def marked(way: str, schemas: list[str]) -> str:
    """A way as PyTorch lists it, with the marks that its schema gives."""
    for schema in schemas:
        if bare(schema) == bare(way):
            types = {bare(p)[0]: p.partition(" = ")[0] for p in parameters(schema) if bare(p)}
            return ", ".join(
                p.replace(bare(p)[0], types[bare(p)[0]]) if bare(p) and bare(p)[0] in types else p
                for p in parameters(way)
            )
    return way


def ways(name: str) -> list[str]:
    """How a built-in function or (.name) method is called; [] for one that PyTorch has written in Python."""
    as_method = name.startswith(".")
    place, operator = torch.Tensor if as_method else torch, name.removeprefix(".").replace(".", "_")
    if name == "new":  # what torch.Tensor and torch.FloatTensor call themselves
        return listed(torch.Tensor, as_method=False)
    if name.startswith("linalg."):
        place = torch.linalg
    if name == "linear":
        place = torch.nn.functional
    if name.startswith("C."):
        place = next(
            (p for p in (torch._C._nn, torch._C._linalg, torch._C._VariableFunctions) if hasattr(p, name[2:])), None
        )
        operator = name[2:]
    function = getattr(place, name.rpartition(".")[2], None)
    if not (inspect.isbuiltin(function) or (as_method and inspect.ismethoddescriptor(function))):
        return []
    if as_method and takes_nothing(function):
        return [""]
    schemas = from_schemas(operator, as_method)
    several = listed(function, as_method)
    if several:
        return [marked(way, schemas) for way in several]
    return BY_HAND.get(name, schemas[:1])


def text() -> str:
    """The table, without what follows from the rest of it."""
    names = [*functions.__all__, *creation.__all__, *(f"linalg.{name}" for name in minigrad.linalg.__all__)]
    names += [
        "linear",
        "new",
        *sorted({f"C.{name}" for file in RELAYS for name in re.findall(r"\bC\.(\w+)", file.read_text())}),
    ]
    names += [*(f".{name}" for name in vars(minigrad.Tensor) if not name.startswith("_"))]
    found = {name: ways(name) for name in names}
    lines = []
    for name in sorted(found, key=lambda name: (name.startswith("."), name)):
        known = {line.partition(": ")[0]: line.partition(": ")[2] for line in lines}
        if found[name] and found[name] != [str(way) for way in ways_of(name, known)]:
            lines.append(f"{name}: {' | '.join(found[name])}")
    return HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    TABLE.write_text(text(), encoding="utf-8", newline="\n")
