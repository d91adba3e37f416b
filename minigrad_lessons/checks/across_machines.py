"""The exercises of lesson 16."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from minigrad_lessons.checks.exercise import (
    Unreadable,
    Verdict,
    close,
    exercise,
    number,
    right,
    run,
    show,
    wrong,
)

CUTS = ((3, 6), (1, 2, 7))  # where the eight rows are cut, each time
STARTS = (1.5, -0.25)  # values of w


def slope(x: Sequence[float], y: Sequence[float], w: float) -> float:
    """The derivative with respect to w of the sum of (y - w * x) ** 2."""
    return sum(-2 * a * (b - w * a) for a, b in zip(x, y, strict=True))


def split(X: Any, Y: Any, cuts: Sequence[int]) -> list[tuple[Any, Any]]:
    """The rows, cut before each of these."""
    edges = [0, *cuts, len(X)]
    return [(X[low:high], Y[low:high]) for low, high in pairwise(edges)]


def leaf(X: Any, value: float) -> Any:
    """A leaf of one number, from the library that X comes from."""
    return (X[0] * 0 + value).detach().requires_grad_()


def told(found: float, shares: Sequence[float], wrongly: str, wrongly_zh: str) -> Verdict:
    """What a wrong sum of shares looks like."""
    if close(found, shares[-1]):
        return wrong(f"{wrongly} That is the gradient of the last part alone.", f"{wrongly_zh}那只是最后一部分的梯度。")
    if close(found, shares[0]):
        return wrong(f"{wrongly} That is the gradient of the first part alone.", f"{wrongly_zh}那只是第一部分的梯度。")
    if close(found, sum(shares) / len(shares)):
        return wrong(
            f"{wrongly} That is the mean of the {len(shares)} parts, and the loss is a sum.",
            f"{wrongly_zh}那是 {len(shares)} 个部分的平均值，而损失是求和。",
        )
    return wrong(
        f"{wrongly} The parts give {show([round(share, 4) for share in shares])}.",
        f"{wrongly_zh}各部分给出的是 {show([round(share, 4) for share in shares])}。",
    )


@exercise(
    wants=("a function of parts and w that returns the gradient", "一个以 parts、w 为参数、返回梯度的函数"),
    hints=[
        ("gradient(x, y, w) gives the gradient of one part.", "gradient(x, y, w) 求出的是其中一个部分的梯度。"),
        (
            "The derivative of a sum is the sum of the derivatives. Nothing is averaged.",
            "和的导数等于导数的和，不用平均。",
        ),
        (
            "sum(...) over the parts. If you call backward() instead, what is in w.grad before the first one?",
            "把各个部分的梯度用 sum(...) 加起来。如果改用 backward()，第一次之前 w.grad 里有什么？",
        ),
    ],
)
def total(function: Callable[[Any, Any], Any], X: Any, Y: Any) -> Verdict:
    """The gradient of a loss that is spread over parts."""
    X = 2 * X  # whoever computes with the page's own rows is wrong
    for cuts, start in zip(CUTS, STARTS):
        parts, w = split(X, Y, cuts), leaf(X, start)
        shares = [slope(x.tolist(), y.tolist(), start) for x, y in parts]
        found = []
        for _ in range(2):
            answer = run(function, parts, w)
            found.append(number(answer))
        said = f"For {len(parts)} parts and w = {start:g} you returned"
        said_zh = f"分成 {len(parts)} 个部分、w = {start:g} 时，"
        if not close(found[0], sum(shares)):
            return told(found[0], shares, f"{said} {found[0]:g}.", f"{said_zh}你返回的是 {found[0]:g}。")
        if not close(found[1], found[0]):
            return wrong(
                f"{said} {found[0]:g}, which is right, and then {found[1]:g} for the same w: something of the "
                "first call is still in w.grad.",
                f"{said_zh}你先返回 {found[0]:g}，是对的；同一个 w 再来一次，却返回 {found[1]:g}："
                "w.grad 里还留着第一次的结果。",
            )
    return right(
        "Yes: the same for three parts as for four, and the same at the second call.",
        "对：分成三份、四份都一样，第二次调用也一样。",
    )


@exercise(
    wants=(
        "a function of gradients and sizes that returns a gradient",
        "一个以 gradients、sizes 为参数、返回梯度的函数",
    ),
    hints=[
        ("How do you get from the mean of a part to its sum?", "由一部分的平均值，怎样得到它的总和？"),
        (
            "Multiply each gradient by its size: then each belongs to a sum, and sums add up.",
            "每个梯度乘上自己的行数，就都成了总和，可以相加。",
        ),
        ("Divide that sum by the total number of rows: sum(sizes).", "再除以总行数 sum(sizes)。"),
    ],
)
def combine(function: Callable[[list[Any], list[int]], Any], X: Any, Y: Any) -> Verdict:
    """The gradient of a mean loss from those of parts of unequal size."""
    for rows, cuts, start in zip((8, 7), ((3, 6), (1, 2, 5)), STARTS):  # whoever divides by the page's 8 is wrong
        parts = split(X[:rows], Y[:rows], cuts)
        sizes = [len(x) for x, _ in parts]
        means = [slope(x.tolist(), y.tolist(), start) / len(x) for x, y in parts]
        answer = run(function, [leaf(X, mean).detach() for mean in means], list(sizes))
        found = number(answer)
        summed = sum(size * mean for size, mean in zip(sizes, means))
        if close(found, summed / rows):
            continue
        said, said_zh = f"For sizes {sizes} you returned {found:g}.", f"行数为 {sizes} 时，你返回的是 {found:g}。"
        for mistake, reason, reason_zh in (
            (
                sum(means) / len(means),
                f"That is the plain mean: a row of the smallest part counts {max(sizes) / min(sizes):g} times as much "
                "as one of the largest.",
                f"那是直接平均：最小那部分里的一行，分量是最大那部分里一行的 {max(sizes) / min(sizes):g} 倍。",
            ),
            (summed, f"That is the gradient of the sum over all {rows} rows.", f"那是全部 {rows} 行求和的梯度。"),
            (
                sum(means) / rows,
                "You divided by the total number of rows, but each mean had been divided by its own size already.",
                "你除以了总行数，可是每个平均值已经除过自己的行数了。",
            ),
            (sum(means), "Means do not add up; sums do.", "平均值不能直接相加，总和才可以。"),
            (
                summed / len(X),
                f"These parts have {rows} rows in all, but you divided by {len(X)}.",
                f"这几部分一共 {rows} 行，你除以的却是 {len(X)}。",
            ),
        ):
            if close(found, mistake):
                return wrong(f"{said} {reason}", f"{said_zh}{reason_zh}")
        return wrong(
            f"{said} Make each mean a sum again before you add them.", f"{said_zh}相加之前，先把每个平均值还原成总和。"
        )
    return right("Yes: each row counts the same, in whatever part it is.", "对：不管分在哪一部分，每一行的分量都一样。")


@exercise(
    wants=(
        "two functions: there(x, y, w) returns what travels, here(arrived, w) puts the sum into w.grad",
        "两个函数：there(x, y, w) 返回要传的梯度，here(arrived, w) 把收到的加起来写进 w.grad",
    ),
    hints=[
        ("What of a tensor arrives, and what does not?", "张量的哪些东西传得到，哪些传不到？"),
        (
            "So send what is finished: a gradient, as a tensor or as a plain number.",
            "所以要传算好的东西，也就是梯度：可以是张量，也可以是普通的数。",
        ),
        (
            "`there` returns gradient(x, y, w); `here` puts the sum of what arrived into w.grad.",
            "`there` 返回 gradient(x, y, w)，`here` 把收到的加起来，放进 w.grad。",
        ),
    ],
)
def travel(there: Callable[..., Any], here: Callable[..., Any], X: Any, Y: Any) -> Verdict:
    """A gradient that is computed in other processes, and arrives in w.grad."""
    X = 2 * X  # whoever computes with the page's own rows is wrong
    for cuts, start in zip(CUTS, STARTS):
        parts, w = split(X, Y, cuts), leaf(X, start)
        arrived = []
        for x, y in parts:
            answer = run(there, *sent((x, y, w)))
            if answer is None:
                raise Unreadable(answer)
            if (count := numbers_in(answer)) > 1:
                return wrong(
                    f"`there` returns {count} numbers. `w` is one number, and so is its gradient: leave the rows where "
                    "they are.",
                    f"`there` 返回了 {count} 个数。`w` 是一个数，梯度也是一个数：数据请留在原处。",
                )
            arrived.append((answer, run(sent, answer)))  # not everything can be pickled
        if any(lost(answer, copy) for answer, copy in arrived):
            return wrong(
                "`there` returns a leaf with its .grad. The tensor arrives with a .grad of None: that is not pickled.",
                "`there` 返回的是带着 .grad 的叶子。张量传到了，.grad 却是 None：pickle 不会带上它。",
            )
        run(here, [copy for _, copy in arrived], w)
        shares = [slope(x.tolist(), y.tolist(), start) for x, y in parts]
        if w.grad is None:
            if any(getattr(answer, "grad_fn", None) is not None for answer, _ in arrived):
                return wrong(
                    "w.grad is None. What `there` returned had a grad_fn; what arrived has none: it is a leaf, whose "
                    "backward() ends where it begins.",
                    "w.grad 是 None。`there` 返回的张量有 grad_fn，传到的却没有，而是成了叶子："
                    "对叶子调用 backward()，从哪里开始就在哪里结束。",
                )
            return wrong("w.grad is None after `here` has run.", "`here` 运行之后，w.grad 还是 None。")
        found = number(w.grad)
        if not close(found, sum(shares)):
            return told(
                found,
                shares,
                f"For {len(parts)} parts and w = {start:g}, w.grad is {found:g}.",
                f"分成 {len(parts)} 个部分、w = {start:g} 时，w.grad 是 {found:g}。",
            )
    return right(
        "Yes: numbers arrive, histories do not, and a gradient is a number.",
        "对：数值传得过去，计算历史传不过去，而梯度就是数值。",
    )


def numbers_in(answer: Any) -> int:
    """How many numbers it holds."""
    if isinstance(answer, (tuple, list)):
        return sum(map(numbers_in, answer))
    return answer.numel() if hasattr(answer, "numel") else 1


def sent(what: Any) -> Any:
    """What arrives of it in another process."""
    return pickle.loads(pickle.dumps(what))


def lost(answer: Any, copy: Any) -> bool:
    """Whether a leaf was sent for the sake of its gradient."""
    has = getattr(answer, "is_leaf", False) and getattr(answer, "grad", None) is not None
    return has and getattr(copy, "grad", None) is None
