"""The exercises of lesson 14: the learner's own engine, against what PyTorch said of the same expressions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from types import SimpleNamespace
from typing import Any

import numpy as np

from minigrad_lessons.checks.exercise import (
    Raised,
    Refused,
    Table,
    Unreadable,
    Verdict,
    exercise,
    mentions,
    plain,
    right,
    run,
    show,
    table,
    todo,
    wrong,
)
from minigrad_lessons.language import Says, speak

WITHIN = 1e-12
DEEP, DOUBLINGS, SLOW = 5_000, 50, 0.2  # nodes in a row; doublings at most; seconds that only taking every path takes
_RECORDED = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))


def _evaluated(case: dict[str, Any], apply: Any, Value: Any) -> tuple[Any, dict[str, Any]]:
    """What the learner's engine makes of an expression, and its leaves by name."""
    leaves = {name: run(Value, data, True) for name, data in case["leaves"].items()}
    data = {name: run(Value, data) for name, data in case["data"].items()}
    calls = {op: lambda *values, op=op: apply(op, *values) for op in ("sum", "relu", "matmul", "cross_entropy")}
    return run(lambda: eval(case["expression"], {**calls, **leaves, **data})), leaves


def _same(found: Any, truth: Any) -> bool:
    """Whether an array is the recorded one, its shape too. Raises Unreadable where it holds no numbers."""
    truth = np.asarray(truth)
    try:
        if found is None:  # numpy would read nan
            raise TypeError
        found = np.asarray(found, dtype=float)
    except (TypeError, ValueError) as error:
        raise Unreadable(found) from error
    return np.shape(found) == truth.shape and bool(np.allclose(found, truth, rtol=WITHIN, atol=WITHIN))


def _said(array: Any) -> str:
    """An array as a learner reads it."""
    return show((np.round(np.asarray(array, dtype=float), 4) + 0.0).tolist())  # no -0.0


def _compare(case: dict[str, Any], apply: Any, Value: Any, backward: Any) -> None:
    """Run an expression, and once more with two passes, and refuse gradients that PyTorch does not have."""
    for passes in (1, 2):
        _compared(case, apply, Value, backward, passes)


def _compared(case: dict[str, Any], apply: Any, Value: Any, backward: Any, passes: int) -> None:
    result, leaves = _evaluated(case, apply, Value)
    for _ in range(passes):
        run(backward, result)
    times, times_zh = (", after a second pass", "，第二遍之后") if passes > 1 else ("", "")
    for name, leaf in leaves.items():
        truth, given = np.multiply(case["grads"][name], passes), case["leaves"][name]
        if leaf.grad is None:
            raise Refused(
                wrong(
                    f"`{case['expression']}`: no gradient reached {name}; {name}.grad is None.",
                    f"`{case['expression']}`：没有梯度传到 {name}，{name}.grad 是 None。",
                )
            )
        if leaf.grad is ...:
            raise Refused(todo("A rule still returns `...`.", "有条规则返回的还是 `...`。"))
        if _same(leaf.grad, truth):
            continue
        others = (other.grad for other in leaves.values() if other is not leaf and other.grad is not None)
        en, zh = "", ""
        if any(isinstance(other, np.ndarray) and np.shares_memory(other, leaf.grad) for other in others) or (
            case["expression"] == "sum((a + b) + a)" and _said(leaf.grad) == _said(2 * np.ones_like(truth))
        ):
            en = " A `+=` has written into an array that two nodes share: add with a + b, which makes a new one."
            zh = "有个 `+=` 写进了两个节点共用的数组：请用 a + b 相加，这样会新建一个数组。"
        elif passes > 1 and _same(leaf.grad, case["grads"][name]):
            en = " A leaf adds up what arrives; your code replaces what was there."
            zh = "叶子要累加梯度，你的代码却把原来的值替换掉了。"
        raise Refused(
            wrong(
                f"`{case['expression']}` with {name} = {_said(given)}{times}: PyTorch's {name}.grad is {_said(truth)}, "
                f"yours is {_said(leaf.grad)}.{en}",
                f"`{case['expression']}`，{name} = {_said(given)}{times_zh}：PyTorch 的 {name}.grad 是 {_said(truth)}，"
                f"你的是 {_said(leaf.grad)}。{zh}",
            )
        )


