"""What the exercises with a training loop have in common: they watch the backwards, not only where the loop ends.

A loop can arrive although it is wrong (a gradient never cleared, a number typed in), and end elsewhere for several
reasons. A hook on each leaf that the loop is given sees which it was.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from minigrad_lessons.checks.exercise import (
    BY_HAND,
    Refused,
    Unreadable,
    Verdict,
    close,
    made_without,
    mentions,
    number,
    run,
    wrong,
)

X, Y = (1.0, 2.0, 3.0), (3.0, 5.0, 7.0)
BEST = 34 / 14  # the w with the smallest loss where there is no b


def loss(w: float, b: float = 0.0) -> float:
    """The sum of the squared misses on lesson 1's data."""
    return sum((y - w * x - b) ** 2 for x, y in zip(X, Y, strict=True))


@dataclass
class Training:
    """What a learner's loop returned, and what the backwards in it met."""

    result: Any = None
    starts: list[Any] = field(default_factory=list)  # copies of the leaves
    backwards: dict[str, int] = field(default_factory=dict)  # how many reached each leaf
    uncleared: Verdict | None = None  # a backward added to what an earlier step had left
    adds: Verdict | None = None  # what to say if the gradient that has come is added: autograd.grad only returns it
    outdated: Verdict | None = None  # a backward went through a loss of before a step
    uphill: Verdict | None = None  # the first step went with the gradient, not against it
    last: float = 0.0  # the last gradient that came

    @property
    def mistake(self) -> Verdict | None:
        """The verdict for a loop that is wrong, wherever it ends."""
        return self.outdated or self.uphill or self.uncleared

    def hook(self, name: str, leaf: Any) -> Callable[[Any], None]:
        """What to hang on a leaf: it is called before each gradient is added to what the leaf holds."""
        before: tuple[float, float, float] | None = None
        steps = 0

        def _seen(gradient: Any) -> None:
            nonlocal before, steps
            self.adds = None
            self.backwards[name] += 1
            count, at, fresh = self.backwards[name], float(leaf.detach().sum().item()), float(gradient.sum().item())
            left = 0.0 if leaf.grad is None else float(leaf.grad.sum().item())
            if before and at != before[0]:
                steps += 1
                self._judge_step(name, count, before, at, left, fresh, steps == 1)
            before, self.last = (at, left + fresh, fresh), fresh

        return _seen

    def _added(self, leaf: Any) -> None:
        """A gradient was added to what a leaf holds."""
        self.uncleared = self.uncleared or self.adds

    def _judge_step(
        self,
        name: str,
        count: int,
        before: tuple[float, float, float],
        at: float,
        left: float,
        fresh: float,
        first: bool,
    ) -> None:
        was, total, last = before
        if fresh == last and abs(fresh) > 0.01 and not self.outdated:
            self.outdated = wrong(
                f"{name} had moved, and still backward number {count} gave {fresh:.4g} once more. The graph was kept, "
                "and it is the graph of an old loss.",
                f"{name} 已经变了，第 {count} 次反向传播给出的却还是 {fresh:.4g}。图是保留着，可那是旧损失的计算图。",
            )
        if first and (at - was) * total > 0 and not self.uphill:
            self.uphill = wrong(
                f"At {name} = {was:.4g} the gradient was {total:.4g}, and the first step went to {at:.4g}: uphill. "
                "Which sign leads down?",
                f"{name} = {was:.4g} 处的梯度是 {total:.4g}，第一步却走到了 {at:.4g}：这是上坡。"
                "要往下坡走，该用加号还是减号？",
            )
        if left:
            self.adds = wrong(
                f"Backward number {count} found {left:.4g} in {name}.grad, left there by an earlier step, and added "
                f"{fresh:.4g} to it.",
                f"第 {count} 次反向传播时，{name}.grad 里还留着之前的 {left:.4g}，又往上加了 {fresh:.4g}。",
            )

    def elsewhere(self, w: Any, start: float, end: float) -> Verdict:
        """The verdict for a loop without such a mistake that did not arrive at the smallest loss of a w alone."""
        if self.result is not w and close(number(w), BEST, within=1e-3):
            return wrong(
                f"You return {end:.4g}, and that is not w: w itself has come to {number(w):.4g}.",
                f"你返回的是 {end:.4g}，它不是 w：w 自己已经走到了 {number(w):.4g}。",
            )
        walk, before, there = f"w: {start:g} → {end:.4g}", loss(start), loss(end)
        count = max(self.backwards.values())
        if not count:
            return wrong(
                f"{walk}: no backward has reached w, so there was no gradient to step by.",
                f"{walk}：没有一次反向传播到达 w，也就没有梯度可用。",
            )
        if end == start:
            return wrong(
                f"{walk}: backward ran {count} times, and w never moved. Was its gradient cleared before the step, or "
                "is the result of the step not written into w?",
                f"{walk}：反向传播做了 {count} 次，w 却一动没动。"
                "是不是还没更新就把梯度清掉了，或者算出的新值没有写回 w？",
            )
        if there > before and abs(self.last) >= 0.01:
            return wrong(
                f"{walk}: training diverged. The loss grew from {before:.4g} to {there:.4g}; each step goes too far.",
                f"{walk}：训练发散了，损失从 {before:.4g} 变大到 {there:.4g}。每一步都迈得太大了。",
            )
        digits = 4 if f"{there:.4g}" != f"{loss(BEST):.4g}" else 8
        shown = [f"{value:.{digits}g}" for value in (before, there, loss(BEST))]
        way, way_zh = ("fell", "降到") if there <= before else ("grew", "变大到")
        fell = "{}: the loss {} from {} to {}; the least it can be is {}.".format(walk, way, *shown)
        fell_zh = "{}：损失从 {} {} {}，最小可以是 {}。".format(walk, shown[0], way_zh, *shown[1:])
        if abs(self.last) < 0.01:
            return wrong(
                f"{fell} Yet the last gradient was {self.last:.2g}: the loss that you train has its bottom there, "
                "so it is not this exercise's loss.",
                f"{fell_zh}可是最后的梯度是 {self.last:.2g}：你训练的那个损失，谷底就在那里，可见不是题目里的损失。",
            )
        return wrong(
            f"{fell} There are too few steps, or they are too small.",
            f"{fell_zh}步数太少，或者步子太小。",
        )

    def made_up(self, function: Any) -> Verdict | None:
        """The verdict for an end that no gradient led to."""
        made = made_without(_ends(self.result), lambda: _ends(function(*map(_leaf, self.starts))))
        return BY_HAND if made else None


