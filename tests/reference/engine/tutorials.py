# Programs that do what PyTorch's own lessons on autograd do. A cell starts at "# %%" and runs alone, in a fresh notebook.

# %% a first pass: one neuron
x = torch.ones(5)
y = torch.zeros(3)
w = torch.randn(5, 3, requires_grad=True)
b = torch.randn(3, requires_grad=True)
z = torch.matmul(x, w) + b
loss = torch.nn.functional.binary_cross_entropy_with_logits(z, y)
print(z.grad_fn, loss.grad_fn)
loss.backward()
print(w.grad)
print(b.grad)
print(z.requires_grad)
with torch.no_grad():
    z = torch.matmul(x, w) + b
print(z.requires_grad)
z = torch.matmul(x, w) + b
print(z.detach().requires_grad)

# %% gradients of a vector add up
inp = torch.eye(4, 5, requires_grad=True)
out = (inp + 1).pow(2).t()
out.backward(torch.ones_like(out), retain_graph=True)
print(inp.grad)
out.backward(torch.ones_like(out), retain_graph=True)
print(inp.grad)
inp.grad.zero_()
out.backward(torch.ones_like(out), retain_graph=True)
print(inp.grad)

# %% two parameters of an error
a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([6.0, 4.0], requires_grad=True)
Q = 3 * a**3 - b**2
Q.backward(gradient=torch.tensor([1.0, 1.0]))
print(9 * a**2 == a.grad)
print(-2 * b == b.grad)
Q = 3 * a**3 - b**2
Q.sum().backward()
print(a.grad, b.grad)

# %% excluded from the graph
x = torch.rand(5, 5)
y = torch.rand(5, 5)
z = torch.rand((5, 5), requires_grad=True)
a = x + y
print(f"Does a require gradients?: {a.requires_grad}")
b = x + z
print(f"Does b require gradients?: {b.requires_grad}")

# %% a frozen layer and a new one
model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU(), torch.nn.Linear(3, 2))
for param in model.parameters():
    param.requires_grad = False
model.append(torch.nn.Linear(2, 1))
out = model(torch.ones(1, 4)).sum()
out.backward()
print([p.grad is not None for p in model.parameters()], [n for n, p in model.named_parameters() if p.requires_grad])

# %% a sine of points
import math

a = torch.linspace(0.0, math.pi, steps=7, requires_grad=True)
print(a)
b = torch.sin(a)
print(b)
c = 2 * b
print(c)
d = c + 1
print(d)
out = d.sum()
print(out)
print(d.grad_fn)
print(d.grad_fn.next_functions)
print(d.grad_fn.next_functions[0][0].next_functions)
print(d.grad_fn.next_functions[0][0].next_functions[0][0].next_functions)
print(d.grad_fn.next_functions[0][0].next_functions[0][0].next_functions[0][0].next_functions)
print(c.grad_fn, b.grad_fn, a.grad_fn)
out.backward()
print(a.grad)

