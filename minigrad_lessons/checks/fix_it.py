"""The exercises of lesson 15: three scripts, each with several faults, run on data that the page does not show.

A healthy run of the same script, in numpy and with its derivatives by hand, says what the repaired one must reach.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from minigrad_lessons.checks.exercise import (
    BY_HAND,
    Raised,
    Table,
    Unreadable,
    Verdict,
    close,
    exercise,
    made_without,
    mentions,
    number,
    right,
    run,
    table,
    wrong,
)
from minigrad_lessons.growing import reachable

Array = np.ndarray

# For each `out`, with h = (x @ v).tanh(): the parameter that no path leads to.
LOST = Table("fix_it.reach")


@exercise(
    wants=('the dict with "v", "w", "b" or "none" for each line', '一个字典，每一行填 "v"、"w"、"b" 或 "none"'),
    hints=[
        ("Read each line backwards from out. Where does the history end?", "每一行都从 out 往回读：计算历史断在哪里？"),
        (
            "detach(), .data, .item() and comparisons end it; clone() and a product with 0 do not.",
            "detach()、.data、.item() 和比较运算会切断计算历史；clone() 和乘以 0 不会。",
        ),
        (
            "Ask the graph: make out from tracked v, w and b, and look at viz.draw(out.sum()).",
            "问计算图：用被追踪的 v、w、b 算出 out，再看 viz.draw(out.sum())。",
        ),
    ],
)
def reach(guesses: Any) -> Verdict:
    """Which parameter each output has no path to."""
    return table(
        guesses,
        LOST,
        words=("v", "w", "b", "none"),
        why=(
            "A path ends where numbers go on without their history: detach, data, item, a comparison.",
            "只有数传下去、计算历史没有跟着走的地方，路径才会断：detach、data、item、比较。",
        ),
    )


# What x.grad holds at x = 0 after backward from each.
STEEP = Table("fix_it.steep")


@exercise(
    wants=('the dict with "0", "inf" or "nan" for each line', '一个字典，每一行填 "0"、"inf" 或 "nan"'),
    hints=[
        ("Go backwards, one rule at a time, with the numbers.", "从后往前，一条规则一条规则地代入数值。"),
        ("Where inf meets 0 there is nan; inf alone stays inf.", "inf 遇上 0 就得 nan；单独的 inf 还是 inf。"),
        (
            "Run it: x = torch.tensor(0.0, requires_grad=True), then x.sqrt().backward() and print(x.grad).",
            "运行一下：x = torch.tensor(0.0, requires_grad=True)，再 x.sqrt().backward()，print(x.grad)。",
        ),
    ],
)
def steep(guesses: Any) -> Verdict:
    """What the gradient is where a slope is infinite."""
    return table(
        guesses,
        STEEP,
        words=("0", "inf", "nan"),
        why=(
            "nan is inf times 0. The cure comes before the root: keep its input away from 0.",
            "这里的 nan 都来自 inf 乘 0。要在开方之前就处理好：别让根号里变成 0。",
        ),
    )


# Whether more nodes can be reached from a loop's variables after each round that ends with this line.
GROWS = Table("fix_it.grows")


@exercise(
    wants=("the dict with True or False for each line", "一个字典，每一行填 True 或 False"),
    hints=[
        ("What does the variable refer to after two rounds?", "两轮之后，这个变量引用着什么？"),
        ("A graph is kept as long as something refers to its result.", "只要还有东西引用着结果，它的图就不会释放。"),
        (
            "Count: after each round print(len(reachable(total.grad_fn))), or the sum over the list.",
            "数一数：每一轮之后 print(len(reachable(total.grad_fn)))，列表就把各项加起来。",
        ),
    ],
)
def grows(guesses: Any) -> Verdict:
    """Whether a loop's variables reach more nodes after each round."""
    return table(
        guesses,
        GROWS,
        why=(
            "Every round may keep numbers, but only one graph may stay: no more each round, none tied to the last.",
            "数可以每一轮都留下，图最多只能留着一张：既不能每一轮添一张，也不能连着上一轮。",
        ),
    )


