# Programs of our own about inference_mode. A cell starts at "# %%" and runs alone, in a fresh notebook.

# %% what is made inside
with torch.inference_mode():
    a = torch.ones(2)
    b = a * 2
    c = a.view(1, 2)
    print(a.is_inference(), b.is_inference(), c.is_inference(), torch.is_grad_enabled())
print(a.requires_grad, b.is_leaf, torch.is_inference_mode_enabled())

# %% a normal tensor inside
x = torch.ones(2, requires_grad=True)
with torch.inference_mode():
    y = x * 2
    v = x.view(1, 2)
    print(y.is_inference(), v.is_inference(), x.is_inference(), y.requires_grad, v.requires_grad)
    x.is_leaf

# %% a version of an inference tensor
with torch.inference_mode():
    a = torch.ones(2)
    a.add_(1)
    print(a)
a._version

# %% version inside
x = torch.ones(2)
with torch.inference_mode():
    x.add_(1)
    print(x._version)
print(x._version)

# %% saved for backward
with torch.inference_mode():
    a = torch.ones(2)
x = torch.ones(2, requires_grad=True)
print((x + a).requires_grad)
x * a

# %% a clone is normal
with torch.inference_mode():
    a = torch.ones(2)
b = a.clone()
print(b.is_inference(), (a + 1).is_inference(), a.detach().is_inference(), a[0].is_inference())
x = torch.ones(2, requires_grad=True)
(x * b).sum().backward()
print(x.grad)

# %% a write outside
with torch.inference_mode():
    a = torch.ones(2)
a.mul_(2)

# %% a write outside through a view
with torch.inference_mode():
    a = torch.ones(2)
a[0] = 3

# %% a write outside under no_grad
with torch.inference_mode():
    a = torch.ones(2)
with torch.no_grad():
    a.mul_(2)

# %% a flag outside
with torch.inference_mode():
    a = torch.ones(2)
a.requires_grad_()

# %% a flag inside
with torch.inference_mode():
    a = torch.ones(2, requires_grad=True)
    print(a.requires_grad, (a * 2).requires_grad)
    b = a * 2
print(b.requires_grad)
(a * 1).sum().backward()

# %% backward inside
x = torch.ones(2, requires_grad=True)
y = (x * 2).sum()
with torch.inference_mode():
    y.backward()
print(x.grad)

# %% enable_grad inside
x = torch.ones(2, requires_grad=True)
with torch.inference_mode(), torch.enable_grad():
    y = x * 2
    print(y.requires_grad, y.is_inference())

# %% switched off inside
x = torch.ones(2, requires_grad=True)
with torch.inference_mode():
    with torch.inference_mode(False):
        y = x * 2
        print(y.requires_grad, y.is_inference(), torch.is_grad_enabled())
y.sum().backward()
print(x.grad)

# %% as a decorator
@torch.inference_mode()
def f(x):
    return x * 2


x = torch.ones(2, requires_grad=True)
print(f(x).is_inference(), f(x).requires_grad, f.__name__)


@torch.inference_mode
def g(x):
    return x * 2


print(g(x).is_inference())

# %% under no_grad
with torch.no_grad():
    with torch.inference_mode(False):
        print(torch.is_grad_enabled())
with torch.inference_mode():
    pass
print(torch.is_grad_enabled(), torch.is_inference_mode_enabled())

# %% a write to a normal tensor inside
x = torch.ones(2, requires_grad=True)
y = x * 2
with torch.inference_mode():
    y.mul_(3)
print(y, y._version, y.grad_fn)
y.sum().backward()
print(x.grad)

# %% a write to a saved tensor inside
x = torch.ones(2, requires_grad=True)
y = x * 2
z = y * y
with torch.inference_mode():
    y.mul_(3)
z.sum().backward()

# %% a view made inside is written outside
x = torch.ones(2, requires_grad=True)
y = x * 2
with torch.inference_mode():
    v = y[:1]
print(v.is_inference())
v.mul_(2)

# %% a view made inside of a tensor without a flag
x = torch.ones(2)
with torch.inference_mode():
    v = x[:1]
print(v.is_inference(), v._base is x)
v.mul_(2)
print(x, x._version)

# %% printing
with torch.inference_mode():
    a = torch.ones(2)
print(a, a.tolist(), a.sum())
