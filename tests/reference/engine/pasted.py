# Programs as learners paste them: small networks of convolutions, torch.func, loaders of data, checkpoints, the memory
# behind tensors. A cell starts at "# %%" and runs alone, in a fresh notebook.

# %% clone, detach and data share memory or not
x = torch.ones(3, requires_grad=True)
a, b, c = x.clone(), x.detach(), x.data
print([t.data_ptr() == x.data_ptr() for t in (a, b, c)])
print([t._version for t in (x, a, b, c)])
b.add_(1)
print(x._version, c._version, x)
c.mul_(2)
print(x._version, c._version, x)

# %% data hides what detach tells
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.sigmoid()
y.data.zero_()
y.sum().backward()
print(x.grad)
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.sigmoid()
y.detach().zero_()
y.sum().backward()

# %% leaf or not, a table
x = torch.ones(2)
w = torch.ones(2, requires_grad=True)
rows = {"x": x, "w": w, "x*x": x * x, "w*x": w * x, "w.detach()": w.detach(), "w.data": w.data, "w.clone()": w.clone(),
        "w.double()": w.double(), "w.float()": w.float(), "(w*2).requires_grad_()": (w * 2).requires_grad_(),
        "tensor(w)": torch.nn.Parameter(w * 3), "w[0]": w[0], "w.view(1, 2)": w.view(1, 2)}
for name, t in rows.items():
    print(name, t.is_leaf, t.requires_grad, t.grad_fn is None)

# %% four gradients and one graph
x = torch.tensor(1.5, requires_grad=True)
y = x**3
g1, = torch.autograd.grad(y, x, create_graph=True)
g2, = torch.autograd.grad(g1, x, create_graph=True)
g3, = torch.autograd.grad(g2, x, create_graph=True)
g4, = torch.autograd.grad(g3, x, create_graph=True)
print(y, g1, g2, g3, g4, sep="\n")

# %% jacobian by hand with basis vectors
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = torch.stack([x[0] * x[1], x[1] * x[2], x.prod()])
J = torch.stack([torch.autograd.grad(y, x, v, retain_graph=True)[0] for v in torch.eye(3)])
print(J)
print(torch.autograd.grad(y, x, torch.eye(3), is_grads_batched=True)[0])

# %% derivatives as functions of functions
import warnings
warnings.simplefilter("ignore")  # of PyTorch about itself, when it first goes forwards
from torch.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap
x = torch.tensor([1.0, 2.0, 3.0])
print(grad(torch.sin)(torch.tensor(0.5)))
print(jacrev(torch.sin)(x))
print(jacfwd(torch.sin)(x))
print(hessian(lambda x: (x**3).sum())(x))
out, pull = vjp(torch.exp, x)
print(out, pull(torch.ones(3)))
print(jvp(torch.sin, (x,), (torch.ones(3),)))
print(vmap(torch.dot)(torch.ones(2, 3), torch.ones(2, 3)))

# %% torch.func.grad of grad, with aux and argnums
from torch.func import grad, grad_and_value
print(grad(grad(torch.sin))(torch.tensor(0.5)))
f = lambda x, y: (x * y).sum()
x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
print(grad(f, argnums=(0, 1))(x, y))
print(grad_and_value(f)(x, y))
print(grad(lambda x: ((x**2).sum(), x + 1), has_aux=True)(x))

# %% per-sample gradients with torch.func
from torch.func import functional_call, grad, vmap
torch.manual_seed(0)
model = torch.nn.Linear(3, 1)
params = {k: v.detach() for k, v in model.named_parameters()}
def loss(params, x, y):
    out = functional_call(model, params, (x.unsqueeze(0),))
    return torch.nn.functional.mse_loss(out, y.unsqueeze(0))
X, Y = torch.randn(4, 3), torch.randn(4, 1)
grads = vmap(grad(loss), in_dims=(None, 0, 0))(params, X, Y)
print({k: tuple(g.shape) for k, g in grads.items()})
print(grads["bias"])

# %% a small LeNet
from torch import nn
import torch.nn.functional as F
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 2, 3)
        self.conv2 = nn.Conv2d(2, 3, 3)
        self.fc = nn.Linear(3 * 1 * 1, 2)
    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), (2, 2))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc(torch.flatten(x, 1))
