# Programs of our own about what nodes save, and hooks on it. A cell starts at "# %%" and runs alone, in a fresh notebook.

# %% pack and unpack
def pack(t):
    print("pack", t)
    return t.detach()


def unpack(t):
    print("unpack", t)
    return t


a = torch.ones(3, requires_grad=True)
b = torch.ones(3, requires_grad=True) * 2
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = a * b
y.sum().backward()
print(a.grad)

# %% a leaf is packed as itself
kept = []
x = torch.ones(3, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t) or t.detach(), lambda t: t):
    y = x * x
    z = y.exp()
print([t is x for t in kept], [t is z for t in kept], [t.requires_grad for t in kept], [t.is_leaf for t in kept])

# %% packing to a number of bytes
x = torch.tensor([1.0, 2.0], requires_grad=True)
store = []


def pack(t):
    store.append(t.tolist())
    return len(store) - 1


def unpack(i):
    return torch.tensor(store[i])


with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = (x * x).exp().sum()
y.backward()
print(x.grad, len(store))

# %% an op that saves nothing packs nothing
x = torch.ones(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: print("pack"), lambda t: t):
    y = (x + 1).sum()
    z = -x
    v = x.view(1, 2)
print(y)

# %% an operand that needs no gradient packs only what is needed
x = torch.ones(2, requires_grad=True)
k = torch.tensor([5.0, 6.0])
with torch.autograd.graph.saved_tensors_hooks(lambda t: print("pack", t) or t, lambda t: t):
    y = x * k
    z = k * x
    w = x * 3
    n = k * k
(y + z + w).sum().backward()
print(x.grad)

# %% not recording packs nothing
x = torch.ones(2, requires_grad=True)
with torch.no_grad(), torch.autograd.graph.saved_tensors_hooks(lambda t: print("pack"), lambda t: t):
    y = x * x
print(y)

# %% reading a saved value unpacks it each time
x = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach() * 10, lambda t: print("unpack") or t):
    y = x.exp()
print(y.grad_fn._saved_result)
print(y.grad_fn._saved_result)
y.sum().backward(retain_graph=True)
print(x.grad)
y.sum().backward()
y.grad_fn._saved_result

# %% what is unpacked has the place in the graph of what was packed
x = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: t):
    y = x * x
    z = (y * y).exp()
print(y.grad_fn._saved_self, y.grad_fn._saved_self is x, y.grad_fn._saved_self.is_leaf)
w = z.grad_fn.next_functions[0][0]
print(w._saved_self, w._saved_self.grad_fn is y.grad_fn)
print(z.grad_fn._saved_result, z.grad_fn._saved_result.grad_fn is z.grad_fn)
z.sum().backward()
print(x.grad)

# %% second derivatives through hooks
x = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach() * 1, lambda t: t):
    y = (x**3).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
print(g)
g.sum().backward()
print(x.grad)

# %% nested: the innermost wins
x = torch.ones(2, requires_grad=True)
hooks = torch.autograd.graph.saved_tensors_hooks
with hooks(lambda t: print("outer pack") or t.detach(), lambda t: print("outer unpack") or t):
    a = x.exp()
    with hooks(lambda t: print("inner pack") or t.detach(), lambda t: print("inner unpack") or t):
        b = a.exp()
    c = b.exp()
d = c.exp()
d.sum().backward()

# %% the same context twice
x = torch.ones(2, requires_grad=True)
hooks = torch.autograd.graph.saved_tensors_hooks(lambda t: print("pack") or t.detach(), lambda t: t)
with hooks:
    with hooks:
        x.exp()
    x.exp()
x.exp()

# %% changing what is packed in place
def pack(t):
    t.add_(1)
    return t


x = torch.ones(2, requires_grad=True)
y = x * 1
with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
    y * y

# %% an error inside pack
def pack(t):
    raise KeyError("mine")


x = torch.ones(2, requires_grad=True)
try:
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        x * x
except KeyError as error:
    print("caught", error)