@exercise(
    wants=("your apply and your Value", "你写的 apply 和 Value"),
    hints=[
        (
            "Each value knows the one node that its gradient goes to: for a result its grad_fn, for a tracked leaf its "
            "AccumulateGrad, for data None.",
            "每个值的梯度各送到一个节点：结果送到它的 grad_fn，被追踪的叶子送到一个 AccumulateGrad，"
            "数据没有这样的节点，填 None。",
        ),
        (
            "Make the AccumulateGrad where the leaf is made, once; next_functions is a tuple of pairs, one for each "
            "input.",
            "AccumulateGrad 在创建叶子时建，只建一次；next_functions 是由二元组组成的元组，每个输入一对。",
        ),
        (
            "self.next_functions = tuple((value.node, 0) for value in inputs). And a result is tracked if any of its "
            "inputs is.",
            "self.next_functions = tuple((value.node, 0) for value in inputs)。只要有一个输入被追踪，结果就被追踪。",
        ),
    ],
)
def remember(apply: Any, Value: Any) -> Verdict:
    """Whether results remember what they came from."""
    w, x, b = (run(Value, *given) for given in ((2.0, True), (3.0,), (1.0, True)))
    result = run(apply, "mul", w, x)
    if getattr(result, "grad_fn", None) is ...:
        return todo("The result's grad_fn is still `...`.", "结果的 grad_fn 还是 `...`。")
    if result is None:
        return wrong("apply returns nothing: end it with return.", "apply 没有返回值：最后要写 return。")
    z = run(lambda: w * x + b)
    if float(z.data) != 7:
        return wrong(
            f"For w = 2, x = 3, b = 1, w * x + b is 7; yours is {show(z.data)}.",
            f"w = 2、x = 3、b = 1 时，w * x + b 是 7，你的是 {show(z.data)}。",
        )
    if w.grad_fn is not None or x.grad_fn is not None:
        return wrong("A leaf has no grad_fn: nothing computed it.", "叶子没有 grad_fn：它不是算出来的。")
    for tracked, value, said in (
        (True, z, "w * x + b"),
        (True, run(lambda: x * w), "x * w"),
        (False, run(lambda: x * x), "x * x"),
    ):
        if (value.grad_fn is not None) != tracked or bool(value.requires_grad) != tracked:
            need, need_zh = ("a", "有") if tracked else ("no", "没有")
            return wrong(
                f"`{said}`: PyTorch has {need} node here and requires_grad = {tracked}; yours has grad_fn "
                f"{show(value.grad_fn)} and requires_grad = {show(value.requires_grad)}.",
                f"`{said}`：PyTorch 在这里{need_zh}节点，requires_grad = {tracked}；你的 grad_fn 是 "
                f"{show(value.grad_fn)}，"
                f"requires_grad = {show(value.requires_grad)}。",
            )
    ways = z.grad_fn.next_functions
    if ways is ...:
        return todo("next_functions is still `...`.", "next_functions 还是 `...`。")
    if getattr(w, "node", None) is ...:
        return todo("`node` is still `...`.", "`node` 还是 `...`。")
    product = run(lambda: z.grad_fn.inputs[0].grad_fn)
    for node, said in ((product, "w * x"), (z.grad_fn, "w * x + b")):
        pairs = getattr(node, "next_functions", ())
        if not isinstance(pairs, (tuple, list)) or [np.shape(pair) for pair in pairs] != [(2,), (2,)]:
            return wrong(
                f"`{said}`: next_functions holds a pair `(node, 0)` for each of the two inputs; yours: {show(pairs)}.",
                f"`{said}`：有两个输入，next_functions 里就要有两个二元组，形如 `(节点, 0)`；你的是 {show(pairs)}。",
            )
    if ways[0][0] is not product:
        return wrong(
            "`w * x + b`: the first entry of the sum's next_functions is the node of the product.",
            "`w * x + b`：加法的 next_functions 第一项应当是乘法的节点。",
        )
    (leaf, _), (data, _) = product.next_functions
    if data is not None:
        return wrong(
            f"`w * x`: x is data, so its entry is None; yours leads to {show(data)}.",
            f"`w * x`：x 是数据，所以那一项是 None；你的是 {show(data)}。",
        )
    if getattr(leaf, "variable", None) is not w:
        return wrong(
            f"`w * x`: the first entry is the node whose variable is w; yours leads to {show(leaf)}.",
            f"`w * x`：第一项是 variable 为 w 的那个节点；你的是 {show(leaf)}。",
        )
    (one, _), (other, _) = run(lambda: w * w).grad_fn.next_functions
    if one is not other or one is not leaf or type(one) is type(product):
        return wrong(
            "`w * w`: both entries should be one and the same AccumulateGrad, w's own; `is` says that yours are two. "
            "The sums would come out right all the same, but the picture would be wrong.",
            "`w * w`：两项是同一个 AccumulateGrad，也就是 w 自己的那一个；用 `is` 一比，你的是两个。"
            "这样求出的总和照样对，图却画错了。",
        )
    return right(
        "Yes: results know their node, leaves have one AccumulateGrad each, however often they are used, and data "
        "have None.",
        "对：结果的 grad_fn 就是自己的节点；每个叶子不管用几次，都只有一个 AccumulateGrad；数据对应的是 None。",
    )


