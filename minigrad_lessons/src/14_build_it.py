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
# # 14 · Build it
#
# [English](../en/14_build_it.ipynb) · [中文](../zh/14_build_it.ipynb) · [All lessons](00_index.ipynb) · about 90 minutes · path: *understand*
#
# > "I have read how an engine does it. Could I write one?"
#
# Yes: some sixty lines of numpy, in six steps. After each, a check compares your numbers with PyTorch's, to twelve digits. At the end your engine trains a network, and `viz` draws your graph.

# %% [markdown] lang="zh" of="dcc7c00c"
# # 14 · 亲手实现
#
# [English](../en/14_build_it.ipynb) · [中文](../zh/14_build_it.ipynb) · [全部课程](00_index.ipynb) · 约 90 分钟 · 路线：*弄懂原理*
#
# > “引擎怎么工作，我已经读过了。我自己写得出来吗？”
#
# 写得出来：六十来行 numpy，分六步写。每写完一步，检查会拿你的结果和 PyTorch 的比，精确到十二位。最后，用你的引擎训练一个网络，再让 `viz` 画出你的计算图。

# %% [markdown] lang="en"
# The engine is yours and needs only numpy; `torch` is used for two predictions and the comparison at the end.

# %% [markdown] lang="zh" of="18a001c8"
# 引擎是你自己的，只用 numpy；`torch` 只用于两个预测，以及最后的对照。

# %%
import minigrad as torch
import viz
import numpy as np
from itertools import count
from minigrad_lessons.checks import build_it as check
from minigrad_lessons.growing import reachable
from minigrad_lessons.predict import predict, reveal
from minigrad_lessons.quotient import Curve
from minigrad_lessons.spiral import Film, spiral, weights

# %% [markdown] lang="en"
# ## 1. Remember what was computed
#
# A *value* is an array, a flag and, if it was computed from something tracked, the node that the operation left. For now an operation has a forward rule only. A leaf's gradient goes to a node of its own, `AccumulateGrad` ([Lesson 3](03_the_graph.ipynb)). Nodes are numbered as they are made.
#
# **Predict first:** `w * w + w` uses one leaf three times. How many `AccumulateGrad` nodes does its graph have?

# %% [markdown] lang="zh" of="9ee084cd"
# ## 1. 记住计算历史
#
# 一个**值**包含一个数组和一个开关；如果是由被追踪的值算出来的，还包含那次运算留下的节点。每种运算暂时只有前向规则。叶子的梯度传给它自己的节点 `AccumulateGrad`（见[第 3 课](03_the_graph.ipynb)）。节点按创建的先后编号。
#
# **先预测：** `w * w + w` 把同一个叶子用了三次。它的计算图里有几个 `AccumulateGrad` 节点？

# %%
predict("one-leaf", ...)

# %% one-leaf covers=[35]
w = torch.tensor(2.0, requires_grad=True)
names = [node.name() for node in reachable((w * w + w).grad_fn)]

reveal("one-leaf", sum("AccumulateGrad" in name for name in names))

# %%
numbers = count()
RULES = {"add": (np.add,), "mul": (np.multiply,)}


class AccumulateGrad:
    def __init__(self, variable):
        self.variable, self.next_functions = variable, ()


# %% [markdown] lang="en"
# ### Exercise 1: value and node
#
# Fill in where a gradient for this value goes (`node`), a node's `next_functions`, and what `apply` returns. For data the entry is `(None, 0)`; where no input is tracked there is no node.

# %% [markdown] lang="zh" of="a25e59e2"
# ### 练习 1：值与节点
#
# 补上三处：这个值的梯度传到哪里（`node`）、节点的 `next_functions`、`apply` 返回什么。数据对应的那一项是 `(None, 0)`；如果没有一个输入被追踪，就没有节点。


# %% exercise-remember covers=[35, 37] tags=["exercise", "builds"]
class Value:
    def __init__(self, data, requires_grad=False, grad_fn=None):
        self.data, self.grad = np.asarray(data, dtype=float), None
        self.requires_grad, self.grad_fn, self.node = requires_grad, grad_fn, ...

    def __add__(self, other):
        return apply("add", self, other)

    def __mul__(self, other):
        return apply("mul", self, other)


class Node:
    def __init__(self, op, inputs):
        self.op, self.inputs, self.number = op, inputs, next(numbers)
        self.next_functions = ...


def apply(op, *inputs):
    inputs = [one if isinstance(one, Value) else Value(one) for one in inputs]
    result = RULES[op][0](*(value.data for value in inputs))
    return ...


check.remember(apply, Value)


# %% tags=["solution"]
class Value:
    def __init__(self, data, requires_grad=False, grad_fn=None):
        self.data, self.grad = np.asarray(data, dtype=float), None
        self.requires_grad, self.grad_fn = requires_grad, grad_fn
        self.node = grad_fn or (AccumulateGrad(self) if requires_grad else None)

    def __add__(self, other):
        return apply("add", self, other)

    def __mul__(self, other):
        return apply("mul", self, other)


class Node:
    def __init__(self, op, inputs):
        self.op, self.inputs, self.number = op, inputs, next(numbers)
        self.next_functions = tuple((value.node, 0) for value in inputs)


def apply(op, *inputs):
    inputs = [one if isinstance(one, Value) else Value(one) for one in inputs]
    result = RULES[op][0](*(value.data for value in inputs))
    tracked = any(value.requires_grad for value in inputs)
    return Value(result, tracked, Node(op, inputs) if tracked else None)


check.remember(apply, Value)


# %% tags=["solution"]
class Node:
    def __init__(self, op, inputs):
        self.op, self.inputs, self.number, ways = op, inputs, next(numbers), []
        for value in inputs:
            if value.requires_grad and value.grad_fn is None and not hasattr(value, "own"):
                value.own = AccumulateGrad(value)
            ways.append((value.grad_fn or getattr(value, "own", None), 0))
        self.next_functions = ways


