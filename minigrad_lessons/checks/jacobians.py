"""The exercises of lesson 7."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from minigrad_lessons.checks import exercise as exercises
from minigrad_lessons.checks.exercise import (
    Unreadable,
    Verdict,
    close,
    exercise,
    mentions,
    number,
    right,
    run,
    show,
    show_text,
    todo,
    wrong,
)

# Functions of a vector, each with its Jacobian as a function of the vector's entries.
FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Callable[[list[float]], list[list[float]]]]] = {
    "x * x": (
        lambda x: x * x,
        lambda x: [[2 * a if i == j else 0.0 for j in range(len(x))] for i, a in enumerate(x)],
    ),
    "x * x.sum()": (
        lambda x: x * x.sum(),
        lambda x: [[a + (sum(x) if i == j else 0.0) for j in range(len(x))] for i, a in enumerate(x)],
    ),
    "x[:2] * x[2]": (
        lambda x: x[:2] * x[2],
        lambda x: [[x[2], 0.0, x[0]], [0.0, x[2], x[1]]],
    ),
}


# With these PyTorch needs no second backward pass.
_ALL_ROWS_AT_ONCE = ("jacrev", "jacfwd", "vectorize")


def _watched(f: Callable[[Any], Any], passes: list[Any]) -> Callable[[Any], Any]:
    """The function `f`; each backward pass from its results adds to `passes`."""

    def watched(x: Any) -> Any:
        y = f(x)
        if y.requires_grad:
            y.register_hook(passes.append)
        return y

    return watched


@exercise(
    wants=(
        "a function of f, x and i that returns row i of the Jacobian",
        "一个以 f、x、i 为参数的函数，返回雅可比矩阵的第 i 行",
    ),
    hints=[
        (
            "backward(v) gives Jᵀv: a sum of rows, each weighted by its v.",
            "backward(v) 得到 Jᵀv：各行按 v 加权后的和。",
        ),
        ("Which weights pick out exactly one row?", "权重取什么，就只剩下某一行？"),
        (
            "v is zero everywhere except v[i] = 1. Make it with torch.zeros_like(y). Return x.grad.",
            "v 除了 v[i] = 1 以外全是 0。用 torch.zeros_like(y) 创建它，最后返回 x.grad。",
        ),
    ],
)
def row(function: Callable[[Any, Any, int], Any], x: Any) -> Verdict:
    """Row i of the Jacobian of f at x, from one backward."""
    exact = True
    for name, (f, jacobian) in FUNCTIONS.items():
        rows = jacobian(x.tolist())
        for i, truth in enumerate(rows):
            passes: list[Any] = []
            answer = run(function, _watched(f, passes), x, i)
            if answer is None or not hasattr(answer, "tolist"):
                return wrong(
                    f"For y = {name}, row {i} came back as {show(answer)}; return a tensor of the shape of x.",
                    f"对 y = {name}，第 {i} 行得到的是 {show(answer)}；这里要的是和 x 同样形状的张量。",
                )
            found = answer.tolist()
            exact = exact and found == truth
            shaped = tuple(answer.shape) == (len(truth),)
            if not shaped or not close(found, truth, within=0.01):
                added, added_zh = "", ""
                for last in range(1, len(rows)) if shaped else ():
                    if close(found, [sum(column) for column in zip(*rows[: last + 1], strict=True)]):
                        added = f" These are rows 0 to {last} added up: by v, or in an x.grad that was not empty."
                        added_zh = f"这是第 0 到第 {last} 行之和：要么 v 把它们加了起来，要么 x.grad 里原来就有数。"
                return wrong(
                    f"For y = {name} at x = {x.tolist()}, row {i} came back as {show(found)}. "
                    f"Row {i} says how y[{i}] alone depends on each x.{added}",
                    f"对 y = {name}、x = {x.tolist()}，第 {i} 行得到的是 {show(found)}。"
                    f"第 {i} 行只说明 y[{i}] 这一个数怎样依赖各个 x。{added_zh}",
                )
            if len(passes) > 1 and not mentions(function, *_ALL_ROWS_AT_ONCE):
                return wrong(
                    f"For y = {name}, row {i} is right, after {len(passes)} backward passes. With the right v, one is "
                    "enough.",
                    f"对 y = {name}，第 {i} 行是对的，可是反向传播了 {len(passes)} 次。选好 v，一次就够。",
                )
    return right(
        "Yes, for three functions: square, mixed, and with fewer outputs than inputs."
        + ("" if exact else " Yours is right but for rounding; one backward with the right v gives it exactly."),
        "对，三个函数都通过了：逐元素平方、元素相互混合、输出比输入少。"
        + ("" if exact else "不过你的结果带有舍入误差；选好 v 反向传播一次，得到的就是精确值。"),
    )


@exercise(
    wants=("a tensor of the shape of b, (2, 1)", "与 b 形状相同的张量，即 (2, 1)"),
    hints=[
        (
            "How many entries of 2 * b + torch.zeros(2, 5) does one entry of b reach?",
            "b 的一个元素，影响 2 * b + torch.zeros(2, 5) 里的几个元素？",
        ),
        ("Each of them sends back its own part, and the parts are added.", "每个元素都传回一份，各份相加。"),
        (
            "Each part is 2, because of 2 * b; count how many there are in a row.",
            "每份是 2，因为有 2 * b；再数一行有几个。",
        ),
    ],
)
def broadcast(answer: Any) -> Verdict:
    """b.grad for y = (2 * b + zeros(2, 5)).sum(), with b of shape (2, 1)."""
    if not hasattr(answer, "shape") or not hasattr(answer, "tolist"):
        raise Unreadable(answer)
    shape, found = tuple(answer.shape), answer.tolist()
    if shape != (2, 1):
        return wrong(
            f"Your tensor has shape {shape}. A gradient has the shape of its own tensor, and b is (2, 1).",
            f"你的张量形状是 {shape}。梯度的形状总是与被求导的张量相同：b 是 (2, 1)。",
        )
    if found == [[10.0], [10.0]]:
        return right(
            "Yes: each entry of b is copied five times, and each copy sends 2 back.",
            "对：b 的每个元素都复制了五份，每份传回 2。",
        )
    if found == [[2.0], [2.0]]:
        return wrong(
            "You answered 2 for each: that is what one copy of b sends back. How many copies are there?",
            "你每个都答了 2：那只是一份副本传回来的。b 的每个元素复制了几份？",
        )
    return wrong(
        f"You answered {show(found)}. Add 1 to b[0, 0]: by how much does the sum grow?",
        f"你的答案是 {show(found)}。把 b[0, 0] 加 1：总和会增加多少？",
    )


@exercise(
    wants=("a tensor of the shape of y, (2, 2)", "与 y 形状相同的张量，即 (2, 2)"),
    hints=[
        (
            "For each entry of y, v holds how much l changes when that entry does.",
            "v 里装的是：y 的每个元素变化时，l 变化多少。",
        ),
        (
            "What is the derivative of 2*y[0,0] - y[1,1] for each of the four?",
            "2*y[0,0] - y[1,1] 对这四个元素的导数各是多少？",
        ),
        ("Two of the four do not occur in l at all: 0.", "四个元素里有两个根本没有出现在 l 里：权重是 0。"),
    ],
)
def weights(v: Any) -> Verdict:
    """The v for which y.backward(v) gives the gradient of l = 2*y[0,0] - y[1,1]."""
    if not hasattr(v, "shape") or not hasattr(v, "tolist"):
        raise Unreadable(v)
    if tuple(v.shape) != (2, 2):
        return wrong(
            f"Your v has shape {tuple(v.shape)}; it needs one weight for each entry of y, so (2, 2).",
            f"你的 v 形状是 {tuple(v.shape)}；y 的每个元素都要有一个权重，所以是 (2, 2)。",
        )
    truth = [[2.0, 0.0], [0.0, -1.0]]
    found = [[number(cell) for cell in line] for line in v.tolist()]
    if found == truth:
        return right(
            "Yes. One backward, four outputs, no scalar in sight.",
            "对。四个输出，反向传播一次，根本没有出现标量。",
        )
    for i in (0, 1):
        for j in (0, 1):
            if found[i][j] != truth[i][j]:
                return wrong(
                    f"With your v, raising y[{i},{j}] by 1 counts as a change of l by {found[i][j]:g}. "
                    "Look at the formula of l: by how much does it really change?",
                    f"按你的 v，y[{i},{j}] 增加 1，相当于 l 变化 {found[i][j]:g}。看看 l 的式子：实际会变多少？",
                )
    raise Unreadable(v)


@exercise(
    wants=("a function of no arguments", "一个不带参数的函数"),
    hints=[
        ("y.backward(v) needs a weight in v for each output.", "y.backward(v) 要求 v 给每个输出一个权重。"),
        ("Give it a v of another shape, such as torch.ones(2).", "给它一个形状不同的 v，例如 torch.ones(2)。"),
        (
            "y has three numbers: put y.backward(torch.ones(2)) in place of `...`.",
            "y 含三个数：把 `...` 换成 y.backward(torch.ones(2))。",
        ),
    ],
)
def refused(function: Callable[[], Any]) -> Verdict:
    """Cause the error for a v that does not fit."""
    return exercises.refused(
        function,
        "Mismatch in shape: grad_output[0] has a shape of",
        "Yes, an error: v has a weight for each output, in exactly its shape; nothing is broadcast.",
        "对，报错了：v 给每个输出一个权重，形状必须完全一致，这里不做广播。",
    )


_FORMULA = r"\frac{\part x}{\part l} = J^\mathsf{T} v"
# Blanks and braces around one letter are a matter of taste.
_FIXED = re.compile(
    r"\\(d|t)?frac\{\\partial l\}\{\\partial x(_i)?\}=J\^\{?(\\mathsf ?|\\mathrm ?)?(\\top ?|\\intercal ?|T)\}?v"
)


def _tight(tex: str) -> str:
    """TeX without the blanks, braces and dots that change nothing: a blank stays between a command and a letter."""
    tex = re.sub(r"\\[,;:!]|\\cdot\b|[.,。，]$", " ", tex)
    tex = re.sub(r"\{\s*(\w)\s*\}", r" \1", tex)
    return re.sub(r"(\\\w+)\s+(?=\w)|\s+", lambda found: f"{found[1]} " if found[1] else "", tex)


@exercise(
    wants=("a formula in TeX, as text", "一个 TeX 公式，写成字符串"),
    hints=[
        ("How is the ∂ of the formulas above written?", "上面公式里的 ∂ 是怎么写的？"),
        (
            "x.grad says how l changes with x. Which of the two stands above the line?",
            "x.grad 说的是 l 随 x 怎样变。分数线上面应当是哪一个？",
        ),
        ("\\partial, and l above x.", "用 \\partial，l 在上，x 在下。"),
    ],
)
def formula(tex: Any) -> Verdict:
    """What x.grad holds, in TeX."""
    if not isinstance(tex, str):
        raise Unreadable(tex)
    if "\f" in tex:
        return wrong(
            r'Python has read the \f of \frac as one character, a form feed. Keep the r before the quotes: r"...".',
            r'Python 把 \frac 开头的 \f 读成了一个字符（换页符）。引号前的 r 要留着：r"..."。',
        )
    tex = tex.replace("∂", r"\partial ")  # which the page shows alike
    said = " ".join(re.sub(r"^\\[(\[]|\\[)\]]$", "", tex.strip()).strip("$ ").split())
    if said == _FORMULA:
        return todo(
            "Not changed yet. Which command is not the one for ∂?", "公式还和开始时一样。偏导数符号该用哪个命令？"
        )
    if r"\part " in said + " ":
        return wrong(
            r"The command for ∂ is \partial; the page does not know \part, and would show it in red.",
            r"偏导数符号的命令是 \partial；页面不认识 \part，会把它显示成红色。",
        )
    if _FIXED.fullmatch(_tight(said)):
        return right(
            r"Yes: \partial l over \partial x, how much l changes with x; that is what Jᵀv gives.",
            r"对：\partial l 在上，\partial x 在下，说的是 l 随 x 怎样变，这正是 Jᵀv 给出的。",
        )
    if r"\frac{\partial x}" in said:
        return wrong(
            "That says how x changes with l. But x is what you change, and l is what follows.",
            "这说的是 x 随 l 怎样变。可是你改变的是 x，跟着变的是 l。",
        )
    return wrong(
        f"You gave `{show_text(tex)}`. Change only what is wrong: the command, and what is upside down.",
        f"你给出的是 `{show_text(tex)}`。只改错的地方：那个命令，还有颠倒的那处。",
    )
