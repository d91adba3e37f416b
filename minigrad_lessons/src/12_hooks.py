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
# # 12 · Look inside
#
# [English](../en/12_hooks.ipynb) · [中文](../zh/12_hooks.ipynb) · [All lessons](00_index.ipynb) · about 20 minutes · path: *understand*
#
# > "I want to see the gradient of a layer in the middle. Where is it kept?"
#
# By the end of this page you know three ways to see a gradient in the middle, one way to change it, and how to differentiate a derivative.

# %% [markdown] lang="zh" of="47c9a024"
# # 12 · 钩子
#
# [English](../en/12_hooks.ipynb) · [中文](../zh/12_hooks.ipynb) · [全部课程](00_index.ipynb) · 约 20 分钟 · 路线：*弄懂原理*
#
# > “我想看中间某一层的梯度。它存在哪里？”
#
# 学完这一课，你会掌握三种查看中间梯度的办法、一种中途修改梯度的办法，并学会求二阶导数。

# %% [markdown] lang="en"
# To run this page on PyTorch itself, change the first line to `import torch`.

# %% [markdown] lang="zh" of="8559a529"
# 想在 PyTorch 上运行本课，把第一行改成 `import torch` 即可。

# %%
import minigrad as torch
import viz
from minigrad_lessons.checks import hooks as check
from minigrad_lessons.choose import Choose
from minigrad_lessons.predict import predict, reveal

# %% [markdown] lang="en"
# ## The puzzle
#
# $h = 3x$, the loss is $h^2$. Most people expect that the gradient of `h` is computed and then thrown away. **Predict first:** after this backward, how many of `x`, `h` and `loss` have a number in `.grad`?

# %% [markdown] lang="zh" of="37406b6f"
# ## 一个谜题
#
# $h = 3x$，损失是 $h^2$。很多人以为，`h` 的梯度求出来之后又被扔掉了。**先预测：** 反向传播之后，`x`、`h`、`loss` 三个里，有几个的 `.grad` 是数？

# %%
predict("how-many-grads", ...)

# %% never-stored covers=[40]
x = torch.tensor(2.0, requires_grad=True)
h = 3 * x
loss = h * h
loss.backward(retain_graph=True)

reveal("how-many-grads", sum(t.grad is not None for t in (x, h, loss)))

# %% [markdown] lang="en"
# One, `x`. The gradient of `h` was used and passed on, but **never stored** in `h.grad` (nor was the diamond's 15, in lesson 5). A gradient travels from node to node, and unless you ask for more, only an `AccumulateGrad` stores it. Play the pass: the 12 passes through, and only at `x` is a gradient stored.

# %% [markdown] lang="zh" of="289d147d"
# 只有 `x` 这一个。`h` 的梯度用过了，也传下去了，只是**从来没有存进** `h.grad`（第 5 课菱形里的那个 15 也一样）。梯度从一个节点传到下一个节点，除非你另外要求，只有 `AccumulateGrad` 才会把它存下来。放一遍看看：12 只是从中间经过，梯度到了 `x` 才存下来。

# %% passes-by covers=[40]
x.grad = None  # clear the earlier gradient | 先清掉前面的梯度
with viz.record(loss) as run:
    loss.backward()

run

# %% [markdown] lang="en"
# ## Three ways to see a gradient in the middle
#
# **Ask in advance** to keep it, with `retain_grad()`:

# %% [markdown] lang="zh" of="235a12c0"
# ## 查看中间梯度的三种办法
#
# **提前要求**保留，用 `retain_grad()`：

# %% retain-grad covers=[40]
h = 3 * x
h.retain_grad()
loss = h * h
loss.backward()

print(h.grad)

# %% [markdown] lang="en"
# **Register a hook**: a function that is called with the gradient when it passes:

# %% [markdown] lang="zh" of="90ca7caa"
# **注册一个钩子**（hook）：它是一个函数，梯度经过时会被调用，传入的就是这个梯度：

# %% hook covers=[40]
h = 3 * x
h.register_hook(lambda grad: print("h:", grad))
loss = h * h
loss.backward()

# %% [markdown] lang="en"
# **Ask for just that one** with `torch.autograd.grad`. It returns gradients instead of writing them anywhere; `x.grad` is not touched:

# %% [markdown] lang="zh" of="63374789"
# **只求这一个梯度**，用 `torch.autograd.grad`：它把梯度返回给你，不往任何地方写，`x.grad` 也不会变：

# %% autograd-grad covers=[40]
h = 3 * x
loss = h * h

print(torch.autograd.grad(loss, h))

