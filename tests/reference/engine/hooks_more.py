# Programs of our own about the corners of hooks. A cell starts at "# %%" and runs alone, in a fresh notebook.

# %% order of registration at a leaf
x = torch.tensor([1.0, 2.0], requires_grad=True)
node = x.view_as(x).grad_fn.next_functions[0][0]
x.register_post_accumulate_grad_hook(lambda t: print("accumulated 1"))
x.register_hook(lambda g: print("tensor 1", g))
node.register_hook(lambda gi, go: print("post", gi, go))
node.register_prehook(lambda g: print("pre", g))
x.register_hook(lambda g: print("tensor 2", g))
x.register_post_accumulate_grad_hook(lambda t: print("accumulated 2"))
(x * 2).sum().backward()

# %% a leaf's node hooks with autograd.grad
x = torch.tensor([1.0, 2.0], requires_grad=True)
node = x.view_as(x).grad_fn.next_functions[0][0]
node.register_prehook(lambda g: print("pre", g))
node.register_hook(lambda gi, go: print("post", gi, go))
x.register_post_accumulate_grad_hook(lambda t: print("accumulated"))
x.register_hook(lambda g: print("tensor", g))
print(torch.autograd.grad((x * 2).sum(), x))

# %% hooks of a result that is an input of autograd.grad
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.register_hook(lambda g: print("tensor", g) or g * 10)
h.retain_grad()
h.grad_fn.register_prehook(lambda g: print("pre", g) or (g[0] * 7,))
h.grad_fn.register_hook(lambda gi, go: print("post"))
print(torch.autograd.grad((h * 2).sum(), h, retain_graph=True), h.grad)
print(torch.autograd.grad((h * 2).sum(), [h, x])[1], h.grad)

# %% retain_grad between hooks
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.register_hook(lambda g: g * 2)
h.retain_grad()
h.register_hook(lambda g: g * 5)
h.sum().backward()
print(h.grad, x.grad)

# %% retain_grad does not see prehooks
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.retain_grad()
h.grad_fn.register_prehook(lambda g: (g[0] * 10,))
h.sum().backward()
print(h.grad, x.grad)

# %% a retained gradient is a tensor of its own
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 1
h.retain_grad()
h.backward(torch.ones(2), retain_graph=True)
first = h.grad
h.backward(torch.ones(2))
print(first, h.grad, h.grad is first)
h.grad.add_(5)
print(x.grad)

# %% a hook that changes the gradient in place
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.register_hook(lambda g: g.mul_(10) and None)
h.backward(torch.ones(2))
print(x.grad)

# %% a hook that changes a shared gradient in place
a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([1.0, 2.0], requires_grad=True)
c, d = a * 1, b * 1
d.register_hook(lambda g: print(g))
c.register_hook(lambda g: print(g))
(c + d).backward(torch.ones(2))
print(a.grad, b.grad)

# %% a hook returns another dtype
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.register_hook(lambda g: g.double())
h.sum().backward()
print(x.grad)

# %% a hook returns something that broadcasts
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.register_hook(lambda g: torch.tensor(5.0))
h.sum().backward()

# %% a leaf's hook returns a wrong shape
x = torch.tensor([1.0, 2.0], requires_grad=True)
x.register_hook(lambda g: g.reshape(1, 2))
(x * 3).sum().backward()

# %% a hook that is a named function of a wrong shape
def too_large(g):
    return torch.ones(3)


x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.register_hook(too_large)
h.sum().backward()

# %% a hook returns an integer
x = torch.tensor([1.0, 2.0], requires_grad=True)
x.register_hook(lambda g: 3)
(x * 3).sum().backward()

# %% a hook returns False
x = torch.tensor([1.0, 2.0], requires_grad=True)
x.register_hook(lambda g: False)
(x * 3).sum().backward()

# %% a hook that cannot be called
x = torch.tensor([1.0, 2.0], requires_grad=True)
x.register_hook(3)
(x * 3).sum().backward()

# %% a hook with too many arguments
def two(g, h):
    return g


x = torch.tensor([1.0, 2.0], requires_grad=True)
x.register_hook(two)
(x * 3).sum().backward()

