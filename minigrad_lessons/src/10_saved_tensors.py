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
# # 10 · Saved tensors
#
# [English](../en/10_saved_tensors.ipynb) · [中文](../zh/10_saved_tensors.ipynb) · [All lessons](00_index.ipynb) · about 20 minutes · path: *understand* and *fix my training loop*
#
# > "*Trying to backward through the graph a second time.* I added `retain_graph=True`, the error is gone, and now the training is wrong. What did I keep?"
#
# A training loop recomputes its loss in each round, and here is why. By the end of this page you know which operations save something for the backward pass, when it is released, and why `retain_graph=True` is seldom the cure.

# %% [markdown] lang="zh" of="84ddf1ad"
# # 10 · 保存的张量
#
# [English](../en/10_saved_tensors.ipynb) · [中文](../zh/10_saved_tensors.ipynb) · [全部课程](00_index.ipynb) · 约 20 分钟 · 路线：*弄懂原理*、*修好训练循环*
#
# > “*Trying to backward through the graph a second time.* 我加上 `retain_graph=True`，不报错了，训练却不对了。我到底保留了什么？”
#
# 训练循环为什么每一轮都要重新计算损失？答案就在这一课。学完以后，你会知道哪些运算要为反向传播保存值，这些值什么时候释放，以及为什么 `retain_graph=True` 往往不是解决办法。

# %% [markdown] lang="en"
# To run this page on PyTorch itself, change the first line to `import torch`.

# %% [markdown] lang="zh" of="8559a529"
# 想在 PyTorch 上运行本课，把第一行改成 `import torch` 即可。

# %%
import minigrad as torch
import viz
from minigrad_lessons.checks import saved as check
from minigrad_lessons.predict import predict, reveal

# %% [markdown] lang="en"
# ## The puzzle
#
# Everybody says that you cannot go backward twice. **Predict first:** here are two cells that try, one with `w + b`, one with `w * x`. Which of them run?

# %% [markdown] lang="zh" of="edc48bb1"
# ## 一个谜题
#
# 人人都说，同一张图不能反向传播两次。**先预测：** 下面两个单元格，一个算 `w + b`，一个算 `w * x`，都反向传播两次。各自能运行吗？

# %%
predict("add-twice", ..., options=["runs", "raises"])
predict("multiply-twice", ..., options=["runs", "raises"])

# %% add-twice covers=[39]
w = torch.tensor([2.0], requires_grad=True)
b = torch.tensor([1.0], requires_grad=True)

z = (w + b).sum()
z.backward()
with reveal("add-twice"):
    z.backward()
print(w.grad)

# %% multiply-twice covers=[21, 39] tags=["raises-exception"]
x = torch.tensor([3.0])

z = (w * x).sum()
z.backward()
with reveal("multiply-twice"):
    z.backward()

# %% [markdown] lang="en"
# Only the second raises an error. After a backward pass the graph is still there; what is gone is what some of its nodes had **saved**. Adding saves nothing, so nothing is missing.

# %% [markdown] lang="zh" of="f9ec9f71"
# 只有第二个报错。反向传播之后，计算图还在，被释放的是某些节点**保存**的值。加法什么也不保存，自然什么也不缺。

# %% [markdown] lang="en"
# ## What must be saved?
#
# Look at the derivatives:
#
# $$\frac{\partial (w + b)}{\partial w} = 1 \qquad \frac{\partial (w x)}{\partial w} = x \qquad \frac{\partial w^2}{\partial w} = 2w \qquad \frac{\partial e^w}{\partial w} = e^w$$
#
# The first needs no value at all. The second needs the other factor, the third its own input, the fourth its own *result*. A node keeps what its formula needs, and you can look:

# %% [markdown] lang="zh" of="aad44c0e"
# ## 必须保存什么？
#
# 看看这几个导数：
#
# $$\frac{\partial (w + b)}{\partial w} = 1 \qquad \frac{\partial (w x)}{\partial w} = x \qquad \frac{\partial w^2}{\partial w} = 2w \qquad \frac{\partial e^w}{\partial w} = e^w$$
#
# 第一个什么值也不需要；第二个需要另一个因子；第三个需要自己的输入；第四个需要自己的**结果**。节点只保存公式里要用的值，可以直接看到：

