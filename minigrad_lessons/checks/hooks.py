"""The exercises of lesson 12."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad_lessons.checks.exercise import (
    BY_HAND,
    Unreadable,
    Verdict,
    close,
    exercise,
    made_without,
    mentions,
    number,
    right,
    run,
    show,
    wrong,
)


def _leaf(like: Any, value: float) -> Any:
    leaf = like.detach().clone()
    leaf.fill_(value)
    return leaf.requires_grad_()


# Two losses of h, so that a formula for one of them is not enough: name, loss, derivative, and that at h = 6.
_LOSSES = (
    ("h*h", lambda h: h * h, "2*h", 12.0),
    ("h*h*h", lambda h: h * h * h, "3*h*h", 108.0),
)


@exercise(
    wants=("a function of h and loss that returns a gradient", "一个接收 h 和 loss、返回梯度的函数"),
    hints=[
        (
            "h.grad stays None. Which of the three ways of this lesson fits into a function?",
            "h.grad 一直是 None。这一课的三种办法，哪一种适合写进函数？",
        ),
        (
            "torch.autograd.grad takes an output and inputs, and returns gradients.",
            "torch.autograd.grad 接收输出和输入，返回梯度。",
        ),
        (
            "It returns a tuple, one gradient for each input: take the first.",
            "它返回一个元组，每个输入对应一个梯度：取第一个。",
        ),
    ],
)
def capture(function: Callable[[Any, Any], Any], x: Any) -> Verdict:
    """The gradient of a loss with respect to a value in the middle of its graph."""
    for name, loss_of, rule, slope in _LOSSES:
        leaf = _leaf(x, 2.0)
        h = leaf * 3
        loss = loss_of(h).sum()
        answer = run(function, h, loss)
        case, case_zh = f"For h = 3*x and loss = {name} at x = 2", f"对 h = 3*x、loss = {name}，在 x = 2 处"
        if answer is None and getattr(h, "retains_grad", False):
            return wrong(
                f"{case} your function returned None. retain_grad() keeps what a later backward brings to h: call it "
                "first, then backward().",
                f"{case_zh}，你的函数返回了 None。retain_grad() 只保留之后的反向传播传到 h 的梯度："
                "要先调用它，再调用 backward()，最后返回 h.grad。",
            )
        if answer is None:
            return wrong(
                f"{case} your function returned None: h is not a leaf, so h.grad holds nothing.",
                f"{case_zh}，你的函数返回了 None：h 不是叶子，h.grad 里什么也没有。",
            )
        if isinstance(answer, tuple):
            return wrong(
                f"{case} your function returned a tuple, {show(answer)}. The gradient is inside it.",
                f"{case_zh}，你的函数返回了元组 {show(answer)}。梯度在元组里面。",
            )
        try:
            found = number(answer)
        except Unreadable:
            return wrong(
                f"{case} your function returned {show(answer)}; a gradient is wanted.",
                f"{case_zh}，你的函数返回了 {show(answer)}；这里要的是一个梯度。",
            )
        if found == 3 * slope:
            return wrong(
                f"{case} you gave {found:g}: that is the gradient of x, at the end of the path.",
                f"{case_zh}，你给出的是 {found:g}：那是终点 x 的梯度。",
            )
        if found != slope:
            return wrong(
                f"{case} you gave {found:g}. The derivative of {name} with respect to h is {rule}, and h is 6.",
                f"{case_zh}，你给出的是 {found:g}。{name} 对 h 的导数是 {rule}，而 h 是 6。",
            )

    def again() -> float:
        h = _leaf(x, 2.0) * 3
        return number(function(h, loss_of(h).sum()))

    if made_without(found, again):
        return BY_HAND
    return right(
        "Yes, for two losses: 12 and 108. You asked for the gradient of h itself, and that is what you got.",
        "对，两种损失都验证过：12 和 108。指明要 h 的梯度，得到的就是 h 的梯度。",
    )


def _kept(grad: Any, kept: list[Any]) -> Any:
    """A hook's answer: a copy of the gradient for the next hook, in which a write of that one is seen afterwards."""
    kept.append(grad.detach().clone())
    return kept[-1]


