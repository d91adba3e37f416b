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
# # 13 · Your own op
#
# [English](../en/13_your_own_op.ipynb) · [中文](../zh/13_your_own_op.ipynb) · [All lessons](00_index.ipynb) · about 30 minutes · path: *understand*
#
# > "I wrote my own `backward`. It runs, the loss goes down. How can I know that it is right?"
#
# Now you write the rule yourself. By the end of this page you will have written an operation with its derivative, checked it against the definition of a derivative, and trained a network with it.

# %% [markdown] lang="zh" of="8f9db929"
# # 13 · 自定义算子
#
# [English](../en/13_your_own_op.ipynb) · [中文](../zh/13_your_own_op.ipynb) · [全部课程](00_index.ipynb) · 约 30 分钟 · 路线：*弄懂原理*
#
# > “我自己写了一个 `backward`，能运行，损失也在下降。怎么知道它写对了？”
#
# 现在轮到你来写规则了。学完这一课，你会写出一个带导数的算子，用导数的定义来检验它，再用它训练一个网络。

# %% [markdown] lang="en"
# To run this page on PyTorch itself, change the first line to `import torch`.

# %% [markdown] lang="zh" of="8559a529"
# 想在 PyTorch 上运行本课，把第一行改成 `import torch` 即可。

# %%
import minigrad as torch
import viz
from minigrad_lessons.checks import functions as check
from minigrad_lessons.predict import predict, reveal
from minigrad_lessons.quotient import Curve, Quotient

# %% [markdown] lang="en"
# ## A Function
#
# An operation of your own is a class with two static methods. `forward` computes, and saves in `ctx` what the backward pass will need. `backward` is given the gradient of the output and returns that of the input. For $y = x^2$:
#
# $$\frac{\partial l}{\partial x} = \frac{\partial l}{\partial y} \cdot 2x$$

# %% [markdown] lang="zh" of="6fbb9241"
# ## Function
#
# 自己的算子是一个类，里面有两个静态方法（不带 self 的方法）。`forward` 负责计算，并把反向传播要用的东西存进 `ctx`；`backward` 收到输出的梯度，返回输入的梯度。对 $y = x^2$：
#
# $$\frac{\partial l}{\partial x} = \frac{\partial l}{\partial y} \cdot 2x$$


# %% square covers=[9]
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)  # for backward, which will need it | 反向传播时要用
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        # chain rule: the gradient that arrives, times the derivative | 链式法则：传来的梯度乘以导数
        return grad_output * 2 * x


x = torch.tensor(3.0, requires_grad=True)
y = Square.apply(x)
y.backward()

print(y.grad_fn.name(), x.grad)

# %% [markdown] lang="en"
# You do not call `forward` yourself; `apply` does, and puts a node into the graph. Its name is your class's with *Backward* at the end, and no digit: it has no variants. Play a pass through it: the engine treats your node like any other.

# %% [markdown] lang="zh" of="97895768"
# 不要自己去调用 `forward`，`apply` 会调用它，并往计算图里放一个节点。节点的名字是你的类名加上 *Backward*，后面没有数字，因为它没有变体。放一遍反向传播：引擎对待你的节点，和对待内置节点没有区别。

# %% plays-yours covers=[9]
x.grad = None  # clear the earlier gradient | 先清掉前面的梯度
z = Square.apply(x + 1)
with viz.record(z) as run:
    z.backward()

run

# %% [markdown] lang="en"
# `Square` works entry by entry, so all its `backward` does is multiply by a slope. In general it has more to do: with `grad_output` for $v$, it returns $J^\mathsf{T} v$ ([Lesson 7](07_jacobians.ipynb)). A sum turns many numbers into one, and its Jacobian is a row of ones: the one gradient that arrives goes to every entry.

# %% [markdown] lang="zh" of="eac0a37d"
# `Square` 是逐元素的运算，所以它的 `backward` 只需要乘上斜率。一般来说要做的不止这些：以 `grad_output` 为 $v$，返回 $J^\mathsf{T} v$（见[第 7 课](07_jacobians.ipynb)）。求和把许多个数变成一个数，雅可比矩阵是一行 1，所以传来的那一个梯度要原样传给每个元素。


