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
# # 1 · First gradient
#
# [English](../en/01_first_gradient.ipynb) · [中文](../zh/01_first_gradient.ipynb) · [All lessons](00_index.ipynb) · about 20 minutes
#
# > "I called `backward()`. No error came. So why is `w.grad` still `None`?"
#
# By the end of this page you can answer that, and you will have met a gradient from every side: predicted one, asked for one, seen the graph it came through, and worked it out by hand.
#
# Run a cell with **Shift + Enter**. Where the page says *predict first*, put your answer in place of `...`: it is locked, and the next cell sets the truth beside it. A wrong guess is not a failure here; it is the moment you learn something.

# %% [markdown] lang="zh" of="de6b9703"
# # 1 · 第一个梯度
#
# [English](../en/01_first_gradient.ipynb) · [中文](../zh/01_first_gradient.ipynb) · [全部课程](00_index.ipynb) · 约 20 分钟
#
# > “我明明调用了 `backward()`，也没有报错，为什么 `w.grad` 还是 `None`？”
#
# 学完这一课，你就能自己回答这个问题，还会从各个角度认识一个梯度：先预测它，再让自动求导算出它，接着在计算图里看它从哪里来，最后亲手把它推出来。
#
# 按 **Shift + Enter** 运行单元格。凡是写着*先预测*的地方，请把 `...` 换成你的答案：答案会被锁定，下一个单元格再把结果放到它旁边。猜错了不要紧，那正是学到东西的时候。

# %% [markdown] lang="en"
# ## One import
#
# Every line below is a line you could type in PyTorch. To run this page on PyTorch itself, change the first line to `import torch` and nothing else.

# %% [markdown] lang="zh" of="6f3605dc"
# ## 只改一行导入
#
# 下面每一行代码都是 PyTorch 里的写法。想在 PyTorch 上运行本课，只需把第一行改成 `import torch`，别的都不用动。

# %%
import minigrad as torch
import viz
from minigrad_lessons.checks import first_gradient as check
from minigrad_lessons.predict import predict, reveal

# %% [markdown] lang="en"
# ## The puzzle
#
# Here is that forum question in a few lines. Two numbers, `w` and `b`, should learn to turn each `X` into its `Y` by `w * X + b`.
#
# **Predict first:** read it slowly. After `backward()`, will `w` hold a gradient?

# %% [markdown] lang="zh" of="1f95cfda"
# ## 一个谜题
#
# 把论坛上的那个问题缩成几行：`w` 和 `b` 两个数，要学会用 `w * X + b` 从 `X` 算出 `Y`。
#
# **先预测：** 慢慢读一遍。调用 `backward()` 之后，`w` 会有梯度吗？

# %%
predict("typo", ..., options=[True, False])

# %% puzzle covers=[12]
X = torch.Tensor([1.0, 2.0, 3.0])
Y = torch.Tensor([3.0, 5.0, 7.0])

w = torch.Tensor([1.0])
b = torch.Tensor([0.0])
w.requries_grad = True
b.requires_grad = True

loss = ((Y - (w * X + b)) ** 2).sum()
loss.backward()

print("w.grad:", w.grad)
print("b.grad:", b.grad)
reveal("typo", w.grad is not None)

# %% [markdown] lang="en"
# `b` got its gradient, `w` got nothing, and nobody complained. Keep the puzzle in mind. First let us see what it looks like when everything goes right.

# %% [markdown] lang="zh" of="f4cb16d9"
# `b` 有梯度，`w` 却什么也没有，而且没有任何报错。先把这个谜题记在心里，我们来看一切正常时是什么样子。

# %% [markdown] lang="en"
# ## One number to make small
#
# Take `w` alone. For each pair the prediction is $w x_i$ and the miss is $y_i - w x_i$. Square the misses, add them up, and you have one number that says how bad this `w` is:
#
# $$\text{loss}(w) = \sum_i (y_i - w x_i)^2$$
#
# `w.requires_grad = True` says: *remember everything that is computed from this tensor; I shall ask for its gradient.*

