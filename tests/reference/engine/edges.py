# Programs of our own about gradient edges and hooks on many. A cell starts at "# %%" and runs alone, in a fresh notebook.

# %% an edge of what needs no gradient
torch.autograd.graph.get_gradient_edge(torch.ones(2))

# %% the parts of an edge
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
a, b, c = x.unbind()
e = torch.autograd.graph.get_gradient_edge(b)
print(e, e.node is b.grad_fn, e.output_nr, e.ownership_token)
print(torch.autograd.graph.get_gradient_edge(x).node is x.view_as(x).grad_fn.next_functions[0][0])

# %% hook on all of several tensors
a = torch.ones(2, requires_grad=True)
b = torch.ones(2, requires_grad=True)
c, d = a * b, a * b
torch.autograd.graph.register_multi_grad_hook((a, b, c, d), lambda grads: print([g is not None for g in grads]))
c.sum().backward(retain_graph=True)
c.sum().backward(inputs=(a,), retain_graph=True)
(c + d).sum().backward(retain_graph=True)
torch.autograd.grad(c.sum(), b)

# %% values seen by a hook on several tensors
a = torch.ones(2, requires_grad=True)
b = torch.full((2,), 3.0, requires_grad=True)
handle = torch.autograd.graph.register_multi_grad_hook((a, b), lambda grads: print(grads))
(a * b * 2).sum().backward()
handle.remove()
(a * b * 2).sum().backward()
print(type(handle).__name__)

# %% any
a = torch.ones(2, requires_grad=True)
b = torch.ones(2, requires_grad=True)
c = a * 2
d = b * 3
with torch.autograd.graph.register_multi_grad_hook((a, c, d), lambda g: print("first", g), mode="any"):
    (c + d).sum().backward(retain_graph=True)
    (c + d).sum().backward()
(a * 2).sum().backward()

# %% another mode
torch.autograd.graph.register_multi_grad_hook((torch.ones(2, requires_grad=True),), print, mode="some")

# %% one of them needs no gradient
torch.autograd.graph.register_multi_grad_hook((torch.ones(2, requires_grad=True), torch.ones(2)), print)

# %% one of them needs no gradient, any
a = torch.ones(2, requires_grad=True)
torch.autograd.graph.register_multi_grad_hook((a, torch.ones(2)), lambda g: print(g), mode="any")
(a * 2).sum().backward()

# %% increment_version
x = torch.ones(2, requires_grad=True)
y = x * 1
z = y * y
print(y._version)
torch.autograd.graph.increment_version(y)
torch.autograd.graph.increment_version([y, y.detach()])
print(y._version)
z.sum().backward()

# %% what is a Node
x = torch.ones(2, requires_grad=True)
Node = torch.autograd.graph.Node
y = x * 2
print(isinstance(y.grad_fn, Node), isinstance(y.grad_fn.next_functions[0][0], Node), isinstance(x, Node))
print(issubclass(type(y.grad_fn), Node), Node.__mro__[0] is Node)
try:
    Node()
except TypeError as error:
    print(type(error))

# %% batched gradients
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
w = torch.tensor(2.0, requires_grad=True)
y = x * x * w
print(torch.autograd.grad(y, x, torch.eye(3), retain_graph=True, is_grads_batched=True))
print(torch.autograd.grad(y, [x, w], torch.eye(3), is_grads_batched=True))

# %% batched gradients and an unused input
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
u = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x
print(torch.autograd.grad(y, [x, u], torch.eye(3), is_grads_batched=True, allow_unused=True, retain_graph=True))
torch.autograd.grad(y, [x, u], torch.eye(3), is_grads_batched=True)

# %% batched gradients with create_graph
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
(g,) = torch.autograd.grad(x * x, x, torch.eye(3), is_grads_batched=True, create_graph=True)
print(g.detach(), g.requires_grad)
print(torch.autograd.grad(g.sum(), x))

# %% materialized gradients
x = torch.tensor([1.0, 2.0], requires_grad=True)
u = torch.tensor([[1.0], [2.0]], requires_grad=True)
print(torch.autograd.grad((x * x).sum(), [x, u], materialize_grads=True))
g = torch.autograd.grad((x * x).sum(), [x, u], materialize_grads=True, create_graph=True)
print(g)

# %% allow_unused and one that needs none
x = torch.tensor([1.0, 2.0], requires_grad=True)
torch.autograd.grad((x * x).sum(), [x, torch.ones(2)], allow_unused=True)

# %% no inputs
x = torch.tensor([1.0, 2.0], requires_grad=True)
torch.autograd.grad((x * x).sum(), [])

# %% inputs that are no tensors
x = torch.tensor([1.0, 2.0], requires_grad=True)
torch.autograd.grad((x * x).sum(), [3])

# %% outputs that are no tensors
x = torch.tensor([1.0, 2.0], requires_grad=True)
torch.autograd.grad([3], [x])

# %% too many gradients
x = torch.tensor([1.0, 2.0], requires_grad=True)
torch.autograd.grad((x * x).sum(), x, [torch.tensor(1.0), torch.tensor(1.0)])

# %% too few gradients
x = torch.tensor([1.0, 2.0], requires_grad=True)
torch.autograd.grad([(x * x).sum(), x.sum()], x, [torch.tensor(1.0)])

# %% an output that needs no gradient
x = torch.tensor([1.0, 2.0], requires_grad=True)
torch.autograd.grad([(x * x).sum(), torch.ones(2)], x)

# %% an output that needs no gradient, in backward
x = torch.tensor([1.0, 2.0], requires_grad=True)
torch.autograd.backward([(x * x).sum(), torch.ones(2)], [None, None])

# %% the same output twice
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x * x).sum()
print(torch.autograd.grad([y, y], x))

# %% the same input twice
x = torch.tensor([1.0, 2.0], requires_grad=True)
print(torch.autograd.grad((x * x).sum(), [x, x]))

# %% an input that is an output
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x
print(torch.autograd.grad(y, [y, x], torch.tensor([1.0, 10.0])))
print(torch.autograd.grad(x, x, torch.ones(2)))

# %% an input behind an input
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 2
y = (h * h).sum()
print(torch.autograd.grad(y, [h], retain_graph=True))
print(torch.autograd.grad(y, [x, h]))

# %% grad frees only what it went through
x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([3.0, 4.0], requires_grad=True)
a, b = x.exp(), w.exp()
y = (a * b).sum()
torch.autograd.grad(y, x)
print(b.grad_fn._saved_result)
a.grad_fn._saved_result

# %% the input's own node is not run
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x.exp()
y = (h * h).sum()
torch.autograd.grad(y, h)
print(h.grad_fn._saved_result)
h.sum().backward()
print(x.grad)

# %% backward with inputs that are results runs their nodes
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x.exp()
y = (h * h).sum()
y.backward(inputs=[h])
print(h.grad, x.grad)
h.grad_fn._saved_result

# %% integer outputs
x = torch.tensor([1.0, 2.0], requires_grad=True)
torch.autograd.grad(x.argmax(), x)

# %% grad of a view of the input
x = torch.tensor([1.0, 2.0], requires_grad=True)
v = x[:1]
print(torch.autograd.grad((v * v).sum(), [v, x]))
torch.autograd.grad((x * x).sum(), v)

# %% backward keyword names
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x
y.backward(gradient=torch.ones(2), retain_graph=True, create_graph=False, inputs=x)
torch.autograd.backward(tensors=y, grad_tensors=torch.ones(2))
print(x.grad)
y.backward(grad=torch.ones(2))
