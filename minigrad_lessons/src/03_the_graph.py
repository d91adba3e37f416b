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
# # 3 · The graph
#
# [English](../en/03_the_graph.ipynb) · [中文](../zh/03_the_graph.ipynb) · [All lessons](00_index.ipynb) · about 20 minutes · path: *understand* and *fix my training loop*
#
# > "It prints `grad_fn=<AddBackward0>`. What is that object, and what does the 0 count?"
#
# By the end you can take a result apart by hand: get its node, walk to those behind it, and reach the **leaf** at the end: the tensor whose gradient you want. In lesson 1 you watched −40 move through a picture; now you walk the graph yourself.

# %% [markdown] lang="zh" of="14c59150"
# # 3 · 计算图
#
# [English](../en/03_the_graph.ipynb) · [中文](../zh/03_the_graph.ipynb) · [全部课程](00_index.ipynb) · 约 20 分钟 · 路线：*弄懂原理*、*修好训练循环*
#
# > “打印出来有一个 `grad_fn=<AddBackward0>`。这是个什么对象？后面的 0 在数什么？”
#
# 学完这一课，你能亲手把一个结果拆开：拿到它的节点，一步步走到后面的节点，最后到达路径尽头、需要梯度的那个张量，也就是叶子。第 1 课里，你在图上看过 −40 是怎样传回来的；现在由你自己沿着路径走一遍。

# %% [markdown] lang="en"
# To run this page on PyTorch itself, change the first line to `import torch`. To watch graphs grow as cells run, try `viz.live()` in a new cell (Ctrl+B hides the file list); no lesson needs it.

# %% [markdown] lang="zh" of="12b090a8"
# 想在 PyTorch 上运行本课，把第一行改成 `import torch` 即可。想看着计算图随单元格的运行一点点长出来，就新建一个单元格，运行 `viz.live()`（地方不够时，按 Ctrl+B 收起左侧的文件列表）；不用这个面板也能学完每一课。

# %%
import minigrad as torch
import viz
from minigrad_lessons.checks import graph as check
from minigrad_lessons.predict import predict, reveal
from minigrad_lessons.walk import Walk

# %% [markdown] lang="en"
# ## What does the 0 count?
#
# Most people take `AddBackward0` for *the first addition*, since a graph can hold many. **Predict first:** four additions in a row. Which digits do their names end in?

# %% [markdown] lang="zh" of="c2bb4298"
# ## 这个 0 在数什么？
#
# 很多人以为 `AddBackward0` 是“第一次加法”，因为一个计算图里可以有很多次加法。**先预测：** 下面连续做了四次加法，四个节点名字末尾的数字分别是几？

# %%
predict("digits", ..., options=["0 1 2 3", "1 2 3 4", "0 0 0 0"])

# %% four-adds covers=[36]
x = torch.ones(2, requires_grad=True)

a = x + 1
b = a + 1
c = b + 1
d = c + x

print(a.grad_fn.name(), b.grad_fn.name(), c.grad_fn.name(), d.grad_fn.name())
reveal("digits", " ".join(t.grad_fn.name()[-1] for t in (a, b, c, d)))

# %% [markdown] lang="en"
# All four are number 0, so nothing is being counted. The digit tells **variants of one operation** apart. Raising to a power has three: one where only the base is a tensor, one where both are, and one where only the exponent is:

# %% [markdown] lang="zh" of="1f3a7bbd"
# 四个都是 0，可见末尾的数字并不是在计数，而是用来区分**同一种运算的不同变体**。比如求幂有三种变体，依次是：只有底数是张量，两者都是张量，只有指数是张量：

# %% variants covers=[36]
print((x**2).grad_fn.name())
print((x**x).grad_fn.name())
print((2**x).grad_fn.name())

# %% [markdown] lang="en"
# The same goes for the `SubBackward0` that you meet when you update a weight: not "the first subtraction", just subtraction, variant 0. The second one has the same name:

# %% [markdown] lang="zh" of="3f205443"
# 更新参数时会遇到的 `SubBackward0` 也是同样的道理：不是“第一次减法”，而是减法的第 0 个变体。第二次减法还是叫这个名字：

# %% two-subtractions covers=[31]
once = x - 1
twice = once - 1

print(once.grad_fn.name(), twice.grad_fn.name())

