"""What `python -m tests.mutants` once changed without any test noticing, and what readers found to be otherwise.

They are small programs that end as under PyTorch. A program adds to `seen`; the first line of an error is seen, too,
whichever line raises it.
"""

import re
import subprocess
import sys
import warnings
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import minigrad
from minigrad import table
from minigrad.ops import pointwise
from minigrad.ops.primitive import binary, op
from tests.core.parity import first_line, renamed

torch = pytest.importorskip("torch", reason="PyTorch, the reference, is not installed")

PROGRAMS = """
# a Function whose gradient has another shape is named
class Wide(torch.autograd.Function):
    forward = staticmethod(lambda ctx, x: x * 2)
    backward = staticmethod(lambda ctx, grad: torch.ones(3))
Wide.apply(w).sum().backward()

# of one tensor given twice, the gradient that has another shape is named
class Second(torch.autograd.Function):
    forward = staticmethod(lambda ctx, x, y: x + y)
    backward = staticmethod(lambda ctx, grad: (grad, torch.ones(5)))
Second.apply(w, w).sum().backward()

# a Function of a view whose base has been written lies on the way to what that was made of
class Double(torch.autograd.Function):
    forward = staticmethod(lambda ctx, x: x * 2)
    backward = staticmethod(lambda ctx, grad: grad * 2)
base = w * 1
view = base[:2]
base.mul_(3)
seen.append(torch.autograd.grad(Double.apply(view).sum(), w)[0])

# gradcheck notices a gradient that is lost
d = torch.ones(2, dtype=torch.float64, requires_grad=True)
torch.autograd.gradcheck(lambda t: t * 2, (d,))
try:
    torch.autograd.gradcheck(lambda t: t.detach() * 2, (d,))
except RuntimeError:
    seen.append("lost")

# in a hook numpy's functions are numpy's, also where the pass is recorded
import numpy
y = w * 2
y.register_hook(lambda g: seen.append(type(numpy.stack([g.detach()])).__name__))
y.grad_fn.register_hook(lambda *grads: seen.append(type(numpy.stack([grads[0][0].detach()])).__name__))
torch.autograd.grad(y.sum(), w, create_graph=True)

# anomaly mode minds no nan that nobody asked for
x = torch.tensor(-1.0, requires_grad=True)
n = torch.tensor(2.0, requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    seen.append(torch.autograd.grad(x**n, x)[0])
    (x**n).backward()

# what is taken out of the graph keeps its hooks
y = w * 2
y.register_hook(lambda g: g * 100)
y.detach_()
y.requires_grad_()
(y * 3).sum().backward()
seen.append(y.grad)

# zeros for what is unused, or an error: not both
torch.autograd.grad(w.sum(), [w], materialize_grads=True, allow_unused=False)

# an array made of a tensor is a copy; asarray shows the tensor's own memory
import numpy
x = torch.tensor([1.0, 2.0])
numpy.array(x)[0] = 9
numpy.array(x, dtype="float32")[0] = 8
numpy.asarray(x)[1] = 7
seen.append(x)

# a gradient that shows one row several times may become zero, or one number; it may not be added to
v = torch.ones(2, 3, requires_grad=True)
v.grad = torch.ones(1, 3).expand(2, 3)
torch.optim.SGD([v], 0.1).zero_grad(set_to_none=False)
seen.append(v.grad.fill_(2))
seen.append(v.grad.zero_())
v.grad.add_(1)

# a triangle of what is transposed lies in order
turned = torch.arange(12.0).reshape(3, 4).t()
seen.append((turned.triu().view(-1), turned.tril().view(-1)))

# what is sorted lies as what was given, what is gathered in order
turned = torch.arange(24.0, requires_grad=True).reshape(2, 3, 4).mT
seen.append([each.stride() for by in (False, True) for each in (*turned.sort(1, descending=by), turned.argsort(0))])
seen.append(turned.diagonal().sort(0)[0].reshape(3, 2).grad_fn.name())
seen.append(turned.gather(0, torch.zeros_like(turned, dtype=torch.int64)).stride())

# an inverse and a solution lie column by column: flat, they are a copy
square = torch.tensor([[[2.0, 1.0], [1.0, 3.0]]], requires_grad=True)
for each in (torch.linalg.inv(square), torch.linalg.solve(square, square), torch.linalg.solve(square[0], square[0, 0])):
    seen.append((each.stride()[-2:], each.flatten().grad_fn.name()))

# a sum by einsum is no view of one: what is written into it needs nothing that backward frees
table = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
columns = torch.einsum("ij->j", table)
columns += torch.tensor(1.0, requires_grad=True)
columns.exp().sum().backward()
(columns * columns).sum().backward()
seen.append((table.grad, columns.grad_fn.name(), torch.einsum("ij->ij", table).grad_fn.name()))

# -0 keeps its sign, which a division shows
seen.append([1 / bend(torch.tensor([-0.0, 0.0])) for bend in (torch.nn.functional.elu, torch.nn.functional.selu)])

# a norm lies in memory as a sum does: in order
turned = torch.arange(24.0, requires_grad=True).reshape(2, 3, 4).mT
seen.append([turned.norm(p, 0).flatten().grad_fn.name() for p in (1, 2, 3, float("inf"))])
seen.append([turned.norm(p, 0).stride() for p in (1, 2, 3, float("inf"))])

# a power of truth values has memory of its own
truth = torch.tensor([True, False])
power = truth**True
power[0] = False
seen.append((truth, power))

# a view of a computed number shows the number's own memory
total = torch.tensor([1.0, 2.0]).sum()
total.unsqueeze(0).mul_(5)
total.view(1, 1)[0, 0] += 1
seen.append(total)

# a write at indices does not read what it writes
x = torch.arange(4.0)
x[torch.tensor([2, 3])] = x[:2]

# nor what it writes itself
x = torch.arange(2.0)
x[torch.tensor([1, 0])] = x

# what torch.func gives to somebody who records nothing is a constant
def scaled(x):
    with torch.no_grad():
        slope = torch.func.grad(lambda y: y**3)(x)
    return x * slope
seen.append(torch.func.grad(scaled)(torch.tensor(1.0)))
with torch.no_grad():
    for transform in (torch.func.grad, torch.func.jacrev, torch.func.jacfwd):
        seen.append(transform(lambda y: (y**3).sum())(w).requires_grad)
    seen.append(torch.autograd.functional.jacobian(lambda y: (y**2).sum(), w, create_graph=True).requires_grad)
    _, product = torch.autograd.functional.hvp(lambda y: (y**3).sum(), w, w.detach(), create_graph=True)
    seen.append(product.requires_grad)
seen.append(torch.func.grad(torch.func.grad(lambda y: y**3))(torch.tensor(2.0)))

# of what an operation has let go nothing is left, and what it did not need was never there
for product in (w * torch.ones(2), torch.ones(2) * w, w * w):
    product.sum().backward()
    for slot in ("_saved_self", "_saved_other"):
        try:
            seen.append(getattr(product.grad_fn, slot))
        except RuntimeError as error:
            seen.append(str(error).partition(".")[0])

# a hook that returns a gradient of another type
doubled = w * 2
doubled.register_hook(lambda grad: grad.double())
doubled.sum().backward()

# a pack hook that writes into what it is given
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t):
    (w * 2).exp()

# a Function whose gradient is no tensor
class Number(torch.autograd.Function):
    forward = staticmethod(lambda ctx, x: x * 2)
    backward = staticmethod(lambda ctx, grad: 3.0)
Number.apply(w).sum().backward()

# adding to a gradient is a write
(w * 2).sum().backward()
seen.append(w.grad._version)
(w * 2).sum().backward()
seen.append(w.grad._version)

# what anomaly mode says of itself
check = torch.is_anomaly_check_nan_enabled
seen.append(check())
with torch.autograd.detect_anomaly(check_nan=False):
    seen.append((torch.is_anomaly_enabled(), check()))
    with torch.autograd.set_detect_anomaly(False):
        seen.append((torch.is_anomaly_enabled(), check()))
    with torch.autograd.set_detect_anomaly(True):
        seen.append((torch.is_anomaly_enabled(), check()))
with torch.autograd.detect_anomaly(), torch.autograd.detect_anomaly(check_nan=False):
    (w * 0 / 0).sum().backward()
seen.append((torch.is_anomaly_enabled(), w.grad))

# anomaly mode has warned already, and the error says so
with torch.autograd.detect_anomaly():
    y = w.exp()
    y.add_(1)
    y.sum().backward()

# an argument of older programs, by its name and in its place
y = w * w
seen.append(torch.autograd.grad(y.sum(), w, only_inputs=True, retain_graph=True))
seen.append(torch.autograd.grad(y.sum(), [w, torch.ones(1, requires_grad=True)], None, True, False, True, True))

# a batch of gradients that is not square
y = w * w
seen.append(torch.autograd.grad(y, w, torch.ones(3, 2), is_grads_batched=True)[0])
y.sum().backward()

# a gradient of another type is that of the tensor
y = w * 2
y.register_hook(lambda g: seen.append(g.dtype))
y.backward(torch.ones(2, dtype=torch.float64))
seen.append(w.grad)

# inputs in the middle of the graph keep their gradient
y = w * 2
(y * y).sum().backward(inputs=[y])
seen.append((y.grad, w.grad))

# arguments of forward that have a default
class Scaled(torch.autograd.Function):
    forward = staticmethod(lambda x, by=3: x * by)
    setup_context = staticmethod(lambda ctx, inputs, output: seen.append(len(inputs)) or setattr(ctx, "by", 3))
    backward = staticmethod(lambda ctx, grad: (grad * ctx.by, None))
Scaled.apply(w, 3).sum().backward()
seen.append(w.grad)
Scaled.apply(w).sum().backward()

# a write that is refused is counted
class Written(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x.mul_(2))
        return x
    backward = staticmethod(lambda ctx, grad: grad * 2)
try:
    Written.apply(w)
except RuntimeError:
    seen.append(w._version)

# an input that comes back without a derivative
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_non_differentiable(x)
        return x
    backward = staticmethod(lambda ctx, grad: grad)
y = Same.apply(w)
seen.append((y.requires_grad, y is w, w.requires_grad))

# a backward that cannot be differentiated, of a gradient that need not be
class Once(torch.autograd.Function):
    forward = staticmethod(lambda ctx, x: x * 2)
    backward = staticmethod(torch.autograd.function.once_differentiable(lambda ctx, grad: grad * 2))
seen.append(torch.autograd.grad(Once.apply(w).sum(), w, create_graph=True)[0].requires_grad)
y = Once.apply(w)
g = torch.autograd.grad((y * y).sum(), w, create_graph=True)[0]
seen.append(g.requires_grad)
g.sum().backward()

# a Hessian of more than a number
torch.autograd.functional.vhp(lambda x: x * 2, w, w)

# the vector of vjp may be left out where there is one number
seen.append(torch.autograd.functional.vjp(lambda x: x.sum(), w)[1])
torch.autograd.functional.vjp(lambda x: x * 2, w)

# nor may it be where there are two
torch.autograd.functional.vjp(lambda x: (x.sum(), x.prod()), w)

# a view of a view that was made without recording, when their base has been written
with torch.no_grad():
    part = w[:1]
part = part[0]
with torch.no_grad():
    w.add_(1)
part.grad_fn

# the gradient of a product lies as what it is of, when it is recorded, too
x = torch.arange(6.0).reshape(3, 2)
for f in (lambda v: x @ v.t(), lambda v: x.t() @ v, lambda v: v.t() @ x, lambda v: v @ x.t()):
    for record in (False, True):
        v = torch.ones(3, 2, requires_grad=True)
        (g,) = torch.autograd.grad((f(v) ** 2).sum(), v, create_graph=record)
        seen.append((g.stride(), g.view(-1)))

# the vector of vjp has the size of what comes out
torch.autograd.functional.vjp(lambda x: x * 2, w, torch.ones(3))

# hooks for what is saved hold on behind another mode, and behind others like them
kept = lambda name: (lambda t: seen.append(name) or t.clone(), lambda t: t)
with torch.autograd.graph.saved_tensors_hooks(*kept("outer")):
    with torch.no_grad():
        pass
    y = w.exp()
    with torch.autograd.graph.saved_tensors_hooks(*kept("inner")):
        y = w.exp()
    y = w.sin()
y = w.cos()

# gradcheck looks at every result
class Wrong(torch.autograd.Function):
    forward = staticmethod(lambda ctx, x: x * 2)
    backward = staticmethod(lambda ctx, grad: grad * 3)
d = w.detach().double().requires_grad_()
check = torch.autograd.gradcheck
seen.append(check(lambda x: (x * 2, Wrong.apply(x)), d, raise_exception=False))
seen.append(check(lambda x: x.sum(), d, raise_exception=False))
seen.append(torch.autograd.gradgradcheck(lambda x: x**3, d, torch.ones(2, dtype=torch.float64, requires_grad=True)))
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    check(lambda x: x * 2, w, eps=1e-1, atol=1)
seen.append(len(told))
check(lambda x: x * 2, torch.ones(2))

# a hook for several gradients asks for all or any
torch.autograd.graph.register_multi_grad_hook([w], print, mode="some")

# and for tensors that have them
torch.autograd.graph.register_multi_grad_hook([w, torch.ones(2)], print)

# the gradients of a tensor and of what it was computed from
y = w.exp()
seen.append(torch.autograd.grad((y * y).sum(), [y, w]))

# a hook before a node that no gradient reaches
class Nothing(torch.autograd.Function):
    forward = staticmethod(lambda ctx, x: x * 2)
    backward = staticmethod(lambda ctx, grad: None)
y = w * 3
y.grad_fn.register_prehook(lambda grads: seen.append(grads))
y.grad_fn.register_hook(lambda sent, arrived: seen.append((sent, arrived)))
Nothing.apply(y).sum().backward()
seen.append(w.grad)

# leaves come first
y = w * 2
seen.append(y.grad_fn.next_functions[0][0]._sequence_nr())

# a leaf that no longer wants a gradient gets none
y = w * 2
w.requires_grad_(False)
y.sum().backward()
seen.append(w.grad)

# numbers that a node has saved are there after backward
y = w**3
y.sum().backward()
seen.append(y.grad_fn._saved_exponent)

# an old tutorial's Variable
seen.append(torch.autograd.Variable(torch.ones(2), requires_grad=True))

# a gradient that is kept is that of what was written
y = w * 2
y.retain_grad()
y.mul_(3)
(y * y).sum().backward()
seen.append(y.grad)

# a view of one of several may be written as little as that one
first, second = (w * 2).unbind()
first.view(1).mul_(2)

# a view of one that was made without recording, too
y = w * 2
with torch.no_grad():
    part = y.view(2)
try:
    part[:1].mul_(2)
except RuntimeError:
    seen.append("refused")

# where softplus becomes a line
seen.append(torch.nn.functional.softplus(torch.tensor([0.0, 1e-3, -1e-3]), 1, 0))

# the slope of relu at one number
for number in (-1.0, 0.0, 0.5, 1.5):
    x = torch.tensor(number, requires_grad=True)
    seen.append(torch.autograd.grad(x.relu(), x)[0])

# a convolution of what needs no gradient, or by it
x, k = torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2)
for one in (x, k):
    one.requires_grad_()
    seen.append(torch.autograd.grad(torch.nn.functional.conv2d(x, k).sum(), one)[0])
    one.requires_grad_(False)

# three shapes that do not fit
torch.where(torch.ones(2) > 0, torch.ones(3), torch.ones(2))

# a determinant that is 0
x = torch.zeros(3, 3, requires_grad=True)
seen.append(torch.autograd.grad(torch.linalg.det(x), x)[0])

# a write of what it reads
x = torch.ones(4)
x[1:].add_(x[:-1])

# numpy's functions of a tensor
y = w.detach()
seen.append([type(np.sin(each)).__name__ for each in (y, y[0])])
seen.append([type(each).__name__ for each in np.modf(y[0])])

# a numpy array beside a tensor that needs a gradient
np.ones(2) * w

# leaves that one node sends to at once are filled in PyTorch's order, whichever was used first
a, b, c, d, e = leaves = [torch.ones(2, requires_grad=True) for _ in range(5)]
used = [d * 2, b * 2]
for i, leaf in enumerate(leaves):
    leaf.register_post_accumulate_grad_hook(lambda _, i=i: seen.append(i))
(a * b).sum().backward()
torch.stack(leaves).sum().backward()
torch.cat([e, d, b, a]).sum().backward()

# the forward traceback that anomaly mode keeps ends with the reader's own line
with torch.autograd.detect_anomaly():
    for y in (w * 0, w.exp(), w[0], torch.stack([w, w]), w.softmax(0), w.reshape(2, 1), torch.mean(w)):
        seen.append(y.grad_fn.metadata["traceback_"][-1])

# a Function may write a view, or give more than what it has written, and not both
class Written(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, more):
        ctx.mark_dirty(x.mul_(2))
        return (x, x + 1) if more else x
    backward = staticmethod(lambda ctx, *grads: (sum(grads) * 2, None))
y = w * 1
Written.apply(y[:1], False)
(y * y).sum().backward()
seen.append(w.grad)
y = w * 1
one, other = Written.apply(y, True)
(y * one * other).sum().backward()
seen.append(w.grad)
y = w * 1
Written.apply(y[:1], True)

# a Function to which no gradient comes gets zeros, of the shape of each of its results
class Two(torch.autograd.Function):
    forward = staticmethod(lambda ctx, x: (x * 2, x.sum()))
    backward = staticmethod(lambda ctx, *grads: seen.append(grads) or grads[0] + grads[1])
class Nothing(torch.autograd.Function):
    forward = staticmethod(lambda ctx, x, y: x * y)
    backward = staticmethod(lambda ctx, grad: (None, None))
Nothing.apply(*Two.apply(w)).sum().backward()
seen.append(w.grad)

# a function whose one number has dimensions has a Hessian like that of one without
f = torch.autograd.functional
g = lambda x: (x**3).sum().reshape(1, 1)
seen.append((f.hessian(g, w), f.vhp(g, w, w)[1], f.hvp(g, w, w)[1]))

# what is no tensor has no derivative, whichever is asked for
for name in ("jacobian", "hessian", "vjp", "jvp", "vhp", "hvp"):
    for inputs in ([w, w], 2.0):
        try:
            getattr(torch.autograd.functional, name)(lambda *x: x[0].sum(), inputs)
        except TypeError as error:
            seen.append(str(error).splitlines()[0])
# nor one without a result of one number, nor with a vector of another form
for name in ("vhp", "hvp"):
    for g, v in (
        (lambda x: x, w), (lambda x: (x.sum(), x.sum()), w), (lambda x: 3, w), (lambda x: x.sum(), (w, w)),
        (lambda x: x.sum(), torch.ones(3)),
    ):
        try:
            getattr(torch.autograd.functional, name)(g, w, v)
        except (TypeError, RuntimeError) as error:
            seen.append(str(error).splitlines()[0])

# what a node saved can be looked at: indices, too
m = torch.ones(2, 3, requires_grad=True)
i = torch.tensor([1, 0])
for part in (m[:, i], m[i, i], m[i], m[m > 0], m[[1, 0]], m[m[:, 0] > 0, i]):
    seen.append(part.grad_fn._saved_indices)

# a mode that decorates a function, or a generator, holds inside it and nowhere else
now = torch.is_grad_enabled
def modes():
    yield torch.set_grad_enabled(False)
    yield torch.no_grad()
    yield torch.enable_grad()
    yield torch.inference_mode()
    yield torch.set_grad_enabled(True)
def inside(x):
    seen.append((now(), torch.is_inference_mode_enabled()))
    return (x * 2).requires_grad
def one_by_one(x):
    yield inside(x)
    yield inside(x)
for outside in (True, False):
    torch.set_grad_enabled(outside)
    for mode in modes():
        with mode:
            seen.append(now())
        seen.append(now())
    for mode in modes():
        f, g = mode(inside), mode(one_by_one)
        seen.append((now(), f(w), now(), [(now(), each) for each in g(w)], now()))
torch.set_grad_enabled(True)

# a generator that is decorated meets what is thrown into it, inside that mode
import contextlib
@contextlib.contextmanager
@torch.no_grad()
def set_to_zero():
    kept = w.clone()
    w.zero_()
    try:
        yield w
    except ValueError:
        seen.append(torch.is_grad_enabled())
    finally:
        w.copy_(kept)
with set_to_zero():
    seen.append((w, torch.is_grad_enabled()))
    raise ValueError
seen.append(w)
with set_to_zero():
    raise KeyError(1)

# nor is it lost on one that is closed
@torch.no_grad()
def counting():
    try:
        yield 1
    finally:
        seen.append(torch.is_grad_enabled())
numbers = counting()
seen.append(next(numbers))
numbers.close()
seen.append(next(numbers, None))

# shapes that do not fit, whichever function meets them
x, y, z, F = torch.ones(2), torch.ones(3), torch.ones(2, 2), torch.nn.functional
for wrong in (
    lambda: torch.where(x > 0, x, y), lambda: torch.maximum(x, y), lambda: x.masked_fill(y > 0, 1),
    lambda: F.l1_loss(z, y), lambda: torch.dot(x, y), lambda: torch.mv(z, y), lambda: torch.addmm(y, z, z),
    lambda: x.add_(y), lambda: x.copy_(y), lambda: torch.stack([x, y]), lambda: torch.mm(z, w),
    lambda: x.lerp(y, 0.3), lambda: x.lerp(y, x), lambda: torch.lerp(x, x, y), lambda: x.lerp_(y, 0.7),
    lambda: torch.ones(2, 3) + torch.ones(4, 3), lambda: torch.ones(4, 1, 3) * torch.ones(2, 2, 3),
):
    try:
        wrong()
    except (RuntimeError, ValueError) as error:
        seen.append(f"{type(error).__name__}: {error}".splitlines()[0])

# a dimension is a whole number, of whatever library
m = torch.ones(2, 3, requires_grad=True)
for dim in (0, -1, np.int64(1), torch.tensor(1), True, 1.0, "0", 2, -3):
    for use in (
        lambda: m.cumsum(dim), lambda: m.softmax(dim), lambda: m.unbind(dim)[0], lambda: m.flip(dim),
        lambda: m.unsqueeze(dim), lambda: m.transpose(dim, 0), lambda: torch.cat([m, m], dim),
        lambda: m.sum((dim,)),
    ):
        try:
            seen.append(use().shape)
        except (IndexError, TypeError) as error:
            seen.append(type(error).__name__)

# a batch norm may be used again before backward, in either mode
bn = torch.nn.BatchNorm1d(2)
x, y = (torch.tensor(rows, requires_grad=True) for rows in ([[1.0, 2], [3, 5], [4, 4]], [[0.0, 2], [1, 5], [7, 4]]))
(bn(x) * bn(y)).pow(2).sum().backward()
seen.append([round(number, 3) for number in (*x.grad.flatten().tolist(), *y.grad.flatten().tolist())])
seen.append([each._version for each in bn.buffers()])
z = bn.eval()(x)
bn.train()(y)
seen.append(torch.autograd.grad((z * z).sum(), bn.weight)[0])

# a part may train in a way of its own
class Frozen(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(2)
    def train(self, mode=True):
        super().train(mode)
        self.norm.eval()
        return self
m = torch.nn.Sequential(Frozen(), torch.nn.Linear(2, 2))
seen.append([[part.training for part in m.train(mode).modules()] for mode in (True, False)])

# a schedule that is resumed leaves the rate as it is; a second one begins where the first began
schedule, steps = torch.optim.lr_scheduler, lambda lr: torch.optim.SGD([w], lr=lr)
def rates(s, count):
    for _ in range(count):
        s.optimizer.step()
        s.step()
        seen.append(round(s.get_last_lr()[0], 6))
for make in (
    lambda o, **last: schedule.CosineAnnealingLR(o, 3, 0.01, **last), lambda o, **last: schedule.StepLR(o, 2, **last),
    lambda o, **last: schedule.ExponentialLR(o, 0.5, **last),
):
    for count in range(5):
        first = make(steps(1.0))
        rates(first, count)
        again = steps(0.3)
        again.load_state_dict(first.optimizer.state_dict())
        for last in ({"last_epoch": first.last_epoch - 1}, {"last_epoch": first.last_epoch}, {}):
            s = make(again, **last)
            seen.append((s.base_lrs, s.last_epoch, round(s.get_last_lr()[0], 6)))
            rates(s, 4)

# what stands in two places is replaced in both
class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(1, 1, bias=False), torch.nn.Linear(1, 1, bias=False)
        self.b.weight = self.a.weight = torch.nn.Parameter(torch.tensor([[3.0]]))
        self.register_buffer("p", torch.ones(1))
        self.register_buffer("q", self.p)
    def forward(self, x):
        return self.b(self.a(x)) + self.p * 10 + self.q * 100
m, x, two = Tied(), torch.ones(1, 1), torch.tensor([[2.0]])
call = torch.func.functional_call
for given in ({"a.weight": two}, {"b.weight": two}, {"q": two[0]}, {"a.weight": two, "b.weight": two}):
    seen.append(call(m, given, (x,)).item())
seen.append(torch.func.grad(lambda given: call(m, given, (x,)).sum())({"a.weight": two}))
seen.append((m(x), m.a.weight is m.b.weight, m.p is m.q))

# what is put in the place of a parameter asks for gradients if that did
m = torch.nn.Linear(2, 1)
m.weight.requires_grad_(False)
x, p = torch.ones(1, 2), torch.nn.Parameter(torch.ones(1))
m.load_state_dict({"weight": x, "bias": p}, assign=True)
seen.append((m.weight, m.weight.data_ptr() == x.data_ptr(), m.bias, m.bias is p))
m.bias.requires_grad_(False)
m.load_state_dict({"weight": x, "bias": torch.nn.Parameter(torch.ones(1))}, assign=True)
seen.append(m.bias)

# a parameter is saved, even under the name of what was not
for value in (torch.nn.Parameter(torch.ones(1)), torch.nn.Linear(1, 1), torch.ones(1), None):
    m = torch.nn.Module()
    m.register_buffer("a", torch.ones(1), persistent=False)
    m.a = value
    seen.append(list(m.state_dict()))

# what a module or a loss cannot take
F = torch.nn.functional
m, x = torch.nn.Linear(2, 1), torch.ones(2, 3)
wrong = [lambda i=i: F.cross_entropy(x, x.softmax(1), ignore_index=i) for i in (-100, -1, 0, 1)]
for value in ([[1.0, 2.0]], np.ones((1, 2)), 3, None):
    for assign in (False, True):
        wrong += [lambda v=value, a=assign: m.load_state_dict({"weight": v, "bias": torch.ones(1)}, assign=a)]
for use in wrong:
    try:
        seen.append(use())
    except Exception as error:
        seen.append(f"{type(error).__name__}: {error}")

# what a division of data or a loader cannot take
data = torch.utils.data
wrong = [lambda k=k: list(data.DataLoader(range(3), **k)) for k in (
    {"num_workers": -1}, {"num_workers": 0}, {"batch_size": 2},
)]
wrong += [lambda n=n: [len(part) for part in data.random_split(range(3), n)] for n in ([1.2, -0.2], [0.5, 0.5], [3, 0])]
for use in wrong:
    try:
        seen.append(use())
    except ValueError as error:
        seen.append(str(error))

# a group of parameters is the reader's own dictionary
m = torch.nn.Linear(2, 1)
g = [{"params": m.parameters()}]
first, second = torch.optim.SGD(g, lr=0.1), torch.optim.SGD(g, lr=0.5)
seen.append((sorted(g[0]), g[0] is first.param_groups[0], len(second.param_groups[0]["params"]), g[0]["lr"]))

# what an optimizer remembers has the type of the parameter
o = torch.optim.Adam([w], lr=0.1)
w.grad = torch.ones(2)
o.step()
v = w.detach().double().requires_grad_()
p = torch.optim.Adam([{"params": [v], "own": 3}], lr=0.2)
p.load_state_dict(o.state_dict())
v.grad = torch.ones(2).double()
p.step()
seen.append((v, sorted(p.state[v].items()), sorted(p.param_groups[0])))
same = torch.optim.Adam([w.detach().requires_grad_()])
same.load_state_dict(o.state_dict())
o.step()
seen.append([sorted(state.items()) for state in same.state.values()])
named = torch.optim.SGD({"a": w}.items(), lr=0.1)
named.load_state_dict(torch.optim.SGD([w], lr=0.3).state_dict())
seen.append((named.param_groups[0]["param_names"], named.param_groups[0]["lr"]))
a, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
o = torch.optim.SGD([a, b], lr=0.1, momentum=0.9)
a.grad, b.grad = torch.ones(1), torch.ones(1) * 2
o.step()
saved = o.state_dict()
saved["param_groups"][0]["params"] = [1, 0]
o.load_state_dict(saved)
seen.append((o.state[a], o.state[b]))

# the options of a group stand in PyTorch's order
for kind in ("SGD", "Adam", "AdamW", "RMSprop"):
    o = getattr(torch.optim, kind)([w], lr=0.1)
    seen.append((list(o.defaults), o.state_dict()))

# an infinite gradient in the first step
for make in (
    lambda: torch.optim.Adam([w], amsgrad=True), lambda: torch.optim.RMSprop([w], centered=True, momentum=0.9),
):
    o = make()
    w.grad = torch.tensor([float("inf"), 1.0])
    o.step()
    seen.append((w, sorted(o.state[w].items())))

# a learning rate in a tensor
for lr in (torch.tensor(0.01), torch.tensor([0.01]), torch.tensor([[0.01]])):
    for kind in ("SGD", "Adam", "AdamW", "RMSprop"):
        o = getattr(torch.optim, kind)([w], lr=lr)
        w.grad = torch.ones(2)
        o.step()
        seen.append((w, o.param_groups[0]["lr"]))

# what is computed can be changed by an optimizer if it keeps its gradient
y = w * 2
y.retain_grad()
o = torch.optim.SGD([y], lr=0.1)
(y * 3).sum().backward()
o.step()
seen.append(y)
torch.optim.SGD([w * 2], lr=0.1)

# a gradient that is set to zero is the same tensor, outside the graph
m = torch.nn.Linear(2, 1)
for forget in (torch.optim.SGD(m.parameters(), lr=0.1), m):
    for create_graph in (False, True):
        m.zero_grad()
        m(w).pow(2).sum().backward(create_graph=create_graph)
        g = m.weight.grad
        forget.zero_grad(set_to_none=False)
        seen.append((m.weight.grad is g, g, g.is_leaf))

# without its random numbers a checkpoint draws new ones
checkpoint = __import__(torch.__name__ + ".utils.checkpoint", fromlist=["x"]).checkpoint
for preserve in (True, False):
    torch.manual_seed(1)
    x = torch.ones(4, requires_grad=True)
    f = lambda x: torch.nn.functional.dropout(x * 2, 0.5)
    checkpoint(f, x, use_reentrant=False, preserve_rng_state=preserve).sum().backward()
    seen.append((x.grad, torch.rand(1)))

# sums of modules in a row
nn = torch.nn
class Mine(nn.Sequential):
    def __init__(self, n):
        super().__init__(nn.Linear(n, n), nn.ReLU())
seen.append(Mine(2) + Mine(3))

# parts by their names, and names with a beginning
m = torch.nn.Sequential(torch.nn.BatchNorm1d(2))
for get in (m.get_parameter, m.get_buffer, m.get_submodule):
    for name in ("0.weight", "0.running_mean", "0", "0.training", "0.weigh", "1.weight", "", "0.bias.x"):
        try:
            seen.append(get(name))
        except AttributeError as error:
            seen.append(str(error))
state = m.state_dict(prefix="a.", keep_vars=True)
seen.append((list(state), state["a.0.weight"] is m[0].weight, list(m[0].state_dict(prefix="b_"))))

# a schedule of one's own under the old name of its base
class Falling(torch.optim.lr_scheduler._LRScheduler):
    def get_lr(self):
        return [lr / (self.last_epoch + 1) for lr in self.base_lrs]
s = Falling(torch.optim.SGD([w], lr=1.0))
s.optimizer.step()
s.step()
seen.append(s.get_last_lr())

# who asks a schedule for the rate gets the next change, and a warning; what it keeps stands in PyTorch's order
schedule = torch.optim.lr_scheduler
for make in (lambda o: schedule.StepLR(o, 2, 0.5), lambda o: schedule.CosineAnnealingLR(o, 3)):
    o = torch.optim.SGD([w], lr=0.1)
    s = make(o)
    seen.append(list(s.state_dict()))
    for _ in range(3):
        o.step()
        s.step()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            seen.append([round(rate, 6) for rate in s.get_lr() + s.get_last_lr()])
        seen.append([str(each.message) for each in caught])

# losses of one sample by itself, and of several
F = torch.nn.functional
x = torch.tensor([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]], requires_grad=True)
k, weight = torch.tensor([2, 0]), torch.tensor([1.0, 2.0, 0.5])
for options in ({}, {"reduction": "sum"}, {"reduction": "none"}, {"weight": weight}, {"ignore_index": 2}):
    for loss in (F.cross_entropy, lambda a, b, **more: F.nll_loss(a.log_softmax(-1), b, **more)):
        for sample, target in ((x[0], k[0]), (x[1], k[1]), (x, k)):
            y = loss(sample, target, **options)
            seen.append((y, torch.autograd.grad(y.sum(), x)[0]))

# what has no derivative, or no meaning, for whole numbers says so
F, n, m = torch.nn.functional, torch.tensor([[1, 2], [3, 4]]), torch.tensor([[True, False], [True, True]])
for use in (
    lambda x: F.layer_norm(x, (2,)), lambda x: x.softmax(0), lambda x: x.log_softmax(0), lambda x: x.mean(),
    lambda x: x.std(), lambda x: x.var(), lambda x: F.gelu(x), lambda x: F.silu(x), lambda x: F.elu(x),
    lambda x: F.softplus(x), lambda x: F.leaky_relu(x), lambda x: F.mse_loss(x, x), lambda x: x.norm(),
    lambda x: torch.linalg.inv(x), lambda x: torch.linalg.det(x), lambda x: F.normalize(x), lambda x: -x,
    lambda x: x - x, lambda x: x.requires_grad_(), lambda x: x.sigmoid().dtype, lambda x: x.relu(), lambda x: x.abs(),
    lambda x: x @ x, lambda x: x.exp_(), lambda x: x.mul_(0.5), lambda x: x.div_(2),
    lambda x: F.batch_norm(x, None, None, training=True),
    lambda x: F.cross_entropy(x, n[0]), lambda x: torch.lerp(x, x, 0.5), lambda x: x.cumsum(0),
    lambda x: F.dropout(x),
):
    for x in (n, m):
        try:
            seen.append(getattr(use(x.clone()), "shape", "no tensor"))
        except Exception as error:
            seen.append(type(error).__name__)

# a gradient that is given must be a tensor
y = w * 2
for given in (1.0, [1.0, 1.0], "1", np.ones(2, dtype=np.float32)):
    for ask in (
        lambda: y.backward(given), lambda: torch.autograd.backward([y], [given]),
        lambda: torch.autograd.grad(y, w, given), lambda: torch.autograd.grad([y], [w], [given]),
    ):
        try:
            ask()
        except Exception as error:
            seen.append(type(error).__name__)

# nor are there fewer gradients than tensors
for given in ([], [torch.ones(2)], [torch.ones(2)] * 2, [torch.ones(2)] * 3, [None, torch.ones(2)]):
    for ask in (
        lambda: torch.autograd.backward([w * 2, w * 3], given), lambda: seen.append(w.grad),
        lambda: seen.append(torch.autograd.grad([w * 2, w * 3], w, given)),
    ):
        try:
            ask()
        except RuntimeError as error:
            seen.append(str(error).splitlines()[0])

# a leaf that has been given data of another shape cannot add to the gradient that it had
for before, since in (((2,), (3,)), ((1,), (2,)), ((2, 1), (2,)), ((2,), (1, 2)), ((), (2,)), ((2,), ())):
    x = torch.ones(before, requires_grad=True)
    (x * 2).sum().backward()
    x.data = torch.ones(since)
    try:
        (x * 3).sum().backward()
        seen.append((x.grad, x.grad._version))
    except RuntimeError as error:
        seen.append(type(error).__name__)

# a gradient for what is no tensor is named by its position
class Scaled(torch.autograd.Function):
    forward = staticmethod(lambda ctx, x, a, b, c: x * a)
    backward = staticmethod(lambda ctx, grad: (grad, None, *given))
for given in ((grad := torch.ones(2), None), (None, grad), (None, None, grad)):
    try:
        Scaled.apply(w, 2, 3, 4).sum().backward()
    except RuntimeError as error:
        seen.append(str(error).splitlines()[0])

# an operation saves what its gradients need: all else may be written
F = torch.nn.functional
for use in (
    lambda a, b: a * b, lambda a, b: a / b, lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a @ b,
    lambda a, b: torch.maximum(a, b), lambda a, b: torch.atan2(a, b), lambda a, b: a**3 * b,
    lambda a, b: F.mse_loss(a, b), lambda a, b: F.linear(a, b),
    lambda a, b: torch.lerp(a, b, 0.5),
    lambda a, b: torch.where(a > 0, a, b), lambda a, b: a.exp() + b, lambda a, b: a.cumsum(0) * b,
    lambda a, b: torch.cat([a, b]), lambda a, b: a.softmax(0) * b, lambda a, b: torch.outer(a.view(-1), b.view(-1)),
):
    for tracked in ((True, False), (False, True), (True, True)):
        for written in (0, 1):
            leaves = [torch.tensor([[0.5, 2.0], [1.5, 0.25]], requires_grad=each) for each in tracked]
            y = use(*leaves).sum()
            with torch.no_grad():
                leaves[written].mul_(3)
            try:
                y.backward()
                seen.append([each.grad for each in leaves])
            except RuntimeError as error:
                seen.append(str(error)[:60])

# gradcheck of nothing at all
d = torch.ones(3, dtype=torch.float64, requires_grad=True)
for use in (lambda x: x[:0], lambda x: (x[:0], x * 2), lambda x: x.reshape(3, 1)[:, :0]):
    seen.append(torch.autograd.gradcheck(use, d))
seen.append(torch.autograd.gradcheck(lambda x: x * 2, torch.zeros(0, dtype=torch.float64, requires_grad=True)))

# hooks for saved tensors are two functions
for given in ((1, 2), (lambda t: t, 2), (1, lambda t: t), (None, None)):
    try:
        with torch.autograd.graph.saved_tensors_hooks(*given):
            seen.append("inside")
            w.exp().sum().backward()
    except TypeError as error:
        seen.append("a TypeError")

# whole numbers, divided by 0 and raised to any power
n, zero = torch.arange(-3, 4), torch.tensor([0, 1, -2, 0, 3, 5, 0])
for x in (n, n.double(), n > 0):
    for use in (
        lambda: x // zero, lambda: x % zero, lambda: x / zero, lambda: x // 0, lambda: x % 0, lambda: 7 // zero,
        lambda: torch.fmod(x, zero), lambda: x[:0] // zero[:0], lambda: x // 2.0, lambda: x.clone().remainder_(zero),
    ):
        try:
            seen.append(use())
        except Exception as error:
            seen.append(type(error).__name__)
for power in range(-3, 4):
    for use in (lambda: n ** torch.tensor(power), lambda: n ** torch.full_like(n, power), lambda: power ** n):
        try:
            seen.append(use())
        except RuntimeError as error:
            seen.append(str(error).splitlines()[0])

# the slope where two pieces meet
F = torch.nn.functional
for number in (-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0, 6.0, 20.0):
    x = torch.tensor([number], dtype=torch.float64, requires_grad=True)
    for use in (
        lambda: x.clamp(-1, 2), lambda: x.clamp(max=2), lambda: x.clamp(min=-1), lambda: x.clamp(1, 1), lambda: x.abs(),
        lambda: F.hardtanh(x, 0, 6), lambda: F.hardtanh(x), lambda: F.leaky_relu(x, 0.1), lambda: F.elu(x),
        lambda: F.selu(x), lambda: F.softplus(x), lambda: F.l1_loss(x, x.detach().round()),
        lambda: torch.maximum(x, x.detach()), lambda: torch.minimum(x.detach() * 2, x), lambda: x.round(),
        lambda: x.sign() * x, lambda: (x * x).sqrt(),
        lambda: torch.where(x > 0, x, -x), lambda: torch.stack([x, x]).max(), lambda: torch.stack([x, x, x]).amin(),
        lambda: x.norm(), lambda: x.clone().relu_(), lambda: x.clone().clamp_(0, 1), lambda: F.silu(x),
    ):
        y = use()
        g = torch.autograd.grad(y.sum(), x, create_graph=True)[0]
        more = torch.autograd.grad(g.sum(), x, allow_unused=True)[0] if g.requires_grad else None
        seen.append((y, g * 1.0, more if more is None else more + 0.0))

# any diagonal, and where a view lies
x = torch.arange(24.0).reshape(2, 3, 4).requires_grad_()
for i in range(3):
    for j in range(3):
        for offset in (-1, 0, 1) if i != j else ():
            y = x.diagonal(offset, i, j)
            seen.append((y.stride(), torch.autograd.grad((y * y).sum(), x)[0]))
for part in (x, x.transpose(0, 2), x[:, 1:], x[0, 0], x[0, 0, 0], x.expand(2, 2, 3, 4)):
    for dim in range(-1, part.dim() + 1):
        seen.append((part.unsqueeze(dim).stride(), part.unsqueeze(dim).squeeze(dim).stride()))

# halfway, and to the last digit
a, b = torch.arange(1000.0).sin(), torch.arange(1000.0).cos()
for weight in (0.0, 0.25, 0.5, 0.75, 1.0):
    from_a, from_b = a + weight * (b - a), b - (b - a) * (1 - weight)
    for y in (torch.lerp(a, b, weight), torch.lerp(a, b, torch.full_like(a, weight)), a.clone().lerp_(b, weight)):
        seen.append((torch.equal(y, from_a), torch.equal(y, from_b)))

# the numbers beside the tensors that a node has saved are there after backward, too
x = torch.ones(2, 3, requires_grad=True)
for y in (x.softmax(1), x.log_softmax(0), x.cumsum(1), torch.nn.functional.leaky_relu(x, 0.25), x.clamp(0, 2)):
    y.sum().backward()
    for name in ("dim", "negative_slope", "min", "max"):
        if hasattr(type(y.grad_fn), f"_saved_{name}"):
            seen.append((name, getattr(y.grad_fn, f"_saved_{name}")))

# how large what a window gives is
F, x = torch.nn.functional, torch.arange(49.0).reshape(1, 1, 7, 7).requires_grad_()
for size in (1, 2, 3):
    for stride in (1, 2, 3):
        for padding in (0, 1, 2):
            weight = torch.ones(1, 1, size, size)
            seen.append(torch.autograd.grad(F.conv2d(x, weight, None, stride, padding).sum(), x)[0])
            if padding <= size // 2:
                for pool in (F.max_pool2d, F.avg_pool2d):
                    y = pool(x, size, stride, padding)
                    seen.append((y, torch.autograd.grad(y.sum(), x)[0]))

# what has no elements among what is joined, and each way to write is counted
e = torch.zeros(0, requires_grad=True)
for parts in ([e, w], [w, e], [w, e, w]):
    y = torch.cat(parts)
    seen.append((y, *torch.autograd.grad((y * y).sum(), [e, w])))
x = torch.ones(4)
for i in (0, [0, 1], torch.tensor([1, 2]), x > 0, slice(1, 3), ...):
    x[i] = torch.tensor(2.0)
    x[i] = 3.0
    seen.append(x._version)

# the edges of tensors that have none
edge_of = torch.autograd.graph.get_gradient_edge
for use in (lambda: edge_of(torch.ones(2)), lambda: edge_of(w.detach())):
    try:
        seen.append(use())
    except RuntimeError as error:
        seen.append(str(error).splitlines()[0])

# a Function that asks for it gets None for what is not used
class Lazy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3
    backward = staticmethod(lambda ctx, *grads: seen.append(grads) or sum(g for g in grads if g is not None))
for output in (0, 1):
    Lazy.apply(w)[output].sum().backward()

# what was saved, and detached since
for use in (torch.exp, torch.sigmoid, torch.sqrt, lambda x: x * 3):
    y = use(w)
    z = (y * y).sum()
    y.detach_()
    try:
        z.backward()
        seen.append(w.grad)
    except RuntimeError as error:
        seen.append(str(error).splitlines()[0])

# a gradient of another type than what it is the gradient of
y = w * 2
y.register_hook(lambda grad: seen.append(grad.dtype))
y.backward(torch.tensor([1.0, 3.0], dtype=torch.float64))
seen.append((w.grad, torch.autograd.grad(w.double() * 2, w, torch.ones(2))))

# a switch that is entered again switches again
off = torch.set_grad_enabled(False)
torch.set_grad_enabled(True)
with off:
    seen.append((w * 2).requires_grad)
seen.append((w * 2).requires_grad)

# a node called by itself gives one gradient, or several
for y in (w.exp(), w * w, w + 1, torch.stack([w, w, w]).unbind()[0]):
    seen.append(y.grad_fn(*[torch.ones(2)] * len(y.grad_fn._input_metadata)))

# what is filled with is one number
y = w * 1
y.fill_(torch.tensor(2.0))
seen.append(y)
y.fill_(torch.ones(2))

# what is saved is a tensor, or None
class Saves(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, what):
        ctx.save_for_backward(x, what)
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        seen.append(ctx.saved_tensors)
        return grad * 2, None
Saves.apply(w, None).sum().backward()
Saves.apply(w, 3)

# who writes behind autograd's back may say so
for written in (w, [w, torch.ones(2)]):
    y = (w * w).sum()
    torch.autograd.graph.increment_version(written)
    seen.append(w._version)
    try:
        y.backward()
    except RuntimeError as error:
        seen.append(str(error).splitlines()[0])

# a hook on any of several tensors is called once in each pass
x, y = w * 2, w * 3
torch.autograd.graph.register_multi_grad_hook([x, y], seen.append, mode="any")
for _ in range(2):
    (x * x + y * y).sum().backward(retain_graph=True)

# a number of numpy's beside a tensor, for whatever numpy computes
for function in (np.hypot, np.logaddexp, np.copysign, np.add):
    seen.append((function(w.detach(), np.float32(2)), function(np.float32(2), w.detach())))

# a tensor made in inference mode is not written outside, nor is memory that is read at another place
with torch.inference_mode():
    x = torch.ones(2)
y = torch.arange(4.0)
with torch.no_grad():
    for use in (lambda: x.add_(1), lambda: x.mul_(x), lambda: y[1:].add_(y[:-1]), lambda: y[:2].add_(y[2:])):
        try:
            seen.append(use())
        except RuntimeError as error:
            seen.append(str(error).splitlines()[0])

# the second derivative of a loss where a probability is 0 or 1
p = torch.tensor([1.0, 0.0, 0.5, 1.0], dtype=torch.float64, requires_grad=True)
g = torch.tensor([1.0, 0.0, 1.0, 0.0], dtype=torch.float64, requires_grad=True)
grad, = torch.autograd.grad(torch.nn.functional.binary_cross_entropy(p, g), p, create_graph=True)
seen.append((grad, *torch.autograd.grad(grad.sum(), [p, g])))

# what is no tensor is named, with its place
for use in (
    lambda: torch.exp(1.0), lambda: torch.sin([1]), lambda: torch.relu(None), lambda: torch.matmul(1.0, w),
    lambda: torch.matmul(w, 2), lambda: torch.matmul(None, None),
):
    try:
        use()
    except TypeError as error:
        seen.append(str(error).splitlines()[0])

# a view that has lost its place in the graph says so before its shape is looked at
y = torch.ones(2, 3, requires_grad=True) * 2
lost, z = y.unbind()[0], torch.ones(2)
y.mul_(2)
for recorded in (True, False):
    with torch.set_grad_enabled(recorded):
        for use in (lambda: lost + z, lambda: z * lost, lambda: lost + 1, lambda: z + torch.ones(3)):
            try:
                seen.append(use())
            except RuntimeError as error:
                seen.append(str(error).splitlines()[0][:60])

# what a node has saved is gone after backward, but for what needs no memory
F = torch.nn.functional
x, y, k = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2), torch.tensor([1, 0])
for z in (
    w * w, w * 2, w / 2, w**2, w**w, w.exp(), w.sum(), w.prod(), x @ x, x @ y, x.softmax(1), x.log_softmax(0),
    x.cumsum(0), w.clamp(0, 1), w.clamp(0), F.leaky_relu(w, 0.5), F.elu(w), F.softplus(w), torch.where(w > 0, w, 1.0),
    x[0], x[k], torch.lerp(x, y, 0.5), torch.addmm(y, x, y), x.gather(1, k.view(2, 1)), w.std(), w.norm(),
    F.nll_loss(x, k), F.mse_loss(x, y), F.layer_norm(x, (2,)), x.max(0)[0], x.sort(0)[0], torch.maximum(x, y),
    torch.cat([x, y]),
):
    node = z.grad_fn
    z.sum().backward()
    for name in ("self", "other", "result", "exponent", "dim", "min", "max", "mat1", "mat2", "weight", "index"):
        if hasattr(type(node), "_saved_" + name):
            try:
                seen.append((name, getattr(node, "_saved_" + name)))
            except RuntimeError as error:
                seen.append((name, str(error)[:60]))

# a tensor that is seen in another shape from now on has a node that says so
for use in (lambda y: y.unsqueeze_(0), lambda y: y.unsqueeze_(-1), lambda y: y.squeeze_(0)):
    y = w.reshape(1, 2) * 2
    seen.append((use(y).grad_fn.name(), y.shape, torch.autograd.grad((y * y).sum(), w)))

# numpy's functions give numpy's arrays, of tensors that need no gradient
for x in (w.detach(), w):
    for use in (
        lambda: np.concatenate([x, x]), lambda: np.stack([x, x]), lambda: np.where(x.detach() > 1, x, 0.0),
        lambda: np.expand_dims(x, 0), lambda: np.zeros_like(x), lambda: np.ones_like(x),
        lambda: np.broadcast_to(x, (3, 2)), lambda: np.sort(x),
    ):
        try:
            found = use()
            seen.append((type(found).__name__, found))
        except RuntimeError as error:
            seen.append(str(error).splitlines()[0])

# choices between many numbers have both derivatives of choices between few
F = torch.nn.functional
x = ((torch.arange(4000.0) - 2000) / 500).requires_grad_()
positive, rows = x.detach() > 0, x.view(40, 100)
for y in (
    torch.where(positive, x, 0.0), torch.where(positive, x, x * x), torch.where(positive, 1.0, x), x.clamp(-1, 1),
    x.clamp(min=0), x.relu(), F.softplus(x), F.leaky_relu(x, 0.1), F.elu(x), F.hardtanh(x),
    torch.maximum(x, x.detach()), x.masked_fill(positive, 1.0), torch.lerp(x, x * x, 0.25), rows.amax(1),
    F.cross_entropy(rows, torch.arange(40)),
    F.nll_loss(rows, torch.arange(40), ignore_index=3),
):
    (g,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad((g * g).sum(), x)
    seen.append([round(each[i].item(), 3) for each in (g, h) for i in (0, 1501, 2000, 2499, 3999)])

# a hook may write into the gradient that it is shown, whatever its shape
for x in (w, w.detach()[0].requires_grad_(), w.detach().view(2, 1).requires_grad_()):
    for create_graph in (False, True):
        for change in (lambda g: g.mul_(10), lambda g: g.zero_(), lambda g: g.copy_(g * 2), lambda g: g + 1):
            y = x * 3
            y.register_hook(lambda g: [change(g), None][1])
            seen.append(torch.autograd.grad((y * y).sum(), x, create_graph=create_graph)[0].tolist())

# what may be written into a tensor with its arithmetic
for other in (2, 2.5, True, "a", [1.0, 2.0], None, (1,), np.float64(2.5), np.int64(2), np.ones(2), torch.tensor(2)):
    for use in (lambda x: x.add_(other), lambda x: x.mul_(other), lambda x: x.sub_(other), lambda x: x.div_(other)):
        for x in (torch.ones(2), torch.ones(2, dtype=torch.float64)):
            try:
                seen.append(use(x))
            except Exception as error:
                seen.append(type(error).__name__)

# of equal numbers in a window the first is the largest; nan is larger than all
F = torch.nn.functional
x = torch.tensor([0.0, 0, 1, 1, 0, 0, 1, 0, float("nan"), 0, 0, 0, 1, float("nan"), 1, 1]).reshape(1, 1, 4, 4)
for each in (x, torch.where(x == x, x, 0.5), torch.where(x == x, -x, -1), torch.zeros_like(x)):
    each = each.detach().requires_grad_()
    for options in ((2,), (2, 1), (3, 1, 1), (3, 2, 1), (4,)):
        y = F.max_pool2d(each, *options)
        seen.append((y, torch.autograd.grad((y * torch.arange(1.0, y.numel() + 1).view_as(y)).sum(), each)[0]))

# who asks for the gradient of a result leaves what is behind it as it was
for mode in (torch.enable_grad, torch.autograd.detect_anomaly):
    y = w.exp()
    with mode():
        seen.append(torch.autograd.grad((y * y).sum(), y)[0])
    y.sum().backward()
    seen.append(w.grad)

# a layer gives each of its inputs a gradient that wants one
F = torch.nn.functional
for wanted in range(1, 8):
    x, k, b = (torch.tensor(n).double() for n in ([[1.0, 3.0, 4.0], [5.0, 2.0, 0.0]], [2.0, 5.0, 3.0], [1.0, 4.0, 2.0]))
    leaves = [one.requires_grad_() for i, one in enumerate((x, k, b)) if wanted & 1 << i]
    for y in (
        F.layer_norm(x, (3,), k, b), F.linear(x, k.view(1, 3), b[:1]), F.batch_norm(x, None, None, k, b, True),
        F.batch_norm(x, torch.ones(3).double(), torch.ones(3).double(), k, b),
    ):
        grads = torch.autograd.grad((y * y).sum(), leaves)
        seen.append([[round(number, 6) + 0.0 for number in grad.flatten().tolist()] for grad in grads])

# a Function that does not say what it computes
class Nothing(torch.autograd.Function):
    pass
Nothing.apply(w)

# the row of a table that a computed number names is a copy
table = torch.arange(6.0).reshape(3, 2)
row = torch.nn.functional.embedding(torch.tensor([0, 5, 1]).argmax(), table)
row.mul_(10)
seen.append((row, table))

# a whole number in an array of numpy's names a place
x = torch.arange(6.0).reshape(2, 3)
seen.append((x[np.array(1)], x[:, np.array(-1)], x[np.array(1), np.array(0)], x[np.array(True)]))
x[np.array(1)].zero_()
x[np.array(0), np.array(1)] = 5
seen.append(x)
x[np.array(2)]

# the highest number by its name
torch.manual_seed(1)
seen.append((torch.randint(3, size=(4,)), torch.randint(high=3, size=(4,)), torch.randint(1, 3, (4,))))

# arrays of numpy's that compute in their own way become tensors like others
matrix = np.matrix([[1.0, 2.0], [3.0, 4.0]])
for x in (torch.as_tensor(matrix), torch.from_numpy(matrix)):
    seen.append((x * x, x.sum(0), x.mul_(2), matrix.tolist()))
x = torch.as_tensor(np.ma.masked_array([1.0, 2.0, 3.0], [0, 1, 0]))
seen.append((x.sum(), x.tolist()))
torch.tensor([matrix])

# a list that contains itself
a = []
a.append(a)
torch.tensor(a)

# random numbers come in the order of memory
dropout = torch.nn.functional.dropout
for make in (
    lambda: dropout(torch.ones(2, 3).T), lambda: dropout(torch.ones(6, 4)[::2].T),
    lambda: dropout(torch.ones(2, 3, 4).permute(2, 0, 1), inplace=True),
    lambda: torch.empty(4, 5).T.uniform_(1, 3), lambda: torch.empty(2, 3, 4).permute(1, 2, 0).uniform_(),
    lambda: torch.empty(4, 5).T.normal_(), lambda: torch.empty(40)[::2].normal_(1, 3),
    lambda: torch.nn.init.xavier_normal_(torch.empty(4, 5).T), lambda: torch.randn_like(torch.empty(4, 5).T),
    lambda: torch.rand_like(torch.empty(4, 5).T), lambda: torch.randn_like(torch.empty(20, 1).expand(20, 2)),
):
    torch.manual_seed(7)
    seen.append((make(), torch.randn(1)))

# normal numbers are rounded once
for kind in (torch.float16, torch.float32, torch.float64):
    for count in (6, 16, 40):
        torch.manual_seed(0)
        x = torch.empty(count, dtype=kind)
        seen.append((x.normal_(0.1, 0.3), torch.randn(count, dtype=kind), torch.normal(2.0, 3.0, (17,)), torch.rand(1)))

# normal numbers around means, and with deviations, that stand in tensors
for mean, std in (
    (torch.arange(4.0), 1), (torch.zeros(20), 0.5), (0.5, torch.arange(3.0)), (torch.ones(3), torch.ones(2, 1)),
    (torch.zeros(3, dtype=torch.float64), 2.0), (torch.zeros(17), torch.ones(17)), (0.0, torch.tensor(2.0)),
):
    torch.manual_seed(0)
    seen.append((torch.normal(mean, std), torch.randn(1)))
torch.manual_seed(0)
seen.append((torch.normal(mean=torch.ones(2)), torch.normal(torch.ones(2), generator=torch.Generator().manual_seed(3))))
torch.normal(torch.zeros(2), torch.ones(3))

# vectors of two types
torch.dot(torch.ones(2), torch.ones(2).double())

# what a layer of one's own asks, whose `reset_parameters` is written after PyTorch's
seen.append(torch.nn.init._calculate_fan_in_and_fan_out(torch.empty(4, 3, 2, 2)))
torch.nn.init._calculate_fan_in_and_fan_out(torch.empty(4))

# whole numbers of a wide range
for high in (2**28 - 1, 2**28, 2**30, 2**32, 2**40):
    torch.manual_seed(0)
    seen.append(torch.randint(0, high, (3,)))

# derivatives of functions, inside inference mode
f, g = lambda x: (x**3).sum(), lambda x: x**2
with torch.inference_mode():
    x = torch.tensor([1.0, 2.0])
    seen += [torch.func.grad(f)(x), torch.func.jacrev(g)(x), torch.func.jacfwd(g)(x), torch.func.hessian(f)(x)]
    seen += [torch.func.jvp(g, (x,), (x,)), torch.func.vjp(g, x)[1](x), torch.func.vmap(torch.func.grad(f))(x[:, None])]
    value = torch.func.grad_and_value(lambda w, x: (w * x * x).sum())(w, x)
    seen.append((value, value[0].is_inference(), value[0].requires_grad, torch.is_inference_mode_enabled()))
seen.append((torch.is_grad_enabled(), torch.func.grad(f)(x)))

# the samples of a batch draw different numbers
torch.manual_seed(0)
other = torch.Generator().manual_seed(1)
for draw in (lambda: torch.rand(1), lambda: torch.rand(2, generator=other), lambda: torch.randint(9, (2,))):
    seen.append(torch.func.vmap(lambda x: x + draw(), randomness="different")(torch.zeros(3)))
seen.append((torch.rand(1), torch.rand(1, generator=other)))

# a gradient cannot be added to one that is expanded
w.grad = torch.zeros(1).expand(2)
(w * torch.tensor([1.0, 2.0])).sum().backward()

# numbers that an element type cannot hold are not drawn
def kind_of_error(call):
    try:
        call()
    except Exception as error:
        seen.append(type(error).__name__)
for low, high, kind in (
    (0, 128, torch.int8), (0, 129, torch.int8), (-5, 3, torch.uint8), (0, 2, torch.bool), (0, 3, torch.bool),
    (0, 70000, torch.float16), (0, 2**40, torch.int32), (-128, 1, torch.int8), (-129, 1, torch.int8),
):
    kind_of_error(lambda: seen.append(torch.randint(low, high, (3,), dtype=kind).shape))
for count, kind in ((256, torch.uint8), (257, torch.uint8), (256, torch.int8), (-1, None)):
    kind_of_error(lambda: seen.append(torch.randperm(count, dtype=kind).sum()))

# random numbers of no floats, a range that is none, a negative deviation
for call in (
    lambda: torch.randn(2, dtype=torch.int64), lambda: torch.rand(2, dtype=torch.bool),
    lambda: torch.randn_like(torch.ones(2, dtype=torch.int64)), lambda: torch.ones(2).uniform_(2, 1),
    lambda: torch.ones(2).normal_(0, -1), lambda: torch.normal(0.0, -1.5, (2,)), lambda: torch.arange(float("inf")),
    lambda: torch.arange(0.5, float("nan")), lambda: torch.arange(0, 5, float("nan")),
):
    try:
        seen.append(call())
    except Exception as error:
        seen.append(error)

# arrays whose elements do not lie as a tensor's do
field = np.zeros(3, dtype=[("a", "f4"), ("b", "u1")])["a"]
for array in (field, np.array([1.0, 2.0], dtype=">f4")):
    for make in (torch.tensor, torch.as_tensor, torch.from_numpy):
        try:
            make(array)
        except ValueError:
            seen.append("refused")

# what goes back into a dict of outputs has its names
output, pulled = torch.func.vjp(lambda x: {"a": x * 2, "b": x * 3}, torch.ones(2))
seen.append(pulled({"a": torch.ones(2), "b": torch.zeros(2)}))
pulled({"b": torch.ones(2), "a": torch.zeros(2)})

# the same argument twice
torch.func.grad(lambda x, y: (x * y).sum(), argnums=(0, -2))(w, w)

# named tuples and ordered dicts come back as what they were
from collections import OrderedDict, namedtuple
Pair = namedtuple("Pair", "a b")
seen.append(torch.func.grad(lambda p: (p.a * p.b).sum())(Pair(torch.ones(2), torch.ones(2))))
seen.append(torch.func.vmap(lambda p: Pair(p.a * 2, p.b))(Pair(torch.ones(2), torch.ones(2))))
seen.append(torch.func.grad(lambda p: (p["a"] * p["b"]).sum())(OrderedDict(b=torch.ones(2), a=torch.ones(2))))

# the outputs of a batch along another dimension
x = torch.arange(6.0).reshape(2, 3)
seen.append(torch.func.vmap(lambda x: (x, x * 2), out_dims=1)(x))

# one number shares its memory, too
array, number = np.array(3.0), torch.ones(2).sum()
torch.as_tensor(array).add_(1)
torch.Tensor(number).add_(1)
seen.append((array.tolist(), number))

# what a program has written at a tensor goes with its copies
import copy, pickle
x = torch.ones(2)
x.notes = [1]
deep, shallow, read = copy.deepcopy(x), copy.copy(x), pickle.loads(pickle.dumps(x))
deep.notes.append(2)
seen.append((x.notes, deep.notes, shallow.notes is x.notes, read.notes))

# the options of an optimizer stand in its groups, and not beside them as they would be without
optimizer = torch.optim.SGD([w], 0.5)
seen.append((optimizer.param_groups[0]["lr"], hasattr(torch.optim.Adam, "betas"), hasattr(optimizer, "momentum")))
optimizer.lr

# a class of one's own may note a type beside an option
class Mine(torch.optim.SGD):
    scale: float = 2.0
    def __init__(self, params):
        super().__init__(params, lr=0.25)
seen.append((Mine([w]).scale, Mine([w])))

# no less without an `__init__` of its own
class Mine(torch.optim.SGD):
    scale: float = 2.0
    note: "Anything"
class Late(torch.optim.lr_scheduler.StepLR):
    scale: float = 3.0
seen.append((mine := Mine([w], 0.5), mine.scale, Mine.scale, Late(mine, 2).scale))

# a parameter of no dimensions is written as a parameter
p = torch.nn.Parameter(torch.tensor(2.5))
seen += [f"{p}", f"{torch.tensor(2.5):.2f} {p.item():.2f}"]
f"{p:.2f}"

# sizes stand one by one behind a method, and together behind a function
x, pair = torch.arange(6.0).reshape(2, 3), (3, 2)
told(
    lambda: torch.reshape(x, 3, 2), lambda: torch.reshape(x, 6), lambda: torch.reshape(x, pair), lambda: x.reshape(6),
    lambda: torch.reshape(x, shape=pair), lambda: torch.reshape(x[0, :1], ()), lambda: torch.flip(x, 0),
    lambda: torch.flip(x, np.int64(0)), lambda: torch.flip(x, torch.tensor(0)), lambda: torch.flip(x, dims=[0, 1]),
    lambda: x.flip(0, 1), lambda: torch.permute(x, 1, 0), lambda: torch.permute(x, (1, 0)), lambda: x.permute(1, 0),
    lambda: torch.broadcast_to(x[0], 2, 3), lambda: torch.broadcast_to(x[0], (2, 3)), lambda: torch.zeros(2, 3),
)

# a size that is forgotten is no number of elements
torch.manual_seed(0)
told(
    lambda: torch.randint(0, 10), lambda: torch.randint(3, 10), lambda: torch.randint(10, 3), lambda: torch.rand(1),
    lambda: torch.randint(10, [2]), lambda: torch.randint(10, ()),
)

# two operands that do not fit
table = torch.ones(2, 3)
told(
    lambda: torch.bmm(table, table), lambda: torch.bmm(torch.ones(2, 3, 4), table), lambda: torch.outer(table, table),
    lambda: torch.outer(table[0], table), lambda: torch.einsum("ij,jk", table, table),
    lambda: torch.einsum("ij->ji", table[0]), lambda: torch.einsum("ij->k", table),
    lambda: table.scatter_(1, torch.tensor([0]), 1.0), lambda: table.gather(1, torch.tensor([0])),
)

# sizes, steps and places that cannot be
mask = torch.tensor([True, False, True, True])
x, i, j = torch.arange(16).reshape(4, 4), [0, 1], torch.tensor([0, 1, 2])
told(
    lambda: x.view(16, -2), lambda: x.view(-3, -2), lambda: x[::0], lambda: x[::-1], lambda: x[i, j],
    lambda: x[torch.ones(2, 2).long(), j], lambda: x[mask, i], lambda: x[mask, j], lambda: x[mask, [1]],
    lambda: x[:, None][i, :, j], lambda: x[mask, mask], lambda: x.__setitem__((i, j), 0),
)

# a tensor that holds one number is filled in
told(
    lambda: torch.full((2,), torch.tensor(3)), lambda: torch.full((2,), torch.tensor(3.0)), lambda: torch.full((2,), w),
    lambda: torch.full_like(w, torch.tensor(3)), lambda: torch.full((2,), np.float64(3)), lambda: torch.full((), 1),
    lambda: torch.full(2, 3.0), lambda: torch.full((2,), "x"), lambda: torch.full((2,), None),
    lambda: torch.zeros(2).copy_(other=w.detach()), lambda: torch.zeros(2).copy_([1.0, 2.0]),
)

# a layer of a size that is none
nn, image = torch.nn, torch.ones(1, 1, 4, 4)
for make in (
    lambda: nn.BatchNorm1d("3"), lambda: nn.LayerNorm("3"), lambda: nn.Embedding(3.0, 2), lambda: nn.Conv2d(1, 2, "3"),
    lambda: nn.Conv2d(1, 2, 3.0), lambda: nn.MaxPool2d("2")(image), lambda: nn.AvgPool2d(2, stride="a")(image),
):
    try:
        make()
    except Exception as error:
        seen.append((type(error).__name__, "int" in str(error)))
told(lambda: w.stride(1), lambda: w.stride(-1), lambda: nn.BatchNorm1d(2).state_dict())

# of a derivative inside another one no graph is left, but that of the caller's own tensors
func, x, y = torch.func, torch.tensor(3.0), torch.tensor(4.0)
area = lambda x, y: x**2 * y
for found in (
    func.grad(func.grad(area), argnums=1)(x, y), func.jacrev(func.jacrev(area), argnums=1)(x, y),
    func.jacfwd(func.grad(area), argnums=1)(x, y), func.grad(lambda y: func.grad(lambda x: area(x, y))(x))(y),
    *func.jvp(lambda y: func.grad(lambda x: area(x, y))(x), (y,), (x,)),
    func.grad(func.grad(lambda x, y: area(x, y) * w[0]), argnums=1)(x, y),
):
    seen += [found, found.requires_grad]
found.backward()
seen.append(w.grad)

# where a mask is True one element of the tensor itself may be written
x = torch.tensor([3.0, float("nan"), 1.0])
x[x.isnan()] = x[0]
x[x > 1] = x[2:]
seen.append(x)
table = torch.arange(4.0).reshape(2, 2)
told(lambda: table.__setitem__(torch.tensor([True, False]), table[1]), lambda: x.__setitem__([0, 1], x[2]))

# a power is written with what the other operators take
for exponent in (np.float32(2), np.int64(2), [1, 2], None, "a"):
    x = torch.tensor([1.0, 3.0])
    try:
        x **= exponent
    except TypeError as error:
        seen.append(str(error))
    seen.append(x)

# a number of numpy's in front of a tensor is a number, whatever the sign
x, whole = torch.tensor([1.0, 2.0]), torch.tensor([1, 2])
for number in (np.float32(3), np.float64(3), np.int64(3)):
    for found in (number // x, number % x, number // whole, number % whole, number / w):
        seen += [found.dtype, found]
told(lambda: np.int64(3) // torch.tensor([1, 0]), lambda: np.array([3.0, 4.0]) // x, lambda: np.array([3.0, 4.0]) % x)

# weights of a loss that are more than there are answers
nn, one = torch.nn, torch.full((3, 1), 0.5)
told(
    lambda: nn.BCELoss(weight=torch.ones(2))(one, one), lambda: nn.BCEWithLogitsLoss(weight=torch.ones(2))(one, one),
    lambda: nn.BCEWithLogitsLoss(pos_weight=torch.ones(2))(one, one), lambda: torch.ones(3, 2).expand(-1, 3),
    lambda: nn.BCEWithLogitsLoss(pos_weight=torch.ones(2))(one.expand(3, 2), one.expand(3, 2)),
)

# without batches `collate_fn` is given each sample
load = torch.utils.data.DataLoader
seen += [*load([1, 2], batch_size=None, collate_fn=lambda sample: sample * 10), *load([1], batch_size=None)]

# the determinant of one number, 0, has the derivative 1
x = torch.tensor([[[0.0]], [[2.0]]], requires_grad=True)
torch.det(x).sum().backward()
seen.append(x.grad)
x = torch.tensor([[3.0]], requires_grad=True)
seen.append(torch.autograd.grad(torch.det(x) ** 2, x)[0])

# no dimension is not every dimension
seen.append(torch.zeros(1, 1, 2).squeeze(()))

# class weights have the type of the scores
F = torch.nn.functional
for weight in (torch.tensor([1, 2]), torch.ones(2, dtype=torch.float64), torch.tensor([1.0, 2.0])):
    try:
        seen.append(F.cross_entropy(torch.ones(3, 2), torch.tensor([0, 1, 1]), weight=weight))
    except RuntimeError as error:
        seen.append(str(error).partition(chr(10))[0])

# an empty batch spoils no running mean
import warnings
norm = torch.nn.BatchNorm1d(2)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    norm(torch.zeros(0, 2))
seen += [norm.running_mean, norm.running_var]

# numbers at equal distances are those of PyTorch to the last bit, and whole ones are cut off where it does
for start, end in ((0, 7), (-3.3, 8.9), (5, -2), (0.1, 0.9)):
    for steps in (0, 1, 2, 7, 50, 101):
        seen += [torch.linspace(start, end, steps, dtype=torch.float64).tolist()]
        seen += [torch.linspace(start, end, steps).tolist(), torch.linspace(start, end, steps, dtype=torch.int64)]

# a mean of an asked-for type that is no floating point
torch.ones(2).mean(dtype=torch.int64)

# an activation of whole numbers says what is not implemented
for activation in (torch.nn.functional.leaky_relu, torch.nn.functional.silu):
    try:
        activation(torch.tensor([1, 2]))
    except NotImplementedError as error:
        seen.append(str(error).partition(chr(10))[0])

# a pool that steps nowhere
torch.nn.functional.max_pool2d(torch.ones(1, 1, 4, 4), 2, stride=0)

# a convolution with less than no rim
torch.nn.functional.conv2d(torch.ones(1, 1, 4, 4), torch.ones(1, 1, 2, 2), padding=-1)

# a weight of another type
torch.lerp(torch.ones(2), torch.ones(2), torch.ones(2, dtype=torch.float64))

# what no gradient came to cannot be replaced
y = w * torch.ones(2)
y.grad_fn.register_hook(lambda sent, came: (sent[0], torch.ones(2)))
told(lambda: y.sum().backward())

# a gradient and its tensor are copied together, whichever comes first
import copy
w.sum().backward()
for order in ([w, w.grad], [w.grad, w]):
    a, b = copy.deepcopy(order)
    seen.append((a.grad is b, b.grad is a))
p = torch.nn.Parameter(torch.ones(2))
a, b = copy.deepcopy([p, p])
seen.append((a is b, a is p, type(a).__name__))

# what needs a size, an end, a value or a deviation says so
def kind_of_refusal(call):
    try:
        call()
    except Exception as error:
        return type(error).__name__
seen.append(kind_of_refusal(lambda: torch.arange()))
seen.append(kind_of_refusal(lambda: torch.normal(0.0, 1.0)))
seen.append(kind_of_refusal(lambda: torch.zeros(3).scatter(0, torch.tensor([1]))))
seen.append(kind_of_refusal(lambda: torch.func.jvp(lambda x: x * 2, w, w)))
seen.append(kind_of_refusal(lambda: torch.func.vmap(lambda x: x, in_dims=(0, 0))(w)))
seen.append(kind_of_refusal(lambda: torch.func.vmap(lambda x: x, in_dims=(None,))(w)))
told(lambda: torch.zeros(), lambda: torch.empty(), lambda: torch.linspace(0, 1, -1))

# a function without out= refuses it
told(lambda: torch.reshape(w, (2,), out=torch.ones(2)))

# a device that is numbered twice, and one that is saved or copied
import pickle
told(lambda: torch.device("cuda:0", 1), lambda: pickle.loads(pickle.dumps(torch.device("cuda", 1))))

# a file holds devices, too
import io
file = io.BytesIO()
torch.save({"on": torch.device("cpu"), "then on": torch.device("cuda", 1)}, file)
file.seek(0)
seen.append(torch.load(file))

# a direction for each input
told(lambda: torch.autograd.functional.jvp(lambda x, y: x * y, (w, w), (torch.ones(2),)))

# numbers between which is drawn may stand in tensors
torch.manual_seed(0)
told(lambda: torch.randint(0, torch.tensor(5), (3,)), lambda: torch.randint(torch.tensor(5), (3,)))
told(lambda: torch.randint(torch.tensor(2), torch.tensor(5), (3,)))

# a seed that no generator holds
told(lambda: torch.manual_seed(2**64), lambda: torch.Generator().manual_seed(-(2**63) - 1))

# a list holds numbers that can be indices
told(lambda: w[[2**70]], lambda: w[[2**63]])

# a factor of the second operand is of its kind
a, b = torch.tensor([1]), torch.tensor([True])
told(lambda: torch.add(w, w, alpha=True), lambda: torch.sub(w, w, alpha=True), lambda: torch.add(a, a, alpha=1.5))
told(lambda: torch.add(b, ~b, alpha=True), lambda: torch.add(w, w, alpha=2))

# closeness of what does not fit together
told(lambda: torch.isclose(torch.ones(2), torch.ones(3)))

# softmax of nothing
for size in ((3, 0), (0, 3)):
    told(lambda: torch.log_softmax(torch.zeros(size), 1), lambda: torch.softmax(torch.zeros(size), 1))

# a number is not cut into chunks, a cube has no one diagonal
told(lambda: torch.tensor(1.0).chunk(2), lambda: torch.diag(torch.ones(2, 2, 2)))

# bits of a number and of floats
told(lambda: torch.bitwise_and(1, w), lambda: torch.bitwise_and(1, torch.tensor([3, 2])))

# Python's types are dtypes
x = torch.tensor([1, 2])
told(lambda: x.sum(dtype=int), lambda: x.sum(dtype=float), lambda: x.sum(dtype=bool))

# as an index stands one whole number
import operator
told(lambda: operator.index(torch.tensor([1, 2])), lambda: operator.index(torch.tensor(2)))

# a whole tensor of truth is asked as bytes are
told(lambda: torch.all(torch.tensor([1, 0], dtype=torch.uint8)), lambda: torch.any(torch.tensor([1, 0])))

# the largest number is none
x = torch.tensor([1.0, float("nan")], requires_grad=True)
x.max().backward()
seen.append(x.grad)

# the spread of rows of one
x = torch.ones(1, 3, requires_grad=True)
x.var(0).sum().backward()
seen.append(x.grad)

# other numbers, of a kind that has no gradient
told(lambda: setattr(w, "data", torch.tensor([1, 2])))
w.data = torch.ones(2)
seen.append(w)

# classes of nothing
told(lambda: torch.nn.functional.one_hot(torch.zeros(0, dtype=torch.int64)))

# a normalization of what has no channels, or other ones, or other dimensions
f = torch.nn.functional
told(lambda: f.batch_norm(torch.ones(3), None, None, training=True))
told(lambda: f.batch_norm(torch.ones(2, 3), torch.zeros(2), torch.ones(3)))
told(lambda: torch.nn.BatchNorm2d(3)(torch.ones(2, 3)), lambda: torch.nn.BatchNorm1d(3)(torch.ones(2, 3, 1, 1)))

# gelu has two ways, and a gain a known function
told(lambda: torch.nn.functional.gelu(w, approximate="x"), lambda: torch.nn.init.calculate_gain("x"))

# a chosen dimension, by how many there are
told(lambda: torch.nn.functional.softmax(torch.ones(2, 1, 1)), lambda: torch.nn.functional.softmax(torch.ones(2, 2)))

# parts of a module are taken away by their names
m = torch.nn.Linear(2, 2)
del m.bias
seen.append([name for name, _ in m.named_parameters()])
m.part, m.number = torch.nn.ReLU(), 3
del m.part, m.number
seen.append((list(m._modules), hasattr(m, "part"), hasattr(m, "number"), hasattr(m, "bias")))

# a part that is not there, and one that is there twice
m = torch.nn.Module()
m.add_module("none", None)
m.one = m.same = torch.nn.ReLU()
seen.append([name for name, _ in m.named_children()])
seen.append([name for name, _ in m.named_modules()])
seen.append([name for name, _ in m.named_modules(remove_duplicate=False)])
seen.append(m.eval().one.training)
told(lambda: m.train("yes"))

# what a dictionary of parameters is asked for and does not have becomes one
d = torch.nn.ParameterDict()
made = d.setdefault("a", torch.ones(2))
seen.append((type(made).__name__, made is d["a"], d.setdefault("a", torch.zeros(2)) is made))

# a module runs with others' parameters, however these are given
m, one = torch.nn.Linear(1, 1), torch.ones(1, 1)
both = {"weight": one, "bias": torch.ones(1)}
called = torch.func.functional_call
told(lambda: called(m, both, one), lambda: called(m, both, (one,)), lambda: called(m, both, kwargs={"input": one}))
told(lambda: called(m, ({"weight": one}, {"bias": torch.ones(1)}), one))
told(lambda: called(m, {"weigth": one, **both}, one))

# an optimizer of one tensor, with a whole number for its rate
w.sum().backward()
optimizer = torch.optim.SGD([{"params": w}], lr=1)
optimizer.step()
seen.append((w, len(optimizer.param_groups[0]["params"])))

# gradients that are not there are not set to zero
torch.optim.SGD([w], lr=0.1).zero_grad(set_to_none=False)
seen.append(w.grad)

# momentum of Nesterov's needs momentum, and no dampening
told(lambda: torch.optim.SGD([w], lr=0.1, nesterov=True))
told(lambda: torch.optim.SGD([w], lr=0.1, momentum=0.9, dampening=0.1, nesterov=True))

# what was saved has as many parameters
state = torch.optim.SGD([w], lr=0.1).state_dict()
told(lambda: torch.optim.SGD([w, torch.ones(1, requires_grad=True)], lr=0.1).load_state_dict(state))

# a schedule goes on where another one was
optimizer = torch.optim.SGD([w], lr=0.1)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
optimizer.step()
schedule.step()
other = torch.optim.lr_scheduler.StepLR(optimizer, 5)
other.load_state_dict(schedule.state_dict())
other.step()
seen.append((other.step_size, other.last_epoch, other.get_last_lr()))
told(lambda: torch.optim.lr_scheduler.LRScheduler(optimizer))

# a schedule that goes on, of an optimizer that begins
try:
    torch.optim.lr_scheduler.StepLR(torch.optim.SGD([w], lr=0.1), 1, last_epoch=3)
except KeyError as error:
    seen.append(str(error)[:50])

# batches of numpy's arrays and numbers, and of lists that are not alike
collate = torch.utils.data.default_collate
told(lambda: collate([np.ones(2), np.zeros(2)]), lambda: collate([np.float64(1), np.float64(2)]))
told(lambda: collate([np.int32(1), np.int32(2)]), lambda: collate([[1, 2], [1]]))

# a loader in two orders, of nothing, in batches of nothing
loader = torch.utils.data.DataLoader
told(lambda: loader([1, 2], sampler=[0], shuffle=True), lambda: loader([], shuffle=True))
told(lambda: loader([1], batch_size=0))

# parts that are not the whole, and a list of numbers of samples
told(lambda: torch.utils.data.random_split([1, 2, 3], [1, 1]))
rows = torch.utils.data.TensorDataset(torch.arange(5))
seen.append(torch.utils.data.Subset(rows, [4, 3, 2])[[0, 2]])

# a mask, or a choice, of another size
told(lambda: w.masked_fill(torch.ones(3) > 0, 0.0), lambda: torch.where(torch.ones(3) > 0, w, w))
told(lambda: torch.where(w > 0, torch.ones(3), w), lambda: torch.where(w > 0, torch.ones(2, 3), torch.ones(4)))

# one dimension made one is the tensor itself
y = w * 1
seen.append((y.flatten() is y, w.flatten() is w, y.flatten().grad_fn.name()))

# what is written in its size is written as it is
def chain(node):
    return node and (node.name(), [chain(n) for n, _ in node.next_functions])
for written in (w, w[None], w[:1]):
    y = torch.zeros(2)
    y[:] = written
    seen.append(chain(y.grad_fn))
y = torch.zeros(3)
y[1:][w > 1] = w[1]
seen.append(chain(y.grad_fn))

# the place of the largest along a dimension that there is not
told(lambda: w.argmax(5), lambda: torch.ones(2, 3).argmax(-3), lambda: w.max(5))

# types that do not go together in a product
d = torch.ones(2, 2, dtype=torch.float64)
f = torch.ones(2, 2)
told(lambda: torch.addmm(d, f, f), lambda: torch.addmm(f, d, f), lambda: torch.addmm(f, f, d))
told(lambda: torch.dot(f[0], d[0]), lambda: torch.mm(f, d), lambda: f @ d[0])

# what has a name in a module changes its kind, and keeps its place
m = torch.nn.Module()
m.a, m.b = torch.nn.Parameter(torch.ones(1)), torch.nn.Parameter(torch.ones(2))
m.a = torch.nn.Parameter(torch.ones(3))
seen.append([(name, p.shape) for name, p in m.named_parameters()])
told(lambda: setattr(m, "a", torch.ones(3)), lambda: setattr(m, "a", None))
m.c = 3
m.c = torch.nn.ReLU()
m.c = torch.nn.Parameter(torch.ones(1))
m.register_buffer("e", torch.ones(1))
m.e = torch.nn.ReLU()
m.b = None
seen.append(([name for name, _ in m.named_parameters()], [name for name, _ in m.named_children()], m.b, m.c))
for call in (lambda: m.register_parameter("d", torch.ones(1)), lambda: m.register_buffer("d", 3)):
    try:
        call()
    except TypeError:
        seen.append("refused")

# gradients and statistics go where their module goes
m = torch.nn.BatchNorm1d(2)
m(torch.ones(3, 2) * w).sum().backward()
m.double()
seen.append([b.dtype for _, b in m.named_buffers()] + [p.dtype for p in m.parameters()])
seen.append([p.grad.dtype for p in m.parameters()])
m.running_mean = None
m.float()
seen.append([name for name, _ in m.named_buffers()])

# a norm of order 1, and its derivatives, at 0
x = torch.tensor([0.0, -2.0, 3.0], requires_grad=True)
(grad,) = torch.autograd.grad(x.norm(1), x, create_graph=True)
seen.append(grad)
told(lambda: torch.autograd.grad(grad.sum(), x))

# of numbers that are all -inf, and of none
told(lambda: torch.logsumexp(torch.full((2,), -float("inf")), 0), lambda: torch.logsumexp(torch.zeros(0), 0))

# a copy counts as written once
import copy
seen.append((copy.deepcopy(w)._version, torch.ones(2)._version))

# steps of one dimension, or of none
told(lambda: torch.tensor(1.0).select(0, 0), lambda: torch.ones(2).index_select(0, torch.tensor([[0]])))
told(lambda: torch.ones(2, 2).view(-1, -1), lambda: torch.ones(2, 2).reshape(-1, -1))
told(lambda: torch.ones(2, 2).permute(0, 2), lambda: torch.ones(2, 2).permute(-1, 0).shape)
told(lambda: torch.zeros(0)[torch.tensor([0])], lambda: torch.tensor(1.0)[:], lambda: torch.tensor(1.0)[1])
told(lambda: torch.tensor(1.0)[0], lambda: torch.ones(4).split(torch.tensor(3))[1])

# what a tensor is made of in another place or type
seen.append(torch.zeros(2, dtype=torch.float64).to(torch.ones(1)).dtype)
seen.append((w.new_full((1,), 2, dtype=None).dtype, torch.tensor([1]).new_ones(2).dtype))

# sums of products, with an output that is not said
x = torch.arange(6.0).reshape(2, 3)
told(lambda: torch.einsum("ij,kj", x, x), lambda: torch.einsum("ji", x), lambda: torch.einsum("ij->j", x))
y = torch.einsum("ij->ij", w[None])
seen.append(y.grad_fn.name())

# what a Function returns as it was given is a view of it, though nothing is recorded
class Same(torch.autograd.Function):
    forward = staticmethod(lambda ctx, x: x)
    backward = staticmethod(lambda ctx, grad: grad)
x = torch.ones(2)
y = Same.apply(x)
seen.append((y is x, y._base is x, y._version, y.requires_grad))
with torch.no_grad():
    y.add_(1)
seen.append((x, x._version))

# a write that is refused has been counted
class Writes(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x
    backward = staticmethod(lambda ctx, grad: grad)
try:
    Writes.apply(w)
except RuntimeError:
    seen.append(w._version)

# what a node has saved is shown, also when it has left the graph
y = w * 1
z = y * y
y.detach_()
seen.append(z.grad_fn._saved_self)
told(lambda: z.sum().backward())

# a leaf whose numbers are of another type now
y = w * 2
w.data = w.data.double()
(w * 3).sum().backward()
seen.append(w.grad)

# a view whose gradient nobody wants follows its base all the same
base = torch.zeros(3)
view = base[1:]
view.requires_grad_(False)
base += w[0]
seen.append((view.requires_grad, view.grad_fn is None, view.is_leaf))

# what a convolution and a table are made with
m = torch.nn.Conv2d(2, 3, (1, 2), stride=2, padding=(1, 0))
seen.append((m.in_channels, m.out_channels, m.kernel_size, m.stride, m.padding))
seen.append((torch.nn.Embedding(3, 2).num_embeddings, torch.nn.Linear(3, 2).in_features))

# a power of True
told(lambda: w**True, lambda: (w**True).grad_fn._saved_exponent, lambda: (w**False).grad_fn._saved_exponent)
told(lambda: torch.tensor([2]) ** True, lambda: torch.tensor([2]) ** False, lambda: torch.tensor([True]) ** False)

# random numbers written into a leaf
told(lambda: w.uniform_(), lambda: w.normal_(), lambda: torch.tensor([1, 2]).uniform_())

# what a loader was made with
loader = torch.utils.data.DataLoader([1, 2, 3], batch_size=2, num_workers=0, drop_last=True)
seen.append((loader.batch_size, loader.num_workers, loader.drop_last, len(loader)))
seen.append(len(torch.utils.data.DataLoader([1, 2, 3], batch_size=None)))

# a way to make one number of many that there is not
f = torch.nn.functional
x, y, labels, half = torch.ones(2, 3), torch.zeros(2, 3), torch.tensor([0, 2]), torch.full((2, 3), 0.5)
told(lambda: f.mse_loss(x, y, reduction="avg"), lambda: f.l1_loss(x, y, reduction="avg"))
told(lambda: f.nll_loss(x, labels, reduction="avg"), lambda: f.cross_entropy(x, labels, reduction="avg"))
told(lambda: f.cross_entropy(x, half, reduction="avg"), lambda: f.cross_entropy(x, half, reduction="none"))
told(lambda: f.binary_cross_entropy(half, y, reduction="avg"))
told(lambda: f.binary_cross_entropy_with_logits(x, y, reduction="avg"))
told(lambda: f.cross_entropy(torch.ones(2, 3, 2), torch.zeros(2, 2, dtype=torch.int64), reduction="avg"))

# an argument that is given by its name as a number of numpy's
told(lambda: torch.ones(2, 3).sum(dim=np.int64(1)), lambda: torch.ones(2, 3).sum(dim=torch.tensor(0)))

# a pool over more than images
told(lambda: torch.nn.functional.avg_pool2d(torch.ones(1, 1, 1, 2, 2), 2))

# a module does not take the place of a parameter
m = nn.Linear(2, 2)
m.extra = nn.Parameter(torch.ones(2))
m.bias = None
seen.append(sorted(dict(m.named_parameters())))
m.extra = nn.ReLU()

# what is written into `out=` has no gradient, also of a list of tensors
o = torch.empty(3, dtype=torch.bool)
seen.append(torch.gt(w, 0, out=o).tolist())
torch.cat([w], out=torch.empty(3))

# over no dimension, a truth is asked of each element
bits = torch.tensor([[1, 0], [1, 1]])
seen.append([bits.all(()).tolist(), bits.any(()).tolist(), bits.all(()).dtype == torch.bool])

# a second ellipsis stands for nothing
x = torch.arange(6).reshape(2, 3)
seen += [x[..., ...].tolist(), x[..., 0, ...].tolist(), x[0, ..., ...].tolist(), x[..., None, ...].shape == (2, 3, 1)]

# classes of images are no bytes; those of rows may be
seen.append(F.cross_entropy(torch.zeros(2, 3), torch.zeros(2, dtype=torch.uint8)).item())
F.cross_entropy(torch.zeros(1, 3, 2, 2), torch.zeros(1, 2, 2, dtype=torch.uint8))

# a number may come first in a sum with a factor
told(lambda: torch.add(1, w, alpha=2), lambda: torch.sub(1, w, alpha=2).grad_fn.next_functions[0])
told(lambda: torch.autograd.grad(torch.sub(1, w, alpha=2).sum(), w), lambda: torch.add(1, torch.tensor([2]), alpha=3))
told(lambda: torch.sub(1.5, torch.tensor([1, 2]), alpha=2), lambda: torch.sub(1, torch.tensor([2]), alpha=0.5))

# what is drawn from a table that is transposed, and from a part of one
torch.manual_seed(3)
table = torch.tensor([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25], [0.3, 0.3, 0.4], [0.8, 0.1, 0.1]])
for one in (table, table.t(), table[:, :2], table[::2], table[0].expand(3, 3)):
    for options in ((1,), (2,), (1, True), (4, True)):
        drawn = torch.multinomial(one, *options)
        seen.append((drawn, drawn.view(-1).shape))

# a normalised sequence lies in order, whichever way it was turned before
F = torch.nn.functional
turned = torch.arange(24.0, requires_grad=True).reshape(2, 3, 4).mT
for one in (F.layer_norm(turned, (3,)), F.batch_norm(turned, None, None, training=True), turned.logsumexp(0)):
    seen.append((one.view(-1).shape, one.mT.flatten().grad_fn.name()))
seen.append([ask(0).view(-1).shape for ask in (turned.any, turned.all)] + [turned.repeat(1, 1, 1).view(-1).shape])
images = torch.arange(32.0, requires_grad=True).reshape(1, 4, 4, 2)
for one in (images.transpose(1, 3), images.permute(0, 3, 1, 2)):
    for f in (lambda x: F.batch_norm(x, torch.zeros(2), torch.ones(2)), lambda x: F.avg_pool2d(x, 2)):
        seen.append((f(one).is_contiguous(), f(one).permute(0, 2, 3, 1).flatten().grad_fn.name()))

# a copy by torch.tensor lies as what was given, and indices column by column
turned = torch.arange(6.0).reshape(2, 3).t()
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    seen.append((torch.tensor(turned).stride(), torch.tensor(turned, dtype=torch.float64).stride()))
seen.append((turned.nonzero().stride(), turned.nonzero().t().view(-1)))

# a grid of one vector is expanded, too
seen.append([axis.grad_fn.name() for axis in torch.meshgrid(w, indexing="ij")])
seen.append([axis.grad_fn.name() for axis in torch.meshgrid(w, w[:1], indexing="xy")])

# a nan is found on the way to what is asked for
y = w * torch.tensor([0.0, 1.0])
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    with torch.autograd.detect_anomaly():
        for z in (y.sqrt() * 0, y / 0 * 0):
            told(lambda: torch.autograd.grad(z.sum(), w, retain_graph=True), lambda: z.sum().backward(inputs=[w]))

# a wrong second derivative is an error, unless it is to be told
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, grad):
        return grad * 2 * ctx.saved_tensors[0].detach()
d = w.detach().double().requires_grad_()
seen.append(torch.autograd.gradgradcheck(Wrong.apply, d, raise_exception=False))
try:
    torch.autograd.gradgradcheck(Wrong.apply, d)
except Exception as error:
    seen.append("wrong")

# a vector without elements does not count in a row of tensors, along whichever dimension
told(lambda: torch.cat([torch.ones(2, 3), torch.zeros(0)], 1), lambda: torch.cat([torch.zeros(0), torch.ones(1, 2)]))
told(lambda: torch.cat([torch.zeros(0), torch.zeros(0)]), lambda: torch.cat([torch.zeros(0, 2), torch.ones(2, 3)], 1))

# norms along one dimension of several
x = torch.arange(24.0).reshape(2, 3, 4)
n = torch.linalg.norm
told(lambda: n(x[0], 2, (0,)), lambda: n(x[0], 2, (1,), True), lambda: n(x, 2, 0), lambda: n(x, None, (0, 1)))
told(lambda: n(x, "fro", (0, 1)), lambda: n(x), lambda: n(x, 2), lambda: n(x[0, 0], "fro"), lambda: n(x[0, 0, 0], 2))

# a weight that needs a gradient, where none is recorded
F = torch.nn.functional
x, k = torch.tensor([[0.5, -1.0]]), torch.tensor([1])
told(lambda: F.nll_loss(x, k, w), lambda: F.cross_entropy(x, k, w))
with torch.no_grad():
    told(lambda: F.nll_loss(x, k, w), lambda: F.cross_entropy(x, k, w), lambda: torch.add(w, 1, out=torch.empty(2)))

# a backward hook of a module whose inputs need no gradient may return None for each, and nothing else
for changed in (None, (None,), (torch.ones(1, 2),), [None]):
    m = torch.nn.Linear(2, 1)
    m.register_full_backward_hook(lambda module, sent, arrived, changed=changed: changed)
    told(lambda: m(torch.ones(1, 2)).sum().backward(), lambda: m.bias.grad)

# what initialises weights, without options and with all of them
init, e = torch.nn.init, torch.empty
torch.manual_seed(2)
seen.append((init.uniform_(e(3)), init.normal_(e(3)), torch.empty(3).uniform_(), torch.empty(3).normal_()))
for f in (init.kaiming_uniform_, init.kaiming_normal_, init.xavier_uniform_, init.xavier_normal_):
    seen.append((f(e(2, 3)), f(e(2, 3, 1, 2), 2.0)))
seen.append((init.kaiming_normal_(e(2, 3), 1, "fan_out", "tanh"), init.calculate_gain("leaky_relu")))
seen.append((torch.nn.Parameter().shape, torch.nn.Parameter(torch.tensor([1]), False)))
told(lambda: init.kaiming_uniform_(e(2, 3), mode="in"), lambda: init.kaiming_uniform_(e(3)))

# batches and their statistics
nn, x = torch.nn, torch.tensor([[0.0, 2.0], [4.0, 8.0], [2.0, 5.0]])
for options in ({"momentum": None}, {"momentum": 0.0}, {"track_running_stats": False}, {"affine": False}):
    m = nn.BatchNorm1d(2, **options)
    m(x)
    m(x[:2] * 3)
    seen.append((m, m.running_mean, m.running_var, m.num_batches_tracked, m.eval()(x).mean(0)))
told(lambda: m(x[:1]).shape, lambda: m.train()(x[:1]), lambda: m(x[:1, :, None]), lambda: nn.BatchNorm2d(2)(x))

# nothing to drop, and nothing to normalise
F = torch.nn.functional
told(lambda: F.dropout(torch.ones(0, 2)), lambda: F.dropout2d(torch.ones(1, 2, 2, 2), 0.0))
told(lambda: F.dropout2d(torch.ones(1, 2, 2, 2), 1.0))
try:
    F.layer_norm(torch.ones(2), ())
except RuntimeError:
    seen.append("refused")

# a part of all may be a little more than that, by rounding
split = torch.utils.data.random_split
told(lambda: [len(part) for part in split(range(10), [0.1, 0.2, 0.7])])
told(lambda: [len(part) for part in split(range(10), [0.2, 0.4, 0.3, 0.1])])

# an optimizer remembers what it is given, numbers and texts, too
o = torch.optim.SGD([w], lr=0.1, momentum=0.9)
w.grad = torch.ones(2)
seen.append(o.step(lambda: 3))
saved = o.state_dict()
saved["state"][0]["steps"] = 3
o.load_state_dict(saved)
seen.append(o.state[w])

# a tensor may be asked to need a gradient where nothing is recorded
with torch.inference_mode():
    seen.append(torch.ones(2).requires_grad_().requires_grad)
    inside = torch.ones(2)
told(lambda: inside.requires_grad_(), lambda: setattr(w, "data", torch.tensor([1, 2])))

# sizes that are to be found, of tensors without elements
e = torch.zeros(0, 2)
told(lambda: e.view(-1), lambda: e.view(-1, 2), lambda: e.view(-1, 0), lambda: e.view(3, -1), lambda: e.view(2, 0))
told(lambda: torch.zeros(0).split(0), lambda: torch.zeros(0).split(2), lambda: torch.zeros(2).split(0))
told(lambda: w.split(torch.tensor(1)), lambda: torch.ones(2, 1).expand(-1, 3).shape)
for size in ((-2,), (-1, 2), (-1, -2), (-1,)):
    try:
        seen.append(w.expand(size).shape)
    except RuntimeError:
        seen.append("refused")

# products of batches: one matrix for all, as many as there are, or too many
x, y = torch.arange(6.0).reshape(1, 2, 3), torch.arange(24.0).reshape(4, 3, 2)
told(lambda: x @ y, lambda: y[:2] @ y, lambda: y @ w, lambda: y[:1] @ y.mT, lambda: torch.bmm(y[:2], y))
told(lambda: torch.ones(0, 3) @ y[0], lambda: torch.ones(2, 0) @ torch.ones(0, 2), lambda: y.long() @ w.detach().long())
for left, right in ((w, y.mT), (y.clone().requires_grad_(), w.detach()), (w.view(1, 2), y.mT)):
    seen.append((left @ right).grad_fn.name())
told(lambda: torch.addmm(w, torch.ones(2, 2), torch.ones(2, 2).double()))
told(lambda: torch.linalg.solve(torch.eye(2).expand(3, 2, 2) * 2, torch.ones(2, 3)))
told(lambda: torch.linalg.solve(torch.eye(2).expand(3, 2, 2) * 2, torch.ones(3, 2)))

# near, equal, and one or the other
x = torch.tensor([1.0, float("nan")])
told(lambda: torch.isclose(x, x), lambda: torch.isclose(x, x, equal_nan=True), lambda: torch.equal(x[:1], x))
told(lambda: torch.allclose(x[:1], x[:1] + 1e-4), lambda: torch.allclose(x[:1] * 0, torch.tensor(1e-7)))
told(lambda: torch.where(torch.tensor([1, 0]), 1, 2), lambda: torch.where(torch.tensor([1, 0]).byte(), 1, 2))

# a state that is none
g = torch.Generator()
for size in (3, 5056):
    try:
        g.set_state(torch.zeros(size, dtype=torch.uint8)[: size // 2])
    except RuntimeError:
        seen.append("refused")

# numpy's functions with options
x, out = torch.ones(2), np.zeros(2, dtype=np.float32)
seen.append((np.exp(x, out=out), np.add(x, 1, out=x.numpy()), x))
seen.append((np.exp(x, dtype=np.float64), np.sqrt(x, where=np.array([True, True]))))
told(lambda: np.zeros(2) * x, lambda: np.array(0.0) == x, lambda: np.float64(3) < x, lambda: np.float64(2) ** x)
a = np.zeros(2)
a += x
seen.append(a)

# a cosine comes back, and goes down again
schedule = torch.optim.lr_scheduler
for length in (1, 2, 3):
    o = torch.optim.SGD([w], lr=1.0)
    s = schedule.CosineAnnealingLR(o, length, 0.125)
    rates = []
    for _ in range(4 * length + 2):
        o.step()
        s.step()
        rates.append(round(s.get_last_lr()[0], 5))
    seen.append(rates)

# at the threshold softplus bends still
F = torch.nn.functional
x = torch.tensor([0.5, 1.0, 2.0], requires_grad=True)
for beta, threshold in ((1, 1), (2, 2), (1, 20)):
    y = F.softplus(x, beta, threshold)
    seen.append((y, torch.autograd.grad(y.sum(), x)[0]))

# determinants of several matrices, some of them singular
for size in (1, 2):
    x = torch.tensor([[[1.0, 2.0], [3.0, 5.0]], [[0.0, 0.0], [0.0, 0.0]]])[:, :size, :size].clone().requires_grad_()
    y = torch.linalg.det(x)
    seen.append((y, torch.autograd.grad(y.sum(), x)[0] + 0))

# a number that float16 cannot hold is written as inf; a tensor is not filled with it
for at in (0, slice(None), [0, 1], torch.tensor([True, False]), ...):
    x = torch.ones(2).half()
    x[at] = -1e9
    seen.append(x)
told(lambda: torch.ones(2).half().fill_(1e5), lambda: torch.full((2,), 1e5, dtype=torch.float16))
told(lambda: torch.ones(2).fill_(3.4028234663852886e38), lambda: torch.ones(2).half().fill_(65504.0))

# a size behind a tuple is a size; a part of one, too
size = torch.ones(2, 3).shape
seen.append(((4,) + size, () + size, size + (4,), size[:1], size * 2, 2 * size, (4, *size)))
told(lambda: size + size, lambda: [4] + list(size))

# the largest whole numbers there are
x = torch.tensor([1])
told(lambda: x + (2**63 - 1), lambda: x + 2**63, lambda: x * -(2**63), lambda: x * (-(2**63) - 1), lambda: x < 2**64)
told(lambda: torch.full((1,), 2**63), lambda: torch.tensor(2**63 - 1), lambda: torch.tensor(2**64), lambda: x == 2**63)

# a computed number may be negative
seen.append([torch.tensor([number]).sum().relu() for number in (-1.0, 0.0, 2.0, -3, 3)])

# what is clipped may be one tensor
p = w.detach().clone().requires_grad_()
clip, norm = torch.nn.utils.clip_grad_value_, torch.nn.utils.clip_grad_norm_
for f in (lambda: norm(p, 1.0), lambda: clip(p, 1), lambda: norm([], 1.0)):
    p.grad = torch.tensor([3.0, -4.0])
    seen.append((f(), p.grad))

# without a forward pass in anomaly mode there is no more to tell
y = w * 0
z = y / y
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    with torch.autograd.detect_anomaly():
        told(lambda: z.sum().backward())
seen.append([str(each.message)[:110] for each in caught if "Error detected" in str(each.message)])

# directions in a list or a tuple; a Jacobian that is differentiated, and one of what does not depend on it
f, d = torch.autograd.functional, w.detach().double().requires_grad_()
ones = torch.ones(2, dtype=torch.float64, requires_grad=True)
seen.append(torch.autograd.gradgradcheck(lambda x: (x**3, x**2), d, [ones, ones]))
seen.append(torch.autograd.gradcheck(lambda x, y: (x * 2, y * y), (d, ones)))
seen.append(f.jvp(lambda x, y: x * y, (w, w * 2), (w, w)))
f.jacobian(lambda x: x**3, w, create_graph=True).sum().backward()
seen.append((w.grad, f.jacobian(lambda x: torch.ones(2), w), f.jacobian(lambda x: x**2, w.detach(), create_graph=True)))

# a probability of 0 or 1 costs 100, and no more
bce = torch.nn.functional.binary_cross_entropy
p = torch.tensor([0.0, 1.0], requires_grad=True)
for target in (torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0]), torch.tensor([0.5, 0.5])):
    y = bce(p, target, reduction="none")
    seen.append((y, torch.autograd.grad(y.sum(), p)))

# normal numbers come in pairs: of the second a state knows, too
for count in (1, 2, 3):
    torch.manual_seed(1)
    torch.randn(count)
    state = torch.get_rng_state()
    first = torch.randn(3)
    torch.set_rng_state(state)
    seen.append((first, torch.randn(3), torch.rand(1)))

# a target of bytes, weights of whole numbers, and a target that needs a gradient
F = torch.nn.functional
x = torch.tensor([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]], requires_grad=True)
for kind in (torch.uint8, torch.int64, torch.int32, torch.float64):
    told(lambda: F.cross_entropy(x, torch.tensor([2, 0], dtype=kind)))
t = torch.tensor([[0.5, 1.0, 0.0], [1.0, 0.0, 0.25]], requires_grad=True)
for options in ({}, {"pos_weight": torch.tensor([1.0, 2.0, 3.0])}, {"weight": torch.tensor([1, 2, 3])}):
    y = F.binary_cross_entropy_with_logits(x, t, **options)
    seen.append((y, torch.autograd.grad(y, (x, t))))

# how layers are shown
nn = torch.nn
for layer in (
    nn.Linear(2, 3, False), nn.Conv2d(1, 2, 3, bias=False), nn.Conv2d(1, 2, (3, 2), (1, 2), 1), nn.MaxPool2d(2),
    nn.MaxPool2d((2, 1), stride=1, padding=(1, 0), ceil_mode=True), nn.AvgPool2d(2), nn.AvgPool2d((2, 1), 2, 1),
    nn.AdaptiveAvgPool2d(1), nn.Dropout(), nn.Dropout(0.2, inplace=True), nn.Dropout2d(), nn.Flatten(0, -2),
    nn.Unflatten(1, (2, 3)), nn.Identity(3, a=2), nn.Embedding(3, 4), nn.LayerNorm(3), nn.LayerNorm([3, 4], eps=1),
    nn.BatchNorm2d(3, affine=False), nn.ELU(), nn.ELU(0.5, True), nn.GELU("tanh"), nn.Hardtanh(), nn.Hardtanh(-2, 2),
    nn.Hardtanh(inplace=True), nn.LeakyReLU(0.2, True), nn.LogSoftmax(), nn.ReLU(True), nn.SELU(True), nn.SiLU(True),
    nn.Softmax(), nn.Softmax(dim=0), nn.Softplus(2, 3), nn.CrossEntropyLoss(torch.ones(2)), nn.MSELoss(reduction="sum"),
    nn.ParameterList([torch.ones(2)]), nn.ParameterDict({"a": torch.ones(2, 1)}), nn.ModuleList(None), nn.Sequential(),
    nn.ParameterList(None), nn.ParameterDict(None), nn.ModuleDict(None), nn.ModuleDict({"a": nn.ReLU()}),
):
    seen.append(layer)

# modules by name, in order, and put between others
from collections import OrderedDict
m = torch.nn.Sequential(OrderedDict(a=torch.nn.ReLU(), b=torch.nn.Tanh()))
seen.append((m, m.b is m[1]))
m = torch.nn.ModuleList([torch.nn.ReLU(), torch.nn.Tanh()])
for place in (2, 0, 4):
    m.insert(place, torch.nn.Identity())
    seen.append(m)

# where numbers are drawn from, and how many
draw = torch.randint
told(lambda: draw(0, (1,)), lambda: draw(3, 3, (1,)), lambda: draw(2, 3, (2,)))
told(lambda: draw(0, 256, (3,), dtype=torch.uint8), lambda: draw(-128, 128, (3,), dtype=torch.int8))
p = torch.tensor([0.5, 0.5])
told(lambda: torch.multinomial(p, 3), lambda: torch.multinomial(p, 2), lambda: torch.multinomial(p / 0, 1))
told(lambda: torch.multinomial(p * 0, 1), lambda: torch.multinomial(p - 1, 1), lambda: torch.multinomial(p, 0))

# how many batches there are
data = torch.utils.data
for size in (4, 5, 6):
    loaders = [data.DataLoader(range(size), 3, drop_last=drop) for drop in (True, False)]
    seen.append([(len(loader), [len(batch) for batch in loader]) for loader in loaders])
split = data.random_split
told(lambda: [len(part) for part in split(range(3), [1.0, 0.0])], lambda: split(range(3), [2, 2]))

# gains, and what they depend on
gain = torch.nn.init.calculate_gain
seen.append([gain(name) for name in ("linear", "sigmoid", "tanh", "relu", "selu", "conv2d", "leaky_relu")])
seen.append((gain("leaky_relu", 0.5), gain("leaky_relu", 0)))

# what is a module's own, without what its parts have
m = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
m.register_parameter("p", torch.nn.Parameter(torch.ones(1)))
m.register_buffer("b", torch.ones(1))
for names in (m.named_parameters, m.named_buffers):
    seen.append([[name for name, _ in names(**how)] for how in ({}, {"recurse": False}, {"prefix": "x"})])
seen.append((len(list(m.parameters(False))), m[0:1], m[-2], m.state_dict(keep_vars=True)["p"].is_leaf))
told(lambda: m[2], lambda: m[-3], lambda: torch.nn.Dropout(0.0), lambda: torch.nn.Dropout(1.0)(torch.ones(2)))

# powers, steps, and places at their bounds
n = torch.tensor([2, 3])
told(lambda: n**0, lambda: n**-1, lambda: n**0.5, lambda: torch.tensor([True]) ** 2, lambda: 2**n, lambda: 2.5**n)
told(lambda: w[2], lambda: w[-3], lambda: w[-2], lambda: w.select(0, 2), lambda: w.select(0, -3), lambda: w[::0])
told(lambda: n[torch.tensor([2])], lambda: n[torch.tensor([-3])], lambda: n[[-2, 1]], lambda: n[1:9], lambda: n[2**70])
told(lambda: torch.arange(0, 0), lambda: torch.arange(1, 0), lambda: torch.arange(0, 1, 0))
told(lambda: torch.arange(3, 0, -1), lambda: w.chunk(0))
told(lambda: torch.zeros(-1), lambda: torch.zeros(0), lambda: w.topk(2), lambda: w.topk(3), lambda: w.topk(0))
told(lambda: torch.tensor(1.0).topk(1), lambda: torch.tensor(3.0).sort(), lambda: w.split(-1), lambda: w.repeat(-1))

# a mask beside other places
x = torch.arange(24.0).reshape(2, 3, 4)
mask = torch.tensor([True, False, True])
told(lambda: x[:, mask], lambda: x[0, mask, 1], lambda: x[1, mask, torch.tensor([0, 3])], lambda: x[mask])
told(lambda: x[:, mask, mask])
told(lambda: x[0][mask[:, None].expand(3, 4)], lambda: x[:, :, [True, False, False, True]], lambda: x[..., mask[:2]])
x[:, mask] = torch.tensor([[5.0], [6.0]])
x[0, mask, 0] = -1
x[1, mask] += 1
seen.append(x)

# deviations of fewer numbers than they are corrected by, and norms of the largest
x = torch.tensor([[1.0, 4.0, 8.0]], requires_grad=True)
for options in ({}, {"dim": 0}, {"correction": 0}, {"correction": 2}, {"unbiased": False}, {"dim": 1, "correction": 3}):
    y = x.std(**options)
    seen.append((y, x.var(**options), torch.autograd.grad(y.sum(), x)[0]))
seen.append([x.norm(p, 1) for p in (1, 2, 3, float("inf"))])

# what goes beyond the options of an optimizer
for kind, options in (
    ("SGD", {"lr": -1}), ("SGD", {"nesterov": True}), ("SGD", {"nesterov": True, "momentum": 0.5, "dampening": 0.1}),
    ("Adam", {"betas": (1.0, 0.5)}), ("Adam", {"betas": (0.5, -0.1)}), ("Adam", {"eps": -1}),
    ("SGD", {"momentum": -0.1}),
):
    told(lambda: getattr(torch.optim, kind)([w], **options))
for options in ({"betas": (0.0, 0.0)}, {"eps": 0, "lr": 0.0}, {"weight_decay": 0.5, "amsgrad": True, "maximize": True}):
    o = torch.optim.Adam([w], **options)
    w.grad = torch.tensor([1.0, -2.0])
    o.step()
    seen.append(w)

# a tensor that is made of a tensor is that one, in the graph, too
y = torch.Tensor(w * 2)
(y * y).sum().backward()
seen.append((w.grad, y.grad_fn.name(), torch.FloatTensor(w).grad_fn.name(), w.new(w).requires_grad))
x = torch.tensor([1, 2])
torch.LongTensor(x)[0] = 5
told(lambda: torch.Tensor(x), lambda: x._version, lambda: torch.Tensor(x)._base is x, lambda: torch.Tensor(x[0]))

# seeds at their bounds, and whole numbers from wide ranges
for seed in (0, -1, -(2**63), 2**64 - 1, 2**64, -(2**63) - 1, 2**63):
    told(lambda: torch.manual_seed(seed) and torch.rand(1))
torch.manual_seed(4)
for high in (2**28 - 1, 2**28, 2**28 + 1, 2**32, 2**40, 2**63 - 1):
    seen.append((torch.randint(high, (2,)), torch.randint(-5, high - 5, (1,)), torch.rand(1)))
told(lambda: torch.randint(-(2**63), 2**63 - 1, (2,)))

# rounded to so many places
x = torch.tensor([1.25, -17.5, 0.0], requires_grad=True)
for places in (2, 1, -1):
    y = x.round(decimals=places)
    seen.append((y, torch.autograd.grad(y.sum(), x)))

# the deviation of numbers that are all alike, and of what has none
for numbers in ([2.0, 2.0], [2.0], [float("inf"), 1.0], [0.0, 0.0, 0.0], [1e30, -1e30]):
    x = torch.tensor(numbers, requires_grad=True)
    for f in (torch.std, torch.var):
        for correction in (0, 1, 2):
            y = f(x, 0, correction=correction)
            seen.append((y, torch.autograd.grad(y, x)[0]))

# windows that hang over
F, x = torch.nn.functional, torch.arange(49.0, requires_grad=True).reshape(1, 7, 7)
for options in ((2, 2, 0), (3, 2, 1), (3, 3, 1), (2, 3, 1), ((3, 2), (2, 1), (1, 0)), (7, 4, 3), (1, 2, 0)):
    for ceil in (True, False):
        y = F.max_pool2d(x, *options, ceil_mode=ceil)
        seen.append((y, y.sum().backward(), torch.autograd.grad(F.avg_pool2d(x, *options).pow(2).sum(), x)[0]))
told(lambda: F.max_pool2d(x, 2, 2, 2), lambda: F.max_pool2d(x, 9), lambda: F.max_pool2d(x, 2, 0))
told(lambda: F.avg_pool2d(x, 2, 2, -1))

# a module in another type
m = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
for change in (m.half, m.double, m.float, lambda: m.to(torch.float64), lambda: m.to(torch.ones(1))):
    seen.append([(name, value.dtype) for name, value in change().state_dict().items()])
m = torch.nn.Linear(2, 1).half()
seen.append((m(w.detach().half()).dtype, m.weight.requires_grad, m.weight.is_leaf))
told(lambda: m(w), lambda: m.to(torch.int64))

# what samples are may be said
class Squares(torch.utils.data.Dataset[int]):
    def __getitem__(self, i):
        return i * i
    def __len__(self):
        return 3
seen.append([batch.tolist() for batch in torch.utils.data.DataLoader(Squares(), 2)])
told(lambda: torch.utils.data.Dataset()[0])

# the recorded gradients of a layer need a gradient themselves wherever its input or its weight does
F = torch.nn.functional
for tracked in ((True, True, True), (False, True, True), (True, False, True)):
    for size, weights, f in (
        ((2, 3), (3,), lambda x, a, b: F.layer_norm(x, (3,), a, b)), ((1, 1, 3, 3), (1, 1, 2, 2), F.conv2d),
        ((2, 3), (3,), lambda x, a, b: F.batch_norm(x, None, None, a, b, training=True)),
    ):
        given = [torch.ones(shape, requires_grad=each) for shape, each in zip((size, weights, weights[:1]), tracked)]
        leaves = [each for each in given if each.requires_grad]
        grads = torch.autograd.grad(f(*given).sum(), leaves, create_graph=True)
        seen.append([each.requires_grad for each in grads])
        told(lambda: torch.autograd.grad(grads[-1].sum(), leaves, allow_unused=True))

# one row for each class lies in order, whichever way the classes were turned; and so do numbers drawn around others
classes = torch.tensor([[0, 1, 2], [2, 1, 0]])
seen.append([torch.nn.functional.one_hot(one).view(-1).tolist() for one in (classes, classes.t())])
table = torch.arange(6.0).reshape(2, 3)
for mean, std in ((table.t(), 1.0), (0.0, table.t()), (table.t(), table.t()), (table.t(), table.reshape(3, 2))):
    torch.manual_seed(1)
    seen.append(torch.normal(mean, std).view(-1))

# a table is normalised as one, too
table = torch.arange(1.0, 7.0).reshape(2, 3)
seen.append([torch.nn.functional.normalize(table, dim=dim).tolist() for dim in ((0, 1), (1,), 0)])

# what einsum makes lies in order, if it may, whichever operand has the last index
x, y = torch.arange(24.0).view(2, 3, 4), torch.arange(40.0).view(2, 4, 5).requires_grad_()
for equation in ("bij,bjk->bki", "bij,bjk->bik", "bij,bjk->kib", "bij,bjk->ibk", "ijk,lkm->lmij", "ijk,lkm->limj"):
    z = torch.einsum(equation, x, y)
    seen.append((equation, z.stride(), z.sum(-1)))
for equation in ("ijk->ki", "ijk->ik", "ijk->kji", "ijk->j"):
    z = torch.einsum(equation, y)
    seen.append((z, z.stride(), torch.autograd.grad(z.pow(2).sum(), y)))

# whole numbers are counted from, to and by whole numbers
for numbers in ((2.5,), (-0.5, 2.7), (2.7, -1.5, -1), (0, 5.5, 1.5), (0.5, 3.5)):
    seen += [torch.arange(*numbers, dtype=kind) for kind in (torch.int64, torch.int32, torch.int8, torch.float32)]
seen += [torch.arange(0, 10, 2.5, dtype=torch.int16), torch.arange(0, 2, 0.5, dtype=torch.int32), torch.arange(2.5)]

# of an array the numbers that its new type cannot hold go round, of a list they are refused
seen.append((torch.tensor(np.array([300, -1]), dtype=torch.uint8), torch.tensor(np.array([2**40]), dtype=torch.int32)))
told(lambda: torch.tensor([300], dtype=torch.uint8), lambda: torch.tensor([np.int64(-200)], dtype=torch.int8))

# a table of vectors that there are draws no numbers, shares their memory, and learns only if it is told to
table = torch.arange(6.0).view(3, 2)
for freeze in (True, False):
    layer = torch.nn.Embedding.from_pretrained(table, freeze=freeze)
    (layer(torch.tensor([2, 0, 2])) * w[0]).sum().backward()
    seen.append((str(layer), layer.weight.requires_grad, layer.weight.grad, [*layer.state_dict()], w.grad))
table[0] = 7.0
seen.append(layer.weight)
seen.append(torch.rand(2))

# the elements move along: all in one row, or along dimensions
x = torch.arange(12.0).view(3, 4).requires_grad_()
y = torch.roll(x * x, (1, -2), (0, 1))
(grad,) = torch.autograd.grad((y * y * torch.arange(12.0).view(3, 4)).sum(), x, create_graph=True)
seen += [y, y.grad_fn.name(), grad, torch.autograd.grad(grad.sum(), x)[0], x.roll(5), x.roll(-1, 1)]
seen += [torch.roll(x.t(), 1, 0), torch.roll(x, (1, 1), (0, 0)), torch.roll(torch.tensor(3), 1)]
told(lambda: torch.roll(x, (1, 2)), lambda: torch.roll(x, 1, 5), lambda: torch.roll(x, 1.5))

# a hook behind a leaf's gradient gives nothing, or the leaf; a lambda may give something else
w.register_post_accumulate_grad_hook(lambda leaf: leaf.mul_(2))
w.sum().backward()
seen.append(w)
w.register_post_accumulate_grad_hook(lambda leaf: leaf.grad.zero_())
w.sum().backward()

# a Function may write the view that it gives back
class Part(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        part = x.clone()[:2]
        part += 2
        return part

    @staticmethod
    def backward(ctx, grad):
        return torch.cat((grad * 3, torch.zeros(len(w) - 2)))
part = Part.apply(w)
seen.append(type(part.grad_fn).__name__)
part.sum().backward()
seen.append(w.grad)
"""
NAMED = dict(part.split("\n", 1) for part in re.split(r"^# ", PROGRAMS, flags=re.MULTILINE)[1:])


