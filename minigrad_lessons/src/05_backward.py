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
# # 5 · Backward, step by step
#
# [English](../en/05_backward.ipynb) · [中文](../zh/05_backward.ipynb) · [All lessons](00_index.ipynb) · about 25 minutes · path: *understand*
#
# > "My `x` is used twice. Which of the two paths does `backward()` take? And in what order does it go?"
#
# On this page we write a backward pass step by step, in about twenty-five lines that you can read and run; then you read the real one. You will also meet two tempting methods that do not work. (From lesson 3: where `next_functions` says `(None, 0)`, no gradient is sent.)

# %% [markdown] lang="zh" of="e6928f11"
# # 5 · 逐步反向传播
#
# [English](../en/05_backward.ipynb) · [中文](../zh/05_backward.ipynb) · [全部课程](00_index.ipynb) · 约 25 分钟 · 路线：*弄懂原理*
#
# > “我的 `x` 用了两次，`backward()` 会走哪一条路径？又是按什么顺序走的？”
#
# 这一课会一步步把反向传播写成二十多行代码，每一行你都能读懂、能运行；然后再去读真正的引擎。你还会见到两种看似可行、其实行不通的做法。（回想第 3 课：`next_functions` 里写着 `(None, 0)` 的地方，梯度不往下传。）

# %% [markdown] lang="en"
# To run this page on PyTorch itself, change the first line to `import torch`.

# %% [markdown] lang="zh" of="8559a529"
# 想在 PyTorch 上运行本课，把第一行改成 `import torch` 即可。

# %%
import minigrad as torch
import viz
from minigrad_lessons.checks import backward as check
from minigrad_lessons.predict import predict, reveal
from minigrad_lessons.turns import Turns

# %% [markdown] lang="en"
# ## A diamond
#
# $$a = 2x \qquad b = 5x \qquad y = a\,b$$
#
# **Predict first:** with $x = 3$, what is $\dfrac{dy}{dx}$? Each path back from `y` to `x` contributes one part of it.

# %% [markdown] lang="zh" of="6139e743"
# ## 一个菱形
#
# $$a = 2x \qquad b = 5x \qquad y = a\,b$$
#
# **先预测：** $x = 3$ 时，$\dfrac{dy}{dx}$ 是多少？从 `y` 回到 `x` 的每一条路径都贡献一部分。

# %%
predict("diamond", ...)

# %% diamond covers=[54]
x = torch.tensor(3.0, requires_grad=True)
a = 2 * x
b = 5 * x
y = a * b

viz.draw(y)

# %% diamond-gradient covers=[54]
y.backward(retain_graph=True)

reveal("diamond", x.grad)

# %% [markdown] lang="en"
# Through `a`: $b \cdot 2 = 30$. Through `b`: $a \cdot 5 = 30$. Together 60. Neither path is chosen; **the parts are added**:
# $$\frac{dy}{dx} = \frac{\partial y}{\partial a}\frac{da}{dx} + \frac{\partial y}{\partial b}\frac{db}{dx} = 15 \cdot 2 + 6 \cdot 5 = 60$$
#
# ($\partial$ marks the slope with respect to one input while the others stay fixed: [Lesson 7](07_jacobians.ipynb).)
#
# (`retain_graph=True` lets us walk the same graph again below. [Lesson 10](10_saved_tensors.ipynb) explains what it keeps.)

# %% [markdown] lang="zh" of="4154e4a0"
# 经过 `a`：$b \cdot 2 = 30$；经过 `b`：$a \cdot 5 = 30$；合起来是 60。不是二选一，而是**各条路径的结果相加**：
# $$\frac{dy}{dx} = \frac{\partial y}{\partial a}\frac{da}{dx} + \frac{\partial y}{\partial b}\frac{db}{dx} = 15 \cdot 2 + 6 \cdot 5 = 60$$
#
# （$\partial$ 表示其他输入固定不变时，对其中一个输入的斜率，见[第 7 课](07_jacobians.ipynb)。）
#
# （写上 `retain_graph=True`，是为了下面能在同一张图上再走几遍。这个参数保留了什么，见[第 10 课](10_saved_tensors.ipynb)。）

