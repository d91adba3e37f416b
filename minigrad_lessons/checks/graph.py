"""The exercises of lesson 3."""

from __future__ import annotations

import re
from typing import Any

from minigrad_lessons.checks.exercise import Table, Unreadable, Verdict, exercise, right, show, table, wrong

# For each expression over a tracked x: the name of the result's grad_fn.
NAMES = Table("graph.names")


@exercise(
    wants=(
        'the dict with a name for each line, such as "AddBackward0"',
        '一个字典，每一行填一个名字，例如 "AddBackward0"',
    ),
    hints=[
        (
            "Name of the operation, then Backward, then a digit that tells the variants of the operation apart.",
            "先是运算的名字，然后是 Backward，最后的数字区分这种运算的不同变体。",
        ),
        (
            "1 - x is not x - 1: its operation is called rsub, and its digit is another one, too.",
            "1 - x 不是 x - 1：它的运算叫 rsub，末尾的数字也不一样。",
        ),
        ("Run one: print((1 - x).grad_fn.name()).", "运行一个看看：print((1 - x).grad_fn.name())。"),
    ],
)
def names(guesses: Any) -> Verdict:
    """The grad_fn that each expression leaves."""
    if isinstance(guesses, dict):
        guesses = {key: _plain(guess) for key, guess in guesses.items()}
        for key, guess in guesses.items():
            name = NAMES.get(key)
            if name and isinstance(guess, str) and guess != name and guess.lower() == name.lower():
                return wrong(
                    f"For `{key}` you said {show(guess)}. Nearly: capitals and small letters count in a name.",
                    f"`{key}` 你写的是 {show(guess)}。差一点：名字里的大小写也要对上。",
                )
            if guess is not ... and not isinstance(guess, str):
                return wrong(
                    f'For `{key}` you said {show(guess)}. A name is a text in quotes, such as "MulBackward0".',
                    f'`{key}` 你写的是 {show(guess)}。名字是带引号的字符串，例如 "MulBackward0"。',
                )
    return table(
        guesses,
        NAMES,
        why=(
            "The operation gives the name, and the digit its variant: nothing is counted.",
            "名字来自运算，末尾的数字表示是哪个变体，并不计数。",
        ),
    )


def _plain(guess: Any) -> Any:
    """The name of a node, of its class, or of one that is given as it is printed: grad_fn=<AddBackward0>."""
    if hasattr(guess, "next_functions"):
        return getattr(guess, "__name__", type(guess).__name__)
    found = re.findall(r"\w+Backward\d+", guess) if isinstance(guess, str) else []
    return found[0] if len(found) == 1 else guess


@exercise(
    wants=("a node, reached from z.grad_fn", "从 z.grad_fn 走到的一个节点"),
    hints=[
        (
            "next_functions is a tuple of pairs (node, number). Pick a pair, then its node: next_functions[0][0].",
            "next_functions 是由（节点，编号）组成的元组。先选一对，再取其中的节点：next_functions[0][0]。",
        ),
        ("From the addition go to the multiplication first: w sits behind it.", "从加法先走到乘法：w 在乘法的后面。"),
        (
            "Two steps: z.grad_fn, then [0][0] of its next_functions, then once more.",
            "走两步：从 z.grad_fn 出发，取 next_functions 的 [0][0]，再取一次。",
        ),
    ],
)
def walk(node: Any, w: Any) -> Verdict:
    """The AccumulateGrad node that fills w.grad."""
    if node is None:
        return wrong(
            "You gave None, which is not a node. A pair (None, 0) stands for an input that is not tracked, and nothing "
            "leads on: take the other pair. And w.grad_fn is None, because no operation made w: start from z.grad_fn.",
            "你给出的是 None，它不是节点。输入未被追踪时，那一对就是 (None, 0)，这条路径到此为止：请换另一对。"
            "另外，w 不是任何运算的结果，所以 w.grad_fn 也是 None：请从 z.grad_fn 出发。",
        )
    if isinstance(node, tuple):
        return wrong(
            f"You gave a tuple, {show(node)}. A pair holds the node and a number; one more index takes the node out.",
            f"你给出的是元组 {show(node)}。每一对里有节点和一个编号，再取一次下标才拿到节点。",
        )
    if hasattr(node, "variable"):
        if node.variable is w:
            return right(
                "Yes: this node holds w itself, and writes into w.grad.",
                "对：这个节点引用的就是 w 本身，并把梯度写进 w.grad。",
            )
        return wrong(
            f"This AccumulateGrad fills another leaf: its variable is {show(node.variable)}.",
            f"这个 AccumulateGrad 负责的是另一个叶子节点：它的 variable 是 {show(node.variable)}。",
        )
    if hasattr(node, "next_functions"):
        ways = ["None" if way is None else type(way).__name__ for way, _ in node.next_functions]
        return wrong(
            f"You are at {type(node).__name__}. From here you can go on to: {', '.join(ways)}.",
            f"你现在走到了 {type(node).__name__}。从这里还能走到：{'、'.join(ways)}。",
        )
    raise Unreadable(node)