def _learnt(x: Array, y: Array, v: Array, w: Array, b: Array) -> tuple[list[Array], Array]:
    """A healthy run of `learn`: the parameters it ends with, and its last gradient for v."""
    by_v = np.zeros_like(v)
    for _ in range(300):
        h = np.tanh(x @ v)
        off = 2 * ((h @ w + b)[:, 0] - y)[:, None] / len(y)
        by_w, by_b, by_v = h.T @ off, off.sum(0), x.T @ (off @ w.T * (1 - h**2))
        v, w, b = v - 0.1 * by_v, w - 0.1 * by_w, b - 0.1 * by_b
    return [v, w, b], by_v


def _loss(x: Array, y: Array, v: Array, w: Array, b: Array) -> float:
    return float(((((np.tanh(x @ v) @ w + b)[:, 0]) - y) ** 2).mean())


def _curve(seed: int) -> tuple[Array, ...]:
    """Some points of a wave, and parameters to begin with."""
    drawn = np.random.default_rng(seed)
    x = np.linspace(-1.5, 1.5, 7 + seed)[:, None]
    return (
        x,
        (0.5 + 0.5 * seed) * np.sin(1.5 * x[:, 0]) + 0.8,
        drawn.normal(size=(1, 4)),
        drawn.normal(size=(4, 1)) / 2,
        np.zeros(1),
    )


def _new(like: Any, *arrays: Array) -> list[Any]:
    return [like.new_tensor(array.tolist()) for array in arrays]


