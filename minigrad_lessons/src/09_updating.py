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
# # 9 · Updating weights
#
# [English](../en/09_updating.ipynb) · [中文](../zh/09_updating.ipynb) · [All lessons](00_index.ipynb) · about 25 minutes · path: *fix my training loop*
#
# > "Everybody writes `no_grad()` and `-=`. Why not simply `w = w - lr * w.grad`?"
#
# By the end of this page you know how the two differ, which tensor to write into, and why training loops are written with `no_grad()` and `-=`.

# %% [markdown] lang="zh" of="51546d5f"
# # 9 · 更新参数
#
# [English](../en/09_updating.ipynb) · [中文](../zh/09_updating.ipynb) · [全部课程](00_index.ipynb) · 约 25 分钟 · 路线：*修好训练循环*
#
# > “大家都写 `no_grad()` 和 `-=`。直接写 `w = w - lr * w.grad` 不行吗？”
#
# 学完这一课，你会知道两种写法差在哪里，新的值该写进哪个张量，以及训练循环为什么要写 `no_grad()` 和 `-=`。

# %% [markdown] lang="en"
# To run this page on PyTorch itself, change the first line to `import torch`.

# %% [markdown] lang="zh" of="8559a529"
# 想在 PyTorch 上运行本课，把第一行改成 `import torch` 即可。

# %%
import minigrad as torch
import viz
from minigrad_lessons.checks import updating as check
from minigrad_lessons.growing import Growing
from minigrad_lessons.predict import predict, reveal

# %% [markdown] lang="en"
# ## The puzzle
#
# Lesson 1's data again, and a loop that looks right. **Predict first:** how many of its three rounds does it finish?

# %% [markdown] lang="zh" of="cfa1bef1"
# ## 一个谜题
#
# 还是第 1 课的数据，下面的循环看上去没有问题。**先预测：** 三轮里它能走完几轮？

# %%
predict("rounds", ...)

# %% puzzle covers=[30] tags=["raises-exception"]
X = torch.tensor([1.0, 2.0, 3.0])
Y = torch.tensor([3.0, 5.0, 7.0])
w = torch.tensor([1.0], requires_grad=True)

for step in range(3):
    loss = ((Y - w * X) ** 2).sum()
    loss.backward()
    w = w - 0.03 * w.grad  # one step downhill | 沿下坡走一步
    print(step, w)

# %%
reveal("rounds", step)

# %% [markdown] lang="en"
# One. The printed line gives the reason away: `w` now has a `grad_fn`. The subtraction made a **new** tensor, a result, and `w` now refers to that one. By default results keep no gradient, so in the next round `w.grad` is `None`. In the picture below, the old leaf, to which no variable refers any more, is called `leaf1`. (Its gradient is −46.4: the second round's backward still reached it and added −6.4 to −40.)

# %% [markdown] lang="zh" of="9e5bccf6"
# 只走完一轮。从打印出来的内容就能看出原因：这时 `w` 有了 `grad_fn`。减法产生了一个**新**张量，也就是运算结果，变量 `w` 改为引用它。运算结果默认不保留梯度，所以下一轮 `w.grad` 是 `None`。原来的叶子已经没有变量引用，下图里叫它 `leaf1`。（它的梯度是 −46.4：第二轮的反向传播仍然传到了它，在 −40 上又加了 −6.4。）

# %%
viz.draw(w)

# %% [markdown] lang="en"
# ## 41, and then?
#
# Two updates, one after the other, both with learning rate 1. The first one gives 41. **Predict first:** what will the second one give?

# %% [markdown] lang="zh" of="be0e048c"
# ## 先是 41，然后呢？
#
# 接连做两次更新，学习率都是 1。第一次得到 41。**先预测：** 第二次会得到多少？

# %%
predict("second-update", ...)

# %% by-data covers=[29]
w = torch.Tensor([1.0])
w.requires_grad = True
((Y - w * X) ** 2).sum().backward()

w.data = w.data - w.grad.data
print(w)

# %% by-name covers=[30]
w = w - w.grad
reveal("second-update", w)

# %% [markdown] lang="en"
# 41, then 81: the old gradient, −40, was never cleared, so it is subtracted a second time ([Lesson 6](06_accumulate.ipynb)). With a fresh `w` and the first update skipped, the second one gives 41 as well. Cells in a notebook are not always run in the order of the page, which is how some study notes come to show 41 both times; *Restart Kernel and Run All Cells* runs them in that order.

