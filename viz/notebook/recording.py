"""One backward pass, step by step: which node fired, on what, what it sent on, what each leaf's `.grad` became.

Hooks on the nodes tell it, which PyTorch and minigrad both have; so one recorder serves both, and nothing is recorded
where nobody asked. Gradients are kept as texts.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from time import perf_counter
from traceback import walk_tb
from typing import Any, Self

from ..language import Words, data, first_line, message, words
from ..model.formulas import filled, formula, in_numbers, letters
from ..model.identities import weakly
from ..model.kept import Packed, collector_paused, saved, version_of
from ..model.protocol import HOOKS, backward_order, is_accumulate, is_tensor, node_of, op_name, require, walk
from ..model.reader import SMALL, given_among, place_of, read_slots, results_among
from ..model.values import FEW, KEPT, TensorInfo, by_hand, describe, size_of
from ..settings import reader
from .limits import no_alarm
from .replay import Numbers, Replay, Step, computed, unlike

# numbers and sizes that nodes keep beside their tensors
_BESIDE = ("exponent", "alpha", "beta", "weight", "self", "other", "self_sym_sizes", "self_sym_numel", "value", "dim")


class Recording:
    """What `record` is, without the graph: the hooks and what they tell."""

    def __init__(self, *outputs: Any) -> None:
        self.outputs = outputs
        self.inputs = dict(walk(self.outputs))  # the operations of the pass, each with its next functions
        self.steps: list[Step] = []
        # how many gradients each node waited for at the start
        self.pending = dict(Counter(n for edges in self.inputs.values() for n, _ in edges if n is not None))
        self.retain_graph = True
        # what nodes were given that no gradient flows to, (input, what gives it), for pictures to name it: of a large
        # graph only what has a name is drawn, and the masks of its dropouts are not to live on
        self.untracked: dict[Any, list[tuple[int, Callable[[], Any]]]] = {}
        self._held = _always if len(self.inputs) <= SMALL else weakly
        self.failed: Any = None
        self.error = self.missing = ""
        self.saved: dict[Any, dict[str, int | None]] = {}
        self.replay = Replay((), {}, ())
        self.is_over = False
        self.spent = 0.0  # seconds that the telling took
        self._order = backward_order(self.outputs, self.inputs)
        self._roots = {node_of(output) for output in self.outputs}
        self._handles: list[Any] = []
        self.values: dict[Any, TensorInfo] = {}  # what operations gave, as far as saved tensors told
        self._left: dict[Any, int | None] = {}  # the versions of the leaves, when they had got their gradients

    def __enter__(self) -> Self:
        if self.is_over or self._handles:
            raise RuntimeError(message("recordedAlready"))
        self._begin()
        self._running: dict[Any, Step] = {}  # the nodes that were entered and not left
        for node in {type(node): node for node in self._order}.values():
            require(node, HOOKS)
        try:
            for node in self._order:
                self._handles.append(node.register_prehook(partial(self._safely, self._starts, node)))
                self._handles.append(node.register_hook(partial(self._safely, self._ran, node)))
        except BaseException:  # Ctrl-C: no hook is left behind
            Recording.__exit__(self, None, None, None)
            raise
        return self

    def _begin(self) -> None:
        self._waiting_for = dict(self.pending)
        self._to_come = dict.fromkeys(self._order)  # the nodes not left, in the order in which they will run

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        for handle in self._handles:
            handle.remove()
        if error is not None:
            self._safely(self._fails, error, traceback)
        elif self._running:
            self._safely(self._stops, next(iter(self._running)), words("caught")[reader()], *words("letOut").values())
        self._safely(self._ended)
        self.is_over = True

    def _safely(self, tell: Callable[..., None], *what: Any) -> None:
        """Nothing that goes wrong in the telling may reach the pass that is told of."""
        began = perf_counter()
        with no_alarm(), collector_paused():
            try:
                tell(*what)
            except Exception as error:
                self.missing = self.missing or first_line(error)
        self.spent += perf_counter() - began

    def _fails(self, error: BaseException, traceback: Any) -> None:
        """Tells where the pass stopped, if it was the pass that raised the error: known without a traceback."""
        frames = (frame for frame, _ in walk_tb(traceback and traceback.tb_next))
        passes = [frame.f_locals for frame in frames if frame.f_code.co_name in ("backward", "grad")]
        asked: list[Any] = [known.get(name) for known in passes for name in ("self", "tensors", "outputs")]
        each = [one for value in asked for one in (value if type(value) in (tuple, list) else [value])]
        ours = any(is_tensor(one) and node_of(one) in self._roots for one in each)
        if self._to_come and (self._running or traceback is None or ours):
            # where a tensor's own hook raised, which runs before its node is entered, it is the next in turn; what
            # anomaly detection refuses has been left, and is named
            last = [step.node for step in self.steps[-1:] if f"'{op_name(step.node)}'" in str(error)]
            self._stops(next(iter(self._running or last or self._to_come)), first_line(error), *hints_of(error))

    def _stops(self, node: Any, error: str, *hints: str) -> None:
        self.failed, self.error = node, error
        self.steps.append(Step("error", node, error=error, hints=hints))

    def _ended(self) -> None:
        if self.steps and all(step.kind == "accumulate" for step in self.steps):
            self.missing = self.missing or message("otherPass").partition("\n")[0]
        for step in self.steps:
            if step.kind == "op":
                # what was changed in place since is refused, too, and is there
                read = read_slots(step.node)
                left = {_whole(slot) for slot, t, refusal in read if t is not None or "expected version" in refusal}
                step.freed = [*dict.fromkeys(s for s in map(_whole, self.saved.get(step.node, ())) if s not in left)]
        self.retain_graph = any(self.saved.values()) and not any(step.freed for step in self.steps)
        self.replay = Replay(self.steps, self.inputs, self._roots)

    def _starts(self, node: Any, grads: Sequence[Any]) -> None:
        step = self._running[node] = Step("accumulate" if is_accumulate(node) else "op", node)
        step.into = [gradient(grad) for grad in grads]
        if node not in self.pending:  # a root
            if node not in self._to_come:
                self._begin()  # one more pass
            self.steps.append(Step("start", node, into=step.into))
        if step.kind == "accumulate":
            step.before = gradient(node.variable.grad)
        else:
            self._ask(step, grads)

    def _ask(self, step: Step, grads: Sequence[Any]) -> None:
        """Remembers what an operation has saved, before it is freed, and its derivatives."""
        node, leads_to = step.node, self.inputs[step.node]
        read = read_slots(node)
        self.untracked[node] = [(place, self._held(given)) for place, given in given_among(node, leads_to, read)]
        slots = {slot: tensor for slot, tensor, _ in read}
        for other, tensor in results_among(node, leads_to, read):
            if other not in self.values:
                self.values[other] = describe(tensor)
        self.saved[node] = {k: version_of(tensor) for k, tensor in slots.items() if tensor is not None}
        for slot in _BESIDE:
            if slot not in slots and hasattr(type(node), f"_saved_{slot}"):
                with suppress(Packed):
                    slots[slot] = saved(node, f"_saved_{slot}")
        known = letters(slots, grads[0] if len(grads) == 1 else None, partial(place_of, node))
        if any("complex" in str(getattr(what.value, "dtype", type(what.value))) for what in known.values()):
            return  # then it is multiplied by the conjugate, which is in no rule
        step.rules = filled(formula(node), len(leads_to), known)
        if step.rules:
            step.letters = {
                k: (what.place, by_hand(in_numbers(k, what.value))) for k, what in known.items() if k not in "gG"
            }
            step.known = {k: row for k, what in known.items() if (row := _numbers(what.value)) is not None}

    def _ran(self, node: Any, results: Sequence[Any], grads: Sequence[Any]) -> None:
        self._to_come.pop(node, None)
        step = self._running.pop(node, None)
        if step is None:
            return
        self.steps.append(step)
        if step.kind == "accumulate":
            step.after = gradient(node.variable.grad)
            if step.after is not None:
                self._left[node] = version_of(node.variable)
            return
        for nr, ((target, _), result) in enumerate(zip(self.inputs[node], results)):
            if target is not None:
                step.out.append((nr, target, gradient(result)))
                self._waiting_for[target] -= 1
                step.pending[target] = self._waiting_for[target]
        sent = {nr: grad for nr, _, grad in step.out if grad is not None}
        arrived = sum(size_of(grad) for grad in grads if grad is not None)
        step.rules = [rule for rule in step.rules if rule[0] in sent]
        for i, (nr, rule, text) in enumerate(step.rules):
            grad = sent[nr]
            if grad.numbers and (again := computed(rule, step.known, len(grad.numbers))) is not None:
                step.again[nr] = again
                if unlike(grad, again):  # a hook has changed it
                    continue
            step.rules[i] = nr, rule, _equation(rule, text, grad, arrived > size_of(results[nr]) > 0)

    @property
    def replayed(self) -> Words | None:
        """Whether the pass, computed once more, leads to the same gradients; None where it was not recorded whole."""
        whole = self.steps and not self.missing and not self.error
        return self.replay.words if whole else None

    @property
    def notes(self) -> list[Words]:
        """What is to be said of the pass beside its picture."""
        notes = [] if self.outputs else [words("nothingTracked")]
        notes += [words("missing", n=self.missing)] * bool(self.missing)
        notes += [words("step_none")] * (self.is_over and not self.steps)
        leaves = [(node.variable, version) for node, version in self._left.items()]
        changed = any(t.grad is None or version_of(t) != version for t, version in leaves)
        notes += [words("changedSince")] * changed
        notes += [self.replay.spoiled, words("nearZero")] if self.replay.spoiled else []
        return notes + [told for told in (self.replay.odd, self.replay.wrong) if told]


def stopped(outputs: Sequence[Any], error: BaseException) -> Recording:
    """What can still be known of a pass of `outputs` that ended with `error` and was not recorded: it stopped at the
    first node whose saved tensors are gone or changed; else where it began, which for a leaf, or where nothing is
    tracked, is the tensor itself."""
    run = Recording(*(output for output in outputs if output.requires_grad))
    refusing = [node for node in run._order if any(tensor is None for _, tensor, _ in read_slots(node))]
    run._stops((refusing or run._order or outputs)[0], first_line(error), *hints_of(error))
    return run


def gradient(grad: Any) -> TensorInfo | None:
    """What is said of a gradient; None of None."""
    return None if grad is None else describe(grad)


def _always(tensor: Any) -> Callable[[], Any]:
    """Gives back the tensor, which it keeps."""
    return lambda: tensor


def _whole(slot: str) -> str:
    """The slot of which it is a part, as the picture calls it: a whole one is refused, or let go."""
    return slot.partition("[")[0] or "tensors"


def _equation(rule: str, text: str, sent: TensorInfo, smaller: bool) -> str:
    """The right side of a rule with numbers, and what it gives. An input that was broadcast gets a sum."""
    given = sent.value if sent.numbers is not None and len(sent.numbers) <= FEW else sent.short
    if not text or text == given:
        return text
    right = rule.partition(" = ")[2]
    product = any(sign in right for sign in "Σᵀ∗")  # has its sum already
    broadcast = smaller and ("g" in right or right in ("G", "β G")) and not product
    return f"Σ {text} = {given}" if broadcast else f"{text} = {given}"


def _numbers(value: Any) -> Numbers | None:
    """The numbers in a tensor, or a number; None where none can be read."""
    if hasattr(value, "tolist"):
        return describe(value).numbers if size_of(value) <= KEPT else None
    return [float(value)] if isinstance(value, (int, float)) else None


def hints_of(error: BaseException) -> tuple[str, str]:
    """What to do about `error`, in English and Chinese; empty texts where nobody knows."""
    for english, chinese in getattr(error, "_hints", ()):  # minigrad's
        return english, chinese
    rows = (row for row in data("words.json").values() if "of" in row)
    known = (row for row in rows if any(part in str(error) for part in row["of"].split("|")))  # of old and new versions
    return next(((row["en"], row["zh"]) for row in known), ("", ""))
