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
# # Autograd on one page
#
# `import minigrad as torch` or `import torch`: the same lines. After `#`: what you get.

# %% [markdown] lang="zh" of="fa378e7a"
# # 一页纸自动求导
#
# 写 `import minigrad as torch` 或 `import torch` 都行，代码一样。`#` 后面是结果。

# %%
import minigrad as torch

# %% [markdown] lang="en"
# ## Ask for a gradient
#
# The flag must be on *before* the loss is computed.

# %% [markdown] lang="zh" of="be1f0a0d"
# ## 求一个梯度
#
# 开关要在计算损失**之前**打开。

# %%
X = torch.tensor([1.0, 2.0, 3.0])
Y = torch.tensor([3.0, 5.0, 7.0])
w = torch.tensor([1.0], requires_grad=True)
loss = ((Y - w * X) ** 2).sum()  # tensor(29., grad_fn=<SumBackward0>)
loss.backward()
w.grad  # tensor([-40.])

# %% [markdown] lang="en"
# ## Is `w.grad` `None`? Ask in this order
#
# Flag on? On before the loss? A leaf? Has `backward()` run since?

# %% [markdown] lang="zh" of="4e4392f3"
# ## `w.grad` 是 `None`？按顺序检查
#
# 开关开了吗？算损失之前就开了吗？是叶子吗？之后运行过 `backward()` 吗？

# %%
w.requires_grad  # True
w.is_leaf  # True
(w * 2).is_leaf  # False

# %% [markdown] lang="en"
# ## The graph
#
# A node for each recorded operation; an `AccumulateGrad` for each tracked leaf.

# %% [markdown] lang="zh" of="cba93e10"
# ## 计算图
#
# 每次被记录的运算留下一个节点；每个被追踪的叶子都有一个 `AccumulateGrad` 指向它。

# %%
z = w * 2 + 1
z.grad_fn.name()  # 'AddBackward0'
mul = z.grad_fn.next_functions[0][0]
mul.name()  # 'MulBackward0'
mul.next_functions[0][0].variable  # tensor([1.], requires_grad=True)
w.grad_fn  # None

# %% [markdown] lang="en"
# ## Gradients add up: clear them
#
# For each step: loss, backward, update, clear.

# %% [markdown] lang="zh" of="68a7d61e"
# ## 梯度会累加：记得清零
#
# 每一步：算损失、反向传播、更新、清零。

# %%
w.grad = None
for _ in range(50):
    loss = ((Y - w * X) ** 2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.02 * w.grad
    w.grad.zero_()
w  # tensor([2.4286], requires_grad=True)

# %% [markdown] lang="en"
# ## A vector as output
#
# `backward(v)` gives $J^\mathsf{T} v$; `v` has the output's shape.

# %% [markdown] lang="zh" of="d5cae0c7"
# ## 输出是向量
#
# `backward(v)` 给出 $J^\mathsf{T} v$；`v` 的形状和输出相同。

# %%
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x
y.backward(torch.tensor([1.0, 10.0]))
x.grad  # tensor([ 2., 40.])
(x * x).backward()  # RuntimeError: grad can be implicitly created only for scalar outputs

# %% [markdown] lang="en"
# ## Stop recording
#
# `detach()` returns a new tensor; the old one stays tracked. Leave `.data` alone.

# %% [markdown] lang="zh" of="c74cbffc"
# ## 停止记录
#
# `detach()` 返回一个新张量，原来的仍被追踪。不要碰 `.data`。

# %%
x.detach().requires_grad  # False
x.requires_grad  # True
with torch.no_grad():
    y = x * 2
y.requires_grad  # False

# %% [markdown] lang="en"
# ## Backward twice through one graph
#
# `retain_graph=True` keeps the saved tensors. In a loop, recompute the loss instead.

# %% [markdown] lang="zh" of="f107f719"
# ## 同一张图反向传播两次
#
# `retain_graph=True` 保留节点保存的张量。在循环里，请改为重新计算损失。

# %%
y = (x * x).sum()
y.backward(retain_graph=True)
y.backward()
y.backward()  # RuntimeError: Trying to backward through the graph a second time

# %% [markdown] lang="en"
# ## In place
#
# A tracked leaf allows it only under `no_grad()`; a saved value must not be overwritten.

# %% [markdown] lang="zh" of="f30a6a19"
# ## 原地写入
#
# 被追踪的叶子只有在 `no_grad()` 里才能原地写入；保存过的值不能覆盖。

# %%
x.add_(1)  # RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.
a = x.exp()
a.add_(1)._version  # 1
a.sum().backward()  # RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation

# %% [markdown] lang="en"
# ## Look inside
#
# Intermediate gradients are not stored by default: ask for one, have it kept, or watch it with a hook.

# %% [markdown] lang="zh" of="23621556"
# ## 查看中间梯度
#
# 中间值的梯度默认不会存下来：可以单独求，可以要求保留，也可以用钩子查看。

# %%
h = x * 3
l = (h * h).sum()
torch.autograd.grad(l, h, retain_graph=True)[0]  # tensor([ 6., 12.])
h.retain_grad()
handle = h.register_hook(lambda g: g * 10)
l.backward()
h.grad  # tensor([ 60., 120.])

# %% [markdown] lang="en"
# ## A second derivative
#
# `create_graph=True` records the backward pass.

# %% [markdown] lang="zh" of="9e0fca1d"
# ## 二阶导数
#
# `create_graph=True` 会把反向传播也记录下来。

# %%
x = torch.tensor(2.0, requires_grad=True)
(first,) = torch.autograd.grad(x**3, x, create_graph=True)
first  # tensor(12., grad_fn=<MulBackward0>)
torch.autograd.grad(first, x)[0]  # tensor(12.)

# %% [markdown] lang="en"
# ## An operation of your own
#
# `backward` is given the output's gradient and returns the input's. Check it with `gradcheck`, in `double`.

# %% [markdown] lang="zh" of="c42dc9fe"
# ## 自己的算子
#
# `backward` 收到输出的梯度，返回输入的梯度。用 `gradcheck` 检验，精度用 `double`。


# %%
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 2 * x


# %%
Square.apply(x)  # tensor(4., grad_fn=<SquareBackward>)
torch.autograd.gradcheck(Square.apply, x.detach().double().requires_grad_())  # True
