"""The exercises of lesson 10."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad_lessons.checks import training
from minigrad_lessons.checks.exercise import (
    Raised,
    Table,
    Verdict,
    exercise,
    mentions,
    number,
    right,
    run,
    table,
    wrong,
)

# For each expression over a tracked x and an untracked c: what its node saves.
SAVES = Table("saved.saves")


@exercise(
    wants=(
        'the dict with "nothing", "x", "c" or "result" for each line',
        '一个字典，每一行填 "nothing"、"x"、"c" 或 "result"',
    ),
    hints=[
        ("Write down the derivative. Which values occur in it?", "先写出导数，看里面出现了哪些值。"),
        ("If the derivative is a plain number, nothing needs to be saved.", "如果导数只是个常数，就什么也不必保存。"),
        ("Ask the node: print(x.sin().grad_fn._saved_self).", "直接问节点：print(x.sin().grad_fn._saved_self)。"),
    ],
)
def saves(guesses: Any) -> Verdict:
    """What each operation keeps for backward."""
    return table(
        guesses,
        SAVES,
        words=("nothing", "x", "c", "result"),
        why=(
            "A node keeps what its derivative is computed from, and only that.",
            "节点只保存计算导数时要用到的值。",
        ),
    )


_SECOND_TIME = "Trying to backward through the graph a second time"


@exercise(
    wants=("a function of loss that runs backward twice", "一个接收 loss、反向传播两次的函数"),
    hints=[
        ("The error message names the argument that you need.", "报错信息里写着你需要的那个参数。"),
        ("Which of the two calls must leave the saved values in place?", "两次调用里，哪一次要把保存的值留下？"),
        ("The first one only. The last one should release the memory.", "只有第一次。最后一次应当把内存释放掉。"),
    ],
)
def twice(function: Callable[[Any], Any], w: Any) -> Verdict:
    """Backward twice through one graph, which is freed afterwards."""
    leaf = w.detach().clone().requires_grad_()
    loss = (leaf * leaf * leaf).sum()
    passes = []
    loss.register_hook(passes.append)
    once = 3 * number(w) ** 2
    try:
        run(function, loss)
    except Raised as raised:
        if str(raised.error).startswith(_SECOND_TIME):
            return wrong(
                f"Backward number {len(passes)} finds the saved values gone: the one before it released them.",
                f"第 {len(passes)} 次反向传播时，保存的值已经不在了：前一次反向传播把它们释放了。",
            )
        raise
    found = 0.0 if leaf.grad is None else number(leaf.grad)
    if len(passes) < 2 and found == len(passes) * once:
        how, how_zh = ("ran once only", "只反向传播了一次") if passes else ("did not run", "一次反向传播也没有")
        return wrong(
            f"w.grad is {found:g}: backward {how}. It should run twice.",
            f"w.grad 是 {found:g}：{how_zh}。这里要反向传播两次。",
        )
    if leaf.grad is not None and leaf.grad.requires_grad:
        return wrong(
            "create_graph=True has given w.grad a graph of its own, which stays. retain_graph=True is what you need.",
            "create_graph=True 给 w.grad 又留下了一张图。这里要用的是 retain_graph=True。",
        )
    if found != 2 * once:
        return wrong(
            f"For the loss w**3 at w = {number(w):g}, one backward gives {once:g}. After your function w.grad is "
            f"{found:g}: {found / once:g} times that, and it should be 2 times.",
            f"对损失 w**3，在 w = {number(w):g} 处反向传播一次得 {once:g}；运行你的函数之后 w.grad 是 {found:g}，"
            f"是它的 {found / once:g} 倍，而这里要的是 2 倍。",
        )
    if len(passes) != 2:
        times = "once" if len(passes) == 1 else f"{len(passes)} times"
        return wrong(
            f"w.grad is {found:g}, as after two backwards, but the graph was walked {times}. Call backward twice.",
            f"w.grad 是 {found:g}，和反向传播两次的结果一样，但计算图只走了 {len(passes)} 遍。请调用两次 backward。",
        )
    try:
        loss.backward()
    except RuntimeError:
        return right(
            f"Yes: {once:g} + {once:g} = {found:g}, and the graph is freed.",
            f"对：{once:g} + {once:g} = {found:g}，而且计算图已经释放。",
        )
    return wrong(
        "w.grad is right, but a third backward would still work: the saved values are never released.",
        "w.grad 是对的，但还能反向传播第三次：保存的值一直没有释放。",
    )


@exercise(
    wants=("a function of w that returns w", "一个接收 w、返回 w 的函数"),
    hints=[
        ("How often is the loss computed? At which w?", "损失算了几次？是在哪个 w 处算的？"),
        (
            "retain_graph would silence the error. It would not compute a new loss.",
            "retain_graph 能让报错消失，却不会重新计算损失。",
        ),
        ("Move the line that computes the loss into the loop.", "把计算损失的那一行移到循环里。"),
    ],
)
def loop(function: Callable[[Any], Any], w: Any) -> Verdict:
    """A training loop whose loss was computed once, before the loop."""
    start = number(w)
    try:
        seen = training.train(function, w=w)
    except Raised as raised:
        if str(raised.error).startswith(_SECOND_TIME):
            return wrong(
                "The second round goes back through the graph of the first, and its saved values are gone.",
                "第二轮走的还是第一轮的计算图，而图里保存的值已经释放了。",
            )
        raise
    if seen.mistake:
        return seen.mistake
    end = training.arrived(seen.result)
    if abs(end - training.BEST) >= 1e-3:
        return seen.elsewhere(w, start, end)
    spare, spare_zh = "", ""
    if mentions(function, "retain_graph"):
        spare = " You can remove retain_graph=True: no graph is used twice."
        spare_zh = "retain_graph=True 可以去掉了：没有哪张图要走两遍。"
    return seen.made_up(function) or right(
        f"Yes: w = {end:.4g}, the bottom of the valley. Each round has a loss, and so a graph, of its own.{spare}",
        f"对：w = {end:.4g}，到了谷底。每一轮都有自己的损失，也就有自己的计算图。{spare_zh}",
    )
