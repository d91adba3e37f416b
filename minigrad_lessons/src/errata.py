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
# # Errata for four sets of study notes
#
# [English](../en/errata.ipynb) · [中文](../zh/errata.ipynb) · [All lessons](00_index.ipynb)
#
# Many people learn autograd from study notes that are copied from page to page. Four of them, all in Chinese and partly translated from PyTorch's own tutorial, were read line by line for these lessons. Most of what they say is right. Here is the rest: what each says, by line, what PyTorch 2.13 does, and the lesson that runs it. You do not need the notes; most people believe some of these sentences at first.

# %% [markdown] lang="zh" of="cf5b5eea"
# # 四份笔记的勘误
#
# [English](../en/errata.ipynb) · [中文](../zh/errata.ipynb) · [全部课程](00_index.ipynb)
#
# 很多人是从网上辗转传抄的学习笔记里学自动求导的。编写这些课时，我们逐行读了其中四份，都是中文的，有些段落译自 PyTorch 的官方教程。它们大部分说得对，剩下的列在这里：第几行说了什么，PyTorch 2.13 实际怎样，哪一课会运行给你看。手边没有这些笔记也不要紧：表里的这些说法，很多人起初都信过几条。

# %% [markdown] lang="en"
# ## Note 1: Basic
#
# | Line | The note | PyTorch | Lesson |
# |--|--|--|--|
# | 17 | `torch.Tensor([1,2])` is a second way to make a tensor | it is, but always `float32`; `torch.Tensor(3)` holds three uninitialised numbers | [2](02_tensors_and_views.ipynb) |
# | 22, 57 | your own tensor's flag can be changed even after an in-place operation | only while it is a leaf: after `c += w` with a tracked `w` it is a result; a tracked leaf cannot be written in place | [4](04_leaves.ipynb) |
# | 26, 61 | changing the flag of a result raises an error | only turning off the flag of a tracked result does; lines 33 and 68 of the same note turn a flag on, and it works | [4](04_leaves.ipynb) |
# | 31, 66 | `a = ((a * 3) / (a - 1))` is an in-place operation | `a` now names a new tensor; the old one is unchanged | [4](04_leaves.ipynb) |
# | 53 | the `grad_fn` of a leaf is NULL | it is `None`; that of an untracked result is, too | [3](03_the_graph.ipynb) |
# | 83–84 | a scalar needs no argument; otherwise give a tensor of equal width | any tensor with one element needs none; otherwise the shape must be exactly the same | [7](07_jacobians.ipynb) |
# | 80, 88 | `out` and `y` are used | neither is defined; in PyTorch's tutorial `y` is `x` doubled until its norm is large enough | [7](07_jacobians.ipynb) |

# %% [markdown] lang="zh" of="68303121"
# ## 笔记一：Basic
#
# | 行 | 笔记 | PyTorch | 课 |
# |--|--|--|--|
# | 17 | `torch.Tensor([1,2])` 是创建张量的第二种方法 | 没错，但一律是 `float32`；`torch.Tensor(3)` 里是三个未初始化的数 | [2](02_tensors_and_views.ipynb) |
# | 22、57 | 自己创建的张量，原地操作之后仍能改开关 | 还是叶子时才能改：`w` 被追踪时，运行 `c += w`，左边的叶子就成了运算结果；被追踪的叶子则不能原地写入 | [4](04_leaves.ipynb) |
# | 26、61 | 改运算结果的开关会报错 | 只有关掉被追踪结果的开关才报错；同一份笔记的第 33、68 行打开开关，就没有报错 | [4](04_leaves.ipynb) |
# | 31、66 | `a = ((a * 3) / (a - 1))` 是原地操作 | 变量 `a` 改为引用一个新张量，原来的张量没有变 | [4](04_leaves.ipynb) |
# | 53 | 叶子的 `grad_fn` 为 NULL | 是 `None`；未被追踪的运算结果也一样 | [3](03_the_graph.ipynb) |
# | 83–84 | 标量不用传参数，否则传入等宽的张量 | 只有一个元素的张量都不用传；否则形状必须完全相同 | [7](07_jacobians.ipynb) |
# | 80、88 | 用到了 `out` 和 `y` | 两个都没有定义；在 PyTorch 的教程里，`y` 是不断翻倍的 `x` | [7](07_jacobians.ipynb) |

