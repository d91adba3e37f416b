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
# # 16 · Gradients add up, also across machines
#
# [English](../en/16_across_machines.ipynb) · [中文](../zh/16_across_machines.ipynb) · [All lessons](00_index.ipynb) · about 25 minutes
#
# > "My data is too big for one machine. Do several machines need a different kind of gradient?"
#
# No. They need only what you have known since [Lesson 6](06_accumulate.ipynb): gradients add up. The first *workers* are only functions on this page; then come real ones, which run the same lines.

# %% [markdown] lang="zh" of="b67ce6f7"
# # 16 · 梯度相加，跨机器也一样
#
# [English](../en/16_across_machines.ipynb) · [中文](../zh/16_across_machines.ipynb) · [全部课程](00_index.ipynb) · 约 25 分钟
#
# > “数据太多，一台机器放不下。几台机器一起算，是不是要换一种求梯度的办法？”
#
# 不用换。道理在[第 6 课](06_accumulate.ipynb)就讲过：梯度会累加。先在本页用几个普通函数充当**工作进程**，再把同样的几行代码放到真正的工作进程里运行。

# %% [markdown] lang="en"
# To run this page on PyTorch itself, change the second line to `import torch`.

# %% [markdown] lang="zh" of="61c75ffd"
# 想在 PyTorch 上运行本课，把第二行改成 `import torch` 即可。

# %%
import pickle
import minigrad as torch
import viz
from minigrad_lessons.checks import across_machines as check
from minigrad_lessons.cut import Cut
from minigrad_lessons.predict import predict, reveal
from minigrad_lessons.workers import calls, close, connect, lose

# %% [markdown] lang="en"
# ## One loss, three workers
#
# Eight taxi rides, and a loss that is a sum over the rides. Give each of three workers some of them; the derivative of a sum is the sum of the derivatives:
#
# $$\frac{\partial}{\partial w}\,(l_0 + l_1 + l_2) = \frac{\partial l_0}{\partial w} + \frac{\partial l_1}{\partial w} + \frac{\partial l_2}{\partial w}$$
#
# Each worker makes its own leaf from `w`, and sends back a gradient. The three send −40, −184 and −256. **Predict first:** what is the gradient of the whole loss?

# %% [markdown] lang="zh" of="af6c55b8"
# ## 一个损失，三个工作进程
#
# 有八趟出租车行程，损失是各趟误差的平方之和。把它们分给三个工作进程；和的导数等于导数的和：
#
# $$\frac{\partial}{\partial w}\,(l_0 + l_1 + l_2) = \frac{\partial l_0}{\partial w} + \frac{\partial l_1}{\partial w} + \frac{\partial l_2}{\partial w}$$
#
# 每个工作进程都由 `w` 建一个自己的叶子，算好以后发回一个梯度。三个工作进程发回的分别是 −40、−184 和 −256。**先预测：** 整个损失的梯度是多少？

# %%
predict("whole", ...)


# %% split covers=[38]
X = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])
Y = 2 * X + 1
w = torch.tensor(1.0, requires_grad=True)
parts = [(X[:3], Y[:3]), (X[3:6], Y[3:6]), (X[6:], Y[6:])]


def loss(x, y, w):
    return ((y - w * x) ** 2).sum()


def gradient(x, y, w):
    w = w.detach().requires_grad_()  # a leaf of its own, as on another machine | 自己的叶子，就像在另一台机器上
    return torch.autograd.grad(loss(x, y, w), w)[0]


print([gradient(x, y, w) for x, y in parts])
loss(X, Y, w).backward()
reveal("whole", w.grad)

# %% [markdown] lang="en"
# In the graph of the sum, the three branches have nothing in common but `w`. So each can be computed elsewhere, and what arrives at `w` is added up, as always:

# %% [markdown] lang="zh" of="aee34193"
# 在总和的计算图里，三条分支除了 `w` 没有任何共用的东西，所以每条都可以放到别处去算；各条的梯度到了 `w`，照样相加：

# %%
l0, l1, l2 = [loss(x, y, w) for x, y in parts]
whole = l0 + l1 + l2
viz.draw(whole)

# %% [markdown] lang="en"
# ### Exercise 1: add them up
#
# Return the gradient of the whole loss from its parts. `w` is used again for the next step: the second call must give the same as the first.

