"""One backward pass, step by step: which node fired, on what, what it sent on, what each leaf's `.grad` became.

Hooks on the nodes tell it, which PyTorch and minigrad both have; so one recorder serves both, and nothing is recorded
where nobody asked. Gradients are kept as texts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .errors import first_line
from .filled import filled
from .formulas import formula
from .order import is_accumulate
from .reader import is_packed, op_name, read_slots
from .values import describe, number, shape_of, shape_text
from .watch import watch

_MOST = 64  # numbers of a gradient shown in full


@dataclass(frozen=True)
class Gradient:
    """A gradient in words: `short` enough for an edge, `full` for a card, and its `shape`."""

    short: str
    full: str
    shape: str


@dataclass
class Step:
    """One step of a pass.

    kind: ``start`` (a gradient is put at a root), ``op`` (an operation's node runs), ``accumulate`` (an AccumulateGrad
        node adds to its leaf's `.grad`) or ``error`` (the pass stops here).
    node: the node that fires.
    into: the gradient that arrived for each output of the operation; None where none came, which stands for zero.
    rules: (derivative as written, the same with numbers) for each input that a gradient goes to.
    out: (number of the input, the node it leads to, the gradient sent).
    pending: how many gradients the nodes that it sent to still wait for.
    freed: slots whose tensors were let go with this step.
    before, after: the leaf's `.grad`; None where that was None.
    error: type and first line of the message; hints: (English, Chinese).
    """

    kind: str
    node: Any
    into: list[Gradient | None] = field(default_factory=list)
    rules: list[tuple[str, str]] = field(default_factory=list)
    out: list[tuple[int, Any, Gradient | None]] = field(default_factory=list)
    pending: dict[Any, int] = field(default_factory=dict)
    freed: list[str] = field(default_factory=list)
    before: Gradient | None = None
    after: Gradient | None = None
    error: str = ""
    hints: tuple[str, str] = ("", "")


class record(watch):
    """Records one backward pass of `outputs`; lets its error through, as the last step:

    >>> with viz.record(loss) as run:
    ...     loss.backward()
    >>> print(run)

    steps: the steps; pending: how many gradients each node waited for at the start; retain_graph: whether the nodes
    kept what they had saved; untracked: the saved tensors that no gradient flows to, by node, so that a picture can
    still name them.
    """

    def __init__(self, *outputs: Any) -> None:
        super().__init__(*outputs)
        self.outputs = outputs
        self.steps: list[Step] = []
        self.pending = dict(Counter(n for edges in self.inputs.values() for n, _ in edges if n is not None))
        self.retain_graph = True
        self.untracked: dict[Any, list[tuple[str, Any, str]]] = {}

    def __enter__(self) -> record:
        super().__enter__()
        self._waiting_for = dict(self.pending)
        self._kept: dict[Any, list[str]] = {}  # of each node: slots that it could give back when it ran
        self._running: dict[Any, tuple[Step, int]] = {}  # with how many numbers have arrived
        for node in self._order:
            self._handles.append(node.register_prehook(lambda grads, node=node: self._starts(node, grads)))
            self._handles.append(node.register_hook(lambda into, out, node=node: self._ran(node, into)))
        return self

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        super().__exit__(kind, error, traceback)
        for step in self.steps:
            if step.kind == "op":
                left = {slot for slot, tensor, _ in read_slots(step.node) if tensor is not None}
                step.freed = [slot for slot in self._kept[step.node] if slot not in left]
        self.retain_graph = not any(step.freed for step in self.steps)
        if error is not None:
            self.steps.append(Step("error", self.failed, error=self.error, hints=hints_of(error)))
        self._kept, self._running, self._waiting_for = {}, {}, {}

    def _starts(self, node: Any, grads: Sequence[Any]) -> None:
        into = [gradient(grad) for grad in grads]
        if any(node is output.grad_fn for output in self.outputs) and node not in self.pending:
            self.steps.append(Step("start", node, into=into))
        if is_accumulate(node):
            leaf = node.variable
            step = Step("accumulate", node, into, before=gradient(leaf.grad))
        else:
            step = Step("op", node, into)
            read = read_slots(node)
            self.untracked[node] = [slot for slot in read if slot[1] is not None and not slot[1].requires_grad]
            slots = {slot: tensor for slot, tensor, _ in read}
            self._kept[node] = [slot for slot, tensor in slots.items() if tensor is not None]
            grad = grads[0] if len(grads) == 1 else None
            step.rules = [
                (nr, rule, text)
                for nr, rule, text in filled(formula(node), len(self.inputs[node]), _with_numbers(node, slots), grad)
                if self.inputs[node][nr][0] is not None
            ]
        self._running[node] = step, sum(map(_size, grads))

    def _ran(self, node: Any, results: Sequence[Any]) -> None:
        step, arrived = self._running.pop(node, (None, 0))
        if step is None:
            return
        self.steps.append(step)
        if step.kind == "accumulate":
            step.after = gradient(node.variable.grad)
            return
        for nr, ((target, _), result) in enumerate(zip(self.inputs[node], results)):
            if target is None:
                continue
            step.out.append((nr, target, gradient(result)))
            self._waiting_for[target] -= 1
            step.pending[target] = self._waiting_for[target]
        sent = {nr: grad for nr, _, grad in step.out}
        step.rules = [
            (rule, _equation(rule, text, sent[nr], arrived > _size(results[nr]))) for nr, rule, text in step.rules
        ]

    def __repr__(self) -> str:
        return "\n".join(map(_line, self.steps)) or "no backward pass was recorded"


def stopped(outputs: Sequence[Any], error: BaseException) -> record:
    """What can still be known of a pass of `outputs` that ended with `error` and was not recorded: it stopped at the
    first node whose saved tensors are gone or changed; else where it began."""
    run = record(*outputs)
    refusing = [node for node in run._order if any(tensor is None for _, tensor, _ in read_slots(node))]
    run.failed = (refusing or run._order or [None])[0]
    run.error = first_line(error)
    run.steps = [Step("error", run.failed, error=run.error, hints=hints_of(error))]
    return run


def gradient(grad: Any) -> Gradient | None:
    """The words for a gradient, None for None."""
    if grad is None:
        return None
    info = describe(grad)
    shape = shape_text(info.shape)
    full = info.value or shape
    if not info.is_short and info.value is not None and math.prod(info.shape) <= _MOST:
        full = _rows(grad.detach().tolist())
    return Gradient(info.value if info.is_short else shape, full, shape)


def _size(grad: Any) -> int:
    return 0 if grad is None else math.prod(shape_of(grad))


def _equation(rule: str, text: str, sent: Gradient | None, smaller: bool) -> str:
    """The right side of a rule with numbers, and what it gives. An input that was broadcast gets a sum."""
    if not text or sent is None or sent.short == text:
        return text
    broadcast = smaller and "g" in rule.partition(" = ")[2] and "Σ" not in rule
    return f"Σ {text} = {sent.short}" if broadcast else f"{text} = {sent.short}"


def _rows(numbers: Any, indent: str = "") -> str:
    if numbers and isinstance(numbers[0], list):
        return "[" + f",\n{indent} ".join(_rows(row, indent + " ") for row in numbers) + "]"
    return "[" + ", ".join(map(number, numbers)) + "]"


def _with_numbers(node: Any, slots: dict[str, Any]) -> dict[str, Any]:
    """`slots`, and the numbers and sizes that the node keeps beside its tensors."""
    found, known = dict(slots), _numbers(type(node))
    for slot in ("exponent", "alpha", "other", "self_sym_sizes", "self_sym_numel", "value", "dim"):
        if slot not in found and slot in known and not is_packed(node, f"_saved_{slot}"):
            value = getattr(node, f"_saved_{slot}", None)
            if value is not None:
                found[slot] = value
    return found


def _numbers(cls: type) -> set[str]:
    return {name.removeprefix("_saved_") for name in dir(cls) if name.startswith("_saved_")}


# What PyTorch says when a backward pass cannot run, and what a learner should hear besides. minigrad's errors bring
# hints of their own.
_HINTS = (
    (
        "backward through the graph a second time",
        "The first backward let go what this node had saved. Call backward(retain_graph=True) the first time, or "
        "compute the result anew.",
        "第一次反向传播之后，这个节点保存的张量已经释放。请在第一次调用时写 backward(retain_graph=True)，"
        "或者重新做一次前向计算。",
    ),
    (
        "modified by an inplace operation",
        "A tensor that this node saved was changed in place afterwards, so its derivative would be wrong. Write the "
        "change out of place (y = y + 1 instead of y += 1), or clone() first.",
        "这个节点保存的张量后来被原地修改了，用它求导会得到错误的结果。请改用非原地写法"
        "（用 y = y + 1 代替 y += 1），或者先 clone()。",
    ),
    (
        "grad can be implicitly created only for scalar outputs",
        "backward() starts with a gradient of 1, which has a meaning for a single number only. Reduce the result first "
        "(.sum(), .mean()), or give the vector v of the product vᵀJ: backward(v).",
        "backward() 默认以 1 作为起始梯度，这只对标量有意义。请先用 .sum() 或 .mean() 化为标量，"
        "或者传入向量–雅可比积 vᵀJ 中的 v：backward(v)。",
    ),
    (
        "does not require grad",
        "No input of this result had requires_grad=True, or the graph was cut by detach() or no_grad().",
        "得到这个结果的所有输入都没有 requires_grad=True，或者计算图被 detach() 或 no_grad() 切断了。",
    ),
)


def hints_of(error: BaseException) -> tuple[str, str]:
    """What to do about `error`, in English and Chinese; empty texts where nobody knows."""
    for note in getattr(error, "__notes__", ()):
        english, _, chinese = note.partition("\n")
        if chinese:
            return english.partition(": ")[2], chinese.partition("：")[2]
    return next(((en, zh) for said, en, zh in _HINTS if said in str(error)), ("", ""))


def _line(step: Step) -> str:
    node = step.node and op_name(step.node)
    into = ", ".join(grad.short if grad else "None" for grad in step.into)
    if step.kind == "start":
        return f"start: {node} is given {into}"
    if step.kind == "accumulate":
        before = step.before.short if step.before else "None"
        return f"{node}: leaf.grad was {before}, {into} arrives, it is {step.after.short if step.after else 'None'}"
    if step.kind == "error":
        return f"stopped at {node}: {step.error}"
    sent = ", ".join(grad.short if grad else "None" for _, _, grad in step.out)
    rules = "".join(f"\n    {rule}: {text}" for rule, text in step.rules if text)
    return f"{node}: {into} arrives, {sent} goes on{rules}"
