# Programs of our own about in-place writes, versions and views. A cell starts at "# %%" and runs alone.

# %% a leaf
w = torch.ones(2, requires_grad=True)
try:
    w += 1
except RuntimeError as error:
    print(error)
print(w, w._version)
w.zero_()

# %% a view of a leaf
w = torch.ones(2, 2, requires_grad=True)
w[0] = 5

# %% a view of a leaf, written later
w = torch.ones(2, 2, requires_grad=True)
v = w[0]
v.mul_(2)

# %% no_grad
w = torch.ones(2, requires_grad=True)
with torch.no_grad():
    w += 1
    w[0] = 7
print(w, w._version, w.is_leaf)

# %% a saved input is written
x = torch.ones(2, requires_grad=True)
y = x * 2
z = y * y
y.add_(1)
z.sum().backward()

# %% a saved result is written
x = torch.ones(2, requires_grad=True)
y = x.exp()
y.add_(1)
y.sum().backward()

# %% a result that is not saved is written
x = torch.ones(2, requires_grad=True)
y = x.sin()
y.add_(1)
y.sum().backward()
print(x.grad)

# %% relu in place
x = torch.tensor([-1.0, 2.0], requires_grad=True)
y = (x * 2).relu_()
print(y)
y.sum().backward()
print(x.grad)

# %% exp in place
x = torch.tensor([0.0, 1.0], requires_grad=True)
y = x * 1
y.exp_()
print(y)
y.sum().backward()
print(x.grad)

# %% a write through a view reaches the base's history
x = torch.ones(3, requires_grad=True)
y = x * 2
y[0].mul_(10)
print(y)
y.sum().backward()
print(x.grad)