# %% [markdown] lang="en"
# All three say $\dfrac{d\,\text{loss}}{dh} = 2h = 12$. (`grad` returns a tuple because you can ask for several gradients at once; `[0]` takes the first.)

# %% [markdown] lang="zh" of="5c47eb0a"
# 三种办法都得到 $\dfrac{d\,\text{loss}}{dh} = 2h = 12$。（`grad` 返回的是元组，因为一次可以求多个梯度；用 `[0]` 取出第一个。）

# %% [markdown] lang="en"
# ### Exercise 1: capture
#
# Write a function that returns the gradient of `loss` with respect to `h`, for any `h` in its graph.

# %% [markdown] lang="zh" of="d085bc86"
# ### 练习 1：取得中间梯度
#
# 写一个函数：对计算图里的任意 `h`，返回 `loss` 对 `h` 的梯度。


# %% exercise-capture covers=[40] tags=["exercise"]
def gradient_of(h, loss):
    return ...


check.capture(gradient_of, torch.tensor(2.0))


# %% tags=["solution"]
def gradient_of(h, loss):
    return torch.autograd.grad(loss, h)[0]


check.capture(gradient_of, torch.tensor(2.0))


# %% tags=["solution"]
def gradient_of(h, loss):
    h.retain_grad()
    loss.backward()
    return h.grad


check.capture(gradient_of, torch.tensor(2.0))


# %% tags=["wrong"]
def gradient_of(h, loss):
    loss.backward()
    return h.grad


check.capture(gradient_of, torch.tensor(2.0))


# %% tags=["wrong"]
def gradient_of(h, loss):
    return torch.autograd.grad(loss, h)


check.capture(gradient_of, torch.tensor(2.0))


# %% tags=["wrong"]
def gradient_of(h, loss):
    return h


check.capture(gradient_of, torch.tensor(2.0))


# %% tags=["wrong"]
def gradient_of(h, loss):
    return 2 * h


check.capture(gradient_of, torch.tensor(2.0))

# %% tags=["wrong"]
check.capture(12.0, torch.tensor(2.0))

# %% [markdown] lang="en"
# ## A hook may change the gradient
#
# What a hook returns replaces the gradient. One that returns `None` (as `print` does) only watches. **Predict first:** `x.grad` is 36 without a hook. What is it if the hook on `h` returns ten times what arrives? Then **move it:** choose what the hook returns, and watch `x.grad`. (`clamp(max=1)` lowers what is above 1 to 1.) In the last choice the hook is removed again at once, with `remove()`. (On a static page, the next cell lists the choices.)

# %% [markdown] lang="zh" of="385125cd"
# ## 钩子可以改动梯度
#
# 钩子返回什么，梯度就换成什么；返回 `None` 的（比如上面的 `print`）不会改动梯度。**先预测：** 没有钩子时 `x.grad` 是 36。如果 `h` 上的钩子把收到的梯度乘以 10 再返回，这个 36 会变成多少？然后**动一动：** 选一选钩子返回什么，看 `x.grad` 怎样变化。（`clamp(max=1)` 把大于 1 的数都改成 1。）选最后一项时，钩子刚注册就被 `remove()` 移除了。（如果你看的是静态网页、没有运行内核，下一个单元格列出了各种选择。）


# %%
predict("tenfold", ...)


# %% hooks covers=[40] tags=["moves"]
def with_hook(hook, x):
    h = 3 * x
    if hook == "None":
        h.register_hook(lambda grad: None)
    elif hook == "grad * 10":
        h.register_hook(lambda grad: grad * 10)
    elif hook == "grad.clamp(max=1)":
        h.register_hook(lambda grad: grad.clamp(max=1))
    elif hook == "grad * 10, remove()":
        h.register_hook(lambda grad: grad * 10).remove()
    return h * h


hooks = Choose(
    with_hook,
    ["None", "grad * 10", "grad.clamp(max=1)", "grad * 10, remove()"],
    x=torch.tensor(2.0),
)
hooks

# %% tenfold covers=[40]
print(hooks)

h = 3 * x
h.register_hook(lambda grad: grad * 10)
(g,) = torch.autograd.grad(h * h, x)
reveal("tenfold", g)

# %% [markdown] lang="en"
# `register_hook` returns a handle; its `remove()` removes the hook. A hook can clip a gradient that has grown too large.

# %% [markdown] lang="zh" of="cba6cf0d"
# `register_hook` 会返回一个对象（叫句柄），调用它的 `remove()` 就能移除钩子。梯度太大时要做“梯度裁剪”，就可以用钩子。