def chain(node: Any) -> str:
    """A graph as text, one node with its inputs in brackets."""
    if node is None:
        return "None"
    if hasattr(node, "variable"):
        return "AccumulateGrad"
    return f"{type(node).__name__}({', '.join(chain(way) for way, _ in node.next_functions)})"


@exercise(
    wants=("a tensor computed from w", "由 w 算出来的张量"),
    hints=[
        ("Read from the inside out: which operation touches w first?", "从里往外读：最先作用在 w 上的是哪种运算？"),
        (
            "The subtraction has None on its right: what was subtracted is not tracked, such as a number.",
            "减法右边是 None：减去的东西未被追踪，比如一个普通的数。",
        ),
        ("Subtract a number, square, take the mean.", "先减去一个数，再平方，最后取平均。"),
    ],
)
def build(tensor: Any, w: Any) -> Verdict:
    """A tensor whose graph is MeanBackward0(PowBackward0(SubBackward0(AccumulateGrad, None)))."""
    wanted = "MeanBackward0(PowBackward0(SubBackward0(AccumulateGrad, None)))"
    node = tensor.grad_fn
    if node is None:
        return wrong(
            f"{show(tensor)} has no grad_fn, so there is no graph behind it. Start from w.",
            f"{show(tensor)} 没有 grad_fn，背后没有计算图。请从 w 开始算。",
        )
    if chain(node) == wanted:
        while not hasattr(node, "variable"):
            node = node.next_functions[0][0]
        if node.variable is not w:
            return wrong(
                f"The nodes are right, but the graph ends at another leaf, {show(node.variable)}. Build it from w.",
                f"结构是对的，但图的尽头是另一个叶子 {show(node.variable)}。请用 w 来构造。",
            )
        return right(
            f"Yes: {wanted}, and the leaf at its end is w. Each operation left its node, the last one in front.",
            f"对：{wanted}，尽头的叶子就是 w。每个运算留下一个节点，最后一个运算在最外层。",
        )
    return wrong(f"Your graph is {chain(node)}; build {wanted}.", f"你的图是 {chain(node)}；要的是 {wanted}。")


# Where w and b are tracked, x is not, and z is w * x + b.
FACTS = Table("graph.facts")


@exercise(
    wants=("True or False for each line", "一个字典，每一行填 True 或 False"),
    hints=[
        ("Run what you are not sure of: everything here was used above.", "拿不准的就跑一跑，用到的东西上面都有。"),
        (
            "Ask of each: which operation left this node, and was anything tracked?",
            "问一问：这个节点是哪个运算留下的？有没有被追踪的输入？",
        ),
        (
            "Print each line: print(z.grad_fn.next_functions), and so on.",
            "逐行打印出来：print(z.grad_fn.next_functions)，等等。",
        ),
    ],
)
def facts(guesses: Any) -> Verdict:
    """Names that are easily mixed up."""
    return table(
        guesses,
        FACTS,
        why=(
            "A node is what an operation leaves: not a counter, not part of a network, not a Function of yours, and "
            "no path leads from it back to itself.",
            "节点是被记录的运算留下的，不属于网络，也不是你写的 Function 的实例；"
            "名字里的数字不计数，箭头也不会绕回出发的节点。",
        ),
    )