# %% [markdown] lang="en"
# ## Which tensors keep a gradient?
#
# Most people expect that `backward()` updates the gradient of every tensor. **Predict first:** a gradient of 15 passed through `a`. What is `a.grad`, a number or `None`?

# %% [markdown] lang="zh" of="c9fd2192"
# ## 哪些张量会保存梯度？
#
# 很多人以为，`backward()` 会更新每个张量的梯度。**先预测：** 有一份大小为 15 的梯度从 `a` 经过。`a.grad` 是一个数（是几？），还是 `None`？

# %%
predict("between", ...)

# %% leaves-only covers=[12, 27]
print(a.is_leaf)
reveal("between", a.grad)

# %% [markdown] lang="en"
# `None`, with a warning. Gradients pass through `a` but are not kept there; unless you ask for more ([Lesson 12](12_hooks.ipynb)), only leaves keep them. And they are not *updated* but **added**: run backward once more and 60 becomes 120.

# %% [markdown] lang="zh" of="f6be8afe"
# 是 `None`，还带一条警告。梯度只是从 `a` 经过，不会在那里存下来；除非你另外要求（见[第 12 课](12_hooks.ipynb)），只有叶子才把梯度存下来。而且叶子的梯度不是“更新”，而是**累加**：再做一次反向传播，60 就变成 120。

# %% added covers=[27]
y.backward(retain_graph=True)

print(x.grad)

# %% [markdown] lang="en"
# ## A first try: send it on at once
#
# Let us write the backward pass ourselves. You can call a node like a function: give it the gradient of its output, and it returns the gradients of its inputs. (From here on, a tensor's gradient means the final result's gradient with respect to that tensor.)

# %% [markdown] lang="zh" of="64cef81d"
# ## 第一次尝试：梯度一到就传
#
# 我们自己动手，把反向传播写成代码。节点可以当函数调用：传入输出的梯度，就返回各个输入的梯度。（以后说某个张量的梯度，指的都是最后的结果对这个张量的梯度。）

# %% call-a-node covers=[53]
to_a, to_b = y.grad_fn(torch.tensor(1.0))

print(to_a.item(), to_b.item())

# %% [markdown] lang="en"
# The first idea: start at `y`, call the node, go on to each next node, and mark every node we have visited, so that none runs twice. **Predict first:** what will the leaf get?

# %% [markdown] lang="zh" of="397dca5e"
# 最容易想到的办法：从 `y` 出发，调用节点，再去每一个后继节点；访问过的节点做个记号，免得重复计算。**先预测：** 叶子会收到多少？


# %%
predict("first-try", ...)


# %% first-come covers=[53, 54]
def first_come(node, grad, visited):
    if node is None or node in visited:  # each node once | 每个节点只走一次
        return
    visited[node] = grad.item()
    if hasattr(node, "variable"):  # an AccumulateGrad: the end of the path | AccumulateGrad：路径的终点
        reveal("first-try", visited[node])
        return
    results = node(grad)  # the node's own derivative | 由节点自己的导数公式算出
    results = results if isinstance(results, tuple) else (results,)
    for (next_node, _), result in zip(node.next_functions, results):
        first_come(next_node, result, visited)


first_come(y.grad_fn, torch.tensor(1.0), {})

# %% [markdown] lang="en"
# Thirty. The walk went through `a` to the leaf and marked it; when the second part arrived through `b`, the leaf already counted as visited. Half of the gradient is lost, without an error.
#
# What if we mark nothing and pass every part on? Then the sum is right. **Predict first:** `u = u + u` doubles `u` again and again. After four doublings the leaf is visited 16 times. How many times after twelve?

# %% [markdown] lang="zh" of="bccd346f"
# 只有 30。这个函数先经过 `a` 走到叶子，做了记号；等第二份梯度经过 `b` 到来时，叶子已经标记为“访问过”。一半的梯度丢了，而且没有报错。
#
# 如果不做记号，来一份就传一份呢？这样求出的和是对的。**先预测：** 下面用 `u = u + u` 让 `u` 一次次翻倍。翻倍四次之后，叶子会被访问 16 次。十二次之后呢？


# %%
predict("every-path", ...)


# %% every-path covers=[53]
def every_path(node, grad):
    if hasattr(node, "variable"):
        return 1
    results = node(grad)
    ways = zip(node.next_functions, results)
    return sum(every_path(next_node, result) for (next_node, _), result in ways)


