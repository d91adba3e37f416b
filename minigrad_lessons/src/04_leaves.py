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
# # 4 · Leaves and the flag
#
# [English](../en/04_leaves.ipynb) · [中文](../zh/04_leaves.ipynb) · [All lessons](00_index.ipynb) · about 25 minutes · path: *understand* and *fix my training loop*
#
# > "`x` had `requires_grad=True`, I am sure, and there is a warning about a leaf. What leaf?"
#
# Is a leaf always a tensor that you made? By the end of this page you can tell for any tensor whether it is a leaf, and you know when its flag may be changed.

# %% [markdown] lang="zh" of="c4989393"
# # 4 · 叶子与开关
#
# [English](../en/04_leaves.ipynb) · [中文](../zh/04_leaves.ipynb) · [全部课程](00_index.ipynb) · 约 25 分钟 · 路线：*弄懂原理*、*修好训练循环*
#
# > “`x` 明明设了 `requires_grad=True`，却冒出一条关于 leaf 的警告。哪来的叶子？”
#
# 图里的路径都通向叶子。叶子真的都是你自己创建的张量吗？学完这一课，你能判断任何一个张量是不是叶子，也知道张量的开关什么时候可以改。

# %% [markdown] lang="en"
# To run this page on PyTorch itself, change the first line to `import torch`.

# %% [markdown] lang="zh" of="8559a529"
# 想在 PyTorch 上运行本课，把第一行改成 `import torch` 即可。

# %%
import minigrad as torch
import viz
from minigrad_lessons.checks import leaves as check
from minigrad_lessons.flags import Flags
from minigrad_lessons.predict import predict, reveal

# %% [markdown] lang="en"
# ## The puzzle
#
# The gradient of $\sum x_i^2$ is $2 x_i$, and every $x_i$ is 1. **Predict first:** what is `x.grad`?

# %% [markdown] lang="zh" of="24b05984"
# ## 一个谜题
#
# $\sum x_i^2$ 的梯度是 $2 x_i$，每个 $x_i$ 都是 1。**先预测：** `x.grad` 里会是什么：全是 1（all 1）、全是 2（all 2）、全是 4（all 4），还是没有梯度（None）？

# %%
predict("grad-of-x", ..., options=["all 1", "all 2", "all 4", None])

# %% puzzle covers=[46]
x = torch.ones(2, 2, requires_grad=True)
x = x**2
x.sum().backward()

print(x)
reveal("grad-of-x", x.grad)

# %% [markdown] lang="en"
# Most people expect twos. The warning says why there are none: this `x` is not a leaf. `x = x**2` does not change the tensor. The right-hand side makes a **new** one, and then the *name* `x` refers to that. The first tensor is still there and did get its gradient, but no name refers to it any more. Keep a second name to see it:

# %% [markdown] lang="zh" of="03d79dd4"
# 很多人以为全是 2。警告说明了为什么没有梯度：现在的 `x` 不是叶子。`x = x**2` 并没有改动原来的张量。等号右边产生一个**新**张量，然后**变量名** `x` 改为引用新张量。第一个张量还在，也得到了梯度，只是再也没有变量引用它了。给它另留一个变量名，就能看到这个梯度：

# %% keep-the-leaf covers=[46]
leaf = torch.ones(2, 2, requires_grad=True)
x = leaf**2
x.sum().backward()

print(leaf.grad)

# %%
total = x.sum()
viz.draw(total)

# %% [markdown] lang="en"
# In the picture the leaf is the rounded blue box at the end of the path, behind its `AccumulateGrad`. A gradient is kept only there. `x` is just an intermediate result.

# %% [markdown] lang="zh" of="45558a4a"
# 图里的叶子用蓝色圆角框表示，位于路径的尽头、`AccumulateGrad` 之后。只有叶子会存下梯度，`x` 只是中间结果。

# %% [markdown] lang="en"
# ## What is a leaf?
#
# Most people say "what you created yourself" or "what was not computed". (From lesson 3: which tensors have no `grad_fn`? Yours, and untracked results.) **Predict first:** `data` is not tracked. Is `data * 100` a leaf?

