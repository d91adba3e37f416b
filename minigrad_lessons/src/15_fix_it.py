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
# # 15 · Fix it
#
# [English](../en/15_fix_it.ipynb) · [中文](../zh/15_fix_it.ipynb) · [All lessons](00_index.ipynb) · about 45 minutes · path: *fix my training loop*
#
# > "It runs, and it does not learn. Where do I even begin to look?"
#
# Three training scripts, eleven faults, one from nearly every lesson. You have the tools; here is the order: first the **picture**, then the shapes, then the numbers. If you did lesson 14, you wrote an engine; here you see how people misuse one.

# %% [markdown] lang="zh" of="01609b7b"
# # 15 · 训练诊所
#
# [English](../en/15_fix_it.ipynb) · [中文](../zh/15_fix_it.ipynb) · [全部课程](00_index.ipynb) · 约 45 分钟 · 路线：*修好训练循环*
#
# > “能运行，却学不会。我到底该从哪里查起？”
#
# 这一课有三个训练脚本，共十一处错误，前面几乎每一课讲过的毛病都在里面。工具你都有了，查错的次序是：先看**图**，再看形状，最后看数。如果学过第 14 课，你已经写过一个引擎；现在来看看，引擎用起来会出哪些毛病。

# %% [markdown] lang="en"
# To run this page on PyTorch itself, change the first line to `import torch`.

# %% [markdown] lang="zh" of="8559a529"
# 想在 PyTorch 上运行本课，把第一行改成 `import torch` 即可。

# %%
import minigrad as torch
import viz
import warnings
from minigrad_lessons.checks import fix_it as check
from minigrad_lessons.growing import Growing, reachable
from minigrad_lessons.predict import predict, reveal

# %% [markdown] lang="en"
# ## 1. It does not learn
#
# A small network should fit a wave: one number in, four in a hidden layer between, one out. **Predict first:** its output has the shape `(8, 1)`, and `y` has `(8,)`. What shape is their difference? Write a list.

# %% [markdown] lang="zh" of="98431c4f"
# ## 1. 学不会
#
# 一个小网络要学一条波浪线：输入一个数，中间一层（隐藏层）四个数，输出一个数。**先预测：** 它的输出形状是 `(8, 1)`，`y` 的形状是 `(8,)`，两者之差是什么形状？写成列表。

# %%
predict("difference", ...)

# %% difference covers=[55]
x = torch.linspace(-1.5, 1.5, 8).reshape(8, 1)
y = 0.8 + torch.sin(1.5 * x[:, 0])

reveal("difference", list((torch.zeros(8, 1) - y).shape))

# %% [markdown] lang="en"
# 64 differences: each prediction minus every `y` ([Lesson 7](07_jacobians.ipynb)). No error is raised, and the best that can be learned is the mean.
#
# ### Exercise 1: what cannot be reached?
#
# With `h = (x @ v).tanh()` (`@` multiplies matrices): from each `out` below, which of `v`, `w` and `b` cannot be reached? Write `"v"`, `"w"`, `"b"` or `"none"`.

# %% [markdown] lang="zh" of="8090cc53"
# 一共 64 个差：每个预测都减去了每一个 `y`（见[第 7 课](07_jacobians.ipynb)）。这样写不会报错，却最多只能学到平均值。
#
# ### 练习 1：到哪个参数没有路径？
#
# 记 `h = (x @ v).tanh()`（`@` 是矩阵乘法）。从下面每个表达式的结果（叫 `out`）出发，到 `v`、`w`、`b` 中的哪一个没有路径？填 `"v"`、`"w"`、`"b"`，都能到就填 `"none"`。

# %% exercise-reach covers=[13] tags=["exercise"]
my_lost = {
    "h @ w.detach() + b": ...,
    "((x @ v) > 0).float() @ w + b": ...,
    "h @ w + b.item()": ...,
    "h.clone() @ w + b": ...,
    "h.data @ w + b": ...,
    "h @ (0 * w) + b": ...,
}
check.reach(my_lost)

