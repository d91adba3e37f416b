# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] lang="en"
# # 2 · Tensors and views
#
# [English](../en/02_tensors_and_views.ipynb) · [中文](../zh/02_tensors_and_views.ipynb) · [All lessons](00_index.ipynb) · about 20 minutes · path: *understand*
#
# > "Does each of my tensors have its own numbers, or do they share them? How can I tell?"
#
# Two tensors can share the same numbers. Then one is a **view** of the other: fast, useful, and a surprise to everyone once. Here you see where a tensor keeps its numbers, and which operations share them.

# %% [markdown] lang="zh" of="bf7e8b0d"
# # 2 · 张量与视图
#
# [English](../en/02_tensors_and_views.ipynb) · [中文](../zh/02_tensors_and_views.ipynb) · [全部课程](00_index.ipynb) · 约 20 分钟 · 路线：*弄懂原理*
#
# > “两个张量是各有各的数，还是共用一份？怎么看得出来？”
#
# 两个张量可以共用同一批数，这时一个就是另一个的**视图**（view），好比看同一处风景的另一扇窗。这样做又快又实用，但第一次遇到时，谁都会吃一惊。学完这一课，你能看到张量把数存在哪里，也能分清哪些操作共享数据、哪些操作复制数据。

# %% [markdown] lang="en"
# To run this page on PyTorch itself, change the first line to `import torch`.

# %% [markdown] lang="zh" of="8559a529"
# 想在 PyTorch 上运行本课，把第一行改成 `import torch` 即可。

# %%
import minigrad as torch
from minigrad_lessons.checks import tensors_and_views as check
from minigrad_lessons.predict import predict, reveal
from minigrad_lessons.storage import Storage

# %% [markdown] lang="en"
# ## The puzzle
#
# **Predict first:** the next cell writes only into `y`, never into `x`. What is the sum of `x` afterwards?

# %% [markdown] lang="zh" of="c016ef26"
# ## 一个谜题
#
# **先预测：** 下面的代码只往 `y` 里写，后面再没有改过 `x`。运行之后，`x` 的各元素之和是多少？

# %%
predict("sum-of-x", ...)

# %% puzzle covers=[42]
x = torch.zeros(2, 3)
y = x.view(3, 2)

y[0, 1] = 7.0
print(x)
reveal("sum-of-x", x.sum())

# %% [markdown] lang="en"
# `x` has a 7 in it. Keep that in mind; first, how tensors are made.

# %% [markdown] lang="zh" of="fd3573cb"
# `x` 里出现了 7。记住这件事，我们先来看张量是怎样创建的。

# %% [markdown] lang="en"
# ## Making tensors
#
# If you already have the numbers, use `torch.tensor` (small t): it copies them and chooses a **dtype** (number type) to suit them; `double` is `float64`. `torch.Tensor` (capital T) always makes the default dtype, which is `float32`. Dividing integers with `/`, or combining them with a Python float, gives `float32`, too. (minigrad prints `minigrad.int64` for `torch.int64`, `minigrad.Size` for `torch.Size`.)

# %% [markdown] lang="zh" of="2407700d"
# ## 创建张量
#
# 已经有数据时，用 `torch.tensor`（小写 t）：它把数据复制一份，并根据数据推断 dtype（数据类型，例如 `double` 就是 `float64`）。`torch.Tensor`（大写 T）不作推断，一律取默认类型，也就是 `float32`。整数张量用 `/` 相除，或者与 Python 的浮点数一起运算，得到的也是 `float32`。（minigrad 打印的 `minigrad.int64` 就是 `torch.int64`，`minigrad.Size` 就是 `torch.Size`。）

# %% from-numbers covers=[1]
print(torch.tensor([7, 19]).dtype)
print(torch.tensor([7.0, 19]), torch.tensor([7.0, 19]).dtype)
print(torch.Tensor([1, 2]), torch.Tensor([1, 2]).dtype)

# %% [markdown] lang="en"
# If you only know the shape, `rand` fills it with random numbers from 0 to 1, `zeros` with zeros, `empty` with nothing at all. What `empty` shows is whatever happened to be in memory, so never read it before you have written to it.

