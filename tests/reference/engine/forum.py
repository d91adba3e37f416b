# What learners type, and the slips that they make. A cell starts at "# %%" and runs alone, in a fresh notebook.

# %% two passes without retain_graph
x = torch.tensor(2.0, requires_grad=True)
y = x**3
y.backward()
y.backward()

# %% the graph of the loop before
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = torch.zeros(2)
for step in range(2):
    h = torch.tanh(h + x)
    h.sum().backward()

# %% a hidden state that is detached
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = torch.zeros(2)
for step in range(2):
    h = torch.tanh(h.detach() + x)
    h.sum().backward()
print(x.grad)

# %% backward of a vector
x = torch.randn(3, requires_grad=True)
y = x * 2
y.backward()

# %% backward of an integer
x = torch.arange(4)
x.sum().backward()

# %% an integer leaf
x = torch.tensor([1, 2, 3], requires_grad=True)

# %% an integer leaf, afterwards
x = torch.tensor([1, 2, 3])
x.requires_grad_()

# %% an integer leaf, by assignment
x = torch.tensor([1, 2, 3])
x.requires_grad = True

# %% numpy of a tensor that requires grad
x = torch.ones(3, requires_grad=True)
x.numpy()

# %% numpy functions of a plain tensor
import numpy as np

x = torch.tensor([1.0, 4.0, 9.0])
print(np.asarray(x), np.array(x.tolist()).sum(), type(x.numpy()).__name__)

# %% numpy shares memory
import numpy as np

a = np.ones(3)
t = torch.from_numpy(a)
a += 1
print(t)
t.mul_(2)
print(a)
b = t.numpy()
b[0] = 7
print(t)

# %% a parameter is replaced instead of updated
w = torch.tensor([1.0], requires_grad=True)
loss = (w * 2).sum()
loss.backward()
w = w - 0.1 * w.grad
print(w, w.is_leaf)
loss = (w * 2).sum()
loss.backward()
w.grad.zero_()

# %% a parameter is updated in place outside no_grad
w = torch.tensor([1.0], requires_grad=True)
(w * 2).sum().backward()
w -= 0.1 * w.grad

# %% a parameter is updated through data
w = torch.tensor([1.0], requires_grad=True)
(w * 2).sum().backward()
w.data -= 0.1 * w.grad
w.grad.data.zero_()
print(w, w.grad)

# %% the gradient of a result
x = torch.tensor(1.0, requires_grad=True)
y = x * 2
z = y * 3
z.backward()
print(y.grad)

# %% a gradient is None
x = torch.tensor(1.0)
w = torch.tensor(2.0, requires_grad=True)
(x * w).backward()
print(x.grad, w.grad)
x.grad.zero_()

# %% no gradient was asked for
x = torch.tensor(1.0)
y = x * 2
y.backward()

# %% computed under no_grad
x = torch.tensor(1.0, requires_grad=True)
with torch.no_grad():
    y = x * 2
y.backward()

# %% detached on the way
x = torch.tensor(1.0, requires_grad=True)
y = (x * 2).detach()
y.backward()

# %% through item
x = torch.tensor(2.0, requires_grad=True)
y = torch.tensor(x.item() ** 2)
print(y)
y.backward()

# %% a tensor made of tensors
x = torch.tensor(2.0, requires_grad=True)
y = torch.tensor([x, x * 2])
print(y)
y.sum().backward()

# %% stack keeps what tensor loses
x = torch.tensor(2.0, requires_grad=True)
y = torch.stack([x, x * 2])
y.sum().backward()
print(x.grad)

# %% a tensor of a tensor
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.tensor(x)
print(y, y.requires_grad)

# %% argmax has no gradient
x = torch.tensor([1.0, 5.0, 2.0], requires_grad=True)
x.argmax().backward()

# %% rounding kills the gradient
x = torch.tensor([0.4, 1.6], requires_grad=True)
x.round().sum().backward()
print(x.grad)