# %% look covers=[39]
print((w * x).grad_fn._saved_other)
print((w**2).grad_fn._saved_self)
print(w.exp().grad_fn._saved_result)

# %% saved-in-the-graph covers=[39]
y, square, power = w * x, w**2, w.exp()
viz.draw(y, square, power, show="saved")

# %% [markdown] lang="en"
# ### Exercise 1: what is saved?
#
# `x` is tracked, `c` is not. What does each operation's node save: `"nothing"`, `"x"`, `"c"`, or its own `"result"`?

# %% [markdown] lang="zh" of="d8620b36"
# ### 练习 1：保存了什么？
#
# `x` 被追踪，`c` 未被追踪。每种运算的节点保存什么：`"nothing"`、`"x"`、`"c"`，还是自己的结果 `"result"`？

# %% exercise-saves covers=[39] tags=["exercise"]
my_guesses = {
    "x + c": ...,
    "x * c": ...,
    "x ** 2": ...,
    "x.sum()": ...,
    "x.exp()": ...,
    "x.sin()": ...,
    "-x": ...,
}
check.saves(my_guesses)

# %% tags=["solution"]
my_guesses = {
    "x + c": "nothing",
    "x * c": "c",
    "x ** 2": "x",
    "x.sum()": "nothing",
    "x.exp()": "result",
    "x.sin()": "x",
    "-x": "nothing",
}
check.saves(my_guesses)

# %% tags=["wrong"]
check.saves({**check.SAVES, "x.exp()": "x"})

# %% tags=["wrong"]
my_guesses = {
    "x + c": "c",
    "x * c": "c",
    "x ** 2": "x",
    "x.sum()": "nothing",
    "x.exp()": "result",
    "x.sin()": "x",
    "-x": "nothing",
}
check.saves(my_guesses)

# %% tags=["wrong"]
my_guesses = {
    "x + c": "nothing",
    "x * c": "x",
    "x ** 2": "x",
    "x.sum()": "x",
    "x.exp()": "x",
    "x.sin()": "result",
    "-x": "nothing",
}
check.saves(my_guesses)

# %% tags=["wrong"]
check.saves("nothing")

# %% [markdown] lang="en"
# ## The intermediate value
#
# $y = w x$ and $z = y + b$, with $w = 2$ and $x = 3$. Many people think that backward needs $y$, and that `retain_graph=True` is there to keep it. **Predict first:** what is `w.grad`?

# %% [markdown] lang="zh" of="6fc789d4"
# ## 中间值
#
# $y = w x$，$z = y + b$，其中 $w = 2$，$x = 3$。很多人以为反向传播要用到 $y$，而 `retain_graph=True` 就是为了保留它。**先预测：** `w.grad` 是多少？

# %%
predict("which-factor", ...)

# %% y-survives covers=[39]
w = torch.tensor([2.0], requires_grad=True)
b = torch.tensor([1.0], requires_grad=True)

y = w * x
z = y + b
z.backward()

print("x:", x, " y:", y.item())
reveal("which-factor", w.grad)

# %% [markdown] lang="en"
# The derivative is $x$, which is 3; $y$ is 6. And `y` is still there: the variable `y` refers to it, and no backward changes that. What is gone is the multiplication node's reference to `x`:

# %% [markdown] lang="zh" of="54743756"
# 导数是 $x$，等于 3；而 $y$ 是 6。`y` 的值也还在：变量 `y` 仍然引用着这个张量，反向传播不会改变这一点。消失的是乘法节点对 `x` 的引用：

# %% gone covers=[39] tags=["raises-exception"]
y.grad_fn._saved_other

# %% [markdown] lang="en"
# Now a longer graph, $\sum (w x + b)^2$. The yellow slips are what its nodes keep:

