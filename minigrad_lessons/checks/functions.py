"""The exercises of lesson 13."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from typing import Any

from minigrad_lessons.checks.exercise import (
    Table,
    Unreadable,
    Verdict,
    choose,
    close,
    exercise,
    number,
    right,
    run,
    show,
    table,
    todo,
    wrong,
)

_chance = Random()  # not the one that a learner may have seeded


class _Saved:
    """As much of a ctx as a backward asks for."""

    def __init__(self, *tensors: Any) -> None:
        self.saved_tensors = tensors
        self.needs_input_grad = (True,) * len(tensors)


@exercise(
    wants=("your class Cube", "你写的类 Cube"),
    hints=[
        ("The derivative of x**3 is 3 * x**2.", "x**3 的导数是 3 * x**2。"),
        (
            "backward is given the gradient of the output. The chain rule multiplies.",
            "backward 收到的是输出的梯度。链式法则要做乘法。",
        ),
        (
            "Square returns grad_output * 2 * x. Put your derivative in place of 2 * x.",
            "Square 返回的是 grad_output * 2 * x。把 2 * x 换成你的导数。",
        ),
    ],
)
def cube(function: Any, x: Any) -> Verdict:
    """A Function for x**3, with its backward."""
    if not hasattr(function, "apply"):
        raise Unreadable(function)
    data = x.detach()
    try:
        unanswered = function.backward(_Saved(data), data * 0 + 1) is ...
    except Exception:  # it asks for more than a stand-in has
        unanswered = False
    if unanswered:
        return todo("backward still returns `...`.", "backward 返回的还是 `...`。")
    for start in (data, data - data.max()):  # 0 among them
        leaf, upstream, at = start.clone().requires_grad_(), start * 0, start.tolist()
        for place in range(len(at)):  # even numbers: no sum of them is the 3 or the 1 that a mistake could hide behind
            upstream[place] = float(_chance.choice([-8, -6, -4, 4, 6, 10]))
        output = run(function.apply, leaf.clone())  # no leaf: a backward that only sets x.grad gives leaf nothing
        if output is None:
            return wrong(
                "forward returned nothing. End it with return x**3.", "forward 什么也没有返回。最后要写 return x**3。"
            )
        if tuple(output.shape) != tuple(start.shape) or not close(output.tolist(), (start**3).tolist()):
            return wrong(
                f"forward gives {show(output.tolist())} at x = {at}; it should stay x**3.",
                f"x = {at} 时，forward 给出 {show(output.tolist())}；结果应当还是 x**3。",
            )
        node = type(output.grad_fn).__name__
        if node != f"{getattr(function, '__name__', type(function).__name__)}Backward":
            return wrong(
                f"The node that your `apply` leaves is {node}: it never comes to your backward. Leave `apply` as it "
                "is in torch.autograd.Function.",
                f"你的 `apply` 留下的节点是 {node}，根本用不到你写的 backward。"
                "请沿用 torch.autograd.Function 的 `apply`。",
            )
        run(output.backward, upstream)
        if leaf.grad is None:
            return wrong(
                "backward returned nothing, so no gradient reached x. End it with return ...",
                "backward 什么也没有返回，所以没有梯度传到 x。最后要用 return 返回梯度。",
            )
        found, slope, came = leaf.grad.tolist(), (3 * start**2).tolist(), upstream.tolist()
        truth = [a * b for a, b in zip(slope, came, strict=True)]
        if close(found, truth):
            continue
        if close(found, slope):
            return wrong(
                f"At x = {at}, {came} arrived as grad_output, and you gave the gradient of x**3 alone, "
                f"{show(found)}. The factor grad_output is missing.",
                f"在 x = {at} 处，上游传来的 grad_output 是 {came}，你给的只是 x**3 自己的梯度 {show(found)}。"
                "上游传来的梯度没有用上。",
            )
        off = [math.inf if math.isnan(a) else abs(a - b) for a, b in zip(found, truth, strict=True)]
        step, worst = 1e-3, off.index(max(off))
        rise = ((at[worst] + step) ** 3 - at[worst] ** 3) / step
        return wrong(
            f"At x = {at[worst]:g}, x**3 rises by about {rise:.2f} for each unit of x, and {came[worst]:g} arrived "
            f"as grad_output. For this entry you gave {found[worst]:g}.",
            f"在 x = {at[worst]:g} 处，x 每增加一个单位，x**3 大约增加 {rise:.2f}，而上游传来的 grad_output 是 "
            f"{came[worst]:g}。对这个元素，你给出的是 {found[worst]:g}。",
        )
    return right(
        "Yes, at six places: the slope of x**3, times whatever arrived.",
        "对，六处都验证过：x**3 的斜率，乘以上游传来的梯度，不管传来的是多少。",
    )


# For each expression: its gradient at x = 0.
AT_ZERO = Table("functions.at_zero")


@exercise(
    wants=("the dict with a number for each line", "一个字典，每一行填一个数"),
    hints=[
        ("At a kink there is no slope; each function chooses one.", "在折点处没有斜率，每个函数各选一个。"),
        ("Read MyReLU's backward: which entries does it set to 0?", "读一读 MyReLU 的 backward：它把哪些元素设成 0？"),
        (
            "Try: x = torch.zeros(1, requires_grad=True), then backward.",
            "试试：x = torch.zeros(1, requires_grad=True)，然后反向传播。",
        ),
    ],
)
def at_zero(guesses: Any) -> Verdict:
    """What each function does with the gradient at its kink."""
    if isinstance(guesses, dict):
        guesses = {key: guess if guess is ... else number(guess) for key, guess in guesses.items()}
    return table(
        guesses,
        AT_ZERO,
        why=(
            "At a kink no slope is the right one: the author of the backward chooses.",
            "折点处没有唯一正确的斜率，由写 backward 的人来选。",
        ),
    )


# The first number in each of the two tables in gradcheck's error for Product, with the page's x and y.
NUMERICAL, ANALYTICAL = 1.0, 0.5


@exercise(
    wants=(
        'a name, "Sine", "Half" or "Product", and two numbers from gradcheck\'s error',
        '一个名字（"Sine"、"Half" 或 "Product"）和 gradcheck 报错里的两个数',
    ),
    hints=[
        (
            "torch.autograd.gradcheck(Sine.apply, (x,)) gives True, or raises an error that shows both tables, "
            "the quotients and yours.",
            "torch.autograd.gradcheck(Sine.apply, (x,)) 要么返回 True，要么报错，并列出两个矩阵。",
        ),
        ("Do it for all three. Product takes two inputs: (x, y).", "三个都检查一遍。Product 有两个输入：(x, y)。"),
        (
            "The one that raises. In its message, take the first number after numerical: and the first after "
            "analytical:",
            "报错的那一个就是。在报错信息里，取 numerical: 后面的第一个数和 analytical: 后面的第一个数。",
        ),
    ],
)
def culprit(name: Any, numerical: Any, analytical: Any) -> Verdict:
    """Which of the three Functions has a wrong backward, and what gradcheck says of it."""
    reasons = {
        "Sine": ("cos(x) is the derivative of sin(x).", "sin(x) 的导数就是 cos(x)。"),
        "Half": ("Half of x changes by half of the change of x.", "x 变化一个单位，x / 2 就变化半个单位。"),
    }
    function = getattr(name, "__self__", name)  # of Product.apply
    found = choose(getattr(function, "__name__", function), ("Sine", "Half", "Product"))
    if found in reasons:
        en, zh = reasons[found]
        return wrong(f"{found} passes gradcheck. {en}", f"{found} 能通过 gradcheck。{zh}")
    if found != "Product":
        raise Unreadable(name)
    said = [number(numerical), number(analytical)]
    if close(said, [NUMERICAL, ANALYTICAL], within=1e-3):
        return right(
            f"Yes: the derivative with respect to x is y, which starts with {NUMERICAL:g}; with respect to y it is x, "
            f"which starts with {ANALYTICAL:g}. The two were swapped.",
            f"对：对 x 的导数是 y，第一个数是 {NUMERICAL:g}；对 y 的导数是 x，第一个数是 {ANALYTICAL:g}。两个写反了。",
        )
    if close(said, [ANALYTICAL, NUMERICAL], within=1e-3):
        return wrong(
            "These are the two numbers, the other way round: numerical is what the small steps measured, analytical "
            "what backward returned.",
            "两个数都对，但位置反了：numerical 是用差商算出来的，analytical 是 backward 返回的。",
        )
    return wrong(
        f"You gave {said[0]:g} and {said[1]:g} with {found}, and gradcheck finds other numbers at this page's x "
        "and y. Let it raise its error, and read its two tables from the top left.",
        f"你给 {found} 配的是 {said[0]:g} 和 {said[1]:g}，而用这一页的 x 和 y，gradcheck 报出来的不是这两个数。"
        "让它报错，再看两个矩阵左上角的数。",
    )


NINE = Table("functions.nine")


@exercise(
    wants=("for each line one of the given texts", "一个字典，每一行从给出的文字里选一个"),
    hints=[
        ("Run a line by itself and read the first words.", "单独跑一行，读读报错的开头。"),
        ("Nine of them raise, and no two the same.", "其中九行会报错，而且各不相同。"),
        (
            "Wrap a line in try: … except Exception as error: print(error), and pick the text that says the same.",
            "把那一行放进 try: … except Exception as error: print(error)，再选意思相同的那段文字。",
        ),
    ],
)
def nine(guesses: Any) -> Verdict:
    """Which error each line raises."""
    return table(
        guesses,
        NINE,
        why=(
            "You know what each error protects you from, and what to do about it.",
            "每一种报错在防止什么、该怎么办，你都清楚了。",
        ),
        words=tuple(sorted(set(NINE.values()))),
    )


@exercise(
    wants=(
        "a function of loss and a dict, which returns a list of names",
        "一个以 loss 和字典为参数的函数，返回名字的列表",
    ),
    hints=[
        ("Start at loss.grad_fn and follow next_functions.", "从 loss.grad_fn 出发，沿 next_functions 走。"),
        (
            "A leaf is reached where a node has a variable: its AccumulateGrad.",
            "走到有 variable 的节点（AccumulateGrad），就到了一个叶子。",
        ),
        ("Compare with `is`: == compares numbers.", "用 `is` 比较，== 比的是数值。"),
    ],
)
def reached(function: Callable[[Any, Any], Any], v: Any) -> Verdict:
    """The names of the leaves that a loss leads to, found in the graph."""
    a, b, c, d = (v.detach().clone().requires_grad_(flag) for flag in (True, True, True, False))
    h = a * d
    inputs = {"a": a, "b": b, "c": c, "d": d, "h": h}
    losses = {
        "(a * d).sum()": (h.sum(), ["a"]),
        "(a * d * b.detach() + b).exp().sum()": ((h * b.detach() + b).exp().sum(), ["a", "b"]),
        "((c * c.detach()) ** 2).sum()": (((c * c.detach()) ** 2).sum(), ["c"]),
    }
    passes: list[Any] = []
    for name, (loss, wanted) in losses.items():
        loss.register_hook(passes.append)
        found = run(function, loss, inputs)
        if any(leaf.grad is not None for leaf in (a, b, c)):
            return wrong(
                "Your function ran a backward: a .grad is filled now. Read the graph instead.",
                "你的函数做了反向传播：有个 .grad 已经被写入了。请改为只读计算图。",
            )
        if not isinstance(found, (list, tuple, set)) or not all(isinstance(name, str) for name in found):
            raise Unreadable(found)
        if sorted(found) != wanted:
            return wrong(
                f"For the loss {name} you return {show(found)}. Here d is untracked, and h is a * d.",
                f"损失是 {name} 时，你返回了 {show(found)}。这里 d 未被追踪，h 是 a * d。",
            )
        if passes:
            return wrong(
                "torch.autograd.grad is a backward pass, too. Read the graph instead.",
                "torch.autograd.grad 也是反向传播。请改为只读计算图。",
            )
    return right(
        "Yes: the graph shows before any backward which parameters will learn: the leaves of its AccumulateGrad nodes.",
        "对：哪些参数能学到东西，反向传播之前从图里就看得出：就是各个 AccumulateGrad 引用的叶子。",
    )
