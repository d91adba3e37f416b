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
# [English](../en/01_first_gradient.ipynb) · [中文](../zh/01_first_gradient.ipynb) · [All lessons](00_index.ipynb) · about 20 minutes · path: *understand* and *fix my training loop*
#
# > "A taxi charges 3, 5 and 7 for 1, 2 and 3 km. How can a program find out by itself what a kilometre costs?"
#
# You need Python functions and loops, and the slope of $x^2$; no PyTorch yet. You turn a knob, train a model in ten minutes, and see how it knew where to go.
#
# Run cells with **Shift + Enter**; after a restart, begin at the top.

# %% [markdown] lang="zh" of="276b1506"
# # 1 · 第一个梯度
#
# [English](../en/01_first_gradient.ipynb) · [中文](../zh/01_first_gradient.ipynb) · [全部课程](00_index.ipynb) · 约 20 分钟 · 路线：*弄懂原理*、*修好训练循环*
#
# > “打车 1、2、3 公里，分别付了 3、5、7 元。程序怎样才能自己找出每公里多少钱？”
#
# 你只需要会写 Python 的函数和循环，知道 $x^2$ 的斜率；还没学过 PyTorch 也没关系。马上就动手，十分钟训练出一个模型，然后看清程序怎么知道该往哪边调。
#
# 按 **Shift + Enter** 运行单元格；重启内核之后，请从头再运行一遍。

# %% [markdown] lang="en"
# ## One import
#
# Every line that uses `torch` is valid PyTorch; to run it there, change the first to `import torch`. `X` holds the kilometres and `Y` what was paid, each in a **tensor**, which is how PyTorch stores numbers.

# %% [markdown] lang="zh" of="f96dd91c"
# ## 只改一行导入
#
# 凡是用到 `torch` 的代码，都是 PyTorch 的写法；想在 PyTorch 上运行，把第一行改成 `import torch` 即可。`X` 是公里数，`Y` 是车费，各是一个**张量**（tensor）：PyTorch 用张量存放数据。

# %%
import minigrad as torch
import viz
from minigrad_lessons.checks import first_gradient as check
from minigrad_lessons.misses import Misses
from minigrad_lessons.play import Play
from minigrad_lessons.predict import predict, reveal

X = torch.tensor([1.0, 2.0, 3.0])
Y = torch.tensor([3.0, 5.0, 7.0])

# %% [markdown] lang="en"
# ## Turn the knob
#
# A guess: a kilometre costs `w`, so $x$ kilometres cost $w x$. Run the cell and drag the knob, or use the arrow keys. The dashed lines show by how much the guess **misses** each ride. Square the misses and add them up: this number, the **loss**, says how bad `w` is. How small can you make it? (On a static page, dots mark some losses.)

# %% [markdown] lang="zh" of="c81f2d92"
# ## 拖一拖滑块
#
# 先猜一个单价，每公里 `w` 元，那么 $x$ 公里就是 $w x$ 元。运行下面的单元格，拖动滑块，或者用方向键。虚线的长度，是照这个单价算出的车费与每一趟实际车费之间的**误差**。把误差平方再相加，得到一个数，叫**损失**，它衡量这个 `w` 有多差。你能把损失调到多小？（如果你看的是静态网页、没有运行内核，例如在 GitHub 上，图上的点标出了其中几个损失。）

# %% knob covers=[23] tags=["moves"]
Misses(X, Y, w=1.0)

# %% [markdown] lang="en"
# ## How steep?
#
# The loss is smallest near `w` = 2.4, and never 0: there is a base fare, too. A program cannot see this picture, but it can nudge: increase `w` from 1 by a little, and divide the change in the loss by the nudge. (`loss_at` is a **loss function**.)

# %% [markdown] lang="zh" of="81004c45"
# ## 有多陡？
#
# `w` 在 2.4 附近时损失最小，但到不了 0，因为还有起步价。程序看不见这张图，但它可以试探：把 `w` 从 1 调大一点点，再用损失的变化量除以这一点点。（像 `loss_at` 这样计算损失的函数，叫**损失函数**。）


# %% nudge covers=[28]
def loss_at(w):
    return ((Y - w * X) ** 2).sum()