# %% a comparison has no gradient
x = torch.tensor([0.4, 1.6], requires_grad=True)
y = (x > 0.5).float()
print(y.requires_grad)
y.sum().backward()

# %% long and float meet
a = torch.tensor([1, 2, 3])
b = torch.tensor([0.5, 1.5, 2.5])
print(a + b, a * 2.0, a / 2, a // 2, b.long())
a += b

# %% a matrix of integers times one of floats
a = torch.tensor([[1, 2], [3, 4]])
b = torch.ones(2, 2)
a @ b

# %% double and float in a product of matrices
a = torch.ones(2, 2, dtype=torch.float64)
b = torch.ones(2, 2)
print(a + b)
a.mm(b)

# %% a layer is given doubles
model = torch.nn.Linear(2, 1)
model(torch.ones(1, 2, dtype=torch.float64))

# %% a layer is given integers
model = torch.nn.Linear(2, 1)
model(torch.ones(1, 2, dtype=torch.long))

# %% a layer of another size
model = torch.nn.Linear(3, 1)
model(torch.ones(4, 2))

# %% a layer is given one number
model = torch.nn.Linear(1, 1)
model(torch.tensor(1.0))

# %% a layer is given a list
model = torch.nn.Linear(2, 1)
model([1.0, 2.0])

# %% a layer is given nothing
model = torch.nn.Linear(2, 1)
model()

# %% a layer is given two things
model = torch.nn.Linear(2, 1)
model(torch.ones(2), torch.ones(2))

# %% no super().__init__()
class Net(torch.nn.Module):
    def __init__(self):
        self.layer = torch.nn.Linear(2, 2)


Net()

# %% no forward
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)


Net()(torch.ones(2))

# %% a misspelt forward
class Net(torch.nn.Module):
    def foward(self, x):
        return x


Net()(torch.ones(2))

# %% a misspelt attribute of a module
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)

    def forward(self, x):
        return self.layr(x)


Net()(torch.ones(2))

# %% a plain tensor is no parameter
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.ones(2, requires_grad=True)
        self.b = torch.nn.Parameter(torch.zeros(2))


net = Net()
print([name for name, _ in net.named_parameters()])
net.b = torch.ones(2)

# %% layers in a plain list
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)]


torch.optim.SGD(Net().parameters(), lr=0.1)

# %% an optimizer is given a module
torch.optim.SGD(torch.nn.Linear(2, 2), lr=0.1)

# %% an optimizer is given a tensor
torch.optim.SGD(torch.ones(2, requires_grad=True), lr=0.1)

# %% an optimizer is given a result
w = torch.ones(2, requires_grad=True) * 2
torch.optim.SGD([w], lr=0.1)

# %% an optimizer is given names
model = torch.nn.Linear(2, 1)
torch.optim.SGD(dict(model.named_parameters()), lr=0.1)

# %% a negative learning rate
w = torch.ones(2, requires_grad=True)
torch.optim.SGD([w], lr=-0.1)

# %% Adam with a wrong beta
w = torch.ones(2, requires_grad=True)
torch.optim.Adam([w], betas=(0.9, 1.0))

