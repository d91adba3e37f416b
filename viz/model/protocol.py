"""What a tensor and a node must answer to be drawn, and a node to be recorded: PyTorch's do, and a learner's own may.

The first of each are asked of the class, so that nothing of the reader's runs where a notebook is searched for tensors.
All else that PyTorch has (``_saved_*``, ``metadata``, ``output_nr``, ``_version``) is shown where it is there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import message
from ..strings import clean

OF_THE_CLASS = ("grad_fn", "requires_grad", "is_leaf", "next_functions", "variable")
TENSOR = ("grad_fn", "requires_grad", "is_leaf", "grad", "shape", "dtype")
NODE = ("next_functions", "name", "_sequence_nr")
HOOKS = ("register_prehook", "register_hook")
_CALLED = ("name", "_sequence_nr", *HOOKS)
_MEANS = {
    "grad_fn": ("the node that made it; None for a leaf", "产生它的节点，叶子为 None"),
    "requires_grad": ("whether a gradient flows to it", "梯度是否流到它"),
    "is_leaf": ("whether no node made it", "是否叶子"),
    "grad": ("its gradient, or None", "它的梯度，或 None"),
    "shape": ("its sizes, a tuple", "形状，一个元组"),
    "dtype": ("what its numbers are", "数据类型"),
    "next_functions": (
        "a pair (node or None, number of its output) for each input",
        "每个输入一个 (节点或 None, 第几个输出)",
    ),
    "name": ("a method: MulBackward0, AccumulateGrad", "一个方法，返回 MulBackward0、AccumulateGrad 这样的名字"),
    "_sequence_nr": ("a method: larger for what was made later", "一个方法：越晚创建，数越大"),
    "variable": ("the leaf that an AccumulateGrad adds to", "AccumulateGrad 要累加到的叶子"),
    "register_prehook": ("calls f(gradients) before the node runs", "节点运行之前调用 f(收到的梯度)"),
    "register_hook": ("calls f(results, gradients) after it", "节点运行之后调用 f(结果, 收到的梯度)"),
}


class Lacks(TypeError):
    """A tensor or a node has not all that is asked of it."""


def require(thing: Any, parts: Iterable[str]) -> None:
    """Refuses, in words, a tensor or node that lacks some of the `parts`."""
    missing = [part for part in parts if not _has(thing, part)]
    if not missing:
        return
    kind = type(thing).__name__
    name = f" {clean(thing.name())}" if _has(thing, "name") and thing.name() != kind else ""
    en = "; ".join(f"{_place(part, ', asked of the class')} ({_MEANS[part][0]})" for part in missing)
    zh = "；".join(f"{_place(part, '，写在类里')}（{_MEANS[part][1]}）" for part in missing)
    raise Lacks(
        message(
            f"cannot follow a graph of your own engine: {clean(kind)}{name} lacks {', '.join(missing)}",
            f"It needs: {en}.",
            f"还需要：{zh}。",
        )
    )


def require_each(nodes: Iterable[Any], parts: Iterable[str]) -> None:
    """The same of nodes, of each class once."""
    parts = tuple(parts)
    for node in {type(node): node for node in nodes}.values():
        require(node, parts)


def _has(thing: Any, part: str) -> bool:
    # the class first: to ask a result for its .grad would warn
    if not hasattr(type(thing), part) and (part in OF_THE_CLASS or not hasattr(thing, part)):
        return False
    if part == "next_functions":
        return all(isinstance(pair, tuple) and len(pair) == 2 for pair in thing.next_functions)
    return part not in _CALLED or callable(getattr(thing, part))


def _place(part: str, in_class: str) -> str:
    return part + "()" * (part in _CALLED) + in_class * (part in OF_THE_CLASS)
