"""A gradient can be part of a loss: a penalty on its length, and Newton's method with a Hessian of its own."""

import torch

torch.manual_seed(0)
critic = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
x = torch.randn(6, 2, requires_grad=True)
(slope,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
penalty = (slope.norm(dim=1) - 1).pow(2).mean()
penalty.backward()
print(penalty, critic[0].weight.grad.shape, critic[2].bias.grad)


def f(p):
    return (1 - p[0]) ** 2 + 10 * (p[1] - p[0] ** 2) ** 2


p = torch.tensor([-1.0, 1.5], dtype=torch.float64)
for _ in range(8):
    H = torch.autograd.functional.hessian(f, p)
    g = torch.autograd.functional.jacobian(f, p)
    p = p - torch.linalg.solve(H, g)
print(p, f(p) < 1e-12)
