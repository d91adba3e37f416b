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
# | **reference** | 引用 | what a variable holds; one tensor may have several | [2](02_tensors_and_views.ipynb) |

# %% [markdown] lang="zh" of="47553427"
# ## 张量
#
# | 中文 | English | 含义 | 课 |
# |--|--|--|--|
# | **张量** | tensor | 排成多维数组的一组数；0 维就是单独一个数 | [2](02_tensors_and_views.ipynb) |
# | **标量** | scalar | 单个的数；对 `backward()` 来说，只有一个元素的张量都算，什么形状都行 | [7](07_jacobians.ipynb) |
# | **形状** | shape | 每一维上有多少个数 | [2](02_tensors_and_views.ipynb) |
# | **存储** | storage | 张量的数所在的那一段内存 | [2](02_tensors_and_views.ipynb) |
# | **步幅** | stride | 在存储中到下一行、下一列各要移动几个位置 | [2](02_tensors_and_views.ipynb) |
# | **视图** | view | 同一块存储上的另一个张量 | [2](02_tensors_and_views.ipynb) |
# | **原地** | in place | 直接写进张量本身，如 `add_` 和 `+=` | [4](04_leaves.ipynb) |
# | **广播** | broadcasting | 把小张量重复使用，以配合大张量 | [7](07_jacobians.ipynb) |
# | **引用** | reference | 变量与它所指的张量之间的联系；同一个张量可以有多个引用 | [2](02_tensors_and_views.ipynb) |

# %% [markdown] lang="en"
# ## The graph
#
# | English | 中文 | Meaning | Lesson |
# |--|--|--|--|
# | **autograd** | 自动求导 | the part of PyTorch that records what you compute and differentiates it | [3](03_the_graph.ipynb) |
# | **automatic differentiation** | 自动微分 | letting a program find exact derivatives from those of the single operations, as autograd does | [1](01_first_gradient.ipynb) |
# | **computation graph** | 计算图 | the nodes that operations left behind, and the arrows between them | [1](01_first_gradient.ipynb) |
# | **node** | 节点 | an object in the graph: each recorded operation leaves one, the `grad_fn` of its result; each tracked leaf has one of its own, `AccumulateGrad` | [3](03_the_graph.ipynb) |
# | **operation** | 运算、算子、操作 | what computes a tensor from others; *op* for short | [13](13_your_own_op.ipynb) |
# | **leaf** | 叶子、叶子节点 | a tensor without a `grad_fn`: made by you, or computed without being recorded | [4](04_leaves.ipynb) |
# | **flag** | 开关 | `requires_grad`: whether a tensor needs a gradient | [4](04_leaves.ipynb) |
# | **tracked** | 被追踪、追踪 | said of a tensor whose `requires_grad` is `True`, so that autograd can go back to it; the opposite is untracked | [4](04_leaves.ipynb) |
# | **directed acyclic graph** | 有向无环图 | a graph whose arrows never form a cycle, DAG for short; every computation graph is one | [3](03_the_graph.ipynb) |
# | **define by run** | 运行时定义 | the graph records what this run did, and is built anew each time | [3](03_the_graph.ipynb) |
# | **dynamic graph** | 动态图 | a graph that is defined by run, as in PyTorch | [3](03_the_graph.ipynb) |
# | **static graph** | 静态图 | a graph that is defined first and run afterwards | [3](03_the_graph.ipynb) |

# %% [markdown] lang="zh" of="0e08b5f4"
# ## 计算图
#
# | 中文 | English | 含义 | 课 |
# |--|--|--|--|
# | **自动求导** | autograd | PyTorch 中记录计算过程并为它求导的部分 | [3](03_the_graph.ipynb) |
# | **自动微分** | automatic differentiation | 由程序根据各个运算的导数，求出精确的导数；自动求导做的就是这件事 | [1](01_first_gradient.ipynb) |
# | **计算图** | computation graph | 各次运算留下的节点，以及它们之间的箭头 | [1](01_first_gradient.ipynb) |
# | **节点** | node | 计算图中的对象：每次被记录的运算留下一个，就是结果张量的 `grad_fn`；每个被追踪的叶子另有一个 `AccumulateGrad` | [3](03_the_graph.ipynb) |
# | **运算、算子、操作** | operation | 由一些张量算出新张量，或直接写进原张量；自己写的运算也叫算子 | [13](13_your_own_op.ipynb) |
# | **叶子、叶子节点** | leaf | 没有 `grad_fn` 的张量：你自己创建的，或计算时没有被记录的 | [4](04_leaves.ipynb) |
# | **开关** | flag | `requires_grad`：张量是否需要梯度 | [4](04_leaves.ipynb) |
# | **被追踪、追踪** | tracked | 张量的 `requires_grad` 为 `True`，自动求导能往回走到它；反过来就是未被追踪 | [4](04_leaves.ipynb) |
# | **有向无环图** | directed acyclic graph | 箭头不会形成环的图，简称 DAG；计算图都是有向无环图 | [3](03_the_graph.ipynb) |
# | **运行时定义** | define by run | 计算图记录的是这一次运行做过的事，每次重新建立 | [3](03_the_graph.ipynb) |
# | **动态图** | dynamic graph | 边运行边建立的计算图，PyTorch 用的就是这种 | [3](03_the_graph.ipynb) |
# | **静态图** | static graph | 先定义好、再运行的计算图 | [3](03_the_graph.ipynb) |