# %% [markdown] lang="zh" of="481f255f"
# ## 什么是叶子？
#
# 很多人说，叶子是“自己创建的、不是算出来的”张量。（回想第 3 课：哪些张量没有 `grad_fn`？你创建的，还有未被追踪的结果。）**先预测：** `data` 未被追踪，`data * 100` 是叶子吗？

# %%
predict("computed-leaf", ..., options=[True, False])

# %% is-leaf covers=[33]
w = torch.ones(2, requires_grad=True)
data = torch.ones(2)

print("w:         ", w.is_leaf)
print("w * 100:   ", (w * 100).is_leaf)
print("data:      ", data.is_leaf)
reveal("computed-leaf", (data * 100).is_leaf)

# %% [markdown] lang="en"
# It is: it was computed, but the computation was not recorded. **A leaf is a tensor without a `grad_fn`**: made by you, or computed without being recorded.
#
# A leaf collects a gradient when its `requires_grad` is `True`. (Its node: `AccumulateGrad`.)

# %% [markdown] lang="zh" of="2421586b"
# 是叶子：它虽然是算出来的，但计算没有被记录。**没有 `grad_fn` 的张量就是叶子**，要么由你创建，要么计算时没有被记录。
#
# 叶子也叫叶子节点、叶子张量。`requires_grad` 为 `True` 的叶子，才会累加梯度。（叶子本身是张量，它在计算图里的节点是 `AccumulateGrad`。）

# %% [markdown] lang="en"
# **Move it:** switch the flags and watch which branches of $w x + b$ appear. When all three are off, there is no graph at all. (On a static page, the eight cases are in the table.)

# %% [markdown] lang="zh" of="b096b0ee"
# **动一动：** 切换三个开关，看看 $w x + b$ 的哪些分支会出现。三个全关时，根本没有计算图。（如果你看的是静态网页、没有运行内核，八种情况都列在表里。）


# %% flags covers=[33, 19] tags=["moves"]
def line(w, x, b):
    return w * x + b


flags = Flags(
    line,
    w=torch.tensor(2.0, requires_grad=True),
    x=torch.tensor(3.0),
    b=torch.tensor(1.0, requires_grad=True),
)
flags

# %%
print(flags)

# %% [markdown] lang="en"
# One tracked input is enough: the result is tracked as soon as any of the flags is on.

# %% [markdown] lang="zh" of="1cc0aa4c"
# 只要有一个输入被追踪就够了：任何一个开关打开，结果就会被追踪。

# %% [markdown] lang="en"
# ### Exercise 1: leaf or not?
#
# `w = torch.ones(2, requires_grad=True)` and `x = torch.ones(2)`. For each expression, is the result a leaf? `True` or `False`. (`detach()` returns a tensor with the same numbers and no history; `view(2)` is an operation, from lesson 2.)

# %% [markdown] lang="zh" of="b8242d03"
# ### 练习 1：是不是叶子？
#
# 设 `w = torch.ones(2, requires_grad=True)`，`x = torch.ones(2)`。下面每个表达式的结果是叶子吗？填 `True` 或 `False`。（`detach()` 返回一个数据相同、但不带计算历史的张量；`view(2)` 也是一种运算，见第 2 课。）

# %% exercise-leaves covers=[33] tags=["exercise"]
my_guesses = {
    "w": ...,
    "x": ...,
    "w * 2": ...,
    "x * 2": ...,
    "w + x": ...,
    "w.detach()": ...,
    "(x * 2).requires_grad_()": ...,
    "w.view(2)": ...,
}
check.leaves(my_guesses)

# %% tags=["solution"]
my_guesses = {
    "w": True,
    "x": True,
    "w * 2": False,
    "x * 2": True,
    "w + x": False,
    "w.detach()": True,
    "(x * 2).requires_grad_()": True,
    "w.view(2)": False,
}
check.leaves(my_guesses)

# %% tags=["wrong"]
check.leaves({**check.LEAVES, "x * 2": False})

# %% tags=["wrong"]
my_guesses = {
    "w": True,
    "x": True,
    "w * 2": False,
    "x * 2": False,
    "w + x": False,
    "w.detach()": False,
    "(x * 2).requires_grad_()": False,
    "w.view(2)": False,
}
check.leaves(my_guesses)

