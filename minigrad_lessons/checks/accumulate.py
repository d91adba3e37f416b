"""The exercises of lesson 6."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad_lessons.checks import training
from minigrad_lessons.checks.exercise import Table, Verdict, close, exercise, number, parts, right, table, wrong


@exercise(
    wants=("a list of four numbers", "一个列表，里面是四个数"),
    hints=[
        ("What does one backward through x**2 at x = 3 give?", "在 x = 3 处，对 x**2 反向传播一次得到多少？"),
        ("Each backward adds that much to what is there already.", "每次反向传播，都在已有的数上加这么多。"),
        ("zero_ sets it to 0; the next backward adds to 0.", "zero_ 把它变成 0，下一次反向传播从 0 开始加。"),
    ],
)
def sequence(guesses: Any) -> Verdict:
    """x.grad of x**2 at 3 after: backward, backward, zero_, backward."""
    guesses = parts(guesses, 4)
    if guesses[2] is None:
        return wrong(
            "After zero_ you said None. zero_ writes into the tensor that is there; it does not take it away.",
            "zero_ 之后，你写的是 None。zero_ 是往已有的张量里写，并不会把它拿走。",
        )
    if all(guess is guesses[0] for guess in guesses) and hasattr(guesses[0], "item"):
        return wrong(
            "All four are one tensor, x.grad, as it is now. Take its number after each line: x.grad.item().",
            "这四项是同一个张量 x.grad，都是它现在的值。每运行一行，就用 x.grad.item() 取出当时的数。",
        )
    found, truth = [number(guess) for guess in guesses], [6.0, 12.0, 0.0, 6.0]
    lines = ("the first backward", "the second backward", "zero_", "the last backward")
    lines_zh = ("第一次 backward", "第二次 backward", "zero_", "最后一次 backward")
    for place, (guess, value) in enumerate(zip(found, truth, strict=True)):
        if not close(guess, value):
            was = f"{found[place - 1]:g}" if place else "None"
            return wrong(
                f"After {lines[place]} you said {guess:g}. Before, x.grad was {was}: what does this line do to it?",
                f"{lines_zh[place]} 之后，你写的是 {guess:g}。在它之前 x.grad 是 {was}：这一行会对它做什么？",
            )
    return right(
        "Yes: 6, 12, 0, 6. Each backward adds 6 to what is there, and only zero_ clears it.",
        "对：6、12、0、6。每次反向传播都在原有的数上加 6，只有 zero_ 会把它清零。",
    )


@exercise(
    wants=("a function of w that returns w", "一个接收 w、返回 w 的函数"),
    hints=[
        (
            "Print w.grad in the loop. Which part of it comes from earlier rounds?",
            "在循环里打印 w.grad，其中哪些是前几轮留下的？",
        ),
        ("Each round needs the gradient of that round alone.", "每一轮只需要这一轮自己的梯度。"),
        (
            "Clear it after it has been used and before the next backward: w.grad.zero_() or w.grad = None.",
            "在用过之后、下一次 backward 之前清掉它：w.grad.zero_() 或 w.grad = None。",
        ),
    ],
)
def train(function: Callable[[Any], Any], w: Any) -> Verdict:
    """A training loop that reaches the bottom of sum((Y - w*X)**2) for lesson 1's data."""
    start = number(w)
    seen = training.train(function, w=w)
    if seen.mistake:
        return seen.mistake
    end = training.arrived(seen.result)
    shown = f"w: {start:g} → {end:.4g}"
    if abs(end - start) < 1e-6:
        return wrong(
            f"{shown}: w did not move. Was the gradient cleared before it was used?",
            f"{shown}：w 一动没动。是不是梯度还没用就被清掉了？",
        )
    if abs(end - training.BEST) >= 1e-3:
        return seen.elsewhere(w, start, end)
    return seen.made_up(function) or right(
        f"Yes: {shown}, the bottom of the valley. Each step used the gradient of its own round alone.",
        f"对：{shown}，到了谷底。每一步只用了自己这一轮的梯度。",
    )


# For each line: what its last expression gives. w is a fresh leaf; (3 * w).sum().backward() leaves 3 in w.grad.
NONE_OR_ZERO = Table("accumulate.none_or_zero")


@exercise(
    wants=("the dict with True or False for each line", "一个字典，每一行填 True 或 False"),
    hints=[
        ("Is a tensor full of zeros the same as no tensor?", "全是 0 的张量，和没有张量，是一回事吗？"),
        ("zero_ ends in an underscore: it writes into the tensor itself.", "zero_ 以下划线结尾：它直接写进张量本身。"),
        (
            "kept = w.grad makes a second name, not a second tensor.",
            "kept = w.grad 只是多了一个变量名，并没有多一个张量。",
        ),
    ],
)
def none_or_zero(guesses: Any) -> Verdict:
    """What each line gives: cleared to None, or cleared to zero."""
    return table(
        guesses,
        NONE_OR_ZERO,
        why=(
            "zero_ writes into the tensor, and every reference sees it; = None only changes what w.grad refers to.",
            "zero_ 直接写进张量，凡是引用它的变量都会看到；= None 只是让 w.grad 不再引用它。",
        ),
    )