def _leaf(start: Any) -> Any:
    return start.clone().requires_grad_()


def _ends(result: Any) -> list[float]:
    return [arrived(part) for part in (result if isinstance(result, (tuple, list)) else [result])]


def train(function: Any, **leaves: Any) -> Training:
    """Run a learner's loop on the leaves, and watch."""
    if not callable(function):
        raise Unreadable(function)
    for name, leaf in leaves.items():
        if not (getattr(leaf, "requires_grad", False) and leaf.is_leaf):
            raise Refused(
                wrong(
                    f"The {name} that you pass in should be a tracked leaf. Leave the call of the check as it was.",
                    f"传入的 {name} 应当是被追踪的叶子。请不要改动调用检查的那一行。",
                )
            )
    training = Training(starts=[leaf.detach().clone() for leaf in leaves.values()], backwards=dict.fromkeys(leaves, 0))
    handles = [leaf.register_hook(training.hook(name, leaf)) for name, leaf in leaves.items()]
    handles += [leaf.register_post_accumulate_grad_hook(training._added) for leaf in leaves.values()]
    try:
        training.result = run(function, *leaves.values())
    finally:
        for handle in handles:
            handle.remove()
    if training.outdated and not mentions(function, "retain_graph", "create_graph"):
        training.outdated = wrong(
            "Two backward passes gave the same gradient, although a step lay between them and the graph was new: "
            "the loss is a straight line. Is it squared?",
            "两次反向传播之间更新过参数，图也是新的，梯度却一样：损失是一条直线。误差平方了吗？",
        )
    if training.result is None:
        end = f"return {', '.join(leaves)}"
        raise Refused(
            wrong(f"Your function returns nothing: end it with {end}.", f"你的函数没有返回值：最后写上 {end}。")
        )
    return training


def arrived(parameter: Any) -> float:
    """The number that training arrived at. Refused when it ran away."""
    try:
        value = float(parameter.item() if hasattr(parameter, "item") else parameter)
    except Exception as error:
        raise Unreadable(parameter) from error
    if math.isfinite(value) and abs(value) < 1e3:
        return value
    raise Refused(
        wrong(
            f"The training diverged: a parameter is {value:.4g}. Each step was larger than the one before; "
            "take a smaller learning rate.",
            f"训练发散了：有一个参数变成了 {value:.4g}。每一步都比前一步更大，请把学习率调小。",
        )
    )
