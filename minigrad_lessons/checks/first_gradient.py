"""The exercises of lesson 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad_lessons.checks.exercise import (
    Verdict,
    close,
    exercise,
    made_without,
    number,
    numbers,
    right,
    run,
    show,
    todo,
    wrong,
)


def _loss(w: float, X: list[float], Y: list[float]) -> float:
    return sum((y - w * x) ** 2 for x, y in zip(X, Y, strict=True))


def _slope(w: float, X: list[float], Y: list[float]) -> float:
    return -2 * sum(x * (y - w * x) for x, y in zip(X, Y, strict=True))


# Rides to train on besides those of the page: kilometres and fares.
_RIDES = (([1.0, 2.0, 3.0], [3.0, 5.0, 7.0]), ([0.5, 1.5, 2.0, 3.5], [4.0, 5.5, 9.0, 13.0]), ([2.5, 1.0], [2.0, 1.0]))


def _best(X: list[float], Y: list[float]) -> float:
    return sum(x * y for x, y in zip(X, Y, strict=True)) / sum(x * x for x in X)


@exercise(
    wants=("a function of X and Y that returns the price", "一个接收 X 和 Y、返回单价的函数"),
    hints=[
        (
            "The loop of the lesson: a fresh tensor, the loss, backward(), a step. Only the printing can be left out.",
            "就是课上的循环：新建张量、算损失、backward()、走一步。打印可以不要。",
        ),
        (
            "The step goes against the gradient: price - 0.03 * slope. Then the next round begins at the new price.",
            "走一步要逆着梯度：price - 0.03 * 斜率。下一轮从新的单价开始。",
        ),
        (
            "for step in range(20): w = torch.tensor([price], requires_grad=True); then the loss and backward() as in "
            "the lesson; then price = price - 0.03 * w.grad.item()",
            "for step in range(20): w = torch.tensor([price], requires_grad=True)；接着和课上一样算损失、backward()；"
            "最后 price = price - 0.03 * w.grad.item()",
        ),
    ],
)
def train(function: Callable[[Any, Any], Any], X: Any) -> Verdict:
    """A training loop that finds the best price from 0, for other rides as well."""
    ends = []
    for xs, ys in _RIDES:
        found = run(function, X.new_tensor(xs), X.new_tensor(ys))
        best = _best(xs, ys)
        end = found.item() if hasattr(found, "item") and getattr(found, "numel", lambda: 0)() == 1 else found
        if isinstance(end, float) and not abs(end) < 1e3:
            return wrong(
                f"X = {show(xs)}: your price ran off to {end:.3g}. Does each step go against the slope, and is it "
                "small enough?",
                f"X = {show(xs)}：你的单价变成了 {end:.3g}。每一步都逆着斜率走了吗？步子够小吗？",
            )
        end = number(end)
        ends.append(end)
        if abs(end - best) < 0.01 * max(1.0, best):
            continue
        here, here_zh, begun = f"X = {show(xs)}, Y = {show(ys)}", f"X = {show(xs)}，Y = {show(ys)}", _loss(0.0, xs, ys)
        there, least = _loss(end, xs, ys), _loss(best, xs, ys)
        if there == begun:
            return wrong(
                f"{here}: the price is still 0. The gradients were not used to move it.",
                f"{here_zh}：单价还是 0，还没有用梯度去更新它。",
            )
        if there > begun:
            return wrong(
                f"{here}: you return {end:.4g}, and the loss grew from {begun:.4g} to {there:.4g}. Which way is down, "
                "and how far?",
                f"{here_zh}：你返回 {end:.4g}，损失从 {begun:.4g} 变大到 {there:.4g}。哪边是下坡？该走多远？",
            )
        return wrong(
            f"{here}: you return {end:.4g}, with a loss of {there:.4g}; it can be {least:.4g}. The slope there is "
            f"still {_slope(end, xs, ys):.4g}: go on, with a fresh gradient at each step.",
            f"{here_zh}：你返回 {end:.4g}，损失是 {there:.4g}，最小可以是 {least:.4g}。那里的斜率还有 "
            f"{_slope(end, xs, ys):.4g}：接着走，每一步都用新求的梯度。",
        )
    xs, ys = _RIDES[0]  # not the last: a price that is kept outside of the function stands at its bottom
    if made_without(ends[0], lambda: number(function(X.new_tensor(xs), X.new_tensor(ys)))):
        return wrong(
            "The prices are right, but they do not come from a gradient that backward() computed. Train with "
            "loss.backward() and the gradient that it leaves.",
            "单价是对的，可是没有用到 backward() 求出的梯度。请用 loss.backward()，再用它求出的梯度来训练。",
        )
    return right(
        "Yes, for these rides and two others: at your price the slope is 0, and no other price has a smaller loss.",
        "对，换两组数据也对：在你给出的单价处，斜率是 0，损失已经最小。",
    )


@exercise(
    wants=("one number", "一个数"),
    hints=[
        (
            "Write down the misses y - w*x first, one for each pair.",
            "先写出每一对数据的误差 y - w*x。",
        ),
        (
            "Take one miss r = y - w*x. Ask how r**2 changes when w grows: the square brings 2*r, "
            "and r itself changes by -x.",
            "看其中一个误差 r = y - w*x：w 增大时 r**2 怎么变？平方的导数是 2*r，而 r 本身随 w 的变化率是 -x。",
        ),
        (
            "So each pair contributes -2 * x * r. Add them up.",
            "所以每一对数据贡献 -2 * x * r，全部加起来就是答案。",
        ),
    ],
)
def slope(answer: Any, X: Any, Y: Any) -> Verdict:
    """The gradient of ((Y - w*X)**2).sum() at w = 1, predicted."""
    xs, ys, guess = numbers(X), numbers(Y), number(answer)
    truth = _slope(1.0, xs, ys)
    here, there = _loss(1.0, xs, ys), _loss(1.1, xs, ys)
    if close(guess, truth):
        return right(
            f"Yes: {guess:g}. Autograd would write the same number into w.grad.",
            f"对，就是 {guess:g}。自动求导写进 w.grad 的也会是这个数。",
        )
    walk, walk_zh = (f"w: 1.0 → 1.1{comma}loss: {here:g} → {there:g}" for comma in (", ", "，"))
    if guess * truth < 0:
        return wrong(
            f"You answered {guess:g}. Take a small step ({walk}): does the loss rise or fall? "
            "Your slope has the other sign.",
            f"你的答案是 {guess:g}。向前走一小步看看（{walk_zh}）：损失是升还是降？你的斜率符号正好相反。",
        )
    if close(guess * 2, truth):
        return wrong(
            f"You answered {guess:g}. Very close: a factor is missing. As r grows, r**2 grows by 2*r, not by r.",
            f"你的答案是 {guess:g}，很接近了，只差一个系数：r 每变化一个单位，r**2 变化 2*r，而不是 r。",
        )
    misses = [y - x for x, y in zip(xs, ys, strict=True)]
    if close(guess, -2 * sum(misses)):
        return wrong(
            f"You answered {guess:g}. The inner derivative is missing: as w changes, y - w*x changes by -x, not by -1.",
            f"你的答案是 {guess:g}。漏了内层导数：w 变化时，y - w*x 的变化率是 -x，而不是 -1。",
        )
    return wrong(
        f"You answered {guess:g}. With that slope, a step of 0.1 would change the loss by about {guess * 0.1:g}; "
        f"but {walk}.",
        f"你的答案是 {guess:g}。照这个斜率，w 走 0.1，损失大约变化 {guess * 0.1:g}；而实际上 {walk_zh}。",
    )


@exercise(
    wants=(
        "a tensor of three numbers, such as torch.tensor([3.0, 5.0, 7.0])",
        "含三个数的张量，例如 torch.tensor([3.0, 5.0, 7.0])",
    ),
    hints=[
        (
            "The slope is zero at the bottom of the valley. Which Y makes w = 1 the best possible w?",
            "谷底的斜率是 0。什么样的 Y 会让 w = 1 恰好是最好的 w？",
        ),
        (
            "The slope is -2 * (X * (Y - w*X)).sum(). What if every miss Y - w*X were zero?",
            "斜率是 -2 * (X * (Y - w*X)).sum()。如果每个误差 Y - w*X 都是 0 呢？",
        ),
        (
            "With w = 1 the prediction w*X is X itself.",
            "w = 1 时，预测值 w*X 就是 X 本身。",
        ),
    ],
)
def flat(Y: Any, X: Any) -> Verdict:
    """A Y for which the gradient at w = 1 is zero."""
    xs = numbers(X)
    ys = numbers(Y)
    if len(ys) != len(xs):
        return wrong(
            f"len(Y) is {len(ys)} and len(X) is {len(xs)}: each x needs its y.",
            f"len(Y) 是 {len(ys)}，而 len(X) 是 {len(xs)}：每个 x 都要有对应的 y。",
        )
    found = _slope(1.0, xs, ys)
    misses = [round(y - x, 4) for x, y in zip(xs, ys, strict=True)]
    if abs(found) > 1e-3:
        return wrong(
            f"With your Y = {show(ys)} the misses at w = 1 are {misses}, so w.grad would be {found:g}: not flat.",
            f"用你的 Y = {show(ys)}，w = 1 处的误差是 {misses}，于是 w.grad 会是 {found:g}：这里还不是谷底。",
        )
    if _loss(1.0, xs, ys) > 1e-6:
        return right(
            f"Yes: the slope is 0 although the misses {misses} are not. w = 1 is the best w, yet not perfect.",
            f"对，斜率是 0，而误差 {misses} 并不全为 0：w = 1 已是最好的 w，只是做不到完全吻合。",
        )
    return right(
        "Yes: every miss is 0, so any other w is worse.",
        "对：误差全是 0，w 往哪边走损失都会变大。",
    )


@exercise(
    wants=("the three tensors a, b, c", "a、b、c 三个张量"),
    hints=[
        (
            "Print a.requires_grad, b.requires_grad, c.requires_grad. Which of them is not what you wanted?",
            "打印 a.requires_grad、b.requires_grad、c.requires_grad，看看哪个和你想的不一样。",
        ),
        (
            "Read the attribute names letter by letter. Python accepts any new name without a word.",
            "逐个字母读一读属性名。Python 对任何新名字都照单全收，一声不吭。",
        ),
        (
            "The flag must be on before the loss is computed, and backward() must run once, after that.",
            "开关要在计算 loss 之前打开；算完 loss 之后，backward() 只运行一次。",
        ),
    ],
)
def typo(a: Any, b: Any, c: Any) -> Verdict:
    """Three parameters of a*x**2 + b*x + c on lesson 1's data, each to hold its gradient."""
    xs, ys = [1.0, 2.0, 3.0], [3.0, 5.0, 7.0]
    tensors = {"a": a, "b": b, "c": c}
    for name, tensor in tensors.items():
        if not hasattr(tensor, "requires_grad"):
            return wrong(
                f"{name} is {show(tensor)}, no longer a tensor.",
                f"{name} 现在是 {show(tensor)}，已经不是张量了。",
            )
    flags, flags_zh = (
        comma.join(f"{name}.requires_grad = {tensor.requires_grad}" for name, tensor in tensors.items())
        for comma in (", ", "，")
    )
    misspelt = {
        name: [word for word in vars(tensor) if word.startswith("requ") and word != "requires_grad"]
        for name, tensor in tensors.items()
        if not tensor.requires_grad
    }
    if misspelt == {"a": ["requries_grad"], "c": ["require_grad"]} and b.grad is not None:
        return todo(
            f"As before: {flags}. Two of the three have no gradient.",
            f"结果还和开始时一样：{flags_zh}。三个里有两个没有梯度。",
        )
    for name, tensor in tensors.items():
        if not tensor.requires_grad:
            extra, extra_zh = (
                sign.format(f"{name}.{misspelt[name][0]} = True") if misspelt[name] else ""
                for sign in (" ({})", "（{}）")
            )
            return wrong(
                f"{flags}. {name} is still not tracked{extra}.",
                f"{flags_zh}。{name} 还未被追踪{extra_zh}。",
            )
        if not tensor.is_leaf:
            return wrong(
                f"{name} is the result of a computation ({show(tensor)}); a gradient is collected only in a "
                "leaf, a tensor that you created (more in Lesson 4). Set the flag on that one.",
                f"{name} 是算出来的结果（{show(tensor)}）。梯度只累加到叶子上，也就是你自己创建的张量（第 4 课细讲）。"
                "请在自己创建的张量上打开开关。",
            )
        if tensor.grad is None:
            return wrong(
                f"{name}.requires_grad is True, but {name}.grad is None: the loss was computed before the flag was on, "
                "or backward() has not run since.",
                f"{name}.requires_grad 已是 True，但 {name}.grad 还是 None："
                "loss 是在打开开关之前算的，或者之后还没有运行 backward()。",
            )
    misses = [y - (number(a) * x * x + number(b) * x + number(c)) for x, y in zip(xs, ys, strict=True)]
    for name, power in (("a", 2), ("b", 1), ("c", 0)):
        once = -2 * sum(x**power * r for x, r in zip(xs, misses, strict=True))
        held = number(tensors[name].grad)
        if not close(held, once):
            times = held / once if once else 0.0
            if close(times * len(xs), 1):
                cause, cause_zh = (
                    "That is a third: you took the mean of the squared misses, and this exercise takes their sum.",
                    "正好是三分之一：你求的是三个误差平方的平均，这里要的是总和。",
                )
            elif times > 1.5 and close(times, round(times)):
                cause, cause_zh = (
                    f"That is {times:.0f} times as much. Run it more than once and the gradients add up: start again "
                    "from fresh tensors.",
                    f"正好是 {times:.0f} 倍。多运行几次，梯度就会累加：请从新建张量的那一步起，重新运行一遍。",
                )
            else:
                cause, cause_zh = (
                    "Is it the same loss, the sum of (Y - (a * X**2 + b * X + c)) ** 2?",
                    "损失还是 (Y - (a * X**2 + b * X + c)) ** 2 的总和吗？",
                )
            return wrong(
                f"{name}.grad holds {held:g}; one backward() through the exercise's loss gives {once:g}. {cause}",
                f"{name}.grad 里是 {held:g}；对练习里的 loss 反向传播一次应得 {once:g}。{cause_zh}",
            )
    return right(
        "All three are tensors of your making (leaves, says Lesson 4), all three are tracked and hold their gradient. "
        "Python takes any new name for an attribute, so only the flag's own spelling counts.",
        "三个都是你自己创建的张量（叫叶子，第 4 课细讲），都被追踪，也都拿到了自己的梯度。"
        "属性名写错了 Python 也不报错，只有拼对的开关才起作用。",
    )