check.remember(apply, Value)


# %% tags=["solution"]
def apply(op, *inputs):
    inputs = [one if isinstance(one, Value) else Value(one) for one in inputs]
    result = Value(RULES[op][0](*(value.data for value in inputs)))
    for value in inputs:
        if value.node is not None and result.grad_fn is None:
            result = Value(result.data, requires_grad=True, grad_fn=Node(op, inputs))
    return result


check.remember(apply, Value)


# %% tags=["wrong"]
class Node:
    def __init__(self, op, inputs):
        self.op, self.inputs, self.number = op, inputs, next(numbers)
        self.next_functions = tuple(
            (value.grad_fn or (AccumulateGrad(value) if value.requires_grad else None), 0) for value in inputs
        )


check.remember(apply, Value)


# %% tags=["wrong"]
class Node:
    def __init__(self, op, inputs):
        self.op, self.inputs, self.number = op, inputs, next(numbers)
        self.next_functions = tuple((value.node or AccumulateGrad(value), 0) for value in inputs)


check.remember(apply, Value)


# %% tags=["wrong"]
def apply(op, *inputs):
    inputs = [one if isinstance(one, Value) else Value(one) for one in inputs]
    return Value(RULES[op][0](*(value.data for value in inputs)), True, Node(op, inputs))


check.remember(apply, Value)


# %% tags=["wrong"]
def apply(op, *inputs):
    inputs = [one if isinstance(one, Value) else Value(one) for one in inputs]
    return Value(RULES[op][0](*(value.data for value in inputs)))


check.remember(apply, Value)

# %% [markdown] lang="en"
# ## 2. Rules, and a first pass
#
# A rule is a row: the forward, then for each input a function from `g`, the result's gradient, to that input's. The pass is naive at first: it follows each path to its end.
#
# **Predict first:** an addition hands `g` to both inputs. What does `b_grad` below finally hold? Write a list.

# %% [markdown] lang="zh" of="15dfe0f3"
# ## 2. 规则，以及第一次反向传播
#
# 一条规则占一行：先是前向，然后对每个输入各写一个函数，说明怎样由 `g`（结果的梯度）得到这个输入的梯度。反向传播先用最朴素的办法：沿着每条路径一直走到头。
#
# **先预测：** 加法把 `g` 原样传给两个输入。看下面第二个单元格：运行之后，`b_grad` 里是什么？写成列表。

# %%
predict("handed-on", ...)

# %% shared
g = np.ones(2)
a_grad, b_grad = g, g
a_grad += np.ones(2)

reveal("handed-on", b_grad.tolist())

# %% [markdown] lang="en"
# Two names, one array. `a + b` makes a new one; `+=` does not.

# %% [markdown] lang="zh" of="beca9736"
# 变量名有两个，数组只有一个。`a + b` 会新建数组，`+=` 不会。

# %% [markdown] lang="en"
# ### Exercise 2: four rules and a pass
#
# Fill in the rules, and what happens to a node taken from `waiting`: an `AccumulateGrad` adds `g` to `node.variable.grad`; any other node puts each next node on the list, with what its rule computes from `g`.

# %% [markdown] lang="zh" of="ba2bb0a9"
# ### 练习 2：四条规则，一次反向传播
#
# 补上规则，再写出怎样处理从 `waiting` 里取出的节点：是 `AccumulateGrad`，就把 `g` 累加到 `node.variable.grad`；是其他节点，就把它后面的每个节点连同由 `g` 按规则算出的梯度，一起放进这个列表。

# %% exercise-rules covers=[38] tags=["exercise", "builds"]
RULES |= {
    "add": (np.add, lambda g, a, b: ..., lambda g, a, b: ...),
    "mul": (np.multiply, lambda g, a, b: ..., lambda g, a, b: ...),
    "sum": (np.sum, lambda g, a: ...),
    "relu": (lambda a: np.maximum(a, 0), lambda g, a: ...),
}


def backward(root):
    waiting = [(root.grad_fn, np.ones_like(root.data))]
    while waiting:
        node, g = waiting.pop()
        ...


check.rules(backward, apply, Value)


# %% tags=["solution"]
RULES |= {
    "add": (np.add, lambda g, a, b: g, lambda g, a, b: g),
    "mul": (np.multiply, lambda g, a, b: g * b, lambda g, a, b: g * a),
    "sum": (np.sum, lambda g, a: g * np.ones_like(a)),
    "relu": (lambda a: np.maximum(a, 0), lambda g, a: g * (a > 0)),
}


def backward(root):
    waiting = [(root.grad_fn, np.ones_like(root.data))]
    while waiting:
        node, g = waiting.pop()
        if isinstance(node, AccumulateGrad):
            leaf = node.variable
            leaf.grad = g if leaf.grad is None else leaf.grad + g
            continue
        data = [value.data for value in node.inputs]
        for (to, _), rule in zip(node.next_functions, RULES[node.op][1:]):
            if to is not None:
                waiting.append((to, rule(g, *data)))


check.rules(backward, apply, Value)


# %% tags=["solution"]
RULES["add"] = (np.add, lambda g, a, b: g.copy(), lambda g, a, b: g.copy())


def backward(root):
    def go(node, g):
        if hasattr(node, "variable"):
            if node.variable.grad is None:
                node.variable.grad = np.zeros_like(g)
            node.variable.grad += g
        elif node is not None:
            for (to, _), rule in zip(node.next_functions, RULES[node.op][1:]):
                go(to, rule(g, *(value.data for value in node.inputs)))

    go(root.grad_fn, np.ones_like(root.data))


check.rules(backward, apply, Value)