# %% one step of training
class TinyModel(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer1 = torch.nn.Linear(10, 4)
        self.relu = torch.nn.ReLU()
        self.layer2 = torch.nn.Linear(4, 2)

    def forward(self, x):
        return self.layer2(self.relu(self.layer1(x)))


some_input = torch.randn(3, 10)
ideal_output = torch.randn(3, 2)
model = TinyModel()
print(model.layer2.weight.shape, model.layer2.weight.grad)
optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
loss = (ideal_output - model(some_input)).pow(2).sum()
print(loss.grad_fn)
loss.backward()
print(model.layer2.weight.grad.shape)
optimizer.step()
for _ in range(4):
    loss = (ideal_output - model(some_input)).pow(2).sum()
    loss.backward()
grown = model.layer2.weight.grad.abs().sum()
optimizer.zero_grad(set_to_none=False)
print(grown > 0, model.layer2.weight.grad)

# %% recording on and off
a = torch.ones(2, 3, requires_grad=True)
b1 = 2 * a
print(b1)
with torch.no_grad():
    b2 = a + b1
print(b2)


def add_tensors1(x, y):
    return x + y


@torch.no_grad()
def add_tensors2(x, y):
    return x + y


a = torch.ones(2, 3, requires_grad=True) * 2
b = torch.ones(2, 3, requires_grad=True) * 3
print(add_tensors1(a, b))
print(add_tensors2(a, b))
x = torch.ones(3, requires_grad=True)
y = x.detach()
print(x)
print(y)

# %% in-place on a leaf that is needed
a = torch.linspace(0.0, 6.0, steps=5, requires_grad=True)
a.sin_()

# %% a doubled vector until it is long
x = torch.tensor([0.3, -1.2, 0.7], requires_grad=True)
y = x * 2
while y.data.norm() < 1000:
    y = y * 2
print(y)
v = torch.tensor([0.1, 1.0, 0.0001], dtype=torch.float)
y.backward(v)
print(x.grad)

# %% jacobian and its products
def exp_adder(x, y):
    return 2 * x.exp() + 3 * y


inputs = (torch.tensor([0.3]), torch.tensor([0.7]))
print(torch.autograd.functional.jacobian(exp_adder, inputs))
inputs = torch.tensor([[0.1, 0.2], [0.3, 0.4]])
print(torch.autograd.functional.jacobian(lambda x: x.exp().sum(dim=1), inputs))


def do_some_doubling(x):
    y = x * 2
    while y.data.norm() < 1000:
        y = y * 2
    return y


inputs = torch.tensor([0.3, -1.2, 0.7])
gradients = torch.tensor([0.1, 1.0, 0.0001])
print(torch.autograd.functional.vjp(do_some_doubling, inputs, v=gradients))

# %% what a node saves
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x.pow(2)
print(x.equal(y.grad_fn._saved_self), x is y.grad_fn._saved_self)
y = x.exp()
print(y.equal(y.grad_fn._saved_result), y is y.grad_fn._saved_result)
a = torch.ones(2, requires_grad=True)
b = torch.ones(2, requires_grad=True)
y = a * b
print(y.grad_fn._saved_self is a, y.grad_fn._saved_other is b)

# %% a saved leaf, a saved result
class SelfDeletingTempFile:
    count = 0

    def __init__(self):
        SelfDeletingTempFile.count += 1
        self.content = None

    def __del__(self):
        SelfDeletingTempFile.count -= 1


def pack_hook(tensor):
    file = SelfDeletingTempFile()
    file.content = tensor.tolist()
    return file


def unpack_hook(file):
    return torch.tensor(file.content)


x = torch.ones(5, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack_hook, unpack_hook):
    y = x.pow(2)
print(SelfDeletingTempFile.count, x.equal(y.grad_fn._saved_self), x is y.grad_fn._saved_self)
y.sum().backward()
print(SelfDeletingTempFile.count, x.grad)

# %% hooks on saved tensors of a model, only the large ones
big = []


def pack(t):
    if t.numel() < 8:
        return t
    big.append(tuple(t.shape))
    return t.tolist()


def unpack(p):
    return p if isinstance(p, torch.Tensor) else torch.tensor(p)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = torch.nn.Linear(4, 8)
        self.out = torch.nn.Linear(8, 1)

    def forward(self, x):
        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            h = torch.relu(self.hidden(x))
        return self.out(h)


net = Model()
loss = net(torch.ones(3, 4)).sum()
loss.backward()
print(big, net.hidden.weight.grad.abs().sum() > 0)

# %% hooks on saved tensors return what they are given
x = torch.randn(5, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda x: x * 4, lambda x: x / 4):
    y = torch.pow(x, 2)
y.sum().backward()
print(torch.allclose(x.grad, 2 * x))

# %% an exception in a hook reaches the caller
x = torch.randn(5, requires_grad=True)


def unpack(x):
    raise RuntimeError("nothing is kept")


with torch.autograd.graph.saved_tensors_hooks(lambda x: x, unpack):
    y = x.pow(2)
try:
    y.sum().backward()
except RuntimeError as error:
    print(error)

# %% a square that may be differentiated twice: saving the input
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, grad_out):
        (x,) = ctx.saved_tensors
        return grad_out * 2 * x


x = torch.tensor([0.4, -1.3], requires_grad=True, dtype=torch.double)
print(torch.autograd.gradcheck(Square.apply, x), torch.autograd.gradgradcheck(Square.apply, x))
x = torch.tensor(1.0, requires_grad=True).clone()
out = Square.apply(x)
(grad_x,) = torch.autograd.grad(out, x, create_graph=True)
print(out, grad_x, grad_x.grad_fn, grad_x.grad_fn.next_functions)