# %% tags=["solution"]
my_lost = {
    "h @ w.detach() + b": "w",
    "((x @ v) > 0).float() @ w + b": "v",
    "h @ w + b.item()": "b",
    "h.clone() @ w + b": "none",
    "h.data @ w + b": "v",
    "h @ (0 * w) + b": "none",
}
check.reach(my_lost)

# %% tags=["wrong"]
check.reach({**check.LOST, "((x @ v) > 0).float() @ w + b": "none"})

# %% tags=["wrong"]
check.reach({**check.LOST, "h.clone() @ w + b": "v"})

# %% tags=["wrong"]
check.reach({**check.LOST, "h @ (0 * w) + b": "w"})

# %% tags=["wrong"]
check.reach(dict.fromkeys(check.LOST, "none"))

# %% [markdown] lang="en"
# ### Exercise 2: four faults
#
# Run the script, then the picture below it. Which of `v`, `w` and `b` cannot be reached? Fix what you find, draw again, and repeat until all three learn. The check trains on other waves.

# %% [markdown] lang="zh" of="8fd33ff2"
# ### 练习 2：四处错误
#
# 运行脚本，再运行下面那个画图的单元格。从损失到 `v`、`w`、`b` 中的哪几个没有路径？找到一处修一处，再画，再找。检查会换别的波浪线来训练。


