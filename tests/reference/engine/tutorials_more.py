# More of what PyTorch's lessons do, and the errors that they provoke. A cell starts at "# %%" and runs alone.

# %% a third-order polynomial, with numpy
import math

import numpy as np

x = np.linspace(-math.pi, math.pi, 50)
y = np.sin(x)
a, b, c, d = 0.1, 0.2, 0.3, 0.4
for t in range(3):
    y_pred = a + b * x + c * x**2 + d * x**3
    loss = np.square(y_pred - y).sum()
    grad = 2.0 * (y_pred - y)
    a -= 1e-6 * grad.sum()
    b -= 1e-6 * (grad * x).sum()
print(round(float(loss), 4))

# %% a third-order polynomial, with tensors
import math

x = torch.linspace(-math.pi, 2.0, 50, dtype=torch.float64)
y = torch.sin(x)
a, b, c, d = (torch.randn((), dtype=torch.float64) for _ in range(4))
for t in range(3):
    y_pred = a + b * x + c * x**2 + d * x**3
    loss = (y_pred - y).pow(2).sum().item()
    grad = 2.0 * (y_pred - y)
    a -= 1e-6 * grad.sum()
    b -= 1e-6 * (grad * x).sum()
    c -= 1e-6 * (grad * x**2).sum()
    d -= 1e-6 * (grad * x**3).sum()
print(f"{loss:.4f}", f"y = {a.item():.4f} + {b.item():.4f} x + {c.item():.4f} x^2 + {d.item():.4f} x^3")

# %% a third-order polynomial, with autograd
import math

x = torch.linspace(-math.pi, 2.0, 50, dtype=torch.float64)
y = torch.sin(x)
a, b, c, d = (torch.randn((), dtype=torch.float64, requires_grad=True) for _ in range(4))
for t in range(3):
    y_pred = a + b * x + c * x**2 + d * x**3
    loss = (y_pred - y).pow(2).sum()
    print(f"{loss.item():.4f}")
    loss.backward()
    with torch.no_grad():
        for p in (a, b, c, d):
            p -= 1e-6 * p.grad
            p.grad = None
print(f"{a.item():.4f} {b.item():.4f} {c.item():.4f} {d.item():.4f}")

# %% a Legendre polynomial as a Function
import math


class LegendrePolynomial3(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return 0.5 * (5 * input**3 - 3 * input)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * 1.5 * (5 * input**2 - 1)


x = torch.linspace(-1.0, 2.0, 8)
y = torch.sin(x)
a = torch.full((), 0.0, requires_grad=True)
b = torch.full((), -1.0, requires_grad=True)
c = torch.full((), 0.0, requires_grad=True)
d = torch.full((), 0.3, requires_grad=True)
for t in range(3):
    P3 = LegendrePolynomial3.apply
    y_pred = a + b * P3(c + d * x)
    loss = (y_pred - y).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        for p in (a, b, c, d):
            p -= 5e-6 * p.grad
            p.grad = None
print(y_pred.grad_fn.next_functions[1][0].next_functions[1][0])
print(f"{loss.item():.3f}")

# %% a third-order polynomial, with nn and optim
import math

x = torch.linspace(-1.0, 2.0, 8)
y = torch.sin(x)
p = torch.tensor([1, 2, 3])
xx = x.unsqueeze(-1).pow(p)
model = torch.nn.Sequential(torch.nn.Linear(3, 1), torch.nn.Flatten(0, 1))
loss_fn = torch.nn.MSELoss(reduction="sum")
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
for t in range(3):
    y_pred = model(xx)
    loss = loss_fn(y_pred, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(y_pred.shape, model[0].weight.shape, loss.grad_fn)

# %% a third-order polynomial as a Module
class Polynomial3(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Parameter(torch.randn(()))
        self.b = torch.nn.Parameter(torch.randn(()))

    def forward(self, x):
        return self.a + self.b * x

    def string(self):
        return f"y = {self.a.item():.4f} + {self.b.item():.4f} x"


model = Polynomial3()
criterion = torch.nn.MSELoss(reduction="sum")
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
x = torch.linspace(-1, 2, 8)
for t in range(5):
    loss = criterion(model(x), 2 * x + 1)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(model.string(), list(model.named_parameters()))

# %% how the gradients of a model are found
x = torch.ones(2, 3)
model = torch.nn.Linear(3, 2)
prediction = model(x)
loss = (prediction - torch.zeros(2, 2)).sum()
loss.backward()
optim = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
optim.step()
print(model.bias.grad, model.weight.grad)

# %% a Linear as a Function
class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias):
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight, bias)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(input)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


input = (
    torch.randn(4, 3, dtype=torch.double, requires_grad=True),
    torch.randn(5, 3, dtype=torch.double, requires_grad=True),
    torch.randn(5, dtype=torch.double, requires_grad=True),
)
print(torch.autograd.gradcheck(LinearFunction.apply, input, eps=1e-6, atol=1e-4))
out = LinearFunction.apply(*input)
print(out.grad_fn, [f.name() for f, _ in out.grad_fn.next_functions])
out = LinearFunction.apply(input[0].detach(), input[1], None)
print(out.grad_fn.next_functions)
out.sum().backward()

# %% a Linear as a Function in a Module
class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight):
        ctx.save_for_backward(input, weight)
        return input.mm(weight.t())

    @staticmethod
    def backward(ctx, g):
        input, weight = ctx.saved_tensors
        return g.mm(weight), g.t().mm(input)