# %% [markdown] lang="en"
# ### Exercise 1: name the nodes
#
# `x` is tracked. Which name does each result's `grad_fn` have? Write it as text, such as `"AddBackward0"`. Two are new; if you guess wrong, the check explains them.

# %% [markdown] lang="zh" of="15bc2c8b"
# ### 练习 1：写出节点的名字
#
# `x` 被追踪。下面每个结果的 `grad_fn` 叫什么名字？用字符串写，例如 `"AddBackward0"`。其中有两个前面没有出现过，猜错了会有说明。

# %% exercise-names covers=[36] tags=["exercise"]
my_names = {
    "x + 1": ...,
    "(x + 1) + 2": ...,
    "x - 1": ...,
    "1 - x": ...,
    "x ** 2": ...,
    "x.sum()": ...,
    "x.sum(0)": ...,
}
check.names(my_names)

# %% tags=["solution"]
my_names = {
    "x + 1": "AddBackward0",
    "(x + 1) + 2": "AddBackward0",
    "x - 1": "SubBackward0",
    "1 - x": "RsubBackward1",
    "x ** 2": "PowBackward0",
    "x.sum()": "SumBackward0",
    "x.sum(0)": "SumBackward1",
}
check.names(my_names)

# %% tags=["wrong"]
my_names = {
    "x + 1": "AddBackward0",
    "(x + 1) + 2": "AddBackward1",
    "x - 1": "SubBackward0",
    "1 - x": "RsubBackward1",
    "x ** 2": "PowBackward0",
    "x.sum()": "SumBackward0",
    "x.sum(0)": "SumBackward1",
}
check.names(my_names)

# %% tags=["wrong"]
my_names = {
    "x + 1": "AddBackward0",
    "(x + 1) + 2": "AddBackward0",
    "x - 1": "SubBackward0",
    "1 - x": "SubBackward0",
    "x ** 2": "PowBackward0",
    "x.sum()": "SumBackward0",
    "x.sum(0)": "SumBackward0",
}
check.names(my_names)

# %% tags=["wrong"]
check.names(["AddBackward0"])

# %% [markdown] lang="en"
# ## A node and where it leads
#
# A small example:
#
# $$y = w x \qquad z = y + b$$
#
# with `w` and `b` tracked, and `x` plain data.

# %% [markdown] lang="zh" of="d2aa2e57"
# ## 节点通向哪里
#
# 现在来看一个小例子：
#
# $$y = w x \qquad z = y + b$$
#
# 其中 `w` 和 `b` 被追踪，`x` 只是数据。

# %% the-graph covers=[16]
w = torch.tensor([2.0], requires_grad=True)
b = torch.tensor([1.0], requires_grad=True)
x = torch.tensor([3.0])

y = w * x
z = y + b

viz.draw(z)

# %% [markdown] lang="en"
# Arrows run from results to inputs and never form a cycle: the graph is a **directed acyclic graph** (DAG).
#
# The addition made `z`; `z.grad_fn` is the node that it left for the backward pass, an ordinary Python object. As the last line of a cell it prints in short form; `print` and `repr` add the word *object*:

# %% [markdown] lang="zh" of="01951d5b"
# 箭头从结果指向输入，永远不会形成环：计算图是**有向无环图**（directed acyclic graph，DAG）。
#
# `z` 是加法算出来的，`z.grad_fn` 是这次加法留下的节点，供反向传播使用。这是一个普通的 Python 对象：写在单元格最后一行时，显示的是简短形式；用 `print` 打印或取 `repr`，会多出 *object* 一词：

# %% short-form covers=[34]
z.grad_fn

# %% long-form covers=[34]
print(z.grad_fn)

# %% [markdown] lang="en"
# `next_functions` lists where the gradient goes next: one pair (node, number) for each input, in order.

# %% [markdown] lang="zh" of="3f3b5aa0"
# `next_functions` 列出梯度接下来传到哪里：每个输入对应一对（节点，编号），按输入的顺序排列。

# %% next-functions covers=[35]
print(z.grad_fn.next_functions)

# %% [markdown] lang="en"
# The first input of the addition was `y`, made by a multiplication. The second was `b`, which no operation made: instead of a `grad_fn` there is an `AccumulateGrad`.
#
# The multiplication had two inputs too. **Predict first:** one of them was the untracked `x`. What is in its place?