# %% [markdown] lang="zh" of="c26820f5"
# 先是 41，然后是 81：旧的梯度 −40 没有清掉，又被减了一次（见[第 6 课](06_accumulate.ipynb)）。如果新建 `w`、反向传播之后跳过第一次更新，直接做第二次，得到的也是 41。在笔记本（notebook）里，单元格的排列顺序不一定是运行顺序；有的笔记里两次都显示 41，就是因为单元格没有按顺序运行。选“重启并运行所有单元格…”（英文菜单里是 *Restart Kernel and Run All Cells…*），才会从上到下重新运行一遍。

# %% [markdown] lang="en"
# ### Exercise 1: why 81?
#
# The same two lines, but `w` starts at 0. What is `w` after each?
#
# ```
# w.data = w.data - w.grad.data
# w = w - w.grad
# ```

# %% [markdown] lang="zh" of="8bf6a476"
# ### 练习 1：为什么是 81？
#
# 同样的两行，但 `w` 从 0 开始。每一行之后 `w` 是多少？
#
# ```
# w.data = w.data - w.grad.data
# w = w - w.grad
# ```

# %% exercise-twice covers=[29, 30] tags=["exercise"]
after_first, after_second = ..., ...
check.twice((after_first, after_second))

# %% tags=["solution"]
check.twice((68, 136))

# %% tags=["wrong"]
check.twice((-68, -136))

# %% tags=["wrong"]
check.twice((68, 68))

# %% tags=["wrong"]
check.twice((40, 80))

# %% tags=["wrong"]
check.twice(68)

# %% [markdown] lang="en"
# ## Does the graph grow?
#
# You may have read that `w = w - w.grad` builds a new graph each time, until memory runs out. Written as in the puzzle, it never gets that far: a result keeps no gradient, and the second round stops with an error. But ask for the gradient with `torch.autograd.grad`, which returns it instead of keeping it anywhere ([Lesson 12](12_hooks.ipynb)), and nothing stops `w = w - lr * g`. Then **what you read is right**: each new `w` holds the graph of all the steps before it. (The same happens where `retain_grad()` makes the results keep their gradient.)
#
# **Move it:** each step adds one more subtraction. (On a static page, you see the picture after four steps.)

# %% [markdown] lang="zh" of="2f4c2c9b"
# ## 计算图会越来越大吗？
#
# 也许你读到过：`w = w - w.grad` 每次都产生计算图，最后会把内存耗尽。照谜题里那样写，根本走不到那一步：运算结果默认不保留梯度，第二轮就报错停下了。但如果用 `torch.autograd.grad` 来求梯度，它只返回梯度，不会存到叶子里（见[第 12 课](12_hooks.ipynb)），`w = w - lr * g` 就不会报错，**这个提醒也就说对了**：每个新的 `w` 都连着前面每一步的计算图。（用 `retain_grad()` 让运算结果保留梯度，也是这样。）
#
# **动一动：** 每走一步，就多一次减法。（如果你看的是静态网页、没有运行内核，图里是四步之后的样子。）


# %% growing covers=[30] tags=["moves"]
def after(steps):
    w = torch.tensor([1.0], requires_grad=True)
    for _ in range(steps):
        loss = ((Y - w * X) ** 2).sum()
        (g,) = torch.autograd.grad(loss, w)
        w = w - 0.03 * g
    return w


growing = Growing(after, steps=4)
growing

# %%
print(growing)

# %% [markdown] lang="en"
# ## The right way
#
# We need two things. `w` must stay **the same leaf**, so write into it, with `-=`. And that writing must **not be recorded**: it is bookkeeping, not part of the loss. **Predict first:** does `-=` run without `no_grad()`?

# %% [markdown] lang="zh" of="0c50074f"
# ## 正确的写法
#
# 这里有两点要求：`w` 必须还是**原来那个叶子**，所以要用 `-=` 直接写进去；而且这次写入**不能被记录**，因为它只是更新数值，不属于损失的计算。**先预测：** 不写 `no_grad()`，`-=` 能运行吗？

# %%
predict("without-no-grad", ..., options=["runs", "raises"])

# %% leaf-refuses covers=[10] tags=["raises-exception"]
w = torch.tensor([1.0], requires_grad=True)
((Y - w * X) ** 2).sum().backward()

with reveal("without-no-grad"):
    w -= 0.03 * w.grad