# %% [markdown] lang="en"
# ## Note 2: Tensor and Function
#
# | Line | The note | PyTorch | Lesson |
# |--|--|--|--|
# | 4 | every network is an autograd package | autograd differentiates what a program computes, network or not | [3](03_the_graph.ipynb) |
# | 8 | `requries_grad` | the flag is called `requires_grad`; the misspelling makes a new attribute, without an error. And only leaves collect gradients | [1](01_first_gradient.ipynb) |
# | 9, 131 | `detach()` takes the tensor out of the graph | it returns a new, untracked tensor on the same storage; the old one stays tracked | [8](08_stop_recording.ipynb) |
# | 10 | `no_grad()` means that no backward pass is made | it stops recording; `backward()` works inside it | [8](08_stop_recording.ipynb) |
# | 12 | `torch.Function` | the class is `torch.autograd.Function`, and the nodes of built-in operations are not instances of it | [3](03_the_graph.ipynb) |
# | 13 | Tensor and Function together build a complete class | a slip in translating: they build an *acyclic graph* | [3](03_the_graph.ipynb) |
# | 14 | a tensor made by the user has no `grad_fn` | right, but not the other way round: untracked results have none, either | [3](03_the_graph.ipynb) |
# | 66 | `requires_grad_()` is `False` unless you say otherwise | the attribute of a new tensor is; the method's argument is `True` | [4](04_leaves.ipynb) |
# | 79–82 | −0.8606 follows from 0.2229 | from the printed digits it is −0.8605: printing rounds, and without a seed the numbers are lost | [13](13_your_own_op.ipynb) |

# %% [markdown] lang="zh" of="b6a661f0"
# ## 笔记二：Tensor 与 Function
#
# | 行 | 笔记 | PyTorch | 课 |
# |--|--|--|--|
# | 4 | 所有神经网络本质上都是 autograd package | autograd 是一套通用的求导机制，不管算的是不是网络，它都能求导 | [3](03_the_graph.ipynb) |
# | 8 | `requries_grad` | 开关叫 `requires_grad`；拼错只会多出一个新属性，不报错。而且只有叶子才累加梯度 | [1](01_first_gradient.ipynb) |
# | 9、131 | `detach()` 把张量从计算图中撤下 | 它返回一个共用存储、未被追踪的新张量；原张量仍被追踪 | [8](08_stop_recording.ipynb) |
# | 10 | 用 `no_grad()` 就不再进行反向传播 | 它停止的是记录；`backward()` 在里面照样能用 | [8](08_stop_recording.ipynb) |
# | 12 | `torch.Function` | 这个类是 `torch.autograd.Function`，内置运算的节点也不是它的实例 | [3](03_the_graph.ipynb) |
# | 13 | Tensor 和 Function 共同构建一个完整的类 | 是误译，原文是 *acyclic graph*：无环图 | [3](03_the_graph.ipynb) |
# | 14 | 用户创建的张量没有 `grad_fn` | 没错，但反过来不成立：未被追踪的运算结果也没有 | [3](03_the_graph.ipynb) |
# | 66 | `requires_grad_()` 默认是 `False` | 新张量的属性默认如此；这个方法的参数默认是 `True` | [4](04_leaves.ipynb) |
# | 79–82 | 由 0.2229 算得 −0.8606 | 用打印出来的数算，是 −0.8605：打印时舍入过，又没有设种子，原来的数无法复现 | [13](13_your_own_op.ipynb) |

