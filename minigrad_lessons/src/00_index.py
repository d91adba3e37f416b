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
# `minigrad` has PyTorch's names and PyTorch's behaviour, in plain numpy that you can read: its engine is one short file, and lesson 5 takes you there. What you learn here is true of PyTorch; change one import and run it there.

# %% [markdown] lang="zh" of="7ad3e4de"
# # 看得见的自动求导
#
# [English](../en/00_index.ipynb) · [中文](../zh/00_index.ipynb)
#
# 这是一组短课，讲梯度是怎样算出来的。每一课都从学习者真正会问的问题开始，先请你预测再运行，把计算图画在代码下方，最后用练习当场检验学会了没有。
#
# `minigrad` 里函数和类的名字、行为都与 PyTorch 一致，内部全是能读懂的普通 numpy 代码，其中引擎只是一个不长的文件，第 5 课会带你读它。在这里学到的，在 PyTorch 里同样成立；只改一行导入，同样的代码就能在 PyTorch 上运行。

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
# | | | Lesson | You will be able to | Minutes |
# |--|--|--|--|--|
# | 1 | ![a curve and its slope at one point](../pictures/01_first_gradient.svg) | [First gradient](01_first_gradient.ipynb) | train a first model, see the graph behind it, and say why `w.grad` is `None` | 20 |
# | 2 | ![one row of memory, shared by several tensors](../pictures/02_tensors_and_views.svg) | [Tensors and views](02_tensors_and_views.ipynb) | see where a tensor keeps its numbers, and which operations share them | 20 |
# | 3 | ![nodes and arrows from a result to its leaves](../pictures/03_the_graph.svg) | [The graph](03_the_graph.ipynb) | take a result apart: its node, the nodes behind it, the leaf at the end | 20 |
# | 4 | ![a graph with two tracked leaves and one untracked input](../pictures/04_leaves.svg) | [Leaves and the flag](04_leaves.ipynb) | tell a leaf from a result, and turn `requires_grad` on or off where that is allowed | 25 |
# | 5 | ![a diamond: two paths from result to leaf](../pictures/05_backward.svg) | [Backward, step by step](05_backward.ipynb) | follow a backward pass line by line, and read the real one | 25 |
# | 6 | ![bars that grow with each backward](../pictures/06_accumulate.svg) | [Accumulate and zero](06_accumulate.ipynb) | say why gradients add up, and clear them at the right moment | 20 |
# | 7 | ![a grid of derivatives](../pictures/07_jacobians.svg) | [Vectors and Jacobians](07_jacobians.ipynb) | say what `backward(v)` computes, and differentiate without a scalar | 25 |
# | 8 | ![two branches: one leads on, the other ends](../pictures/08_stop_recording.svg) | [Stop recording](08_stop_recording.ipynb) | freeze a branch with `detach()` or `no_grad()`, and leave `.data` alone | 20 |
# | 9 | ![a chain that grows with each step](../pictures/09_updating.svg) | [Updating weights](09_updating.ipynb) | write a training loop that works, and say why each line is there | 25 |
# | 10 | ![a graph of several operations, some of which keep values](../pictures/10_saved_tensors.svg) | [Saved tensors](10_saved_tensors.ipynb) | say what a node saves for the backward pass, and why `retain_graph` is seldom the cure | 20 |
# | 11 | ![the square of a result, which saves that result](../pictures/11_in_place.svg) | [In-place and versions](11_in_place.ipynb) | read *is at version 1; expected version 0*, and fix the line that causes it | 20 |
# | 12 | ![the path of a gradient, which is stored only at its end](../pictures/12_hooks.svg) | [Look inside](12_hooks.ipynb) | see or change a gradient in the middle, and differentiate a derivative | 20 |
# | 13 | ![error against step size](../pictures/13_your_own_op.svg) | [Your own op](13_your_own_op.ipynb) | write an operation with its derivative, check it, and train a network with it | 30 |
# | 14 | ![a plane divided into three regions, twisted into a spiral](../pictures/14_build_it.svg) | [Build it](14_build_it.ipynb) | write an engine of your own in sixty lines that agrees with PyTorch, draw its graphs and train with it | 90 |
# | 15 | ![a graph that grows with each round](../pictures/15_fix_it.svg) | [Fix it](15_fix_it.ipynb) | find out why a training script learns nothing, turns to nan or eats memory | 45 |
# | 16 | ![rows cut in two, and what the two gradients give together](../pictures/16_across_machines.svg) | [Gradients add up, also across machines](16_across_machines.ipynb) | split a loss over workers, put their gradients together, and say what travels | 25 |

