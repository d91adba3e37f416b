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
# # 8 · Stop recording
#
# [English](../en/08_stop_recording.ipynb) · [中文](../zh/08_stop_recording.ipynb) · [All lessons](00_index.ipynb) · about 20 minutes · path: *fix my training loop*
#
# > "What exactly does `h.detach()` take out of the graph?"
#
# Often no gradient is needed, or only along some of the branches. By the end of this page you can freeze any branch you like with `detach()` or `no_grad()`, and you know what the two really do and why you should leave `.data` alone.

# %% [markdown] lang="zh" of="4e24429c"
# # 8 · 停止记录
#
# [English](../en/08_stop_recording.ipynb) · [中文](../zh/08_stop_recording.ipynb) · [全部课程](00_index.ipynb) · 约 20 分钟 · 路线：*修好训练循环*
#
# > “`h.detach()` 到底从计算图里拿走了什么？”
#
# 有时根本不需要梯度，有时只需要某几条分支的梯度。学完这一课，你能用 `detach()` 或 `no_grad()` 冻结任意一条分支，知道这两种办法到底做了什么，也知道为什么最好不要碰 `.data`。

# %% [markdown] lang="en"
# To run this page on PyTorch itself, change the first line to `import torch`.

# %% [markdown] lang="zh" of="8559a529"
# 想在 PyTorch 上运行本课，把第一行改成 `import torch` 即可。

# %%
import minigrad as torch
import viz
from minigrad_lessons.checks import recording as check
from minigrad_lessons.choose import Choose
from minigrad_lessons.predict import predict, reveal

# %% [markdown] lang="en"
# ## The puzzle
#
# Most people expect that `detach()` takes the tensor out of the graph. **Predict first:** after `h.detach()`, is `h` still tracked?

# %% [markdown] lang="zh" of="004aa641"
# ## 一个谜题
#
# 很多人以为，`detach()` 会让张量脱离计算图。**先预测：** 运行完 `h.detach()` 之后，`h` 还被追踪吗？

# %%
predict("detached", ..., options=[True, False])

# %% detach-puzzle covers=[13]
x = torch.ones(2, requires_grad=True)
h = x * 3
h.detach()

reveal("detached", h.requires_grad)
h.sum().backward()
print(x.grad)

# %% [markdown] lang="en"
# It is still tracked, and the gradient went through it. Like most methods without an underscore, `detach()` does nothing to `h`. It **returns** a new tensor with the same numbers and no history. Unless you use what it returns, nothing has happened:

# %% [markdown] lang="zh" of="58203663"
# 还被追踪，梯度也照样流过。和大多数不带下划线的方法一样，`detach()` 不会改动 `h`，而是**返回**一个新张量：数据相同，但不带计算历史。如果不用这个返回值，就等于什么也没发生：

# %% detach-returns covers=[5, 13]
d = h.detach()

print("h:", h.requires_grad, h.grad_fn.name())
print("d:", d.requires_grad, d.grad_fn)

# %% [markdown] lang="en"
# Use both `h` and `d`, and play the backward pass: one path leads on to `x`; the other ends at `d`, and nothing is sent there.

# %% [markdown] lang="zh" of="9a7ad4aa"
# 把 `h` 和 `d` 都用上，播放一遍反向传播就能看出区别：一条路径通向 `x`，另一条到 `d` 为止，不会有梯度传过去。

# %% dead-end covers=[13]
x = torch.ones(2, requires_grad=True)
h = x * 3
d = h.detach()
total = (h * d).sum()

with viz.record(total) as run:
    total.backward()

run

# %% [markdown] lang="en"
# ## Two ways to stop recording
#
# To autograd, what `detach()` returns is a constant. `no_grad()` stops recording for a whole block. Are `x`, `x**2`, and `x**2` inside `no_grad()` tracked? **Predict first:** what are the three answers? Write a list such as `[True, True, True]`.