@exercise(
    wants=("a function of h", "一个接收 h 的函数"),
    hints=[
        ("h.register_hook takes a function of the gradient.", "h.register_hook 接收一个以梯度为参数的函数。"),
        (
            "What the hook returns takes the place of the gradient. None leaves it as it is.",
            "钩子返回什么，梯度就换成什么；返回 None 则保持不变。",
        ),
        ("Register this function on h: lambda grad: grad * 10", "给 h 注册这个函数：lambda grad: grad * 10"),
    ],
)
def scale(function: Callable[[Any], Any], x: Any) -> Verdict:
    """Make the gradient that passes through h ten times as large."""
    found = []
    for start in (1.0, 2.0):
        leaf = _leaf(x, start)
        h = leaf * 3
        arrived: list[Any] = []
        h.register_hook(lambda grad, arrived=arrived: _kept(grad, arrived))  # it comes before the learner's hook
        run(function, h)
        loss = (h * h).sum()
        if number(loss) != 9 * start**2:
            return wrong(
                f"At x = {start:g} the loss became {number(loss):g}: the value should stay {9 * start**2:g}.",
                f"x = {start:g} 时，损失变成了 {number(loss):g}：数值应当保持 {9 * start**2:g}。",
            )
        run(loss.backward)  # what the learner hung on h runs in it
        if leaf.grad is None:
            return wrong(
                f"At x = {start:g} no gradient reaches x any more. The path through h should stay open.",
                f"x = {start:g} 时，梯度到不了 x 了。经过 h 的这条路径要保持畅通。",
            )
        if any(number(grad) != 6 * start for grad in arrived):
            return wrong(
                "Your hook wrote into the gradient it was given; others may share it: return a new one.",
                "你的钩子改写了收到的梯度，别处可能共用它：请返回一个新的。",
            )
        found.append(number(leaf.grad))
    if close(found, [180.0, 360.0]):
        return right(
            "Yes: 18 became 180, and 36 became 360. What the hook returns is what goes on to x.",
            "对：18 变成了 180，36 变成了 360。钩子返回什么，继续传给 x 的就是什么。",
        )
    if found == [18.0, 36.0]:
        return wrong(
            "x.grad is 18 at x = 1, as if there were no hook. Is one registered, and does it return something?",
            "x = 1 时 x.grad 还是 18，就像没有钩子一样。注册了吗？它有返回值吗？",
        )
    return wrong(
        f"At x = 1 and 2, x.grad was 18 and 36; now it is {found[0]:g} and {found[1]:g}. Is that ten times as much?",
        f"x = 1 和 2 时，x.grad 原来是 18 和 36；现在是 {found[0]:g} 和 {found[1]:g}。是十倍吗？",
    )


# Functions of x with their second derivatives.
_CURVES: dict[str, tuple[Callable[[Any], Any], Callable[[float], float], Callable[[float], float]]] = {
    "x**3": (lambda x: x**3, lambda x: 3 * x**2, lambda x: 6 * x),
    "5*x*x": (lambda x: 5 * x * x, lambda x: 10 * x, lambda x: 10.0),
    "x**4": (lambda x: x**4, lambda x: 4 * x**3, lambda x: 12 * x**2),
}