def _built(apply: Any, Value: Any) -> None:
    """Refuse what stands on Exercise 1 while that does not hold."""
    if not remember.holds(apply, Value):
        raise Refused(todo("This builds on Exercise 1: finish that first.", "这一步要用到练习 1，请先完成它。"))


@exercise(
    wants=("your backward, apply and Value", "你写的 backward、apply 和 Value"),
    hints=[
        (
            "Each rule gets g, the gradient of the result, and the inputs' numbers; it returns the gradient of one "
            "input.",
            "每条规则收到 g（结果的梯度）和各个输入的数，返回一个输入的梯度。",
        ),
        (
            "mul: g * b for a, g * a for b. sum: g for every entry of a. relu: g where a was positive.",
            "mul：对 a 是 g * b，对 b 是 g * a。sum：a 的每个元素都得到 g。relu：a 为正的地方得到 g。",
        ),
        (
            "A node with a variable: leaf.grad = g if leaf.grad is None else leaf.grad + g. Any other: for each "
            "(to, _) in next_functions and its rule: if to is not None, put (to, rule(g, *data)) into waiting.",
            "有 variable 的节点：leaf.grad = g if leaf.grad is None else leaf.grad + g。"
            "其他节点：对 next_functions 的每一对 (to, _) 和对应的规则，"
            "只要 to 不是 None，就把 (to, rule(g, *data)) 放进 waiting。",
        ),
    ],
)
def rules(backward: Any, apply: Any, Value: Any) -> Verdict:
    """The rules of four operations, and a pass that takes path after path."""
    _built(apply, Value)
    taxi, shared, *others = _RECORDED["rules"]
    for case in (taxi, shared, *others):
        _compare(case, apply, Value, backward)
    return right(
        "Yes: the taxi's −40, −80 after a second pass, and four more expressions agree with PyTorch to twelve digits.",
        "对：出租车的 −40、第二遍之后的 −80，还有另外四个式子，都与 PyTorch 一致到十二位。",
    )


def _doubled(apply: Any, Value: Any, times: int) -> tuple[Any, Any]:
    """A leaf, and what becomes of it when it is added to itself again and again."""
    leaf = value = run(Value, 1.0, True)
    for _ in range(times):
        value = run(apply, "add", value, value)
    return leaf, value


def _quick(function: Callable[[Any], Any], name: str, apply: Any, Value: Any) -> None:
    """Refuse what goes every path, as soon as it is slow: there are 2 to the power of the doublings."""
    for times in range(10, DOUBLINGS + 1, 2):
        doubled, seconds = _doubled(apply, Value, times)[1], []
        while len(seconds) < 2 and min(seconds, default=1.0) > SLOW:  # a busy machine may stop one of them
            started = perf_counter()
            run(function, doubled)
            seconds.append(perf_counter() - started)
        if min(seconds) > SLOW:
            raise Refused(
                wrong(
                    f"{times} doublings `y = y + y` take your {name} {min(seconds):.1f} seconds: it follows every "
                    "path, and with each doubling there are twice as many. Visit each node once.",
                    f"`y = y + y` 翻倍 {times} 次，你的 {name} 要 {min(seconds):.1f} 秒：它把每条路径都走了一遍，"
                    "每翻倍一次，路径就多一倍。每个节点只应处理一次。",
                )
            )


