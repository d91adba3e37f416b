# %% [markdown]
# # What `viz` can show · viz 能画什么
#
# Each cell draws one thing. The graphs are PyTorch's and minigrad's own: `viz` reads `grad_fn`, and both have it.
#
# 每个单元格展示一种画法。图来自 PyTorch 或 minigrad 自己的计算图：viz 只读取 `grad_fn`，两者都有。

# %%
import contextlib
import json
import os
import tempfile
from pathlib import Path
from unittest import mock

import torch
from IPython.display import Image, display

import minigrad
import viz

# %% [markdown]
# **Names come from your variables.** Leaves are rounded, `AccumulateGrad` is a hexagon, an input without gradient is
# dashed. Arrows point the way a gradient flows; values flow the other way.
#
# **名字就是变量名。** 圆角框是叶子张量，六边形是 `AccumulateGrad`，虚线框是不需要梯度的输入。
# 箭头是梯度流动的方向，数值的方向相反。

# %% tags=["names"]
w = minigrad.tensor([2.0], requires_grad=True)
b = minigrad.tensor([1.0], requires_grad=True)
x = minigrad.tensor([3.0])
z = w * x + b
viz.draw(z)

# %% [markdown]
# **After `backward()` the gradients are there.** That `x` is the other factor only a saved tensor told, which is freed
# by now.
#
# **`backward()` 之后，梯度出现在叶子上。** 另一个因子是 `x`，只有保存的张量知道，而它已经释放。

# %% tags=["gradients"]
z.backward()
viz.draw(z)

# %% [markdown]
# **A second `backward()` adds to them.** · **第二次 `backward()` 会累加。**

# %% tags=["accumulated"]
z = w * x + b
z.backward()
viz.draw(z)

# %% [markdown]
# **PyTorch's tensors are drawn as they are.** · **PyTorch 的张量可以直接画。**

# %% tags=["pytorch"]
w = torch.tensor([2.0], requires_grad=True)
b = torch.tensor([1.0], requires_grad=True)
x = torch.tensor([3.0])
z = w * x + b
viz.draw(z)

# %% [markdown]
# **The same graph as text**, for terminals, tests and screen readers.
#
# **同一张图的文字版**，供终端、测试和屏幕阅读器使用。

# %% tags=["text"]
print(viz.text(z))

# %% [markdown]
# **Values**: a small tensor's numbers; of a large one, in the tooltip and the text, mean and largest magnitude.
#
# **数值**：小张量直接写出；大张量在悬停提示和文字版里给出均值和最大绝对值。

# %% tags=["values"]
grid = torch.arange(12.0).requires_grad_()
total = grid.sum()
viz.draw(total)

# %% [markdown]
# **Formulas**: what each operation computes, and its derivatives; `g` is the gradient that arrives.
#
# **公式**：每个运算算什么、导数是什么；`g` 是传到这里的梯度。

# %% tags=["formula"]
p = minigrad.tensor(3.0, requires_grad=True)
q = (2 * p) * (5 * p)
viz.draw(q, show="formula")

# %% [markdown]
# **Order**: when each node was made (→) and when backward runs it (←).
#
# **次序**：每个节点何时创建（→）、反向传播时何时执行（←）。

# %% tags=["order"]
viz.draw(q, show="order")

# %% [markdown]
# **Saved tensors**, each in its own slot, while they are kept, freed, or changed behind the operation's back.
#
# **保存的张量**，逐项列出：仍保存着、已释放，或在保存之后被原地修改。

# %% tags=["saved"]
a = torch.tensor([1.0, 2.0], requires_grad=True)
kept = (a * a).exp()
viz.draw(kept, show="saved")

# %% tags=["freed"]
freed = (a * a).exp().sum()
freed.backward()
viz.draw(freed, show="saved")

# %% tags=["changed"]
changed = a * a
with torch.no_grad():
    a += 1
viz.draw(changed, show="saved")

# %% [markdown]
# The version that a tensor was saved at, where it is not the first. · 保存时的版本号（不是最初版本时才写出）。