# %% [markdown] lang="en"
# ## The backward pass
#
# | English | 中文 | Meaning | Lesson |
# |--|--|--|--|
# | **gradient** | 梯度 | how fast a result changes with each number of a tensor | [1](01_first_gradient.ipynb) |
# | **slope** | 斜率 | a gradient with respect to a single number | [1](01_first_gradient.ipynb) |
# | **derivative** | 导数 | the formula, or its value, for how fast a function changes | [1](01_first_gradient.ipynb) |
# | **partial derivative** | 偏导数 | a derivative for one entry, while the others stay fixed | [7](07_jacobians.ipynb) |
# | **difference quotient** | 差商 | the change of a function between two nearby points, divided by their distance | [13](13_your_own_op.ipynb) |
# | **step size** | 步长 | how far a difference quotient steps to each side | [13](13_your_own_op.ipynb) |
# | **chain rule** | 链式法则 | slopes multiply along a path, and the results of all paths add up | [1](01_first_gradient.ipynb) |
# | **forward pass** | 前向传播、前向 | computing the result from the inputs | [1](01_first_gradient.ipynb) |
# | **backward pass** | 反向传播、反向 | the walk from a result to the leaves that carries the gradients | [5](05_backward.ipynb) |
# | **topological order** | 拓扑序 | an order in which a node comes after all that use its result | [5](05_backward.ipynb) |
# | **engine** | 引擎 | the part that runs the backward pass: it waits until a node's gradients have all arrived, then runs the node; `run_backward` in minigrad. To "write an engine" (lesson 14) includes the recording and the rules | [5](05_backward.ipynb) |
# | **Jacobian** | 雅可比矩阵、雅可比 | the matrix of all first partial derivatives, a row for each output, a column for each input | [7](07_jacobians.ipynb) |
# | **diagonal matrix** | 对角矩阵 | a matrix with zeros everywhere off its diagonal | [7](07_jacobians.ipynb) |
# | **vector–Jacobian product** | 向量-雅可比积 | a vector times the Jacobian: what `backward(v)` computes | [7](07_jacobians.ipynb) |
# | **transpose** | 转置 | a matrix with rows and columns exchanged | [7](07_jacobians.ipynb) |
# | **accumulate** | 累加 | to add a new gradient to what `.grad` holds | [6](06_accumulate.ipynb) |
# | **gradient accumulation** | 梯度累加 | several mini-batches, a backward for each, then one update | [6](06_accumulate.ipynb) |
# | **clear** | 清零、清掉 | to set a gradient back to zeros, or to `None` | [6](06_accumulate.ipynb) |
# | **hook** | 钩子 | a function of yours that is called with a gradient as it passes | [12](12_hooks.ipynb) |
# | **second derivative** | 二阶导数 | the derivative of a derivative | [12](12_hooks.ipynb) |
# | **kink** | 折点 | a point where a function is continuous, but not differentiable | [13](13_your_own_op.ipynb) |
# | **subgradient** | 次梯度 | of a convex function at a kink: any slope between those of its two sides | [13](13_your_own_op.ipynb) |