for nudge in (0.1, 0.01):
    # how much the loss changes, for each unit that w moves | w 每变化一个单位，损失变化多少
    change = loss_at(1.0 + nudge) - loss_at(1.0)
    print(nudge, f"{change.item() / nudge:.1f}")

# %% [markdown] lang="en"
# (`.item()` takes the number out of a tensor.) The smaller the nudge, the closer this is to the exact slope at `w` = 1. This slope is the **gradient** of the loss with respect to `w`, or its derivative. **Predict first:** which round number is it? (Replace `...` with your answer: it is locked, and the next cell shows the right one beside it.)

# %% [markdown] lang="zh" of="009238b6"
# （`.item()` 从张量里取出普通的数。）试探的步子越小，结果就越接近 `w` = 1 处的斜率。这个斜率就是损失对 `w` 的**梯度**，也就是导数。**先预测：** 这个梯度是哪个整数？（凡是写着*先预测*的地方，请把 `...` 换成你的答案：答案会被锁定，下一个单元格会把真正的结果列在旁边。）

# %%
predict("slope", ...)

# %% [markdown] lang="en"
# ## One gradient instead of many tries
#
# `requires_grad=True` says: *remember what is computed from this tensor; I will need its gradient.* Then `loss.backward()` finds the exact slope, without a nudge: **automatic differentiation** (PyTorch's autograd). It returns nothing; the answer is in `w.grad`.

# %% [markdown] lang="zh" of="4a13dbbd"
# ## 不用试探，一次求出梯度
#
# `requires_grad=True` 的意思是：“请记录由这个张量算出来的一切，我需要它的梯度。”之后 `loss.backward()` 不用试探，就能求出准确的斜率，这就是**自动微分**（PyTorch 里做这件事的部分叫自动求导，autograd）。这个调用没有返回值，答案放在 `w.grad` 里。

# %% first-gradient covers=[23, 28]
w = torch.tensor([1.0], requires_grad=True)
loss = ((Y - w * X) ** 2).sum()  # forward: the loss from w | 前向传播：由 w 算出损失
loss.backward()  # backward: the slope, into w.grad | 反向传播：求出斜率，存进 w.grad

print("loss:", loss.item())
reveal("slope", w.grad)

# %% [markdown] lang="en"
# Minus forty: at `w` = 1 the slope is −40 per *unit* of `w`.
#
# Drag again: a real `backward()` has run at each place, and the dashed line has the slope `w.grad`. Where is it negative, where 0?

# %% [markdown] lang="zh" of="5d442dd2"
# 负 40：这是 `w` = 1 处的斜率，按 `w` 每变化一个**单位**来算。
#
# 再拖一拖下面的滑块：每个位置上都真正运行过一次 `backward()`，虚线的斜率就是 `w.grad`。斜率在哪里为负，在哪里为 0？


# %% slope-slider covers=[28]
def at(position):
    w = torch.tensor(position, requires_grad=True)
    loss = ((Y - w * X) ** 2).sum()
    loss.backward()
    return loss.item(), w.grad.item()


Play(at, w=(0.0, 5.0, 0.1), start=1.0)

# %% [markdown] lang="en"
# ## One step
#
# **Predict first:** at `w` = 1 the gradient is negative. To make the loss smaller, should `w` go up or down?

# %% [markdown] lang="zh" of="c209ba23"
# ## 走一步
#
# **先预测：** 在 `w` = 1 处，梯度是负的。要让损失变小，`w` 应当变大（up）还是变小（down）？

# %%
predict("which-way", ..., options=["up", "down"])

# %% one-step covers=[28]
price = 1.0 - 0.03 * w.grad.item()

reveal("which-way", "up" if price > 1.0 else "down")
print(f"w = {price:.2f}   loss = {loss_at(price).item():.2f}")

# %% [markdown] lang="en"
# Up: **a small enough step against the gradient makes the loss smaller.** This is **gradient descent**. The 0.03, how far to go for each unit of slope, is the **learning rate**.
#
# ## A training loop
#
# Step after step, each with a fresh tensor at the current price:

# %% [markdown] lang="zh" of="c73981c4"
# 变大：**只要步子足够小，逆着梯度走一步，损失就会变小。** 这就是**梯度下降**。每一步的长度是斜率乘以 0.03，这个系数叫**学习率**。
#
# ## 训练循环
#
# 一步接一步地走，每一步都用当前的单价新建一个张量：


# %% training-loop covers=[23, 28]
def train(rate):
    price, losses = 1.0, []
    for _ in range(6):
        w = torch.tensor([price], requires_grad=True)
        loss = ((Y - w * X) ** 2).sum()
        loss.backward()
        print(f"w = {price:6.3f}   loss = {loss.item():6.2f}")
        losses.append(loss.item())
        price = price - rate * w.grad.item()  # one step downhill | 沿下坡方向走一步
    return losses


losses = train(0.03)

# %% [markdown] lang="en"
# The training **converges**: you have trained a model. Yours has one number; a language model has billions, and learns in the same way. **Predict first:** with a learning rate of 0.08, does the loss fall faster, or grow?

# %% [markdown] lang="zh" of="083a64c6"
# 单价稳定下来，训练**收敛**了：你已经训练出一个模型。它只有一个参数；大语言模型有几十亿甚至上千亿个参数，学习的办法却是一样的。**先预测：** 把学习率改成 0.08，损失会降得更快（faster），还是会变大（grows）？

# %%
predict("larger-rate", ..., options=["faster", "grows"])

# %% too-far covers=[28]
losses = train(0.08)
reveal("larger-rate", "grows" if losses[-1] > losses[0] else "faster")

# %% [markdown] lang="en"
# Each step jumps across the valley and lands higher on the other side: the training **diverges**.
#
# ### Exercise 1: train it yourself
#
# Write the loop with `backward()`: from 0, take 20 steps at rate 0.03, return the price. The check tries other rides. Stuck? `check.train.hint(1)`.

# %% [markdown] lang="zh" of="9b1143f8"
# 每一步都跨过了谷底，落在对面更高的地方：训练**发散**了。
#
# ### 练习 1：自己来训练
#
# 用 `backward()` 写出这个循环：从 0 开始，学习率取 0.03，走 20 步，返回单价。检查时会换别的车费数据。卡住了就运行 `check.train.hint(1)`。


# %% exercise-train covers=[23, 28] tags=["exercise"]
def my_training(X, Y):
    price = 0.0
    ...
    return price


check.train(my_training, X)


# %% tags=["solution"]
def my_training(X, Y):
    price = 0.0
    for _ in range(20):
        w = torch.tensor([price], requires_grad=True)
        loss = ((Y - w * X) ** 2).sum()
        loss.backward()
        price = price - 0.03 * w.grad.item()
    return price


check.train(my_training, X)


# %% tags=["solution"]
def my_training(X, Y):
    w = torch.zeros(1, requires_grad=True)
    for _ in range(20):
        (slope,) = torch.autograd.grad(((Y - w * X) ** 2).sum(), w)
        w = (w - 0.03 * slope).detach().requires_grad_()
    return w


check.train(my_training, X)


# %% tags=["solution"]
def my_training(X, Y):
    w = torch.tensor(0.0, requires_grad=True)
    opt = torch.optim.SGD([w], lr=0.03)
    for _ in range(20):
        opt.zero_grad()
        (w * X - Y).pow(2).sum().backward()
        opt.step()
    return w.item()


check.train(my_training, X)


# %% tags=["wrong"]
def my_training(X, Y):
    price = 0.0
    for _ in range(20):
        w = torch.tensor([price], requires_grad=True)
        loss = ((Y - w * X) ** 2).sum()
        loss.backward()
        price = price + 0.03 * w.grad.item()
    return price


check.train(my_training, X)


# %% tags=["wrong"]
def my_training(X, Y):
    price = 0.0
    for _ in range(20):
        w = torch.tensor([price], requires_grad=True)
        loss = ((Y - w * X) ** 2).sum()
        loss.backward()
        price = price - 0.1 * w.grad.item()
    return price


check.train(my_training, X)


# %% tags=["wrong"]
def my_training(X, Y):
    price = 0.0
    for _ in range(2):
        w = torch.tensor([price], requires_grad=True)
        loss = ((Y - w * X) ** 2).sum()
        loss.backward()
        price = price - 0.03 * w.grad.item()
    return price