# %% [markdown] lang="zh" of="d5afb1fe"
# ## 把一个数变小
#
# 先只看 `w`。对每一对数据，预测值是 $w x_i$，误差是 $y_i - w x_i$。把误差平方再相加，得到一个数，它衡量当前的 `w` 有多差：
#
# $$\text{loss}(w) = \sum_i (y_i - w x_i)^2$$
#
# `w.requires_grad = True` 的意思是：“凡是由这个张量算出来的东西都请记下来，我待会儿要它的梯度。”

# %% loss covers=[23]
w = torch.Tensor([1.0])
w.requires_grad = True

loss = ((Y - w * X) ** 2).sum()

print(Y - w * X)
print(loss)

# %% misses covers=[23]
from minigrad_lessons.misses import Misses

Misses(X, Y, w=w.item())

# %% [markdown] lang="en"
# The misses are 2, 3 and 4: in the picture, the dashed lines between the points and the line $w x$. So the loss is 4 + 9 + 16 = 29. The words after the numbers are new: `grad_fn=<SumBackward0>` is a label that says *a sum made me, and I know how to go back through it*.

# %% [markdown] lang="zh" of="16e115da"
# 三个误差是 2、3、4，也就是图中各点与直线 $w x$ 之间的虚线，所以损失是 4 + 9 + 16 = 29。数字后面多出来的 `grad_fn=<SumBackward0>` 像一张标签：“我由求和得来，也知道怎样从这里往回走”。

# %% [markdown] lang="en"
# ## Predict first
#
# `w` is 1 now. Imagine turning it up a little. Does the loss rise or fall, and how fast: how many units of loss for each unit of `w`?
#
# That speed is the **gradient**: the derivative $\dfrac{d\,\text{loss}}{dw}$ of the loss with respect to `w`. Rising is positive, falling is negative.

# %% [markdown] lang="zh" of="de5630f5"
# ## 先预测
#
# 现在 `w` 是 1。想象把它调大一点点：损失会上升还是下降？有多快？也就是说，`w` 每增加一个单位，损失变化多少？
#
# 这个变化率就是**梯度**，也就是损失对 `w` 的导数 $\dfrac{d\,\text{loss}}{dw}$：上升为正，下降为负。

# %%
predict("slope", ...)

# %% [markdown] lang="en"
# ## Run
#
# `loss.backward()` walks back from the loss to everything that asked for a gradient. It returns nothing; the answer is left in `w.grad`.

# %% [markdown] lang="zh" of="e3b9417a"
# ## 运行
#
# `loss.backward()` 从损失出发往回走，一直走到每个要求梯度的张量。它没有返回值，答案放在 `w.grad` 里。

# %% first-gradient covers=[28]
loss.backward()

reveal("slope", w.grad)

# %% [markdown] lang="en"
# Minus forty. The minus says that the loss **falls** when `w` grows, so this `w` is too small. The forty says that it falls steeply: by 40 for each *unit* of `w`. (A nudge of 0.1 lowers the loss by 3.86.)

# %% [markdown] lang="zh" of="b968ad28"
# 负 40。负号说明 `w` 增大时损失会**下降**，也就是现在的 `w` 太小了；40 说明下降得很陡：`w` 每增加一个**单位**，损失下降 40。（只增加 0.1，损失下降 3.86。）

# %% [markdown] lang="en"
# ## See it in the graph
#
# How did `backward()` know the way? While your line ran, every operation on a tracked tensor left a **node** behind, and each node points to the nodes behind its operation's inputs. Together they are the **computation graph**:

# %% [markdown] lang="zh" of="755507ad"
# ## 在图里看一看
#
# `backward()` 怎么认得路？你那一行代码运行时，对被追踪张量的每一步运算都留下了一个**节点**，每个节点又指向这步运算的各个输入背后的节点。它们连起来就是**计算图**：