u = v = torch.tensor(1.0, requires_grad=True)
for count in range(1, 13):
    u = u + u
    if count % 4 == 0:
        visits = every_path(u.grad_fn, torch.tensor(1.0))
        print(f"{count=} {visits=}")
reveal("every-path", visits)

# %% [markdown] lang="en"
# We stopped at twelve. Twenty doublings would take a million visits, and fifty a million billion: decades of work, for a graph of fifty nodes.

# %% [markdown] lang="zh" of="3537caf8"
# 我们到十二次就停了。二十次就是一百万次访问，五十次则超过一千万亿次，够算上几十年，而图里总共不过五十个节点。

# %% [markdown] lang="en"
# ## Wait until everything has arrived
#
# Both methods fail for the same reason: a node ran **before its gradient was complete**. The remedy is to wait. First count, for each node, how many gradients it will receive. A node may run when the last of them has arrived; then it runs once, with the sum. An order in which every node comes after all that use its result is called a **topological order**.

# %% [markdown] lang="zh" of="2658c4c3"
# ## 等梯度到齐再运行
#
# 两种做法失败的原因是同一个：节点**在梯度到齐之前**就运行了。解决办法是等。先数清楚每个节点会收到几份梯度；最后一份到了，节点才运行，而且只运行一次，用的是各份之和。每个节点都排在用到它结果的节点之后，这样的顺序叫**拓扑序**。


# %% count covers=[53]
def gradients_to_wait_for(output):
    waiting_for, unvisited = {output.grad_fn: 0}, [output.grad_fn]
    while unvisited:
        for next_node, _ in getattr(unvisited.pop(), "next_functions", ()):
            if next_node not in waiting_for:
                waiting_for[next_node] = 0
                unvisited.append(next_node)
            waiting_for[next_node] += 1  # one more gradient will come | 又有一份梯度要来
    return waiting_for


for node, count in gradients_to_wait_for(y).items():
    print(type(node).__name__, count)

# %% [markdown] lang="en"
# The leaf's `AccumulateGrad` waits for two. (`None` is counted as well: the constants 2 and 5, which need no gradient. It does no harm.) Now the backward pass: take a node that waits for nothing more, call it, send its results on, and see which node is ready next.

# %% [markdown] lang="zh" of="724ff9b5"
# 叶子的 `AccumulateGrad` 要等两份。（`None` 也被数了进去，那是不需要梯度的常数 2 和 5，不影响结果。）接下来就是反向传播：取一个不用再等的节点，调用它，把结果传下去，再看哪个节点已经就绪。


# %% our-backward covers=[53, 54]
def backward(output):
    waiting_for = gradients_to_wait_for(output)
    arrived, ready = {output.grad_fn: torch.tensor(1.0)}, [output.grad_fn]
    while ready:
        node = ready.pop()
        if hasattr(node, "variable"):
            print("leaf.grad +=", arrived[node].item())
            continue
        results = node(arrived[node])
        results = results if isinstance(results, tuple) else (results,)
        for (next_node, _), result in zip(node.next_functions, results):
            if next_node is None:
                continue
            # contributions add up | 各份贡献相加
            arrived[next_node] = arrived.get(next_node, 0) + result
            waiting_for[next_node] -= 1
            if waiting_for[next_node] == 0:  # all have arrived: it may run | 已经到齐：可以运行了
                ready.append(next_node)


backward(y)

# %% [markdown] lang="en"
# Sixty. And fifty doublings are no problem now:

# %% [markdown] lang="zh" of="928983fb"
# 是 60。现在五十次翻倍也不在话下：

# %% fifty covers=[53]
u = v
for _ in range(50):
    u = u + u

backward(u)
print(2.0**50)

# %% [markdown] lang="en"
# **Move it:** now you are the engine. Click a node that may run next; if it may not run yet, you are told what it is still waiting for. Try to break it: click `x` first, or early. (On a static page, the next cell writes out every turn.)

# %% [markdown] lang="zh" of="50e27161"
# **动一动：** 现在由你来当引擎。点击你认为接下来可以运行的节点；如果它还不能运行，下方会说明还缺哪些梯度。不妨试着犯规：一开始就点 `x`，或者只等来一份梯度就点。（如果你看的是静态网页、没有运行内核，下一个单元格把每一步都写了出来。）