def seen(library: ModuleType, program: str) -> list[str]:
    """What a program has seen, and its error."""
    found: list[Any] = []

    def told(*calls: Any) -> None:
        for call in calls:
            try:
                found.append(call())
            except Exception as error:
                found.append(first_line(error))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            w = library.tensor([1.0, 2.0], requires_grad=True)
            exec(program, {"torch": library, "seen": found, "told": told, "w": w, "np": np, "warnings": warnings})
        except Exception as error:
            found.append(first_line(error))
    return [renamed(str(one)) for one in found]


@pytest.mark.parametrize("name", NAMED)
def test_what_a_mutant_did_unnoticed(name: str) -> None:
    ours = seen(minigrad, NAMED[name])
    assert ours
    assert ours == seen(torch, NAMED[name])


def test_a_warning_names_the_line_that_is_to_blame() -> None:
    """Not one of the library's own: a notebook shows the line beside the warning."""
    w = minigrad.tensor([0.0], requires_grad=True)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", UserWarning)
        with minigrad.autograd.detect_anomaly(), pytest.raises(RuntimeError):
            (w * 0 / w).sum().backward()
    assert [warning.filename for warning in told] == [__file__, __file__]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", DeprecationWarning)
        minigrad.autograd.Function()
    assert [warning.filename for warning in told] == [__file__]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", UserWarning)
        minigrad.autograd.gradcheck(lambda x: x * 2, w, eps=0.1, atol=1)
        (w * w).sum().backward(create_graph=True)
    assert [warning.filename for warning in told] == [__file__, __file__]