# %% [markdown] lang="en"
# ### Exercise 2: times ten
#
# Write a function that takes `h` and makes the gradient that passes through `h` ten times as large. The value of `h` must not change. It need not return anything.

# %% [markdown] lang="zh" of="e16e213d"
# ### 练习 2：乘以十
#
# 写一个以 `h` 为参数的函数，让经过 `h` 的梯度变成十倍，而 `h` 的值不变。不需要返回值。


# %% exercise-scale covers=[40] tags=["exercise"]
def times_ten(h):
    return ...


check.scale(times_ten, torch.tensor(2.0))


# %% tags=["solution"]
def times_ten(h):
    h.register_hook(lambda grad: grad * 10)


check.scale(times_ten, torch.tensor(2.0))

# %% tags=["wrong"]
check.scale(lambda h: h * 10, torch.tensor(2.0))


# %% tags=["wrong"]
def times_ten(h):
    h.register_hook(lambda grad: grad + 10)


check.scale(times_ten, torch.tensor(2.0))


# %% tags=["wrong"]
def times_ten(h):
    h.mul_(10)


check.scale(times_ten, torch.tensor(2.0))

# %% tags=["wrong"]
check.scale(10, torch.tensor(2.0))


# %% tags=["wrong"]
def times_ten(h):
    def hook(grad):
        grad.mul_(10)

    h.register_hook(hook)


check.scale(times_ten, torch.tensor(2.0))

# %% [markdown] lang="en"
# ## A gradient is a tensor
#
# A tensor's `data` and `grad` are tensors, too. You can even set the gradient yourself:

# %% [markdown] lang="zh" of="e48c5b96"
# ## 梯度也是张量
#
# 张量的 `data` 和 `grad` 也都是张量。你甚至可以自己设置梯度：

# %% types covers=[25]
w = torch.Tensor([1.0])
w.requires_grad = True
w.grad = torch.Tensor([0.0])

print(type(w), type(w.data), type(w.grad))
print(w, w.data, w.grad)

# %% [markdown] lang="en"
# Any tensor? **Predict first:** `w` holds one number. May its gradient have three?

# %% [markdown] lang="zh" of="5bb42fde"
# 什么样的张量都能当梯度吗？**先预测：** `w` 只有一个数，它的梯度可以有三个数吗？

# %%
predict("three-for-one", ..., options=["runs", "raises"])

# %% grad-must-fit covers=[25] tags=["raises-exception"]
with reveal("three-for-one"):
    w.grad = torch.Tensor([0.0, 0.0, 0.0])

# %% [markdown] lang="en"
# It has to fit: a gradient has the shape of its tensor.

# %% [markdown] lang="zh" of="8015ccf8"
# 形状要对得上：梯度必须与它所属的张量形状相同。

# %% [markdown] lang="en"
# ## The derivative of a derivative
#
# Since a gradient is a tensor, it can have a graph of its own. `create_graph=True` records the backward pass as it runs:
#
# $$f(x) = x^3 \qquad f'(x) = 3x^2 \qquad f''(x) = 6x$$
#
# At $x = 2$ both derivatives are 12, by coincidence: $3 \cdot 2^2 = 6 \cdot 2$. **Predict first:** what are the two at $x = 3$? Write a list.

# %% [markdown] lang="zh" of="adac2519"
# ## 对导数求导
#
# 既然梯度也是张量，它也可以有自己的计算图。`create_graph=True` 会把反向传播的过程也记录下来：
#
# $$f(x) = x^3 \qquad f'(x) = 3x^2 \qquad f''(x) = 6x$$
#
# 在 $x = 2$ 处，两个导数碰巧都是 12：$3 \cdot 2^2 = 6 \cdot 2$。**先预测：** 在 $x = 3$ 处，各是多少？写成列表。

# %%
predict("second", ...)

# %% second-derivative covers=[57]
x = torch.tensor(3.0, requires_grad=True)

(first,) = torch.autograd.grad(x**3, x, create_graph=True)
(second,) = torch.autograd.grad(first, x)

reveal("second", [first.item(), second.item()])

# %% first-has-a-graph covers=[57]
viz.draw(first)

# %% [markdown] lang="en"
# The picture is the graph of the first derivative, and again it ends at `x`. Without `create_graph`, the first derivative is a tensor without a graph, and it cannot be differentiated again:

# %% [markdown] lang="zh" of="636d7927"
# 图里画的是一阶导数的计算图，尽头还是 `x`。不写 `create_graph` 的话，一阶导数只是一个没有计算图的张量，不能再求导：

# %% no-graph covers=[57]
(first,) = torch.autograd.grad(x**3, x)

print(first.requires_grad)

