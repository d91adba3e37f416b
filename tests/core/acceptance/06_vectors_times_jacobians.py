"""`backward(v)` gives Jᵀv and never builds J; where J itself is wanted, it can be asked for."""

import torch
from torch.autograd.functional import hessian, hvp, jacobian, jvp, vjp


def f(x):
    return torch.stack([x[0] * x[1], x[1].exp(), x.sum() ** 2])


x = torch.tensor([2.0, 0.5], requires_grad=True)
v = torch.tensor([1.0, 10.0, 0.1])
f(x).backward(v)
J = jacobian(f, x)
print(J)
print(torch.allclose(x.grad, v @ J), torch.allclose(vjp(f, x, v)[1], x.grad))
u = torch.tensor([1.0, -1.0])
print(torch.allclose(jvp(f, x, u)[1], J @ u))
H = hessian(lambda x: f(x).sum(), x)
print(H, torch.allclose(hvp(lambda x: f(x).sum(), x, u)[1], H @ u))
try:
    f(x).backward()
except RuntimeError as error:
    print(error)
print(torch.autograd.grad(f(x), x, torch.eye(3), is_grads_batched=True)[0].shape)