torch.manual_seed(0)
net = Net()
print(net)
out = net(torch.randn(1, 1, 10, 10))
print(out)
loss = nn.MSELoss()(out, torch.zeros(1, 2))
print(loss.grad_fn.next_functions[0][0].next_functions)
loss.backward()
print(net.conv1.bias.grad)

# %% fusing convolution and batch norm, by hand
torch.manual_seed(0)
conv, bn = torch.nn.Conv2d(2, 3, 3, bias=False), torch.nn.BatchNorm2d(3).eval()
x = torch.randn(2, 2, 5, 5)
scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
fused = torch.nn.functional.conv2d(x, conv.weight * scale.view(-1, 1, 1, 1), bn.bias - bn.running_mean * scale)
print(torch.allclose(bn(conv(x)), fused, atol=1e-5))

# %% a dataset and a loader
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
data = TensorDataset(torch.arange(6.0).view(6, 1), torch.arange(6))
for x, y in DataLoader(data, batch_size=4, shuffle=True):
    print(x.flatten(), y)
print(len(data), data[2])

# %% a dataset of one's own
from torch.utils.data import DataLoader, Dataset
class Squares(Dataset):
    def __len__(self):
        return 5
    def __getitem__(self, i):
        return float(i), i * i
for batch in DataLoader(Squares(), batch_size=2):
    print(batch)

# %% which device
device = torch.accelerator.current_accelerator().type if torch.accelerator.is_available() else "cpu"
print(device in ("cpu", "cuda"))
print("mps" if torch.backends.mps.is_available() else "cpu")
torch.backends.cudnn.deterministic = True
torch.backends.cudnn.benchmark = False

# %% hooks on modules that show gradients
net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(), torch.nn.Linear(2, 1))
seen = []
for name, m in net.named_modules():
    if name:
        m.register_full_backward_hook(lambda m, gi, go, name=name: seen.append((name, tuple(go[0].shape), gi[0] is None)))
net(torch.ones(3, 2)).sum().backward()
print(seen)

# %% a network of convolutions learns
import torch.nn.functional as F
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
                          torch.nn.Conv2d(4, 2, 3), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten())
x, y = torch.randn(8, 1, 8, 8), torch.randint(0, 2, (8,))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for epoch in range(3):
    loss = F.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(round(loss.item(), 4))
print(net)
print(loss)

# %% the graph of a convolution
x = torch.randn(1, 2, 4, 4)
conv = torch.nn.Conv2d(2, 3, 3)
out = conv(x)
print(out.grad_fn, out.grad_fn.next_functions)
print(out.grad_fn._saved_stride, out.grad_fn._saved_padding)

# %% the gradient with respect to an image
torch.manual_seed(0)
conv = torch.nn.Conv2d(1, 1, 2, bias=False)
image = torch.ones(1, 1, 3, 3, requires_grad=True)
conv(image).sum().backward()
print(image.grad)
print(conv.weight.grad)

# %% a gradient penalty through a convolution
torch.manual_seed(0)
conv = torch.nn.Conv2d(1, 2, 2)
x = torch.randn(1, 1, 3, 3, requires_grad=True)
score = conv(x).tanh().sum()
slope, = torch.autograd.grad(score, x, create_graph=True)
penalty = (slope.norm() - 1) ** 2
penalty.backward()
print(penalty)
print(conv.weight.grad)

# %% a convolution of the wrong channels
conv = torch.nn.Conv2d(3, 2, 3)
conv(torch.ones(1, 1, 5, 5))

# %% a convolution without a dimension for channels
conv = torch.nn.Conv2d(1, 2, 3)
print(conv(torch.ones(1, 5, 5)).shape)
conv(torch.ones(5, 5))

# %% an image that is too small
torch.nn.Conv2d(1, 2, 5)(torch.ones(1, 1, 3, 3))

# %% a linear layer after a convolution, of the wrong size
net = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.Flatten(), torch.nn.Linear(10, 2))
net(torch.ones(1, 1, 5, 5))