# %% [markdown] lang="zh" of="f8c7dfcb"
# 只知道形状、还没有数据时：`rand` 用 0 到 1 之间的随机数填充，`zeros` 填零，`empty` 什么也不填。`empty` 里看到的是内存中碰巧留下的东西，写入之前不要去读。

# %% from-shape covers=[1]
print(torch.rand(7, 19).shape, torch.rand(7, 19).dtype)
print(torch.zeros(7, 19, dtype=torch.long).dtype)
print(torch.empty(7, 19).shape, torch.empty(7, 19).dtype)

# %% [markdown] lang="en"
# **Predict first:** `torch.tensor(3)` is the number 3. How many numbers does `torch.Tensor(3)` hold?

# %% [markdown] lang="zh" of="ceceada7"
# **先预测：** `torch.tensor(3)` 是数字 3。`torch.Tensor(3)` 里有几个数？

# %%
predict("capital-t", ...)

# %% capital-t covers=[1]
print(torch.tensor(3).shape)
print(torch.Tensor(3).shape)
reveal("capital-t", torch.Tensor(3).numel())

# %% [markdown] lang="en"
# `torch.tensor(3)` is one number, of shape `torch.Size([])`. `torch.Tensor(3)` reads the 3 as a *shape* and gives you three uninitialised numbers. When in doubt, use the small t.

# %% [markdown] lang="zh" of="32f6285c"
# `torch.tensor(3)` 是一个数，形状为 `torch.Size([])`；而 `torch.Tensor(3)` 把 3 当成**形状**，给你三个未初始化的数。拿不准时，就用小写的 t。

# %% [markdown] lang="en"
# ## Where the numbers live
#
# A tensor is a shape and two more things: a row of numbers in memory, the **storage**, and a rule for moving through it, the **stride**: how many places it is to the next row, and to the next column. Element $(i, j)$ is at place
#
# $$i \cdot \text{stride}_0 + j \cdot \text{stride}_1$$
#
# (counted from where the tensor starts). `x.t()` below is the **transpose**: rows become columns.

# %% [markdown] lang="zh" of="0b6c3514"
# ## 数存在哪里
#
# 除了形状，一个张量还由两样东西组成：内存中的一排数，叫**存储**（storage）；以及在其中移动的规则，叫**步幅**（stride）：到下一行要移动几个位置，到下一列要移动几个位置。元素 $(i, j)$ 的位置是
#
# $$i \cdot \text{stride}_0 + j \cdot \text{stride}_1$$
#
# （从张量的起点数起）。下面的 `x.t()` 是**转置**：行变成列。

# %% strides covers=[42]
x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
y = x.view(3, 2)
t = x.t()

print(x.stride(), y.stride(), t.stride())
print(x.data_ptr() == y.data_ptr() == t.data_ptr())

# %% [markdown] lang="en"
# Three tensors, two shapes, three strides, one address. The blue row is the storage; the small numbers are places in it.
#
# **Move it:** choose a cell, type a number, press *write*, and watch which cells change. (On a static page, find the places with the same small number.)

# %% [markdown] lang="zh" of="53a58842"
# 三个张量，两种形状，三种步幅，同一个地址。画出来就是下面这样：蓝色的一排是存储，每个格子右下角的小数字是位置编号。
#
# **动一动：** 选一个格子，输入一个数，按“写入”，看看哪些格子变了。（如果你看的是静态网页、没有运行内核，就找一找小数字相同的格子。）

# %% storage-picture covers=[42] tags=["moves"]
Storage(x=x, y=y, t=t)

# %% [markdown] lang="en"
# So the puzzle is solved: `view` makes no new numbers. It gives you the same storage with a new stride. That takes almost no time, however large the tensor is.
#
# `-1` in a view means *work this one out for me*:

# %% [markdown] lang="zh" of="2566e679"
# 谜题解开了：`view` 并不产生新的数，只是给同一块存储换一组步幅。不管张量多大，这一步都几乎不花时间。
#
# 在 view 里写 `-1`，意思是“这一维你帮我算”：

# %% minus-one covers=[42]
torch.manual_seed(0)
x = torch.rand(5, 3)
y = x.view(-1, 15)

print(y.shape)
print(y)

# %% [markdown] lang="en"
# The sizes have to divide evenly. Fifteen numbers do not make rows of four:

