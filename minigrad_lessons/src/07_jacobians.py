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
# [English](../en/07_jacobians.ipynb) · [中文](../zh/07_jacobians.ipynb) · [All lessons](00_index.ipynb) · about 25 minutes · path: *understand*
#
# > "*grad can be implicitly created only for scalar outputs.* But my output is a vector! Can't it be differentiated?"
#
# So far every loss was one number; here the output is several. By the end of this page you know what `backward(v)` computes, what `v` means, and why a plain `backward()` is only a special case of it. (You will need lesson 5 again: the parts of all paths are added.)

# %% [markdown] lang="zh" of="4ddd2b5c"
# # 7 · 雅可比矩阵
#
# [English](../en/07_jacobians.ipynb) · [中文](../zh/07_jacobians.ipynb) · [全部课程](00_index.ipynb) · 约 25 分钟 · 路线：*弄懂原理*
#
# > “*grad can be implicitly created only for scalar outputs.* 可我的输出是个向量！难道就不能求导了？”
#
# 前面几课的损失都是一个数，这一课的输出不止一个数。学完以后，你会知道 `backward(v)` 算的是什么，`v` 又是什么意思，以及为什么不带参数的 `backward()` 只是一个特例。（还要用到第 5 课的结论：各条路径的结果相加。）

# %% [markdown] lang="en"
# To run this page on PyTorch itself, change the first line to `import torch`.

# %% [markdown] lang="zh" of="8559a529"
# 想在 PyTorch 上运行本课，把第一行改成 `import torch` 即可。

# %%
import minigrad as torch
import viz
from minigrad_lessons.checks import jacobians as check
from minigrad_lessons.jacobian import Jacobian
from minigrad_lessons.predict import predict, reveal

# %% [markdown] lang="en"
# ## Four slopes
#
# A result computed from four numbers has four slopes, one for each number while the others stay fixed: its **partial derivatives**. Here one formula gives all four:
#
# $$\text{out} = \frac{1}{4} \sum_i 3\,(x_i + 2)^2 \qquad \frac{\partial\,\text{out}}{\partial x_i} = \frac{3}{2}\,(x_i + 2)$$
#
# **Predict first:** every $x_i$ is 1. How large is each entry of `x.grad`?

# %% [markdown] lang="zh" of="a0412f53"
# ## 四个斜率
#
# 一个结果由四个数算出，就有四个斜率：让其中一个数变化、其余固定不变，得到的就是**偏导数**。四个元素共用一个公式：
#
# $$\text{out} = \frac{1}{4} \sum_i 3\,(x_i + 2)^2 \qquad \frac{\partial\,\text{out}}{\partial x_i} = \frac{3}{2}\,(x_i + 2)$$
#
# **先预测：** 每个 $x_i$ 都是 1，`x.grad` 的每个元素是多少？

# %%
predict("mean", ...)

# %% ones covers=[18, 21]
x = torch.ones(2, 2, requires_grad=True)
y = x + 2
m = y * y * 3
out = m.mean()
print(x.grad_fn, y, m, out, sep="\n")

out.backward()
reveal("mean", x.grad[0, 0])
x.grad

# %% [markdown] lang="en"
# 4.5: the sum alone would give 18, and the mean divides by four.

# %% [markdown] lang="zh" of="fdb4f1c8"
# 4.5：只求和时是 18，取平均还要除以四。

# %%
viz.draw(out)

# %% [markdown] lang="en"
# Two arrows run from one `MulBackward0` to the same `AddBackward0`, because `y * y` uses `y` twice.

# %% [markdown] lang="zh" of="56fe3569"
# 从同一个 `MulBackward0` 到 `AddBackward0` 有两个箭头，因为 `y * y` 用了两次 `y`。

# %% [markdown] lang="en"
# ## The error, and a way around it
#
# $$y_i = 3\,(x_i + 2)^2$$
#
# Four numbers in, four numbers out. `backward()` raises an error:

# %% [markdown] lang="zh" of="981e139c"
# ## 输出不是标量时的报错，以及绕开的办法
#
# $$y_i = 3\,(x_i + 2)^2$$
#
# 输入四个数，输出四个数，`backward()` 会报错：

# %% not-a-scalar covers=[51] tags=["raises-exception"]
x = torch.tensor([[2.0, 4.0], [3.0, 5.0]], requires_grad=True)
y = 3 * (x + 2) ** 2
y.backward()

# %% [markdown] lang="en"
# Most people take the mean first, and one number comes out:
#
# $$l = \frac{1}{4} \sum_i y_i \qquad \frac{\partial l}{\partial x_i} = \frac{3}{2}\,(x_i + 2)$$
#
# **Predict first:** without the $\sum$, how many numbers is `y / 4`?

