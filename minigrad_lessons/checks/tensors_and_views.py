"""The exercises of lesson 2."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad_lessons.checks.exercise import Table, Verdict, exercise, folded, number, right, run, show, table, wrong


@exercise(
    wants=("one Python number", "一个 Python 数"),
    hints=[
        (
            "Index first: row 4, column 2, counted from 0; or -1 and -1. Then ask that one-element tensor for "
            "its number.",
            "先用下标取出元素：最后一行最后一列的下标是 4 和 2，也可以写 -1。再从这个单元素张量里取出数。",
        ),
        (
            "The method is called item. A method does nothing until it is called.",
            "要用的方法叫 item。方法只有被调用时才会执行。",
        ),
        ("Parentheses call it: item() and not item.", "加上圆括号才是调用：要写 item()，而不是 item。"),
    ],
)
def item(answer: Any, x: Any) -> Verdict:
    """The number in the last row and column of x, as a Python float."""
    wanted = number(x[-1, -1])
    if callable(answer):
        return wrong(
            f"You have the method itself ({show(answer)}): a recipe, not the dish. Call it.",
            f"你拿到的是方法本身（{show(answer)}），好比拿到了菜谱而不是菜。请调用它。",
        )
    if hasattr(answer, "item") and not hasattr(answer, "requires_grad"):
        return wrong("That is a NumPy number, not yet a Python float.", "这是 NumPy 的数，还不是 Python 的 float。")
    if hasattr(answer, "item"):
        return wrong(
            f"You have {show(answer)}, still a tensor: what you compute with it can go on building a graph. "
            "Here we want the plain Python number.",
            f"你拿到的是 {show(answer)}，还是一个张量：用它继续运算，仍可能建立计算图。这里要的是普通的 Python 数。",
        )
    value = number(answer)
    if value == wanted:
        return right(
            f"Yes: {value!r}, a Python float with all its digits. Nothing that is computed with it is recorded.",
            f"对：{value!r}，一个 Python 的 float，所有的数位都在。用它做的运算不会被记录。",
        )
    if abs(value - wanted) < 1e-3:
        return wrong(
            f"You gave {value!r}: that is what print shows, rounded to four places. Take the number from the tensor.",
            f"你给出的是 {value!r}：那是打印时四舍五入到四位的样子。请从张量里取出真正的数。",
        )
    return wrong(
        f"You gave {value!r}, which is not in the last row and column of x. Rows and columns count from 0.",
        f"你给出的是 {value!r}，它不在 x 的最后一行最后一列。行和列都从 0 数起。",
    )


# For each expression: whether a number written into its result is seen in x.
SHARES = Table("tensors_and_views.shares")


@exercise(
    wants=("the dict with True or False for each line", "一个字典，每一行填 True 或 False"),
    hints=[
        (
            "Try one: write 99 into the result, then print x. Has x changed?",
            "动手试一个：往结果里写入 99，再打印 x，看它变了没有。",
        ),
        (
            "A new shape, a transposed walk, a row: all of these can be walks along the same storage. "
            "Arithmetic must put its results somewhere new.",
            "换形状、转置、取一行，都可能只是在同一块存储上换一种走法；而算术运算的结果必须放到新的地方。",
        ),
        (
            "reshape shares the storage when a fixed stride gives the order you asked for; otherwise it copies.",
            "如果用固定的步幅就能按要求的顺序走完存储，reshape 就共享；做不到，它就复制一份。",
        ),
    ],
)
def shares(guesses: Any) -> Verdict:
    """Which results share storage with x."""
    return table(
        guesses,
        SHARES,
        why=(
            "Results that only walk the same numbers in another order share them; clone, arithmetic, and a reshape "
            "for which no fixed stride exists make new ones.",
            "只换一种走法，就共享数据；clone、算术运算，以及固定步幅走不出来的 reshape，都要用新的存储。",
        ),
    )


# For each expression: the dtype of its result.
DTYPES = Table("tensors_and_views.dtypes")


@exercise(
    wants=(
        "the dict with a dtype for each line, such as torch.float32",
        "一个字典，每一行填一个 dtype，例如 torch.float32",
    ),
    hints=[
        (
            "There are three dtypes in play here: torch.int64 (also called torch.long), torch.float32, torch.float64.",
            "这里一共只会出现三种：torch.int64（又名 torch.long）、torch.float32、torch.float64。",
        ),
        (
            "The default for decimal numbers is torch.float32, not Python's 64 bits.",
            "小数的默认类型是 torch.float32，而不是 Python 的 64 位浮点数。",
        ),
        ("Print a line's .dtype, and then ask yourself why.", "把某一行的 .dtype 打印出来，再想一想为什么。"),
    ],
)
def dtypes(guesses: Any) -> Verdict:
    """The dtype that each expression gives."""
    if isinstance(guesses, dict):
        guesses = {key: guess if guess is ... else _dtype(guess) for key, guess in guesses.items()}
    return table(
        guesses,
        DTYPES,
        why=(
            "Integers stay integers until a decimal number or a division comes in; then it is float32, unless you ask "
            "for more.",
            "整数一直是整数，遇到小数或除法才变成浮点数；默认是 float32，要更宽的类型得自己指定。",
        ),
    )


def _dtype(guess: Any) -> str:
    name = folded(str(guess)).rpartition(".")[2].strip("'>")  # of a class of NumPy's, too
    return {"long": "int64", "double": "float64", "float": "float32"}.get(name, name)


@exercise(
    wants=("a function of a tensor that returns a list of floats", "一个以张量为参数的函数，返回浮点数列表"),
    hints=[
        (
            "To read column after column is to read the transpose row after row.",
            "一列一列地读，就是把转置后的张量一行一行地读。",
        ),
        (
            "No single stride leads through all the numbers, so no view can; reshape copies where it must.",
            "一个步幅走不完所有的数，得不到视图；reshape 该复制时就复制。",
        ),
        (
            "tolist() turns all numbers into Python's; item() only a single one.",
            "tolist() 转换全部的数，item() 只能转换一个。",
        ),
    ],
)
def columns(function: Callable[[Any], Any], t: Any) -> Verdict:
    """The numbers of a two-dimensional tensor, column after column, as Python floats."""
    for given in (t, t.t(), t[:, 1:], t[:1]):
        rows = given.tolist()
        wanted = [value for column in zip(*rows) for value in column]
        found = run(function, given)
        if not isinstance(found, list) or not all(isinstance(value, float) for value in found):
            return wrong(
                f"For {rows} you return {show(found)}. A list of Python floats is wanted.",
                f"对 {rows}，你返回的是 {show(found)}。这里要的是 Python 浮点数的列表。",
            )
        if found != wanted:
            return wrong(
                f"For {rows} you return {show(found)}. Its first column is {[row[0] for row in rows]}.",
                f"对 {rows}，你返回的是 {show(found)}。它的第一列是 {[row[0] for row in rows]}。",
            )
    return right(
        "Yes: the columns of a tensor are the rows of its transpose, and where no single stride leads through them, "
        "the numbers are copied.",
        "对：一个张量的列，就是它转置后的行；一个步幅走不下来的时候，就把数复制一份。",
    )