# %% [markdown] lang="zh" of="eb7df1f8"
# 换一张长一点的图：$\sum (w x + b)^2$。黄色的纸条就是节点保存的值：

# %% slips covers=[39]
total = ((w * x + b) ** 2).sum()
viz.draw(total, show="saved")

# %% [markdown] lang="en"
# **Move it:** play the pass step by step. Which nodes release something, and when? Click a node to see what it keeps. (On a static page, compare this picture with the one after the pass.)

# %% [markdown] lang="zh" of="7a18f4f0"
# **动一动：** 一步一步地播放这次反向传播。哪些节点释放了保存的值，在什么时候释放？点一下节点，看它保存着什么。（如果你看的是静态网页、没有运行内核，请把这张图和反向传播之后的那张比较一下。）

# %% lets-go covers=[39] tags=["moves"]
w.grad = b.grad = None  # clear the earlier gradients | 先清掉前面的梯度
with viz.record(total) as run:
    total.backward()

run

# %%
print(run)

# %% [markdown] lang="en"
# Each node releases what it saved as soon as it has run. Afterwards the slips are empty:

# %% [markdown] lang="zh" of="c85bb3bb"
# 每个节点一运行完，就释放自己保存的值。反向传播之后，纸条都空了：

# %% empty-slips covers=[39]
viz.draw(total, show="saved")

# %% [markdown] lang="en"
# `retain_graph=True` does one thing: the nodes release nothing, and the slips stay full. **Predict first:** what is `y.grad` afterwards, a number or `None`? (Is `y` a leaf? Lesson 4.)

# %% [markdown] lang="zh" of="b5e5a984"
# `retain_graph=True` 只做一件事：让节点什么也不释放，纸条还是满的。**先预测：** 之后 `y.grad` 是什么：一个数，还是 `None`？（`y` 是叶子吗？见第 4 课。）

# %%
predict("retained", ...)

# %% no-gradient-between covers=[39]
y = w * x
z = (y + b).sum()
z.backward(retain_graph=True)

reveal("retained", y.grad)

# %% [markdown] lang="en"
# The gradient of an intermediate value is not kept unless you ask, and the warning says so. Ask with `retain_grad()` (similar name, different job):

# %% [markdown] lang="zh" of="5724edf0"
# 中间值的梯度默认不保留，警告里说的也是这个。想保留它，得用 `retain_grad()`（和上面那个参数名字很像，却是另一回事）：

# %% retain-grad covers=[39]
y = w * x
y.retain_grad()
z = (y + b).sum()
z.backward()

print(y.grad)

# %% [markdown] lang="en"
# ### Exercise 2: backward twice
#
# Fix this function so that it really goes backward twice. Afterwards, no node should still hold anything.

# %% [markdown] lang="zh" of="30eae3af"
# ### 练习 2：反向传播两次
#
# 修改这个函数，让它真的能反向传播两次；做完以后，节点不应再保存任何值。


# %% exercise-twice covers=[39] tags=["exercise"]
def backward_twice(loss):
    loss.backward()
    loss.backward()


check.twice(backward_twice, torch.tensor([2.0]))


# %% tags=["solution"]
def backward_twice(loss):
    loss.backward(retain_graph=True)
    loss.backward()


check.twice(backward_twice, torch.tensor([2.0]))


# %% tags=["wrong"]
def backward_twice(loss):
    loss.backward(retain_graph=True)
    loss.backward(retain_graph=True)


check.twice(backward_twice, torch.tensor([2.0]))


# %% tags=["wrong"]
def backward_twice(loss):
    loss.backward()


check.twice(backward_twice, torch.tensor([2.0]))


# %% tags=["wrong"]
def backward_twice(loss):
    loss.backward(retain_graph=True)
    loss.backward(retain_graph=True)
    loss.backward()


check.twice(backward_twice, torch.tensor([2.0]))

# %% tags=["wrong"]
check.twice(lambda loss: loss.backward(torch.tensor(2.0)), torch.tensor([2.0]))

# %% tags=["wrong"]
check.twice(None, torch.tensor([2.0]))

