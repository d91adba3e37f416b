"""The exercises of lesson 4."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad_lessons.checks.exercise import (
    Raised,
    Verdict,
    exercise,
    explained,
    right,
    run,
    show,
    show_text,
    table,
    wrong,
)

# For each expression, where w is tracked and x is not: whether its result is a leaf.
LEAVES = {
    "w": True,
    "x": True,
    "w * 2": False,
    "x * 2": True,
    "w + x": False,
    "w.detach()": True,
    "(x * 2).requires_grad_()": True,
    "w.view(2)": False,
}
_LEAF_REASONS = {
    "w": ("You created it, no operation did.", "它是你创建的，不是运算得来的。"),
    "x": ("You created it; being tracked or not makes no difference.", "它是你创建的，追不追踪都一样。"),
    "w * 2": ("A recorded operation made it: it has a grad_fn.", "它由一步被记录的运算得来，有 grad_fn。"),
    "x * 2": (
        "An operation made it, but nobody recorded that: its grad_fn is None.",
        "虽然是运算得来的，却没有被记录：它的 grad_fn 是 None。",
    ),
    "w + x": ("One tracked input is enough to be recorded.", "只要有一个输入被追踪，运算就会被记录。"),
    "w.detach()": ("detach gives a new tensor that has no history.", "detach 给出一个没有历史的新张量。"),
    "(x * 2).requires_grad_()": (
        "It had no history when its flag was raised, and from then on it counts as a starting point.",
        "打开开关时它没有历史，从此它就是起点。",
    ),
    "w.view(2)": (
        "A view of a tracked tensor is a recorded operation too.",
        "对被追踪的张量取视图，也是被记录的运算。",
    ),
}


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
        _LEAF_REASONS,
        why=(
            "No grad_fn, then a leaf: created by you, computed from untracked tensors alone, or detached.",
            "没有 grad_fn 就是叶子：自己创建的、只由未被追踪的张量算出来的，或者 detach 得到的。",
        ),
    )


def _mistake(function: Any, message: str, en: str, zh: str) -> Verdict:
    """Run what the learner wrote; right when PyTorch refuses it with the wanted message."""
    try:
        result = run(function)
    except Raised as raised:
        if message in show_text(raised.error, 2000):
            return right(en, zh)
        says = explained(raised.error)
        return wrong(f"It fails, but with another error. {says.en}", f"确实报错了，但不是这一个。{says.zh}")
    if result is ...:
        return wrong(
            "It runs without an error and returns `...`. Put your line in its place.",
            "运行没有报错，返回的是 `...`。把它换成你的代码。",
        )
    why, why_zh = _harmless(result)
    return wrong(f"No error: it returned {show(result)}. {why}", f"没有报错，返回了 {show(result)}。{why_zh}")


def _harmless(result: Any) -> tuple[str, str]:
    """What a result tells of why nothing was refused."""
    if not hasattr(result, "requires_grad"):
        return "Nothing that autograd guards was touched.", "自动求导要保护的东西，一样也没有碰到。"
    if result.is_leaf and result.requires_grad:
        return (
            "That is a tracked leaf, and nothing was written into it, or recording was off meanwhile. A flag of a leaf "
            "may be changed at any time.",
            "它是被追踪的叶子，但要么没有往里写，要么写的时候没有记录。叶子的开关随时可以改。",
        )
    if result.is_leaf:
        return (
            "That is a leaf: an untracked one may be written into, and the flag of any may be changed.",
            "它是叶子：没被追踪的叶子可以写入，叶子的开关也随你改。",
        )
    return (
        "That is a new tensor, and w stayed as it was; and a flag that is up already may be raised again.",
        "它是一个新张量，w 没有被改动；开关本来就开着的话，再打开一次也不要紧。",
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
            "For a tracked leaf w, any of them is refused, such as w.mul_(2).",
            "对被追踪的叶子 w，这些都会被拒绝，例如 w.mul_(2)。",
        ),
    ],
)
def in_place(function: Callable[[], Any]) -> Verdict:
    """Cause the error for writing into a tracked leaf."""
    return _mistake(
        function,
        "a leaf Variable that requires grad is being used in an in-place operation.",
        "Yes, refused: a tracked leaf's value is where the gradient starts from; overwrite it, and the gradient would "
        "belong to a value that is gone.",
        "对，被拒绝了：被追踪的叶子，它的值就是求导的出发点；把它覆盖掉，梯度对应的那个值就不在了。",
    )


@exercise(
    wants=_FUNCTION,
    hints=[
        (
            "The flag of a leaf may be changed at will. So it must be no leaf.",
            "叶子的开关可以随意改，所以它不能是叶子。",
        ),
        ("Make a result of w first, such as y = w * 2.", "先由 w 算出一个结果，例如 y = w * 2。"),
        ("Then try to switch its flag off.", "然后试着关掉它的开关。"),
    ],
)
def flag_of_a_result(function: Callable[[], Any]) -> Verdict:
    """Cause the error for lowering the flag of a tracked result."""
    return _mistake(
        function,
        "you can only change requires_grad flags of leaf variables.",
        "Yes, refused: a result is tracked because its inputs are. To have it untracked, ask for y.detach().",
        "对，被拒绝了：结果被追踪，是因为它的输入被追踪。想要不被追踪的，就用 y.detach()。",
    )
