# Programs of our own about operations with several results. A cell starts at "# %%" and runs alone, in a fresh notebook.

# %% the determinant of a singular matrix
A = torch.tensor([[1.0, 2.0], [2.0, 4.0]], requires_grad=True)
torch.linalg.det(A).backward()
print(A.grad.abs())
A = torch.tensor([[1.0, 0.0], [0.0, 0.0]], requires_grad=True)
(g,) = torch.autograd.grad(torch.linalg.det(A), A, create_graph=True)
print(g.abs(), g.requires_grad)

# %% slogdet has two results with one node
A = torch.tensor([[2.0, 0.0], [0.0, 4.0]], requires_grad=True)
sign, logabsdet = torch.linalg.slogdet(A)
print(sign, logabsdet, sign.grad_fn is logabsdet.grad_fn, sign.output_nr, logabsdet.output_nr)
logabsdet.backward(retain_graph=True)
print(A.grad)
torch.autograd.grad(sign, A)

# %% slogdet of a singular matrix
A = torch.tensor([[1.0, 2.0], [2.0, 4.0]], requires_grad=True)
torch.linalg.slogdet(A).logabsdet.backward()
print(A.grad.abs())

# %% std_mean and var_mean
x = torch.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
s, m = torch.std_mean(x, dim=1)
print(s, m, s.grad_fn is m.grad_fn)
m.sum().backward(retain_graph=True)
print(x.grad)
v, m = torch.var_mean(x)
print(v, m, v.grad_fn.next_functions)
(v + m).backward()
print(x.grad)
