"""What a tensor and a node must answer to be drawn, and a node to be recorded: PyTorch's do, and a learner's own may.
And how a graph of such nodes is walked, and put in order.

Whether something is a tensor or a node is asked of its class, so that nothing of the reader's runs where a notebook is
searched for tensors.
All else that PyTorch has (``_saved_*``, ``metadata``, ``output_nr``, ``_version``) is shown where it is there.
"""

import heapq
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..language import message, words
from ..strings import clean

Functions = tuple[tuple[Any, int], ...]  # a node's next_functions
Inputs = dict[Any, Functions]  # of each node
OF_THE_CLASS = ("grad_fn", "requires_grad", "is_leaf", "next_functions", "variable")
TENSOR = ("grad_fn", "requires_grad", "is_leaf", "grad", "shape", "dtype")
NODE = ("next_functions", "name", "_sequence_nr")
HOOKS = ("register_prehook", "register_hook")
_LISTENING = ("__torch_function__", "__torch_dispatch__")
_CALLED = ("name", "_sequence_nr", *HOOKS)


class Lacks(TypeError):
    """A tensor or a node has not all that is asked of it."""


def require(thing: Any, parts: Iterable[str]) -> None:
    """Refuses, in words, a tensor or node that lacks some of the `parts`."""
    missing = [part for part in parts if not _has(thing, part)]
    if not missing:
        return
    kind = type(thing).__name__
    name = f" {clean(thing.name())}" if _has(thing, "name") and thing.name() != kind else ""
    told = {}
    for lang, gap, around in (("en", "; ", "{} ({})"), ("zh", "；", "{}（{}）")):
        calls = ((part, part + "()" * (part in _CALLED)) for part in missing)
        told[lang] = gap.join(around.format(call, words(f"part_{part}")[lang]) for part, call in calls)
    raise Lacks(message("lacks", kind=clean(kind), name=name, missing=", ".join(missing), **told))


def _has(thing: Any, part: str) -> bool:
    # the class first: to ask a result for its .grad would warn
    if not hasattr(type(thing), part) and (part in OF_THE_CLASS or not hasattr(thing, part)):
        return False
    if part == "next_functions":
        return all(isinstance(pair, tuple) and len(pair) == 2 for pair in thing.next_functions)
    return part not in _CALLED or callable(getattr(thing, part))


def is_tensor(value: Any) -> bool:
    """Whether `value` speaks the tensor side of the protocol. Asks the class, so nothing of the reader's runs."""
    cls = type(value)
    return hasattr(cls, "grad_fn") and hasattr(cls, "requires_grad") and hasattr(cls, "is_leaf")


def listens(cls: type | None = None) -> str:
    """What of the program's would hear of all that is asked of a tensor of that class, or of any: the name of a class
    that has ``__torch_function__``, of a mode of PyTorch's, or its profiler. Empty where nothing does."""
    for one in cls.__mro__ if cls else ():
        if one.__module__.partition(".")[0] != "torch" and not vars(one).keys().isdisjoint(_LISTENING):
            return one.__name__
    library: Any = getattr(sys.modules.get("torch"), "_C", None)
    functions, dispatches = (getattr(library, f"_len_torch_{stack}_stack", int)() for stack in ("function", "dispatch"))
    modes = [type(library._get_function_stack_at(i)) for i in range(functions)]
    modes = [mode for mode in modes if mode.__module__ != "torch.utils._device"]  # the default device, often all day
    modes += [type(library._get_dispatch_stack_at(i)) for i in range(dispatches)]
    profiler = getattr(getattr(library, "_autograd", None), "_profiler_enabled", bool)()
    return next((mode.__name__ for mode in modes), "profiler" * profiler)


def is_accumulate(node: Any) -> bool:
    """Whether an autograd node is an AccumulateGrad: only that has a ``variable``."""
    return hasattr(type(node), "variable")


def is_node(value: Any) -> bool:
    """Whether `value` is an autograd node: a ``grad_fn``. Asks the class, so nothing of the reader's runs."""
    return hasattr(type(value), "next_functions") and hasattr(type(value), "name")


def node_of(output: Any) -> Any:
    """Where a backward pass of `output`, a tensor or a node, begins; None for a leaf."""
    return output if is_node(output) else output.grad_fn


def result_key(tensor: Any) -> Any:
    """What two tensors have in common that are the same result: (node, number of the output); a leaf is only itself."""
    node = tensor.grad_fn
    return id(tensor) if node is None else (node, getattr(tensor, "output_nr", 0))


def sequence_key(node: Any) -> tuple[int, str]:
    """What tells an operation's node from all others of its thread, dead ones too: its sequence number and name."""
    return node._sequence_nr(), op_name(node)


def op_name(node: Any) -> str:
    """``node.name()`` without the C++ namespace: ``AccumulateGrad``, ``CopySlices``, ``MulBackward0``."""
    return str(node.name()).rpartition("::")[2]


def walk(outputs: Iterable[Any], enter: Callable[[Any], bool] = lambda node: True) -> Iterator[tuple[Any, Functions]]:
    """Every operation that the tensors or nodes `outputs` came from, each once, with its next functions; none that
    `enter` refuses, nor what only that leads to. Iterative: depth is no limit. Refuses, in words, a node that lacks
    what is asked of it."""
    seen: set[Any] = set()
    known: set[type] = set()
    stack = [node for output in reversed(tuple(outputs)) if (node := node_of(output)) is not None]
    while stack:
        node = stack.pop()
        if type(node) not in known:
            known.add(type(node))
            _check(node)
        if not is_accumulate(node) and node not in seen and enter(node):
            seen.add(node)
            leads_to = tuple(node.next_functions)
            yield node, leads_to
            stack.extend(other for other, _ in reversed(leads_to) if other is not None)


def _check(node: Any) -> None:
    if is_accumulate(node):
        require(node, NODE[1:])
        require(node.variable, TENSOR)
        return
    adds = callable(getattr(node, "name", None)) and op_name(node) == "AccumulateGrad"
    require(node, ("variable", *NODE[1:]) if adds else NODE)


class _Alike(tuple[Any]):
    """A node in a heap, where of two that are as young the heap decides, as it does in the engines."""

    def __lt__(self, other: object) -> bool:
        return False


def backward_order(outputs: Iterable[Any], inputs: Inputs) -> list[Any]:
    """As the engine runs them: a node is ready when all its users ran, and of those ready the youngest goes first;
    AccumulateGrad nodes, which all count as youngest of all, go at once. The other way round, it is the order of the
    forward pass."""
    waiting = Counter(node for edges in inputs.values() for node, _ in edges if node is not None)
    roots = dict.fromkeys(node for output in outputs if (node := node_of(output)) is not None)
    order: list[Any] = []
    ready: list[tuple[int, _Alike]] = []
    to_come = [node for node in roots if not waiting[node]]
    while to_come or ready:
        for node in to_come:
            heapq.heappush(ready, (-node._sequence_nr(), _Alike((node,))))
        _, (node,) = heapq.heappop(ready)
        order.append(node)
        to_come = []
        for other in [other for other, _ in inputs.get(node, ()) if other is not None]:
            waiting[other] -= 1
            to_come += [other] * (not waiting[other])
    return order