# %% tags=["wrong"]
my_guesses = {
    "w": True,
    "x": False,
    "w * 2": True,
    "x * 2": False,
    "w + x": True,
    "w.detach()": False,
    "(x * 2).requires_grad_()": True,
    "w.view(2)": True,
}
check.leaves(my_guesses)

# %% tags=["wrong"]
check.leaves({"w": True})

# %% [markdown] lang="en"
# ## Turning the flag on
#
# Two names differ only in an underscore. The *attribute* `requires_grad` of a new tensor is `False`. The *method* `requires_grad_()` takes an argument that is `True` unless you say otherwise.

# %% [markdown] lang="zh" of="310b3103"
# ## 打开开关
#
# 两个名字只差一个下划线：新张量的**属性** `requires_grad` 默认是 `False`；**方法** `requires_grad_()` 有一个参数，不写时默认是 `True`。

# %% two-defaults covers=[19]
a = torch.ones(2, 2)
print(a.requires_grad)

a.requires_grad_()
print(a.requires_grad)

# %% [markdown] lang="en"
# ## Is that in place?
#
# The next cell computes a new `a` from `a`. Is that an in-place operation? **Predict first:** is `a` afterwards the same tensor as before?

# %% [markdown] lang="zh" of="69f48cbd"
# ## 赋值算原地操作吗？
#
# 下面的单元格由 `a` 算出结果，再赋给 `a`。这算原地（in-place）操作吗？**先预测：** 运行之后，`a` 还是原来那个张量吗？

# %%
predict("same-tensor", ..., options=[True, False])

# %% rebinding covers=[4]
a = torch.tensor([[2.0, 3.0], [4.0, 5.0]])
before = a
a = (a * 3) / (a - 1)

reveal("same-tensor", a is before)
print(before)

# %% [markdown] lang="en"
# A new tensor under an old name, as with `x = x**2`. In place means overwriting the tensor's numbers: `add_` and the like, item assignment, `+=` (not `requires_grad_()`).

# %% [markdown] lang="zh" of="cd5c2cec"
# 变量名还是原来的，张量却是新的，和 `x = x**2` 一样。所谓原地操作，是直接改写张量里的数：`add_` 这类方法、按下标赋值，还有 `+=`（`requires_grad_()` 不算）。

# %% [markdown] lang="en"
# ## When may the flag be changed?
#
# Most people expect an error when the flag of a result is changed. The `a` above is a result. **Predict first:** does the next cell raise an error?

# %% [markdown] lang="zh" of="4c40aa77"
# ## 开关什么时候可以改？
#
# 很多人以为，改运算结果的开关就会报错。上面的 `a` 就是运算结果。**先预测：** 改它的开关，是照常运行（runs），还是报错（raises）？

# %%
predict("flag-of-a-result", ..., options=["runs", "raises"])

# %% untracked-result covers=[2, 3]
print(a.is_leaf, a.requires_grad)

with reveal("flag-of-a-result"):
    a.requires_grad_(True)
print(a.is_leaf, a.requires_grad)

# %% [markdown] lang="en"
# No error: nothing about `a` was recorded, so it is a leaf, and you may change a float leaf's flag. What you cannot do is turn off a **tracked** result's flag:

# %% [markdown] lang="zh" of="6b501dcc"
# 没有报错：`a` 的计算历史没有被记录，所以它是叶子，而浮点叶子的开关可以随意改。（整数张量没有梯度，开关打不开。）只有**被追踪的**结果，才不能关掉开关：

# %% tracked-result covers=[3] tags=["raises-exception"]
b = (a * a).sum()
b.requires_grad_(False)

# %% [markdown] lang="en"
# Turning on a flag that is already on is harmless, even on a result:

# %% [markdown] lang="zh" of="872d24d7"
# 开关已经开着时，再打开一次没有关系，被追踪的结果也不例外：

# %% raise-again covers=[3]
print(b.requires_grad_(True).requires_grad)