def test_a_sum_that_overflows_warns_of_nothing() -> None:
    """`array.sum()` warns from a file of numpy's: a training that went to inf said so, about no line of the program."""
    program = """
import numpy, minigrad
x = minigrad.full((3,), 3e38, requires_grad=True)
losses = [x.sum(), x.mean(0), x.prod(), (x - x * 2).cumsum(0), (x + minigrad.zeros(2, 3)).sum() * 3e38]
sum(loss.sum() for loss in losses).backward()
numpy.sum(x.detach().numpy())
"""
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stderr
    assert re.findall(r"(\w+\.py):\d+: (\w+)", told) == [("fromnumeric.py", "RuntimeWarning")]  # numpy.sum's own


def test_numpy_beside_a_tensor_says_what_to_do() -> None:
    """An array among the two is the reason, wherever it stands; without one it is another."""
    w = minigrad.tensor([3.0, 4.0], requires_grad=True)
    for inputs in ((np.ones(2), w), (w, np.ones(2))):
        with pytest.raises(RuntimeError, match=r"Can't call numpy\(\)") as caught:
            np.hypot(*inputs)
        assert any("torch.tensor(array)" in note for note in caught.value.__notes__)
    with pytest.raises(RuntimeError, match=r"Can't call numpy\(\)") as caught:
        np.hypot(w, w)
    assert not any("torch.tensor(array)" in note for note in getattr(caught.value, "__notes__", ()))