# %% [markdown] lang="zh" of="5b992e59"
# 加法的第一个输入是 `y`，由乘法得来；第二个输入是 `b`，不是任何运算的结果，所以这个位置上不是 `grad_fn`，而是 `AccumulateGrad`。
#
# 乘法也有两个输入。**先预测：** 其中一个是未被追踪的 `x`，它的位置上会是什么？

# %%
predict("untracked-input", ..., options=["AccumulateGrad", "x", None])

# %% untracked-input covers=[35]
print(y.grad_fn.next_functions)
reveal("untracked-input", y.grad_fn.next_functions[1][0])

# %% [markdown] lang="en"
# `(None, 0)`: the gradient stops here. The number in each pair says *which output* of that node this input was, counting from 0. Most operations have one output, so it is 0. An operation with several outputs shows what the number is for:

# %% [markdown] lang="zh" of="ea23c840"
# 是 `(None, 0)`：此路不通，梯度到此为止。每一对里的编号，指这个输入是那个节点的**第几个输出**，从 0 数起。大多数运算只有一个输出，所以是 0。换一个有多个输出的运算，就能看出编号的用处：

# %% which-output covers=[35]
first, second = torch.ones(2, requires_grad=True).unbind()

print((first + second).grad_fn.next_functions)

# %% [markdown] lang="en"
# Is a plain number an input? That depends on the operation. In `w - 5` the 5 counts as an untracked input, like `x`. In `w**2` the 2 is a setting of the node, without a pair:

# %% [markdown] lang="zh" of="62bc0576"
# 那么普通的数算不算输入？这要看是什么运算。在 `w - 5` 里，5 算一个未被追踪的输入，和前面的 `x` 一样；在 `w**2` 里，2 只是节点的一项设置，列表里没有与它对应的一对：

# %% plain-numbers covers=[35]
print((w - 5).grad_fn.next_functions)
print((w**2).grad_fn.next_functions)

# %% [markdown] lang="en"
# ## AccumulateGrad
#
# Most people think the `grad_fn` of `b` *is* its `AccumulateGrad`. **Predict first:** what is `b.grad_fn`?

# %% [markdown] lang="zh" of="f799f1ba"
# ## AccumulateGrad
#
# 很多人以为，`b` 的 `grad_fn` **就是** `AccumulateGrad`。**先预测：** `b.grad_fn` 是什么？

# %%
predict("leaf", ..., options=["AccumulateGrad", None])

# %% accumulate-grad covers=[37]
node = z.grad_fn.next_functions[1][0]

reveal("leaf", b.grad_fn)
print(type(node).__name__)
print(node.variable is b)

# %% [markdown] lang="en"
# `b.grad_fn` is `None`: no operation made `b`. The reference runs the other way. The graph contains an `AccumulateGrad`, and *its* `variable` is `b`, so it knows where to write.

# %% [markdown] lang="zh" of="5a06d9e4"
# `b.grad_fn` 是 `None`，因为 `b` 不是运算得来的。引用关系正好反过来：计算图里有一个 `AccumulateGrad`，**它的** `variable` 引用着 `b`，所以它知道梯度该写到哪里。

# %% [markdown] lang="en"
# **Move it:** walk the graph yourself. Each button is one entry of `next_functions`; the line above shows the code that gets you there. (On a static page, all paths are listed.)

# %% [markdown] lang="zh" of="a5f7ef0f"
# **动一动：** 自己在图里走一走。每个按钮对应 `next_functions` 里的一项，上面一行是走到当前节点要写的代码。（如果你看的是静态网页、没有运行内核，下面列出了所有的路径。）

# %% walk covers=[35, 37] tags=["moves"]
Walk(z=z)

# %% [markdown] lang="en"
# A backward pass takes these paths. Play it (`retain_graph=True` lets it run again: lesson 10):

# %% [markdown] lang="zh" of="1960771e"
# 反向传播走的正是这些路径。播放一遍看看（`retain_graph=True` 让它还能再运行，见第 10 课）：

# %% the-way-back covers=[35, 37]
with viz.record(z) as run:
    z.backward(retain_graph=True)

run

# %% [markdown] lang="en"
# ### Exercise 2: walk to w
#
# Starting from `z.grad_fn`, reach the node that will write `w.grad`.