# %% [markdown] lang="en"
# ## Writing into a leaf
#
# Can you still change the flag of your own tensor after an in-place operation? There are two cases. While operations are recorded, as they normally are, you cannot write directly into a tracked leaf:

# %% [markdown] lang="zh" of="1e802046"
# ## 写入叶子
#
# 自己创建的张量，经过原地操作之后还能改开关吗？分两种情况。被追踪的叶子，只要运算还在被记录（平时都是如此），就不能直接原地写入：

# %% write-into-leaf covers=[2] tags=["raises-exception"]
w = torch.ones(2, requires_grad=True)
w += 1

# %% [markdown] lang="en"
# An untracked leaf may be overwritten. But add a tracked tensor into it, and it becomes a result: it has a `grad_fn` now, and its flag can no longer be turned off.

# %% [markdown] lang="zh" of="9cd194d9"
# 未被追踪的叶子可以写入。但如果往里加一个被追踪的张量，这个叶子就变成了运算结果：有了 `grad_fn`，开关也就不能再关掉。

# %% leaf-no-more covers=[2]
c = torch.zeros(2)
print(c.is_leaf)

c += w
print(c.is_leaf, c.grad_fn.name())

# %% flag-no-more covers=[2] tags=["raises-exception"]
c.requires_grad = False

# %% [markdown] lang="en"
# ## Another dtype, another device
#
# `to` converts. When there is nothing to convert, it returns the very same tensor:

# %% [markdown] lang="zh" of="b3a69a4e"
# ## 换一种 dtype，换一个设备
#
# `to` 用来转换 dtype 或设备。如果不需要转换，它就返回原来那个张量：

# %% to-or-not covers=[44]
x = torch.ones(2)

print(x.to("cpu") is x)
print(x.to(torch.double) is x)
print(x.to(torch.double))

# %% [markdown] lang="en"
# A conversion is an operation like any other: from a tracked leaf it makes a result. So convert first, then turn the flag on.

# %% [markdown] lang="zh" of="589c00b2"
# 转换也是一种运算：对被追踪的叶子做转换，得到的是运算结果，不再是叶子。所以要先转换，再打开开关。

# %% to-is-recorded covers=[44, 33]
w = torch.ones(2, requires_grad=True)
double = w.to(torch.double)

print(double.is_leaf, double.grad_fn.name())
print(torch.ones(2).to(torch.double).requires_grad_().is_leaf)

# %% [markdown] lang="en"
# On a machine with a GPU, `to` also moves the numbers there; such a tensor prints `device='cuda:0'`. Elsewhere the `if` skips the move:

# %% [markdown] lang="zh" of="bab772b4"
# 在有 GPU 的机器上，`to` 还能把数搬到 GPU 上，这样的张量打印时带有 `device='cuda:0'`。没有 GPU 时，`if` 里的两行不会执行：

# %% to-gpu covers=[44]
x = torch.rand(5, 3)

if torch.cuda.is_available():  # only on a machine with a GPU | 只有装了 GPU 的机器才会执行
    device = torch.device("cuda")
    x = x.to(device)

z = x + torch.ones_like(x)
print(z.to("cpu", torch.double).shape)

# %% [markdown] lang="en"
# ### Exercise 2: cause the error
#
# Make a mistake on purpose: replace the line `return ...` with code for which PyTorch raises *a leaf Variable that requires grad is being used in an in-place operation*. `w += 1` was used above; another way teaches you more.

# %% [markdown] lang="zh" of="b0c08485"
# ### 练习 2：故意报错
#
# 故意犯一个错：把 `return ...` 这一行换成会让 PyTorch 报错的代码，报的是 *a leaf Variable that requires grad is being used in an in-place operation*。`w += 1` 上面用过了，最好换一种写法。


# %% exercise-in-place covers=[2] tags=["exercise"]
def my_mistake():
    w = torch.ones(2, requires_grad=True)
    return ...


check.in_place(my_mistake)


# %% tags=["solution"]
def my_mistake():
    w = torch.ones(2, requires_grad=True)
    return w.mul_(2)


check.in_place(my_mistake)


# %% tags=["solution"]
def my_mistake():
    w = torch.ones(2, requires_grad=True)
    w[0] = 5.0