# %% [markdown] lang="zh" of="56e16a6a"
# 多数人会先取平均值，于是只剩一个数：
#
# $$l = \frac{1}{4} \sum_i y_i \qquad \frac{\partial l}{\partial x_i} = \frac{3}{2}\,(x_i + 2)$$
#
# **先预测：** 如果漏了 $\sum$，`y / 4` 是几个数？

# %%
predict("quarter", ...)

# %% quarter covers=[50]
print(y / 4)
reveal("quarter", (y / 4).numel())
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
# "So only a scalar can be differentiated", most people conclude. **Predict first:** here is `y` itself again, four numbers, with a weight of a quarter for each. Does it run?

# %% [markdown] lang="zh" of="5c7007f9"
# 很多人由此得出结论：“只有标量才能求导”。**先预测：** 下面还是对 `y` 本身反向传播：四个数，每个数的权重是四分之一。能运行吗？

# %%
predict("no-scalar", ..., options=["runs", "raises"])

# %% no-scalar covers=[51]
x.grad = None
y = 3 * (x + 2) ** 2
with reveal("no-scalar"):
    y.backward(torch.full_like(y, 0.25))

print(x.grad)

# %% [markdown] lang="en"
# The very same gradient, and no scalar anywhere. What did the quarters do?

# %% [markdown] lang="zh" of="6a17277a"
# 梯度一模一样，而全程没有出现标量。这四个 ¼ 究竟起了什么作用？

# %% [markdown] lang="en"
# ## What v means
#
# Imagine any scalar $l$ computed from $y$. Backward needs just one fact about it: how fast $l$ changes with each $y_i$, which is $v_i = \partial l / \partial y_i$. For the mean of four numbers each is $\frac{1}{4}$. The chain rule does the rest:
#
# $$\frac{\partial l}{\partial x_j} = \sum_i v_i\,\frac{\partial y_i}{\partial x_j}$$
#
# The matrix of all $J_{ij} = \partial y_i / \partial x_j$ is the **Jacobian**, a row for each output, a column for each input. The sum above is its transpose times $v$:
#
# $$\nabla_x\, l = J^\mathsf{T} v$$
#
# In words: the gradient *of* $l$ *with respect to* $x$. Such a product is called a **vector–Jacobian product**, VJP for short. A scalar is the case of one row, with $v = 1$ filled in for you.

# %% [markdown] lang="zh" of="ac17ba9c"
# ## v 是什么意思
#
# 设想由 $y$ 算出的任意一个标量 $l$。反向传播只需要知道 $l$ 随每个 $y_i$ 变化的快慢，也就是 $v_i = \partial l / \partial y_i$。取四个数的平均值时，每个都是 $\frac{1}{4}$。其余的交给链式法则：
#
# $$\frac{\partial l}{\partial x_j} = \sum_i v_i\,\frac{\partial y_i}{\partial x_j}$$
#
# 所有 $J_{ij} = \partial y_i / \partial x_j$ 排成的矩阵就是**雅可比矩阵**：每个输出占一行，每个输入占一列。上面的和式，就是雅可比矩阵的转置乘以 $v$：
#
# $$\nabla_x\, l = J^\mathsf{T} v$$
#
# 用文字说，这是 $l$ **对** $x$ **的**梯度。这样的乘积叫**向量-雅可比积**（vector–Jacobian product，VJP）。输出是标量时，矩阵只有一行，$v = 1$，这个 1 已经替你填好了。

# %% [markdown] lang="en"
# **Move it:** a function with two inputs and three outputs. Move the three sliders. Set one to 1 and the others to 0: which row do you get? (On a static page, multiply each column by `v`, add, and compare with the last row.)

# %% [markdown] lang="zh" of="7c251df6"
# **动一动：** 下面的函数有两个输入、三个输出。拖动三个滑块。把其中一个设为 1、其余设为 0，得到的是哪一行？（如果你看的是静态网页、没有运行内核，就把每一列与 `v` 对应相乘再相加，和最下面一行对比。）


# %% jacobian covers=[49, 52] tags=["moves"]
def f(x):
    return torch.stack([x[0] ** 2, x[0] * x[1], 3 * x[1]])


Jacobian(f, x=torch.tensor([2.0, 5.0]), v=torch.tensor([1.0, 1.0, -1.0]))