y = x * x
y.sum().backward()
print(x.grad)

# %% an error inside unpack
def unpack(t):
    raise KeyError("mine")


x = torch.ones(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
    y = x * x
y.sum().backward()

# %% unpack gives no tensor
x = torch.ones(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: 3):
    y = x * x
y.sum().backward()

# %% pack gives anything
x = torch.ones(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: None, lambda t: torch.tensor([7.0, 8.0])):
    y = x * x
y.sum().backward()
print(x.grad)

# %% a missing hook
torch.autograd.graph.saved_tensors_hooks(lambda t: t)

# %% recording inside pack is off
x = torch.ones(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: print(torch.is_grad_enabled(), (t * 2).requires_grad) or t, lambda t: print(torch.is_grad_enabled()) or t):
    y = x * x
y.sum().backward()

# %% hooks are not called inside pack
x = torch.ones(2, requires_grad=True)
depth = []


def pack(t):
    depth.append(1)
    with torch.enable_grad():
        (t * t).sum()
    return t.detach()


try:
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        x.exp()
except RecursionError:
    print("recursion")
print(len(depth) > 1)

# %% the written version is not checked behind hooks
x = torch.ones(2, requires_grad=True)
y = x * 1
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
    z = y * y
y.add_(1)
z.sum().backward()
print(x.grad)

# %% in-place writes are packed with the right numbers
def pack(t):
    print("pack", t.detach())
    return t.clone()


x = torch.tensor([0.0, 1.0], requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
    y = x * 1
    y.exp_()
    y.mul_(y.detach())
    y.pow_(2)
    y.sigmoid_()
y.sum().backward()
print(x.grad)

# %% in-place writes to a view
def pack(t):
    print("pack", t.detach())
    return t.clone()


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 1
with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
    y[0].exp_()
    y[1:].pow_(3)
print(y)
y.sum().backward()
print(x.grad)

# %% identity hooks and in-place writes
x = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    y = x * 1
    y.pow_(2)
    y.exp_()
y.sum().backward()
print(x.grad)

# %% with a Function
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x**3
        ctx.save_for_backward(x, None, y)
        return y

    @staticmethod
    def backward(ctx, g):
        x, none, y = ctx.saved_tensors
        print(none, y.requires_grad)
        return g * 3 * x**2


x = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: print("pack", t) or t.detach(), lambda t: print("unpack", t) or t):
    y = Cube.apply(x)
print(len(y.grad_fn.saved_tensors))
y.sum().backward()
print(x.grad)

# %% disabled
x = torch.ones(2, requires_grad=True)
with torch.autograd.graph.disable_saved_tensors_hooks("not here"):
    print((x * x).sum())
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        pass

# %% disabled while hooks are on
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    with torch.autograd.graph.disable_saved_tensors_hooks("not now"):
        pass

# %% disabled twice
graph = torch.autograd.graph
with graph.disable_saved_tensors_hooks("outer"):
    with graph.disable_saved_tensors_hooks("inner"):
        try:
            with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
                pass
        except RuntimeError as error:
            print(error)
    try:
        with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            pass
    except RuntimeError as error:
        print(error)
with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    print("on again")

# %% disabled as a decorator
@torch.autograd.graph.disable_saved_tensors_hooks("not here")
def f():
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        pass


f()

# %% what is left after backward
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
print(y.grad_fn._saved_self, y.grad_fn._saved_other)
y.sum().backward()
print(y.grad_fn._saved_self)
y.grad_fn._saved_other

# %% a number survives backward
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x**3
y.sum().backward()
print(y.grad_fn._saved_exponent)
y.grad_fn._saved_self

# %% a shape survives backward
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.max(0)
y[0].backward()
print(y[0].grad_fn._saved_self_sym_sizes, y[0].grad_fn._saved_dim, y[0].grad_fn._saved_keepdim)
y[0].grad_fn._saved_indices

# %% a second pass where a number was kept
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x**3).sum()
y.backward()
y.backward()