# %% tags=["wrong"]
def backward(root):
    waiting = [(root.grad_fn, np.ones_like(root.data))]
    while waiting:
        node, g = waiting.pop()
        if isinstance(node, AccumulateGrad):
            if node.variable.grad is None:
                node.variable.grad = g
            else:
                node.variable.grad += g
            continue
        data = [value.data for value in node.inputs]
        waiting += [(to, rule(g, *data)) for (to, _), rule in zip(node.next_functions, RULES[node.op][1:]) if to]


check.rules(backward, apply, Value)


# %% tags=["wrong"]
def backward(root):
    waiting = [(root.grad_fn, np.ones_like(root.data))]
    while waiting:
        node, g = waiting.pop()
        if isinstance(node, AccumulateGrad):
            node.variable.grad = g
            continue
        data = [value.data for value in node.inputs]
        waiting += [(to, rule(g, *data)) for (to, _), rule in zip(node.next_functions, RULES[node.op][1:]) if to]


check.rules(backward, apply, Value)

# %% tags=["wrong"]
RULES["mul"] = (np.multiply, lambda g, a, b: g * a, lambda g, a, b: g * b)
check.rules(backward, apply, Value)

# %% tags=["wrong"]
RULES["relu"] = (lambda a: np.maximum(a, 0), lambda g, a: g * np.maximum(a, 0))
check.rules(backward, apply, Value)

# %% tags=["wrong"]
RULES["sum"] = (np.sum, lambda g, a: g * np.ones_like(a) / a.size)
check.rules(backward, apply, Value)


# %% tags=["wrong"]
RULES["relu"] = (lambda a: np.maximum(a, 0), lambda g, a: g * (a >= 0))
check.rules(backward, apply, Value)

# %% [markdown] lang="en"
# ## 3. Order
#
# Path by path is right but slow ([Lesson 5](05_backward.ipynb)). Each node should run once, when all its gradients have arrived: in topological order.
#
# **Predict first:** let the nodes nearest to the result run first. What is `x.grad` for `x * (x * x)` at `x = 2`?

# %% [markdown] lang="zh" of="3c6c2bda"
# ## 3. 顺序
#
# 逐条路径地走，结果是对的，却慢得根本走不完（见[第 5 课](05_backward.ipynb)）。每个节点应当只运行一次，等梯度到齐再运行，也就是按拓扑序。
#
# **先预测：** 让离结果近的节点先运行。对 `x * (x * x)`，在 `x = 2` 处，得到的 `x.grad` 是多少？

# %%
predict("nearest-first", ...)

# %% nearest-first covers=[54]
x = torch.tensor(2.0, requires_grad=True)
y = x * (x * x)
order = [y.grad_fn]
for node in order:
    order += [to for to, _ in node.next_functions if to not in order]

arrived = {y.grad_fn: torch.tensor(1.0)}
for node in order:
    for (to, _), part in zip(node.next_functions, node(arrived[node])):
        arrived[to] = arrived.get(to, 0) + part

reveal("nearest-first", x.grad.item())

# %% [markdown] lang="en"
# ### Exercise 3: users first
#
# 12 would be right: the leaf's node ran too early. Write an order that holds, as a list that begins with `root`: every node once, after all that use its result, without recursion. Then write `backward` with it; `arrived` holds what has come in for each node.

# %% [markdown] lang="zh" of="3e8a62be"
# ### 练习 3：写出拓扑序
#
# 正确的是 12：叶子的节点运行得太早了。请写出正确的顺序：不用递归，返回以 `root` 开头的列表，每个节点出现一次，排在用到它的节点之后。然后用这个顺序写 `backward`；`arrived` 存放每个节点到目前为止收到的梯度。


# %% exercise-order covers=[53, 54] tags=["exercise", "builds"]
def users_first(root):
    return ...


def backward(root):
    arrived = {root.grad_fn: np.ones_like(root.data)}
    for node in users_first(root.grad_fn):
        g = arrived.pop(node)
        ...


check.order(users_first, backward, apply, Value)


# %% tags=["solution"]
def users_first(root):
    found, waiting, order, ready = [root], {root: 0}, [], [root]
    for node in found:
        for to, _ in node.next_functions:
            found += [] if to is None or to in waiting else [to]
            waiting[to] = waiting.get(to, 0) + 1
    while ready:
        order.append(ready.pop())
        for to, _ in order[-1].next_functions:
            waiting[to] -= 1
            ready += [to] if to is not None and waiting[to] == 0 else []
    return order


def backward(root):
    arrived = {root.grad_fn: np.ones_like(root.data)}
    for node in users_first(root.grad_fn):
        g = arrived.pop(node)
        if isinstance(node, AccumulateGrad):
            leaf = node.variable
            leaf.grad = g if leaf.grad is None else leaf.grad + g
            continue
        data = [value.data for value in node.inputs]
        for (to, _), rule in zip(node.next_functions, RULES[node.op][1:]):
            if to is not None:
                arrived[to] = arrived.get(to, 0) + rule(g, *data)


check.order(users_first, backward, apply, Value)


# %% tags=["solution"]
def users_first(root):
    found = {root}
    ways = [root]
    for node in ways:
        for to, _ in node.next_functions:
            if to is not None and to not in found:
                found.add(to)
                ways.append(to)
    return sorted(ways, key=lambda node: -getattr(node, "number", -1))  # a result is younger than its inputs


check.order(users_first, backward, apply, Value)


# %% tags=["solution"]
def users_first(root):
    order, entered, stack = [], {root}, [(root, iter(root.next_functions))]
    while stack:
        node, ways = stack[-1]
        for to, _ in ways:
            if to is not None and to not in entered:
                entered.add(to)
                stack.append((to, iter(to.next_functions)))
                break
        else:
            order.append(node)
            stack.pop()
    return order[::-1]


check.order(users_first, backward, apply, Value)


# %% tags=["wrong"]
def users_first(root):
    order = [root]
    for node in order:
        order += [to for to, _ in node.next_functions if to is not None and to not in order]
    return list(dict.fromkeys(order))