def _ordered(users_first: Any, root: Any, said: str, note: tuple[str, str] = ("", "")) -> None:
    """Refuse an order in which a node is missing, stands twice, or comes before one of its users."""
    order = run(users_first, root)
    if not isinstance(order, (list, tuple)):
        raise Unreadable(order)
    nodes = [root]
    for node in nodes:
        nodes += {
            id(to): to for to, _ in node.next_functions if to is not None and all(to is not n for n in nodes)
        }.values()
    places = {id(node): place for place, node in enumerate(order)}

    def called(node: Any) -> str:
        return getattr(node, "op", type(node).__name__)

    if len(places) < len(order) or len(places) != len(nodes) or any(id(node) not in places for node in nodes):
        raise Refused(
            wrong(
                f"`{said}` has {len(nodes)} nodes, each to appear once; your order is "
                f"{show([called(n) for n in order])}.",
                f"`{said}` 有 {len(nodes)} 个节点，每个只出现一次；你的顺序是 {show([called(n) for n in order])}。",
            )
        )
    for user in nodes:
        for to, _ in user.next_functions:
            if to is not None and places[id(to)] < places[id(user)]:
                raise Refused(
                    wrong(
                        f"`{said}`: {called(to)} comes before {called(user)}, which still has a gradient for it: "
                        f"{show([called(n) for n in order])}.{note[0]}",
                        f"`{said}`：{called(to)} 排在了 {called(user)} 前面，而后者还有梯度要传给前者："
                        f"{show([called(n) for n in order])}。{note[1]}",
                    )
                )


@exercise(
    wants=(
        "your users_first, which returns a list, backward, apply and Value",
        "返回列表的 users_first，以及 backward、apply 和 Value",
    ),
    hints=[
        (
            "First walk once over the graph and count, for each node, how many edges lead to it.",
            "先把图走一遍，数一数有几条箭头指向每个节点。",
        ),
        (
            "Then run what is ready: take a node, count down by one at each node that it leads to, and a node whose "
            "count is 0 is ready.",
            "再处理就绪的节点：取出一个，它的每条箭头指向哪个节点，就把哪个节点的计数减 1；减到 0 的节点也就绪了。",
        ),
        (
            "In backward, a dict holds what has arrived: arrived[to] = arrived.get(to, 0) + part. Not `+=` on the "
            "array.",
            "在 backward 里用一个字典存放已到的梯度：arrived[to] = arrived.get(to, 0) + part。不要对数组用 `+=`。",
        ),
    ],
)
def order(users_first: Any, backward: Any, apply: Any, Value: Any) -> Verdict:
    """Nodes in an order in which each has all its gradient before it runs."""
    _built(apply, Value)
    diamond, cube, shared, *_ = _RECORDED["order"]
    breadth = (
        " Breadth first passes the diamond and fails here: it gives 4 for PyTorch's 12.",
        "广度优先能通过菱形，到这里就错了：得出 4，PyTorch 是 12。",
    )
    for case, note in ((diamond, ("", "")), (cube, breadth), (shared, ("", ""))):
        result, _ = _evaluated(case, apply, Value)
        _ordered(users_first, result.grad_fn, case["expression"], note)
    leaf = chain = run(Value, 1.0, True)
    for _ in range(DEEP):
        chain = run(apply, "add", chain, leaf)
    try:
        run(users_first, chain.grad_fn)
    except Raised as raised:
        if isinstance(raised.error, RecursionError):
            return wrong(
                f"A chain of {DEEP:,} additions: RecursionError. A function that calls itself once for each node goes "
                "only "
                "as deep as Python lets it; keep the nodes to visit in a list.",
                f"{DEEP} 次加法连成一串：RecursionError。每遇到一个节点就调用自己，深度受 Python 限制；"
                "请把要走的节点放在一个列表里。",
            )
        raise
    _quick(lambda result: users_first(result.grad_fn), "users_first", apply, Value)
    for case in _RECORDED["order"]:
        _compare(case, apply, Value, backward)
    _quick(backward, "backward", apply, Value)
    leaf, doubled = _doubled(apply, Value, DOUBLINGS)
    run(backward, doubled)
    if leaf.grad != 2**DOUBLINGS:
        return wrong(
            f"{DOUBLINGS} doublings: the gradient is 2 to the power of {DOUBLINGS}, {2**DOUBLINGS}; yours is "
            f"{show(leaf.grad)}.",
            f"翻倍 {DOUBLINGS} 次：梯度是 2 的 {DOUBLINGS} 次方 {2**DOUBLINGS}，你的是 {show(leaf.grad)}。",
        )
    return right(
        f"Yes: each node once, after all its users; {DOUBLINGS} doublings and a chain of {DEEP:,} are no trouble.",
        f"对：每个节点一次，排在所有用到它的节点之后；翻倍 {DOUBLINGS} 次、{DEEP} 个节点连成一串，都没有问题。",
    )