# %% [markdown] lang="zh" of="c68440e6"
# ### 练习 2：走到 w
#
# 从 `z.grad_fn` 出发，走到将要写入 `w.grad` 的那个节点。

# %% exercise-walk covers=[35, 37] tags=["exercise"]
my_node = ...
check.walk(my_node, w)

# %% tags=["solution"]
my_node = z.grad_fn.next_functions[0][0].next_functions[0][0]
check.walk(my_node, w)

# %% tags=["wrong"]
check.walk(w.grad_fn, w)

# %% tags=["wrong"]
check.walk(z.grad_fn.next_functions[0][0], w)

# %% tags=["wrong"]
check.walk(z.grad_fn.next_functions[1][0], w)

# %% tags=["wrong"]
check.walk(z.grad_fn.next_functions[0][0].next_functions[0], w)

# %% tags=["wrong"]
check.walk(w, w)

# %% [markdown] lang="en"
# ## No grad_fn: two reasons
#
# `w.grad_fn` is `None` because you made `w` yourself. Does the converse hold? **Predict first:** `x` is untracked. What is the `grad_fn` of `x * 100 + 1`?

# %% [markdown] lang="zh" of="d88dfaab"
# ## 没有 grad_fn：两种原因
#
# `w.grad_fn` 是 `None`，因为 `w` 是你自己创建的。反过来成立吗？**先预测：** `x` 未被追踪，`x * 100 + 1` 的 `grad_fn` 是什么？

# %%
predict("untracked-result", ..., options=["MulBackward0", "AddBackward0", None])

# %% no-grad-fn covers=[6, 17]
untracked = x * 100 + 1

print(w.grad_fn)
reveal("untracked-result", untracked.grad_fn)

# %% [markdown] lang="en"
# `untracked` is the result of two operations, yet nothing was recorded, because none of its inputs is tracked. Recording starts where a tracked tensor comes in.

# %% [markdown] lang="zh" of="6f8ca4a0"
# `untracked` 是两步运算的结果，这两步却没有被记录，因为输入都未被追踪。只有被追踪的张量参与运算时，才开始记录。

# %% [markdown] lang="en"
# ## Function, autograd, network
#
# Three names are easily mixed up. The class to derive your own operations from is `torch.autograd.Function`; there is no `torch.Function`:

# %% [markdown] lang="zh" of="6589dc6d"
# ## Function、autograd 与网络
#
# 有三个名字很容易混在一起。自定义运算要继承的类是 `torch.autograd.Function`，并没有 `torch.Function`：

# %% function covers=[15]
print(hasattr(torch, "Function"))
print(hasattr(torch.autograd, "Function"))
print(isinstance(z.grad_fn, torch.autograd.Function))

# %% [markdown] lang="en"
# Nodes of built-in operations are not instances of `Function`: they are of another kind, made by the operations as they run. You will write a `Function` of your own in [Lesson 13](13_your_own_op.ipynb).
#
# Is autograd only for neural networks? No: a network is made of tensors and operations, and **autograd differentiates whatever you computed**, network or not. `z` above is not a network, and yet it has a graph. (Its gradients are added to those of the pass above; [Lesson 6](06_accumulate.ipynb) says why.)

# %% [markdown] lang="zh" of="9ff0425a"
# 内置运算的节点也不是 `Function` 的实例，而是各个运算在执行时自己创建的另一类对象。到[第 13 课](13_your_own_op.ipynb)，你会自己写一个 `Function`。
#
# autograd 只能用在神经网络上吗？不是。网络由张量和运算组成，而**自动求导（autograd）是一套通用的求导机制**，不管你算的是不是网络，它都能求导。上面的 `z` 不是网络，照样有计算图。（这次的梯度会加到上一次的梯度上，原因见[第 6 课](06_accumulate.ipynb)。）

# %% engine covers=[11]
z.backward()

print(w.grad, b.grad)

# %% [markdown] lang="en"
# ## Made while it runs
#
# The graph is not drawn up in advance, as a **static graph** would be. It records what *this* run did: `if`, `for` and `while` are plain Python, and the branch not taken leaves no node. This is called **define by run**, and makes a **dynamic graph**.
#
# Starting from 30, two doublings are enough to pass 100. **Predict first:** starting from 3, how many nodes will the graph have, not counting the leaf's?