@exercise(
    wants=("the function learn, which returns the loss", "返回损失的函数 learn"),
    hints=[
        (
            "Draw the loss that comes back. To which of v, w and b is there a path? There are four faults.",
            "画出返回的 loss。有没有通向 v、w、b 的路径？一共有四处错误。",
        ),
        (
            "Read the flags letter by letter (Lesson 1); ask what cuts h off (Lesson 8); print (out - y).shape "
            "(Lesson 7); and what does each p.grad hold at the second step (Lesson 6)?",
            "逐个字母读一读开关（第 1 课）；看看是什么切断了 h（第 8 课）；打印 (out - y).shape（第 7 课）；"
            "到第二步时，每个 p.grad 里是什么（第 6 课）？",
        ),
        (
            "b.requires_grad; no detach(); out[:, 0] - y, both of shape (N,); and p.grad = None after each step.",
            "b.requires_grad；去掉 detach()；out[:, 0] - y，两者形状都是 (N,)；每走一步之后 p.grad = None。",
        ),
    ],
)
def learn(function: Callable[..., Any], x: Any) -> Verdict:
    """A small network that learns a wave; its data are those of the check."""
    for seed in (1, 2):
        X, Y, *start = _curve(seed)
        leaves = _new(x, *start)
        said = run(function, *_new(x, X, Y), *leaves)
        ends = [np.array(leaf.detach().tolist()) for leaf in leaves]
        healthy, by_v = _learnt(X, Y, *start)
        for name, leaf, end, begun in zip("vwb", leaves, ends, start, strict=True):
            if np.array_equal(np.float32(end), np.float32(begun)):
                known = "None" if leaf.grad is None else "there"
                return wrong(
                    f"{name} has not moved: {name}.requires_grad is {leaf.requires_grad}, {name}.grad is {known}. "
                    "Is there a path from the loss to it, and does a step change it?",
                    f"{name} 的值还和开始时一样：{name}.requires_grad 是 {leaf.requires_grad}，{name}.grad "
                    f"{'是 None' if leaf.grad is None else '里有数'}。从 loss 有路径通到它吗？更新那一步改变了它吗？",
                )
        found, wanted = _loss(X, Y, *ends), _loss(X, Y, *healthy)
        if np.isfinite(found) and found <= 1.5 * wanted + 2e-3:
            continue
        out = (np.tanh(X @ ends[0]) @ ends[1] + ends[2])[:, 0]
        if out.std() < 0.1 * Y.std():
            return wrong(
                f"For each of the {len(Y)} points the network gives about {out.mean():.3g}, which is the mean of y. "
                f"Is each prediction compared with its own y, or with all {len(Y)}?",
                f"{len(Y)} 个点，网络给出的都差不多是 {out.mean():.3g}，正是 y 的平均值。"
                f"每个预测是和自己的 y 比，还是和全部 {len(Y)} 个 y 比？",
            )
        held = 0.0 if leaves[0].grad is None else float(np.abs(leaves[0].grad.tolist()).max())
        if held > 20 * np.abs(by_v).max() + 0.05:
            return wrong(
                f"The loss ends at {found:.3g}; a healthy run comes to {wanted:.3g}. v.grad holds {held:.3g}, far more "
                "than one step brings: why are earlier steps still in it?",
                f"损失最后是 {found:.3g}，正常训练能到 {wanted:.3g}。v.grad 里有 {held:.3g}，远不止一步的梯度："
                "前面几步的梯度为什么还在里面？",
            )
        return wrong(
            f"It runs, and the loss ends at {found:.3g}, where 300 healthy steps come to {wanted:.3g}.",
            f"能运行，可是损失停在 {found:.3g}；正常训练 300 步能到 {wanted:.3g}。",
        )

    def again() -> list[Any]:
        leaves = _new(x, *start)
        function(*_new(x, X, Y), *leaves)
        return [leaf.tolist() for leaf in leaves]

    if made_without([leaf.tolist() for leaf in leaves], again):
        return BY_HAND
    if said is None:
        return wrong("Return the loss, too: you want to watch it fall.", "请把损失也返回，这样才能看着它下降。")
    told = number(said[-1] if isinstance(said, (list, tuple)) and said else said)
    if not close(told, found, 0.05):
        return wrong(
            f"v, w and b are right, and their loss is {found:.3g}; you return {told:.3g}.",
            f"v、w、b 都对，这时的损失是 {found:.3g}；你返回的却是 {told:.3g}。",
        )
    return right(
        "Yes, on two other waves: three paths lead from the loss, each row is compared with its own y, and every "
        "step begins with cleared gradients.",
        "对，换两条曲线也学得会：从损失出发有三条路径，每一行只和自己的 y 比，每一步都从清零的梯度开始。",
    )


def _scores(z: Array, y: Array) -> float:
    """The mean of -log softmax at the right classes."""
    z = z - z.max(1, keepdims=True)
    return float((np.log(np.exp(z).sum(1)) - z[np.arange(len(y)), y]).mean())


def _classified(x: Array, y: Array) -> Array:
    """A healthy run of `classify`: the w that it returns."""
    w = np.zeros((2, 3))
    for _ in range(50):
        z = x @ w
        p = np.exp(z - z.max(1, keepdims=True))
        w -= 0.1 * x.T @ (p / p.sum(1, keepdims=True) - np.eye(3)[y]) / len(y)
    return w


def _clusters(seed: int) -> tuple[Array, Array]:
    """Three heaps of points, far from the origin, each in its own direction."""
    drawn = np.random.default_rng(seed)
    y = np.arange(12) % 3
    turn = 2 * np.pi * (y / 3 + 0.1 * seed)
    return 300 * np.stack([np.cos(turn), np.sin(turn)], 1) + drawn.normal(scale=30, size=(12, 2)), y


