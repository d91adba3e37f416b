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
# # Watch autograd think
#
# [English](../en/00_index.ipynb) · [中文](../zh/00_index.ipynb)
#
# Short lessons on how gradients are computed. Each begins with a question that learners really ask, lets you predict before you run, shows the graph under the code that made it, and ends with exercises that tell you at once how you did.
#
# `minigrad` has PyTorch's names and PyTorch's behaviour, in numpy that you can read in an afternoon. What you learn here is true of PyTorch; change one import and run it there.

# %% [markdown] lang="zh" of="7d13f574"
# # 看自动求导如何思考
#
# [English](../en/00_index.ipynb) · [中文](../zh/00_index.ipynb)
#
# 这是一组讲梯度怎样计算的短课。每一课都从学习者真正会问的问题开始，先请你预测再运行，把计算图画在代码下方，最后用练习当场检验。
#
# `minigrad` 的名字和行为都与 PyTorch 一致，内部是一个下午就能读完的 numpy 代码。在这里学到的，在 PyTorch 里同样成立；只改一行导入，就能在 PyTorch 上运行。

# %% [markdown] lang="en"
# ## Is everything here?
#
# Run this cell with **Shift + Enter**. If a graph appears, you are ready.

# %% [markdown] lang="zh" of="d2328f7f"
# ## 环境准备好了吗？
#
# 按 **Shift + Enter** 运行下面的单元格。看到一张计算图，就说明一切就绪。

# %%
import minigrad as torch
import viz

w = torch.tensor(2.0, requires_grad=True)
x = torch.tensor(3.0)
b = torch.tensor(1.0, requires_grad=True)
z = w * x + b

viz.draw(z)

# %% [markdown] lang="en"
# ## The lessons
#
# | | Lesson | You will be able to | Time |
# |--|--|--|--|
# | 1 | [First gradient](01_first_gradient.ipynb) | say why `w.grad` is `None`, and predict a gradient before you compute it | 20 min |
# | 2 | [Tensors and views](02_tensors_and_views.ipynb) | see where a tensor keeps its numbers, and which operations share them | 20 min |
# | 3 | [The graph](03_the_graph.ipynb) | take a result apart: its node, the nodes behind it, the leaf at the end | 20 min |
# | 4 | [Leaves and the flag](04_leaves.ipynb) | tell a leaf from a result, and raise or lower `requires_grad` where that is allowed | 20 min |
# | 5 | [Backward, step by step](05_backward.ipynb) | write a backward pass yourself, and read the real one | 25 min |
# | 6 | [Accumulate and zero](06_accumulate.ipynb) | say why gradients add up, and clear them at the right moment | 15 min |
# | 7 | [Vectors and Jacobians](07_jacobians.ipynb) | say what `backward(v)` computes, and differentiate without a scalar | 25 min |
# | 8 | [Stop recording](08_stop_recording.ipynb) | freeze a branch with `detach()` or `no_grad()`, and leave `.data` alone | 20 min |
# | 9 | [Updating weights](09_updating.ipynb) | write a training loop that works, and say why each line is there | 20 min |
# | 10 | [Saved tensors](10_saved_tensors.ipynb) | say what a node keeps for the way back, and why `retain_graph` is seldom the cure | 20 min |
# | 11 | [In-place and versions](11_in_place.ipynb) | read *is at version 1; expected version 0*, and mend the line that causes it | 20 min |
# | 12 | [Look inside](12_hooks.ipynb) | see or change a gradient in the middle, and differentiate a derivative | 20 min |
# | 13 | [Your own op](13_your_own_op.ipynb) | write an operation with its derivative, check it, and train a network with it | 25 min |

# %% [markdown] lang="zh" of="a95180b9"
# ## 课程
#
# | | 课程 | 学完你能 | 时间 |
# |--|--|--|--|
# | 1 | [第一个梯度](01_first_gradient.ipynb) | 说清 `w.grad` 为什么是 `None`，并在计算之前预测出梯度 | 20 分钟 |
# | 2 | [张量与视图](02_tensors_and_views.ipynb) | 看清张量把数存在哪里，分清哪些操作共享数据 | 20 分钟 |
# | 3 | [计算图](03_the_graph.ipynb) | 把一个结果拆开：它的节点、后面的节点、尽头的叶子 | 20 分钟 |
# | 4 | [叶子](04_leaves.ipynb) | 分清叶子和结果，知道 `requires_grad` 什么时候可以改 | 20 分钟 |
# | 5 | [逐步反向](05_backward.ipynb) | 亲手写一个反向传播，并读懂真正的那一个 | 25 分钟 |
# | 6 | [累加与清零](06_accumulate.ipynb) | 说清梯度为什么会累加，在恰当的时候清掉它 | 15 分钟 |
# | 7 | [雅可比](07_jacobians.ipynb) | 说清 `backward(v)` 算的是什么，不用标量也能求导 | 25 分钟 |
# | 8 | [停止记录](08_stop_recording.ipynb) | 用 `detach()` 或 `no_grad()` 冻结一条分支，不碰 `.data` | 20 分钟 |
# | 9 | [更新参数](09_updating.ipynb) | 写出能用的训练循环，并说清每一行为什么要有 | 20 分钟 |
# | 10 | [保存的张量](10_saved_tensors.ipynb) | 说清节点为反向保存了什么，以及为什么 `retain_graph` 往往不是解决办法 | 20 分钟 |
# | 11 | [原地与版本](11_in_place.ipynb) | 读懂 *is at version 1; expected version 0*，改好引发它的那一行 | 20 分钟 |
# | 12 | [钩子](12_hooks.ipynb) | 看到、改动中间的梯度，并对导数再求导 | 20 分钟 |
# | 13 | [自定义算子](13_your_own_op.ipynb) | 写一个带导数的算子，检验它，再用它训练一个网络 | 25 分钟 |

# %% [markdown] lang="en"
# ## How the exercises work
#
# A cell with `...` waits for your answer. Run it: ⬜ means not answered yet, ❌ comes with a case that shows why, ✅ means that it holds. Ask for help with `check.name.hint(1)`, then `hint(2)`. The checks speak English and Chinese; to see only one, run `%env MINIGRAD_LANG=en` (or `%env MINIGRAD_LANG=zh`) in a cell of the lesson.

# %% [markdown] lang="zh" of="b159b400"
# ## 练习怎么做
#
# 带有 `...` 的单元格在等你作答。运行它：⬜ 表示还没有作答，❌ 会举一个例子说明错在哪里，✅ 表示答对了。需要帮助就运行 `check.name.hint(1)`，再不够就用 `hint(2)`。检查结果默认同时用中英文显示；只想看中文，可在课程里新建一个单元格，运行 `%env MINIGRAD_LANG=zh`（只看英文则运行 `%env MINIGRAD_LANG=en`）。