# %% [markdown] lang="en"
# While recording is on, a tracked leaf cannot be written in place ([Lesson 4](04_leaves.ipynb)). With recording off, it can. This is the loop to remember:

# %% [markdown] lang="zh" of="b102560e"
# 记录开启时，被追踪的叶子不能原地写入（见[第 4 课](04_leaves.ipynb)）。关掉记录就没问题了。请记住这个循环：

# %% the-loop covers=[10]
w = torch.tensor([1.0], requires_grad=True)

for step in range(5):
    loss = ((Y - w * X) ** 2).sum()
    loss.backward()
    with torch.no_grad():  # the update is not part of the graph | 更新不记入计算图
        w -= 0.03 * w.grad
        w.grad.zero_()
    print(f"{step}: loss = {loss.item():7.4f}   w = {w.item():.4f}")

print(w.is_leaf, w.requires_grad)

# %% [markdown] lang="en"
# The loss has settled: training has converged. Look at one more round: the graph is as small as in the first, and the gradient still arrives at `w`, the same leaf.

# %% [markdown] lang="zh" of="2c45d4e5"
# 损失已经稳定下来，训练收敛了。再走一轮，看看计算图：它还是和第一轮一样小，梯度仍然传到 `w`，也就是原来那个叶子。

# %% one-more-round covers=[10]
loss = ((Y - w * X) ** 2).sum()
with viz.record(loss) as run:
    loss.backward()

run

# %% [markdown] lang="en"
# ### Exercise 2: repair it
#
# The puzzle's loop, as a function. Fix it so that `w` reaches the bottom and is still **the same** tracked leaf.

# %% [markdown] lang="zh" of="8425c333"
# ### 练习 2：修好循环
#
# 谜题里的循环，已经写成了函数。请修改这个函数，让 `w` 走到谷底，并且仍是**原来那个**被追踪的叶子。


# %% exercise-repair covers=[10, 30] tags=["exercise"]
def train(w):
    for _ in range(30):
        loss = ((Y - w * X) ** 2).sum()
        loss.backward()
        w = w - 0.03 * w.grad
    return w


check.repair(train, torch.tensor([1.0], requires_grad=True))


# %% tags=["solution"]
def train(w):
    for _ in range(30):
        loss = ((Y - w * X) ** 2).sum()
        loss.backward()
        with torch.no_grad():
            w -= 0.03 * w.grad
        w.grad.zero_()
    return w


check.repair(train, torch.tensor([1.0], requires_grad=True))


# %% tags=["wrong"]
def train(w):
    for _ in range(30):
        w.retain_grad()
        loss = ((Y - w * X) ** 2).sum()
        loss.backward()
        w = w - 0.03 * w.grad
    return w


check.repair(train, torch.tensor([1.0], requires_grad=True))


# %% tags=["wrong"]
def train(w):
    for _ in range(30):
        loss = ((Y - w * X) ** 2).sum()
        loss.backward()
        with torch.no_grad():
            w -= 0.03 * w.grad
    return w


check.repair(train, torch.tensor([1.0], requires_grad=True))


# %% tags=["wrong"]
def train(w):
    for _ in range(30):
        loss = ((Y - w * X) ** 2).sum()
        loss.backward()
        w -= 0.03 * w.grad
    return w


check.repair(train, torch.tensor([1.0], requires_grad=True))


# %% tags=["wrong"]
def train(w):
    for _ in range(30):
        w = w.detach().requires_grad_()
        ((Y - w * X) ** 2).sum().backward()
        w = (w - 0.03 * w.grad).detach()
    return w


check.repair(train, torch.tensor([1.0], requires_grad=True))

# %% [markdown] lang="en"
# ## And .data?
#
# `w.data = w.data - w.grad.data` gave 41 and kept `w` a leaf, so it works. But it bypasses the counter that tells autograd when a saved value was overwritten ([Lesson 8](08_stop_recording.ipynb)). Every tensor carries that counter:

# %% [markdown] lang="zh" of="f5f9a24e"
# ## 那么 .data 呢？
#
# `w.data = w.data - w.grad.data` 得到了 41，`w` 也还是叶子，所以这样写能用。但它绕过了一个计数器，而自动求导正是靠这个计数器发现保存的值被覆盖了（见[第 8 课](08_stop_recording.ipynb)）。每个张量都有这个计数器：

# %% version covers=[29]
w = torch.tensor([1.0], requires_grad=True)

w.data -= 1
print(w._version)  # after .data | 用 .data 之后

