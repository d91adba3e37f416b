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
# # 7 · Vectors and Jacobians
#
# [English](../en/07_jacobians.ipynb) · [中文](../zh/07_jacobians.ipynb) · [All lessons](00_index.ipynb) · about 25 minutes
#
# > "*grad can be implicitly created only for scalar outputs.* But my output is a vector! Can it not be differentiated?"
#
# By the end of this page you know what `backward(v)` computes, what `v` means, and why a plain `backward()` is only a special case of it.

# %% [markdown] lang="zh" of="aa1d3f65"
# # 7 · 雅可比矩阵
#
# [English](../en/07_jacobians.ipynb) · [中文](../zh/07_jacobians.ipynb) · [全部课程](00_index.ipynb) · 约 25 分钟
#
# > “*grad can be implicitly created only for scalar outputs.* 可我的输出是个向量！难道就不能求导了？”
#
# 学完这一课，你会知道 `backward(v)` 算的是什么，`v` 又是什么意思，以及为什么不带参数的 `backward()` 只是它的一个特例。

# %% [markdown] lang="en"
# To run this page on PyTorch itself, change the first line to `import torch`.

# %% [markdown] lang="zh" of="8559a529"
# 想在 PyTorch 上运行本课，把第一行改成 `import torch` 即可。

# %%
import minigrad as torch
import viz
from minigrad_lessons.checks import jacobians as check
from minigrad_lessons.jacobian import Jacobian

# %% [markdown] lang="en"
# ## The error, and the notes' way round it
#
# $$y_i = 3\,(x_i + 2)^2$$
#
# Four numbers in, four numbers out. `backward()` refuses:

# %% [markdown] lang="zh" of="b8a632d5"
# ## 这个报错，以及笔记的绕法
#
# $$y_i = 3\,(x_i + 2)^2$$
#
# 四个数进，四个数出。`backward()` 不肯：

# %% not-a-scalar covers=[51] tags=["raises-exception"]
x = torch.tensor([[2.0, 4.0], [3.0, 5.0]], requires_grad=True)
y = 3 * (x + 2) ** 2
y.backward()

# %% [markdown] lang="en"
# The notes take the mean first, and one number comes out:
#
# $$l = \frac{1}{4} \sum_i y_i \qquad \frac{\partial l}{\partial x_i} = \frac{3}{2}\,(x_i + 2)$$
#
# (They write $l = \frac{1}{4} y$; the $\sum$ got lost. **Predict first:** without it, how many numbers is `y / 4`?)

# %% [markdown] lang="zh" of="2fbecb19"
# 笔记先取平均值，于是只剩一个数：
#
# $$l = \frac{1}{4} \sum_i y_i \qquad \frac{\partial l}{\partial x_i} = \frac{3}{2}\,(x_i + 2)$$
#
# （笔记里写成了 $l = \frac{1}{4} y$，漏了 $\sum$。**先预测：** 没有它，`y / 4` 是几个数？）

# %% quarter covers=[50]
print(y / 4)
print((y / 4).sum())

# %% [markdown] lang="en"
# Four numbers, as many as before; only their sum is the mean:

# %% [markdown] lang="zh" of="28c3cbe9"
# 还是四个数，把它们加起来才是平均值：

# %% mean covers=[50]
l = y.mean()
print(l)

l.backward()
print(x.grad)

# %%
viz.draw(l)

# %% [markdown] lang="en"
# "So only a scalar can be differentiated", the notes conclude. **Predict first:** here is `y` itself once more, four numbers, with a quarter for each. What will `x.grad` be?

# %% [markdown] lang="zh" of="322ccf08"
# 笔记由此得出结论：“求导只能是标量对标量，或者标量对向量/矩阵求导”。**先预测：** 下面还是 `y` 本身，四个数，每个数的权重是四分之一。`x.grad` 会是什么？

# %% no-scalar covers=[51]
x.grad = None
y = 3 * (x + 2) ** 2
y.backward(torch.full_like(y, 0.25))

print(x.grad)

# %% [markdown] lang="en"
# The very same gradient, and no scalar anywhere. What did the quarters do?

# %% [markdown] lang="zh" of="6a17277a"
# 一模一样的梯度，而全程没有标量。这些四分之一起了什么作用？