# %% [markdown] lang="en"
# ### Exercise 3: the second derivative
#
# Write a function that works for any `f` of one number.

# %% [markdown] lang="zh" of="a26d55b3"
# ### 练习 3：二阶导数
#
# 写一个求二阶导数的函数，对任何以一个数为自变量的 `f` 都适用。


# %% exercise-second covers=[57] tags=["exercise"]
def second_derivative(f, x):
    return ...


check.second(second_derivative, torch.tensor(2.0))


# %% tags=["solution"]
def second_derivative(f, x):
    (first,) = torch.autograd.grad(f(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    return second


check.second(second_derivative, torch.tensor(2.0))


# %% tags=["wrong"]
check.second(lambda f, x: 6 * x, torch.tensor(2.0))


# %% tags=["wrong"]
def second_derivative(f, x):
    return torch.autograd.grad(f(x), x)[0]


check.second(second_derivative, torch.tensor(2.0))


# %% tags=["wrong"]
def second_derivative(f, x):
    (first,) = torch.autograd.grad(f(x), x)
    return torch.autograd.grad(first, x)[0]


check.second(second_derivative, torch.tensor(2.0))


# %% tags=["wrong"]
def second_derivative(f, x):
    return f(f(x))


check.second(second_derivative, torch.tensor(2.0))

# %% [markdown] lang="en"
# ### Exercise 4: steer
#
# The next step will be `w -= 0.1 * w.grad`. Write `steer(w, target)`: without any backward, put a gradient into the leaf `w`, so that this step lands on `target`. Leave `w` itself alone.

# %% [markdown] lang="zh" of="129a4f78"
# ### 练习 4：一步走到目标
#
# 下一步将执行 `w -= 0.1 * w.grad`。写出 `steer(w, target)`：不做反向传播，直接设置叶子 `w` 的梯度，使这一步正好落在 `target`。不要改动 `w` 本身。


# %% exercise-steer covers=[25] tags=["exercise"]
def steer(w, target):
    return ...


check.steer(steer, torch.tensor([1.0, -2.0, 5.0]))


# %% tags=["solution"]
def steer(w, target):
    w.grad = (w.detach() - target) * 10


check.steer(steer, torch.tensor([1.0, -2.0, 5.0]))


# %% tags=["solution"]
def steer(w, target):
    with torch.no_grad():
        w.grad = torch.zeros_like(w)
        w.grad += (w - target) / 0.1


check.steer(steer, torch.tensor([1.0, -2.0, 5.0]))


# %% tags=["wrong"]
def steer(w, target):
    (5 * (w - target) ** 2).sum().backward()


check.steer(steer, torch.tensor([1.0, -2.0, 5.0]))


# %% tags=["wrong"]
def steer(w, target):
    w.grad = (w.detach() - target).sum() * 10


check.steer(steer, torch.tensor([1.0, -2.0, 5.0]))


# %% tags=["wrong"]
def steer(w, target):
    w.grad = (target - w.detach()) * 10


check.steer(steer, torch.tensor([1.0, -2.0, 5.0]))


# %% tags=["wrong"]
def steer(w, target):
    w.grad = w.detach() - target


check.steer(steer, torch.tensor([1.0, -2.0, 5.0]))


# %% tags=["wrong"]
def steer(w, target):
    w.data = target


check.steer(steer, torch.tensor([1.0, -2.0, 5.0]))


# %% tags=["wrong"]
def steer(w, target):
    (w - target).sum().backward()


check.steer(steer, torch.tensor([1.0, -2.0, 5.0]))

# %% [markdown] lang="en"
# ## What you know now
#
# - Gradients of intermediate values are not stored unless you ask. See them with `retain_grad()`, a hook, or `torch.autograd.grad`.
# - A hook that returns something replaces the gradient; `remove()` ends that.
# - With `create_graph=True` a gradient has a graph, and can be differentiated again.
#
# **Next:** every rule so far was PyTorch's. Can you write one? [Lesson 13](13_your_own_op.ipynb) · [All lessons](00_index.ipynb)

# %% [markdown] lang="zh" of="22b2ce43"
# ## 小结
#
# - 中间值的梯度默认不会存下来。想查看，就用 `retain_grad()`、钩子，或 `torch.autograd.grad`。
# - 钩子有返回值，就会替换梯度；`remove()` 可以移除它。
# - 有了 `create_graph=True`，梯度也有计算图，可以再求一次导。
#
# **下一课：** 到现在为止，求导规则都是 PyTorch 给的。你能自己写一条吗？[第 13 课](13_your_own_op.ipynb) · [全部课程](00_index.ipynb)
