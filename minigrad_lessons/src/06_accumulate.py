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
# # 6 · Accumulate and zero
#
# [English](../en/06_accumulate.ipynb) · [中文](../zh/06_accumulate.ipynb) · [All lessons](00_index.ipynb) · about 20 minutes · path: *fix my training loop*
#
# > "The learning rate is small, and still my loss jumps up and down. And why does everybody write `zero_grad()`?"
#
# By the end of this page you know why gradients add up, when that is exactly what you want, and two ways to clear them that are not quite the same. (The adding is done by the leaf's `AccumulateGrad`, which you met in lesson 3.)

# %% [markdown] lang="zh" of="c4da109c"
# # 6 · 累加与清零
#
# [English](../en/06_accumulate.ipynb) · [中文](../zh/06_accumulate.ipynb) · [全部课程](00_index.ipynb) · 约 20 分钟 · 路线：*修好训练循环*
#
# > “学习率已经很小了，损失还是忽高忽低。另外，为什么大家都要写 `zero_grad()`？”
#
# 学完这一课，你会知道梯度为什么要累加，什么时候正好需要累加，以及两种清零的办法有什么不同。（做加法的，是第 3 课见过的、叶子对应的 `AccumulateGrad`。）

# %% [markdown] lang="en"
# To run this page on PyTorch itself, change the first line to `import torch`.

# %% [markdown] lang="zh" of="8559a529"
# 想在 PyTorch 上运行本课，把第一行改成 `import torch` 即可。

# %%
import minigrad as torch
import viz
from minigrad_lessons.checks import accumulate as check
from minigrad_lessons.filling import Filling
from minigrad_lessons.predict import predict, reveal

# %% [markdown] lang="en"
# ## Three, then what?
#
# $z = 3w$, so $\dfrac{dz}{dw} = 3$. **Predict first:** the same line runs twice. What does the second `print` show?

# %% [markdown] lang="zh" of="01bea140"
# ## 先是 3，然后呢？
#
# $z = 3w$，所以 $\dfrac{dz}{dw} = 3$。**先预测：** 同样的计算做两遍，第二次 `print` 显示多少？

# %%
predict("three-then", ...)

# %% three-six covers=[38]
w = torch.tensor(2.0, requires_grad=True)

z = 3 * w
z.backward()
print(w.grad)

z = 3 * w
z.backward()
print(w.grad)
reveal("three-then", w.grad)

# %% [markdown] lang="en"
# 3, then 6. The slope is 3 both times; `backward()` **adds** what it finds to what is in `w.grad` already. Watch a third pass do it: play it, and look at the last step, where the 3 arrives.

# %% [markdown] lang="zh" of="d7cb2b60"
# 先是 3，然后是 6。两次的斜率都是 3，只是 `backward()` 会把求出的梯度**加**到 `w.grad` 已有的值上。接着做第三遍：播放下面的反向传播，留意最后一步，看 3 是怎样加到 6 上的。

# %% piles-up covers=[38]
z = 3 * w
with viz.record(z) as run:
    z.backward()

run

# %% [markdown] lang="en"
# **Move it:** run backward a few times, clear, run again. (On a static page, the bars show one such sequence.)

# %% [markdown] lang="zh" of="023ce216"
# **动一动：** 做几次反向传播，清零，再来一次。（如果你看的是静态网页、没有运行内核，下面的柱子就是这样一串操作的结果。）


# %% filling covers=[38] tags=["moves"]
def loss(w):
    return (3 * w).sum()


Filling(loss, w=torch.tensor([2.0]))

# %% [markdown] lang="en"
# ### Exercise 1: predict the sequence
#
# `x` is 3 and the loss is $x^2$. What is `x.grad` after each of these four lines?
#
# ```
# (x**2).backward()
# (x**2).backward()
# x.grad.zero_()
# (x**2).backward()
# ```

# %% [markdown] lang="zh" of="5ae843a5"
# ### 练习 1：预测一串结果
#
# `x` 是 3，损失是 $x^2$。下面四行，每一行之后 `x.grad` 是多少？
#
# ```
# (x**2).backward()
# (x**2).backward()
# x.grad.zero_()
# (x**2).backward()
# ```