class MyLinear(torch.nn.Module):
    def __init__(self, input_features, output_features, bias=True):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(output_features, input_features))
        if bias:
            self.bias = torch.nn.Parameter(torch.empty(output_features))
        else:
            self.register_parameter("bias", None)
        torch.nn.init.uniform_(self.weight, -0.1, 0.1)

    def forward(self, input):
        return LinearFunction.apply(input, self.weight)

    def extra_repr(self):
        return f"in_features={self.weight.shape[1]}, bias={self.bias is not None}"


model = MyLinear(3, 2, bias=False)
state = model.state_dict()
print(model, type(state).__name__, list(state.items()))  # Python 3.12 prints an OrderedDict in another way
model(torch.ones(1, 3)).sum().backward()
print(model.weight.grad)

# %% a constant that is multiplied
class MulConstant(torch.autograd.Function):
    @staticmethod
    def forward(tensor, constant):
        return tensor * constant

    @staticmethod
    def setup_context(ctx, inputs, output):
        tensor, constant = inputs
        ctx.constant = constant
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None, None
        return grad_output * ctx.constant, None


x = torch.ones(2, requires_grad=True)
y = MulConstant.apply(x, 5)
y.sum().backward()
print(y, x.grad)

# %% cube with an intermediate result
class MyCube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        dx = 3 * x**2
        return x**3, dx

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        result, dx = output
        ctx.save_for_backward(x, dx)

    @staticmethod
    def backward(ctx, grad_output, grad_dx):
        x, dx = ctx.saved_tensors
        return grad_output * dx + grad_dx * 6 * x


def my_cube(x):
    result, dx = MyCube.apply(x)
    return result


x = torch.tensor(2.0, requires_grad=True, dtype=torch.double)
y = my_cube(x)
(gx,) = torch.autograd.grad(y, x, create_graph=True)
(ggx,) = torch.autograd.grad(gx, x)
print(y, gx, ggx, torch.autograd.gradcheck(my_cube, (x,)), torch.autograd.gradgradcheck(my_cube, (x,)))

# %% a sinh with its exponentials as results
class Sinh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        expx = torch.exp(x)
        expnegx = torch.exp(-x)
        ctx.save_for_backward(expx, expnegx)
        return (expx - expnegx) / 2, expx, expnegx

    @staticmethod
    def backward(ctx, grad_out, _grad_out_exp, _grad_out_negexp):
        expx, expnegx = ctx.saved_tensors
        grad_input = grad_out * (expx + expnegx) / 2
        grad_input += _grad_out_exp * expx
        grad_input -= _grad_out_negexp * expnegx
        return grad_input