# %% total covers=[9]
class Total(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sum()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output.expand_as(x)


x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
(5 * Total.apply(x)).backward()

print(x.grad)

# %% [markdown] lang="en"
# ### Exercise 1: write a backward
#
# Like `Square`, for $y = x^3$.

# %% [markdown] lang="zh" of="a52a44b6"
# ### 练习 1：写一个 backward
#
# 仿照 `Square`，换成 $y = x^3$。


# %% exercise-cube covers=[9] tags=["exercise"]
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return ...


check.cube(Cube, torch.tensor([1.0, 2.0, -3.0]))


# %% tags=["solution"]
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 3 * x**2


check.cube(Cube, torch.tensor([1.0, 2.0, -3.0]))


# %% tags=["solution"]
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x, x * x)
        ctx.factor = 3
        return x**3

    @staticmethod
    def backward(ctx, grad_output):
        _, square = ctx.saved_tensors
        return grad_output * ctx.factor * square


check.cube(Cube, torch.tensor([1.0, 2.0, -3.0]))


# %% tags=["wrong"]
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 3 * x**2


check.cube(Cube, torch.tensor([1.0, 2.0, -3.0]))


# %% tags=["wrong"]
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x**2


check.cube(Cube, torch.tensor([1.0, 2.0, -3.0]))


# %% tags=["wrong"]
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 3 * x**2

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 3 * x**2


check.cube(Cube, torch.tensor([1.0, 2.0, -3.0]))

# %% tags=["wrong"]
check.cube(3, torch.tensor([1.0, 2.0, -3.0]))


# %% tags=["wrong"]
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x**3
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return grad_output * 3 * y / x


check.cube(Cube, torch.tensor([1.0, 2.0, -3.0]))

# %% [markdown] lang="en"
# ## Its second derivative
#
# With `create_graph=True` ([Lesson 12](12_hooks.ipynb)) the operations inside a `backward` are recorded, too, so `Square` can be differentiated twice. Here is a class that saves $2x$ instead of $x$, to compute less later. $x \cdot x^2$ at 3 has the derivatives 27 and 18. **Predict first:** what are they with `Faster`? Write a list.

# %% [markdown] lang="zh" of="9f0bcbfe"
# ## 自定义算子的二阶导数
#
# 加上 `create_graph=True`（见[第 12 课](12_hooks.ipynb)），`backward` 里的运算也会被记录，所以 `Square` 可以求两次导。下面这个类为了省一次计算，保存的是 $2x$ 而不是 $x$。$x \cdot x^2$ 在 3 处的一阶、二阶导数是 27 和 18。**先预测：** 用 `Faster` 得到的是多少？写成列表。

# %%
predict("own-second", ...)