# For each shape of an input, over which axes a gradient of shape (2, 3) is summed.
AXES = Table("build_it.axes")


@exercise(
    wants=("the dict with a list of axes for each shape", "一个字典，每种形状填一个由轴组成的列表"),
    hints=[
        ("Write the shapes one under the other, right-aligned.", "把两个形状写成上下两行，右端对齐。"),
        ("Sum over each axis that the input lacks, or has with size 1.", "输入里没有的轴、大小为 1 的轴，都需要求和。"),
        ("(2, 1) under (2, 3): the axis of size 1 is axis 1.", "(2, 1) 写在 (2, 3) 下面：大小为 1 的是轴 1。"),
    ],
)
def axes(guesses: Any) -> Verdict:
    """Which axes are summed for each shape of an input."""
    if isinstance(guesses, dict):
        guesses = {key: guess if guess is ... else _as_axes(guess) for key, guess in guesses.items()}
    return table(
        guesses,
        AXES,
        why=(
            "What was used several times gets a sum: over missing axes and over those of size 1.",
            "用了几次，就要把几份加起来：对缺少的轴和大小为 1 的轴求和。",
        ),
    )


def _as_axes(guess: Any) -> Any:
    """Axes as the table has them: a list in order, counted from the front."""
    axes = plain(guess)
    axes = [axes] if type(axes) is int else axes
    if isinstance(axes, (list, tuple, set, range)) and all(type(axis) is int for axis in map(plain, axes)):
        return sorted(axis % 2 if -2 <= axis < 0 else axis for axis in map(plain, axes))
    raise Unreadable(guess)


@exercise(
    wants=("your unbroadcast, backward, apply and Value", "你写的 unbroadcast、backward、apply 和 Value"),
    hints=[
        (
            "What was used several times gets the sum of the gradients that come back. Which axes were stretched?",
            "用了几次，就要把传回来的几份梯度相加。哪些轴被扩展过？",
        ),
        (
            "Two kinds: axes in front that shape does not have (sum them away), and axes of size 1 (sum, and keep "
            "them).",
            "需要求和的轴有两种：shape 里没有的前面那些轴（求和去掉），和大小为 1 的轴（求和并保留）。",
        ),
        (
            "g.sum(axis=...) takes a tuple of axes; keepdims=True keeps them with size 1. Then call it in backward, "
            "on each "
            "part, with value.data.shape.",
            "g.sum(axis=...) 的 axis 可以是由轴组成的元组，keepdims=True 让这些轴保留为 1。"
            "然后在 backward 里对每一份梯度调用 unbroadcast，shape 用 value.data.shape。",
        ),
    ],
)
def unbroadcast(unbroadcast: Any, backward: Any, apply: Any, Value: Any) -> Verdict:
    """A gradient summed back to the shape of the input."""
    for case in _RECORDED["unbroadcast"]:
        inputs = {name: np.asarray(data) for name, data in case["leaves"].items()}
        for name, other in (("a", "b"), ("b", "a")):
            shape, truth = inputs[name].shape, case["grads"][name]
            full = np.asarray(case["data"]["c"])
            full = full * inputs[other] if "a * b" in case["expression"] else full
            found = run(unbroadcast, full.copy(), shape)
            if _same(found, truth):
                continue
            en = zh = ""
            if np.shape(found) != shape and np.size(found) == np.size(truth) and _same(np.reshape(found, shape), truth):
                en = " The numbers are right, but an axis of size 1 is gone: it has to stay."
                zh = "数是对的，可是少了大小为 1 的轴：它应当保留。"
            elif np.shape(found) != shape and np.ndim(found) == len(shape):
                en = " An axis of size 1 inside was stretched, too."
                zh = "输入形状里大小为 1 的轴也被扩展过，也需要求和。"
            return wrong(
                f"A gradient of shape {full.shape} for an input of shape {shape}: PyTorch gives {_said(truth)}, of "
                "shape "
                f"{shape}; yours has shape {np.shape(found)}: {_said(found)}.{en}",
                f"梯度的形状是 {full.shape}，输入的形状是 {shape}：PyTorch 给出 {_said(truth)}，形状 {shape}；"
                f"你的形状是 {np.shape(found)}：{_said(found)}。{zh}",
            )
    _built(apply, Value)
    for case in _RECORDED["unbroadcast"]:
        try:
            _compare(case, apply, Value, backward)
        except (Refused, Raised):
            if mentions(backward, "unbroadcast"):
                raise
            return wrong(
                "unbroadcast is right in all eight pairs, but your backward does not call it yet (tried with "
                f"`{case['expression']}`): "
                "copy backward below unbroadcast, and put unbroadcast around each part there.",
                f"unbroadcast 在八组形状上都正确，可是 backward 还没有用它（例如 `{case['expression']}`）："
                "把 backward 抄到 unbroadcast 下面，在那里给每一份梯度套上 unbroadcast。",
            )
    for case in _RECORDED["order"]:
        _compare(case, apply, Value, backward)
    return right(
        "Yes, in eight pairs of shapes, and in your backward: gradients are summed over every stretched axis.",
        "正确，八组形状都通过了，backward 里也用上了：在扩展过的轴上，把梯度加起来。",
    )