# %% tags=["version"]
later = (a * 3).exp() * a
viz.draw(later, show="saved")

# %% [markdown]
# **Where backward failed**: run it under `viz.record`, and the picture of that run marks the node and says
# what the error said.
#
# **反向传播在哪里出错**：把它放在 `viz.record` 里运行，图上就会标出出错的节点和错误信息的第一行。

# %% tags=["failed"]
u = torch.tensor([1.0, 2.0], requires_grad=True)
once = (u * u).exp().sum()
once.backward()
with contextlib.suppress(RuntimeError), viz.record(once) as twice:
    once.backward()
viz.draw(twice)

# %% [markdown]
# **Your own Functions** have a double outline. · **自定义 Function** 用双线框。


# %% tags=["custom"]
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        ctx.save_for_backward(t)
        return t**3

    @staticmethod
    def backward(ctx, g):
        (t,) = ctx.saved_tensors
        return 3 * t**2 * g


c = torch.tensor([2.0], requires_grad=True)
y = Cube.apply(c)
viz.draw(y)

# %% [markdown]
# **Which output** of a node an edge takes. · 边上标出它取自节点的**第几个输出**。

# %% tags=["output number"]
v = minigrad.tensor([1.0, 2.0, 3.0], requires_grad=True)
first, second, third = v.unbind()
y = first * third
viz.draw(y)

# %% [markdown]
# **`detach()`**: what it gave is an input like any other; that it was detached from `s`, no node knows.
#
# **`detach()`**：得到的结果和普通输入一样；它是从 `s` 分离出来的，没有哪个节点知道。

# %% tags=["detach"]
r = torch.tensor([2.0], requires_grad=True)
s = r * r
t = s.detach()
y = s * t
viz.draw(y)

# %% [markdown]
# **`no_grad()`**: what was computed there is an input like any other; no gradient goes back through it.
#
# **`no_grad()`**：在其中算出的结果和普通输入一样，梯度不会经过它往回流。

# %% tags=["no_grad"]
with torch.no_grad():
    scale = r * 10
y = r * scale
viz.draw(y)

# %% [markdown]
# **Inputs without gradient** are there, named and with their values, where there are few operations;
# `show="untracked"` draws them always.
#
# **不需要梯度的输入**也画出来，带名字和数值（运算不多的时候）；
# `show="untracked"` 则总是画出来。

# %% tags=["untracked"]
features, offset = torch.tensor([4.0]), torch.tensor([0.5])
y = (features * r + offset) * 3
viz.draw(y)

# %% [markdown]
# **Hooks** are named where they sit. · **钩子**：标出名字和位置。


# %% tags=["hooks"]
def double(grad):
    return 2 * grad


h = r.exp()
handle = h.register_hook(double)
y = h.sum()
viz.draw(y)

# %% [markdown]
# **Several outputs** share their nodes. · **多个输出**共用节点。

# %% tags=["several outputs"]
noise = torch.tensor([1.0], requires_grad=True)
fake = noise * 2
loss_d, loss_g = (fake.detach() * r).sum(), (fake * r).sum()
viz.draw(loss_d, loss_g)

# %% [markdown]
# **Modules** are framed, their parameters named.
#
# **模块**加框，参数自动命名。

# %% tags=["modules"]
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))
loss = net(torch.ones(1, 2)).sum()
viz.draw(loss)

# %% [markdown]
# **Two names for one tensor** are both shown; a name given with `names=` wins.
#
# **同一个张量有两个名字**时都显示；用 `names=` 指定的名字优先。

# %% tags=["explicit names"]
again = r
y = r * 2
viz.draw(y, names={"y, my result": y})

# %% [markdown]
# **Chinese names** fit their boxes, whatever fonts are installed. · **中文变量名**不会超出方框，与安装了哪些字体无关。

# %% tags=["chinese"]
输入 = torch.tensor([1.0, 2.0, 3.0])
权重 = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
偏置 = torch.tensor(0.1, requires_grad=True)
预测值 = (输入 * 权重).sum() + 偏置
viz.draw(预测值)

