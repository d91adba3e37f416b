"""The exercises of lesson 9."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad_lessons.checks import training
from minigrad_lessons.checks.exercise import (
    Raised,
    Table,
    Unreadable,
    Verdict,
    close,
    exercise,
    mentions,
    number,
    parts,
    right,
    show,
    table,
    wrong,
)
from minigrad_lessons.checks.training import loss as _loss


@exercise(
    wants=("two numbers, one for each line", "两个数，每一行各一个"),
    hints=[
        (
            "At w = 0 the misses are 3, 5 and 7. What is the gradient there?",
            "w = 0 时，误差是 3、5、7。那里的梯度是多少？",
        ),
        (
            "backward() has run once. Does the first line change w.grad?",
            "backward() 只运行过一次。第一行会改变 w.grad 吗？",
        ),
        ("Both lines subtract the same old gradient.", "两行减去的是同一个旧梯度。"),
    ],
)
def twice(answer: Any) -> Verdict:
    """From w = 0: after w.data = w.data - w.grad.data, and then after w = w - w.grad."""
    first, second = (round(number(part), 3) for part in parts(answer, 2))
    if (first, second) == (68.0, 136.0):
        return right(
            "Yes: the gradient at w = 0 is -68, and it is subtracted twice.",
            "对：w = 0 处的梯度是 -68，减了两次。",
        )
    if first != 68.0:
        return wrong(
            f"You say that the first line gives {first:g}, so the gradient would be {0 - first:g}. "
            f"But from w = 0 to 0.1 the loss goes {_loss(0):g} → {_loss(0.1):g}.",
            f"你说第一行之后是 {first:g}，那么梯度应是 {0 - first:g}。"
            f"但 w 从 0 到 0.1，损失从 {_loss(0):g} 变到 {_loss(0.1):g}。",
        )
    return wrong(
        f"The first is right. After the second you say {second:g}, so w.grad would be {first - second:g} by then. "
        "Which line changed it?",
        f"第一个对了。第二行之后你写的是 {second:g}，那么那时的 w.grad 应是 {first - second:g}。是哪一行改变了它？",
    )


@exercise(
    wants=("a function of w that returns w", "一个接收 w、返回 w 的函数"),
    hints=[
        ("After w = w - ..., is w still a leaf?", "运行 w = w - ... 之后，w 还是叶子吗？"),
        ("Write into the leaf instead of making a new tensor: w -= ...", "不要产生新张量，直接写进叶子：w -= ..."),
        (
            "Inside with torch.no_grad() a tracked leaf may be written into. Clear the gradient afterwards.",
            "被追踪的叶子，只能在 with torch.no_grad() 里写入。写完别忘了清掉梯度。",
        ),
    ],
)
def repair(function: Callable[[Any], Any], w: Any) -> Verdict:
    """A loop that reaches the bottom of the loss, and leaves w a leaf."""
    start = number(w)
    try:
        seen = training.train(function, w=w)
    except Raised as raised:
        said = str(raised.error)
        if "does not require grad" in said and w.grad is None:
            return wrong(
                "Nothing is tracked in the first round already: is the loss computed under no_grad(), too? Only the "
                "update belongs there.",
                "第一轮就没有张量被追踪：是不是把算损失那一行也写进了 no_grad()？只有更新才写在里面。",
            )
        if "does not require grad" in said:
            return wrong(
                "In the second round nothing is tracked. `w = ...` makes a new tensor, and under no_grad(), or from "
                "detach(), an untracked one: the leaf is lost again.",
                "到了第二轮，已经没有张量被追踪。`w = ...` 产生的是新张量；在 no_grad() 里算的，或者由 detach() "
                "得来的，都未被追踪：叶子又丢了。",
            )
        if "a leaf Variable that requires grad" in said:
            return wrong(
                "An error: a tracked leaf is written into while recording is on. How do you turn recording off?",
                "报错了：记录还开着，就写入了被追踪的叶子。怎样关掉记录？",
            )
        if isinstance(raised.error, TypeError) and "NoneType" in said and w.grad is not None:
            return wrong(
                f"In the second round w.grad is None: `w` is a result by then, and no longer the leaf. ({said})",
                f"第二轮时 w.grad 是 None：这时的 `w` 已经是运算结果，不再是那个叶子了。（{said}）",
            )
        raise
    result = seen.result
    right_itself = w.is_leaf and w.requires_grad and abs(w.item() - training.BEST) <= 1e-3
    if right_itself and result is not w and not seen.mistake:
        return wrong(
            "w itself is right and still tracked, but you return something else: end with return w.",
            "w 本身是对的，也仍被追踪，但你返回的不是它：最后写 return w。",
        )
    if not getattr(result, "is_leaf", True):
        return wrong(
            f"You return {show(result)}: a result, not a leaf. Its history grows with every step.",
            f"你返回的是 {show(result)}：它是运算结果，不是叶子；每走一步，它的计算历史就更长。",
        )
    if seen.mistake:
        return seen.mistake
    end = training.arrived(result)
    if abs(end - training.BEST) > 1e-3:
        return seen.elsewhere(w, start, end)
    if not getattr(result, "requires_grad", False):
        return wrong(
            f"w = {end:.4g} is right, but w.requires_grad is False now: it could not learn any further.",
            f"w = {end:.4g} 是对的，但 w.requires_grad 变成了 False：再也不能继续学习了。",
        )
    if result is not w:
        return wrong(
            f"You return another leaf, with {end:.4g} in it. The w that was handed in holds {number(w):.4g}: "
            "an optimizer still refers to that one, and would not see the training. It should stay the same leaf.",
            f"你返回的是另一个叶子，里面是 {end:.4g}；而传进来的 w 里是 {number(w):.4g}。"
            "别处（比如优化器）引用的还是原来的 w，训练的结果传不到那里。要一直是同一个叶子。",
        )
    if mentions(function, "data"):
        return seen.made_up(function) or right(
            f"Yes: w = {end:.4g}, and still the same tracked leaf. Better write into it under no_grad(): a write "
            "through .data would go unnoticed where autograd had saved the value.",
            f"对：w = {end:.4g}，而且仍是原来那个被追踪的叶子。不过最好在 no_grad() 里写入："
            "通过 .data 改掉保存过的值，自动求导察觉不到。",
        )
    return seen.made_up(function) or right(
        f"Yes: w = {end:.4g}, and still the same tracked leaf: it was written into, and the write was not recorded.",
        f"对：w = {end:.4g}，而且仍是原来那个被追踪的叶子：只是写入了新的值，这次写入没有被记录。",
    )


@exercise(
    wants=("a function of w and b that returns both", "一个接收 w 和 b、并返回这两个张量的函数"),
    hints=[
        (
            "The loop of the lesson, with two parameters. Both are updated, both are cleared.",
            "还是课上的循环，只是有两个参数：都要更新，都要清零。",
        ),
        (
            "If the loss grows, the learning rate is too large. Try 0.03.",
            "如果损失越来越大，就是学习率太大了。试试 0.03。",
        ),
        (
            "If it shrinks but slowly, take more steps: a thousand cost nothing here.",
            "如果损失在变小，但很慢，就多走几步：一千步也不费事。",
        ),
    ],
)
def fit(function: Callable[[Any, Any], Any], w: Any, b: Any) -> Verdict:
    """Train w and b until the loss on lesson 1's data is below 0.001."""
    seen = training.train(function, w=w, b=b)
    result = seen.result
    if not isinstance(result, (tuple, list)) or len(result) != 2:
        return wrong(
            f"Your function returned {show(result)}; return w, b is wanted.",
            f"你的函数返回了 {show(result)}；这里要 return w, b。",
        )
    if seen.mistake:
        return seen.mistake
    slope, start = (training.arrived(part) for part in result)
    loss, begun = _loss(slope, start), _loss(*map(number, seen.starts))
    if loss < 1e-3:
        return seen.made_up(function) or right(
            f"Yes: w = {slope:.3f}, b = {start:.3f}, loss {loss:.2g}. The data were 2x + 1 all along.",
            f"对：w = {slope:.3f}，b = {start:.3f}，损失 {loss:.2g}。这些数据原来就是 2x + 1。",
        )
    if loss > begun:
        return wrong(
            f"w = {slope:.4g}, b = {start:.4g}: the training diverged. The loss grew from {begun:g} to "
            f"{loss:.4g}; each step goes too far.",
            f"w = {slope:.4g}，b = {start:.4g}：训练发散了，损失从 {begun:g} 变大到 {loss:.4g}。每一步都迈得太大了。",
        )
    return wrong(
        f"w = {slope:.3f}, b = {start:.3f}: the loss is {loss:.4g}, and 0.001 is wanted. For x = 3 this predicts "
        f"{3 * slope + start:.3f} where y is 7.",
        f"w = {slope:.3f}，b = {start:.3f}：损失是 {loss:.4g}，应小于 0.001。x = 3 时直线给出 {3 * slope + start:.3f}，"
        "而 y 是 7。",
    )