# %% [markdown] lang="zh" of="3ff94731"
# ### 练习 1：把各部分的梯度加起来
#
# 由各个部分求出整个损失的梯度，并返回它。下一步还要用同一个 `w`，所以第二次调用的结果必须和第一次一样。


# %% exercise-total covers=[38] tags=["exercise"]
def total(parts, w):
    return ...


check.total(total, X, Y)


# %% tags=["solution"]
def total(parts, w):
    return sum(gradient(x, y, w) for x, y in parts)


check.total(total, X, Y)


# %% tags=["solution"]
def total(parts, w):
    w.grad = None
    for x, y in parts:
        loss(x, y, w).backward()
    return w.grad


check.total(total, X, Y)


# %% tags=["wrong"]
def total(parts, w):
    for x, y in parts:
        loss(x, y, w).backward()
    return w.grad.clone()


check.total(total, X, Y)


# %% tags=["wrong"]
def total(parts, w):
    for x, y in parts:
        result = gradient(x, y, w)
    return result


check.total(total, X, Y)


# %% tags=["wrong"]
def total(parts, w):
    return sum(gradient(x, y, w) for x, y in parts) / len(parts)


check.total(total, X, Y)


# %% tags=["wrong"]
def total(parts, w):
    return gradient(X, Y, w)


check.total(total, X, Y)


# %% tags=["wrong"]
def total(parts, w):
    return gradient(*parts[0], w)


check.total(total, X, Y)

# %% [markdown] lang="en"
# ## Parts of unequal size
#
# Most losses are a *mean*. Then the gradient is a mean, too: −60 for all eight rides. Now one worker has one ride and the other seven; each sends the gradient of its own mean. **Predict first:** is the mean of these two −60?

# %% [markdown] lang="zh" of="d3015d02"
# ## 各部分大小不等
#
# 多数损失取的是**平均值**，梯度也就是各趟梯度的平均值：八趟合起来是 −60。现在一个工作进程分到一趟，另一个分到七趟，各自发回自己那部分平均损失的梯度。**先预测：** 这两个梯度的平均值是 −60 吗？

# %%
predict("plain-mean", ..., options=[True, False])


# %% unequal covers=[38]
def mean_gradient(x, y):
    return gradient(x, y, w) / len(x)


a, b = mean_gradient(X[:1], Y[:1]), mean_gradient(X[1:], Y[1:])
print(mean_gradient(X, Y))
print(a, b, (a + b) / 2)
reveal("plain-mean", ((a + b) / 2 == mean_gradient(X, Y)).item())

# %% [markdown] lang="en"
# One ride now counts as much as seven.
#
# **Predict first:** how many rides must the first worker have for the plain mean to be right? Then **move it**, and see. (On a static page, the table lists every cut.)

# %% [markdown] lang="zh" of="84ee8f54"
# 这样一来，那一趟的分量就抵得上另外七趟。
#
# **先预测：** 第一个工作进程要分到几趟，直接平均才是对的？然后**动一动**，看看对不对。（如果你看的是静态网页、没有运行内核，表里列出了每一种切法。）

# %%
predict("cut", ...)

# %% cut tags=["moves"]
cut = Cut(mean_gradient, X, Y)
cut

# %%
print(cut)
plain = [cut.together(place)[0] for place in range(1, 8)]
reveal("cut", 1 + plain.index(min(plain, key=lambda mean: abs(mean - cut.whole))))

# %% [markdown] lang="en"
# Only equal halves may be averaged as they are. The last mini-batch of a data set is seldom as long as the others.

# %% [markdown] lang="zh" of="f2a03b33"
# 只有两半一样大，才能直接平均。而把数据集切成小批量（mini-batch），最后剩下的那一批很少正好和别的一样大。

# %% [markdown] lang="en"
# ### Exercise 2: weight by size
#
# `gradients` come from workers with `sizes` rows each; each is the gradient of that worker's *mean* loss. Return the gradient of the mean over all rows.

# %% [markdown] lang="zh" of="61e6c409"
# ### 练习 2：按大小加权
#
# `gradients` 是几个工作进程发回的梯度，`sizes` 是各个工作进程的数据行数；每个梯度都是那一部分**平均**损失的梯度。求出全部数据的平均损失的梯度，并返回它。


# %% exercise-combine covers=[38] tags=["exercise"]
def combine(gradients, sizes):
    return ...


check.combine(combine, X, Y)


# %% tags=["solution"]
def combine(gradients, sizes):
    return sum(size * g for g, size in zip(gradients, sizes)) / sum(sizes)


