# Programs of our own about backward and autograd.grad. A cell starts at "# %%" and runs alone, in a fresh notebook.

# %% twice without saved values
x = torch.ones(2, requires_grad=True)
y = (x + 1).sum()
y.backward()
y.backward()
print(x.grad)

# %% twice with saved values
x = torch.ones(2, requires_grad=True)
y = (x * x).sum()
y.backward()
y.backward()

# %% retain_graph, then not
x = torch.ones(2, requires_grad=True)
y = (x * x).sum()
y.backward(retain_graph=True)
y.backward()
print(x.grad)
y.backward()

# %% two losses share a part
x = torch.tensor([2.0], requires_grad=True)
shared = x * x
a, b = (shared * 3).sum(), (shared * 4).sum()
a.backward()
print(x.grad)
b.backward()

# %% two losses share a part, retained
x = torch.tensor([2.0], requires_grad=True)
shared = x * x
a, b = (shared * 3).sum(), (shared * 4).sum()
a.backward(retain_graph=True)
b.backward()
print(x.grad)

# %% several roots
x = torch.tensor([1.0, 2.0], requires_grad=True)
torch.autograd.backward([x * 2, (x * 3).sum()], [torch.ones(2), None])
print(x.grad)

# %% several roots, grads missing
x = torch.tensor([1.0, 2.0], requires_grad=True)
torch.autograd.backward([x * 2, (x * 3).sum()])

# %% a root that is a leaf
x = torch.tensor(2.0, requires_grad=True)
x.backward()
print(x.grad)
x.backward()
print(x.grad)

# %% inputs= of backward
x = torch.tensor(2.0, requires_grad=True)
w = torch.tensor(3.0, requires_grad=True)
(x * w).backward(inputs=[w])
print(x.grad, w.grad)

# %% inputs= empty
x = torch.tensor(2.0, requires_grad=True)
(x * 2).backward(inputs=[])

# %% inputs= of a result
x = torch.tensor(2.0, requires_grad=True)
h = x * 3
(h * h).backward(inputs=[h])
print(h.grad, x.grad)

# %% nothing to differentiate
(torch.ones(2) * 2).sum().backward()

# %% a vector
(torch.ones(2, requires_grad=True) * 2).backward()

# %% gradient of wrong shape
(torch.ones(2, requires_grad=True) * 2).backward(torch.ones(3))

# %% gradient of wrong type
(torch.ones(2, requires_grad=True) * 2).backward([1.0, 1.0])

# %% gradient of another dtype
x = torch.ones(2, requires_grad=True)
(x * 2).backward(torch.ones(2, dtype=torch.float64))
print(x.grad)

# %% gradient is an integer tensor
x = torch.ones(2, requires_grad=True)
(x * 2).backward(torch.ones(2, dtype=torch.long))
print(x.grad)

# %% the gradient passed in is not touched
x = torch.ones(2, requires_grad=True)
g = torch.tensor([1.0, 2.0])
y = x + 0
y.backward(g, retain_graph=True)
y.backward(g)
print(g, x.grad)

# %% the first gradient is not an alias of another leaf's
a = torch.zeros(2, requires_grad=True)
b = torch.zeros(2, requires_grad=True)
(a + b).sum().backward()
a.grad.add_(5)
print(a.grad, b.grad)

# %% grad is accumulated in place
x = torch.ones(2, requires_grad=True)
(x * 2).sum().backward()
kept = x.grad
(x * 3).sum().backward()
print(kept is x.grad, kept)

# %% autograd.grad does not touch .grad
x = torch.tensor([1.0, 2.0], requires_grad=True)
print(torch.autograd.grad((x * x).sum(), x), x.grad)

# %% autograd.grad of a result
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
print(torch.autograd.grad((h * h).sum(), [h, x]))

# %% autograd.grad unused
x = torch.ones(2, requires_grad=True)
u = torch.ones(2, requires_grad=True)
print(torch.autograd.grad((x * 2).sum(), [x, u], allow_unused=True))
print(torch.autograd.grad((x * 2).sum(), [x, u], materialize_grads=True))
torch.autograd.grad((x * 2).sum(), [x, u])

# %% autograd.grad of what needs none
torch.autograd.grad((torch.ones(2, requires_grad=True) * 2).sum(), torch.ones(2))

# %% autograd.grad, a non-scalar
x = torch.ones(2, requires_grad=True)
torch.autograd.grad(x * 2, x)

# %% autograd.grad, grad_outputs
x = torch.tensor([1.0, 2.0], requires_grad=True)
print(torch.autograd.grad(x * x, x, grad_outputs=torch.tensor([1.0, 10.0])))
print(torch.autograd.grad([x * 2, x * 3], [x], [torch.ones(2), torch.tensor([1.0, 0.0])]))