check.in_place(my_mistake)

# %% tags=["wrong"]
check.in_place(lambda: torch.ones(2, requires_grad=True) + 1)

# %% tags=["wrong"]
check.in_place(lambda: torch.ones(2).add_(1))

# %% tags=["wrong"]
check.in_place(lambda: 1 / 0)

# %% tags=["wrong"]
check.in_place("w += 1")

# %% [markdown] lang="en"
# ### Exercise 3: cause the other error
#
# This one: *you can only change requires_grad flags of leaf variables*.

# %% [markdown] lang="zh" of="49067278"
# ### 练习 3：故意报另一种错
#
# 这次要报的是：*you can only change requires_grad flags of leaf variables*。


# %% exercise-flag covers=[3] tags=["exercise"]
def my_mistake():
    w = torch.ones(2, requires_grad=True)
    return ...


check.flag_of_a_result(my_mistake)


# %% tags=["solution"]
def my_mistake():
    w = torch.ones(2, requires_grad=True)
    return (w * 2).requires_grad_(False)


check.flag_of_a_result(my_mistake)


# %% tags=["solution"]
def my_mistake():
    w = torch.ones(2, requires_grad=True)
    y = w.sum()
    y.requires_grad = False


check.flag_of_a_result(my_mistake)

# %% tags=["wrong"]
check.flag_of_a_result(lambda: (torch.ones(2) * 2).requires_grad_(False))

# %% tags=["wrong"]
check.flag_of_a_result(lambda: torch.ones(2, requires_grad=True).requires_grad_(False))

# %% tags=["wrong"]
check.flag_of_a_result(lambda: (torch.ones(2, requires_grad=True) * 2).requires_grad_(True))

# %% tags=["wrong"]
check.flag_of_a_result(lambda: torch.ones(2, requires_grad=True).mul_(2))

# %% [markdown] lang="en"
# ### Exercise 4: make it a leaf
#
# Write `leaf_of(t)` for any tensor of floats. It returns a tracked leaf with the numbers of `t`: `t` itself where it can be one, a new tensor where it cannot; in that case leave `t` as it was.

# %% [markdown] lang="zh" of="fb693802"
# ### 练习 4：变成叶子
#
# 写出适用于任意浮点张量的 `leaf_of(t)`：返回一个被追踪的叶子，数值与 `t` 相同。如果 `t` 本身可以成为这样的叶子，就返回它；否则返回一个新的叶子，不要改动 `t`。


# %% exercise-leaf-of covers=[3, 19, 20, 33] tags=["exercise"]
def leaf_of(t):
    return ...


check.leaf_of(leaf_of, torch.tensor([1.5, 2.0, 4.0]))


# %% tags=["solution"]
def leaf_of(t):
    if t.is_leaf:
        return t.requires_grad_()
    return t.detach().requires_grad_()


check.leaf_of(leaf_of, torch.tensor([1.5, 2.0, 4.0]))


# %% tags=["wrong"]
def leaf_of(t):
    return t.detach_().requires_grad_()


check.leaf_of(leaf_of, torch.tensor([1.5, 2.0, 4.0]))


# %% tags=["solution"]
def leaf_of(t):
    if t.grad_fn is None:
        t.requires_grad = True
        return t
    new = t.detach().clone()
    new.requires_grad = True
    return new


check.leaf_of(leaf_of, torch.tensor([1.5, 2.0, 4.0]))


# %% tags=["wrong"]
def leaf_of(t):
    return t.requires_grad_()


check.leaf_of(leaf_of, torch.tensor([1.5, 2.0, 4.0]))


# %% tags=["wrong"]
def leaf_of(t):
    return t.detach().requires_grad_()


check.leaf_of(leaf_of, torch.tensor([1.5, 2.0, 4.0]))


# %% tags=["wrong"]
def leaf_of(t):
    return t.requires_grad_() if t.is_leaf else torch.tensor(t.tolist(), requires_grad=True)


check.leaf_of(leaf_of, torch.tensor([1.5, 2.0, 4.0]))


# %% tags=["wrong"]
def leaf_of(t):
    return t if t.is_leaf else t.detach()