# %% a post-accumulate hook on what needs no gradient
torch.ones(2).register_post_accumulate_grad_hook(print)

# %% a post-accumulate hook that changes the gradient
x = torch.tensor([1.0, 2.0], requires_grad=True)


def clip(t):
    t.grad.clamp_(max=2)


x.register_post_accumulate_grad_hook(clip)
(x * x).sum().backward()
print(x.grad)
(x * x).sum().backward()
print(x.grad)

# %% a post-accumulate hook that steps
w = torch.tensor([1.0, 2.0], requires_grad=True)


def step(t):
    with torch.no_grad():
        t -= 0.1 * t.grad
    t.grad = None


w.register_post_accumulate_grad_hook(step)
for _ in range(3):
    (w * w).sum().backward()
    print(w, w.grad)

# %% a prehook returns a tensor, not a tuple
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.grad_fn.register_prehook(lambda g: g[0] * 2)
h.sum().backward()
print(x.grad)

# %% a prehook returns too many
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.grad_fn.register_prehook(lambda g: (g[0], g[0]))
h.sum().backward()

# %% a prehook returns no tensor
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.grad_fn.register_prehook(lambda g: ("no",))
h.sum().backward()

# %% a prehook returns None in a tuple
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.grad_fn.register_prehook(lambda g: (None,))
h.sum().backward()
print(x.grad)

# %% a prehook returns a wrong shape
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.grad_fn.register_prehook(lambda g: (torch.ones(3),))
h.sum().backward()

# %% a node hook returns a tensor, not a tuple
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x.exp()
h.grad_fn.register_hook(lambda gi, go: gi[0] * 0)
h.sum().backward()
print(x.grad)

# %% a node hook returns too few
x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * w
h.grad_fn.register_hook(lambda gi, go: (gi[0],))
h.sum().backward()

# %% a node hook returns no tensors
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x.exp()
h.grad_fn.register_hook(lambda gi, go: ("no",))
h.sum().backward()

# %% a node hook returns a wrong shape
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x.exp()
h.grad_fn.register_hook(lambda gi, go: (torch.ones(3),))
h.sum().backward()

# %% a node hook returns None in a tuple
x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * w
h.grad_fn.register_hook(lambda gi, go: (None, gi[1]))
h.sum().backward()
print(x.grad, w.grad)

# %% node hooks in a row
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x.exp()
h.grad_fn.register_hook(lambda gi, go: print("first") or (gi[0] * 0 + 1,))
handle = h.grad_fn.register_hook(lambda gi, go: print("second", gi) or (gi[0] * 2,))
h.sum().backward(retain_graph=True)
print(x.grad)
handle.remove()
h.sum().backward()
print(x.grad)

# %% a leaf's node hook cannot change anything
x = torch.tensor([1.0, 2.0], requires_grad=True)
node = x.view_as(x).grad_fn.next_functions[0][0]
node.register_hook(lambda gi, go: print(gi, go))
node.register_prehook(lambda g: (g[0] * 100,))
(x * 2).sum().backward()
print(x.grad)

# %% hooks on a result with several outputs
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
a, b, c = x.unbind()
b.register_hook(lambda g: print("b", g) or g * 10)
c.register_hook(lambda g: print("c", g))
b.grad_fn.register_prehook(lambda g: print("pre", g))
b.grad_fn.register_hook(lambda gi, go: print("post", gi, go))
(b * 2).backward()
print(x.grad)

# %% a hook on a view
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 1
v = y[1:]
v.register_hook(lambda g: print("v", g))
(v * v).sum().backward(retain_graph=True)
y.mul_(2)
v.sum().backward()
print(x.grad)

# %% a hook removed while running
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3


def once(g):
    handle.remove()
    print("once")


handle = h.register_hook(once)
h.register_hook(lambda g: print("other"))
h.sum().backward(retain_graph=True)
h.sum().backward()

# %% a hook added while running
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.register_hook(lambda g: h.register_hook(lambda g: print("added")) and None)
h.sum().backward(retain_graph=True)
print("--")
h.sum().backward(retain_graph=True)

