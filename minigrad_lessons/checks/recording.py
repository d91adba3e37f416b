"""The exercises of lesson 8."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import Any

from minigrad_lessons import progress
from minigrad_lessons.checks.exercise import (
    Table,
    Unreadable,
    Verdict,
    close,
    exercise,
    mentions,
    number,
    right,
    run,
    run_backward,
    show,
    table,
    todo,
    wrong,
)
from minigrad_lessons.checks.training import X, Y

# For each line, where x is a fresh tracked leaf of two ones: what its last expression gives.
DETACHED = Table("recording.detached")


@exercise(
    wants=("the dict with True or False for each line", "一个字典，每一行填 True 或 False"),
    hints=[
        (
            "detach returns something. What about the tensor it was called on?",
            "detach 返回一个东西。那么原来的张量呢？",
        ),
        ("Like view, it shares the storage.", "它和 view 一样，共享存储。"),
        ("Type a line into a cell and look.", "把某一行敲进单元格里，运行看看。"),
    ],
)
def detached(guesses: Any) -> Verdict:
    """What detach gives, and what it leaves alone."""
    return table(
        guesses,
        DETACHED,
        why=(
            "detach gives a new, untracked tensor on the same storage, and changes nothing about x.",
            "detach 给出一个新的、未被追踪的张量，与 x 共享存储，而 x 本身不变。",
        ),
    )


def _leaf(like: Any, value: float) -> Any:
    leaf = like.detach().clone()
    leaf.fill_(value)
    return leaf.requires_grad_()


def _gradients(function: Callable[..., Any], *leaves: Any) -> tuple[float, list[float | None]]:
    result = run(function, *leaves)
    value = number(result)
    if getattr(result, "requires_grad", False):
        run_backward(result)
    return value, [None if leaf.grad is None else number(leaf.grad) for leaf in leaves]


@exercise(
    wants=("a function of w that returns a one-element tensor", "一个接收 w、返回单元素张量的函数"),
    hints=[
        (
            "The value must stay; cut only one of the two paths back.",
            "数值不能变，只切断往回走的两条路径中的一条。",
        ),
        (
            "Which expression should count as a plain number? Detach exactly that.",
            "哪个式子该当作普通的数？就对它调用 detach。",
        ),
        ("(w**2).detach() is a number as far as autograd can see.", "在自动求导看来，(w**2).detach() 就是一个数。"),
    ],
)
def freeze(function: Callable[[Any], Any], w: Any) -> Verdict:
    """w**2 * 5*w, where w**2 counts as a constant."""
    for start in (2.0, 3.0):
        value, (grad,) = _gradients(function, _leaf(w, start))
        if abs(value - 5 * start**3) > 1e-3:
            return wrong(
                f"At w = {start:g} your function gives {value:g}; w**2 * 5*w is {5 * start**3:g}.",
                f"w = {start:g} 时，你的函数给出 {value:g}；而 w**2 * 5*w 是 {5 * start**3:g}。",
            )
        if grad is None:
            return wrong(
                f"At w = {start:g} the value is right, but w.grad is None: both paths back are cut.",
                f"w = {start:g} 时，数值对了，但 w.grad 是 None：两条路径都切断了。",
            )
        ways = {15 * start**2: ("through both factors", "经过两个因子"), 10 * start**2: ("through w**2", "经过 w**2")}
        if abs(grad - 5 * start**2) > 1e-3:
            en, zh = ways.get(grad, ("from another path", "经过了别的路径"))
            return wrong(
                f"At w = {start:g} the value is right, but w.grad is {grad:g}: it still comes {en}.",
                f"w = {start:g} 时，数值对了，但 w.grad 是 {grad:g}：梯度仍然{zh}。",
            )
    if mentions(function, "data"):
        return right(
            "Yes: the value is unchanged, and w**2 counts as a constant. Better write .detach(): a write through .data "
            "would go unnoticed.",
            "对：数值不变，而 w**2 被当作常数。不过最好写 .detach()：通过 .data 修改数值，自动求导察觉不到。",
        )
    return right("Yes: the value is unchanged, and w**2 counts as a constant.", "对：数值不变，而 w**2 被当作常数。")


@exercise(
    wants=("a function of w and b that returns the loss", "一个接收 w 和 b、返回损失的函数"),
    hints=[
        (
            "Draw it: viz.draw(my_loss(w, b)). Where does the path to w end?",
            "画出来看：viz.draw(my_loss(w, b))。通向 w 的路径断在哪里？",
        ),
        ("Which line computes something from w without recording it?", "哪一行由 w 算出了东西，却没有记录？"),
        ("Move the multiplication out of the block.", "把乘法移到代码块外面。"),
    ],
)
def bug(function: Callable[[Any, Any], Any], w: Any) -> Verdict:
    """Lesson 1's loss with w and b, where both must get their gradient."""
    for at_w, at_b in ((1.0, 0.0), (0.5, 2.0)):
        value, (to_w, to_b) = _gradients(function, _leaf(w, at_w), _leaf(w, at_b))
        misses = [y - at_w * x - at_b for x, y in zip(X, Y, strict=True)]
        case = f"w = {at_w:g}, b = {at_b:g}"
        case_zh = case.replace(", ", "、")
        if not close(value, sum(miss**2 for miss in misses)):
            squares = " + ".join(f"{miss**2:g}" for miss in misses)
            return wrong(
                f"At {case} your loss is {value:g}. The sum of the squared misses is {squares}.",
                f"{case_zh} 时，你的损失是 {value:g}。误差的平方和应是 {squares}。",
            )
        truth = [-2 * sum(x * miss for x, miss in zip(X, misses, strict=True)), -2 * sum(misses)]
        if to_w is None and to_b is not None and mentions(function, "requires_grad_", "requires_grad"):
            return wrong(
                f"At {case} b.grad is {to_b:g} and w.grad is None. A flag turned on afterwards makes a new "
                "starting point; what lies before it, including w, stays unrecorded.",
                f"{case_zh} 时，b.grad 是 {to_b:g}，w.grad 是 None。事后再打开开关，"
                "只会多一个新的起点；起点之前用到 w 的运算，仍然没有被记录。",
            )
        if to_w is None or to_b is None or not close([to_w, to_b], truth):
            return wrong(
                f"At {case} the loss is right, but w.grad is {show(to_w)} and b.grad is {show(to_b)}. Each should get "
                "its own gradient: how the loss changes when that one alone grows.",
                f"{case_zh} 时，损失对了，但 w.grad 是 {show(to_w)}，b.grad 是 {show(to_b)}。"
                "两个都应当得到梯度：w 的梯度说的是，b 不变、只增大 w 时，损失怎样变化；b 的也一样。",
            )
    return right(
        "Yes: w.grad is -40 and b.grad is -18 at w = 1, b = 0, and both are right at other values, too: the whole loss "
        "is recorded.",
        "对：在 w = 1、b = 0 处，w.grad 是 -40，b.grad 是 -18，换一处也对。损失的每一步都被记录了。",
    )