# What x.grad is after each line, where x is 3.
SO_FAR = Table("updating.so_far")


@exercise(
    wants=("a number for each line", "一个字典，每一行填一个数"),
    hints=[
        ("Each line is one of the lessons 5 to 8.", "每一行对应第 5 到 8 课中的一课。"),
        ("Find every path from the result to x, and what each sends.", "找出从结果到 x 的每一条路径，看每条传来多少。"),
        ("Make a fresh x, run the line, and print x.grad.", "新建一个 x，运行那一行，再打印 x.grad。"),
    ],
)
def so_far(guesses: Any) -> Verdict:
    """Five gradients from the lessons since 5."""
    if isinstance(guesses, dict):
        guesses = {key: guess if guess is ... else _whole(number(guess)) for key, guess in guesses.items()}
    return table(
        guesses,
        SO_FAR,
        why=(
            "Paths add up, passes add up, copies add up; what is detached counts as a number.",
            "各条路径、各次反向传播、各份副本的梯度都要相加；detach 过的只是一个数。",
        ),
    )


def _whole(value: float) -> float:
    """A whole number as an int, as the table has them, even if it was measured."""
    return round(value) if close(value, round(value)) else value


@exercise(
    wants=("a function of w and b that returns both", "一个接收 w 和 b、并返回这两个张量的函数"),
    hints=[
        ("Draw the loss: which leaf is not in the picture?", "把损失画出来：哪个叶子不在图里？"),
        ("Which gradient is never cleared?", "哪个梯度从来没有清零？"),
        (
            "The prediction must be recorded; after each step clear w.grad and b.grad.",
            "预测要被记录；每一步之后，w.grad 和 b.grad 都要清零。",
        ),
    ],
)
def two_faults(function: Callable[[Any, Any], Any], w: Any, b: Any) -> Verdict:
    """A loop in which the prediction is not recorded and b is never cleared."""
    seen = training.train(function, w=w, b=b)
    if seen.mistake:
        return seen.mistake
    if not isinstance(seen.result, (tuple, list)) or len(seen.result) != 2:
        raise Unreadable(seen.result)
    slope, start = (training.arrived(part) for part in seen.result)
    if (total := _loss(slope, start)) > 0.01:
        mean = total / len(training.X)  # the loss of this exercise
        return wrong(
            f"It ends at w = {slope:.4g}, b = {start:.4g}, with a loss of {mean:.4g}.",
            f"循环停在 w = {slope:.4g}、b = {start:.4g}，损失还有 {mean:.4g}。",
        )
    if made_up := seen.made_up(function):
        return made_up
    return right(
        "Yes: what should learn must be recorded, and every gradient is cleared before the next pass.",
        "对：要学习的部分必须被记录，每个梯度都要在下一次反向传播之前清零。",
    )