# %% [markdown] lang="zh" of="e568e33d"
# ## 边运行边建图
#
# 计算图不是事先定义好的（那样的图叫**静态图**），它记录的是**这一次**运行做了什么：`if`、`for`、`while` 都是普通的 Python 语句，没有执行的分支不会留下节点。这叫**运行时定义**（define by run），得到的图叫**动态图**。
#
# 下面的函数把传入的数不断乘以 2，直到不小于 100；传入 30 时要乘两次。**先预测：** 传入 3 时，不算叶子对应的那个，图里有几个节点？

# %%
predict("define-by-run", ...)

# %% define-by-run covers=[45]


def double_until_100(start):
    v = torch.tensor(start, requires_grad=True)
    u = v
    while u < 100:
        u = u * 2
    return u


two_steps = double_until_100(30.0)
viz.draw(two_steps)

# %% longer-run covers=[45]
six_steps = double_until_100(3.0)

nodes, node = 0, six_steps.grad_fn
while node.next_functions:  # from node to node, down to the leaf | 逐个节点走，直到叶子
    nodes, node = nodes + 1, node.next_functions[0][0]
reveal("define-by-run", nodes)
viz.draw(six_steps)

# %% [markdown] lang="en"
# Two steps for 30, six for 3: the same lines of Python, two different graphs. (The pictures number the leaf: its own name, `v`, exists only inside the function.)

# %% [markdown] lang="zh" of="01330f4e"
# 传入 30 走了两步，传入 3 走了六步：同样几行 Python，得到两张不同的图。（图里的叶子只有编号，因为 `v` 这个名字只在函数里面有效。）

# %% [markdown] lang="en"
# ### Exercise 3: build a graph
#
# Compute something from `w` whose graph, from the result back to the leaf, is as written below. The brackets after a node hold the nodes that its `next_functions` lead to.
#
# ```
# MeanBackward0(PowBackward0(SubBackward0(AccumulateGrad, None)))
# ```

# %% [markdown] lang="zh" of="7e7848bd"
# ### 练习 3：搭一张图
#
# 用 `w` 算出一个结果，使它的计算图从结果到叶子如下所示。每个节点后面的括号里，是它的 `next_functions` 通向的节点。
#
# ```
# MeanBackward0(PowBackward0(SubBackward0(AccumulateGrad, None)))
# ```

# %% exercise-build covers=[35, 36] tags=["exercise"]
my_result = ...
check.build(my_result, w)

# %% tags=["solution"]
my_result = ((w - 5) ** 2).mean()
check.build(my_result, w)

# %% tags=["solution"]
my_result = (w - x).pow(3).mean()
check.build(my_result, w)

# %% tags=["wrong"]
check.build(((w - 5) ** 2).sum(), w)

# %% tags=["wrong"]
check.build(((5 - w) ** 2).mean(), w)

# %% tags=["wrong"]
check.build(((w - b) ** 2).mean(), w)

# %% tags=["wrong"]
check.build(((x - 5) ** 2).mean(), w)

# %% tags=["wrong"]
check.build(4.0, w)

# %% [markdown] lang="en"
# ### Exercise 4: true or false?
#
# `w` and `b` are tracked, `x` is not, `z` is `w * x + b` as above. What does each line give, `True` or `False`?

# %% [markdown] lang="zh" of="3747db03"
# ### 练习 4：对还是错？
#
# 和前面一样，`w`、`b` 被追踪，`x` 未被追踪，`z` 是 `w * x + b`。下面每一行得到 `True` 还是 `False`？

# %% exercise-facts covers=[6, 11, 15, 16, 17, 31, 34] tags=["exercise"]
my_guesses = {
    "isinstance(z.grad_fn, torch.autograd.Function)": ...,
    "hasattr(torch, 'Function')": ...,
    "(x * 2).grad_fn is None": ...,
    "torch.tensor([1.0], requires_grad=True).grad_fn is None": ...,
    "(w - 1 - 2).grad_fn.name() == 'SubBackward1'": ...,
    "'object' in repr(z.grad_fn)": ...,
    "z.grad_fn in [node for node, _ in z.grad_fn.next_functions]": ...,
}
check.facts(my_guesses)