def sinh(x):
    return Sinh.apply(x)[0]


x = torch.rand(3, 3, requires_grad=True, dtype=torch.double)
print(torch.autograd.gradcheck(sinh, x), torch.autograd.gradgradcheck(sinh, x))

# %% gradients of each sample, one by one
model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))
data, targets = torch.randn(4, 3), torch.randn(4, 1)


def compute_grad(sample, target):
    prediction = model(sample.unsqueeze(0))
    loss = torch.nn.functional.mse_loss(prediction, target.unsqueeze(0))
    return torch.autograd.grad(loss, list(model.parameters()))


per_sample = [compute_grad(data[i], targets[i]) for i in range(4)]
stacked = [torch.stack(shards) for shards in zip(*per_sample)]
print([tuple(s.shape) for s in stacked])
whole = torch.autograd.grad(torch.nn.functional.mse_loss(model(data), targets), list(model.parameters()))
print([torch.allclose(s.mean(0), w, atol=1e-6) for s, w in zip(stacked, whole)])

# %% jacobian row by row
def predict(weight, bias, x):
    return torch.nn.functional.linear(x, weight, bias).tanh()


weight = torch.randn(3, 3, dtype=torch.float64)
bias = torch.randn(3, dtype=torch.float64)
x = torch.randn(3, dtype=torch.float64)
xp = x.clone().requires_grad_()


def compute_jac(xp):
    rows = [torch.autograd.grad(predict(weight, bias, xp), xp, vec)[0] for vec in torch.eye(3, dtype=torch.float64)]
    return torch.stack(rows)


jacobian = compute_jac(xp)
print(jacobian.shape, torch.allclose(jacobian, torch.autograd.functional.jacobian(lambda x: predict(weight, bias, x), x)))

# %% jacobians and hessians with options
def f(x, y):
    return (x * y).sum(), x**2


x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
print(torch.autograd.functional.jacobian(f, (x, y)))
print(torch.autograd.functional.hessian(lambda x, y: (x**2 * y).sum(), (x, y)))
print(torch.autograd.functional.hvp(lambda x: (x**3).sum(), x, torch.ones(2)))
print(torch.autograd.functional.vhp(lambda x: (x**3).sum(), x, torch.ones(2)))
print(torch.autograd.functional.jvp(lambda x: x**3, x, torch.ones(2)))
print(torch.autograd.functional.vjp(lambda x: x**3, x, torch.ones(2)))

# %% a hessian of a vector
torch.autograd.functional.hessian(lambda x: x**2, torch.ones(2))

# %% vjp of a vector without v
torch.autograd.functional.vjp(lambda x: x**2, torch.ones(2))

# %% jvp with a v of another size
torch.autograd.functional.jvp(lambda x: x**2, torch.ones(2), torch.ones(3))

# %% jacobian of what does not depend
print(torch.autograd.functional.jacobian(lambda x: torch.ones(2), torch.ones(2)))

# %% gradient accumulation over batches
model = torch.nn.Linear(2, 1, bias=False)
data = torch.arange(8.0).reshape(4, 2)
model.zero_grad()
for batch in data.split(2):
    (model(batch).pow(2).mean() / 2).backward()
accumulated = model.weight.grad.clone()
model.zero_grad()
model(data).pow(2).mean().backward()
print(torch.allclose(accumulated, model.weight.grad))