# %% [markdown] lang="zh" of="cb00bed9"
# ## 停止记录的两种办法
#
# 在自动求导看来，`detach()` 返回的张量是常数；`no_grad()` 则让整个代码块都停止记录。`x`、`x**2`，以及在 `no_grad()` 里算的 `x**2`，各自被追踪吗？**先预测：** 三个答案是什么？写成列表，例如 `[True, True, True]`。

# %%
predict("no-grad", ...)

# %% no-grad covers=[5, 22]
x = torch.ones(2, 2, requires_grad=True)
answers = [x.requires_grad, (x**2).requires_grad]

with torch.no_grad():
    answers.append((x**2).requires_grad)
reveal("no-grad", answers)

# %% detach covers=[5, 22]
y = x.detach()

print(x.requires_grad)
print(y.requires_grad)
print(x.eq(y).all())

# %% [markdown] lang="en"
# (`x.eq(y)` compares entry by entry; `.all()` asks whether all agree.)
#
# **Move it:** one value, $h^2$ with $h = 3w$ at $w = 2$, computed in three ways. The result is 36 each time. Choose, and watch the branches and `w.grad`. (On a static page, the picture shows the first way, and the next cell lists all three.)

# %% [markdown] lang="zh" of="11349240"
# （`x.eq(y)` 逐个元素比较，`.all()` 检查是不是全都相等。）
#
# **动一动：** 同一个值 $h^2$，其中 $h = 3w$，$w = 2$，用三种方式来算，结果都是 36。选一种，看看分支和 `w.grad` 怎样变化。（如果你看的是静态网页、没有运行内核，图里是第一种，下一个单元格列出了全部三种。）


# %% choose covers=[5, 13] tags=["moves"]
def square(way, w):
    h = 3 * w
    if way == "h * h":
        return h * h
    if way == "h * h.detach()":
        return h * h.detach()
    with torch.no_grad():
        return h * h


ways = Choose(
    square,
    ["h * h", "h * h.detach()", "no_grad: h * h"],
    w=torch.tensor(2.0),
)
ways

# %%
print(ways)

# %% [markdown] lang="en"
# The full gradient is $18w = 36$. With one factor detached, that factor counts as the constant 6, and the gradient is $6 \cdot 3 = 18$. Under `no_grad` there is no graph for a backward pass.

# %% [markdown] lang="zh" of="95ba3624"
# 完整的梯度是 $18w = 36$。把一个因子 detach 以后，它就算作常数 6，梯度是 $6 \cdot 3 = 18$。在 `no_grad` 里，根本没有计算图可供反向传播。

# %% [markdown] lang="en"
# ### Exercise 1: freeze one factor
#
# Return $w^2 \cdot 5w$, but so that $w^2$ counts as a constant. The value stays; the gradient becomes $w^2 \cdot 5$.

# %% [markdown] lang="zh" of="b6305af0"
# ### 练习 1：冻结一个因子
#
# 返回 $w^2 \cdot 5w$，但要让 $w^2$ 算作常数：数值不变，梯度变成 $w^2 \cdot 5$。


# %% exercise-freeze covers=[5, 13] tags=["exercise"]
def my_function(w):
    return ...


check.freeze(my_function, torch.tensor(2.0))


# %% tags=["solution"]
def my_function(w):
    return (w**2).detach() * (5 * w)


check.freeze(my_function, torch.tensor(2.0))


# %% tags=["solution"]
def my_function(w):
    with torch.no_grad():
        constant = w**2
    return constant * 5 * w


check.freeze(my_function, torch.tensor(2.0))

# %% tags=["solution"]
check.freeze(lambda w: (w**2).data * 5 * w, torch.tensor(2.0))

# %% tags=["wrong"]
check.freeze(lambda w: w**2 * 5 * w, torch.tensor(2.0))

# %% tags=["wrong"]
check.freeze(lambda w: w**2 * (5 * w).detach(), torch.tensor(2.0))