check.order(users_first, backward, apply, Value)


# %% tags=["wrong"]
def users_first(root):
    order, stack = [], [root]
    while stack:
        node = stack.pop()
        if node not in order:
            order.append(node)
            stack += [to for to, _ in node.next_functions if to is not None]
    return order


check.order(users_first, backward, apply, Value)


# %% tags=["wrong"]
def users_first(root):
    order, stack = [], [root]
    while stack:
        order.append(stack.pop())
        stack += [to for to, _ in order[-1].next_functions if to is not None]
    return order


check.order(users_first, backward, apply, Value)


# %% tags=["wrong"]
def users_first(root):
    order, entered = [], set()

    def visit(node):
        if node is not None and node not in entered:
            entered.add(node)
            for to, _ in node.next_functions:
                visit(to)
            order.append(node)

    visit(root)
    return order[::-1]


check.order(users_first, backward, apply, Value)


# %% tags=["wrong"]
def backward(root):
    arrived = {root.grad_fn: np.ones_like(root.data)}
    for node in users_first(root.grad_fn):
        g = arrived.pop(node)
        if isinstance(node, AccumulateGrad):
            node.variable.grad = g if node.variable.grad is None else node.variable.grad + g
            continue
        data = [value.data for value in node.inputs]
        for (to, _), rule in zip(node.next_functions, RULES[node.op][1:]):
            if to in arrived:
                arrived[to] += rule(g, *data)
            elif to is not None:
                arrived[to] = rule(g, *data)


check.order(users_first, backward, apply, Value)


# %% tags=["wrong"]
def users_first(root):
    order, waiting = [root], [root]
    for node in waiting:
        for to, _ in node.next_functions:
            if to is not None:
                waiting += [] if to in waiting else [to]
                if to in order:
                    order.remove(to)
                order.append(to)
    return order


check.order(users_first, backward, apply, Value)

# %% [markdown] lang="en"
# ## 4. Un-broadcast
#
# A bias is a parameter added to a result; one of shape `(3,)` is used in every row, so its gradient is the sum over all rows ([Lesson 7](07_jacobians.ipynb)).
#
# **Predict first:** a column `(3, 1)` times a row `(1, 4)`. The column's gradient must have the column's shape; which shape does the rule give? Write a list.

# %% [markdown] lang="zh" of="bcb6dbdf"
# ## 4. 撤销广播
#
# 网络里常有一个形状为 `(3,)` 的偏置，也就是加在结果上的参数，每一行都要加上它。每一行都用了它，所以它的梯度是各行梯度之和（见[第 7 课](07_jacobians.ipynb)）。
#
# **先预测：** 一列 `(3, 1)` 乘一行 `(1, 4)`。这一列的梯度应当与这一列同形状；可是按规则算出来的，是什么形状？写成列表。

# %%
predict("stretched", ...)

# %% stretched
column, row = np.ones((3, 1)), np.ones((1, 4))
g = np.ones_like(column * row)

reveal("stretched", list((g * row).shape))

# %% [markdown] lang="en"
# ### Exercise 4: which axes?
#
# Now `g` has the shape `(2, 3)`. For each input's shape, list the axes to sum over.

# %% [markdown] lang="zh" of="b628c4d0"
# ### 练习 4：哪些轴？
#
# 现在 `g` 的形状是 `(2, 3)`。对下面每一种输入形状，用列表写出要对哪些轴求和。

# %% exercise-axes covers=[55] tags=["exercise"]
my_axes = {
    "(3,)": ...,
    "(2, 1)": ...,
    "(1, 3)": ...,
    "()": ...,
    "(2, 3)": ...,
}
check.axes(my_axes)

# %% tags=["solution"]
my_axes = {
    "(3,)": [0],
    "(2, 1)": [1],
    "(1, 3)": [0],
    "()": [0, 1],
    "(2, 3)": [],
}
check.axes(my_axes)

# %% tags=["wrong"]
check.axes({**check.AXES, "(3,)": [1]})

# %% tags=["wrong"]
check.axes({**check.AXES, "(1, 3)": []})

# %% tags=["wrong"]
check.axes({**check.AXES, "()": [0]})

# %% tags=["wrong"]
check.axes({**check.AXES, "(2, 3)": [0, 1]})

# %% [markdown] lang="en"
# ### Exercise 5: sum it back
#
# Write `unbroadcast`: sum `g` down to `shape`. Copy your `backward` below it, and apply it to every gradient a rule returns.

# %% [markdown] lang="zh" of="98fb9e92"
# ### 练习 5：求和还原形状
#
# 写出 `unbroadcast`：通过求和把 `g` 变回 `shape`。然后把你的 `backward` 抄到它下面，在那里对规则返回的每个梯度都调用这个函数。


# %% exercise-unbroadcast covers=[55] tags=["exercise", "builds"]
def unbroadcast(g, shape):
    return ...


check.unbroadcast(unbroadcast, backward, apply, Value)


