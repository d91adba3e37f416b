"""The names a program gives its tensors.

PyTorch's tensors do not know what they are called; the notebook's variables do. A name is a path a reader could type:
``w``, ``params[0]``, ``weights['in']``, ``model.fc.bias``.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from inspect import CO_OPTIMIZED
from itertools import islice
from types import FrameType
from typing import Any

from ..language import message
from .protocol import is_tensor, result_key

_KEYS = (str, int, bool, type(None))  # that a reader could type: the words of another are its class's, and code
_HOLDERS = (list, tuple, dict)
_MOST_ITEMS = 1000  # of one variable: a list of a million floats is not searched for tensors


def caller_namespace(frame: FrameType) -> dict[str, Any]:
    """The variables that code running in `frame` sees: its locals, then its module's or notebook's globals."""
    local = frame.f_locals
    found = {**frame.f_globals, **local}
    # Before Python 3.13 a function's frame keeps the dictionary that it gives, and with it what the function has long
    # let go; so its variables are taken out, unless the function holds it, too: else the frame, `local` and the
    # argument do. What else is there came from ``exec``, and has no other place.
    code = frame.f_code
    if code.co_flags & CO_OPTIMIZED and type(local) is dict and sys.getrefcount(local) <= 3:
        for name in (*code.co_varnames, *code.co_cellvars, *code.co_freevars):
            local.pop(name, None)
    return found


def library_of(tensor: Any) -> str:
    """The name of the package that a tensor is of."""
    cls = next(cls for cls in reversed(type(tensor).__mro__) if hasattr(cls, "grad_fn"))
    return cls.__module__.partition(".")[0]


def _variables(namespace: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in list(namespace.items()):
        # A name that is no identifier belongs to the interpreter or a tool (".0", "@py_assert1").
        if isinstance(name, str) and name.isidentifier() and not name.startswith("_") and name not in ("In", "Out"):
            yield name, value


def named_tensors(namespace: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """(name, tensor) pairs for the variables of `namespace`; a plain variable comes before a path into a container.

    Names that start with an underscore are skipped: a notebook keeps its history (``_``, ``_12``) under them.
    """
    plain: list[tuple[str, Any]] = []
    paths: list[tuple[str, Any]] = []
    deeper: list[tuple[str, Any]] = []  # parameters of modules in containers, which may have a shorter path
    for name, value in _variables(namespace):
        if is_tensor(value):
            plain.append((name, value))
        else:
            with suppress(Exception):  # a module whose __init__ did not run, …: what it holds has no name
                paths += _parameters(name, value)
                for path, item in _items(name, value, namespace.get("__name__")):
                    if is_tensor(item):
                        paths.append((path, item))
                    else:
                        deeper += _parameters(path, item)
    known = {id(tensor) for _, tensor in paths}
    return [*plain, *paths, *(pair for pair in deeper if id(pair[1]) not in known)]


def named_modules(namespace: Mapping[str, Any]) -> dict[int, str]:
    """What the modules of `namespace` that have parameters, and those in them, are called there, by their addresses."""
    found: dict[int, str] = {}
    inside: dict[int, str] = {}  # of containers, whose modules may have a shorter path
    for name, value in _variables(namespace):
        with suppress(Exception):
            for path, item in [(name, value), *_items(name, value, namespace.get("__name__"))]:
                for inner, module in item.named_modules() if _is_module(item) else ():
                    if any(True for _ in module.parameters()):
                        (found if path == name else inside).setdefault(id(module), f"{path}.{inner}".rstrip("."))
    return inside | found


def _is_module(value: Any) -> bool:
    return callable(getattr(type(value), "named_parameters", None)) and not issubclass(type(value), type)


def _parameters(name: str, module: Any) -> list[tuple[str, Any]]:
    """The parameters of a module called `name`; what is shared, as tied weights are, by each of its names."""
    if not _is_module(module):
        return []
    try:
        found = module.named_parameters(remove_duplicate=False)
    except TypeError:  # somebody's own
        found = module.named_parameters()
    return [(f"{name}.{path}" if name else path, parameter) for path, parameter in found]


def _items(name: str, value: Any, here: Any) -> Iterator[tuple[str, Any]]:
    """The tensors and modules in a list, tuple, dict, dataclass, or an object of a class that was defined `here`, and
    in what of that kind it holds, as far as they are not too many."""
    holders, room = {id(value): (name, value)}, _MOST_ITEMS
    to_see = list(holders.values())
    for path, holder in to_see:
        form, parts = held(holder, here, room)
        pairs = [pair for pair in parts if type(pair[0]) in _KEYS]  # a list: another thread may change what they are of
        room = max(0, room - len(pairs))
        sample = {type(item): item for _, item in pairs}  # among a thousand numbers one is asked
        wanted = {kind for kind, one in sample.items() if is_tensor(one) or _is_module(one)}
        holding = {kind for kind in sample if issubclass(kind, _HOLDERS) or _has_fields(kind, here)} if room else ()
        for key, item in pairs if wanted or holding else ():
            if type(item) in wanted:
                yield form.format(path, key), item
            if type(item) in holding and id(item) not in holders:
                holders[id(item)] = form.format(path, key), item
                to_see.append(holders[id(item)])


def held(value: Any, here: Any, room: int) -> tuple[str, Iterable[tuple[Any, Any]]]:
    """How a part of it is written, and its parts, as far as there is `room` for them: past what its class answers."""
    kind = type(value)
    for base in (list, tuple):
        if issubclass(kind, base):
            return "{}[{}]", enumerate(islice(base.__iter__(value), max(0, room)))
    if _has_fields(kind, here) and kind.__dictoffset__ and not issubclass(kind, type):
        fields = object.__getattribute__(value, "__dict__").items()  # past a __getattr__ of the learner's
        # a module's parameters have names
        return "{}.{}", (pair for pair in fields if not pair[0].startswith("_")) if _is_module(value) else fields
    if issubclass(kind, dict):
        return "{}[{!r}]", islice(dict.items(value), max(0, room))
    return "", ()


def _has_fields(kind: type, here: Any) -> bool:
    """Whether what it holds is known by fields: those of a class of the notebook, or of a dataclass, as a model of
    Hugging Face's gives one."""
    return kind.__module__ == here or hasattr(kind, "__dataclass_fields__")


