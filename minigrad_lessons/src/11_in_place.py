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
# # 11 · In-place and versions
#
# [English](../en/11_in_place.ipynb) · [中文](../zh/11_in_place.ipynb) · [All lessons](00_index.ipynb) · about 20 minutes · path: *fix my training loop*
#
# > "*One of the variables needed for gradient computation has been modified by an inplace operation … is at version 1; expected version 0.* Which variable? What version?"
#
# A node saves the tensor itself, not a copy. By the end of this page you can read that message, predict when it will appear, and fix the line that causes it.

# %% [markdown] lang="zh" of="6da797d2"
# # 11 · 原地操作与版本
#
# [English](../en/11_in_place.ipynb) · [中文](../zh/11_in_place.ipynb) · [全部课程](00_index.ipynb) · 约 20 分钟 · 路线：*修好训练循环*
#
# > “*One of the variables needed for gradient computation has been modified by an inplace operation … is at version 1; expected version 0.* 是哪个变量？版本又是什么？”
#
# 节点保存的是张量本身，不是副本。学完这一课，你能读懂这条报错，能事先判断它会不会出现，也能改好引发它的那一行。

# %% [markdown] lang="en"
# To run this page on PyTorch itself, change the first line to `import torch`.

# %% [markdown] lang="zh" of="8559a529"
# 想在 PyTorch 上运行本课，把第一行改成 `import torch` 即可。

# %%
import minigrad as torch
import viz
from minigrad_lessons.checks import versions as check
from minigrad_lessons.choose import Choose
from minigrad_lessons.predict import predict, reveal

# %% [markdown] lang="en"
# ## The puzzle
#
# Here are two computations that differ in one word. **Predict first:** which of them run? (From lesson 10: $e^x$ saves its own result.)

# %% [markdown] lang="zh" of="23f5ad8e"
# ## 一个谜题
#
# 下面的两段计算，只差一个函数。**先预测：** 各自能运行吗？（回想第 10 课：$e^x$ 保存的是自己的结果。）

# %%
predict("sin-then-add", ..., options=["runs", "raises"])
predict("exp-then-add", ..., options=["runs", "raises"])

# %% sin-works covers=[41]
x = torch.tensor([0.0, 1.0], requires_grad=True)
a = x.sin()
a.add_(1)
with reveal("sin-then-add"):
    a.sum().backward()

print(x.grad)

# %% exp-fails covers=[13, 41] tags=["raises-exception"]
x = torch.tensor([0.0, 1.0], requires_grad=True)
a = x.exp()
a.add_(1)
total = a.sum()
with viz.record(total) as run, reveal("exp-then-add"):
    total.backward()

# %% [markdown] lang="en"
# The derivative of the sine is $\cos x$: its node saved the *input*. The derivative of $e^x$ is $e^x$: its node saved the *result*, which is `a`, and `a.add_(1)` overwrote it. Without the check the gradient would be $e^x + 1$, wrong, and without any error. ([Lesson 10](10_saved_tensors.ipynb) has more on what is saved.)

# %% [markdown] lang="zh" of="57a1d644"
# 正弦的导数是 $\cos x$，节点保存的是**输入**；$e^x$ 的导数是 $e^x$，节点保存的是**结果**，也就是 `a`，而 `a.add_(1)` 把它覆盖了。要是不检查保存的值有没有被覆盖，得到的梯度就是 $e^x + 1$，错了也没有任何提示。（各种运算保存什么，详见[第 10 课](10_saved_tensors.ipynb)。）

# %% [markdown] lang="en"
# Play the pass. It stops on the node whose saved result was overwritten:

# %% [markdown] lang="zh" of="a6d8e40e"
# 放一遍看看：反向传播停在一个节点上，因为它保存的结果被覆盖了。

# %% stops covers=[41]
run

# %% [markdown] lang="en"
# ## A version counter
#
# How does autograd notice? Each tensor has a **version counter**, which counts how often it has been written in place. You can read it:

# %% [markdown] lang="zh" of="21002fb9"
# ## 版本计数器
#
# 自动求导怎么知道值被覆盖了？每个张量都有一个**版本计数器**，记录它被原地写过几次。计数器可以直接读：

# %% version covers=[41]
t = torch.zeros(3)
print(t._version)

t.add_(1)
t[0] = 5
print(t._version)

