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
# # Glossary
#
# [English](../en/glossary.ipynb) · [中文](../zh/glossary.ipynb) · [All lessons](00_index.ipynb)
#
# The words of the lessons in both languages, what each means, and the number of the lesson that explains it.

# %% [markdown] lang="zh" of="fcec2ea2"
# # 术语表
#
# [English](../en/glossary.ipynb) · [中文](../zh/glossary.ipynb) · [全部课程](00_index.ipynb)
#
# 课程里用到的术语，中英对照，附上含义和讲解它的那一课的编号。

# %% [markdown] lang="en"
# ## Tensors
#
# | English | 中文 | Meaning | Lesson |
# |--|--|--|--|
# | **tensor** | 张量 | numbers in a grid of any number of dimensions | [2](02_tensors_and_views.ipynb) |
# | **scalar** | 标量 | a single number; for `backward()` any tensor with one element is one, whatever its shape | [7](07_jacobians.ipynb) |
# | **shape** | 形状 | how many numbers lie along each dimension | [2](02_tensors_and_views.ipynb) |
# | **storage** | 存储 | the row of memory in which a tensor's numbers lie | [2](02_tensors_and_views.ipynb) |
# | **stride** | 步幅 | how many places to move in the storage for the next row, the next column | [2](02_tensors_and_views.ipynb) |
# | **view** | 视图 | another tensor on the same storage | [2](02_tensors_and_views.ipynb) |
# | **in place** | 原地 | writing into the tensor itself, as `add_` and `+=` do | [4](04_leaves.ipynb) |
# | **broadcasting** | 广播 | a small tensor used several times over to fit a large one | [7](07_jacobians.ipynb) |

# %% [markdown] lang="zh" of="9019d713"
# ## 张量
#
# | 中文 | English | 含义 | 课 |
# |--|--|--|--|
# | **张量** | tensor | 排成任意维网格的一组数 | [2](02_tensors_and_views.ipynb) |
# | **标量** | scalar | 单个的数；对 `backward()` 来说，只有一个元素的张量都算，什么形状都行 | [7](07_jacobians.ipynb) |
# | **形状** | shape | 每一维上有多少个数 | [2](02_tensors_and_views.ipynb) |
# | **存储** | storage | 张量的数所在的那一段内存 | [2](02_tensors_and_views.ipynb) |
# | **步幅** | stride | 在存储中到下一行、下一列各要挪几个位置 | [2](02_tensors_and_views.ipynb) |
# | **视图** | view | 同一块存储上的另一个张量 | [2](02_tensors_and_views.ipynb) |
# | **原地** | in place | 直接写进张量本身，如 `add_` 和 `+=` | [4](04_leaves.ipynb) |
# | **广播** | broadcasting | 把小张量重复使用，以配合大张量 | [7](07_jacobians.ipynb) |

# %% [markdown] lang="en"
# ## The graph
#
# | English | 中文 | Meaning | Lesson |
# |--|--|--|--|
# | **autograd** | 自动求导 | the part of PyTorch that records what you compute and differentiates it | [3](03_the_graph.ipynb) |
# | **computation graph** | 计算图 | the nodes that operations left behind, and the arrows between them | [1](01_first_gradient.ipynb) |
# | **node** | 节点 | what one operation leaves in the graph; a tensor's `grad_fn` | [3](03_the_graph.ipynb) |
# | **operation** | 运算、算子、操作 | what computes a tensor from others; one that you write yourself is an op | [13](13_your_own_op.ipynb) |
# | **leaf** | 叶子、叶子节点 | a tensor without a `grad_fn`: made by you, or computed from untracked tensors | [4](04_leaves.ipynb) |
# | **flag** | 开关 | `requires_grad`: whether a tensor asks for a gradient | [4](04_leaves.ipynb) |
# | **tracked** | 被追踪、追踪 | a tensor whose `requires_grad` is `True`: autograd can go back to it; its opposite is untracked | [4](04_leaves.ipynb) |
# | **define by run** | 运行时定义 | the graph is what this run did, made anew each time; such a graph is also called dynamic | [3](03_the_graph.ipynb) |