# %% max pooling of ties and of nan
x = torch.tensor([[[1.0, 1.0], [1.0, 1.0]]], requires_grad=True)
y = torch.nn.functional.max_pool2d(x, 2)
y.backward()
print(x.grad, y.grad_fn._saved_result1)
print(torch.nn.functional.max_pool2d(torch.tensor([[[1.0, float("nan")], [2.0, 3.0]]]), 2))

# %% gradcheck of convolution and pooling
torch.manual_seed(0)
x = torch.randn(2, 2, 5, 4, dtype=torch.double, requires_grad=True)
w = torch.randn(2, 2, 2, 3, dtype=torch.double, requires_grad=True)
b = torch.randn(2, dtype=torch.double, requires_grad=True)
conv = lambda x, w, b: torch.nn.functional.conv2d(x, w, b, stride=2, padding=1)
print(torch.autograd.gradcheck(conv, (x, w, b)), torch.autograd.gradgradcheck(conv, (x, w, b)))
print(torch.autograd.gradcheck(lambda x: torch.nn.functional.avg_pool2d(x, 2, 1, 1), x))
print(torch.autograd.gradcheck(lambda x: torch.nn.functional.max_pool2d(x, 2), x))

# %% a convolution as a sum over windows
x, w = torch.arange(16.0).view(1, 1, 4, 4), torch.tensor([[[[1.0, 0.0], [0.0, -1.0]]]])
print(torch.nn.functional.conv2d(x, w))
by_hand = torch.stack([torch.stack([(x[0, 0, i:i + 2, j:j + 2] * w[0, 0]).sum() for j in range(3)]) for i in range(3)])
print(by_hand)

# %% per-sample gradients, two ways
from torch.func import functional_call, grad, vmap
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU(), torch.nn.Linear(3, 2))
X, Y = torch.randn(5, 4), torch.randint(0, 2, (5,))
loss_fn = torch.nn.CrossEntropyLoss()
one_by_one = []
for x, y in zip(X, Y):
    loss = loss_fn(model(x[None]), y[None])
    one_by_one.append(torch.autograd.grad(loss, list(model.parameters())))
one_by_one = [torch.stack(g) for g in zip(*one_by_one)]
params = {name: p.detach() for name, p in model.named_parameters()}
def loss_of(params, x, y):
    return loss_fn(functional_call(model, params, (x[None],)), y[None])
at_once = vmap(grad(loss_of), in_dims=(None, 0, 0))(params, X, Y)
for (name, g), h in zip(at_once.items(), one_by_one):
    print(name, tuple(g.shape), torch.allclose(g, h, atol=1e-6), g.requires_grad)

# %% jacobians by rows and by columns
from torch.func import jacrev, vjp
torch.manual_seed(0)
W, b, x = torch.randn(3, 3), torch.randn(3), torch.randn(3)
predict = lambda W, b, x: (W @ x + b).tanh()
J = jacrev(predict, argnums=2)(W, b, x)
print(J)
print([tuple(j.shape) for j in jacrev(predict, argnums=(0, 1))(W, b, x)])
_, pull = vjp(lambda x: predict(W, b, x), x)
print(torch.allclose(torch.stack([pull(row)[0] for row in torch.eye(3)]), J))

# %% a hessian of a model, and a product with it
import warnings
warnings.simplefilter("ignore")  # of PyTorch about itself, when it first goes forwards
from torch.func import grad, hessian, jvp, vjp
torch.manual_seed(0)
W, x, v = torch.randn(2, 3), torch.randn(3), torch.randn(3)
f = lambda x: torch.tanh(W @ x).pow(2).sum()
H = hessian(f)(x)
print(H)
print(torch.allclose(jvp(grad(f), (x,), (v,))[1], H @ v, atol=1e-6))
print(torch.allclose(vjp(grad(f), x)[1](v)[0], v @ H, atol=1e-6))

# %% grad of something that is no number
from torch.func import grad
grad(lambda x: x * 2)(torch.ones(2))

# %% grad of something that is no tensor
from torch.func import grad
grad(lambda x: 2.0)(torch.ones(2))

# %% grad with an argument that there is not
from torch.func import grad
grad(lambda x: x.sum(), argnums=1)(torch.ones(2))