@pytest.mark.parametrize(
    ("cut", "by"),
    [
        (lambda w: w.detach().sum(), "detach()"),
        (lambda w: w.data.sum(), ".data"),
        (lambda w: minigrad.tensor(w.sum().item()), "item()"),
        (lambda w: (w.argmax(0) == 1).float().mean(), "argmax"),
        (lambda w: w.long().float().sum(), "long()"),
    ],
    ids=["detach", "data", "item", "accuracy", "whole numbers"],
)
def test_a_result_without_a_graph_may_come_from_what_needs_a_gradient(cut: Any, by: str) -> None:
    """The hint said that nothing there had `requires_grad=True`, or all was under `no_grad`: so it is not here."""
    with pytest.raises(RuntimeError, match="does not require grad") as caught:
        cut(minigrad.tensor([1.0, 2.0], requires_grad=True)).backward()
    assert any(by in note for note in caught.value.__notes__)


def of_inference() -> Any:
    with minigrad.inference_mode():
        return minigrad.ones(2)


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        (lambda: minigrad.nn.Linear(2, 2)(None), ("return", "forward()")),
        (lambda: minigrad.nn.Linear(2, 2)([1.0, 2.0]), ("torch.tensor",)),
        (lambda: minigrad.ones(2, requires_grad=True) * of_inference(), ("clone()", "no_grad()")),
        (
            lambda: minigrad.nn.CrossEntropyLoss()(minigrad.ones(1, 1), minigrad.tensor([1])),
            ("BCEWithLogits", "0 to 0"),
        ),
    ],
    ids=["a forward without return", "a list", "made in inference mode", "one score for two classes"],
)
def test_what_helps_is_said_in_both_languages(mistake: Any, words: tuple[str, ...]) -> None:
    with pytest.raises((TypeError, RuntimeError, IndexError)) as caught:
        mistake()
    ((english, chinese),) = caught.value._hints
    assert all(word in english for word in words)
    assert all(word in chinese for word in words if " to " not in word)
    saved = minigrad.ones(2, requires_grad=True) + of_inference()  # what saves nothing takes part all the same
    assert saved.requires_grad