# %% [markdown] lang="zh" of="198f011d"
# 前提是要能整除。15 个数排不成每行 4 个：

# %% uneven covers=[42] tags=["raises-exception"]
x.view(-1, 4)

# %% [markdown] lang="en"
# ## view or reshape?
#
# Transposing reads the same storage column by column. Is there one fixed stride that visits all 15 numbers in column order? Look at a smaller case, `t` in the picture above: its small numbers run 0, 3, 1, 4, … No fixed stride does that. With 15 numbers it is the same, so `view` raises an error:

# %% [markdown] lang="zh" of="f1b1c20e"
# ## 用 view 还是 reshape？
#
# 转置就是按列读取同一块存储。那么，有没有一个固定的步幅，能按列的顺序走遍这 15 个数？先看一个小一点的例子：上图中 `t` 的小数字依次是 0、3、1、4……，没有哪个固定步幅能得到这个顺序。15 个数也是一样，所以 `view` 会报错：

# %% view-refuses covers=[42] tags=["raises-exception"]
x.t().view(15)

# %% [markdown] lang="en"
# `reshape` gives you what you asked for: a view where that is possible, and a **copy** where it is not. You cannot tell from the name which one you got. To be sure of a copy, add `clone()`: `x.t().reshape(-1).clone()`.

# %% [markdown] lang="zh" of="0d1bded7"
# 只要元素个数对得上，`reshape` 总能给你想要的形状：能用视图就用视图，不能用就**复制**一份。单看名字，分不出这次得到的是视图还是副本。想确保得到副本，就再加上 `clone()`：`x.t().reshape(-1).clone()`。

# %% reshape-copies covers=[42]
x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
shared = x.reshape(6)
copied = x.t().reshape(6)

Storage(x=x, shared=shared, copied=copied)

# %% [markdown] lang="en"
# `torch.from_numpy(array)` and `x.numpy()` share memory, too, in both directions. For a tensor with `requires_grad=True`, `numpy()` raises an error: autograd would not notice a write through the array.

# %% [markdown] lang="zh" of="5c0f9fc0"
# `torch.from_numpy(array)` 和 `x.numpy()` 在 NumPy 数组与张量之间转换，两个方向都共享内存。张量的 `requires_grad=True` 时，`numpy()` 会报错，因为通过数组写入时，自动求导察觉不到。

# %% numpy covers=[42] tags=["raises-exception"]
import numpy as np

array = np.array([1.0, 2.0])
t = torch.from_numpy(array)
t[0] = 7.0  # array and t share their memory | array 和 t 共用内存
print(array, t.dtype)

torch.ones(2, requires_grad=True).numpy()

# %% [markdown] lang="en"
# ### Exercise 1: shared or not?
#
# For each line: if you write a number into the result, does `x` change? Put `True` or `False`.

# %% [markdown] lang="zh" of="f134ce20"
# ### 练习 1：共享还是不共享？
#
# 对下面每一行：如果往结果里写入一个数，`x` 会变吗？填 `True` 或 `False`。

# %% exercise-shares covers=[42] tags=["exercise"]
my_guesses = {
    "x.view(3, 2)": ...,
    "x.t()": ...,
    "x[0]": ...,
    "x.reshape(6)": ...,
    "x.t().reshape(6)": ...,
    "x.clone()": ...,
    "x + 0": ...,
}
check.shares(my_guesses)

# %% tags=["solution"]
my_guesses = {
    "x.view(3, 2)": True,
    "x.t()": True,
    "x[0]": True,
    "x.reshape(6)": True,
    "x.t().reshape(6)": False,
    "x.clone()": False,
    "x + 0": False,
}
check.shares(my_guesses)

# %% tags=["wrong"]
check.shares({**check.SHARES, "x.t().reshape(6)": True})

# %% tags=["wrong"]
check.shares(
    dict.fromkeys(["x.view(3, 2)", "x.t()", "x[0]", "x.reshape(6)", "x.t().reshape(6)", "x.clone()", "x + 0"], True)
)

# %% tags=["wrong"]
check.shares(
    dict.fromkeys(["x.view(3, 2)", "x.t()", "x[0]", "x.reshape(6)", "x.t().reshape(6)", "x.clone()", "x + 0"], False)
)

