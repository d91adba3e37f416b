# Programs of our own about leaves, flags and grad modes. A cell starts at "# %%" and runs alone, in a fresh notebook.

# %% nested
x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    print((x * 2).requires_grad)
    with torch.enable_grad():
        print((x * 2).requires_grad)
    print((x * 2).requires_grad)
print((x * 2).requires_grad)

# %% as decorators
@torch.no_grad()
def f(t):
    """doc"""
    return t * 2


print(f(torch.ones(2, requires_grad=True)), f.__name__, f.__doc__)


@torch.no_grad
def g(t):
    return t * 2


print(g(torch.ones(2, requires_grad=True)))

# %% set_grad_enabled as a call
x = torch.ones(2, requires_grad=True)
torch.set_grad_enabled(False)
print((x * 2).requires_grad, torch.is_grad_enabled())
torch.set_grad_enabled(True)
print((x * 2).requires_grad, torch.is_grad_enabled())

# %% an error leaves the mode as it was
try:
    with torch.no_grad():
        raise ValueError("x")
except ValueError:
    pass
print(torch.is_grad_enabled())

# %% a generator under no_grad
@torch.no_grad()
def gen():
    yield torch.is_grad_enabled()
    yield torch.is_grad_enabled()


it = gen()
print(next(it), torch.is_grad_enabled(), next(it), torch.is_grad_enabled())

# %% no_grad without parentheses
with torch.no_grad:
    pass

# %% leaves made under no_grad
with torch.no_grad():
    w = torch.ones(2, requires_grad=True)
    v = w * 2
print(w.requires_grad, v.requires_grad, v.is_leaf, (v * w).requires_grad)

# %% inference_mode
with torch.inference_mode():
    q = torch.ones(2) * 2
    print(q.is_inference(), torch.is_inference_mode_enabled())
x = torch.ones(2, requires_grad=True)
print((q + x).requires_grad)
q.add_(1)

# %% flags
x = torch.ones(2)
print(x.requires_grad_() is x, x.requires_grad)
x.requires_grad_(False)
print(x.requires_grad)
y = x.requires_grad_() * 2
y.requires_grad_()
y.requires_grad_(False)

# %% requires_grad_ of integers
torch.tensor([1, 2]).requires_grad_()

# %% requires_grad = of integers
x = torch.tensor([1, 2])
x.requires_grad = True

# %% rand(requires_grad=True)
x = torch.zeros(2, 2, requires_grad=True)
print(x, x.is_leaf)
print(torch.tensor(3.0, requires_grad=True))

# %% detach
x = torch.ones(2, requires_grad=True)
y = x * 2
d = y.detach()
print(d, d.is_leaf, d.data_ptr() == y.data_ptr(), y.requires_grad)

# %% numpy
import numpy as np

x = torch.ones(2, requires_grad=True)
a = np.arange(3.0)
t = torch.from_numpy(a)
a[0] = 5
print(t, t.numpy() is a, x.detach().numpy())
print(np.asarray(torch.tensor([1, 2])))
x.numpy()

# %% numpy array of a tracked tensor
import numpy as np

np.asarray(torch.ones(2, requires_grad=True))

# %% grad assigned
w = torch.ones(2, requires_grad=True)
w.grad = torch.tensor([1.0, 2.0])
(w * 3).sum().backward()
print(w.grad)
w.grad = torch.zeros(3)

# %% grad of a wrong type
w = torch.ones(2, requires_grad=True)
w.grad = [1.0, 2.0]

# %% grad of a wrong dtype
w = torch.ones(2, requires_grad=True)
w.grad = torch.zeros(2, dtype=torch.float64)

# %% data assigned
w = torch.ones(2, requires_grad=True)
w.data = torch.zeros(3)
print(w, w._version)
w.data = 3

# %% rebinding loses the leaf
w = torch.tensor([1.0], requires_grad=True)
w = w - 0.1
print(w, w.is_leaf)

# %% deepcopy
import copy