# %% exercise-learn covers=[12, 13, 32, 55] tags=["exercise"]
def learn(x, y, v, w, b):
    v.requires_grad = w.requires_grad = True
    b.requries_grad = True
    for _ in range(300):
        h = (x @ v).tanh().detach()
        out = h @ w + b
        loss = ((out - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            for p in (v, w, b):
                if p.grad is not None:
                    p -= 0.1 * p.grad
    return loss


check.learn(learn, x)


# %% tags=["solution"]
def learn(x, y, v, w, b):
    v.requires_grad = w.requires_grad = True
    b.requires_grad = True
    for _ in range(300):
        h = (x @ v).tanh()
        out = h @ w + b
        loss = ((out[:, 0] - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            for p in (v, w, b):
                if p.grad is not None:
                    p -= 0.1 * p.grad
                    p.grad = None
    return loss


check.learn(learn, x)


# %% tags=["solution"]
def learn(x, y, v, w, b):
    v.requires_grad = w.requires_grad = True
    b.requires_grad = True
    for _ in range(300):
        h = (x @ v).tanh()
        out = h @ w + b
        loss = ((out - y.reshape(-1, 1)) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            for p in (v, w, b):
                if p.grad is not None:
                    p -= 0.1 * p.grad
                    p.grad.zero_()
    return loss


check.learn(learn, x)


# %% tags=["solution"]
def learn(x, y, v, w, b):
    parameters = [p.requires_grad_() for p in (v, w, b)]
    optimizer = torch.optim.SGD(parameters, lr=0.1)
    for _ in range(300):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss((torch.tanh(x @ v) @ w + b).squeeze(1), y)
        loss.backward()
        optimizer.step()
    return loss


check.learn(learn, x)


# %% tags=["wrong"]
def learn(x, y, v, w, b):
    v.requires_grad = w.requires_grad = True
    b.requries_grad = True
    for _ in range(300):
        h = (x @ v).tanh()
        out = h @ w + b
        loss = ((out[:, 0] - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            for p in (v, w, b):
                if p.grad is not None:
                    p -= 0.1 * p.grad
                    p.grad = None
    return loss


check.learn(learn, x)


# %% tags=["wrong"]
def learn(x, y, v, w, b):
    v.requires_grad = w.requires_grad = True
    b.requires_grad = True
    for _ in range(300):
        h = (x @ v).tanh().detach()
        out = h @ w + b
        loss = ((out[:, 0] - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            for p in (v, w, b):
                if p.grad is not None:
                    p -= 0.1 * p.grad
                    p.grad = None
    return loss


check.learn(learn, x)


# %% tags=["wrong"]
def learn(x, y, v, w, b):
    v.requires_grad = w.requires_grad = True
    b.requires_grad = True
    for _ in range(300):
        h = (x @ v).tanh()
        out = h @ w + b
        loss = ((out - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            for p in (v, w, b):
                if p.grad is not None:
                    p -= 0.1 * p.grad
                    p.grad = None
    return loss


check.learn(learn, x)


# %% tags=["wrong"]
def learn(x, y, v, w, b):
    v.requires_grad = w.requires_grad = True
    b.requires_grad = True
    for _ in range(300):
        h = (x @ v).tanh()
        out = h @ w + b
        loss = ((out[:, 0] - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            for p in (v, w, b):
                if p.grad is not None:
                    p -= 0.1 * p.grad
    return loss


check.learn(learn, x)


# %% tags=["wrong"]
def learn(x, y, v, w, b):
    v.requires_grad = w.requires_grad = True
    b.requires_grad = True
    for _ in range(300):
        h = (x @ v).tanh()
        out = h @ w + b
        loss = ((out - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            for p in (v, w, b):
                if p.grad is not None:
                    p -= 0.1 * p.grad
    return loss


check.learn(learn, x)


# %% tags=["wrong"]
def learn(x, y, v, w, b):
    v.requires_grad = w.requires_grad = True
    b.requires_grad = True
    for _ in range(3):
        h = (x @ v).tanh()
        out = h @ w + b
        loss = ((out[:, 0] - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            for p in (v, w, b):
                if p.grad is not None:
                    p -= 0.1 * p.grad
                    p.grad = None
    return loss


check.learn(learn, x)


# %% tags=["wrong"]
def learn(x, y, v, w, b):
    v.copy_(torch.ones(1, 4))
    w.copy_(torch.ones(4, 1) / 4)
    b.fill_(0.8)
    return ((torch.tanh(x @ v) @ w + b)[:, 0] - y).pow(2).mean()


check.learn(learn, x)

# %% look covers=[12, 13]
torch.manual_seed(0)
v, w, b = torch.randn(1, 4), torch.randn(4, 1), torch.zeros(1)
loss = learn(x, y, v, w, b)

viz.draw(loss, names={"v": v, "w": w, "b": b, "loss": loss})

# %% [markdown] lang="en"
# ## 2. It turns to nan
#
# Almost every operation on a **nan** (not a number) gives nan again; so look for where the first one came from. Here is a small example: how far apart are two points, $d = \sqrt{\sum (p_i - q_i)^2}$, if they coincide? **Anomaly detection** watches a backward pass and stops at the first node that gives a nan. **Predict first:** which one does it name?

# %% [markdown] lang="zh" of="75d6dc64"
# ## 2. 变成 nan
#
# 与 **nan**（不是数）做运算，结果几乎总是 nan，所以要找第一个 nan 是从哪里来的。看一个小例子：两点的距离 $d = \sqrt{\sum (p_i - q_i)^2}$，两点重合时会怎样？**异常检测**会监视反向传播，哪个节点第一个给出 nan，就停在哪里。**先预测：** 异常检测会指出哪个节点？

# %%
predict("blamed", ..., options=["PowBackward0", "SqrtBackward0"])

# %% anomaly covers=[39] tags=["raises-exception"]
warnings.simplefilter("ignore")  # else the line of that operation is printed, too | 否则还会打印那次运算所在的行
p = torch.tensor([3.0, 4.0], requires_grad=True)
d = ((p - torch.tensor([3.0, 4.0])) ** 2).sum().sqrt()

try:
    with torch.autograd.detect_anomaly():
        d.backward()
except RuntimeError as error:
    reveal("blamed", str(error).split("'")[1])  # the name in the message | 报错里的名字
    raise

# %% [markdown] lang="en"
# The message names the square, but the fault is elsewhere: the square only multiplied 0 by the gradient that it received. Play the pass, and see where that gradient came from. The slope of $\sqrt{s}$ at 0 is infinite.

# %% [markdown] lang="zh" of="ba6d58d1"
# 报错指向平方，错却不在平方：平方只是用 0 去乘传来的梯度。放一遍反向传播，看看这个梯度来自哪个节点。$\sqrt{s}$ 在 0 处的斜率是无穷大。

# %% who-gave-it covers=[39]
d = ((p - torch.tensor([3.0, 4.0])) ** 2).sum().sqrt()
with viz.record(d) as run:
    d.backward()

run

# %% [markdown] lang="en"
# ### Exercise 3: how steep at 0?
#
# `x` is 0 and tracked, and `backward()` runs from each of these. What is in `x.grad`: `"0"`, `"inf"` or `"nan"`?

# %% [markdown] lang="zh" of="a708612f"
# ### 练习 3：在 0 处有多陡？
#
# `x` 等于 0，并且被追踪；分别对下面每个表达式的结果调用 `backward()`。`x.grad` 里是 `"0"`、`"inf"` 还是 `"nan"`？

# %% exercise-steep covers=[39] tags=["exercise"]
my_slopes = {
    "x.sqrt()": ...,
    "(x * x).sqrt()": ...,
    "(x * x + 1e-12).sqrt()": ...,
    "x.clamp(min=1e-6).sqrt()": ...,
    "torch.where(x > 0, x.sqrt(), x)": ...,
    "x.log().exp()": ...,
}
check.steep(my_slopes)

# %% tags=["solution"]
my_slopes = {
    "x.sqrt()": "inf",
    "(x * x).sqrt()": "nan",
    "(x * x + 1e-12).sqrt()": "0",
    "x.clamp(min=1e-6).sqrt()": "0",
    "torch.where(x > 0, x.sqrt(), x)": "nan",
    "x.log().exp()": "nan",
}
check.steep(my_slopes)

# %% tags=["wrong"]
check.steep({**check.STEEP, "(x * x).sqrt()": "inf"})

# %% tags=["wrong"]
check.steep({**check.STEEP, "torch.where(x > 0, x.sqrt(), x)": "0"})

# %% tags=["wrong"]
check.steep({**check.STEEP, "x.clamp(min=1e-6).sqrt()": "inf"})

# %% tags=["wrong"]
check.steep(dict.fromkeys(check.STEEP, "nan"))

# %% [markdown] lang="en"
# ### Exercise 4: one after the other
#
# Points are sorted into three classes by a softmax written by hand: take `exp` of a row of scores, divide by the row's sum to get each class's probability. The loss is minus the log of the right class's, averaged. The first two faults raise errors that name them; then comes nan. Fix them one by one. (`exp` of 1000 is already infinite.)

# %% [markdown] lang="zh" of="cfbb53bf"
# ### 练习 4：错误一个接一个
#
# 下面用手写的 softmax 把点分成三类：对一行得分取 `exp`，再除以这一行之和，就得到各类的概率；损失是正确类别的概率取对数、再取相反数，最后求平均。前两处错误一运行就会报错，报错信息说清了错在哪里；改好之后，损失又变成 nan。请一个一个改好。（`exp` 的输入大到 1000，结果早已溢出成无穷大。）


# %% exercise-classify covers=[30, 41] tags=["exercise"]
def classify(x, y, w):
    w.requires_grad = True
    for _ in range(50):
        e = (x @ w).exp()
        e /= e.sum(dim=1, keepdim=True)
        loss = -e[torch.arange(len(y)), y].log().mean()
        loss.backward()
        w = w - 0.1 * w.grad
    return w


check.classify(classify, x)


# %% tags=["solution"]
def classify(x, y, w):
    w.requires_grad = True
    for _ in range(50):
        z = x @ w
        log_p = torch.log_softmax(z, dim=1)
        loss = -log_p[torch.arange(len(y)), y].mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad = None
    return w


check.classify(classify, x)


# %% tags=["solution"]
def classify(x, y, w):
    w.requires_grad = True
    for _ in range(50):
        z = x @ w
        z = z - z.max(dim=1, keepdim=True).values
        log_p = z - z.exp().sum(dim=1, keepdim=True).log()
        loss = -log_p[torch.arange(len(y)), y].mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad.zero_()
    return w


check.classify(classify, x)


# %% tags=["solution"]
def classify(x, y, w):
    w.requires_grad = True
    for _ in range(50):
        loss = torch.nn.functional.cross_entropy(x @ w, y)
        loss.backward()
        w = (w - 0.1 * w.grad).detach().requires_grad_()
    return w


check.classify(classify, x)


# %% tags=["wrong"]
def classify(x, y, w):
    w.requires_grad = True
    for _ in range(50):
        e = (x @ w).exp()
        e = e.clone()
        e /= e.sum(dim=1, keepdim=True)
        loss = -e[torch.arange(len(y)), y].log().mean()
        loss.backward()
        w = w - 0.1 * w.grad
    return w


check.classify(classify, x)


# %% tags=["wrong"]
def classify(x, y, w):
    w.requires_grad = True
    for _ in range(50):
        z = x @ w
        log_p = torch.log_softmax(z, dim=1)
        loss = -log_p[torch.arange(len(y)), y].mean()
        loss.backward()
        with torch.no_grad():
            w = w - 0.1 * w.grad
    return w


check.classify(classify, x)


# %% tags=["wrong"]
def classify(x, y, w):
    w.requires_grad = True
    for _ in range(50):
        e = (x @ w).exp()
        e = e / e.sum(dim=1, keepdim=True)
        loss = -e[torch.arange(len(y)), y].log().mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad = None
    return w


check.classify(classify, x)


# %% tags=["wrong"]
def classify(x, y, w):
    w.requires_grad = True
    for _ in range(50):
        z = x @ w
        log_p = torch.log_softmax(z, dim=1)
        loss = -log_p[torch.arange(len(y)), y].mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
    return w


check.classify(classify, x)


# %% tags=["wrong"]
def classify(x, y, w):
    w.requires_grad = True
    for _ in range(50):
        z = x @ w
        log_p = torch.log_softmax(z, dim=1)
        loss = -log_p[torch.arange(len(y)), y].mean()
        loss.backward()
        with torch.no_grad():
            w += 0.1 * w.grad
        w.grad = None
    return w


check.classify(classify, x)


# %% tags=["wrong"]
def classify(x, y, w):
    for kind in range(3):
        w[:, kind] = x[y == kind].mean(dim=0)
    return w


check.classify(classify, x)


# %% tags=["wrong"]
def classify(x, y, w):
    w.requires_grad = True
    for _ in range(50):
        p = torch.softmax(x @ w, dim=1)
        loss = -p[torch.arange(len(y)), y].log().mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad = None
    return w


check.classify(classify, x)

# %% [markdown] lang="en"
# ## 3. It eats memory
#
# The line that looks harmless is `total += loss`. A loss is not just a number: it keeps its whole graph. **Predict first:** after one round, 6 nodes can be reached from `total`. How many after two?

# %% [markdown] lang="zh" of="a196bcef"
# ## 3. 吃内存
#
# 毛病出在看起来无害的一行：`total += loss`。损失不只是一个数，它后面还挂着计算图。**先预测：** 一轮之后，从 `total` 能走到 6 个节点；两轮之后呢？

# %%
predict("two-rounds", ...)

# %% two-rounds covers=[26]
X = torch.tensor([1.0, 2.0, 3.0])
Y = torch.tensor([3.0, 5.0, 7.0])


def after(rounds):
    w, total = torch.tensor([1.0], requires_grad=True), 0.0
    for _ in range(rounds):
        loss = ((Y - w * X) ** 2).sum()
        total += loss  # a tensor, with its whole graph | 张量，带着它的整张计算图
    return total


reveal("two-rounds", len(reachable(after(2).grad_fn)))

# %% [markdown] lang="en"
# Five more: all but the leaf's `AccumulateGrad`. **Move it:** more rounds. (On a static page, the numbers are below.) `loss.item()` is a plain number, and `total += loss.item()` keeps nothing.

# %% [markdown] lang="zh" of="cce71c89"
# 多了五个：第二轮的节点里，只有叶子的 `AccumulateGrad` 是原来就有的。**动一动：** 多走几轮。（如果你看的是静态网页、没有运行内核，数字在下面。）`loss.item()` 只是一个普通的数，写成 `total += loss.item()`，就不会留下计算图。

# %% growing covers=[26] tags=["moves"]
growing = Growing(after, steps=4, name="total")
growing

# %%
print(growing)

# %% [markdown] lang="en"
# ### Exercise 5: does it grow?
#
# Each line is the last one in the body of a training loop. Can more nodes be reached from the variables after every round? Write `True` or `False`.

# %% [markdown] lang="zh" of="dedd1a95"
# ### 练习 5：计算图会越积越多吗？
#
# 下面每一行都写在训练循环每一轮的最后。从循环里的变量能走到的节点，是不是每一轮都会变多？填 `True` 或 `False`。

# %% exercise-grows covers=[26, 30] tags=["exercise"]
my_guesses = {
    "total += loss": ...,
    "history.append(loss)": ...,
    "history.append(loss.detach())": ...,
    "best = min(best, loss)": ...,
    "w = w - 0.01 * torch.autograd.grad(loss, w)[0]": ...,
    "level = 0.5 * level.detach() + loss": ...,
}
check.grows(my_guesses)

# %% tags=["solution"]
my_guesses = {
    "total += loss": True,
    "history.append(loss)": True,
    "history.append(loss.detach())": False,
    "best = min(best, loss)": False,
    "w = w - 0.01 * torch.autograd.grad(loss, w)[0]": True,
    "level = 0.5 * level.detach() + loss": False,
}
check.grows(my_guesses)

# %% tags=["wrong"]
check.grows({**check.GROWS, "best = min(best, loss)": True})

# %% tags=["wrong"]
check.grows({**check.GROWS, "w = w - 0.01 * torch.autograd.grad(loss, w)[0]": False})

# %% tags=["wrong"]
check.grows({**check.GROWS, "history.append(loss)": False})

# %% tags=["wrong"]
check.grows(dict.fromkeys(check.GROWS, True))

# %% [markdown] lang="en"
# ### Exercise 6: what is kept from day to day
#
# The rain of each day runs off a roof into a barrel; half of its `level` stays until the next day. Somebody ran into *Trying to backward through the graph a second time* here, and added `retain_graph=True`. After each day, the check counts the nodes that can still be reached from your variables. Take `retain_graph=True` out again and fix the cause: that number must not grow from day to day.

# %% [markdown] lang="zh" of="b85b8e90"
# ### 练习 6：该把什么带到明天
#
# 每天的雨水从屋顶流进水桶，桶里的水有一半留到第二天，`level` 是水位。有人在这里碰到过 *Trying to backward through the graph a second time*，就加上了 `retain_graph=True`。检查会在每天结束时数一数，从你的变量还能走到多少个节点。请去掉 `retain_graph=True`，改正真正的错误：改好以后，节点数不应一天天变大。


# %% exercise-follow covers=[13, 39] tags=["exercise"]
def follow(days, w):
    total, level = 0.0, torch.zeros(())
    for rain, measured in days:
        level = 0.5 * level + (w * rain).sum()
        loss = (level - measured) ** 2
        loss.backward(retain_graph=True)
        with torch.no_grad():
            w -= 0.01 * w.grad
        w.grad = None
        total += loss
    return total


check.follow(follow, x)


# %% tags=["solution"]
def follow(days, w):
    total, level = 0.0, torch.zeros(())
    for rain, measured in days:
        level = 0.5 * level + (w * rain).sum()
        loss = (level - measured) ** 2
        loss.backward()
        with torch.no_grad():
            w -= 0.01 * w.grad
        w.grad = None
        total += loss.item()
        level = level.detach()
    return total


check.follow(follow, x)


# %% tags=["solution"]
def follow(days, w):
    total, level = 0.0, torch.zeros(())
    for rain, measured in days:
        level = 0.5 * level + (w * rain).sum()
        loss = (level - measured) ** 2
        loss.backward()
        with torch.no_grad():
            w -= 0.01 * w.grad
        w.grad = None
        total += loss.detach()
        level = level.item()
    return total


check.follow(follow, x)


# %% tags=["solution"]
def follow(days, w):
    total, level = 0.0, torch.zeros(())
    for rain, measured in days:
        level = 0.5 * level.detach() + (w * rain).sum()
        loss = (level - measured) ** 2
        loss.backward()
        with torch.no_grad():
            w -= 0.01 * w.grad
        w.grad = None
        total += loss.item()
    return total


check.follow(follow, x)


# %% tags=["wrong"]
def follow(days, w):
    total, level = 0.0, torch.zeros(())
    for rain, measured in days:
        level = 0.5 * level + (w * rain).sum()
        loss = (level - measured) ** 2
        loss.backward(retain_graph=True)
        with torch.no_grad():
            w -= 0.01 * w.grad
        w.grad = None
        total += loss.item()
    return total


check.follow(follow, x)


# %% tags=["wrong"]
def follow(days, w):
    total, level = 0.0, torch.zeros(())
    for rain, measured in days:
        level = 0.5 * level + (w * rain).sum()
        loss = (level - measured) ** 2
        loss.backward()
        with torch.no_grad():
            w -= 0.01 * w.grad
        w.grad = None
        total += loss.item()
    return total


check.follow(follow, x)


# %% tags=["wrong"]
def follow(days, w):
    total, level = 0.0, torch.zeros(())
    for rain, measured in days:
        level = 0.5 * level + (w * rain).sum()
        loss = (level - measured) ** 2
        loss.backward()
        with torch.no_grad():
            w -= 0.01 * w.grad
        w.grad = None
        total += loss
        level = level.detach()
    return total


check.follow(follow, x)


# %% tags=["wrong"]
def follow(days, w):
    total, level = 0.0, torch.zeros(())
    for rain, measured in days:
        level = 0.5 * level + (w * rain).sum()
        loss = (level - measured) ** 2
        loss.backward()
        with torch.no_grad():
            w -= 0.01 * w.grad
        total += loss.item()
        level = level.detach()
    return total


check.follow(follow, x)


# %% tags=["wrong"]
def follow(days, w):
    total, level = 0.0, torch.zeros(())
    for rain, measured in days:
        level = 0.5 * level + (w * rain).sum()
        loss = (level - measured) ** 2
        loss.backward()
        with torch.no_grad():
            w -= 0.01 * w.grad
        w.grad = None
        total += loss.item()
        level = torch.zeros(())
    return total


check.follow(follow, x)


# %% tags=["wrong"]
def follow(days, w):
    total, level = 0.0, torch.zeros(())
    for rain, measured in days:
        level = 0.5 * level + (w.detach() * rain).sum()
        loss = (level - measured) ** 2
        loss.backward()
        with torch.no_grad():
            w -= 0.01 * w.grad
        w.grad = None
        total += loss.item()
        level = level.detach()
    return total


check.follow(follow, x)


# %% tags=["wrong"]
def follow(days, w):
    return 3.0


check.follow(follow, x)


# %% tags=["wrong"]
def follow(days, w):
    total, level = 0.0, torch.zeros(())
    for rain, measured in days:
        level = 0.5 * level + (w * rain).sum()
        loss = (level - measured) ** 2
        loss.backward(retain_graph=True)
        with torch.no_grad():
            w -= 0.01 * w.grad
        w.grad = None
        total += loss.item()
        level = level.detach()
    return total


check.follow(follow, x)

# %% [markdown] lang="en"
# ## What you know now
#
# - **It does not learn**: draw the graph of the loss. Is there a path to each parameter? Then the shapes; then what `.grad` holds before each backward.
# - **nan**: `detect_anomaly()` names the first node that gave one. Play the pass and look at the nodes before it: which one made the infinity?
# - **Memory**: a result kept between rounds must be a number (`.item()`) or detached.
#
# You have drawn, predicted, broken and repaired computation graphs; do the same with your own code: `import viz` draws PyTorch's graphs as well.
#
# **Next:** and if one machine is not enough? [Lesson 16](16_across_machines.ipynb) · [All lessons](00_index.ipynb)

# %% [markdown] lang="zh" of="aeda15f2"
# ## 小结
#
# - **学不会**：把损失的计算图画出来。从损失到每个参数都有路径吗？再看形状，最后看每次反向传播之前 `.grad` 里是什么。
# - **nan**：`detect_anomaly()` 会指出第一个给出 nan 的节点。放一遍反向传播，再看它前面的几个节点：无穷大是哪一个造成的？
# - **内存**：从一轮带到下一轮的结果，只能是普通的数（`.item()`），或者 detach 之后的张量。
#
# 计算图，你画过、猜过、弄坏过，也修过了。以后调试自己的代码，也先看图：`import viz` 同样能画 PyTorch 的计算图。
#
# **下一课：** 要是一台机器不够用呢？[第 16 课](16_across_machines.ipynb) · [全部课程](00_index.ipynb)