check.leaf_of(leaf_of, torch.tensor([1.5, 2.0, 4.0]))


# %% tags=["wrong"]
def leaf_of(t):
    if not t.is_leaf:
        t.requires_grad = False
    return t.requires_grad_()


check.leaf_of(leaf_of, torch.tensor([1.5, 2.0, 4.0]))


# %% tags=["wrong"]
def leaf_of(t):
    if t.is_leaf:
        return t.requires_grad_()
    return torch.zeros(3, requires_grad=True)


check.leaf_of(leaf_of, torch.tensor([1.5, 2.0, 4.0]))

# %% [markdown] lang="en"
# ## Review: lessons 1 to 4
#
# ### Exercise 5: seven lines
#
# `w` is `torch.ones(6, requires_grad=True)`, `x` is `torch.arange(6.0)` (the floats 0 to 5), both fresh for each line. What does the last expression give?

# %% [markdown] lang="zh" of="635ef8b4"
# ## 复习：第 1 到 4 课
#
# ### 练习 5：七行代码
#
# 每一行开始时，`w` 都是新的 `torch.ones(6, requires_grad=True)`，`x` 都是新的 `torch.arange(6.0)`（浮点数 0 到 5）。各行最后一个表达式的值是什么？

# %% exercise-so-far covers=[1, 12, 35, 42, 44, 46] tags=["exercise"]
my_guesses = {
    "w.requries_grad = False; w.requires_grad": ...,
    "w.double().is_leaf": ...,
    "w.to(torch.float32).is_leaf": ...,
    "(w + x).grad_fn.next_functions[1][0] is None": ...,
    "w = w * 1; w.is_leaf": ...,
    "x.view(2, 3).t().stride() == (2, 1)": ...,
    "torch.Tensor([7, 9]).dtype == torch.tensor([7, 9]).dtype": ...,
}
check.so_far(my_guesses)

# %% tags=["solution"]
my_guesses = {
    "w.requries_grad = False; w.requires_grad": True,
    "w.double().is_leaf": False,
    "w.to(torch.float32).is_leaf": True,
    "(w + x).grad_fn.next_functions[1][0] is None": True,
    "w = w * 1; w.is_leaf": False,
    "x.view(2, 3).t().stride() == (2, 1)": False,
    "torch.Tensor([7, 9]).dtype == torch.tensor([7, 9]).dtype": False,
}
check.so_far(my_guesses)

# %% tags=["wrong"]
my_guesses = {
    "w.requries_grad = False; w.requires_grad": False,
    "w.double().is_leaf": False,
    "w.to(torch.float32).is_leaf": True,
    "(w + x).grad_fn.next_functions[1][0] is None": True,
    "w = w * 1; w.is_leaf": False,
    "x.view(2, 3).t().stride() == (2, 1)": False,
    "torch.Tensor([7, 9]).dtype == torch.tensor([7, 9]).dtype": False,
}
check.so_far(my_guesses)

# %% tags=["wrong"]
my_guesses = {
    "w.requries_grad = False; w.requires_grad": True,
    "w.double().is_leaf": True,
    "w.to(torch.float32).is_leaf": True,
    "(w + x).grad_fn.next_functions[1][0] is None": True,
    "w = w * 1; w.is_leaf": False,
    "x.view(2, 3).t().stride() == (2, 1)": False,
    "torch.Tensor([7, 9]).dtype == torch.tensor([7, 9]).dtype": False,
}
check.so_far(my_guesses)

# %% tags=["wrong"]
my_guesses = {
    "w.requries_grad = False; w.requires_grad": True,
    "w.double().is_leaf": False,
    "w.to(torch.float32).is_leaf": True,
    "(w + x).grad_fn.next_functions[1][0] is None": True,
    "w = w * 1; w.is_leaf": True,
    "x.view(2, 3).t().stride() == (2, 1)": False,
    "torch.Tensor([7, 9]).dtype == torch.tensor([7, 9]).dtype": False,
}
check.so_far(my_guesses)