# %% [markdown] lang="zh" of="03448a96"
# ## 计算图
#
# | 中文 | English | 含义 | 课 |
# |--|--|--|--|
# | **自动求导** | autograd | PyTorch 中记录计算过程并为它求导的部分 | [3](03_the_graph.ipynb) |
# | **计算图** | computation graph | 各次运算留下的节点，以及它们之间的箭头 | [1](01_first_gradient.ipynb) |
# | **节点** | node | 一次运算在计算图里留下的东西，也就是张量的 `grad_fn` | [3](03_the_graph.ipynb) |
# | **运算、算子、操作** | operation | 由张量算出张量的东西；自己写的也叫算子 | [13](13_your_own_op.ipynb) |
# | **叶子、叶子节点** | leaf | 没有 `grad_fn` 的张量：你自己创建的，或只由未被追踪的张量算出来的 | [4](04_leaves.ipynb) |
# | **开关** | flag | `requires_grad`：张量要不要梯度 | [4](04_leaves.ipynb) |
# | **被追踪、追踪** | tracked | 张量的 `requires_grad` 为 `True`，自动求导能往回走到它；反过来就是未被追踪 | [4](04_leaves.ipynb) |
# | **运行时定义** | define by run | 计算图就是这一次运行做过的事，每次重新建立；这样的图也叫动态图 | [3](03_the_graph.ipynb) |

# %% [markdown] lang="en"
# ## The way back
#
# | English | 中文 | Meaning | Lesson |
# |--|--|--|--|
# | **gradient** | 梯度 | how fast a result changes with each number of a tensor | [1](01_first_gradient.ipynb) |
# | **slope** | 斜率 | a gradient with respect to a single number | [1](01_first_gradient.ipynb) |
# | **derivative** | 导数 | the formula, or its value, for how fast a function changes | [1](01_first_gradient.ipynb) |
# | **difference quotient** | 差商 | the change of a function over a small step, divided by the step | [13](13_your_own_op.ipynb) |
# | **chain rule** | 链式法则 | along one path the slopes multiply, over several paths they add | [1](01_first_gradient.ipynb) |
# | **backward pass** | 反向传播、反向 | the walk from a result to the leaves that carries the gradients | [5](05_backward.ipynb) |
# | **topological order** | 拓扑序 | an order in which a node comes after all that use it | [5](05_backward.ipynb) |
# | **engine** | 引擎 | the loop that runs the nodes backward, `run_backward` in minigrad | [5](05_backward.ipynb) |
# | **Jacobian** | 雅可比矩阵、雅可比 | the matrix of all first partial derivatives, a row for each output, a column for each input | [7](07_jacobians.ipynb) |
# | **vector–Jacobian product** | 向量-雅可比积 | a vector times the Jacobian: what `backward(v)` computes | [7](07_jacobians.ipynb) |
# | **transpose** | 转置 | a matrix with rows and columns exchanged | [7](07_jacobians.ipynb) |
# | **accumulate** | 累加 | to add a new gradient to what `.grad` holds | [6](06_accumulate.ipynb) |
# | **gradient accumulation** | 梯度累加 | several small batches, a backward for each, then one update | [6](06_accumulate.ipynb) |
# | **clear** | 清零、清掉 | to set a gradient back to zeros, or to `None` | [6](06_accumulate.ipynb) |
# | **hook** | 钩子 | your function, called with a gradient when it passes | [12](12_hooks.ipynb) |
# | **second derivative** | 二阶导数 | the derivative of a derivative | [12](12_hooks.ipynb) |

# %% [markdown] lang="zh" of="e9d95aed"
# ## 反向
#
# | 中文 | English | 含义 | 课 |
# |--|--|--|--|
# | **梯度** | gradient | 结果随张量中每个数变化的快慢 | [1](01_first_gradient.ipynb) |
# | **斜率** | slope | 对单独一个数的梯度 | [1](01_first_gradient.ipynb) |
# | **导数** | derivative | 函数变化快慢的公式，或它的值 | [1](01_first_gradient.ipynb) |
# | **差商** | difference quotient | 函数在一小步里的变化量除以步长 | [13](13_your_own_op.ipynb) |
# | **链式法则** | chain rule | 沿一条路斜率相乘，几条路的结果相加 | [1](01_first_gradient.ipynb) |
# | **反向传播、反向** | backward pass | 从结果走到叶子、一路传递梯度的过程 | [5](05_backward.ipynb) |
# | **拓扑序** | topological order | 每个节点都排在用到它的节点之后的顺序 | [5](05_backward.ipynb) |
# | **引擎** | engine | 让节点反向运行的循环，在 minigrad 里是 `run_backward` | [5](05_backward.ipynb) |
# | **雅可比矩阵、雅可比** | Jacobian | 全部一阶偏导数排成的矩阵：每个输出一行，每个输入一列 | [7](07_jacobians.ipynb) |
# | **向量-雅可比积** | vector–Jacobian product | 向量与雅可比矩阵的乘积，也就是 `backward(v)` 算的东西 | [7](07_jacobians.ipynb) |
# | **转置** | transpose | 行列互换后的矩阵 | [7](07_jacobians.ipynb) |
# | **累加** | accumulate | 把新的梯度加到 `.grad` 已有的值上 | [6](06_accumulate.ipynb) |
# | **梯度累加** | gradient accumulation | 分成几小批分别反向，最后更新一次 | [6](06_accumulate.ipynb) |
# | **清零、清掉** | clear | 把梯度变回 0，或设为 `None` | [6](06_accumulate.ipynb) |
# | **钩子** | hook | 梯度经过时会被调用的、你自己的函数 | [12](12_hooks.ipynb) |
# | **二阶导数** | second derivative | 导数的导数 | [12](12_hooks.ipynb) |