# %% turns covers=[53, 54] tags=["moves"]
with viz.record(y) as run:
    y.backward(retain_graph=True)

turns = Turns(run)
turns

# %%
print(turns)

# %% [markdown] lang="en"
# The engine did the same. `viz.record` has recorded its backward pass: play it, or drag the slider forwards and back. Watch the two parts arrive at `x` and turn the 120 that is already there into 180. (This works on any graph of yours, in PyTorch as well.)

# %% [markdown] lang="zh" of="ce751a79"
# 引擎也是这样做的。`viz.record` 录下了这一次反向传播：点播放，或者拖动滑块，前进后退都行。看两份梯度怎样先后到达 `x`，原来的 120 又怎样变成 180。（换成你自己的计算图也行，用 PyTorch 建的图也可以。）

# %% played covers=[53, 54]
run

# %% [markdown] lang="en"
# ### Exercise 1: write the order
#
# A new graph, in which two results use `a`. In which order may the four nodes run in the backward pass? Write their names as text, the first to run first: `["y", ...]`.

# %% [markdown] lang="zh" of="991b6303"
# ### 练习 1：写出顺序
#
# 换一张图，其中 `a` 被后面两个结果用到。反向传播时，这四个节点要按什么顺序运行？用字符串写出名字，先运行的写在前面：`["y", ...]`。

# %%
x = torch.tensor(2.0, requires_grad=True)
a = 3 * x
b = a * a
c = a + b
y = b * c

viz.draw(y)

# %% exercise-order covers=[53] tags=["exercise"]
nodes = {"a": a.grad_fn, "b": b.grad_fn, "c": c.grad_fn, "y": y.grad_fn}
my_order = [..., ..., ..., ...]
check.order(my_order, nodes)

# %% tags=["solution"]
check.order(["y", "c", "b", "a"], {"a": a.grad_fn, "b": b.grad_fn, "c": c.grad_fn, "y": y.grad_fn})

# %% tags=["wrong"]
check.order(["a", "b", "c", "y"], {"a": a.grad_fn, "b": b.grad_fn, "c": c.grad_fn, "y": y.grad_fn})

# %% tags=["wrong"]
check.order(["y", "b", "c", "a"], {"a": a.grad_fn, "b": b.grad_fn, "c": c.grad_fn, "y": y.grad_fn})

# %% tags=["wrong"]
check.order(["y", "c", "a", "a"], {"a": a.grad_fn, "b": b.grad_fn, "c": c.grad_fn, "y": y.grad_fn})

# %% tags=["wrong"]
check.order("yes", {"a": a.grad_fn, "b": b.grad_fn, "c": c.grad_fn, "y": y.grad_fn})

# %% [markdown] lang="en"
# ### Exercise 2: add up the paths
#
# $x = 2$, $a = 3x$, $b = a + x + 1$, $y = a\,b$. Find every path from `y` to `x`, multiply along each, and add up the products. What is `x.grad`?

# %% [markdown] lang="zh" of="34fda100"
# ### 练习 2：把各条路径加起来
#
# $x = 2$，$a = 3x$，$b = a + x + 1$，$y = a\,b$。找出从 `y` 到 `x` 的每一条路径，沿每条路径相乘，再全部相加。`x.grad` 是多少？

# %% exercise-paths covers=[54] tags=["exercise"]
my_gradient = ...
check.paths(my_gradient)

# %% tags=["solution"]
check.paths(51)

# %% tags=["wrong"]
check.paths(45)

# %% tags=["wrong"]
check.paths(27)

# %% tags=["wrong"]
check.paths(33.0)

# %% tags=["wrong"]
check.paths(100)

# %% [markdown] lang="en"
# ### Exercise 3: paths and nodes
#
# After ten doublings `u = u + u`: how many paths lead from `u` to the leaf, and how many `AddBackward0` nodes does the engine visit?

# %% [markdown] lang="zh" of="6151ed8a"
# ### 练习 3：路径与节点
#
# 做十次翻倍 `u = u + u` 之后：从 `u` 到叶子有多少条路径？引擎要访问多少个 `AddBackward0` 节点？