with torch.no_grad():
    w -= 1
print(w._version)  # after no_grad | 用 no_grad 之后

# %% [markdown] lang="en"
# ## Does w.grad build a graph?
#
# Most people expect that computing with `w.grad` never builds a graph. That is half right. **Predict first:** `w.grad` is untracked. Is `w.grad * w` tracked?

# %% [markdown] lang="zh" of="a08a368d"
# ## 用 w.grad 计算会建图吗？
#
# 很多人以为，用 `w.grad` 做运算不会产生计算图。这只对了一半。**先预测：** `w.grad` 未被追踪，`w.grad * w` 被追踪吗？

# %%
predict("grad-times-w", ..., options=[True, False])

# %% grad-in-a-graph covers=[24]
w = torch.tensor([1.0], requires_grad=True)
print(w.grad)

((Y - w * X) ** 2).sum().backward()
print(w.grad.requires_grad)
print((w.grad * 2).requires_grad)
reveal("grad-times-w", (w.grad * w).requires_grad)

# %% [markdown] lang="en"
# The rule is always the same: is any input tracked? `w` is. (And before the first backward `w.grad` is not even a tensor, it is `None`.) You can even ask for a gradient with a graph of its own; [Lesson 12](12_hooks.ipynb) differentiates it again:

# %% [markdown] lang="zh" of="1e6f6fbf"
# 判断的标准始终是一条：有没有输入被追踪？`w` 就是被追踪的。（而且第一次反向传播之前，`w.grad` 连张量都不是，而是 `None`。）你甚至可以让求出的梯度也带上自己的计算图，[第 12 课](12_hooks.ipynb)会对它再求一次导：

# %% create-graph covers=[24]
loss = ((Y - w * X) ** 2).sum()
(gradient,) = torch.autograd.grad(loss, w, create_graph=True)

print(gradient.item(), gradient.requires_grad)

# %% [markdown] lang="en"
# ### Exercise 3: train a line
#
# Now with two parameters: train `w` and `b` until the sum of `(Y - (w * X + b)) ** 2` is below 0.001. Choose the learning rate and the number of steps yourself, and return the parameters: `return w, b`.

# %% [markdown] lang="zh" of="1bcc57df"
# ### 练习 3：训练一条直线
#
# 现在有两个参数：训练 `w` 和 `b`，直到 `(Y - (w * X + b)) ** 2` 之和小于 0.001。学习率和步数由你自己定，最后把两个参数一起返回：`return w, b`。


# %% exercise-fit covers=[10] tags=["exercise"]
def fit(w, b):
    return ...


check.fit(fit, torch.tensor([1.0], requires_grad=True), torch.tensor([0.5], requires_grad=True))


# %% tags=["solution"]
def fit(w, b):
    for _ in range(1000):
        loss = ((Y - (w * X + b)) ** 2).sum()
        loss.backward()
        with torch.no_grad():
            for parameter in (w, b):
                parameter -= 0.03 * parameter.grad
                parameter.grad.zero_()
    return w, b


check.fit(fit, torch.tensor([1.0], requires_grad=True), torch.tensor([0.5], requires_grad=True))

# %% tags=["wrong"]
check.fit(lambda w, b: (w, b), torch.tensor([1.0], requires_grad=True), torch.tensor([0.5], requires_grad=True))


# %% tags=["wrong"]
def fit(w, b):
    for _ in range(10):
        loss = ((Y - (w * X + b)) ** 2).sum()
        loss.backward()
        with torch.no_grad():
            for parameter in (w, b):
                parameter -= 0.01 * parameter.grad
                parameter.grad.zero_()
    return w, b


check.fit(fit, torch.tensor([1.0], requires_grad=True), torch.tensor([0.5], requires_grad=True))


# %% tags=["wrong"]
def fit(w, b):
    for _ in range(1000):
        loss = ((Y - (w * X + b)) ** 2).sum()
        loss.backward()
        with torch.no_grad():
            for parameter in (w, b):
                parameter -= 0.3 * parameter.grad
                parameter.grad.zero_()
    return w, b


check.fit(fit, torch.tensor([1.0], requires_grad=True), torch.tensor([0.5], requires_grad=True))

# %% tags=["wrong"]
check.fit(lambda w, b: w, torch.tensor([1.0], requires_grad=True), torch.tensor([0.5], requires_grad=True))