check.combine(combine, X, Y)


# %% tags=["solution"]
def combine(gradients, sizes):
    rows = torch.tensor([float(size) for size in sizes])
    return (torch.stack(list(gradients)) * rows / rows.sum()).sum()


check.combine(combine, X, Y)


# %% tags=["wrong"]
def combine(gradients, sizes):
    return sum(gradients) / len(gradients)


check.combine(combine, X, Y)


# %% tags=["wrong"]
def combine(gradients, sizes):
    return sum(size * g for g, size in zip(gradients, sizes))


check.combine(combine, X, Y)


# %% tags=["wrong"]
def combine(gradients, sizes):
    return sum(gradients) / sum(sizes)


check.combine(combine, X, Y)


# %% tags=["wrong"]
def combine(gradients, sizes):
    return sum(size * g for g, size in zip(gradients, sizes)) / len(X)


check.combine(combine, X, Y)


# %% tags=["wrong"]
def combine(gradients, sizes):
    return sum(gradients)


check.combine(combine, X, Y)

# %% [markdown] lang="en"
# ## What travels
#
# Data travels between processes as bytes; in Python, `pickle` makes them. Suppose a worker sends back its `loss` instead of a gradient, and we call `backward()` here. **Predict first:** `w.grad` is `None` before. What is it afterwards?

# %% [markdown] lang="zh" of="1cd5538c"
# ## 什么能传过去
#
# 送到另一个进程的东西都要先变成字节，在 Python 里由 `pickle` 来做。设想工作进程发回来的不是梯度，而是 `loss`，由我们在这边调用 `backward()`。**先预测：** `w.grad` 事先设成了 `None`，运行之后是什么？

# %%
predict("loss-travels", ...)

# %% travels
w.grad = None
arrived = pickle.loads(pickle.dumps(loss(X, Y, w)))
print(arrived.requires_grad, arrived.is_leaf, arrived.grad_fn)

arrived.backward()
print(arrived.grad)
reveal("loss-travels", w.grad)

# %% [markdown] lang="en"
# The numbers and the flag arrive; the history does not. So the loss has become a leaf, and `backward()` on a leaf is allowed: it ends where it began. There is no error, and nothing is learned.
#
# **Predict first:** the worker runs `backward()` itself and sends `w` back. What is the `.grad` of the tensor that arrives?

# %% [markdown] lang="zh" of="87df00ff"
# 数值和开关都传到了，计算历史没有一起传来。于是这个损失成了叶子，而对叶子调用 `backward()` 是允许的：反向传播从这个叶子开始，也在这里结束，梯度只留在这个叶子上。没有任何报错，却什么也没学到。
#
# **先预测：** 换个办法，工作进程自己调用 `backward()`，再把 `w` 传回来。收到的张量，`.grad` 是什么？

# %%
predict("grad-travels", ...)

# %%
loss(X, Y, w).backward()
print(w.grad)
reveal("grad-travels", pickle.loads(pickle.dumps(w)).grad)

# %% [markdown] lang="en"
# ### Exercise 3: there and here
#
# `there` runs on each worker, with its rows and a copy of `w`. The one number that it returns goes through `pickle`, and `here` is called with the list of what arrived. Afterwards the gradient of the whole loss must be in `w.grad`.

# %% [markdown] lang="zh" of="2887bc58"
# ### 练习 3：那边和这边
#
# `there` 在每个工作进程里运行，输入是自己那几行数据和 `w` 的一个副本。各处返回的那一个数经过 `pickle` 传回来，放进一个列表，交给 `here`。做完以后，`w.grad` 里应当是整个损失的梯度。


# %% exercise-travel covers=[38] tags=["exercise"]
def there(x, y, w):
    return ...


def here(arrived, w):
    w.grad = ...


check.travel(there, here, X, Y)


# %% tags=["solution"]
def there(x, y, w):
    return gradient(x, y, w)


def here(arrived, w):
    w.grad = sum(arrived)


check.travel(there, here, X, Y)


# %% tags=["solution"]
def there(x, y, w):
    loss(x, y, w).backward()
    return w.grad.item()


def here(arrived, w):
    for number in arrived:
        (w * number).backward()


check.travel(there, here, X, Y)


# %% tags=["wrong"]
def there(x, y, w):
    return x, y


def here(arrived, w):
    w.grad = sum(gradient(x, y, w) for x, y in arrived)