@exercise(
    wants=("the function classify, which returns w", "返回 w 的函数 classify"),
    hints=[
        (
            "One fault after the other: fix what the first error says, run again. There are three, and fixing the "
            "second brings a fourth, which shows only at the end.",
            "一个一个来：先照第一个报错修好，再运行。一共三处错误；改第二处时还会带出第四处，要到最后才看得出来。",
        ),
        (
            "Which node saved e, and who wrote into it (Lesson 11)? After w = w - ..., which tensor is w (Lesson 9)? "
            "What is exp(1000), and what is inf / inf?",
            "是哪个节点保存了 e，又是谁往里写了（第 11 课）？w = w - ... 之后，w 是哪个张量（第 9 课）？"
            "exp(1000) 是多少，inf / inf 呢？",
        ),
        (
            "z = x @ w; log_p = torch.log_softmax(z, dim=1), and no exp() at all; w -= 0.1 * w.grad under no_grad(), "
            "then w.grad = None.",
            "z = x @ w；log_p = torch.log_softmax(z, dim=1)，根本不用 exp()；在 no_grad() 里 w -= 0.1 * w.grad，"
            "然后 w.grad = None。",
        ),
    ],
)
def classify(function: Callable[..., Any], x: Any) -> Verdict:
    """Softmax by hand, with large numbers: three classes are to be told apart."""
    for seed, mislabelled in ((1, 0), (2, 0), (4, 1)):
        X, y = _clusters(seed)
        y[1] += mislabelled  # then the class it names gets the probability 0
        (data, w), right_ones = _new(x, X, np.zeros((2, 3))), x.new_tensor(y.tolist()).long()
        try:
            found = run(function, data, right_ones, w)
        except Raised as raised:
            if isinstance(raised.error, TypeError) and "NoneType" in str(raised.error) and w.grad is not None:
                return wrong(
                    "In the second round w.grad is None: by then `w` is a result, and no longer the leaf "
                    f"({raised.error}).",
                    f"第二轮时 w.grad 是 None：这时的 `w` 已经是运算结果，不再是那个叶子了（{raised.error}）。",
                )
            if "modified by an inplace operation" in str(raised.error):
                said = str(raised.error).partition(" Hint:")[0]  # what comes then is not the same in every library
                return wrong(
                    f"It raises an error: {said} A node saved that tensor. Which line writes into it (Lesson 11)?",
                    f"报错了：{said} 有个节点保存了这个张量。是哪一行往里写了（第 11 课）？",
                )
            raise
        if getattr(found, "shape", None) != w.shape:
            raise Unreadable(found)
        if not found.is_leaf:
            return wrong(
                "The w that you return is a result: its history has grown with every step.",
                "你返回的 w 是运算结果：每走一步，它的计算历史就更长。",
            )
        end = np.array(found.detach().tolist())
        if not np.isfinite(end).all() and mislabelled:
            return wrong(
                f"On data with one wrong label w ends as {end.ravel().tolist()[:3]}…: the class that this label names "
                "gets the probability 0, and log 0 is -inf. Compute the logarithm without the probability.",
                f"有一组数据混进了一个错误的标签，w 最后是 {end.ravel().tolist()[:3]}……：这个标签所指的类别，"
                "概率下溢成了 0，而 0 的对数是 -inf。请不经过概率，直接算出对数。",
            )
        if not np.isfinite(end).all():
            return wrong(
                f"w ends as {end.ravel().tolist()[:3]}…: somewhere inf / inf, or 0 times inf. Use anomaly detection: "
                "which operation gave the first nan?",
                f"w 最后是 {end.ravel().tolist()[:3]}……：某处出现了 inf / inf，或者 0 乘 inf。打开异常检测："
                "第一个 nan 是哪种运算给出的？",
            )
        guessed = (X @ end).argmax(1)
        if (guessed != y).sum() > mislabelled:
            row = int((guessed != y).argmax())
            return wrong(
                f"No error any more, but the point {X[row].round(0).tolist()} of class {y[row]} is put into class "
                f"{guessed[row]}; {int((guessed == y).sum())} of {len(y)} are right.",
                f"不报错了，可是第 {y[row]} 类的点 {X[row].round(0).tolist()} 被分到了第 {guessed[row]} 类；"
                f"{len(y)} 个里对了 {int((guessed == y).sum())} 个。",
            )
        held = 0.0 if found.grad is None else float(np.abs(found.grad.tolist()).max())
        if held > 1.0 and not mislabelled:
            return wrong(
                f"The classes are told apart, but w.grad holds {held:.3g} at the end, and the last step's gradient is "
                f"near 0 (the loss is {_scores(X @ end, y):.2g}): earlier steps are still in it.",
                f"三类是分开了，可是最后 w.grad 里有 {held:.3g}，而最后一步的梯度接近 0（损失是 "
                f"{_scores(X @ end, y):.2g}）：前面几步的梯度还留在里面。",
            )
        healthy = _classified(X, y)
        if not np.allclose(end, healthy, atol=0.1):
            first, wanted = end[0].round(2).tolist(), healthy[0].round(2).tolist()
            return wrong(
                f"The classes are told apart, but the first row of w ends as {first}, in a healthy run as {wanted}. "
                "Is it still the same loss, of `x @ w` as it is, and are the steps the same?",
                f"三类是分开了，可是 w 的第一行最后是 {first}，正常训练得到 {wanted}。"
                "损失还是原来的损失吗？`x @ w` 没有缩小或截断吗？步子也没变吗？",
            )
    if made_without(found.tolist(), lambda: function(data, right_ones, _new(x, np.zeros((2, 3)))[0]).tolist()):
        return BY_HAND
    return right(
        "Yes, on three other sets, one with a wrong label: nothing saved is overwritten, w stays a leaf, and no "
        "exponential overflows.",
        "对，换三组数据也对，其中一组还有个标签是错的：没有覆盖保存过的值，w 一直是叶子，指数也没有溢出。",
    )