# %% [markdown] lang="en"
# `backward` never builds this matrix. For a million inputs and a million outputs it would take four terabytes; `backward(v)` walks the graph once and gives $J^\mathsf{T} v$ directly. If you do want the whole matrix, `torch.func` helps: it turns a function into another one (`grad(f)` is the derivative of `f`, `jacrev(f)` the Jacobian of `f`):

# %% [markdown] lang="zh" of="4fc97168"
# `backward` 从不真的建立这个矩阵。一百万个输入、一百万个输出时，矩阵要占 4 TB；`backward(v)` 只沿着计算图走一遍，直接给出 $J^\mathsf{T} v$。真的需要整个矩阵时，可以用 `torch.func`：它由一个函数得到另一个函数（`grad(f)` 是 `f` 的导数，`jacrev(f)` 是 `f` 的雅可比矩阵）：

# %% func covers=[49]
print(torch.func.jacrev(f)(torch.tensor([2.0, 5.0])))

# %% [markdown] lang="en"
# In the formula that raised the error above, each $y_i$ depends on its own $x_i$ only, so the Jacobian is a **diagonal matrix**: numbers $\partial y_i / \partial x_i$ on the diagonal, zeros everywhere else. Here it is one row at a time, for a flat `x` and with the quarter multiplied in ($\frac{1}{4} \cdot 3 = 0.75$); on the diagonal are the four numbers that `x.grad` held above:

# %% [markdown] lang="zh" of="b57b2fc1"
# 前面报错的那个式子里，每个 $y_i$ 只依赖自己的 $x_i$，所以雅可比矩阵是**对角矩阵**：对角线上是 $\partial y_i / \partial x_i$，其余全是 0。下面把 `x` 排成一行，把四分之一也乘进去（$\frac{1}{4} \cdot 3 = 0.75$），一次取一行；对角线上就是前面 `x.grad` 里的那四个数：

# %% diagonal covers=[48]
for i in range(4):
    x = torch.tensor([2.0, 4.0, 3.0, 5.0], requires_grad=True)
    y = 0.75 * (x + 2) ** 2
    v = torch.zeros(4)
    v[i] = 1.0  # only y[i] counts | 只看 y[i]
    y.backward(v)
    print(x.grad)  # row i of the Jacobian | 雅可比矩阵的第 i 行

# %% [markdown] lang="en"
# ### Exercise 1: one row
#
# Write a function that gives row `i` of the Jacobian of any `f` at `x`, with a single backward.

# %% [markdown] lang="zh" of="7f86c026"
# ### 练习 1：取出一行
#
# 写一个函数，只做一次反向传播，就给出任意的 `f` 在 `x` 处的雅可比矩阵的第 `i` 行。


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


# %% tags=["wrong"]
def my_row(f, x, i):
    x = x.detach().clone().requires_grad_()
    y = f(x)
    rows = []
    for v in torch.eye(len(y)):
        x.grad = None
        y.backward(v, retain_graph=True)
        rows.append(x.grad)
    return rows[i]


check.row(my_row, torch.tensor([1.0, 2.0, 4.0]))

# %% [markdown] lang="en"
# ### Exercise 2: differentiate without a scalar
#
# For the `y` that raised the error above, of shape (2, 2): which `v` makes `y.backward(v)` give the gradient of $l = 2\,y_{00} - y_{11}$?

# %% [markdown] lang="zh" of="4084683b"
# ### 练习 2：不用标量也能求导
#
# 对前面报错的那个 `y`（形状为 (2, 2)）：`v` 取什么，`y.backward(v)` 就会给出 $l = 2\,y_{00} - y_{11}$ 的梯度？

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
# In arithmetic, a single number is stretched to fit. **Predict first:** `y` holds three numbers, and `v` is a single 1. Does it run?

# %% [markdown] lang="zh" of="1892e55a"
# ## v 的形状
#
# 做算术运算时，单独一个数会自动扩展到所需的形状。**先预测：** `y` 含三个数，`v` 只有一个 1，行得通吗？

# %%
predict("stretched-v", ..., options=["runs", "raises"])

# %% wrong-shape covers=[7] tags=["raises-exception"]
x = torch.ones(3, requires_grad=True)
y = x * 2
with reveal("stretched-v"):
    y.backward(torch.ones(1))

# %% [markdown] lang="en"
# `v` must have the exact shape of the output. And "a scalar" means *one element*, in any shape:

# %% [markdown] lang="zh" of="a1e842f8"
# `v` 的形状必须和输出完全一样。而所谓“标量”，是指**只有一个元素**，什么形状都行：

# %% one-element covers=[7]
x = torch.ones(1, 1, requires_grad=True)
y = x * 2
y.backward()

print(y.shape, x.grad)