# %% [markdown] lang="zh" of="c036b37d"
# ## 课程
#
# | | | 课程 | 学完你能 | 分钟 |
# |--|--|--|--|--|
# | 1 | ![一条曲线和它在一点处的斜率](../pictures/01_first_gradient.svg) | [第一个梯度](01_first_gradient.ipynb) | 训练第一个模型，看清它背后的计算图，并说清 `w.grad` 为什么是 `None` | 20 |
# | 2 | ![一段内存，由几个张量共用](../pictures/02_tensors_and_views.svg) | [张量与视图](02_tensors_and_views.ipynb) | 看清张量把数存在哪里，分清哪些操作共享数据 | 20 |
# | 3 | ![从结果到叶子的节点和箭头](../pictures/03_the_graph.svg) | [计算图](03_the_graph.ipynb) | 把一个结果拆开：它的节点、后面的节点、尽头的叶子 | 20 |
# | 4 | ![有两个被追踪的叶子和一个未被追踪的输入的计算图](../pictures/04_leaves.svg) | [叶子与开关](04_leaves.ipynb) | 分清叶子和结果，知道开关 `requires_grad` 什么时候可以改 | 25 |
# | 5 | ![菱形：从结果到叶子的两条路径](../pictures/05_backward.svg) | [逐步反向传播](05_backward.ipynb) | 一步步写出反向传播，再读懂真正的引擎 | 25 |
# | 6 | ![每次反向传播都会长高的柱子](../pictures/06_accumulate.svg) | [累加与清零](06_accumulate.ipynb) | 说清梯度为什么会累加，并在恰当的时候清零 | 20 |
# | 7 | ![导数排成的矩阵](../pictures/07_jacobians.svg) | [雅可比矩阵](07_jacobians.ipynb) | 说清 `backward(v)` 算的是什么，并对不是标量的结果求导 | 25 |
# | 8 | ![两条分支：一条继续，一条中止](../pictures/08_stop_recording.svg) | [停止记录](08_stop_recording.ipynb) | 用 `detach()` 或 `no_grad()` 冻结一条分支，不碰 `.data` | 20 |
# | 9 | ![每走一步就变长的链条](../pictures/09_updating.svg) | [更新参数](09_updating.ipynb) | 写出能用的训练循环，并说清每一行为什么不能少 | 25 |
# | 10 | ![一张由好几次运算组成的计算图，其中有些节点保存着值](../pictures/10_saved_tensors.svg) | [保存的张量](10_saved_tensors.ipynb) | 说清节点为反向传播保存了什么，以及为什么 `retain_graph` 往往不是解决办法 | 20 |
# | 11 | ![对一个结果取平方，平方保存着这个结果](../pictures/11_in_place.svg) | [原地操作与版本](11_in_place.ipynb) | 读懂 *is at version 1; expected version 0*，改好引发这个错误的那一行 | 20 |
# | 12 | ![梯度走过的路径：只有到了尽头，梯度才存下来](../pictures/12_hooks.svg) | [钩子](12_hooks.ipynb) | 查看、修改中间的梯度，并求二阶导数 | 20 |
# | 13 | ![误差随步长的变化](../pictures/13_your_own_op.svg) | [自定义算子](13_your_own_op.ipynb) | 写一个带导数的算子，检验它，再用它训练一个网络 | 30 |
# | 14 | ![分成三种颜色的平面，按螺旋扭转](../pictures/14_build_it.svg) | [亲手实现](14_build_it.ipynb) | 用六十行写出自己的引擎，结果与 PyTorch 一致，再用这个引擎画计算图、训练网络 | 90 |
# | 15 | ![每一轮都在变大的计算图](../pictures/15_fix_it.svg) | [训练诊所](15_fix_it.ipynb) | 查出训练脚本为什么学不会、为什么冒出 nan、为什么吃内存 | 45 |
# | 16 | ![数据切成两份，以及两份梯度合起来的结果](../pictures/16_across_machines.svg) | [梯度相加，跨机器也一样](16_across_machines.ipynb) | 把一个损失分给几个工作进程计算，再把各自的梯度合起来，并说清什么要传、什么传不了 | 25 |

# %% [markdown] lang="en"
# ## The map
#
# An arrow leads from each lesson to those that need it. Two paths are marked. *Understand*: what autograd does and why, up to an engine of your own. *Fix my training loop*: for when your training loop misbehaves; what it needs from a lesson off the path is explained again, or that lesson is named. (Review exercises may ask about any earlier lesson.) Run the cell again whenever you like: ✅ means that all exercises of a lesson are done, ↻ that something there is worth another look.

# %% [markdown] lang="zh" of="4095ec92"
# ## 地图
#
# 箭头表示先后：先学箭头起点的那一课，再学箭头指向的那一课。图上标出了两条路线。**弄懂原理**：自动求导做了什么、为什么这样做，直到写出自己的引擎。**修好训练循环**：训练循环出了毛病，就走这条路线；用到路线以外的内容时，会顺带讲一遍，或者注明在哪一课。（复习题例外，会考到前面的任何一课。）下面的单元格随时可以重新运行：✅ 表示那一课的练习全部做完，↻ 表示那一课有值得再看一眼的地方。