# %% autograd.grad frees, too
x = torch.ones(2, requires_grad=True)
y = (x * x).sum()
torch.autograd.grad(y, x)
torch.autograd.grad(y, x)

# %% a leaf used many times
x = torch.tensor(3.0, requires_grad=True)
(x * x * x + x).backward()
print(x.grad)

# %% x used as both operands
x = torch.tensor([3.0, 4.0], requires_grad=True)
(x * x).sum().backward()
print(x.grad)
x.grad = None
(x / x).sum().backward()
print(x.grad)
x.grad = None
(x - x).sum().backward()
print(x.grad)

# %% second derivative
x = torch.tensor(2.0, requires_grad=True)
y = x**3
(g,) = torch.autograd.grad(y, x, create_graph=True)
print(g)
(g2,) = torch.autograd.grad(g, x, create_graph=True)
print(g2)
(g3,) = torch.autograd.grad(g2, x)
print(g3)

# %% second derivative through backward
x = torch.tensor([2.0, 3.0], requires_grad=True)
(x**3).sum().backward(create_graph=True)
print(x.grad)
g = x.grad
x.grad = None
g.sum().backward()
print(x.grad)

# %% third derivative of sin
x = torch.tensor(0.5, requires_grad=True)
y = x.sin()
for _ in range(4):
    (y,) = torch.autograd.grad(y, x, create_graph=True)
    print(y)

# %% gradient penalty
w = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.tensor([3.0, -1.0], requires_grad=True)
(g,) = torch.autograd.grad((w * x * x).sum(), x, create_graph=True)
(g.pow(2).sum()).backward()
print(w.grad, x.grad)

# %% grad of grad with respect to grad_outputs
x = torch.tensor([1.0, 2.0], requires_grad=True)
v = torch.ones(2, requires_grad=True)
(g,) = torch.autograd.grad(x * x, x, v, create_graph=True)
(j,) = torch.autograd.grad(g, v, torch.tensor([1.0, 10.0]))
print(j)

# %% backward inside no_grad
x = torch.ones(2, requires_grad=True)
y = (x * x).sum()
with torch.no_grad():
    y.backward()
print(x.grad)

# %% a gradient of another shape comes through broadcasting
a = torch.ones(2, 1, requires_grad=True)
b = torch.ones(3, requires_grad=True)
s = torch.tensor(2.0, requires_grad=True)
(a * b * s).sum().backward()
print(a.grad, b.grad, s.grad)

# %% mixed dtypes
a = torch.ones(2, requires_grad=True)
b = torch.ones(2, dtype=torch.float64, requires_grad=True)
c = a * b
print(c, c.grad_fn.next_functions)
c.sum().backward()
print(a.grad, b.grad)

# %% integers take part
x = torch.tensor([1.5, 2.0], requires_grad=True)
n = torch.tensor([2, 3])
y = x * n
print(y)
y.sum().backward()
print(x.grad)

# %% a billion paths through diamonds
x = torch.tensor(1.0, requires_grad=True)
y = x
for _ in range(30):
    y = y + y
y.backward()
print(x.grad)

# %% a result is not a leaf, and its grad warns
x = torch.ones(2, requires_grad=True)
y = x * 2
y.sum().backward()
print(y.grad)

# %% retain_grad
x = torch.ones(2, requires_grad=True)
y = x * 2
y.retain_grad()
y.retain_grad()
print(y.retains_grad, x.retains_grad)
(y * y).sum().backward()
print(y.grad, x.grad)
(y * 1).sum().backward()
print(y.grad, x.grad)

# %% retain_grad of what has none
torch.ones(2).retain_grad()

# %% is_leaf
x = torch.ones(2, requires_grad=True)
print(x.is_leaf, (x * 2).is_leaf, torch.ones(2).is_leaf, (torch.ones(2) * 2).is_leaf, x.detach().is_leaf, x.data.is_leaf)

# %% zero_grad by hand
x = torch.ones(2, requires_grad=True)
(x * 2).sum().backward()
x.grad.zero_()
print(x.grad)
x.grad = None
(x * 2).sum().backward()
print(x.grad)

# %% del grad
x = torch.ones(2, requires_grad=True)
(x * 2).sum().backward()
del x.grad
print(x.grad)

# %% the data of a leaf exchanged before backward
for data in (torch.ones(5), torch.ones(1), torch.ones(3, dtype=torch.float64), torch.ones(2, 3)):
    for use in (lambda x, y: x * 2, lambda x, y: x + y):
        x, y = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
        loss = use(x, y).sum()
        x.data = data
        try:
            loss.backward()
        except RuntimeError as error:
            print(error)
        else:
            print(x.grad)