# %% [markdown] lang="en"
# Now we double `x` until the result's norm (the root of the sum of squares) is large enough, as in PyTorch's tutorial. **Predict first:** one doubling happens before the loop and eight in it, and `v[1]` is 1. How large is `x.grad[1]`?

# %% [markdown] lang="zh" of="cd45f3f7"
# 现在像 PyTorch 自己的教程那样，先把 `x` 乘以 2，再一次次翻倍，直到结果的范数（norm）足够大；范数就是各元素平方和的平方根。**先预测：** 循环之前翻倍一次，循环里又翻倍八次，`v[1]` 是 1。`x.grad[1]` 有多大？

# %%
predict("doubled", ...)

# %% doubled covers=[8]
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
while y.detach().norm() < 1000:
    y = y * 2

v = torch.tensor([0.1, 1.0, 0.0001])
y.backward(v)

print(y)
print(x.grad)
reveal("doubled", x.grad[1])

# %% [markdown] lang="en"
# $y = 512\,x$, so $J$ is 512 on the diagonal, and $J^\mathsf{T} v$ is $512\,v$.

# %% [markdown] lang="zh" of="b1540da0"
# $y = 512\,x$，所以 $J$ 的对角线上都是 512，$J^\mathsf{T} v$ 就是 $512\,v$。

# %% [markdown] lang="en"
# ## Broadcasting, backwards
#
# Here `x` has three entries and is added to four rows: it is used four times over. **Predict first:** what is its gradient? Write a list of numbers, in its shape.

# %% [markdown] lang="zh" of="bb15d46f"
# ## 广播的反向传播
#
# 下面的 `x` 只有三个元素，却被加到四行上，等于用了四遍。**先预测：** 它的梯度是什么？写成列表，形状与它相同。

# %%
predict("broadcast", ...)

# %% broadcast covers=[55]
x = torch.ones(3, requires_grad=True)
y = x + torch.zeros(4, 3)
total = y.sum()
total.backward()

reveal("broadcast", x.grad)

# %% [markdown] lang="en"
# Forward, **broadcasting** *copies*; backward, the gradients of the copies are *added up*. Every copy sends back 1, and four of them make 4. The gradient has the shape of `x`: every gradient has the shape of its own tensor.

# %% [markdown] lang="zh" of="7475b08b"
# **广播**（broadcasting）在前向传播时相当于把同一份数复制成几份，反向传播时就把各份的梯度相加。每份传回 1，四份就是 4。梯度的形状和 `x` 相同：任何张量的梯度都与它本身同形状。

# %%
viz.draw(total)

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
# ## A product of matrices
#
# Every network uses one: $C = A B$. Let $g$ be the gradient of a scalar $l$ with respect to $C$. The gradient of $l$ with respect to $A$ must have $A$'s shape. (`@` multiplies matrices.) **Predict first:** $A$ is (2, 3), $B$ is (3, 4), $g$ is (2, 4). Which product is it?

# %% [markdown] lang="zh" of="1e53550a"
# ## 矩阵乘法
#
# 每个网络都离不开矩阵乘法：$C = A B$。设标量 $l$ 对 $C$ 的梯度是 $g$，那么 $l$ 对 $A$ 的梯度必须和 $A$ 同形状。（`@` 是矩阵乘法。）**先预测：** $A$ 是 (2, 3)，$B$ 是 (3, 4)，$g$ 是 (2, 4)，这个梯度应当是哪个乘积？

# %%
predict("matmul", ..., options=["g @ B", "g @ B.t()", "B @ g", "A.t() @ g"])

# %% matmul covers=[49]
A = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
B = torch.tensor([[1.0, 0.0, 2.0, 1.0], [3.0, 1.0, 0.0, 2.0], [0.0, 4.0, 1.0, 5.0]], requires_grad=True)
g = torch.tensor([[1.0, 2.0, 0.0, 3.0], [0.0, 1.0, 5.0, 2.0]])

products = {"g @ B": (g, B), "g @ B.t()": (g, B.t()), "B @ g": (B, g), "A.t() @ g": (A.t(), g)}


def equal_to(gradient):
    for name, (left, right) in products.items():
        # can they be multiplied, and is it the gradient? | 能相乘吗？乘积就是这个梯度吗？
        if left.shape[1] == right.shape[0] and gradient.equal(left @ right):
            return name
    return None


(A @ B).backward(g)
reveal("matmul", equal_to(A.grad))
print(equal_to(B.grad))  # and for B? | 那么 B 呢？