# %% an exponential that may be differentiated twice: saving the output
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        result = torch.exp(x)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_out):
        (result,) = ctx.saved_tensors
        return result * grad_out


x = torch.tensor(1.0, requires_grad=True, dtype=torch.double).clone()
print(torch.autograd.gradcheck(Exp.apply, x), torch.autograd.gradgradcheck(Exp.apply, x))
out = Exp.apply(x)
(g,) = torch.autograd.grad(out, x, create_graph=True)
print(g, g.grad_fn.next_functions)

# %% intermediates must not be saved as they are
class SinhBad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.expx = torch.exp(x)
        ctx.expnegx = torch.exp(-x)
        return (ctx.expx - ctx.expnegx) / 2

    @staticmethod
    def backward(ctx, grad_out):
        return grad_out * (ctx.expx + ctx.expnegx) / 2


x = torch.tensor(0.5, requires_grad=True, dtype=torch.double)
out = SinhBad.apply(x)
(g,) = torch.autograd.grad(out, x, create_graph=True)
print(g)
print(torch.autograd.grad(g, x, allow_unused=True))

# %% a cube root whose derivative is another Function
def cube_forward(x):
    return x**3


def cube_backward(grad_out, x):
    return grad_out * 3 * x**2


def cube_backward_backward(grad_out, sav_grad_out, x):
    return grad_out * sav_grad_out * 6 * x


def cube_backward_backward_grad_out(grad_out, x):
    return grad_out * 3 * x**2


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return cube_forward(x)

    @staticmethod
    def backward(ctx, grad_out):
        (x,) = ctx.saved_tensors
        return CubeBackward.apply(grad_out, x)


class CubeBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, grad_out, x):
        ctx.save_for_backward(x, grad_out)
        return cube_backward(grad_out, x)

    @staticmethod
    def backward(ctx, grad_out):
        x, sav_grad_out = ctx.saved_tensors
        dx = cube_backward_backward(grad_out, sav_grad_out, x)
        dgrad_out = cube_backward_backward_grad_out(grad_out, x)
        return dgrad_out, dx


x = torch.tensor(2.0, requires_grad=True, dtype=torch.double)
print(torch.autograd.gradcheck(Cube.apply, x), torch.autograd.gradgradcheck(Cube.apply, x))
out = Cube.apply(x)
(g,) = torch.autograd.grad(out, x, create_graph=True)
print(out, g, g.grad_fn)

# %% leaves and results
x = torch.tensor(1.0)
y = torch.tensor(2.0, requires_grad=True)
z = x + y
print(x.is_leaf, y.is_leaf, z.is_leaf)
print(x.requires_grad, y.requires_grad, z.requires_grad)
z.retain_grad()
loss = z * z
loss.backward()
print(y.grad, z.grad, x.grad)
print(loss.grad)

# %% a small network, unrolled
x = torch.tensor(3.0)
W = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
t = torch.tensor(5.0)
z = W * x
y_pred = torch.relu(z + b)
loss = torch.nn.functional.mse_loss(y_pred, t)
y_pred.retain_grad()
z.retain_grad()
loss.retain_grad()
loss.backward()
print(f"{x.grad=}")
print(f"{W.grad=}")
print(f"{b.grad=}")
print(f"{z.grad=}")
print(f"{y_pred.grad=}")
print(f"{loss.grad=}")

# %% gradients at every layer, with hooks
gradients = {}
model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Sigmoid(), torch.nn.Linear(4, 2), torch.nn.Sigmoid())
h = torch.ones(5, 3)
for index, layer in enumerate(model):
    h = layer(h)
    h.retain_grad()
    h.register_hook(lambda g, index=index: gradients.setdefault(index, tuple(g.shape)) and None)
    gradients[f"output {index}"] = h
h.sum().backward()
print([k for k in gradients if isinstance(k, int)], [gradients[k] for k in gradients if isinstance(k, int)])
print([gradients[f"output {i}"].grad.abs().mean() > 0 for i in range(4)])

# %% tensor hooks and in-place writes
a = torch.ones(2, requires_grad=True)
b = a.clone()


def hook(name):
    return lambda g: print(name, g)