# %%
viz.draw(loss)

# %% [markdown] lang="en"
# Follow it from `loss` to `w`: the sum, then the square (`PowBackward0`), then the subtraction, then the multiplication, and at the very end a node called `AccumulateGrad`. That last one does no mathematics. It takes the number that arrives and adds it to `w.grad`. This is where −40 was written.
#
# The two dashed boxes marked `None` stand for `Y` and `X`. They are plain data: nobody asked for their gradient, so the path ends there. (*other: freed* in one of them is for [Lesson 10](10_saved_tensors.ipynb).)
#
# (To watch this graph grow and the −40 travel through it, run `viz.live()` in a new cell under the imports, and then the cells below it once more.)

# %% [markdown] lang="zh" of="17a42434"
# 从 `loss` 一路走到 `w`：先是求和，再是平方（`PowBackward0`），然后是减法、乘法，最后到达一个叫 `AccumulateGrad` 的节点。它不做任何数学运算，只把传来的数加到 `w.grad` 上。−40 就是在这里写进去的。
#
# 两个写着 `None` 的虚线框代表 `Y` 和 `X`。它们只是数据，没有人要它们的梯度，路到这里就断了。（其中一个框里的 *other: freed*，到[第 10 课](10_saved_tensors.ipynb)再讲。）
#
# （想看着这张图长出来、看着 −40 一路传过去，就在导入下面新建一个单元格，运行 `viz.live()`，再把后面的单元格重新运行一遍。）

# %% [markdown] lang="en"
# ## Why −40
#
# Call one miss $r_i = y_i - w x_i$. When `w` grows by a little, $r_i$ shrinks by $x_i$ times what `w` grew by, and a square changes by $2 r_i$ times the change of $r_i$. That is the chain rule:
#
# $$\frac{d\,\text{loss}}{dw} = \sum_i 2 r_i \cdot (-x_i) = -2\,(1 \cdot 2 + 2 \cdot 3 + 3 \cdot 4) = -40$$
#
# The same in code, one number for each pair and then their sum:

# %% [markdown] lang="zh" of="c5da0a55"
# ## 为什么是 −40
#
# 把一个误差记作 $r_i = y_i - w x_i$。`w` 增大一点点时，$r_i$ 会减小，减小的量是 `w` 增量的 $x_i$ 倍；而平方的变化量是 $r_i$ 变化量的 $2 r_i$ 倍。这就是链式法则：
#
# $$\frac{d\,\text{loss}}{dw} = \sum_i 2 r_i \cdot (-x_i) = -2\,(1 \cdot 2 + 2 \cdot 3 + 3 \cdot 4) = -40$$
#
# 用代码再算一遍，先求出每一对数据的贡献，再相加：

# %% by-hand covers=[28]
r = Y - 1.0 * X

print(-2 * X * r)
print((-2 * X * r).sum())

# %% [markdown] lang="en"
# Every node knows just its own link of that chain. With `formula=True` the picture says which: $g$ is the gradient that arrives, and each rule makes of it the one that is sent on.

# %% [markdown] lang="zh" of="56d6bc68"
# 每个节点只管链条里自己的那一环。加上 `formula=True`，图上就会写出是哪一环：$g$ 是传到的梯度，每条规则由它算出要传下去的梯度。

# %% chain-rule covers=[28]
viz.draw(loss, show="formula")

# %% [markdown] lang="en"
# ## Move it
#
# The cell below runs a real `backward()` at each position of `w`. Run it, then drag the slider (or use the arrow keys). The curve is the loss, the dashed line has the slope `w.grad`.
#
# Look for two things: on which side of the valley is the gradient negative, and what is it near the bottom? (On a page that is not running, read the same numbers from the table.)

