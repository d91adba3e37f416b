# Programs of our own about right numbers at the edges. A cell starts at "# %%" and runs alone, in a fresh notebook.

# %% an expanded view of a base that was written, twice differentiated
v = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
b = v.clone()
u = b.expand(4, 3)
b.mul_(3)
(g,) = torch.autograd.grad((u**3 * torch.arange(12.0).reshape(4, 3)).sum(), v, create_graph=True)
print(g)
print(torch.autograd.grad(g.pow(2).sum(), v))

# %% a wider operand written into a tensor leaves the type of its gradient
for write in ("mul_", "div_", "pow_", "atan2_", "add_"):
    for wide in (torch.tensor([2.0, 4.0], dtype=torch.float64), torch.ones(2, dtype=torch.float64, requires_grad=True)):
        v = torch.ones(2, requires_grad=True)
        b = v * 1
        getattr(b, write)(wide)
        b.register_hook(lambda g: print(write, g.dtype))
        b.retain_grad()
        b.sum().backward()
        print(b.grad, v.grad, wide.grad)

# %% a wider operand written into a view
v = torch.ones(2, dtype=torch.float16, requires_grad=True)
b = v * 1
part = b[1:]
part.mul_(torch.tensor([2.0]))
for each in (b, part):
    each.register_hook(lambda g: print(g.dtype))
(part * b).sum().backward()
print(v.grad)

# %% float16 is summed, squared and raised in a wider type
def show(program, numbers=(710.0, 1.0, 2.0)):
    x = torch.tensor(numbers, dtype=torch.float16, requires_grad=True)
    y = program(x)
    y.backward(torch.linspace(1, 2, y.numel()).reshape(y.shape).half())
    print(y, x.grad)


show(lambda x: x.norm())
show(lambda x: torch.linalg.vector_norm(x, dim=0, keepdim=True))
show(lambda x: x.norm(3), (200.0, 100.0, 50.0))
show(lambda x: x.norm(), (1e-4, 1e-4))
show(lambda x: torch.linalg.norm(x, dtype=torch.float32))
show(lambda x: torch.nn.functional.normalize(x, dim=0), (300.0, 400.0))
show(lambda x: x.std())
show(lambda x: x.std(0))
show(lambda x: x.var(), (71.0, 1.0, 2.0))
show(lambda x: x.mean(), (60000.0, 60000.0, 60000.0))
show(lambda x: x.mean(0), (60000.0, 60000.0, 60000.0))
show(lambda x: x.cumsum(0), (60000.0, 60000.0, -60000.0))
show(lambda x: x.cumsum(0)[-1], (1.0,) * 5000)

# %% layer_norm and batch_norm of float16
F = torch.nn.functional
for normalize in (
    lambda x, w, b: F.layer_norm(x, (3,), w, b),
    lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True),
):
    for kind in (torch.float16, torch.float32):
        x = torch.tensor([[700.0, 100.0, -300.0], [-500.0, 300.0, 200.0], [100.0, 50.0, 800.0]], dtype=torch.float16)
        x.requires_grad_()
        w = torch.tensor([1.0, 2.0, 0.5], dtype=kind, requires_grad=True)
        b = torch.tensor([0.5, 0.25, 0.0], dtype=kind, requires_grad=True)
        y = normalize(x, w, b)
        y.backward(torch.tensor([[1.0, 2.0, 4.0], [0.5, -1.0, 2.0], [1.0, 0.25, 8.0]], dtype=torch.float16))
        print(y.dtype, y.float().round(decimals=2), w.grad.float().round(decimals=1), b.grad)
        print((x.grad.float() * 1000).round(decimals=1), x.grad.dtype)

# %% the spread of float32 is computed in float64
x = torch.tensor([1e20, 1.0, 2.0], requires_grad=True)
x.std().backward()
print(x.std(), x.grad)
x = torch.tensor([1e-25, 2e-25, 4e-25], requires_grad=True)
x.std().backward()
print(x.std(), x.grad)
print(torch.tensor([1e30, 1.0, -1e30, 1.0]).cumsum(0))
print(torch.tensor([16777216.0] + [1.0] * 9).cumsum(0).tolist())

# %% the length of a single number is its size, however large or small
for size in (1e30, 1e-30):
    x = torch.tensor([[size]], requires_grad=True)
    for length in (x.norm(), torch.linalg.vector_norm(x, 2, dim=1)):
        print(length, torch.autograd.grad(length.sum(), x))
for order in (1.5, 3, float("inf")):
    print(torch.linalg.vector_norm(torch.tensor([[3.0], [0.0], [-1e30]]), order, dim=1))

# %% powers at zero and at infinity
inf = float("inf")
for kind in (torch.float16, torch.float32, torch.float64):
    for exponent in (0.5, -0.5, 1.5, 2.5):
        x = torch.tensor([-0.0, 0.0, -inf, inf, -1.0, 4.0], dtype=kind, requires_grad=True)
        y = x**exponent
        y.backward(torch.ones_like(y))
        print(y, x.grad)
x = torch.tensor(-inf, requires_grad=True)
(x**0.5).backward()
print(x**0.5, torch.tensor(-0.0) ** 0.5, x.grad)

# %% gradients at nan, at infinity and next to zero
nan, inf = float("nan"), float("inf")
for bend in (torch.nn.functional.elu, torch.nn.functional.selu):
    x = torch.tensor([nan, 1.0, -1.0], requires_grad=True)
    bend(x).sum().backward()
    print(x.grad)

# %% linalg.norm of three dimensions
torch.linalg.norm(torch.ones(2, 2, 2), "fro")

# %% linalg.norm of a vector by the name of a matrix norm
print(torch.linalg.norm(torch.ones(2, 2), "fro"))
torch.linalg.norm(torch.ones(2), "fro")

# %% functions of nothing
print(torch.fmod(torch.ones(0).int(), 0), torch.remainder(torch.ones(0, 2).int(), 0))
print(torch.func.jacrev(lambda x: x * 2)(torch.ones(0)))
print(torch.func.jacrev(lambda x: x.sum() * torch.ones(0))(torch.ones(2)))

# %% binary_cross_entropy_with_logits has the type of its target
loss = torch.nn.functional.binary_cross_entropy_with_logits
for kinds in ((torch.float64, torch.float32), (torch.float32, torch.float64)):
    x, target = (torch.tensor([0.5, 2.0], dtype=kind, requires_grad=True) for kind in kinds)
    for reduction in ("mean", "none", "sum"):
        print(loss(x, target, reduction=reduction).detach().dtype)
    loss(x, target).backward()
    print(loss(x, target), x.grad, target.grad)
print(loss(torch.ones(2), torch.ones(2), weight=torch.ones(2).double(), pos_weight=torch.ones(2).double()))

# %% numpy sees a tracked tensor where nothing is recorded
import numpy as np

w = torch.ones(2, requires_grad=True)
with torch.no_grad():
    print(w.numpy(), (w * 2).numpy())
    w.numpy()[0] = 5
print(w)
with torch.inference_mode():
    print(w.numpy())


class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.result = np.exp(x.numpy() / 5)
        return torch.from_numpy(ctx.result)

    @staticmethod
    def backward(ctx, grad):
        return grad * torch.from_numpy(ctx.result) / 5


Exp.apply(w).sum().backward()
print(w.grad)
w.numpy()