# %% [markdown] lang="en"
# ## Note 3: basic logic of torch
#
# | Line | The note | PyTorch | Lesson |
# |--|--|--|--|
# | 12 | `requries_grad` | `requires_grad`, once more; the code below it is right | [1](01_first_gradient.ipynb) |
# | 17 | computing with `data` and `grad` builds no graph | `w.grad * w` is recorded, since `w` is tracked; and `w.grad` is `None` before the first backward | [9](09_updating.ipynb) |
# | 44 | `item()` gives the content of a tensor | of a tensor with one element; with more it raises an error | [2](02_tensors_and_views.ipynb) |
# | 54 | `backward()` updates the gradient of every tensor | it adds, and to leaves only; that of a result stays `None` | [5](05_backward.ipynb) |
# | 73 | the 0 of `SubBackward0` says *the first subtraction* | it names a variant of the operation; each subtraction in the loop has it | [3](03_the_graph.ipynb) |
# | 73 | `w = w - w.grad` in a loop may use up the memory | as written it raises an error in the second round, where `w.grad` is `None`; with `torch.autograd.grad` the graph does grow | [9](09_updating.ipynb) |
# | 74 | update through `w.data` | it works, but bypasses the version counter; prefer `no_grad()` and `-=` | [9](09_updating.ipynb) |
# | 83–87 | the second update gives 41, too | run from top to bottom it gives 81; in the note, the lower cell was run before the upper one (`In [142]` below `In [152]`) | [9](09_updating.ipynb) |
# | 93 | `w.grad.data.zero_()` | right for a leaf (without `.data`, too); after line 84 `w` is a result, and it raises an error | [6](06_accumulate.ipynb) |
# | 101 | a leaf is what was not computed | an untracked result is a leaf, too: a leaf has no `grad_fn` | [4](04_leaves.ipynb) |
# | 104 | `<AddBackward0 at 0x7fb73c7cd490>` is printed | that is what a notebook shows; `print` adds the word *object* | [3](03_the_graph.ipynb) |
# | 106 | the 0 is there because an addition may occur many times | four additions are all called `AddBackward0` | [3](03_the_graph.ipynb) |
# | 110–111 | `0L` | Python 2; the number says which output of that node is meant | [3](03_the_graph.ipynb) |
# | 112, 115 | the `grad_fn` of `b` is its `AccumulateGrad` | `b.grad_fn` is `None`; the `AccumulateGrad` holds `b`, as its `variable` | [3](03_the_graph.ipynb) |
# | 121 | the derivative of $z$ with respect to $w$ is $y$, and `retain_graph=True` keeps $y$ | it is $x$; what is kept are the tensors that nodes have saved. $y$ stays in any case | [10](10_saved_tensors.ipynb) |
# | 125 | intermediate gradients are released | they are never stored, unless you call `retain_grad()` | [12](12_hooks.ipynb) |

# %% [markdown] lang="zh" of="f15fe435"
# ## 笔记三：torch基本使用逻辑
#
# | 行 | 笔记 | PyTorch | 课 |
# |--|--|--|--|
# | 12 | `requries_grad` | 又把 `requires_grad` 拼错了；下面的代码写对了 | [1](01_first_gradient.ipynb) |
# | 17 | 用 `data` 和 `grad` 运算不会产生计算图 | `w.grad * w` 会被记录，因为 `w` 被追踪；而且第一次反向传播之前，`w.grad` 是 `None` | [9](09_updating.ipynb) |
# | 44 | `item()` 返回张量的内容 | 只有一个元素时才行，多于一个就报错 | [2](02_tensors_and_views.ipynb) |
# | 54 | `backward()` 会更新各个张量的导数 | 它是累加，而且只加到叶子上；运算结果的梯度仍是 `None` | [5](05_backward.ipynb) |
# | 73 | `SubBackward0` 里的 0 表示“第一次减法” | 它表示运算的变体；循环里的减法，每次都叫这个名字 | [3](03_the_graph.ipynb) |
# | 73 | 循环里写 `w = w - w.grad` 可能造成内存爆炸 | 照这样写，第二轮 `w.grad` 是 `None`，会报错；用 `torch.autograd.grad` 求梯度时，计算图才真的会越来越大 | [9](09_updating.ipynb) |
# | 74 | 用 `w.data` 更新 | 能用，但绕过了版本计数器；应当用 `no_grad()` 和 `-=` | [9](09_updating.ipynb) |
# | 83–87 | 第二种更新也得到 41 | 从上到下运行会得到 81；笔记里，下面的单元格比上面的先运行（`In [142]` 在 `In [152]` 之下） | [9](09_updating.ipynb) |
# | 93 | `w.grad.data.zero_()` | 对叶子没有问题（不写 `.data` 也行）；第 84 行之后 `w` 是运算结果，会报错 | [6](06_accumulate.ipynb) |
# | 101 | 叶子就是没有经过计算的数据 | 未被追踪的运算结果也是叶子：叶子就是没有 `grad_fn` 的张量 | [4](04_leaves.ipynb) |
# | 104 | 打印的是 `<AddBackward0 at 0x7fb73c7cd490>` | 这是笔记本（notebook）显示的形式；用 `print` 会多一个 *object* | [3](03_the_graph.ipynb) |
# | 106 | 有 0 是因为 add 可以出现很多次 | 四次加法都叫 `AddBackward0` | [3](03_the_graph.ipynb) |
# | 110–111 | `0L` | 这是 Python 2 的写法；这个编号表示那个节点的第几个输出 | [3](03_the_graph.ipynb) |
# | 112、115 | `b` 的 `grad_fn` 就是 `AccumulateGrad` | `b.grad_fn` 是 `None`；是 `AccumulateGrad` 的 `variable` 引用着 `b` | [3](03_the_graph.ipynb) |
# | 121 | $z$ 对 $w$ 的导数是 $y$，`retain_graph=True` 保留 $y$ | 导数是 $x$；保留的是节点保存的张量，而 $y$ 本来就还在 | [10](10_saved_tensors.ipynb) |
# | 125 | 中间节点的梯度会被释放 | 它们默认不会存下来，除非调用 `retain_grad()` | [12](12_hooks.ipynb) |