# %% [markdown] lang="en"
# Only `g @ B.t()` has the shape of $A$; and `A.t() @ g` has that of $B$. The shapes leave only one possibility.

# %% [markdown] lang="zh" of="9739cf9e"
# 只有 `g @ B.t()` 与 $A$ 同形状，而 `A.t() @ g` 与 $B$ 同形状：单看形状，就只有一种可能。

# %% [markdown] lang="en"
# ### Exercise 4: cause the error
#
# Write one line that differentiates a `y` of three numbers and fails because of the shape of its `v`: *Mismatch in shape*.

# %% [markdown] lang="zh" of="8e867c4c"
# ### 练习 4：故意报错
#
# 写一行代码，对含三个数的 `y` 求导，让它因为 `v` 的形状而报错：*Mismatch in shape*。


# %% exercise-refused covers=[7] tags=["exercise"]
def my_mistake():
    y = torch.ones(3, requires_grad=True) * 2
    return ...


check.refused(my_mistake)


# %% tags=["solution"]
def my_mistake():
    y = torch.ones(3, requires_grad=True) * 2
    y.backward(torch.ones(2))


check.refused(my_mistake)


# %% tags=["solution"]
def my_mistake():
    y = torch.ones(3, requires_grad=True) * 2
    return torch.autograd.grad(y, y, torch.tensor(1.0))


check.refused(my_mistake)


# %% tags=["wrong"]
def my_mistake():
    y = torch.ones(3, requires_grad=True) * 2
    y.backward()


check.refused(my_mistake)


# %% tags=["wrong"]
def my_mistake():
    y = torch.ones(3, requires_grad=True) * 2
    y.backward(torch.ones(3))


check.refused(my_mistake)

# %% tags=["wrong"]
check.refused(lambda: (torch.ones(3, requires_grad=True) * 2).sum())

# %% tags=["wrong"]
check.refused(lambda: (torch.ones(3, requires_grad=True) * 2).view(2))

# %% [markdown] lang="en"
# ### Exercise 5: fix the formula
#
# This is how some much-copied notes write what `x.grad` holds. One TeX command is not the one for ∂, and one thing is upside down. Fix the formula.

# %% [markdown] lang="zh" of="9d2efff0"
# ### 练习 5：改好公式
#
# 有些传抄的笔记用下面的式子说明 `x.grad` 里是什么。其中偏导数符号的命令写错了，还有一处上下颠倒了。请改好这个公式。

# %% exercise-formula covers=[49, 52] tags=["exercise"]
my_formula = r"\frac{\part x}{\part l} = J^\mathsf{T} v"
check.formula(my_formula)

# %% tags=["solution"]
my_formula = r"\frac{\partial l}{\partial x} = J^\mathsf{T} v"
check.formula(my_formula)

# %% tags=["solution"]
my_formula = r"\frac{\partial l}{\partial x_i} = J^\mathsf{T} v"
check.formula(my_formula)

# %% tags=["wrong"]
my_formula = r"\frac{\part l}{\part x} = J^\mathsf{T} v"
check.formula(my_formula)

# %% tags=["wrong"]
my_formula = r"\frac{\partial x}{\partial l} = J^\mathsf{T} v"
check.formula(my_formula)

# %% tags=["wrong"]
my_formula = r"\frac{\partial l}{\partial y} = J^\mathsf{T} v"
check.formula(my_formula)

# %% tags=["wrong"]
my_formula = r"\frac{\partial l}{\partial x} = J v"
check.formula(my_formula)

# %% [markdown] lang="en"
# ## What you know now
#
# - `y.backward(v)` gives $J^\mathsf{T} v$; `v` says how much each output matters, and has the output's exact shape.
# - With one element, `v` is 1 and may be left out. That is all there is to "scalars only".
# - What broadcasting copies, backward adds up. A gradient has the shape of its tensor.
#
# **Next:** all of this needs a recorded graph. What if no gradient is needed? [Lesson 8](08_stop_recording.ipynb) · [All lessons](00_index.ipynb)

# %% [markdown] lang="zh" of="8d7dec3b"
# ## 小结
#
# - `y.backward(v)` 给出 $J^\mathsf{T} v$；`v` 说明每个输出有多重要，形状必须和输出完全一样。
# - 只有一个元素时，`v` 就是 1，可以不写。“只能对标量求导”说的不过是这件事。
# - 广播把一份数复制成几份，反向传播就把几份梯度加起来。梯度与它所属的张量同形状。
#
# **下一课：** 这一切都离不开记录下来的计算图。要是根本不需要梯度呢？[第 8 课](08_stop_recording.ipynb) · [全部课程](00_index.ipynb)
