# ruff: noqa: D100, D101, D103 (cells of a notebook)
# %% [markdown]
# # What `viz` can show · viz 能画什么
#
# Each cell draws one thing. The graphs are PyTorch's and minigrad's own: `viz` reads `grad_fn`, and both have it.
#
# 每个单元格展示一种画法。图来自 PyTorch 或 minigrad 自己的计算图：viz 只读取 `grad_fn`，两者都有。

# %%
import contextlib

import torch

import minigrad
import viz

# %% [markdown]
# **Names come from your variables.** Leaves are rounded, `AccumulateGrad` is a hexagon, an input without gradient is
# dashed. Arrows point the way a gradient flows; values flow the other way.
#
# **名字取自变量。** 圆角框是叶子张量，六边形是 `AccumulateGrad`，虚线框是不需要梯度的输入。
# 箭头是梯度流动的方向，数值的方向相反。

# %%
w = minigrad.tensor([2.0], requires_grad=True)
b = minigrad.tensor([1.0], requires_grad=True)
x = minigrad.tensor([3.0])
z = w * x + b
viz.draw(z)

# %% [markdown]
# **After `backward()` the gradients are there.** · **`backward()` 之后，梯度出现在叶子上。**

# %%
z.backward()
viz.draw(z)

# %% [markdown]
# **A second `backward()` adds to them.** · **第二次 `backward()` 会累加。**

# %%
z = w * x + b
z.backward()
viz.draw(z)

# %% [markdown]
# **PyTorch's tensors are drawn as they are.** · **PyTorch 的张量可以直接画。**

# %%
w = torch.tensor([2.0], requires_grad=True)
b = torch.tensor([1.0], requires_grad=True)
x = torch.tensor([3.0])
z = w * x + b
viz.draw(z)

# %% [markdown]
# **The same graph as text**, for terminals, tests and screen readers.
#
# **同一张图的文字版**，供终端、测试和读屏软件使用。

# %%
print(viz.text(z))

# %% [markdown]
# **Formulas**: what each operation computes, and its derivatives; `g` is the gradient that arrives. **Order**: when
# each node was made (→) and when backward runs it (←).
#
# **公式**：每个运算算什么、导数是什么；`g` 是传到这里的梯度。**次序**：每个节点何时建立（→）、反向时何时执行（←）。

# %%
p = minigrad.tensor(3.0, requires_grad=True)
q = (2 * p) * (5 * p)
viz.draw(q, formula=True, order=True)

# %% [markdown]
# **Saved tensors**, each in its own slot, while they are kept, freed, or changed behind the operation's back.
#
# **保存的张量**，按槽位列出：仍保存着、已释放，或在保存之后被原地修改。

# %%
a = minigrad.tensor([1.0, 2.0], requires_grad=True)
kept = (a * a).exp()
viz.draw(kept, saved=True)

# %%
freed = (a * a).exp().sum()
freed.backward()
viz.draw(freed, saved=True)

# %%
changed = a * a
with minigrad.no_grad():
    a += 1
viz.draw(changed, saved=True)

# %% [markdown]
# **Where backward failed**: run it under `viz.watch`, and the picture marks the node and says what the error said.
#
# **反向传播在哪里出错**：把它放在 `viz.watch` 里运行，图上就会标出出错的节点和错误信息的第一行。

# %%
u = torch.tensor([1.0, 2.0], requires_grad=True)
once = (u * u).exp().sum()
once.backward()
with contextlib.suppress(RuntimeError), viz.watch(once) as twice:
    once.backward()
viz.draw(once, watched=twice)

# %% [markdown]
# **Your own Functions** have a double outline. · **自定义 Function** 用双线框。