# %% [markdown] lang="zh" of="6644cbd0"
# ## 动一动
#
# 下面的单元格会在 `w` 的每个位置上真正运行一次 `backward()`。运行它，然后拖动滑块（也可以用方向键）。曲线是损失，虚线的斜率就是 `w.grad`。
#
# 请留意两件事：在谷底的哪一侧梯度为负？在谷底附近梯度是多少？（如果这一页没有在运行，可以从表里读出同样的数。）

# %% slope-slider covers=[28] tags=["moves"]
from minigrad_lessons.play import Play


def at(position):
    w = torch.tensor(position, requires_grad=True)
    loss = ((Y - w * X) ** 2).sum()
    loss.backward()
    return loss.item(), w.grad.item()


Play(at, w=(0.0, 5.0, 0.1), start=1.0)

# %% [markdown] lang="en"
# To the left of the bottom the gradient is negative: go right. To its right it is positive: go left. At the bottom it is 0. So a gradient is a signpost: **take a step against it, and if the step is small enough, the loss gets smaller.** All of training is that sentence, repeated; it is called **gradient descent**.

# %% [markdown] lang="zh" of="fc43a0ec"
# 在谷底左侧，梯度为负，应当向右走；在右侧，梯度为正，应当向左走；到了谷底，梯度为 0。所以梯度就像路标：**只要步子足够小，逆着它走一步，损失就会变小。** 训练模型，就是把这句话一遍遍地做下去，这叫**梯度下降**。

# %% [markdown] lang="en"
# ### Exercise 1: predict a gradient
#
# New data, `w` is 1 again, the same loss. Work the gradient out with the formula above (no `backward()` yet), put it in place of `...` and run the cell. A wrong answer gets a reason; `check.slope.hint(1)` gives you a push.

# %% [markdown] lang="zh" of="3753ff11"
# ### 练习 1：预测一个梯度
#
# 换一组数据，`w` 还是 1，损失的算法不变。用上面的公式算出梯度（先不要用 `backward()`），填到 `...` 处，运行单元格。答错了会告诉你错在哪里；需要提示就运行 `check.slope.hint(1)`。

# %%
X1 = torch.Tensor([1.0, 2.0])
Y1 = torch.Tensor([4.0, 4.0])

# %% exercise-slope covers=[28] tags=["exercise"]
my_slope = ...
check.slope(my_slope, X1, Y1)

# %% tags=["solution"]
my_slope = -14
check.slope(my_slope, X1, Y1)

# %% tags=["solution"]
w1 = torch.tensor([1.0], requires_grad=True)
((Y1 - w1 * X1) ** 2).sum().backward()
check.slope(w1.grad, X1, Y1)

# %% tags=["wrong"]
check.slope(14.0, X1, Y1)

# %% tags=["wrong"]
check.slope(-7, X1, Y1)

# %% tags=["wrong"]
check.slope(-10, X1, Y1)

# %% tags=["wrong"]
check.slope(-13, X1, Y1)

# %% tags=["wrong"]
check.slope("minus fourteen", X1, Y1)

# %% [markdown] lang="en"
# ### Exercise 2: change Y
#
# Keep `X` (1, 2, 3) and `w` = 1. Choose a `Y` for which `w` = 1 is already the best: the gradient there is 0. More than one answer is right.

# %% [markdown] lang="zh" of="7ee0f3fb"
# ### 练习 2：改一改 Y
#
# 保持 `X`（1、2、3）和 `w` = 1 不变。选一个 `Y`，让 `w` = 1 已经是最好的位置，也就是那里的梯度为 0。正确答案不止一个。

# %% exercise-flat covers=[28] tags=["exercise"]
my_Y = ...
check.flat(my_Y, X)

# %% tags=["solution"]
my_Y = torch.Tensor([1.0, 2.0, 3.0])
check.flat(my_Y, X)

# %% tags=["solution"]
my_Y = torch.Tensor([2.0, 3.0, 2.0])
check.flat(my_Y, X)

# %% tags=["wrong"]
my_Y = torch.Tensor([3.0, 5.0, 7.0])
check.flat(my_Y, X)