# %% [markdown] lang="en"
# ## When retain_graph is the wrong cure
#
# Most people meet the error in a loop, where the real mistake is a different one: the loss was computed **once**, before the loop.
#
# ### Exercise 3: the loop
#
# Run it, read what the check says, fix the function. Try `retain_graph=True` as well, and see where `w` lands. (`with torch.no_grad():` lets the update write into `w` unrecorded: [Lesson 9](09_updating.ipynb). `zero_()` clears the gradient: [Lesson 6](06_accumulate.ipynb).)

# %% [markdown] lang="zh" of="18250d44"
# ## 什么时候不该用 retain_graph
#
# 大多数人是在循环里遇到开头那条报错的，而真正的错误在别处：损失只在循环之前算了**一次**。
#
# ### 练习 3：循环
#
# 运行下面的单元格，读一读检查给出的说明，再修改函数。也不妨试试 `retain_graph=True`，看看 `w` 停在哪里。（写上 `with torch.no_grad():`，更新时就能写入 `w` 而不被记录，见[第 9 课](09_updating.ipynb)；`zero_()` 把梯度清零，见[第 6 课](06_accumulate.ipynb)。）

# %%
X = torch.tensor([1.0, 2.0, 3.0])
Y = torch.tensor([3.0, 5.0, 7.0])


# %% exercise-loop covers=[39] tags=["exercise"]
def train(w):
    loss = ((Y - w * X) ** 2).sum()
    for _ in range(20):
        loss.backward()
        with torch.no_grad():
            w -= 0.03 * w.grad
        w.grad.zero_()
    return w


check.loop(train, torch.tensor([1.0], requires_grad=True))


# %% tags=["solution"]
def train(w):
    for _ in range(20):
        loss = ((Y - w * X) ** 2).sum()
        loss.backward()
        with torch.no_grad():
            w -= 0.03 * w.grad
        w.grad.zero_()
    return w


check.loop(train, torch.tensor([1.0], requires_grad=True))


# %% tags=["wrong"]
def train(w):
    loss = ((Y - w * X) ** 2).sum()
    for _ in range(20):
        loss.backward(retain_graph=True)
        with torch.no_grad():
            w -= 0.03 * w.grad
        w.grad.zero_()
    return w


check.loop(train, torch.tensor([1.0], requires_grad=True))


# %% tags=["wrong"]
def train(w):
    loss = ((Y - w * X) ** 2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.03 * w.grad
    return w


check.loop(train, torch.tensor([1.0], requires_grad=True))

# %% tags=["wrong"]
check.loop(lambda w: None, torch.tensor([1.0], requires_grad=True))

# %% tags=["wrong"]
check.loop(20, torch.tensor([1.0], requires_grad=True))

# %% [markdown] lang="en"
# ## What you know now
#
# - A node saves what its derivative needs: nothing, an input, another factor, or its result. Once it has run, it releases that, freeing memory nothing else uses.
# - `retain_graph=True` keeps saved tensors. It does not keep intermediate values (your variables do that) or their gradients (`retain_grad()` does).
# - In a loop, recompute the loss instead of keeping the old graph.
#
# **Next:** a node keeps the tensor, not a copy. What if you write into it? [Lesson 11](11_in_place.ipynb) · [All lessons](00_index.ipynb)

# %% [markdown] lang="zh" of="f00ddbf9"
# ## 小结
#
# - 节点保存求导数要用的值：有的什么也不保存，有的保存输入、另一个因子，或者自己的结果。反向传播之后，节点不再引用这些值；如果别处也没有引用，占用的内存随之释放。
# - `retain_graph=True` 保留的是节点保存的张量。中间值靠你的变量保留，中间值的梯度靠 `retain_grad()` 保留，都与这个参数无关。
# - 在循环里，请重新计算损失，而不是留着旧的计算图。
#
# **下一课：** 节点保存的是张量本身，不是副本。往里面写会怎样？[第 11 课](11_in_place.ipynb) · [全部课程](00_index.ipynb)