check.train(my_training, X)


# %% tags=["wrong"]
def my_training(X, Y):
    return 2.4286


check.train(my_training, X)


# %% tags=["wrong"]
def my_training(X, Y):
    return (X * Y).sum() / (X * X).sum()


check.train(my_training, X)


# %% tags=["wrong"]
def my_training(X, Y):
    w = torch.tensor([0.0], requires_grad=True)
    for _ in range(20):
        loss = ((Y - w * X) ** 2).sum()
        loss.backward()
    return w.item()


check.train(my_training, X)


# %% tags=["wrong"]
def my_training(X, Y):
    w = torch.tensor([0.0], requires_grad=True)
    for _ in range(20):
        ((Y - w * X) ** 2).sum().backward()
        with torch.no_grad():
            w -= 0.003 * w.grad
    return w.item()


check.train(my_training, X)

# %% [markdown] lang="en"
# ## The graph that did it
#
# How did `backward()` know where to go? While your line ran, every operation on `w` left a **node** behind. Each points to the nodes that its inputs came from; together they are the **computation graph**:

# %% [markdown] lang="zh" of="9e5d93d8"
# ## 背后的计算图
#
# `backward()` 怎么知道该往哪里走？计算损失的那一行运行时，对 `w` 的每一步运算都留下了一个**节点**，每个节点又指向产生其输入的那些节点，连起来就是**计算图**：

# %% graph covers=[28]
w = torch.tensor([1.0], requires_grad=True)
loss = ((Y - w * X) ** 2).sum()

viz.draw(loss)

# %% [markdown] lang="en"
# From `loss` back to `w`: the sum, the square (`PowBackward0`), the subtraction, the multiplication, and `AccumulateGrad`, which adds what arrives to `w.grad`. `X` and `Y` are data and need no gradient, so the path ends there. (The multiplication saved `X`, so you see its numbers; `Y` was not needed: its box says *not tracked*, no `requires_grad`.)
#
# Play the backward pass and watch −40 come together. Then put your own loss into the cell above, run both, and play yours. (On each node, $L$ is the loss, $g$ the gradient that arrives, $a$ and $b$ the inputs, $\partial L/\partial a$ what goes on to $a$.)

# %% [markdown] lang="zh" of="575da374"
# 从 `loss` 走回 `w`：求和、平方（`PowBackward0`）、减法、乘法，最后是 `AccumulateGrad`，它把传来的梯度加到 `w.grad` 上。`X` 和 `Y` 是数据，不需要求梯度，路径到此为止。（图上标出了 `X` 的数值，因为乘法保存了这些数值；减法用不着 `Y` 的值，框里就只标着*未被追踪*，也就是没有打开 `requires_grad`。）
#
# 播放一遍反向传播，看 −40 是怎么一步步得来的。然后把上面的损失改成你自己的，两个单元格都再运行一遍，播放你自己的计算图。（每个节点上，$L$ 是损失，$g$ 是传来的梯度，$a$、$b$ 是输入，$\partial L/\partial a$ 是传给 $a$ 的梯度。）

# %% played covers=[28]
with viz.record(loss) as run:
    loss.backward()

run

# %% [markdown] lang="en"
# Each node handles only its own link: for a miss $r_i = y_i - w x_i$, the square contributes $2 r_i$, and $r_i$ itself changes by $-x_i$ for each unit of `w`. Multiply along each path and add up: that is the **chain rule**:
#
# $$\frac{d\,\text{loss}}{dw} = \sum_i 2 r_i \cdot (-x_i) = -2\,(1 \cdot 2 + 2 \cdot 3 + 3 \cdot 4) = -40$$

# %% [markdown] lang="zh" of="c36c1b68"
# 每个节点只负责自己的那一环。把误差记作 $r_i = y_i - w x_i$：平方的导数是 $2 r_i$，而 `w` 每增加一个单位，$r_i$ 变化 $-x_i$。沿每条路径相乘，再把各条路径的结果相加，这就是**链式法则**：
#
# $$\frac{d\,\text{loss}}{dw} = \sum_i 2 r_i \cdot (-x_i) = -2\,(1 \cdot 2 + 2 \cdot 3 + 3 \cdot 4) = -40$$