# %% torch.func and ordinary leaves
from torch.func import grad
w = torch.tensor(3.0, requires_grad=True)
g = grad(lambda x: w * x**2)(torch.tensor(2.0))
print(g)
g.backward()
print(w.grad)
x = torch.tensor(2.0, requires_grad=True)
g = grad(torch.sin)(x)
print(g.requires_grad)
g.backward()
print(x.grad)

# %% torch.func under no_grad
from torch.func import grad
with torch.no_grad():
    print(grad(torch.exp)(torch.tensor(1.0)))

# %% vmap over other dimensions, and over dicts
from torch.func import vmap
x = torch.arange(6.0).view(2, 3)
print(vmap(torch.sum, in_dims=1)(x))
print(vmap(lambda a, b: a * b, in_dims=(0, None))(x, torch.tensor(2.0)))
print(vmap(lambda a: a * 2, in_dims=1, out_dims=1)(x))
print(vmap(lambda d: d["a"] + d["b"])({"a": x, "b": x}))
print(vmap(lambda a: (a.sum(), a.max()))(x))
print(torch.vmap(torch.dot)(x, x))

# %% vmap over batches that differ
torch.vmap(torch.dot)(torch.ones(2, 3), torch.ones(3, 3))

# %% aux values and dicts of parameters
from torch.func import grad, grad_and_value
params = {"w": torch.tensor([1.0, 2.0]), "b": torch.tensor(0.5)}
def f(p, x):
    y = p["w"] @ x + p["b"]
    return y**2, y
print(grad(f, has_aux=True)(params, torch.tensor([1.0, 1.0])))
print(grad_and_value(f, has_aux=True)(params, torch.tensor([1.0, 1.0])))

# %% a functional call leaves the module as it was
from torch.func import functional_call
torch.manual_seed(0)
layer = torch.nn.Linear(2, 1)
before = layer.weight.clone()
print(functional_call(layer, {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}, torch.tensor([1.0, 2.0])))
print(torch.equal(layer.weight, before), isinstance(layer.weight, torch.nn.Parameter))

# %% learning from a loader
from torch.utils.data import DataLoader, TensorDataset, random_split
torch.manual_seed(0)
x = torch.linspace(-1, 1, 20).unsqueeze(1)
data = TensorDataset(x, 2 * x + 1)
train, test = random_split(data, [15, 5])
print(len(train), len(test), test.indices)
net = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
for epoch in range(2):
    for xb, yb in DataLoader(train, batch_size=4, shuffle=True):
        loss = torch.nn.functional.mse_loss(net(xb), yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, round(loss.item(), 4), len(xb))
print(torch.rand(2))

# %% loaders and their order
from torch.utils.data import DataLoader
g = torch.Generator().manual_seed(3)
loader = DataLoader(range(7), batch_size=3, shuffle=True, generator=g, drop_last=True)
print(len(loader), [b.tolist() for b in loader], [b.tolist() for b in loader])
print([b for b in DataLoader(["a", "b", "c"], batch_size=2)])
print([b for b in DataLoader([{"x": 1.5, "y": True}, {"x": 2.5, "y": False}], batch_size=2)])
print(list(DataLoader(range(3), batch_size=None)), list(DataLoader(range(4), sampler=[2, 0], batch_size=2)))
print(list(DataLoader(range(4), batch_size=2, collate_fn=lambda batch: sum(batch))))

# %% a dataset that lacks what a loader needs
from torch.utils.data import DataLoader, Dataset
class Nothing(Dataset):
    def __len__(self):
        return 2
next(iter(DataLoader(Nothing())))

# %% samples of different sizes
from torch.utils.data import DataLoader
next(iter(DataLoader([torch.ones(2), torch.ones(3)], batch_size=2)))

# %% tensors of different lengths in a dataset
from torch.utils.data import TensorDataset
TensorDataset(torch.ones(2), torch.ones(3))

# %% a checkpoint of either kind
from torch.utils.checkpoint import checkpoint
for reentrant in (False, True):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    w = torch.tensor(3.0, requires_grad=True)
    calls = []
    def block(a, scale):
        calls.append("ran")
        return (a * w).sin() * scale
    y = checkpoint(block, x, 2.0, use_reentrant=reentrant)
    print(y.detach())
    y.sum().backward()
    print(calls, x.grad, w.grad)