def explicit_names(names: Any) -> list[tuple[str, Any]]:
    """(name, tensor) pairs of the `names=` argument: a dict from name to tensor, or a module with named parameters."""
    if names is None:
        return []
    if _is_module(names):
        return _parameters("", names)
    if not isinstance(names, Mapping) or not all(isinstance(k, str) and is_tensor(t) for k, t in names.items()):
        raise TypeError(message("wrongNames"))
    return list(names.items())


class Names:
    """Looks up what a tensor is called; what `explicit` names keeps no other name. `lost`: the names that leaves had
    before the program gave them to other tensors."""

    def __init__(
        self, explicit: list[tuple[str, Any]], found: list[tuple[str, Any]], lost: Sequence[tuple[str, Any]] = ()
    ) -> None:
        self._lost = {id(tensor) for _, tensor in lost}
        self._alive = explicit, found, lost  # a key is an address: it is good only while its owner lives
        self._names: dict[Any, tuple[str, ...]] = {}
        self._results: dict[Any, dict[int, Any]] = {}  # of a node: its outputs that have a name
        given, seen = list(self._keyed([*explicit, *lost])), list(self._keyed(found))
        plain = [one for one in seen if one[0].isidentifier()]
        paths = [one for one in seen if not one[0].isidentifier()]
        # what a loop over the leaves of a module, or of an object, called the last of them is no name of it
        owned = [one for one in paths if one[1].requires_grad and one[2] == id(one[1]) and one[0][-1] != "]"]
        for some in (given, owned, plain, paths):
            new: dict[Any, dict[str, None]] = {}
            for name, tensor, key in some:
                if tensor.grad_fn is not None:
                    self._results.setdefault(key[0], {})[key[1]] = tensor
                if key not in self._names:
                    new.setdefault(key, {})[name] = None
            self._names |= {key: tuple(names) for key, names in new.items()}
        self.known = {name for names in self._names.values() for name in names}

    def _keyed(self, pairs: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any, Any]]:
        for name, tensor in pairs:
            with suppress(Exception):  # a view whose memory was written elsewhere; or its class has a word in it
                yield name, tensor, result_key(tensor)

    def of_tensor(self, tensor: Any) -> tuple[str, ...]:
        """Names of a tensor: of the object itself for a leaf, of the result for a tensor that has a grad_fn."""
        return self._names.get(result_key(tensor), ())

    def words(self, tensor: Any) -> tuple[str, str] | None:
        """The text of the catalogue that says its name, where that is one which it has lost."""
        return ("oldName", self.of_tensor(tensor)[0]) if id(tensor) in self._lost else None

    def results(self, node: Any) -> list[Any]:
        """The named tensors whose ``grad_fn`` is `node`, in the order of its outputs."""
        return [tensor for _, tensor in sorted(self._results.get(node, {}).items())]