# %% exercise-sequence covers=[38] tags=["exercise"]
my_grads = [..., ..., ..., ...]
check.sequence(my_grads)

# %% tags=["solution"]
check.sequence([6, 12, 0, 6])

# %% tags=["solution"]
x = torch.tensor(3.0, requires_grad=True)
found = []
for clear in (False, False, True, False):
    x.grad.zero_() if clear else (x**2).backward()
    found.append(x.grad.item())
check.sequence(found)

# %% tags=["wrong"]
check.sequence([6, 6, 0, 6])

# %% tags=["wrong"]
check.sequence([9, 18, 0, 9])

# %% tags=["wrong"]
check.sequence([6, 12, 0, 18])

# %% tags=["wrong"]
check.sequence(6)

# %% [markdown] lang="en"
# ## Why add at all?
#
# Because the chain rule calls for a sum. A loss over many samples is a sum, so its gradient is the sum of the samples' gradients: you may take the samples one at a time and get the gradient of the whole. Here is the −40 of lesson 1 again, one sample at a time:

# %% [markdown] lang="zh" of="e3e5e763"
# ## 为什么要累加？
#
# 因为链式法则要求的就是相加。多个样本的总损失是各样本损失之和，它的梯度也就是各样本梯度之和。所以可以一个样本一个样本地算，最后得到的梯度与一次全部算完的一模一样。下面把第 1 课的 −40 分三次算出来，每次一个样本：

# %% in-three-helpings covers=[38]
X = torch.tensor([1.0, 2.0, 3.0])
Y = torch.tensor([3.0, 5.0, 7.0])
w = torch.tensor([1.0], requires_grad=True)

for x, y in zip(X, Y):
    ((y - w * x) ** 2).sum().backward()
    print(w.grad)

# %% [markdown] lang="en"
# This is called **gradient accumulation**. People use it when a batch is too large for memory: they split it, run one backward for each **mini-batch**, then take one step.

# %% [markdown] lang="zh" of="29585c14"
# 这叫**梯度累加**（gradient accumulation）。一批数据太大、内存放不下时，大家就这么做：把它分成几个**小批量**（mini-batch），分别做反向传播，最后再更新一次。

# %% [markdown] lang="en"
# That works as it is because the loss is a **sum**. If it is a mean, as most losses are, the gradients of three mini-batches add up to three times the right one. Divide each loss by the number of mini-batches (here they all have the same size):

# %% [markdown] lang="zh" of="bd54fe03"
# 能直接这样做，是因为这里的损失是**求和**。大多数损失其实取平均；那样的话，三个小批量的梯度加起来就是应有值的三倍。这时要把每个小批量的损失除以小批量的个数（这里各个小批量一样大）：

# %% mean-in-parts covers=[38]
w.grad = None
for x, y in zip(X, Y):
    (((y - w * x) ** 2).mean() / 3).backward()
print(w.grad)  # in three parts | 分三次

w.grad = None
((Y - w * X) ** 2).mean().backward()
print(w.grad)  # all at once | 一次算完

# %% [markdown] lang="en"
# ## In a training loop
#
# Every step needs the gradient at the *new* `w` alone. **Predict first:** this loop never clears. Will `w` have settled at the bottom of the valley, near 2.43, after eight steps?

# %% [markdown] lang="zh" of="40c8eb91"
# ## 在训练循环里
#
# 训练时，每一步只需要**新的** `w` 处的梯度。**先预测：** 下面的循环从不清零，八步之后，`w` 会停在谷底（约 2.43）吗？

# %%
predict("settles", ..., options=[True, False])

# %% never-cleared covers=[38]
w = torch.tensor([1.0], requires_grad=True)

for step in range(8):
    loss = ((Y - w * X) ** 2).sum()
    loss.backward()
    print(f"{step}: w = {w.item():.2f}   loss = {loss.item():5.2f}", end="   ")
    print(f"w.grad = {w.grad.item():6.2f}")
    with torch.no_grad():
        w -= 0.03 * w.grad  # w.grad still holds all earlier steps | w.grad 里还留着前面各步的梯度