b.register_hook(hook("before"))
b.mul_(2)
b.register_hook(hook("after"))
b.sum().backward()

# %% execution order of hooks
t = torch.tensor([1.0, 2.0], requires_grad=True)
m = t * 3
m.register_hook(lambda g: print("tensor hook"))
m.grad_fn.register_prehook(lambda g: print("prehook"))
m.grad_fn.register_hook(lambda gi, go: print("hook"))
torch.autograd.graph.register_multi_grad_hook((m, t), lambda g: print("all"))
t.register_post_accumulate_grad_hook(lambda t: print("accumulated"))
m.sum().backward()

# %% a step written as a hook
model = torch.nn.Linear(2, 1)
optimizers = {p: torch.optim.SGD([p], lr=0.1) for p in model.parameters()}


def step(p):
    optimizers[p].step()
    optimizers[p].zero_grad()


for p in model.parameters():
    p.register_post_accumulate_grad_hook(step)
before = [p.detach().clone() for p in model.parameters()]
model(torch.ones(3, 2)).sum().backward()
print([(b - p).detach() for b, p in zip(before, model.parameters())], [p.grad for p in model.parameters()])

# %% evaluation is not no_grad
model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout(0.5))
model.eval()
print(model(torch.ones(1, 2)).requires_grad)
with torch.no_grad():
    print(model(torch.ones(1, 2)).requires_grad)

# %% gradients for functions with corners
x = torch.tensor([-1.0, 0.0, 1.0], requires_grad=True)
for f in (torch.abs, torch.relu, torch.sign, torch.floor, lambda x: x.clamp(0, 1), lambda x: x.clamp(min=0)):
    (g,) = torch.autograd.grad(f(x).sum(), x)
    print(g)
x = torch.tensor([0.0, 4.0], requires_grad=True)
print(torch.autograd.grad(x.sqrt().sum(), x))
x = torch.tensor([-1.0, 1.0], requires_grad=True)
print(torch.autograd.grad(x.log().sum(), x))
x = torch.tensor([1.0, 1.0, 0.0], requires_grad=True)
print(torch.autograd.grad(x.max(), x), torch.autograd.grad(x.max(0).values, x), torch.autograd.grad(x.amax(), x))

# %% a masked division gives nan
x = torch.tensor([1.0, 1.0], requires_grad=True)
div = torch.tensor([0.0, 1.0])
y = x / div
mask = div != 0
y[mask].sum().backward()
print(x.grad)
x.grad = None
safe = x / torch.where(mask, div, 1.0)
torch.where(mask, safe, 0.0).sum().backward()
print(x.grad)

# %% anomalies
class MyFunc(torch.autograd.Function):
    @staticmethod
    def forward(ctx, inp):
        return inp.clone()

    @staticmethod
    def backward(ctx, gO):
        raise RuntimeError("Some error in backward")


def run_fn(a):
    out = MyFunc.apply(a)
    return out.sum()


inp = torch.rand(10, 10, requires_grad=True)
out = run_fn(inp)
try:
    out.backward()
except RuntimeError as error:
    print(error)
with torch.autograd.detect_anomaly():
    inp = torch.rand(10, 10, requires_grad=True)
    out = run_fn(inp)
    out.backward()

# %% threads share leaves
import threading

x = torch.ones(5, requires_grad=True)


def train():
    y = (x * 2).sum()
    y.backward()


for _ in range(3):
    thread = threading.Thread(target=train)
    thread.start()
    thread.join()
print(x.grad)

# %% a graph walked by hand
x = torch.tensor(2.0, requires_grad=True)
w = torch.tensor(3.0, requires_grad=True)
loss = (x * w - 1).exp()


def show(node, depth=0):
    if node is None:
        return
    print("  " * depth + node.name())
    for child, _ in node.next_functions:
        show(child, depth + 1)


show(loss.grad_fn)

# %% a hessian by hand
x = torch.tensor([1.0, 2.0], requires_grad=True)
f = x[0] ** 2 * x[1]
(g,) = torch.autograd.grad(f, x, create_graph=True)
print(torch.stack([torch.autograd.grad(e, x, retain_graph=True)[0] for e in g]))
print(torch.autograd.functional.hessian(lambda x: x[0] ** 2 * x[1], x))