# %% [markdown]
# **In place, through a view**: `CopySlices` and what it took the place of. · **通过视图原地修改**：`CopySlices`。

# %% tags=["copy slices"]
base = torch.ones(2, 3, requires_grad=True)
copy = base.clone()
copy[0] *= 2
written = copy.sum()
viz.draw(written)

# %% [markdown]
# **Second derivatives**: the graph of a gradient. · **二阶导数**：梯度自己的计算图。

# %% tags=["double backward"]
e = minigrad.tensor(2.0, requires_grad=True)
(slope,) = minigrad.autograd.grad(e.exp() * e, e, create_graph=True)
viz.draw(slope)

# %% [markdown]
# **A convolutional network**, each module in its frame. · **卷积网络**，每个模块一个框。

# %% tags=["cnn"]
torch.manual_seed(0)
cnn = torch.nn.Sequential(
    torch.nn.Conv2d(1, 2, 3), torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Flatten(), torch.nn.Linear(18, 3)
)
loss = torch.nn.functional.cross_entropy(cnn(torch.rand(1, 1, 8, 8)), torch.tensor([2]))
viz.draw(loss)

# %% [markdown]
# **A module as one node**: `modules=1` for the outermost frames, 2 for those inside; `show="module1"` opens one. Where
# a large network has a layer `net.layer1`, `around="net.layer1", depth=0` shows that alone.
#
# **一个模块画成一个节点**：`modules=1` 指最外层的框，2 指里面一层；`show="module1"` 展开其中一个。
# 大网络里如果有一层叫 `net.layer1`，`around="net.layer1", depth=0` 只画这一层。

# %% tags=["module as a node"]
viz.draw(loss, modules=1)

# %% [markdown]
# **What repeats is folded and counted**; `show="fold1"` opens that group (of a shorter loop, here). Of the lines
# that lead to one node from far away the longest goes all the way, and the others run into it.
#
# **重复的结构折叠并计数**；`show="fold1"` 展开这一组（下面的循环短一些）。
# 从远处通向同一个节点的许多条边，只有最长的一条画到底，其余的汇入它。

# %% tags=["fold"]
h = k = torch.tensor(0.5, requires_grad=True)
for _ in range(100):
    h = (h * k).tanh()
viz.draw(h)

# %% tags=["unfold"]
short = k
for _ in range(32):
    short = (short * k).tanh()
viz.draw(short, show="fold1")

# %% [markdown]
# **Equal layers** are folded and counted, too. · **相同的层**也会折叠并计数。

# %% tags=["equal layers"]
equal = torch.nn.Sequential(*(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh()) for _ in range(10)))
viz.draw(equal(torch.ones(1, 2)).sum())

# %% [markdown]
# **A part of it**: so many steps around one node, or (`depth=` alone) back from the output.
#
# **只看局部**：以某个节点为中心的若干步，或者（只给 `depth=`）从输出往回的若干步。

# %% tags=["around"]
viz.draw(h, around="op100", depth=1)

# %% tags=["depth"]
viz.draw(h, depth=4)

# %% [markdown]
# **At most so many nodes**: both ends stay. · **限制节点数**：保留两端。

# %% tags=["max_nodes"]
viz.draw(h, show="repeats", max_nodes=24)

# %% [markdown]
# **A hundred thousand nodes**: both ends, and how much lies between. · **十万个节点**：画出两端，中间计数。

# %% tags=["large"]
v = c = minigrad.tensor(0.5, requires_grad=True)
for _ in range(33_333):
    v = (v * c + c).sin()
viz.draw(v)

# %% [markdown]
# **Never a hang**: a large graph is laid out in a process of its own, and stopped when the time is over.
#
# **不会卡住**：大图在单独的进程里布局，超时就停止。

# %% tags=["timeout"]
deep = k
for _ in range(1500):
    deep = (deep * 1.5).sin()
hasty = viz.draw(deep, show="repeats", max_nodes=10_000)
with mock.patch.object(viz.options, "timeout", 0.01):
    print(hasty._repr_mimebundle_()["text/plain"].rpartition("\n\n")[2])

