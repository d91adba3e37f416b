# Programs of our own about hooks and the node protocol. A cell starts at "# %%" and runs alone, in a fresh notebook.

# %% order of everything
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.register_hook(lambda g: print("h", g))
h.grad_fn.register_prehook(lambda gs: print("pre", gs))
h.grad_fn.register_hook(lambda gi, go: print("post", gi, go))
x.register_hook(lambda g: print("x", g))
x.register_post_accumulate_grad_hook(lambda t: print("accumulated", t.grad))
h.retain_grad()
h.sum().backward()
print(h.grad, x.grad)

# %% a hook replaces the gradient
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.register_hook(lambda g: g * 10)
h.register_hook(lambda g: g + 1)
h.sum().backward()
print(x.grad)

# %% retain_grad sees what the hooks made
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.retain_grad()
h.register_hook(lambda g: g * 10)
h.sum().backward()
print(h.grad, x.grad)

# %% a hook returns a wrong shape
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.register_hook(lambda g: torch.ones(3))
h.sum().backward()

# %% a hook returns a wrong type
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.register_hook(lambda g: "no")
h.sum().backward()

# %% a hook fails
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3


def broken(g):
    raise KeyError("mine")


h.register_hook(broken)
h.sum().backward()

# %% removing
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
handle = h.register_hook(lambda g: g * 100)
handle.remove()
handle.remove()
with h.register_hook(lambda g: g * 7):
    pass
h.sum().backward()
print(x.grad)

# %% a hook on a leaf runs once per backward, on the sum
x = torch.tensor([1.0, 2.0], requires_grad=True)
x.register_hook(lambda g: print("leaf", g))
(x * 2 + x * 3).sum().backward()
print(x.grad)

# %% a leaf's hook replaces what is accumulated
x = torch.tensor([1.0, 2.0], requires_grad=True)
x.register_hook(lambda g: g * 0)
(x * 2).sum().backward()
print(x.grad)

# %% a leaf's hook with autograd.grad
x = torch.tensor([1.0, 2.0], requires_grad=True)
x.register_hook(lambda g: g * 5)
print(torch.autograd.grad((x * 2).sum(), x))

# %% a hook on what needs no gradient
torch.ones(2).register_hook(print)

# %% post accumulate on a result
x = torch.ones(2, requires_grad=True)
(x * 2).register_post_accumulate_grad_hook(print)

# %% post accumulate can free the gradient
x = torch.ones(2, requires_grad=True)


def step(t):
    print("step", t.grad)
    t.grad = None


x.register_post_accumulate_grad_hook(step)
(x * 2).sum().backward()
print(x.grad)

# %% prehook replaces
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.grad_fn.register_prehook(lambda gs: (gs[0] * 2,))
h.sum().backward()
print(x.grad)

# %% node hook replaces
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.grad_fn.register_hook(lambda gi, go: (gi[0] * 2, None))
h.sum().backward()
print(x.grad)

# %% hooks after an in-place operation belong to the new history
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.register_hook(lambda g: print("before", g))
h.mul_(2)
h.register_hook(lambda g: print("after", g))
h.sum().backward()
print(x.grad)

# %% names and edges
x = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor(1.0)
z = x * 3 + b
print(z.grad_fn, z.grad_fn.name())
print(z.grad_fn.next_functions)
mul = z.grad_fn.next_functions[0][0]
print(mul.next_functions)
leaf = mul.next_functions[0][0]
print(leaf.name(), leaf.variable is x, leaf.next_functions, type(leaf).__name__)
print(type(z.grad_fn).__name__, z.grad_fn.metadata)

# %% sequence numbers grow, and a leaf's is the largest
x = torch.tensor([1.0, 2.0], requires_grad=True)
a = x * 2
b = a + 1
print(b.grad_fn._sequence_nr() > a.grad_fn._sequence_nr())
print(a.grad_fn.next_functions[0][0]._sequence_nr() == 2**64 - 1)

# %% the same node is the same object
x = torch.tensor([1.0, 2.0], requires_grad=True)
a = x * 2
print(a.grad_fn is a.grad_fn, (a + 1).grad_fn.next_functions[0][0] is a.grad_fn)
b = x * 3
print(a.grad_fn.next_functions[0][0] is b.grad_fn.next_functions[0][0])

# %% saved values
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
print(y.grad_fn._saved_self, y.grad_fn._saved_other)
z = x.exp()
print(z.grad_fn._saved_result)
p = x**2
print(p.grad_fn._saved_self is x, p.grad_fn._saved_exponent)
p.sum().backward()
p.grad_fn._saved_self

# %% calling a node
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
print(y.grad_fn(torch.ones(2)))

# %% execution order is from the newest node
x = torch.tensor([1.0, 2.0], requires_grad=True)
a = x * 2
b = x * 3
c = a * 5
d = b * 7
for name, t in [("a", a), ("b", b), ("c", c), ("d", d)]:
    t.register_hook(lambda g, name=name: print(name))
(d + c).sum().backward()

# %% order with a late join
x = torch.tensor(1.0, requires_grad=True)
a = x * 2
b = a * 3
c = b * 4
d = a * 5
e = d * c
for name, t in [("a", a), ("b", b), ("c", c), ("d", d), ("e", e)]:
    t.register_hook(lambda g, name=name: print(name, g))
e.backward()
print(x.grad)

# %% unbind has outputs
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
a, b, c = x.unbind()
print(a, b.output_nr, c.grad_fn is a.grad_fn)
(b * c).backward()
print(x.grad)