w = torch.tensor([1.0], requires_grad=True)
(w * 2).sum().backward()
c = copy.deepcopy(w)
print(c, c.grad, c is w)
copy.deepcopy(w * 2)

# %% truth
print(bool(torch.tensor(0.0)), bool(torch.tensor([1])), bool(torch.tensor([])) if False else "skip")
bool(torch.tensor([]))

# %% a tensor as an index and a number
print([10, 20, 30][torch.tensor(1)], range(torch.tensor(3)), int(torch.tensor(2.7)), float(torch.tensor(2)))
range(torch.tensor(2.5))

# %% format
print(f"{torch.tensor(1.23456):.2f}", f"{torch.tensor([1.5])}", "%.1f" % torch.tensor(2.25))
f"{torch.tensor([1.0, 2.0]):.2f}"

# %% hash and identity
x = torch.ones(2)
print(x in {x}, {x: 1}[x], x == x, (x == x).all())

# %% iteration
for row in torch.tensor([[1, 2], [3, 4]]):
    print(row)
for row in torch.tensor(1):
    pass

# %% unpacking
a, b = torch.tensor([1.0, 2.0], requires_grad=True)
print(a, b)

# %% wrong operands
torch.ones(2) + "a"

# %% None
torch.ones(2) + None

# %% shapes do not fit
torch.ones(2, 3) + torch.ones(2)

# %% an attribute that does not exist
torch.ones(2).gradd

# %% a name that does not exist
torch.tensro([1.0])

# %% a method that does not exist
torch.ones(2).backwards()

# %% sum of a list
print(sum([torch.tensor(1.0), torch.tensor(2.0)]))

# %% comparison with None
print(torch.ones(2) == None)  # noqa: E711

# %% anomaly mode names the line
x = torch.tensor([1.0], requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    y = (x - 1).sqrt() * 0
    y.backward()

# %% set_detect_anomaly without nan check
x = torch.tensor([1.0], requires_grad=True)
with torch.autograd.set_detect_anomaly(True, check_nan=False):
    y = (x - 1).sqrt() * 0
    y.backward()
print(x.grad)

# %% functional
x = torch.tensor([1.0, 2.0])
print(torch.autograd.functional.jacobian(lambda x: x * x, x))
print(torch.autograd.functional.hessian(lambda x: (x**3).sum(), x))
print(torch.autograd.functional.vjp(lambda x: x * x, x, torch.ones(2)))
print(torch.autograd.functional.jvp(lambda x: x * x, x, torch.ones(2)))

# %% optimiser
w = torch.tensor([1.0, -2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = (w * w).sum()
    loss.backward()
    optimizer.step()
    print(loss, w)

# %% type names
x = torch.ones(2, requires_grad=True)
print(type(x), x.type(), type(x.shape), type(x.grad_fn), isinstance(x, torch.Tensor))
print(x.dtype, x.device, x.size(), x.shape, torch.float32, torch.device("cpu"))

# %% f-strings
loss = torch.tensor(2.5, requires_grad=True)
print(f"loss {loss}", f"loss {loss * 2}", f"{loss:.3f}", f"{torch.tensor([1.0, 2.0])}", "loss %s" % loss)

# %% double precision is kept
print(torch.tensor([123456.789, 0.1], dtype=torch.float64), torch.tensor(0.1, dtype=torch.float64).item())
print(torch.tensor([16777217.0]), torch.tensor([2**40 + 1]), torch.full((2,), 0.1, dtype=torch.float64))

# %% numbers meet tensors
x = torch.tensor([1, 2])
print(x / 2, x // 2, x * 1.5, x + True, 2**x, x**2, x**0.5, 1 / x, x % 2, -x)

# %% a wrong dtype name
torch.ones(2, dtype="float32")

# %% a wrong size
torch.ones("2")

# %% dim out of range
torch.ones(2, 3).sum(dim=2)

# %% matrix shapes
torch.ones(2, 3) @ torch.ones(2, 3)

# %% forgetting the brackets
torch.tensor(1.0, 2.0)