# %% a handle
x = torch.tensor([1.0, 2.0], requires_grad=True)
handle = x.register_hook(print)
print(type(handle).__name__, isinstance(handle.id, int), x._backward_hooks is not None)
handle.remove()
print(len(x._backward_hooks or {}))
with x.register_hook(lambda g: print("inside")) as handle:
    (x * 2).sum().backward()
(x * 2).sum().backward()

# %% hooks with create_graph
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * x
h.register_hook(lambda g: print(g.requires_grad, torch.is_grad_enabled()) or g * 2)
(g,) = torch.autograd.grad((h * h).sum(), x, create_graph=True)
print(g)
print(torch.autograd.grad(g.sum(), x))

# %% hooks without create_graph record nothing
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * x
h.register_hook(lambda g: print(g.requires_grad, torch.is_grad_enabled(), (g * x).requires_grad))
(h * h).sum().backward()

# %% a hook that looks at another tensor's grad
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
k = h * 2
k.retain_grad()
h.register_hook(lambda g: print(k.grad, x.grad))
k.sum().backward()

# %% a gradient that is not used has no hooks called
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
k = x * 5
k.register_hook(lambda g: print("never"))
h.sum().backward()
print(x.grad)

# %% a hook on a tensor that gets no gradient
class Stop(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return None


x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.register_hook(lambda g: print("h", g))
h.grad_fn.register_prehook(lambda g: print("pre", g))
h.grad_fn.register_hook(lambda gi, go: print("post", gi, go))
h.retain_grad()
x.register_hook(lambda g: print("x", g))
x.register_post_accumulate_grad_hook(lambda t: print("accumulated", t.grad))
Stop.apply(h).sum().backward()
print(h.grad, x.grad)

# %% a hook on a multi-output result that was written
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
handle = h.register_hook(lambda g: print("old", g))
h.mul_(2)
handle.remove()
h.register_hook(lambda g: print("new", g))
h.sum().backward()

# %% retain_grad after an in-place write
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.retain_grad()
h.mul_(2)
h.sum().backward()
print(h.grad, x.grad)

# %% retain_grad of a view
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
v = y[:1]
v.retain_grad()
(y * y).sum().backward(retain_graph=True)
print(v.grad)
(v * 2).sum().backward()
print(v.grad)

# %% hooks on an in-place leaf of no_grad
w = torch.tensor([1.0, 2.0], requires_grad=True)
w.register_hook(lambda g: g * 2)
with torch.no_grad():
    w.add_(1)
(w * 3).sum().backward()
print(w.grad)

# %% node metadata and names
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.grad_fn.metadata["mine"] = 1
print(h.grad_fn.metadata, h.grad_fn.name(), h.grad_fn._input_metadata[0].shape, h.grad_fn._input_metadata[0].dtype)
print(h.grad_fn.next_functions[0][0].metadata)

# %% gradient of a leaf comes from two backward passes
x = torch.tensor([1.0, 2.0], requires_grad=True)
x.register_post_accumulate_grad_hook(lambda t: print(t.grad))
y = x * 2
y.sum().backward(retain_graph=True)
(y * y).sum().backward()

# %% post-accumulate hooks and inputs=
x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([1.0, 2.0], requires_grad=True)
x.register_post_accumulate_grad_hook(lambda t: print("x"))
w.register_post_accumulate_grad_hook(lambda t: print("w"))
(x * w).sum().backward(inputs=[w])

# %% a graph task id
x = torch.tensor([1.0, 2.0], requires_grad=True)
seen = []
(x * 2).register_hook(lambda g: None)
h = x * 2
h.register_hook(lambda g: seen.append(h.grad_fn._sequence_nr()))
h.sum().backward()
print(seen == [h.grad_fn._sequence_nr()])

# %% a hook that hangs one on another output of the same node
x = torch.tensor([1.0, 2.0], requires_grad=True)
u, v = x.unbind()
u.register_hook(lambda grad: (v.register_hook(lambda grad: print("v", grad)), None)[1])
(u * v).backward()
print(x.grad)