# %% [markdown]
# **Names are only text**, whatever they hold. · **名字只是文字**，无论里面写了什么。

# %% tags=["untrusted"]
viz.draw(k * 2, names={"<script>alert('&')</script>\n\0": k})

# %% [markdown]
# **A recording** of a backward pass, step by step. As the last line of a cell, `run` itself plays it, with a kernel or
# without; `run.save("pass.html")` makes a page of it, and `viz.draw(run)` its graph.
#
# **录下**一次反向传播的每一步。把 `run` 单独写在单元格最后一行，就能逐步播放，没有内核也可以；
# `run.save("pass.html")` 存成网页，`viz.draw(run)` 画出它的计算图。

# %% tags=["record"]
with viz.record(z) as run:
    z.backward()
print(run)

# %% [markdown]
# **The live panel**, `viz.live()`, draws the graph while the cells of a notebook run, and plays a backward pass like
# such a recording: [more about it](../live.md).
#
# **实时面板** `viz.live()` 随着单元格的运行画出计算图，并能像上面那样播放一次反向传播：
# [详细说明](../live.zh.md)。
#
# ![the live panel](../live.png)

# %% [markdown]
# **No `dot` program needed**: the pygraphviz wheel has Graphviz inside. `viz.options.engine = "dot"` asks for the
# program, and where there is none the notebook still shows the text, and says what to install.
#
# **不需要 `dot` 程序**：pygraphviz 的安装包自带 Graphviz。`viz.options.engine = "dot"` 指定使用系统的程序；
# 系统里没有时，笔记本仍显示文字版，并说明该安装什么。

# %% tags=["no dot"]
with mock.patch.dict(os.environ, PATH=""):
    display(viz.draw(z))

# %%
with mock.patch.dict(os.environ, PATH=""), mock.patch.object(viz.options, "engine", "dot"):
    print(viz.draw(z)._repr_mimebundle_()["text/plain"])

# %% [markdown]
# **Files**: `.save("graph.svg")`, and likewise `.png`, `.pdf`, `.html`, `.dot`, `.txt`, `.json`. PNG and PDF
# are Graphviz's own drawing of the same layout; `viz.draw(z).digraph` is that `graphviz.Digraph`, with its `source`,
# and with `pipe` and `render` where a `dot` program is. Where boxes and edges stand is Graphviz's in every format (the
# edges of large graphs apart); shapes, colours and letters of the SVG are ours.
#
# **保存**：`.save("graph.svg")`，以及 `.png`、`.pdf`、`.html`、`.dot`、`.txt`、`.json`。PNG 和 PDF 由 Graphviz
# 按同样的布局绘制；`viz.draw(z).digraph` 就是这个 `graphviz.Digraph`，可以取 `source`；
# 系统里有 `dot` 程序时，还可以用 `pipe` 和 `render`。
# 各种格式里，方框和边的位置都由 Graphviz 决定（大图的边除外）；SVG 的形状、颜色和文字是 viz 自己画的。

# %% tags=["png and pdf"]
folder = Path(tempfile.mkdtemp())
Image(viz.draw(z).save(folder / "graph.png").read_bytes(), width=460)

# %% [markdown]
# **JSON**: nodes, edges and roots as plain values; `help(viz.Graph)` and `help(viz.Node)` document them.
#
# **JSON**：节点、边和根，都是普通的值；说明见 `help(viz.Graph)`、`help(viz.Node)`。

# %% tags=["json"]
graph = json.loads(viz.draw(z).save(folder / "graph.json").read_text(encoding="utf-8"))
print({name: len(part) for name, part in graph.items()}, *graph["edges"][:3], sep="\n")

# %% [markdown]
# **A page of its own**, with a card for each node, in which groups open; it asks the network for nothing.
# · **独立的网页**：每个节点都能点开卡片，折叠的组能展开，不联网。
#
# ![the page, a card open in it](page.png)

# %% tags=["html page"]
page = viz.draw(loss).save(folder / "graph.html")
print(page.name, "http" in page.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", ""))
