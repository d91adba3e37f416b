# What whole teaching programs do, where once they said something else than PyTorch. A cell starts at "# %%" and runs alone.

# %% a convolution lies in memory row after row
image = torch.arange(50.0).view(2, 1, 5, 5).requires_grad_()
kernels = (torch.arange(27.0) - 10).view(3, 1, 3, 3).requires_grad_()
found = torch.relu(torch.nn.functional.conv2d(image, kernels, torch.zeros(3)))
print(found.stride(), found.is_contiguous(), found.view(2, -1).shape)
found.view(-1, 27).sum().backward()
print(image.grad.stride(), kernels.grad.stride())

# %% results of indexing and sorting lie in memory row after row
a = torch.arange(12.0).view(3, 4)
n = torch.tensor([1, 0])
c = torch.arange(24.0).view(2, 3, 4)
for result in (a[:, n], c[:, n], c[..., n], c[:, [True, False, True]], a.t()[:, n], c[:, n, n]):
    print(result.stride(), result.view(-1))
print([places.stride() for places in torch.where(a > 4)], [places.stride() for places in a.nonzero(as_tuple=True)])
print([part.stride() for part in a.topk(2)], a.topk(3, dim=0)[1].view(-1))

# %% numbers of numpy's in a list
import numpy as np

f8, f4, f2, i4, true = np.float64(1.5), np.float32(1.5), np.float16(1.5), np.int32(3), np.bool_(True)
for numbers in (
    [f8, 2], [f8, 2.5], [2.5, f8], [f4, 2], [f4, 2.5], [f4, f8], [i4, 2], [i4, 2.5], [i4, True], [true, True],
    [f2, 2], [f2, np.int64(2)], [np.uint8(1), np.int8(2)], [[f8], [i4]], [f8, f4, i4, true],
):
    print(torch.tensor(numbers))
print(torch.tensor([f8, 2], dtype=torch.float32), torch.tensor([f8], dtype=torch.long), torch.as_tensor([f8, 2]))
print(torch.Tensor([f8, 2]), torch.stack([torch.tensor(f8)] * 2))

# %% numbers of other tensors in a list
double, half, whole = torch.tensor(1.5, dtype=torch.double), torch.tensor(1.5, dtype=torch.half), torch.tensor(2)
for numbers in ([double, 2], [double, 2.5], [half, 2], [half, 2.5], [whole, 2.5], [whole, True], [[double], [whole]]):
    print(torch.tensor(numbers))
print(torch.tensor([double], dtype=torch.int))

# %% a list of arrays
import numpy as np

print(torch.tensor([np.ones(2), np.zeros(2)]))
print(torch.tensor([[1, 2], np.array([3.0, 4.0])]))

# %% a list is assigned to a part
x = torch.zeros(2, 2)
x[0] = [1.0, 2.0]

# %% other things are assigned to a part
import numpy as np

x = torch.zeros(3)
for value in ("a", None, (1,), {}, np.ones(3), np.float32(2), np.bool_(True), range(3), [1.0]):
    for key in (0, slice(None), torch.tensor([0]), torch.tensor([True, False, True])):
        try:
            x[key] = value
        except TypeError as error:
            print(error)
x[0], x[1], x[2] = np.int64(3), np.float64(1.5), True
print(x, x._version)

# %% integers at equal distances
for kind in (torch.int, torch.long, torch.float):
    print(torch.linspace(1, 2, 3, dtype=kind), torch.linspace(0, 10, 4, dtype=kind), torch.linspace(5, -5, 8, dtype=kind))

# %% bce_with_logits of integers
loss = torch.nn.BCEWithLogitsLoss()
loss(torch.tensor([0.5, -1.0]), torch.tensor([1, 0]))

# %% losses of integers
import torch.nn.functional as F

x = torch.tensor([0.5, -1.0], requires_grad=True)
for target in ([1, 0], [True, False]):
    for kind in (torch.float, torch.double):
        try:
            print(F.binary_cross_entropy_with_logits(x.to(kind), torch.tensor(target)))
        except RuntimeError as error:
            print(error)

# %% a tensor that requires grad becomes a number
x = torch.tensor([1.5], requires_grad=True)
print(float(x))
print(int(x), bool(x), "%d" % x)
try:
    float(torch.ones(2, requires_grad=True))
except ValueError as error:
    print(error)

# %% a parameter is replaced
layer = torch.nn.Linear(2, 1)
layer.weight = torch.nn.Parameter(torch.ones(1, 2))
print([name for name, _ in layer.named_parameters()], list(layer.state_dict()))
model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
model.first, model.second = torch.nn.Tanh(), torch.nn.Sigmoid()
model.first = torch.nn.ELU()
print(model)

# %% modules in a Sequential
from torch import nn

model = nn.Sequential(nn.ReLU())
model.append(nn.Tanh()).insert(0, nn.Sigmoid()).extend([nn.ELU(), nn.GELU()])
print(model)
print(model.pop(1), len(model))
del model[0]
print(model, model + nn.Sequential(nn.ReLU()))
model += nn.Sequential(nn.SiLU())
del model[:2]
print(model)
for wrong in (lambda: model.insert(9, nn.ReLU()), lambda: nn.Sequential(3)):
    try:
        wrong()
    except (IndexError, TypeError) as error:
        print(type(error).__name__, error)