# %% [markdown] lang="zh" of="5de54bc1"
# ## 反向传播
#
# | 中文 | English | 含义 | 课 |
# |--|--|--|--|
# | **梯度** | gradient | 结果随张量中每个数变化的快慢 | [1](01_first_gradient.ipynb) |
# | **斜率** | slope | 对单独一个数的梯度 | [1](01_first_gradient.ipynb) |
# | **导数** | derivative | 函数变化快慢的公式，或它的值 | [1](01_first_gradient.ipynb) |
# | **偏导数** | partial derivative | 只让一个数变化、其余固定不变时的导数 | [7](07_jacobians.ipynb) |
# | **差商** | difference quotient | 两点的函数值之差除以两点的距离 | [13](13_your_own_op.ipynb) |
# | **步长** | step size | 求差商时，向两边各走多远 | [13](13_your_own_op.ipynb) |
# | **链式法则** | chain rule | 沿每条路径把导数相乘，再把各条路径的结果相加 | [1](01_first_gradient.ipynb) |
# | **前向传播、前向** | forward pass | 由输入算出结果的过程 | [1](01_first_gradient.ipynb) |
# | **反向传播、反向** | backward pass | 从结果走到叶子、一路传递梯度的过程 | [5](05_backward.ipynb) |
# | **拓扑序** | topological order | 每个节点都排在用到它结果的节点之后的顺序 | [5](05_backward.ipynb) |
# | **引擎** | engine | 执行反向传播的部分：等梯度到齐，逐个运行节点；在 minigrad 里是 `run_backward`。说“写一个引擎”（第 14 课）时，还包括记录节点和求导规则 | [5](05_backward.ipynb) |
# | **雅可比矩阵、雅可比** | Jacobian | 全部一阶偏导数排成的矩阵：每个输出一行，每个输入一列 | [7](07_jacobians.ipynb) |
# | **对角矩阵** | diagonal matrix | 对角线以外全是 0 的矩阵 | [7](07_jacobians.ipynb) |
# | **向量-雅可比积** | vector–Jacobian product | 雅可比矩阵的转置与向量的乘积，也就是 `backward(v)` 计算的结果 | [7](07_jacobians.ipynb) |
# | **转置** | transpose | 行列互换后的矩阵 | [7](07_jacobians.ipynb) |
# | **累加** | accumulate | 把新的梯度加到 `.grad` 已有的值上 | [6](06_accumulate.ipynb) |
# | **梯度累加** | gradient accumulation | 分成几个小批量分别做反向传播，最后更新一次 | [6](06_accumulate.ipynb) |
# | **清零、清掉** | clear | 把梯度变回 0，或设为 `None` | [6](06_accumulate.ipynb) |
# | **钩子** | hook | 你自己写的函数，梯度传到时会调用它 | [12](12_hooks.ipynb) |
# | **二阶导数** | second derivative | 导数的导数 | [12](12_hooks.ipynb) |
# | **折点** | kink | 函数连续但不可导的点 | [13](13_your_own_op.ipynb) |
# | **次梯度** | subgradient | 凸函数在折点处，左右两侧斜率之间的任何值 | [13](13_your_own_op.ipynb) |

# %% [markdown] lang="en"
# ## Recording and saving
#
# | English | 中文 | Meaning | Lesson |
# |--|--|--|--|
# | **recording** | 记录 | leaving a node for each operation while computing; `no_grad()` stops it | [8](08_stop_recording.ipynb) |
# | **branch** | 分支 | one path through the graph, from a result towards a leaf | [8](08_stop_recording.ipynb) |
# | **saved tensor** | 保存的张量 | a value that a node keeps because its derivative needs it | [10](10_saved_tensors.ipynb) |
# | **version counter** | 版本计数器 | a count of how often a tensor was written in place; writes through views and `detach()` count, those through `.data` do not | [11](11_in_place.ipynb) |

# %% [markdown] lang="zh" of="49923413"
# ## 记录与保存
#
# | 中文 | English | 含义 | 课 |
# |--|--|--|--|
# | **记录** | recording | 计算时留下节点；`no_grad()` 会停止记录 | [8](08_stop_recording.ipynb) |
# | **分支** | branch | 计算图中从结果通向叶子的一条路径 | [8](08_stop_recording.ipynb) |
# | **保存的张量** | saved tensor | 节点为求导而保存下来的值 | [10](10_saved_tensors.ipynb) |
# | **版本计数器** | version counter | 记录张量被原地写过几次的计数器；通过视图、通过 `detach()` 写入的也算，通过 `.data` 写入的不算 | [11](11_in_place.ipynb) |