check.travel(there, here, X, Y)


# %% tags=["wrong"]
def there(x, y, w):
    return 0.0


def here(arrived, w):
    w.grad = gradient(X, Y, w)


check.travel(there, here, X, Y)


# %% tags=["wrong"]
def there(x, y, w):
    return loss(x, y, w)


def here(arrived, w):
    for part in arrived:
        part.backward()


check.travel(there, here, X, Y)


# %% tags=["wrong"]
def there(x, y, w):
    loss(x, y, w).backward()
    return w


def here(arrived, w):
    w.grad = sum(leaf.grad for leaf in arrived)


check.travel(there, here, X, Y)


# %% tags=["wrong"]
def there(x, y, w):
    return gradient(x, y, w)


def here(arrived, w):
    for part in arrived:
        w.grad = part


check.travel(there, here, X, Y)


# %% tags=["wrong"]
def there(x, y, w):
    return gradient(x, y, w)


def here(arrived, w):
    w.grad = sum(arrived) / len(arrived)


check.travel(there, here, X, Y)

# %% [markdown] lang="en"
# ## The same lines, on real workers
#
# [dask](https://www.dask.org) runs functions in other processes, here or on a thousand machines. A worker loads its own part (here it makes one up; yours would read a file); no row of it ever travels. First with plain functions, in this process:

# %% [markdown] lang="zh" of="b7bdfa3a"
# ## 同样几行代码，换上真正的工作进程
#
# [dask](https://www.dask.org) 能让函数在别的进程里运行，可以就在这台机器上，也可以分散到上千台。工作进程自己载入自己的那一部分（这里现造一份，实际使用时是读文件），数据一行也不用传。先用普通函数，在本进程里跑：


# %% plain
def load(k):
    torch.manual_seed(k)
    x = torch.randn(100 * (k + 1), 10, dtype=torch.double)
    return x, x @ torch.arange(1, 11, dtype=torch.double)


def share(part, w):
    x, y = part
    w = w.detach().requires_grad_()
    return torch.autograd.grad(((y - x @ w) ** 2).sum(), w)[0]


w = torch.zeros(10, dtype=torch.double)
loaded = [load(k) for k in range(4)]
shares = [share(part, w) for part in loaded]
alone = sum(shares)
print(alone)

# %% [markdown] lang="en"
# `connect()` starts two processes on this machine; `connect("tcp://10.0.0.5:8786")`, or dask's environment variable `DASK_SCHEDULER_ADDRESS`, uses any cluster whose machines have what this page imports.
#
# Will the sum agree to the last digit? **Predict first:** is (0.1 + 0.2) + 0.3 equal to 0.1 + (0.2 + 0.3)?

# %% [markdown] lang="zh" of="3e5f6716"
# `connect()` 在本机启动两个进程；写 `connect("tcp://10.0.0.5:8786")`，或者设置 dask 的环境变量 `DASK_SCHEDULER_ADDRESS`，就能用任何一个集群，只要那些机器上装有本页导入的包。
#
# 分到几个进程去算，结果会一位不差吗？**先预测：** (0.1 + 0.2) + 0.3 等于 0.1 + (0.2 + 0.3) 吗？

# %%
predict("last-digit", ..., options=[True, False])

# %%
a, b, c = torch.tensor([0.1, 0.2, 0.3], dtype=torch.double)
reveal("last-digit", ((a + b) + c == a + (b + c)).item())

# %% [markdown] lang="en"
# Not equal: addition rounds, so its order matters.

# %% [markdown] lang="zh" of="d458c7d1"
# 不相等：加法会舍入，先加谁后加谁有影响。

# %% dask covers=[38]
client = connect()
if client:
    loaded_there = client.map(load, range(4))
    shares_there = client.map(share, loaded_there, w=w)
    together = sum(client.gather(shares_there))
    print(together)
    print(torch.allclose(together, alone, rtol=1e-12))

# %% [markdown] lang="en"
# Twelve digits agree, and you cannot ask for all of them. `gather` keeps the order of the list, whichever part is done first; the last digits may still differ from one processor to another.

# %% [markdown] lang="zh" of="2e4a1940"
# 前十二位都一样，再往后就没法要求了。不管谁先算完，`gather` 都保持列表里的顺序；剩下的差别出在每一份内部：矩阵乘法里各项相加的次序，会随处理器和线程数而变。