def test_an_error_in_a_rule_itself_comes_out_as_it_is() -> None:
    """Operands that fail together may be in two places; these are not, and whoever wrote the rule must see why."""

    @op("WrongBackward0", self=lambda grad: grad)
    def wrong(self):
        raise TypeError("a mistake in the rule")

    with pytest.raises(TypeError, match="^a mistake in the rule$"):
        wrong(minigrad.ones(2))


@pytest.mark.parametrize("mode", ["all", "any"])
def test_a_hook_for_several_gradients_is_shown_by_the_name_that_pytorch_shows(mode: str) -> None:
    """The picture names the hooks of a tensor."""

    def watch(grads: Any) -> None:
        pass

    def shown(library: ModuleType) -> list[str]:
        w = library.ones(2, requires_grad=True)
        library.autograd.graph.register_multi_grad_hook([w], watch, mode=mode)
        return [hook.__name__ for hook in w._backward_hooks.values()]

    assert shown(minigrad) == shown(torch)


@pytest.mark.parametrize(
    "index", [[0, 1], [True, True, False], [[0, 1], [1, 0]]], ids=["numbers", "mask", "a table of numbers"]
)
def test_a_gradient_goes_where_an_index_pointed_when_it_was_read(index: list[Any]) -> None:
    """PyTorch refuses an index that was written since; minigrad keeps its own, so nothing can go wrong."""
    grads = []
    for writes in (False, True):
        w, to = (minigrad.tensor([1.0, 2.0, 3.0], requires_grad=True) for _ in "wt")
        at = minigrad.tensor(index)
        read, written = w[at] * 2, minigrad.zeros(3)
        written[at] = to[at]
        if writes:
            at.zero_()
        (read.sum() + (written * minigrad.tensor([1.0, 2.0, 3.0])).sum()).backward()
        grads.append((w.grad.tolist(), to.grad.tolist()))
    assert grads[0] == grads[1]
    assert sum(grads[0][0]) > 0