# %% tags=["wrong"]
check.freeze(lambda w: (w**2 * 5 * w).detach(), torch.tensor(2.0))

# %% tags=["wrong"]
check.freeze(lambda w: 5 * w, torch.tensor(2.0))

# %% tags=["wrong"]
check.freeze(20.0, torch.tensor(2.0))

# %% [markdown] lang="en"
# ## Does no_grad stop backward?
#
# Many people think that `no_grad()` prevents the backward pass. **Predict first:** here `backward()` itself is inside the block. What is `x.grad[0]` afterwards, a number or `None`?

# %% [markdown] lang="zh" of="40aabfa0"
# ## no_grad 会阻止反向传播吗？
#
# 很多人以为，用了 `no_grad()` 就不能做反向传播。**先预测：** 下面连 `backward()` 本身都写在这样的代码块里。之后 `x.grad[0]` 是一个数（是几？），还是 `None`？

# %%
predict("backward-inside", ...)

# %% backward-inside covers=[14]
x = torch.ones(2, requires_grad=True)
l = (x * x).sum()

with torch.no_grad():
    l.backward()

reveal("backward-inside", None if x.grad is None else x.grad[0])

# %% [markdown] lang="en"
# It works. `no_grad` stops **recording**. The graph of `l` was recorded before the block, and a backward pass through it needs no recording.

# %% [markdown] lang="zh" of="4c80ff04"
# 照样能做反向传播。`no_grad` 停止的是**记录**。`l` 的计算图在进入代码块之前就记录好了，而沿着它做反向传播，并不需要记录。

# %% [markdown] lang="en"
# ## When to stop recording
#
# Stop whenever no gradient will be needed. The most common case is **using** a trained model: predicting with it, or evaluating it on data that it has not learned from. Recording would only keep values in memory that no backward ever needs ([Lesson 10](10_saved_tensors.ipynb)). Another case is updating weights ([Lesson 9](09_updating.ipynb)). To cut off one tensor in the middle of a computation, use `detach()`; for a whole block of code, use `no_grad()`:

# %% [markdown] lang="zh" of="85886241"
# ## 什么时候停止记录
#
# 不需要梯度时，就可以停止记录。最常见的是**使用**训练好的模型：用它做预测，或者在它没有学过的数据上做评估。这时建计算图，只会在内存里白白保存反向传播永远用不到的值（见[第 10 课](10_saved_tensors.ipynb)）。另一种情况是更新参数（见[第 9 课](09_updating.ipynb)）。只想切断经过某一个张量的梯度，用 `detach()`；一整段代码都不需要记录，用 `no_grad()`：

# %% predict covers=[14]
w = torch.tensor([2.0], requires_grad=True)
new_data = torch.tensor([4.0, 5.0])

with torch.no_grad():
    prediction = w * new_data
print(prediction, prediction.grad_fn)

# %% [markdown] lang="en"
# How much does it save? `saved_tensors_hooks` sees each tensor that a node keeps. (`Linear(64, 128)` is a matrix and a bias, 64 numbers in, 128 out; `Sequential` runs layers one after another.) Count the bytes for a network of two layers and 1,000 rows:

# %% [markdown] lang="zh" of="957465ea"
# 能省多少内存？`saved_tensors_hooks` 能看到节点保存的每一个张量。（`Linear(64, 128)` 由一个矩阵和一个偏置组成，输入 64 个数，输出 128 个数；`Sequential` 把几层依次连起来。）数一数：两层的网络，1000 行数据，一共保存了多少字节？

# %% kept-bytes covers=[22]
layers = torch.nn.Linear(64, 128), torch.nn.Tanh(), torch.nn.Linear(128, 1)
model = torch.nn.Sequential(*layers)
rows = torch.ones(1000, 64)