# %% exercise-doublings covers=[53] tags=["exercise"]
my_paths, my_nodes = ..., ...
check.doublings((my_paths, my_nodes))

# %% tags=["solution"]
check.doublings((1024, 10))

# %% tags=["wrong"]
check.doublings((10, 1024))

# %% tags=["wrong"]
check.doublings((20, 10))

# %% tags=["wrong"]
check.doublings((1024, 11))

# %% tags=["wrong"]
check.doublings(1024)

# %% [markdown] lang="en"
# ## The real one
#
# The backward pass above is the heart of the engine. (The rest is optional; it takes another ten minutes, and nothing later needs it.) Here is the same count in minigrad's own source; compare it with the one above:

# %% [markdown] lang="zh" of="cd9414c0"
# ## 真正的引擎
#
# 上面这个反向传播，就是引擎的核心。（本节余下的内容是选读，大约还要十分钟，后面的课用不到。）下面是 minigrad 源码里的计数部分，和上面的对比一下：

# %% real-count covers=[53] tags=["minigrad-only"]
import inspect

from minigrad.autograd import engine

print(inspect.getsource(engine.count_users))

# %% [markdown] lang="en"
# The backward pass itself is `run_backward`, in [minigrad/autograd/engine.py](../../minigrad/autograd/engine.py). Read its `while` loop now, beside yours:
#
# - `waiting_for` is your `waiting_for`, less the first user of each node (one with a single user need not wait);
# - `arriving` is your `arrived`;
# - `ready` is your `ready`: each node is in it together with what has arrived;
# - `edges` starts with `roots`, because the gradient that you give to `backward()` is the first to be sent, by the same lines.
#
# What `run_backward` has that yours does not: sums over what was broadcast (`conform`), what `grad` and `inputs=` ask for (`captured`, `needed`), recording for `create_graph`, hooks ([Lesson 12](12_hooks.ipynb)), freeing what is no longer needed ([Lesson 10](10_saved_tensors.ipynb)), and a queue that always takes the *newest* ready node, the one whose operation ran last, as PyTorch does; an `AccumulateGrad` counts as newest of all.

# %% [markdown] lang="zh" of="d0fc5f73"
# 执行反向传播的，是 [minigrad/autograd/engine.py](../../minigrad/autograd/engine.py) 里的 `run_backward`。现在去读它的 `while` 循环，和你的对照着看：
#
# - `waiting_for` 就是你的 `waiting_for`，只是每个节点少算一个使用者（只有一个使用者的节点不用等，也就不用记）；
# - `arriving` 就是你的 `arrived`；
# - `ready` 就是你的 `ready`，节点和已经到齐的梯度一起放在里面；
# - `edges` 一开始就是 `roots`，因为第一轮还没有运行任何节点，传出的是你交给 `backward()` 的梯度。
#
# `run_backward` 比你的多了几样：对广播过的维度求和（`conform`）、`grad` 和 `inputs=` 要的梯度（`captured`、`needed`）、`create_graph` 时的记录、钩子（[第 12 课](12_hooks.ipynb)）、释放不再需要的值（[第 10 课](10_saved_tensors.ipynb)），以及一个队列：就绪的节点里，总是先取**最新**的，也就是最后执行的那个运算的节点，和 PyTorch 一样；`AccumulateGrad` 算作最新，一就绪就运行。

# %% [markdown] lang="en"
# ## What you know now
#
# - When a value is used twice, the gradients of both uses are added.
# - A node runs once, when all its gradients have arrived: a topological order, found by counting.
# - Unless you ask for more, only leaves keep a gradient, and each new one is added to it.
#
# **Next:** 60, then 120. When does it go back to zero? [Lesson 6](06_accumulate.ipynb) · [All lessons](00_index.ipynb)

# %% [markdown] lang="zh" of="1cab3b0a"
# ## 小结
#
# - 一个值用了两次，两处的梯度要相加。
# - 每个节点只运行一次，而且要等所有梯度到齐：这样得到的顺序就是拓扑序，靠的是数清每个节点要等几份梯度。
# - 除非另外要求，只有叶子才把梯度存下来，而且是累加上去的。
#
# **下一课：** 先是 60，再是 120。什么时候才清零？[第 6 课](06_accumulate.ipynb) · [全部课程](00_index.ipynb)