# %% a scheduler
w = torch.ones(1, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
for epoch in range(5):
    optimizer.step()
    scheduler.step()
    print(scheduler.get_last_lr())

# %% a scheduler before the optimizer
w = torch.ones(1, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
scheduler.step()
optimizer.step()

# %% saved tensors and their versions
a = torch.ones(2, requires_grad=True)
b = a * 2
c = b.exp()
print(c.grad_fn._saved_result is c, c.grad_fn._saved_result.equal(c))
b.add_(1)
c.sum().backward()
print(a.grad)
c = (a * 2).exp()
c.add_(1)
c.grad_fn.next_functions[0][0]._saved_result

# %% saved values after backward
a = torch.tensor([2.0], requires_grad=True)
y = a.pow(2)
y.backward()
y.grad_fn._saved_self

# %% saved values that are no tensors, after backward
a = torch.tensor([2.0], requires_grad=True)
y = a.pow(2)
y.backward()
print(y.grad_fn._saved_exponent)
z = a * 2
print(z.grad_fn._saved_self)
z.backward()
print(z.grad_fn._saved_self)
z.grad_fn._saved_other

# %% saving on the way to a file, here a list
stored = []


def pack(x):
    stored.append(x.detach().clone())
    return len(stored) - 1


x = torch.randn(3, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, lambda i: stored[i]):
    y = (x * x).exp()
y.sum().backward()
print(len(stored), torch.allclose(x.grad, 2 * x * y))

# %% an unpack hook that returns no tensor
x = torch.ones(3, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: "t"):
    y = x * x
y.sum().backward()

# %% a pack hook that writes
x = torch.ones(3, requires_grad=True)


def pack(t):
    t *= 2
    return t


with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
    y = (x * 1) * (x * 1)

# %% hooks are switched off
with torch.autograd.graph.disable_saved_tensors_hooks("not here"):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        pass

# %% in-place versus out-of-place, and who may
x = torch.rand(2, requires_grad=True)
y = x.clone()
y.relu_()
y.detach().add_(1)
y.sum().backward()

# %% views and in-place in the notes
base = torch.rand(4, requires_grad=True).clone()
view = base[:2]
view.mul_(2)
print(base.grad_fn, view.grad_fn, view._base is base, view._is_view(), base._version)

# %% a view made under no_grad and written outside
base = torch.ones(4, requires_grad=True).clone()
with torch.no_grad():
    view = base[:2]
view.mul_(2)

# %% one of several views is written
a, b = torch.ones(4, requires_grad=True).clone().split(2)
a.mul_(2)

# %% modes and leaves
x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    y = x * 2
    with torch.enable_grad():
        z = x * 3
print(y.requires_grad, z.requires_grad, torch.is_grad_enabled())
with torch.inference_mode():
    w = x * 2
print(w.is_inference(), w.requires_grad)
w.requires_grad_()

# %% an inference tensor is written outside
with torch.inference_mode():
    w = torch.ones(2)
w.add_(1)

# %% nothing breaks with a set of hooks on nodes
x = torch.ones(2, requires_grad=True)
y = x.exp()
z = y.sum()
z.grad_fn.register_prehook(lambda gs: print("pre", gs))
z.grad_fn.register_hook(lambda gi, go: print("post", gi, go))
y.grad_fn.register_hook(lambda gi, go: (gi[0] * 10,))
z.backward()
print(x.grad)

# %% gradcheck tells how far off it is
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 3


torch.autograd.gradcheck(Wrong.apply, torch.ones(2, dtype=torch.double, requires_grad=True))

# %% gradcheck in single precision
print(torch.autograd.gradcheck(lambda x: x * 2, torch.ones(2, requires_grad=True), atol=1e-2))

# %% gradients with respect to an image
image = torch.rand(1, 4, 4, requires_grad=True)
model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(16, 3))
score = model(image)[0, 1]
score.backward()
print(image.grad.shape, torch.equal(image.grad.reshape(-1), model[1].weight[1]))
with torch.no_grad():
    image += 0.01 * image.grad.sign()
    image.clamp_(0, 1)
print(image.is_leaf, image.requires_grad)

# %% gradient penalty
model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
x = torch.randn(5, 2, requires_grad=True)
out = model(x)
(g,) = torch.autograd.grad(out, x, grad_outputs=torch.ones_like(out), create_graph=True)
penalty = ((g.norm(2, dim=1) - 1) ** 2).mean()
penalty.backward()
print(g.grad_fn, penalty.grad_fn, [p.grad is not None for p in model.parameters()])

# %% a straight-through estimator
class STE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return (x > 0).float()

    @staticmethod
    def backward(ctx, g):
        return torch.nn.functional.hardtanh(g)


x = torch.tensor([-0.5, 0.5], requires_grad=True)
(STE.apply(x) * torch.tensor([3.0, 0.5])).sum().backward()
print(x.grad)
x.grad = None
y = (x > 0).float() + x - x.detach()
y.sum().backward()
print(x.grad)

# %% gradient reversal
class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return g.neg() * ctx.strength, None


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Reverse.apply(x, 0.5)
print(y)
y.sum().backward()
print(x.grad)

# %% checkpointing by hand
class Checkpoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, f, *args):
        ctx.f = f
        ctx.save_for_backward(*args)
        with torch.no_grad():
            return f(*args)

    @staticmethod
    def backward(ctx, g):
        args = [a.detach().requires_grad_() for a in ctx.saved_tensors]
        with torch.enable_grad():
            out = ctx.f(*args)
        torch.autograd.backward(out, g)
        return None, *[a.grad for a in args]