# %% [markdown] lang="en"
# ## Training
#
# | English | 中文 | Meaning | Lesson |
# |--|--|--|--|
# | **loss** | 损失 | one number that says how bad the current parameters are | [1](01_first_gradient.ipynb) |
# | **loss function** | 损失函数 | a function that computes the loss from the parameters | [1](01_first_gradient.ipynb) |
# | **cross entropy** | 交叉熵 | a loss for choosing among classes: minus the logarithm of the probability given to the right one | [14](14_build_it.ipynb) |
# | **gradient descent** | 梯度下降 | small steps against the gradient, again and again | [1](01_first_gradient.ipynb) |
# | **parameter** | 参数 | a leaf whose value training adjusts; often called a weight | [9](09_updating.ipynb) |
# | **learning rate** | 学习率 | what the gradient is multiplied by to make a step against it | [1](01_first_gradient.ipynb) |
# | **optimizer** | 优化器 | an object that holds the parameters, updates them and clears their gradients | [6](06_accumulate.ipynb) |
# | **training loop** | 训练循环 | loss, backward, update, clear, and again | [1](01_first_gradient.ipynb) |
# | **converge** | 收敛 | to settle, step by step, where the loss hardly falls any more | [1](01_first_gradient.ipynb) |
# | **diverge** | 发散 | to get worse with each step, because the steps are too large | [1](01_first_gradient.ipynb) |
# | **anomaly detection** | 异常检测 | a mode in which a backward pass stops at the first nan | [15](15_fix_it.ipynb) |
# | **worker** | 工作进程 | a process, here or on another machine, that computes what it is given | [16](16_across_machines.ipynb) |
# | **mini-batch** | 小批量 | a small part of the samples, computed together | [6](06_accumulate.ipynb) |
# | **sample** | 样本 | one pair of input and target output | [6](06_accumulate.ipynb) |
# | **seed** | 种子 | the number that makes random numbers reproducible | [13](13_your_own_op.ipynb) |
# | **reproducible** | 可复现、复现 | the same on every run, as random numbers are once a seed is set | [13](13_your_own_op.ipynb) |
# | **logarithmic scale** | 对数刻度 | an axis on which equal distances are equal ratios | [13](13_your_own_op.ipynb) |
# | **rounding** | 舍入、四舍五入 | keeping only so many digits of a number; what is lost is the rounding error | [13](13_your_own_op.ipynb) |

# %% [markdown] lang="zh" of="dbebd5bb"
# ## 训练
#
# | 中文 | English | 含义 | 课 |
# |--|--|--|--|
# | **损失** | loss | 衡量当前参数有多差的一个数 | [1](01_first_gradient.ipynb) |
# | **损失函数** | loss function | 由参数算出损失的函数 | [1](01_first_gradient.ipynb) |
# | **交叉熵** | cross entropy | 分类用的损失：对正确类别的概率取对数，再取相反数 | [14](14_build_it.ipynb) |
# | **梯度下降** | gradient descent | 逆着梯度一小步一小步地走 | [1](01_first_gradient.ipynb) |
# | **参数** | parameter | 训练要调整的叶子；与输入相乘的也叫权重 | [9](09_updating.ipynb) |
# | **学习率** | learning rate | 更新时梯度要乘的系数，决定一步走多远 | [1](01_first_gradient.ipynb) |
# | **优化器** | optimizer | 管理参数的对象，负责更新参数和清零梯度 | [6](06_accumulate.ipynb) |
# | **训练循环** | training loop | 计算损失、反向传播、更新、清零，周而复始 | [1](01_first_gradient.ipynb) |
# | **收敛** | converge | 一步步稳定下来，损失几乎不再下降 | [1](01_first_gradient.ipynb) |
# | **发散** | diverge | 步子太大，每走一步都更差 | [1](01_first_gradient.ipynb) |
# | **异常检测** | anomaly detection | 反向传播遇到第一个 nan 就停下的模式 | [15](15_fix_it.ipynb) |
# | **工作进程** | worker | 一个进程，在本机或别的机器上，负责完成交给它的计算 | [16](16_across_machines.ipynb) |
# | **小批量** | mini-batch | 放在一起计算的一小部分样本 | [6](06_accumulate.ipynb) |
# | **样本** | sample | 一对输入和期望输出（标签） | [6](06_accumulate.ipynb) |
# | **种子** | seed | 让随机数可以复现的那个数 | [13](13_your_own_op.ipynb) |
# | **可复现、复现** | reproducible | 每次运行结果都相同；设定种子之后，随机数就可复现 | [13](13_your_own_op.ipynb) |
# | **对数刻度** | logarithmic scale | 坐标轴上相等的距离表示相等的比值 | [13](13_your_own_op.ipynb) |
# | **舍入、四舍五入** | rounding | 一个数只保留有限的位数；由此产生的偏差叫舍入误差 | [13](13_your_own_op.ipynb) |