# %% [markdown] lang="en"
# ## What v means
#
# Think of some $l$ computed from $y$, whichever you like. All that backward needs to know about it is how much $l$ changes with each $y_i$: that is $v_i = \partial l / \partial y_i$. For the mean of four numbers each is $\frac{1}{4}$. The chain rule does the rest:
#
# $$\frac{\partial l}{\partial x_j} = \sum_i v_i\,\frac{\partial y_i}{\partial x_j}$$
#
# The table of all $J_{ij} = \partial y_i / \partial x_j$ is the **Jacobian**, a row for each output, a column for each input. The sum above is its transpose times $v$:
#
# $$\nabla_x\, l = J^\mathsf{T} v$$
#
# In words: the gradient *of* $l$ *with respect to* $x$. (The notes have it the other way round.) Such a product is called a **vector–Jacobian product**, VJP for short. A scalar is the case of one row, with $v = 1$; that one is filled in for you.

# %% [markdown] lang="zh" of="9ef615ba"
# ## v 是什么意思
#
# 设想由 $y$ 算出某个 $l$，随便什么都行。反向传播只需要知道 $l$ 随每个 $y_i$ 变化多少，也就是 $v_i = \partial l / \partial y_i$。对四个数的平均值，每个都是 $\frac{1}{4}$。其余的交给链式法则：
#
# $$\frac{\partial l}{\partial x_j} = \sum_i v_i\,\frac{\partial y_i}{\partial x_j}$$
#
# 所有 $J_{ij} = \partial y_i / \partial x_j$ 排成的表就是**雅可比矩阵**：每个输出占一行，每个输入占一列。上面的和式，就是它的转置乘以 $v$：
#
# $$\nabla_x\, l = J^\mathsf{T} v$$
#
# 用文字表达，这是 $l$ **对** $x$ **的**梯度。（笔记里把两者说反了。）这样的乘积叫**向量-雅可比积**（vector–Jacobian product，简称 VJP）。标量就是只有一行、$v = 1$ 的情形，这个 1 已经替你填好了。

# %% [markdown] lang="en"
# (The notes have a picture of this table, but the file was lost on the way. And in their formulas they write `\part` for the sign $\partial$: some editors know it, standard TeX does not. There it is `\partial`.)
#
# **Move it:** a function with two inputs and three outputs. Slide the three weights. Set one to 1 and the others to 0: which row do you get? (On a page that is not running: multiply each column by `v`, add, and compare with the last row.)

# %% [markdown] lang="zh" of="62e1cdd8"
# （笔记里本来有一张这样的表，可惜图片丢失了。另外，笔记的公式里用 `\part` 来写 $\partial$：有些编辑器认得它，标准的 TeX 却不认，应当写成 `\partial`。）
#
# **动一动：** 下面的函数有两个输入、三个输出。拖动三个权重。把其中一个设为 1、其余设为 0，得到的是哪一行？（如果这一页没有在运行，就把每一列与 `v` 对应相乘再相加，和最下面一行对比。）


# %% jacobian covers=[49, 52] tags=["moves"]
def f(x):
    return torch.stack([x[0] ** 2, x[0] * x[1], 3 * x[1]])


Jacobian(f, x=torch.tensor([2.0, 5.0]), v=torch.tensor([1.0, 1.0, -1.0]))

# %% [markdown] lang="en"
# `backward` never builds this table. For a million inputs and a million outputs it would take four terabytes; `backward(v)` walks the graph once and gives $J^\mathsf{T} v$ directly. (Where you do want all of it, `torch.autograd.functional.jacobian` builds it.)
#
# For the notes' function each $y_i$ depends on its own $x_i$ only. So the table has numbers on the diagonal and zeros everywhere else; the notes, which write $\partial y_i / \partial x_i$ with the same index twice, have the diagonal alone. Here it is one row at a time, for a flat `x` and with the quarter multiplied in ($\frac{1}{4} \cdot 3 = 0.75$), so that you meet the same four numbers:

# %% [markdown] lang="zh" of="8b2e0108"
# `backward` 从不真的建这个矩阵。一百万个输入、一百万个输出时，它要占 4 TB；`backward(v)` 只沿着计算图走一遍，直接给出 $J^\mathsf{T} v$。（真的需要整个矩阵时，可以用 `torch.autograd.functional.jacobian` 求出来。）
#
# 笔记里的函数，每个 $y_i$ 只依赖自己的 $x_i$。所以表里只有对角线上有数，其余全是 0；笔记写的 $\partial y_i / \partial x_i$ 两个下标相同，只是这条对角线。下面把 `x` 排成一行，把四分之一也乘进去（$\frac{1}{4} \cdot 3 = 0.75$），一次取一行，得到的还是那四个数：