# %% tags=["wrong"]
check.shares(True)

# %% [markdown] lang="en"
# ## The underscore
#
# Most people think that a method ending in `_` replaces the variable with its result. **Predict first:** `x` is a tensor of zeros, and `also_x` a second name for it. What is `also_x[0]` after `x = x + 1`? And, starting afresh, after `x.add_(1)`?

# %% [markdown] lang="zh" of="621e5c0b"
# ## 下划线
#
# 很多人以为，以 `_` 结尾的方法会用结果替换原变量。**先预测：** `x` 是一个全 0 的张量，`also_x` 是同一个张量的另一个变量名。运行 `x = x + 1` 之后，`also_x[0]` 是几？如果从头再来，运行的是 `x.add_(1)` 呢？

# %%
predict("plus-one", ...)
predict("add-one", ...)

# %% new-tensor covers=[41]
x = torch.zeros(2)
also_x = x
x = x + 1

print(x, also_x)
reveal("plus-one", also_x[0])

# %% in-place covers=[41]
x = torch.zeros(2)
also_x = x
x.add_(1)

print(x, also_x)
reveal("add-one", also_x[0])

# %% [markdown] lang="en"
# A variable is only a **reference** to a tensor. `x + 1` makes a new tensor, and `x =` makes the variable refer to it; the old tensor is unchanged. `x.add_(1)` writes into the tensor itself, so every variable that refers to it (or to a view of it) shows the change. It returns the same tensor, not a copy:

# %% [markdown] lang="zh" of="fd667336"
# 变量只是对张量的**引用**（reference）。`x + 1` 产生一个新张量，`x =` 让变量改为引用新张量，旧张量不变。`x.add_(1)` 则直接写进张量本身，所以凡是引用这个张量（或它的视图）的变量，都会看到变化。这类方法返回的都是原来那个张量，不是副本：

# %% returns-itself covers=[41]
x = torch.zeros(2)
y = torch.ones(2)

print(x.copy_(y) is x)
print(x)

# %% [markdown] lang="en"
# ## One number out
#
# `item()` takes a one-element tensor and gives you a plain Python number. It carries no history: whatever you compute from it, no gradient gets back to the tensor.
#
# **Predict first:** many write it without parentheses. For a matrix `y`, what is `y[0, 1].item`?

# %% [markdown] lang="zh" of="247a6ad4"
# ## 取出一个数
#
# `item()` 把只有一个元素的张量变成普通的 Python 数。这个数不带计算历史：用它接着算，梯度传不回原来的张量。
#
# **先预测：** 很多人会漏写圆括号。`y` 是矩阵时，`y[0, 1].item` 是一个数（a number）、一个方法（a method），还是会报错（an error）？

# %%
predict("no-parentheses", ..., options=["a number", "a method", "an error"])

# %% no-parentheses covers=[43]
torch.manual_seed(0)
x = torch.rand(5, 3)
y = x.view(-1, 15)

print(y[0, 1].item)
reveal("no-parentheses", "a method" if callable(y[0, 1].item) else "a number")

# %% [markdown] lang="en"
# Without `()` you get the method itself. Call it:

# %% [markdown] lang="zh" of="c78dd1fd"
# 不加 `()`，得到的是方法本身。要加上圆括号来调用它：

# %% with-parentheses covers=[43]
print(y[0, 1].item())

# %% [markdown] lang="en"
# More digits than `print` showed: printing rounds to four decimal places, the tensor does not. And a `float32` cannot hold 0.1 exactly; turned into a Python number, it shows what was really stored:

# %% [markdown] lang="zh" of="fa3f4fc3"
# 位数比直接 `print` 张量时多：打印张量时只四舍五入到四位小数，张量里存的数并没有舍入。另外，`float32` 存不下精确的 0.1；转换成 Python 的数以后，就能看到实际存储的值：

# %% tenth covers=[26]
print(torch.tensor(0.1))
print(torch.tensor(0.1).item())

# %% [markdown] lang="en"
# With more than one element there is no single number to give:

# %% [markdown] lang="zh" of="d09fd785"
# 元素不止一个时，无法转换成单个的数：