# %% own-second covers=[57]
class Faster(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(2 * x)  # the slope, ready for backward | 把斜率算好，供 backward 使用
        return x**2

    @staticmethod
    def backward(ctx, grad_output):
        (slope,) = ctx.saved_tensors
        return grad_output * slope


def twice(square):
    x = torch.tensor(3.0, requires_grad=True)
    (first,) = torch.autograd.grad(x * square(x), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    return [first.item(), second.item()]


print(twice(Square.apply))
reveal("own-second", twice(Faster.apply))

# %% [markdown] lang="en"
# The first is right, the second lacks a part, and there is no error: the `2 * x` in `forward` was not recorded, so its path to `x` is missing. Save inputs and outputs; compute in `backward`.

# %% [markdown] lang="zh" of="5f62197f"
# 一阶导数是对的，二阶导数却少了一项，而且没有任何报错：`forward` 里的 `2 * x` 没有被记录，它通向 `x` 的路径就断了。要保存的是输入和输出，计算放到 `backward` 里做。

# %% [markdown] lang="en"
# ## MyReLU
#
# $\text{relu}(x) = \max(x, 0)$: the gradient passes unless the input was below 0, says the code below. **Predict first:** at the **kink**, exactly 0, what gradients do `MyReLU` and `torch.relu` give? Write a list of two numbers.

# %% [markdown] lang="zh" of="1f88f4d6"
# ## MyReLU
#
# $\text{relu}(x) = \max(x, 0)$：下面的代码只在输入小于 0 的地方拦住梯度。**先预测：** 正好在 0 处，图像有个折点，函数**不可导**。`MyReLU` 在那里给出的梯度是多少？`torch.relu` 呢？写成两个数的列表。


# %%
predict("kink", ...)


# %% my-relu covers=[9]
class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[input < 0] = 0  # no slope to the left of 0 | 0 的左边斜率为 0
        return grad_input


x = torch.tensor([-1.0, 0.0, 1.0], requires_grad=True)
MyReLU.apply(x).sum().backward()
print(x.grad)
kink = [x.grad[1].item()]

x.grad = None
torch.relu(x).sum().backward()  # the same with PyTorch's own | 换成 PyTorch 自带的
print(x.grad)
reveal("kink", [*kink, x.grad[1].item()])

# %% [markdown] lang="en"
# They differ at 0: `input < 0` is false there, so MyReLU lets the gradient through. Neither is wrong: a kink has no derivative, and any slope between those of its two sides, here from 0 to 1, is a **subgradient**. In training it matters only where an input is exactly 0, and that is rare: in the network below, fewer than one in 10,000.

# %% [markdown] lang="zh" of="993b5adc"
# 两者在 0 处不同：在那里 `input < 0` 不成立，所以 MyReLU 让梯度通过。两种都不算错：折点处没有导数，左右两侧斜率之间的任何值（这里是 0 到 1）都是**次梯度**。训练时，只有输入恰好为 0 的地方才有差别，而这很少见：在下面的网络里，这样的输入不到万分之一。

# %% [markdown] lang="en"
# ### Exercise 2: at the kink
#
# Which gradient does each of them give at $x = 0$? A number each; run those you cannot know.

# %% [markdown] lang="zh" of="ba7543c7"
# ### 练习 2：在折点上
#
# 在 $x = 0$ 处，下面每个表达式给出的梯度是多少？各填一个数；说不准的，就运行看看。

# %% exercise-at-zero covers=[9] tags=["exercise"]
my_guesses = {
    "torch.relu(x)": ...,
    "MyReLU.apply(x)": ...,
    "torch.maximum(x, torch.zeros(1))": ...,
    "x.abs()": ...,
}
check.at_zero(my_guesses)

# %% tags=["solution"]
my_guesses = {
    "torch.relu(x)": 0,
    "MyReLU.apply(x)": 1,
    "torch.maximum(x, torch.zeros(1))": 0.5,
    "x.abs()": 0,
}
check.at_zero(my_guesses)

# %% tags=["wrong"]
check.at_zero({**check.AT_ZERO, "torch.relu(x)": 0.5})

# %% tags=["wrong"]
my_guesses = {
    "torch.relu(x)": 0,
    "MyReLU.apply(x)": 0,
    "torch.maximum(x, torch.zeros(1))": 0,
    "x.abs()": 0,
}
check.at_zero(my_guesses)

# %% tags=["wrong"]
my_guesses = {
    "torch.relu(x)": 0.5,
    "MyReLU.apply(x)": 1,
    "torch.maximum(x, torch.zeros(1))": 1,
    "x.abs()": 1,
}
check.at_zero(my_guesses)

# %% tags=["wrong"]
check.at_zero(0)

# %% [markdown] lang="en"
# ## Is it right?
#
# You can check a derivative without any `backward`: step a little to each side, and divide the change by the distance. This is called a **difference quotient**.
#
# $$f'(x) \approx \frac{f(x + e) - f(x - e)}{2e}$$
#
# For $x^3$ at 2 the slope is 12. **Predict first:** is a step size of a billionth better than one of a hundred-thousandth? Then **move it:** change the step size and watch the error. Both axes have **logarithmic scales**. (On a static page, the next cell lists all the steps.)

# %% [markdown] lang="zh" of="b7c72055"
# ## backward 写对了吗？
#
# 导数可以按定义来检验，用不着任何 `backward`：向两边各走一小步，用函数值之差除以两点的距离，得到的叫**差商**。
#
# $$f'(x) \approx \frac{f(x + e) - f(x - e)}{2e}$$
#
# $x^3$ 在 2 处的斜率是 12。**先预测：** 步长取十亿分之一，会比取十万分之一更准吗？再**动一动**步长，看看误差；两条坐标轴都用**对数刻度**。（如果你看的是静态网页、没有运行内核，下一个单元格列出了每种步长。）

# %%
predict("smaller-steps", ..., options=[True, False])

# %% quotient covers=[56] tags=["moves"]
quotient = Quotient(lambda x: x * x * x, x=2.0, slope=12.0)
quotient

# %%
print(quotient)
reveal("smaller-steps", quotient.errors[8] < quotient.errors[4])

# %% [markdown] lang="en"
# Better at first, then worse: when the step is tiny, the two values agree in nearly all their digits, and the difference is mostly rounding. With 64-bit numbers the best step is near a hundred-thousandth. `gradcheck` makes this comparison for every entry of every input, with a step of a millionth. Give it `double` inputs: with `float32` it only warns, and then usually fails. It returns `True`, or raises an error that shows two tables: the quotients (`numerical`) and what your `backward` gave (`analytical`). (The inputs below stay away from MyReLU's kink: at 0 the quotient is one half, and `gradcheck` would fail.)

# %% [markdown] lang="zh" of="037fd57e"
# 步长变小时，结果先变好，后变差：步子太小，两个值几乎所有的数位都相同，相减剩下的多半是舍入误差。用 64 位浮点数时，十万分之一左右最好。`gradcheck` 就是用这样的差商来对照的：对每个输入的每个元素各算一遍，步长取百万分之一。请用 `double`：用 `float32` 时它只给警告，而且多半通不过。对得上就返回 `True`，对不上就报错，并列出两个矩阵：用差商算出的（`numerical`）和你的 `backward` 给出的（`analytical`）。（下面的输入避开了 MyReLU 的折点：在 0 处差商是二分之一，`gradcheck` 会报错。）

# %% gradcheck covers=[56]
x = torch.tensor([0.5, -1.5, 2.0], dtype=torch.double, requires_grad=True)

print(torch.autograd.gradcheck(Square.apply, (x,)))
print(torch.autograd.gradcheck(MyReLU.apply, (x,)))

# %% [markdown] lang="en"
# ### Exercise 3: find the culprit
#
# One of these three has a wrong `backward`. Let `gradcheck` tell you which: give its name as text, and the first number in each of the two tables that the error shows, `numerical` and `analytical`. `Product` takes two inputs, so there is a `y` beside the `x` from above.

# %% [markdown] lang="zh" of="8945732e"
# ### 练习 3：找出写错的那个
#
# 下面三个算子里，有一个的 `backward` 写错了。让 `gradcheck` 告诉你是哪个：用字符串写出它的名字，再写出报错信息里 `numerical` 和 `analytical` 两个矩阵各自的第一个数。`Product` 有两个输入，所以除了上面的 `x`，还准备了一个 `y`。


# %%
class Sine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x.cos()


# %%
class Half(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x / 2

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output / 2


# %%
class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return grad_output * x, grad_output * y


y = torch.tensor([1.0, 2.0, 3.0], dtype=torch.double, requires_grad=True)

# %% exercise-culprit covers=[56] tags=["exercise"]
my_culprit = ...
numerical, analytical = ..., ...
check.culprit(my_culprit, numerical, analytical)

# %% tags=["solution"]
try:
    torch.autograd.gradcheck(Product.apply, (x, y))
except RuntimeError as error:
    numerical, analytical = (float(table.split("[[")[1].split(",")[0]) for table in str(error).split("analytical"))
check.culprit("Product", numerical, analytical)

# %% tags=["solution"]
suspects = {"Sine": (x,), "Half": (x,), "Product": (x, y)}
for my_culprit, inputs in suspects.items():
    if not torch.autograd.gradcheck(globals()[my_culprit].apply, inputs, raise_exception=False):
        break
check.culprit(my_culprit, 1, 0.5)

# %% tags=["wrong"]
check.culprit("Sine", 1.0, 0.5)

# %% tags=["wrong"]
check.culprit("Half", 0.5, 0.5)

# %% tags=["wrong"]
check.culprit("MyReLU", 0.0, 0.0)

# %% tags=["wrong"]
check.culprit("Product", 0.0, 1.0)

# %% tags=["wrong"]
check.culprit("Product", 0.5, 1.0)

# %% [markdown] lang="en"
# ## Reproducible random numbers
#
# The network below starts from random numbers. Their four printed digits are too few to compute with. Say an entry of `a` was printed as 0.2229, and the same entry of `(a * 3) / (a - 1)` as -0.8606. From the printed number you get something else:

# %% [markdown] lang="zh" of="c3200853"
# ## 可复现的随机数
#
# 下面的网络要从随机数开始训练。随机数打印出来只有四位小数，拿打印出来的数接着往下算，结果对不上。比如在一份没设种子的笔记里，`a` 的某个元素打印出来是 0.2229，`(a * 3) / (a - 1)` 的同一个元素是 -0.8606；可是从打印的数算起，得到的却是：

# %% rounded covers=[20]
printed = 0.2229
print(f"{printed * 3 / (printed - 1):.4f}")  # not -0.8606 | 不是 -0.8606

# %% [markdown] lang="en"
# Without a seed, random numbers cannot be **reproduced**; with `manual_seed(0)` you get the numbers shown here, in PyTorch as well:

# %% [markdown] lang="zh" of="0f0b6f18"
# 不设种子，随机数就无法**复现**；设了 `manual_seed(0)`，你得到的数就与这里相同，也与 PyTorch 相同：

# %% seeded covers=[20]
torch.manual_seed(0)
a = torch.randn(2, 2)
print(a)

a = (a * 3) / (a - 1)
print(a.requires_grad)
a.requires_grad_(True)
print(a.requires_grad)
b = (a * a).sum()
print(b.grad_fn.name())

# %% [markdown] lang="en"
# ## A network, trained
#
# Two layers with MyReLU between them, 64 random samples, 500 steps:
#
# $$\hat y = \text{relu}(x W_1)\, W_2 \qquad l = \sum (\hat y - y)^2$$

# %% [markdown] lang="zh" of="ab3094b0"
# ## 训练一个网络
#
# 网络有两层，中间是 MyReLU；用 64 个随机样本，训练 500 步：
#
# $$\hat y = \text{relu}(x W_1)\, W_2 \qquad l = \sum (\hat y - y)^2$$

# %% network covers=[9]
torch.manual_seed(0)
dtype, device = torch.float, torch.device("cpu")
N, D_in, H, D_out = 64, 1000, 100, 10  # samples; numbers in, hidden, out | 样本数；输入、隐藏层、输出各有几个数

x = torch.randn(N, D_in, device=device, dtype=dtype)
y = torch.randn(N, D_out, device=device, dtype=dtype)
w1 = torch.randn(D_in, H, device=device, dtype=dtype, requires_grad=True)
w2 = torch.randn(H, D_out, device=device, dtype=dtype, requires_grad=True)

y_pred = MyReLU.apply(x.mm(w1)).mm(w2)
loss = (y_pred - y).pow(2).sum()

viz.draw(loss)

# %% [markdown] lang="en"
# `N` is the number of samples, `D_in` and `D_out` how many numbers go in and come out for each, `H` how many there are in the hidden layer between. Find MyReLU's node between the two `MmBackward0` (matrix products), and the two leaves that will learn. Now train:

# %% [markdown] lang="zh" of="48726ac6"
# `N` 是样本数，`D_in`、`D_out` 是每个样本的输入、输出各有几个数，`H` 是中间的隐藏层有几个数。在两个 `MmBackward0`（矩阵乘法）之间找到 MyReLU 的节点，再找到两个要学习的叶子。下面开始训练：

# %% training covers=[9] tags=["long"]
losses = []
for t in range(500):
    y_pred = MyReLU.apply(x.mm(w1)).mm(w2)
    loss = (y_pred - y).pow(2).sum()
    losses.append(loss.item())
    if t % 100 == 99:
        print(t, f"{loss.item():.2f}")

    loss.backward()
    with torch.no_grad():
        w1 -= 1e-6 * w1.grad
        w2 -= 1e-6 * w2.grad
        # else the next round adds to them | 否则下一轮会累加上去
        w1.grad.zero_()
        w2.grad.zero_()

# %% [markdown] lang="en"
# The loss over the 500 steps, on a logarithmic scale:

# %% [markdown] lang="zh" of="93a2985a"
# 500 步里的损失，纵轴用对数刻度：

# %% tags=["long"]
Curve(loss=losses)

# %% [markdown] lang="en"
# You can read the whole training loop: the leaves, the flag, the graph, the backward pass, accumulating and clearing ([Lesson 6](06_accumulate.ipynb)), updating without recording ([Lesson 9](09_updating.ipynb)), and in the middle a node of your own. Change the first line of this page to `import torch`, run it again, and PyTorch prints the same.

# %% [markdown] lang="zh" of="806aadf5"
# 这个训练循环的每一行你都读得懂：叶子、开关、计算图、反向传播、累加与清零（[第 6 课](06_accumulate.ipynb)）、不被记录的更新（[第 9 课](09_updating.ipynb)），中间还有一个你自己的节点。把本页第一行改成 `import torch` 再运行一遍，PyTorch 给出的结果也一样。

# %% [markdown] lang="en"
# ## Review: lessons 1 to 13
#
# ### Exercise 4: nine errors
#
# `w` is `torch.ones(2, requires_grad=True)`, fresh for each line. Which words are in the error message, or does the line run? Choose from `"a leaf Variable"`, `"attempting to assign"`, `"cannot be converted"`, `"grad can be implicitly"`, `"Mismatch in shape"`, `"one of the variables"`, `"Trying to backward"`, `"view size"`, `"you can only change"`, `"runs"`.

# %% [markdown] lang="zh" of="b0c9df1c"
# ## 复习：第 1 到 13 课
#
# ### 练习 4：九种报错
#
# 每一行开始时，`w` 都是新的 `torch.ones(2, requires_grad=True)`。运行这一行，报错信息里有哪几个词？从下面选，不报错就选最后一个：`"a leaf Variable"`、`"attempting to assign"`、`"cannot be converted"`、`"grad can be implicitly"`、`"Mismatch in shape"`、`"one of the variables"`、`"Trying to backward"`、`"view size"`、`"you can only change"`、`"runs"`。

# %% exercise-nine covers=[2, 3, 7, 25, 26, 39, 41, 42, 51] tags=["exercise"]
my_guesses = {
    "w.add_(1)": ...,
    "y = w * 2; y.requires_grad = False": ...,
    "(w * 2).backward(torch.ones(3))": ...,
    "y = w.exp(); y.add_(1); y.sum().backward()": ...,
    "y = (w * w).sum(); y.backward(); y.backward()": ...,
    "w.grad = torch.ones(3)": ...,
    "w.item()": ...,
    "torch.ones(2, 3).t().view(6)": ...,
    "(w * 2).backward()": ...,
    "y = (w + 1).sum(); y.backward(); y.backward()": ...,
}
check.nine(my_guesses)

# %% tags=["solution"]
my_guesses = {
    "w.add_(1)": "a leaf Variable",
    "y = w * 2; y.requires_grad = False": "you can only change",
    "(w * 2).backward(torch.ones(3))": "Mismatch in shape",
    "y = w.exp(); y.add_(1); y.sum().backward()": "one of the variables",
    "y = (w * w).sum(); y.backward(); y.backward()": "Trying to backward",
    "w.grad = torch.ones(3)": "attempting to assign",
    "w.item()": "cannot be converted",
    "torch.ones(2, 3).t().view(6)": "view size",
    "(w * 2).backward()": "grad can be implicitly",
    "y = (w + 1).sum(); y.backward(); y.backward()": "runs",
}
check.nine(my_guesses)

# %% tags=["wrong"]
my_guesses = {
    "w.add_(1)": "you can only change",
    "y = w * 2; y.requires_grad = False": "a leaf Variable",
    "(w * 2).backward(torch.ones(3))": "Mismatch in shape",
    "y = w.exp(); y.add_(1); y.sum().backward()": "one of the variables",
    "y = (w * w).sum(); y.backward(); y.backward()": "Trying to backward",
    "w.grad = torch.ones(3)": "attempting to assign",
    "w.item()": "cannot be converted",
    "torch.ones(2, 3).t().view(6)": "view size",
    "(w * 2).backward()": "grad can be implicitly",
    "y = (w + 1).sum(); y.backward(); y.backward()": "runs",
}
check.nine(my_guesses)

# %% tags=["wrong"]
my_guesses = {
    "w.add_(1)": "a leaf Variable",
    "y = w * 2; y.requires_grad = False": "you can only change",
    "(w * 2).backward(torch.ones(3))": "grad can be implicitly",
    "y = w.exp(); y.add_(1); y.sum().backward()": "one of the variables",
    "y = (w * w).sum(); y.backward(); y.backward()": "Trying to backward",
    "w.grad = torch.ones(3)": "attempting to assign",
    "w.item()": "cannot be converted",
    "torch.ones(2, 3).t().view(6)": "view size",
    "(w * 2).backward()": "Mismatch in shape",
    "y = (w + 1).sum(); y.backward(); y.backward()": "runs",
}
check.nine(my_guesses)

# %% tags=["wrong"]
my_guesses = {
    "w.add_(1)": "a leaf Variable",
    "y = w * 2; y.requires_grad = False": "you can only change",
    "(w * 2).backward(torch.ones(3))": "Mismatch in shape",
    "y = w.exp(); y.add_(1); y.sum().backward()": "Trying to backward",
    "y = (w * w).sum(); y.backward(); y.backward()": "one of the variables",
    "w.grad = torch.ones(3)": "attempting to assign",
    "w.item()": "cannot be converted",
    "torch.ones(2, 3).t().view(6)": "view size",
    "(w * 2).backward()": "grad can be implicitly",
    "y = (w + 1).sum(); y.backward(); y.backward()": "runs",
}
check.nine(my_guesses)

# %% tags=["wrong"]
my_guesses = {
    "w.add_(1)": "a leaf Variable",
    "y = w * 2; y.requires_grad = False": "you can only change",
    "(w * 2).backward(torch.ones(3))": "Mismatch in shape",
    "y = w.exp(); y.add_(1); y.sum().backward()": "one of the variables",
    "y = (w * w).sum(); y.backward(); y.backward()": "Trying to backward",
    "w.grad = torch.ones(3)": "attempting to assign",
    "w.item()": "cannot be converted",
    "torch.ones(2, 3).t().view(6)": "view size",
    "(w * 2).backward()": "grad can be implicitly",
    "y = (w + 1).sum(); y.backward(); y.backward()": "Trying to backward",
}
check.nine(my_guesses)

# %% tags=["wrong"]
check.nine(["runs"])

# %% [markdown] lang="en"
# ### Exercise 5: which parameters will learn?
#
# Write `reached(loss, parameters)`: `parameters` is a dict from names to tensors; return a list: the names of those given a `.grad` by `loss.backward()`. Find out from the graph, without a backward.

# %% [markdown] lang="zh" of="2849a02f"
# ### 练习 5：哪些参数能学到东西？
#
# 写出 `reached(loss, parameters)`：`parameters` 是从名字到张量的字典。函数返回一个列表：`loss.backward()` 会给哪些张量写入 `.grad`，就列出哪些张量的名字。只看计算图，不做反向传播。


# %% exercise-reached covers=[12, 13, 33, 35, 37] tags=["exercise"]
def reached(loss, parameters):
    return ...


check.reached(reached, torch.tensor([2.0, 3.0]))


# %% tags=["solution"]
def reached(loss, parameters):
    found, waiting = [], [loss.grad_fn]
    for node in waiting:
        found += [node.variable] if hasattr(node, "variable") else []
        waiting += [way for way, _ in node.next_functions if way is not None]
    return [name for name, tensor in parameters.items() if any(tensor is leaf for leaf in found)]


check.reached(reached, torch.tensor([2.0, 3.0]))


# %% tags=["solution"]
def reached(loss, parameters):
    leads = set()

    def walk(node):
        if node is not None and node not in leads:
            leads.add(node)
            for way, _ in getattr(node, "next_functions", ()):
                walk(way)

    walk(loss.grad_fn)
    ids = {id(node.variable) for node in leads if hasattr(node, "variable")}
    return [name for name in parameters if id(parameters[name]) in ids]


check.reached(reached, torch.tensor([2.0, 3.0]))


# %% tags=["wrong"]
def reached(loss, parameters):
    return [name for name, tensor in parameters.items() if tensor.requires_grad]


check.reached(reached, torch.tensor([2.0, 3.0]))


# %% tags=["wrong"]
def reached(loss, parameters):
    return [name for name, tensor in parameters.items() if tensor.is_leaf]


check.reached(reached, torch.tensor([2.0, 3.0]))


# %% tags=["wrong"]
def reached(loss, parameters):
    loss.backward()
    return [name for name, tensor in parameters.items() if tensor.grad is not None]


check.reached(reached, torch.tensor([2.0, 3.0]))


# %% tags=["wrong"]
def reached(loss, parameters):
    grads = torch.autograd.grad(
        loss, [t for t in parameters.values() if t.is_leaf and t.requires_grad], allow_unused=True
    )
    return [name for name, grad in zip("abc", grads) if grad is not None]


check.reached(reached, torch.tensor([2.0, 3.0]))


# %% tags=["wrong"]
def reached(loss, parameters):
    direct = [way for way, _ in loss.grad_fn.next_functions]
    return [
        name for name, tensor in parameters.items() if any(getattr(node, "variable", 0) is tensor for node in direct)
    ]


check.reached(reached, torch.tensor([2.0, 3.0]))


# %% tags=["wrong"]
def reached(loss, parameters):
    return list(parameters)


check.reached(reached, torch.tensor([2.0, 3.0]))

# %% [markdown] lang="en"
# ## What you know now
#
# - A `Function` has `forward` and `backward`; `apply` runs it and leaves a node.
# - `backward` is given `grad_output`, the gradient of the output, and returns that of each input: $J^\mathsf{T} v$. Where an operation works entry by entry, that is a multiplication by its derivative. At a kink, you choose.
# - `gradcheck` compares with the definition of a derivative. Use it on every `backward` you write.
#
# **Next:** you wrote one rule. Could you write the engine? [Lesson 14](14_build_it.ipynb) · [All lessons](00_index.ipynb)

# %% [markdown] lang="zh" of="3b39c3f5"
# ## 小结
#
# - `Function` 有 `forward` 和 `backward`；`apply` 负责运行，并留下一个节点。
# - `backward` 由输出的梯度 `grad_output` 算出每个输入的梯度，也就是 $J^\mathsf{T} v$；逐元素的运算，乘上导数就行。在折点处，取哪个值由你来定。
# - `gradcheck` 拿导数的定义来对照。自己写的每个 `backward` 都该用它检查一遍。
#
# **下一课：** 你写了一条规则。整个引擎也写得出来吗？[第 14 课](14_build_it.ipynb) · [全部课程](00_index.ipynb)