# %% diagonal covers=[48]
for i in range(4):
    x = torch.tensor([2.0, 4.0, 3.0, 5.0], requires_grad=True)
    y = 0.75 * (x + 2) ** 2
    v = torch.zeros(4)
    v[i] = 1.0
    y.backward(v)
    print(x.grad)

# %% [markdown] lang="en"
# ### Exercise 1: one row
#
# Write a function that gives row `i` of the Jacobian of any `f` at `x`, by one backward.

# %% [markdown] lang="zh" of="d9ca6c81"
# ### 练习 1：取出一行
#
# 写一个函数：对任意的 `f`，只反向一次，给出它在 `x` 处雅可比矩阵的第 `i` 行。


# %% exercise-row covers=[48, 49] tags=["exercise"]
def my_row(f, x, i):
    x = x.detach().clone().requires_grad_()
    y = f(x)
    return ...


check.row(my_row, torch.tensor([1.0, 2.0, 4.0]))


# %% tags=["solution"]
def my_row(f, x, i):
    x = x.detach().clone().requires_grad_()
    y = f(x)
    v = torch.zeros_like(y)
    v[i] = 1.0
    y.backward(v)
    return x.grad


check.row(my_row, torch.tensor([1.0, 2.0, 4.0]))


# %% tags=["solution"]
def my_row(f, x, i):
    x = x.detach().clone().requires_grad_()
    f(x)[i].backward()
    return x.grad


check.row(my_row, torch.tensor([1.0, 2.0, 4.0]))


# %% tags=["wrong"]
def my_row(f, x, i):
    x = x.detach().clone().requires_grad_()
    f(x).sum().backward()
    return x.grad


check.row(my_row, torch.tensor([1.0, 2.0, 4.0]))


# %% tags=["wrong"]
def my_row(f, x, i):
    x = x.detach().clone().requires_grad_()
    return f(x)[i]


check.row(my_row, torch.tensor([1.0, 2.0, 4.0]))


# %% tags=["wrong"]
def my_row(f, x, i):
    x = x.detach().clone().requires_grad_()
    f(x)[i].backward()


check.row(my_row, torch.tensor([1.0, 2.0, 4.0]))

# %% tags=["wrong"]
check.row([1.0, 0.0], torch.tensor([1.0, 2.0, 4.0]))

# %% [markdown] lang="en"
# ### Exercise 2: differentiate without a scalar
#
# For the notes' `y` of shape (2, 2): which `v` makes `y.backward(v)` give the gradient of $l = 2\,y_{00} - y_{11}$?

# %% [markdown] lang="zh" of="ee65168a"
# ### 练习 2：不用标量也能求导
#
# 对笔记里形状为 (2, 2) 的 `y`：`v` 取什么，`y.backward(v)` 就会给出 $l = 2\,y_{00} - y_{11}$ 的梯度？

# %% exercise-weights covers=[49, 51] tags=["exercise"]
my_v = ...
check.weights(my_v)

# %% tags=["solution"]
my_v = torch.tensor([[2.0, 0.0], [0.0, -1.0]])
check.weights(my_v)

# %% tags=["wrong"]
check.weights(torch.ones(2, 2))

# %% tags=["wrong"]
check.weights(torch.tensor([2.0, 0.0, 0.0, -1.0]))

# %% tags=["wrong"]
check.weights(torch.tensor([[2.0, 0.0], [0.0, 1.0]]))

# %% tags=["wrong"]
check.weights([[2.0, 0.0], [0.0, -1.0]])

# %% [markdown] lang="en"
# ## The shape of v
#
# The notes ask for a `v` "of equal width". It must have the exact **shape** of the output. Nothing is stretched to fit:

# %% [markdown] lang="zh" of="71efd9a6"
# ## v 的形状
#
# 笔记说要传入“等宽”的张量。准确地说，`v` 的**形状**必须和输出完全一样，不会自动拉伸：

# %% wrong-shape covers=[7] tags=["raises-exception"]
x = torch.ones(3, requires_grad=True)
y = x * 2
y.backward(torch.ones(2))

# %% [markdown] lang="en"
# And "a scalar" means *one element*, in any shape:

# %% [markdown] lang="zh" of="b25c9544"
# 而所谓“标量”，是指**只有一个元素**，什么形状都行：