# %% two-elements covers=[26] tags=["raises-exception"]
torch.tensor([1.0, 2.0]).item()

# %% [markdown] lang="en"
# ### Exercise 2: take one number out
#
# Take the last number of `x` above (row 4, column 2, counting from 0) as a Python `float`.

# %% [markdown] lang="zh" of="516e73c9"
# ### 练习 2：取出一个数
#
# 从上面的 `x` 里取出最后一行最后一列的数，转换成 Python 的 `float`。

# %% exercise-item covers=[26, 43] tags=["exercise"]
my_number = ...
check.item(my_number, x)

# %% tags=["solution"]
my_number = x[-1, -1].item()
check.item(my_number, x)

# %% tags=["wrong"]
check.item(x[-1, -1].item, x)

# %% tags=["wrong"]
check.item(x[-1, -1], x)

# %% tags=["wrong"]
check.item(0.2939, x)

# %% tags=["wrong"]
check.item(x[0, 0].item(), x)

# %% tags=["wrong"]
check.item("0.76", x)


# %% tags=["wrong"]
check.item(x.numpy()[-1, -1], x)

# %% [markdown] lang="en"
# ### Exercise 3: which dtype?
#
# For each line write the dtype of the result, such as `torch.float32`. Decide first, then check.

# %% [markdown] lang="zh" of="e4c79504"
# ### 练习 3：是哪种 dtype？
#
# 对下面每一行，写出结果的 dtype，例如 `torch.float32`。先自己判断，再检查。

# %% exercise-dtypes covers=[1] tags=["exercise"]
my_dtypes = {
    "torch.tensor([1, 2])": ...,
    "torch.Tensor([1, 2])": ...,
    "torch.tensor([1, 2]) / 2": ...,
    "torch.tensor([1, 2]) + 1": ...,
    "torch.zeros(2, dtype=torch.long) * 0.5": ...,
    "torch.ones(2, dtype=torch.double)": ...,
}
check.dtypes(my_dtypes)

# %% tags=["solution"]
my_dtypes = {
    "torch.tensor([1, 2])": torch.int64,
    "torch.Tensor([1, 2])": torch.float32,
    "torch.tensor([1, 2]) / 2": torch.float32,
    "torch.tensor([1, 2]) + 1": torch.long,
    "torch.zeros(2, dtype=torch.long) * 0.5": torch.float32,
    "torch.ones(2, dtype=torch.double)": torch.double,
}
check.dtypes(my_dtypes)

# %% tags=["wrong"]
check.dtypes(dict.fromkeys(check.DTYPES, torch.float32))

# %% tags=["wrong"]
my_dtypes = {
    "torch.tensor([1, 2])": torch.float32,
    "torch.Tensor([1, 2])": torch.float32,
    "torch.tensor([1, 2]) / 2": torch.float32,
    "torch.tensor([1, 2]) + 1": torch.long,
    "torch.zeros(2, dtype=torch.long) * 0.5": torch.float32,
    "torch.ones(2, dtype=torch.double)": torch.double,
}
check.dtypes(my_dtypes)

# %% tags=["wrong"]
my_dtypes = {
    "torch.tensor([1, 2])": torch.int64,
    "torch.Tensor([1, 2])": torch.int64,
    "torch.tensor([1, 2]) / 2": torch.int64,
    "torch.tensor([1, 2]) + 1": torch.int64,
    "torch.zeros(2, dtype=torch.long) * 0.5": torch.int64,
    "torch.ones(2, dtype=torch.double)": torch.double,
}
check.dtypes(my_dtypes)

# %% tags=["wrong"]
my_dtypes = {
    "torch.tensor([1, 2])": torch.int64,
    "torch.Tensor([1, 2])": torch.float32,
    "torch.tensor([1, 2]) / 2": torch.float64,
    "torch.tensor([1, 2]) + 1": torch.int64,
    "torch.zeros(2, dtype=torch.long) * 0.5": torch.float64,
    "torch.ones(2, dtype=torch.double)": torch.double,
}
check.dtypes(my_dtypes)

# %% [markdown] lang="en"
# ### Exercise 4: column by column
#
# Write `columns(t)`: the numbers of a two-dimensional tensor as a list of Python floats, column after column. `t` may be a transposed one. (Try `t.t().view(-1)` first, and read what it says.)