# %% [markdown] lang="en"
# A write through a view, or through what `detach()` returned, changes the numbers of `t` as well, so both share its counter. **Predict first:** one write through a view, one through `detach()`, one into a clone. What does the counter of `t` say at the end?

# %% [markdown] lang="zh" of="130479ad"
# 通过视图写入，或者通过 `detach()` 返回的张量写入，改的也是 `t` 的数，所以三者共用一个计数器。**先预测：** 一次通过视图写，一次通过 `detach()` 写，一次写到 clone 得到的副本里。最后 `t` 的计数器是几？

# %%
predict("who-counts", ...)

# %% who-counts covers=[13, 41]
t = torch.zeros(3)

t.view(3, 1).add_(1)
print(t._version)  # through a view | 通过视图写入之后

t.detach().add_(1)
print(t._version)  # through detach() | 通过 detach() 写入之后

t.clone().add_(1)
print(t._version)  # into a copy | 写入副本之后
reveal("who-counts", t._version)

# %% [markdown] lang="en"
# When a node saves a tensor, it notes the version. When backward uses it, the two versions are compared: *is at version 1; expected version 0* means one write since then.
#
# The picture makes the same comparison, without a backward: write, draw, and the node that will fail is already marked.

# %% [markdown] lang="zh" of="fa149421"
# 节点保存张量时，会记下当时的版本号；反向传播要用到这个张量时，再与现在的版本号比较。*is at version 1; expected version 0* 就是说：保存之后又写过一次。
#
# 画图时也做同样的比较，而且不必等到反向传播：写入之后再画，图上就标出了将会出错的节点。

# %% marked-beforehand covers=[41]
a = x.exp()
a.add_(1)
total = a.sum()

viz.draw(total, show="saved")

# %% [markdown] lang="en"
# And which variable? PyTorch never sees your variable names, so the message describes the tensor: `[torch.FloatTensor [2]]` is its type and shape, `output 0 of Exp` the operation that made it. Two numbers, made by `exp`: that is `a`.
#
# (What `.data` returns has the same numbers, too, but a counter of its own: a write through it is not seen. That is why it is dangerous: [Lesson 8](08_stop_recording.ipynb).)

# %% [markdown] lang="zh" of="77836ebd"
# 那么是哪个变量？报错信息里没有你起的变量名，只描述这个张量：`[torch.FloatTensor [2]]` 是类型和形状，`output 0 of Exp` 说明它来自哪种运算、是第几个输出。含两个数，由 `exp` 得来，那就是 `a`。
#
# （`.data` 得到的也是同一批数，却另有自己的计数器，通过它写入，原张量的计数器不会变，所以才危险：见[第 8 课](08_stop_recording.ipynb)。）

# %% [markdown] lang="en"
# **Move it:** $b = a^2$ saves `a`. Write into `a` before, or after, or not at all. (On a static page, the next cell lists all three.)

# %% [markdown] lang="zh" of="fb5351d6"
# **动一动：** $b = a^2$ 会保存 `a`。试试在平方之前写入 `a`、在平方之后写入，或者不写。（如果你看的是静态网页、没有运行内核，下一个单元格列出了全部三种。）


# %% before-or-after covers=[13, 41] tags=["moves"]
WAYS = ["b = a**2", "a.add_(1); b = a**2", "b = a**2; a.add_(1)"]


def square(way, x):
    a = x * 3
    if way == WAYS[1]:
        a.add_(1)
    b = a**2
    if way == WAYS[2]:
        a.add_(1)
    return b


moments = Choose(square, WAYS, show="saved", x=torch.tensor(1.0))
moments

# %%
print(moments)

# %% [markdown] lang="en"
# Writing *before* is fine: the square saves the new value. The gradient changes because the value changed: $2 \cdot 4 \cdot 3 = 24$.

# %% [markdown] lang="zh" of="6c3a97b9"
# 在平方**之前**写没有问题：平方保存的就是写过以后的值。梯度不同，是因为值不同：$2 \cdot 4 \cdot 3 = 24$。

# %% [markdown] lang="en"
# ### Exercise 1: will it work?
#
# `x` is a tracked leaf with one element. For each line: does `backward()` from the last tensor (`b`, or `a` where there is no `b`) work? `True` or `False`.