DAYS = 12


def _days(x: Any, counts: list[int]) -> Iterator[tuple[Any, Any]]:
    """Rain on two sides of a roof, and the level measured. Counts what nodes the learner's names hold each evening."""
    for rain, level in _weather():
        yield _new(x, rain)[0], _new(x, level)[0]
        frame = sys._getframe(1)
        page = {name: frame.f_globals[name] for name in frame.f_code.co_names if name in frame.f_globals}
        counts.append(_held({**page, **frame.f_locals}, frame.f_globals.get("__name__", "")))


def _weather() -> Iterator[tuple[Array, Array]]:
    drawn, level = np.random.default_rng(3), 0.0
    for _ in range(DAYS):
        rain = drawn.uniform(0.5, 2.0, size=2)
        level = 0.5 * level + 0.7 * rain.sum()
        yield rain, np.array(level)


def _held(names: dict[str, Any], page: str = "") -> int:
    """How many nodes can be reached from a function's names, and from what these hold; `page`: whose objects are the
    learner's."""
    to_see, known, starts = [*names.values()], set[int](), dict[int, Any]()
    for value in to_see:  # which grows meanwhile
        if id(value) in known:
            continue
        known.add(id(value))
        if isinstance(value, (list, tuple, set, deque)):
            to_see += value
        elif isinstance(value, dict):
            to_see += value.values()
        elif (node := getattr(value, "grad_fn", None)) is not None:
            starts[id(node)] = node
        elif type(value).__module__ == page:
            to_see += vars(value).values() if hasattr(value, "__dict__") else ()
    return len({id(node) for start in starts.values() for node in reachable(start)})


def _followed(start: float) -> tuple[float, float]:
    """A healthy run of `follow`: w and the sum of the losses."""
    w, total, level = start, 0.0, 0.0
    for rain, measured in _weather():
        level = 0.5 * level + w * rain.sum()
        total += float((level - measured) ** 2)
        w -= 0.01 * 2 * float(level - measured) * rain.sum()
    return w, total