# %% tags=["wrong"]
my_Y = torch.Tensor([0.0, 0.0, 0.0])
check.flat(my_Y, X)

# %% tags=["wrong"]
my_Y = torch.Tensor([1.0])
check.flat(my_Y, X)

# %% tags=["wrong"]
my_Y = [1.0, 2.0, 3.0]
check.flat(my_Y, X)

# %% [markdown] lang="en"
# ## Back to the puzzle
#
# You know now what a healthy gradient needs. Read the line of the puzzle that raises the flag of `w` once more, letter by letter, and put two questions to it:

# %% [markdown] lang="zh" of="9acfe8d8"
# ## 回到谜题
#
# 现在你知道一个正常的梯度需要什么了。再逐个字母读一遍谜题里给 `w` 打开开关的那一行，然后问它两个问题：

# %% misspelt covers=[12]
w = torch.Tensor([1.0])
w.requries_grad = True

print("w.requries_grad:", w.requries_grad)
print("w.requires_grad:", w.requires_grad)

# %% [markdown] lang="en"
# There it is: `requries_grad`. Python lets you hang a new name on a tensor, as on most objects, so the misspelling quietly made a new attribute, and the real flag stayed `False`. This very typo has been copied from tutorial to tutorial: we read what we expect to see.
#
# The graph shows it at a glance. There is a path to `b` and none to `w`:

# %% [markdown] lang="zh" of="c761a7b8"
# 原来如此：写成了 `requries_grad`。Python 允许给张量添加新的属性，大多数对象都是这样，所以写错的名字悄悄变成了一个新属性，真正的开关仍是 `False`。网上不少教程和笔记都有这个笔误，传抄了一遍又一遍，因为人总会读成自己以为的样子。
#
# 看图就一目了然：有路通向 `b`，没有路通向 `w`：

# %%
b = torch.Tensor([0.0])
b.requires_grad = True

loss = ((Y - (w * X + b)) ** 2).sum()
viz.draw(loss)

# %% [markdown] lang="en"
# Without `b` we would have been luckier. Nothing is tracked then, and `backward()` says so.

# %% [markdown] lang="zh" of="abdc80a3"
# 要是没有 `b`，反而走运：这时没有任何张量被追踪，`backward()` 会直接报错：

# %% nothing-tracked covers=[12] tags=["raises-exception"]
loss = ((Y - w * X) ** 2).sum()
loss.backward()

# %% [markdown] lang="en"
# And there is a spelling that protects you. Given as an argument, the flag is checked, and a typo stops at once:

# %% [markdown] lang="zh" of="e478ae4e"
# 还有一种写法能保护你：把开关作为参数传进去，名字会被检查，写错了立刻报错：

# %% checked-spelling covers=[12] tags=["raises-exception"]
torch.tensor([1.0], requries_grad=True)

# %% [markdown] lang="en"
# So, when `w.grad` is `None`, ask in this order:
#
# 1. Is `w.requires_grad` really `True`?
# 2. Was it `True` *before* the loss was computed?
# 3. Is `w.is_leaf` `True`: did you create it, or is it the result of a computation? ([Lesson 4](04_leaves.ipynb))
# 4. Has `backward()` run since?

# %% [markdown] lang="zh" of="60bb89c1"
# 所以，遇到 `w.grad` 是 `None`，请按顺序问：
#
# 1. `w.requires_grad` 真的是 `True` 吗？
# 2. 在计算损失**之前**，它就已经是 `True` 了吗？
# 3. `w.is_leaf` 是 `True` 吗？也就是说，它是你自己创建的，还是算出来的？（见[第 4 课](04_leaves.ipynb)）
# 4. 之后运行过 `backward()` 吗？

# %% [markdown] lang="en"
# ### Exercise 3: fix the typos
#
# A parabola `a * X**2 + b * X + c` should learn, but two of its three numbers hold no gradient. Mend the cell until the check is happy.