@exercise(
    wants=("a function of f and x that returns the second derivative", "一个接收 f 和 x、返回二阶导数的函数"),
    hints=[
        (
            "First the first derivative, with create_graph=True, so that it can be differentiated.",
            "先求一阶导数，并加上 create_graph=True，让它还能继续求导。",
        ),
        ("Then the derivative of that, with respect to the same x.", "再对它求导，变量还是同一个 x。"),
        (
            "Both times torch.autograd.grad(..., x), and take the first of the tuple.",
            "两次都用 torch.autograd.grad(..., x)，都取元组的第一个。",
        ),
    ],
)
def second(function: Callable[[Callable[[Any], Any], Any], Any], x: Any) -> Verdict:
    """f''(x) for any f."""
    for name, (f, slope, bend) in _CURVES.items():
        answer = run(function, f, _leaf(x, 2.0))
        found = number(answer[0] if isinstance(answer, tuple) else answer)
        if abs(found - bend(2.0)) > 1e-3:
            if found == slope(2.0):
                return wrong(
                    f"For f = {name} at x = 2 you gave {found:g}: that is the first derivative.",
                    f"对 f = {name}，在 x = 2 处你给出的是 {found:g}：那是一阶导数。",
                )
            near = (slope(2.05) - slope(1.95)) / 0.1
            return wrong(
                f"For f = {name} at x = 2 you gave {found:g}. The slope itself changes there by about {near:.1f} for "
                "each unit of x.",
                f"对 f = {name}，在 x = 2 处你给出的是 {found:g}。"
                f"而在那里，x 每增加一个单位，斜率大约变化 {near:.1f}。",
            )
    if made_without(found, lambda: number(function(f, _leaf(x, 2.0)))):
        return BY_HAND
    return right(
        "Yes, for three functions. The first derivative came with a graph of its own, so it could be differentiated.",
        "对，三个函数都通过了。一阶导数带着自己的计算图，所以还能再求导。",
    )


@exercise(
    wants=("a function of w and target", "一个以 w 和 target 为参数的函数"),
    hints=[
        (
            "From w = 3 to 1 in one step of 0.1 * w.grad: how large must w.grad be?",
            "用一步 0.1 * w.grad 从 w = 3 走到 1，w.grad 要多大？",
        ),
        ("w - 0.1 * g = target; solve for g.", "w - 0.1 * g = target，解出 g。"),
        (
            "A gradient has the shape of its tensor: one number for each of w's.",
            "梯度的形状和张量一样：w 的每个数对应一个。",
        ),
    ],
)
def steer(function: Callable[[Any, Any], Any], target: Any) -> Verdict:
    """Put a gradient into a leaf by hand, so that a step of 0.1 lands on the target."""
    passes = []

    def _seen(gradient: Any) -> None:
        passes.append(gradient)

    for start in (target.detach() * 0 + 0.5, target.detach() * 2 - 3):
        w = start.clone().requires_grad_()
        w.register_hook(_seen)
        run(function, w, target)
        if not w.requires_grad:
            return wrong("w is no longer tracked: set only its grad.", "w 不再被追踪了：只应设置它的 grad。")
        if not close(w.tolist(), start.tolist()):
            return wrong(
                f"w itself was changed, from {start.tolist()} to {w.tolist()}. Set only its grad.",
                f"w 本身被改了，从 {start.tolist()} 变成 {w.tolist()}。只应设置它的 grad。",
            )
        if w.grad is None:
            return wrong("w.grad is still None.", "w.grad 还是 None。")
        landed = [a - 0.1 * g for a, g in zip(start.tolist(), w.grad.tolist(), strict=True)]
        if not close(landed, target.tolist(), 1e-3):
            return wrong(
                f"From w = {start.tolist()} the step lands on {[round(value, 3) for value in landed]}.",
                f"从 w = {start.tolist()} 出发，这一步落在 {[round(value, 3) for value in landed]}。",
            )
    if passes or mentions(function, "backward"):
        return wrong(
            "It lands, but by a backward pass: set w.grad yourself.", "落点对了，可是用了反向传播：请自己设置 w.grad。"
        )
    return right(
        "Yes: a gradient is a tensor, and you may set it yourself, as long as it has the shape of its leaf.",
        "对：梯度也是张量，可以由你自己设置，只要形状和叶子一样。",
    )