def kept_bytes():
    kept = {}

    def pack(saved):  # called with each tensor that a node saves | 节点每保存一个张量就调用一次
        kept[saved.data_ptr()] = saved.numel() * saved.element_size()
        return saved

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda saved: saved):
        result = model(rows)
    return sum(kept.values()), result.requires_grad


print(kept_bytes())  # while recording | 记录计算图时
with torch.no_grad():
    print(kept_bytes())

# %% [markdown] lang="en"
# Three quarters of a megabyte for one forward pass, or nothing: that is what `no_grad()` is for.

# %% [markdown] lang="zh" of="1b18f97b"
# 记录计算图，一次前向传播就要保存大约 0.77 MB；不记录，一个字节也不保存：`no_grad()` 的用处就在这里。


# %% [markdown] lang="en"
# ### Exercise 2: find the bug
#
# It runs, the loss is right, and `b` learns, but `w` does not. Fix the function.

# %% [markdown] lang="zh" of="67c949b6"
# ### 练习 2：找出错误
#
# 下面的函数能运行，损失也对，可是训练时只有 `b` 在变，`w` 一直不动。请修好它。

# %%
X = torch.tensor([1.0, 2.0, 3.0])
Y = torch.tensor([3.0, 5.0, 7.0])


# %% exercise-bug covers=[14] tags=["exercise"]
def my_loss(w, b):
    with torch.no_grad():
        prediction = w * X
    return ((Y - (prediction + b)) ** 2).sum()


check.bug(my_loss, torch.tensor([1.0]))


# %% tags=["solution"]
def my_loss(w, b):
    prediction = w * X
    return ((Y - (prediction + b)) ** 2).sum()


check.bug(my_loss, torch.tensor([1.0]))


# %% tags=["wrong"]
def my_loss(w, b):
    with torch.no_grad():
        return ((Y - (w * X + b)) ** 2).sum()


check.bug(my_loss, torch.tensor([1.0]))


# %% tags=["wrong"]
def my_loss(w, b):
    return ((Y - (w * X + b.detach())) ** 2).sum()


check.bug(my_loss, torch.tensor([1.0]))


# %% tags=["wrong"]
def my_loss(w, b):
    return ((Y - w * X) ** 2).mean()


check.bug(my_loss, torch.tensor([1.0]))

# %% [markdown] lang="en"
# ## Same storage
#
# A detached tensor is a view: a new tensor on the same numbers in memory. So writing into it writes into the original. **Predict first:** backward through $z = h^2$ needs the old $h$. The cell overwrites it through `d` (views share their numbers: lesson 2). Does it run?

# %% [markdown] lang="zh" of="513b1598"
# ## 同一块存储
#
# detach 得到的也是视图：张量是新的，用的还是内存中同一批数。所以写入它就是写入原张量。**先预测：** $z = h^2$ 的反向传播需要旧的 $h$，而我们通过 `d` 把它覆盖了（视图共用数据，见第 2 课）。能运行吗？

# %%
predict("overwritten", ..., options=["runs", "raises"])

# %% overwritten covers=[13] tags=["raises-exception"]
x = torch.ones(2, requires_grad=True)
h = x * 3
z = h * h

d = h.detach()
d.zero_()
with reveal("overwritten"):
    z.sum().backward()

# %% [markdown] lang="en"
# An error, and a good one: *modified by an inplace operation*. Each tensor has a version counter, which counts writes through its views and detached tensors, too; `h` was saved at version 0. ([Lesson 11](11_in_place.ipynb) is about that.)
#
# Now do the same through `.data`, as older code does. **Predict first:** the true gradient is $2h \cdot 3 = 18$. What will `x.grad[0]` be?

# %% [markdown] lang="zh" of="98097306"
# 报错了，而且报得好：*modified by an inplace operation*（被原地操作改动过）。每个张量都有一个版本计数器，记录它被原地写过几次，通过视图、通过 detach 得到的张量写入也算在内；保存 `h` 时是第 0 版。（详见[第 11 课](11_in_place.ipynb)。）
#
# 现在换成 `.data`，老代码常这么写。**先预测：** 真正的梯度是 $2h \cdot 3 = 18$，`x.grad[0]` 会是多少？