# %% a checkpoint with dropout draws the same again
from torch.utils.checkpoint import checkpoint
torch.manual_seed(0)
x = torch.ones(6, requires_grad=True)
y = checkpoint(lambda x: torch.nn.functional.dropout(x * 2, 0.5), x, use_reentrant=False)
y.sum().backward()
print(torch.equal(y.detach(), x.grad), y.detach())
print(torch.rand(1))

# %% a checkpoint that computes something else the second time
from torch.utils.checkpoint import checkpoint

for first, second in (
    (lambda x: x.exp(), lambda x: x[:1].exp()),
    (lambda x: x.sin().exp(), lambda x: x.exp()),
    (lambda x: x.exp(), lambda x: x.sin().exp()),
):
    functions = iter((first, second))
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = checkpoint(lambda x: next(functions)(x), x, use_reentrant=False)
    try:
        y.sum().backward()
        print(x.grad)
    except RuntimeError as error:
        print(type(error).__name__, str(error).split("\n")[0])

# %% what anomaly mode says of a value that was written
x = torch.ones(2, requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    y = x.exp()
    y.add_(1)
    try:
        y.sum().backward()
    except RuntimeError as error:
        print(str(error).partition("Hint: ")[2])

# %% a checkpoint without saying which kind
from torch.utils.checkpoint import checkpoint
x = torch.ones(2, requires_grad=True)
checkpoint(torch.exp, x).sum().backward()
print(x.grad)

# %% a checkpoint of what needs no gradient
from torch.utils.checkpoint import checkpoint
print(checkpoint(torch.exp, torch.zeros(2), use_reentrant=False))

# %% a view shares its storage, a copy does not
x = torch.arange(6.0).view(2, 3)
y = x.t()
print(x.data_ptr() == y.data_ptr(), x.storage_offset(), y.stride(), y.is_contiguous())
print(x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr())
print(x.untyped_storage().nbytes(), x.nbytes, x.element_size(), len(x.untyped_storage()))
z = y.contiguous()
print(z.untyped_storage().data_ptr() == y.untyped_storage().data_ptr())
row = x[1]
print(row.untyped_storage().nbytes(), row.storage_offset(), row.data_ptr() - x.data_ptr())

# %% what detach and data share
x = torch.ones(3, requires_grad=True)
for t in (x.detach(), x.data, x.clone(), x.view(3), x[:2]):
    print(t.untyped_storage().data_ptr() == x.untyped_storage().data_ptr(), t.requires_grad)

# %% numpy shares the storage
import numpy as np
a = np.zeros(3)
t = torch.from_numpy(a)
a[0] = 5
print(t, t.untyped_storage().nbytes())

# %% one number as a tensor, and draws that leave no trace
print(torch.scalar_tensor(3), torch.scalar_tensor(True), torch.scalar_tensor(2, dtype=torch.int64))
torch.manual_seed(0)
first = torch.rand(2)
torch.manual_seed(0)
with torch.random.fork_rng():
    torch.manual_seed(1)
    print(torch.rand(2).shape)
print(torch.equal(torch.rand(2), first))

# %% what a derivative does not depend on is zero, and needs no gradient
import warnings
warnings.simplefilter("ignore")  # of PyTorch about itself, when it first goes forwards
from torch.autograd import functional as F
from torch.func import grad, hessian, jacfwd, jacrev, vjp
x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
print(grad(lambda x, y: x.sum(), argnums=(0, 1))(x, y))
print(jacfwd(lambda x, y: (x * y, x.sum()), argnums=(0, 1))(x, y))
print(hessian(lambda x, y: (x**2 * y).sum(), argnums=(0, 1))(x, y))
print(vjp(lambda x: torch.ones(2), x)[1](y), F.vjp(lambda x, y: x.sum(), (x, y), create_graph=True)[1])
print(F.jvp(lambda x: torch.ones(2), x, y), F.vhp(lambda x: x.sum(), x, y))
print(jacfwd(lambda x: (x["a"] * 2, x["b"].sum()))({"a": x, "b": y}))
print(jacrev(lambda x: {"twice": x * 2, "sum": x.sum()}, (0,))(x))

# %% one graph for all samples of a batch
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
out = x.sin() * x.sum()
print(torch.vmap(lambda v: torch.autograd.grad(out, x, v)[0])(torch.eye(3)))