# %% tags=["wrong"]
my_guesses = {
    "w.requries_grad = False; w.requires_grad": True,
    "w.double().is_leaf": False,
    "w.to(torch.float32).is_leaf": True,
    "(w + x).grad_fn.next_functions[1][0] is None": True,
    "w = w * 1; w.is_leaf": False,
    "x.view(2, 3).t().stride() == (2, 1)": True,
    "torch.Tensor([7, 9]).dtype == torch.tensor([7, 9]).dtype": True,
}
check.so_far(my_guesses)

# %% [markdown] lang="en"
# ### Exercise 6: the slope of anything
#
# Write `slope_at(f, at)`: `f` takes a tensor and returns a tensor of one number, `at` is a Python number. Return $f'(\text{at})$ as a Python float.

# %% [markdown] lang="zh" of="d96e6056"
# ### 练习 6：任意函数的斜率
#
# 写出 `slope_at(f, at)`：`f` 接收一个张量，返回只含一个数的张量；`at` 是 Python 的数。返回值是 $f'(\text{at})$，类型为 Python 浮点数。


# %% exercise-slope-at covers=[21, 23, 26] tags=["exercise"]
def slope_at(f, at):
    return ...


check.slope_at(slope_at)


# %% tags=["solution"]
def slope_at(f, at):
    x = torch.tensor(float(at), requires_grad=True)
    f(x).backward()
    return x.grad.item()


check.slope_at(slope_at)


# %% tags=["solution"]
def slope_at(f, at):
    x = torch.Tensor([at])
    x.requires_grad = True
    y = f(x)
    y.backward()
    return x.grad.item()


check.slope_at(slope_at)


# %% tags=["wrong"]
def slope_at(f, at):
    x = torch.tensor(at, requires_grad=True)
    f(x).backward()
    return x.grad.item()


check.slope_at(slope_at)


# %% tags=["wrong"]
def slope_at(f, at):
    x = torch.tensor(float(at), requires_grad=True)
    f(x).backward()
    return x.grad


check.slope_at(slope_at)


# %% tags=["wrong"]
def slope_at(f, at):
    x = torch.tensor(float(at))
    y = f(x)
    x.requires_grad = True
    y.backward()
    return x.grad.item()


check.slope_at(slope_at)


# %% tags=["wrong"]
def slope_at(f, at):
    x = torch.tensor(float(at), requires_grad=True)
    y = f(x)
    y.backward()
    y.backward()
    return x.grad.item()


check.slope_at(slope_at)


# %% tags=["wrong"]
def slope_at(f, at):
    return (f(torch.tensor(at + 1.0)) - f(torch.tensor(at + 0.0))).item()


check.slope_at(slope_at)


# %% tags=["wrong"]
def slope_at(f, at):
    x = torch.tensor(float(at), requires_grad=True)
    return f(x).item()


check.slope_at(slope_at)


# %% tags=["wrong"]
def slope_at(f, at):
    x, e = torch.tensor(float(at), dtype=torch.float64), 1e-5
    return ((f(x + e) - f(x - e)) / (2 * e)).item()


check.slope_at(slope_at)

# %% [markdown] lang="en"
# ### Exercise 7: a history in a gradient
#
# Start from `n`; until it is 1, halve an even number, and turn an odd number v into 3v + 1. Each halving multiplies the gradient by ½, each tripling by 3: starting from 6, `x.grad` ends up as 9/64. From `x.grad` alone, work out how many halvings and triplings there were, and return them as a pair such as `(6, 2)`.

# %% [markdown] lang="zh" of="8c4e65ca"
# ### 练习 7：梯度里的历史
#
# 令 v 从 `n` 出发：是偶数就减半，是奇数就变成 3v + 1，直到等于 1。每减半一次，梯度乘以 ½；每次变成 3v + 1，梯度乘以 3：从 6 出发，最后 `x.grad` = 9/64。只凭 `x.grad` 求出两种步骤各有几次，写成一对数返回，减半的次数在前，例如 `(6, 2)`。


# %% exercise-history covers=[45] tags=["exercise"]
def history(n):
    x = v = torch.tensor(float(n), requires_grad=True)
    while v != 1:
        v = v / 2 if v % 2 == 0 else 3 * v + 1
    v.backward()
    return ...