# %% one-element covers=[7]
x = torch.ones(1, 1, requires_grad=True)
y = x * 2
y.backward()

print(y.shape, x.grad)

# %% [markdown] lang="en"
# Now the notes' own `v`. They do not say what `y` was; in the tutorial they follow, `x` is doubled until it is long enough. **Predict first:** one doubling happens before the loop and eight in it. How large is each entry of `x.grad`?

# %% [markdown] lang="zh" of="a7c7da3d"
# 现在来看笔记里的那个 `v`。笔记没有交代 `y` 是什么；在它参考的教程里，是把 `x` 不断翻倍，直到它的模（norm）足够大。**先预测：** 循环之前翻倍一次，循环里又翻倍八次，`x.grad` 的每个元素有多大？

# %% doubled covers=[8]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
while y.detach().norm() < 1000:
    y = y * 2

v = torch.tensor([0.1, 1.0, 0.0001])
y.backward(v)

print(y)
print(x.grad)

# %% [markdown] lang="en"
# $y = 512\,x$, so $J$ is 512 on the diagonal, and $J^\mathsf{T} v$ is $512\,v$.

# %% [markdown] lang="zh" of="b1540da0"
# $y = 512\,x$，所以 $J$ 的对角线上都是 512，$J^\mathsf{T} v$ 就是 $512\,v$。

# %% [markdown] lang="en"
# ## Broadcasting, backwards
#
# Here `x` has three entries and is added to four rows: it is used four times over. **Predict first:** what is its gradient, and what is the gradient's shape?

# %% [markdown] lang="zh" of="a5745bcf"
# ## 广播的反向
#
# 下面的 `x` 只有三个元素，却被加到四行上，等于用了四遍。**先预测：** 它的梯度是多少？梯度是什么形状？

# %% broadcast covers=[55]
x = torch.ones(3, requires_grad=True)
y = x + torch.zeros(4, 3)
total = y.sum()
total.backward()

print(x.grad)

# %%
viz.draw(total)

# %% [markdown] lang="en"
# Broadcasting forward is *copying*; copying backward is *adding up*. Every copy sends back 1, four of them make 4. And the gradient has the shape of `x`, as a gradient always has.

# %% [markdown] lang="zh" of="9a2d318f"
# 广播在前向是**复制**，复制的反向就是**相加**。每一份传回 1，四份就是 4。梯度的形状和 `x` 一样，梯度总是如此。

# %% [markdown] lang="en"
# ### Exercise 3: the gradient of broadcasting
#
# `b` has shape (2, 1) and the total is `(2 * b + torch.zeros(2, 5)).sum()`. What is `b.grad`? Give it as a tensor.

# %% [markdown] lang="zh" of="00b96cb7"
# ### 练习 3：广播的梯度
#
# `b` 的形状是 (2, 1)，总和是 `(2 * b + torch.zeros(2, 5)).sum()`。`b.grad` 是什么？用张量作答。

# %% exercise-broadcast covers=[55] tags=["exercise"]
my_grad = ...
check.broadcast(my_grad)

# %% tags=["solution"]
b = torch.ones(2, 1, requires_grad=True)
(2 * b + torch.zeros(2, 5)).sum().backward()
check.broadcast(b.grad)

# %% tags=["wrong"]
check.broadcast(torch.full((2, 1), 2.0))

# %% tags=["wrong"]
check.broadcast(torch.full((2, 5), 2.0))

# %% tags=["wrong"]
check.broadcast(torch.full((2, 1), 20.0))

# %% tags=["wrong"]
check.broadcast(10.0)

# %% [markdown] lang="en"
# ## What you know now
#
# - `y.backward(v)` gives $J^\mathsf{T} v$; `v` says how much each output matters, and has the output's exact shape.
# - With one element, `v` is 1 and may be left out. That is all there is to "scalars only".
# - What broadcasting copies, backward adds up. A gradient has the shape of its tensor.
#
# [All lessons](00_index.ipynb)

# %% [markdown] lang="zh" of="954c68ac"
# ## 小结
#
# - `y.backward(v)` 给出 $J^\mathsf{T} v$；`v` 说明每个输出有多重要，形状必须和输出完全一样。
# - 只有一个元素时，`v` 就是 1，可以不写。“只能对标量求导”说的不过是这件事。
# - 广播复制了多少份，反向就把多少份加起来。梯度的形状和它的张量一样。
#
# [全部课程](00_index.ipynb)