# %% [markdown] lang="zh" of="095784bb"
# ### 练习 1：行得通吗？
#
# `x` 是只有一个元素的、被追踪的叶子。运行下面每一行之后，对最后那个张量（有 `b` 就是 `b`，否则是 `a`）调用 `backward()`，行得通吗？填 `True` 或 `False`。

# %% exercise-works covers=[13, 41] tags=["exercise"]
my_guesses = {
    "a = x.exp(); a.add_(1)": ...,
    "a = x.sin(); a.add_(1)": ...,
    "a = x * 2; b = a ** 2; a.add_(1)": ...,
    "a = x * 2; a.add_(1); b = a ** 2": ...,
    "a = x * 2; b = a + 1; a.add_(1)": ...,
    "a = x * 2; b = a.clone() ** 2; a.add_(1)": ...,
    "a = x * 2; b = a ** 2; a.detach().add_(1)": ...,
}
check.works(my_guesses)

# %% tags=["solution"]
my_guesses = {
    "a = x.exp(); a.add_(1)": False,
    "a = x.sin(); a.add_(1)": True,
    "a = x * 2; b = a ** 2; a.add_(1)": False,
    "a = x * 2; a.add_(1); b = a ** 2": True,
    "a = x * 2; b = a + 1; a.add_(1)": True,
    "a = x * 2; b = a.clone() ** 2; a.add_(1)": True,
    "a = x * 2; b = a ** 2; a.detach().add_(1)": False,
}
check.works(my_guesses)

# %% tags=["wrong"]
check.works({**check.WORKS, "a = x.sin(); a.add_(1)": False})

# %% tags=["wrong"]
my_guesses = {
    "a = x.exp(); a.add_(1)": False,
    "a = x.sin(); a.add_(1)": False,
    "a = x * 2; b = a ** 2; a.add_(1)": False,
    "a = x * 2; a.add_(1); b = a ** 2": False,
    "a = x * 2; b = a + 1; a.add_(1)": False,
    "a = x * 2; b = a.clone() ** 2; a.add_(1)": True,
    "a = x * 2; b = a ** 2; a.detach().add_(1)": False,
}
check.works(my_guesses)

# %% tags=["wrong"]
my_guesses = {
    "a = x.exp(); a.add_(1)": False,
    "a = x.sin(); a.add_(1)": True,
    "a = x * 2; b = a ** 2; a.add_(1)": False,
    "a = x * 2; a.add_(1); b = a ** 2": True,
    "a = x * 2; b = a + 1; a.add_(1)": True,
    "a = x * 2; b = a.clone() ** 2; a.add_(1)": True,
    "a = x * 2; b = a ** 2; a.detach().add_(1)": True,
}
check.works(my_guesses)

# %% tags=["wrong"]
check.works({})

# %% [markdown] lang="en"
# ### Exercise 2: count
#
# What is `t._version` after these lines?
#
# ```
# t = torch.zeros(3)
# t += 1
# t[0] = 5
# t.view(3, 1).mul_(2)
# t.detach().zero_()
# t.clone().add_(1)
# t.data.add_(1)
# ```

# %% [markdown] lang="zh" of="e648f56a"
# ### 练习 2：数一数
#
# 运行下面这些行之后，`t._version` 是多少？
#
# ```
# t = torch.zeros(3)
# t += 1
# t[0] = 5
# t.view(3, 1).mul_(2)
# t.detach().zero_()
# t.clone().add_(1)
# t.data.add_(1)
# ```

# %% exercise-count covers=[13, 41] tags=["exercise"]
my_count = ...
check.count(my_count)

# %% tags=["solution"]
t = torch.zeros(3)
t += 1
t[0] = 5
t.view(3, 1).mul_(2)
t.detach().zero_()
t.clone().add_(1)
t.data.add_(1)
check.count(t._version)

# %% tags=["wrong"]
check.count(5)

# %% tags=["wrong"]
check.count(6)

# %% tags=["wrong"]
check.count(2)

# %% tags=["wrong"]
check.count("four")

# %% [markdown] lang="en"
# ## In-place is recorded, too
#
# A write into a tracked result is an operation like any other: it leaves a node, and the tensor's `grad_fn` becomes that node. Writing into a *part* of it leaves one called `CopySlices`, which passes the gradient on for every entry that was not overwritten. **Predict first:** what is `x.grad`, as a list of three numbers?

