"""The exercises of lesson 11."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad_lessons.checks.exercise import (
    Raised,
    Table,
    Verdict,
    close,
    exercise,
    number,
    right,
    run,
    run_backward,
    show,
    table,
    wrong,
)

# For each line over a tracked leaf x: whether backward from the last tensor it names works.
WORKS = Table("versions.works")


@exercise(
    wants=("the dict with True or False for each line", "一个字典，每一行填 True 或 False"),
    hints=[
        (
            "Which tensor does the operation save: its input, its result, or none?",
            "这种运算保存哪个张量：输入、结果，还是都不保存？",
        ),
        ("Is that very tensor written into after it was saved?", "正是这个张量，在保存之后又被写过吗？"),
        ("Both must be true for an error: saved, and written afterwards.", "两条都满足才会报错：先保存，后写入。"),
    ],
)
def works(guesses: Any) -> Verdict:
    """Which lines leave a graph that can be walked back."""
    return table(
        guesses,
        WORKS,
        why=(
            "Backward fails exactly where a tensor was written into after a node had saved it.",
            "只有节点保存了某个张量、之后它又被写过，反向传播才会报错。",
        ),
    )


@exercise(
    wants=("one whole number", "一个整数"),
    hints=[
        (
            "Each write in place adds 1, through t itself or through a view of it.",
            "每次原地写入加 1，不管是直接写 t，还是通过它的视图写。",
        ),
        ("A clone has its own storage, and so its own counter.", "clone 有自己的存储，因而也有自己的计数器。"),
        ("Writing through .data bypasses the counter.", "通过 .data 写入，会绕过计数器。"),
    ],
)
def count(answer: Any) -> Verdict:
    """t._version after the lines of the exercise."""
    guess = number(answer)
    if guess == 4:
        return right(
            "Yes: +=, item assignment, the view, the detached one.",
            "对：+=、按下标赋值、视图、detach 得到的张量，各一次。",
        )
    if guess > 4:
        return wrong(
            f"You counted {guess:g}. Not every line writes where the counter sees it: the clone, and .data?",
            f"你数出 {guess:g} 次。并不是每一行都会让 t 的计数器加 1：clone 呢？.data 呢？",
        )
    return wrong(
        f"You counted {guess:g}. A view and a detached tensor share the storage of t, and its counter.",
        f"你数出 {guess:g} 次。视图和 detach 得到的张量，与 t 共享存储，也共享计数器。",
    )


@exercise(
    wants=("a function of x that returns the loss", "一个接收 x、返回损失的函数"),
    hints=[
        ("exp saved its result. Which line writes into it?", "exp 保存了自己的结果。哪一行往里面写了？"),
        ("Make a new tensor instead of writing into the old one.", "不要写进旧张量，而要产生一个新张量。"),
        ("a = a + 1 in place of a.add_(1).", "把 a.add_(1) 换成 a = a + 1。"),
    ],
)
def repair(function: Callable[[Any], Any], x: Any) -> Verdict:
    """sum(exp(x) + 1), with its gradient exp(x)."""
    for data in (x.detach(), x.detach() - 0.5, x.detach()[:1]):
        leaf = data.clone().requires_grad_()
        loss = run(function, leaf)
        truth = data.exp()
        value, wanted = number(loss), number((truth + 1).sum())
        if not close(value, wanted):
            return wrong(
                f"Your loss is {value:g}; the sum of exp(x) + 1 at x = {data.tolist()} is {wanted:g}.",
                f"你的损失是 {value:g}；x = {data.tolist()} 时，exp(x) + 1 之和是 {wanted:g}。",
            )
        if not getattr(loss, "requires_grad", False):
            return wrong(
                "The value is right, but nothing is recorded any more: there is no gradient.",
                "数值对了，但什么都没有记录，所以没有梯度。",
            )
        try:
            run_backward(loss)
        except Raised as raised:
            if "modified by an inplace operation" not in str(raised.error):
                raise
            return wrong(
                "Backward finds that a saved value was overwritten: exp saved its result, and your function writes "
                "into that very tensor. `a += 1` is a write, too.",
                "反向传播时发现保存的值被覆盖了：exp 保存了自己的结果，而你的函数正好往这个张量里写。"
                "`a += 1` 也是写入。",
            )
        found = None if leaf.grad is None else leaf.grad.tolist()
        if found is None or not close(found, truth.tolist()):
            shown, exp = (show(values and [round(v, 4) for v in values]) for values in (found, truth.tolist()))
            return wrong(
                f"No error, and still wrong: x.grad is {shown}, but the derivative of exp(x) + 1 is exp(x), {exp}.",
                f"没有报错，却是错的：x.grad 是 {shown}，而 exp(x) + 1 的导数是 exp(x)，即 {exp}。",
            )
    return right(
        "Yes: the same value, and the true gradient. What exp saved is what exp computed.",
        "对：数值不变，梯度也是对的。exp 保存的，还是 exp 算出来的那个值。",
    )