layers = nn.ModuleList([nn.ReLU()]) + [nn.Tanh()]
print(layers, layers.pop(0), len(layers))

# %% a buffer by its name, and a state that takes the place of the parameters
model = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.BatchNorm1d(1))
print(model.get_buffer("1.running_mean"))
state = {name: value.clone() for name, value in model.state_dict().items()}
print(model.load_state_dict(state, assign=True), model[0].weight.data_ptr() == state["0.weight"].data_ptr())
print(type(model[0].weight).__name__, [name for name, _ in model.named_parameters()], list(dict(model.named_buffers())))
print(type(model.load_state_dict({}, strict=False)).__name__)

# %% an optimizer of one's own
class Momentum(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1, beta=0.9):
        super().__init__(params, {"lr": lr, "beta": beta})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                if not state:
                    state["step"], state["velocity"] = 0, torch.zeros_like(p)
                state["step"] += 1
                state["velocity"].mul_(group["beta"]).add_(p.grad)
                p.sub_(state["velocity"], alpha=group["lr"])


w = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = Momentum([w])
schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
for _ in range(3):
    optimizer.zero_grad()
    (w**2).sum().backward()
    optimizer.step()
    schedule.step()
print(w, optimizer.state_dict(), optimizer.state)

# %% an optimizer knows the names of parameters
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.named_parameters(), lr=0.1, momentum=0.9)
print(optimizer)
print(optimizer.state_dict(), list(optimizer.param_groups[0]))

# %% an optimizer is given a parameter twice, and a set
w = torch.ones(2, requires_grad=True)
print(torch.optim.SGD([w, w], lr=0.1).state_dict())
try:
    torch.optim.SGD([{"params": {w}}], lr=0.1)
except TypeError as error:
    print(error)

# %% batches of texts
from torch.utils.data import DataLoader, Dataset


class Words(Dataset):
    def __len__(self):
        return 3

    def __getitem__(self, i):
        return i, "abc"[i]


print(list(DataLoader(Words(), batch_size=2)))

# %% a program from before 0.4
from torch.autograd import Variable

x = Variable(torch.Tensor([1.0, 2.0]), requires_grad=True)
print(x, type(x), isinstance(x, Variable), isinstance(torch.ones(1), Variable), isinstance(3, Variable))
for _ in range(2):
    y = (x**2).sum()
    y.backward()
    x.data -= 0.1 * x.grad.data
    x.grad.data.zero_()
print(x, x.is_leaf, y.data)
t = torch.ones(2)
v = Variable(t)
print(v is t, v.data_ptr() == t.data_ptr(), v.requires_grad, Variable(x * 2).grad_fn)

# %% the old types of tensors
x = torch.ones(2)
print(x.type(torch.DoubleTensor), x.type(torch.LongTensor), torch.FloatTensor, torch.LongTensor)
print(isinstance(x, torch.FloatTensor), isinstance(x, torch.LongTensor), isinstance(3, torch.FloatTensor))
print(torch.FloatTensor(torch.Size([2, 3])).shape, torch.FloatTensor(2, 3).shape, torch.FloatTensor([1, 2]))
print(torch.FloatTensor(x).data_ptr() == x.data_ptr(), x.new([1, 2]), x.long().new([1, 2]), x.new(2, 2).shape)
for wrong in (lambda: torch.FloatTensor(2.5), lambda: torch.Tensor(True)):
    try:
        wrong()
    except TypeError as error:
        print(error)

# %% handles and switches as text
x = torch.ones(1, requires_grad=True)
print(x.register_hook(print), (x * 2).grad_fn.register_hook(print), torch.autograd.graph.Node)
print(torch.set_grad_enabled(True), torch.autograd.set_detect_anomaly(False), torch.is_anomaly_enabled())
with torch.autograd.detect_anomaly(check_nan=False):
    print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())

# %% a view without a history any more is printed
x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    view = x.view(2, 1)
    x.mul_(2)
print(view)
try:
    view.grad_fn
except RuntimeError as error:
    print(error)

# %% what vmap and its kin refuse
from torch.func import grad, jacrev, vmap

x = torch.ones(2)
for wrong in (
    lambda: vmap(torch.sin)(torch.tensor(1.0)), lambda: vmap(torch.sin, in_dims=2)(x), lambda: vmap(torch.sin)(3.0),
    lambda: vmap(torch.mul)(x, 3.0), lambda: vmap(torch.sin)(),
    lambda: vmap(lambda a: 3.0)(x), lambda: vmap(lambda a: None)(x), lambda: grad(torch.sin)(3.0),
    lambda: jacrev(torch.sin)(3.0),
):
    try:
        print(wrong())
    except (ValueError, RuntimeError, NotImplementedError) as error:
        print(type(error).__name__, error)
print(vmap(torch.mul, in_dims=(0, None))(torch.ones(2), 3.0), vmap(torch.sum, in_dims=-1)(torch.ones(2, 3)))

# %% sizes that are multiplied
print(torch.Size([2]) * 2, 2 * torch.Size([2, 3]))

# %% a dimension that numpy has counted
import numpy as np

x = torch.ones(2, 3)
print(x.sum(np.int64(0)), x.mean(dim=np.int64(1), keepdim=True), x.sum((np.int64(0),)))