# %%
predict("through-data", ...)

# %% silently-wrong covers=[13]
x = torch.ones(2, requires_grad=True)
h = x * 3
z = h * h

h.data.zero_()
z.sum().backward()
print(x.grad)
reveal("through-data", x.grad[0])

# %% [markdown] lang="en"
# Zeros, without any warning. `.data` bypasses the version counter, so autograd cannot know that its saved `h` has been overwritten. (The live panel, `viz.live()`, cannot either: it checks the pass with the same zeros.) That is why you should write `detach()` or `no_grad()`, and leave `.data` alone.

# %% [markdown] lang="zh" of="0ceb8055"
# 得到的是 0，而且没有任何警告。`.data` 绕过了版本计数器，自动求导无从知道它保存的 `h` 已经被覆盖。（实时面板 `viz.live()` 也发现不了：它核对时用的也是这些 0。）正因如此，应当用 `detach()` 或 `no_grad()`，不要再用 `.data`。

# %% [markdown] lang="en"
# ### Exercise 3: what does detach give?
#
# `x = torch.ones(2, requires_grad=True)` is fresh for each line. What does the last expression give, `True` or `False`?

# %% [markdown] lang="zh" of="aa3764c9"
# ### 练习 3：detach 返回什么？
#
# 每一行都从新建的 `x = torch.ones(2, requires_grad=True)` 开始。最后一个表达式的值是 `True` 还是 `False`？

# %% exercise-detached covers=[13] tags=["exercise"]
my_guesses = {
    "x.detach().requires_grad": ...,
    "d = x.detach(); x.requires_grad": ...,
    "d = x.detach(); d is x": ...,
    "d = x.detach(); d.data_ptr() == x.data_ptr()": ...,
    "d = x.detach().clone(); d.data_ptr() == x.data_ptr()": ...,
    "(x * 2).detach().is_leaf": ...,
}
check.detached(my_guesses)

# %% tags=["solution"]
my_guesses = {
    "x.detach().requires_grad": False,
    "d = x.detach(); x.requires_grad": True,
    "d = x.detach(); d is x": False,
    "d = x.detach(); d.data_ptr() == x.data_ptr()": True,
    "d = x.detach().clone(); d.data_ptr() == x.data_ptr()": False,
    "(x * 2).detach().is_leaf": True,
}
check.detached(my_guesses)

# %% tags=["wrong"]
check.detached({**check.DETACHED, "d = x.detach(); d is x": True})

# %% tags=["wrong"]
my_guesses = {
    "x.detach().requires_grad": False,
    "d = x.detach(); x.requires_grad": False,
    "d = x.detach(); d is x": True,
    "d = x.detach(); d.data_ptr() == x.data_ptr()": True,
    "d = x.detach().clone(); d.data_ptr() == x.data_ptr()": False,
    "(x * 2).detach().is_leaf": True,
}
check.detached(my_guesses)

# %% tags=["wrong"]
my_guesses = {
    "x.detach().requires_grad": False,
    "d = x.detach(); x.requires_grad": True,
    "d = x.detach(); d is x": False,
    "d = x.detach(); d.data_ptr() == x.data_ptr()": False,
    "d = x.detach().clone(); d.data_ptr() == x.data_ptr()": False,
    "(x * 2).detach().is_leaf": False,
}
check.detached(my_guesses)

# %% tags=["wrong"]
check.detached(None)

# %% [markdown] lang="en"
# ## Two typing mistakes
#
# A Chinese keyboard may type a full-width colon: it looks almost the same, but is a different character. Python's error names it:

# %% [markdown] lang="zh" of="5fa98fe4"
# ## 两个常见的输入错误
#
# 用中文输入法打的冒号往往是全角的：样子差不多，却是另一个字符。Python 会指出来：