# %% [markdown] lang="en"
# ### Exercise 2: a slope by hand
#
# New rides, `w` is 1. Work out the gradient with that formula, without `backward()`.

# %% [markdown] lang="zh" of="39e4605f"
# ### 练习 2：手算斜率
#
# 换一组数据，`w` 还是 1。用上面的公式算出梯度，不要用 `backward()`。

# %%
X1 = torch.tensor([1.0, 2.0])
Y1 = torch.tensor([4.0, 4.0])

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
# ### Exercise 3: change Y
#
# Keep `X` and `w` = 1. Choose a `Y` for which `w` = 1 is already the best: the gradient is 0. Several answers are right.

# %% [markdown] lang="zh" of="a8d60fd2"
# ### 练习 3：改一改 Y
#
# 保持 `X` 和 `w` = 1 不变。选一个 `Y`，让 `w` = 1 已经是最好的位置，也就是梯度为 0。正确答案不止一个。

# %% exercise-flat covers=[28] tags=["exercise"]
my_Y = ...
check.flat(my_Y, X)

# %% tags=["solution"]
my_Y = torch.tensor([1.0, 2.0, 3.0])
check.flat(my_Y, X)

# %% tags=["solution"]
my_Y = torch.tensor([2.0, 3.0, 2.0])
check.flat(my_Y, X)

# %% tags=["wrong"]
my_Y = torch.tensor([3.0, 5.0, 7.0])
check.flat(my_Y, X)

# %% tags=["wrong"]
my_Y = torch.tensor([0.0, 0.0, 0.0])
check.flat(my_Y, X)

# %% tags=["wrong"]
my_Y = torch.tensor([1.0])
check.flat(my_Y, X)

# %% tags=["wrong"]
my_Y = [1.0, 2.0, 3.0]
check.flat(my_Y, X)

# %% [markdown] lang="en"
# ## Why backwards?
#
# Nudging works for one knob. **Predict first:** here are 1,000. How many times must the loss be computed, once as it is and once with each knob nudged?

# %% [markdown] lang="zh" of="9ed7515d"
# ## 为什么要反向传播？
#
# 只有一个要调的数，好比一个旋钮，试探也行。**先预测：** 这里有 1000 个旋钮。先按原样算一次损失，再把每个旋钮各试探一次，总共要算多少次损失？

# %%
predict("nudges", ...)

# %% forwards covers=[28]
torch.manual_seed(0)
data = torch.randn(1000, dtype=torch.float64)
forwards = 0


def network(knobs):
    global forwards
    forwards += 1
    return ((1 - knobs * data) ** 2).mean()


start, slopes = network(torch.zeros(1000, dtype=torch.float64)), []
for i in range(1000):
    knobs = torch.zeros(1000, dtype=torch.float64)
    knobs[i] = 1e-4  # one knob, a little | 只把一个旋钮动一点点
    slopes.append((network(knobs) - start).item() / 1e-4)

reveal("nudges", forwards)

# %% [markdown] lang="en"
# 1,001: once as it is, once per knob. Backward needs one pass:

# %% [markdown] lang="zh" of="ca36426a"
# 1001 次：原样一次，每个旋钮一次。反向传播只要一遍：

# %% one-backward covers=[28]
forwards = 0
knobs = torch.zeros(1000, dtype=torch.float64, requires_grad=True)
network(knobs).backward()

print(f"{forwards=}")
# the same slopes? | 斜率相同吗？
print(torch.allclose(knobs.grad, torch.tensor(slopes, dtype=torch.float64), atol=1e-6))

# %% [markdown] lang="en"
# One **forward pass**, up to the loss, and one **backward pass** found all the slopes. A backward costs about two or three forwards, even for a billion knobs.

# %% [markdown] lang="zh" of="2c3bfe83"
# 一次**前向传播**（算出损失），加一次**反向传播**，就得到了全部斜率。旋钮再多也一样：哪怕有十亿个，一次反向传播的代价也只相当于两三次前向传播。