# %% an optimizer without a gradient does nothing
w = torch.ones(2, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
optimizer.step()
print(w)

# %% gradients are summed when zero_grad is forgotten
w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for _ in range(3):
    loss = (w - 3) ** 2
    loss.backward()
    optimizer.step()
    print(w.grad, w)

# %% a loop with zero_grad
w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.Adam([w], lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = (w - 3) ** 2
    loss.backward()
    optimizer.step()
    print(loss, w)

# %% an optimizer as text
w = torch.ones(2, requires_grad=True)
print(torch.optim.SGD([w], lr=0.1, momentum=0.9))
print(torch.optim.Adam([{"params": [w], "lr": 0.5}]))

# %% a closure
w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)


def closure():
    optimizer.zero_grad()
    loss = (w - 3) ** 2
    loss.backward()
    return loss


print(optimizer.step(closure), w)

# %% the state of an optimizer
w = torch.ones(2, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
w.sum().backward()
optimizer.step()
print(optimizer.state_dict()["state"])
optimizer.load_state_dict({"state": {}, "param_groups": []})

# %% a state_dict of another model
model = torch.nn.Linear(2, 1)
model.load_state_dict({"weight": torch.ones(1, 2)})

# %% a state_dict of another shape
model = torch.nn.Linear(2, 1)
model.load_state_dict({"weight": torch.ones(1, 3), "bias": torch.ones(1)})

# %% a state_dict with a name too many
model = torch.nn.Linear(2, 1)
model.load_state_dict({**model.state_dict(), "more": torch.ones(1)})

# %% a state_dict, not strict
model = torch.nn.Linear(2, 1)
print(model.load_state_dict({"weight": torch.ones(1, 2), "more": torch.ones(1)}, strict=False))

# %% a model as text
model = torch.nn.Sequential(
    torch.nn.Flatten(), torch.nn.Linear(4, 3), torch.nn.ReLU(), torch.nn.Dropout(0.2), torch.nn.Linear(3, 2, bias=False)
)
print(model)
print(model[1], len(model), sum(p.numel() for p in model.parameters()))

# %% cross_entropy of one-hot integers
scores = torch.zeros(2, 3)
torch.nn.functional.cross_entropy(scores, torch.tensor([[1, 0, 0], [0, 1, 0]]))

# %% cross_entropy of floats
scores = torch.zeros(2, 3)
torch.nn.functional.cross_entropy(scores, torch.tensor([1.0, 2.0]))

# %% cross_entropy of a column
scores = torch.zeros(2, 3)
torch.nn.functional.cross_entropy(scores, torch.tensor([[1], [2]]))

# %% cross_entropy of a class too high
scores = torch.zeros(2, 3)
torch.nn.functional.cross_entropy(scores, torch.tensor([1, 3]))

# %% a loss called like a function
torch.nn.CrossEntropyLoss(torch.zeros(2, 3), torch.tensor([1, 2]))

# %% mse_loss that broadcasts
prediction = torch.tensor([[1.0], [2.0], [3.0]], requires_grad=True)
loss = torch.nn.functional.mse_loss(prediction, torch.tensor([1.0, 2.0, 3.0]))
print(loss)

# %% mse_loss of integers
torch.nn.functional.mse_loss(torch.tensor([1, 2]), torch.tensor([1, 2])).backward()

# %% bce of scores
torch.nn.functional.binary_cross_entropy(torch.tensor([2.0, -1.0]), torch.tensor([1.0, 0.0]))

# %% bce of integers
torch.nn.functional.binary_cross_entropy(torch.tensor([0.5, 0.5]), torch.tensor([1, 0]))

# %% bce of another shape
torch.nn.functional.binary_cross_entropy(torch.tensor([[0.5], [0.5]]), torch.tensor([1.0, 0.0]))

# %% shapes that do not broadcast
torch.ones(2, 3) + torch.ones(2)

# %% shapes that cannot be multiplied
torch.ones(2, 3) @ torch.ones(2, 3)

# %% view after transpose
x = torch.arange(6).reshape(2, 3)
x.t().view(6)

# %% a view of another size
torch.arange(6).view(4, -1)

# %% cat along a dimension that there is not
torch.cat([torch.ones(2), torch.ones(2)], dim=1)

# %% cat of different sizes
torch.cat([torch.ones(2, 3), torch.ones(2, 2)])

# %% an index out of range
x = torch.arange(3)
x[3]

# %% too many indices
x = torch.arange(3)
x[0, 1]

# %% a float as an index
x = torch.arange(3)
x[1.0]

# %% a float tensor as an index
x = torch.arange(3)
x[torch.tensor([0.0, 1.0])]

# %% a mask of another size
x = torch.arange(3)
x[torch.tensor([True, False])]

# %% the truth of several
x = torch.tensor([1.0, 2.0])
if x > 0:
    print("positive")

# %% item of several
torch.tensor([1.0, 2.0]).item()

# %% float of several
float(torch.tensor([1.0, 2.0]))

# %% len of a number
len(torch.tensor(1.0))

# %% over a number
for x in torch.tensor(1.0):
    print(x)

# %% parentheses forgotten
x = torch.ones(2, requires_grad=True)
loss = x.sum
loss.backward()

# %% parentheses too many
x = torch.ones(2, 3)
x.shape()

# %% size is not shape
x = torch.ones(2, 3)
print(x.size(), x.size(0), x.shape[1])
x.size[0]

# %% grad is no method
x = torch.ones(2, requires_grad=True)
x.sum().backward()
x.grad()

# %% requires_grad is no method
x = torch.ones(2)
x.requires_grad(True)

# %% a misspelt keyword
torch.ones(2, require_grad=True)

# %% a misspelt keyword of tensor
torch.tensor([1.0], require_grad=True)

# %% a misspelt function
torch.sigmod(torch.ones(2))

# %% a misspelt method
torch.ones(2, requires_grad=True).backwards()

# %% a list added to a tensor
torch.ones(2) + [1, 2]

# %% a text added to a tensor
torch.ones(2) + "1"

# %% None in an expression
x = torch.ones(2, requires_grad=True)
x - 0.1 * x.grad

# %% None added to a tensor
x = torch.ones(2)
x + None

# %% math of a tensor
import math

x = torch.tensor(1.0)
print(math.exp(x), math.sqrt(torch.tensor([4.0])))
math.exp(torch.ones(2))

# %% torch.exp of a number
torch.exp(1.0)

# %% torch.sum of a list
torch.sum([1, 2, 3])

# %% mean of integers
torch.tensor([1, 2, 3]).mean()

# %% std of one number is nan
print(torch.tensor([1.0]).std())

# %% softmax without dim
print(torch.nn.functional.softmax(torch.tensor([[1.0, 2.0]])))
torch.softmax(torch.tensor([1.0, 2.0]))

# %% softmax of integers
torch.softmax(torch.tensor([1, 2, 3]), dim=0)

# %% dropout in evaluation
model = torch.nn.Dropout(0.5)
print(model.training, model.eval()(torch.ones(3)), model.training)

# %% copies of a result
import copy

x = torch.ones(2, requires_grad=True)
print(copy.deepcopy(x))
copy.deepcopy(x * 2)

# %% copies of a leaf with a gradient
import copy

x = torch.ones(2, requires_grad=True)
x.sum().backward()
y = copy.deepcopy(x)
y.grad.zero_()
print(x.grad, y.grad, y.is_leaf)

# %% clone and detach
x = torch.ones(2, requires_grad=True)
a, b, c = x.clone(), x.detach(), x.detach().clone()
print(a, b, c)
b[0] = 5
print(x, a, c)

# %% a slice of a leaf is written
x = torch.zeros(3, requires_grad=True)
x[0] = 1.0

# %% a slice of a result is written
x = torch.zeros(3, requires_grad=True)
y = x * 1
y[0] = x.sum()
y.sum().backward()
print(x.grad)

# %% written after it was saved
x = torch.ones(3, requires_grad=True)
y = x.sigmoid()
y += 1
y.sum().backward()

# %% += and = + are two things
x = torch.ones(3, requires_grad=True)
y = x.exp()
y = y + 1
y.sum().backward()
print(x.grad)

# %% retain_grad and None
x = torch.ones(2, requires_grad=True)
y = x * 2
y.retain_grad()
y.sum().backward()
print(y.grad, x.grad, y.retains_grad)

# %% retain_grad of a plain tensor
torch.ones(2).retain_grad()

# %% a hook of a plain tensor
torch.ones(2).register_hook(print)

# %% a hook clips
x = torch.tensor([1.0, 10.0], requires_grad=True)
x.register_hook(lambda g: g.clamp(max=2.0))
(x * x).sum().backward()
print(x.grad)

# %% clipping by norm
w = torch.nn.Parameter(torch.tensor([3.0, 4.0]))
(w * w).sum().backward()
print(torch.nn.utils.clip_grad_norm_([w], 1.0), w.grad)

# %% grad with an unused input
x = torch.tensor(1.0, requires_grad=True)
y = torch.tensor(1.0, requires_grad=True)
torch.autograd.grad(x * 2, [x, y])

# %% second derivative without create_graph
x = torch.tensor(2.0, requires_grad=True)
(g,) = torch.autograd.grad(x**3, x)
torch.autograd.grad(g, x)

# %% second derivative with create_graph
x = torch.tensor(2.0, requires_grad=True)
(g,) = torch.autograd.grad(x**3, x, create_graph=True)
(h,) = torch.autograd.grad(g, x, create_graph=True)
(k,) = torch.autograd.grad(h, x)
print(g, h, k)

# %% backward with create_graph warns
x = torch.tensor(2.0, requires_grad=True)
(x**3).backward(create_graph=True)
print(x.grad)

# %% no_grad with the parentheses forgotten
x = torch.ones(2, requires_grad=True)
with torch.no_grad:
    y = x * 2

# %% set_grad_enabled
x = torch.ones(2, requires_grad=True)
for training in (True, False):
    with torch.set_grad_enabled(training):
        print((x * 2).requires_grad)

# %% a decorated function
@torch.no_grad()
def double(x):
    return x * 2


print(double(torch.ones(2, requires_grad=True)))

# %% inference tensors in training
with torch.inference_mode():
    x = torch.ones(2)
w = torch.ones(2, requires_grad=True)
(w * x).sum().backward()

# %% the seed
torch.manual_seed(42)
print(torch.rand(2), torch.randn(2), torch.randint(0, 10, (3,)))
torch.manual_seed(42)
print(torch.rand(2))

# %% printing options
torch.set_printoptions(precision=2)
print(torch.tensor([1 / 3, 2.0]))
torch.set_printoptions(sci_mode=True)
print(torch.tensor([1 / 3, 2.0]))
torch.set_printoptions(profile="default")
print(torch.tensor([1 / 3, 2.0]), torch.arange(2000))

# %% a function that is no Function
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


Double()(torch.ones(2, requires_grad=True))

# %% a Function without apply
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2


Double.forward(torch.ones(2))

# %% a Function whose backward forgets an input
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.k = k
        return x * k

    @staticmethod
    def backward(ctx, g):
        return g * ctx.k


x = torch.ones(2, requires_grad=True)
Scale.apply(x, 3.0).sum().backward()

# %% a Function that is called with a keyword
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        return x * k

    @staticmethod
    def backward(ctx, g):
        return g, None


Scale.apply(torch.ones(2, requires_grad=True), k=3.0)

# %% two devices
x = torch.ones(2, device="cuda:7")

# %% a device that there is not
x = torch.ones(2, device="gpu")

# %% where with numbers
x = torch.tensor([-1.0, 2.0], requires_grad=True)
y = torch.where(x > 0, x, 0)
y.sum().backward()
print(y, x.grad)

# %% boolean arithmetic
m = torch.tensor([True, False, True])
print(m + m, m * m, m + 1, m * 2.0, m / 2, m**2, True + m, m.sum(), ~m, m & True)
m - m

# %% minus a mask
-torch.tensor([True, False])

# %% one minus a mask
1 - torch.tensor([True, False])

# %% True is one
x = torch.tensor([1.0, 2.0])
print(x + True, x * True, x / True, x**True, x - False, True - x)

# %% True in place
x = torch.tensor([1.0, 2.0])
x += True
x *= True
x -= True
print(x)

# %% bytes wrap around
x = torch.tensor([250, 5], dtype=torch.uint8)
print(x + 10, x - 10, x * 2, -x, x // 2)

# %% integers divided by zero
torch.tensor([1, 2]) // 0

# %% floats divided by zero
print(torch.tensor([1.0, -1.0, 0.0]) / 0)

# %% a log of zero
x = torch.tensor([0.0, 1.0], requires_grad=True)
y = (x * x.log()).sum()
y.backward()
print(y, x.grad)

# %% an empty tensor
x = torch.tensor([])
print(x, x.shape, x.sum(), x.mean(), x.prod())
x.max()

# %% a ragged list
torch.tensor([[1, 2], [3]])

# %% a tensor of texts
torch.tensor(["a", "b"])

# %% a tensor of None
torch.tensor([None])

# %% sizes as floats
torch.zeros(2.0, 3)

# %% randn of nothing
print(torch.randn(0).shape)
torch.randn("2")

# %% expand a size that is not one
torch.ones(2, 3).expand(4, 3)

# %% squeeze and unsqueeze
x = torch.ones(1, 2, 1)
print(x.squeeze().shape, x.squeeze(0).shape, x.squeeze(1).shape, x.unsqueeze(0).shape, x.unsqueeze(-1).shape)
x.unsqueeze()

# %% permute too few
torch.ones(2, 3, 4).permute(0, 1)

# %% transpose with one number
torch.ones(2, 3).transpose(0)

# %% transpose like numpy
torch.ones(2, 3).transpose()

# %% T of three dimensions
x = torch.ones(2, 3, 4)
print(x.mT.shape)
print(x.T.shape)

# %% numpy names
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
print(x.sum(axis=0), x.mean(axis=1, keepdims=True), torch.cat([x, x], axis=1).shape, x.max(axis=0).values)
x.astype("float32")

# %% numpy methods that there are not
torch.ones(2).copy()

# %% one hot
labels = torch.tensor([0, 2, 1])
print(torch.nn.functional.one_hot(labels), torch.eye(3)[labels])
torch.nn.functional.one_hot(labels.float())

# %% gather the scores of the classes
scores = torch.tensor([[0.1, 0.9], [0.8, 0.2]], requires_grad=True)
labels = torch.tensor([1, 0])
picked = scores.gather(1, labels.unsqueeze(1)).squeeze()
picked.sum().backward()
print(picked, scores.grad)
scores.gather(1, labels)

# %% accuracy
scores = torch.tensor([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]])
labels = torch.tensor([1, 0, 0])
print((scores.argmax(dim=1) == labels).float().mean().item(), f"{(scores.argmax(1) == labels).sum() / len(labels):.2%}")

# %% a loss as a number in a text
loss = torch.tensor(0.12345, requires_grad=True) * 2
print(f"{loss:.3f} {loss.item():.3f} {loss}")
print(f"{torch.tensor([1.0]):.3f}")

# %% losses are kept with their graphs
w = torch.tensor(1.0, requires_grad=True)
losses = []
for step in range(3):
    loss = (w - step) ** 2
    losses.append(loss)
print(losses, sum(losses), torch.stack(losses).mean())

# %% gradients of several losses
w = torch.tensor(1.0, requires_grad=True)
a, b = w * 2, w * 3
(a + b).backward()
print(w.grad)
w.grad = None
a.backward(retain_graph=True)
b.backward()
print(w.grad)

# %% freezing a parameter
model = torch.nn.Linear(2, 1)
model.weight.requires_grad = False
model(torch.ones(2)).sum().backward()
print(model.weight.grad, model.bias.grad)
model.requires_grad_(False)
model(torch.ones(2)).sum().backward()

# %% requires_grad of a result
x = torch.ones(2, requires_grad=True)
y = x * 2
y.requires_grad = False

# %% grad of another shape is assigned
x = torch.ones(2, requires_grad=True)
x.grad = torch.ones(3)

# %% grad of another type is assigned
x = torch.ones(2, requires_grad=True)
x.grad = torch.ones(2, dtype=torch.float64)

# %% a number is assigned to grad
x = torch.ones(2, requires_grad=True)
x.grad = 0