# %% tags=["wrong"]
check.fit(lambda w, b: 1 / 0, torch.tensor([1.0], requires_grad=True), torch.tensor([0.5], requires_grad=True))

# %% [markdown] lang="en"
# ## Review: lessons 5 to 9
#
# ### Exercise 4: five gradients
#
# `x` is `torch.tensor(3.0, requires_grad=True)`, fresh for each line. What number is `x.grad` afterwards?

# %% [markdown] lang="zh" of="2572744a"
# ## 复习：第 5 到 9 课
#
# ### 练习 4：五个梯度
#
# 每一行开始时，`x` 都是新的 `torch.tensor(3.0, requires_grad=True)`。运行那一行之后，`x.grad` 是多少？

# %% exercise-so-far covers=[5, 38, 49, 54, 55] tags=["exercise"]
my_guesses = {
    "((2 * x) * (x + 1)).backward()": ...,
    "(x * x).backward(); (x * x).backward()": ...,
    "(x.detach() * x * x).backward()": ...,
    "torch.stack([x, 2 * x, 5 * x]).backward(torch.tensor([1.0, 10.0, 100.0]))": ...,
    "((x + torch.zeros(4)) * 2).sum().backward()": ...,
}
check.so_far(my_guesses)

# %% tags=["solution"]
my_guesses = {
    "((2 * x) * (x + 1)).backward()": 14,
    "(x * x).backward(); (x * x).backward()": 12,
    "(x.detach() * x * x).backward()": 18,
    "torch.stack([x, 2 * x, 5 * x]).backward(torch.tensor([1.0, 10.0, 100.0]))": 521,
    "((x + torch.zeros(4)) * 2).sum().backward()": 8,
}
check.so_far(my_guesses)

# %% tags=["wrong"]
my_guesses = {
    "((2 * x) * (x + 1)).backward()": 8,
    "(x * x).backward(); (x * x).backward()": 12,
    "(x.detach() * x * x).backward()": 18,
    "torch.stack([x, 2 * x, 5 * x]).backward(torch.tensor([1.0, 10.0, 100.0]))": 521,
    "((x + torch.zeros(4)) * 2).sum().backward()": 8,
}
check.so_far(my_guesses)

# %% tags=["wrong"]
my_guesses = {
    "((2 * x) * (x + 1)).backward()": 14,
    "(x * x).backward(); (x * x).backward()": 6,
    "(x.detach() * x * x).backward()": 18,
    "torch.stack([x, 2 * x, 5 * x]).backward(torch.tensor([1.0, 10.0, 100.0]))": 521,
    "((x + torch.zeros(4)) * 2).sum().backward()": 8,
}
check.so_far(my_guesses)

# %% tags=["wrong"]
my_guesses = {
    "((2 * x) * (x + 1)).backward()": 14,
    "(x * x).backward(); (x * x).backward()": 12,
    "(x.detach() * x * x).backward()": 27,
    "torch.stack([x, 2 * x, 5 * x]).backward(torch.tensor([1.0, 10.0, 100.0]))": 521,
    "((x + torch.zeros(4)) * 2).sum().backward()": 8,
}
check.so_far(my_guesses)

# %% tags=["wrong"]
my_guesses = {
    "((2 * x) * (x + 1)).backward()": 14,
    "(x * x).backward(); (x * x).backward()": 12,
    "(x.detach() * x * x).backward()": 18,
    "torch.stack([x, 2 * x, 5 * x]).backward(torch.tensor([1.0, 10.0, 100.0]))": 8,
    "((x + torch.zeros(4)) * 2).sum().backward()": 8,
}
check.so_far(my_guesses)

# %% tags=["wrong"]
my_guesses = {
    "((2 * x) * (x + 1)).backward()": 14,
    "(x * x).backward(); (x * x).backward()": 12,
    "(x.detach() * x * x).backward()": 18,
    "torch.stack([x, 2 * x, 5 * x]).backward(torch.tensor([1.0, 10.0, 100.0]))": 521,
    "((x + torch.zeros(4)) * 2).sum().backward()": 2,
}
check.so_far(my_guesses)

# %% [markdown] lang="en"
# ### Exercise 5: two faults
#
# The same data, a mean loss, and a loop with two faults, from lessons 6 and 8. Fix it, so that `w` and `b` reach 2 and 1.

# %% [markdown] lang="zh" of="48bc089d"
# ### 练习 5：两处错误
#
# 还是前面的数据，损失取平均值，可这个循环有两处错误，一处在第 6 课讲过，一处在第 8 课讲过。请改好它，让 `w` 和 `b` 收敛到 2 和 1。