# %% [markdown] lang="zh" of="2f0c9174"
# ## 原地操作也会被记录
#
# 原地写入被追踪的结果，也和别的运算一样会留下节点，张量的 `grad_fn` 也随之变成这个节点。只写**一部分**时，留下的节点叫 `CopySlices`：没有被覆盖的部分，梯度照样传下去。**先预测：** `x.grad` 是哪三个数？写成列表。

# %%
predict("copy-slices", ...)

# %% copy-slices covers=[41]
x = torch.ones(3, requires_grad=True)
a = x * 2
print(a.grad_fn.name())

a[0] = 0
print(a.grad_fn.name())

total = a.sum()
total.backward()
reveal("copy-slices", x.grad)

# %% [markdown] lang="en"
# The first entry was overwritten with a number, so `x[0]` has no influence any more: its gradient is 0. (`torch::autograd::` is only a prefix in PyTorch's C++ code.)

# %% [markdown] lang="zh" of="830c6614"
# 第一个元素被一个数覆盖了，`x[0]` 对结果不再有影响，所以它的梯度是 0。（`torch::autograd::` 只是 PyTorch 的 C++ 代码里的命名空间。）

# %%
viz.draw(total)

# %% [markdown] lang="en"
# ### Exercise 3: fix it
#
# The function should return the sum of $e^x + 1$. Fix it so that the value stays and the gradient is right.

# %% [markdown] lang="zh" of="2b6da86b"
# ### 练习 3：改好这个函数
#
# 这个函数要返回 $e^x + 1$ 之和。请修改它：数值不变，梯度也要对。


# %% exercise-repair covers=[13, 41] tags=["exercise"]
def my_loss(x):
    a = x.exp()
    a.add_(1)
    return a.sum()


check.repair(my_loss, torch.tensor([0.0, 1.0]))


# %% tags=["solution"]
def my_loss(x):
    a = x.exp()
    a = a + 1
    return a.sum()


check.repair(my_loss, torch.tensor([0.0, 1.0]))


# %% tags=["solution"]
def my_loss(x):
    a = x.exp().clone()
    a.add_(1)
    return a.sum()


check.repair(my_loss, torch.tensor([0.0, 1.0]))


# %% tags=["wrong"]
def my_loss(x):
    a = x.exp()
    a.data.add_(1)
    return a.sum()


check.repair(my_loss, torch.tensor([0.0, 1.0]))


# %% tags=["wrong"]
def my_loss(x):
    return x.exp().sum() + 2


check.repair(my_loss, torch.tensor([0.0, 1.0]))


# %% tags=["wrong"]
def my_loss(x):
    a = x.exp().detach()
    a.add_(1)
    return a.sum()


check.repair(my_loss, torch.tensor([0.0, 1.0]))


# %% tags=["wrong"]
def my_loss(x):
    return x.exp().sum()


check.repair(my_loss, torch.tensor([0.0, 1.0]))

# %% tags=["wrong"]
check.repair(5.7, torch.tensor([0.0, 1.0]))

# %% [markdown] lang="en"
# ## What you know now
#
# - Writes into a tensor are counted, also through views and `detach()`; a node that saves it notes the count, and backward checks that.
# - It is an error only if the tensor was saved *and then* overwritten. To avoid it, write before, write into a `clone()`, or make a new tensor.
# - Writes into tracked results are recorded; into a part of one, as `CopySlices`.
#
# **Next:** you can read what goes wrong. Can you also see the gradients in the middle? [Lesson 12](12_hooks.ipynb) · [All lessons](00_index.ipynb)

# %% [markdown] lang="zh" of="1ef68b4f"
# ## 小结
#
# - 张量的版本计数器记录它被原地写过几次，通过视图和 `detach()` 写入的也算；节点保存张量时记下版本号，反向传播时再比较。
# - 同时满足两条才会报错：张量被保存过，之后又被写过。要避免报错，可以在保存之前写、写到 `clone()` 得到的副本里，或者产生新张量。
# - 原地写入被追踪的结果，也会被记录；只写一部分时，记作 `CopySlices`。
#
# **下一课：** 报错信息你已经看得懂了。能不能直接看到中间的梯度？[第 12 课](12_hooks.ipynb) · [全部课程](00_index.ipynb)
