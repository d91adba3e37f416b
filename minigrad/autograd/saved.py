"""What a node saves for its derivative: how it is kept, checked, taken out again, and let go.

`node._saved` is flat: value, version, value, version, … A result is saved without its grad_fn, which is that very node:
that would be a cycle. A version of None: surely no tensor. After backward FREED stands where a tensor was.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..devices import tensor_type
from ..hints import with_hint
from .grad_mode import unusual
from .variable import NO_EDGE, DetachedCounter, Edge, TensorBase, make_alias, make_tensor, pair_of


class Freed:
    """Stands in `node._saved` where a tensor was. What a user's hook has kept instead is `saved_hooks.Packed`."""

    def unpacked(self, node: Any) -> Any:
        """The tensor again, at its place in the graph; `node` is the one that saved it."""
        raise freed_error(node)


FREED = Freed()

_PLAIN = frozenset({bool, int, float, str, type(None)})


def version_of(value: Any) -> int | None:
    """The version at which a value is saved; 0 for what may hold tensors, None for what surely does not."""
    if isinstance(value, TensorBase):
        return 0 if value._counter is None else value._counter[0]
    return 0 if holds_tensor(value) else None


def holds_tensor(value: Any) -> bool:
    """Whether a saved value is a tensor or an array, or holds one."""
    if type(value) in _PLAIN:
        return False
    if isinstance(value, tuple | list):
        return any(map(holds_tensor, value))
    return isinstance(value, TensorBase | Freed) or hasattr(value, "strides")  # or an array, numpy's or cupy's


def freed(saved: tuple[Any, ...]) -> tuple[Any, ...]:
    """What is left of saved values after backward: numbers and shapes, which need no memory."""
    if len(saved) == 2:
        return saved if saved[1] is None else _ONE_FREED
    if len(saved) == 4 and saved[1] is not None and saved[3] is not None:  # of most operations of two tensors
        return _TWO_FREED[saved[0] is None, saved[2] is None]
    left = list(saved)
    for i in range(1, len(left), 2):
        if left[i] is not None and left[i - 1] is not None:
            left[i - 1] = FREED
    return tuple(left)


_ONE_FREED = (FREED, 0)
_TWO_FREED = {(a, b): (None if a else FREED, 0, None if b else FREED, 0) for a in (True, False) for b in (True, False)}


def unpack(node: Any, create_graph: bool = False) -> list[Any]:
    """The values `node` saved: raw, or tensors with `create_graph`.

    Raises PyTorch's errors if they have been freed, or written since.
    """
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
        return value if output_nr is None else reattached(node, value, output_nr)
    if isinstance(value, Freed):
        tensor = value.unpacked(node)
        return tensor if create_graph else tensor._value
    if isinstance(value, tuple | list):
        return type(value)(take_out(node, i, v, version_of(v), create_graph) for v in value)
    return value


def result_nr(node: Any, i: int) -> int | None:
    """Which output of `node` slot `i` holds: 0 for `result`, n for `resultn`; None for an input."""
    name = node._names_of_saved[i]
    return int(name[6:] or 0) if name.startswith("result") else None


def reattached(node: Any, value: TensorBase, output_nr: int) -> TensorBase:
    """A saved result of `node`, at its place in the graph again.

    If it was written into a view, and that is still as it was, it is a part of the base with its new history.
    """
    edge = written_edge(value) or (node, output_nr)
    value = make_alias(value)
    value._edge = edge
    return value


def written_edge(saved: TensorBase) -> Edge | None:
    """The gradient edge of the view into which the result that is `saved` was written, as long as the view has it."""
    if saved._meta is None or saved._meta.written_view is None:
        return None
    view_ref, key = saved._meta.written_view
    view = view_ref()
    edge = (None if view is None else view._meta.edge) or NO_EDGE
    node, _ = pair_of(edge)
    return edge if node is not None and node._key == key else None