reveal("settles", abs(w.item() - 34 / 14) < 0.1)

# %% [markdown] lang="en"
# `w` swings past the bottom, and past it again, and never settles: every step still contains the old gradients. (`torch.no_grad()` says *do not record this line*; [Lesson 9](09_updating.ipynb) explains why it must be there.)

# %% [markdown] lang="zh" of="6e80855f"
# `w` 一次次冲过谷底，停不下来：每一步里都还含着旧的梯度。（`torch.no_grad()` 的意思是“这一行不要记录”，为什么必须这样写，见[第 9 课](09_updating.ipynb)。）

# %% [markdown] lang="en"
# ### Exercise 2: fix the loop
#
# The same loop as a function. Fix it so that twenty steps lead to the bottom.

# %% [markdown] lang="zh" of="50d2859e"
# ### 练习 2：修好这个循环
#
# 同一个循环，写成了函数。请修改这个函数，使训练走二十步就到谷底。


# %% exercise-train covers=[38] tags=["exercise"]
def train(w):
    for _ in range(20):
        loss = ((Y - w * X) ** 2).sum()
        loss.backward()
        with torch.no_grad():
            w -= 0.03 * w.grad
    return w


check.train(train, torch.tensor([1.0], requires_grad=True))


# %% tags=["solution"]
def train(w):
    for _ in range(20):
        loss = ((Y - w * X) ** 2).sum()
        loss.backward()
        with torch.no_grad():
            w -= 0.03 * w.grad
        w.grad.zero_()
    return w


check.train(train, torch.tensor([1.0], requires_grad=True))


# %% tags=["solution"]
def train(w):
    for _ in range(20):
        w.grad = None
        loss = ((Y - w * X) ** 2).sum()
        loss.backward()
        with torch.no_grad():
            w -= 0.03 * w.grad
    return w


check.train(train, torch.tensor([1.0], requires_grad=True))


# %% tags=["wrong"]
def train(w):
    for _ in range(20):
        loss = ((Y - w * X) ** 2).sum()
        loss.backward()
        w.grad.zero_()
        with torch.no_grad():
            w -= 0.03 * w.grad
    return w


check.train(train, torch.tensor([1.0], requires_grad=True))