@exercise(
    wants=("the code, as text", "代码，写成字符串"),
    hints=[
        (
            "Python's message names the first typo: look at the character that it shows.",
            "Python 的报错指出了第一处：看它给出的那个字符。",
        ),
        ("no_grad is a class until you call it.", "no_grad 不加圆括号就只是一个类。"),
        ("h.detach() returns a tensor. Which name refers to it?", "h.detach() 有返回值，哪个变量引用了它？"),
    ],
)
def slips(code: Any, torch: Any) -> Verdict:
    """Three typos: a full-width colon, a detach whose result is dropped."""
    if not isinstance(code, str):
        raise Unreadable(code)
    stub = progress.stub("recording.slips")
    try:
        program = compile(dedent(code), "my_code", "exec")
    except SyntaxError as error:
        if code.strip() in stub:
            return todo(
                f"Not changed yet. Python says: {error.msg}.",
                f"代码还和开始时一样。Python 说：{error.msg}。",
            )
        return wrong(f"Line {error.lineno}: {error.msg}.", f"第 {error.lineno} 行：{error.msg}。")
    for start in (2.5, -1.5):
        names = {"torch": torch, "w": torch.tensor([start], requires_grad=True)}
        with torch.enable_grad():  # whatever the code leaves, the notebook goes on recording
            run(exec, program, names)
        for name, value in (("prediction", 4 * start), ("h", 3 * start)):
            found = names.get(name)
            if not isinstance(found, torch.Tensor) or number(found) != value:
                return wrong(
                    f"With w = {start}, {name} should be a tensor of {value}; it is {show(found)}.",
                    f"w = {start} 时，{name} 应当是值为 {value} 的张量，现在是 {show(found)}。",
                )
            if found.requires_grad:
                return wrong(
                    f"It runs, but {name} is still tracked: it prints as {show(found)}.",
                    f"能运行，但 {name} 仍被追踪：打印出来是 {show(found)}。",
                )
    if not getattr(names.get("w"), "requires_grad", False):
        return wrong("`w` should still be tracked.", "`w` 应当仍被追踪。")
    return right(
        "Yes: a plain colon, parentheses, and a name for the untracked tensor.",
        "对：半角冒号，圆括号，还要有一个变量引用未被追踪的张量。",
    )