def saved_property(i: int, name: str) -> property:
    """`node._saved_…`: what users see of slot `i`."""

    def read(node: Any) -> Any:
        value, version = node._saved[2 * i : 2 * i + 2]
        if isinstance(value, TensorBase) and int(value._version_counter[0]) == int(version):
            version = value._version_counter[0]  # one that was detached in place may still be looked at
        if version is None or value is None:
            return value
        return _shown(take_out(node, i, value, version, True))

    return property(read, doc=f"What was saved of `{name}`; raises RuntimeError once it has been freed.")


def _shown(value: Any) -> Any:
    """A saved value as PyTorch shows it: a number as a tensor; the raw indices of `x[1:, i]` as (None, tensor)."""
    if isinstance(value, int | float):
        return make_tensor(np.array(value))
    several = value if isinstance(value, tuple | list) else (value,)
    if not any(hasattr(one, "strides") and not isinstance(one, TensorBase) for one in several):
        return value
    return tuple(None if isinstance(one, slice) else make_tensor(one) for one in several)


# ---------------------------------------------------------------------------------------------------------------------
# Errors


def check_version(node: Any, tensor: Any, version: int, output_nr: int | None) -> None:
    """Raise PyTorch's error if `tensor` has been written since `node` saved it at `version`, perhaps as its output."""
    counter = tensor._version_counter
    if isinstance(counter, DetachedCounter) and counter.saved_before(version):
        raise with_hint(
            RuntimeError(
                "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not "
                "supported, please use out-of-place `.detach()` instead"
            ),
            f"{node.name()} saved this tensor, and detach_() has taken it out of the graph since. Lesson 8.",
            f"{node.name()} 保存了这个张量，之后它被 detach_() 移出了计算图。参见第 8 课。",
        )
    current = int(counter[0])
    if current == version:
        return
    if output_nr is None:
        maker, output_nr = tensor.grad_fn, tensor.output_nr
    else:
        maker, output_nr = pair_of(written_edge(tensor) or (node, output_nr))
    made_by = "" if maker is None else f", which is output {output_nr} of {maker._short_name()},"
    hint = (
        "the backtrace further above shows the operation that failed to compute its gradient. The variable in question "
        "was changed in there or anywhere later. Good luck!"
        if "anomaly mode" in unusual
        else "enable anomaly detection to find the operation that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )
    raise with_hint(
        RuntimeError(
            "one of the variables needed for gradient computation has been modified by an inplace operation: "
            f"[{tensor_type(tensor._value)} {list(tensor._value.shape)}]{made_by} is at version {current}; expected "
            f"version {int(version)} instead. Hint: {hint}"
        ),
        f"{node.name()} saved this tensor in the forward pass, and something has overwritten it since "
        f"(x += 1, x[0] = 1, x.add_(1), or a write through detach() or a view). Write x = x + 1 instead, or change a "
        "copy: x.clone(). Lesson 11 shows it.",
        f"{node.name()} 在前向传播时保存了这个张量，之后它被原地修改了（例如 x += 1、x[0] = 1、x.add_(1)，"
        "或者通过 detach() 或视图写入）。请改写成 x = x + 1，或者先用 x.clone() 复制一份再改。参见第 11 课。",
    )


def freed_error(node: Any) -> RuntimeError:
    """PyTorch's error for a second use of saved values."""
    return with_hint(
        RuntimeError(
            "Trying to backward through the graph a second time (or directly access saved tensors after they have "
            "already been freed). Saved intermediate values of the graph are freed when you call .backward() or "
            "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or if "
            "you need to access saved tensors after calling backward."
        ),
        f"{node.name()} has already used and freed the values it saved. Compute the loss again before each backward(), "
        "or call the first one as backward(retain_graph=True). Lesson 10 shows it.",
        f"{node.name()} 保存的值已经用过并释放了。请在每次 backward() 之前重新计算 loss，"
        "或者第一次调用时写 backward(retain_graph=True)。参见第 10 课。",
    )