# %% full-width covers=[47]
try:
    compile("with torch.no_grad()\uff1a pass", "notes", "exec")
except SyntaxError as error:
    print(error.msg)

# %% [markdown] lang="en"
# And without `()` you get the class itself, not a context to enter:

# %% [markdown] lang="zh" of="38aad7c2"
# 漏掉 `()` 的话，得到的是类本身，而这里需要的是调用之后得到的对象（上下文管理器）：

# %% no-parentheses covers=[47]
try:
    with torch.no_grad:
        pass
except TypeError as error:
    print(error)

# %% [markdown] lang="en"
# ### Exercise 4: three mistakes
#
# Here `w` is a tracked leaf. Afterwards neither `prediction` nor `h` should be tracked. Fix the three mistakes.

# %% [markdown] lang="zh" of="d63de1ad"
# ### 练习 4：三处错误
#
# 这里 `w` 是被追踪的叶子。运行之后，`prediction` 和 `h` 都不应被追踪。请改好代码里的三处错误。

# %% exercise-slips covers=[5, 47] tags=["exercise"]
my_code = """
with torch.no_grad：
    prediction = w * 4
h = w * 3
h.detach()
"""
check.slips(my_code, torch)

# %% tags=["solution"]
my_code = """
with torch.no_grad():
    prediction = w * 4
h = w * 3
h = h.detach()
"""
check.slips(my_code, torch)

# %% tags=["solution"]
my_code = """
with torch.no_grad():
    prediction = w * 4
h = (w * 3).detach()
"""
check.slips(my_code, torch)

# %% tags=["solution"]
my_code = """
with torch.no_grad():
    prediction = w * 4
    h = w * 3
"""
check.slips(my_code, torch)

# %% tags=["wrong"]
my_code = """
with torch.no_grad()：
    prediction = w * 4
h = w * 3
h = h.detach()
"""
check.slips(my_code, torch)

# %% tags=["wrong"]
my_code = """
with torch.no_grad:
    prediction = w * 4
h = w * 3
h = h.detach()
"""
check.slips(my_code, torch)

# %% tags=["wrong"]
my_code = """
with torch.no_grad():
    prediction = w * 4
h = w * 3
h.detach()
"""
check.slips(my_code, torch)

# %% tags=["wrong"]
my_code = """
with torch.enable_grad():
    prediction = w * 4
h = w * 3
h = h.detach()
"""
check.slips(my_code, torch)

# %% tags=["wrong"]
my_code = """
with torch.no_grad():
    prediction = w * 4
h = w
h = h.detach()
"""
check.slips(my_code, torch)


# %% tags=["wrong"]
my_code = """
w.requires_grad_(False)
with torch.no_grad():
    prediction = w * 4
h = w * 3
h.detach()
"""
check.slips(my_code, torch)

# %% [markdown] lang="en"
# ## What you know now
#
# - `detach()` returns an untracked view; the original stays as it was. `no_grad()` stops recording for a block. Neither undoes what has been recorded already.
# - A detached branch counts as a constant.
# - Overwriting a saved value through `detach()` is noticed at backward. Through `.data` it is not, and the gradient is wrong.
#
# **Next:** now you may write without recording. Into which tensor? [Lesson 9](09_updating.ipynb) · [All lessons](00_index.ipynb)

# %% [markdown] lang="zh" of="a85dde44"
# ## 小结
#
# - `detach()` 返回一个未被追踪的视图，原张量不变；`no_grad()` 让一个代码块停止记录。两者都不会抹掉已经记录的内容。
# - 经过 detach 的分支，算作常数。
# - 通过 `detach()` 覆盖了保存的值，反向传播时会被发现；通过 `.data` 覆盖则不会，得到的梯度是错的。
#
# **下一课：** 现在你知道怎样写入而不被记录了。那么，该往哪个张量里写？[第 9 课](09_updating.ipynb) · [全部课程](00_index.ipynb)
