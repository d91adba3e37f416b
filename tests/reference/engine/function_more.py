# Programs of our own about the corners of autograd.Function. A cell starts at "# %%" and runs alone, in a fresh notebook.

# %% an input returned as it is, twice
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x, x

    @staticmethod
    def backward(ctx, g, h):
        return g * 2 + h * 3


x = torch.tensor([1.0, 2.0], requires_grad=True)
a, b = Twice.apply(x)
print(a, b, a is b, a is x, a.output_nr, b.output_nr, a._base is x, a._version)
(a + b).sum().backward()
print(x.grad)

# %% an input returned as it is is a view that must not be written
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 10


x = torch.tensor([1.0, 2.0], requires_grad=True) * 1
y = Same.apply(x)
print(y._base is x, y.data_ptr() == x.data_ptr())
y.add_(1)

# %% an input returned as it is, then the input is written
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 10


w = torch.tensor([1.0, 2.0], requires_grad=True)
x = w * 1
y = Same.apply(x)
x.mul_(2)
print(y, y.grad_fn)
y.sum().backward()
print(w.grad)

# %% a view of the input returned
class Head(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x[:1]

    @staticmethod
    def backward(ctx, g):
        return torch.cat([g, torch.zeros(1)])


x = torch.tensor([1.0, 2.0], requires_grad=True) * 1
y = Head.apply(x)
print(y, y._base is x, y._is_view())
y.sum().backward()
y.mul_(2)

# %% a view of the input returned, of a leaf
class Head(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x[:1]

    @staticmethod
    def backward(ctx, g):
        return torch.cat([g * 5, torch.zeros(1)])


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Head.apply(x)
print(y, y.grad_fn, y._is_view())
y.sum().backward()
print(x.grad)
y.mul_(2)

# %% two views of the input returned, one written
class Halves(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x[:1], x[1:]

    @staticmethod
    def backward(ctx, g, h):
        return torch.cat([g, h])


x = torch.tensor([1.0, 2.0], requires_grad=True) * 1
a, b = Halves.apply(x)
print(a, b)
a.mul_(2)

# %% two results, one written afterwards
class Two(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, g, h):
        return g * 2 + h * 3


x = torch.tensor([1.0, 2.0], requires_grad=True)
a, b = Two.apply(x)
a.mul_(5)
print(a, a.output_nr, b.output_nr)
(a + b).sum().backward()
print(x.grad)

# %% mark_dirty of a leaf
class AddOne(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g


try:
    AddOne.apply(torch.ones(2, requires_grad=True))
except RuntimeError:
    print("refused")

# %% mark_dirty of a leaf without a flag
class AddOne(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g, g


x, y = torch.ones(2), torch.ones(2, requires_grad=True)
z = AddOne.apply(x, y)
print(z is x, x, x._version, x.is_leaf)
x.sum().backward()
print(y.grad)

# %% mark_dirty of what is not returned
class AddOne(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g


AddOne.apply(torch.ones(2, requires_grad=True) * 1)

# %% mark_dirty of a view
class AddOne(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 2


x = torch.ones(3, requires_grad=True)
y = x * 1
v = y[1:]
w = AddOne.apply(v)
print(w is v, y, y.grad_fn, v.grad_fn, y._version)
y.sum().backward()
print(x.grad)

# %% mark_dirty, and the old value was saved elsewhere
class AddOne(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g


x = torch.ones(2, requires_grad=True)
h = x * 2
y = h * h
AddOne.apply(h)
y.sum().backward()

# %% mark_non_differentiable of a float
class Pair(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        a, b = x * 2, x * 3
        ctx.mark_non_differentiable(b)
        return a, b

    @staticmethod
    def backward(ctx, g, h):
        print(g, h)
        return g * 2


x = torch.tensor([1.0, 2.0], requires_grad=True)
a, b = Pair.apply(x)
print(a, b, b.is_leaf, b.requires_grad)
a.sum().backward()
print(x.grad)

# %% everything marked non-differentiable
class Arg(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        m = x * 2
        ctx.mark_non_differentiable(m)
        return m

    @staticmethod
    def backward(ctx, g):
        return g


y = Arg.apply(torch.ones(2, requires_grad=True))
print(y, y.requires_grad, y.is_leaf)

# %% an integer result
class Count(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, torch.tensor([1, 2])

    @staticmethod
    def backward(ctx, g, h):
        print(g, h)
        return g * 2


x = torch.tensor([1.0, 2.0], requires_grad=True)
a, n = Count.apply(x)
print(a, n, n.requires_grad)
a.sum().backward()
print(x.grad)

# %% results that are no tensors
class Mixed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, "text", None, 3

    @staticmethod
    def backward(ctx, *grads):
        print(grads)
        return grads[0] * 2


x = torch.tensor([1.0, 2.0], requires_grad=True)
out = Mixed.apply(x)
print(out)
out[0].sum().backward()
print(x.grad)

# %% results that are no tensors come first
class Mixed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return "text", x * 2, x * 3

    @staticmethod
    def backward(ctx, *grads):
        print(grads)
        return grads[2] * 3


x = torch.tensor([1.0, 2.0], requires_grad=True)
text, a, b = Mixed.apply(x)
print(a.output_nr, b.output_nr)
b.sum().backward()
print(x.grad)

# %% a list returned
class Listed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return [x * 2, x * 3]

    @staticmethod
    def backward(ctx, *grads):
        return grads[0]


out = Listed.apply(torch.tensor([1.0, 2.0], requires_grad=True))
print(type(out), out)

# %% a plain number returned
class Number(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 3.5

    @staticmethod
    def backward(ctx, g):
        return g


print(Number.apply(torch.ones(2, requires_grad=True)))

# %% nothing returned from an empty tuple
class Nothing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return ()

    @staticmethod
    def backward(ctx):
        return None


print(Nothing.apply(torch.ones(2, requires_grad=True)))

# %% a tuple with one element
class One(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return (x * 2,)

    @staticmethod
    def backward(ctx, g):
        return (g * 2,)


x = torch.ones(2, requires_grad=True)
out = One.apply(x)
print(out)
out[0].sum().backward()
print(x.grad)

# %% no tensors at all
class Number(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return torch.ones(2) * a

    @staticmethod
    def backward(ctx, g):
        return None


y = Number.apply(3)
print(y, y.requires_grad)

# %% tensors in a list are not seen
class Total(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tensors):
        return tensors[0] + tensors[1]

    @staticmethod
    def backward(ctx, g):
        return None


x = torch.ones(2, requires_grad=True)
y = Total.apply([x, x])
print(y, y.requires_grad)

# %% keyword arguments
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor=2):
        return x * factor

    @staticmethod
    def backward(ctx, g):
        return g, None


print(Scale.apply(torch.ones(2)))
try:
    Scale.apply(torch.ones(2), factor=3)
except TypeError as error:
    print(type(error), error)

# %% keyword arguments with setup_context
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(x, factor=2):
        return x * factor

    @staticmethod
    def setup_context(ctx, inputs, output):
        print(inputs)
        ctx.factor = inputs[1]

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor, None


x = torch.ones(2, requires_grad=True)
y = Scale.apply(x, factor=3)
y.sum().backward()
print(x.grad)
Scale.apply(x)

# %% setup_context gets several outputs
class Both(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * 2, x * 3

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        a, b = output
        print(type(output), a.requires_grad, torch.is_grad_enabled())
        ctx.mark_non_differentiable(b)
        ctx.save_for_backward(x, a)

    @staticmethod
    def backward(ctx, g, h):
        x, a = ctx.saved_tensors
        print(x, a)
        return g * 2


x = torch.ones(2, requires_grad=True)
a, b = Both.apply(x)
print(a, b)
a.sum().backward()
print(x.grad)

# %% forward with ctx though there is a setup_context
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, g):
        return g


try:
    Bad.apply(torch.ones(2, requires_grad=True))
except TypeError as error:
    print(error)

# %% forward without ctx and no setup_context
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g


try:
    Bad.apply(torch.ones(2, requires_grad=True))
except TypeError as error:
    print(str(error).split(".")[-1])

# %% no forward
class Bad(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        return g


Bad.apply(torch.ones(2, requires_grad=True))

# %% set_materialize_grads and an unused result
class Lazy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3, x * 4

    @staticmethod
    def backward(ctx, *grads):
        print(grads)
        return None


x = torch.ones(2, requires_grad=True)
a, b, c = Lazy.apply(x)
b.sum().backward()
print(x.grad)

# %% no gradient reaches the node
class Lazy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        print("runs", g)
        return g


class Stop(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return None


x = torch.ones(2, requires_grad=True)
Stop.apply(Lazy.apply(x)).sum().backward()
print(x.grad)

# %% no gradient reaches the node, nothing materialized
class Lazy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        print("runs", g)
        return g


class Stop(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return None


x = torch.ones(2, requires_grad=True)
Stop.apply(Lazy.apply(x)).sum().backward()
print(x.grad)

# %% None for an input that needs a gradient
class Stop(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * y

    @staticmethod
    def backward(ctx, g):
        return g, None


x = torch.ones(2, requires_grad=True)
y = torch.ones(2, requires_grad=True)
Stop.apply(x, y).sum().backward()
print(x.grad, y.grad)

# %% a gradient for a number
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        return x * k

    @staticmethod
    def backward(ctx, g):
        return g, g


Bad.apply(torch.ones(2, requires_grad=True), 3).sum().backward()

# %% a gradient for a tensor that needs none
class Fine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        return x * k

    @staticmethod
    def backward(ctx, g):
        return g, g


x, k = torch.ones(2, requires_grad=True), torch.ones(2)
Fine.apply(x, k).sum().backward()
print(x.grad, k.grad)

# %% a gradient that broadcasts
class Wide(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return torch.ones(3, 2)


x = torch.ones(2, requires_grad=True)
Wide.apply(x).sum().backward()
print(x.grad)

# %% a gradient that is too small
class Narrow(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return torch.tensor(3.0)


x = torch.ones(2, requires_grad=True)
Narrow.apply(x).sum().backward()

# %% a gradient of another dtype
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g.double() * 3


x = torch.ones(2, requires_grad=True)
Double.apply(x).sum().backward()
print(x.grad)

# %% a list of gradients
class Listed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * y

    @staticmethod
    def backward(ctx, g):
        return [g, g]


Listed.apply(torch.ones(2, requires_grad=True), torch.ones(2)).sum().backward()

# %% the gradient is the very tensor that came in
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, g):
        g.mul_(2)
        return g


x = torch.ones(2, requires_grad=True)
h = Same.apply(x)
h.backward(torch.tensor([1.0, 2.0]))
print(x.grad)

# %% needs_input_grad, with numbers and None
class Show(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k, none, y, z):
        print(ctx.needs_input_grad)
        return x * y + z

    @staticmethod
    def backward(ctx, g):
        print(ctx.needs_input_grad)
        return g, None, None, None, g


x = torch.ones(2, requires_grad=True)
y = Show.apply(x, 3, None, torch.ones(2), x * 2)
print(y.grad_fn.next_functions)
y.sum().backward()
print(x.grad)
with torch.no_grad():
    Show.apply(x, 3, None, torch.ones(2), x)

# %% saved_tensors inside forward and after backward
class Keep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        print(ctx.saved_tensors)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        print(len(ctx.saved_tensors))
        return g * 2


x = torch.ones(2, requires_grad=True)
y = Keep.apply(x)
print(y.grad_fn.saved_tensors[0] is x)
y.sum().backward()
y.grad_fn.saved_tensors

# %% nothing saved
class Keep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        print(ctx.saved_tensors)
        return g * 2


x = torch.ones(2, requires_grad=True)
y = Keep.apply(x).sum()
y.backward()
print(x.grad)

# %% save_for_backward twice
class Keep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.save_for_backward(x * 2, None)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        print(ctx.saved_tensors)
        return g * 2


x = torch.ones(2, requires_grad=True)
Keep.apply(x).sum().backward()

# %% an attribute of ctx
class Keep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.name_of_mine = "kept"
        ctx.x = x
        return x * 2

    @staticmethod
    def backward(ctx, g):
        print(ctx.name_of_mine, ctx.x)
        return g * 2


x = torch.ones(2, requires_grad=True)
y = Keep.apply(x)
print(y.grad_fn.name_of_mine, y.grad_fn.x is x)
y.sum().backward()
y.grad_fn.other

# %% a saved intermediate is written
class Keep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * 3
        ctx.save_for_backward(y)
        ctx.y = y
        return y * 2

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y


x = torch.ones(2, requires_grad=True)
y = Keep.apply(x)
y.grad_fn.y.add_(1)
y.sum().backward()

# %% a saved result is written
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y


x = torch.ones(2, requires_grad=True)
y = Exp.apply(x)
y.add_(1)
y.sum().backward()

# %% double backward through a saved result
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        print(y.requires_grad, y.grad_fn)
        return g * y


x = torch.zeros(2, requires_grad=True)
(g,) = torch.autograd.grad(Exp.apply(x).sum(), x, create_graph=True)
print(g, g.grad_fn.next_functions)
print(torch.autograd.grad(g.sum(), x))

# %% double backward through a saved intermediate is lost
class Sinh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        up, down = torch.exp(x), torch.exp(-x)
        ctx.save_for_backward(up, down)
        return (up - down) / 2

    @staticmethod
    def backward(ctx, g):
        up, down = ctx.saved_tensors
        return g * (up + down) / 2


x = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
print(torch.autograd.gradcheck(Sinh.apply, x))
print(torch.autograd.gradgradcheck(Sinh.apply, x, raise_exception=False))

# %% double backward with the intermediates as results
class Sinh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        up, down = torch.exp(x), torch.exp(-x)
        ctx.save_for_backward(up, down)
        return (up - down) / 2, up, down

    @staticmethod
    def backward(ctx, g, g_up, g_down):
        up, down = ctx.saved_tensors
        return g * (up + down) / 2 + g_up * up - g_down * down


def sinh(x):
    return Sinh.apply(x)[0]


x = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
print(torch.autograd.gradcheck(sinh, x), torch.autograd.gradgradcheck(sinh, x))

# %% double backward by a second Function
class CubeBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, g, x):
        ctx.save_for_backward(g, x)
        return g * 3 * x**2

    @staticmethod
    def backward(ctx, gg):
        g, x = ctx.saved_tensors
        return gg * 3 * x**2, gg * g * 6 * x


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return CubeBackward.apply(g, x)


x = torch.tensor([2.0], requires_grad=True)
(g,) = torch.autograd.grad(Cube.apply(x), x, create_graph=True)
print(g, g.grad_fn)
print(torch.autograd.grad(g, x))

# %% once_differentiable without a second derivative
from torch.autograd.function import once_differentiable


class Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        print(torch.is_grad_enabled(), (x * 2).requires_grad)
        return g * 2 * x


x = torch.tensor([2.0], requires_grad=True)
Once.apply(x).backward()
print(x.grad)
(g,) = torch.autograd.grad(Once.apply(x), x, create_graph=True)
print(g.requires_grad)
(g,) = torch.autograd.grad(Once.apply(x) * 2, x, torch.ones(1, requires_grad=True), create_graph=True)
print(g.detach(), g.requires_grad)
g.backward()

# %% gradient of a Function inside a Function
class Inner(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            a = x.detach().requires_grad_()
            b = (a * a * a).sum()
        ctx.a, ctx.b = a, b
        return b.detach()

    @staticmethod
    def backward(ctx, g):
        (da,) = torch.autograd.grad(ctx.b, ctx.a)
        return g * da


x = torch.tensor([1.0, 2.0], requires_grad=True)
Inner.apply(x).backward()
print(x.grad)

# %% backward inside backward
class Again(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        with torch.enable_grad():
            y = torch.ones(2, requires_grad=True)
            (y * y).sum().backward()
        print(y.grad)
        return g * 2


x = torch.ones(2, requires_grad=True)
Again.apply(x).sum().backward()
print(x.grad)

# %% a write inside forward without mark_dirty
class Silent(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.add_(1)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


x = torch.ones(2, requires_grad=True)
y = Silent.apply(x)
print(x, x._version, y)
y.sum().backward()
print(x.grad)

# %% a write inside forward, returned, without mark_dirty
class Silent(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.add_(1)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 2


x = torch.ones(2, requires_grad=True) * 1
y = Silent.apply(x)
print(y is x, x, x._version, y)
y.sum().backward()

# %% a type made by a Function
class MyOp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        print(type(ctx).__name__, ctx.name())
        return x * 2

    @staticmethod
    def backward(ctx, g):
        print(type(ctx).__name__)
        return g * 2


x = torch.ones(2, requires_grad=True)
y = MyOp.apply(x)
print(y, isinstance(y.grad_fn, torch.autograd.graph.Node), type(y.grad_fn).__name__)
print(y.grad_fn._input_metadata[0].shape, y.grad_fn._input_metadata[0].dtype, y.grad_fn.metadata)
y.sum().backward()

# %% hooks on a Function's node
class MyOp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, g, h):
        print("backward", g, h)
        return g * 2 + h * 3


x = torch.ones(2, requires_grad=True)
a, b = MyOp.apply(x)
a.grad_fn.register_prehook(lambda gs: print("pre", gs))
a.grad_fn.register_hook(lambda gi, go: print("post", gi, go))
b.register_hook(lambda g: print("b", g))
a.register_hook(lambda g: g * 10)
b.retain_grad()
b.sum().backward()
print(b.grad, x.grad)

# %% two Functions in a chain keep their order
class First(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x + 1

    @staticmethod
    def backward(ctx, g):
        print("first")
        return g


class Second(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        print("second")
        return g * 2


x = torch.ones(2, requires_grad=True)
Second.apply(First.apply(x)).sum().backward()
print(x.grad)

# %% inherited forward
class Base(torch.autograd.Function):
    factor = 2

    @classmethod
    def times(cls, x):
        return x * cls.factor

    @staticmethod
    def backward(ctx, g):
        return g * 2


class Derived(Base):
    @staticmethod
    def forward(ctx, x):
        return Derived.times(x)


x = torch.ones(2, requires_grad=True)
y = Derived.apply(x)
print(y)
y.sum().backward()
print(x.grad)

# %% a scalar Function and functional.jacobian
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * g


print(torch.autograd.functional.jacobian(Cube.apply, torch.tensor([1.0, 2.0])))
print(torch.autograd.functional.hessian(lambda x: Cube.apply(x).sum(), torch.tensor([1.0, 2.0])))