# %% tags=["solution"]
def unbroadcast(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return g.sum(axis=tuple(i for i, size in enumerate(shape) if size == 1), keepdims=True)


def backward(root):
    arrived = {root.grad_fn: np.ones_like(root.data)}
    for node in users_first(root.grad_fn):
        g = arrived.pop(node)
        if isinstance(node, AccumulateGrad):
            leaf = node.variable
            leaf.grad = g if leaf.grad is None else leaf.grad + g
            continue
        data = [value.data for value in node.inputs]
        for value, (to, _), rule in zip(node.inputs, node.next_functions, RULES[node.op][1:]):
            if to is not None:
                arrived[to] = arrived.get(to, 0) + unbroadcast(rule(g, *data), value.data.shape)


check.unbroadcast(unbroadcast, backward, apply, Value)


# %% tags=["solution"]
def unbroadcast(g, shape):
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    for axis, size in enumerate(shape):
        if size != g.shape[axis]:
            g = g.sum(axis=axis, keepdims=True)
    return g


check.unbroadcast(unbroadcast, backward, apply, Value)


# %% tags=["solution"]
def unbroadcast(g, shape):
    padded = (1,) * (g.ndim - len(shape)) + tuple(shape)
    stretched = tuple(axis for axis in range(g.ndim) if padded[axis] == 1)
    return np.sum(g, axis=stretched).reshape(shape)


check.unbroadcast(unbroadcast, backward, apply, Value)


# %% tags=["wrong"]
def unbroadcast(g, shape):
    return g.sum(axis=tuple(range(g.ndim - len(shape))))


check.unbroadcast(unbroadcast, backward, apply, Value)


# %% tags=["wrong"]
def unbroadcast(g, shape):
    padded = (1,) * (g.ndim - len(shape)) + tuple(shape)
    return g.sum(axis=tuple(axis for axis in range(g.ndim) if padded[axis] == 1 and g.shape[axis] > 1))


check.unbroadcast(unbroadcast, backward, apply, Value)


# %% tags=["wrong"]
def unbroadcast(g, shape):
    padded = (1,) * (g.ndim - len(shape)) + tuple(shape)
    return np.mean(g, axis=tuple(axis for axis in range(g.ndim) if padded[axis] == 1)).reshape(shape)


check.unbroadcast(unbroadcast, backward, apply, Value)


# %% tags=["wrong"]
def backward(root):
    arrived = {root.grad_fn: np.ones_like(root.data)}
    for node in users_first(root.grad_fn):
        g = arrived.pop(node)
        if isinstance(node, AccumulateGrad):
            node.variable.grad = g
            continue
        data = [value.data for value in node.inputs]
        for (to, _), rule in zip(node.next_functions, RULES[node.op][1:]):
            if to is not None:
                arrived[to] = arrived.get(to, 0) + rule(g, *data)


check.unbroadcast(unbroadcast, backward, apply, Value)

# %% [markdown] lang="en"
# ## 5. The matrix product
#
# One more rule. The shapes leave you one choice, unless the matrices are square: then a wrong order goes unnoticed. The check tries both.
#
# **Predict first:** `a` is `(2, 3)` and `b` is `(3, 4)`. Which shape does `g` have? Write a list.

# %% [markdown] lang="zh" of="58444ba3"
# ## 5. 矩阵乘法
#
# 再加一条规则。形状只容许一种写法，除非是方阵：那时顺序写错了也不会报错。两种情况都会检查。
#
# **先预测：** `a` 是 `(2, 3)`，`b` 是 `(3, 4)`。`g` 是什么形状？写成列表。

# %%
predict("product-shape", ...)

# %% product-shape
a, b = np.ones((2, 3)), np.ones((3, 4))

reveal("product-shape", list(np.ones_like(a @ b).shape))

# %% [markdown] lang="en"
# Only one product of `g` and `b` has the shape of `a`.
#
# ### Exercise 6: matmul

# %% [markdown] lang="zh" of="83178ee6"
# `g` 和 `b` 只有一种乘法能得到 `a` 的形状。
#
# ### 练习 6：matmul

# %% exercise-matmul tags=["exercise", "builds"]
RULES["matmul"] = (np.matmul, lambda g, a, b: ..., lambda g, a, b: ...)

check.matmul(RULES, backward, apply, Value)

# %% tags=["solution"]
RULES["matmul"] = (np.matmul, lambda g, a, b: g @ b.T, lambda g, a, b: a.T @ g)

check.matmul(RULES, backward, apply, Value)

# %% tags=["solution"]
RULES["matmul"] = (np.dot, lambda g, a, b: np.dot(b, g.T).T, lambda g, a, b: np.transpose(a) @ g)

check.matmul(RULES, backward, apply, Value)

# %% tags=["solution"]
RULES["matmul"] = [
    np.matmul,
    lambda g, a, b: np.einsum("nm,km->nk", g, b),
    lambda g, a, b: np.einsum("nk,nm->km", a, g),
]

check.matmul(RULES, backward, apply, Value)

# %% tags=["wrong"]
RULES["matmul"] = (np.matmul, lambda g, a, b: g @ b.T, lambda g, a, b: g @ a)

check.matmul(RULES, backward, apply, Value)

# %% tags=["wrong"]
RULES["matmul"] = (np.matmul, lambda g, a, b: g @ b, lambda g, a, b: a.T @ g)

check.matmul(RULES, backward, apply, Value)

# %% tags=["wrong"]
RULES["matmul"] = (np.matmul, lambda g, a, b: g * b, lambda g, a, b: g * a)

check.matmul(RULES, backward, apply, Value)

# %% tags=["wrong"]
RULES["matmul"] = (np.matmul, lambda g, a, b: b.T, lambda g, a, b: a.T)

check.matmul(RULES, backward, apply, Value)

# %% [markdown] lang="en"
# ## 6. Softmax and cross entropy, as one
#
# Softmax turns a row $z$ of scores into probabilities $p_i = e^{z_i} / \sum_j e^{z_j}$. With $t_i = 1$ for the right class, else 0, cross entropy is $-\sum_i t_i \log p_i$, averaged over $N$ rows. Their joint derivative in $z$: $(p - t) / N$.
#
# **Predict first:** one score is 1000, far ahead of the other. Its probability is 1. Which two probabilities does numpy compute?

# %% [markdown] lang="zh" of="b5812737"
# ## 6. softmax 与交叉熵，合成一条规则
#
# softmax 把一行得分 $z$ 变成概率 $p_i = e^{z_i} / \sum_j e^{z_j}$。正确的那一类 $t_i = 1$，其余为 0；交叉熵损失是 $-\sum_i t_i \log p_i$，再对 $N$ 行求平均。两步合在一起，对 $z$ 的导数很短：$(p - t) / N$。
#
# **先预测：** 有一个得分是 1000，远远超过另一个，它的概率是 1。numpy 算出的两个概率是什么？

# %%
predict("overflow", ..., options=["1, 0", "nan, 0", "inf, 0"])

# %% overflow
z = np.array([1000.0, 0.0])
with np.errstate(all="ignore"):
    p = np.exp(z) / np.exp(z).sum()

reveal("overflow", f"{p[0]:g}, {p[1]:g}")
shifted = z - z.max()  # the largest is 0 now: exp cannot overflow | 最大的变成 0，exp 不会溢出
print(np.exp(shifted) / np.exp(shifted).sum())

# %% [markdown] lang="en"
# $e^{1000}$ overflows, and inf / inf is nan. Subtracting the same number from all scores of a row changes no probability. That solves half of the problem: the second probability is still exactly 0.
#
# **Predict first:** its target is 0, too. What does numpy give for 0 times log 0? And if two scores are equal and the first class is right, $t = (1, 0)$, what is $p - t$? Write a list.

# %% [markdown] lang="zh" of="a3f9da59"
# $e^{1000}$ 溢出了，而 inf / inf 是 nan。一行里的得分都减去同一个数，概率不变。这只解决了一半：第二个概率仍然正好是 0。
#
# **先预测：** 第二个的目标也是 0。numpy 算 0 乘 log 0，会得到什么？另外，如果两个得分相等，而正确的是第一类，$t = (1, 0)$，那么 $p - t$ 是多少？写成列表。

# %%
predict("log-zero", ..., options=["0", "-inf", "nan"])
predict("pulls", ...)

# %% log-zero
with np.errstate(all="ignore"):
    reveal("log-zero", f"{0 * np.log(0.0):g}")
equal, t = np.array([2.0, 2.0]), np.array([1.0, 0.0])
p = np.exp(equal) / np.exp(equal).sum()
reveal("pulls", (p - t).tolist())

# %% [markdown] lang="en"
# So avoid the logarithm of a quotient: with the shifted scores, use $\log p_i = z_i - \log \sum_j e^{z_j}$.

# %% [markdown] lang="zh" of="66ffde02"
# 所以不要对商取对数，而要用平移后的得分计算 $\log p_i = z_i - \log \sum_j e^{z_j}$。

# %% [markdown] lang="en"
# ### Exercise 7: one rule by hand
#
# Write both; each row of `z` and `target` is one sample, each target all zeros but one 1.

# %% [markdown] lang="zh" of="13d97055"
# ### 练习 7：手写一条规则
#
# `z` 和 `target` 里，每个样本占一行；目标的每一行里只有一个 1，其余都是 0。


# %% exercise-softmax tags=["exercise", "builds"]
def cross_entropy(z, target):
    return ...


def cross_entropy_vjp(g, z, target):
    return ...


RULES["cross_entropy"] = (cross_entropy, cross_entropy_vjp)
check.softmax(cross_entropy, cross_entropy_vjp)


# %% tags=["solution"]
def cross_entropy(z, target):
    z = z - z.max(axis=1, keepdims=True)
    return -(target * (z - np.log(np.exp(z).sum(axis=1, keepdims=True)))).sum() / len(z)


def cross_entropy_vjp(g, z, target):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return g * (e / e.sum(axis=1, keepdims=True) - target) / len(z)


RULES["cross_entropy"] = (cross_entropy, cross_entropy_vjp)
check.softmax(cross_entropy, cross_entropy_vjp)


# %% tags=["solution"]
def log_softmax(z):
    return z - z.max(axis=1)[:, None] - np.log(np.exp(z - z.max(axis=1)[:, None]).sum(axis=1))[:, None]


def cross_entropy(z, target):
    return -np.mean(np.sum(target * log_softmax(z), axis=-1))


def cross_entropy_vjp(g, z, target):
    return (np.exp(log_softmax(z)) - target) * (g / z.shape[0])


check.softmax(cross_entropy, cross_entropy_vjp)


# %% tags=["solution"]
def cross_entropy(z, target):
    return float(np.mean(np.logaddexp.reduce(z, axis=1) - (z * target).sum(axis=1)))


check.softmax(cross_entropy, cross_entropy_vjp)


# %% tags=["wrong"]
def cross_entropy(z, target):
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    return -(target * np.log(p)).sum() / len(z)


check.softmax(cross_entropy, cross_entropy_vjp)


# %% tags=["wrong"]
def cross_entropy(z, target):
    z = z - z.max(axis=1, keepdims=True)
    return -(target * (z - np.log(np.exp(z).sum(axis=1, keepdims=True)))).sum()


check.softmax(cross_entropy, cross_entropy_vjp)


# %% tags=["wrong"]
def cross_entropy_vjp(g, z, target):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return g * (e / e.sum(axis=1, keepdims=True) - target)


check.softmax(cross_entropy, cross_entropy_vjp)


# %% tags=["wrong"]
def cross_entropy_vjp(g, z, target):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return (e / e.sum(axis=1, keepdims=True) - target) / len(z)


check.softmax(cross_entropy, cross_entropy_vjp)


# %% tags=["wrong"]
def cross_entropy(z, target):
    z = z - z.max()
    return -(target * (z - np.log(np.exp(z).sum(axis=1, keepdims=True)))).sum() / len(z)


check.softmax(cross_entropy, cross_entropy_vjp)

# %% [markdown] lang="en"
# ## More rules
#
# The table can grow: add a row, and you have a new operation.
#
# ### Exercise 8: four rows
#
# This time the check nudges each input, as in Lesson 1, and compares.

# %% [markdown] lang="zh" of="3c55a4be"
# ## 更多规则
#
# 规则表可以随时加行：多一行，就多一种运算。
#
# ### 练习 8：再写四行
#
# 这次没有现成的数可比：检查会像第 1 课那样，把每个输入稍微动一动，再和你的规则对照。

# %% exercise-rows tags=["exercise", "builds"]
RULES |= {
    "exp": (np.exp, lambda g, a: ...),
    "log": (np.log, lambda g, a: ...),
    "tanh": (np.tanh, lambda g, a: ...),
    "div": (np.divide, lambda g, a, b: ..., lambda g, a, b: ...),
}
check.rows(RULES)

# %% tags=["solution"]
RULES |= {
    "exp": (np.exp, lambda g, a: g * np.exp(a)),
    "log": (np.log, lambda g, a: g / a),
    "tanh": (np.tanh, lambda g, a: g * (1 - np.tanh(a) ** 2)),
    "div": (np.divide, lambda g, a, b: g / b, lambda g, a, b: -g * a / b**2),
}
check.rows(RULES)

# %% tags=["solution"]
RULES["exp"] = (np.exp, lambda g, a: np.exp(a) * g)
RULES["log"] = (np.log, lambda g, a: g * a**-1)
RULES["tanh"] = (np.tanh, lambda g, a: g / np.cosh(a) ** 2)
RULES["div"] = (np.divide, lambda g, a, b: g * b**-1, lambda g, a, b: -(g / b) * (a / b))
check.rows(RULES)


# %% tags=["solution"]
def exp_vjp(g, a):
    return np.multiply(g, np.exp(a))


RULES |= {"exp": [np.exp, exp_vjp], "log": [np.log, np.divide]}
RULES |= {"tanh": [np.tanh, lambda g, a: g - g * np.square(np.tanh(a))]}
RULES |= {"div": [np.divide, lambda g, a, b: g / b, lambda g, a, b: g * (-a) / (b * b)]}
check.rows(RULES)

# %% tags=["wrong"]
ROWS = {"log": (np.log, lambda g, a: g / a), "tanh": (np.tanh, lambda g, a: g / np.cosh(a) ** 2)}
ROWS["div"] = (np.divide, lambda g, a, b: g / b, lambda g, a, b: -g * a / b**2)
check.rows(ROWS | {"exp": (np.exp, lambda g, a: np.exp(a))})

# %% tags=["wrong"]
ROWS = {"exp": (np.exp, lambda g, a: g * np.exp(a)), "tanh": (np.tanh, lambda g, a: g / np.cosh(a) ** 2)}
ROWS["div"] = (np.divide, lambda g, a, b: g / b, lambda g, a, b: -g * a / b**2)
check.rows(ROWS | {"log": (np.log, lambda g, a: g * a)})

# %% tags=["wrong"]
ROWS = {"exp": (np.exp, lambda g, a: g * np.exp(a)), "log": (np.log, lambda g, a: g / a)}
ROWS["div"] = (np.divide, lambda g, a, b: g / b, lambda g, a, b: -g * a / b**2)
check.rows(ROWS | {"tanh": (np.tanh, lambda g, a: g * (1 - np.tanh(a)))})

# %% tags=["wrong"]
ROWS = {"exp": (np.exp, lambda g, a: g * np.exp(a)), "log": (np.log, lambda g, a: g / a)}
ROWS["tanh"] = (np.tanh, lambda g, a: g / np.cosh(a) ** 2)
check.rows(ROWS | {"div": (np.divide, lambda g, a, b: g / b, lambda g, a, b: g * a / b**2)})

# %% tags=["wrong"]
ROWS = {"exp": (np.exp, lambda g, a: g * np.exp(a)), "log": (np.log, lambda g, a: g / a)}
ROWS["tanh"] = (np.tanh, lambda g, a: g / np.cosh(a) ** 2)
check.rows(ROWS)


# %% tags=["wrong"]
ROWS = {"exp": (np.exp, lambda g, a: g * np.exp(abs(a))), "log": (np.log, lambda g, a: g / a)}
ROWS["tanh"] = (np.tanh, lambda g, a: g / np.cosh(a) ** 2)
check.rows(ROWS | {"div": (np.divide, lambda g, a, b: g / b, lambda g, a, b: -g * a / b**2)})


# %% tags=["wrong"]
ROWS = {"exp": (np.exp, lambda g, a: g * np.exp(a)), "log": (np.log, lambda g, a: g / a)}
ROWS["tanh"] = (np.tanh, lambda g, a: g / np.cosh(a) ** 2)
check.rows(ROWS | {"div": (np.divide, lambda g, a, b: g / abs(b), lambda g, a, b: -g * a / b**2)})


# %% tags=["wrong"]
ROWS = {"exp": (np.exp, lambda g, a: g * np.exp(a)), "log": (np.log, lambda g, a: g / a)}
ROWS["tanh"] = (np.tanh, lambda g, a: g / np.cosh(a) ** 2)
check.rows(ROWS | {"div": (np.divide, lambda g, a, b: g / b, lambda g, a, b: -g * abs(a) / b**2)})

# %% [markdown] lang="en"
# ## Your graph, drawn
#
# `viz` depends neither on minigrad nor on PyTorch. It reads a few attributes of tensors and nodes, the same for PyTorch's as for yours. Here they are.
#
# **Predict first:** `y = (x * 2) * (x * 5)`. How many nodes will be in the graph, counting the leaf's `AccumulateGrad`?

# %% [markdown] lang="zh" of="d1fba5cb"
# ## 画出你的计算图
#
# `viz` 既不依赖 minigrad，也不依赖 PyTorch，它只读取张量和节点的几个属性，对 PyTorch 和对你的引擎都一样。下面就补上这些属性，有了它们，你的计算图也能画出来。
#
# **先预测：** `y = (x * 2) * (x * 5)`，连叶子的 `AccumulateGrad` 在内，图里会有几个节点？

# %%
predict("your-nodes", ...)

# %% protocol
engine = check.engine(globals())
Value_, Node_, Leaf_ = engine.Value, engine.Node, engine.AccumulateGrad
Value_.grad_fn, Value_.requires_grad, Value_.grad = None, False, None
# what viz asks of a tensor | viz 从张量读取这些
Value_.is_leaf = property(lambda self: self.grad_fn is None)
Value_.shape = property(lambda self: self.data.shape)
Value_.dtype = property(lambda self: self.data.dtype)
Value_.detach = lambda self: Value_(self.data)
Value_.tolist = lambda self: self.data.tolist()
# and of a node | 从节点读取这些
Node_.name = lambda self: self.op.title().replace("_", "") + "Backward0"
Node_.next_functions = ()
Node_._sequence_nr = lambda self: self.number
Leaf_.name = lambda self: "AccumulateGrad"
Leaf_.variable, Leaf_.next_functions = None, ()
Leaf_._sequence_nr = lambda self: 2**64 - 1
Node_.metadata = Leaf_.metadata = property(lambda self: self.__dict__.setdefault("notes", {}))

# %% drawn
x = engine.Value(3.0, True)
y = (x * 2) * (x * 5)
engine.backward(y)

reveal("your-nodes", len(reachable(y.grad_fn)))
viz.draw(y)

# %% [markdown] lang="en"
# This is the diamond of Lesson 5, with its gradient of 60, and your engine made every node in it.

# %% [markdown] lang="zh" of="c3345c72"
# 这就是第 5 课的菱形，梯度是 60，图里的每个节点都是你的引擎创建的。

# %% [markdown] lang="en"
# ## It trains
#
# 300 points on the three arms of a spiral, and a network $2 \to 32 \to 3$: which arm is a point on? Straight lines cannot tell them apart.

# %% [markdown] lang="zh" of="6eff9725"
# ## 训练
#
# 螺旋的三条臂上有 300 个点，网络（$2 \to 32 \to 3$）要判断每个点在哪条臂上；用直线是分不开的。


# %% training
def scores(x, w1, b1, w2, b2):
    hidden = engine.apply("relu", engine.apply("matmul", x, w1) + b1)
    return engine.apply("matmul", hidden, w2) + b2


points, arms, target = spiral()
ours = [engine.Value(start, True) for start in weights()]
film, losses = Film(points, arms), []
for step in range(1001):
    loss = engine.apply("cross_entropy", scores(points, *ours), target)
    losses.append(float(loss.data))
    if step in (0, 30, 200, 1000):
        film.keep(step, losses[-1], lambda x: scores(x, *ours).data)
    engine.backward(loss)
    for w in ours:  # one step of gradient descent | 梯度下降一步
        w.data, w.grad = w.data - 0.5 * w.grad, None

# %% [markdown] lang="en"
# **Move it** through the training. (On a static page, four moments are shown side by side.)

# %% [markdown] lang="zh" of="165f0f52"
# **动一动：** 看看训练的各个时刻。（如果你看的是静态网页、没有运行内核，四个时刻并排画在下面。）

# %% spiral tags=["moves"]
film

# %%
Curve(loss=losses)

# %% [markdown] lang="en"
# ## Against PyTorch
#
# The same points, the same start, the same 1,001 steps. On this page `torch` is minigrad, which computes what PyTorch computes; change the first line, and it is PyTorch itself.
#
# **Predict first:** at how many steps do the two losses differ by more than a billionth?

# %% [markdown] lang="zh" of="57ee3d8e"
# ## 和 PyTorch 比一比
#
# 同样的数据点、同样的初始权重、同样的 1001 步。在本页里 `torch` 是 minigrad，算出的和 PyTorch 一样；改掉第一行，就是 PyTorch 本身。
#
# **先预测：** 两边的损失相差超过十亿分之一的，有多少步？

# %%
predict("apart", ...)

# %% agree
theirs = [torch.tensor(start, requires_grad=True) for start in weights()]
x, t = torch.tensor(points), torch.tensor(target)
apart = 0
for step in range(1001):
    w1, b1, w2, b2 = theirs
    loss = torch.nn.functional.cross_entropy(torch.relu(x @ w1 + b1) @ w2 + b2, t)
    # how often PyTorch differs from your engine | PyTorch 与你的引擎不一致的次数
    apart += abs(loss.item() - losses[step]) > 1e-9
    loss.backward()
    with torch.no_grad():
        for w in theirs:
            w -= 0.5 * w.grad
            w.grad = None

reveal("apart", int(apart))

# %% [markdown] lang="en"
# ## What you know now
#
# - An engine needs a record of nodes and inputs, a table of rules, topological order, and addition.
# - A rule is given `g` and returns $J^\mathsf{T} g$; summing back and adding up are the engine's job.
# - A mistake can still give the right numbers in some cases, as an in-place `+=` does where the array is not shared: test the other cases, too.
#
# Ours, to compare: `minigrad_lessons/engine.py`. What does yours lack? Versions, hooks, second derivatives, views: `minigrad/autograd` is the same idea with those.
#
# **Next:** your engine works. How do people misuse one? [Lesson 15](15_fix_it.ipynb) · [All lessons](00_index.ipynb)

# %% [markdown] lang="zh" of="de6a70a7"
# ## 小结
#
# - 一个引擎要做四件事：记下每个节点和它的输入，查规则表，按拓扑序走一遍，把梯度加起来。
# - 规则收到 `g`，返回 $J^\mathsf{T} g$；撤销广播和累加由引擎自己来做。
# - 写错了，有时也能得出对的数：数组在别处没有用到时，原地的 `+=` 就看不出问题。测试时，要挑能让错误露馅的情形。
#
# 参考实现见 `minigrad_lessons/engine.py`。你的引擎还缺什么？版本、钩子、二阶导数、视图：`minigrad/autograd` 是同样的思路，再加上这些。
#
# **下一课：** 你的引擎能用了。用引擎训练时，又容易错在哪里？[第 15 课](15_fix_it.ipynb) · [全部课程](00_index.ipynb)