# %% [markdown] lang="en"
# ## What it costs
#
# Ten steps, four parts, ten numbers in `w`. **Predict first:** a number takes 8 bytes, and all 1,000 rows together take 88,000. How many bytes of numbers travel in one step, there and back?

# %% [markdown] lang="zh" of="ee8a003c"
# ## 代价是多少
#
# 训练十步，数据分成四份，`w` 有十个数。**先预测：** 一个数占 8 个字节，1000 行数据总共 88,000 个字节。走一步，来回一共要传多少字节的数？

# %%
predict("bytes", ...)

# %% cost
if client:
    sent, back, tasks = 0, 0, []
    for _ in range(10):
        shares_there = client.map(share, loaded_there, w=w)
        arrived = client.gather(shares_there)  # only gradients travel back | 传回来的只有梯度
        w = w - 0.0004 * sum(arrived)
        tasks += shares_there
        sent, back = sent + 4 * w.nbytes, back + sum(part.nbytes for part in arrived)
    print(w)
    print(calls(client, *tasks))  # calls | 调用次数
    print(sum(x.nbytes + y.nbytes for x, y in loaded))  # bytes of data | 数据的字节数
    reveal("bytes", (sent + back) // 10)

# %% [markdown] lang="en"
# A `w` there and a gradient back, four times, however many rows there are. Names and addresses travel, too, and each call takes about a millisecond: for 1,000 rows this process alone is far quicker. Workers pay off when computing a part takes much longer than sending `w`.

# %% [markdown] lang="zh" of="4739f533"
# 四次送出 `w`、四次收回梯度，和数据有多少行无关。这些数之外还要传名字和地址，而且每次调用大约要花一毫秒：只有 1000 行时，单用本进程反而快得多。算一份所花的时间远远超过传一次 `w`，才值得用工作进程。

# %% [markdown] lang="en"
# ## A lost worker
#
# Machines fail. We end the process that holds the last gradient, and then ask for that gradient.
#
# **Predict first:** it was computed once. How many times will it have been by the end?

# %% [markdown] lang="zh" of="9a939135"
# ## 丢了一个工作进程
#
# 机器会坏。我们把保存着最后一个梯度的进程强行结束，再来取这个梯度。
#
# **先预测：** 这个梯度已经算过一次。到最后，一共算了几次？

# %%
predict("again", ...)

# %% lost
if client:
    last = shares_there[-1]
    print(calls(client, last))  # how often it was computed | 计算过几次
    lose(client, last)  # the worker that held it is gone | 保存它的工作进程没了
    print(torch.allclose(last.result(), arrived[-1], rtol=1e-12))
    reveal("again", calls(client, last))
    client = close(client)  # to run the cells above again, connect() first | 想重跑上面的单元格，先再 connect()

# %% [markdown] lang="en"
# dask knew which calls had led to the result, loaded the part again and ran `share` once more, on another worker. That is right because `share` is a function of what it is given. If it added into a `.grad` that outlives the call, its part would be counted twice.

# %% [markdown] lang="zh" of="3d78809f"
# dask 记得这个结果是由哪些调用得来的，于是在另一个工作进程里重新载入那一部分，再运行一遍 `share`。重来一遍，结果还对，是因为 `share` 的结果只取决于传给它的参数。假如它往一个一直留着的 `.grad` 里累加，重来一遍，同一份梯度就会被加两次。

# %% [markdown] lang="en"
# ## What you know now
#
# - The gradient of a sum is the sum of the parts' gradients, wherever these are computed. Means are weighted by size.
# - Send gradients. Through `pickle` a tensor keeps its numbers and its flag, and loses `grad_fn` and `.grad`.
# - A step sends `w` and gradients, never rows; a call that can be repeated survives a lost worker.
#
# Which of your own training loops would you split, and does one step take long enough to be worth sending `w`? [All lessons](00_index.ipynb)

# %% [markdown] lang="zh" of="8744c184"
# ## 小结
#
# - 和的梯度等于各部分梯度的和，在哪里算都一样；平均值要按大小加权。
# - 要传的是梯度。张量经过 `pickle` 只留下数值和开关，`grad_fn` 和 `.grad` 都会丢掉。
# - 每一步只传 `w` 和梯度，不传数据；调用能够重来，就不怕丢掉一个工作进程。
#
# 你自己的哪个训练循环可以这样拆开？每一步的计算量，抵得上发送一次 `w` 的开销吗？[全部课程](00_index.ipynb)
