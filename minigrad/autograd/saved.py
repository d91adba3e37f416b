"""What a node saves for its derivative: how it is kept, checked, taken out again, and let go.

`node._saved` is flat: value, version, value, version, … A result is saved without its grad_fn, which is that very node:
that would be a cycle. A version of None marks what stays after backward, as a shape; else FREED then stands there.
"""

from __future__ import annotations

from typing import Any

from ..devices import tensor_type
from ..refusals import refused
from .grad_mode import unusual
from .variable import TensorBase, make_alias


class Absent:
    """Stands in `node._saved` where a tensor was: let go, or replaced by what a user's hook kept (`graph.Packed`)."""

    def unpacked(self, node: Any) -> Any:
        """Refused; `graph.Packed` gives the tensor again, at its place in the graph. `node` has saved it."""
        raise refused("freed", node=node.name())


FREED = Absent()

_PLAIN = frozenset({bool, int, float, str, type(None)})


def version_of(value: Any) -> int | None:
    """The version at which a value is saved; 0 for arrays and what holds tensors, None for what needs no memory."""
    if isinstance(value, TensorBase):
        return 0 if value._counter is None else value._counter[0]
    if isinstance(value, tuple | list):
        held = any(version_of(each) is not None for each in value)
    else:
        held = type(value) not in _PLAIN and (isinstance(value, Absent) or hasattr(value, "strides"))
    return 0 if held else None


def freed(saved: tuple[Any, ...]) -> tuple[Any, ...]:
    """What is left of saved values after backward: numbers and shapes, which need no memory."""
    if len(saved) == 2:
        return saved if saved[1] is None else (FREED, 0)
    if len(saved) == 4 and saved[1] is not None and saved[3] is not None:  # of most operations of two tensors
        return (None if saved[0] is None else FREED), 0, (None if saved[2] is None else FREED), 0
    left = list(saved)
    for i in range(0, len(left), 2):
        if left[i] is not None and left[i + 1] is not None:
            left[i] = FREED
    return tuple(left)


def put_saved(node: Any, i: int, value: Any, version: int = 0) -> None:
    """Let `value` be what `node` has saved in slot `i`."""
    node._saved = (*node._saved[: 2 * i], value, version, *node._saved[2 * i + 2 :])


def unpack(node: Any, create_graph: bool = False) -> list[Any]:
    """The values `node` saved: raw, or tensors with `create_graph`. Raises if they were freed, or written since."""
    saved = node._saved
    return [take_out(node, i, saved[2 * i], saved[2 * i + 1], create_graph) for i in range(len(saved) // 2)]


def take_out(node: Any, i: int, value: Any, version: Any, create_graph: bool) -> Any:
    """What `node` saved in slot `i`, a value at a version."""
    if version is None or type(value) in _PLAIN:
        return value
    if isinstance(value, TensorBase):
        output_nr = result_nr(node, i)
        if value._counter is not None and value._counter[0] != version:
            check_version(node, value, version, output_nr)
        if not create_graph:
            return value._value
        return value if output_nr is None else make_alias(value, (node, output_nr))  # at its place in the graph again
    if isinstance(value, Absent):
        tensor = value.unpacked(node)
        return tensor if create_graph else tensor._value
    if isinstance(value, tuple | list):
        return type(value)(take_out(node, i, v, version_of(v), create_graph) for v in value)
    return value


def result_nr(node: Any, i: int) -> int | None:
    """Which output of `node` slot `i` holds: 0 for `result`, n for `resultn`; None for an input."""
    name = node._names_of_saved[i]
    return int(name[6:] or 0) if name.startswith("result") else None


def check_version(node: Any, tensor: Any, version: float, output_nr: int | None) -> None:
    """Raise PyTorch's error if `tensor` has been written since `node` saved it at `version`, perhaps as its output."""
    now = tensor._version_counter[0]
    if now == version:
        return
    if int(now) == int(version):  # all that has been added is the fraction of `detach_()`
        raise refused("detached since", node=node.name())
    maker, output_nr = (tensor.grad_fn, tensor.output_nr) if output_nr is None else (node, output_nr)
    raise refused(
        "written since, in anomaly mode" if "anomaly mode" in unusual else "written since",
        node=node.name(),
        kind=tensor_type(tensor._value),
        shape=list(tensor._value.shape),
        made_by="" if maker is None else f", which is output {output_nr} of {maker._short_name()},",
        now=int(now),
        saved=int(version),
    )