# %% [markdown] lang="zh" of="960d2622"
# ### 练习 3：改正笔误
#
# 抛物线 `a * X**2 + b * X + c` 有三个数要学习，可是其中两个没有梯度。请修改下面的单元格，直到检查通过。

# %% exercise-typo covers=[12] tags=["exercise"]
a = torch.Tensor([0.0])
b = torch.Tensor([1.0])
c = torch.Tensor([0.0])
a.requries_grad = True
b.requires_grad = True
c.require_grad = True

loss = ((Y - (a * X**2 + b * X + c)) ** 2).sum()
loss.backward()
check.typo(a, b, c)

# %% tags=["solution"]
a = torch.Tensor([0.0])
b = torch.Tensor([1.0])
c = torch.Tensor([0.0])
a.requires_grad = True
b.requires_grad = True
c.requires_grad = True

loss = ((Y - (a * X**2 + b * X + c)) ** 2).sum()
loss.backward()
check.typo(a, b, c)

# %% tags=["solution"]
a = torch.tensor([0.5], requires_grad=True)
b = torch.tensor([1.0], requires_grad=True)
c = torch.tensor([0.0], requires_grad=True)
((Y - (a * X**2 + b * X + c)) ** 2).sum().backward()
check.typo(a, b, c)

# %% tags=["wrong"]
a = torch.Tensor([0.0])
b = torch.Tensor([1.0])
c = torch.Tensor([0.0])
a.requires_grad = True
b.requires_grad = True
c.require_grad = True
((Y - (a * X**2 + b * X + c)) ** 2).sum().backward()
check.typo(a, b, c)

# %% tags=["wrong"]
a = torch.Tensor([0.0])
b = torch.Tensor([1.0])
c = torch.Tensor([0.0])
b.requires_grad = True
loss = ((Y - (a * X**2 + b * X + c)) ** 2).sum()
a.requires_grad = True
c.requires_grad = True
loss.backward()
check.typo(a, b, c)

# %% tags=["wrong"]
a = torch.tensor([0.0], requires_grad=True)
b = torch.tensor([1.0], requires_grad=True)
c = torch.tensor([0.0], requires_grad=True)
((Y - (a * X**2 + b * X + c)) ** 2).sum().backward()
((Y - (a * X**2 + b * X + c)) ** 2).sum().backward()
check.typo(a, b, c)

# %% tags=["wrong"]
a = torch.tensor([0.0], requires_grad=True) * 1
b = torch.tensor([1.0], requires_grad=True)
c = torch.tensor([0.0], requires_grad=True)
((Y - (a * X**2 + b * X + c)) ** 2).sum().backward()
check.typo(a, b, c)

# %% tags=["wrong"]
check.typo(True, 1.0, None)

# %% [markdown] lang="en"
# ## One more: a whole square of numbers
#
# The example that nearly every introduction uses is a 2 × 2 tensor. One formula serves all four entries:
#
# $$\text{out} = \frac{1}{4} \sum_i 3\,(x_i + 2)^2 \qquad \frac{\partial\,\text{out}}{\partial x_i} = \frac{3}{2}\,(x_i + 2)$$
#
# Build it step by step and watch each result say which operation made it.

# %% [markdown] lang="zh" of="394eccf4"
# ## 再来一个：2 × 2 的张量
#
# 几乎每份入门教程都有这样一个例子：一个 2 × 2 的张量，四个元素共用一个公式：
#
# $$\text{out} = \frac{1}{4} \sum_i 3\,(x_i + 2)^2 \qquad \frac{\partial\,\text{out}}{\partial x_i} = \frac{3}{2}\,(x_i + 2)$$
#
# 一步一步搭起来，留意每个结果都会说明自己是哪种运算得来的。

# %% ones covers=[18]
x = torch.ones(2, 2, requires_grad=True)
y = x + 2
m = y * y * 3
out = m.mean()

print(x)
print(y)
print(m)
print(out)