# %% exercise-two-faults covers=[10, 14, 38] tags=["exercise"]
def train(w, b):
    for _ in range(300):
        with torch.no_grad():
            prediction = w * X
        loss = ((Y - prediction - b) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
            b -= 0.1 * b.grad
        w.grad = None
    return w, b


check.two_faults(train, torch.tensor([1.0], requires_grad=True), torch.tensor([0.5], requires_grad=True))


# %% tags=["solution"]
def train(w, b):
    for _ in range(300):
        loss = ((Y - w * X - b) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
            b -= 0.1 * b.grad
        w.grad = None
        b.grad = None
    return w, b


check.two_faults(train, torch.tensor([1.0], requires_grad=True), torch.tensor([0.5], requires_grad=True))


# %% tags=["solution"]
def train(w, b):
    optimizer = torch.optim.SGD([w, b], lr=0.1)
    for _ in range(300):
        optimizer.zero_grad()
        loss = ((Y - w * X - b) ** 2).mean()
        loss.backward()
        optimizer.step()
    return w, b


check.two_faults(train, torch.tensor([1.0], requires_grad=True), torch.tensor([0.5], requires_grad=True))


# %% tags=["wrong"]
def train(w, b):
    for _ in range(300):
        loss = ((Y - w * X - b) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
            b -= 0.1 * b.grad
        w.grad = None
    return w, b


check.two_faults(train, torch.tensor([1.0], requires_grad=True), torch.tensor([0.5], requires_grad=True))


# %% tags=["wrong"]
def train(w, b):
    for _ in range(300):
        with torch.no_grad():
            prediction = w * X
        loss = ((Y - prediction - b) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
            b -= 0.1 * b.grad
        b.grad = None
    return w, b


check.two_faults(train, torch.tensor([1.0], requires_grad=True), torch.tensor([0.5], requires_grad=True))


# %% tags=["wrong"]
def train(w, b):
    for _ in range(1):
        loss = ((Y - w * X - b) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
            b -= 0.1 * b.grad
        w.grad.zero_()
        b.grad.zero_()
    return w, b


check.two_faults(train, torch.tensor([1.0], requires_grad=True), torch.tensor([0.5], requires_grad=True))


# %% tags=["wrong"]
def train(w, b):
    for _ in range(20):
        loss = ((Y - w * X - b) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w += 0.1 * w.grad
            b += 0.1 * b.grad
        w.grad = None
        b.grad = None
    return w, b


check.two_faults(train, torch.tensor([1.0], requires_grad=True), torch.tensor([0.5], requires_grad=True))


# %% tags=["wrong"]
def train(w, b):
    return torch.tensor([2.0]), torch.tensor([1.0])


check.two_faults(train, torch.tensor([1.0], requires_grad=True), torch.tensor([0.5], requires_grad=True))

# %% [markdown] lang="en"
# ## What you know now
#
# - `w = w - ...` makes a result and loses the leaf; in a loop it stops with an error, or its graph grows with every step. `w -= ...` writes into the leaf, and needs `no_grad()`.
# - The loop: loss, backward, update under `no_grad()`, clear. An optimizer does the last two for you ([Lesson 6](06_accumulate.ipynb)).
# - A gradient left uncleared is used again: that is how 41 became 81.
# - `.data` works, but autograd does not notice the change. Prefer `no_grad()`.
#
# **Next:** each round computes a new loss. Why not run backward on the old one twice? [Lesson 10](10_saved_tensors.ipynb) · [All lessons](00_index.ipynb)

# %% [markdown] lang="zh" of="cf73356c"
# ## 小结
#
# - `w = w - ...` 产生运算结果，丢掉叶子；写在循环里，要么报错，要么计算图一步比一步大。`w -= ...` 原地写入叶子，需要 `no_grad()`。
# - 训练循环：算损失、反向传播、在 `no_grad()` 里更新、清零。后两步可以交给优化器（见[第 6 课](06_accumulate.ipynb)）。
# - 没清掉的梯度会再用一次：41 就是这样变成 81 的。
# - `.data` 能用，但这样改动，自动求导察觉不到。请优先用 `no_grad()`。
#
# **下一课：** 每一轮都重新计算损失。为什么不在旧的计算图上再反向传播一次？[第 10 课](10_saved_tensors.ipynb) · [全部课程](00_index.ipynb)