# %% [markdown] lang="zh" of="a483a4f0"
# ### 练习 4：一列一列地读
#
# 写出 `columns(t)`：把二维张量里的数一列一列地读出来，返回一个列表，元素都是 Python 浮点数。`t` 本身也可能是转置得来的。（不妨先试试 `t.t().view(-1)`，读一读报错。）


# %% exercise-columns covers=[26, 42] tags=["exercise"]
def columns(t):
    return ...


check.columns(columns, torch.tensor([[1.5, 2.0, 3.0], [4.0, 5.0, 6.5]]))


# %% tags=["solution"]
def columns(t):
    return t.t().reshape(-1).tolist()


check.columns(columns, torch.tensor([[1.5, 2.0, 3.0], [4.0, 5.0, 6.5]]))


# %% tags=["solution"]
def columns(t):
    found = []
    for j in range(t.shape[1]):
        for i in range(t.shape[0]):
            found.append(t[i, j].item())
    return found


check.columns(columns, torch.tensor([[1.5, 2.0, 3.0], [4.0, 5.0, 6.5]]))


# %% tags=["solution"]
def columns(t):
    return t.t().contiguous().view(-1).tolist()


check.columns(columns, torch.tensor([[1.5, 2.0, 3.0], [4.0, 5.0, 6.5]]))


# %% tags=["wrong"]
def columns(t):
    return t.t().view(-1).tolist()


check.columns(columns, torch.tensor([[1.5, 2.0, 3.0], [4.0, 5.0, 6.5]]))


# %% tags=["wrong"]
def columns(t):
    return t.reshape(-1).tolist()


check.columns(columns, torch.tensor([[1.5, 2.0, 3.0], [4.0, 5.0, 6.5]]))


# %% tags=["wrong"]
def columns(t):
    return [column.item() for column in t.t()]


check.columns(columns, torch.tensor([[1.5, 2.0, 3.0], [4.0, 5.0, 6.5]]))


# %% tags=["wrong"]
def columns(t):
    return [value for column in t.t() for value in column]


check.columns(columns, torch.tensor([[1.5, 2.0, 3.0], [4.0, 5.0, 6.5]]))


# %% tags=["wrong"]
def columns(t):
    return [1.5, 4.0, 2.0, 5.0, 3.0, 6.5]


check.columns(columns, torch.tensor([[1.5, 2.0, 3.0], [4.0, 5.0, 6.5]]))

# %% [markdown] lang="en"
# ## What you know now
#
# - A tensor is a shape, a storage, and a stride to move through it. `view`, `t()` and indexing with integers and slices share the storage; arithmetic and `clone()` make a new one; `reshape` shares if it can.
# - Methods such as `add_` write into the tensor. Every tensor that shares its storage shows the change. ([Lesson 11](11_in_place.ipynb) shows how autograd deals with that.)
# - `item()`, with parentheses, turns one element into a Python number.
# - `torch.tensor` chooses a dtype that suits your numbers, `torch.Tensor` always makes the default dtype, `float32`.
#
# **Next:** computed from a tracked tensor, a result prints `grad_fn=<AddBackward0>`. What is that, and what does the 0 count? [Lesson 3](03_the_graph.ipynb) · [All lessons](00_index.ipynb)

# %% [markdown] lang="zh" of="994feef6"
# ## 小结
#
# - 张量 = 存储 + 形状 + 步幅。`view`、`t()` 以及用整数或切片作下标，都共享存储；算术运算和 `clone()` 用新的存储；`reshape` 能共享就共享。
# - `add_` 这类方法直接写进张量，共享这块存储的张量都会跟着变。（自动求导怎样处理这种写法，见[第 11 课](11_in_place.ipynb)。）
# - 带圆括号的 `item()` 把单个元素转换成 Python 的数。
# - `torch.tensor` 根据数据推断 dtype，`torch.Tensor` 一律取默认类型，也就是 `float32`。
#
# **下一课：** 打印由被追踪的张量算出的结果，会看到 `grad_fn=<AddBackward0>`。这是什么？0 又在数什么？[第 3 课](03_the_graph.ipynb) · [全部课程](00_index.ipynb)