x = torch.tensor([1.0, 2.0], requires_grad=True)
Checkpoint.apply(lambda x: x.exp().sin(), x).sum().backward()
(g,) = torch.autograd.grad(x.exp().sin().sum(), x)
print(torch.allclose(g, x.grad))

# %% truncated backpropagation through time
w = torch.tensor(0.5, requires_grad=True)
h = torch.tensor(1.0)
for t in range(6):
    h = torch.tanh(w * h)
    if t % 3 == 2:
        h.backward()
        print(w.grad)
        h = h.detach()

# %% data leaks into a loop
total = 0
w = torch.tensor(1.0, requires_grad=True)
for _ in range(3):
    total += w * 2
print(total, total.grad_fn.next_functions[0][0])

# %% weight tying
class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(2, 2, bias=False)
        self.b = torch.nn.Linear(2, 2, bias=False)
        self.b.weight = self.a.weight

    def forward(self, x):
        return self.b(self.a(x))


model = Tied()
model(torch.ones(1, 2)).sum().backward()
print(len(list(model.parameters())), model.a.weight.grad is model.b.weight.grad, list(model.state_dict()))

# %% a moving average of parameters
model, average = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
with torch.no_grad():
    for p, q in zip(model.parameters(), average.parameters()):
        q.copy_(p)
    for p in model.parameters():
        p.add_(1)
    for p, q in zip(model.parameters(), average.parameters()):
        q.mul_(0.9).add_(p, alpha=0.1)
print([(p - q).detach() for p, q in zip(model.parameters(), average.parameters())])

# %% L2 by hand and by weight_decay
w = torch.tensor([2.0], requires_grad=True)
loss = (w * 3).sum() + 0.1 * w.pow(2).sum()
loss.backward()
print(w.grad)
v = torch.tensor([2.0], requires_grad=True)
optimizer = torch.optim.SGD([v], lr=0.1, weight_decay=0.2)
(v * 3).sum().backward()
optimizer.step()
print(v)

# %% saving and loading
import io

model = torch.nn.Linear(2, 1)
file = io.BytesIO()
torch.save(model.state_dict(), file)
file.seek(0)
state = torch.load(file)
print(list(state), model.load_state_dict(state))

# %% saving a view, an integer and a list
import io

x = torch.arange(6.0).reshape(2, 3)
file = io.BytesIO()
torch.save({"view": x[:, 1], "list": [x.t(), 3, "text", None, True], "grad": torch.ones(2, requires_grad=True)}, file)
file.seek(0)
print(torch.load(file))

# %% loading what is not there
torch.load("no such file.pt")