# %% tags=["solution"]
my_guesses = {
    "isinstance(z.grad_fn, torch.autograd.Function)": False,
    "hasattr(torch, 'Function')": False,
    "(x * 2).grad_fn is None": True,
    "torch.tensor([1.0], requires_grad=True).grad_fn is None": True,
    "(w - 1 - 2).grad_fn.name() == 'SubBackward1'": False,
    "'object' in repr(z.grad_fn)": True,
    "z.grad_fn in [node for node, _ in z.grad_fn.next_functions]": False,
}
check.facts(my_guesses)

# %% tags=["wrong"]
my_guesses = {
    "isinstance(z.grad_fn, torch.autograd.Function)": True,
    "hasattr(torch, 'Function')": False,
    "(x * 2).grad_fn is None": True,
    "torch.tensor([1.0], requires_grad=True).grad_fn is None": True,
    "(w - 1 - 2).grad_fn.name() == 'SubBackward1'": False,
    "'object' in repr(z.grad_fn)": True,
    "z.grad_fn in [node for node, _ in z.grad_fn.next_functions]": False,
}
check.facts(my_guesses)

# %% tags=["wrong"]
my_guesses = {
    "isinstance(z.grad_fn, torch.autograd.Function)": False,
    "hasattr(torch, 'Function')": False,
    "(x * 2).grad_fn is None": False,
    "torch.tensor([1.0], requires_grad=True).grad_fn is None": True,
    "(w - 1 - 2).grad_fn.name() == 'SubBackward1'": False,
    "'object' in repr(z.grad_fn)": True,
    "z.grad_fn in [node for node, _ in z.grad_fn.next_functions]": False,
}
check.facts(my_guesses)

# %% tags=["wrong"]
my_guesses = {
    "isinstance(z.grad_fn, torch.autograd.Function)": False,
    "hasattr(torch, 'Function')": False,
    "(x * 2).grad_fn is None": True,
    "torch.tensor([1.0], requires_grad=True).grad_fn is None": False,
    "(w - 1 - 2).grad_fn.name() == 'SubBackward1'": True,
    "'object' in repr(z.grad_fn)": True,
    "z.grad_fn in [node for node, _ in z.grad_fn.next_functions]": False,
}
check.facts(my_guesses)

# %% tags=["wrong"]
my_guesses = {
    "isinstance(z.grad_fn, torch.autograd.Function)": False,
    "hasattr(torch, 'Function')": False,
    "(x * 2).grad_fn is None": True,
    "torch.tensor([1.0], requires_grad=True).grad_fn is None": True,
    "(w - 1 - 2).grad_fn.name() == 'SubBackward1'": False,
    "'object' in repr(z.grad_fn)": True,
    "z.grad_fn in [node for node, _ in z.grad_fn.next_functions]": True,
}
check.facts(my_guesses)

# %% tags=["wrong"]
check.facts([True, False])

# %% [markdown] lang="en"
# ## What you know now
#
# - `grad_fn` is the node that an operation left; `next_functions` says where the gradient goes: a pair (node, which output, from 0) for each input, `(None, 0)` where none is needed.
# - The digit in `AddBackward0` names a variant of the operation. It counts nothing.
# - A tensor without a `grad_fn` is a leaf. If it requires a gradient, an `AccumulateGrad` in the graph refers to it. An untracked result has no `grad_fn` either, so it counts as a leaf ([Lesson 4](04_leaves.ipynb)).
# - The graph is built as the code runs, anew each time, and has no cycles.
#
# **Next:** the paths end at tensors that you made. Or do they? [Lesson 4](04_leaves.ipynb) · [All lessons](00_index.ipynb)

# %% [markdown] lang="zh" of="14453a2c"
# ## 小结
#
# - `grad_fn` 是运算留下的节点；`next_functions` 列出梯度接下来传到哪里：每个输入对应一对（节点，第几个输出，从 0 数起），不需要梯度的输入是 `(None, 0)`。
# - `AddBackward0` 里的数字表示运算的变体，并不计数。
# - 没有 `grad_fn` 的张量是叶子；如果叶子需要梯度，计算图里就有一个 `AccumulateGrad` 引用它。未被追踪的结果也没有 `grad_fn`，因此也算叶子（见[第 4 课](04_leaves.ipynb)）。
# - 计算图是有向无环图，随运行产生，每次运行都重新建立。
#
# **下一课：** 路径的尽头是你创建的张量。真的都是你创建的吗？[第 4 课](04_leaves.ipynb) · [全部课程](00_index.ipynb)