# %% CopySlices
x = torch.ones(3, requires_grad=True)
s = torch.tensor(5.0, requires_grad=True)
y = x * 2
y[1] = s
print(y, y.grad_fn.next_functions)
(y * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
print(x.grad, s.grad)

# %% into an untracked tensor
s = torch.tensor(5.0, requires_grad=True)
t = torch.zeros(3)
t[1] = s * 2
print(t, t.is_leaf)
(t * t).sum().backward()
print(s.grad)

# %% a view is remade after its base is written
x = torch.ones(4, requires_grad=True)
y = x * 2
v = y[1:3]
print(v.grad_fn)
y.mul_(3)
print(v, v.grad_fn)
v.sum().backward()
print(x.grad)

# %% a base sees what a view of a view wrote
x = torch.ones(2, 3, requires_grad=True)
y = x * 1
y[0][1].fill_(7)
y.t()[2].mul_(2)
print(y)
(y * y).sum().backward()
print(x.grad)

# %% versions are shared
x = torch.zeros(4)
v = x[1:]
d = x.detach()
x.add_(1)
v.mul_(2)
d[0] = 9
print(x, x._version, v._version, d._version, x.data._version)

# %% .data hides
x = torch.ones(2, requires_grad=True)
y = x * 2
z = y * y
y.data.add_(1)
z.sum().backward()
print(x.grad, y._version)

# %% detach tells
x = torch.ones(2, requires_grad=True)
y = x * 2
z = y * y
y.detach().add_(1)
z.sum().backward()

# %% unsaved writes do no harm
x = torch.ones(2, requires_grad=True)
y = x * 2
z = y + 1
y.mul_(5)
z.sum().backward()
print(x.grad)

# %% assigning with a mask
x = torch.tensor([-1.0, 2.0, -3.0], requires_grad=True)
y = x * 1
y[y < 0] = 0
print(y)
y.sum().backward()
print(x.grad)

# %% assigning with a list of places
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
v = torch.tensor([10.0, 20.0], requires_grad=True)
y = x * 1
y[[2, 0]] = v
print(y)
(y * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
print(x.grad, v.grad)

# %% assigning a wrong shape
torch.zeros(3)[:2] = torch.ones(3)

# %% writing a float into integers
n = torch.tensor([1, 2])
n += 1.5

# %% dividing integers in place
n = torch.tensor([1, 2])
n /= 2

# %% a result too large for its place
x = torch.zeros(3)
x += torch.ones(2, 3)

# %% expanded memory
x = torch.zeros(1).expand(3)
x.add_(1)

# %% copy_
x = torch.ones(2, requires_grad=True)
t = torch.zeros(2)
print(t.copy_(x) is t, t)
t.sum().backward()
print(x.grad)

# %% swapping requires_grad on
a = torch.zeros(2)
a += 1
a.requires_grad = True
b = a * 2
b.requires_grad = False

# %% detach_
x = torch.ones(2, requires_grad=True)
y = x * 2
y.detach_()
print(y, y.is_leaf, y.grad_fn)
v = x[0]
v.detach_()

# %% an in-place chain
x = torch.ones(2, requires_grad=True)
y = x.clone()
y.add_(1).mul_(3).sub_(2).div_(4)
print(y, y.grad_fn, y._version)
y.sum().backward()
print(x.grad)

# %% clone keeps apart
x = torch.ones(2, requires_grad=True)
c = x.clone()
c[0] = 5
print(x, c)
c.sum().backward()
print(x.grad)

# %% _base
x = torch.zeros(2, 3)
print(x._base, x.view(-1)._base is x, x[0][1]._base is x, x.clone()._base, x.detach()._base, x.reshape(3, 2)._base is x)

# %% unbind's views are not written
x = torch.ones(2, requires_grad=True)
y = x * 1
a, b = y.unbind()
a.add_(1)

# %% a view made without recording
x = torch.ones(2, requires_grad=True)
y = x * 1
with torch.no_grad():
    v = y[:1]
v.mul_(2)

# %% w -= lr * grad outside no_grad
w = torch.tensor([1.0], requires_grad=True)
(w * 3).sum().backward()
w -= 0.1 * w.grad

# %% a tensor times itself, in place
x = torch.ones(2, requires_grad=True)
y = x * 3
y *= y
print(y)
y.sum().backward()

# %% fill_
x = torch.ones(2, requires_grad=True)
y = x * 3
y.fill_(2)
print(y)
y.sum().backward()
print(x.grad)

# %% filling with a tensor
x = torch.ones(2, requires_grad=True)
s = torch.tensor(4.0, requires_grad=True)
y = x * 3
y.fill_(s)
print(y)
y.sum().backward()
print(x.grad, s.grad)

# %% copying a wrong shape
torch.zeros(2, 3).copy_(torch.ones(2))

# %% the maximum is written
x = torch.tensor([1.0, 3.0], requires_grad=True)
m = x.max()
m.neg_()
m.backward()

# %% the flag goes off after the graph was built
w = torch.ones(2, requires_grad=True)
y = w * 2
w.requires_grad = False
y.sum().backward()
print(w.grad)

# %% alpha
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 1
y.add_(x, alpha=3)
print(y, torch.sub(y, x, alpha=2))
y.sum().backward()
print(x.grad)

# %% bools
m = torch.tensor([True, False])
print(m + 1, m * 2.5, ~m, m & True, m.sum(), m**2)
m - m

# %% minus a mask
-torch.tensor([True, False])

# %% retain_grad, then a write through a view
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x.clone()
y.retain_grad()
y[0] = 5
(y * y).sum().backward()
print(y.grad, x.grad)

# %% a view that became a leaf is written
x = torch.zeros(2, 3)
w = x[0]
w.requires_grad_()
with torch.no_grad():
    w.add_(1)
print(w, w.is_leaf)
w.mul_(2)

# %% a saved tensor is detached in place
x = torch.ones(2, requires_grad=True)
y = x * 2
z = y * y
y.detach_()
print(y._version, y.requires_grad)
w = y * x
w.sum().backward()
print(x.grad)
z.sum().backward()

# %% detached in place, written, and detached again
x = torch.ones(2, requires_grad=True)
y = x * 2
y.detach_()
y.add_(x)
z = y * y
print(y._version, y.grad_fn)
y.detach_()
(y * x).sum().backward()
print(x.grad)
z.sum().backward()

# %% the base of a view is detached in place
x = torch.ones(4, requires_grad=True)
y = x * 2
v = y[1:]
y.detach_()
print(v.requires_grad, v.grad_fn, v._base is y)
v.sum().backward()
print(x.grad)
v.mul_(2)

# %% a leaf is detached in place and moves into the graph
x = torch.ones(2, requires_grad=True)
y = x * 2
x.detach_()
x.add_(torch.ones(2, requires_grad=True))
y.sum().backward()

# %% a view made without recording is used
x = torch.ones(2, 2, requires_grad=True)
with torch.no_grad():
    v = x[0]
print(v, v.requires_grad, v.is_leaf, (v * 2).grad_fn.next_functions)
(v * 2).sum().backward()
print(x.grad, v.grad)
v.backward(torch.ones(2))

# %% several views, and their base is written
x = torch.ones(2, requires_grad=True)
y = x * 1
a, b = y.unbind()
y.mul_(2)
a + 1

# %% a value of a wrong shape is written by index
x = torch.zeros(2, 3)
x[[0, 1]] = torch.ones(5)

# %% a retained gradient is memory of its own
x = torch.ones(3, requires_grad=True)
h = x * 2
h.retain_grad()
h.sum().backward()
h.grad.add_(1)
print(h.grad, x.grad)