# %% tags=["wrong"]
def train(w):
    loss = ((Y - w * X) ** 2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.03 * w.grad
    return w


check.train(train, torch.tensor([1.0], requires_grad=True))


# %% tags=["wrong"]
def train(w):
    ((Y - w * X) ** 2).sum().backward()


check.train(train, torch.tensor([1.0], requires_grad=True))

# %% tags=["wrong"]
check.train("zero_grad", torch.tensor([1.0], requires_grad=True))

# %% [markdown] lang="en"
# ## Two ways to clear
#
# `w.grad.zero_()` writes zeros into the gradient tensor. `w.grad = None` drops the reference to it; the next backward makes a new one. With either, the loop is right. They differ when another variable still refers to the gradient:

# %% [markdown] lang="zh" of="608394d9"
# ## 两种清零的办法
#
# `w.grad.zero_()` 把 0 写进梯度张量；`w.grad = None` 则是不再引用它，下次反向传播时会新建一个梯度张量。用哪一种，循环都是对的。要是还有别的变量引用着这个梯度，区别就显出来了：

# %% zero-writes covers=[38]
w = torch.tensor([2.0], requires_grad=True)
(3 * w).sum().backward()

kept = w.grad
w.grad.zero_()
print(kept)

# %% none-lets-go covers=[38]
w = torch.tensor([2.0], requires_grad=True)
(3 * w).sum().backward()

kept = w.grad
w.grad = None
print(kept)

# %% [markdown] lang="en"
# To keep a gradient safely, keep a copy: `w.grad.clone()`.
#
# And the `zero_grad()` that everybody writes? It belongs to an **optimizer**: an object that holds the parameters, updates them with `step()` and clears their gradients with `zero_grad()`. **Predict first:** what is `w.grad` after this clearing, 0 or `None`?

# %% [markdown] lang="zh" of="6151c938"
# 想把梯度可靠地存下来，就保存一个副本：`w.grad.clone()`。
#
# 那么大家都写的 `zero_grad()` 呢？它是**优化器**的方法。优化器是负责管理模型参数的对象：`step()` 更新参数，`zero_grad()` 清零梯度。**先预测：** 这样清零之后，`w.grad` 是 0 还是 `None`？

# %%
predict("zero-grad", ..., options=[0, None])

# %% optimizer covers=[38]
w = torch.tensor([2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.03)

(3 * w).sum().backward()
optimizer.step()
print(w)

optimizer.zero_grad()
reveal("zero-grad", w.grad)

# %% [markdown] lang="en"
# It is `None`. (`zero_grad(set_to_none=False)` writes zeros instead.) And `step()` did what our line under `no_grad()` does: $2 - 0.03 \cdot 3 = 1.91$.

# %% [markdown] lang="zh" of="361c4496"
# 是 `None`。（写成 `zero_grad(set_to_none=False)`，才会写入 0。）而 `step()` 做的，就是我们写在 `no_grad()` 里的那一行：$2 - 0.03 \cdot 3 = 1.91$。

# %% [markdown] lang="en"
# To an optimizer, too, the two are different. A parameter whose gradient is `None` is skipped; one whose gradient is 0 is updated. Often that changes nothing. But some optimizers do not move a parameter by its gradient alone: `weight_decay` pulls it a little towards 0 each time, and `momentum` keeps some of the previous steps' motion. **Predict first:** with `weight_decay` on, which `w` moves: gradient 0, or gradient `None`?

# %% [markdown] lang="zh" of="93b3c14b"
# 对优化器来说，这两种清零也不一样：梯度是 `None` 的参数会被跳过，梯度是 0 的参数照样更新。结果往往没有差别，但优化器更新参数时，不一定只看梯度：`weight_decay` 每次把参数往 0 拉近一点，`momentum` 则沿着前几步的方向继续走。**先预测：** 打开 `weight_decay`，下面两个 `w`，一个的梯度是 0，另一个是 `None`，哪个会变：前者（0）、后者（None）、两个都变（both），还是都不变（neither）？

# %%
predict("who-moves", ..., options=["0", "None", "both", "neither"])

# %% zero-is-not-none covers=[38]
moved = []
for name, cleared in [("0", torch.zeros(1)), ("None", None)]:
    w = torch.tensor([2.0], requires_grad=True)
    w.grad = cleared
    torch.optim.SGD([w], lr=0.1, weight_decay=0.1).step()
    print(w)
    if w.item() != 2:
        moved.append(name)
reveal("who-moves", " ".join(moved))

# %% [markdown] lang="en"
# ## Clearing a result's gradient
#
# Older code writes `w.grad.data.zero_()`. On a leaf that works (the `.data` is not needed):

# %% [markdown] lang="zh" of="7353c871"
# ## 给运算结果的梯度清零
#
# 老代码常写 `w.grad.data.zero_()`。对叶子来说没有问题（其实不需要 `.data`）：

# %% data-zero covers=[32]
w = torch.tensor([1.0], requires_grad=True)
((Y - w * X) ** 2).sum().backward()

w.grad.data.zero_()
print(w.grad)

# %% [markdown] lang="en"
# But many people update with `w = w - w.grad`. **Predict first:** the gradient was 0 before. What is `w.grad` *after* that line, 0 or `None`?

# %% [markdown] lang="zh" of="f3eb4d69"
# 不过很多人用 `w = w - w.grad` 来更新。**先预测：** 之前的梯度是 0。运行这一行**之后**，`w.grad` 是 0 还是 `None`？

# %%
predict("after-rebinding", ..., options=[0, None])

# %% data-zero-fails covers=[32] tags=["raises-exception"]
w = w - w.grad
reveal("after-rebinding", w.grad)
w.grad.data.zero_()

# %% [markdown] lang="en"
# The name `w` now refers to a result, and a result keeps no gradient: `w.grad` is `None`, and `None` has no `.data`. The leaf, with its gradient, is still there, but no name refers to it. (See [Lesson 4](04_leaves.ipynb).)

# %% [markdown] lang="zh" of="03419689"
# 变量名 `w` 现在引用的是一个运算结果，而运算结果默认不保存梯度：`w.grad` 是 `None`，`None` 没有 `.data`。保存着梯度的那个叶子还在，只是没有变量引用它了。（见[第 4 课](04_leaves.ipynb)。）

# %% [markdown] lang="en"
# ### Exercise 3: None or zero?
#
# `w = torch.tensor([2.0], requires_grad=True)` is fresh for each line. What does the last expression of the line give, `True` or `False`?

# %% [markdown] lang="zh" of="9ea6596c"
# ### 练习 3：是 None 还是 0？
#
# 每一行都从新建的 `w = torch.tensor([2.0], requires_grad=True)` 开始。各行最后一个表达式的值是 `True` 还是 `False`？

# %% exercise-none-or-zero covers=[32, 38] tags=["exercise"]
my_guesses = {
    "w.grad is None": ...,
    "(3 * w).sum().backward(); w.grad.zero_(); w.grad is None": ...,
    "(3 * w).sum().backward(); w.grad = None; w.grad is None": ...,
    "(3 * w).sum().backward(); kept = w.grad; w.grad.zero_(); kept.item() == 3": ...,
    "(3 * w).sum().backward(); kept = w.grad; w.grad = None; kept.item() == 3": ...,
}
check.none_or_zero(my_guesses)

# %% tags=["solution"]
my_guesses = {
    "w.grad is None": True,
    "(3 * w).sum().backward(); w.grad.zero_(); w.grad is None": False,
    "(3 * w).sum().backward(); w.grad = None; w.grad is None": True,
    "(3 * w).sum().backward(); kept = w.grad; w.grad.zero_(); kept.item() == 3": False,
    "(3 * w).sum().backward(); kept = w.grad; w.grad = None; kept.item() == 3": True,
}
check.none_or_zero(my_guesses)

# %% tags=["wrong"]
check.none_or_zero(check.NONE_OR_ZERO | {"(3 * w).sum().backward(); w.grad = None; w.grad is None": False})

# %% tags=["wrong"]
my_guesses = {
    "w.grad is None": False,
    "(3 * w).sum().backward(); w.grad.zero_(); w.grad is None": False,
    "(3 * w).sum().backward(); w.grad = None; w.grad is None": True,
    "(3 * w).sum().backward(); kept = w.grad; w.grad.zero_(); kept.item() == 3": False,
    "(3 * w).sum().backward(); kept = w.grad; w.grad = None; kept.item() == 3": True,
}
check.none_or_zero(my_guesses)

# %% tags=["wrong"]
my_guesses = {
    "w.grad is None": True,
    "(3 * w).sum().backward(); w.grad.zero_(); w.grad is None": False,
    "(3 * w).sum().backward(); w.grad = None; w.grad is None": True,
    "(3 * w).sum().backward(); kept = w.grad; w.grad.zero_(); kept.item() == 3": True,
    "(3 * w).sum().backward(); kept = w.grad; w.grad = None; kept.item() == 3": True,
}
check.none_or_zero(my_guesses)

# %% tags=["wrong"]
check.none_or_zero([True, False, True, False, True])

# %% [markdown] lang="en"
# ## What you know now
#
# - `backward()` adds to `.grad`. Over samples, that is right; from step to step, it is wrong.
# - Clear after using the gradient and before the next backward: `zero_()` writes zeros, `= None` drops the reference.
#
# **Next:** so far the loss was one number. What if there are many? [Lesson 7](07_jacobians.ipynb) · [All lessons](00_index.ipynb)

# %% [markdown] lang="zh" of="3ed0e2ce"
# ## 小结
#
# - `backward()` 把梯度加到 `.grad` 上。把各个样本的梯度加起来，正是我们要的；把上一步的梯度加到下一步，就错了。
# - 用完梯度之后、下一次反向传播之前要清零：`zero_()` 写入 0，`= None` 则不再引用它。
#
# **下一课：** 到现在为止，损失都是一个数。要是输出不止一个数呢？[第 7 课](07_jacobians.ipynb) · [全部课程](00_index.ipynb)
