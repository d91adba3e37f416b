"""What is said of a cell that has raised no error, and may yet not have done what was meant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from inspect import getattr_static
from itertools import takewhile
from typing import Any

from ..language import Words, words
from ..model.protocol import is_accumulate, walk
from ..model.written import parsed, why_none

Counts = dict[int, int]  # of leaves, by their addresses: how often their ``.grad`` has been changed in place


def slips(
    code: str, known: Mapping[str, Any], variables: Mapping[str, Any], passes: int, counts: Counts
) -> Iterator[Words]:
    """`code`: the cell's; `known`: the notebook's tensors by name, as the cell has left them, among all `variables`;
    `counts`: what they were after its first pass, after which others have come, up to `passes`."""
    for statement in takewhile(_shows, reversed(parsed(code) if ".grad" in code else [])):
        if (why := why_none(statement, known)) is not None:
            yield why
    if passes > 1:
        # each pass has changed it once, and nothing has in between; but through `.data` nobody sees it set to zero
        leaves = {name: tensor for name, tensor in known.items() if id(tensor) in counts and tensor.grad_fn is None}
        now = {name: getattr(leaf.grad, "_version", 0) for name, leaf in leaves.items()}
        summed = [name for name, count in now.items() if count - counts[id(known[name])] == passes - 1]
        if summed and "zero" not in code:
            yield words("summed", n=summed[0], k=passes)
        for total, loss in re.findall(r"\b(\w+) \+= (\w+)\b(?![.(\[])", code):
            if getattr(known.get(total), "grad_fn", None) is not None and f"{loss}.backward(" in code:
                yield words("growing", n=total, loss=loss)
    for name in dict.fromkeys(re.findall(r"\b(\w+)\.step\(", code)) if passes else ():
        held = set(map(id, _held(variables.get(name))))
        ends = (node for _, leads_to in walk(known.values()) for node, _ in leads_to if node is not None)
        used = {id(node.variable) for node in ends if is_accumulate(node)}
        if held and used and held.isdisjoint(used | {id(tensor) for tensor in known.values()}):
            yield words("elsewhere", n=name)


def _held(optimizer: Any) -> list[Any]:
    """The tensors that it moves; none where it is none. Nothing of it is called."""
    groups = getattr_static(optimizer, "param_groups", None)
    held = [group.get("params") for group in groups if type(group) is dict] if type(groups) is list else []
    return [tensor for tensors in held if type(tensors) is list for tensor in tensors]


def _shows(statement: ast.stmt) -> bool:
    """Whether it shows something, and changes nothing: what it has shown is so still, at the end of the cell."""
    shown = statement.value if isinstance(statement, ast.Expr) else None
    printed = isinstance(shown, ast.Call) and ast.unparse(shown.func) in ("print", "display")
    return printed or isinstance(shown, ast.Attribute | ast.Name | ast.Tuple | ast.Compare)