def test_memory_that_may_only_be_read() -> None:
    """PyTorch writes it, after a warning; and nothing says that its elements are one and the same."""
    array = np.ones(2, np.float32)
    array.flags.writeable = False
    x, w = minigrad.from_numpy(array), minigrad.ones(2, requires_grad=True)
    w.grad = x
    for write in (lambda: x.add_(1), lambda: x.zero_(), lambda: x.__setitem__(0, 3), lambda: w.sum().backward()):
        with pytest.raises(RuntimeError, match="may only be read") as caught:
            write()
        assert any("clone()" in note for note in caught.value.__notes__)
    assert array.tolist() == [1, 1]


def test_an_operation_of_two_tensors_may_be_what_users_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """CONTRIBUTING.md says how; minigrad's own rules of two tensors need more than that, or have no `x.f_()`."""
    monkeypatch.setattr(table, "TABLE", {})

    @binary("LogaddexpBackward0", self=lambda grad: grad, other=lambda grad: grad, public=table.two_tensors)
    def logaddexp(self, other):
        return np.logaddexp(self, other)

    assert [*table.TABLE] == ["logaddexp"]
    row = table.TABLE["logaddexp"]
    assert row.function is row.twin is logaddexp
    assert row.like is table.two_tensors
    assert row.function(minigrad.zeros(2), minigrad.zeros(2)).tolist() == pytest.approx([np.log(2)] * 2)


def test_an_operation_called_on_arrays_is_just_its_forward() -> None:
    """So a formula may use one, whatever it is given."""
    a, b = np.array([1.0, 5.0]), np.array([2.0, 3.0])
    for result, wanted in (
        (pointwise.maximum(a, b), [2, 5]), (pointwise.mul(a, b), [2, 15]), (pointwise.sub(a, 2.0), [-1, 3]),
        (pointwise.lt(a, b), [True, False]), (pointwise.eq(a, 5.0), [False, True]),
    ):  # fmt: skip
        assert type(result) is np.ndarray
        assert result.tolist() == wanted