def _row(RULES: Any, op: str, inputs: int) -> Any:
    """The row of an operation. Refuses one that is missing, or has not one rule for each input."""
    if op not in RULES:
        raise Refused(wrong(f"There is no row for {op} in RULES.", f"RULES 里没有 {op} 这一行。"))
    if not isinstance(row := RULES[op], (tuple, list)) or len(row) != inputs + 1 or not all(map(callable, row)):
        raise Refused(
            wrong(
                f"The row of {op}: first the forward, then a function for each of its inputs ({inputs}). Yours: "
                f"{show(row)}.",
                f"{op} 这一行：先是前向，然后每个输入各一个函数（{inputs} 个）。你写的是 {show(row)}。",
            )
        )
    return row


@exercise(
    wants=(
        "RULES, with a row for matmul, and your backward, apply and Value",
        "含有 matmul 那一行的 RULES，以及 backward、apply、Value",
    ),
    hints=[
        (
            "The gradient of a has a's shape. Which product of g and b has it?",
            "a 的梯度和 a 形状相同。g 和 b 怎样相乘才得到这个形状？",
        ),
        (
            "g is (n, m), a is (n, k), b is (k, m). (n, m) times (m, k) gives (n, k).",
            "g 是 (n, m)，a 是 (n, k)，b 是 (k, m)。(n, m) 乘 (m, k) 得到 (n, k)。",
        ),
        (
            "(m, k) is the shape of b.T; and for b, (k, n) is that of a.T.",
            "(m, k) 是 b.T 的形状；对 b 来说，(k, n) 是 a.T 的形状。",
        ),
    ],
)
def matmul(RULES: Any, backward: Any, apply: Any, Value: Any) -> Verdict:
    """The gradient of a matrix product, square or not."""
    wide, square, thin = _RECORDED["matmul"]
    _, *vjps = _row(RULES, "matmul", 2)
    for case in (square, wide, thin):
        a, b, g = (np.asarray(case["leaves" if name in "ab" else "data"][name]) for name in "abc")
        for name, vjp in zip("ab", vjps, strict=True):
            shapes = f"g {g.shape}, a {a.shape}, b {b.shape}"
            try:
                found = run(vjp, g, a, b)
            except Raised as raised:
                return wrong(
                    f"{shapes}: the rule for {name} raised {type(raised.error).__name__}: {raised.error}",
                    f"{shapes}：{name} 的规则报错 {type(raised.error).__name__}：{raised.error}",
                )
            if not _same(found, case["grads"][name]):
                same = case is square
                return wrong(
                    f"{shapes}: PyTorch's gradient of {name} is {_said(case['grads'][name])}, yours is {_said(found)}."
                    + (" With square matrices a wrong order raises no error." if same else ""),
                    f"{shapes}：PyTorch 给 {name} 的梯度是 {_said(case['grads'][name])}，你的是 {_said(found)}。"
                    + ("方阵的顺序写错了也不会报错。" if same else ""),
                )
    _built(apply, Value)
    for case in _RECORDED["matmul"]:
        _compare(case, apply, Value, backward)
    return right(
        "Yes, for square matrices and for others: where the shapes differ, they leave one choice.",
        "对，方阵和非方阵都对：形状不同时，只有一种写法对得上。",
    )