# %% [markdown] lang="en"
# ## Note 4: from start to giving up
#
# | Line | The note | PyTorch | Lesson |
# |--|--|--|--|
# | 7 | a method ending in `_` replaces the variable | it writes into the tensor and returns that very tensor | [2](02_tensors_and_views.ipynb) |
# | 25 | `y[0,1].item` is a number | without `()` it is the method itself | [2](02_tensors_and_views.ipynb) |
# | 43–44 | `[[1.3507]]` is printed for `x` | that cannot come from this `x`, whose shape is 5 × 3 | [2](02_tensors_and_views.ipynb) |
# | 69 | `x = x**2` | it prints as the note says, but the leaf has lost its name, and `x.grad` is `None` | [4](04_leaves.ipynb) |
# | 74 | `with torch.no_grad` and a full-width colon | a syntax error; without `()` a type error | [8](08_stop_recording.ipynb) |
# | 83, 85 | the Jacobian is made of $\partial y_i / \partial x_i$ | of $\partial y_i / \partial x_j$; what the note has is the diagonal | [7](07_jacobians.ipynb) |
# | 83–95 | `\part` | in standard TeX the sign is `\partial` | [7](07_jacobians.ipynb) |
# | 87 | a picture of the Jacobian | the file is missing | [7](07_jacobians.ipynb) |
# | 99 | $J^\mathsf{T} v$ is the gradient of $x$ with respect to $l$ | of $l$ with respect to $x$ | [7](07_jacobians.ipynb) |
# | 104 | $l = \frac{1}{4} y$ | $\frac{1}{4} y$ is still four numbers; the mean is their sum | [7](07_jacobians.ipynb) |
# | 113 | only a scalar can be differentiated | `y.backward(v)` takes any shape, with a `v` of the same shape | [7](07_jacobians.ipynb) |

# %% [markdown] lang="zh" of="5a839516"
# ## 笔记四：从入门到放弃pytorch
#
# | 行 | 笔记 | PyTorch | 课 |
# |--|--|--|--|
# | 7 | 以 `_` 结尾的操作会替换原变量 | 它直接写进张量，返回的还是这个张量 | [2](02_tensors_and_views.ipynb) |
# | 25 | `y[0,1].item` 是一个数 | 不加 `()`，得到的是方法本身 | [2](02_tensors_and_views.ipynb) |
# | 43–44 | 打印 `x`，得到 `[[1.3507]]` | 这个 `x` 的形状是 5 × 3，不会得到这样的结果 | [2](02_tensors_and_views.ipynb) |
# | 69 | `x = x**2` | 打印结果没错，但变量名已不再引用原来的叶子，`x.grad` 是 `None` | [4](04_leaves.ipynb) |
# | 74 | `with torch.no_grad` 后面写了全角冒号 | 会报 SyntaxError；漏掉 `()` 则报 TypeError | [8](08_stop_recording.ipynb) |
# | 83、85 | 雅可比矩阵由 $\partial y_i / \partial x_i$ 组成 | 由 $\partial y_i / \partial x_j$ 组成；笔记写的只是对角线 | [7](07_jacobians.ipynb) |
# | 83–95 | `\part` | 标准 TeX 里写作 `\partial` | [7](07_jacobians.ipynb) |
# | 87 | 雅可比矩阵的图片 | 图片丢失了 | [7](07_jacobians.ipynb) |
# | 99 | $J^\mathsf{T} v$ 是 $x$ 对 $l$ 的梯度 | 应为 $l$ 对 $x$ 的梯度 | [7](07_jacobians.ipynb) |
# | 104 | $l = \frac{1}{4} y$ | $\frac{1}{4} y$ 仍是四个数，它们的和才是平均值 | [7](07_jacobians.ipynb) |
# | 113 | 求导只能是标量对标量，或者标量对向量/矩阵 | 任何形状都可以：`y.backward(v)`，`v` 的形状与输出相同 | [7](07_jacobians.ipynb) |
