# Programs of our own about autograd.Function. A cell starts at "# %%" and runs alone, in a fresh notebook.

# %% two inputs, one not needed
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor, None


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Scale.apply(x, 3)
print(y, y.grad_fn.next_functions)
y.sum().backward()
print(x.grad)

# %% needs_input_grad
class Mul(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, g):
        print(ctx.needs_input_grad)
        a, b = ctx.saved_tensors
        return g * b, g * a


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Mul.apply(x, torch.tensor([3.0, 4.0]))
y.sum().backward()
print(x.grad)

# %% two outputs
class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, g, h):
        print(g, h)
        return g * 2 + h * 3


x = torch.tensor([1.0, 2.0], requires_grad=True)
a, b = Both.apply(x)
print(a.output_nr, b.output_nr, a.grad_fn is b.grad_fn)
b.sum().backward()
print(x.grad)

# %% output not differentiable
class Arg(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        m = x > 0
        ctx.mark_non_differentiable(m)
        return x * 2, m

    @staticmethod
    def backward(ctx, g, _):
        return g * 2


x = torch.tensor([1.0, -2.0], requires_grad=True)
y, m = Arg.apply(x)
print(y, m, m.requires_grad)
y.sum().backward()
print(x.grad)

# %% no set_materialize_grads
class Lazy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, g, h):
        print(g, h)
        return g * 2


x = torch.tensor([1.0, 2.0], requires_grad=True)
a, b = Lazy.apply(x)
a.sum().backward()
print(x.grad)

# %% saved twice
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Twice.apply(x).sum()
y.backward()
y.backward()

# %% saved input changed in place
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 1
y = Twice.apply(h).sum()
h.add_(1)
y.backward()

# %% saving what is no tensor
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x, 3)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g


Bad.apply(torch.ones(2, requires_grad=True))

# %% too few gradients
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * b

    @staticmethod
    def backward(ctx, g):
        return g


Bad.apply(torch.ones(2, requires_grad=True), torch.ones(2)).sum().backward()

# %% too many gradients, None at the end
class Fine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2, None


x = torch.ones(2, requires_grad=True)
Fine.apply(x).sum().backward()
print(x.grad)

# %% too many gradients
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2, g


Bad.apply(torch.ones(2, requires_grad=True)).sum().backward()

# %% gradient of a wrong shape
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2

    @staticmethod
    def backward(ctx, g):
        return torch.ones(3)


Bad.apply(torch.ones(2, requires_grad=True)).sum().backward()

# %% gradient that is no tensor
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2

    @staticmethod
    def backward(ctx, g):
        return 2.0


Bad.apply(torch.ones(2, requires_grad=True)).sum().backward()

# %% forward returns no tensor
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return None

    @staticmethod
    def backward(ctx, g):
        return g


print(Bad.apply(torch.ones(2, requires_grad=True)))

# %% no backward
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2


Bad.apply(torch.ones(2, requires_grad=True)).sum().backward()

# %% called like a class
class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a.clamp(min=0)

    @staticmethod
    def backward(ctx, g):
        return g


MyReLU()(torch.ones(2, requires_grad=True))

# %% not static
class Old(torch.autograd.Function):
    def forward(self, a):
        return a * 2

    def backward(self, g):
        return g


Old()(torch.ones(2))

# %% an error inside backward
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2

    @staticmethod
    def backward(ctx, g):
        return g * undefined


Bad.apply(torch.ones(2, requires_grad=True)).sum().backward()

# %% double backward through one's own formula
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x**2


x = torch.tensor(2.0, requires_grad=True)
(g,) = torch.autograd.grad(Cube.apply(x), x, create_graph=True)
print(g)
(g2,) = torch.autograd.grad(g, x)
print(g2)

# %% once_differentiable
from torch.autograd.function import once_differentiable


class Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        return g * 2


x = torch.tensor(2.0, requires_grad=True)
(g,) = torch.autograd.grad(Once.apply(x) ** 2, x, create_graph=True)
print(g.detach(), g.requires_grad)
g.backward()

# %% forward runs without recording
class Look(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        print(torch.is_grad_enabled(), (x * 2).requires_grad, x.requires_grad)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        print(torch.is_grad_enabled())
        return g * 2


x = torch.tensor(2.0, requires_grad=True)
Look.apply(x).backward()

# %% mark_dirty
class AddOne(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g


x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 2
y = AddOne.apply(h)
print(y is h, y, h._version)
y.sum().backward()
print(x.grad)

# %% returning an input
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 10


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Same.apply(x)
print(y is x, y)
y.sum().backward()
print(x.grad)

# %% untracked
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


print(Double.apply(torch.ones(2)))
with torch.no_grad():
    print(Double.apply(torch.ones(2, requires_grad=True)))

# %% setup_context
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x.exp()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y


x = torch.tensor([0.0, 1.0], requires_grad=True)
y = Exp.apply(x)
print(y)
y.sum().backward()
print(x.grad)

# %% gradcheck finds a wrong formula
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x


x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
print(torch.autograd.gradcheck(lambda x: x * x, (x,)))
print(torch.autograd.gradcheck(Wrong.apply, (x,), raise_exception=False))
torch.autograd.gradcheck(Wrong.apply, (x,))

# %% gradcheck wants double
x = torch.tensor([1.0, 2.0], requires_grad=True)
print(torch.autograd.gradcheck(lambda x: x * 2, (x,)))

# %% gradcheck without inputs that require grad
torch.autograd.gradcheck(lambda x: x * 2, (torch.ones(2, dtype=torch.float64),))

# %% gradgradcheck
x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
print(torch.autograd.gradgradcheck(lambda x: x**3, (x,)))