# %%
from minigrad_lessons.course import Map

Map()

# %% [markdown] lang="en"
# To look something up: the [glossary](glossary.ipynb) of all the terms, the [errata](errata.ipynb) of four much-copied sets of study notes, and a cheat sheet on one page, to read or to print, in [English](../en/cheat_sheet.html) and in [Chinese](../zh/cheat_sheet.html).

# %% [markdown] lang="zh" of="2657643b"
# 随时可查：全部术语的[术语表](glossary.ipynb)，四份传抄笔记的[勘误](errata.ipynb)，以及一页纸的速查表，可以看，也可以打印，有[英文](../en/cheat_sheet.html)和[中文](../zh/cheat_sheet.html)两种。

# %% [markdown] lang="en"
# ## Watch it happen
#
# The lessons draw their graphs for you. To see a graph *grow* while your cells run, and to step through a backward pass, forwards and back again, run `import viz; viz.live()` in a new cell of any lesson, near its top: a panel appears and follows the notebook from there on. On a small screen, Ctrl+B (on a Mac ⌘B) hides the list of files and makes room. Each notebook has a panel of its own, so close a lesson's tab before you go on to the next: its panel goes with it. Every lesson works without the panel, and is better with it.

# %% [markdown] lang="zh" of="f0ecdf02"
# ## 实时观察计算图
#
# 课程里的计算图都已经替你画好了。如果想看着图随单元格的运行**一点点长出来**，或者一步步播放反向传播、再一步步退回来，就在任意一课开头新建一个单元格，运行 `import viz; viz.live()`：这时会出现一个面板，此后一直跟着这个笔记本更新。屏幕小、地方不够时，按 Ctrl+B（苹果电脑上按 ⌘B）收起左侧的文件列表。每个笔记本各有自己的面板，学下一课之前，请关掉这一课的标签页，面板会随之关闭。不用面板也能学完每一课，用上会看得更清楚。

# %% [markdown] lang="en"
# ## How the exercises work
#
# A cell with `...` waits for your answer. Run it: ⬜ means not answered yet, ❌ means wrong and gives a case that shows why, ✅ means right. For help, run a line such as `check.slope.hint(1)`, then `hint(2)`; replace `slope` with the name after `check.` in that exercise. The checks and the controls speak the language of the page you opened. To choose another, run `%env MINIGRAD_LANG=both` in a new cell at the top of the lesson: from then on they speak both languages. With `en` or `zh` in place of `both`, they speak only that one.
#
# When you come back after a break, or have restarted the kernel, it has forgotten what ran before, and a cell that needs it raises a `NameError`, such as *name 'check' is not defined*. Click that cell and choose *Run → Run All Above Selected Cell*, then run it. What you had solved stays solved.

# %% [markdown] lang="zh" of="af2416b4"
# ## 练习怎么做
#
# 带有 `...` 的单元格在等你作答。运行它：⬜ 表示还没有作答，❌ 会举一个例子说明错在哪里，✅ 表示答对了。需要帮助，就运行 `check.slope.hint(1)` 这样的一行（把 `slope` 换成那道练习里 `check.` 后面的名字），还不够就用 `hint(2)`。你打开的是哪种语言的页面，检查结果和控件就用哪种语言。想换一种，就在那一课的开头新建一个单元格，运行 `%env MINIGRAD_LANG=both`：此后中英文都显示；把 `both` 换成 `en` 或 `zh`，就只显示英文或中文。
#
# 隔一段时间再回来，或者重启内核之后，内核就不记得先前运行过什么了，用得着它们的单元格会报 `NameError`，比如 *name 'check' is not defined*。这时点中这个单元格，在“运行”菜单里选“运行选中单元格上方的所有单元格”（英文菜单里是 *Run → Run All Above Selected Cell*），再运行这个单元格即可；做对的练习仍然算做对。

# %% [markdown] lang="en"
# ## How far you are
#
# The record keeps the exercises you solved, the answers refused (how often, and which hints you had read) and your predictions. Run this cell to see what is done, and what to review today: first the lessons where your predictions were most often wrong.

# %% [markdown] lang="zh" of="48e331d8"
# ## 学到哪里了
#
# 哪些练习做对了、哪些答错过（包括错了几次、看到第几条提示），以及你的每次预测，都会记录下来。运行下面的单元格，看看做完了哪些，今天该复习哪些：你预测错得最多的那几课排在前面。

# %%
from minigrad_lessons import progress

progress.show()

# %% [markdown] lang="en"
# The record is kept in one small file on your own machine, `minigrad-progress.json`, in the folder that holds the lessons; nothing is sent anywhere. Delete it to start over.

# %% [markdown] lang="zh" of="e09b00d3"
# 这些记录只存在你自己电脑上的一个小文件里：课程目录中的 `minigrad-progress.json`，不会发送到任何地方。想从头再来，删掉它就行。
