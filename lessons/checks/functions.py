"""The exercises of lesson 13."""

from __future__ import annotations

from typing import Any

from lessons.checks.exercise import Unreadable, Verdict, exercise, number, right, show, table, todo, wrong


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
    leaf = data.clone().requires_grad_()
    output = function.apply(leaf)
    if output.tolist() != (data**3).tolist():
        return wrong(
            f"forward gives {show(output.tolist())} at x = {data.tolist()}; it should stay x**3.",
            f"x = {data.tolist()} 时，forward 给出 {show(output.tolist())}；它应当保持 x**3。",
        )
    (output * 2).sum().backward()
    if leaf.grad is None:
        return wrong(
            "backward returned nothing, so no gradient reached x. End it with return ...",
            "backward 什么也没有返回，所以没有梯度传到 x。最后要写 return ……",
        )
    found, slope = leaf.grad.tolist(), (3 * data**2).tolist()
    if found == [2 * value for value in slope]:
        return right("Yes, and it passes on what came from above.", "对，而且把上游传来的梯度也乘上了。")
    if found == slope:
        return wrong(
            "The loss here was 2 * x**3, and you gave the gradient of x**3. What came from above is missing.",
            "这里的损失是 2 * x**3，你给的是 x**3 的梯度。上游传来的 grad_output 没有用上。",
        )
    step, at = 1e-3, data.tolist()
    worst = max(range(len(at)), key=lambda place: abs(found[place] - 2 * slope[place]))
    rise = 2 * ((at[worst] + step) ** 3 - at[worst] ** 3) / step
    return wrong(
        f"For the loss 2 * x**3 at x = {at} you gave {show(found)}. At x = {at[worst]:g} "
        f"the loss really rises by about {rise:.2f} for each unit of x.",
        f"损失是 2 * x**3，在 x = {at} 处你给出 {show(found)}。"
        f"而在 x = {at[worst]:g} 处，x 每增加一个单位，损失大约增加 {rise:.2f}。",
    )


# For each expression: its gradient at x = 0.
AT_ZERO = {"torch.relu(x)": 0.0, "MyReLU.apply(x)": 1.0, "x.clamp(min=0)": 1.0, "x.abs()": 0.0}
_AT_ZERO_REASONS = {
    "torch.relu(x)": ("PyTorch's relu stays closed at 0.", "PyTorch 的 relu 在 0 处是关着的。"),
    "MyReLU.apply(x)": (
        "Its backward blocks where input < 0. Is 0 < 0?",
        "它的 backward 挡住 input < 0 的地方。0 < 0 吗？",
    ),
    "x.clamp(min=0)": ("clamp lets the gradient pass at the edge, too.", "clamp 在边界上也让梯度通过。"),
    "x.abs()": (
        "The slopes -1 and 1 meet; PyTorch takes the one in the middle.",
        "两侧的斜率是 -1 和 1，PyTorch 取中间的那个。",
    ),
}


@exercise(
    wants=("the dict with a number for each line", "一个字典，每一行填一个数"),
    hints=[
        ("At a kink there is no slope; each function chooses one.", "在折点处没有斜率，每个函数各选一个。"),
        ("Read MyReLU's backward: which entries does it set to 0?", "读一读 MyReLU 的 backward：它把哪些元素设成 0？"),
        (
            "Try: x = torch.zeros(1, requires_grad=True), then backward.",
            "试试：x = torch.zeros(1, requires_grad=True)，然后反向。",
        ),
    ],
)
def at_zero(guesses: Any) -> Verdict:
    """What each function does with the gradient at its kink."""
    if isinstance(guesses, dict):
        guesses = {key: guess if guess is ... else number(guess) for key, guess in guesses.items()}
    return table(guesses, AT_ZERO, _AT_ZERO_REASONS)


@exercise(
    wants=('a name, "Sine", "Half" or "Product"', '一个名字："Sine"、"Half" 或 "Product"'),
    hints=[
        (
            "torch.autograd.gradcheck(Sine.apply, (x,), raise_exception=False), with x in double.",
            "torch.autograd.gradcheck(Sine.apply, (x,), raise_exception=False)，x 用 double。",
        ),
        ("Do it for all three. Product takes two inputs: (x, y).", "三个都检查一遍。Product 有两个输入：(x, y)。"),
        ("The one that gives False.", "结果是 False 的那一个。"),
    ],
)
def culprit(name: Any) -> Verdict:
    """Which of the three Functions has a wrong backward."""
    if not isinstance(name, str):
        raise Unreadable(name)
    if name == "Product":
        return right(
            "Yes: by x the derivative is y, and by y it is x. They were exchanged.",
            "对：对 x 的导数是 y，对 y 的导数是 x，两个写反了。",
        )
    reasons = {
        "Sine": ("cos(x) is the derivative of sin(x).", "sin(x) 的导数就是 cos(x)。"),
        "Half": ("Half of x changes by half of the change of x.", "x 变化多少，x 的一半就变化它的一半。"),
    }
    if name not in reasons:
        raise Unreadable(name)
    en, zh = reasons[name]
    return wrong(f"{name} passes gradcheck. {en}", f"{name} 能通过 gradcheck。{zh}")