# %% [markdown] lang="en"
# ## No gradient?
#
# > I called `backward()`, got no error, and `w.grad` is still `None`. Why?
#
# ### Exercise 4: fix the typos
#
# The parabola `a * X**2 + b * X + c` is meant to fit the rides, but two of its coefficients get no gradient. Fix the cell. (The flag `requires_grad` may also be set afterwards, as here.)

# %% [markdown] lang="zh" of="15d10888"
# ## 没有梯度？
#
# > 我明明调用了 `backward()`，也没有报错，为什么 `w.grad` 还是 `None`？
#
# ### 练习 4：改正笔误
#
# 抛物线 `a * X**2 + b * X + c` 里有三个要学习的数，可是其中两个没有梯度。请修好这个单元格。（像这里这样，先创建张量，再打开 `requires_grad` 这个**开关**（flag），也可以。）

# %% exercise-typo covers=[12, 23] tags=["exercise"]
a = torch.tensor([0.0])
b = torch.tensor([1.0])
c = torch.tensor([0.0])
a.requries_grad = True
b.requires_grad = True
c.require_grad = True

loss = ((Y - (a * X**2 + b * X + c)) ** 2).sum()
loss.backward()
check.typo(a, b, c)

# %% tags=["solution"]
a = torch.tensor([0.0])
b = torch.tensor([1.0])
c = torch.tensor([0.0])
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
a = torch.tensor([0.0])
b = torch.tensor([1.0])
c = torch.tensor([0.0])
a.requires_grad = True
b.requires_grad = True
c.require_grad = True
((Y - (a * X**2 + b * X + c)) ** 2).sum().backward()
check.typo(a, b, c)

# %% tags=["wrong"]
a = torch.tensor([0.0])
b = torch.tensor([1.0])
c = torch.tensor([0.0])
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
# A misspelt flag raises no error: Python lets you set any attribute on a tensor. An argument's name is checked; and if nothing is tracked (no tensor has `requires_grad=True`), `backward()` raises an error:

# %% [markdown] lang="zh" of="f7ea5fc6"
# 开关的名字写错了不会报错，因为 Python 允许给张量添加任何新属性。如果把开关写成函数的参数，名字就会被检查；如果没有张量被追踪（没有一个是 `requires_grad=True` 的），`backward()` 也会报错：

# %% checked-spelling covers=[12] tags=["raises-exception"]
torch.tensor([1.0], requries_grad=True)

# %% nothing-tracked covers=[12] tags=["raises-exception"]
loss = ((Y - 1.0 * X) ** 2).sum()
loss.backward()

# %% [markdown] lang="en"
# So, when `w.grad` is `None`, ask: Is `w.requires_grad` really `True`? Was it `True` *before* the loss was computed? Did you create `w` yourself, or is it a result ([Lesson 4](04_leaves.ipynb))? Has `backward()` run since?
#
# ## What you know now
#
# - A gradient is a slope. A small enough step against it makes the loss smaller; a training loop repeats that.
# - Operations on a tensor with `requires_grad=True` leave nodes; one `backward()` goes back through them, and `AccumulateGrad` writes `.grad`, for one knob or a billion.
# - A misspelt flag raises no error.
#
# **Next:** `w` and `w.grad` each have numbers of their own. What if two tensors share the same ones? [Lesson 2](02_tensors_and_views.ipynb) · [All lessons](00_index.ipynb)

# %% [markdown] lang="zh" of="0ef4e0ae"
# 所以，遇到 `w.grad` 是 `None`，请按顺序问：`w.requires_grad` 真的是 `True` 吗？在计算损失**之前**就是 `True` 了吗？`w` 是你自己创建的，还是算出来的（见[第 4 课](04_leaves.ipynb)）？之后运行过 `backward()` 吗？
#
# ## 小结
#
# - 梯度就是斜率。逆着梯度走足够小的一步，损失就会变小；训练循环就是反复这样做。
# - 对 `requires_grad=True` 的张量做运算会留下节点；一次 `backward()` 沿着节点往回走，由 `AccumulateGrad` 把梯度加到 `.grad` 上，不管旋钮是一个还是十亿个。
# - 开关的名字写错了不会报错。
#
# **下一课：** `w` 和 `w.grad` 各有各的数。要是两个张量共用同一批数呢？[第 2 课](02_tensors_and_views.ipynb) · [全部课程](00_index.ipynb)
