"""What is said of a cell that has ended with an error; and of one that has raised none, and may yet not have done what
was meant."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from inspect import getattr_static
from itertools import takewhile
from traceback import walk_tb
from typing import Any

from ..language import Words, data, first_line, words
from ..model.names import named_modules
from ..model.values import describe
from ..model.written import parsed, why_none
from .recording import hints_of

# of leaves, by their addresses: their ``.grad``, and how often it has been changed in place
Counts = dict[int, tuple[Callable[[], Any], int]]
_CALLS = ("forward", "_call_impl", "__call__")  # what a call of a module runs, with that as its first argument


def ended(error: BaseException, cell: str, hint: Words | None, variables: Mapping[str, Any]) -> Iterator[Words]:
    """The `error` that a `cell` has ended with, inside which of the notebook's modules; and what to do about it: the
    `hint`, where there is one that knows more."""
    raised, modules = first_line(error).removesuffix(": "), named_modules(variables)
    ran = [at for at, _ in walk_tb(error.__traceback__) if at.f_code.co_name in _CALLS]
    given = [id(at.f_locals.get(at.f_code.co_varnames[0])) for at in ran if at.f_code.co_varnames]
    inside = [modules[one] for one in given if one in modules]
    key, module = ("endedInside", inside[-1]) if inside else ("endedWith", "")
    yield words(key, cell=cell, module=module, error=raised)
    english, chinese = (hint["en"], hint["zh"]) if hint else hints_of(error)
    yield from [{"en": f"→ {english}", "zh": f" → {chinese}"}] * bool(english)


def slips(
    code: str, known: Mapping[str, Any], variables: Mapping[str, Any], passes: int, counts: Counts, same: bool
) -> Iterator[Words]:
    """`code`: the cell's; `known`: the notebook's tensors by name, as the cell has left them, among all `variables`;
    `counts`: what they were after its first pass, after which others have come, up to `passes`; same: all with the same
    loss, which is not 0."""
    shown = takewhile(_shows, reversed(parsed(code) if ".grad" in code else []))
    yield from filter(None, (why_none(statement, known) for statement in shown))
    if passes:
        code = "\n".join(map(ast.unparse, parsed(code)))  # without comments
    rows = ((key, row["code"]) for key, row in data("words.json").items() if "code" in row)
    yield from (words(key) for key, written in rows if re.search(written, code))
    if passes > 1:
        summed = [name for name, tensor in known.items() if _is_sum(tensor, passes, counts)]
        # clipped or scaled; or through `.data`: its count does not say; or different losses, for one step() behind them
        meant = r"(?m)zero_|clip_|\.grad(\.\w+_\(| [*/]=|\.data\b.*zero)" + r"|^\w+\.step\(" * (not same)
        if summed and not re.search(meant, code) and (summed[0] in code or re.search(r"step\(|param| -= ", code)):
            yield words("summed", n=summed[0], k=passes)
        for total, loss in re.findall(r"\b(\w+)(?: *\+= *| *= *\1 *\+ *|\.append\( *)(\w+)\b(?![.(\[])", code):
            held = known.get(total, known.get(f"{total}[0]"))
            if getattr(held, "grad_fn", None) is not None and f"{loss}.backward(" in code:
                yield words("growing", n=total, loss=loss)
    called = dict.fromkeys(re.findall(r"\b(\w+)\.(?:zero_grad|step)\(", code) if passes else ())
    optimizers = {name: held for name in called if (held := set(map(id, _held(variables.get(name)))))}
    for name, held in optimizers.items():
        grads = [tensor.grad for tensor in known.values() if id(tensor) in held]
        cleared = re.search(rf"\b{name}\.zero_grad\(.*?\)\s*{name}\.step\(", code)
        none, kept = all(grad is None for grad in grads), not re.search(rf"(?s)\b{name}\.step\(.*(zero_|= None)", code)
        if same and "step(" not in code:
            yield words("noStep", n=name, k=passes)
        elif cleared and grads and none:
            yield words("clearedFirst", n=name)
        elif counts and held.isdisjoint(counts) and (not grads or (none and kept and passes > 1 == len(optimizers))):
            yield words("elsewhere", n=name)
        elif same and kept and all(grad is not None and describe(grad).size == 0 for grad in grads or [None]):
            yield words("noSlope", n=name, k=passes)


def _is_sum(leaf: Any, passes: int, counts: Counts) -> bool:
    """Whether its ``.grad`` is the first pass's, changed once by each of the others and by nothing else. (To clear it
    counts as one of them where two calls take turns, but leaves it 0.)"""
    if leaf.grad_fn is not None or id(leaf) not in counts:
        return False
    first, count = counts[id(leaf)]
    return (grad := first()) is not None and grad._version - count == passes - 1 and describe(grad).size != 0


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
