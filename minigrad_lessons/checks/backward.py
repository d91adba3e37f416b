"""The exercises of lesson 5."""

from __future__ import annotations

from typing import Any

from minigrad_lessons.checks.exercise import (
    Unreadable,
    Verdict,
    choose,
    close,
    exercise,
    number,
    parts,
    right,
    show,
    wrong,
)


@exercise(
    wants=("a list of the names, such as ['y', 'a', 'b', 'c']", "由名字组成的列表，例如 ['y', 'a', 'b', 'c']"),
    hints=[
        ("The output goes first: it waits for no gradient.", "最先运行的是输出：它不需要等任何梯度。"),
        (
            "For each node write down who uses its result. It may run when all of these have run.",
            "对每个节点，写下谁用到了它的结果。这些都运行过了，它才能运行。",
        ),
        ("a is used by b and by c, so it comes after both.", "a 被 b 和 c 用到，所以排在它们两个之后。"),
    ],
)
def order(names: Any, nodes: Any) -> Verdict:
    """An order in which the nodes may run: each after everything that uses it."""
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
        raise Unreadable(names)
    names = [choose(name, list(nodes)) for name in names]
    if sorted(names) != sorted(nodes):
        return wrong(
            f"You gave {show(names)}; each of {', '.join(nodes)} should be in it once.",
            f"你给出的是 {show(names)}；{'、'.join(nodes)} 每个都要出现一次。",
        )
    place = {name: number for number, name in enumerate(names)}
    for user, node in nodes.items():
        for way, _ in node.next_functions:
            for name, other in nodes.items():
                if other is way and place[name] < place[user]:
                    return wrong(
                        f"In your order `{name}` runs before `{user}`. But `{user}` still has a gradient for `{name}`: "
                        f"`{name}` would send on a sum that is not complete.",
                        f"在你的顺序里，`{name}` 先于 `{user}` 运行。而 `{user}` 用到了 `{name}`，还要给它传一份梯度："
                        f"`{name}` 会把一个不完整的和传下去。",
                    )
    return right(
        "Yes: every node runs when its sum is complete, after everything that uses its result.",
        "对：每个节点都在用到它结果的节点之后运行，这时梯度之和已经完整。",
    )


@exercise(
    wants=("one number", "一个数"),
    hints=[
        ("Find every path from y to x. There are three.", "找出从 y 到 x 的每一条路径，一共三条。"),
        (
            "Along one path multiply the local derivatives. At y = a*b, the path through a has the factor b, and the "
            "other one a.",
            "沿着一条路径，把各步的局部导数乘起来。在 y = a*b 处，往 a 去要乘 b，往 b 去要乘 a。",
        ),
        ("Then add up the paths.", "最后把各条路径的结果相加。"),
    ],
)
def paths(answer: Any) -> Verdict:
    """dy/dx for x = 2, a = 3*x, b = a + x + 1, y = a*b."""
    guess = number(answer)  # somebody may have measured it
    x = 2.0
    a, b = 3 * x, 4 * x + 1
    ways = {"y → a → x": b * 3, "y → b → a → x": a * 1 * 3, "y → b → x": a * 1}
    truth = sum(ways.values())
    if close(guess, truth):
        return right(
            f"Yes: {' + '.join(f'{value:g}' for value in ways.values())} = {truth:g}, one term for each path.",
            f"对：{' + '.join(f'{value:g}' for value in ways.values())} = {truth:g}，每条路径贡献一项。",
        )
    for way, value in ways.items():
        if close(guess, truth - value):
            return wrong(
                f"You answered {guess:g}. One path is missing: {way}.",
                f"你的答案是 {guess:g}。漏了一条路径：{way}。",
            )
        if close(guess, value):
            return wrong(
                f"You answered {guess:g}. That is the path {way} alone; there are others.",
                f"你的答案是 {guess:g}。这只是 {way} 这一条路径，还有别的路径。",
            )
    low, high = (3 * at * (4 * at + 1) for at in (1.99, 2.01))  # to both sides: what bends the curve cancels out
    said, change = f"{guess * 0.02:g}", f"{high - low:.4g}"
    return wrong(
        f"You answered {guess:g}. Then x: 1.99 → 2.01 would change y by about {said}, not by {change}.",
        f"你的答案是 {guess:g}。照此，x 从 1.99 变到 2.01 时，y 应当变化约 {said}，实际却变化了 {change}。",
    )


@exercise(
    wants=("two whole numbers (paths, nodes)", "两个整数（路径的条数，节点的个数）"),
    hints=[
        ("Draw it for three doublings and count.", "先画出翻倍三次的图，数一数。"),
        (
            "Each doubling u + u points twice at the one before: what does that do to the number of paths?",
            "每次 u + u 都有两条箭头指向上一个：路径的条数会怎么变？",
        ),
        ("The paths double each time. The nodes grow by one each time.", "路径的条数每次翻倍，节点每次只多一个。"),
    ],
)
def doublings(answer: Any, count: Any = 10) -> Verdict:
    """How many paths and how many AddBackward0 nodes `count` doublings give."""
    found, wanted = [number(part) for part in parts(answer, 2)], [2**count, count]
    if found == wanted:
        return right(
            f"Yes: {wanted[0]} paths, and the engine visits {wanted[1]} nodes.",
            f"对：有 {wanted[0]} 条路径，而引擎只访问 {wanted[1]} 个节点。",
        )
    if found == wanted[::-1]:
        return wrong("The two numbers are the other way round.", "两个数的位置反了。")
    small = "one doubling: 2 paths, 1 node; two doublings: 4 paths, 2 nodes"
    small_zh = "翻倍一次，有 2 条路径、1 个节点；翻倍两次，有 4 条路径、2 个节点"
    which, which_zh = ("nodes", "节点的个数") if found[0] == wanted[0] else ("paths", "路径的条数")
    return wrong(
        f"You answered {show(tuple(answer))}. The {which} are not right yet. Start small: {small}.",
        f"你的答案是 {show(tuple(answer))}。{which_zh}还不对。从小的数起：{small_zh}。",
    )