@exercise(
    wants=("the function follow, which returns the total loss", "返回损失总和的函数 follow"),
    hints=[
        (
            "What may a round keep from the one before? The numbers; not the graph behind them.",
            "每一轮可以从上一轮留下什么？留下数，不要留下数背后的计算图。",
        ),
        (
            "Two variables go from round to round: level and total. And what is retain_graph=True hiding (Lesson 10)?",
            "从一轮带到下一轮的有两个变量：level 和 total。再想想 retain_graph=True 掩盖了什么（第 10 课）。",
        ),
        (
            "total += loss.item(); at the end of the round level = level.detach(); and backward() without "
            "retain_graph.",
            "total += loss.item()；每一轮的最后 level = level.detach()；backward() 不要 retain_graph。",
        ),
    ],
)
def follow(function: Callable[..., Any], x: Any) -> Verdict:
    """A level that is carried from day to day, without the graphs of all days before."""
    for start in (0.2, 1.1):
        (w,) = _new(x, np.array([start]))
        w.requires_grad_()
        counts: list[int] = []
        days = list(_weather())
        try:
            total = run(function, _Days(x, counts, len(days)), w)
        except Raised as raised:
            if "a second time" not in str(raised.error):
                raise
            return wrong(
                "The second day's backward goes on into the first day's graph, which is freed (Lesson 10). Which "
                "variable leads there?",
                "第二天的反向传播一直走进了第一天的图，而那张图已经释放了（第 10 课）。是哪个变量连着那张图？",
            )
        if len(counts) < DAYS:
            return wrong(
                f"There are {DAYS} days, and the loop has finished {len(counts)}.",
                f"一共有 {DAYS} 天，循环只走完了 {len(counts)} 天。",
            )
        if counts[-1] > counts[2] + 1:
            shown, shown_zh = (comma.join(map(str, counts[:4])) for comma in (", ", "、"))
            return wrong(
                f"The nodes that your variables reach after each day: {shown}, … {counts[-1]}. Each day is still "
                "linked to the day before, or its graph is kept in a list.",
                f"每天结束时，从你的变量能走到的节点数：{shown_zh}、……、{counts[-1]}。每一天都还连着前一天，或者它的图还留在某个列表里。",
            )
        if getattr(total, "requires_grad", False):
            return wrong(
                "The total that comes back is tracked: a number for the log needs no graph.",
                "返回的总和还被追踪着：记录用的数不需要计算图。",
            )
        end, summed = _followed(start)
        if not close(number(w), end, 1e-3):
            return wrong(
                f"From w = {start:g} a healthy run comes to {end:.4g}, yours to {number(w):.4g}. Does the gradient of "
                "each day still reach w, and is it cleared before the next day's?",
                f"从 w = {start:g} 出发，正常训练到 {end:.4g}，你的到了 {number(w):.4g}。"
                "每天的梯度还能到达 w 吗？前一天的清零了吗？",
            )
        if not close(number(total), summed, 1e-3):
            return wrong(
                f"The losses of the {DAYS} days add up to {summed:.4g}; you return {number(total):.4g}.",
                f"{DAYS} 天的损失加起来是 {summed:.4g}，你返回的是 {number(total):.4g}。",
            )
    if _keeps_a_graph(function):
        return wrong(
            "The numbers are right, but retain_graph=True is still there. Take it out: no graph is used twice.",
            "数值是对的，可是 retain_graph=True 还在。请去掉它：没有哪张图要走两遍。",
        )
    return right(
        f"Yes: after day {DAYS} as few nodes as after day 3, and w arrives where it should.",
        f"对：第 {DAYS} 天之后的节点和第 3 天之后一样少，w 也走到了该到的地方。",
    )


def _keeps_a_graph(function: Any) -> bool:
    """Whether its code passes retain_graph, and not False."""
    try:
        code = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError):  # what is nowhere written
        return mentions(function, "retain_graph") and any(part is True for part in function.__code__.co_consts)
    given = [part.value for part in ast.walk(code) if isinstance(part, ast.keyword) and part.arg == "retain_graph"]
    return any(not (isinstance(value, ast.Constant) and not value.value) for value in given)


class _Days:
    """The days, as a loop goes through them."""

    def __init__(self, x: Any, counts: list[int], length: int) -> None:
        self._x, self._counts, self._length = x, counts, length

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        return _days(self._x, self._counts)

    def __len__(self) -> int:
        return self._length