# %%
class Cube(minigrad.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        ctx.save_for_backward(t)
        return t**3

    @staticmethod
    def backward(ctx, g):
        (t,) = ctx.saved_tensors
        return 3 * t**2 * g


c = minigrad.tensor([2.0], requires_grad=True)
y = Cube.apply(c)
viz.draw(y)

# %% [markdown]
# **Which output** of a node an edge takes. · 边上标出取自节点的**第几个输出**。

# %%
v = minigrad.tensor([1.0, 2.0, 3.0], requires_grad=True)
first, second, third = v.unbind()
y = first * third
viz.draw(y)

# %% [markdown]
# **`detach()`**: the dotted line says that memory is shared and that no gradient flows.
#
# **`detach()`**：点线表示共享内存，但没有梯度流过。

# %%
r = torch.tensor([2.0], requires_grad=True)
s = r * r
t = s.detach()
y = s * t
viz.draw(y)

# %% [markdown]
# **Hooks and source lines** (with anomaly mode on). · **钩子和源代码行**（打开异常检测时）。

# %%
with torch.autograd.set_detect_anomaly(True):
    h = r.exp()
    y = h.sum()


def double(grad):
    return 2 * grad


handle = h.register_hook(double)
viz.draw(y, source=True)

# %% [markdown]
# **Several outputs** share their nodes. · **多个输出**共用节点。

# %%
noise = torch.tensor([1.0], requires_grad=True)
fake = noise * 2
loss_d, loss_g = (fake.detach() * r).sum(), (fake * r).sum()
viz.draw(loss_d, loss_g)

# %% [markdown]
# **Modules** are framed, their parameters named; **shapes** of all results.
#
# **模块**加框，参数自动命名；标出每个结果的**形状**。

# %%
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))
loss = net(torch.ones(1, 2)).sum()
viz.draw(loss, shapes=True)

# %% [markdown]
# **Chinese names** fit their boxes, whatever fonts are installed. · **中文变量名**不会超出方框，与安装了哪些字体无关。

# %%
输入 = minigrad.tensor([1.0, 2.0, 3.0])
权重 = minigrad.tensor([0.5, -1.0, 2.0], requires_grad=True)
偏置 = minigrad.tensor(0.1, requires_grad=True)
预测值 = (输入 * 权重).sum() + 偏置
viz.draw(预测值)

# %% [markdown]
# **In place, through a view**: `CopySlices` and what it took the place of. · **通过视图原地修改**：`CopySlices`。

# %%
base = torch.ones(2, 3, requires_grad=True)
copy = base.clone()
copy[0] *= 2
written = copy.sum()
viz.draw(written)

# %% [markdown]
# **Second derivatives**: the graph of a gradient. · **二阶导数**：梯度自己的计算图。

# %%
e = minigrad.tensor(2.0, requires_grad=True)
(slope,) = minigrad.autograd.grad(e.exp() * e, e, create_graph=True)
viz.draw(slope)

# %% [markdown]
# **A convolutional network**, each module in its frame. · **卷积网络**，每个模块一个框。

# %%
torch.manual_seed(0)
cnn = torch.nn.Sequential(
    torch.nn.Conv2d(1, 2, 3), torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Flatten(), torch.nn.Linear(18, 3)
)
loss = torch.nn.functional.cross_entropy(cnn(torch.rand(1, 1, 8, 8)), torch.tensor([2]))
viz.draw(loss)

# %% [markdown]
# **What repeats is folded and counted**; `unfold="fold1"` opens that group, `around=` and `depth=` look at a part.
#
# **重复的结构折叠并计数**；`unfold="fold1"` 展开这一组，用 `around=` 和 `depth=` 查看局部。

# %%
h = k = minigrad.tensor(0.5, requires_grad=True)
for _ in range(100):
    h = (h * k).tanh()
viz.draw(h)

# %%
viz.draw(h, around="op100", depth=1)

# %% [markdown]
# **A hundred thousand nodes**: both ends, and how much lies between. · **十万个节点**：画出两端，中间计数。

# %%
v = k
for _ in range(33_333):
    v = (v * k + k).sin()
viz.draw(v)

# %% [markdown]
# **Names are only text**, whatever they hold. · **名字只是文字**，无论里面写了什么。

# %%
viz.draw(k * 2, names={"<script>alert('&')</script>\n\0": k})

# %% [markdown]
# **A difference** between two graphs is marked. · 两张图的**差别**会标出来。

# %%
before = viz.draw(z)
z = (w * x).relu() + b
viz.diff(before, z)

# %% [markdown]
# **Files**: `.save("graph.svg")`, and likewise `.png`, `.pdf`, `.html` (a page to move about and search in), `.dot`,
# `.mmd` (Mermaid), `.txt`, `.json`.
#
# **保存**：`.save("graph.svg")`，以及 `.png`、`.pdf`、`.html`（可拖动、缩放、搜索的网页）、`.dot`、
# `.mmd`（Mermaid）、`.txt`、`.json`。