# %% [markdown] lang="en"
# ## Recording and saving
#
# | English | 中文 | Meaning | Lesson |
# |--|--|--|--|
# | **recording** | 记录 | leaving nodes while computing; `no_grad()` stops it | [8](08_stop_recording.ipynb) |
# | **branch** | 分支 | one way through the graph, from a result towards a leaf | [8](08_stop_recording.ipynb) |
# | **saved tensor** | 保存的张量 | a value that a node keeps because its derivative needs it | [10](10_saved_tensors.ipynb) |
# | **version counter** | 版本计数器 | how often a tensor was written in place; through views and `detach()` counts, through `.data` does not | [11](11_in_place.ipynb) |

# %% [markdown] lang="zh" of="38aeff2f"
# ## 记录与保存
#
# | 中文 | English | 含义 | 课 |
# |--|--|--|--|
# | **记录** | recording | 计算时留下节点；`no_grad()` 让它停下来 | [8](08_stop_recording.ipynb) |
# | **分支** | branch | 计算图中从结果通向叶子的一条路 | [8](08_stop_recording.ipynb) |
# | **保存的张量** | saved tensor | 节点因求导需要而留下的值 | [10](10_saved_tensors.ipynb) |
# | **版本计数器** | version counter | 张量被原地写过几次；通过视图、通过 `detach()` 写入的也算，通过 `.data` 写入的不算 | [11](11_in_place.ipynb) |

# %% [markdown] lang="en"
# ## Training
#
# | English | 中文 | Meaning | Lesson |
# |--|--|--|--|
# | **loss** | 损失 | one number that says how bad the present parameters are | [1](01_first_gradient.ipynb) |
# | **cross entropy** | 交叉熵 | a loss for choosing among classes: minus the logarithm of the probability given to the right one | [14](14_build_it.ipynb) |
# | **parameter** | 参数 | a leaf that is to learn; in a formula also called a weight | [9](09_updating.ipynb) |
# | **learning rate** | 学习率、步长 | what the gradient is multiplied by to make a step against it | [9](09_updating.ipynb) |
# | **optimizer** | 优化器 | an object that holds the parameters, updates and clears them | [6](06_accumulate.ipynb) |
# | **training loop** | 训练循环 | loss, backward, update, clear, and again | [9](09_updating.ipynb) |
# | **worker** | 工作节点 | a process, here or on another machine, that computes what it is given | [16](16_across_machines.ipynb) |
# | **sample** | 样本 | one pair of input and wanted output | [6](06_accumulate.ipynb) |
# | **seed** | 种子 | the number that makes random numbers come again | [13](13_your_own_op.ipynb) |
# | **rounding** | 舍入、四舍五入 | keeping only so many digits of a number; what is lost is the rounding error | [13](13_your_own_op.ipynb) |

# %% [markdown] lang="zh" of="9ea7e1a3"
# ## 训练
#
# | 中文 | English | 含义 | 课 |
# |--|--|--|--|
# | **损失** | loss | 衡量当前参数有多差的一个数 | [1](01_first_gradient.ipynb) |
# | **交叉熵** | cross entropy | 分类用的损失：给正确类别的概率取对数，再取负 | [14](14_build_it.ipynb) |
# | **参数** | parameter | 要学习的叶子；在公式里也叫权重 | [9](09_updating.ipynb) |
# | **学习率、步长** | learning rate | 更新时梯度要乘的系数，决定一步走多远 | [9](09_updating.ipynb) |
# | **优化器** | optimizer | 管着参数的对象，负责更新和清零 | [6](06_accumulate.ipynb) |
# | **训练循环** | training loop | 算损失、反向、更新、清零，周而复始 | [9](09_updating.ipynb) |
# | **工作节点** | worker | 一个进程，在本机或别的机器上，负责计算交给它的东西 | [16](16_across_machines.ipynb) |
# | **样本** | sample | 一对输入和想要的输出 | [6](06_accumulate.ipynb) |
# | **种子** | seed | 让随机数能够重现的那个数 | [13](13_your_own_op.ipynb) |
# | **舍入、四舍五入** | rounding | 一个数只保留有限的位数；由此产生的偏差叫舍入误差 | [13](13_your_own_op.ipynb) |