@exercise(
    wants=("your cross_entropy and cross_entropy_vjp", "你写的 cross_entropy 和 cross_entropy_vjp"),
    hints=[
        (
            "log(softmax(z)) is z minus the logarithm of the sum of exp(z). Subtract the row's largest entry from z "
            "first.",
            "log(softmax(z)) 等于 z 减去 exp(z) 之和的对数。先从 z 里减去这一行的最大值。",
        ),
        (
            "The loss is -(target * log_softmax).sum() / N. Its gradient with respect to z is "
            "(softmax − target) / N, times g.",
            "损失是 -(target * log_softmax).sum() / N。它对 z 的梯度是 (softmax − target) / N，再乘以 g。",
        ),
        (
            "z = z - z.max(axis=1, keepdims=True), and in the vjp e = np.exp(z), softmax is e / e.sum(axis=1, "
            "keepdims=True), N is len(z).",
            "z = z - z.max(axis=1, keepdims=True)；在 vjp 里 e = np.exp(z)，softmax 是 e / e.sum(axis=1, "
            "keepdims=True)，"
            "N 是 len(z)。",
        ),
    ],
)
def softmax(cross_entropy: Any, cross_entropy_vjp: Any) -> Verdict:
    """Softmax and cross entropy as one rule, by hand."""
    for case in _RECORDED["cross_entropy"]:
        z, target, weight = (np.asarray((case["leaves"] | case["data"])[name]) for name in ("z", "target", "weight"))
        with np.errstate(all="ignore"):
            found = run(cross_entropy, z.copy(), target)
            slope = run(cross_entropy_vjp, weight, z.copy(), target)
        for what, zh, value, truth in (
            ("cross_entropy", "cross_entropy", found, np.divide(case["value"], weight)),
            ("cross_entropy_vjp", "cross_entropy_vjp", slope, np.asarray(case["grads"]["z"])),
        ):
            if _same(value, truth):
                continue
            why, why_zh = _reason(value, truth, len(z), float(weight))
            return wrong(
                f"{what} at z = {_said(z)}, g = {weight:g}: PyTorch says {_said(truth)}, yours {_said(value)}.{why}",
                f"{zh} 在 z = {_said(z)}、g = {weight:g} 处：PyTorch 是 {_said(truth)}，你的是 {_said(value)}。"
                f"{why_zh}",
            )
    return right(
        "Yes, scores of 1000 included: the gradient is what was predicted minus what was right, divided by the number "
        "of rows.",
        "对，连 1000 这样的得分也没问题：梯度就是预测的概率减去正确答案，再按行数平均。",
    )


def _reason(value: Any, truth: Any, rows: int, weight: float) -> tuple[str, str]:
    """What an answer that is not the truth looks like."""
    if not np.all(np.isfinite(value)):
        return (
            " exp(1000) is inf, and 0 times log 0 is nan: subtract the row's largest entry first, and take the "
            "logarithm of the sum, not that of the quotient.",
            "exp(1000) 是 inf，0 乘 log 0 是 nan：先减去这一行的最大值，取总和的对数，不要取商的对数。",
        )
    if np.shape(value) == np.shape(truth) and np.allclose(value, np.multiply(truth, rows)):
        return (
            f" It is {rows} times too large: a mean over {rows} rows is divided by {rows}.",
            f"正好是应有值的 {rows} 倍：对 {rows} 行求平均，要除以 {rows}。",
        )
    if np.shape(value) == np.shape(truth) and weight != 1 and np.allclose(np.multiply(value, weight), truth):
        return " The gradient that arrives, g, is missing.", "上游传来的 g 没有用上。"
    if _said(value) == _said(truth):
        return (
            " They differ in later digits: is a small number added somewhere?",
            "差在更后面的位数：是不是多加了一个很小的数？",
        )
    return "", ""


_ROWS = {"exp": (np.exp, "a"), "log": (np.log, "a"), "tanh": (np.tanh, "a"), "div": (np.divide, "ab")}


