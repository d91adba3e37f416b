"""What the options of `draw` and of its like may be. Anything else is refused at once, in words that say what fits."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from operator import index
from os import PathLike
from typing import Any

from .errors import message
from .graph import Graph
from .names import is_tensor
from .strings import clean
from .theme import LOOKS


@dataclass(frozen=True)
class _Rule:
    """The types and the values that an option may have, and both in words."""

    of_type: Callable[[Any], bool]
    allowed: Callable[[Any], bool]
    en: str
    zh: str


def _is_whole(value: Any) -> bool:
    try:
        return not isinstance(value, bool) and index(value) is not None
    except TypeError:
        return False


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or _is_whole(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_texts(value: Any) -> bool:
    return _is_text(value) or (isinstance(value, Collection) and all(map(_is_text, value)))


def _or_none(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or fits(value)


def _any(value: Any) -> bool:
    return True


def _holds_together(graph: Graph) -> bool:
    ids = {node.id for node in graph.nodes}
    ends = {end for edge in graph.edges for end in (edge.source, edge.target)}
    return ends <= ids and ids.issuperset(graph.roots) and all(node.kind in LOOKS for node in graph.nodes)


def _one_of(*words: str) -> _Rule:
    *first, last = map(repr, words)
    return _Rule(_is_text, words.__contains__, f"{', '.join(first)} or {last}", f"{'、'.join(first)} 或 {last}")


_FLAG = _Rule(lambda value: isinstance(value, bool), _any, "True or False", "True 或 False")
_RULES = {
    **dict.fromkeys(("shapes", "saved", "formula", "order", "source", "fold"), _FLAG),
    "untracked": _Rule(_or_none(_FLAG.of_type), _any, "True, False or None", "True、False 或 None"),
    "watched": _Rule(
        _or_none(lambda value: hasattr(value, "failed") and hasattr(value, "error")),
        _any,
        "what `with viz.watch(loss) as run:` gave: run",
        "with viz.watch(loss) as run: 得到的 run",
    ),
    "around": _Rule(
        _or_none(_is_text),
        _any,
        "the id of a node, as viz.text() lists them ('op3'), or the name of a variable",
        "节点编号（viz.text() 里列出的，如 'op3'）或变量名",
    ),
    "unfold": _Rule(
        _are_texts,
        _any,
        "the id of a folded group ('fold1'), or a list of such ids",
        "折叠组的编号（如 'fold1'），或由编号组成的列表",
    ),
    "depth": _Rule(
        _or_none(_is_whole),
        lambda depth: depth is None or depth >= 0,
        "a whole number of steps, 0 or more, or None",
        "步数：不小于 0 的整数，或 None",
    ),
    "max_nodes": _Rule(_is_whole, lambda most: most >= 1, "a whole number, 1 or more", "不小于 1 的整数"),
    "timeout": _Rule(_is_number, lambda seconds: seconds > 0, "a number of seconds above 0", "大于 0 的秒数"),
    "path": _Rule(
        lambda value: isinstance(value, (str, PathLike)),
        _any,
        'a file\'s path: picture.save("graph.svg")',
        '文件路径：picture.save("graph.svg")',
    ),
    "graph": _Rule(
        lambda value: isinstance(value, Graph),
        _holds_together,
        "a Graph whose nodes are of known kinds and whose edges join them: viz.draw(loss).graph",
        "一个 Graph：节点的 kind 都是已知的，边都连接图中的节点，例如 viz.draw(loss).graph",
    ),
    "direction": _one_of("auto", "right", "up"),
    "language": _one_of("auto", "en", "zh", "both"),
    "engine": _one_of("auto", "pygraphviz", "dot"),
}


def check(**options: Any) -> None:
    """Refuses what an option of that name cannot be: TypeError for a wrong type, ValueError for a wrong value."""
    for name, value in options.items():
        rule = _RULES[name]
        if rule.of_type(value) and rule.allowed(value):
            continue
        error = ValueError if rule.of_type(value) else TypeError
        raise error(
            message(
                f"{name}= cannot be {_shown(value)}",
                f"{name}= takes {rule.en}.",
                f"{name}= 应为：{rule.zh}。",
            )
        )


def _shown(value: Any) -> str:
    """A short plain value as it is written; else its type, for a long text helps nobody."""
    plain = value is None or type(value) in (bool, int, float, str)
    return clean(repr(value)) if plain else f"a {type(value).__name__}"


def check_outputs(outputs: tuple[Any, ...]) -> None:
    """Refuses what is no tensor (TypeError), and a tensor that has no graph (ValueError)."""
    if not outputs:
        raise TypeError(
            message(
                "nothing to draw: give at least one tensor",
                "Call viz.draw(loss) with the result whose graph you want to see.",
                "没有可画的东西：请传入想看其计算图的结果张量，例如 viz.draw(loss)。",
            )
        )
    for output in outputs:
        if not is_tensor(output):
            raise TypeError(
                message(
                    f"cannot draw a {type(output).__name__}: only a tensor has a graph",
                    "Give the tensor itself, not a number taken from it (.item()) or a list: "
                    "viz.draw(loss), viz.draw(a, b).",
                    f"无法绘制 {type(output).__name__}：只有张量才有计算图。请直接传入张量（不是 .item() 得到的数，"
                    "也不是列表）：viz.draw(loss)、viz.draw(a, b)。",
                )
            )
        if output.grad_fn is None and not output.requires_grad:
            raise ValueError(
                message(
                    "this tensor has no graph: its grad_fn is None and requires_grad is False",
                    "Create a leaf with requires_grad=True, compute with it outside no_grad(), do not detach() the "
                    "result, and draw that result.",
                    "这个张量没有计算图：grad_fn 为 None，requires_grad 为 False。"
                    "请用 requires_grad=True 创建叶子张量，在 no_grad() 之外用它计算，"
                    "不要对结果调用 detach()，再绘制这个结果。",
                )
            )
