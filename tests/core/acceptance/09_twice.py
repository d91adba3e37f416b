"""Derivatives of derivatives: of the built-in operations, and of a Function that saves a result for both."""

import torch
from torch.autograd.function import once_differentiable


class Sinh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        up, down = torch.exp(x), torch.exp(-x)
        ctx.save_for_backward(up, down)
        return (up - down) / 2, up, down

    @staticmethod
    def backward(ctx, grad, grad_up, grad_down):
        up, down = ctx.saved_tensors
        return grad * (up + down) / 2 + grad_up * up - grad_down * down


x = torch.tensor([0.5, -1.0], dtype=torch.float64, requires_grad=True)
print(
    torch.autograd.gradcheck(lambda x: Sinh.apply(x)[0], x), torch.autograd.gradgradcheck(lambda x: Sinh.apply(x)[0], x)
)

derivative = torch.sin(x)
for order in range(4):
    (derivative,) = torch.autograd.grad(derivative.sum(), x, create_graph=True)
    print(order + 1, derivative.detach())


class Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 5

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        return grad * 5


(first,) = torch.autograd.grad((Once.apply(x) ** 2).sum(), x, create_graph=True)
print(first.detach())
try:
    first.sum().backward()
except RuntimeError as error:
    print(error)