check.history(history)


# %% tags=["solution"]
def history(n):
    x = v = torch.tensor(float(n), requires_grad=True)
    while v != 1:
        v = v / 2 if v % 2 == 0 else 3 * v + 1
    (g,) = torch.autograd.grad(v, x)
    return next((h, t) for h in range(40) for t in range(20) if 3**t / 2**h == g.item())


check.history(history)


# %% tags=["solution"]
def history(n):
    x = v = torch.tensor(float(n), requires_grad=True)
    while v != 1:
        v = v / 2 if v % 2 == 0 else 3 * v + 1
    v.backward()
    g, halvings, triplings = x.grad.item(), 0, 0
    while g % 1:
        g, halvings = g * 2, halvings + 1
    while g > 1:
        g, triplings = g / 3, triplings + 1
    return halvings, triplings


check.history(history)


# %% tags=["solution"]
def history(n):
    x = v = torch.tensor(float(n), requires_grad=True)
    while v != 1:
        v = v / 2 if v % 2 == 0 else 3 * v + 1
    v.backward()
    above, below = x.grad.item().as_integer_ratio()
    return below.bit_length() - 1, [3**t for t in range(20)].index(above)


check.history(history)


# %% tags=["wrong"]
def history(n):
    x = v = torch.tensor(float(n), requires_grad=True)
    while v != 1:
        v = v / 2 if v % 2 == 0 else 3 * v + 1
    v.backward()
    above, below = x.grad.item().as_integer_ratio()
    return [3**t for t in range(20)].index(above), below.bit_length() - 1


check.history(history)


# %% tags=["wrong"]
def history(n):
    x = v = torch.tensor(float(n), requires_grad=True)
    while v != 1:
        v = v / 2 if v % 2 == 0 else 3 * v + 1
    v.backward()
    return x.grad


check.history(history)


# %% tags=["wrong"]
def history(n):
    x = v = torch.tensor(float(n), requires_grad=True)
    while v != 1:
        v = v / 2 if v % 2 == 0 else 3 * v + 1
    v.backward()
    return 6, 2


check.history(history)


# %% tags=["wrong"]
def history(n):
    halvings = triplings = 0
    while n != 1:
        if n % 2:
            n, triplings = 3 * n + 1, triplings + 1
        else:
            n, halvings = n // 2, halvings + 1
    return halvings, triplings


check.history(history)

# %% [markdown] lang="en"
# ## What you know now
#
# - A leaf is a tensor without a `grad_fn`. Tracked leaves keep a `.grad`; results keep one only if you ask ([Lesson 12](12_hooks.ipynb)).
# - `x = x**2` only makes `x` refer to a new tensor. The leaf is still there; give it a name of its own if you want its gradient.
# - You may change a float leaf's flag, but not turn off a tracked result's: use `detach()` ([Lesson 8](08_stop_recording.ipynb)).
# - While operations are recorded, a tracked leaf must not be overwritten. How weights are updated all the same: [Lesson 9](09_updating.ipynb).
#
# **Next:** a leaf may be used twice. Which path does the gradient take? [Lesson 5](05_backward.ipynb) · [All lessons](00_index.ipynb)

# %% [markdown] lang="zh" of="922e02cd"
# ## 小结
#
# - 没有 `grad_fn` 的张量就是叶子。被追踪的叶子会保存 `.grad`；运算结果默认不保存，除非你事先要求（见[第 12 课](12_hooks.ipynb)）。
# - `x = x**2` 只是让 `x` 引用新张量，叶子还在；想要它的梯度，就给它另起一个变量名。
# - 浮点叶子的开关可以随意改，被追踪的结果则不能关掉开关；想要未被追踪的张量，就用 `detach()`（见[第 8 课](08_stop_recording.ipynb)）。
# - 运算被记录时，被追踪的叶子不能原地写入。那么参数怎样更新？见[第 9 课](09_updating.ipynb)。
#
# **下一课：** 一个叶子可以用两次，梯度会沿哪条路径传回来？[第 5 课](05_backward.ipynb) · [全部课程](00_index.ipynb)