@exercise(
    wants=("RULES, with rows for `exp`, `log`, `tanh` and `div`", "含有 exp、log、tanh、div 四行的 RULES"),
    hints=[
        ("Write down the derivative of each, then multiply by g.", "先写出各自的导数，再乘以 g。"),
        (
            "exp is its own derivative; that of log is 1 / a, of tanh 1 - tanh², and that of a / b with "
            "respect to b is -a / b².",
            "exp 的导数是它自己；log 是 1 / a；tanh 是 1 - tanh²；a / b 对 b 是 -a / b²。",
        ),
        (
            "`div`: lambda g, a, b: g / b for a, and lambda g, a, b: -g * a / b**2 for b.",
            "div：对 a 是 lambda g, a, b: g / b，对 b 是 lambda g, a, b: -g * a / b**2。",
        ),
    ],
)
def rows(RULES: Any) -> Verdict:
    """Four more rules, against difference quotients of the functions they are for."""
    drawn, nudge = np.random.default_rng(7), 1e-6
    for op, (true, names) in _ROWS.items():
        forward, *vjps = _row(RULES, op, len(names))
        signs = np.array([[1, -1, -1], [-1, 1, -1]]) if op != "log" else [1]
        inputs = [sign * drawn.uniform(0.3, 2.0, 3) for sign in signs[: len(names)]]
        g = drawn.uniform(2.0, 3.0, 3)
        if not _same(run(forward, *inputs), true(*inputs)):
            return wrong(
                f"The first entry of the row of {op} does not compute {op} any more: leave it as it was.",
                f"{op} 这一行的第一项，算出来的已经不是 {op} 了：请保持原样。",
            )
        for place, (name, vjp) in enumerate(zip(names, vjps, strict=True)):
            found = run(vjp, g, *inputs)
            up, down = (
                true(*(one + sign * nudge * (place == at) for at, one in enumerate(inputs))) for sign in (1, -1)
            )
            truth = g * (up - down) / (2 * nudge)
            if np.shape(found) != truth.shape or not np.allclose(found, truth, rtol=1e-6):
                missing = np.shape(found) == truth.shape and np.allclose(g * found, truth, rtol=1e-6)
                given = ", ".join(f"{name} = {_said(one)}" for name, one in zip(names, inputs))
                return wrong(
                    f"{op} at {given} with g = {_said(g)}: a nudge of {name} gives {_said(truth)}, your rule "
                    f"{_said(found)}." + (" The gradient that arrives, g, is missing." if missing else ""),
                    f"{op}，{given}，g = {_said(g)}：试探 {name} 得到 {_said(truth)}，你的规则给出 {_said(found)}。"
                    + ("上游传来的 g 没有用上。" if missing else ""),
                )
    return right(
        "Yes: at random points each rule gives the slope that a nudge of the input measures, times g.",
        "对：在随机的点上，每条规则给出的，都等于试探得到的斜率乘以 g。",
    )


_STEPS = [
    (remember, ("apply", "Value")),
    (rules, ("backward", "apply", "Value")),
    (order, ("users_first", "backward", "apply", "Value")),
    (unbroadcast, ("unbroadcast", "backward", "apply", "Value")),
    (matmul, ("RULES", "backward", "apply", "Value")),
    (softmax, ("cross_entropy", "cross_entropy_vjp")),
]


def engine(notebook: dict[str, Any]) -> SimpleNamespace:
    """The learner's engine out of the notebook's names, once all six exercises hold; until then the one in
    `minigrad_lessons.engine`. Says which.
    """
    parts = ("Value", "Node", "AccumulateGrad", "apply", "backward")
    held = sum(step.holds(*(notebook.get(name) for name in names)) for step, names in _STEPS)
    if held == len(_STEPS) and all(name in notebook for name in parts):
        speak("✅", Says("From here on, your engine works.", "从这里开始，用的是你的引擎。"))
        return SimpleNamespace(**{name: notebook[name] for name in parts})
    from minigrad_lessons import engine as ours

    speak(
        "⬜",
        Says(
            f"{held} of {len(_STEPS)} exercises of the engine are solved. Until all are, you see our engine at work "
            "here; afterwards, run this cell again.",
            f"{len(_STEPS)} 道引擎练习里通过了 {held} 道。全部通过之前，这里用的是我们写的引擎；"
            "全部通过之后，请再运行一次这个单元格。",
        ),
    )
    return SimpleNamespace(**{name: getattr(ours, name) for name in parts})