# %% [markdown] lang="en"
# `y` was made by an addition. `x` was made by you, not by an operation, so it has no `grad_fn`:

# %% [markdown] lang="zh" of="9d51a09b"
# `y` 是加法得来的。`x` 是你自己创建的，不是哪种运算的结果，所以没有 `grad_fn`：

# %% who-made-it covers=[18]
print(x.grad_fn)
print(y.grad_fn)
print((x * 2).grad_fn)

# %% [markdown] lang="en"
# (The number after `at` is an address in memory. It is different on each run; until you run the cell, this page shows dots in its place.)
#
# **Predict first:** every $x_i$ is 1. How large is each entry of `x.grad`?

# %% [markdown] lang="zh" of="2a099aef"
# （`at` 后面是内存地址，每次运行都不一样；在你运行这个单元格之前，这里用点代替。）
#
# **先预测：** 每个 $x_i$ 都是 1，`x.grad` 的每个元素是多少？

# %%
predict("mean", ...)

# %% four-and-a-half covers=[21]
out.backward()
reveal("mean", x.grad[0, 0])
x.grad

# %%
viz.draw(out)

# %% [markdown] lang="en"
# 4.5: the sum alone would give 18, and the mean divides by four. Two arrows run from one `MulBackward0` to the same `AddBackward0`: `y * y` uses `y` twice, and both gradients arrive. [Lesson 5](05_backward.ipynb) steps through that. The dashed boxes stand for the plain numbers 3 and 2: nobody asked for a gradient there.
#
# One last thing, because you will do it by accident sooner or later: ask for the same `backward()` again.

# %% [markdown] lang="zh" of="8de0d574"
# 4.5：如果只求和是 18，取平均再除以四。从一个 `MulBackward0` 到同一个 `AddBackward0` 有两条箭头：`y * y` 用了两次 `y`，两份梯度都会传到。[第 5 课](05_backward.ipynb)会一步一步走一遍。虚线框代表 3 和 2 这两个普通的数，它们不需要梯度。
#
# 最后一件事，你迟早会不小心碰上：对同一个结果再调用一次 `backward()`。

# %% second-backward covers=[21] tags=["raises-exception"]
out.backward()

# %% [markdown] lang="en"
# The values saved for the way back are thrown away once they have been used; that keeps memory small. Compute `out` afresh and it works again. [Lesson 10](10_saved_tensors.ipynb) shows which operations save what.

# %% [markdown] lang="zh" of="aa89499a"
# 为反向传播保存的中间值，用过一次就会释放，这样才省内存。重新计算一遍 `out`，就又可以反向传播了。哪些运算保存了什么，见[第 10 课](10_saved_tensors.ipynb)。

# %% [markdown] lang="en"
# ## What you know now
#
# - A gradient is a slope: how fast the loss changes when `w` does. Take a small enough step against it, and the loss falls.
# - Operations on a tensor with `requires_grad=True` leave nodes; `backward()` walks them back; `AccumulateGrad` writes `.grad`.
# - A misspelt flag is silent. Check `w.requires_grad`, or pass it as an argument.
#
# **Next:** `w` and `w.grad` each have numbers of their own. What if two tensors share the same ones? [Lesson 2](02_tensors_and_views.ipynb) · [All lessons](00_index.ipynb)

# %% [markdown] lang="zh" of="6ab0e3f2"
# ## 小结
#
# - 梯度就是斜率：`w` 变化时，损失变化得有多快。逆着梯度走足够小的一步，损失就下降。
# - 对 `requires_grad=True` 的张量做运算会留下节点；`backward()` 沿着节点往回走；由 `AccumulateGrad` 写入 `.grad`。
# - 开关的名字写错了不会报错。请检查 `w.requires_grad`，或者把它作为参数传入。
#
# **下一课：** `w` 和 `w.grad` 各有各的数。要是两个张量共用同一批数呢？[第 2 课](02_tensors_and_views.ipynb) · [全部课程](00_index.ipynb)
