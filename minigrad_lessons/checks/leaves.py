"""The exercises of lesson 4."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from minigrad_lessons.checks.exercise import (
    BY_HAND,
    Table,
    Verdict,
    close,
    exercise,
    made_without,
    mentions,
    number,
    parts,
    refused,
    right,
    run,
    show,
    table,
    wrong,
)

# For each expression, where w is tracked and x is not: whether its result is a leaf.
LEAVES = Table("leaves.leaves")


@exercise(
    wants=("the dict with True or False for each line", "一个字典，每一行填 True 或 False"),
    hints=[
        ("Ask of each: does it have a grad_fn?", "对每一个都问：它有 grad_fn 吗？"),
        (
            "An operation is recorded when at least one of its inputs is tracked, and only then.",
            "当且仅当至少有一个输入被追踪时，运算才会被记录。",
        ),
        ("No grad_fn means leaf. Try print((x * 2).is_leaf).", "没有 grad_fn 就是叶子。试试 print((x * 2).is_leaf)。"),
    ],
)
def leaves(guesses: Any) -> Verdict:
    """Which results are leaves."""
    return table(
        guesses,
        LEAVES,
        why=(
            "No grad_fn means a leaf: created by you, computed from untracked tensors alone, or detached.",
            "没有 grad_fn 就是叶子：自己创建的、只由未被追踪的张量算出来的，或者 detach 得到的。",
        ),
    )


def _harmless(result: Any) -> tuple[str, str]:
    """What a result tells of why nothing was refused."""
    if not hasattr(result, "requires_grad"):
        return "That is nothing that autograd forbids.", "没有触发自动求导的任何一项检查。"
    if result.is_leaf and result.requires_grad:
        return (
            "That is a tracked leaf: either nothing was written into it, or recording was off at the time. "
            "A leaf's flag may be changed at any time.",
            "它是被追踪的叶子，但要么没有往里写，要么写的时候没有记录。叶子的开关随时可以改。",
        )
    if result.is_leaf:
        return (
            "That is a leaf: an untracked leaf may be written into, and any leaf's flag may be changed.",
            "它是叶子：未被追踪的叶子可以写入，叶子的开关也随你改。",
        )
    return (
        "That is a result, not a leaf: a result may be written into, and turning on a flag that is already on is "
        "allowed.",
        "它是运算结果，不是叶子：运算结果可以写入；开关本来就开着的话，再打开一次也不要紧。",
    )


_FUNCTION = ("a function of no arguments", "一个不带参数的函数")


@exercise(
    wants=_FUNCTION,
    hints=[
        (
            "Which kind of method writes into a tensor instead of making a new one?",
            "哪一类方法会直接写进张量，而不是产生新张量？",
        ),
        (
            "Those that end in an underscore, and also += and item assignment.",
            "以下划线结尾的方法，以及 += 和按下标赋值。",
        ),
        (
            "For a tracked leaf w, any of them raises the error, such as w.mul_(2).",
            "对被追踪的叶子 w，这些都会报错，例如 w.mul_(2)。",
        ),
    ],
)
def in_place(function: Callable[[], Any]) -> Verdict:
    """Cause the error for writing into a tracked leaf."""
    return refused(
        function,
        "a leaf Variable that requires grad is being used in an in-place operation.",
        "Yes, an error: the gradient is taken at the leaf's value; overwrite that, and the gradient would belong to a "
        "value that is gone.",
        "对，报错了：梯度是在叶子原来的值处求的；这个值一旦被覆盖，梯度就和叶子现在的值对不上了。",
        _harmless,
    )


@exercise(
    wants=_FUNCTION,
    hints=[
        (
            "A leaf's flag may be changed at will, so you need a tensor that is not a leaf.",
            "叶子的开关可以随意改，所以这里要用不是叶子的张量。",
        ),
        ("Make a result of w first, such as y = w * 2.", "先由 w 算出一个结果，例如 y = w * 2。"),
        ("Then try to switch its flag off.", "然后试着关掉它的开关。"),
    ],
)
def flag_of_a_result(function: Callable[[], Any]) -> Verdict:
    """Cause the error for lowering the flag of a tracked result."""
    return refused(
        function,
        "you can only change requires_grad flags of leaf variables.",
        "Yes, an error: a result is tracked because its inputs are. For an untracked tensor, use y.detach().",
        "对，报错了：结果被追踪，是因为它的输入被追踪。想要未被追踪的张量，就用 y.detach()。",
        _harmless,
    )


@exercise(
    wants=("a function of a tensor that returns a tracked leaf", "一个以张量为参数的函数，返回被追踪的叶子"),
    hints=[
        ("Which tensors can become tracked leaves, if you turn their flag on?", "哪些张量打开开关之后还是叶子？"),
        (
            "Every leaf can, an untracked result included. Ask t.is_leaf.",
            "凡是叶子都行，未被追踪的结果也算。问一问 t.is_leaf。",
        ),
        (
            "A tracked result cannot: make a new leaf from its numbers, with t.detach().",
            "被追踪的结果不行：用 t.detach() 取它的数值，做一个新叶子。",
        ),
    ],
)
def leaf_of(function: Callable[[Any], Any], t: Any) -> Verdict:
    """A tracked leaf with the numbers of a tensor: the tensor itself where it can be one."""
    tracked = t.detach().clone().requires_grad_()
    kinds = {
        "a fresh, untracked tensor": ("新建的、未被追踪的张量", t.detach().clone()),
        "a tracked leaf": ("被追踪的叶子", t.detach().clone().requires_grad_()),
        "an untracked result, (t * 3) / (t - 0.5)": ("未被追踪的结果 (t * 3) / (t - 0.5)", (t * 3) / (t - 0.5)),
        "a tracked result": ("被追踪的结果", tracked * 3),
        "a tracked result of type float64": ("被追踪的结果（float64 类型）", tracked.double() * 3),
    }
    for kind, (kind_zh, given) in kinds.items():
        itself, values = given.is_leaf, given.tolist()
        found = run(function, given)
        if not (getattr(found, "requires_grad", False) and found.is_leaf):
            return wrong(
                f"Given {kind}, you return {show(found)}: that is not a tracked leaf.",
                f"传入{kind_zh}时，你返回了 {show(found)}：它不是被追踪的叶子。",
            )
        if itself and found is not given:
            return wrong(
                f"Given {kind}, you return another tensor. What you were given is a leaf: turn its flag on.",
                f"传入{kind_zh}时，你返回了另一个张量。可传入的张量本身就是叶子，打开它的开关就行。",
            )
        if not itself and given.is_leaf and found is given:
            return wrong(
                f"Given {kind}, you take its history away and return it. Leave it as it was, and return a new leaf.",
                f"传入{kind_zh}时，你去掉了它的计算历史，再把它返回。请不要改动它，另外返回一个新的叶子。",
            )
        if given.is_leaf != itself or not close(given.tolist(), values):
            return wrong(
                f"Given {kind}, your function changes t itself. Leave it as it was, and return a new leaf.",
                f"传入{kind_zh}时，你的函数改动了 t 本身。请不要改动它，另外返回一个新的叶子。",
            )
        if found.dtype != given.dtype:
            return wrong(
                f"Given {kind}, your leaf is {found.dtype}. Keep {given.dtype}: another dtype changes the precision.",
                f"传入{kind_zh}时，你的叶子是 {found.dtype}。dtype 应当保持 {given.dtype}，否则数值的精度就变了。",
            )
        if not close(found.tolist(), values):
            return wrong(
                f"Given {kind} with {values}, your leaf holds {show(found.tolist())}.",
                f"传入{kind_zh} {values} 时，你的叶子里是 {show(found.tolist())}。",
            )
    return right(
        "Yes: every leaf's flag may be turned on, that of an untracked result too. Only a tracked result cannot give "
        "up its history: it needs a new leaf.",
        "对：凡是叶子都能打开开关，由未被追踪的张量算出的结果也一样。只有被追踪的结果去不掉计算历史，得另做一个叶子。",
    )


# Where w is torch.ones(6, requires_grad=True) and x is torch.arange(6.0).
SO_FAR = Table("leaves.so_far")


@exercise(
    wants=("True or False for each line", "一个字典，每一行填 True 或 False"),
    hints=[
        ("Each line belongs to one lesson; run what you are not sure of.", "每一行对应一课。拿不准的就跑一跑。"),
        (
            "Ask of each tensor: how was it made, and was any input tracked?",
            "对每个张量问一问：它是怎么得来的？输入里有没有被追踪的？",
        ),
        ("Print each line by itself: it says True or False.", "把每一行单独打印出来：结果就是 True 或 False。"),
    ],
)
def so_far(guesses: Any) -> Verdict:
    """Seven lines from the first four lessons."""
    return table(
        guesses,
        SO_FAR,
        why=(
            "Spelling, dtypes, memory, nodes, leaves: four lessons in seven lines.",
            "拼写、类型、内存、节点、叶子：七行代码，用到了前四课。",
        ),
    )


@exercise(
    wants=("a function of f and a number that returns a float", "一个以 f 和一个数为参数的函数，返回浮点数"),
    hints=[
        (
            "A leaf from the number, f of it, one backward, and its grad.",
            "由这个数造叶子，代入 f，反向传播一次，取它的 grad。",
        ),
        ("Only floats can be tracked: the number may be a whole one.", "只有浮点张量能被追踪，而传入的可能是整数。"),
        ("The flag must be on before f is called. At the end, item().", "开关要在调用 f 之前打开。最后用 item()。"),
    ],
)
def slope_at(function: Callable[[Any, Any], Any]) -> Verdict:
    """The derivative of any function at a Python number, as a Python float."""
    functions = {
        "3 * x**2 - x": (lambda x: (3 * x**2 - x).sum(), lambda x: 6 * x - 1),
        "(x * x).exp()": (lambda x: (x * x).exp().sum(), lambda x: 2 * x * math.exp(x * x)),
        "x.sin() / x": (lambda x: (x.sin() / x).sum(), lambda x: math.cos(x) / x - math.sin(x) / x**2),
    }
    for at in (0.5, 2, -1.25):
        for name, (f, slope) in functions.items():
            found = run(function, f, at)
            if not isinstance(found, float):
                return wrong(
                    f"For {name} at {at} you return {show(found)}. A Python float is wanted.",
                    f"对 {name}，在 {at} 处你返回的是 {show(found)}。这里要的是 Python 浮点数。",
                )
            if close(number(found), slope(at), 1e-3):
                continue
            if close(found, slope(at), 0.02):
                return wrong(
                    f"For {name} at {at} you return {found:.6g}, and the slope is {slope(at):.6g}. A nudge, as in "
                    "Lesson 1, only comes near it; backward() finds it.",
                    f"对 {name}，在 {at} 处你返回 {found:.6g}，而斜率是 {slope(at):.6g}。"
                    "像第 1 课那样试探，只能接近斜率；backward() 求出的才准确。",
                )
            return wrong(
                f"For {name} at {at} you return {found:.6g}. From {at} to {at + 0.001:g} it changes by about "
                f"{slope(at) / 1000:.4g}.",
                f"对 {name}，在 {at} 处你返回 {found:.6g}。"
                f"从 {at} 到 {at + 0.001:g}，它大约变化 {slope(at) / 1000:.4g}。",
            )
    if made_without(found, lambda: function(f, at)):
        return BY_HAND
    return right(
        "Yes: a fresh leaf each time, its flag on before the first operation, one backward.",
        "对：每次都用新的叶子，第一步运算之前就打开开关，只反向传播一次。",
    )


@exercise(
    wants=("a function of n that returns two whole numbers", "一个以 n 为参数的函数，返回两个整数"),
    hints=[
        (
            "Look at x.grad for 8 and for 3. Which numbers multiply to that?",
            "看看 8 和 3 的 x.grad：是哪些数乘出来的？",
        ),
        (
            "It is 3**triplings / 2**halvings. Double it until it is a whole number: how many times?",
            "x.grad 等于 3**乘三的次数 / 2**减半的次数。不断乘 2，直到变成整数：乘了几次？",
        ),
        (
            "g = x.grad.item(); while g % 1: double g and count; then while g > 1: divide it by 3 and count.",
            "g = x.grad.item()；while g % 1：g 乘 2，计一次；然后 while g > 1：g 除以 3，计一次。",
        ),
    ],
)
def history(function: Callable[[int], Any]) -> Verdict:
    """How often a number was halved and tripled on its way to 1, from its gradient."""
    for n in (6, 8, 3, 7, 18):
        counts, value = [0, 0], n
        while value != 1:
            counts[value % 2] += 1
            value = 3 * value + 1 if value % 2 else value // 2
        found = run(function, n)
        said = [number(part) for part in parts(found, 2)]
        if said != counts:
            slope = f"3**{said[1]:g} / 2**{said[0]:g}"
            return wrong(
                f"For n = {n} you return {show(tuple(found))}: by that answer x.grad is {slope}. It is "
                f"{3 ** counts[1] / 2 ** counts[0]:.6g}.",
                f"n = {n} 时，你返回 {show(tuple(found))}：照这个答案，x.grad 就是 {slope}；而实际的 x.grad 是 "
                f"{3 ** counts[1] / 2 ** counts[0]:.6g}。",
            )
    if not mentions(function, "grad"):
        return wrong(
            "The numbers are right, but x.grad was not used: read them off the gradient.",
            "数是对的，可是没有用到 x.grad：请由梯度求出来。",
        )
    return right(
        "Yes, for five numbers: each run built a graph of its own, and its gradient tells what the run did.",
        "对，五个数都通过了：每次运行都建立自己的计算图，梯度里就记着这一次做过什么。",
    )
